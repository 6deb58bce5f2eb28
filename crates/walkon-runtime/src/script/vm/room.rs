//! Room in the memory of a level for data that the host is to keep for scripts.
//!
//! In: bytes. Out: whether there is room for them. Holds: the VM gets what the host does not keep. Not here:
//! what is known of the memory (`account`).

use mlua::Lua;

use crate::base::value::Plain;
use crate::script::state::runtime::Runtime;
use crate::script::vm::machine::{Machine, machine_of};
use crate::script::vm::{lend, store};
use crate::world::World;

/// Makes room for `bytes` that the host is to keep; a sentence when there is none.
pub(in crate::script) fn reserve(lua: &Lua, bytes: usize) -> Result<(), String> {
    let Some(machine) = machine_of(lua) else {
        return Ok(());
    };
    let account = &machine.account;
    let cap = account.cap.get();
    if cap == 0 {
        return Ok(());
    }
    let is_full = || account.kept.get() + bytes + lua.used_memory() > cap;
    let now = store::find_free(lua, |runtime| runtime.clock.now);
    if account.new.get() + bytes > cap / 16 || is_full() && account.counted.get() != now {
        account.counted.set(now);
        count(lua, &machine);
        if is_full() {
            // A collection fails only without memory; then the account stays full.
            let _ = machine.fuel.collect(lua);
        }
    }
    if is_full() {
        // What is kept may have grown without a call: the VM has the rest.
        limit_vm(lua, &machine);
        return Err(format!(
            "no memory is left: the host keeps {} MiB for scripts in payloads, boards, parameters, watches and tiles \
             (limits.memoryMiB); keep less",
            account.kept.get() >> 20
        ));
    }
    account.kept.set(account.kept.get() + bytes);
    account.new.set(account.new.get() + bytes);
    limit_vm(lua, &machine);
    Ok(())
}

/// Counts what is kept.
fn count(lua: &Lua, machine: &Machine) {
    let in_world = lend::with_world(lua, |world: &mut World| {
        let facts: usize = world.events.payloads().map(Plain::bytes).sum();
        let tiles = world.map.tiles.as_ref().map_or(0, |tiles| tiles.edited_bytes());
        facts + tiles + world.triggers.kept_bytes(world.characters.count())
    });
    let kept = store::find_free(lua, Runtime::kept_bytes).unwrap_or(0);
    machine.account.kept.set(kept + in_world.unwrap_or(0));
    machine.account.new.set(0);
}

/// The VM gets what the host does not keep.
fn limit_vm(lua: &Lua, machine: &Machine) {
    let left = machine.account.cap.get().saturating_sub(machine.account.kept.get()).max(1);
    if left.abs_diff(machine.account.vm_cap.get()) >= 1 << 20 {
        machine.account.vm_cap.set(left);
        machine.memory.set(lua, left.saturating_add(machine.extra_bytes()));
        machine.fuel.set_memory_cap(left);
    }
}
