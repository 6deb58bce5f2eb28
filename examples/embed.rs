//! A game that embeds walkon: it drives the loop, brings somebody in, sends them off, and listens.
//!
//! Run it with `cargo run --release --example embed`.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;

use walkon::base::plain::Plain;
use walkon::game::inputs::Input;
use walkon::game::recorder::{RecordOptions, Recorder};
use walkon::game::{Game, Setup};
use walkon::glam::Vec3;
use walkon::level::{MemorySource, load};
use walkon::world::ops::characters::{Spawn, spawn};
use walkon::world::ops::walks::{WalkOrder, walk_to};
use walkon::world::walk::{Goal, Owner, WalkOptions};

/// A level can come from anywhere; this one stands in the program.
const LEVEL: &str = r#"{
  "name": "yard",
  "navigation": {
    "areas": [{ "name": "yard", "polygon": [[0, 0], [20, 0], [20, 12], [0, 12]] }],
    "obstacles": [{ "name": "well", "polygon": [[9, 5], [11, 5], [11, 7], [9, 7]] }]
  },
  "marks": { "bench": [17, 9] },
  "script": "yard.lua"
}"#;

/// So can its scripts.
const SCRIPT: &str = r#"
function onStart()
  event.on("bell", function(e)
    log.info("the bell rings %d times", e.times)
    event.emit("answer", { heard = e.times })
  end)
end
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let source = MemorySource::new().with("yard.json", LEVEL);
    let level = load("yard.json", &source).map_err(|refused| format!("{refused:?}"))?;
    let scripts = BTreeMap::from([("yard.lua".to_owned(), SCRIPT.to_owned())]);
    let recorder = Recorder::new(RecordOptions { sentences: true, ..RecordOptions::default() });
    let mut game = Game::load(level, Setup { scripts, recorder, ..Setup::default() })
        .map_err(|failure| failure.to_string())?;

    // The host brings in a character and sends it off; no script is needed for that.
    let world = game.world_mut();
    let hero =
        spawn(world, Spawn::new("hero", Vec3::new(2.0, 0.0, 6.0)))?.ok_or("no ground under the hero")?;
    let goal = Goal::Point(Vec3::new(17.0, 0.0, 9.0));
    let options = WalkOptions::at(world.rate());
    walk_to(world, WalkOrder { character: hero, goal, options, owner: Owner::HOST })?;

    // The host drives the loop, one fixed step at a time, and says what it has to say.
    for tick in 1..=1200u32 {
        let bell = Input::Event { name: "bell".to_owned(), payload: Some(bell(3)) };
        let inputs = if tick == 60 { vec![bell] } else { Vec::new() };
        let happened = game.tick(&inputs);
        for sentence in &happened.sentences {
            println!("{:6.2} s  {sentence}", f64::from(tick) / 60.0);
        }
        if happened.names.iter().any(|name| name == "walkSettled") {
            break;
        }
    }
    println!("state {:016x} after {} ticks", game.fingerprint().whole(), game.world().tick().0);
    Ok(())
}

fn bell(times: u32) -> Plain {
    Plain::map([("times", Plain::Number(f64::from(times)))])
}
