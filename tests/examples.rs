//! The examples of the library run, end well and print the same each time.
//!
//! A target of the library itself, because then cargo builds the examples before it.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::disallowed_types)]

use std::process::Command;

fn told(example: &str) -> String {
    let own = std::env::current_exe().unwrap();
    let run = Command::new(own.parent().unwrap().with_file_name("examples").join(example)).output().unwrap();
    assert!(run.status.success(), "{example}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn a_game_that_embeds_a_level_shows_its_scene_and_answers_its_choice() {
    let shown = told("embed");
    for line in [
        "[info] the bell rings 3 times",
        "camera: follow",
        "hero: reached in ",
        "keeper: \"Have you come for the well?\"",
        "well? yes, no",
        "the hero is drawn at ",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert_eq!(shown, told("embed"));
}

#[test]
fn a_level_runs_headless_with_four_seeds() {
    let shown = told("headless");
    assert_eq!(shown.lines().filter(|line| line.contains("three rounds")).count(), 4, "{shown}");
    let states: std::collections::BTreeSet<&str> =
        shown.lines().filter_map(|line| line.split("state ").nth(1)).collect();
    assert_eq!(states.len(), 4, "each seed has a run of its own: {shown}");
    assert_eq!(shown, told("headless"));
}
