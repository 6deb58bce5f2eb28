//! A bitmap of the walkable cells, 64 to a word, once by row and once by column.
//!
//! In: walkable bits, cell by cell or row by row. Out: single cells and whole words along either axis. Holds:
//! both planes describe the same cells; every line ends in a blocked guard word and a blocked line lies on
//! either side of the map, so scans need no bounds checks; bits beyond the width are zero. The data that
//! searches read most is kept up to date beside them: where a straight scan has to stop, and the surroundings
//! of each cell. Memory: 1.75 bytes a cell. Not here: costs, radii, areas, metres; cells blocked for one plan
//! only (`agent_mask`).

use crate::nav::cell::Cell;
use crate::nav::cells::layout::OFFSETS;
use crate::nav::cells::tiling::CellShape;

/// A set of walkable cells, `width` x `depth`, by row and by column. `Default` is the empty map.
#[derive(Clone, Debug)]
pub struct Bits {
    rows: Plane,
    columns: Plane,
    /// By cell: bit d says that the neighbour in direction d is walkable.
    around: Vec<u8>,
    count: u64,
    /// How the cells lie in the world, which decides what is connected and what is near.
    shape: CellShape,
}

/// Where a scan of a line stops, and whether it can be walked on there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScanStop {
    pub(crate) at: u32,
    pub(crate) is_open: bool,
}

/// What kernels read of cells: those of a map, or what a body's plan may use of them. One type each, so that
/// plans over a map as it is pay nothing for the others.
pub(crate) trait Cells: Copy {
    /// The cells of the map.
    fn bits(&self) -> &Bits;
    /// Whether a cell of the map can be walked on.
    fn is_open(&self, x: u32, z: u32) -> bool;
    /// Bit d says that the neighbour of a cell in direction d (`layout::OFFSETS`) can be walked on.
    fn around(&self, at: Cell, id: u32) -> u8;
    /// Word `word` of row `z`: bit i is cell (64 `word` + i, z).
    fn row_word(&self, z: u32, word: u32) -> u64;
    /// The next stop of a scan from `at` towards higher positions of a line, and whether it can be walked on:
    /// see [`Plane::rise`]. May stop where that would not; lines are rows when `IN_ROW`, else columns.
    fn rise<const IN_ROW: bool>(&self, line: u32, at: u32, blocks: &mut u32) -> ScanStop;
    /// The same towards lower positions: see [`Plane::fall`].
    fn fall<const IN_ROW: bool>(&self, line: u32, at: u32, blocks: &mut u32) -> ScanStop;
    /// Whether a cell can be walked on; lines may be one off the map on either side, positions must be on it.
    fn probe<const IN_ROW: bool>(&self, line: i64, at: i64) -> bool;
}

impl Cells for &Bits {
    #[inline(always)]
    fn bits(&self) -> &Bits {
        self
    }

    #[inline(always)]
    fn is_open(&self, x: u32, z: u32) -> bool {
        self.get(x, z)
    }

    #[inline(always)]
    fn around(&self, _at: Cell, id: u32) -> u8 {
        self.around[id as usize]
    }

    #[inline(always)]
    fn row_word(&self, z: u32, word: u32) -> u64 {
        Bits::row_word(self, z, word as usize)
    }

    #[inline(always)]
    fn rise<const IN_ROW: bool>(&self, line: u32, at: u32, blocks: &mut u32) -> ScanStop {
        self.plane::<IN_ROW>().rise(line, at, blocks)
    }

    #[inline(always)]
    fn fall<const IN_ROW: bool>(&self, line: u32, at: u32, blocks: &mut u32) -> ScanStop {
        self.plane::<IN_ROW>().fall(line, at, blocks)
    }

    #[inline(always)]
    fn probe<const IN_ROW: bool>(&self, line: i64, at: i64) -> bool {
        self.plane::<IN_ROW>().probe(line, at)
    }
}

