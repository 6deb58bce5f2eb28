//! What the host of scripts keeps beside the VM: owners, tasks, timers, handlers, scenes, and the work they
//! have made.
//!
//! In: bindings and the two script phases, each for one short look. Out: the same. Holds: no Lua runs while
//! it is looked at; work made by scripts and facts of the world are dealt with in one order, that of their
//! occurrence. Not here: the world.

use mlua::Lua;

use crate::script::state::runtime::{Runtime, ScriptWork, WORK_MAX};
use crate::script::vm::lend;
use crate::world::World;

/// Looks at the runtime of this VM. No Lua may run meanwhile.
pub(crate) fn with<R>(lua: &Lua, look: impl FnOnce(&mut Runtime) -> R) -> R {
    let mut slot = lua.app_data_mut::<Runtime>();
    match slot.as_deref_mut() {
        Some(runtime) => look(runtime),
        None => unreachable!("the host installs the runtime before any script is loaded"),
    }
}

/// Looks at the runtime of this VM, if it has one; tools that only bind names do without.
pub(crate) fn find<R>(lua: &Lua, look: impl FnOnce(&mut Runtime) -> Option<R>) -> Option<R> {
    look(lua.app_data_mut::<Runtime>().as_deref_mut()?)
}

/// Looks at the runtime of this VM, unless it has none or somebody looks at it already.
pub(crate) fn find_free<R>(lua: &Lua, look: impl FnOnce(&Runtime) -> R) -> Option<R> {
    lua.try_app_data_ref::<Runtime>().ok().flatten().map(|runtime| look(&runtime))
}

/// What a script is told that asks for more work than may wait; none while there is room.
pub(crate) fn work_at_limit(lua: &Lua) -> Option<String> {
    let is_full = with(lua, |runtime| runtime.work.len() >= WORK_MAX);
    is_full.then(|| {
        format!("{WORK_MAX} things wait to be done already, the most allowed; ask for fewer in a tick")
    })
}

/// Adds work for step 12, behind all facts there are now.
pub(crate) fn push_work(lua: &Lua, work: ScriptWork) {
    let waiting = lend::with_world(lua, |world: &mut World| world.events.waiting()).unwrap_or(0) as u64;
    with(lua, |runtime| {
        let position = runtime.facts_taken + waiting;
        runtime.work.push_back((position, work));
    });
}
