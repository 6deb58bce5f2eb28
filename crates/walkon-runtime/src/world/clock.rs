//! The clock of a level: the tick, the tick rate, and when steps of the crowd begin and end.
//!
//! Holds: the crowd takes a step for every thirtieth of a second, however many ticks that is. Not here: the
//! time as it has passed for one walk (`Walk::clock`).

use crate::base::time::{TickNumber, TickRate};

/// The time as it passes for every character.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// The tick under way, or the last one between ticks.
    pub(crate) tick: TickNumber,
    /// Ticks a second.
    pub(crate) rate: TickRate,
    /// Whether the steps under way are those of a skipped scene. False between ticks.
    pub(crate) is_skipping: bool,
    /// Ticks of the scene that is skipped which have passed in this one before: so far on are the steps of
    /// those in it. Zero between ticks.
    pub(crate) fast_forwarded_ticks: u64,
}

impl Clock {
    /// The tick by which the crowd's steps are counted: a tick of the skipped scene, while only its time
    /// passes.
    pub(crate) fn step_tick(&self) -> TickNumber {
        self.tick.after(self.fast_forwarded_ticks)
    }

    /// Whether a step of the crowd begins in the tick under way.
    pub(crate) fn begins_step(&self) -> bool {
        self.rate.begins_step(self.step_tick())
    }

    /// Whether a step of the crowd lands in the tick under way.
    pub(crate) fn lands_step(&self) -> bool {
        self.landing() == self.tick
    }

    /// The tick in which the crowd's step under way lands. Acts of people in it count as done then, whenever
    /// they are worked out, so that times between steps are the same at every rate.
    pub(crate) fn landing(&self) -> TickNumber {
        let now = self.step_tick();
        self.tick.after(self.rate.landing(now).since(now))
    }
}
