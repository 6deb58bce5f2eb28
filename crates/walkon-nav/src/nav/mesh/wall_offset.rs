//! Offsets walls: convex polygons around stretches of wall, as wide as a radius.
//!
//! In: walls, a radius. Out: convex polygons around them, and the lines that bound the rest of the ground.
//! Holds: a polygon holds every point within the radius of its wall, and none farther off than the radius by
//! more than a hundredth of it: rounded ends are polygons around the circle. Not here: which walls (`build`).

use crate::base::geom::{self, Bounds, Point};
use crate::nav::mesh::polygon::length;
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::tree::RectangleTree;
use crate::nav::mesh::triangulate::GroundSegment;

/// Corners of the polygon around a whole circle.
const CORNERS: u32 = 24;

/// A segment so far within another polygon bounds nothing, metres.
const WELL_WITHIN_M: f64 = 1e-4;

/// Ground this far above or below what blocks it is another floor, metres.
const FLOOR_M: f64 = 1.5;

/// A convex polygon that is no ground, the inside to the left, from one height to another.
#[derive(Clone, Debug)]
pub(crate) struct WallOffset {
    pub(crate) polygon: Vec<Point>,
    pub(crate) low_m: f64,
    pub(crate) high_m: f64,
}

impl WallOffset {
    /// One on the floors near some heights.
    pub(crate) fn near(polygon: Vec<Point>, heights_m: [f64; 2]) -> Self {
        let [low_m, high_m] = [heights_m[0].min(heights_m[1]), heights_m[0].max(heights_m[1])];
        Self { polygon, low_m: low_m - FLOOR_M, high_m: high_m + FLOOR_M }
    }

    /// All that it is, as numbers.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        let corners = self.polygon.iter().flatten().copied();
        let count = self.polygon.len() as u64;
        [count].into_iter().chain(corners.chain([self.low_m, self.high_m]).map(f64::to_bits))
    }

    /// An offset that holds at any height.
    pub(crate) fn of_all_floors(polygon: Vec<Point>) -> Self {
        Self { polygon, low_m: f64::NEG_INFINITY, high_m: f64::INFINITY }
    }
}

/// On which side of the walls of a surface to keep off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WallSide {
    /// Where the polygons are: they are ground.
    Within,
    /// Where they are not: they block.
    Without,
}

/// What keeps a distance from the walls of a surface: beside each wall a rectangle, around each corner that a
/// tight line can turn at on that side a sector of the circle, as a polygon that holds it.
pub(crate) fn beside(surface: &Topology, keep_m: f64, side: WallSide) -> Vec<WallOffset> {
    let turned = if side == WallSide::Within { 1.0 } else { -1.0 };
    let mut shapes = Vec::new();
    let mut leaving = vec![NONE; surface.points.len()];
    let mut count = vec![0_u8; surface.points.len()];
    for &wall in &surface.walls {
        let corner = surface.ring[wall as usize] as usize;
        leaving[corner] = wall;
        count[corner] = count[corner].saturating_add(1);
    }
    let height = |edge: u32| surface.heights[surface.ring[edge as usize] as usize];
    for &wall in &surface.walls {
        let (a, b) = (surface.from(wall), surface.to(wall));
        let end = surface.next(wall);
        let heights = [height(wall), height(end)];
        let range = |polygon| WallOffset::near(polygon, heights);
        let normal = normal(a, b, turned * keep_m);
        let moved = |point: Point| [point[0] + normal[0], point[1] + normal[1]];
        let mut polygon = vec![a, b, moved(b), moved(a)];
        if side == WallSide::Without {
            polygon.reverse();
        }
        shapes.push(range(polygon));
        let corner = surface.ring[end as usize] as usize;
        if count[corner] > 1 {
            shapes.push(range(around(b, keep_m)));
        } else if leaving[corner] != NONE {
            let c = surface.to(leaving[corner]);
            let turns_away = turned * geom::cross(a, b, c) < 0.0;
            let goes_back = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0.0;
            if turns_away || goes_back {
                shapes.extend(sector([a, b, c], turned * keep_m).map(range));
            }
        }
    }
    shapes
}

/// Square to a segment, to its left when positive.
fn normal(a: Point, b: Point, long_m: f64) -> Point {
    let scale = long_m / length(a, b).max(1e-12);
    [(a[1] - b[1]) * scale, (b[0] - a[0]) * scale]
}

