//! Every watch hears every noise within its reach once, however few looks a tick has.
//!
//! Method: watchers drawn on open ground, with few looks; a crier makes noises, each of another loudness, at
//! drawn ticks; the script counts what each watcher hears, and compares with the distances.

use super::told_level::ToldLevel;
use crate::base::rng::Rng;
use crate::game::event::Event;

/// Counts what is heard of `NOISES`, which are pairs of a tick and a loudness, and tells in the end.
const SCRIPT: &str = "
local heard, latest = {}, 0
local crier, watchers
function onStart()
    crier, watchers = world.character('crier'), world.characters({ tag = 'ear' })
    for at, watcher in watchers do
        heard[at] = {}
        sense.watch(watcher, { tag = 'crier' }, { range = 100, degrees = 360, hearing = HEARING, onHear = function(e)
            heard[at][e.loudness] = (heard[at][e.loudness] or 0) + 1
            latest = level.tick
        end })
    end
end
function onTick()
    for _, noise in NOISES do
        if noise[1] == level.tick then crier:emitNoise(noise[2]) end
    end
    if level.tick == LAST then
        local wrong, right = 0, 0
        for at, watcher in watchers do
            for _, noise in NOISES do
                local away = watcher:distanceTo(crier)
                local expected = if away <= noise[2] and away <= HEARING then 1 else 0
                if (heard[at][noise[2]] or 0) == expected then right += expected else wrong += 1 end
            end
        end
        log.info('wrong %d, heard %s, latest %d', wrong, if right > 0 then 'some' else 'none', latest)
    end
end
";

/// A hall with so many watchers around a crier, and so many looks a tick.
fn hall(watchers: usize, looks: u64, script: &str) -> ToldLevel {
    let place = |at: usize| (1.0 + 0.9 * (at % 30) as f32, 1.0 + 0.9 * (at / 30) as f32);
    let people = (0..watchers).map(|at| {
        let (x, z) = place(at);
        format!(r#"{{ "name": "w{at}", "position": [{x}, {z}], "tags": ["ear"] }},"#)
    });
    let level = format!(
        r#"{{ "script": "level.lua", "limits": {{ "looksPerTick": {looks}, "fuelPerCall": 10000000, "watchesPerOwner": 4096,
                "fuelPerTick": 1000000000, "watchdogMs": 60000, "handlersPerOwner": 4096 }},
            "navigation": {{ "areas": [ {{ "name": "hall", "polygon": [[0, 0], [30, 0], [30, 30], [0, 30]] }} ] }},
            "characters": [ {} {{ "name": "crier", "position": [29, 8], "tags": ["crier"] }} ] }}"#,
        people.collect::<String>()
    );
    ToldLevel::of(&level, &[("level.lua", script)])
}

#[test]
fn every_watch_hears_every_noise_within_reach_once() {
    const LAST: u64 = 150;
    let mut some = 0;
    for seed in 0..24 {
        let mut rng = Rng::stream(seed, "hearing");
        let (watchers, looks) = (1 + rng.below(160) as usize, 1 + rng.below(20));
        let noises = (0..rng.below(12))
            .map(|at| format!("{{ {}, {} }},", 2 + rng.below(60), 1.0 + 2.25 * at as f32))
            .collect::<String>();
        let hearing = 4 + rng.below(40);
        let consts = format!("local NOISES, HEARING, LAST = {{ {noises} }}, {hearing}, {LAST}\n{SCRIPT}");
        let mut run = hall(watchers, looks, &consts);
        run.ticks(LAST + 1);
        let told = run.take_told();
        assert!(told.len() == 1 && told[0].starts_with("wrong 0,"), "seed {seed}: {told:?}");
        some += usize::from(told[0].contains("some"));
    }
    assert!(some > 8, "in {some} levels something is heard");
}

#[test]
fn more_noises_than_are_heard_in_a_tick_are_heard_later() {
    let noises: String = (0..800).map(|at| format!("{{ 2, {} }},", 1.0 + 0.03125 * at as f32)).collect();
    let mut run = hall(600, 1, &format!("local NOISES, HEARING, LAST = {{ {noises} }}, 9, 60\n{SCRIPT}"));
    run.ticks(61);
    // Two times 262,144 are more than 600 times 800.
    assert_eq!(run.take_told(), ["wrong 0, heard some, latest 3"]);
}

#[test]
fn noises_that_make_room_for_others_are_told() {
    let script = "function onStart() for i = 1, 1100 do world.character('crier'):emitNoise(1) end end";
    let mut run = hall(1, 1, script);
    let events = run.game.tick(&[]).events;
    let dropped = events.iter().filter_map(|event| match event {
        Event::Notice { what: "noisesDropped", count, .. } => Some(*count),
        _ => None,
    });
    assert_eq!(dropped.collect::<Vec<_>>(), [1100 - 1024]);
}
