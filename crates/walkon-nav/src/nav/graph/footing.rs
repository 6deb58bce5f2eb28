//! The ground of a graph under one kind of body.
//!
//! In: a map, a traversal, once; places after that. Out: clear or not, how far. Holds: a line is clear when every point of it
//! lies within the width of an open link, and each link that it goes over to is at the same height there. Walls are not
//! told: the ground of a graph has none, it ends. Not here: costs, paths.

use glam::{Vec2, Vec3};

use crate::base::geom::{Point, flat_distance, ground, segment_distance_sq};
use crate::nav::Traversal;
use crate::nav::graph::lookup::{Spot, spot};
use crate::nav::graph::map::PointGraph;

/// How much higher a link may be than the one before, where a line goes over to it, metres: a step.
const STEP_M: f32 = 0.5;
/// How far short of the end of the ground a line is cut off, as a part of it.
const SHORT: f64 = 1e-3;
/// How much further than its width from a link a place may be, so that the link is looked at more closely, metres.
const NEAR_M: f64 = 5e-4;

/// What bodies of a graph stand on.
#[derive(Clone, Debug)]
pub(crate) struct GraphFooting<'a> {
    map: &'a PointGraph,
    by: Traversal,
}

impl<'a> GraphFooting<'a> {
    pub(crate) fn new(map: &'a PointGraph, by: &Traversal) -> Self {
        Self { map, by: by.clone() }
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

    /// The same over the links that somebody may use. The line goes over from link to link, each time to the one that holds it
    /// furthest among those that hold it where the last one ends. Cost: the links around each of these places.
    pub(crate) fn sight_over(&self, from: Vec3, to: Vec3, usable: &dyn Fn(u32) -> bool) -> (bool, Vec3) {
        let (map, width) = (self.map, self.map.width_m());
        let Some(under) = map.lookup().under(map.net(), from, width, usable) else { return (false, from) };
        if !to.is_finite() {
            return (false, from);
        }
        let mut link = under.link;
        let mut reached = self.cover((from, to), link).map_or(0.0, |[_, leave]| leave);
        // Bounded: every round goes over to a link that reaches further, and there are so many.
        while reached < 1.0 {
            let Some((leave, next)) = self.next_link((from, to), (reached, link), usable) else { break };
            (reached, link) = (leave, next);
        }
        if reached >= 1.0 {
            return (true, Vec3::new(to.x, self.height(link, to), to.z));
        }
        let part = (reached - SHORT / f64::from(flat_distance(from, to)).max(SHORT)).max(0.0);
        let last = from.lerp(to, part as f32);
        let last = Vec3::new(last.x, self.height(link, last), last.z);
        let is_legal = map.lookup().under(map.net(), last, width, usable).is_some();
        (false, if is_legal { last } else { under.above(from) })
    }

    /// Where a line goes on from the place up to which a link holds it: how far, and over which link. Ties go to the lower link.
    fn next_link(
        &self,
        line: (Vec3, Vec3),
        (reached, link): (f64, u32),
        usable: &dyn Fn(u32) -> bool,
    ) -> Option<(f64, u32)> {
        let (a, b) = (ground(line.0), ground(line.1));
        let place = [a[0] + (b[0] - a[0]) * reached, a[1] + (b[1] - a[1]) * reached];
        let meeting = line.0.lerp(line.1, reached as f32);
        let height = self.height(link, meeting);
        let near_m = f64::from(self.map.width_m()) + NEAR_M;
        let mut next: Option<(f64, u32)> = None;
        for &other in self.map.lookup().around(place) {
            let (a, b) = self.on_ground(other);
            if segment_distance_sq(place, a, b) > near_m * near_m || !usable(other) {
                continue;
            }
            let Some([enter, leave]) = self.cover(line, other) else { continue };
            let holds = enter <= reached + 1e-9 && leave > reached + 1e-12;
            let is_level = (self.height(other, meeting) - height).abs() <= STEP_M;
            if holds && is_level && next.is_none_or(|(furthest, _)| leave > furthest) {
                next = Some((leave, other));
            }
        }
        next
    }

    /// [`GraphFooting::sight`] by a look at every link, each time it goes over to another.
    #[cfg(test)]
    pub(crate) fn sight_by_all_links(&self, from: Vec3, to: Vec3) -> (bool, Vec3) {
        let (map, usable) = (self.map, |link: u32| self.map.is_open(link, &self.by));
        let Some(under) = map.lookup().under(map.net(), from, map.width_m(), &usable) else {
            return (false, from);
        };
        let all = (0..map.net().links().len() as u32).filter(|&link| usable(link));
        let covers: Vec<(u32, [f64; 2])> =
            all.filter_map(|link| Some((link, self.cover((from, to), link)?))).collect();
        let own = covers.iter().find(|cover| cover.0 == under.link);
        let (mut link, mut reached) = (under.link, own.map_or(0.0, |cover| cover.1[1]));
        while reached < 1.0 {
            let meeting = from.lerp(to, reached as f32);
            let is_level =
                |other: u32| (self.height(other, meeting) - self.height(link, meeting)).abs() <= STEP_M;
            let mut next: Option<(f64, u32)> = None;
            for &(other, [enter, leave]) in &covers {
                let holds = enter <= reached + 1e-9 && leave > reached + 1e-12;
                if holds && is_level(other) && next.is_none_or(|(furthest, _)| leave > furthest) {
                    next = Some((leave, other));
                }
            }
            let Some((leave, other)) = next else { break };
            (reached, link) = (leave, other);
        }
        if reached >= 1.0 {
            return (true, Vec3::new(to.x, self.height(link, to), to.z));
        }
        let part = (reached - SHORT / f64::from(flat_distance(from, to)).max(SHORT)).max(0.0);
        let last = from.lerp(to, part as f32);
        let last = Vec3::new(last.x, self.height(link, last), last.z);
        let is_legal = map.is_walkable(last, &self.by);
        (false, if is_legal { last } else { under.above(from) })
    }

    /// The height of a link beside a place.
    fn height(&self, link: u32, place: Vec3) -> f32 {
        spot(self.map.net(), link, place).point.y
    }

    /// The part of a line within the width of a link.
    fn cover(&self, (from, to): (Vec3, Vec3), link: u32) -> Option<[f64; 2]> {
        within_stadium((ground(from), ground(to)), self.on_ground(link), self.map.width_m())
    }

    /// The ends of a link, on the ground.
    fn on_ground(&self, link: u32) -> (Point, Point) {
        let net = self.map.net();
        let [a, b] = net.links()[link as usize].map(|end| ground(net.points()[end as usize]));
        (a, b)
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
