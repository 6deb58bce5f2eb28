//! The debugger of the live page, over the page's protocol.
//!
//! Goal: a stop is one for all clients; meanwhile they are served; and the run is that of
//! `run`. Method: a small yard and the courtyard under view, driven over their sockets.

use serde_json::{Value, json};

use super::browser::Page;
use super::hand::{Hand, Viewed};
use super::page::{at_ease, opened};
use super::protocol::run_hash;
use crate::debugger::protocol::{AFTER_ADD, AFTER_WAIT, AT_FAULT, GUARD, IN_ADD, IN_UPDATE, LEVEL, YARD};

const FILE: &str = "guard.lua";
/// A line of it without code; the next has some, which runs as the file is loaded.
const AT_EMPTY: u32 = 12;

/// A yard with one guard, paused at tick 0.
pub fn yard() -> Viewed {
    yard_with(&[])
}

/// The same with more files.
pub fn yard_with(more: &[(&str, &str)]) -> Viewed {
    let project = tempfile::tempdir().unwrap();
    let own = [("yard.json", LEVEL), (FILE, GUARD), ("yard.lua", YARD)];
    for (path, text) in own.iter().chain(more) {
        std::fs::write(project.path().join(path), text).unwrap();
    }
    Viewed::of(project, "yard.json", &["--paused"])
}

fn debug(action: &str, mut fields: Value) -> Value {
    fields["do"] = "debug".into();
    fields["action"] = action.into();
    fields
}

/// Asks the debugger something, which has to succeed.
fn get(hand: &mut Hand, action: &str, fields: Value) -> Value {
    hand.get(debug(action, fields))
}

fn set(hand: &mut Hand, lines: Value) -> Value {
    get(hand, "breakpoints", json!({ "file": FILE, "lines": lines }))["breakpoints"].clone()
}

fn stopped(hand: &mut Hand) -> Value {
    hand.wait(|message| message["tell"] == "stopped")
}

fn go(hand: &mut Hand, action: &str) {
    get(hand, action, json!({}));
    hand.wait(|message| message["tell"] == "continued");
}

/// A client of a yard that has run so many ticks and stands at a line.
fn standing_at(viewed: &Viewed, line: u32, ticks: u64) -> Hand {
    let mut hand = viewed.client();
    hand.step(ticks);
    set(&mut hand, json!([{ "line": line }]));
    hand.get(json!({ "do": "play" }));
    stopped(&mut hand);
    hand
}

