//! Tasks: coroutines that the host resumes.
//!
//! In: functions to run, waits that tasks ask for, results. Out: tasks begun, resumed, woken. Holds: a task
//! is resumed once for each wait (a late or second answer finds another serial and is dropped); nothing runs
//! inside the call that started it. Not here: what tasks wait for (`state::waits`), which of them wait
//! (`state::tasks`), waits over several things (`group`), ends (`ending`, `cancelling`); in which order tasks
//! are resumed (`schedule`, `dispatch`).

pub(crate) mod cancelling;
mod ending;
mod group;
pub(crate) mod traverse;

pub(crate) use cancelling::{cancel, cancel_wait};
pub(crate) use group::{answer, settle};
use mlua::{Function, IntoLuaMulti, Lua, MultiValue, Thread, Value};

use crate::script::state::code_name::CodeName;
use crate::script::state::owners::Owners;
use crate::script::state::runtime::Runtime;
use crate::script::state::tasks::{NewTask, Task, TaskRole, Tasks, Why};
use crate::script::state::wait::Outcome;
use crate::script::state::waits::{Answering, Delivery, Pending, TaskPause, WaitResult};
use crate::script::state::work::ScriptWork;
use crate::script::step::invoke::{self, Call};
use crate::script::step::task::cancelling::forget;
use crate::script::step::wait::TaskId;
use crate::script::step::{dialogue, testing};
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{Resumed, ScriptVm, handles, store};
use crate::world::owner::Owner;

/// Adds a task that has not begun, and counts it with its owner; its number.
fn insert(tasks: &mut Tasks, owners: &mut Owners, spawn: NewTask) -> u64 {
    if let Some(record) = owners.get_mut(spawn.owner) {
        record.tasks += 1;
    }
    tasks.add(spawn)
}

/// A new task that begins after the running code has returned: at the end of step 3, or in the next round of
/// step 12.
pub(crate) fn spawn(lua: &Lua, spawn: NewTask) -> u64 {
    let (id, later) = store::with(lua, |runtime| {
        let id = insert(&mut runtime.tasks, &mut runtime.owners, spawn);
        let later = runtime.clock.step == 12;
        if !later {
            runtime.tasks.spawned.push_back(id);
        }
        (id, later)
    });
    if later {
        store::push_work(lua, ScriptWork::Begin(id));
    }
    id
}

/// A new task, which the caller begins when its turn comes.
pub(crate) fn add(lua: &Lua, spawn: NewTask) -> u64 {
    store::with(lua, |runtime| insert(&mut runtime.tasks, &mut runtime.owners, spawn))
}

/// The handle of a task.
pub(crate) fn handle(lua: &Lua, id: u64) -> mlua::Result<Value> {
    store::with(lua, |runtime| runtime.tasks.note_handle(id));
    handles::make(lua, TaskId(id))
}

/// A task whose call is the current one.
struct Entered {
    id: u64,
    owner: Owner,
    thread: Thread,
    /// The call that was under way before.
    before: Option<Call>,
}

impl Entered {
    /// The call of task `id` becomes the current one. None when the task has ended or has not begun.
    fn of(runtime: &mut Runtime, id: u64) -> Option<Self> {
        let task = runtime.tasks.get(id)?;
        let (owner, thread) = (task.owner, task.thread.clone()?);
        let call = Call { owner, callback: task.callback.clone(), task: Some(id) };
        Some(Self { id, owner, thread, before: runtime.running.replace(Some(call)) })
    }

    /// Lets it run until it waits or ends, and does what follows from that.
    fn run(self, vm: &ScriptVm, values: impl IntoLuaMulti) {
        let result = vm.resume(&self.thread, values, vm.limits().fuel_per_call);
        self.leave(vm, result);
    }

    /// The same after a wait that is over and has no results.
    fn go_on(self, vm: &ScriptVm) {
        let result = vm.go_on(&self.thread, vm.limits().fuel_per_call);
        self.leave(vm, result);
    }

    /// It has returned to the host.
    fn leave(self, vm: &ScriptVm, result: Result<Resumed, CallFailure>) {
        let Self { id, owner, thread, before } = self;
        let (call, left) = store::with(vm.lua(), |runtime| {
            let call = runtime.running.replace(before);
            (call, leave_quietly(vm, runtime, id, owner, &result))
        });
        match left {
            Some(TaskExit::Waiting(known)) => answer_known(vm.lua(), known),
            Some(TaskExit::Returned) => vm.keep_idle(thread),
            None => {
                let call = call.unwrap_or(Call { owner, callback: CodeName::Fixed("task"), task: Some(id) });
                invoke::look_after(vm, &call);
                after(vm, id, &call, result);
            }
        }
    }
}

