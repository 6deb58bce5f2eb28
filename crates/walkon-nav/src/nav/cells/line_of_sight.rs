//! Line of sight over cells: is a straight line clear, how far, and at what cost.
//!
//! In: points in cells, so that cell (x, z) spans x to x + 1 and z to z + 1. Out: yes or no, a point, a cost.
//! Holds: a line is clear only if every cell it touches is walkable, edges and corners included, so through a
//! corner of the grid all four cells must be; the ends belong to one cell each, by rounding down, so that a
//! point on an edge can be left and reached. Clear is symmetric, and part of a clear line is clear. Points
//! count to 1/65536 of a cell; from there on the arithmetic is exact, in whole numbers. The same for
//! hexagons, which `hex` knows. Not here: bodies with a width; they have bits of their own. Cost: about two
//! nanoseconds a cell.

use crate::base::cost::Cost;
use crate::base::geom;
use crate::nav::cell::Cell;
use crate::nav::cells::Bits;
use crate::nav::cells::bits::Cells;
use crate::nav::cells::hex;
use crate::nav::cells::layout::{FACTOR_ONE, OFFSETS};
use crate::nav::cells::tiling::CellShape;
use crate::nav::cells::weighted_ground::WeightedGround;

/// Binary digits behind the point of a coordinate.
const DIGITS: u32 = 16;
const ONE: i64 = 1 << DIGITS;

/// How far before a blocked cell a line is cut off, in cells: more than a world position in single precision
/// loses.
const MARGIN: f64 = 1.0 / 1024.0;

/// A value on the minor axis: fixed point, rounded down, and what was cut off, in parts of the length on the
/// major axis.
#[derive(Clone, Copy)]
struct Minor {
    floor: i64,
    rest: i64,
}

impl Minor {
    /// The row that holds it.
    #[inline(always)]
    fn row(self) -> i64 {
        self.floor >> DIGITS
    }

    /// The lower of the rows that it touches: the one before when it lies on an edge.
    #[inline(always)]
    fn row_below(self) -> i64 {
        (self.floor - i64::from(self.rest == 0)) >> DIGITS
    }
}

/// A line, with its ends in order along its major axis.
#[derive(Clone, Copy)]
struct OrderedLine {
    /// Major, minor.
    low: [i64; 2],
    high: [i64; 2],
    /// Whether the major axis is z.
    steep: bool,
    /// Whether `low` is where the caller's line ends.
    turned: bool,
}

/// The part of a line within one column of cells (one row, when the line is steep).
#[derive(Clone, Copy)]
struct LineStrip {
    /// The column.
    at: i64,
    /// The first and last row touched.
    rows: (i64, i64),
    /// Where it enters and leaves, along the major axis.
    along: (i64, i64),
    enter: Minor,
    leave: Minor,
}

impl OrderedLine {
    /// None when a coordinate is not finite or far outside every map.
    fn new(from: [f64; 2], to: [f64; 2]) -> Option<Self> {
        let far = f64::from(1 << 25);
        // Written out: as iterators and maps over arrays this was half the cost of a short line.
        let is_near = |point: [f64; 2]| point[0].abs() < far && point[1].abs() < far;
        if !is_near(from) || !is_near(to) {
            return None;
        }
        // Rounded down, so that a point just before an edge stays in the cell that holds it.
        let fixed = |value: f64| geom::floor(value * ONE as f64);
        let (mut low, mut high) = ([fixed(from[0]), fixed(from[1])], [fixed(to[0]), fixed(to[1])]);
        let steep = (high[1] - low[1]).abs() > (high[0] - low[0]).abs();
        if steep {
            low.swap(0, 1);
            high.swap(0, 1);
        }
        let turned = high[0] < low[0];
        if turned {
            (low, high) = (high, low);
        }
        Some(Self { low, high, steep, turned })
    }

    /// Whether a cell, by column and row of this line, is walkable.
    #[inline(always)]
    fn walkable(&self, bits: &Bits, at: i64, row: i64) -> bool {
        if self.steep { bits.at(row, at) } else { bits.at(at, row) }
    }

