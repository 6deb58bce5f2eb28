//! Watches over predicates, and the jobs of step 3.
//!
//! In: predicates with their intervals, under their owners. Out: which are due; jobs that wait. Not here: the
//! tests (`step::schedule`).

use std::collections::{BTreeMap, BTreeSet};

use mlua::Function;

use crate::base::hash::StateHash;
use crate::base::time::TickNumber;
use crate::script::state::callback::{Callback, WhenOrder};
use crate::world::owner::Owner;

/// One thing for step 3 to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Job {
    /// A timer that is due.
    Timer(u64),
    /// `onTick` of the level script.
    LevelTick,
    /// `update` of a behaviour.
    Update(Owner),
    /// `update` of many behaviours, by their places among those that are due; never left for the next tick.
    Updates {
        /// The first.
        from: u32,
        /// The one after the last.
        to: u32,
    },
    /// The tree of a behaviour.
    Tree(Owner),
    /// A predicate of `region.when`.
    Predicate(u32),
    /// A faulted `run` that begins again.
    RunAgain(Owner),
    /// A task whose time has come, or that tests a predicate.
    Wake(u64),
    /// A task that was started in a tick whose fuel did not suffice for it.
    Begin(u64),
}

impl Job {
    pub(crate) fn hash_into(self, hash: &mut StateHash) {
        let (kind, number) = match self {
            Self::Timer(id) => (1, id),
            Self::LevelTick => (2, 0),
            Self::Update(owner) => (3, u64::from(owner.0)),
            Self::Predicate(id) => (4, u64::from(id)),
            Self::RunAgain(owner) => (5, u64::from(owner.0)),
            Self::Wake(task) => (6, task),
            Self::Tree(owner) => (7, u64::from(owner.0)),
            Self::Updates { from, to } => (8, u64::from(from) << 32 | u64::from(to)),
            Self::Begin(task) => (9, task),
        };
        hash.word(kind).word(number);
    }
}

/// A watch over a predicate.
#[derive(Debug)]
pub(crate) struct Predicate {
    pub(crate) owner: Owner,
    function: Function,
    on_true: Option<Callback>,
    on_false: Option<Callback>,
    every_ticks: u64,
    next: TickNumber,
    value: bool,
    enabled: bool,
}

impl Predicate {
    /// What is asked.
    pub(crate) fn function(&self) -> &Function {
        &self.function
    }
}

/// All watches over predicates.
#[derive(Debug, Default)]
pub(crate) struct Predicates {
    predicates: BTreeMap<u32, Predicate>,
    /// Those of each owner that has any: the ids above, once more.
    by_owner: BTreeMap<Owner, BTreeSet<u32>>,
    last: u32,
}

impl Predicates {
    fn of(&self, owner: Owner) -> impl Iterator<Item = u32> {
        self.by_owner.get(&owner).into_iter().flatten().copied()
    }

    /// The predicates of an owner that are due, by id.
    pub(crate) fn due(&self, owner: Owner, now: TickNumber) -> impl Iterator<Item = u32> {
        let is_due = move |predicate: &Predicate| predicate.enabled && predicate.next <= now;
        self.of(owner).filter(move |id| self.predicates.get(id).is_some_and(is_due))
    }

    pub(crate) fn get(&self, id: u32) -> Option<&Predicate> {
        self.predicates.get(&id)
    }

    /// A predicate is asked now, and next when its interval is over; the function to ask.
    pub(crate) fn ask(&mut self, id: u32, now: TickNumber) -> Option<Function> {
        let predicate = self.predicates.get_mut(&id)?;
        predicate.next = now.after(predicate.every_ticks);
        Some(predicate.function.clone())
    }

    /// Keeps the answer of a predicate; returns whether it has changed.
    pub(crate) fn answer(&mut self, id: u32, value: bool) -> bool {
        let predicate = self.predicates.get_mut(&id);
        predicate.is_some_and(|predicate| std::mem::replace(&mut predicate.value, value) != value)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.predicates.len()
    }

    /// Owners that have any, in order of beginning.
    pub(crate) fn owners(&self) -> impl Iterator<Item = Owner> {
        self.by_owner.keys().copied()
    }

    /// The enabled predicates of an owner, by id.
    pub(crate) fn of_owner(&self, owner: Owner) -> Vec<u32> {
        let is_enabled = |id: &u32| self.predicates.get(id).is_some_and(|predicate| predicate.enabled);
        self.of(owner).filter(is_enabled).collect()
    }

    /// When the enabled predicates of an owner are asked next, and how many ticks lie between two questions
    /// of each.
    pub(crate) fn questions(&self, owner: Owner) -> impl Iterator<Item = (TickNumber, u64)> {
        let enabled = self.of(owner).filter_map(|id| self.predicates.get(&id).filter(|one| one.enabled));
        enabled.map(|predicate| (predicate.next, predicate.every_ticks))
    }

    /// The time of an owner's predicates comes nearer by `ticks`. Questions that would have come meanwhile
    /// are passed over.
    pub(crate) fn rewind(&mut self, owner: Owner, ticks: u64, now: TickNumber) {
        for id in self.by_owner.get(&owner).into_iter().flatten() {
            let Some(predicate) = self.predicates.get_mut(id) else { continue };
            let left = predicate.next.since(now);
            let late = ticks.saturating_sub(left) % predicate.every_ticks;
            let until_next =
                if late == 0 { left.saturating_sub(ticks) } else { predicate.every_ticks - late };
            predicate.next = now.after(until_next);
        }
    }

    pub(crate) fn add(&mut self, owner: Owner, now: TickNumber, order: WhenOrder) -> u32 {
        self.last += 1;
        let predicate = Predicate {
            owner,
            function: order.predicate,
            on_true: order.on_true,
            on_false: order.on_false,
            every_ticks: order.every_ticks.max(1),
            next: now.after(1),
            value: false,
            enabled: true,
        };
        self.predicates.insert(self.last, predicate);
        self.by_owner.entry(owner).or_default().insert(self.last);
        self.last
    }

    /// Ends a watch; its owner, if there was such a watch.
    pub(crate) fn remove(&mut self, id: u32) -> Option<Owner> {
        let owner = self.predicates.remove(&id)?.owner;
        if let Some(ids) = self.by_owner.get_mut(&owner) {
            ids.remove(&id);
            if ids.is_empty() {
                self.by_owner.remove(&owner);
            }
        }
        Some(owner)
    }

    pub(crate) fn enable(&mut self, id: u32) {
        self.predicates.get_mut(&id).into_iter().for_each(|predicate| predicate.enabled = true);
    }

    pub(crate) fn disable(&mut self, id: u32) {
        self.predicates.get_mut(&id).into_iter().for_each(|predicate| predicate.enabled = false);
    }

    pub(crate) fn end_owner(&mut self, owner: Owner) {
        for id in self.by_owner.remove(&owner).into_iter().flatten() {
            self.predicates.remove(&id);
        }
    }

    /// Owner and handler for an answer that changed.
    pub(crate) fn handler(&self, id: u32, value: bool) -> Option<(Owner, Callback)> {
        let predicate = self.predicates.get(&id)?;
        let callback = if value { predicate.on_true.clone() } else { predicate.on_false.clone() };
        Some((predicate.owner, callback?))
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.word(u64::from(self.last));
        for (&id, predicate) in &self.predicates {
            hash.word(u64::from(id)).word(u64::from(predicate.owner.0)).word(predicate.next.0);
            hash.word(predicate.every_ticks).flag(predicate.value).flag(predicate.enabled);
        }
    }
}
