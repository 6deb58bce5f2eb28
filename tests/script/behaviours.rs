//! Behaviours and what they have of their own: parameters, turns of `update`, what stands still while a
//! character is held, random streams, state.

use walkon_runtime::game::event::Event;
use walkon_runtime::game::inputs::{Input, Reload};

use crate::script::script_flow::{Run, check, check_start, setup, setup_with, told};

/// The level with parameters for the behaviour of anna.
fn with_params(files: &[(&str, &str)], params: &str) -> Result<Run, String> {
    let given = format!("\"behaviour\": \"anna.lua\", \"params\": {params}");
    setup_with(files, |json| *json = json.replace("\"behaviour\": \"anna.lua\"", &given))
        .map_err(|error| error.to_string())
}

/// Changes scripts while the level runs; why they were refused, if they were.
fn reload(run: &mut Run, files: &[(&str, &str)]) -> Option<String> {
    let scripts = files.iter().map(|(name, text)| ((*name).to_owned(), Some((*text).to_owned()))).collect();
    let recorded = run.game.tick(&[Input::Reload(Reload { scripts, level: None })]);
    run.lines.extend(told(&recorded.lines));
    recorded.events.into_iter().find_map(|event| match event {
        Event::ReloadRefused { message, .. } => Some(message),
        _ => None,
    })
}

/// A behaviour that declares the parameter `p` so, and tells its value.
fn declares(declared: &str) -> String {
    format!(
        "return {{ params = {{ p = {{ {declared} }} }}, start = function(self) log.info(\"%s\", self.params.p) end }}"
    )
}

