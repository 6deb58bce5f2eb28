//! The steps that run Lua: in the two phases of a tick, and at the start and the end of a level.
//!
//! In: the VM, the tables of `state`, the world, lent. Out: functions of scripts called, tasks resumed, facts
//! and work made. Holds: step 3 runs the code that is due by time (`schedule`), step 12 the code that waits
//! for events (`dispatch`); both call scripts through `invoke` alone. Not here: the tables (`state`), the VM
//! itself (`vm`), the names that scripts see (`bind`).

pub(crate) mod behaviour;
pub(crate) mod blackboard;
pub(crate) mod call_memory;
pub(crate) mod calls;
pub(crate) mod cinematic;
pub(crate) mod console;
pub(crate) mod dialogue;
pub(crate) mod dispatch;
pub(crate) mod first_looks;
pub mod handlers;
pub(crate) mod hashes;
pub(crate) mod invoke;
pub(crate) mod level_script;
pub mod owner;
pub(crate) mod owner_end;
pub(crate) mod params;
pub(crate) mod plain_state;
pub(crate) mod progress_handlers;
pub(crate) mod reports;
pub(crate) mod runtime_events;
pub(crate) mod schedule;
pub(crate) mod senses;
pub(crate) mod skipping;
pub(crate) mod task;
pub mod testing;
pub(crate) mod timer;
pub(crate) mod tree;
pub mod wait;
pub(crate) mod watch_memory;
