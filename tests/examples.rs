//! The examples of the library run, end well and print the same each time.
//!
//! A target of the library itself, because then cargo builds the examples before it.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::BTreeMap;
use std::process::Command;

use walkon::{Game, Level, MemorySource, Setup, Severity, load};

fn told(example: &str) -> String {
    told_with(example, &[])
}

fn told_with(example: &str, words: &[&str]) -> String {
    let own = std::env::current_exe().unwrap();
    let program = own.parent().unwrap().with_file_name("examples").join(example);
    let run = Command::new(program).args(words).output().unwrap();
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
fn a_game_reads_its_project_saves_loads_and_takes_in_a_changed_script() {
    let shown = told("project");
    for line in [
        "saved at tick 300",
        "loaded at tick 300",
        "guard: the same place",
        "player: the same place",
        "refused, the old code runs on: behaviours/guard.lua:1",
        "taken in: behaviours/guard.lua",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(!shown.contains("fault: "), "{shown}");
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

fn is_without_warnings(level: &Level) -> bool {
    level.diagnostics.iter().all(|found| found.severity == Severity::Note)
}

/// The scripts that people of the town have, as projects ship them.
const SCRIPTS: [(&str, &str); 4] = [
    ("behaviours/stroller.lua", include_str!("../scripts/behaviours/stroller.lua")),
    ("behaviours/wander.lua", include_str!("../scripts/behaviours/wander.lua")),
    ("lib/wandering.lua", include_str!("../scripts/lib/wandering.lua")),
    ("lib/alert.lua", include_str!("../scripts/lib/alert.lua")),
];

#[test]
fn a_town_of_two_hundred_is_made_and_everybody_strolls_in_it() {
    let town = told_with("town", &["200"]);
    assert_eq!(town, told_with("town", &["200", "wander.lua"]));
    everybody_strolls_in(&town);
    everybody_strolls_in(&told_with("town", &["200", "stroller.lua"]));
}

fn everybody_strolls_in(town: &str) {
    let level = load("town.json", &MemorySource::new().with("town.json", town)).unwrap();
    assert!(is_without_warnings(&level));
    let scripts: BTreeMap<String, String> =
        SCRIPTS.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect();
    let mut game = Game::load(level, Setup { scripts, ..Setup::default() }).unwrap();
    let places = |game: &Game| -> Vec<_> {
        game.world().characters().map(|(_, person)| person.body.position).collect()
    };
    let first = places(&game);
    assert_eq!(first.len(), 200);
    (0..1_800).for_each(|_| _ = game.tick(&[]));
    assert_eq!(game.fault_count(), 0);
    let strolled = first.iter().zip(places(&game)).filter(|(from, to)| from.distance(*to) > 1.0).count();
    assert!(strolled > 180, "only {strolled} are elsewhere after half a minute");
}

#[test]
fn larger_towns_have_as_many_people_as_asked_for() {
    for count in ["1", "257", "1000"] {
        let town = told_with("town", &[count]);
        let level = load("town.json", &MemorySource::new().with("town.json", town.as_str())).unwrap();
        assert_eq!(level.def.characters.len().to_string(), count);
        assert!(is_without_warnings(&level), "{count}");
    }
}
