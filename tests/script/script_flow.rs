//! When scripts run: timers, tasks, events, walks, behaviours and scenes, as lists of the lines they write.
//!
//! Each test gives scripts and the lines expected of them: `tick: text` for what was logged, `tick! text` for
//! faults.

use std::collections::BTreeMap;

use walkon_runtime::game::event::Event;
use walkon_runtime::game::inputs::Input;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup, StartError};
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::script::bind;
use walkon_runtime::world::event::EventQueue;
use walkon_runtime::world::ops::doors;

/// One open room of 20 x 20 m with marks in it, a second one that is reached only through a door.
const LEVEL: &str = r#"{
  "seed": 7, "clock": { "start": "8:00" },
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
    { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] },
    { "name": "doorway", "polygon": [[20,9],[21,9],[21,11],[20,11]] },
    { "name": "vault", "polygon": [[21,0],[30,0],[30,20],[21,20]] } ] },
  "doors": [ { "name": "gate", "area": "doorway", "open": false, "seconds": 0.1 } ],
  "marks": { "post": [3,3], "near": [3.5,3], "far": [15,3], "cell": [25,10] },
  "routes": { "rounds": ["post", "far"] },
  "regions": [ { "name": "corner", "centre": [3.5,3], "radius": 0.3 } ],
  "characters": [
    { "name": "anna", "position": [3,3] BEHAVIOUR_ANNA },
    { "name": "ben", "position": [3,8] BEHAVIOUR_BEN },
    { "name": "carl", "position": [3,12], "player": true } ]
}"#;

/// A level with scripts, and what they wrote.
pub struct Run {
    pub game: Game,
    pub lines: Vec<String>,
    /// The same and more, as the trace has them.
    pub trace: Vec<String>,
    ticks: u64,
}

/// Scripts by file name; `level.lua` is the level script, `anna.lua` and `ben.lua` the behaviours of those
/// two.
pub fn setup(files: &[(&str, &str)]) -> Result<Run, StartError> {
    setup_with(files, |_| {})
}

