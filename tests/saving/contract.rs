//! What of a running level is there again after a load, and what begins again.
//!
//! Goal: the contract of `docs/saving.md`, sentence by sentence. Method: a little level with scripts runs, is
//! saved, and a new game is made of the bytes; scripts log what they find.

use std::collections::BTreeMap;

use glam::Vec3;
use walkon_runtime::game::event::Event;
use walkon_runtime::game::inputs::{Input, Reload};
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::save::{RestoreError, SAVE_FORM, SaveHeader};
use walkon_runtime::game::testing::{Suite, TestResult, collect, run, seeds};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{Level, MemorySource, load};
use walkon_runtime::nav::Traversal;

const LEVEL: &str = r#"{
  "seed": 7, "script": "level.lua",
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
    { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] },
    { "name": "doorway", "polygon": [[20,9],[20.5,9],[20.5,11],[20,11]] },
    { "name": "yard", "polygon": [[20.5,0],[40,0],[40,20],[20.5,20]] } ],
    "obstacles": [ { "name": "crate", "polygon": [[8,8],[9,8],[9,9],[8,9]], "available": false } ] },
  "doors": [ { "name": "gate", "area": "doorway" } ],
  "marks": { "post": [3,3], "far": [15,3] },
  "regions": [ { "name": "corner", "centre": [3,3], "radius": 1 } ],
  "characters": [
    { "name": "anna", "position": [3,3], "behaviour": "anna.lua" },
    { "name": "ben", "position": [3,8] } ]
}"#;

pub(super) struct Piece {
    json: String,
    files: BTreeMap<String, String>,
}

impl Piece {
    /// Files by path; level script and behaviour that are not given are empty.
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let mut all: BTreeMap<String, String> = BTreeMap::new();
        all.insert("level.lua".to_owned(), String::new());
        all.insert("anna.lua".to_owned(), "return {}".to_owned());
        all.extend(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
        Self { json: LEVEL.to_owned(), files: all }
    }

    fn with(&self, path: &str, text: &str) -> Self {
        let mut files = self.files.clone();
        files.insert(path.to_owned(), text.to_owned());
        Self { json: self.json.clone(), files }
    }

    fn on(&self, changed: &[(&str, &str)]) -> Self {
        let mut json = self.json.clone();
        for (from, to) in changed {
            assert!(json.contains(from), "{from}");
            json = json.replace(from, to);
        }
        Self { json, files: self.files.clone() }
    }

    pub(super) fn level(&self) -> Level {
        let source = MemorySource::new().with("save.json", self.json.as_str());
        load("save.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"))
    }

    pub(super) fn setup(&self) -> Setup {
        let options = RecordOptions { trace: true, ..RecordOptions::default() };
        Setup { scripts: self.files.clone(), recorder: Recorder::new(options), ..Setup::default() }
    }

    fn start(&self) -> Run {
        Run::of(Game::load(self.level(), self.setup()).unwrap_or_else(|error| panic!("{error}")))
    }

    /// Runs the one test of `save_test.lua`.
    fn test(&self) -> TestResult {
        let (levels, signals) = (["save".to_owned()], std::sync::Arc::default());
        let tests = collect(&self.files, "save_test.lua", &levels, std::sync::Arc::clone(&signals));
        let tests = tests.expect("it declares a test");
        let mut load_level = |_: &str| Ok(self.level());
        let mut suite = Suite {
            scripts: &self.files,
            load_level: &mut load_level,
            signals,
            goes_on: &mut || true,
            debugger: None,
            profile: None,
        };
        run(&mut suite, &tests[0], 0, seeds(&tests[0], None)).expect("it was not stopped")
    }

    fn restore(&self, bytes: &[u8]) -> Result<Run, RestoreError> {
        Game::restore(self.level(), self.setup(), bytes).map(Run::of)
    }

    /// The level after so many ticks, saved and loaded.
    fn over(&self, ticks: u64) -> (Run, Run) {
        let mut run = self.start();
        run.ticks(ticks);
        let loaded = self.restore(&run.game.save().unwrap()).unwrap_or_else(|error| panic!("{error}"));
        (run, loaded)
    }
}

struct Run {
    game: Game,
    lines: Vec<String>,
}

impl Run {
    fn of(game: Game) -> Self {
        Self { game, lines: Vec::new() }
    }

    fn ticks(&mut self, count: u64) -> &mut Self {
        (0..count).for_each(|_| self.tick_with(&[]));
        self
    }