#[test]
fn parameters_of_every_type_are_checked_when_the_level_loads_and_at_attach() {
    // Declared so, given so in the level and so to `attach`; what the behaviour sees, or what is wrong with
    // it.
    let cases: [(&str, &str, &str, Result<&str, &str>); 33] = [
        ("type = 'number'", "1.5", "1.5", Ok("1.5")),
        ("type = 'number'", "\"x\"", "'x'", Err("params.p is \"x\", expected a number")),
        ("type = 'number', min = 0, max = 2", "2", "2", Ok("2")),
        ("type = 'number', min = 0, max = 2", "3", "3", Err("params.p is 3, expected 0 to 2")),
        ("type = 'number', min = 1", "0.5", "0.5", Err("params.p is 0.5, expected 1 or more")),
        ("type = 'number', max = 1", "2", "2", Err("params.p is 2, expected 1 or less")),
        ("type = 'number', oneOf = { 1, 2 }", "2", "2", Ok("2")),
        ("type = 'number', oneOf = { 1, 2 }", "3", "3", Err("params.p is 3, expected one of 1, 2")),
        ("type = 'integer'", "2", "2", Ok("2")),
        ("type = 'integer'", "2.5", "2.5", Err("params.p is 2.5, expected a whole number")),
        ("type = 'boolean'", "false", "false", Ok("false")),
        ("type = 'boolean'", "0", "0", Err("params.p is 0, expected true or false")),
        ("type = 'string'", "\"a\"", "'a'", Ok("a")),
        ("type = 'string'", "true", "true", Err("params.p is true, expected a text")),
        ("type = 'string', oneOf = { 'a' }", "\"b\"", "'b'", Err("params.p is \"b\", expected one of \"a\"")),
        ("type = 'vector'", "[1, 2]", "{ 1, 2 }", Ok("1, 0, 2")),
        ("type = 'vector'", "[1, 3, 2]", "vector.create(1, 3, 2)", Ok("1, 3, 2")),
        (
            "type = 'vector'",
            "[1]",
            "{ 1 }",
            Err("params.p is a list, expected a vector: [x, z] or [x, y, z]"),
        ),
        ("type = 'mark'", "\"post\"", "'post'", Ok("post")),
        (
            "type = 'mark'",
            "\"pots\"",
            "'pots'",
            Err("params.p: unknown mark \"pots\"; did you mean \"post\"?"),
        ),
        ("type = 'mark'", "[1, 2]", "{ 1, 2 }", Err("params.p is a list, expected the name of a mark")),
        ("type = 'route'", "\"rounds\"", "'rounds'", Ok("rounds")),
        ("type = 'route'", "\"post\"", "'post'", Err("params.p: unknown route \"post\"")),
        ("type = 'area'", "\"hall\"", "'hall'", Ok("hall")),
        ("type = 'area'", "\"hal\"", "'hal'", Err("params.p: unknown area \"hal\"; did you mean \"hall\"?")),
        ("type = 'region'", "\"corner\"", "'corner'", Ok("corner")),
        ("type = 'region'", "\"hall\"", "'hall'", Err("params.p: unknown region \"hall\"")),
        ("type = 'door'", "\"gate\"", "'gate'", Ok("gate")),
        (
            "type = 'door'",
            "\"gates\"",
            "'gates'",
            Err("params.p: unknown door \"gates\"; did you mean \"gate\"?"),
        ),
        ("type = 'character'", "\"carl\"", "'carl'", Ok("carl")),
        (
            "type = 'character'",
            "\"karl\"",
            "'karl'",
            Err("params.p: unknown character \"karl\"; did you mean \"carl\"?"),
        ),
        ("type = 'any'", "true", "true", Ok("true")),
        ("type = 'number', default = 1", "{}", "{}", Err("params.p is a table, expected a number")),
    ];
    for (declared, in_level, to_attach, expected) in cases {
        let case = format!("{declared} given {in_level}");
        let behaviour = declares(declared);
        let at_load = with_params(&[("anna.lua", &behaviour)], &format!("{{ \"p\": {in_level} }}"));
        let seen = at_load.map(|run| run.lines);
        let refused = expected.map_err(|what| format!("character \"anna\": behaviour \"anna\": {what}"));
        assert_eq!(seen, refused.map(|shown| vec![format!("0: {shown}")]), "at load: {case}");

        let level = format!(
            "function onStart() local ok, what = pcall(function() world.character('ben'):attach('new', {{ p = {to_attach} }}) end) if not ok then log.info('%s', what) end end"
        );
        let mut run = setup(&[("level.lua", &level), ("new.lua", &behaviour)]).unwrap();
        run.tick(1);
        let expected = match expected {
            Ok(shown) => format!("1: {shown}"),
            Err(what) => format!("0: level.lua:1: attach: {what}"),
        };
        assert_eq!(run.lines, [expected], "at attach: {case}");
    }
}

#[test]
fn parameters_left_out_have_their_default_or_are_nil_or_missing() {
    let seen = |declared: &str| with_params(&[("anna.lua", &declares(declared))], "{}").map(|run| run.lines);
    assert_eq!(seen("type = 'string', default = 'a'"), Ok(vec!["0: a".to_owned()]));
    assert_eq!(seen("type = 'boolean', default = false"), Ok(vec!["0: false".to_owned()]));
    assert_eq!(seen("type = 'door', optional = true"), Ok(vec!["0: nil".to_owned()]));
    let start = "character \"anna\": behaviour \"anna\": ";
    assert_eq!(
        seen("type = 'door'"),
        Err(format!("{start}params.p is missing, expected the name of a door"))
    );
    let unknown = "type = 'door', default = 'gates'";
    let what = "params.p: unknown door \"gates\"; did you mean \"gate\"?";
    assert_eq!(seen(unknown), Err(format!("{start}{what}")));
    let other = with_params(&[("anna.lua", &declares("type = 'number', optional = true"))], "{ \"q\": 1 }");
    assert_eq!(other.err(), Some(format!("{start}unknown parameter \"q\"")));
}

