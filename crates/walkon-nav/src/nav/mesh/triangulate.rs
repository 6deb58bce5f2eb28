//! Triangulates lines on the ground and joins the triangles into convex polygons.
//!
//! In: segments that may cross, and what lies where; perhaps a ring that the ground ends at. Out: a
//! [`Topology`] of convex polygons with one owner each, or their rings. No two of them could be joined across
//! the edge that they share. Holds: the owner of the ground is asked for at the middle of each triangle, so
//! gaps that rounding leaves in the lines let nothing leak. The same lines give the same polygons. Source: a
//! constrained Delaunay triangulation (`spade`); triangles joined as Hertel and Mehlhorn 1983 do, long edges
//! first.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use spade::handles::FixedVertexHandle;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use crate::base::geom::{self, Bounds, Point};
use crate::base::ordered;
use crate::nav::mesh::locate::distance_sq;
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::tree::RectangleTree;

/// Places are rounded to this many parts of a metre, so that those meant to be equal are.
const PARTS_PER_M: f64 = 1_048_576.0;

/// Ends of segments this near to others lie on them, metres.
pub(crate) const NEAR_M: f64 = 1.5e-6;
/// How often segments are cut where they meet.
pub(crate) const ROUNDS_MAX: usize = 6;

/// A segment of the ground plane.
pub(crate) type GroundSegment = geom::Segment<Point>;

/// The polygons between some lines at one height. `owner` names the owner of the ground at a point; None:
/// there is no ground.
pub(crate) fn arrange(
    lines: &[GroundSegment],
    owner: &dyn Fn(Point) -> Option<u32>,
    height_m: f64,
) -> Topology {
    let made = arrange_rings(lines, owner);
    let heights = vec![height_m; made.points.len()];
    Topology::new(made.points, heights, &made.rings, made.owners)
}

/// The polygons between some lines, as rings of corners.
pub(crate) fn arrange_rings(lines: &[GroundSegment], owner: &dyn Fn(Point) -> Option<u32>) -> OwnedRings {
    let lines = split(lines);
    let mut triangles = Triangles::around(&lines);
    triangles.put_lines(&lines);
    let mut sheet = PolygonRings::of(&triangles.all, &|_| true, owner);
    sheet.join();
    OwnedRings { refused: triangles.refused, ..sheet.into_rings() }
}

/// The polygons between some lines within a ring of corners, the inside to its left. Lines and ring are cut
/// wherever they meet (see [`meetings`]).
pub(crate) fn arrange_within(
    ring: &[Point],
    lines: &[GroundSegment],
    owner: &dyn Fn(Point) -> Option<u32>,
) -> OwnedRings {
    let mut triangles = Triangles::around(lines);
    // All corners before any edge, so that none comes to lie on one.
    let corners: Vec<FixedVertexHandle> = ring.iter().filter_map(|&corner| triangles.put(corner)).collect();
    let ends: Vec<_> = lines.iter().map(|line| [line.from, line.to].map(|end| triangles.put(end))).collect();
    let rim = triangles.put_ring(&corners);
    ends.into_iter().for_each(|ends| triangles.join(ends));
    let windings = triangles.windings(&rim);
    let mut sheet = PolygonRings::of(&triangles.all, &|face| windings[face] > 0, owner);
    sheet.join();
    sheet.into_rings()
}

/// Polygons by their corners, each with its owner.
#[derive(Debug, Default)]
pub(crate) struct OwnedRings {
    pub(crate) points: Vec<Point>,
    /// By polygon: the places of its corners in `points`.
    pub(crate) rings: Vec<Vec<u32>>,
    /// By polygon.
    pub(crate) owners: Vec<u32>,
    /// Lines that still crossed others when all rounds were over, and were left out.
    pub(crate) refused: usize,
}

