//! Points and links that change while people walk: who plans again, what is read back, what the hash takes
//! in.
//!
//! Method: a graph of five points whose ways are known by hand; edits come between ticks as scripts would
//! make them, and what happened is read from the trace.

use glam::Vec3;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::graph::{add_point, link, unlink};

use crate::fixture::{HALL, Stage, send};

/// A short way from 0 over 1 to 2, a long one over 3, and a point that nothing leads to.
const RING: &str = r#"{ "navigation": { "kind": "graph", "width": 0.3, "agentRadius": 0.4,
    "points": [[0, 0, 0], [5, 0, 0], [10, 0, 0], [5, 0, 6], [14, 0, 0]],
    "links": [[0, 1], [1, 2], [0, 3], [2, 3]] },
    "characters": [ { "name": "hero", "position": [0, 0, 0] } ] }"#;

const NEAR: Vec3 = Vec3::ZERO;
const MIDDLE: Vec3 = Vec3::new(5.0, 0.0, 0.0);
const FAR: Vec3 = Vec3::new(10.0, 0.0, 0.0);
const ALONE: Vec3 = Vec3::new(14.0, 0.0, 0.0);

fn walk_to(stage: &mut Stage, goal: Vec3) {
    let hero = stage.hero();
    send(stage, hero, Goal::Point(goal), |_| {});
}

/// How far the hero has walked in all, metres.
fn walked(stage: &mut Stage, ticks_max: u64) -> f32 {
    let (mut before, mut sum) = (stage.position(), 0.0);
    for _ in 0..ticks_max {
        stage.tick();
        sum += before.distance(stage.position());
        before = stage.position();
        if !stage.ends.is_empty() {
            break;
        }
    }
    sum
}

fn hash(stage: &Stage) -> u64 {
    walkon_runtime::world::state_hash::of(stage.world()).whole()
}

#[test]
fn seed_v2_a_link_that_goes_under_a_walk_sends_it_round_and_one_elsewhere_does_not() {
    let mut stage = Stage::of(RING);
    walk_to(&mut stage, FAR);
    stage.ticks(60);
    assert_eq!(unlink(stage.game.world_mut(), Vec3::new(5.0, 0.0, 6.0), NEAR), Ok(true));
    stage.ticks(2);
    assert!(stage.facts("replanned").is_empty(), "its way does not lead there");
    link(stage.game.world_mut(), Vec3::new(5.0, 0.0, 6.0), NEAR).unwrap();
    stage.tick();
    assert_eq!(unlink(stage.game.world_mut(), MIDDLE, FAR), Ok(true));
    assert!(stage.world().has_pending_edits());
    let rest = walked(&mut stage, 3000);
    assert_eq!(stage.ends, ["arrived/reached"]);
    assert_eq!(stage.facts("replanned")[0]["why"], "map");
    assert!(rest > 15.0, "back and round over the third point: {rest} m");
}

#[test]
fn a_whole_walk_takes_a_shorter_way_over_a_link_that_is_new() {
    const ROUND: f32 = 15.6;
    let begun = || {
        let mut stage = Stage::of(RING);
        unlink(stage.game.world_mut(), MIDDLE, FAR).unwrap();
        stage.tick();
        walk_to(&mut stage, FAR);
        let walked_so_far = walked(&mut stage, 40);
        (stage, walked_so_far)
    };
    let (mut stage, so_far) = begun();
    assert_eq!(link(stage.game.world_mut(), MIDDLE, FAR), Ok(true));
    let rest = walked(&mut stage, 3000);
    assert_eq!(
        (stage.ends.as_slice(), &stage.facts("replanned")[0]["why"]),
        (&["arrived/reached".to_owned()][..], &"map".into())
    );
    assert!(so_far + rest < ROUND - 2.0, "back, and straight on: {so_far} and {rest} m");
    let mut straight = Stage::of(RING);
    walk_to(&mut straight, FAR);
    straight.ticks(40);
    assert_eq!(link(straight.game.world_mut(), MIDDLE, Vec3::new(5.0, 0.0, 6.0)), Ok(true));
    straight.ticks(2);
    assert!(straight.facts("replanned").is_empty(), "no way over that one is shorter");
    let (mut without, so_far) = begun();
    let rest = walked(&mut without, 3000);
    assert!((so_far + rest - ROUND).abs() < 1.0, "over the third point: {so_far} and {rest} m");
}

