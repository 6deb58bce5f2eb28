//! A new project, as its author finds it.
//!
//! Goal: everything that `walkon new` writes works untouched. Method: the real binary makes a project in a
//! folder of its own and runs the commands that its README names.

use std::path::Path;
use std::process::Command;

use crate::place::walkon;

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

/// What is watched: four times as fast as in reality, since a test has to wait until the guard arrives.
const WATCH: [&str; 7] = ["watch", "levels/first.json", "--poll", "--speed", "4", "--seconds", "2400"];

/// A `walkon watch` under way, and what it said so far.
struct Watched {
    child: std::process::Child,
    said: std::sync::mpsc::Receiver<String>,
    all: Vec<String>,
}

impl Watched {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(crate::place::program());
        command.current_dir(folder).args(WATCH);
        // One pipe for both streams: lines come in the order in which they are written.
        let (reading, writing) = std::io::pipe().unwrap();
        let child = command.stdout(writing.try_clone().unwrap()).stderr(writing).spawn().unwrap();
        // It keeps the end that writes, and the pipe open with it.
        drop(command);
        let (sender, said) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in std::io::BufRead::lines(std::io::BufReader::new(reading)).map_while(Result::ok) {
                // Once the test is over nobody listens.
                let _ = sender.send(line);
            }
        });
        Self { child, said, all: Vec::new() }
    }

    /// Waits until a line with this text comes.
    fn until(&mut self, text: &str) {
        self.until_all(&[text]);
    }

    /// Waits until each of these texts has come in a line, in any order.
    fn until_all(&mut self, texts: &[&str]) {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(120);
        let mut missing = texts.to_vec();
        while !missing.is_empty() {
            let patience = end.saturating_duration_since(std::time::Instant::now());
            match self.said.recv_timeout(patience) {
                Ok(line) => {
                    missing.retain(|text| !line.contains(text));
                    self.all.push(line);
                }
                Err(error) => panic!("{missing:?}: {error} after\n{}", self.all.join("\n")),
            }
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_first_experiment_of_the_readme_goes_as_it_says() {
    let (_outer, game) = project();
    let readme = std::fs::read_to_string(game.join("README.md")).unwrap();
    assert!(readme.contains("Misspell `walk` in `self.character:walk`"), "{readme}");
    let path = game.join("scripts/behaviours/guard.lua");
    let right = std::fs::read_to_string(&path).unwrap();
    let mut watched = Watched::start(&game);
    watched.until("watching levels/first.json");
    std::fs::write(&path, right.replace("self.character:walk(", "self.character:wlak(")).unwrap();
    watched.until("reload refused; the old version runs on");
    // The guard walks on, as he did before.
    watched.until("guard: arrived");
    // Another file that is right and does not need the one that is wrong does not wait for it.
    std::fs::write(game.join("scripts/other.lua"), "return { 1 }\n").unwrap();
    watched.until("other.lua is used by nothing so far; still refused: behaviours/guard.lua");
    std::fs::write(&path, &right).unwrap();
    watched.until(", mended");
    let all = watched.all.join("\n");
    let line = right.lines().position(|line| line.contains("self.character:walk(")).unwrap() + 1;
    for part in [&format!("scripts/behaviours/guard.lua:{line}:"), "did you mean \"walk\"?"] {
        assert!(all.contains(part), "{part} in\n{all}");
    }
    assert!(!all.contains("fault") && !all.contains("attempt to"), "{all}");
}

#[test]
fn a_level_that_check_refuses_for_its_behaviours_is_held_back_until_it_is_mended() {
    let (_outer, game) = project();
    let path = game.join("levels/first.json");
    let right = std::fs::read_to_string(&path).unwrap();
    let renamed = right.replace("\"routes\": { \"rounds\"", "\"routes\": { \"round\"");
    assert_ne!(right, renamed, "the scaffold has a route");
    let mut watched = Watched::start(&game);
    watched.until("watching levels/first.json");
    std::fs::write(&path, &renamed).unwrap();
    // A file that is read while it is written is refused for another reason first.
    watched.until("did you mean \"round\"?");
    let (_, checked) = expect(3, &game, &["check", "levels/first.json"]);
    let all = watched.all.join("\n");
    for part in ["error[params]", "unknown route \"rounds\"", "did you mean \"round\"?"] {
        assert!(all.contains(part) && checked.contains(part), "{part} in\n{all}\n{checked}");
    }
    std::fs::write(&path, renamed.replace("\"route\": \"rounds\"", "\"route\": \"round\"")).unwrap();
    watched.until(", mended");
    assert!(!watched.all.join("\n").contains("fault"), "{:?}", watched.all);
}

#[test]
fn the_end_of_a_broken_file_mends_nothing_while_its_old_code_runs_on() {
    let (_outer, game) = project();
    let path = game.join("scripts/behaviours/guard.lua");
    let right = std::fs::read_to_string(&path).unwrap();
    let mut watched = Watched::start(&game);
    watched.until("watching levels/first.json");
    std::fs::write(&path, "return {").unwrap();
    watched.until("reload refused; the old version runs on");
    // One message (fault:E1): nothing is said of what a file lacks that cannot be read.
    assert!(!watched.all.join("\n").contains("returns nothing"), "{:?}", watched.all);
    std::fs::remove_file(&path).unwrap();
    watched.until("was deleted; its running code runs on");
    assert!(!watched.all.join("\n").contains("mended"), "{:?}", watched.all);
    std::fs::write(&path, &right).unwrap();
    watched.until(", mended");
}

/// All files that are broken are shown, whatever is wrong with them, and files that nothing uses are said to
/// be so.
#[test]
fn every_broken_file_is_shown_and_a_file_that_nothing_uses_is_not_said_to_be_reloaded() {
    let (_outer, game) = project();
    let write = |name: &str, text: &str| std::fs::write(game.join("scripts").join(name), text).unwrap();
    let guard = std::fs::read_to_string(game.join("scripts/behaviours/guard.lua")).unwrap();
    let using = format!("local one, other = require(\"one\"), require(\"other\")\n{guard}");
    let right = "return { right = true }\n";
    write("one.lua", right);
    write("other.lua", right);
    write("behaviours/guard.lua", &using);
    let mut watched = Watched::start(&game);
    watched.until("watching levels/first.json");
    write("unused.lua", right);
    watched.until("unused.lua is used by nothing so far");
    assert!(!watched.all.join("\n").contains("reloaded"), "{:?}", watched.all);
    // Both are in one save: a folder is written at once, as version control does.
    let cases = [
        ["return {\n", "return }\n"],
        ["\nerror(\"early\")\n", "\nlocal x = nil + 1\nreturn x\n"],
        ["return {\n", "local lib = {} function lib.f() return lgo.info(\"x\") end return lib\n"],
        ["local x = 1 x.y()\nreturn undefinedName.x\n", "return {\n"],
    ];
    for [one, other] in cases {
        write("one.lua", one);
        write("other.lua", other);
        let parts = ["scripts/one.lua:", "scripts/other.lua:", "reload refused; the old version runs on"];
        watched.until_all(&parts);
        write("one.lua", right);
        write("other.lua", right);
        watched.until(", mended");
    }
}

/// A file that is taken in says nothing of another one that is still refused.
#[test]
fn a_reload_that_leaves_a_refused_file_out_mends_nothing() {
    let (_outer, game) = project();
    let write = |name: &str, text: &str| std::fs::write(game.join("scripts").join(name), text).unwrap();
    let path = game.join("scripts/behaviours/guard.lua");
    let guard = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("require(\"one\") require(\"other\")\n{guard}")).unwrap();
    write("one.lua", "return { 1 }\n");
    write("other.lua", "return { 1 }\n");
    let mut watched = Watched::start(&game);
    watched.until("watching levels/first.json");
    write("one.lua", "error(\"not today\")\n");
    watched.until("reload refused; the old version runs on");
    write("other.lua", "return { 2 }\n");
    watched.until("reloaded other.lua");
    let last = watched.all.last().cloned().unwrap_or_default();
    assert!(last.ends_with("; still refused: one.lua") && !last.contains("mended"), "{last}");
    write("one.lua", "return { 2 }\n");
    watched.until("reloaded one.lua");
    let last = watched.all.last().cloned().unwrap_or_default();
    assert!(last.ends_with(", mended"), "{last}");
}

/// A file that is right is taken in while `check` knows a mistake in another one, unless it needs that one,
/// and the mistake is not shown again with it.
#[test]
fn a_file_that_is_held_back_keeps_none_waiting_that_does_not_need_it() {
    let (_outer, game) = project();
    let write = |name: &str, text: &str| std::fs::write(game.join("scripts").join(name), text).unwrap();
    let path = game.join("scripts/behaviours/guard.lua");
    let guard = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("require(\"one\") require(\"other\") require(\"user\")\n{guard}")).unwrap();
    let wrong = "local lib = {} function lib.f() return lgo.info(\"x\") end return lib\n";
    write("one.lua", "return { 1 }\n");
    write("other.lua", "return { 1 }\n");
    write("user.lua", "return { require(\"one\") }\n");
    let mut watched = Watched::start(&game);
    watched.until("watching levels/first.json");
    write("one.lua", wrong);
    watched.until("reload refused; the old version runs on");
    // By itself, and with the mistake of its own that only the game finds.
    write("other.lua", "return { 2 }\n");
    watched.until("reloaded other.lua");
    let last = watched.all.last().cloned().unwrap_or_default();
    assert!(last.ends_with("; still refused: one.lua"), "{last}");
    write("other.lua", "error(\"not today\")\n");
    watched.until("scripts/other.lua:1:");
    watched.until("reload refused; the old version runs on");
    write("other.lua", "return { 3 }\n");
    watched.until("reloaded other.lua");
    // A level too.
    let level = game.join("levels/first.json");
    let text = std::fs::read_to_string(&level).unwrap();
    std::fs::write(&level, text.replace("\"marks\": {", "\"marks\": { \"nook\": [4, 4],")).unwrap();
    watched.until("reloaded levels/first.json");
    let shown =
        |watched: &Watched| watched.all.iter().filter(|line| line.contains("scripts/one.lua:1:")).count();
    assert_eq!(shown(&watched), 1, "{:?}", watched.all);
    // What needs it waits with it.
    write("user.lua", "return { 2, require(\"one\") }\n");
    watched.until("reload refused; the old version runs on");
    assert_eq!(shown(&watched), 2, "{:?}", watched.all);
    write("one.lua", "return { 2 }\n");
    watched.until_all(&["one.lua", "user.lua", ", mended"]);
    let last = watched.all.last().cloned().unwrap_or_default();
    assert!(last.contains("reloaded one.lua, user.lua") && last.ends_with(", mended"), "{last}");
    // What asks for a mark of a level that is held back waits for the level.
    let marked = text.replace("\"marks\": {", "\"marks\": { \"attic\": [4, 4],");
    let slip = marked.replace("\"route\": \"rounds\"", "\"route\": \"rounds\", \"rout\": 1");
    assert_ne!(slip, marked);
    std::fs::write(&level, slip).unwrap();
    watched.until("reload refused; the old version runs on");
    write("other.lua", "return function() world.character(\"guard\"):walkTo(\"attic\") end\n");
    watched.until("reload refused; the old version runs on");
    std::fs::write(&level, marked).unwrap();
    watched.until_all(&["levels/first.json", "other.lua", ", mended"]);
}

