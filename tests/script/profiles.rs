//! Profiles: fuel is the same in every run, all of it is accounted for, and nothing of a run changes by it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Output};
use std::rc::Rc;

use walkon_runtime::disk::Folder;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::load;
use walkon_runtime::script::state::profile::report::Profile;
use walkon_runtime::script::state::profile::{ProfileSetup, Stopwatch};

/// A clock that goes a little further each time it is asked.
#[derive(Debug, Default, Clone)]
struct Ticking(Rc<Cell<u64>>);

impl Stopwatch for Ticking {
    fn nanoseconds(&self) -> u64 {
        self.0.set(self.0.get() + 100);
        self.0.get()
    }
}

fn profiled(every: u32) -> ProfileSetup {
    let stopwatch: Option<Box<dyn Stopwatch>> = Some(Box::new(Ticking::default()));
    ProfileSetup { sample_every: every, stopwatch, keeps_calls: true }
}

fn texts() -> BTreeMap<String, String> {
    fn collect(folder: &std::path::Path, below: &str, texts: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                collect(&path, &format!("{name}/"), texts);
            } else if name.ends_with(".lua") && !name.starts_with("types/") {
                texts.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut texts = BTreeMap::new();
    collect(&crate::place::root().join("scripts"), "", &mut texts);
    texts
}

fn shipped(name: &str, profile: Option<ProfileSetup>) -> Game {
    let folder = Folder::open(crate::place::root()).unwrap();
    let level = load(&format!("levels/{name}.json"), &folder).unwrap_or_else(|refused| panic!("{refused:?}"));
    let recorder = Recorder::new(RecordOptions::default());
    Game::load(level, Setup { scripts: texts(), recorder, profile, ..Setup::default() }).unwrap()
}

/// A level with one character of this behaviour.
fn one(behaviour: &str, profile: ProfileSetup, ticks: u64) -> Profile {
    let json = r#"{ "navigation": { "areas": [{ "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] }] },
      "characters": [{ "name": "anna", "position": [4, 4], "behaviour": "own.lua" }] }"#;
    let level = load("own.json", &walkon_runtime::level::MemorySource::new().with("own.json", json)).unwrap();
    let scripts = BTreeMap::from([("own.lua".to_owned(), behaviour.to_owned())]);
    let mut game = Game::load(level, Setup { scripts, profile: Some(profile), ..Setup::default() }).unwrap();
    (0..ticks).for_each(|_| drop(game.tick(&[])));
    game.profile().unwrap()
}

#[test]
fn a_profiled_run_has_the_hashes_of_a_run_and_the_same_fuel_however_often_one_looks() {
    for name in ["courtyard", "tavern", "tower"] {
        let mut games = [None, Some(0), Some(1), Some(251)].map(|every| shipped(name, every.map(profiled)));
        for tick in 0..400 {
            let hashes = games.each_mut().map(|game| {
                game.tick(&[]);
                game.fingerprint().whole()
            });
            assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{name} after tick {tick}");
        }
        let profiles: Vec<Profile> = games.iter().filter_map(Game::profile).collect();
        let fuel = |profile: &Profile| -> Vec<_> {
            let calls = profile.calls.iter();
            calls
                .map(|(key, used)| (key.clone(), used.calls, used.fuel, used.worst_fuel, used.worst_tick))
                .collect()
        };
        assert!(profiles.len() == 3 && profiles[0].fuel() > 20, "{name}");
        for profile in &profiles {
            assert_eq!(fuel(profile), fuel(&profiles[0]), "{name}");
            let whole = profile.fuel();
            assert_eq!(profile.callers.values().map(|used| used.fuel).sum::<u64>(), whole, "{name}");
            assert_eq!(profile.calls.values().map(|used| used.fuel).sum::<u64>(), whole, "{name}");
            assert_eq!(profile.stacks.values().sum::<u64>(), whole, "{name}: each unit in one stack");
            assert_eq!(
                profile.timed.len() as u64,
                profile.calls.values().map(|used| used.calls).sum::<u64>()
            );
        }
    }
}

#[test]
fn stacks_are_the_same_in_every_run() {
    let stacks = || {
        let mut game = shipped("market", Some(profiled(31)));
        (0..60).for_each(|_| drop(game.tick(&[])));
        game.profile().unwrap().stacks
    };
    let (one, other) = (stacks(), stacks());
    assert!(one.len() > 3);
    assert_eq!(one, other);
}