/// The names in a scope of the innermost frame, with their values.
fn names(hand: &mut Hand, scope: &str) -> Vec<(String, String)> {
    let frame = get(hand, "frames", json!({}))["frames"][0]["id"].clone();
    let scopes = get(hand, "scopes", json!({ "frame": frame }))["scopes"].clone();
    let found = scopes.as_array().unwrap().iter().find(|one| one["name"] == scope);
    let reference = found.unwrap_or_else(|| panic!("{scopes}"))["reference"].clone();
    let rows = get(hand, "variables", json!({ "reference": reference }))["variables"].clone();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    rows.as_array().unwrap().iter().map(|row| (text(row, "name"), text(row, "value"))).collect()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn a_breakpoint_stops_for_everybody_and_shows_its_frames() {
    let viewed = yard();
    let (mut hand, mut other) = (viewed.client(), viewed.client());
    hand.step(10);
    let placed = set(&mut hand, json!([{ "line": IN_ADD }]));
    assert_eq!((&placed[0]["line"], &placed[0]["trouble"]), (&json!(IN_ADD), &Value::Null), "{placed}");
    let known = other.wait(|message| message["tell"] == "breakpoints" && message["files"][FILE].is_array());
    assert_eq!(known["files"][FILE], placed);
    hand.get(json!({ "do": "play" }));
    let stop = stopped(&mut hand);
    assert_eq!(
        (&stop["reason"], &stop["file"], &stop["line"]),
        (&json!("breakpoint"), &json!(FILE), &json!(IN_ADD))
    );
    assert_eq!((&stop["tick"], &stop["breakpoints"]), (&json!(11), &json!([placed[0]["id"]])), "{stop}");
    assert_eq!(stopped(&mut other), stop);
    let state = other.wait(|message| message["tell"] == "state" && message["stopped"].is_object());
    assert_eq!((&state["playing"], &state["stopped"]["line"]), (&json!(false), &json!(IN_ADD)));
    let frames = get(&mut hand, "frames", json!({}))["frames"].clone();
    let shown: Vec<_> = frames
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["function"].as_str(), one["line"].as_u64()))
        .collect();
    assert_eq!(shown, [(Some("add"), Some(u64::from(IN_ADD))), (Some("update"), Some(u64::from(IN_UPDATE)))]);
    assert_eq!(names(&mut hand, "Locals"), [pair("a", "10"), pair("b", "1")]);
    // The other one looks as well, and steps.
    go(&mut other, "over");
    let stop = stopped(&mut other);
    assert_eq!((&stop["reason"], &stop["line"]), (&json!("step"), &json!(IN_ADD + 1)));
    assert!(names(&mut other, "Locals").contains(&pair("sum", "11")));
    go(&mut other, "out");
    assert_eq!(stopped(&mut other)["line"], AFTER_ADD);
    // A handle opens into its fields.
    let frame = get(&mut other, "frames", json!({}))["frames"][0]["id"].clone();
    let who = get(&mut other, "evaluate", json!({ "text": "self.character", "frame": frame }));
    let fields = get(&mut other, "variables", json!({ "reference": who["reference"] }))["variables"].clone();
    assert!(
        fields.as_array().unwrap().iter().any(|one| one["name"] == "name" && one["value"] == "\"anna\""),
        "{fields}"
    );
    let threads = get(&mut other, "threads", json!({}))["threads"].clone();
    assert!(threads.to_string().contains("waits for walk"), "{threads}");
    set(&mut other, json!([]));
    go(&mut other, "continue");
    let state = hand.wait(|message| {
        message["tell"] == "state" && message["playing"] == true && message["tick"].as_u64() > Some(11)
    });
    assert!(state["stopped"].is_null(), "{state}");
}

#[test]
fn a_viewed_run_with_breakpoints_has_the_hash_of_run() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let text = std::fs::read_to_string(viewed.file("scripts/behaviours/guard.lua")).unwrap();
    let lines: Vec<Value> =
        (1..=text.lines().count()).step_by(2).map(|line| json!({ "line": line })).collect();
    let file = "behaviours/guard.lua";
    get(&mut hand, "breakpoints", json!({ "file": file, "lines": lines }));
    get(&mut hand, "stops", json!({ "events": ["walk.settled", "door.changed"], "faults": true }));
    hand.get(json!({ "do": "step", "ticks": 300 }));
    let (mut stops, mut last) = (0, 0);
    let state = loop {
        let told = hand.wait(|message| {
            message["tell"] == "stopped"
                || message["tell"] == "state" && message["tick"] == 300 && message["hash"].is_string()
        });
        if told["tell"] == "state" {
            break told;
        }
        stops += 1;
        if told["reason"] != "step" {
            last = told["tick"].as_u64().unwrap();
        }
        let frames = get(&mut hand, "frames", json!({}))["frames"].clone();
        if let Some(frame) = frames.get(0) {
            get(&mut hand, "evaluate", json!({ "frame": frame["id"], "text": "self and self.state" }));
            let moved = hand.ask(debug(
                "evaluate",
                json!({ "frame": frame["id"], "text": "self.character:walkTo(1, 1)" }),
            ));
            assert!(moved.is_err(), "{moved:?}");
        }
        get(&mut hand, ["continue", "over", "in", "out"][stops % 4], json!({}));
    };
    assert!(stops > 20, "{stops}");
    assert_eq!(
        (&state["hash"], &state["isReproducible"]),
        (&json!(run_hash("courtyard", 300)), &json!(true))
    );
    // The past and going on from it are those of any run, and nothing is stopped at again on the way.
    hand.forget();
    hand.get(json!({ "do": "goOn", "tick": last - 1 }));
    assert_eq!(hand.state_at(last - 1)["hash"], run_hash("courtyard", last - 1));
    hand.get(json!({ "do": "step", "ticks": 1 }));
    assert_eq!(stopped(&mut hand)["tick"], last);
}