/// Lines of bits with a guard word after each line, one before the first, and a blank line at either end.
#[derive(Clone, Debug)]
pub(crate) struct Plane {
    lines: u32,
    length: u32,
    stride: usize,
    words: Vec<u64>,
    /// Where a scan towards higher positions stops: at blocked cells, and at cells with a walkable neighbour
    /// in the line before or after whose predecessor is blocked. Guards stop every scan.
    rising: Vec<u64>,
    /// The same for scans towards lower positions.
    falling: Vec<u64>,
    /// Stops of both kinds in the words of the map, those beyond the length of a line included.
    stops: u64,
}

impl Plane {
    fn new(lines: u32, length: u32) -> Self {
        let stride = length.div_ceil(64) as usize + 1;
        let size = 1 + (lines as usize + 2) * stride;
        let (words, blocked) = (vec![0; size], vec![!0; size]);
        let stops = 2 * 64 * (stride as u64 - 1) * u64::from(lines);
        Self { lines, length, stride, words, rising: blocked.clone(), falling: blocked, stops }
    }

    /// Index of the first word of a line; the word before it is always a guard. Line -1 is the blank line.
    #[inline(always)]
    pub(crate) fn base(&self, line: u32) -> usize {
        1 + (line as usize + 1) * self.stride
    }

    /// The first position above `at` where a scan stops, and whether it is walkable (else nothing was found).
    /// Adds the words read to `blocks`.
    #[inline(always)]
    pub(crate) fn rise(&self, line: u32, at: u32, blocks: &mut u32) -> ScanStop {
        let base = self.base(line);
        let mut word = base + (at >> 6) as usize;
        let mut stops = self.rising[word] & (!1 << (at & 63));
        *blocks += 1;
        // Bounded by the guard word at the end of the line, which stops every scan.
        while stops == 0 {
            word += 1;
            *blocks += 1;
            stops = self.rising[word];
        }
        let bit = stops.trailing_zeros();
        ScanStop { at: ((word - base) << 6) as u32 + bit, is_open: self.words[word] >> bit & 1 != 0 }
    }

    /// The first position below `at` where a scan stops, and whether it is walkable; wraps around below zero,
    /// where nothing is walkable. Adds the words read to `blocks`.
    #[inline(always)]
    pub(crate) fn fall(&self, line: u32, at: u32, blocks: &mut u32) -> ScanStop {
        let base = self.base(line);
        let mut word = base + (at >> 6) as usize;
        let mut stops = self.falling[word] & ((1 << (at & 63)) - 1);
        *blocks += 1;
        // Bounded by the guard word before the line, which stops every scan.
        while stops == 0 {
            word -= 1;
            *blocks += 1;
            stops = self.falling[word];
        }
        let bit = 63 - stops.leading_zeros();
        ScanStop {
            at: (word.wrapping_sub(base) << 6) as u32 | bit,
            is_open: self.words[word] >> bit & 1 != 0,
        }
    }

    /// Works out the stops of one word of a line again.
    fn restop(&mut self, line: u32, word: usize) {
        let at = self.base(line) + word;
        let (mut rising, mut falling) = (!self.words[at], !self.words[at]);
        for beside in [at - self.stride, at + self.stride] {
            let [below, here, above] = [self.words[beside - 1], self.words[beside], self.words[beside + 1]];
            rising |= here & !(here << 1 | below >> 63);
            falling |= here & !(here >> 1 | above << 63);
        }
        self.stops -= u64::from(self.rising[at].count_ones() + self.falling[at].count_ones());
        self.stops += u64::from(rising.count_ones() + falling.count_ones());
        (self.rising[at], self.falling[at]) = (rising, falling);
    }

    /// Works out the stops that depend on the cells of a line from `first` to `last`.
    fn restop_beside(&mut self, line: u32, first: u32, last: u32) {
        let words = first.saturating_sub(1) as usize >> 6..=(last + 1).min(self.length - 1) as usize >> 6;
        for line in line.saturating_sub(1)..=(line + 1).min(self.lines - 1) {
            for word in words.clone() {
                self.restop(line, word);
            }
        }
    }

    /// Lines on the map.
    pub(crate) fn lines(&self) -> u32 {
        self.lines
    }

    /// Positions in a line.
    pub(crate) fn length(&self) -> u32 {
        self.length
    }

