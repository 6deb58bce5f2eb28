//! `walkon batch`: many runs of levels, over all cores.
//!
//! In: levels, seeds, a bound. Out: one line of `run`'s JSON for each seed on stdout, in the order of levels and seeds;
//! a table of measures on stderr. Holds: a run shares nothing with another but the texts it began with, so its line is
//! the one it would have alone (fault:F44), whatever the number of threads; no file is watched (fault:E20). Not
//! here: what a run does (`game::headless`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use super::Shell;
use super::args::BatchArgs;
use super::exit::{Exit, Failure};
use super::run::{exit_of, json};
use crate::base::time::TickRate;
use crate::game::headless::{self, Bound, Onlooker, Report};
use crate::game::line::Line;
use crate::game::recorder::Recorder;
use crate::game::{Game, Setup};
use crate::level::{LevelFile, LoadedLevel, MemorySource};
use crate::script::fuel::Signals;
use crate::shell::output::{Results, tell};
use crate::shell::project::find_level;
use crate::shell::report::clean;
use crate::shell::watchdog::{Interrupts, Watchdog};

/// Game seconds of a run that names no bound.
const SECONDS: f64 = 60.0;
/// Stack of a thread that runs levels: enough for the deepest Lua.
const STACK_BYTES: usize = 64 << 20;
/// Most seeds that are listed as failing.
const LISTED_MAX: usize = 10;

/// A level to run, as text: what a thread needs to build it by itself.
struct Piece {
    path: String,
    name: String,
    files: MemorySource,
    scripts: BTreeMap<String, String>,
    ticks_max: u64,
    watchdog_ms: u64,
}

/// One run to do.
#[derive(Clone, Copy)]
struct Job {
    piece: usize,
    seed: u64,
}

/// What came of one.
struct Done {
    line: String,
    exit: Exit,
    report: Option<Report>,
}

pub(super) fn run(shell: &Shell, args: &BatchArgs, results: &mut Results) -> Result<Exit, Failure> {
    let pieces = args.levels.iter().map(|level| piece(shell, args, level)).collect::<Result<Vec<_>, _>>()?;
    let jobs = jobs(args, pieces.len());
    let interrupts = Interrupts::listen();
    let threads = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let mut table = Table::default();
    let began = Instant::now();
    let next = AtomicUsize::new(0);
    let ended = std::thread::scope(|scope| {
        let (sender, done) = channel();
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let worker =
                Worker { args, pieces: &pieces, jobs: &jobs, next: &next, interrupts: interrupts.clone() };
            let sender = sender.clone();
            let thread = std::thread::Builder::new().name("batch".to_owned()).stack_size(STACK_BYTES);
            if let Err(error) = thread.spawn_scoped(scope, move || worker.work(&sender)) {
                return Err(Failure::io(format!("no thread for the runs: {error}")));
            }
        }
        drop(sender);
        // Runs end in any order and are told in theirs.
        let mut waiting: BTreeMap<usize, Done> = BTreeMap::new();
        let mut told = 0;
        for (index, done) in done {
            waiting.insert(index, done);
            while let Some(done) = waiting.remove(&told) {
                // Each line is out when its run ends: who kills the rest keeps it.
                results.line(&done.line)?;
                results.flush()?;
                table.add(&pieces[jobs[told].piece].name, jobs[told].seed, &done);
                told += 1;
            }
            shell.progress(told, jobs.len());
        }
        Ok(())
    });
    shell.progress_over();
    ended?;
    results.flush()?;
    if !shell.is_quiet {
        table.lines(began.elapsed().as_secs_f64()).iter().for_each(|line| tell(line));
    }
    Ok(interrupts.asked().unwrap_or(table.worst))
}

/// Reads and checks a level once; threads build it from the texts.
fn piece(shell: &Shell, args: &BatchArgs, level: &std::path::Path) -> Result<Piece, Failure> {
    let found = find_level(level)?;
    let loaded = shell.load(&found)?;
    let scripts = shell.scripts(&found, &loaded)?;
    let rate = TickRate::new(loaded.def.tick_rate).unwrap_or_default();
    let with = |source: MemorySource, file: &LevelFile| source.with(&file.path, file.text.as_bytes());
    Ok(Piece {
        path: found.path.clone(),
        name: loaded.def.name.clone(),
        files: loaded.files.iter().fold(MemorySource::new(), with),
        scripts,
        ticks_max: args.ticks.unwrap_or_else(|| rate.ticks(args.seconds.unwrap_or(SECONDS))),
        watchdog_ms: crate::level::spawn::settings(&loaded.def).limits.watchdog_ms,
    })
}

/// The runs of this shard: every level with every seed, each N-th of them.
fn jobs(args: &BatchArgs, pieces: usize) -> Vec<Job> {
    let seeds = args.seeds.clone();
    let all = (0..pieces).flat_map(|piece| seeds.clone().map(move |seed| Job { piece, seed }));
    let (shard, shards) = args.shard;
    all.enumerate().filter(|(index, _)| *index as u64 % shards == shard - 1).map(|(_, job)| job).collect()
}

