//! Everything with side effects: the command line, the disk, the clock, threads, the terminal.
//!
//! In: arguments, files, signals. Out: text, pictures, traces, an exit code. Holds: only this module opens
//! files, reads the environment or the time, prints, or starts threads; only it fails for reasons outside the
//! program. Not here: rules of any game. With the feature `cli` off only [`disk`] is left, for games that
//! embed the library.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the bans keep these out of every other module; this is where they belong"
)]

pub mod disk;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
mod crash;
#[cfg(feature = "cli")]
mod debounce;
#[cfg(feature = "cli")]
mod eyes;
#[cfg(feature = "cli")]
mod font;
#[cfg(feature = "cli")]
mod junit;
#[cfg(feature = "cli")]
mod lint;
#[cfg(feature = "cli")]
mod output;
#[cfg(feature = "cli")]
mod params;
#[cfg(feature = "cli")]
mod pictures;
#[cfg(feature = "cli")]
mod progress;
#[cfg(feature = "cli")]
mod project;
#[cfg(feature = "cli")]
mod report;
#[cfg(feature = "cli")]
mod scaffold;
#[cfg(feature = "cli")]
mod scripts;
#[cfg(feature = "cli")]
mod suite;
#[cfg(feature = "cli")]
mod trace;
#[cfg(feature = "cli")]
mod watch;
#[cfg(feature = "cli")]
mod watchdog;
