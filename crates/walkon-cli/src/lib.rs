//! The command line of walkon: everything with side effects, around the runtime.
//!
//! In: arguments, the environment. Out: the exit code. Not here: commands (`shell::cli`), rules of any game
//! (`walkon-runtime`).

#![deny(unsafe_code)]

mod shell;

use std::process::ExitCode;

use walkon_runtime::{base, disk, game, level, nav, script, view, world};

/// Performs the command that the arguments of this process name, and gives the code to exit with.
#[must_use]
pub fn main() -> ExitCode {
    shell::cli::main()
}
