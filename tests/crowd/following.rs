//! Keeping up with a character: near enough, lost, shut out, gone.
//!
//! Goal: the rows of `follow` in the reference, and D13 and D14 of the fault catalogue. Method: two rooms
//! with a door, two characters, ends read from the trace.

use glam::Vec3;
use walkon_runtime::base::geom::flat_distance;
use walkon_runtime::base::ids::{CharacterId, WalkId};
use walkon_runtime::world::door::{DoorAim, DoorPolicy};
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::doors::{self, DoorSpeed};
use walkon_runtime::world::ops::{characters, walks};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::walk::{WalkOptions, WalkPace};
use walkon_runtime::world::walk_mode::{Follow, WalkMode};

use crate::fixture::{HALL, Stage, TWO_ROOMS, options};

fn spawn(stage: &mut Stage, name: &str, x: f32, z: f32) -> CharacterId {
    let spawn = characters::Spawn::new(name, Vec3::new(x, 0.0, z));
    characters::spawn(stage.game.world_mut(), spawn).unwrap().unwrap()
}

fn at(stage: &Stage, id: CharacterId) -> Vec3 {
    stage.world().character(id).unwrap().body.position
}

fn send(stage: &mut Stage, id: CharacterId, x: f32, z: f32) {
    let goal = Goal::Point(Vec3::new(x, 0.0, z));
    let order = walks::WalkOrder { character: id, goal, options: options(), owner: Owner::HOST };
    walks::walk_to(stage.game.world_mut(), order).unwrap();
}

fn follow_with(
    stage: &mut Stage,
    (who, target): (CharacterId, CharacterId),
    options: WalkOptions,
    adjust: impl FnOnce(&mut Follow),
) -> WalkId {
    let mut follow = Follow::within(1.35);
    adjust(&mut follow);
    let order =
        walks::WalkOrder { character: who, goal: Goal::Character(target), options, owner: Owner::HOST };
    walks::start(stage.game.world_mut(), order, WalkMode::Follow(follow)).unwrap()
}

fn follow(stage: &mut Stage, pair: (CharacterId, CharacterId), adjust: impl FnOnce(&mut Follow)) -> WalkId {
    follow_with(stage, pair, options(), adjust)
}

fn settled(stage: &Stage, walk: u64) -> serde_json::Value {
    stage.facts("walkSettled").into_iter().find(|fact| fact["walk"] == walk).unwrap()
}

#[test]
fn following_ends_once_near_enough_and_the_target_stands() {
    let mut stage = Stage::of(HALL);
    let (hero, anna) = (stage.hero(), spawn(&mut stage, "anna", 7.0, 4.0));
    send(&mut stage, anna, 14.0, 4.0);
    follow_with(&mut stage, (hero, anna), WalkOptions { pace: WalkPace::Run, ..options() }, |_| {});
    stage.ticks(240);
    assert!(stage.ends.is_empty(), "it is near, but anna walks: {:?}", stage.ends);
    assert!(flat_distance(at(&stage, hero), at(&stage, anna)) < 1.5);
    assert_eq!(stage.until_settled(2, 600), ["arrived/reached", "arrived/reached"]);
    let gap_m = flat_distance(at(&stage, hero), at(&stage, anna));
    assert!((1.3..=1.35).contains(&gap_m), "at the distance and no nearer: {gap_m}");
}

#[test]
fn who_stands_near_enough_from_the_start_is_already_there() {
    let mut stage = Stage::of(HALL);
    let (hero, anna) = (stage.hero(), spawn(&mut stage, "anna", 5.0, 4.0));
    stage.tick();
    follow(&mut stage, (hero, anna), |_| {});
    stage.tick();
    assert_eq!(stage.ends, ["arrived/alreadyThere"]);
}

