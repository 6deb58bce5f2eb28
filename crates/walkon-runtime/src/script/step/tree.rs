//! Behaviour trees: starting, ticking and leaving them.
//!
//! In: trees of behaviours, the tick. Out: trees ticked in step 3. Holds:
//! every action that was entered is left exactly once; a tree that faulted starts again after a second; a
//! tree whose owner stands still is not ticked and its time stands still; nodes cost fuel of the tick, and
//! their states lie in the memory of the level. Interpreted here and not in Lua: no
//! code of a script ever runs beneath a node, actions are tasks of their own, so each call has its own fuel
//! and its own fault, and the state of a tree is part of the hash. Not here: the state of each node
//! (`state::trees`), what nodes do (`tree::tick`), the builders (`bind::bt`).

pub(crate) mod cursor;
pub(crate) mod node;
mod tick;

use std::rc::Rc;

use mlua::{Lua, Value};

use crate::script::state::behaviours::Instance;
use crate::script::state::call_memory::CallMemory;
use crate::script::state::tasks::Why;
use crate::script::state::trees::{ActionExit, BehaviourTree};
use crate::script::step::call_memory;
use crate::script::step::invoke::{self, Call};
use crate::script::step::tree::cursor::TreeCursor;
use crate::script::step::tree::tick::NodeStatus;
use crate::script::vm::convert::describe;
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{ScriptVm, room, store};
use crate::world::owner::Owner;

/// Deepest tree.
pub(crate) const DEPTH_MAX: u32 = 64;
/// Most nodes of a tree.
pub(crate) const NODES_MAX: u32 = 4096;

/// The tree that the field `tree` of a behaviour describes, if it has one; else a sentence about the mistake.
pub(crate) fn read(lua: &Lua, value: &Value) -> Result<Option<BehaviourTree>, String> {
    if value.is_nil() {
        return Ok(None);
    }
    let root = node::node(lua, value)
        .ok_or_else(|| format!("tree is {}, expected a node out of a builder of bt", describe(value)))?;
    let nodes = node::flatten(&root).map_err(|error| error.to_string())?;
    Ok(Some(BehaviourTree(Rc::new(nodes))))
}

/// Nodes that one unit of fuel pays for: of those that call nothing it takes about 50 nanoseconds.
const NODES_PER_UNIT: u64 = 2;
/// Nodes of each tick of a tree that are free, as what begins it is.
const NODES_FREE: u64 = 16;

/// The tree of a behaviour that begins, if it has one, at its root; ticked from the next step 3. Without room
/// for its nodes there is none, and the behaviour is told.
pub(crate) fn begin(vm: &ScriptVm, owner: Owner) {
    let lua = vm.lua();
    let found = store::with(lua, |runtime| {
        let Instance { class, this, .. } = runtime.actors.behaviours.get(owner)?;
        Some((class.tree.clone()?, Rc::clone(this)))
    });
    let Some((tree, this)) = found else {
        return;
    };
    match room::reserve(lua, tree.kept_bytes()) {
        Ok(()) => store::with(lua, |runtime| runtime.actors.trees.begin(owner, tree, this)),
        Err(full) => {
            invoke::report(vm, &Call::plain(owner, "tree"), CallFailure::new(FaultKind::Memory, full, None));
        }
    }
}

/// Ticks the tree of an owner. Step 3.
pub(crate) fn tick(vm: &ScriptVm, owner: Owner) {
    let lua = vm.lua();
    let taken = store::with(lua, |runtime| {
        if runtime.owners.is_paused(owner) {
            return None;
        }
        let now = runtime.clock.now;
        let run = runtime.actors.trees.begin_tick(owner, now)?;
        let is_old = CallMemory::is_due(now, owner.0, || run.memory);
        Some((run, is_old))
    });
    let Some((mut run, is_memory_old)) = taken else {
        return;
    };
    run.again = None;
    if is_memory_old {
        run.memory = call_memory::of(vm, &run.this);
    }
    let mut cursor = TreeCursor::new(vm, owner, &mut run);
    let ended = cursor.tick(0);
    let has_faulted = ended.is_err() || cursor.has_faulted;
    if has_faulted {
        cursor.leave(0, ActionExit::Interrupted, Why::Cancelled);
    }
    vm.spend(cursor.visited.saturating_sub(NODES_FREE) / NODES_PER_UNIT);
    if has_faulted {
        run.again = store::with(lua, |runtime| Some(runtime.clock.after_seconds(1.0)));
    }
    debug_assert!(
        has_faulted
            || ended.is_ok_and(|status| status == NodeStatus::Running)
            || run.states.iter().all(|state| !state.is_running),
        "nothing of a tree that ended still runs"
    );
    invoke::switch_off(vm);
    let suspend = store::with(lua, |runtime| runtime.actors.trees.end_tick(owner, run));
    invoke::clean_up(vm);
    if suspend {
        invoke::end_behaviour(vm, owner, "fault");
    }
}
