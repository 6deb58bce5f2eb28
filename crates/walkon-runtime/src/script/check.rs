//! Facts about a script that can be found without running it.
//!
//! In: the text of a file. Out: its first mistake of syntax, with its line; the globals that Luau itself
//! gives a script; the events of the runtime. Holds: nothing of the text runs. Not here: the meaning of names
//! (`shell/lint`), the API (`bind`).

pub mod trial;

pub use crate::script::step::cinematic::definition::{SceneFieldKind, misspelt as misspelt_scene_field};

use std::collections::{BTreeMap, BTreeSet};

use crate::base::ordered::CollectOrdered;
use crate::base::value::{Plain, PlainKey};
use crate::script::state::params::Params;
use crate::script::step::params;
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{self, ScriptVm, VmSettings, compiler, payload};
use crate::world::event_name::{HEARD, REGION_ENTERED, REGION_LEFT, TOLD_ONLY};

/// The text of a message about the end of the file.
pub const AT_END: &str = "got <eof>";

/// Compiles a script as a level would, and forgets it. `path` is its name in messages.
///
/// # Errors
/// The first mistake of syntax.
pub fn syntax(path: &str, text: &str) -> Result<(), CallFailure> {
    vm::refuse_bytecode(path, text)?;
    match compiler::compiler().compile(&*vm::readable(text)) {
        Ok(_) => Ok(()),
        Err(error) => Err(mistake(path, &error).within(text)),
    }
}

/// The events of the runtime: scripts hear them and cannot emit them.
pub fn runtime_events<'a>() -> impl Iterator<Item = &'a str> {
    HEARD.iter().map(|event| event.name)
}

/// The names of what is told to hosts and traces, and which no script hears; each with what scripts hear in
/// its place, if there is anything.
pub fn host_events() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let regions = [REGION_ENTERED, REGION_LEFT].map(|name| (name, Some("region.on")));
    regions.into_iter().chain(TOLD_ONLY.map(|name| (name, None)))
}

/// The globals of a script besides the API, each with what is in it: nothing for functions.
///
/// # Errors
/// When no VM can be made.
pub fn globals() -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let vm = ScriptVm::new(VmSettings::default()).map_err(|error| error.to_string())?;
    let text = |value: mlua::Value| value.as_string().map(|text| text.to_string_lossy());
    let mut globals = BTreeMap::from([("_G".to_owned(), BTreeSet::new())]);
    for pair in vm.globals().pairs::<mlua::Value, mlua::Value>() {
        let (name, value) = pair.map_err(|error| error.to_string())?;
        let Some(name) = text(name) else { continue };
        let mut members = BTreeSet::new();
        if let mlua::Value::Table(library) = value {
            let keys = library.pairs::<mlua::Value, mlua::Value>().filter_map(Result::ok);
            members.extend(keys.filter_map(|(key, _)| text(key)));
        }
        if name == "math" {
            // Each file has a stream of its own, so these are given to it when it is loaded.
            members.extend(["random".to_owned(), "randomseed".to_owned()]);
        }
        globals.insert(name, members);
    }
    Ok(globals)
}

/// What a behaviour says of its parameters.
#[derive(Clone, Debug)]
pub struct Declared(Params);

impl Declared {
    /// From the table of declarations, as data.
    ///
    /// # Errors
    /// A sentence about the first mistake.
    pub fn read(table: &Plain) -> Result<Self, String> {
        let lua = mlua::Lua::new();
        let value = payload::write(&lua, table).map_err(|error| error.to_string())?;
        params::declare(&lua, &value).map(Self)
    }

    /// What is wrong with the parameters of a level: the parameter, and a sentence. Names of things in a
    /// level are not looked up.
    #[must_use]
    pub fn mistakes(&self, given: &BTreeMap<String, Plain>) -> Vec<(String, String)> {
        let mut mistakes = Vec::new();
        let mut look = |name: &str, value: Option<&Plain>| {
            let own = self.0.get_key_value(name).map(|(name, param)| (name.clone(), param.clone()));
            let key = |value: &Plain| (PlainKey::Name(name.to_owned()), value.clone());
            let given = Plain::Map(value.map(key).into_iter().collect_map());
            // An unknown name is judged among all names, for the suggestion; the others each by itself.
            let declared: Params = match own {
                Some(own) => [own].into(),
                None => self.0.iter().map(|(name, param)| (name.clone(), param.clone())).collect_map(),
            };
            if let Err(sentence) = params::fill(&declared, &given, None) {
                mistakes.push((name.to_owned(), sentence));
            }
        };
        given.iter().for_each(|(name, value)| look(name, Some(value)));
        self.0.keys().filter(|name| !given.contains_key(*name)).for_each(|name| look(name, None));
        mistakes
    }

    /// The names of all parameters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Parameters that name something of a level: the parameter, and `door` or the like.
    pub fn references(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.0.iter().filter_map(|(name, param)| Some((name.as_str(), param.reference()?)))
    }
}

/// `2: expected ...` into its line and its sentence.
fn mistake(path: &str, error: &mlua::Error) -> CallFailure {
    let text = match error {
        mlua::Error::SyntaxError { message, .. } => message.clone(),
        other => other.to_string(),
    };
    let numbered = text.trim_start_matches(':').split_once(':');
    let numbered =
        numbered.and_then(|(line, sentence)| Some((line.trim().parse().ok()?, sentence.trim().to_owned())));
    let (line, message) = numbered.unwrap_or((0, text));
    CallFailure { kind: FaultKind::Error, message, traceback: String::new(), file: path.to_owned(), line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_of_syntax_is_named_with_its_line_and_nothing_runs() {
        assert_eq!(syntax("a.lua", "while true do end"), Ok(()));
        assert_eq!(syntax("a.lua", "error('never')"), Ok(()));
        let failure = syntax("a.lua", "local a = 1\nlocal = 2\n").unwrap_err();
        assert_eq!((failure.line, failure.file.as_str()), (2, "a.lua"), "{failure:?}");
        for text in ["function a()\n  b()", "function a()\n  b()\n", "function a()\n  b()\n\n \n"] {
            let failure = syntax("a.lua", text).unwrap_err();
            assert_eq!(failure.line, 2, "{text:?} {failure:?}");
            assert!(failure.message.contains(AT_END), "{failure:?}");
        }
        assert!(!failure.message.is_empty() && !failure.message.contains(":2:"), "{}", failure.message);
    }
}
