//! The `walkon` command: hands over to the shell.

fn main() {}
