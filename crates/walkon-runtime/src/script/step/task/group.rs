//! Results for waiting tasks, and waits over several entries: `task.all`, `task.race`, `task.timeout`.
//!
//! In: results for a task or for one of the entries it waits for. Out: the task resumed when that decides its
//! wait, the other entries ended. Holds: an entry counts once; the others have ended before the task goes on.
//! Not here: which results are there already when a wait begins (`wait_requests`), the end of its time
//! (`task`).

use mlua::Value;

use crate::script::state::tasks::Why;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::waits::{Answering, GroupEntry, GroupKind, TaskPause, WaitResult};
use crate::script::step::task::cancelling::cancel_wait;
use crate::script::step::task::resume;
use crate::script::step::{invoke, wait};
use crate::script::vm::convert::describe;
use crate::script::vm::{ScriptVm, store};

/// What the end of an entry means for its group.
enum GroupStep {
    Nothing,
    /// `failed` is the key of the entry that did.
    Resume {
        answer: WaitResult,
        cancel: Vec<Wait>,
        why: Why,
        failed: Option<Value>,
    },
}

/// Hands a result to a waiting task, or to the group it waits for.
pub(crate) fn answer(vm: &ScriptVm, to: Answering, outcome: Outcome) {
    let lua = vm.lua();
    let Some(at) = to.entry else {
        resume(vm, to.task, to.serial, outcome.into());
        return;
    };
    let step = store::with(lua, |runtime| {
        let task = runtime.tasks.get_mut(to.task).filter(|task| task.serial == to.serial);
        match task.and_then(|task| task.pause.as_mut()) {
            Some(TaskPause::Group { kind, entries, .. }) => step(*kind, entries, at, outcome),
            _ => GroupStep::Nothing,
        }
    });
    if let GroupStep::Resume { answer, cancel, why, failed } = step {
        let branch = failed.map(|key| format!("branch {} failed", describe(&key)));
        store::with(lua, |runtime| runtime.running.failed_branch = branch);
        cancel.into_iter().for_each(|wait| cancel_wait(lua, wait, why));
        store::with(lua, |runtime| runtime.running.failed_branch = None);
        invoke::clean_up(vm);
        resume(vm, to.task, to.serial, answer);
    }
}

/// Latches a result and hands it to the waiting tasks, in the order in which they began to wait.
pub(crate) fn settle(vm: &ScriptVm, wait: Wait, outcome: &Outcome) {
    let lua = vm.lua();
    // Without memory for the result it is not latched; waiting tasks get it all the same.
    let _ = wait::latch(lua, wait, outcome);
    for waiter in store::with(lua, |runtime| runtime.tasks.take_waiters(wait)) {
        answer(vm, waiter, outcome.clone());
    }
}

fn step(kind: GroupKind, entries: &mut [GroupEntry], at: usize, outcome: Outcome) -> GroupStep {
    let Some(entry) = entries.get_mut(at).filter(|entry| entry.outcome.is_none()) else {
        return GroupStep::Nothing;
    };
    let key = entry.key.clone();
    let (value, failure) = match outcome {
        Outcome::Value(value) => (value, None),
        Outcome::Cancelled => (Value::Nil, None),
        Outcome::Failed(message) => (Value::Nil, Some(message)),
    };
    entry.outcome = Some(value.clone());
    let why = if kind == GroupKind::All { Why::Cancelled } else { Why::LostRace };
    let failed = failure.is_some().then(|| key.clone());
    let answer = match (failure, kind) {
        (Some(message), _) => WaitResult::Error(message),
        (None, GroupKind::Race) => WaitResult::Values(vec![key, value]),
        (None, GroupKind::Timeout) => WaitResult::Values(vec![Value::Boolean(true), value]),
        (None, GroupKind::All) if entries.iter().any(|entry| entry.outcome.is_none()) => {
            return GroupStep::Nothing;
        }
        (None, GroupKind::All) => WaitResult::Table(
            entries
                .iter()
                .map(|entry| (entry.key.clone(), entry.outcome.clone().unwrap_or(Value::Nil)))
                .collect(),
        ),
    };
    let cancel = entries.iter().filter(|entry| entry.outcome.is_none()).map(|entry| entry.wait).collect();
    GroupStep::Resume { answer, cancel, why, failed }
}
