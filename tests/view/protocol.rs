//! The protocol of the live page, without a page.
//!
//! Goal: what a viewer shows is the run itself: the same hashes, past and future included, however many look
//! on and however slowly. Method: the program over its socket, compared with `walkon run` and `walkon
//! replay`.

use std::process::Command;

use serde_json::{Value, json};

use super::hand::{Hand, Viewed, shipped};
use crate::cli::path_limits;

/// The hash of a shipped level after some ticks, as `run` has it.
pub fn run_hash(level: &str, ticks: u64) -> String {
    let output = crate::place::walkon(
        crate::place::root(),
        &["run", &format!("levels/{level}.json"), "--ticks", &ticks.to_string(), "--format", "json"],
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["ticks"], ticks, "{level} ends earlier");
    report["hash"].as_str().unwrap().to_owned()
}

#[test]
fn a_level_that_is_viewed_runs_as_run_does() {
    for level in ["courtyard", "bridge", "village", "tower", "tavern", "crypt"] {
        let viewed = Viewed::level(level);
        let mut hand = viewed.client();
        let state = hand.step(300);
        assert_eq!(state["hash"], run_hash(level, 300), "{level}");
    }
}

#[test]
fn looking_changes_nothing() {
    let viewed = Viewed::with("market", &["--paused"]);
    let mut hand = viewed.client();
    let parts =
        ["cells", "areas", "doors", "regions", "watches", "paths", "requests", "obstacles", "steering"];
    hand.get(json!({ "do": "show", "parts": parts }));
    for round in 1..=10 {
        hand.step(10);
        hand.get(json!({ "do": "find", "text": "a" }));
        hand.get(json!({ "do": "path", "from": [2, 0, 2], "to": [20, 0, 20], "radius": 0.5 }));
        hand.get(json!({ "do": "history", "from": 0, "to": round * 10 }));
        hand.get(json!({ "do": "seek", "tick": round * 5 }));
        hand.get(json!({ "do": "seek", "tick": null }));
    }
    let tick = hand.get(json!({ "do": "step", "ticks": 1 }))["tick"].as_u64().unwrap();
    assert_eq!(hand.state_at(tick + 1)["hash"], run_hash("market", 101));
}

#[test]
fn every_tick_of_the_past_can_be_seen_as_it_was() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let mut hashes = Vec::new();
    for _ in 0..12 {
        let state = hand.step(37);
        hashes.push((state["tick"].as_u64().unwrap(), state["hash"].clone()));
    }
    // There and back, so that copies are ahead of what is asked for, too.
    for at in [11, 0, 5, 4, 10, 2, 7, 7, 1] {
        let (tick, hash) = hashes[at].clone();
        hand.forget();
        hand.get(json!({ "do": "seek", "tick": tick }));
        let seen = hand.wait(|message| message["tell"] == "seen" && message["tick"] == tick);
        assert_eq!(seen["hash"], hash, "tick {tick}");
    }
    hand.get(json!({ "do": "goOn", "tick": hashes[3].0 }));
    assert_eq!(hand.state_at(hashes[3].0)["hash"], hashes[3].1);
    assert_eq!(hand.step(37)["hash"], hashes[4].1, "it goes on as it did");
}

#[cfg(unix)]
#[test]
fn everything_that_is_done_on_the_page_replays_from_the_trace() {
    let viewed = Viewed::with("courtyard", &["--paused", "--trace", "played.jsonl"]);
    let mut hand = viewed.client();
    hand.step(10);
    let inputs = [
        json!({ "attend": true }),
        json!({ "walk": "player", "to": "well" }),
        json!({ "walk": "regent", "to": [24, 0, 10] }),
        json!({ "stop": "regent" }),
        json!({ "door": "gate", "order": "open" }),
        json!({ "door": "gate", "order": "lock" }),
        json!({ "teleport": "messenger", "to": [5, 0, 9], "facing": 1.5 }),
        json!({ "spawn": "guest", "at": [14, 0, 4], "behaviour": "guard.lua", "params": { "route": "rounds" }, "tags": ["late"] }),
        json!({ "area": "table", "available": false }),
        json!({ "evaluate": "return 20 + 22" }),
        json!({ "event": "bell", "payload": { "loud": true } }),
        json!({ "attend": false }),
        json!({ "remove": "guest" }),
    ];
    for mut input in inputs {
        input["do"] = "input".into();
        hand.get(input);
        hand.step(15);
    }
    let state = hand.step(60);
    let (status, project) = viewed.end();
    assert_eq!(status.code(), Some(130), "{status}");
    let trace = std::fs::read_to_string(project.path().join("played.jsonl")).unwrap();
    assert!(trace.contains(state["hash"].as_str().unwrap()));
    for kind in ["walk", "stop", "door", "teleport", "spawn", "remove", "area", "evaluate", "attend", "bell"]
    {
        assert!(trace.contains(&format!("\"{kind}\"")), "{kind}");
    }
    let replayed = crate::place::walkon(project.path(), &["replay", "played.jsonl"]);
    assert!(replayed.status.success(), "{}", String::from_utf8_lossy(&replayed.stdout));
}

