//! Checks the parameters that a level gives to behaviours, with the place in the level.
//!
//! In: a level, the declared parameters of its behaviours. Out: diagnostics of the level. Holds: nothing
//! runs; every parameter is judged by the runtime's own rules. Not here: reading the declarations (`lint`).

use std::collections::BTreeMap;

use walkon_runtime::base::ordered::CollectOrdered;

use super::lint::{LevelNames, Linted};
use crate::base::suggestions;
use crate::game::StartError;
use crate::level::{CharacterDef, Diagnostic, Level, LevelFile, Severity, Span, code, plain_data};
use crate::script::vm::files::ScriptTexts;

/// What is wrong with the parameters of a level.
pub(super) fn mistakes(level: &Level, texts: &ScriptTexts, linted: &Linted) -> Vec<Diagnostic> {
    let names = LevelNames::of(&level.def, &level.resolved);
    let places = ParamPlaces::of(level);
    let mut found = Vec::new();
    for (index, character) in level.def.characters.iter().enumerate() {
        let Some(behaviour) = &character.behaviour else { continue };
        let script = texts.resolve(&behaviour.value).ok().and_then(|name| texts.get(name));
        let Some(declared) = script.and_then(|script| linted.declared.get(&script.path)) else { continue };
        let given: BTreeMap<_, _> = character
            .params
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), plain_data::plain(&value.value)?)))
            .collect_map();
        let mut put = |name: &str, sentence: &str| found.push(places.diagnostic(index, Some(name), sentence));
        declared.mistakes(&given).iter().for_each(|(name, sentence)| put(name, sentence));
        for (name, noun) in declared.references() {
            let Some(value) = character.params.get(name).and_then(|value| value.value.as_str()) else {
                continue;
            };
            let known = names.of_noun(noun);
            if !known.contains(value) {
                let hint = suggestions::did_you_mean(value, known.iter().map(String::as_str));
                let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
                put(name, &format!("params.{name}: unknown {noun} \"{value}\"{hint}"));
            }
        }
    }
    found
}

/// Where the parameters of a level stand.
pub(super) struct ParamPlaces {
    characters: Vec<CharacterDef>,
    files: Vec<LevelFile>,
}

impl ParamPlaces {
    pub fn of(level: &Level) -> Self {
        Self { characters: level.def.characters.clone(), files: level.files.clone() }
    }

    /// The files of the level, for showing their lines.
    pub fn files(&self) -> &[LevelFile] {
        &self.files
    }

    /// What kept the scripts from starting, at its place in the level; none when that was something else.
    pub fn refused(&self, error: &StartError) -> Option<Diagnostic> {
        let (character, name, sentence) = error.parameter()?;
        let index = self.characters.iter().position(|own| own.name.value == character)?;
        Some(self.diagnostic(index, name, sentence))
    }

    /// A sentence about a parameter of a character: where it is given, else where the behaviour is.
    fn diagnostic(&self, index: usize, name: Option<&str>, sentence: &str) -> Diagnostic {
        let character = self.characters.get(index);
        let given = name.and_then(|name| Some((name, character?.params.get(name)?.span)));
        let (span, pointer) = match given {
            Some((name, span)) => (span, format!("/characters/{index}/params/{name}")),
            None => {
                let own = character.and_then(|character| character.behaviour.as_ref());
                (own.map(|own| own.span).unwrap_or_default(), format!("/characters/{index}/behaviour"))
            }
        };
        let who = character.map_or("", |character| character.name.value.as_str());
        let (sentence, help) = match sentence.split_once("; ") {
            Some((sentence, help)) => (sentence, Some(help.to_owned())),
            None => (sentence, None),
        };
        self.placed(span, pointer, format!("character \"{who}\": {sentence}"), help)
    }

    fn placed(&self, span: Span, pointer: String, message: String, help: Option<String>) -> Diagnostic {
        let file = self.files.get(usize::from(span.file));
        let (line, column) = file.map_or((1, 1), |file| file.position(span.start));
        let path = file.map(|file| file.path.clone()).unwrap_or_default();
        let (code, severity) = (code::PARAMS, Severity::Error);
        Diagnostic { code, severity, path, line, column, pointer, message, help, span }
    }
}
