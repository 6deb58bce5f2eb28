//! The scripts that a level names, checked without running them.
//!
//! In: a level, the texts of its project. Out: diagnostics: names that mean no script, in the level (fault:F19), and
//! mistakes of syntax, in the scripts. Holds: nothing runs; every name is looked up the way a run looks it up.
//! Not here: what a script does wrong while it runs (`script`).

use std::collections::BTreeSet;

use crate::level::{Diagnostic, LoadedLevel, Severity, Span, Spot, code};
use crate::script::check;
use crate::script::files::{FileError, ScriptTexts};

/// A script that a level names: the name as written, and its place as a JSON pointer.
fn named(level: &LoadedLevel) -> Vec<(&Spot<String>, String)> {
    let own = level.def.script.iter().map(|script| (script, "/script".to_owned()));
    let behaviours = level.def.characters.iter().enumerate().filter_map(|(index, character)| {
        character.behaviour.as_ref().map(|name| (name, format!("/characters/{index}/behaviour")))
    });
    own.chain(behaviours).collect()
}

/// Names of scripts in a level that mean none, or more than one.
pub(super) fn unresolved(level: &LoadedLevel, texts: &ScriptTexts) -> Vec<Diagnostic> {
    let looked_up =
        named(level).into_iter().map(|(name, pointer)| (name, pointer, texts.resolve(&name.value)));
    looked_up
        .filter_map(|(name, pointer, found)| Some(refused(level, (name.span, pointer), &found.err()?)))
        .collect()
}

fn refused(level: &LoadedLevel, at: (Span, String), error: &FileError) -> Diagnostic {
    let message = error.to_string();
    // The suggestion is the end of the sentence; here it is advice of its own.
    let (message, help) = match message.split_once("; ") {
        Some((what, advice)) => (what.to_owned(), Some(advice.to_owned())),
        None => (message, None),
    };
    Diagnostic { help, ..level.diagnostic(code::UNRESOLVED, Severity::Error, at, message) }
}

/// The whole names of the scripts that a level names, each once.
pub(super) fn of_level(level: &LoadedLevel, texts: &ScriptTexts) -> BTreeSet<String> {
    let names =
        named(level).into_iter().filter_map(|(name, _)| texts.resolve(&name.value).ok().map(str::to_owned));
    names.collect()
}

/// The first mistake of syntax of a script, at `path`.
pub(super) fn syntax(path: &str, text: &str) -> Option<Diagnostic> {
    let failure = check::syntax(path, text).err()?;
    Some(Diagnostic {
        code: code::SYNTAX,
        severity: Severity::Error,
        path: path.to_owned(),
        line: failure.line.max(1),
        column: first_column(text, failure.line),
        pointer: String::new(),
        message: failure.message,
        help: None,
        // A script is no file of a level: its place is the line and the column.
        span: Span::new(0, 1, 1),
    })
}

/// Where the words of a line begin, from 1: the compiler tells the line only.
fn first_column(text: &str, line: u32) -> u32 {
    let line = text.lines().nth((line.max(1) - 1) as usize).unwrap_or_default();
    line.chars().take_while(|c| c.is_whitespace()).count() as u32 + 1
}
