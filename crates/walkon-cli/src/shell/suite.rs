//! Runs files of level tests on several threads.
//!
//! In: paths, a filter, how many threads. Out: results test by test, in the order of the files and of their
//! tests, independent of threads. Holds: tests of one file also run in parallel, as do the seeds of one test;
//! the first seed that does not end as expected is the result of its test: no later seed counts, even if it
//! has run already; unless asked otherwise, the first test that does not pass stops its file: no later test
//! counts either. Not here: running a test (`game::testing`), joining the seeds of one (`gathered`), printing
//! (`cli::test`).

mod gathered;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use walkon_runtime::base::ordered::{self, CollectOrdered};
use walkon_shell::CommandFailure;
use walkon_shell::Watchdog;
use walkon_shell::project::{MARKER, Project, file_at};

use super::debug::Connection;
use super::interrupts::Interrupts;
use crate::game::testing::{self, Suite, SuiteProfile, TestDef};
use crate::level::Level;
use crate::script::debug::Debugger;
use crate::script::host::StartError;
use crate::script::vm::fuel::Signals;
use crate::world::settings::Settings;
use gathered::GatheredTest;
pub(super) use gathered::Timed;

/// Stack of a thread that runs tests.
const STACK_BYTES: usize = 64 << 20;

/// One file of tests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TestFile {
    /// Root of its project.
    pub root: PathBuf,
    /// Its path below the script folder: what scripts call it.
    pub script: String,
    /// Its path below the root.
    pub path: String,
}

/// What is run, and how.
#[derive(Clone, Debug, Default)]
pub(super) struct SuiteOrder {
    /// Only tests with this in their name.
    pub filter: Option<String>,
    /// Run with this seed, whatever tests say.
    pub seed: Option<u64>,
    /// Most threads.
    pub jobs: Option<usize>,
    /// Whether a file goes on after a test that failed.
    pub keeps_going: bool,
    /// A debugger, under which tests run one after another.
    pub debug: Option<Arc<Connection>>,
    /// Safepoints between two looks at the stack, where scripts are profiled.
    pub sample_every: Option<u32>,
}

impl SuiteOrder {
    /// Whether the debugger has asked for the end.
    fn is_ended(&self) -> bool {
        self.debug.as_ref().is_some_and(|client| client.is_ending())
    }
}

/// The result of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileResult {
    pub tests: Vec<Timed>,
    /// Names of the tests that were not run, because one before them failed.
    pub skipped: Vec<String>,
    /// Names of those that were not run, because a signal ended everything.
    pub stopped: Vec<String>,
}

/// News while tests run.
pub(super) enum TestNews<'a> {
    /// A test has ended, and so have all before it.
    Ended(&'a TestFile, &'a Timed),
    /// A file is through; so many of its tests were not run after one that failed.
    Skipped(&'a TestFile, usize),
    /// So many runs of all have ended, one a seed of a test, in any order. Told now and then as well.
    Count(u64, u64),
}

/// Longest time between two reports of progress.
const NEWS_EVERY: Duration = Duration::from_millis(100);

/// The files of tests that `paths` mean, each once, in order; without paths those of the project around the
/// current folder.
pub(super) fn files(paths: &[PathBuf]) -> Result<Vec<TestFile>, CommandFailure> {
    let mut files = Vec::new();
    let here = [PathBuf::from(".")];
    let is_default = paths.is_empty();
    for path in if is_default { &here[..] } else { paths } {
        let found = std::fs::metadata(path)
            .map_err(|error| CommandFailure::io(format!("{}: {error}", path.display())))?;
        if !found.is_dir() {
            files.push(file(path)?);
            continue;
        }
        let project = Project::around(path)?;
        let below = if is_default { String::new() } else { prefix(&project, path)? };
        files.extend(all(&project)?.into_iter().filter(|file| file.path.starts_with(&below)));
    }
    ordered::sort_by(&mut files, Ord::cmp);
    files.dedup();
    Ok(files)
}

