//! Links with an action, handed to the behaviour of the walker that takes them.
//!
//! In: a walk that has come to such a link. Out: `onTraverse` called as a task. Holds: without that function
//! the walk takes the link in the time that it takes; with it the link is over when it returns, and it ends
//! with its walk, or when the walk comes to another link; false, a fault and its limit of time end the walk
//! before the link, and nothing else, also in a scene. Not here: coming to a link and standing before it
//! (`sim::integrate`).

use mlua::{Lua, MultiValue, Value};

use crate::base::ids::{CharacterId, WalkId};
use crate::script::state::tasks::{NewTask, TaskRole, Why};
use crate::script::step::{behaviour, invoke, task};
use crate::script::vm::convert::vector;
use crate::script::vm::{ScriptVm, handles, lend, store};
use crate::world::World;
use crate::world::ops;
use crate::world::owner::Owner;

/// A link that is to be taken.
pub(crate) struct Link {
    pub(crate) action: String,
    pub(crate) ends: [glam::Vec3; 2],
    pub(crate) seconds: f64,
}

/// Calls `onTraverse` of the behaviour, if it has it.
pub(crate) fn begin(vm: &ScriptVm, walk: WalkId, character: CharacterId, link: &Link) -> mlua::Result<()> {
    let lua = vm.lua();
    // Another plan may have led it away from the link that it was to take before.
    end(vm, walk, Why::Cancelled);
    let Some(owner) = store::with(lua, |runtime| runtime.actors.behaviours.of(character)) else {
        return Ok(());
    };
    let Some((function, this)) = behaviour::method(lua, owner, "onTraverse") else {
        return Ok(());
    };
    let payload = lua.create_table()?;
    payload.raw_set("walk", handles::make(lua, walk)?)?;
    payload.raw_set("action", link.action.as_str())?;
    payload.raw_set("from", vector(link.ends[0]))?;
    payload.raw_set("to", vector(link.ends[1]))?;
    payload.raw_set("seconds", link.seconds)?;
    payload.set_readonly(true);
    let is_taken = lend::with_world(lua, |world: &mut World| ops::walks::begin_traverse(world, walk));
    if is_taken.unwrap_or(false) {
        let args = MultiValue::from_iter([Value::Table(this), Value::Table(payload)]);
        let (callback, role) = ("onTraverse".into(), TaskRole::Traverse { walk, behaviour: owner });
        let owner = owner_of_task(lua, walk, owner);
        let id = task::add(lua, NewTask { owner, callback, role, function, args, name: None });
        store::with(lua, |runtime| runtime.registered.traverses.insert(walk, id));
        task::begin(vm, id);
    }
    Ok(())
}

/// The owner of the task: the behaviour. While a behaviour stands still, the owner of the walk, such as the
/// scene that holds the character.
fn owner_of_task(lua: &Lua, walk: WalkId, behaviour: Owner) -> Owner {
    if !store::with(lua, |runtime| runtime.owners.is_paused(behaviour)) {
        return behaviour;
    }
    let walker = lend::with_world(lua, |world: &mut World| world.walk(walk).map(|walk| walk.owner));
    walker.ok().flatten().unwrap_or(behaviour)
}

/// A walk is over: so is the task that takes it over a link.
pub(crate) fn settled(vm: &ScriptVm, walk: WalkId) {
    end(vm, walk, Why::OwnerGone);
}

/// Ends the task that takes a walk over a link, if one does.
fn end(vm: &ScriptVm, walk: WalkId, why: Why) {
    let lua = vm.lua();
    if let Some(id) = store::with(lua, |runtime| runtime.registered.traverses.remove(&walk)) {
        task::cancel(lua, id, why);
        invoke::clean_up(vm);
    }
}