/// The trace is written as the level runs, so that nothing is run again when a signal ends it.
#[cfg(unix)]
#[test]
fn fault_h5_the_trace_of_a_view_is_the_one_that_its_run_comes_to_again() {
    for turns in 0..3 {
        let viewed = Viewed::with("courtyard", &["--paused", "--trace", "played.jsonl"]);
        let mut hand = viewed.client();
        hand.step(30);
        hand.get(json!({ "do": "input", "event": "bell" }));
        hand.step(60);
        let script = "scripts/behaviours/guard.lua";
        let text = std::fs::read_to_string(viewed.file(script)).unwrap() + "\n-- saved again\n";
        viewed.save(script, &text);
        hand.wait(|message| message["tell"] == "script" && message["text"] == text);
        hand.step(10);
        hand.wait(|message| message["tell"] == "reloaded" && message["ok"] == true);
        if turns > 0 {
            hand.get(json!({ "do": "goOn", "tick": 50 }));
            hand.step(20);
        }
        if turns > 1 {
            hand.get(json!({ "do": "restart", "seed": 9 }));
            hand.step(40);
        }
        let asked = hand.get(json!({ "do": "trace" }));
        let (status, project) = viewed.end();
        assert_eq!(status.code(), Some(130), "{status}");
        let trace = std::fs::read_to_string(project.path().join("played.jsonl")).unwrap();
        assert!(trace.lines().count() > 40);
        let texts = asked["text"].as_str().unwrap().lines().zip(trace.lines());
        assert_eq!(asked["text"].as_str().unwrap().lines().count(), trace.lines().count());
        texts.for_each(|(again, written)| assert_eq!(again, written, "{turns}"));
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_was_played_with_replays_from_its_trace() {
    let viewed = Viewed::with("courtyard", &["--paused", "--trace", "played.jsonl"]);
    let mut hand = viewed.client();
    hand.step(20);
    hand.get(json!({ "do": "input", "event": "bell", "payload": { "loud": true, "times": [1, 2] } }));
    let script = "scripts/behaviours/guard.lua";
    let text = std::fs::read_to_string(viewed.file(script)).unwrap() + "\n-- saved again\n";
    hand.step(40);
    viewed.save(script, &text);
    hand.wait(|message| message["tell"] == "script" && message["text"] == text);
    hand.step(100);
    hand.wait(|message| message["tell"] == "reloaded" && message["ok"] == true);
    // What is taken back is not in the trace.
    hand.get(json!({ "do": "input", "event": "unheardOf" }));
    hand.step(10);
    hand.get(json!({ "do": "goOn", "tick": 160 }));
    let state = hand.step(30);
    let (status, project) = viewed.end();
    assert_eq!(status.code(), Some(130), "{status}");
    let trace = std::fs::read_to_string(project.path().join("played.jsonl")).unwrap();
    assert!(trace.contains("\"name\":\"bell\"") && !trace.contains("unheardOf"));
    assert!(trace.contains(state["hash"].as_str().unwrap()));
    let replayed = crate::place::walkon(project.path(), &["replay", "played.jsonl"]);
    assert!(replayed.status.success(), "{}", String::from_utf8_lossy(&replayed.stdout));
}

#[test]
fn only_pages_of_the_program_itself_are_let_in() {
    let viewed = Viewed::level("courtyard");
    let host = viewed.host();
    for headers in [[("Origin", "http://evil.example")], [("Origin", "null")], [("Host", "evil.example")]] {
        let refused = viewed.connect(&headers).err().unwrap_or_else(|| panic!("{headers:?}"));
        assert!(refused.contains("403"), "{headers:?}: {refused}");
    }
    let own = format!("http://{host}");
    assert!(viewed.connect(&[("Origin", &own)]).is_ok());
    for token in ["", "x", &"0".repeat(32), &viewed.token()[..31]] {
        let refused = viewed.connect_with(token, &[]).err().unwrap_or_else(|| panic!("{token}"));
        assert!(refused.contains("403"), "{token}: {refused}");
    }
    let with_host = format!("Host: {host}");
    assert!(viewed.get("/", &with_host).starts_with("HTTP/1.1 200"));
    assert!(viewed.get("/", "Host: evil.example").starts_with("HTTP/1.1 403"));
    for path in
        ["/../Cargo.toml", "/levels/courtyard.json", "/walkon.json", "/%2e%2e/walkon.json", "//etc/passwd"]
    {
        assert!(viewed.get(path, &with_host).starts_with("HTTP/1.1 404"), "{path}");
    }
    let page = viewed.get("/", &with_host);
    assert!(
        page.contains("Content-Security-Policy: default-src 'none'") && !page.contains("unsafe"),
        "{page}"
    );
}

#[test]
fn a_client_that_never_reads_slows_nobody() {
    let viewed = Viewed::with("market", &["--paused"]);
    // It asks for everything and reads nothing.
    let mut deaf = viewed.connect(&[]).unwrap();
    for _ in 0..50 {
        deaf.send(json!({ "do": "show", "parts": ["cells", "paths", "steering", "obstacles"] }));
    }
    let mut hand = viewed.client();
    hand.get(json!({ "do": "speed", "times": "max" }));
    hand.get(json!({ "do": "play" }));
    hand.wait(|message| message["tell"] == "state" && message["tick"].as_u64() > Some(600));
    assert_eq!(hand.get(json!({ "do": "pause" }))["tick"].as_u64().map(|tick| tick > 600), Some(true));
    assert!(
        hand.frames.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0),
        "frames are counted for each client"
    );
    assert!(hand.frames.windows(2).all(|pair| pair[0].1 <= pair[1].1), "and come in order");
}

#[test]
fn two_clients_see_the_same_and_each_its_own_past() {
    let viewed = Viewed::level("courtyard");
    let (mut one, mut two) = (viewed.client(), viewed.client());
    one.step(50);
    assert_eq!(two.state_at(50)["playing"], false);
    two.get(json!({ "do": "seek", "tick": 10 }));
    one.forget();
    one.step(10);
    two.frames.clear();
    two.get(json!({ "do": "ping" }));
    assert!(
        two.frames.iter().all(|(_, tick, _)| *tick == 10),
        "{:?}",
        two.frames.iter().map(|it| it.1).collect::<Vec<_>>()
    );
    one.get(json!({ "do": "ping" }));
    assert_eq!(one.frames.last().map(|(_, tick, _)| *tick), Some(60));
}

#[test]
fn a_broken_script_is_told_with_its_line_and_goes_when_it_is_mended() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    hand.step(30);
    let script = viewed.file("scripts/behaviours/guard.lua");
    let text = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, format!("local x = \n{text}")).unwrap();
    hand.wait(|message| message["tell"] == "script");
    hand.step(5);
    let refused = hand.wait(|message| message["tell"] == "reloaded");
    assert_eq!(
        (&refused["ok"], &refused["file"]),
        (&json!(false), &json!("behaviours/guard.lua")),
        "{refused}"
    );
    assert!(refused["line"].as_u64().is_some_and(|line| line >= 1), "{refused}");
    let known = hand.get(json!({ "do": "source", "file": "behaviours/guard.lua" }));
    assert!(known["text"].as_str().is_some());
    std::fs::write(&script, format!("{text}\n")).unwrap();
    hand.wait(|message| message["tell"] == "script");
    hand.step(5);
    assert_eq!(hand.wait(|message| message["tell"] == "reloaded")["ok"], true);
}

/// Everything that a future tells until it is computed: its items, and the last message.
fn future(hand: &mut super::hand::Hand, generation: u64) -> (Vec<Value>, Value) {
    let mut items = Vec::new();
    loop {
        let part = hand.wait(|message| {
            message["tell"] == "forecast" && message["generation"].as_u64() >= Some(generation)
        });
        items.extend(part["items"].as_array().unwrap().iter().cloned());
        if part["done"] == true {
            return (items, part);
        }
    }
}

#[test]
fn the_future_is_what_will_happen_and_a_save_tells_what_is_otherwise() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    hand.get(json!({ "do": "forecast", "from": 0, "seconds": 20 }));
    let (foretold, last) = future(&mut hand, 1);
    assert_eq!(last["differences"], json!([]));
    hand.step(1200);
    let happened = hand.get(json!({ "do": "history", "from": 0, "to": 1200 }));
    for (told, item) in foretold.iter().zip(happened["items"].as_array().unwrap()) {
        assert_eq!(told, item, "it came as foretold");
    }
    assert_eq!(happened["items"].as_array().map(Vec::len), Some(foretold.len()));
    let level = viewed.file("levels/courtyard.json");
    let text = std::fs::read_to_string(&level).unwrap();
    std::fs::write(&level, text.replace("\"walkSpeed\": 1.6", "\"walkSpeed\": 0.8")).unwrap();
    let (items, last) = future(&mut hand, 2);
    assert_ne!(items, foretold);
    let differences = last["differences"].as_array().unwrap();
    assert!(
        differences.iter().any(|one| one["text"].as_str().unwrap().starts_with("guard: arrived")),
        "{last}"
    );
}

