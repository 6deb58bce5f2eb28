//! Handlers: which function or name is to be called when something happens, and for whom.
//!
//! In: handlers as scripts give them. Out: the same, taken from the table before anything is called, so
//! nothing is called twice. Holds: a handler runs as a task of its owner, and not at all when its owner has
//! ended; a handler given by name is looked up in its owner when it is registered, and again when it is
//! called. Not here: the order of calls (`dispatch`).

use std::collections::{BTreeMap, BTreeSet};

use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::base::hash::StateHash;
use crate::base::ids::{CharacterId, DoorId, PathToken, WalkId};
use crate::base::time::Tick;
use crate::script::state::callback::{Callback, WalkHandlers, WatchHandlers};
use crate::script::step::owner::{self, Owners};
use crate::script::step::progress_handlers::UnderwayHandlers;
use crate::script::step::runtime::{self, CodeName};
use crate::script::step::task::{self, Delivery, NewTask, TaskRole};
use crate::script::vm::ScriptVm;
use crate::script::vm::convert::{Argument, Mistake};
use crate::world::door::DoorSignal;
use crate::world::region::WatchId;
use crate::world::walk::Owner;

/// A watch with its handlers.
#[derive(Clone, Debug)]
pub(crate) struct WatchRecord {
    pub(crate) owner: Owner,
    pub(crate) handlers: WatchHandlers,
    /// Those who came in and counted: how, and when `stay` is due next.
    pub(crate) inside: BTreeMap<CharacterId, (&'static str, Tick)>,
}

/// Somebody who listens to an event, or to a door.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    pub(crate) serial: u64,
    pub(crate) owner: Owner,
    pub(crate) callback: Callback,
    pub(crate) once: bool,
    /// `on[name]` of this character's behaviour: hears events sent to it, and is called with `self`.
    pub(crate) behaviour_of: Option<CharacterId>,
}

/// What of those who want the result of a walk a reload has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lost {
    /// Nothing.
    #[default]
    Nothing,
    /// A task that waited for it.
    Waiter,
    /// Handlers that were functions.
    Functions,
}

/// Who is told of the end of a walk.
#[derive(Clone, Debug)]
pub(crate) struct WalkRecord {
    pub(crate) owner: Owner,
    pub(crate) handlers: WalkHandlers,
    pub(crate) lost: Lost,
}

/// All handlers.
#[derive(Debug, Default)]
pub(crate) struct Handlers {
    walks: BTreeMap<WalkId, WalkRecord>,
    paths: BTreeMap<PathToken, (Owner, Option<Callback>)>,
    pub(crate) watches: BTreeMap<WatchId, WatchRecord>,
    doors: BTreeMap<(DoorId, &'static str), Vec<Listener>>,
    events: BTreeMap<String, Vec<Listener>>,
    pub(crate) underway: UnderwayHandlers,
    /// Those who watch a key of a board, by its number.
    boards: BTreeMap<(u64, String), Vec<Listener>>,
    last: u64,
}

impl Handlers {
    pub(crate) fn take_walk(&mut self, walk: WalkId) -> Option<WalkRecord> {
        self.underway.forget(walk);
        self.walks.remove(&walk)
    }

    pub(crate) fn take_path(&mut self, token: PathToken) -> Option<(Owner, Option<Callback>)> {
        self.paths.remove(&token)
    }

    pub(crate) fn forget_path(&mut self, token: PathToken) {
        self.paths.remove(&token);
    }

    pub(crate) fn door(&self, door: DoorId, what: DoorSignal) -> Vec<Listener> {
        self.doors.get(&(door, what.name())).cloned().unwrap_or_default()
    }

    /// Those who listen to the event `name`, in order of registration.
    pub(crate) fn event(&self, name: &str) -> Vec<Listener> {
        self.events.get(name).cloned().unwrap_or_default()
    }

