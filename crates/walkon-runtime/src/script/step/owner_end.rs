//! Ends owners: behaviours, the level script, and everything that belongs to them.
//!
//! In: an owner, and why it ends. Out: its `stop` or `onStop` called, its tasks, timers, handlers and walks
//! ended; for one that is switched off, what a reload needs to bring it back. Holds: an owner is told to stop
//! once; nothing of it runs afterwards but its functions of `task.onCancel`; a fault in the end of one owner
//! ends no other one here, that is noted (`state::running`). Not here: when owners end (`invoke`,
//! `behaviour`), the end of a scene (`cinematic`).

use mlua::{Function, Lua, Table, Value};

use crate::base::ids::CharacterId;
use crate::script::state::behaviours::{Instance, Suspended};
use crate::script::state::owners::OwnerKind;
use crate::script::state::running::Current;
use crate::script::state::tasks::Why;
use crate::script::step::reports::push;
use crate::script::step::task::cancelling;
use crate::script::step::tree::cursor;
use crate::script::step::{calls, plain_state, timer};
use crate::script::vm::{ScriptVm, lend, store};
use crate::world::World;
use crate::world::event::{Fact, SwitchedOff};
use crate::world::ops;
use crate::world::owner::Owner;

/// Switches an owner off after its last fault; a behaviour whose tree faulted, after the tick of the tree.
pub(super) fn switch_off(vm: &ScriptVm, owner: Owner) {
    let (kind, is_deferred) = store::with(vm.lua(), |runtime| {
        let kind = runtime.owners.get(owner).map(|record| record.kind);
        (kind, runtime.actors.trees.defers_suspension(owner))
    });
    match kind {
        Some(OwnerKind::Behaviour(_)) if !is_deferred => end_behaviour(vm, owner, "fault"),
        Some(OwnerKind::Level) => switch_off_level_script(vm),
        _ => {}
    }
}

/// Tells an instance to stop, and ends everything it owns.
pub(super) fn end_behaviour(vm: &ScriptVm, owner: Owner, why: &str) {
    let lua = vm.lua();
    // Taken out first: whatever `stop` does, it runs once.
    let Some(instance) = take_out(lua, owner) else {
        return;
    };
    if why == "fault" {
        let suspended = suspended(lua, owner, &instance, vm.limits().state_kib);
        let off = behaviour_off(vm, instance.character, &suspended);
        store::with(lua, |runtime| {
            runtime.actors.behaviours.suspend(&instance, suspended);
        });
        push(vm, Fact::SwitchedOff(off));
    }
    if let Some(function) =
        instance.class.table.raw_get::<Value>("stop").ok().and_then(|stop| stop.as_function().cloned())
    {
        calls::run(vm, &Current::plain(owner, "stop"), &function, (&*instance.this, why));
        calls::clean_up(vm);
    }
    let why = if why == "levelEnd" { Why::LevelEnd } else { Why::OwnerGone };
    cursor::end(vm, owner, why);
    end_owner(vm, owner, why);
}

/// Ends everything that an instance owns which was told to stop, and whose `stop` removed its character.
pub(crate) fn end_stopped_behaviour(vm: &ScriptVm, owner: Owner) {
    if take_out(vm.lua(), owner).is_some() {
        cursor::end(vm, owner, Why::OwnerGone);
        end_owner(vm, owner, Why::OwnerGone);
    }
}

pub(super) fn take_out(lua: &Lua, owner: Owner) -> Option<Instance> {
    store::with(lua, |runtime| runtime.actors.behaviours.take(owner))
}

/// What a reload needs to bring an instance back.
pub(super) fn suspended(lua: &Lua, owner: Owner, instance: &Instance, limit_kib: u32) -> Suspended {
    let state = instance.this.raw_get::<Value>("state").unwrap_or(Value::Nil);
    let (state, left_out) = plain_state::salvage(lua, "self.state", &state, limit_kib);
    let Instance { class, asked, given, .. } = instance;
    Suspended {
        label: store::with(lua, |runtime| runtime.owners.label(owner)),
        file: class.file.clone(),
        version: class.version,
        asked: asked.clone(),
        given: given.clone(),
        state: Some(state),
        is_whole: left_out.is_empty(),
    }
}

