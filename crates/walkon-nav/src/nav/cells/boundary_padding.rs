//! The outer edge of the union of areas, and the cells it keeps blocked (`boundaryPadding`).
//!
//! In: the polygons of all areas, available or not. Out: pieces of their edges, each with the areas on either
//! side and the cells within the padding. Holds: which pieces are part of the outer edge depends on the
//! available areas alone, so that a toggle recomputes no geometry. A doorway between two rooms stays open,
//! because the edges it shares with them have ground on both sides.
//! Not here: anything when the padding is 0: then there are no pieces.

use crate::base::geom::{self, Bounds, Point, Segment};
use crate::base::ordered;
use crate::nav::cells::raster::{self, Spans};
use crate::nav::cells::source::{CellMapError, MapFrame};

/// How far beside an edge to look for ground, metres: gaps of less between two areas count as closed. Far
/// below a cell (0.01 m at least) and far above the precision of coordinates (1e-10 m).
const BESIDE_M: f64 = 1e-5;
/// How often an edge, or a place beside a piece of one, may have to be compared with an edge of an area.
/// About two seconds.
const PAIRS_MAX: u64 = 500_000_000;

/// A piece of an edge of an area, with the same areas along all of its left side and all of its right side.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EdgePiece {
    area: u32,
    left: Box<[u32]>,
    right: Box<[u32]>,
    /// The cells whose centre lies within the padding of the piece.
    pub(crate) spans: Spans,
}

impl EdgePiece {
    /// Whether toggling an area can change what the piece blocks.
    pub(crate) fn concerns(&self, area: u32) -> bool {
        self.area == area || self.left.contains(&area) || self.right.contains(&area)
    }

    /// Whether the piece lies on the outer edge of the union of the areas that are available.
    pub(crate) fn is_outer(&self, available: impl Fn(u32) -> bool) -> bool {
        let ground = |side: &[u32]| side.iter().any(|&area| available(area));
        available(self.area) && !(ground(&self.left) && ground(&self.right))
    }
}

/// The pieces of the edges of all areas; none when `padding_m` is 0.
pub(crate) fn pieces(
    frame: &MapFrame,
    polygons: &[Vec<Point>],
    padding_m: f64,
) -> Result<Vec<EdgePiece>, CellMapError> {
    pieces_within(frame, polygons, padding_m, PAIRS_MAX)
}

fn pieces_within(
    frame: &MapFrame,
    polygons: &[Vec<Point>],
    padding_m: f64,
    pairs_max: u64,
) -> Result<Vec<EdgePiece>, CellMapError> {
    if padding_m <= 0.0 {
        return Ok(Vec::new());
    }
    let bounds: Vec<Bounds> =
        polygons.iter().map(|polygon| Bounds::of(polygon).grown(2.0 * BESIDE_M)).collect();
    let mut pieces = Vec::new();
    let mut pairs = 0;
    for (area, polygon) in polygons.iter().enumerate() {
        let touching: Vec<usize> =
            (0..polygons.len()).filter(|&other| bounds[other].overlaps(&bounds[area])).collect();
        for edge in single_edges(polygon) {
            let edge_bounds = Bounds::of(&[edge.from, edge.to]).grown(2.0 * BESIDE_M);
            let near: Vec<usize> =
                touching.iter().copied().filter(|&other| bounds[other].overlaps(&edge_bounds)).collect();
            let near_edges = near.iter().map(|&other| polygons[other].len() as u64).sum::<u64>();
            let mut compare = |times: u64| {
                pairs += times * near_edges;
                if pairs > pairs_max { Err(CellMapError::TooManyOverlaps) } else { Ok(()) }
            };
            compare(1)?;
            let others = near.iter().filter(|other| **other != area).map(|&at| &polygons[at]);
            let parts = cut(edge, others);
            // A place on either side of each.
            compare(2 * parts.len() as u64)?;
            for Segment { from, to } in parts {
                let [left, right] = beside(from, to).map(|probe| {
                    let around = near.iter().filter(|&&at| geom::polygon_contains(&polygons[at], probe));
                    around.map(|&at| at as u32).collect::<Box<[u32]>>()
                });
                pieces.push(EdgePiece {
                    area: area as u32,
                    left,
                    right,
                    spans: raster::near(frame, from, to, padding_m),
                });
            }
        }
    }
    Ok(pieces)
}