/// The files that tests may read: those that mark their projects, every script, every level, and what levels
/// read. Cost: loads every level.
pub(super) fn inputs(files: &[TestFile]) -> Result<Vec<PathBuf>, CommandFailure> {
    let roots: BTreeSet<&PathBuf> = files.iter().map(|file| &file.root).collect_set();
    let mut inputs = Vec::new();
    for root in roots {
        let project = Project::around(root)?;
        let scripts = project.scripts("")?;
        let scripts = scripts.keys().filter_map(|script| project.script_path(script, ""));
        inputs.extend(scripts.chain(project.level_paths()).map(|path| root.join(path)));
        inputs.push(root.join(MARKER));
        for level in project.level_paths() {
            // Loaded for the names of the files it reads; what is wrong with it, its tests tell.
            let _ = crate::level::load(&level, &project.folder);
        }
        inputs.extend(project.folder.files_read());
    }
    Ok(inputs)
}

/// The path of a folder below the root of its project, with a slash at its end; empty for the root itself.
fn prefix(project: &Project, folder: &Path) -> Result<String, CommandFailure> {
    let real = folder.canonicalize();
    let real = real.map_err(|error| CommandFailure::io(format!("{}: {error}", folder.display())))?;
    let below = project.below(&real)?;
    Ok(if below.is_empty() { below } else { format!("{below}/") })
}

/// All files of tests of a project.
fn all(project: &Project) -> Result<Vec<TestFile>, CommandFailure> {
    let root = project.folder.root();
    let scripts = project.scripts("")?;
    let tests = scripts.into_keys().filter(|script| testing::is_test_file(script));
    let files = tests.filter_map(|script| {
        let path = project.script_path(&script, "")?;
        Some(TestFile { root: root.to_owned(), script, path })
    });
    Ok(files.collect())
}

fn file(path: &Path) -> Result<TestFile, CommandFailure> {
    let found = file_at(path)?;
    let refused =
        |what: &str, help: &str| CommandFailure::usage(format!("{}: {what}", path.display())).help(help);
    if !testing::is_test_file(&found.path) {
        return Err(refused("it is not a test file", "their names end in _test.lua"));
    }
    let known = all(&found.project)?.into_iter().find(|file| file.path == found.path);
    known.ok_or_else(|| {
        refused("it lies in no script folder of its project", "see \"scripts\" in walkon.json")
    })
}

