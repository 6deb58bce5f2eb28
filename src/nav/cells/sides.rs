//! Whether a way joins two cells, found out from both ends.
//!
//! In: cells, two of them. Out: yes or no. Holds: exact, for ways that cut no corners; the two ends get the same share, so
//! the cost is that of the smaller side when it is closed in, and otherwise that of two regions that meet; slices change
//! nothing. It goes by runs of cells in a row, not by cells: about a tenth of what a search would look at, each cheaper.
//! Charge: 1 for every two runs a side. Not here: the way. Where labels hold they answer at once; this is for the cells of
//! one plan (`overlay`), for which there are none.
//! Source: Pohl 1971, on the runs of He, Chao and Suzuki 2008.

use crate::nav::cells::bits::Cells;
use crate::nav::cells::layout::Columns;
use crate::nav::search::{Ends, Kernel, Record, Search, Side, Step};

/// Runs of each side that are looked at in one expansion.
const RUNS_PER_UNIT: u32 = 2;

/// In a stamp: the run that begins with this cell was met from one end, or from the other.
const MET: [u32; 2] = [2, 4];

impl Search {
    /// Begins to ask whether a way joins two cells. One that cannot be walked on is joined with nothing.
    pub(crate) fn begin_sides(&mut self, cells: impl Cells, ends: Ends) {
        let bits = cells.bits();
        self.begin(Kernel::Sides, bits.width() * bits.depth(), ends);
        self.sides = std::mem::take(&mut self.sides).map(Side::emptied);
        self.columns = Columns::new(bits.width());
        for (side, end) in [ends.start, ends.goal].into_iter().enumerate() {
            if self.state != Step::Running {
                return;
            }
            let (x, z) = self.columns.split(end.0);
            if cells.is_open(x, z) {
                self.meet(cells, (x, z), side);
            } else {
                self.state = Step::Exhausted;
            }
        }
    }

    /// Goes on until it is known or `allowance` is spent: found when a way joins them, exhausted when none does.
    pub(crate) fn step_sides(&mut self, cells: impl Cells, allowance: u32) -> Step {
        let stop_at = self.spent.saturating_add(allowance);
        // Bounded by the runs of the smaller side.
        while self.state == Step::Running && self.spent < stop_at {
            for turn in 0..2 * RUNS_PER_UNIT {
                if self.state == Step::Running {
                    self.spread(cells, (turn & 1) as usize);
                }
            }
            self.spent += 1;
        }
        self.state
    }

    /// Meets what lies beside the next run of a side.
    fn spread(&mut self, cells: impl Cells, side: usize) {
        let Some(id) = self.sides[side].take() else {
            self.state = Step::Exhausted;
            return;
        };
        let (first, z) = self.columns.split(id);
        let last = run_last(cells, first, z);
        for beside in [z.wrapping_sub(1), z + 1] {
            if beside >= cells.bits().depth() {
                continue;
            }
            for word in first >> 6..=last >> 6 {
                let low = if word == first >> 6 { !0 << (first & 63) } else { !0 };
                let high = if word == last >> 6 { !0 >> (63 - (last & 63)) } else { !0 };
                let mut open = cells.row_word(beside, word) & low & high;
                while open != 0 {
                    let bit = open.trailing_zeros();
                    self.meet(cells, (64 * word + bit, beside), side);
                    // On beyond the first blocked cell after it.
                    let run = (!(open >> bit)).trailing_zeros();
                    open &= u64::MAX.checked_shl(bit + run).unwrap_or(0);
                }
            }
        }
    }

    /// Whether the start's side, or else the goal's, has nothing left to look at.
    pub(crate) fn is_closed(&self, side: usize) -> bool {
        self.sides[side].waiting().is_empty()
    }

    /// Whether a side has met the run that holds an open cell.
    pub(crate) fn has_met(&self, cells: impl Cells, (x, z): (u32, u32), side: usize) -> bool {
        let stamp = self.records[(z * self.columns.width() + run_first(cells, x, z)) as usize].stamp;
        stamp >> 8 == self.generation && stamp & MET[side] != 0
    }

    /// Notes that a side reaches the run that holds a cell.
    fn meet(&mut self, cells: impl Cells, (x, z): (u32, u32), side: usize) {
        let id = z * self.columns.width() + run_first(cells, x, z);
        let record = &mut self.records[id as usize];
        let met = if record.stamp >> 8 == self.generation { record.stamp & 0xff } else { 0 };
        if met & MET[1 - side] != 0 {
            self.state = Step::Found;
        } else if met & MET[side] == 0 {
            *record = Record { stamp: self.generation << 8 | MET[side], ..Record::default() };
            self.sides[side].add(id);
        }
    }
}

/// The first cell of the run of open cells around one of them. Bounded by the width, a word at a time.
fn run_first(cells: impl Cells, x: u32, z: u32) -> u32 {
    let mut word = x >> 6;
    let mut blocked = !cells.row_word(z, word) & ((1 << (x & 63)) - 1);
    while blocked == 0 {
        if word == 0 {
            return 0;
        }
        word -= 1;
        blocked = !cells.row_word(z, word);
    }
    64 * word + 64 - blocked.leading_zeros()
}

/// The last cell of the run of open cells around one of them. Bounded by the width: bits beyond it are blocked.
fn run_last(cells: impl Cells, x: u32, z: u32) -> u32 {
    let words = cells.bits().width().div_ceil(64);
    let mut word = x >> 6;
    let mut blocked = !cells.row_word(z, word) & (!0 << (x & 63));
    while blocked == 0 && word + 1 < words {
        word += 1;
        blocked = !cells.row_word(z, word);
    }
    if blocked == 0 { 64 * word + 63 } else { 64 * word + blocked.trailing_zeros() - 1 }
}

#[cfg(test)]
mod tests;