    /// Those who watch a key of a board, in order of registration.
    pub(crate) fn board(&self, board: u64, key: &str) -> Vec<Listener> {
        // Most boards are watched by nobody, and then no key has to be made.
        if self.boards.is_empty() {
            return Vec::new();
        }
        self.boards.get(&(board, key.to_owned())).cloned().unwrap_or_default()
    }

    /// Nobody watches a board any more.
    pub(crate) fn forget_board(&mut self, board: u64) {
        self.boards.retain(|(number, _), _| *number != board);
    }

    /// The number of the last listener there was.
    pub(crate) fn last_listener(&self) -> u64 {
        self.last
    }

    pub(crate) fn hears(&self, name: &str) -> bool {
        self.events.contains_key(name)
    }

    /// Walks, and tokens of paths, whose handlers belong to an owner that ends. Walk handlers stay: they are
    /// reported undelivered when their walk settles.
    pub(crate) fn end_owner(&mut self, owner: Owner) {
        self.paths.retain(|_, (other, _)| *other != owner);
        self.watches.retain(|_, record| record.owner != owner);
        self.underway.end_owner(owner);
        for list in self.doors.values_mut().chain(self.events.values_mut()).chain(self.boards.values_mut()) {
            list.retain(|listener| listener.owner != owner);
        }
        self.doors.retain(|_, list| !list.is_empty());
        self.events.retain(|_, list| !list.is_empty());
        self.boards.retain(|_, list| !list.is_empty());
    }

    /// The code of an owner was replaced: what it registered ends as in [`Handlers::end_owner`], and of the
    /// handlers of its walks those stay that are names.
    pub(crate) fn reload_owner(&mut self, owner: Owner) {
        let underway = std::mem::take(&mut self.underway);
        self.end_owner(owner);
        self.underway = underway;
        self.underway.reload_owner(owner);
        for record in self.walks.values_mut().filter(|record| record.owner == owner) {
            if record.handlers.drop_functions() {
                record.lost = Lost::Functions;
            }
        }
    }

    /// Names of handlers of an owner's walks, with the number of the walk's record.
    pub(crate) fn names_of(&self, owner: Owner) -> BTreeSet<String> {
        let own = self.walks.values().filter(|record| record.owner == owner);
        let ends = own.flat_map(|record| record.handlers.names());
        ends.chain(self.underway.names_of(owner)).collect()
    }

    fn add(&mut self, owner: Owner, callback: Callback) -> Listener {
        self.last += 1;
        Listener { serial: self.last, owner, callback, once: false, behaviour_of: None }
    }

    /// Ends a listener; its owner, if there was such a listener.
    fn remove(&mut self, serial: u64) -> Option<Owner> {
        let mut found = None;
        for list in self.doors.values_mut().chain(self.events.values_mut()).chain(self.boards.values_mut()) {
            list.retain(|listener| {
                let is_it = listener.serial == serial;
                if is_it {
                    found = Some(listener.owner);
                }
                !is_it
            });
            if found.is_some() {
                break;
            }
        }
        self.events.retain(|_, list| !list.is_empty());
        self.boards.retain(|_, list| !list.is_empty());
        self.doors.retain(|_, list| !list.is_empty());
        found
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.last).word(self.walks.len() as u64);
        for (walk, WalkRecord { owner, handlers, lost }) in &self.walks {
            hash.word(slotmap::Key::data(walk).as_ffi()).word(u64::from(owner.0));
            if *lost != Lost::Nothing {
                hash.word(*lost as u64);
            }
            for callback in [&handlers.arrived, &handlers.failed, &handlers.cancelled, &handlers.settled] {
                hash_callback(hash, callback.as_ref());
            }
        }
        for (token, (owner, callback)) in &self.paths {
            hash.word(slotmap::Key::data(token).as_ffi()).word(u64::from(owner.0));
            hash_callback(hash, callback.as_ref());
        }
        for (watch, record) in &self.watches {
            hash.word(slotmap::Key::data(watch).as_ffi()).word(u64::from(record.owner.0));
            for (character, (how, due)) in &record.inside {
                hash.word(slotmap::Key::data(character).as_ffi()).text(how).word(due.0);
            }
        }
        self.underway.hash_into(hash);
        let doors = self.doors.iter().map(|((door, what), list)| (format!("{} {what}", door.0), list));
        let events = self.events.iter().map(|(name, list)| (name.clone(), list));
        let boards = self.boards.iter().map(|((board, key), list)| (format!("{board} {key}"), list));
        for (name, list) in doors.chain(events).chain(boards) {
            hash.text(&name);
            for listener in list {
                hash.word(listener.serial).word(u64::from(listener.owner.0)).flag(listener.once);
            }
        }
    }
}

