//! Cinematics from their beginning to every end: watched, skipped, cancelled, faulted.
//!
//! Goal: watched and skipped leave the same world, nothing a scene takes is kept, and nothing hangs. Method:
//! whole levels with their scripts, run tick by tick; a scene is skipped or cancelled at every tick it has.

use std::collections::BTreeMap;

use serde_json::Value;
use walkon_runtime::game::inputs::Input;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::world::World;
use walkon_runtime::world::character::Character;

/// One open room with marks and a door to a second one.
const LEVEL: &str = r#"{
  "script": "level.lua", "seed": 7,
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
    { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] },
    { "name": "doorway", "polygon": [[20,9],[21,9],[21,11],[20,11]] },
    { "name": "vault", "polygon": [[21,0],[30,0],[30,20],[21,20]] },
    { "name": "island", "polygon": [[40,0],[44,0],[44,4],[40,4]] } ] },
  "doors": [ { "name": "gate", "area": "doorway", "open": false, "seconds": 0.4 } ],
  "marks": { "post": [3,3], "near": [5,3], "far": [15,3], "cell": [25,10], "away": [42,2], "inGate": [20.5,10] },
  "regions": [ { "name": "strip", "polygon": [[8,0],[10,0],[10,20],[8,20]] },
               { "name": "threshold", "polygon": [[20,9],[21,9],[21,11],[20,11]] } ],
  "characters": [
    { "name": "anna", "position": [3,3] }, { "name": "ben", "position": [3,8] },
    { "name": "carl", "position": [3,12], "player": true }, { "name": "dora", "position": [5,15] } ]
}"#;

/// A level that runs, and everything it said.
pub(super) struct Play {
    game: Game,
    pub(super) facts: Vec<Value>,
}

impl Play {
    pub(super) fn of(json: &str, scripts: BTreeMap<String, String>, is_interactive: bool) -> Self {
        let level = load("level.json", &MemorySource::new().with("level.json", json))
            .unwrap_or_else(|refused| panic!("{refused:?}"));
        let recorder = Recorder::new(RecordOptions { trace: true, ..RecordOptions::default() });
        let setup = Setup { scripts, recorder, is_interactive, ..Setup::default() };
        let game = Game::load(level, setup).unwrap_or_else(|error| panic!("{error}"));
        Self { game, facts: Vec::new() }
    }

    /// The small level with a scene `scene.lua` that returns a table with these fields, played at once as
    /// `scene`.
    pub(super) fn scene(fields: &str) -> Self {
        Self::interactive(fields, false)
    }

    fn interactive(fields: &str, is_interactive: bool) -> Self {
        let level = r#"function onStart()
            event.on("skip", function() log.info("skip %s", cinematic.running():skip()) end)
            event.on("cancel", function() cinematic.running():cancel() end)
            event.on("cinematicEnded", function(info) log.info("ended %s %s %s %s", info.outcome, info.skipped, info.mark, info.error) end)
            cinematic.play("scene")
        end"#;
        let scripts = [("level.lua", level.to_owned()), ("scene.lua", format!("return {{ {fields} }}"))];
        let scripts = scripts.map(|(name, text)| (name.to_owned(), text));
        Self::of(LEVEL, scripts.into(), is_interactive)
    }

    fn world(&self) -> &World {
        self.game.world()
    }