    /// Cells that must be walkable for the sake of the ends: those that hold them, and those beside a corner
    /// of the grid that the line ends on, coming from the cell across.
    #[inline(always)]
    fn end_cells(&self) -> [(i64, i64); 4] {
        let cell = |point: [i64; 2]| (point[0] >> DIGITS, point[1] >> DIGITS);
        let (low, high) = (cell(self.low), cell(self.high));
        let corner = (self.high[0] | self.high[1]) & (ONE - 1) == 0;
        if corner && self.high[0] > self.low[0] && self.high[1] > self.low[1] {
            return [low, high, (high.0 - 1, high.1), (high.0, high.1 - 1)];
        }
        [low, high, low, high]
    }

    #[inline(always)]
    fn ends_walkable(&self, cells: impl Cells) -> bool {
        self.end_cells().into_iter().all(|(at, row)| {
            let (x, z) = if self.steep { (row, at) } else { (at, row) };
            // On the map, and so within the numbers that cells are counted in.
            cells.bits().at(x, z) && cells.is_open(x as u32, z as u32)
        })
    }

    /// Visits the strips in order until `visit` says no. A line without length has none. True when all were
    /// visited.
    #[inline(always)]
    fn strips(&self, mut visit: impl FnMut(&LineStrip) -> bool) -> bool {
        let (length, rise) = (self.high[0] - self.low[0], self.high[1] - self.low[1]);
        if length == 0 {
            return true;
        }
        let (first, last) = (self.low[0] >> DIGITS, (self.high[0] - 1) >> DIGITS);
        // Products stay below 2^60: a coordinate has 42 binary digits, one cell 16.
        let ahead = ((first + 1) * ONE - self.low[0]) * rise;
        let (step, step_rest) = ((ONE * rise).div_euclid(length), (ONE * rise).rem_euclid(length));
        let mut next =
            Minor { floor: self.low[1] + ahead.div_euclid(length), rest: ahead.rem_euclid(length) };
        let on_edge = |value: Minor| Minor { rest: value.rest | value.floor & (ONE - 1), ..value };
        let mut enter = on_edge(Minor { floor: self.low[1], rest: 0 });
        let mut along = self.low[0];
        for at in first..=last {
            let (first_end, last_end) = (at == first, at == last);
            let until = if last_end { self.high[0] } else { (at + 1) * ONE };
            let leave = on_edge(if last_end { Minor { floor: self.high[1], rest: 0 } } else { next });
            // What is touched between the ends, edges included; an end itself touches only its own cell.
            let rows = if rise > 0 {
                let low = if first_end { enter.row() } else { enter.row_below() };
                (low, if last_end { leave.row_below() } else { leave.row() })
            } else if rise < 0 {
                let low = if last_end { leave.row() } else { leave.row_below() };
                (low, if first_end { enter.row_below() } else { enter.row() })
            } else {
                (enter.row_below(), enter.row())
            };
            if !visit(&LineStrip { at, rows, along: (along, until), enter, leave }) {
                return false;
            }
            (enter, along) = (leave, until);
            let carry = i64::from(next.rest + step_rest >= length);
            next = Minor { floor: next.floor + step + carry, rest: next.rest + step_rest - carry * length };
        }
        true
    }
}

/// Whether the straight line between two points touches walkable cells only. Symmetric.
#[must_use]
#[inline]
pub fn clear(bits: &Bits, from: [f64; 2], to: [f64; 2]) -> bool {
    if bits.shape().is_hexagonal() {
        return are_hexagons_clear(bits, from, to);
    }
    // Most lines of a tick are short, or have nothing around them at all.
    is_in_the_open(bits, from, to)
        || OrderedLine::new(from, to).is_some_and(|line| is_clear_exactly(&line, bits))
}

/// Whether all cells of a rectangle around a line can be walked on, so that the line needs no look. False for
/// one that is wider than a word of cells, and for coordinates that are no numbers. Cost: a word or two for
/// each row.
#[inline]
pub(crate) fn is_in_the_open(bits: &Bits, from: [f64; 2], to: [f64; 2]) -> bool {
    /// What rounding to fixed point moves an end by, in cells, and as much again.
    const ROUNDED: f64 = 2.0 / ONE as f64;
    /// Rows that a line may cross and still be called short.
    const ROWS_MAX: f64 = 1024.0;
    // False for what is not a number, too.
    let is_short = (to[0] - from[0]).abs() < 64.0 && (to[1] - from[1]).abs() < ROWS_MAX;
    let first = |axis: usize| geom::floor(from[axis].min(to[axis]) - ROUNDED);
    let last = |axis: usize| geom::floor(from[axis].max(to[axis]) + ROUNDED);
    is_short && bits.is_open([first(0), first(1)], [last(0), last(1)])
}