    fn tick_with(&mut self, inputs: &[Input]) {
        let tick = self.game.tick(inputs);
        for line in &tick.lines {
            let fact: serde_json::Value = serde_json::from_str(line).unwrap();
            match fact["e"].as_str().unwrap_or_default() {
                "log" => self.lines.push(fact["message"].as_str().unwrap().to_owned()),
                "scriptFault" => self.lines.push(format!("! {}", fact["message"].as_str().unwrap())),
                _ => {}
            }
        }
    }

    fn said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }
}

#[test]
fn state_boards_and_streams_are_there_and_code_begins_again() {
    let piece = Piece::of(&[
        (
            "level.lua",
            "state.hours = 0\nfunction onStart(why) log.info('level %s %s', why, state.hours) \
             if why == 'start' then state.hours = 5 blackboard.level:set('alarm', true) rng.stream('dice'):int(1, 6) end \
             log.info('board %s', blackboard.level:get('alarm')) end",
        ),
        (
            "anna.lua",
            "return { \
             init = function(self) self.state.count = 1 end, \
             start = function(self, why) log.info('start %s %s %s', why, self.state.count, self.own) self.own = 1 end, \
             run = function(self) log.info('run') while true do self.state.count = self.state.count + 1 \
             self.state.last = self.rng:int(1, 1000000) task.sleep(1) end end }",
        ),
    ]);
    let (mut run, mut loaded) = piece.over(90);
    assert_eq!(run.said(), ["level start 0", "board true", "start attach 1 nil", "run"]);
    loaded.ticks(1);
    assert_eq!(loaded.said(), ["level load 5", "board true", "start load 3 nil", "run"]);
    // The next number of the stream is the one the run that was never saved would have drawn.
    let last = |run: &Run| {
        let world = run.game.world();
        (world.tick().0, run.game.fingerprint().random)
    };
    run.ticks(31);
    assert_eq!(last(&run).1, last(&loaded).1, "one number more for each");
    assert_eq!(run.game.save().unwrap().len(), run.game.save().unwrap().len());
}

#[test]
fn a_walk_goes_on_and_its_result_goes_to_the_code_that_comes() {
    let behaviour = "return { \
        init = function(self) self.state.stage = 'out' end, \
        run = function(self) if self.state.stage == 'out' then self.state.stage = 'under way' \
            self.character:walk('far') log.info('walked') end end, \
        onWalkSettled = function(self, result) log.info('settled %s %s', result.status, result.reason) end }";
    let piece = Piece::of(&[("anna.lua", behaviour)]);
    let (mut run, mut loaded) = piece.over(60);
    let anna = loaded.game.character("anna").unwrap();
    assert_eq!(run.game.pose(anna), loaded.game.pose(anna), "in the middle of the hall");
    run.ticks(600);
    loaded.ticks(600);
    assert_eq!(run.said(), ["walked"]);
    assert_eq!(loaded.said(), ["settled arrived reached"]);
    assert_eq!(run.game.pose(anna), loaded.game.pose(anna), "to the bit");
    let counts = loaded.game.world().walk_counts();
    assert_eq!((counts.accepted, counts.arrived), (1, 1));
}

#[test]
fn timers_and_handlers_of_walks_that_are_names_go_on_and_functions_end() {
    let behaviour = "return { \
        start = function(self, why) \
            if why == 'attach' then timer.every(1, 'beat') timer.every(1, function() log.info('lost') end) \
            self.character:walkTo('far', { onArrived = 'there' }) end end, \
        beat = function(self) self.state.beats = (self.state.beats or 0) + 1 log.info('beat %d', self.state.beats) end, \
        there = function(self, result) log.info('there %s', result.reason) end }";
    let piece = Piece::of(&[("anna.lua", behaviour)]);
    let (mut run, mut loaded) = piece.over(150);
    assert_eq!(run.said(), ["beat 1", "lost", "beat 2", "lost"]);
    loaded.ticks(60);
    assert_eq!(loaded.said(), ["beat 3"], "to the tick");
    loaded.ticks(600);
    assert!(loaded.said().contains(&"there reached".to_owned()));
}

