//! Maps of several layers: walks, doors and forced arrivals keep to the layer that is meant.
//!
//! Goal: what happens on one layer concerns nobody above or below it. Method: two floors, one above the other
//! in the same plane, and a link between them.

use std::collections::BTreeMap;

use walkon_runtime::game::event::Event;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};

/// What the script logs and how walks end, over so many ticks of a level with two floors. `sky` are the rows
/// of the upper one.
fn told(sky: &str, characters: &str, script: &str, ticks: u64) -> Vec<String> {
    let json = format!(
        r#"{{ "navigation": {{ "kind": "tiles", "layers": [
            {{ "name": "ground", "rows": ["........D...", "........D...", "........D..."] }},
            {{ "name": "sky", "rows": [{sky}] }} ],
          "legend": {{ "X": {{ "walkable": false }}, "D": {{ "area": "gateway" }} }},
          "links": [{{ "from": {{ "layer": "ground", "position": [4.5, 1.5] }},
                      "to": {{ "layer": "sky", "position": [4.5, 1.5] }}, "cost": 1 }}] }},
        "doors": [{{ "name": "gate", "area": "gateway", "open": true }}],
        "script": "level.lua", "characters": [{characters}] }}"#
    );
    let level = load("floors.json", &MemorySource::new().with("floors.json", json.as_str()));
    let level = level.unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts = BTreeMap::from([("level.lua".to_owned(), script.to_owned())]);
    let recorder = Recorder::new(RecordOptions { trace: true, ..RecordOptions::default() });
    let mut game = Game::load(level, Setup { scripts, recorder, ..Setup::default() }).unwrap();
    let mut told = Vec::new();
    for _ in 0..ticks {
        let tick = game.tick(&[]);
        told.extend(tick.events.iter().filter_map(|event| match event {
            Event::WalkSettled(result) => {
                Some(format!("{}/{}", result.status().name(), result.reason().name()))
            }
            _ => None,
        }));
        let lines = tick.lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let said = lines.filter(|line| line["e"] == "log" || line["e"] == "scriptFault");
        told.extend(said.map(|line| line["message"].as_str().unwrap().to_owned()));
    }
    told
}

const FLOOR: &str = "\"............\", \"............\", \"............\"";
const ANNA: &str = r#"{ "name": "anna", "position": [1.5, 1.5], "walkSpeed": 2 }"#;

#[test]
fn the_same_place_on_another_layer_is_another_goal() {
    let script = "function onStart() task.spawn(function()\n\
        local anna = world.character(\"anna\")\n\
        anna:walkTo(10.5, 1.5, { layer = \"ground\" })\n  task.sleep(0.5)\n\
        anna:walkTo(10.5, 1.5, { layer = \"sky\", onSettled = function() log.info(anna.layer) end })\nend) end";
    assert_eq!(told(FLOOR, ANNA, script, 900), ["cancelled/superseded", "arrived/reached", "sky"]);
}

#[test]
fn a_random_point_around_somebody_is_on_their_layer_unless_another_is_named() {
    let sky = "\"......XXXXXX\", \"......XXXXXX\", \"......XXXXXX\"";
    let anna = r#"{ "name": "anna", "position": [1.5, 1.5], "layer": "sky" }"#;
    let script = "local function farthest(options)\n  local most = 0\n\
        for _ = 1, 60 do most = math.max(most, assert(nav.randomPoint(options)).x) end\n\
        return most > 6\nend\n\
        function onStart()\n  local anna = world.character(\"anna\")\n\
        log.info(\"%s\", farthest({ around = anna }))\n\
        log.info(\"%s\", farthest({ around = anna, layer = \"ground\" }))\n\
        log.info(\"%s\", farthest({ around = anna.position }))\n\
        log.info(\"%s\", farthest({ around = anna.position, reachableFrom = anna }))\nend";
    assert_eq!(told(sky, anna, script, 1), ["false", "true", "true", "false"]);
}