#[test]
fn while_it_is_stopped_the_page_is_served() {
    let viewed = yard();
    let mut hand = standing_at(&viewed, IN_ADD, 10);
    // Longer than a call may take: the watchdog sleeps.
    std::thread::sleep(std::time::Duration::from_millis(600));
    let anna = hand.get(json!({ "do": "inspect", "kind": "character", "name": "anna" }));
    assert_eq!(anna["behaviour"]["file"], FILE);
    assert!(!hand.get(json!({ "do": "find", "text": "ann" }))["found"].as_array().unwrap().is_empty());
    hand.get(json!({ "do": "show", "parts": ["cells", "doors"] }));
    hand.get(json!({ "do": "seek", "tick": 5 }));
    hand.wait(|message| message["tell"] == "seen" && message["tick"] == 5);
    hand.get(json!({ "do": "seek" }));
    hand.get(json!({ "do": "speed", "times": 2 }));
    let refused = hand.ask(json!({ "do": "save" })).unwrap_err();
    assert!(refused.contains(&format!("stopped at {FILE}:{IN_ADD}")), "{refused}");
    let heard = hand.get(json!({ "do": "input", "event": "bell" }));
    assert_eq!(heard["tick"], 12);
    // A client that comes now sees it all.
    let mut late = viewed.connect(&[]).unwrap();
    let welcome = late.wait(|message| message["tell"] == "welcome");
    assert_eq!(welcome["state"]["stopped"]["line"], IN_ADD, "{welcome}");
    late.wait(|message| message["tell"] == "breakpoints" && message["files"][FILE].is_array());
    late.wait(|message| message["tell"] == "roster" && message["rows"][0]["name"] == "anna");
    late.get(json!({ "do": "ping" }));
    assert!(!late.frames.is_empty());
    // One tick on is the rest of this one.
    late.get(json!({ "do": "step", "ticks": 1 }));
    let state = hand.state_at(11);
    assert_eq!((&state["playing"], &state["faults"]), (&json!(false), &json!(0)));
    late.get(json!({ "do": "step", "ticks": 1 }));
    assert_eq!(stopped(&mut late)["tick"], 12);
    let told = hand.get(json!({ "do": "history", "from": 0, "to": 12 })).to_string();
    assert!(told.contains("bell") || !told.contains("inputRefused"), "{told}");
    // From the start: the rest of the tick runs, and the new run stops again.
    late.forget();
    late.get(json!({ "do": "restart" }));
    late.get(json!({ "do": "play" }));
    assert_eq!(stopped(&mut late)["tick"], 1);
}

