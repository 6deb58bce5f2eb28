//! Charges the data of watches to the memory of the level; a fault when it does not fit.
//!
//! In: watches, which characters enter and leave without a call. Out: a fault of the owner whose watches keep
//! most, when the memory of the level does not hold them; the level cannot go on then (fault:B6). Not here:
//! measuring (`vm::room`), the cap on watches for a host that goes on all the same (`sim::regions`).

use crate::script::step::invoke::{self, Call};
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{ScriptVm, room};

/// Takes into account what watches keep by now. Once a step 12, before what happened is told.
pub(crate) fn take_in(vm: &ScriptVm) {
    let lua = vm.lua();
    if room::takes_in_watches(lua) {
        return;
    }
    let Some((owner, bytes)) = room::largest_watcher(lua) else { return };
    vm.exhaust_memory();
    let message = format!(
        "the memory of the level is spent (limits.memoryMiB): watches and those inside of them take {} MiB; \
         keep fewer watches, or filter their characters",
        bytes >> 20
    );
    invoke::report(vm, &Call::plain(owner, "watch"), CallFailure::new(FaultKind::Memory, message, None));
}
