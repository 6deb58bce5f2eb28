//! The ground of a graph under one kind of body.
//!
//! In: a map, a traversal, once; places after that. Out: clear or not, how far. Holds: a line is clear when every point of it
//! lies within the width of an open link, and each link that it goes over to is at the same height there. Walls are not
//! told: the ground of a graph has none, it ends. Not here: costs, paths.

use std::cell::RefCell;

use glam::{Vec2, Vec3};

use crate::base::geom::{flat_distance, ground};
use crate::nav::Traversal;
use crate::nav::graph::lookup::{Spot, spot};
use crate::nav::graph::map::{PointGraph, STOREY_M};

/// How much higher a link may be than the one before, where a line goes over to it, metres: a step.
const STEP_M: f32 = 0.5;
/// How far short of the end of the ground a line is cut off, as a part of it.
const SHORT: f64 = 1e-3;

/// What bodies of a graph stand on.
#[derive(Clone, Debug)]
pub(crate) struct GraphFooting<'a> {
    map: &'a PointGraph,
    by: Traversal,
    /// Links near a line; kept so that a question allocates nothing.
    near: RefCell<Vec<u32>>,
}

/// Where a line is within the width of a link: parts of the line, and the heights of the link there.
struct Cover {
    enter: f64,
    leave: f64,
    link: u32,
}

impl<'a> GraphFooting<'a> {
    pub(crate) fn new(map: &'a PointGraph, by: &Traversal) -> Self {
        Self { map, by: by.clone(), near: RefCell::default() }
    }

    pub(crate) fn is_walkable(&self, place: Vec3) -> bool {
        self.map.spot(place, &self.by).is_some()
    }

    pub(crate) fn clear(&self, from: Vec3, to: Vec3) -> bool {
        self.sight(from, to).0
    }

    pub(crate) fn last_clear(&self, from: Vec3, to: Vec3) -> Vec3 {
        self.sight(from, to).1
    }

    /// Not told: false says that lines around a place have to be asked about.
    #[allow(clippy::unused_self)]
    pub(crate) fn is_open(&self, _place: Vec3, _reach_m: f32) -> bool {
        false
    }

    /// None: the ground of a graph has no walls.
    #[allow(clippy::unused_self)]
    pub(crate) fn walls_near(&self, _place: Vec3, _reach_m: f32, _out: &mut Vec<[Vec2; 2]>) {}

    /// Whether a line is clear, and its last point up to which it is, both at the height of the links below.
    pub(crate) fn sight(&self, from: Vec3, to: Vec3) -> (bool, Vec3) {
        self.sight_over(from, to, &|link| self.map.is_open(link, &self.by))
    }

    /// The same over the links that somebody may use.
    pub(crate) fn sight_over(&self, from: Vec3, to: Vec3, usable: &dyn Fn(u32) -> bool) -> (bool, Vec3) {
        let (map, width) = (self.map, self.map.width_m());
        let Some(under) = map.lookup().under(map.net(), from, width, usable) else { return (false, from) };
        if !to.is_finite() {
            return (false, from);
        }
        let covers = self.covers(from, to, usable);
        // The links that hold the line so far, one after the other: each is entered before the last one ends, at its height.
        let mut at = (0.0f64, under);
        let mut reached = self.end_of(&covers, under.link);
        // Bounded: every round goes over to a link that reaches further, and there are so many.
        while reached < 1.0 {
            let mut next: Option<(f64, u32)> = None;
            for cover in &covers {
                if cover.enter > reached + 1e-9 || cover.leave <= reached + 1e-12 {
                    continue;
                }
                let meeting = from.lerp(to, reached as f32);
                let rise = (self.height(cover.link, meeting) - self.height(at.1.link, meeting)).abs();
                if rise <= STEP_M && next.is_none_or(|(leave, _)| cover.leave > leave) {
                    next = Some((cover.leave, cover.link));
                }
            }
            let Some((leave, link)) = next else { break };
            at = (reached, spot(map.net(), link, from.lerp(to, reached as f32)));
            reached = leave;
        }
        if reached >= 1.0 {
            return (true, Vec3::new(to.x, self.height(at.1.link, to), to.z));
        }
        let part = (reached - SHORT / f64::from(flat_distance(from, to)).max(SHORT)).max(0.0);
        let last = from.lerp(to, part as f32);
        let last = Vec3::new(last.x, self.height(at.1.link, last), last.z);
        let is_legal = map.lookup().under(map.net(), last, width, usable).is_some();
        (false, if is_legal { last } else { under.above(from) })
    }

