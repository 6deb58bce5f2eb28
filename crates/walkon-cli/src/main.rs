//! The `walkon` command: everything with side effects, around the library.
//!
//! In: arguments, the environment. Out: the exit code. Not here: commands (`shell::cli`), rules of any game
//! (`walkon`).

#![deny(unsafe_code)]

mod shell;

use std::process::ExitCode;

use walkon::{base, disk, game, level, nav, script, view, world};

fn main() -> ExitCode {
    shell::cli::main()
}
