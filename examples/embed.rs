//! A game that embeds walkon: it drives the loop, shows what a scene asks for, answers its choice, and draws
//! between ticks.
//!
//! Run it with `cargo run --release --example embed`. A game would draw where this one prints.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;

use walkon::{
    CueKind, Event, FixedTimestep, Game, Input, MemorySource, Plain, Pose, Setup, Spawn, Tick, load,
};

/// A level can come from anywhere; this one stands in the program.
const LEVEL: &str = r#"{
  "name": "yard",
  "navigation": {
    "areas": [{ "name": "yard", "polygon": [[0, 0], [20, 0], [20, 12], [0, 12]] }],
    "obstacles": [{ "name": "well", "polygon": [[9, 5], [11, 5], [11, 7], [9, 7]] }]
  },
  "marks": { "bench": [17, 9] },
  "characters": [{ "name": "keeper", "position": [16, 3] }],
  "script": "yard.lua"
}"#;

/// So can its scripts: when the bell rings, the keeper meets the hero in a scene.
const YARD: &str = r#"
function onStart()
  event.on("bell", function(e)
    log.info("the bell rings %d times", e.times)
    cinematic.play("meeting")
  end)
end
"#;

const MEETING: &str = r#"
return {
  holds = { "keeper", "hero" },
  script = function(c)
    local keeper, hero = world.character("keeper"), world.character("hero")
    c:camera("follow", { character = hero })
    c:parallel({ c:start(hero, "bench"), c:start(keeper, "bench", { radius = 1 }) })
    c:say(keeper, "Have you come for the well?", { seconds = 1 })
    local answer = c:choice("well", { "yes", "no" }, { default = "no" })
    event.emit("answered", { answer = answer })
  end,
}
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let level = load("yard.json", &MemorySource::new().with("yard.json", LEVEL))?;
    let scripts = [("yard.lua", YARD), ("cinematics/meeting.lua", MEETING)];
    let scripts: BTreeMap<String, String> =
        scripts.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
    // Interactive: choices wait for an answer of the host.
    let mut game = Game::load(level, Setup { scripts, is_interactive: true, ..Setup::default() })?;
    let hero = game
        .add_character(Spawn::new("hero", [2.0, 0.0, 6.0]))?
        .ok_or("there is no ground under the hero")?;

    // The engine's own clock; here every frame takes 25 ms, and a tick is a sixtieth of a second.
    let mut pace = FixedTimestep::new(game.world().rate(), 1.0);
    let mut inputs = vec![Input::Event { name: "bell".to_owned(), payload: Some(bell(3)) }];
    let mut before = game.pose(hero);
    for frame in 0..1200 {
        for _ in 0..pace.advance(0.025).ticks {
            before = game.pose(hero);
            let tick = game.tick(&inputs);
            inputs = show(&game, &tick);
            if tick.has("answered") {
                println!("state {:016x} after {} ticks", game.fingerprint().whole(), tick.number);
                return Ok(());
            }
        }
        if frame % 100 == 0 {
            draw(before, game.pose(hero), pace.part());
        }
    }
    Err("nobody answered".into())
}

/// Shows what happened in a tick, and says what the player does about it in the next.
fn show(game: &Game, tick: &Tick) -> Vec<Input> {
    for event in &tick.events {
        match event {
            Event::WalkSettled(result) => {
                let who = game.name_of(result.journey.character);
                println!("{who}: {} in {:.1} m", result.reason().name(), result.journey.travelled_m);
            }
            Event::Logged(line) => println!("[{}] {}", line.level, line.message),
            Event::Faulted { fault, .. } => println!("fault: {}", fault.message),
            _ => {}
        }
    }
    let mut inputs = Vec::new();
    for cue in tick.cues() {
        match &cue.kind {
            CueKind::Said { character, line, .. } => println!("{character}: \"{line}\""),
            CueKind::Camera { kind, .. } => println!("camera: {kind}"),
            CueKind::Choice { id, options, answer: None } => {
                println!("{id}? {}", options.join(", "));
                inputs.push(Input::answer(id, "yes"));
            }
            CueKind::Choice { .. } | CueKind::Other { .. } => {}
        }
    }
    inputs
}

/// Draws the hero between two ticks.
fn draw(before: Option<Pose>, now: Option<Pose>, part: f32) {
    if let (Some(before), Some(now)) = (before, now) {
        let [x, _, z] = before.towards(&now, part).position;
        println!("the hero is drawn at {x:.2}, {z:.2}");
    }
}

fn bell(times: u32) -> Plain {
    Plain::map([("times", Plain::Number(f64::from(times)))])
}
