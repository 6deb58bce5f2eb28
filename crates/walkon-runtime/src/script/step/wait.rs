//! Handles that scripts wait for, and their results.
//!
//! In: handles of scripts, results as they come. Out: the thing behind a handle; the result it was given.
//! Holds: a result is latched beside its handle and nowhere else, so results need no expiry: when no script
//! holds the handle, nobody can ask. Not here: the waiting tasks (`state::tasks`), when results are delivered
//! (`dispatch`).

use mlua::{Lua, Table, Value};

use crate::base::ids::{PathToken, WalkId};
use crate::script::state::boards::BoardOf;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::work::ScriptWork;
use crate::script::vm::handles::{self, DoorMove, PlayId, TurnId, numbered, thing};
use crate::script::vm::store;

numbered! {
    /// A task as scripts hold it.
    TaskId: Task, "tk", "task";
    /// A timer as scripts hold it.
    TimerId: Timer, "t", "timer";
    /// A cue of a scene as scripts hold it: a timer of its own type.
    CueId: Cue, "cue", "cue";
    /// A listener of an event or a door as scripts hold it.
    ListenerId: Listener, "listener", "listener";
    /// A scene as scripts hold it.
    SceneId: Scene, "scene", "scene";
    /// A board as scripts hold it, by its number.
    BoardId: Blackboard, "board", "blackboard";
    /// The next change of a key as scripts hold it.
    ChangeId: Change, "change", "change";
}

/// The handle of a board.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn board(lua: &Lua, of: BoardOf) -> mlua::Result<Option<Value>> {
    let number = store::with(lua, |runtime| runtime.boards.number(of));
    number.map(|number| handles::make(lua, BoardId(number))).transpose()
}

/// What `value` stands for, when it can be waited for.
#[must_use]
pub fn read(value: &Value) -> Option<Wait> {
    value.as_userdata()?;
    let walk = thing::<WalkId>(value).map(Wait::Walk);
    walk.or_else(|| thing::<TaskId>(value).map(|id| Wait::Task(id.0)))
        .or_else(|| thing::<TimerId>(value).map(|id| Wait::Timer(id.0)))
        .or_else(|| thing::<DoorMove>(value).map(|id| Wait::DoorMove(id.0)))
        .or_else(|| thing::<TurnId>(value).map(|id| Wait::Turn(id.0)))
        .or_else(|| thing::<PlayId>(value).map(|id| Wait::Play(id.0)))
        .or_else(|| thing::<PathToken>(value).map(Wait::Path))
        .or_else(|| thing::<CueId>(value).map(|id| Wait::Timer(id.0)))
        .or_else(|| thing::<SceneId>(value).map(|id| Wait::Scene(id.0)))
        .or_else(|| thing::<ChangeId>(value).map(|id| Wait::Change(id.0)))
}

/// Keeps the result of `wait` with its handle, if a script holds one.
pub(crate) fn latch(lua: &Lua, wait: Wait, outcome: &Outcome) -> mlua::Result<()> {
    match wait {
        // Most tasks are handlers, whose handle nobody asks for.
        Wait::Task(id) => return handles::latch_made(lua, TaskId(id), || ended(lua, outcome)),
        // A change to nothing is over as well: its nil needs something around it.
        Wait::Change(id) => return handles::latch_made(lua, ChangeId(id), || ended(lua, outcome)),
        _ => {}
    }
    let Outcome::Value(value) = outcome else {
        return Ok(());
    };
    match wait {
        Wait::Walk(id) => handles::latch(lua, id, value),
        Wait::DoorMove(serial) => handles::latch(lua, DoorMove(serial), value),
        Wait::Path(token) => handles::latch(lua, token, value),
        Wait::Turn(serial) => handles::latch(lua, TurnId(serial), value),
        Wait::Play(serial) => handles::latch(lua, PlayId(serial), value),
        Wait::Timer(serial) => {
            handles::latch(lua, TimerId(serial), value)?;
            handles::latch(lua, CueId(serial), value)
        }
        Wait::Scene(serial) => handles::latch(lua, SceneId(serial), value),
        Wait::Task(_) | Wait::Change(_) => Ok(()),
    }
}

/// Keeps the result of `wait` with its handle, and queues it for waiting tasks, if there are any.
pub(crate) fn tell(lua: &Lua, wait: Wait, outcome: Outcome) {
    // Without memory for the result there is none; what was waited for is over all the same.
    let _ = latch(lua, wait, &outcome);
    if store::with(lua, |runtime| runtime.tasks.has_waiters(wait)) {
        store::push_work(lua, ScriptWork::Settled(wait, outcome));
    }
}

/// The record of a task or change that is over: its status, and its result or message.
fn ended(lua: &Lua, outcome: &Outcome) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    match outcome {
        Outcome::Value(value) => {
            table.raw_set("status", "done")?;
            table.raw_set("value", value)?;
        }
        Outcome::Failed(message) => {
            table.raw_set("status", "failed")?;
            table.raw_set("message", message.as_str())?;
        }
        Outcome::Cancelled => table.raw_set("status", "cancelled")?,
    }
    Ok(table)
}

/// The result that a handle keeps already.
pub(crate) fn known(lua: &Lua, wait: Wait) -> Option<Outcome> {
    let kept = match wait {
        Wait::Walk(id) => handles::latched(lua, id),
        Wait::DoorMove(serial) => handles::latched(lua, DoorMove(serial)),
        Wait::Path(token) => handles::latched(lua, token),
        Wait::Turn(serial) => handles::latched(lua, TurnId(serial)),
        Wait::Play(serial) => handles::latched(lua, PlayId(serial)),
        Wait::Timer(serial) => match handles::latched(lua, TimerId(serial)) {
            Ok(Some(value)) if !value.is_nil() => Ok(Some(value)),
            _ => handles::latched(lua, CueId(serial)),
        },
        Wait::Scene(serial) => handles::latched(lua, SceneId(serial)),
        Wait::Task(id) => handles::latched(lua, TaskId(id)),
        Wait::Change(id) => handles::latched(lua, ChangeId(id)),
    };
    let kept = kept.ok().flatten().filter(|value| !value.is_nil())?;
    if !matches!(wait, Wait::Task(_) | Wait::Change(_)) {
        return Some(Outcome::Value(kept));
    }
    let ended = kept.as_table()?;
    let status: String = ended.raw_get("status").ok()?;
    Some(match status.as_str() {
        "failed" => Outcome::Failed(ended.raw_get("message").unwrap_or_default()),
        "cancelled" => Outcome::Cancelled,
        _ => Outcome::Value(ended.raw_get("value").unwrap_or(Value::Nil)),
    })
}

/// `running`, `done`, `failed` or `cancelled`.
pub(crate) fn task_status(lua: &Lua, id: TaskId) -> &'static str {
    match known(lua, Wait::Task(id.0)) {
        None => "running",
        Some(Outcome::Value(_)) => "done",
        Some(Outcome::Failed(_)) => "failed",
        Some(Outcome::Cancelled) => "cancelled",
    }
}