/// The same over what a plan may use of the cells.
pub(crate) fn clear_over(cells: impl Cells, from: [f64; 2], to: [f64; 2]) -> bool {
    if cells.bits().shape().is_hexagonal() {
        return are_hexagons_clear(cells, from, to);
    }
    OrderedLine::new(from, to).is_some_and(|line| is_clear_exactly(&line, cells))
}

fn is_clear_exactly(line: &OrderedLine, cells: impl Cells) -> bool {
    line.ends_walkable(cells)
        && if line.steep { is_clear::<false>(line, cells) } else { is_clear::<true>(line, cells) }
}

/// The same of hexagons.
fn are_hexagons_clear(cells: impl Cells, from: [f64; 2], to: [f64; 2]) -> bool {
    hex::is_clear_where(from, to, |x, z| cells.bits().at(x, z) && cells.is_open(x as u32, z as u32))
}

/// Whether a straight line touches only cells that a test accepts.
pub(crate) fn is_clear_where(
    shape: CellShape,
    from: [f64; 2],
    to: [f64; 2],
    accepts: impl Fn(i64, i64) -> bool,
) -> bool {
    if shape.is_hexagonal() {
        return hex::is_clear_where(from, to, accepts);
    }
    let Some(line) = OrderedLine::new(from, to) else { return false };
    let accepts = |at: i64, row: i64| if line.steep { accepts(row, at) } else { accepts(at, row) };
    line.end_cells().into_iter().all(|(at, row)| accepts(at, row))
        && line.strips(|strip| (strip.rows.0..=strip.rows.1).all(|row| accepts(strip.at, row)))
}

/// Whether the cells between the ends can be walked on. Between two ends on the map none that is touched is
/// further off it than the blank line beside its edge.
#[inline(always)]
fn is_clear<const IN_ROW: bool>(line: &OrderedLine, cells: impl Cells) -> bool {
    line.strips(|strip| {
        let (first, last) = strip.rows;
        cells.probe::<IN_ROW>(first, strip.at)
            && (first == last || cells.probe::<IN_ROW>(last, strip.at))
            && (last - first < 2 || cells.probe::<IN_ROW>(first + 1, strip.at))
    })
}

/// The last point of a straight line up to which it is clear: `to` itself when nothing is in the way, `from`
/// when it is not walkable, else a point shortly before the first blocked cell.
#[must_use]
pub fn last_clear(bits: &Bits, from: [f64; 2], to: [f64; 2]) -> [f64; 2] {
    if clear(bits, from, to) {
        return to;
    }
    let to = point_after(part_near_map([bits.width(), bits.depth()], from, to), from, to);
    if bits.shape().is_hexagonal() {
        let Cell { x, z } = hex::cell_at(from);
        if !bits.at(x, z) {
            return from;
        }
        let part = hex::clear_part(from, to, MARGIN, |x, z| bits.at(x, z));
        return shortened(bits, from, to, part);
    }
    let Some(line) = OrderedLine::new(from, to) else { return from };
    if !bits.at(from[0].floor() as i64, from[1].floor() as i64) {
        return from;
    }
    let part_before = |at: i64, row: i64| {
        let free = line.walkable(bits, at, row);
        if free { 1.0 } else { entered(from, to, if line.steep { [row, at] } else { [at, row] }) }
    };
    let mut part = f64::INFINITY;
    let _ = line.strips(|strip| {
        let here = (strip.rows.0..=strip.rows.1).map(|row| part_before(strip.at, row)).fold(1.0, f64::min);
        if here < 1.0 {
            part = here;
        }
        // Against the order of the strips, the last one blocked is the first on the way.
        here == 1.0 || line.turned
    });
    if part == f64::INFINITY {
        part = line.end_cells().into_iter().map(|(at, row)| part_before(at, row)).fold(1.0, f64::min);
    }
    shortened(bits, from, to, part)
}

