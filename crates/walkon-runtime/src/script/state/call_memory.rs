//! Prefetches the memory that a call of a behaviour reads first.
//!
//! In: addresses of `self`, of its state and of their entries. Out: prefetches. Holds: addresses are kept and
//! never read, so those of tables that have grown or gone since do no harm; no result depends on them. Why:
//! with ten thousand behaviours their tables are in no cache when a tick comes to them. Not here: where
//! tables lie (`step::call_memory`), when to ask.

use crate::base::prefetch::{self, LINE_BYTES};
use crate::base::time::TickNumber;

/// A look is good for so many ticks: a state grows seldom.
const LOOK_TICKS: u64 = 256;
/// Within so many ticks everybody has been looked at.
const FIRST_LOOK_TICKS: u64 = 64;

/// The entries of a table that have names, in memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TableEntries {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
}

/// A table in memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TableMemory {
    head: usize,
    entries: usize,
    /// Lines of entries that are fetched.
    lines: usize,
}

impl TableMemory {
    /// Lines of entries that are fetched, at most: eight names.
    const LINES_MAX: usize = 4;
    /// From the first field of a table that is read to the last, bytes: they may lie on two lines.
    const HEAD_BYTES: usize = 32;

    /// A table at an address.
    pub(crate) fn new(head: usize, entries: TableEntries) -> Self {
        let lines = entries.bytes.div_ceil(LINE_BYTES).min(Self::LINES_MAX);
        Self { head, entries: entries.address, lines }
    }

    #[inline]
    fn fetch(self) {
        prefetch::line(self.head);
        prefetch::line(self.head.wrapping_add(Self::HEAD_BYTES));
        for number in 0..self.lines {
            prefetch::line(self.entries.wrapping_add(number * LINE_BYTES));
        }
    }
}

/// What a call reads first, as it lay when it was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallMemory {
    pub(crate) this: TableMemory,
    pub(crate) state: TableMemory,
}

impl CallMemory {
    /// Whether nobody has looked yet.
    #[inline]
    fn is_unknown(&self) -> bool {
        self.this.head == 0
    }

    /// Whether to look at the memory of a behaviour in this tick. `number` is its own, so that few are looked
    /// at in the same tick; `known` gives what the last look found.
    #[inline]
    pub(crate) fn is_due(now: TickNumber, number: u32, known: impl FnOnce() -> Self) -> bool {
        let turn = now.0 + u64::from(number);
        turn.is_multiple_of(FIRST_LOOK_TICKS) && (turn.is_multiple_of(LOOK_TICKS) || known().is_unknown())
    }

    /// Asks for all of it.
    #[inline]
    pub(crate) fn fetch(&self) {
        if !self.is_unknown() {
            self.this.fetch();
            self.state.fetch();
        }
    }
}
