//! Rasterises polygons: the cells whose centres lie inside one, or within a distance of its edges.
//!
//! In: a frame, polygons or segments in world metres. Out: spans of cells by row. Holds: the answer for every
//! cell is that of the exact tests in `base/geom` on its centre, bit for bit; only cells near an edge pay for
//! one. Not here: what the spans mean (`terrain`).
//! Source: scanline filling, even-odd; the row of a capsule is that of two discs and a rectangle.

use crate::base::geom::{self, Bounds, Point, Segment};
use crate::nav::cell::Cell;
use crate::nav::cell_rect::CellRect;
use crate::nav::cells::source::MapFrame;

/// Cells by row: within a row spans are sorted, apart from one another, and run from their first cell up to,
/// not including, their second.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spans {
    first_row: u32,
    starts: Vec<u32>,
    spans: Vec<[u32; 2]>,
    /// The cells before each row, and those of all: people draw cells by their place.
    before: Vec<u32>,
}

impl Spans {
    /// From the number of each row's first span, with that of all at the end.
    fn new(first_row: u32, starts: Vec<u32>, spans: Vec<[u32; 2]>) -> Self {
        let mut new = Self { first_row, starts, spans, before: Vec::new() };
        let mut before = Vec::with_capacity(new.starts.len());
        let mut count = 0;
        for z in new.rows() {
            before.push(count);
            count += new.row(z).iter().map(|[from, to]| to - from).sum::<u32>();
        }
        before.push(count);
        new.before = before;
        new
    }

    /// The spans of row `z`; none beyond the rows it touches.
    pub(crate) fn row(&self, z: u32) -> &[[u32; 2]] {
        let row = z.wrapping_sub(self.first_row) as usize;
        if row + 1 >= self.starts.len() {
            return &[];
        }
        &self.spans[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// The rows it touches.
    pub(crate) fn rows(&self) -> std::ops::Range<u32> {
        self.first_row..self.first_row + self.starts.len().saturating_sub(1) as u32
    }

    /// Number of cells.
    pub(crate) fn cell_count(&self) -> u32 {
        self.before.last().copied().unwrap_or(0)
    }

    pub(crate) fn contains(&self, x: u32, z: u32) -> bool {
        self.row(z).iter().any(|[from, to]| (*from..*to).contains(&x))
    }

    /// The cell at place `index` of all, in rows; None beyond the last.
    pub(crate) fn cell(&self, mut index: u32) -> Option<Cell> {
        let row = self.before.partition_point(|before| *before <= index).checked_sub(1)?;
        let z = self.first_row + row as u32;
        index -= self.before[row];
        for [from, to] in self.row(z) {
            if index < to - from {
                return Some(Cell { x: from + index, z });
            }
            index -= to - from;
        }
        None
    }

    /// The smallest rectangle of cells around it; None when it has none.
    pub(crate) fn window(&self) -> Option<Window> {
        let first_x = self.spans.iter().map(|span| span[0]).min()?;
        let end_x = self.spans.iter().map(|span| span[1]).max()?;
        let rows = self.rows();
        Some(Window { first_x, end_x, first_z: rows.start, end_z: rows.end })
    }
}

/// A rectangle of cells; the ends are not included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    pub(crate) first_x: u32,
    pub(crate) end_x: u32,
    pub(crate) first_z: u32,
    pub(crate) end_z: u32,
}

impl Window {
    /// Its cells as a rectangle.
    pub(crate) fn rect(self) -> CellRect {
        CellRect {
            first: Cell { x: self.first_x, z: self.first_z },
            end: Cell { x: self.end_x, z: self.end_z },
        }
    }

    /// All cells of a frame.
    pub(crate) fn all(frame: &MapFrame) -> Self {
        Self { first_x: 0, end_x: frame.width, first_z: 0, end_z: frame.depth }
    }

    /// How many cells it has.
    pub(crate) fn cell_count(self) -> u64 {
        u64::from(self.end_x.saturating_sub(self.first_x))
            * u64::from(self.end_z.saturating_sub(self.first_z))
    }

    /// The cells of a frame that a rectangle of the world touches.
    pub(crate) fn around(frame: &MapFrame, bounds: Bounds) -> Self {
        if !frame.tiling.is_plain() {
            return Self::around_corners(frame, bounds);
        }
        let (low, high) = (frame.cell_at(bounds.min), frame.cell_at(bounds.max));
        let clamp = |cell: i64, size: u32| cell.clamp(0, i64::from(size)) as u32;
        Self {
            first_x: clamp(low.0, frame.width),
            end_x: clamp(high.0.saturating_add(1), frame.width),
            first_z: clamp(low.1, frame.depth),
            end_z: clamp(high.1.saturating_add(1), frame.depth),
        }
    }

