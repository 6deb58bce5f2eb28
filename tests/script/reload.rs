//! Hot reload: changed texts against running levels.
//!
//! Each test runs a little level, gives it changed texts as a host would, and compares the lines that
//! scripts, reloads and faults left: `tick: text` for what was logged, `tick! text` for faults,
//! `tick? what why` for notices, `tick+ files` for reloads that took effect, `tick- message` for those that
//! were refused.

use std::collections::BTreeMap;

use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::inputs::{Input, LevelTexts, Reload};
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};

use crate::long_form::number;

/// One open room of 20 x 20 m, a closet without a door, and three people.
const LEVEL: &str = r#"{
  "seed": 7, SCRIPT
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
    { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] } ] },
  "marks": { "post": [3,3], "near": [3.5,3], "far": [15,3] },
  "regions": [ { "name": "corner", "centre": [3,3], "radius": 1 } ],
  "characters": [
    { "name": "anna", "position": [3,3] BEHAVIOUR_ANNA },
    { "name": "ben", "position": [3,8] BEHAVIOUR_BEN },
    { "name": "carl", "position": [3,12] } ]
}"#;

pub(crate) struct Run {
    pub(crate) game: Game,
    lines: Vec<String>,
    facts: Vec<serde_json::Value>,
}

impl Run {
    /// Scripts by path; `level.lua` is the level script, `anna.lua` and `ben.lua` are the behaviours of those
    /// two.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let has = |name: &str| files.iter().any(|(file, _)| *file == name);
        let mut json = LEVEL.to_owned();
        for (slot, file) in [("BEHAVIOUR_ANNA", "anna.lua"), ("BEHAVIOUR_BEN", "ben.lua")] {
            let given = if has(file) { format!(", \"behaviour\": \"{file}\"") } else { String::new() };
            json = json.replace(slot, &given);
        }
        json = json.replace("SCRIPT", if has("level.lua") { r#""script": "level.lua","# } else { "" });
        Self::on(&json, files)
    }

    pub(crate) fn on(json: &str, files: &[(&str, &str)]) -> Self {
        let source = MemorySource::new().with("reload.json", json);
        let level = load("reload.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
        let scripts = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let options = RecordOptions { trace: true, ..RecordOptions::default() };
        let setup = Setup { scripts, recorder: Recorder::new(options), ..Setup::default() };
        let mut game = Game::load(level, setup).unwrap_or_else(|error| panic!("{error}"));
        let start = game.start_facts().lines;
        let mut run = Self { game, lines: Vec::new(), facts: Vec::new() };
        run.take(&start);
        run
    }

    fn take(&mut self, lines: &[String]) {
        for line in lines {
            let fact: serde_json::Value = serde_json::from_str(line).expect("a trace line is JSON");
            let text = |key: &str| fact[key].as_str().unwrap_or_default();
            let tick = &fact["t"];
            let told = match fact["e"].as_str().unwrap_or_default() {
                "log" => Some(format!("{tick}: {}", text("message"))),
                "scriptFault" => Some(format!("{tick}! {}", text("message"))),
                "notice" => Some(format!("{tick}? {} {}", text("what"), text("why"))),
                "reloaded" => {
                    let files: Vec<&str> =
                        fact["files"].as_object().unwrap().keys().map(String::as_str).collect();
                    let notes = fact["notes"].as_array().into_iter().flatten();
                    let notes: String = notes.map(|note| format!("; {}", note.as_str().unwrap())).collect();
                    Some(format!("{tick}+ {}{notes}", files.join(" ")))
                }
                "reloadRefused" => Some(format!("{tick}- {}", text("message"))),
                _ => None,
            };
            self.lines.extend(told);
            self.facts.push(fact);
        }
    }

    pub(crate) fn ticks(&mut self, count: u64) -> &mut Self {
        for _ in 0..count {
            self.input(&[]);
        }
        self
    }

    pub(crate) fn input(&mut self, inputs: &[Input]) -> &mut Self {
        let recorded = self.game.tick(inputs);
        self.take(&recorded.lines);
        self
    }

    /// One tick with these texts changed; an empty text stands for a deleted file.
    pub(crate) fn reload(&mut self, files: &[(&str, &str)]) -> &mut Self {
        let texts = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (!text.is_empty()).then(|| (*text).to_owned())));
        let scripts: BTreeMap<String, Option<String>> = texts.collect();
        self.input(&[Input::Reload(Reload { scripts, level: None })])
    }

    pub(crate) fn taken(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// Forgets the facts so far.
    pub(crate) fn forget(&mut self) {
        self.facts.clear();
        self.lines.clear();
    }

    /// Facts so far but for those of some kinds, as text.
    pub(crate) fn facts_but(&self, kinds: &[&str]) -> Vec<String> {
        let is_asked = |fact: &&serde_json::Value| !kinds.iter().any(|kind| fact["e"] == *kind);
        self.facts.iter().filter(is_asked).map(ToString::to_string).collect()
    }

    /// Facts of one kind so far.
    pub(crate) fn facts(&self, kind: &str) -> Vec<&serde_json::Value> {
        self.facts.iter().filter(|fact| fact["e"] == kind).collect()
    }
}

/// A behaviour that says what it does: `name` in front, `extra` behind.
pub(crate) fn diary(name: &str, extra: &str) -> String {
    format!(
        r#"local b = {{}}
        function b:init() self.state.count = 0 log.info("{name} init") end
        function b:start(why) self.state.count += 1 log.info("{name} start %s %d", why, self.state.count) end
        function b:stop(why) log.info("{name} stop %s", why) end
        {extra}
        return b"#
    )
}

#[test]
fn a_changed_behaviour_stops_keeps_its_state_and_starts_in_the_same_step() {
    let mut run = Run::of(&[("anna.lua", &diary("old", "")), ("ben.lua", &diary("ben", ""))]);
    run.ticks(2);
    run.taken();
    let new = diary("new", "function b:run() log.info(\"new run\") end");
    run.reload(&[("anna.lua", &new)]).ticks(2);
    assert_eq!(run.taken(), ["3: old stop reload", "3: new start reload 2", "3+ anna.lua", "3: new run"]);
    assert_eq!(run.game.reload_count(), 1);
    assert_eq!(run.game.scripts().unwrap().stale_closures(), 0);
}

/// A running diary, changed to `text`, is refused with a message that begins with `message`, and runs on.
fn keeps_old(text: &str, message: &str) {
    let mut run = Run::of(&[("anna.lua", &diary("old", ""))]);
    run.ticks(1);
    run.taken();
    run.reload(&[("anna.lua", text)]).ticks(1);
    let lines = run.taken();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with(&format!("2- {message}")), "{lines:?}");
    assert_eq!((run.game.fault_count(), run.game.reload_count()), (0, 0));
    assert!(!run.game.is_memory_exhausted());
    run.reload(&[("anna.lua", &diary("new", ""))]).ticks(1);
    assert_eq!(run.taken(), ["4: old stop reload", "4: new start reload 2", "4+ anna.lua"]);
}

#[test]
fn fault_e1_a_syntax_error_keeps_the_old_code() {
    keeps_old("local b = {}\nfunction b:start(\nreturn b", "anna.lua:");
}

