//! The Debug Adapter Protocol from outside: `walkon debug`, `run --debug`, `test --debug`.
//!
//! Goal: an editor can do what the guide promises. Method: a client drives the real program over its standard
//! streams and over a port, on levels of its own and on the courtyard.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cli::commands::Project;
use crate::debugger::client::{Client, value};

pub const LEVEL: &str = r#"{
  "name": "yard", "limits": { "watchdogMs": 200 },
  "navigation": { "areas": [
    { "name": "yard", "polygon": [[0,0],[10,0],[10,8],[0,8]] },
    { "name": "gateway", "polygon": [[10,3],[11,3],[11,5],[10,5]] },
    { "name": "hall", "polygon": [[11,0],[18,0],[18,8],[11,8]] },
    { "name": "island", "polygon": [[30,0],[34,0],[34,4],[30,4]] } ] },
  "doors": [ { "name": "gate", "area": "gateway", "seconds": 0.2 } ],
  "characters": [ { "name": "anna", "position": [2,2], "behaviour": "guard.lua" } ],
  "script": "yard.lua"
}"#;

pub const GUARD: &str = "\
local count = 0
local guard = { params = { pace = { type = \"number\", default = 2 } } }
local function bump() count += 1 return count end
local function add(a, b)
  local sum = a + b
  return sum
end

function guard.init(self)
  self.state.list = { 10, 20, 30 }
end

function guard.update(self, dt)
  count = add(count, 1)
  self.state.count = bump and count
end

function guard.run(self)
  local gate = world.door(\"gate\")
  local walk = self.character:walkTo(5, 5)
  local result = walk:wait()
  self.state.arrived = result.ok
  task.sleep(0.5)
  gate:open():wait()
  self.character:walkTo(31, 2, { accept = \"exact\" })
  task.sleep(1)
  local broken = nil
  local kept = \"still here\"
  broken.field = kept
end

return guard
";

pub const YARD: &str = "\
function onStart()
  state.many = {}
  for i = 1, 1000 do
    state.many[i] = i
  end
  log.info(\"begun\")
end
";

/// Lines of `GUARD`.
pub const IN_ADD: u32 = 5;
pub const IN_UPDATE: u32 = 14;
pub const AFTER_ADD: u32 = 15;
pub const AT_WALK: u32 = 20;
pub const AFTER_WAIT: u32 = 22;
pub const AT_FAULT: u32 = 29;

fn project() -> Project {
    let project = Project::new();
    project.write("levels/yard.json", LEVEL);
    project.write("scripts/guard.lua", GUARD);
    project.write("scripts/yard.lua", YARD);
    project
}

fn file(project: &Project, name: &str) -> PathBuf {
    project.path().join("scripts").join(name)
}

/// A client that has launched the level and set breakpoints in the guard.
fn launched(project: &Project, breakpoints: Value) -> Client {
    let mut client = Client::stdio(project.path(), &["debug", "levels/yard.json", "--seconds", "10"]);
    client.begin("launch");
    client.breakpoints(&file(project, "guard.lua"), breakpoints);
    client.ready();
    client
}

#[test]
fn a_breakpoint_of_the_courtyard_stops_with_everything_to_be_seen() {
    let root = crate::place::root();
    let mut client = Client::stdio(root, &["debug", "levels/courtyard.json"]);
    client.begin("launch");
    let guard = root.join("scripts/behaviours/guard.lua");
    let text = std::fs::read_to_string(&guard).unwrap();
    let line = 1 + text.lines().position(|line| line.contains("if first ~= \"leg\" then")).unwrap();
    let set = client.breakpoints(&guard, json!([{ "line": line }]));
    assert_eq!(set[0]["verified"], json!(true), "{set:?}");
    client.ready();
    let stop = client.stop();
    assert_eq!((stop.why(), stop.place()), ("breakpoint", format!("behaviours/guard.lua:{line}")));
    assert_eq!(stop.event["hitBreakpointIds"], json!([set[0]["id"]]));
    assert_eq!(stop.frames[0]["source"]["path"], json!(guard.canonicalize().unwrap()));
    assert_eq!(stop.frames[0]["name"], "patrolLeg");
    assert_eq!(stop.frames[1]["name"], "run");
    let locals = client.scope(stop.frame(), "Locals");
    assert_eq!(value(&locals, "first"), "\"leg\"");
    assert!(value(&locals, "result").contains("ok = true"), "{locals:?}");
    let this = client.scope(stop.frame(), "self");
    assert_eq!(value(&this, "character"), "character \"guard\"");
    let character = this.iter().find(|one| one["name"] == "character").unwrap().clone();
    let fields = client.inside(&character);
    assert!(value(&fields, "position").starts_with("vector("), "{fields:?}");
    assert_eq!(value(&fields, "walkSpeed"), "1.6");
    client.breakpoints(&guard, json!([]));
    client.request("continue", json!({ "threadId": 1 }));
    let (code, exit, told) = client.finish();
    assert_eq!((code, exit), (0, Some(0)), "{told}");
    let golden = std::fs::read_to_string(root.join("tests/golden/courtyard.txt")).unwrap();
    let hash = golden.lines().last().unwrap().split("\"hash\":\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(told.contains(&format!("hash {hash}")), "the hash of a run is {hash}: {told}");
}

#[test]
fn breakpoints_have_lines_conditions_counts_and_texts() {
    let project = project();
    let mut client = Client::stdio(project.path(), &["debug", "levels/yard.json", "--seconds", "2"]);
    client.begin("launch");
    let guard = file(&project, "guard.lua");
    let set = client.breakpoints(
        &guard,
        json!([
            { "line": 8 },
            { "line": AFTER_ADD, "condition": "count == 7" },
            { "line": IN_ADD, "hitCondition": "% 20" },
            { "line": IN_UPDATE, "logMessage": "count {count} of {self.character} {nosuch.x}", "hitCondition": "<= 2" },
            { "line": 999 },
            { "line": 6, "hitCondition": "often" },
        ]),
    );
    let lines: Vec<_> = set.iter().map(|one| (one["line"].as_u64(), one["verified"] == true)).collect();
    assert_eq!(lines[0], (Some(9), true), "moved to the next line with code");
    assert_eq!(lines[1..4], [(Some(15), true), (Some(5), true), (Some(14), true)]);
    assert_eq!(lines[4], (Some(999), false));
    assert!(set[5]["message"].as_str().unwrap().contains("is not a count"), "{}", set[5]);
    let elsewhere = client.breakpoints(&project.path().join("nosuch.lua"), json!([{ "line": 1 }]));
    assert_eq!(elsewhere[0]["verified"], false);
    client.ready();
    // The body of the file runs line 9.
    assert_eq!(client.stop().place(), "guard.lua:9");
    let stop = client.go("continue");
    assert_eq!(stop.place(), "guard.lua:15");
    assert_eq!(client.evaluate(stop.frame(), "count"), "7");
    let stop = client.go("continue");
    assert_eq!(stop.place(), "guard.lua:5");
    let locals = client.scope(stop.frame(), "Locals");
    assert_eq!((value(&locals, "a"), value(&locals, "b")), ("19".to_owned(), "1".to_owned()));
    let told = client.output();
    assert!(told.contains("count 0 of character \"anna\" <"), "{told}");
    assert!(told.contains("count 1 of") && !told.contains("count 2 of"), "{told}");
}

#[test]
fn steps_go_in_over_and_out() {
    let project = project();
    let mut client = launched(&project, json!([{ "line": IN_UPDATE, "hitCondition": "3" }]));
    assert_eq!(client.stop().place(), format!("guard.lua:{IN_UPDATE}"));
    let inside = client.go("stepIn");
    assert_eq!((inside.why(), inside.place()), ("step", format!("guard.lua:{IN_ADD}")));
    assert_eq!(inside.frames[1]["line"], IN_UPDATE);
    assert_eq!(client.go("next").place(), "guard.lua:6");
    assert_eq!(client.go("stepOut").place(), format!("guard.lua:{AFTER_ADD}"));
    let upvalues = client.request("stackTrace", json!({ "threadId": 1 }));
    let frame = upvalues["stackFrames"][0]["id"].as_u64().unwrap();
    let upvalues = client.scope(frame, "Upvalues");
    assert_eq!(value(&upvalues, "count"), "3");
    // Over a call that stops nowhere, and over the end of the call to the next line that is run.
    assert_eq!(client.go("next").place(), "guard.lua:16");
}

/// A coroutine of a script, and its caller.
const OWN_COROUTINE: &str = "\
function onTick()
  local step = coroutine.wrap(function(a)
    local b = a + 1
    coroutine.yield(b)
    local c = b * 2
    return c
  end)
  local one = step(1)
  local two = step(2)
  state.sum = one + two
end
";

#[test]
fn steps_leave_a_coroutine_of_a_script_to_its_caller() {
    for (line, how, to) in [
        (3, "next", 4),
        (4, "next", 9),
        (4, "stepOut", 9),
        (5, "stepOut", 10),
        (6, "next", 10),
        (6, "stepOut", 10),
        (6, "stepIn", 10),
        (8, "next", 9),
        (9, "next", 10),
    ] {
        let project = project();
        project.write("scripts/yard.lua", OWN_COROUTINE);
        let mut client = Client::stdio(project.path(), &["debug", "levels/yard.json", "--ticks", "5"]);
        client.begin("launch");
        client.breakpoints(&file(&project, "yard.lua"), json!([{ "line": line, "hitCondition": "2" }]));
        client.ready();
        let stop = client.stop();
        assert_eq!(stop.place(), format!("yard.lua:{line}"));
        if line == 6 {
            let places: Vec<&Value> = stop.frames.iter().map(|frame| &frame["line"]).collect();
            assert_eq!(places, [6, 9], "the caller of a coroutine is among its frames");
            let caller = stop.frames[1]["id"].as_u64().unwrap();
            assert_eq!(client.evaluate(caller, "one"), "2");
            assert_eq!(client.evaluate(stop.frame(), "c"), "4");
            assert_eq!(client.evaluate(caller, "! (function() one = 20 end)()"), "nil");
            assert_eq!(client.evaluate(caller, "one"), "20");
        }
        let stop = client.go(how);
        assert_eq!((stop.why(), stop.place()), ("step", format!("yard.lua:{to}")), "{how} from {line}");
        assert_eq!(client.evaluate(stop.frame(), "level.tick"), "2", "{how} from {line}");
    }
}

#[test]
fn a_step_over_a_wait_goes_on_when_it_is_over() {
    let project = project();
    let mut client = launched(&project, json!([{ "line": AT_WALK }]));
    let stop = client.stop();
    assert_eq!(stop.place(), format!("guard.lua:{AT_WALK}"));
    assert_eq!(client.go("next").place(), "guard.lua:21");
    let stop = client.go("next");
    assert_eq!(stop.place(), format!("guard.lua:{AFTER_WAIT}"), "the walk is over");
    assert_eq!(client.evaluate(stop.frame(), "result.ok and result.status"), "\"arrived\"");
    assert_eq!(client.evaluate(stop.frame(), "walk.state"), "\"settled\"");
}

#[test]
fn threads_are_tasks_with_what_they_wait_for() {
    let project = project();
    let mut client = launched(&project, json!([{ "line": IN_UPDATE, "hitCondition": "10" }]));
    let stop = client.stop();
    let threads = client.request("threads", json!({}));
    let threads = threads["threads"].as_array().unwrap();
    let name = |id: u64| {
        threads.iter().find(|thread| thread["id"] == id).unwrap()["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(name(stop.thread), "level: behaviour \"guard\" of \"anna\" update");
    let task = threads.iter().find(|thread| thread["name"].as_str().unwrap().contains(" run")).unwrap();
    assert_eq!(task["name"], "behaviour \"guard\" of \"anna\" run, waits for walk 1 of \"anna\"");
    let stack = client.request("stackTrace", json!({ "threadId": task["id"] }));
    let frame = &stack["stackFrames"][0];
    assert_eq!((&frame["line"], &frame["name"]), (&json!(21), &json!("run")));
    let locals = client.scope(frame["id"].as_u64().unwrap(), "Locals");
    assert_eq!(value(&locals, "gate"), "door \"gate\"");
    let walk = locals.iter().find(|one| one["name"] == "walk").unwrap().clone();
    let fields = client.inside(&walk);
    assert_eq!(
        (value(&fields, "character"), value(&fields, "result")),
        ("character \"anna\"".into(), "nil".into())
    );
    let gate = locals.iter().find(|one| one["name"] == "gate").unwrap().clone();
    assert_eq!(value(&client.inside(&gate), "state"), "\"closed\"");
}

#[test]
fn questions_work_on_copies_and_only_who_asks_to_changes_the_run() {
    let project = project();
    let mut client = launched(&project, json!([{ "line": IN_UPDATE, "hitCondition": ">= 10" }]));
    let stop = client.stop();
    let frame = stop.frame();
    let mut ask = |text: &str| client.evaluate(frame, text);
    assert_eq!(ask("self.state.count"), "9");
    assert_eq!(ask("self.state.count + #self.state.list"), "12");
    assert_eq!(ask("self.character.name"), "\"anna\"");
    assert_eq!(ask("add(40, 2)"), "42");
    // What a text changes is gone with it.
    assert_eq!(ask("(function() self.state.count = 100; count = 100; return count end)()"), "100");
    assert_eq!((ask("bump()"), ask("bump() + bump()")), ("10".to_owned(), "21".to_owned()));
    assert_eq!(ask("self.state.count * 100 + count"), "909");
    assert_eq!(ask("table.remove(self.state.list)"), "30");
    assert_eq!(ask("#self.state.list"), "3");
    assert_eq!(ask("#state.many"), "1000");
    let drawn = ask("math.random()");
    assert_eq!(ask("math.random()"), drawn, "what is drawn is drawn again");
    for verb in [
        "self.character:walkTo(1, 1)",
        "world.door(\"gate\"):open()",
        "event.emit(\"x\")",
        "self.rng:float()",
    ] {
        assert!(ask(verb).contains("it changes the run; write ! in front"), "{verb}: {}", ask(verb));
    }
    assert!(ask("while true do end").contains("stopped after"), "{}", ask("while true do end"));
    assert!(ask("task.sleep(1)").len() > 3);
    assert_eq!(ask("1 +").matches("question:1: ").count(), 1, "{}", ask("1 +"));
    assert_eq!(ask("! 1 +").matches("question:1: ").count(), 1, "{}", ask("! 1 +"));
    assert!(ask("nosuch.field").contains("attempt to index nil"));
    // Asked to act.
    assert_eq!(ask("! dt"), ask("dt"));
    assert_eq!(ask("! (function() count = 500; return world.door(\"gate\"):open() end)()"), "door move 1");
    assert_eq!(ask("count"), "500");
    assert_eq!(ask("world.door(\"gate\").state"), "\"opening\"");
    assert_eq!(ask("! self.state.count"), "9");
    let stop = client.go("continue");
    assert_eq!(client.evaluate(stop.frame(), "count"), "501");
    client.breakpoints(&file(&project, "guard.lua"), json!([]));
    client.request("setExceptionBreakpoints", json!({ "filters": [] }));
    client.request("continue", json!({ "threadId": 1 }));
    let (code, _, told) = client.finish();
    assert_eq!(code, 5, "no other run is like it: {told}");
    assert!(told.contains("the run is not repeatable any more"), "{told}");
}

#[test]
fn an_act_that_says_nothing_leaves_the_run_repeatable() {
    let project = project();
    for (text, code) in [("!", 0), ("!  ", 0), ("! 1", 5)] {
        let mut client = launched(&project, json!([{ "line": IN_UPDATE, "hitCondition": "3" }]));
        let frame = client.stop().frame();
        client.evaluate(frame, text);
        client.breakpoints(&file(&project, "guard.lua"), json!([]));
        client.request("continue", json!({ "threadId": 1 }));
        let (ended, _, told) = client.finish();
        assert_eq!(ended, code, "{text:?}: {told}");
        assert_eq!(told.contains("not repeatable"), code == 5, "{text:?}: {told}");
    }
}

/// A guard, a script of the level and a module that keep something each, and functions that change it.
const KEEPERS: [(&str, &str); 3] = [
    (
        "guard.lua",
        "local counter = require(\"counter\")\nlocal guard = {}\nfunction guard.init(self) self.state.bumps = 0 end\n\
         function guard:bump()\n  self.state.bumps += 1\n  return self.state.bumps\nend\n\
         function guard.update(self)\n  local here = self.state.bumps\n  self.state.seen = here + counter.peek()\nend\n\
         return guard\n",
    ),
    (
        "counter.lua",
        "local n = 0\nlocal kept = {}\nreturn {\n  bump = function() n += 1 kept[n] = n return n end,\n  \
         peek = function() return n * 10 + #kept end,\n  list = { 1, 2 },\n}\n",
    ),
    (
        "yard.lua",
        "local counter = require(\"counter\")\nkept = { 1 }\n\
         function spoil() state.spoilt = true kept[1] = 2 kept = nil return counter.bump() end\n\
         function onStart() state.list = { 1, 2, 3 } end\n\
         function onTick()\n  state.ticks = level.tick\nend\n",
    ),
];

fn keepers() -> Project {
    let project = project();
    for (name, text) in KEEPERS {
        project.write(&format!("scripts/{name}"), text);
    }
    project.write("scripts/unloaded.lua", "return {}\n");
    project
}

#[test]
fn nothing_that_a_question_is_handed_is_the_real_thing() {
    let project = keepers();
    let mut client = launched(&project, json!([{ "line": 10, "hitCondition": "5" }]));
    client.breakpoints(&file(&project, "yard.lua"), json!([{ "line": 6, "hitCondition": "7" }]));
    let changes = [
        ("(function() world.character(\"anna\").behaviour.state.bumps = 70 end)()", "self.state.bumps"),
        ("(function() world.character(\"anna\").behaviour.state = {} end)()", "self.state.bumps"),
        ("(function() world.character(\"anna\").behaviour.bump = 5 end)()", "self.bump"),
        ("world.character(\"anna\").behaviour:bump()", "self.state.bumps"),
        ("require(\"counter\").bump()", "require(\"counter\").peek()"),
        ("(function() require(\"counter\").list[1] = 5 end)()", "counter.list[1]"),
        ("(function() state.spoilt = 1 end)()", "state.spoilt"),
    ];
    let frame = client.stop().frame();
    for (change, kept) in changes {
        let before = client.evaluate(frame, kept);
        client.evaluate(frame, change);
        assert_eq!(client.evaluate(frame, kept), before, "{change}");
    }
    assert_eq!(client.evaluate(frame, "world.character(\"anna\").behaviour == self"), "true");
    assert_eq!(client.evaluate(frame, "self:bump() + world.character(\"anna\").behaviour:bump()"), "3");
    assert_eq!(client.evaluate(frame, "require(\"counter\").bump() + counter.bump()"), "3");
    // Numbers of what is shown are given by the code alone: `table`, and `table#1` for that.
    assert_eq!(client.evaluate(frame, "#tostring({}) + #tostring({})"), "10");
    let refused = client.evaluate(frame, "require(\"unloaded\")");
    assert!(refused.contains("it would load a file, which changes the run; write ! in front"), "{refused}");
    // A function of a script sees copies of what all scripts share.
    let frame = client.go("continue").frame();
    assert_eq!(client.evaluate(frame, "(function() spoil() return state.spoilt, kept end)()"), "true");
    assert_eq!(client.evaluate(frame, "state.spoilt"), "nil");
    assert_eq!(client.evaluate(frame, "kept[1]"), "1");
    assert_eq!(client.evaluate(frame, "(function() spoil() return require(\"counter\").bump() end)()"), "2");
}

#[test]
fn a_condition_that_changes_what_it_is_handed_leaves_the_run_as_it_is() {
    let project = keepers();
    let (plain, _) = project.expect(0, &["run", "levels/yard.json", "--seconds", "2", "--format", "json"]);
    let plain: Value = serde_json::from_str(&plain).unwrap();
    let mut client = Client::stdio(project.path(), &["debug", "levels/yard.json", "--seconds", "2"]);
    client.begin("launch");
    for (name, line, more) in [("guard.lua", 10, ""), ("yard.lua", 6, "spoil()")] {
        let condition = format!(
            "(function() world.character(\"anna\").behaviour:bump() require(\"counter\").bump() state.list = nil {more} \
             return false end)()"
        );
        client.breakpoints(&file(&project, name), json!([{ "line": line, "condition": condition }]));
    }
    client.ready();
    let (code, _, told) = client.finish();
    assert_eq!(code, 0, "{told}");
    assert!(told.contains(plain["hash"].as_str().unwrap()), "{plain}: {told}");
}

#[test]
fn a_question_sets_no_mark_of_a_scene() {
    let project = project();
    project.write(
        "scripts/yard.lua",
        "function onStart()\n  cinematic.define(\"scene\", { script = function(c)\n    c:mark(\"first\")\n    c:wait(1)\n  end })\n  \
         cinematic.play(\"scene\")\nend\n",
    );
    let mut client = Client::stdio(project.path(), &["debug", "levels/yard.json", "--ticks", "9"]);
    client.begin("launch");
    client.breakpoints(&file(&project, "yard.lua"), json!([{ "line": 4 }]));
    client.ready();
    let frame = client.stop().frame();
    let refused = client.evaluate(frame, "c:mark(\"second\")");
    assert!(refused.contains("it changes the run; write ! in front"), "{refused}");
}

#[test]
fn fault_c17_an_error_of_a_question_may_be_any_value() {
    let project = project();
    let mut client = launched(
        &project,
        json!([{ "line": IN_UPDATE, "logMessage": "log {error(self)}" }, { "line": AFTER_ADD }]),
    );
    let frame = client.stop().frame();
    let lying = "error(setmetatable({}, { __tostring = function() return \"a lie\" end }))";
    for (text, words) in [
        ("error({})", "(error object is a table)"),
        (lying, "(error object is a table)"),
        ("error(function() end)", "(error object is a function)"),
        ("error()", "(error object is nil)"),
        ("error(\"plain\", 0)", "plain"),
        ("error(\"placed\")", "question:1: placed"),
    ] {
        assert_eq!(client.evaluate(frame, text), words, "{text}");
        assert_eq!(client.evaluate(frame, &format!("! {text}")), words, "! {text}");
    }
    let told = client.output();
    assert!(told.contains("log <(error object is a table)>"), "{told}");
}

#[test]
fn a_local_that_is_nil_hides_the_global_of_its_name() {
    let project = project();
    project.write(
        "scripts/yard.lua",
        "speed = 11\nfunction read() return kept end\nfunction onTick()\n  local speed = nil\n  state.speed = speed\n\
           local other = speed\n  state.kept = read()\nend\n",
    );
    let mut client = Client::stdio(project.path(), &["debug", "levels/yard.json", "--ticks", "5"]);
    client.begin("launch");
    let yard = file(&project, "yard.lua");
    client.breakpoints(&yard, json!([{ "line": 5, "condition": "speed == nil" }, { "line": 7 }]));
    client.ready();
    let stop = client.stop();
    assert_eq!(stop.place(), "yard.lua:5");
    let frame = stop.frame();
    assert_eq!(value(&client.scope(frame, "Locals"), "speed"), "nil");
    assert_eq!(client.evaluate(frame, "speed"), "nil");
    assert_eq!(client.evaluate(frame, "_G.speed"), "11");
    assert_eq!(client.evaluate(frame, "(function() speed = 5 return speed end)()"), "5");
    assert_eq!(client.evaluate(frame, "speed"), "nil");
    // A global that a question assigns is one for the functions it calls, and gone with it.
    assert_eq!(client.evaluate(frame, "(function() kept = 4 return read() end)()"), "4");
    assert_eq!(client.evaluate(frame, "read()"), "nil");
    assert_eq!(client.evaluate(frame, "! (function() kept = { a = 77 } end)()"), "nil");
    assert_eq!(client.evaluate(frame, "read().a"), "77");
    assert_eq!(client.evaluate(frame, "! (function() speed = 3 end)()"), "nil");
    assert_eq!(client.evaluate(frame, "speed"), "3");
    let frame = client.go("continue").frame();
    assert_eq!(client.evaluate(frame, "other"), "3");
    assert_eq!(client.evaluate(frame, "! (function() other = nil end)()"), "nil");
    assert_eq!(client.evaluate(frame, "other"), "nil");
    assert_eq!(client.evaluate(frame, "_G.speed"), "11");
}

#[test]
fn of_several_locals_of_a_name_the_one_that_the_code_sees_is_meant() {
    let project = project();
    project.write(
        "scripts/yard.lua",
        "local function f(options, ...)\n  local options = options or { 7 }\n  local x = 1\n  for i = 1, 1 do\n    local x = 2 + i\n    \
         log.info(\"%d\", x)\n  end\n  return options[1] + x\nend\nfunction onStart() f(nil, 5, 6) end\n",
    );
    let mut client = Client::stdio(project.path(), &["debug", "levels/yard.json", "--ticks", "1"]);
    client.begin("launch");
    client.breakpoints(&file(&project, "yard.lua"), json!([{ "line": 6 }, { "line": 8 }]));
    client.ready();
    let frame = client.stop().frame();
    assert_eq!(client.evaluate(frame, "options[1] + x"), "10");
    let locals = client.scope(frame, "Locals");
    assert_eq!(value(&locals, "...2"), "6");
    assert_eq!(client.evaluate(frame, "! (function() x = 30 end)()"), "nil");
    assert_eq!(client.evaluate(frame, "x"), "30");
    let frame = client.go("continue").frame();
    assert_eq!(client.evaluate(frame, "options[1] + x"), "8");
}

#[test]
fn a_fault_stops_with_its_locals() {
    let project = project();
    let mut client = launched(&project, json!([]));
    client.request("setExceptionBreakpoints", json!({ "filters": ["faults"] }));
    let stop = client.stop();
    assert_eq!((stop.why(), stop.place()), ("exception", format!("guard.lua:{AT_FAULT}")));
    assert!(
        stop.event["text"].as_str().unwrap().contains("attempt to index nil with 'field'"),
        "{}",
        stop.event
    );
    let locals = client.scope(stop.frame(), "Locals");
    assert_eq!((value(&locals, "broken"), value(&locals, "kept")), ("nil".into(), "\"still here\"".into()));
    let why = client.request("exceptionInfo", json!({ "threadId": 1 }));
    assert!(why["description"].as_str().unwrap().contains("attempt to index nil"), "{why}");
    assert_eq!(client.evaluate(stop.frame(), "kept .. \"!\""), "\"still here!\"");
}

#[test]
fn function_breakpoints_stop_at_what_happens() {
    let project = project();
    let mut client = Client::stdio(project.path(), &["debug", "levels/yard.json", "--seconds", "10"]);
    client.begin("launch");
    let names = ["walk.blocked", "door.changed", "walk.blokked", "bell"];
    let names: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    let set = client.request("setFunctionBreakpoints", json!({ "breakpoints": names }));
    let set = set["breakpoints"].as_array().unwrap();
    let verified: Vec<bool> = set.iter().map(|one| one["verified"] == true).collect();
    assert_eq!(verified, [true, true, false, true]);
    assert!(set[2]["message"].as_str().unwrap().contains("did you mean \"walk.blocked\""), "{}", set[2]);
    client.ready();
    let event = client.event("stopped");
    assert_eq!(event["reason"], "function breakpoint");
    assert_eq!(event["description"], "door.changed: door \"gate\" is opening");
    // Between two ticks nothing runs; the level and its tasks are there to be looked at.
    let given = json!({ "expression": "world.door(\"gate\").state", "context": "watch" });
    assert_eq!(client.request("evaluate", given)["result"], "\"opening\"");
    client.request("continue", json!({ "threadId": 1 }));
    assert_eq!(client.event("stopped")["text"], "door \"gate\" is open");
    client.request("continue", json!({ "threadId": 1 }));
    let event = client.event("stopped");
    assert!(event["description"].as_str().unwrap().starts_with("walk.blocked: anna: "), "{event}");
}

#[test]
fn values_come_in_pages() {
    let project = project();
    let mut client = launched(&project, json!([{ "line": IN_UPDATE, "hitCondition": "1" }]));
    let frame = client.stop().frame();
    let given = json!({ "expression": "state.many", "frameId": frame });
    let many = client.request("evaluate", given);
    assert_eq!((&many["indexedVariables"], &many["namedVariables"]), (&json!(1000), &json!(0)));
    let given = json!({
        "variablesReference": many["variablesReference"], "filter": "indexed", "start": 500, "count": 3,
    });
    let page = client.request("variables", given);
    let shown: Vec<(&str, &str)> = page["variables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["name"].as_str().unwrap(), one["value"].as_str().unwrap()))
        .collect();
    assert_eq!(shown, [("[501]", "501"), ("[502]", "502"), ("[503]", "503")]);
}

#[test]
fn a_pause_stops_a_level_that_runs() {
    let project = project();
    let arguments = ["debug", "levels/yard.json", "--seconds", "600", "--speed", "20"];
    let mut client = Client::stdio(project.path(), &arguments);
    client.begin("launch");
    client.ready();
    client.request("pause", json!({ "threadId": 1 }));
    assert!(!client.has_event("stopped"), "the answer comes first");
    let event = client.event("stopped");
    assert_eq!(event["reason"], "pause");
    client.request("threads", json!({}));
    // From there a step goes to the next line that any script runs.
    assert_eq!(client.go("stepIn").why(), "step");
}

#[test]
fn a_pause_stops_a_script_that_never_ends_also_when_it_is_profiled() {
    let project = project();
    let level = project.read("levels/yard.json").replace("yard.lua", "loop.lua").replace(
        "\"limits\": { \"watchdogMs\": 200 }",
        "\"limits\": { \"watchdogMs\": 60000, \"fuelPerCall\": 10000000 }",
    );
    project.write("levels/loop.json", &level);
    // What it looks up takes long and no fuel, so that it is still at it when the client wants it to stop.
    project.write(
        "scripts/loop.lua",
        "function onStart()\n  local deep = { depth = 0 }\n  for _ = 1, 50 do\n    deep = setmetatable({}, { __index = deep })\n  \
         end\n  local n = 0\n  while true do\n    n += deep.depth + deep.depth + deep.depth + deep.depth\n  end\nend\n",
    );
    let run = ["--seconds", "1", "--debug", "0", "--profile", "costs.json"];
    let debugged = Client::stdio(project.path(), &["debug", "levels/loop.json", "--seconds", "1"]);
    let profiled = Client::tcp(project.path(), &[&["run", "levels/loop.json"], &run[..]].concat());
    for (mut client, kind) in [(debugged, "launch"), (profiled, "attach")] {
        client.begin(kind);
        let before_loop = json!([{ "line": 6, "logMessage": "from here on" }]);
        client.breakpoints(&file(&project, "loop.lua"), before_loop);
        client.ready();
        assert_eq!(client.event("output")["output"], "from here on\n");
        // Until it is inside the loop.
        std::thread::sleep(std::time::Duration::from_millis(100));
        client.request("pause", json!({ "threadId": 1 }));
        assert!(!client.has_event("stopped"), "the answer comes first");
        let stop = client.stop();
        assert_eq!((kind, stop.why()), (kind, "pause"));
        assert!(stop.place().starts_with("loop.lua:"), "{kind}: {}", stop.place());
        client.request("disconnect", json!({ "terminateDebuggee": true }));
        let (code, exit, _) = client.finish();
        assert_eq!((kind, code, exit), (kind, 0, Some(0)));
    }
}

#[test]
fn the_watchdog_sleeps_while_the_level_stands_still() {
    let project = project();
    let mut client = launched(&project, json!([{ "line": IN_UPDATE, "hitCondition": "5" }]));
    let stop = client.stop();
    // Longer than the watchdog lets a call run, and at work: a busy question counts for nobody.
    let until = std::time::Instant::now() + std::time::Duration::from_millis(500);
    while std::time::Instant::now() < until {
        client.evaluate(stop.frame(), "string.rep(\"x\", 1000)");
    }
    client.request("setExceptionBreakpoints", json!({ "filters": [] }));
    client.request("continue", json!({ "threadId": 1 }));
    let (code, _, told) = client.finish();
    assert_eq!(code, 0, "{told}");
    assert!(!told.contains("watchdog"), "{told}");
}

#[test]
fn what_is_no_request_is_left_out_and_no_thread_is_stepped_that_is_not_there() {
    let project = project();
    let mut client = launched(&project, json!([{ "line": IN_UPDATE }, { "line": IN_UPDATE }]));
    let stop = client.stop();
    let ids = stop.event["hitBreakpointIds"].as_array().unwrap();
    assert!(ids.iter().enumerate().all(|(at, id)| !ids[..at].contains(id)), "each once: {ids:?}");
    for text in ["{]", "null", "[]", "7", "\"next\"", ""] {
        client.send(text);
    }
    for how in ["next", "stepIn", "stepOut"] {
        for thread in [json!(99), json!("1"), json!(-1), json!([1])] {
            let why = client.refusal(how, json!({ "threadId": thread }));
            assert!(why.contains("unknown thread"), "{why}");
        }
    }
    assert_eq!(client.go("stepIn").place(), format!("guard.lua:{IN_ADD}"), "it stands where it stood");
}

#[test]
fn breakpoints_survive_a_reload() {
    let project = project();
    let guard = file(&project, "guard.lua");
    let arguments = ["debug", "levels/yard.json", "--seconds", "600", "--speed", "5"];
    let mut client = Client::stdio(project.path(), &arguments);
    client.begin("launch");
    client.breakpoints(&guard, json!([{ "line": AFTER_ADD, "condition": "state.reloaded" }]));
    client.ready();
    client.event("breakpoint");
    project.write(
        "scripts/guard.lua",
        &GUARD.replace("self.state.count = bump and count", "state.reloaded = true"),
    );
    let stop = client.stop();
    assert_eq!((stop.why(), stop.place()), ("breakpoint", format!("guard.lua:{AFTER_ADD}")));
    assert_eq!(client.evaluate(stop.frame(), "self.state.list[1]"), "10", "the state was kept");
}

#[test]
fn a_run_waits_at_a_port_and_goes_on_without_its_client() {
    let project = project();
    let (plain, _) = project.expect(0, &["run", "levels/yard.json", "--seconds", "10", "--format", "json"]);
    let hash = |text: &str| serde_json::from_str::<Value>(text).unwrap()["hash"].clone();
    let arguments = ["run", "levels/yard.json", "--seconds", "10", "--debug", "0", "--format", "json"];
    let mut client = Client::tcp(project.path(), &arguments);
    client.begin("attach");
    let guard = file(&project, "guard.lua");
    client.breakpoints(&guard, json!([{ "line": IN_UPDATE, "hitCondition": "% 50" }]));
    client.ready();
    for _ in 0..3 {
        let stop = client.stop();
        client.evaluate(stop.frame(), "bump()");
        client.go("stepIn");
        client.go("stepOut");
        client.request("continue", json!({ "threadId": 1 }));
    }
    client.stop();
    client.request("disconnect", json!({}));
    assert_eq!(hash(&client.printed()), hash(&plain));
}

#[test]
fn who_leaves_before_attaching_is_forgotten() {
    let project = project();
    let (plain, _) = project.expect(0, &["run", "levels/yard.json", "--seconds", "1", "--format", "json"]);
    let hash = |text: &str| serde_json::from_str::<Value>(text).unwrap()["hash"].clone();
    let arguments = ["run", "levels/yard.json", "--seconds", "1", "--debug", "0", "--format", "json"];
    let mut client = Client::tcp_after(project.path(), &arguments, |address| {
        let greeting = json!({ "seq": 1, "type": "request", "command": "initialize" }).to_string();
        let greeting = format!("Content-Length: {}\r\n\r\n{greeting}", greeting.len());
        for text in ["", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", &greeting] {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
        }
    });
    client.begin("attach");
    client.breakpoints(&file(&project, "guard.lua"), json!([{ "line": IN_UPDATE, "hitCondition": "3" }]));
    client.ready();
    client.stop();
    client.request("continue", json!({ "threadId": 1 }));
    assert_eq!(client.event("exited")["exitCode"], 0);
    assert_eq!(hash(&client.printed()), hash(&plain));
}

/// Whoever is connected and silent, greeted or not, waits beside the others and is let go with them.
#[test]
fn who_is_silent_keeps_nobody_out() {
    let project = project();
    let arguments = ["run", "levels/yard.json", "--seconds", "1", "--debug", "0", "--format", "json"];
    for count in [1, 40] {
        let mut silent = Vec::new();
        let mut client = Client::tcp_after(project.path(), &arguments, |address| {
            let greeting = json!({ "seq": 1, "type": "request", "command": "initialize" }).to_string();
            let greeting = format!("Content-Length: {}\r\n\r\n{greeting}", greeting.len());
            for text in ["", "Content-Length: 5\r\n", &greeting].iter().cycle().take(count) {
                let mut stream = TcpStream::connect(address).unwrap();
                stream.write_all(text.as_bytes()).unwrap();
                silent.push(stream);
            }
        });
        client.begin("attach");
        client.breakpoints(&file(&project, "guard.lua"), json!([{ "line": IN_UPDATE, "hitCondition": "3" }]));
        client.ready();
        client.stop();
        for mut stream in silent {
            let mut told = Vec::new();
            // Closed or reset, as the system has it.
            let _ = stream.read_to_end(&mut told);
            assert!(!String::from_utf8_lossy(&told).contains("stopped"));
        }
        client.request("continue", json!({ "threadId": 1 }));
        assert_eq!(client.event("exited")["exitCode"], 0);
    }
}

/// A client that leaves ends what it has launched. That is no reason to keep a mistake from people.
#[test]
fn a_mistake_in_a_file_is_told_also_when_the_client_leaves_while_it_loads() {
    let mistakes = [
        ("local t = nil\nlocal x = t.field\n", "scripts/yard.lua:2:"),
        ("local t = 1\nlocal deep = require(\"deep\")\n", "scripts/deep.lua:2:"),
        ("local x = = 1\n", "scripts/yard.lua:1:"),
    ];
    for (text, told) in mistakes {
        let project = project();
        project.write("scripts/yard.lua", text);
        project.write("scripts/deep.lua", "local t = nil\nreturn t.field\n");
        let mut client = Client::stdio(project.path(), &["debug", "levels/yard.json", "--seconds", "1"]);
        client.begin("launch");
        let deep = json!([{ "line": 2 }]);
        client.breakpoints(&file(&project, "deep.lua"), deep.clone());
        client.breakpoints(&file(&project, "yard.lua"), if text.contains("deep") { json!([]) } else { deep });
        if !text.contains("= =") {
            client.ready();
            client.stop();
        }
        client.request("disconnect", json!({}));
        assert_eq!(client.event("exited")["exitCode"], 4, "{text}");
        let (code, errors) = client.end();
        assert_eq!(code, Some(4), "{text}: {errors}");
        assert!(errors.contains(told), "{text}: {errors}");
    }
}

#[test]
fn a_client_that_leaves_while_files_load_ends_them_and_nothing_is_wrong() {
    let project = project();
    let endless = "local n = 0\nwhile true do\n  n += 1\nend\n";
    for (yard, line) in [(endless, 3), ("require(\"deep\")\n", 3)] {
        project.write("scripts/yard.lua", yard);
        project.write("scripts/deep.lua", endless);
        let mut client = Client::stdio(project.path(), &["debug", "levels/yard.json", "--seconds", "1"]);
        client.begin("launch");
        for name in ["yard.lua", "deep.lua"] {
            client.breakpoints(&file(&project, name), json!([{ "line": line }]));
        }
        client.ready();
        client.stop();
        client.request("disconnect", json!({}));
        assert_eq!(client.event("exited")["exitCode"], 0, "{yard}");
        let (code, errors) = client.end();
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{yard}");
    }
}

/// A buffer counts by its bytes, and coroutines stay what they are.
#[test]
fn questions_copy_buffers_within_bounds_and_tell_coroutines_apart() {
    let project = project();
    project.write(
        "scripts/yard.lua",
        "local function f() coroutine.yield() end\nlocal a, b = coroutine.create(f), coroutine.create(f)\n\
         local bytes = buffer.create(1024)\nlocal huge = {}\nlocal list = { a, b, [a] = 5 }\n\
         function onTick()\n  state.ticks = level.tick\n  local _ = { a, b, bytes, huge, list }\n  \
         if level.tick == 2 then for i = 1, 14 do huge[i] = buffer.create(1024 * 1024) end end\nend\n",
    );
    let mut client = Client::stdio(project.path(), &["debug", "levels/yard.json", "--ticks", "9"]);
    client.begin("launch");
    client.breakpoints(&file(&project, "yard.lua"), json!([{ "line": 8, "hitCondition": ">= 2" }]));
    client.ready();
    let frame = client.stop().frame();
    for (question, answer) in [
        ("a == b", "false"),
        ("a == a and list[1] == a and list[2] == b and list[a] == 5", "true"),
        ("type(a)", "\"thread\""),
        ("coroutine.status(a)", "\"suspended\""),
        ("buffer.len(bytes)", "1024"),
        ("(function() buffer.writeu8(bytes, 0, 7) return buffer.readu8(bytes, 0) end)()", "7"),
        ("buffer.readu8(bytes, 0)", "0"),
    ] {
        assert_eq!(client.evaluate(frame, question), answer, "{question}");
    }
    for change in ["coroutine.close(a)", "coroutine.resume(a)"] {
        let refused = client.evaluate(frame, change);
        assert!(refused.contains("write ! in front"), "{change}: {refused}");
    }
    assert_eq!(client.evaluate(frame, "coroutine.status(a)"), "\"suspended\"");
    let frame = client.go("continue").frame();
    let refused = client.evaluate(frame, "buffer.len(bytes)");
    assert!(refused.contains("are within reach"), "{refused}");
    assert_eq!(client.evaluate(frame, "! buffer.len(huge[14])"), "1048576");
}

/// Whoever goes on greeting, and reads no answer, keeps nobody out either.
#[test]
fn who_talks_without_end_keeps_nobody_out() {
    let project = project();
    let arguments = ["run", "levels/yard.json", "--seconds", "1", "--debug", "0", "--format", "json"];
    let mut talker = None;
    let mut client = Client::tcp_after(project.path(), &arguments, |address| {
        let greeting = json!({ "seq": 1, "type": "request", "command": "initialize" }).to_string();
        let greetings = format!("Content-Length: {}\r\n\r\n{greeting}", greeting.len()).repeat(100);
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(greetings.as_bytes()).unwrap();
        // Until it is let go.
        talker = Some(std::thread::spawn(move || while stream.write_all(greetings.as_bytes()).is_ok() {}));
    });
    client.begin("attach");
    client.ready();
    assert_eq!(client.event("exited")["exitCode"], 0);
    talker.unwrap().join().unwrap();
}

/// What a debugger or a signal ends while files load has ended well, also where a save game was to go on.
#[cfg(unix)]
#[test]
fn a_restored_run_that_is_ended_while_its_files_load_is_no_mistake() {
    let project = project();
    project.expect(0, &["run", "levels/yard.json", "--ticks", "5", "--save-at", "5", "s.save"]);
    let arguments = ["run", "levels/yard.json", "--ticks", "9", "--debug", "0", "--trace", "t.jsonl"];
    for from in [&[][..], &["--from", "s.save"]] {
        for (ending, code) in [("terminate", 0), ("-INT", 130)] {
            let mut client = Client::tcp(project.path(), &[&arguments, from].concat());
            client.begin("attach");
            client.breakpoints(&file(&project, "guard.lua"), json!([{ "line": 1 }]));
            client.ready();
            assert_eq!(client.stop().place(), "guard.lua:1");
            match ending {
                "terminate" => drop(client.request(ending, json!({}))),
                signal => client.signal(signal),
            }
            assert_eq!(client.event("exited")["exitCode"], code, "{from:?}, {ending}");
            let (ended, errors) = client.end();
            assert_eq!((ended, errors.as_str()), (Some(code), ""), "{from:?}, {ending}");
            let last: Value = serde_json::from_str(project.read("t.jsonl").lines().last().unwrap()).unwrap();
            let first = if from.is_empty() { 0 } else { 5 };
            assert_eq!((&last["end"], &last["t"]), (&json!("signal"), &json!(first)), "{from:?}: {last}");
        }
    }
}

#[test]
fn a_run_that_waited_goes_on_when_its_client_leaves_without_attaching() {
    let project = project();
    let arguments = ["run", "levels/yard.json", "--seconds", "1", "--debug", "0", "--format", "json"];
    let mut client = Client::tcp(project.path(), &arguments);
    client.request("initialize", json!({}));
    client.breakpoints(&file(&project, "guard.lua"), json!([{ "line": IN_UPDATE }]));
    client.hang_up();
    let report: Value = serde_json::from_str(&client.printed()).unwrap();
    assert_eq!((&report["ended"], &report["ok"]), (&json!("bound"), &json!(true)), "{report}");
}

#[test]
fn tests_run_under_a_debugger_one_after_another() {
    let project = project();
    project.write(
        "scripts/guard_test.lua",
        "test.level(\"anna arrives\", { level = \"yard\" }, function(t)\n  local anna = world.character(\"anna\")\n  \
         t:until_(\n    function() return anna.position.x > 4 end)\nend)\n\
         test.level(\"the gate is shut\", { level = \"yard\" }, function(t)\n  local gate = world.door(\"gate\")\n  \
         t:expect(gate.state):toBe(\"closed\")\nend)\n",
    );
    let mut client = Client::tcp(project.path(), &["test", "--debug", "0"]);
    client.begin("attach");
    client.breakpoints(&file(&project, "guard_test.lua"), json!([{ "line": 3 }, { "line": 8 }]));
    client.ready();
    for (line, name, shown) in [(3, "anna", "character \"anna\""), (8, "gate", "door \"gate\"")] {
        // Of the two runs of a test, the first alone stops.
        let stop = client.stop();
        assert_eq!(stop.place(), format!("guard_test.lua:{line}"));
        assert_eq!(client.evaluate(stop.frame(), name), shown);
        client.request("continue", json!({ "threadId": 1 }));
    }
    assert_eq!(client.event("exited")["exitCode"], 0);
    assert!(client.printed().contains("2 passed, 0 failed"));
}

#[test]
fn a_client_that_vanishes_ends_what_it_has_launched() {
    let project = project();
    let mut client = launched(&project, json!([{ "line": IN_UPDATE }]));
    client.stop();
    assert_eq!(client.vanish(), Some(0));
}

/// Before the client has attached, while the level stands still, while it runs; also where it leaves then.
#[cfg(unix)]
#[test]
fn fault_h5_a_signal_ends_a_debugged_run_with_its_code_whenever_it_comes() {
    let project = project();
    let greet = |client: &mut Client| {
        client.request("initialize", json!({}));
        client.event("initialized");
    };
    let stop = |client: &mut Client| {
        client.begin("launch");
        client.breakpoints(&file(&project, "guard.lua"), json!([{ "line": IN_UPDATE }]));
        client.ready();
        client.stop();
    };
    let run = |client: &mut Client| {
        client.begin("launch");
        client.ready();
        client.event("output");
    };
    let attach = |client: &mut Client| client.begin("launch");
    let states: [&dyn Fn(&mut Client); 4] = [&greet, &attach, &stop, &run];
    type Ending = fn(&mut Client, &str) -> (Option<i32>, Vec<Value>);
    let ends: [Ending; 2] = [Client::end_by, Client::end_by_and_leave];
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        for (at, come_to) in states.iter().enumerate() {
            for (way, end) in ends.iter().enumerate() {
                let arguments = ["debug", "levels/yard.json", "--seconds", "100", "--speed", "1"];
                let mut client = Client::stdio(project.path(), &arguments);
                come_to(&mut client);
                let (exit, told) = end(&mut client, signal);
                let is_of_shutting_down = |event: &&Value| event.to_string().contains("shutting down");
                assert_eq!(exit, Some(code), "{signal} in state {at}, way {way}: {told:?}");
                assert_eq!(told.iter().find(is_of_shutting_down), None, "{signal} in state {at}, way {way}");
            }
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_a_sentence() {
    let project = project();
    project.write("levels/broken.json", "{ \"name\": 5 }");
    let mut client = Client::stdio(project.path(), &["debug", "levels/broken.json"]);
    client.request("initialize", json!({}));
    let why = client.refusal("launch", json!({}));
    assert!(why.contains("walkon check levels/broken.json"), "{why}");
    client.request("disconnect", json!({}));
    let mut client = launched(&project, json!([{ "line": IN_UPDATE }]));
    client.stop();
    assert_eq!(client.refusal("fly", json!({})), "unknown request \"fly\"");
    assert_eq!(client.refusal("exceptionInfo", json!({})), "no fault has stopped the level");
    let gone = json!({ "expression": "1", "frameId": 99 });
    assert_eq!(client.refusal("evaluate", gone), "this frame is gone");
    for (command, body) in [("stackTrace", "stackFrames"), ("scopes", "scopes"), ("variables", "variables")] {
        let answer =
            client.request(command, json!({ "threadId": 77, "frameId": 77, "variablesReference": 77 }));
        assert_eq!(answer[body], json!([]), "{command}");
    }
    let lines = client.request(
        "breakpointLocations",
        json!({ "source": { "path": file(&project, "guard.lua") }, "line": 1, "endLine": 6 }),
    );
    let lines: Vec<u64> =
        lines["breakpoints"].as_array().unwrap().iter().map(|one| one["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [1, 2, 3, 4, 5, 6]);
    let text = client.request("source", json!({ "source": { "path": file(&project, "yard.lua") } }));
    assert_eq!(text["content"], YARD);
}