/// Segments cut wherever they meet, each once. Bounded rounds: rounding where they meet bends them, by a part
/// of a metre, and bent ones may meet again; more than two rounds are rare.
pub(crate) fn split(lines: &[GroundSegment]) -> Vec<GroundSegment> {
    let mut left: Vec<GroundSegment> = lines
        .iter()
        .map(|line| GroundSegment { from: line.from.map(rounded), to: line.to.map(rounded) })
        .collect();
    let mut compared = Vec::new();
    for _ in 0..ROUNDS_MAX {
        leave_each_once(&mut left);
        let cuts = meetings_but(&left, &compared);
        if cuts.is_empty() {
            break;
        }
        let mut is_whole = vec![true; left.len()];
        cuts.iter().for_each(|(at, _)| is_whole[*at] = false);
        let pieces = cut(&left, cuts);
        compared = left.into_iter().zip(is_whole).filter(|(_, is)| *is).map(|(line, _)| line).collect();
        left = pieces;
    }
    left
}

/// Turns segments one way and leaves out what is doubled or has no length.
pub(crate) fn leave_each_once(lines: &mut Vec<GroundSegment>) {
    lines.retain(|line| line.from != line.to);
    for line in &mut *lines {
        if by_place(line.from, line.to).is_gt() {
            *line = GroundSegment { from: line.to, to: line.from };
        }
    }
    lines.sort_unstable_by(|a, b| by_place(a.from, b.from).then_with(|| by_place(a.to, b.to)));
    lines.dedup();
}

/// An order of places.
#[inline]
pub(crate) fn by_place(a: Point, b: Point) -> Ordering {
    // As `total_cmp` does, which takes longer: it is asked only where values are equal but for their signs.
    let on = |axis: usize| match a[axis] {
        value if value < b[axis] => Ordering::Less,
        value if value > b[axis] => Ordering::Greater,
        value => value.total_cmp(&b[axis]),
    };
    on(0).then_with(|| on(1))
}

/// Up to so many segments each is compared with every other: a tree of them takes longer.
const COMPARED_MAX: usize = 48;

/// Where segments meet others within: the segment, and the place.
pub(crate) fn meetings(lines: &[GroundSegment]) -> Vec<(usize, Point)> {
    meetings_but(lines, &[])
}

/// Whether each of some segments is not among others; both lists are in order.
fn are_new(lines: &[GroundSegment], known: &[GroundSegment]) -> Vec<bool> {
    let mut known = known.iter().peekable();
    let order = |a: &GroundSegment, b: &GroundSegment| by_place(a.from, b.from).then(by_place(a.to, b.to));
    let is_new = |line: &GroundSegment| {
        while known.next_if(|other| order(other, line).is_lt()).is_some() {}
        known.peek().is_none_or(|other| order(other, line).is_gt())
    };
    lines.iter().map(is_new).collect()
}

/// The same without comparing those with one another that were `compared` before and not cut. Both lists are
/// in order, or nothing was compared.
fn meetings_but(lines: &[GroundSegment], compared: &[GroundSegment]) -> Vec<(usize, Point)> {
    let bounds: Vec<Bounds> =
        lines.iter().map(|line| Bounds::of(&[line.from, line.to]).grown(NEAR_M)).collect();
    let mut cuts = Vec::new();
    if lines.len() <= COMPARED_MAX {
        for (at, around) in bounds.iter().enumerate() {
            for (other, beside) in bounds.iter().enumerate().skip(at + 1) {
                if around.overlaps(beside) {
                    meet(lines, [at, other], &mut cuts);
                }
            }
        }
        return cuts;
    }
    let tree = RectangleTree::new(&bounds);
    let is_new = are_new(lines, compared);
    let places = tree.places();
    // The lower of two, then the place of the other in the tree, in one number each.
    let mut pairs: Vec<u64> = Vec::new();
    for (at, around) in bounds.iter().enumerate().filter(|(at, _)| is_new[*at]) {
        // Leaves of the tree hold several: a glance at the rectangle is cheaper than a comparison.
        tree.visit(*around, &mut |other| {
            let to = other as usize;
            let is_first = to > at || to < at && !is_new[to];
            if is_first && around.overlaps(&bounds[to]) {
                let [low, high] = [at.min(to), at.max(to)];
                pairs.push((low as u64) << 32 | u64::from(places[high]));
            }
        });
    }
    // What is near to one comes in the order of the tree, whichever of two was looked up.
    pairs.sort_unstable();
    for pair in pairs {
        meet(lines, [(pair >> 32) as usize, tree.item_at(pair as u32) as usize], &mut cuts);
    }
    cuts
}