#[test]
fn conditions_counts_log_points_and_lines_without_code() {
    let viewed = yard();
    let mut hand = viewed.client();
    // Where nothing is it stops at the next line with code.
    let placed = set(
        &mut hand,
        json!([
            { "line": IN_ADD, "condition": "a == 20" },
            { "line": IN_ADD + 1, "log": "sum {sum} of {self}", "hits": "% 10" },
            { "line": AT_EMPTY },
            { "line": 900 },
        ]),
    );
    assert_eq!(
        (&placed[2]["asked"], &placed[2]["line"]),
        (&json!(AT_EMPTY), &json!(AT_EMPTY + 1)),
        "{placed}"
    );
    assert!(placed[3]["trouble"].as_str().unwrap().contains("no code"), "{placed}");
    set(
        &mut hand,
        json!([
            { "line": IN_ADD, "condition": "a == 20" },
            { "line": IN_ADD + 1, "log": "sum {sum}", "hits": "% 10" },
        ]),
    );
    hand.get(json!({ "do": "play" }));
    assert_eq!(stopped(&mut hand)["tick"], 21);
    let told = hand.wait(|message| message["tell"] == "logPoint");
    assert_eq!(
        (&told["text"], &told["tick"], &told["line"]),
        (&json!("sum 10"), &json!(10), &json!(IN_ADD + 1))
    );
    for (action, fields, expected) in [
        ("breakpoints", json!({ "file": FILE, "lines": [{ "line": 1, "hits": "x" }] }), "\"lines[0].hits\""),
        ("breakpoints", json!({ "file": FILE, "lines": [{ "line": 0 }] }), "\"lines[0].line\" is 0"),
        ("breakpoints", json!({ "file": FILE, "lines": [{ "lime": 1 }] }), "did you mean \"line\"?"),
        ("stops", json!({ "events": ["walk.bloked"] }), "did you mean \"walk.blocked\"?"),
        ("evaluate", json!({ "text": "nosuch.thing" }), "nil with 'thing'"),
        ("lines", json!({ "file": "nobody.lua" }), "no script"),
        ("sideways", json!({}), "unknown action"),
    ] {
        let refused = hand.ask(debug(action, fields)).unwrap_err();
        assert!(refused.contains(expected), "{refused}");
    }
    let lines = get(&mut hand, "lines", json!({ "file": FILE }))["lines"].clone();
    assert!(
        lines.as_array().unwrap().contains(&json!(IN_ADD))
            && !lines.as_array().unwrap().contains(&json!(AT_EMPTY))
    );
    go(&mut hand, "continue");
    let refused = hand.ask(debug("frames", json!({}))).unwrap_err();
    assert!(refused.contains("not stopped"), "{refused}");
}

#[test]
fn events_and_faults_stop_and_a_pause_is_answered_first() {
    let viewed = yard();
    let mut hand = viewed.client();
    get(&mut hand, "stops", json!({ "events": ["door.opened", "walk.settled"], "faults": true }));
    hand.get(json!({ "do": "speed", "times": "max" }));
    hand.get(json!({ "do": "play" }));
    let stop = stopped(&mut hand);
    assert_eq!(
        (&stop["reason"], &stop["event"], &stop["file"]),
        (&json!("event"), &json!("walk.settled"), &Value::Null)
    );
    let tick = stop["tick"].as_u64().unwrap();
    let anna = hand.get(json!({ "do": "inspect", "kind": "character", "name": "anna" }));
    assert_ne!(anna["walk"]["status"], "walking", "{tick}: {anna}");
    go(&mut hand, "continue");
    assert_eq!(stopped(&mut hand)["event"], "door.opened");
    get(&mut hand, "stops", json!({ "events": [] }));
    go(&mut hand, "continue");
    let stop = stopped(&mut hand);
    assert_eq!((&stop["reason"], &stop["line"]), (&json!("fault"), &json!(AT_FAULT)));
    assert!(stop["text"].as_str().unwrap().contains("nil"), "{stop}");
    assert!(names(&mut hand, "Locals").contains(&pair("kept", "\"still here\"")));
    hand.get(json!({ "do": "pause" }));
    go(&mut hand, "continue");
    hand.wait(|message| message["tell"] == "state" && message["hash"].is_string());
    // Where nothing runs it stops between two ticks.
    let asked = hand.send(debug("pause", json!({})));
    let first = hand.wait(|message| message["id"] == asked || message["tell"] == "stopped");
    assert_eq!(first["id"], asked, "the answer comes first: {first}");
    let stop = stopped(&mut hand);
    assert_eq!((&stop["reason"], &stop["file"]), (&json!("pause"), &Value::Null));
    assert!(get(&mut hand, "evaluate", json!({ "text": "level.tick" }))["value"].is_string());
    go(&mut hand, "continue");
    // A loop that does not end is stopped within.
    get(&mut hand, "stops", json!({ "faults": false }));
    let script = viewed.file(FILE);
    let endless = GUARD.replace("local gate = world", "while true do count += 0 end\n  local gate = world");
    std::fs::write(&script, endless).unwrap();
    hand.wait(|message| message["tell"] == "script");
    hand.get(json!({ "do": "play" }));
    hand.forget();
    let asked = hand.send(debug("pause", json!({})));
    let first = hand.wait(|message| message["id"] == asked || message["tell"] == "stopped");
    assert_eq!(first["id"], asked, "the answer comes first: {first}");
    assert_eq!(stopped(&mut hand)["reason"], "pause");
}

