//! People who stand and are never asked aside close no way that has room for one to go round them.
//!
//! Goal: a walker that crosses open ground comes past players, characters that a scene holds, and those that
//! have come to its own goal, however near to one another or to a wall they stand. Method: one room, places
//! that leave gaps from none to wide, on cells and on a mesh; how the walk ends is what is demanded.

use std::collections::BTreeMap;

use walkon_runtime::game::event::Event;
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::glam::Vec3;
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::world::outcome::Blocker;

/// Ends of the walks of a level, until there are so many, or after so many seconds.
fn ends(json: &str, script: &str, count: usize, seconds: u64) -> Vec<String> {
    let level = load("room.json", &MemorySource::new().with("room.json", json));
    let level = level.unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts = BTreeMap::from([("room.lua".to_owned(), script.to_owned())]);
    let mut game = Game::load(level, Setup { scripts, ..Setup::default() }).unwrap();
    let mut ends = Vec::new();
    for _ in 0..seconds * 60 {
        for event in &game.tick(&[]).events {
            if let Event::WalkSettled(result) = event {
                ends.push(format!("{}/{}", result.status().name(), result.reason().name()));
            }
        }
        if ends.len() >= count {
            break;
        }
    }
    ends
}

fn hundredths(from: u16, to: u16, step: usize) -> impl Iterator<Item = f32> {
    (from..=to).step_by(step).map(|gap| f32::from(gap) / 100.0)
}

/// Two rooms, and a lane that bends twice between them, in which no two can pass. Lanes of meshes are as wide
/// as bodies, those of grids as their middles may go.
fn bent_lane(kind: &str, people: &str) -> String {
    let areas = [
        [0.0, 0.0, 4.0, 4.0],
        [4.0, 1.5, 11.0, 2.5],
        [10.0, 2.5, 11.0, 8.5],
        [4.0, 7.5, 10.0, 8.5],
        [0.0, 6.0, 4.0, 10.0],
    ];
    let areas = areas.map(|[west, north, east, south]| {
        format!(r#"{{ "name": "at_{west}_{north}", "polygon": [[{west}, {north}], [{east}, {north}], [{east}, {south}], [{west}, {south}]] }}"#)
    });
    format!(
        r#"{{ "navigation": {{ "kind": "{kind}", "cellSize": 0.25, "boundaryPadding": 0.35,
            "areas": [{}] }}, "script": "room.lua", "characters": [{people}] }}"#,
        areas.join(", ")
    )
}

const RADII_M: [f32; 4] = [0.2, 0.25, 0.3, 0.35];