pub(crate) fn hash_callback(hash: &mut StateHash, callback: Option<&Callback>) {
    match callback {
        None => hash.word(0),
        Some(Callback::Function(_)) => hash.word(1),
        Some(Callback::Named(name)) => hash.word(2).text(name),
    };
}

/// A handler as a script gives it: a function, or the name of a handler of the running owner.
///
/// # Errors
/// For anything else, and for a name that the owner does not have.
pub fn read(lua: &Lua, given: &Argument) -> Result<Callback, Mistake> {
    if let Some(function) = given.value().as_function() {
        return Ok(Callback::Function(function.clone()));
    }
    let name = given.text("a function or the name of a handler")?;
    let owner = owner::current(lua);
    let names = runtime::with(lua, |runtime| names_of(&runtime.owners, owner));
    let found = names.as_ref().and_then(|names| names.raw_get::<Value>(name.as_str()).ok());
    if found.is_some_and(|value| value.is_function()) {
        return Ok(Callback::Named(name));
    }
    let known = names.map(|names| function_names(&names)).unwrap_or_default();
    Err(Mistake::unknown(given.function(), "handler", &name, known.iter().map(String::as_str)))
}

/// The same for a handler that may be left out.
///
/// # Errors
/// As [`read`].
pub fn read_option(lua: &Lua, given: Option<Argument>) -> Result<Option<Callback>, Mistake> {
    given.map(|given| read(lua, &given)).transpose()
}

fn names_of(owners: &Owners, owner: Owner) -> Option<Table> {
    owners.get(owner).and_then(|record| record.names.clone())
}

fn function_names(table: &Table) -> BTreeSet<String> {
    let pairs = table.pairs::<Value, Value>().filter_map(Result::ok);
    pairs
        .filter(|(_, value)| value.is_function())
        .filter_map(|(key, _)| key.as_string().map(|key| key.to_string_lossy()))
        .collect()
}

/// Keeps the handlers of a walk for the running owner, until it settles.
pub fn set_walk(lua: &Lua, walk: WalkId, handlers: WalkHandlers) {
    let owner = owner::current(lua);
    let underway = handlers.underway.clone();
    runtime::with(lua, |runtime| runtime.handlers.underway.set(walk, owner, underway));
    let WalkHandlers { arrived, failed, cancelled, settled, .. } = &handlers;
    if [arrived, failed, cancelled, settled].iter().all(|handler| handler.is_none()) {
        return;
    }
    let record = WalkRecord { owner, handlers, lost: Lost::Nothing };
    runtime::with(lua, |runtime| runtime.handlers.walks.insert(walk, record));
}

/// A task that waited for a walk ended with the code it ran; the result goes to the code that comes.
pub(crate) fn note_reload(lua: &Lua, owner: Owner, walk: WalkId) {
    runtime::with(lua, |runtime| {
        let empty = WalkRecord { owner, handlers: WalkHandlers::default(), lost: Lost::Waiter };
        let record = runtime.handlers.walks.entry(walk).or_insert(empty);
        record.lost = record.lost.max(Lost::Waiter);
    });
}

