//! Walks straight lines over polygons.
//!
//! In: a place on a surface and a point to walk to. Out: whether the line stays on the ground, how far it
//! does, the polygons it passes. Holds: a line may stray beyond a wall by no more than the tolerance of the
//! surface: it is led around the corners that it grazes, because the corners of paths lie on the walls. Cost:
//! the polygons passed.

use glam::Vec3;

use crate::base::geom::{self, Point};
use crate::nav::mesh::locate::{MeshSpot, distance_sq};
use crate::nav::mesh::polygon::length;
use crate::nav::mesh::topology::{NONE, Topology};

/// Corners that one line is led around at most.
const CORNERS_MAX: usize = 256;
/// Edges crossed this near to one another, in parts of the line, are crossed at once.
const SAME_PART: f64 = 1e-11;
/// An edge whose distance squared from a crossing is greater by this, square metres, is not the one that is
/// crossed.
const MET_SQ: f64 = 1e-18;

/// Places nearer in height than this are on one floor, metres: stairs may lie beside the floor that they lead
/// up to.
pub(crate) const SAME_HEIGHT_M: f64 = 0.01;

/// The result of a straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LineResult {
    /// Whether it gets to its end.
    pub(crate) is_clear: bool,
    /// Where it ends: there, or where a wall is in the way.
    pub(crate) end: MeshSpot,
    /// The wall in the way.
    pub(crate) wall: u32,
}

impl Topology {
    /// Walks straight; `visit` is told each polygon passed with the stretch inside it, some without length.
    pub(crate) fn line(
        &self,
        from: MeshSpot,
        to: Point,
        visit: &mut impl FnMut(u32, Point, Point),
    ) -> LineResult {
        let mut leg = from;
        let mut used: Vec<u32> = Vec::new();
        let mut line = self.leg(leg, NONE, to, visit);
        // Bounded: a corner is used once, and by the most corners.
        for _ in 0..CORNERS_MAX {
            if line.is_clear {
                return line;
            }
            let wall = line.wall;
            let (a, b) = (self.from(wall), self.to(wall));
            let near_sq = self.tolerance_m * self.tolerance_m;
            if geom::segment_distance_sq(to, a, b) <= near_sq {
                let end = MeshSpot { polygon: line.end.polygon, point: geom::nearest_on_segment(to, a, b) };
                visit(end.polygon, line.end.point, end.point);
                return LineResult { is_clear: true, end, wall: NONE };
            }
            let along = |point: Point| {
                (point[0] - leg.point[0]) * (to[0] - leg.point[0])
                    + (point[1] - leg.point[1]) * (to[1] - leg.point[1])
            };
            let ends = [wall, self.next(wall)].map(|edge| self.ring[edge as usize]);
            let grazed = |corner: &u32| {
                let place = self.points[*corner as usize];
                !used.contains(corner) && geom::segment_distance_sq(place, leg.point, to) <= near_sq
            };
            let further = |a: &u32, b: &u32| {
                along(self.points[*a as usize]).total_cmp(&along(self.points[*b as usize]))
            };
            let Some(corner) = ends.into_iter().filter(grazed).max_by(further) else { return line };
            used.push(corner);
            let place = self.points[corner as usize];
            visit(line.end.polygon, line.end.point, place);
            leg = MeshSpot { polygon: self.towards(corner, to), point: place };
            line = self.leg(leg, corner, to, visit);
        }
        line
    }

    /// The length of a straight line between two places, along the ground where the line lies on it, metres.
    pub(crate) fn length_in_space_m(&self, from: Vec3, to: Vec3) -> f64 {
        let chord_m = f64::from(from.distance(to));
        let Some(spot) = self.spot(from).filter(|_| !self.is_flat) else { return chord_m };
        let mut along_m = 0.0;
        let line = self.line(spot, geom::ground(to), &mut |polygon, enter, leave| {
            along_m += self.stretch_m(polygon, enter, leave);
        });
        if line.is_clear { chord_m.max(along_m) } else { chord_m }
    }

    /// The length of a stretch within a polygon, its slope included, metres.
    #[inline]
    pub(crate) fn stretch_m(&self, polygon: u32, enter: Point, leave: Point) -> f64 {
        let flat_m = length(enter, leave);
        if self.is_flat {
            return flat_m;
        }
        let rise_m = self.height(polygon, leave) - self.height(polygon, enter);
        (flat_m * flat_m + rise_m * rise_m).sqrt()
    }

    /// The polygon at a corner into which a line from the corner leads, or the one that it misses least.
    fn towards(&self, corner: u32, to: Point) -> u32 {
        let place = self.points[corner as usize];
        let miss = |edge: u32| {
            let before = self.before(edge);
            let (next, last) = (self.to(edge), self.from(before));
            let long = |a: Point, b: Point| distance_sq(a, b).sqrt().max(1e-12);
            let right = -geom::cross(place, next, to) / long(place, next);
            let left = -geom::cross(last, place, to) / long(last, place);
            right.max(left)
        };
        let best = self.around(corner).iter().copied().min_by(|&a, &b| miss(a).total_cmp(&miss(b)));
        best.map_or(0, |edge| self.face[edge as usize])
    }

