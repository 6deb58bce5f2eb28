//! The program `walkon`.
//!
//! In: arguments, the environment. Out: the exit code. Not here: everything else (`walkon-cli`).

#![deny(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    walkon_cli::main()
}
