//! Requests of waiting functions to the scheduler: the native half of `prelude/task.lua`.
//!
//! In: arguments of a call that waits. Out: the serial of a wait, which the Lua half yields. Holds: arguments
//! are checked before anything waits; nothing waits where nothing may: in `update`, `onTick`, predicates,
//! coroutines of a script's own making.

use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::base::ordered;
use crate::script::bind::call::BindingError;
use crate::script::bind::character;
use crate::script::bind::quick_answers::{self, Sleep};
use crate::script::bind::table::HostResult;
use crate::script::state::owners::Counted;
use crate::script::state::tasks::{NewTask, TaskRole};
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::waits::{GroupEntry, GroupKind, Pending, SECONDS_MAX, TICKS_MAX, TaskPause};
use crate::script::step::{owner, task, wait};
use crate::script::vm::convert::{Args, Argument, BYTES_PER_UNIT, UsageError, describe};
use crate::script::vm::fuel::{self, Trip};
use crate::script::vm::lend::BindError;
use crate::script::vm::{machine_of, store};

/// What can be waited for, for messages.
const AWAITABLE: &str = "a walk, door move, path request, timer, task, turn, play, scene, cue or change";

/// Most things that are waited for together: each that ends looks at all of them.
const ENTRIES_MAX: usize = 4096;

/// Whether the running code may wait. A task that has ended stops here, whatever it does with the error.
///
/// # Errors
/// While a file loads, in callbacks that may not wait, in coroutines of a script's own making; in a task that
/// has ended.
pub(crate) fn may_wait(lua: &Lua, function: &str) -> Result<u64, UsageError> {
    let id = running_task(lua, function)?;
    if store::with(lua, |runtime| runtime.tasks.owner_of(id)).is_some() {
        return Ok(id);
    }
    if let Some(machine) = machine_of(lua) {
        machine.fuel.end(Trip::Ended);
    }
    Err(UsageError::new(function, "the task has ended"))
}

/// The task that runs, also when it has ended meanwhile.
///
/// # Errors
/// As [`may_wait`], but for tasks that have ended.
pub(crate) fn running_task(lua: &Lua, function: &str) -> Result<u64, UsageError> {
    let current = store::with(lua, |runtime| runtime.running.current());
    let Some(current) = current else {
        return Err(BindError::NoWorld.mistake(function));
    };
    let instead =
        if function == "walk" { "use walkTo with handlers, or task.spawn" } else { "use task.spawn" };
    let Some(id) = current.task else {
        let what = match &*current.callback {
            // What they start ends with their owner.
            last @ ("onEnd" | "onStop" | "stop") => {
                let instead = "emit an event that other code hears";
                format!("{last} may not wait, and what it starts ends at once; {instead}")
            }
            again @ ("eventually" | "until_") => {
                format!("{again} may not wait; wait before it: it tries again each tick by itself")
            }
            other => format!("{other} may not wait; {instead}"),
        };
        return Err(UsageError::new(function, what));
    };
    let thread = lua.current_thread();
    if !store::with(lua, |runtime| runtime.tasks.is_thread_of(id, &thread)) {
        return Err(UsageError::new(function, format!("a coroutine of your own may not wait; {instead}")));
    }
    Ok(id)
}

/// Keeps what the running task is about to wait for; the serial to yield.
pub(crate) fn file(lua: &Lua, pause: TaskPause, known: Vec<(Option<usize>, Outcome)>) -> f64 {
    store::with(lua, |runtime| {
        let serial = runtime.tasks.next_serial();
        runtime.running.pending = Some(Pending { serial, pause, known });
        runtime.running.sleep = None;
        serial as f64
    })
}

/// A time in seconds, 0 or more.
///
/// # Errors
/// For anything else.
pub(crate) fn seconds(given: &Argument) -> Result<f64, UsageError> {
    given.number_in(0.0..=SECONDS_MAX, "seconds")
}

