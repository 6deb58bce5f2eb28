//! The program answers. Because this test asks it, cargo builds the program before the suite, a package of
//! its own, runs it.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::disallowed_types)]

use std::process::Command;

#[test]
fn the_program_tells_its_version() {
    let run = Command::new(env!("CARGO_BIN_EXE_walkon")).arg("--version").output().unwrap();
    let told = String::from_utf8(run.stdout).unwrap();
    assert_eq!(told.trim(), concat!("walkon ", env!("CARGO_PKG_VERSION")), "{}", run.status);
}
