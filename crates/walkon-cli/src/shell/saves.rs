//! Reads and writes save game files.
//!
//! In: paths, ticks. Out: bytes read; files that are whole or not there. Holds: a file that the run reads is
//! never written; a new file takes the place of the old one only once it is whole. Not here: the meaning of
//! the bytes (`game::save`).

use std::path::{Path, PathBuf};

use walkon_shell::CommandFailure;

use super::output::{OutputFile, is_stream, tell};
use crate::disk;
use crate::game::Game;
use crate::game::save::SAVE_BYTES_MAX;

/// The bytes of a save game.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, CommandFailure> {
    disk::read_regular(path, SAVE_BYTES_MAX as u64)
        .map_err(|error| CommandFailure::io(format!("save {}: {error}", path.display())))
}

/// A save that is to be written after a tick.
#[derive(Debug)]
struct DueSave {
    tick: u64,
    file: OutputFile,
}

/// The files of `--save-at`, which is given in pairs of a tick and a file.
pub(super) fn files(given: &[String]) -> impl Iterator<Item = &Path> {
    given.chunks(2).filter_map(|pair| pair.get(1)).map(Path::new)
}

/// Saves that are to be written.
#[derive(Debug, Default)]
pub(super) struct Saves {
    left: Vec<DueSave>,
    /// Whether one could not be made or written.
    pub is_broken: bool,
}

impl Saves {
    /// Those of the arguments, a tick and a file each. `inputs` are the files that the command reads, without
    /// links.
    ///
    /// # Errors
    /// When a tick is no number or comes too early, or a file cannot be written or is one that the run reads.
    pub fn of(given: &[String], first: u64, inputs: &[PathBuf]) -> Result<Self, CommandFailure> {
        let mut left = Vec::new();
        for pair in given.chunks(2) {
            let [tick, path] = pair else { continue };
            let tick: u64 = tick.parse().map_err(|_| {
                CommandFailure::usage(format!(
                    "--save-at: {tick:?} is not a tick, expected a whole number from 0 to {}",
                    u64::MAX
                ))
            })?;
            if tick < first {
                let what = format!("--save-at: tick {tick} is over when the run begins, after tick {first}");
                return Err(CommandFailure::usage(what));
            }
            left.push(DueSave { tick, file: claim(Path::new(path), inputs)? });
        }
        Ok(Self { left, is_broken: false })
    }

    /// Writes the save that is due after this tick, and reports how it went.
    pub fn after(&mut self, game: &Game) {
        let tick = game.world().tick().0;
        let (due, left) = std::mem::take(&mut self.left).into_iter().partition(|save| save.tick == tick);
        self.left = left;
        let due: Vec<DueSave> = due;
        for save in due {
            if let Err(why) = write(game, &save.file) {
                tell(&format!("error: save {why}"));
                self.is_broken = true;
            }
        }
    }

    /// Says which saves the run ended before.
    pub fn end(&mut self) {
        for DueSave { tick, file } in std::mem::take(&mut self.left) {
            tell(&format!("error: save {}: the run ended before tick {tick}", file.path().display()));
            self.is_broken = true;
        }
    }
}

/// The file of a save, seen to be writable. A save game is no text, so it does not go to stdout.
fn claim(path: &Path, inputs: &[PathBuf]) -> Result<OutputFile, CommandFailure> {
    if is_stream(path) {
        let what = "--save-at: a save game does not go to stdout, expected the name of a file";
        return Err(CommandFailure::usage(what).help("write ./- for a file of the name -"));
    }
    OutputFile::claim(path, inputs).map_err(|failure| match failure {
        CommandFailure::Message { exit, message, help } => {
            CommandFailure::Message { exit, message: format!("save {message}"), help }
        }
        other => other,
    })
}

fn write(game: &Game, file: &OutputFile) -> Result<(), String> {
    let bytes = game.save().map_err(|refused| format!("{}: {refused}", file.path().display()))?;
    file.write(&bytes).map_err(|failure| match failure {
        CommandFailure::Message { message, .. } => message,
        _ => format!("{}: it could not be written", file.path().display()),
    })
}