#[test]
fn a_text_that_is_let_act_marks_the_run() {
    let viewed = yard();
    let mut hand = standing_at(&viewed, AFTER_ADD, 5);
    let frame = get(&mut hand, "frames", json!({}))["frames"][0]["id"].clone();
    let text = "self.character:walkTo(1, 1)";
    let refused = hand.ask(debug("evaluate", json!({ "frame": frame, "text": text }))).unwrap_err();
    assert!(refused.contains("changes the run"), "{refused}");
    get(&mut hand, "evaluate", json!({ "frame": frame, "text": text, "acts": true }));
    set(&mut hand, json!([]));
    hand.get(json!({ "do": "pause" }));
    go(&mut hand, "continue");
    hand.wait(|message| message["tell"] == "log" && message.to_string().contains("not repeatable"));
    assert_eq!(hand.state_at(6)["isReproducible"], false);
    hand.step(3);
    // Nothing shows a run that was not: what comes from the text on cannot be run again.
    for command in [
        json!({ "do": "seek", "tick": 6 }),
        json!({ "do": "seek", "tick": 9 }),
        json!({ "do": "goOn", "tick": 7 }),
        json!({ "do": "trace" }),
    ] {
        let refused = hand.ask(command.clone()).unwrap_err();
        assert!(refused.contains("cannot be replayed, expected at most 5"), "{command}: {refused}");
    }
    hand.get(json!({ "do": "seek", "tick": 5 }));
    hand.wait(|message| message["tell"] == "seen" && message["tick"] == 5);
    hand.get(json!({ "do": "seek", "tick": null }));
    hand.get(json!({ "do": "forecast", "seconds": 1, "from": 8 }));
    let forecast = hand.wait(|message| message["tell"] == "forecast" && message["done"] == true);
    assert!(forecast["error"].as_str().is_some_and(|why| why.contains("cannot be replayed")), "{forecast}");
    // Before it the run is what it was, and from there it goes on as any other.
    hand.get(json!({ "do": "goOn", "tick": 5 }));
    hand.forget();
    assert_eq!(hand.step(4)["isReproducible"], true);
    hand.get(json!({ "do": "seek", "tick": 8 }));
    hand.wait(|message| message["tell"] == "seen" && message["tick"] == 8);
    assert!(hand.get(json!({ "do": "trace" }))["text"].is_string());
}