#[test]
fn a_future_that_is_asked_for_is_known_by_its_generation() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let asked = hand.get(json!({ "do": "forecast", "seconds": 5 }));
    let first = asked["generation"].as_u64().unwrap();
    let (_, last) = future(&mut hand, first);
    assert_eq!((&last["isBase"], last["generation"].as_u64()), (&json!(true), Some(first)));
    let changes = json!([{ "at": "/seed", "set": 99 }]);
    let tried = hand.get(json!({ "do": "try", "changes": changes }))["generation"].as_u64().unwrap();
    let (_, last) = future(&mut hand, tried);
    assert!(tried > first && last["generation"].as_u64() == Some(tried), "{last}");
    assert_eq!(hand.get(json!({ "do": "keep" }))["generation"], tried);
    assert!(hand.get(json!({ "do": "forecast", "seconds": 0 }))["generation"].is_null());
}

#[test]
fn what_takes_long_is_called_off_and_nothing_is_changed() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let before = hand.step(30_000);
    for command in [json!({ "do": "goOn", "tick": 29_999 }), json!({ "do": "trace" })] {
        let long = hand.send(command.clone());
        hand.get(json!({ "do": "cancel" }));
        let answer = hand.wait(|message| message["id"] == long);
        assert!(
            answer["error"].as_str().is_some_and(|error| error.contains("called off")),
            "{command}: {answer}"
        );
    }
    hand.forget();
    hand.get(json!({ "do": "pause" }));
    assert_eq!(hand.state_at(30_000)["hash"], before["hash"]);
    let asked = hand.send(json!({ "do": "trace" }));
    let told = hand.wait(|message| message["tell"] == "progress");
    assert_eq!(
        (&told["command"], &told["of"], &told["all"]),
        (&json!(asked), &json!("the trace"), &json!(30_000))
    );
    assert!(hand.wait(|message| message["id"] == asked)["ok"]["text"].is_string());
}

#[test]
fn one_page_too_many_is_told_so_and_so_are_all_at_the_end() {
    let viewed = Viewed::level("courtyard");
    let mut hands: Vec<_> = (0..32).map(|_| viewed.client()).collect();
    let why = viewed.connect(&[]).unwrap().farewell();
    assert!(why.contains("32 pages are open already"), "{why}");
    drop(hands.pop());
    // There is room again as soon as it is noticed.
    let welcomed = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        viewed.connect(&[]).is_ok_and(|mut hand| {
            let told = hand.wait_or_end(|message| message["tell"] == "welcome");
            told.is_some()
        })
    });
    assert!(welcomed);
    #[cfg(unix)]
    {
        let last = hands.pop().unwrap();
        drop(hands);
        let (status, _project) = viewed.end();
        assert_eq!(status.code(), Some(130), "{status}");
        assert_eq!(last.farewell(), "walkon has ended");
    }
}

#[test]
fn files_that_are_saved_together_are_one_reload() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    hand.step(5);
    for file in ["scripts/behaviours/guard.lua", "scripts/behaviours/messenger.lua", "scripts/courtyard.lua"]
    {
        let text = std::fs::read_to_string(viewed.file(file)).unwrap();
        std::fs::write(viewed.file(file), format!("{text}\n-- saved again\n")).unwrap();
    }
    let level = std::fs::read_to_string(viewed.file("levels/courtyard.json")).unwrap();
    std::fs::write(viewed.file("levels/courtyard.json"), level.replace("\"seed\": 1", "\"seed\": 3"))
        .unwrap();
    for _ in 0..3 {
        hand.wait(|message| message["tell"] == "script");
    }
    hand.wait(|message| message["tell"] == "edited");
    hand.get(json!({ "do": "ping" }));
    hand.step(2);
    let happened = hand.get(json!({ "do": "history", "from": 6, "to": 7 }));
    let reloads: Vec<&Value> =
        happened["items"].as_array().unwrap().iter().filter(|item| item["lane"] == "reloads").collect();
    let first = reloads[0]["tick"].clone();
    assert!(reloads.iter().all(|item| item["tick"] == first), "{reloads:?}");
    let trace = hand.get(json!({ "do": "trace" }))["text"].as_str().unwrap().to_owned();
    assert_eq!(trace.matches("\"kind\":\"reload\"").count(), 1);
}

#[test]
fn expected_paths_are_told_to_everybody_and_kept_in_their_place() {
    let viewed = Viewed::level("courtyard");
    let (mut one, mut two) = (viewed.client(), viewed.client());
    let add = json!({ "from": [5, 0, 3], "to": [12, 0, 10] });
    let rows = one.get(json!({ "do": "expect", "add": add }))["rows"].clone();
    assert_eq!(two.wait(|message| message["tell"] == "expected")["rows"], rows);
    one.get(json!({ "do": "expect", "remove": 0 }));
    assert_eq!(two.wait(|message| message["tell"] == "expected")["rows"], json!([]));
    for file in [
        "levels/x_test.lua",
        "x_test.lua",
        "scripts/../x_test.lua",
        "scripts/x.lua",
        "scripts/sub/../../x_test.lua",
    ] {
        let refused = one.ask(json!({ "do": "expect", "save": file }));
        assert!(refused.is_err(), "{file}: {refused:?}");
    }
    assert!(!viewed.file("x_test.lua").exists() && !viewed.file("levels/x_test.lua").exists());
    one.get(json!({ "do": "expect", "save": "" }));
    assert!(viewed.file("scripts/courtyard_paths_test.lua").exists());
}

