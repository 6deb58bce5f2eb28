//! Connected components of the walkable cells: labels, and the nearest cell of a component.
//!
//! In: walkable bits. Out: a label by cell, sizes, the nearest cell by exact distance. Holds:
//! two cells have the same label if and only if a way joins them. With diagonals only between two walkable
//! neighbours that is 4-connectivity, so runs of cells joined from row to row suffice; runs of hexagons reach
//! one cell further. Labels are stored by run, a search of one row answers. Compare numbers of labels with
//! each other, never with those of another `ConnectedComponents`. Source: run-based labelling with
//! union-find, He, Chao and Suzuki 2008; the ring test is ours.

use crate::nav::cell::Cell;
use crate::nav::cells::Bits;
use crate::nav::cells::layout::Neighbours;
use crate::nav::cells::{CellShape, Metric};

/// Labels of all walkable cells of a map. Memory: 12 bytes a run.
#[derive(Clone, Debug, Default)]
pub struct ConnectedComponents {
    rows: Vec<Vec<CellSpan>>,
    /// By label: the label it was joined to, or itself.
    joined: Vec<u32>,
    /// By label: cells, for labels joined to none.
    cells: Vec<u64>,
    count: u32,
    shape: CellShape,
}

#[derive(Clone, Copy, Debug)]
struct CellSpan {
    first: u32,
    end: u32,
    label: u32,
}

/// A maximal run of walkable cells in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRun {
    /// The row.
    pub z: u32,
    /// The first cell.
    pub first_x: u32,
    /// One beyond the last cell.
    pub end_x: u32,
    /// The component it belongs to.
    pub label: u32,
}

impl ConnectedComponents {
    /// Labels all walkable cells. Cost: about a nanosecond a cell.
    #[must_use]
    pub fn of(bits: &Bits) -> Self {
        let rows = Vec::with_capacity(bits.depth() as usize);
        let mut labels = Self { rows, shape: bits.shape(), ..Self::default() };
        for z in 0..bits.depth() {
            let mut row = spans(bits, z);
            for span in &mut row {
                span.label = labels.fresh(u64::from(span.end - span.first));
            }
            if let Some(above) = labels.rows.pop() {
                labels.join_rows(&above, &row, |_, _| true);
                labels.rows.push(above);
            }
            labels.rows.push(row);
        }
        labels.renumber();
        labels
    }

    /// Labels the connected parts where not all neighbouring cells are joined. `is_joined` says whether a
    /// cell is joined to its neighbour in a direction: 0, or to the next row 2, and for hexagons 3. It is not
    /// asked about rows that `is_plain` accepts, nor about the step from them to the next row. Cost: about
    /// two nanoseconds a cell of the other rows.
    pub(crate) fn parted(
        bits: &Bits,
        is_plain: impl Fn(u32) -> bool,
        is_joined: impl Fn(Cell, usize) -> bool,
    ) -> Self {
        let rows = Vec::with_capacity(bits.depth() as usize);
        let mut labels = Self { rows, shape: bits.shape(), ..Self::default() };
        let is_hexagonal = labels.shape.is_hexagonal();
        for z in 0..bits.depth() {
            let mut row = spans(bits, z);
            if !is_plain(z) {
                row = row.into_iter().flat_map(|span| cut(span, |x| !is_joined(Cell { x, z }, 0))).collect();
            }
            for span in &mut row {
                span.label = labels.fresh(u64::from(span.end - span.first));
            }
            if let Some(above) = labels.rows.pop() {
                let touch = |a: &CellSpan, b: &CellSpan| {
                    (a.first..a.end).any(|x| {
                        let is_below = |x: u32| (b.first..b.end).contains(&x);
                        is_below(x) && is_joined(Cell { x, z: z - 1 }, 2)
                            || is_hexagonal
                                && is_below(x.wrapping_sub(1))
                                && is_joined(Cell { x, z: z - 1 }, 3)
                    })
                };
                match is_plain(z - 1) {
                    true => labels.join_rows(&above, &row, |_, _| true),
                    false => labels.join_rows(&above, &row, touch),
                }
                labels.rows.push(above);
            }
            labels.rows.push(row);
        }
        labels.renumber();
        labels
    }

    fn fresh(&mut self, cells: u64) -> u32 {
        let label = self.joined.len() as u32;
        self.joined.push(label);
        self.cells.push(cells);
        self.count += 1;
        label
    }