/// After a text that was let act no copy comes to the run: the level itself is asked, as it stands.
#[test]
fn questions_about_a_run_that_nobody_can_run_again_are_answered_as_it_stands() {
    let viewed = yard();
    let mut hand = standing_at(&viewed, AFTER_ADD, 5);
    let acts = json!({ "text": "(function() self.state.count = 7000 self.character:walkTo(1, 1) end)()" });
    let inspect = |kind: &str, name: &str| json!({ "do": "inspect", "kind": kind, "name": name });
    for round in 0..3 {
        let frame = get(&mut hand, "frames", json!({}))["frames"][0]["id"].clone();
        if round == 0 {
            let mut acts = acts.clone();
            (acts["frame"], acts["acts"]) = (frame.clone(), true.into());
            get(&mut hand, "evaluate", acts);
        }
        let mut value = |text: &str| {
            let shown = get(&mut hand, "evaluate", json!({ "frame": frame, "text": text }));
            shown["value"].as_str().unwrap().parse::<f64>().unwrap()
        };
        let (count, x) = (value("self.state.count"), value("self.character.position.x"));
        let found = hand.get(inspect("character", "anna"));
        assert_eq!(found["behaviour"]["state"]["count"].as_f64(), Some(count), "{round}: {found}");
        assert!((found["position"][0].as_f64().unwrap() - x).abs() < 1e-3, "{round}: {found}");
        assert_eq!(count == 7000.0, round == 0, "{found}");
        assert!(found["tasks"].as_array().is_some_and(|tasks| !tasks.is_empty()), "{found}");
        assert_eq!(hand.get(json!({ "do": "find", "text": "anna" }))["found"][0]["name"], "anna");
        let path = json!({ "do": "path", "from": [2, 0, 2], "to": [8, 0, 6], "radius": 0.35 });
        assert_eq!(hand.get(path)["status"], "complete");
        let refused = hand.ask(inspect("level", "")).unwrap_err();
        assert!(refused.contains("between two ticks"), "{refused}");
        go(&mut hand, "continue");
        stopped(&mut hand);
    }
}

/// The same at every later stop: in the tick under way, and in the next after one that was over.
#[test]
fn questions_are_answered_as_it_stands_at_every_stop_behind_a_text_that_acts() {
    let inspect = json!({ "do": "inspect", "kind": "character", "name": "anna" });
    let viewed = yard();
    let mut hand = standing_at(&viewed, AFTER_ADD, 5);
    let frame = get(&mut hand, "frames", json!({}))["frames"][0]["id"].clone();
    let text = "(function() self.state.list = 7000 end)()";
    get(&mut hand, "evaluate", json!({ "text": text, "frame": frame, "acts": true }));
    set(&mut hand, json!([]));
    go(&mut hand, "over");
    stopped(&mut hand);
    let found = hand.get(inspect.clone());
    assert_eq!(found["behaviour"]["state"]["list"].as_f64(), Some(7000.0), "{found}");

    let viewed = yard();
    let mut hand = viewed.client();
    get(&mut hand, "stops", json!({ "events": ["walk.settled"] }));
    hand.get(json!({ "do": "speed", "times": "max" }));
    hand.get(json!({ "do": "play" }));
    assert!(stopped(&mut hand)["line"].is_null());
    let text = "world.character(\"anna\"):teleport(8, 7)";
    get(&mut hand, "evaluate", json!({ "text": text, "acts": true }));
    set(&mut hand, json!([{ "line": IN_UPDATE }]));
    go(&mut hand, "continue");
    assert_eq!(stopped(&mut hand)["line"], IN_UPDATE);
    let found = hand.get(inspect);
    assert!(found["position"][0].as_f64().is_some_and(|x| x > 7.0), "{found}");
}

