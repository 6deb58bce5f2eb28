//! Tests of progress: what a walk counts as progress on a new way.

use super::*;
use crate::world::character::Past;
use crate::world::fixture::sample;

const OUT: SettingOut = SettingOut { tick: TickNumber(500), turn_ticks: 24, longer_ticks: 90 };

/// A walk that was never nearer to its end than 5 m, which was in tick 100.
fn walk() -> Walk {
    let scene = sample();
    let mut walk = scene.world.walks[scene.walk].clone();
    (walk.nearest_m, walk.nearest_tick, walk.progress_tick) = (5.0, TickNumber(100), TickNumber(400));
    walk
}

#[test]
fn a_map_that_changes_does_not_forget_how_long_a_walk_has_been_going_to_and_fro() {
    for why in [Ask::Map, Ask::Door] {
        let mut one = walk();
        set_out(&mut one, why, 5.0, OUT);
        assert_eq!((one.nearest_m, one.nearest_tick), (5.0, TickNumber(100)), "{why:?}, as long");
        set_out(&mut one, why, 12.0, OUT);
        assert_eq!(
            (one.nearest_m, one.nearest_tick),
            (12.0, TickNumber(190)),
            "{why:?}, longer: the time for it"
        );
        set_out(&mut one, why, 90.0, SettingOut { longer_ticks: 9_000, ..OUT });
        assert_eq!(one.nearest_tick, TickNumber(500), "{why:?}: never ahead of the time");
        assert_eq!(one.progress_tick, TickNumber(400), "{why:?}: a new way is no progress");
    }
}

#[test]
fn who_sets_out_on_an_errand_may_turn_right_round_first() {
    for (why, expected) in [(Ask::First, 524), (Ask::Leg, 524), (Ask::Target, 400), (Ask::Crowd, 400)] {
        let mut one = walk();
        set_out(&mut one, why, 7.0, OUT);
        assert_eq!(one.progress_tick, TickNumber(expected), "{why:?}");
    }
    let mut later = walk();
    later.progress_tick = TickNumber(900);
    set_out(&mut later, Ask::Leg, 7.0, OUT);
    assert_eq!(later.progress_tick, TickNumber(900), "never back");
}

#[test]
fn who_cannot_see_its_first_path_asks_from_where_it_is_and_is_patient_a_few_times() {
    let mut scene = sample();
    let walk = &mut scene.world.walks[scene.walk];
    (walk.phase, walk.following, walk.ask) = (Phase::Planning, None, None);
    scene.world.clock.tick = TickNumber(78);
    // There is no ground at all in the sample, so no point of any path is in a clear line.
    let path = Path { points: vec![Vec3::Z, Vec3::Z * 4.0], length_m: 3.0, whole: true, ..Path::default() };
    let answer = PathAnswer { status: PathStatus::Complete, path, ..PathAnswer::default() };
    for missed in 1..=8 {
        scene.world.walks[scene.walk].ask = None;
        take(&mut Wayfinding::of(&mut scene.world), scene.walk, Ask::First, answer.clone());
        let walk = &scene.world.walks[scene.walk];
        assert_eq!((walk.ask, &walk.phase), (Some(Ask::First), &Phase::Planning), "missed {missed}");
    }
    scene.world.walks[scene.walk].ask = None;
    take(&mut Wayfinding::of(&mut scene.world), scene.walk, Ask::First, answer);
    let walk = &scene.world.walks[scene.walk];
    assert_eq!((walk.ask, &walk.phase), (Some(Ask::Crowd), &Phase::Moving), "then patience runs");
    let since = scene.world.characters.get(scene.one).expect("it is there").replan.since;
    assert_eq!(since, Some(Past::at(TickNumber(78))), "it counts as asked because of others");
}