#[test]
fn fault_e2_a_runtime_error_in_the_new_body_keeps_the_old_code() {
    keeps_old("local b = {}\nb.x = b.nothing.at_all\nreturn b", "anna.lua:2: attempt to index nil");
    keeps_old("return 7", "anna.lua:1: the file returns 7");
    keeps_old("world.character(\"anna\")\nreturn {}", "anna.lua:1: world.character: there is no world");
}

#[test]
fn fault_e3_an_endless_loop_in_the_new_body_ends_at_the_load_budget() {
    keeps_old("while true do end", "anna.lua:1: stopped after 1000000 steps");
}

#[test]
fn fault_e3_a_memory_bomb_in_the_new_body_ends_by_what_it_asks_for() {
    let bomb = "heap = {}\nwhile true do heap[#heap + 1] = table.create(100000, 1) end";
    keeps_old(bomb, "anna.lua:2: stopped after");
}

#[test]
fn fault_e7_a_deleted_file_runs_on_and_comes_back_by_a_reload() {
    let mut run = Run::of(&[("anna.lua", &diary("old", ""))]);
    run.ticks(1);
    run.taken();
    run.reload(&[("anna.lua", "")]).ticks(2);
    assert_eq!(run.taken(), ["2+ anna.lua; anna.lua was deleted; its running code runs on"]);
    run.reload(&[("anna.lua", &diary("new", ""))]);
    assert_eq!(run.taken(), ["5: old stop reload", "5: new start reload 2", "5+ anna.lua"]);
}

#[test]
fn fault_e8_a_renamed_file_is_found_anew_by_the_name_that_asks_for_it() {
    let anna = diary("anna", "local say = require(\"say\") function b:update() say() end");
    let say = |word: &str| format!("return function() if level.tick == 4 then log.info(\"{word}\") end end");
    let mut run = Run::of(&[("anna.lua", &anna), ("one/say.lua", &say("one"))]);
    run.ticks(1);
    run.taken();
    run.reload(&[("one/say.lua", ""), ("two/say.lua", &say("two"))]);
    let lines = run.taken();
    assert!(lines.contains(&"2: anna start reload 2".to_owned()), "{lines:?}");
    run.ticks(3);
    assert_eq!(run.taken(), ["4: two"]);
}

#[test]
fn fault_e9_the_same_text_is_no_reload() {
    let anna = diary("old", "");
    let mut run = Run::of(&[("anna.lua", &anna)]);
    run.ticks(1);
    run.taken();
    run.reload(&[("anna.lua", &anna)]).ticks(1);
    assert_eq!(run.taken(), Vec::<String>::new());
    assert!(run.facts("reloaded").is_empty());
}

const WALKER: &str = r#"local b = {}
    function b:start(why) if why == "attach" then self.character:walkTo("far", { HANDLERS }) end end
    function b:arrive(result) log.info("NAME arrives %s", result.reason) end
    TAIL
    return b"#;

fn walker(name: &str, handlers: &str, tail: &str) -> String {
    WALKER.replace("HANDLERS", handlers).replace("NAME", name).replace("TAIL", tail)
}

#[test]
fn fault_e11_a_walk_goes_on_and_its_named_handler_is_the_new_one() {
    let handlers = "onArrived = \"arrive\"";
    let mut run = Run::of(&[("anna.lua", &walker("old", handlers, ""))]);
    run.ticks(30);
    let position = |run: &Run| {
        let world = run.game.world();
        world.character(world.find_character("anna").unwrap()).unwrap().body.position
    };
    let before = position(&run);
    run.reload(&[("anna.lua", &walker("new", handlers, ""))]);
    let moved = (position(&run) - before).length();
    assert!(moved > 0.01 && moved < 0.05, "one tick of walking: {moved}");
    run.ticks(700);
    let told: Vec<String> = run.taken().into_iter().filter(|line| line.contains("arrives")).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].ends_with("new arrives reached"), "{told:?}");
}

/// Handlers that the fuel of a tick leaves over wait for the new code, the last 64 of them; nobody was held.
#[test]
fn events_that_a_reload_drops_are_told_as_its_own() {
    let anna = "local b = {}
        function b:start() for _ = 1, 200 do event.on('bell', 'ring') end end
        function b:ring() for _ = 1, 20000 do end self.state.rung = (self.state.rung or 0) + 1 end
        return b";
    let level = "function onTick()
        if level.tick == 2 then event.emit('bell') end
        if level.tick == 3 or level.tick == 20 then log.info('%d rung', world.character('anna').behaviour.state.rung) end
    end";
    let mut run = Run::of(&[("anna.lua", anna), ("level.lua", level)]);
    run.ticks(2).reload(&[("anna.lua", &anna.replace("20000", "1"))]).ticks(20);
    let told = run.taken();
    let rung = |told: &[String]| -> Vec<u32> {
        let numbers = told.iter().filter_map(|line| line.split_once(": ")?.1.strip_suffix(" rung"));
        numbers.map(|number| number.parse().unwrap()).collect()
    };
    let [before, after] = rung(&told)[..] else { panic!("{told:#?}") };
    assert_eq!(after, before + 64, "{told:#?}");
    let dropped = 200 - before - 64;
    let warning = format!(
        "behaviour \"anna\" of \"anna\" was held, or reloaded amid its events: the oldest of them were dropped ({dropped}), \
         the last 64 are kept"
    );
    assert!(told.iter().any(|line| line.ends_with(&warning)), "{warning}: {told:#?}");
}

#[test]
fn fault_e12_the_result_of_a_dropped_handler_goes_to_on_walk_settled_or_is_undelivered() {
    let handlers = "onArrived = function() log.info(\"never\") end";
    let tail = "function b:onWalkSettled(result) log.info(\"settled %s\", result.reason) end";
    for (tail, expected) in [(tail, "settled reached"), ("", "undelivered reloaded")] {
        let mut run = Run::of(&[("anna.lua", &walker("old", handlers, ""))]);
        run.ticks(5).reload(&[("anna.lua", &walker("new", handlers, tail))]);
        run.taken();
        run.ticks(700);
        let lines = run.taken();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].ends_with(expected), "{lines:?}");
    }
}

#[test]
fn fault_e14_a_state_that_is_no_plain_data_is_a_fault_that_names_the_key() {
    let bad = diary("old", "function b:update() self.state.target = { fn = print } end");
    let mut run = Run::of(&[("anna.lua", &bad)]);
    run.ticks(1);
    // Where the call ends that put it there, not first at a reload; and once, though it stays.
    let line = 1 + bad[..bad.find("fn = print").unwrap()].matches('\n').count();
    let what = "self.state.target.fn is a function, expected plain data";
    let fault = run.facts("scriptFault")[0];
    let message = format!("anna.lua:{line}: behaviour \"anna\" of \"anna\": {what}");
    assert_eq!(
        (fault["t"].as_u64(), fault["file"].as_str(), fault["callback"].as_str(), fault["message"].as_str()),
        (Some(1), Some("anna.lua"), Some("state"), Some(message.as_str())),
        "{fault}"
    );
    run.ticks(20);
    assert_eq!(run.facts("scriptFault").len(), 1);
    run.taken();
    // The new code comes all the same, and is told what it does not get.
    run.reload(&[("anna.lua", &diary("new", ""))]);
    let left_out = "behaviour \"anna\" of \"anna\": self.state.target.fn is a function and was not kept";
    let lines = run.taken();
    assert!(lines.contains(&format!("22+ anna.lua; {left_out}")), "{lines:?}");
    assert!(lines.iter().any(|line| line.ends_with("new start reload 2")), "the count was kept: {lines:?}");
}

