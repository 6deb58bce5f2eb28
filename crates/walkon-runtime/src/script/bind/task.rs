//! `task` and `Task`: code that takes time.
//!
//! Holds: a task belongs to the owner it was started for and ends with it; it begins after the running code
//! has returned or waited. Not here: what waits (`prelude/task.lua`, `wait_requests`), when tasks are resumed
//! (`schedule`, `dispatch`).

use mlua::{Lua, MultiValue, Value};

use crate::script::bind::call::{answer, myself, nothing};
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, TableType, field, param};
use crate::script::bind::wait_requests::{refuse_at_limit, running_task};
use crate::script::state::tasks::Why;
use crate::script::step::wait::{self, TaskId};
use crate::script::step::{owner, schedule, task};
use crate::script::vm::convert::Args;
use crate::script::vm::{refuse_while_loading, store};

const TASK: &str = "task";
const TYPE: &str = "Task";

/// What stands above the entries.
pub const GROUPS: &[Library] = &[
    Library {
        name: TASK,
        is_type: false,
        doc: "Code that takes time. Handlers, `run` and the script of a scene are tasks; a bare `coroutine.yield()` in one \
              waits a tick.",
    },
    Library { name: TYPE, is_type: true, doc: "A task that was started." },
];

/// Tables that these functions take.
pub const SHAPES: &[TableType] = &[
    TableType {
        name: "UntilOptions",
        doc: "How long a predicate is tested.",
        fields: &[field("timeout", "number?", "2", "seconds; default: unlimited")],
    },
    TableType {
        name: "EventOptions",
        doc: "Which event is meant, and how long it is waited for.",
        fields: &[
            field("timeout", "number?", "2", "seconds; default: unlimited"),
            field(
                "where",
                "((payload: any) -> boolean)?",
                "function(payload) return true end",
                "which one counts",
            ),
        ],
    },
];

const ENTRIES_PARAM: ApiParam =
    param("entries", "{[any]: Awaitable | () -> ...any}", "{ task.spawn(function() end) }");
const FN: ApiParam = param("fn", "(...any) -> ...any", "function() end");
const REST: ApiParam = param("...", "any", "1");