/// A parameter that comes first to the script or first to the level, and a file that comes after the level
/// that names it: what was refused goes with what it waited for.
#[test]
fn a_level_and_the_scripts_that_it_needs_may_be_saved_one_after_the_other() {
    let (_outer, game) = project();
    let level = game.join("levels/first.json");
    let text = std::fs::read_to_string(&level).unwrap();
    let with_cook = |more: &str| {
        let cook = format!("\"characters\": [ {{ \"name\": \"cook\", \"position\": [4, 4], {more} }},");
        text.replace("\"characters\": [", &cook)
    };
    let cook = |params: &str| {
        let class = format!("return {{ params = {{ {params} }}, start = function() end }}\n");
        std::fs::write(game.join("scripts/behaviours/cook.lua"), class).unwrap();
    };
    cook("");
    std::fs::write(&level, with_cook("\"behaviour\": \"cook.lua\"")).unwrap();
    let mut watched = Watched::start(&game);
    watched.until("watching levels/first.json");
    let refused = "reload refused; the old version runs on";
    let paced = with_cook("\"behaviour\": \"cook.lua\", \"params\": { \"pace\": 2 }");
    // The script asks first.
    cook("pace = { type = \"number\" }");
    watched.until(refused);
    std::fs::write(&level, &paced).unwrap();
    watched.until_all(&["behaviours/cook.lua", "levels/first.json", ", mended"]);
    // The level gives first.
    let named = paced.replace("\"pace\": 2", "\"pace\": 2, \"tool\": \"knife\"");
    std::fs::write(&level, &named).unwrap();
    watched.until(refused);
    cook("pace = { type = \"number\" }, tool = { type = \"string\" }");
    watched.until_all(&["behaviours/cook.lua", "levels/first.json", ", mended"]);
    // A file that is not there yet. Another, which has nothing to do with it, is taken in meanwhile.
    std::fs::write(&level, named.replace("cook.lua", "maid.lua")).unwrap();
    watched.until(refused);
    cook(
        "pace = { type = \"number\" }, tool = { type = \"string\" }, more = { type = \"number\", default = 1 }",
    );
    watched.until("reloaded behaviours/cook.lua");
    let last = watched.all.last().cloned().unwrap_or_default();
    assert!(last.ends_with("; still refused: levels/first.json"), "{last}");
    std::fs::write(
        game.join("scripts/behaviours/maid.lua"),
        "return { params = { pace = { type = \"number\" }, tool = { type = \"string\" } } }\n",
    )
    .unwrap();
    watched.until_all(&["levels/first.json", ", mended"]);
}

