//! The fault catalogue against the tests: every row has a test, or stands in the list of what is not built
//! yet.
//!
//! Goal: no row is forgotten. Method: a row is covered by a test function whose name begins with its id
//! (`fault_d8_...`), or by the test named for it below; the list of open rows only ever shrinks.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The parts of the catalogue and how many rows each has (219 in all).
const PARTS: [(char, u32); 9] =
    [('A', 25), ('B', 12), ('C', 20), ('D', 29), ('E', 20), ('F', 44), ('G', 35), ('H', 20), ('I', 14)];

/// Rows whose test has a name of its own.
const ELSEWHERE: &[(&str, &str)] = &[
    ("D2", "fault_d1_d2_a_walk_started_in_on_arrived_is_a_new_walk_one_link_a_tick"),
    ("D9", "messages_are_those_of_the_reference_at_the_line_of_the_caller"),
    ("D15", "messages_are_those_of_the_reference_at_the_line_of_the_caller"),
    ("D21", "a_scene_that_holds_a_character_refuses_other_owners_walks"),
    ("D27", "fault_d6_d27_an_error_in_a_handler_ends_that_call_only"),
    ("F28", "faults_f28_to_f34_every_broken_map_ends_with_its_code_at_its_place"),
    ("F29", "faults_f28_to_f34_every_broken_map_ends_with_its_code_at_its_place"),
    ("F31", "faults_f28_to_f34_every_broken_map_ends_with_its_code_at_its_place"),
    ("F33", "faults_f28_to_f34_every_broken_map_ends_with_its_code_at_its_place"),
    ("G1", "seed_u6_no_reachable_cell_is_nearer_wherever_the_goal"),
    ("G2", "seed_u2_an_unreachable_goal_is_decided_without_a_search"),
    ("G5", "inv_p2_paths_are_legal_minimal_and_never_longer_or_dearer_than_what_the_search_found"),
    ("G7", "fault_g6_a_door_that_closes_on_the_way_is_never_walked_through"),
    ("G10", "fault_g6_a_door_that_closes_on_the_way_is_never_walked_through"),
    ("G22", "seed_f3_every_tick_rate_arrives_at_the_same_time_on_the_same_way"),
    ("G25", "seed_n5_a_cancelled_request_never_delivers"),
    ("G26", "inv_d1_a_level_runs_the_same_twice_and_another_seed_runs_otherwise"),
    ("G27", "seed_o12_a_row_of_ice_beside_the_straight_way_is_worth_the_detour"),
    ("G28", "inv_p2_paths_are_legal_minimal_and_never_longer_or_dearer_than_what_the_search_found"),
    ("G29", "seed_u1_the_four_answers_come_from_four_maps"),
    ("G32", "seed_f4_a_fast_body_passes_each_corner_once_and_never_turns_back"),
    ("G34", "fault_d17_names_limits_and_places_of_spawns_are_checked"),
    ("I2", "streams_repeat_and_are_found_by_name"),
    ("I7", "signed_zeros_are_one_value"),
    ("I9", "people_arrive_and_the_crowd_is_the_same_on_any_number_of_threads"),
];

/// Rows without a test, by what they wait for.
const OPEN: &[(&str, &str)] = &[
    ("what waits for a level of its own", "F37"),
    ("cannot be made to happen from inside a test, or needs another machine", "B12 D23 H2 H4 H8 H19 I6"),
    ("needs a process of its own with limits of the system", "H20"),
    ("paths are not cached yet", "I14"),
    ("held by the types: the state hash takes words of 64 bits and nothing else", "I8"),
];

/// The lines that name a test or a row, of everything that holds tests: for each row all of them are
/// searched, several times.
fn tests() -> String {
    let root = crate::place::root();
    let mut text = String::new();
    for folder in ["src", "crates", "tests"] {
        gather(&root.join(folder), &mut text);
    }
    let names_one = |line: &&str| ["fn ", "fault_", "_and_"].iter().any(|part| line.contains(part));
    let lines: Vec<&str> = text.lines().filter(names_one).collect();
    lines.join("\n")
}