/// Keeps the handler of a requested path for the running owner, until it is answered.
pub fn set_path(lua: &Lua, token: PathToken, callback: Option<Callback>) {
    let owner = owner::current(lua);
    runtime::with(lua, |runtime| runtime.handlers.paths.insert(token, (owner, callback)));
}

/// Keeps the handlers of a watch for the running owner, until it is removed; counts it against the owner's
/// limit.
pub fn set_watch(lua: &Lua, watch: WatchId, handlers: WatchHandlers) {
    let owner = owner::current(lua);
    runtime::with(lua, |runtime| {
        if let Some(record) = runtime.owners.get_mut(owner) {
            record.watches += 1;
        }
        let record = WatchRecord { owner, handlers, inside: BTreeMap::new() };
        runtime.handlers.watches.insert(watch, record);
    });
}

/// Forgets a watch that was removed.
pub fn forget_watch(lua: &Lua, watch: WatchId) {
    runtime::with(lua, |runtime| {
        let record = runtime.handlers.watches.remove(&watch)?;
        let owner = runtime.owners.get_mut(record.owner)?;
        owner.watches = owner.watches.saturating_sub(1);
        Some(())
    });
}

/// Anyone who counts for a watch with a predicate as its filter; none for other watches.
#[must_use]
pub fn watch_insiders(lua: &Lua, watch: WatchId) -> Option<Vec<CharacterId>> {
    runtime::with(lua, |runtime| {
        let record = runtime.handlers.watches.get(&watch)?;
        record.handlers.filter.as_ref()?;
        Some(record.inside.keys().copied().collect())
    })
}

/// Listens to a door for the running owner; returns the number of the listener.
pub fn set_door(lua: &Lua, door: DoorId, what: DoorSignal, callback: Callback) -> u64 {
    let owner = owner::current(lua);
    runtime::with(lua, |runtime| {
        let listener = runtime.handlers.add(owner, callback);
        let serial = listener.serial;
        runtime.handlers.doors.entry((door, what.name())).or_default().push(listener);
        count(&mut runtime.owners, owner);
        serial
    })
}

fn count(owners: &mut Owners, owner: Owner) {
    if let Some(record) = owners.get_mut(owner) {
        record.handlers += 1;
    }
}

/// Listens to an event for the running owner; returns the number of the listener.
pub(crate) fn listen(lua: &Lua, name: &str, callback: Callback, once: bool) -> u64 {
    let owner = owner::current(lua);
    runtime::with(lua, |runtime| {
        let mut listener = runtime.handlers.add(owner, callback);
        listener.once = once;
        let serial = listener.serial;
        runtime.handlers.events.entry(name.to_owned()).or_default().push(listener);
        count(&mut runtime.owners, owner);
        serial
    })
}

/// Watches a key of a board for the running owner; returns the number of the listener.
pub(crate) fn watch_board(lua: &Lua, board: u64, key: &str, callback: Callback) -> u64 {
    let owner = owner::current(lua);
    runtime::with(lua, |runtime| {
        let listener = runtime.handlers.add(owner, callback);
        let serial = listener.serial;
        runtime.handlers.boards.entry((board, key.to_owned())).or_default().push(listener);
        count(&mut runtime.owners, owner);
        serial
    })
}

/// Lets the behaviour of a character hear an event through its `on` table.
pub(crate) fn listen_on(lua: &Lua, owner: Owner, character: CharacterId, name: &str, function: Function) {
    runtime::with(lua, |runtime| {
        let mut listener = runtime.handlers.add(owner, Callback::Function(function));
        listener.behaviour_of = Some(character);
        runtime.handlers.events.entry(name.to_owned()).or_default().push(listener);
    });
}

/// Ends a listener of an event or a door; false when it is over.
pub fn remove_listener(lua: &Lua, serial: u64) -> bool {
    runtime::with(lua, |runtime| {
        let Some(owner) = runtime.handlers.remove(serial) else {
            return false;
        };
        if let Some(record) = runtime.owners.get_mut(owner) {
            record.handlers = record.handlers.saturating_sub(1);
        }
        true
    })
}

