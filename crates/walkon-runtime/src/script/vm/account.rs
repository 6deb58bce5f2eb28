//! Memory accounting of a level: scripts in the VM and the data that the host keeps for them.
//!
//! In: sizes of plain data that scripts hand over, and of what watches keep. Out: whether there is room.
//! Holds: the VM and what the host keeps for scripts (payloads of timers and events, boards, parameters,
//! arguments of scenes, watches) together stay below the memory of the level; a call that asks for more gets
//! an error. Data that is handed over is added at once; counting again finds what was freed: after every
//! sixteenth of the memory that is handed over, and once in a tick while the account is full. Characters go
//! in and out of watches without a call: what watches keep is measured once a tick. Not here: the bound of
//! the VM itself (`vm`), sizes of single values (`payload`).

use std::cell::Cell;

use crate::base::time::TickNumber;

/// The memory that the host keeps, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// Memory of VM and host together, bytes; 0 while the VM is set up.
    pub(super) cap: Cell<usize>,
    /// Bytes the host keeps, at most.
    pub(super) kept: Cell<usize>,
    /// Bytes that watches keep, as they were measured last, with those that were made since.
    pub(super) watched: Cell<usize>,
    /// As many as watches kept when there was room for them last.
    pub(super) fitted: Cell<usize>,
    /// Bytes handed over since they were counted.
    pub(super) new: Cell<usize>,
    /// The tick in which they were counted last.
    pub(super) counted: Cell<Option<TickNumber>>,
    /// The last limit of the VM, bytes.
    pub(super) vm_cap: Cell<usize>,
}

impl Account {
    pub(crate) fn open(&self, cap: usize) {
        self.cap.set(cap);
        self.vm_cap.set(cap);
    }

    /// Bytes that the host keeps, watches included.
    pub(crate) fn host_bytes(&self) -> usize {
        self.kept.get() + self.watched.get()
    }
}