#[test]
fn timers_by_name_that_code_makes_as_it_begins_are_there_once_after_any_number_of_loads() {
    let behaviour = "return { \
        start = function(self) timer.every(1, 'beat') event.on('bell', 'rung') region.onEnter('corner', 'entered') end, \
        run = function(self) timer.every(1, 'again') end, \
        beat = function(self) log.info('beat') event.emit('bell') end, \
        again = function(self) log.info('again') end, \
        rung = function(self) log.info('rung') end, \
        entered = function(self) log.info('entered') end }";
    let level = "function onStart() timer.every(1, 'hour') end function hour() log.info('hour') end";
    let piece = Piece::of(&[("anna.lua", behaviour), ("level.lua", level)]);
    let mut run = piece.start();
    run.ticks(30);
    for turn in 0..3 {
        run.ticks(60);
        let mut said = run.said();
        said.sort();
        assert_eq!(said, ["again", "beat", "hour", "rung"], "after load {turn}, to the tick");
        run = piece.restore(&run.game.save().unwrap()).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn doors_areas_marks_and_blocks_are_as_they_were_and_edits_that_wait_wait_again() {
    let script = "function onStart(why) if why ~= 'start' then return end \
        world.door('gate'):open() nav.setAreaCost('yard', 3) nav.setAreaAvailable('crate', true) nav.addMark('camp', 'far') \
        timer.after(1, 'later') end \
        function later() nav.block('post', 1) nav.setAreaAvailable('hall', false) end";
    let piece = Piece::of(&[("level.lua", script)]);
    for ticks in [1, 2, 10, 59, 60, 61, 90] {
        let (run, loaded) = piece.over(ticks);
        let (was, is) = (run.game.fingerprint(), loaded.game.fingerprint());
        assert_eq!((was.doors, was.map), (is.doors, is.map), "after {ticks} ticks");
    }
}

#[test]
fn a_block_ends_with_the_code_that_made_it_and_is_made_again_by_it() {
    let behaviour = "return { start = function(self) nav.block('far', 1) end }";
    let piece = Piece::of(&[("anna.lua", behaviour)]);
    let (_, mut loaded) = piece.over(30);
    let sizes: Vec<usize> = (0..4)
        .map(|_| {
            loaded.ticks(3);
            let bytes = loaded.game.save().unwrap();
            loaded = piece.restore(&bytes).unwrap();
            bytes.len()
        })
        .collect();
    assert!(sizes.windows(2).all(|pair| pair[0] == pair[1]), "one block, not more: {sizes:?}");
}

#[test]
fn another_version_migrates_and_what_is_unknown_to_it_is_kept() {
    let one = "return { init = function(self) self.state.alerts = 3 self.state.old = 'kept' end }";
    let two = "return { version = 2, migrate = function(self, from) log.info('from %d', from) self.state.calls = self.state.alerts * 2 end, \
        start = function(self, why) log.info('%s %s %s', why, self.state.calls, self.state.old) end }";
    let piece = Piece::of(&[("anna.lua", one)]);
    let mut run = piece.start();
    run.ticks(5);
    let bytes = run.game.save().unwrap();
    let mut loaded = piece.with("anna.lua", two).restore(&bytes).unwrap();
    assert!(loaded.game.save().is_ok(), "before its code has begun");
    loaded.ticks(1);
    assert_eq!(loaded.said(), ["from 1", "load 6 kept"]);
    let refused = piece.with("anna.lua", "return { version = 2 }").restore(&bytes).err().unwrap();
    assert_eq!(
        refused.to_string(),
        "the save game does not fit: anna.lua:1: version is 2, after 1; expected a function migrate(self, from)"
    );
    assert_eq!(refused.place(), Some(("anna.lua", 1)));
}

#[test]
fn a_script_that_is_missing_is_named() {
    let piece = Piece::of(&[]);
    let mut run = piece.start();
    run.ticks(5);
    let bytes = run.game.save().unwrap();
    let mut without = piece.on(&[(", \"behaviour\": \"anna.lua\"", "")]);
    without.files.remove("anna.lua");
    // The level as it is now gives her none: that is no mistake.
    assert!(without.restore(&bytes).is_ok());
    let mut piece =
        Piece::of(&[("level.lua", "function onStart() world.character('ben'):attach('extra') end")]);
    piece.files.insert("extra.lua".to_owned(), "return {}".to_owned());
    let mut run = piece.start();
    run.ticks(5);
    let bytes = run.game.save().unwrap();
    piece.files.remove("extra.lua");
    let refused = piece.restore(&bytes).err().unwrap().to_string();
    assert!(
        refused.starts_with("the save game does not fit: behaviour \"extra\" of \"ben\": unknown script"),
        "{refused}"
    );
}

#[test]
fn what_faults_as_it_begins_again_is_switched_off_and_the_others_go_on() {
    let behaviour = "return { start = function(self, why) if why == 'load' then error('no') end end, \
        update = function(self) log.info('update') end }";
    let piece = Piece::of(&[("anna.lua", behaviour), ("level.lua", "function onTick() state.ticks = 1 end")]);
    let (_, mut loaded) = piece.over(5);
    loaded.ticks(3);
    assert_eq!(loaded.said(), ["! anna.lua:1: no"]);
    assert_eq!(loaded.game.switched_off().len(), 1);
    // What is switched off stays so over the next load, and comes back when its file is mended.
    let bytes = loaded.game.save().unwrap();
    let again = piece.restore(&bytes).unwrap();
    assert!(again.game.save().unwrap() == bytes);
    assert_eq!(again.game.switched_off().len(), 1);
    let mended = piece.with("anna.lua", "return { start = function(self, why) log.info(why) end }");
    let mut mended = mended.restore(&bytes).unwrap();
    mended.ticks(1);
    assert_eq!((mended.said(), mended.game.switched_off().len()), (vec!["load".to_owned()], 0));
}

const SCENE: &str = "cinematic.define('talk', { RESUMABLE holds = { 'ben' }, script = function(c, args) \
    log.info('script %s %s', c.resumedFrom, args.gold) \
    if c.resumedFrom == nil then c:walk(world.character('ben'), 'post') c:mark('met') end \
    c:wait(2) log.info('end') end })";

#[test]
fn a_scene_under_way_is_refused_or_goes_on_from_its_last_mark() {
    let script = |resumable: &str| {
        let scene = SCENE.replace("RESUMABLE", resumable);
        format!(
            "function onStart(why) {scene} if why == 'start' then cinematic.play('talk', {{ gold = 3 }}) end end"
        )
    };
    let plain = script("");
    let mut run = Piece::of(&[("level.lua", plain.as_str())]).start();
    run.ticks(300);
    assert_eq!(
        run.game.save().unwrap_err().to_string(),
        "cinematic \"talk\" is under way and does not say `resumable = true`"
    );
    let resumable = script("resumable = true,");
    let piece = Piece::of(&[("level.lua", resumable.as_str())]);
    for (ticks, said) in [(10, "script nil 3"), (300, "script met 3")] {
        let (_, mut loaded) = piece.over(ticks);
        let ben = loaded.game.character("ben").unwrap();
        loaded.ticks(1);
        assert_eq!(loaded.said(), [said]);
        assert!(loaded.game.world().character(ben).unwrap().held.is_some(), "its characters are taken again");
        loaded.ticks(600);
        assert_eq!(loaded.said(), ["end"]);
        assert!(loaded.game.world().character(ben).unwrap().held.is_none());
        assert!(loaded.game.save().is_ok());
    }
}

#[test]
fn a_walk_whose_path_was_bent_has_as_far_to_go_after_a_load() {
    let level = "function onStart(why)
        if why == 'start' then world.character('anna'):walkTo('far') end
    end
    function onTick()
        local anna = world.character('anna')
        local walk = anna.currentWalk
        if level.tick == 60 then walk:retarget(15.2, 3.1) end
        if walk then log.info('%s %s', anna.position, walk:remaining()) end
    end";
    let piece = Piece::of(&[("level.lua", level)]);
    for saved_at in [40, 61, 62, 120] {
        let (mut run, mut loaded) = piece.over(saved_at);
        run.said();
        let (straight, again) = (run.ticks(900).said(), loaded.ticks(900).said());
        assert!(straight.len() > 300, "it is under way");
        assert_eq!(again, straight, "saved after {saved_at} ticks");
    }
}

/// Anna sets out over ground that has just become expensive, in whose sectors paths are then searched for
/// from cell to cell until all of them are made again.
fn over_new_costs() -> Piece {
    let level = "local goals = { { 250, 250 }, { 4, 250 }, { 250, 4 } }
    function onTick()
        local anna = world.character('anna')
        if level.tick == 5 then nav.setAreaCost('mud', 4) end
        if level.tick % 12 == 8 then
            local goal = goals[level.tick // 12 % 3 + 1]
            anna:walkTo(vector.create(goal[1], 0, goal[2]))
        end
        log.info('%s', anna.position)
    end";
    let tile = |x: usize, z: usize| match (x * 7 + z * 13) % 31 {
        0 if x > 8 || z > 8 => '#',
        _ if (x / 9 + z / 5).is_multiple_of(3) => ',',
        _ => '.',
    };
    let row = |z: usize| (0..256).map(|x| tile(x, z)).collect::<String>();
    let rows: Vec<String> = (0..256).map(row).collect();
    let mut piece = Piece::of(&[("level.lua", level)]);
    piece.json = serde_json::json!({
        "script": "level.lua",
        // A search that is under way is begun again by a load.
        "pathBudget": 1_000_000,
        "navigation": {
            "kind": "tiles", "hierarchy": "on", "agentRadius": 0.35,
            "legend": { ",": { "area": "mud", "cost": 2 } },
            "layers": [{ "name": "ground", "rows": rows }]
        },
        "characters": [{ "name": "anna", "position": [4, 4], "walkSpeed": 3 }]
    })
    .to_string();
    piece
}

#[test]
fn sectors_that_wait_to_be_made_again_wait_after_a_load_as_well() {
    let piece = over_new_costs();
    let mut waited = 0;
    for saved_at in [3, 6, 7, 9, 14, 40] {
        let (mut run, mut loaded) = piece.over(saved_at);
        let unmade = run.game.world().nav().unmade();
        assert_eq!(loaded.game.world().nav().unmade(), unmade, "saved after {saved_at} ticks");
        waited += usize::from(!unmade.is_empty());
        run.said();
        let (straight, again) = (run.ticks(90).said(), loaded.ticks(90).said());
        assert_eq!(again, straight, "saved after {saved_at} ticks");
    }
    assert_eq!(waited, 4, "of six");
}

#[test]
fn a_scene_that_is_about_to_end_ends_after_a_load_as_well() {
    // With one round of events what is asked for in step 12 waits for the next tick.
    let cancel = "event.on('stop', function() cinematic.running():cancel() end)";
    let fault = "task.waitEvent('stop') error('broken', 0)";
    let returned = "world.character('ben'):walkTo('far')";
    for (asked, script, outcome) in [
        (cancel, "c:wait(9)", "cancelled nil"),
        (cancel, returned, "cancelled nil"),
        ("", fault, "fault level.lua:2: broken"),
    ] {
        let level = format!(
            "function onStart(why) {asked} cinematic.define('talk', {{ resumable = true, holds = {{ 'ben' }},
                script = function(c) log.info('script') {script} end,
                onEnd = function(info) log.info('%s %s', info.outcome, info.error) end }})
                if why == 'start' then cinematic.play('talk') end
            end
            function onTick() if level.tick == 20 then event.emit('stop') end end"
        );
        let piece = Piece::of(&[("level.lua", level.as_str())]);
        let piece = piece.on(&[("\"seed\": 7", "\"seed\": 7, \"limits\": { \"eventRounds\": 1 }")]);
        let (mut run, mut loaded) = piece.over(20);
        let held = |run: &Run| {
            let ben = run.game.character("ben").unwrap();
            run.game.world().character(ben).unwrap().held.is_some()
        };
        assert!(held(&run), "the end of the scene waits");
        run.said();
        // A load that is saved before it runs is the same save.
        assert!(loaded.game.save().unwrap() == run.game.save().unwrap());
        for run in [&mut run, &mut loaded] {
            run.ticks(1);
            assert_eq!(run.said(), [outcome], "{asked}{script}");
            assert!(!held(run), "its characters are free again");
            assert!(run.ticks(700).said().is_empty());
        }
    }
}

