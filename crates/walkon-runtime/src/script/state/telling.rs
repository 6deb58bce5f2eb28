//! News on its way to several listeners, when the fuel of a tick does not suffice for all of them.
//!
//! In: listeners, tasks that wait for the same, what they are told. Out: the next of them; what outlives the
//! code of one. Holds: each is told once, in order, before anything that happened later. Not here: calling
//! them (`step::handlers`).

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
    /// How many of both were told.
    told: usize,
}

/// Somebody who is told.
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
        Self { label, payload, listeners, waiters, told: 0 }
    }

    /// Whether nobody is left.
    pub(crate) fn is_over(&self) -> bool {
        self.told >= self.listeners.len() + self.waiters.len()
    }

    /// The next who is told.
    pub(crate) fn take_next(&mut self) -> Option<Hearer> {
        let at = self.told;
        self.told += 1;
        let task = || self.waiters.get(at - self.listeners.len()).copied().map(Hearer::Task);
        self.listeners.get(at).cloned().map(Hearer::Listener).or_else(task)
    }

    fn listeners_left(&self) -> &[Listener] {
        self.listeners.get(self.told..).unwrap_or_default()
    }

    /// What its listeners of `owner` that were not told yet would have been told, as far as it may outlive
    /// their code.
    pub(crate) fn deliveries(&self, owner: Owner) -> impl Iterator<Item = Delivery> {
        let own = self.listeners_left().iter().filter(move |listener| listener.owner == owner);
        own.map(|listener| Delivery::Handler {
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
        if self.listeners_left().iter().any(|listener| listener.owner == owner) {
            let left = self.listeners_left().iter().filter(|listener| listener.owner != owner);
            let listeners = Rc::new(left.cloned().collect::<Vec<_>>());
            (self.listeners, self.told) = (listeners, 0);
        }
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.text(&self.label);
        for listener in self.listeners_left() {
            hash.word(listener.serial);
        }
        let waiters_told = self.told.saturating_sub(self.listeners.len());
        for waiter in self.waiters.iter().skip(waiters_told) {
            hash.word(waiter.task).word(waiter.serial);
        }
    }
}
