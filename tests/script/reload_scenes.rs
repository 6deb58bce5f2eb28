//! Hot reload around scenes, rollbacks, timers and memory: what is kept, what ends, what goes back.
//!
//! Method: as in `reload`, whose little level these run on.

use walkon_runtime::base::value::Plain;
use walkon_runtime::game::Game;
use walkon_runtime::game::inputs::Input;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::level::{MemorySource, load, spawn};
use walkon_runtime::script::host::{ScriptHost, ScriptSetup};
use walkon_runtime::script::state::test_run::TestState;

use crate::script::reload::{Run, diary};

/// The texts of lines without their ticks.
fn said(run: &mut Run) -> Vec<String> {
    let text = |line: String| line.split_once(": ").map(|(_, text)| text.to_owned());
    run.taken().into_iter().filter_map(text).collect()
}

fn held(run: &Run) -> bool {
    let world = run.game.world();
    world.character(world.find_character("anna").unwrap()).unwrap().held.is_some()
}

/// A scene that holds anna for a while; `extra` are further fields.
fn talk(word: &str, extra: &str) -> String {
    format!(
        r#"return {{ holds = {{ "anna" }}, {extra}
        script = function(c, args) log.info("{word} begins %d", args.gold) c:wait(0.2) log.info("{word} ends") end,
        onEnd = function(info) log.info("{word} over %s", info.outcome) end }}"#
    )
}

const PLAYS: &str = r#"function onStart()
    task.spawn(function()
        log.info("waited %s", cinematic.play("talk", { gold = 3 }):wait().outcome)
    end)
end"#;

#[test]
fn fault_e13_a_scene_that_says_so_begins_again_on_the_new_code_with_its_arguments() {
    let restart = "onReload = \"restart\",";
    let anna = "local b = {} function b:update() log.info(\"anna acts\") end return b";
    let mut run = Run::of(&[("level.lua", PLAYS), ("talk.lua", &talk("old", restart)), ("anna.lua", anna)]);
    run.ticks(5);
    run.taken();
    run.reload(&[("talk.lua", &talk("new", restart))]);
    assert!(held(&run));
    assert_eq!(said(&mut run), ["old over cancelled", "new begins 3", "waited cancelled"]);
    run.ticks(8);
    assert_eq!(said(&mut run), Vec::<String>::new(), "anna stands still");
    run.ticks(10);
    let lines = said(&mut run);
    assert_eq!(lines[..3], ["new ends", "new over finished", "anna acts"]);
    assert!(!held(&run));
    assert_eq!(run.facts("cinematicStarted").len(), 2);
    assert_eq!(run.facts("cinematicEnded").len(), 2);
    assert_eq!(run.game.scripts().unwrap().stale_closures(), 0);
    assert_eq!(run.game.fault_count(), 0);
}

#[test]
fn fault_e13_a_scene_under_way_keeps_the_old_code_when_the_new_file_is_no_scene_it_can_begin() {
    let restart = "onReload = \"restart\",";
    let bad = [
        ("return { onReload = \"restart\" }".to_owned(), "script is nil, expected a function"),
        (talk("new", restart).replace("\"anna\"", "\"nobody\""), "there is no such character"),
        (talk("new", "onReload = \"again\","), "onReload is \"again\", expected \"finish\" or \"restart\""),
    ];
    for (text, message) in bad {
        let mut run = Run::of(&[("level.lua", PLAYS), ("talk.lua", &talk("old", restart))]);
        run.ticks(5);
        run.taken();
        run.reload(&[("talk.lua", &text)]).ticks(20);
        let lines = run.taken();
        assert!(lines[0].starts_with("6- talk.lua:1: ") && lines[0].contains(message), "{lines:?}");
        assert!(lines[1].ends_with("old ends") && lines[3].ends_with("waited finished"), "{lines:?}");
        assert_eq!(run.game.fault_count(), 0);
    }
}

