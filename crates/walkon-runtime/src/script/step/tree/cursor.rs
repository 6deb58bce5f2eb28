//! The cursor of a tree while it is ticked or left; leaving nodes.
//!
//! In: the tree, the state of its nodes. Out: tasks and walks ended, `exit` called. Holds: a node that was
//! entered is left exactly once, and learns how it really ended. Not here: ticks (`tree::tick`).

use mlua::{Lua, Table};

use crate::base::ids::WalkId;
use crate::base::time::TickNumber;
use crate::script::state::running::Current;
use crate::script::state::tasks::Why;
use crate::script::state::trees::{ActionEnd, ActionExit, NodeKind, NodeState, RunningTree, TreeNode};
use crate::script::step::calls;
use crate::script::step::task::cancelling;
use crate::script::vm::{ScriptVm, lend, store};
use crate::world::World;
use crate::world::ops;
use crate::world::owner::Owner;

/// Leaves the tree of an owner for good: everything in it that was entered is left, and its tasks end with
/// `why`. Before the owner's other belongings end.
pub(crate) fn end(vm: &ScriptVm, owner: Owner, why: Why) {
    let Some(mut run) = store::with(vm.lua(), |runtime| runtime.actors.trees.take(owner)) else {
        return;
    };
    TreeCursor::new(vm, owner, &mut run).leave(0, ActionExit::at_end(why), why);
}

/// A tree while it is ticked or left.
pub(crate) struct TreeCursor<'a> {
    pub(super) vm: &'a ScriptVm,
    pub(super) owner: Owner,
    pub(super) this: &'a Table,
    pub(super) nodes: &'a [TreeNode],
    pub(super) states: &'a mut [NodeState],
    /// Later branches of reactive nodes, to be left before something begins.
    pub(super) rivals: Vec<usize>,
    /// Whether an `exit` has faulted.
    pub(crate) has_faulted: bool,
    /// What the tick had spent when this began.
    pub(super) spent_before: u64,
    /// Nodes that were ticked or left.
    pub(super) visited: u64,
}

impl<'a> TreeCursor<'a> {
    pub(crate) fn new(vm: &'a ScriptVm, owner: Owner, run: &'a mut RunningTree) -> Self {
        let RunningTree { tree, this, states, .. } = run;
        let (rivals, spent_before) = (Vec::new(), vm.tick_spent());
        Self { vm, owner, this, nodes: &tree.0, states, rivals, has_faulted: false, spent_before, visited: 0 }
    }

    pub(super) fn lua(&self) -> &'a Lua {
        self.vm.lua()
    }

    pub(super) fn now(&self) -> TickNumber {
        store::with(self.lua(), |runtime| runtime.clock.now)
    }

    /// The tick so many seconds from now.
    pub(super) fn in_seconds(&self, seconds: f64) -> TickNumber {
        store::with(self.lua(), |runtime| runtime.clock.now.after(runtime.clock.rate.ticks(seconds)))
    }

    /// Walks that an action began and that its end leaves alone.
    pub(super) fn forget_walks(&self, task: Option<u64>) {
        if let Some(task) = task {
            store::with(self.lua(), |runtime| runtime.actors.trees.take_walks(task));
        }
    }

    pub(super) fn exit(&mut self, at: usize, exit: ActionExit) {
        let NodeKind::Action { exit: Some(function), .. } = &self.nodes[at].kind else {
            return;
        };
        let call = Current::plain(self.owner, "exit");
        self.has_faulted |= !calls::run_exit(self.vm, &call, function, (self.this, exit.name()));
        calls::clean_up(self.vm);
    }

    /// Leaves a branch: its tasks and walks end, its decorators forget what they counted. Bounded by the
    /// depth of the tree.
    pub(crate) fn leave(&mut self, at: usize, exit: ActionExit, why: Why) {
        let nodes = self.nodes;
        self.visited += 1;
        for &child in &nodes[at].children {
            self.leave(child, exit, why);
        }
        let state = std::mem::take(&mut self.states[at]);
        if let Some(task) = state.task {
            self.leave_action(at, task, exit, why);
        }
        if let Some(walk) = state.walk
            && exit != ActionExit::Reload
        {
            self.cancel_walk(walk.0, why);
        }
        if let NodeKind::Cooldown { seconds, keep: true } = nodes[at].kind {
            let until = if state.is_running { Some(self.in_seconds(seconds)) } else { state.until };
            self.states[at].until = until;
        }
    }

    /// Ends the task of an action, unless it has ended by itself, and tells the action which it was.
    fn leave_action(&mut self, at: usize, task: u64, exit: ActionExit, why: Why) {
        let lua = self.lua();
        let ended = store::with(lua, |runtime| runtime.actors.trees.take_end(task));
        let exit = match ended {
            Some(end) => ActionExit::of(end == ActionEnd::Returned(true)),
            None => {
                cancelling::cancel(lua, task, why);
                let walks = store::with(lua, |runtime| {
                    runtime.actors.trees.take_end(task);
                    runtime.actors.trees.take_walks(task)
                });
                if exit != ActionExit::Reload {
                    walks.into_iter().for_each(|walk| self.cancel_walk(walk, why));
                }
                calls::clean_up(self.vm);
                exit
            }
        };
        self.forget_walks(Some(task));
        self.exit(at, exit);
    }

    fn cancel_walk(&self, walk: WalkId, why: Why) {
        // Between phases there is no world: then the level has ended and nothing of it walks.
        let _ =
            lend::with_world(self.lua(), |world: &mut World| ops::walks::cancel(world, walk, why.reason()));
    }
}
