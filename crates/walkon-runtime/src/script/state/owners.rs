//! Owners: on whose behalf code runs, with counters for each.
//!
//! In: behaviours, the level script, scenes as they begin and end. Out: a label for messages, counts, events
//! and results that came while an owner stood still. Holds: an owner that has ended is not found any more;
//! one that is paused keeps its time standing still. Not here: the end of each kind of owner (`step`).

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use mlua::{Table, Value};

use crate::base::hash::{self, StateHash};
use crate::base::ids::CharacterId;
use crate::base::time::TickNumber;
use crate::script::state::running::Interrupt;
use crate::script::state::tracked_map::TrackedMap;
use crate::script::state::waits::Delivery;
use crate::world::owner::Owner;

/// What an owner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnerKind {
    /// The level script.
    Level,
    /// The behaviour of a character.
    Behaviour(CharacterId),
    /// A running scene, by its number.
    Scene(u64),
    /// The level test.
    Test,
    /// Texts that the host has evaluated.
    Console,
}

/// One owner.
#[derive(Debug)]
pub(crate) struct OwnerRecord {
    pub(crate) kind: OwnerKind,
    /// `behaviour "guard" of "anna"`, `level script`, `cinematic "intro"`.
    pub(crate) label: Rc<str>,
    /// The hash of the label, which stays as it is.
    label_hash: u64,
    /// Where the names of handlers are looked up.
    pub(crate) names: Option<Table>,
    /// The first argument of named handlers: `self` or the scene.
    pub(crate) receiver: Option<Value>,
    /// Since when it stands still.
    paused: Option<TickNumber>,
    /// Its character is removed: it ends with this tick, and nothing of it runs until then.
    is_gone: bool,
    /// What came in while it stood still, in order.
    pub(crate) kept: VecDeque<Delivery>,
    /// Events that were dropped while it stood still, because there were too many.
    pub(crate) missed: u32,
    /// When a faulted `run` begins again.
    run_again: Option<TickNumber>,
    pub(crate) tasks: u32,
    pub(crate) timers: u32,
    pub(crate) handlers: u32,
    pub(crate) watches: u32,
}

impl OwnerRecord {
    /// Whether it stands still.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.is_some()
    }

    /// Keeps what comes in for it until it is handed out. Events are kept in bounded number: the oldest goes,
    /// and is counted.
    pub(crate) fn keep(&mut self, delivery: Delivery) {
        let is_event = |kept: &Delivery| matches!(kept, Delivery::Handler { is_event: true, .. });
        let events = || self.kept.iter().filter(|kept| is_event(kept)).count();
        if is_event(&delivery) && events() >= Owners::KEPT_EVENTS_MAX {
            let oldest = self.kept.iter().position(is_event);
            oldest.map(|oldest| self.kept.remove(oldest));
            self.missed += 1;
        }
        self.kept.push_back(delivery);
    }

    /// Whether its character is removed, or it is a scene that is about to end with one that it holds, or by
    /// a fault.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// When its faulted `run` begins again.
    pub(crate) fn run_again(&self) -> Option<TickNumber> {
        self.run_again
    }
}

/// All owners, by number.
#[derive(Debug, Default)]
pub(crate) struct Owners {
    records: TrackedMap<Owner, OwnerRecord>,
    last: u32,
    /// How often an owner began, ended, stood still, went on, or got another time for its `run`.
    changes: u64,
    /// Raised with each of these.
    interrupt: Interrupt,
    /// The level script's owner and environment.
    pub(crate) level: Option<(Owner, Table)>,
    /// The owners that removed a character in this tick.
    pub(crate) removed_by: BTreeMap<CharacterId, Owner>,
}

impl Owners {
    /// Events kept for the release of a held character; beyond that the oldest is dropped.
    pub(crate) const KEPT_EVENTS_MAX: usize = 64;

    /// No owners yet; `interrupt` is raised whenever an owner begins or ends to run.
    pub(crate) fn new(interrupt: Interrupt) -> Self {
        Self { interrupt, ..Self::default() }
    }

    /// A new owner.
    pub(crate) fn begin(&mut self, kind: OwnerKind, label: String) -> Owner {
        self.last += 1;
        let owner = Owner(self.last);
        let record = OwnerRecord {
            kind,
            label_hash: hash::of_bytes(label.as_bytes()),
            label: Rc::from(label),
            names: None,
            receiver: None,
            paused: None,
            is_gone: false,
            kept: VecDeque::new(),
            missed: 0,
            run_again: None,
            tasks: 0,
            timers: 0,
            handlers: 0,
            watches: 0,
        };
        self.note_change();
        self.records.insert(owner, record);
        owner
    }

    /// The number of the last owner.
    pub(crate) fn last(&self) -> u32 {
        self.last
    }

    /// The next owner is given the number behind this one.
    pub(crate) fn count_from(&mut self, last: u32) {
        self.last = last;
    }