/// How often segments are cut by others, and how many pairs of them have to be compared to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MeetingCount {
    pub(crate) cuts: usize,
    pub(crate) pairs: usize,
}

/// Counts where segments meet; looking ends once either count is above that of `limit`. Cost: the pairs whose
/// rectangles overlap.
pub(crate) fn count_meetings(lines: &[GroundSegment], limit: MeetingCount) -> MeetingCount {
    let bounds: Vec<Bounds> =
        lines.iter().map(|line| Bounds::of(&[line.from, line.to]).grown(NEAR_M)).collect();
    let tree = RectangleTree::new(&bounds);
    let (mut cuts, mut pairs) = (Vec::new(), 0);
    for (at, around) in bounds.iter().enumerate() {
        tree.visit(*around, &mut |other| {
            let other = other as usize;
            if other > at && cuts.len() <= limit.cuts && pairs <= limit.pairs {
                pairs += 1;
                meet(lines, [at, other], &mut cuts);
            }
        });
        if cuts.len() > limit.cuts || pairs > limit.pairs {
            break;
        }
    }
    MeetingCount { cuts: cuts.len(), pairs }
}

/// Appends where two segments meet; at an end of either when that is near.
fn meet(lines: &[GroundSegment], [first, second]: [usize; 2], cuts: &mut Vec<(usize, Point)>) {
    let (one, other) = (lines[first], lines[second]);
    let before = cuts.len();
    for (at, GroundSegment { from: a, to: b }, ends) in [(first, one, other), (second, other, one)] {
        for end in [ends.from, ends.to] {
            if end != a && end != b && geom::segment_distance_sq(end, a, b) <= NEAR_M * NEAR_M {
                cuts.push((at, end));
            }
        }
    }
    if cuts.len() > before {
        return;
    }
    let (GroundSegment { from: a, to: b }, GroundSegment { from: c, to: d }) = (one, other);
    if a == c || a == d || b == c || b == d {
        return;
    }
    let (side_c, side_d) = (geom::cross(a, b, c), geom::cross(a, b, d));
    let (side_a, side_b) = (geom::cross(c, d, a), geom::cross(c, d, b));
    if (side_c > 0.0) == (side_d > 0.0) || (side_a > 0.0) == (side_b > 0.0) {
        return;
    }
    let part = side_a / (side_a - side_b);
    let place = [rounded(a[0] + part * (b[0] - a[0])), rounded(a[1] + part * (b[1] - a[1]))];
    if place != a && place != b {
        cuts.push((first, place));
    }
    if place != c && place != d {
        cuts.push((second, place));
    }
}

