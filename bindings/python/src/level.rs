//! Levels for Python.
//!
//! In: a path, or texts. Out: a level that any thread and any process may use. Holds: a level never changes; pickled it
//! is its texts. Not here: games (`game`), batches (`batch`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use walkon::{RecordOptions, Signals, Threads};
use walkon_shell::{LevelText, LiveGame, OpenError, Problem, RunBound, StartSetup, ThreadBound, caught};

use crate::errors;
use crate::game::Game;

/// A level with its scripts.
#[pyclass(frozen, module = "walkon._native")]
pub struct Level {
    pub text: Arc<LevelText>,
    built: Arc<walkon::Level>,
}

impl Level {
    fn of(text: Result<LevelText, OpenError>) -> Result<Self, Problem> {
        let text = text.map_err(Problem::from)?;
        let refused = |error| Problem::from(OpenError::Refused { error, root: text.root.clone() });
        let built = Arc::new(text.level().map_err(refused)?);
        Ok(Self { text: Arc::new(text), built })
    }
}

/// When a run ends: ticks, seconds, the event, whether the first fault does.
pub type BoundArguments = (Option<u64>, Option<f64>, Option<String>, bool);

/// The same as a bound.
pub fn bound((ticks, seconds, until, is_strict): BoundArguments) -> PyResult<RunBound> {
    if seconds.is_some_and(|seconds| !(0.0..=86_400.0).contains(&seconds)) {
        return Err(PyValueError::new_err("seconds: expected 0 to 86400"));
    }
    Ok(RunBound { ticks, seconds, until, is_strict })
}

#[pymethods]
impl Level {
    /// The level at a path, or of a name in the project around the current folder.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Self::of(LevelText::open(&path))).map_err(|problem| errors::problem(py, &problem))
    }

    /// A level from texts; `path` is one of `files`.
    #[staticmethod]
    fn from_texts(
        py: Python<'_>,
        path: &str,
        files: BTreeMap<String, String>,
        scripts: BTreeMap<String, String>,
    ) -> PyResult<Self> {
        let level = py.detach(|| Self::of(LevelText::from_texts(path, &files, scripts)));
        level.map_err(|problem| errors::problem(py, &problem))
    }

    /// A level from what `to_bytes` made.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let text: LevelText =
            serde_json::from_slice(bytes).map_err(|error| PyValueError::new_err(error.to_string()))?;
        py.detach(|| Self::of(Ok(text))).map_err(|problem| errors::problem(py, &problem))
    }

    /// All of its texts.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = serde_json::to_vec(&*self.text);
        Ok(PyBytes::new(py, &bytes.map_err(|error| PyValueError::new_err(error.to_string()))?))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.text.name
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.text.root.join(&self.text.path)
    }

    #[getter]
    fn tick_rate(&self) -> u32 {
        self.text.tick_rate
    }

    /// Names, tags and places as JSON.
    fn outline(&self) -> String {
        walkon_shell::outline(&self.built)
    }

    /// A game at tick 0 that lives on this thread.
    #[pyo3(signature = (seed, args, interactive, events, threads))]
    fn start(
        &self,
        py: Python<'_>,
        seed: Option<u64>,
        args: Vec<String>,
        interactive: bool,
        events: bool,
        threads: usize,
    ) -> PyResult<Game> {
        let seed = seed.map(walkon_shell::checked_seed).transpose().map_err(PyValueError::new_err)?;
        let with = StartSetup { seed, args, ..setup(interactive, events, threads)? };
        let level = (*self.built).clone();
        begun(py, || LiveGame::start(&self.text, level, with).map_err(Problem::from))
    }

    /// A game as it was saved, which lives on this thread.
    #[pyo3(signature = (save, args, interactive, events, threads))]
    fn restore(
        &self,
        py: Python<'_>,
        save: &[u8],
        args: Vec<String>,
        interactive: bool,
        events: bool,
        threads: usize,
    ) -> PyResult<Game> {
        let with = StartSetup { args, ..setup(interactive, events, threads)? };
        let level = (*self.built).clone();
        begun(py, || LiveGame::restore(&self.text, level, with, save).map_err(Problem::from))
    }
}

/// A game for Python, begun while the interpreter is free; or the exception for why there is none.
fn begun(py: Python<'_>, begin: impl FnOnce() -> Result<LiveGame, Problem> + Send) -> PyResult<Game> {
    let live = py.detach(|| caught(|| begin().map(ThreadBound::new)));
    let live = live.map_err(|bug| errors::named(py, "BugError", &bug.to_string()))?;
    live.map(Game::new).map_err(|problem| errors::problem(py, &problem))
}

fn setup(interactive: bool, events: bool, threads: usize) -> PyResult<StartSetup> {
    let threads = std::num::NonZeroUsize::new(threads).filter(|threads| threads.get() <= 64);
    let threads = threads.ok_or_else(|| PyValueError::new_err("threads: expected 1 to 64"))?;
    Ok(StartSetup {
        seed: None,
        args: Vec::new(),
        record: RecordOptions { trace: events, ..RecordOptions::default() },
        signals: Arc::new(Signals::default()),
        is_interactive: interactive,
        threads: Threads::new(threads),
    })
}