#[test]
fn who_keeps_close_never_settles_and_comes_along_again() {
    let mut stage = Stage::of(HALL);
    let (hero, anna) = (stage.hero(), spawn(&mut stage, "anna", 8.0, 4.0));
    let walk = follow(&mut stage, (hero, anna), |follow| follow.keep = true);
    stage.ticks(600);
    assert!(stage.ends.is_empty());
    assert_eq!(stage.world().walk(walk).unwrap().state_name(), "waiting");
    send(&mut stage, anna, 20.0, 20.0);
    stage.ticks(1800);
    assert_eq!(stage.ends, ["arrived/reached"], "that is anna's walk");
    assert!(flat_distance(at(&stage, hero), at(&stage, anna)) <= 1.36);
    walks::stop(stage.game.world_mut(), walk);
    stage.tick();
    assert_eq!(stage.ends[1], "cancelled/stopped");
}

#[test]
fn fault_d13_a_target_that_runs_away_for_ever_is_aimed_at_twice_a_second_until_the_timeout() {
    let mut stage = Stage::of(HALL);
    let (hero, anna) = (stage.hero(), spawn(&mut stage, "anna", 10.0, 4.0));
    let timed = WalkOptions { timeout_ticks: Some(1200), ..options() };
    follow_with(&mut stage, (hero, anna), timed, |_| {});
    let corners = [(36.0, 4.0), (36.0, 36.0), (4.0, 36.0), (4.0, 4.0)];
    let mut next = 0;
    let mut ticks = 0;
    while stage.ends.iter().all(|end| end != "blocked/timeout") {
        if stage.world().character(anna).unwrap().walk.is_none() {
            let (x, z) = corners[next % 4];
            next += 1;
            send(&mut stage, anna, x, z);
        }
        stage.tick();
        ticks += 1;
        assert!(ticks <= 1201, "it ends with its time");
    }
    let repaths = settled(&stage, 1)["repaths"].as_u64().unwrap();
    assert!(repaths <= 2 * 1200 / 60, "{repaths} plans in 20 s");
    assert!(repaths >= 20, "and it did go on aiming: {repaths}");
}

#[test]
fn fault_d14_two_that_follow_each_other_meet_and_stand() {
    let mut stage = Stage::of(HALL);
    let (hero, anna) = (stage.hero(), spawn(&mut stage, "anna", 14.0, 9.0));
    follow(&mut stage, (hero, anna), |_| {});
    follow(&mut stage, (anna, hero), |_| {});
    assert_eq!(stage.until_settled(2, 1200), ["arrived/reached", "arrived/reached"]);
    let before = (at(&stage, hero), at(&stage, anna));
    assert!(flat_distance(before.0, before.1) <= 1.35);
    for _ in 0..600 {
        stage.tick();
        assert!(flat_distance(at(&stage, hero), before.0) <= 0.05);
        assert!(flat_distance(at(&stage, anna), before.1) <= 0.05);
    }
    assert_eq!(stage.ends.len(), 2);
}

#[test]
fn fault_d12_a_followed_character_that_goes_ends_the_walk_in_the_same_tick() {
    let mut stage = Stage::of(HALL);
    let (hero, anna) = (stage.hero(), spawn(&mut stage, "anna", 20.0, 4.0));
    follow(&mut stage, (hero, anna), |_| {});
    stage.ticks(30);
    characters::despawn(stage.game.world_mut(), anna, "a test").unwrap();
    stage.tick();
    assert_eq!(stage.ends, ["cancelled/targetGone"]);
    assert_eq!(settled(&stage, 1)["goal"], serde_json::json!([20, 4]), "where it was last");
}

#[test]
fn a_target_too_far_away_for_too_long_is_lost() {
    let mut stage = Stage::of(HALL);
    let (hero, anna) = (stage.hero(), spawn(&mut stage, "anna", 9.0, 4.0));
    follow(&mut stage, (hero, anna), |follow| {
        follow.lose_beyond_m = Some(8.0);
        follow.lose_after_ticks = 60;
    });
    stage.ticks(10);
    let world = stage.game.world_mut();
    characters::teleport(world, anna, Vec3::new(30.0, 0.0, 30.0), None).unwrap();
    // People look around in steps of two ticks.
    stage.ticks(61);
    assert!(stage.ends.is_empty(), "a second has not passed");
    stage.tick();
    assert_eq!(stage.ends, ["cancelled/targetGone"]);
    assert_eq!(settled(&stage, 1)["goal"], serde_json::json!([30, 30]));
}

