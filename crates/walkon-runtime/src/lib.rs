//! The runtime behind `walkon`: worlds and their ticks, levels, scripts, games and pictures of them.
//!
//! Games use the crate `walkon`, whose root lists what is promised to them. This crate is its inside, for the
//! tools of the project; any version may move its modules. Navigation by itself is the crate `walkon-nav`.

#![deny(unsafe_code)]

pub mod disk;
pub mod example;
pub mod game;
pub mod level;
pub mod script;
pub mod sim;
pub mod view;
pub mod world;

pub use glam;
pub use walkon_nav::{base, crowd, nav};