fn deadline(lua: &Lua, given: Option<Argument>) -> Result<Option<crate::base::time::TickNumber>, UsageError> {
    let seconds = given.map(|given| seconds(&given)).transpose()?;
    Ok(seconds.map(|seconds| store::with(lua, |runtime| runtime.clock.after_seconds(seconds))))
}

/// `task.sleep`, and `c:wait`.
pub(crate) fn sleep(lua: &Lua, args: &mut Args) -> Result<f64, BindingError> {
    let seconds = seconds(&args.take("seconds"))?;
    may_wait(lua, args.function())?;
    let until = store::with(lua, |runtime| runtime.clock.after_seconds(seconds));
    Ok(file(lua, TaskPause::Until(until), Vec::new()))
}

/// `task.ticks`.
pub(crate) fn ticks(lua: &Lua, args: &mut Args) -> Result<f64, BindingError> {
    let count = args.take("n").integer_in(1..=TICKS_MAX)?;
    may_wait(lua, args.function())?;
    let until = store::with(lua, |runtime| runtime.clock.now.after(count.unsigned_abs()));
    Ok(file(lua, TaskPause::Until(until), Vec::new()))
}

/// `task.waitUntil`.
pub(crate) fn wait_until(lua: &Lua, args: &mut Args) -> Result<f64, BindingError> {
    let predicate = args.take("predicate").callable()?;
    let options = args.options(&["timeout"])?;
    let deadline = deadline(lua, options.find("timeout"))?;
    may_wait(lua, args.function())?;
    Ok(file(lua, TaskPause::Test { predicate, deadline, asked_by: "waitUntil" }, Vec::new()))
}

/// `task.waitEvent`.
pub(crate) fn wait_event(lua: &Lua, args: &mut Args) -> Result<f64, BindingError> {
    let name = args.take("name").new_name()?;
    let options = args.options(&["timeout", "where"])?;
    let deadline = deadline(lua, options.find("timeout"))?;
    let test = options.find("where").map(|given| given.callable()).transpose()?;
    may_wait(lua, args.function())?;
    Ok(file(lua, TaskPause::Event { name, test, deadline }, Vec::new()))
}

/// Whether what a task waits for ends with the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ownership {
    /// It goes on.
    Shared,
    /// It ends.
    Owned,
}

/// `task.await` and `x:wait()`.
pub(crate) fn wait_for(lua: &Lua, args: &mut Args, ownership: Ownership) -> Result<f64, BindingError> {
    let given = args.take(if args.function() == "wait" { "self" } else { "x" });
    let wait = wait::read(given.value()).ok_or_else(|| match args.function() {
        "wait" => UsageError::called_with_a_dot("wait", "x"),
        _ => given.not(AWAITABLE),
    })?;
    let id = may_wait(lua, args.function())?;
    refuse_itself(lua, args, id, wait)?;
    let known = wait::known(lua, wait).map(|outcome| (None, outcome)).into_iter().collect();
    Ok(file(lua, TaskPause::One { wait, owned: ownership == Ownership::Owned }, known))
}

/// A wait that its own task, or the scene of that task, would have to end before it is over.
fn refuse_itself(lua: &Lua, args: &Args, task: u64, wait: Wait) -> Result<(), UsageError> {
    let is_own_scene = |scene| {
        store::with(lua, |runtime| {
            let owner = runtime.tasks.owner_of(task);
            owner.is_some() && runtime.cinematics.scenes.owner(scene) == owner
        })
    };
    match wait {
        Wait::Task(other) if other == task => Err(args.mistake("a task cannot wait for itself")),
        Wait::Scene(scene) if is_own_scene(scene) => {
            Err(args.mistake("a scene cannot wait for itself: it ends only after its script"))
        }
        _ => Ok(()),
    }
}

/// Keys of entries, numbers before texts, each in order.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
enum EntryKey {
    Number(f64),
    Text(String),
}