pub fn setup_with(files: &[(&str, &str)], adjust: impl FnOnce(&mut String)) -> Result<Run, StartError> {
    let has = |name: &str| files.iter().any(|(file, _)| *file == name);
    let mut json = LEVEL.to_owned();
    for (slot, file) in [("BEHAVIOUR_ANNA", "anna.lua"), ("BEHAVIOUR_BEN", "ben.lua")] {
        let given = if has(file) { format!(", \"behaviour\": \"{file}\"") } else { String::new() };
        json = json.replace(slot, &given);
    }
    adjust(&mut json);
    if has("level.lua") {
        json = json.replacen('{', "{ \"script\": \"level.lua\",", 1);
    }
    let source = MemorySource::new().with("flow.json", json.as_str());
    let level = load("flow.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let texts: BTreeMap<String, String> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let options = RecordOptions { trace: true, ..RecordOptions::default() };
    let mut game =
        Game::load(level, Setup { scripts: texts, recorder: Recorder::new(options), ..Setup::default() })?;
    let trace = game.start_facts().lines;
    Ok(Run { game, lines: told(&trace), trace, ticks: 0 })
}

/// `tick: text` of log lines, `tick! text` of faults, `tick? what` of notices, out of trace lines.
pub fn told(lines: &[String]) -> Vec<String> {
    let tell = |line: &String| {
        let line: serde_json::Value = serde_json::from_str(line).expect("a trace line is JSON");
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        match line["e"].as_str()? {
            "log" => Some(format!("{}: {}", line["t"], text("message"))),
            "scriptFault" => Some(format!("{}! {}", line["t"], text("message"))),
            "notice" => Some(format!("{}? {} {}", line["t"], text("what"), text("why")).trim().to_owned()),
            _ => None,
        }
    };
    lines.iter().filter_map(tell).collect()
}

impl Run {
    pub fn tick(&mut self, count: u64) -> &mut Self {
        for _ in 0..count {
            self.ticks += 1;
            let recorded = self.game.tick(&[]);
            self.lines.extend(told(&recorded.lines));
            self.trace.extend(recorded.lines);
        }
        self
    }

    pub fn end(&mut self) -> &mut Self {
        let recorded = self.game.end();
        self.lines.extend(told(&recorded.lines));
        self
    }

    pub fn taken(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }
}

/// Runs the files for so many ticks and compares the lines.
pub fn check(files: &[(&str, &str)], ticks: u64, expected: &[&str]) {
    let mut run = setup(files).unwrap_or_else(|error| panic!("{error}"));
    run.tick(ticks);
    assert_eq!(run.lines, expected);
}

/// The same for a level script alone: `onStart` is what is given.
pub fn check_start(body: &str, ticks: u64, expected: &[&str]) {
    check(&[("level.lua", &format!("function onStart()\n{body}\nend"))], ticks, expected);
}

#[test]
fn step_3_runs_timers_then_level_then_behaviours_then_tasks_then_new_tasks() {
    let level = r#"
        function onStart()
            task.spawn(function() task.sleep(0) log.info("early task") task.ticks(1) log.info("task") end)
            timer.after(2/60, function() log.info("timer") task.spawn(function() log.info("new task") end) end)
            region.when(function() if level.tick == 2 then log.info("level predicate") end return false end, {})
        end
        function onTick(dt) if level.tick == 2 then log.info("onTick") end end
    "#;
    let behaviour = |name: &str| {
        format!(
            r#"local b = {{}}
            function b:start() region.when(function() if level.tick == 2 then log.info("{name} predicate") end return false end, {{}}) end
            function b:update(dt) if level.tick == 2 then log.info("{name} update") end end
            return b"#
        )
    };
    let (anna, ben) = (behaviour("anna"), behaviour("ben"));
    let expected = [
        "2: timer",
        "2: onTick",
        "2: level predicate",
        "2: anna update",
        "2: anna predicate",
        "2: ben update",
        "2: ben predicate",
        "2: early task",
        "2: new task",
        "3: task",
    ];
    check(&[("level.lua", level), ("anna.lua", &anna), ("ben.lua", &ben)], 3, &expected);
}

#[test]
fn timers_run_by_due_tick_and_then_by_creation() {
    check_start(
        r#"
        timer.after(3/60, function() log.info("c") end)
        timer.after(1/60, function() log.info("a") end)
        timer.after(3/60, function() log.info("d") end)
        timer.after(0, function(p) log.info("b %s", p.lamp) end, { lamp = 2 })
        timer.every(2/60, function() log.info("twice") end, { times = 2 })
        local n = 0
        timer.every(1/60, function() n += 1 log.info("n %d", n) return n < 2 end)
        "#,
        6,
        &["1: a", "1: b 2", "1: n 1", "2: twice", "2: n 2", "3: c", "3: d", "4: twice"],
    );
}

#[test]
fn a_timer_can_be_cancelled_paused_and_asked() {
    check_start(
        r#"
        local one, two = timer.after(2/60, function() log.info("never") end), timer.after(1, function() log.info("two") end)
        log.info("%s %s %s", one:cancel(), one:cancel(), one:remaining())
        log.info("%.3f", two:remaining())
        two:pause()
        task.spawn(function() task.ticks(10) log.info("%.3f", two:remaining()) two:resume() end)
        task.spawn(function() log.info("waited %s", one:wait()) log.info("again %s", one:wait()) end)
        "#,
        71,
        &["0: true false 0", "0: 1.000", "1: waited false", "1: again false", "11: 1.000", "71: two"],
    );
}

#[test]
fn a_task_begins_after_the_code_that_started_it() {
    check_start(
        r#"
        task.spawn(function(name)
            log.info("%s begins", name)
            task.spawn(function() log.info("inner") end)
            log.info("%s goes on", name)
            coroutine.yield()
            log.info("%s after a bare yield", name)
        end, "outer")
        log.info("started")
        "#,
        2,
        &["0: started", "1: outer begins", "1: outer goes on", "1: inner", "2: outer after a bare yield"],
    );
}

#[test]
fn a_coroutine_that_a_script_holds_is_never_used_again() {
    check_start(
        r#"
        local held, seen = {}, {}
        for i = 1, 8 do
            task.spawn(function()
                if i > 4 then task.ticks(1) end
                held[i] = coroutine.running()
            end)
        end
        task.spawn(function()
            task.ticks(3)
            for i = 1, 40 do
                task.spawn(function() seen[coroutine.running()] = true if i % 2 == 0 then task.ticks(1) end end)
            end
            task.ticks(3)
            for i, thread in held do
                assert(coroutine.status(thread) == "dead", `{i} is {coroutine.status(thread)}`)
                assert(not seen[thread], `{i} ran another task`)
                for j = 1, i - 1 do assert(held[j] ~= thread, `{i} and {j} shared a coroutine`) end
            end
            log.info("all %d are over", #held)
        end)
        "#,
        8,
        &["7: all 8 are over"],
    );
}

#[test]
fn a_task_that_uses_a_coroutine_again_is_another_task() {
    check_start(
        r#"
        local handles, first = {}, nil
        for i = 1, 7 do
            handles[i] = task.spawn(function()
                if i == 5 then error("no " .. i) end
                if i % 3 == 1 then task.ticks(i % 4 + 1) end
                return i
            end)
            first = first or handles[i]
        end
        task.spawn(function()
            task.ticks(5)
            for i, handle in handles do
                local ok, result = pcall(function() return handle:wait() end)
                assert(ok == (i ~= 5) and (not ok or result == i), `{i}: {ok} {result}`)
                assert(handle == first or i > 1)
            end
            log.info("every result is its own")
        end)
        "#,
        8,
        &["1! level.lua:6: no 5", "6: every result is its own"],
    );
}

#[test]
fn a_protected_call_may_contain_waits() {
    check_start(
        r#"
        task.spawn(function()
            local ok, what = pcall(function() task.ticks(2) error("lost", 0) end)
            log.info("%s %s", ok, what)
            local ok, what = xpcall(function() task.ticks(1) return "found" end, function(e) return e end)
            log.info("%s %s", ok, what)
        end)
        "#,
        6,
        &["3: false lost", "4: true found"],
    );
}

#[test]
fn waiting_where_nothing_may_wait_raises_and_says_what_to_do() {
    let level = r#"
        function onStart()
            for _, f in { function() task.sleep(1) end, function() world.character("anna"):walk("far") end,
                          function() timer.after(1):wait() end, function() task.current() end } do
                local ok, what = pcall(f)
                log.info("%s", what)
            end
            task.spawn(function()
                local own = coroutine.wrap(function() task.sleep(1) end)
                local ok, what = pcall(own)
                log.info("%s", what)
            end)
        end
    "#;
    check(
        &[("level.lua", level)],
        1,
        &[
            "0: level.lua:3: task.sleep: onStart may not wait; use task.spawn",
            "0: level.lua:3: walk: onStart may not wait; use walkTo with handlers, or task.spawn",
            "0: level.lua:4: wait: onStart may not wait; use task.spawn",
            "0: level.lua:4: task.current: onStart may not wait; use task.spawn",
            "1: level.lua:9: task.sleep: a coroutine of your own may not wait; use task.spawn",
        ],
    );
}

#[test]
fn wait_until_and_wait_event_have_an_end() {
    check_start(
        r#"
        local open = false
        timer.after(3/60, function() open = true event.emit("lamp", { n = 1 }) end)
        timer.after(4/60, function() event.emit("lamp", { n = 2 }) end)
        task.spawn(function() log.info("until %s", task.waitUntil(function() return open end)) end)
        task.spawn(function() log.info("late %s", task.waitUntil(function() return false end, { timeout = 2/60 })) end)
        task.spawn(function() log.info("event %s", task.waitEvent("lamp").n) end)
        task.spawn(function() log.info("second %s", task.waitEvent("lamp", { where = function(e) return e.n == 2 end }).n) end)
        task.spawn(function() log.info("none %s", task.waitEvent("dark", { timeout = 5/60 })) end)
        "#,
        7,
        &["3: until true", "3: late false", "3: event 1", "4: second 2", "6: none nil"],
    );
}

#[test]
fn all_race_and_timeout_give_results_under_their_keys() {
    check_start(
        r#"
        local function after(n, value) return function() task.ticks(n) return value end end
        task.spawn(function()
            local all = task.all({ a = after(2, "A"), b = after(1, "B"), after(1, "one") })
            log.info("%s %s %s", all.a, all.b, all[1])
            log.info("%s %s", task.race({ slow = after(5, 1), quick = after(2, 2) }))
            local done = task.spawn(function() return "over" end)
            task.ticks(2)
            log.info("%s %s", task.race({ z = done, [2] = done, [1] = after(1), b = done }))
            log.info("%s %s", task.timeout(2/60, after(9)))
            log.info("%s %s", task.timeout(9/60, after(1, "x")))
            log.info("%s", next(task.all({})))
        end)
        "#,
        20,
        &["3: A B one", "5: quick 2", "7: 2 over", "9: false nil", "10: true x", "10: nil"],
    );
}

#[test]
fn a_fault_in_all_cancels_the_rest_and_raises_in_the_waiting_task() {
    check_start(
        r#"
        task.spawn(function()
            local ok, what = pcall(task.all, {
                good = function() task.onCancel(function(why) log.info("good: %s", why) end) task.sleep(9) end,
                walk = world.character("anna"):walkTo("far", { onCancelled = function(r) log.info("walk: %s", r.reason) end }),
                worse = function() task.ticks(1) error("broken", 0) end,
            })
            log.info("%s %s", ok, what)
        end)
        "#,
        4,
        &["2: good: cancelled", "2: false level.lua:7: broken", "2: walk: ownerGone"],
    );
}

#[test]
fn losers_of_a_race_are_cancelled_walks_with_lost_race() {
    check_start(
        r#"
        local anna = world.character("anna")
        task.spawn(function()
            local t = timer.after(9)
            local key = task.race({
                walk = anna:walkTo("far", { onCancelled = function(r) log.info("walk: %s", r.reason) end }),
                nap = function() task.ticks(2) end,
                timer = t,
                other = function() task.onCancel(function(why) log.info("other: %s", why) end) world.character("ben"):walk("near") end,
            })
            log.info("%s %s", key, t:cancel())
        end)
        "#,
        5,
        &["3: other: lostRace", "3: nap false", "3: walk: lostRace"],
    );
}

#[test]
fn cancelling_a_task_ends_the_walk_it_waits_for_and_not_others() {
    check_start(
        r#"
        local anna, ben = world.character("anna"), world.character("ben")
        local tk = task.spawn(function()
            task.onCancel(function(why) log.info("first in %s", why) end)
            task.onCancel(function(why) log.info("last in %s", why) end)
            ben:walkTo("far", { onSettled = function(r) log.info("ben %s", r.reason) end })
            anna:walk("far", { onSettled = function(r) log.info("anna %s", r.reason) end })
            log.info("never")
        end)
        timer.after(5/60, function()
            log.info("%s %s %s", tk.status, tk:cancel(), tk.status)
            log.info("%s", tk:wait())
        end)
        "#,
        8,
        &[
            "5: running true cancelled",
            "5: last in cancelled",
            "5: first in cancelled",
            "5: anna ownerGone",
            "5: nil",
        ],
    );
}

#[test]
fn restart_cancels_the_task_of_that_name() {
    check_start(
        r#"
        local function count(from)
            task.onCancel(function() log.info("from %d ends", from) end)
            for n = from, 1, -1 do task.ticks(2) log.info("%d", n) end
        end
        task.restart("countdown", count, 3)
        timer.after(4/60, function() task.restart("countdown", count, 9) end)
        "#,
        6,
        &["3: 3", "4: from 3 ends", "6: 9"],
    );
}

#[test]
fn awaiting_a_task_that_failed_raises_its_error_once() {
    check_start(
        r#"
        local bad = task.spawn(function() task.ticks(1) error("broken", 0) end)
        task.spawn(function()
            log.info("%s %s", pcall(task.await, bad))
            log.info("%s", bad.status)
            log.info("%s %s", pcall(task.await, bad))
        end)
        "#,
        4,
        &["2: false level.lua:3: broken", "2: failed", "2: false level.lua:3: broken"],
    );
}

#[test]
fn a_walk_that_arrives_tells_its_handler_then_on_settled_then_waiting_tasks() {
    check_start(
        r#"
        local walk = world.character("anna"):walkTo("near", {
            onArrived = function(r) log.info("onArrived %s", r.reason) end,
            onFailed = function(r) log.info("onFailed") end,
            onSettled = function(r) log.info("onSettled %s", walk == nil) end,
        })
        event.on("walkSettled", function(r) log.info("walkSettled %s", r.character.name) end)
        task.spawn(function()
            local first = walk:wait()
            log.info("waited %s", first.status)
            log.info("again %s %s", walk:wait() == first, walk.result == first)
        end)
        "#,
        60,
        &[
            "28: onArrived reached",
            "28: onSettled true",
            "28: waited arrived",
            "28: walkSettled anna",
            "28: again true true",
        ],
    );
}

#[test]
fn fault_d1_d2_a_walk_started_in_on_arrived_is_a_new_walk_one_link_a_tick() {
    check_start(
        r#"
        local anna, count = world.character("anna"), 0
        local function go()
            anna:walkTo(3, 3, { onArrived = function(r)
                count += 1
                log.info("%d %s", count, r.reason)
                if count < 4 then go() end
            end })
        end
        go()
        "#,
        8,
        &["1: 1 alreadyThere", "2: 2 alreadyThere", "3: 3 alreadyThere", "4: 4 alreadyThere"],
    );
}

#[test]
fn fault_d10_a_callback_that_is_neither_a_function_nor_the_name_of_a_handler_gives_no_walk() {
    check_start(
        r#"
        local anna = world.character("anna")
        for _, given in { 7, "nobody" } do
            local ok, what = pcall(function() anna:walkTo(5, 3, { onArrived = given }) end)
            log.info("%s: %s, moving %s", ok, what, anna:isMoving())
        end
        "#,
        2,
        &[
            "0: false: level.lua:5: walkTo: onArrived is 7, expected a function or the name of a handler, moving false",
            "0: false: level.lua:5: walkTo: unknown handler \"nobody\", moving false",
        ],
    );
}

#[test]
fn fault_d6_d27_an_error_in_a_handler_ends_that_call_only() {
    check_start(
        r#"
        world.character("anna"):walkTo(3, 3, { onArrived = function()
            log.info("one")
            world.character("ben"):teleport("far")
            error("two")
        end, onSettled = function() log.info("settled, ben at %d", world.character("ben").position.x) end })
        world.character("carl"):walkTo(3, 12, { onArrived = function() log.info("carl too") end })
        "#,
        2,
        &["1: one", "1! level.lua:6: two", "1: settled, ben at 15", "1: carl too"],
    );
}

#[test]
fn fault_d8_two_walks_in_one_tick_the_first_is_superseded() {
    check_start(
        r#"
        local anna = world.character("anna")
        anna:walkTo("far", { onCancelled = function(r) log.info("first %s/%s", r.status, r.reason) end })
        anna:walkTo("near", { onArrived = function(r) log.info("second %s", r.reason) end })
        "#,
        30,
        &["1: first cancelled/superseded", "28: second reached"],
    );
}

#[test]
fn fault_d4_a_character_removed_by_a_handler_still_delivers_what_had_settled() {
    check_start(
        r#"
        local anna, ben = world.character("anna"), world.character("ben")
        anna:walkTo(3, 3, { onArrived = function() ben:despawn() log.info("gone: %s", not ben.alive) end })
        ben:walkTo(3, 8, { onArrived = function(r) log.info("ben %s, alive %s", r.reason, r.character.alive) end })
        event.on("despawned", function(e) log.info("despawned %s", e.name) end)
        "#,
        3,
        &["1: gone: true", "1: ben alreadyThere, alive false", "1: despawned ben"],
    );
}

#[test]
fn fault_d24_listeners_added_or_removed_during_an_event_count_from_the_next() {
    check_start(
        r#"
        local second
        event.on("lamp", function()
            log.info("first")
            second:remove()
            event.on("lamp", function() log.info("third") end)
        end)
        second = event.on("lamp", function() log.info("second") end)
        event.once("lamp", function() log.info("once") end)
        event.emit("lamp")
        timer.after(2/60, function() event.emit("lamp") end)
        "#,
        2,
        &["1: first", "1: second", "1: once", "2: first", "2: third"],
    );
}

#[test]
fn fault_d28_events_without_end_wait_for_the_next_tick_and_name_the_script() {
    let level = r#"
        local count = 0
        function onStart() event.on("echo", function() count += 1 event.emit("echo") end) event.emit("echo") end
        function onTick() if level.tick == 3 then log.info("%d", count) end end
    "#;
    let mut run = setup(&[("level.lua", level)]).unwrap();
    run.tick(3);
    let expected = [
        "1? roundsExhausted",
        "1! events cause events without end: level script emitted 8 of them in this tick; the rest waits for the next tick",
        "2? roundsExhausted",
        "2! events cause events without end: level script emitted 8 of them in this tick; the rest waits for the next tick",
        "3: 16",
    ];
    assert_eq!(run.lines[..5], expected);
}

#[test]
fn events_are_frozen_copies_and_runtime_events_cannot_be_emitted() {
    check_start(
        r#"
        local mine = { n = 1, list = { 1, 2 } }
        event.on("lamp", function(e)
            log.info("%d %d %s", e.n, #e.list, table.isfrozen(e) and table.isfrozen(e.list))
        end)
        event.emit("lamp", mine)
        mine.n = 2
        log.info("%s", select(2, pcall(event.emit, "spawned")))
        log.info("%s", select(2, pcall(event.emit, "lamp", { fn = print })))
        log.info("%s", select(2, pcall(event.on, "lamp", "nobody")))
        "#,
        1,
        &[
            "0: level.lua:9: event.emit: \"spawned\" is an event of the runtime; choose another name",
            "0: level.lua:10: event.emit: payload.fn is a function, expected plain data",
            "0: level.lua:11: event.on: unknown handler \"nobody\"",
            "1: 1 2 true",
        ],
    );
}

#[test]
fn a_behaviour_lives_through_init_start_run_update_on_and_stop() {
    let anna = r#"
        local b = { version = 2, updateEvery = 2, params = { word = { type = "string", default = "hello" } } }
        function b:init() self.state.count = 0 log.info("init") end
        function b:start(why) log.info("start %s %s %s", why, self.params.word, self.character.name) end
        function b:run() log.info("run %s", self.name) task.ticks(2) self:say("run goes on") end
        function b:say(text) log.info("%s", text) end
        function b:update(dt) self.state.count += 1 log.info("update %d %.4f", self.state.count, dt) end
        b.on = { lamp = function(self, e) log.info("%s hears %d", self.character.name, e.n) task.ticks(1) self:say("later") end }
        function b:stop(why) log.info("stop %s", why) end
        return b
    "#;
    let level = r#"
        function onStart() log.info("onStart") timer.after(3/60, function() event.emit("lamp", { n = 3 }) end)
            timer.after(4/60, function() log.info("%d", world.character("anna").behaviour.state.count) world.character("anna"):detach() end) end
    "#;
    let expected = [
        "0: onStart",
        "0: init",
        "0: start attach hello anna",
        "1: update 1 0.0333",
        "1: run anna",
        "3: update 2 0.0333",
        "3: run goes on",
        "3: anna hears 3",
        "4: 2",
        "4: later",
        "4: stop detached",
    ];
    check(&[("level.lua", level), ("anna.lua", anna)], 6, &expected);
}

#[test]
fn attaching_stops_the_old_behaviour_and_starts_the_new_one_at_the_next_dispatch() {
    let old = r#"return { run = function(self) task.onCancel(function(why) log.info("old run: %s", why) end)
        self.character:walk("far", { onCancelled = function(r) log.info("never") end }) end,
        stop = function(self, why) log.info("old stops: %s", why) end }"#;
    let new = r#"return { params = { n = { type = "integer", min = 1 } },
        start = function(self) log.info("new starts %d", self.params.n) end,
        run = function() log.info("new runs") end, on = { lamp = function(self, e) log.info("heard") end } }"#;
    let level = r#"
        function onStart()
            event.on("walkSettled", function(r) log.info("walk %s", r.reason) end)
            timer.after(2/60, function()
                local anna = world.character("anna")
                log.info("%s", select(2, pcall(anna.attach, anna, "newer")))
                log.info("%s", select(2, pcall(anna.attach, anna, "new", { n = 0 })))
                log.info("%s", select(2, pcall(anna.attach, anna, "new", { m = 1 })))
                anna:attach("new", { n = 4 })
                log.info("%s %s", event.send(anna, "lamp"), event.send(world.character("ben"), "lamp"))
            end)
        end
    "#;
    let expected = [
        "2: level.lua:6: attach: unknown script \"newer\"",
        "2: level.lua:7: attach: params.n is 0, expected 1 or more",
        "2: level.lua:8: attach: unknown parameter \"m\"",
        "2: true false",
        "2: old stops: detached",
        "2: old run: ownerGone",
        "2: new starts 4",
        "2: heard",
        "2? undelivered ownerGone",
        "2: walk ownerGone",
        "2: new runs",
    ];
    check(&[("level.lua", level), ("anna.lua", old), ("new.lua", new)], 4, &expected);
}

#[test]
fn a_despawned_character_takes_its_behaviour_with_it() {
    let anna = r#"return { stop = function(self, why) log.info("stop %s, alive %s", why, self.character.alive) end,
        run = function(self) log.info("walked: %s", self.character:walk("far").reason) end }"#;
    let level = r#"function onStart() timer.after(2/60, function() world.character("anna"):despawn() end)
        event.on("despawned", function(e) log.info("gone: %s", e.name) end) end"#;
    // Nothing of it runs any more but `stop`.
    let expected = ["2: stop despawned, alive false", "2: gone: anna"];
    check(&[("level.lua", level), ("anna.lua", anna)], 4, &expected);
}

