//! Level tests: the expectations and the result of the one test that runs in this VM.
//!
//! In: what the test expects and asks of the host. Out: whether it is over and how. Holds: the first
//! expectation that fails is kept, even when a script catches its error. Not here: the turns of the test
//! (`turns`), running tests (`game::testing`), the functions of the test (`bind::test`).

pub(crate) mod answers;
pub mod declared;
pub(crate) mod turns;
pub(crate) mod values;

use mlua::{Lua, Value};

use crate::base::hash::StateHash;
use crate::base::value::Plain;
use crate::script::state::test_run::{
    Collected, HostRequest, TestAnswers, TestFailure, TestRun, TestSaving, TestState, Testing,
};
use crate::script::state::waits::WaitResult;
use crate::script::vm::convert::Argument;
use crate::script::vm::fault::{self, CallFailure};
use crate::script::vm::handles::{HandleKind, Thing};
use crate::script::vm::shown_names::{shorten, suggestion};
use crate::script::vm::{payload, store};
use crate::world::World;
use crate::world::owner::Owner;

pub use values::{plain_equal as values_are_equal, plain_shown};

/// The test as scripts hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestId(pub u64);

impl Thing for TestId {
    const KIND: HandleKind = HandleKind::Test;
    const VARIABLE: &'static str = "t";
    fn bits(self) -> u64 {
        self.0
    }
    fn show(self, _: &World) -> String {
        "test".to_owned()
    }
}

/// A value that something is expected of, as scripts hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectationId(pub u64);

impl Thing for ExpectationId {
    const KIND: HandleKind = HandleKind::Expectation;
    const VARIABLE: &'static str = "t:expect(value)";
    fn bits(self) -> u64 {
        self.0
    }
    fn show(self, _: &World) -> String {
        "expectation".to_owned()
    }
}

/// Gives the VM its place for tests. Called once, at setup.
pub(crate) fn install(lua: &Lua) {
    lua.set_app_data(Testing::default());
}

/// Looks at what the VM knows of tests. No Lua may run meanwhile.
pub(crate) fn with<R>(lua: &Lua, look: impl FnOnce(&mut Testing) -> R) -> Option<R> {
    lua.app_data_mut::<Testing>().as_deref_mut().map(look)
}

/// Looks at the test that runs, if one does.
pub(crate) fn with_run<R>(lua: &Lua, look: impl FnOnce(&mut TestRun) -> R) -> Option<R> {
    with(lua, |testing| testing.run.as_mut().map(look)).flatten()
}

/// Makes the test at `index` of those of `file` the one that runs in this VM; false when there is none.
pub(crate) fn choose(lua: &Lua, file: &str, index: usize, variant: Option<String>) -> bool {
    let chosen = with(lua, |testing| {
        let Collected { def, function } =
            testing.collected.drain(..).filter(|found| found.def.file == file).nth(index)?;
        testing.run = Some(TestRun {
            name: def.name,
            file: def.file,
            function,
            variant,
            own: None,
            has_begun: false,
            is_last: false,
            wakes: false,
            held: None,
            always: Vec::new(),
            trial: None,
            last_try: None,
            failure: None,
            end: None,
            faults: Vec::new(),
            expectations: 0,
            bare: std::collections::BTreeMap::new(),
            asked: HostRequest::default(),
            answers: TestAnswers::default(),
            saving: TestSaving::default(),
        });
        Some(())
    });
    chosen.flatten().is_some()
}

/// The task of the test.
pub(crate) fn task_of(lua: &Lua) -> Option<u64> {
    with_run(lua, |run| run.own.map(|(_, task)| task)).flatten()
}

pub(crate) fn owner_of(lua: &Lua) -> Option<Owner> {
    with_run(lua, |run| run.own.map(|(owner, _)| owner)).flatten()
}

/// Step 3: whether `id` is the test, which runs later.
pub(crate) fn wakes_later(lua: &Lua, id: u64) -> bool {
    if !store::with(lua, |runtime| runtime.has_test) {
        return false;
    }
    let later = with_run(lua, |run| {
        let is_test = run.own.is_some_and(|(_, task)| task == id);
        run.wakes |= is_test;
        is_test
    });
    later.unwrap_or(false)
}

