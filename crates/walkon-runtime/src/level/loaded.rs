//! A level that was loaded, and why one was refused.
//!
//! In: nothing. Out: [`Level`], [`LevelError`]. Not here: loading (`load`).

use super::def::LevelDef;
use super::diagnostic::{Diagnostic, LevelFile, Severity, Span};
use super::resolve::Resolved;
use super::source::SourceError;
use crate::base::hash::ContentHash;
use crate::nav::NavMap;

/// A level that can be played: what was written, what it means, and its map as the level begins.
#[derive(Clone, Debug)]
pub struct Level {
    /// What was written, every default filled in; a map file stands in place of its name.
    pub def: LevelDef,
    /// What its names stand for.
    pub resolved: Resolved,
    /// The map, doors as the level begins.
    pub map: NavMap,
    /// Warnings and notes, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The level, then the files it names: path, text and hash of each.
    pub files: Vec<LevelFile>,
}

impl Level {
    /// One hash over the level and every file it names, as the header of a trace records it.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = ContentHash::default();
        self.files.iter().for_each(|file| {
            hash.text(&file.path).word(file.hash);
        });
        hash.finish()
    }

    /// A diagnostic at a place of the level that a later check looked at, such as a script that is missing or
    /// a parameter that a behaviour does not take.
    #[must_use]
    pub fn diagnostic(
        &self,
        code: &'static str,
        severity: Severity,
        span: Span,
        pointer: String,
        message: String,
    ) -> Diagnostic {
        let file = self.files.get(usize::from(span.file));
        let (line, column) = file.map_or((1, 1), |file| file.position(span.start));
        let path = file.map(|file| file.path.clone()).unwrap_or_default();
        Diagnostic { code, severity, path, line, column, pointer, message, help: None, span }
    }
}

/// Why a level was refused.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", self.summary())]
pub struct LevelError {
    /// Errors, warnings and notes, in the order of the text; at least one error.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that were read, for showing their lines.
    pub files: Vec<LevelFile>,
    /// Set when a file could not be read at all.
    pub source: Option<SourceError>,
}

impl LevelError {
    fn summary(&self) -> String {
        let errors = self.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        match errors.clone().next() {
            Some(first) => {
                let more = errors.count() - 1;
                let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
                format!("{}:{}:{}: {}{more}", first.path, first.line, first.column, first.message)
            }
            None => "the level was refused".to_owned(),
        }
    }
}