/// The part of a line, 0 to 1, after which it is more than a little beyond a map of so many columns and rows:
/// what lies there is no ground, and would be looked at cell by cell.
pub(crate) fn part_near_map(size: [u32; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    /// Cells beyond the map that are left.
    const BEYOND: f64 = 64.0;
    let mut part = 1.0_f64;
    for axis in 0..2 {
        let edge = to[axis].clamp(-BEYOND, f64::from(size[axis]) + BEYOND);
        if edge != to[axis] {
            part = part.min((edge - from[axis]) / (to[axis] - from[axis]));
        }
    }
    // An end that lies infinitely far away is left to others.
    if part > 0.0 { part } else { 1.0 }
}

/// The point after a part of a line.
pub(crate) fn point_after(part: f64, from: [f64; 2], to: [f64; 2]) -> [f64; 2] {
    if part == 1.0 { to } else { [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * part) }
}

/// The part of a line that lies before a cell grown by the margin, 0 to 1.
fn entered(from: [f64; 2], to: [f64; 2], cell: [i64; 2]) -> f64 {
    let axis = |axis: usize| {
        let (start, length) = (from[axis], to[axis] - from[axis]);
        let low = cell[axis] as f64 - MARGIN;
        let high = cell[axis] as f64 + 1.0 + MARGIN;
        match length {
            length if length > 0.0 => (low - start) / length,
            length if length < 0.0 => (high - start) / length,
            _ => 0.0,
        }
    };
    axis(0).max(axis(1)).clamp(0.0, 1.0)
}

/// The point after `part` of a line, or after less when that is not clear.
fn shortened(bits: &Bits, from: [f64; 2], to: [f64; 2], mut part: f64) -> [f64; 2] {
    for _ in 0..16 {
        let point = point_after(part, from, to);
        if clear(bits, from, point) {
            return point;
        }
        part *= 0.75;
    }
    from
}

/// A cell that a line touches, and where along the line the column (row, when the line is steep) of the cell
/// begins and ends, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    pub(crate) x: i64,
    pub(crate) z: i64,
    pub(crate) enter: f64,
    pub(crate) leave: f64,
}

/// The cells that a line touches, in walking order, the ends' own included.
pub(crate) fn touched(shape: CellShape, from: [f64; 2], to: [f64; 2]) -> Vec<Touch> {
    if shape.is_hexagonal() {
        let touch = |hex::Touched { x, z, enter, leave, .. }| Touch { x, z, enter, leave };
        return hex::touched(from, to).into_iter().map(touch).collect();
    }
    let Some(line) = OrderedLine::new(from, to) else { return Vec::new() };
    let length = (line.high[0] - line.low[0]) as f64;
    let mut touched = Vec::new();
    let _ = line.strips(|strip| {
        let part = |along: i64| (along - line.low[0]) as f64 / length;
        let (enter, leave) = (part(strip.along.0), part(strip.along.1));
        let touch = |row: i64| {
            let (x, z) = if line.steep { (row, strip.at) } else { (strip.at, row) };
            Touch { x, z, enter, leave }
        };
        let rows = strip.rows.0..=strip.rows.1;
        match line.high[1] < line.low[1] {
            true => touched.extend(rows.rev().map(touch)),
            false => touched.extend(rows.map(touch)),
        }
        true
    });
    if touched.is_empty() {
        touched.push(Touch { x: from[0].floor() as i64, z: from[1].floor() as i64, enter: 0.0, leave: 1.0 });
    }
    if line.turned {
        touched.reverse();
        touched
            .iter_mut()
            .for_each(|touch| (touch.enter, touch.leave) = (1.0 - touch.leave, 1.0 - touch.enter));
    }
    touched
}

/// What entering the gates along a line costs, each once; touching a corner of one is entering it.
fn tolls(ground: &WeightedGround, from: [f64; 2], to: [f64; 2]) -> u32 {
    let Some(extra) = ground.extra else { return 0 };
    let gate = |x: i64, z: i64| extra.gate[z as usize * ground.bits.width() as usize + x as usize];
    let shape = ground.bits.shape();
    let start = if shape.is_hexagonal() {
        hex::cell_at(from)
    } else {
        Cell { x: from[0].floor() as i64, z: from[1].floor() as i64 }
    };
    let mut last = gate(start.x, start.z);
    let mut tolls = 0_u32;
    for touch in touched(shape, from, to) {
        let gate = gate(touch.x, touch.z);
        if gate != 0 && gate != last {
            tolls = tolls.saturating_add(extra.cost.get(gate as usize).copied().unwrap_or(0));
            last = gate;
        }
    }
    tolls
}

