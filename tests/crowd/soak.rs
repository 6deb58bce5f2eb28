//! Soak: a town full of people on random errands, doors that open and close, and a judge after every tick.
//!
//! Goal: inv:N1 to N6, L1, L2 and T1 hold in every tick of a long run. Method: rooms joined by wide doorways,
//! half of them with doors; everybody walks to random places near by, some through doors that they open;
//! every second a door is opened or closed. `tests/invariants.rs` looks on. The short form runs with the
//! other tests. The long one is 10,000 characters for ten minutes of game time:
//! `WALKON_SOAK=1 cargo test --release --test suite soak -- --nocapture`; `WALKON_SOAK=CHARACTERS,SECONDS`
//! for other sizes. `WALKON_SOAK=CHARACTERS,SECONDS,N` looks at every body in twenty seconds out of each N
//! times twenty, and at the ends of walks and the path budget in every tick. Last taken: 10,000 for an
//! hour of game time (`WALKON_SOAK=10000,3600,20`, profile `dist`), nothing broken in 216,000 ticks; 92
//! minutes with the judge, beside other work on two cores.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use walkon_runtime::base::ids::DoorId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::Game;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::glam::Vec3;
use walkon_runtime::level::{MemorySource, load, spawn};
use walkon_runtime::world::World;
use walkon_runtime::world::door::DoorPolicy;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::characters;
use walkon_runtime::world::ops::doors::{self, DoorOrder};
use walkon_runtime::world::ops::walks::{WalkOrder, walk_to};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::walk::WalkOptions;

use crate::invariants::Judge;

/// Side of a room, and of a room with its wall, metres.
const ROOM_M: f64 = 19.2;
const PITCH_M: f64 = 20.0;
/// Half the width of a doorway, metres.
const HALF_DOORWAY_M: f64 = 2.0;
/// How far an errand leads at most along each axis, metres.
const ERRAND_M: f64 = 30.0;
/// Longest time in a row that two bodies may overlap, seconds (inv:N6).
const OVERLAP_MAX_S: f64 = 10.0;
/// An errand ends by itself after so long, seconds: four times as long as the longest takes the slowest, so
/// that who is held up shows.
const TIMEOUT_S: f64 = 180.0;
/// How long the judge looks at every body before it may look away, seconds; twice as long as bodies may
/// overlap.
const LOOK_S: f64 = 20.0;

/// A town of `side` by `side` rooms.
fn town(side: usize, characters: usize) -> String {
    let (mut areas, mut doors) = (Vec::new(), Vec::new());
    let mut area = |name: String, (x, z): (f64, f64), (width, depth): (f64, f64)| {
        let (right, far) = (x + width, z + depth);
        areas.push(format!(
            r#"{{ "name": "{name}", "polygon": [[{x:.1},{z:.1}],[{right:.1},{z:.1}],[{right:.1},{far:.1}],[{x:.1},{far:.1}]] }}"#
        ));
    };
    let wall_m = PITCH_M - ROOM_M;
    for row in 0..side {
        for column in 0..side {
            let (x, z) = (column as f64 * PITCH_M, row as f64 * PITCH_M);
            area(format!("room {column} {row}"), (x, z), (ROOM_M, ROOM_M));
            let middle = ROOM_M / 2.0 - HALF_DOORWAY_M;
            let ways = [
                (column + 1 < side, "east", (x + ROOM_M, z + middle), (wall_m, 2.0 * HALF_DOORWAY_M)),
                (row + 1 < side, "south", (x + middle, z + ROOM_M), (2.0 * HALF_DOORWAY_M, wall_m)),
            ];
            for (_, way, at, size) in ways.into_iter().filter(|way| way.0) {
                let name = format!("{way} of {column} {row}");
                area(name.clone(), at, size);
                if (row + column) % 2 == 0 {
                    doors.push(format!(
                        r#"{{ "name": "{name}", "area": "{name}", "open": true, "seconds": 0.5 }}"#
                    ));
                }
            }
        }
    }
    let mut json = String::new();
    let (areas, doors) = (areas.join(","), doors.join(","));
    write!(
        json,
        r#"{{ "seed": 7, "limits": {{ "characters": {characters} }},
           "navigation": {{ "agentRadius": 0.35, "areas": [{areas}] }}, "doors": [{doors}] }}"#
    )
    .unwrap();
    json
}

struct Soak {
    game: Game,
    judge: Judge,
    rng: Rng,
    extent_m: f64,
    doors: usize,
    errands: u64,
    /// How often walks ended how, and because of what.
    ends: BTreeMap<String, u64>,
}

