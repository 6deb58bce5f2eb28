//! Edits of a level that runs: what they may not leave behind.

use std::sync::Arc;

use glam::Vec3;

use super::told_level::{ToldLevel, house, house_with_behaviour, texts};
use super::*;
use crate::base::ids::AreaId;
use crate::game::inputs::DoorCommand;
use crate::nav::Traversal;
use crate::world::door::DoorState;
use crate::world::ops::paths;
use crate::world::walk_mode::{Pause, WalkMode, Wander};

const SILENT: &[(&str, &str)] = &[("level.lua", "")];
const GATE: &str = r#""doors": [ { "name": "gate", "area": "doorway", "open": false } ],"#;
const YARD: &str = r#""limits": { "watchesPerOwner": 1 },
    "regions": [ { "name": "yard", "polygon": [[0, 0], [5, 0], [5, 10], [0, 10]] } ],"#;
const NO_YARD: &str = r#""limits": { "watchesPerOwner": 1 },"#;
const SHED: &str = r#"{ "name": "shed", "polygon": [[30, 0], [34, 0], [34, 4], [30, 4]] },"#;

/// An edit between two ticks.
fn edit(run: &mut ToldLevel, level: &str) {
    let staged = level_reload::stage(&texts(level), None).expect("a level");
    let Game { world, origin, .. } = &mut run.game;
    level_reload::apply(world, origin.as_mut().expect("it has a level"), staged);
}

fn area(run: &ToldLevel, name: &str) -> AreaId {
    run.game.world.find_area(name).expect("the level has it")
}