    /// Whether a cell is walkable; lines may be one off the map on either side, positions must be on it.
    #[inline(always)]
    pub(crate) fn probe(&self, line: i64, at: i64) -> bool {
        self.words[1 + (line + 1) as usize * self.stride + (at >> 6) as usize] >> (at & 63) & 1 != 0
    }

    #[inline(always)]
    pub(crate) fn get(&self, line: u32, at: u32) -> bool {
        self.words[self.base(line) + (at >> 6) as usize] >> (at & 63) & 1 != 0
    }

    /// A word of a line.
    #[inline(always)]
    pub(crate) fn word(&self, line: u32, word: u32) -> u64 {
        self.words[self.base(line) + word as usize]
    }

    #[inline(always)]
    fn flip(&mut self, line: u32, at: u32) {
        let word = self.base(line) + (at >> 6) as usize;
        self.words[word] ^= 1 << (at & 63);
    }

    /// The bits of word `word` of a line that lie on the map.
    fn mask(&self, word: usize) -> u64 {
        let left = i64::from(self.length) - 64 * word as i64;
        match left {
            ..=0 => 0,
            1..=63 => (1 << left) - 1,
            _ => !0,
        }
    }
}

impl Default for Bits {
    fn default() -> Self {
        Self::new(0, 0)
    }
}

impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        self.width() == other.width() && self.depth() == other.depth() && self.rows.words == other.rows.words
    }
}

impl Eq for Bits {}

impl Bits {
    /// A map on which every cell is blocked.
    #[must_use]
    pub fn new(width: u32, depth: u32) -> Self {
        let (rows, columns) = (Plane::new(depth, width), Plane::new(width, depth));
        Self {
            rows,
            columns,
            around: vec![0; width as usize * depth as usize],
            count: 0,
            shape: CellShape::default(),
        }
    }

    /// The same cells, of another shape than plain squares.
    #[must_use]
    pub fn shaped(self, shape: CellShape) -> Self {
        Self { shape, ..self }
    }

    /// How the cells lie in the world.
    #[must_use]
    #[inline(always)]
    pub fn shape(&self) -> CellShape {
        self.shape
    }

    /// A map from packed rows: `width.div_ceil(64)` words a row, bit i of word w of row z is cell (64 w + i,
    /// z). Bits beyond the width are ignored. Cost: one or two nanoseconds a cell.
    ///
    /// Panics unless `rows` holds exactly `depth` rows.
    #[must_use]
    pub fn from_rows(width: u32, depth: u32, rows: &[u64]) -> Self {
        let words = width.div_ceil(64) as usize;
        assert_eq!(
            rows.len(),
            words * depth as usize,
            "packed rows must hold width.div_ceil(64) words a row"
        );
        let mut bits = Self::new(width, depth);
        for z in 0..depth {
            let base = bits.rows.base(z);
            for word in 0..words {
                bits.rows.words[base + word] = rows[z as usize * words + word] & bits.rows.mask(word);
            }
        }
        bits.fill_columns();
        for z in 0..depth {
            for word in 0..words {
                bits.rows.restop(z, word);
                bits.look_around(z, word);
            }
        }
        for x in 0..width {
            for word in 0..depth.div_ceil(64) as usize {
                bits.columns.restop(x, word);
            }
        }
        bits.count = bits.rows.words.iter().map(|word| u64::from(word.count_ones())).sum();
        bits
    }

    /// Works out what lies around the cells of one word of a row.
    fn look_around(&mut self, z: u32, word: usize) {
        let at = self.rows.base(z) + word;
        let stride = self.rows.stride;
        let mut sides = [0; 8];
        for (side, (dx, dz)) in sides.iter_mut().zip(OFFSETS) {
            let line = at.wrapping_add_signed(stride as isize * dz as isize);
            let words = &self.rows.words;
            *side = match dx {
                1 => words[line] >> 1 | words[line + 1] << 63,
                -1 => words[line] << 1 | words[line - 1] >> 63,
                _ => words[line],
            };
        }
        let first = z as usize * self.width() as usize + 64 * word;
        let cells = (self.width() as usize - 64 * word).min(64);
        for (eighth, out) in self.around[first..first + cells].chunks_mut(8).enumerate() {
            let block = sides.map(|side| (side >> (8 * eighth)) as u8);
            let bytes = transpose_bytes(u64::from_le_bytes(block)).to_le_bytes();
            out.copy_from_slice(&bytes[..out.len()]);
        }
    }

