//! Tests of games: save games, batched calls of `update`, and fast paths of tasks change no result.

mod edits;
mod fuel_shares;
mod hearing;
mod host_verbs;
mod memory;
mod poses;
mod repeated_inputs;
mod scripts;
mod told_level;
mod tree_limits;

use std::collections::BTreeMap;

use super::*;
use crate::game::recorder::RecordOptions;
use crate::level::spawn;
use crate::level::{MemorySource, load};
use crate::world::door::DoorAim;
use crate::world::goal::Goal;
use crate::world::ops::doors::{self, DoorSpeed};
use crate::world::ops::walks::{WalkOrder, walk_to};
use crate::world::owner::Owner;
use crate::world::scratch::Scratch;
use crate::world::walk::WalkOptions;

/// Two rooms with a door between them, and people on both sides of it.
fn two_rooms() -> World {
    let people: Vec<String> = (0..16)
        .map(|at| {
            let (x, z) = (if at % 2 == 0 { 2.0 } else { 12.0 } + f64::from(at / 4), 2.0 + f64::from(at % 4));
            format!(r#"{{ "name": "p{at}", "position": [{x:?}, {z:?}] }}"#)
        })
        .collect();
    let text = format!(
        r#"{{
            "seed": 3,
            "navigation": {{
                "kind": "grid", "cellSize": 0.25, "agentRadius": 0.35,
                "areas": [
                    {{ "name": "left", "polygon": [[0, 0], [9, 0], [9, 8], [0, 8]] }},
                    {{ "name": "doorway", "polygon": [[9, 3], [9.5, 3], [9.5, 5], [9, 5]] }},
                    {{ "name": "right", "polygon": [[9.5, 0], [18, 0], [18, 8], [9.5, 8]] }}
                ]
            }},
            "doors": [ {{ "name": "gate", "area": "doorway" }} ],
            "characters": [ {} ]
        }}"#,
        people.join(",")
    );
    let source = MemorySource::new().with("a.json", text.into_bytes());
    let mut world = spawn::build(load("a.json", &source).expect("a level"), None).world;
    // So little that searches are under way between ticks.
    world.settings.path_budget = 40;
    world
}

/// A round of orders: every character goes to where a character of the other room stands, and the door moves.
fn order(world: &mut World, round: u64) {
    let ids = world.characters.ids().to_vec();
    for (at, &character) in ids.iter().enumerate() {
        let other = ids[(at + 2 * round as usize + 1) % ids.len()];
        let goal = match (at as u64 + round) % 3 {
            0 => Goal::Character(other),
            _ => Goal::Point(world.characters.get(other).expect("it is there").body.position),
        };
        let options = WalkOptions::at(world.rate());
        walk_to(world, WalkOrder { character, goal, options, owner: Owner::HOST }).expect("all are there");
    }
    let door = world.find_door("gate").expect("the door is there");
    doors::set(world, door, DoorAim::of(round % 3 != 1), DoorSpeed::Usual);
}

#[test]
fn a_world_whose_scratch_was_thrown_away_goes_on_in_the_same_way() {
    let mut kept = Game::new(two_rooms(), Recorder::default());
    let mut lost = Game::new(two_rooms(), Recorder::default());
    let mut searching = 0;
    for tick in 0..2400_u64 {
        if tick.is_multiple_of(150) {
            order(&mut kept.world, tick / 150);
            order(&mut lost.world, tick / 150);
        }
        kept.tick(&[]);
        searching += u64::from(lost.world.paths.requests.waiting() > 0);
        lost.world.scratch = Scratch::default();
        lost.world.make_room();
        lost.tick(&[]);
        assert_eq!(kept.fingerprint(), lost.fingerprint(), "tick {tick}");
    }
    assert!(searching > 5, "searches were under way in {searching} ticks");
    let counts = kept.world.walk_counts();
    assert!(counts.arrived > 20 && counts.cancelled > 20, "{counts:?}");
    assert!(kept.world.path_counts().requests > lost.world.path_counts().requests, "it was thrown away");
}

