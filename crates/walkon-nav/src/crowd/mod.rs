//! Bodies under way: what a body does with a path, and later with its neighbours.
//!
//! In: paths and bodies. Out: places and velocities. Not here: walks, goals, scripts.

pub mod avoid;
pub mod follow;
pub mod resolve;
pub mod steer;
