//! Hexagonal cells in lattice coordinates: the one that holds a point, and those that a straight line
//! touches.
//!
//! In: points in cells, so that the centre of cell (x, z) is at (x + 0.5, z + 0.5); its neighbours are the
//! cells one further in x, in z, and at (+1, -1). Out: cells, corners, the part of a line in each cell.
//! Holds: with `a` and `b` the way from its centre, a hexagon is where `2a + b`, `a + 2b` and `a - b` all lie
//! between -1 and 1, whichever its size, its axis and the ratio of its sides in the world. Points count to
//! the nearest 1/4096 of a cell; from there on arithmetic is exact, so that every question about a point gets
//! the same answer. Source: axial coordinates and the rounding of cubes, Red Blob Games, "Hexagonal Grids",
//! 2013; here in whole numbers.

use crate::base::geom::Point;
use crate::base::ordered;
use crate::nav::cell::Cell;
use crate::nav::cells::layout::OFFSETS;

/// Binary digits behind the point of a coordinate.
const DIGITS: u32 = 12;
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

/// The hexagon that holds a point given in cells. On a border it is one of those that share it, always the
/// same.
pub(crate) fn cell_at(point: Point) -> Cell<i64> {
    let [a, b] = fixed(point);
    let (x, z) = (a >> DIGITS, b >> DIGITS);
    let (a, b) = (a & (ONE - 1), b & (ONE - 1));
    // Of the four centres around the point: the first, the last, or one of those between.
    match (a >= b, 2 * a + b, a + 2 * b) {
        (true, near, _) if near < ONE => Cell { x, z },
        (true, _, far) if far >= 2 * ONE => Cell { x: x + 1, z: z + 1 },
        (true, ..) => Cell { x: x + 1, z },
        (false, _, near) if near < ONE => Cell { x, z },
        (false, far, _) if far >= 2 * ONE => Cell { x: x + 1, z: z + 1 },
        (false, ..) => Cell { x, z: z + 1 },
    }
}

/// A point in whole numbers, counted from the centre of cell (0, 0).
fn fixed(point: Point) -> [i64; 2] {
    // To the nearest, so that centres are centres whatever single precision made of them: lines between them
    // run along edges, and must touch both sides. The cast saturates, far beyond any map.
    // What is no number lies far away as well.
    let near = |value: f64| if value.is_nan() { -FAR } else { value.clamp(-FAR, FAR) };
    point.map(|value| (near(value) * ONE as f64).round() as i64 - ONE / 2)
}

/// What is limited to -1 and 1 within a hexagon, of a difference.
fn widths([a, b]: [i64; 2]) -> [i64; 3] {
    [2 * a + b, a + 2 * b, a - b]
}

/// A straight line between two points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    start: [i64; 2],
    way: [i64; 2],
    /// Of the start and of the way.
    at: [i64; 3],
    along: [i64; 3],
    /// The cells that hold the ends.
    ends: [Cell<i64>; 2],
}

/// A part of a line: 0 at its start, 1 at its end. The denominator is positive.
#[derive(Clone, Copy, Debug)]
struct Fraction {
    over: i64,
    under: i64,
}

impl Fraction {
    fn of(over: i64, under: i64) -> Self {
        if under < 0 { Self { over: -over, under: -under } } else { Self { over, under } }
    }

    fn is_below(self, other: Self) -> bool {
        i128::from(self.over) * i128::from(other.under) < i128::from(other.over) * i128::from(self.under)
    }

    fn value(self) -> f64 {
        self.over as f64 / self.under as f64
    }
}

/// A hexagon that a line touches, and the part of the line in it, 0 to 1; of no length where it touches a
/// corner only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touched {
    pub(crate) x: i64,
    pub(crate) z: i64,
    pub(crate) enter: f64,
    pub(crate) leave: f64,
    /// Whether the line runs along the edge that the hexagon shares with one before it, so that this part
    /// counts for that one.
    pub(crate) is_beside: bool,
}

