//! Files of level tests: which there are, and all of them run over several threads.
//!
//! In: paths, a filter, how many threads. Out: results file by file, in the order of the files whatever the threads do. Holds:
//! a file is run by one thread, its tests in order; the first that does not end as it should stops its file, unless told
//! otherwise. Not here: what a test is (`game::testing`), printing (`cli::test`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::cli::exit::Failure;
use super::project::{Project, file_at};
use super::watchdog::{Interrupts, Watchdog};
use crate::game::testing::{self, Suite, TestResult};
use crate::level::LoadedLevel;
use crate::script::fuel::Signals;
use crate::script::host::StartError;
use crate::world::settings::Settings;

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
pub(super) struct Order {
    /// Only tests with this in their name.
    pub filter: Option<String>,
    /// Run with this seed, whatever tests say.
    pub seed: Option<u64>,
    /// Most threads.
    pub jobs: Option<usize>,
    /// Whether a file goes on after a test that failed.
    pub keeps_going: bool,
}

/// A test that was run, and how long that took.
#[derive(Clone, Debug)]
pub(super) struct Timed {
    pub result: TestResult,
    pub took: Duration,
}

/// What a file came to.
#[derive(Clone, Debug, Default)]
pub(super) struct FileResult {
    pub tests: Vec<Timed>,
    /// Tests that were not run, because one before them failed.
    pub skipped: usize,
    /// Whether a signal ended it.
    pub is_stopped: bool,
}

/// The files of tests that `paths` mean, each once, in order; without paths those of the project around the current folder.
pub(super) fn files(paths: &[PathBuf]) -> Result<Vec<TestFile>, Failure> {
    let mut files = Vec::new();
    let here = [PathBuf::from(".")];
    let is_default = paths.is_empty();
    for path in if is_default { &here[..] } else { paths } {
        let found =
            std::fs::metadata(path).map_err(|error| Failure::io(format!("{}: {error}", path.display())))?;
        if !found.is_dir() {
            files.push(file(path)?);
            continue;
        }
        let project = Project::around(path)?;
        let below = if is_default { String::new() } else { prefix(&project, path)? };
        files.extend(all(&project)?.into_iter().filter(|file| file.path.starts_with(&below)));
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// The path of a folder below the root of its project, with a slash at its end; empty for the root itself.
fn prefix(project: &Project, folder: &Path) -> Result<String, Failure> {
    let real = folder.canonicalize();
    let real = real.map_err(|error| Failure::io(format!("{}: {error}", folder.display())))?;
    let below = project.below(&real)?;
    Ok(if below.is_empty() { below } else { format!("{below}/") })
}

/// All files of tests of a project.
fn all(project: &Project) -> Result<Vec<TestFile>, Failure> {
    let root = project.folder.root();
    let scripts = project.scripts("")?;
    let tests = scripts.into_keys().filter(|script| testing::is_test_file(script));
    let files = tests.filter_map(|script| {
        let path = project.script_path(&script, "")?;
        Some(TestFile { root: root.to_owned(), script, path })
    });
    Ok(files.collect())
}

fn file(path: &Path) -> Result<TestFile, Failure> {
    let found = file_at(path)?;
    let refused = |what: &str, help: &str| Failure::usage(format!("{}: {what}", path.display())).help(help);
    if !testing::is_test_file(&found.path) {
        return Err(refused("it is no file of tests", "their names end in _test.lua"));
    }
    let known = all(&found.project)?.into_iter().find(|file| file.path == found.path);
    known.ok_or_else(|| {
        refused("it lies in no script folder of its project", "see \"scripts\" in walkon.json")
    })
}

/// Runs the files; `told` hears of each, in order, as soon as it and all before it are done.
pub(super) fn run(
    files: &[TestFile],
    order: &Order,
    interrupts: &Interrupts,
    mut told: impl FnMut(&TestFile, FileResult) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let jobs = order.jobs.unwrap_or(cores).clamp(1, files.len().max(1));
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, next) = (sender.clone(), &next);
            let worker = move || {
                while let Some((index, file)) = take(next, files) {
                    let done = run_file(file, order, interrupts);
                    if interrupts.asked().is_some() || sender.send((index, done)).is_err() {
                        return;
                    }
                }
            };
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, worker);
            thread.map_err(|error| Failure::io(format!("no thread for the tests: {error}")))?;
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut shown = 0;
        for (index, done) in receiver {
            waiting.insert(index, done);
            while let Some(done) = waiting.remove(&shown) {
                let said = done.and_then(|done| told(&files[shown], done));
                shown += 1;
                if let Err(failure) = said {
                    // Nobody takes another file.
                    next.store(files.len(), Ordering::Relaxed);
                    return Err(failure);
                }
            }
        }
        Ok(())
    })
}

fn take<'a>(next: &AtomicUsize, files: &'a [TestFile]) -> Option<(usize, &'a TestFile)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, files.get(index)?))
}

/// What one file is run with.
struct Stage {
    project: Project,
    texts: BTreeMap<String, String>,
    levels: Vec<String>,
    signals: Arc<Signals>,
}

impl Stage {
    fn load(&self, asked: &str) -> Result<LoadedLevel, String> {
        let name = testing::resolve_level(&self.levels, asked)?;
        let path = self.project.level_path(name).ok_or_else(|| format!("unknown level \"{asked}\""))?;
        crate::level::load(&path, &self.project.folder).map_err(|error| format!("level \"{asked}\": {error}"))
    }
}

fn run_file(file: &TestFile, order: &Order, interrupts: &Interrupts) -> Result<FileResult, Failure> {
    let project = Project::around(&file.root)?;
    let texts = project.scripts("")?;
    let mut levels = project.level_names();
    levels.sort();
    levels.dedup();
    let signals = Arc::new(Signals::default());
    let call_ms = Settings::default().limits.watchdog_ms;
    let _watchdog = Watchdog::start(Arc::clone(&signals), call_ms, interrupts.clone());
    let stage = Stage { project, texts, levels, signals };
    let began = Instant::now();
    let tests = match testing::collect(&stage.texts, &file.script, &stage.levels, Arc::clone(&stage.signals))
    {
        Ok(tests) => tests,
        Err(error) => return Ok(unloadable(file, &error, began.elapsed())),
    };
    let is_meant = |name: &str| order.filter.as_ref().is_none_or(|part| name.contains(part.as_str()));
    let meant: Vec<_> = tests.iter().enumerate().filter(|(_, test)| is_meant(&test.name)).collect();
    let mut done = FileResult::default();
    for (at, (index, test)) in meant.iter().enumerate() {
        let began = Instant::now();
        let mut suite = Suite {
            scripts: &stage.texts,
            load_level: &mut |name| stage.load(name),
            seed: order.seed,
            signals: Arc::clone(&stage.signals),
            goes_on: &mut || interrupts.asked().is_none(),
        };
        let Some(result) = testing::run(&mut suite, test, *index) else {
            done.is_stopped = true;
            break;
        };
        let passed = result.passed;
        done.tests.push(Timed { result, took: began.elapsed() });
        if !passed && !order.keeps_going {
            done.skipped = meant.len() - at - 1;
            break;
        }
    }
    Ok(done)
}

/// A file whose body fails is one test that is invalid.
fn unloadable(file: &TestFile, error: &StartError, took: Duration) -> FileResult {
    let line = match error {
        StartError::Load(load) if load.file == file.script => load.line,
        _ => 0,
    };
    let result = testing::invalid(&file.script, line, error.to_string());
    FileResult { tests: vec![Timed { result, took }], ..FileResult::default() }
}