/// A handler that is to be called now, as a task of its owner.
#[derive(Debug)]
pub(crate) struct Delivering {
    pub(crate) owner: Owner,
    pub(crate) callback: Callback,
    pub(crate) payload: Value,
    pub(crate) label: CodeName,
    /// Events are kept in bounded number for an owner that stands still; everything else without.
    pub(crate) is_event: bool,
    /// Call a function with the owner's `self` first.
    pub(crate) with_receiver: bool,
    pub(crate) role: TaskRole,
}

impl Delivering {
    pub(crate) fn new(owner: Owner, callback: Callback, payload: Value, label: impl Into<CodeName>) -> Self {
        let label = label.into();
        Self { owner, callback, payload, label, is_event: false, with_receiver: false, role: TaskRole::Plain }
    }
}

/// Calls a handler; false when its owner has ended, or the name means nothing any more.
pub(crate) fn deliver(vm: &ScriptVm, mut handler: Delivering) -> bool {
    let lua = vm.lua();
    let is_kept = runtime::with(lua, |runtime| {
        let record = runtime.owners.get_mut(handler.owner).filter(|record| !record.is_gone)?;
        if record.paused.is_none() {
            return Some(false);
        }
        if handler.is_event {
            let is_event = |kept: &Delivery| matches!(kept, Delivery::Handler { is_event: true, .. });
            let events = record.kept.iter().filter(|kept| is_event(kept)).count();
            if events >= Owners::KEPT_EVENTS_MAX {
                let oldest = record.kept.iter().position(is_event);
                oldest.map(|oldest| record.kept.remove(oldest));
                record.missed += 1;
            }
        }
        record.kept.push_back(Delivery::Handler {
            callback: handler.callback.clone(),
            payload: handler.payload.clone(),
            label: handler.label.clone(),
            is_event: handler.is_event,
            with_receiver: handler.with_receiver,
        });
        Some(true)
    });
    match is_kept {
        None => false,
        Some(true) => true,
        Some(false) => {
            if handler.with_receiver {
                bind_receiver(lua, &mut handler);
            }
            call(vm, handler)
        }
    }
}

/// `on` functions are called with `self`; from here on they look like any other.
fn bind_receiver(lua: &Lua, handler: &mut Delivering) {
    let receiver = runtime::with(lua, |runtime| {
        runtime.owners.get(handler.owner).and_then(|record| record.receiver.clone())
    });
    if let (Some(receiver), Callback::Function(function)) = (receiver, &handler.callback)
        && let Ok(bound) = function.bind(receiver)
    {
        handler.callback = Callback::Function(bound);
    }
}

fn call(vm: &ScriptVm, handler: Delivering) -> bool {
    let lua = vm.lua();
    let Delivering { owner, callback, payload, label, role, .. } = handler;
    let mut args = MultiValue::new();
    let Some(function) = resolve(lua, owner, callback, &mut args) else {
        return false;
    };
    args.push_back(payload);
    task::run_now(vm, NewTask { owner, callback: label, role, function, args, name: None });
    true
}

/// The function behind a handler; a receiver that is called with it goes to `args`. None when a name means
/// nothing any more.
pub(crate) fn resolve(
    lua: &Lua,
    owner: Owner,
    callback: Callback,
    args: &mut MultiValue,
) -> Option<Function> {
    let name = match callback {
        Callback::Function(function) => return Some(function),
        Callback::Named(name) => name,
    };
    let (names, receiver) = runtime::with(lua, |runtime| {
        let record = runtime.owners.get(owner)?;
        Some((record.names.clone()?, record.receiver.clone()))
    })?;
    args.extend(receiver);
    names.raw_get::<Value>(name).ok()?.as_function().cloned()
}