#[test]
fn a_level_with_floors_is_told_with_its_heights() {
    let viewed = Viewed::level("tower");
    let mut hand = viewed.client();
    hand.get(json!({ "do": "show", "slant": "space" }));
    let scene = hand.wait(|message| message["tell"] == "scene" && message["picture"]["scenery"].is_array());
    let points: Vec<Value> = scene["picture"]["layers"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|layer| layer["shapes"].as_array().unwrap().clone())
        .filter(|shape| shape["key"] == "point")
        .collect();
    assert!(points.len() > 100);
    for point in &points {
        // The hint of a point says where it is: "12: 1.50, 3.00, 2.25".
        let hint = point["hint"].as_str().unwrap();
        let place: Vec<f64> =
            hint.split(": ").nth(1).unwrap().split(", ").map(|axis| axis.parse().unwrap()).collect();
        let told = [&point["dot"][0], &point["ys"][0], &point["dot"][1]].map(|axis| axis.as_f64().unwrap());
        assert!(place.iter().zip(told).all(|(one, other)| (one - other).abs() < 0.011), "{point}");
    }
    let scenery = scene["picture"]["scenery"].as_array().unwrap();
    let kinds: Vec<&str> = scenery.iter().map(|part| part["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"floor") && kinds.contains(&"wall"), "{kinds:?}");
    assert!(scenery.iter().all(|part| part["triangles"][0][0].as_array().map(Vec::len) == Some(3)));
}

#[test]
fn wrong_commands_are_answered_with_what_is_wrong() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    for (command, expected) in [
        (json!({ "do": "stepp" }), "unknown command \"stepp\"; did you mean \"step\"?"),
        (json!({}), "unknown command \"\""),
        (json!({ "do": "step", "ticks": -1 }), "\"ticks\" is -1, expected a whole number from 0"),
        (json!({ "do": "speed", "times": 1000 }), "\"times\" is 1000, expected 0.1 to 100, or \"max\""),
        (json!({ "do": "seek", "tick": "first" }), "\"tick\" is \"first\", expected a whole number from 0"),
        (json!({ "do": "path", "from": [0, 0], "to": [1, 0, 1] }), "\"from\" is [0,0], expected [x, y, z]"),
        (
            json!({ "do": "show", "parts": ["doors", "pahts"] }),
            "unknown part \"pahts\"; did you mean \"paths\"?",
        ),
        (
            json!({ "do": "inspect", "kind": "character", "name": "gurad" }),
            "there is no character \"gurad\" now",
        ),
        (json!({ "do": "goOn", "tick": 9 }), "tick 9 has not been run yet, expected at most 0"),
        (json!({ "do": "input" }), "this says nothing to the level: expected one of event, answer"),
        (
            json!({ "do": "input", "stop": "guard", "event": "bell" }),
            "\"event\" and \"stop\" are two inputs, expected a command for each",
        ),
        (json!({ "do": "input", "skip": null, "continue": null }), "\"continue\" and \"skip\" are two"),
        (json!({ "do": "input", "attend": true, "remove": "guard" }), "\"remove\" and \"attend\" are two"),
        (
            json!({ "do": "restart", "seed": 9_007_199_254_740_992_u64 }),
            "\"seed\" is 9007199254740992, expected a whole number from 0 to 9007199254740991",
        ),
    ] {
        let refused = hand.ask(command.clone()).expect_err(&command.to_string());
        assert!(refused.starts_with(expected), "{command}: {refused}");
    }
    assert_eq!(hand.step(3)["tick"], 3, "and it goes on");
}

#[test]
fn standard_input_and_output_speak_the_same() {
    let project = shipped();
    let commands =
        "{\"id\":1,\"do\":\"step\",\"ticks\":300}\n{\"id\":2,\"do\":\"find\",\"text\":\"guard\"}\n";
    std::fs::write(project.path().join("in.txt"), commands).unwrap();
    let output = Command::new(crate::place::program())
        .args(["view", "levels/courtyard.json", "--stdio", "--paused"])
        .current_dir(project.path())
        .stdin(std::fs::File::open(project.path().join("in.txt")).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["tell"], "welcome");
    assert!(
        lines.iter().any(
            |line| line["tell"] == "frame" && line["rows"].as_array().is_some_and(|rows| rows.len() == 4)
        )
    );
    assert!(lines.iter().any(|line| line["id"] == 2 && line["ok"]["found"][0]["name"] == "guard"), "{text}");
}

#[test]
fn whatever_people_do_on_the_page_is_an_input_of_the_run() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let inputs = [
        json!({ "walk": "player", "to": "well" }),
        json!({ "walk": "regent", "to": [24, 0, 10] }),
        json!({ "door": "gate", "order": "open" }),
        json!({ "teleport": "messenger", "to": [5, 0, 9], "facing": 1.5 }),
        json!({ "spawn": "newcomer", "at": [14, 0, 4], "behaviour": "guard.lua", "params": { "route": "rounds" }, "tags": ["late"] }),
        json!({ "area": "table", "available": false }),
        json!({ "evaluate": "return 20 + 22" }),
        json!({ "attend": true }),
        json!({ "event": "bell", "payload": [1, { "deep": true }] }),
    ];
    for mut input in inputs.clone() {
        input["do"] = "input".into();
        assert_eq!(hand.get(input)["tick"], 1);
    }
    for (mut input, field) in [
        (json!({ "spawn": "turned", "at": [14, 0, 4], "facing": 1 }), "facing"),
        (json!({ "stop": "regent", "to": "well" }), "to"),
        (json!({ "event": "bell", "option": "a" }), "option"),
        (json!({ "continue": null, "payload": 1 }), "payload"),
    ] {
        input["do"] = "input".into();
        let refused = hand.ask(input).expect_err("a field of another input");
        assert!(refused.contains(&format!("\"{field}\"")), "{refused}");
    }
    hand.step(60);
    let happened = hand.get(json!({ "do": "history", "from": 0, "to": 60 })).to_string();
    for expected in
        ["player walks to (10.0, 8.6)", "regent walks to", "console:1: 42", "newcomer appears", "input bell"]
    {
        assert!(happened.contains(expected), "{expected}: {happened}");
    }
    assert!(!happened.contains("inputRefused"), "{happened}");
    let newcomer = hand.get(json!({ "do": "inspect", "kind": "character", "name": "newcomer" }));
    assert_eq!(newcomer["behaviour"]["params"]["route"], "rounds", "{newcomer}");
    hand.get(json!({ "do": "input", "remove": "newcomer" }));
    hand.get(json!({ "do": "input", "door": "gaet", "order": "close" }));
    hand.step(1);
    assert!(hand.ask(json!({ "do": "inspect", "kind": "character", "name": "newcomer" })).is_err());
    let refused = hand.get(json!({ "do": "history", "from": 61, "to": 61 })).to_string();
    assert!(refused.contains("inputRefused") && refused.contains("gate"), "{refused}");
}

#[test]
fn fault_e7_a_level_file_that_is_deleted_is_told_on_the_page() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    hand.step(1);
    std::fs::remove_file(viewed.file("levels/courtyard.json")).unwrap();
    hand.wait(|message| {
        message["tell"] == "log"
            && message["text"].as_str().is_some_and(|text| text.contains("courtyard.json"))
    });
    assert_eq!(hand.step(3)["tick"], 4, "the old version runs on");
}

#[test]
fn numbers_of_characters_that_going_on_from_the_past_forgets_are_given_anew() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    hand.step(10);
    hand.get(json!({ "do": "input", "spawn": "first", "at": [14, 0, 4] }));
    hand.step(10);
    hand.get(json!({ "do": "input", "remove": "first" }));
    hand.step(10);
    let names = |roster: &Value| -> Vec<String> {
        let former = roster["former"].as_array().unwrap().iter();
        former.map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    let whole = |viewed: &Viewed| {
        viewed.client().wait(|message| message["tell"] == "roster" && message["isWhole"] == true)
    };
    assert_eq!(names(&whole(&viewed)), ["first"]);
    hand.get(json!({ "do": "goOn", "tick": 5 }));
    hand.step(5);
    assert_eq!(names(&whole(&viewed)), Vec::<String>::new(), "nobody of that name has been there");
}

#[test]
fn a_choice_waits_for_those_who_attend_and_takes_their_answer() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    hand.get(json!({ "do": "input", "attend": true }));
    hand.get(json!({ "do": "speed", "times": "max" }));
    hand.get(json!({ "do": "play" }));
    let choice = hand.wait(|message| {
        message["tell"] == "cue" && message["kind"] == "choice" && message["answer"].is_null()
    });
    let (id, options) = (choice["id"].clone(), choice["options"].as_array().unwrap().clone());
    let last = options.last().unwrap().clone();
    assert!(options.len() > 1, "{choice}");
    hand.get(json!({ "do": "input", "answer": id, "option": last }));
    let scene = hand.wait(|message| {
        message["tell"] == "happened" && message["items"].to_string().contains("cinematicEnded")
    });
    assert!(scene["tick"].as_u64() > choice["tick"].as_u64());
    let tick = hand.get(json!({ "do": "pause" }))["tick"].as_u64().unwrap();
    let told = hand.get(json!({ "do": "history", "from": 0, "to": tick })).to_string();
    assert!(
        told.contains(&format!("choice {}: {}", id.as_str().unwrap(), last.as_str().unwrap()))
            || told.contains(last.as_str().unwrap()),
        "{told}"
    );
}

