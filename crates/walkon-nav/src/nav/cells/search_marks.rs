//! The record of a tile search for each cell: one 64-bit word with its cost and its last step.
//!
//! In: cells, the cost of the way there, its last step. Out: the same. Holds: words of earlier searches do
//! not count, so no search has to clear them. Not here: the search (`tile_astar`).

use crate::nav::cells::Bits;

/// What a search knows of each cell, in one word: from the top how many searches there can be after the one
/// that it belongs to (24 bits), the cost of the way there (32), whether it waits to be expanded (1), and the
/// direction of the last step (3). So of two words the smaller is the better, and those of earlier searches
/// are worse than all.
///
/// The words of the map lie behind as many that belong to no cell as there are to the row above it, and
/// before as many.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchMarks {
    words: Vec<u64>,
    season: u64,
    margin: u32,
}

/// Searches until all words are cleared.
pub(crate) const SEASONS: u32 = 1 << 24;

const SEASON_SHIFT: u32 = 40;

const COST_SHIFT: u32 = 8;

const WAITING: u64 = 1 << 7;

const ARRIVAL: u64 = 7;

impl SearchMarks {
    /// Makes ready for a search over some cells, a later one than all before.
    pub(crate) fn begin(&mut self, bits: &Bits, generation: u32) {
        self.margin = bits.width() + 1;
        self.season = u64::from(SEASONS - 1 - generation) << SEASON_SHIFT;
        self.make_room(bits.width(), bits.depth());
    }

    /// Sets memory aside for a map of so many cells.
    pub(crate) fn make_room(&mut self, width: u32, depth: u32) {
        let count = width as usize * depth as usize + 2 * (width as usize + 1);
        if self.words.len() < count {
            self.words.resize(count, u64::MAX);
        }
    }

    /// Forgets all searches.
    pub(crate) fn clear(&mut self) {
        self.words.fill(u64::MAX);
    }

    /// How many words there are.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    #[inline(always)]
    fn at(&self, id: u32) -> usize {
        id.wrapping_add(self.margin) as usize
    }

    /// Whether a way to a cell, or to one beyond the map, would be cheaper than what is known.
    #[inline(always)]
    pub(crate) fn improves(&self, id: u32, cost: u32) -> bool {
        (self.season >> COST_SHIFT | u64::from(cost)) < self.words[self.at(id)] >> COST_SHIFT
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, id: u32, cost: u32, direction: usize) {
        let at = self.at(id);
        self.words[at] = self.season | u64::from(cost) << COST_SHIFT | WAITING | direction as u64;
    }

    /// The cost of the way to a cell that waits, which it does no longer.
    #[inline(always)]
    pub(crate) fn claim(&mut self, id: u32) -> Option<u32> {
        let at = self.at(id);
        let word = self.words[at];
        self.words[at] = word & !WAITING;
        (word & WAITING != 0).then_some((word >> COST_SHIFT) as u32)
    }

    /// The cost of the way to a cell; None when there is none.
    pub(crate) fn cost(&self, id: u32) -> Option<u32> {
        let word = *self.words.get(self.at(id))?;
        (word >> SEASON_SHIFT == self.season >> SEASON_SHIFT).then_some((word >> COST_SHIFT) as u32)
    }

    /// The direction of the last step to a cell.
    pub(crate) fn arrival(&self, id: u32) -> usize {
        (self.words[self.at(id)] & ARRIVAL) as usize
    }
}