fn sorted_entries(given: &Argument) -> Result<Vec<(Value, Value)>, UsageError> {
    let table = given.table("a table of entries")?;
    let mut entries = Vec::new();
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair.map_err(|error| UsageError::new(given.function(), error.to_string()))?;
        let length = key.as_string().map_or(0, |text| text.as_bytes().len());
        if !fuel::charge_running(1 + (length / BYTES_PER_UNIT) as u64) {
            return Err(UsageError::new(given.function(), "no fuel is left to look at the entries"));
        }
        let order = match &key {
            Value::Integer(number) => EntryKey::Number(*number as f64),
            Value::Number(number) => EntryKey::Number(*number),
            Value::String(text) => EntryKey::Text(text.to_string_lossy()),
            other => {
                let what = format!("an entry has the key {}, expected numbers or texts", describe(other));
                return Err(UsageError::new(given.function(), what));
            }
        };
        if entries.len() == ENTRIES_MAX {
            let what = format!("entries has more than {ENTRIES_MAX} entries, expected at most {ENTRIES_MAX}");
            return Err(UsageError::new(given.function(), what));
        }
        entries.push((order, key, value));
    }
    ordered::sort_by(&mut entries, |one, other| {
        one.0.partial_cmp(&other.0).unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok(entries.into_iter().map(|(_, key, value)| (key, value)).collect())
}

/// `task.all` and `task.race`, `c:parallel` and `c:race`.
pub(crate) fn group(lua: &Lua, args: &mut Args, kind: GroupKind) -> Result<f64, BindingError> {
    let given = args.take("entries");
    let entries = sorted_entries(&given)?;
    let task = may_wait(lua, args.function())?;
    if entries.is_empty() {
        if kind == GroupKind::Race {
            return Err(args.mistake("entries is empty, expected at least one entry").into());
        }
        // Nothing to wait for: over at the next dispatch, like everything that is over already.
        let until = store::with(lua, |runtime| runtime.clock.now);
        let table = Outcome::Value(Value::Table(lua.create_table()?));
        return Ok(file(
            lua,
            TaskPause::Event { name: String::new(), test: None, deadline: Some(until.after(1)) },
            vec![(None, table)],
        ));
    }
    for (_, value) in &entries {
        wait::read(value).map_or(Ok(()), |wait| refuse_itself(lua, args, task, wait))?;
    }
    Ok(file_group(lua, args, kind, entries, None)?)
}

/// `task.timeout` and `c:waitFor`.
pub(crate) fn timeout(lua: &Lua, seconds: f64, entry: &Argument, args: &Args) -> Result<f64, BindingError> {
    let task = may_wait(lua, args.function())?;
    wait::read(entry.value()).map_or(Ok(()), |wait| refuse_itself(lua, args, task, wait))?;
    let deadline = store::with(lua, |runtime| runtime.clock.after_seconds(seconds));
    let entries = vec![(Value::String(lua.create_string("entry")?), entry.value().clone())];
    Ok(file_group(lua, args, GroupKind::Timeout, entries, Some(deadline))?)
}

/// Checks every entry first, then starts those that are functions, in order.
fn file_group(
    lua: &Lua,
    args: &Args,
    kind: GroupKind,
    given: Vec<(Value, Value)>,
    deadline: Option<crate::base::time::TickNumber>,
) -> Result<f64, UsageError> {
    for (key, value) in &given {
        if !value.is_function() && wait::read(value).is_none() {
            let name = if kind == GroupKind::Timeout {
                "entry".to_owned()
            } else {
                format!("entries[{}]", describe(key))
            };
            let what = format!("{name} is {}, expected a function or {AWAITABLE}", describe(value));
            return Err(args.mistake(what));
        }
    }
    let mut entries = Vec::new();
    let mut known = Vec::new();
    for (at, (key, value)) in given.into_iter().enumerate() {
        let wait = match (&value, wait::read(&value)) {
            (_, Some(wait)) => wait,
            (Value::Function(function), None) => Wait::Task(start_entry(lua, args, function, &key)?),
            _ => continue,
        };
        if let Some(outcome) = wait::known(lua, wait) {
            known.push((Some(at), outcome));
        }
        entries.push(GroupEntry { key, wait, outcome: None });
    }
    Ok(file(lua, TaskPause::Group { kind, entries, deadline }, known))
}

fn start_entry(lua: &Lua, args: &Args, function: &Function, key: &Value) -> Result<u64, UsageError> {
    refuse_at_limit(lua, args)?;
    let owner = owner::current(lua);
    let key = key.as_string().map_or_else(|| describe(key), |key| key.to_string_lossy());
    let callback = format!("{} {key}", args.function()).into();
    let args = MultiValue::new();
    let function = function.clone();
    Ok(task::spawn(lua, NewTask { owner, callback, role: TaskRole::Entry, function, args, name: None }))
}

/// `task.spawn: behaviour "guard" has 256 tasks, the most allowed (limits.tasksPerOwner); cancel some`.
pub(crate) fn refuse_at_limit(lua: &Lua, args: &Args) -> Result<(), UsageError> {
    if let Some(what) = owner::at_limit(lua, Counted::Tasks) {
        return Err(args.mistake(what));
    }
    let (count, most) = store::with(lua, |runtime| (runtime.tasks.len(), runtime.limits.tasks));
    if count >= most as usize {
        let what = format!("the level has {most} tasks, the most allowed (limits.tasks); cancel some");
        return Err(args.mistake(what));
    }
    Ok(())
}

/// A request, under the name that messages use.
type RequestFunction = fn(&Lua, &mut Args) -> Result<f64, BindingError>;

fn request(lua: &Lua, name: &'static str, body: RequestFunction) -> mlua::Result<Function> {
    lua.create_function(move |lua, values: MultiValue| {
        body(lua, &mut Args::new(name, values)).map_err(|raise| raise.error(lua))
    })
}

fn timeout_request(lua: &Lua, args: &mut Args) -> Result<f64, BindingError> {
    let seconds = seconds(&args.take("seconds"))?;
    let entry = args.take("entry");
    timeout(lua, seconds, &entry, args)
}

/// The functions that the prelude asks, by the names it uses.
pub(crate) fn natives(lua: &Lua) -> mlua::Result<Table> {
    let requests: [(&str, &'static str, RequestFunction); 9] = [
        ("sleep", "task.sleep", sleep),
        ("ticks", "task.ticks", ticks),
        ("waitUntil", "task.waitUntil", wait_until),
        ("waitEvent", "task.waitEvent", wait_event),
        ("await", "task.await", |lua, args| wait_for(lua, args, Ownership::Shared)),
        ("wait", "wait", |lua, args| wait_for(lua, args, Ownership::Shared)),
        ("own", "walk", |lua, args| wait_for(lua, args, Ownership::Owned)),
        ("all", "task.all", |lua, args| group(lua, args, GroupKind::All)),
        ("race", "task.race", |lua, args| group(lua, args, GroupKind::Race)),
    ];
    let table = lua.create_table()?;
    for (key, name, body) in requests {
        table.raw_set(key, request(lua, name, body)?)?;
    }
    for (key, sleep) in [("sleep", Sleep::Seconds), ("ticks", Sleep::Ticks)] {
        table.raw_set(key, quick_answers::sleep(lua, sleep, table.raw_get(key)?)?)?;
    }
    table.raw_set("timeout", request(lua, "task.timeout", timeout_request)?)?;
    let walk = |lua: &Lua, values: MultiValue| -> mlua::Result<MultiValue> {
        let mut args = Args::new("walk", values);
        may_wait(lua, "walk").map_err(|mistake| mistake.raise(lua))?;
        let answer: HostResult = character::walk_to(lua, &mut args);
        answer.map_err(|raise| raise.error(lua))
    };
    table.raw_set("walk", lua.create_function(walk)?)?;
    Ok(table)
}
