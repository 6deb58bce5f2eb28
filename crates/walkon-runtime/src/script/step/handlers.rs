//! Handlers: reads them from arguments, registers them for the running owner, calls them.
//!
//! In: handlers as scripts give them, payloads. Out: tasks begun. Holds: a handler runs as a task of its
//! owner, and not at all when its owner has ended; a handler given by name is looked up in its owner when it
//! is registered, and again when it is called. Not here: the tables (`state::handlers`), the order of calls
//! (`dispatch`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::base::ids::{CharacterId, DoorId, PathToken, WalkId};
use crate::base::ordered::CollectOrdered;
use crate::base::time::TickNumber;
use crate::script::state::callback::{Callback, SenseHandlers, WalkHandlers, WatchHandlers};
use crate::script::state::code_name::CodeName;
use crate::script::state::handlers::ListenTimes;
use crate::script::state::handlers::{Listener, Lost, SenseRecord, WalkRecord, WatchRecord};
use crate::script::state::owners::Owners;
use crate::script::state::tasks::TaskRole;
use crate::script::state::telling::{Hearer, Telling};
use crate::script::state::waits::Delivery;
use crate::script::step::owner;
use crate::script::step::task::{self, Called};
use crate::script::vm::convert::{Argument, UsageError};
use crate::script::vm::{ScriptVm, store};
use crate::world::door::DoorSignal;
use crate::world::owner::Owner;
use crate::world::region::WatchId;
use crate::world::sense::SenseId;

/// A handler as a script gives it: a function, or the name of a handler of the running owner.
///
/// # Errors
/// For anything else, and for a name that the owner does not have.
pub fn read(lua: &Lua, given: &Argument) -> Result<Callback, UsageError> {
    if let Some(function) = given.value().as_function() {
        return Ok(Callback::Function(function.clone()));
    }
    let name = given.text("a function or the name of a handler")?;
    let owner = owner::current(lua);
    let names = store::with(lua, |runtime| names_of(&runtime.owners, owner));
    let found = names.as_ref().and_then(|names| names.raw_get::<Value>(name.as_str()).ok());
    if found.is_some_and(|value| value.is_function()) {
        return Ok(Callback::Named(name));
    }
    let known = names.map(|names| function_names(&names)).unwrap_or_default();
    Err(UsageError::unknown(given.function(), "handler", &name, known.iter().map(String::as_str)))
}

/// The same for a handler that may be left out.
///
/// # Errors
/// As [`read`].
pub fn read_option(lua: &Lua, given: Option<Argument>) -> Result<Option<Callback>, UsageError> {
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
        .collect_set()
}

/// Keeps the handlers of a walk for the running owner, until it settles.
pub fn set_walk(lua: &Lua, walk: WalkId, handlers: WalkHandlers) {
    let owner = owner::current(lua);
    let underway = handlers.underway.clone();
    store::with(lua, |runtime| runtime.registered.handlers.underway.set(walk, owner, underway));
    let WalkHandlers { arrived, failed, cancelled, settled, .. } = &handlers;
    if [arrived, failed, cancelled, settled].iter().all(|handler| handler.is_none()) {
        return;
    }
    let record = WalkRecord { owner, handlers, lost: Lost::Nothing };
    store::with(lua, |runtime| runtime.registered.handlers.set_walk(walk, record));
}

/// Keeps the handler of a requested path for the running owner, until it is answered.
pub fn set_path(lua: &Lua, token: PathToken, callback: Option<Callback>) {
    let owner = owner::current(lua);
    store::with(lua, |runtime| runtime.registered.handlers.set_path(token, owner, callback));
}

/// Keeps the handlers of a watch for the running owner, until it is removed; counts it against the owner's
/// limit.
pub fn set_watch(lua: &Lua, watch: WatchId, handlers: WatchHandlers) {
    let owner = owner::current(lua);
    store::with(lua, |runtime| {
        if let Some(record) = runtime.owners.get_mut(owner) {
            record.watches += 1;
        }
        if handlers.count_in_silence() {
            runtime.registered.handlers.to_look_first.push(watch);
        }
        let record = WatchRecord { owner, handlers, inside: BTreeMap::new() };
        runtime.registered.handlers.watches.insert(watch, record);
    });
}

/// Switches a watch off. When it is switched on again, everybody inside counts as entering. Gives the number
/// of watches that were looked through.
pub fn forget_first_look(lua: &Lua, watch: WatchId) -> u64 {
    store::with(lua, |runtime| {
        let waiting = &mut runtime.registered.handlers.to_look_first;
        let count = waiting.len() as u64;
        waiting.retain(|other| *other != watch);
        count
    })
}