#[test]
fn the_point_in_front_of_a_door_is_on_the_layer_of_whoever_asks() {
    // Above the side of the door that anna is on there is no floor: the nearest lies above the door.
    let sky = "\"......XX....\", \"......XX....\", \"......XX....\"";
    let script = "function onStart()\n\
        local anna, gate = world.character(\"anna\"), world.door(\"gate\")\n\
        local seen = sense.see(anna, gate, { range = 50, degrees = 360 })\n\
        log.info(\"%s %s\", anna:distanceTo(gate) > 6.4, seen.distance > 6.4)\nend";
    let above = r#"{ "name": "anna", "position": [1.5, 1.5], "layer": "sky" }"#;
    assert_eq!(told(sky, above, script, 1), ["true true"]);
    assert_eq!(told(sky, ANNA, script, 1), ["false false"]);
}

#[test]
fn a_forced_arrival_is_on_the_layer_of_the_goal() {
    // The goal lies behind a wall of the upper floor.
    let sky = "\"......X.....\", \"......X.....\", \"......X.....\"";
    let script = "function onStart()\n\
        local anna = world.character(\"anna\")\n\
        anna:walkTo(10.5, 1.5, { layer = \"sky\", ensure = true, onSettled = function()\n\
        log.info(\"%s %.1f\", anna.layer, anna.position.x) end })\nend";
    assert_eq!(told(sky, ANNA, script, 600), ["arrived/forced", "sky 10.5"]);
}

#[test]
fn a_door_closes_below_somebody_on_another_layer() {
    let above = r#"{ "name": "anna", "position": [8.5, 1.5], "layer": "sky" }"#;
    let script = "function onStart() task.spawn(function()\n\
        log.info(world.door(\"gate\"):close({ whenOccupied = \"refuse\" }):wait().reason)\nend) end";
    assert_eq!(told(FLOOR, above, script, 120), ["done"]);
    let inside = r#"{ "name": "anna", "position": [8.5, 1.5], "layer": "ground" }"#;
    assert_eq!(told(FLOOR, inside, script, 120), ["occupied"]);
}

/// Anna walks to a point on the ground floor of a mesh with two floors, at which people stand; how her walk
/// ends, and by whom.
fn ends_on_a_mesh(people: &str) -> String {
    let json = format!(
        r#"{{ "navigation": {{ "kind": "mesh",
            "vertices": [[0, 0, 0], [10, 0, 0], [10, 0, 6], [0, 0, 6], [0, 3, 0], [10, 3, 0], [10, 3, 6], [0, 3, 6]],
            "polygons": [[0, 1, 2, 3], [4, 5, 6, 7]] }},
        "script": "level.lua", "characters": [{{ "name": "anna", "position": [1, 0, 3], "radius": 0.3 }}, {people}] }}"#
    );
    let script = "function onStart()\n\
        world.character(\"anna\"):walkTo(vector.create(9, 0, 3), { onSettled = function(result)\n\
        log.info(\"%s %s\", result.reason, if result.by then result.by.name else \"nobody\") end })\nend";
    let level = load("house.json", &MemorySource::new().with("house.json", json.as_str()));
    let level = level.unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts = BTreeMap::from([("level.lua".to_owned(), script.to_owned())]);
    let recorder = Recorder::new(RecordOptions { trace: true, ..RecordOptions::default() });
    let mut game = Game::load(level, Setup { scripts, recorder, ..Setup::default() }).unwrap();
    let lines = (0..900).flat_map(|_| game.tick(&[]).lines);
    let lines = lines.map(|line| serde_json::from_str::<serde_json::Value>(&line).unwrap());
    let said = lines.filter(|line| line["e"] == "log" || line["e"] == "scriptFault");
    said.map(|line| line["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join("; ")
}

#[test]
fn whoever_stands_on_the_floor_above_is_not_in_the_way() {
    const UPSTAIRS: &str = r#"{ "name": "high", "position": [9, 3, 3.1], "radius": 0.3 }"#;
    assert_eq!(ends_on_a_mesh(UPSTAIRS), "reached nobody");
    let both = format!(r#"{UPSTAIRS}, {{ "name": "low", "position": [9, 0, 3.5], "radius": 0.3 }}"#);
    assert_eq!(ends_on_a_mesh(&both), "closeEnough low");
}
