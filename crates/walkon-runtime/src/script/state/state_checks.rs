//! Schedules the checks of behaviour states.
//!
//! In: the owner whose code has run, the cost of each look. Out: the owner whose state is looked at next.
//! Holds: the cost of checks in a tick is bounded, and a check that is put off comes first in the ticks
//! after. Not here: the look itself (`step::plain_state`).

use std::collections::BTreeMap;

use crate::base::hash::StateHash;
use crate::script::state::owner_set::OwnerSet;
use crate::world::owner::Owner;

/// Entries of states that are looked at in a tick. One costs less than a tenth of a microsecond; those of a
/// hundred behaviours are looked at in every tick, those of ten thousand in turn, within two seconds.
const ENTRIES_MAX: i64 = 512;

/// The entries that are kept for states that were put off: it costs more to look at each state as its code
/// returns than to look at them in turn.
const PUT_OFF: i64 = 384;

/// Which states are looked at when.
#[derive(Debug)]
pub(crate) struct StateChecks {
    /// Entries that may still be looked at in this tick. A large state leaves a debt.
    left: i64,
    /// Behaviours whose code has run since their state was looked at.
    put_off: OwnerSet,
    /// The owner that was looked at last.
    last: Owner,
    /// The reports about states that are not plain data.
    told: BTreeMap<Owner, String>,
}

impl Default for StateChecks {
    fn default() -> Self {
        Self { left: ENTRIES_MAX, put_off: OwnerSet::default(), last: Owner::HOST, told: BTreeMap::new() }
    }
}

impl StateChecks {
    pub(crate) fn begin_tick(&mut self) {
        self.left = self.left.saturating_add(ENTRIES_MAX).min(ENTRIES_MAX);
    }

    /// Whether the state of `owner`, whose code has just run, is looked at now; else it is put off.
    pub(crate) fn may_look(&mut self, owner: Owner) -> bool {
        let may = self.looks_at_once();
        if may {
            self.put_off.remove(owner);
        } else {
            self.put_off.insert(owner);
        }
        may
    }

    /// Whether the states of those whose code runs next are looked at as it returns; else they are put off.
    pub(crate) fn looks_at_once(&self) -> bool {
        self.left > PUT_OFF
    }

    /// The code of `owner` has run; its state is looked at later.
    pub(crate) fn put_off(&mut self, owner: Owner) {
        self.put_off.insert(owner);
    }

    /// Counts the entries that a look has cost.
    pub(crate) fn spend(&mut self, entries: i64) {
        self.left -= entries;
    }

    /// The state of `owner` is plain data.
    pub(crate) fn is_plain(&mut self, owner: Owner) {
        self.told.remove(&owner);
    }

    /// What is wrong with the state of `owner`: whether that is news. Owners that `is_known` denies are
    /// forgotten.
    pub(crate) fn is_news(&mut self, owner: Owner, what: &str, is_known: impl Fn(Owner) -> bool) -> bool {
        self.told.retain(|&known, _| known == owner || is_known(known));
        self.told.insert(owner, what.to_owned()).is_none_or(|before| before != what)
    }

    /// The next behaviour that was put off, in turn, while there are entries left.
    pub(crate) fn next_put_off(&mut self) -> Option<Owner> {
        if self.left > 0 { self.next() } else { None }
    }

    /// The next behaviour that was put off, in turn.
    fn next(&mut self) -> Option<Owner> {
        let next = self.put_off.after(self.last).or_else(|| self.put_off.first())?;
        self.put_off.remove(next);
        self.last = next;
        Some(next)
    }

    /// Mixes in the reports, which decide when an owner is suspended and when a mistake is found; nothing as
    /// long as every state is looked at in time.
    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        for (owner, told) in &self.told {
            hash.word(u64::from(owner.0)).text(told);
        }
        if self.left < 0 || !self.put_off.is_empty() {
            hash.word(self.left as u64).word(u64::from(self.last.0));
            self.put_off.iter().for_each(|owner| {
                hash.word(u64::from(owner.0));
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_were_put_off_come_in_turn() {
        let mut checks = StateChecks { ..StateChecks::default() };
        [1, 2, 3].map(Owner).into_iter().for_each(|owner| checks.put_off(owner));
        let mut turns = Vec::new();
        for again in [1, 1, 2] {
            turns.extend(checks.next());
            checks.put_off.insert(Owner(again));
        }
        turns.extend(checks.next());
        assert_eq!(turns, [1, 2, 3, 1].map(Owner));
    }
}
