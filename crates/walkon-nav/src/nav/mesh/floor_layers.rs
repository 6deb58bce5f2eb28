//! Ground with several floors, cut up floor by floor.
//!
//! In: a surface, lines on it, what lies where. Out: the polygons between the lines. Holds: no polygon of a
//! sheet lies above another one of it; where two sheets share an edge the polygons of both end at the same
//! corners, so they stay joined. Flat ground, and ground without floors above one another, is one sheet.

use std::collections::BTreeMap;

use crate::base::geom::{self, Bounds, Point};
use crate::base::ordered;
use crate::nav::mesh::raw::{clip, inner_width};
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::tree::RectangleTree;
use crate::nav::mesh::triangulate::{GroundSegment, arrange};

/// Polygons that have less than this in common, metres, only touch.
const TOUCH_M: f64 = 4e-6;
/// Corners this near to an edge lie on it, metres.
const ON_EDGE_M: f64 = 3e-6;

/// What lies where: from a polygon of the old ground and a point in it to an owner. None: no ground.
type OwnerAt<'a> = &'a dyn Fn(u32, Point) -> Option<u32>;

/// Cuts ground up along lines. `height` is asked for each corner of a polygon of an owner.
pub(crate) fn arrange_on(
    ground: &Topology,
    lines: &[GroundSegment],
    owner: OwnerAt<'_>,
    height: &dyn Fn(u32, Point) -> f64,
) -> Topology {
    let (sheet_of, count) = ground.sheets();
    if count <= 1 {
        let mut all = lines.to_vec();
        ground.lines(&mut all);
        return arrange(&all, &|point| owner(ground.holder(point)?, point), height);
    }
    let seams = Seams::new(ground, &sheet_of);
    let mut corners: Vec<Vec<Point>> = vec![Vec::new(); seams.lines.len()];
    // Once to find out where lines cross the seams, once more with the corners that the other side has there.
    let mut parts = Vec::new();
    for _ in 0..2 {
        parts.clear();
        for sheet in 0..count {
            let mut all = lines.to_vec();
            ground.lines_of(&|polygon| sheet_of[polygon as usize] == sheet, &mut all);
            for (seam, corners) in seams.lines.iter().zip(&corners) {
                all.extend(pieces(*seam, corners));
            }
            let owner = |point: Point| {
                let polygon = ground.holder_among(point, |polygon| sheet_of[polygon as usize] == sheet)?;
                owner(polygon, point)
            };
            parts.push(arrange(&all, &owner, height));
        }
        for &point in parts.iter().flat_map(|part| &part.points) {
            seams.visit_under(point, &mut |seam| corners[seam].push(point));
        }
    }
    weld(&parts, &seams)
}

/// The edges between sheets, by place.
struct Seams {
    /// Each once.
    lines: Vec<GroundSegment>,
    tree: RectangleTree,
}

impl Seams {
    fn new(ground: &Topology, sheet_of: &[u32]) -> Self {
        let sheet = |edge: u32| sheet_of[ground.face[edge as usize] as usize];
        let is_seam = |edge: &u32| {
            let twin = ground.twin[*edge as usize];
            twin != NONE && *edge < twin && sheet(*edge) != sheet(twin)
        };
        Self::of((0..ground.ring.len() as u32).filter(is_seam).map(|edge| ground.side(edge)).collect())
    }

    fn of(lines: Vec<GroundSegment>) -> Self {
        // Grown by more than what counts as on them, so that rounding leaves none out.
        let around = |line: &GroundSegment| Bounds::of(&[line.from, line.to]).grown(2.0 * ON_EDGE_M);
        let tree = RectangleTree::new(&lines.iter().map(around).collect::<Vec<Bounds>>());
        Self { lines, tree }
    }

    /// Those that a place may lie on.
    fn visit_near(&self, point: Point, visit: &mut impl FnMut(usize)) {
        self.tree.visit(Bounds { min: point, max: point }, &mut |seam| visit(seam as usize));
    }

    /// Those that a place lies on. Cost: those whose rectangles hold it.
    fn visit_under(&self, point: Point, visit: &mut impl FnMut(usize)) {
        self.visit_near(point, &mut |seam| {
            let GroundSegment { from, to } = self.lines[seam];
            if geom::segment_distance_sq(point, from, to) <= ON_EDGE_M * ON_EDGE_M {
                visit(seam);
            }
        });
    }

    fn has_under(&self, point: Point) -> bool {
        let mut has = false;
        self.visit_under(point, &mut |_| has = true);
        has
    }
}

/// Corners on seams, which the polygons of both sides share: by place, their heights and numbers.
#[derive(Default)]
struct SeamCorners(BTreeMap<[u64; 2], Vec<(f64, u32)>>);

impl SeamCorners {
    /// The number of the first corner at a place and about a height; where there is none, one of this number
    /// is put there.
    fn number_or_put(&mut self, place: Point, y: f64, number: u32) -> u32 {
        // Zero has one sign.
        let here = self.0.entry(place.map(|value| (value + 0.0).to_bits())).or_default();
        if let Some(&(_, known)) = here.iter().find(|known| (known.0 - y).abs() < 0.05) {
            return known;
        }
        here.push((y, number));
        number
    }
}

