//! Navigation meshes as authored: polygons, and the checks that make them a mesh.
//!
//! In: corners and lists of them. Out: a `Topology`, or the reason why there can be none, with the polygon
//! and the corner it is about. Holds: limits are checked before anything is allocated; polygons turned the
//! wrong way round are turned back and counted, every other mistake is refused, nothing is guessed. There may
//! be several floors: two polygons may lie above one another as long as they keep [`FLOOR_GAP_M`] apart. Not
//! here: files (`level`), areas and obstacles (`build`).

use crate::base::geom::{self, Bounds, Point, Segment};
use crate::nav::mesh::polygon::{centre, clip, height_in_fan, inner_width, length, middle, twice_area};
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::tree::RectangleTree;

/// The most corners a mesh may have.
pub const VERTICES_MAX: usize = 1_000_000;
/// The most polygons a mesh may have.
pub const POLYGONS_MAX: usize = 1_000_000;
/// The most corners all polygons may have together.
pub const CORNERS_MAX: usize = 4_000_000;
/// Coordinates beyond this many metres are refused.
pub const COORDINATE_MAX_M: f64 = 1e6;
/// Polygons above one another keep at least this much apart, metres.
pub const FLOOR_GAP_M: f64 = 0.1;

/// Two places nearer than this are one, metres.
const SAME_M: f64 = 1e-6;
/// How often corners may have to be compared with corners, of pairs of polygons whose rectangles overlap: as
/// often as 20 million pairs of quadrilaterals take, about two seconds.
const COMPARISONS_MAX: u64 = 1_280_000_000;

/// A mesh as authored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawMesh {
    /// Corners: x, y (up), z, world metres.
    pub vertices: Vec<[f64; 3]>,
    /// Convex polygons by the places of their corners, in order, either way round; corners in a straight line
    /// are fine.
    pub polygons: Vec<Vec<u32>>,
}

/// Why polygons are not a navigation mesh. Levels report these with a place in the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum MeshError {
    #[error("{what}: {count}, limit {limit}; split the mesh over several levels")]
    TooMany { what: &'static str, count: usize, limit: usize },
    #[error(
        "vertex {vertex}: coordinate {value}, expected a finite number of metres within 1e6 of the origin"
    )]
    Coordinate { vertex: usize, value: f64 },
    #[error("polygon {polygon}: {count} corners, expected 3 or more")]
    TooFewCorners { polygon: usize, count: usize },
    #[error("polygon {polygon}: refers to vertex {vertex}, but there are {count} vertices, counted from 0")]
    UnknownVertex { polygon: usize, vertex: u32, count: usize },
    #[error("polygon {polygon}: passes vertex {vertex} twice; expected every corner once")]
    RepeatedVertex { polygon: usize, vertex: u32 },
    #[error(
        "polygon {polygon}: degenerate, it covers no ground seen from above; leave out walls and polygons without area"
    )]
    Degenerate { polygon: usize },
    #[error("polygon {polygon}: not convex at vertex {vertex}; split it there")]
    NotConvex { polygon: usize, vertex: u32 },
    #[error(
        "edge from vertex {from} to vertex {to}: non-manifold, shared by {count} polygons ({first}, {second} and others); expected 2 at most"
    )]
    NonManifold { from: u32, to: u32, count: usize, first: usize, second: usize },
    #[error(
        "polygons {first} and {second}: overlap at ({x}, {z}); cut one back, or keep floors 0.1 m apart in height"
    )]
    Overlapping { first: usize, second: usize, x: f64, z: f64 },
    #[error(
        "polygon {polygon}: T-junction, vertex {vertex} lies on its edge from vertex {from} to vertex {to}; add the vertex to the polygon"
    )]
    TJunction { polygon: usize, vertex: u32, from: u32, to: u32 },
    #[error(
        "polygon {polygon}: its vertex {vertex} and vertex {twin} lie at one place, so an edge there is not shared; merge them"
    )]
    Unmerged { polygon: usize, vertex: u32, twin: u32 },
    #[error("polygons: too many lie above one another to compare them; split the mesh")]
    TooManyOverlaps,
}

