//! The Rust steps of the tick, one file each; the order stands in `game`.
//!
//! In: the world. Out: the world one step later, and facts. Holds: no step calls a script, reads a
//! clock, or fails; every loop is over things that exist, in order of creation.

pub mod arrivals;
pub mod avoid;
mod courses;
pub mod cull;
pub mod doors;
pub mod edits;
pub mod follow;
pub mod glide;
mod grounds;
pub mod integrate;
pub mod manners;
mod news;
pub mod paths;
mod places;
pub mod regions;
mod replans;
mod shortcuts;
pub mod skip;
mod tiles;
