//! The example of this crate runs and ends well.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::disallowed_types)]

use std::process::Command;

#[test]
fn the_example_finds_a_way_through_the_gate_and_round_it() {
    let own = std::env::current_exe().unwrap();
    let run =
        Command::new(own.parent().unwrap().with_file_name("examples").join("nav_only")).output().unwrap();
    let told = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success() && told.lines().count() >= 2, "{told}");
}
