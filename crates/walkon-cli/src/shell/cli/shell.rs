//! Options and functions that all commands share: reading levels and scripts, showing mistakes.
//!
//! In: a level that was found. Out: the level, its scripts; diagnostics and faults on stderr with their
//! lines. Not here: the commands themselves.

use std::collections::BTreeMap;

use walkon_shell::project::FoundLevel;
use walkon_shell::{CommandFailure, Exit, unresolved};

use crate::base::suggestions::counted;
use crate::game::event::ScriptFault;
use crate::level::{Diagnostic, Level, LevelFile, Severity};
use crate::script::vm::files::ScriptTexts;
use crate::shell::output::{General, tell};
use crate::shell::progress::{ProgressLine, ProgressWork};
use crate::shell::report::{ReportedFinding, Reporter, ShownFault};

/// What commands share.
pub(super) struct Shell {
    pub(super) report: Reporter,
    pub(super) is_quiet: bool,
    pub(super) general: General,
}

impl Shell {
    /// A bar for long work.
    pub(super) fn progress(&self, work: ProgressWork<'_>) -> ProgressLine {
        if self.is_quiet { ProgressLine::hidden(work) } else { ProgressLine::new(work) }
    }

    /// Says more, when more was asked for.
    pub(super) fn more(&self, words: impl FnOnce() -> String) {
        if self.general.verbose > 0 {
            tell(&words());
        }
    }

    /// Reads and builds a level; what is wrong with it is shown.
    pub(super) fn load(&self, found: &FoundLevel) -> Result<Level, CommandFailure> {
        let began = std::time::Instant::now();
        match crate::level::load(&found.path, &found.project.folder) {
            Ok(level) => {
                self.show(found, &level.diagnostics, &level.files);
                self.more(|| loaded(found, &level, began.elapsed()));
                Ok(level)
            }
            Err(error) => {
                self.show(found, &error.diagnostics, &error.files);
                Err(CommandFailure::Told(refusal(&error)))
            }
        }
    }

    /// The scripts of a level; names in the level that mean none are shown, and refuse it (fault:F19).
    pub(super) fn scripts(
        &self,
        found: &FoundLevel,
        level: &Level,
    ) -> Result<BTreeMap<String, String>, CommandFailure> {
        let texts = found.project.scripts(&found.path)?;
        let known = script_texts(&texts)?;
        let unresolved = unresolved(Some(&found.project), level, &known);
        if unresolved.is_empty() {
            self.more(|| format!("read {}", counted(texts.len() as u64, "script")));
            return Ok(texts);
        }
        self.show(found, &unresolved, &level.files);
        Err(CommandFailure::Told(Exit::Level))
    }

    /// Shows diagnostics on stderr; warnings and notes only when quiet was not asked for.
    pub(super) fn show(&self, found: &FoundLevel, diagnostics: &[Diagnostic], files: &[LevelFile]) {
        for diagnostic in diagnostics {
            let is_shown = match diagnostic.severity {
                Severity::Error => true,
                Severity::Warning => !self.is_quiet,
                // What was left out is part of the errors; other notes are for `check`.
                Severity::Note => diagnostic.code == crate::level::code::MORE || self.general.verbose > 0,
            };
            if is_shown {
                tell(&self.rendered(found, diagnostic, files));
            }
        }
    }

    /// A fault of a script with its line.
    pub(super) fn fault(
        &self,
        found: &FoundLevel,
        texts: &BTreeMap<String, String>,
        fault: &ScriptFault,
    ) -> String {
        let text = texts.get(&fault.file).map_or("", String::as_str);
        let place = found.project.script_path(&fault.file, &found.path);
        let path = place.map_or_else(|| fault.file.clone(), |path| shown_path(found, &path));
        // The place stands above the line already.
        let message = fault.message.strip_prefix(&format!("{}:{}: ", fault.file, fault.line));
        let whose = [fault.owner.as_str(), fault.callback.as_str()].join(" ");
        let frames =
            if fault.traceback.lines().count() > 1 { fault.traceback.lines().collect() } else { Vec::new() };
        self.report.fault(
            &ShownFault {
                message: message.unwrap_or(&fault.message),
                path: &path,
                line: fault.line,
                whose: whose.trim(),
                frames: &frames,
            },
            text,
        )
    }

    /// A diagnostic with its line.
    pub(super) fn rendered(
        &self,
        found: &FoundLevel,
        diagnostic: &Diagnostic,
        files: &[LevelFile],
    ) -> String {
        let text =
            files.iter().find(|file| file.path == diagnostic.path).map_or("", |file| file.text.as_str());
        let path = shown_path(found, &diagnostic.path);
        let mut hinted = diagnostic.clone();
        hint_at_root(found, std::slice::from_mut(&mut hinted));
        self.report.finding(&ReportedFinding::of(&hinted, &path, text), text)
    }
}

/// Details of a level that was read, when more was asked for.
fn loaded(found: &FoundLevel, level: &Level, took: std::time::Duration) -> String {
    format!(
        "read {} of the project {}: {}, {}, {}, in {:.1} ms",
        shown_path(found, &found.path),
        found.project.folder.root().display(),
        counted(level.files.len() as u64, "file"),
        counted(level.def.characters.len() as u64, "character"),
        counted(level.def.doors.len() as u64, "door"),
        took.as_secs_f64() * 1e3
    )
}

/// Texts by the names that scripts have for one another.
pub(super) fn script_texts(texts: &BTreeMap<String, String>) -> Result<ScriptTexts, CommandFailure> {
    let files = texts.iter().map(|(path, text)| (path.clone(), text.clone()));
    ScriptTexts::new(files).map_err(|error| CommandFailure::new(Exit::Script, error.to_string()))
}

/// Says of a file that lies outside, or is not there, that nobody marked the root.
pub(super) fn hint_at_root(found: &FoundLevel, diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        let says = |part: &str| diagnostic.message.contains(part);
        if says("leads out of the project") || says("outside the project") {
            diagnostic.help = found.project.unmarked().or_else(|| diagnostic.help.take());
        } else if says("cannot be read") {
            diagnostic.help = diagnostic.help.take().or_else(|| found.project.unmarked());
        }
    }
}

/// The code for a level that was refused: 6 when its own file or one it names could not be read by the
/// system.
pub(super) fn refusal(error: &crate::level::LevelError) -> Exit {
    match error.source {
        Some(crate::level::SourceError::Failed(_)) => Exit::Io,
        _ => Exit::Level,
    }
}

/// A file of a project as people find it: from the current folder when it lies below, else from the root.
pub(super) fn shown_path(found: &FoundLevel, path: &str) -> String {
    let whole = found.project.folder.root().join(path);
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    match here.ok().and_then(|here| whole.strip_prefix(here).ok().map(std::path::Path::to_path_buf)) {
        Some(short) if !short.as_os_str().is_empty() => short.display().to_string(),
        _ => whole.display().to_string(),
    }
}