/// The stretches of segments between their cuts. Cost: linear, but for segments of many cuts.
pub(crate) fn cut(lines: &[GroundSegment], cuts: Vec<(usize, Point)>) -> Vec<GroundSegment> {
    // By segment, where its cuts end among all, which are put there from the last on: those of one segment
    // keep their order.
    let mut ends = vec![0; lines.len()];
    cuts.iter().for_each(|(at, _)| ends[*at] += 1);
    let mut count = 0;
    for end in &mut ends {
        count += *end;
        *end = count;
    }
    let mut firsts = ends.clone();
    let mut places = vec![(0.0, [0.0; 2]); count];
    for &(at, place) in cuts.iter().rev() {
        firsts[at] -= 1;
        places[firsts[at]] = (distance_sq(lines[at].from, place), place);
    }
    let mut left = Vec::with_capacity(lines.len() + cuts.len());
    for (at, line) in lines.iter().enumerate() {
        let own = &mut places[firsts[at]..ends[at]];
        ordered::sort_by(own, |a, b| a.0.total_cmp(&b.0));
        let mut from = line.from;
        for &mut (_, place) in own {
            left.push(GroundSegment { from, to: place });
            from = place;
        }
        left.push(GroundSegment { from, to: line.to });
    }
    left
}

/// The nearest value that places have.
#[inline]
pub(crate) fn rounded(value: f64) -> f64 {
    // Zero has one sign.
    (value * PARTS_PER_M).round() / PARTS_PER_M + 0.0
}

/// Triangles between lines.
#[derive(Default)]
struct Triangles {
    all: ConstrainedDelaunayTriangulation<Point2<f64>>,
    /// Most places are the ends of several lines.
    known: BTreeMap<[u64; 2], Option<FixedVertexHandle>>,
    near: NearVertices,
    /// Lines that cross others.
    refused: usize,
}

/// Of each square of the ground, the corner that was put there last: the way to a place is shorter from
/// there.
#[derive(Default)]
struct NearVertices {
    per_m: f64,
    last: BTreeMap<[i64; 2], FixedVertexHandle>,
}

impl NearVertices {
    /// Squares for so many places on some ground, about four for each square.
    fn new(bounds: Bounds, count: usize) -> Self {
        let sides = [0, 1].map(|axis| (bounds.max[axis] - bounds.min[axis]).max(1e-3));
        Self { per_m: (count as f64 / 4.0 / (sides[0] * sides[1])).sqrt(), last: BTreeMap::new() }
    }

    fn square(&self, place: Point) -> [i64; 2] {
        place.map(|value| geom::floor(value * self.per_m))
    }
}

impl Triangles {
    /// Refused are places that are no number or out of all bounds; sources are checked for those.
    fn put(&mut self, place: Point) -> Option<FixedVertexHandle> {
        let [x, z] = place;
        let Self { all, known, near, .. } = self;
        *known.entry(place.map(f64::to_bits)).or_insert_with(|| {
            let square = near.square(place);
            let vertex = match near.last.get(&square) {
                Some(&hint) => all.insert_with_hint(Point2::new(x, z), hint),
                None => all.insert(Point2::new(x, z)),
            };
            let vertex = vertex.ok()?;
            near.last.insert(square, vertex);
            Some(vertex)
        })
    }

    /// None yet, with a place for those around some lines.
    fn around(lines: &[GroundSegment]) -> Self {
        let mut bounds = Bounds::EMPTY;
        lines.iter().flat_map(|line| [line.from, line.to]).for_each(|end| bounds.include(end));
        Self { near: NearVertices::new(bounds, lines.len()), ..Self::default() }
    }

    fn put_lines(&mut self, lines: &[GroundSegment]) {
        for line in lines {
            let ends = [line.from, line.to].map(|end| self.put(end));
            self.join(ends);
        }
    }

    fn join(&mut self, ends: [Option<FixedVertexHandle>; 2]) {
        if let [Some(from), Some(to)] = ends {
            let is_put = from == to || !self.all.try_add_constraint(from, to).is_empty();
            self.refused += usize::from(!is_put);
        }
    }

    /// The ends of the edges that a ring leads along.
    fn put_ring(&mut self, corners: &[FixedVertexHandle]) -> Vec<[FixedVertexHandle; 2]> {
        let mut rim = Vec::with_capacity(corners.len());
        for (at, &from) in corners.iter().enumerate() {
            for edge in self.all.try_add_constraint(from, corners[(at + 1) % corners.len()]) {
                rim.push(self.all.directed_edge(edge).vertices().map(|corner| corner.fix()));
            }
        }
        rim
    }

