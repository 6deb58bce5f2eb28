//! A level with all its files, as texts.
//!
//! In: the name of a level, or its texts. Out: [`LevelText`], from which any thread and any machine builds
//! the same level. Holds: the level does not depend on where its texts came from; a level whose names of
//! scripts mean none is refused before it runs (fault:F19). Not here: runs (`batch`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use walkon_runtime::base::ordered::CollectOrdered;
use walkon_runtime::base::threads::Threads;
use walkon_runtime::base::time::TickRate;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::save::RestoreError;
use walkon_runtime::game::{Game, Setup, StartError};
use walkon_runtime::level::{self, FileSource, Level, LevelError, MemorySource, SourceError, spawn};
use walkon_runtime::script::vm::files::ScriptTexts;
use walkon_runtime::script::vm::fuel::Signals;

use crate::exit::{CommandFailure, Exit};
use crate::project::{Project, find_level};
use crate::scripts::unresolved;

/// A level as text: what a thread needs to build it by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelText {
    /// Path of the level file below the root of its project.
    pub path: String,
    /// What the level is called.
    pub name: String,
    /// The level and every file that it names, by path below the root.
    pub files: BTreeMap<String, String>,
    /// Texts of scripts by path below the script folders, with suffix.
    pub scripts: BTreeMap<String, String>,
    /// Ticks in a game second.
    pub tick_rate: u32,
    /// Time that a call of a script may take, milliseconds.
    pub watchdog_ms: u64,
    /// The root of its project where it came from; empty for texts that came from no disk. Only for messages.
    #[serde(default)]
    pub root: PathBuf,
}

/// The largest seed: the last whole number that is exact in Lua and in every reader of JSON.
pub const SEED_MAX: u64 = (1 << 53) - 1;

/// A seed that a host gives.
///
/// # Errors
/// A sentence, when it is too large.
pub fn checked_seed(seed: u64) -> Result<u64, String> {
    let is_exact = seed <= SEED_MAX;
    is_exact.then_some(seed).ok_or_else(|| format!("seed is {seed}, expected 0 to {SEED_MAX}"))
}

/// Why a level was refused.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It was not found, or cannot be read.
    #[error("{}", said(.0))]
    Failed(CommandFailure),
    /// It was refused.
    #[error("{error}")]
    Refused {
        /// What is wrong with it.
        error: LevelError,
        /// The root of its project, below which the files of the diagnostics lie.
        root: PathBuf,
    },
}

fn said(failure: &CommandFailure) -> &str {
    match failure {
        CommandFailure::Message { message, .. } => message,
        CommandFailure::Closed | CommandFailure::Told(_) => "it cannot be opened",
    }
}

/// What a level is started with, beside itself.
#[derive(Clone, Debug, Default)]
pub struct StartSetup {
    /// Seed of the run; the level's own when none is given.
    pub seed: Option<u64>,
    /// `level.args`.
    pub args: Vec<String>,
    /// What to write down.
    pub record: RecordOptions,
    /// Flags by which a shell ends a script's call or the run.
    pub signals: Arc<Signals>,
    /// Whether choices of scenes wait for an answer.
    pub is_interactive: bool,
    /// On how many threads the crowd is worked out.
    pub threads: Threads,
}

impl LevelText {
    /// The texts of a level that was loaded, at `path` below the root of its project.
    #[must_use]
    pub fn of(path: &str, level: &Level, scripts: BTreeMap<String, String>) -> Self {
        let rate = TickRate::new(level.def.tick_rate).unwrap_or_default();
        Self {
            path: path.to_owned(),
            name: level.def.name.clone(),
            files: level.files.iter().map(|file| (file.path.clone(), file.text.clone())).collect_map(),
            scripts,
            tick_rate: rate.per_second(),
            watchdog_ms: spawn::settings(&level.def).limits.watchdog_ms,
            root: PathBuf::new(),
        }
    }

