//! Nodes of behaviour trees: the tables that `bt` builds, as one flat list.
//!
//! In: the node at the root. Out: all nodes under it, each with the places of its children; a node that
//! stands in two places is two nodes. Holds: bounded by what the builders allow; nothing is checked again,
//! because only they make nodes.

use mlua::Table;

use crate::script::state::trees::{NodeKind, TreeNode};

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
        "sequence" => NodeKind::InTurn { stop_on: false, reactive: table.raw_get("reactive")? },
        "selector" => NodeKind::InTurn { stop_on: true, reactive: table.raw_get("reactive")? },
        "parallel" => NodeKind::Parallel { any: table.raw_get("any")? },
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
