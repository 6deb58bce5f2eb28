//! Ground with several floors, cut up floor by floor.
//!
//! In: a surface, lines on it, what lies where. Out: the polygons between the lines. Holds: no polygon of a
//! sheet lies above another one of it; where two sheets share an edge the polygons of both end at the same
//! corners, so they stay joined. Flat ground, and ground without floors above one another, is one sheet.

use crate::base::geom::{self, Bounds, Point};
use crate::base::ordered;
use crate::nav::mesh::raw::{clip, inner_width};
use crate::nav::mesh::topology::{NONE, Topology};
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
    let seams: Vec<GroundSegment> = seams(ground, &sheet_of);
    let mut corners: Vec<Vec<Point>> = vec![Vec::new(); seams.len()];
    // Once to find out where lines cross the seams, once more with the corners that the other side has there.
    let mut parts = Vec::new();
    for _ in 0..2 {
        parts.clear();
        for sheet in 0..count {
            let mut all = lines.to_vec();
            ground.lines_of(&|polygon| sheet_of[polygon as usize] == sheet, &mut all);
            for (seam, corners) in seams.iter().zip(&corners) {
                all.extend(pieces(*seam, corners));
            }
            let owner = |point: Point| {
                let polygon = ground.holder_among(point, |polygon| sheet_of[polygon as usize] == sheet)?;
                owner(polygon, point)
            };
            parts.push(arrange(&all, &owner, height));
        }
        for part in &parts {
            for (seam, corners) in seams.iter().zip(&mut corners) {
                let near = |point: &&Point| {
                    geom::segment_distance_sq(**point, seam.from, seam.to) <= ON_EDGE_M * ON_EDGE_M
                };
                corners.extend(part.points.iter().filter(near));
            }
        }
    }
    weld(&parts, &seams)
}

/// The edges between sheets, each once.
fn seams(ground: &Topology, sheet_of: &[u32]) -> Vec<GroundSegment> {
    let sheet = |edge: u32| sheet_of[ground.face[edge as usize] as usize];
    let is_seam = |edge: &u32| {
        let twin = ground.twin[*edge as usize];
        twin != NONE && *edge < twin && sheet(*edge) != sheet(twin)
    };
    (0..ground.ring.len() as u32).filter(is_seam).map(|edge| ground.side(edge)).collect()
}

/// A segment cut at some points on it.
fn pieces(GroundSegment { from: a, to: b }: GroundSegment, corners: &[Point]) -> Vec<GroundSegment> {
    let along = |point: &Point| (point[0] - a[0]) * (b[0] - a[0]) + (point[1] - a[1]) * (b[1] - a[1]);
    let mut points: Vec<Point> = corners.iter().copied().chain([a, b]).collect();
    ordered::sort_by(&mut points, |p, q| along(p).total_cmp(&along(q)));
    points.windows(2).map(|pair| GroundSegment { from: pair[0], to: pair[1] }).collect()
}

/// Joins the parts at the corners that lie on seams.
fn weld(parts: &[Topology], seams: &[GroundSegment]) -> Topology {
    let (mut points, mut heights, mut rings, mut owners) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // Corners on seams so far: place, height, number.
    let mut shared: Vec<(Point, f64, u32)> = Vec::new();
    for part in parts {
        let mut number = Vec::with_capacity(part.points.len());
        for (&point, &y) in part.points.iter().zip(&part.heights) {
            let on_seam = seams
                .iter()
                .any(|seam| geom::segment_distance_sq(point, seam.from, seam.to) <= ON_EDGE_M * ON_EDGE_M);
            let known = shared.iter().find(|known| on_seam && known.0 == point && (known.1 - y).abs() < 0.05);
            let at = known.map_or(points.len() as u32, |known| known.2);
            if known.is_none() {
                points.push(point);
                heights.push(y);
                if on_seam {
                    shared.push((point, y, at));
                }
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
