//! Looking at a running level: everything that is known of a thing, what has a name, who is there.
//!
//! Goal: an onlooker sees what scripts are at, line by line, and the run does not notice. Method:
//! shipped levels run twice, once with a look at everything in every tick, and all hashes must agree; a small
//! level whose scripts wait in every way is looked at and compared with what stands in its texts.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use walkon_runtime::game::find::FOUND_MAX;
use walkon_runtime::game::inputs::Input;
use walkon_runtime::game::inspect::Inspected;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::roster::Stance;
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::view::character_colours;

use crate::level::levels::{levels, scripts};

fn named(name: &str) -> String {
    name.to_owned()
}

fn shipped(name: &str) -> Game {
    let level = load(&format!("{name}.json"), &levels()).unwrap_or_else(|error| panic!("{error}"));
    let options = RecordOptions { trace: true, ..RecordOptions::default() };
    let setup = Setup { scripts: scripts(), recorder: Recorder::new(options), ..Setup::default() };
    Game::load(level, setup).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Looks at everything that has a name; how many things that were.
fn look_at_all(game: &Game) -> usize {
    let world = game.world();
    let mut all = vec![Inspected::Level];
    all.extend(world.characters().map(|(_, who)| Inspected::Character(who.name.clone())));
    all.extend(world.standing_doors().map(|(_, door)| Inspected::Door(door.name.clone())));
    all.extend(world.regions().iter().map(|region| Inspected::Region(region.name.clone())));
    all.extend(world.marks().map(|mark| Inspected::Mark(mark.name.clone())));
    all.extend(world.route_names().map(|name| Inspected::Route(name.to_owned())));
    let areas = world.areas().iter().filter(|area| !area.name.is_empty());
    all.extend(areas.map(|area| Inspected::Area(area.name.clone())));
    all.extend(game.scripts().unwrap().looks().scenes_under_way().into_iter().map(Inspected::Scene));
    for what in &all {
        let seen = game.inspect(what).unwrap_or_else(|| panic!("{what:?}"));
        assert!(seen.as_object().is_some_and(|fields| !fields.is_empty()), "{what:?}");
    }
    let found = game.find("a").len() + game.find("").len();
    all.len() + found + game.rows().count() + game.stances().count() + character_colours(world).len()
}

#[test]
fn a_run_that_is_looked_at_is_the_same_run() {
    for (name, ticks) in [("courtyard", 900), ("village", 400), ("bridge", 700), ("market", 20)] {
        let (mut seen, mut alone) = (shipped(name), shipped(name));
        look_at_all(&seen);
        assert_eq!(seen.start_facts(), alone.start_facts(), "{name}");
        for tick in 1..=ticks {
            assert_eq!(seen.tick(&[]), alone.tick(&[]), "{name}: tick {tick}");
            assert!(look_at_all(&seen) > 5);
            assert_eq!(seen.fingerprint(), alone.fingerprint(), "{name}: tick {tick}");
            assert_eq!(look_at_all(&seen), look_at_all(&seen), "{name}: looking changes nothing");
        }
        assert_eq!(seen.end(), alone.end(), "{name}");
    }
}

/// A hall with a door and a region, and people whose scripts wait in every way.
const LEVEL: &str = r#"{
  "name": "hall", "script": "level.lua",
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
    { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]], "cost": 2 },
    { "name": "doorway", "polygon": [[20,9],[21,9],[21,11],[20,11]] },
    { "name": "yard", "polygon": [[21,0],[40,0],[40,20],[21,20]] } ],
    "obstacles": [ { "name": "well", "polygon": [[9,9],[11,9],[11,11],[9,11]] } ] },
  "doors": [ { "name": "gate", "area": "doorway", "open": false, "locked": true } ],
  "marks": { "post": [3, 3], "bench": [8, 8] },
  "routes": { "rounds": ["post", [17, 3]] },
  "regions": [ { "name": "corner", "centre": [3, 3], "radius": 2 } ],
  "characters": [
    { "name": "anna", "position": [3, 3], "tags": ["watch"], "behaviour": "anna.lua", "params": { "pace": 2 } },
    { "name": "ben", "position": [3, 8], "behaviour": "ben.lua" },
    { "name": "carl", "position": [3, 12], "behaviour": "faulty.lua" },
    { "name": "player", "position": [5, 15], "player": true } ]
}"#;

