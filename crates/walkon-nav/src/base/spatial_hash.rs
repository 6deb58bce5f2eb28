//! Points on the ground sorted by cell, for neighbours.
//!
//! In: points as (x, z) in metres, numbered 0 to n - 1, and the size of a cell. Out: the points within a
//! distance, sorted by number; the nearest few, sorted by distance and then number. Holds: the answers depend
//! on the points alone, not on the cells. Building is linear (a counting sort) and keeps its buffers. Memory
//! is bounded by the number of points, however far they lie apart: the grid is a torus, so that distant
//! points share cells and the distance tells them apart. A point that is not finite is nobody's neighbour.
//! Not here: what the points are, walls, heights.

use std::ops::Range;

use glam::Vec2;

#[cfg(test)]
mod tests;

/// The fewest cells a grid has; below that, clearing them costs nothing that could be measured.
const CELLS_MIN: usize = 256;

/// The fewest columns and rows. 4: a cell's neighbours on both sides must be different cells.
const SIDE_MIN: u64 = 4;

/// Cells for each point, at most (rounded up to a power of two). 8: a crowd at one body in four square
/// metres, in cells of 0.9 m, has five.
const CELLS_PER_POINT: usize = 8;

/// The smallest cell, metres.
const CELL_MIN_M: f32 = 1e-3;

/// How much of a crowded cell a question looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Points for each cell, at most, as a mean over the neighbouring cells of a row. [`Lookup::ALL`] has no
    /// limit. Sparse cells ([`SpatialHash::build_by_density`]) are always looked at whole.
    pub per_cell_max: u32,
    /// Chooses which points of a crowded row are looked at: another number, another window.
    pub salt: u32,
    /// A point that [`SpatialHash::nearest`] leaves out: the one that asks. `u32::MAX`: none.
    pub but: u32,
}

impl Lookup {
    /// Looks at every point: the answer is exact, its cost unbounded.
    pub const ALL: Self = Self { per_cell_max: u32::MAX, salt: 0, but: u32::MAX };
}

/// A point near another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Its number.
    pub id: u32,
    /// Squared distance, square metres.
    pub distance_m_sq: f32,
}

/// Sizes of cells to choose from, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HashCells {
    /// Where points lie close together.
    pub dense_m: f32,
    /// Where each has few others near: larger, because then most cells that a question looks at are empty.
    pub sparse_m: f32,
}

/// In sparse cells, this many points share the cell of each in the mean, at most. 5: a town of 10,000 has
/// 3.7 in cells of 3.5 m, and a search for neighbours looks at 33 points in three rows there, where it looks
/// at 39 in six rows of cells of 1.4 m.
const SPARSE_MEAN_MAX: u64 = 5;

/// The most points in one sparse cell, so that no question has to be cut short.
const SPARSE_MAX: u32 = 32;

/// Cells in a rectangle.
#[derive(Clone, Debug, PartialEq)]
struct CellBlock {
    columns: Range<i32>,
    rows: Range<i32>,
}

impl CellBlock {
    /// The part of it that lies in another.
    #[inline(always)]
    fn cut(&self, other: &Self) -> Self {
        Self { columns: cut(&self.columns, &other.columns), rows: cut(&self.rows, &other.rows) }
    }

    /// With the cells around it, as far as they lie in another.
    #[inline(always)]
    fn grown_within(&self, other: &Self) -> Self {
        let grown = |range: &Range<i32>| range.start - 1..range.end + 1;
        Self { columns: grown(&self.columns), rows: grown(&self.rows) }.cut(other)
    }
}

#[inline(always)]
fn cut(one: &Range<i32>, other: &Range<i32>) -> Range<i32> {
    one.start.max(other.start)..one.end.min(other.end)
}