impl Ray {
    /// None when a coordinate is not finite or far outside every map.
    pub(crate) fn new(from: Point, to: Point) -> Option<Self> {
        let far = f64::from(1 << 25);
        if !from.into_iter().chain(to).all(|value| value.abs() < far) {
            return None;
        }
        let (start, end) = (fixed(from), fixed(to));
        let way = [end[0] - start[0], end[1] - start[1]];
        let ends = [cell_at(from), cell_at(to)];
        Some(Self { start, way, at: widths(start), along: widths(way), ends })
    }

    /// Where the line enters a hexagon and where it leaves it, were it endless; None when it does not touch
    /// it. `grown` is how much larger than it is the hexagon counts, in parts of 1/4096 of its half width.
    fn through(&self, Cell { x, z }: Cell<i64>, grown: i64) -> Option<[Fraction; 2]> {
        let centre = widths([x * ONE, z * ONE]);
        let half = ONE + grown;
        let mut inside =
            [Fraction { over: i64::MIN / 4, under: 1 }, Fraction { over: i64::MAX / 4, under: 1 }];
        for ((centre, at), along) in centre.into_iter().zip(self.at).zip(self.along) {
            let away = centre - at;
            if along == 0 {
                if away.abs() > half {
                    return None;
                }
                continue;
            }
            let (first, last) =
                if along > 0 { (away - half, away + half) } else { (away + half, away - half) };
            let (first, last) = (Fraction::of(first, along), Fraction::of(last, along));
            if inside[0].is_below(first) {
                inside[0] = first;
            }
            if last.is_below(inside[1]) {
                inside[1] = last;
            }
        }
        (!inside[1].is_below(inside[0])).then_some(inside)
    }

    /// The part of the line in a hexagon, when it touches it: an end touches only the one that holds it.
    fn touch(&self, cell: Cell<i64>) -> Option<Touched> {
        let [enter, leave] = self.through(cell, 0)?;
        let is_end = self.ends.contains(&cell);
        // Open at both ends: what is left behind at the start, or met at the end, is not touched.
        let is_met = enter.over < enter.under && leave.over > 0;
        if !is_end && !is_met {
            return None;
        }
        let centre = widths([cell.x * ONE, cell.z * ONE]);
        let is_beside = (0..3).any(|axis| self.along[axis] == 0 && self.at[axis] - centre[axis] == ONE);
        let [enter, leave] = [enter, leave].map(|part| part.value().clamp(0.0, 1.0));
        Some(Touched { x: cell.x, z: cell.z, enter, leave, is_beside })
    }

    /// Visits every hexagon that the line touches, row by row, until `visit` says no. True when all were
    /// visited.
    pub(crate) fn touched(&self, mut visit: impl FnMut(Touched) -> bool) -> bool {
        if self.way == [0, 0] {
            let Cell { x, z } = self.ends[0];
            return visit(Touched { x, z, enter: 0.0, leave: 1.0, is_beside: false });
        }
        let cells = |value: i64| value as f64 / ONE as f64;
        let (start, way) = (self.start.map(cells), self.way.map(cells));
        let end = start[1] + way[1];
        // A hexagon reaches two thirds of a cell up and down from its centre; a little more, as exact tests
        // follow.
        const ROW: f64 = 0.67;
        let rows = (start[1].min(end) - ROW).ceil() as i64..=(start[1].max(end) + ROW).floor() as i64;
        // Bounded by the rows that the line crosses, and in each by the columns.
        for z in rows {
            let (mut first, mut last) = (0.0_f64, 1.0_f64);
            if way[1] != 0.0 {
                let parts = [-ROW, ROW].map(|edge| (z as f64 + edge - start[1]) / way[1]);
                first = first.max(parts[0].min(parts[1]));
                last = last.min(parts[0].max(parts[1]));
            }
            let across =
                [first, last].map(|part| 2.0 * (start[0] + part * way[0]) + start[1] + part * way[1]);
            let (low, high) = (across[0].min(across[1]), across[0].max(across[1]));
            let column = |value: f64| (value - z as f64) / 2.0;
            for x in (column(low) - 0.51).ceil() as i64..=(column(high) + 0.51).floor() as i64 {
                if let Some(touched) = self.touch(Cell { x, z })
                    && !visit(touched)
                {
                    return false;
                }
            }
        }
        true
    }
}

