//! Level tests: runs one test from tick 0 to its end, twice side by side.
//!
//! In: a test, the texts of the scripts, a loader of levels. Out: how it ended, where, at which tick; for a
//! failure the last events and a text map of that moment. Holds: each run has a VM and a world of its own;
//! the hashes of every tick are compared, and the ends; both VMs live at the same time, so nothing has the
//! same address in both. Not here: files, clocks, threads, printing (`shell`).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::base::value::Plain;
use crate::game::recorder::{RecordOptions, Recorder};
use crate::game::tick::Tick;
use crate::game::{Game, Setup};
use crate::level::Level;
use crate::script::debug::Debugger;
pub use crate::script::host::collect::collect;
use crate::script::state::profile::{Profile, ProfileSetup};
pub use crate::script::state::test_run::TestDef;
pub use crate::script::state::test_run::TestOptions;
pub use crate::script::state::test_run::TestOutcome;
pub use crate::script::state::test_run::{TestFailure, TestState};
pub use crate::script::step::testing::declared::{is_test_file, resolve_level};
use crate::script::step::testing::values_are_equal;
use crate::script::vm::fuel::Signals;
use crate::view::{Picture, ascii, draw_nav, draw_world};
use crate::world::World;
use crate::world::state_hash::WorldHash;

/// Events that a failure shows.
const EVENTS_SHOWN: usize = 12;
/// Columns of its text map.
const COLUMNS: u32 = 100;

/// Loads the level of a name, or says why it cannot.
pub type LoadLevel<'a> = &'a mut dyn FnMut(&str) -> Result<Level, String>;

/// What tests are run with.
pub struct Suite<'a> {
    /// Script texts by path below the script folders, with suffix.
    pub scripts: &'a BTreeMap<String, String>,
    /// Loads levels by name.
    pub load_level: LoadLevel<'a>,
    /// Flags by which a shell ends a script's call.
    pub signals: Arc<Signals>,
    /// The debugger of the first of the two runs of each test, if there is one.
    pub debugger: Option<Debugger>,
    /// The cost of the scripts of all tests, if it is asked for.
    pub profile: Option<SuiteProfile>,
    /// Asked between ticks; false ends everything.
    pub goes_on: &'a mut dyn FnMut() -> bool,
}

/// What the scripts of tests cost, in one of the two runs of each.
#[derive(Clone, Debug, Default)]
pub struct SuiteProfile {
    /// Safepoints between two looks at the stack.
    pub sample_every: u32,
    /// The sum so far.
    pub sum: Profile,
}

/// The result of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestResult {
    /// Its name.
    pub name: String,
    /// Its file, below the script folders.
    pub file: String,
    /// The line of `test.level`, or where it failed.
    pub line: u32,
    /// How it ended.
    pub outcome: TestOutcome,
    /// Whether that was expected.
    pub passed: bool,
    /// The variant that did not end as expected.
    pub variant: Option<String>,
    /// The seed of the last run; of several, the first with which it did not end as expected.
    pub seed: u64,
    /// The tick in which it ended.
    pub tick: u64,
    /// What is to be said of the end; none for a plain pass.
    pub message: Option<String>,
    /// The last events, readable, and a text map of the moment.
    pub scene: Option<FailureContext>,
}

/// What stood and happened around a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureContext {
    /// The last events, oldest first.
    pub events: Vec<String>,
    /// A map of the level in text.
    pub map: String,
}

/// How one pair of runs ended.
struct PairEnd {
    outcome: TestOutcome,
    tick: u64,
    seed: u64,
    message: Option<String>,
    place: Option<(String, u32)>,
    value: Option<Plain>,
    scene: Option<FailureContext>,
}

impl PairEnd {
    fn invalid(seed: u64, message: String) -> Self {
        let outcome = TestOutcome::Invalid;
        Self { outcome, tick: 0, seed, message: Some(message), place: None, value: None, scene: None }
    }
}

/// A test that could not even be declared: its file does not load.
#[must_use]
pub fn invalid(file: &str, line: u32, message: String) -> TestResult {
    TestResult {
        name: file.to_owned(),
        file: file.to_owned(),
        line,
        outcome: TestOutcome::Invalid,
        passed: false,
        variant: None,
        seed: 0,
        tick: 0,
        message: Some(message),
        scene: None,
    }
}