fn gather(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, text);
        } else if path.extension().is_some_and(|suffix| suffix == "rs") && !path.ends_with("catalogue.rs") {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

fn is_open(row: &str) -> bool {
    OPEN.iter().any(|(_, rows)| rows.split(' ').any(|open| open == row))
}

#[test]
fn every_row_of_the_fault_catalogue_has_a_test_or_is_known_to_be_open() {
    let tests = tests();
    let mut rows = 0;
    for (part, count) in PARTS {
        for number in 1..=count {
            rows += 1;
            let row = format!("{part}{number}");
            let id = row.to_lowercase();
            let named = tests.contains(&format!("fault_{id}_")) || tests.contains(&format!("_and_{id}_"));
            let elsewhere = ELSEWHERE.iter().find(|(named, _)| *named == row);
            let exists = elsewhere.is_some_and(|(_, test)| tests.contains(&format!("fn {test}()")));
            assert!(elsewhere.is_none() || exists, "{row}: there is no test of the name given here");
            let covered = named || exists || is_range(&tests, part, number);
            assert!(covered || is_open(&row), "fault:{row} has no test and is not in the list of open rows");
            assert!(!(covered && is_open(&row)), "fault:{row} has a test: take it off the list of open rows");
        }
    }
    assert_eq!(rows, 219);
}

/// Whether a test such as `fault_f10_to_f13_...` spans the row.
fn is_range(tests: &str, part: char, number: u32) -> bool {
    let part = part.to_ascii_lowercase();
    let opening = format!("fn fault_{part}");
    tests.split(&opening).skip(1).any(|rest| {
        let Some((first, rest)) = rest.split_once(&format!("_to_{part}")) else {
            return false;
        };
        let last: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let bounds = (first.parse::<u32>(), last.parse::<u32>());
        matches!(bounds, (Ok(first), Ok(last)) if (first..=last).contains(&number))
    })
}

/// Every code of the catalogue in `docs/design`.
fn known() -> BTreeSet<String> {
    let folder = crate::place::root().join("docs/design");
    let pages = ["faults.md", "behaviours.md"].map(|page| fs::read_to_string(folder.join(page)).unwrap());
    let rows = pages.iter().flat_map(|page| page.lines());
    let codes = rows.filter_map(|row| {
        let row = row.strip_prefix("| `").or_else(|| row.strip_prefix("- `"))?;
        row.split_once('`').map(|(code, _)| code.to_lowercase())
    });
    codes.collect()
}

/// Codes that a text cites: `fault:G33`, and names of tests such as `seed_c6_...`.
fn cited(text: &str) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for list in ["fault", "inv", "seed"] {
        for (at, _) in text.match_indices(list) {
            let is_word = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let rest = &text[at + list.len()..];
            let Some(rest) = rest.strip_prefix([':', '_']).filter(|_| !is_word) else { continue };
            let letters: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
            let digits: String = rest[letters.len()..].chars().take_while(char::is_ascii_digit).collect();
            if !letters.is_empty() && letters.len() <= 2 && !digits.is_empty() {
                codes.insert(format!("{list}:{}{digits}", letters.to_lowercase()));
            }
        }
    }
    codes
}

#[test]
fn every_code_that_is_cited_can_be_looked_up() {
    let (known, mut text) = (known(), String::new());
    let root = crate::place::root();
    for folder in ["src", "crates", "tests", "benches"] {
        gather(&root.join(folder), &mut text);
    }
    let cited = cited(&text);
    assert!(known.len() > 400 && cited.len() > 200, "{} known, {} cited", known.len(), cited.len());
    let strange: Vec<&String> = cited.difference(&known).collect();
    assert!(strange.is_empty(), "cited and not in docs/design: {strange:?}");
    // Rows of the faults are counted above; the pages have as many.
    assert_eq!(known.iter().filter(|code| code.starts_with("fault:")).count(), 219);
}

#[test]
fn codes_are_found_in_comments_and_names_of_tests() {
    let text = "(fault:G33, seed:BT2) fn seed_c6_two() fn inv_d1_x() default:G1 seeds_a1 fault_free";
    let found: Vec<String> = cited(text).into_iter().collect();
    assert_eq!(found, ["fault:g33", "inv:d1", "seed:bt2", "seed:c6"]);
}

#[test]
fn nothing_refers_to_documents_that_are_not_here() {
    let mut text = String::new();
    let root = crate::place::root();
    for folder in ["src", "crates", "tests", "benches"] {
        gather(&root.join(folder), &mut text);
    }
    for document in ["lua-api", "house.md", "cli-and-files", "decisions.md", "seeds-checklist", "style.md"] {
        let line = text.lines().find(|line| line.contains(document));
        assert!(line.is_none(), "{document} is no document of this repository: {}", line.unwrap_or_default());
    }
}
