//! The way from the VM to what the script side keeps beside it.
//!
//! In: bindings and steps, each for one short look. Out: the same. Holds: no Lua runs while it is looked at;
//! work is put behind the facts of the world there are. Not here: the tables (`state`), the world (`lend`).

use mlua::Lua;

use crate::script::state::runtime::Runtime;
use crate::script::state::work::{ScriptWork, WORK_MAX};
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
    let is_full = with(lua, |runtime| runtime.queue.is_full());
    is_full.then(|| {
        format!("{WORK_MAX} things wait to be done already, the most allowed; ask for fewer in a tick")
    })
}

/// Adds work for step 12, behind all facts there are now.
pub(crate) fn push_work(lua: &Lua, work: ScriptWork) {
    let waiting = lend::with_world(lua, |world: &mut World| world.events.waiting()).unwrap_or(0) as u64;
    with(lua, |runtime| runtime.queue.push(work, waiting));
}
