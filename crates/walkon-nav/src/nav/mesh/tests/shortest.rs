//! Ways over polygons against those of a visibility graph.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::*;
use crate::base::geom::{Bounds, Point};
use crate::nav::RawMesh;
use crate::nav::mesh::polygon::length;
use crate::nav::mesh::topology::Topology;

/// A line that passes a wall by less than this does not cross it, metres.
const NEAR_M: f64 = 1e-9;

/// The corners that shortest lines may turn at, and the walls.
struct VisibilityGraph<'a> {
    surface: &'a Topology,
    corners: Vec<Point>,
    walls: Vec<Segment<Point>>,
}

/// How far a point lies to the left of a line.
fn aside(line: Segment<Point>, point: Point) -> f64 {
    geom::cross(line.from, line.to, point) / length(line.from, line.to).max(1e-12)
}

impl<'a> VisibilityGraph<'a> {
    fn new(surface: &'a Topology) -> Self {
        let walls: Vec<Segment<Point>> = surface.wall_segments().collect();
        let mut corners = Vec::new();
        for wall in &walls {
            for next in walls.iter().filter(|next| next.from == wall.to) {
                if aside(*wall, next.to) < NEAR_M {
                    corners.push(wall.to);
                }
            }
        }
        Self { surface, corners, walls }
    }

    fn sees(&self, from: Point, to: Point) -> bool {
        let line = Segment { from, to };
        let parts = |line: Segment<Point>, [a, b]: [Point; 2]| {
            let [a, b] = [aside(line, a), aside(line, b)];
            a.min(b) < -NEAR_M && a.max(b) > NEAR_M
        };
        if self.walls.iter().any(|wall| parts(line, [wall.from, wall.to]) && parts(*wall, [from, to])) {
            return false;
        }
        // Between the corners that it passes it may lead through what is no ground, without crossing a wall.
        let along_m = |point: Point| {
            let [x, z] = [0, 1].map(|axis| (point[axis] - from[axis]) * (to[axis] - from[axis]));
            (x + z) / length(from, to)
        };
        let ends = self.walls.iter().map(|wall| wall.from).filter(|end| aside(line, *end).abs() <= NEAR_M);
        let mut parts_m: Vec<f64> = ends.map(along_m).chain([0.0, length(from, to)]).collect();
        parts_m.retain(|part_m| (0.0..=length(from, to)).contains(part_m));
        parts_m.sort_by(f64::total_cmp);
        parts_m.windows(2).all(|pair| {
            let part = (pair[0] + pair[1]) / 2.0 / length(from, to);
            pair[1] - pair[0] <= NEAR_M
                || self.is_ground([0, 1].map(|axis| from[axis] + part * (to[axis] - from[axis])))
        })
    }

    /// Whether a point lies within a polygon, or on one of its edges.
    fn is_ground(&self, point: Point) -> bool {
        let mut is_ground = false;
        let near = Bounds { min: point, max: point }.grown(NEAR_M);
        self.surface.tree.visit(near, &mut |polygon| {
            let mut sides = self.surface.edges(polygon).map(|edge| self.surface.side(edge));
            is_ground = is_ground || sides.all(|side| aside(side, point) >= -NEAR_M);
        });
        is_ground
    }

    /// Metres of the shortest line.
    fn shortest_m(&self, from: Point, to: Point) -> f64 {
        let mut points = vec![from, to];
        points.extend_from_slice(&self.corners);
        let mut reached_m = vec![f64::INFINITY; points.len()];
        let mut open = BinaryHeap::from([Reverse((length(from, to).to_bits(), 0.0_f64.to_bits(), 0))]);
        while let Some(Reverse((_, metres, at))) = open.pop() {
            let metres = f64::from_bits(metres);
            if at == 1 {
                return metres;
            }
            if metres > reached_m[at] {
                continue;
            }
            let on_m = |next: usize| metres + length(points[at], points[next]);
            let is_nearer =
                |next: &usize| on_m(*next) < reached_m[*next] && self.sees(points[at], points[*next]);
            let nearer: Vec<usize> = (1..points.len()).filter(is_nearer).collect();
            for next in nearer {
                reached_m[next] = on_m(next);
                let bound = on_m(next) + length(points[next], to);
                open.push(Reverse((bound.to_bits(), on_m(next).to_bits(), next)));
            }
        }
        f64::INFINITY
    }
}

