//! walkon: a gameplay runtime in which Rust owns the navigation map, the characters and the
//! fixed-step loop, and Lua decides what the characters want.

#![deny(unsafe_code)]

pub mod disk;
pub mod game;
pub mod level;
pub mod script;
pub mod sim;
pub mod view;
pub mod world;

pub use walkon_nav::{base, crowd, nav};

/// The vectors of the API.
pub use glam;
