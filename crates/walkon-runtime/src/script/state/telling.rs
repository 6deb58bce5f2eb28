//! Deliveries to several listeners that continue when a tick's fuel does not suffice for all of them.
//!
//! In: listeners, tasks that wait for the same, the news. Out: the next of them; the deliveries that outlive
//! one's code. Holds: each gets the news once, in order, before anything that happened later. Not here:
//! calling them (`step::handlers`).

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mlua::Value;

use crate::base::hash::StateHash;
use crate::script::state::code_name::CodeName;
use crate::script::state::handlers::Listener;
use crate::script::state::waits::{Answering, Delivery};
use crate::world::owner::Owner;

/// News that listeners are told, then tasks that wait for it.
#[derive(Clone, Debug)]
pub(crate) struct Telling {
    /// What the calls are called.
    pub(crate) label: CodeName,
    pub(crate) payload: Value,
    listeners: Rc<Vec<Listener>>,
    waiters: Vec<Answering>,
    /// How many of both had their turn.
    told: usize,
    /// Owners whose code was replaced since: their listeners hear nothing.
    forgotten: BTreeSet<Owner>,
    /// Where the listeners of each owner are, once that was asked: a reload asks for each owner in turn.
    places: OnceCell<BTreeMap<Owner, Vec<usize>>>,
}

/// A listener or a task that is told.
#[derive(Clone, Debug)]
pub(crate) enum Hearer {
    Listener(Listener),
    Task(Answering),
}

impl Telling {
    pub(crate) fn new(
        label: CodeName,
        payload: Value,
        listeners: Rc<Vec<Listener>>,
        waiters: Vec<Answering>,
    ) -> Self {
        let (forgotten, places) = (BTreeSet::new(), OnceCell::new());
        Self { label, payload, listeners, waiters, told: 0, forgotten, places }
    }

    /// Whether all were told.
    pub(crate) fn is_over(&self) -> bool {
        let waiters_told = self.told.saturating_sub(self.listeners.len());
        waiters_told >= self.waiters.len() && self.listeners_left().next().is_none()
    }

    /// The next to be told.
    pub(crate) fn take_next(&mut self) -> Option<Hearer> {
        let at = self.listeners_left().next().map_or(self.told.max(self.listeners.len()), |(at, _)| at);
        self.told = at + 1;
        let task = || self.waiters.get(at - self.listeners.len()).copied().map(Hearer::Task);
        self.listeners.get(at).cloned().map(Hearer::Listener).or_else(task)
    }

    /// The listeners that are still told, each with its place.
    fn listeners_left(&self) -> impl Iterator<Item = (usize, &Listener)> {
        let left = self.listeners.iter().enumerate().skip(self.told);
        left.filter(|(_, listener)| !self.forgotten.contains(&listener.owner))
    }

    fn places_of(&self, owner: Owner) -> &[usize] {
        let all = self.places.get_or_init(|| {
            let mut places: BTreeMap<Owner, Vec<usize>> = BTreeMap::new();
            for (at, listener) in self.listeners_left() {
                places.entry(listener.owner).or_default().push(at);
            }
            places
        });
        all.get(&owner).map_or(&[], Vec::as_slice)
    }

    /// What its listeners of `owner` that were not told yet would have been told, as far as it may outlive
    /// their code.
    pub(crate) fn deliveries(&self, owner: Owner) -> impl Iterator<Item = Delivery> {
        let is_left = !self.forgotten.contains(&owner);
        let own = self.places_of(owner).iter().filter(move |at| is_left && **at >= self.told);
        own.filter_map(|at| self.listeners.get(*at))
            .map(|listener| Delivery::Handler {
                callback: listener.callback.clone(),
                payload: self.payload.clone(),
                label: self.label.clone(),
                is_event: true,
                with_receiver: listener.behaviour_of.is_some(),
            })
            .filter(Delivery::outlives_code)
    }

    /// The code of an owner is replaced: its listeners hear nothing.
    pub(crate) fn forget(&mut self, owner: Owner) {
        if !self.places_of(owner).is_empty() {
            self.forgotten.insert(owner);
        }
    }

    /// Leaves out the payload, as owners do of what they keep: it is a value of the VM, which only the VM can
    /// read, and was made of what was hashed when it was emitted.
    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.text(&self.label);
        for (_, listener) in self.listeners_left() {
            hash.word(listener.serial);
        }
        let waiters_told = self.told.saturating_sub(self.listeners.len());
        for waiter in self.waiters.iter().skip(waiters_told) {
            hash.word(waiter.task).word(waiter.serial);
        }
    }
}
