//! The `walkon` command: hands over to the shell.

use std::process::ExitCode;

fn main() -> ExitCode {
    walkon::shell::cli::main()
}