    /// By face: how often a ring winds around it. Exact where rounding makes a ring touch or cross itself.
    fn windings(&self, rim: &[[FixedVertexHandle; 2]]) -> Vec<i32> {
        let mut rise = vec![0; self.all.num_directed_edges()];
        for edge in rim.iter().filter_map(|[from, to]| self.all.get_edge_from_neighbors(*from, *to)) {
            rise[edge.fix().index()] += 1;
            rise[edge.rev().fix().index()] -= 1;
        }
        let mut windings = vec![None; self.all.num_all_faces()];
        let outer = self.all.directed_edges().filter(|edge| edge.is_outer_edge());
        let mut stack: Vec<_> = outer.map(|edge| (edge.rev(), rise[edge.rev().fix().index()])).collect();
        // Bounded by the edges: the edges of a face are put once.
        while let Some((edge, winding)) = stack.pop() {
            let Some(face) = edge.face().as_inner() else { continue };
            let known = &mut windings[face.fix().index()];
            if known.is_none() {
                *known = Some(winding);
                let beyond = face.adjacent_edges().map(|edge| edge.rev());
                stack.extend(beyond.map(|edge| (edge, winding + rise[edge.fix().index()])));
            }
        }
        windings.into_iter().map(|winding| winding.unwrap_or(0)).collect()
    }
}

/// Polygons while they are joined: rings linked through their edges.
#[derive(Debug, Default)]
struct PolygonRings {
    points: Vec<Point>,
    /// By edge.
    from: Vec<u32>,
    next: Vec<u32>,
    before: Vec<u32>,
    twin: Vec<u32>,
    owner: Vec<u32>,
    gone: Vec<bool>,
}

