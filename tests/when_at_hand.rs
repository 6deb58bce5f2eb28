//! Tests that need data which a clone does not have: large published maps, scenes and meshes beside the
//! repository.
//!
//! Goal: none of them passes silently. Method: data is asked for here, and only here; a test that does not
//! find its data says so on stderr, past the capture of the test harness, and the last test of the suite
//! counts them all.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Every test that needs such data, and what it needs below `../shared/data`.
const NEEDS: [(&str, &str); 11] = [
    ("cli::commands::published_scenarios_are_answered_with_their_optimal_cost", "movingai"),
    (
        "nav::graph_ground::seed_v3_a_box_around_a_body_of_a_scene_gives_one_main_island",
        "meshes/nav_test.obj",
    ),
    ("nav::graph_ground::seed_v3_one_island_for_each_piece_of_ground", "meshes/nav_test.obj"),
    (
        "cli::graph_tool::seed_v3_a_real_scene_gives_one_main_island_and_links_that_nothing_blocks",
        "meshes/nav_test.obj",
    ),
    ("cli::graph_tool::seed_v3_ways_lead_up_the_stairs_of_a_real_scene", "meshes/nav_test.obj"),
    ("nav::meshes::every_published_mesh_loads_or_is_refused_with_its_reason", "meshes"),
    ("nav::meshes::on_arena_no_path_is_longer_than_on_the_grid_and_every_line_of_it_can_be_walked", "meshes"),
    ("nav::nav_published::seed_a1_published_scenarios_are_answered_with_their_optimum", "movingai"),
    ("level::tiled::a_path_across_every_map_that_tiled_ships_is_found_and_drawn", "tiled"),
    ("level::tiled::maps_that_tiled_ships_import_with_what_their_files_state", "tiled"),
    ("level::tiled::the_csv_of_a_shipped_map_is_what_its_text_says", "tiled"),
];

/// The place of data that is not part of the repository; None where it is not at hand, which is told and
/// counted.
pub fn at_hand(data: &str) -> Option<PathBuf> {
    let thread = std::thread::current();
    // A single test thread has no name of its own.
    let test = thread.name().filter(|name| *name != "main");
    if let Some(test) = test {
        let needs = NEEDS.iter().any(|(known, what)| *known == test && data.starts_with(what));
        assert!(needs, "{test} needs {data}: add it to the list in tests/when_at_hand.rs");
    }
    let found = find(data);
    if found.is_none() {
        tell(&format!("skipped: {}: ../shared/data/{data} is not here", test.unwrap_or("a test")));
    }
    found
}

fn find(data: &str) -> Option<PathBuf> {
    let here = crate::place::root();
    let places = ["../shared/data", "../../shared/data"];
    places.iter().map(|place| here.join(place).join(data)).find(|path| path.exists())
}

/// Straight to stderr: what the macros print is shown of tests that fail only.
fn tell(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

#[test]
fn tests_without_their_data_are_counted() {
    let skipped: Vec<&str> =
        NEEDS.iter().filter(|(_, data)| find(data).is_none()).map(|(test, _)| *test).collect();
    match skipped.len() {
        0 => {
            tell(&format!("skipped: none of the {} tests that need data beside the repository", NEEDS.len()))
        }
        count => tell(&format!("skipped: {count} tests, whose data is not here: {}", skipped.join(", "))),
    }
    assert!(skipped.is_empty() || find("").is_none(), "the data is here, but not of {skipped:?}");
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// The functions of the files in a folder, as `folder::file::function`. Panics where one reaches for data by
/// itself.
fn gather(folder: &Path, above: &str, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|suffix| suffix != "rs") || path.ends_with("when_at_hand.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let module = stem(&path);
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let strange: Vec<&str> = code.clone().filter(|line| line.contains("../shared")).collect();
        assert!(strange.is_empty(), "{above}{module}: ask when_at_hand::at_hand for it: {strange:?}");
        names.extend(
            code.filter_map(|line| line.strip_prefix("fn "))
                .filter_map(|line| line.split_once('(').map(|(name, _)| format!("{above}{module}::{name}"))),
        );
    }
}

#[test]
fn only_listed_tests_ask_for_data_that_a_clone_does_not_have() {
    let mut names = BTreeSet::new();
    let tests = crate::place::root().join("tests");
    for entry in std::fs::read_dir(&tests).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, &format!("{}::", stem(&path)), &mut names);
        }
    }
    gather(&tests, "", &mut names);
    for (test, _) in NEEDS {
        assert!(names.contains(test), "{test} is no test any more");
    }
}