/// How a task has left, when nothing else had to be done.
enum TaskExit {
    /// It waits; for the host to say what is known already.
    Waiting(Vec<(Answering, Outcome)>),
    /// It was a handler and has returned.
    Returned,
}

/// What comes after a call of nearly every task: none when there is more to do.
fn leave_quietly(
    vm: &ScriptVm,
    runtime: &mut Runtime,
    id: u64,
    owner: Owner,
    result: &Result<Resumed, CallFailure>,
) -> Option<TaskExit> {
    let Ok(resumed) = result else { return None };
    if !runtime.tasks.go_the_short_way() || !invoke::is_quiet_after(vm, runtime, owner) {
        return None;
    }
    if let Resumed::Yielded(asked) = resumed {
        runtime.tasks.has_left();
        return Some(TaskExit::Waiting(begin_wait(runtime, id, asked)));
    }
    runtime.tasks.take_returned(id)?;
    runtime.tasks.has_left();
    forget(runtime, owner, id);
    Some(TaskExit::Returned)
}

/// Begins a task that has not begun.
pub(crate) fn begin(vm: &ScriptVm, id: u64) {
    begin_in(vm, id, vm.task());
}

fn begin_in(vm: &ScriptVm, id: u64, thread: mlua::Result<Thread>) {
    let found = store::with(vm.lua(), |runtime| {
        let paused = runtime.tasks.owner_of(id).is_some_and(|owner| runtime.owners.is_paused(owner));
        let task = runtime.tasks.get_mut(id)?;
        if paused {
            // Begins when the owner goes on: a sleep that is over at once.
            task.serial = u64::MAX;
            return None;
        }
        let start = *task.start.take()?;
        let call = Call { owner: task.owner, callback: task.callback.clone(), task: Some(id) };
        task.thread = thread.as_ref().ok().cloned();
        Some((Entered::of(runtime, id).ok_or(call), start))
    });
    match (found, thread) {
        (Some((Ok(entered), (function, args))), _) => entered.run(vm, (function, args)),
        (Some((Err(call), _)), Err(error)) => after(vm, id, &call, Err(no_memory(&error))),
        _ => {}
    }
}

fn no_memory(error: &mlua::Error) -> CallFailure {
    CallFailure::new(FaultKind::Memory, error.to_string(), None)
}

/// A function of a script that is called now, as a task of its owner.
pub(crate) struct Called<'call> {
    pub(crate) owner: Owner,
    pub(crate) callback: CodeName,
    pub(crate) role: TaskRole,
    pub(crate) function: &'call Function,
    /// `self` or the scene, for a function that was given by its name.
    pub(crate) receiver: Option<Value>,
    pub(crate) payload: &'call Value,
}

/// Calls a function as a task. The result is the same as with a task that is added and begun, but its record
/// is put among the others only when it waits.
pub(crate) fn call(vm: &ScriptVm, called: Called<'_>) {
    let lua = vm.lua();
    let Called { owner, callback, role, function, receiver, payload } = called;
    let thread = match vm.task() {
        Ok(thread) if store::with(lua, |runtime| runtime.tasks.go_the_short_way()) => thread,
        thread => {
            let (function, name) = (function.clone(), None);
            let args = receiver.into_iter().chain([payload.clone()]).collect();
            let id = add(lua, NewTask { owner, callback, role, function, args, name });
            return begin_in(vm, id, thread);
        }
    };
    let entered = store::with(lua, |runtime| {
        if let Some(record) = runtime.owners.get_mut(owner) {
            record.tasks += 1;
        }
        let task = Task { thread: Some(thread.clone()), ..Task::new(owner, callback.clone(), role) };
        let id = runtime.tasks.add_called(task);
        let before = runtime.running.replace(Some(Call { owner, callback, task: Some(id) }));
        Entered { id, owner, thread, before }
    });
    match receiver {
        None => entered.run(vm, (function, payload)),
        Some(receiver) => entered.run(vm, (function, receiver, payload)),
    }
}