/// The largest whole number not above a value. It never falls as the value rises; values beyond four
/// millions share the last ones, and NaN has the lowest. A cast that knows every value costs twice as much.
#[inline(always)]
pub(crate) fn cell_number(value: f32) -> i32 {
    /// Beyond this, whole numbers and halves are no more told apart.
    const FAR: f32 = 4_000_000.0;
    /// 1.5 times 2 to the 23rd: a sum with it has no fraction, and its last bits are those of a whole number.
    const WHOLE: f32 = 12_582_912.0;
    // Written so that NaN becomes a number.
    let value = if value > -FAR { value } else { -FAR };
    let value = if value < FAR { value } else { FAR };
    let sum = value + WHOLE;
    let nearest = sum.to_bits() as i32 - WHOLE.to_bits() as i32;
    nearest - i32::from(sum - WHOLE > value)
}

/// Points sorted by cell. Default: none.
#[derive(Clone, Debug, Default)]
pub struct SpatialHash {
    cells_per_m: f32,
    /// Powers of two, less one.
    mask_x: u32,
    mask_z: u32,
    /// Binary digits of a column number.
    shift: u32,
    /// Whether no cell is so full that a question is cut short.
    is_sparse: bool,
    /// Cell to its first slot; one longer than there are cells.
    starts: Vec<u32>,
    /// By slot: cell, then number.
    ids: Vec<u32>,
    points: Vec<Vec2>,
    /// By number: the cell while building, then the slot.
    places: Vec<u32>,
}

impl SpatialHash {
    /// Sorts `points` into cells of `cell_m` metres (at least a millimetre). Best when questions reach one to
    /// three cells far. Cost: linear in the points.
    ///
    /// # Panics
    /// With more than 2^28 points.
    pub fn build(&mut self, points: &[Vec2], cell_m: f32) {
        self.count(points, cell_m);
        self.is_sparse = false;
        self.fill(points);
    }

    /// The same with the sparse cells if few points share each of them, else with the dense ones. Answers to
    /// [`Lookup::ALL`] are the same in both.
    ///
    /// # Panics
    /// With more than 2^28 points.
    pub fn build_by_density(&mut self, points: &[Vec2], sizes: HashCells) {
        self.count(points, sizes.sparse_m);
        let (shared, most) = self.starts.iter().fold((0, 0), |(shared, most): (u64, u32), &count| {
            (shared + u64::from(count) * u64::from(count), most.max(count))
        });
        self.is_sparse = most <= SPARSE_MAX && shared <= SPARSE_MEAN_MAX * points.len() as u64;
        if !self.is_sparse {
            self.count(points, sizes.dense_m);
        }
        self.fill(points);
    }

    /// How much is looked at.
    #[inline(always)]
    fn looked(&self, look: Lookup) -> Lookup {
        Lookup { per_cell_max: if self.is_sparse { u32::MAX } else { look.per_cell_max }, ..look }
    }

    /// Finds the cell of each point, and how many each cell has.
    fn count(&mut self, points: &[Vec2], cell_m: f32) {
        assert!(points.len() < 1 << 28, "points are numbered in 28 bits");
        self.cells_per_m = 1.0 / cell_m.max(CELL_MIN_M);
        self.shape(points);
        let cell_count = (self.mask_x as usize + 1) * (self.mask_z as usize + 1);
        self.starts.resize(cell_count + 1, 0);
        self.starts.fill(0);
        self.places.clear();
        for &point in points {
            let cell = self.cell_of(self.cell(point.x), self.cell(point.y));
            self.places.push(cell);
            self.starts[cell as usize] += 1;
        }
    }

    /// How many points there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no points.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The numbers of all points, cell by cell: the order in which questions about each of them are cheapest.
    #[must_use]
    #[inline]
    pub fn by_cell(&self) -> &[u32] {
        &self.ids
    }

    /// Where a point stands in [`SpatialHash::by_cell`].
    ///
    /// # Panics
    /// Where there is no point of that number.
    #[inline]
    #[must_use]
    pub fn slot_of(&self, id: u32) -> u32 {
        self.places[id as usize]
    }

    /// The points, in the order of [`SpatialHash::by_cell`].
    #[must_use]
    #[inline]
    pub fn points_by_cell(&self) -> &[Vec2] {
        &self.points
    }

