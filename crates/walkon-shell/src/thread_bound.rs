//! A sendable handle to a value that stays on its own thread.
//!
//! In: a value, the threads that ask for it. Out: the value, or why it cannot be had. Holds: the value is
//! touched by no other thread, not even when the handle is dropped there: then it is never freed. A value
//! that is in use is not lent again, nor is one that a panic has left half done. Not here: what the value is.
//!
//! A [`walkon_runtime::game::Game`] holds a virtual machine that belongs to one thread. Handles of other
//! languages know no such thing: their collectors free them wherever they run. So the handle may be sent and
//! shared, and the thread that asks is compared with the one that made the value, before the value is looked
//! at. That comparison is what makes the two lines of unsafe code right.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::fmt;
use std::mem::ManuallyDrop;
use std::thread::ThreadId;

/// Why a value is not lent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BorrowError {
    /// Another thread made it.
    #[error("it belongs to the thread that made it, and this is another; make one for each thread")]
    OtherThread,
    /// It is in use already, further out in the same call.
    #[error("it is in use already: one of its own calls asked for it again")]
    InUse,
    /// Something panicked while it was lent.
    #[error("a bug in walkon has broken it, it can only be freed")]
    Broken,
}

/// A value of one thread.
pub struct ThreadBound<T> {
    home: ThreadId,
    value: ManuallyDrop<RefCell<T>>,
    /// Whether a panic went through a call that had the value, or such a call is under way.
    is_broken: Cell<bool>,
}

// SAFETY: `value` is reached in `with` and in `drop` only, `is_broken` in `with` only, and both first compare
// the thread with `home`; `Debug` shows `home` and leaves the others alone. Sending or sharing the handle
// therefore shares nothing but a `ThreadId`, which never changes.
unsafe impl<T> Send for ThreadBound<T> {}
unsafe impl<T> Sync for ThreadBound<T> {}

impl<T> ThreadBound<T> {
    /// Binds a value to this thread.
    pub fn new(value: T) -> Self {
        Self {
            home: std::thread::current().id(),
            value: ManuallyDrop::new(RefCell::new(value)),
            is_broken: Cell::new(false),
        }
    }

    /// Whether this thread made it.
    #[must_use]
    pub fn is_home(&self) -> bool {
        std::thread::current().id() == self.home
    }

    /// Lends the value.
    ///
    /// # Errors
    /// On another thread than the one that made it, while it is lent already, and for good once `work` has
    /// panicked.
    ///
    /// # Panics
    /// When `work` does; the panic goes on.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Result<R, BorrowError> {
        if !self.is_home() {
            return Err(BorrowError::OtherThread);
        }
        let mut value = self.value.try_borrow_mut().map_err(|_| BorrowError::InUse)?;
        if self.is_broken.replace(true) {
            return Err(BorrowError::Broken);
        }
        let done = work(&mut value);
        // A panic never comes here.
        self.is_broken.set(false);
        Ok(done)
    }
}

impl<T> fmt::Debug for ThreadBound<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the value: any thread may ask.
        out.debug_struct("ThreadBound").field("home", &self.home).finish_non_exhaustive()
    }
}

impl<T> Drop for ThreadBound<T> {
    fn drop(&mut self) {
        if self.is_home() {
            // SAFETY: nobody uses the value after this, and it is the thread that made it.
            unsafe { ManuallyDrop::drop(&mut self.value) };
        } else {
            log::warn!("a value was dropped on another thread than its own, so it is never freed");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::thread_bound::{BorrowError, ThreadBound};
    use std::rc::Rc;

    #[test]
    fn only_the_thread_that_made_a_value_gets_it() {
        let bound = ThreadBound::new(Rc::new(7));
        assert_eq!(bound.with(|value| **value), Ok(7));
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(bound.with(|value| **value), Err(BorrowError::OtherThread)));
        });
        assert_eq!(bound.with(|_| bound.with(|_| ())), Ok(Err(BorrowError::InUse)));
    }

    #[test]
    fn a_value_that_a_panic_left_half_done_is_not_lent_again() {
        let bound = ThreadBound::new(vec![1]);
        let torn = crate::caught(|| {
            bound.with(|value| {
                value.clear();
                panic!("{} parts", 2)
            })
        });
        assert_eq!(torn, Err::<Result<(), _>, _>(crate::Bug("2 parts".to_owned())));
        assert_eq!(bound.with(|value| value.len()), Err(BorrowError::Broken));
        assert_eq!(bound.with(|value| value.len()), Err(BorrowError::Broken));
    }

    #[test]
    fn a_value_is_not_looked_at_to_be_shown() {
        struct Untouchable;
        impl std::fmt::Debug for Untouchable {
            fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                panic!("looked at")
            }
        }
        let bound = ThreadBound::new(Untouchable);
        let shown = std::thread::scope(|scope| scope.spawn(|| format!("{bound:?}")).join().unwrap());
        assert_eq!(shown, format!("{bound:?}"));
        assert!(shown.starts_with("ThreadBound { home: ThreadId("), "{shown}");
    }

    #[test]
    fn a_value_that_another_thread_drops_is_not_touched() {
        let value = Rc::new(7);
        let bound = ThreadBound::new(Rc::clone(&value));
        std::thread::spawn(move || drop(bound)).join().unwrap();
        assert_eq!(Rc::strong_count(&value), 2, "never freed");
        drop(ThreadBound::new(Rc::clone(&value)));
        assert_eq!(Rc::strong_count(&value), 2, "freed at home");
    }
}
