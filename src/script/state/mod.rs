//! Tables of the script side: plain data that never sees the VM.
//!
//! In: what steps and bindings put in. Out: the same, found by number, owner, name or time. Holds: no
//! function here takes the VM, and nothing here calls a Lua function: functions and tables of scripts lie
//! here as opaque values. Not here: what runs because of them (`step`), how scripts reach them (`bind`).

pub mod callback;
pub(crate) mod census;
