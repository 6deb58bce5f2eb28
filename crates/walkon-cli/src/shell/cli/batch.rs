//! `walkon batch`: runs levels many times on all cores, or one shard of the runs; merges the rows of shards.
//!
//! In: levels, seeds, a bound, which part. Out: one line of `run`'s JSON for each seed on stdout, in the
//! order of levels and seeds; a table of measures on stderr. Holds: no file is watched (fault:E20). Not here:
//! what a run does (`game::headless`), threads (`walkon_shell::Batch`).

mod merge;
mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use walkon_shell::project::find_level;
use walkon_shell::{
    Batch, BatchJob, BatchSetup, CommandFailure, Done, Exit, LevelText, NextRun, RunBound, StopWish,
};

use self::table::{ResultTable, RunMeasures};
use super::args::BatchArgs;
use super::shell::Shell;
use crate::shell::interrupts::Interrupts;
use crate::shell::output::Results;
use crate::shell::progress::ProgressWork;
use crate::shell::report::clean;

/// Longest time between two looks at how far it has come.
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub(super) fn run(shell: &Shell, args: &BatchArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    if args.merge {
        return merge::run(shell, args, results);
    }
    let part = args.shard.resolve(&|name| std::env::var(name).ok())?;
    let pieces: Arc<[LevelText]> = pieces(shell, &args.levels)?.into();
    let all = jobs(args, pieces.len())?;
    let jobs: Arc<[BatchJob]> = part.of(all).collect();
    if args.shard.is_auto() {
        shell.more(|| format!("shard {}/{}: {} runs", part.index + 1, part.count, jobs.len()));
    }
    let interrupts = Interrupts::listen();
    let setup = BatchSetup {
        bound: RunBound {
            ticks: args.ticks,
            seconds: args.seconds,
            until: args.until.clone(),
            is_strict: args.strict,
        },
        args: args.args.clone(),
        stop: StopWish::when(interrupts.came()),
    };
    let threads = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let began = Instant::now();
    let batch = Batch::start(Arc::clone(&pieces), Arc::clone(&jobs), &setup, threads);
    let batch = batch.map_err(|error| CommandFailure::io(format!("no thread for the runs: {error}")))?;
    let mut told =
        Told { shell, results, table: ResultTable::default(), pieces: &pieces, jobs: &jobs, next: 0 };
    told.all(batch.in_order())?;
    let table = told.table;
    results.flush()?;
    table.tell(shell, began.elapsed());
    Ok(interrupts.asked().unwrap_or(table.worst))
}

/// The rows of a batch on their way out.
struct Told<'a> {
    shell: &'a Shell,
    results: &'a mut Results,
    table: ResultTable,
    pieces: &'a [LevelText],
    jobs: &'a [BatchJob],
    /// The job whose row is next.
    next: usize,
}

impl Told<'_> {
    fn all(&mut self, mut batch: Batch) -> Result<(), CommandFailure> {
        let work = ProgressWork { name: "running", unit: "runs", all: self.jobs.len() as u64 };
        let mut bar = self.shell.progress(work);
        // Bounded by the runs.
        loop {
            match batch.next(LOOK_EVERY) {
                NextRun::Done(index, done) => {
                    self.miss_up_to(index);
                    self.one(self.jobs[index], &done)?;
                    self.next = index + 1;
                    // Each line is written when its run ends, so it stays when the rest is killed.
                    self.results.flush()?;
                }
                NextRun::Wait => {}
                NextRun::End => break,
            }
            bar.reach(batch.ended() as u64);
        }
        self.miss_up_to(self.jobs.len());
        Ok(())
    }

    /// A signal left gaps: what has ended counts, the rest is named.
    fn miss_up_to(&mut self, index: usize) {
        for job in &self.jobs[self.next..index] {
            self.table.miss(&self.pieces[job.level].name, job.seed);
        }
    }

    /// Writes the row of a run, and counts it.
    fn one(&mut self, job: BatchJob, done: &Done) -> Result<(), CommandFailure> {
        let name = &self.pieces[job.level].name;
        self.results.line(&done.line)?;
        let measures = done.report.as_ref().map(RunMeasures::of);
        self.table.add(name, job.seed, done.exit, measures.as_ref());
        self.shell.more(|| {
            let ended = done.report.as_ref().map_or("not begun", |report| report.ended.name());
            format!("{} seed {}: {ended}, exit {}", clean(name), job.seed, done.exit.code())
        });
        Ok(())
    }
}

/// Reads and checks every level. Rows tell runs apart by the name of their level and their seed, so no two
/// levels may have one name.
fn pieces(shell: &Shell, levels: &[PathBuf]) -> Result<Vec<LevelText>, CommandFailure> {
    let mut pieces: Vec<LevelText> = Vec::new();
    for level in levels {
        let piece = piece(shell, level)?;
        if let Some(other) = pieces.iter().find(|other| other.name == piece.name) {
            return Err(same_name(other, &piece));
        }
        pieces.push(piece);
    }
    Ok(pieces)
}

fn same_name(one: &LevelText, other: &LevelText) -> CommandFailure {
    let name = clean(&one.name);
    if one.path == other.path && one.files == other.files {
        let what = format!("batch: the level \"{name}\" ({}) is given twice", clean(&one.path));
        return CommandFailure::usage(what).help("name each level once; --seeds says how often it is run");
    }
    let what = format!(
        "batch: {} and {} are both called \"{name}\", so that their rows cannot be told apart",
        clean(&one.path),
        clean(&other.path)
    );
    CommandFailure::usage(what).help("give each level a \"name\" of its own, or run a batch for each")
}

/// Reads and checks a level once; threads build it from the texts.
fn piece(shell: &Shell, level: &Path) -> Result<LevelText, CommandFailure> {
    let found = find_level(level)?;
    let loaded = shell.load(&found)?;
    let scripts = shell.scripts(&found, &loaded)?;
    Ok(LevelText::of(&found.path, &loaded, scripts))
}

/// Every level with every seed.
fn jobs(args: &BatchArgs, pieces: usize) -> Result<impl Iterator<Item = BatchJob>, CommandFailure> {
    let seeds = args.seeds.clone().ok_or_else(|| CommandFailure::usage("batch: --seeds A..B is missing"))?;
    Ok((0..pieces).flat_map(move |level| seeds.clone().map(move |seed| BatchJob { level, seed })))
}
