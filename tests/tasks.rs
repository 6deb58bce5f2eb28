//! Tasks, timers and events to the letter, and the rows of the fault catalogue about what callbacks do.

use crate::script_flow::{check, check_start, setup_with};

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
            "4: cancelled lostRace: anna ended lostRace, 11.9 m from the goal",
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
