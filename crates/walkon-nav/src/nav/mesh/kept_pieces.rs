//! A cache of the pieces that parts of the ground were made into.
//!
//! In: the inputs of a part, as numbers, and a function that makes it. Out: the part. Holds: the part depends
//! on those numbers alone, so keeping it changes no answer. Not here: the meaning of the numbers
//! (`local_view`, `carve`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Numbers kept; beyond this all is made again.
const NUMBERS_MAX: usize = 1 << 20;
/// What an entry counts beside its numbers.
const ENTRY_NUMBERS: usize = 256;

/// Parts by the numbers that they were made from. A clone shares them.
#[derive(Debug)]
pub(crate) struct KeptPieces<P>(Arc<Mutex<PieceTable<P>>>);

#[derive(Debug)]
struct PieceTable<P> {
    by_source: BTreeMap<Vec<u64>, Arc<P>>,
    numbers: usize,
}

impl<P> Default for KeptPieces<P> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(PieceTable { by_source: BTreeMap::new(), numbers: 0 })))
    }
}

impl<P> Clone for KeptPieces<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P> KeptPieces<P> {
    pub(crate) fn find_or_make(&self, source: Vec<u64>, make: impl FnOnce() -> P) -> Arc<P> {
        // A piece is put in whole or not at all.
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().by_source.get(&source).cloned();
        known.unwrap_or_else(|| {
            let piece = Arc::new(make());
            let mut kept = kept();
            if kept.numbers >= NUMBERS_MAX {
                kept.by_source.clear();
                kept.numbers = 0;
            }
            kept.numbers += source.len() + ENTRY_NUMBERS;
            kept.by_source.insert(source, piece.clone());
            piece
        })
    }

    /// How many are kept.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).by_source.len()
    }
}
