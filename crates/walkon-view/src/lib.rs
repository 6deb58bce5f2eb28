//! The live page: runs a level that clients watch, rewind, inspect and edit through a protocol.
//!
//! In: a project (its level, its scripts), commands of clients. Out: frames, pictures, events, answers;
//! patched files. Holds: everything that changes the level is an input of the run, so a run that was watched
//! replays to the same hash; a slow client never slows the level. Not here: the rules of any game (`walkon`),
//! finding projects and watching files (the command line). The protocol stands in `docs/protocol.md`.
#![deny(unsafe_code)]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the bans keep clocks, files and threads out of the library; this crate is a shell around it"
)]

pub mod client;
pub mod commands;
pub mod course;
pub mod debugging;
pub mod desk;
pub mod edit;
pub mod fields;
pub mod forecast;
pub mod frame;
pub mod happened;
pub mod orders;
pub mod page;
pub mod past;
pub mod picture;
pub mod question;
pub mod replica;
pub mod roster;
pub mod run_record;
pub mod running;
pub mod server;
pub mod stdio;
pub mod trace_lines;
pub mod tracks;
pub mod view;

pub use desk::{CheckedLevel, DeskProject};
pub use orders::Speed;
pub use run_record::{RunRecord, RunStart};
pub use server::Server;
pub use trace_lines::LineStore;
pub use view::{View, ViewSetup, WatchCalls};
