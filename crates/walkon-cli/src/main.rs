//! The `walkon` command: everything with side effects, around the library.

#![deny(unsafe_code)]

mod shell;

use std::process::ExitCode;

use walkon::{base, disk, game, level, nav, script, view, world};

fn main() -> ExitCode {
    shell::cli::main()
}
