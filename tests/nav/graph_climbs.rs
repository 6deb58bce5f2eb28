//! Ways of graphs that lead up and down: ladders and shafts are climbed, hairpins and spirals walked round.
//!
//! Goal: a walk arrives where its way leads in space, in the time that the way takes, and nowhere else.
//! Method: ways of a few points, one after the other; a character at their beginning walks to their end, and
//! is looked at in every tick.

use glam::Vec3;
use serde_json::json;
use walkon_runtime::base::ids::WalkId;
use walkon_runtime::base::trig;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::graph;
use walkon_runtime::world::walk::AcceptEnd;

use crate::fixture::{Stage, points, send};

/// Metres a second of everybody here.
const SPEED_MPS: f32 = 1.5;
/// How far a body may be from its way, metres: the width of links, and what a body needs to turn.
const BESIDE_M: f32 = 0.3;

fn level(way: &[Vec3]) -> String {
    let points: Vec<[f32; 3]> = way.iter().map(|point| point.to_array()).collect();
    let links: Vec<[usize; 2]> = (1..way.len()).map(|at| [at - 1, at]).collect();
    let hero = json!({ "name": "hero", "position": points[0], "radius": 0.3, "walkSpeed": SPEED_MPS });
    let navigation = json!({ "kind": "graph", "points": points, "links": links });
    json!({ "navigation": navigation, "characters": [hero] }).to_string()
}