/// Everything that code may leave behind, each in a script of its own, and what is said of it when other code
/// comes.
#[test]
fn whatever_the_old_code_has_left_behind_new_code_is_taken() {
    let keep = "function b:init() self.state.count = 7 end function b:start(why) log.info('%s %s %s', why, self.state.count, self.state.bad) end";
    let cases = [
        ("self.state.bad = print", "self.state.bad is a function and was not kept"),
        ("self.state.bad = { deep = { print } }", "self.state.bad.deep[1] is a function and was not kept"),
        ("self.state.bad = self.state", "self.state.bad is a recursive table and was not kept"),
        (
            "self.state.bad = setmetatable({}, {})",
            "self.state.bad is a table with a metatable and was not kept",
        ),
        ("self.state.bad = self.character:walkTo('far')", "was not kept"),
        ("self.state.bad = ('x'):rep(300000)", "self.state.bad is too large and was not kept"),
        ("self.state.bad = 0/0", "self.state.bad is NaN and was not kept"),
        (
            "self.state[self.character] = 1",
            "a key that is neither a name nor a whole number and was not kept",
        ),
        ("self.state = 5", "self.state is 5, expected a table and was not kept"),
        ("self.state = nil", "self.state is nil, expected a table and was not kept"),
        ("timer.every(1, 'gone')", "handler \"gone\" is missing and its timers ended"),
    ];
    for (what, said) in cases {
        let old = format!(
            "local b = {{}} {keep} function b:gone() end function b:update() if level.tick == 2 then {what} end end return b"
        );
        let new = format!("local b = {{}} {keep} return b");
        let mut run = Run::of(&[("anna.lua", &old)]);
        run.ticks(3);
        run.taken();
        run.reload(&[("anna.lua", &new)]);
        let lines = run.taken();
        let taken = lines.iter().find(|line| line.starts_with("4+ anna.lua"));
        assert!(taken.is_some_and(|line| line.contains(said)), "{what}: {lines:?}");
        // What was kept is there, and what was not has its default.
        assert!(
            lines.iter().any(|line| line == "4: reload 7 nil" || line.starts_with("4: reload 7 table")),
            "{what}: {lines:?}"
        );
        run.reload(&[("anna.lua", &old)]);
        let lines = run.taken();
        assert!(lines.iter().any(|line| line.starts_with("5+ anna.lua")), "{what}, back again: {lines:?}");
    }
}

/// Law: whatever was saved before, in whatever order, files that are right take effect when they are saved.
#[test]
fn no_state_of_files_keeps_good_files_out() {
    let good = |word: &str| {
        let anna = format!("local b = {{}} function b:init() self.state.count = 0 end function b:on{word}() end
            function b:start() self.state.count = (self.state.count or 0) + 1 timer.every(0.05, 'on{word}') self.character:walkTo('far') end
            function b:update() self.state.word = '{word}' log.info('anna {word}') end return b");
        let level = format!("local lib = require('lib') function onStart() state.word = lib.word timer.every(0.05, 'on{word}') end
            function on{word}() end function onTick() log.info('level {word} %s', lib.word) end");
        [("anna.lua", anna), ("level.lua", level), ("lib.lua", format!("return {{ word = '{word}' }}"))]
    };
    let bad = [
        ("anna.lua", "return {"),
        ("anna.lua", "return 7"),
        ("anna.lua", "error('no')"),
        ("anna.lua", "return { version = 2 }"),
        ("anna.lua", "return { version = 3, migrate = function(self) self.state.fn = print end }"),
        ("anna.lua", "return { start = function() error('no') end }"),
        ("anna.lua", "return { start = function(self) self.state.fn = print self.state.word = {} end }"),
        ("anna.lua", "return { params = { p = { type = 'number' } } }"),
        ("anna.lua", "return { start = function(self) self.state = nil error('no') end }"),
        ("anna.lua", "return { update = function(self) self.state.fn = print error('no') end }"),
        ("anna.lua", "return { stop = function(self) self.state = print error('no') end }"),
        ("anna.lua", ""),
        ("level.lua", "function onStart() state.fn = print error('no') end"),
        ("level.lua", "function onTick() state.fn = { deep = print } error('no') end"),
        ("level.lua", "function onStop() error('no') end"),
        ("level.lua", "require('nothing')"),
        ("level.lua", ""),
        ("lib.lua", "local x ="),
        ("lib.lua", "return { word = print }"),
        ("lib.lua", "return require('level')"),
        ("lib.lua", ""),
        ("lib.luau", "return { word = 'other' }"),
        ("lib.luau", ""),
        ("anna.luau", "return {}"),
        ("anna.luau", ""),
    ];
    let words = ["One", "Two", "Three"];
    for seed in 0..40_u64 {
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut draw = |below: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % below as u64) as usize
        };
        let first = good("Zero");
        let files: Vec<(&str, &str)> = first.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let mut run = Run::of(&files);
        let mut story = Vec::new();
        for _ in 0..8 {
            run.ticks(draw(5) as u64);
            let mut saved: BTreeMap<&str, String> = BTreeMap::new();
            for _ in 0..=draw(2) {
                if draw(3) == 0 {
                    let mut good = good(words[draw(3)]);
                    let (path, text) = std::mem::take(&mut good[draw(3)]);
                    saved.insert(path, text);
                } else {
                    let (path, text) = bad[draw(bad.len())];
                    saved.insert(path, text.to_owned());
                }
            }
            story.push(format!("{saved:?}"));
            let saved: Vec<(&str, &str)> = saved.iter().map(|(path, text)| (*path, text.as_str())).collect();
            run.reload(&saved);
        }
        let last = good("Last");
        let mut files: Vec<(&str, &str)> = last.iter().map(|(path, text)| (*path, text.as_str())).collect();
        files.extend([("lib.luau", ""), ("anna.luau", "")]);
        run.taken();
        run.reload(&files);
        let lines = run.taken();
        run.ticks(3);
        let after = run.taken();
        let story = story.join("\n");
        assert!(
            after.iter().any(|line| line.ends_with("anna Last")),
            "seed {seed}: {lines:?} {after:?}\n{story}"
        );
        assert!(
            after.iter().any(|line| line.ends_with("level Last Last")),
            "seed {seed}: {lines:?} {after:?}\n{story}"
        );
    }
}

/// Files that require one another, and fit where they are of one kind: a file of the other kind faults in its
/// `start`, in its body or where it is required.
const PARTS: [&str; 5] = ["anna.lua", "ben.lua", "level.lua", "lib.lua", "mid.lua"];

