//! Tasks: coroutines that the host resumes.
//!
//! In: functions to run, waits that tasks ask for, results. Out: tasks begun, resumed, woken. Holds: a task
//! is resumed once for each wait (a late or second answer finds another serial and is dropped); nothing runs
//! inside the call that started it. Not here: what tasks wait for (`state::waits`), who waits
//! (`state::tasks`), waits over several things (`group`), ends (`ending`); in which order tasks are resumed
//! (`schedule`, `dispatch`).

mod ending;
mod group;

use mlua::{Lua, MultiValue, Value};

use crate::script::state::owners::Owners;
use crate::script::state::tasks::{NewTask, Tasks, Why};
use crate::script::state::waits::{Answering, Delivery, Pending, TaskPause, WaitResult};
use crate::script::state::work::ScriptWork;
use crate::script::step::invoke::{self, Call};
use crate::script::step::wait::TaskId;
use crate::script::step::{dialogue, testing};
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{Resumed, ScriptVm, handles, store};

pub(crate) use ending::{cancel, cancel_wait};
pub(crate) use group::answer;

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

/// A new task, which the caller begins when its turn comes: handlers at once, the level test later.
pub(crate) fn add(lua: &Lua, spawn: NewTask) -> u64 {
    store::with(lua, |runtime| insert(&mut runtime.tasks, &mut runtime.owners, spawn))
}

/// The handle of a task.
pub(crate) fn handle(lua: &Lua, id: u64) -> mlua::Result<Value> {
    handles::make(lua, TaskId(id))
}

/// Begins a task that has not begun.
pub(crate) fn begin(vm: &ScriptVm, id: u64) {
    let thread = vm.task();
    let found = store::with(vm.lua(), |runtime| {
        let paused = runtime.tasks.owner_of(id).is_some_and(|owner| runtime.owners.is_paused(owner));
        let task = runtime.tasks.get_mut(id)?;
        if paused {
            // Begins when the owner goes on: a sleep that is over at once.
            task.serial = u64::MAX;
            return None;
        }
        let (function, args) = task.start.take()?;
        Some((Call { owner: task.owner, callback: task.callback.clone(), task: Some(id) }, function, args))
    });
    let Some((call, function, args)) = found else {
        return;
    };
    let result = match thread {
        Ok(thread) => {
            store::with(vm.lua(), |runtime| {
                if let Some(task) = runtime.tasks.get_mut(id) {
                    task.thread = Some(thread.clone());
                }
            });
            invoke::within(vm, &call, || vm.resume(&thread, (function, args), vm.limits().fuel_per_call))
        }
        Err(error) => Err(CallFailure::new(FaultKind::Memory, error.to_string(), None)),
    };
    after(vm, id, &call, result);
}

/// Lets a waiting task go on with `answer`, unless it waits for something else by now.
pub(crate) fn resume(vm: &ScriptVm, id: u64, serial: u64, answer: WaitResult) {
    let lua = vm.lua();
    let Some(answer) = testing::hold(lua, id, serial, answer) else {
        return;
    };
    let found = store::with(lua, |runtime| {
        let task = runtime.tasks.get(id).filter(|task| task.serial == serial)?;
        let (owner, callback, thread) = (task.owner, task.callback.clone(), task.thread.clone()?);
        if runtime.owners.get(owner).is_some_and(|record| record.is_gone()) {
            return None;
        }
        if let Some(record) = runtime.owners.get_mut(owner)
            && record.is_paused()
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
        Some((Call { owner, callback, task: Some(id) }, thread))
    });
    let Some((call, thread)) = found else {
        return;
    };
    let result = match into_values(lua, answer) {
        Ok(values) => invoke::within(vm, &call, || vm.resume(&thread, values, vm.limits().fuel_per_call)),
        Err(error) => Err(CallFailure::new(FaultKind::Memory, error.to_string(), None)),
    };
    after(vm, id, &call, result);
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
        Ok(Resumed::Yielded(values)) => wait_or_tick(lua, id, values),
        Ok(Resumed::Done(values)) => {
            let first = values.into_iter().next().unwrap_or(Value::Nil);
            ending::done(vm, id, first);
        }
        Err(failure) => ending::failed(vm, id, call, failure),
    }
    invoke::clean_up(vm);
}

/// Begins the wait that was asked for; a bare yield waits a tick.
fn wait_or_tick(lua: &Lua, id: u64, values: MultiValue) {
    let asked = match values.front() {
        Some(Value::Integer(serial)) => u64::try_from(*serial).ok(),
        Some(Value::Number(serial)) => Some(*serial as u64),
        _ => None,
    };
    let known = store::with(lua, |runtime| {
        let pending = runtime.running.pending.take().filter(|pending| Some(pending.serial) == asked);
        let pending = pending.unwrap_or_else(|| Pending {
            serial: runtime.tasks.next_serial(),
            pause: TaskPause::Until(runtime.clock.now.after(1)),
            known: Vec::new(),
        });
        runtime.tasks.wait_for(id, &pending, runtime.clock.now);
        let serial = pending.serial;
        pending
            .known
            .into_iter()
            .map(move |(entry, outcome)| (Answering { task: id, serial, entry }, outcome))
    });
    for (answering, outcome) in known {
        store::push_work(lua, ScriptWork::Answer(answering, outcome));
    }
}

/// The time of a task is over, or its predicate is to be tested: what step 3 does with it.
pub(crate) fn wake(vm: &ScriptVm, id: u64) {
    let lua = vm.lua();
    let found = store::with(lua, |runtime| {
        let now = runtime.clock.now;
        let owner = runtime.tasks.owner_of(id)?;
        if runtime.owners.is_paused(owner) {
            return None;
        }
        let (serial, pause) = runtime.tasks.pause_of(id)?;
        let mut pause = pause.clone();
        let is_over = pause.deadline().is_some_and(|tick| *tick <= now);
        Some((owner, serial, pause, is_over))
    });
    let Some((owner, serial, pause, is_over)) = found else {
        return;
    };
    match pause {
        TaskPause::Test { predicate, .. } => {
            let call = Call::plain(owner, "waitUntil");
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
        TaskPause::Host(asked) => resume(vm, id, serial, WaitResult::one(dialogue::fallback(lua, &asked))),
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
