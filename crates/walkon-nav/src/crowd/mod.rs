//! How bodies follow paths and avoid one another.
//!
//! In: paths and bodies. Out: places and velocities. Not here: walks, goals, scripts.

pub mod avoid;
pub mod follow;
pub mod resolve;
pub mod steer;
