//! Console of a viewer: evaluates texts from the host.
//!
//! In: texts, the environment of the level script. Out: facts with the result of each. Holds: a text runs in
//! step 3 before anything else, on the fuel of a call, and may not wait; everything it starts belongs to the
//! console and goes on; its own failure is its result and counts against nobody. Not here: how a value is
//! shown (`vm::shown`).

use mlua::{Function, MultiValue, Table};

use crate::base::value::Plain;
use crate::script::state::owners::OwnerKind;
use crate::script::state::tasks::Why;
use crate::script::step::invoke::{self, Call};
use crate::script::vm::chunk_names::CONSOLE;
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::shown::shown_results;
use crate::script::vm::{ScriptVm, store};
use crate::world::event::{Evaluation, EvaluationFailure, Fact, NoticeKind};
use crate::world::owner::Owner;

/// Texts that may wait for their turn.
const WAITING_MAX: usize = 64;

/// The console of a level.
#[derive(Debug, Default)]
pub(crate) struct LevelConsole {
    waiting: Vec<String>,
    /// Texts that were evaluated so far.
    count: u64,
    owner: Option<Owner>,
    /// Where texts run while there is no level script.
    own: Option<Table>,
}

impl LevelConsole {
    /// A text for the coming step 3.
    ///
    /// # Errors
    /// When it is too long, or too many wait.
    pub(crate) fn ask(&mut self, text: &str) -> Result<(), String> {
        if text.len() > ScriptLimits::SOURCE_BYTES {
            let most = ScriptLimits::SOURCE_BYTES;
            return Err(format!("the text has {} bytes, expected at most {most}", text.len()));
        }
        if self.waiting.len() >= WAITING_MAX {
            return Err(format!("{WAITING_MAX} texts wait already, the most allowed in a tick"));
        }
        self.waiting.push(text.to_owned());
        Ok(())
    }

    /// Whether nothing waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Evaluates what waits; `level` is the environment of the level script. The world is lent.
    pub(crate) fn run(&mut self, vm: &ScriptVm, level: Option<&Table>) {
        for text in std::mem::take(&mut self.waiting) {
            self.count += 1;
            let chunk = format!("{CONSOLE}{}", self.count);
            let outcome = self.evaluate(vm, level, &chunk, &text);
            let (values, failure) = match outcome {
                Ok(values) => (values, None),
                Err(failure) => (Vec::new(), Some(told(vm, failure))),
            };
            invoke::push(vm, Fact::Evaluated(Box::new(Evaluation { chunk, text, values, failure })));
        }
    }

    fn evaluate(
        &mut self,
        vm: &ScriptVm,
        level: Option<&Table>,
        chunk: &str,
        text: &str,
    ) -> Result<Vec<Plain>, CallFailure> {
        let environment = self.environment(vm, level)?;
        let owner = self.owner(vm, &environment);
        let function: Function = vm.compile_for_console(chunk, text, &environment)?;
        let call = Call::plain(owner, CONSOLE.trim_end_matches(':'));
        let values: Result<MultiValue, CallFailure> =
            invoke::within(vm, &call, || vm.call(&function, (), vm.limits().fuel_per_call));
        invoke::clean_up(vm);
        Ok(shown_results(vm.lua(), values?.iter()))
    }

    fn environment(&mut self, vm: &ScriptVm, level: Option<&Table>) -> Result<Table, CallFailure> {
        if let Some(found) = level.or(self.own.as_ref()) {
            return Ok(found.clone());
        }
        let own = vm.environment_of_console()?;
        self.own = Some(own.clone());
        Ok(own)
    }

    /// The owner of everything that texts start; handlers given by name are looked up where the last text
    /// ran.
    fn owner(&mut self, vm: &ScriptVm, environment: &Table) -> Owner {
        store::with(vm.lua(), |runtime| {
            let begin = || runtime.owners.begin(OwnerKind::Console, "console".to_owned());
            let owner = *self.owner.get_or_insert_with(begin);
            if let Some(record) = runtime.owners.get_mut(owner) {
                record.names = Some(environment.clone());
            }
            owner
        })
    }

    /// Ends what texts have started, with the level.
    pub(crate) fn end(&mut self, vm: &ScriptVm) {
        self.waiting.clear();
        if let Some(owner) = self.owner.take() {
            invoke::end_owner(vm, owner, Why::LevelEnd);
        }
    }
}

/// A failure as hosts see it. When the watchdog or a signal has ended the text, no other run repeats it.
fn told(vm: &ScriptVm, failure: CallFailure) -> EvaluationFailure {
    match failure.kind {
        FaultKind::Watchdog => store::with(vm.lua(), |runtime| runtime.faults.is_disturbed = true),
        FaultKind::Stopped => {
            invoke::push(vm, Fact::notice(NoticeKind::ScriptStopped, 1));
        }
        _ => {}
    }
    let CallFailure { kind, message, traceback, file, line } = failure;
    EvaluationFailure { kind: kind.name(), message, file, line, traceback }
}