fn length_m(way: &[Vec3]) -> f32 {
    way.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// Metres from a place to a way.
fn away_m(way: &[Vec3], place: Vec3) -> f32 {
    let nearest = |pair: &[Vec3]| {
        let along = pair[1] - pair[0];
        let part = (place - pair[0]).dot(along) / along.length_squared().max(1e-12);
        place.distance(pair[0] + along * part.clamp(0.0, 1.0))
    };
    way.windows(2).map(nearest).fold(f32::INFINITY, f32::min)
}

fn at(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// The hero walks to a place; ticks until it arrived. It never leaves its way, nor leaps.
fn walked(name: &str, way: &[Vec3], goal: Vec3) -> u64 {
    let mut stage = Stage::of(&level(way));
    let hero = stage.hero();
    send(&mut stage, hero, Goal::Point(goal), |options| options.accept = AcceptEnd::Exact);
    let (mut ticks, mut last) = (0, stage.position());
    while stage.ends.is_empty() && ticks < 6000 {
        stage.tick();
        ticks += 1;
        let place = stage.position();
        let beside_m = away_m(way, place);
        assert!(beside_m < BESIDE_M, "{name}: {beside_m} m off its way at {place}, tick {ticks}");
        assert!(place.distance(last) < 0.2, "{name}: from {last} to {place} in tick {ticks}");
        last = place;
    }
    assert_eq!(stage.ends, ["arrived/reached"], "{name}: at {last} after {ticks} ticks");
    assert!(last.distance(goal) < 0.05, "{name}: arrived at {last}");
    ticks
}

/// Both ways, each in about the time that its length takes at the speed of those who walk on the ground.
fn there_and_back(name: &str, way: &[Vec3]) {
    let back: Vec<Vec3> = way.iter().rev().copied().collect();
    for way in [way, &back] {
        let ticks = walked(name, way, way[way.len() - 1]);
        let (seconds, least_s) = (ticks as f32 / 60.0, 0.4 * length_m(way) / SPEED_MPS);
        let most_s = length_m(way) / SPEED_MPS + 2.5 * way.len() as f32;
        assert!((least_s..most_s).contains(&seconds), "{name}: {seconds} s for {} m", length_m(way));
    }
}

fn ladder(high_m: f32, aside_m: f32) -> [Vec3; 4] {
    let top = 5.0 + aside_m;
    [at(0.0, 0.0, 0.0), at(5.0, 0.0, 0.0), at(top, high_m, 0.0), at(top + 4.0, high_m, 0.0)]
}

fn spiral(radius_m: f32, corners: u16, turn_m: f32) -> Vec<Vec3> {
    let place = |at: u16| {
        let angle = std::f32::consts::TAU * f32::from(at) / f32::from(corners);
        let y = turn_m * f32::from(at) / f32::from(corners);
        Vec3::new(radius_m * trig::cos(angle), y, radius_m * trig::sin(angle))
    };
    (0..=3 * corners).map(place).collect()
}

#[test]
fn whoever_climbs_a_ladder_takes_as_long_as_for_as_much_ground() {
    for (high_m, aside_m) in [(6.0, 0.0), (6.0, 1.0), (6.0, 2.0), (6.0, -1.0), (1.0, 0.0), (40.0, 0.5)] {
        let way = ladder(high_m, aside_m);
        let ticks = walked("ladder", &way, way[3]);
        let seconds = ticks as f32 / 60.0;
        let expected_s = length_m(&way) / SPEED_MPS;
        assert!((seconds - expected_s).abs() < 0.8, "{high_m} m: {seconds} s, expected {expected_s}");
        there_and_back("ladder", &way);
    }
}

#[test]
fn a_ladder_ends_at_its_top_and_in_its_middle_and_not_at_its_foot() {
    for high_m in [1.0, 3.0, 6.0] {
        let way = ladder(high_m, 0.0);
        for goal in [way[2], at(5.0, high_m * 0.5, 0.0)] {
            if goal.y > 0.5 {
                walked("part of a ladder", &way, goal);
            }
        }
    }
}

#[test]
fn rungs_that_are_links_of_their_own_are_climbed_as_one() {
    let rungs = (1..=20u8).map(|rung| at(5.0, 0.3 * f32::from(rung), 0.0));
    let way: Vec<Vec3> = [at(0.0, 0.0, 0.0), at(5.0, 0.0, 0.0)].into_iter().chain(rungs).collect();
    let ticks = walked("rungs", &way, way[way.len() - 1]);
    assert!((ticks as f32 / 60.0 - length_m(&way) / SPEED_MPS).abs() < 0.8, "{ticks} ticks");
}

#[test]
fn ways_that_turn_back_over_themselves_are_walked_round() {
    let hairpins = [
        vec![at(0.0, 0.0, 0.0), at(6.0, 2.0, 0.0), at(0.0, 4.0, 0.0), at(-3.0, 4.0, 0.0)],
        vec![at(0.0, 0.0, 0.0), at(6.0, 0.7, 0.0), at(0.0, 1.4, 0.0), at(-3.0, 1.4, 0.0)],
        vec![at(0.0, 0.0, 0.0), at(6.0, 2.0, 0.0), at(0.0, 4.0, 0.3), at(-3.0, 4.0, 0.3)],
        vec![at(0.0, 0.0, 0.0), at(6.0, 2.0, 0.0), at(0.0, 4.0, 0.0), at(6.0, 6.0, 0.0), at(0.0, 8.0, 0.0)],
        vec![at(0.0, 0.0, 0.0), at(5.0, 2.5, 0.0), at(5.0, 2.5, 1.0), at(0.0, 5.0, 1.0), at(-2.0, 5.0, 1.0)],
        vec![at(0.0, 0.0, 0.0), at(5.0, 2.5, 0.0), at(5.0, 2.5, 0.2), at(0.0, 5.0, 0.2), at(-2.0, 5.0, 0.2)],
        vec![at(0.0, 0.0, 0.0), at(3.0, 3.0, 0.0), at(3.0, 3.0, 0.15), at(0.0, 6.0, 0.15)],
        vec![at(0.0, 0.0, 0.0), at(4.0, 4.0, 0.0), at(0.0, 8.0, 0.0)],
    ];
    for (at, way) in hairpins.iter().enumerate() {
        there_and_back(&format!("hairpin {at}"), way);
    }
}

#[test]
fn spirals_are_walked_round_from_floor_to_floor() {
    for (radius_m, corners, turn_m) in
        [(2.0, 12, 1.0), (1.0, 8, 2.4), (0.5, 8, 2.4), (0.5, 4, 2.4), (0.3, 8, 2.4), (0.15, 6, 2.0)]
    {
        there_and_back(&format!("spiral of {radius_m} m"), &spiral(radius_m, corners, turn_m));
    }
}

/// The hero sets out for the last place of a ladder.
fn sent_up(way: &[Vec3]) -> (Stage, WalkId) {
    let mut stage = Stage::of(&level(way));
    let hero = stage.hero();
    let walk = send(&mut stage, hero, Goal::Point(way[3]), |_| {});
    (stage, walk)
}

#[test]
fn what_is_left_of_a_way_counts_what_is_climbed() {
    let way = ladder(6.0, 0.0);
    let (mut stage, walk) = sent_up(&way);
    let mut before_m = length_m(&way) + 0.01;
    while stage.ends.is_empty() && stage.world().tick().0 < 3000 {
        stage.tick();
        let left = stage.world().walk(walk).and_then(|walk| walk.remaining_m(stage.position()));
        if let Some(left_m) = left {
            assert!(left_m <= before_m + 1e-3, "{left_m} m left after {before_m}");
            before_m = left_m;
        }
    }
    assert_eq!(stage.ends, ["arrived/reached"]);
}

#[test]
fn a_ladder_that_is_pulled_up_ends_a_climb_and_another_way_is_taken() {
    let way = ladder(6.0, 0.0);
    let (mut stage, walk) = sent_up(&way);
    while stage.position().y < 2.0 {
        stage.tick();
    }
    assert!(points(&stage, walk).contains(&way[2]));
    graph::unlink(stage.game.world_mut(), way[1], way[2]).unwrap();
    stage.until_settled(1, 1200);
    assert_eq!(stage.ends, ["partial/nearest"], "at {}", stage.position());
    assert!(away_m(&way[..2], stage.position()) < 0.2 || away_m(&way[2..], stage.position()) < 0.2);
}

#[test]
fn whoever_is_told_to_turn_round_on_a_ladder_climbs_down_again() {
    let way = ladder(6.0, 0.0);
    let (mut stage, _) = sent_up(&way);
    while stage.position().y < 3.0 {
        stage.tick();
    }
    let hero = stage.hero();
    send(&mut stage, hero, Goal::Point(way[0]), |_| {});
    stage.until_settled(2, 1200);
    assert_eq!(stage.ends, ["cancelled/superseded", "arrived/reached"], "at {}", stage.position());
    assert!(stage.position().distance(way[0]) < 0.4);
}