/// The seeds that a test is run with, in order; `asked` stands for all that it says itself, and None for the
/// seed of its level.
pub fn seeds(test: &TestDef, asked: Option<u64>) -> impl Iterator<Item = Option<u64>> + use<> {
    let (several, single) = match (asked, test.options.seeds) {
        (Some(seed), _) => (None, Some(Some(seed))),
        (None, Some(count)) => (Some(1..=count), None),
        (None, None) => (None, Some(test.options.seed)),
    };
    several.into_iter().flatten().map(Some).chain(single)
}

/// Runs a test, the one at `index` of its file, for these seeds and all its variants, up to the first run
/// that does not end as expected. None when it was told to stop.
pub fn run(
    suite: &mut Suite<'_>,
    test: &TestDef,
    index: usize,
    seeds: impl IntoIterator<Item = Option<u64>>,
) -> Option<TestResult> {
    let variants: Vec<Option<&String>> = match test.options.variants.as_slice() {
        [] => vec![None],
        several => several.iter().map(Some).collect(),
    };
    let mut last = None;
    for seed in seeds {
        let mut first: Option<(&String, Option<Plain>)> = None;
        let (mut passing, mut has_differed) = (None, false);
        for &variant in &variants {
            let case = TestCase { index, seed, variant };
            let mut ended = run_pair(suite, test, case)?;
            if let Some(variant) = variant
                && ended.outcome == TestOutcome::Pass
            {
                let value = ended.value.take();
                match &first {
                    None => first = Some((variant, value)),
                    Some((other, expected)) => {
                        differ(&mut ended, other, expected.as_ref(), value.as_ref());
                        has_differed |= ended.outcome == TestOutcome::Fail;
                    }
                }
            }
            if ended.outcome == test.options.expect {
                last = Some(ended);
            } else if test.options.expect == TestOutcome::Fail && ended.outcome == TestOutcome::Pass {
                // That another variant comes to something else is a failure, too.
                passing.get_or_insert((ended, variant));
            } else {
                return Some(result(test, ended, variant));
            }
        }
        if let Some((ended, variant)) = passing.filter(|_| !has_differed) {
            return Some(result(test, ended, variant));
        }
    }
    last.map(|ended| result(test, ended, None))
}

/// Fails a run whose result is not that of another variant.
fn differ(ended: &mut PairEnd, other: &str, expected: Option<&Plain>, value: Option<&Plain>) {
    let path = match (expected, value) {
        (Some(expected), Some(value)) => values_are_equal(expected, value).err(),
        (None, None) => None,
        _ => Some(String::new()),
    };
    let Some(path) = path else { return };
    ended.outcome = TestOutcome::Fail;
    let at = if path.is_empty() { String::new() } else { format!(" at {path}") };
    let shown =
        |value: Option<&Plain>| value.map_or("nothing".to_owned(), crate::script::step::testing::plain_shown);
    ended.message = Some(format!(
        "variants differ{at}: \"{other}\" returned {}, this one {}",
        shown(expected),
        shown(value)
    ));
}

fn result(test: &TestDef, ended: PairEnd, variant: Option<&String>) -> TestResult {
    let passed = ended.outcome == test.options.expect;
    let mut message = ended.message;
    if !passed && test.options.expect != TestOutcome::Pass {
        let expected = format!("expected {}, got {}", test.options.expect.name(), ended.outcome.name());
        message = Some(message.map_or(expected.clone(), |message| format!("{expected}: {message}")));
    }
    let (file, line) = match (passed, ended.place) {
        (false, Some((file, line))) if line > 0 => (file, line),
        _ => (test.file.clone(), test.line),
    };
    // The message of a failure in another file names its place.
    if file != test.file {
        message = message.map(|message| {
            if message.starts_with(&file) { message } else { format!("{file}:{line}: {message}") }
        });
    }
    TestResult {
        name: test.name.clone(),
        line: if file == test.file { line } else { test.line },
        file: test.file.clone(),
        outcome: ended.outcome,
        passed,
        variant: variant.cloned(),
        seed: ended.seed,
        tick: ended.tick,
        message,
        scene: if passed { None } else { ended.scene },
    }
}

/// One of the runs that a test asks for.
#[derive(Clone, Copy)]
struct TestCase<'a> {
    /// Its place among the tests of its file.
    index: usize,
    /// The level's own when none is given.
    seed: Option<u64>,
    variant: Option<&'a String>,
}

/// The two runs of a case, which have to be the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CaseRun {
    /// Its last events are kept in case it fails, and a debugger sees it, if there is one.
    First,
    /// It is only compared.
    Second,
}

