//! How tasks end: done, failed, or cancelled with what they wait for.
//!
//! In: results, failures, cancellations. Out: waiting tasks are told, `task.onCancel` functions are queued,
//! the owner of the task learns of it. Holds: a task ends once; nothing runs inside the call that ends it;
//! one that ends unfinished ends what it waited for, except that walks outlive a reload. Not here: what the
//! end of an entry means for its group (`group`).

use mlua::{Lua, Value};

use crate::script::state::running::Cleanup;
use crate::script::state::tasks::{Task, TaskRole, Why};
use crate::script::state::trees::ActionEnd;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::waits::TaskPause;
use crate::script::state::work::ScriptWork;
use crate::script::step::invoke::{self, Call};
use crate::script::step::task::forget;
use crate::script::step::{cinematic, handlers, testing, timer, wait};
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{ScriptVm, lend, store};
use crate::world::World;
use crate::world::ops;
use crate::world::ops::walks::TraverseEnd;

/// A task returned.
pub(super) fn done(vm: &ScriptVm, id: u64, value: Value) {
    let lua = vm.lua();
    let Some(mut task) = take(lua, id) else {
        return;
    };
    task.thread.take().into_iter().for_each(|thread| vm.keep_idle(thread));
    if let TaskRole::TimerHandler(timer) = task.role
        && value == Value::Boolean(false)
    {
        timer::end(lua, timer);
    }
    if let TaskRole::SceneScript(scene) = task.role {
        cinematic::script_returned(lua, scene);
    }
    if task.role == TaskRole::Test {
        testing::returned(lua, value.clone());
    }
    let is_over = value != Value::Boolean(false);
    end_traverse(lua, &task, if is_over { TraverseEnd::Over } else { TraverseEnd::Failed });
    if task.role == TaskRole::TreeAction {
        let end = ActionEnd::Returned(value != Value::Boolean(false));
        store::with(lua, |runtime| runtime.actors.trees.action_over(id, end));
    }
    tell(lua, id, Outcome::Value(value));
}

/// A task raised, or its budget was spent.
pub(super) fn failed(vm: &ScriptVm, id: u64, call: &Call, failure: CallFailure) {
    let lua = vm.lua();
    let Some(task) = take(lua, id) else {
        invoke::report(vm, call, failure);
        return;
    };
    queue_cleanups(lua, &task, Why::Fault);
    let message = failure.message.clone();
    let is_budget = !matches!(failure.kind, FaultKind::Error | FaultKind::Data);
    let is_heard = store::with(lua, |runtime| runtime.tasks.has_waiters(Wait::Task(id)));
    tell(lua, id, Outcome::Failed(message));
    match task.role {
        TaskRole::Run => store::with(lua, |runtime| {
            let again = runtime.clock.after_seconds(1.0);
            runtime.owners.set_run_again(task.owner, Some(again));
        }),
        TaskRole::TreeAction => {
            store::with(lua, |runtime| runtime.actors.trees.action_over(id, ActionEnd::Faulted))
        }
        TaskRole::Test => testing::broken(lua, &failure),
        // The fault itself ends the scene: see `invoke::report`.
        TaskRole::Traverse(_) => end_traverse(lua, &task, TraverseEnd::Failed),
        TaskRole::SceneScript(_) | TaskRole::Plain | TaskRole::Entry | TaskRole::TimerHandler(_) => {}
    }
    if !is_heard || is_budget || task.role == TaskRole::TreeAction {
        invoke::report(vm, call, failure);
    }
}

/// The walk that a task takes over a link goes on at its far end, or ends before it.
fn end_traverse(lua: &Lua, task: &Task, end: TraverseEnd) {
    if let TaskRole::Traverse(walk) = task.role {
        // Between phases there is no world, and the level has ended.
        let _ = lend::with_world(lua, |world: &mut World| ops::walks::end_traverse(world, walk, end));
    }
}

/// Takes a task out of all tables.
fn take(lua: &Lua, id: u64) -> Option<Task> {
    store::with(lua, |runtime| {
        let task = runtime.tasks.take(id, runtime.running.task())?;
        forget(runtime, task.owner, id);
        Some(task)
    })
}

fn queue_cleanups(lua: &Lua, task: &Task, why: Why) {
    store::with(lua, |runtime| {
        for function in task.cleanups.iter().rev() {
            let cleanup = Cleanup { owner: task.owner, function: function.clone(), why };
            runtime.running.clean_up_later(cleanup);
        }
    });
}

/// Keeps the result with the handle, and queues it for waiting tasks.
fn tell(lua: &Lua, id: u64, outcome: Outcome) {
    let wait = Wait::Task(id);
    // Without memory for the result there is none; the task is over all the same.
    let _ = wait::latch(lua, wait, &outcome);
    if store::with(lua, |runtime| runtime.tasks.has_waiters(wait)) {
        store::push_work(lua, ScriptWork::Settled(wait, outcome));
    }
}

/// Ends a task unfinished, with what it waits for; false when it is over.
pub(crate) fn cancel(lua: &Lua, id: u64, why: Why) -> bool {
    let pause = store::with(lua, |runtime| runtime.tasks.unwait(id));
    let Some(task) = take(lua, id) else {
        return false;
    };
    queue_cleanups(lua, &task, why);
    if task.role == TaskRole::TreeAction {
        store::with(lua, |runtime| runtime.actors.trees.action_over(id, ActionEnd::Returned(false)));
    }
    // Code that is replaced has as good as done it.
    end_traverse(lua, &task, if why == Why::Reload { TraverseEnd::Over } else { TraverseEnd::Failed });
    match pause {
        // The code that waited is gone, the walk goes on: its result is news to the code that comes.
        Some(TaskPause::One { wait: Wait::Walk(walk), .. }) if why == Why::Reload => {
            handlers::note_reload(lua, task.owner, walk);
        }
        Some(TaskPause::One { wait, owned: true }) => cancel_wait(lua, wait, why),
        Some(TaskPause::Group { entries, .. }) => {
            for entry in entries.iter().filter(|entry| entry.outcome.is_none()) {
                match entry.wait {
                    Wait::Walk(walk) if why == Why::Reload => {
                        handlers::note_reload(lua, task.owner, walk);
                    }
                    wait => cancel_wait(lua, wait, why),
                }
            }
        }
        _ => {}
    }
    tell(lua, id, Outcome::Cancelled);
    true
}

/// Ends what somebody waited for: walks, timers, paths, tasks. A door goes on moving.
pub(crate) fn cancel_wait(lua: &Lua, wait: Wait, why: Why) {
    match wait {
        Wait::Walk(walk) => {
            let because = store::with(lua, |runtime| runtime.running.failed_branch.clone());
            let _ = lend::with_world(lua, |world: &mut World| match because {
                Some(because) => ops::walks::cancel_because(world, walk, why.reason(), &because),
                None => ops::walks::cancel(world, walk, why.reason()),
            });
        }
        Wait::Path(token) => {
            let _ = lend::with_world(lua, |world: &mut World| ops::paths::cancel(world, token));
            store::with(lua, |runtime| runtime.registered.handlers.forget_path(token));
        }
        Wait::Timer(timer) => {
            timer::end(lua, timer);
        }
        Wait::Task(task) => {
            cancel(lua, task, why);
        }
        Wait::DoorMove(_) | Wait::Turn(_) | Wait::Play(_) | Wait::Scene(_) | Wait::Change(_) => {}
    }
}