    /// Joins what touches across two neighbouring rows, where the cells of both are joined.
    fn join_rows(
        &mut self,
        above: &[CellSpan],
        row: &[CellSpan],
        joined: impl Fn(&CellSpan, &CellSpan) -> bool,
    ) {
        let (mut upper, mut lower) = (0, 0);
        let further = u32::from(self.shape.is_hexagonal());
        while upper < above.len() && lower < row.len() {
            let (a, b) = (above[upper], row[lower]);
            let end = b.end + further;
            if a.first < end && b.first < a.end && joined(&a, &b) {
                self.join(a.label, b.label);
            }
            if a.end < end {
                upper += 1;
            } else {
                lower += 1;
            }
        }
    }

    /// The label that stands for another. Bounded by the logarithm of the number of labels: the smaller joins
    /// the larger.
    fn root(&self, mut label: u32) -> u32 {
        while self.joined[label as usize] != label {
            label = self.joined[label as usize];
        }
        label
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return a;
        }
        let (from, to) = if self.cells[a as usize] < self.cells[b as usize] { (a, b) } else { (b, a) };
        self.joined[from as usize] = to;
        self.cells[to as usize] += std::mem::take(&mut self.cells[from as usize]);
        self.count -= 1;
        to
    }

    /// Numbers components from zero in the order of their first cell, row by row.
    fn renumber(&mut self) {
        let mut number = vec![u32::MAX; self.joined.len()];
        let mut cells = Vec::with_capacity(self.count as usize);
        for span in self.rows.iter_mut().flatten() {
            let mut root = span.label;
            while self.joined[root as usize] != root {
                root = self.joined[root as usize];
            }
            if number[root as usize] == u32::MAX {
                number[root as usize] = cells.len() as u32;
                cells.push(self.cells[root as usize]);
            }
            span.label = number[root as usize];
        }
        self.joined = (0..cells.len() as u32).collect();
        self.cells = cells;
    }

    /// The component of a cell; None when it is blocked or outside. Cost: a search of the runs of its row, <
    /// 50 ns.
    #[must_use]
    pub fn label(&self, x: u32, z: u32) -> Option<u32> {
        let row = self.rows.get(z as usize)?;
        let span = row.get(row.partition_point(|span| span.end <= x))?;
        (span.first <= x).then(|| self.root(span.label))
    }

    /// Number of components.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Number of cells of a component.
    #[must_use]
    pub fn cells(&self, label: u32) -> u64 {
        self.cells[self.root(label) as usize]
    }

    /// All runs, row by row, each row from left to right.
    pub fn runs(&self) -> impl Iterator<Item = CellRun> + '_ {
        (0..).zip(&self.rows).flat_map(move |(z, row)| {
            let run = move |span: &CellSpan| CellRun {
                z,
                first_x: span.first,
                end_x: span.end,
                label: self.root(span.label),
            };
            row.iter().map(run)
        })
    }

    /// The cell of any component that is accepted whose centre is nearest to a point (x, z in cells, so that
    /// cell (x, z) has its centre at x + 0.5, z + 0.5) and within a distance of it, by the distance that the
    /// shape of the cells gives, in the unit of length of their map. Ties by (distance, z, x). Cost: rows by
    /// distance, each until its runs are too far away.
    pub fn closest_where(&self, point: [f64; 2], within: f64, accept: impl Fn(u32) -> bool) -> Option<Cell> {
        if self.rows.is_empty() || !(point[0].is_finite() && point[1].is_finite()) {
            return None;
        }
        let metric = self.shape.metric;
        let mut nearest = NearestCell { point, metric, distance_sq: within * within, cell: None };
        let end = self.rows.len();
        let middle = point[1].floor().clamp(0.0, (end - 1) as f64) as usize;
        let (mut above, mut below) = (Some(middle), middle + 1);
        // Bounded by the rows of the map: each round uses up one.
        loop {
            let up = above.map_or(f64::INFINITY, |z| nearest.away_sq(z));
            let down = if below < end { nearest.away_sq(below) } else { f64::INFINITY };
            let away_sq = up.min(down);
            if away_sq > nearest.distance_sq || away_sq == f64::INFINITY {
                return nearest.cell;
            }
            if let Some(z) = above.filter(|_| up <= down) {
                self.closest_in_row(z, &accept, &mut nearest);
                above = z.checked_sub(1);
            } else {
                self.closest_in_row(below, &accept, &mut nearest);
                below += 1;
            }
        }
    }

    fn closest_in_row(&self, z: usize, accept: &impl Fn(u32) -> bool, nearest: &mut NearestCell) {
        let (row, x, away_sq) = (&self.rows[z], nearest.column(z), nearest.away_sq(z));
        let along = nearest.metric.along();
        // The centre nearest to x; of two, the left one.
        let target = (x.ceil() - 1.0).clamp(0.0, f64::from(u32::MAX)) as u32;
        let split = row.partition_point(|span| span.first <= target);
        // Says whether the rest of the row, in the same direction, cannot be nearer.
        let mut offer = |span: &CellSpan| {
            let cell = target.clamp(span.first, span.end - 1);
            let dx = f64::from(cell) + 0.5 - x;
            let distance_sq = along * (dx * dx) + away_sq;
            if distance_sq > nearest.distance_sq {
                return true;
            }
            let accepted = accept(self.root(span.label));
            if accepted {
                nearest.offer(distance_sq, Cell { x: cell, z: z as u32 });
            }
            accepted
        };
        let _ = row[..split].iter().rev().any(&mut offer);
        let _ = row[split..].iter().any(&mut offer);
    }
}

