//! The end of timers, and of waits for them.
//!
//! In: timers that are cancelled, or whose last turn has come. Out: work for step 12. Holds: a timer ends
//! once. Not here: when timers are due (`state::timers`), the calls of their handlers (`schedule`).

use mlua::{Lua, Value};

use crate::script::state::timers::Timer;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::work::ScriptWork;
use crate::script::step::wait;
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

/// Keeps the result with the handle, and queues it for waiting tasks, if there are any.
fn tell(lua: &Lua, id: u64, result: Value) {
    let (wait, outcome) = (Wait::Timer(id), Outcome::Value(result));
    // Without memory for the result there is none; the timer is over all the same.
    let _ = wait::latch(lua, wait, &outcome);
    if store::with(lua, |runtime| runtime.tasks.has_waiters(wait)) {
        store::push_work(lua, ScriptWork::Settled(wait, outcome));
    }
}

/// Ends a timer before its time: waiting tasks get false. Gives false when the timer is over.
pub(crate) fn end(lua: &Lua, id: u64) -> bool {
    let ended = take(lua, id).is_some();
    if ended {
        tell(lua, id, Value::Boolean(false));
    }
    ended
}

/// Ends a timer whose last turn has come: waiting tasks get true.
pub(crate) fn complete(lua: &Lua, id: u64) {
    if take(lua, id).is_some() {
        tell(lua, id, Value::Boolean(true));
    }
}