/// The line of a text that carries a mark, from 1.
fn line_of(text: &str, mark: &str) -> u64 {
    text.lines().position(|line| line.contains(mark)).unwrap() as u64 + 1
}

const ANNA: &str = r#"local anna = { params = { pace = { type = "number", default = 1 } }, on = {} }
function anna.start(self)
  self.state.visits = 3
  self.state.list = { 1, "two", self.character }
  self.blackboard:set("mood", "calm")
  event.on("bell", "rung")
  timer.every(2, function() end) --TIMER
  timer.after(9, "rung")
  region.on("corner", { onExit = function() end }) --EXIT
  task.restart("listener", function()
    task.waitEvent("gong") --GONG
  end)
end
function anna.rung(self) --RUNG
end
anna.on.sent = function(self) end --SENT
local function rest()
  task.sleep(30) --REST
end
function anna.run(self)
  rest()
end
return anna"#;

const BEN: &str = r#"local ben = {}
ben.tree = bt.selector{
  bt.sequence{
    bt.condition(function() return false end), --NEVER
    bt.wait(1),
  },
  bt.sequence{
    bt.wait(0.05),
    bt.walkTo("bench"),
  },
}
return ben"#;

const FAULTY: &str = "return { update = function(self)
  error('broken') --BROKEN
end }";

const LEVEL_SCRIPT: &str = r#"
function onStart()
  state.turn = 1
  state.self = function() end
  blackboard.level:set("alarm", true)
  blackboard.group("watch"):set("count", 2)
  level.measure("visits", 4)
  cinematic.define("talk", { holds = { "player" }, script = function(c)
    c:mark("begun")
    task.sleep(100) --TALK
  end })
  event.on("talk", function() cinematic.play("talk") end)
end"#;

fn hall() -> Game {
    hall_with(ANNA)
}

/// The hall, with another behaviour of anna's.
fn hall_with(anna: &str) -> Game {
    let source = MemorySource::new().with("hall.json", LEVEL);
    let level = load("hall.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let files = [("level.lua", LEVEL_SCRIPT), ("anna.lua", anna), ("ben.lua", BEN), ("faulty.lua", FAULTY)];
    let scripts: BTreeMap<String, String> = files.map(|(path, text)| (named(path), named(text))).into();
    let setup = Setup { scripts, ..Setup::default() };
    let mut game = Game::load(level, setup).unwrap_or_else(|error| panic!("{error}"));
    let _ = game.start_facts();
    game
}

fn ticks(game: &mut Game, count: u64) {
    for _ in 0..count {
        game.tick(&[]);
    }
}

fn character(game: &Game, name: &str) -> Value {
    game.inspect(&Inspected::Character(named(name))).unwrap_or_else(|| panic!("there is no {name}"))
}

/// The fields of an object, in order.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn everything_about_a_character_stands_with_its_lines() {
    let mut game = hall();
    ticks(&mut game, 10);
    let anna = character(&game, "anna");
    let fields = "animation behaviour board desired facing handlers heldBy key name position radius speed tags \
        tasks timers tree velocity walk";
    assert_eq!(keys(&anna).join(" "), fields);
    assert_eq!((&anna["name"], &anna["key"]), (&json!("anna"), &json!(1)));
    assert_eq!(anna["position"], json!([3.0, 0.0, 3.0]));
    assert_eq!((&anna["radius"], &anna["speed"]), (&json!(0.35), &json!(1.4)), "as their author wrote them");
    assert_eq!(anna["tags"], json!(["anna", "watch"]));
    assert_eq!((&anna["walk"], &anna["heldBy"], &anna["tree"]), (&Value::Null, &Value::Null, &Value::Null));
    let behaviour = json!({ "name": "anna", "file": "anna.lua", "params": { "pace": 2.0 },
        "state": { "visits": 3.0, "list": [1.0, "two", "anna"] }, "isOff": false });
    assert_eq!(anna["behaviour"], behaviour);
    assert_eq!(anna["board"], json!({ "mood": "calm" }));
}

