//! Save games of a crowd: how large they are, how long saving and loading take.
//!
//! In: numbers of characters; `stand`, `walk`, `state` for some of the rows. Out: a markdown table: bytes for
//! each character, milliseconds to save and to load, in time of the thread. Method: people in a hall with
//! pillars stand, walk to one another's places, or walk with a behaviour that has a state; saved in the
//! middle, the fastest of several rounds; loading includes the level, its map and its scripts, not reading
//! their texts.

use std::collections::BTreeMap;
use std::fmt::Write;

use cpu_time::ThreadTime;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{Level, MemorySource, load};

const SIDE_M: f64 = 180.0;
const PILLARS_M: u32 = 15;
const ROUNDS: u32 = 7;
/// Ticks that pass before the save: an odd number, so that a step of the crowd is under way.
const TICKS: u32 = 61;

const BEHAVIOUR: &str = "return { init = function(self) self.state.stop = 1 self.state.seen = {} self.state.mood = 'calm' end, \
    on = { go = function(self) self.character:walkTo(self.rng:float(1, 179), self.rng:float(1, 179)) end } }";

/// What everybody does.
#[derive(Clone, Copy, PartialEq)]
enum Crowd {
    Stands,
    Walks,
    WalksWithState,
}

fn main() {
    let mut counts: Vec<usize> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    if counts.is_empty() {
        counts = vec![1_000, 10_000];
    }
    println!("| characters | they | bytes each | save ms | load ms |");
    println!("|---|---|---|---|---|");
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let crowds = [(Crowd::Stands, "stand"), (Crowd::Walks, "walk"), (Crowd::WalksWithState, "state")];
    let is_asked = |word: &str| asked.iter().any(|argument| argument == word);
    let are_all = !crowds.iter().any(|(_, word)| is_asked(word));
    for count in counts {
        for (crowd, _) in crowds.iter().filter(|(_, word)| are_all || is_asked(word)) {
            print_row(count, *crowd);
        }
    }
}

fn print_row(count: usize, crowd: Crowd) {
    let text = level_text(count, crowd);
    let mut game = Game::load(level(&text), setup()).unwrap();
    begin(&mut game, crowd);
    (0..TICKS).for_each(|_| _ = game.tick(&[]));
    let (mut save_ms, mut load_ms, mut bytes) = (f64::MAX, f64::MAX, Vec::new());
    for _ in 0..ROUNDS {
        let began = ThreadTime::now();
        bytes = game.save().unwrap();
        save_ms = save_ms.min(began.elapsed().as_secs_f64() * 1e3);
        let (level, setup) = (level(&text), setup());
        let began = ThreadTime::now();
        let loaded = Game::restore(level, setup, &bytes).unwrap();
        load_ms = load_ms.min(began.elapsed().as_secs_f64() * 1e3);
        assert!(loaded.save().unwrap() == bytes, "save, load, save");
    }
    let they = match crowd {
        Crowd::Stands => "stand",
        Crowd::Walks => "walk",
        Crowd::WalksWithState => "walk, with a behaviour and a state",
    };
    let each = bytes.len() as f64 / count as f64;
    println!("| {count} | {they} | {each:.0} | {save_ms:.1} | {load_ms:.1} |");
}

/// Sets each character out for the place of another.
fn begin(game: &mut Game, crowd: Crowd) {
    if crowd != Crowd::Walks {
        return;
    }
    let everybody: Vec<_> = game.world().characters().map(|(id, one)| (id, one.body.position)).collect();
    for (index, (id, _)) in everybody.iter().enumerate() {
        let (_, to) = everybody[(index * 7919 + 13) % everybody.len()];
        game.walk_to(*id, walkon_runtime::world::goal::Goal::Point(to)).unwrap();
    }
}

fn setup() -> Setup {
    let script = "function onStart(why) if why == 'start' then event.emit('go') end end";
    let scripts = [("go.lua", script), ("one.lua", BEHAVIOUR)];
    let scripts: BTreeMap<String, String> =
        scripts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Setup { scripts, ..Setup::default() }
}

fn level(text: &str) -> Level {
    load("hall.json", &MemorySource::new().with("hall.json", text)).unwrap()
}

fn level_text(count: usize, crowd: Crowd) -> String {
    let mut rng = Rng::stream(1, "saving");
    let mut people = String::new();
    let behaviour = if crowd == Crowd::WalksWithState { ", \"behaviour\": \"one.lua\"" } else { "" };
    for index in 0..count {
        let comma = if index == 0 { "" } else { "," };
        let [x, z] = [0, 1].map(|_| rng.float(0.5, SIDE_M - 0.5));
        write!(people, "{comma}{{\"name\":\"p{index}\",\"position\":[{x:.2},{z:.2}]{behaviour}}}").unwrap();
    }
    let mut pillars = String::new();
    let steps: Vec<u32> = (PILLARS_M..SIDE_M as u32).step_by(PILLARS_M as usize).collect();
    for x in &steps {
        for z in &steps {
            let comma = if pillars.is_empty() { "" } else { "," };
            let [x, z] = [f64::from(*x), f64::from(*z)];
            let corners = format!(
                "[[{},{}],[{},{}],[{},{}],[{},{}]]",
                x - 1.0,
                z - 1.0,
                x + 1.0,
                z - 1.0,
                x + 1.0,
                z + 1.0,
                x - 1.0,
                z + 1.0
            );
            write!(pillars, "{comma}{{\"name\":\"pillar {x} {z}\",\"polygon\":{corners}}}").unwrap();
        }
    }
    let script = if crowd == Crowd::WalksWithState { "\"script\": \"go.lua\"," } else { "" };
    format!(
        "{{ \"pathBudget\": 1000000, {script} \"limits\": {{ \"fuelPerTick\": 100000000 }}, \"navigation\": {{ \"kind\": \"grid\", \
         \"areas\": [{{\"name\":\"hall\",\"polygon\":[[0,0],[{SIDE_M},0],[{SIDE_M},{SIDE_M}],[0,{SIDE_M}]]}}], \
         \"obstacles\": [{pillars}] }}, \"characters\": [{people}] }}"
    )
}