#[test]
fn a_level_that_has_changed_is_taken_in_as_by_a_reload() {
    let piece = Piece::of(&[("level.lua", "function onStart() world.door('gate'):open() end")]);
    let mut run = piece.start();
    run.ticks(60);
    let bytes = run.game.save().unwrap();
    let changed = piece.on(&[
        ("\"name\": \"ben\", \"position\": [3,8]", "\"name\": \"carl\", \"position\": [5,5]"),
        ("\"far\": [15,3]", "\"far\": [16,3]"),
        ("\"position\": [3,3], \"behaviour\"", "\"position\": [3,3], \"walkSpeed\": 2.5, \"behaviour\""),
    ]);
    let mut loaded = changed.restore(&bytes).unwrap();
    loaded.ticks(5);
    let world = loaded.game.world();
    assert!(world.find_character("ben").is_none() && world.find_character("carl").is_some());
    let anna = world.find_character("anna").unwrap();
    assert_eq!(world.character(anna).unwrap().gait.walk_mps, 2.5);
    let gate = world.find_door("gate").unwrap();
    assert_eq!(world.doors()[gate.index()].state.name(), "open", "doors keep their state");
    assert!(loaded.game.save().is_ok());
}

#[test]
fn the_header_tells_what_it_is_a_save_of() {
    let piece = Piece::of(&[]);
    let mut run = piece.start();
    run.ticks(12);
    let header = SaveHeader::read(&run.game.save().unwrap()).unwrap();
    assert_eq!((header.form, header.tick, header.seed, header.tick_rate), (SAVE_FORM, 12, 7, 60));
    assert_eq!(header.level_hash, piece.level().hash());
    assert_eq!(header.scripts.keys().map(String::as_str).collect::<Vec<_>>(), ["anna.lua", "level.lua"]);
}

