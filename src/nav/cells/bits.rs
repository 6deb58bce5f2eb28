//! Which cells can be walked on, 64 to a word, once by row and once by column.
//!
//! In: walkable bits, cell by cell or row by row. Out: single cells and whole words along either axis.
//! Holds: both planes describe the same cells; every line ends in a blocked guard word and a blocked line lies
//! on either side of the map, so scans need no bounds checks; bits beyond the width are zero.
//! Not here: costs, radii, areas, metres.

/// A set of walkable cells, `width` x `depth`, by row and by column. `Default` is the empty map.
#[derive(Clone, Debug)]
pub struct Bits {
    rows: Plane,
    columns: Plane,
    count: u64,
}

/// Lines of bits with a guard word after each line, one before the first, and a blank line at either end.
#[derive(Clone, Debug)]
pub(crate) struct Plane {
    lines: u32,
    length: u32,
    stride: usize,
    words: Vec<u64>,
}

impl Plane {
    fn new(lines: u32, length: u32) -> Self {
        let stride = length.div_ceil(64) as usize + 1;
        Self { lines, length, stride, words: vec![0; 1 + (lines as usize + 2) * stride] }
    }

    /// Index of the first word of a line; the word before it is always a guard. Line -1 is the blank line.
    #[inline(always)]
    pub(crate) fn base(&self, line: u32) -> usize {
        1 + (line as usize + 1) * self.stride
    }

    #[inline(always)]
    fn get(&self, line: u32, at: u32) -> bool {
        self.words[self.base(line) + (at >> 6) as usize] >> (at & 63) & 1 != 0
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
        Self { rows: Plane::new(depth, width), columns: Plane::new(width, depth), count: 0 }
    }

    /// A map from packed rows: `width.div_ceil(64)` words a row, bit i of word w of row z is cell (64 w + i, z).
    /// Bits beyond the width are ignored. Cost: about half a nanosecond a cell.
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
        for z in 0..depth as usize {
            let base = bits.rows.base(z as u32);
            for word in 0..words {
                bits.rows.words[base + word] = rows[z * words + word] & bits.rows.mask(word);
            }
        }
        bits.count = bits.rows.words.iter().map(|word| u64::from(word.count_ones())).sum();
        bits.fill_columns();
        bits
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

    /// Opens or blocks a cell of the map. Cost: a few nanoseconds.
    pub fn set(&mut self, x: u32, z: u32, walkable: bool) {
        assert!(x < self.width() && z < self.depth(), "cell ({x}, {z}) is not on the map");
        if self.rows.get(z, x) != walkable {
            self.rows.flip(z, x);
            self.columns.flip(x, z);
            self.count = if walkable { self.count + 1 } else { self.count - 1 };
        }
    }

    /// Replaces whole words of a row, beginning with word `first_word`; bits beyond the width are ignored.
    /// Cost: per word, and a few nanoseconds for every cell that changes.
    pub fn replace_row(&mut self, z: u32, first_word: usize, words: &[u64]) {
        let row_words = self.width().div_ceil(64) as usize;
        assert!(z < self.depth() && first_word + words.len() <= row_words, "row {z} has {row_words} words");
        let base = self.rows.base(z);
        for (word, &new) in (first_word..).zip(words) {
            let new = new & self.rows.mask(word);
            let old = std::mem::replace(&mut self.rows.words[base + word], new);
            self.count = self.count + u64::from(new.count_ones()) - u64::from(old.count_ones());
            let mut changed = old ^ new;
            while changed != 0 {
                self.columns.flip(64 * word as u32 + changed.trailing_zeros(), z);
                changed &= changed - 1;
            }
        }
    }

    /// Word `word` of row `z`: bit i is cell (64 `word` + i, z).
    #[must_use]
    #[inline(always)]
    pub fn row_word(&self, z: u32, word: usize) -> u64 {
        self.rows.words[self.rows.base(z) + word]
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

#[cfg(test)]
mod tests;