/// Forgets a watch that was removed; its owner, if a script had given handlers for it.
pub fn forget_watch(lua: &Lua, watch: WatchId) -> Option<Rc<str>> {
    store::with(lua, |runtime| {
        let record = runtime.registered.handlers.watches.remove(&watch)?;
        let owner = runtime.owners.get_mut(record.owner)?;
        owner.watches = owner.watches.saturating_sub(1);
        Some(owner.label.clone())
    })
}

/// Keeps the handlers of a watch for characters for the running owner, until it is removed; counts it against
/// the owner's limit.
pub fn set_sense(lua: &Lua, watch: SenseId, handlers: SenseHandlers) {
    let owner = owner::current(lua);
    store::with(lua, |runtime| {
        if let Some(record) = runtime.owners.get_mut(owner) {
            record.watches += 1;
        }
        runtime.registered.handlers.senses.insert(watch, SenseRecord { owner, handlers });
    });
}

/// Forgets a watch for characters that was removed.
pub fn forget_sense(lua: &Lua, watch: SenseId) {
    store::with(lua, |runtime| {
        let record = runtime.registered.handlers.senses.remove(&watch)?;
        let owner = runtime.owners.get_mut(record.owner)?;
        owner.watches = owner.watches.saturating_sub(1);
        Some(())
    });
}