    /// How many points share the cell of `point`; those of distant cells that the torus folds onto it count,
    /// too.
    #[inline]
    #[must_use]
    pub fn crowd_at(&self, point: Vec2) -> usize {
        let cell = self.cell_of(self.cell(point.x), self.cell(point.y)) as usize;
        (self.starts[cell + 1] - self.starts[cell]) as usize
    }

    /// Gives `visit` the number and squared distance of the points at most `radius_m` from `point`, in no
    /// order that a caller may rely on. Cost: the cells within reach and the points looked at in them.
    #[inline]
    pub fn visit(&self, point: Vec2, radius_m: f32, look: Lookup, mut visit: impl FnMut(u32, f32)) {
        let (radius_m_sq, look) = (radius_m * radius_m, self.looked(look));
        let (columns, rows) = (self.span(point.x, radius_m), self.span(point.y, radius_m));
        let row_count = self.row_count(&rows);
        for row in 0..row_count {
            self.runs(&columns, rows.start + row, look, |slots| {
                self.in_slots(slots, |id, at| {
                    let distance_m_sq = distance_sq(point, at);
                    if distance_m_sq <= radius_m_sq {
                        visit(id, distance_m_sq);
                    }
                });
            });
        }
    }

    /// Fills `out` with the points nearest to `point` and at most `radius_m` away, by (distance, number), at
    /// most as many as `out` can hold, without number `look.but`. Cost: the nine cells around the point, then
    /// what can still be nearer than the last of the answer.
    #[inline]
    pub fn nearest(&self, point: Vec2, radius_m: f32, look: Lookup, out: &mut Nearest) {
        out.begin(radius_m * radius_m);
        let look = self.looked(look);
        let reach = self.block(point, radius_m);
        if reach.rows.end - reach.rows.start > self.mask_z as i32
            || reach.columns.end - reach.columns.start > self.mask_x as i32
        {
            // Round the torus: every row once.
            let rows = reach.rows.start..reach.rows.start + self.row_count(&reach.rows);
            self.offer(point, &CellBlock { rows, ..reach }, look, out);
            out.settle();
            return;
        }
        let inner = self.block_at(point).grown_within(&reach);
        if inner == reach || self.count_in(&inner) <= out.capacity() {
            // Too few to know before the end how far the last of the answer is.
            self.offer(point, &reach, look, out);
            out.settle();
            return;
        }
        self.offer(point, &inner, look, out);
        out.settle();
        let rest = self.block(point, out.limit_m_sq().sqrt()).cut(&reach);
        let CellBlock { columns, rows } = &inner;
        let above = CellBlock { rows: rest.rows.start..rows.start, ..rest.clone() };
        let left = CellBlock { columns: rest.columns.start..columns.start, ..inner.clone() };
        let right = CellBlock { columns: columns.end..rest.columns.end, ..inner.clone() };
        let below = CellBlock { rows: rows.end..rest.rows.end, ..rest };
        for block in [above, left, right, below] {
            self.offer(point, &block, look, out);
        }
        out.settle();
    }

    /// The cells within reach.
    #[inline(always)]
    fn block(&self, point: Vec2, radius_m: f32) -> CellBlock {
        CellBlock { columns: self.span(point.x, radius_m), rows: self.span(point.y, radius_m) }
    }

    /// The cell of a point.
    #[inline(always)]
    fn block_at(&self, point: Vec2) -> CellBlock {
        let only = |cell: i32| cell..cell + 1;
        CellBlock { columns: only(self.cell(point.x)), rows: only(self.cell(point.y)) }
    }

    /// How many points lie in some cells.
    #[inline(always)]
    fn count_in(&self, block: &CellBlock) -> usize {
        let mut count = 0;
        for row in block.rows.clone() {
            self.runs(&block.columns, row, Lookup::ALL, |slots| count += slots.len());
        }
        count
    }

    /// Offers the points in some cells to `out`.
    #[inline]
    fn offer(&self, point: Vec2, block: &CellBlock, look: Lookup, out: &mut Nearest) {
        if block.columns.is_empty() {
            return;
        }
        for row in block.rows.clone() {
            match self.one_run(&block.columns, row, look) {
                Some(slots) => self.offer_slots(point, slots, look, out),
                None => self.offer_row(point, &block.columns, row, look, out),
            }
        }
    }