/// Files and what becomes of each in one save, and what is said of it.
type Save = (&'static [(&'static str, &'static str)], &'static str);

/// What `watch` says of each save: files that are used or not and the level, made wrong in several ways and
/// saved back. Steps of one save end in what is said of it.
#[test]
fn what_is_said_of_a_save_is_what_the_files_are_by_then() {
    let (_outer, game) = project();
    let path = game.join("scripts/behaviours/guard.lua");
    let guard = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("require(\"one\") require(\"other\")\n{guard}")).unwrap();
    let right = "return { right = true }\n";
    let level = std::fs::read_to_string(game.join("levels/first.json")).unwrap();
    let texts = |file: &str, state: &str| -> (std::path::PathBuf, String) {
        if file == "level" {
            let (from, to) = ("\"routes\": { \"rounds\"", "\"routes\": { \"round\"");
            let text = match state {
                "right" => level.clone(),
                // `check` sees it.
                "checked" => level.replace(from, to),
                // The game sees it.
                _ => level.replace("\"characters\"", "\"charakters\""),
            };
            return (game.join("levels/first.json"), text);
        }
        let text = match state {
            "right" => right,
            "checked" => "local lib = {} function lib.f() return lgo.info(\"x\") end return lib\n",
            _ => "return {\n",
        };
        (game.join("scripts").join(format!("{file}.lua")), text.to_owned())
    };
    let save = |file: &str, state: &str| {
        let (path, text) = texts(file, state);
        std::fs::write(path, text).unwrap();
    };
    for file in ["one", "other", "unused"] {
        save(file, "right");
    }
    let refused = "reload refused; the old version runs on";
    let rows: &[&[Save]] = &[
        &[
            (&[("one", "broken")], refused),
            (&[("other", "checked")], refused),
            (&[("other", "right")], "saved as it runs; still refused: one.lua"),
            (&[("one", "right")], "reloaded one.lua"),
        ],
        &[
            (&[("one", "checked")], refused),
            (&[("other", "checked")], refused),
            (&[("one", "right")], "saved as it runs; still refused: other.lua"),
            (&[("other", "right")], "saved as it runs, mended"),
        ],
        &[
            (&[("unused", "broken")], refused),
            (&[("unused", "right")], "unused.lua is used by nothing so far, mended"),
        ],
        &[(&[("unused", "checked")], refused), (&[("unused", "right")], "saved as it runs, mended")],
        &[(&[("level", "checked")], refused), (&[("level", "right")], "saved as it runs, mended")],
        &[
            (&[("level", "checked")], refused),
            (&[("level", "right"), ("one", "broken")], refused),
            (&[("one", "right")], "reloaded one.lua"),
        ],
        &[(&[("level", "broken")], refused), (&[("level", "right")], "reloaded levels/first.json")],
        &[
            (&[("level", "broken"), ("one", "broken")], refused),
            (&[("level", "right")], "; still refused: one.lua"),
            (&[("one", "right")], "reloaded one.lua"),
        ],
    ];
    let mut watched = Watched::start(&game);
    watched.until("watching levels/first.json");
    for row in rows {
        for (at, (saved, said)) in row.iter().enumerate() {
            saved.iter().for_each(|(file, state)| save(file, state));
            watched.until(said);
            let last = watched.all.last().cloned().unwrap_or_default();
            assert!(at + 1 < row.len() || last.ends_with(", mended"), "{row:?}: {last}");
        }
    }
}

