//! The ground of a graph under one kind of body.
//!
//! In: a map, a traversal, once; places after that. Out: clear or not, how far. Holds: a line is clear when
//! every point of it lies within the width of an open link, each link that it goes over to is at the same
//! height there, and it ends on the floor of its end. Walls are not told: the ground of a graph has none, it
//! ends. Not here: costs, paths.

use glam::{Vec2, Vec3};

#[cfg(test)]
use crate::base::geom::STOREY_M;
use crate::base::geom::{Point, Segment, flat_distance, ground, segment_distance_sq};
use crate::base::ordered;
use crate::nav::Traversal;
use crate::nav::graph::climb::STEP_M;
use crate::nav::graph::lookup::{LinkSpot, note_look, spot};
use crate::nav::graph::map::PointGraph;
use crate::nav::smooth::Effort;

/// How far a way may lie over or under the links, metres: half a step.
const BEND_M: f64 = 0.1;
/// How far links may differ in height and still be level with one another, metres.
const LEVEL_M: f64 = 1e-4;
/// How far short of the end of the ground a line is cut off, as a part of it.
const SHORT: f64 = 1e-3;
/// How much further than its width from a link a place may be, so that the link is looked at more closely,
/// metres.
const NEAR_M: f64 = 5e-4;

/// Finding the link below a place, and beside that for each link around it.
const UNDER_EFFORT: [u64; 2] = [128, 20];
/// Going over to the next link: beside that for each link around, and for each that may be the next.
const HOP_EFFORT: u64 = 160;
const LOOK_EFFORT: u64 = 10;
const COVER_EFFORT: u64 = 96;
/// Finding where the ground bends below a link.
const BEND_EFFORT: u64 = 384;

/// Links looked at in the time of a line over the squares of a grid.
const LINKS_PER_LINE: usize = 2;

/// Links that hold a line one after the other, with the parts of it that each holds.
pub(crate) type Chain = Vec<(u32, [f64; 2])>;

/// What bodies of a graph stand on.
#[derive(Clone, Debug)]
pub(crate) struct GraphGroundQuery<'a> {
    map: &'a PointGraph,
    by: Traversal,
}

impl<'a> GraphGroundQuery<'a> {
    pub(crate) fn new(map: &'a PointGraph, by: &Traversal) -> Self {
        Self { map, by: by.clone() }
    }

    pub(crate) fn map(&self) -> &'a PointGraph {
        self.map
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

    /// Every link around the place is looked at, some in the time of a line over squares, once at least for
    /// each end of the line.
    pub(crate) fn price(&self, place: Vec3) -> u32 {
        let links = self.map.lookup().around(ground(place)).len();
        2 + u32::try_from(links / LINKS_PER_LINE).unwrap_or(u32::MAX - 2)
    }

    /// None: the ground of a graph has no walls.
    #[allow(clippy::unused_self)]
    pub(crate) fn walls_near(&self, _place: Vec3, _reach_m: f32, _out: &mut Vec<[Vec2; 2]>) {}

    /// Whether a line is clear, and its last point up to which it is, both at the height of the links below.
    pub(crate) fn sight(&self, from: Vec3, to: Vec3) -> (bool, Vec3) {
        self.sight_at(Segment { from, to }, &Effort::endless())
    }

    /// The same, and what it takes is counted.
    pub(crate) fn sight_at(&self, line: Segment<Vec3>, effort: &Effort) -> (bool, Vec3) {
        let Segment { from, to } = line;
        let wrong = self.by.wrong_way(from, to, self.map.gate());
        let line = Segment { from, to: wrong.map_or(to, |wrong| wrong.before(from, to)) };
        let (is_clear, end) = self.sight_over(line, &|link| self.map.is_open(link, &self.by), effort);
        (is_clear && wrong.is_none(), end)
    }

    /// What it takes to find the link below a place.
    pub(crate) fn under_effort(map: &PointGraph, place: Vec3) -> u64 {
        let [once, each] = UNDER_EFFORT;
        once + each * map.lookup().around(ground(place)).len() as u64
    }

