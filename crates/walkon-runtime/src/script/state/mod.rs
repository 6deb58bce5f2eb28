//! Tables of the script side: plain data that never sees the VM.
//!
//! In: entries of steps and bindings. Out: the same, found by number, owner, name or time. Holds: no function
//! here takes the VM, and nothing here calls a Lua function: functions and tables of scripts lie here as
//! opaque values. Not here: what runs because of them (`step`), how scripts reach them (`bind`).

pub(crate) mod behaviours;
pub(crate) mod boards;
pub(crate) mod call_memory;
pub mod callback;
pub(crate) mod census;
pub(crate) mod clock;
pub(crate) mod code_name;
pub mod code_place;
pub(crate) mod dialogue;
pub(crate) mod handlers;
pub(crate) mod owner_set;
pub mod owners;
pub(crate) mod params;
pub(crate) mod predicates;
pub mod profile;
pub(crate) mod progress_handlers;
pub(crate) mod roster;
pub(crate) mod running;
pub(crate) mod runtime;
pub(crate) mod scenes;
pub(crate) mod state_checks;
pub(crate) mod streams;
pub mod strikes;
pub(crate) mod tasks;
pub(crate) mod telling;
pub mod test_run;
pub(crate) mod timers;
pub(crate) mod tracked_map;
pub(crate) mod trees;
pub mod wait;
pub(crate) mod waits;
pub(crate) mod work;
