//! Finds the addresses that a call of a behaviour reads first, for prefetching.
//!
//! In: the `self` of a behaviour. Out: where it and its state lie. Not here: asking the processor for it
//! (`state::call_memory`), the layout of tables (`vm::fuel`).

use mlua::Table;

use crate::script::state::call_memory::{CallMemory, TableMemory};
use crate::script::vm::ScriptVm;

/// Where `self` and its state lie now, each with its entries.
pub(crate) fn of(vm: &ScriptVm, this: &Table) -> CallMemory {
    let memory = |table: &Table| {
        TableMemory::new(table.to_pointer().addr(), vm.fuel().names_of(table).unwrap_or_default())
    };
    let state = this.raw_get::<Table>("state").ok();
    CallMemory { this: memory(this), state: state.as_ref().map(memory).unwrap_or_default() }
}
