//! Level tests: every outcome comes out, every failure says what it found, the shipped tests pass, results
//! have their forms.
//!
//! Method: little test files against the level of `script_api`, run through `game::testing`; the project's
//! own through the same; the command line on a project in a folder of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Output;
use std::sync::Arc;

use walkon_runtime::game::testing::{Suite, TestOutcome, TestResult, collect, is_test_file, run, seeds};
use walkon_runtime::level::{Level, MemorySource, load};
use walkon_runtime::script::bind;
use walkon_runtime::script::bind::table::Binding;
use walkon_runtime::script::vm::fuel::Signals;

use crate::place::walkon;
use crate::script::script_api::LEVEL;

fn level(json: &str) -> Result<Level, String> {
    let source = MemorySource::new().with("courtyard.json", json);
    load("courtyard.json", &source).map_err(|refused| refused.to_string())
}

/// The results of the tests in `room_test.lua`; `level.lua` among the files is the level script.
fn results(files: &[(&str, &str)]) -> Vec<TestResult> {
    results_with(files, None)
}

fn results_with(files: &[(&str, &str)], seed: Option<u64>) -> Vec<TestResult> {
    let mut texts: BTreeMap<String, String> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    texts.entry("idle.lua".to_owned()).or_insert_with(|| "return {}".to_owned());
    texts
        .entry("busy.lua".to_owned())
        .or_insert_with(|| "return { update = function() for _ = 1, 5 do end end }".to_owned());
    let json = match texts.contains_key("level.lua") {
        true => LEVEL.replacen('{', "{ \"script\": \"level.lua\",", 1),
        false => LEVEL.to_owned(),
    };
    let levels = ["courtyard".to_owned(), "crypt".to_owned()];
    let tests =
        collect(&texts, "room_test.lua", &levels, Arc::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut suite = Suite {
        profile: None,
        scripts: &texts,
        load_level: &mut |name| if name == "courtyard" { level(&json) } else { Err(format!("no {name}")) },
        signals: Arc::new(Signals::default()),
        debugger: None,
        goes_on: &mut || true,
    };
    let all = tests.iter().enumerate();
    all.map(|(index, test)| run(&mut suite, test, index, seeds(test, seed)).expect("nobody stops it"))
        .collect()
}

/// One test with this body and these further options.
fn one(options: &str, body: &str) -> TestResult {
    one_with(options, body, &[])
}

fn one_with(options: &str, body: &str, files: &[(&str, &str)]) -> TestResult {
    let text = format!(
        "test.level(\"it\", {{ level = \"courtyard\", {options} }}, function(t, variant) \
         local guard, player, door = world.character(\"guard\"), world.player(), world.door(\"gate\")\n{body}\nend)"
    );
    let mut files = files.to_vec();
    files.push(("room_test.lua", &text));
    results(&files).remove(0)
}

fn fails(body: &str, message: &str) {
    let result = one("", body);
    assert_eq!(result.outcome, TestOutcome::Fail, "{body}: {result:?}");
    assert_eq!(result.message.as_deref(), Some(message), "{body}");
    assert_eq!((result.file.as_str(), result.line), ("room_test.lua", 2), "{body}");
}

fn passes(body: &str) {
    let result = one("", body);
    assert!(result.passed, "{body}: {:?}", result.message);
}

#[test]
fn a_test_passes_when_its_function_returns() {
    let result = one("seed = 9", "t:run(0.5) t:expect(level.tick):toBe(31)");
    assert_eq!(
        (result.outcome, result.passed, result.seed, result.message),
        (TestOutcome::Pass, true, 9, None)
    );
    assert_eq!(result.tick, 31, "it begins in step 3 of tick 1");
}

#[test]
fn an_expectation_that_fails_shows_line_tick_events_and_map() {
    let result = one("", "door:open()\nt:run(1)\nt:expect(door.state):toBe(\"closed\")");
    assert_eq!((result.outcome, result.line, result.tick), (TestOutcome::Fail, 4, 61));
    assert_eq!(result.message.as_deref(), Some("toBe: expected \"closed\", got \"open\""));
    let scene = result.scene.unwrap();
    assert!(scene.events.iter().any(|event| event.ends_with("door \"gate\" is open")), "{:?}", scene.events);
    assert!(scene.map.contains("tick 61") && scene.map.lines().count() > 10, "{}", scene.map);
}

#[test]
fn a_failure_counts_also_when_its_error_is_caught_or_another_task_made_it() {
    let caught = one("", "pcall(function() t:expect(1):toBe(2) end)\nt:run(1)");
    assert_eq!((caught.outcome, caught.tick), (TestOutcome::Fail, 1), "{:?}", caught.message);
    let handler = one("", "timer.after(0.1, function()\nt:fail(\"in a handler\") end)\nt:run(1)");
    assert_eq!(handler.message.as_deref(), Some("in a handler"));
    assert_eq!((handler.outcome, handler.line), (TestOutcome::Fail, 3));
}

#[test]
fn a_test_gets_the_entry_that_won_a_race() {
    passes(
        "local key, value = task.race({
            quick = function() task.sleep(0.2) return 5 end,
            slow = function() task.sleep(1) return 9 end,
        })
        t:expect(key):toBe(\"quick\")
        t:expect(value):toBe(5)
        t:expect(level.tick):toBe(13)",
    );
    passes(
        "local ended = {}
        local function after(seconds, value)
            return function()
                task.onCancel(function(why) table.insert(ended, value .. \" \" .. why) end)
                task.sleep(seconds)
                return value
            end
        end
        local key, value = task.race({ after(1, \"a\"), after(0.2, \"b\"), after(2, \"c\") })
        t:expect(key):toBe(2)
        t:expect(value):toBe(\"b\")
        t:expect(ended):toEqual({ \"a lostRace\", \"c lostRace\" })
        t:run(3)
        t:expect(#ended):toBe(2)",
    );
    passes(
        "local inner
        local key, value = task.race({
            outer = function()
                inner = { task.race({ function() task.sleep(1) end, function() task.sleep(0.1) return \"in\" end }) }
                return inner[2]
            end,
            slow = function() task.sleep(1) end,
        })
        t:expect(key):toBe(\"outer\")
        t:expect(value):toBe(\"in\")
        t:expect(inner[1]):toBe(2)",
    );
    passes(
        "local key, value = task.race({ walk = player:walkTo(vector.create(0, 0, 0)), now = function() return 1 end })
        t:expect(key):toBe(\"now\")
        t:expect(value):toBe(1)",
    );
}

#[test]
fn a_test_gets_all_results_of_a_group_or_its_error() {
    passes(
        "local done = task.all({
            a = function() task.sleep(0.1) return 1 end,
            b = function() task.sleep(0.3) return 2 end,
        })
        t:expect(done):toEqual({ a = 1, b = 2 })
        t:expect(level.tick):toBe(19)",
    );
    for (kind, other) in [("all", "task.sleep(0.5) return 2"), ("race", "task.sleep(0.5) return 2")] {
        let body = format!(
            "local why
            local ok, problem = pcall(function()
                return task.{kind}({{
                    a = function() error(\"boo\") end,
                    b = function() task.onCancel(function(reason) why = reason end) {other} end,
                }})
            end)
            t:expect(ok):toBe(false)
            t:expect(problem):toContain(\"boo\")
            t:run(1)
            t:expect(why):toBe(\"{}\")",
            if kind == "all" { "cancelled" } else { "lostRace" }
        );
        passes(&body);
    }
    let result = one("", "task.all({ a = function() error(\"boo\") end, b = function() task.sleep(1) end })");
    assert_eq!(result.outcome, TestOutcome::Fault, "{result:?}");
    assert!(result.message.as_ref().unwrap().contains("boo"), "{result:?}");
}

#[test]
fn a_test_gets_the_result_of_a_timeout() {
    passes(
        "local ok, value = task.timeout(1, function() task.sleep(0.2) return 7 end)
        t:expect(ok):toBe(true)
        t:expect(value):toBe(7)
        local why
        local late, nothing = task.timeout(0.2, function()
            task.onCancel(function(reason) why = reason end)
            task.sleep(1)
            return 7
        end)
        t:expect(late):toBe(false)
        t:expect(nothing):toBe(nil)
        t:expect(why):toBe(\"lostRace\")
        local fine, problem = pcall(task.timeout, 1, function() error(\"boo\") end)
        t:expect(fine):toBe(false)
        t:expect(problem):toContain(\"boo\")",
    );
}

#[test]
fn a_test_that_waits_for_an_event_hears_the_first_of_a_tick() {
    passes(
        "task.spawn(function()
            task.sleep(0.1)
            event.emit(\"bell\", { n = 1 })
            event.emit(\"bell\", { n = 2 })
        end)
        t:expect(t:expectEvent(\"bell\").n):toBe(1)",
    );
}

/// A scene with a choice; what was chosen is in `paid`.
fn toll(settings: &str, body: &str) -> String {
    format!(
        "local paid cinematic.define(\"toll\", {{ script = function(c) paid = c:choice(\"bridge.pay\", \
         {{ \"pay\", \"refuse\" }}, {{ default = \"pay\", {settings} }}) end }}) {body}"
    )
}

#[test]
fn an_answer_counts_from_the_moment_it_is_given() {
    passes(&toll(
        "",
        "t:answer(\"bridge.pay\", \"refuse\") cinematic.play(\"toll\"):wait() t:expect(paid):toBe(\"refuse\")",
    ));
    passes(&toll(
        "seconds = 2",
        "local scene = cinematic.play(\"toll\") t:run(1) t:answer(\"bridge.pay\", \"refuse\") scene:wait()
        t:expect(paid):toBe(\"refuse\") t:expect(level.tick):toBeBelow(70)",
    ));
}

#[test]
fn an_answer_that_is_no_option_fails_where_it_is_given() {
    let message = "answer: the choice \"bridge.pay\" has no option \"refuze\", only \"pay\", \"refuse\"; \
                   did you mean \"refuse\"?";
    fails(&toll("", "t:answer(\"bridge.pay\", \"refuze\") cinematic.play(\"toll\"):wait()"), message);
    let late = "cinematic.play(\"toll\") t:run(1) t:answer(\"bridge.pay\", \"refuze\") t:run(3)";
    fails(&toll("seconds = 2", late), message);
}

#[test]
fn an_answer_that_nobody_asked_for_fails_at_the_end() {
    let unasked = "the answer to \"bridge.pya\" was never asked for; did you mean \"bridge.pay\"?";
    let misspelt = "t:answer(\"bridge.pya\", \"refuse\") cinematic.play(\"toll\"):wait()";
    fails(&toll("", misspelt), unasked);
    fails(
        &toll("", &format!("{misspelt} t:expect(paid):toBe(\"refuse\")")),
        &format!("toBe: expected \"refuse\", got \"pay\"; {unasked}"),
    );
    fails("t:answer(\"gate\", \"open\") t:run(0.1)", "the answer to \"gate\" was never asked for");
    fails(
        &toll("", "cinematic.play(\"toll\"):wait() t:answer(\"bridge.pay\", \"refuse\") t:run(1)"),
        "the answer to \"bridge.pay\" was never asked for; the choice was asked before, and not again",
    );
}

/// Answers are kept for the choices to come: they are in the memory of the level.
#[test]
fn answers_that_no_choice_can_have_are_refused_where_they_are_given() {
    for (choice, option) in [
        ("\"c\"", "(\"x\"):rep(900000)"),
        ("\"c\"", "(\"x\"):rep(257)"),
        ("\"c\"", "\"\""),
        ("\"\"", "\"yes\""),
    ] {
        let message = one("", &format!("t:answer({choice}, {option})")).message.unwrap_or_default();
        assert!(message.contains("answer: ") && message.contains("expected"), "{choice} {option}: {message}");
    }
    let most = one("", "t:answer(\"c\", (\"x\"):rep(256))").message.unwrap_or_default();
    assert!(most.contains("never asked"), "{most}");
}

#[test]
fn ticks_beyond_the_most_are_a_timeout() {
    let result = one("maxTicks = 40", "t:until_(function() return false end, { timeout = 999 })");
    assert_eq!((result.outcome, result.tick), (TestOutcome::Timeout, 40));
    assert_eq!(result.message.as_deref(), Some("still running after maxTicks = 40"));
}

#[test]
fn a_fault_of_a_script_or_of_the_test_ends_it_unless_it_is_allowed() {
    let faulty = [("level.lua", "function onTick() if level.tick == 5 then error(\"oh\") end end")];
    let result = one_with("", "t:run(1)", &faulty);
    assert_eq!((result.outcome, result.tick), (TestOutcome::Fault, 5));
    assert!(result.message.as_ref().unwrap().starts_with("level.lua:1: oh"), "{result:?}");
    let allowed = one_with(
        "faults = \"allow\"",
        "t:run(1) t:expect(#t:faults()):toBe(1) t:expect(t:faults()[1].message):toContain(\"oh\")",
        &faulty,
    );
    assert!(allowed.passed, "{:?}", allowed.message);
    let own = one("faults = \"allow\"", "t:run(0.1)\nworld.door(\"gte\")");
    assert_eq!((own.outcome, own.line), (TestOutcome::Fault, 3), "{own:?}");
    assert!(own.message.unwrap().contains("unknown door \"gte\"; did you mean \"gate\"?"));
    let stopping = [("level.lua", "function onStop() error(\"at the end\") end")];
    let late = one_with("", "t:run(0.1)", &stopping);
    assert_eq!(late.outcome, TestOutcome::Fault, "what stops at the end counts: {late:?}");
}

#[test]
fn runs_that_depend_on_addresses_are_a_mismatch_and_the_tick_is_named() {
    let unstable = [(
        "level.lua",
        "function onTick()
            if level.tick ~= 7 then return end
            local keys, sum = {}, 0
            for i = 1, 200 do keys[{}] = i end
            for _, value in pairs(keys) do sum = (sum * 31 + value) % 1000003 end
            world.player():setSpeed(1 + sum / 1000003)
        end",
    )];
    let result = one_with("", "t:run(1)", &unstable);
    assert_eq!((result.outcome, result.tick), (TestOutcome::Mismatch, 7), "{result:?}");
    let message = result.message.unwrap();
    assert_eq!(message, "the two runs differ first after tick 7: in characters");
}

#[test]
fn what_cannot_be_loaded_is_invalid() {
    let text = "test.level(\"no level\", { level = \"crypt\" }, function() end)";
    let result = results(&[("room_test.lua", text)]).remove(0);
    assert_eq!((result.outcome, result.message.as_deref()), (TestOutcome::Invalid, Some("no crypt")));
    let broken = one_with("", "t:run(1)", &[("level.lua", "function (")]);
    assert_eq!(broken.outcome, TestOutcome::Invalid);
    assert!(broken.message.unwrap().starts_with("level.lua:1:"));
    let error =
        collect(&[("a_test.lua".to_owned(), "x =".to_owned())].into(), "a_test.lua", &[], Arc::default());
    assert!(error.unwrap_err().to_string().starts_with("a_test.lua:1:"));
}

#[test]
fn an_expected_outcome_counts_as_passed_and_another_is_named() {
    for (outcome, body) in [
        ("fail", "t:fail(\"so\")"),
        ("timeout", "t:run(99999)"),
        ("fault", "error(\"so\")"),
        ("pass", "t:run(0.1)"),
    ] {
        let result = one(&format!("maxTicks = 20, expect = \"{outcome}\""), body);
        assert!(result.passed, "{outcome}: {result:?}");
    }
    let result = one("expect = \"fail\"", "t:run(0.1)");
    assert_eq!(result.message.as_deref(), Some("expected fail, got pass"));
    assert!(!result.passed);
}

#[test]
fn every_expectation_says_what_it_found() {
    fails("t:expect(3):toBe(4)", "toBe: expected 4, got 3");
    fails("t:expect(nil):toBe(guard)", "toBe: expected character \"guard\", got nil");
    fails("t:expect({}):toBe({})", "toBe: expected {}, got {}");
    fails(
        "t:expect({ 1, { a = 2, b = 3 } }):toEqual({ 1, { a = 2, b = 4 } })",
        "toEqual: expected { 1, { a = 2, b = 4 } }, got { 1, { a = 2, b = 3 } }; they differ at [2].b",
    );
    fails(
        "t:expect({ a = 1, b = 2 }):toEqual({ a = 1 })",
        "toEqual: expected { a = 1 }, got { a = 1, b = 2 }; they differ at .b",
    );
    fails("t:expect(3):toBeNear(4, 0.5)", "toBeNear: expected 4 within 0.5, got 3, which is 1.0000 away");
    fails("t:expect(\"x\"):toBeNear(4, 0.5)", "toBeNear: expected 4 within 0.5, got \"x\"");
    fails(
        "t:expect(vector.create(1, 0, 0)):toBeNear(vector.create(1, 0, 2), 1)",
        "toBeNear: expected (1, 0, 2) within 1, got (1, 0, 0), which is 2.0000 away",
    );
    fails("t:expect(3):toBeAbove(3)", "toBeAbove: expected a number above 3, got 3");
    fails("t:expect(nil):toBeBelow(3)", "toBeBelow: expected a number below 3, got nil");
    fails("t:expect({ 1, 2 }):toContain(3)", "toContain: expected a list with 3, got { 1, 2 }");
    fails(
        "t:expect(\"guard\"):toContain(\"door\")",
        "toContain: expected a text with \"door\", got \"guard\"",
    );
    fails("t:expect(5):toContain(5)", "toContain: expected a list or text with 5, got 5");
    fails(
        "t:expect(4):toSatisfy(function(n) return n > 4 end)",
        "toSatisfy: expected a value that the function says yes to, got 4",
    );
    fails("t:fail(\"no good\")", "no good");
    fails(
        "t:until_(function() return false end, { timeout = 0.5 })",
        "until_: the predicate is still false after 0.5 s",
    );
    fails(
        "t:eventually(function() t:expect(level.tick):toBeAbove(99) end, { timeout = 0.1 })",
        "toBeAbove: expected a number above 99, got 7 (eventually: still so after 0.1 s)",
    );
    fails(
        "t:expectEvent(\"never\", { within = 0.5 })",
        "expectEvent: expected the event \"never\", got none that counts within 0.5 s",
    );
    fails(
        "timer.after(0.1, function() event.emit(\"rang\", { loud = true }) end) t:expectNoEvent(\"rang\")",
        "expectNoEvent: expected no event \"rang\", got one with the payload { loud = true }",
    );
    fails(
        "t:expectWalk(guard, \"gate\", { within = 0.5 })",
        "expectWalk: expected arrived, got no end of the walk within 0.5 s",
    );
    fails(
        "t:expectWalk(guard, guard.position, { reason = \"reached\" })",
        "expectWalk: expected arrived/reached, got arrived/alreadyThere at (6.0, 6.0) after 0 ticks",
    );
    fails(
        "t:always(function() t:expect(level.tick):toBeBelow(9) end) t:run(1)",
        "toBeBelow: expected a number below 9, got 9",
    );
    // The tick in which the test returns is one of its ticks, whether it returns in step 3 or in step 12.
    fails(
        "t:always(function() t:expect(level.tick):toBeBelow(1) end)",
        "toBeBelow: expected a number below 1, got 1",
    );
    for wait in ["t:run(0.1)", "t:expectWalk(guard, guard.position)"] {
        fails(
            &format!("t:always(function() t:expect(state.late):toBe(nil) end) {wait} state.late = 1"),
            "toBe: expected nil, got 1",
        );
    }
}

#[test]
fn words_that_no_walk_ends_with_are_refused_before_it_begins() {
    let refused = |options: &str, message: &str| {
        let body = format!("t:expectWalk(guard, \"gate\", {options})");
        let result = one("", &body);
        assert_eq!(result.outcome, TestOutcome::Fault, "{options}: {result:?}");
        assert!(result.tick < 3, "{options}: {result:?}");
        let told = result.message.unwrap();
        assert!(told.contains(message), "{options}: {told}");
    };
    let words = "\"arrived\", \"partial\", \"blocked\" or \"cancelled\"";
    refused("{ status = \"arived\" }", &format!("expectWalk: status is \"arived\", expected {words}"));
    refused("{ status = 3 }", &format!("expectWalk: status is 3, expected {words}"));
    refused("{ reason = \"reched\" }", "expectWalk: unknown reason \"reched\"; did you mean \"reached\"?");
    refused("{ reason = 3 }", "expectWalk: reason is 3, expected a reason");
}

#[test]
fn what_holds_passes() {
    passes("t:expect({ 1, { a = 2 } }):toEqual({ 1, { a = 2 + 1e-7 } })");
    passes("t:expect(0.1 + 0.2):toEqual(0.3) t:expect(guard):toBe(world.character(\"guard\"))");
    passes("t:expect({ { a = 1 } }):toContain({ a = 1 }) t:expect(nil):toBe(nil)");
    passes(
        "t:expectWalk(guard, \"throne\", { status = \"partial\", reason = \"nearest\", accept = \"partial\" })",
    );
    passes("local r = t:expectWalk(guard, 8, 6, { within = 20 }) t:expect(r.status):toBe(\"arrived\")");
    passes(
        "timer.after(0.2, function() event.emit(\"rang\", { loud = true, n = 1 }) end) event.emit(\"rang\", { n = 0 }) \
         t:expect(t:expectEvent(\"rang\", { where = { n = 1 } }).loud):toBe(true)",
    );
    passes(
        "timer.after(0.1, function() event.emit(\"rang\") end) t:expect(t:expectEvent(\"rang\")):toBe(nil)",
    );
    passes("t:expectNoEvent(\"rang\", { during = 1 }) t:expect(level.tick):toBe(61)");
    passes("local n = 0 t:always(function() n = n + 1 end) t:ticks(10) t:expect(n):toBe(10)");
    passes("local h = t:hash() t:expect(#h):toBe(16) player:setSpeed(1) t:expect(t:hash() ~= h):toBe(true)");
    passes(
        "level.finish(false, \"so\") t:run(1) t:expect(level.outcome):toEqual({ ok = false, note = \"so\" })",
    );
    passes("t:expect(level.outcome):toBe(nil)");
}

#[test]
fn the_test_comes_last_in_its_step() {
    let level = "
        function onStart()
            event.on(\"rang\", function() state.heard = (state.heard or 0) + 1 event.emit(\"echo\") end)
            event.on(\"echo\", function() state.echo = (state.echo or 0) + 1 end)
        end
        function onTick() state.ticked = level.tick task.spawn(function() state.spawned = level.tick end) end";
    let body = "
        t:ticks(2) t:expect(state.ticked):toBe(level.tick) t:expect(state.spawned):toBe(level.tick)
        t:until_(function() return state.spawned == level.tick end, { timeout = 0.1 })
        event.emit(\"rang\")
        t:expectEvent(\"rang\", { within = 1 })
        t:expect(state.heard):toBe(1) t:expect(state.echo):toBe(1)
        event.emit(\"rang\")
        t:expectEvent(\"rang\", { within = 1 })
        t:expect(state.echo):toBe(2)";
    let result = one_with("", body, &[("level.lua", level)]);
    assert!(result.passed, "{result:?}");
}

#[test]
fn inputs_reach_the_level_in_the_next_tick() {
    let level = "function onStart() event.on(\"lever\", function(e) state.lever = { n = e.n, tick = level.tick } end) end";
    let body = "t:input(\"lever\", { n = 4 }) t:ticks(2) t:expect(state.lever):toEqual({ n = 4, tick = 2 })";
    let result = one_with("", body, &[("level.lua", level)]);
    assert!(result.passed, "{result:?}");
    let wrong = one("", "t:input(\"lever\", { n = print })");
    assert!(wrong.message.unwrap().contains("input: payload.n is a function, expected plain data"));
    for name in ["walkSettled", "spawned", "doorChanged", "cinematicStarted"] {
        let refused = one("", &format!("t:input(\"{name}\", {{ a = 1 }})"));
        let message = refused.message.unwrap();
        assert!(message.contains(&format!("input: \"{name}\" is an event of the runtime")), "{message}");
    }
}

#[test]
fn a_wait_in_what_is_tried_again_names_the_function_that_tries() {
    for (function, again) in [("eventually", "eventually"), ("until_", "until_")] {
        for wait in ["t:run(1)", "task.sleep(1)", "t:ticks(2)"] {
            let result = one("", &format!("t:{function}(function() {wait} return true end)"));
            let message = result.message.unwrap();
            let advice = format!("{again} may not wait; wait before it: it tries again each tick by itself");
            assert!(message.contains(&advice), "{function}, {wait}: {message}");
        }
    }
}

#[test]
fn a_value_of_which_nothing_is_expected_fails_the_test_at_its_line() {
    let nothing =
        "expect: nothing is expected of the value; go on with a check, as in t:expect(value):toBe(true)";
    fails("t:expect(guard.alive)", nothing);
    fails("t:expect(1):toBe(1) t:expect(guard.position) t:ticks(3)", nothing);
    fails("t:expect(guard.alive) t:expect(1):toBe(2)", "toBe: expected 2, got 1");
    passes("local alive = t:expect(guard.alive) t:ticks(2) alive:toBe(true)");
    passes("t:eventually(function() t:expect(level.tick):toBeAbove(3) end)");
}

#[test]
fn the_first_seed_that_fails_is_named_and_another_can_be_asked_for() {
    let result = one("seeds = 9", "t:run(level.seed / 60) t:expect(level.seed):toBeBelow(4)");
    assert_eq!((result.outcome, result.seed, result.tick), (TestOutcome::Fail, 4, 5), "{result:?}");
    let text = "test.level(\"it\", { level = \"courtyard\", seeds = 9 }, function(t) t:expect(level.seed):toBe(7) end)";
    let result = results_with(&[("room_test.lua", text)], Some(7)).remove(0);
    assert!(result.passed && result.seed == 7, "{result:?}");
}

#[test]
fn variants_must_return_equal_data() {
    let options = "variants = { \"watched\", \"skipped\" }";
    let same =
        one(options, "t:run(0.1) return { at = guard.position, deep = { n = 1 }, variant = #variant }");
    assert!(same.passed, "{same:?}");
    let differs = one(options, "return { at = guard.position, deep = { n = #variant, v = variant } }");
    assert_eq!((differs.outcome, differs.variant.as_deref()), (TestOutcome::Fail, Some("skipped")));
    let message = differs.message.unwrap();
    assert!(
        message.starts_with(
            "variants differ at .deep.v: \"watched\" returned { at = (6, 0, 6), deep = { n = 7, v = "
        ),
        "{message}"
    );
    let opaque = one(options, "return { f = print }");
    assert!(opaque.message.unwrap().contains("the result.f is a function, expected plain data"));
    let second = one(options, "if variant == \"skipped\" then t:fail(\"only here\") end");
    assert_eq!((second.outcome, second.variant.as_deref()), (TestOutcome::Fail, Some("skipped")));
}

#[test]
fn variants_that_differ_fail_a_test_that_expects_it() {
    let options = "expect = \"fail\", variants = { \"a\", \"b\", \"c\" }";
    for (body, passes) in [
        ("return { v = variant }", true),
        ("if variant == \"c\" then return 1 end", true),
        ("if variant == \"b\" then return {} end", true),
        ("t:fail(\"each\")", true),
        ("return 1", false),
        ("", false),
    ] {
        let result = one(options, body);
        assert_eq!(result.passed, passes, "{body}: {result:?}");
    }
    let nothing = one("variants = { \"a\", \"b\" }", "if variant == \"b\" then return {} end");
    let message = nothing.message.unwrap();
    assert_eq!(message, "variants differ: \"a\" returned nothing, this one {}");
}

#[test]
fn arguments_and_locals_are_fresh_for_every_run() {
    let text = "
        local runs = 0
        test.level(\"a\", { level = \"courtyard\", args = { \"fast\" } }, function(t)
            runs = runs + 1
            t:expect(runs):toBe(1)
            t:expect(level.args):toEqual({ \"fast\" })
        end)
        test.level(\"b\", { level = \"courtyard\" }, function(t) runs = runs + 1 t:expect(runs):toBe(1) end)";
    for result in results(&[("room_test.lua", text)]) {
        assert!(result.passed, "{result:?}");
    }
}

#[test]
fn states_are_checked_after_every_tick() {
    let level = "function onTick() if level.tick == 3 then state.target = { fn = print } end end";
    let result = one_with("", "t:run(1)", &[("level.lua", level)]);
    assert_eq!((result.outcome, result.tick), (TestOutcome::Fault, 3), "{result:?}");
    assert!(result.message.unwrap().contains("state.target.fn is a function, expected plain data"));
    let own = "guard:attach(\"keeps\") t:run(1)";
    let behaviour = "return { update = function(self) self.state.f = print end }";
    let result = one_with("", own, &[("keeps.lua", behaviour)]);
    assert!(result.message.unwrap().contains("self.state.f is a function, expected plain data"));
}

#[test]
fn a_state_that_stays_wrong_is_reported_once_and_another_mistake_again() {
    let own = "guard:attach(\"keeps\") t:run(0.1) t:expect(#t:faults()):toBe(1) \
        t:expect(t:faults()[1].callback):toBe(\"state\") t:expect(t:faults()[1].file):toBe(\"keeps.lua\") \
        t:run(0.4) t:expect(#t:faults()):toBe(2)";
    let behaviour = "return { update = function(self) if level.tick < 20 then self.state.f = print \
        else self.state.f = nil self.state.g = print end end }";
    let result = one_with("faults = \"allow\"", own, &[("keeps.lua", behaviour)]);
    assert!(result.passed, "{:?}", result.message);
}

#[test]
fn what_a_test_starts_ends_with_it() {
    let level = "function onStop() state.walk = state.walk or \"\" end";
    let body =
        "event.on(\"walkSettled\", function() end) guard:walkTo(\"gate\") timer.every(0.1, function() end)";
    let result = one_with("", body, &[("level.lua", level)]);
    assert!(result.passed, "{result:?}");
}

/// The error that loading `text` as a test file ends with.
fn load_error(text: &str) -> String {
    let texts = [("room_test.lua".to_owned(), text.to_owned())].into();
    let error = collect(&texts, "room_test.lua", &["courtyard".to_owned()], Arc::default());
    error.expect_err(text).to_string()
}

#[test]
fn declarations_are_checked_when_the_file_loads() {
    let cases = [
        ("test.level(1, {}, print)", "name is 1, expected a name"),
        ("test.level(\"a\", 1, print)", "options is 1, expected a table of options"),
        ("test.level(\"a\", {}, print)", "level is nil, expected the name of a level"),
        (
            "test.level(\"a\", { level = \"cortyard\" }, print)",
            "unknown level \"cortyard\"; did you mean \"courtyard\"?",
        ),
        (
            "test.level(\"a\", { level = \"courtyard\", sed = 1 }, print)",
            "unknown option \"sed\"; did you mean \"seed\"?",
        ),
        (
            "test.level(\"a\", { level = \"courtyard\", seed = -1 }, print)",
            "seed is -1, expected a whole number from 0 to 9007199254740991",
        ),
        (
            "test.level(\"a\", { level = \"courtyard\", seeds = 0 }, print)",
            "seeds is 0, expected a whole number from 1 to 1000000",
        ),
        (
            "test.level(\"a\", { level = \"courtyard\", seeds = 3, seed = 7 }, print)",
            "seed and seeds are both given, expected one of them: seeds = n runs seeds 1 to n",
        ),
        (
            "test.level(\"a\", { level = \"courtyard\", maxTicks = 0.5 }, print)",
            "maxTicks is 0.5, expected a whole number from 1 to 100000000",
        ),
        (
            "test.level(\"a\", { level = \"courtyard\", expect = \"passed\" }, print)",
            "expect is \"passed\", expected \"pass\", \"fail\", \"timeout\", \"fault\", \"mismatch\" or \"invalid\"",
        ),
        (
            "test.level(\"a\", { level = \"courtyard\", faults = true }, print)",
            "faults is true, expected \"fail\" or \"allow\"",
        ),
        (
            "test.level(\"a\", { level = \"courtyard\", variants = \"x\" }, print)",
            "variants is \"x\", expected a list of names",
        ),
        (
            "test.level(\"a\", { level = \"courtyard\", args = { 1 } }, print)",
            "args[1] is 1, expected a text",
        ),
        ("test.level(\"a\", { level = \"courtyard\" })", "fn is nil, expected a function"),
        ("world.door(\"gate\")", ""),
    ];
    for (text, expected) in cases {
        let error = load_error(text);
        let called = if text.starts_with("test") { "test.level" } else { "world.door" };
        assert!(error.starts_with(&format!("room_test.lua:1: {called}: {expected}")), "{text}\n{error}");
    }
    let elsewhere = [("level.lua", "test.level(\"a\", { level = \"courtyard\" }, print)")];
    let result = one_with("", "t:run(0.1)", &elsewhere);
    assert!(result.message.unwrap().contains("only in the body of a file whose name ends in _test.lua"));
}

#[test]
fn two_tests_of_a_file_may_not_have_one_name() {
    let test = "test.level(\"it\", { level = \"courtyard\" }, function() end)\n";
    let error = load_error(&format!("{test}{test}"));
    let expected =
        "room_test.lua:2: test.level: another test of this file, declared in line 1, has the name \"it\"";
    assert!(error.starts_with(expected), "{error}");
    let other = test.replace("it", "other");
    let results = results(&[("room_test.lua", &format!("{test}{other}"))]);
    assert!(results.len() == 2 && results.iter().all(|result| result.passed), "{results:?}");
}

#[test]
fn fuel_is_expected_of_scripts_whoever_runs_the_test() {
    let busy = "guard:attach(\"busy\")\nt:run(1)\n";
    passes(&format!(
        "{busy}local mean = t:expectFuel(\"busy\", {{ below = 6.5, worst = 7 }}) t:expect(mean):toBeAbove(5)"
    ));
    passes(&format!("{busy}t:expectFuel(\"busy\", {{ character = guard, below = 7 }})"));
    let fails = |options: &str, message: &str| {
        let result = one("", &format!("{busy}t:expectFuel(\"busy\", {options})"));
        assert_eq!((result.outcome, result.line), (TestOutcome::Fail, 4), "{options}: {result:?}");
        assert_eq!(result.message.as_deref(), Some(message), "{options}");
    };
    fails("{ below = 5 }", "expectFuel: expected busy.lua below 5 a tick, got 6.0");
    fails(
        "{ worst = 6 }",
        "expectFuel: expected busy.lua below 6 in every tick, got 6 of \"guard\" in tick 2",
    );
    for (call, message) in [
        ("t:expectFuel(\"idle\")", "nothing of idle.lua was called yet"),
        ("t:expectFuel(\"nobody\")", "nobody"),
        (
            "t:expectFuel(\"busy\", { character = player })",
            "nothing of busy.lua of \"player\" was called yet",
        ),
        ("t:expectFuel(\"busy\", { under = 3 })", "unknown option"),
    ] {
        let result = one("", &format!("{busy}{call}"));
        assert_eq!(result.outcome, TestOutcome::Fault, "{call}");
        assert!(
            result.message.as_deref().unwrap_or_default().contains(message),
            "{call}: {:?}",
            result.message
        );
    }
}

fn of_tests() -> impl Iterator<Item = &'static Binding> {
    bind::entries().into_iter().filter(|entry| ["Test", "Expectation"].contains(&entry.owner))
}

#[test]
fn every_example_of_a_test_runs_and_passes() {
    for entry in of_tests() {
        let result = one("", entry.example);
        assert!(result.passed, "{}: {:?}\n{}", entry.called, result.message, entry.example);
    }
}

#[test]
fn every_parameter_of_a_test_refuses_a_wrong_type_by_name() {
    for entry in of_tests() {
        let receiver = if entry.owner == "Test" { "t" } else { "t:expect(3)" };
        for (index, param) in
            entry.params.iter().enumerate().filter(|(_, param)| !param.luau.starts_with("any"))
        {
            let mut args: Vec<&str> = entry.params.iter().map(|param| param.sample).collect();
            args[index] = "true";
            let result = one("", &format!("{receiver}:{}({})", entry.name(), args.join(", ")));
            let message = result.message.unwrap_or_default();
            let expected = format!("room_test.lua:2: {}: {} is true, expected ", entry.called, param.name);
            assert!(message.starts_with(&expected), "{}: {message}", entry.called);
            assert_eq!(result.outcome, TestOutcome::Fault);
        }
        let dotted = one("", &format!("local own = {receiver} own.{}(1)", entry.name()));
        let expected = format!("room_test.lua:2: {}: called with a dot; write own:", entry.called);
        assert!(dotted.message.unwrap().starts_with(&expected), "{}", entry.called);
    }
}

fn root() -> PathBuf {
    crate::place::root().to_owned()
}

/// Seeds of each test of the project that are run here, the first ones: `walkon test` runs them all, and
/// `.ci/run` runs that.
const OWN_SEEDS: usize = 8;

/// The tests of a file of the project that do not pass, in words, and how many do.
fn run_own(texts: &BTreeMap<String, String>, levels: &[String], file: &str) -> (Vec<String>, usize) {
    let source = crate::level::levels::levels();
    let tests = collect(texts, file, levels, Arc::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut suite = Suite {
        profile: None,
        scripts: texts,
        load_level: &mut |name| load(&format!("{name}.json"), &source).map_err(|error| error.to_string()),
        signals: Arc::default(),
        debugger: None,
        goes_on: &mut || true,
    };
    let (mut failed, mut passed) = (Vec::new(), 0);
    for (index, test) in tests.iter().enumerate() {
        let result = run(&mut suite, test, index, seeds(test, None).take(OWN_SEEDS)).unwrap();
        if result.passed {
            passed += 1;
        } else {
            failed.push(format!("{file}: {}: {:?} at tick {}", result.name, result.message, result.tick));
        }
    }
    (failed, passed)
}

#[test]
fn the_projects_own_tests_pass() {
    let texts = crate::level::levels::scripts();
    let levels: Vec<String> = fs::read_dir(root().join("levels"))
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".json")?.to_owned()))
        .collect();
    let (mut failed, mut passed) = (Vec::new(), 0);
    for file in texts.keys().filter(|file| is_test_file(file)) {
        let (failed_of_file, passed_of_file) = run_own(&texts, &levels, file);
        failed.extend(failed_of_file);
        passed += passed_of_file;
    }
    assert!(failed.is_empty() && passed > 0, "{passed} passed, but not\n{}", failed.join("\n"));
}

// ------ the command line

/// A project in a folder of its own, with these test files.
fn project(tests: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("walkon.json", "{}");
    write("levels/courtyard.json", LEVEL);
    for (path, text) in tests {
        write(path, text);
    }
    folder
}

const GOOD: &str = "test.level(\"good\", { level = \"courtyard\" }, function(t) t:run(0.1) end)\n";
const BAD: &str = "test.level(\"it's <bad> & \\\"ugly\\\"\", { level = \"courtyard\", seed = 3 }, function(t)\n  t:run(0.1)\n  t:expect(1):toBe(2)\nend)\n";

#[test]
fn the_command_tells_every_test_in_the_order_of_files_and_how_to_repeat_a_failure() {
    let bad = format!("{BAD}{GOOD}");
    let folder = project(&[
        ("scripts/a_test.lua", GOOD),
        ("scripts/b/b_test.lua", &bad),
        ("scripts/c_test.lua", GOOD),
    ]);
    let outputs: Vec<Output> =
        ["1", "4"].iter().map(|jobs| walkon(folder.path(), &["test", "--jobs", jobs])).collect();
    let text = String::from_utf8(outputs[0].stdout.clone()).unwrap();
    assert_eq!(text, String::from_utf8(outputs[1].stdout.clone()).unwrap(), "whatever the jobs");
    assert_eq!(outputs[0].status.code(), Some(1), "{text}");
    let parts = [
        "ok    scripts/a_test.lua: good\n",
        "FAIL  scripts/b/b_test.lua: it's <bad> & \"ugly\"\n  scripts/b/b_test.lua:3: fail at tick 7, seed 3\n  toBe: expected 2, got 1\n",
        "     3 |   t:expect(1):toBe(2)\n",
        "courtyard  tick 7",
        "  repeat: walkon test scripts/b/b_test.lua --filter 'it'\\''s <bad> & \"ugly\"' --seed 3\n",
        "1 not run after this failure; --keep-going runs them\n",
        "ok    scripts/c_test.lua: good\n",
    ];
    let mut rest = text.as_str();
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("no {part:?} where it should be in\n{text}"));
        rest = &rest[at + part.len()..];
    }
    assert!(text.ends_with("2 passed, 1 failed\n"), "{text}");
    let all = walkon(folder.path(), &["test", "scripts/b", "--keep-going"]);
    assert!(String::from_utf8(all.stdout).unwrap().ends_with("1 passed, 1 failed\n"));
    let one = walkon(folder.path(), &["test", "--filter", "goo"]);
    assert_eq!(one.status.code(), Some(0));
    assert!(String::from_utf8(one.stdout).unwrap().ends_with("3 passed, 0 failed\n"));
}

/// Tests with several seeds: all pass, seeds from the third on fail, all time out as they are expected to.
const SEEDED: &str = r#"
test.level("passes", { level = "courtyard", seeds = 5 }, function(t) t:run(0.2) end)
test.level("fails", { level = "courtyard", seeds = 12 }, function(t)
  -- Later seeds fail sooner.
  t:run(2 - level.seed / 10)
  t:expect(level.seed):toBeBelow(3)
end)
test.level("times out", { level = "courtyard", seeds = 6, maxTicks = 30, expect = "timeout" }, function(t)
  t:run(9)
end)
"#;

#[test]
fn seeds_side_by_side_give_the_results_of_seeds_one_after_another() {
    let folder = project(&[("scripts/seeded_test.lua", SEEDED)]);
    for (options, ended) in [(&["--keep-going"][..], 3), (&[], 2)] {
        let told = |jobs: &str| {
            let arguments = [&["test", "--format", "json", "--jobs", jobs], options].concat();
            let output = walkon(folder.path(), &arguments);
            assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
            serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
        };
        let one = told("1");
        assert_eq!(one, told("4"), "{options:?}");
        let tests = one["tests"].as_array().unwrap();
        assert_eq!(tests.len(), ended, "{options:?}: {one}");
        let seeds: Vec<(bool, u64)> = tests
            .iter()
            .map(|test| (test["passed"].as_bool().unwrap(), test["seed"].as_u64().unwrap()))
            .collect();
        assert_eq!(
            seeds,
            [(true, 5), (false, 3), (true, 6)][..ended],
            "the smallest that fails, or the last"
        );
    }
}

#[test]
fn json_and_junit_have_their_forms() {
    let folder = project(&[
        ("scripts/a_test.lua", GOOD),
        ("scripts/b_test.lua", BAD),
        ("scripts/c_test.lua", "x = = 1"),
    ]);
    let output = walkon(folder.path(), &["test", "--format", "json", "--junit", "out.xml"]);
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((json["passed"].as_u64(), json["failed"].as_u64()), (Some(1), Some(2)));
    assert_eq!(
        json["tests"][1],
        serde_json::json!({ "name": "it's <bad> & \"ugly\"", "file": "scripts/b_test.lua", "line": 3, "outcome": "fail",
            "passed": false, "variant": null, "seed": 3, "tick": 7, "message": "toBe: expected 2, got 1" })
    );
    assert_eq!(
        (json["tests"][2]["outcome"].as_str(), json["tests"][2]["line"].as_u64()),
        (Some("invalid"), Some(1))
    );
    assert!(json["tests"][0]["message"].is_null());
    let xml = fs::read_to_string(folder.path().join("out.xml")).unwrap();
    for part in [
        "<testsuites name=\"walkon\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\" time=\"",
        "<testsuite name=\"scripts/b_test.lua\" tests=\"1\" failures=\"1\" errors=\"0\"",
        "<testcase name=\"it's &lt;bad&gt; &amp; &quot;ugly&quot;\" classname=\"scripts/b_test\" file=\"scripts/b_test.lua\" line=\"3\"",
        "<failure type=\"fail\" message=\"toBe: expected 2, got 1\">",
        "<error type=\"invalid\"",
    ] {
        assert!(xml.contains(part), "no {part} in\n{xml}");
    }
    assert_eq!(crate::cli::strict_xml::fault_of(&xml), None);
}

#[test]
fn exit_codes_of_the_command() {
    let folder = project(&[("scripts/a_test.lua", GOOD), ("scripts/idle.lua", "return {}")]);
    for (args, code) in [
        (&["test"][..], 0),
        (&["test", "scripts/a_test.lua", "--seed", "4"], 0),
        (&["test", "--filter", "nothing"], 2),
        (&["test", "scripts/idle.lua"], 2),
        (&["test", "levels"], 2),
        (&["test", "nowhere"], 6),
        (&["test", "--jobs", "0"], 2),
        (&["test", "--junit", "scripts/a_test.lua"], 6),
    ] {
        let output = walkon(folder.path(), args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(code == 0 || !said.is_empty(), "{args:?} says why");
    }
    let empty = project(&[("scripts/idle.lua", "return {}")]);
    assert_eq!(
        walkon(empty.path(), &["test"]).status.code(),
        Some(0),
        "a project without tests is no failure"
    );
}
