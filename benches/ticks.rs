//! Whole ticks of ten thousand characters that wander.
//!
//! In: nothing; a hall of 210 metres without walls, and three ways to tell people to wander in it: by one
//! call (`wander`), by a task of each that walks and rests (`task`), and with an `update` of each beside it
//! (`both`). Out: a markdown table; mean and slowest tick and the parts that take most, milliseconds of the
//! thread's time. Method: fifteen seconds of game time pass first, two seconds are measured. Options:
//! `cargo bench -p walkon-benches --bench ticks -- SCRIPT...` for some of the three.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cpu_time::ThreadTime;
use walkon_runtime::game::{Game, Setup, TickStep};
use walkon_runtime::level::{MemorySource, load};

const PEOPLE: usize = 10_000;
const SIDE_M: usize = 210;
/// From one person to the next as the level begins, and from the first to the walls, metres.
const APART_M: usize = 2;
/// Ticks that pass before anything is measured, and ticks that are measured.
const WARM_TICKS: usize = 900;
const TICKS: usize = 120;

/// Walks to a place near by, rests, and so on.
const RUN: &str = "run = function(self)
    local me, rng = self.character, self.rng
    while true do
        local at = me.position
        local x = math.clamp(at.x + rng:float(-15, 15), 1, 208)
        local z = math.clamp(at.z + rng:float(-15, 15), 1, 208)
        me:walk(vector.create(x, 0, z), { accept = 'near' })
        task.sleep(rng:float(0.5, 2))
    end
end,";
const WANDER: &str = "start = function(self)
    self.character:wander({ around = self.character.position, within = 15, pause = { 0.5, 2 } })
end,";
/// Knows another character, and how far away it is.
const UPDATE: &str = "init = function(self)
    self.other = world.character('c' .. (self.character.id * 7919) % 10000)
end,
update = function(self, dt)
    local me = self.character
    self.distance = me:distanceTo(self.other) + me.position.x
end,";

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let scripts =
        [("wander", WANDER.to_owned()), ("task", RUN.to_owned()), ("both", format!("{UPDATE}\n{RUN}"))];
    let parts = ["scripts", "path requests", "follow", "avoid", "integrate", "arrivals"];
    println!("| script | tick ms, mean / slowest | moving | {} |", parts.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(parts.len()));
    for (name, functions) in scripts {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            print_row(name, &format!("return {{ {functions} }}"), &parts);
        }
    }
}

fn print_row(name: &str, behaviour: &str, parts: &[&str]) {
    let mut game = game(behaviour);
    (0..WARM_TICKS).for_each(|_| _ = game.tick(&[]));
    let mut steps_ms: BTreeMap<&str, f64> = BTreeMap::new();
    let mut slowest_ms = 0.0f64;
    for _ in 0..TICKS {
        let began = ThreadTime::now();
        let mut last = began;
        game.tick_watched(&[], &mut |done: TickStep| {
            let now = ThreadTime::now();
            *steps_ms.entry(done.name()).or_default() += now.duration_since(last).as_secs_f64() * 1e3;
            last = now;
        });
        slowest_ms = slowest_ms.max(began.elapsed().as_secs_f64() * 1e3);
    }
    assert_eq!(game.fault_count(), 0, "no script may fault while it is measured");
    let moving = game.world().characters().filter(|(_, person)| person.is_moving).count();
    let mean = steps_ms.values().sum::<f64>() / TICKS as f64;
    print!("| {name} | {mean:.2} / {slowest_ms:.1} | {} % |", 100 * moving / PEOPLE);
    for part in parts {
        let spent: f64 = steps_ms.iter().filter(|(step, _)| step.ends_with(part)).map(|(_, ms)| ms).sum();
        print!(" {:.2} |", spent / TICKS as f64);
    }
    println!();
}

fn game(behaviour: &str) -> Game {
    let source = MemorySource::new().with("hall.json", level().as_str());
    let level = load("hall.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts = BTreeMap::from([("npc.lua".to_owned(), behaviour.to_owned())]);
    Game::load(level, Setup { scripts, ..Setup::default() }).unwrap()
}

fn level() -> String {
    let mut json = format!(
        r#"{{ "limits": {{ "eventsPerTick": 65536, "fuelPerTick": 8000000, "handlersPerOwner": 4096 }},
        "navigation": {{ "areas": [ {{ "name": "hall",
        "polygon": [[0, 0], [{SIDE_M}, 0], [{SIDE_M}, {SIDE_M}], [0, {SIDE_M}]] }} ] }}, "characters": ["#,
    );
    let in_a_row = (SIDE_M - 2 * APART_M) / APART_M;
    for index in 0..PEOPLE {
        let (x, z) = (APART_M + index % in_a_row * APART_M, APART_M + index / in_a_row * APART_M);
        let comma = if index == 0 { "" } else { "," };
        write!(json, r#"{comma}{{ "name": "c{index}", "position": [{x}, {z}], "behaviour": "npc.lua" }}"#)
            .unwrap();
    }
    json.push_str("] }");
    json
}
