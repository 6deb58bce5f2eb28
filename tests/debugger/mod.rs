//! The debugger: the law that it changes nothing, and the protocol from outside.

mod client;
mod laws;
pub mod protocol;
