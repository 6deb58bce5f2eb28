//! Scripts: the only module that knows Lua.
//!
//! In: script texts, the world for the time of a phase, limits, a seed. Out: verbs on the world, faults,
//! printed lines. Holds: one VM per level; nothing a script does leaves its sandbox, its budget or its
//! memory; no reference to the world is kept and no thread is started. Not here: the world itself, the order
//! of the tick.

mod account;
mod behaviour;
pub mod bind;
mod blackboard;
mod callback;
mod census;
pub mod check;
mod cinematic;
pub mod convert;
mod dialogue;
mod dispatch;
pub mod fault;
pub mod files;
pub mod fuel;
pub mod handlers;
pub mod hints;
pub mod host;
mod invoke;
pub mod lend;
pub mod library;
pub mod limits;
pub mod owner;
mod params;
pub mod payload;
mod plain_state;
mod progress_handlers;
mod registration;
pub mod reload;
mod runtime;
mod sandbox;
mod schedule;
mod skipping;
mod strides;
mod task;
pub mod testing;
mod timer;
mod tree;
pub mod types;
pub mod vm;
pub mod wait;
mod wait_requests;