#[test]
fn a_scene_of_a_level_script_begins_again_when_that_defines_it_anew() {
    let level = |word: &str| {
        format!(
            r#"function onStart(why)
                cinematic.define("nod", {{ onReload = "restart", holds = {{ "anna" }},
                    script = function(c) log.info("{word} begins") c:wait(0.1) log.info("{word} ends") end }})
                if why == "start" then cinematic.play("nod") end
            end"#
        )
    };
    let mut run = Run::of(&[("level.lua", &level("old"))]);
    run.ticks(3).reload(&[("level.lua", &level("new"))]).ticks(20);
    assert_eq!(said(&mut run), ["old begins", "new begins", "new ends"]);
    assert!(!held(&run));
}

#[test]
fn a_behaviour_that_a_scene_holds_reloads_stands_still_and_goes_on_with_the_new_code() {
    let text = |word: &str| {
        diary(
            word,
            &format!(
                r#"function b:run() log.info("{word} run") task.sleep(9) end
                function b:update() if not self.told then self.told = true log.info("{word} update") end end"#
            ),
        )
    };
    let old = text("old");
    let mut run = Run::of(&[("level.lua", PLAYS), ("talk.lua", &talk("scene", "")), ("anna.lua", &old)]);
    run.ticks(5);
    run.taken();
    run.reload(&[("anna.lua", &text("new"))]);
    assert!(held(&run));
    assert_eq!(said(&mut run), ["old stop reload", "new start reload 2"]);
    run.ticks(20);
    let lines = said(&mut run);
    assert_eq!(lines[..2], ["scene ends", "scene over finished"], "{lines:?}");
    assert!(lines.contains(&"new run".to_owned()) && lines.contains(&"new update".to_owned()), "{lines:?}");
    assert!(!lines.iter().any(|line| line.starts_with("old")), "{lines:?}");
    assert!(!held(&run));
}

#[test]
fn timers_with_named_handlers_go_on_with_the_new_code_and_those_with_functions_end() {
    let text = |word: &str| {
        diary(
            word,
            &format!(
                r#"function b:beat() log.info("{word} beat") end
                function b:start(why)
                    if why == "attach" then
                        timer.every(0.1, "beat")
                        timer.after(0.3, function() log.info("function") end)
                    end
                end"#
            ),
        )
    };
    let mut run = Run::of(&[("anna.lua", &text("old"))]);
    run.ticks(8);
    run.taken();
    run.reload(&[("anna.lua", &text("new"))]).ticks(20);
    let lines = said(&mut run);
    assert_eq!(lines, ["old stop reload", "new beat", "new beat", "new beat"][..], "every six ticks");
}

/// Remembers on boards and draws random numbers; `extra` stands in `start`.
fn dicer(extra: &str) -> String {
    format!(
        r#"local b = {{}}
        function b:init() self.blackboard:set("mood", "calm") end
        function b:start(why)
            {extra}
            event.on("ask", function()
                log.info("%s %s %d %d %d", self.blackboard:get("mood"), tostring(self.blackboard:get("new")),
                    self.rng:int(1, 1000000), rng.stream("loot"):int(1, 1000000), math.random(1000000))
            end)
        end
        return b"#
    )
}

#[test]
fn a_reload_that_is_taken_back_restores_boards_and_random_streams() {
    let level = r#"function onStart()
        world.character("anna").blackboard:watch("mood", function(e) log.info("mood %s", tostring(e.value)) end)
    end"#;
    let bad = dicer(
        r#"if why == "reload" then
            self.blackboard:set("mood", "angry") self.blackboard:set("new", 1)
            blackboard.group("pack"):set("x", 1)
            self.rng:int(1, 9) rng.stream("loot"):int(1, 9) math.random()
            error("no")
        end"#,
    );
    let old = dicer("");
    let play = |reloads: bool| {
        let mut run = Run::of(&[("level.lua", level), ("anna.lua", &old)]);
        run.ticks(2).input(&[Input::event("ask")]);
        run.taken();
        if reloads {
            run.reload(&[("anna.lua", &bad)]);
            let lines = run.taken();
            assert!(lines.iter().any(|line| line.ends_with(": no")), "{lines:?}");
        } else {
            run.ticks(1);
        }
        let random = run.game.fingerprint().random;
        run.input(&[Input::event("ask")]);
        (said(&mut run), random)
    };
    let (lines, random) = play(true);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("calm nil "), "{lines:?}");
    assert_eq!((lines, random), play(false));
}

