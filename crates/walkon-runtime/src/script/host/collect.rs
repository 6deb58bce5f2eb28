//! Collects the tests of a file without running a level.
//!
//! In: script texts, the name of a test file, names of levels. Out: its tests in order, each with its
//! options. Holds: the body of a test file runs without a world, on the load budget. Not here: `test.level`
//! itself (`bind::test`), running a test (`game::testing`).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::script::host::{self, StartError};
use crate::script::state::test_run::TestDef;
use crate::script::step::testing;
use crate::script::vm::files::ScriptTexts;
use crate::script::vm::fuel::Signals;
use crate::script::vm::{ScriptVm, VmError, VmSettings};
use crate::world::settings::Settings;

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
    host::prepare(&vm, &Settings::default(), &[]).map_err(VmError::setup)?;
    vm.set_texts(ScriptTexts::new(texts.clone())?);
    testing::with(vm.lua(), |testing| testing.levels = Some(levels.to_vec()));
    vm.load(file).map_err(|failure| StartError::Load(Box::new(failure)))?;
    let found =
        testing::with(vm.lua(), |testing| testing.collected.drain(..).map(|found| found.def).collect());
    Ok(found.unwrap_or_default())
}
