//! The cells with room for bodies wider than the map was built for, by erosion of the walkable cells.
//!
//! In: walkable cells, the distance beyond the map's own `agentRadius` that a body needs. Out: the cells
//! where its centre may be. Holds: a cell is passable when the rectangles of all blocked cells are at least
//! that far from its centre, within 1e-4 m, and everything beyond the map counts as blocked. The test
//! compares whole numbers, so radii that admit the same cells share one class. The real shape counts for
//! cells that are not plain squares, and a class is named by the farthest cell that keeps it away. Method:
//! the blocked cells dilated by a disc, row by row, 64 cells at a time.

use crate::nav::cell::Cell;
use crate::nav::cells::Bits;
use crate::nav::cells::raster::Window;
use crate::nav::cells::source::MapFrame;
use crate::nav::cells::tiling::CellShape;

/// How much closer than its radius a body may pass, metres.
pub(crate) const TOLERANCE_M: f64 = 1e-4;

/// Bodies that can use the same cells. A blocked cell dx, dz away keeps a cell from them when
/// `a * a + b * b < threshold`, with a = max(2 |dx| - 1, 0) and b likewise: twice the distance in cells,
/// squared. Where cells are not plain squares the threshold is the bits of the largest distance that does,
/// squared, and one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RadiusClass {
    threshold: u64,
}

/// One row of the disc a blocked cell is grown by: `rows` away it reaches `cells` to either side.
struct DiscRow {
    rows: u32,
    cells: u32,
}

/// One row of the cells that a body at the centre of one reaches into, by differences: those from `first` to
/// `last`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Chord {
    rows: i64,
    first: i64,
    last: i64,
}

/// Nothing is passable.
const HOPELESS: u64 = u64::MAX;

/// The cells of a shape within a distance of the centre of one, and the largest of their distances, squared.
/// `limit` is the distance, squared, and `is_within` compares with it.
fn chords(shape: CellShape, limit: f64, is_within: impl Fn(f64) -> bool) -> (Vec<Chord>, f64) {
    let [_, rows] = shape.reach(limit.sqrt());
    let metric = shape.metric;
    let away_sq = |x: i64, z: i64| shape.away_sq([0.5; 2], Cell { x, z });
    let mut farthest = 0.0;
    let mut chords = Vec::new();
    let rows = rows.ceil() as i64 + 1;
    for z in -rows..=rows {
        let middle = -metric.lean() * z as f64;
        let half = ((limit - metric.across() * (z * z) as f64).max(0.0) / metric.along()).sqrt();
        // Bounded by the guess, which is a cell or two off.
        let edge = |start: f64, out: i64| {
            let centre = middle.round() as i64;
            let mut at = start.round() as i64 + 2 * out;
            while at != centre && !is_within(away_sq(at, z)) {
                at -= out;
            }
            at
        };
        let (first, last) = (edge(middle - half, -1), edge(middle + half, 1));
        let ends = [away_sq(first, z), away_sq(last, z)];
        if is_within(ends[0]) && is_within(ends[1]) {
            chords.push(Chord { rows: z, first, last });
            farthest = ends.into_iter().fold(farthest, f64::max);
        }
    }
    (chords, farthest)
}

impl RadiusClass {
    /// The class of a body on a map that was built for bodies of `agent_radius_m`.
    pub(crate) fn of(frame: &MapFrame, radius_m: f64, agent_radius_m: f64) -> Self {
        let needed_m = radius_m - agent_radius_m - TOLERANCE_M;
        if needed_m.is_nan() || needed_m <= 0.0 {
            return Self::default();
        }
        let shape = frame.tiling.shape();
        if !shape.is_plain() {
            return Self::of_shape(shape, needed_m / frame.cell_size_m, frame.width.max(frame.depth));
        }
        // Beyond this nothing is passable on any map, and squares stay small.
        let cells = (2.0 * needed_m / frame.cell_size_m).min(1e6);
        Self { threshold: (cells * cells).ceil() as u64 }
    }

    /// The same over cells of another shape, with the distance in the unit of length of the map.
    fn of_shape(shape: CellShape, needed: f64, longest: u32) -> Self {
        let reach = shape.reach(needed).into_iter().fold(f64::INFINITY, f64::min);
        if reach >= f64::from(longest) {
            return Self { threshold: HOPELESS };
        }
        let (_, farthest) = chords(shape, needed * needed, |away_sq| away_sq < needed * needed);
        Self { threshold: farthest.to_bits() + 1 }
    }

    /// The cells that a body of the class reaches into, where cells are not plain squares.
    fn chords(self, shape: CellShape) -> Vec<Chord> {
        let farthest = f64::from_bits(self.threshold.max(1) - 1);
        chords(shape, farthest, |away_sq| away_sq <= farthest).0
    }

