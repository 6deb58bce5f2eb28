//! Behaviour trees: the nodes of each, and the state of every node of a running one.
//!
//! In: nodes as builders made them, ends of actions. Out: which trees are due; the nodes at which a tick
//! resumes. Not here: reading nodes and ticking them (`step::tree`).

use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Function, Table, Value};

use crate::base::hash::StateHash;
use crate::base::ids::{GenerationalKey, WalkId};
use crate::base::prefetch;
use crate::base::time::TickNumber;
use crate::script::state::call_memory::CallMemory;
use crate::script::state::tasks::Why;
use crate::script::state::tracked_map::TrackedMap;
use crate::world::owner::Owner;

/// Until when children run in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Composite {
    /// Until one fails.
    Sequence,
    /// Until one succeeds.
    Selector,
}

impl Composite {
    /// The result of a child that ends the node, which then has the same result.
    pub(crate) fn stops_on(self) -> bool {
        self == Self::Selector
    }
}

/// What ends children that run at once before all have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParallelEnd {
    /// One that succeeds.
    FirstSuccess,
    /// One that fails.
    FirstFailure,
}

impl ParallelEnd {
    /// The result of a child that ends the node, which then has the same result.
    pub(crate) fn ends_on(self) -> bool {
        self == Self::FirstSuccess
    }
}

/// What a node does.
#[derive(Clone, Debug)]
pub(crate) enum NodeKind {
    /// Children in turn.
    InTurn {
        composite: Composite,
        reactive: bool,
    },
    /// All children at once.
    Parallel(ParallelEnd),
    Condition(Function),
    Action {
        run: Function,
        exit: Option<Function>,
    },
    /// A goal or a function that gives one, and options.
    WalkTo {
        goal: Value,
        options: Value,
    },
    Wait {
        low_s: f64,
        high_s: f64,
    },
    Invert,
    Succeed,
    /// So many times; none: for ever.
    Repeat(Option<u64>),
    Retry(u64),
    Cooldown {
        seconds: f64,
        keep: bool,
    },
    TimeLimit(f64),
    When(Function),
    /// One child, drawn; by weight where there are weights.
    Drawn(Option<Vec<f64>>),
}

/// One node.
#[derive(Clone, Debug)]
pub(crate) struct TreeNode {
    pub(crate) kind: NodeKind,
    /// Places of its children.
    pub(crate) children: Vec<usize>,
    /// Where it was built: `guard.lua:12`.
    pub(crate) place: String,
}

/// A tree as a file describes it; the root comes first.
#[derive(Clone, Debug)]
pub(crate) struct BehaviourTree(pub(crate) Rc<Vec<TreeNode>>);

impl BehaviourTree {
    /// Bytes that the states of its nodes take while it is under way.
    pub(crate) fn kept_bytes(&self) -> usize {
        self.0.len() * size_of::<NodeState>()
    }
}

/// How an action that was entered ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActionExit {
    Success,
    Failure,
    Interrupted,
    Reload,
    OwnerGone,
}

impl ActionExit {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Interrupted => "interrupted",
            Self::Reload => "reload",
            Self::OwnerGone => "ownerGone",
        }
    }

    pub(crate) fn of(ok: bool) -> Self {
        if ok { Self::Success } else { Self::Failure }
    }

    /// How running nodes are left when their owner's tasks end with `why`.
    pub(crate) fn at_end(why: Why) -> Self {
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

/// The state of a node. Small: ten thousand trees are looked at in every tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeState {
    pub(crate) is_running: bool,
    /// How it ended, for a parallel node above it.
    pub(crate) result: Option<bool>,
    /// The child under way.
    pub(crate) cursor: u16,
    /// Turns that are over.
    pub(crate) turns: u32,
    /// End of a wait, a limit or a cooldown.
    pub(crate) until: Option<TickNumber>,
    /// The task of an action that was entered and not left.
    pub(crate) task: Option<u64>,
    /// The walk under way, and its handle, which keeps the result.
    pub(crate) walk: Option<Box<(WalkId, Value)>>,
}

/// One tree under way.
#[derive(Debug)]
pub(crate) struct RunningTree {
    pub(crate) tree: BehaviourTree,
    /// The `self` that its functions are called with.
    pub(crate) this: Rc<Table>,
    pub(crate) states: Vec<NodeState>,
    /// When a tree that faulted starts again.
    pub(crate) again: Option<TickNumber>,
    /// The memory of `this`, as it was at the last look.
    pub(crate) memory: CallMemory,
}

/// How many trees ahead the memory of one is asked for, and looked at once it is there. Of 3 and 6, 8 and 16
/// these took least; without, 10,000 trees took twice as long.
const FETCHED_AHEAD: usize = 16;
const LOOKED_AT_AHEAD: usize = 8;

/// Nodes whose memory is asked for, at most: of a larger tree a tick reads few.
const FETCHED_NODES: usize = 16;

impl RunningTree {
    /// The nodes whose memory is asked for.
    fn first_states(&self) -> &[NodeState] {
        &self.states[..self.states.len().min(FETCHED_NODES)]
    }

