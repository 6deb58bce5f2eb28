//! `walkon batch`: many runs of levels, over all cores.
//!
//! In: levels, seeds, a bound. Out: one line of `run`'s JSON for each seed on stdout, in the order of levels
//! and seeds; a table of measures on stderr. Holds: a run shares nothing with another but the texts it began
//! with, so its line is the one it would have alone (fault:F44), whatever the number of threads; no file is
//! watched (fault:E20). Not here: what a run does (`game::headless`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::Shell;
use super::args::BatchArgs;
use super::exit::{CommandFailure, Exit};
use super::run::{exit_of, json};
use crate::base::time::TickRate;
use crate::game::headless::{self, Bound, Onlooker, Report};
use crate::game::line::JsonLine;
use crate::game::recorder::Recorder;
use crate::game::{Game, Setup};
use crate::level::{Level, LevelFile, MemorySource};
use crate::script::vm::fuel::Signals;
use crate::shell::output::{Results, tell};
use crate::shell::progress::ProgressWork;
use crate::shell::project::find_level;
use crate::shell::report::clean;
use crate::shell::watchdog::{Interrupts, Watchdog};

/// Game seconds of a run that names no bound.
const SECONDS: f64 = 60.0;
/// Stack of a thread that runs levels: enough for the deepest Lua.
const STACK_BYTES: usize = 64 << 20;
/// Longest time between two looks at how far it has come.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Most seeds that are listed as failing.
const LISTED_MAX: usize = 10;

/// A level to run, as text: what a thread needs to build it by itself.
struct LevelText {
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

pub(super) fn run(shell: &Shell, args: &BatchArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    let pieces = args.levels.iter().map(|level| piece(shell, args, level)).collect::<Result<Vec<_>, _>>()?;
    let jobs = jobs(args, pieces.len());
    let interrupts = Interrupts::listen();
    let threads = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let mut table = ResultTable::default();
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
                return Err(CommandFailure::io(format!("no thread for the runs: {error}")));
            }
        }
        drop(sender);
        let mut bar = shell.progress(ProgressWork { name: "running", unit: "runs", all: jobs.len() as u64 });
        // Runs end in any order and are told in theirs.
        let mut waiting: BTreeMap<usize, Done> = BTreeMap::new();
        let (mut told, mut heard) = (0, 0);
        loop {
            match done.recv_timeout(LOOK_EVERY) {
                Ok((index, done)) => {
                    waiting.insert(index, done);
                    heard += 1;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some(done) = waiting.remove(&told) {
                // Each line is out when its run ends: who kills the rest keeps it.
                tell_run(shell, results, &mut table, (&pieces, jobs[told], &done))?;
                results.flush()?;
                told += 1;
            }
            bar.reach(heard);
        }
        drop(bar);
        // A signal left gaps: what has ended counts, the rest is named.
        for (index, job) in jobs.iter().enumerate().skip(told) {
            match waiting.remove(&index) {
                Some(done) => tell_run(shell, results, &mut table, (&pieces, *job, &done))?,
                None => table.miss(&pieces[job.piece].name, job.seed),
            }
        }
        Ok(())
    });
    ended?;
    results.flush()?;
    if !shell.is_quiet {
        table.lines(began.elapsed().as_secs_f64()).iter().for_each(|line| tell(line));
    }
    if let Some(missing) = table.missing_words() {
        tell(&missing);
    }
    Ok(interrupts.asked().unwrap_or(table.worst))
}

/// Writes the line of a run, and counts it.
fn tell_run(
    shell: &Shell,
    results: &mut Results,
    table: &mut ResultTable,
    (pieces, job, done): (&[LevelText], Job, &Done),
) -> Result<(), CommandFailure> {
    let name = &pieces[job.piece].name;
    results.line(&done.line)?;
    table.add(name, job.seed, done);
    shell.more(|| {
        let ended = done.report.as_ref().map_or("not begun", |report| report.ended.name());
        format!("{} seed {}: {ended}, exit {}", clean(name), job.seed, done.exit.code())
    });
    Ok(())
}

