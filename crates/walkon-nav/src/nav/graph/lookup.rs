//! Finds the link under a place.
//!
//! In: a net, and links of it that come and go; places. Out: the nearest link in reach, and where on it.
//! Holds: ties go to the lower link; the same answer as a look at every link. Not here: which links are open
//! (the caller says).

use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::geom::{self, Point, Segment, ground};
use crate::nav::graph::adjacency::Adjacency;
use crate::nav::graph::climb::STEP_M;
use crate::nav::graph::map::STOREY_M;
use crate::nav::smooth::Effort;

/// Links sorted by the squares of ground that they touch. `Default` has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkLookup {
    cell_m: f64,
    width_m: f32,
    /// Squares that a link comes near, as (column, row), sorted.
    squares: Vec<(i32, i32)>,
    /// Where the links of each square begin; one more than there are squares.
    first: Vec<u32>,
    /// The links of every square, sorted.
    links: Vec<u32>,
    /// The links of squares that have changed since, sorted.
    changed: BTreeMap<(i32, i32), Vec<u32>>,
}

/// How much wider than their width links are laid, metres: a question about a place in a square finds all
/// links that hold it, however the place was rounded.
const MARGIN_M: f64 = 1e-3;

/// What it takes to look for links in a column of squares, at a square, to put a link in order, and to see
/// how far it is.
const COLUMN_EFFORT: u64 = 64;
const SQUARE_EFFORT: u64 = 16;
const SORT_EFFORT: u64 = 32;
const OFFER_EFFORT: u64 = 24;

/// Counts the links that are looked at, for the laws on what work is charged as.
#[cfg(test)]
pub(crate) mod looks {
    use std::cell::Cell;

    thread_local! {
        static COUNT: Cell<u64> = const { Cell::new(0) };
    }

    pub(crate) fn note() {
        COUNT.set(COUNT.get() + 1);
    }

    pub(crate) fn take() -> u64 {
        COUNT.replace(0)
    }
}

#[inline(always)]
pub(crate) fn note_look() {
    #[cfg(test)]
    looks::note();
}

/// A place on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinkSpot {
    pub(crate) link: u32,
    /// How far along it, 0 at its lower end to 1.
    pub(crate) part: f32,
    /// The place on the link, world metres.
    pub(crate) point: Vec3,
}

impl LinkSpot {
    /// A point on the ground beside the link, at its height.
    pub(crate) fn above(&self, point: Vec3) -> Vec3 {
        Vec3::new(point.x, self.point.y, point.z)
    }
}

impl LinkLookup {
    pub(crate) fn new(net: &Adjacency, width_m: f32) -> Self {
        let count = net.links().len();
        let total: f64 = net.links().iter().map(|ends| flat_m(net, *ends)).sum();
        let mean = if count == 0 { 1.0 } else { total / count as f64 };
        // Half as wide as a link with its width is long: a line looks around at each link.
        let cell_m = (0.5 * mean + f64::from(width_m)).clamp(0.25, 64.0);
        let mut lookup = Self { cell_m, width_m, ..Self::default() };
        let mut entries: Vec<(i32, i32, u32)> = Vec::with_capacity(4 * count);
        for link in 0..count as u32 {
            lookup.each_square(net, link, |x, z| entries.push((x, z, link)));
        }
        entries.sort_unstable();
        lookup.lay(&entries);
        lookup
    }

