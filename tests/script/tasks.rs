//! Tasks, timers and events to the letter, and the rows of the fault catalogue about what callbacks do.

use walkon_runtime::game::inputs::{Input, Reload};

use crate::script::script_flow::{check, check_start, setup_with, told};

#[test]
fn fault_d3_a_character_that_despawns_itself_in_its_handler_ends_its_other_walk_after_that() {
    check_start(
        r#"
        local anna = world.character("anna")
        anna:walkTo("post", { onArrived = function(r)
            anna:walkTo("far", { onSettled = function(r) log.info("other %s, alive %s", r.reason, anna.alive) end })
            anna:despawn()
            log.info("alive %s", anna.alive)
            log.info("walks on: %s", (pcall(anna.walkTo, anna, "far")))
        end })
        "#,
        3,
        &["1: alive false", "1: walks on: false", "1: other despawned, alive false"],
    );
}

#[test]
fn fault_d7_a_handler_may_yield_and_callbacks_of_sort_gsub_and_metamethods_may_not() {
    check_start(
        r#"
        world.character("anna"):walkTo("post", { onArrived = function()
            coroutine.yield()
            log.info("a tick later")
            task.ticks(2)
            log.info("two more")
            local across = "attempt to yield across metamethod/C-call boundary"
            local function try(f) local ok, what = pcall(f) log.info("%s %s", ok, string.find(what, across, 1, true) ~= nil) end
            try(function() table.sort({ 2, 1 }, function(a, b) coroutine.yield() return a < b end) end)
            try(function() string.gsub("ab", "%a", function() task.ticks(1) end) end)
            try(function() local x = setmetatable({}, { __index = function() coroutine.yield() end }).x end)
            log.info("still here")
        end })
        "#,
        9,
        &[
            "2: a tick later",
            "4: two more",
            "4: false true",
            "4: false true",
            "4: false true",
            "4: still here",
        ],
    );
}

