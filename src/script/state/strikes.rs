//! Faults that count against their owners.
//!
//! In: faults with their ticks. Out: what a fault means for its owner. Holds: three within ten seconds
//! suspend it.

use crate::base::time::Tick;
use std::collections::BTreeMap;

/// Faults of one owner within [`STRIKE_TICKS`] that suspend it.
pub const STRIKES_MAX: usize = 3;

/// How long a fault counts against its owner, ticks: ten seconds.
pub const STRIKE_TICKS: u64 = 600;

/// Faults of each owner within the last [`STRIKE_TICKS`] ticks. Owners are keyed by whatever the host calls
/// them.
#[derive(Clone, Debug)]
pub struct Strikes<Owner> {
    recent: BTreeMap<Owner, Vec<Tick>>,
}

/// What a fault means for its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultConsequence {
    /// It goes on; so many faults count against it now.
    GoesOn(usize),
    /// It is switched off. Its strikes are forgotten: after a reload it begins again.
    Suspended,
}

impl<Owner> Default for Strikes<Owner> {
    fn default() -> Self {
        Self { recent: BTreeMap::new() }
    }
}

impl<Owner: Ord> Strikes<Owner> {
    /// Counts one fault of `owner` at `tick`.
    pub fn count(&mut self, owner: Owner, tick: Tick) -> FaultConsequence {
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
    pub fn forget(&mut self, owner: &Owner) {
        self.recent.remove(owner);
    }

    /// The ticks of the faults that count against each owner, in owner order; part of the state hash.
    pub fn iter(&self) -> impl Iterator<Item = (&Owner, &[Tick])> {
        self.recent.iter().map(|(owner, ticks)| (owner, ticks.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_faults_within_ten_seconds_suspend() {
        let mut strikes = Strikes::default();
        assert_eq!(strikes.count("guard", Tick(100)), FaultConsequence::GoesOn(1));
        assert_eq!(strikes.count("guard", Tick(200)), FaultConsequence::GoesOn(2));
        assert_eq!(strikes.count("baker", Tick(200)), FaultConsequence::GoesOn(1));
        assert_eq!(
            strikes.count("guard", Tick(700)),
            FaultConsequence::GoesOn(2),
            "the first is 600 ticks old"
        );
        assert_eq!(strikes.count("guard", Tick(799)), FaultConsequence::Suspended);
        assert_eq!(strikes.count("guard", Tick(800)), FaultConsequence::GoesOn(1), "a reload begins again");
    }
}
