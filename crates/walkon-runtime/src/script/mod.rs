//! Scripts: the only module that knows Lua.
//!
//! In: script texts, the world for the time of a phase, limits, a seed. Out: verbs on the world, faults,
//! printed lines. Holds: one VM per level; nothing a script does leaves its sandbox, its budget or its
//! memory; no reference to the world is kept and no thread is started. Its parts lie in layers: tables that
//! are plain data (`state`), the VM and its limits (`vm`), the steps that run Lua (`step`), the names that
//! scripts see (`bind`), and on top the modules that drive them (`host`, `inspect`, `check`, `types`). Not
//! here: the world itself, the order of the tick.

pub mod bind;
pub mod check;
pub mod debug;
pub mod host;
pub mod inspect;
pub mod state;
pub mod step;
pub mod types;
pub mod vm;
