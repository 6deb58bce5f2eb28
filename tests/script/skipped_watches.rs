//! Scenes that watch: predicates, timers, regions, circles, eyes. Watched and skipped they hear the same.
//!
//! Goal: whatever a scene waits for or listens to comes in the same order, at the same places, whether the
//! scene is watched or skipped, and whenever the skip comes. Method: generated scenes whose handlers note
//! where everybody stands, skipped at ticks that are drawn; and one small scene for each thing that went
//! wrong once.

use std::collections::BTreeMap;

use crate::script::scenes::{Play, Scenes, exact_places, scene_of, scene_seeds, script};

impl Scenes {
    fn metres(&mut self) -> String {
        format!("{:.2}", 0.5 + self.draw(500) as f64 / 100.0)
    }

    /// Something of the scene that looks at a person.
    fn predicate(&mut self, people: u64) -> String {
        let who = self.draw(people);
        match self.draw(4) {
            0 => format!("not p{who}:isMoving()"),
            1 => format!("p{who}.position.z > {}", self.metres()),
            2 => "told > 5".to_owned(),
            _ => format!("p{who}.position.x > {}", self.metres()),
        }
    }

    /// A handler that notes, and now and then waits and notes again.
    fn handler(&mut self, what: &str) -> String {
        let more = match self.draw(4) {
            0 => format!(" task.sleep({}) note(\"after {what}\")", self.seconds()),
            _ => String::new(),
        };
        format!("function(e) told += 1 note(\"{what}\"){more} end")
    }

    fn watch_options(&mut self, people: u64, number: u64) -> String {
        let mut options = Vec::new();
        for (key, odds) in [("onEnter", 2), ("onExit", 1), ("onStay", 2)] {
            if self.draw(odds) == 0 {
                options.push(format!("{key} = {}", self.handler(&format!("{key} {number}"))));
            }
        }
        match self.draw(4) {
            0 => options.push(format!("filter = p{}", self.draw(people))),
            1 => options.push("filter = function(who) return who.position.x > 2 end".to_owned()),
            _ => {}
        }
        if self.draw(3) == 0 {
            options.push("initial = true".to_owned());
        }
        if self.draw(4) == 0 {
            options.push(format!("edge = \"{}\"", ["any", "full"][self.draw(2) as usize]));
        }
        options.push(format!("every = {}", self.seconds()));
        options.join(", ")
    }

    /// A watch, a timer or a task beside the script.
    fn listener(&mut self, people: u64, number: u64) -> String {
        match self.draw(9) {
            0 => format!(
                "region.near(\"m{}\", {}, {{ {} }})",
                self.draw(6),
                self.metres(),
                self.watch_options(people, number)
            ),
            1 => format!(
                "region.near(p{}, {}, {{ {} }})",
                self.draw(people),
                self.metres(),
                self.watch_options(people, number)
            ),
            2 => format!("region.on(\"r{}\", {{ {} }})", self.draw(2), self.watch_options(people, number)),
            3 => {
                let every =
                    if self.draw(2) == 0 { format!(", every = {}", self.seconds()) } else { String::new() };
                format!(
                    "region.when(function() return {} end, {{ onTrue = {}, onFalse = {}{every} }})",
                    self.predicate(people),
                    self.handler(&format!("true {number}")),
                    self.handler(&format!("false {number}"))
                )
            }
            4 => format!(
                "timer.every({:.3}, {}, {{ times = {} }})",
                0.1 + self.draw(900) as f64 / 1000.0,
                self.handler(&format!("every {number}")),
                1 + self.draw(5)
            ),
            5 => format!("timer.after({}, {})", self.seconds(), self.handler(&format!("timer {number}"))),
            6 => format!(
                "sense.watch(p{}, {}, {{ range = {}, degrees = {}, onNotice = {}, onLose = {} }})",
                self.draw(people),
                if self.draw(2) == 0 {
                    "world.character(\"stands\")".to_owned()
                } else {
                    format!("p{}", self.draw(people))
                },
                self.metres(),
                60 + self.draw(300),
                self.handler(&format!("notice {number}")),
                self.handler(&format!("lose {number}"))
            ),
            _ => format!(
                "task.spawn(function() task.waitUntil(function() return {} end) note(\"until {number}\") c:wait({}) note(\"waited {number}\") end)",
                self.predicate(people),
                self.seconds()
            ),
        }
    }