impl PolygonRings {
    /// The triangles that are ground and have an owner; `is_ground` knows faces by number.
    fn of(
        triangles: &ConstrainedDelaunayTriangulation<Point2<f64>>,
        is_ground: &dyn Fn(usize) -> bool,
        owner: &dyn Fn(Point) -> Option<u32>,
    ) -> Self {
        let mut sheet = Self::default();
        sheet.points.extend(triangles.vertices().map(|vertex| [vertex.position().x, vertex.position().y]));
        let mut edge_of = vec![NONE; triangles.num_directed_edges()];
        for face in triangles.inner_faces().filter(|face| is_ground(face.fix().index())) {
            let [a, b, c] = face.positions().map(|point| [point.x, point.y]);
            let middle = [(a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0];
            let Some(owner) = owner(middle) else { continue };
            let first = sheet.from.len() as u32;
            for (at, edge) in (0..).zip(face.adjacent_edges()) {
                edge_of[edge.fix().index()] = first + at;
                sheet.from.push(edge.from().fix().index() as u32);
                sheet.next.push(first + (at + 1) % 3);
                sheet.before.push(first + (at + 2) % 3);
                sheet.owner.push(owner);
            }
        }
        sheet.twin = vec![NONE; sheet.from.len()];
        for edge in triangles.directed_edges() {
            let at = edge_of[edge.fix().index()];
            if at != NONE {
                sheet.twin[at as usize] = edge_of[edge.rev().fix().index()];
            }
        }
        sheet.gone = vec![false; sheet.from.len()];
        sheet
    }

    fn place(&self, edge: u32) -> Point {
        self.points[self.from[edge as usize] as usize]
    }

    /// Joins polygons of one owner while the result is convex, across long edges first.
    fn join(&mut self) {
        let mut edges: Vec<(f64, u32)> = (0..self.from.len() as u32)
            .filter(|&edge| {
                let twin = self.twin[edge as usize];
                twin != NONE && edge < twin && self.owner[edge as usize] == self.owner[twin as usize]
            })
            .map(|edge| (distance_sq(self.place(edge), self.place(self.next[edge as usize])), edge))
            .collect();
        ordered::sort_by(&mut edges, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, edge) in edges {
            let twin = self.twin[edge as usize];
            if self.bends_well(edge, twin) && self.bends_well(twin, edge) {
                self.merge(edge, twin);
            }
        }
    }

    /// Whether the corner at which `edge` begins stays convex without the edge.
    fn bends_well(&self, edge: u32, twin: u32) -> bool {
        let (before, after) = (self.before[edge as usize], self.next[twin as usize]);
        let (a, b, c) = (self.place(before), self.place(edge), self.place(self.next[after as usize]));
        // Two polygons that share the next edge, too, would close around the corner.
        self.twin[before as usize] != after && geom::cross(a, b, c) >= 0.0
    }

    fn merge(&mut self, edge: u32, twin: u32) {
        for (one, other) in [(edge, twin), (twin, edge)] {
            let (before, after) = (self.before[one as usize], self.next[other as usize]);
            self.next[before as usize] = after;
            self.before[after as usize] = before;
            self.gone[one as usize] = true;
        }
    }

    fn into_rings(self) -> OwnedRings {
        let mut done = self.gone;
        let mut made = OwnedRings { points: self.points, ..OwnedRings::default() };
        for first in 0..self.from.len() as u32 {
            let mut ring = Vec::new();
            let mut edge = first;
            // Bounded by the edges: each is taken once.
            while !done[edge as usize] {
                done[edge as usize] = true;
                ring.push(self.from[edge as usize]);
                edge = self.next[edge as usize];
            }
            if !ring.is_empty() {
                made.rings.push(ring);
                made.owners.push(self.owner[first as usize]);
            }
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    /// Goal: lines that were compared and not cut need no second look. Method: random lines in a square,
    /// split as they are and with every pair compared in every round.
    #[test]
    fn lines_are_split_as_if_all_were_compared_in_every_round() {
        let mut rng = Rng::stream(12, "split");
        for _ in 0..40 {
            let mut end = || [(); 2].map(|()| rng.float(0.0, 3.0));
            let lines: Vec<GroundSegment> =
                (0..60).map(|_| GroundSegment { from: end(), to: end() }).collect();
            let mut all: Vec<GroundSegment> = lines
                .iter()
                .map(|line| GroundSegment { from: line.from.map(rounded), to: line.to.map(rounded) })
                .collect();
            for _ in 0..ROUNDS_MAX {
                leave_each_once(&mut all);
                let cuts = meetings(&all);
                if cuts.is_empty() {
                    break;
                }
                all = cut(&all, cuts);
            }
            assert_eq!(split(&lines), all);
        }
    }

    #[test]
    fn pairs_that_do_not_meet_are_counted_and_end_the_look_as_cuts_do() {
        // All rectangles overlap, and no line meets another.
        let aside = |at: u32| f64::from(at) * 0.01;
        let slopes =
            |count| (0..count).map(|at| GroundSegment { from: [aside(at), 0.0], to: [9.0 + aside(at), 9.0] });
        let endless = MeetingCount { cuts: usize::MAX, pairs: usize::MAX };
        let lines: Vec<GroundSegment> = slopes(100).collect();
        assert_eq!(count_meetings(&lines, endless), MeetingCount { cuts: 0, pairs: 4950 });
        let limit = MeetingCount { pairs: 250, ..endless };
        assert_eq!(count_meetings(&lines, limit), MeetingCount { cuts: 0, pairs: 251 });
        let across = GroundSegment { from: [0.0, 6.0], to: [9.0, 5.0] };
        let lines: Vec<GroundSegment> = slopes(100).chain([across]).collect();
        assert_eq!(count_meetings(&lines, endless), MeetingCount { cuts: 200, pairs: 5050 });
        assert_eq!(count_meetings(&lines, MeetingCount { cuts: 19, ..endless }).cuts, 20);
    }
}
