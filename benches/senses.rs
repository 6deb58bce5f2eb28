//! Many characters that watch for one: what the step of senses costs a tick, with several limits of looks.
//!
//! In: numbers of watchers. Out: a markdown table of milliseconds a tick, in time of the thread, and how many
//! saw the player. Method: watchers at random places of a hall with pillars face anywhere; the player goes
//! round; of each tick the step of regions and senses is timed, and there are no regions.

use std::fmt::Write;

use cpu_time::ThreadTime;
use glam::Vec3;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::recorder::Recorder;
use walkon_runtime::game::{Game, TickStep};
use walkon_runtime::level::{MemorySource, load, spawn};
use walkon_runtime::world::ops::characters::teleport;
use walkon_runtime::world::ops::senses;
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::sense::{Eyes, SenseTarget, SenseWatch};

const SIDE_M: f64 = 120.0;
const PILLARS_M: u32 = 12;
const TICKS: u32 = 600;
const LIMITS: [u32; 3] = [128, 512, 1_000_000];
/// Those of a guard, and those of a character from which only pillars hide the player.
const EYES: [Eyes; 2] = [Eyes { range_m: 30.0, degrees: 180.0 }, Eyes { range_m: 170.0, degrees: 360.0 }];

fn main() {
    let mut counts: Vec<usize> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    if counts.is_empty() {
        counts = vec![2_000];
    }
    println!(
        "| watchers | range m, view | looks a tick, at most | ms a tick, mean | most | in which | in sight at the end |"
    );
    println!("|---|---|---|---|---|---|---|");
    for count in counts {
        for eyes in EYES {
            for limit in LIMITS {
                print_row(count, eyes, limit);
            }
        }
    }
}

fn print_row(count: usize, eyes: Eyes, limit: u32) {
    let mut game = hall(count, limit);
    let world = game.world_mut();
    let player = world.player().unwrap();
    let everybody: Vec<_> = world.characters().map(|(id, _)| id).filter(|&id| id != player).collect();
    for character in everybody {
        let target = SenseTarget::Character(player);
        let order = SenseWatch {
            owner: Owner::HOST,
            character,
            target,
            eyes,
            hearing_m: 0.0,
            memory_ticks: 600,
            enabled: true,
            heard: 0,
            known: Default::default(),
        };
        senses::watch(world, order);
    }
    let (mut whole_ms, mut most_ms, mut most_tick) = (0.0_f64, 0.0_f64, 0);
    for tick in 0..TICKS {
        let angle = tick as f32 / TICKS as f32 * std::f32::consts::TAU;
        let to = Vec3::new(60.0 + 41.0 * angle.sin(), 0.0, 60.0 + 41.0 * angle.cos());
        teleport(game.world_mut(), player, to, None).unwrap();
        let (mut began, mut ms) = (ThreadTime::now(), 0.0);
        game.tick_watched(&[], &mut |step| match step {
            TickStep::Arrivals => began = ThreadTime::now(),
            TickStep::Regions => ms = began.elapsed().as_secs_f64() * 1e3,
            _ => {}
        });
        whole_ms += ms;
        if ms > most_ms {
            (most_ms, most_tick) = (ms, tick + 1);
        }
    }
    let world = game.world();
    let is_seen = |watch: &SenseWatch| watch.known.values().any(|sighting| sighting.is_seen);
    let seeing = world.senses().watches().filter(|(_, watch)| is_seen(watch)).count();
    let Eyes { range_m, degrees } = eyes;
    let mean_ms = whole_ms / f64::from(TICKS);
    println!(
        "| {count} | {range_m}, {degrees} | {limit} | {mean_ms:.3} | {most_ms:.3} | {most_tick} | {seeing} |"
    );
}

/// A hall with pillars, everybody somewhere in it.
fn hall(count: usize, limit: u32) -> Game {
    let mut rng = Rng::stream(1, "senses");
    let (mut pillars, mut people) = (String::new(), String::new());
    let steps = SIDE_M as u32 / PILLARS_M;
    for pillar in 1..steps * steps {
        let (x, z) = (pillar % steps * PILLARS_M, pillar / steps * PILLARS_M);
        let comma = if pillars.is_empty() { "" } else { "," };
        let (right, top) = (x + 2, z + 2);
        write!(
            pillars,
            r#"{comma}{{ "name": "p{pillar}", "polygon": [[{x},{z}],[{right},{z}],[{right},{top}],[{x},{top}]] }}"#
        )
        .unwrap();
    }
    for index in 0..count {
        let mut place = || rng.float(4.0, SIDE_M - 2.0);
        let (x, z, turn) = (place(), place(), index * 37 % 360);
        write!(people, r#", {{ "name": "w{index}", "position": [{x}, {z}], "facingDegrees": {turn} }}"#)
            .unwrap();
    }
    let json = format!(
        r#"{{ "navigation": {{ "areas": [{{ "name": "hall", "polygon": [[0,0],[{SIDE_M},0],[{SIDE_M},{SIDE_M}],[0,{SIDE_M}]] }}],
            "obstacles": [{pillars}] }},
            "characters": [{{ "name": "player", "position": [60, 101], "player": true }}{people}],
            "limits": {{ "looksPerTick": {limit} }} }}"#
    );
    let level = load("hall.json", &MemorySource::new().with("hall.json", json.as_str()))
        .unwrap_or_else(|refused| panic!("{refused:?}"));
    Game::new(spawn::build(level, None).world, Recorder::default())
}