/// In how many parts the neighbours of a cell fall apart once it is blocked, as far as the ring of cells
/// around it shows.
pub(crate) const fn arcs(around: u8, shape: CellShape) -> u32 {
    if matches!(shape.neighbours, Neighbours::Six) {
        // Those in directions 0, 2, 3, 4, 6 and 7, as a ring of six.
        let ring = around & 1 | around >> 1 & 0b1110 | around >> 2 & 0b11_0000;
        let begins = ring & !(ring << 1 | ring >> 5 & 1);
        return if ring == 0b11_1111 { 1 } else { begins.count_ones() };
    }
    let sides = around & 0b0101_0101;
    // A link joins two neighbouring sides through the corner between them; four links make a ring of one
    // part.
    let links = sides & sides.rotate_right(2) & (around >> 1);
    let (sides, links) = (sides.count_ones(), links.count_ones());
    if sides == 4 && links == 4 { 1 } else { sides - links }
}

/// The best cell so far, and the distance that a better one must not exceed, squared.
struct NearestCell {
    point: [f64; 2],
    metric: Metric,
    distance_sq: f64,
    cell: Option<Cell>,
}

impl NearestCell {
    /// The distance of a row, squared.
    fn away_sq(&self, z: usize) -> f64 {
        let away = z as f64 + 0.5 - self.point[1];
        self.metric.across() * (away * away)
    }

    /// Where the row is nearest to the point.
    fn column(&self, z: usize) -> f64 {
        self.point[0] - self.metric.lean() * (z as f64 + 0.5 - self.point[1])
    }

    fn offer(&mut self, distance_sq: f64, cell: Cell) {
        let rank = |Cell { x, z }: Cell| (z, x);
        if distance_sq < self.distance_sq || self.cell.is_none_or(|old| rank(cell) < rank(old)) {
            (self.distance_sq, self.cell) = (distance_sq, Some(cell));
        }
    }
}

/// The pieces of a run that ends after each cell that a test accepts.
fn cut(span: CellSpan, mut ends_after: impl FnMut(u32) -> bool) -> Vec<CellSpan> {
    let mut pieces = Vec::new();
    let mut first = span.first;
    for x in span.first..span.end {
        if x + 1 == span.end || ends_after(x) {
            pieces.push(CellSpan { first, end: x + 1, ..span });
            first = x + 1;
        }
    }
    pieces
}

/// The maximal runs of walkable cells of a row, unlabelled.
fn spans(bits: &Bits, z: u32) -> Vec<CellSpan> {
    let mut row: Vec<CellSpan> = Vec::new();
    for word in 0..bits.width().div_ceil(64) {
        let mut left = bits.row_word(z, word as usize);
        while left != 0 {
            let first = left.trailing_zeros();
            let length = (!(left >> first)).trailing_zeros().min(64 - first);
            left &= !(!0_u64 >> (64 - length) << first);
            let (first, end) = (64 * word + first, 64 * word + first + length);
            match row.last_mut() {
                Some(last) if last.end == first => last.end = end,
                _ => row.push(CellSpan { first, end, label: 0 }),
            }
        }
    }
    row
}
