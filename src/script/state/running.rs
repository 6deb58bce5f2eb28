//! What runs right now, and what is to run as soon as it has returned.
//!
//! In: the call under way, the wait that it asks for, functions of `task.onCancel`. Out: the same. Not here:
//! the call (`step::invoke`), tasks that wait (`tasks`).

use std::collections::VecDeque;

use mlua::Function;

use crate::script::state::code_name::CodeName;
use crate::script::state::tasks::Why;
use crate::script::state::waits::Pending;
use crate::world::owner::Owner;

/// Whose code runs right now.
#[derive(Clone, Debug)]
pub(crate) struct Current {
    pub(crate) owner: Owner,
    /// What runs: `update`, `onArrived`, ...
    pub(crate) callback: CodeName,
    /// The task it runs in; none where it may not wait.
    pub(crate) task: Option<u64>,
}

/// A function of `task.onCancel` to run once the code under way has returned.
#[derive(Debug)]
pub(crate) struct Cleanup {
    pub(crate) owner: Owner,
    pub(crate) function: Function,
    pub(crate) why: Why,
}

/// The code under way.
#[derive(Debug, Default)]
pub(crate) struct Running {
    /// Whose it is; none while the host runs.
    pub(crate) current: Option<Current>,
    /// The wait that the running task has asked for and not begun.
    pub(crate) pending: Option<Pending>,
    pub(crate) cleanups: VecDeque<Cleanup>,
    /// The entry of a group whose failure is ending the others: `branch "scout" failed`.
    pub(crate) failed_branch: Option<String>,
}

impl Running {
    /// On whose behalf code runs; the host when none does.
    pub(crate) fn owner(&self) -> Owner {
        self.current.as_ref().map_or(Owner::HOST, |current| current.owner)
    }

    /// The task under way; none where nothing may wait.
    pub(crate) fn task(&self) -> Option<u64> {
        self.current.as_ref()?.task
    }
}