/// Goal: a character without a walk that stands in a lane goes out of it before a walker, and never past it,
/// where there is no room. Method: bodies of all sizes, places all along the lane, on cells and on a mesh.
#[test]
fn a_walker_comes_through_a_lane_in_which_another_stands_whatever_their_radii() {
    let places = [[6.0, 2.0], [9.0, 2.0], [10.5, 2.0], [10.5, 4.0], [8.0, 8.0]];
    let mut failed = Vec::new();
    for kind in ["grid", "mesh"] {
        for (walker_m, stander_m) in RADII_M.into_iter().flat_map(|one| RADII_M.map(|other| (one, other))) {
            for [x, z] in places {
                let people = format!(
                    r#"{{ "name": "walker", "position": [1, 2], "radius": {walker_m} }},
                    {{ "name": "stander", "position": [{x}, {z}], "radius": {stander_m} }}"#
                );
                let script = "function onStart() world.character('walker'):walkTo(1, 8) end";
                let ends = ends(&bent_lane(kind, &people), script, 1, 60);
                if ends != ["arrived/reached"] {
                    failed.push(format!("{kind}: {walker_m} m past {stander_m} m at {x}, {z}: {ends:?}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Goal: a character that stands before a bend goes round it where the goal lies in the bend, and a walker
/// comes there. Method: bodies of all sizes, goals in either bend, places a pace or two before them.
#[test]
fn a_walker_comes_to_a_bend_of_a_lane_before_which_another_stands() {
    let mut failed = Vec::new();
    let radii_m = || RADII_M.into_iter().flat_map(|one| RADII_M.map(|other| (one, other)));
    for (kind, (walker_m, stander_m)) in
        ["grid", "mesh"].into_iter().flat_map(|kind| radii_m().map(move |pair| (kind, pair)))
    {
        for before_m in [0.75, 1.0, 1.3, 2.0] {
            for ([x, z], [step_x, step_z]) in [([10.5, 2.0], [-1.0, 0.0]), ([10.5, 8.0], [0.0, -1.0])] {
                let at = [x + before_m * step_x, z + before_m * step_z];
                let people = format!(
                    r#"{{ "name": "walker", "position": [1, 2], "radius": {walker_m} }},
                    {{ "name": "stander", "position": [{}, {}], "radius": {stander_m} }}"#,
                    at[0], at[1]
                );
                let script = format!("function onStart() world.character('walker'):walkTo({x}, {z}) end");
                let ends = ends(&bent_lane(kind, &people), &script, 1, 60);
                if ends != ["arrived/reached"] {
                    failed.push(format!(
                        "{kind}: {walker_m} m to {x}, {z}, {stander_m} m {before_m} m before it: {ends:?}"
                    ));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Goal: of two that meet in a lane one backs out, also where they only push one another to and fro, and
/// where the one that does was pushed off its way. Method: bodies of all sizes and of unlike speeds that set
/// out from either end, on cells and on a mesh.
#[test]
fn two_of_any_size_and_speed_that_meet_in_a_bent_lane_both_arrive() {
    for kind in ["grid", "mesh"] {
        for (one_m, other_m) in RADII_M.into_iter().flat_map(|one| RADII_M.map(|other| (one, other))) {
            for [one_mps, other_mps] in [[1.4, 1.0], [1.0, 1.4], [1.4, 1.4], [2.5, 1.2]] {
                let people = format!(
                    r#"{{ "name": "one", "position": [1, 2], "radius": {one_m}, "walkSpeed": {one_mps} }},
                    {{ "name": "other", "position": [3, 8], "radius": {other_m}, "walkSpeed": {other_mps} }}"#
                );
                let script = "function onStart()
                    world.character('one'):walkTo(1, 8)
                    world.character('other'):walkTo(1, 2)
                end";
                let ends = ends(&bent_lane(kind, &people), script, 2, 60);
                let what = format!("{kind}: {one_m} m at {one_mps}, {other_m} m at {other_mps}");
                assert_eq!(ends, ["arrived/reached"; 2], "{what}");
            }
        }
    }
}

/// A room, a walker in it, and two characters across its way, so far apart.
fn two_who_stand(kind: &str, gap_m: f32) -> String {
    let (near, far) = (6.0 - gap_m / 2.0, 6.0 + gap_m / 2.0);
    format!(
        r#"{{ "navigation": {{ "kind": "{kind}", "boundaryPadding": 0.35, "areas": [
            {{ "name": "room", "polygon": [[0, 0], [20, 0], [20, 12], [0, 12]] }} ] }},
        "script": "room.lua", "characters": [
            {{ "name": "player", "position": [10, {near}], "player": true }},
            {{ "name": "held", "position": [10, {far}] }},
            {{ "name": "walker", "position": [2, 6] }} ] }}"#
    )
}

/// The walker sets out half a second after a scene holds the one character.
const HELD: &str = "function onStart()
    cinematic.define('talk', { holds = { 'held' }, script = function(c) c:wait(100) end })
    cinematic.play('talk')
    timer.after(0.5, function() world.character('walker'):walkTo(18, 6) end)
end";

#[test]
fn a_walker_goes_round_two_who_stand_near_one_another() {
    let mut failed = Vec::new();
    for kind in ["grid", "mesh"] {
        for gap_m in hundredths(70, 170, 5) {
            let ends = ends(&two_who_stand(kind, gap_m), HELD, 1, 40);
            if ends != ["arrived/reached"] {
                failed.push(format!("{kind}, {gap_m} m: {ends:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn a_walker_goes_round_a_player_who_stands_near_a_wall() {
    let mut failed = Vec::new();
    for kind in ["grid", "mesh"] {
        for place_z in hundredths(130, 280, 5) {
            for goal_z in [0.5, 1.0, 1.5, 2.0, 3.0] {
                let json = format!(
                    r#"{{ "navigation": {{ "kind": "{kind}", "boundaryPadding": 0.35, "areas": [
                        {{ "name": "room", "polygon": [[0, 0], [20, 0], [20, 8], [0, 8]] }} ],
                        "obstacles": [{{ "name": "wall", "polygon": [[9, 0], [11, 0], [11, 1], [9, 1]] }}] }},
                    "script": "room.lua", "characters": [
                        {{ "name": "player", "position": [10, {place_z}], "player": true }},
                        {{ "name": "walker", "position": [2, {goal_z}] }} ] }}"#
                );
                let script =
                    format!("function onStart() world.character(\"walker\"):walkTo(18, {goal_z}) end");
                let ends = ends(&json, &script, 1, 40);
                if ends != ["arrived/reached"] {
                    failed.push(format!("{kind}, player at {place_z}, along {goal_z}: {ends:?}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
}

/// On cells a circle may close more than bodies need: the way past is then the one that pushing finds.
#[test]
fn a_walker_comes_past_a_player_in_a_corridor_of_two_tiles() {
    let wall = "#".repeat(12);
    for radius_m in [0.3, 0.35] {
        for (player_z, walker_z, goal_z) in
            [(1.5, 1.5, 1.5), (1.5, 2.5, 1.5), (2.5, 2.5, 2.5), (2.5, 1.5, 2.5)]
        {
            let json = format!(
                r#"{{ "navigation": {{ "kind": "tiles", "layers": [{{ "name": "corridor", "rows":
                    ["{wall}", "............", "............", "{wall}"] }}] }},
                "script": "room.lua", "characters": [
                    {{ "name": "player", "position": [6.5, {player_z}], "radius": {radius_m}, "player": true }},
                    {{ "name": "walker", "position": [1.5, {walker_z}], "radius": {radius_m} }} ] }}"#
            );
            let script = format!("function onStart() world.character(\"walker\"):walkTo(10.5, {goal_z}) end");
            let ends = ends(&json, &script, 1, 30);
            assert_eq!(ends, ["arrived/reached"], "{radius_m} m, {player_z}, {walker_z} to {goal_z}");
        }
    }
}

#[test]
fn all_followers_of_a_player_that_stands_in_the_open_come_to_stand_around() {
    let mut failed = Vec::new();
    for kind in ["grid", "mesh"] {
        for count in [2, 3, 4, 5, 6, 8, 10] {
            let guards: Vec<String> = (0..count)
                .map(|number| {
                    let z = 2.0 + 16.0 * f64::from(number) / f64::from(count);
                    format!(r#"{{ "name": "g{number}", "position": [3, {z}] }}"#)
                })
                .collect();
            let json = format!(
                r#"{{ "navigation": {{ "kind": "{kind}", "areas": [
                    {{ "name": "room", "polygon": [[0, 0], [30, 0], [30, 20], [0, 20]] }} ] }},
                "script": "room.lua", "characters": [
                    {{ "name": "player", "position": [20, 10], "player": true }}, {} ] }}"#,
                guards.join(", ")
            );
            let script = format!(
                "function onStart()\n for number = 0, {} do\n\
                world.character(\"g\" .. number):follow(world.player())\n end\nend",
                count - 1
            );
            let ends = ends(&json, &script, count as usize, 60);
            let arrived = ends.iter().filter(|end| end.starts_with("arrived/")).count();
            if arrived != count as usize {
                failed.push(format!("{kind}, {count}: {ends:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
}

/// Three to one mark: the first has it, and the others ask neither it nor, one after the other, each other.
#[test]
fn nobody_that_has_come_to_a_goal_is_asked_aside_for_another_that_comes_to_it() {
    for kind in ["grid", "mesh"] {
        let json = format!(
            r#"{{ "navigation": {{ "kind": "{kind}", "areas": [
                {{ "name": "hall", "polygon": [[0, 0], [20, 0], [20, 10], [0, 10]] }} ] }},
            "script": "room.lua", "characters": [
                {{ "name": "a", "position": [3, 6] }}, {{ "name": "b", "position": [9, 5] }},
                {{ "name": "c", "position": [13, 5] }} ] }}"#
        );
        let script = "function onStart()\n\
            for _, who in ipairs(world.characters()) do who:walkTo(17, 5) end\nend";
        let mut ends = ends(&json, script, 3, 40);
        ends.sort();
        assert_eq!(ends, ["arrived/reached", "blocked/occupied", "blocked/occupied"], "{kind}");
    }
}

/// When it set out, the one that is held later would have stepped aside.
#[test]
fn a_walker_goes_round_one_that_a_scene_begins_to_hold_while_it_is_on_its_way() {
    let mut failed = Vec::new();
    for kind in ["grid", "mesh"] {
        for tenths in [8, 12, 20, 30, 40, 45] {
            for gap_m in hundredths(70, 150, 10) {
                let seconds = f32::from(tenths as u8) / 10.0;
                let script = format!(
                    "function onStart()\n\
                    cinematic.define('talk', {{ holds = {{ 'held' }}, script = function(c) c:wait(100) end }})\n\
                    timer.after({seconds}, function() cinematic.play('talk') end)\n\
                    timer.after(0.5, function() world.character('walker'):walkTo(18, 6) end)\nend"
                );
                let ends = ends(&two_who_stand(kind, gap_m), &script, 1, 40);
                if ends != ["arrived/reached"] {
                    failed.push(format!("{kind}, {gap_m} m, held after {seconds} s: {ends:?}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
}

/// The search for its way has begun, and takes long, when a scene takes one that would have stepped aside.
#[test]
fn a_walker_goes_round_one_that_a_scene_begins_to_hold_while_its_way_is_searched_for() {
    let mut failed = Vec::new();
    for kind in ["grid", "mesh"] {
        for gap_m in hundredths(70, 150, 10) {
            let json = two_who_stand(kind, gap_m).replacen('{', "{ \"pathBudget\": 2,", 1);
            let script = "function onStart()\n\
                cinematic.define('talk', { holds = { 'held' }, script = function(c) c:wait(100) end })\n\
                timer.after(0.5, function() world.character('walker'):walkTo(18, 6) end)\n\
                timer.after(0.6, function() cinematic.play('talk') end)\nend";
            let ends = ends(&json, script, 1, 60);
            if ends != ["arrived/reached"] {
                failed.push(format!("{kind}, {gap_m} m: {ends:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
}

/// The way of a walker is closed, and the search for another takes many ticks. Meanwhile scenes hold one
/// after the other on its old way.
#[test]
fn a_long_search_goes_on_while_scenes_hold_others() {
    const HELD: u64 = 12;
    let held: Vec<String> =
        (0..HELD).map(|at| format!(r#"{{ "name": "h{at}", "position": [{}, 6] }}"#, 12 + 2 * at)).collect();
    let json = format!(
        r#"{{ "pathBudget": 8, "navigation": {{ "kind": "grid", "cellSize": 0.25, "areas": [
            {{ "name": "hall", "cost": 1.5, "polygon": [[0, 0], [60, 0], [60, 12], [0, 12]] }},
            {{ "name": "gate", "polygon": [[44, 0], [46, 0], [46, 12], [44, 12]] }},
            {{ "name": "round", "polygon": [[0, 12], [2, 12], [2, 30], [60, 30], [60, 32], [0, 32]] }},
            {{ "name": "back", "polygon": [[58, 12], [60, 12], [60, 31], [58, 31]] }} ] }},
        "script": "room.lua", "characters": [
            {{ "name": "walker", "position": [2, 6] }}, {} ] }}"#,
        held.join(", ")
    );
    let script = format!(
        "function onStart()\n\
        world.character('walker'):walkTo(58, 6)\n\
        timer.after(20, function() nav.setAreaAvailable('gate', false) end)\n\
        for at = 0, {} do\n\
        cinematic.define('talk' .. at, {{ holds = {{ 'h' .. at }}, script = function(c) c:wait(100) end }})\n\
        timer.after(20.1 + 0.1 * at, function() cinematic.play('talk' .. at) end)\n\
        end\nend",
        HELD - 1
    );
    let level = load("room.json", &MemorySource::new().with("room.json", json.as_str())).unwrap();
    let scripts = BTreeMap::from([("room.lua".to_owned(), script)]);
    let mut game = Game::load(level, Setup { scripts, ..Setup::default() }).unwrap();
    let mut asked = Vec::new();
    for _ in 0..22 * 60 {
        game.tick(&[]);
        let counts = game.world().path_counts();
        asked.push((counts.requests, counts.in_tick));
    }
    let ((before, _), while_held) = (asked[20 * 60 - 1], &asked[20 * 60 + 6..21 * 60 + 20]);
    assert!(while_held.iter().all(|&(_, in_tick)| in_tick >= 8), "it searches all the while: {while_held:?}");
    assert!(while_held.iter().all(|&(asked, _)| asked == before + 1), "{before}: {while_held:?}");
}

/// One waits before a locked door in the wall of a hall; others walk along the wall.
fn hall_with_a_door(kind: &str, width_m: f32, people: &str) -> String {
    let padding_m = if kind == "grid" { 0.35 } else { 0.0 };
    let (wall_z, far_z) = (width_m + 1.0, width_m + 5.0);
    format!(
        r#"{{ "navigation": {{ "kind": "{kind}", "agentRadius": 0.35, "objectPadding": 0, "boundaryPadding": {padding_m},
            "areas": [
                {{ "name": "hall", "polygon": [[0, 0], [20, 0], [20, {width_m}], [0, {width_m}]] }},
                {{ "name": "doorway", "polygon": [[9.4, {width_m}], [10.6, {width_m}], [10.6, {wall_z}], [9.4, {wall_z}]] }},
                {{ "name": "beyond", "polygon": [[6, {wall_z}], [14, {wall_z}], [14, {far_z}], [6, {far_z}]] }} ] }},
        "doors": [{{ "name": "gate", "area": "doorway", "key": "k", "seconds": 0.2 }}],
        "script": "room.lua", "characters": [ {people} ] }}"#
    )
}

#[test]
fn a_walker_goes_round_one_that_waits_at_a_door() {
    let mut failed = Vec::new();
    for kind in ["grid", "mesh"] {
        for width_m in [2.4, 3.0, 4.0] {
            for beside_m in [0.8, 1.0, 1.2] {
                for policy in ["avoid", "open", "wait"] {
                    let z = width_m - beside_m;
                    let people = format!(
                        r#"{{ "name": "waiter", "position": [10, {}] }}, {{ "name": "walker", "position": [1.5, {z}] }}"#,
                        width_m - 1.2
                    );
                    let script = format!(
                        "function onStart()\n\
                        world.character('waiter'):walkTo(10, {}, {{ doors = 'wait', patience = 100 }})\n\
                        timer.after(3, function()\n\
                        world.character('walker'):walkTo(18, {z}, {{ doors = '{policy}' }})\nend)\nend",
                        width_m + 3.0
                    );
                    let ends = ends(&hall_with_a_door(kind, width_m, &people), &script, 1, 20);
                    if ends != ["arrived/reached"] {
                        failed.push(format!("{kind}, {width_m} m, {beside_m} m, {policy}: {ends:?}"));
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
}

/// Ways through a door: the first leg of a walk, or a later one.
const WAYS: [&str; 2] = [
    "who:walkTo(8 + at, 8, { doors = 'wait', patience = 100 })",
    "who:walkTo(8 + at, 8, { doors = 'wait', patience = 100, via = { vector.create(9 + 0.5 * at, 0, 2.5) } })",
];

/// Those who want through the same door wait with the first, though there is a long way round, and all come
/// through once it opens.
#[test]
fn a_queue_at_a_door_stays_together() {
    for (kind, way) in ["grid", "mesh"].into_iter().flat_map(|kind| WAYS.map(|way| (kind, way))) {
        let people: Vec<String> = (0..5)
            .map(|at| format!(r#"{{ "name": "p{at}", "position": [{}, 2] }}"#, 8.0 + 0.9 * f64::from(at)))
            .collect();
        let json = hall_with_a_door(kind, 4.0, &people.join(", ")).replace(
            r#"{ "name": "beyond""#,
            r#"{ "name": "round", "polygon": [[19, 4], [20, 4], [20, 20], [12, 20], [12, 9], [13, 9], [13, 19], [19, 19]] },
            { "name": "beyond""#,
        );
        let script = format!(
            "function onStart()\n\
            for at, who in ipairs(world.characters()) do\n\
            timer.after(0.5 * at, function() {way} end)\n\
            end\n\
            timer.after(12, function() for _, who in ipairs(world.characters()) do\n\
            local at = who.position\n\
            assert(at.z < 4 and math.abs(at.x - 10) < 3.5, who.name .. ' went away to ' .. tostring(at))\nend\n\
            world.door('gate'):open({{ key = 'k' }}) end)\nend"
        );
        let ends = ends(&json, &script, 5, 60);
        assert_eq!(ends, vec!["arrived/reached"; 5], "{kind} {way}");
    }
}

/// One stands in a corridor and would step aside; the goal beyond is held, so the way ends beside it.
#[test]
fn on_the_way_to_a_held_goal_others_are_asked_aside() {
    for kind in ["grid", "mesh"] {
        let json = format!(
            r#"{{ "navigation": {{ "kind": "{kind}", "agentRadius": 0.35, "objectPadding": 0, "areas": [
                {{ "name": "west", "polygon": [[0, 0], [6, 0], [6, 6], [0, 6]] }},
                {{ "name": "corridor", "polygon": [[6, 2.8], [12, 2.8], [12, 3.6], [6, 3.6]] }},
                {{ "name": "east", "polygon": [[12, 0], [20, 0], [20, 6], [12, 6]] }} ] }},
            "script": "room.lua", "characters": [
                {{ "name": "walker", "position": [2, 3.2] }}, {{ "name": "post", "position": [9, 3.2] }},
                {{ "name": "holder", "position": [18, 3.2] }} ] }}"#
        );
        let script = "function onStart()\n\
            world.character('walker'):walkTo(18, 3.2, { accept = 'near' })\nend";
        let (end, by) = result_of(&json, script);
        assert_eq!((end.as_str(), by.as_str()), ("arrived/closeEnough", "holder"), "{kind}");
        let (at, _) = walked(&json, script);
        assert!(at.distance(Vec3::new(18.0, 0.0, 3.2)) < 1.0, "{kind}: it ends at {at}");
    }
}

/// Two who are held stand in an opening, nearer to one another than a third is wide; a fourth holds the goal.
#[test]
fn who_is_stuck_names_what_is_in_front_of_it_and_not_who_holds_its_goal() {
    for kind in ["grid", "mesh"] {
        let json = format!(
            r#"{{ "navigation": {{ "kind": "{kind}", "cellSize": 0.1, "agentRadius": 0.1, "objectPadding": 0, "areas": [
                {{ "name": "west", "polygon": [[0, 0], [9, 0], [9, 12], [0, 12]] }},
                {{ "name": "opening", "polygon": [[9, 5.2], [11, 5.2], [11, 6.8], [9, 6.8]] }},
                {{ "name": "east", "polygon": [[11, 0], [20, 0], [20, 12], [11, 12]] }} ] }},
            "script": "room.lua", "characters": [
                {{ "name": "left", "position": [10, 5.5] }}, {{ "name": "right", "position": [10, 6.5] }},
                {{ "name": "holder", "position": [17, 6] }}, {{ "name": "walker", "position": [2, 6] }} ] }}"#
        );
        let script = "function onStart()\n\
            cinematic.define('talk', { holds = { 'left', 'right' }, script = function(c) c:wait(100) end })\n\
            cinematic.play('talk')\n\
            timer.after(0.5, function() world.character('walker'):walkTo(17, 6) end)\nend";
        let (end, by) = result_of(&json, script);
        assert_eq!(end, "blocked/stuck", "{kind}");
        assert!(by == "left" || by == "right", "{kind}: by {by}");
    }
}

/// How the first walk of a level ends, and by whom.
fn result_of(json: &str, script: &str) -> (String, String) {
    let (_, result) = walked(json, script);
    result
}

/// Where the first walk of a level ends, how, and by whom.
fn walked(json: &str, script: &str) -> (Vec3, (String, String)) {
    let level = load("room.json", &MemorySource::new().with("room.json", json)).unwrap();
    let scripts = BTreeMap::from([("room.lua".to_owned(), script.to_owned())]);
    let mut game = Game::load(level, Setup { scripts, ..Setup::default() }).unwrap();
    for _ in 0..60 * 60 {
        for event in &game.tick(&[]).events {
            if let Event::WalkSettled(result) = event {
                let end = format!("{}/{}", result.status().name(), result.reason().name());
                let by = match result.journey.by {
                    Some(Blocker::Character(who)) => {
                        game.world().character(who).map(|who| who.name.to_string())
                    }
                    _ => None,
                };
                return (result.journey.position.into(), (end, by.unwrap_or_default()));
            }
        }
    }
    panic!("no walk ended");
}

/// A character that stands on the goal of a walk is no cause of its being cancelled.
#[test]
fn nobody_is_named_as_the_cause_of_a_walk_that_was_cancelled() {
    let json = r#"{ "navigation": { "areas": [
            { "name": "hall", "polygon": [[0, 0], [20, 0], [20, 10], [0, 10]] } ] },
        "script": "room.lua", "characters": [
            { "name": "a", "position": [3, 5] }, { "name": "b", "position": [17, 5] } ] }"#;
    let script = "function onStart()\n local a = world.character(\"a\")\n\
        a:walkTo(17, 5)\n\
        timer.after(1, function() a:walkTo(17, 5) end)\n\
        timer.after(2, function() a:stop() end)\nend";
    let level = load("room.json", &MemorySource::new().with("room.json", json)).unwrap();
    let scripts = BTreeMap::from([("room.lua".to_owned(), script.to_owned())]);
    let mut game = Game::load(level, Setup { scripts, ..Setup::default() }).unwrap();
    let mut causes = Vec::new();
    for _ in 0..180 {
        let tick = game.tick(&[]);
        causes.extend(tick.events.iter().filter_map(|event| match event {
            Event::WalkSettled(result) => Some((result.reason().name(), result.journey.by.is_some())),
            _ => None,
        }));
    }
    assert_eq!(causes, [("superseded", false), ("stopped", false)]);
}
