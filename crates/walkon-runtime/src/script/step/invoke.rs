//! Calls from the host into scripts: their owners, their errors, the work after them.
//!
//! In: a function, its owner, the name of the call. Out: its results; or a fault, reported to the world,
//! counted against its owner. Holds: a fault ends one call and nothing else; three of one owner within 600
//! ticks suspend it; functions of `task.onCancel` run after the call that ended their task has returned,
//! never inside it.

use mlua::{Function, IntoLuaMulti, MultiValue};

use crate::base::ordered::CollectOrdered;
use crate::base::value::{Plain, PlainKey};
use crate::script::state::owners::OwnerKind;
pub(crate) use crate::script::state::running::Current as Call;
use crate::script::state::runtime::{Actors, Runtime};
use crate::script::state::strikes::FaultConsequence;
use crate::script::step::{behaviour, cinematic, level_script, plain_state, testing};
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{ScriptVm, lend, store};
use crate::world::World;
use crate::world::event::{Fact, LogLine};
use crate::world::owner::Owner;

/// Runs `run` with the call as the current one, and takes what it printed.
pub(crate) fn within<R>(vm: &ScriptVm, call: &Call, run: impl FnOnce() -> R) -> R {
    let lua = vm.lua();
    let before = store::with(lua, |runtime| runtime.running.replace(Some(call.clone())));
    let result = run();
    store::with(lua, |runtime| runtime.running.replace(before));
    look_after(vm, call);
    result
}

/// The work after every call: its output is reported, the state of its owner is looked at.
pub(crate) fn look_after(vm: &ScriptVm, call: &Call) {
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

fn take_printed(vm: &ScriptVm, owner: Owner) {
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
        push(vm, Fact::Notice { what: "printDropped", count: dropped, walk: None, why: None });
    }
}

/// Adds a fact, when the world is there.
pub(crate) fn push(vm: &ScriptVm, event: Fact) {
    // While files load there is no world, and nobody to tell.
    let _ = lend::with_world(vm.lua(), |world: &mut World| world.events.push(event));
}

/// Calls a function that may not wait; none when it faulted, which is reported.
pub(crate) fn call(
    vm: &ScriptVm,
    call: &Call,
    function: &Function,
    args: impl IntoLuaMulti,
) -> Option<MultiValue> {
    let result = within(vm, call, || vm.call(function, args, vm.limits().fuel_per_call));
    let values = match result {
        Ok(values) => Some(values),
        Err(failure) => {
            report(vm, call, failure);
            None
        }
    };
    clean_up(vm);
    values
}

/// Calls a function that may not wait and whose results nobody wants; false when it faulted, which is
/// reported. Cheaper than [`call`]: nothing is allocated.
pub(crate) fn run(vm: &ScriptVm, call: &Call, function: &Function, args: impl IntoLuaMulti) -> bool {
    let result = within(vm, call, || vm.run(function, args, vm.limits().fuel_per_call));
    let ran = result.is_ok();
    if let Err(failure) = result {
        report(vm, call, failure);
    }
    clean_up(vm);
    ran
}

/// After a call that was made elsewhere: takes what it printed, reports its failure, cleans up.
pub(crate) fn returned(vm: &ScriptVm, call: &Call, outcome: Result<(), CallFailure>) {
    take_printed(vm, call.owner);
    if let Err(failure) = outcome {
        report(vm, call, failure);
    }
    clean_up(vm);
}

/// Asks a predicate, which may not wait. Its error is the caller's to deal with.
pub(crate) fn test(
    vm: &ScriptVm,
    call: &Call,
    predicate: &Function,
    args: impl IntoLuaMulti,
) -> Result<bool, CallFailure> {
    let answer = within(vm, call, || vm.ask(predicate, args, vm.limits().fuel_per_call));
    clean_up(vm);
    answer
}