#[test]
fn the_state_tells_the_seed_and_whether_choices_wait() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let told = |hand: &mut Hand, attends: bool| {
        hand.wait(|message| message["tell"] == "state" && message["attends"] == attends)
    };
    // At once, although it is heard in the next tick.
    hand.get(json!({ "do": "input", "attend": true }));
    assert_eq!(told(&mut hand, true)["tick"], 0);
    hand.step(10);
    hand.get(json!({ "do": "input", "attend": false }));
    told(&mut hand, false);
    hand.step(10);
    // A client that connects later is told first of all. Going back drops what the level has not heard yet.
    let attends = |viewed: &Viewed| {
        viewed.connect(&[]).unwrap().wait(|message| message["tell"] == "welcome")["state"]["attends"].clone()
    };
    for (tick, expected) in [(15, false), (9, true), (0, false)] {
        hand.get(json!({ "do": "goOn", "tick": tick }));
        assert_eq!(attends(&viewed), expected, "tick {tick}");
        hand.get(json!({ "do": "input", "attend": !expected }));
    }
    hand.get(json!({ "do": "restart", "seed": 12 }));
    assert_eq!(attends(&viewed), false);
    assert_eq!(hand.wait(|message| message["tell"] == "state" && message["seed"] == 12)["tick"], 0);
}

#[test]
fn edits_change_the_text_where_they_say_so_and_can_be_taken_back() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let file = viewed.file("levels/courtyard.json");
    let before = std::fs::read_to_string(&file).unwrap();
    let change = json!([{ "at": "/doors/0/open", "set": true }, { "at": "/marks/bench", "insert": [6, 2] }]);
    let edited = hand.get(json!({ "do": "edit", "changes": change, "label": "open the gate" }));
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(edited["text"], text);
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let untouched = lines(&before).iter().filter(|line| lines(&text).contains(line)).count();
    assert!(untouched + 2 >= lines(&before).len(), "{text}");
    assert!(text.contains("\"open\": true") && text.contains("\"bench\": [6, 2]"), "{text}");
    // The running level has it with its next tick.
    hand.step(1);
    assert_eq!(
        hand.get(json!({ "do": "inspect", "kind": "mark", "name": "bench" }))["position"],
        json!([6.0, 0.0, 2.0])
    );
    let refused = hand.ask(json!({ "do": "edit", "changes": [{ "at": "/navigation/areas", "set": [] }] }));
    assert!(refused.is_err_and(|error| error.contains("would not load")), "a level stays one");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    // Another client edits another line meanwhile; both survive.
    std::fs::write(&file, text.replace("\"seed\": 1", "\"seed\": 9")).unwrap();
    hand.wait(|message| message["tell"] == "edited" && message["by"] == "disk");
    assert_eq!(hand.get(json!({ "do": "undo" }))["label"], "open the gate");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before.replace("\"seed\": 1", "\"seed\": 9"));
    hand.get(json!({ "do": "redo" }));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text.replace("\"seed\": 1", "\"seed\": 9"));
}

#[test]
fn what_check_finds_between_level_and_scripts_is_told_at_its_place() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let file = viewed.file("levels/courtyard.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let guard = serde_json::from_str::<Value>(&text).unwrap()["characters"]
        .as_array()
        .unwrap()
        .iter()
        .position(|own| own["name"] == "guard")
        .unwrap();
    let at = |key: &str| format!("/characters/{guard}/{key}");
    let placed = |told: &Value, pointer: &str| {
        let all = told["diagnostics"].as_array().unwrap();
        all.iter().any(|one| one["pointer"] == pointer && one["severity"] == "error")
    };
    // On disk anything may stand: an edit of the page would be refused.
    let own = "\"route\": \"rounds\" }";
    for (key, new) in [
        ("params/route", "\"route\": \"rnouds\" }"),
        ("params/rotue", "\"route\": \"rounds\", \"rotue\": \"rounds\" }"),
    ] {
        std::fs::write(&file, text.replace(own, new)).unwrap();
        let edited = hand.wait(|message| message["tell"] == "edited" && placed(message, &at(key)));
        assert_eq!(edited["by"], "disk");
        hand.wait(|message| message["tell"] == "problems" && placed(message, &at(key)));
        assert!(placed(&hand.get(json!({ "do": "check" })), &at(key)));
        std::fs::write(&file, &text).unwrap();
        hand.wait(|message| message["tell"] == "problems" && !placed(message, &at(key)));
        assert!(!placed(&hand.get(json!({ "do": "check" })), &at(key)));
    }
    // A level that names a script that is not there would not start: nothing is written.
    for (key, wrong) in [("behaviour", json!("nobody.lua")), ("walkSpeed", json!(-5))] {
        let change = json!([{ "at": at(key), "set": wrong }]);
        let asked = hand.send(json!({ "do": "edit", "changes": change }));
        let refused = hand.wait(|message| message["id"] == asked);
        assert!(refused["error"].as_str().is_some_and(|error| error.contains("would not load")), "{refused}");
        assert!(placed(&refused, &at(key)), "{refused}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    // Saved by another client it is told.
    std::fs::write(&file, text.replace("\"guard.lua\"", "\"nobody.lua\"")).unwrap();
    let told = hand.wait(|message| message["tell"] == "problems" && placed(message, &at("behaviour")));
    assert!(told.to_string().contains("nobody.lua"), "{told}");
    assert!(placed(&hand.get(json!({ "do": "document" })), &at("behaviour")));
}

#[test]
fn scripts_are_written_and_nothing_outside_the_project() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let script = "behaviours/messenger.lua";
    let source = hand.get(json!({ "do": "source", "file": script }));
    let text = format!("{}\n-- one more line\n", source["text"].as_str().unwrap());
    hand.get(json!({ "do": "write", "file": script, "text": text }));
    assert_eq!(std::fs::read_to_string(viewed.file("scripts/behaviours/messenger.lua")).unwrap(), text);
    hand.step(1);
    assert_eq!(hand.wait(|message| message["tell"] == "reloaded")["ok"], true);
    for file in ["../outside.lua", "/etc/passwd", "behaviours/none.lua", ""] {
        assert!(hand.ask(json!({ "do": "write", "file": file, "text": "return {}" })).is_err(), "{file}");
        assert!(hand.ask(json!({ "do": "source", "file": file })).is_err() || file.is_empty(), "{file}");
    }
    assert!(hand.ask(json!({ "do": "expect", "save": "../x_test.lua" })).is_err());
    assert!(!viewed.project.path().parent().unwrap().join("x_test.lua").exists());
}

#[test]
fn a_script_that_was_changed_on_disk_is_merged_or_asked_about() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let script = "behaviours/messenger.lua";
    let place = viewed.file("scripts/behaviours/messenger.lua");
    let there = || std::fs::read_to_string(&place).unwrap();
    let base = there();
    // Another client changes the last line while the first is edited here.
    std::fs::write(&place, format!("{base}-- theirs\n")).unwrap();
    hand.wait(|message| message["tell"] == "script");
    let write =
        |text: String, base: &str| json!({ "do": "write", "file": script, "text": text, "base": base });
    let written = hand.get(write(format!("-- ours\n{base}"), &base));
    let merged = format!("-- ours\n{base}-- theirs\n");
    assert_eq!((there(), &written["conflicts"]), (merged.clone(), &json!([])));
    // Both change the first line.
    std::fs::write(&place, merged.replace("-- ours", "-- other")).unwrap();
    hand.wait(|message| message["tell"] == "script" && message["by"] == "disk");
    for keep in ["theirs", "ours"] {
        let now = there();
        let ours = merged.replace("-- ours", "-- mine");
        let answer = hand.get(write(ours.clone(), &merged));
        assert_eq!(answer["conflicts"], json!(["scripts/behaviours/messenger.lua"]), "{answer}");
        let told = hand.wait(|message| message["tell"] == "conflict");
        assert_eq!((&told["ours"], &told["theirs"]), (&json!(ours), &json!(now)));
        assert_eq!(there(), now, "nothing is written before somebody decides");
        assert!(hand.ask(write("return {}".to_owned(), &ours)).is_err(), "decide first");
        hand.get(json!({ "do": "resolve", "file": script, "keep": keep }));
        assert_eq!(there(), if keep == "ours" { ours } else { now });
    }
    // A change that nobody has noticed yet is not lost either.
    let base = there();
    std::fs::write(&place, format!("{base}-- unnoticed\n")).unwrap();
    hand.get(write(format!("-- at once\n{base}"), &base));
    assert_eq!(there(), format!("-- at once\n{base}-- unnoticed\n"));
}

