//! Many runs of levels, over threads.
//!
//! In: levels as texts, pairs of level and seed, a bound. Out: one row for each run, as it ends or in order.
//! Holds: a run shares nothing with another but the texts it began with, so its row is the one it would have
//! alone (fault:F44), whatever the number of threads; a batch that is stopped gives no row of a run that was
//! cut short; a run that panics has a row that says so, and the others go on; dropping it ends its threads.
//! Not here: what a run does (`walkon_runtime::game::headless`), the choice of runs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use walkon_runtime::game::headless;
use walkon_runtime::game::headless::{Onlooker, Report};
use walkon_runtime::game::line::JsonLine;
use walkon_runtime::level::Level;
use walkon_runtime::script::vm::fuel::Signals;

use crate::bug::caught;
use crate::exit::Exit;
use crate::level_text::{LevelText, StartSetup};
use crate::row::{RunBound, exit_of, row};
use crate::watchdog::Watchdog;

/// Stack of a thread that runs levels: enough for the deepest Lua.
const STACK_BYTES: usize = 64 << 20;

/// Whether the runs were asked to end.
#[derive(Clone)]
pub struct StopWish(Arc<dyn Fn() -> bool + Send + Sync>);

impl StopWish {
    /// Stops when `is_asked` begins to say so.
    pub fn when(is_asked: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(is_asked))
    }

    /// Never.
    #[must_use]
    pub fn never() -> Self {
        Self::when(|| false)
    }

    /// Whether it was asked for.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        (self.0)()
    }

    /// This, or another reason.
    #[must_use]
    pub fn or(&self, other: Arc<AtomicBool>) -> Self {
        let own = self.clone();
        Self::when(move || own.is_asked() || other.load(Ordering::Relaxed))
    }
}

impl fmt::Debug for StopWish {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Stop({})", self.is_asked())
    }
}

/// The setup that all runs of a batch share.
#[derive(Clone, Debug)]
pub struct BatchSetup {
    /// When each ends.
    pub bound: RunBound,
    /// `level.args`.
    pub args: Vec<String>,
    /// The switch that ends all of them.
    pub stop: StopWish,
}

/// One run to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchJob {
    /// Which of the levels.
    pub level: usize,
    /// With which seed.
    pub seed: u64,
}

/// The result of a run.
#[derive(Debug)]
pub struct Done {
    /// Its row: the line of `run --format json`.
    pub line: String,
    /// How a command that made it ends.
    pub exit: Exit,
    /// The report; none when it did not begin.
    pub report: Option<Report>,
}

/// Runs a level with a seed; none when the run was stopped, or is about to be. A run that panics has a row
/// with `error` and `bug`, and ends with [`Exit::Bug`]: a caller that runs thousands learns which run it was,
/// and loses no other.
#[must_use]
pub fn run_one(text: &LevelText, seed: u64, setup: &BatchSetup) -> Option<Done> {
    // Nothing of the run is used after it panicked.
    caught(|| run(text, seed, setup)).unwrap_or_else(|bug| {
        log::error!("level \"{}\" seed {seed}: {bug}", text.name);
        let line = refused(text, seed, &bug.to_string()).flag("bug", true).finish();
        Some(Done { line, exit: Exit::Bug, report: None })
    })
}

fn run(text: &LevelText, seed: u64, setup: &BatchSetup) -> Option<Done> {
    if setup.stop.is_asked() {
        return None;
    }
    let done = match text.level() {
        Ok(level) => played(text, level, seed, setup),
        Err(error) => not_begun(text, seed, Exit::Level, &error.to_string()),
    };
    // A run that was cut short is no result.
    (!setup.stop.is_asked()).then_some(done)
}

fn played(text: &LevelText, level: Level, seed: u64, setup: &BatchSetup) -> Done {
    let began = Instant::now();
    let signals = Arc::new(Signals::default());
    let stop = setup.stop.clone();
    let _watchdog = Watchdog::start(Arc::clone(&signals), text.watchdog_ms, move || stop.is_asked());
    let with = StartSetup { seed: Some(seed), args: setup.args.clone(), signals, ..StartSetup::default() };
    let mut game = match text.start(level, with) {
        Ok(game) => game,
        Err(error) => return not_begun(text, seed, Exit::Script, &error.to_string()),
    };
    let report = headless::run(&mut game, &setup.bound.at(text.rate()), |_, _| match setup.stop.is_asked() {
        true => Onlooker::Stop,
        false => Onlooker::GoOn,
    });
    Done { line: row(&report, began.elapsed()), exit: exit_of(&report), report: Some(report) }
}

fn not_begun(text: &LevelText, seed: u64, exit: Exit, error: &str) -> Done {
    Done { line: refused(text, seed, error).finish(), exit, report: None }
}

/// The row of a run without a result.
fn refused(text: &LevelText, seed: u64, error: &str) -> JsonLine {
    let line = JsonLine::default().text("level", &text.name).count("seed", seed).flag("ok", false);
    line.text("error", error)
}

/// What a batch has to give.
#[derive(Debug)]
pub enum NextRun {
    /// A run ended: its place among the jobs, and its result.
    Done(usize, Box<Done>),
    /// None yet.
    Wait,
    /// There are no more.
    End,
}

/// Runs under way.
#[derive(Debug)]
pub struct Batch {
    receiver: Receiver<(usize, Done)>,
    threads: Vec<JoinHandle<()>>,
    over: Arc<AtomicBool>,
    /// Whether runs are given in the order of the jobs; those that ended early, and the next one.
    order: Option<(BTreeMap<usize, Done>, usize)>,
    /// Runs that have ended, given or not.
    ended: usize,
}

