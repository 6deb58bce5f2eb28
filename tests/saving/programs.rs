//! Random programs that keep to the contract of `docs/saving.md`: saved and loaded, or reloaded, at any tick
//! they go on as if nothing had been.
//!
//! Goal: what people do and hear does not depend on when a game was saved or its code was read again, as long
//! as scripts give handlers and timers by name, keep plain data, and begin nothing that `start("load")` makes
//! again. Method: behaviours and a level script are drawn whose handlers do what they like with walks,
//! timers, doors, areas, boards, random numbers and events; a run goes straight on, a second one is saved at
//! a tick and loaded, a third one reads its files again there; the lines that they write and where everybody
//! stands must be the same. `SAVE_PROGRAMS=1000` draws more of them.

use std::collections::BTreeMap;

use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::inputs::{Input, Reload};
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{Level, MemorySource, load};

use crate::long_form::number;

/// Searches end in the tick in which they begin: one under way begins again after a load.
const LEVEL: &str = r#"{
  "seed": 7, "script": "level.lua", "pathBudget": 1000000,
  "limits": { "logLinesPerTick": 10000, "fuelPerTick": 10000000 },
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
    { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] },
    { "name": "doorway", "polygon": [[20,9],[21,9],[21,11],[20,11]] },
    { "name": "vault", "polygon": [[21,0],[30,0],[30,20],[21,20]] } ],
    "obstacles": [ { "name": "shed", "polygon": [[8,8],[9,8],[9,9],[8,9]], "available": false } ] },
  "doors": [ { "name": "gate", "area": "doorway", "open": false, "seconds": 0.2 } ],
  "marks": { "post": [3,3], "near": [3.5,3], "far": [15,3], "cell": [25,10] },
  "routes": { "rounds": ["post", "near", "far"] },
  "characters": [
    { "name": "anna", "position": [3,3], "behaviour": "anna.lua" },
    { "name": "ben", "position": [3,8], "behaviour": "ben.lua" },
    { "name": "carl", "position": [3,12] }, { "name": "dora", "position": [12,12] } ]
}"#;

/// What a handler may do; `WHO`, `PLACE`, `SECONDS`, `HANDLER` and `OPTIONS` are drawn.
const STATEMENTS: &[&str] = &[
    "WHO:walkTo(PLACE, { OPTIONS })",
    "WHO:walkTo(PLACE, { OPTIONS })",
    "WHO:walkTo(PLACE, { OPTIONS })",
    "WHO:follow(WHO, { keep = true, OPTIONS })",
    "WHO:flee(PLACE, { OPTIONS })",
    "WHO:patrol('rounds', { pause = 0.1, onStop = HANDLER, OPTIONS })",
    "WHO:wander({ pause = 0.1, OPTIONS })",
    "WHO:stopInPlace()",
    "WHO:teleport(PLACE)",
    "WHO:face(PLACE)",
    "WHO:play('wave', { seconds = SECONDS })",
    "WHO:setSpeed(2.5)",
    "local walk = WHO.currentWalk if walk then walk:retarget(PLACE) end",
    "local walk = WHO.currentWalk if walk then walk:pause() end",
    "local walk = WHO.currentWalk if walk then walk:resume() end",
    "local walk = WHO.currentWalk if walk then log.info('%s %s', walk.state, walk:remaining()) end",
    "timer.after(SECONDS, HANDLER, { 1, 'x' })",
    "timer.after(SECONDS, HANDLER)",
    "timer.every(0.3, HANDLER, { times = 3, payload = vector.one })",
    "world.door('gate'):open()",
    "world.door('gate'):close()",
    "world.door('gate'):close({ whenOccupied = 'push' })",
    "world.door('gate'):toggle({ by = WHO })",
    "world.door('gate'):lock('bone')",
    "world.door('gate'):unlock('bone')",
    "nav.setAreaAvailable('shed', level.tick % 2 == 0)",
    "nav.setAreaCost('shed', 5)",
    "nav.addMark('spot', PLACE)",
    "event.emit('ring', { at = level.tick })",
    "event.send(WHO, 'ring')",
    "blackboard.level:set('key', level.tick, { ttl = SECONDS })",
    "log.info('%s', blackboard.level:get('key'))",
    "log.info('%d', rng.stream('dice'):int(1, 1000))",
    "log.info('%d', math.random(1, 1000))",
    "state.count = (state.count or 0) + 1 log.info('%d', state.count)",
    "world.spawn({ name = 'zoe', at = PLACE })",
    "local zoe = world.findCharacter('zoe') if zoe then zoe:despawn() end",
];

const PLACES: &[&str] =
    &["'post'", "'near'", "'far'", "'cell'", "vector.create(9, 0, 14)", "world.door('gate')"];
const PEOPLE: &[&str] = &["anna", "ben", "carl", "dora"];
const SECONDS: &[&str] = &["0", "0.02", "0.1", "0.25", "1"];
const OPTIONS: &[&str] = &[
    "gait = 'run'",
    "accept = 'near'",
    "accept = 'exact'",
    "doors = 'open'",
    "doors = 'wait'",
    "patience = 0.3",
    "timeout = 0.5",
    "ensure = true",
    "face = 1",
    "crowd = 'ghost'",
    "onArrived = HANDLER",
    "onFailed = HANDLER",
    "onCancelled = HANDLER",
    "onSettled = HANDLER",
    "onWaypoint = HANDLER",
    "onNear = HANDLER",
];
/// Names of handlers.
const HANDLERS: &[&str] = &["first", "second", "third"];