/// Keeps what would resume task `id` when that is the test and its turn has not come; the answer, when it is
/// not. The first answer to its wait counts: the entries that a decided group ends are not news any more.
pub(crate) fn hold(lua: &Lua, id: u64, serial: u64, answer: WaitResult) -> Option<WaitResult> {
    if !store::with(lua, |runtime| runtime.has_test) {
        return Some(answer);
    }
    let is_early = with_run(lua, |run| run.own.is_some_and(|(_, task)| task == id) && !run.is_last);
    if is_early != Some(true) {
        return Some(answer);
    }
    let asked = store::with(lua, |runtime| runtime.tasks.pause_of(id).map(|(serial, _)| serial));
    with_run(lua, |run| {
        if run.held.is_none() && asked == Some(serial) {
            run.held = Some((serial, answer));
        }
    });
    None
}

/// Whether a test runs and has not ended.
pub(crate) fn is_running(lua: &Lua) -> bool {
    with_run(lua, |run| run.failure.is_none() && run.end.is_none()).unwrap_or(false)
}

/// Whether a test runs, or has returned, and nothing has failed.
pub(crate) fn holds_so_far(lua: &Lua) -> bool {
    let holds = |run: &mut TestRun| match run.end {
        None | Some(TestState::Returned(_)) => run.failure.is_none(),
        Some(_) => false,
    };
    with_run(lua, holds).unwrap_or(false)
}

/// How far the test is. Running when there is none.
pub(crate) fn state(lua: &Lua) -> TestState {
    let found = with_run(lua, |run| {
        if let Some(failure) = &run.failure {
            let mut failure = failure.clone();
            // An answer to a choice of another name may well be the reason.
            if let Some(unasked) = unasked(&run.answers)
                && unasked.message != failure.message
            {
                failure.message = format!("{}; {}", failure.message, unasked.message);
            }
            return Some(TestState::Failed(failure));
        }
        run.end.clone()
    });
    if let Some(Some(state)) = found {
        return state;
    }
    let gone =
        task_of(lua).is_some_and(|id| store::with(lua, |runtime| runtime.tasks.owner_of(id)).is_none());
    if gone {
        let file = with_run(lua, |run| run.file.clone()).unwrap_or_default();
        let message = "the task of the test was cancelled before its function returned".to_owned();
        return TestState::Broken(TestFailure { message, file, line: 0 });
    }
    TestState::Running
}

/// The function of the test has returned.
pub(crate) fn returned(lua: &Lua, value: Value) {
    let limit = store::with(lua, |runtime| runtime.limits.state_kib);
    let plain = if value.is_nil() {
        Ok(None)
    } else {
        let given = Argument::new("test.level", "the result", value);
        let read = payload::read(lua, &given, u32::try_from(limit).unwrap_or(u32::MAX));
        read.map(Some).map_err(|mistake| mistake.to_string())
    };
    with_run(lua, |run| {
        run.end = Some(TestState::Returned(plain));
        run.failure = run.failure.take().or_else(|| bare_expectation(run)).or_else(|| unasked(&run.answers));
    });
}

/// The first answer, by id of its choice, that nobody asked for.
fn unasked(answers: &TestAnswers) -> Option<TestFailure> {
    let (choice, given) = answers.given.iter().find(|(_, given)| !given.is_asked)?;
    let why = if answers.asked.contains(choice) {
        "; the choice was asked before, and not again".to_owned()
    } else {
        suggestion(choice, answers.asked.iter().map(String::as_str))
    };
    let message = format!("the answer to \"{}\" was never asked for{why}", shorten(choice));
    Some(TestFailure { message, file: given.file.clone(), line: given.line })
}

/// Values whose expectation is looked for at the end, at most: one is enough to fail a test.
const BARE_MAX: usize = 64;

/// A value was given of which something is to be expected; the number of that.
pub(crate) fn begin_expectation(lua: &Lua) -> u64 {
    let place = place_in_test(lua).unwrap_or_default();
    let number = with_run(lua, |run| {
        run.expectations += 1;
        if run.bare.len() < BARE_MAX {
            run.bare.insert(run.expectations, place);
        }
        run.expectations
    });
    number.unwrap_or(0)
}

/// Something is expected of a value.
pub(crate) fn note_expected(lua: &Lua, number: u64) {
    with_run(lua, |run| run.bare.remove(&number));
}

/// The first value of which nothing was expected: a line that could not fail, as a failure.
fn bare_expectation(run: &TestRun) -> Option<TestFailure> {
    let (_, (file, line)) = run.bare.first_key_value()?;
    let message =
        "expect: nothing is expected of the value; go on with a check, as in t:expect(value):toBe(true)";
    Some(TestFailure { message: message.to_owned(), file: file.clone(), line: *line })
}

