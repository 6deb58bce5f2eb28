//! Ground that is not flat, cut up polygon by polygon: floors above one another, ramps between them, ledges.
//!
//! In: a surface, lines on it, what lies where. Out: the polygons between the lines. Holds: each lies within
//! one polygon of the surface; two of them share an edge only where theirs is one polygon, or where theirs
//! were joined by the edge that it lies on. What lies above, below or beside without being joined never
//! matters: corners are known by the edge or the polygon that they lie on, not by their places. An edge has
//! one list of corners for the polygons of both sides, so joints stay whole. Not here: the lines within a
//! polygon (`triangulate`).

use std::collections::BTreeSet;

use crate::base::geom::{self, Bounds, Point};
use crate::nav::mesh::raw::{clip, inner_width, length};
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::triangulate::{
    GroundSegment, NEAR_M, OwnedRings, ROUNDS_MAX, arrange, arrange_within, cut, leave_each_once, meetings,
    rank, rounded, split,
};

/// Polygons that have less than this in common, metres, only touch.
const TOUCH_M: f64 = 4e-6;

/// What lies where: from a polygon of the old ground and a point in it to an owner. None: no ground.
type OwnerAt<'a> = &'a dyn Fn(u32, Point) -> Option<u32>;

/// Cuts ground up along lines. Cost: on ground that is not flat that of the polygons under the lines; the
/// others are left as they are.
pub(crate) fn arrange_on(ground: &Topology, lines: &[GroundSegment], owner: OwnerAt<'_>) -> Topology {
    if ground.is_flat {
        let mut all = lines.to_vec();
        ground.lines(&mut all);
        return arrange(&all, &|point| owner(ground.holder(point)?, point), ground.floor_y_m());
    }
    let mut cut = GroundCut::new(ground, &split(lines));
    cut.settle();
    cut.into_surface(owner)
}

/// The polygons of a ground, and lines that are laid over them.
struct GroundCut<'a> {
    ground: &'a Topology,
    /// By corner: those of the ground, then new ones. Rounded.
    places: Vec<Point>,
    heights: Vec<f64>,
    /// By edge of the ground, of twins the lower: the new corners on it, in order from its beginning.
    on_edge: Vec<Vec<u32>>,
    /// By polygon of the ground.
    lines: Vec<Vec<GroundSegment>>,
}

/// A corner on the rim of a polygon, and the edge of the ground that leads on from there, of twins the lower.
#[derive(Clone, Copy)]
struct RimCorner {
    corner: u32,
    edge: u32,
}

impl<'a> GroundCut<'a> {
    fn new(ground: &'a Topology, lines: &[GroundSegment]) -> Self {
        let mut cut = Self {
            ground,
            places: ground.points.iter().map(|point| point.map(rounded)).collect(),
            heights: ground.heights.clone(),
            on_edge: vec![Vec::new(); ground.ring.len()],
            lines: vec![Vec::new(); ground.polygon_count() as usize],
        };
        for line in lines {
            let around = Bounds::of(&[line.from, line.to]).grown(2.0 * NEAR_M);
            ground.tree.visit(around, &mut |polygon| {
                if cut.meets(polygon, *line) {
                    cut.lines[polygon as usize].push(*line);
                }
            });
        }
        cut
    }

    /// The lower of an edge and its twin.
    fn shared(&self, edge: u32) -> u32 {
        edge.min(self.ground.twin[edge as usize])
    }

    fn side(&self, edge: u32) -> GroundSegment {
        let [from, to] = [edge, self.ground.next(edge)].map(|edge| self.ground.ring[edge as usize]);
        GroundSegment { from: self.places[from as usize], to: self.places[to as usize] }
    }

    /// Whether a line may have something in common with a polygon.
    fn meets(&self, polygon: u32, line: GroundSegment) -> bool {
        let is_beside = |edge: u32| {
            let side = self.side(edge);
            is_right_of(side, line.from) && is_right_of(side, line.to)
        };
        let back = GroundSegment { from: line.to, to: line.from };
        let corners = || self.ground.edges(polygon).map(|edge| self.side(edge).from);
        !self.ground.edges(polygon).any(is_beside)
            && !corners().all(|corner| is_right_of(line, corner))
            && !corners().all(|corner| is_right_of(back, corner))
    }

