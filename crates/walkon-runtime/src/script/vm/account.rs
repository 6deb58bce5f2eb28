//! The memory of a level: memory of scripts in the VM and data that the host keeps for them, in one account.
//!
//! In: sizes of plain data that scripts hand over. Out: whether there is room. Holds: the VM and what the
//! host keeps for scripts (payloads of timers and events, boards, parameters, arguments of scenes) together
//! stay below the memory of the level; a call that asks for more gets an error. Data that is handed over is
//! added at once; counting again finds what was freed: after every sixteenth of the memory that is handed
//! over, and once in a tick while the account is full. Not here: the bound of the VM itself (`vm`), sizes of
//! single values (`payload`).

use std::cell::Cell;

use mlua::Lua;

use crate::base::time::TickNumber;
use crate::base::value::Plain;
use crate::script::state::runtime::Runtime;
use crate::script::vm::{Machine, lend, machine_of, store};
use crate::world::World;

/// The memory that the host keeps, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// Memory of VM and host together, bytes; 0 while the VM is set up.
    cap: Cell<usize>,
    /// Bytes the host keeps, at most.
    kept: Cell<usize>,
    /// Bytes handed over since they were counted.
    new: Cell<usize>,
    /// The tick in which they were counted last.
    counted: Cell<Option<TickNumber>>,
    /// The last limit of the VM, bytes.
    vm_cap: Cell<usize>,
}

impl Account {
    pub(crate) fn open(&self, cap: usize) {
        self.cap.set(cap);
        self.vm_cap.set(cap);
    }
}

/// Makes room for `bytes` that the host is to keep; a sentence when there is none.
pub(crate) fn reserve(lua: &Lua, bytes: usize) -> Result<(), String> {
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
        return Err(format!(
            "no memory is left: the host keeps {} MiB for scripts in payloads, boards and parameters (limits.memoryMiB); \
             keep less",
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
    let facts = lend::with_world(lua, |world: &mut World| world.events.payloads().map(Plain::bytes).sum());
    let kept = store::find_free(lua, Runtime::kept_bytes).unwrap_or(0);
    machine.account.kept.set(kept + facts.unwrap_or(0usize));
    machine.account.new.set(0);
}

/// The VM gets what the host does not keep.
fn limit_vm(lua: &Lua, machine: &Machine) {
    let left = machine.account.cap.get().saturating_sub(machine.account.kept.get()).max(1);
    if left.abs_diff(machine.account.vm_cap.get()) >= 1 << 20 {
        machine.account.vm_cap.set(left);
        // Luau takes any limit.
        let _ = lua.set_memory_limit(left.saturating_add(machine.extra_bytes()));
        machine.fuel.set_memory_cap(left);
    }
}