    fn tick(&mut self, inputs: &[Input]) {
        let recorded = self.game.tick(inputs);
        self.facts.extend(recorded.lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }

    pub(super) fn ticks(&mut self, count: u64) -> &mut Self {
        (0..count).for_each(|_| self.tick(&[]));
        self
    }

    /// One tick with the wish to skip the scene.
    pub(super) fn skip(&mut self) -> &mut Self {
        self.tick(&[Input::Skip { scene: None }]);
        self
    }

    fn is_over(&self) -> bool {
        self.facts.iter().any(|fact| fact["e"] == "cinematicEnded")
    }

    /// Runs until the scene is over; panics when it never is.
    pub(super) fn until_over(&mut self) -> &mut Self {
        for _ in 0..20_000 {
            if self.is_over() {
                return self;
            }
            self.tick(&[]);
        }
        panic!("the scene never ends: {:?}", self.facts.iter().rev().take(5).collect::<Vec<_>>());
    }

    /// What was logged, and faults.
    pub(super) fn told(&self) -> Vec<String> {
        let said = self.facts.iter().filter(|fact| fact["e"] == "log" || fact["e"] == "scriptFault");
        said.map(|fact| fact["message"].as_str().unwrap().to_owned()).collect()
    }

    pub(super) fn count(&self, kind: &str) -> usize {
        self.facts.iter().filter(|fact| fact["e"] == kind).count()
    }

    fn of_kind(&self, kind: &str, keys: &[&str]) -> Vec<String> {
        let facts = self.facts.iter().filter(|fact| fact["e"] == kind);
        facts
            .map(|fact| {
                keys.iter().map(|key| fact[*key].as_str().unwrap_or("")).collect::<Vec<_>>().join(" ")
            })
            .collect()
    }

    /// Where everybody stands, to a centimetre, and how the doors are.
    fn places(&self) -> Vec<String> {
        let people = self.world().characters().map(|(_, found)| {
            let at = found.body.position;
            format!("{} {:.2} {:.2}", found.name, at.x, at.z)
        });
        let doors =
            self.world().doors().iter().map(|door| format!("{} {}", door.name, door.shown_state().name()));
        people.chain(doors).collect()
    }

    /// Nothing is held, and every walk that began has ended once.
    fn assert_given_back(&self, what: &str) {
        for (_, character) in self.world().characters() {
            assert_eq!(character.held, None, "{what}: {} is held", character.name);
        }
        let mut begun: BTreeMap<u64, i32> = BTreeMap::new();
        for fact in &self.facts {
            let walk = fact["walk"].as_u64().unwrap_or(0);
            match fact["e"].as_str() {
                Some("walkStarted") => *begun.entry(walk).or_default() += 1,
                Some("walkSettled") => *begun.entry(walk).or_default() -= 1,
                _ => {}
            }
        }
        assert!(begun.values().all(|&open| open == 0), "{what}: walks are open or ended twice: {begun:?}");
        assert_eq!(self.count("cinematicStarted"), self.count("cinematicEnded"), "{what}");
    }
}

const HOLD: &str = r#"holds = { "anna", "ben" }, locks = { "input" },"#;

pub(super) fn script(body: &str) -> String {
    format!(
        "{HOLD} script = function(c) local anna, ben, carl, gate = world.character('anna'), world.character('ben'), world.character('carl'), world.door('gate')\n{body}\nend"
    )
}

#[test]
fn skipping_runs_the_same_code_to_its_end_within_the_tick() {
    let body = r#"c:wait(5) log.info("a") task.sleep(5) log.info("b")
        log.info("%s", c:camera("pan", { to = "far", seconds = 3 }):wait())
        c:say(anna, "line") log.info("%s", anna:face(ben):wait()) log.info("%s", anna:play("nod", { seconds = 2 }):wait())
        log.info("%s", c:choice("toll", { "pay", "refuse" }, { default = "refuse" }))
        c:cosmetic(function() log.info("never") end) c:mark("done")"#;
    let mut play =
        Play::scene(&format!("onSkip = function(c) log.info('onSkip %s', c.skipping) end, {}", script(body)));
    play.ticks(3).skip();
    let expected =
        ["onSkip true", "a", "b", "true", "true", "true", "refuse", "ended finished true done nil"];
    assert_eq!(play.told(), expected);
    assert_eq!((play.count("said"), play.count("choice")), (0, 0), "not sent to the host");
    assert_eq!(play.of_kind("camera", &["kind"]), ["pan", "reset"]);
    play.assert_given_back("skipped");
}

#[test]
fn a_scene_that_is_not_skippable_runs_at_its_own_pace() {
    let mut play = Play::scene(&format!("skippable = false, {}", script("c:wait(0.2) log.info('waited')")));
    play.ticks(2);
    play.tick(&[Input::event("skip")]);
    assert_eq!(play.told(), ["skip false"]);
    play.skip().until_over();
    let refused = "skip the scene \"scene\" may not be skipped";
    assert_eq!(play.of_kind("inputRefused", &["what", "why"]), [refused]);
    assert_eq!(play.told(), ["skip false", "waited", "ended finished false nil nil"]);
    assert!(play.world().tick().0 > 12);
}

#[test]
fn no_skip_runs_at_normal_speed_and_skipping_goes_on_afterwards() {
    let body = r#"c:wait(9) local before = level.tick
        c:noSkip(function() c:wait(0.5) c:cosmetic(function() log.info("seen") end) c:say(anna, "line", { seconds = 0.1 }) end)
        log.info("%d %s", level.tick - before, c.skipping) c:wait(9) log.info("%d", level.tick - before)
        log.info("%s", select(2, pcall(function() c:noSkip(function() error("in it") end) end)))
        c:wait(9) log.info("%d", level.tick - before)"#;
    let mut play = Play::scene(&script(body));
    play.ticks(3).skip().until_over();
    let told = play.told();
    assert_eq!(told[0], "seen");
    assert_eq!(told[1], "36 true");
    assert_eq!(told[2], "36");
    assert!(told[3].ends_with("in it"), "{told:?}");
    assert_eq!(told[4], "36");
    assert_eq!(play.count("said"), 1);
}

#[test]
fn skipped_walks_stand_at_the_end_of_their_real_way_and_doors_stay_open() {
    let body = r#"local r = c:walk(anna, "cell", { doors = "open" })
        log.info("%s %s %d", r.status, r.reason, anna.position.x)
        r = anna:walk("cell") log.info("%s", r.reason)
        r = c:walk(ben, "away") log.info("%s", r.reason)
        ben:teleport("post")
        r = ben:walk("away") log.info("%s/%s %s", r.status, r.reason, ben.position.x < 31)
        r = ben:walk("away", { accept = "exact" }) log.info("%s/%s", r.status, r.reason)
        r = ben:walk("away", { accept = "nearest" }) log.info("%s/%s", r.status, r.reason)
        r = carl:walkTo("far", { onArrived = function(r) log.info("carl %s", r.reason) end }):wait()
        log.info("%d %s", level.tick, gate.state)"#;
    let mut watched = Play::scene(&script(body));
    watched.until_over();
    let mut skipped = Play::scene(&script(body));
    skipped.ticks(3).skip();
    let told = skipped.told();
    let expected = [
        "arrived skipped 25",
        "alreadyThere",
        "forced",
        "partial/nearest true",
        "blocked/noPath",
        "arrived/nearest",
        "carl skipped",
        "4 open",
        "ended finished true nil nil",
    ];
    assert_eq!(told, expected);
    let regions = |play: &Play| {
        let facts =
            play.facts.iter().filter(|fact| fact["e"] == "regionEntered" || fact["e"] == "regionLeft");
        facts
            .map(|fact| format!("{} {} {}", fact["e"], fact["region"], fact["character"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(regions(&watched), regions(&skipped));
    let how = skipped.of_kind("regionEntered", &["region", "character", "how"]);
    assert!(how.contains(&"threshold anna skipped".to_owned()), "{how:?}");
    assert_same_places(&watched.places(), &skipped.places(), "");
}

#[test]
fn a_scene_that_polls_walks_as_far_skipped_as_watched_whenever_the_skip_falls() {
    // Waits of one tick and of three: a step of the crowd has two.
    for ticks in [1, 3] {
        let body = format!(
            r#"local from = carl.position carl:walkTo("far") for _ = 1, {} do c:wait({ticks} / 60) end
            local at = carl.position
            log.info("%.3f", math.sqrt((at.x - from.x) ^ 2 + (at.z - from.z) ^ 2))"#,
            120 / ticks
        );
        let walked_m = |play: &Play| play.told()[0].parse::<f64>().unwrap();
        let mut watched = Play::scene(&script(&body));
        watched.until_over();
        let expected_m = walked_m(&watched);
        assert!(expected_m > 2.0, "it walks: {expected_m}");
        for first in [3, 4, 5, 6] {
            let mut skipped = Play::scene(&script(&body));
            skipped.ticks(first).skip().until_over();
            let found_m = walked_m(&skipped);
            assert!((found_m - expected_m).abs() < 0.1, "{ticks}, {first}: {found_m}, watched {expected_m}");
        }
    }
}

#[test]
fn doors_reach_their_final_state_at_once_unless_somebody_is_in_the_way() {
    let body = r#"log.info("%s", gate:open():wait().reason)
        gate:close() c:wait(0.01) log.info("%s", gate.state)
        gate:open():wait() carl:teleport("inGate")
        log.info("%s", gate:close():wait().reason)
        log.info("%s", gate:close({ whenOccupied = "push" }):wait().reason)
        log.info("%s", gate.state)"#;
    let mut play = Play::scene(&script(body));
    play.ticks(3).skip();
    assert_eq!(play.told()[..5], ["done", "closed", "occupied", "done", "closed"]);
}

#[test]
fn waits_without_an_end_of_their_own_have_one_while_skipping() {
    let body = r#"log.info("%s", task.waitUntil(function() return false end))
        log.info("%s", task.waitEvent("never"))
        log.info("%s", c:waitFor(function() task.waitEvent("never") end))
        log.info("%s", task.await(outside))
        local found = false
        task.spawn(function() task.sleep(3) found = true end)
        log.info("%s", task.waitUntil(function() return found end))
        task.spawn(function() task.sleep(2) event.emit("soon", { n = 7 }) end)
        log.info("%s", task.waitEvent("soon").n)"#;
    let level = r#"function onStart() local outside = task.spawn(function() task.sleep(1e5) end)
        cinematic.define("inline", { holds = { "anna", "ben" }, script = function(c) BODY end }) cinematic.play("inline") end"#;
    let level = level.replace("BODY", &body.replace("\n", " "));
    let mut play = Play::of(LEVEL, [("level.lua".to_owned(), level)].into(), false);
    play.ticks(3).skip();
    assert!(play.is_over());
    assert_eq!(play.told(), ["false", "nil", "nil", "nil", "true", "7"]);
}

#[test]
fn branches_and_timers_come_in_the_order_of_their_time() {
    let body = r#"timer.every(1, function() log.info("every") end, { times = 3 })
        timer.after(2.5, function() log.info("after") task.sleep(1) log.info("after that") end)
        c:parallel({ function() c:wait(2) log.info("two") end, function() c:wait(1.5) log.info("one and a half") end })
        local key = c:race({ walk = c:start(anna, "far"), soon = function() task.sleep(1) end })
        log.info("%s %s", key, anna.position.x > 4)
        c:wait(3)"#;
    let mut watched = Play::scene(&script(body));
    watched.until_over();
    let mut skipped = Play::scene(&script(body));
    skipped.ticks(3).skip();
    assert!(skipped.is_over());
    let mut told = skipped.told();
    let last = told.pop().unwrap();
    assert_eq!(last, "ended finished true nil nil");
    assert_eq!(told, watched.told()[..told.len()]);
    assert_same_places(&watched.places(), &skipped.places(), "");
}

#[test]
fn nobody_else_moves_while_a_scene_is_skipped() {
    let level = r#"function onStart() local dora = world.character("dora")
        dora:walkTo(5, 19) timer.after(1, function() log.info("later") end)
        cinematic.define("scene", { holds = { "anna" }, script = function(c) c:wait(3) c:walk(world.character("anna"), "far") end })
        cinematic.play("scene") end"#;
    let mut play = Play::of(LEVEL, [("level.lua".to_owned(), level.to_owned())].into(), false);
    play.ticks(5);
    let dora = |play: &Play| {
        play.world().character(play.world().find_character("dora").unwrap()).unwrap().body.position
    };
    let before = dora(&play);
    play.skip();
    assert!(play.is_over());
    assert!((dora(&play) - before).length() < 0.05, "one tick of walking and no more");
    assert!(play.told().is_empty());
}

/// The last of a file of followers outside of the scene keeps no goal from the one that leads it, skipped or
/// watched; one that follows nobody does.
#[test]
fn followers_of_one_who_walks_in_a_scene_that_is_skipped_keep_no_goal_from_it() {
    let told = |follows: bool, skip: bool| {
        let level = format!(
            r#"function onStart()
                local anna, carl, dora = world.character("anna"), world.character("carl"), world.character("dora")
                dora:teleport("far")
                if {follows} then
                    carl:follow(anna, {{ distance = 40, keep = true }})
                    dora:follow(carl, {{ distance = 40, keep = true }})
                end
                cinematic.define("scene", {{ holds = {{ "anna" }}, script = function(c)
                    local result = anna:walkTo("far"):wait()
                    log.info(result.status)
                end }})
                timer.after(1, function() cinematic.play("scene") end)
            end"#
        );
        let mut play = Play::of(LEVEL, [("level.lua".to_owned(), level)].into(), false);
        play.ticks(65);
        if skip {
            play.skip();
            assert!(play.is_over(), "in one tick");
        }
        play.until_over();
        let anna = play.places().into_iter().find(|place| place.starts_with("anna"));
        (play.told(), anna)
    };
    let (led, led_to) = told(true, false);
    assert_eq!((led, led_to.as_deref()), (vec!["arrived".to_owned()], Some("anna 15.00 3.00")));
    let (alone, alone_at) = told(false, false);
    assert_ne!(alone_at, led_to, "a character that follows nobody keeps its place");
    assert_eq!(told(true, true), (vec!["arrived".to_owned()], led_to));
    assert_eq!(told(false, true), (alone, alone_at));
}

#[test]
fn an_endless_scene_is_skipped_for_a_while_and_never_hangs_the_level() {
    let mut play = Play::scene(&script("while true do c:wait(1) end"));
    play.ticks(2).skip().ticks(20);
    assert!(play.told().iter().any(|line| line.contains("the scene has not ended")), "{:?}", play.told());
    play.tick(&[Input::event("cancel")]);
    assert!(play.is_over());
    play.assert_given_back("endless");
}

#[test]
fn a_choice_without_a_default_holds_skipping_up_until_it_is_answered() {
    let body = r#"c:wait(1) log.info("%s", c:choice("toll", { "pay", "refuse" })) c:wait(5) log.info("on")"#;
    let mut play = Play::interactive(&script(body), true);
    play.ticks(2).skip().ticks(30);
    assert!(play.told().is_empty());
    assert_eq!(play.of_kind("choice", &["id", "answer"]), ["toll "]);
    play.tick(&[Input::Answer { id: "toll".to_owned(), option: "steal".to_owned() }]);
    assert!(play.told().is_empty(), "not one of the options");
    let refused = "answer the choice \"toll\" has no option \"steal\"";
    assert_eq!(play.of_kind("inputRefused", &["what", "why"]), [refused]);
    play.tick(&[Input::Answer { id: "toll".to_owned(), option: "refuse".to_owned() }]);
    assert_eq!(play.told(), ["refuse", "on", "ended finished true nil nil"]);
}

#[test]
fn lines_end_when_the_host_says_so_and_answers_count_for_later_choices() {
    let body = r#"c:say(anna, "line", { seconds = 60 }) log.info("said %d", level.tick)
        log.info("%s", c:choice("toll", { "pay", "refuse" }, { default = "refuse" }))"#;
    let mut play = Play::interactive(&script(body), true);
    play.ticks(4);
    play.tick(&[Input::Answer { id: "toll".to_owned(), option: "pay".to_owned() }]);
    play.tick(&[Input::Continue { scene: Some("other".to_owned()) }]);
    play.tick(&[Input::Continue { scene: None }]);
    play.until_over();
    assert_eq!(play.told(), ["said 7", "pay", "ended finished false nil nil"]);
    assert_eq!(play.of_kind("choice", &["id", "answer"]), ["toll pay"]);
    // With nobody to ask, the answer given before counts as well.
    let mut headless =
        Play::scene(&script("log.info('%s', c:choice('toll', { 'pay', 'refuse' }, { default = 'refuse' }))"));
    headless.tick(&[Input::Answer { id: "toll".to_owned(), option: "pay".to_owned() }]);
    headless.until_over();
    assert_eq!(headless.told()[0], "pay");
}

#[test]
fn mark_is_a_text_from_outside_and_a_method_within() {
    let level = r#"function onStart()
        cinematic.define("scene", { script = function(c) c:mark("met") c:wait(0.1) c:mark("parted") end })
        local scene = cinematic.play("scene")
        task.spawn(function() log.info("%s", scene.mark) task.ticks(3) log.info("%s %s", scene.mark, scene == cinematic.running())
            scene:wait() log.info("%s", scene.mark)
            log.info("%s", select(2, pcall(function() scene:mark("x") end)) ~= nil) end) end"#;
    let mut play = Play::of(LEVEL, [("level.lua".to_owned(), level.to_owned())].into(), false);
    play.ticks(20);
    assert_eq!(play.told(), ["nil", "met true", "parted", "true"]);
}

#[test]
fn fault_d19_a_scene_waits_for_whoever_was_stopped_superseded_blocked_or_removed() {
    let body = r#"local function tell(r) log.info("%s", r and r.reason) end
        timer.after(0.1, function() anna:stop() end) tell(c:walk(anna, "far"))
        timer.after(0.1, function() anna:walkTo("near") end) tell(c:walk(anna, "far"))
        anna:stop()
        tell(c:walk(anna, "cell", { doors = "wait" }))
        timer.after(0.1, function() dora:despawn() end) tell(c:waitFor(dora:walkTo("far")))
        timer.after(0.1, function() ben:despawn() end) tell(c:walk(ben, "far"))
        tell(c:waitFor(function() task.waitUntil(function() return false end) end, { timeout = 0.2 }))
        log.info("over")"#;
    let fields = format!(
        "{HOLD} script = function(c) local anna, ben, dora = world.character('anna'), world.character('ben'), world.character('dora')\n{body}\nend"
    );
    let expected = ["stopped", "superseded", "forced", "despawned", "despawned", "nil", "over"];
    let mut watched = Play::scene(&fields);
    watched.until_over();
    assert_eq!(watched.told()[..7], expected);
    let mut skipped = Play::scene(&fields);
    skipped.ticks(2).skip();
    assert_eq!(skipped.told()[..7], expected);
    for play in [&watched, &skipped] {
        assert_eq!(play.told()[7].split(' ').nth(1), Some("finished"), "a scene may remove its own");
        play.assert_given_back("d19");
    }
}

#[test]
fn a_character_that_is_named_twice_is_held_once() {
    let fields = "holds = { \"anna\", \"ben\", \"anna\" }, script = function(c) \
                  log.info('%s', world.character('anna').heldBy) c:walk(world.character('anna'), 'near') end";
    let mut play = Play::scene(fields);
    play.ticks(5);
    assert_eq!(play.told(), ["scene"], "it is under way");
    play.until_over();
    assert_eq!(play.told(), ["scene", "ended finished false nil nil"]);
    play.assert_given_back("held twice");
}

#[test]
fn a_scene_is_cancelled_when_somebody_else_removes_whom_it_holds() {
    let level = r#"function onStart() timer.after(0.1, function() world.character("anna"):despawn() end)
        cinematic.define("scene", { holds = { "anna", "ben" }, locks = { "input" }, onEnd = function(i) log.info("onEnd %s", world.character("ben").heldBy) end,
            script = function(c) c:walk(world.character("anna"), "far") c:wait(0.1) log.info("never") end })
        local scene = cinematic.play("scene") task.spawn(function() log.info("%s %s", scene:wait().outcome, world.isLocked("input")) end) end"#;
    let mut play = Play::of(LEVEL, [("level.lua".to_owned(), level.to_owned())].into(), false);
    play.ticks(10);
    assert_eq!(play.told(), ["onEnd nil", "cancelled false"]);
    play.assert_given_back("removed");
}

/// Law: once other code has removed a character that a scene holds, nothing of the scene runs any more. Each
/// kind of wait is tried with each remover, in each step.
#[test]
fn no_line_of_a_scene_runs_after_somebody_else_has_removed_whom_it_holds() {
    let waits = [
        "c:walk(anna, 'far')",
        "c:waitFor(anna:walkTo('far'))",
        "c:parallel({ c:start(anna, 'far'), c:start(ben, 'cell') })",
        "c:race({ c:start(anna, 'far'), c:start(ben, 'cell') })",
        "anna:walkTo('far', { onSettled = function() log.info('wrong: handler') end }):wait()",
        "task.spawn(function() anna:walk('far') log.info('wrong: task') end) c:wait(9)",
        "anna:play('nod', { seconds = 9 }):wait()",
        "c:waitFor(ben:walkTo(anna))",
        "task.waitUntil(function() return not anna.alive end)",
        "task.waitEvent('despawned')",
        "event.on('despawned', function() log.info('wrong: event') end) c:wait(9)",
        "timer.every(0.001, function() if not anna.alive then log.info('wrong: timer') end end) c:wait(9)",
        "region.when(function() return not anna.alive end, { onTrue = function() log.info('wrong: when') end }) c:wait(9)",
        "region.near(anna.position, 9, { onExit = function() log.info('wrong: exit') end }) c:wait(9)",
        "while anna.alive do task.ticks(1) end",
    ];
    let host = Input::Remove { character: "anna".to_owned() };
    for wait in waits {
        for (remover, inputs) in [
            ("timer.after(0.5, function() world.character('anna'):despawn() end)", vec![]),
            ("event.on('go', function() world.character('anna'):despawn() end)", vec![Input::event("go")]),
            ("", vec![host.clone()]),
        ] {
            let level = format!(
                "function onStart() {remover} event.on('cinematicEnded', function(e) log.info('%s %s', e.outcome, e.error) end)
                cinematic.define('scene', {{ holds = {{ 'anna', 'ben' }}, script = function(c)
                local anna, ben = world.character('anna'), world.character('ben')
                {wait} log.info('wrong: script') c:say(anna, 'x') end }}) cinematic.play('scene') end"
            );
            let mut play = Play::of(LEVEL, [("level.lua".to_owned(), level)].into(), false);
            play.ticks(29).tick(&inputs);
            play.ticks(10);
            assert_eq!(play.told(), ["cancelled nil"], "{wait}, {remover}");
            play.assert_given_back(wait);
        }
    }
}

#[test]
fn no_line_of_a_scene_runs_after_a_fault_in_it() {
    let fault = "function() error('boom') end";
    let faults = [
        format!("c:walk(anna, 'near', {{ onArrived = {fault} }})"),
        format!("c:walk(anna, 'near', {{ onSettled = {fault} }})"),
        format!(
            "event.on('soon', {fault}) task.spawn(function() c:wait(0.1) event.emit('soon') end) task.waitEvent('soon')"
        ),
        format!("timer.after(0.1, {fault}) c:wait(0.1)"),
        "region.when(function() error('boom') end, { onTrue = print }) task.ticks(1)".to_owned(),
        format!("gate:on('opened', {fault}) gate:open():wait() c:wait(0.1)"),
    ];
    for body in faults {
        let mut play = Play::scene(&script(&format!("{body} log.info('wrong')")));
        play.until_over();
        let told = play.told();
        assert!(!told.contains(&"wrong".to_owned()), "{body}: {told:?}");
        assert!(told.last().unwrap().starts_with("ended fault"), "{body}: {told:?}");
        play.assert_given_back(&body);
    }
}

#[test]
fn the_last_functions_of_a_scene_and_a_behaviour_are_told_that_what_they_start_ends() {
    let wait = "log.info('%s', select(2, pcall(function() task.sleep(1) end)))";
    let fields = format!("script = function(c) end, onEnd = function() {wait} end");
    let told = Play::scene(&fields).until_over().told();
    let expected = "onEnd may not wait, and what it starts ends at once; emit an event that other code hears";
    assert!(told[0].ends_with(expected), "{told:?}");
    let level = "function onStart() local anna = world.character('anna') anna:attach('guard') timer.after(0.1, function() anna:detach() end) end";
    let guard = format!("return {{ run = function() end, stop = function() {wait} end }}");
    let scripts = [("level.lua", level.to_owned()), ("behaviours/guard.lua", guard)];
    let scripts = scripts.map(|(name, text)| (name.to_owned(), text));
    let told = Play::of(LEVEL, scripts.into(), false).ticks(20).told();
    assert!(told[0].ends_with(&expected.replace("onEnd", "stop")), "{told:?}");
}

#[test]
fn a_scene_that_was_cancelled_may_be_played_again_at_once() {
    let level = r#"function onStart()
        cinematic.define("scene", { holds = { "anna" }, locks = { "input" },
            onEnd = function(info) log.info("onEnd %s, held by %s", info.outcome, world.character("anna").heldBy) end,
            script = function(c, args) log.info("begins %d", args.n) c:wait(0.1) end })
        local function play(n) return cinematic.play("scene", { n = n }) end
        play(1):cancel()
        play(2)
        timer.after(3/60, function()
            cinematic.running("scene"):cancel()
            play(3)
            log.info("%s", select(2, pcall(play, 4)))
        end) end"#;
    let mut play = Play::of(LEVEL, [("level.lua".to_owned(), level.to_owned())].into(), false);
    play.ticks(20);
    let expected = [
        "begins 2",
        "level.lua:5: cinematic.play: character \"anna\" is held by cinematic \"scene\"",
        "onEnd cancelled, held by nil",
        "begins 3",
        "onEnd finished, held by nil",
    ];
    assert_eq!(play.told(), expected);
    assert_eq!(play.count("cinematicStarted"), 2, "the first never began");
    play.assert_given_back("played again");
}

/// A small generator: the scenes differ from run to run of the loop and never from run to run of the test.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[usize::try_from(self.roll(from.len() as u64)).unwrap()]
    }
}

fn statement(dice: &mut Dice, number: u64) -> String {
    let who = dice.pick(&["anna", "ben"]);
    let mark = dice.pick(&["post", "near", "far", "cell"]);
    let seconds = 1 + dice.roll(30);
    match dice.roll(12) {
        0 => format!("c:walk({who}, '{mark}', {{ doors = 'open' }})"),
        1 => format!(
            "c:start({who}, '{mark}', {{ doors = 'open', onSettled = function() note('settled {number}') end }})"
        ),
        2 => format!("c:wait({seconds}/10) note('waited {number}')"),
        3 => format!("gate:open():wait() note('opened {number}')"),
        4 => format!("c:say({who}, 'line {number}', {{ seconds = {seconds}/10 }})"),
        5 => format!(
            "task.spawn(function() task.sleep({seconds}/10 + 0.003 * {number}) note('slept {number}') end)"
        ),
        6 => format!("timer.after({seconds}/10 + 0.004 * {number}, function() note('timer {number}') end)"),
        7 => format!(
            "c:parallel({{ c:start({who}, '{mark}'), function() c:wait({seconds}/10) note('entry {number}') end }})"
        ),
        8 => format!("{who}:teleport('{mark}') note('teleported {number}')"),
        9 => format!("{who}:face(gate):wait() note('faced {number}')"),
        10 => format!(
            "c:waitFor({who}:walkTo('{mark}', {{ face = 'post' }}), {{ timeout = {seconds} }}) note('for {number}')"
        ),
        _ => format!(
            "{who}:play('wave', {{ seconds = {seconds}/10 }}):wait() event.emit('waved', {{ number = {number} }})"
        ),
    }
}

/// How far apart two ends beside one mark may lie, metres: the width of a body and a step.
const BESIDE_M: f64 = 1.0;

/// Metres between two lines of `places` about one character; far when they are about anything else.
fn apart_m(one: &str, other: &str) -> f64 {
    let read = |line: &str| {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let [name, x, z] = <[String; 3]>::try_from(words).ok()?;
        Some((name, x.parse::<f64>().ok()?, z.parse::<f64>().ok()?))
    };
    match (read(one), read(other)) {
        (Some(one), Some(other)) if one.0 == other.0 => (one.1 - other.1).hypot(one.2 - other.2),
        _ => f64::INFINITY,
    }
}

/// Everybody stands where it would have stood, within twice the distance at which a place counts as reached:
/// who is watched walks round others that the skipped one does not meet.
fn assert_same_places(watched: &[String], skipped: &[String], what: &str) {
    assert_eq!(watched.len(), skipped.len(), "{what}");
    for (one, other) in watched.iter().zip(skipped) {
        let words = |text: &str| -> Vec<String> {
            text.split([' ', '[', ']', ',']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let (one_words, other_words) = (words(one), words(other));
        assert_eq!(one_words.len(), other_words.len(), "{what}: {one}, {other}");
        for (a, b) in one_words.iter().zip(&other_words) {
            let is_same = match (a.parse::<f32>(), b.parse::<f32>()) {
                (Ok(a), Ok(b)) => (a - b).abs() <= 0.1,
                _ => a == b,
            };
            assert!(is_same, "{what}: {one}, {other}");
        }
    }
}

#[test]
fn watched_and_skipped_little_scenes_leave_the_same_world_and_story() {
    for seed in 0..25 {
        let mut dice = Dice(seed);
        let lines: Vec<String> = (0..8).map(|number| statement(&mut dice, number)).collect();
        let fields = script(&format!(
            "local function note(text) table.insert(state, text) log.info('%s', text) end\n{}\nc:wait(8)",
            lines.join("\n")
        ));
        let mut watched = Play::scene(&fields);
        watched.until_over();
        assert_eq!(watched.count("scriptFault"), 0, "{:?}\n{fields}", watched.told());
        let skip_at = dice.roll(watched.world().tick().0.min(200));
        let mut skipped = Play::scene(&fields);
        skipped.ticks(skip_at + 1).skip().until_over();
        assert_eq!(skipped.world().tick().0, skip_at + 2, "seed {seed}: it takes no game time\n{fields}");
        let story = |play: &Play| {
            let mut told = play.told();
            told.retain(|line| !line.starts_with("ended"));
            told.extend(play.of_kind("event", &["name"]));
            told
        };
        assert_eq!(story(&watched), story(&skipped), "seed {seed}, skipped at {skip_at}:\n{fields}");
        // A character that comes second to a mark stands beside the one that holds it; where exactly hangs on
        // when they came, and doors take no time in a skip.
        let is_near = |(one, other): (&String, &String)| one == other || apart_m(one, other) < BESIDE_M;
        let (left, right) = (watched.places(), skipped.places());
        let same = left.len() == right.len() && left.iter().zip(&right).all(is_near);
        assert!(same, "{left:?}, {right:?}: seed {seed}, skipped at {skip_at}:\n{fields}");
        skipped.assert_given_back(&format!("seed {seed}"));
    }
}

/// The bridge of the project, at a slow tick rate, with a level script that plays the sample at once.
fn bridge(answer: &str) -> Play {
    let json = include_str!("../../levels/bridge.json").replacen('{', "{ \"tickRate\": 12,", 1);
    let level = r#"function onStart()
        event.on("alarm", function(e) log.info("alarm by %s", e.by.name) end)
        event.on("cancel", function() local scene = cinematic.running() if scene then scene:cancel() end end)
        event.on("cinematicEnded", function(info) log.info("%s %s %s %s", info.outcome, world.isLocked("input") or world.isLocked("hud"),
            state.metAnna, state.paidToll) end)
        cinematic.play("bridge_meeting", { gold = 10 }) end"#;
    let mut scripts = crate::level::levels::scripts();
    scripts.insert("bridge.lua".to_owned(), level.to_owned());
    let mut play = Play::of(&json, scripts, false);
    play.tick(&[Input::Answer { id: "bridge.pay".to_owned(), option: answer.to_owned() }]);
    play
}

#[test]
fn watched_or_skipped_the_meeting_on_the_bridge_leaves_the_same_world() {
    for answer in ["refuse", "pay"] {
        let mut watched = bridge(answer);
        watched.until_over();
        let mut skipped = bridge(answer);
        skipped.ticks(5).skip().until_over();
        assert!(skipped.world().tick() < watched.world().tick());
        assert_same_places(&watched.places(), &skipped.places(), "");
        let story = |play: &Play| {
            let mut told = play.told();
            told.retain(|line| !line.starts_with("bridge_meeting:"));
            (told, play.of_kind("event", &["name"]))
        };
        assert_eq!(story(&watched), story(&skipped));
        for play in [&watched, &skipped] {
            assert_eq!(play.count("scriptFault"), 0);
            play.assert_given_back("bridge");
        }
    }
}

#[test]
fn fault_d22_the_meeting_skipped_or_cancelled_at_each_of_its_ticks_gives_everything_back() {
    let mut watched = bridge("refuse");
    watched.until_over();
    let (last, places) = (watched.world().tick().0, watched.places());
    // In the last tick it ends by itself.
    for tick in 1..last - 1 {
        let mut skipped = bridge("refuse");
        skipped.ticks(tick - 1).skip().until_over();
        let what = format!("skipped at {tick}");
        skipped.assert_given_back(&what);
        assert_same_places(&skipped.places(), &places, &what);
        assert!(
            skipped.told().contains(&"finished false true nil".to_owned()),
            "{what}: {:?}",
            skipped.told()
        );
        let mut cancelled = bridge("refuse");
        cancelled.ticks(tick - 1).tick(&[Input::event("cancel")]);
        let what = format!("cancelled at {tick}");
        assert!(cancelled.is_over(), "{what}");
        cancelled.ticks(1).assert_given_back(&what);
        assert!(
            cancelled.told().contains(&"cancelled false true nil".to_owned()),
            "{what}: {:?}",
            cancelled.told()
        );
    }
}

#[test]
fn watched_or_skipped_the_audience_leaves_the_same_world() {
    let run = |skip_after: Option<u64>| {
        let mut play =
            Play::of(include_str!("../../levels/courtyard.json"), crate::level::levels::scripts(), false);
        for _ in 0..6000 {
            if play.count("cinematicStarted") == 1 {
                break;
            }
            play.tick(&[]);
        }
        if let Some(ticks) = skip_after {
            play.ticks(ticks).skip();
        }
        play.until_over();
        let world = play.world();
        let place = |name: &str| world.character(world.find_character(name).unwrap()).unwrap().body.position;
        let places = ["regent", "player", "messenger"].map(|name| format!("{:.2}", place(name)));
        // The guard goes on with a life of its own.
        let mut events = play.of_kind("event", &["name"]);
        events.retain(|name| name.starts_with("audience"));
        (places, events, play.world().tick())
    };
    let watched = run(None);
    for ticks in [1, 40, 200] {
        let skipped = run(Some(ticks));
        let what = format!("skipped after {ticks} ticks");
        assert_same_places(&watched.0, &skipped.0, &what);
        assert_eq!(watched.1, skipped.1, "{what}");
        assert!(skipped.2 < watched.2);
    }
}

#[test]
fn a_scene_under_way_ends_with_its_level_and_goes_no_further() {
    let mut play = Play::scene(
        r#"holds = { "anna" }, locks = { "input" },
        onEnd = function(info) log.info("onEnd %s %s", info.outcome, info.mark) end,
        script = function(c)
            c:mark("before")
            local result = c:walk(world.character("anna"), "far")
            log.info("it goes on after %s", result)
        end"#,
    );
    play.ticks(30);
    let recorded = play.game.end();
    play.facts.extend(recorded.lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    assert_eq!(play.told(), ["onEnd levelEnd before", "ended levelEnd false before nil"]);
    assert_eq!(play.of_kind("walkSettled", &["status", "reason"]), ["cancelled levelEnd"]);
    play.assert_given_back("the end of the level");
}

/// The same where its script has returned and only a walk is left: what it was to do was not done.
#[test]
fn a_scene_whose_walks_the_end_of_a_level_ends_has_not_finished() {
    let mut play = Play::scene(
        r#"holds = { "anna" }, onEnd = function(info) log.info("onEnd %s", info.outcome) end,
        script = function(c) c:start(world.character("anna"), "far") end"#,
    );
    play.ticks(30);
    let recorded = play.game.end();
    play.facts.extend(recorded.lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    assert_eq!(play.told(), ["onEnd levelEnd", "ended levelEnd false nil nil"]);
}

/// A scene that waits for another, which it has begun, is told how that ended, watched or skipped, however it
/// waits.
#[test]
fn a_scene_inside_another_that_is_skipped_ends_as_when_it_is_watched() {
    for wait in ["inner:wait()", "c:waitFor(inner)", "c:waitFor(inner, { timeout = 50 })"] {
        for skips in [false, true] {
            let mut play = Play::scene(&format!(
                r#"holds = {{ "anna" }}, script = function(c)
                    cinematic.define("inner", {{ holds = {{ "ben" }}, script = function(c)
                        c:walk(world.character("ben"), "far") c:wait(2) end }})
                    local inner = cinematic.play("inner")
                    local info = {wait}
                    log.info("%s %s", info and info.outcome, world.character("ben").position)
                    c:walk(world.character("anna"), "far")
                end"#
            ));
            play.ticks(20);
            if skips {
                play.skip();
            }
            while play.count("cinematicEnded") < 2 {
                play.tick(&[]);
                assert!(play.world().tick().0 < 20_000, "{wait}");
            }
            let told = play.told();
            let line = told.iter().find(|line| line.starts_with("finished ")).cloned();
            let line = line.unwrap_or_else(|| panic!("{wait}, skipped {skips}: {told:?}"));
            let far = play.world().find_character("ben").unwrap();
            let place = play.world().character(far).unwrap().body.position;
            assert!(line.contains(&format!("{}", place.x)), "{wait}, skipped {skips}: {line}, {place}");
        }
    }
}

/// What a scene does with another that it plays, and whether it goes on before that one has ended.
const OUTER: &[(&str, bool)] = &[
    ("note(c:race({ walk = c:start(anna, 'far'), talk = inner() })) anna:stop()", false),
    ("note(c:race({ pause = timer.after(3), talk = inner() })) c:wait(4)", false),
    (
        "c:start(anna, 'far', { onArrived = function() note('arrived') end }) c:waitFor(inner()) anna:stop()",
        false,
    ),
    (
        "c:start(anna, 'far', { onArrived = function() note('arrived') end }) inner():wait() c:walk(anna, 'post')",
        false,
    ),
    (
        "local played = inner() c:wait(0.5) note('half') note(played:wait().outcome) c:walk(anna, 'near')",
        false,
    ),
    (
        "c:parallel({ inner(), function() c:wait(0.7) note('seven') end, c:start(anna, 'near') }) note('both')",
        false,
    ),
    (
        "c:start(anna, 'far') note(task.waitUntil(function() return anna.position.x > 5 end)) anna:stop() inner():wait()",
        false,
    ),
    (
        "region.when(function() return anna.position.x > 6 end, { onTrue = function() note('over') end }) c:walk(anna, 'far') inner():wait()",
        false,
    ),
    ("note((c:waitFor(inner(), { timeout = 0.4 }))) c:walk(anna, 'near')", true),
    ("inner() note(task.waitEvent('told', { timeout = 5 }) ~= nil) c:walk(anna, 'near')", true),
];

const INNER: &[&str] = &[
    "c:wait(1) event.emit('told')",
    "c:walk(ben, 'near') note('walked') event.emit('told')",
    "task.spawn(function() for at = 1, 4 do task.sleep(0.2) note(at) end end) c:wait(0.5) event.emit('told')",
    "timer.after(0.3, function() note('timer') event.emit('told') end) c:walk(ben, 'far', { gait = 'run' })",
    "cinematic.define('deep', { script = function(c) c:wait(0.6) note('deep') end }) \
     cinematic.play('deep'):wait() c:walk(ben, 'near') event.emit('told')",
    "task.waitUntil(function() return anna.position.x > 4 end, { timeout = 2 }) note('waited') event.emit('told')",
];

/// Goal: time passes for a scene inside another as for the other. Method: what a scene may do with one that
/// it plays, times what that one does, skipped at some ticks; notes in their order, and where everybody
/// stands, to the bit where the one ends before the other.
#[test]
fn scenes_inside_one_another_leave_the_same_world_watched_and_skipped() {
    for (outer, goes_on) in OUTER {
        for inner in INNER {
            let fields = format!(
                "holds = {{ 'anna' }}, script = function(c)
                local anna, ben = world.character('anna'), world.character('ben')
                local function note(text) log.info('%s', text) end
                cinematic.define('inner', {{ holds = {{ 'ben' }}, script = function(c) {inner} end }})
                local function inner() return cinematic.play('inner') end
                {outer} end"
            );
            let ended = |play: &mut Play| {
                while play.count("cinematicEnded") < play.count("cinematicStarted")
                    || play.world().tick().0 < 90
                {
                    play.tick(&[]);
                    assert!(play.world().tick().0 < 20_000, "{fields}");
                }
                // Give everyone who was stopped time to come to a halt.
                play.ticks(10);
                let mut told = play.told();
                told.retain(|line| !line.starts_with("ended") && !line.starts_with("skip"));
                let stands = |(_, who): (_, &Character)| format!("{} {:?}", who.name, who.body.position);
                (told, play.places(), play.world().characters().map(stands).collect::<Vec<_>>())
            };
            let watched = ended(&mut Play::scene(&fields));
            for skip_at in [0, 1, 7, 20, 45, 80] {
                let mut play = Play::scene(&fields);
                play.ticks(skip_at + 1).skip();
                let skipped = ended(&mut play);
                let what = format!("skipped at {skip_at}: {fields}");
                assert_eq!(watched.0, skipped.0, "{what}");
                if *goes_on {
                    assert_same_places(&watched.1, &skipped.1, &what);
                } else {
                    assert_eq!(watched.2, skipped.2, "{what}");
                }
            }
        }
    }
}

#[test]
fn a_scene_that_the_end_of_a_level_begins_is_told_to_nobody() {
    let mut play = Play::scene(
        r#"holds = { "anna" },
        onEnd = function(info)
            if not state.again then
                state.again = true
                cinematic.play("scene")
            end
        end,
        script = function(c) c:wait(9) end"#,
    );
    play.ticks(30);
    let recorded = play.game.end();
    play.facts.extend(recorded.lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    let told = ["cinematicStarted", "cinematicEnded"].map(|kind| play.count(kind));
    assert_eq!(told, [1, 1], "{:?}", play.told());
}

#[test]
fn waiting_for_something_too_long_gives_one_nil() {
    let mut play = Play::scene(
        r##"script = function(c)
            log.info("%s", select("#", c:waitFor(timer.after(9), { timeout = 0.2 })))
        end"##,
    );
    play.until_over();
    assert_eq!(play.told()[0], "1");
}

/// A generator of scenes: up to five people who walk, turn, talk and wait, one after the other and at once,
/// among obstacles and two who stand about.
pub(super) struct Scenes {
    pub(super) random: u64,
}

impl Scenes {
    pub(super) fn draw(&mut self, below: u64) -> u64 {
        // Steele and Vigna, SplitMix64.
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.random;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits ^ (bits >> 31)) % below
    }

    fn place(&mut self) -> String {
        match self.draw(4) {
            0 => format!("\"m{}\"", self.draw(6)),
            _ => format!(
                "vector.create({:.2}, 0, {:.2})",
                1.0 + self.draw(1400) as f64 / 100.0,
                1.0 + self.draw(1000) as f64 / 100.0
            ),
        }
    }

    pub(super) fn seconds(&mut self) -> String {
        format!("{:.3}", self.draw(1500) as f64 / 1000.0)
    }

    fn walk(&mut self, how: &str, who: u64) -> String {
        let options =
            ["", ", { gait = \"run\" }", ", { face = \"m1\" }", ", { accept = \"exact\", ensure = false }"];
        let options = options[self.draw(options.len() as u64) as usize];
        format!("c:{how}(p{who}, {}{options})", self.place())
    }

    /// What one person does, in one statement.
    fn act(&mut self, who: u64, people: u64) -> String {
        match self.draw(9) {
            0..=3 => self.walk("walk", who),
            8 => "c:choice(\"q\", { \"a\", \"b\" }, { default = \"a\" })".to_owned(),
            4 => format!("c:wait({})", self.seconds()),
            5 => format!("c:say(p{who}, \"line\", {{ seconds = {} }})", self.seconds()),
            6 => format!("p{who}:face({}):wait()", self.place()),
            _ => match self.draw(people) {
                other if other == who => format!("task.sleep({})", self.seconds()),
                other => format!("c:walk(p{who}, p{other})"),
            },
        }
    }

    pub(super) fn statement(&mut self, people: u64) -> String {
        let who = self.draw(people);
        match self.draw(6) {
            0 => self.act(who, people),
            1 => self.walk("start", who),
            2 => format!(
                "c:race({{ walk = {}, time = function() task.sleep({}) end }})",
                self.walk("start", who),
                self.seconds()
            ),
            _ => {
                let acts: Vec<String> = (0..people)
                    .map(|who| {
                        format!("function() {} note() {} end", self.act(who, people), self.act(who, people))
                    })
                    .collect();
                format!("c:parallel({{ {} }})", acts.join(", "))
            }
        }
    }

    /// A level and its scene, in which so many people are held.
    fn level(&mut self, people: u64) -> (String, String) {
        let json = self.stage(people);
        let body: Vec<String> = (0..2 + self.draw(4)).map(|_| self.statement(people) + " note()").collect();
        (json, scene_of(people, &body))
    }

    /// A level in which so many people may be held.
    pub(super) fn stage(&mut self, people: u64) -> String {
        let place = |scenes: &mut Self| {
            let (x, z) = (scenes.draw(40), scenes.draw(30));
            format!("[{:.2}, {:.2}]", 1.0 + x as f64 * 0.35, 1.0 + z as f64 * 0.35)
        };
        let mut characters: Vec<String> = (0..people)
            .map(|who| format!("{{ \"name\": \"p{who}\", \"position\": {} }}", place(self)))
            .collect();
        characters.push(format!("{{ \"name\": \"stands\", \"position\": {} }}", place(self)));
        characters
            .push(format!("{{ \"name\": \"player\", \"position\": {}, \"player\": true }}", place(self)));
        let marks: Vec<String> = (0..6).map(|mark| format!("\"m{mark}\": {}", place(self))).collect();
        let rate = [30, 60, 120][self.draw(3) as usize];
        format!(
            r#"{{ "script": "level.lua", "tickRate": {rate}, "navigation": {{ "areas": [
                {{ "name": "room", "polygon": [[0,0],[16,0],[16,12],[0,12]] }} ], "obstacles": [
                {{ "name": "table", "polygon": [[6,4],[10,4],[10,7],[6,7]] }} ] }},
                "marks": {{ {} }}, "characters": [ {} ] }}"#,
            marks.join(", "),
            characters.join(", ")
        )
    }
}

/// The text of a scene that holds so many people, with these lines. `note` tells where everybody is.
pub(super) fn scene_of(people: u64, body: &[String]) -> String {
    let held: Vec<String> = (0..people).map(|who| format!("\"p{who}\"")).collect();
    let locals: Vec<String> =
        (0..people).map(|who| format!("local p{who} = world.character(\"p{who}\")")).collect();
    format!(
        "return {{ holds = {{ {} }}, script = function(c)\n{}\nlocal told = 0\nlocal function note(what) local all = {{}} for _, one in world.characters() do all[#all + 1] = string.format(\"%.9g %.9g %.9g\", one.position.x, one.position.z, one.facing) end log.info(\"%s %s\", what or \"at\", table.concat(all, \", \")) end\n{}\nend }}",
        held.join(", "),
        locals.join("\n"),
        body.join("\n")
    )
}

/// Where everybody stands and looks once the scene is over and the crowd's last step has landed, to the bit.
pub(super) fn exact_places(play: &mut Play) -> Vec<String> {
    play.until_over();
    // A character that was asked aside has come to stand by then.
    play.ticks(150);
    let people = play.world().characters().map(|(_, found)| {
        let at = found.body.position;
        format!(
            "{} {:08x} {:08x} {:08x} at {at}",
            found.name,
            at.x.to_bits(),
            at.z.to_bits(),
            found.facing_rad.to_bits()
        )
    });
    people.collect()
}

/// The seeds of the scenes to try: those that failed once and the first sixty, unless the environment names
/// others.
pub(super) fn scene_seeds() -> Vec<u64> {
    if let Ok(named) = std::env::var("SCENE_SEEDS") {
        let number = |text: &str| text.trim().parse::<u64>().expect("SCENE_SEEDS holds numbers and ranges");
        let seeds = named.split(',').map(|part| match part.split_once("..") {
            Some((from, to)) => number(from)..number(to),
            None => number(part)..number(part) + 1,
        });
        return seeds.flatten().collect();
    }
    match std::env::var("SCENES").ok().and_then(|count| count.parse().ok()) {
        Some(count) => (0..count).collect(),
        None => (0..60).chain([563, 951]).collect(),
    }
}

/// Law: a scene that is skipped brings about what it would have brought about, to the bit, a character that
/// walks at once and whenever the skip comes. `SCENES=1000 cargo test --test suite --
/// a_scene_brings_about_the_same_world` tries as many; `SCENE_SEEDS=563,951,1000..1400` tries those seeds
/// instead.
#[test]
fn a_scene_brings_about_the_same_world_to_the_bit_whenever_it_is_skipped() {
    let seeds = scene_seeds();
    let count = seeds.len();
    let (mut wrong, mut walked) = (Vec::new(), 0);
    for seed in seeds {
        let mut scenes = Scenes { random: seed };
        let people = 1 + scenes.draw(5);
        let (json, script) = scenes.level(people);
        let level = "function onStart() cinematic.play(\"scene\") end".to_owned();
        let scripts = BTreeMap::from([("level.lua".to_owned(), level), ("scene.lua".to_owned(), script)]);
        let mut watched = Play::of(&json, scripts.clone(), false);
        let expected = exact_places(&mut watched);
        let ended = watched.facts.iter().find(|fact| fact["e"] == "cinematicEnded").unwrap();
        assert_eq!(ended["outcome"], "finished", "scene {seed}: {ended}");
        walked += watched.count("walkSettled");
        let last = ended["t"].as_u64().unwrap();
        for _ in 0..2 {
            let at = 1 + scenes.draw(last.max(2) - 1);
            let mut skipped = Play::of(&json, scripts.clone(), false);
            skipped.ticks(at - 1).skip();
            let found = exact_places(&mut skipped);
            if found != expected || skipped.told() != watched.told() {
                let first = skipped.told().iter().zip(watched.told()).position(|(one, other)| *one != other);
                wrong.push(format!("scene {seed} of {people} skipped at {at} of {last}, first note {first:?}:\n  {expected:?}\n  {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), 2 * count, wrong.join("\n"));
    assert!(walked > count, "they walk: {walked}");
}

#[test]
fn rounds_with_pauses_in_a_scene_that_is_skipped_are_as_far_as_when_they_are_watched() {
    // Short waits, so that the scene is passed over in many stretches, and some end within a pause.
    let body = "anna:patrol({ vector.create(4, 0, 4), vector.create(6, 0, 4) }, { pause = 1.5 })
        for turn = 1, 14 do
            c:wait(0.45)
            log.info(\"%.9g %.9g\", anna.position.x, anna.position.z)
        end
        anna:stop()";
    let run = |skip_at: Option<u64>| {
        let mut play = Play::scene(&script(body));
        if let Some(tick) = skip_at {
            play.ticks(tick).skip();
        }
        play.until_over();
        let mut told = play.told();
        told.retain(|line| !line.starts_with("ended"));
        told
    };
    let watched = run(None);
    for tick in [1, 20, 150] {
        assert_eq!(run(Some(tick)), watched, "skipped at {tick}");
    }
}

#[test]
fn who_walks_alone_to_an_exact_place_in_a_scene_stands_on_it() {
    let places = [(15.37_f32, 3.21_f32), (4.0, 11.0), (1.23, 9.87), (18.5, 18.5)];
    for (x, z) in places {
        let body = format!("c:walk(anna, {x}, {z}) c:wait(0.5)");
        for skip in [false, true] {
            let mut play = Play::scene(&script(&body));
            if skip {
                play.ticks(3).skip();
            }
            play.until_over();
            let anna = play.world().find_character("anna").unwrap();
            let at = play.world().character(anna).unwrap().body.position;
            assert_eq!((at.x, at.z), (x, z), "skipped: {skip}");
        }
    }
}

#[test]
fn scenes_refuse_what_they_could_not_mean() {
    let cases = [
        ("c:say(dora, 'x')", "character \"dora\" was removed"),
        ("c:camera('follow', { to = dora })", "character \"dora\" was removed"),
        ("c:choice('q', { 'a', 'b', 'a' })", "options has \"a\" twice; no host could tell them apart"),
        ("c:choice('q', { 'a', '' })", "options[2] is empty, expected a text"),
        (
            "cinematic.define('x', { script = print, hold = {} })",
            "unknown field \"hold\"; did you mean \"holds\"?",
        ),
        (
            "cinematic.define('x', { script = print, onend = print })",
            "unknown field \"onend\"; did you mean \"onEnd\"?",
        ),
        ("world.character('ben'):follow(world.character('ben'))", "a character cannot follow itself"),
        ("c:parallel({ c })", "a scene cannot wait for itself: it ends only after its script"),
        ("c:race({ c, function() c:wait(1) end })", "a scene cannot wait for itself"),
        ("c:waitFor(c)", "a scene cannot wait for itself"),
        ("task.await(c)", "a scene cannot wait for itself"),
        ("task.all({ self = c })", "a scene cannot wait for itself"),
        ("task.timeout(1, c)", "a scene cannot wait for itself"),
        ("task.spawn(function() task.await(c) end) c:wait(1)", "a scene cannot wait for itself"),
        ("task.all({ task.current() })", "a task cannot wait for itself"),
    ];
    for (call, expected) in cases {
        let script = format!(
            "script = function(c) local dora = world.character('dora') dora:despawn() c:wait(0.1)\n{call} end"
        );
        let mut play = Play::scene(&script);
        play.until_over();
        let told = play.told();
        assert!(told.iter().any(|told| told.contains(expected)), "{call}: {told:?}");
    }
    let own = "extra = 1, note = 'mine', script = function(c) log.info('played') end";
    assert_eq!(Play::scene(own).until_over().told()[0], "played");
}