/// A file of a kind, saved as the `turn`-th, with a mistake in its body or none.
fn part(file: &str, kind: usize, turn: usize, mistake: &str) -> String {
    let own = format!("{file} {kind} {turn}");
    let says = |needs: &str| format!("log.info('begun {own} %s', {needs}.word{kind}())");
    let needs = if matches!(file, "mid.lua" | "ben.lua") { "lib" } else { "mid" };
    // A file of the other kind has no such function.
    let does = match file {
        "lib.lua" => return format!("{mistake} return {{ word{kind} = function() return '{own}' end }}"),
        "mid.lua" => format!("return {{ word{kind} = function() return '{own}, ' .. lib.word{kind}() end }}"),
        "level.lua" => format!("function onStart() {} end", says(needs)),
        _ => format!("return {{ start = function() {} end }}", says(needs)),
    };
    format!("local {needs} = require('{needs}') {mistake} {does}")
}

/// The same with a fault in its `start`, if it has one.
fn faulting(file: &str, kind: usize, turn: usize) -> String {
    part(file, kind, turn, "").replace("log.info(", "error('in start') log.info(")
}

/// Law: whatever was saved before, together or one after the other, once all files on the disk are right all
/// of them run, and nothing waits: what was right all the time need not be saved again.
#[test]
fn once_all_files_are_right_all_of_them_run() {
    for seed in 0..number("WALKON_SAVES", 150) as u64 {
        let mut rng = walkon_runtime::base::rng::Rng::stream(seed, "saves");
        let mut draw = |below: usize| rng.below(below as u64) as usize;
        let mut turn = 0;
        let mut disk: BTreeMap<&str, (String, bool)> =
            PARTS.into_iter().map(|file| (file, (part(file, 0, 0, ""), true))).collect();
        let texts: Vec<(&str, String)> = disk.iter().map(|(file, (text, _))| (*file, text.clone())).collect();
        let files: Vec<(&str, &str)> = texts.iter().map(|(file, text)| (*file, text.as_str())).collect();
        let mut run = Run::of(&files);
        let mut story = Vec::new();
        let mut save = |run: &mut Run,
                        disk: &mut BTreeMap<&str, (String, bool)>,
                        given: &[(&'static str, String, bool)]| {
            for (file, text, is_right) in given {
                disk.insert(file, (text.clone(), *is_right));
            }
            let files: Vec<(&str, &str)> =
                given.iter().map(|(file, text, _)| (*file, text.as_str())).collect();
            run.taken();
            run.reload(&files);
            story.push(format!("{files:?}\n  {:?}", run.taken()));
        };
        for _ in 0..1 + draw(6) {
            let mut given = Vec::new();
            for file in PARTS {
                if draw(3) > 0 {
                    continue;
                }
                turn += 1;
                let (kind, how) = (draw(2), draw(6));
                let text = match how {
                    0..3 => part(file, kind, turn, ""),
                    3 => faulting(file, kind, turn),
                    4 => part(file, kind, turn, "error('in body')"),
                    _ => part(file, kind, turn, "local x = = 1"),
                };
                // Those that are the last of the right kind stay as they are.
                given.push((file, text, kind == 1 && how < 3));
            }
            if !given.is_empty() {
                save(&mut run, &mut disk, &given);
            }
        }
        // The rest is mended, in one save or in several, in any order.
        let is_wrong = |disk: &BTreeMap<&str, (String, bool)>, file: &str| {
            let (text, is_right) = &disk[file];
            !is_right || !text.contains("word1")
        };
        let mut wrong: Vec<&'static str> = PARTS.into_iter().filter(|file| is_wrong(&disk, file)).collect();
        while !wrong.is_empty() {
            let count = 1 + draw(wrong.len());
            let mut given = Vec::new();
            for _ in 0..count {
                turn += 1;
                let file = wrong.remove(draw(wrong.len()));
                given.push((file, part(file, 1, turn, ""), true));
            }
            save(&mut run, &mut disk, &given);
        }
        // All of it runs: what was begun last is what is on the disk. To see it, everything begins again.
        let story = story.join("\n");
        run.taken();
        turn += 1;
        let lib = part("lib.lua", 1, turn, "");
        disk.insert("lib.lua", (lib.clone(), true));
        run.reload(&[("lib.lua", &lib)]);
        let lines = run.taken();
        let own = |file: &str| {
            let text = &disk[file].0;
            let at = text.find(&format!("{file} 1 ")).unwrap_or_else(|| panic!("{file} of {text}"));
            text[at..].split([' ', '\'', ',']).take(3).collect::<Vec<_>>().join(" ")
        };
        let (mid, lib) = (format!("{}, {}", own("mid.lua"), own("lib.lua")), own("lib.lua"));
        for (file, needs) in [("anna.lua", &mid), ("level.lua", &mid), ("ben.lua", &lib)] {
            let begun = format!("begun {} {needs}", own(file));
            assert!(
                lines.iter().any(|line| line.ends_with(&begun)),
                "seed {seed}: {begun} is none of {lines:?}\n{story}"
            );
        }
        let taken = lines.iter().filter(|line| line.contains("+ ")).collect::<Vec<_>>();
        assert!(taken.len() == 1 && taken[0].ends_with("+ lib.lua"), "seed {seed}: {lines:?}\n{story}");
    }
}

#[test]
fn a_right_file_comes_with_the_mended_one_that_it_was_saved_with() {
    let behaviour = |name: &str, start: &str| {
        format!("local b = {{}} function b:start(why) {start} log.info('{name} %s', why) end return b")
    };
    for is_between in [false, true] {
        let mut run = Run::of(&[("anna.lua", &behaviour("a1", "")), ("ben.lua", &behaviour("b1", ""))]);
        run.ticks(1);
        let torn = behaviour("a2", "error('torn')");
        run.reload(&[("anna.lua", &torn), ("ben.lua", &behaviour("b2", ""))]);
        run.taken();
        if is_between {
            run.reload(&[("other.lua", "return 1")]);
            assert!(run.taken().contains(&"3: b2 reload".to_owned()), "what is not wrong is not held back");
        }
        run.reload(&[("anna.lua", &behaviour("a3", ""))]);
        let lines = run.taken();
        assert!(lines.iter().any(|line| line.ends_with("a3 reload")), "{lines:?}");
        assert_eq!(lines.iter().any(|line| line.ends_with("b2 reload")), !is_between, "{lines:?}");
    }
}

/// Law: a wrong file is told with its own mistake when it is saved, whatever else waits, and the mistake of
/// what waits is told behind it.
#[test]
fn a_wrong_file_is_told_with_its_own_mistake_whatever_else_waits() {
    let waiting = ["local x =", "error('no')", "while true do end", "return require('lib')"];
    let wrong = [
        ("return {", "Expected"),
        ("return 7", "returns 7"),
        ("error('torn')", "torn"),
        ("return { version = 2 }", "version is 2"),
        ("return { start = function() error('early') end }", "early"),
        ("return { params = { p = { type = 'number' } } }", "params.p"),
    ];
    for other in waiting {
        for (text, mistake) in wrong {
            let level = "local lib = require('lib') function onTick() end";
            let mut run =
                Run::of(&[("anna.lua", "return {}"), ("level.lua", level), ("lib.lua", "return { 1 }")]);
            run.ticks(1);
            run.reload(&[("lib.lua", other)]);
            run.forget();
            run.reload(&[("anna.lua", text)]);
            let told = run.facts("reloadRefused");
            let row = format!("{text} while {other} waits: {told:?}");
            assert_eq!(told.len(), 1, "{row}");
            assert_eq!(told[0]["file"], "anna.lua", "{row}");
            assert!(told[0]["message"].as_str().unwrap().contains(mistake), "{row}");
            let behind = run.facts("log").iter().any(|line| line["file"] == "lib.lua");
            // What does not compile is not tried with what waits.
            assert_eq!(behind, mistake != "Expected", "{row}, then {:?}", run.facts("log"));
        }
    }
}

#[test]
fn fault_e15_another_version_migrates_its_state_or_everything_goes_back() {
    let version = |number: u32, migrate: &str| {
        diary(&format!("v{number}"), &format!("b.version = {number} function b:migrate(from) {migrate} end"))
    };
    let mut run = Run::of(&[("anna.lua", &version(1, ""))]);
    run.ticks(1);
    run.taken();
    run.reload(&[("anna.lua", &version(2, "self.state.count = 7 error(\"no\")"))]);
    let lines = run.taken();
    assert_eq!(lines[..2], ["2: v1 stop reload", "2: v1 start reload 2"]);
    assert!(lines[2].starts_with("2- anna.lua:") && lines[2].ends_with(": no"), "{lines:?}");
    run.reload(&[("anna.lua", &version(3, "self.state.count = self.state.count * 10 + from"))]);
    assert_eq!(run.taken(), ["3: v1 stop reload", "3: v3 start reload 22", "3+ anna.lua"]);
    let bare = diary("v4", "b.version = 4");
    run.reload(&[("anna.lua", &bare)]);
    let lines = run.taken();
    assert!(lines[0].contains("expected a function migrate"), "{lines:?}");
}

#[test]
fn fault_e16_everything_that_requires_a_changed_file_reloads_with_it_or_nothing_does() {
    let user = |name: &str| {
        diary(
            name,
            &format!(
                "local util = require(\"util\") function b:run() log.info(\"{name} \" .. util.word) end"
            ),
        )
    };
    let files = [
        ("anna.lua", user("anna")),
        ("ben.lua", user("ben")),
        ("util.lua", "return { word = \"one\" }".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let mut run = Run::of(&files);
    run.ticks(1);
    run.taken();
    run.reload(&[("util.lua", "return { word = \"two\" }")]);
    let expected = [
        "2: anna stop reload",
        "2: anna start reload 2",
        "2: ben stop reload",
        "2: ben start reload 2",
        "2+ util.lua",
        "2: anna two",
        "2: ben two",
    ];
    assert_eq!(run.taken(), expected);
    let broken = user("ben")
        .replace("function b:start", "function b:start(why) error(\"broken\") end\nfunction b:begin");
    run.reload(&[("util.lua", "return { word = \"three\" }"), ("ben.lua", &broken)]);
    let lines = run.taken();
    assert!(
        lines.iter().any(|line| line.starts_with("3- ben.lua:") && line.ends_with(": broken")),
        "{lines:?}"
    );
    assert_eq!(lines[lines.len() - 2..], ["3: anna two", "3: ben two"], "{lines:?}");
}

/// Law: what was refused before for its own text or for that of another file, and is right with what is saved
/// now, changes with it in one unit: each instance stops and starts once, and no old code sees new code.
#[test]
fn a_save_that_mends_others_changes_all_of_them_once() {
    let cook = |word: &str| {
        diary(
            &format!("cook {word}"),
            "local util = require('util') function b:update() log.info('%s', util.word) end",
        )
        .replace("start %s %d\", why", &format!("start %s %d {word} %s\", why"))
        .replace(
            "self.state.count) end\n        function b:stop",
            "self.state.count, require('util').word) end\n        function b:stop",
        )
    };
    let util = |word: &str| format!("return {{ word = '{word}' }}");
    let broken = ["return {", "error('torn')", "return require('nothing')"];
    for mistake in broken {
        // What is saved with the mistake in `util.lua`, and then with that file mended.
        for (first, then) in [(true, false), (false, false), (true, true)] {
            let mut run = Run::of(&[("anna.lua", &cook("old")), ("util.lua", &util("one"))]);
            run.ticks(1);
            let (new, newer, two) = (cook("new"), cook("newer"), util("two"));
            match first {
                true => run.reload(&[("util.lua", mistake), ("anna.lua", &new)]),
                false => run.reload(&[("util.lua", mistake)]).reload(&[("anna.lua", &new)]),
            };
            run.taken();
            match then {
                true => run.reload(&[("util.lua", &two), ("anna.lua", &newer)]),
                false => run.reload(&[("util.lua", &two)]),
            };
            let lines = run.taken();
            let count = |what: &str| lines.iter().filter(|line| line.contains(what)).count();
            let row = format!("{mistake} {first} {then}: {lines:?}");
            assert_eq!((count("stop reload"), count("start reload")), (1, 1), "{row}");
            let word = if then { "newer" } else { "new" };
            let started = lines.iter().find(|line| line.contains("start reload")).unwrap();
            let is_right = started.contains(&format!("cook {word} start")) && started.ends_with(" two");
            assert!(is_right, "{row}");
            assert_eq!(
                run.facts("reloaded").last().unwrap()["files"].as_object().unwrap().len(),
                if first || then { 2 } else { 1 },
                "{row}"
            );
        }
    }
}

/// The same of scripts that waited for a level that was broken by itself.
#[test]
fn scripts_that_wait_for_a_broken_level_change_once_with_the_one_that_is_mended() {
    for params in ["", r#", "params": { "n": 2 }"#] {
        let anna = |word: &str| diary(word, "b.params = { n = { type = 'number', default = 1 } }");
        let level = |given: &str| level_with(&format!(r#", "behaviour": "anna.lua"{given}"#), "");
        let mut run = Run::on(&level(""), &[("anna.lua", &anna("old"))]);
        run.ticks(1);
        run.taken();
        let new = anna("new");
        save(&mut run, &[("anna.lua", &new)], Some("{ broken"));
        assert_eq!(run.taken().len(), 1, "refused");
        save(&mut run, &[], Some(&level(params)));
        assert_eq!(run.taken(), ["3: old stop reload", "3: new start reload 2", "3+ anna.lua reload.json"]);
    }
}

#[test]
fn hooks_never_double() {
    let text = diary(
        "anna",
        r#"function b:start(why)
            event.on("bell", function() log.info("bell") end)
            region.onEnter("corner", function(e) log.info("in %s", e.how) end)
            region.onExit("corner", function() log.info("out") end)
            timer.every(1/60, function() self.state.turns = (self.state.turns or 0) + 1 end)
        end"#,
    );
    let mut run = Run::of(&[("anna.lua", &text)]);
    run.ticks(2);
    for turn in 0..5 {
        run.reload(&[("anna.lua", &format!("{text} -- {turn}"))]);
    }
    run.taken();
    run.input(&[Input::event("bell")]);
    let lines = run.taken();
    assert_eq!(lines.iter().filter(|line| line.ends_with("bell")).count(), 1, "{lines:?}");
    assert!(!lines.iter().any(|line| line.ends_with("out")), "{lines:?}");
}

/// What a bell and the four ticks from it on make everybody say, sorted.
fn ring(run: &mut Run) -> Vec<String> {
    run.ticks(4).taken();
    run.input(&[Input::event("bell")]).ticks(3);
    let text = |line: String| line.split_once(": ").map(|(_, text)| text.to_owned());
    let mut said: Vec<String> = run.taken().into_iter().filter_map(text).collect();
    said.sort();
    said
}

/// Steps into the corner and out of it, is loud and changes a board whenever a bell rings.
const BEN: &str = r#"return { on = { bell = function(self)
    self.character:emitNoise(12)
    world.character("anna").blackboard:set("mood", level.tick)
    self.character:teleport(3.8, 3)
    task.ticks(2) -- regions look in between
    self.character:teleport(3, 8)
end } }"#;

#[test]
fn what_code_sets_up_by_name_is_there_once_after_any_number_of_reloads() {
    let hooks = r#"timer.every(1/60, "beat") event.on("bell", "rung") region.onEnter("corner", "entered")
        sense.watch(world.character("anna"), world.character("ben"), { hearing = 15, onHear = "heard" })
        world.character("anna").blackboard:watch("mood", "felt")"#;
    let handlers = |owner: &str, of: &str| {
        let one = |name: &str| format!("function {of}{name}() log.info('{owner} {name}') end\n");
        ["beat", "rung", "entered", "heard", "felt", "again"].map(one).concat()
    };
    let start = format!("function b:start() {hooks} end function b:run() timer.every(1/60, 'again') end");
    let anna = format!("local b = {{}} {} {start} return b", handlers("anna", "b:"));
    let level = format!("{} function onStart() {hooks} end", handlers("level", ""));
    let mut run = Run::of(&[("anna.lua", &anna), ("ben.lua", BEN), ("level.lua", &level)]);
    let before = ring(&mut run);
    for owner in ["anna", "level"] {
        for (name, count) in [("beat", 4), ("rung", 1), ("entered", 1), ("heard", 1), ("felt", 1)] {
            let said = format!("{owner} {name}");
            assert_eq!(before.iter().filter(|line| **line == said).count(), count, "{said}: {before:?}");
        }
    }
    for turn in 0..3 {
        run.reload(&[
            ("anna.lua", &format!("{anna} -- {turn}")),
            ("level.lua", &format!("{level} -- {turn}")),
        ]);
        assert_eq!(ring(&mut run), before, "after reload {turn}");
    }
}

#[test]
fn timers_of_one_handler_with_different_payloads_all_go_on() {
    let text = "local b = {} function b:beat(word) log.info('%s', word) end
        function b:start() for _, word in { 'one', 'two' } do timer.every(5/60, 'beat', { payload = word }) end end
        return b";
    let mut run = Run::of(&[("anna.lua", text)]);
    run.ticks(7).reload(&[("anna.lua", &format!("{text} -- again"))]).ticks(3);
    let lines: Vec<String> = run.taken().into_iter().filter(|line| line.contains(": ")).collect();
    assert_eq!(lines, ["5: one", "5: two", "10: one", "10: two"]);
}

#[test]
fn a_timer_that_start_makes_again_keeps_its_time_and_another_one_takes_its_place() {
    let text = |seconds: &str| {
        format!(
            "local b = {{}} function b:beat(word) log.info('%s', word) end
            function b:start(why) timer.every({seconds}, 'beat', {{ payload = '{seconds}' }})
                if why == 'attach' then timer.after(20/60, 'later') end end
            function b:later() log.info('later') timer.after(1/60, 'beat', 'by hand') end return b"
        )
    };
    let lines = |run: &mut Run| -> Vec<String> {
        run.taken().into_iter().filter(|line| line.contains(": ")).collect()
    };
    let mut run = Run::of(&[("anna.lua", &text("5/60"))]);
    run.ticks(7).reload(&[("anna.lua", &format!("{} -- again", text("5/60")))]).ticks(3);
    assert_eq!(lines(&mut run), ["5: 5/60", "10: 5/60"], "in its time, and once");
    run.ticks(1).reload(&[("anna.lua", &text("4/60"))]).ticks(10);
    // Made in tick 13: its turns are 17 and 21; what only the first `start` made goes on.
    assert_eq!(lines(&mut run), ["17: 4/60", "20: later", "21: 4/60", "21: by hand"]);
}

/// Law: whatever else changes, and in whichever order they are made, timers that a reload leaves as they were
/// keep their time; those that take the place of others begin with it, and what is replaced ends.
#[test]
fn timers_that_a_reload_leaves_as_they_were_keep_their_time() {
    const RELOADED: u64 = 14;
    const TICKS: u64 = 40;
    for seed in 0..60 {
        let mut rng = Rng::stream(seed, "timers");
        let drawn = |rng: &mut Rng| (2 + rng.below(6), rng.below(3));
        let mut before: Vec<(u64, u64)> = (0..1 + rng.below(4)).map(|_| drawn(&mut rng)).collect();
        before.sort_unstable();
        before.dedup();
        let mut after: Vec<(u64, u64)> = before.iter().copied().filter(|_| rng.below(3) > 0).collect();
        for _ in 0..rng.below(3) {
            after.push(drawn(&mut rng));
        }
        after.sort_unstable();
        after.dedup();
        rng.shuffle(&mut before);
        rng.shuffle(&mut after);
        let text = |timers: &[(u64, u64)]| {
            let make = |(ticks, payload): &(u64, u64)| {
                format!("timer.every({ticks}/60, 'beat', {{ payload = {{ {ticks}, {payload} }} }})")
            };
            let list: Vec<String> = timers.iter().map(make).collect();
            format!(
                "local b = {{}} function b:beat(one) log.info('%d %d', one[1], one[2]) end
                function b:start() {} end return b",
                list.join(" ")
            )
        };
        let mut run = Run::of(&[("anna.lua", &text(&before))]);
        run.ticks(RELOADED - 1).reload(&[("anna.lua", &format!("{} -- again", text(&after)))]);
        run.ticks(TICKS - RELOADED);
        let mut told: Vec<String> = run.taken().into_iter().filter(|line| line.contains(": ")).collect();
        told.sort();
        // The tick in which each began, and up to which it goes on.
        let is_any_new = after.iter().any(|timer| !before.contains(timer));
        let old = before.iter().map(|timer| {
            let goes_on = after.contains(timer) || !is_any_new;
            (timer, 0, if goes_on { TICKS } else { RELOADED - 1 })
        });
        let new = after.iter().filter(|timer| !before.contains(timer)).map(|timer| (timer, RELOADED, TICKS));
        let mut expected: Vec<String> = old
            .chain(new)
            .flat_map(|((ticks, payload), begun, last)| {
                let turns = (1..).map(move |turn| begun + turn * ticks).take_while(move |tick| *tick <= last);
                turns.map(move |tick| format!("{tick}: {ticks} {payload}"))
            })
            .collect();
        expected.sort();
        assert_eq!(told, expected, "seed {seed}: {before:?} and then {after:?}");
    }
}

#[test]
fn fault_e19_a_thousand_reloads_keep_nothing() {
    let text = |turn: u32| diary("anna", &format!("local big = table.create(1000, {turn}) b.big = big"));
    let mut run = Run::of(&[("anna.lua", &text(0))]);
    let measure = |run: &mut Run, from: u32, count: u32| {
        for turn in from..from + count {
            run.reload(&[("anna.lua", &text(turn))]);
        }
        run.game.scripts().unwrap().used_memory()
    };
    let before = measure(&mut run, 1, 20);
    let after = measure(&mut run, 21, 1000);
    assert_eq!(run.game.reload_count(), 1020);
    assert!(after < before + 1024 * 1024, "{before} {after}");
    assert_eq!(run.game.scripts().unwrap().stale_closures(), 0);
}

/// One tick with another level file.
pub(crate) fn edit(run: &mut Run, json: &str) {
    save(run, &[], Some(json));
}

/// One tick with these scripts changed, and the level.
pub(crate) fn save(run: &mut Run, scripts: &[(&str, &str)], level: Option<&str>) {
    let scripts = scripts.iter().map(|(path, text)| ((*path).to_owned(), Some((*text).to_owned()))).collect();
    let level = level.map(|json| LevelTexts {
        path: "reload.json".to_owned(),
        files: BTreeMap::from([("reload.json".to_owned(), json.as_bytes().to_vec())]),
    });
    run.input(&[Input::Reload(Reload { scripts, level })]);
}

#[test]
fn fault_e17_a_changed_level_keeps_who_can_stand_and_says_who_is_gone() {
    let json = |hall: &str, people: &str| {
        LEVEL
            .replace("SCRIPT", "")
            .replace("BEHAVIOUR_ANNA", "")
            .replace("BEHAVIOUR_BEN", "")
            .replace("[[0,0],[20,0],[20,20],[0,20]]", hall)
            .replace("{ \"name\": \"carl\", \"position\": [3,12] }", people)
    };
    let whole = "[[0,0],[20,0],[20,20],[0,20]]";
    let carl = "{ \"name\": \"carl\", \"position\": [3,12] }";
    let mut run = Run::on(&json(whole, carl), &[]);
    run.ticks(1);
    let at = |run: &Run, name: &str| {
        let world = run.game.world();
        world.find_character(name).and_then(|id| world.character(id)).map(|one| one.body.position)
    };
    let (anna, revision) = (at(&run, "anna"), run.game.world().nav().revision());
    edit(&mut run, "{ broken");
    assert!(run.taken()[0].starts_with("2- reload.json:1"), "refused");
    assert_eq!(run.game.world().nav().revision(), revision);
    edit(&mut run, &json("[[0,0],[20,0],[20,7],[0,7]]", "{ \"name\": \"dora\", \"position\": [5,5] }"));
    assert!(run.taken()[0].contains("character \"carl\" is gone"), "named");
    assert!(run.game.world().nav().revision() > revision);
    assert_eq!(at(&run, "anna"), anna);
    let ben = at(&run, "ben").unwrap();
    assert!(ben.z < 7.0 && ben.z > 6.0, "snapped: {ben}");
    assert_eq!(at(&run, "carl"), None);
    assert!(at(&run, "dora").is_some());
}

#[test]
fn fault_e13_a_scene_under_way_finishes_on_its_old_code_and_the_next_one_is_new() {
    let level = r#"function onStart()
            task.spawn(function() cinematic.play("talk"):wait() cinematic.play("talk"):wait() end)
        end"#;
    let talk = |word: &str| {
        format!(
            r#"return {{ holds = {{ "anna" }},
            script = function(c) log.info("{word} begins") c:wait(0.2) log.info("{word} ends") end,
            onEnd = function() log.info("{word} over") end }}"#
        )
    };
    let mut run = Run::of(&[("level.lua", level), ("talk.lua", &talk("old"))]);
    run.ticks(5).reload(&[("talk.lua", &talk("new"))]).ticks(60);
    let lines: Vec<String> =
        run.taken().iter().filter_map(|line| Some(line.split_once(": ")?.1.to_owned())).collect();
    assert_eq!(lines, ["old begins", "old ends", "old over", "new begins", "new ends", "new over"]);
    let anna = run.game.world().find_character("anna").unwrap();
    assert_eq!(run.game.world().character(anna).unwrap().held, None);
    assert_eq!(run.game.scripts().unwrap().stale_closures(), 0);
}

#[test]
fn fault_e18_a_change_is_taken_up_before_any_other_code_of_the_next_tick() {
    let text = |name: &str| diary(name, &format!("function b:update() log.info(\"{name} update\") end"));
    let mut run = Run::of(&[("anna.lua", &text("old"))]);
    run.ticks(1).reload(&[("anna.lua", &text("new"))]);
    let expected =
        ["1: old update", "2: old stop reload", "2: new start reload 2", "2+ anna.lua", "2: new update"];
    assert_eq!(run.taken()[2..], expected);
}

#[test]
fn fault_e20_a_reload_is_an_input_with_text_and_hash_in_the_trace() {
    let (old, new) = (diary("old", ""), diary("new", ""));
    let play = || {
        let mut run = Run::of(&[("anna.lua", &old)]);
        run.ticks(3).reload(&[("anna.lua", &new)]).ticks(3);
        (run.game.fingerprint().whole(), run.facts)
    };
    let (one, facts) = play();
    assert_eq!(one, play().0);
    let fact = facts.iter().find(|fact| fact["e"] == "reloaded").unwrap();
    assert_eq!(fact["files"]["anna.lua"]["text"], new.as_str());
    assert_eq!(fact["files"]["anna.lua"]["hash"].as_str().unwrap().len(), 16);
}

#[test]
fn the_level_script_stops_and_starts_in_a_new_environment_and_its_state_stays() {
    let text = |name: &str| {
        format!(
            r#"function onStart(why) state.count = (state.count or 0) + 1 log.info("{name} start %s %d", why, state.count) end
            function onStop(why) log.info("{name} stop %s", why) end"#
        )
    };
    let mut run = Run::of(&[("level.lua", &text("old"))]);
    run.ticks(1).reload(&[("level.lua", &text("new"))]).ticks(1);
    assert_eq!(
        run.taken(),
        ["0: old start start 1", "2: old stop reload", "2: new start reload 2", "2+ level.lua"]
    );
    let broken = "function onStart() state.count = 99 error(\"no\") end";
    run.reload(&[("level.lua", broken)]);
    let lines = run.taken();
    assert_eq!(lines[..2], ["4: new stop reload", "4: new start reload 3"]);
    assert!(lines[2].starts_with("4- level.lua:1: no"), "{lines:?}");
}

#[test]
fn a_behaviour_that_was_switched_off_comes_back_by_a_reload_with_its_state() {
    let bad = diary("old", "function b:update() error(\"bad\") end");
    let mut run = Run::of(&[("anna.lua", &bad)]);
    run.ticks(5);
    assert_eq!(run.game.fault_count(), 3);
    run.taken();
    run.reload(&[("anna.lua", &diary("new", ""))]);
    assert_eq!(run.taken(), ["6: new start reload 2", "6+ anna.lua"]);
}

/// How many random edits are made; `WALKON_EDITS` asks for another number.
const EDITS: usize = 10_000;

#[test]
fn random_edits_lose_no_character_no_walk_and_no_state_and_double_no_handler() {
    let count = number("WALKON_EDITS", EDITS);
    let good = |turn: usize| {
        format!(
            r#"local util = require("util")
            local b = {{}}
            function b:init() self.state.kept = "kept" end
            function b:start(why)
                event.on("count", function() state.heard = (state.heard or 0) + 1 end)
                if why == "attach" then self.character:walkTo("far", {{ onSettled = "back" }}) end
            end
            function b:back(result)
                assert(self.state.kept == "kept" and util.word)
                self.character:walkTo(self.character.position.x > 9 and "post" or "far", {{ onSettled = "back" }})
            end
            return b -- {turn}"#
        )
    };
    let util = |turn: usize| format!("return {{ word = {turn} }}");
    let level = "function onStart() event.on(\"ask\", function() log.info(\"heard %s\", state.heard) state.heard = 0 end) end";
    let (anna, ben, shared) = (good(0), good(1), util(0));
    let files = [("level.lua", level), ("anna.lua", &*anna), ("ben.lua", &*ben), ("util.lua", &*shared)];
    let mut run = Run::of(&files);
    let mut random = walkon_runtime::base::rng::Rng::stream(7, "edits");
    for turn in 0..count {
        let path = ["anna.lua", "ben.lua", "util.lua", "new.lua"][random.below(4) as usize];
        let text = if path == "util.lua" { util(turn) } else { good(turn) };
        let text = match random.below(8) {
            0 => String::new(),
            1 => text[..text.len() / 2].to_owned(),
            2 => format!("error(\"{turn}\")"),
            3 => text.replace("function b:start(why)", "function b:start(why) error(\"start\")"),
            4 => text.replace("function b:back", "function b:forth"),
            _ => text,
        };
        let renamed = path.replace(".lua", "_renamed.lua");
        match random.below(20) {
            0 => run.reload(&[(path, ""), (&renamed, &text)]),
            1 => run.reload(&[(&renamed, "")]),
            _ => run.reload(&[(path, &text)]),
        };
        if turn % 100 == 0 {
            run.lines.clear();
            run.input(&[Input::event("ask")]).input(&[Input::event("count")]).input(&[Input::event("ask")]);
            let heard = run.taken();
            assert!(heard.iter().any(|line| line.ends_with("heard 2")), "{turn}: {heard:?}");
            run.facts.clear();
        }
        let world = run.game.world();
        assert_eq!(world.character_count(), 3, "{turn}");
        for name in ["anna", "ben"] {
            let one = world.character(world.find_character(name).unwrap()).unwrap();
            assert!(one.walk.is_some(), "{turn}: {name} walks on");
        }
    }
    assert_eq!(run.game.fault_count(), 0);
    assert!(run.game.reload_count() as usize > count / 4);
}

/// The level with what it says of Anna and of its script.
fn level_with(anna: &str, script: &str) -> String {
    LEVEL.replace("BEHAVIOUR_ANNA", anna).replace("BEHAVIOUR_BEN", "").replace("SCRIPT", script)
}

/// The place of a part of the level: `reload.json:8:62`.
fn place(json: &str, part: &str) -> String {
    let before = &json[..json.find(part).expect("it is written there")];
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    format!("reload.json:{}:{column}", before.matches('\n').count() + 1)
}

#[test]
fn a_level_edit_that_names_a_script_that_is_not_there_is_refused_at_its_place() {
    let (anna, script) = (r#", "behaviour": "anna.lua""#, r#""script": "level.lua","#);
    let old = diary("old", "");
    let mut run =
        Run::on(&level_with(anna, script), &[("anna.lua", &old), ("level.lua", "function onStart() end")]);
    run.ticks(1);
    for (wrong, name) in [
        (level_with(r#", "behaviour": "ana.lua""#, script), "ana.lua"),
        (level_with(anna, r#""script": "levl.lua","#), "levl.lua"),
    ] {
        run.taken();
        edit(&mut run, &wrong);
        run.ticks(1);
        let lines = run.taken();
        let message =
            format!("- {}: unknown script \"{name}\"; did you mean", place(&wrong, &format!("\"{name}\"")));
        assert!(lines.len() == 1 && lines[0].contains(&message), "{message} in {lines:?}");
    }
    assert_eq!((run.game.fault_count(), run.game.reload_count()), (0, 0));
    // A script that comes together with the level, or before it, is there.
    run.reload(&[("new.lua", &diary("new", ""))]);
    run.taken();
    edit(&mut run, &level_with(r#", "behaviour": "new.lua""#, script));
    let lines = run.taken();
    assert!(lines.contains(&"7: old stop detached".to_owned()), "{lines:?}");
    assert!(lines.contains(&"7: new start attach 1".to_owned()), "{lines:?}");
}

#[test]
fn wrong_parameters_of_a_level_edit_are_shown_at_their_place_in_the_level() {
    let anna = "return { params = { pause = { type = \"number\", default = 1 } } }";
    let given =
        |params: &str| level_with(&format!(r#", "behaviour": "anna.lua", "params": {{ {params} }}"#), "");
    let mut run = Run::on(&given(""), &[("anna.lua", anna)]);
    run.ticks(1);
    for (params, at, what) in [
        ("\"paus\": 77", "77", "unknown parameter \"paus\"; did you mean \"pause\"?"),
        ("\"pause\": false", "false", "params.pause is false, expected a number"),
    ] {
        run.taken();
        let wrong = given(params);
        let tick = run.game.world().tick().0 + 1;
        edit(&mut run, &wrong);
        assert_eq!(run.taken(), [format!("{tick}- {}: character \"anna\": {what}", place(&wrong, at))]);
    }
    edit(&mut run, &given("\"pause\": 3"));
    assert_eq!(run.taken(), ["4+ reload.json"]);
}

#[test]
fn a_stop_that_removes_its_own_character_ends_it_once_and_the_reload_goes_on() {
    let text = |word: &str| {
        format!(
            r#"local b = {{}}
            function b:start(why) local at = self.character.position log.info("{word} start %s %s", why, self.character.name) end
            function b:stop(why)
                log.info("{word} stop %s", why)
                if why == "reload" then self.character:despawn() end
            end
            return b"#
        )
    };
    let mut run = Run::of(&[("anna.lua", &text("old")), ("ben.lua", &diary("ben", ""))]);
    run.ticks(2);
    run.taken();
    run.reload(&[("anna.lua", &text("new")), ("ben.lua", &diary("new ben", ""))]).ticks(5);
    let lines = run.taken();
    assert_eq!(
        lines,
        ["3: old stop reload", "3: ben stop reload", "3: new ben start reload 2", "3+ anna.lua ben.lua"]
    );
    assert_eq!((run.game.fault_count(), run.game.reload_count()), (0, 1));
}
