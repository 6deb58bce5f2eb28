//! Save games: what a load brings back, what begins again, what is refused, and the laws over shipped levels.

pub mod commands;
pub mod contract;
pub mod hostile_bytes;
pub mod laws;
pub mod night;
pub mod programs;
