//! Everything with side effects: the command line, the disk, the clock, threads, the terminal.
//!
//! In: arguments, files, signals. Out: text, pictures, traces, an exit code. Holds: only this module opens
//! files, reads the environment or the time, prints, or starts threads; only it fails for reasons outside the
//! program. Not here: rules of any game.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the bans keep these out of every other module; this is where they belong"
)]

pub mod cli;
mod crash;
mod debounce;
mod debug;
mod file_watcher;
mod font;
mod interrupts;
mod junit;
mod lint;
mod output;
mod params;
mod pictures;
mod profile_files;
mod profiling;
mod progress;
mod report;
mod saves;
mod scaffold;
mod scripts;
mod shard;
#[cfg(feature = "view")]
mod spool;
mod suite;
mod trace;
mod watch;