#[test]
fn tasks_timers_and_handlers_name_what_they_wait_for_and_where() {
    let mut game = hall();
    ticks(&mut game, 10);
    let anna = character(&game, "anna");
    let tasks = anna["tasks"].as_array().unwrap();
    let task = |name: Value| tasks.iter().find(|task| task["name"] == name).unwrap();
    let (listener, run) = (task(json!("listener")), task(Value::Null));
    assert_eq!(tasks.len(), 2, "{tasks:?}");
    assert_eq!(listener["waits"], "event \"gong\"");
    assert_eq!((&listener["file"], &listener["line"]), (&json!("anna.lua"), &json!(line_of(ANNA, "--GONG"))));
    assert_eq!((&run["callback"], &run["waits"]), (&json!("run"), &json!("time")));
    assert_eq!(run["line"], line_of(ANNA, "--REST"), "the innermost line of the script");
    let since = run["since"].as_u64().unwrap();
    assert_eq!(run["until"], since + 30 * 60);
    assert!(since <= 1, "{run}");
    let timers = json!([
        { "name": null, "due": 120, "every": 2.0, "file": "anna.lua", "line": line_of(ANNA, "--TIMER") },
        { "name": "rung", "due": 540, "every": null, "file": "anna.lua", "line": line_of(ANNA, "--RUNG") },
    ]);
    assert_eq!(anna["timers"], timers);
    let handler =
        |event: &str, mark: &str| json!({ "event": event, "file": "anna.lua", "line": line_of(ANNA, mark) });
    let handlers = [handler("bell", "--RUNG"), handler("sent", "--SENT"), handler("region exit", "--EXIT")];
    assert_eq!(anna["handlers"], json!(handlers));
}

#[test]
fn handlers_of_a_walk_are_those_of_its_end_and_those_of_its_way() {
    let text = r#"local anna = { params = { pace = { type = "number", default = 1 } } }
function anna.start(self)
  local heard = { onSettled = "heard", onWaypoint = "heard", onBlocked = "heard", onNear = "heard" }
  self.character:walkTo("bench", heard)
end
function anna.heard() end --HEARD
return anna"#;
    let mut game = hall_with(text);
    ticks(&mut game, 2);
    let handlers = character(&game, "anna")["handlers"].clone();
    let handler = |word: &str| json!({ "event": format!("walk 1 {word}"), "file": "anna.lua", "line": line_of(text, "--HEARD") });
    assert_eq!(handlers, json!(["settled", "waypoint", "near", "blocked"].map(handler)));
}

const WAITS: &str = r#"local anna = { params = { pace = { type = "number", default = 1 } } }
local tasks = {
  walk = function(self) self.character:walkTo("bench"):wait() end, --WALK
  predicate = function() pcall(function() task.waitUntil(function() return false end) end) end, --PREDICATE
  all = function() task.all({ task.spawn(function() task.sleep(50) end), timer.after(60, function() end) }) end, --ALL
  board = function(self) self.blackboard:changed("mood"):wait() end, --BOARD
  limited = function() task.timeout(40, function() task.waitEvent("never") end) end, --LIMITED
}
function anna.start(self)
  for name, wait in tasks do task.restart(name, wait, self) end
end
return anna"#;