/// Runs the files; `told` hears of each test in order, as soon as it and all before it have ended.
pub(super) fn run(
    files: &[TestFile],
    order: &SuiteOrder,
    interrupts: &Interrupts,
    mut told: impl FnMut(TestNews<'_>) -> Result<(), CommandFailure>,
) -> Result<Vec<FileResult>, CommandFailure> {
    let most = if order.debug.is_some() { Some(1) } else { order.jobs };
    let threads = SuiteThreads { most, interrupts };
    let scripts = read(files, &threads, order)?;
    let tasks: Vec<TestTask> =
        scripts.iter().enumerate().flat_map(|(file, script)| script.tasks(file, order.seed)).collect();
    let failures: Vec<FirstFailures> =
        scripts.iter().map(|script| FirstFailures::of(script.count(), order)).collect();
    let mut hearing = Hearing::new(files, &scripts, &tasks, order);
    let work = |bench: &Bench, index: usize| {
        let task = tasks[index];
        let failures = &failures[task.at.file];
        let is_out = || failures.rule_out(task);
        let ended = scripts[task.at.file].perform(task.at.place, &mut |stage, meant| {
            let began = Instant::now();
            let mut suite = Suite {
                scripts: &stage.texts,
                load_level: &mut |name| stage.load(name),
                signals: Arc::clone(&bench.signals),
                debugger: order.debug.as_ref().map(|client| stage.debugger(client, bench)),
                goes_on: &mut || interrupts.asked().is_none() && !is_out() && !order.is_ended(),
                profile: order
                    .sample_every
                    .map(|every| SuiteProfile { sample_every: every, ..Default::default() }),
            };
            let (test, number) = (&meant.test, meant.number);
            let result = if is_out() { None } else { testing::run(&mut suite, test, number, [task.seed]) };
            let profile = suite.profile.map(|profile| profile.sum);
            result.map(|result| Timed { result, took: began.elapsed(), profile })
        });
        if ended.as_ref().is_some_and(|timed| !timed.result.passed) {
            failures.note(task);
        }
        ended
    };
    threads.spread(tasks.len(), work, |come| match come {
        None => told(TestNews::Count(hearing.heard, hearing.all)),
        Some((index, ended)) => hearing.hear(tasks[index], ended, &mut told),
    })?;
    hearing.finish(&mut told)
}

/// A test: its file, and its place among those of the file that are meant.
#[derive(Clone, Copy)]
struct TestPlace {
    file: usize,
    place: usize,
}

/// One run of a test, with one of its seeds.
#[derive(Clone, Copy)]
struct TestTask {
    at: TestPlace,
    /// The place of the seed among those of the test.
    turn: usize,
    /// None for the seed of the level.
    seed: Option<u64>,
}

/// The first failures of a file, as far as they are known: what comes behind them is not run.
struct FirstFailures {
    /// The place of the first test that failed; none where the file goes on after one.
    place: Option<AtomicUsize>,
    /// By the place of a test, the turn of its first seed that failed.
    turns: Vec<AtomicUsize>,
}

impl FirstFailures {
    /// Those of a file of so many tests: none yet.
    fn of(tests: usize, order: &SuiteOrder) -> Self {
        let never = || AtomicUsize::new(usize::MAX);
        let place = (!order.keeps_going).then(never);
        Self { place, turns: std::iter::repeat_with(never).take(tests).collect() }
    }

    fn note(&self, task: TestTask) {
        self.turns[task.at.place].fetch_min(task.turn, Ordering::Relaxed);
        if let Some(place) = &self.place {
            place.fetch_min(task.at.place, Ordering::Relaxed);
        }
    }

    /// Whether nothing that comes of a run counts any more.
    fn rule_out(&self, task: TestTask) -> bool {
        let is_before = |first: &AtomicUsize, own: usize| first.load(Ordering::Relaxed) < own;
        is_before(&self.turns[task.at.place], task.turn)
            || self.place.as_ref().is_some_and(|place| is_before(place, task.at.place))
    }
}

/// A test that is to be run.
struct MeantTest {
    /// Its place among all that its file declares.
    number: usize,
    test: TestDef,
}

/// A file that was read: its tests that are meant, or what is said instead.
struct SuiteFile {
    stage: Arc<TestProject>,
    declared: Result<Vec<MeantTest>, Box<Timed>>,
}

impl SuiteFile {
    /// What the results are called that there will be.
    fn names(&self) -> Vec<String> {
        match &self.declared {
            Ok(tests) => tests.iter().map(|meant| meant.test.name.clone()).collect(),
            Err(invalid) => vec![invalid.result.name.clone()],
        }
    }

    /// How many results there will be.
    fn count(&self) -> usize {
        self.declared.as_ref().map_or(1, Vec::len)
    }

    /// The seeds of the test at a place, in order.
    fn seeds(&self, place: usize, asked: Option<u64>) -> Vec<Option<u64>> {
        let declared = self.declared.as_ref().ok().and_then(|tests| tests.get(place));
        declared.map_or_else(|| vec![None], |meant| testing::seeds(&meant.test, asked).collect())
    }

    /// All that is to be run of this file, the one with the number `file`, in order.
    fn tasks(&self, file: usize, asked: Option<u64>) -> impl Iterator<Item = TestTask> {
        (0..self.count()).flat_map(move |place| {
            let seeds = self.seeds(place, asked).into_iter().enumerate();
            seeds.map(move |(turn, seed)| TestTask { at: TestPlace { file, place }, turn, seed })
        })
    }

    fn perform(
        &self,
        place: usize,
        run: &mut dyn FnMut(&TestProject, &MeantTest) -> Option<Timed>,
    ) -> Option<Timed> {
        match &self.declared {
            Ok(tests) => tests.get(place).and_then(|meant| run(&self.stage, meant)),
            Err(invalid) => Some((**invalid).clone()),
        }
    }
}

/// Reads all files, and what they declare.
fn read(
    files: &[TestFile],
    threads: &SuiteThreads<'_>,
    order: &SuiteOrder,
) -> Result<Vec<SuiteFile>, CommandFailure> {
    let mut stages: BTreeMap<&Path, Arc<TestProject>> = BTreeMap::new();
    for file in files {
        if !stages.contains_key(file.root.as_path()) {
            stages.insert(&file.root, Arc::new(TestProject::open(&file.root)?));
        }
    }
    let work = |bench: &Bench, index: usize| {
        let file = &files[index];
        SuiteFile::read(file, Arc::clone(&stages[file.root.as_path()]), order, bench)
    };
    let mut scripts = BTreeMap::new();
    threads.spread(files.len(), work, |come| {
        scripts.extend(come);
        Ok(())
    })?;
    match threads.interrupts.asked() {
        Some(exit) => Err(CommandFailure::Told(exit)),
        None => Ok(scripts.into_values().collect()),
    }
}

impl SuiteFile {
    fn read(file: &TestFile, stage: Arc<TestProject>, order: &SuiteOrder, bench: &Bench) -> Self {
        let began = Instant::now();
        let signals = Arc::clone(&bench.signals);
        let is_meant = |name: &str| order.filter.as_ref().is_none_or(|part| name.contains(part.as_str()));
        let declared = match testing::collect(&stage.texts, &file.script, &stage.levels, signals) {
            Ok(tests) => {
                let numbered = tests.into_iter().enumerate().map(|(number, test)| MeantTest { number, test });
                Ok(numbered.filter(|meant| is_meant(&meant.test.name)).collect())
            }
            Err(error) => Err(Box::new(unloadable(file, &error, began.elapsed()))),
        };
        Self { stage, declared }
    }
}

/// Results on their way into their order.
struct Hearing<'a> {
    files: &'a [TestFile],
    /// The names of all tests, by file and place.
    names: Vec<Vec<String>>,
    keeps_going: bool,
    /// What has come of each test, by file and place.
    come: Vec<Vec<GatheredTest>>,
    /// How many of a file were heard of, in order.
    done: Vec<FileResult>,
    /// The test that is reported next.
    next: TestPlace,
    /// How many runs have come, in any order.
    heard: u64,
    all: u64,
}

