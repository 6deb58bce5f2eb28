//! Single calls from the host into scripts.
//!
//! In: a function, its owner, the name of the call. Out: its results; or a fault, which is reported. Holds:
//! functions of `task.onCancel` run after the call that ended their task has returned, never inside it. Not
//! here: owners that are switched off after a call (`invoke`).

use mlua::{Function, IntoLuaMulti};

use crate::script::state::running::{Cleanup, Current};
use crate::script::state::runtime::{Actors, Runtime};
use crate::script::step::plain_state;
use crate::script::step::reports::{push, report};
use crate::script::vm::fault::CallFailure;
use crate::script::vm::{ScriptVm, store};
use crate::world::event::{Fact, LogLine, NoticeKind};
use crate::world::owner::Owner;

/// Runs `run` with the call as the current one, and takes what it printed.
pub(crate) fn within<R>(vm: &ScriptVm, call: &Current, run: impl FnOnce() -> R) -> R {
    let lua = vm.lua();
    let before = store::with(lua, |runtime| runtime.running.replace(Some(call.clone())));
    let result = run();
    store::with(lua, |runtime| runtime.running.replace(before));
    look_after(vm, call);
    result
}

/// The work after every call: its output is reported, the state of its owner is looked at.
pub(crate) fn look_after(vm: &ScriptVm, call: &Current) {
    take_printed(vm, call.owner);
    plain_state::after_call(vm, call);
}

/// Whether there is nothing to do after a call of `owner`, as for nearly all: then that is noted.
pub(crate) fn is_quiet_after(vm: &ScriptVm, runtime: &mut Runtime, owner: Owner) -> bool {
    if vm.has_printed() || runtime.running.has_cleanups() {
        return false;
    }
    let Actors { behaviours, checks, .. } = &mut runtime.actors;
    if checks.looks_at_once() && behaviours.get(owner).is_some() {
        return false;
    }
    if behaviours.get(owner).is_some() {
        checks.put_off(owner);
    }
    true
}

pub(crate) fn take_printed(vm: &ScriptVm, owner: Owner) {
    if !vm.has_printed() {
        return;
    }
    let (lines, dropped) = vm.take_printed();
    let lua = vm.lua();
    let label = store::with(lua, |runtime| runtime.owners.label(owner).to_string());
    for line in lines {
        let (owner, file, line, message) = (label.clone(), line.file, line.line, line.text);
        push(vm, Fact::Logged(Box::new(LogLine { level: "info", owner, file, line, message })));
    }
    if dropped > 0 {
        push(vm, Fact::notice(NoticeKind::PrintDropped, dropped));
    }
}

/// What a call has given; none when it faulted, which is reported.
pub(crate) fn given<R>(vm: &ScriptVm, call: &Current, result: Result<R, CallFailure>) -> Option<R> {
    result.map_err(|failure| report(vm, call, failure)).ok()
}

/// Calls a function that may not wait and whose results nobody wants; false when it faulted, which is
/// reported.
pub(crate) fn run(vm: &ScriptVm, call: &Current, function: &Function, args: impl IntoLuaMulti) -> bool {
    let result = within(vm, call, || vm.run(function, args, vm.limits().fuel_per_call));
    given(vm, call, result).is_some()
}

/// Fuel of a function that cleans up when that of the tick is spent: it runs all the same, and many may run
/// in a row.
const CLEANUP_FUEL_MIN: u64 = 1000;

fn cleanup_fuel(vm: &ScriptVm) -> u64 {
    vm.limits().fuel_per_call.min(vm.tick_left().max(CLEANUP_FUEL_MIN))
}

/// Calls the `exit` of an action of a tree; false when it faulted, which is reported.
pub(crate) fn run_exit(vm: &ScriptVm, call: &Current, function: &Function, args: impl IntoLuaMulti) -> bool {
    let result = within(vm, call, || vm.run(function, args, cleanup_fuel(vm)));
    given(vm, call, result).is_some()
}

/// Runs a function of `task.onCancel`.
pub(crate) fn run_cleanup(vm: &ScriptVm, cleanup: &Cleanup) {
    let call = Current::plain(cleanup.owner, "onCancel");
    let run = || vm.call(&cleanup.function, cleanup.why.name(), cleanup_fuel(vm));
    let result = within(vm, &call, run);
    given(vm, &call, result);
}

/// Runs the functions of `task.onCancel` that wait for it. Bounded: each was registered once, up to the
/// owner's limit.
pub(crate) fn clean_up(vm: &ScriptVm) {
    while let Some(cleanup) = store::with(vm.lua(), |runtime| runtime.running.next_cleanup()) {
        run_cleanup(vm, &cleanup);
    }
}
