//! What a profile costs a run: the same level with and without one, side by side.
//!
//! In: names of cases. Out: a markdown table of ratios. Method: the games take their ticks in turn, in the
//! time of the thread; the ratio of the sums of the cheaper half of all ticks counts, on average over four
//! runs, in each of which another of the games is made first: where in memory a game lies makes up to a
//! tenth. Arguments name the cases to run, by a part of their names.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use cpu_time::ThreadTime;
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::script::state::profile::{ProfileSetup, Stopwatch};

/// Ticks of a run, after as many that warm up.
const TICKS: usize = 200;
const RUNS: usize = 4;
/// The same of a level of the repository with ten thousand behaviour trees, whose people walk.
const TOWN: (&str, usize) = ("the level `town_trees`: 10,000 trees", 60);

const CASES: [(&str, usize, &str, &str); 6] = [
    ("10,000 updates that count", 10_000, "function npc:update() self.n = (self.n or 0) + 1 end", ""),
    (
        "2,000 updates that think",
        2_000,
        "function npc:update()\n  local me, sum = self.character.position, 0\n  for i = 1, 20 do sum += math.sqrt(i) * me.x end\n  self.near = self.character:distanceTo(vector.create(9, 0, 9)) < sum\nend",
        "",
    ),
    ("2,000 tasks that sleep a tick", 2_000, "function npc:run() while true do task.sleep(0) end end", ""),
    (
        "500 events, each heard by ten",
        10,
        "npc.on = { e = function() end }",
        "function onTick() for _ = 1, 500 do event.emit(\"e\") end end",
    ),
    (
        "200 paths",
        1,
        "",
        "function onTick() for i = 1, 200 do nav.findPath(vector.create(i, 0, 3), vector.create(200, 0, i)) end end",
    ),
    ("a loop of 90,000 turns", 1, "", "function onTick() local n = 0 for i = 1, 90000 do n += i end end"),
];

#[derive(Debug)]
struct WallClock(Instant);

impl Stopwatch for WallClock {
    fn nanoseconds(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}

fn main() {
    println!("| work a tick | us a tick | by call | and by line | every safepoint |");
    println!("|---|---|---|---|---|");
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    for (name, characters, behaviour, script) in CASES.iter().filter(|(name, ..)| is_wanted(name)) {
        print_row(name, TICKS, &|profile| game(*characters, (behaviour, script), profile));
    }
    if is_wanted(TOWN.0) {
        print_row(TOWN.0, TOWN.1, &town);
    }
}

fn print_row(name: &str, ticks: usize, make: &dyn Fn(Option<ProfileSetup>) -> Game) {
    let (us, ratios) = compare(ticks, make);
    print!("| {name} | {us:.0} |");
    ratios.iter().for_each(|ratio| print!(" {ratio:.3} |"));
    println!();
}

/// The town of the repository.
fn town(profile: Option<ProfileSetup>) -> Game {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let level =
        load("town.json", &MemorySource::new().with("town.json", text("levels/town_trees.json").as_str()));
    let level = level.unwrap_or_else(|refused| panic!("{refused:?}"));
    let path = "behaviours/stroller.lua";
    let scripts = BTreeMap::from([(path.to_owned(), text(&format!("scripts/{path}")))]);
    Game::load(level, Setup { scripts, profile, ..Setup::default() }).unwrap()
}

fn game(characters: usize, (behaviour, script): (&str, &str), profile: Option<ProfileSetup>) -> Game {
    let mut json = String::from(
        r#"{ "script": "level.lua", "limits": { "eventsPerTick": 65536, "fuelPerTick": 8000000 }, "navigation": { "areas": [ {
        "name": "hall", "polygon": [[0,0],[210,0],[210,210],[0,210]] } ] }, "characters": ["#,
    );
    for index in 0..characters {
        let (x, z) = (2 + index % 100 * 2, 2 + index / 100 * 2);
        let comma = if index == 0 { "" } else { "," };
        let own = if behaviour.is_empty() { "" } else { r#", "behaviour": "npc.lua""# };
        write!(json, r#"{comma}{{ "name": "c{index}", "position": [{x},{z}]{own} }}"#).unwrap();
    }
    json.push_str("] }");
    let level = load("hall.json", &MemorySource::new().with("hall.json", json.as_str()));
    let level = level.unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts = BTreeMap::from([
        ("level.lua".to_owned(), script.to_owned()),
        ("npc.lua".to_owned(), format!("local npc = {{}}\n{behaviour}\nreturn npc")),
    ]);
    Game::load(level, Setup { scripts, profile, ..Setup::default() }).unwrap()
}

/// Microseconds of a tick without a profile, and the ratios to it.
fn compare(ticks: usize, make: &dyn Fn(Option<ProfileSetup>) -> Game) -> (f64, [f64; 3]) {
    let setup = |sample_every: u32| {
        let stopwatch: Option<Box<dyn Stopwatch>> = Some(Box::new(WallClock(Instant::now())));
        Some(ProfileSetup { sample_every, stopwatch, keeps_calls: false })
    };
    let mut ratios = [0.0; 3];
    let mut plain = f64::INFINITY;
    for run in 0..RUNS {
        // Where in memory a game lies counts as well: each is made first once.
        let mut games: [Option<Game>; 4] = Default::default();
        for place in 0..games.len() {
            let which = (place + run) % games.len();
            let setups = [None, setup(0), setup(ProfileSetup::SAMPLE_EVERY), setup(1)];
            games[which] = Some(make(setups.into_iter().nth(which).flatten()));
        }
        let mut games = games.map(Option::unwrap);
        let mut spent: [Vec<f64>; 4] = Default::default();
        for tick in 0..2 * ticks {
            for (game, spent) in games.iter_mut().zip(&mut spent) {
                let begun = ThreadTime::now();
                game.tick(&[]);
                let took = begun.elapsed().as_nanos() as f64 / 1e3;
                if tick >= ticks {
                    spent.push(took);
                }
            }
        }
        assert!(games.iter().all(|game| game.fault_count() == 0), "no script may fault while it is measured");
        let half = spent.map(|mut spent| {
            spent.sort_by(f64::total_cmp);
            spent[..ticks / 2].iter().sum::<f64>() / (ticks / 2) as f64
        });
        plain = plain.min(half[0]);
        for (ratio, with) in ratios.iter_mut().zip(&half[1..]) {
            *ratio += with / half[0] / RUNS as f64;
        }
    }
    (plain, ratios)
}
