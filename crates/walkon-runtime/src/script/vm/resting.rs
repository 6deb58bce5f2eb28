//! The VM while one of its calls is paused by a debugger.
//!
//! In: the debugger's work. Out: its result. Holds: the work costs neither fuel nor memory of the level. Not
//! here: the count of a call (`fuel::aside`), the debugger (`script::debug`).

use mlua::Lua;

use crate::script::vm::handles;
use crate::script::vm::machine::Machine;

/// Bytes that a debugger may make beyond the memory of the level.
const ROOM_OF_DEBUGGER: usize = 64 * 1024 * 1024;

/// Runs `run` for a debugger while a call rests, or between two: nothing is counted or collected, nothing
/// stops, and there is room in memory for what it makes.
pub(crate) fn rest<R>(lua: &Lua, machine: &Machine, run: impl FnOnce() -> R) -> R {
    let Some(port) = machine.debug.get() else { return run() };
    let limit = machine.memory.bytes();
    let before = (lua.used_memory(), port.extra_bytes.get(), machine.resumers.borrow().len());
    handles::note_new(lua);
    if limit > 0 {
        machine.memory.set(lua, limit.saturating_add(ROOM_OF_DEBUGGER));
    }
    let held = machine.memory.hold(lua);
    let result = machine.fuel.aside(|| port.busy(run));
    handles::forget_noted(lua);
    port.extra_bytes.set(before.1.saturating_add(lua.used_memory().saturating_sub(before.0)));
    machine.fuel.set_extra_bytes(port.extra_bytes.get());
    machine.resumers.borrow_mut().truncate(before.2);
    drop(held);
    machine.memory.set(lua, if limit > 0 { limit + port.extra_bytes.get() - before.1 } else { 0 });
    result
}
