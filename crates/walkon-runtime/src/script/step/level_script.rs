//! The level script: its owner, its functions, its end.
//!
//! In: the environment in which its body has run. Out: `onStart`, `onTick` and `onStop` called. Holds: it is
//! switched off after its last fault, and learns why it stops. Not here: loading it (`host`).

use mlua::{Function, Table, Value};

use crate::script::state::owners::OwnerKind;
use crate::script::state::tasks::Why;
use crate::script::step::behaviour;
use crate::script::step::invoke::{self, Call};
use crate::script::vm::{ScriptVm, store};
use crate::world::event::{Fact, SwitchedOff};

pub(crate) fn begin(vm: &ScriptVm, environment: Table) {
    store::with(vm.lua(), |runtime| {
        let owner = runtime.owners.begin(OwnerKind::Level, "level script".to_owned());
        if let Some(record) = runtime.owners.get_mut(owner) {
            record.names = Some(environment.clone());
        }
        runtime.owners.level = Some((owner, environment));
    });
}

/// Calls a function of the level script, if it has it.
pub(crate) fn call(vm: &ScriptVm, name: &'static str, why: &str) {
    let found = store::with(vm.lua(), |runtime| runtime.owners.level.clone());
    if let Some((owner, environment)) = found
        && let Some(function) = function_of(&environment, name)
    {
        invoke::run(vm, &Call::plain(owner, name), &function, why);
    }
}

/// Switches the level script off after its last fault.
pub(crate) fn switch_off(vm: &ScriptVm) {
    let environment = store::with(vm.lua(), |runtime| Some(runtime.owners.level.as_ref()?.1.clone()));
    if let Some(name) = environment.and_then(|environment| vm.loads().name_of(&environment)) {
        invoke::push(vm, Fact::SwitchedOff(switched_off(vm, &name)));
    }
    end(vm, "fault");
}

pub(crate) fn switched_off(vm: &ScriptVm, name: &str) -> SwitchedOff {
    let path = vm.texts().get(name).map_or_else(|| name.to_owned(), |file| file.path.clone());
    let again = format!("a reload of {path} starts it again");
    SwitchedOff { owner: "level script".to_owned(), character: None, again }
}

/// Tells the level script to stop, and ends everything it owns.
pub(crate) fn end(vm: &ScriptVm, why: &str) {
    let lua = vm.lua();
    let Some((owner, environment)) = store::with(lua, |runtime| runtime.owners.level.take()) else {
        return;
    };
    if let Some(function) = function_of(&environment, "onStop") {
        invoke::run(vm, &Call::plain(owner, "onStop"), &function, why);
    }
    let why = if why == "levelEnd" { Why::LevelEnd } else { Why::OwnerGone };
    behaviour::end_owner(vm, owner, why);
}

pub(crate) fn tick(vm: &ScriptVm) {
    let found = store::with(vm.lua(), |runtime| {
        let (owner, environment) = runtime.owners.level.clone()?;
        Some((owner, environment, runtime.clock.rate.per_second()))
    });
    let Some((owner, environment, rate)) = found else {
        return;
    };
    if let Some(function) = function_of(&environment, "onTick") {
        invoke::run(vm, &Call::plain(owner, "onTick"), &function, 1.0 / f64::from(rate));
    }
}

/// A function that a script has as a global of its own.
pub(crate) fn function_of(environment: &Table, name: &str) -> Option<Function> {
    environment.raw_get::<Value>(name).ok().and_then(|value| value.as_function().cloned())
}