    /// The slots of a stretch of cells in one row, if it neither goes round the torus nor is crowded, as
    /// nearly all.
    #[inline(always)]
    fn one_run(&self, columns: &Range<i32>, row: i32, look: Lookup) -> Option<Range<usize>> {
        let first = columns.start as u32 & self.mask_x;
        let count = (columns.end - columns.start) as u32;
        if first + count > self.mask_x + 1 {
            return None;
        }
        let cell = ((row as u32 & self.mask_z) << self.shift) + first;
        let (start, end) = (self.starts[cell as usize], self.starts[(cell + count) as usize]);
        (end - start <= look.per_cell_max.saturating_mul(count)).then_some(start as usize..end as usize)
    }

    /// Offers the points in a stretch of cells that goes round the torus or is crowded.
    #[cold]
    fn offer_row(&self, point: Vec2, columns: &Range<i32>, row: i32, look: Lookup, out: &mut Nearest) {
        self.runs(columns, row, look, |slots| self.offer_slots(point, slots, look, out));
    }

    #[inline(always)]
    fn offer_slots(&self, point: Vec2, slots: Range<usize>, look: Lookup, out: &mut Nearest) {
        self.in_slots(slots, |id, at| out.offer(id, distance_sq(point, at), id != look.but));
    }

    /// Gives `visit` the number and the place of each point in some slots.
    #[inline(always)]
    // The iterator over both is a call of its own where little is inlined.
    #[allow(clippy::needless_range_loop)]
    fn in_slots(&self, slots: Range<usize>, mut visit: impl FnMut(u32, Vec2)) {
        let (ids, points) = (&self.ids[slots.clone()], &self.points[slots]);
        for at in 0..ids.len().min(points.len()) {
            visit(ids[at], points[at]);
        }
    }

    /// Gives `visit` one of so many parts of the pairs of points at most `radius_m` apart, with the squared
    /// distance, in no order that a caller may rely on: the parts together give every pair once. Exact only
    /// while `radius_m` is at most the size of a cell. Cost: half the neighbouring cells of every point.
    #[inline]
    pub fn pairs_in(
        &self,
        part: usize,
        parts: usize,
        radius_m: f32,
        per_cell_max: u32,
        mut visit: impl FnMut(u32, u32, f32),
    ) {
        let radius_m_sq = radius_m * radius_m;
        let row_count = self.mask_z as usize + 1;
        let first_row = |part: usize| (row_count * part / parts.max(1)) as u32;
        for row in first_row(part)..first_row(part + 1) {
            let first = (row << self.shift) as usize;
            // Slot by slot, not cell by cell: most cells are empty.
            for slot in self.starts[first]..self.starts[first + self.mask_x as usize + 1] {
                let (id, place) = (self.ids[slot as usize], self.points[slot as usize]);
                let column = self.cell(place.x) as u32 & self.mask_x;
                let cell = (row << self.shift) | column;
                let look = self.looked(Lookup { per_cell_max, salt: slot, but: u32::MAX });
                let mut check = |slots: Range<usize>| {
                    self.in_slots(slots, |other, at| {
                        let distance_m_sq = distance_sq(place, at);
                        if distance_m_sq <= radius_m_sq {
                            visit(id, other, distance_m_sq);
                        }
                    });
                };
                // The rest of the cell and the next one, then the three of the next row.
                let next_row = ((row + 1) & self.mask_z) << self.shift;
                if column > 0 && column < self.mask_x {
                    window(slot + 1, self.starts[cell as usize + 2], 2, look, &mut check);
                    self.run(next_row + column - 1, 3, look, &mut check);
                } else {
                    window(slot + 1, self.starts[cell as usize + 1], 1, look, &mut check);
                    self.run((row << self.shift) | ((column + 1) & self.mask_x), 1, look, &mut check);
                    for beside in [column.wrapping_sub(1), column, column + 1] {
                        self.run(next_row | (beside & self.mask_x), 1, look, &mut check);
                    }
                }
            }
        }
    }

