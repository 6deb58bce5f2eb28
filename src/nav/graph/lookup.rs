//! Which link is under a place.
//!
//! In: a net; places. Out: the nearest link in reach, and where on it. Holds: ties go to the lower link; the same answer as a look at
//! every link. Not here: which links are open (the caller says).

use glam::Vec3;

use crate::base::geom::{self, Point, ground};
use crate::nav::graph::map::STOREY_M;
use crate::nav::graph::net::Net;

/// Links sorted by the squares of ground that they touch. `Default` has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookup {
    cell_m: f64,
    /// Squares that a link comes near, as (column, row), sorted.
    squares: Vec<(i32, i32)>,
    /// Where the links of each square begin; one more than there are squares.
    first: Vec<u32>,
    /// The links of every square, sorted.
    links: Vec<u32>,
}

/// How much wider than their width links are laid, metres: whoever asks about a place in a square finds all links that hold it,
/// however the place was rounded.
const MARGIN_M: f64 = 1e-3;

/// A place on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    pub(crate) link: u32,
    /// How far along it, 0 at its lower end to 1.
    pub(crate) part: f32,
    /// The place on the link, world metres.
    pub(crate) point: Vec3,
}

impl Spot {
    /// A point on the ground beside the link, at its height.
    pub(crate) fn above(&self, point: Vec3) -> Vec3 {
        Vec3::new(point.x, self.point.y, point.z)
    }
}

impl Lookup {
    pub(crate) fn new(net: &Net, width_m: f32) -> Self {
        let count = net.links().len();
        let total: f64 = net.links().iter().map(|ends| flat_m(net, *ends)).sum();
        let mean = if count == 0 { 1.0 } else { total / count as f64 };
        let cell_m = (mean + 2.0 * f64::from(width_m)).clamp(0.25, 64.0);
        let mut lookup = Self { cell_m, ..Self::default() };
        let mut entries: Vec<(i32, i32, u32)> = Vec::with_capacity(4 * count);
        let width = f64::from(width_m) + MARGIN_M;
        for (link, ends) in (0..).zip(net.links()) {
            let [a, b] = ends.map(|end| ground(net.points()[end as usize]));
            let bounds = geom::Bounds::of(&[a, b]).grown(width);
            let ([from_x, from_z], [to_x, to_z]) = (lookup.cell(bounds.min), lookup.cell(bounds.max));
            for z in from_z..=to_z {
                for x in from_x..=to_x {
                    // A long link slants: squares that it does not come near are left out.
                    let middle = [(f64::from(x) + 0.5) * cell_m, (f64::from(z) + 0.5) * cell_m];
                    let reach = cell_m * 0.7072 + width;
                    if geom::segment_distance_sq(middle, a, b) <= reach * reach {
                        entries.push((x, z, link));
                    }
                }
            }
        }
        entries.sort_unstable();
        lookup.lay(&entries);
        lookup
    }

    /// Packs sorted entries of (column, row, link).
    fn lay(&mut self, entries: &[(i32, i32, u32)]) {
        for (at, &(x, z, link)) in (0..).zip(entries) {
            if self.squares.last() != Some(&(x, z)) {
                self.squares.push((x, z));
                self.first.push(at);
            }
            self.links.push(link);
        }
        self.first.push(entries.len() as u32);
    }

    fn cell(&self, [x, z]: Point) -> [i32; 2] {
        // The casts saturate: far out there are no links.
        [x, z].map(|value| (value / self.cell_m).floor() as i32)
    }

    /// The links near a square, sorted.
    fn at(&self, x: i32, z: i32) -> &[u32] {
        match self.squares.binary_search(&(x, z)) {
            Ok(square) => &self.links[self.first[square] as usize..self.first[square + 1] as usize],
            Err(_) => &[],
        }
    }

    /// The links of the square around a place, sorted: all that hold it are among them.
    pub(crate) fn around(&self, place: Point) -> &[u32] {
        let [x, z] = self.cell(place);
        self.at(x, z)
    }

    /// The nearest usable link on the ground within a width, at the height of a body: ties to the nearer in height, then the lower.
    pub(crate) fn under(
        &self,
        net: &Net,
        point: Vec3,
        width_m: f32,
        usable: &dyn Fn(u32) -> bool,
    ) -> Option<Spot> {
        if !point.is_finite() || self.links.is_empty() {
            return None;
        }
        let mut best: Option<((f32, u32), Spot)> = None;
        for &link in self.around(ground(point)) {
            let spot = spot(net, link, point);
            let flat = geom::flat_distance(spot.point, point);
            let rise = (spot.point.y - point.y).abs();
            if flat > width_m + 1e-4 || rise > STOREY_M {
                continue;
            }
            // Nearest in height first: on stairs over a hall both may be near on the ground.
            let rank = (rise, link);
            if best.as_ref().is_none_or(|(least, _)| rank < *least) && usable(link) {
                best = Some((rank, spot));
            }
        }
        best.map(|(_, spot)| spot)
    }

