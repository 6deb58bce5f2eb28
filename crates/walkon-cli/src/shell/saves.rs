//! Save games on their way from and to files.
//!
//! In: paths, ticks. Out: bytes read; files that are whole or not there. Holds: a file that the run reads is
//! never written; a new file takes the place of the old one only once it is whole. Not here: what the bytes
//! say (`game::save`).

use std::path::{Path, PathBuf};

use walkon_shell::CommandFailure;

use super::output::tell;
use crate::game::Game;

/// The bytes of a save game.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, CommandFailure> {
    std::fs::read(path).map_err(|error| CommandFailure::io(format!("save {}: {error}", path.display())))
}

/// Saves that are to be written, by tick.
#[derive(Debug, Default)]
pub(super) struct Saves {
    left: Vec<(u64, PathBuf)>,
    /// Whether one could not be made or written.
    pub is_broken: bool,
}

impl Saves {
    /// Those of the arguments, a tick and a file each. `inputs` are the files that the command reads, without
    /// links.
    ///
    /// # Errors
    /// When a tick is no number, comes too early, or a file is one that the run reads.
    pub fn of(given: &[String], first: u64, inputs: &[PathBuf]) -> Result<Self, CommandFailure> {
        let mut left = Vec::new();
        for pair in given.chunks(2) {
            let [tick, path] = pair else { continue };
            let number: u64 = tick.parse().map_err(|_| {
                CommandFailure::usage(format!("--save-at: {tick:?} is no tick, expected a whole number"))
            })?;
            if number < first {
                let what =
                    format!("--save-at: tick {number} is over when the run begins, after tick {first}");
                return Err(CommandFailure::usage(what));
            }
            let path = PathBuf::from(path);
            if path.canonicalize().is_ok_and(|real| inputs.contains(&real)) {
                let what = format!("save {}: this run reads it", path.display());
                return Err(CommandFailure::io(what).help("name another file to write to"));
            }
            left.push((number, path));
        }
        Ok(Self { left, is_broken: false })
    }

    /// Writes the save that is due after this tick, and reports how it went.
    pub fn after(&mut self, game: &Game) {
        let tick = game.world().tick().0;
        let (due, left) = std::mem::take(&mut self.left).into_iter().partition(|(at, _)| *at == tick);
        self.left = left;
        let due: Vec<(u64, PathBuf)> = due;
        for (_, path) in due {
            if let Err(why) = write(game, &path) {
                tell(&format!("error: save {}: {why}", path.display()));
                self.is_broken = true;
            }
        }
    }

    /// Says which saves the run ended before.
    pub fn end(&mut self) {
        for (tick, path) in std::mem::take(&mut self.left) {
            tell(&format!("error: save {}: the run ended before tick {tick}", path.display()));
            self.is_broken = true;
        }
    }
}

fn write(game: &Game, path: &Path) -> Result<(), String> {
    let bytes = game.save().map_err(|refused| refused.to_string())?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let beside = path.with_file_name(name);
    let written = std::fs::write(&beside, &bytes).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        error.to_string()
    })
}