    /// The link that a line begins on.
    fn begin(&self, from: Vec3, usable: &dyn Fn(u32) -> bool, effort: &Effort) -> Option<LinkSpot> {
        let map = self.map;
        effort.add(Self::under_effort(map, from));
        map.lookup().under(map.net(), from, map.width_m(), usable)
    }

    /// The same over the links that a body may use. The line goes over from link to link, each time to the
    /// one that holds it furthest among those that hold it where the last one ends. Cost: the links around
    /// each of these places.
    pub(crate) fn sight_over(
        &self,
        line: Segment<Vec3>,
        usable: &dyn Fn(u32) -> bool,
        effort: &Effort,
    ) -> (bool, Vec3) {
        let Segment { from, to } = line;
        let (map, width) = (self.map, self.map.width_m());
        let Some(under) = self.begin(from, usable, effort) else { return (false, from) };
        if !to.is_finite() {
            return (false, from);
        }
        let mut link = under.link;
        let mut reached = self.cover(line, link).map_or(0.0, |[_, leave]| leave);
        // Bounded: every round goes over to a link that reaches further, and there are so many.
        while reached < 1.0 {
            let Some((leave, next)) = self.next_link(line, reached, link, usable, effort) else {
                break;
            };
            (reached, link) = (leave, next);
        }
        if reached >= 1.0 {
            let end = Vec3::new(to.x, self.height(link, to), to.z);
            return (self.is_floor_of(end, to, usable, effort), end);
        }
        let part = (reached - SHORT / f64::from(flat_distance(from, to)).max(SHORT)).max(0.0);
        let last = from.lerp(to, part as f32);
        let last = Vec3::new(last.x, self.height(link, last), last.z);
        let is_legal = map.lookup().under(map.net(), last, width, usable).is_some();
        (false, if is_legal { last } else { under.above(from) })
    }

    /// Whether the ground of a place, at which a line ends that goes there, is that on which a body at the
    /// place stands, and none above or below it.
    fn is_floor_of(&self, end: Vec3, place: Vec3, usable: &dyn Fn(u32) -> bool, effort: &Effort) -> bool {
        if (end.y - place.y).abs() <= STEP_M {
            return true;
        }
        let under = self.begin(place, usable, effort);
        under.is_some_and(|under| (under.point.y - end.y).abs() <= STEP_M)
    }

    /// The places between the ends of a line where the ground below it bends, at the height of the ground:
    /// the line over them lies on the links. Nothing where the line is not clear, or ends on another floor
    /// than it was to: it is a link, above or below which others fork off. Cost: as
    /// [`GraphGroundQuery::sight_over`], and the square of the bends.
    pub(crate) fn bends(
        &self,
        line: Segment<Vec3>,
        usable: &dyn Fn(u32) -> bool,
        effort: &Effort,
    ) -> Vec<Vec3> {
        let chain = self.chain(line, usable, effort);
        let is_meant = self.end_over(line.to, &chain).is_some_and(|end| is_level(end, line.to));
        if is_meant { self.bends_over(line, &chain, effort) } else { Vec::new() }
    }

    /// The same over links that hold the line. Cost: the square of the bends.
    pub(crate) fn bends_over(&self, line: Segment<Vec3>, chain: &Chain, effort: &Effort) -> Vec<Vec3> {
        let Segment { from, to } = line;
        effort.add(BEND_EFFORT * chain.len() as u64);
        let Some(&(mut link, _)) = chain.first() else { return Vec::new() };
        let height = |link: u32, part: f64| self.height(link, from.lerp(to, part as f32));
        let mut knots = vec![(0.0, from.y)];
        let mut begun = 0.0;
        for pair in chain.windows(2) {
            let ((own, [_, leave]), (next, [enter, _])) = (pair[0], pair[1]);
            let end = self.handover(line, [own, next], [enter.max(begun), leave.max(begun)]);
            knots.extend(self.knots(line, own, [begun, end]));
            // Where one link takes over from another, the ground is taken to be half way between them.
            knots.push((end, height(own, end).midpoint(height(next, end))));
            (begun, link) = (end, next);
        }
        knots.extend(self.knots(line, link, [begun, 1.0]));
        knots.push((1.0, to.y));
        let place = |(part, y): (f64, f32)| {
            let place = from.lerp(to, part as f32);
            Vec3::new(place.x, y, place.z)
        };
        kept_knots(&knots, effort).into_iter().map(place).collect()
    }