#[test]
fn a_target_that_comes_back_in_time_is_not_lost() {
    let mut stage = Stage::of(HALL);
    let (hero, anna) = (stage.hero(), spawn(&mut stage, "anna", 9.0, 4.0));
    follow(&mut stage, (hero, anna), |follow| {
        follow.lose_beyond_m = Some(8.0);
        follow.lose_after_ticks = 60;
    });
    for x in [30.0, 9.0, 30.0] {
        let world = stage.game.world_mut();
        characters::teleport(world, anna, Vec3::new(x, 0.0, 4.0), None).unwrap();
        stage.ticks(40);
    }
    assert!(stage.ends.is_empty(), "{:?}", stage.ends);
}

#[test]
fn a_closed_door_ends_the_chase_after_patience_and_is_named() {
    let mut stage = Stage::of(TWO_ROOMS);
    let gate = stage.gate();
    doors::set(stage.game.world_mut(), gate, DoorAim::Closed, DoorSpeed::Instant);
    doors::lock(stage.game.world_mut(), gate, Some("bone".to_owned()));
    stage.tick();
    let (hero, anna) = (stage.hero(), spawn(&mut stage, "anna", 18.0, 5.0));
    let opening = WalkOptions { doors: Some(DoorPolicy::Open), ..options() };
    follow_with(&mut stage, (hero, anna), opening, |_| {});
    assert_eq!(stage.until_settled(1, 2000), ["blocked/doorClosed"]);
    assert!(stage.position().x > 9.0, "it went up to the door first: {}", stage.position());
    assert_eq!(settled(&stage, 1)["by"], "gate");
}

#[test]
fn a_target_that_walks_to_and_fro_out_of_reach_does_not_keep_a_follower_for_ever() {
    let mut stage = Stage::of(TWO_ROOMS);
    let gate = stage.gate();
    doors::set(stage.game.world_mut(), gate, DoorAim::Closed, DoorSpeed::Instant);
    stage.tick();
    let (hero, anna) = (stage.hero(), spawn(&mut stage, "anna", 12.0, 1.0));
    follow(&mut stage, (hero, anna), |_| {});
    for turn in 0..20 {
        send(&mut stage, anna, 12.0, if turn % 2 == 0 { 9.0 } else { 1.0 });
        stage.ticks(120);
    }
    assert!(stage.ends.iter().any(|end| end == "blocked/doorClosed"), "{:?}", stage.ends);
}

#[test]
fn a_target_on_an_island_is_no_path_and_a_door_that_opens_in_time_is_a_way() {
    let mut stage = Stage::of(TWO_ROOMS);
    let (hero, anna) = (stage.hero(), spawn(&mut stage, "anna", 32.0, 2.0));
    follow(&mut stage, (hero, anna), |_| {});
    assert_eq!(stage.until_settled(1, 3000), ["blocked/noPath"]);
    let gate = stage.gate();
    let world = stage.game.world_mut();
    characters::teleport(world, hero, Vec3::new(9.0, 0.0, 5.0), None).unwrap();
    characters::teleport(world, anna, Vec3::new(18.0, 0.0, 5.0), None).unwrap();
    doors::set(stage.game.world_mut(), gate, DoorAim::Closed, DoorSpeed::Instant);
    stage.tick();
    follow(&mut stage, (hero, anna), |_| {});
    stage.ticks(150);
    doors::set(stage.game.world_mut(), gate, DoorAim::Open, DoorSpeed::Instant);
    assert_eq!(stage.until_settled(2, 2000)[1], "arrived/reached");
}

#[test]
fn who_is_to_come_nearer_than_bodies_do_comes_close_enough() {
    for (distance_m, expected) in [(0.1, "arrived/closeEnough"), (1.35, "arrived/reached")] {
        let mut stage = Stage::of(HALL);
        let (hero, anna) = (stage.hero(), spawn(&mut stage, "anna", 9.0, 4.0));
        follow(&mut stage, (hero, anna), |follow| follow.distance_m = distance_m);
        assert_eq!(stage.until_settled(1, 900), [expected]);
    }
}