#[test]
fn a_run_that_faults_begins_again_after_a_second_and_three_faults_suspend_the_owner() {
    let anna = r#"return {
        run = function() log.info("run") error("oops") end,
        update = function(self) if level.tick % 50 == 0 then log.info("update") end end,
        stop = function(self, why) log.info("stop %s", why) end }"#;
    let expected = [
        "1: run",
        "1! anna.lua:2: oops",
        "50: update",
        "61: run",
        "61! anna.lua:2: oops",
        "100: update",
        "121: run",
        "121! anna.lua:2: oops",
        "121: stop fault",
    ];
    check(&[("anna.lua", anna)], 200, &expected);
}

#[test]
fn three_faults_of_the_level_script_suspend_it_with_everything_it_owns() {
    let level = r#"
        function onStart() timer.every(1/60, function() log.info("timer") end) end
        function onTick() error("again") end
        function onStop(why) log.info("stop %s", why) end
    "#;
    let mut run = setup(&[("level.lua", level)]).unwrap();
    run.tick(6);
    let expected = [
        "1: timer",
        "1! level.lua:3: again",
        "2: timer",
        "2! level.lua:3: again",
        "3: timer",
        "3! level.lua:3: again",
        "3: stop fault",
    ];
    assert_eq!(run.lines, expected);
    assert_eq!(run.game.fault_count(), 3);
}

