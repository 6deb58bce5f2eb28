//! The end of timers, and of waits for them; timers that restarted code sets up again.
//!
//! In: timers that are cancelled, or whose last turn has come; timers that a `start`, an `onStart` or a `run`
//! asks for. Out: work for step 12; the timer from before that goes on. Holds: a timer ends once; however
//! often code begins again, the timers that it sets up by name are there once. Not here: when timers are due
//! (`state::timers`), the calls of their handlers (`schedule`).

use mlua::{Lua, Value};

use crate::script::state::runtime::Runtime;
use crate::script::state::tasks::TaskRole;
use crate::script::state::timers::{Timer, TimerOrder};
use crate::script::state::wait::{Outcome, Wait};
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

/// Ends a timer before its time: waiting tasks get false. Gives false when the timer is over.
pub(crate) fn end(lua: &Lua, id: u64) -> bool {
    let ended = take(lua, id).is_some();
    if ended {
        wait::tell(lua, Wait::Timer(id), Outcome::Value(Value::Boolean(false)));
    }
    ended
}

/// Ends a timer whose last turn has come: waiting tasks get true.
pub(crate) fn complete(lua: &Lua, id: u64) {
    if take(lua, id).is_some() {
        wait::tell(lua, Wait::Timer(id), Outcome::Value(Value::Boolean(true)));
    }
}

/// Takes a timer that the running code asks for for one from before a reload or a load, where that code sets
/// up what it needs. One that is the same goes on, and its number is given. Else a new one is to be made, and
/// the timers from before with the handler of that name end with the step, but for those that are asked for.
pub(crate) fn take_up(lua: &Lua, order: &TimerOrder) -> Option<u64> {
    store::with(lua, |runtime| {
        let before =
            if sets_up(runtime) { runtime.registered.timers.left_from_before(order) } else { Vec::new() };
        let now = runtime.owners.time_of(order.owner, runtime.clock.now);
        let timers = &mut runtime.registered.timers;
        let same = before.iter().copied().find(|&id| timers.is_as(id, order));
        match same {
            // Those beside it may be asked for next, or belong to a handler.
            Some(id) => timers.take_up(id, now),
            None => before.into_iter().for_each(|id| timers.replace(id)),
        }
        same
    })
}

/// Ends the timers whose place others took, and that were not asked for.
pub(crate) fn end_replaced(lua: &Lua) {
    let replaced = store::with(lua, |runtime| runtime.registered.timers.take_replaced());
    for id in replaced {
        end(lua, id);
    }
}

/// Whether code runs that runs again after every reload and every load: `start`, `onStart`, `run`.
fn sets_up(runtime: &Runtime) -> bool {
    let Some(call) = runtime.running.under_way() else { return false };
    match call.task {
        None => matches!(&*call.callback, "start" | "onStart"),
        Some(task) => runtime.tasks.get(task).is_some_and(|task| task.role == TaskRole::Run),
    }
}
