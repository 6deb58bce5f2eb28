//! The README, held to its word: every command in it runs, and so does its script.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    crate::place::root().to_owned()
}

/// A copy of the project's levels and scripts, to write into.
fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join("walkon.json"), folder.path().join("walkon.json")).unwrap();
    for part in ["levels", "scripts"] {
        copy_folder(&root().join(part), &folder.path().join(part));
    }
    folder
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The blocks of a language in the README.
fn blocks(language: &str) -> Vec<String> {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let open = format!("```{language}\n");
    readme.split(&open).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn every_command_of_the_readme_runs() {
    let folder = copy();
    let inline = [
        "cargo run --release -- draw levels/courtyard.json --tick 600 --out courtyard.png",
        "cargo run --release -- draw levels/courtyard.json --gif courtyard.gif --every 6",
    ];
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(inline.iter().all(|command| readme.contains(command)));
    let commands: Vec<String> = blocks("sh")
        .iter()
        .flat_map(|block| block.lines())
        .chain(inline)
        .filter_map(|line| line.strip_prefix("cargo run --release -- "))
        .map(str::to_owned)
        .collect();
    assert!(commands.len() >= 6, "{commands:?}");
    for command in commands {
        let run = Command::new(crate::place::program())
            .args(command.split_whitespace())
            .current_dir(folder.path())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "walkon {command}: {told}");
        let wrote = ["--out", "--gif"].iter().any(|option| command.contains(option));
        assert!(!run.stdout.is_empty() || wrote, "walkon {command} says nothing");
    }
}

#[test]
fn the_script_of_the_readme_runs() {
    let folder = copy();
    let script = blocks("lua").into_iter().find(|block| block.contains("greeter")).unwrap();
    fs::write(folder.path().join("scripts/behaviours/greeter.lua"), script).unwrap();
    let level = fs::read_to_string(folder.path().join("levels/courtyard.json")).unwrap();
    let greeter = r#"{ "name": "greeter", "position": [5, 9], "behaviour": "greeter.lua", "params": { "post": "post" } },"#;
    let level = level.replacen("\"characters\": [", &format!("\"characters\": [ {greeter}"), 1);
    fs::write(folder.path().join("levels/greeting.json"), level).unwrap();
    let run = crate::place::walkon(folder.path(), &["run", "greeting", "--seconds", "30"]);
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(told.contains("greeter: arrived/reached"), "{told}");
    assert!(told.contains("the player came to me in"), "{told}");
}

#[test]
fn a_slip_in_a_script_is_named_and_the_run_goes_on() {
    let folder = copy();
    let path = folder.path().join("scripts/behaviours/guard.lua");
    let guard = fs::read_to_string(&path).unwrap();
    fs::write(&path, guard.replace("self.character:walkTo(stop", "self.character:wlakTo(stop")).unwrap();
    let run = |more: &[&str]| {
        let mut args = vec!["run", "levels/courtyard.json", "--seconds", "5"];
        args.extend(more);
        Command::new(crate::place::program()).args(args).current_dir(folder.path()).output().unwrap()
    };
    let line = guard.lines().position(|line| line.contains("self.character:walkTo(stop")).unwrap() + 1;
    let told = run(&[]);
    let text = String::from_utf8_lossy(&told.stdout);
    assert!(told.status.success(), "{text}");
    assert!(
        text.contains(&format!(
            "behaviours/guard.lua:{line}: Character: unknown field \"wlakTo\"; did you mean \"walkTo\"?"
        )),
        "{text}"
    );
    assert!(text.contains("courtyard: 5.0 s (300 ticks)"), "{text}");
    assert_eq!(run(&["--strict"]).status.code(), Some(4), "under --strict it fails the run");
}

#[test]
fn the_story_that_the_readme_tells_is_the_one_that_the_level_prints() {
    let told = blocks("text").into_iter().find(|block| block.contains("guard: arrived")).unwrap();
    let run = crate::place::walkon(&root(), &["run", "levels/courtyard.json"]);
    let printed = String::from_utf8(run.stdout).unwrap();
    let mut rest = printed.lines();
    // How fast it ran is another thing each time.
    let lines = told.lines().filter(|line| line.trim() != "..." && !line.contains("times real time"));
    for line in lines {
        assert!(rest.any(|found| found == line), "not printed, or not in this order: {line}\n{printed}");
    }
}

/// The crates of other people that a manifest names, under the names that they were published by.
fn dependencies(manifest: &str) -> Vec<&str> {
    let tables =
        manifest.split("\n[").filter(|table| table.lines().next().unwrap().ends_with("dependencies]"));
    let entries = tables.flat_map(|table| table.lines().filter_map(|line| line.split_once(" = ")));
    let published = entries.map(|(name, what)| {
        what.split_once("package = \"").map_or(name, |(_, rest)| rest.split('"').next().unwrap())
    });
    published.filter(|name| !name.starts_with("walkon")).collect()
}

#[test]
fn the_readme_names_every_crate_that_is_depended_on() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let table = readme.split("## Dependencies").nth(1).unwrap().split("\n## ").next().unwrap();
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let named: Vec<&str> = table.split(|c| !is_part(c)).collect();
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let packages = [root(), root().join("tests"), root().join("benches")].into_iter().chain(crates);
    let mut found = 0;
    for package in packages {
        let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
        for name in dependencies(&manifest) {
            found += 1;
            assert!(named.contains(&name), "{}: {name} is not in the README", package.display());
        }
    }
    assert!(found > 30, "{found}");
}
