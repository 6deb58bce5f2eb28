//! The crowd rows of the fault catalogue, G11 to G17, G33 and G34, each with the outcome that stands there.
//!
//! Method: small levels made here, walks sent by the host, the judge of `tests/invariants.rs` after every
//! tick; ends are read from the trace.

use cpu_time::ThreadTime;
use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::game::Game;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::glam::Vec3;
use walkon_runtime::level::{MemorySource, load, spawn};
use walkon_runtime::world::World;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::characters::{self, Spawn};
use walkon_runtime::world::ops::walks::{WalkOrder, walk_to};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::walk::{AcceptEnd, WalkOptions};

use crate::invariants::{Judge, overlapping_in};

/// Two rooms joined by a corridor of 12 m and one cell: no character passes another in it.
pub const CORRIDOR: &str = r#"{ "navigation": { "agentRadius": 0.35, "areas": [
  { "name": "west", "polygon": [[0,0],[6,0],[6,6],[0,6]] },
  { "name": "corridor", "polygon": [[6,2.85],[18,2.85],[18,3.25],[6,3.25]] },
  { "name": "east", "polygon": [[18,0],[24,0],[24,6],[18,6]] } ] } }"#;

/// The same with a door's width in a wall of half a metre in place of the corridor.
pub const DOORWAY: &str = r#"{ "navigation": { "agentRadius": 0.35, "areas": [
  { "name": "west", "polygon": [[0,0],[12,0],[12,12],[0,12]] },
  { "name": "doorway", "polygon": [[12,5.6],[12.4,5.6],[12.4,6.4],[12,6.4]] },
  { "name": "east", "polygon": [[12.4,0],[24,0],[24,12],[12.4,12]] } ] } }"#;

pub const OPEN: &str = r#"{ "limits": { "characters": 65536 }, "navigation": { "agentRadius": 0.35, "areas": [
  { "name": "field", "polygon": [[0,0],[220,0],[220,220],[0,220]] } ] } }"#;

/// A level under test, with nobody in it yet.
pub struct Run {
    pub game: Game,
    judge: Judge,
    /// Ends of walks: who, `status/reason`, by whom, when in seconds.
    pub ends: Vec<(String, String, Option<String>, f64)>,
    /// Steps aside so far.
    pub nudges: Vec<Aside>,
}

/// A character was asked aside.
#[derive(Clone, Debug, PartialEq)]
pub struct Aside {
    pub who: String,
    pub by: String,
    pub to: Vec3,
    pub tick: u64,
}

impl Run {
    pub fn of(json: &str) -> Self {
        Self::within(json, 0.5)
    }