    /// Prefetches the memory that the tick of the tree will read, except that of its walks.
    fn fetch(&self) {
        prefetch::value(self.first_states());
        prefetch::value(&*self.this);
        self.memory.fetch();
    }

    /// Prefetches the memory of its walks; that of its states was prefetched before.
    fn fetch_walks(&self) {
        let walks = self.first_states().iter().filter_map(|state| state.walk.as_ref());
        walks.for_each(|walk| prefetch::value(&**walk));
    }

    /// Whether it has not faulted within the last second.
    fn is_due(&self, now: TickNumber) -> bool {
        self.again.is_none_or(|again| again <= now)
    }
}

/// Where a tree under way lies; it is taken out while it is ticked.
#[derive(Debug)]
struct TreePlace(Option<RunningTree>);

/// All trees under way.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    runs: TrackedMap<Owner, TreePlace>,
    /// Tasks of actions that ended and that their tree has not seen.
    over: BTreeMap<u64, ActionEnd>,
    /// Walks that tasks of actions began and did not wait for; they end with their action.
    walks: BTreeMap<u64, Vec<WalkId>>,
    /// The owner whose tree is being ticked, and whether it is to be suspended afterwards.
    ticking: Option<(Owner, bool)>,
}

impl Trees {
    /// The tree of a behaviour that begins, at its root.
    pub(crate) fn begin(&mut self, owner: Owner, tree: BehaviourTree, this: Rc<Table>) {
        let states = vec![NodeState::default(); tree.0.len()];
        let memory = CallMemory::default();
        self.runs.insert(owner, TreePlace(Some(RunningTree { tree, this, states, again: None, memory })));
    }

    /// The tree of an owner, if it has one under way.
    #[inline]
    pub(crate) fn run_of(&self, owner: Owner) -> Option<&RunningTree> {
        self.runs.get(owner)?.0.as_ref()
    }

    /// Takes the tree of an owner out for good.
    pub(crate) fn take(&mut self, owner: Owner) -> Option<RunningTree> {
        self.runs.remove(owner)?.0
    }

    /// Takes the tree of an owner out for the time of a tick, if it is due.
    pub(crate) fn begin_tick(&mut self, owner: Owner, now: TickNumber) -> Option<RunningTree> {
        if let Some(TreePlace(Some(run))) = self.runs.ahead(FETCHED_AHEAD) {
            run.fetch();
        }
        if let Some(TreePlace(Some(run))) = self.runs.ahead(LOOKED_AT_AHEAD) {
            run.fetch_walks();
        }
        let run = self.runs.get_mut(owner)?.0.take_if(|run| run.is_due(now))?;
        self.ticking = Some((owner, false));
        Some(run)
    }

    /// Takes a tree back after its tick; whether its owner is to be suspended now.
    pub(crate) fn end_tick(&mut self, owner: Owner, run: RunningTree) -> bool {
        match self.runs.get_mut(owner) {
            Some(place) => place.0 = Some(run),
            None => _ = self.runs.insert(owner, TreePlace(Some(run))),
        }
        self.ticking.take().is_some_and(|(_, suspend)| suspend)
    }

    /// How the task of an action has ended, if it has; its tree sees it once.
    pub(crate) fn take_end(&mut self, task: u64) -> Option<ActionEnd> {
        self.over.remove(&task)
    }

    /// The walks that the task of an action began and did not wait for; forgotten from now on.
    pub(crate) fn take_walks(&mut self, task: u64) -> Vec<WalkId> {
        self.walks.remove(&task).unwrap_or_default()
    }

    /// Whether the tree of `owner` is to be ticked: it has one, and has not faulted within the last second.
    pub(crate) fn is_due(&self, owner: Owner, now: TickNumber) -> bool {
        self.run_of(owner).is_some_and(|run| run.is_due(now))
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
        if let Some(TreePlace(Some(run))) = self.runs.get_mut(owner) {
            run.again = run.again.map(|tick| tick.after(ticks));
            for state in &mut run.states {
                state.until = state.until.map(|tick| tick.after(ticks));
            }
        }
    }

    /// Bytes that the states of all nodes take.
    pub(crate) fn kept_bytes(&self) -> usize {
        self.runs().map(|(_, run)| run.tree.kept_bytes()).sum()
    }

    /// The trees that are not being ticked, by owner.
    fn runs(&self) -> impl Iterator<Item = (Owner, &RunningTree)> {
        self.runs.iter().filter_map(|(owner, place)| Some((owner, place.0.as_ref()?)))
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        for (owner, run) in self.runs() {
            hash.word(u64::from(owner.0)).word(run.again.map_or(0, |tick| tick.0 + 1));
            for state in &run.states {
                hash.flag(state.is_running).word(u64::from(state.cursor)).word(u64::from(state.turns));
                hash.word(state.result.map_or(0, |result| 1 + u64::from(result)));
                hash.word(state.until.map_or(0, |tick| tick.0 + 1)).word(state.task.unwrap_or(0));
                hash.word(state.walk.as_ref().map_or(0, |walk| walk.0.bits()));
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