#[test]
fn fault_a24_scripts_beyond_the_fuel_of_a_tick_take_turns() {
    let busy = |name: &str| {
        format!("return {{ update = function() log.info(\"{name}\") for n = 1, 1500 do end end }}")
    };
    let limits = |json: &mut String| {
        *json = json.replacen('{', "{ \"limits\": { \"fuelPerTick\": 1000, \"fuelPerCall\": 2000 },", 1);
    };
    let files = [("anna.lua", busy("anna")), ("ben.lua", busy("ben"))];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let mut run = setup_with(&files, limits).unwrap();
    run.tick(4);
    assert!(run.lines.contains(&"1? scriptDeferred".to_owned()), "{:?}", run.lines);
    let who: Vec<&str> = run.lines.iter().filter(|line| !line.contains('?')).map(String::as_str).collect();
    assert_eq!(who, ["1: anna", "2: ben", "3: anna", "4: ben"]);
}

#[test]
fn fault_b8_an_owner_has_so_many_timers_listeners_and_tasks_and_no_more() {
    check_start(
        r#"
        for _, make in { function() timer.after(9) end, function() event.on("lamp", function() end) end,
                         function() task.spawn(function() task.sleep(9) end) end, function() region.on("corner") end } do
            local count = 0
            local ok, what
            repeat ok, what = pcall(make) count += 1 until not ok
            log.info("%d %s", count, what)
        end
        "#,
        1,
        &[
            "0: 257 level.lua:3: timer.after: level script has 256 timers, the most allowed (limits.timersPerOwner); cancel some",
            "0: 257 level.lua:3: event.on: level script has 256 handlers, the most allowed (limits.handlersPerOwner); remove some",
            "0: 257 level.lua:4: task.spawn: level script has 256 tasks, the most allowed (limits.tasksPerOwner); cancel some",
            "0: 257 level.lua:4: region.on: level script has 256 watches, the most allowed (limits.watchesPerOwner); remove some",
        ],
    );
}