    /// The polygon at a corner by which a straight line leads from there to the next place, at the height of
    /// that.
    pub(crate) fn leaving(&self, corner: u32, next: MeshSpot) -> u32 {
        let first = self.towards(corner, next.point);
        if self.is_flat {
            return first;
        }
        let (point, y) = (self.points[corner as usize], self.height(next.polygon, next.point));
        let leads = |&polygon: &u32| {
            let line = self.line(MeshSpot { polygon, point }, next.point, &mut |_, _, _| {});
            line.is_clear && (self.height(line.end.polygon, line.end.point) - y).abs() <= SAME_HEIGHT_M
        };
        let others = self.around(corner).iter().map(|&edge| self.face[edge as usize]);
        std::iter::once(first).chain(others).find(leads).unwrap_or(first)
    }

    /// The edge before another, around the same polygon.
    fn before(&self, edge: u32) -> u32 {
        let edges = self.edges(self.face[edge as usize]);
        if edge == edges.start { edges.end - 1 } else { edge - 1 }
    }

    /// The edge of a polygon that a point lies beyond; None where it lies inside, or as good as on a wall.
    /// Through a corner a line may come into a polygon that it only touches: then it leaves by the edge that
    /// it came by, or one at the corner.
    fn stray(&self, polygon: u32, to: Point) -> Option<u32> {
        let is_beyond = |edge: &u32| {
            let (a, b) = (self.from(*edge), self.to(*edge));
            let slack_m2 = match self.twin[*edge as usize] {
                NONE => self.tolerance_m * distance_sq(a, b).sqrt(),
                _ => self.zero_m2,
            };
            geom::cross(a, b, to) < -slack_m2
        };
        self.edges(polygon).find(is_beyond)
    }

    /// A line that starts at a corner of a polygon may cross both edges that meet there. Returns the one that
    /// it does not leave by, because the other is further along; none where it does not cross both.
    fn left_behind(&self, polygon: u32, corner: u32, to: Point) -> u32 {
        let Some(begins) = self.edges(polygon).find(|&edge| self.ring[edge as usize] == corner) else {
            return NONE;
        };
        let ends = self.before(begins);
        let is_beyond = |edge: u32| geom::cross(self.from(edge), self.to(edge), to) < 0.0;
        if !is_beyond(begins) || !is_beyond(ends) {
            return NONE;
        }
        let (a, b) = (self.from(ends), self.to(ends));
        let along = (b[0] - a[0]) * (to[0] - b[0]) + (b[1] - a[1]) * (to[1] - b[1]);
        if along >= 0.0 { ends } else { begins }
    }

    /// Walks straight until the end or a wall, from a corner or from anywhere.
    fn leg(
        &self,
        from: MeshSpot,
        corner: u32,
        to: Point,
        visit: &mut impl FnMut(u32, Point, Point),
    ) -> LineResult {
        let (mut polygon, mut entry, mut reached) = (from.polygon, NONE, from.point);
        let mut passed = 0.0;
        if corner != NONE {
            entry = self.left_behind(polygon, corner, to);
        }
        let at = |part: f64| {
            [from.point[0] + part * (to[0] - from.point[0]), from.point[1] + part * (to[1] - from.point[1])]
        };
        // Bounded by the polygons: a straight line passes each once; a few more where it runs along edges.
        for _ in 0..2 * self.polygon_count() + 64 {
            let mut exit: Option<(f64, f64, u32)> = None;
            for edge in self.edges(polygon).filter(|&edge| edge != entry) {
                let (a, b) = (self.from(edge), self.to(edge));
                let after = geom::cross(a, b, to);
                if after >= 0.0 {
                    continue;
                }
                let before = geom::cross(a, b, from.point).max(0.0);
                let part = (before / (before - after)).max(passed);
                let miss = geom::segment_distance_sq(at(part), a, b);
                let is_first = match exit {
                    None => true,
                    // Of edges in one line the one that is met; through a corner rather on than into a wall.
                    Some((first, nearest, chosen)) => {
                        let is_wall = |edge: u32| self.twin[edge as usize] == NONE;
                        let is_met = miss + MET_SQ < nearest
                            || miss <= nearest + MET_SQ && is_wall(chosen) && !is_wall(edge);
                        part < first - SAME_PART || part <= first + SAME_PART && is_met
                    }
                };
                if is_first {
                    exit = Some((part, miss, edge));
                }
            }
            let exit = exit.or_else(|| self.stray(polygon, to).map(|edge| (passed, 0.0, edge)));
            let Some((part, _, edge)) = exit else {
                visit(polygon, reached, to);
                return LineResult { is_clear: true, end: MeshSpot { polygon, point: to }, wall: NONE };
            };
            let crossing = at(part);
            visit(polygon, reached, crossing);
            (reached, passed) = (crossing, part);
            let twin = self.twin[edge as usize];
            if twin == NONE {
                return LineResult { is_clear: false, end: MeshSpot { polygon, point: reached }, wall: edge };
            }
            (polygon, entry) = (self.face[twin as usize], twin);
        }
        let wall = self.edges(polygon).start;
        LineResult { is_clear: false, end: MeshSpot { polygon, point: reached }, wall }
    }
}
