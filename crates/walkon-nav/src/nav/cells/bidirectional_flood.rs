//! Tests whether two cells are connected, by flooding from both.
//!
//! In: cells, two of them. Out: yes or no. Holds: exact, for ways that cut no corners; the two ends get the
//! same share, so the cost is that of the smaller side when it is closed in, and otherwise that of two
//! regions that meet; slices change nothing. It goes by runs of cells in a row, not by cells; runs of
//! hexagons touch as in `connected_components`. Charge: 1 a run. Not here: the way. Where labels hold they
//! answer at once; this is for the cells of one plan (`agent_mask`), for which there are none. Source: Pohl
//! 1971, on the runs of He, Chao and Suzuki 2008.

use crate::nav::NodeId;
use crate::nav::cell::Cell;
use crate::nav::cells::bits::Cells;
use crate::nav::cells::layout::Columns;
use crate::nav::search_state::{Ends, FloodSide, SearchStep};

/// Runs looked at from each end in one turn.
const RUNS_PER_TURN: u32 = 4;

/// The paused state of such a question, and its buffers. Memory: a quarter of a byte a cell of the largest
/// map it has seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct BidirectionalFlood {
    ends: [FloodSide; 2],
    /// Two bits a cell: a run that begins there was met from one end, or from the other.
    met: Vec<u64>,
    columns: Columns,
    state: SearchStep,
    spent: u32,
}

impl BidirectionalFlood {
    /// Begins to ask whether a way joins two cells. One that cannot be walked on is joined with nothing.
    pub(crate) fn begin(&mut self, cells: impl Cells, ends: Ends) {
        self.forget();
        let bits = cells.bits();
        let words = (bits.width() as usize * bits.depth() as usize).div_ceil(32);
        if self.met.len() < words {
            self.met.resize(words, 0);
        }
        self.columns = Columns::new(bits.width());
        self.state = SearchStep::Running;
        let ends = [ends.start, ends.goal].map(|NodeId(id)| self.columns.split(id));
        if !ends.into_iter().all(|Cell { x, z }| cells.is_open(x, z)) {
            self.state = SearchStep::Exhausted;
            return;
        }
        self.meet(cells, ends[0], 0);
        self.meet(cells, ends[1], 1);
    }

    /// Forgets the last question.
    pub(crate) fn forget(&mut self) {
        for end in &mut self.ends {
            end.met().iter().for_each(|&id| self.met[id as usize >> 5] = 0);
            end.clear();
        }
        (self.state, self.spent) = (SearchStep::Exhausted, 0);
    }

    /// Running while it is not known; found when a way joins them, exhausted when none does.
    pub(crate) fn state(&self) -> SearchStep {
        self.state
    }

    /// Charged to the present question so far.
    pub(crate) fn spent(&self) -> u32 {
        self.spent
    }

    /// Looks at a few runs from either end.
    pub(crate) fn take_turn(&mut self, cells: impl Cells) {
        for turn in 0..2 * RUNS_PER_TURN {
            if self.state == SearchStep::Running {
                self.spread(cells, (turn & 1) as usize);
            }
        }
        self.spent = self.spent.saturating_add(2 * RUNS_PER_TURN);
    }

    /// Meets what lies beside the next run of a side.
    fn spread(&mut self, cells: impl Cells, side: usize) {
        let Some(id) = self.ends[side].take() else {
            self.state = SearchStep::Exhausted;
            return;
        };
        let Cell { x: first, z } = self.columns.split(id);
        let last = run_last(cells, first, z);
        let further = u32::from(cells.bits().shape().is_hexagonal());
        let end = cells.bits().width() - 1;
        // Hexagons of the row before touch one more cell ahead, those of the row after one more behind.
        let above = (z.wrapping_sub(1), first, (last + further).min(end));
        let below = (z + 1, first.saturating_sub(further), last);
        for (beside, first, last) in [above, below] {
            if beside >= cells.bits().depth() {
                continue;
            }
            for word in first >> 6..=last >> 6 {
                let low = if word == first >> 6 { !0 << (first & 63) } else { !0 };
                let high = if word == last >> 6 { !0 >> (63 - (last & 63)) } else { !0 };
                let mut open = cells.row_word(beside, word) & low & high;
                while open != 0 {
                    let bit = open.trailing_zeros();
                    self.meet(cells, Cell { x: 64 * word + bit, z: beside }, side);
                    // On beyond the first blocked cell after it.
                    let run = (!(open >> bit)).trailing_zeros();
                    open &= u64::MAX.checked_shl(bit + run).unwrap_or(0);
                }
            }
        }
    }

    /// Whether the end of a side has nothing left to look at.
    pub(crate) fn is_closed(&self, side: usize) -> bool {
        self.ends[side].waiting().is_empty()
    }

    /// Whether a side has met the run that holds an open cell.
    pub(crate) fn has_met(&self, cells: impl Cells, Cell { x, z }: Cell, side: usize) -> bool {
        self.marks(z * self.columns.width() + run_first(cells, x, z)) >> side & 1 != 0
    }

    fn marks(&self, id: u32) -> u64 {
        self.met[id as usize >> 5] >> (2 * (id & 31)) & 3
    }

    /// Notes that a side reaches the run that holds a cell.
    fn meet(&mut self, cells: impl Cells, Cell { x, z }: Cell, side: usize) {
        let id = z * self.columns.width() + run_first(cells, x, z);
        let marks = self.marks(id);
        if marks >> (1 - side) & 1 != 0 {
            self.state = SearchStep::Found;
        } else if marks >> side & 1 == 0 {
            self.met[id as usize >> 5] |= 1 << (2 * (id & 31) + side as u32);
            self.ends[side].add(id);
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

/// The last cell of the run of open cells around one of them. Bounded by the width: bits beyond it are
/// blocked.
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