#[test]
fn fault_d18_a_level_without_characters_answers_and_runs_to_its_end() {
    check_start(
        r#"
        for _, character in world.characters() do character:despawn() end
        local function ask()
            log.info("%d %s %s %d", #world.characters(), world.player(), world.findCharacter("anna"), #world.characters({ near = "post", radius = 50 }))
        end
        ask()
        timer.after(2/60, ask)
        timer.after(60/60, function() log.info("runs on") end)
        "#,
        70,
        &["0: 0 nil nil 0", "2: 0 nil nil 0", "60: runs on"],
    );
}

#[test]
fn fault_d20_a_failed_branch_cancels_the_others_and_is_named_in_the_ends_of_their_walks() {
    check_start(
        r#"
        local anna, ben = world.character("anna"), world.character("ben")
        local function told(r) log.info("%s %s: %s", r.status, r.reason, r.detail) end
        task.spawn(function()
            log.info("%s", (pcall(task.all, {
                scout = function() task.ticks(2) error("lost", 0) end,
                walk = anna:walkTo("far", { onSettled = told }),
                deep = function() ben:walk("far", { onSettled = told }) end,
            })))
            local key = task.race({ nap = function() task.ticks(1) end, walk = anna:walkTo("far", { onSettled = told }) })
            log.info("%s %s", key, anna:isMoving())
        end)
        "#,
        9,
        &[
            "3: false",
            "3: cancelled ownerGone: ben ended ownerGone, because branch \"scout\" failed",
            "3: cancelled ownerGone: anna ended ownerGone, because branch \"scout\" failed",
            "4: nap false",
            "4: cancelled lostRace: anna ended lostRace, 12.0 m from the goal",
        ],
    );
}

#[test]
fn fault_d25_one_closure_is_called_for_each_time_it_was_registered_up_to_the_cap() {
    let level = r#"
        function onStart()
            local calls = 0
            local function count() calls += 1 end
            local ok, what = pcall(function() for i = 1, 1000 do event.on("bell", count) end end)
            log.info("%s", what)
            event.emit("bell")
            timer.after(2/60, function() log.info("%d", calls) end)
        end
    "#;
    let run = |most: &str| {
        let limits = format!("{{ \"limits\": {{ \"handlersPerOwner\": {most} }},");
        let mut run =
            setup_with(&[("level.lua", level)], |json| *json = json.replacen('{', &limits, 1)).unwrap();
        run.tick(2).taken()
    };
    assert_eq!(run("1000"), ["0: nil", "2: 1000"]);
    let capped = run("256");
    let cap = "0: level.lua:5: event.on: level script has 256 handlers, the most allowed (limits.handlersPerOwner); remove some";
    assert_eq!(capped, [cap, "2: 256"]);
}

#[test]
fn a_task_that_is_restarted_by_name_ends_the_one_of_its_owner_only() {
    let behaviour = |name: &str| {
        format!(
            r#"
            local b = {{}}
            function b:start()
                task.restart("blink", function() task.onCancel(function(why) log.info("{name} %s", why) end) task.sleep(9) end)
            end
            function b.on:again() task.restart("blink", function(n) log.info("{name} new %d", n) end, 7) end
            return b
            "#
        )
        .replace("local b = {}", "local b = { on = {} }")
    };
    let (anna, ben) = (behaviour("anna"), behaviour("ben"));
    let level = "function onStart() timer.after(2/60, function() event.send(world.character('anna'), 'again') end) end";
    check(
        &[("anna.lua", &anna), ("ben.lua", &ben), ("level.lua", level)],
        3,
        &["2: anna cancelled", "2: anna new 7"],
    );
}

#[test]
fn functions_of_on_cancel_are_told_why_last_in_first_out_and_not_when_the_task_is_done() {
    let level = r#"
        local function guarded(name, rest)
            return function()
                task.onCancel(function(why) log.info("%s first %s", name, why) end)
                task.onCancel(function(why) log.info("%s last %s", name, why) end)
                rest()
            end
        end
        local function long() task.sleep(99) end
        function onStart()
            task.spawn(guarded("done", function() end))
            task.spawn(guarded("late", function() task.timeout(1/60, guarded("inner", long)) end))
            task.spawn(guarded("fault", function() task.ticks(3) error("x", 0) end))
            task.spawn(guarded("end", long))
        end
    "#;
    let mut run = setup_with(&[("level.lua", level)], |_| {}).unwrap();
    run.tick(6).end();
    assert_eq!(
        run.lines,
        [
            "2: inner last lostRace",
            "2: inner first lostRace",
            "4! level.lua:13: x",
            "4: fault last fault",
            "4: fault first fault",
            "6: end last levelEnd",
            "6: end first levelEnd",
        ]
    );
}

#[test]
fn waiting_for_a_task_gives_its_result_its_error_or_nil() {
    check_start(
        r#"
        local good = task.spawn(function() task.ticks(1) return 7, 8 end)
        local bad = task.spawn(function() task.ticks(1) error("lost", 0) end)
        local gone = task.spawn(function() task.sleep(9) end)
        task.spawn(function()
            log.info("%s %s", good:wait(), good.status)
            log.info("%s", select(2, pcall(task.await, bad)))
            gone:cancel()
            log.info("%s %s %s", gone:wait(), gone.status, gone:cancel())
        end)
        task.spawn(function() pcall(task.await, bad) end)
        "#,
        4,
        &["2: 7 done", "2: level.lua:4: lost", "2: nil cancelled false"],
    );
}

#[test]
fn a_fault_in_where_or_in_a_predicate_is_raised_where_the_task_waits() {
    check_start(
        r#"
        task.spawn(function() log.info("%s", (pcall(task.waitEvent, "bell", { where = function(e) return e.missing.x end }))) end)
        task.spawn(function() log.info("%s", (pcall(task.waitUntil, function() error("no") end))) end)
        timer.after(2/60, function() event.emit("bell", { n = 1 }) end)
        "#,
        3,
        &["2: false", "2: false"],
    );
}

#[test]
fn a_repeated_timer_takes_times_payload_and_named_handlers_and_false_ends_only_functions() {
    let level = r#"
        function ring(p) log.info("ring %s", p.n) return false end
        function onStart()
            timer.every(1/60, "ring", { times = 3, payload = { n = 5 } })
            local t = timer.every(1/60, function() log.info("once") return false end)
            task.spawn(function() log.info("over %s", t:wait()) end)
        end
    "#;
    check(&[("level.lua", level)], 5, &["1: ring 5", "1: once", "1: over false", "2: ring 5", "3: ring 5"]);
}

#[test]
fn events_of_the_runtime_cannot_be_emitted_and_payloads_are_read_only_copies() {
    check_start(
        r#"
        local ok, what = pcall(event.emit, "walkSettled", {})
        log.info("%s", what)
        local payload = { list = { 1 } }
        event.on("bell", function(e) log.info("%s %s", e.list[1], (pcall(function() e.list[1] = 2 end))) end)
        event.once("bell", function(e) log.info("once") end)
        event.emit("bell", payload)
        payload.list[1] = 9
        event.emit("bell", payload)
        log.info("%s", event.send(world.character("anna"), "bell"))
        "#,
        1,
        &[
            "0: level.lua:3: event.emit: \"walkSettled\" is an event of the runtime; choose another name",
            "0: false",
            "1: 1 false",
            "1: once",
            "1: 9 false",
        ],
    );
}

#[test]
fn due_times_are_rounded_up_and_repeats_do_not_drift() {
    check_start(
        r#"
        timer.after(0.5/60, function() log.info("half") end)
        timer.after(1.5/60, function() log.info("one and a half") end)
        timer.every(1.5/60, function() log.info("every") end, { times = 4 })
        timer.every(0, function() log.info("each") end, { times = 2 })
        "#,
        8,
        &[
            "1: half",
            "1: each",
            "2: one and a half",
            "2: every",
            "2: each",
            "3: every",
            "5: every",
            "6: every",
        ],
    );
}

/// `try(f, ...)` tells what a mistake is, without its place.
const TRY: &str = r#"local function try(f, ...)
    local ok, what = pcall(f, ...)
    log.info("%s", if ok then "fine" else (string.gsub(what, "^level.lua:%d+: ", "")))
end
"#;

#[test]
fn timers_refuse_bad_times_and_payloads_that_are_no_plain_data() {
    check_start(
        &format!(
            r#"{TRY}
            try(timer.after, -1)
            try(timer.every, 0/0, print)
            try(timer.every, 1, function() end, {{ times = 0 }})
            try(timer.after, 1, nil, {{ fn = print }})
            try(timer.every, 1, function() end, {{ payload = {{ deep = {{ print }} }} }})
            try(timer.after, 1, "nobody")
            "#
        ),
        0,
        &[
            "0: timer.after: seconds is -1, expected 0 to 1000000",
            "0: timer.every: seconds is NaN, expected a finite number of seconds",
            "0: timer.every: times is 0, expected a whole number from 1 to 1000000000",
            "0: timer.after: payload.fn is a function, expected plain data",
            "0: timer.every: payload.deep[1] is a function, expected plain data",
            "0: timer.after: unknown handler \"nobody\"",
        ],
    );
}

#[test]
fn a_handler_of_a_timer_may_wait_and_ends_the_timer_when_it_returns_false_later() {
    check_start(
        r#"
        local n = 0
        local t = timer.every(1/60, function()
            n += 1
            local own = n
            log.info("turn %d", own)
            task.ticks(2)
            return own < 2
        end)
        timer.after(5/60, function() log.info("%s %s", t:cancel(), t:wait()) end)
        "#,
        6,
        // Turn 2 returns false at tick 4, after turn 4 of that tick has begun.
        &["1: turn 1", "2: turn 2", "3: turn 3", "4: turn 4", "5: false false"],
    );
}

#[test]
fn a_timer_that_is_cancelled_by_an_earlier_one_of_its_tick_does_not_run_and_pausing_twice_is_once() {
    check_start(
        r#"
        local second
        timer.after(2/60, function() log.info("first") second:cancel() end)
        second = timer.after(2/60, function() log.info("never") end)
        local third = timer.after(4/60, function() log.info("third") end)
        third:resume()
        third:pause()
        timer.after(1/60, function() third:pause() end)
        timer.after(3/60, function() third:resume() third:resume() log.info("%.0f", third:remaining() * 60) end)
        timer.after(8/60, function() log.info("%s %.0f", third:cancel(), third:remaining()) end)
        "#,
        9,
        &["2: first", "3: 4", "7: third", "8: false 0"],
    );
}

#[test]
fn a_listener_that_is_removed_while_an_event_is_delivered_hears_it_still_also_when_it_listens_once() {
    check_start(
        r#"
        local once, other
        event.on("bell", function() once:remove() other:remove() log.info("first") end)
        once = event.once("bell", function() log.info("once") end)
        other = event.on("bell", function() log.info("other") end)
        event.emit("bell")
        event.emit("bell")
        "#,
        1,
        &["1: first", "1: once", "1: other", "1: first"],
    );
}

#[test]
fn what_is_emitted_in_step_3_is_heard_in_that_tick_and_in_step_12_in_its_next_round() {
    check_start(
        r#"
        event.on("bell", function(n) log.info("bell %s", n) if n == 1 then event.emit("bell", 2) event.emit("dong") end end)
        event.on("dong", function(n) log.info("dong %s", n) end)
        task.spawn(function() log.info("waited %s", task.waitEvent("bell", { where = function(n) return n == 2 end })) end)
        timer.after(2/60, function() event.emit("bell", 1) event.emit("dong", 0) log.info("emitted") end)
        "#,
        2,
        &["2: emitted", "2: bell 1", "2: dong 0", "2: bell 2", "2: waited 2", "2: dong nil"],
    );
}

#[test]
fn an_event_that_is_sent_reaches_the_behaviour_of_that_character_only() {
    let anna = r#"
        local b = { on = {} }
        function b.on:bell(e) log.info("%s on %s", self.name, e) end
        function b:start() event.on("bell", function(e) log.info("listener %s", e) end) end
        function b:run() log.info("run %s", task.waitEvent("bell")) end
        return b
    "#;
    let level = format!(
        r#"{TRY}
        function onStart()
            local anna, ben = world.character("anna"), world.character("ben")
            event.on("bell", function() log.info("never") end)
            timer.after(2/60, function()
                log.info("%s %s", event.send(anna, "bell", 5), event.send(ben, "bell", 6))
                ben:despawn()
                try(event.send, ben, "bell")
                try(event.send, anna, "bell", print)
                try(event.send, anna, "spawned")
                try(event.emit, "bell", string.rep("x", 300000))
            end)
        end
        "#
    );
    check(
        &[("anna.lua", anna), ("level.lua", &level)],
        3,
        &[
            "2: true false",
            "2: event.send: character \"ben\" was removed at tick 2 (despawned by level.lua:11)",
            "2: event.send: payload is a function, expected plain data",
            "2: event.send: \"spawned\" is an event of the runtime; choose another name",
            "2: event.emit: payload is larger than 256 KiB, the most allowed",
            "2: anna on 5",
            "2: run 5",
        ],
    );
}

#[test]
fn events_of_the_runtime_carry_what_the_reference_lists() {
    check_start(
        r#"
        local function hear(name, fields)
            event.on(name, function(e)
                local shown = {}
                for _, field in fields do table.insert(shown, tostring(e[field])) end
                log.info("%s %s", name, table.concat(shown, " "))
            end)
        end
        hear("spawned", { "character", "name", "position" })
        hear("despawned", { "character", "name", "position" })
        hear("walkSettled", { "character", "status", "reason" })
        hear("doorChanged", { "door", "state", "locked", "by" })
        hear("areaChanged", { "area", "available", "cost" })
        hear("mapRevision", { "revision" })
        hear("cinematicStarted", { "name", "locks" })
        hear("cinematicEnded", { "name", "outcome" })
        hear("scriptFault", { "kind", "message", "file", "line", "owner", "callback", "tick", "step" })
        cinematic.define("intro", { script = function() end })
        timer.after(1/60, function() world.spawn({ name = "dora", at = "far" }) end)
        timer.after(2/60, function() world.character("dora"):despawn() end)
        timer.after(3/60, function() world.character("anna"):walkTo("post") end)
        timer.after(4/60, function() nav.setAreaCost("hall", 2) end)
        timer.after(6/60, function() cinematic.play("intro") end)
        timer.after(8/60, function() error("oops") end)
        timer.after(10/60, function() world.door("gate"):lock() end)
        "#,
        12,
        &[
            "1: spawned character \"dora\" dora 15, 0, 3",
            "2: despawned character \"dora\" dora 15, 0, 3",
            "3: walkSettled character \"anna\" arrived alreadyThere",
            "4: areaChanged hall true 2",
            "4: mapRevision 1",
            "6: cinematicStarted intro table#1",
            "6: cinematicEnded intro finished",
            "8! level.lua:25: oops",
            "8: scriptFault error level.lua:25: oops level.lua 25 level script timer 8 3",
            "10: doorChanged door \"gate\" closed true nil",
        ],
    );
}

#[test]
fn a_task_waits_a_tick_at_least_and_refuses_bad_times() {
    check_start(
        &format!(
            r#"{TRY}
            task.spawn(function()
                try(task.sleep, -1)
                try(task.ticks, 0)
                try(task.ticks, 1.5)
                try(task.timeout, -1, function() end)
                try(task.race, {{}})
                try(task.all, {{ 7 }})
                try(task.all, table.create(4097, task.current()))
                try(task.timeout, 1, "x")
                try(task.await, 7)
                try(task.await, task.current())
                task.sleep(0)
                log.info("slept")
                task.sleep(1.5/60)
                log.info("slept again")
                log.info("%s", task.waitUntil(function() return true end))
                log.info("%s", task.waitUntil(function() return false end, {{ timeout = 0 }}))
            end)
            "#
        ),
        7,
        &[
            "1: task.sleep: seconds is -1, expected 0 to 1000000",
            "1: task.ticks: n is 0, expected a whole number from 1 to 1000000000",
            "1: task.ticks: n is 1.5, expected a whole number from 1 to 1000000000",
            "1: task.timeout: seconds is -1, expected 0 to 1000000",
            "1: task.race: entries is empty, expected at least one entry",
            "1: task.all: entries[1] is 7, expected a function or a walk, door move, path request, timer, task, turn, play, scene, cue or change",
            "1: task.all: entries has more than 4096 entries, expected at most 4096",
            "1: task.timeout: entry is \"x\", expected a function or a walk, door move, path request, timer, task, turn, play, scene, cue or change",
            "1: task.await: x is 7, expected a walk, door move, path request, timer, task, turn, play, scene, cue or change",
            "1: task.await: a task cannot wait for itself",
            "2: slept",
            "4: slept again",
            "5: true",
            "6: false",
        ],
    );
}

#[test]
fn functions_of_a_group_begin_in_order_of_keys_and_of_those_over_already_the_smallest_key_wins() {
    check_start(
        r#"
        local function say(what) return function() log.info("%s", what) task.ticks(1) return what end end
        task.spawn(function()
            task.all({ b = say("b"), [2] = say("2"), a = say("a"), [-1] = say("-1"), [1.5] = say("1.5") })
            local over = task.spawn(function() return "over" end)
            local cancelled = task.spawn(function() end)
            cancelled:cancel()
            task.ticks(1)
            log.info("%s %s", task.race({ a = over, b = over, [10] = over, [9] = over, ["1"] = over }))
            log.info("%s %s", task.race({ b = over, a = cancelled }))
            log.info("%s %s", task.race({ now = function() return 1 end, over = over }))
        end)
        "#,
        4,
        &["1: -1", "1: 1.5", "1: 2", "1: a", "1: b", "3: 9 over", "3: a nil", "3: over over"],
    );
}

#[test]
fn a_time_limit_cancels_walks_paths_and_timers_and_a_door_moves_on() {
    check_start(
        r#"
        local anna, gate = world.character("anna"), world.door("gate")
        local timerOf = timer.after(99)
        task.spawn(function()
            log.info("%s", task.timeout(2/60, anna:walkTo("far", { onCancelled = function(r) log.info("walk %s", r.reason) end })))
            log.info("%s", task.timeout(1/60, timerOf))
            log.info("%s %s", timerOf:cancel(), timerOf:wait())
            local move = gate:open()
            log.info("%s", (task.timeout(1/60, move)))
            log.info("%s %s", move:wait().reason, gate.state)
            log.info("%s %s", task.timeout(1, function() return 7 end))
        end)
        "#,
        14,
        &[
            "3: false",
            "3: walk lostRace",
            "4: false",
            "4: false false",
            "5: false",
            "11: done open",
            "11: true 7",
        ],
    );
}

#[test]
fn a_walk_that_was_begun_by_walk_to_goes_on_when_the_task_that_waits_for_it_is_cancelled() {
    check_start(
        r#"
        local anna = world.character("anna")
        local tk = task.spawn(function() anna:walkTo("near", { onSettled = function(r) log.info("%s", r.reason) end }):wait() log.info("never") end)
        timer.after(3/60, function() log.info("%s %s", tk:cancel(), anna.currentWalk ~= nil) end)
        "#,
        30,
        &["3: true true", "28: reached"],
    );
}

#[test]
fn a_task_that_ends_itself_runs_to_its_next_wait_and_no_further() {
    check_start(
        r#"
        local anna = world.character("anna")
        event.on("walkSettled", function(r) log.info("walk %s", r.reason) end)
        task.spawn(function()
            local me = task.current()
            task.onCancel(function(why) log.info("cleaned up, %s", why) end)
            log.info("%s %s", me:cancel(), me.status)
            local ok = pcall(task.sleep, 1)
            log.info("never %s", ok)
        end)
        task.spawn(function()
            task.current():cancel()
            anna:walk("near")
            log.info("never")
        end)
        task.spawn(function()
            task.current():cancel()
            task.all({ function() log.info("never") end })
        end)
        task.spawn(function()
            task.current():cancel()
            coroutine.yield()
            log.info("never")
        end)
        local function blink(n)
            log.info("blink %d", n)
            if n < 3 then task.restart("blink", blink, n + 1) end
            task.ticks(1)
            log.info("blinked %d", n)
        end
        task.restart("blink", blink, 1)
        task.spawn(function() task.current():cancel() error("told") end)
        "#,
        3,
        &[
            "1: true cancelled",
            "1: cleaned up, cancelled",
            "1: blink 1",
            "1! level.lua:33: told",
            "1: blink 2",
            "1: blink 3",
            "2: blinked 3",
        ],
    );
}

#[test]
fn functions_of_on_cancel_are_told_of_a_reload_and_of_a_gone_owner_and_may_not_wait() {
    let text = r#"
        local b = {}
        function b:run()
            task.onCancel(function(why) log.info("%s %s", self.character.name, why) end)
            task.onCancel(function() log.info("%s", (select(2, pcall(task.sleep, 1)))) end)
            task.sleep(99)
        end
        return b
    "#;
    let level = "function onStart() timer.after(2/60, function() world.character('ben'):detach() end) end";
    let mut run = setup_with(&[("anna.lua", text), ("ben.lua", text), ("level.lua", level)], |_| {}).unwrap();
    run.tick(3);
    let scripts = [("anna.lua".to_owned(), Some(format!("{text} --")))].into();
    let recorded = run.game.tick(&[Input::Reload(Reload { scripts, level: None })]);
    run.lines.extend(told(&recorded.lines));
    let refused = |file: &str| format!("{file}.lua:5: task.sleep: onCancel may not wait; use task.spawn");
    let expected = [
        format!("2: {}", refused("ben")),
        "2: ben ownerGone".to_owned(),
        format!("4: {}", refused("anna")),
        "4: anna reload".to_owned(),
    ];
    assert_eq!(run.lines, expected);
}

#[test]
fn a_task_has_256_functions_of_on_cancel_at_most() {
    check_start(
        r#"
        task.spawn(function()
            local count, what = 0, nil
            repeat local ok ok, what = pcall(task.onCancel, function() end) count += 1 until not ok
            log.info("%d %s", count, what)
        end)
        "#,
        1,
        &["1: 257 level.lua:5: task.onCancel: the task has 256 of these, the most allowed"],
    );
}

#[test]
fn a_repeated_timer_with_a_named_handler_finds_the_code_of_a_reload_and_one_with_a_function_ends() {
    let text = |word: &str| {
        format!(
            r#"local b = {{}}
            function b:start(why) if why == "attach" then timer.every(2/60, "beep") timer.every(2/60, function() log.info("function") end) end end
            function b:beep() log.info("{word}") end
            return b"#
        )
    };
    let mut run = setup_with(&[("anna.lua", &text("old"))], |_| {}).unwrap();
    run.tick(2);
    let scripts = [("anna.lua".to_owned(), Some(text("new")))].into();
    let recorded = run.game.tick(&[Input::Reload(Reload { scripts, level: None })]);
    run.lines.extend(told(&recorded.lines));
    run.tick(3);
    assert_eq!(run.lines, ["2: old", "2: function", "4: new", "6: new"]);
}

#[test]
fn only_areas_that_have_changed_are_told_of() {
    check_start(
        r#"
        event.on("areaChanged", function(e) log.info("%s %s", e.area, tostring(e.available)) end)
        timer.after(1/60, function()
            nav.setAreaAvailable("hall", false)
            nav.setAreaAvailable("hall", true)
            nav.setAreaCost("doorway", 2)
        end)
        "#,
        5,
        &["1: doorway false"],
    );
}
