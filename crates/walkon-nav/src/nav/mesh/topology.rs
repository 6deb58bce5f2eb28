//! Convex polygons joined along their edges: they answer every question about a mesh.
//!
//! In: corners and rings of corners that are known to be in order (`raw`, `topology_patch`). Out: the
//! polygons, their neighbours, the walls, the connected parts. Holds: the ground is to the left of every
//! edge; an edge without a polygon on its other side is a wall; edges are numbered through all rings, so an
//! edge stands for its polygon, too. Never changed once made. Not here: finding a polygon (`locate`), lines
//! (`walk`), ways (`polyanya`, `corridor`).

use std::sync::Arc;

use crate::base::geom::{self, Bounds, Point};
use crate::nav::mesh::polygon::{height_in_fan, length, twice_area};
use crate::nav::mesh::tree::RectangleTree;

/// No edge, no corner, no polygon.
pub(crate) const NONE: u32 = u32::MAX;

/// How far a body may stand outside, metres, and still count as inside: positions are in single precision,
/// and corners of paths lie on the walls themselves.
const TOLERANCE_M: f64 = 1e-3;

/// Walls that bend by no more than this are straight, metres from their corner to the line between its
/// neighbours. Twice what places are rounded to: the corners of a straight wall that is kept off lie beside
/// its line by half of that each. A tight line along such a wall turns at its corners, or it would end at one
/// that rounding has moved out of its sight.
const STRAIGHT_M: f64 = 2e-6;

/// A mesh ready for questions. `Default` has no polygons.
#[derive(Clone, Debug, Default)]
pub(crate) struct Topology {
    pub(crate) points: Vec<Point>,
    pub(crate) heights: Vec<f64>,
    /// By polygon: its first edge; and one more for the end.
    pub(crate) first: Vec<u32>,
    /// By edge: the corner it begins at.
    pub(crate) ring: Vec<u32>,
    /// By edge: the same edge seen from the other side; NONE for a wall.
    pub(crate) twin: Vec<u32>,
    /// By edge: its polygon.
    pub(crate) face: Vec<u32>,
    /// By polygon: the set of areas and obstacles it lies in, by a number that the maker chose.
    pub(crate) owner: Vec<u32>,
    /// By corner: whether a tight line can turn there.
    pub(crate) turns: Vec<bool>,
    /// By corner: its first place in `around`; and one more for the end.
    around_first: Vec<u32>,
    /// Edges by the corner they begin at.
    around: Vec<u32>,
    /// By polygon: which part it belongs to, numbered in order of first polygon.
    pub(crate) label: Vec<u32>,
    pub(crate) label_count: u32,
    pub(crate) tree: RectangleTree,
    /// Edges that are walls.
    pub(crate) walls: Vec<u32>,
    pub(crate) wall_tree: RectangleTree,
    pub(crate) bounds: Bounds,
    /// Whether all of it lies at one height.
    pub(crate) is_flat: bool,
    /// What it was cut out of, where floors of that lie above one another: a place belongs to one of those
    /// floors, blocked or not, and never to another because its own is blocked there.
    pub(crate) whole: Option<Arc<Topology>>,
    pub(crate) tolerance_m: f64,
    /// Products of lengths below this are zero where places were handed in from outside.
    pub(crate) zero_m2: f64,
    /// The same among corners and places on edges, which are rounded as doubles are.
    pub(crate) rounding_m2: f64,
}

impl Topology {
    /// One without polygons, with room for some.
    pub(super) fn with_room(polygon_count: usize, edge_count: usize) -> Self {
        let mut first = Vec::with_capacity(polygon_count + 1);
        first.push(0);
        let edges = || Vec::with_capacity(edge_count);
        Self { first, ring: edges(), face: edges(), ..Self::default() }
    }

    #[inline]
    pub(crate) fn polygon_count(&self) -> u32 {
        self.owner.len() as u32
    }

    /// The edges of a polygon.
    #[inline]
    pub(crate) fn edges(&self, polygon: u32) -> std::ops::Range<u32> {
        self.first[polygon as usize]..self.first[polygon as usize + 1]
    }

    /// The edge after another, around the same polygon.
    #[inline(always)]
    pub(crate) fn next(&self, edge: u32) -> u32 {
        let face = self.face[edge as usize] as usize;
        if edge + 1 == self.first[face + 1] { self.first[face] } else { edge + 1 }
    }

    /// Where an edge begins.
    #[inline(always)]
    pub(crate) fn from(&self, edge: u32) -> Point {
        self.points[self.ring[edge as usize] as usize]
    }

    /// Where an edge ends.
    #[inline(always)]
    pub(crate) fn to(&self, edge: u32) -> Point {
        self.from(self.next(edge))
    }

    /// The height at which an edge begins.
    #[inline]
    pub(crate) fn height_from(&self, edge: u32) -> f64 {
        self.heights[self.ring[edge as usize] as usize]
    }

    /// Both ends of an edge, and their heights.
    pub(crate) fn corners(&self, edge: u32) -> [(Point, f64); 2] {
        [edge, self.next(edge)].map(|edge| (self.from(edge), self.height_from(edge)))
    }

    /// Edges that begin at a corner.
    pub(crate) fn around(&self, corner: u32) -> &[u32] {
        let [first, end] = [corner, corner + 1].map(|at| self.around_first[at as usize] as usize);
        &self.around[first..end]
    }

