//! Laws about people who stand, follow or patrol where one body has room.
//!
//! Goal: whoever may be asked aside closes no way that leads on: not before a bend, not between two who meet,
//! not as a follower of the walker itself; a patrol goes on past a stop that leaves no room; anyone who keeps
//! close to somebody does so to the end. Method: small levels made here, and lanes drawn from a seed as in
//! `lanes`; the judge of `tests/invariants.rs` after every tick; ends of walks are read from the trace.

use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::glam::Vec3;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::walks::{WalkOrder, start};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::place::Mark;
use walkon_runtime::world::walk::{Phase, WalkOptions};
use walkon_runtime::world::walk_mode::{Follow, Patrol, Pause, Stop, WalkMode};

use crate::crowd::crowd_rows::{CORRIDOR, DOORWAY, Run};
use crate::crowd::lanes::Lane;
use crate::long_form::number;

/// Lanes that are tried.
const LANES: u64 = 40;

/// A room, a lane of 5 m to the east that bends to the north after it, and a room there.
fn bent_lane(kind: &str) -> String {
    // The ground of a grid is where centres may be, that of a mesh where bodies may.
    let (half_m, radius_m) = if kind == "mesh" { (0.45, 0.0) } else { (0.2, 0.35) };
    let (low, left, right) = (-half_m, 15.0 - half_m, 15.0 + half_m);
    format!(
        r#"{{ "navigation": {{ "kind": "{kind}", "cellSize": 0.2, "agentRadius": {radius_m}, "objectPadding": 0,
        "areas": [
          {{ "name": "west", "polygon": [[5,-2.5],[10,-2.5],[10,2.5],[5,2.5]] }},
          {{ "name": "lane", "polygon": [[10,{low}],[{right},{low}],[{right},{half_m}],[10,{half_m}]] }},
          {{ "name": "bend", "polygon": [[{left},{half_m}],[{right},{half_m}],[{right},5],[{left},5]] }},
          {{ "name": "north", "polygon": [[12.5,5],[17.5,5],[17.5,10],[12.5,10]] }} ] }} }}"#
    )
}

pub(super) fn keep_close(run: &mut Run, character: CharacterId, target: CharacterId, distance_m: f32) {
    let follow = Follow { keep: true, ..Follow::within(distance_m) };
    let options = WalkOptions::at(run.world().rate());
    let order = WalkOrder { character, goal: Goal::Character(target), options, owner: Owner::HOST };
    start(run.game.world_mut(), order, WalkMode::Follow(follow)).unwrap();
}

fn patrol(run: &mut Run, character: CharacterId, stops: [(f32, f32); 2]) {
    let stops = stops.map(|(x, z)| {
        let position = Vec3::new(x, 0.0, z);
        let mark = Mark { name: String::new(), position, facing_rad: None, props: None };
        Stop { goal: Goal::Point(position), mark }
    });
    let goal = stops[0].goal;
    let mode = Patrol { stops: stops.into(), at: 0, is_loop: true, pause: Pause::default(), misses: 0 };
    let options = WalkOptions::at(run.world().rate());
    let order = WalkOrder { character, goal, options, owner: Owner::HOST };
    start(run.game.world_mut(), order, WalkMode::Patrol(mode)).unwrap();
}

/// Runs until the next walk ends, and fails unless it is `who`'s and has reached its goal.
fn until_reached(run: &mut Run, who: &str, most_s: f64, what: &str) {
    let (before, began_s) = (run.ends.len(), run.seconds());
    while run.ends.len() == before {
        run.tick();
        let took_s = run.seconds() - began_s;
        assert!(took_s < most_s, "{what}: {who} is still on its way after {took_s:.1} s");
    }
    let (ended, end, by, _) = run.ends[before].clone();
    assert_eq!((ended.as_str(), end.as_str()), (who, "arrived/reached"), "{what}: by {by:?}");
}

