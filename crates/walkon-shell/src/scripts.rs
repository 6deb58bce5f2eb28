//! Checks the names of scripts in a level.
//!
//! In: a level, the texts of its project. Out: diagnostics: unknown names of scripts, or ambiguous ones
//! (fault:F19). Holds: nothing runs; every name is looked up the way a run looks it up. Not here: what stands
//! in the scripts.

use walkon_runtime::level::{Diagnostic, Level, Located, Severity, Span, code};
use walkon_runtime::script::vm::files::{FileError, ScriptTexts};

use crate::project::Project;

/// A script that a level names: the name as written, and its place as a JSON pointer.
fn named(level: &Level) -> Vec<(&Located<String>, String)> {
    let own = level.def.script.iter().map(|script| (script, "/script".to_owned()));
    let behaviours = level.def.characters.iter().enumerate().filter_map(|(index, character)| {
        character.behaviour.as_ref().map(|name| (name, format!("/characters/{index}/behaviour")))
    });
    own.chain(behaviours).collect()
}

/// Names of scripts in a level that mean none, or more than one. `project` is where the texts came from, if
/// it is one.
#[must_use]
pub fn unresolved(project: Option<&Project>, level: &Level, texts: &ScriptTexts) -> Vec<Diagnostic> {
    let looked_up =
        named(level).into_iter().map(|(name, pointer)| (name, pointer, texts.resolve(&name.value)));
    looked_up
        .filter_map(|(name, pointer, found)| {
            let refused = refused(level, name.span, pointer, &found.err()?);
            let skipped = project.and_then(|project| project.skipped(&name.value));
            let skipped = skipped.map(|why| format!("it was skipped: {why}"));
            let unmarked = || project.and_then(Project::unmarked);
            let help = skipped.or(refused.help).or_else(unmarked);
            Some(Diagnostic { help, ..refused })
        })
        .collect()
}

fn refused(level: &Level, span: Span, pointer: String, error: &FileError) -> Diagnostic {
    let message = error.to_string();
    // The suggestion is the end of the sentence; here it is advice of its own.
    let (message, help) = match message.split_once("; ") {
        Some((what, advice)) => (what.to_owned(), Some(advice.to_owned())),
        None => (message, None),
    };
    Diagnostic { help, ..level.diagnostic(code::UNRESOLVED, Severity::Error, span, pointer, message) }
}