    /// The same where rows of cells do not run along x: the rectangle of cells around the corners.
    fn around_corners(frame: &MapFrame, bounds: Bounds) -> Self {
        let corners = [0, 1, 2, 3].map(|corner| {
            let pick = |axis: usize| [bounds.min[axis], bounds.max[axis]][corner >> axis & 1];
            frame.to_cells([pick(0), pick(1)])
        });
        // Hexagons reach beyond their square by a sixth.
        let around = Bounds::of(&corners).grown(0.17);
        let clamp = |value: f64, size: u32| value.floor().clamp(0.0, f64::from(size)) as u32;
        Self {
            first_x: clamp(around.min[0], frame.width),
            end_x: clamp(around.max[0] + 1.0, frame.width),
            first_z: clamp(around.min[1], frame.depth),
            end_z: clamp(around.max[1] + 1.0, frame.depth),
        }
    }

    /// The same with every side moved outward, as far as the frame goes.
    pub(crate) fn grown(self, cells: u32, frame: &MapFrame) -> Self {
        Self {
            first_x: self.first_x.saturating_sub(cells),
            end_x: self.end_x.saturating_add(cells).min(frame.width),
            first_z: self.first_z.saturating_sub(cells),
            end_z: self.end_z.saturating_add(cells).min(frame.depth),
        }
    }

    /// Whether something holds of every cell (x, z).
    pub(crate) fn all_cells(self, mut holds: impl FnMut(u32, u32) -> bool) -> bool {
        (self.first_z..self.end_z).all(|z| (self.first_x..self.end_x).all(|x| holds(x, z)))
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.first_x < other.end_x
            && other.first_x < self.end_x
            && self.first_z < other.end_z
            && other.first_z < self.end_z
    }

    /// The same cells in fewer windows: two are one where that has no more cells than both together, so that
    /// many edits of one place are worked off once. Cost: each is compared with a few others.
    pub(crate) fn joined(windows: Vec<Self>) -> Vec<Self> {
        /// Windows that each is compared with, at most: edits of one place follow one another.
        const COMPARED_MAX: usize = 64;
        let mut joined: Vec<Self> = Vec::new();
        for mut window in windows {
            let first = joined.len().saturating_sub(COMPARED_MAX);
            while let Some(at) = joined.iter().skip(first).position(|other| window.is_as_large_with(*other)) {
                window = window.union(joined.swap_remove(first + at));
            }
            joined.push(window);
        }
        joined
    }

    /// Whether the smallest rectangle around both has no more cells than they have together.
    fn is_as_large_with(self, other: Self) -> bool {
        self.union(other).cell_count() <= self.cell_count() + other.cell_count()
    }

    /// The smallest rectangle around both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            first_x: self.first_x.min(other.first_x),
            end_x: self.end_x.max(other.end_x),
            first_z: self.first_z.min(other.first_z),
            end_z: self.end_z.max(other.end_z),
        }
    }

    /// What both hold.
    pub(crate) fn intersection(self, other: Self) -> Self {
        Self {
            first_x: self.first_x.max(other.first_x),
            end_x: self.end_x.min(other.end_x),
            first_z: self.first_z.max(other.first_z),
            end_z: self.end_z.min(other.end_z),
        }
    }

    /// The words of a row that hold its cells.
    pub(crate) fn words(&self) -> std::ops::Range<usize> {
        (self.first_x / 64) as usize..self.end_x.div_ceil(64) as usize
    }

    /// Its outline in the world.
    pub(crate) fn bounds(&self, frame: &MapFrame) -> Bounds {
        if !frame.tiling.is_plain() {
            let (x, z) = ([self.first_x, self.end_x], [self.first_z, self.end_z]);
            let beyond = if frame.tiling.shape().is_hexagonal() { 0.17 } else { 0.0 };
            let corner = |at: usize| {
                let (at_x, at_z) = (at & 1, at >> 1);
                let outward = |at: usize| if at == 0 { -beyond } else { beyond };
                frame.to_world([f64::from(x[at_x]) + outward(at_x), f64::from(z[at_z]) + outward(at_z)])
            };
            return Bounds::of(&[0, 1, 2, 3].map(corner));
        }
        Bounds {
            min: frame.to_world([f64::from(self.first_x), f64::from(self.first_z)]),
            max: frame.to_world([f64::from(self.end_x), f64::from(self.end_z)]),
        }
    }
}