#[test]
fn a_conflict_is_known_to_all_clients_until_it_is_over() {
    let viewed = Viewed::level("courtyard");
    let (mut one, mut other) = (viewed.client(), viewed.client());
    let (script, file) = ("behaviours/messenger.lua", "scripts/behaviours/messenger.lua");
    let base = std::fs::read_to_string(viewed.file(file)).unwrap();
    let ours = |word: &str| format!("-- ours {word}\n{base}");
    let write = |text: String| json!({ "do": "write", "file": script, "text": text, "base": base });
    let is = |what: &'static str| move |message: &Value| message["tell"] == what && message["file"] == file;
    let begin = |one: &mut Hand, other: &mut Hand, word: &str| {
        let theirs = format!("-- theirs {word}\n{base}");
        viewed.save(file, &theirs);
        one.wait(|message| message["tell"] == "script" && message["text"] == theirs);
        assert_eq!(one.get(write(ours(word)))["conflicts"], json!([file]));
        let told = other.wait(is("conflict"));
        assert_eq!((&told["ours"], &told["theirs"]), (&json!(ours(word)), &json!(theirs)));
        assert_eq!(one.wait(is("conflict")), told);
        told
    };
    let told = begin(&mut one, &mut other, "first");
    // Who comes later hears the same, and who cannot write because of it hears it once more.
    let mut late = viewed.client();
    assert_eq!(late.wait(is("conflict")), told);
    assert!(late.ask(write("return {}".to_owned())).is_err_and(|error| error.contains("decide first")));
    assert_eq!(late.wait(is("conflict")), told);
    let resolve = |keep: &str| json!({ "do": "resolve", "file": script, "keep": keep });
    one.get(resolve("ours"));
    for hand in [&mut one, &mut other, &mut late] {
        hand.wait(is("resolved"));
    }
    let twice = other.ask(resolve("theirs")).unwrap_err();
    assert!(twice.contains(&format!("there is no conflict of {file}")), "{twice}");
    // It ends as well where the disk gets the text of the page.
    begin(&mut one, &mut other, "second");
    viewed.save(file, &ours("second"));
    for hand in [&mut one, &mut other] {
        hand.wait(is("resolved"));
    }
    assert!(other.ask(resolve("theirs")).is_err());
    let mut latest = viewed.client();
    let end = format!("{}-- end\n", ours("second"));
    latest.get(json!({ "do": "write", "file": script, "text": end, "base": ours("second") }));
    assert!(latest.heard_all().iter().all(|message| message["tell"] != "conflict"));
}

#[test]
fn graphs_and_expected_paths_are_worked_on() {
    let viewed = Viewed::level("tower");
    let mut hand = viewed.client();
    let islands = hand.get(json!({ "do": "graph", "action": "island" }));
    assert!(islands.is_object(), "{islands}");
    let refused = hand.ask(json!({ "do": "graph", "action": "islnad" }));
    assert!(refused.is_err_and(|error| error.contains("islnad")));
    let from = hand.get(json!({ "do": "inspect", "kind": "character", "name": "guest" }))["position"].clone();
    let text = || std::fs::read_to_string(viewed.file("levels/tower.json")).unwrap();
    let before = text();
    for action in [
        json!({ "action": "generate" }),
        json!({ "action": "link" }),
        json!({ "action": "blocked" }),
        json!({ "action": "stitch" }),
        json!({ "action": "remove", "points": 1 }),
        json!({ "action": "edit", "add": [from] }),
        json!({ "action": "undo" }),
        json!({ "action": "space", "name": "hall", "from": from, "within": 3 }),
        json!({ "action": "space", "auto": 60 }),
        json!({ "action": "table" }),
        json!({ "action": "preview", "min": [0, -0.5, 0], "max": [3, 2, 3] }),
    ] {
        let mut command = action.clone();
        command["do"] = "graph".into();
        let answer = hand.get(command);
        assert!(answer.is_object(), "{action}: {answer}");
        if action["action"] == "preview" {
            // Some rays hit the floor, and none is told twice.
            let count = |key: &str| answer[key].as_array().map_or(0, Vec::len) as u64;
            assert!(count("hits") > 0 && count("hits") + count("misses") <= answer["rays"].as_u64().unwrap());
        }
    }
    let added = |adds: bool| json!({ "do": "graph", "action": "space", "name": "hall", "from": from, "within": 1, "adds": adds });
    let points = |answer: &Value| {
        let parts = answer["parts"].as_array().unwrap();
        parts.iter().find(|part| part["name"] == "hall").unwrap()["points"].as_u64().unwrap()
    };
    hand.get(json!({ "do": "graph", "action": "space", "clear": true }));
    let wide = json!({ "do": "graph", "action": "space", "name": "hall", "from": from, "within": 3 });
    let wide = points(&hand.get(wide));
    assert_eq!(points(&hand.get(added(true))), wide, "what it has stays in it");
    assert!(points(&hand.get(added(false))) < wide);
    let refused = hand.ask(json!({ "do": "graph", "action": "stitch", "island": 99 }));
    assert!(refused.is_err_and(|error| error.contains("there is no island 99")));
    while hand.ask(json!({ "do": "undo" })).is_ok() {}
    assert_eq!(text(), before, "every step is taken back");
    let add =
        json!({ "from": [1, 0, 1], "to": [2, 0, 2], "radius": 0.3, "doors": "open", "status": "complete" });
    let rows = hand.get(json!({ "do": "expect", "add": add }))["rows"].clone();
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "{rows}");
    assert_eq!(hand.get(json!({ "do": "expect", "remove": 0 }))["rows"], json!([]));
}