/// Runs a test twice side by side. None when it was told to stop.
fn run_pair(suite: &mut Suite<'_>, test: &TestDef, case: TestCase<'_>) -> Option<PairEnd> {
    let seed = case.seed;
    let level = match (suite.load_level)(&test.options.level) {
        Ok(level) => level,
        Err(why) => return Some(PairEnd::invalid(seed.unwrap_or(0), why)),
    };
    let seed_shown = seed.unwrap_or(level.def.seed);
    let begin = |level: Level, turn| RunSide::begin(suite, test, level, case, turn);
    let sides =
        begin(level.clone(), CaseRun::First).and_then(|one| Ok((one, begin(level, CaseRun::Second)?)));
    let (mut one, mut other) = match sides {
        Ok(sides) => sides,
        Err(why) => return Some(PairEnd::invalid(seed_shown, why)),
    };
    // Bounded by `ticks_max`.
    loop {
        if let Some(ended) = difference(&one, &other) {
            return Some(ended);
        }
        if let Some(ended) = one.verdict(test) {
            if let (Some(profile), Some(of_run)) = (&mut suite.profile, one.game.profile()) {
                profile.sum.add(&of_run);
            }
            return Some(finish(one, other, test, ended));
        }
        if !(suite.goes_on)() {
            return None;
        }
        one.tick();
        other.tick();
    }
}

/// The first tick after which the two runs are not alike.
fn difference(one: &RunSide, other: &RunSide) -> Option<PairEnd> {
    // A clock has ended a call: that says nothing about the scripts.
    if let Some(disturbed) = [one, other].into_iter().find(|side| !side.game.is_reproducible()) {
        return Some(disturbed.faulted());
    }
    let what = if one.fingerprint != other.fingerprint {
        parts(one.fingerprint, other.fingerprint)
    } else if one.state() != other.state() {
        "the result of the test itself".to_owned()
    } else {
        return None;
    };
    let message = format!("the two runs differ first after tick {}: in {what}", one.tick_number());
    Some(PairEnd {
        outcome: TestOutcome::Mismatch,
        tick: one.tick_number(),
        seed: one.seed(),
        message: Some(message),
        place: None,
        value: None,
        scene: Some(one.scene()),
    })
}

/// The parts of the state that differ.
fn parts(one: WorldHash, other: WorldHash) -> String {
    let parts = [
        ("characters", one.characters, other.characters),
        ("walks", one.walks, other.walks),
        ("doors", one.doors, other.doors),
        ("map", one.map, other.map),
        ("random", one.random, other.random),
        ("scripts", one.scripts, other.scripts),
    ];
    let differing: Vec<&str> =
        parts.iter().filter(|(_, one, other)| one != other).map(|(name, ..)| *name).collect();
    differing.join(", ")
}

/// Ends both levels: their last events count as well.
fn finish(mut one: RunSide, mut other: RunSide, test: &TestDef, ended: PairEnd) -> PairEnd {
    let faults = one.game.fault_count();
    one.end();
    other.end();
    if let Some(differs) = difference(&one, &other) {
        return differs;
    }
    if ended.outcome == TestOutcome::Pass && !test.options.allows_faults && one.game.fault_count() > faults {
        return one.faulted();
    }
    ended
}

/// One of the two runs.
struct RunSide {
    game: Game,
    /// As it was loaded, for save games.
    level: Level,
    /// Ticks that were run, those before a load among them.
    ticks: u64,
    fingerprint: WorldHash,
    events: VecDeque<String>,
    /// What the first fault was.
    fault: Option<(String, String, u32)>,
}

impl RunSide {
    fn begin(
        suite: &Suite<'_>,
        test: &TestDef,
        level: Level,
        case: TestCase<'_>,
        turn: CaseRun,
    ) -> Result<Self, String> {
        let is_first = turn == CaseRun::First;
        let sample_every = suite.profile.as_ref().map_or(0, |profile| profile.sample_every);
        let setup = Setup {
            scripts: suite.scripts.clone(),
            seed: case.seed,
            args: test.options.args.clone(),
            recorder: Recorder::new(RecordOptions { sentences: is_first, ..RecordOptions::default() }),
            signals: Arc::clone(&suite.signals),
            debugger: suite.debugger.clone().filter(|_| is_first),
            // Fuel by call, for expectations of tests.
            profile: Some(ProfileSetup { sample_every, ..ProfileSetup::default() }),
            ..Setup::default()
        };
        let (world, mut scripts, recorder, origin) =
            Game::parts(level.clone(), setup).map_err(|error| error.to_string())?;
        scripts.set_test(&test.file, case.index, case.variant.cloned()).map_err(|error| error.to_string())?;
        let game = Game::with_scripts(world, scripts, recorder).map_err(|error| error.to_string())?;
        let game = game.of_level(origin);
        let fingerprint = game.fingerprint();
        let mut side = Self { game, level, ticks: 0, fingerprint, events: VecDeque::new(), fault: None };
        let start = side.game.start_facts();
        side.take(start);
        Ok(side)
    }

