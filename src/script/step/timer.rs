//! Timers: handlers that run when their time has come.
//!
//! In: seconds, handlers. Out: which timers are due. Holds: timers run by due tick, then by creation; the
//! k-th turn of a repeated one is due k times its seconds after it was made, so nothing drifts; a timer made
//! in a tick is due in the next one at the earliest; while its owner stands still, so does its time. Not
//! here: the calls themselves (`schedule`).

use mlua::{Lua, Value};

use crate::script::state::timers::Timer;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::work::ScriptWork;
use crate::script::vm::store;

fn take(lua: &Lua, id: u64) -> Option<Timer> {
    store::with(lua, |runtime| {
        let timer = runtime.registered.timers.remove(id)?;
        if let Some(record) = runtime.owners.get_mut(timer.owner) {
            record.timers = record.timers.saturating_sub(1);
        }
        Some(timer)
    })
}

/// Ends a timer before its time: who waits for it gets false. False when it is over.
pub(crate) fn end(lua: &Lua, id: u64) -> bool {
    let ended = take(lua, id).is_some();
    if ended {
        store::push_work(lua, ScriptWork::Settled(Wait::Timer(id), Outcome::Value(Value::Boolean(false))));
    }
    ended
}

/// Ends a timer whose last turn has come: who waits for it gets true.
pub(crate) fn complete(lua: &Lua, id: u64) {
    if take(lua, id).is_some() {
        store::push_work(lua, ScriptWork::Settled(Wait::Timer(id), Outcome::Value(Value::Boolean(true))));
    }
}