/// Which results are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// Those before the first test that has not ended.
    SoFar,
    /// At the end, also what comes after a test that never ended.
    Everything,
}

impl<'a> Hearing<'a> {
    fn new(files: &'a [TestFile], scripts: &[SuiteFile], tasks: &[TestTask], order: &SuiteOrder) -> Self {
        let names = scripts.iter().map(SuiteFile::names).collect();
        let mut come: Vec<Vec<GatheredTest>> = files.iter().map(|_| Vec::new()).collect();
        for TestTask { at, .. } in tasks {
            let tests = &mut come[at.file];
            // They come in the order of the places.
            if tests.len() == at.place {
                tests.push(GatheredTest::default());
            }
            tests[at.place].awaits_one_more();
        }
        let done = vec![FileResult::default(); files.len()];
        let (keeps_going, all) = (order.keeps_going, tasks.len() as u64);
        Self { files, names, keeps_going, come, done, next: TestPlace { file: 0, place: 0 }, heard: 0, all }
    }

    /// A run has ended, or was ended without a result.
    fn hear(
        &mut self,
        task: TestTask,
        ended: Option<Timed>,
        told: &mut impl FnMut(TestNews<'_>) -> Result<(), CommandFailure>,
    ) -> Result<(), CommandFailure> {
        self.heard += 1;
        if let Some(ended) = ended {
            self.come[task.at.file][task.at.place].hear(task.turn, ended);
        }
        told(TestNews::Count(self.heard, self.all))?;
        self.tell(Due::SoFar, told)
    }

    /// Tells what is due.
    fn tell(
        &mut self,
        due: Due,
        told: &mut impl FnMut(TestNews<'_>) -> Result<(), CommandFailure>,
    ) -> Result<(), CommandFailure> {
        while let Some(come) = self.come.get_mut(self.next.file) {
            let (file, done) = (&self.files[self.next.file], &mut self.done[self.next.file]);
            let is_over = !self.keeps_going && done.tests.last().is_some_and(|test| !test.result.passed);
            let left = come.len() - self.next.place;
            if left == 0 || is_over {
                if left > 0 {
                    let names = &self.names[self.next.file];
                    done.skipped = names.get(self.next.place..).unwrap_or_default().to_vec();
                    told(TestNews::Skipped(file, left))?;
                }
                self.next = TestPlace { file: self.next.file + 1, place: 0 };
                continue;
            }
            match come[self.next.place].take_result() {
                Some(test) => {
                    told(TestNews::Ended(file, &test))?;
                    done.tests.push(test);
                }
                None if due == Due::Everything => {
                    done.stopped.extend(self.names[self.next.file].get(self.next.place).cloned());
                }
                None => return Ok(()),
            }
            self.next.place += 1;
        }
        Ok(())
    }

    fn finish(
        mut self,
        told: &mut impl FnMut(TestNews<'_>) -> Result<(), CommandFailure>,
    ) -> Result<Vec<FileResult>, CommandFailure> {
        self.tell(Due::Everything, told)?;
        Ok(self.done)
    }
}

/// Threads that share work.
struct SuiteThreads<'a> {
    /// None for as many as there are cores.
    most: Option<usize>,
    interrupts: &'a Interrupts,
}

/// What a thread runs scripts with.
struct Bench {
    signals: Arc<Signals>,
    _watchdog: Watchdog,
}

impl Bench {
    fn new(interrupts: &Interrupts) -> Self {
        let signals = Arc::new(Signals::default());
        let call_ms = Settings::default().limits.watchdog_ms;
        let watchdog = Watchdog::start(Arc::clone(&signals), call_ms, interrupts.came());
        Self { signals, _watchdog: watchdog }
    }
}

impl SuiteThreads<'_> {
    /// Does `work` for 0 to `count`, each once, in any order; `told` hears each result, and None now and
    /// then. A signal ends it early.
    fn spread<T: Send>(
        &self,
        count: usize,
        work: impl Fn(&Bench, usize) -> T + Sync,
        mut told: impl FnMut(Option<(usize, T)>) -> Result<(), CommandFailure>,
    ) -> Result<(), CommandFailure> {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = self.most.unwrap_or(cores).clamp(1, count.max(1));
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, next, work) = (sender.clone(), &next, &work);
                let worker = move || {
                    let bench = Bench::new(self.interrupts);
                    // Bounded by the work.
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= count || self.interrupts.asked().is_some() {
                            return;
                        }
                        let done = work(&bench, index);
                        // A run that a signal cut short gives no result.
                        if self.interrupts.asked().is_some() || sender.send((index, done)).is_err() {
                            return;
                        }
                    }
                };
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, worker);
                thread.map_err(|error| CommandFailure::io(format!("no thread for the tests: {error}")))?;
            }
            drop(sender);
            loop {
                let come = match receiver.recv_timeout(NEWS_EVERY) {
                    Ok(come) => Some(come),
                    Err(mpsc::RecvTimeoutError::Timeout) => None,
                    Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
                };
                if let Err(failure) = told(come) {
                    // Nobody takes more work.
                    next.store(count, Ordering::Relaxed);
                    return Err(failure);
                }
            }
        })
    }
}