/// Lets a waiting task go on with `answer`, unless it waits for something else by now.
pub(crate) fn resume(vm: &ScriptVm, id: u64, serial: u64, answer: WaitResult) {
    let lua = vm.lua();
    let Some(answer) = testing::hold(lua, id, serial, answer) else {
        return;
    };
    let found = store::with(lua, |runtime| {
        let task = runtime.tasks.get(id).filter(|task| task.serial == serial)?;
        let owner = task.owner;
        task.thread.as_ref()?;
        if runtime.owners.get(owner).is_some_and(|record| record.is_gone()) {
            return None;
        }
        let is_behind = runtime.queue.delivers_soon(owner);
        if let Some(record) = runtime.owners.get_mut(owner)
            && (record.is_paused() || is_behind)
        {
            // The first answer counts: later ones find another serial, so they need not be kept.
            let is_same =
                |kept: &Delivery| matches!(kept, Delivery::Resume { serial: other, .. } if *other == serial);
            if !record.kept.iter().any(is_same) {
                record.kept.push_back(Delivery::Resume { task: id, serial, answer: answer.clone() });
            }
            return None;
        }
        runtime.tasks.unwait(id);
        Entered::of(runtime, id)
    });
    let Some(entered) = found else {
        return;
    };
    match into_values(lua, answer) {
        Ok(values) => entered.run(vm, values),
        Err(error) => {
            let call = store::with(lua, |runtime| runtime.running.replace(entered.before));
            if let Some(call) = call {
                after(vm, id, &call, Err(no_memory(&error)));
            }
        }
    }
}

/// The values the waiting wrapper is resumed with: whether the wait went well, then its results.
fn into_values(lua: &Lua, answer: WaitResult) -> mlua::Result<MultiValue> {
    let mut values = MultiValue::new();
    match answer {
        WaitResult::Values(results) => {
            values.push_back(Value::Boolean(true));
            values.extend(results);
        }
        WaitResult::Table(entries) => {
            values.push_back(Value::Boolean(true));
            let table = lua.create_table()?;
            for (key, value) in entries {
                table.raw_set(key, value)?;
            }
            values.push_back(Value::Table(table));
        }
        WaitResult::Error(message) => {
            values.push_back(Value::Boolean(false));
            values.push_back(Value::String(lua.create_string(message)?));
        }
    }
    Ok(values)
}

/// What a task did: it waits, it is done, it failed.
fn after(vm: &ScriptVm, id: u64, call: &Call, result: Result<Resumed, CallFailure>) {
    let lua = vm.lua();
    store::with(lua, |runtime| runtime.tasks.has_left());
    match result {
        Ok(Resumed::Yielded(asked)) => {
            let known = store::with(lua, |runtime| begin_wait(runtime, id, &asked));
            answer_known(lua, known);
        }
        Ok(Resumed::Done(value)) => ending::done(vm, id, value),
        Err(failure) => ending::failed(vm, id, call, failure),
    }
    invoke::clean_up(vm);
}

/// Begins the wait that was asked for, with the value that was yielded; a bare yield waits a tick. Gives the
/// results that are known already.
fn begin_wait(runtime: &mut Runtime, id: u64, yielded: &Value) -> Vec<(Answering, Outcome)> {
    let asked = match yielded {
        Value::Integer(serial) => u64::try_from(*serial).ok(),
        Value::Number(serial) => Some(*serial as u64),
        _ => None,
    };
    if let Some((serial, until)) = runtime.running.sleep.take()
        && Some(serial) == asked
    {
        runtime.tasks.sleep(id, serial, until, runtime.clock.now);
        return Vec::new();
    }
    let pending = runtime.running.pending.take().filter(|pending| Some(pending.serial) == asked);
    let pending = pending.unwrap_or_else(|| Pending {
        serial: runtime.tasks.next_serial(),
        pause: TaskPause::Until(runtime.clock.now.after(1)),
        known: Vec::new(),
    });
    let serial = pending.serial;
    let known = runtime.tasks.wait_for(id, pending, runtime.clock.now);
    if known.is_empty() {
        return Vec::new();
    }
    let answer = |(entry, outcome)| (Answering { task: id, serial, entry }, outcome);
    known.into_iter().map(answer).collect()
}

fn answer_known(lua: &Lua, known: Vec<(Answering, Outcome)>) {
    for (answering, outcome) in known {
        store::push_work(lua, ScriptWork::Answer(answering, outcome));
    }
}

/// The time of a task is over, or its predicate is to be tested: what step 3 does with it. The level test is
/// left for its own turn.
pub(crate) fn wake_in_order(vm: &ScriptVm, id: u64) {
    match store::with(vm.lua(), |runtime| Woken::of(runtime, id)) {
        Some(Woken::Slept(entered)) => entered.go_on(vm),
        _ if testing::wakes_later(vm.lua(), id) => {}
        Some(Woken::Paused(paused)) => paused.wake(vm),
        None => {}
    }
}