impl MeshError {
    /// The place of the polygon that is wrong, or of the first of two, where the error is one of polygons.
    #[must_use]
    pub fn polygon(&self) -> Option<usize> {
        match *self {
            Self::TooFewCorners { polygon, .. }
            | Self::UnknownVertex { polygon, .. }
            | Self::RepeatedVertex { polygon, .. }
            | Self::Degenerate { polygon }
            | Self::NotConvex { polygon, .. }
            | Self::TJunction { polygon, .. }
            | Self::Unmerged { polygon, .. } => Some(polygon),
            Self::NonManifold { first, .. } | Self::Overlapping { first, .. } => Some(first),
            Self::TooMany { .. } | Self::Coordinate { .. } | Self::TooManyOverlaps => None,
        }
    }
}

/// A mesh that was found to be in order.
#[derive(Clone, Debug)]
pub struct CheckedMesh {
    /// The polygons, joined where they share edges.
    pub(crate) surface: Topology,
    /// Polygons that were the wrong way round.
    pub turned: usize,
}

impl RawMesh {
    /// Checks the mesh. Cost: n log n over the polygons, and for every pair whose rectangles overlap the
    /// square of its corners.
    ///
    /// # Errors
    /// The first thing that is wrong, see [`MeshError`].
    pub fn check(&self) -> Result<CheckedMesh, MeshError> {
        self.check_numbers()?;
        let mut rings = Vec::with_capacity(self.polygons.len());
        let mut turned = 0;
        for polygon in 0..self.polygons.len() {
            let (ring, was_turned) = self.check_polygon(polygon)?;
            turned += usize::from(was_turned);
            rings.push(ring);
        }
        let twins = self.pair(&rings)?;
        self.check_overlaps(&rings, COMPARISONS_MAX)?;
        self.check_junctions(&rings, &twins)?;
        let (points, heights) = self.vertices.iter().map(|&[x, y, z]| ([x, z], y)).unzip();
        let surface = Topology::new(points, heights, &rings, vec![0; rings.len()]);
        Ok(CheckedMesh { surface, turned })
    }

    fn check_numbers(&self) -> Result<(), MeshError> {
        let corners = self.polygons.iter().map(Vec::len).sum();
        for (what, count, limit) in [
            ("vertices", self.vertices.len(), VERTICES_MAX),
            ("polygons", self.polygons.len(), POLYGONS_MAX),
            ("corners of polygons", corners, CORNERS_MAX),
        ] {
            if count > limit {
                return Err(MeshError::TooMany { what, count, limit });
            }
        }
        for (vertex, place) in self.vertices.iter().enumerate() {
            let is_far = |value: &&f64| value.is_nan() || value.abs() > COORDINATE_MAX_M;
            if let Some(&value) = place.iter().find(is_far) {
                return Err(MeshError::Coordinate { vertex, value });
            }
        }
        Ok(())
    }

    /// A point of the ground plane.
    fn ground(&self, vertex: u32) -> Point {
        let [x, _, z] = self.vertices[vertex as usize];
        [x, z]
    }

