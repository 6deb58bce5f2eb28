//! Reports every call of the VM to the profile.
//!
//! In: calls as they begin and end. Out: what was called, and its fuel. Holds: without a profile nothing of
//! this is done, and with one nothing of the run is changed. Not here: the sums (`state::profile`), the
//! stacks (`fuel::sampling`).

use std::rc::Rc;

use mlua::Lua;

use crate::base::ids::CharacterId;
use crate::script::state::code_name::CodeName;
use crate::script::state::owners::OwnerKind;
use crate::script::state::profile::{FuelUse, Ledger, Profile, ProfileSetup, Who};
use crate::script::state::runtime::Runtime;
use crate::script::vm::machine::{Machine, machine_of};
use crate::script::vm::{lend, store};
use crate::world::World;
use crate::world::owner::Owner;

/// Begins a profile; before the first call.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn open(lua: &Lua, setup: ProfileSetup) -> mlua::Result<()> {
    let Some(machine) = machine_of(lua) else { return Ok(()) };
    if setup.sample_every > 0 {
        machine.fuel.begin_sampling(lua, setup.sample_every)?;
        if let Some(port) = machine.debug.get() {
            port.go_in_front(lua)?;
        }
    }
    machine.profile.replace(Some(Ledger::new(setup)));
    Ok(())
}

/// The costs of the calls so far; none without a profile.
pub(crate) fn report(lua: &Lua) -> Option<Profile> {
    let machine = machine_of(lua)?;
    end_step(lua);
    let ledger = machine.profile.borrow();
    let ticks = store::with(lua, |runtime| runtime.clock.now.0);
    ledger.as_ref().map(|ledger| Profile::of(ledger, machine.fuel.stacks(), ticks))
}

/// The fuel of all code called so far, by its owner.
pub(crate) fn fuel_by_who(lua: &Lua) -> Vec<(Who, u64)> {
    let Some(machine) = machine_of(lua) else { return Vec::new() };
    let ledger = machine.profile.borrow();
    ledger.iter().flat_map(Ledger::by_who).collect()
}

/// What a file took of each character that runs it, or of one; none when nothing of it was called.
pub(crate) fn fuel_of(lua: &Lua, file: &str, name: Option<&str>) -> Option<FuelUse> {
    let machine = machine_of(lua)?;
    let mut ledger = machine.profile.try_borrow_mut().ok()?;
    let ledger = ledger.as_mut()?;
    ledger.settle();
    ledger.fuel_of(file, name)
}

/// A step of scripts begins.
pub(crate) fn begin_step(lua: &Lua, tick: u64) {
    let Some(machine) = machine_of(lua) else { return };
    if let Some(ledger) = &mut *machine.profile.borrow_mut() {
        ledger.begin_step(tick);
    }
}

/// The step of scripts has ended.
pub(crate) fn end_step(lua: &Lua) {
    let Some(machine) = machine_of(lua) else { return };
    if let Some(ledger) = &mut *machine.profile.borrow_mut() {
        ledger.end_step();
    }
}

/// A call begins.
#[inline]
pub(super) fn begin(lua: &Lua, machine: &Machine) {
    if let Some(ledger) = &mut *machine.profile.borrow_mut() {
        let context = context_now(lua, ledger);
        machine.fuel.set_context(context);
        ledger.begin(context);
    }
}

/// The call has ended.
#[inline]
pub(super) fn end(machine: &Machine) {
    if let Some(ledger) = &mut *machine.profile.borrow_mut() {
        ledger.end(machine.fuel.spent());
    }
}

/// Calls that were made in a row have ended.
pub(super) fn end_row(machine: &Machine) {
    if let Some(ledger) = &mut *machine.profile.borrow_mut() {
        ledger.end_row(&machine.fuel.batch_fuel());
    }
}

/// By row the context of these owners, whose `update`s are about to be called; none without a profile.
pub(crate) fn contexts(lua: &Lua, owners: &Rc<[Owner]>) -> Option<Rc<[u32]>> {
    let machine = machine_of(lua)?;
    let ledger = &mut *machine.profile.borrow_mut();
    let ledger = ledger.as_mut()?;
    if let Some(known) = ledger.known_row(owners) {
        return Some(known);
    }
    let callback = CodeName::Fixed(UPDATE);
    let contexts: Rc<[u32]> =
        owners.iter().map(|owner| known_context(lua, ledger, *owner, &callback)).collect();
    ledger.know_row(owners, Rc::clone(&contexts));
    Some(contexts)
}

/// The name of a row of `update`s.
const UPDATE: &str = "update";

#[inline]
fn context_now(lua: &Lua, ledger: &mut Ledger) -> u32 {
    let last = store::with(lua, |runtime| {
        let call = runtime.running.under_way()?;
        ledger.last_context(call.owner, &call.callback)
    });
    last.unwrap_or_else(|| find_context(lua, ledger))
}

#[inline(never)]
fn find_context(lua: &Lua, ledger: &mut Ledger) -> u32 {
    match store::with(lua, |runtime| runtime.running.under_way().cloned()) {
        Some(call) => known_context(lua, ledger, call.owner, &call.callback),
        // A row of `update`s, each noted by itself, or the body of a file.
        None => known_context(lua, ledger, Owner::HOST, &CodeName::Fixed("load")),
    }
}

fn known_context(lua: &Lua, ledger: &mut Ledger, owner: Owner, callback: &CodeName) -> u32 {
    if !ledger.knows(owner) {
        ledger.know(owner, &who(lua, owner));
    }
    ledger.context(owner, callback)
}

/// The name of a file as messages show it, of the name that scripts call it by.
pub(crate) fn file_name(name: &str) -> String {
    if name.is_empty() || name.ends_with(".lua") { name.to_owned() } else { format!("{name}.lua") }
}

/// Whose code an owner runs.
fn who(lua: &Lua, owner: Owner) -> Who {
    let (mut who, character) = store::with(lua, |runtime| named(runtime, owner));
    if let Some(character) = character {
        let name = lend::with_world(lua, |world: &mut World| world.name_of(character).to_owned());
        who.name = name.unwrap_or(who.name);
    }
    who
}

fn named(runtime: &Runtime, owner: Owner) -> (Who, Option<CharacterId>) {
    let label = runtime.owners.label(owner).to_string();
    let file_of_scene = |id| {
        let mut scenes = runtime.cinematics.scenes.iter();
        scenes.find(|(other, _)| *other == id).and_then(|(_, scene)| scene.definition.file.clone())
    };
    // As messages name files.
    let of = |file: String| Who { file: file_name(&file), name: label.clone() };
    match runtime.owners.get(owner).map(|record| record.kind) {
        Some(OwnerKind::Behaviour(character)) => {
            let file = runtime.actors.behaviours.get(owner).map(|instance| instance.class.file.clone());
            (of(file.unwrap_or_default()), Some(character))
        }
        Some(OwnerKind::Level) => (of(runtime.level_file.clone()), None),
        Some(OwnerKind::Scene(id)) => (of(file_of_scene(id).unwrap_or_default()), None),
        Some(OwnerKind::Test | OwnerKind::Console) | None => (of(String::new()), None),
    }
}