#[test]
fn a_level_test_saves_and_loads_the_level_around_it() {
    let anna = "return { init = function(self) self.state.beats = 0 end, \
        run = function(self) while true do self.state.beats = self.state.beats + 1 self.character:walk('far') \
        self.character:walk('post') end end, \
        start = function(self, why) event.emit('began', { why = why }) end }";
    let test = "test.level('twice the same', { level = 'save' }, function(t) \
        local anna = world.character('anna') \
        t:run(3) \
        local saved = t:save() \
        local tick, place = level.tick, anna.position \
        local function morning() t:run(4) return anna.position, t:save() end \
        local place_once, once = morning() \
        t:expect(t:load(saved).ok):toBe(true) \
        t:expect(level.tick):toBe(tick) \
        t:expect(vector.magnitude(anna.position - place) < 0.1):toBe(true) \
        local place_twice, twice = morning() \
        t:expect(t:load(saved).ok):toBe(true) \
        local place_thrice, thrice = morning() \
        t:expect(place_twice):toEqual(place_thrice) \
        t:expect(twice == thrice):toBe(true) \
        t:expect(vector.magnitude(place_once - place_twice) < 0.5):toBe(true) \
        local refused = t:load('nothing') \
        t:expect(refused.ok):toBe(false) \
        t:expect(refused.message):toContain('no save game of walkon') \
        t:run(1) end)";
    let piece = Piece::of(&[("anna.lua", anna), ("save_test.lua", test)]);
    let result = piece.test();
    assert!(result.passed, "{result:?}");
}