    /// Whether the middle of a line lies outside a polygon.
    fn is_outside(&self, polygon: u32, GroundSegment { from, to }: GroundSegment) -> bool {
        let middle = [(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0];
        self.ground.edges(polygon).any(|edge| is_right_of(self.side(edge), middle))
    }

    /// The corners around a polygon, old and new.
    fn rim(&self, polygon: u32) -> Vec<RimCorner> {
        let mut rim = Vec::new();
        for own in self.ground.edges(polygon) {
            let edge = self.shared(own);
            rim.push(RimCorner { corner: self.ground.ring[own as usize], edge });
            let new = self.on_edge[edge as usize].iter().map(|&corner| RimCorner { corner, edge });
            match own == edge {
                true => rim.extend(new),
                false => rim.extend(new.rev()),
            }
        }
        rim
    }

    /// Cuts lines and edges where they meet. What was cut is looked at again, from both sides of an edge:
    /// rounding bends it. Bounded: no polygon is looked at more often than lines are cut elsewhere.
    fn settle(&mut self) {
        let count = self.ground.polygon_count();
        let mut looks = vec![0; count as usize];
        let mut waiting: BTreeSet<u32> =
            (0..count).filter(|&polygon| !self.lines[polygon as usize].is_empty()).collect();
        while let Some(polygon) = waiting.pop_first() {
            looks[polygon as usize] += 1;
            if looks[polygon as usize] <= ROUNDS_MAX {
                self.cut_in(polygon, &mut waiting);
            }
        }
    }

    /// Cuts the lines and the edges of one polygon; adds those to look at again.
    fn cut_in(&mut self, polygon: u32, waiting: &mut BTreeSet<u32>) {
        let rim = self.rim(polygon);
        let places: Vec<Point> = rim.iter().map(|corner| self.places[corner.corner as usize]).collect();
        let mut all: Vec<GroundSegment> = geom::edges(&places).collect();
        all.extend(&self.lines[polygon as usize]);
        let (on_rim, within): (Vec<_>, Vec<_>) =
            meetings(&all).into_iter().partition(|(at, _)| *at < rim.len());
        // Corners at short edges are near the edges beyond: that matters only where rounding folds them over.
        let is_in_order = |GroundSegment { from, to }: GroundSegment, place: Point| {
            let is_near = length(from, place) <= NEAR_M || length(to, place) <= NEAR_M;
            is_near && places.contains(&place) && geom::cross(from, to, place) > 0.0
        };
        for (at, place) in on_rim {
            if !is_in_order(all[at], place) && self.put_corner(rim[at].edge, place) {
                let twin = self.ground.twin[rim[at].edge as usize];
                let edges = [rim[at].edge, twin].into_iter().filter(|&edge| edge != NONE);
                waiting.extend(edges.map(|edge| self.ground.face[edge as usize]));
            }
        }
        if !within.is_empty() {
            let within = within.into_iter().map(|(at, place)| (at - rim.len(), place)).collect();
            let mut lines = cut(&self.lines[polygon as usize], within);
            leave_each_once(&mut lines);
            lines.retain(|line| !self.is_outside(polygon, *line));
            self.lines[polygon as usize] = lines;
            waiting.insert(polygon);
        }
    }

    /// Puts a new corner on an edge; false where there is one already.
    fn put_corner(&mut self, edge: u32, place: Point) -> bool {
        let GroundSegment { from, to } = self.side(edge);
        let has = |corner: &u32| self.places[*corner as usize] == place;
        if from == to || place == from || place == to || self.on_edge[edge as usize].iter().any(has) {
            return false;
        }
        let part = |point: Point| {
            let along =
                |end: Point| (end[0] - from[0]) * (to[0] - from[0]) + (end[1] - from[1]) * (to[1] - from[1]);
            (along(point) / along(to)).clamp(0.0, 1.0)
        };
        let before = |&corner: &u32| part(self.places[corner as usize]) < part(place);
        let at = self.on_edge[edge as usize].iter().take_while(|corner| before(corner)).count();
        let [low, high] = self.ground.corners(edge).map(|corner| corner.1);
        self.heights.push(low + (high - low) * part(place));
        self.on_edge[edge as usize].insert(at, self.places.len() as u32);
        self.places.push(place);
        true
    }

    /// Corners that rounding put to one place of the rim of a polygon, as one: by corner, the first of them.
    fn same(&self) -> Vec<u32> {
        let mut same: Vec<u32> = (0..self.places.len() as u32).collect();
        for polygon in 0..self.ground.polygon_count() {
            let by_place = self.by_place(polygon);
            for pair in by_place.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                let [a, b] = [pair[0].1, pair[1].1].map(|corner| first_of(&same, corner));
                same[a.max(b) as usize] = a.min(b);
            }
        }
        same
    }