/// Squares whose corners may be moved at random, some of them cut in two and some left out.
fn broken_squares(most: f64, rng: &mut Rng) -> RawMesh {
    let side_m = [3.0, 10.0, 30.0, 100.0][rng.below(4) as usize];
    let [across, down] = [(); 2].map(|()| rng.int(3, 6) as u32);
    let mut vertices = Vec::new();
    for z in 0..=down {
        for x in 0..=across {
            let moved = |at: u32, rng: &mut Rng| side_m * (f64::from(at) + rng.float(-most, most));
            vertices.push([moved(x, rng), 0.0, moved(z, rng)]);
        }
    }
    let mut polygons = Vec::new();
    let gaps = rng.float(0.1, 0.4);
    let mut is_there: Vec<bool> = (0..across * down).map(|_| !rng.chance(gaps)).collect();
    fill_pinches(&mut is_there, across as usize);
    for square in (0..across * down).filter(|&square| is_there[square as usize]) {
        let first = square / across * (across + 1) + square % across;
        let ring = [first, first + 1, first + across + 2, first + across + 1];
        let place = |at: usize| {
            let [x, _, z] = vertices[ring[at % 4] as usize];
            [x, z]
        };
        let is_convex = (0..4).all(|at| geom::cross(place(at), place(at + 1), place(at + 2)) > 0.01);
        let cut = if is_convex { rng.below(3) as usize } else { 0 };
        let bends_in = (0..4).find(|&at| geom::cross(place(at), place(at + 1), place(at + 2)) <= 0.01);
        let cut = bends_in.map_or(cut, |at| (at + 1) % 2);
        if cut == 2 {
            polygons.push(ring.to_vec());
        } else {
            polygons.push(vec![ring[cut], ring[cut + 1], ring[cut + 2]]);
            polygons.push(vec![ring[cut], ring[cut + 2], ring[(cut + 3) % 4]]);
        }
    }
    RawMesh { vertices, polygons }
}

/// Puts in squares until no two touch at a corner alone: what a visibility graph makes of that is not said.
fn fill_pinches(is_there: &mut [bool], across: usize) {
    // Bounded by the squares: each round puts one in.
    while let Some(missing) = (0..is_there.len() - across - 1).find_map(|at| {
        let four = [at, at + 1, at + across, at + across + 1];
        let is_pinch = |[a, b, c, d]: [usize; 4]| is_there[a] && is_there[d] && !is_there[b] && !is_there[c];
        let is_pair = at % across + 1 < across;
        (is_pair && is_pinch(four))
            .then_some(four[1])
            .or((is_pair && is_pinch([four[1], four[0], four[3], four[2]])).then_some(four[0]))
    }) {
        is_there[missing] = true;
    }
}

/// A field with a hole in its middle, in eight triangles.
fn ring(rng: &mut Rng) -> RawMesh {
    let side_m = [40.0, 100.0, 200.0][rng.below(3) as usize];
    let third = side_m / 3.0;
    let corner = |[x, z]: [f64; 2]| [x, 0.0, z];
    let outer = [[0.0, 0.0], [side_m, 0.0], [side_m, side_m], [0.0, side_m]];
    let inner = [[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]];
    let inner = inner.map(|place| place.map(|at| (at + rng.float(-0.3, 0.3)) * third));
    let sides = (0..4).flat_map(|at| {
        let (a, b) = (at, (at + 1) % 4);
        [vec![a, b, b + 4], vec![a, b + 4, a + 4]]
    });
    RawMesh { vertices: outer.into_iter().chain(inner).map(corner).collect(), polygons: sides.collect() }
}

/// Goal: no way that a search finds is longer than need be, whatever rounding makes of walls that are kept
/// off. Method: rings, squares with gaps and fields of blocks, near the origin and far from it; bodies of
/// many radii, some queries along the lines of the squares; against the visibility graph of the same walls.
#[test]
fn ways_over_offset_walls_are_those_of_a_visibility_graph() {
    let mut rng = Rng::stream(23, "shortest");
    let mut found = 0;
    for round in 0..60 {
        let mut raw = match round % 4 {
            0 => ring(&mut rng),
            1 => broken_squares(0.0, &mut rng),
            _ => broken_squares(0.3, &mut rng),
        };
        let away_m = [0.0, 0.0, 500.0, 3000.0][rng.below(4) as usize];
        raw.vertices.iter_mut().for_each(|vertex| vertex[0] += away_m);
        let Ok(ground) = raw.check() else { continue };
        let map = map(&match round % 5 {
            4 => as_mesh(&field(&mut rng)),
            _ => MeshSource { ground: Some(ground), ..MeshSource::default() },
        });
        let bounds = map.mesh().expect("a mesh").bounds();
        for radius_m in [0.0, 0.001, 0.01, 0.2, 0.25, 0.35, rng.float(0.0, 1.0) as f32] {
            let view = map.mesh().expect("a mesh").view(&wide(radius_m));
            let surface = &view.surface;
            let graph = VisibilityGraph::new(surface);
            for _ in 0..8 {
                let is_even = rng.chance(0.3);
                let spots = [(); 2].map(|()| {
                    let place = [0, 1].map(|axis| rng.float(bounds.min[axis], bounds.max[axis]));
                    let place = place.map(|at| if is_even { at.round() } else { at });
                    surface.spot(geom::raise(place, 0.0))
                });
                let [Some(from), Some(to)] = spots else { continue };
                if surface.label[from.polygon as usize] != surface.label[to.polygon as usize] {
                    continue;
                }
                let mut search = Polyanya::default();
                search.begin(surface, Tolls::default(), from, to);
                let step = search.step(surface, Tolls::default(), 20 * surface.polygon_count());
                let least_m = graph.shortest_m(from.point, to.point);
                let asked = format!("round {round}, radius {radius_m}: {from:?} to {to:?}");
                assert_eq!(step, SearchStep::Found, "{asked}: {least_m} m, after {}", search.spent());
                let away_m = search.cost() - least_m;
                assert!(away_m.abs() < 1e-4, "{asked}: {} m, least {least_m}", search.cost());
                found += 1;
            }
        }
    }
    assert!(found > 1500, "{found}");
}
