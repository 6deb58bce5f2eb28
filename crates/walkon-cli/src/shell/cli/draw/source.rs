//! The source of a drawing: a level from its files, or a run from its trace.
//!
//! In: the argument LEVEL. Out: a level, its scripts, and the inputs of each tick. Holds: a trace is refused
//! when its level or scripts have changed, as `replay` refuses it. Not here: running it (`run`), drawing it.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use walkon_shell::CommandFailure;
use walkon_shell::project::{FoundLevel, Project, find_level, level_of_stream};

use crate::disk::{self, BYTE_ORDER_MARK};
use crate::game::Game;
use crate::game::recording::Recording;
use crate::level::Level;
use crate::shell::cli::args::DrawArgs;
use crate::shell::cli::replay;
use crate::shell::cli::run::Start;
use crate::shell::cli::shell::Shell;
use crate::shell::output::is_stream;

/// What the first line of every trace begins with.
const MARK: &[u8] = b"{\"walkon\":";

/// What was named to be drawn.
pub(super) enum DrawnText {
    /// A trace: its text.
    Trace(String),
    /// A level.
    Level(Box<FoundLevel>),
}

impl DrawnText {
    /// What lies at `path`, or comes by stdin.
    pub fn at(path: &Path) -> Result<Self, CommandFailure> {
        if is_stream(path) {
            return Self::by_stdin();
        }
        match begins_as_trace(path) {
            true => replay::text_of(path).map(Self::Trace),
            false => find_level(path).map(Self::level),
        }
    }

    fn level(found: FoundLevel) -> Self {
        Self::Level(Box::new(found))
    }

    fn by_stdin() -> Result<Self, CommandFailure> {
        let failed = |error| CommandFailure::io(format!("stdin: {error}"));
        let mut stdin = std::io::stdin().lock();
        let mut bytes = first_of(&mut stdin).map_err(failed)?;
        if !is_trace(&bytes) {
            return level_of_stream(&mut bytes.chain(stdin)).map(Self::level);
        }
        stdin.read_to_end(&mut bytes).map_err(failed)?;
        Ok(Self::Trace(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn begins_as_trace(path: &Path) -> bool {
    let first = disk::open_regular(path).ok().map(|mut file| first_of(&mut file));
    first.and_then(Result::ok).is_some_and(|first| is_trace(&first))
}

/// As many bytes as tell a trace.
fn first_of(file: &mut dyn Read) -> std::io::Result<Vec<u8>> {
    let mut first = Vec::new();
    file.take((BYTE_ORDER_MARK.len() + MARK.len()) as u64).read_to_end(&mut first)?;
    Ok(first)
}

/// Whether bytes begin with the mark of a trace, or with a byte order mark and that.
fn is_trace(first: &[u8]) -> bool {
    first.strip_prefix(BYTE_ORDER_MARK).unwrap_or(first).starts_with(MARK)
}

/// A level to draw.
pub(super) struct DrawSource {
    pub found: FoundLevel,
    pub loaded: Level,
    /// The scripts of the trace; a level's own are read when it is run.
    scripts: Option<BTreeMap<String, String>>,
    seed: Option<u64>,
    args: Vec<String>,
    /// The save game that the trace began from.
    from: Option<Vec<u8>>,
}

impl DrawSource {
    /// A level that is asked for.
    pub fn of_level(shell: &Shell, args: &DrawArgs, found: FoundLevel) -> Result<Self, CommandFailure> {
        let loaded = shell.load(&found)?;
        Ok(Self { found, loaded, scripts: None, seed: args.seed, args: Vec::new(), from: None })
    }

    /// The level of a trace.
    pub fn of_trace(shell: &Shell, args: &DrawArgs, trace: &Recording<'_>) -> Result<Self, CommandFailure> {
        if args.seed.is_some() {
            return Err(CommandFailure::usage("--seed: a trace has a seed of its own"));
        }
        let (loaded, scripts) = replay::level_of(shell, &args.level, trace)?;
        let beside = args.level.parent().filter(|folder| !folder.as_os_str().is_empty());
        let project = Project::around(beside.unwrap_or(Path::new(".")))?;
        let found = FoundLevel { project, path: trace.header.level_file.clone() };
        let (seed, args) = (Some(trace.header.seed), trace.header.args.clone());
        let from = trace.header.from.clone();
        Ok(Self { found, loaded, scripts: Some(scripts), seed, args, from })
    }

    /// What a run of it begins with, and the level.
    pub fn start(self, shell: &Shell) -> Result<(FoundLevel, Level, Start), CommandFailure> {
        let scripts = match self.scripts {
            Some(scripts) => scripts,
            None => shell.scripts(&self.found, &self.loaded)?,
        };
        Ok((self.found, self.loaded, Start { scripts, seed: self.seed, args: self.args, from: self.from }))
    }

    /// Whether its run begins from a save game, and not with the level as loaded.
    pub fn is_from_save(&self) -> bool {
        self.from.is_some()
    }

    /// The seed that it is built with.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }
}

/// Refuses a tick before the one in which a run begins: that of its save game.
pub(super) fn not_before(game: &Game, option: &str, asked: Option<u64>) -> Result<(), CommandFailure> {
    let begun = game.world().tick().0;
    match asked.filter(|tick| *tick < begun) {
        Some(tick) => Err(CommandFailure::usage(format!(
            "{option}: tick {tick} lies before the save game that the trace begins from, expected {begun} or later"
        ))),
        None => Ok(()),
    }
}