/// The part of a circle around the middle one of three corners that lies beyond both segments, on the left
/// for a positive radius, as a polygon that holds it. None where there is no such part.
fn sector([a, b, c]: [Point; 3], radius_m: f64) -> Option<Vec<Point>> {
    let (first, last) = (normal(a, b, radius_m), normal(b, c, radius_m));
    let angle = |way: Point| libm::atan2(way[1], way[0]);
    let tau = std::f64::consts::TAU;
    // To the left of walls one turns right around a corner, to the right left.
    let mut turn = (angle(last) - angle(first)) * -radius_m.signum();
    if turn < 0.0 {
        turn += tau;
    }
    if turn >= std::f64::consts::PI - 1e-3 {
        return (turn <= std::f64::consts::PI + 1e-3).then(|| around(b, radius_m.abs()));
    }
    let steps = libm::ceil(turn / (tau / f64::from(CORNERS)) - 1e-9).max(1.0);
    let step = turn / steps;
    let outer = radius_m.abs() / libm::cos(step / 2.0);
    let arc = (0..steps as u32).map(|at| {
        let way = angle(first) - radius_m.signum() * (f64::from(at) + 0.5) * step;
        [b[0] + outer * libm::cos(way), b[1] + outer * libm::sin(way)]
    });
    let moved = |way: Point| [b[0] + way[0], b[1] + way[1]];
    let mut polygon: Vec<Point> = [b, moved(first)].into_iter().chain(arc).chain([moved(last)]).collect();
    if radius_m > 0.0 {
        polygon.reverse();
    }
    (turn > 1e-9).then_some(polygon)
}

/// Convex polygons that are no ground.
#[derive(Clone, Debug, Default)]
pub(crate) struct WallOffsets {
    shapes: Vec<WallOffset>,
    tree: RectangleTree,
}

/// The polygon around the points within a radius of a point.
pub(crate) fn around(middle: Point, radius_m: f64) -> Vec<Point> {
    let outer = radius_m / libm::cos(std::f64::consts::PI / f64::from(CORNERS));
    let step = std::f64::consts::TAU / f64::from(CORNERS);
    // Two of its corners lie on the circle, the others half a step beside the normals.
    let half = |first: f64| {
        let begin = [middle[0] + radius_m * libm::cos(first), middle[1] + radius_m * libm::sin(first)];
        let others = (0..CORNERS / 2).map(move |at| {
            let angle = first + (f64::from(at) + 0.5) * step;
            [middle[0] + outer * libm::cos(angle), middle[1] + outer * libm::sin(angle)]
        });
        std::iter::once(begin).chain(others)
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    half(-quarter).chain(half(quarter)).collect()
}

impl WallOffsets {
    pub(crate) fn new(shapes: Vec<WallOffset>) -> Self {
        let bounds: Vec<Bounds> = shapes.iter().map(|shape| Bounds::of(&shape.polygon)).collect();
        Self { tree: RectangleTree::new(&bounds), shapes }
    }

    /// Whether one of them holds a point at a height.
    pub(crate) fn holds(&self, point: Point, y: f64) -> bool {
        let mut held = false;
        self.tree.visit(Bounds { min: point, max: point }, &mut |at| {
            let shape = &self.shapes[at as usize];
            held = held || (shape.low_m..=shape.high_m).contains(&y) && is_deep(&shape.polygon, point, 0.0);
        });
        held
    }

    /// One of them, by its number.
    pub(crate) fn shape(&self, at: usize) -> &WallOffset {
        &self.shapes[at]
    }

    /// Those that touch a rectangle, in order.
    pub(crate) fn within(&self, around: Bounds) -> impl Iterator<Item = &WallOffset> + '_ {
        let mut found = Vec::new();
        self.tree.visit(around, &mut |at| found.push(at));
        found.sort_unstable();
        // Leaves of the tree hold several.
        let shapes = found.into_iter().map(|at| &self.shapes[at as usize]);
        shapes.filter(move |shape| Bounds::of(&shape.polygon).overlaps(&around))
    }

    /// What each of them spans.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = Bounds> + '_ {
        self.shapes.iter().map(|shape| Bounds::of(&shape.polygon))
    }

    /// Appends the sides of all of them but for those that lie within another.
    pub(crate) fn lines(&self, out: &mut Vec<GroundSegment>) {
        for (at, shape) in (0_u32..).zip(&self.shapes) {
            out.extend(geom::edges(&shape.polygon).filter(|side| !self.covers(*side, at)));
        }
    }

    /// Whether one polygon but for one holds a segment well within, wherever the one blocks.
    fn covers(&self, GroundSegment { from: a, to: b }: GroundSegment, but: u32) -> bool {
        let own = &self.shapes[but as usize];
        let mut covered = false;
        self.tree.visit(Bounds { min: a, max: a }, &mut |at| {
            let shape = &self.shapes[at as usize];
            let is_as_high = shape.low_m <= own.low_m && shape.high_m >= own.high_m;
            covered = covered
                || at != but
                    && is_as_high
                    && [a, b].into_iter().all(|end| is_deep(&shape.polygon, end, WELL_WITHIN_M));
        });
        covered
    }
}

/// Whether a point lies within a convex polygon, so far from its sides at least.
fn is_deep(shape: &[Point], point: Point, depth_m: f64) -> bool {
    let is_beyond = |GroundSegment { from: a, to: b }: GroundSegment| {
        let least = if depth_m > 0.0 { depth_m * length(a, b) } else { 0.0 };
        geom::cross(a, b, point) >= least
    };
    geom::edges(shape).all(is_beyond)
}
