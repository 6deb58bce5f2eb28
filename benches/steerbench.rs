//! SteerBench: published crowd cases and cases of our own, each run to its end and judged.
//!
//! `cargo bench -p walkon-benches --bench steerbench [-- FILTER... | FOLDER...] [--jobs N] [--seed N]...
//! [--cell METRES]... [--rate HZ]... [--budget EXPANSIONS] [--seconds N] [--write FILE]`
//!
//! In: SteerBench XML (Singh, Kapadia, Faloutsos, Reinman 2009) from `../shared/data/steerbench` and
//! `tests/data/steerbench`, or from the folders named; the converter
//! `../shared/tools/steerbench_to_level.py`. Out: a Markdown table, one line a case, and a line for each
//! agent that did not arrive. A word that is no folder is a part of the names to run. Several seeds, cell
//! sizes or tick rates run every case with each. Method: the level runs headlessly through the library until
//! it finishes itself, at most `--seconds` of game time; after every tick a judge that shares no code with
//! the crowd looks at everybody (`tests/invariants.rs`). Travel times are compared with the shortest path for
//! that body alone on the empty map, less the radius that counts as arrived, at the speed asked for.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::Value;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::glam::Vec3;
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::nav::{Accept, PathQuery, Search, Traversal};
use walkon_runtime::world::World;

use invariants::Judge;

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/invariants.rs"]
mod invariants;

/// Longest time in a row that a pair may overlap, seconds.
const OVERLAP_MAX_S: f64 = 0.5;
/// Cases of at most so many agents are small: their travel times are held to `TIME_RATIO_MAX`.
const SMALL_AGENTS: usize = 12;
/// Mean travel time over the unobstructed one that a small case may have.
const TIME_RATIO_MAX: f64 = 1.3;

/// What to run.
struct Wanted {
    folders: Vec<PathBuf>,
    filters: Vec<String>,
    jobs: usize,
    seeds: Vec<u64>,
    cells: Vec<String>,
    rates: Vec<u64>,
    budget: Option<u64>,
    seconds: f64,
    write: Option<PathBuf>,
    converter: PathBuf,
}

/// One case with one seed, cell size and tick rate.
struct Job {
    case: PathBuf,
    title: String,
    seed: u64,
    cell: String,
    rate: u64,
}

/// What a run came to.
#[derive(Default)]
struct Outcome {
    title: String,
    agents: usize,
    is_ok: bool,
    seconds: f64,
    ends: BTreeMap<&'static str, u64>,
    overlap_s: f64,
    overlap_sum_s: f64,
    off_ground: u64,
    other_laws: u64,
    time_ratio: f64,
    mean_ms: f64,
    worst_ms: f64,
    notes: Vec<String>,
}

fn main() {
    let wanted = wanted();
    let jobs = jobs(&wanted);
    if jobs.is_empty() {
        eprintln!("no case of that name");
        exit(2);
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, Outcome>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..wanted.jobs.min(jobs.len()) {
            scope.spawn(|| {
                while let Some((index, job)) = take(&next, &jobs) {
                    let outcome = run(&wanted, job);
                    eprintln!("{}", row(&outcome));
                    done.lock().unwrap().insert(index, outcome);
                }
            });
        }
    });
    let table = table(&done.into_inner().unwrap());
    println!("{table}");
    if let Some(file) = &wanted.write {
        std::fs::write(file, table).unwrap();
    }
}

fn take<'j>(next: &AtomicUsize, jobs: &'j [Job]) -> Option<(usize, &'j Job)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(index).map(|job| (index, job))
}