#[test]
fn every_way_to_wait_is_told_in_words() {
    let mut game = hall_with(WAITS);
    ticks(&mut game, 10);
    let anna = character(&game, "anna");
    let told = |name: &str| {
        let task = anna["tasks"].as_array().unwrap().iter().find(|task| task["name"] == name).unwrap();
        (task["waits"].as_str().unwrap().to_owned(), task["line"].as_u64().unwrap())
    };
    let line = |mark: &str| line_of(WAITS, mark);
    let walk = anna["walk"]["number"].as_u64().unwrap();
    assert_eq!(told("walk"), (format!("walk {walk} of \"anna\""), line("--WALK")));
    let predicate = format!("a predicate (anna.lua:{})", line("--PREDICATE"));
    assert_eq!(told("predicate"), (predicate, line("--PREDICATE")));
    let (words, at) = told("all");
    assert!(words.starts_with("all of: task ") && words.contains(", timer "), "{words}");
    assert_eq!(at, line("--ALL"));
    assert_eq!(told("board"), ("a change of a blackboard".to_owned(), line("--BOARD")));
    let (words, at) = told("limited");
    assert!(words.starts_with("task ") && words.ends_with(", for a time"), "{words}");
    assert_eq!(at, line("--LIMITED"));
}

#[test]
fn the_branch_of_a_tree_that_runs_is_lit() {
    let mut game = hall();
    ticks(&mut game, 20);
    let ben = character(&game, "ben");
    let tree = &ben["tree"];
    assert_eq!((&tree["kind"], &tree["isRunning"]), (&json!("selector"), &json!(true)));
    let (never, walks) = (&tree["children"][0], &tree["children"][1]);
    assert_eq!((&never["isRunning"], &walks["isRunning"]), (&json!(false), &json!(true)));
    let condition = format!("ben.lua:{}", line_of(BEN, "--NEVER"));
    assert_eq!(never["children"][0]["name"], condition);
    let walk = &walks["children"][1];
    let expected =
        json!({ "name": "bench", "kind": "walkTo", "status": "running", "isRunning": true, "children": [] });
    assert_eq!(*walk, expected);
    let walk = &ben["walk"];
    assert_eq!((&walk["goal"], &walk["status"]), (&json!([8.0, 0.0, 8.0]), &json!("moving")));
    assert!(walk["remaining"].as_f64().is_some_and(|left| left > 1.0 && left <= 5.0), "{walk}");
    assert_eq!(walk["points"].as_array().unwrap().last(), Some(&json!([8.0, 0.0, 8.0])));
    assert_eq!((&walk["why"], &walk["repaths"], &walk["number"]), (&Value::Null, &json!(0), &json!(1)));
}

#[test]
fn doors_regions_marks_and_areas_are_told() {
    let mut game = hall();
    let player = game.character("player").unwrap();
    let options = walkon_runtime::world::walk::WalkOptions {
        doors: Some(walkon_runtime::world::door::DoorPolicy::Wait),
        ..walkon_runtime::world::walk::WalkOptions::at(game.rate())
    };
    game.walk_with(player, [30.0, 0.0, 10.0], options).unwrap();
    ticks(&mut game, 780);
    let at = |kind: &str, name: &str| game.inspect(&Inspected::of(kind, name).unwrap());
    let gate =
        json!({ "state": "closed", "isLocked": true, "area": "doorway", "users": ["player"], "by": null });
    assert_eq!(at("door", "gate"), Some(gate));
    assert_eq!(character(&game, "player")["walk"]["why"], "door \"gate\" is not open");
    assert!(at("region", "corner").unwrap()["inside"].as_array().unwrap().contains(&json!("anna")));
    assert_eq!(at("mark", "post"), Some(json!({ "position": [3.0, 0.0, 3.0] })));
    assert_eq!(at("area", "hall"), Some(json!({ "isAvailable": true, "factor": 2.0, "class": "ground" })));
    assert_eq!(at("area", "well").unwrap()["class"], "obstacle");
    assert_eq!(at("area", "doorway").unwrap()["class"], "door");
    for kind in ["character", "door", "region", "mark", "area", "scene"] {
        assert_eq!(at(kind, "nobody"), None, "{kind}");
        assert_eq!(at(kind, ""), None, "{kind}");
    }
    assert_eq!(Inspected::of("nothing", "post"), None);
}