/// A project whose tests are run.
struct TestProject {
    project: Project,
    texts: BTreeMap<String, String>,
    levels: Vec<String>,
}

impl TestProject {
    fn open(root: &Path) -> Result<Self, CommandFailure> {
        let project = Project::around(root)?;
        let texts = project.scripts("")?;
        let mut levels = project.level_names();
        ordered::sort_by(&mut levels, Ord::cmp);
        levels.dedup();
        Ok(Self { project, texts, levels })
    }

    fn debugger(&self, client: &Arc<Connection>, bench: &Bench) -> Debugger {
        let places = self.project.script_places(self.texts.keys(), "");
        client.debugger(places, Arc::clone(&bench.signals))
    }

    fn load(&self, asked: &str) -> Result<Level, String> {
        let name = testing::resolve_level(&self.levels, asked)?;
        let path = self.project.level_path(name).ok_or_else(|| format!("unknown level \"{asked}\""))?;
        crate::level::load(&path, &self.project.folder).map_err(|error| format!("level \"{asked}\": {error}"))
    }
}

/// Whether it is the result of a file that declares no tests because something is wrong with it: no level
/// ran, so there is no tick and no seed.
pub(super) fn is_of_file(result: &testing::TestResult) -> bool {
    result.name == result.file
}

/// A file whose body fails is one test that is invalid.
fn unloadable(file: &TestFile, error: &StartError, took: Duration) -> Timed {
    let line = match error {
        StartError::Load(load) if load.file == file.script => load.line,
        _ => 0,
    };
    let result = testing::invalid(&file.script, line, error.to_string());
    Timed { result, took, profile: None }
}
