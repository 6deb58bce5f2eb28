//! Beside a goal that others hold: as near as there is room, on every kind of ground, and for every body.
//!
//! Goal: how near a walk comes to a goal that is held is decided by bodies, and not by the size of cells; a
//! character is reached however wide both are; those that keep following never end for want of room; who
//! stands at the goal is named. Method: open ground of every kind and size of cell, a few characters, ends
//! and distances as scripts see them.

use std::collections::BTreeMap;

use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};

/// What the script logs in so many ticks, or until it logs "done".
pub(super) fn said(navigation: &str, characters: &str, script: &str, ticks: u64) -> Vec<String> {
    let json = format!(
        r#"{{ "navigation": {navigation}, "script": "level.lua", "characters": [{characters}] {} }}"#,
        if navigation.contains("\"gateway\"") {
            r#", "doors": [{ "name": "gate", "area": "gateway", "seconds": 0.5 }]"#
        } else {
            ""
        }
    );
    let level = load("open.json", &MemorySource::new().with("open.json", json.as_str()));
    let level = level.unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts = BTreeMap::from([("level.lua".to_owned(), script.to_owned())]);
    let recorder = Recorder::new(RecordOptions { trace: true, ..RecordOptions::default() });
    let mut game = Game::load(level, Setup { scripts, recorder, ..Setup::default() }).unwrap();
    let mut said: Vec<String> = Vec::new();
    for _ in 0..ticks {
        let lines = game.tick(&[]).lines;
        let lines = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let told = lines.filter(|line| line["e"] == "log" || line["e"] == "scriptFault");
        said.extend(told.map(|line| line["message"].as_str().unwrap().to_owned()));
        if said.last().is_some_and(|last| last == "done") {
            break;
        }
    }
    said
}

/// Open ground of tiles, at least so many metres wide and deep.
pub(super) fn tiles(layout: &str, tile_m: f32, [width_m, depth_m]: [f32; 2]) -> String {
    let count = |length_m: f32| (length_m / tile_m / 0.75).ceil() as usize;
    let row = format!("\"{}\"", ".".repeat(count(width_m)));
    let rows = vec![row; count(depth_m)].join(",");
    format!(
        r#"{{ "kind": "tiles", "layout": "{layout}", "tileWidth": {tile_m}, "tileHeight": {tile_m}, "agentRadius": 0,
            "layers": [{{ "name": "ground", "rows": [{rows}] }}] }}"#
    )
}

