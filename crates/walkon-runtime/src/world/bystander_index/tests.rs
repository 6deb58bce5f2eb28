//! Circles along a line cover everything near it. The look-up as a whole is compared with a look at every
//! character in the tests of the crate.

use super::*;
use crate::base::rng::Rng;

#[test]
fn circles_along_a_line_cover_all_that_is_near_it() {
    let mut rng = Rng::stream(1, "along");
    let mut near = 0;
    for _ in 0..4000 {
        let mut place =
            |reach: f64| Vec2::new(rng.float(-reach, reach) as f32, rng.float(-reach, reach) as f32);
        let (from, to, point) = (place(30.0), place(30.0), place(36.0));
        let raise = |at: Vec2| [f64::from(at.x), f64::from(at.y)];
        if segment_distance_sq(raise(point), raise(from), raise(to)) > 36.0 {
            continue;
        }
        near += 1;
        let mut is_covered = false;
        along(from, to, 6.0, |middle, radius_m| is_covered |= middle.distance(point) <= radius_m);
        assert!(is_covered, "{point} beside {from} to {to}");
    }
    assert!(near > 300, "{near}");
}

#[test]
fn a_line_of_any_length_has_a_bounded_number_of_circles() {
    for length_m in [0.0, 1.0, 1e4, 1e9] {
        let mut count = 0;
        along(Vec2::ZERO, Vec2::new(length_m, 0.0), 6.0, |_, _| count += 1);
        assert!((1..=257).contains(&count), "{length_m} m: {count}");
    }
}