impl Batch {
    /// Begins the runs, `threads` at a time, the first jobs first.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        levels: Arc<[LevelText]>,
        jobs: Arc<[BatchJob]>,
        setup: &BatchSetup,
        threads: usize,
    ) -> std::io::Result<Self> {
        let (sender, receiver) = channel();
        let over = Arc::new(AtomicBool::new(false));
        let setup = BatchSetup { stop: setup.stop.or(Arc::clone(&over)), ..setup.clone() };
        let next = Arc::new(AtomicUsize::new(0));
        let mut batch = Self { receiver, threads: Vec::new(), over, order: None, ended: 0 };
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let worker = Worker {
                levels: Arc::clone(&levels),
                jobs: Arc::clone(&jobs),
                next: Arc::clone(&next),
                setup: setup.clone(),
            };
            let sender = sender.clone();
            let thread = std::thread::Builder::new().name("batch".to_owned()).stack_size(STACK_BYTES);
            batch.threads.push(thread.spawn(move || worker.work(&sender))?);
        }
        Ok(batch)
    }

    /// The same, its runs given in the order of the jobs.
    #[must_use]
    pub fn in_order(mut self) -> Self {
        self.order = Some((BTreeMap::new(), 0));
        self
    }

    /// Runs that have ended, whether they were given or not.
    #[must_use]
    pub fn ended(&self) -> usize {
        self.ended
    }

    /// The next run; waits for it at most so long. After a stop it gives the runs that have ended, also in
    /// order, and leaves out the rest.
    pub fn next(&mut self, timeout: Duration) -> NextRun {
        let give = |(index, done)| NextRun::Done(index, Box::new(done));
        let Some((waiting, told)) = &mut self.order else {
            let next = self.receiver.recv_timeout(timeout);
            self.ended += usize::from(next.is_ok());
            return match next {
                Ok(next) => give(next),
                Err(RecvTimeoutError::Timeout) => NextRun::Wait,
                Err(RecvTimeoutError::Disconnected) => NextRun::End,
            };
        };
        let until = Instant::now() + timeout;
        // Bounded by the time: each turn receives something or ends.
        loop {
            if let Some(done) = waiting.remove(told) {
                *told += 1;
                return give((*told - 1, done));
            }
            match self.receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok((index, done)) => {
                    self.ended += 1;
                    waiting.insert(index, done);
                }
                Err(RecvTimeoutError::Timeout) => return NextRun::Wait,
                Err(RecvTimeoutError::Disconnected) => {
                    return waiting.pop_first().map_or(NextRun::End, give);
                }
            }
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so already.
            let _ = thread.join();
        }
    }
}

/// A thread that takes one run after another.
struct Worker {
    levels: Arc<[LevelText]>,
    jobs: Arc<[BatchJob]>,
    next: Arc<AtomicUsize>,
    setup: BatchSetup,
}

impl Worker {
    fn work(&self, sender: &Sender<(usize, Done)>) {
        // Bounded by the runs.
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = self.jobs.get(index) else { return };
            let Some(level) = self.levels.get(job.level) else { return };
            let Some(done) = run_one(level, job.seed, &self.setup) else { return };
            if sender.send((index, done)).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use crate::batch::{Batch, BatchJob, BatchSetup, NextRun, StopWish};
    use crate::exit::Exit;
    use crate::level_text::LevelText;
    use crate::row::{RunBound, exit_of_row};

    const LEVEL: &str = r#"{ "name": "yard",
        "navigation": { "areas": [{ "name": "a", "polygon": [[0, 0], [9, 0], [9, 9]] }] } }"#;

    #[test]
    fn a_run_that_panics_has_a_row_and_the_others_go_on() {
        let files = BTreeMap::from([("yard.json".to_owned(), LEVEL.to_owned())]);
        let text = LevelText::from_texts("yard.json", &files, BTreeMap::new()).unwrap();
        // The threads of the batch ask as a run begins: the first one panics.
        let begun = Arc::new(AtomicUsize::new(0));
        let asked = Arc::clone(&begun);
        let stop = StopWish::when(move || {
            let is_ours = std::thread::current().name() == Some("batch");
            assert!(!is_ours || asked.fetch_add(1, Ordering::Relaxed) != 0, "torn");
            false
        });
        let setup =
            BatchSetup { bound: RunBound { ticks: Some(0), ..RunBound::default() }, args: vec![], stop };
        let jobs: Arc<[BatchJob]> = [5, 6, 7].map(|seed| BatchJob { level: 0, seed }).into();
        let mut batch = Batch::start(Arc::from([text]), jobs, &setup, 1).unwrap().in_order();
        let mut ends = Vec::new();
        loop {
            match batch.next(Duration::from_secs(10)) {
                NextRun::Done(index, done) => ends.push((index, done.exit, done.line)),
                NextRun::Wait => panic!("a run was lost"),
                NextRun::End => break,
            }
        }
        assert_eq!(ends.iter().map(|end| end.1).collect::<Vec<_>>(), [Exit::Bug, Exit::Ok, Exit::Ok]);
        let row = r#"{"level":"yard","seed":5,"ok":false,"error":"a bug in walkon, please report it: torn","bug":true}"#;
        assert_eq!(ends[0].2, row);
        assert_eq!(exit_of_row(&serde_json::from_str(row).unwrap()), Some(Exit::Bug));
    }
}
