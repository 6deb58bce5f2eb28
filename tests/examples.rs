//! The examples of the library run, end well and print the same each time.
//!
//! A target of the library itself, because then cargo builds the examples before it.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::BTreeMap;
use std::process::Command;

use walkon::{
    Bound, Game, Host, Input, Level, MemorySource, Onlooker, Report, RunEnd, Setup, Severity, Tick, World,
    end_run, load, run_hosted,
};

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

/// A host that rings the bell in the third tick, through nothing but what stands at the root of the library.
struct Bell {
    seen: u64,
}

impl Host for Bell {
    fn inputs(&mut self, _: &World, tick: u64) -> Vec<Input> {
        if tick == 3 { vec![Input::event("bell")] } else { Vec::new() }
    }

    fn watch(&mut self, _: &World, recorded: &Tick) -> Onlooker {
        self.seen = recorded.number;
        Onlooker::GoOn
    }
}

#[test]
fn a_host_with_inputs_has_a_report() {
    let text = r#"{ "name": "yard", "script": "yard.lua",
        "navigation": { "areas": [{ "name": "yard", "polygon": [[0, 0], [9, 0], [9, 6], [0, 6]] }] },
        "characters": [{ "name": "anna", "position": [2, 3] }] }"#;
    let script = r#"
        function onStart()
            event.on("bell", function() world.character("anna"):walkTo(6, 3):wait() level.finish(true, "there") end)
        end"#;
    let game = || {
        let level = load("yard.json", &MemorySource::new().with("yard.json", text)).unwrap();
        let scripts = BTreeMap::from([("yard.lua".to_owned(), script.to_owned())]);
        Game::load(level, Setup { scripts, ..Setup::default() }).unwrap()
    };
    let bound = Bound { is_strict: true, ticks_max: 600, until: None };
    let mut bell = Bell { seen: 0 };
    let hosted: Report = run_hosted(&mut game(), &bound, &mut bell);
    assert_eq!((hosted.ended, hosted.ok, hosted.note.as_deref()), (RunEnd::Finish, true, Some("there")));
    assert_eq!((hosted.walks.arrived, hosted.last_tick.0), (1, bell.seen));
    let bell_rings = [Input::event("bell")];
    // A host with a loop of its own ends with the same report.
    let mut own = game();
    for tick in 1..=hosted.ticks {
        own.tick(if tick == 3 { &bell_rings } else { &[] });
    }
    let (_, report) = end_run(&mut own, &bound, RunEnd::Finish);
    assert_eq!(report, hosted);
}
