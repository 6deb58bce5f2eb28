//! Errors for a host in another language: one shape for every kind of failure.
//!
//! In: why a level did not open, or a game did not start or was not restored. Out: the kind, a sentence, the
//! file and the line, every diagnostic; also as JSON. Not here: showing it.

use serde::Serialize;
use walkon_runtime::game::StartError;
use walkon_runtime::game::save::RestoreError;
use walkon_runtime::level::{Diagnostic, Severity, SourceError};

use crate::exit::{CommandFailure, Exit};
use crate::level_text::OpenError;

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ProblemKind {
    /// Something was not found, or could not be read.
    Io,
    /// A level was refused.
    Level,
    /// A script failed as the level started.
    Script,
    /// A save game was refused.
    Save,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Problem {
    /// Its kind.
    pub kind: ProblemKind,
    /// What was asked, what is wrong, what was expected.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The file, below the root of its project or below its script folder; empty when it is none of a file.
    pub file: String,
    /// Line in it, from 1; 0 when unknown.
    pub line: u32,
    /// Column in it, from 1; 0 when unknown.
    pub column: u32,
    /// Where the script stood, innermost first, a line each.
    pub traceback: String,
    /// Everything that was found wrong with a level.
    pub diagnostics: Vec<Diagnostic>,
}

impl Problem {
    /// Of this kind, with a sentence and nothing else.
    #[must_use]
    pub fn new(kind: ProblemKind, message: String) -> Self {
        Self {
            kind,
            message,
            help: None,
            file: String::new(),
            line: 0,
            column: 0,
            traceback: String::new(),
            diagnostics: Vec::new(),
        }
    }

    /// All of it as one object.
    #[must_use]
    pub fn json(&self) -> String {
        // Plain texts and numbers have a form in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl From<OpenError> for Problem {
    fn from(error: OpenError) -> Self {
        let said = error.to_string();
        match error {
            OpenError::Failed(failure) => {
                let kind = match failure.exit() {
                    Exit::Level => ProblemKind::Level,
                    Exit::Script => ProblemKind::Script,
                    _ => ProblemKind::Io,
                };
                let help = match failure {
                    CommandFailure::Message { help, .. } => help,
                    CommandFailure::Closed | CommandFailure::Told(_) => None,
                };
                Self { help, ..Self::new(kind, said) }
            }
            OpenError::Refused { error, .. } => {
                let found = error.diagnostics.iter().find(|found| found.severity == Severity::Error);
                let of = |kind| Self::new(kind, said.clone());
                let problem = match (&error.source, found) {
                    (Some(SourceError::Failed(_)), _) => of(ProblemKind::Io),
                    (_, Some(first)) => Self {
                        help: first.help.clone(),
                        file: first.path.clone(),
                        line: first.line,
                        column: first.column,
                        ..of(ProblemKind::Level)
                    },
                    (_, None) => of(ProblemKind::Level),
                };
                Self { diagnostics: error.diagnostics, ..problem }
            }
        }
    }
}

impl From<StartError> for Problem {
    fn from(error: StartError) -> Self {
        let problem = Self::new(ProblemKind::Script, error.to_string());
        match error.failure() {
            Some((failure, _)) => Self {
                file: failure.file.clone(),
                line: failure.line,
                traceback: failure.traceback.clone(),
                ..problem
            },
            None => problem,
        }
    }
}

impl From<RestoreError> for Problem {
    fn from(error: RestoreError) -> Self {
        let problem = Self::new(ProblemKind::Save, error.to_string());
        match error {
            RestoreError::Start(error) => Self::from(error),
            RestoreError::Scripts(refusal) => Self { file: refusal.file, line: refusal.line, ..problem },
            RestoreError::Bytes(_) | RestoreError::OtherForm { .. } | RestoreError::OtherLevel { .. } => {
                problem
            }
        }
    }
}
