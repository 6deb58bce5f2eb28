//! What a test file declares, and how it is found out without running a level.
//!
//! In: script texts, the name of a test file, names of levels. Out: its tests in order, each with its
//! options. Holds: the body of a test file runs without a world, on the load budget. Not here: `test.level`
//! itself (`bind::test`).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::suggestions;
use crate::script::host::{self, StartError};
use crate::script::state::test_run::TestDef;
use crate::script::step::testing;
use crate::script::vm::files::ScriptTexts;
use crate::script::vm::fuel::Signals;
use crate::script::vm::{ScriptVm, VmError, VmSettings};
use crate::world::settings::Settings;

/// Whether a file of that name holds tests.
#[must_use]
pub fn is_test_file(path: &str) -> bool {
    path.ends_with("_test.lua") || path.ends_with("_test.luau")
}

/// The tests of a file, in order. Its body runs in a VM of its own that knows no world. `levels` are the
/// names that tests may name, below the level folders and without suffix.
///
/// # Errors
/// When the file does not compile or its body fails.
pub fn collect(
    texts: &BTreeMap<String, String>,
    file: &str,
    levels: &[String],
    signals: Arc<Signals>,
) -> Result<Vec<TestDef>, StartError> {
    let vm = ScriptVm::new(VmSettings { signals, ..VmSettings::default() })?;
    host::prepare(&vm, &Settings::default(), &[]).map_err(VmError::from)?;
    vm.set_texts(ScriptTexts::new(texts.clone())?);
    testing::with(vm.lua(), |testing| testing.levels = Some(levels.to_vec()));
    vm.load(file).map_err(|failure| StartError::Load(Box::new(failure)))?;
    let found =
        testing::with(vm.lua(), |testing| testing.collected.drain(..).map(|found| found.def).collect());
    Ok(found.unwrap_or_default())
}

/// The level that `asked` means: its path below the level folders with or without suffix, or its stem while
/// that is unique.
///
/// # Errors
/// The end of a sentence: `unknown level "cript"; did you mean "crypt"?`.
pub fn resolve_level<'a>(levels: &'a [String], asked: &str) -> Result<&'a str, String> {
    let name = asked.strip_suffix(".json").unwrap_or(asked);
    let stem = |level: &str| level.rsplit('/').next().unwrap_or_default().to_owned();
    if let Some(exact) = levels.iter().find(|level| *level == name) {
        return Ok(exact);
    }
    let found: Vec<&String> = levels.iter().filter(|level| stem(level) == name).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let known = levels.iter().map(String::as_str);
            let hint =
                suggestions::did_you_mean(name, known).map_or_else(String::new, |hint| format!("; {hint}"));
            Err(format!("unknown level \"{asked}\"{hint}"))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
            Err(format!("\"{asked}\" is the name of {}; write one of them", names.join(" and ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_found_by_path_or_by_a_stem_that_is_unique() {
        let levels = ["crypt", "deep/crypt2", "a/hall", "b/hall"].map(str::to_owned);
        let cases = [
            ("crypt", Ok("crypt")),
            ("crypt.json", Ok("crypt")),
            ("crypt2", Ok("deep/crypt2")),
            ("a/hall", Ok("a/hall")),
            ("hall", Err("\"hall\" is the name of a/hall and b/hall; write one of them".to_owned())),
            ("cript", Err("unknown level \"cript\"; did you mean \"crypt\"?".to_owned())),
        ];
        for (asked, expected) in cases {
            assert_eq!(resolve_level(&levels, asked), expected, "{asked}");
        }
    }
}
