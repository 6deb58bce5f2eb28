//! A level that runs to its end without a window, as fast as it goes: for tests, servers and statistics.
//!
//! Run it with `cargo run --release --example headless`.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;

use walkon::{Bound, Game, MemorySource, Onlooker, Setup, load, run_headless};

const LEVEL: &str = r#"{
  "name": "rounds",
  "navigation": {
    "areas": [{ "name": "yard", "polygon": [[0, 0], [20, 0], [20, 12], [0, 12]] }]
  },
  "characters": [{ "name": "guard", "position": [2, 2] }],
  "script": "rounds.lua"
}"#;

const SCRIPT: &str = r#"
function onStart()
  task.spawn(function()
    local guard = world.character("guard")
    for round = 1, 3 do
      guard:walk(rng.stream("rounds"):float(4, 18), 10)
      guard:walk(2, 2)
    end
    level.finish(true, "three rounds")
  end)
end
"#;

fn main() -> Result<(), Box<dyn Error>> {
    for seed in 1..=4 {
        let level = load("rounds.json", &MemorySource::new().with("rounds.json", LEVEL))?;
        let scripts = BTreeMap::from([("rounds.lua".to_owned(), SCRIPT.to_owned())]);
        let mut game = Game::load(level, Setup { scripts, seed: Some(seed), ..Setup::default() })?;
        let bound = Bound { is_strict: true, ticks_max: 10_000, until: None };
        let mut metres = 0.0;
        let report = run_headless(&mut game, &bound, |_, tick| {
            metres += tick.settled().map(|result| f64::from(result.journey.travelled_m)).sum::<f64>();
            Onlooker::GoOn
        });
        let note = report.note.unwrap_or_default();
        println!("seed {seed}: {note}, {metres:.1} m in {} ticks, state {:016x}", report.ticks, report.hash);
    }
    Ok(())
}
