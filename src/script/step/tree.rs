//! Behaviour trees: which trees run, and what each of their nodes is at.
//!
//! In: trees of behaviours, the tick, ends of the tasks of actions. Out: trees ticked in step 3, and left
//! when their owner ends. Holds: every action that was entered is left exactly once; a tree that faulted
//! starts again after a second; a tree whose owner stands still is not ticked and its time stands still.
//! Interpreted here and not in Lua: no code of a script ever runs beneath a node, actions are tasks of their
//! own, so each call has its own fuel and its own fault, and what a tree is at is part of the hash. Not here:
//! what each node does (`tree/tick.rs`), the builders (`bind::bt`).

mod node;
mod tick;

use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Lua, Value};

use crate::base::hash::StateHash;
use crate::base::ids::WalkId;
use crate::base::time::Tick;
use crate::script::bind::bt;
use crate::script::step::runtime;
use crate::script::step::task::Why;
use crate::script::step::tree::node::TreeNode;
use crate::script::step::tree::tick::{Cursor, NodeStatus};
use crate::script::step::{behaviour, invoke};
use crate::script::vm::ScriptVm;
use crate::script::vm::convert::describe;
use crate::world::walk::Owner;

/// Deepest tree.
pub(crate) const DEPTH_MAX: u32 = 64;
/// Most nodes of a tree.
pub(crate) const NODES_MAX: u32 = 4096;

/// A tree as a file describes it; the root comes first.
#[derive(Clone, Debug)]
pub(crate) struct BehaviourTree(Rc<Vec<TreeNode>>);

impl BehaviourTree {
    /// The tree that the field `tree` of a behaviour describes, if it has one; a sentence about what is
    /// wrong.
    pub(crate) fn read(lua: &Lua, value: &Value) -> Result<Option<Self>, String> {
        if value.is_nil() {
            return Ok(None);
        }
        let root = bt::node(lua, value)
            .ok_or_else(|| format!("tree is {}, expected a node out of a builder of bt", describe(value)))?;
        let nodes = node::flatten(&root).map_err(|error| error.to_string())?;
        Ok(Some(Self(Rc::new(nodes))))
    }
}

/// How an action that was entered ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Success,
    Failure,
    Interrupted,
    Reload,
    OwnerGone,
}

impl Exit {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Interrupted => "interrupted",
            Self::Reload => "reload",
            Self::OwnerGone => "ownerGone",
        }
    }

    fn of(ok: bool) -> Self {
        if ok { Self::Success } else { Self::Failure }
    }

    /// How what runs is left when its owner's tasks end with `why`.
    fn at_end(why: Why) -> Self {
        if why == Why::Reload { Self::Reload } else { Self::OwnerGone }
    }
}

/// How the task of an action ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActionEnd {
    /// It returned; false is failure.
    Returned(bool),
    /// It raised, and that was reported.
    Faulted,
}

/// What a node is at.
#[derive(Clone, Debug, Default)]
struct NodeState {
    is_running: bool,
    /// The child under way.
    cursor: usize,
    /// How it ended, for a parallel node above it.
    result: Option<bool>,
    /// Turns that are over.
    turns: u64,
    /// End of a wait, a limit or a cooldown.
    until: Option<Tick>,
    /// The task of an action that was entered and not left.
    task: Option<u64>,
    /// The walk under way, and its handle, which keeps the result.
    walk: Option<(WalkId, Value)>,
}

/// One tree under way.
#[derive(Debug)]
struct RunningTree {
    tree: BehaviourTree,
    states: Vec<NodeState>,
    /// When a tree that faulted starts again.
    again: Option<Tick>,
}

/// All trees under way.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    runs: BTreeMap<Owner, RunningTree>,
    /// Tasks of actions that ended and that their tree has not seen.
    over: BTreeMap<u64, ActionEnd>,
    /// Walks that tasks of actions began and did not wait for; they end with their action.
    walks: BTreeMap<u64, Vec<WalkId>>,
    /// Whose tree is being ticked, and whether it is to be suspended afterwards.
    ticking: Option<(Owner, bool)>,
}

impl Trees {
    /// Whether the tree of `owner` is to be ticked: it has one, and has not faulted within the last second.
    pub(crate) fn is_due(&self, owner: Owner, now: Tick) -> bool {
        self.runs.get(&owner).is_some_and(|run| run.again.is_none_or(|again| again <= now))
    }

