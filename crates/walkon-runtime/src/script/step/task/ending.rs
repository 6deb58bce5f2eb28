//! The end of tasks by themselves: done, or failed.
//!
//! In: results, failures. Out: waiting tasks are told, `task.onCancel` functions are queued, the owner of the
//! task learns of it. Holds: a task ends once; nothing runs inside the call that ends it. Not here: tasks
//! that are cancelled (`cancelling`), what the end of an entry means for its group (`group`).

use mlua::Value;

use crate::script::state::tasks::{Task, TaskRole, Why};
use crate::script::state::trees::ActionEnd;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::step::invoke::{self, Call};
use crate::script::step::task::cancelling::{end_traverse, queue_cleanups, take};
use crate::script::step::{testing, timer, wait};
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{ScriptVm, store};
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
        store::with(lua, |runtime| runtime.cinematics.scenes.script_returned(scene));
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
        TaskRole::Traverse { .. } => end_traverse(lua, &task, TraverseEnd::Failed),
        // The fault itself ends the scene: see `reports::report`.
        TaskRole::SceneScript(_) | TaskRole::Plain | TaskRole::Entry | TaskRole::TimerHandler(_) => {}
    }
    if !is_heard || is_budget || task.role == TaskRole::TreeAction {
        invoke::report(vm, &to_blame(&task, call), failure);
    }
}

/// The call that a fault is told of. The code that takes a walk over a link is the behaviour's, even where a
/// scene owns the task.
fn to_blame(task: &Task, call: &Call) -> Call {
    match task.role {
        TaskRole::Traverse { behaviour: owner, .. } => Call { owner, ..call.clone() },
        _ => call.clone(),
    }
}
