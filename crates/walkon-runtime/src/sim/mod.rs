//! The Rust steps of the tick, one file each; the order stands in `game`.
//!
//! In: parts of the world. Out: those parts one step later, and facts. Holds: a step names what it reads and
//! writes, and `steps` alone takes the world apart for it; no step calls a script, reads a wall clock, or
//! fails; every loop is over things that exist, in order of creation. Where a step returns because something
//! is missing that must be there, it says so to debug builds.

pub mod arrivals;
pub mod avoid;
mod backing_out;
pub mod cull;
pub mod doors;
pub mod edits;
pub mod follow;
mod ground_queries;
pub mod integrate;
pub mod interpolation;
mod making_way;
pub mod paths;
mod places;
pub mod regions;
mod repath;
mod retreats;
pub mod scene_fast_forward;
pub mod senses;
mod shortcuts;
pub mod steps;
mod tiles;
mod walk_modes;
mod walk_progress;
mod wayfinding;
pub mod yielding;
