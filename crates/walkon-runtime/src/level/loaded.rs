//! A loaded level, and the reasons why one was refused.
//!
//! In: nothing. Out: [`Level`], [`LevelError`]. Not here: loading (`load`).

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::def::LevelDef;
use super::diagnostic::{Diagnostic, LevelFile, Severity, Span};
use super::resolve::Resolved;
use super::source::SourceError;
use crate::base::hash::ContentHash;
use crate::base::ordered::CollectOrdered;
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

    /// A hash over what decides about the ground: every file but the level, and of that all keys but those
    /// that surely have nothing to do with it. Where it is the same the map is, too; not always the other way
    /// round.
    #[must_use]
    pub(crate) fn ground_hash(&self) -> u64 {
        let mut hash = ContentHash::default();
        let Some((level, others)) = self.files.split_first() else { return hash.finish() };
        others.iter().for_each(|file| {
            hash.text(&file.path).word(file.hash);
        });
        // The map is made ready for the bodies that there are.
        let radii = self.def.characters.iter().map(|character| character.radius_m.to_bits());
        radii.collect_set().into_iter().for_each(|bits: u64| {
            hash.word(bits);
        });
        // What is left out is passed over, not read.
        let Ok(keys) = serde_json::from_str::<BTreeMap<String, &RawValue>>(&level.text) else {
            return hash.word(level.hash).finish();
        };
        for (key, raw) in keys {
            if !OFF_THE_GROUND.contains(&key.as_str()) && !key.starts_with("x-") {
                let value = serde_json::from_str(raw.get()).unwrap_or(Value::Null);
                hash.text(&key).text(&value.to_string());
            }
        }
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

/// Keys of a level that have nothing to do with its ground, nor with what is known by its numbers.
const OFF_THE_GROUND: [&str; 10] =
    ["$schema", "name", "seed", "clock", "marks", "routes", "characters", "script", "limits", "pathBudget"];

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
