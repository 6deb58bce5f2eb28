//! Hot reload: changed texts against running levels.
//!
//! Each test runs a little level, gives it changed texts as a host would, and compares the lines that scripts, reloads and
//! faults left: `tick: text` for what was logged, `tick! text` for faults, `tick? what why` for notices, `tick+ files` for
//! reloads that took effect, `tick- message` for those that were refused.

use std::collections::BTreeMap;

use walkon::game::inputs::{Input, Reload};
use walkon::game::recorder::{RecordOptions, Recorder};
use walkon::game::{Game, Setup};
use walkon::level::{MemorySource, load};

/// One open room of 20 x 20 m, a closet without a door, and three people.
const LEVEL: &str = r#"{
  "seed": 7, SCRIPT
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
    { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] } ] },
  "marks": { "post": [3,3], "near": [3.5,3], "far": [15,3] },
  "regions": [ { "name": "corner", "centre": [3,3], "radius": 1 } ],
  "characters": [
    { "name": "anna", "position": [3,3] BEHAVIOUR_ANNA },
    { "name": "ben", "position": [3,8] BEHAVIOUR_BEN },
    { "name": "carl", "position": [3,12] } ]
}"#;

struct Run {
    game: Game,
    lines: Vec<String>,
    facts: Vec<serde_json::Value>,
}

impl Run {
    /// Scripts by path; `level.lua` is the level script, `anna.lua` and `ben.lua` are the behaviours of those two.
    fn of(files: &[(&str, &str)]) -> Self {
        let has = |name: &str| files.iter().any(|(file, _)| *file == name);
        let mut json = LEVEL.to_owned();
        for (slot, file) in [("BEHAVIOUR_ANNA", "anna.lua"), ("BEHAVIOUR_BEN", "ben.lua")] {
            let given = if has(file) { format!(", \"behaviour\": \"{file}\"") } else { String::new() };
            json = json.replace(slot, &given);
        }
        json = json.replace("SCRIPT", if has("level.lua") { r#""script": "level.lua","# } else { "" });
        Self::on(&json, files)
    }

    fn on(json: &str, files: &[(&str, &str)]) -> Self {
        let source = MemorySource::new().with("reload.json", json);
        let level = load("reload.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
        let scripts = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let options = RecordOptions { trace: true, ..RecordOptions::default() };
        let setup = Setup { scripts, recorder: Recorder::new(options), ..Setup::default() };
        let mut game = Game::load(level, setup).unwrap_or_else(|error| panic!("{error}"));
        let start = game.start_facts().lines;
        let mut run = Self { game, lines: Vec::new(), facts: Vec::new() };
        run.take(&start);
        run
    }

    fn take(&mut self, lines: &[String]) {
        for line in lines {
            let fact: serde_json::Value = serde_json::from_str(line).expect("a trace line is JSON");
            let text = |key: &str| fact[key].as_str().unwrap_or_default();
            let tick = &fact["t"];
            let told = match fact["e"].as_str().unwrap_or_default() {
                "log" => Some(format!("{tick}: {}", text("message"))),
                "scriptFault" => Some(format!("{tick}! {}", text("message"))),
                "notice" => Some(format!("{tick}? {} {}", text("what"), text("why"))),
                "reloaded" => {
                    let files: Vec<&str> =
                        fact["files"].as_object().unwrap().keys().map(String::as_str).collect();
                    let notes = fact["notes"].as_array().into_iter().flatten();
                    let notes: String = notes.map(|note| format!("; {}", note.as_str().unwrap())).collect();
                    Some(format!("{tick}+ {}{notes}", files.join(" ")))
                }
                "reloadRefused" => Some(format!("{tick}- {}", text("message"))),
                _ => None,
            };
            self.lines.extend(told);
            self.facts.push(fact);
        }
    }

    fn ticks(&mut self, count: u64) -> &mut Self {
        for _ in 0..count {
            self.input(&[]);
        }
        self
    }

    fn input(&mut self, inputs: &[Input]) -> &mut Self {
        let recorded = self.game.tick(inputs);
        self.take(&recorded.lines);
        self
    }

    /// One tick with these texts changed; an empty text stands for a deleted file.
    fn reload(&mut self, files: &[(&str, &str)]) -> &mut Self {
        let texts = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (!text.is_empty()).then(|| (*text).to_owned())));
        let scripts: BTreeMap<String, Option<String>> = texts.collect();
        self.input(&[Input::Reload(Reload { scripts, level: None })])
    }

    fn taken(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// Facts of one kind so far.
    fn facts(&self, kind: &str) -> Vec<&serde_json::Value> {
        self.facts.iter().filter(|fact| fact["e"] == kind).collect()
    }

    fn last_reload(&self) -> &walkon::script::reload::ReloadReport {
        self.game.scripts().unwrap().last_reload().unwrap()
    }
}

/// A behaviour that says what it does: `name` in front, `extra` behind.
fn diary(name: &str, extra: &str) -> String {
    format!(
        r#"local b = {{}}
        function b:init() self.state.count = 0 log.info("{name} init") end
        function b:start(why) self.state.count += 1 log.info("{name} start %s %d", why, self.state.count) end
        function b:stop(why) log.info("{name} stop %s", why) end
        {extra}
        return b"#
    )
}

#[test]
fn a_changed_behaviour_stops_keeps_its_state_and_starts_in_the_same_step() {
    let mut run = Run::of(&[("anna.lua", &diary("old", "")), ("ben.lua", &diary("ben", ""))]);
    run.ticks(2);
    run.taken();
    let new = diary("new", "function b:run() log.info(\"new run\") end");
    run.reload(&[("anna.lua", &new)]).ticks(2);
    assert_eq!(run.taken(), ["3: old stop reload", "3: new start reload 2", "3+ anna.lua", "3: new run"]);
    assert_eq!(run.game.reload_count(), 1);
    assert!(run.last_reload().ok);
    assert_eq!(run.game.scripts().unwrap().stale_closures(), 0);
}
