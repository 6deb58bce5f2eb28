//! What is in the way of a walker that gives up.

use super::*;
use crate::base::rng::Rng;
use crate::world::World;
use crate::world::fixture::{sample, someone};
use crate::world::walk_mode::{Pause, Wander};

/// The nearest by a look at everybody: on the way before others.
fn by_everybody(characters: &Characters, walk: &Walk) -> Option<CharacterId> {
    let own = &characters.get(walk.character)?.body;
    let rank = |(id, other): (CharacterId, &Character)| {
        let touch_m = own.radius_m + other.body.radius_m;
        let gap_m = flat_distance(own.position, other.body.position) - touch_m;
        let reach_m = f64::from(touch_m + WalkOptions::PROGRESS_M);
        let is_on_way = repath::legs(walk.following.as_ref(), own.position).any(|(from, to)| {
            segment_distance_sq(ground(other.body.position), ground(from), ground(to)) <= reach_m * reach_m
        });
        let is_behind = gap_m > 3.0 || !is_on_way;
        (id != walk.character && (gap_m <= 0.6 || !is_behind)).then_some((is_behind, gap_m, id))
    };
    let nearest = characters.iter().filter_map(rank);
    nearest.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))).map(|(.., id)| id)
}

#[test]
fn who_gives_up_looks_at_those_near_it() {
    let (mut found, mut none, mut looked) = (0, 0, 0);
    for round in 0..200 {
        let mut scene = sample();
        let mut rng = Rng::stream(round, "near");
        let side_m = if round % 2 == 0 { 8.0 } else { 60.0 };
        for at in 0..200 {
            let place = Vec3::new(rng.float(-side_m, side_m) as f32, 0.0, rng.float(-side_m, side_m) as f32);
            let who = someone(1, &format!("c{at}"), place);
            scene.world.characters.insert(|serial| Character { serial, ..who });
        }
        let World { characters, walks, map, .. } = &scene.world;
        let (walk, everyone) = (&walks[scene.walk], Everyone::of(characters));
        let expected = by_everybody(characters, walk).map(Blocker::Character);
        assert_eq!(in_the_way(map, characters, &everyone, walk), expected, "round {round}");
        if expected.is_some() {
            found += 1
        } else {
            none += 1
        }
        looked += everyone.near(Vec3::ZERO, 3.0).count() * usize::from(side_m > 10.0);
    }
    assert!(found > 50 && none > 5, "{found} {none}");
    assert!(looked < 100 * 5, "{looked} of 20,000");
}

/// A walker that plans again every half second because of others, and sways at one place, ends after as long
/// as one whose queue gets on; one that comes away from there, or has more to do than to reach its goal,
/// does not.
#[test]
fn who_sways_at_one_place_among_others_ends_in_the_end() {
    let ended_after = |is_plain: bool, step_m: f32| {
        let mut scene = sample();
        let clock = &mut scene.world.clock;
        let (rate, walk) = (clock.rate, &mut scene.world.walks[scene.walk]);
        walk.phase = Phase::Moving;
        let wanders = Wander { area: None, around: None, within_m: 5.0, pause: Pause::default(), misses: 0 };
        walk.mode = if is_plain { WalkMode::Once } else { WalkMode::Wander(wanders) };
        walk.via = None;
        let half_s = rate.ticks(0.5);
        (0_u64..2_000).find(|round| {
            clock.tick = TickNumber(round * half_s);
            let place = Vec3::X * (step_m * *round as f32);
            walk.stand_at(WaitCause::Others, place, clock);
            stood_too_long(clock, &[], walk) == Some(Reason::Stuck)
        })
    };
    let scene = sample();
    let patience_s =
        scene.world.clock.rate.seconds(TickNumber(scene.world.walks[scene.walk].options.patience_ticks));
    let expected = (2.0 * patience_s * Walk::QUEUED_PATIENCES_MAX as f64).round() as u64;
    let ended = ended_after(true, 0.0).unwrap();
    assert!(ended.abs_diff(expected) <= 1, "{ended}, expected {expected}");
    assert_eq!(ended_after(true, 0.2), None, "it gets on");
    assert_eq!(ended_after(false, 0.0), None, "it has more to do than to reach its goal");
}