#[test]
fn expected_paths_know_who_asks_and_are_taken_back() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let add = json!({
        "from": [5, 0, 3], "to": [31, 0, 6], "doors": "open", "keys": ["bronze"], "avoidCharacters": true,
        "layer": "ground", "status": "complete",
    });
    let rows = hand.get(json!({ "do": "expect", "add": add }))["rows"].clone();
    for key in ["keys", "avoidCharacters", "layer", "doors"] {
        assert_eq!(rows[0][key], add[key], "{rows}");
    }
    assert_eq!(hand.wait(|message| message["tell"] == "history")["canUndo"], "expect a path");
    assert!(
        hand.ask(json!({ "do": "expect", "add": { "from": [5, 0, 3], "to": [6, 0, 3], "keys": [""] } }))
            .is_err()
    );
    hand.get(json!({ "do": "expect", "remove": 0 }));
    let told = |hand: &mut super::hand::Hand, count: usize| {
        hand.wait(|message| {
            message["tell"] == "expected" && message["rows"].as_array().map(Vec::len) == Some(count)
        })
    };
    hand.forget();
    hand.get(json!({ "do": "undo" }));
    assert_eq!(told(&mut hand, 1)["rows"], rows);
    hand.get(json!({ "do": "undo" }));
    told(&mut hand, 0);
    assert_eq!(hand.get(json!({ "do": "redo" }))["label"], "expect a path");
    told(&mut hand, 1);
    hand.get(json!({ "do": "expect", "save": "" }));
    let text = std::fs::read_to_string(viewed.file("scripts/courtyard_paths_test.lua")).unwrap();
    assert!(text.contains("keys = { \"bronze\" }, layer = \"ground\"") && !text.contains("ignore"), "{text}");
    let tested = crate::place::walkon(viewed.project.path(), &["test", "scripts/courtyard_paths_test.lua"]);
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stdout));
}

#[test]
fn routes_are_inspected_and_the_level_has_the_log_of_its_script() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let route = hand.get(json!({ "do": "inspect", "kind": "route", "name": "rounds" }));
    assert_eq!(route["stops"][0], json!({ "mark": "post", "position": [3.0, 0.0, 3.0] }), "{route}");
    assert_eq!(route["stops"].as_array().map(Vec::len), Some(4));
    assert!(route["length"].as_f64().is_some_and(|metres| (32.0..34.0).contains(&metres)), "{route}");
    assert!(hand.ask(json!({ "do": "inspect", "kind": "route", "name": "ruonds" })).is_err());
    let script = viewed.file("scripts/courtyard.lua");
    let text = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, format!("log.info(\"the yard is open\")\n{text}")).unwrap();
    hand.wait(|message| message["tell"] == "script");
    hand.step(5);
    let level = hand.get(json!({ "do": "inspect", "kind": "level" }));
    assert!(level["log"].to_string().contains("the yard is open"), "{}", level["log"]);
}

#[test]
fn the_page_answers_a_path_under_the_limit_of_the_level() {
    let [(_, tiles), ..] = path_limits::maps();
    for (limit, status, reason) in [(3, "none", json!("limit")), (1000, "complete", Value::Null)] {
        let viewed =
            Viewed::of(path_limits::maze(&tiles, limit).into_folder(), "levels/maze.json", &["--paused"]);
        let mut hand = viewed.client();
        let place = |x: f64, z: f64| json!([x, 0, z]);
        let asked = json!({ "do": "path", "from": place(0.5, 0.5), "to": place(6.5, 4.5), "radius": 0.3 });
        let answer = hand.get(asked);
        assert_eq!((&answer["status"], &answer["reason"]), (&json!(status), &reason), "{limit}: {answer}");
    }
}

#[test]
fn the_search_of_a_walk_is_made_again() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    hand.get(json!({ "do": "input", "walk": "regent", "to": [24, 0, 10] }));
    hand.step(5);
    let again = hand.get(json!({ "do": "path", "of": "regent" }));
    assert_eq!(again["status"], "complete", "{again}");
    assert!(again["legend"].to_string().contains("cells of the path"), "{again}");
    hand.get(json!({ "do": "input", "stop": "regent" }));
    hand.step(2);
    assert!(hand.get(json!({ "do": "path", "of": "regent" }))["status"].is_null());
    assert!(hand.ask(json!({ "do": "path", "of": "rgeent" })).is_err());
}

#[test]
fn a_table_that_was_kept_is_taken_back() {
    let viewed = Viewed::level("tower");
    let mut hand = viewed.client();
    hand.get(json!({ "do": "graph", "action": "space", "auto": 60 }));
    let files = || {
        let entries =
            ["levels", "levels/paths"].map(|folder| std::fs::read_dir(viewed.file(folder)).unwrap());
        let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
        let all =
            paths.filter(|path| path.is_file()).map(|path| (path.clone(), std::fs::read(path).unwrap()));
        all.collect::<std::collections::BTreeMap<_, _>>()
    };
    let before = files();
    hand.get(json!({ "do": "graph", "action": "table", "keep": true }));
    let kept = files();
    assert_ne!(kept, before);
    assert_eq!(hand.get(json!({ "do": "undo" }))["label"], "keep the table");
    assert_eq!(files(), before);
    hand.get(json!({ "do": "redo" }));
    assert_eq!(files(), kept);
}