    /// The corners of a polygon.
    pub(crate) fn outline(&self, polygon: u32) -> impl Iterator<Item = Point> + '_ {
        self.edges(polygon).map(|edge| self.from(edge))
    }

    /// The mean of the corners of a polygon; inside it, because it is convex.
    pub(crate) fn centre(&self, polygon: u32) -> Point {
        let count = f64::from(self.edges(polygon).end - self.edges(polygon).start);
        let sum = self.outline(polygon).fold([0.0, 0.0], |sum, place| [sum[0] + place[0], sum[1] + place[1]]);
        [sum[0] / count, sum[1] / count]
    }

    /// Height of a polygon at a point of it.
    pub(crate) fn height(&self, polygon: u32, point: Point) -> f64 {
        let edges = self.edges(polygon);
        if self.is_flat {
            return self.heights[self.ring[edges.start as usize] as usize];
        }
        let corner = |at: usize| {
            let corner = self.ring[edges.start as usize + at] as usize;
            (self.points[corner], self.heights[corner])
        };
        height_in_fan(edges.len(), corner, point)
    }

    /// Height of the first corner: that of all ground where it is flat.
    pub(crate) fn floor_y_m(&self) -> f64 {
        self.ring.first().map_or(0.0, |&corner| self.heights[corner as usize])
    }

    /// Square metres of a polygon.
    pub(crate) fn area(&self, polygon: u32) -> f64 {
        let places: Vec<Point> = self.outline(polygon).collect();
        twice_area(&places) / 2.0
    }

    /// Joins some edges where two of them lead along each other.
    pub(super) fn pair(&mut self, edges: impl IntoIterator<Item = u32>) {
        let ends = |edge: u32| {
            let (from, to) = (self.ring[edge as usize], self.ring[self.next(edge) as usize]);
            (from.min(to), from.max(to), edge)
        };
        let mut edges: Vec<(u32, u32, u32)> = edges.into_iter().map(ends).collect();
        edges.sort_unstable();
        for same in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let is_forth = |edge: &(u32, u32, u32)| self.ring[edge.2 as usize] == edge.0;
            if let [one, other] = same
                && is_forth(one) != is_forth(other)
            {
                self.twin[one.2 as usize] = other.2;
                self.twin[other.2 as usize] = one.2;
            }
        }
    }

    /// Lists the edges by the corner they begin at.
    pub(super) fn gather(&mut self) {
        self.around_first = vec![0; self.points.len() + 1];
        for &corner in &self.ring {
            self.around_first[corner as usize + 1] += 1;
        }
        for corner in 0..self.points.len() {
            self.around_first[corner + 1] += self.around_first[corner];
        }
        let mut next = self.around_first.clone();
        self.around = vec![0; self.ring.len()];
        for (edge, &corner) in (0_u32..).zip(&self.ring) {
            self.around[next[corner as usize] as usize] = edge;
            next[corner as usize] += 1;
        }
    }

    /// A tight line turns only where walls do not bend towards it; where several walls meet, perhaps.
    pub(super) fn find_turns(&mut self) {
        self.walls = (0..self.ring.len() as u32).filter(|&edge| self.twin[edge as usize] == NONE).collect();
        let mut after = vec![NONE; self.points.len()];
        let mut count = vec![0_u8; self.points.len()];
        for &wall in &self.walls {
            let corner = self.ring[wall as usize] as usize;
            after[corner] = wall;
            count[corner] = count[corner].saturating_add(1);
        }
        self.turns = vec![false; self.points.len()];
        for &wall in &self.walls {
            let corner = self.ring[self.next(wall) as usize];
            let leaving = after[corner as usize];
            if leaving == NONE {
                continue;
            }
            let (a, b, c) = (self.from(wall), self.to(wall), self.to(leaving));
            let bends = geom::cross(a, b, c) < STRAIGHT_M * length(a, c);
            // Straight back is a turn, too.
            let back = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0.0;
            let is_spike = back && geom::cross(a, b, c) <= 1e-12;
            self.turns[corner as usize] |= count[corner as usize] > 1 || bends || is_spike;
        }
    }

    pub(super) fn find_parts(&mut self) {
        let count = self.polygon_count() as usize;
        self.label = vec![NONE; count];
        let mut stack = Vec::new();
        for first in 0..count as u32 {
            if self.label[first as usize] != NONE {
                continue;
            }
            self.label[first as usize] = self.label_count;
            stack.push(first);
            while let Some(polygon) = stack.pop() {
                for edge in self.edges(polygon) {
                    let twin = self.twin[edge as usize];
                    if twin == NONE {
                        continue;
                    }
                    let beside = self.face[twin as usize];
                    if self.label[beside as usize] == NONE {
                        self.label[beside as usize] = self.label_count;
                        stack.push(beside);
                    }
                }
            }
            self.label_count += 1;
        }
    }

    /// What a polygon spans.
    pub(super) fn span(&self, polygon: u32) -> Bounds {
        let mut span = Bounds::EMPTY;
        self.outline(polygon).for_each(|corner| span.include(corner));
        span
    }

    /// What a wall spans.
    pub(super) fn wall_span(&self, wall: u32) -> Bounds {
        Bounds::of(&[self.from(wall), self.to(wall)])
    }

    pub(super) fn measure(&mut self) {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        self.bounds = Bounds::EMPTY;
        for &corner in &self.ring {
            self.bounds.include(self.points[corner as usize]);
            let y = self.heights[corner as usize];
            (low, high) = (low.min(y), high.max(y));
        }
        self.is_flat = high - low <= 0.0 || self.ring.is_empty();
        let furthest = [self.bounds.min, self.bounds.max].into_iter().flatten();
        let furthest = furthest.filter(|value| value.is_finite()).fold(0.0, |most: f64, v| most.max(v.abs()));
        self.tolerance_m = TOLERANCE_M + 1.2e-7 * furthest;
        self.zero_m2 = 1e-13 * furthest * furthest + 1e-13;
        let across_m = if self.ring.is_empty() { 0.0 } else { length(self.bounds.min, self.bounds.max) };
        self.rounding_m2 = f64::EPSILON / 2.0 * furthest * across_m;
    }
}
