//! The level script: its owner and its functions.
//!
//! In: the environment in which its body has run. Out: `onStart` and `onTick` called. Not here: loading it
//! (`host`), its end (`owner_end`).

use mlua::Table;

use crate::script::state::owners::OwnerKind;
use crate::script::step::invoke::{self, Call};
use crate::script::step::owner_end::function_of;
use crate::script::vm::{ScriptVm, convert, store};

/// Whether what the runtime calls are functions; a sentence about the first that is none.
pub(crate) fn check(environment: &Table) -> Result<(), String> {
    convert::functions(environment, &["onStart", "onTick", "onStop"])
}

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