#[test]
fn a_predicate_is_not_asked_while_its_watch_is_off_nor_after_it_is_removed() {
    check_start(
        r#"
        local watch = region.when(function() return level.tick % 2 == 1 end, { onTrue = function() log.info("odd") end, every = 1/60 })
        timer.after(4/60, function() watch:disable() end)
        timer.after(8/60, function() watch:enable() end)
        timer.after(10/60, function() watch:remove() end)
        "#,
        20,
        &["1: odd", "3: odd", "9: odd"],
    );
}

#[test]
fn doors_tell_their_listeners_and_answer_whoever_waits() {
    check_start(
        r#"
        local gate = world.door("gate")
        for _, what in { "opening", "opened", "closing", "closed" } do
            gate:on(what, function(e) log.info("%s %s", e.door.name, e.what) end)
        end
        event.on("doorChanged", function(e) log.info("changed to %s", e.state) end)
        task.spawn(function()
            local move = gate:open()
            local result = move:wait()
            log.info("%s %s", result.ok, result.reason)
            log.info("%s", move:wait() == result)
            log.info("%s", gate:open():wait().reason)
            log.info("%s", gate:close():wait().reason)
        end)
        "#,
        20,
        &[
            "1: gate opening",
            "1: changed to opening",
            "7: gate opened",
            "7: changed to open",
            "7: true done",
            "7: true",
            "7: already",
            "8: gate closing",
            "8: changed to closing",
            "14: gate closed",
            "14: changed to closed",
            "14: done",
        ],
    );
}

#[test]
fn watches_tell_who_comes_goes_and_stays() {
    check_start(
        r#"
        local anna = world.character("anna")
        region.on("corner", { filter = function(c) return c ~= world.character("ben") end,
            onEnter = function(e) log.info("%s enters %s, %s", e.character.name, e.region, e.how) end,
            onExit = function(e) log.info("%s leaves, %s", e.character.name, e.how) end,
            onStay = function(e) log.info("%s stays", e.character.name) end, every = 3/60 })
        region.onEnter("corner", function() log.info("once") end, { once = true })
        region.when(function() return anna.position.x > 10 end, { onTrue = function() log.info("far") end,
            onFalse = function() log.info("back") end })
        timer.after(2/60, function() anna:teleport("near") end)
        timer.after(3/60, function() world.character("ben"):teleport(3.5, 3.2) end)
        timer.after(9/60, function() anna:teleport("far") end)
        timer.after(11/60, function() anna:teleport("post") end)
        "#,
        14,
        &[
            "2: anna enters corner, teleported",
            "2: once",
            "5: anna stays",
            "8: anna stays",
            "9: far",
            "9: anna leaves, teleported",
            "11: back",
        ],
    );
}

#[test]
fn those_around_somebody_who_is_removed_go_out_because_of_that_whether_they_walk_or_stand() {
    check_start(
        r#"
        local anna = world.character("anna")
        region.near(anna, 12, { onExit = function(e) log.info("%s leaves %s", e.character.name, e.how) end })
        world.character("carl"):walkTo(6, 12)
        timer.after(5/60, function() anna:despawn() end)
        "#,
        6,
        &["5: ben leaves despawned", "5: carl leaves despawned"],
    );
}

/// Law: who is put inside after a watch was made enters it, in whichever step that is; who is there before it
/// does not.
#[test]
fn those_put_inside_after_a_watch_was_made_enter_it_in_the_same_step() {
    let put = r#"
        local anna, ben = world.character("anna"), world.character("ben")
        ben:teleport(3.5, 4.5)
        local function told(name) return {
            onEnter = function(e) log.info("%s: %s enters %s", name, e.character.name, e.how) end,
            onExit = function(e) log.info("%s: %s leaves %s", name, e.character.name, e.how) end } end
        region.on("corner", told("region"))
        region.near("near", 2, told("circle"))
        anna:teleport("near")
        world.spawn({ name = "dora", at = vector.create(3.5, 0, 1.5) })
        region.near("near", 2, told("late"))
        anna:teleport("far")
        region.near("near", 2, told("last"))
        anna:teleport("near")
        timer.after(2/60, function() anna:teleport("far") end)"#;
    let entered = [
        "region: anna enters teleported",
        "circle: anna enters teleported",
        "circle: dora enters spawned",
        "late: anna enters teleported",
        "last: anna enters teleported",
    ];
    let left = ["region", "circle", "late", "last"].map(|name| format!("{name}: anna leaves teleported"));
    let begun = "timer.after(3/60, function() BODY end)";
    let heard = "event.on(\"go\", function() BODY end) timer.after(3/60, function() event.emit(\"go\") end)";
    for (body, looked, gone) in [(begun, 3, 5), (heard, 4, 5)] {
        let entered = entered.iter().map(|line| format!("{looked}: {line}"));
        let expected: Vec<String> =
            entered.chain(left.iter().map(|line| format!("{gone}: {line}"))).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check_start(&body.replace("BODY", put), 8, &expected);
    }
}