    /// Reads the level that is meant: a path, or a name in the project around the current folder; with the
    /// scripts of its project.
    ///
    /// # Errors
    /// When it is not found, cannot be read, or is refused.
    pub fn open(asked: &Path) -> Result<Self, OpenError> {
        let found = find_level(asked).map_err(OpenError::Failed)?;
        let root = found.project.folder.root().to_owned();
        let refused = |error| OpenError::Refused { error, root: root.clone() };
        let level = level::load(&found.path, &found.project.folder).map_err(&refused)?;
        let scripts = found.project.scripts(&found.path).map_err(OpenError::Failed)?;
        resolved(Some(&found.project), &level, &scripts, &refused)?;
        Ok(Self { root: root.clone(), ..Self::of(&found.path, &level, scripts) })
    }

    /// A level from texts that the caller brings along: `path` is one of `files`.
    ///
    /// # Errors
    /// When it is refused.
    pub fn from_texts(
        path: &str,
        files: &BTreeMap<String, String>,
        scripts: BTreeMap<String, String>,
    ) -> Result<Self, OpenError> {
        let refused = |error| OpenError::Refused { error, root: PathBuf::new() };
        let with =
            |source: MemorySource, (path, text): (&String, &String)| source.with(path, text.as_bytes());
        let source = files.iter().fold(MemorySource::new(), with);
        let level = level::load(path, &source).map_err(refused)?;
        resolved(None, &level, &scripts, &refused)?;
        Ok(Self::of(path, &level, scripts))
    }

    /// Builds the level.
    ///
    /// # Errors
    /// None for texts that were built once.
    pub fn level(&self) -> Result<Level, LevelError> {
        level::load(&self.path, self)
    }

    /// Ticks in a game second.
    #[must_use]
    pub fn rate(&self) -> TickRate {
        TickRate::new(self.tick_rate).unwrap_or_default()
    }

    /// The level, which was built from these texts, at tick 0.
    ///
    /// # Errors
    /// When a script does not compile, fails as it loads, or is given wrong parameters.
    pub fn start(&self, level: Level, with: StartSetup) -> Result<Game, StartError> {
        Game::load(level, self.setup(with))
    }

    /// The level, which was built from these texts, as it was saved. The seed is that of the save, and so are
    /// `level.args` when none are given.
    ///
    /// # Errors
    /// When the bytes are no save game that this version reads, or what was saved does not fit level and
    /// scripts.
    pub fn restore(&self, level: Level, with: StartSetup, save: &[u8]) -> Result<Game, RestoreError> {
        Game::restore(level, self.setup(with), save)
    }

    fn setup(&self, with: StartSetup) -> Setup {
        Setup {
            debugger: None,
            scripts: self.scripts.clone(),
            seed: with.seed,
            args: with.args,
            recorder: Recorder::new(with.record),
            signals: with.signals,
            is_interactive: with.is_interactive,
            threads: with.threads,
            profile: None,
        }
    }
}

impl FileSource for LevelText {
    fn read(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>, SourceError> {
        let text = self.files.get(path).ok_or(SourceError::NotFound)?;
        if text.len() as u64 > bytes_max {
            return Err(SourceError::TooBig { bytes_max });
        }
        Ok(text.clone().into_bytes())
    }

    fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }
}

/// Refuses a level that names scripts which are not there.
fn resolved(
    project: Option<&Project>,
    level: &Level,
    scripts: &BTreeMap<String, String>,
    refused: &dyn Fn(LevelError) -> OpenError,
) -> Result<(), OpenError> {
    let texts = scripts.iter().map(|(path, text)| (path.clone(), text.clone()));
    let texts = ScriptTexts::new(texts)
        .map_err(|error| OpenError::Failed(CommandFailure::new(Exit::Script, error.to_string())))?;
    let diagnostics = unresolved(project, level, &texts);
    if diagnostics.is_empty() {
        return Ok(());
    }
    Err(refused(LevelError { diagnostics, files: level.files.clone(), source: None }))
}
