//! The game time as scripts see it.
//!
//! In: the tick and the step of the phase under way. Out: ticks for seconds.

use crate::base::time::{TickNumber, TickRate};

/// When the code under way runs.
#[derive(Debug)]
pub(crate) struct CodeClock {
    pub(crate) now: TickNumber,
    pub(crate) rate: TickRate,
    /// The step of the tick under way: 0 at the start of the level, 3, 12.
    pub(crate) step: u32,
}

impl Default for CodeClock {
    fn default() -> Self {
        Self { now: TickNumber::default(), rate: TickRate::DEFAULT, step: 0 }
    }
}

impl CodeClock {
    /// Whole ticks that last at least `seconds`, one or more.
    pub(crate) fn ticks(&self, seconds: f64) -> u64 {
        self.rate.ticks(seconds).max(1)
    }

    /// The tick so many seconds from now, one tick or more.
    pub(crate) fn after_seconds(&self, seconds: f64) -> TickNumber {
        self.now.after(self.ticks(seconds))
    }
}