    /// One step of the script of a scene that watches.
    fn watching_step(&mut self, people: u64, number: u64) -> String {
        match self.draw(5) {
            0 | 1 => self.listener(people, number),
            2 => format!(
                "note(task.waitUntil(function() return {} end, {{ timeout = {} }}) and \"came\" or \"did not\")",
                self.predicate(people),
                self.seconds()
            ),
            _ => self.statement(people),
        }
    }

    /// A level and its scene, which holds so many people and watches them.
    pub(super) fn watching_level(&mut self, people: u64) -> (String, String) {
        let json = self.stage(people);
        let steps = 4 + self.draw(6);
        let body: Vec<String> =
            (0..steps).map(|number| self.watching_step(people, number) + " note(\"step\")").collect();
        let more = r#""limits": { "fuelPerTick": 100000000, "logLinesPerTick": 100000 }, "regions": [
            { "name": "r0", "polygon": [[0,0],[5,0],[5,12],[0,12]] },
            { "name": "r1", "polygon": [[3,2],[9,2],[9,8],[3,8]] } ], "navigation""#;
        (json.replace("\"navigation\"", more), scene_of(people, &body))
    }
}

/// Law: a scene hears and does the same, watched or skipped, whenever the skip comes. `SCENES=1000` and
/// `SCENE_SEEDS` as for the law of `scenes.rs`.
#[test]
fn a_scene_that_watches_hears_the_same_whenever_it_is_skipped() {
    let seeds = scene_seeds();
    let count = seeds.len();
    let (mut wrong, mut heard) = (Vec::new(), BTreeMap::<String, usize>::new());
    for seed in seeds {
        let mut scenes = Scenes { random: seed ^ 0x5EED_0000_0000 };
        let people = 1 + scenes.draw(3);
        let (json, script) = scenes.watching_level(people);
        let level = "function onStart() cinematic.play(\"scene\") end".to_owned();
        let scripts = BTreeMap::from([("level.lua".to_owned(), level), ("scene.lua".to_owned(), script)]);
        let mut watched = Play::of(&json, scripts.clone(), false);
        let expected = exact_places(&mut watched);
        let told = watched.told();
        let ended = watched.facts.iter().find(|fact| fact["e"] == "cinematicEnded").unwrap();
        assert_eq!(ended["outcome"], "finished", "scene {seed}: {ended}");
        for word in told.iter().filter_map(|line| line.split(' ').next()) {
            *heard.entry(word.to_owned()).or_default() += 1;
        }
        let last = ended["t"].as_u64().unwrap();
        for at in [1, 1 + scenes.draw(last.max(2) - 1), 1 + scenes.draw(last.max(2) - 1)] {
            let mut skipped = Play::of(&json, scripts.clone(), false);
            skipped.ticks(at - 1).skip();
            let found = exact_places(&mut skipped);
            let lines = skipped.told();
            if found != expected || lines != told {
                let longest = lines.len().max(told.len());
                let first = (0..longest).find(|&line| lines.get(line) != told.get(line));
                let lines = first.map(|line| (line, told.get(line).cloned(), lines.get(line).cloned()));
                wrong.push(format!("scene {seed} of {people} skipped at {at} of {last}: {lines:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), 3 * count, wrong.join("\n"));
    for word in ["came", "every", "timer", "onEnter", "onExit", "onStay", "true", "notice", "lose", "until"] {
        assert!(heard.contains_key(word), "no scene heard of {word}: {heard:?}");
    }
}

/// What a scene told, watched, and skipped at these ticks.
fn told_watched_and_skipped(body: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let told = |skip_at: Option<u64>| {
        let mut play = Play::scene(&script(body));
        if let Some(tick) = skip_at {
            play.ticks(tick).skip();
        }
        play.until_over();
        let mut told = play.told();
        told.retain(|line| !line.starts_with("ended"));
        told
    };
    (told(None), [0, 1, 2, 30, 31, 100].map(|tick| told(Some(tick))).into())
}

#[test]
fn what_a_scene_waits_and_listens_for_comes_as_when_it_is_watched() {
    let at = "log.info('%.9g %.9g', ben.position.x, anna.position.x)";
    let cases = [
        // A wait behind a predicate that looks at somebody moving was a tick too short.
        format!("c:start(ben, 18, 8) task.waitUntil(function() return ben.position.x > 5 end) c:wait(0.5) {at}"),
        format!("c:start(ben, 18, 8) task.waitUntil(function() return ben.position.x > 5 end) timer.after(0.5, function() {at} end) task.sleep(2) {at}"),
        format!("c:start(ben, 18, 8) task.waitUntil(function() return ben.position.x > 5 end) c:walk(anna, 'far', {{ ensure = false, timeout = 1.1 }}) {at}"),
        // So was one that looks at somebody who comes to a halt.
        format!("c:start(ben, 18, 8) c:wait(1) ben:stop() task.waitUntil(function() return not ben:isMoving() end) {at} c:wait(0.1) {at}"),
        // `region.when` was asked in each tick, whatever its `every`.
        format!("region.when(function() return ben.position.x > 6 end, {{ every = 0.5, onTrue = function() {at} end, onFalse = function() {at} end }}) c:walk(ben, 15, 8) c:walk(ben, 3, 8) c:wait(1)"),
        // The first look and the exit came in one stretch, and the exit was lost.
        format!("region.near(ben.position, 3, {{ onExit = function(e) log.info(e.character.name) {at} end }}) c:walk(ben, 15, 8)"),
        format!("region.near(anna, 6, {{ onExit = function(e) log.info(e.character.name) {at} end }}) c:walk(ben, 15, 8) c:walk(ben, 3, 8)"),
        format!("c:walk(ben, 9, 8) region.on('strip', {{ onExit = function(e) {at} end }}) c:walk(ben, 15, 8)"),
        // Nobody was told to stay.
        "local stays, turns = 0, 0 region.near(ben.position, 3, { filter = ben, every = 0.25, onStay = function() stays += 1 end }) timer.every(0.25, function() turns += 1 end) c:wait(1) log.info('%d %d', stays, turns) c:wait(2) log.info('%d %d', stays, turns)".to_owned(),
        // Nobody was seen.
        format!("sense.watch(anna, ben, {{ range = 6, degrees = 360, onNotice = function() log.info('seen') {at} end, onLose = function() log.info('lost') {at} end }}) c:walk(ben, 15, 8) c:walk(ben, 3, 8) c:wait(1)"),
    ];
    let mut wrong = Vec::new();
    for body in cases {
        let (watched, skipped) = told_watched_and_skipped(&body);
        assert!(!watched.is_empty(), "{body}");
        wrong.extend(
            skipped
                .into_iter()
                .filter(|told| *told != watched)
                .map(|told| format!("{body}:\n  {watched:?}\n  {told:?}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_predicate_costs_a_scene_that_stands_still_next_to_nothing() {
    // A minute of standing still is passed over within the tick, whatever is asked meanwhile.
    let body = "local asked = 0
        region.when(function() asked += 1 return false end, { onTrue = print })
        log.info('%s', task.waitUntil(function() asked += 1 return false end))
        log.info('%s', asked < 50)";
    let mut play = Play::scene(&script(body));
    play.ticks(3).skip();
    assert_eq!(play.told(), ["false", "true", "ended finished true nil nil"]);
}
