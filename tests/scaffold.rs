//! A new project, as its author finds it.
//!
//! Goal: everything that `walkon new` writes works untouched. Method: the real binary makes a project in a folder
//! of its own and runs the commands that its README names.

use std::path::Path;
use std::process::{Command, Output};

fn walkon(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_walkon"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs in `folder`, expects an exit code, returns stdout and stderr.
fn expect(code: i32, folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = walkon(folder, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "walkon {arguments:?}\n{out}\n{err}");
    (out, err)
}

/// A new project called `game`.
fn project() -> (tempfile::TempDir, std::path::PathBuf) {
    let outer = tempfile::tempdir().unwrap();
    expect(0, outer.path(), &["new", "game"]);
    let game = outer.path().join("game");
    (outer, game)
}

#[test]
fn a_new_project_checks_without_a_word_and_its_level_runs() {
    let (_outer, game) = project();
    let (out, err) = expect(0, &game, &["check", "."]);
    assert!(out.contains(": 0 errors, 0 warnings"), "{out}{err}");
    let (out, _) = expect(0, &game, &["run", "levels/first.json", "--strict"]);
    for sentence in [
        "guard: arrived/reached at (13.5, 2.0)",
        "scene \"welcome\" begins",
        "door \"gate\" is open (guard)",
        "event welcomed",
        "visitor: arrived/reached at (25.0, 8.0)",
    ] {
        assert!(out.contains(sentence), "{sentence} is missing in\n{out}");
    }
}

#[test]
fn the_levels_that_are_offered_are_levels() {
    let (_outer, game) = project();
    let (_, err) = expect(6, &game, &["run", "levels/nothing.json"]);
    assert!(err.contains("the levels here are first") && !err.contains("schema"), "{err}");
}

#[test]
fn every_file_of_a_new_project_is_told_and_its_json_is_json() {
    let outer = tempfile::tempdir().unwrap();
    let (out, _) = expect(0, outer.path(), &["new", "a \"quoted\" name", "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(told["name"], "a \"quoted\" name");
    let folder = outer.path().join("a \"quoted\" name");
    let files = told["files"].as_array().unwrap();
    for file in files {
        let file = file.as_str().unwrap();
        let content = std::fs::read_to_string(folder.join(file)).unwrap();
        assert!(!content.contains("{{name}}") && !content.contains("{{title}}"), "{file}");
        assert!(content.ends_with('\n'), "{file}");
        if file.ends_with(".json") || file == ".luaurc" {
            serde_json::from_str::<serde_json::Value>(&content)
                .unwrap_or_else(|error| panic!("{file}: {error}"));
        }
    }
    for file in ["walkon.json", "levels/first.json", "levels/level.schema.json", ".luaurc", ".luarc.json"] {
        assert!(files.iter().any(|told| told == file), "{file} is told");
    }
    let marker = std::fs::read_to_string(folder.join("walkon.json")).unwrap();
    let marker: serde_json::Value = serde_json::from_str(&marker).unwrap();
    assert_eq!(marker["name"], "a \"quoted\" name");
}

#[test]
fn the_schema_and_the_definitions_are_those_of_the_commands() {
    let (_outer, game) = project();
    let read = |file: &str| std::fs::read_to_string(game.join(file)).unwrap();
    assert_eq!(read("levels/level.schema.json"), expect(0, &game, &["schema"]).0);
    let definitions = read("scripts/types/walkon.d.luau");
    expect(0, &game, &["types"]);
    assert_eq!(read("scripts/types/walkon.d.luau"), definitions, "types writes what new wrote");
}

#[test]
fn a_folder_that_is_not_empty_is_refused_and_left_alone() {
    let outer = tempfile::tempdir().unwrap();
    std::fs::write(outer.path().join("mine.txt"), "mine").unwrap();
    let (_, err) = expect(6, outer.path(), &["new", "."]);
    assert!(err.contains("it is not empty, expected an empty or a new folder"), "{err}");
    assert_eq!(std::fs::read_dir(outer.path()).unwrap().count(), 1, "nothing was written");
    let (_, err) = expect(6, outer.path(), &["new", "mine.txt"]);
    assert!(err.contains("it is a file"), "{err}");
    expect(2, outer.path(), &["new", ""]);
    expect(2, outer.path(), &["new"]);
}

#[test]
fn an_empty_folder_and_folders_that_do_not_exist_yet_are_taken() {
    let outer = tempfile::tempdir().unwrap();
    expect(0, outer.path(), &["new", "a/b/c"]);
    assert!(outer.path().join("a/b/c/walkon.json").is_file());
    let empty = tempfile::tempdir().unwrap();
    expect(0, empty.path(), &["new", "."]);
    expect(0, empty.path(), &["check", ".", "-q"]);
}

#[test]
fn the_tests_of_a_new_project_pass() {
    let (_outer, game) = project();
    let output = walkon(&game, &["test"]);
    assert_eq!(output.status.code(), Some(0), "{}\n{}", text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).contains("0 failed"), "{}", text(&output.stdout));
}