    /// Columns from rows, 64 x 64 cells at a time.
    fn fill_columns(&mut self) {
        let (width, depth) = (self.width(), self.depth());
        for first_z in (0..depth).step_by(64) {
            for word in 0..width.div_ceil(64) {
                let mut block = [0u64; 64];
                for z in first_z..depth.min(first_z + 64) {
                    block[(z - first_z) as usize] = self.row_word(z, word as usize);
                }
                transpose(&mut block);
                for x in 64 * word..width.min(64 * word + 64) {
                    let at = self.columns.base(x) + (first_z >> 6) as usize;
                    self.columns.words[at] = block[(x & 63) as usize];
                }
            }
        }
    }

    /// Cells along x.
    #[must_use]
    #[inline(always)]
    pub fn width(&self) -> u32 {
        self.rows.length
    }

    /// Cells along z.
    #[must_use]
    #[inline(always)]
    pub fn depth(&self) -> u32 {
        self.rows.lines
    }

    /// Number of walkable cells, kept up to date.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether a cell of the map is walkable. Panics or answers for another cell outside: see [`Bits::at`].
    #[must_use]
    #[inline(always)]
    pub fn get(&self, x: u32, z: u32) -> bool {
        debug_assert!(x < self.width() && z < self.depth(), "cell ({x}, {z}) is not on the map");
        self.rows.get(z, x)
    }

    /// Whether a cell is walkable; false outside the map.
    #[must_use]
    #[inline(always)]
    pub fn at(&self, x: i64, z: i64) -> bool {
        (0..i64::from(self.width())).contains(&x)
            && (0..i64::from(self.depth())).contains(&z)
            && self.rows.get(z as u32, x as u32)
    }

    /// Whether all cells of a rectangle, from the one with the lowest column and row to the one with the
    /// highest, are walkable. May say false of one wider than a word, and does of one without cells. Cost: a
    /// word or two for each row.
    #[inline]
    pub(crate) fn is_open(&self, first: [i64; 2], last: [i64; 2]) -> bool {
        let is_on_map = first[0] >= 0
            && first[1] >= 0
            && first[0] <= last[0]
            && first[1] <= last[1]
            && last[0] < i64::from(self.width())
            && last[1] < i64::from(self.depth());
        // On the map first: beyond it differences may be too large for their type.
        if !is_on_map || !(0..64).contains(&(last[0] - first[0])) {
            return false;
        }
        let (word, shift) = ((first[0] >> 6) as usize, first[0] as u32 & 63);
        let mask = !0_u64 >> (63 - (last[0] - first[0]));
        (first[1]..=last[1]).all(|z| {
            let at = self.rows.base(z as u32) + word;
            // Behind the last word of a row is a guard. Two shifts: one by 64 is none.
            let cells = self.rows.words[at] >> shift | self.rows.words[at + 1] << 1 << (63 - shift);
            cells & mask == mask
        })
    }

    /// Opens or blocks a cell of the map. Cost: constant, about 50 nanoseconds; nothing when it is so
    /// already.
    pub fn set(&mut self, x: u32, z: u32, walkable: bool) {
        assert!(x < self.width() && z < self.depth(), "cell ({x}, {z}) is not on the map");
        if self.rows.get(z, x) == walkable {
            return;
        }
        self.rows.flip(z, x);
        self.columns.flip(x, z);
        self.count = if walkable { self.count + 1 } else { self.count - 1 };
        self.rows.restop_beside(z, x, x);
        self.columns.restop_beside(x, z, z);
        for (direction, (dx, dz)) in OFFSETS.into_iter().enumerate() {
            let (x, z) = (x.wrapping_add_signed(dx), z.wrapping_add_signed(dz));
            if x < self.width() && z < self.depth() {
                self.around[(z * self.rows.length + x) as usize] ^= 1 << (direction ^ 4);
            }
        }
    }

