//! Ground that is not flat, cut up polygon by polygon: floors above one another, ramps between them, ledges.
//!
//! In: a surface, lines on it, what lies where. Out: the polygons between the lines. Holds: each lies within
//! one polygon of the surface; two of them share an edge only where theirs is one polygon, or where theirs
//! were joined by the edge that it lies on. Unjoined polygons above, below or beside never matter: corners
//! are identified by the edge or the polygon that they lie on, not by their places. An edge has one list of
//! corners for the polygons of both sides, so joints stay whole. Not here: the lines within a polygon
//! (`triangulate`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::geom::{self, Bounds, Point};
use crate::base::ordered::{self, CollectOrdered};
use crate::nav::mesh::polygon::{clip, inner_width, length};
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::topology_patch::TopologyPatch;
use crate::nav::mesh::triangulate::{
    GroundSegment, NEAR_M, OwnedRings, ROUNDS_MAX, arrange, arrange_within, by_place, cut, leave_each_once,
    meetings, rounded, split,
};

/// Polygons that have less than this in common, metres, only touch.
const TOUCH_M: f64 = 4e-6;

/// What lies where: from a polygon of the old ground and a point in it to an owner. None: no ground.
type OwnerAt<'a> = &'a dyn Fn(u32, Point) -> Option<u32>;

/// Cuts ground up along lines. On flat ground polygons become one again where nothing lies between them.
pub(crate) fn arrange_on(ground: &Topology, lines: &[GroundSegment], owner: OwnerAt<'_>) -> Topology {
    if ground.is_flat {
        let mut all = lines.to_vec();
        ground.lines(&mut all);
        return arrange(&all, &|point| owner(ground.holder(point)?, point), ground.floor_y_m());
    }
    cut_up(ground, lines, owner)
}

/// Cuts ground up along lines, polygon by polygon. Cost: that of the polygons under the lines; the others are
/// left as they are, which takes a tenth of a microsecond each.
pub(crate) fn cut_up(ground: &Topology, lines: &[GroundSegment], owner: OwnerAt<'_>) -> Topology {
    let rings = |polygon: u32, rim: &[Point], lines: &[GroundSegment]| {
        Arc::new(arrange_within(rim, lines, &|point| owner(polygon, point)))
    };
    cut_along(ground, &split(lines), &PolygonCuts { owner, rings: &rings })
}

/// What a polygon becomes with these corners around it and these lines within.
type RingsOf<'a> = &'a dyn Fn(u32, &[Point], &[GroundSegment]) -> Arc<OwnedRings>;

/// What becomes of the polygons of a ground that is cut.
pub(crate) struct PolygonCuts<'a> {
    pub(crate) owner: OwnerAt<'a>,
    pub(crate) rings: RingsOf<'a>,
}

/// The same along lines that are cut already where they meet.
pub(crate) fn cut_along(ground: &Topology, lines: &[GroundSegment], cuts: &PolygonCuts<'_>) -> Topology {
    let mut cut = GroundCut::new(ground, lines);
    cut.settle();
    cut.into_surface(cuts)
}

