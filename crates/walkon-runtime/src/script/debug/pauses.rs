//! Pause requests of debugger clients to a running level.
//!
//! In: requests of the client's thread, progress of the level's thread. Out: whether the level is to pause.
//! Holds: a pause stops the level once, whenever its answer is sent. Not here: the client, the answer to it.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many pauses were asked for; of those, how many were answered, and for how many the level stood still.
#[derive(Debug, Default)]
pub struct Pauses {
    asked: AtomicU64,
    answered: AtomicU64,
    taken: AtomicU64,
}

impl Pauses {
    /// A client asks for one.
    pub fn ask(&self) {
        self.asked.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether one was asked for that has not stopped the level yet.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.asked() > self.taken.load(Ordering::Acquire)
    }

    /// How many were asked for so far.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::Acquire)
    }

    /// One is answered.
    pub fn answer(&self) {
        self.answered.fetch_add(1, Ordering::AcqRel);
    }

    /// How many were answered so far.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.answered.load(Ordering::Acquire)
    }

    /// The level stands still for the first `count` of them.
    pub fn take(&self, count: u64) {
        self.taken.fetch_max(count, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_stops_the_level_once() {
        let pauses = Pauses::default();
        assert!(!pauses.is_asked());
        pauses.ask();
        pauses.ask();
        assert!(pauses.is_asked());
        pauses.answer();
        pauses.take(pauses.answered());
        assert!(pauses.is_asked(), "the second is still to come");
        pauses.take(pauses.asked());
        assert!(!pauses.is_asked());
        // Answered after the level stood still for it: nothing stops again.
        pauses.answer();
        pauses.take(pauses.answered());
        assert!(!pauses.is_asked());
    }
}
