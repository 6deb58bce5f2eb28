//! Cancelling a task, together with what it waits for.
//!
//! In: tasks and waits to end. Out: waiting tasks are told, `task.onCancel` functions are queued. Holds: a
//! task ends once; no code runs here; one that ends unfinished ends what it waited for, except that walks
//! outlive a reload. Not here: tasks that return or fail (`ending`).

use mlua::Lua;

use crate::base::ids::WalkId;
use crate::script::state::running::Cleanup;
use crate::script::state::runtime::Runtime;
use crate::script::state::tasks::{Task, TaskRole, Why};
use crate::script::state::trees::ActionEnd;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::waits::TaskPause;
use crate::script::step::{timer, wait};
use crate::script::vm::{lend, store};
use crate::world::World;
use crate::world::ops;
use crate::world::ops::walks::TraverseEnd;
use crate::world::owner::Owner;

/// Removes a task that is over from the counts and lists of tasks.
pub(super) fn forget(runtime: &mut Runtime, owner: Owner, id: u64) {
    if let Some(skip) = runtime.skip_of(owner) {
        skip.forget(id);
    }
    if let Some(record) = runtime.owners.get_mut(owner) {
        record.tasks = record.tasks.saturating_sub(1);
    }
}

/// The walk that a task takes over a link goes on at its far end, or ends before it.
pub(super) fn end_traverse(lua: &Lua, task: &Task, end: TraverseEnd) {
    if let TaskRole::Traverse { walk, .. } = task.role {
        // Between phases there is no world, and the level has ended.
        let _ = lend::with_world(lua, |world: &mut World| ops::walks::end_traverse(world, walk, end));
    }
}

/// Takes a task out of all tables.
pub(super) fn take(lua: &Lua, id: u64) -> Option<Task> {
    store::with(lua, |runtime| {
        let task = runtime.tasks.take(id, runtime.running.task())?;
        forget(runtime, task.owner, id);
        Some(task)
    })
}

pub(super) fn queue_cleanups(lua: &Lua, task: &Task, why: Why) {
    store::with(lua, |runtime| {
        for function in task.cleanups.iter().rev() {
            let cleanup = Cleanup { owner: task.owner, function: function.clone(), why };
            runtime.running.clean_up_later(cleanup);
        }
    });
}

/// What is left to do while tasks end; the last entry comes next.
#[derive(Clone, Copy, Debug)]
enum LeftToEnd {
    /// A task waited for this.
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

/// Ends what a task waited for: walks, timers, paths, tasks. A door goes on moving.
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
            LeftToEnd::Outlived(owner, walk) => {
                store::with(lua, |runtime| runtime.registered.handlers.lose_waiter(walk, owner));
            }
            LeftToEnd::Told(task) => wait::tell(lua, Wait::Task(task), Outcome::Cancelled),
        }
    }
}

/// The waits of a task that end with it, or that outlive it and are to be reported, in order.
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

/// Ends a wait for something other than a task.
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
    // Code that a reload replaces counts as done.
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
