//! Counts faults against their owners.
//!
//! In: faults with their ticks. Out: what a fault means for its owner. Holds: three within 600 ticks suspend
//! it.

use std::collections::BTreeMap;

use crate::base::hash::StateHash;
use crate::base::time::TickNumber;
use crate::world::owner::Owner;

/// Faults of one owner within [`STRIKE_TICKS`] that suspend it.
pub const STRIKES_MAX: usize = 3;

/// How long a fault counts against its owner, ticks: ten seconds at 60 a second.
pub const STRIKE_TICKS: u64 = 600;

/// Faults of each owner within the last [`STRIKE_TICKS`] ticks. Owners are keyed by whatever the host calls
/// them.
#[derive(Clone, Debug)]
pub struct Strikes<Key> {
    recent: BTreeMap<Key, Vec<TickNumber>>,
}

/// What a fault means for its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultConsequence {
    /// It goes on; so many faults count against it now.
    GoesOn(usize),
    /// It is switched off. Its strikes are forgotten: after a reload it begins again.
    Suspended,
}

impl<Key> Default for Strikes<Key> {
    fn default() -> Self {
        Self { recent: BTreeMap::new() }
    }
}

impl<Key: Ord> Strikes<Key> {
    /// Counts one fault of `owner` at `tick`.
    pub fn count(&mut self, owner: Key, tick: TickNumber) -> FaultConsequence {
        let ticks = self.recent.entry(owner).or_default();
        ticks.retain(|&earlier| tick.since(earlier) < STRIKE_TICKS);
        ticks.push(tick);
        if ticks.len() < STRIKES_MAX {
            return FaultConsequence::GoesOn(ticks.len());
        }
        ticks.clear();
        FaultConsequence::Suspended
    }

    /// Forgets an owner that has ended.
    pub fn forget(&mut self, owner: &Key) {
        self.recent.remove(owner);
    }

    /// The ticks of the faults that count against each owner, in owner order; part of the state hash.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &[TickNumber])> {
        self.recent.iter().map(|(owner, ticks)| (owner, ticks.as_slice()))
    }
}

/// What was counted of faults.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) strikes: Strikes<Owner>,
    pub(crate) count: u64,
    /// Whether the watchdog has ended a call.
    pub(crate) is_disturbed: bool,
}

impl Faults {
    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        for (owner, ticks) in self.strikes.iter() {
            hash.word(u64::from(owner.0));
            ticks.iter().for_each(|tick| {
                hash.word(tick.0);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_faults_within_ten_seconds_suspend() {
        let mut strikes = Strikes::default();
        assert_eq!(strikes.count("guard", TickNumber(100)), FaultConsequence::GoesOn(1));
        assert_eq!(strikes.count("guard", TickNumber(200)), FaultConsequence::GoesOn(2));
        assert_eq!(strikes.count("baker", TickNumber(200)), FaultConsequence::GoesOn(1));
        assert_eq!(
            strikes.count("guard", TickNumber(700)),
            FaultConsequence::GoesOn(2),
            "the first is 600 ticks old"
        );
        assert_eq!(strikes.count("guard", TickNumber(799)), FaultConsequence::Suspended);
        assert_eq!(
            strikes.count("guard", TickNumber(800)),
            FaultConsequence::GoesOn(1),
            "a reload begins again"
        );
    }
}
