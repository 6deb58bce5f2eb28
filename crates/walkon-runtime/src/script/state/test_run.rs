//! The level test that runs in this VM: what it collected, asked, answered, expected.
//!
//! In: what steps and bindings note. Out: how far it is. Not here: its turns (`step::testing`), what test
//! files declare (`step::testing::declared`).

use std::collections::{BTreeMap, BTreeSet};

use mlua::{Function, Table};

use crate::base::hash::StateHash;
use crate::base::time::TickNumber;
use crate::base::value::Plain;
use crate::script::state::waits::WaitResult;
use crate::world::owner::Owner;

/// An answer, and where in the test it was given.
#[derive(Debug)]
pub(crate) struct GivenAnswer {
    pub(crate) option: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) is_asked: bool,
}

/// The answers of a test.
#[derive(Debug, Default)]
pub(crate) struct TestAnswers {
    /// By id of the choice.
    pub(crate) given: BTreeMap<String, GivenAnswer>,
    /// Every choice that was asked.
    pub(crate) asked: BTreeSet<String>,
}

impl TestAnswers {
    /// The bytes that it takes.
    fn kept_bytes(&self) -> usize {
        let given = |(choice, given): (&String, &GivenAnswer)| {
            let texts = choice.len() + given.option.len() + given.file.len();
            texts + size_of::<String>() + size_of::<GivenAnswer>()
        };
        let asked = self.asked.iter().map(|choice| choice.len() + size_of::<String>());
        self.given.iter().map(given).chain(asked).sum()
    }

    /// Mixes in what can change the future.
    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        for (choice, given) in &self.given {
            hash.text(choice).text(&given.option).flag(given.is_asked);
        }
    }
}

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

/// What became of the last reload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReloadReport {
    /// Whether it took effect.
    pub ok: bool,
    /// Why not.
    pub message: Option<String>,
    /// The files that were given.
    pub files: Vec<String>,
    /// When.
    pub tick: TickNumber,
}

/// An expectation that failed, or an error that ended the test, and where in the test that was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestFailure {
    /// The expected value and the value that was there instead.
    pub message: String,
    /// The test's file, or the script's where the test had no part in it.
    pub file: String,
    /// The line in it, from 1; 0 when it is not known.
    pub line: u32,
}

/// How far the test of a level is.
#[derive(Clone, Debug, PartialEq)]
pub enum TestState {
    /// It goes on.
    Running,
    /// Its function returned this, plain; an error says that what it returned is not plain data.
    Returned(Result<Option<Plain>, String>),
    /// An expectation failed.
    Failed(TestFailure),
    /// An error ended its function.
    Broken(TestFailure),
}

/// What a test asks of the host; joined to the host's own inputs before the next tick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostRequest {
    /// Names and payloads of inputs, in order.
    pub inputs: Vec<(String, Option<Plain>)>,
    /// Choices and their answers, in order.
    pub answers: Vec<(String, String)>,
    /// Changed texts of scripts by path.
    pub reload: BTreeMap<String, Option<String>>,
}

impl HostRequest {
    /// The bytes of the data in it that a script has made.
    fn kept_bytes(&self) -> usize {
        let input = |(name, payload): &(String, Option<Plain>)| {
            name.len() + size_of::<(String, Option<Plain>)>() + payload.as_ref().map_or(0, Plain::bytes)
        };
        let answers = self.answers.iter().map(|(choice, option)| Self::answer_bytes(choice, option));
        self.inputs.iter().map(input).chain(answers).sum()
    }

    /// The bytes that an answer takes on its way to the host.
    pub(crate) fn answer_bytes(choice: &str, option: &str) -> usize {
        choice.len() + option.len() + 2 * size_of::<String>()
    }

    /// Whether nothing was asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.answers.is_empty() && self.reload.is_empty()
    }
}

/// Functions of `t:always` that a test may have.
pub(crate) const ALWAYS_MAX: usize = 256;

/// The test that runs in this VM.
#[derive(Debug)]
pub(crate) struct TestRun {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) function: Function,
    pub(crate) variant: Option<String>,
    /// Owner and task, once the level has started.
    pub(crate) own: Option<(Owner, u64)>,
    pub(crate) has_begun: bool,
    /// Whether its turn has come: until then everything that would resume it is held back.
    pub(crate) is_last: bool,
    pub(crate) wakes: bool,
    pub(crate) held: Option<(u64, WaitResult)>,
    pub(crate) always: Vec<Function>,
    /// While `t:eventually` tries: the expectation that failed meanwhile.
    pub(crate) trial: Option<Option<TestFailure>>,
    /// What failed in the last try.
    pub(crate) last_try: Option<TestFailure>,
    pub(crate) failure: Option<TestFailure>,
    pub(crate) end: Option<TestState>,
    pub(crate) faults: Vec<Plain>,
    /// Expectations made so far: their numbers.
    pub(crate) expectations: u64,
    /// Those of which nothing was expected yet, each with its place.
    pub(crate) bare: BTreeMap<u64, (String, u32)>,
    pub(crate) asked: HostRequest,
    pub(crate) answers: TestAnswers,
    pub(crate) saving: TestSaving,
}

/// Save games that the test asks for, between two ticks, and what became of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestSaving {
    /// Whether the level is to be saved.
    pub asks: bool,
    /// What is to be loaded.
    pub to_load: Option<Vec<u8>>,
    /// The save game, or why there is none.
    pub saved: Option<Result<Vec<u8>, String>>,
    /// Whether it was loaded, or why not.
    pub loaded: Option<Result<(), String>>,
}

/// What this VM knows of tests. Part of its app data.
#[derive(Debug, Default)]
pub(crate) struct Testing {
    pub(crate) collected: Vec<Collected>,
    /// Names of the levels that tests may name; any name is taken while they are not known.
    pub(crate) levels: Option<Vec<String>>,
    /// What became of the reload of this tick.
    pub(crate) reloaded: Option<ReloadReport>,
    /// Environments of replaced files, which this does not keep alive.
    pub(crate) replaced: Option<Table>,
    pub(crate) run: Option<TestRun>,
}

impl Testing {
    /// The bytes of the data that the test has made for the host to keep.
    pub(crate) fn kept_bytes(&self) -> usize {
        self.run.as_ref().map_or(0, |run| run.answers.kept_bytes() + run.asked.kept_bytes())
    }
}
