//! Nodes of behaviour trees: flattens the tables that `bt` builds into one list.
//!
//! In: the node at the root. Out: all nodes under it, each with the places of its children; a node that
//! stands in two places is two nodes. Holds: bounded by what the builders allow; nothing is checked again,
//! because only they make nodes; the bindings that nodes need are handed over once, when a VM is set up. Not
//! here: the builders (`bind::bt`).

use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::script::state::trees::{Composite, ParallelEnd};
use crate::script::state::trees::{NodeKind, TreeNode};
use crate::script::vm::convert::Args;

/// The verb `walkTo` as a node gives it; a mistake in its arguments is an error.
pub(crate) type WalkVerb = fn(&Lua, &mut Args) -> mlua::Result<MultiValue>;

/// What makes a table a node, and what nodes need of the bindings. App data of the VM.
struct NodeType {
    metatable: Table,
    /// One function out of `enter` and `run`.
    join: Function,
    walk_to: WalkVerb,
}

/// Gives the VM what makes a table a node. Called once, at setup.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn install(lua: &Lua, join: Function, walk_to: WalkVerb) -> mlua::Result<()> {
    let metatable = lua.create_table()?;
    metatable.raw_set("__metatable", false)?;
    metatable.raw_set("__tostring", lua.create_function(show)?)?;
    metatable.set_readonly(true);
    lua.set_app_data(NodeType { metatable, join, walk_to });
    Ok(())
}

fn show(_: &Lua, node: Table) -> mlua::Result<String> {
    Ok(format!("bt.{}", node.raw_get::<String>("kind")?))
}

fn of_nodes<R>(lua: &Lua, part: impl FnOnce(&NodeType) -> R) -> mlua::Result<R> {
    let nodes = lua.app_data_ref::<NodeType>();
    nodes.map(|nodes| part(&nodes)).ok_or_else(|| mlua::Error::runtime("nodes are not installed yet"))
}

/// The node that a value is, if it is one.
pub(crate) fn node(lua: &Lua, value: &Value) -> Option<Table> {
    let table = value.as_table()?;
    let metatable = table.metatable()?;
    let is_node = of_nodes(lua, |nodes| nodes.metatable == metatable).unwrap_or(false);
    is_node.then(|| table.clone())
}

/// Makes a node of a table that has everything else, and closes it.
///
/// # Errors
/// When nodes are not installed.
pub(crate) fn seal(lua: &Lua, table: &Table) -> mlua::Result<()> {
    table.set_metatable(Some(of_nodes(lua, |nodes| nodes.metatable.clone())?))?;
    table.set_readonly(true);
    Ok(())
}

/// One function that runs `enter`, then `run`.
///
/// # Errors
/// When nodes are not installed, or the memory of the VM is spent.
pub(crate) fn join(lua: &Lua, enter: Function, run: Function) -> mlua::Result<Function> {
    of_nodes(lua, |nodes| nodes.join.clone())?.call((enter, run))
}

/// Starts the walk of a node.
///
/// # Errors
/// When nodes are not installed, or an argument is none of `walkTo`.
pub(super) fn walk_to(lua: &Lua, args: &mut Args) -> mlua::Result<MultiValue> {
    let verb = of_nodes(lua, |nodes| nodes.walk_to)?;
    verb(lua, args)
}

/// The nodes under `root`, which comes first.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn flatten(root: &Table) -> mlua::Result<Vec<TreeNode>> {
    let mut nodes = Vec::new();
    add(root, &mut nodes)?;
    Ok(nodes)
}

/// Bounded by the depth that the builders allow.
fn add(table: &Table, nodes: &mut Vec<TreeNode>) -> mlua::Result<usize> {
    let at = nodes.len();
    let node = TreeNode { kind: kind(table)?, children: Vec::new(), place: table.raw_get("place")? };
    nodes.push(node);
    for index in 1..=table.raw_len() {
        let child = add(&table.raw_get::<Table>(index)?, nodes)?;
        nodes[at].children.push(child);
    }
    Ok(at)
}

fn kind(table: &Table) -> mlua::Result<NodeKind> {
    let name: String = table.raw_get("kind")?;
    Ok(match name.as_str() {
        "sequence" => {
            NodeKind::InTurn { composite: Composite::Sequence, reactive: table.raw_get("reactive")? }
        }
        "selector" => {
            NodeKind::InTurn { composite: Composite::Selector, reactive: table.raw_get("reactive")? }
        }
        "parallel" => NodeKind::Parallel(match table.raw_get("any")? {
            true => ParallelEnd::FirstSuccess,
            false => ParallelEnd::FirstFailure,
        }),
        "condition" => NodeKind::Condition(table.raw_get("test")?),
        "action" => NodeKind::Action { run: table.raw_get("run")?, exit: table.raw_get("exit")? },
        "walkTo" => NodeKind::WalkTo { goal: table.raw_get("goal")?, options: table.raw_get("options")? },
        "wait" => NodeKind::Wait { low_s: table.raw_get("low")?, high_s: table.raw_get("high")? },
        "invert" => NodeKind::Invert,
        "succeed" => NodeKind::Succeed,
        "repeatN" => NodeKind::Repeat(table.raw_get("times")?),
        "retry" => NodeKind::Retry(table.raw_get("times")?),
        "cooldown" => NodeKind::Cooldown { seconds: table.raw_get("seconds")?, keep: table.raw_get("keep")? },
        "timeLimit" => NodeKind::TimeLimit(table.raw_get("seconds")?),
        "when" => NodeKind::When(table.raw_get("test")?),
        "random" => NodeKind::Drawn(None),
        "weighted" => NodeKind::Drawn(Some(table.raw_get("weights")?)),
        other => return Err(mlua::Error::runtime(format!("there is no node called {other}"))),
    })
}