#[test]
fn fault_e19_a_thousand_reloads_of_everything_in_use_keep_nothing() {
    let anna = |turn: u32| {
        format!(
            r#"local b = {{ turn = {turn}, big = table.create(500, {turn}) }}
            function b:start(why)
                event.on("bell", function() self.heard = b.big end)
                region.onEnter("corner", function() self.inside = b.big end)
                self.blackboard:watch("mood", function() self.mood = b.big end)
                timer.every(1, function() self.big = b.big end)
                if why == "attach" then self:go() end
            end
            function b:go() self.character:walkTo(self.character.position.x > 9 and "post" or "far", {{ onSettled = "go" }}) end
            function b:run() while true do task.sleep(1) end end
            return b"#
        )
    };
    let scene = |turn: u32| format!("{} -- {turn}", talk("x", "onReload = \"restart\",").replace("0.2", "9"));
    let level = PLAYS;
    let mut run = Run::of(&[("level.lua", level), ("talk.lua", &scene(0)), ("ben.lua", &anna(0))]);
    let measure = |run: &mut Run, from: u32, count: u32| {
        for turn in from..from + count {
            let both = [("ben.lua", anna(turn)), ("talk.lua", scene(turn))];
            run.reload(&both.each_ref().map(|(path, text)| (*path, text.as_str())));
            if turn % 100 == 0 {
                run.forget();
            }
        }
        run.game.scripts().unwrap().used_memory()
    };
    let before = measure(&mut run, 1, 20);
    let after = measure(&mut run, 21, 1000);
    assert_eq!(run.game.reload_count(), 1020);
    assert!(after < before + 256 * 1024, "{before} {after}");
    assert_eq!(run.game.scripts().unwrap().stale_closures(), 0);
    assert_eq!(run.game.fault_count(), 0);
    assert!(held(&run));
}