    /// The end of a line over links that hold it, at the height of the last of them; None where none do.
    pub(crate) fn end_over(&self, to: Vec3, chain: &Chain) -> Option<Vec3> {
        chain.last().map(|&(link, _)| Vec3::new(to.x, self.height(link, to), to.z))
    }

    /// The links that hold a line one after the other, with the parts of it that each holds; none where it is
    /// not clear. Cost: as [`GraphGroundQuery::sight_over`].
    pub(crate) fn chain(&self, line: Segment<Vec3>, usable: &dyn Fn(u32) -> bool, effort: &Effort) -> Chain {
        let Segment { from, to } = line;
        let under = self.begin(from, usable, effort).filter(|_| to.is_finite());
        let Some(LinkSpot { link, .. }) = under else { return Vec::new() };
        let first = self.cover(line, link).unwrap_or([0.0; 2]);
        let mut chain = vec![(link, first)];
        let (mut link, mut reached) = (link, first[1]);
        // Bounded: every round goes over to a link that reaches further, and there are so many.
        while reached < 1.0 {
            let Some((leave, next)) = self.next_link(line, reached, link, usable, effort) else {
                return Vec::new();
            };
            (reached, link) = (leave, next);
            chain.push((next, self.cover(line, next).unwrap_or([reached; 2])));
        }
        chain
    }