#[test]
fn whoever_stands_before_a_bend_of_a_lane_steps_on_round_it() {
    for kind in ["grid", "mesh"] {
        for tenths in 0..16_u8 {
            let before_m = f32::from(tenths) / 10.0;
            for behind_m in [None, Some(0.75), Some(1.5)] {
                let mut run = Run::within(&bent_lane(kind), 1.0);
                run.spawn("stands", (15.0 - before_m, 0.0));
                if let Some(behind_m) = behind_m {
                    run.spawn("second", (15.0 - before_m - behind_m, 0.0));
                }
                let mover = run.spawn("mover", (7.0, 0.3));
                run.walk(mover, (14.0, 8.0));
                let what = format!("{kind}, {before_m} m before the bend, {behind_m:?}");
                until_reached(&mut run, "mover", 40.0, &what);
                run.assert_clean(&what);
            }
        }
    }
}

#[test]
fn two_who_meet_across_somebody_who_stands_in_a_lane_come_past_one_another() {
    for tenths in 0..10_u8 {
        let at_m = 7.0 + f32::from(tenths);
        let mut run = Run::within(CORRIDOR, 1.0);
        run.spawn("stands", (at_m, 3.05));
        let (left, right) = (run.spawn("left", (4.0, 3.0)), run.spawn("right", (20.0, 3.0)));
        run.walk(left, (22.0, 2.0));
        run.walk(right, (2.0, 4.0));
        run.until_ends(2, 90.0);
        assert!(run.ends.iter().all(|(_, end, ..)| end == "arrived/reached"), "at {at_m}: {:?}", run.ends);
        run.assert_clean("two who meet");
    }
}