    /// The corners around a polygon in an order of their places.
    fn by_place(&self, polygon: u32) -> Vec<([i64; 2], u32)> {
        let rim = self.rim(polygon).into_iter();
        let mut corners: Vec<_> = rim.map(|at| (rank(self.places[at.corner as usize]), at.corner)).collect();
        corners.sort_unstable();
        corners
    }

    fn into_surface(mut self, owner: OwnerAt<'_>) -> Topology {
        let same = self.same();
        let (mut rings, mut owners): (Vec<Vec<u32>>, Vec<u32>) = Default::default();
        for polygon in 0..self.ground.polygon_count() {
            let rim: Vec<u32> = self.rim(polygon).iter().map(|at| at.corner).collect();
            let places: Vec<Point> = rim.iter().map(|&corner| self.places[corner as usize]).collect();
            if self.lines[polygon as usize].is_empty() && is_convex(&places) {
                if let Some(owner) = owner(polygon, self.ground.centre(polygon)) {
                    rings.push(rim);
                    owners.push(owner);
                }
                continue;
            }
            let made = arrange_within(&places, &self.lines[polygon as usize], &|point| owner(polygon, point));
            let corners = self.corners_at(polygon, &made.points);
            let numbered = |ring: Vec<u32>| ring.into_iter().map(|at| corners[at as usize]).collect();
            rings.extend(made.rings.into_iter().map(numbered));
            owners.extend(made.owners);
        }
        // Those within polygons are the same as no other.
        for corner in rings.iter_mut().flatten().filter(|corner| (**corner as usize) < same.len()) {
            *corner = first_of(&same, *corner);
        }
        OwnedRings { points: self.places, rings, owners }.into_surface(&self.heights)
    }

    /// The corners of a polygon at some places, on its rim or new within it.
    fn corners_at(&mut self, polygon: u32, places: &[Point]) -> Vec<u32> {
        let known = self.by_place(polygon);
        let mut corners = Vec::with_capacity(places.len());
        for &place in places {
            let at = rank(place);
            let first = known.partition_point(|corner| corner.0 < at);
            corners.push(match known.get(first).filter(|corner| corner.0 == at) {
                Some(&(_, corner)) => corner,
                None => {
                    self.places.push(place);
                    self.heights.push(self.ground.height(polygon, place));
                    self.places.len() as u32 - 1
                }
            });
        }
        corners
    }
}

/// The first of the corners that are the same as one. Bounded: each leads to a lower one.
fn first_of(same: &[u32], mut corner: u32) -> u32 {
    while same[corner as usize] != corner {
        corner = same[corner as usize];
    }
    corner
}

/// Whether a point lies to the right of a line, and not only for rounding.
fn is_right_of(GroundSegment { from, to }: GroundSegment, point: Point) -> bool {
    geom::cross(from, to, point) < -2.0 * NEAR_M * length(from, to)
}

/// Whether a ring is convex, without doubled corners and without going back.
fn is_convex(places: &[Point]) -> bool {
    let count = places.len();
    (0..count).all(|at| {
        let [a, b, c] = [at, at + 1, at + 2].map(|at| places[at % count]);
        let turn = geom::cross(a, b, c);
        turn > 0.0 || turn == 0.0 && (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) > 0.0
    })
}

impl Topology {
    /// Whether some of it lies above other parts of it.
    pub(crate) fn has_floors(&self) -> bool {
        if self.is_flat {
            return false;
        }
        let shapes: Vec<Vec<Point>> =
            (0..self.polygon_count()).map(|polygon| self.outline(polygon).collect()).collect();
        (0_u32..).zip(&shapes).any(|(at, shape)| {
            let mut is_above = false;
            self.tree.visit(Bounds::of(shape), &mut |other| {
                let common = || inner_width(&clip(shape, &shapes[other as usize]));
                is_above = is_above || other > at && common() > TOUCH_M;
            });
            is_above
        })
    }
}

#[cfg(test)]
mod buildings;
#[cfg(test)]
mod tests;