    fn end_of(&self, covers: &[Cover], link: u32) -> f64 {
        covers.iter().find(|cover| cover.link == link).map_or(0.0, |cover| cover.leave)
    }

    /// The height of a link beside a place.
    fn height(&self, link: u32, place: Vec3) -> f32 {
        spot(self.map.net(), link, place).point.y
    }

    /// Where a line is within the width of each usable link.
    fn covers(&self, from: Vec3, to: Vec3, usable: &dyn Fn(u32) -> bool) -> Vec<Cover> {
        let map = self.map;
        let mut near = self.near.borrow_mut();
        map.lookup().along(from, to, map.width_m(), &mut near);
        let low = from.y.min(to.y) - 20.0 * STOREY_M;
        let high = from.y.max(to.y) + 20.0 * STOREY_M;
        let mut covers = Vec::new();
        for &link in near.iter() {
            let [a, b] = map.net().links()[link as usize].map(|end| map.net().points()[end as usize]);
            if a.y.max(b.y) < low || a.y.min(b.y) > high || !usable(link) {
                continue;
            }
            if let Some([enter, leave]) =
                within_stadium((ground(from), ground(to)), (ground(a), ground(b)), map.width_m())
            {
                covers.push(Cover { enter, leave, link });
            }
        }
        covers
    }

    /// The same place at the height of the ground.
    pub(crate) fn grounded(&self, place: Vec3) -> Vec3 {
        let under: Option<Spot> = self.map.spot(place, &self.by);
        under.map_or(place, |spot| spot.above(place))
    }
}

/// The part of a line within a distance of a segment: convex, so one stretch.
fn within_stadium(line: ([f64; 2], [f64; 2]), link: ([f64; 2], [f64; 2]), width_m: f32) -> Option<[f64; 2]> {
    // As wide as what counts as standing on it.
    let width = f64::from(width_m) + 1e-4;
    let ((from, to), (a, b)) = (line, link);
    let sub = |p: [f64; 2], q: [f64; 2]| [p[0] - q[0], p[1] - q[1]];
    let dot = |p: [f64; 2], q: [f64; 2]| p[0] * q[0] + p[1] * q[1];
    let along = sub(to, from);
    let mut stretch: Option<[f64; 2]> = None;
    let mut join = |enter: f64, leave: f64| {
        let (enter, leave) = (enter.max(0.0), leave.min(1.0));
        if enter <= leave {
            stretch = Some(stretch.map_or([enter, leave], |[from, to]| [from.min(enter), to.max(leave)]));
        }
    };
    // The two round ends.
    for centre in [a, b] {
        let offset = sub(from, centre);
        let (square, half, rest) =
            (dot(along, along), dot(along, offset), dot(offset, offset) - width * width);
        if square == 0.0 {
            if rest <= 0.0 {
                join(0.0, 1.0);
            }
            continue;
        }
        let under = half * half - square * rest;
        if under >= 0.0 {
            let root = libm::sqrt(under);
            join((-half - root) / square, (-half + root) / square);
        }
    }
    // The straight sides: a strip across, between its ends.
    let axis = sub(b, a);
    let length = libm::sqrt(dot(axis, axis));
    if length > 0.0 {
        let axis = [axis[0] / length, axis[1] / length];
        let across = [-axis[1], axis[0]];
        let offset = sub(from, a);
        let mut span = [0.0f64, 1.0];
        for (start, step, low, high) in [
            (dot(offset, axis), dot(along, axis), 0.0, length),
            (dot(offset, across), dot(along, across), -width, width),
        ] {
            if step == 0.0 {
                if start < low || start > high {
                    span = [1.0, 0.0];
                }
                continue;
            }
            let (one, two) = ((low - start) / step, (high - start) / step);
            span = [span[0].max(one.min(two)), span[1].min(one.max(two))];
        }
        if span[0] <= span[1] {
            join(span[0], span[1]);
        }
    }
    stretch
}
