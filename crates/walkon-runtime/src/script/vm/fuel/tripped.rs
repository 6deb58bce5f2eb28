//! The stack of a call at the point where it was ended.
//!
//! In: stacks whose safepoints raise. Out: frames of scripts, innermost first. Holds: the first sample of
//! each stack is kept: later safepoints of the stack raise because of it, on the way out of protected calls.
//! The next stack that raises is the one that resumed it. Not here: why the call was ended (`Trip`), the look
//! at a stack (`sampling`).

use std::cell::{Cell, RefCell};

use crate::script::vm::stack_frame::{FRAMES_SHOWN, StackFrame};

/// Frames that are kept: one more than are shown tells that there are more.
const FRAMES_MAX: usize = FRAMES_SHOWN + 1;

/// The frames of the call under way, once it was ended.
#[derive(Debug, Default)]
pub(super) struct Tripped {
    frames: RefCell<Vec<StackFrame>>,
    /// The address of the stack that was looked at last; 0 before the first.
    stack: Cell<usize>,
}

/// Those of a call that rests.
pub(super) struct TrippedAside {
    frames: Vec<StackFrame>,
    stack: usize,
}

impl Tripped {
    /// A call begins.
    #[inline]
    pub(super) fn forget(&self) {
        if self.stack.get() != 0 {
            drop(self.put_aside());
        }
    }

    pub(super) fn frames(&self) -> Vec<StackFrame> {
        self.frames.borrow().clone()
    }

    /// How many frames of the stack at an address are to be added: none of the one that was looked at last.
    pub(super) fn room_for(&self, stack: usize) -> usize {
        if self.stack.replace(stack) == stack { 0 } else { FRAMES_MAX - self.frames.borrow().len() }
    }

    /// Adds at most as many as there is room for.
    pub(super) fn add(&self, frames: Vec<StackFrame>) {
        self.frames.borrow_mut().extend(frames);
    }

    pub(super) fn put_aside(&self) -> TrippedAside {
        TrippedAside { frames: self.frames.take(), stack: self.stack.take() }
    }

    pub(super) fn take_up(&self, kept: TrippedAside) {
        self.frames.replace(kept.frames);
        self.stack.set(kept.stack);
    }
}
