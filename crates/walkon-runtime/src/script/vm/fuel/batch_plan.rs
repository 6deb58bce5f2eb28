//! The plan of a batch of calls, and its progress.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::script::state::call_memory::CallMemory;
use crate::script::state::running::Interrupt;

/// One call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchCall {
    /// The row of both lists, from 0.
    pub(crate) row: u32,
    /// The second argument.
    pub(crate) argument: f64,
}

/// What is called, and when to stop.
#[derive(Debug, Default)]
pub(crate) struct BatchPlan {
    pub(crate) calls: Vec<BatchCall>,
    /// Where the row of the call under way is kept.
    pub(crate) row: Rc<Cell<u32>>,
    /// Raised by a call after which something has to be done.
    pub(crate) interrupt: Interrupt,
    /// Safepoints of each call.
    pub(crate) fuel_per_call: u64,
    /// What all of them together may cost the tick; the call that goes beyond is the last.
    pub(crate) cost_max: u64,
    /// By row the called code, as a profile numbers it; none without a profile.
    pub(crate) contexts: Option<Rc<[u32]>>,
    /// By row what the call reads first; none where no call is known to read much.
    pub(crate) memory: Option<Rc<[Cell<CallMemory>]>>,
}

/// The batch under way, or the last one.
#[derive(Debug, Default)]
pub(super) struct UpdateBatch {
    pub(super) plan: RefCell<BatchPlan>,
    /// Calls that have begun.
    pub(super) begun: Cell<usize>,
    /// What those that returned cost.
    pub(super) cost: Cell<u64>,
    /// The fuel of each of them, while a profile is made.
    pub(super) spent: RefCell<Vec<u64>>,
}