    /// Its number: the same for the same class, on one map.
    pub(crate) fn number(self) -> u64 {
        self.threshold
    }

    /// Whether it is the class that the map itself is for.
    pub(crate) fn is_base(self) -> bool {
        self.threshold == 0
    }

    /// How far away, in cells, a change can matter.
    pub(crate) fn reach_cells(self, shape: CellShape) -> u32 {
        if self.threshold == HOPELESS {
            return u32::MAX;
        }
        if !shape.is_plain() {
            let reach = |chord: &Chord| chord.rows.abs().max(chord.first.abs()).max(chord.last.abs());
            return self.chords(shape).iter().map(reach).max().unwrap_or(0) as u32;
        }
        self.reach_in_row(0).unwrap_or(0)
    }

    /// How far to either side a blocked cell `rows` away reaches; None when it does not.
    fn reach_in_row(self, rows: u32) -> Option<u32> {
        let twice = u64::from((2 * rows).saturating_sub(1));
        // A blocked cell keeps itself from every body, also in the class of the map itself.
        let left = self.threshold.max(1).checked_sub(twice * twice + 1)?;
        // The most cells for which a = 2 cells - 1 has a * a <= left.
        Some((left.isqrt() as u32).div_ceil(2))
    }

    fn disc(self) -> Vec<DiscRow> {
        (0..).map_while(|rows| self.reach_in_row(rows).map(|cells| DiscRow { rows, cells })).collect()
    }
}

/// All cells that are passable for `class`. Cost: per word and row of the disc.
pub(crate) fn eroded(walkable: &Bits, class: RadiusClass) -> Bits {
    let whole = Window { first_x: 0, end_x: walkable.width(), first_z: 0, end_z: walkable.depth() };
    let mut rows = Vec::with_capacity(whole.words().len() * walkable.depth() as usize);
    each_row(walkable, class, whole, |_, row| rows.extend_from_slice(row));
    Bits::from_rows(walkable.width(), walkable.depth(), &rows).shaped(walkable.shape())
}

/// Writes the cells of `window` that are passable for `class` into `passable`, from all of `walkable`.
pub(crate) fn erode(walkable: &Bits, class: RadiusClass, window: Window, passable: &mut Bits) {
    let first_word = window.words().start;
    each_row(walkable, class, window, |z, row| passable.replace_row(z, first_word, row));
}

fn each_row(walkable: &Bits, class: RadiusClass, window: Window, mut write: impl FnMut(u32, &[u64])) {
    let words = window.words();
    let mut row = vec![0u64; words.len()];
    let reach_cells = class.reach_cells(walkable.shape());
    if reach_cells >= walkable.width().max(walkable.depth()) {
        (window.first_z..window.end_z).for_each(|z| write(z, &row));
        return;
    }
    if !walkable.shape().is_plain() {
        return each_row_of_shape(walkable, class, window, write);
    }
    let disc = class.disc();
    let depth = i64::from(walkable.depth());
    let mut grown = GrownRow::new(walkable, words, reach_cells);
    for z in window.first_z..window.end_z {
        row.fill(!0);
        for reach in &disc {
            let rows = [i64::from(z) - i64::from(reach.rows), i64::from(z) + i64::from(reach.rows)];
            for &other in &rows[usize::from(reach.rows == 0)..] {
                if (0..depth).contains(&other) {
                    grown.remove(other as u32, reach.cells, &mut row);
                } else {
                    row.fill(0);
                }
            }
        }
        write(z, &row);
    }
}

/// The same over cells that are not plain squares.
fn each_row_of_shape(
    walkable: &Bits,
    class: RadiusClass,
    window: Window,
    mut write: impl FnMut(u32, &[u64]),
) {
    let (words, chords) = (window.words(), class.chords(walkable.shape()));
    let mut row = vec![0u64; words.len()];
    let mut blocked = Blocked::default();
    for z in window.first_z..window.end_z {
        row.fill(!0);
        for chord in &chords {
            let other = i64::from(z) + chord.rows;
            if !(0..i64::from(walkable.depth())).contains(&other) {
                row.fill(0);
                break;
            }
            blocked.read(walkable, other as u32);
            blocked.widen(chord.last - chord.first);
            for (at, word) in row.iter_mut().enumerate() {
                *word &= !blocked.from(64 * (words.start + at) as i64 + chord.first);
            }
        }
        write(z, &row);
    }
}