#[test]
fn a_declaration_that_is_wrong_is_refused_with_the_file() {
    let refused =
        |declared: &str| setup(&[("anna.lua", &declares(declared))]).err().map(|error| error.to_string());
    let cases = [
        ("type = 'number', default = 'a'", "params.p is \"a\", expected a number"),
        ("type = 'number', default = 9, max = 3", "params.p is 9, expected 3 or less"),
        (
            "type = 'string', default = 'c', oneOf = { 'a', 'b' }",
            "params.p is \"c\", expected one of \"a\", \"b\"",
        ),
        (
            "type = 'number', defualt = 1",
            "params.p has an unknown key \"defualt\"; did you mean \"default\"?",
        ),
        ("type = 'number', min = 'a'", "params.p.min is \"a\", expected a number"),
        ("type = 'number', optional = 'yes'", "params.p.optional is \"yes\", expected true or false"),
        ("type = 'string', oneOf = 'a'", "params.p.oneOf is not a list, expected values to choose from"),
        (
            "type = 'float'",
            "params.p.type is \"float\", expected one of number, integer, boolean, string, vector, mark, route, area, region, door, character, any",
        ),
    ];
    for (declared, what) in cases {
        assert_eq!(refused(declared), Some(format!("behaviour \"anna.lua\": {what}")), "{declared}");
    }
}

#[test]
fn a_reload_whose_parameters_do_not_fit_changes_nothing() {
    let mut run = with_params(&[("anna.lua", &declares("type = 'number'"))], "{ \"p\": 5 }").unwrap();
    run.tick(1);
    let what = reload(&mut run, &[("anna.lua", &declares("type = 'number', max = 3"))]).unwrap();
    assert_eq!((run.game.reload_count(), run.game.fault_count()), (0, 0));
    assert!(what.contains("params.p is 5, expected 3 or less"), "{what}");
    reload(&mut run, &[("anna.lua", &declares("type = 'number', min = 5"))]);
    assert_eq!(run.lines, ["0: 5", "3: 5"]);
}

#[test]
fn a_self_has_its_character_name_board_log_and_read_only_parameters() {
    let anna = r#"
        local b = { params = { list = { type = "any", default = { 1, 2 } } } }
        function b:start()
            self.mine = self.character
            self.log.info("%s %s %s", self.name, self.mine.name, self.blackboard == self.character.blackboard)
            log.info("%s", (pcall(function() self.params.list = 1 end)))
            log.info("%s", (pcall(function() self.params.list[1] = 9 end)))
            log.info("%s", (pcall(function() b.other = 1 end)))
            log.info("%s %s", self.character.behaviour == self, typeof(self.rng))
        end
        return b
    "#;
    let expected = ["0: anna anna true", "0: false", "0: false", "0: false", "0: true Rng"];
    check(&[("anna.lua", anna)], 0, &expected);
}

#[test]
fn updates_every_n_ticks_are_spread_by_character() {
    let text = r#"return { updateEvery = 3, update = function(self, dt) log.info("%s %.2f", self.character.name, dt * 60) end }"#;
    let expected = ["1: ben 3.00", "2: anna 3.00", "4: ben 3.00", "5: anna 3.00"];
    check(&[("anna.lua", text), ("ben.lua", text)], 6, &expected);
}

/// A scene that holds anna for so many ticks from the end of tick `from`.
fn hold(from: u32, ticks: u32, more: &str) -> String {
    format!(
        r#"
        function onStart()
            cinematic.define("hold", {{ holds = {{ "anna" }}, script = function(c) c:wait({ticks}/60) end,
                onEnd = function() log.info("released") end }})
            timer.after({from}/60, function() cinematic.play("hold") end)
            {more}
        end
        "#
    )
}