/// The message about a behaviour that was switched off.
pub(super) fn behaviour_off(vm: &ScriptVm, character: CharacterId, suspended: &Suspended) -> SwitchedOff {
    let path = vm.texts().get(&suspended.file).map_or(suspended.file.clone(), |file| file.path.clone());
    SwitchedOff {
        owner: suspended.label.to_string(),
        character: Some(character),
        again: format!("a reload of {path} starts it again, or character:attach(\"{}\")", suspended.asked),
    }
}

/// Switches the level script off after its last fault.
fn switch_off_level_script(vm: &ScriptVm) {
    let environment = store::with(vm.lua(), |runtime| Some(runtime.owners.level.as_ref()?.1.clone()));
    if let Some(name) = environment.and_then(|environment| vm.loads().name_of(&environment)) {
        push(vm, Fact::SwitchedOff(level_script_off(vm, &name)));
    }
    end_level_script(vm, "fault");
}

/// The message about the level script that was switched off.
pub(crate) fn level_script_off(vm: &ScriptVm, name: &str) -> SwitchedOff {
    let path = vm.texts().get(name).map_or_else(|| name.to_owned(), |file| file.path.clone());
    let again = format!("a reload of {path} starts it again");
    SwitchedOff { owner: "level script".to_owned(), character: None, again }
}

/// Tells the level script to stop, and ends everything it owns.
pub(super) fn end_level_script(vm: &ScriptVm, why: &str) {
    let lua = vm.lua();
    let Some((owner, environment)) = store::with(lua, |runtime| runtime.owners.level.take()) else {
        return;
    };
    if let Some(function) = function_of(&environment, "onStop") {
        calls::run(vm, &Current::plain(owner, "onStop"), &function, why);
        calls::clean_up(vm);
    }
    let why = if why == "levelEnd" { Why::LevelEnd } else { Why::OwnerGone };
    end_owner(vm, owner, why);
}

/// A function that a script has as a global of its own.
pub(crate) fn function_of(environment: &Table, name: &str) -> Option<Function> {
    environment.raw_get::<Value>(name).ok().and_then(|value| value.as_function().cloned())
}

/// Ends what an owner registered and started, and forgets it. Its walks settle, its `onCancel` functions run.
pub(super) fn end_owner(vm: &ScriptVm, owner: Owner, why: Why) {
    let lua = vm.lua();
    end_belongings(lua, owner, why);
    store::with(lua, |runtime| {
        runtime.faults.strikes.forget(&owner);
        runtime.owners.remove(owner)
    });
    calls::clean_up(vm);
}

/// Ends what an owner registered and started; the owner stays. A reload leaves walks, and timers whose
/// handlers are names.
pub(crate) fn end_belongings(lua: &Lua, owner: Owner, why: Why) {
    let is_reload = why == Why::Reload;
    for id in store::with(lua, |runtime| runtime.tasks.of(owner)) {
        cancelling::cancel(lua, id, why);
    }
    let timers = store::with(lua, |runtime| {
        if is_reload {
            runtime.registered.timers.nameless(owner)
        } else {
            runtime.registered.timers.of(owner)
        }
    });
    for id in timers {
        timer::end(lua, id);
    }
    store::with(lua, |runtime| {
        runtime.registered.predicates.end_owner(owner);
        if is_reload {
            runtime.registered.handlers.reload_owner(owner);
            let untold = runtime.queue.deliveries(owner);
            runtime.queue.forget_listeners(owner);
            if let Some(record) = runtime.owners.get_mut(owner) {
                (record.handlers, record.watches) = (0, 0);
                // What stands still is handed out when it goes on.
                if !untold.is_empty() && !record.is_paused() {
                    runtime.queue.deliver_soon(owner);
                }
                untold.into_iter().for_each(|delivery| record.keep(delivery));
            }
        } else {
            runtime.registered.handlers.end_owner(owner);
        }
    });
    if is_reload {
        let _ = lend::with_world(lua, |world: &mut World| {
            ops::watches::end_owner(world, owner);
            ops::blocks::end_owner(world, owner);
        });
        return;
    }
    // Between phases there is no world: then the level has ended and nothing of it walks.
    let _ = lend::with_world(lua, |world: &mut World| ops::walks::end_owner(world, owner));
}