/// The blocked cells of a row, a bit each; all beyond it are.
#[derive(Default)]
struct Blocked {
    words: Vec<u64>,
    next: Vec<u64>,
    /// How many cells before the first one the words begin, at least: a multiple of 64.
    before: i64,
}

impl Blocked {
    fn read(&mut self, walkable: &Bits, z: u32) {
        let words = walkable.width().div_ceil(64) as usize;
        self.words.clear();
        self.before = 0;
        // Beyond the width the bits are zero, hence blocked.
        self.words.extend((0..words).map(|word| !walkable.row_word(z, word)));
    }

    /// The 64 cells from one on.
    fn from(&self, cell: i64) -> u64 {
        let cell = cell + self.before;
        let (word, bit) = (cell.div_euclid(64), cell.rem_euclid(64));
        let at =
            |word: i64| usize::try_from(word).ok().and_then(|at| self.words.get(at)).copied().unwrap_or(!0);
        if bit == 0 { at(word) } else { at(word) >> bit | at(word + 1) << (64 - bit) }
    }

    /// Blocks every cell that has a blocked one among as many after it.
    fn widen(&mut self, cells: i64) {
        // What lies before the first cell matters as well: as much room as is widened.
        let room = (cells + 63) / 64;
        let mut width = 0;
        while width < cells {
            let step = (cells - width).min(width + 1);
            let first = if self.before == 0 { -64 * room } else { -self.before };
            let count = self.words.len() as i64 + if self.before == 0 { room } else { 0 };
            self.next.clear();
            for word in 0..count {
                let at = first + 64 * word;
                self.next.push(self.from(at) | self.from(at + step));
            }
            std::mem::swap(&mut self.words, &mut self.next);
            self.before = -first;
            width += step;
        }
    }
}

/// Whether one cell is passable, without the cells of the class. Cost: the cells of its disc.
pub(crate) fn is_passable(walkable: &Bits, class: RadiusClass, Cell { x, z }: Cell) -> bool {
    let (x, z) = (i64::from(x), i64::from(z));
    if class.reach_cells(walkable.shape()) >= walkable.width().max(walkable.depth()) {
        return false;
    }
    if !walkable.shape().is_plain() {
        return class
            .chords(walkable.shape())
            .iter()
            .all(|chord| (x + chord.first..=x + chord.last).all(|x| walkable.at(x, z + chord.rows)));
    }
    class.disc().iter().all(|reach| {
        let (rows, cells) = (i64::from(reach.rows), i64::from(reach.cells));
        [z - rows, z + rows].into_iter().all(|row| (x - cells..=x + cells).all(|x| walkable.at(x, row)))
    })
}

/// Grows the blocked cells of a row sideways.
struct GrownRow<'a> {
    walkable: &'a Bits,
    words: std::ops::Range<usize>,
    /// Words on either side that can matter.
    margin: usize,
    blocked: Vec<u64>,
}

impl<'a> GrownRow<'a> {
    fn new(walkable: &'a Bits, words: std::ops::Range<usize>, reach_cells: u32) -> Self {
        let margin = reach_cells.div_ceil(64) as usize;
        let blocked = vec![0; words.len() + 2 * margin];
        Self { walkable, words, margin, blocked }
    }

    /// Clears from `row` all cells within `cells` of a blocked cell of row `z`.
    fn remove(&mut self, z: u32, cells: u32, row: &mut [u64]) {
        let row_words = self.walkable.width().div_ceil(64) as usize;
        for (at, word) in self.blocked.iter_mut().enumerate() {
            let index = (self.words.start + at).wrapping_sub(self.margin);
            // Beyond the width the bits are zero, hence blocked, as everything outside is.
            *word = if index < row_words { !self.walkable.row_word(z, index) } else { !0 };
        }
        // Grown by 1, then 2, 4 ... cells at a time: each pass doubles how far a bit has spread.
        let mut spread = 0;
        while spread < cells {
            let step = (cells - spread).min(spread + spread + 1).min(63);
            spread_once(&mut self.blocked, step, spread);
            spread += step;
        }
        for (at, word) in row.iter_mut().enumerate() {
            *word &= !self.blocked[at + self.margin];
        }
    }
}

/// Every set bit, already part of a run of `spread` to either side of its origin, spreads `step` further.
fn spread_once(words: &mut [u64], step: u32, spread: u32) {
    debug_assert!((1..64).contains(&step) && step <= 2 * spread + 1, "a step may not leave holes");
    let mut before = !0;
    for at in 0..words.len() {
        let word = words[at];
        let after = words.get(at + 1).copied().unwrap_or(!0);
        words[at] = word | word << step | before >> (64 - step) | word >> step | after << (64 - step);
        before = word;
    }
}

#[cfg(test)]
mod tests;
