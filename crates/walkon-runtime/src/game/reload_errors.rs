//! Errors where a changed level does not fit its scripts, with their places in the level.
//!
//! In: a level as it is written, the scripts there are, why scripts refused it. Out: refusals that name file,
//! line and column of the level. Holds: a mistake in the level is reported at the level, not at the script.
//! Not here: mistakes that the level has by itself (`level`).

use crate::level::{CharacterDef, Level, LevelFile, Span};
use crate::script::host::reload::{Misfit, ReloadError};
use crate::script::vm::files::ScriptTexts;

/// What a level says of its characters, and where.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    characters: Vec<CharacterDef>,
    files: Vec<LevelFile>,
}

impl Written {
    pub(super) fn of(level: &Level) -> Self {
        Self { characters: level.def.characters.clone(), files: level.files.clone() }
    }

    /// A refusal of the scripts; one about parameters is blamed on the place that gives them.
    pub(super) fn blame(&self, refusal: ReloadError) -> ReloadError {
        let found = refusal.misfit.as_ref().and_then(|misfit| self.misfit(misfit));
        found.unwrap_or(refusal)
    }

    fn misfit(&self, misfit: &Misfit) -> Option<ReloadError> {
        let own = self.characters.iter().find(|own| own.name.value == misfit.character)?;
        let given = misfit.parameter.as_ref().and_then(|name| Some(own.params.get(name)?.span));
        let span = given.or_else(|| Some(own.behaviour.as_ref()?.span))?;
        Some(refused(&self.files, span, &format!("character \"{}\": {}", misfit.character, misfit.what)))
    }
}

/// The first script that a level names and that is not there.
pub(super) fn unknown_script(level: &Level, scripts: &ScriptTexts) -> Option<ReloadError> {
    let (span, error) =
        level.def.scripts().find_map(|name| Some((name.span, scripts.resolve(&name.value).err()?)))?;
    Some(refused(&level.files, span, &error.to_string()))
}

fn refused(files: &[LevelFile], span: Span, what: &str) -> ReloadError {
    let file = files.get(usize::from(span.file));
    let (line, column) = file.map_or((1, 1), |file| file.position(span.start));
    let path = file.map_or("", |file| file.path.as_str());
    let message = format!("{path}:{line}:{column}: {what}");
    ReloadError { file: path.to_owned(), line, message, ..ReloadError::default() }
}