#[test]
fn results_of_what_a_load_undoes_are_forgotten() {
    let test = "test.level('undone', { level = 'save' }, function(t) \
        local anna = world.character('anna') \
        t:run(0.2) \
        local walk, kept = anna:walkTo('far'), t:expect(7) \
        t:run(0.5) \
        local saved = t:save() \
        t:expect(walk:wait().ok):toBe(true) \
        local later = {} \
        for i = 1, 20 do later[i] = anna:walkTo(i % 2 == 0 and 'far' or 'post') t:ticks(2) end \
        later[20]:wait() \
        t:expect(t:load(saved).ok):toBe(true) \
        t:expect(walk.result):toBe(nil) \
        t:expect(walk.state == 'settled'):toBe(false) \
        t:expect(walk:wait().ok):toBe(true) \
        kept:toBe(7) \
        for i = 1, 20 do local again = anna:walkTo('post') t:expect(again.result):toBe(nil) t:ticks(2) end end)";
    let piece = Piece::of(&[("save_test.lua", test)]);
    let result = piece.test();
    assert!(result.passed, "{result:?}");
}

/// Anna, who can climb, goes over the wall as the level begins; `more` is added to her behaviour.
fn over_the_wall(navigation: &str, more: &str) -> Piece {
    let behaviour = format!(
        "return {{ start = function(self, why) if why ~= 'load' then \
        self.character:walkTo('beyond', {{ accept = 'exact', onArrived = 'there' }}) end end, \
        there = function(self, result) log.info('%s/%s', result.status, result.reason) end {more} }}"
    );
    let mut piece = Piece::of(&[("anna.lua", behaviour.as_str())]);
    piece.json = format!(
        r#"{{ "navigation": {navigation}, "script": "level.lua", "marks": {{ "beyond": [5.5, 6.5] }},
        "characters": [{{ "name": "anna", "position": [5.5, 0.5], "walkSpeed": 2, "tags": ["climb"], "behaviour": "anna.lua" }}] }}"#
    );
    piece
}

#[test]
fn a_walk_that_is_saved_on_an_action_link_settles_once_on_every_kind_of_map() {
    let slow = ", onTraverse = function(self, link) task.sleep(1.5) log.info('over') end";
    for map in crate::crowd::link_actions::kinds() {
        for behaviour in ["", slow] {
            let piece = over_the_wall(&map, behaviour);
            let mut run = piece.start();
            let mut begun = None;
            while begun.is_none() {
                let tick = run.game.tick(&[]);
                let is_link = |event: &Event| matches!(event, Event::LinkBegun { .. });
                begun = tick.events.iter().any(is_link).then(|| run.game.world().tick().0);
                assert!(run.game.world().tick().0 < 600, "nobody climbs: {map}");
            }
            // In its first tick, in the middle, and shortly before its end.
            for ticks in [0, 45, 40] {
                run.ticks(ticks);
                let bytes = run.game.save().unwrap();
                let (mut one, mut other) = (piece.restore(&bytes).unwrap(), piece.restore(&bytes).unwrap());
                assert!(one.game.save().unwrap() == bytes, "save, load, save: {map}");
                for _ in 0..600 {
                    one.ticks(1);
                    other.ticks(1);
                    assert_eq!(one.game.fingerprint(), other.game.fingerprint(), "{map}");
                }
                let said = one.said();
                let ends: Vec<&String> = said.iter().filter(|line| line.contains('/')).collect();
                assert_eq!(ends, ["arrived/reached"], "{said:?}: {map}");
                // What a script had taken over is over with its code.
                assert!(ticks == 0 || said.len() == 1, "{said:?}: {map}");
                let counts = one.game.world().walk_counts();
                assert_eq!((counts.accepted, counts.arrived), (1, 1), "{map}");
            }
        }
    }
}