/// Whether a distance equal to the limit counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    /// Distance < limit.
    Closer,
    /// Distance <= limit.
    Within,
}

/// The cells whose centre lies inside the polygon or on its edge.
pub(crate) fn inside(frame: &MapFrame, polygon: &[Point]) -> Spans {
    let mut pen = Pen::new(frame);
    pen.fill(polygon);
    pen.finish()
}

/// The cells whose centre lies inside the polygon or closer than `distance_m` to one of its edges.
pub(crate) fn inflated(frame: &MapFrame, polygon: &[Point], distance_m: f64) -> Spans {
    let mut pen = Pen::new(frame);
    pen.fill(polygon);
    for Segment { from: a, to: b } in geom::edges(polygon) {
        pen.line(a, b, distance_m, Limit::Closer);
    }
    pen.finish()
}

/// The cells whose centre lies within `distance_m` of a segment.
pub(crate) fn near(frame: &MapFrame, a: Point, b: Point, distance_m: f64) -> Spans {
    let mut pen = Pen::new(frame);
    pen.line(a, b, distance_m, Limit::Within);
    pen.finish()
}

/// The cells of a list of `[z, x]`, in any order.
pub(crate) fn of_list(frame: &MapFrame, cells: &[[u32; 2]]) -> Spans {
    let mut pen = Pen::new(frame);
    pen.spans.extend(cells.iter().map(|&[z, x]| [z, x, x + 1]));
    pen.finish()
}

/// One axis of the frame: centres at `min + (index + 0.5) * step`.
#[derive(Clone, Copy)]
struct Axis {
    min: f64,
    step: f64,
    count: u32,
}

impl Axis {
    fn centre(&self, index: u32) -> f64 {
        self.min + (f64::from(index) + 0.5) * self.step
    }

    /// The first index for which `before` is false; it must be true up to there and false from there on.
    /// `guess` is where that should be, in world metres.
    fn first_not(&self, guess: f64, before: impl Fn(f64) -> bool) -> u32 {
        let guess = ((guess - self.min) / self.step - 0.5).ceil();
        let mut index = guess.clamp(0.0, f64::from(self.count)) as u32;
        // Bounded by the error of the guess: a cell or two.
        while index > 0 && !before(self.centre(index - 1)) {
            index -= 1;
        }
        while index < self.count && before(self.centre(index)) {
            index += 1;
        }
        index
    }

    /// The indices whose centres lie from `low` to `high`, both included.
    fn closed(&self, low: f64, high: f64) -> std::ops::Range<u32> {
        self.first_not(low, |centre| centre < low)..self.first_not(high, |centre| centre <= high)
    }
}

/// Gathers spans in any order.
struct Pen {
    x: Axis,
    z: Axis,
    /// Row, first cell, end.
    spans: Vec<[u32; 3]>,
}

impl Pen {
    fn new(frame: &MapFrame) -> Self {
        let step = frame.cell_size_m;
        Self {
            x: Axis { min: frame.min_x, step, count: frame.width },
            z: Axis { min: frame.min_z, step, count: frame.depth },
            spans: Vec::new(),
        }
    }

    fn span(&mut self, z: u32, from: u32, to: u32) {
        if from < to {
            self.spans.push([z, from, to]);
        }
    }

    fn fill(&mut self, polygon: &[Point]) {
        // Row and the number of centres left of a crossing: a centre is inside when that many are odd.
        let mut crossings: Vec<(u32, u32)> = Vec::new();
        for Segment { from: a, to: b } in geom::edges(polygon) {
            self.line(a, b, geom::EDGE_M, Limit::Within);
            for z in self.z.closed(a[1].min(b[1]), a[1].max(b[1])) {
                let row = self.z.centre(z);
                if (a[1] > row) != (b[1] > row) {
                    crossings.push((z, self.crossing(a, b, row)));
                }
            }
        }
        crossings.sort_unstable();
        debug_assert!(
            crossings.len().is_multiple_of(2),
            "a closed ring crosses every row an even number of times"
        );
        for pair in crossings.chunks_exact(2) {
            self.span(pair[0].0, pair[0].1, pair[1].1);
        }
    }