    fn tick(&mut self) {
        self.game.serve_test(&self.level);
        self.ticks += 1;
        let recorded = self.game.tick(&[]);
        self.fingerprint = self.game.fingerprint();
        self.take(recorded);
    }

    fn end(&mut self) {
        let recorded = self.game.end();
        self.fingerprint = self.game.fingerprint();
        self.take(recorded);
    }

    fn take(&mut self, recorded: Tick) {
        let world = self.game.world();
        let seconds = world.rate().seconds(world.tick());
        for sentence in &recorded.sentences {
            if self.events.len() == EVENTS_SHOWN {
                self.events.pop_front();
            }
            self.events.push_back(format!("{seconds:8.2} s  {sentence}"));
        }
        if let (None, Some(fault)) = (&self.fault, recorded.faults().next()) {
            let message = format!("{} ({} {})", fault.message, fault.owner, fault.callback);
            self.fault = Some((message, fault.file.clone(), fault.line));
        }
    }

    fn tick_number(&self) -> u64 {
        self.game.world().tick().0
    }

    fn seed(&self) -> u64 {
        self.game.world().seed()
    }

    fn state(&self) -> TestState {
        self.game.test_state()
    }

    fn scene(&self) -> FailureContext {
        FailureContext { events: self.events.iter().cloned().collect(), map: map_of(self.game.world()) }
    }

    fn ended(&self, outcome: TestOutcome, message: Option<String>, place: Option<(String, u32)>) -> PairEnd {
        let scene = (outcome != TestOutcome::Pass).then(|| self.scene());
        PairEnd { outcome, tick: self.tick_number(), seed: self.seed(), message, place, value: None, scene }
    }

    fn faulted(&self) -> PairEnd {
        let (message, file, line) = self.fault.clone().unwrap_or_default();
        self.ended(TestOutcome::Fault, Some(message), Some((file, line)))
    }

    /// How the test has ended, if it has.
    fn verdict(&self, test: &TestDef) -> Option<PairEnd> {
        let of = |failure: TestFailure| (failure.message, Some((failure.file, failure.line)));
        match self.state() {
            TestState::Failed(failure) => {
                let (message, place) = of(failure);
                Some(self.ended(TestOutcome::Fail, Some(message), place))
            }
            TestState::Broken(failure) => {
                let (message, place) = of(failure);
                Some(self.ended(TestOutcome::Fault, Some(message), place))
            }
            _ if self.game.fault_count() > 0 && !test.options.allows_faults => Some(self.faulted()),
            // What scripts keep fills the memory of the level: it cannot go on.
            _ if self.game.is_memory_exhausted() => Some(self.faulted()),
            TestState::Returned(Err(message)) if !test.options.variants.is_empty() => {
                Some(self.ended(TestOutcome::Fail, Some(message), None))
            }
            TestState::Returned(value) => {
                Some(PairEnd { value: value.ok().flatten(), ..self.ended(TestOutcome::Pass, None, None) })
            }
            TestState::Running if self.ticks >= test.options.ticks_max => {
                let message = format!("still running after maxTicks = {}", test.options.ticks_max);
                Some(self.ended(TestOutcome::Timeout, Some(message), None))
            }
            TestState::Running => None,
        }
    }
}

/// The level as it stands, in text.
fn map_of(world: &World) -> String {
    let (tick, seconds) = (world.tick().0, world.rate().seconds(world.tick()));
    let title = format!("{}  tick {tick} ({seconds:.2} s)", world.level_name());
    let mut picture = Picture::of_map(title, world.nav().bounds(), world.nav());
    draw_nav(&mut picture, world);
    draw_world(&mut picture, world);
    ascii::render(&picture, COLUMNS)
}