#[test]
fn a_walk_that_ends_short_goes_on_over_a_link_that_is_new() {
    let mut stage = Stage::of(RING);
    walk_to(&mut stage, ALONE);
    stage.ticks(120);
    assert!(stage.ends.is_empty());
    assert_eq!(link(stage.game.world_mut(), ALONE, FAR), Ok(true));
    assert_eq!(stage.until_settled(1, 3000), ["arrived/reached"]);
    assert!(stage.position().distance(ALONE) < 0.1);
    let mut without = Stage::of(RING);
    walk_to(&mut without, ALONE);
    assert_eq!(without.until_settled(1, 3000), ["partial/nearest"]);
}

#[test]
fn a_point_that_is_added_and_linked_in_one_tick_is_walked_to() {
    let mut stage = Stage::of(RING);
    let up = Vec3::new(10.0, 2.0, 4.0);
    assert_eq!(add_point(stage.game.world_mut(), up), Ok(5));
    assert_eq!(
        add_point(stage.game.world_mut(), Vec3::new(30.0, 0.0, 0.0)),
        Ok(6),
        "numbered after those that wait"
    );
    assert_eq!(link(stage.game.world_mut(), up, FAR), Ok(true));
    assert_eq!(link(stage.game.world_mut(), FAR, up), Ok(false), "read back at once");
    let revision = stage.world().nav().revision();
    stage.tick();
    assert_eq!(stage.world().nav().revision().0, revision.0 + 1, "once for all edits of a tick");
    assert_eq!(stage.world().nav().graph().unwrap().net().points().len(), 7);
    walk_to(&mut stage, up);
    assert_eq!(stage.until_settled(1, 3000), ["arrived/reached"]);
    assert!((stage.position().y - 2.0).abs() < 0.05, "{}", stage.position());
}

#[test]
fn edits_are_in_the_hash_while_they_wait_and_afterwards_and_runs_repeat() {
    let run = |edits: &dyn Fn(&mut Stage)| {
        let mut stage = Stage::of(RING);
        walk_to(&mut stage, FAR);
        let mut hashes = Vec::new();
        for tick in 0..200 {
            if tick == 50 {
                edits(&mut stage);
                hashes.push(hash(&stage));
            }
            stage.tick();
            hashes.push(hash(&stage));
        }
        hashes
    };
    let nothing = run(&|_| {});
    let cut = run(&|stage| assert_eq!(unlink(stage.game.world_mut(), MIDDLE, FAR), Ok(true)));
    let again = run(&|stage| assert_eq!(unlink(stage.game.world_mut(), MIDDLE, FAR), Ok(true)));
    let other =
        run(&|stage| assert_eq!(link(stage.game.world_mut(), MIDDLE, Vec3::new(5.0, 0.0, 6.0)), Ok(true)));
    assert_eq!(cut, again);
    for (one, two) in [(&nothing, &cut), (&nothing, &other), (&cut, &other)] {
        assert_eq!(one[..50], two[..50]);
        assert!(one[50..].iter().zip(&two[50..]).all(|(one, two)| one != two));
    }
}

#[test]
fn what_cannot_be_is_refused_and_said() {
    let mut stage = Stage::of(RING);
    let world = stage.game.world_mut();
    let said = |result: Result<bool, walkon_runtime::world::ops::OpError>| result.unwrap_err().to_string();
    assert_eq!(
        said(link(world, NEAR, Vec3::new(1.0, 0.0, 1.0))),
        "both places are nearest to point 0; a link needs two points"
    );
    assert_eq!(
        said(unlink(world, NEAR, Vec3::new(0.0, 40.0, 0.0))),
        "no point of the graph lies within 8 m of (0.00, 40.00, 0.00)"
    );
    assert_eq!(unlink(world, NEAR, FAR), Ok(false), "there is none");
    for _ in 0..walkon_runtime::world::ops::graph::EDITS_MAX {
        add_point(world, ALONE).unwrap();
    }
    assert_eq!(
        add_point(world, ALONE).unwrap_err().to_string(),
        "the graph has 4096 edits waiting for step 5, the most allowed"
    );
    let mut hall = Stage::of(HALL);
    assert!(said(link(hall.game.world_mut(), NEAR, FAR)).starts_with("this map has no points and links"));
}