fn wanted() -> Wanted {
    let here = Path::new(ROOT);
    let shared =
        ["../shared", "../../shared"].iter().map(|place| here.join(place)).find(|path| path.is_dir());
    let Some(converter) = shared
        .as_ref()
        .map(|shared| shared.join("tools/steerbench_to_level.py"))
        .filter(|file| file.is_file())
    else {
        eprintln!("the converter ../shared/tools/steerbench_to_level.py is not there");
        exit(6);
    };
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("python3 is needed to convert the cases, and does not run");
        exit(6);
    }
    let cpus = std::thread::available_parallelism().map_or(1, |count| count.get());
    let mut wanted = Wanted {
        folders: Vec::new(),
        filters: Vec::new(),
        jobs: cpus,
        seeds: Vec::new(),
        cells: Vec::new(),
        rates: Vec::new(),
        budget: None,
        seconds: 900.0,
        write: None,
        converter,
    };
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value"));
        match word.as_str() {
            "--jobs" => wanted.jobs = value().parse().expect("--jobs takes a number"),
            "--seed" => wanted.seeds.push(value().parse().expect("--seed takes a number")),
            "--cell" => wanted.cells.push(value()),
            "--rate" => wanted.rates.push(value().parse().expect("--rate takes a number")),
            "--budget" => wanted.budget = Some(value().parse().expect("--budget takes a number")),
            "--seconds" => wanted.seconds = value().parse().expect("--seconds takes a number"),
            "--write" => wanted.write = Some(PathBuf::from(value())),
            folder if Path::new(folder).is_dir() => wanted.folders.push(PathBuf::from(folder)),
            filter if filter.starts_with("--") => panic!("there is no option {filter}"),
            filter => wanted.filters.push(filter.to_owned()),
        }
    }
    if wanted.folders.is_empty() {
        wanted
            .folders
            .extend(shared.map(|shared| shared.join("data/steerbench")).filter(|folder| folder.is_dir()));
        wanted.folders.push(here.join("tests/data/steerbench"));
    }
    if wanted.seeds.is_empty() {
        wanted.seeds.push(1);
    }
    if wanted.cells.is_empty() {
        wanted.cells.push("0.2".to_owned());
    }
    if wanted.rates.is_empty() {
        wanted.rates.push(60);
    }
    wanted
}

fn jobs(wanted: &Wanted) -> Vec<Job> {
    let mut jobs = Vec::new();
    for folder in &wanted.folders {
        let entries =
            std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut cases: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        cases.retain(|case| case.extension().is_some_and(|ending| ending == "xml"));
        cases.sort();
        for case in cases {
            let name = case.file_stem().unwrap().to_string_lossy().into_owned();
            if !wanted.filters.is_empty()
                && !wanted.filters.iter().any(|filter| name.contains(filter.as_str()))
            {
                continue;
            }
            jobs.extend(runs(wanted, &case, &name));
        }
    }
    jobs
}

/// A case with every seed, cell size and tick rate; what is not as usual is in its title.
fn runs(wanted: &Wanted, case: &Path, name: &str) -> Vec<Job> {
    let mut jobs = Vec::new();
    for &seed in &wanted.seeds {
        for cell in &wanted.cells {
            for &rate in &wanted.rates {
                let mut title = name.to_owned();
                if wanted.seeds.len() > 1 || seed != 1 {
                    write!(title, " seed {seed}").unwrap();
                }
                if wanted.cells.len() > 1 || cell != "0.2" {
                    write!(title, " cell {cell}").unwrap();
                }
                if wanted.rates.len() > 1 || rate != 60 {
                    write!(title, " at {rate} Hz").unwrap();
                }
                jobs.push(Job { case: case.to_owned(), title, seed, cell: cell.clone(), rate });
            }
        }
    }
    jobs
}