#[test]
fn those_inside_at_the_first_look_of_a_watch_stay_and_go_out_without_having_entered() {
    check_start(
        r#"
        local anna = world.character("anna")
        anna:teleport("near")
        local function told(name, filter)
            return region.on("corner", { filter = filter, every = 2/60,
                onEnter = function(e) log.info("%s enters %s", name, e.how) end,
                onStay = function(e) log.info("%s stays %s", name, e.how) end,
                onExit = function(e) log.info("%s leaves %s", name, e.how) end })
        end
        local all, some = told("all"), told("some", function(c) return c == anna end)
        local none = told("none", function(c) return c ~= anna end)
        local off = told("off")
        off:disable()
        off:enable()
        timer.after(2/60, function()
            log.info("%s %s %s", all:occupied(), some:contains(anna), none:occupied())
        end)
        timer.after(4/60, function() anna:teleport("far") end)
        "#,
        5,
        &[
            "1: off enters enabled",
            "2: true true false",
            "3: all stays initial",
            "3: some stays initial",
            "3: off stays enabled",
            "4: all leaves teleported",
            "4: some leaves teleported",
            "4: off leaves teleported",
        ],
    );
}

const SCENE: &str = r#"return {
    holds = { "anna" }, locks = { "input" },
    onEnd = function(info) log.info("onEnd %s %s, mark %s, locked %s, held by %s", info.outcome, info.skipped, info.mark,
        world.isLocked("input"), world.character("anna").heldBy) end,
    script = function(c, args)
        local anna = world.character("anna")
        log.info("scene %s holds %s, gold %d", c.name, anna.heldBy, args.gold)
        local done = c:parallel({ walk = c:start(anna, "near"), camera = c:camera("pan", { to = "far", seconds = 0.1 }) })
        log.info("%s %s", done.walk.reason, done.camera)
        c:mark("there")
        c:say(anna, "hello", { seconds = 2/60 })
        log.info("said")
        log.info("%s", c:choice("toll", { "pay", "refuse" }, { default = "refuse" }))
        c:wait(1/60)
        log.info("%s", c:waitFor(function() task.sleep(9) end, { timeout = 2/60 }))
        c:cue("fadeOut", { seconds = 1/60 }):wait()
        c:cosmetic(function() log.info("nice") end)
        c:start(anna, "post", { onArrived = function(r) log.info("post %s", r.reason) end })
        log.info("script returns")
    end,
}"#;

#[test]
fn a_scene_holds_walks_speaks_and_gives_everything_back() {
    let anna = r#"return { update = function() if level.tick < 3 then log.info("anna updates") end end,
        run = function(self) log.info("walk: %s at %d", self.character:walk("far").reason, level.tick) end,
        on = { lamp = function() log.info("anna hears") end } }"#;
    let level = r#"function onStart()
        event.on("cinematicStarted", function(e) log.info("started %s %s", e.name, e.locks[1]) end)
        event.on("cinematicEnded", function(e) log.info("ended %s", e.outcome) end)
        timer.after(2/60, function()
            local scene = cinematic.play("meeting", { gold = 25 })
            log.info("%s", select(2, pcall(cinematic.play, "meeting")))
            log.info("%s", world.isLocked("input"))
            task.spawn(function() local info = scene:wait() log.info("waited %s %s", info.ok, scene.info == info) end)
        end)
        timer.after(4/60, function()
            event.emit("lamp")
            local elsewhere = world.character("anna"):walkTo("far", { onCancelled = function(r) log.info("elsewhere %s", r.reason) end })
            log.info("%s %s", world.isLocked("input"), cinematic.running().name)
        end)
    end"#;
    let expected = [
        "1: anna updates",
        "2: level.lua:6: cinematic.play: character \"anna\" is held by cinematic \"meeting\"",
        "2: false",
        "2: anna updates",
        "2: scene meeting holds meeting, gold 25",
        "2: started meeting input",
        "4: true meeting",
        "4: elsewhere superseded",
        "22: reached true",
        "24: said",
        "25: refuse",
        "26: nil",
        "28: nil",
    ];
    let files = [("level.lua", level), ("anna.lua", anna), ("meeting.lua", SCENE)];
    let mut run = setup(&files).unwrap();
    run.tick(120);
    let got = run.taken();
    let has = |line: &str| got.iter().any(|other| other == line);
    for line in &expected[..8] {
        assert!(has(line), "{line} is missing: {got:#?}");
    }
    let after: Vec<&str> =
        got.iter().map(|line| line.split_once(": ").map_or("", |(_, text)| text)).collect();
    let at = |text: &str| {
        after.iter().position(|line| *line == text).unwrap_or_else(|| panic!("{text}: {got:#?}"))
    };
    let order = [
        "reached true",
        "said",
        "refuse",
        "nil",
        "nice",
        "script returns",
        "post reached",
        "onEnd finished false, mark there, locked false, held by nil",
        "ended finished",
        "waited true true",
    ];
    let places: Vec<usize> = order.iter().map(|text| at(text)).collect();
    assert!(places.is_sorted(), "{order:?} at {places:?} in {got:#?}");
    // What came in meanwhile is handed out on release, in order of arrival.
    assert!(at("anna hears") > at("onEnd finished false, mark there, locked false, held by nil"));
    assert!(after.iter().any(|line| line.starts_with("walk: superseded at")), "{got:#?}");
    assert_eq!(got.iter().filter(|line| line.ends_with("anna updates")).count(), 2);
}

#[test]
fn who_flees_is_not_put_anywhere_by_ensure() {
    check_start(
        r#"
        local anna = world.character("anna")
        anna:flee("far", { distance = 60, timeout = 0.1, ensure = true, onSettled = function(result)
            log.info("%s/%s %s", result.status, result.reason, anna:distanceTo("post") < 1)
        end })
        "#,
        8,
        &["6: blocked/timeout true"],
    );
}