/// Whether a straight line touches only hexagons that a test accepts. Symmetric.
pub(crate) fn is_clear_where(from: Point, to: Point, accepts: impl Fn(i64, i64) -> bool) -> bool {
    let Some(ray) = Ray::new(from, to) else { return false };
    ray.ends.into_iter().all(|Cell { x, z }| accepts(x, z))
        && ray.touched(|touched| accepts(touched.x, touched.z))
}

/// The part of a straight line before the first hexagon that a test refuses, less a margin in cells; 1 when
/// there is none.
pub(crate) fn clear_part(from: Point, to: Point, margin: f64, accepts: impl Fn(i64, i64) -> bool) -> f64 {
    let Some(ray) = Ray::new(from, to) else { return 0.0 };
    let grown = (2.0 * margin * ONE as f64) as i64;
    let mut part = f64::INFINITY;
    let before =
        |cell: Cell<i64>| ray.through(cell, grown).map_or(1.0, |[enter, _]| enter.value().clamp(0.0, 1.0));
    let _ = ray.touched(|touched| {
        if !accepts(touched.x, touched.z) {
            part = part.min(before(Cell { x: touched.x, z: touched.z }));
        }
        true
    });
    let end = ray.ends[1];
    if part == f64::INFINITY && !accepts(end.x, end.z) { before(end) } else { part.min(1.0) }
}

/// The hexagons that a line touches, in walking order.
pub(crate) fn touched(from: Point, to: Point) -> Vec<Touched> {
    let Some(ray) = Ray::new(from, to) else { return Vec::new() };
    let mut all = Vec::new();
    let _ = ray.touched(|touched| {
        all.push(touched);
        true
    });
    ordered::sort_by(&mut all, |a, b| {
        (a.enter, a.leave).partial_cmp(&(b.enter, b.leave)).unwrap_or(std::cmp::Ordering::Equal)
    });
    all
}

/// The first edge between hexagons that a line crosses, in walking order, and that a test rejects: the part
/// of the line before it, 0 to 1. The test is asked about the hexagon that is left and the direction; along
/// an edge both beside it count.
pub(crate) fn first_edge(from: Point, to: Point, rejects: impl Fn(i64, i64, usize) -> bool) -> Option<f64> {
    let mut cells = touched(from, to);
    let ray = Ray::new(from, to)?;
    for (Cell { x, z }, part) in ray.ends.into_iter().zip([0.0, 1.0]) {
        if !cells.iter().any(|touched| (touched.x, touched.z) == (x, z)) {
            cells.push(Touched { x, z, enter: part, leave: part, is_beside: false });
        }
    }
    let mut by_place: Vec<(i64, i64, usize)> =
        (0..).zip(&cells).map(|(at, cell)| (cell.x, cell.z, at)).collect();
    by_place.sort_unstable();
    let touched_at = |(x, z): (i64, i64)| {
        let at = by_place.partition_point(|place| (place.0, place.1) < (x, z));
        by_place.get(at).filter(|place| (place.0, place.1) == (x, z)).map(|place| cells[place.2])
    };
    let mut first: Option<f64> = None;
    for left in &cells {
        for (direction, &(dx, dz)) in OFFSETS.iter().enumerate().filter(|(direction, _)| direction & 3 != 1) {
            let beside = (left.x + i64::from(dx), left.z + i64::from(dz));
            // From the one whose middle comes first to the one whose middle comes later.
            let Some(entered) =
                touched_at(beside).filter(|next| next.enter + next.leave > left.enter + left.leave)
            else {
                continue;
            };
            if rejects(left.x, left.z, direction) {
                first = Some(first.map_or(entered.enter, |first| first.min(entered.enter)));
            }
        }
    }
    first
}

#[cfg(test)]
mod tests;