    /// The corners of a polygon with the ground to the left of every edge, and whether they had to be turned
    /// round.
    fn check_polygon(&self, polygon: usize) -> Result<(Vec<u32>, bool), MeshError> {
        let mut ring = self.polygons[polygon].clone();
        if ring.len() < 3 {
            return Err(MeshError::TooFewCorners { polygon, count: ring.len() });
        }
        let count = self.vertices.len();
        if let Some(&vertex) = ring.iter().find(|&&vertex| vertex as usize >= count) {
            return Err(MeshError::UnknownVertex { polygon, vertex, count });
        }
        let mut sorted = ring.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(MeshError::RepeatedVertex { polygon, vertex: pair[0] });
        }
        let places: Vec<Point> = ring.iter().map(|&vertex| self.ground(vertex)).collect();
        let area = twice_area(&places);
        let round: f64 = geom::edges(&places).map(|Segment { from: a, to: b }| length(a, b)).sum();
        if area.abs() <= SAME_M * round {
            return Err(MeshError::Degenerate { polygon });
        }
        let is_turned = area < 0.0;
        if is_turned {
            ring.reverse();
        }
        if let Some(vertex) = self.first_dent(&ring) {
            return Err(MeshError::NotConvex { polygon, vertex });
        }
        Ok((ring, is_turned))
    }

    /// The first corner at which a polygon is not convex, or where it winds around itself.
    fn first_dent(&self, ring: &[u32]) -> Option<u32> {
        let places: Vec<Point> = ring.iter().map(|&vertex| self.ground(vertex)).collect();
        let count = places.len();
        let at = |corner: usize| places[corner % count];
        let mut turns = 0;
        for corner in 0..count {
            let (a, b, c) = (at(corner), at(corner + 1), at(corner + 2));
            let (first, second) = (length(a, b), length(b, c));
            let back = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0.0;
            let is_dent = geom::cross(a, b, c) < -SAME_M * first.max(second);
            // A corner at which it goes straight back.
            let is_spike = back && geom::cross(a, b, c) <= SAME_M * first.max(second);
            // A convex polygon turns from going down to going up once.
            let rises = |p: Point, q: Point| (q[1], q[0]) > (p[1], p[0]);
            turns += usize::from(!rises(a, b) && rises(b, c));
            if is_dent || is_spike || turns > 1 {
                return Some(ring[(corner + 1) % count]);
            }
        }
        None
    }

    /// For every edge of every polygon the one on its other side, numbered through all polygons.
    fn pair(&self, rings: &[Vec<u32>]) -> Result<Vec<u32>, MeshError> {
        // Lower corner, upper corner, polygon, its edge counted through all polygons, whether it leads
        // upwards.
        let mut edges: Vec<(u32, u32, u32, u32, bool)> = Vec::new();
        for (polygon, ring) in (0_u32..).zip(rings) {
            for (corner, &from) in ring.iter().enumerate() {
                let to = ring[(corner + 1) % ring.len()];
                edges.push((from.min(to), from.max(to), polygon, edges.len() as u32, from < to));
            }
        }
        let mut twins = vec![NONE; edges.len()];
        edges.sort_unstable();
        for same in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (from, to, first, at, upwards) = same[0];
            match same {
                [_] => {}
                [_, (_, _, second, other, other_upwards)] => {
                    if upwards == *other_upwards {
                        let [x, z] = middle(self.ground(from), self.ground(to));
                        return Err(MeshError::Overlapping {
                            first: first as usize,
                            second: *second as usize,
                            x,
                            z,
                        });
                    }
                    twins[at as usize] = *other;
                    twins[*other as usize] = at;
                }
                _ => {
                    let (count, second) = (same.len(), same[1].2 as usize);
                    return Err(MeshError::NonManifold { from, to, count, first: first as usize, second });
                }
            }
        }
        Ok(twins)
    }

    fn check_overlaps(&self, rings: &[Vec<u32>], comparisons_max: u64) -> Result<(), MeshError> {
        let shapes: Vec<Vec<Point>> =
            rings.iter().map(|ring| ring.iter().map(|&vertex| self.ground(vertex)).collect()).collect();
        let bounds: Vec<Bounds> = shapes.iter().map(|shape| Bounds::of(shape)).collect();
        let tree = RectangleTree::new(&bounds);
        let mut comparisons = 0;
        let mut near = Vec::new();
        for first in 0..rings.len() {
            near.clear();
            tree.visit(bounds[first], &mut |other| near.push(other));
            near.sort_unstable();
            for second in near.iter().map(|&other| other as usize).filter(|&other| other > first) {
                // At most so many corners are left, and the heights at each may be looked for at all.
                comparisons += ((shapes[first].len() + shapes[second].len()) as u64).pow(2);
                if comparisons > comparisons_max {
                    return Err(MeshError::TooManyOverlaps);
                }
                let common = clip(&shapes[first], &shapes[second]);
                if common.len() < 3 || inner_width(&common) <= 4.0 * SAME_M {
                    continue;
                }
                let gap =
                    |point: Point| self.height(&rings[first], point) - self.height(&rings[second], point);
                let gaps: Vec<f64> = common.iter().map(|&point| gap(point)).collect();
                let above = gaps.iter().all(|&gap| gap >= FLOOR_GAP_M);
                let below = gaps.iter().all(|&gap| gap <= -FLOOR_GAP_M);
                // Two that share an edge and fold over it: floors meet there, so they overlap however steep.
                if !above && !below {
                    let [x, z] = centre(&common);
                    return Err(MeshError::Overlapping { first, second, x, z });
                }
            }
        }
        Ok(())
    }

    /// Height of a polygon at a point of it.
    fn height(&self, ring: &[u32], point: Point) -> f64 {
        let corner = |at: usize| (self.ground(ring[at]), self.vertices[ring[at] as usize][1]);
        height_in_fan(ring.len(), corner, point)
    }

    /// Refuses corners on edges that lead along other edges without sharing their ends.
    fn check_junctions(&self, rings: &[Vec<u32>], twins: &[u32]) -> Result<(), MeshError> {
        let mut open: Vec<(usize, u32, u32)> = Vec::new();
        let mut at = 0;
        for (polygon, ring) in rings.iter().enumerate() {
            for (corner, &from) in ring.iter().enumerate() {
                if twins[at] == NONE {
                    open.push((polygon, from, ring[(corner + 1) % ring.len()]));
                }
                at += 1;
            }
        }
        let bounds: Vec<Bounds> = open
            .iter()
            .map(|&(_, from, to)| Bounds::of(&[self.ground(from), self.ground(to)]).grown(SAME_M))
            .collect();
        let tree = RectangleTree::new(&bounds);
        let mut near = Vec::new();
        for (at, &(polygon, from, to)) in open.iter().enumerate() {
            near.clear();
            tree.visit(bounds[at], &mut |other| near.push(other as usize));
            near.sort_unstable();
            for &other in near.iter().filter(|&&other| other != at) {
                let (_, c, d) = open[other];
                if let Some(vertex) = self.junction([from, to], [c, d]) {
                    let twin = [from, to].into_iter().find(|&end| self.is_at_one_place(end, vertex));
                    return Err(match twin {
                        Some(own) => MeshError::Unmerged { polygon, vertex: own, twin: vertex },
                        None => MeshError::TJunction { polygon, vertex, from, to },
                    });
                }
            }
        }
        Ok(())
    }

    fn is_at_one_place(&self, one: u32, other: u32) -> bool {
        let [a, b] = [one, other].map(|vertex| self.vertices[vertex as usize]);
        (0..3).all(|axis| (a[axis] - b[axis]).abs() <= SAME_M)
    }

    /// The end of another edge that lies within an edge, when the two lead along one another in opposite
    /// directions.
    fn junction(&self, [from, to]: [u32; 2], [c, d]: [u32; 2]) -> Option<u32> {
        let (a, b) = (self.ground(from), self.ground(to));
        let (p, q) = (self.ground(c), self.ground(d));
        let long = length(a, b);
        let aside = |point: Point| geom::cross(a, b, point).abs() / long;
        let along = |point: Point| {
            ((point[0] - a[0]) * (b[0] - a[0]) + (point[1] - a[1]) * (b[1] - a[1])) / (long * long)
        };
        if aside(p) > SAME_M || aside(q) > SAME_M || along(q) >= along(p) {
            return None;
        }
        let edge = SAME_M / long;
        let common = along(p).min(1.0) - along(q).max(0.0);
        if common <= edge {
            return None;
        }
        let level = |vertex: u32, part: f64| {
            let [low, high] = [from, to].map(|end| self.vertices[end as usize][1]);
            (self.vertices[vertex as usize][1] - (low + (high - low) * part)).abs() < FLOOR_GAP_M
        };
        // Equal ends under different numbers are a junction too: the polygons touch and are not joined.
        let within = |vertex: u32, part: f64| {
            (-edge..=1.0 + edge).contains(&part) && level(vertex, part.clamp(0.0, 1.0))
        };
        let ends = [(c, along(p)), (d, along(q))].into_iter();
        let mut others = ends.filter(|&(vertex, _)| vertex != from && vertex != to);
        others.find(|&(vertex, part)| within(vertex, part)).map(|found| found.0)
    }
}

#[cfg(test)]
mod tests;