struct Author(Rng);

impl Author {
    fn one_of(&mut self, words: &[&'static str]) -> &'static str {
        words[self.0.below(words.len() as u64) as usize]
    }

    fn statement(&mut self) -> String {
        let mut text = self.one_of(STATEMENTS).to_owned();
        let mut options: Vec<&str> = Vec::new();
        for _ in 0..self.0.below(4) {
            let option = self.one_of(OPTIONS);
            let key = |option: &str| option.split(' ').next().unwrap_or_default().to_owned();
            if options.iter().all(|other| key(other) != key(option)) {
                options.push(option);
            }
        }
        text = text.replace("OPTIONS", &options.join(", "));
        while text.contains("WHO") {
            text = text.replacen("WHO", &format!("world.character('{}')", self.one_of(PEOPLE)), 1);
        }
        for (slot, words) in [("PLACE", PLACES), ("SECONDS", SECONDS)] {
            text = text.replace(slot, self.one_of(words));
        }
        while text.contains("HANDLER") {
            text = text.replacen("HANDLER", &format!("'{}'", self.one_of(HANDLERS)), 1);
        }
        // What is refused is refused in every run.
        format!("pcall(function() {text} end)\n")
    }

    fn block(&mut self, count: u64) -> String {
        (0..count).map(|_| self.statement()).collect()
    }

    /// The handlers, as functions of that prefix; each owner answers so often and then no more.
    fn handlers(&mut self, prefix: &str, kept: &str) -> String {
        let mut text = String::new();
        for name in HANDLERS {
            let count = 1 + self.0.below(3);
            text += &format!(
                "function {prefix}{name}(given) log.info('{name} %s', type(given)) {kept}.n = ({kept}.n or 0) + 1
                if {kept}.n < 200 then {} end end\n",
                self.block(count)
            );
        }
        text
    }

    fn program(&mut self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let level = format!(
            "function onStart(why) if why == 'start' then {} end end
            function onTick() if level.tick % 25 == 0 then {} end end\n{}",
            self.block(6),
            self.block(2),
            self.handlers("", "state")
        );
        files.insert("level.lua".to_owned(), level);
        for name in ["anna.lua", "ben.lua"] {
            let behaviour = format!(
                "local b = {{ updateEvery = 2, on = {{ ring = function(self) {} end }} }}
                function b:start(why) if why == 'attach' then {} end end
                function b:update() if level.tick % 34 == 0 then {} end end
                {}return b",
                self.block(1),
                self.block(3),
                self.block(2),
                self.handlers("b:", "self.state")
            );
            files.insert(name.to_owned(), behaviour);
        }
        files
    }
}

fn level() -> Level {
    load("programs.json", &MemorySource::new().with("programs.json", LEVEL)).expect("it is a level")
}

fn setup(scripts: &BTreeMap<String, String>) -> Setup {
    let recorder = Recorder::new(RecordOptions { trace: true, ..RecordOptions::default() });
    Setup { scripts: scripts.clone(), recorder, ..Setup::default() }
}

/// What scripts write in so many ticks, and where everybody stands after each.
fn story(game: &mut Game, ticks: u64, mut inputs: Vec<Input>) -> Vec<String> {
    let mut told = Vec::new();
    for _ in 0..ticks {
        let tick = game.tick(&std::mem::take(&mut inputs));
        let is_told = |line: &&String| {
            ["log", "walkSettled", "doorChanged", "scriptFault"]
                .iter()
                .any(|kind| line.contains(&format!("\"e\":\"{kind}\"")))
        };
        told.extend(tick.lines.iter().filter(is_told).cloned());
        for (_, found) in game.world().characters() {
            told.push(format!("{} {} {} {}", tick.number, found.name, found.body.position, found.facing_rad));
        }
    }
    told
}

fn assert_same(straight: &[String], other: &[String], what: &str) {
    let differs = straight.iter().zip(other).find(|(one, other)| one != other);
    assert_eq!(differs, None, "{what}");
    assert_eq!(straight.len(), other.len(), "{what}");
}

#[test]
fn programs_that_keep_to_the_contract_go_on_over_a_load_and_over_a_reload() {
    for seed in 0..number("SAVE_PROGRAMS", 24) {
        let mut author = Author(Rng::stream(seed, "programs"));
        let scripts = author.program();
        let (before, after) = (2 + author.0.below(200), 200);
        let mut game = Game::load(level(), setup(&scripts)).expect("it starts");
        story(&mut game, before, Vec::new());
        let bytes = game.save().expect("no scene is under way");
        let mut reloaded = Game::load(level(), setup(&scripts)).expect("it starts");
        story(&mut reloaded, before, Vec::new());
        let mut loaded = Game::restore(level(), setup(&scripts), &bytes).expect("it is a save");
        let straight = story(&mut game, after, Vec::new());
        let what = |how: &str| format!("program {seed}, {how} after {before} ticks");
        assert_same(&straight, &story(&mut loaded, after, Vec::new()), &what("loaded"));
        let texts = scripts.iter().map(|(path, text)| (path.clone(), Some(format!("{text}\n-- read again"))));
        let reload = Input::Reload(Reload { scripts: texts.collect(), level: None });
        assert_same(&straight, &story(&mut reloaded, after, vec![reload]), &what("read again"));
    }
}