/// What an `update` does now and then that may upset calls in a row.
const DEEDS: [&str; 10] = [
    "error('on purpose')",
    "while true do end",
    "local text = 'a' for i = 1, 30 do text = text .. text end",
    "print('tick', level.tick)",
    "self.character:despawn()",
    "local other = world.character('c' .. self.rng:int(0, 199)) if other then other:despawn() end",
    "self.state.other = print",
    "task.spawn(function() task.onCancel(function() event.emit('gone') end) task.sleep(0.2) error('later') end)",
    "local c = self.character c:walkTo(c.position + vector.create(1, 0, 1), { onArrived = function(r) event.emit('there') end })",
    "local other = world.character('c' .. self.rng:int(0, 199)) if other then other:detach() other:attach('b3.lua') end",
];

/// Behaviour `number`: its own deed often, others seldom; `version` changes what it counts by.
fn behaviour(number: usize, version: u64) -> String {
    let deeds: String = (0..DEEDS.len())
        .map(|deed| {
            let seldom = if deed == number { 60 } else { 900 };
            format!("if self.rng:int(1, {seldom}) == 1 then {} end\n", DEEDS[deed])
        })
        .collect();
    let every = if number % 4 == 3 { "updateEvery = 3," } else { "" };
    format!(
        "return {{ {every}
            on = {{ gone = function(self) self.state.heard = (self.state.heard or 0) + 1 end }},
            update = function(self, dt)
                local s = self.state
                s.count = (s.count or 0) + {version} s.time = (s.time or 0) + dt
                s.x = self.character.position.x
                {deeds}
            end }}"
    )
}

/// So many people, each with one of ten behaviours.
fn crowd(seed: u64, count: usize, behaviour: fn(usize, u64) -> String) -> Game {
    let people: Vec<String> = (0..count)
        .map(|at| {
            let (x, z) = (2 + at % 20 * 2, 2 + at / 20 * 2);
            format!(r#"{{ "name": "c{at}", "position": [{x}, {z}], "behaviour": "b{}.lua" }}"#, at % 10)
        })
        .collect();
    // Of every other seed the fuel of a tick suffices for all.
    let fuel = if seed.is_multiple_of(2) { 9_000 } else { 400_000 };
    let text = format!(
        r#"{{ "seed": {seed}, "limits": {{ "fuelPerCall": 2000, "fuelPerTick": {fuel} }},
            "navigation": {{ "areas": [ {{ "name": "hall", "polygon": [[0,0],[44,0],[44,44],[0,44]] }} ] }},
            "characters": [ {} ] }}"#,
        people.join(",")
    );
    let source = MemorySource::new().with("a.json", text.into_bytes());
    let level = load("a.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts: BTreeMap<String, String> =
        (0..10).map(|number| (format!("b{number}.lua"), behaviour(number, 1))).collect();
    let options = RecordOptions { trace: true, hash_every: 1, ..RecordOptions::default() };
    let setup = Setup { scripts, recorder: Recorder::new(options), ..Setup::default() };
    Game::load(level, setup).unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn updates_in_a_row_come_to_the_same_as_one_by_one() {
    let (mut deferred, mut faults) = (0, 0);
    for seed in 1..=4_u64 {
        let (mut rows, mut alone) = (crowd(seed, 200, behaviour), crowd(seed, 200, behaviour));
        alone.scripts.as_mut().expect("it has scripts").update_one_by_one();
        for tick in 0..200_u64 {
            let number = (tick / 40) as usize;
            let edit = BTreeMap::from([(format!("b{number}.lua"), Some(behaviour(number, tick)))]);
            let inputs = match tick % 40 {
                39 => vec![Input::Reload(Reload { scripts: edit, level: None })],
                _ => Vec::new(),
            };
            let (ours, theirs) = (rows.tick(&inputs), alone.tick(&inputs));
            assert_eq!(ours.lines, theirs.lines, "seed {seed}, tick {tick}");
            deferred += ours.lines.iter().filter(|line| line.contains("scriptDeferred")).count();
        }
        faults += rows.fault_count();
        assert_eq!(rows.reload_count(), 5);
        assert!(rows.world().characters().count() > 100, "too few are left");
    }
    assert!(faults > 100, "{faults} faults");
    assert!(deferred > 10, "the fuel of a tick was spent in {deferred} ticks");
}

/// Things that a task or a handler does now and then and that may not go the short way.
const TASK_DEEDS: [&str; 22] = [
    "task.ticks(1)",
    "task.sleep(0.05)",
    "coroutine.yield()",
    "coroutine.yield(true)",
    "error('on purpose')",
    "while true do end",
    "print('tick', level.tick)",
    "event.emit('ping', { n = s.count })",
    "self.character:despawn()",
    "local tk = task.current() if s.count % 2 == 0 then tk:cancel() task.ticks(1) end",
    "task.spawn(function() task.onCancel(function(why) event.emit('gone', why) end) task.sleep(0.2) error('later') end)",
    "task.onCancel(function(why) s.why = why end)",
    "task.race({ function() task.ticks(2) end, function() task.waitEvent('ping') end })",
    "s.sum = task.await(task.spawn(function() task.ticks(1) return 7 end))",
    "local c = self.character c:walkTo(c.position + vector.create(1, 0, 1), { onArrived = function(r) s.ticks = r.ticks
        task.ticks(1) event.emit('there', task.current().status) end })",
    "s.refused = pcall(coroutine.wrap(function() task.ticks(1) end))",
    "pcall(task.ticks, 0) pcall(task.sleep, -1) pcall(task.ticks, 1.5) pcall(task.sleep, 'long')",
    "local other = world.character('c' .. self.rng:int(0, 59)) if other then other:detach() other:attach('b3.lua') end",
    "timer.after(0.1, function() event.emit('late') if s.count % 3 == 0 then task.ticks(2) end end)",
    "local heard heard = event.on('ping', function() heard:remove() s.count += 1 end)",
    "task.restart('again', function() task.sleep(0.3) event.emit('ping') end)",
    "self.state.other = print",
];