/// The polygons of a ground, and lines that are laid over them.
struct GroundCut<'a> {
    ground: &'a Topology,
    /// By corner: those of the ground, then new ones. Rounded.
    places: Vec<Point>,
    heights: Vec<f64>,
    /// By edge of the ground, of twins the lower: the new corners on it, in order from its beginning.
    on_edge: BTreeMap<u32, Vec<u32>>,
    /// By polygon of the ground.
    lines: BTreeMap<u32, Vec<GroundSegment>>,
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
            on_edge: BTreeMap::new(),
            lines: BTreeMap::new(),
        };
        for line in lines {
            let around = Bounds::of(&[line.from, line.to]).grown(2.0 * NEAR_M);
            ground.tree.visit(around, &mut |polygon| {
                if cut.meets(polygon, *line) {
                    cut.lines.entry(polygon).or_default().push(*line);
                }
            });
        }
        cut
    }

    fn lines_in(&self, polygon: u32) -> &[GroundSegment] {
        self.lines.get(&polygon).map_or(&[], Vec::as_slice)
    }

    /// The new corners on an edge, of twins the lower.
    fn corners_on(&self, edge: u32) -> &[u32] {
        self.on_edge.get(&edge).map_or(&[], Vec::as_slice)
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
            let new = self.corners_on(edge).iter().map(|&corner| RimCorner { corner, edge });
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
        let mut looks: BTreeMap<u32, usize> = BTreeMap::new();
        let mut waiting: BTreeSet<u32> = self.lines.keys().copied().collect_set();
        while let Some(polygon) = waiting.pop_first() {
            let looks = looks.entry(polygon).or_default();
            *looks += 1;
            if *looks <= ROUNDS_MAX {
                self.cut_in(polygon, &mut waiting);
            }
        }
    }

    /// Cuts the lines and the edges of one polygon; adds those to look at again.
    fn cut_in(&mut self, polygon: u32, waiting: &mut BTreeSet<u32>) {
        let rim = self.rim(polygon);
        let places: Vec<Point> = rim.iter().map(|corner| self.places[corner.corner as usize]).collect();
        let mut all: Vec<GroundSegment> = geom::edges(&places).collect();
        all.extend(self.lines_in(polygon));
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
            let mut lines = cut(self.lines_in(polygon), within);
            leave_each_once(&mut lines);
            lines.retain(|line| !self.is_outside(polygon, *line));
            self.lines.insert(polygon, lines);
            waiting.insert(polygon);
        }
    }

    /// Puts a new corner on an edge; false where there is one already.
    fn put_corner(&mut self, edge: u32, place: Point) -> bool {
        let GroundSegment { from, to } = self.side(edge);
        let has = |corner: &u32| self.places[*corner as usize] == place;
        if from == to || place == from || place == to || self.corners_on(edge).iter().any(has) {
            return false;
        }
        let part = |point: Point| {
            let along =
                |end: Point| (end[0] - from[0]) * (to[0] - from[0]) + (end[1] - from[1]) * (to[1] - from[1]);
            (along(point) / along(to)).clamp(0.0, 1.0)
        };
        let before = |&corner: &u32| part(self.places[corner as usize]) < part(place);
        let at = self.corners_on(edge).iter().take_while(|corner| before(corner)).count();
        let [low, high] = self.ground.corners(edge).map(|corner| corner.1);
        self.heights.push(low + (high - low) * part(place));
        self.on_edge.entry(edge).or_default().insert(at, self.places.len() as u32);
        self.places.push(place);
        true
    }

    /// By polygon: whether it does not stay as it is: lines or new corners lie in it or on its rim, or
    /// rounding bends it.
    fn is_cut(&self) -> Vec<bool> {
        let is_bent = |polygon| {
            let edges = self.ground.edges(polygon);
            let ring = &self.ground.ring[edges.start as usize..edges.end as usize];
            !is_convex(ring.len(), |at| self.places[ring[at] as usize])
        };
        let mut is_cut: Vec<bool> = (0..self.ground.polygon_count()).map(is_bent).collect();
        for (polygon, _) in self.lines.iter().filter(|(_, lines)| !lines.is_empty()) {
            is_cut[*polygon as usize] = true;
        }
        for &edge in self.on_edge.keys() {
            for side in [edge, self.ground.twin[edge as usize]].into_iter().filter(|&side| side != NONE) {
                is_cut[self.ground.face[side as usize] as usize] = true;
            }
        }
        is_cut
    }

    /// Corners that rounding put to one place of the rim of a polygon that is cut, as one: by corner, the
    /// first of them.
    fn same(&self, cut: &[bool]) -> Vec<u32> {
        let mut same: Vec<u32> = (0..self.places.len() as u32).collect();
        for polygon in (0_u32..).zip(cut).filter(|(_, is_cut)| **is_cut).map(|(polygon, _)| polygon) {
            let by_place = self.by_place(polygon);
            let place = |corner: u32| self.places[corner as usize];
            for pair in by_place.windows(2).filter(|pair| place(pair[0]) == place(pair[1])) {
                let [a, b] = [pair[0], pair[1]].map(|corner| first_of(&same, corner));
                same[a.max(b) as usize] = a.min(b);
            }
        }
        same
    }

    /// The corners around a polygon in an order of their places.
    fn by_place(&self, polygon: u32) -> Vec<u32> {
        let mut corners: Vec<u32> = self.rim(polygon).into_iter().map(|at| at.corner).collect();
        let place = |corner: u32| self.places[corner as usize];
        ordered::sort_by(&mut corners, |&a, &b| by_place(place(a), place(b)).then(a.cmp(&b)));
        corners
    }

    fn into_surface(mut self, cuts: &PolygonCuts<'_>) -> Topology {
        let mut cut = self.is_cut();
        let same = self.same(&cut);
        let is_merged = |corner: &u32| same[*corner as usize] != *corner;
        if (0..self.ground.points.len() as u32).any(|corner| is_merged(&corner)) {
            for (edge, _) in (0..).zip(&self.ground.ring).filter(|(_, corner)| is_merged(corner)) {
                cut[self.ground.face[edge] as usize] = true;
            }
        }
        let mut patch = TopologyPatch::default();
        for (polygon, is_cut) in (0_u32..).zip(cut) {
            if is_cut {
                self.put_pieces(polygon, &same, cuts, &mut patch);
            } else if let Some(owner) = (cuts.owner)(polygon, self.ground.centre(polygon)) {
                patch.keep(polygon, owner);
            }
        }
        (patch.points, patch.heights) = (self.places, self.heights);
        patch.of(self.ground)
    }

    /// Appends what a polygon is cut into.
    fn put_pieces(&mut self, polygon: u32, same: &[u32], cuts: &PolygonCuts<'_>, patch: &mut TopologyPatch) {
        let rim: Vec<u32> = self.rim(polygon).iter().map(|at| at.corner).collect();
        let places: Vec<Point> = rim.iter().map(|&corner| self.places[corner as usize]).collect();
        // Those within polygons are the same as no other.
        let first =
            |corner: u32| if (corner as usize) < same.len() { first_of(same, corner) } else { corner };
        if self.lines_in(polygon).is_empty() && is_convex(places.len(), |at| places[at]) {
            if let Some(owner) = (cuts.owner)(polygon, self.ground.centre(polygon)) {
                patch.put(rim.into_iter().map(first), owner);
            }
            return;
        }
        let made = (cuts.rings)(polygon, &places, self.lines_in(polygon));
        let corners = self.corners_at(polygon, &made.points);
        for (ring, &owner) in made.rings.iter().zip(&made.owners) {
            patch.put(ring.iter().map(|at| first(corners[*at as usize])), owner);
        }
    }

    /// The corners of a polygon at some places, on its rim or new within it.
    fn corners_at(&mut self, polygon: u32, places: &[Point]) -> Vec<u32> {
        let known = self.by_place(polygon);
        let mut corners = Vec::with_capacity(places.len());
        for &place in places {
            let first = known.partition_point(|&at| by_place(self.places[at as usize], place).is_lt());
            corners.push(match known.get(first).filter(|&&at| self.places[at as usize] == place) {
                Some(&corner) => corner,
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

/// Whether a ring of corners is convex, without doubled corners and without going back.
#[inline]
pub(crate) fn is_convex(count: usize, place: impl Fn(usize) -> Point) -> bool {
    if count < 3 {
        return false;
    }
    let (mut a, mut b) = (place(count - 2), place(count - 1));
    for at in 0..count {
        let c = place(at);
        let turn = geom::cross(a, b, c);
        let is_on = || (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) > 0.0;
        if turn < 0.0 || turn == 0.0 && !is_on() {
            return false;
        }
        (a, b) = (b, c);
    }
    true
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