    /// Links whose squares a line on the ground comes through, each once, sorted.
    pub(crate) fn along(&self, from: Vec3, to: Vec3, reach_m: f32, out: &mut Vec<u32>) {
        out.clear();
        let bounds = geom::Bounds::of(&[ground(from), ground(to)]).grown(f64::from(reach_m));
        let ([from_x, from_z], [to_x, to_z]) = (self.cell(bounds.min), self.cell(bounds.max));
        let (a, b) = (ground(from), ground(to));
        let reach = self.cell_m * 0.7072 + f64::from(reach_m);
        for x in from_x..=to_x {
            for z in from_z..=to_z {
                let middle = [(f64::from(x) + 0.5) * self.cell_m, (f64::from(z) + 0.5) * self.cell_m];
                if geom::segment_distance_sq(middle, a, b) <= reach * reach {
                    out.extend_from_slice(self.at(x, z));
                }
            }
        }
        out.sort_unstable();
        out.dedup();
    }

    /// The place on a usable link nearest in space, within a distance; ties to the lower link. Cost: the links as near as the
    /// answer; every link where none is within some tens of squares.
    pub(crate) fn nearest(
        &self,
        net: &Net,
        point: Vec3,
        within_m: f32,
        usable: &dyn Fn(u32) -> bool,
    ) -> Option<Spot> {
        if !point.is_finite() || self.links.is_empty() {
            return None;
        }
        let mut best = Best { within_m, found: None };
        let mut near = Vec::new();
        for squares in [2.0, 8.0, 32.0] {
            let reach_m = f64::from(within_m).min(squares * self.cell_m) as f32;
            self.along(point, point, reach_m, &mut near);
            near.iter().for_each(|&link| best.offer(spot_in_space(net, link, point), point, usable));
            // Nothing further off is nearer than what lies within the reach.
            if reach_m == within_m || best.away_m() <= reach_m {
                return best.found.map(|(_, spot)| spot);
            }
        }
        let all = 0..net.links().len() as u32;
        all.for_each(|link| best.offer(spot_in_space(net, link, point), point, usable));
        best.found.map(|(_, spot)| spot)
    }

    /// The point of the graph nearest in space, within a storey.
    pub(crate) fn nearest_point(&self, net: &Net, point: Vec3) -> Option<u32> {
        let spot = self.nearest(net, point, STOREY_M, &|_| true)?;
        let [a, b] = net.links()[spot.link as usize];
        Some(if spot.part <= 0.5 { a } else { b })
    }
}

/// The nearest place so far.
struct Best {
    within_m: f32,
    found: Option<((f32, u32), Spot)>,
}

impl Best {
    fn offer(&mut self, spot: Spot, point: Vec3, usable: &dyn Fn(u32) -> bool) {
        let rank = (spot.point.distance(point), spot.link);
        let is_better = self.found.as_ref().is_none_or(|(least, _)| rank < *least);
        if rank.0 <= self.within_m && is_better && usable(spot.link) {
            self.found = Some((rank, spot));
        }
    }

    fn away_m(&self) -> f32 {
        self.found.as_ref().map_or(f32::INFINITY, |((away_m, _), _)| *away_m)
    }
}

fn flat_m(net: &Net, ends: [u32; 2]) -> f64 {
    let [a, b] = ends.map(|end| net.points()[end as usize]);
    f64::from(geom::flat_distance(a, b))
}

/// Links whose length on the ground is a lesser part of their length than this lead straight up: on the ground all of them is one place.
const UPRIGHT: f32 = 0.01;

/// The place on a link that is nearest on the ground; nearest in space where it leads straight up.
pub(crate) fn spot(net: &Net, link: u32, point: Vec3) -> Spot {
    let flat = Vec3::new(1.0, 0.0, 1.0);
    let [a, b] = net.links()[link as usize].map(|end| net.points()[end as usize]);
    if ((b - a) * flat).length() < UPRIGHT * (b - a).length() {
        return spot_in_space(net, link, point);
    }
    project(net, link, |a, b| ((point - a) * flat, (b - a) * flat))
}

/// The place on a link that is nearest in space.
pub(crate) fn spot_in_space(net: &Net, link: u32, point: Vec3) -> Spot {
    project(net, link, |a, b| (point - a, b - a))
}

fn project(net: &Net, link: u32, offset: impl Fn(Vec3, Vec3) -> (Vec3, Vec3)) -> Spot {
    let [a, b] = net.links()[link as usize].map(|end| net.points()[end as usize]);
    let (from, along) = offset(a, b);
    let square = along.length_squared();
    let part = if square > 0.0 { (from.dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    Spot { link, part, point: a.lerp(b, part) }
}