    /// The squares that a link comes near.
    fn each_square(&self, net: &Adjacency, link: u32, mut visit: impl FnMut(i32, i32)) {
        let cell_m = self.cell_m;
        let width = f64::from(self.width_m) + MARGIN_M;
        let reach = cell_m * 0.7072 + width;
        let [a, b] = net.places(link).map(ground);
        let bounds = geom::Bounds::of(&[a, b]).grown(width);
        let ([from_x, from_z], [to_x, to_z]) = (self.cell(bounds.min), self.cell(bounds.max));
        for z in from_z..=to_z {
            // A long link slants: of each row only what it comes near is looked at, or a far one would take
            // all of the ground between.
            let low = f64::from(z) * cell_m - reach;
            let Some([one, two]) = across_band(a, b, [low, low + cell_m + 2.0 * reach]) else { continue };
            let ends = [one.min(two) - reach, one.max(two) + reach].map(|x| self.cell([x, 0.0])[0]);
            for x in ends[0].max(from_x)..=ends[1].min(to_x) {
                let middle = [(f64::from(x) + 0.5) * cell_m, (f64::from(z) + 0.5) * cell_m];
                if geom::segment_distance_sq(middle, a, b) <= reach * reach {
                    visit(x, z);
                }
            }
        }
    }

    /// Notes a link under a number that no other has. Cost: its squares.
    pub(crate) fn put(&mut self, net: &Adjacency, link: u32) {
        if self.cell_m == 0.0 {
            *self = Self::new(net, self.width_m);
            return;
        }
        self.change(net, link, |links| {
            if let Err(at) = links.binary_search(&link) {
                links.insert(at, link);
            }
        });
    }

    /// Forgets a link of the net as it is. Cost: its squares.
    pub(crate) fn take(&mut self, net: &Adjacency, link: u32) {
        self.change(net, link, |links| links.retain(|&other| other != link));
    }