    /// The same, where bodies may overlap for so many seconds in a row.
    pub fn within(json: &str, overlap_max_s: f64) -> Self {
        let source = MemorySource::new().with("row.json", json);
        let level = load("row.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
        let options = RecordOptions { trace: true, ..RecordOptions::default() };
        let game = Game::new(spawn::build(level, None).world, Recorder::new(options));
        let judge = Judge::new(game.world(), overlap_max_s);
        Self { game, judge, ends: Vec::new(), nudges: Vec::new() }
    }

    pub fn world(&self) -> &World {
        self.game.world()
    }

    pub fn spawn(&mut self, name: &str, (x, z): (f32, f32)) -> CharacterId {
        characters::spawn(self.game.world_mut(), Spawn::new(name, Vec3::new(x, 0.0, z))).unwrap().unwrap()
    }

    pub fn walk(&mut self, character: CharacterId, (x, z): (f32, f32)) {
        self.walk_with(character, (x, z), |_| {});
    }

    pub fn walk_with(
        &mut self,
        character: CharacterId,
        (x, z): (f32, f32),
        adjust: impl FnOnce(&mut WalkOptions),
    ) {
        let mut options = WalkOptions::at(self.world().rate());
        adjust(&mut options);
        let goal = Goal::Point(Vec3::new(x, 0.0, z));
        walk_to(self.game.world_mut(), WalkOrder { character, goal, options, owner: Owner::HOST }).unwrap();
    }

    pub fn tick(&mut self) {
        let recorded = self.game.tick(&[]);
        self.judge.look(self.game.world(), &recorded.lines);
        let now_s = self.seconds();
        for line in recorded.lines.iter().filter(|line| line.contains("walkSettled")) {
            let fact: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| fact[key].as_str().unwrap_or("").to_owned();
            let by = fact["by"].as_str().map(str::to_owned);
            self.ends.push((text("character"), format!("{}/{}", text("status"), text("reason")), by, now_s));
        }
        for line in recorded.lines.iter().filter(|line| line.contains("\"nudged\"")) {
            let fact: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| fact[key].as_str().unwrap().to_owned();
            let axis = |at: usize| fact["to"][at].as_f64().unwrap() as f32;
            let to = Vec3::new(axis(0), 0.0, axis(1));
            let tick = self.world().tick().0;
            self.nudges.push(Aside { who: text("character"), by: text("by"), to, tick });
        }
    }

    pub fn seconds(&self) -> f64 {
        self.world().rate().seconds(self.world().tick())
    }

    pub fn run(&mut self, seconds: f64) {
        (0..self.world().rate().ticks(seconds)).for_each(|_| self.tick());
    }

    /// Runs until so many walks have ended; fails after `seconds`.
    pub fn until_ends(&mut self, count: usize, seconds: f64) {
        let most = self.world().rate().ticks(seconds);
        for _ in 0..most {
            if self.ends.len() >= count {
                return;
            }
            self.tick();
        }
        panic!("only {} of {count} walks have ended after {seconds} s: {:?}", self.ends.len(), self.ends);
    }

    pub fn assert_clean(&self, what: &str) {
        self.judge.assert_clean(what);
    }

    pub fn at(&self, id: CharacterId) -> Vec3 {
        self.world().character(id).unwrap().body.position
    }
}

#[test]
fn fault_g11_two_who_meet_in_a_corridor_of_one_cell_do_not_stay_there() {
    let mut run = Run::of(CORRIDOR);
    let (left, right) = (run.spawn("left", (4.0, 3.0)), run.spawn("right", (20.0, 3.0)));
    run.walk(left, (22.0, 2.0));
    run.walk(right, (2.0, 4.0));
    let (mut met_s, mut turns, mut headings) = (None, [0, 0], [0.0_f32; 2]);
    while run.ends.len() < 2 {
        let before = [run.at(left).x, run.at(right).x];
        run.tick();
        let after = [run.at(left).x, run.at(right).x];
        // The outermost cells of the rooms reach into it by half a cell: there is room to pass.
        let in_corridor = |x: f32| x > 6.2 && x < 17.8;
        if in_corridor(after[0]) && in_corridor(after[1]) {
            assert_eq!(before[0] < before[1], after[0] < after[1], "they swapped through one another");
        }
        if (after[0] - after[1]).abs() < 0.9 {
            met_s.get_or_insert(run.seconds());
        }
        for who in 0..2 {
            let heading = after[who] - before[who];
            if heading.abs() > 1e-4 {
                turns[who] += i32::from(
                    heading * headings[who] < 0.0 && met_s.is_some_and(|met_s| run.seconds() < met_s + 10.0),
                );
                headings[who] = heading;
            }
        }
        assert!(run.seconds() < 90.0, "{:?}, {} and {}", run.ends, run.at(left), run.at(right));
    }
    let met_s = met_s.unwrap();
    let all = |end: &str| run.ends.iter().all(|(_, is, ..)| is == end);
    let stuck_in_time = all("blocked/stuck") && run.ends.iter().all(|(.., at_s)| *at_s < met_s + 10.0);
    assert!(all("arrived/reached") || stuck_in_time, "met at {met_s}: {:?}", run.ends);
    assert!(turns.iter().all(|&turns| turns <= 20), "turned round {turns:?} times in 10 s");
    run.judge.assert_clean("G11");
}

#[test]
fn fault_g12_a_hundred_pass_one_door() {
    let mut run = Run::of(DOORWAY);
    let crowd: Vec<CharacterId> = (0..100)
        .map(|index| {
            let (row, column) = ((index / 10) as f32, (index % 10) as f32);
            run.spawn(&format!("c{index}"), (1.0 + row, 1.0 + column * 1.05))
        })
        .collect();
    for (index, &character) in crowd.iter().enumerate() {
        let (row, column) = ((index / 10) as f32, (index % 10) as f32);
        run.walk_with(character, (14.0 + row, 1.0 + column * 1.05), |options| {
            options.accept = AcceptEnd::Near
        });
    }
    let mut passed: Vec<f64> = Vec::new();
    let mut has_passed = vec![false; crowd.len()];
    while run.ends.len() < crowd.len() {
        run.tick();
        for (index, &character) in crowd.iter().enumerate() {
            if !has_passed[index] && run.at(character).x > 12.4 {
                has_passed[index] = true;
                passed.push(run.seconds());
            }
        }
        assert!(run.seconds() < 260.0, "{} have passed, {} walks have ended", passed.len(), run.ends.len());
    }
    assert_eq!(passed.len(), 100, "{:?}", run.ends);
    let per_second = 99.0 / (passed[99] - passed[0]);
    let longest_s = passed.windows(2).map(|two| two[1] - two[0]).fold(0.0, f64::max);
    println!("{per_second:.2} a second, longest standstill {longest_s:.1} s");
    assert!(
        per_second >= 0.5 && longest_s <= 5.0,
        "{per_second:.2} a second, longest standstill {longest_s:.1} s"
    );
    let arrived = run.ends.iter().filter(|(_, end, ..)| end.starts_with("arrived")).count();
    assert_eq!(arrived, 100, "{:?}", run.ends);
    run.judge.assert_clean("G12");
}

#[test]
fn fault_g13_head_on_in_the_open_they_are_past_each_other_in_three_seconds() {
    let mut run = Run::of(OPEN);
    let (left, right) = (run.spawn("left", (100.0, 100.0)), run.spawn("right", (104.0, 100.0)));
    run.walk(left, (108.0, 100.0));
    run.walk(right, (96.0, 100.0));
    run.run(3.0);
    assert!(run.at(left).x > run.at(right).x, "{} and {}", run.at(left), run.at(right));
    run.until_ends(2, 10.0);
    assert!(run.ends.iter().all(|(_, end, ..)| end == "arrived/reached"), "{:?}", run.ends);
    run.judge.assert_clean("G13");
}

#[test]
fn fault_g14_who_stands_in_the_only_corridor_is_asked_aside_or_planned_through() {
    for (level, stands, from, to) in
        [(DOORWAY, (12.2, 6.0), (6.0, 6.0), (18.0, 6.0)), (CORRIDOR, (12.0, 3.0), (5.0, 3.0), (20.0, 3.0))]
    {
        let mut run = Run::of(level);
        run.spawn("post", stands);
        let mover = run.spawn("mover", from);
        run.walk(mover, to);
        let post = run.world().find_character("post").unwrap();
        let mut met_s = None;
        while run.ends.is_empty() && run.seconds() < 25.0 {
            run.tick();
            if run.at(mover).distance(run.at(post)) < 0.85 {
                met_s.get_or_insert(run.seconds());
            }
        }
        // Ten seconds from where they meet, most of which it walks.
        let (who, end, by, at_s) = run.ends[0].clone();
        let took_s = at_s - met_s.expect("they meet");
        assert_eq!((who.as_str(), end.as_str()), ("mover", "arrived/reached"), "by {by:?} at {at_s:.1} s");
        assert!(took_s <= 10.0, "{took_s:.1} s after they met");
        run.judge.assert_clean("G14");
    }
}

#[test]
fn fault_g15_a_player_who_fills_the_corridor_is_the_one_named() {
    let mut run = Run::of(CORRIDOR);
    let mut player = Spawn::new("player", Vec3::new(12.0, 0.0, 3.0));
    player.is_player = true;
    let player = characters::spawn(run.game.world_mut(), player).unwrap().unwrap();
    let mover = run.spawn("mover", (8.0, 3.0));
    run.walk(mover, (20.0, 3.0));
    run.until_ends(1, 20.0);
    let (_, end, by, at_s) = run.ends[0].clone();
    assert_eq!((end.as_str(), by.as_deref()), ("blocked/stuck", Some("player")));
    // It is there after two or three seconds, and patient for three.
    assert!((4.0..10.0).contains(&at_s), "{at_s:.1} s");
    assert!(run.at(player).distance(Vec3::new(12.0, 0.0, 3.0)) < 0.7, "the player is at {}", run.at(player));
    assert_eq!(run.nudges, [], "the player is never asked aside (seed:C9)");
    run.judge.assert_clean("G15");
}

#[test]
fn fault_g16_a_crowd_in_one_cell_comes_apart_and_costs_no_more_than_ten_times_its_tick() {
    let count = if cfg!(debug_assertions) && std::env::var("WALKON_ALL").is_err() { 2_000 } else { 10_000 };
    let mut spread = Run::of(OPEN);
    let mut packed = Run::of(OPEN);
    for index in 0..count {
        let (row, column) = ((index / 100) as f32, (index % 100) as f32);
        let at = (10.0 + row * 2.0, 10.0 + column * 2.0);
        let walker = spread.spawn(&format!("c{index}"), at);
        // All of them walk: bodies that stand cost next to nothing.
        spread.walk(walker, (at.0, 215.0));
        let place = (110.0 + 0.4 * (index % 97) as f32 / 97.0, 110.0 + 0.4 * (index % 89) as f32 / 89.0);
        packed.spawn(&format!("c{index}"), place);
    }
    // Time of this thread, the fastest of several ticks each, in turns: other tests share the machine.
    let time = |run: &mut Run| {
        let began = ThreadTime::now();
        run.game.tick(&[]);
        began.elapsed().as_secs_f64()
    };
    let (mut spread_s, mut packed_s) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..16 {
        spread_s = spread_s.min(time(&mut spread));
        packed_s = packed_s.min(time(&mut packed));
    }
    assert!(packed_s <= 10.0 * spread_s, "{packed_s} s a tick, spread out {spread_s} s");
    for _ in 16..600 {
        packed.game.tick(&[]);
    }
    let world = packed.world();
    assert!(world.characters().all(|(_, who)| who.body.position.is_finite()));
    assert_eq!(overlapping_in(world).len(), 0, "{count} in one cell are apart after 600 ticks");
}

#[test]
fn fault_g17_two_on_one_point_part_by_their_ids_the_same_way_every_time() {
    let places = |_| {
        let mut run = Run::of(OPEN);
        let (one, other) = (run.spawn("one", (50.0, 50.0)), run.spawn("other", (50.0, 50.0)));
        run.run(1.0);
        run.judge.assert_clean("G17");
        (run.at(one), run.at(other))
    };
    let all: Vec<(Vec3, Vec3)> = (0..3).map(places).collect();
    assert!(all.iter().all(|pair| *pair == all[0]), "{all:?}");
    assert!(all[0].0.distance(all[0].1) >= 0.69, "{all:?}");
}

#[test]
fn fault_g33_nobody_in_a_queue_or_in_no_hurry_counts_as_stuck() {
    // A file in a corridor behind a very slow character. At the mouth they stand body to body: the time that
    // counts is that of inv:N6.
    let mut run = Run::within(CORRIDOR, 10.0);
    let slow = run.spawn("slow", (7.0, 3.0));
    run.walk_with(slow, (20.0, 5.0), |options| {
        options.pace = walkon_runtime::world::walk::WalkPace::Speed(0.05)
    });
    for index in 0..6 {
        let character =
            run.spawn(&format!("c{index}"), (5.5 - 0.9 * (index % 3) as f32, 2.6 + 0.9 * (index / 3) as f32));
        run.walk(character, (22.0, 1.0 + 0.75 * index as f32));
    }
    run.run(40.0);
    assert!(run.ends.is_empty(), "{:?}", run.ends);
    run.judge.assert_clean("G33");
}

#[test]
fn fault_g34_nobody_and_one_and_as_many_as_can_be() {
    let mut run = Run::of(OPEN);
    run.run(0.1);
    let first = run.spawn("first", (10.0, 10.0));
    run.walk(first, (12.0, 10.0));
    run.until_ends(1, 5.0);
    for index in 1..65_536 {
        let place = ((index % 256) as f32 * 0.85 + 1.0, (index / 256) as f32 * 0.85 + 1.0);
        run.spawn(&format!("c{index}"), place);
    }
    for _ in 0..2 {
        run.game.tick(&[]);
    }
    assert_eq!(run.world().character_count(), 65_536);
    let one_more = Spawn::new("more", Vec3::new(1.0, 0.0, 1.0));
    let refused = characters::spawn(run.game.world_mut(), one_more).unwrap_err().to_string();
    assert!(refused.contains("65536"), "{refused}");
}
