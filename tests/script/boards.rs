//! Blackboards: what they keep, who is told, and when a value clears itself.

use crate::script::script_flow::{check, check_start, setup, setup_with};

#[test]
fn a_board_keeps_plain_data_under_sorted_keys() {
    check_start(
        r#"
        local board = blackboard.level
        log.info("%s %s %s", board:get("alarm"), board:get("alarm", "none"), board:has("alarm"))
        board:set("noise", vector.create(1, 0, 2))
        board:set("alarm", { by = world.character("anna"), seen = { "ben" } })
        log.info("%s %s %s", board:get("noise"), board:get("alarm").by, board:get("alarm").seen[1])
        log.info("%s %s", table.concat(board:keys(), " "), board:has("alarm"))
        local copy = board:get("alarm")
        copy.by = nil
        log.info("%s %s", board:get("alarm").by, copy ~= board:get("alarm"))
        board:clear("alarm")
        log.info("%s %s", table.concat(board:keys(), " "), board:get("alarm", 7))
        log.info("%s %s %s", blackboard.level == board, blackboard.group("a") == blackboard.group("a"), blackboard.group("a") == blackboard.group("b"))
        blackboard.group("a"):set("n", 1)
        log.info("%s %s %s", blackboard.group("a"):get("n"), blackboard.group("b"):get("n"), board:get("n"))
        world.character("anna").blackboard:set("n", 2)
        log.info("%s %s", world.character("anna").blackboard:get("n"), world.character("ben").blackboard:get("n"))
        log.info("%s %s", board, typeof(board:changed("n")))
        "#,
        0,
        &[
            "0: nil none false",
            "0: 1, 0, 2 character \"anna\" ben",
            "0: alarm noise true",
            "0: character \"anna\" true",
            "0: noise 7",
            "0: true true false",
            "0: 1 nil nil",
            "0: 2 nil",
            "0: blackboard 1 Change",
        ],
    );
}