    /// The heights beside a link where it bends within a stretch of a line.
    fn knots<'s>(
        &'s self,
        line: Segment<Vec3>,
        link: u32,
        [begin, end]: [f64; 2],
    ) -> impl Iterator<Item = (f64, f32)> + use<'s, 'a> {
        let inner = self.ends_beside(line, link).into_iter().filter(move |part| begin < *part && *part < end);
        inner.map(move |part| (part, self.height(link, line.from.lerp(line.to, part as f32))))
    }

    /// Where a line goes over from one link to the next within the stretch that both hold: where they are
    /// nearest in height, the first such place.
    fn handover(&self, line: Segment<Vec3>, [own, next]: [u32; 2], [first, last]: [f64; 2]) -> f64 {
        let rise = |part: f64| {
            let place = line.from.lerp(line.to, part as f32);
            f64::from(self.height(next, place)) - f64::from(self.height(own, place))
        };
        let is_inner = |part: &f64| first < *part && *part < last;
        let ends = [own, next].into_iter().flat_map(|link| self.ends_beside(line, link));
        let mut places: Vec<(f64, f64)> =
            ends.filter(is_inner).chain([first, last]).map(|part| (part, rise(part))).collect();
        ordered::sort_by(&mut places, |a, b| a.0.total_cmp(&b.0));
        // Between two of these places the heights are straight lines, which may cross.
        let crossing = places.windows(2).find(|pair| pair[0].1 * pair[1].1 < 0.0).map(|pair| {
            let ((from, low), (to, high)) = (pair[0], pair[1]);
            from + (to - from) * low / (low - high)
        });
        let nearest = places.iter().min_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        match nearest {
            Some(&(part, rise)) if rise.abs() < LEVEL_M => part,
            nearest => crossing.unwrap_or(nearest.map_or(last, |place| place.0)),
        }
    }

    /// Where a line passes the ends of a link, as parts of the line in order: there the height beside the
    /// link bends.
    pub(crate) fn ends_beside(&self, Segment { from, to }: Segment<Vec3>, link: u32) -> Vec<f64> {
        let Segment { from: a, to: b } = self.on_ground(link);
        let (start, end) = (ground(from), ground(to));
        let dot = |p: [f64; 2], q: [f64; 2]| p[0] * q[0] + p[1] * q[1];
        let sub = |p: [f64; 2], q: [f64; 2]| [p[0] - q[0], p[1] - q[1]];
        let axis = sub(b, a);
        let (along, offset, length_sq) =
            (dot(sub(end, start), axis), dot(sub(start, a), axis), dot(axis, axis));
        if along == 0.0 {
            return Vec::new();
        }
        let mut parts = vec![-offset / along, (length_sq - offset) / along];
        if parts[1].total_cmp(&parts[0]).is_lt() {
            parts.swap(0, 1);
        }
        parts
    }

    /// Where a line goes on from the place up to which a link holds it: how far, and over which link. Ties go
    /// to the lower link. Cost: a glance at the links around the place; a closer look at those that hold it
    /// and may lead further than any before.
    fn next_link(
        &self,
        line: Segment<Vec3>,
        reached: f64,
        link: u32,
        usable: &dyn Fn(u32) -> bool,
        effort: &Effort,
    ) -> Option<(f64, u32)> {
        let (from, to) = (ground(line.from), ground(line.to));
        let along = [to[0] - from[0], to[1] - from[1]];
        let place = [from[0] + along[0] * reached, from[1] + along[1] * reached];
        let meeting = line.from.lerp(line.to, reached as f32);
        let height = self.height(link, meeting);
        let near_m = f64::from(self.map.width_m()) + NEAR_M;
        // As far as a link can hold the line: as its further end does, and its width beyond.
        let length_sq = along[0] * along[0] + along[1] * along[1];
        let beyond = near_m * libm::sqrt(length_sq);
        let part = |end: Point| (end[0] - from[0]) * along[0] + (end[1] - from[1]) * along[1];
        let around = self.map.lookup().around(place);
        effort.add(HOP_EFFORT + LOOK_EFFORT * around.len() as u64);
        let mut next: Option<(f64, u32)> = None;
        for &other in around {
            note_look();
            let Segment { from: a, to: b } = self.on_ground(other);
            let furthest = next.map_or(reached, |(furthest, _)| furthest);
            if part(a).max(part(b)) + beyond < furthest * length_sq
                || is_beside(place, a, b, near_m)
                || segment_distance_sq(place, a, b) > near_m * near_m
                || !usable(other)
            {
                continue;
            }
            effort.add(COVER_EFFORT);
            let Some([enter, leave]) = self.cover(line, other) else { continue };
            let holds = enter <= reached + 1e-9 && leave > reached + 1e-12;
            let is_level = (self.height(other, meeting) - height).abs() <= STEP_M;
            if holds && is_level && next.is_none_or(|(furthest, _)| leave > furthest) {
                next = Some((leave, other));
            }
        }
        next
    }

    /// [`GraphGroundQuery::sight`] by a look at every link, each time it goes over to another.
    #[cfg(test)]
    pub(crate) fn sight_by_all_links(&self, from: Vec3, to: Vec3) -> (bool, Vec3) {
        let (map, usable) = (self.map, |link: u32| self.map.is_open(link, &self.by));
        let Some(under) = map.lookup().under(map.net(), from, map.width_m(), &usable) else {
            return (false, from);
        };
        let all = (0..map.net().links().len() as u32).filter(|&link| usable(link));
        let covers: Vec<(u32, [f64; 2])> =
            all.filter_map(|link| Some((link, self.cover(Segment { from, to }, link)?))).collect();
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
            let ends = covers.iter().filter(|cover| cover.1[1] >= 1.0).map(|cover| self.height(cover.0, to));
            let rise = |y: f32| (y - to.y).abs();
            let floor = ends.min_by(|a, b| rise(*a).total_cmp(&rise(*b))).filter(|y| rise(*y) <= STOREY_M);
            let end = Vec3::new(to.x, self.height(link, to), to.z);
            let is_here = rise(end.y) <= STEP_M || floor.is_some_and(|y| (y - end.y).abs() <= STEP_M);
            return (is_here, end);
        }
        let part = (reached - SHORT / f64::from(flat_distance(from, to)).max(SHORT)).max(0.0);
        let last = from.lerp(to, part as f32);
        let last = Vec3::new(last.x, self.height(link, last), last.z);
        let is_legal = self.is_walkable(last);
        (false, if is_legal { last } else { under.above(from) })
    }

    /// The height of a link beside a place.
    pub(crate) fn height(&self, link: u32, place: Vec3) -> f32 {
        spot(self.map.net(), link, place).point.y
    }

    /// The part of a line within the width of a link.
    pub(crate) fn cover(&self, Segment { from, to }: Segment<Vec3>, link: u32) -> Option<[f64; 2]> {
        within_stadium(
            Segment { from: ground(from), to: ground(to) },
            self.on_ground(link),
            self.map.width_m(),
        )
    }

    /// The ends of a link, on the ground.
    fn on_ground(&self, link: u32) -> Segment<Point> {
        let net = self.map.net();
        let [from, to] = net.places(link).map(ground);
        Segment { from, to }
    }

    /// The same place at the height of the ground.
    pub(crate) fn grounded(&self, place: Vec3) -> Vec3 {
        let under: Option<LinkSpot> = self.map.spot(place, &self.by);
        under.map_or(place, |spot| spot.above(place))
    }
}