#[test]
fn timers_tasks_predicates_and_updates_stand_still_while_the_character_is_held() {
    let anna = r#"
        local b = {}
        function b:start()
            timer.every(2/60, function() log.info("timer") end)
            self.late = timer.after(8/60, function() log.info("late") end)
            region.when(function() if level.tick > 4 and level.tick < 14 then log.info("never") end return false end, {})
        end
        function b:run()
            task.spawn(function() task.waitUntil(function() if level.tick > 4 and level.tick < 14 then log.info("never") end return false end) end)
            log.info("%s", task.waitEvent("bell", { timeout = 8/60 }))
            while true do task.ticks(3) log.info("task") end
        end
        function b:update() if level.tick > 4 and level.tick < 14 then log.info("never") end end
        return b
    "#;
    let more = r#"
        local anna = world.character("anna")
        timer.after(5/60, function() log.info("%.0f", anna.behaviour.late:remaining() * 60) end)
        timer.after(12/60, function() log.info("%.0f", anna.behaviour.late:remaining() * 60) end)
    "#;
    // Held from the end of tick 4 to the end of tick 14: all times are ten ticks later.
    let expected = [
        "2: timer",
        "4: timer",
        "5: 4",
        "12: 4",
        "14: released",
        "16: timer",
        "18: timer",
        "18: late",
        "19: nil",
        "20: timer",
        "22: timer",
        "22: task",
    ];
    check(&[("anna.lua", anna), ("level.lua", &hold(4, 10, more))], 23, &expected);
}

#[test]
fn a_timer_that_is_paused_or_goes_on_while_its_owner_is_held_keeps_its_rhythm() {
    let anna = r#"
        local b = {}
        function b:start() self.t = timer.every(10/60, function() log.info("turn") end) end
        return b
    "#;
    let at = |pause: u32, resume: u32| {
        let more = format!(
            r#"local function t() return world.character("anna").behaviour.t end
            timer.after({pause}/60, function() t():pause() end)
            timer.after({resume}/60, function() t():resume() log.info("%.0f", t():remaining() * 60) end)"#
        );
        let mut run = setup(&[("anna.lua", anna), ("level.lua", &hold(6, 10, &more))]).unwrap();
        run.tick(45);
        run.taken()
    };
    // Paused before the hold, resumed after it: fifteen ticks late.
    assert_eq!(at(5, 20), ["16: released", "20: 5", "25: turn", "35: turn", "45: turn"]);
    // Paused while it is held, resumed after it: fourteen.
    assert_eq!(at(9, 20), ["16: released", "20: 4", "24: turn", "34: turn", "44: turn"]);
    // Paused before the hold, resumed in it: eleven.
    assert_eq!(at(5, 9), ["9: 5", "16: released", "21: turn", "31: turn", "41: turn"]);
    // Both in it: ten.
    assert_eq!(at(8, 12), ["12: 4", "16: released", "20: turn", "30: turn", "40: turn"]);
}

#[test]
fn a_held_behaviour_hears_the_last_64_events_and_a_warning_says_what_it_missed() {
    let anna = r#"
        local b = { on = {} }
        function b.on:bell(e) log.info("%d", e.n) end
        function b:run() while true do log.info("waited %d", task.waitEvent("bell").n) end end
        return b
    "#;
    let more = r#"timer.after(4/60, function() for n = 1, 70 do event.emit("bell", { n = n }) end end)
        timer.after(5/60, function() world.character("anna"):walkTo(3, 3) end)"#;
    let mut run = setup(&[("anna.lua", anna), ("level.lua", &hold(2, 6, more))]).unwrap();
    run.tick(7);
    assert_eq!(run.taken(), [""; 0]);
    run.tick(3);
    let texts: Vec<&str> = run.lines.iter().filter_map(|line| Some(line.split_once(": ")?.1)).collect();
    let heard: Vec<u32> = texts.iter().filter_map(|text| text.parse().ok()).collect();
    assert_eq!(heard, (7..=70).collect::<Vec<u32>>());
    let waited: Vec<&&str> = texts.iter().filter(|text| text.starts_with("waited")).collect();
    assert_eq!(waited, [&"waited 1"]);
    let warning = "behaviour \"anna\" of \"anna\" was held, or reloaded amid its events: the oldest of them were dropped (6), the last 64 are kept";
    assert!(texts.contains(&warning), "{texts:#?}");
}