/// The edges of a polygon but for those walked there and back, which bound nothing (a hole joined to the
/// outside by a cut), and those of no length.
fn single_edges(polygon: &[Point]) -> Vec<Segment<Point>> {
    // Adding 0.0 turns -0.0 into 0.0, so that equal points have equal bits.
    let key = |point: Point| [(point[0] + 0.0).to_bits(), (point[1] + 0.0).to_bits()];
    let ends = |edge: &Segment<Point>| {
        let (from, to) = (key(edge.from), key(edge.to));
        (from.min(to), from.max(to))
    };
    let mut edges: Vec<Segment<Point>> = geom::edges(polygon).filter(|edge| edge.from != edge.to).collect();
    ordered::sort_by_key(&mut edges, ends);
    edges
        .chunk_by(|first, second| ends(first) == ends(second))
        .filter(|same| same.len() % 2 == 1)
        .map(|same| same[0])
        .collect()
}

/// An edge cut wherever an edge of another polygon meets it.
fn cut<'a>(edge: Segment<Point>, others: impl Iterator<Item = &'a Vec<Point>>) -> Vec<Segment<Point>> {
    let Segment { from: a, to: b } = edge;
    let length = geom::segment_distance_sq(a, b, b).sqrt();
    let along = |t: f64| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
    let mut cuts = vec![0.0, 1.0];
    for Segment { from: c, to: d } in others.flat_map(|polygon| geom::edges(polygon)) {
        cuts.extend(crossing(a, b, c, d));
        if geom::segment_distance_sq(c, a, b) <= 4.0 * BESIDE_M * BESIDE_M {
            let dot = (c[0] - a[0]) * (b[0] - a[0]) + (c[1] - a[1]) * (b[1] - a[1]);
            cuts.push((dot / (length * length)).clamp(0.0, 1.0));
        }
    }
    ordered::sort_by(&mut cuts, f64::total_cmp);
    cuts.dedup_by(|next, kept| (*next - *kept) * length <= 2.0 * BESIDE_M);
    // The last cut may have been merged into the one before it; the end of the edge stays its end.
    if let Some(last) = cuts.last_mut()
        && *last > 0.0
    {
        *last = 1.0;
    } else {
        cuts.push(1.0);
    }
    cuts.windows(2).map(|pair| Segment { from: along(pair[0]), to: along(pair[1]) }).collect()
}

/// Where along a to b (0 to 1) the segments cross.
fn crossing(a: Point, b: Point, c: Point, d: Point) -> Option<f64> {
    let (side_c, side_d) = (geom::cross(a, b, c), geom::cross(a, b, d));
    let (side_a, side_b) = (geom::cross(c, d, a), geom::cross(c, d, b));
    let crosses = (side_c > 0.0) != (side_d > 0.0) && (side_a > 0.0) != (side_b > 0.0);
    crosses.then(|| side_a / (side_a - side_b))
}

/// A point on either side of the middle of a segment.
fn beside(a: Point, b: Point) -> [Point; 2] {
    let middle = [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0];
    let length = geom::segment_distance_sq(a, b, b).sqrt();
    let normal = [(a[1] - b[1]) / length * BESIDE_M, (b[0] - a[0]) / length * BESIDE_M];
    [[middle[0] + normal[0], middle[1] + normal[1]], [middle[0] - normal[0], middle[1] - normal[1]]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cutting_an_edge_into_pieces_takes_is_limited_by_the_pieces() {
        let frame = MapFrame { width: 8, depth: 8, cell_size_m: 1.0, ..MapFrame::default() };
        let square =
            |x: f64, z: f64, side: f64| vec![[x, z], [x + side, z], [x + side, z + side], [x, z + side]];
        // A yard, and sheds over its edge at z = 0: that is cut by each of them twice.
        let limited = |sheds: u32, pairs_max: u64| {
            let sheds = (0..sheds).map(|at| square(f64::from(at) * 0.1, -0.02, 0.05));
            let polygons: Vec<Vec<Point>> = std::iter::once(square(0.0, 0.0, 8.0)).chain(sheds).collect();
            pieces_within(&frame, &polygons, 0.5, pairs_max).map(|pieces| pieces.len())
        };
        // Twice as many sheds are four times the work.
        assert!(limited(20, 20_000).is_ok());
        assert_eq!(limited(40, 20_000), Err(CellMapError::TooManyOverlaps));
        assert!(limited(40, 80_000).is_ok());
    }
}
