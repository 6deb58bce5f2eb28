//! Code with side effects that the program and the bindings of walkon share.
//!
//! In: names of levels, seeds, texts. Out: levels with their scripts, rows of runs. Holds: a row is the same
//! for every asker: `walkon run`, `walkon batch`, Python, C or a machine far away; a call of a script that
//! takes too long ends. Not here: arguments, terminals and signals (`walkon-cli`), rules of any game
//! (`walkon`).

#![deny(unsafe_code)]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "threads, clocks and files belong into the shell, of which this is a part"
)]

mod batch;
mod bug;
mod exit;
mod level_text;
mod live;
mod outline;
mod problem;
pub mod project;
mod row;
mod scripts;
mod thread_bound;
mod watchdog;

pub use batch::{Batch, BatchJob, BatchSetup, Done, NextRun, StopWish, run_one};
pub use bug::{Bug, caught};
pub use exit::{CommandFailure, Exit};
pub use level_text::{LevelText, OpenError, StartSetup, checked_seed};
pub use live::{GameEndedError, LiveGame, PoseRow};
pub use outline::outline;
pub use problem::{Problem, ProblemKind};
pub use row::{RunBound, exit_of, exit_of_row, row};
pub use scripts::unresolved;
pub use thread_bound::{BorrowError, ThreadBound};
pub use watchdog::Watchdog;