/// What walking a straight line costs: the length in each cell times its factor, and the gates entered, in
/// the unit of the ground, rounded up. None when it is not clear.
#[must_use]
pub fn cost(ground: &WeightedGround, from: [f64; 2], to: [f64; 2]) -> Option<Cost> {
    if !clear(ground.bits, from, to) {
        return None;
    }
    cost_of_clear(ground, from, to)
}

/// The same of a line known to be clear.
pub(crate) fn cost_of_clear(ground: &WeightedGround, from: [f64; 2], to: [f64; 2]) -> Option<Cost> {
    debug_assert!(clear(ground.bits, from, to), "no line from {from:?} to {to:?}");
    let shape = ground.bits.shape();
    if shape.is_hexagonal() {
        return Some(cost_of_hexagons(ground, from, to));
    }
    let line = OrderedLine::new(from, to)?;
    let (length, rise) = ((line.high[0] - line.low[0]) as f64, (line.high[1] - line.low[1]) as f64);
    if length == 0.0 {
        return Some(Cost::ZERO);
    }
    let width = ground.bits.width() as usize;
    let cell = |at: i64, row: i64| {
        if line.steep { at as usize * width + row as usize } else { row as usize * width + at as usize }
    };
    let mut weighted = 0.0;
    let mut add = |cell: usize, share: f64| {
        let factor = if ground.factor.is_empty() { FACTOR_ONE } else { ground.factor[cell] };
        weighted += share * f64::from(factor);
    };
    let _ = line.strips(|strip| {
        let share = (strip.along.1 - strip.along.0) as f64;
        let (first, second) = match rise {
            rise if rise < 0.0 => (strip.enter.row_below(), strip.leave.row()),
            rise if rise > 0.0 => (strip.enter.row(), strip.leave.row_below()),
            _ => (strip.enter.row(), strip.enter.row()),
        };
        if first == second {
            add(cell(strip.at, first), share);
        } else {
            // Rises less than it runs, so it crosses one edge between two rows.
            let edge = (first.max(second) * ONE) as f64;
            let start = strip.enter.floor as f64;
            let before = ((edge - start) / rise * length).clamp(0.0, share);
            add(cell(strip.at, first), before);
            add(cell(strip.at, second), share - before);
        }
        true
    });
    let (dx, dz) = if line.steep { (rise, length) } else { (length, rise) };
    let stretch = libm::sqrt(shape.metric.length_sq(dx, dz)) / length / ONE as f64;
    let steps = weighted * stretch / f64::from(FACTOR_ONE) * f64::from(ground.unit.straight);
    // A hair off, so that rounding of the square root adds no unit to straight walks along an axis.
    Some(Cost(libm::ceil(steps - 1e-6) as u32) + Cost(tolls(ground, from, to)))
}

/// The same over hexagons, of a line that is clear.
fn cost_of_hexagons(ground: &WeightedGround, from: [f64; 2], to: [f64; 2]) -> Cost {
    let length = libm::sqrt(ground.bits.shape().metric.length_sq(to[0] - from[0], to[1] - from[1]));
    let mut weighted = f64::from(FACTOR_ONE);
    if !ground.factor.is_empty() {
        let width = ground.bits.width() as usize;
        let (mut parts, mut whole) = (0.0, 0.0);
        for touched in hex::touched(from, to).into_iter().filter(|touched| !touched.is_beside) {
            let part = touched.leave - touched.enter;
            parts += part * f64::from(ground.factor[touched.z as usize * width + touched.x as usize]);
            whole += part;
        }
        // All parts make one, but for rounding; a line without length has none.
        if whole > 0.0 {
            weighted = parts / whole;
        }
    }
    let steps = length * weighted / f64::from(FACTOR_ONE) * f64::from(ground.unit.straight);
    Cost(libm::ceil(steps - 1e-6) as u32) + Cost(tolls(ground, from, to))
}

