//! Reports of script code to the world: facts, and faults that count against their owners.
//!
//! In: facts; failures of calls. Out: the same, in the world; owners that are to be switched off. Holds: a
//! fault ends one call and nothing else; three of one owner within 600 ticks switch it off. Not here: how an
//! owner ends (`owner_end`).

use mlua::Lua;

use crate::base::ordered::CollectOrdered;
use crate::base::value::{Plain, PlainKey};
use crate::script::state::owners::OwnerKind;
use crate::script::state::running::Current;
use crate::script::state::scenes::SceneEnd;
use crate::script::state::strikes::{FaultConsequence, STRIKES_MAX};
use crate::script::state::work::ScriptWork;
use crate::script::step::testing;
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{ScriptVm, lend, store};
use crate::world::World;
use crate::world::event::{Fact, NoticeKind};

/// Adds a fact, when the world is there.
pub(crate) fn push(vm: &ScriptVm, event: Fact) {
    // While files load there is no world, and nobody to tell.
    let _ = lend::with_world(vm.lua(), |world: &mut World| world.events.push(event));
}

/// What a fault costs the tick: its message, its place in the script and the calls that led there are worked
/// out.
const FAULT_PRICE: u64 = 512;

/// Tells the world of a fault and counts it against its owner; the third within 600 ticks switches it off
/// once the code under way has returned.
pub(crate) fn report(vm: &ScriptVm, call: &Current, failure: CallFailure) {
    let lua = vm.lua();
    if failure.kind == FaultKind::Stopped {
        // Nobody's mistake; but no other run has this tick, and a replay has to know.
        push(vm, Fact::notice(NoticeKind::ScriptStopped, 1));
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
        (Some(OwnerKind::Scene(scene)), _) => {
            store::with(lua, |runtime| runtime.owners.mark_gone(call.owner));
            end_scene(lua, scene, SceneEnd::Fault(failure.message.clone()));
        }
        (Some(OwnerKind::Behaviour(_) | OwnerKind::Level), FaultConsequence::Suspended) => {
            store::with(lua, |runtime| runtime.running.switch_off_later(call.owner));
        }
        _ => {}
    }
}

/// Ends a scene at the next dispatch; false when it is over.
pub(crate) fn end_scene(lua: &Lua, id: u64, how: SceneEnd) -> bool {
    let is_there = store::with(lua, |runtime| runtime.cinematics.scenes.end_soon(id, &how));
    if is_there {
        store::push_work(lua, ScriptWork::EndScene(id, how));
    }
    is_there
}

/// The fields of `Fault`, and the strikes of its owner.
fn fault_data(vm: &ScriptVm, call: &Current, failure: &CallFailure, verdict: FaultConsequence) -> Plain {
    let (owner, character, tick, step) = store::with(vm.lua(), |runtime| {
        let character = match runtime.owners.get(call.owner).map(|record| record.kind) {
            Some(OwnerKind::Behaviour(character)) => Some(character),
            _ => None,
        };
        (runtime.owners.label(call.owner).to_string(), character, runtime.clock.now, runtime.clock.step)
    });
    let strikes = match verdict {
        FaultConsequence::GoesOn(strikes) => strikes,
        FaultConsequence::Suspended => STRIKES_MAX,
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