impl Soak {
    fn of(characters: usize) -> Self {
        // One body to four square metres, and never less than four rooms.
        let side = ((characters as f64 * 4.0).sqrt() / PITCH_M).ceil().max(2.0) as usize;
        let source = MemorySource::new().with("town.json", town(side, characters));
        let level = load("town.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
        let doors = level.def.doors.len();
        let options = RecordOptions { trace: true, ..RecordOptions::default() };
        let mut game = Game::new(spawn::build(level, None).world, Recorder::new(options));
        let (mut rng, extent_m) = (Rng::stream(7, "soak"), side as f64 * PITCH_M);
        for index in 0..characters {
            let at = Vec3::new(rng.float(0.0, extent_m) as f32, 0.0, rng.float(0.0, extent_m) as f32);
            let mut person = characters::Spawn::new(format!("c{index}"), at);
            person.radius_m = rng.float(0.25, 0.45) as f32;
            person.gait.walk_mps = rng.float(0.8, 2.0) as f32;
            person.doors = [DoorPolicy::Avoid, DoorPolicy::Open][index % 2];
            characters::spawn(game.world_mut(), person).unwrap();
        }
        let judge = Judge::new(game.world(), OVERLAP_MAX_S);
        Self { game, judge, rng, extent_m, doors, errands: 0, ends: BTreeMap::new() }
    }

    fn run(&mut self, size: &Size) {
        let rate = self.game.world().rate();
        let look_ticks = rate.ticks(LOOK_S);
        for tick in 0..rate.ticks(size.seconds) {
            self.errands();
            if tick % 60 == 0 {
                self.turn_a_door();
            }
            let recorded = self.game.tick(&[]);
            match (tick / look_ticks) % size.one_look_in {
                0 => self.judge.look(self.game.world(), &recorded.lines),
                _ => self.judge.follow(self.game.world(), &recorded.lines),
            }
            for line in recorded.lines.iter().filter(|line| line.contains("\"e\":\"walkSettled\"")) {
                let fact: serde_json::Value = serde_json::from_str(line).unwrap();
                let by = if fact["by"].is_null() { "" } else { " by somebody or something" };
                *self.ends.entry(format!("{}/{}{by}", fact["status"], fact["reason"])).or_default() += 1;
            }
        }
        self.every_wait_ends();
        let lines = self.game.end().lines;
        self.judge.end(self.game.world(), &lines);
    }

    /// Sends everybody who has nothing to do.
    fn errands(&mut self) {
        let world = self.game.world();
        let idle: Vec<_> = world
            .characters()
            .filter(|(_, who)| who.walk.is_none())
            .map(|(id, who)| (id, who.body.position))
            .collect();
        for (character, from) in idle {
            let mut near = |along: f32| {
                let to = f64::from(along) + self.rng.float(-ERRAND_M, ERRAND_M);
                // Back from the edge of the town, not up to it: else crowds would gather in its corners.
                let back = if to < 0.0 {
                    -to
                } else if to > self.extent_m {
                    2.0 * self.extent_m - to
                } else {
                    to
                };
                back.clamp(0.0, self.extent_m) as f32
            };
            let goal = Goal::Point(Vec3::new(near(from.x), 0.0, near(from.z)));
            let rate = self.game.world().rate();
            let options = WalkOptions { timeout_ticks: Some(rate.ticks(TIMEOUT_S)), ..WalkOptions::at(rate) };
            walk_to(self.game.world_mut(), WalkOrder { character, goal, options, owner: Owner::HOST })
                .unwrap();
            self.errands += 1;
        }
    }

    fn turn_a_door(&mut self) {
        let door = DoorId::from(self.rng.int(0, self.doors as i64 - 1) as usize);
        let (closes, world) = (self.rng.int(0, 2) == 0, self.game.world_mut());
        match closes {
            true => doors::close(world, door, &DoorOrder::default()),
            false => doors::open(world, door, &DoorOrder::default()),
        };
    }

    /// inv:L2: no walk is older than its own time.
    fn every_wait_ends(&self) {
        let world: &World = self.game.world();
        let most = world.rate().ticks(TIMEOUT_S) + 1;
        for (_, who) in world.characters() {
            let walk = who.walk.and_then(|id| world.walk(id));
            let age = walk.map_or(0, |walk| world.tick().since(walk.issued));
            assert!(age <= most, "{} is {age} ticks under way", who.name);
        }
    }
}

/// How much is run and looked at.
struct Size {
    characters: usize,
    seconds: f64,
    /// One in so many stretches of `LOOK_S` is looked at.
    one_look_in: u64,
}

/// The short form unless the environment asks for more.
fn size() -> Size {
    let Ok(asked) = std::env::var("WALKON_SOAK") else {
        return Size { characters: 300, seconds: 30.0, one_look_in: 1 };
    };
    let words: Vec<&str> = asked.split(',').collect();
    let seconds = words.get(1).map_or(600.0, |word| word.parse().unwrap());
    let characters = if words.len() > 1 { words[0].parse().unwrap() } else { 10_000 };
    Size { characters, seconds, one_look_in: words.get(2).map_or(1, |word| word.parse().unwrap()) }
}

#[test]
fn inv_n1_to_n6_l1_l2_and_t1_hold_in_every_tick_of_a_busy_town() {
    let size = size();
    let Size { characters, seconds, .. } = size;
    let mut soak = Soak::of(characters);
    soak.run(&size);
    let (ticks, pair) = soak.judge.worst_overlap();
    println!(
        "{characters} characters, {seconds} s: {} errands, {:?}",
        soak.errands,
        soak.game.world().walk_counts()
    );
    println!("{:?}", soak.ends);
    println!(
        "longest overlap {ticks} ticks ({pair:?}), deepest {:.2} of the smaller radius",
        soak.judge.deepest()
    );
    assert!(soak.errands as f64 > characters as f64 * seconds / 60.0, "the town stands still");
    soak.judge.assert_clean("soak");
}
