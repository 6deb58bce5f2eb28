//! How tasks end: done, failed, or cancelled with what they wait for.
//!
//! In: results, failures, cancellations. Out: waiting tasks are told, `task.onCancel` functions are queued,
//! the owner of the task learns of it. Holds: a task ends once; nothing runs inside the call that ends it;
//! one that ends unfinished ends what it waited for, except that walks outlive a reload. Not here: what the
//! end of an entry means for its group (`group`).

use mlua::{Lua, Value};

use crate::base::ids::WalkId;
use crate::script::state::running::Cleanup;
use crate::script::state::tasks::{Task, TaskRole, Why};
use crate::script::state::trees::ActionEnd;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::waits::TaskPause;
use crate::script::step::invoke::{self, Call};
use crate::script::step::task::forget;
use crate::script::step::{cinematic, handlers, testing, timer, wait};
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{ScriptVm, lend, store};
use crate::world::World;
use crate::world::ops;
use crate::world::ops::walks::TraverseEnd;
use crate::world::owner::Owner;

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
    wait::tell(lua, Wait::Task(id), Outcome::Value(value));
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
    wait::tell(lua, Wait::Task(id), Outcome::Failed(message));
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

/// What is left to do of an end: the last of them is next.
#[derive(Clone, Copy, Debug)]
enum LeftToEnd {
    /// Somebody waited for this.
    Wait(Wait),
    /// The task of this owner waited for a walk that outlives its code.
    Outlived(Owner, WalkId),
    /// All that the task waited for has ended.
    Told(u64),
}

/// Ends a task unfinished, with what it waits for; false when it is over.
pub(crate) fn cancel(lua: &Lua, id: u64, why: Why) -> bool {
    let mut left = Vec::new();
    let was_there = cancel_one(lua, id, why, &mut left);
    end_all(lua, left, why);
    was_there
}

/// Ends what somebody waited for: walks, timers, paths, tasks. A door goes on moving.
pub(crate) fn cancel_wait(lua: &Lua, wait: Wait, why: Why) {
    end_all(lua, vec![LeftToEnd::Wait(wait)], why);
}

/// Ends what is left, a task behind all that it waited for. Scripts make chains of thousands of tasks that
/// wait for one another: as calls within calls these would need more stack than there is. Bounded: a task
/// ends once.
fn end_all(lua: &Lua, mut left: Vec<LeftToEnd>, why: Why) {
    while let Some(next) = left.pop() {
        match next {
            LeftToEnd::Wait(Wait::Task(task)) => {
                cancel_one(lua, task, why, &mut left);
            }
            LeftToEnd::Wait(wait) => end_wait(lua, wait, why),
            LeftToEnd::Outlived(owner, walk) => handlers::note_reload(lua, owner, walk),
            LeftToEnd::Told(task) => wait::tell(lua, Wait::Task(task), Outcome::Cancelled),
        }
    }
}

/// What a task waits for that ends with it, or that outlives it and is to be told of, in order.
fn waits_to_end(pause: &TaskPause, why: Why) -> Vec<Wait> {
    match pause {
        TaskPause::One { wait: wait @ Wait::Walk(_), .. } if why == Why::Reload => vec![*wait],
        TaskPause::One { wait, owned: true } => vec![*wait],
        TaskPause::Group { entries, .. } => {
            entries.iter().filter(|entry| entry.outcome.is_none()).map(|entry| entry.wait).collect()
        }
        _ => Vec::new(),
    }
}

/// Ends something that is no task.
fn end_wait(lua: &Lua, wait: Wait, why: Why) {
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
        Wait::Task(_)
        | Wait::DoorMove(_)
        | Wait::Turn(_)
        | Wait::Play(_)
        | Wait::Scene(_)
        | Wait::Change(_) => {}
    }
}

/// Ends a task unfinished; what it waited for, and the news of its end, are left to do. False when it is
/// over.
fn cancel_one(lua: &Lua, id: u64, why: Why, left: &mut Vec<LeftToEnd>) -> bool {
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
    left.push(LeftToEnd::Told(id));
    let waits = pause.map_or_else(Vec::new, |pause| waits_to_end(&pause, why));
    left.extend(waits.into_iter().rev().map(|wait| match wait {
        // The code that waited is gone, the walk goes on: its result is news to the code that comes.
        Wait::Walk(walk) if why == Why::Reload => LeftToEnd::Outlived(task.owner, walk),
        wait => LeftToEnd::Wait(wait),
    }));
    true
}