    /// Replaces whole words of a row, beginning with word `first_word`; bits beyond the width are ignored.
    /// Cost: about 100 nanoseconds a word, nothing for words that do not change.
    pub fn replace_row(&mut self, z: u32, first_word: usize, words: &[u64]) {
        let row_words = self.width().div_ceil(64) as usize;
        assert!(z < self.depth() && first_word + words.len() <= row_words, "row {z} has {row_words} words");
        for (word, &new) in (first_word..).zip(words) {
            self.replace_word(z, word, new & self.rows.mask(word));
        }
    }

    fn replace_word(&mut self, z: u32, word: usize, new: u64) {
        let at = self.rows.base(z) + word;
        let changed = self.rows.words[at] ^ new;
        if changed == 0 {
            return;
        }
        let (first, last) = (changed.trailing_zeros(), 63 - changed.leading_zeros());
        let (first, last) = (64 * word as u32 + first, 64 * word as u32 + last);
        self.count -= u64::from(self.rows.words[at].count_ones());
        self.rows.words[at] = new;
        self.count += u64::from(new.count_ones());
        self.rows.restop_beside(z, first, last);
        let mut flips = changed;
        while flips != 0 {
            self.columns.flip(64 * word as u32 + flips.trailing_zeros(), z);
            flips &= flips - 1;
        }
        let beside = z.saturating_sub(1)..=(z + 1).min(self.depth() - 1);
        for x in first.saturating_sub(1)..=(last + 1).min(self.width() - 1) {
            for word in beside.start() >> 6..=beside.end() >> 6 {
                self.columns.restop(x, word as usize);
            }
        }
        for z in beside {
            for word in first.saturating_sub(1) >> 6..=(last + 1).min(self.width() - 1) >> 6 {
                self.look_around(z, word as usize);
            }
        }
    }

    /// Word `word` of row `z`: bit i is cell (64 `word` + i, z).
    #[must_use]
    #[inline(always)]
    pub fn row_word(&self, z: u32, word: usize) -> u64 {
        self.rows.words[self.rows.base(z) + word]
    }

    /// Walkable cells at which a straight scan stops, over the four directions: what makes jumps short.
    pub(crate) fn turns(&self) -> u64 {
        let blocked = |plane: &Plane| 64 * (plane.stride as u64 - 1) * u64::from(plane.lines) - self.count;
        self.rows.stops - 2 * blocked(&self.rows) + self.columns.stops - 2 * blocked(&self.columns)
    }

    /// The cells by row or by column.
    #[inline(always)]
    pub(crate) fn plane<const IN_ROW: bool>(&self) -> &Plane {
        if IN_ROW { &self.rows } else { &self.columns }
    }

    /// What lies around the cells of one word of a row: as many bytes as the word has cells on the map.
    pub(crate) fn around_word(&self, z: u32, word: u32) -> &[u8] {
        let row = z as usize * self.width() as usize;
        let end = (64 * word + 64).min(self.width()) as usize;
        &self.around[row + 64 * word as usize..row + end]
    }
}

/// Turns bit c of word r into bit r of word c, by swapping ever smaller quadrants (Hacker's Delight, 7-3).
fn transpose(block: &mut [u64; 64]) {
    let mut span = 32;
    let mut mask = 0x0000_0000_ffff_ffff_u64;
    while span != 0 {
        let mut low = 0;
        while low < 64 {
            let swap = (block[low] >> span ^ block[low + span]) & mask;
            block[low] ^= swap << span;
            block[low + span] ^= swap;
            low = (low + span + 1) & !span;
        }
        span >>= 1;
        mask ^= mask << span;
    }
}

/// Turns bit c of byte r into bit r of byte c (Hacker's Delight, 7-3).
#[inline(always)]
fn transpose_bytes(mut block: u64) -> u64 {
    for (shift, mask) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let swap = (block ^ block >> shift) & mask;
        block ^= swap ^ swap << shift;
    }
    block
}

#[cfg(test)]
mod tests;
