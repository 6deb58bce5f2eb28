//! What a test file declares, and how it is found out without running a level.
//!
//! In: script texts, the name of a test file, names of levels. Out: its tests in order, each with its
//! options. Holds: the body of a test file runs without a world, on the load budget. Not here: `test.level`
//! itself (`bind::test`).

use std::collections::BTreeMap;
use std::sync::Arc;

use mlua::Function;

use crate::base::suggestions;
use crate::script::host::{self, StartError};
use crate::script::step::testing;
use crate::script::vm::files::ScriptTexts;
use crate::script::vm::fuel::Signals;
use crate::script::vm::{ScriptVm, VmError, VmSettings};
use crate::world::settings::Settings;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestOutcome {
    /// Its function returned and nothing failed.
    Pass,
    /// An expectation failed, or variants differ.
    Fail,
    /// `maxTicks` was reached.
    Timeout,
    /// A script faulted.
    Fault,
    /// The two runs differ.
    Mismatch,
    /// The level, a script or the test itself could not be loaded.
    Invalid,
}

impl TestOutcome {
    /// Every outcome, with the word that scripts and results use.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("pass", Self::Pass),
        ("fail", Self::Fail),
        ("timeout", Self::Timeout),
        ("fault", Self::Fault),
        ("mismatch", Self::Mismatch),
        ("invalid", Self::Invalid),
    ];

    /// The word that scripts and results use.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, outcome)| *outcome == self).map_or("", |(name, _)| name)
    }
}

/// The second argument of `test.level`, defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestOptions {
    /// Name of the level.
    pub level: String,
    /// Seed of the run; the level's own when none is given.
    pub seed: Option<u64>,
    /// Run for the seeds 1 to n.
    pub seeds: Option<u64>,
    /// Ticks after which it is a timeout.
    pub ticks_max: u64,
    /// The outcome that counts as passed.
    pub expect: TestOutcome,
    /// Whether faults of scripts are allowed.
    pub allows_faults: bool,
    /// Run once for each of these.
    pub variants: Vec<String>,
    /// `level.args`.
    pub args: Vec<String>,
}

/// One test of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestDef {
    /// Its name.
    pub name: String,
    /// Its file, below the script folders.
    pub file: String,
    /// The line of `test.level`.
    pub line: u32,
    /// Its options.
    pub options: TestOptions,
}

/// A test and its function, in the VM in which its file was loaded.
#[derive(Debug)]
pub(crate) struct Collected {
    pub(crate) def: TestDef,
    pub(crate) function: Function,
}

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