/// Everything `task` and a `Task` have.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[FN, REST],
        returns: "Task",
        raises: "limit",
        doc: "Starts a task after the running code has returned or waited.",
        example: "task.spawn(function(name) log.info(\"%s\", name) end, \"anna\")",
        price: 48,
        ..Binding::function(TASK, "task.spawn", spawn)
    },
    Binding {
        params: &[param("seconds", "number", "0.1")],
        raises: "range wait",
        doc: "Waits so long, 0 to 1000000 seconds, a tick at least.",
        example: "task.sleep(0.1)",
        ..Binding::waiting_function(TASK, "task.sleep")
    },
    Binding {
        params: &[param("n", "number", "2")],
        raises: "range wait",
        doc: "Waits n ticks.",
        example: "task.ticks(2)",
        ..Binding::waiting_function(TASK, "task.ticks")
    },
    Binding {
        params: &[
            param("predicate", "() -> boolean", "function() return true end"),
            param("options", "UntilOptions?", "{ timeout = 1 }"),
        ],
        returns: "boolean",
        raises: "range wait",
        doc: "Waits until the predicate, tested each tick, holds; false when the time is over.",
        example: "assert(task.waitUntil(function() return guard.alive end, { timeout = 1 }))",
        ..Binding::waiting_function(TASK, "task.waitUntil")
    },
    Binding {
        params: &[
            param("name", "string", "\"alarm\""),
            param("options", "EventOptions?", "{ timeout = 0.1 }"),
        ],
        returns: "any",
        raises: "range wait",
        doc: "Waits for an event: its payload, nil when the time is over.",
        example: "assert(task.waitEvent(\"alarm\", { timeout = 0.1 }) == nil)",
        ..Binding::waiting_function(TASK, "task.waitEvent")
    },
    Binding {
        params: &[param("x", "Awaitable", "task.spawn(function() end)")],
        returns: "any",
        raises: "wait",
        doc: "Waits for the result of x; raises its error if x is a task that failed, nil if it was cancelled.",
        example: "assert(task.await(task.spawn(function() return 7 end)) == 7)",
        ..Binding::waiting_function(TASK, "task.await")
    },
    Binding {
        params: &[ENTRIES_PARAM],
        returns: "{[any]: any}",
        raises: "wait limit",
        doc: "Waits for all: results under the same keys. A fault in one cancels the rest and raises here.",
        example: "local done = task.all({ a = function() return 1 end, b = function() return 2 end })\nassert(done.a + done.b == 3)",
        ..Binding::waiting_function(TASK, "task.all")
    },
    Binding {
        params: &[ENTRIES_PARAM],
        returns: "any, any",
        raises: "wait limit",
        doc: "Waits for the first: its key and result. The others are cancelled, walks with `lostRace`.",
        example: "local key = task.race({ quick = function() end, slow = function() task.sleep(1) end })\nassert(key == \"quick\")",
        ..Binding::waiting_function(TASK, "task.race")
    },
    Binding {
        params: &[
            param("seconds", "number", "0.1"),
            param("entry", "Awaitable | () -> ...any", "function() end"),
        ],
        returns: "boolean, any",
        raises: "range wait limit",
        doc: "True and the result; false when the time is over, and the entry is cancelled.",
        example: "assert(task.timeout(0.1, function() task.sleep(1) end) == false)",
        ..Binding::waiting_function(TASK, "task.timeout")
    },
    Binding {
        params: &[param("fn", "(why: string) -> ()", "function(why) end")],
        raises: "limit wait",
        doc: "Runs when the current task ends unfinished, last in, first out; it may not wait, and has 1,000 steps when the fuel of the tick is spent.",
        example: "task.onCancel(function(why) log.info(\"ended: %s\", why) end)",
        ..Binding::function(TASK, "task.onCancel", on_cancel)
    },
    Binding {
        params: &[param("name", "string", "\"countdown\""), FN, REST],
        returns: "Task",
        raises: "limit",
        doc: "Cancels this owner's task of that name, then starts the new one under it.",
        example: "local old = task.restart(\"countdown\", function() task.sleep(1) end)\ntask.restart(\"countdown\", function() end)\nassert(old.status == \"cancelled\")",
        ..Binding::function(TASK, "task.restart", restart)
    },
    Binding {
        returns: "Task",
        raises: "wait",
        doc: "The task that runs.",
        example: "assert(task.current().status == \"running\")",
        ..Binding::function(TASK, "task.current", current)
    },
    Binding {
        doc: "`running`, `done`, `failed` or `cancelled`.",
        example: "assert(task.spawn(function() end).status == \"running\")",
        ..Binding::field(TYPE, "status", "\"running\" | \"done\" | \"failed\" | \"cancelled\"", status)
    },
    Binding {
        returns: "boolean",
        doc: "Ends it, with what it waits for by walk, all, race or timeout; false when it is over.",
        example: "local tk = task.spawn(function() task.sleep(1) end)\nassert(tk:cancel() and not tk:cancel())",
        ..Binding::method(TYPE, "cancel", cancel)
    },
    Binding {
        returns: "any",
        raises: "wait",
        doc: "Waits for what its function returns.",
        example: "assert(task.spawn(function() return \"tea\" end):wait() == \"tea\")",
        ..Binding::waiting_method(TYPE, "wait")
    },
];

fn spawn(lua: &Lua, args: &mut Args) -> HostResult {
    refuse_while_loading(lua, args.function())?;
    let function = args.take("fn").callable()?;
    refuse_at_limit(lua, args)?;
    let id = schedule::spawn_current(lua, function, rest(args), None);
    answer(lua, task::handle(lua, id)?)
}

/// All arguments that are left.
fn rest(args: &mut Args) -> MultiValue {
    (0..args.left()).map(|_| args.take("...").into_value()).collect()
}

fn restart(lua: &Lua, args: &mut Args) -> HostResult {
    refuse_while_loading(lua, args.function())?;
    let name = args.take("name").new_name()?;
    let function = args.take("fn").callable()?;
    let owner = owner::current(lua);
    if let Some(old) = store::with(lua, |runtime| runtime.tasks.named(owner, &name)) {
        task::cancel(lua, old, Why::Cancelled);
    }
    refuse_at_limit(lua, args)?;
    let id = schedule::spawn_current(lua, function, rest(args), Some(name));
    answer(lua, task::handle(lua, id)?)
}

/// `task.onCancel` functions of one task.
const CLEANUPS_MAX: usize = 256;

fn on_cancel(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.take("fn").callable()?;
    let id = running_task(lua, args.function())?;
    if store::with(lua, |runtime| runtime.tasks.cleanup_count(id)) >= CLEANUPS_MAX {
        return Err(args.mistake(format!("the task has {CLEANUPS_MAX} of these, the most allowed")).into());
    }
    store::with(lua, |runtime| runtime.tasks.add_cleanup(id, function));
    nothing()
}

fn current(lua: &Lua, args: &mut Args) -> HostResult {
    let id = running_task(lua, args.function())?;
    answer(lua, task::handle(lua, id)?)
}

fn status(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<TaskId>(args)?;
    answer(lua, wait::task_status(lua, id))
}

fn cancel(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<TaskId>(args)?;
    answer(lua, Value::Boolean(task::cancel(lua, id.0, Why::Cancelled)))
}