/// Open ground of every kind, 24 by 16 metres.
fn grounds() -> Vec<String> {
    const SIZE_M: [f32; 2] = [24.0, 16.0];
    let room = r#""areas": [{ "name": "room", "polygon": [[0, 0], [24, 0], [24, 16], [0, 16]] }]"#;
    let grids = [0.1, 0.4, 1.0, 2.0].map(|cell_m| format!(r#"{{ "cellSize": {cell_m}, {room} }}"#));
    let mesh = format!(r#"{{ "kind": "mesh", {room} }}"#);
    let squares = [0.5, 1.0, 2.0, 4.0].map(|tile_m| tiles("square8", tile_m, SIZE_M));
    let others = ["square4", "hexPointy", "hexFlat"].map(|layout| tiles(layout, 2.0, SIZE_M));
    grids.into_iter().chain([mesh]).chain(squares).chain(others).collect()
}

#[test]
fn a_walk_comes_as_near_to_a_held_goal_on_large_cells_as_on_small_ones() {
    let script = "function onStart()\n\
        local anna, bert = world.character(\"anna\"), world.character(\"bert\")\n\
        local path = nav.findPath(bert.position, anna.position)\n\
        local ends = vector.magnitude(path.waypoints[#path.waypoints] - anna.position)\n\
        if ends > 1 then log.info(\"a path ends %.2f m away\", ends) end\n\
        bert:walkTo(anna.position, { accept = \"near\", onSettled = function(result)\n\
        log.info(\"%s %s\", result.reason, if anna:distanceTo(bert) < 0.85 then \"beside\"\n\
        else string.format(\"%.2f m away\", anna:distanceTo(bert))) end })\nend";
    for navigation in grounds() {
        // In the middle of cells, on their borders and corners.
        for [x, z] in [[15.0, 8.0], [15.3, 8.4], [14.0, 7.0], [16.9, 9.1]] {
            let people = format!(
                r#"{{ "name": "anna", "position": [{x}, {z}] }}, {{ "name": "bert", "position": [4, 6.5] }}"#
            );
            let said = said(&navigation, &people, script, 1200);
            assert_eq!(said, ["closeEnough beside"], "{navigation}, anna at {x}, {z}");
        }
    }
}

#[test]
fn a_free_goal_beside_somebody_is_reached_however_large_cells_are() {
    let script = "function onStart()\n\
        local anna, bert = world.character(\"anna\"), world.character(\"bert\")\n\
        local goal = anna.position + vector.create(AWAY, 0, 0)\n\
        local path = nav.findPath(bert, goal)\n\
        local left = vector.magnitude(path.waypoints[#path.waypoints] - goal)\n\
        log.info(\"%s %s\", path.status, if left < 0.01 then \"there\" else string.format(\"%.2f m away\", left))\n\
        bert:walkTo(goal, { accept = \"exact\", onSettled = function(result)\n\
        log.info(\"%s/%s\", result.status, result.reason) end })\nend";
    const PEOPLE: &str = r#"{ "name": "anna", "position": [15, 8], "radius": 0.35 },
        { "name": "bert", "position": [4, 6.5], "radius": 0.35 }"#;
    for navigation in grounds() {
        for away in ["0.72", "0.8", "0.9", "1.0"] {
            let said = said(&navigation, PEOPLE, &script.replace("AWAY", away), 1200);
            assert_eq!(said, ["complete there", "arrived/reached"], "{navigation}, {away} m");
        }
    }
}

#[test]
fn two_who_come_to_one_point_stand_side_by_side() {
    let script = "function onStart()\n  local goal = vector.create(15, 0, 8)\n  local ended = 0\n\
        for _, name in { \"anna\", \"bert\" } do\n\
        world.character(name):walkTo(goal, { accept = \"near\", onSettled = function(result)\n\
        ended += 1\n\
        local apart = world.character(\"anna\"):distanceTo(world.character(\"bert\"))\n\
        if result.status ~= \"arrived\" then log.info(\"%s\", result) end\n\
        if ended == 2 then log.info(\"%s\", if apart < 0.9 then \"beside\" else string.format(\"%.2f m\", apart)) end\n\
        end })\n  end\nend";
    const PEOPLE: &str = r#"{ "name": "anna", "position": [8, 8] }, { "name": "bert", "position": [5, 8] }"#;
    for navigation in grounds() {
        assert_eq!(said(&navigation, PEOPLE, script, 1200), ["beside"], "{navigation}");
    }
}

#[test]
fn a_character_is_reached_however_wide_both_bodies_are() {
    let script = "function onStart()\n\
        local anna, bert = world.character(\"anna\"), world.character(\"bert\")\n\
        local widths = anna.radius + bert.radius\n\
        bert:walkTo(anna, { onSettled = function(result)\n\
        local is_near = anna:distanceTo(bert) < math.max(1.35, widths + 0.15)\n\
        log.info(\"%s %s\", result.status, if is_near then \"near\" else tostring(anna:distanceTo(bert))) end })\nend";
    for navigation in grounds() {
        for [one_m, other_m] in [[0.35, 1.0], [1.0, 0.35], [0.675, 0.675], [1.2, 1.2], [0.7, 0.6]] {
            let people = format!(
                r#"{{ "name": "anna", "position": [15, 8], "radius": {one_m} }},
                   {{ "name": "bert", "position": [4, 8], "radius": {other_m} }}"#
            );
            let said = said(&navigation, &people, script, 1200);
            assert_eq!(said, ["arrived near"], "{navigation}, {one_m} and {other_m}");
        }
    }
}

/// A character that stands in the west, and so many in the east that follow it.
fn followers(count: usize) -> String {
    let follower = |at: usize| {
        let (x, z) = (14 + at % 3, 3 + 2 * (at / 3));
        format!(r#"{{ "name": "c{at}", "position": [{x}, {z}] }}"#)
    };
    let leader = r#"{ "name": "leader", "position": [5, 6] }"#.to_owned();
    (0..count).map(follower).chain([leader]).collect::<Vec<_>>().join(",")
}

const FOLLOWING: &str = "function onStart()\n  local leader = world.character(\"leader\")\n\
    for _, who in world.characters() do\n\
    if who ~= leader then who:follow(leader, { keep = KEEP, distance = DISTANCE, onSettled = function(result)\n\
    log.info(\"%s/%s\", result.status, result.reason) end }) end\n  end\nend";

#[test]
fn those_that_keep_following_never_end_for_want_of_room_and_others_arrive() {
    for layout in ["square8", "square4", "hexPointy", "hexFlat"] {
        for (count, distance) in [(8, "1.35"), (3, "1.1"), (6, "0.8")] {
            let navigation = tiles(layout, 1.0, [20.0, 12.0]);
            let script = FOLLOWING.replace("DISTANCE", distance);
            let keep = said(&navigation, &followers(count), &script.replace("KEEP", "true"), 3600);
            assert_eq!(keep, Vec::<String>::new(), "{layout}, {count} at {distance}");
            let catch_up = said(&navigation, &followers(count), &script.replace("KEEP", "false"), 3600);
            let arrived = catch_up.iter().filter(|end| end.starts_with("arrived/")).count();
            assert_eq!(
                (arrived, catch_up.len()),
                (count, count),
                "{layout}, {count} at {distance}: {catch_up:?}"
            );
        }
    }
}

#[test]
fn who_stands_at_the_goal_is_named_also_behind_a_door() {
    let script = "function onStart()\n\
        local anna, bert = world.character(\"anna\"), world.character(\"bert\")\n\
        anna:walkTo(bert.position, { doors = \"POLICY\", patience = 9,\n\
        onBlocked = function(news) log.info(\"%s %s\", news.reason, tostring(news.by and news.by.name)) return \"wait\" end,\n\
        onSettled = function(result) log.info(\"%s %s\", result.reason, result.by.name) end })\n\
        timer.after(5, function() world.door(\"gate\"):open() end)\nend";
    const PEOPLE: &str = r#"{ "name": "anna", "position": [2, 4] }, { "name": "bert", "position": [14, 4] }"#;
    let rooms = r#""areas": [
        { "name": "left", "polygon": [[0, 0], [8, 0], [8, 8], [0, 8]] },
        { "name": "gateway", "polygon": [[8, 3], [8.6, 3], [8.6, 5], [8, 5]] },
        { "name": "right", "polygon": [[8.6, 0], [16, 0], [16, 8], [8.6, 8]] } ]"#;
    for kind in ["grid", "mesh"] {
        let navigation = format!(r#"{{ "kind": "{kind}", {rooms} }}"#);
        for policy in ["open", "wait"] {
            let said = said(&navigation, PEOPLE, &script.replace("POLICY", policy), 2400);
            let said: Vec<&str> =
                said.iter().map(String::as_str).filter(|it| *it != "doorClosed gate").collect();
            assert_eq!(said, ["occupied bert", "occupied bert"], "{kind}, {policy}");
        }
    }
}
