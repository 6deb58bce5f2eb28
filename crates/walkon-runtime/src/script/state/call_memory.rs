//! Where the memory lies that a call of a behaviour reads first, so that the processor fetches it before.
//!
//! In: addresses of `self`, of its state and of their entries. Out: requests for memory. Holds: addresses are
//! kept and never read, so those of tables that have grown or gone since do no harm; no result depends on
//! them. Why: with ten thousand behaviours their tables are in no cache when a tick comes to them. Not here:
//! where tables lie (`vm::fuel`), when to ask.

use crate::base::prefetch;

/// A part of memory; empty if it is not known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MemorySpan {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
}

/// What a call reads first, as it lay when somebody looked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallMemory(pub(crate) [MemorySpan; 4]);

impl CallMemory {
    /// Whether nobody has looked yet.
    pub(crate) fn is_unknown(&self) -> bool {
        self.0[0].bytes == 0
    }

    /// Asks for all of it.
    #[inline]
    pub(crate) fn fetch(&self) {
        self.0
            .iter()
            .filter(|span| span.bytes > 0)
            .for_each(|span| prefetch::bytes(span.address, span.bytes));
    }
}
