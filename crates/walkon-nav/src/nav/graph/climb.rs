//! Climbs of a way: stretches over links that are too steep to walk, such as ladders and shafts.
//!
//! In: the points of a way, neighbours joined by links. Out: the stretches that are climbed, without the
//! points that do not bend them. Holds: a rise that a body steps over is not a climb; a climb goes up or down
//! all along. Not here: how bodies climb (`sim`), which way is taken (`plan`).

use glam::Vec3;

use crate::base::geom::{Segment, flat_distance};

/// How much higher a link may be than the one before, where a line goes over to it, metres: a step.
pub(crate) const STEP_M: f32 = 0.5;
/// What a link rises for each metre on the ground from which on it is climbed: 60 degrees.
const STEEP: f32 = 1.732;
/// How far from a climb a point lies that does not bend it, metres.
const BEND_M: f32 = 1e-3;

/// Whether a link is too steep to walk.
pub(crate) fn is_steep([a, b]: [Vec3; 2]) -> bool {
    (b.y - a.y).abs() > STEEP * flat_distance(a, b)
}

/// Whether a straight line is to be climbed.
pub(crate) fn is_climb([a, b]: [Vec3; 2]) -> bool {
    is_steep([a, b]) && (b.y - a.y).abs() > STEP_M
}

/// A way over links, and what of it is climbed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClimbingWay {
    /// The points of the way.
    pub points: Vec<Vec3>,
    /// The stretches between two of them that are climbed, in order.
    pub climbs: Vec<Segment<Vec3>>,
}

impl ClimbingWay {
    /// Of points whose neighbours are joined by links.
    pub(crate) fn new(way: &[Vec3]) -> Self {
        let mut made = Self { points: way.first().copied().into_iter().collect(), climbs: Vec::new() };
        let mut at = 0;
        // Bounded by the points: each round takes one at least.
        while at + 1 < way.len() {
            let end = climb_end(way, at);
            if end > at {
                made.climb(&way[at..=end]);
                at = end;
            } else {
                at += 1;
                made.points.push(way[at]);
            }
        }
        made
    }

    fn climb(&mut self, stretch: &[Vec3]) {
        let mut from = stretch[0];
        for (at, &to) in stretch.iter().enumerate().skip(1) {
            if stretch.get(at + 1).is_none_or(|&next| bends([from, to, next])) {
                self.climbs.push(Segment { from, to });
                self.points.push(to);
                from = to;
            }
        }
    }
}

/// The last point of the climb that begins at a point of a way; that point itself where none does.
fn climb_end(way: &[Vec3], first: usize) -> usize {
    let is_up = |at: usize| way[at + 1].y > way[at].y;
    let is_part = |at: &usize| is_steep([way[*at], way[*at + 1]]) && is_up(*at) == is_up(first);
    let last = (first..way.len() - 1).take_while(is_part).count() + first;
    if (way[last].y - way[first].y).abs() > STEP_M { last } else { first }
}

/// Whether the middle one of three points lies beside the line between the others.
fn bends([from, middle, to]: [Vec3; 3]) -> bool {
    let (along, offset) = (to - from, middle - from);
    let part = offset.dot(along) / along.length_squared().max(f32::MIN_POSITIVE);
    offset.distance(along * part) > BEND_M
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32, y: f32) -> Vec3 {
        Vec3::new(x, y, 0.0)
    }

    #[test]
    fn rungs_of_a_ladder_are_one_climb_and_a_step_is_none() {
        let rungs = (0..=8).map(|rung| at(2.0, 0.25 * rung as f32));
        let way: Vec<Vec3> = [at(0.0, 0.0)].into_iter().chain(rungs).chain([at(5.0, 2.0)]).collect();
        let made = ClimbingWay::new(&way);
        assert_eq!(made.points, [at(0.0, 0.0), at(2.0, 0.0), at(2.0, 2.0), at(5.0, 2.0)]);
        assert_eq!(made.climbs, [Segment { from: at(2.0, 0.0), to: at(2.0, 2.0) }]);
        let step = [at(0.0, 0.0), at(2.0, 0.0), at(2.0, 0.4), at(5.0, 0.4)];
        assert_eq!(ClimbingWay::new(&step).points, step);
        assert!(ClimbingWay::new(&step).climbs.is_empty());
    }

    #[test]
    fn a_climb_ends_where_the_way_turns_and_where_it_is_less_steep() {
        let slope = [at(0.0, 0.0), at(1.0, 1.7), at(1.5, 4.0), at(1.5, 2.0)];
        let climbs: Vec<[f32; 2]> =
            ClimbingWay::new(&slope).climbs.iter().map(|climb| [climb.from.y, climb.to.y]).collect();
        assert_eq!(climbs, [[1.7, 4.0], [4.0, 2.0]]);
    }
}
