//! Hexagons in lattice coordinates: which holds a point.
//!
//! In: points in cells, so that the centre of cell (x, z) is at (x + 0.5, z + 0.5); its neighbours are the cells one further in
//! x, in z, and at (+1, -1). Out: cells, corners. Holds: with `a` and `b` the way from its centre, a hexagon is where `2a + b`,
//! `a + 2b` and `a - b` all lie between -1 and 1, whichever its size, its axis and the ratio of its sides in the world. Points
//! count to 1/65536 of a cell; from there on arithmetic is exact, so that whoever asks about a point gets the same answer.
//! Source: axial coordinates and the rounding of cubes, Red Blob Games, "Hexagonal Grids", 2013; here in whole numbers.

use crate::base::geom::Point;

/// Binary digits behind the point of a coordinate.
const DIGITS: u32 = 16;
/// One cell.
const ONE: i64 = 1 << DIGITS;
/// Beyond this many cells there is no map, and products would not fit.
const FAR: f64 = (1_u64 << 40) as f64;

/// The corners of a hexagon from its centre, in cells, clockwise seen from above.
pub(crate) const CORNERS: [Point; 6] = [
    [1.0 / 3.0, -2.0 / 3.0],
    [2.0 / 3.0, -1.0 / 3.0],
    [1.0 / 3.0, 1.0 / 3.0],
    [-1.0 / 3.0, 2.0 / 3.0],
    [-2.0 / 3.0, 1.0 / 3.0],
    [-1.0 / 3.0, -1.0 / 3.0],
];

/// The hexagon that holds a point given in cells. On a border it is one of those that share it, always the same.
pub(crate) fn cell_at(point: Point) -> (i64, i64) {
    // From corners of the array to centres of cells; casts saturate, far beyond any map.
    let [a, b] = point.map(|value| (value.clamp(-FAR, FAR) * ONE as f64).floor() as i64 - ONE / 2);
    let (x, z) = (a >> DIGITS, b >> DIGITS);
    let (a, b) = (a & (ONE - 1), b & (ONE - 1));
    // Of the four centres around the point: the first, the last, or one of those between.
    match (a >= b, 2 * a + b, a + 2 * b) {
        (true, near, _) if near < ONE => (x, z),
        (true, _, far) if far >= 2 * ONE => (x + 1, z + 1),
        (true, ..) => (x + 1, z),
        (false, _, near) if near < ONE => (x, z),
        (false, far, _) if far >= 2 * ONE => (x + 1, z + 1),
        (false, ..) => (x, z + 1),
    }
}