/// An error ended the function of the test; of a failed expectation that is known already.
pub(crate) fn broken(lua: &Lua, failure: &CallFailure) {
    with_run(lua, |run| {
        let (message, file, line) = (failure.message.clone(), failure.file.clone(), failure.line);
        run.end = Some(TestState::Broken(TestFailure { message, file, line }));
    });
}

/// Whether an error of `owner` is no fault, because a failed expectation of the test has caused it.
pub(crate) fn is_told(lua: &Lua, owner: Owner) -> bool {
    with_run(lua, |run| run.failure.is_some() && run.own.is_some_and(|(own, _)| own == owner))
        .unwrap_or(false)
}

/// Keeps a fault for `t:faults()`.
pub(crate) fn faulted(lua: &Lua, fault: &Plain) {
    with_run(lua, |run| run.faults.push(fault.clone()));
}

/// An expectation failed: kept, and raised at the caller's line.
pub(crate) fn fail(lua: &Lua, message: String) -> mlua::Error {
    let place = place_in_test(lua);
    let (file, line) = place.clone().unwrap_or_default();
    let error = match place {
        Some((file, line)) => format!("{file}:{line}: {message}"),
        None => message.clone(),
    };
    let failure = TestFailure { message, file, line };
    with_run(lua, |run| match &mut run.trial {
        Some(tried) => *tried = Some(failure),
        None => {
            run.failure.get_or_insert(failure);
        }
    });
    mlua::Error::RuntimeError(error)
}

/// Where the test's file stands on the stack; else the script that called.
fn place_in_test(lua: &Lua) -> Option<(String, u32)> {
    const FRAMES: usize = 64;
    let file = with_run(lua, |run| run.file.clone()).unwrap_or_default();
    let frames = fault::frames(lua, FRAMES);
    let own = frames.iter().find(|frame| frame.file == file).or(frames.first())?;
    Some((own.file.clone(), own.line))
}

/// `t:eventually` begins a try: expectations that fail are not kept.
pub(crate) fn begin_try(lua: &Lua) {
    with_run(lua, |run| run.trial = Some(None));
}

/// A try is over; whether an expectation failed in it.
pub(crate) fn end_try(lua: &Lua) -> bool {
    let failed = with_run(lua, |run| {
        run.last_try = run.trial.take().flatten();
        run.last_try.is_some()
    });
    failed.unwrap_or(false)
}

/// The time of `t:eventually` is over: what failed last fails the test.
pub(crate) fn fail_as_tried(lua: &Lua, after: &str) -> mlua::Error {
    let tried = with_run(lua, |run| run.last_try.take()).flatten();
    let Some(tried) = tried else {
        return fail(lua, format!("eventually: not tried within {after}"));
    };
    let message = format!("{} (eventually: still so after {after})", tried.message);
    let error = format!("{}:{}: {message}", tried.file, tried.line);
    with_run(lua, |run| run.failure.get_or_insert(TestFailure { message, ..tried }).line);
    mlua::Error::RuntimeError(error)
}

/// What the test asked of the host since the last call.
pub(crate) fn take_asked(lua: &Lua) -> HostRequest {
    with_run(lua, |run| std::mem::take(&mut run.asked)).unwrap_or_default()
}

/// What the test asks to be saved or loaded between two ticks; none when it asks for nothing.
pub(crate) fn take_saving(lua: &Lua) -> Option<TestSaving> {
    let asks = |saving: &TestSaving| saving.asks || saving.to_load.is_some();
    with_run(lua, |run| asks(&run.saving).then(|| std::mem::take(&mut run.saving))).flatten()
}

/// What became of that.
pub(crate) fn note_saving(lua: &Lua, saving: TestSaving) {
    with_run(lua, |run| run.saving = saving);
}

/// Mixes in the part of the test that can change the future.
pub(crate) fn hash_into(lua: &Lua, hash: &mut StateHash) {
    with_run(lua, |run| {
        hash.flag(run.has_begun).flag(run.held.is_some()).word(run.always.len() as u64);
        for (name, payload) in &run.asked.inputs {
            hash.text(name);
            if let Some(payload) = payload {
                payload.hash_into(hash);
            }
        }
        run.answers.hash_into(hash);
        if run.saving.asks || run.saving.to_load.is_some() {
            hash.flag(run.saving.asks).flag(run.saving.to_load.is_some());
        }
        for (choice, option) in &run.asked.answers {
            hash.text(choice).text(option);
        }
        for (path, text) in &run.asked.reload {
            hash.text(path).text(text.as_deref().unwrap_or_default());
        }
    });
}
