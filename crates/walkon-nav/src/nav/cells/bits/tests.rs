//! Bits against a plain table of booleans.

use super::*;
use crate::base::rng::Rng;

struct Table {
    width: u32,
    depth: u32,
    cells: Vec<bool>,
}

impl Table {
    fn random(rng: &mut Rng, width: u32, depth: u32) -> Self {
        Self { width, depth, cells: (0..width * depth).map(|_| rng.below(3) != 0).collect() }
    }

    fn packed(&self) -> Vec<u64> {
        let words = self.width.div_ceil(64) as usize;
        let mut rows = vec![0; words * self.depth as usize];
        for (at, _) in self.cells.iter().enumerate().filter(|(_, walkable)| **walkable) {
            let (x, z) = (at % self.width as usize, at / self.width as usize);
            rows[z * words + x / 64] |= 1 << (x % 64);
        }
        rows
    }

    fn check(&self, bits: &Bits) {
        assert_eq!(bits.count(), self.cells.iter().filter(|walkable| **walkable).count() as u64);
        for z in 0..self.depth {
            for x in 0..self.width {
                let expected = self.cells[(z * self.width + x) as usize];
                assert_eq!(bits.get(x, z), expected, "row bit of ({x}, {z})");
                assert_eq!(bits.columns.get(x, z), expected, "column bit of ({x}, {z})");
            }
        }
        self.check_ready(bits);
    }

    fn at(&self, x: i64, z: i64) -> bool {
        let inside = x >= 0 && z >= 0 && x < i64::from(self.width) && z < i64::from(self.depth);
        inside && self.cells[(z * i64::from(self.width) + x) as usize]
    }

    /// What is kept ready for searches, from its definition.
    fn check_ready(&self, bits: &Bits) {
        let mut turns = 0;
        for id in 0..self.width * self.depth {
            let (x, z) = (i64::from(id % self.width), i64::from(id / self.width));
            for (direction, (dx, dz)) in OFFSETS.into_iter().enumerate() {
                let expected = self.at(x + i64::from(dx), z + i64::from(dz));
                assert_eq!(
                    (&bits).around(Cell { x: x as u32, z: z as u32 }, id) >> direction & 1 != 0,
                    expected,
                    "around ({x}, {z})"
                );
            }
            let opens = |x: i64, z: i64, dx: i64, dz: i64| self.at(x, z) && !self.at(x - dx, z - dz);
            let stops = |dx: i64, dz: i64| {
                !self.at(x, z) || opens(x + dz, z + dx, dx, dz) || opens(x - dz, z - dx, dx, dz)
            };
            let turning =
                [(1, 0), (-1, 0), (0, 1), (0, -1)].iter().filter(|(dx, dz)| stops(*dx, *dz)).count() as u64;
            turns += if self.at(x, z) { turning } else { 0 };
            let bit = |plane: &Plane, stops: &[u64], line: i64, at: i64| {
                stops[plane.base(line as u32) + at as usize / 64] >> (at % 64) & 1 != 0
            };
            assert_eq!(bit(&bits.rows, &bits.rows.rising, z, x), stops(1, 0), "east ({x}, {z})");
            assert_eq!(bit(&bits.rows, &bits.rows.falling, z, x), stops(-1, 0), "west ({x}, {z})");
            assert_eq!(bit(&bits.columns, &bits.columns.rising, x, z), stops(0, 1), "south ({x}, {z})");
            assert_eq!(bit(&bits.columns, &bits.columns.falling, x, z), stops(0, -1), "north ({x}, {z})");
        }
        assert_eq!(bits.turns(), turns);
    }
}

const SIZES: [(u32, u32); 8] = [(1, 1), (3, 2), (63, 64), (64, 63), (65, 66), (128, 1), (1, 130), (200, 90)];

#[test]
fn rows_and_columns_hold_the_packed_cells() {
    let mut rng = Rng::stream(1, "bits");
    for (width, depth) in SIZES {
        let table = Table::random(&mut rng, width, depth);
        let bits = Bits::from_rows(width, depth, &table.packed());
        table.check(&bits);
        let mut one_by_one = Bits::new(width, depth);
        for z in 0..depth {
            for x in 0..width {
                one_by_one.set(x, z, table.cells[(z * width + x) as usize]);
            }
        }
        assert_eq!(bits, one_by_one);
    }
}

#[test]
fn replaced_words_and_flipped_cells_keep_both_planes_in_step() {
    let mut rng = Rng::stream(2, "bits");
    for (width, depth) in SIZES {
        let mut table = Table::random(&mut rng, width, depth);
        let mut bits = Bits::from_rows(width, depth, &table.packed());
        for _ in 0..20 {
            let (x, z) = (rng.below(u64::from(width)) as u32, rng.below(u64::from(depth)) as u32);
            table.cells[(z * width + x) as usize] ^= true;
            bits.set(x, z, table.cells[(z * width + x) as usize]);
            let other = Table::random(&mut rng, width, 1);
            let word = (rng.below(u64::from(width.div_ceil(64)))) as usize;
            let row = rng.below(u64::from(depth)) as u32;
            bits.replace_row(row, word, &other.packed()[word..=word]);
            for x in 64 * word as u32..width.min(64 * word as u32 + 64) {
                table.cells[(row * width + x) as usize] = other.cells[x as usize];
            }
            table.check(&bits);
        }
        assert_eq!(bits, Bits::from_rows(width, depth, &table.packed()));
    }
}

#[test]
fn bits_beyond_the_width_are_ignored_and_outside_is_blocked() {
    let mut bits = Bits::from_rows(3, 2, &[!0, !0]);
    assert_eq!(bits.count(), 6);
    bits.replace_row(1, 0, &[!0]);
    assert_eq!((bits.count(), bits.row_word(1, 0)), (6, 7));
    for (x, z) in [(-1, 0), (3, 0), (0, -1), (0, 2), (i64::MAX, i64::MIN)] {
        assert!(!bits.at(x, z));
    }
    assert!(bits.at(2, 1));
    assert_eq!(Bits::default(), Bits::new(0, 0));
}

#[test]
fn a_rectangle_is_open_when_all_of_its_cells_are() {
    let mut rng = Rng::stream(3, "bits");
    let mut open = 0;
    for (width, depth) in SIZES {
        let mut table = Table::random(&mut rng, width, depth);
        table.cells.iter_mut().for_each(|cell| *cell |= rng.below(20) != 0);
        let bits = Bits::from_rows(width, depth, &table.packed());
        for _ in 0..500 {
            let mut span = |length: u32| {
                let first = rng.below(u64::from(length) + 2) as i64 - 1;
                (first, first + rng.below(u64::from(length.min(64))) as i64)
            };
            let ((left, right), (top, bottom)) = (span(width), span(depth));
            let all = (top..=bottom).all(|z| (left..=right).all(|x| bits.at(x, z)));
            assert_eq!(bits.is_open([left, top], [right, bottom]), all, "{left}..{right}, {top}..{bottom}");
            open += u32::from(all && right > left);
        }
    }
    assert!(open > 100, "rectangles of several cells are open too: {open}");
    let bits = Bits::from_rows(3, 2, &[!0, !0]);
    for (first, last) in [([i64::MIN, 0], [i64::MAX, 0]), ([0, i64::MIN], [0, i64::MAX]), ([2, 0], [1, 0])] {
        assert!(!bits.is_open(first, last), "{first:?} to {last:?}");
    }
}
