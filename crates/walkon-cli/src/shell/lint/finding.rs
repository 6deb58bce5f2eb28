//! A finding of the linter, before its line is looked up.
//!
//! In: a code, a place in the text, a message. Out: a [`LintFinding`], with a help or the nearest known name.
//! Holds: codes are only ever added. Not here: looking for findings (`rules`), lines and columns.

use super::tree::TextPlace;
use crate::base::suggestions;
use crate::level::Severity;

/// The words in the `code` of findings about scripts. The list only ever grows.
pub(super) mod code {
    /// A global that nobody writes and the API does not have.
    pub const UNKNOWN_GLOBAL: &str = "unknown-global";
    /// A function or field that a library, a handle or a result does not have.
    pub const UNKNOWN_NAME: &str = "unknown-name";
    /// An option that a function does not take.
    pub const UNKNOWN_OPTION: &str = "unknown-option";
    /// A word that is none of those allowed there.
    pub const CHOICE: &str = "choice";
    /// A value of another type than expected, or none.
    pub const ARGUMENT: &str = "argument";
    /// A dot where a colon belongs, or the other way round.
    pub const COLON: &str = "colon";
    /// A field that cannot be written.
    pub const READ_ONLY: &str = "read-only";
    /// A name of something that no level has, or of a script that is not there.
    pub const UNRESOLVED: &str = "unresolved";
    /// The name of a handler that its owner does not have.
    pub const HANDLER: &str = "handler";
    /// Something of the world, asked for while a file loads.
    pub const LOAD: &str = "load";
    /// A wait where none is allowed.
    pub const WAIT: &str = "wait";
    /// A result without which the call was for nothing (a warning).
    pub const DROPPED: &str = "dropped";
    /// A loop whose order is not the same in every run (a warning).
    pub const ORDER: &str = "order";
    /// A file that returns something other than its use needs.
    pub const RETURNS: &str = "returns";
    /// A wrong declaration of parameters.
    pub const PARAMS: &str = "params";
    /// A loop that never ends and never waits.
    pub const ENDLESS: &str = "endless";
    /// A file that requires itself, through others.
    pub const CIRCLE: &str = "circle";
    /// The player of a level that has none.
    pub const PLAYER: &str = "player";
    /// A character that a scene sends without holding it, or is to hold twice (a warning).
    pub const HELD: &str = "held";
    /// An event of the runtime that a script tells, or hears under a name that is not quite right (a warning
    /// or a note).
    pub const EVENT: &str = "event";
    /// Events that nobody hears (a note).
    pub const UNHEARD: &str = "unheard";
    /// A name that stands twice in a table (a note).
    pub const TWICE: &str = "twice";
}

/// Most findings of a script that are reported. An author with more of them mends the first ones first.
pub(super) const FINDINGS_MAX: usize = 1_000;

/// Whether nothing more needs to be looked for.
pub(super) fn is_full(findings: &[LintFinding]) -> bool {
    findings.len() >= FINDINGS_MAX
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct LintFinding {
    pub code: &'static str,
    pub severity: Severity,
    pub place: TextPlace,
    pub message: String,
    pub help: Option<String>,
}

impl LintFinding {
    pub fn error(code: &'static str, place: TextPlace, message: impl Into<String>) -> Self {
        Self { code, severity: Severity::Error, place, message: message.into(), help: None }
    }

    pub fn warning(code: &'static str, place: TextPlace, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, place, message) }
    }

    pub fn note(code: &'static str, place: TextPlace, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, place, message) }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Suggests the nearest of the names that would have been right, if one is near.
    pub fn suggest<'a>(self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        Self { help: suggestions::did_you_mean(name, candidates).or(self.help), ..self }
    }

    /// The same about an option; where none is near, all that there are.
    pub fn suggest_option(self, name: &str, known: &[&str]) -> Self {
        Self { help: suggestions::did_you_mean_or_all(name, known).or(self.help), ..self }
    }
}

/// `"a", "b" or "c"`.
pub(super) fn one_of(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [firsts @ .., last] => format!("{} or {last}", firsts.join(", ")),
    }
}