#[test]
fn a_game_that_was_saved_in_the_page_goes_on_by_the_command() {
    let viewed = Viewed::with("courtyard", &["--paused"]);
    let mut hand = viewed.client();
    hand.step(30);
    let saved = hand.get(json!({ "do": "save" }));
    assert_eq!(saved["tick"], 30);
    let bytes = walkon_runtime::level::base64::bytes_of(saved["save"].as_str().unwrap()).unwrap();
    let header = walkon_runtime::game::save::SaveHeader::read(&bytes).unwrap();
    assert_eq!((header.tick, header.level.as_str()), (30, "courtyard"));
    let (_, project) = viewed.end();
    std::fs::write(project.path().join("courtyard-30.save"), &bytes).unwrap();
    let run = crate::place::walkon(
        project.path(),
        &["run", "courtyard", "--from", "courtyard-30.save", "--ticks", "60", "--strict", "--format", "json"],
    );
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(
        run.status.success() && told.contains("\"ticks\":60"),
        "{told}{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

#[test]
fn wrong_parameters_are_refused_and_wrong_ones_of_before_can_be_mended() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let file = viewed.file("levels/courtyard.json");
    let before = std::fs::read_to_string(&file).unwrap();
    let value: Value = serde_json::from_str(&before).unwrap();
    let people = value["characters"].as_array().unwrap();
    let at = people.iter().position(|one| one["name"] == "guard").unwrap();
    let pointer = format!("/characters/{at}/params/sight");
    let wrong = json!([{ "at": pointer, "set": -3 }]);
    hand.get(json!({ "do": "forecast", "seconds": 2 }));
    for command in ["edit", "try"] {
        let asked = hand.send(json!({ "do": command, "changes": wrong }));
        let refused = hand.wait(|message| message["id"] == asked);
        assert!(refused["error"].as_str().unwrap().starts_with("a parameter would be wrong"), "{refused}");
        assert_eq!(refused["diagnostics"][0]["pointer"], json!(pointer), "{refused}");
        assert_eq!(refused["diagnostics"][0]["code"], "params");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    // A trial that is no level says where.
    let asked = hand.send(
        json!({ "do": "try", "changes": [{ "at": format!("/characters/{at}/walkSpeed"), "set": -1 }] }),
    );
    let refused = hand.wait(|message| message["id"] == asked);
    assert!(refused["diagnostics"].to_string().contains("walkSpeed"), "{refused}");
    // On disk anything may stand: the rest can be edited, and each mistake be mended alone.
    std::fs::write(
        &file,
        before.replace("\"route\": \"rounds\" }", "\"route\": \"rnouds\", \"pause\": -1 }"),
    )
    .unwrap();
    hand.wait(|message| message["tell"] == "edited" && message.to_string().contains("rnouds"));
    hand.get(json!({ "do": "edit", "changes": [{ "at": "/characters/0", "remove": true }] }));
    hand.get(json!({ "do": "undo" }));
    hand.get(
        json!({ "do": "edit", "changes": [{ "at": format!("/characters/{at}/params/pause"), "set": 1 }] }),
    );
    assert!(hand.ask(json!({ "do": "edit", "changes": wrong })).is_err());
    hand.get(json!({ "do": "edit", "changes": [{ "at": format!("/characters/{at}/params/route"), "set": "rounds" }] }));
    // A script says something else of its parameters: that is told, not refused.
    let script = hand.get(json!({ "do": "source", "file": "behaviours/guard.lua" }))["text"].clone();
    let text = script.as_str().unwrap().replace(
        "pause = { type = \"number\", default = 1.5, min = 0 }",
        "pause = { type = \"number\", default = 3, min = 2 }",
    );
    hand.get(json!({ "do": "write", "file": "behaviours/guard.lua", "text": text }));
    let told = hand
        .wait(|message| message["tell"] == "problems" && message.to_string().contains("expected 2 or more"));
    assert_eq!(told["diagnostics"].as_array().map(Vec::len), Some(1), "{told}");
}

#[test]
fn edits_are_judged_by_the_scripts_as_they_are_and_so_is_what_was_wrong_before() {
    let project = tempfile::tempdir().unwrap();
    for folder in ["levels", "scripts/behaviours"] {
        std::fs::create_dir_all(project.path().join(folder)).unwrap();
    }
    let script = "return { params = { pause = { type = \"number\", default = 1 } } }\n";
    let user = |name: &str| json!({ "name": name, "position": [2, 2], "behaviour": "w.lua", "params": { "pause": 2 } });
    let level = json!({
        "navigation": { "areas": [{ "name": "f", "polygon": [[0, 0], [9, 0], [9, 9], [0, 9]] }] },
        "marks": { "m": [1, 1] }, "characters": [user("a"), user("b")],
    });
    std::fs::write(project.path().join("walkon.json"), "{}").unwrap();
    std::fs::write(project.path().join("scripts/behaviours/w.lua"), script).unwrap();
    std::fs::write(project.path().join("levels/two.json"), level.to_string()).unwrap();
    let viewed = Viewed::of(project, "levels/two.json", &["--paused"]);
    let edit = |changes: Value| json!({ "do": "edit", "changes": changes });
    let moved = |x: f64| edit(json!([{ "at": "/marks/m/0", "set": x }]));
    let renamed = |at: usize, from: &str, to: &str| {
        let place = format!("/characters/{at}/params");
        edit(
            json!([{ "at": format!("{place}/{from}"), "remove": true }, { "at": format!("{place}/{to}"), "insert": 2 }]),
        )
    };
    let mut hand = viewed.client();
    let source = hand.get(json!({ "do": "source", "file": "behaviours/w.lua" }))["text"].clone();
    let rest = source.as_str().unwrap().replace("pause", "rest");
    let written = hand.get(json!({ "do": "write", "file": "behaviours/w.lua", "text": rest }));
    let told = written["diagnostics"].as_array().unwrap();
    let unknown = told.iter().filter(|one| one.to_string().contains("unknown parameter"));
    assert_eq!(unknown.count(), 2, "the answer is about the new script: {written}");
    hand.wait(|message| message["tell"] == "problems");
    hand.get(moved(1.5));
    hand.get(renamed(0, "pause", "rest"));
    assert!(hand.ask(renamed(0, "rest", "pause")).is_err_and(|error| error.contains("would be wrong")));
    // Another program saves, and everything was checked since.
    viewed.save("scripts/behaviours/w.lua", script);
    hand.wait(|message| message["tell"] == "script" && message["by"] == "disk");
    hand.wait(|message| message["tell"] == "problems");
    hand.get(moved(1.75));
    hand.get(renamed(0, "rest", "pause"));
    assert_eq!(hand.get(json!({ "do": "check" }))["diagnostics"], json!([]));
}

#[test]
fn watches_at_places_are_shown_whoever_is_selected() {
    let project = tempfile::tempdir().unwrap();
    let level = json!({
        "navigation": { "areas": [{ "name": "yard", "polygon": [[0, 0], [10, 0], [10, 8], [0, 8]] }] },
        "characters": [{ "name": "anna", "position": [2, 2], "behaviour": "near.lua" }, { "name": "bert", "position": [4, 2], "behaviour": "near.lua" }],
        "script": "yard.lua",
    });
    std::fs::write(project.path().join("level.json"), level.to_string()).unwrap();
    let near = "return { start = function(self) region.near(self.character, 3, { onEnter = function() end }) end }\n";
    std::fs::write(project.path().join("near.lua"), near).unwrap();
    let script =
        "function onStart() region.near(vector.create(7, 0, 6), 1, { onEnter = function() end }) end\n";
    std::fs::write(project.path().join("yard.lua"), script).unwrap();
    let viewed = Viewed::of(project, "level.json", &["--paused"]);
    let mut hand = viewed.client();
    hand.step(2);
    hand.get(json!({ "do": "show", "parts": ["watches"] }));
    let shown = |overlay: &Value| -> std::collections::BTreeSet<String> {
        let layers = overlay["layers"].as_array().unwrap().iter();
        let shapes = layers.flat_map(|layer| layer["shapes"].as_array().unwrap());
        shapes.filter(|shape| shape["kind"] == "watch").map(|shape| shape["key"].to_string()).collect()
    };
    let mut watches = |keys: Value, expected: usize| {
        hand.forget();
        hand.get(json!({ "do": "select", "keys": keys }));
        // One that was drawn before may still be on its way.
        hand.wait(|message| message["tell"] == "overlay" && shown(message).len() == expected);
    };
    watches(json!([]), 3);
    watches(json!([1]), 2);
}