#[test]
fn a_held_behaviour_hears_of_the_last_64_stops_of_a_patrol_and_a_warning_says_what_it_missed() {
    let anna = r#"return { start = function(self)
        world.character("ben"):patrol({ vector.create(3, 0, 8), vector.create(3, 0, 9) },
            { onStop = function() log.info("stop") end })
    end }"#;
    let mut run = setup(&[("anna.lua", anna), ("level.lua", &hold(2, 8000, ""))]).unwrap();
    run.tick(8000);
    run.taken();
    run.tick(4);
    let told = run.taken();
    let stops = told.iter().filter(|line| line.ends_with(": stop")).count();
    assert!((64..=65).contains(&stops), "{stops} stops are told of");
    let is_warning = |line: &&String| {
        line.contains("was held, or reloaded amid its events: the oldest of them were dropped (")
    };
    assert_eq!(told.iter().filter(is_warning).count(), 1, "{told:#?}");
}

#[test]
fn a_behaviour_attached_to_a_held_character_begins_and_its_run_waits_for_the_release() {
    let new = r#"return { start = function() log.info("start") timer.after(2/60, function() log.info("timer") end) end,
        run = function() log.info("run") end }"#;
    let more = "timer.after(4/60, function() world.character('anna'):attach('new') end)";
    let expected = ["4: start", "8: released", "8: run", "10: timer"];
    check(&[("new.lua", new), ("level.lua", &hold(2, 6, more))], 12, &expected);
}

#[test]
fn what_was_kept_for_a_behaviour_is_heard_before_its_run_begins() {
    let new = r#"return { on = { bell = function(self) self.state.bell = true log.info("bell") end },
        run = function(self) log.info("run %s", self.state.bell) end }"#;
    let ends = ["c:wait(0.2)", "c:wait(5)", "task.waitEvent('over')"];
    let over = [
        "",
        "timer.after(12/60, function() scene:cancel() end)",
        "timer.after(12/60, function() event.emit('over') end)",
    ];
    for (end, over) in ends.into_iter().zip(over) {
        let level = format!(
            r#"function onStart()
                cinematic.define("s", {{ holds = {{ "anna" }}, script = function(c) {end} end }})
                local scene = cinematic.play("s")
                timer.after(3/60, function() world.character("anna"):attach("new") end)
                timer.after(6/60, function() event.emit("bell") end)
                {over}
            end"#
        );
        let mut run = setup(&[("new.lua", new), ("level.lua", &level)]).unwrap();
        run.tick(30);
        let lines: Vec<&str> =
            run.lines.iter().filter_map(|line| line.split_once(": ")).map(|(_, said)| said).collect();
        let heard: Vec<&str> =
            lines.into_iter().filter(|said| *said == "bell" || said.starts_with("run ")).collect();
        assert_eq!(heard, ["bell", "run true"], "{end}: {:?}", run.lines);
    }
}

#[test]
fn stop_is_told_why_once() {
    let text = r#"return { stop = function(self, why) log.info("%s %s", self.character.name, why) end,
        update = function(self) if self.character.name == "anna" and level.tick < 4 then error("x") end end }"#;
    let level = "function onStart() timer.after(5/60, function() world.character('ben'):despawn() end) end";
    let mut run = setup(&[("anna.lua", text), ("ben.lua", text), ("level.lua", level)]).unwrap();
    run.tick(6).end();
    run.lines.retain(|line| !line.contains('!'));
    assert_eq!(run.lines, ["3: anna fault", "5: ben despawned"]);
    let mut run = setup(&[("anna.lua", "return {}"), ("ben.lua", text)]).unwrap();
    run.tick(1);
    reload(&mut run, &[("ben.lua", &format!("{text} --"))]);
    run.end();
    assert_eq!(run.lines, ["2: ben reload", "2: ben levelEnd"]);
}