/// Whether a line that ends at a point ends where it was to end, and not on a link above or below.
pub(crate) fn is_level(end: Vec3, to: Vec3) -> bool {
    (end.y - to.y).abs() < 0.1
}

/// Whether a segment is further from a place than a distance along one axis alone.
#[inline(always)]
fn is_beside(place: Point, a: Point, b: Point, near_m: f64) -> bool {
    let is_off = |at: usize| place[at] < a[at].min(b[at]) - near_m || place[at] > a[at].max(b[at]) + near_m;
    is_off(0) || is_off(1)
}

/// The knots between the first and the last that a line needs to keep within [`BEND_M`] of all of them, in
/// order. Source: Ramer 1972; Douglas and Peucker 1973, in height alone.
fn kept_knots(knots: &[(f64, f32)], effort: &Effort) -> Vec<(f64, f32)> {
    let mut kept = vec![false; knots.len()];
    let mut waiting = vec![(0, knots.len().saturating_sub(1))];
    // Bounded: each round settles a knot or ends a stretch.
    while let Some((first, last)) = waiting.pop() {
        effort.add(LOOK_EFFORT * (last - first) as u64);
        let ((from, low), (to, high)) = (knots[first], knots[last]);
        let off = |at: usize| {
            let part = if to > from { (knots[at].0 - from) / (to - from) } else { 0.0 };
            (f64::from(knots[at].1) - (f64::from(low) + part * f64::from(high - low))).abs()
        };
        let worst = (first + 1..last).max_by(|&a, &b| off(a).total_cmp(&off(b)).then(b.cmp(&a)));
        let Some(worst) = worst.filter(|&at| off(at) > BEND_M) else { continue };
        kept[worst] = true;
        waiting.extend([(first, worst), (worst, last)]);
    }
    let mut last = 0.0;
    let inner = knots.iter().zip(kept).filter(|(_, is_kept)| *is_kept).map(|(knot, _)| *knot);
    // Two places of a way lie apart on the ground.
    inner
        .filter(|&(part, _)| {
            let is_apart = part > last + 1e-6 && part < 1.0 - 1e-6;
            last = if is_apart { part } else { last };
            is_apart
        })
        .collect()
}

/// The part of a line within a distance of a segment: convex, so one stretch.
fn within_stadium(line: Segment<Point>, link: Segment<Point>, width_m: f32) -> Option<[f64; 2]> {
    // As wide as what counts as standing on it.
    let width = f64::from(width_m) + 1e-4;
    let (Segment { from, to }, Segment { from: a, to: b }) = (line, link);
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
