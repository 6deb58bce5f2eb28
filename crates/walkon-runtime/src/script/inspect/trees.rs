//! A behaviour tree as viewers see it: its nodes, nested, and which of them run.
//!
//! In: a tree under way. Out: [`TreeView`]. Holds: as deep and as large as trees may be. Not here: ticking
//! (`step::tree`).

use mlua::{Function, Lua, Value};

use crate::base::suggestions::decimals_of;
use crate::base::value::Plain;
use crate::script::inspect::ScriptLook;
use crate::script::state::trees::Composite;
use crate::script::state::trees::{BehaviourTree, NodeKind, NodeState, TreeNode};
use crate::script::vm::shown::{place_of, shown};
use crate::script::vm::store;
use crate::world::World;
use crate::world::owner::Owner;

/// A node and those below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeView {
    /// What tells it from others of its kind: its goal, its function, where it was built.
    pub name: String,
    /// The builder that made it.
    pub kind: &'static str,
    /// `running`, `success`, `failure` or `idle`.
    pub status: &'static str,
    /// Whether it runs.
    pub is_running: bool,
    /// The nodes below it.
    pub children: Vec<TreeView>,
}

impl ScriptLook<'_> {
    pub(super) fn tree(&self, world: &World, owner: Owner) -> Option<TreeView> {
        let (tree, states) = store::with(self.lua, |runtime| {
            let run = runtime.actors.trees.run_of(owner)?;
            Some((run.tree.clone(), run.states.clone()))
        })?;
        Some(TreeViewer { lua: self.lua, world, tree: &tree, states: &states }.node(0))
    }
}

struct TreeViewer<'a> {
    lua: &'a Lua,
    world: &'a World,
    tree: &'a BehaviourTree,
    states: &'a [NodeState],
}

impl TreeViewer<'_> {
    /// Bounded by the depth of trees.
    fn node(&self, at: usize) -> TreeView {
        let (node, state) = (&self.tree.0[at], &self.states[at]);
        let status = match (state.is_running, state.result) {
            (true, _) => "running",
            (false, Some(true)) => "success",
            (false, Some(false)) => "failure",
            (false, None) => "idle",
        };
        TreeView {
            name: self.name(node),
            kind: kind_of(&node.kind),
            status,
            is_running: state.is_running,
            children: node.children.iter().map(|&child| self.node(child)).collect(),
        }
    }

    fn name(&self, node: &TreeNode) -> String {
        let of_code = |function: &Function| {
            place_of(function)
                .map_or_else(|| node.place.clone(), |place| format!("{}:{}", place.file, place.line))
        };
        match &node.kind {
            NodeKind::Condition(function) | NodeKind::When(function) => of_code(function),
            NodeKind::Action { run, .. } => of_code(run),
            NodeKind::WalkTo { goal: Value::Function(function), .. } => of_code(function),
            NodeKind::WalkTo { goal, .. } => self.goal(goal).unwrap_or_else(|| node.place.clone()),
            NodeKind::Wait { low_s, high_s } if low_s == high_s => format!("{low_s} s"),
            NodeKind::Wait { low_s, high_s } => format!("{low_s} to {high_s} s"),
            NodeKind::Repeat(Some(times)) | NodeKind::Retry(times) => format!("{times} times"),
            NodeKind::Cooldown { seconds, .. } | NodeKind::TimeLimit(seconds) => format!("{seconds} s"),
            _ => node.place.clone(),
        }
    }

    fn goal(&self, goal: &Value) -> Option<String> {
        match shown(self.lua, goal) {
            Plain::Text(text) => Some(text),
            Plain::Character(id) => Some(self.world.name_of(id).to_owned()),
            Plain::Door(id) => self.world.doors().get(id.index()).map(|door| door.name.clone()),
            Plain::Vector(at) => Some(decimals_of(&[at.x, at.z], 1)),
            _ => None,
        }
    }
}

fn kind_of(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::InTurn { composite: Composite::Sequence, .. } => "sequence",
        NodeKind::InTurn { composite: Composite::Selector, .. } => "selector",
        NodeKind::Parallel { .. } => "parallel",
        NodeKind::Condition(_) => "condition",
        NodeKind::Action { .. } => "action",
        NodeKind::WalkTo { .. } => "walkTo",
        NodeKind::Wait { .. } => "wait",
        NodeKind::Invert => "invert",
        NodeKind::Succeed => "succeed",
        NodeKind::Repeat(_) => "repeatN",
        NodeKind::Retry(_) => "retry",
        NodeKind::Cooldown { .. } => "cooldown",
        NodeKind::TimeLimit(_) => "timeLimit",
        NodeKind::When(_) => "when",
        NodeKind::Drawn(None) => "random",
        NodeKind::Drawn(Some(_)) => "weighted",
    }
}