/// A thread that takes one run after another.
struct Worker<'a> {
    args: &'a BatchArgs,
    pieces: &'a [Piece],
    jobs: &'a [Job],
    next: &'a AtomicUsize,
    interrupts: Interrupts,
}

impl Worker<'_> {
    fn work(&self, sender: &Sender<(usize, Done)>) {
        // Bounded by the runs.
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = self.jobs.get(index) else { return };
            if self.interrupts.asked().is_some() {
                return;
            }
            let done = self.one(&self.pieces[job.piece], job.seed);
            // A run that a signal cut short is no result.
            if self.interrupts.asked().is_some() || sender.send((index, done)).is_err() {
                return;
            }
        }
    }

    fn one(&self, piece: &Piece, seed: u64) -> Done {
        let level = match crate::level::load(&piece.path, &piece.files) {
            Ok(level) => level,
            Err(error) => return not_begun(piece, seed, Exit::Level, &error.to_string()),
        };
        let began = Instant::now();
        match self.play(piece, level, seed) {
            Ok(report) => {
                let line = json(&report, began.elapsed());
                Done { line, exit: exit_of(&report), report: Some(report) }
            }
            Err(error) => not_begun(piece, seed, Exit::Script, &error.to_string()),
        }
    }

    fn play(&self, piece: &Piece, level: LoadedLevel, seed: u64) -> Result<Report, crate::game::StartError> {
        let signals = Arc::new(Signals::default());
        let _watchdog = Watchdog::start(Arc::clone(&signals), piece.watchdog_ms, self.interrupts.clone());
        let setup = Setup {
            scripts: piece.scripts.clone(),
            seed: Some(seed),
            args: self.args.args.clone(),
            recorder: Recorder::default(),
            signals,
            is_interactive: false,
        };
        let mut game = Game::load(level, setup)?;
        let bound =
            Bound { ticks_max: piece.ticks_max, until: self.args.until.clone(), is_strict: self.args.strict };
        Ok(headless::run(&mut game, &bound, |_, _| {
            if self.interrupts.asked().is_some() { Onlooker::Stop } else { Onlooker::GoOn }
        }))
    }
}

fn not_begun(piece: &Piece, seed: u64, exit: Exit, error: &str) -> Done {
    let line = Line::default().text("level", &piece.name).count("seed", seed).flag("ok", false);
    Done { line: line.text("error", error).finish(), exit, report: None }
}

/// What the runs came to, for people.
#[derive(Default)]
struct Table {
    runs: usize,
    worst: Exit,
    failing: Vec<String>,
    failed: usize,
    /// By name: sum, least, most, how many.
    measures: BTreeMap<String, (f64, f64, f64, usize)>,
}

impl Table {
    fn add(&mut self, level: &str, seed: u64, done: &Done) {
        self.runs += 1;
        if done.exit.code() > self.worst.code() {
            self.worst = done.exit;
        }
        if done.exit != Exit::Ok {
            self.failed += 1;
            if self.failing.len() < LISTED_MAX {
                self.failing.push(format!("{level} {seed} (exit {})", done.exit.code()));
            }
        }
        let Some(report) = &done.report else { return };
        let own = [
            ("seconds", report.seconds),
            ("arrived", report.walks.arrived as f64),
            ("blocked", report.walks.blocked as f64),
            ("faults", report.faults as f64),
        ];
        let own = own.into_iter().map(|(name, value)| (format!("  {name}"), value));
        let measured = report.measures.iter().map(|(name, value)| (clean(name), *value));
        for (name, value) in own.chain(measured) {
            let entry = self.measures.entry(name).or_insert((0.0, f64::INFINITY, f64::NEG_INFINITY, 0));
            *entry = (entry.0 + value, entry.1.min(value), entry.2.max(value), entry.3 + 1);
        }
    }

    fn lines(&self, wall_seconds: f64) -> Vec<String> {
        let mut lines = vec![format!(
            "{} runs in {wall_seconds:.2} s: {} ok, {} not",
            self.runs,
            self.runs - self.failed,
            self.failed
        )];
        if !self.measures.is_empty() {
            lines.push(format!("  {:<24} {:>12} {:>12} {:>12}", "measure", "mean", "min", "max"));
        }
        for (name, (sum, least, most, count)) in &self.measures {
            let (name, mean) = (name.trim_start(), sum / *count as f64);
            lines.push(format!("  {name:<24} {mean:>12.3} {least:>12.3} {most:>12.3}"));
        }
        if !self.failing.is_empty() {
            let more = self.failed - self.failing.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(format!("  failing: {}{more}", self.failing.join(", ")));
        }
        lines
    }
}
