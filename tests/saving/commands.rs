//! `walkon run --save-at` and `--from`, and traces of runs that begin from a save game.
//!
//! Goal: a run that was saved and one that goes on from there are one game to the command line. Method: the
//! program on a fresh project.

use std::path::Path;
use std::process::Output;

use crate::place::walkon;

fn told(output: &Output) -> String {
    let [out, err] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    out + &err
}

fn done(folder: &Path, args: &[&str]) -> String {
    let output = walkon(folder, args);
    assert!(output.status.success(), "walkon {args:?}: {}", told(&output));
    told(&output)
}

/// A project whose level was saved after 100 and after 200 ticks.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["new", "game"]);
    let game = folder.path().join("game");
    let ticks = ["--ticks", "300", "--save-at", "100", "one.save", "--save-at", "200", "two.save"];
    done(&game, &[&["run", "first"], ticks.as_slice()].concat());
    folder
}

#[test]
fn a_run_goes_on_from_a_save_game_twice_the_same_and_its_trace_replays() {
    let project = project();
    let game = project.path().join("game");
    let from = ["run", "first", "--from", "one.save", "--ticks", "400", "--format", "json"];
    let trace = ["--trace", "run.jsonl"];
    let one = done(&game, &[from.as_slice(), &trace].concat());
    let other = done(&game, &from);
    let hash = |text: &str| {
        let json: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(json["ticks"], 400, "those that ran, not those of the save game");
        json["hash"].as_str().unwrap().to_owned()
    };
    assert_eq!(hash(&one), hash(&other));
    let read = done(&game, &from[..from.len() - 2]);
    assert!(read.contains(" (400 ticks) in "), "{read}");
    let replayed = done(&game, &["replay", "run.jsonl"]);
    assert!(
        replayed.contains("first: the same in 400 ticks") && replayed.contains(&hash(&one)),
        "{replayed}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&done(&game, &["replay", "run.jsonl", "--format", "json"])).unwrap();
    assert_eq!(json["ticks"], 400, "those that ran, not those of the save game");
    assert!(done(&game, &["draw", "run.jsonl", "--tick", "150"]).contains("tick 150"));
}

#[test]
fn a_trace_from_a_save_game_is_drawn_from_its_tick_on() {
    let project = project();
    let game = project.path().join("game");
    let run = ["run", "first", "--from", "two.save", "--ticks", "60", "--trace", "run.jsonl"];
    done(&game, &run);
    assert!(done(&game, &["draw", "run.jsonl"]).contains("tick 260 "), "as it ended");
    assert!(done(&game, &["draw", "run.jsonl", "--tick", "200"]).contains("tick 200 "));
    for asked in [&["--tick", "0"] as &[&str], &["--tick", "199"], &["--gif", "a.gif", "--ticks", "0..240"]] {
        let output = walkon(&game, &[&["draw", "run.jsonl"], asked].concat());
        assert_eq!(output.status.code(), Some(2), "{asked:?}: {}", told(&output));
        assert!(told(&output).contains("expected 200 or later"), "{asked:?}: {}", told(&output));
    }
    // All of it is what is shown when nothing is asked for.
    let gif = |name: &str, ticks: &[&str]| {
        done(&game, &[&["draw", "run.jsonl", "--scale", "8", "--gif", name], ticks].concat());
        std::fs::read(game.join(name)).unwrap()
    };
    assert_eq!(gif("all.gif", &[]), gif("named.gif", &["--ticks", "200..260"]));
}

#[test]
fn what_cannot_be_saved_or_loaded_is_said_and_ends_with_its_code() {
    let project = project();
    let game = project.path().join("game");
    let refused = |args: &[&str], code: i32, what: &str| {
        let output = walkon(&game, args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", told(&output));
        assert!(told(&output).contains(what), "{args:?}: {}", told(&output));
    };
    refused(&["run", "first", "--from", "none.save"], 6, "save none.save:");
    refused(&["run", "first", "--from", "levels/first.json"], 6, "it is no save game of walkon");
    refused(&["run", "first", "--from", "one.save", "--seed", "3"], 2, "--seed");
    refused(&["run", "first", "--from", "two.save", "--save-at", "100", "x.save"], 2, "tick 100 is over");
    refused(&["run", "first", "--save-at", "soon", "x.save"], 2, "\"soon\" is not a tick");
    refused(&["run", "first", "--ticks", "5", "--save-at", "9", "x.save"], 6, "the run ended before tick 9");
    refused(&["run", "first", "--ticks", "5", "--save-at", "3", "levels/first.json"], 6, "reads it");
    refused(&["run", "first", "--ticks", "5", "--save-at", "3", "no/x.save"], 6, "save no/x.save:");
    refused(&["run", "first", "--ticks", "5", "--save-at", "3", "-"], 2, "does not go to stdout");
    assert!(!game.join("-").exists());
    refused(&["run", "first", "--from", "one.save", "--save-at", "103", "one.save"], 6, "reads it");
    refused(&["run", "first", "--from", "one.save", "--trace", "one.save"], 6, "reads it");
    assert!(!game.join("x.save").exists());
    let mut bytes = std::fs::read(game.join("one.save")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(game.join("bad.save"), &bytes).unwrap();
    refused(&["run", "first", "--from", "bad.save"], 6, "its sum is wrong");
    std::fs::copy(game.join("levels/first.json"), game.join("levels/other.json")).unwrap();
    let other = std::fs::read_to_string(game.join("levels/other.json")).unwrap();
    let other = other.replace("\"name\": \"first\"", "\"name\": \"other\"");
    std::fs::write(game.join("levels/other.json"), other).unwrap();
    refused(&["run", "other", "--from", "one.save"], 6, "it is of level \"first\", this is \"other\"");
    let guard = game.join("scripts/behaviours/guard.lua");
    let text = std::fs::read_to_string(&guard).unwrap();
    std::fs::write(&guard, text.replace("local guard = {", "local guard = { version = 2,")).unwrap();
    refused(&["run", "first", "--from", "one.save"], 4, "expected a function migrate(self, from)");
}