#[test]
fn fuel_goes_to_the_line_and_the_function_that_spend_it() {
    let text = "local own = {}\n\
        local function loop(n)\n  local sum = 0\n  for i = 1, n do\n    sum += i\n  end\n  return sum\nend\n\
        function own.update()\n  loop(100)\n  nav.findPath(vector.create(1, 0, 1), vector.create(9, 0, 9))\nend\n\
        return own";
    let profile = one(text, profiled(1), 50);
    let lines = profile.by_line();
    let of = |line: u32| lines.get(&("own.lua".to_owned(), line)).copied().unwrap_or_default();
    let loop_fuel = of(4);
    assert!((4900..=5300).contains(&loop_fuel), "a hundred turns of a loop, fifty times: {lines:?}");
    assert!(of(11) >= 50 * 4, "what the search costs counts where it is called: {lines:?}");
    let functions = profile.by_function();
    let looped = functions.iter().find(|(function, _)| function.name == "loop").map(|(_, fuel)| *fuel);
    assert!(looped.unwrap() >= loop_fuel, "{functions:?}");
    let stack = profile.stacks.keys().find(|key| key.frames.last().is_some_and(|last| last.name == "loop"));
    let names: Vec<&str> = stack.unwrap().frames.iter().map(|frame| frame.name.as_str()).collect();
    assert_eq!(names, ["update", "loop"], "the caller stands before the called");
    let sampled = one(text, profiled(97), 50).by_line();
    let share = |lines: &BTreeMap<(String, u32), u64>| {
        lines[&("own.lua".to_owned(), 4)] as f64 / lines.values().sum::<u64>() as f64
    };
    assert!((share(&sampled) - share(&lines)).abs() < 0.05, "{sampled:?}\n{lines:?}");
}

#[test]
fn tasks_trees_and_coroutines_count_for_whoever_runs_them() {
    let text = "local own = {}\n\
        function own.run(self)\n  while true do\n    local deep = coroutine.wrap(function()\n      for _ = 1, 50 do end\n      coroutine.yield()\n    end)\n    deep()\n    task.sleep(0.1)\n  end\nend\n\
        return own";
    let profile = one(text, profiled(1), 60);
    let run = profile.calls.iter().find(|(key, _)| key.callback == "run").unwrap();
    assert_eq!((run.0.who.file.as_str(), run.0.who.name.as_str()), ("own.lua", "anna"));
    assert!(run.1.calls >= 9 && run.1.fuel >= 450, "{run:?}");
    assert!(profile.by_line()[&("own.lua".to_owned(), 5)] >= 450, "{:?}", profile.by_line());
    assert!(run.1.nanoseconds >= run.1.calls * 100);
}

// ------ the command line

