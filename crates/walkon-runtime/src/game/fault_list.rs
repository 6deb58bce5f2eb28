//! The faults of a run: each once, with its count and its last tick.
//!
//! In: the events of each tick. Out: a list, oldest first. Holds: bounded; the fault that came longest ago
//! goes first; never part of the state. Not here: what a fault costs its owner (`script::state::strikes`).

use crate::game::event::{Event, ScriptFault};

/// Faults that are kept.
const KEPT_MAX: usize = 256;

/// A fault that has come once or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFault {
    /// Script file; empty when no script ran.
    pub file: String,
    /// Line in it, from 1; 0 when unknown.
    pub line: u32,
    /// What happened, with the place in front where it is known.
    pub message: String,
    /// On whose behalf the script ran.
    pub owner: String,
    /// How often it came.
    pub count: u64,
    /// The tick in which it came last.
    pub last_tick: u64,
}

impl KnownFault {
    fn is(&self, fault: &ScriptFault) -> bool {
        self.line == fault.line
            && self.file == fault.file
            && self.message == fault.message
            && self.owner == fault.owner
    }
}

/// The faults of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultList(Vec<KnownFault>);

impl FaultList {
    /// Takes the faults among the events of a tick. Cost: a look at each that is kept for each that comes.
    pub(crate) fn take(&mut self, tick: u64, events: &[Event]) {
        for event in events {
            if let Event::Faulted { fault, .. } = event {
                self.add(tick, fault);
            }
        }
    }

    fn add(&mut self, tick: u64, fault: &ScriptFault) {
        if let Some(known) = self.0.iter_mut().find(|known| known.is(fault)) {
            (known.count, known.last_tick) = (known.count + 1, tick);
            return;
        }
        if self.0.len() >= KEPT_MAX {
            let oldest = (0..self.0.len()).min_by_key(|&at| self.0[at].last_tick);
            oldest.map(|at| self.0.remove(at));
        }
        let (file, message, owner) = (fault.file.clone(), fault.message.clone(), fault.owner.clone());
        self.0.push(KnownFault { file, line: fault.line, message, owner, count: 1, last_tick: tick });
    }

    /// All of them, in the order in which they came first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &KnownFault> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::value::Plain;

    fn event(line: u32) -> Event {
        let fault = ScriptFault { line, ..ScriptFault::default() };
        Event::Faulted { fault, fields: Plain::map([]) }
    }

    #[test]
    fn a_fault_is_counted_and_what_came_longest_ago_makes_room() {
        let mut list = FaultList::default();
        list.take(1, &[event(1), event(2), event(1)]);
        list.take(5, &[event(1)]);
        let counts: Vec<_> = list.iter().map(|known| (known.line, known.count, known.last_tick)).collect();
        assert_eq!(counts, [(1, 3, 5), (2, 1, 1)]);
        let many: Vec<Event> = (3..KEPT_MAX as u32 + 2).map(event).collect();
        list.take(9, &many);
        assert_eq!(list.iter().count(), KEPT_MAX);
        assert!(list.iter().all(|known| known.line != 2), "the second came longest ago");
    }
}