/// One of the two stands before the lane, where it is wide: only the other sees a narrow place.
#[test]
fn two_who_meet_across_somebody_at_the_mouth_of_a_lane_come_past_one_another_in_any_order() {
    let mut failed = Vec::new();
    for twentieths in 0..20_u8 {
        for is_inner_first in [false, true] {
            let at_m = 17.1 + f32::from(twentieths) / 20.0;
            let mut run = Run::within(CORRIDOR, 1.0);
            run.spawn("stands", (at_m, 3.05));
            let places =
                [("inner", (at_m - 0.9, 3.05), (22.0, 2.0)), ("outer", (at_m + 0.9, 3.05), (2.0, 4.0))];
            let order = if is_inner_first { [0, 1] } else { [1, 0] };
            for (name, place, goal) in order.map(|at: usize| places[at]) {
                let who = run.spawn(name, place);
                run.walk(who, goal);
            }
            run.until_ends(2, 90.0);
            if run.ends.iter().any(|(_, end, ..)| end != "arrived/reached") {
                failed.push(format!("at {at_m}, inner first {is_inner_first}: {:?}", run.ends));
            }
            run.assert_clean("two who meet");
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn the_last_of_a_file_of_any_length_keeps_no_goal_from_the_one_who_leads_it() {
    for count in 2..=40_u8 {
        let mut run = Run::within(CORRIDOR, 1.0);
        let leader = run.spawn("leader", (4.0, 3.0));
        let mut target = leader;
        // All stand in the room in the east but the last, which stands on the goal in the corridor.
        for at in 1..=count {
            let (row, place) = (f32::from(at / 6), f32::from(at % 6));
            let place = if at == count { (12.0, 3.05) } else { (23.5 - 0.8 * row, 0.6 + 0.95 * place) };
            let follower = run.spawn(&format!("f{at}"), place);
            keep_close(&mut run, follower, target, 40.0);
            target = follower;
        }
        run.run(0.5);
        run.walk(leader, (12.0, 3.05));
        until_reached(&mut run, "leader", 40.0, &format!("{count} followers"));
        run.assert_clean("a file");
    }
}

/// Goal: the leader of a file that goes through a lane comes back through it, however long the file is.
/// Method: a lane and a dead end between two rooms; the file goes after its leader there and back.
#[test]
fn files_of_any_length_go_after_their_leaders_through_a_lane_and_back() {
    let level = r#"{ "navigation": { "agentRadius": 0.35, "areas": [
      { "name": "west", "polygon": [[0,0],[10,0],[10,10],[0,10]] },
      { "name": "lane", "polygon": [[10,4.8],[16,4.8],[16,5.2],[10,5.2]] },
      { "name": "east", "polygon": [[16,0],[26,0],[26,10],[16,10]] } ] } }"#;
    let mut failed = Vec::new();
    for count in 2..=40_u8 {
        let mut run = Run::within(level, 1.5);
        let leader = run.spawn("leader", (9.0, 5.0));
        let mut target = leader;
        for at in 0..count {
            let place = (8.0 - 0.9 * f32::from(at / 10), 0.8 + 0.9 * f32::from(at % 10));
            let follower = run.spawn(&format!("f{at}"), place);
            keep_close(&mut run, follower, target, 1.2);
            target = follower;
        }
        for goal in [(25.0, 5.0), (1.0, 5.0)] {
            run.walk(leader, goal);
            let before = run.ends.len();
            let began_s = run.seconds();
            while run.ends.len() == before && run.seconds() < began_s + 120.0 {
                run.tick();
            }
            if run.ends.get(before).is_none_or(|(who, end, ..)| who != "leader" || end != "arrived/reached") {
                failed.push(format!("{count} followers, to {goal:?}: {:?}", run.ends.get(before)));
                break;
            }
        }
        run.assert_clean(&format!("{count} followers"));
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn a_follower_never_keeps_a_goal_from_the_one_it_follows() {
    for (level, goals) in [(DOORWAY, [(12.2, 6.0), (9.5, 6.2)]), (CORRIDOR, [(12.0, 3.05), (3.0, 3.0)])] {
        for distance_m in [0.8, 1.35, 2.0, 3.0] {
            for (x, z) in [(0.0, 0.0), (0.2, 0.0), (-0.4, 0.1)] {
                let mut run = Run::within(level, 1.0);
                let leader = run.spawn("leader", (4.0, 3.0));
                // It stands on the goal as soon as the leader is near.
                let follower = run.spawn("follower", (goals[0].0 + x, goals[0].1 + z));
                keep_close(&mut run, follower, leader, distance_m);
                for goal in goals.into_iter().chain(goals) {
                    run.walk(leader, goal);
                    let what = format!("{distance_m} m, {x} and {z} m beside, to {goal:?}");
                    until_reached(&mut run, "leader", 40.0, &what);
                }
                run.assert_clean("a follower");
            }
        }
    }
}

#[test]
fn a_patrol_goes_on_past_a_stop_beside_which_somebody_stands() {
    for side in 0..8_u8 {
        let angle = f64::from(side) * std::f64::consts::FRAC_PI_4;
        for away_m in [0.4, 0.5, 0.6, 0.7] {
            let mut run = Run::of(DOORWAY);
            let aside = (libm::cos(angle) as f32 * away_m, libm::sin(angle) as f32 * away_m);
            run.spawn("stands", (18.0 + aside.0, 6.0 + aside.1));
            let guard = run.spawn("guard", (6.0, 6.0));
            patrol(&mut run, guard, [(18.0, 6.0), (6.0, 6.0)]);
            let (mut is_east, mut visits) = (false, 0);
            while run.seconds() < 60.0 {
                run.tick();
                let x = run.at(guard).x;
                visits += u32::from(if is_east { x < 6.2 } else { x > 16.5 });
                is_east = if is_east { x >= 6.2 } else { x > 16.5 };
            }
            assert_eq!(run.ends, [], "{away_m} m beside, from {side}");
            // Three times there and back; a way takes 9 s.
            assert!(visits >= 5, "{away_m} m beside, from {side}: {visits} stops");
            run.assert_clean("a patrol");
        }
    }
}

/// Goal: leaders get where they go, and whoever keeps close to them does so to the end. Method: lanes drawn
/// from a seed between two rooms, and one follower.
#[test]
fn leaders_come_back_through_lanes_past_those_who_keep_close_to_them() {
    let first = number("SEED", 0);
    for seed in first..first + number("LANES", LANES) {
        let mut rng = Rng::stream(seed, "leaders");
        let lane = Lane::drawn(&mut rng);
        let mut run = Run::within(&lane.json, 1.0);
        let leader = run.spawn("leader", lane.in_room(false, 0));
        let place = if rng.int(0, 1) == 0 { lane.along(0.9) } else { lane.in_room(false, 1) };
        let follower = run.spawn("follower", place);
        keep_close(&mut run, follower, leader, [1.0, 1.35, 2.0, 3.0][rng.int(0, 3) as usize]);
        let inside = lane.along(rng.float(0.2, 0.8) as f32 * lane.length_m());
        let (west, east) = (lane.in_room(false, 3), lane.in_room(true, 0));
        for goal in [east, west, inside, west, inside, east] {
            run.walk(leader, goal);
            let what = format!("seed {seed}: to {goal:?} in {}", lane.json.replace('\n', ""));
            until_reached(&mut run, "leader", 90.0, &what);
        }
        run.run(10.0);
        assert_eq!(run.ends.len(), 6, "seed {seed}: {:?}", run.ends);
        let walk = run.world().character(follower).and_then(|who| run.world().walk(who.walk?));
        assert!(walk.is_some_and(|walk| walk.phase == Phase::Content), "seed {seed}: it is not there");
        run.assert_clean(&format!("seed {seed}"));
    }
}

/// Up to so many characters that stand in a lane, each in its part of it; how many there are.
fn spawn_standers(run: &mut Run, lane: &Lane, rng: &mut Rng, most: i64) -> f32 {
    let count = rng.int(1, most) as f32;
    let part_m = lane.length_m() / count;
    for at in 0..count as u8 {
        let place_m = part_m * f32::from(at) + rng.float(0.4, f64::from(part_m) - 0.4) as f32;
        run.spawn(&format!("stands{at}"), lane.along(place_m));
    }
    count
}

/// Goal: characters that merely stand in a lane close it for no one. Method: lanes drawn from a seed, one
/// or two who stand in them, one or two walkers from one side.
#[test]
fn nobody_who_stands_in_a_lane_closes_it() {
    let first = number("SEED", 0);
    let (mut failed, lanes) = (Vec::new(), number("LANES", LANES));
    for seed in first..first + lanes {
        let mut rng = Rng::stream(seed, "standers");
        let lane = Lane::drawn(&mut rng);
        let mut run = Run::within(&lane.json, 1.0);
        spawn_standers(&mut run, &lane, &mut rng, 2);
        let walkers = rng.int(1, 2) as u32;
        for at in 0..walkers {
            let walker = run.spawn(&format!("walker{at}"), lane.in_room(false, at));
            run.walk(walker, lane.in_room(true, at));
        }
        while run.ends.len() < walkers as usize && run.seconds() < 120.0 {
            run.tick();
        }
        let all = run.ends.iter().filter(|(_, end, ..)| end == "arrived/reached").count();
        if all < walkers as usize {
            failed.push(format!("seed {seed}: {:?} in {}", run.ends, lane.json.replace('\n', "")));
        }
        run.assert_clean(&format!("seed {seed}"));
    }
    assert!(failed.is_empty(), "{} of {lanes}:\n{}", failed.len(), failed.join("\n"));
}

/// The same, with walkers from both sides.
#[test]
fn nobody_who_stands_in_a_lane_closes_it_between_walkers_from_both_sides() {
    let first = number("SEED", 0);
    let (mut failed, lanes) = (Vec::new(), number("LANES", LANES));
    for seed in first..first + lanes {
        for is_east_first in [false, true] {
            let mut rng = Rng::stream(seed, "both sides");
            let lane = Lane::drawn(&mut rng);
            let mut run = Run::within(&lane.json, 1.0);
            let count = spawn_standers(&mut run, &lane, &mut rng, 3);
            let counts = [rng.int(1, 2) as u32, rng.int(1, 2) as u32];
            for is_east in [is_east_first, !is_east_first] {
                for at in 0..counts[usize::from(is_east)] {
                    let side = if is_east { "e" } else { "w" };
                    let walker = run.spawn(&format!("{side}{at}"), lane.in_room(is_east, at));
                    run.walk(walker, lane.in_room(!is_east, 2 + at));
                }
            }
            let walkers = (counts[0] + counts[1]) as usize;
            while run.ends.len() < walkers && run.seconds() < 120.0 {
                run.tick();
            }
            // Anyone who was asked out of the lane may have come to stand on a goal.
            if run.ends.len() < walkers || run.ends.iter().any(|(_, end, ..)| end == "blocked/stuck") {
                let what = lane.json.replace('\n', "");
                failed.push(format!(
                    "seed {seed}, east first {is_east_first}, {count} stand: {:?} in {what}",
                    run.ends
                ));
            }
            run.assert_clean(&format!("seed {seed}, east first {is_east_first}"));
        }
    }
    assert!(failed.is_empty(), "{} of {lanes}, each in two orders:\n{}", failed.len(), failed.join("\n"));
}
