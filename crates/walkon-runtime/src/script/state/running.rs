//! The call under way, and the functions that run as soon as it has returned.
//!
//! In: the call under way, the wait that it asks for, functions of `task.onCancel`. Out: the same. Holds:
//! calls that come in a row are not noted one by one; a look at the call under way finds the row that runs.
//! Not here: the call (`step::invoke`), tasks that wait (`tasks`).

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use mlua::Function;

use crate::base::time::TickNumber;
use crate::script::state::code_name::CodeName;
use crate::script::state::tasks::Why;
use crate::script::state::waits::Pending;
use crate::world::owner::Owner;

/// The owner of the code that runs right now.
#[derive(Clone, Debug)]
pub(crate) struct Current {
    pub(crate) owner: Owner,
    /// What runs: `update`, `onArrived`, ...
    pub(crate) callback: CodeName,
    /// The task it runs in; none where it may not wait.
    pub(crate) task: Option<u64>,
}

impl Current {
    /// A call that may not wait.
    pub(crate) fn plain(owner: Owner, callback: impl Into<CodeName>) -> Self {
        Self { owner, callback: callback.into(), task: None }
    }
}

/// Raised when something has to be done before the next of many calls: something was printed, functions wait
/// to clean up, an owner no longer runs. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Rc<Cell<bool>>);

impl Interrupt {
    pub(crate) fn raise(&self) {
        self.0.set(true);
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.0.get()
    }

    pub(crate) fn clear(&self) {
        self.0.set(false);
    }
}

/// Calls of `update`, one right after another: the VM knows which is under way, and none is noted by itself.
#[derive(Clone, Debug)]
pub(crate) struct UpdatesUnderWay {
    /// Whose each row is.
    pub(crate) owners: Rc<[Owner]>,
    /// The row of the call under way.
    pub(crate) row: Rc<Cell<u32>>,
}

impl UpdatesUnderWay {
    fn owner(&self) -> Owner {
        self.owners.get(self.row.get() as usize).copied().unwrap_or(Owner::HOST)
    }
}

/// A function of `task.onCancel` to run once the code under way has returned.
#[derive(Debug)]
pub(crate) struct Cleanup {
    pub(crate) owner: Owner,
    pub(crate) function: Function,
    pub(crate) why: Why,
}

/// What is left to do once the code under way has returned.
#[derive(Debug)]
pub(crate) enum LeftAfterCall {
    /// This owner is switched off.
    SwitchOff(Owner),
    /// This function runs.
    CleanUp(Cleanup),
}

/// The code under way.
#[derive(Debug, Default)]
pub(crate) struct RunningCode {
    /// The call under way; none while the host runs, or a row of `updates` does.
    current: Option<Current>,
    /// Calls of `update` under way.
    pub(crate) updates: Option<UpdatesUnderWay>,
    /// Raised when something has to be done before the next of them.
    pub(crate) interrupt: Interrupt,
    /// The wait that the running task has asked for and not begun.
    pub(crate) pending: Option<Pending>,
    /// The same for a sleep, which most waits are: the serial of the wait, and until when.
    pub(crate) sleep: Option<(u64, TickNumber)>,
    cleanups: VecDeque<Cleanup>,
    /// Owners whose last fault was told: they are switched off once the code under way has returned.
    to_switch_off: VecDeque<Owner>,
    /// The entry of a group whose failure is ending the others: `branch "scout" failed`.
    pub(crate) failed_branch: Option<String>,
}

impl RunningCode {
    /// On whose behalf code runs; the host when none does.
    pub(crate) fn owner(&self) -> Owner {
        self.owner_of_call().unwrap_or(Owner::HOST)
    }

    /// On whose behalf code runs; none when none does.
    pub(crate) fn owner_of_call(&self) -> Option<Owner> {
        let current = self.current.as_ref().map(|current| current.owner);
        current.or_else(|| self.updates.as_ref().map(UpdatesUnderWay::owner))
    }

    /// The task under way; none where nothing may wait.
    #[inline]
    pub(crate) fn task(&self) -> Option<u64> {
        self.current.as_ref()?.task
    }

    /// Whose code runs by itself; none when none does, and in a row of `update`s.
    #[inline]
    pub(crate) fn under_way(&self) -> Option<&Current> {
        self.current.as_ref()
    }

    /// Whose code runs; none when none does.
    pub(crate) fn current(&self) -> Option<Current> {
        let update = |owner| Current::plain(owner, "update");
        self.current.clone().or_else(|| self.updates.as_ref().map(|updates| update(updates.owner())))
    }

    /// Another call begins, or goes on; the one that was under way before.
    #[inline]
    pub(crate) fn replace(&mut self, current: Option<Current>) -> Option<Current> {
        std::mem::replace(&mut self.current, current)
    }

    /// Something has to be done once the code under way has returned.
    pub(crate) fn clean_up_later(&mut self, cleanup: Cleanup) {
        self.cleanups.push_back(cleanup);
        self.interrupt.raise();
    }

    /// Whether anything has to be done once the code under way has returned.
    #[inline]
    pub(crate) fn has_cleanups(&self) -> bool {
        !self.cleanups.is_empty()
    }

    /// An owner is switched off once the code under way has returned.
    pub(crate) fn switch_off_later(&mut self, owner: Owner) {
        self.to_switch_off.push_back(owner);
    }

    /// Whether no owner waits to be switched off, as between calls.
    pub(crate) fn is_settled(&self) -> bool {
        self.to_switch_off.is_empty()
    }

    /// The next owner that is switched off now.
    pub(crate) fn next_to_switch_off(&mut self) -> Option<Owner> {
        self.to_switch_off.pop_front()
    }

    /// The next thing to do once the code under way has returned.
    pub(crate) fn next_left(&mut self) -> Option<LeftAfterCall> {
        let owner = self.to_switch_off.pop_front().map(LeftAfterCall::SwitchOff);
        owner.or_else(|| self.next_cleanup().map(LeftAfterCall::CleanUp))
    }

    /// The next function to run once the code under way has returned.
    pub(crate) fn next_cleanup(&mut self) -> Option<Cleanup> {
        self.cleanups.pop_front()
    }
}