fn walkon(args: &[&str]) -> Output {
    Command::new(crate::place::program()).args(args).current_dir(crate::place::root()).output().unwrap()
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn files_of_other_tools_have_their_forms() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str| {
        let file = folder.path().join(name);
        let output =
            walkon(&["run", "levels/courtyard.json", "--seconds", "10", "--profile", file.to_str().unwrap()]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(file).unwrap()
    };
    let folded = run("court.folded");
    assert_eq!(folded, run("again.folded"), "fuel alone, so the same every time");
    let weights = folded.lines().map(|line| {
        let (stack, weight) = line.rsplit_once(' ').unwrap();
        assert!(stack.split(';').count() >= 3, "{line}");
        weight.parse::<u64>().unwrap()
    });
    let whole: u64 = weights.sum();
    let scope = json(&run("court.speedscope.json"));
    assert_eq!(scope["$schema"], "https://www.speedscope.app/file-format-schema.json");
    let fuel = &scope["profiles"][0];
    assert_eq!((fuel["type"].as_str(), fuel["endValue"].as_u64()), (Some("sampled"), Some(whole)));
    let frames = scope["shared"]["frames"].as_array().unwrap().len() as u64;
    let samples = fuel["samples"].as_array().unwrap();
    assert_eq!(samples.len(), fuel["weights"].as_array().unwrap().len());
    let numbers = samples.iter().flat_map(|stack| stack.as_array().unwrap());
    assert!(numbers.clone().count() > 0 && numbers.clone().all(|number| number.as_u64().unwrap() < frames));
    assert_eq!(scope["profiles"][1]["unit"], "nanoseconds");
    let chrome = json(&run("court.json"));
    let events = chrome["traceEvents"].as_array().unwrap();
    let tracks: Vec<&str> = events
        .iter()
        .filter(|event| event["ph"] == "M")
        .map(|event| event["args"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(tracks[0], "steps of the tick");
    assert!(["guard", "messenger", "level script"].iter().all(|name| tracks.contains(name)), "{tracks:?}");
    let spans: Vec<_> = events.iter().filter(|event| event["ph"] == "X").collect();
    assert!(spans.iter().all(|span| span["dur"].as_f64().unwrap() >= 0.0 && span["args"]["tick"].is_u64()));
    assert!(spans.iter().any(|span| span["name"] == "6 path requests" && span["tid"] == 0));
}

#[test]
fn a_profile_of_tests_is_the_sum_of_theirs_and_the_command_tables_a_level() {
    let folded = |jobs: &str| {
        let output = walkon(&[
            "test",
            "scripts/ruins_test.lua",
            "--jobs",
            jobs,
            "--profile",
            "-",
            "--profile-form",
            "folded",
        ]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let one = folded("1");
    assert!(one.contains("ruins.lua;level script;"), "{one}");
    assert_eq!(one, folded("2"));
    let table = walkon(&["profile", "levels/courtyard.json", "--seconds", "5", "--format", "json"]);
    let table = json(std::str::from_utf8(&table.stdout).unwrap());
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(table["fuel"].as_u64(), Some(rows.iter().map(|row| row["fuel"].as_u64().unwrap()).sum()));
    assert!(rows.windows(2).all(|two| two[0]["fuel"].as_u64() >= two[1]["fuel"].as_u64()));
    for by in ["character", "callback", "function", "line"] {
        let output = walkon(&["profile", "levels/courtyard.json", "--seconds", "5", "--by", by]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&format!("  {by} ")) && text.contains("guard.lua"), "{text}");
        assert!(!text.contains("(no file)"), "what belongs to no file has its name alone: {text}");
        assert_eq!(text.contains("  host load "), by == "callback", "{text}");
    }
}

#[test]
fn as_many_rows_are_shown_as_are_asked_for_in_both_forms() {
    let shown = |more: &[&str]| {
        let output = walkon(&[&["profile", "levels/courtyard.json", "--ticks", "60"], more].concat());
        assert!(output.status.success(), "{more:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let all = json(&shown(&["--format", "json"]))["rows"].as_array().unwrap().clone();
    assert!(all.len() > 2, "{all:?}");
    for top in [0, 1, all.len(), all.len() + 5] {
        let top_text = top.to_string();
        let one = json(&shown(&["--format", "json", "--top", &top_text]));
        let first = &all[..top.min(all.len())];
        let names =
            |rows: &[serde_json::Value]| rows.iter().map(|row| row["who"].clone()).collect::<Vec<_>>();
        assert_eq!(names(one["rows"].as_array().unwrap()), names(first), "{top}");
        let table = shown(&["--top", &top_text]);
        assert_eq!(table.contains(" more; --top "), top < all.len(), "{top}: {table}");
    }
    for by in ["line", "function"] {
        let table = shown(&["--by", by, "--every", "1000000"]);
        let said = "too few safepoints for a stack sample every 1000000; --every 1 samples each";
        assert!(table.contains(said) && !table.contains("worst tick"), "{table}");
        assert!(!shown(&["--by", by, "--every", "1"]).contains("too few safepoints"));
    }
}

#[test]
fn frames_that_are_no_code_of_a_script_have_no_rows() {
    let on = "return { on = { sent = function(self) for _ = 1, 300 do self.state.n = (self.state.n or 0) + 1 end end },
        update = function(self) event.send(self.character, 'sent') end }";
    let stacks = one(on, profiled(1), 20).stacks;
    let functions = || stacks.keys().flat_map(|key| &key.frames);
    assert!(functions().any(|function| function.file == "own.lua"), "{stacks:?}");
    assert!(functions().all(|function| ["", "own.lua"].contains(&function.file.as_str())), "{stacks:?}");
}

#[test]
fn what_no_profile_can_be_is_refused_before_the_run() {
    for (args, part) in [
        (&["run", "levels/courtyard.json", "--profile", "out.svg"][..], "out.svg: unknown profile format"),
        (&["test", "scripts/crypt_test.lua", "--profile", "out.json"], "a Chrome trace shows one run"),
        (&["run", "levels/courtyard.json", "--profile-form", "folded"], "--profile"),
        (&["run", "levels/courtyard.json", "--profile-every", "3"], "--profile"),
        (&["test", "scripts/crypt_test.lua", "--profile-every", "3"], "--profile"),
        (&["profile", "levels/courtyard.json", "--every", "0"], "expected a whole number from 1"),
    ] {
        let output = walkon(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(part), "{args:?}: {said}");
    }
}
