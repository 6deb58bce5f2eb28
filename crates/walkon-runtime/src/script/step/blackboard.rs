//! Changes of blackboards: tells the watchers, and clears values whose time is over.
//!
//! In: values that scripts set, seconds to keep them. Out: news for watchers of a key and tasks that wait for
//! its change. Holds: values set for a time are cleared at the head of step 3; news is delivered in step 12,
//! to the watchers and waiting tasks of the moment when it happened. Not here: the boards (`state::boards`),
//! the Lua side (`bind::blackboard`).

use std::rc::Rc;

use mlua::{Lua, Value};

use crate::base::ids::CharacterId;
use crate::base::value::Plain;
use crate::script::state::boards::{BoardRefusal, KeyChange};
use crate::script::state::handlers::Handlers;
use crate::script::state::handlers::Listener;
use crate::script::state::telling::Telling;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::work::ScriptWork;
use crate::script::step::{handlers, task};
use crate::script::vm::payload::frozen;
use crate::script::vm::{ScriptVm, payload, store};

/// Sets or clears a key, and queues the news of it.
pub(crate) fn put(
    lua: &Lua,
    board: u64,
    key: &str,
    value: Option<Plain>,
    ttl_ticks: Option<u64>,
) -> Result<(), BoardRefusal> {
    let news = store::with(lua, |runtime| {
        let until = ttl_ticks.map(|ticks| runtime.clock.now.after(ticks.max(1)));
        let bytes_max = usize::try_from(runtime.limits.state_kib).unwrap_or(usize::MAX).saturating_mul(1024);
        let news = runtime.boards.put(board, key, value, until, bytes_max)?;
        Ok(news.and_then(|news| for_somebody(&runtime.registered.handlers, news)))
    })?;
    if let Some(news) = news {
        store::push_work(lua, ScriptWork::BoardChanged(Box::new(news)));
    }
    Ok(())
}

/// News that a handler wants to hear.
fn for_somebody(handlers: &Handlers, news: KeyChange) -> Option<KeyChange> {
    let is_watched = !handlers.board(news.board, &news.key).is_empty();
    let listeners_until = handlers.last_listener();
    (is_watched || news.change.is_some()).then_some(KeyChange { listeners_until, ..news })
}

/// Clears what was set for a time that is over. The head of step 3.
pub(crate) fn clear_due(lua: &Lua) {
    let due = store::with(lua, |runtime| runtime.boards.take_due(runtime.clock.now));
    for (board, key) in due {
        // A board that has died since has nothing left to clear.
        let _ = put(lua, board, &key, None, None);
    }
}

/// A character was removed: its board dies, and tasks that wait for a change of it go on with nil. Its
/// watchers stay until they have heard of the changes that wait to be told: until now the board took them.
pub(crate) fn character_gone(lua: &Lua, character: CharacterId) {
    let found = store::with(lua, |runtime| {
        let (number, awaited) = runtime.boards.remove_of(character)?;
        let watched = runtime.registered.handlers.is_watched(number).then_some(number);
        Some((watched, awaited))
    });
    let Some((watched, awaited)) = found else {
        return;
    };
    for change in awaited {
        store::push_work(lua, ScriptWork::Settled(Wait::Change(change), Outcome::Value(Value::Nil)));
    }
    if let Some(board) = watched {
        store::push_work(lua, ScriptWork::ForgetBoard(board));
    }
}

/// Tells the watchers of the key, then the tasks that waited for its change.
pub(crate) fn tell(vm: &ScriptVm, news: &KeyChange) -> mlua::Result<()> {
    let lua = vm.lua();
    let frozen = |value: &Option<Plain>| match value {
        Some(value) => frozen(lua, value),
        None => Ok(Value::Nil),
    };
    vm.spend([&news.value, &news.old].into_iter().flatten().map(payload::price_of).sum());
    let value = frozen(&news.value)?;
    let listeners = store::with(lua, |runtime| runtime.registered.handlers.board(news.board, &news.key));
    let is_told = |listener: &&Listener| listener.serial <= news.listeners_until;
    let listeners: Vec<Listener> = listeners.iter().filter(is_told).cloned().collect();
    let mut left = None;
    if !listeners.is_empty() {
        let payload = lua.create_table()?;
        payload.raw_set("key", news.key.as_str())?;
        payload.raw_set("value", &value)?;
        payload.raw_set("old", frozen(&news.old)?)?;
        payload.set_readonly(true);
        let telling = Telling::new("watch".into(), Value::Table(payload), Rc::new(listeners), Vec::new());
        left = handlers::tell(vm, telling);
    }
    let settled = news.change.map(|change| (Wait::Change(change), Outcome::Value(value)));
    match (left, settled) {
        (None, None) => {}
        (None, Some((wait, outcome))) => task::settle(vm, wait, &outcome),
        (Some(left), settled) => store::with(lua, |runtime| {
            if let Some((wait, outcome)) = settled {
                runtime.queue.put_back(ScriptWork::Settled(wait, outcome));
            }
            runtime.queue.put_back(ScriptWork::Tell(Box::new(left)));
        }),
    }
    Ok(())
}
