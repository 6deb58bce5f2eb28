//! Turns a panic into an error that reports a bug in walkon.
//!
//! In: work that may panic. Out: its result, or [`Bug`] with the message of the panic. Holds: nothing unwinds
//! past [`caught`]. Not here: what becomes of a value that was left half done (`thread_bound`), the report of
//! a crash.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A bug of walkon: something panicked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a bug in walkon, please report it: {0}")]
pub struct Bug(pub String);

/// Does the work; a panic in it is a [`Bug`].
///
/// A caller that goes on afterwards answers for what the work has left half done.
///
/// # Errors
/// When it panics.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Bug> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| Bug(words(&*panic)))
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> String {
    let plain = panic.downcast_ref::<&str>().copied();
    let made = || panic.downcast_ref::<String>().map(String::as_str);
    plain.or_else(made).unwrap_or("no message").to_owned()
}
