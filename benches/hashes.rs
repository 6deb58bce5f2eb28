//! The hash of a state: milliseconds a tick, of the world and of what is kept for scripts.
//!
//! In: nothing; a hall with a pillar every twenty metres, and people who wander in it with a behaviour of
//! their own, so that about half of them move. Out: a markdown table. Method: fifteen seconds of game time
//! pass first; then the hash is taken after each of 120 ticks, as `--hash-every 1` takes it, in time of the
//! thread. The mean and the fastest are shown, and the tick itself beside them. Options:
//! `cargo bench -p walkon-benches --bench hashes -- COUNT...` for other numbers of people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;

use cpu_time::ThreadTime;
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::world::state_hash;

/// From pillar to pillar, metres; a pillar is two metres wide, in the middle of its tile.
const TILE_M: usize = 20;
/// From one person to the next as the level begins, metres.
const APART_M: usize = 2;
/// Ticks that pass before anything is measured, and ticks that are measured.
const WARM_TICKS: usize = 900;
const TICKS: usize = 120;

/// Walks to places near by and rests as long as it walks, on the average.
const NPC: &str = "local Npc = {}
function Npc:start()
    self.state.errands = 0
    self.character:wander({ within = 12, pause = { 2, 14 } })
end
function Npc:update(dt)
    self.state.errands += dt
end
return Npc";

fn main() {
    let counts: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let counts = if counts.is_empty() { vec![1_000, 10_000] } else { counts };
    println!("| people | moving | world ms, mean / least | scripts ms, mean / least | tick ms, mean |");
    println!("|---|---|---|---|---|");
    counts.into_iter().for_each(print_row);
}

fn print_row(count: usize) {
    let mut game = game(count);
    (0..WARM_TICKS).for_each(|_| _ = game.tick(&[]));
    let mut spent_ms: [Vec<f64>; 3] = Default::default();
    for _ in 0..TICKS {
        spent_ms[2].push(thread_ms(|| _ = black_box(game.tick(&[]))));
        spent_ms[0].push(thread_ms(|| _ = black_box(state_hash::of(game.world()))));
        spent_ms[1].push(thread_ms(|| _ = black_box(game.scripts().unwrap().hash())));
    }
    assert_eq!(game.fault_count(), 0, "no script may fault while it is measured");
    let moving = game.world().characters().filter(|(_, person)| person.is_moving).count();
    let mean = |spent: &[f64]| spent.iter().sum::<f64>() / spent.len() as f64;
    let least = |spent: &[f64]| spent.iter().copied().fold(f64::INFINITY, f64::min);
    let [world, scripts, tick] = &spent_ms;
    println!(
        "| {count} | {} % | {:.2} / {:.2} | {:.2} / {:.2} | {:.2} |",
        100 * moving / count,
        mean(world),
        least(world),
        mean(scripts),
        least(scripts),
        mean(tick),
    );
}

fn thread_ms(run: impl FnOnce()) -> f64 {
    let began = ThreadTime::now();
    run();
    began.elapsed().as_secs_f64() * 1e3
}

fn game(count: usize) -> Game {
    let source = MemorySource::new().with("hall.json", level(count).as_str());
    let level = load("hall.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts = BTreeMap::from([("npc.lua".to_owned(), NPC.to_owned())]);
    Game::load(level, Setup { scripts, ..Setup::default() }).unwrap()
}

fn level(count: usize) -> String {
    let across = TILE_M / APART_M;
    // A hundred places to a tile, those at its pillar left free.
    let tiles = (count.div_ceil(across * across - 16) as f64).sqrt().ceil() as usize;
    let side_m = tiles * TILE_M;
    let mut obstacles = Vec::new();
    for (x, z) in (0..tiles).flat_map(|z| (0..tiles).map(move |x| (x * TILE_M, z * TILE_M))) {
        let ([left, right], [near, far]) = ([x + 9, x + 11], [z + 9, z + 11]);
        obstacles.push(format!(
            r#"{{ "name": "p{}", "polygon": [[{left},{near}],[{right},{near}],[{right},{far}],[{left},{far}]] }}"#,
            obstacles.len()
        ));
    }
    let mut characters = String::new();
    let is_beside = |along: usize| !(7..=13).contains(&(along % TILE_M));
    let places = (0..side_m / APART_M)
        .flat_map(|z| (0..side_m / APART_M).map(move |x| (x * APART_M + 1, z * APART_M + 1)));
    for (index, (x, z)) in places.filter(|&(x, z)| is_beside(x) || is_beside(z)).take(count).enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(
            characters,
            r#"{comma}{{ "name": "c{index}", "position": [{x},{z}], "behaviour": "npc.lua" }}"#
        )
        .unwrap();
    }
    format!(
        r#"{{ "limits": {{ "characters": 50000, "fuelPerTick": 50000000 }}, "pathBudget": {}, "navigation": {{
        "areas": [ {{ "name": "hall", "polygon": [[0,0],[{side_m},0],[{side_m},{side_m}],[0,{side_m}]] }} ],
        "obstacles": [{}] }}, "characters": [{characters}] }}"#,
        (2 * count).max(2_000),
        obstacles.join(",")
    )
}