#[test]
fn the_numbers_of_a_behaviour_depend_on_seed_character_and_behaviour_alone() {
    let text = r#"return { update = function(self) log.info("%s %d", self.character.name, self.rng:int(1, 1000000)) end }"#;
    let draws = |who: &str, level: &str, seed: &str| {
        let files = [("anna.lua", text), ("ben.lua", text), ("level.lua", level)];
        let mut run = setup_with(&files, |json| *json = json.replace("\"seed\": 7", seed)).unwrap();
        run.tick(4);
        let own = run.lines.iter().filter_map(|line| line.split_once(": ")?.1.strip_prefix(who));
        own.map(str::to_owned).collect::<Vec<_>>()
    };
    let alone = draws("anna ", "", "\"seed\": 7");
    let newcomer = r#"function onStart() world.spawn({ name = "dora", at = "far", behaviour = "anna" }) math.random() rng.stream("x"):float() end"#;
    assert_eq!(alone.len(), 4);
    assert_eq!(alone, draws("anna ", newcomer, "\"seed\": 7"));
    assert_eq!(draws("dora ", newcomer, "\"seed\": 7").len(), 3);
    assert_ne!(alone[..3], draws("dora ", newcomer, "\"seed\": 7"));
    assert_ne!(alone, draws("ben ", newcomer, "\"seed\": 7"));
    assert_ne!(alone, draws("anna ", "", "\"seed\": 8"));
}

#[test]
fn every_file_has_a_stream_of_its_own_and_seeding_raises() {
    let module = "return { draw = function() return math.random(1, 1000000) end }";
    let level = |also: &str| {
        format!(
            "local m = require('module') function onStart() for n = 1, 3 do {also} log.info('%d', math.random(1, 1000000)) end end"
        )
    };
    let draws = |also: &str| setup(&[("level.lua", &level(also)), ("module.lua", module)]).unwrap().lines;
    assert_eq!(draws(""), draws("m.draw()"));
    assert_ne!(draws(""), draws("math.random()"));
    let lines = setup(&[(
        "level.lua",
        "function onStart() log.info('%s', select(2, pcall(math.randomseed, 1))) end",
    )]);
    let lines = lines.unwrap().lines;
    assert!(lines[0].starts_with("0: level.lua:1: math.randomseed: "), "{lines:?}");
}

