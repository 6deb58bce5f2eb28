//! Where a body comes to this tick, given its path.
//!
//! In: a path (world metres), a cursor on it, the metres it may go. Out: the points passed and the
//! cursor, which never moves back. Holds: what is left of a step after a corner is spent on the next
//! segment, so the way is the same at every tick rate (seed:F3, F4); every piece moved lies on the path.
//! Not here: other bodies, walls, whether the walk is over.

use glam::Vec3;

use crate::base::geom::flat_distance;
use crate::nav::Path;

/// A place on a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cursor {
    /// The point that lies behind: the body is between `points[segment]` and `points[segment + 1]`.
    pub segment: u32,
    /// Metres from the start of the path.
    pub along_m: f32,
}

impl Cursor {
    /// The first point ahead, none at the end of the path.
    #[must_use]
    pub fn next(self, path: &Path) -> Option<Vec3> {
        path.points.get(self.segment as usize + 1).copied()
    }

    /// The points ahead, without the body's own place.
    #[must_use]
    pub fn ahead(self, path: &Path) -> &[Vec3] {
        path.points.get(self.segment as usize + 1..).unwrap_or(&[])
    }
}

/// What a step along a path came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Advance {
    /// Where the body is now.
    pub position: Vec3,
    /// The cursor there.
    pub cursor: Cursor,
    /// Metres gone.
    pub gone_m: f32,
    /// Where it last headed; none if it did not move.
    pub heading: Option<Vec3>,
}

/// Moves `position` along `path` by at most `budget_m`, passing each corner once. Every straight piece
/// goes to `visit` as (from, to) before it is taken; a piece for which it answers false ends the step
/// before that piece. Cost: one step for each corner passed.
pub fn advance(
    path: &Path,
    cursor: Cursor,
    position: Vec3,
    budget_m: f32,
    mut visit: impl FnMut(Vec3, Vec3) -> bool,
) -> Advance {
    let mut result = Advance { position, cursor, gone_m: 0.0, heading: None };
    let mut budget_m = budget_m;
    // Bounded by the corners of the path: each round passes one or ends.
    while let Some(next) = result.cursor.next(path) {
        let distance_m = flat_distance(result.position, next);
        let takes_all = distance_m <= budget_m;
        let to = if takes_all {
            next
        } else {
            result.position + (next - result.position) * (budget_m / distance_m)
        };
        if distance_m > 0.0 && !visit(result.position, to) {
            return result;
        }
        let gone_m = distance_m.min(budget_m);
        if distance_m > 0.0 && gone_m > 0.0 {
            result.heading = Some(next - result.position);
        }
        result.position = to;
        result.gone_m += gone_m;
        result.cursor.along_m += gone_m;
        budget_m -= gone_m;
        if !takes_all {
            break;
        }
        result.cursor.segment += 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner() -> Path {
        let points = vec![Vec3::ZERO, Vec3::new(3.0, 0.0, 0.0), Vec3::new(3.0, 0.0, 4.0)];
        Path { points, length_m: 7.0, cost_m: 7.0, whole: true, ..Path::default() }
    }

    #[test]
    fn the_rest_of_a_step_goes_to_the_next_segment() {
        let path = corner();
        let step = advance(&path, Cursor::default(), Vec3::ZERO, 4.0, |_, _| true);
        assert_eq!(step.position, Vec3::new(3.0, 0.0, 1.0));
        assert_eq!(step.cursor, Cursor { segment: 1, along_m: 4.0 });
        assert_eq!(step.gone_m, 4.0);
    }

    #[test]
    fn every_tick_rate_takes_the_same_way() {
        let path = corner();
        for rate in [30u32, 60, 120] {
            let (mut cursor, mut position, mut ticks) = (Cursor::default(), Vec3::ZERO, 0);
            while cursor.next(&path).is_some() {
                let step = advance(&path, cursor, position, 1.4 / rate as f32, |_, _| true);
                (cursor, position) = (step.cursor, step.position);
                ticks += 1;
            }
            assert_eq!(position, path.points[2]);
            let seconds = ticks as f32 / rate as f32;
            assert!((seconds - 5.0).abs() <= 1.0 / rate as f32 + 1e-3, "{rate} Hz took {seconds} s");
        }
    }

    #[test]
    fn a_fast_body_passes_each_corner_once_and_stops_on_the_last() {
        let path = corner();
        let mut pieces = 0;
        let step = advance(&path, Cursor::default(), Vec3::ZERO, 50.0, |_, _| {
            pieces += 1;
            true
        });
        assert_eq!((step.position, pieces), (path.points[2], 2));
        assert!((step.gone_m - 7.0).abs() < 1e-6);
    }

    #[test]
    fn a_refused_piece_ends_the_step_before_it() {
        let path = corner();
        let step = advance(&path, Cursor::default(), Vec3::ZERO, 5.0, |from, _| from.x < 2.0);
        assert_eq!(step.position, Vec3::new(3.0, 0.0, 0.0));
    }
}