#[test]
fn an_odd_file_among_the_scripts_stops_nobody_who_does_not_need_it() {
    let (_outer, game) = project();
    std::fs::write(game.join("scripts/latin.lua"), [0x2d, 0x2d, 0xe9]).unwrap();
    std::fs::write(game.join("scripts/big.lua"), " ".repeat(2 << 20)).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("somebody@somewhere.1234", game.join("scripts/.#guard.lua")).unwrap();
    #[cfg(unix)]
    std::fs::write(game.join("scripts/aux.lua"), "return {}").unwrap();
    let (_, err) = expect(0, &game, &["run", "first", "--ticks", "10"]);
    for part in ["scripts/latin.lua: not UTF-8 at byte 2; skipped", "scripts/big.lua", "skipped"] {
        assert!(err.contains(part), "{part} in\n{err}");
    }
    #[cfg(unix)]
    assert!(
        err.contains("scripts/aux.lua: it has a part that names a device on some systems, choose a name")
    );
    // What is left out of a run is an error of a check, named or not, also in its list.
    for (paths, wrong) in [(&[][..], 2), (&["scripts/latin.lua"], 1)] {
        let (_, err) = expect(4, &game, &[&["check"], paths].concat());
        assert!(err.contains("error[encoding]: not UTF-8 at byte 2"), "{err}");
        let (out, _) = expect(4, &game, &[&["check", "--format", "json"], paths].concat());
        let found: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
        let wrong = wrong + usize::from(cfg!(unix) && paths.is_empty());
        assert_eq!(found.iter().filter(|found| found["severity"] == "error").count(), wrong, "{out}");
    }
    let level = std::fs::read_to_string(game.join("levels/first.json")).unwrap();
    std::fs::write(game.join("levels/first.json"), level.replace("\"first.lua\"", "\"latin.lua\"")).unwrap();
    let (_, err) = expect(3, &game, &["run", "first", "--ticks", "10"]);
    assert!(err.contains("it was skipped: scripts/latin.lua: not UTF-8 at byte 2"), "{err}");
}