#[test]
fn a_scene_that_is_cancelled_before_it_begins_never_does() {
    check_start(
        r#"
        cinematic.define("talk", { holds = { "anna" }, locks = { "input" },
            onEnd = function(info) log.info("onEnd %s", info.outcome) end,
            script = function(c) log.info("script") end })
        event.on("cinematicStarted", function() log.info("started") end)
        task.spawn(function()
            local scene = cinematic.play("talk")
            log.info("%s %s", scene:skip(), scene:cancel())
            log.info("%s %s", scene:wait().outcome, scene:cancel())
            log.info("%s", cinematic.play("talk"):wait().outcome)
        end)
        "#,
        2,
        &[
            "1: true true",
            "1: cancelled false",
            "1: script",
            "1: onEnd finished",
            "1: started",
            "1: finished",
        ],
    );
}

#[test]
fn a_scene_that_is_skipped_before_it_begins_is_so_from_its_first_line_on() {
    check_start(
        r#"
        cinematic.define("talk", {
            onSkip = function(c) log.info("onSkip") end,
            script = function(c)
                log.info("%s", c.skipping)
                c:cosmetic(function() log.info("never") end)
                c:wait(9)
            end })
        task.spawn(function()
            local scene = cinematic.play("talk")
            log.info("%s", scene:skip())
            local info = scene:wait()
            log.info("%s %s", info.outcome, info.skipped)
        end)
        "#,
        2,
        &["1: true", "1: onSkip", "1: true", "1: finished true"],
    );
}

#[test]
fn a_scene_that_faults_or_is_cancelled_gives_everything_back() {
    let scene = r#"return { holds = { "anna" }, locks = { "input" },
        onEnd = function(info) log.info("onEnd %s, held by %s", info.outcome, world.character("ben").heldBy) end,
        script = function(c, args)
            c:start(world.character("anna"), "far", { onCancelled = function(r) log.info("never") end })
            task.onCancel(function(why) log.info("cancel: %s", why) end)
            c:wait(2/60)
            if args.fail then error("broken") end
            c:wait(9)
        end }"#;
    let level = r#"function onStart()
        task.spawn(function()
            local info = cinematic.play("scene", { fail = true }):wait()
            log.info("%s %s", info.outcome, info.error)
            log.info("%s %s", world.isLocked("input"), world.character("anna").heldBy)
            local scene = cinematic.play("scene")
            task.sleep(2/60)
            log.info("%s", scene:cancel())
            log.info("%s %s", scene:wait().outcome, scene:cancel())
        end)
        event.on("walkSettled", function(r) log.info("walk %s", r.reason) end)
    end"#;
    let expected = [
        "3! scene.lua:7: broken",
        "3: cancel: fault",
        "3: onEnd fault, held by nil",
        "3: walk ownerGone",
        "3: fault scene.lua:7: broken",
        "3: false nil",
        "5: true",
        "5: cancel: ownerGone",
        "5: onEnd cancelled, held by nil",
        "5: walk ownerGone",
        "5: cancelled false",
    ];
    let mut run = setup(&[("level.lua", level), ("scene.lua", scene)]).unwrap();
    run.tick(8);
    let mut got = run.taken();
    got.retain(|line| !line.contains("undelivered"));
    assert_eq!(got, expected);
}

#[test]
fn fault_d26_at_the_end_walks_settle_are_told_and_everybody_stops_once() {
    let anna = r#"return { run = function(self) task.onCancel(function(why) log.info("run: %s", why) end)
            log.info("walked %s", self.character:walk("far").reason) task.sleep(9) end,
        stop = function(self, why) log.info("anna stops: %s", why) event.emit("never") world.door("gate"):toggle()
            self.character:walkTo("near", { onSettled = function() log.info("never") end }) end }"#;
    let level = r#"function onStart() world.character("ben"):walkTo("far", { onCancelled = function(r) log.info("ben %s", r.reason) end }) end
        function onStop(why) log.info("level stops: %s", why) end"#;
    let mut run = setup(&[("level.lua", level), ("anna.lua", anna)]).unwrap();
    run.tick(3).end().end();
    let expected =
        ["3: run: levelEnd", "3: ben levelEnd", "3: anna stops: levelEnd", "3: level stops: levelEnd"];
    assert_eq!(run.lines, expected);
    let counts = run.game.world().walk_counts();
    assert_eq!(counts.accepted, counts.arrived + counts.partial + counts.blocked + counts.cancelled);
}

#[test]
fn the_level_ends_itself_by_finish_and_the_first_call_counts() {
    let level = "function onStart() level.finish(true, \"first\") level.finish(false, \"second\") end";
    let run = setup(&[("level.lua", level)]).unwrap();
    let outcome = run.game.outcome().expect("the level has finished");
    assert_eq!((outcome.ok, outcome.note.as_deref()), (true, Some("first")));
}