    /// How many centres of a row lie on the near side of an edge, as `geom::polygon_contains` sees it.
    fn crossing(&self, a: Point, b: Point, row: f64) -> u32 {
        let guess = a[0] + (row - a[1]) * (b[0] - a[0]) / (b[1] - a[1]);
        let upward = b[1] > a[1];
        self.x.first_not(guess, |x| (geom::cross(a, b, [x, row]) > 0.0) == upward)
    }

    /// The centres near a segment.
    fn line(&mut self, a: Point, b: Point, distance_m: f64, limit: Limit) {
        // Wider than any error of the interval, far below a cell: within it the exact test decides.
        const DOUBT_M: f64 = 1e-6;
        let reach = distance_m + DOUBT_M;
        let distance_sq = distance_m * distance_m;
        let hit = |x: f64, row: f64| {
            let found = geom::segment_distance_sq([x, row], a, b);
            if limit == Limit::Closer { found < distance_sq } else { found <= distance_sq }
        };
        for z in self.z.closed(a[1].min(b[1]) - reach, a[1].max(b[1]) + reach) {
            let row = self.z.centre(z);
            let Some((low, high)) = capsule_row(a, b, row, reach) else { continue };
            let outer = self.x.closed(low, high);
            let inner = capsule_row(a, b, row, distance_m - DOUBT_M)
                .map(|(low, high)| self.x.closed(low, high))
                .filter(|inner| inner.start < inner.end);
            let sure = inner.unwrap_or(outer.end..outer.end);
            for x in (outer.start..sure.start).chain(sure.end..outer.end) {
                if hit(self.x.centre(x), row) {
                    self.span(z, x, x + 1);
                }
            }
            self.span(z, sure.start, sure.end);
        }
    }

    /// Sorts, and joins what overlaps or touches.
    fn finish(mut self) -> Spans {
        self.spans.sort_unstable();
        let (Some(first), Some(last)) = (self.spans.first(), self.spans.last()) else {
            return Spans::default();
        };
        let (first_row, last_row) = (first[0], last[0]);
        let mut spans: Vec<[u32; 2]> = Vec::with_capacity(self.spans.len());
        let mut starts = Vec::with_capacity((last_row - first_row) as usize + 2);
        let mut rest = self.spans.as_slice();
        for z in first_row..=last_row {
            starts.push(spans.len() as u32);
            let row_start = spans.len();
            while let Some((&[row, from, to], tail)) = rest.split_first()
                && row == z
            {
                rest = tail;
                match spans[row_start..].last_mut() {
                    Some(open) if from <= open[1] => open[1] = open[1].max(to),
                    _ => spans.push([from, to]),
                }
            }
        }
        starts.push(spans.len() as u32);
        spans.shrink_to_fit();
        Spans::new(first_row, starts, spans)
    }
}

/// The part of the row at height `row` within `reach` of a segment: convex, hence one interval.
fn capsule_row(a: Point, b: Point, row: f64, reach: f64) -> Option<(f64, f64)> {
    if reach < 0.0 {
        return None;
    }
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for end in [a, b] {
        let height = row - end[1];
        let half_sq = reach * reach - height * height;
        if half_sq >= 0.0 {
            let half = half_sq.sqrt();
            (low, high) = (low.min(end[0] - half), high.max(end[0] + half));
        }
    }
    if let Some((from, to)) = strip_row(a, b, row, reach) {
        (low, high) = (low.min(from), high.max(to));
    }
    (low <= high).then_some((low, high))
}

/// The part of a row in the rectangle that a segment sweeps sideways by `reach`.
fn strip_row(a: Point, b: Point, row: f64, reach: f64) -> Option<(f64, f64)> {
    let (dx, dz, height) = (b[0] - a[0], b[1] - a[1], row - a[1]);
    let length_sq = dx * dx + dz * dz;
    if length_sq == 0.0 {
        return None;
    }
    let side = reach * length_sq.sqrt();
    let across = solve(dz, height * dx - side, height * dx + side)?;
    let along = solve(dx, -height * dz, length_sq - height * dz)?;
    let (from, to) = (across.0.max(along.0), across.1.min(along.1));
    (from <= to).then_some((a[0] + from, a[0] + to))
}

/// The u with `low <= scale * u <= high`.
fn solve(scale: f64, low: f64, high: f64) -> Option<(f64, f64)> {
    if scale == 0.0 {
        return (low <= 0.0 && 0.0 <= high).then_some((f64::NEG_INFINITY, f64::INFINITY));
    }
    let (first, second) = (low / scale, high / scale);
    Some((first.min(second), first.max(second)))
}

#[cfg(test)]
mod tests;
