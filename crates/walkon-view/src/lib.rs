//! The live page: a level that runs, is watched, rewound, inspected and edited through a protocol.
//!
//! In: a project (its level, its scripts), commands of clients. Out: frames, pictures, events, answers; patched
//! files. Holds: everything that changes the level is an input of the run, so a run that was watched replays to
//! the same hash; a slow client never slows the level. Not here: the rules of any game (`walkon`), finding
//! projects and watching files (the command line). The protocol stands in `docs/protocol.md`.
#![deny(unsafe_code)]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the bans keep clocks, files and threads out of the library; this crate is a shell around it"
)]

pub mod edit;
