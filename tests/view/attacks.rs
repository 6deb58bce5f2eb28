//! Texts that are evaluated in a level under view and ask for too much.
//!
//! Goal: the limits of scripts hold for what a viewer types as well, the program answers afterwards, and a
//! signal ends it. Method: the program on standard input and output, which stay open; what counts is what is
//! told, never a clock.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::debugger::{yard, yard_with};
use crate::fixture::TWO_ROOMS;

/// A level under view, paused, with both ends open.
struct Spoken {
    child: Child,
    into: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    /// The longest line that was read.
    longest: usize,
    last_id: u64,
    folder: tempfile::TempDir,
}

impl Spoken {
    fn begin(limits: &str) -> Self {
        Self::begin_with(limits, &[])
    }

    fn begin_with(limits: &str, args: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let head = format!("{{ \"script\": \"attack.lua\", \"limits\": {{ {limits} }},");
        std::fs::write(folder.path().join("stage.json"), TWO_ROOMS.replacen('{', &head, 1)).unwrap();
        std::fs::write(folder.path().join("attack.lua"), "").unwrap();
        let mut child = Command::new(crate::place::program())
            .args(["view", "stage.json", "--stdio", "--paused"])
            .args(args)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (into, out) = (child.stdin.take(), child.stdout.take().unwrap());
        let lines = BufReader::new(out).lines();
        Self { child, into, lines, longest: 0, last_id: 0, folder }
    }

    fn next(&mut self) -> Value {
        let line = self.lines.next().expect("the program goes on").unwrap();
        self.longest = self.longest.max(line.len());
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, command: Value) -> u64 {
        self.last_id += 1;
        let Value::Object(mut fields) = command else { panic!("a command is an object") };
        fields.insert("id".to_owned(), json!(self.last_id));
        writeln!(self.into.as_mut().unwrap(), "{}", Value::Object(fields)).unwrap();
        self.last_id
    }

    /// Evaluates a text, and tells what came of it.
    fn evaluate(&mut self, text: &str) -> String {
        self.ask(json!({ "do": "input", "evaluate": text }));
        self.ask(json!({ "do": "step", "ticks": 1 }));
        loop {
            let told = self.next();
            let items = told["items"].as_array().cloned().unwrap_or_default();
            let came = items.iter().find(|item| item["lane"] == "inputs" && item["kind"] != "input");
            if let Some(item) = came {
                return item["text"].as_str().unwrap().to_owned();
            }
        }
    }

    fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let told = self.next();
            if fits(&told) {
                return told;
            }
        }
    }

    /// Ends its input; the exit code.
    fn end(&mut self) -> Option<i32> {
        self.into = None;
        self.lines.by_ref().for_each(drop);
        self.child.wait().unwrap().code()
    }

    fn is_there(&mut self) -> bool {
        let id = self.ask(json!({ "do": "ping" }));
        loop {
            let told = self.next();
            if told["id"] == id {
                return told["ok"].is_object();
            }
        }
    }
}