fn run(wanted: &Wanted, job: &Job) -> Outcome {
    let mut outcome = Outcome { title: job.title.clone(), ..Outcome::default() };
    let folder = tempfile::tempdir().unwrap();
    let converted = Command::new("python3")
        .arg(&wanted.converter)
        .arg(&job.case)
        .arg(folder.path())
        .args(["--cell", &job.cell, "--seed", &job.seed.to_string()])
        .output()
        .unwrap();
    if !converted.status.success() {
        let said = String::from_utf8_lossy(&converted.stderr).trim().to_owned();
        outcome.is_ok = said.contains("skipped");
        outcome.notes.push(format!("not converted: {said}"));
        return outcome;
    }
    let name = job.case.file_stem().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(folder.path().join(format!("levels/{name}.json"))).unwrap();
    let mut json: Value = serde_json::from_str(&text).unwrap();
    json["tickRate"] = job.rate.into();
    if let Some(budget) = wanted.budget {
        json["pathBudget"] = budget.into();
    }
    let text = json.to_string();
    let scripts = ["seek.lua", "steerbench.lua"].map(|script| {
        (script.to_owned(), std::fs::read_to_string(folder.path().join("scripts").join(script)).unwrap())
    });
    let source = MemorySource::new().with("case.json", text.as_str());
    let level = load("case.json", &source).unwrap_or_else(|refused| panic!("{}: {refused:?}", job.title));
    let recorder = Recorder::new(RecordOptions { trace: true, ..RecordOptions::default() });
    let setup = Setup { scripts: scripts.into_iter().collect(), recorder, ..Setup::default() };
    let mut game = Game::load(level, setup).unwrap_or_else(|failure| panic!("{}: {failure}", job.title));
    let alone_s = alone(game.world(), &json);
    drive(&mut game, wanted.seconds, &alone_s, &mut outcome);
    outcome
}

/// Runs the level to its end and fills in what came of it.
fn drive(game: &mut Game, seconds: f64, alone_s: &BTreeMap<String, f64>, outcome: &mut Outcome) {
    let rate = game.world().rate();
    let mut judge = Judge::new(game.world(), OVERLAP_MAX_S);
    outcome.agents = game.world().character_count();
    let mut ratios = Vec::new();
    let (mut spent_ms, mut worst_ms) = (0.0, 0.0_f64);
    for fact in game.start_facts().lines {
        note(outcome, &fact, &mut ratios, alone_s, 0.0);
    }
    while game.outcome().is_none() && game.world().tick().0 < rate.ticks(seconds) {
        let began = Instant::now();
        let recorded = game.tick(&[]);
        let took_ms = began.elapsed().as_secs_f64() * 1e3;
        spent_ms += took_ms;
        worst_ms = worst_ms.max(took_ms);
        judge.look(game.world(), &recorded.lines);
        let now_s = rate.seconds(game.world().tick());
        recorded.lines.iter().for_each(|line| note(outcome, line, &mut ratios, alone_s, now_s));
    }
    let ticks = game.world().tick().0.max(1);
    for (_, character) in game.world().characters().take(5) {
        let at = character.body.position;
        outcome.notes.push(format!("{} still at ({:.2}, {:.2})", character.name, at.x, at.z));
    }
    let finished = game.outcome();
    let last = game.end().lines;
    judge.end(game.world(), &last);
    outcome.is_ok = finished.is_some_and(|finished| finished.ok);
    outcome.seconds = rate.seconds(game.world().tick());
    outcome.overlap_s = judge.worst_overlap().0 as f64 * f64::from(rate.tick_seconds());
    outcome.overlap_sum_s = judge.worst_overlap_sum() as f64 * f64::from(rate.tick_seconds());
    outcome.off_ground = judge.count("N1") + judge.count("N2");
    outcome.other_laws = judge.counts().values().sum::<u64>() - outcome.off_ground - judge.count("N6");
    outcome.time_ratio = ratios.iter().sum::<f64>() / ratios.len().max(1) as f64;
    (outcome.mean_ms, outcome.worst_ms) = (spent_ms / ticks as f64, worst_ms);
    outcome.notes.extend(judge.breaches().iter().take(6).map(ToString::to_string));
    if game.fault_count() > 0 {
        outcome.notes.push(format!("{} script faults", game.fault_count()));
    }
}

