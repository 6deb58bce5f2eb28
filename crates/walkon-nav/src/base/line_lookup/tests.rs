//! Against a look at every point.

use super::*;
use crate::base::rng::Rng;

fn place(rng: &mut Rng, reach: f64) -> Vec3 {
    Vec3::new(rng.float(-reach, reach) as f32, 0.0, rng.float(-reach, reach) as f32)
}

#[test]
fn lines_find_the_points_that_a_look_at_every_point_finds() {
    let mut rng = Rng::stream(1, "lines");
    let (mut hits, mut misses) = (0, 0);
    let near = [
        (1, 20.0, 1.8),
        (3, 200.0, 1.8),
        (60, 60.0, 1.8),
        (900, 300.0, 1.8),
        (40, 90.0, 0.2),
        (9, 50.0, 6.0),
    ];
    let cases = near.into_iter().flat_map(|case| [0.0, 100_000.0].map(|far_m| (case, far_m)));
    // Long lines, too.
    for ((count, spread_m, reach_m), far_m) in cases.chain([((200, 3000.0, 0.2), 0.0)]) {
        let place = |rng: &mut Rng, reach: f64| place(rng, reach) + Vec3::X * far_m;
        let places: Vec<Vec3> = (0..count).map(|_| place(&mut rng, spread_m)).collect();
        let lookup = LineLookup::new(&places, reach_m);
        for round in 0..300 {
            let from = place(&mut rng, spread_m);
            let length_m = if round % 3 == 0 { 100.0_f64.max(spread_m) } else { 20.0 };
            let to = from + place(&mut rng, length_m) - Vec3::X * far_m;
            let away_sq = |place: Vec3| segment_distance_sq(ground(place), ground(from), ground(to));
            let is_near = |id: &u32| away_sq(places[*id as usize]) <= f64::from(reach_m).powi(2);
            let expected: Vec<u32> = (0..count).filter(is_near).collect();
            assert_eq!(lookup.all_near(from, to), expected, "{count} points, {from} to {to}");
            assert_eq!(lookup.is_any_near(from, to), !expected.is_empty());
            if expected.is_empty() { misses += 1 } else { hits += 1 }
        }
    }
    assert!(hits > 100 && misses > 100, "{hits}, {misses}");
}

#[test]
fn without_points_nothing_is_near() {
    assert!(!LineLookup::new(&[], 1.8).is_any_near(Vec3::ZERO, Vec3::new(100.0, 0.0, 0.0)));
}