impl Drop for Spoken {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_is_evaluated_ends_by_the_limits_of_scripts_and_the_program_answers() {
    // In this order: long texts that begin alike make every safepoint expensive from then on.
    let cases = [
        ("local function f() return 1 + f() end return f()", "stack overflow"),
        ("local function f() return coroutine.wrap(f)() end f()", "nested too deeply"),
        ("while true do timer.after(9, print) end", "256 timers"),
        ("while true do end", "stopped after 100000 steps"),
        ("while true do pcall(function() while true do end end) end", "stopped after 100000 steps"),
        ("local s = 'x' while true do s = s .. s end", "larger than any may be"),
        ("return string.find(('a'):rep(32), ('a?'):rep(32) .. ('a'):rep(32))", "stopped after 100000 steps"),
        ("while true do event.emit('x', { 1 }) end", "stopped after 100000 steps"),
        (
            "error(setmetatable({}, { __tostring = function() while true do end end }))",
            "error object is a table",
        ),
        ("local t = {} for i = 1, 20000 do t = { t } end return t", "console"),
        ("local t = {} t.t = t return t", "a table that holds this one"),
        ("task.sleep(9)", "may not wait"),
        (
            "local t = {} for i = 1, 9000 do t['k' .. i] = 1 end table.clear(t) while true do for k in t do end end",
            "stopped after 100000 steps",
        ),
        (
            "local t = {} for i = 1, 900 do t['k' .. i] = 1 end while true do t[1] = 1 t[1] = nil t[2] = 1 t[2] = nil end",
            "stopped after 100000 steps",
        ),
        ("local t = {} while true do t[#t + 1] = ('x'):rep(500000) .. #t end", "stopped after 100000 steps"),
    ];
    // No clock decides, however busy the machine is.
    let mut spoken = Spoken::begin("\"watchdogMs\": 60000");
    for (text, part) in cases {
        let came = spoken.evaluate(text);
        assert!(came.contains(part), "{text}: {came}");
        assert!(spoken.is_there(), "{text}");
    }
    let came = spoken.evaluate("return 6 * 7");
    assert!(came.ends_with(": 42"), "{came}");
}

#[test]
fn long_data_is_marked_in_what_a_view_tells() {
    let mut spoken = Spoken::begin("");
    spoken.evaluate("local p = ('x'):rep(200000) for i = 1, 40 do event.emit('long', p) end return 1");
    assert!(spoken.is_there());
    assert!(spoken.longest < 100_000, "{} bytes", spoken.longest);
}

/// The watchdog looks at the thread that the calls run on.
#[test]
fn the_watchdog_ends_calls_of_a_level_under_view() {
    let mut spoken =
        Spoken::begin("\"watchdogMs\": 10, \"fuelPerCall\": 10000000, \"fuelPerTick\": 1000000000");
    let came = spoken.evaluate("local n = 0 while true do n += 1 end");
    assert!(came.contains("watchdog"), "{came}");
    assert!(spoken.is_there());
}

/// A frame of a client with a text, masked by zeros.
fn text_frame(text: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x81, 0xff];
    frame.extend((text.len() as u64).to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(text);
    frame
}

#[test]
fn sockets_that_the_program_closes_are_told_why() {
    let viewed = yard();
    let long = text_frame(&vec![b'a'; 20_000_000]);
    let only_claimed =
        text_frame(&[]).into_iter().take(2).chain((1_u64 << 40).to_be_bytes()).chain([0; 4]).collect();
    for (bytes, why) in [
        (vec![0x81, 2, b'{', b'}'], "mask"),
        (text_frame(&[0xff, 0xfe]), "UTF-8"),
        (vec![0xf1, 0x80, 0, 0, 0, 0], "reserved"),
        (long, "16777216 bytes at most"),
        (only_claimed, "16777216 bytes at most"),
    ] {
        let mut hand = viewed.client();
        hand.send_raw(&bytes);
        let told = hand.farewell();
        assert!(told.to_lowercase().contains(&why.to_lowercase()), "{why}: {told}");
    }
    let mut hand = viewed.client();
    hand.close("that is all");
    assert_eq!(hand.farewell(), "that is all", "a goodbye is answered");
    assert!(viewed.client().get(json!({ "do": "ping" })).is_object());
}

#[test]
fn a_client_that_does_not_read_is_told_so_behind_what_was_on_its_way() {
    let viewed =
        yard_with(&[("yard.lua", "function onTick() for i = 1, 100 do log.info((\"x\"):rep(4000)) end end")]);
    let (mut other, hand) = (viewed.client(), viewed.client());
    // Everybody is told of every line: 80 MB and more.
    for _ in 0..25 {
        other.step(10);
        other.forget();
    }
    let told = hand.farewell();
    assert!(told.contains("did not read its messages"), "{told}");
}

#[test]
fn a_view_whose_run_was_let_change_ends_with_a_mark() {
    let mut spoken = Spoken::begin_with("", &["--trace", "kept.jsonl"]);
    spoken.ask(json!({ "do": "step", "ticks": 3 }));
    spoken.wait(|told| told["tell"] == "state" && told["tick"] == 3);
    spoken.ask(json!({ "do": "debug", "action": "pause" }));
    spoken.wait(|told| told["tell"] == "stopped");
    let text = "world.character(\"hero\"):teleport(1, 1)";
    let id = spoken.ask(json!({ "do": "debug", "action": "evaluate", "text": text, "acts": true }));
    let answer = spoken.wait(|told| told["id"] == id);
    assert!(answer["ok"].is_object(), "{answer}");
    spoken.ask(json!({ "do": "debug", "action": "continue" }));
    spoken.ask(json!({ "do": "step", "ticks": 2 }));
    spoken.wait(|told| told["tell"] == "state" && told["tick"] == 5);
    let folder = spoken.folder.path().to_owned();
    assert_eq!(spoken.end(), Some(5));
    let trace = std::fs::read_to_string(folder.join("kept.jsonl")).unwrap();
    assert!(trace.lines().last().unwrap().ends_with("\"reproducible\":false}"), "{trace}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_view_whose_input_stays_open() {
    for attack in
        [None, Some("while true do end"), Some("timer.every(0.02, function() while true do end end)")]
    {
        let mut spoken = Spoken::begin("\"fuelPerCall\": 10000000, \"fuelPerTick\": 1000000000");
        assert!(spoken.is_there());
        if let Some(text) = attack {
            spoken.ask(json!({ "do": "input", "evaluate": text }));
            spoken.ask(json!({ "do": "play" }));
            assert!(spoken.is_there());
        }
        let (signal, code) = if attack.is_none() { ("-TERM", 143) } else { ("-INT", 130) };
        crate::place::send_signal(signal, &spoken.child);
        // The input is still open and nobody reads: nothing but the signal ends it.
        let ended = (0..3000).find_map(|_| {
            std::thread::sleep(Duration::from_millis(10));
            spoken.child.try_wait().unwrap()
        });
        assert_eq!(ended.and_then(|status| status.code()), Some(code), "{attack:?}: {ended:?}");
    }
}