fn waiting_behaviour(number: usize, version: u64) -> String {
    let deeds = |often: u32| -> String {
        let one = |(place, deed): (usize, &&str)| {
            // Ending a behaviour is the exception.
            let seldom = if matches!(place, 4 | 5 | 8 | 17 | 21) { 8 } else { 1 };
            let seldom = seldom * if place % 10 == number { often } else { 4 * often };
            format!("if self.rng:int(1, {seldom}) == 1 then {deed} end\n")
        };
        TASK_DEEDS.iter().enumerate().map(one).collect()
    };
    format!(
        "return {{
            init = function(self) self.state.count = 0 end,
            on = {{ gone = function(self, why) self.state.gone = why end,
                there = function(self) local s = self.state s.count += 1 {} end }},
            start = function(self)
                local s = self.state
                event.on('ping', function(e) s.count += {version} {} end)
                event.on('late', function() s.late = level.tick end)
            end,
            run = function(self)
                local s = self.state
                while true do
                    s.count += {version}
                    {}
                    task.ticks(1)
                end
            end }}",
        deeds(60),
        deeds(40),
        deeds(50),
    )
}

#[test]
fn tasks_and_handlers_come_to_the_same_by_the_short_and_by_the_plain_way() {
    let (mut deferred, mut faults, mut refused) = (0, 0, 0);
    for seed in 1..=4_u64 {
        let (mut short, mut plain) = (crowd(seed, 60, waiting_behaviour), crowd(seed, 60, waiting_behaviour));
        plain.scripts.as_mut().expect("it has scripts").go_the_plain_way();
        for tick in 0..300_u64 {
            let number = (tick / 40) as usize;
            let edit = BTreeMap::from([(format!("b{number}.lua"), Some(waiting_behaviour(number, tick)))]);
            let inputs = match tick % 40 {
                39 => vec![Input::Reload(Reload { scripts: edit, level: None })],
                _ => Vec::new(),
            };
            let (ours, theirs) = (short.tick(&inputs), plain.tick(&inputs));
            assert_eq!(ours.lines, theirs.lines, "seed {seed}, tick {tick}");
            let count = |what: &str| ours.lines.iter().filter(|line| line.contains(what)).count();
            deferred += count("scriptDeferred");
            refused += count("steps without a wait");
        }
        faults += short.fault_count();
        assert_eq!(short.reload_count(), 7);
        assert!(short.world().characters().count() > 20, "too few are left");
    }
    assert!(faults > 100, "{faults} faults");
    assert!(refused > 10, "{refused} endless loops");
    assert!(deferred > 10, "the fuel of a tick was spent in {deferred} ticks");
}
