//! Navigation for games: paths over grids, tile maps, meshes and graphs, and crowds that walk them.
//!
//! In: maps as plain data, questions for paths, people with their places and wishes. Out: paths, and the next
//! step of every body. Not here: files, scripts, levels, the clock; what these bring comes in as values.

#![deny(unsafe_code)]

pub mod base;
pub mod crowd;
pub mod nav;

/// The README, whose code runs with the tests of the documents.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The vectors of the API.
pub use glam;