/// A segment cut at some points on it.
fn pieces(GroundSegment { from: a, to: b }: GroundSegment, corners: &[Point]) -> Vec<GroundSegment> {
    let along = |point: &Point| (point[0] - a[0]) * (b[0] - a[0]) + (point[1] - a[1]) * (b[1] - a[1]);
    let mut points: Vec<Point> = corners.iter().copied().chain([a, b]).collect();
    ordered::sort_by(&mut points, |p, q| along(p).total_cmp(&along(q)));
    points.windows(2).map(|pair| GroundSegment { from: pair[0], to: pair[1] }).collect()
}

/// Joins the parts at the corners that lie on seams.
fn weld(parts: &[Topology], seams: &Seams) -> Topology {
    let (mut points, mut heights, mut rings, mut owners) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut shared = SeamCorners::default();
    for part in parts {
        let mut number = Vec::with_capacity(part.points.len());
        for (&point, &y) in part.points.iter().zip(&part.heights) {
            let next = points.len() as u32;
            let at = if seams.has_under(point) { shared.number_or_put(point, y, next) } else { next };
            if at == next {
                points.push(point);
                heights.push(y);
            }
            number.push(at);
        }
        for polygon in 0..part.polygon_count() {
            let edges = part.edges(polygon);
            rings.push(edges.map(|edge| number[part.ring[edge as usize] as usize]).collect::<Vec<u32>>());
            owners.push(part.owner[polygon as usize]);
        }
    }
    Topology::new(points, heights, &rings, owners)
}

impl Topology {
    /// The sheet of each polygon, and how many sheets there are.
    fn sheets(&self) -> (Vec<u32>, u32) {
        let count = self.polygon_count() as usize;
        if self.is_flat {
            return (vec![0; count], 1);
        }
        let above = self.overlaps();
        if above.iter().all(Vec::is_empty) {
            return (vec![0; count], 1);
        }
        let mut sheet_of = vec![NONE; count];
        let mut sheets = 0;
        for first in 0..count {
            if sheet_of[first] != NONE {
                continue;
            }
            let mut stack = vec![first];
            while let Some(polygon) = stack.pop() {
                let collides = above[polygon].iter().any(|&other| sheet_of[other as usize] == sheets);
                if sheet_of[polygon] != NONE || collides {
                    continue;
                }
                sheet_of[polygon] = sheets;
                let twins = self.edges(polygon as u32).map(|edge| self.twin[edge as usize]);
                stack
                    .extend(twins.filter(|&twin| twin != NONE).map(|twin| self.face[twin as usize] as usize));
            }
            sheets += 1;
        }
        (sheet_of, sheets)
    }

    /// Whether some of it lies above other parts of it.
    pub(crate) fn has_floors(&self) -> bool {
        self.sheets().1 > 1
    }

    /// By polygon: those above or below it.
    fn overlaps(&self) -> Vec<Vec<u32>> {
        let shapes: Vec<Vec<Point>> =
            (0..self.polygon_count()).map(|polygon| self.outline(polygon).collect()).collect();
        let mut above = vec![Vec::new(); shapes.len()];
        for (at, shape) in (0_u32..).zip(&shapes) {
            self.tree.visit(Bounds::of(shape), &mut |other| {
                if other != at && inner_width(&clip(shape, &shapes[other as usize])) > TOUCH_M {
                    above[at as usize].push(other);
                }
            });
        }
        above
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn the_seams_under_a_corner_are_those_of_a_look_at_all_and_few_are_looked_at() {
        let mut rng = Rng::stream(1, "seams");
        let mut place = |within: f64| [rng.float(-within, within), rng.float(-within, within)];
        let lines: Vec<GroundSegment> = (0..500)
            .map(|_| {
                let (from, along) = (place(100.0), place(1.0));
                GroundSegment { from, to: [from[0] + along[0], from[1] + along[1]] }
            })
            .collect();
        let seams = Seams::of(lines.clone());
        let (mut looks, mut found) = (0, 0);
        for (line, aside) in lines.iter().flat_map(|line| [0.0, 0.9, 1.1, 4.0].map(|part| (line, part))) {
            let middle = [0, 1].map(|axis| (line.from[axis] + line.to[axis]) / 2.0);
            let point = [middle[0], middle[1] + aside * ON_EDGE_M];
            let (mut near, mut under) = (0, Vec::new());
            seams.visit_near(point, &mut |_| near += 1);
            seams.visit_under(point, &mut |seam| under.push(seam));
            under.sort_unstable();
            let is_under = |seam: &usize| {
                let GroundSegment { from, to } = lines[*seam];
                geom::segment_distance_sq(point, from, to) <= ON_EDGE_M * ON_EDGE_M
            };
            assert_eq!(under, (0..lines.len()).filter(is_under).collect::<Vec<_>>());
            assert_eq!(seams.has_under(point), !under.is_empty());
            (looks, found) = (looks + near, found + under.len());
        }
        assert!(found > 1000 && looks < 20 * 4 * lines.len(), "{found} {looks}");
    }

    #[test]
    fn corners_of_one_place_are_shared_floor_by_floor() {
        let mut corners = SeamCorners::default();
        let numbers = [(0.0, 0.0), (0.0, 3.0), (-0.0, 0.04), (0.0, 3.04), (1.0, 0.0), (0.0, 0.06)]
            .into_iter()
            .zip(0..)
            .map(|((x, y), next)| corners.number_or_put([x, 2.0], y, next));
        assert_eq!(numbers.collect::<Vec<u32>>(), [0, 1, 0, 1, 4, 5]);
    }
}
