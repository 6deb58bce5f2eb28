//! Editing: a level's own text, changed where people point and nowhere else.
//!
//! In: the texts of a level, changes of a client. Out: new texts, a history, what `check` says of them. Holds:
//! what is not changed survives byte for byte; what somebody else wrote meanwhile is never lost. Not here: the
//! protocol, the running level.

pub mod json;
mod layout;
pub mod patch;
mod span;

pub use json::Json;
pub use patch::{Change, PatchError, What, below, patch};
pub use span::value_span;