/// Anna climbs a ladder of six metres.
fn on_a_ladder() -> Piece {
    let behaviour = "return { start = function(self, why) if why ~= 'load' then \
        self.character:walkTo('beyond', { accept = 'exact' }) end end }";
    let mut piece = Piece::of(&[("anna.lua", behaviour)]);
    piece.json = r#"{ "navigation": { "kind": "graph", "links": [[0, 1], [1, 2], [2, 3]],
        "points": [[0, 0, 0], [1, 0, 0], [1.5, 6, 0], [4, 6, 0]] }, "marks": { "beyond": [4, 6, 0] },
        "characters": [{ "name": "anna", "position": [0, 0, 0], "walkSpeed": 2, "behaviour": "anna.lua" }] }"#
        .to_owned();
    piece
}

#[test]
fn a_walk_that_is_saved_on_a_ladder_goes_on_from_where_it_was() {
    let piece = on_a_ladder();
    let mut run = piece.start();
    for _ in 0..8 {
        run.ticks(30);
        let bytes = run.game.save().unwrap();
        let mut other = piece.restore(&bytes).unwrap();
        assert!(other.game.save().unwrap() == bytes, "save, load, save");
        let mut one = piece.restore(&bytes).unwrap();
        for _ in 0..400 {
            one.ticks(1);
            other.ticks(1);
            assert_eq!(one.game.fingerprint(), other.game.fingerprint());
        }
        let counts = one.game.world().walk_counts();
        assert_eq!((counts.accepted, counts.arrived), (1, 1));
    }
}

#[test]
fn a_block_of_an_upper_layer_is_there_again_after_loading() {
    let script = "function onStart() nav.block('post', 0.6, 'sky') end";
    let mut piece = Piece::of(&[("level.lua", script)]);
    piece.json = r#"{ "navigation": { "kind": "tiles", "layers": [
        { "name": "ground", "rows": ["..."] }, { "name": "sky", "rows": ["..."] } ] },
        "script": "level.lua", "marks": { "post": [1.5, 0.5] } }"#
        .to_owned();
    let mut run = piece.start();
    run.ticks(2);
    let loaded = piece.restore(&run.game.save().unwrap()).unwrap();
    for game in [&run.game, &loaded.game] {
        let can_stand = [0, 1].map(|layer| {
            let by = Traversal { layer, ..Traversal::default() };
            game.world().nav().is_walkable(Vec3::new(1.5, 0.0, 0.5), &by)
        });
        assert_eq!(can_stand, [true, false]);
    }
}

#[test]
fn a_scene_whose_script_has_returned_ends_with_its_walks_and_does_not_run_again() {
    let script = "function onStart(why)
        cinematic.define('farewell', { holds = { 'ben' }, resumable = true, script = function(s)
            log.info('script')
            nav.block('post', 0.5)
            world.character('ben'):walkTo('far')
        end, onEnd = function(e) log.info('end %s', e.outcome) end })
        if why == 'start' then cinematic.play('farewell') end
    end";
    let piece = Piece::of(&[("level.lua", script)]);
    let (mut run, mut loaded) = piece.over(60);
    assert_eq!(run.said(), ["script"]);
    loaded.ticks(1);
    assert!(
        loaded
            .game
            .character("ben")
            .and_then(|ben| loaded.game.world().character(ben)?.held.as_ref())
            .is_some()
    );
    loaded.ticks(1200);
    assert_eq!(loaded.said(), ["end finished"]);
    run.ticks(1201);
    let place =
        |run: &Run| run.game.world().character(run.game.character("ben").unwrap()).unwrap().body.position;
    assert!(place(&loaded).distance(place(&run)) < 0.1, "{} {}", place(&loaded), place(&run));
}

#[test]
fn blocks_of_code_that_is_gone_end_with_the_load() {
    let behaviour = "return { start = function(self) nav.block('far', 1) end }";
    let piece = Piece::of(&[("anna.lua", behaviour)]);
    let mut run = piece.start();
    run.ticks(30);
    let bytes = run.game.save().unwrap();
    let is_free =
        |run: &Run| run.game.world().nav().is_walkable(Vec3::new(15.0, 0.0, 3.0), &Traversal::default());
    assert!(!is_free(&run));
    let without = piece.on(&[(", \"behaviour\": \"anna.lua\"", "")]);
    let mut loaded = without.restore(&bytes).unwrap();
    loaded.ticks(3);
    assert!(is_free(&loaded), "nobody has a handle of that block");
}

