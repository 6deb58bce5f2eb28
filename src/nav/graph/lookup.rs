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
    /// (column, row, link), sorted; a link stands in every square that it comes near.
    entries: Vec<(i32, i32, u32)>,
}

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
        let mut lookup = Self { cell_m, entries: Vec::with_capacity(4 * count) };
        for (link, ends) in (0..).zip(net.links()) {
            let [a, b] = ends.map(|end| ground(net.points()[end as usize]));
            let bounds = geom::Bounds::of(&[a, b]).grown(f64::from(width_m));
            let ([from_x, from_z], [to_x, to_z]) = (lookup.cell(bounds.min), lookup.cell(bounds.max));
            for z in from_z..=to_z {
                for x in from_x..=to_x {
                    // A long link slants: squares that it does not come near are left out.
                    let middle = [(f64::from(x) + 0.5) * cell_m, (f64::from(z) + 0.5) * cell_m];
                    let reach = cell_m * 0.7072 + f64::from(width_m);
                    if geom::segment_distance_sq(middle, a, b) <= reach * reach {
                        lookup.entries.push((x, z, link));
                    }
                }
            }
        }
        lookup.entries.sort_unstable();
        lookup
    }

    fn cell(&self, [x, z]: Point) -> [i32; 2] {
        // The casts saturate: far out there are no links.
        [x, z].map(|value| (value / self.cell_m).floor() as i32)
    }

    /// The links near a square.
    fn at(&self, x: i32, z: i32) -> &[(i32, i32, u32)] {
        let first = self.entries.partition_point(|entry| (entry.0, entry.1) < (x, z));
        let end = first + self.entries[first..].partition_point(|entry| (entry.0, entry.1) == (x, z));
        &self.entries[first..end]
    }

    /// The nearest usable link on the ground within a width, at the height of a body: ties to the nearer in height, then the lower.
    pub(crate) fn under(
        &self,
        net: &Net,
        point: Vec3,
        width_m: f32,
        usable: &dyn Fn(u32) -> bool,
    ) -> Option<Spot> {
        if !point.is_finite() || self.entries.is_empty() {
            return None;
        }
        let [x, z] = self.cell(ground(point));
        let mut best: Option<((f32, u32), Spot)> = None;
        for &(_, _, link) in self.at(x, z) {
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
                    out.extend(self.at(x, z).iter().map(|entry| entry.2));
                }
            }
        }
        out.sort_unstable();
        out.dedup();
    }

    /// The place on a usable link nearest in space, within a distance; ties to the lower link. Cost: the links within the distance.
    pub(crate) fn nearest(
        &self,
        net: &Net,
        point: Vec3,
        within_m: f32,
        usable: &dyn Fn(u32) -> bool,
    ) -> Option<Spot> {
        if !point.is_finite() || self.entries.is_empty() {
            return None;
        }
        let mut best: Option<((f32, u32), Spot)> = None;
        let mut offer = |link: u32| {
            let spot = spot_in_space(net, link, point);
            let rank = (spot.point.distance(point), link);
            if rank.0 <= within_m && best.as_ref().is_none_or(|(least, _)| rank < *least) && usable(link) {
                best = Some((rank, spot));
            }
        };
        if f64::from(within_m) < 16.0 * self.cell_m {
            let mut near = Vec::new();
            self.along(point, point, within_m, &mut near);
            near.into_iter().for_each(&mut offer);
        } else {
            (0..net.links().len() as u32).for_each(&mut offer);
        }
        best.map(|(_, spot)| spot)
    }

    /// The point of the graph nearest in space, within a storey.
    pub(crate) fn nearest_point(&self, net: &Net, point: Vec3) -> Option<u32> {
        let spot = self.nearest(net, point, STOREY_M, &|_| true)?;
        let [a, b] = net.links()[spot.link as usize];
        Some(if spot.part <= 0.5 { a } else { b })
    }
}

fn flat_m(net: &Net, ends: [u32; 2]) -> f64 {
    let [a, b] = ends.map(|end| net.points()[end as usize]);
    f64::from(geom::flat_distance(a, b))
}

/// The place on a link that is nearest on the ground.
pub(crate) fn spot(net: &Net, link: u32, point: Vec3) -> Spot {
    let flat = Vec3::new(1.0, 0.0, 1.0);
    project(net, link, |a, b| ((point - a) * flat, (b - a) * flat))
}

/// The place on a link that is nearest in space.
fn spot_in_space(net: &Net, link: u32, point: Vec3) -> Spot {
    project(net, link, |a, b| (point - a, b - a))
}

fn project(net: &Net, link: u32, offset: impl Fn(Vec3, Vec3) -> (Vec3, Vec3)) -> Spot {
    let [a, b] = net.links()[link as usize].map(|end| net.points()[end as usize]);
    let (from, along) = offset(a, b);
    let square = along.length_squared();
    let part = if square > 0.0 { (from.dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    Spot { link, part, point: a.lerp(b, part) }
}