#[test]
fn the_hash_that_a_level_test_reads_at_the_end_of_a_tick_is_the_one_of_the_trace_also_after_reloads() {
    let test = r#"test.level("it", { level = "courtyard" }, function(t)
        local seen = {}
        t:always(function() seen[#seen + 1] = t:hash() end)
        t:ticks(3)
        t:reload({ ["level.lua"] = "function onStart() state.word = 'new' end" })
        t:ticks(3)
        t:reload({ ["level.lua"] = "function onStart(" })
        t:ticks(3)
        return seen
    end)"#;
    let source = MemorySource::new().with("courtyard.json", crate::script::script_api::LEVEL);
    let world = spawn::build(load("courtyard.json", &source).unwrap(), None).world;
    let texts = [("level.lua", "function onStart() state.word = 'old' end"), ("room_test.lua", test)];
    let texts = texts.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    let setup = ScriptSetup { texts, level_script: Some("level.lua".to_owned()), ..ScriptSetup::default() };
    let mut scripts = ScriptHost::new(setup, world.settings(), world.seed()).unwrap();
    scripts.set_test("room_test.lua", 0, None).unwrap();
    let options = RecordOptions { trace: true, hash_every: 1, ..RecordOptions::default() };
    let mut game = Game::with_scripts(world, scripts, Recorder::new(options)).unwrap();
    let mut traced = Vec::new();
    let seen = loop {
        for line in game.tick(&[]).lines {
            let fact: serde_json::Value = serde_json::from_str(&line).unwrap();
            traced.extend(fact["hash"].as_str().map(str::to_owned));
        }
        match game.scripts().unwrap().test_state() {
            TestState::Running if traced.len() < 100 => {}
            TestState::Returned(Ok(Some(Plain::List(seen)))) => break seen,
            other => panic!("{other:?}"),
        }
    };
    let seen: Vec<String> = seen
        .into_iter()
        .map(|hash| match hash {
            Plain::Text(hash) => hash,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(seen.len() > 9, "{seen:?}");
    assert_eq!(game.reload_count(), 1);
    assert_eq!(seen, traced[..seen.len()]);
}

/// Law: code that is refused leaves the old code as able to begin as code that is taken: whatever it makes
/// at its start, it makes again, scenes that are under way among it.
#[test]
fn old_code_makes_its_scenes_again_while_they_are_under_way() {
    let scene = |word: &str| {
        format!(
            r#"cinematic.define("talk", {{ holds = {{ "carl" }}, script = function(c) c:wait(0.5) log.info("{word} is over") end }})"#
        )
    };
    let level = |word: &str, tail: &str| {
        format!(
            r#"function onStart(why)
                {}
                if why == "start" then cinematic.play("talk") end
                timer.every(0.1, "alive")
                {tail}
            end
            function alive() log.info("alive {word}") end"#,
            scene(word)
        )
    };
    let anna = |word: &str, tail: &str| {
        format!(
            r#"local b = {{}}
            function b:start(why)
                {}
                if why == "attach" then cinematic.play("talk") end
                timer.every(0.1, "alive")
                {tail}
            end
            function b:alive() log.info("alive {word}") end
            return b"#,
            scene(word)
        )
    };
    for file in ["level.lua", "anna.lua"] {
        let text = |word: &str, tail: &str| match file {
            "anna.lua" => anna(word, tail),
            _ => level(word, tail),
        };
        let mut run = Run::of(&[(file, &*text("old", ""))]);
        run.ticks(5);
        for wrong in ["error('oops')", "cinematic.define('other', { script = print }) error('oops')"] {
            run.taken();
            run.reload(&[(file, &*text("wrong", wrong))]);
            let lines = run.taken();
            let refusals: Vec<_> = lines.iter().filter(|line| line.contains("- ")).collect();
            assert!(refusals.len() == 1 && refusals[0].ends_with(": oops"), "{lines:?}");
        }
        run.ticks(10);
        assert!(said(&mut run).contains(&"alive old".to_owned()));
        assert!(run.facts("cinematicEnded").is_empty(), "the scene goes on");
        run.ticks(30);
        assert!(said(&mut run).contains(&"old is over".to_owned()));
        run.reload(&[(file, &*text("new", ""))]).ticks(10);
        assert!(said(&mut run).contains(&"alive new".to_owned()));
        assert_eq!(run.game.fault_count(), 0, "{file}");
    }
}

#[test]
fn what_a_scene_kept_from_a_behaviour_is_heard_before_what_comes_in_the_tick_of_its_end() {
    // Whoever ends the scene, and however much fuel the tick has: in the order in which it was emitted.
    let level = r#"function onStart()
            cinematic.define("s", { holds = { "anna" }, script = function(c) c:wait(0.5) end })
            local scene = cinematic.play("s")
            event.on("now", function(event) if event.n == 30 then scene:cancel() end end)
        end
        function onTick()
            if level.tick >= 20 and level.tick <= 40 then event.emit("now", { n = level.tick }) end
        end"#;
    for handler in
        ["event.on(\"now\", function(event) self:hear(event) end)", "event.on(\"now\", \"hear\")", ""]
    {
        let on = if handler.is_empty() {
            "b.on = { now = function(self, event) self:hear(event) end }"
        } else {
            ""
        };
        let extra = format!(
            "function b:hear(event) log.info(\"%d\", event.n) end {on}
            function b:run() {handler} end"
        );
        let mut run = Run::of(&[("level.lua", level), ("anna.lua", &diary("anna", &extra))]);
        run.ticks(60);
        let heard: Vec<u64> = said(&mut run).iter().filter_map(|line| line.parse().ok()).collect();
        assert_eq!(heard, (20..=40).collect::<Vec<u64>>(), "{handler}");
        assert_eq!(run.game.fault_count(), 0);
    }
}