    /// Chooses how many columns and rows there are: as many as the points need, or as their number allows.
    fn shape(&mut self, points: &[Vec2]) {
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for point in points.iter().filter(|point| point.is_finite()) {
            low = Vec2::select(point.cmplt(low), *point, low);
            high = Vec2::select(point.cmpgt(high), *point, high);
        }
        // The number of a cell never falls as the coordinate rises.
        let [min, max] = [low, high].map(|corner| (self.cell(corner.x), self.cell(corner.y)));
        let most = (points.len() * CELLS_PER_POINT).max(CELLS_MIN).next_power_of_two() as u64;
        let needed = |min: i32, max: i32| {
            let count = (max - min).max(0) as u64 + 1;
            count.next_power_of_two().clamp(SIDE_MIN, most)
        };
        let (mut width, mut depth) = (needed(min.0, max.0), needed(min.1, max.1));
        // Bounded by the binary digits of the sizes, at most 24 each.
        while width * depth > most {
            if width > depth { width /= 2 } else { depth /= 2 }
        }
        (self.mask_x, self.mask_z) = (width as u32 - 1, depth as u32 - 1);
        self.shift = width.trailing_zeros();
    }

    /// Turns counts into ends, then fills from behind, so that a cell's numbers rise.
    fn fill(&mut self, points: &[Vec2]) {
        let mut end = 0;
        let mut to_end = |start: &mut u32| {
            end += *start;
            *start = end;
        };
        // Most cells are empty: eight at a time, because the loop costs more than the sum.
        let (eights, rest) = self.starts.as_chunks_mut::<8>();
        eights.iter_mut().for_each(|eight| eight.iter_mut().for_each(&mut to_end));
        rest.iter_mut().for_each(to_end);
        self.ids.resize(points.len(), 0);
        self.points.resize(points.len(), Vec2::ZERO);
        for (id, &point) in points.iter().enumerate().rev() {
            let slot = &mut self.starts[self.places[id] as usize];
            *slot -= 1;
            self.places[id] = *slot;
            self.ids[*slot as usize] = id as u32;
            self.points[*slot as usize] = point;
        }
    }

    /// The column or row of a coordinate. Never falls as the coordinate rises; far coordinates share the last
    /// ones.
    #[inline(always)]
    fn cell(&self, coordinate_m: f32) -> i32 {
        cell_number(coordinate_m * self.cells_per_m)
    }

    #[inline(always)]
    fn cell_of(&self, x: i32, z: i32) -> u32 {
        ((z as u32 & self.mask_z) << self.shift) | (x as u32 & self.mask_x)
    }

    /// Columns or rows within reach. A little wide, because sums in single precision round.
    #[inline(always)]
    fn span(&self, coordinate_m: f32, radius_m: f32) -> Range<i32> {
        let reach_m = radius_m * 1.000_001 + coordinate_m.abs() * 2e-7;
        self.cell(coordinate_m - reach_m)..self.cell(coordinate_m + reach_m) + 1
    }

    #[inline(always)]
    fn row_count(&self, rows: &Range<i32>) -> i32 {
        (rows.end - rows.start).min(self.mask_z as i32 + 1)
    }

    /// Gives `visit` the slots of a stretch of cells in one row, as at most four ranges.
    #[inline(always)]
    fn runs(&self, columns: &Range<i32>, row: i32, look: Lookup, mut visit: impl FnMut(Range<usize>)) {
        let count = (columns.end - columns.start).min(self.mask_x as i32 + 1) as u32;
        let base = (row as u32 & self.mask_z) << self.shift;
        let first = columns.start as u32 & self.mask_x;
        let unwrapped = count.min(self.mask_x + 1 - first);
        self.run(base + first, unwrapped, look, &mut visit);
        if unwrapped < count {
            self.run(base, count - unwrapped, look, &mut visit);
        }
    }