/// Runs the functions of `task.onCancel` that wait for it. Bounded: each was registered once, up to the
/// owner's limit.
pub(crate) fn clean_up(vm: &ScriptVm) {
    while let Some(cleanup) = store::with(vm.lua(), |runtime| runtime.running.next_cleanup()) {
        let call = Call::plain(cleanup.owner, "onCancel");
        let result =
            within(vm, &call, || vm.call(&cleanup.function, cleanup.why.name(), vm.limits().fuel_per_call));
        if let Err(failure) = result {
            report(vm, &call, failure);
        }
    }
}

/// What a fault costs the tick: its message, its place in the script and the calls that led there are worked
/// out.
const FAULT_PRICE: u64 = 512;

/// Tells the world of a fault and counts it against its owner; the third within 600 ticks suspends it.
pub(crate) fn report(vm: &ScriptVm, call: &Call, failure: CallFailure) {
    let lua = vm.lua();
    if failure.kind == FaultKind::Stopped {
        // Nobody's mistake; but no other run has this tick, and a replay has to know.
        push(vm, Fact::Notice { what: "scriptStopped", count: 1, walk: None, why: None });
        return;
    }
    if failure.kind == FaultKind::Ended {
        // A task had ended.
        return;
    }
    if testing::is_told(lua, call.owner) {
        return;
    }
    vm.spend(FAULT_PRICE);
    let (verdict, kind) = store::with(lua, |runtime| {
        runtime.faults.count += 1;
        runtime.faults.is_disturbed |= failure.kind == FaultKind::Watchdog;
        let kind = runtime.owners.get(call.owner).map(|record| record.kind);
        let verdict = match kind {
            Some(_) => runtime.faults.strikes.count(call.owner, runtime.clock.now),
            None => FaultConsequence::GoesOn(0),
        };
        (verdict, kind)
    });
    let fault = fault_data(vm, call, &failure, verdict);
    testing::faulted(lua, &fault);
    push(vm, Fact::Faulted(fault));
    match (kind, verdict) {
        (Some(OwnerKind::Scene(scene)), _) => cinematic::faulted(lua, scene, &failure.message),
        (Some(OwnerKind::Behaviour(_)), FaultConsequence::Suspended) => behaviour::switch_off(vm, call.owner),
        (Some(OwnerKind::Level), FaultConsequence::Suspended) => level_script::switch_off(vm),
        _ => {}
    }
}

/// The fields of `Fault`, and the strikes of its owner.
fn fault_data(vm: &ScriptVm, call: &Call, failure: &CallFailure, verdict: FaultConsequence) -> Plain {
    let (owner, character, tick, step) = store::with(vm.lua(), |runtime| {
        let character = match runtime.owners.get(call.owner).map(|record| record.kind) {
            Some(OwnerKind::Behaviour(character)) => Some(character),
            _ => None,
        };
        (runtime.owners.label(call.owner).to_string(), character, runtime.clock.now, runtime.clock.step)
    });
    let strikes = match verdict {
        FaultConsequence::GoesOn(strikes) => strikes,
        FaultConsequence::Suspended => crate::script::state::strikes::STRIKES_MAX,
    };
    let mut fields = vec![
        ("kind", text(failure.kind.name())),
        ("message", text(&failure.message)),
        ("traceback", text(&failure.traceback)),
        ("file", text(&failure.file)),
        ("line", Plain::Number(f64::from(failure.line))),
        ("owner", text(&owner)),
        ("callback", text(&call.callback)),
        ("tick", Plain::Number(tick.0 as f64)),
        ("step", Plain::Number(f64::from(step))),
        ("strikes", Plain::Number(strikes as f64)),
    ];
    if let Some(character) = character {
        fields.push(("character", Plain::Character(character)));
    }
    map(fields)
}

pub(crate) fn text(text: &str) -> Plain {
    Plain::Text(text.to_owned())
}

/// A plain map of named fields.
pub(crate) fn map(fields: impl IntoIterator<Item = (&'static str, Plain)>) -> Plain {
    let named = fields.into_iter().map(|(name, value)| (PlainKey::Name(name.to_owned()), value));
    Plain::Map(named.collect_map())
}