#[test]
fn without_a_marked_root_the_errors_say_what_marks_it() {
    let (_outer, game) = project();
    std::fs::remove_file(game.join("walkon.json")).unwrap();
    for command in ["run", "check"] {
        let (_, err) = expect(3, &game, &[command, "levels/first.json"]);
        assert!(
            err.contains("unknown script") && err.contains("walkon.json: that file marks the root"),
            "{err}"
        );
    }
    let map = r#"<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" orientation="orthogonal" width="1" height="1" tilewidth="16" tileheight="16" infinite="0">
 <tileset firstgid="1" source="../tiles/town.tsx"/>
 <layer id="1" name="ground" width="1" height="1"><data encoding="csv">1</data></layer>
</map>
"#;
    std::fs::write(game.join("levels/town.tmx"), map).unwrap();
    let level = r#"{ "navigation": { "kind": "tiled", "file": "town.tmx" } }"#;
    std::fs::write(game.join("levels/mapped.json"), level).unwrap();
    let (_, err) = expect(3, &game, &["run", "levels/mapped.json"]);
    assert!(err.contains("leads out of the project"), "{err}");
    assert!(err.contains("walkon.json: that file marks the root"), "{err}");
}

#[test]
fn check_without_a_path_checks_the_project() {
    let (_outer, game) = project();
    let (here, _) = expect(0, &game, &["check"]);
    let (named, _) = expect(0, &game, &["check", "."]);
    let (inside, _) = expect(0, &game.join("scripts/behaviours"), &["check"]);
    assert_eq!((&here, &here), (&named, &inside));
}