/// What changes a level as it loads leaves nothing of the run to show, not even its first tick.
#[test]
fn a_text_that_acts_as_a_restart_loads_leaves_no_tick_to_run_again() {
    let viewed = yard();
    let mut hand = viewed.client();
    hand.step(3);
    get(&mut hand, "breakpoints", json!({ "file": "yard.lua", "lines": [{ "line": 1 }] }));
    hand.forget();
    let restarted = hand.send(json!({ "do": "restart" }));
    stopped(&mut hand);
    get(&mut hand, "evaluate", json!({ "text": "(function() state.spoilt = 1 end)()", "acts": true }));
    go(&mut hand, "continue");
    hand.wait(|message| message["id"] == restarted);
    let state = hand.state_at(0);
    assert_eq!((&state["isReproducible"], &state["kept"]), (&json!(false), &json!([1, 0])), "{state}");
    for from in [0, 0, 1] {
        hand.forget();
        hand.get(json!({ "do": "forecast", "seconds": 1, "from": from }));
        let forecast = hand.wait(|message| message["tell"] == "forecast" && message["done"] == true);
        let why = forecast["error"].as_str().unwrap_or_default();
        assert!(why.contains("no tick of this run can be replayed"), "from {from}: {forecast}");
        hand.step(2);
    }
    for command in ["seek", "goOn"] {
        let refused = hand.ask(json!({ "do": command, "tick": 0 })).unwrap_err();
        assert!(refused.contains("no tick of this run can be replayed"), "{command}: {refused}");
    }
    // The running level is no past.
    hand.get(json!({ "do": "seek", "tick": null }));
    // Another restart is another run.
    get(&mut hand, "breakpoints", json!({ "file": "yard.lua", "lines": [] }));
    hand.get(json!({ "do": "restart" }));
    hand.forget();
    hand.get(json!({ "do": "forecast", "seconds": 1, "from": 0 }));
    let forecast = hand.wait(|message| message["tell"] == "forecast" && message["done"] == true);
    assert!(forecast["error"].is_null(), "{forecast}");
}

#[test]
fn breakpoints_stay_over_saved_scripts_and_new_runs() {
    let viewed = yard();
    let mut hand = viewed.client();
    set(&mut hand, json!([{ "line": AFTER_WAIT }]));
    let text = format!("-- one\n-- two\n{GUARD}");
    hand.get(json!({ "do": "write", "file": FILE, "text": text }));
    hand.step(1);
    let moved = hand.wait(|message| {
        message["tell"] == "breakpoints" && message["files"][FILE][0]["line"] == AFTER_WAIT + 2
    });
    assert_eq!(moved["files"][FILE][0]["asked"], AFTER_WAIT + 2);
    hand.get(json!({ "do": "speed", "times": "max" }));
    hand.get(json!({ "do": "play" }));
    assert_eq!(stopped(&mut hand)["line"], AFTER_WAIT + 2);
    hand.get(json!({ "do": "restart" }));
    hand.get(json!({ "do": "play" }));
    hand.wait(|message| message["tell"] == "continued");
    assert_eq!(stopped(&mut hand)["line"], AFTER_WAIT + 2);
}

#[test]
fn a_stop_ends_when_nobody_looks_on_any_more() {
    let viewed = yard();
    let mut hand = viewed.client();
    set(&mut hand, json!([{ "line": IN_ADD }]));
    hand.get(json!({ "do": "play" }));
    stopped(&mut hand);
    // One that leaves while another looks on changes nothing.
    drop(viewed.client());
    assert_eq!(names(&mut hand, "Locals"), [pair("a", "0"), pair("b", "1")]);
    drop(hand);
    // Nobody is there for a while: it goes on alone, past the breakpoint.
    let met = (0..20).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_secs(3));
        let mut hand = viewed.connect(&[]).unwrap();
        let welcome = hand.wait(|message| message["tell"] == "welcome");
        (welcome["state"]["tick"].as_u64() > Some(5)).then_some(hand)
    });
    // It stops again for the client that comes then.
    stopped(&mut met.unwrap());
}

/// The middle of the number of a line of the source.
fn number_of_line(page: &mut Page, line: u32) -> [f64; 2] {
    let spot = page.until(&format!(
        "(it => {{ it?.scrollIntoView({{ block: 'center' }}); const box = it?.getBoundingClientRect(); \
         return box?.width > 0 && [box.x + box.width / 2, box.y + box.height / 2]; }})\
         (document.querySelector('.lineno[data-line=\"{line}\"]'))"
    ));
    [spot[0].as_f64().unwrap(), spot[1].as_f64().unwrap()]
}

fn words(mark: &str) -> String {
    format!("(document.querySelector('[data-test=\"{mark}\"]')?.innerText ?? '')")
}

/// The line that is lit because the level is stopped there.
const HALTED: &str = "Number(document.querySelector('.codeline.halt .lineno')?.dataset.line ?? 0)";