#[test]
fn a_scene_shows_whom_it_holds_and_where_it_stands() {
    let mut game = hall();
    ticks(&mut game, 4);
    game.tick(&[Input::event("talk")]);
    ticks(&mut game, 5);
    let scene = game.inspect(&Inspected::Scene(named("talk"))).unwrap();
    let line = json!({ "file": "level.lua", "line": line_of(LEVEL_SCRIPT, "--TALK") });
    assert_eq!(scene, json!({ "cast": ["player"], "since": 5, "mark": "begun", "line": line }));
    assert_eq!(character(&game, "player")["heldBy"], "talk");
    assert_eq!(game.find("talk")[0].kind, "scene");
    let stance = game.stances().find(|stance| stance.serial == 4).unwrap();
    assert_eq!(stance.state, Stance::HELD);
}

#[test]
fn the_level_shows_what_scripts_share_its_faults_and_what_is_switched_off() {
    let mut game = hall();
    ticks(&mut game, 30);
    let level = game.inspect(&Inspected::Level).unwrap();
    assert_eq!(keys(&level).join(" "), "boards counts faults measures state switchedOff");
    assert_eq!(level["state"]["turn"], 1.0);
    assert!(level["state"]["self"].as_str().unwrap().starts_with("a function (level.lua:"), "{level}");
    assert_eq!(
        level["boards"],
        json!({ "level": { "alarm": true }, "groups": { "watch": { "count": 2.0 } } })
    );
    assert_eq!(level["measures"], json!({ "visits": 4.0 }));
    let faults = level["faults"].as_array().unwrap();
    let broken = faults.iter().find(|fault| fault["file"] == "faulty.lua").unwrap();
    assert_eq!((&broken["count"], &broken["lastTick"]), (&json!(3), &json!(3)));
    assert_eq!(broken["line"], line_of(FAULTY, "--BROKEN"));
    assert_eq!(broken["owner"], "behaviour \"faulty\" of \"carl\"");
    assert_eq!(level["switchedOff"][0]["character"], "carl");
    let carl = character(&game, "carl");
    assert_eq!(
        (&carl["behaviour"]["isOff"], &carl["behaviour"]["file"]),
        (&json!(true), &json!("faulty.lua"))
    );
    assert_eq!(level["counts"]["characters"], 4);
    assert_eq!(level["counts"]["behaviours"], 2);
    let stances: Vec<u8> = game.stances().map(|stance| stance.state).collect();
    assert_eq!(stances, [0, Stance::MOVING | Stance::HAS_WALK, Stance::SWITCHED_OFF, 0]);
}

#[test]
fn names_are_found_best_first() {
    let game = shipped("courtyard");
    let found = |text: &str| -> Vec<String> {
        game.find(text).iter().map(|found| format!("{} {}", found.kind, found.name)).collect()
    };
    assert_eq!(found("gate"), ["door gate", "mark gateFront", "area gateway"]);
    assert_eq!(found("GUARD"), ["character guard"]);
    assert_eq!(found("front"), ["mark gateFront"]);
    assert_eq!(found("hall"), ["area hall", "region hallEntry"]);
    assert_eq!(found("rounds"), ["route rounds"]);
    assert!(found("nothing of that name").is_empty());
    assert_eq!(shipped("market").find("").len(), FOUND_MAX);
    assert_eq!(game.find("post")[0].at, Some([3.0, 0.0, 3.0]));
}

#[test]
fn the_roster_names_everybody_with_behaviour_and_colour() {
    let game = hall();
    let rows: Vec<_> = game.rows().map(|row| (row.serial, row.name, row.behaviour, row.is_player)).collect();
    let expected = [
        (1, "anna", Some(named("anna")), false),
        (2, "ben", Some(named("ben")), false),
        (3, "carl", Some(named("faulty")), false),
        (4, "player", None, true),
    ];
    assert_eq!(rows, expected);
    let colours = character_colours(game.world());
    let ids: Vec<_> = game.rows().map(|row| row.character).collect();
    assert_eq!(colours.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ids);
    assert!(colours.windows(2).all(|pair| pair[0].1 != pair[1].1), "each its own while there are few");
}