/// The first edge or corner between cells that a line crosses, in walking order, and that a test rejects: the
/// part of the line before it, 0 to 1. The test is asked about the cell that is left and the direction; a
/// line through a corner crosses all four edges there, and the corner itself.
pub(crate) fn first_edge(
    from: [f64; 2],
    to: [f64; 2],
    rejects: impl Fn(i64, i64, usize) -> bool,
) -> Option<f64> {
    let line = OrderedLine::new(from, to)?;
    let strips = edge_strips(&line);
    let (ahead, aside) = line.directions();
    let mut first: Option<f64> = None;
    let mut ask = |at: i64, row: i64, direction: usize| {
        let (x, z) = if line.steep { (row, at) } else { (at, row) };
        if rejects(x, z, direction) {
            let part = part_before(from, to, [x, z], direction);
            first = Some(first.map_or(part, |first| first.min(part)));
        }
    };
    // Within a strip from row to row, and from one strip to the next.
    for (index, &(at, rows)) in strips.iter().enumerate() {
        let next = strips.get(index + 1);
        for row in rows.0..=rows.1 {
            let above = row < rows.1;
            if let (true, Some(aside)) = (above, aside) {
                ask(at, if line.rises() { row } else { row + 1 }, aside);
            }
            let Some(&(_, beside)) = next.filter(|next| (next.1.0..=next.1.1).contains(&row)) else {
                continue;
            };
            ask(if line.turned { at + 1 } else { at }, row, ahead);
            let is_corner = above && (beside.0..=beside.1).contains(&(row + 1));
            if let (true, Some(aside)) = (is_corner, aside) {
                let row = if line.rises() { row } else { row + 1 };
                ask(if line.turned { at + 1 } else { at }, row, between(ahead, aside));
            }
        }
    }
    first
}

/// The direction between two that are a quarter turn apart.
fn between(a: usize, b: usize) -> usize {
    if (a + 2) & 7 == b { (a + 1) & 7 } else { (b + 1) & 7 }
}

/// The part of a line before it leaves a cell in a direction.
fn part_before(from: [f64; 2], to: [f64; 2], cell: [i64; 2], direction: usize) -> f64 {
    let (dx, dz) = OFFSETS[direction];
    let axis = usize::from(dx == 0);
    let step = if dx == 0 { dz } else { dx };
    let edge = (cell[axis] + i64::from(step > 0)) as f64;
    ((edge - from[axis]) / (to[axis] - from[axis])).clamp(0.0, 1.0)
}

/// The columns of a line, each with the first and the last row touched, the cells that hold its ends
/// included.
fn edge_strips(line: &OrderedLine) -> Vec<(i64, (i64, i64))> {
    let mut strips = Vec::new();
    let _ = line.strips(|strip| {
        strips.push((strip.at, strip.rows));
        true
    });
    let cell = |point: [i64; 2]| (point[0] >> DIGITS, point[1] >> DIGITS);
    let (low, high) = (cell(line.low), cell(line.high));
    let grow = |rows: &mut (i64, i64), row: i64| *rows = (rows.0.min(row), rows.1.max(row));
    if let Some(first) = strips.first_mut() {
        grow(&mut first.1, low.1);
    }
    let Some(last) = strips.last_mut() else { return strips };
    if last.0 == high.0 {
        grow(&mut last.1, high.1);
        return strips;
    }
    let is_corner = line.high[1] & (ONE - 1) == 0 && line.high[1] > line.low[1];
    if is_corner {
        grow(&mut last.1, high.1);
    }
    strips.push((high.0, (high.1 - i64::from(is_corner), high.1)));
    strips
}

impl OrderedLine {
    /// Whether the rows rise in the order of the strips.
    fn rises(&self) -> bool {
        (self.high[1] > self.low[1]) != self.turned
    }

    /// The directions along both axes in which it is walked; None for the minor one when it does not go along
    /// it.
    fn directions(&self) -> (usize, Option<usize>) {
        let along_x = |forward: bool| if forward { 0 } else { 4 };
        let along_z = |forward: bool| if forward { 2 } else { 6 };
        let aside = (self.high[1] != self.low[1]).then_some(self.rises());
        match self.steep {
            false => (along_x(!self.turned), aside.map(along_z)),
            true => (along_z(!self.turned), aside.map(along_x)),
        }
    }
}