#[test]
fn a_click_on_a_line_number_stops_there() {
    let viewed = yard();
    let Some((browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    page.press("tab-source");
    page.until("document.querySelector('[data-test=\"source-file\"]').options.length > 2");
    page.set("[data-test=\"source-file\"]", FILE);
    page.until(&format!("{}.includes('local sum = a + b')", words("source-text")));
    let spot = number_of_line(&mut page, IN_ADD);
    page.click(spot, 0);
    page.until(&format!("document.querySelector('.lineno.stop.plain')?.dataset.line === '{IN_ADD}'"));
    // One on an empty line comes to the next that has code, and is seen there.
    let spot = number_of_line(&mut page, AT_EMPTY);
    page.click(spot, 0);
    page.until(&format!(
        "!!window.walkon.debugging.files['{FILE}']?.some(it => it.asked === {0} && it.line > {0})",
        AT_EMPTY
    ));
    page.press("play");
    page.until(&format!("{HALTED} > 0 && {}.includes('at a breakpoint')", words("halt-words")));
    if page.value(HALTED) != IN_ADD {
        page.press("debug-continue");
    }
    page.until(&format!("{HALTED} === {IN_ADD}"));
    page.until(&format!("{0}.includes('add') && {0}.includes('{FILE}:{IN_UPDATE}')", words("frames")));
    page.until(&format!("/a\\s+0/.test({0}) && /b\\s+1/.test({0})", words("variables")));
    // Everybody sees it, and steps with keys.
    let mut two = browser.open(&viewed.address);
    two.until(&format!("{}.includes('at a breakpoint')", words("halt-words")));
    two.until(&format!("{HALTED} === {IN_ADD}"));
    page.key("F10", 121);
    page.until(&format!("{HALTED} === {} && /sum\\s+1/.test({})", IN_ADD + 1, words("variables")));
    two.until(&format!("{HALTED} === {}", IN_ADD + 1));
    page.enter("evaluate", "sum + 41");
    page.until(&format!("{}.includes('42')", words("watches")));
    page.value("document.querySelector('[data-test=evaluate]').blur(), true");
    two.press("debug-out");
    page.until(&format!("{HALTED} === {AFTER_ADD} && {}.includes('self')", words("variables")));
    // A handle opens.
    page.value("[...document.querySelectorAll('[data-act=open]')].find(it => it.dataset.path === 'self/character').click(), true");
    page.until(&format!("{}.includes('\"anna\"')", words("variables")));
    // A condition by the menu of the line. A page behind another draws nothing, and closes no dialog.
    page.bring_to_front();
    let spot = number_of_line(&mut page, IN_ADD);
    page.drag([spot, spot], "right");
    page.press("breakpoint-condition");
    page.set("#field-condition", "a == 30");
    page.press("dialog-ok");
    page.until(&format!("window.walkon.debugging.files['{FILE}'].some(it => it.condition === 'a == 30')"));
    page.press("debug-continue");
    page.until(&format!("/a\\s+30/.test({})", words("variables")));
    let tick = page.value("window.walkon.debugging.stop.tick").as_u64().unwrap();
    assert_eq!(tick, 31);
    at_ease(&mut two);
    hand.get(json!({ "do": "pause" }));
    page.press("debug-continue");
    page.until("document.querySelector('[data-test=halt]').hidden");
    page.until("window.walkon.state.tick === 31 && !!window.walkon.state.hash");
    let plain = {
        let viewed = yard();
        let mut hand = viewed.client();
        hand.step(31)["hash"].clone()
    };
    assert_eq!(page.value("window.walkon.state.hash"), plain);
    // The pane tells what else stops.
    page.enter("stop-event", "door.opened");
    page.until("window.walkon.debugging.events.includes('door.opened')");
    page.press("stop-faults");
    page.until("window.walkon.debugging.faults");
    at_ease(&mut page);
}
