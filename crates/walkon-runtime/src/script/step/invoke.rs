//! Calls from the host into scripts, and the work that follows each.
//!
//! In: a function, its owner, the name of the call. Out: its results; or a fault, reported to the world,
//! counted against its owner. Holds: an owner that is switched off ends after the call that faulted, and
//! before the functions of `task.onCancel` run; never inside the end of another one. Not here: the single
//! call (`calls`), how an owner ends (`owner_end`).

use mlua::{Function, IntoLuaMulti, MultiValue, Table, Value};

pub(crate) use crate::script::state::running::Current as Call;
use crate::script::state::running::LeftAfterCall;
use crate::script::state::tasks::Why;
pub(crate) use crate::script::step::calls::is_quiet_after;
pub(crate) use crate::script::step::reports::{map, push, text};
use crate::script::step::tree::cursor;
use crate::script::step::{calls, owner_end, plain_state, reports};
use crate::script::vm::fault::CallFailure;
use crate::script::vm::{ScriptVm, store};
use crate::world::owner::Owner;

/// Runs `run` with the call as the current one, and takes what it printed.
pub(crate) fn within<R>(vm: &ScriptVm, call: &Call, run: impl FnOnce() -> R) -> R {
    let result = calls::within(vm, call, run);
    switch_off(vm);
    result
}

/// The work after every call: its output is reported, the state of its owner is looked at.
pub(crate) fn look_after(vm: &ScriptVm, call: &Call) {
    calls::look_after(vm, call);
    switch_off(vm);
}

/// Calls a function that may not wait; none when it faulted, which is reported.
pub(crate) fn call(
    vm: &ScriptVm,
    call: &Call,
    function: &Function,
    args: impl IntoLuaMulti,
) -> Option<MultiValue> {
    let result = calls::within(vm, call, || vm.call(function, args, vm.limits().fuel_per_call));
    let values = calls::given(vm, call, result);
    clean_up(vm);
    values
}

/// Calls a function that may not wait and whose results nobody wants; false when it faulted, which is
/// reported. Cheaper than [`call`]: nothing is allocated.
pub(crate) fn run(vm: &ScriptVm, call: &Call, function: &Function, args: impl IntoLuaMulti) -> bool {
    let ran = calls::run(vm, call, function, args);
    clean_up(vm);
    ran
}

/// After a call that was made elsewhere: takes what it printed, reports its failure, cleans up.
pub(crate) fn returned(vm: &ScriptVm, call: &Call, outcome: Result<(), CallFailure>) {
    calls::take_printed(vm, call.owner);
    calls::given(vm, call, outcome);
    clean_up(vm);
}

/// Asks a predicate, which may not wait. Its error is the caller's to deal with.
pub(crate) fn test(
    vm: &ScriptVm,
    call: &Call,
    predicate: &Function,
    args: impl IntoLuaMulti,
) -> Result<bool, CallFailure> {
    let answer = calls::within(vm, call, || vm.ask(predicate, args, vm.limits().fuel_per_call));
    clean_up(vm);
    answer
}

/// Switches off the owners that wait for it, and runs the functions of `task.onCancel` that do. Bounded: an
/// owner ends once, and each function was registered once, up to the owner's limit.
pub(crate) fn clean_up(vm: &ScriptVm) {
    while let Some(left) = store::with(vm.lua(), |runtime| runtime.running.next_left()) {
        match left {
            LeftAfterCall::SwitchOff(owner) => owner_end::switch_off(vm, owner),
            LeftAfterCall::CleanUp(cleanup) => calls::run_cleanup(vm, &cleanup),
        }
    }
}

/// Switches off the owners that wait for it.
pub(crate) fn switch_off(vm: &ScriptVm) {
    while let Some(owner) = store::with(vm.lua(), |runtime| runtime.running.next_to_switch_off()) {
        owner_end::switch_off(vm, owner);
    }
}

/// Tells the world of a fault and counts it against its owner; the third within 600 ticks switches it off.
pub(crate) fn report(vm: &ScriptVm, call: &Call, failure: CallFailure) {
    reports::report(vm, call, failure);
    switch_off(vm);
}

/// Looks at states that were put off, in turn. Once a tick. Bounded by the entries: every look spends some.
pub(crate) fn look_at_states(vm: &ScriptVm) {
    while plain_state::look_at_next(vm) {
        switch_off(vm);
    }
}

/// Looks at `state`, which all scripts of the level share; once a tick.
pub(crate) fn look_at_shared_state(vm: &ScriptVm, owner: Owner, state: &Table) {
    plain_state::look_at_shared(vm, owner, state);
    switch_off(vm);
}

/// Reports a state that is not plain data, unless that was reported before and nothing has changed since.
pub(crate) fn check_state(vm: &ScriptVm, owner: Owner, name: &str, state: Value) {
    plain_state::check(vm, owner, name, state);
    switch_off(vm);
}

/// Tells a behaviour to stop, and ends everything it owns.
pub(crate) fn end_behaviour(vm: &ScriptVm, owner: Owner, why: &str) {
    owner_end::end_behaviour(vm, owner, why);
    switch_off(vm);
}

/// Tells the level script to stop, and ends everything it owns.
pub(crate) fn end_level_script(vm: &ScriptVm, why: &str) {
    owner_end::end_level_script(vm, why);
    switch_off(vm);
}

/// Ends what an owner registered and started, and forgets it. Its walks settle, its `onCancel` functions run.
pub(crate) fn end_owner(vm: &ScriptVm, owner: Owner, why: Why) {
    owner_end::end_owner(vm, owner, why);
    switch_off(vm);
}

/// Leaves the tree of an owner for good, before its other belongings end.
pub(crate) fn end_tree(vm: &ScriptVm, owner: Owner, why: Why) {
    cursor::end(vm, owner, why);
    switch_off(vm);
}