    #[inline(always)]
    fn run(&self, cell: u32, count: u32, look: Lookup, visit: &mut impl FnMut(Range<usize>)) {
        window(self.starts[cell as usize], self.starts[(cell + count) as usize], count, look, visit);
    }
}

/// Gives `visit` the slots from `start` up to `end`; of too many for `count` cells, a stretch that may go
/// round.
#[inline(always)]
fn window(start: u32, end: u32, count: u32, look: Lookup, visit: &mut impl FnMut(Range<usize>)) {
    let most = look.per_cell_max.saturating_mul(count);
    if end - start <= most {
        visit(start as usize..end as usize);
        return;
    }
    let first = start + look.salt.wrapping_mul(0x9e37_79b1) % (end - start);
    let until = first.saturating_add(most);
    visit(first as usize..until.min(end) as usize);
    visit(start as usize..(start + until.saturating_sub(end)) as usize);
}

#[inline(always)]
fn distance_sq(a: Vec2, b: Vec2) -> f32 {
    let (dx, dz) = (b.x - a.x, b.y - a.y);
    dx * dx + dz * dz
}

/// How many may wait to be put in their places.
const WAITING_MAX: usize = 32;

/// The answer to [`SpatialHash::nearest`]: a short list with a fixed capacity.
///
/// The place of a neighbour in it cannot be foreseen, and a branch foreseen wrongly costs more than some
/// comparisons. So neighbours that may belong in it wait first, and a loop without branches puts them in
/// their places.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// Bits of the squared distance, then the number: one comparison settles both. As many as the capacity;
    /// sorted up to `count`.
    keys: Vec<u64>,
    count: usize,
    /// A key that is not below this does not belong in the list. It is the last of a full list, else the
    /// first beyond the radius.
    limit: u64,
    waiting: [u64; WAITING_MAX],
    waiting_count: usize,
}

impl Nearest {
    /// A list for at most `capacity` neighbours.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let waiting = [0; WAITING_MAX];
        Self { keys: vec![0; capacity], count: 0, limit: 0, waiting, waiting_count: 0 }
    }

    /// The neighbours, by (distance, number).
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Neighbour> + '_ {
        let found = self.keys[..self.count].iter();
        found.map(|&key| Neighbour { id: key as u32, distance_m_sq: f32::from_bits((key >> 32) as u32) })
    }

    /// How many were found.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none was found.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline(always)]
    fn begin(&mut self, radius_m_sq: f32) {
        (self.count, self.waiting_count) = (0, 0);
        self.limit = if self.keys.is_empty() { 0 } else { key(u32::MAX, radius_m_sq) };
    }

    fn capacity(&self) -> usize {
        self.keys.len()
    }

    /// Neighbours further away than this are not wanted.
    #[inline(always)]
    fn limit_m_sq(&self) -> f32 {
        f32::from_bits((self.limit >> 32) as u32)
    }

    /// Lets a neighbour wait that may belong in the list.
    #[inline(always)]
    fn offer(&mut self, id: u32, distance_m_sq: f32, is_other: bool) {
        let key = key(id, distance_m_sq);
        self.waiting[self.waiting_count] = key;
        self.waiting_count += usize::from(is_other & (key < self.limit));
        if self.waiting_count == WAITING_MAX {
            self.settle();
        }
    }

    /// Puts the waiting neighbours in their places and drops those too far back.
    #[inline]
    fn settle(&mut self) {
        for &waiting in &self.waiting[..self.waiting_count] {
            let mut last = waiting;
            for kept in &mut self.keys[..self.count] {
                (*kept, last) = ((*kept).min(last), (*kept).max(last));
            }
            if let Some(free) = self.keys.get_mut(self.count) {
                *free = last;
                self.count += 1;
            }
        }
        self.waiting_count = 0;
        if let Some(&last) = self.keys.last().filter(|_| self.count == self.keys.len()) {
            self.limit = last;
        }
    }
}

/// Squared distances are not negative, so their bits sort as they do.
#[inline(always)]
fn key(id: u32, distance_m_sq: f32) -> u64 {
    u64::from(distance_m_sq.to_bits()) << 32 | u64::from(id)
}