/// What `ask` says of the characters that count for a watch with a predicate as its filter; none for other
/// watches.
pub(crate) fn with_insiders<R>(
    lua: &Lua,
    watch: WatchId,
    ask: impl FnOnce(&BTreeMap<CharacterId, (&'static str, TickNumber)>) -> R,
) -> Option<R> {
    store::with(lua, |runtime| {
        let record = runtime.registered.handlers.watches.get(&watch)?;
        record.handlers.filter.as_ref()?;
        Some(ask(&record.inside))
    })
}

/// Listens to a door for the running owner; returns the number of the listener.
pub fn set_door(lua: &Lua, door: DoorId, what: DoorSignal, callback: Callback) -> u64 {
    let owner = owner::current(lua);
    store::with(lua, |runtime| {
        count(&mut runtime.owners, owner);
        runtime.registered.handlers.listen_to_door(door, what, owner, callback)
    })
}

fn count(owners: &mut Owners, owner: Owner) {
    if let Some(record) = owners.get_mut(owner) {
        record.handlers += 1;
    }
}

fn uncount(owners: &mut Owners, owner: Owner) {
    if let Some(record) = owners.get_mut(owner) {
        record.handlers = record.handlers.saturating_sub(1);
    }
}

/// Listens to an event for the running owner; returns the number of the listener.
pub(crate) fn listen(lua: &Lua, name: &str, callback: Callback, times: ListenTimes) -> u64 {
    let owner = owner::current(lua);
    store::with(lua, |runtime| {
        count(&mut runtime.owners, owner);
        runtime.registered.handlers.listen(name, owner, callback, times)
    })
}

/// Watches a key of a board for the running owner; returns the number of the listener.
pub(crate) fn watch_board(lua: &Lua, board: u64, key: &str, callback: Callback) -> u64 {
    let owner = owner::current(lua);
    store::with(lua, |runtime| {
        count(&mut runtime.owners, owner);
        runtime.registered.handlers.listen_to_board(board, key, owner, callback)
    })
}

/// Ends the listeners of a board that has died.
pub(crate) fn forget_board(lua: &Lua, board: u64) {
    store::with(lua, |runtime| {
        for owner in runtime.registered.handlers.forget_board(board) {
            uncount(&mut runtime.owners, owner);
        }
    });
}

/// Lets the behaviour of a character hear an event through its `on` table.
pub(crate) fn listen_on(lua: &Lua, owner: Owner, character: CharacterId, name: &str, function: Function) {
    let callback = Callback::Function(function);
    store::with(lua, |runtime| runtime.registered.handlers.listen_on(name, owner, character, callback));
}

/// Ends a listener of an event or a door; false when it is over.
pub fn remove_listener(lua: &Lua, serial: u64) -> bool {
    store::with(lua, |runtime| {
        let Some(owner) = runtime.registered.handlers.remove(serial) else {
            return false;
        };
        uncount(&mut runtime.owners, owner);
        true
    })
}

/// A handler that is to be called now, as a task of its owner.
#[derive(Debug)]
pub(crate) struct Delivering<'news> {
    pub(crate) owner: Owner,
    pub(crate) callback: &'news Callback,
    pub(crate) payload: &'news Value,
    pub(crate) label: CodeName,
    /// Events, and what regions, senses and walks under way tell, are kept in bounded number for an owner
    /// that stands still. Everything else is kept whole, and cannot pile up: it is the one end of something
    /// that the owner began before it stood still, a walk or a path.
    pub(crate) is_event: bool,
    /// Call a function with the owner's `self` first.
    pub(crate) with_receiver: bool,
    pub(crate) role: TaskRole,
}

impl<'news> Delivering<'news> {
    pub(crate) fn new(
        owner: Owner,
        callback: &'news Callback,
        payload: &'news Value,
        label: impl Into<CodeName>,
    ) -> Self {
        let label = label.into();
        Self { owner, callback, payload, label, is_event: false, with_receiver: false, role: TaskRole::Plain }
    }

    /// The same, to be called later.
    fn kept(&self) -> Delivery {
        Delivery::Handler {
            callback: self.callback.clone(),
            payload: self.payload.clone(),
            label: self.label.clone(),
            is_event: self.is_event,
            with_receiver: self.with_receiver,
        }
    }
}

/// Calls a handler, or keeps it for an owner that stands still, or that has yet to hear what was kept for it;
/// false when its owner has ended, or the name means nothing any more.
pub(crate) fn deliver(vm: &ScriptVm, handler: Delivering<'_>) -> bool {
    let lua = vm.lua();
    let is_kept = store::with(lua, |runtime| {
        let record = runtime.owners.get(handler.owner).filter(|record| !record.is_gone())?;
        if !record.is_paused() && !runtime.queue.delivers_soon(handler.owner) {
            return Some(false);
        }
        runtime.owners.get_mut(handler.owner)?.keep(handler.kept());
        Some(true)
    });
    if is_kept != Some(false) {
        return is_kept.is_some();
    }
    call(vm, handler)
}

/// Calls a handler of an owner that goes on; false when the name means nothing any more.
pub(crate) fn call(vm: &ScriptVm, handler: Delivering<'_>) -> bool {
    let lua = vm.lua();
    let bound = if handler.with_receiver { with_receiver(lua, &handler) } else { None };
    let Delivering { owner, callback, payload, label, role, .. } = handler;
    let (function, receiver) = match (&bound, callback) {
        (Some(function), _) | (None, Callback::Function(function)) => (function, None),
        (None, Callback::Named(name)) => match named(lua, owner, name) {
            Some((function, receiver)) => {
                let called = Called { owner, callback: label, role, function: &function, receiver, payload };
                task::call(vm, called);
                return true;
            }
            None => return false,
        },
    };
    task::call(vm, Called { owner, callback: label, role, function, receiver, payload });
    true
}

/// Tells listeners of an event, a door or a key of a board, in order of registration, then tasks that wait
/// for it. When the fuel of the tick is spent, those that are left: they come first in the next one.
#[must_use]
pub(crate) fn tell(vm: &ScriptVm, mut telling: Telling) -> Option<Telling> {
    while let Some(next) = telling.take_next() {
        match next {
            Hearer::Listener(listener) => call_listener(vm, &listener, &telling),
            Hearer::Task(waiter) => task::wake_waiter(vm, waiter, &telling.payload),
        }
        if vm.tick_left() == 0 && !telling.is_over() {
            return Some(telling);
        }
    }
    None
}

fn call_listener(vm: &ScriptVm, listener: &Listener, telling: &Telling) {
    if listener.once {
        // A listener that an earlier listener of this event removed still hears it, like all others.
        remove_listener(vm.lua(), listener.serial);
    }
    let Telling { label, payload, .. } = telling;
    let mut handler = Delivering::new(listener.owner, &listener.callback, payload, label.clone());
    handler.is_event = true;
    handler.with_receiver = listener.behaviour_of.is_some();
    deliver(vm, handler);
}

/// `on` functions are called with `self`; from here on they look like any other.
fn with_receiver(lua: &Lua, handler: &Delivering<'_>) -> Option<Function> {
    let Callback::Function(function) = handler.callback else { return None };
    let receiver = store::with(lua, |runtime| {
        runtime.owners.get(handler.owner).and_then(|record| record.receiver.clone())
    });
    function.bind(receiver?).ok()
}

/// The function of an owner by its name, and its first argument. None when the name means nothing any more.
fn named(lua: &Lua, owner: Owner, name: &str) -> Option<(Function, Option<Value>)> {
    let (names, receiver) = store::with(lua, |runtime| {
        let record = runtime.owners.get(owner)?;
        Some((record.names.clone()?, record.receiver.clone()))
    })?;
    Some((names.raw_get::<Value>(name).ok()?.as_function().cloned()?, receiver))
}

/// The function behind a handler; a receiver that is called with it goes to `args`. None when a name means
/// nothing any more.
pub(crate) fn resolve(
    lua: &Lua,
    owner: Owner,
    callback: Callback,
    args: &mut MultiValue,
) -> Option<Function> {
    match callback {
        Callback::Function(function) => Some(function),
        Callback::Named(name) => {
            let (function, receiver) = named(lua, owner, &name)?;
            args.extend(receiver);
            Some(function)
        }
    }
}