    /// For how many ticks an owner has stood still; none when there is no such owner.
    pub(crate) fn stands_still(&self, owner: Owner, now: TickNumber) -> Option<u64> {
        self.get(owner).map(|record| record.paused.map_or(0, |since| now.since(since)))
    }

    /// Another number whenever an owner begins or ends to run: what was worked out of the owners before has
    /// to be worked out again.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// An owner stands still from `now` on, if it does not already; false when there is no such owner.
    pub(crate) fn pause(&mut self, owner: Owner, now: TickNumber) -> bool {
        let record = self.change(owner);
        record.map(|record| record.paused.get_or_insert(now)).is_some()
    }

    /// An owner goes on; for how many ticks it stood still, if it did.
    pub(crate) fn release(&mut self, owner: Owner, now: TickNumber) -> Option<u64> {
        let record = self.change(owner)?;
        let ticks = now.since(record.paused.take()?);
        record.run_again = record.run_again.map(|tick| tick.after(ticks));
        Some(ticks)
    }

    /// The character of an owner is removed, or it is a scene that cannot go on: nothing of it runs any more.
    pub(crate) fn mark_gone(&mut self, owner: Owner) {
        if let Some(record) = self.change(owner) {
            record.is_gone = true;
        }
    }

    /// The character of an owner is there again: the world went back to what it was.
    pub(crate) fn unmark_gone(&mut self, owner: Owner) {
        if self.get(owner).is_some_and(OwnerRecord::is_gone)
            && let Some(record) = self.change(owner)
        {
            record.is_gone = false;
        }
    }

    /// The `run` of an owner begins again at `tick`, or not at all; when it was to do so before.
    pub(crate) fn set_run_again(&mut self, owner: Owner, tick: Option<TickNumber>) -> Option<TickNumber> {
        std::mem::replace(&mut self.change(owner)?.run_again, tick)
    }

    fn change(&mut self, owner: Owner) -> Option<&mut OwnerRecord> {
        self.note_change();
        self.records.get_mut(owner)
    }

    fn note_change(&mut self) {
        self.changes += 1;
        self.interrupt.raise();
    }

    #[inline]
    pub(crate) fn get(&self, owner: Owner) -> Option<&OwnerRecord> {
        self.records.get(owner)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, owner: Owner) -> Option<&mut OwnerRecord> {
        self.records.get_mut(owner)
    }

    /// Whether nothing of an owner runs now: it stands still, or its character is removed.
    #[inline]
    pub(crate) fn is_paused(&self, owner: Owner) -> bool {
        self.get(owner).is_some_and(|record| record.paused.is_some() || record.is_gone)
    }

    /// The owner as messages name it.
    pub(crate) fn label(&self, owner: Owner) -> Rc<str> {
        self.get(owner).map_or_else(|| Rc::from("host"), |record| Rc::clone(&record.label))
    }

    /// The time of an owner: it stands still while the owner does.
    pub(crate) fn time_of(&self, owner: Owner, now: TickNumber) -> TickNumber {
        self.get(owner).and_then(|record| record.paused).unwrap_or(now)
    }

    /// The owner of the level script; the host when there is none.
    pub(crate) fn of_level(&self) -> Owner {
        self.level.as_ref().map_or(Owner::HOST, |(owner, _)| *owner)
    }

    pub(crate) fn hash_into(&mut self, hash: &mut StateHash) {
        self.records.hash_into(hash, |owner, record, hash| {
            let OwnerRecord { paused, run_again, is_gone, missed, kept, label_hash, .. } = record;
            hash.pair(owner.0, *missed).word(*label_hash).word(kept.len() as u64);
            hash.flags([paused.is_some(), run_again.is_some(), *is_gone]);
            for tick in [paused, run_again].into_iter().flatten() {
                hash.word(tick.0);
            }
            for kept in kept {
                match kept {
                    Delivery::Handler { label, is_event, .. } => hash.text(label).flag(*is_event),
                    Delivery::Resume { task, serial, .. } => hash.word(*task).word(*serial),
                };
            }
        });
    }

    /// Forgets an owner.
    pub(crate) fn remove(&mut self, owner: Owner) -> Option<OwnerRecord> {
        self.note_change();
        self.records.remove(owner)
    }

    /// All owners, in order of beginning.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Owner, &OwnerRecord)> {
        self.records.iter()
    }
}

/// Watches of a level.
pub const WATCHES_MAX: usize = 4096;

/// Timers of a level.
pub const TIMERS_MAX: usize = 65_536;

/// The things of an owner that count against a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Tasks (`limits.tasksPerOwner`).
    Tasks,
    /// Timers (`limits.timersPerOwner`).
    Timers,
    /// Listeners (`limits.handlersPerOwner`).
    Handlers,
    /// Watches (`limits.watchesPerOwner`).
    Watches,
}
