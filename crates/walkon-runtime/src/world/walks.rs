//! All walks, in order of creation.
//!
//! Holds: a walk is freed once it has settled and its result has been handed out. Not here: one walk
//! (`walk`), its verbs (`ops::walks`).

use std::collections::BTreeMap;
#[cfg(test)]
use std::ops::{Index, IndexMut};

use slotmap::Key;

use crate::base::ids::{GenerationalKey, WalkId};
use crate::base::time::TickNumber;
use crate::world::arena::Arena;
use crate::world::disjoint::{Loan, disjoint_mut};
use crate::world::outcome::Status;
use crate::world::owner::Owner;
use crate::world::walk::Walk;

/// How many walks ended in which way, over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkCounts {
    /// Walks asked for and accepted; the sum of the others once the level has ended.
    pub accepted: u64,
    /// Settled as arrived.
    pub arrived: u64,
    /// Settled as partial.
    pub partial: u64,
    /// Settled as blocked.
    pub blocked: u64,
    /// Settled as cancelled.
    pub cancelled: u64,
}

impl WalkCounts {
    /// Whether every walk has settled.
    fn are_all_settled(&self) -> bool {
        self.accepted == self.arrived + self.partial + self.blocked + self.cancelled
    }

    /// A walk has settled.
    pub(crate) fn add(&mut self, status: Status) {
        match status {
            Status::Arrived => self.arrived += 1,
            Status::Partial => self.partial += 1,
            Status::Blocked => self.blocked += 1,
            Status::Cancelled => self.cancelled += 1,
        }
    }
}

/// A list in order of creation of walks: `serial` gives the number of the walk of each entry. Equal ones keep
/// their order.
pub(crate) fn by_creation<T: Clone>(list: &[T], serial: impl Fn(&T) -> u64) -> Vec<T> {
    // All lists share one sort.
    let mut rows: Vec<(u64, u32)> = list.iter().map(serial).zip(0..).collect();
    rows.sort_unstable();
    rows.into_iter().map(|(_, row)| list[row as usize].clone()).collect()
}

/// Walks that have not been freed.
#[derive(Clone, Debug, Default)]
pub struct Walks {
    pub(super) slots: Arena<WalkId, Walk>,
    pub(super) order: Vec<WalkId>,
    /// Those whose result has been handed out, for step 13: the list of the walks that have `is_delivered`.
    pub(super) delivered: Vec<WalkId>,
    /// Number of the last walk.
    pub(super) created: u64,
    /// Walks asked for in this tick, by owner; for the limit.
    pub(crate) asked_in_tick: BTreeMap<Owner, u32>,
    /// Ends of walks.
    pub(crate) counts: WalkCounts,
}

impl Walks {
    /// Adds a walk; `make` gets its number. It lies where its character lies among the characters, as nearly
    /// as there is room.
    pub(crate) fn insert(&mut self, make: impl FnOnce(u64) -> Walk) -> WalkId {
        self.created += 1;
        self.counts.accepted += 1;
        let walk = make(self.created);
        let id = self.slots.insert_near(walk.character.place(), walk);
        self.order.push(id);
        id
    }

    /// A walk that has not been freed.
    #[must_use]
    #[inline]
    pub fn get(&self, id: WalkId) -> Option<&Walk> {
        self.slots.get(id)
    }

    /// A walk that has not been freed.
    #[inline]
    pub(crate) fn get_mut(&mut self, id: WalkId) -> Option<&mut Walk> {
        self.slots.get_mut(id)
    }

