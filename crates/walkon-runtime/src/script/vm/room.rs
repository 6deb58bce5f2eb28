//! Reserves memory of the level for data that the host keeps for scripts.
//!
//! In: bytes, watches. Out: whether there is room for them. Holds: the VM gets the rest. Not here: the
//! figures (`account`), the fault when watches fill it (`step::watch_memory`).

use std::cell::Cell;
use std::collections::BTreeMap;

use mlua::Lua;

use crate::base::value::Plain;
use crate::script::state::handlers::SenseRecord;
use crate::script::state::runtime::Runtime;
use crate::script::state::test_run::Testing;
use crate::script::vm::account::Account;
use crate::script::vm::machine::{Machine, machine_of};
use crate::script::vm::{lend, store};
use crate::world::World;
use crate::world::owner::Owner;

/// Makes room for `bytes` that the host is to keep; a sentence when there is none.
pub(in crate::script) fn reserve(lua: &Lua, bytes: usize) -> Result<(), String> {
    reserve_in(lua, bytes, |account| &account.kept)
}

/// The same for a watch that is made. Those inside of it, and what it sees, are counted as they come
/// ([`takes_in_watches`]).
pub(in crate::script) fn reserve_for_watch(lua: &Lua, bytes: usize) -> Result<(), String> {
    reserve_in(lua, bytes, |account| &account.watched)
}

fn reserve_in(lua: &Lua, bytes: usize, part: fn(&Account) -> &Cell<usize>) -> Result<(), String> {
    let Some(machine) = machine_of(lua) else {
        return Ok(());
    };
    let account = &machine.account;
    let cap = account.cap.get();
    if cap == 0 {
        return Ok(());
    }
    let is_full = || account.host_bytes() + bytes + used_by_scripts(lua, &machine) > cap;
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
            "no memory is left: the host keeps {} MiB for scripts in payloads, boards, parameters, trees, watches \
             and tiles (limits.memoryMiB); keep less",
            account.host_bytes() >> 20
        ));
    }
    let part = part(account);
    part.set(part.get() + bytes);
    account.new.set(account.new.get() + bytes);
    limit_vm(lua, &machine);
    Ok(())
}

/// The limit of the VM moves in steps of so many bytes.
const STEP_BYTES: usize = 1 << 20;

/// What scripts have taken of the VM, without what a debugger has there.
fn used_by_scripts(lua: &Lua, machine: &Machine) -> usize {
    lua.used_memory().saturating_sub(machine.extra_bytes())
}

/// Takes into account what watches keep by now, as characters go in and out without a call; false when the
/// level has no room for it and they keep a step more than when it last had. What scripts themselves fill is
/// theirs to be told of. Once a tick.
pub(in crate::script) fn takes_in_watches(lua: &Lua) -> bool {
    let Some(machine) = machine_of(lua) else {
        return true;
    };
    let account = &machine.account;
    let is_full = || account.host_bytes() + used_by_scripts(lua, &machine) > account.cap.get();
    measure_watches(lua, &machine);
    if account.cap.get() == 0 {
        return true;
    }
    let has_grown = || account.watched.get() >= account.fitted.get() + STEP_BYTES;
    if is_full() && has_grown() {
        count(lua, &machine);
        if is_full() {
            // A collection fails only without memory; then the account stays full.
            let _ = machine.fuel.collect(lua);
        }
    }
    if !is_full() {
        account.fitted.set(account.watched.get());
    }
    limit_vm(lua, &machine);
    !has_grown()
}

/// The owner whose watches keep most, and the bytes that all watches keep.
pub(in crate::script) fn largest_watcher(lua: &Lua) -> Option<(Owner, usize)> {
    let mut by_owner: BTreeMap<Owner, usize> = BTreeMap::new();
    each_watch(lua, &mut |owner, bytes| *by_owner.entry(owner).or_default() += bytes);
    let all = by_owner.values().sum();
    // Of several that keep as much, the first.
    let largest = by_owner.into_iter().rev().max_by_key(|&(_, bytes)| bytes);
    largest.map(|(owner, _)| (owner, all))
}

fn measure_watches(lua: &Lua, machine: &Machine) {
    let mut watched = 0;
    each_watch(lua, &mut |_, bytes| watched += bytes);
    machine.account.watched.set(watched);
}

/// Tells `take` the owner and the bytes of every watch: what the world keeps, and what scripts do.
fn each_watch(lua: &Lua, take: &mut dyn FnMut(Owner, usize)) {
    // Without a world no watch is there.
    let _ = lend::with_world(lua, |world: &mut World| {
        world.triggers.watches.values().for_each(|watch| take(watch.owner, watch.kept_bytes()));
        world.senses.watches.values().for_each(|watch| take(watch.owner, watch.kept_bytes()));
    });
    store::find_free(lua, |runtime| {
        let records = runtime.registered.handlers.watches.values();
        records.for_each(|record| take(record.owner, record.kept_bytes()));
        let records = runtime.registered.handlers.senses.values();
        records.for_each(|record| take(record.owner, size_of::<SenseRecord>()));
    });
}

/// Counts what is kept.
fn count(lua: &Lua, machine: &Machine) {
    let in_world = lend::with_world(lua, |world: &mut World| {
        let facts: usize = world.events.payloads().map(Plain::bytes).sum();
        facts + world.map.tiles.as_ref().map_or(0, |tiles| tiles.edited_bytes())
    });
    let in_test = lua.app_data_ref::<Testing>().map_or(0, |testing| testing.kept_bytes());
    let kept = store::find_free(lua, Runtime::kept_bytes).unwrap_or(0);
    machine.account.kept.set(kept + in_test + in_world.unwrap_or(0));
    machine.account.new.set(0);
    measure_watches(lua, machine);
}

/// The VM gets what the host does not keep.
fn limit_vm(lua: &Lua, machine: &Machine) {
    let left = machine.account.cap.get().saturating_sub(machine.account.host_bytes()).max(1);
    if left.abs_diff(machine.account.vm_cap.get()) >= STEP_BYTES {
        machine.account.vm_cap.set(left);
        machine.memory.set(lua, left.saturating_add(machine.extra_bytes()));
        machine.fuel.set_memory_cap(left);
    }
}
