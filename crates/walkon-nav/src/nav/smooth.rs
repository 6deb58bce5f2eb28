//! Straight lines instead of staircases.
//!
//! In: points from start to goal whose neighbours see each other, and tests of straight lines. Out: some of
//! them, the first and the last included. Holds: every segment passed the test or was there before; the
//! result is never longer or more expensive; no point can be left out: its neighbours do not see each other,
//! or the way past it would be more expensive. Not here: which points are worth trying; on cells those where
//! the way turns (every cell costs 3 to 8 times more). Method: pulled tight from the front, then points that
//! became idle are dropped.

use glam::Vec3;

/// Tests of straight lines.
pub(crate) struct Lines<'a> {
    /// Whether a body can walk straight from one point to another.
    pub(crate) clear: &'a dyn Fn(Vec3, Vec3) -> bool,
    /// What that costs; None on even ground, where a straight line is never more expensive than a bent one.
    pub(crate) cost: Option<&'a dyn Fn(Vec3, Vec3) -> u64>,
}

/// Leaves out as many points as can be. Cost: about one test for each point.
pub(crate) fn smooth(points: &[Vec3], lines: &Lines) -> Vec<Vec3> {
    let Some((&last, _)) = points.split_last() else { return Vec::new() };
    let mut kept = vec![points[0]];
    let mut anchor = 0;
    while anchor + 1 < points.len() {
        let mut reached = anchor + 1;
        let mut spent = lines.price(points[anchor], points[reached]);
        while reached + 1 < points.len() {
            let through = spent + lines.price(points[reached], points[reached + 1]);
            match lines.shortcut(points[anchor], points[reached + 1], through) {
                Some(price) => (reached, spent) = (reached + 1, price),
                None => break,
            }
        }
        kept.push(points[reached]);
        anchor = reached;
    }
    debug_assert!(kept.last() == Some(&last), "pulling ends at the last point");
    drop_idle(&mut kept, lines);
    kept
}

/// Drops points whose neighbours see each other, until there are none.
fn drop_idle(points: &mut Vec<Vec3>, lines: &Lines) {
    let mut at = 1;
    // Bounded: each round moves on or removes a point, and goes back one place for each point removed.
    while at + 1 < points.len() {
        let (before, here, after) = (points[at - 1], points[at], points[at + 1]);
        let through = lines.price(before, here) + lines.price(here, after);
        if lines.shortcut(before, after, through).is_some() {
            points.remove(at);
            at = (at - 1).max(1);
        } else {
            at += 1;
        }
    }
}

impl Lines<'_> {
    /// The price of a straight line; 0 on even ground.
    pub(crate) fn price(&self, from: Vec3, to: Vec3) -> u64 {
        self.cost.map_or(0, |cost| cost(from, to))
    }

    /// The price of a straight line that is clear and no more expensive than what it replaces.
    pub(crate) fn shortcut(&self, from: Vec3, to: Vec3, through: u64) -> Option<u64> {
        if !(self.clear)(from, to) {
            return None;
        }
        let price = self.price(from, to);
        (price <= through).then_some(price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f32, z: f32) -> Vec3 {
        Vec3::new(x, 0.0, z)
    }

    #[test]
    fn in_the_open_only_the_ends_stay() {
        let points: Vec<Vec3> = (0..20).map(|at| point(at as f32, (at % 3) as f32)).collect();
        let lines = Lines { clear: &|_, _| true, cost: None };
        assert_eq!(smooth(&points, &lines), [points[0], points[19]]);
        assert_eq!(smooth(&points[..1], &lines), [points[0]]);
        assert_eq!(smooth(&[], &lines), []);
    }

    #[test]
    fn where_nothing_is_clear_all_points_stay() {
        let points: Vec<Vec3> = (0..9).map(|at| point(at as f32, 0.0)).collect();
        let lines = Lines { clear: &|_, _| false, cost: None };
        assert_eq!(smooth(&points, &lines), points);
    }

    #[test]
    fn a_shortcut_over_dear_ground_is_not_taken() {
        // A road along z = 0 around the corner of a swamp.
        let points = [point(0.0, 0.0), point(4.0, 0.0), point(4.0, 4.0)];
        let price = |from: Vec3, to: Vec3| {
            let straight = from.x == to.x || from.z == to.z;
            (from.distance(to) * if straight { 100.0 } else { 500.0 }) as u64
        };
        assert_eq!(smooth(&points, &Lines { clear: &|_, _| true, cost: Some(&price) }), points);
    }
}