    /// Those walks, each to be changed apart from the others; an empty loan for one that is not there or
    /// named twice.
    pub(crate) fn disjoint_mut(&mut self, ids: impl Iterator<Item = WalkId>) -> Vec<Loan<'_, WalkId, Walk>> {
        disjoint_mut(&mut self.slots, ids)
    }

    /// Asks the processor for what every step of the crowd reads of a walk.
    #[inline]
    pub(crate) fn fetch(&self, id: WalkId) {
        self.slots.fetch(id, Walk::HOT_BYTES);
    }

    /// Asks the processor for what tells whether a walk is under way.
    #[inline]
    pub(crate) fn fetch_way(&self, id: WalkId) {
        self.slots.fetch(id, Walk::WAY_BYTES);
    }

    /// A walk that has not settled.
    pub(crate) fn open(&self, id: WalkId) -> Option<&Walk> {
        self.get(id).filter(|walk| walk.is_open())
    }

    /// The number of a walk in order of creation; of none, after all others.
    pub(crate) fn serial(&self, id: Option<WalkId>) -> u64 {
        id.and_then(|id| self.get(id)).map_or(u64::MAX, |walk| walk.serial)
    }

    /// Every id, in the order in which walks lie in memory, which is about that of their characters, and of
    /// these many are neighbours on the map, too. In order of creation walks are soon strewn all over both.
    pub(crate) fn ids_by_place(&self) -> Vec<WalkId> {
        let mut ids = vec![WalkId::null(); self.slots.place_count()];
        for &id in &self.order {
            ids[id.place()] = id;
        }
        ids.retain(|id| !id.is_null());
        ids
    }

    /// Those that have not settled, in order of creation.
    pub(crate) fn open_ids(&self) -> Vec<WalkId> {
        // At the end of a level each of ten thousand owners asks once more.
        if self.counts.are_all_settled() {
            return Vec::new();
        }
        self.order.iter().copied().filter(|&id| self.open(id).is_some()).collect()
    }

    /// Every id, in order of creation.
    pub(crate) fn ids(&self) -> impl Iterator<Item = WalkId> {
        self.order.iter().copied()
    }

    /// Every walk; in no order that means anything.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Walk> {
        self.slots.values()
    }

    /// Every walk, to be changed; in no order that means anything.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Walk> {
        self.slots.values_mut()
    }

    /// From here on only these are looked at, in this order; those that were looked at before.
    pub(crate) fn look_at_only(&mut self, ids: Vec<WalkId>) -> Vec<WalkId> {
        std::mem::replace(&mut self.order, ids)
    }

    /// The walks asked for since the last tick began, in order of creation: what is plain from the start does
    /// not wait for a step.
    pub(crate) fn fresh(&self, now: TickNumber) -> Vec<WalkId> {
        let is_old = |&id: &WalkId| self.get(id).is_some_and(|walk| walk.issued.after(1) < walk.clock(now));
        let first = self.order.iter().rposition(is_old).map_or(0, |old| old + 1);
        self.order[first..].to_vec()
    }

    /// The result of a walk has been handed out.
    pub(crate) fn deliver(&mut self, id: WalkId) {
        if let Some(walk) = self.slots.get_mut(id).filter(|walk| !walk.is_delivered) {
            walk.is_delivered = true;
            self.delivered.push(id);
        }
    }

    /// Frees the walks that have settled and whose result has been handed out; in order of creation. Cost: a
    /// look at the ids of the others, at none of the others themselves.
    pub(crate) fn cull(&mut self) -> Vec<WalkId> {
        let is_open = |id: WalkId| self.open(id).is_some();
        let (open, mut over): (Vec<_>, Vec<_>) = self.delivered.iter().copied().partition(|&id| is_open(id));
        self.delivered = open;
        if over.is_empty() {
            return over;
        }
        over.sort_unstable_by_key(|&id| self.get(id).map(|walk| walk.serial));
        for &id in &over {
            self.slots.remove(id);
        }
        // Both are in order of creation.
        let mut freed = over.iter().peekable();
        self.order.retain(|id| freed.next_if_eq(&id).is_none());
        over
    }
}

#[cfg(test)]
impl Index<WalkId> for Walks {
    type Output = Walk;

    fn index(&self, id: WalkId) -> &Walk {
        &self.slots[id]
    }
}

#[cfg(test)]
impl IndexMut<WalkId> for Walks {
    fn index_mut(&mut self, id: WalkId) -> &mut Walk {
        &mut self.slots[id]
    }
}