#[test]
fn a_level_that_an_edit_renamed_loads_what_was_saved_after_it() {
    let piece = Piece::of(&[]).on(&[("\"seed\": 7", "\"name\": \"old\", \"seed\": 7")]);
    let renamed = piece.on(&[("\"name\": \"old\"", "\"name\": \"new\"")]);
    let mut run = piece.start();
    run.ticks(5);
    let files = BTreeMap::from([("save.json".to_owned(), renamed.json.as_bytes().to_vec())]);
    let level = walkon_runtime::game::inputs::LevelTexts { path: "save.json".to_owned(), files };
    let reload = Reload { scripts: BTreeMap::new(), level: Some(level) };
    run.game.tick(&[Input::Reload(reload)]);
    run.ticks(5);
    assert_eq!(run.game.world().level_name(), "new");
    assert!(renamed.restore(&run.game.save().unwrap()).is_ok());
}

/// Law: when the fuel of a tick does not suffice for all who hear of an event, the others hear of it after a
/// load or a reload as if there had been none: each once, in order.
#[test]
fn an_event_is_told_to_the_rest_of_those_who_hear_of_it_over_a_load_and_a_reload() {
    let level = "function onStart(why)
          if why ~= 'start' then return end
          for i = 1, 12 do
            world.spawn({ name = 'n' .. i, at = vector.create(i, 0, 15), behaviour = 'hearer' })
          end
          timer.after(0.1, function() event.emit('go', { loud = true }) end)
        end";
    let hearer = "return { on = { go = function(self, news)
          log.info('%s %s', self.character.name, news.loud) for i = 1, 50000 do end
        end } }";
    let piece = Piece::of(&[("level.lua", level), ("hearer.lua", hearer)]);
    let all: Vec<String> = (1..=12).map(|number| format!("n{number} true")).collect();
    let mut whole = piece.start();
    assert_eq!(whole.ticks(60).said(), all);
    for ticks in 6..14 {
        let (mut run, mut loaded) = piece.over(ticks);
        let mut said = run.said();
        let before = said.len();
        said.extend(loaded.ticks(60).said());
        assert_eq!(said, all, "loaded after {ticks} ticks, {before} had heard of it");
        let mut run = piece.start();
        run.ticks(ticks);
        let scripts = [("hearer.lua".to_owned(), Some(format!("{hearer} -- again")))].into();
        let reload = Reload { scripts, level: None };
        run.tick_with(&[Input::Reload(reload)]);
        assert_eq!(run.ticks(60).said(), all, "reloaded after {ticks} ticks");
    }
}

/// Law: what a reload keeps of one event for one owner is bounded like all that is kept, and what is dropped
/// is told.
#[test]
fn a_reload_keeps_a_bounded_number_of_calls_for_those_who_have_not_heard_of_an_event_yet() {
    let level = "function hear() log.info('heard') for i = 1, 50000 do end end
        function onStart(why)
          if why ~= 'start' then return end
          for i = 1, 100 do event.on('go', 'hear') end
          timer.after(0.1, function() event.emit('go') end)
        end";
    let mut run = Piece::of(&[("level.lua", level)]).start();
    run.ticks(8);
    let before = run.said().len();
    assert!((1..30).contains(&before), "{before}");
    let scripts = [("level.lua".to_owned(), Some(format!("{level} -- again")))].into();
    run.tick_with(&[Input::Reload(Reload { scripts, level: None })]);
    let after = run.ticks(60).said();
    let dropped = format!("dropped ({})", 100 - before - 64);
    assert_eq!(after.iter().filter(|line| *line == "heard").count(), 64, "{before} before, {after:?}");
    assert_eq!(after.iter().filter(|line| line.contains(&dropped)).count(), 1, "{dropped} {after:?}");
}

/// Law: what came for a character while a scene held it waits over a load until the scene lets it go.
#[test]
fn events_of_a_held_character_wait_over_a_load_until_it_goes_on() {
    let level = "function onStart(why)
          cinematic.define('talk', { holds = { 'anna' }, resumable = true, script = function(s)
            if s.resumedFrom == nil then
              s:mark('met')
              for i = 1, 3 do event.emit('go', { number = i }) end
            end
            s:wait(1)
            log.info('end')
          end })
          if why == 'start' then cinematic.play('talk') end
        end";
    let anna = "return { on = { go = function(self, news) log.info('%d', news.number) end } }";
    let piece = Piece::of(&[("level.lua", level), ("anna.lua", anna)]);
    for ticks in [20, 40] {
        let (mut run, mut loaded) = piece.over(ticks);
        assert_eq!(run.said(), Vec::<String>::new());
        assert_eq!(loaded.ticks(120).said(), ["end", "1", "2", "3"], "loaded after {ticks} ticks");
    }
}