#[test]
fn draws_keep_to_their_bounds_and_refuse_wrong_ones() {
    check_start(
        r#"
        local r = rng.stream("loot")
        local inside, ends = true, {}
        for n = 1, 300 do
            local x, y, i = r:float(), r:float(2, 3), r:int(1, 3)
            inside = inside and x >= 0 and x < 1 and y >= 2 and y < 3
            ends[i] = true
        end
        log.info("%s %s %s %s %s", inside, ends[1], ends[2], ends[3], #ends)
        log.info("%s %s", r:chance(0), r:chance(1))
        local list = { 1, 2, 3 }
        log.info("%s %s %s", r:shuffle(list), #list, list[1] + list[2] + list[3])
        local function try(f, ...) local ok, what = pcall(f, r, ...) log.info("%s", (string.gsub(what, "^level.lua:%d+: ", ""))) end
        try(r.float, 3, 2)
        try(r.int, 2, 1)
        try(r.int, 1.5, 2)
        try(r.chance, 2)
        try(r.weighted, { { -1, "a" } })
        "#,
        0,
        &[
            "0: true true true true 3",
            "0: false true",
            "0: nil 3 6",
            "0: float: the range is 3 to 2, expected low not above high",
            "0: int: the range is 2 to 1, expected low not above high",
            "0: int: low is 1.5, expected a whole number from -9007199254740992 to 9007199254740992",
            "0: chance: p is 2, expected 0 to 1",
            "0: weighted: list[1][1] is -1, expected 0 to 1000000000",
        ],
    );
}

#[test]
fn a_state_that_is_no_plain_data_after_init_or_on_start_is_a_fault_that_names_the_key() {
    let anna = "return { init = function(self) self.state.target = { fn = print } end, start = function() log.info('starts') end }";
    let refused = setup(&[("anna.lua", anna)]).map(|run| run.lines).unwrap_err().to_string();
    let what = "self.state.target.fn is a function, expected plain data";
    assert_eq!(refused, format!("anna.lua:1: behaviour \"anna\" of \"anna\": {what}"));
    let level = "function onStart() state.target = { fn = print } log.info('%s', state.target ~= nil) end";
    let expected =
        ["0: true", "0! level.lua:1: level script: state.target.fn is a function, expected plain data"];
    assert_eq!(setup(&[("level.lua", level)]).unwrap().lines, expected);
}

#[test]
fn a_fault_in_init_refuses_the_level_and_later_switches_the_behaviour_off() {
    let faulty =
        "return { init = function(self)\n error('no') end, start = function() log.info('starts') end,
        run = function() log.info('runs') end, stop = function() log.info('stops') end }";
    let refused = setup(&[("anna.lua", faulty)]).map(|run| run.lines).unwrap_err().to_string();
    assert_eq!(refused, "anna.lua:2: no");
    let level = "function onStart() world.character('ben'):attach('new') end";
    let mut run = setup(&[("level.lua", level), ("new.lua", faulty)]).unwrap();
    run.tick(2);
    assert_eq!(run.lines, ["1! new.lua:2: no"]);
    let off = run.game.switched_off();
    assert_eq!(off.len(), 1);
    assert_eq!(off[0].owner, "behaviour \"new\" of \"ben\"");
    assert_eq!(off[0].again, "a reload of new.lua starts it again, or character:attach(\"new\")");
    run.lines.clear();
    reload(&mut run, &[("new.lua", "return { init = function() log.info('mended') end }")]);
    assert!(run.lines.contains(&"3: mended".to_owned()), "{:?}", run.lines);
    assert!(run.game.switched_off().is_empty());
}

#[test]
fn code_that_is_switched_off_says_what_starts_it_again() {
    let anna = "return { update = function() error('no') end }";
    let level = "function onTick() error('nor this') end";
    let mut run = setup(&[("anna.lua", anna), ("level.lua", level)]).unwrap();
    run.tick(5);
    let owners: Vec<String> = run.game.switched_off().into_iter().map(|off| off.owner).collect();
    assert_eq!(owners, ["level script", "behaviour \"anna\" of \"anna\""]);
    assert_eq!(run.game.fault_count(), 6);
    reload(&mut run, &[("anna.lua", "return {}"), ("level.lua", "function onTick() end")]);
    assert!(run.game.switched_off().is_empty());
}

#[test]
fn large_states_and_many_states_are_looked_at_in_turn_and_mistakes_are_found_all_the_same() {
    // A state of a few thousand entries leaves a debt of some ticks; what is wrong is found when that is
    // paid.
    let anna = "return { init = function(self) for i = 1, 6000 do self.state[i] = i end end,
        update = function(self) if level.tick == 5 then self.state[3] = print end end }";
    let mut run = setup(&[("anna.lua", anna)]).unwrap();
    run.tick(40);
    let found: Vec<&String> =
        run.lines.iter().filter(|line| line.contains("self.state[3] is a function")).collect();
    assert_eq!(found.len(), 1, "{:?}", run.lines);
}