/// The same for the level test when its turn has come, and for a task of a scene that is skipped.
pub(crate) fn wake(vm: &ScriptVm, id: u64) {
    match store::with(vm.lua(), |runtime| Woken::of(runtime, id)) {
        Some(Woken::Slept(entered)) => entered.go_on(vm),
        Some(Woken::Paused(paused)) => paused.wake(vm),
        None => {}
    }
}

/// A task that waits for an event goes on when its `where` says so.
pub(crate) fn wake_waiter(vm: &ScriptVm, waiter: Answering, payload: &Value) {
    let lua = vm.lua();
    let found = store::with(lua, |runtime| {
        let owner = runtime.tasks.owner_of(waiter.task)?;
        let (serial, pause) = runtime.tasks.pause_of(waiter.task)?;
        match pause {
            TaskPause::Event { test, .. } if serial == waiter.serial => Some((owner, test.clone())),
            _ => None,
        }
    });
    let Some((owner, test)) = found else {
        return;
    };
    let passes = match test {
        None => Ok(true),
        Some(test) => invoke::test(vm, &Call::plain(owner, "where"), &test, payload.clone()),
    };
    match passes {
        Ok(true) => answer(vm, waiter, Outcome::Value(payload.clone())),
        Ok(false) => {}
        Err(failure) => answer(vm, waiter, Outcome::Failed(failure.message)),
    }
}

/// What step 3 finds of a task.
enum Woken {
    /// It has slept long enough, and goes on.
    Slept(Entered),
    /// It waits for something.
    Paused(WaitingTask),
}

/// A task that waits.
struct WaitingTask {
    id: u64,
    owner: Owner,
    serial: u64,
    pause: TaskPause,
    /// Whether the time of the wait is over.
    is_over: bool,
}

impl Woken {
    fn of(runtime: &mut Runtime, id: u64) -> Option<Self> {
        let now = runtime.clock.now;
        let task = runtime.tasks.get(id)?;
        let (owner, serial) = (task.owner, task.serial);
        if runtime.owners.is_paused(owner) {
            return None;
        }
        let pause = task.pause.as_ref()?;
        if let TaskPause::Until(tick) = pause
            && !runtime.has_test
            && runtime.tasks.go_the_short_way()
            && task.thread.is_some()
        {
            if *tick > now {
                return None;
            }
            let (owner, callback, thread) = runtime.tasks.end_sleep(id)?;
            let before = runtime.running.replace(Some(Call { owner, callback, task: Some(id) }));
            return Some(Self::Slept(Entered { id, owner, thread, before }));
        }
        let pause = pause.clone();
        let is_over = pause.end().is_some_and(|tick| tick <= now);
        Some(Self::Paused(WaitingTask { id, owner, serial, pause, is_over }))
    }
}

impl WaitingTask {
    /// Tests a predicate, or ends a wait whose time is over.
    fn wake(self, vm: &ScriptVm) {
        let lua = vm.lua();
        let Self { id, owner, serial, pause, is_over } = self;
        match pause {
            TaskPause::Test { predicate, asked_by, .. } => {
                let call = Call::plain(owner, asked_by);
                match invoke::test(vm, &call, &predicate, ()) {
                    Ok(true) => resume(vm, id, serial, WaitResult::one(Value::Boolean(true))),
                    Ok(false) if is_over => resume(vm, id, serial, WaitResult::one(Value::Boolean(false))),
                    Ok(false) => {}
                    // The error is the task's: it is raised where it waits.
                    Err(failure) => resume(vm, id, serial, WaitResult::Error(failure.message)),
                }
            }
            _ if !is_over => {}
            TaskPause::Until(_) => resume(vm, id, serial, WaitResult::Values(Vec::new())),
            TaskPause::Event { .. } => resume(vm, id, serial, WaitResult::one(Value::Nil)),
            TaskPause::Host(asked) => {
                resume(vm, id, serial, WaitResult::one(dialogue::fallback(lua, &asked)))
            }
            TaskPause::Group { entries, .. } => {
                for entry in entries.iter().filter(|entry| entry.outcome.is_none()) {
                    cancel_wait(lua, entry.wait, Why::LostRace);
                }
                invoke::clean_up(vm);
                resume(vm, id, serial, WaitResult::one(Value::Boolean(false)));
            }
            TaskPause::One { .. } => {}
        }
    }
}