#[test]
fn what_is_not_plain_or_too_large_is_refused_and_changes_nothing() {
    check_start(
        r#"
        local board = blackboard.level
        local function try(...) local ok, what = pcall(board.set, board, ...) log.info("%s", string.sub(what, 14, 133)) end
        try("a", { deep = { fn = print } })
        try("a", 0/0)
        try("a")
        try("", 1)
        try("a", string.rep("x", 300000))
        try("a", 1, { ttl = -1 })
        try("a", 1, { tll = 1 })
        log.info("%d", #board:keys())
        for i = 1, 3 do board:set("part" .. i, string.rep("x", 80000)) end
        try("part4", string.rep("x", 80000))
        board:set("part1", 1)
        board:set("part4", string.rep("x", 80000))
        log.info("%s", table.concat(board:keys(), " "))
        "#,
        0,
        &[
            "0: set: value.deep.fn is a function, expected plain data",
            "0: set: value is NaN, expected plain data",
            "0: set: value is nil, expected plain data",
            "0: set: key is \"\", expected a name of 1 to 128 bytes without control characters",
            "0: set: value is larger than 256 KiB, the most allowed",
            "0: set: ttl is -1, expected 0 to 1000000",
            "0: set: unknown option \"tll\"; did you mean \"ttl\"?",
            "0: 0",
            "0: set: the board of the level would be larger than 256 KiB, the most allowed (limits.stateKiB); clear some",
            "0: part1 part2 part3 part4",
        ],
    );
}

#[test]
fn a_value_with_a_time_clears_itself_at_the_head_of_step_3() {
    check_start(
        r#"
        local board = blackboard.level
        board:watch("noise", function(news) log.info("%s was %s", news.value, news.old) end)
        board:set("noise", 1, { ttl = 3/60 })
        board:set("kept", 1, { ttl = 2/60 })
        board:set("kept", 1)
        board:set("longer", 1, { ttl = 2/60 })
        board:set("longer", 1, { ttl = 5/60 })
        timer.every(1/60, function() log.info("%s", table.concat(board:keys(), " ")) end)
        "#,
        6,
        &[
            "1: kept longer noise",
            "1: 1 was nil",
            "2: kept longer noise",
            "3: kept longer",
            "3: nil was 1",
            "4: kept longer",
            "5: kept",
            "6: kept",
        ],
    );
}

#[test]
fn a_change_is_told_once_to_those_who_watched_when_it_happened_and_an_equal_value_is_none() {
    check_start(
        r#"
        local board = blackboard.level
        local function tell(who) return function(news) log.info("%s: %s %s was %s", who, news.key, news.value, news.old) end end
        local first = board:watch("alarm", tell("first"))
        board:set("alarm", 1)
        board:watch("alarm", tell("late"))
        board:set("alarm", 1)
        board:set("other", 1)
        timer.after(2/60, function() first:remove() board:set("alarm", { at = 1 }) board:set("alarm", { at = 1 }) end)
        timer.after(3/60, function() board:set("alarm", nil or 3) board:clear("alarm") board:clear("alarm") end)
        timer.after(4/60, function() log.info("%s", first:remove()) end)
        "#,
        4,
        &[
            "1: first: alarm 1 was nil",
            "2: late: alarm table#1 was 1",
            "3: late: alarm 3 was table#2",
            "3: late: alarm nil was 3",
            "4: false",
        ],
    );
}

#[test]
fn a_change_can_be_waited_for_and_is_latched() {
    check_start(
        r#"
        local board = blackboard.level
        local change = board:changed("alarm")
        log.info("%s", change == board:changed("alarm"))
        task.spawn(function() log.info("waited %s", change:wait()) log.info("again %s", change:wait()) end)
        task.spawn(function() task.ticks(4) log.info("late %s", task.await(change)) log.info("%s", change == board:changed("alarm")) end)
        task.spawn(function() log.info("%s %s", task.race({ alarm = board:changed("alarm"), noise = board:changed("noise") })) end)
        task.spawn(function() task.ticks(2) board:set("alarm", 5) board:set("alarm", 6) end)
        task.spawn(function() log.info("cleared %s", task.timeout(1, function() task.ticks(3) return board:changed("alarm"):wait() end)) end)
        timer.after(5/60, function() board:clear("alarm") end)
        "#,
        6,
        &["0: true", "3: waited 5", "3: alarm 5", "3: again 5", "5: late 5", "5: false", "5: cleared true"],
    );
}

#[test]
fn a_board_dies_with_its_character_and_ends_what_waits_for_it() {
    check_start(
        r#"
        local ben = world.character("ben")
        local board = ben.blackboard
        board:set("n", 1)
        board:watch("n", function(news) log.info("never") end)
        task.spawn(function() log.info("change %s", board:changed("n"):wait()) end)
        timer.after(2/60, function() ben:despawn() log.info("%s", board:get("n")) end)
        timer.after(3/60, function()
            for _, try in { function() board:get("n") end, function() board:set("n", 1) end, function() return ben.blackboard end } do
                local ok, what = pcall(try)
                log.info("%s", what)
            end
        end)
        "#,
        3,
        &[
            "2: 1",
            "2: change nil",
            "3: level.lua:10: get: the character of this blackboard was removed, and its board with it",
            "3: level.lua:10: set: the character of this blackboard was removed, and its board with it",
            "3: level.lua:10: blackboard: character \"ben\" was removed at tick 2 (despawned by level.lua:8)",
        ],
    );
}

#[test]
fn others_are_told_of_every_change_in_the_tick_in_which_a_board_dies() {
    let ben = r#"return { start = function(self) self.blackboard:watch("n", function() log.info("never") end) end }"#;
    let level = r#"
        function onStart()
            local ben = world.character("ben")
            local board = ben.blackboard
            board:watch("n", function(news) log.info("n %s was %s", news.value, news.old) end)
            timer.after(2/60, function() board:set("n", 1) ben:despawn() board:set("n", 2) end)
            timer.after(2/60, function() board:set("n", 3) end)
        end
    "#;
    let expected = ["2: n 1 was nil", "2: n 2 was 1", "2: n 3 was 2"];
    check(&[("ben.lua", ben), ("level.lua", level)], 4, &expected);
}

#[test]
fn listeners_of_a_board_that_has_died_count_no_more() {
    let level = r#"
        local function watch(name) world.character(name).blackboard:watch("n", function() end) end
        function onStart()
            watch("anna")
            watch("ben")
            world.character("ben"):despawn()
            timer.after(2/60, function() watch("anna") log.info("%s", pcall(watch, "anna")) end)
        end
    "#;
    let with_limit =
        |json: &mut String| *json = json.replacen('{', "{ \"limits\": { \"handlersPerOwner\": 2 },", 1);
    let mut run = setup_with(&[("level.lua", level)], with_limit).unwrap();
    run.tick(2);
    assert_eq!(run.taken(), ["2: false"]);
}

#[test]
fn a_behaviour_has_the_board_of_its_character() {
    let anna = r#"
        local b = {}
        function b:start() self.blackboard:watch("mood", "felt") end
        function b:felt(news) log.info("%s feels %s", self.character.name, news.value) end
        function b:run()
            local key, value = task.race({ mood = self.blackboard:changed("mood"), nap = function() task.sleep(1) end })
            log.info("%s %s %s", key, value, self.blackboard == self.character.blackboard)
        end
        return b
    "#;
    let level = "function onStart() timer.after(2/60, function() world.character('anna').blackboard:set('mood', 'calm') end) end";
    check(&[("anna.lua", anna), ("level.lua", level)], 3, &["2: anna feels calm", "2: mood calm true"]);
}

#[test]
fn boards_are_part_of_the_hash() {
    let hash = |body: &str| {
        let text = format!("function onStart() {body} end");
        let mut run = setup(&[("level.lua", &text)]).unwrap();
        run.tick(1);
        run.game.fingerprint()
    };
    let base = hash("blackboard.level:set('a', 1)");
    assert_eq!(base, hash("blackboard.level:set('a', 1)"));
    for other in [
        "blackboard.level:set('a', 2)",
        "blackboard.level:set('a', 1, { ttl = 9 })",
        "blackboard.group('x'):set('a', 1)",
    ] {
        assert_ne!(base, hash(other), "{other}");
    }
}

#[test]
fn news_is_kept_for_a_behaviour_that_is_held() {
    let anna = r#"
        local b = {}
        function b:start() blackboard.level:watch("alarm", function(news) log.info("heard %s", news.value) end) end
        return b
    "#;
    let level = r#"
        function onStart()
            cinematic.define("hold", { holds = { "anna" }, script = function(c) c:wait(4/60) end })
            cinematic.play("hold")
            timer.after(3/60, function() blackboard.level:set("alarm", 1) end)
        end
    "#;
    let mut run = setup_with(&[("anna.lua", anna), ("level.lua", level)], |_| {}).unwrap();
    run.tick(4);
    assert_eq!(run.taken(), [""; 0]);
    run.tick(3);
    assert_eq!(run.lines.len(), 1, "{:?}", run.lines);
    assert!(run.lines[0].ends_with("heard 1"), "{:?}", run.lines);
}