/// Reads and checks a level once; threads build it from the texts.
fn piece(shell: &Shell, args: &BatchArgs, level: &std::path::Path) -> Result<LevelText, CommandFailure> {
    let found = find_level(level)?;
    let loaded = shell.load(&found)?;
    let scripts = shell.scripts(&found, &loaded)?;
    let rate = TickRate::new(loaded.def.tick_rate).unwrap_or_default();
    let with = |source: MemorySource, file: &LevelFile| source.with(&file.path, file.text.as_bytes());
    Ok(LevelText {
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
    pieces: &'a [LevelText],
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

    fn one(&self, piece: &LevelText, seed: u64) -> Done {
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

    fn play(&self, piece: &LevelText, level: Level, seed: u64) -> Result<Report, crate::game::StartError> {
        let signals = Arc::new(Signals::default());
        let _watchdog = Watchdog::start(Arc::clone(&signals), piece.watchdog_ms, self.interrupts.clone());
        let setup = Setup {
            scripts: piece.scripts.clone(),
            seed: Some(seed),
            args: self.args.args.clone(),
            recorder: Recorder::default(),
            signals,
            ..Setup::default()
        };
        let mut game = Game::load(level, setup)?;
        let bound =
            Bound { ticks_max: piece.ticks_max, until: self.args.until.clone(), is_strict: self.args.strict };
        Ok(headless::run(&mut game, &bound, |_, _| {
            if self.interrupts.asked().is_some() { Onlooker::Stop } else { Onlooker::GoOn }
        }))
    }
}

fn not_begun(piece: &LevelText, seed: u64, exit: Exit, error: &str) -> Done {
    let line = JsonLine::default().text("level", &piece.name).count("seed", seed).flag("ok", false);
    Done { line: line.text("error", error).finish(), exit, report: None }
}

/// What the runs came to, for people.
#[derive(Default)]
struct ResultTable {
    runs: usize,
    worst: Exit,
    failing: Vec<String>,
    failed: usize,
    measures: BTreeMap<String, Distribution>,
    /// Level, first and last seed of runs that a signal kept from running, as many as are listed; and how
    /// many there are.
    missing: Vec<(String, u64, u64)>,
    missing_count: usize,
}

/// Most values of a measure that are kept for its percentiles; of more, every second, fourth, ... one is.
const KEPT_MAX: usize = 1 << 20;

/// How the values of a measure are spread.
struct Distribution {
    sum: f64,
    count: u64,
    least: f64,
    most: f64,
    kept: Vec<f64>,
    /// Of how many values one is kept.
    stride: u64,
}

impl Default for Distribution {
    fn default() -> Self {
        Self {
            sum: 0.0,
            count: 0,
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            kept: Vec::new(),
            stride: 1,
        }
    }
}

impl Distribution {
    fn add(&mut self, value: f64) {
        if self.count.is_multiple_of(self.stride) {
            if self.kept.len() >= KEPT_MAX {
                let mut index = 0;
                self.kept.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
            if self.count.is_multiple_of(self.stride) {
                self.kept.push(value);
            }
        }
        self.count += 1;
        self.sum += value;
        (self.least, self.most) = (self.least.min(value), self.most.max(value));
    }

    /// The smallest values that 5, 50 and 95 of a hundred do not exceed.
    fn percentiles(&self) -> [f64; 3] {
        let mut sorted = self.kept.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = |percent: usize| (sorted.len() * percent).div_ceil(100).max(1) - 1;
        [5, 50, 95].map(|percent| sorted.get(rank(percent)).copied().unwrap_or(f64::NAN))
    }

    fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }
}

impl ResultTable {
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
            self.measures.entry(name).or_default().add(value);
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
            let heads = ["mean", "min", "p5", "p50", "p95", "max"].map(|head| format!("{head:>11}"));
            lines.push(format!("  {:<20} {}", "measure", heads.join(" ")));
        }
        for (name, spread) in &self.measures {
            let [p5, p50, p95] = spread.percentiles();
            let cells = [spread.mean(), spread.least, p5, p50, p95, spread.most];
            let cells = cells.map(|cell| format!("{cell:>11.3}"));
            lines.push(format!("  {:<20} {}", name.trim_start(), cells.join(" ")));
        }
        if !self.failing.is_empty() {
            let more = self.failed - self.failing.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(format!("  failing: {}{more}", self.failing.join(", ")));
        }
        lines
    }

    /// A signal kept this one from running.
    fn miss(&mut self, level: &str, seed: u64) {
        self.missing_count += 1;
        if let Some((last, _, to)) = self.missing.last_mut()
            && last == level
            && *to + 1 == seed
        {
            *to = seed;
        } else if self.missing.len() <= LISTED_MAX {
            // One more than is shown, to know that there are more.
            self.missing.push((level.to_owned(), seed, seed));
        }
    }

    /// What was not run, when a signal came: by level, neighbouring seeds as one.
    fn missing_words(&self) -> Option<String> {
        if self.missing.is_empty() {
            return None;
        }
        let words = self.missing.iter().take(LISTED_MAX).map(|(level, from, to)| match from == to {
            true => format!("{} {from}", clean(level)),
            false => format!("{} {from}..{to}", clean(level)),
        });
        let words: Vec<String> = words.collect();
        let more = if self.missing.len() > LISTED_MAX { ", ..." } else { "" };
        let all = self.runs + self.missing_count;
        Some(format!("interrupted: {} of {all} not run: {}{more}", self.missing_count, words.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_so_many_do_not_exceed() {
        let spread = |values: &mut dyn Iterator<Item = u32>| {
            let mut spread = Distribution::default();
            values.for_each(|value| spread.add(f64::from(value)));
            spread
        };
        assert_eq!(spread(&mut (1..=100).rev()).percentiles(), [5.0, 50.0, 95.0]);
        assert_eq!(spread(&mut (7..=7)).percentiles(), [7.0, 7.0, 7.0]);
        assert_eq!(spread(&mut (1..=4)).percentiles(), [1.0, 2.0, 4.0]);
    }

    #[test]
    fn many_values_are_thinned_evenly() {
        let mut spread = Distribution::default();
        (0..3 * KEPT_MAX as u32).for_each(|value| spread.add(f64::from(value)));
        assert!(spread.kept.len() <= KEPT_MAX && spread.stride == 4);
        let [_, half, _] = spread.percentiles();
        assert!((half / (1.5 * KEPT_MAX as f64) - 1.0).abs() < 1e-3, "{half}");
        assert!(spread.kept.windows(2).all(|two| two[1] - two[0] == 4.0));
    }

    #[test]
    fn what_was_not_run_is_named_by_level_with_neighbouring_seeds_as_one() {
        let mut table = ResultTable { runs: 2, ..ResultTable::default() };
        assert_eq!(table.missing_words(), None);
        for (level, seed) in [("yard", 3), ("yard", 4), ("yard", 5), ("yard", 9), ("hall", 10)] {
            table.miss(level, seed);
        }
        let words = table.missing_words().unwrap();
        assert_eq!(words, "interrupted: 5 of 7 not run: yard 3..5, yard 9, hall 10");
    }
}