/// Goal: an edit that has nothing to do with the ground makes no walk plan again. Method: each key of a
/// level, changed in the middle of a walk; whether the map has another revision, and whether the walk asks.
#[test]
fn only_edits_that_decide_about_the_ground_change_the_map() {
    let off_the_ground = [
        r#""x-note": 1,"#,
        r#""name": "told","#,
        r#""marks": { "tree": [1, 1] },"#,
        r#""routes": { "round": [[1, 1], [2, 2]] },"#,
        r#""limits": { "watchesPerOwner": 7 },"#,
        r#""pathBudget": 900,"#,
        r#""clock": { "start": "7:00" },"#,
    ];
    let of_the_ground = [GATE, YARD, r#""crowd": { "nudgeDist": 1.0 },"#, r#""tickRate": 30,"#];
    let edits =
        off_the_ground.map(|more| (more, false)).into_iter().chain(of_the_ground.map(|more| (more, true)));
    for (more, is_of_ground) in edits {
        let mut run = ToldLevel::of(&house("", ""), SILENT);
        let anna = run.game.world.find_character("anna").expect("she is there");
        run.game.walk_to(anna, [19.0, 0.0, 5.0]).expect("she may");
        run.ticks(30);
        let before = run.game.world.map.nav.revision();
        edit(&mut run, &house("", more));
        let world = &run.game.world;
        assert_eq!(world.map.nav.revision() != before, is_of_ground, "{more}");
        let walk = world.character(anna).and_then(|anna| world.walks.get(anna.walk?)).expect("she walks");
        assert_eq!(walk.ask.is_some(), is_of_ground, "{more}");
    }
}

#[test]
fn a_door_that_comes_back_stands_as_the_file_says() {
    let mut run = ToldLevel::of(&house("", GATE), SILENT);
    edit(&mut run, &house("", ""));
    assert_eq!(run.game.world.find_door("gate"), None);
    edit(&mut run, &house("", GATE));
    let gate = run.game.world.find_door("gate").expect("it is there again");
    let door = &run.game.world.doors()[gate.index()];
    assert_eq!((door.state, door.left_ticks, door.is_gone()), (DoorState::Closed, 0, false));
    assert!(!run.game.world.areas()[door.area.index()].available, "nobody walks through it");
}

#[test]
fn a_door_takes_its_seconds_at_the_rate_that_the_level_runs_at() {
    let at = |rate_hz: u32, length_s: u32| {
        let door =
            format!(r#"{{ "name": "gate", "area": "doorway", "open": false, "seconds": {length_s} }}"#);
        house("", &format!(r#""tickRate": {rate_hz}, "doors": [ {door} ],"#))
    };
    let opening_ticks = |game: &mut Game| {
        let order = DoorCommand::Open;
        game.tick(&[Input::Door { door: "gate".to_owned(), order }]);
        let ticks = (1..500).find(|_| {
            game.tick(&[]);
            game.world.doors()[0].state == DoorState::Open
        });
        ticks.expect("it opens")
    };
    let whole = opening_ticks(&mut ToldLevel::of(&at(60, 2), SILENT).game);
    let mut run = ToldLevel::of(&at(60, 2), SILENT);
    run.edit(&at(30, 2));
    let saved = run.game.save().expect("a save");
    let loads = |level: &str| {
        let level = load("level.json", &MemorySource::new().with("level.json", level.as_bytes().to_vec()));
        let scripts = SILENT.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Game::restore(level.expect("a level"), Setup { scripts, ..Setup::default() }, &saved)
            .expect("it loads")
    };
    assert_eq!(opening_ticks(&mut loads(&at(30, 2))), whole, "the file as it was when the game was saved");
    assert_eq!(opening_ticks(&mut loads(&at(60, 2))), whole, "the file is another");
    assert_eq!(opening_ticks(&mut run.game), whole, "the rate counts from the next start");
    let mut longer = ToldLevel::of(&at(60, 1), SILENT);
    longer.edit(&at(120, 2));
    assert_eq!(opening_ticks(&mut longer.game), whole, "its seconds count at once");
}

#[test]
fn watches_of_a_region_that_is_gone_are_heard_of_no_more_and_count_no_more() {
    let script = r#"
        local function watch(make, name)
            make(name, { initial = true, every = 0.05, onStay = function(e) log.info("stays in %s", name) end })
        end
        function onStart()
            watch(region.on, "yard")
            event.on("again", function() log.info("%s", pcall(watch, region.area, "left")) end)
        end"#;
    let mut run = ToldLevel::of(&house("", YARD), &[("level.lua", script)]);
    run.ticks(30);
    assert!(run.take_told().contains(&"stays in yard".to_owned()));
    run.edit(&house("", NO_YARD));
    run.ticks(30);
    assert_eq!(run.take_told(), Vec::<String>::new());
    run.tick(&[Input::event("again")]);
    assert_eq!(run.take_told(), ["true"], "one watch is allowed, and there is none");
    run.ticks(30);
    assert!(run.take_told().contains(&"stays in left".to_owned()));
    assert_eq!(run.game.fault_count(), 0);
}

#[test]
fn walks_and_requests_mean_the_same_areas_when_their_numbers_change() {
    let mut run = ToldLevel::of(&house(SHED, ""), SILENT);
    let (left, doorway, shed) = (area(&run, "left"), area(&run, "doorway"), area(&run, "shed"));
    let (here, there) = (Vec3::new(2.0, 0.0, 5.0), Vec3::new(15.0, 0.0, 5.0));
    let world = &mut run.game.world;
    let character = world.find_character("anna").expect("she is there");
    let areas = Some(Arc::from(vec![(shed, None), (doorway, Some(9.0))]));
    let options = WalkOptions { areas: areas.clone(), ..WalkOptions::at(world.rate()) };
    let order = WalkOrder { character, goal: Goal::Point(there), options, owner: Owner::HOST };
    let walk = walk_to(world, order).expect("she may walk");
    world.walks.get_mut(walk).expect("it is under way").mode = wandering(left);
    let through = Some(Arc::from(vec![(shed, 1.0), (doorway, 2.0)]));
    let query = paths::query(world, here, there, Traversal { areas, through, ..Traversal::default() });
    let token = paths::request(world, query, None);

    edit(&mut run, &house("", ""));
    let (now_left, now_doorway) = (area(&run, "left"), area(&run, "doorway"));
    assert_ne!((left, doorway), (now_left, now_doorway));
    let world = &mut run.game.world;
    let found = world.walks.get(walk).expect("it is under way");
    assert_eq!(found.options.areas.as_deref(), Some(&[(now_doorway, Some(9.0))][..]));
    assert_eq!(found.mode, wandering(now_left));
    let by = world.paths.requests.take(token).expect("it has no answer").by;
    assert_eq!(by.areas.as_deref(), Some(&[(now_doorway, Some(9.0))][..]), "the shed is gone");
    assert_eq!(by.through.as_deref(), Some(&[(now_doorway, 2.0)][..]));
}

fn wandering(area: AreaId) -> WalkMode {
    let pause = Pause::default();
    WalkMode::Wander(Wander { area: Some(area), around: None, within_m: 5.0, pause, misses: 0 })
}

#[test]
fn nobody_wanders_anywhere_else_when_the_area_is_gone() {
    let script = r#"function onStart()
        event.on("walkSettled", function(r) log.info("%s/%s", r.status, r.reason) end)
        local anna = world.character("anna")
        anna:teleport(16, 5)
        anna:wander({ area = "right" })
    end"#;
    let mut run = ToldLevel::of(&house("", ""), &[("level.lua", script)]);
    run.ticks(60);
    run.edit(&house("", "").replace(r#""name": "right""#, r#""name": "east""#));
    run.ticks(1800);
    assert_eq!(run.take_told(), ["blocked/noPath"]);
}

#[test]
fn a_level_whose_parameters_were_refused_comes_with_the_script_that_takes_them() {
    let refuses = r#"return { params = { mood = { type = "string" } },
        start = function(self) if self.params.mood == "wild" then error("too wild") end end }"#;
    let takes = refuses.replace("error(\"too wild\")", "log.info(\"wild\")");
    let of = |mood: &str, more: &str| {
        house_with_behaviour(more, &format!(r#", "params": {{ "mood": "{mood}" }}"#))
    };
    for level in [None, Some(texts(&of("wild", "")))] {
        let mut run = ToldLevel::of(&of("calm", GATE), &[("level.lua", ""), ("anna.lua", refuses)]);
        run.ticks(2);
        run.edit(&of("wild", ""));
        let told = run.take_told();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("refused: ") && told[0].ends_with("too wild"), "{told:?}");
        assert!(run.game.world.find_door("gate").is_some(), "the level stays as it was");
        let scripts = BTreeMap::from([("anna.lua".to_owned(), Some(takes.clone()))]);
        run.tick(&[Input::Reload(Reload { scripts, level: level.clone() })]);
        assert_eq!(run.take_told(), ["wild"], "{level:?}");
        assert!(run.game.world.find_door("gate").is_none(), "now it is the new one");
        // It is given once.
        let scripts = BTreeMap::from([("level.lua".to_owned(), Some("local again".to_owned()))]);
        run.tick(&[Input::Reload(Reload { scripts, level })]);
        assert_eq!(run.take_told(), Vec::<String>::new());
    }
}