    /// Keeps how the task of an action ended, for its tree.
    pub(crate) fn action_over(&mut self, task: u64, end: ActionEnd) {
        self.over.insert(task, end);
    }

    /// The task of an action has begun a walk, which ends with the action.
    pub(crate) fn walk_begun(&mut self, task: u64, walk: WalkId) {
        self.walks.entry(task).or_default().push(walk);
    }

    /// A fault is to suspend `owner`: whether that has to wait until its tree has been ticked.
    pub(crate) fn defers_suspension(&mut self, owner: Owner) -> bool {
        match &mut self.ticking {
            Some((ticked, suspend)) if *ticked == owner => {
                *suspend = true;
                true
            }
            _ => false,
        }
    }

    /// The time of an owner's tree moves on by `ticks`.
    pub(crate) fn shift(&mut self, owner: Owner, ticks: u64) {
        if let Some(run) = self.runs.get_mut(&owner) {
            run.again = run.again.map(|tick| tick.after(ticks));
            for state in &mut run.states {
                state.until = state.until.map(|tick| tick.after(ticks));
            }
        }
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        for (owner, run) in &self.runs {
            hash.word(u64::from(owner.0)).word(run.again.map_or(0, |tick| tick.0 + 1));
            for state in &run.states {
                hash.flag(state.is_running).word(state.cursor as u64).word(state.turns);
                hash.word(state.result.map_or(0, |result| 1 + u64::from(result)));
                hash.word(state.until.map_or(0, |tick| tick.0 + 1)).word(state.task.unwrap_or(0));
                hash.word(state.walk.as_ref().map_or(0, |(walk, _)| slotmap::Key::data(walk).as_ffi()));
            }
        }
        for (task, end) in &self.over {
            hash.word(*task).word(match end {
                ActionEnd::Returned(ok) => u64::from(*ok),
                ActionEnd::Faulted => 2,
            });
        }
    }
}

/// The tree of a behaviour that begins, at its root; ticked from the next step 3.
pub(crate) fn begin(lua: &Lua, owner: Owner, tree: &BehaviourTree) {
    let states = vec![NodeState::default(); tree.0.len()];
    let run = RunningTree { tree: tree.clone(), states, again: None };
    runtime::with(lua, |runtime| runtime.trees.runs.insert(owner, run));
}

/// Ticks the tree of an owner. Step 3.
pub(crate) fn tick(vm: &ScriptVm, owner: Owner) {
    let lua = vm.lua();
    let taken = runtime::with(lua, |runtime| {
        if runtime.owners.is_paused(owner) || !runtime.trees.is_due(owner, runtime.now) {
            return None;
        }
        runtime.trees.ticking = Some((owner, false));
        runtime.trees.runs.remove(&owner)
    });
    let Some(mut run) = taken else {
        return;
    };
    run.again = None;
    if let Some(mut cursor) = Cursor::new(vm, owner, &run.tree, &mut run.states) {
        let ended = cursor.tick(0);
        let has_faulted = ended.is_err() || cursor.has_faulted;
        if has_faulted {
            cursor.leave(0, Exit::Interrupted, Why::Cancelled);
            run.again = runtime::with(lua, |runtime| Some(runtime.now.after(runtime.ticks(1.0))));
        }
        debug_assert!(
            has_faulted
                || ended.is_ok_and(|status| status == NodeStatus::Running)
                || run.states.iter().all(|state| !state.is_running),
            "nothing of a tree that ended still runs"
        );
    }
    let suspend = runtime::with(lua, |runtime| {
        runtime.trees.runs.insert(owner, run);
        runtime.trees.ticking.take().is_some_and(|(_, suspend)| suspend)
    });
    invoke::clean_up(vm);
    if suspend {
        behaviour::end(vm, owner, "fault");
    }
}

/// Leaves the tree of an owner for good: everything in it that was entered is left, and its tasks end with
/// `why`. Before the owner's other belongings end.
pub(crate) fn end(vm: &ScriptVm, owner: Owner, why: Why) {
    let Some(mut run) = runtime::with(vm.lua(), |runtime| runtime.trees.runs.remove(&owner)) else {
        return;
    };
    if let Some(mut cursor) = Cursor::new(vm, owner, &run.tree, &mut run.states) {
        cursor.leave(0, Exit::at_end(why), why);
    }
}
