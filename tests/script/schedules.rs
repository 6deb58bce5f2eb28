//! `lib/schedule` and the clock, at their boundaries: midnight, late, reload, interruption, a clock that is
//! set.
//!
//! Method: the level tests of `schedules.lua` in a hall whose clock takes a second a minute, with the library
//! scripts of the repository; every test runs twice and must have the same hashes.

use std::collections::BTreeMap;
use std::sync::Arc;

use walkon_runtime::game::testing::{Suite, collect, run, seeds};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::script::vm::fuel::Signals;

const HALL: &str = r#"{ "clock": { "start": "8:00", "secondsPerMinute": 1 },
  "navigation": { "areas": [
    { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] },
    { "name": "corner", "polygon": [[20,8],[24,8],[24,12],[20,12]] }
  ] },
  "marks": { "desk": [22, 10], "canteen": [4, 4] },
  "characters": [{ "name": "anna", "position": [9.5, 10], "walkSpeed": 1.4 }],
  "script": "hall.lua"
}"#;

const WORKER: &str = r#"
local schedule = require("lib/schedule")

local worker = {}

local function arrived(self, appointment, late)
  table.insert(state.story, `arrive {appointment.name} {math.floor(late)}`)
end

local function stays(self, appointment)
  table.insert(state.story, `stay {appointment.name}`)
end

local PLAN = {
  { at = "8:00", name = "work", place = "desk", onArrive = arrived, stay = stays },
  { at = "12:00", name = "eat", place = "canteen", tolerance = 20, late = "skip", onArrive = arrived, stay = stays },
  { at = "22:00", name = "sleep", onArrive = arrived, stay = stays },
}

local function isHeld(self)
  return self.blackboard:get("held", false)
end

worker.tree = bt.selector({
  reactive = true,
  bt.when(isHeld, bt.wait(0.2)),
  bt.action(function(self)
    schedule.attend(self, PLAN)
  end),
})

return worker
"#;

#[test]
fn schedules_keep_their_boundaries() {
    let mut texts: BTreeMap<String, String> =
        crate::level::levels::scripts().into_iter().filter(|(name, _)| name.starts_with("lib/")).collect();
    texts.insert("schedules_test.lua".to_owned(), include_str!("schedules.lua").to_owned());
    texts.insert(
        "hall.lua".to_owned(),
        "function onStart(why) state.story = state.story or {} end".to_owned(),
    );
    texts.insert("behaviours/worker.lua".to_owned(), WORKER.to_owned());
    let levels = ["hall".to_owned()];
    let tests =
        collect(&texts, "schedules_test.lua", &levels, Arc::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut suite = Suite {
        debugger: None,
        profile: None,
        scripts: &texts,
        load_level: &mut |_| {
            let source = MemorySource::new().with("hall.json", HALL);
            load("hall.json", &source).map_err(|refused| refused.to_string())
        },
        signals: Arc::new(Signals::default()),
        goes_on: &mut || true,
    };
    let mut wrong = Vec::new();
    for (index, test) in tests.iter().enumerate() {
        let result = run(&mut suite, test, index, seeds(test, None)).expect("nobody stops it");
        if !result.passed {
            let (name, line, message) = (&result.name, result.line, &result.message);
            wrong.push(format!("{name} (line {line}): {:?} {message:?}", result.outcome));
        }
    }
    assert!(tests.len() >= 9, "{} tests", tests.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a level script says of a level with this text in place of its clock.
fn said(clock: &str, script: &str) -> Vec<String> {
    let json = HALL.replace(r#""clock": { "start": "8:00", "secondsPerMinute": 1 },"#, clock);
    let level = load("hall.json", &MemorySource::new().with("hall.json", json.as_str())).unwrap();
    let scripts = BTreeMap::from([("hall.lua".to_owned(), script.to_owned())]);
    let options = walkon_runtime::game::recorder::RecordOptions {
        trace: true,
        ..walkon_runtime::game::recorder::RecordOptions::default()
    };
    let recorder = walkon_runtime::game::recorder::Recorder::new(options);
    let mut game = Game::load(level, Setup { scripts, recorder, ..Setup::default() }).unwrap();
    let mut lines = game.start_facts().lines;
    for _ in 0..90 {
        lines.extend(game.tick(&[]).lines);
    }
    let lines = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let told = lines.filter(|line| line["e"] == "log" || line["e"] == "scriptFault");
    told.map(|line| line["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn scripts_read_and_set_the_clock_and_hear_that_it_was_set() {
    let script = "        function onStart()\n  event.on(\"clockChanged\", function() log.info(\"changed %s\", clock.text) end)\n\
        log.info(\"%s %d %s %s\", clock.text, clock.day, clock.paused, clock.exists)\n\
        log.info(\"%.3f %.3f\", clock.secondsUntil(\"8:30\"), clock.secondsUntil(480))\n\
        log.info(\"%s %s\", clock.isBetween(\"7:00\", \"9:00\"), clock.isBetween(\"22:00\", \"8:00\"))\n\
        clock.set(\"7:30\")\n  clock.setPace(0.5)\n  clock.pause()\n\
        log.info(\"%d %s\", clock.day, clock.secondsUntil(\"8:30\"))\n\
        timer.after(1, function() clock.resume() log.info(\"%s\", clock.text) end)\nend";
    let expected = [
        "08:00 1 false true",
        "30.000 1440.000",
        "true false",
        "2 inf",
        "changed 07:30",
        "07:30",
        "changed 07:30",
    ];
    assert_eq!(said(r#""clock": { "secondsPerMinute": 1 },"#, script), expected);
}

#[test]
fn a_level_without_a_clock_says_so_and_has_the_hash_it_had() {
    let script = "function onStart() log.info(\"%s\", clock.exists) log.info(\"%s\", clock.text) end";
    let told = said("", script);
    assert_eq!(told[0], "false");
    assert!(
        told[1].contains("clock.text: the level has no time of day; give it the key \"clock\""),
        "{told:?}"
    );
}

#[test]
fn what_is_no_time_of_day_is_refused_where_it_stands() {
    for (clock, part) in [
        (r#""clock": { "start": "24:00" },"#, "expected a time of day from \"0:00\" to \"23:59\""),
        (r#""clock": { "start": 8 },"#, "expected a time of day such as \"6:30\""),
        (r#""clock": { "secondsPerMinute": 0 },"#, "0.001 to 3600"),
        (r#""clock": { "begin": "8:00" },"#, "begin"),
    ] {
        let json = HALL.replace(r#""clock": { "start": "8:00", "secondsPerMinute": 1 },"#, clock);
        let refused = load("hall.json", &MemorySource::new().with("hall.json", json.as_str())).unwrap_err();
        assert!(refused.to_string().contains(part), "{refused}");
    }
}
