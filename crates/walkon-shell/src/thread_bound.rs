//! Something that lives on the thread that made it, behind a handle that may go anywhere.
//!
//! In: a value, the threads that ask for it. Out: the value, or why it is not to be had. Holds: the value is
//! touched by no other thread, not even when the handle is dropped there: then it is never freed. A value
//! that is in use is not lent again. Not here: what the value is.
//!
//! A [`walkon::Game`] holds a virtual machine that belongs to one thread. Handles of other languages know no
//! such thing: their collectors free them wherever they run. So the handle may be sent and shared, and
//! the thread that asks is compared with the one that made the value, before the value is looked at. That
//! comparison is what makes the two lines of unsafe code right.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::thread::ThreadId;

/// Why a value is not lent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BorrowError {
    /// Another thread made it.
    #[error("it belongs to the thread that made it, and this is another; make one for each thread")]
    OtherThread,
    /// It is in use already, further out in the same call.
    #[error("it is in use already: it was asked for again from inside a call of its own")]
    InUse,
}

/// A value of one thread.
#[derive(Debug)]
pub struct ThreadBound<T> {
    home: ThreadId,
    value: ManuallyDrop<RefCell<T>>,
}

// SAFETY: `value` is reached in `with`, `into_inner` and `drop` only, each of which first compares the thread
// with `home`. Sending or sharing the handle therefore shares nothing but a `ThreadId`, which never changes.
unsafe impl<T> Send for ThreadBound<T> {}
unsafe impl<T> Sync for ThreadBound<T> {}

impl<T> ThreadBound<T> {
    /// Binds a value to this thread.
    pub fn new(value: T) -> Self {
        Self { home: std::thread::current().id(), value: ManuallyDrop::new(RefCell::new(value)) }
    }

    /// Whether this thread made it.
    #[must_use]
    pub fn is_home(&self) -> bool {
        std::thread::current().id() == self.home
    }

    /// Lends the value.
    ///
    /// # Errors
    /// On another thread than the one that made it, and while it is lent already.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Result<R, BorrowError> {
        if !self.is_home() {
            return Err(BorrowError::OtherThread);
        }
        let mut value = self.value.try_borrow_mut().map_err(|_| BorrowError::InUse)?;
        Ok(work(&mut value))
    }
}

impl<T> Drop for ThreadBound<T> {
    fn drop(&mut self) {
        if self.is_home() {
            // SAFETY: nobody uses the value after this, and it is the thread that made it.
            unsafe { ManuallyDrop::drop(&mut self.value) };
        } else {
            log::warn!(
                "something was dropped by another thread than the one that made it, and is never freed"
            );
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
    fn a_value_that_another_thread_drops_is_not_touched() {
        let value = Rc::new(7);
        let bound = ThreadBound::new(Rc::clone(&value));
        std::thread::spawn(move || drop(bound)).join().unwrap();
        assert_eq!(Rc::strong_count(&value), 2, "never freed");
        drop(ThreadBound::new(Rc::clone(&value)));
        assert_eq!(Rc::strong_count(&value), 2, "freed at home");
    }
}