/// Whatever an owner has registered, nothing of it runs once the character is removed, not even in the tick
/// of it.
#[test]
fn nothing_runs_of_who_was_removed_in_this_tick() {
    let anna = "local function tell(what) if state.gone then log.info(what) end end
        return { on = { alarm = function() tell('on') end }, update = function() tell('update') end,
        start = function(self)
            timer.every(1/60, function() tell('timer') end)
            event.on('alarm', function() tell('listener') end)
            region.when(function() tell('when') return false end, { onTrue = function() end })
            self.character:walkTo('far', { onSettled = function() tell('walk') end })
        end,
        run = function() while true do task.sleep(1/60) tell('run') end end,
        stop = function(self, why) log.info('stop %s', why) end }";
    let goes = "event.emit('alarm') state.gone = true world.character('anna'):despawn() event.emit('alarm')";
    // In step 3, before everything of anna's: the timer is older. In step 12, with an event before the
    // removal and one behind it.
    let in_step_3 = format!("function onStart() timer.after(0.1, function() {goes} end) end");
    let in_step_12 = format!(
        "function onStart() event.on('go', function() {goes} end) end
        function onTick() if level.tick == 4 then event.emit('go') end end"
    );
    for level in [in_step_3, in_step_12] {
        let mut run = setup(&[("anna.lua", anna), ("level.lua", &level)]).unwrap();
        run.tick(12);
        run.lines.retain(|line| !line.contains("undelivered"));
        assert_eq!(run.lines.len(), 1, "{level}: {:?}", run.lines);
        assert!(run.lines[0].ends_with(": stop despawned"), "{:?}", run.lines);
    }
}

#[test]
fn a_loop_without_a_wait_in_a_task_is_told_to_wait_and_not_to_become_a_task() {
    let run = "return { run = function() while true do end end }";
    let update = "return { update = function() while true do end end }";
    for (anna, advice) in [
        (run, "stopped after 100000 steps without a wait; wait in the loop: task.sleep, a walk"),
        (update, "stopped after 100000 steps in one callback; move the loop into a task"),
    ] {
        let mut level = setup(&[("anna.lua", anna)]).unwrap();
        level.tick(2);
        assert!(level.lines.iter().any(|line| line.ends_with(advice)), "{advice} in {:?}", level.lines);
    }
}

#[test]
fn the_state_of_a_level_is_one_table_for_all_its_scripts_and_outlives_a_reload() {
    let anna = r#"return { start = function(self, why) state.visits = (state.visits or 0) + 1 self.state.own = (self.state.own or 0) + 1
        self.gone = self.gone or why log.info("%s %d %d", self.gone, state.visits, self.state.own) end }"#;
    let level = "function onStart() state.visits = 10 end";
    let mut run = setup(&[("anna.lua", anna), ("level.lua", level)]).unwrap();
    run.tick(1);
    reload(&mut run, &[("anna.lua", &format!("{anna} --"))]);
    assert_eq!(run.lines, ["0: attach 11 1", "2: reload 12 2"]);
}

#[test]
fn an_owner_is_switched_off_after_the_end_of_another_one_and_not_within_it() {
    let shared = "local tasks = {} return { add = function(one) table.insert(tasks, one) end, \
        cancel = function() for _, one in tasks do one:cancel() end end }";
    let ben = r#"local shared = require("shared") return {
        start = function(self)
            for _ = 1, 3 do
                shared.add(task.spawn(function() task.onCancel(function() error("no") end) task.sleep(9) end))
            end
        end,
        stop = function(self, why) log.info("ben stops: %s", why) end,
    }"#;
    let anna = r#"local shared = require("shared") return {
        run = function(self) task.onCancel(function(why) log.info("anna has ended") end) task.sleep(9) end,
        stop = function(self, why) shared.cancel() end,
    }"#;
    let level = r#"function onStart()
        timer.after(0.1, function() world.character("anna"):detach() end)
    end"#;
    let files = [("level.lua", level), ("shared.lua", shared), ("ben.lua", ben), ("anna.lua", anna)];
    let mut run = setup(&files).unwrap();
    run.tick(30);
    let told = run.lines.iter().filter_map(|line| line.split_once(": ")).map(|(_, told)| told);
    let ends: Vec<&str> = told.filter(|told| told.starts_with("anna") || told.starts_with("ben")).collect();
    assert_eq!(ends, ["anna has ended", "ben stops: fault"], "{:?}", run.lines);
    assert_eq!(run.game.fault_count(), 3);
}
