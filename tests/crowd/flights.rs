//! Laws about flights: away from the threat, and never past it.
//!
//! Goal: a character that flees comes no nearer to the threat, and ends far enough away, or as far as it
//! gets. Method: rooms and corridors drawn from a seed, on grids and meshes; in each one mouse flees again
//! and again from a place, or from a cat that stands there. Caught: corridors in which the only place far
//! enough away lay behind the threat, and ways round to the next room that led past it.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};

use crate::long_form::number;

/// Grounds that are drawn.
const GROUNDS: u64 = 24;
/// Flights on each.
const FLIGHTS: usize = 12;
/// Seconds that each may take.
const SECONDS_MAX: usize = 40;
/// What bodies that turn and slide along walls come nearer all the same, and ways may, metres.
const NEARER_M: f64 = 0.4;

/// Walks a mouse through the flights, and logs each as numbers.
const SCRIPT: &str = "
local at, walk, first, least, ticks = 0, nil, 0, 0, 0
local mouse, cat
function onStart()
  mouse, cat = world.character(\"mouse\"), world.character(\"cat\")
end
function onTick()
  if walk then
    local flight = FLIGHTS[at]
    ticks += 1
    least = math.min(least, mouse:distanceTo(flight.threat))
    if walk.result or ticks > TICKS_MAX then
      log.info(\"flight %d %s %.3f %.3f %.3f\", at, walk.result and walk.result.status or \"none\", first, least,
        mouse:distanceTo(flight.threat))
      walk = nil
    end
  elseif at < #FLIGHTS then
    at += 1
    local flight = FLIGHTS[at]
    cat:teleport(if flight.isCat then flight.threat else \"away\")
    mouse:teleport(flight.from)
    first = mouse:distanceTo(flight.threat)
    least, ticks = first, 0
    walk = mouse:flee(if flight.isCat then cat else flight.threat, { distance = flight.distance, gait = \"run\" })
  end
end
";

/// An axis-parallel piece of floor: west, south, width, depth.
type Floor = [f64; 4];

struct Ground {
    floors: Vec<Floor>,
    kind: &'static str,
}

impl Ground {
    fn drawn(rng: &mut Rng, kind: &'static str) -> Self {
        let floors = if rng.below(3) == 0 { corridors(rng) } else { rooms(rng) };
        Self { floors, kind }
    }

    fn json(&self) -> String {
        let mut areas = String::new();
        // Where the cat is out of the way.
        for (at, [x, z, w, d]) in self.floors.iter().chain(&[[-60.0, -60.0, 4.0, 4.0]]).enumerate() {
            let comma = if at > 0 { "," } else { "" };
            let (e, n) = (x + w, z + d);
            let _ = write!(
                areas,
                "{comma}{{\"name\":\"a{at}\",\"polygon\":[[{x},{z}],[{e},{z}],[{e},{n}],[{x},{n}]]}}"
            );
        }
        let kind = self.kind;
        format!(
            r#"{{"script":"level.lua","navigation":{{"kind":"{kind}","areas":[{areas}]}},"marks":{{"away":[-58,-58]}},
            "characters":[{{"name":"mouse","position":[-58,-57]}},{{"name":"cat","position":[-58,-58]}}]}}"#
        )
    }

    /// Two places on one piece of floor, the distance that is far enough, and whether a cat is there.
    fn flight(&self, rng: &mut Rng) -> String {
        let [x, z, w, d] = self.floors[rng.below(self.floors.len() as u64) as usize];
        let mut place = || [x + rng.float(0.45, w - 0.45), z + rng.float(0.45, d - 0.45)];
        let (from, mut threat) = (place(), place());
        // Bounded by chance: two places of a floor are seldom so near.
        while (from[0] - threat[0]).hypot(from[1] - threat[1]) < 0.9 {
            threat = place();
        }
        let distance = [5, 8, 12][rng.below(3) as usize];
        let vector = |[x, z]: [f64; 2]| format!("vector.create({x:.3}, 0, {z:.3})");
        let is_cat = rng.below(2) == 0;
        let (from, threat) = (vector(from), vector(threat));
        format!("{{ from = {from}, threat = {threat}, distance = {distance}, isCat = {is_cat} }},")
    }
}

/// Three by three rooms, most of them joined by gateways.
fn rooms(rng: &mut Rng) -> Vec<Floor> {
    const APART_M: f64 = 12.0;
    let mut floors: Vec<Floor> = Vec::new();
    for at in 0..9 {
        let (column, row) = (f64::from(at % 3), f64::from(at / 3));
        let corner = [column * APART_M + rng.float(0.0, 2.0), row * APART_M + rng.float(0.0, 2.0)];
        floors.push([corner[0], corner[1], rng.float(4.0, 9.0), rng.float(4.0, 9.0)]);
    }
    for at in 0..9 {
        let room = floors[at];
        if at % 3 < 2 && rng.below(5) > 0 {
            let east = floors[at + 1];
            let begin = room[0] + room[2] - 0.01;
            floors.push([begin, room[1].max(east[1]) + 1.0, east[0] - begin + 0.01, 1.6]);
        }
        if at < 6 && rng.below(5) > 0 {
            let north = floors[at + 3];
            let begin = room[1] + room[3] - 0.01;
            floors.push([room[0].max(north[0]) + 1.0, begin, 1.6, north[1] - begin + 0.01]);
        }
    }
    floors
}

/// Corridors that cross, each with dead ends.
fn corridors(rng: &mut Rng) -> Vec<Floor> {
    (0..rng.int(1, 4))
        .map(|at| {
            let (length, width) = (rng.float(14.0, 34.0), rng.float(1.4, 3.4));
            let begin = [rng.float(0.0, 8.0), rng.float(0.0, 12.0)];
            if at % 2 == 0 {
                [begin[0], begin[1] + 6.0, length, width]
            } else {
                [begin[0] + 6.0, begin[1], width, length]
            }
        })
        .collect()
}

/// What became of the flights on one ground: the line that the script logged, and its numbers.
fn flights(ground: &Ground, rng: &mut Rng) -> Vec<String> {
    let list: String = (0..FLIGHTS).map(|_| ground.flight(rng)).collect();
    let script = format!("local FLIGHTS, TICKS_MAX = {{ {list} }}, {}\n{SCRIPT}", SECONDS_MAX * 60);
    let source = MemorySource::new().with("flights.json", ground.json());
    let level = load("flights.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts: BTreeMap<String, String> = [("level.lua".to_owned(), script)].into();
    let recorder = Recorder::new(RecordOptions { trace: true, ..RecordOptions::default() });
    let mut game = Game::load(level, Setup { scripts, recorder, ..Setup::default() }).unwrap();
    let mut told = Vec::new();
    // Bounded by the seconds of each flight.
    for _ in 0..FLIGHTS * (SECONDS_MAX * 60 + 3) {
        for line in game.tick(&[]).lines {
            let line: Value = serde_json::from_str(&line).unwrap();
            let message = line["message"].as_str().unwrap_or_default().to_owned();
            assert_ne!(line["e"], "scriptFault", "{message}");
            told.extend(message.starts_with("flight").then_some(message));
        }
        if told.len() == FLIGHTS {
            break;
        }
    }
    told
}

#[test]
fn a_flight_comes_no_nearer_to_the_threat() {
    let (first, count) = (number("FLIGHTS_FROM", 1), number("FLIGHTS_COUNT", GROUNDS));
    let mut arrived = 0;
    for (seed, kind) in (first..first + count).flat_map(|seed| ["grid", "mesh"].map(|kind| (seed, kind))) {
        let mut rng = Rng::stream(seed, "flights");
        let ground = Ground::drawn(&mut rng, kind);
        let told = flights(&ground, &mut rng);
        assert_eq!(told.len(), FLIGHTS, "seed {seed}, {kind}");
        for flight in told {
            let words: Vec<&str> = flight.split(' ').collect();
            let [began_m, least_m, ended_m] = [3, 4, 5].map(|at| words[at].parse::<f64>().unwrap());
            let which = format!("FLIGHTS_FROM={seed} FLIGHTS_COUNT=1, {kind}: {flight}\n{}", ground.json());
            assert!(matches!(words[2], "arrived" | "partial"), "{which}");
            assert!(least_m > began_m - NEARER_M, "it came nearer: {which}");
            assert!(words[2] == "arrived" || ended_m > began_m - 0.05, "it was nearer in the end: {which}");
            arrived += usize::from(words[2] == "arrived");
        }
    }
    assert!(arrived > 3 * FLIGHTS * count as usize / 4, "{arrived} flights got far enough");
}
