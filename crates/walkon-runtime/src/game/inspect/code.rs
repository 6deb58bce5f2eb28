//! The present activity of scripts as JSON: behaviours, tasks, timers, handlers, trees, boards, faults.
//!
//! In: the plain structs of `script::inspect`. Out: objects. Not here: looking into scripts.

use serde_json::{Value, json};

use crate::game::fault_list::KnownFault;
use crate::game::inspect::values::plain;
use crate::script::inspect::{
    BehaviourView, Belongings, CharacterCode, HandlerView, LevelCode, TaskView, TimerView, TreeView,
};
use crate::script::state::code_place::CodePlace;
use crate::world::World;

/// The fields that a character has because of scripts.
pub(super) fn fields(world: &World, code: Option<&CharacterCode>) -> Value {
    let nothing = Belongings::default();
    let own = code.map_or(&nothing, |code| &code.belongings);
    let behaviour = code.and_then(|code| code.behaviour.as_ref());
    json!({
        "behaviour": behaviour.map(|found| behaviour_fields(world, found)),
        "board": code.map_or_else(|| json!({}), |code| plain(world, &code.board)),
        "tasks": own.tasks.iter().map(task).collect::<Vec<_>>(),
        "timers": own.timers.iter().map(timer).collect::<Vec<_>>(),
        "handlers": own.handlers.iter().map(handler).collect::<Vec<_>>(),
        "tree": code.and_then(|code| code.tree.as_ref()).map(tree),
    })
}

fn behaviour_fields(world: &World, found: &BehaviourView) -> Value {
    json!({
        "name": found.name,
        "file": found.file,
        "params": plain(world, &found.params),
        "state": plain(world, &found.state),
        "isOff": found.is_off,
    })
}

fn task(task: &TaskView) -> Value {
    json!({
        "id": task.id,
        "name": task.name,
        "callback": task.callback,
        "waits": task.waits,
        "since": task.since,
        "until": task.until,
        "file": task.place.as_ref().map(|place| place.file.as_str()),
        "line": task.place.as_ref().map(|place| place.line),
    })
}

fn timer(timer: &TimerView) -> Value {
    json!({
        "name": timer.name,
        "due": timer.due,
        "every": timer.every_s,
        "file": timer.place.as_ref().map(|place| place.file.as_str()),
        "line": timer.place.as_ref().map(|place| place.line),
    })
}

fn handler(handler: &HandlerView) -> Value {
    json!({
        "event": handler.event,
        "file": handler.place.as_ref().map(|place| place.file.as_str()),
        "line": handler.place.as_ref().map(|place| place.line),
    })
}

/// Bounded by the depth of trees.
fn tree(node: &TreeView) -> Value {
    json!({
        "name": node.name,
        "kind": node.kind,
        "status": node.status,
        "isRunning": node.is_running,
        "children": node.children.iter().map(tree).collect::<Vec<_>>(),
    })
}

/// A line of a script; null when it is not known.
pub(super) fn place(place: Option<&CodePlace>) -> Value {
    place.map_or(Value::Null, |place| json!({ "file": place.file, "line": place.line }))
}

/// The blackboard of the level and those of groups.
pub(super) fn boards(world: &World, code: Option<&LevelCode>) -> Value {
    let groups = code.map_or(&[][..], |code| &code.groups).iter();
    let mut by_name = serde_json::Map::new();
    by_name.extend(groups.map(|(name, entries)| (name.clone(), plain(world, entries))));
    json!({
        "level": code.map_or_else(|| json!({}), |code| plain(world, &code.board)),
        "groups": Value::Object(by_name),
    })
}

pub(super) fn fault(fault: &KnownFault) -> Value {
    json!({
        "file": fault.file,
        "line": fault.line,
        "message": fault.message,
        "owner": fault.owner,
        "count": fault.count,
        "lastTick": fault.last_tick,
    })
}