    fn change(&mut self, net: &Adjacency, link: u32, edit: impl Fn(&mut Vec<u32>)) {
        let mut squares = Vec::new();
        self.each_square(net, link, |x, z| squares.push((x, z)));
        for (x, z) in squares {
            let mut links = self.at(x, z).to_vec();
            edit(&mut links);
            self.changed.insert((x, z), links);
        }
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
        if let Some(links) = self.changed.get(&(x, z)) {
            return links;
        }
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

    /// The nearest usable link on the ground within a width, at the height of a body: ties to the nearer in
    /// height, then the lower.
    pub(crate) fn under(
        &self,
        net: &Adjacency,
        point: Vec3,
        width_m: f32,
        usable: &dyn Fn(u32) -> bool,
    ) -> Option<LinkSpot> {
        if !point.is_finite() || net.links().is_empty() {
            return None;
        }
        let mut best: Option<((f32, u32), LinkSpot)> = None;
        for &link in self.around(ground(point)) {
            note_look();
            let spot = spot(net, link, point);
            if !is_below(spot.point, point, width_m) {
                continue;
            }
            // Nearest in height first: on stairs over a hall both may be near on the ground.
            let rank = ((spot.point.y - point.y).abs(), link);
            if best.as_ref().is_none_or(|(least, _)| rank < *least) && usable(link) {
                best = Some((rank, spot));
            }
        }
        best.map(|(_, spot)| spot)
    }

    /// All usable links on the ground within a width of a body, at the height of the one under it, a step
    /// more or less: that one first, then the lower.
    pub(crate) fn holding(
        &self,
        net: &Adjacency,
        point: Vec3,
        width_m: f32,
        usable: &dyn Fn(u32) -> bool,
    ) -> Vec<LinkSpot> {
        let Some(under) = self.under(net, point, width_m, usable) else { return Vec::new() };
        let mut all = vec![under];
        for &link in self.around(ground(point)) {
            note_look();
            let spot = spot(net, link, point);
            let is_here =
                is_within(spot.point, point, width_m) && (spot.point.y - under.point.y).abs() <= STEP_M;
            if is_here && link != under.link && usable(link) {
                all.push(spot);
            }
        }
        all
    }

    /// Links whose squares a line on the ground comes through, each once, sorted. Cost: the rows of squares
    /// that it comes through, and the links.
    pub(crate) fn along(&self, from: Vec3, to: Vec3, reach_m: f32, out: &mut Vec<u32>) {
        self.along_at(Segment { from, to }, reach_m, out, &Effort::endless());
    }

    /// The same, and what it takes is counted.
    pub(crate) fn along_at(
        &self,
        Segment { from, to }: Segment<Vec3>,
        reach_m: f32,
        out: &mut Vec<u32>,
        effort: &Effort,
    ) {
        out.clear();
        let bounds = geom::Bounds::of(&[ground(from), ground(to)]).grown(f64::from(reach_m));
        let ([from_x, from_z], [to_x, to_z]) = (self.cell(bounds.min), self.cell(bounds.max));
        let (a, b) = (ground(from), ground(to));
        let reach = self.cell_m * 0.7072 + f64::from(reach_m);
        let is_near = |&(x, z): &(i32, i32)| {
            let middle = [(f64::from(x) + 0.5) * self.cell_m, (f64::from(z) + 0.5) * self.cell_m];
            geom::segment_distance_sq(middle, a, b) <= reach * reach
        };
        // Beyond the first and the last there is nothing.
        let ends = [self.squares.first(), self.squares.last()];
        let changed = [self.changed.keys().next(), self.changed.keys().next_back()];
        let columns: Vec<i32> = ends.into_iter().chain(changed).flatten().map(|square| square.0).collect();
        let first = columns.iter().copied().min().map_or(1, |first| first.max(from_x));
        let last = columns.iter().copied().max().map_or(0, |last| last.min(to_x));
        for x in first..=last {
            let begin = self.squares.partition_point(|square| *square < (x, from_z));
            let column = self.squares[begin..].iter().take_while(|square| **square <= (x, to_z));
            let kept = (begin..).zip(column).filter(|(_, square)| !self.changed.contains_key(square));
            let mut seen = 0;
            for (at, _) in kept.inspect(|_| seen += 1).filter(|(_, square)| is_near(square)) {
                out.extend_from_slice(&self.links[self.first[at] as usize..self.first[at + 1] as usize]);
            }
            let changed = self.changed.range((x, from_z)..=(x, to_z)).inspect(|_| seen += 1);
            changed.filter(|(square, _)| is_near(square)).for_each(|(_, links)| out.extend_from_slice(links));
            effort.add(COLUMN_EFFORT + SQUARE_EFFORT * seen);
        }
        effort.add(SORT_EFFORT * out.len() as u64);
        out.sort_unstable();
        out.dedup();
    }

    /// Whether the squares around a place hold fewer links than there are: each link lies in several, and
    /// those found are put in order.
    pub(crate) fn is_worth_looking(&self, reach_m: f32) -> bool {
        const ORDER: f64 = 4.0;
        let across = 2.0 * f64::from(reach_m) / self.cell_m + 1.0;
        let of_a_square = self.links.len() as f64 / self.squares.len().max(1) as f64;
        ORDER * across * across * of_a_square < self.links.len() as f64
    }

    /// The place on a usable link nearest in space, within a distance; ties to the lower link. Cost: the
    /// links as near as the answer; every link where none is within some tens of squares.
    pub(crate) fn nearest(
        &self,
        net: &Adjacency,
        point: Vec3,
        within_m: f32,
        usable: &dyn Fn(u32) -> bool,
        effort: &Effort,
    ) -> Option<LinkSpot> {
        if !point.is_finite() || net.links().is_empty() {
            return None;
        }
        let mut best = Best { within_m, found: None };
        let mut near = Vec::new();
        for squares in [4.0, 16.0, 64.0] {
            let reach_m = f64::from(within_m).min(squares * self.cell_m) as f32;
            if !self.is_worth_looking(reach_m) {
                break;
            }
            self.along_at(Segment { from: point, to: point }, reach_m, &mut near, effort);
            effort.add(OFFER_EFFORT * near.len() as u64);
            for &link in &near {
                note_look();
                best.offer(spot_in_space(net, link, point), point, usable);
            }
            // Nothing further off is nearer than what lies within the reach.
            if reach_m == within_m || best.away_m() <= reach_m {
                return best.found.map(|(_, spot)| spot);
            }
        }
        let all = 0..net.links().len() as u32;
        effort.add(OFFER_EFFORT * u64::from(all.end));
        all.for_each(|link| {
            note_look();
            best.offer(spot_in_space(net, link, point), point, usable);
        });
        best.found.map(|(_, spot)| spot)
    }

    /// The point of the graph nearest in space, within a storey.
    pub(crate) fn nearest_point(&self, net: &Adjacency, point: Vec3) -> Option<u32> {
        let spot = self.nearest(net, point, STOREY_M, &|_| true, &Effort::endless())?;
        let [a, b] = net.links()[spot.link as usize];
        Some(if spot.part <= 0.5 { a } else { b })
    }
}

/// The nearest place so far.
struct Best {
    within_m: f32,
    found: Option<((f32, u32), LinkSpot)>,
}

impl Best {
    fn offer(&mut self, spot: LinkSpot, point: Vec3, usable: &dyn Fn(u32) -> bool) {
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

/// Where a line enters a band along x, and where it leaves it; None where it does not meet it.
fn across_band(a: Point, b: Point, [low, high]: [f64; 2]) -> Option<[f64; 2]> {
    let rise = b[1] - a[1];
    if rise == 0.0 {
        return (low..=high).contains(&a[1]).then_some([a[0], b[0]]);
    }
    let [enter, leave] = [low, high].map(|z| (z - a[1]) / rise);
    let (enter, leave) = (enter.min(leave).max(0.0), enter.max(leave).min(1.0));
    (enter <= leave).then(|| [enter, leave].map(|part| a[0] + part * (b[0] - a[0])))
}

fn flat_m(net: &Adjacency, ends: [u32; 2]) -> f64 {
    let [a, b] = ends.map(|end| net.points()[end as usize]);
    f64::from(geom::flat_distance(a, b))
}

/// Links whose length on the ground is a lesser part of their length than this lead straight up: on the
/// ground all of them is one place.
const UPRIGHT: f32 = 0.01;

/// Whether two places lie within a width of one another on the ground.
fn is_within(place: Vec3, point: Vec3, width_m: f32) -> bool {
    geom::flat_distance(place, point) <= width_m + 1e-4
}

/// Whether a body at a point stands over a place of the ground: within a width, and on the same storey.
pub(crate) fn is_below(place: Vec3, point: Vec3, width_m: f32) -> bool {
    is_within(place, point, width_m) && (place.y - point.y).abs() <= STOREY_M
}

/// Whether on the ground all of a link is one place.
pub(crate) fn is_upright([a, b]: [Vec3; 2]) -> bool {
    ((b - a) * Vec3::new(1.0, 0.0, 1.0)).length() < UPRIGHT * (b - a).length()
}

/// The place on a link that is nearest on the ground; nearest in space where it leads straight up.
pub(crate) fn spot(net: &Adjacency, link: u32, point: Vec3) -> LinkSpot {
    let flat = Vec3::new(1.0, 0.0, 1.0);
    if is_upright(net.places(link)) {
        return spot_in_space(net, link, point);
    }
    project(net, link, |a, b| ((point - a) * flat, (b - a) * flat))
}

/// The place on a link that is nearest in space.
pub(crate) fn spot_in_space(net: &Adjacency, link: u32, point: Vec3) -> LinkSpot {
    project(net, link, |a, b| (point - a, b - a))
}

fn project(net: &Adjacency, link: u32, offset: impl Fn(Vec3, Vec3) -> (Vec3, Vec3)) -> LinkSpot {
    let [a, b] = net.places(link);
    let (from, along) = offset(a, b);
    let square = along.length_squared();
    let part = if square > 0.0 { (from.dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    LinkSpot { link, part, point: a.lerp(b, part) }
}