/// Counts the ends of walks, and the travel time of each agent that leaves.
fn note(
    outcome: &mut Outcome,
    line: &str,
    ratios: &mut Vec<f64>,
    alone_s: &BTreeMap<String, f64>,
    now_s: f64,
) {
    let (settled, gone) = (line.contains("\"e\":\"walkSettled\""), line.contains("\"e\":\"despawned\""));
    if !settled && !gone {
        return;
    }
    let fact: Value = serde_json::from_str(line).unwrap();
    let who = fact["character"].as_str().unwrap();
    if gone {
        if let Some(alone_s) = alone_s.get(who).filter(|&&alone_s| alone_s > 0.5) {
            ratios.push(now_s / alone_s);
        }
        return;
    }
    let status =
        ["arrived", "partial", "blocked", "cancelled"].into_iter().find(|&status| fact["status"] == status);
    *outcome.ends.entry(status.unwrap()).or_default() += 1;
    if fact["ok"] == false && outcome.notes.len() < 8 {
        let text = format!("{now_s:.1} s: {who} {}/{}: {}", fact["status"], fact["reason"], fact["detail"]);
        outcome.notes.push(text.replace('"', ""));
    }
}

/// Seconds that everybody would need with nobody else there, by name.
fn alone(world: &World, level: &Value) -> BTreeMap<String, f64> {
    let mut search = Search::default();
    let mut out = BTreeMap::new();
    for agent in level["characters"].as_array().unwrap() {
        let name = agent["name"].as_str().unwrap();
        let Some(character) = world.find_character(name).and_then(|id| world.character(id)) else { continue };
        let (mut from, radius_m, mut sum_s) = (character.body.position, character.body.radius_m, 0.0);
        for goal in agent["params"]["goals"].as_array().unwrap() {
            let number = |key: &str| goal[key].as_f64().unwrap();
            let to = Vec3::new(number("x") as f32, 0.0, number("z") as f32);
            let length_m = length(world, (from, to), radius_m, &mut search);
            sum_s += f64::from((length_m - radius_m).max(0.0)) / number("speed");
            from = to;
        }
        out.insert(name.to_owned(), sum_s);
    }
    out
}

fn length(world: &World, (start, goal): (Vec3, Vec3), radius_m: f32, search: &mut Search) -> f32 {
    let by = Traversal { radius_m, ..Traversal::default() };
    let query = PathQuery {
        start,
        goal,
        by,
        accept: Accept::Nearest,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: None,
    };
    world.nav().plan(&query, search).path.length_m
}

fn table(outcomes: &BTreeMap<usize, Outcome>) -> String {
    let mut text = String::from(
        "| case | agents | ok | seconds | arrived | partial | blocked | overlap s | in all s | off ground | other laws | time ratio | ms a tick | worst ms |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for outcome in outcomes.values() {
        writeln!(text, "{}", row(outcome)).unwrap();
    }
    let good = outcomes.values().filter(|outcome| is_good(outcome)).count();
    write!(text, "\n{good} of {} cases as demanded.\n", outcomes.len()).unwrap();
    for outcome in outcomes.values().filter(|outcome| !outcome.notes.is_empty()) {
        write!(text, "\n{}:\n", outcome.title).unwrap();
        outcome.notes.iter().for_each(|note| writeln!(text, "- {note}").unwrap());
    }
    text
}

fn is_good(outcome: &Outcome) -> bool {
    let in_time = outcome.agents > SMALL_AGENTS || outcome.time_ratio <= TIME_RATIO_MAX;
    outcome.is_ok
        && in_time
        && outcome.overlap_s <= OVERLAP_MAX_S
        && outcome.off_ground + outcome.other_laws == 0
}

fn row(outcome: &Outcome) -> String {
    let count = |status: &str| outcome.ends.get(status).copied().unwrap_or(0);
    format!(
        "| {} | {} | {} | {:.0} | {} | {} | {} | {:.2} | {:.2} | {} | {} | {:.2} | {:.3} | {:.2} |",
        outcome.title,
        outcome.agents,
        if is_good(outcome) {
            "yes"
        } else if outcome.is_ok {
            "arrived"
        } else {
            "**no**"
        },
        outcome.seconds,
        count("arrived"),
        count("partial"),
        count("blocked"),
        outcome.overlap_s,
        outcome.overlap_sum_s,
        outcome.off_ground,
        outcome.other_laws,
        outcome.time_ratio,
        outcome.mean_ms,
        outcome.worst_ms,
    )
}