#[test]
fn what_is_wrong_at_the_start_names_file_behaviour_and_parameter() {
    let refused = |files: &[(&str, &str)]| match setup(files) {
        Ok(_) => panic!("it starts"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        refused(&[("level.lua", "x = = 1")]),
        "level.lua:1: Expected identifier when parsing expression, got '='"
    );
    assert_eq!(
        refused(&[("anna.lua", "return 7")]),
        "behaviour \"anna.lua\": the file returns 7, expected a table of a behaviour"
    );
    assert_eq!(
        refused(&[("anna.lua", "return { params = { route = { type = \"route\" } } }")]),
        "character \"anna\": behaviour \"anna\": params.route is missing, expected the name of a route"
    );
    assert_eq!(
        refused(&[("anna.lua", "return { params = { route = { type = \"route\", default = \"round\" } } }")]),
        "character \"anna\": behaviour \"anna\": params.route: unknown route \"round\"; did you mean \"rounds\"?"
    );
    assert_eq!(
        refused(&[("level.lua", "timer.after(1, function() end)")]),
        "level.lua:1: timer.after: there is no world while a file loads; call it from start or onStart"
    );
}

#[test]
fn named_handlers_are_methods_and_globals() {
    let anna = r#"local b = {}
        function b:start() self.character:walkTo(3, 3, { onArrived = "there" }) timer.after(2/60, "beep", { n = 2 }) end
        function b:there(result) log.info("%s %s", self.name, result.reason) end
        function b:beep(payload) log.info("%s %d", self.name, payload.n) end
        return b"#;
    let level = r#"function onStart() event.on("walkSettled", "told") end
        function told(result) log.info("told %s", result.reason) end"#;
    let expected = ["1: anna alreadyThere", "1: told alreadyThere", "2: anna 2"];
    check(&[("level.lua", level), ("anna.lua", anna)], 3, &expected);
}

#[test]
fn printed_lines_and_logged_lines_keep_their_order() {
    check_start(
        "print(\"one\", 1)\nlog.info(\"two\")\nprint(\"three\")",
        0,
        &["0: one\t1", "0: two", "0: three"],
    );
}

#[test]
fn the_same_scripts_and_seed_give_the_same_hash_and_any_pending_work_changes_it() {
    let level = |extra: &str| {
        format!(
            "function onStart() {extra} task.spawn(function() task.sleep(rng.stream(\"nap\"):float(1, 2)) end)
            world.character(\"anna\"):walkTo(\"far\", {{ onArrived = function() end }}) end"
        )
    };
    let hash = |extra: &str| {
        let text = level(extra);
        let mut run = setup(&[("level.lua", &text)]).unwrap();
        run.tick(20);
        let fingerprint = run.game.fingerprint();
        (fingerprint.scripts, fingerprint.random, fingerprint.whole())
    };
    assert_eq!(hash(""), hash(""));
    let base = hash("").0;
    let changes = [
        "timer.after(9)",
        "timer.after(8)",
        "event.on(\"x\", function() end)",
        "task.spawn(function() task.sleep(5) end)",
        "task.spawn(function() task.sleep(6) end)",
        "region.when(function() return false end, {})",
        "cinematic.define(\"s\", { script = function(c) c:wait(9) end }) cinematic.play(\"s\")",
        "world.door(\"gate\"):on(\"opened\", function() end)",
    ];
    let mut seen = std::collections::BTreeSet::from([base]);
    for change in changes {
        assert!(seen.insert(hash(change).0), "{change} does not show in the hash");
    }
    assert_ne!(hash("rng.stream(\"nap\"):float()").1, hash("").1);
}

#[test]
fn every_example_of_the_table_runs_as_a_task() {
    let mut failed = Vec::new();
    for entry in bind::entries().into_iter().filter(|entry| !crate::script::script_api::of_tests(entry)) {
        let level = format!(
            "function onStart() task.spawn(function() local guard, player, door = world.findCharacter(\"guard\"), world.player(), world.findDoor(\"gate\")\n{}\nlog.info(\"ran\") end) end",
            entry.example
        );
        let tree = ("patrol_tree.lua", "return bt.wait(1)");
        let files = [("level.lua", level.as_str()), ("idle.lua", "return {}"), tree];
        let map = crate::script::script_api::shown_on(entry);
        let mut run = setup_with(&files, |json| *json = map.to_owned()).unwrap();
        for _ in 0..40 {
            run.tick(30);
            if run.lines.iter().any(|line| line.ends_with(": ran")) {
                break;
            }
        }
        if !run.lines.iter().any(|line| line.ends_with(": ran")) || run.game.fault_count() > 0 {
            failed.push(format!("{}.{}: {:?}\n{}", entry.owner, entry.name(), run.lines, entry.example));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn characters_of_the_level_are_no_news_and_later_ones_are() {
    check_start(
        r#"
        event.on("spawned", function(e) log.info("%s at %d", e.name, e.position.x) end)
        timer.after(2/60, function() world.spawn({ name = "dora", at = "far" }) end)
        timer.after(3/60, function() world.spawn({ name = "dora", at = "far" }) end)
        "#,
        4,
        &[
            "2: dora at 15",
            "3! level.lua:5: world.spawn: the name \"dora\" is taken by a living character; choose another",
        ],
    );
}

#[test]
fn fault_d29_a_file_that_loads_while_the_level_runs_has_no_world() {
    let level = r#"function onStart()
        log.info("%s", select(2, pcall(require, "module")))
        log.info("%s", select(2, pcall(function() world.character("anna"):attach("bad") end)))
    end"#;
    let expected = [
        "0: module.lua:1: world.character: there is no world while a file loads; call it from start or onStart, \
         in require at level.lua:2",
        "0: bad.lua:1: timer.after: there is no world while a file loads; call it from start or onStart, \
         in attach at level.lua:3",
    ];
    let files = [
        ("level.lua", level),
        ("module.lua", "world.character(\"anna\")"),
        ("bad.lua", "timer.after(1) return {}"),
    ];
    check(&files, 1, &expected);
}

#[test]
fn lines_beyond_the_limit_of_a_tick_are_counted_and_not_written() {
    let level = "function onTick() for n = 1, 150 do print(n) end end";
    let mut run = setup(&[("level.lua", level)]).unwrap();
    run.tick(1);
    assert_eq!(run.lines.len(), 101);
    assert_eq!(run.lines.last().map(String::as_str), Some("1? printDropped"));
}

/// Fills what waits for scripts with 40,000 turns of a lock: twice as many facts.
fn turn_the_lock(run: &mut Run) {
    let gate = run.game.world().find_door("gate").unwrap();
    for _ in 0..20_000 {
        doors::lock(run.game.world_mut(), gate, None);
        doors::unlock(run.game.world_mut(), gate, None);
    }
}

#[test]
fn news_that_nobody_waits_for_is_dropped_beyond_a_bound_and_answers_are_not() {
    let level = "function onStart()
        event.on('doorChanged', function() state.heard = (state.heard or 0) + 1 end)
        event.on('walkSettled', function(result) log.info('%s %s', result.status, result.reason) end)
    end
    function onTick()
        if level.tick == 1 then log.info('%s', select(2, pcall(world.spawn, { name = 'dora', at = 'far' }))) end
    end";
    // What is heard first leaves fuel enough for the rest.
    let limits = |json: &mut String| {
        *json = json.replacen(
            '{',
            "{ \"limits\": { \"fuelPerTick\": 100000000, \"eventsPerTick\": 1000000 },",
            1,
        );
    };
    let mut run = setup_with(&[("level.lua", level)], limits).unwrap();
    turn_the_lock(&mut run);
    // A walk that begins and ends while nothing more fits in settles, once.
    let anna = run.game.character("anna").unwrap();
    run.game.walk_to(anna, [15.0, 0.0, 3.0]).unwrap();
    assert!(run.game.stop(anna));
    let tick = run.game.tick(&[Input::Event { name: "bell".to_owned(), payload: None }]);
    let refused = "world.spawn: 65536 events wait to be heard already, the most allowed whatever limits.eventsPerTick says; emit fewer in a tick";
    assert_eq!(
        told(&tick.lines),
        [
            format!("1: level.lua:6: {refused}"),
            "1: cancelled stopped".to_owned(),
            "1? eventsDropped".to_owned()
        ]
    );
    let locks = tick.events.iter().filter(|event| matches!(event, Event::DoorChanged { .. })).count();
    assert_eq!(locks, 40_000, "the host hears all");
    let dropped = tick.events.iter().find_map(|event| match event {
        Event::Notice { what: "eventsDropped", count, .. } => Some(*count),
        _ => None,
    });
    assert_eq!(dropped, Some(80_000 - (EventQueue::WAITING_MAX as u64 - 3)), "three characters are there");
    let why = tick.events.iter().find_map(|event| match event {
        Event::InputRefused { why, .. } => Some(why.as_str()),
        _ => None,
    });
    assert_eq!(why, Some("65536 events wait to be heard already, the most allowed"));
    run.tick(2);
    assert!(run.lines.is_empty(), "{:?}", run.lines);
}
