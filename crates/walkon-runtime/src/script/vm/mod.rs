//! The VM of one level: made safe, called on fuel, its errors caught as failures.
//!
//! In: settings, libraries of the host, script texts, functions to call. Out: results or a [`CallFailure`].
//! Holds: every call counts its fuel and ends where that is spent; an error ends the call, never more; after
//! the memory was spent everything is collected, so the next call works. Text only, no bytecode, no native
//! code. Not here: the world (`lend`), the owners of calls, when calls happen.

pub(crate) mod account;
mod caught;
pub(crate) mod chunk_names;
pub(crate) mod compiler;
pub mod console;
pub mod convert;
pub(crate) mod copies;
pub(crate) mod debug;
pub mod fault;
pub mod files;
pub mod fuel;
pub mod handles;
pub mod hints;
pub mod lend;
pub mod library;
pub mod limits;
mod loader;
mod machine;
pub(crate) mod memory_limit;
pub mod payload;
pub(crate) mod profile;
pub(crate) mod resting;
pub(in crate::script) mod room;
pub(crate) mod sandbox;
pub(crate) mod shown;
pub(crate) mod shown_names;
pub mod stack_frame;
pub(crate) mod store;
mod strides;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

pub use loader::readable;
pub(crate) use loader::{compile_text, lines_to_stop_at, refuse_bytecode};
pub(crate) use machine::{
    Machine, collect, hash_streams, machine_of, on_behalf_of_host, path_of_script, resolve_name,
    text_of_script,
};
pub use machine::{charge, is_loading};
use mlua::{Function, IntoLuaMulti, Lua, LuaOptions, MultiValue, StdLib, Table, Thread, Value};

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::ordered::CollectOrdered;
use crate::base::rng::Rng;
use crate::script::vm::console::Printed;
use crate::script::vm::convert::{UsageError, function};
use crate::script::vm::debug::{DebugPort, Hook};
use crate::script::vm::fault::{CallFailure, FailureInside, FailureWay, FaultKind};
use crate::script::vm::files::{FileError, LoadedFile, Loadeds, Loads, ScriptText, ScriptTexts};
use crate::script::vm::fuel::{Fuel, RunningCall, Signals, Trip};
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::loader::{Loader, compile, failed, first};
use crate::script::vm::memory_limit::LimitScope;
use crate::script::vm::sandbox::Sandbox;

/// The setup of a VM.
#[derive(Clone, Debug, Default)]
pub struct VmSettings {
    /// The seed of the run: `math.random` of each file is a stream of it.
    pub seed: u64,
    /// The limits of the level.
    pub limits: ScriptLimits,
    /// The flags of the shell; a game that has none leaves the default.
    pub signals: Arc<Signals>,
    /// The debugger of this VM, if there is one.
    pub(crate) debugger: Option<Rc<dyn Hook>>,
}

/// Why a VM could not be made. Not a mistake of a script.
#[derive(Clone, Debug, thiserror::Error)]
pub enum VmError {
    /// The vendored Luau lacks a flag that closes a hole.
    #[error("this build of Luau has no flag \"{0}\", expected the vendored one")]
    NoFlag(&'static str),
    /// Luau refused to be set up.
    #[error("the script VM cannot be set up: {0}")]
    Setup(String),
}

impl VmError {
    /// What Luau said as it was set up.
    pub(crate) fn setup(refused: mlua::Error) -> Self {
        Self::Setup(refused.to_string())
    }
}

/// What a reload changes in the VM: to go back to when it is refused.
#[derive(Debug)]
pub(crate) struct VmBefore {
    texts: ScriptTexts,
    loads: Loadeds,
    streams: BTreeMap<String, Rng>,
    memory_exhausted: bool,
}

impl VmBefore {
    /// Whether `asked` meant the file called `name`.
    pub(crate) fn means(&self, asked: &str, name: &str) -> bool {
        self.texts.resolve(asked).is_ok_and(|before| before == name)
    }

    /// The environments that the files of `unit` had.
    pub(crate) fn environments(&self, unit: &BTreeSet<String>) -> Vec<Table> {
        unit.iter().filter_map(|name| self.loads.environment(name)).collect()
    }
}

/// The VM of one level.
#[derive(Debug)]
pub struct ScriptVm {
    machine: Rc<Machine>,
    loader: Loader,
    sandbox: Sandbox,
    /// Turns an error into a [`CallFailure`] before the stack is unwound.
    report: Function,
    /// The body of every task: runs a function, reports its error.
    task: Function,
    /// Makes the calls of a batch.
    batch: Function,
    /// Coroutines of tasks that are over, for the next ones.
    idle: RefCell<Vec<Thread>>,
    tick_spent: Cell<u64>,
    memory_exhausted: Cell<bool>,
    lua: Lua,
}

/// How a task went on.
#[derive(Debug)]
pub enum Resumed {
    /// It waits, and handed values out; the first, nil when there is none.
    Yielded(Value),
    /// It ended with results; the first, nil when there is none.
    Done(Value),
}

/// The most coroutines of finished tasks that are kept: handlers run one after another, and those that wait
/// end over time.
const IDLE_MAX: usize = 64;

/// Closes luau#2970: without it `table.move` into a table with a key near -2^31 kills the process.
const ARRAY_FLAG: &str = "LuauTableArrayAdjustCheck";

impl ScriptVm {
    /// A VM with the guarded libraries. Add the host's own with [`ScriptVm::define`], then [`ScriptVm::seal`]
    /// it.
    ///
    /// # Errors
    /// When the vendored Luau cannot be set up.
    pub fn new(settings: VmSettings) -> Result<Self, VmError> {
        Lua::set_fflag(ARRAY_FLAG, true).map_err(|()| VmError::NoFlag(ARRAY_FLAG))?;
        Self::set_up(settings).map_err(VmError::setup)
    }

    fn set_up(settings: VmSettings) -> mlua::Result<Self> {
        let libraries = StdLib::COROUTINE
            | StdLib::TABLE
            | StdLib::STRING
            | StdLib::UTF8
            | StdLib::BIT
            | StdLib::MATH
            | StdLib::BUFFER
            | StdLib::VECTOR
            | StdLib::DEBUG;
        let lua = Lua::new_with(libraries, LuaOptions::new().catch_rust_panics(true))?;
        lua.set_compiler(compiler::compiler());
        let fuel = Fuel::install(&lua, settings.signals);
        let machine = Rc::new(Machine::new(fuel, settings.limits, settings.seed));
        if let Some(hook) = settings.debugger {
            let _ = machine.debug.set(DebugPort::install(&lua, hook)?);
        }
        let sandbox = sandbox::build(&lua, &machine)?;
        let _ = machine.shared.set(sandbox.globals.clone());
        let _ = machine.protect.set(sandbox.protect.clone());
        let loader = Loader {
            machine: Rc::clone(&machine),
            globals: sandbox.globals.clone(),
            protect: sandbox.protect.clone(),
            report_inside: report_inside(&lua, &machine)?,
        };
        let require = loader.clone();
        sandbox
            .globals
            .raw_set("require", function(&lua, "require", move |lua, args| require.require(lua, args))?)?;
        let report = report(&lua, &machine)?;
        let task = compiler::own_chunk(&lua, &sandbox.native, TASK)?
            .call((sandbox.protect.clone(), report.clone()))?;
        let batch = Fuel::batch_function(&lua)?;
        lua.set_app_data(Rc::clone(&machine));
        Ok(Self {
            machine,
            loader,
            sandbox,
            report,
            task,
            batch,
            idle: RefCell::default(),
            tick_spent: Cell::new(0),
            memory_exhausted: Cell::new(false),
            lua,
        })
    }

    /// The VM itself, for bindings.
    #[must_use]
    #[inline]
    pub fn lua(&self) -> &Lua {
        &self.lua
    }

    /// The limits of the level.
    #[must_use]
    #[inline]
    pub fn limits(&self) -> &ScriptLimits {
        &self.machine.limits
    }

    /// The fuel counter, for functions that charge by themselves.
    #[must_use]
    pub fn fuel(&self) -> &Fuel {
        &self.machine.fuel
    }

    /// Gives every script the global `name`. A table is made read-only by [`ScriptVm::seal`], tables inside
    /// it are not.
    ///
    /// # Errors
    /// When the VM is sealed already, or its memory is spent.
    pub fn define(&self, name: &str, value: impl mlua::IntoLua) -> mlua::Result<()> {
        self.sandbox.globals.raw_set(name, value)
    }

    /// The table behind the globals of every file.
    pub(crate) fn globals(&self) -> &Table {
        &self.sandbox.globals
    }

    /// A Lua file of walkon's own, compiled: its globals are Luau's own, unguarded; everything else comes as
    /// arguments. Its frames are not shown in tracebacks and its errors name the line of the script that
    /// called it (`error(message, 2)`).
    ///
    /// # Errors
    /// When it does not compile.
    pub fn own_chunk(&self, text: &str) -> mlua::Result<Function> {
        compiler::own_chunk(&self.lua, &self.sandbox.native, text)
    }

    /// Makes the globals read-only, collects what the setup left, and sets the memory limit of the level
    /// above it.
    ///
    /// # Errors
    /// When Luau refuses.
    pub fn seal(&self) -> mlua::Result<()> {
        sandbox::seal(&self.sandbox.globals)?;
        self.machine.fuel.collect(&self.lua)?;
        let cap = self.lua.used_memory() + self.machine.limits.memory_mib as usize * 1024 * 1024;
        self.machine.memory.set(&self.lua, cap);
        self.machine.fuel.set_memory_cap(cap);
        self.machine.account.open(cap);
        self.machine.fuel.set_text_max(self.machine.limits.string_kib as usize * 1024);
        Ok(())
    }

    /// Calls `function` on `fuel` safepoints. Its effects before an error stay.
    ///
    /// # Errors
    /// The failure that ended it.
    pub fn call(
        &self,
        function: &Function,
        args: impl IntoLuaMulti,
        fuel: u64,
    ) -> Result<MultiValue, CallFailure> {
        let running = self.begin(fuel);
        let outcome = self.sandbox.protect.call::<MultiValue>((function, &self.report, args));
        drop(running);
        self.settle(outcome)
    }

    /// Calls `function` on `fuel` safepoints and drops its results, which costs less than [`ScriptVm::call`].
    ///
    /// # Errors
    /// The failure that ended it.
    pub fn run(&self, function: &Function, args: impl IntoLuaMulti, fuel: u64) -> Result<(), CallFailure> {
        let running = self.begin(fuel);
        let outcome = self.sandbox.protect.call::<bool>((function, &self.report, args));
        drop(running);
        match outcome {
            Ok(true) => {
                self.count();
                Ok(())
            }
            failed => self.settle(failed.map(|_| MultiValue::new())).map(drop),
        }
    }

    /// Calls a predicate on `fuel` safepoints: whether its first result is neither nil nor false. Nothing is
    /// allocated for its results.
    ///
    /// # Errors
    /// The failure that ended it.
    pub(crate) fn ask(
        &self,
        predicate: &Function,
        args: impl IntoLuaMulti,
        fuel: u64,
    ) -> Result<bool, CallFailure> {
        let running = self.begin(fuel);
        let outcome = self.sandbox.protect.call::<(bool, bool)>((predicate, &self.report, args));
        drop(running);
        match outcome {
            Ok((true, answer)) => {
                self.count();
                Ok(answer)
            }
            failed => self.settle(failed.map(|_| MultiValue::new())).map(|_| false),
        }
    }

    /// Makes the calls of the plan that [`Fuel::plan_batch`] was given, which takes functions and first
    /// arguments from two lists.
    ///
    /// # Errors
    /// The failure of the call that ended the batch; [`Fuel::take_batch`] ends with it.
    pub(crate) fn run_batch(&self, functions: &Table, arguments: &Table) -> Result<(), CallFailure> {
        let running = self.begin(0);
        let outcome = self.sandbox.protect.call::<bool>((&self.batch, &self.report, functions, arguments));
        drop(running);
        profile::end_row(&self.machine);
        self.spend(self.machine.fuel.batch_cost());
        match outcome {
            Ok(true) => {
                resume_panic();
                Ok(())
            }
            failed => self.settle(failed.map(|_| MultiValue::new())).map(drop),
        }
    }

    /// A task that is to run `function`; nothing runs before the first [`ScriptVm::resume`], which brings the
    /// arguments.
    ///
    /// # Errors
    /// When the memory of the VM is spent.
    pub fn task(&self) -> mlua::Result<Thread> {
        let idle = self.idle.borrow_mut().pop();
        match idle.filter(|thread| thread.reset(self.task.clone()).is_ok()) {
            Some(thread) => Ok(thread),
            None => self.lua.create_thread(self.task.clone()),
        }
    }

    /// Keeps the coroutine of a task that has returned for another one, unless a script may hold it.
    pub(crate) fn keep_idle(&self, thread: Thread) {
        let mut idle = self.idle.borrow_mut();
        if idle.len() < IDLE_MAX && !self.machine.is_coroutine_known.get() {
            idle.push(thread);
        }
    }

    /// Starts a task with a function and its arguments, or lets a waiting one go on, whose wait returns
    /// `answer`; runs it until it waits or ends.
    ///
    /// # Errors
    /// The failure that ended it.
    pub fn resume(
        &self,
        task: &Thread,
        answer: impl IntoLuaMulti,
        fuel: u64,
    ) -> Result<Resumed, CallFailure> {
        let running = self.begin(fuel);
        let outcome = task.resume::<(Value, Value)>(answer);
        drop(running);
        self.resumed(task, outcome)
    }

    /// Lets a task go on whose wait is over and has no results; runs it until it waits or ends.
    ///
    /// # Errors
    /// The failure that ended it.
    pub(crate) fn go_on(&self, task: &Thread, fuel: u64) -> Result<Resumed, CallFailure> {
        let running = self.begin(fuel);
        let outcome = fuel::batch::go_on(&self.lua, task);
        drop(running);
        self.resumed(task, outcome)
    }

    fn resumed(&self, task: &Thread, outcome: mlua::Result<(Value, Value)>) -> Result<Resumed, CallFailure> {
        match outcome {
            // The body of every task returns a boolean first, and a task may yield one.
            Ok((first, _))
                if !first.is_boolean() || task.status() == mlua::thread::ThreadStatus::Resumable =>
            {
                self.count();
                Ok(Resumed::Yielded(first))
            }
            Ok((Value::Boolean(true), result)) => {
                self.count();
                Ok(Resumed::Done(result))
            }
            failed => self.settle(failed.map(|_| MultiValue::new())).map(|_| Resumed::Done(Value::Nil)),
        }
    }

    /// A call of a script begins, on its fuel and within the memory of the level, until what this returns is
    /// dropped.
    fn begin(&self, fuel: u64) -> (RunningCall<'_>, LimitScope<'_>) {
        self.machine.resumers.borrow_mut().clear();
        if self.machine.failure.borrow().is_some() {
            self.machine.failure.take();
        }
        if self.machine.failure_inside.borrow().is_some() {
            self.machine.failure_inside.take();
        }
        lend::take_panicked();
        profile::begin(&self.lua, &self.machine);
        (self.machine.fuel.enter(fuel), self.machine.memory.hold(&self.lua))
    }

    /// Counts the fuel of a call that has ended.
    ///
    /// # Panics
    /// When host code panicked during the call: no script may swallow that, because the world may be half
    /// changed.
    fn count(&self) {
        resume_panic();
        profile::end(&self.machine);
        self.spend(self.machine.fuel.cost());
    }

    /// Counts `units` of fuel against the tick: work of the host for scripts between their calls.
    pub(crate) fn spend(&self, units: u64) {
        self.tick_spent.set(self.tick_spent.get().saturating_add(units));
    }

    /// Results of `protect`: true and values, or false after the handler has reported.
    fn settle(&self, outcome: mlua::Result<MultiValue>) -> Result<MultiValue, CallFailure> {
        self.count();
        let reported = self.machine.failure.take();
        let failure = match outcome {
            Ok(mut values) => match values.pop_front() {
                Some(Value::Boolean(true)) => return Ok(values),
                _ => reported.unwrap_or_else(|| self.unreported(None)),
            },
            Err(error) => reported.unwrap_or_else(|| self.unreported(Some(&error))),
        };
        let is_one_text = matches!(self.machine.fuel.trip(), Some(Trip::Size | Trip::Digits));
        if failure.kind == FaultKind::Memory && !is_one_text {
            self.recover();
        }
        Err(failure)
    }

    /// A failure whose handler did not run: the memory was spent while it did, or the stack was.
    fn unreported(&self, error: Option<&mlua::Error>) -> CallFailure {
        let cap = self.machine.memory.bytes();
        let near = cap > 0 && self.lua.used_memory() > cap - cap / 16;
        let kind = match self.machine.fuel.trip() {
            Some(trip) => trip.into(),
            None if near || error.is_some_and(fault::is_memory_error) => FaultKind::Memory,
            None => FaultKind::Error,
        };
        let text = match (kind, error) {
            (FaultKind::Memory, _) => fault::trip_text(Trip::Memory, 0),
            (_, Some(error)) => fault::text_of_error(error),
            (_, None) => "error in the handler of an error".to_owned(),
        };
        CallFailure::new(kind, text, None)
    }

    /// After the memory was spent: collects everything. When that frees less than a tenth, the level cannot
    /// go on.
    fn recover(&self) {
        let before = self.lua.used_memory();
        let collected = self.machine.fuel.collect(&self.lua);
        let cap = self.machine.limits.memory_mib as usize * 1024 * 1024;
        let freed = before.saturating_sub(self.lua.used_memory());
        if collected.is_err() || freed < cap / 10 {
            self.memory_exhausted.set(true);
        }
    }

    /// What the host keeps fills the memory of the level, and nothing could be collected.
    pub(crate) fn exhaust_memory(&self) {
        self.memory_exhausted.set(true);
    }

    /// Whether a full collection after spent memory freed less than a tenth of it: what scripts keep fills
    /// the level.
    #[must_use]
    pub fn memory_exhausted(&self) -> bool {
        self.memory_exhausted.get()
    }

    /// Bytes in use by scripts and libraries.
    #[must_use]
    pub fn used_memory(&self) -> usize {
        self.lua.used_memory()
    }

    /// Begins a tick: its fuel is there again.
    pub fn begin_tick(&self) {
        self.tick_spent.set(0);
    }

    /// Runs `run` without counting what it spends against the tick.
    pub(crate) fn off_the_books<R>(&self, run: impl FnOnce() -> R) -> R {
        let spent = self.tick_spent.get();
        let result = run();
        self.tick_spent.set(spent);
        result
    }

    /// What the calls of this tick have cost it so far.
    pub(crate) fn tick_spent(&self) -> u64 {
        self.tick_spent.get()
    }

    /// Safepoints left for further calls in this tick; at 0 the rest waits for the next one.
    #[must_use]
    #[inline]
    pub fn tick_left(&self) -> u64 {
        self.machine.limits.fuel_per_tick.saturating_sub(self.tick_spent.get())
    }

    /// Whether something was printed since the last [`ScriptVm::take_printed`].
    #[must_use]
    #[inline]
    pub fn has_printed(&self) -> bool {
        self.machine.console.borrow().has_any()
    }

    /// What was printed since the last call, and how many lines beyond the limit were dropped.
    pub fn take_printed(&self) -> (Vec<Printed>, u64) {
        self.machine.console.borrow_mut().take()
    }

    /// Writes how far the random stream of each file is.
    pub(crate) fn save_streams(&self, out: &mut ByteWriter) {
        out.list(self.machine.streams.borrow().iter(), |out, (name, stream)| {
            out.text(name);
            out.word(stream.drawn());
        });
    }

    /// Reads how far the random stream of each file is, to be set once the files have run.
    pub(crate) fn streams_to_load(
        &self,
        input: &mut ByteReader<'_>,
    ) -> Result<BTreeMap<String, Rng>, DecodeError> {
        let seed = self.machine.seed;
        let streams: Vec<(String, u64)> = Saved::load(input)?;
        let stream = |(name, drawn): (String, u64)| {
            let stream = Rng::stream_after(seed, &name, drawn);
            (name, stream)
        };
        Ok(streams.into_iter().map(stream).collect_map())
    }

    /// The random streams of the files are there.
    pub(crate) fn set_streams(&self, streams: BTreeMap<String, Rng>) {
        *self.machine.streams.borrow_mut() = streams;
    }

    /// Gives the VM the texts of the level's scripts. Files that are loaded already stay as they are.
    pub fn set_texts(&self, texts: ScriptTexts) {
        *self.machine.texts.borrow_mut() = texts;
    }

    /// The whole name of the file that `asked` means.
    ///
    /// # Errors
    /// When it means no file, or several.
    pub fn resolve(&self, asked: &str) -> Result<String, FileError> {
        self.machine.texts.borrow().resolve(asked).map(str::to_owned)
    }

    /// The environment and result of the file that `asked` means; its body runs on the load budget, once for
    /// each level.
    ///
    /// # Errors
    /// When there is no such file, it does not compile, or its body fails.
    pub fn load(&self, asked: &str) -> Result<LoadedFile, CallFailure> {
        let name = self.resolve(asked).map_err(|error| failed(error.to_string()))?;
        if let Some(loaded) = self.machine.loads.get(&name) {
            return Ok(loaded);
        }
        let (environment, body) = self.prepare(&name)?;
        self.loader.open(&name).map_err(failed)?;
        let signals = self.machine.fuel.signals();
        signals.begin_load();
        let outcome = self.call(&body, (), self.machine.limits.fuel_at_load);
        signals.end_load();
        self.loader.close(&name, environment, outcome.map(first))
    }

    /// Compiles a file. Its quoted texts count as texts of a script do.
    fn prepare(&self, name: &str) -> Result<(Table, Function), CallFailure> {
        let compiling = self.machine.fuel.enter(u64::MAX / 2);
        let prepared = self.loader.prepare(&self.lua, name);
        drop(compiling);
        match self.machine.fuel.trip() {
            Some(trip @ Trip::Digits) => Err(CallFailure::new(trip.into(), fault::trip_text(trip, 0), None)),
            _ => prepared,
        }
    }

    /// Compiles a text of the host, called `chunk`: an expression gives its values, statements run.
    ///
    /// # Errors
    /// The first mistake of the text as statements, with its line.
    pub(crate) fn compile_for_console(
        &self,
        chunk: &str,
        text: &str,
        environment: &Table,
    ) -> Result<Function, CallFailure> {
        let compiling = self.machine.fuel.enter(u64::MAX / 2);
        let compiled = compile_text(&self.lua, chunk, text, environment);
        drop(compiling);
        match self.machine.fuel.trip() {
            Some(trip @ Trip::Digits) => Err(CallFailure::new(trip.into(), fault::trip_text(trip, 0), None)),
            _ => compiled,
        }
    }

    /// An environment for texts of the host, where the level has no script.
    ///
    /// # Errors
    /// When the memory of the VM is spent.
    pub(crate) fn environment_of_console(&self) -> Result<Table, CallFailure> {
        let name = chunk_names::CONSOLE.trim_end_matches(':');
        let made = self.loader.environment(&self.lua, name);
        made.map_err(|error| failed(fault::text_of_error(&error)))
    }

    /// The environment of the file that `asked` means, if its body has run.
    pub(crate) fn environment_of(&self, asked: &str) -> Option<Table> {
        Some(self.machine.loads.get(&self.resolve(asked).ok()?)?.environment)
    }

    /// The texts of the level's scripts.
    pub(crate) fn texts(&self) -> std::cell::Ref<'_, ScriptTexts> {
        self.machine.texts.borrow()
    }

    /// How far the files are loaded.
    pub(crate) fn loads(&self) -> &Loads {
        &self.machine.loads
    }

    /// Puts `texts` in place of the texts there are and forgets the files of `unit`, whose bodies run again
    /// when they are asked for. What was before, to go back to.
    pub(crate) fn replace(&self, texts: ScriptTexts, unit: &BTreeSet<String>) -> VmBefore {
        let before = VmBefore {
            texts: self.machine.texts.replace(texts),
            loads: self.machine.loads.snapshot(),
            streams: self.machine.streams.borrow().clone(),
            memory_exhausted: self.memory_exhausted.get(),
        };
        unit.iter().for_each(|name| self.machine.loads.forget(name));
        before
    }

    /// Goes back to the state before a reload.
    pub(crate) fn restore(&self, before: VmBefore) {
        self.machine.texts.replace(before.texts);
        self.machine.loads.restore(before.loads);
        self.machine.streams.replace(before.streams);
        self.memory_exhausted.set(before.memory_exhausted);
    }

    /// Collects when what was thrown away may fill the memory of the level.
    pub(crate) fn make_room(&self) {
        if self.lua.used_memory() > self.machine.limits.memory_mib as usize * 1024 * 1024 / 2 {
            self.collect();
        }
    }

    /// Collects everything that nothing reaches.
    pub(crate) fn collect(&self) {
        // Luau fails here only without memory, and then later too.
        let _ = self.machine.fuel.collect(&self.lua);
    }

    /// Compiles a text and throws the result away: what a reload asks first.
    ///
    /// # Errors
    /// The first mistake, with file and line.
    pub fn check(&self, file: &ScriptText) -> Result<(), CallFailure> {
        compile(&self.lua, file, None).map(|_| ())
    }
}

/// The mistake of calling `function` while a file loads; every binding that needs the world begins with it.
///
/// # Errors
/// While the body of a file runs.
pub fn refuse_while_loading(lua: &Lua, function: &str) -> Result<(), UsageError> {
    if is_loading(lua) { Err(lend::BindError::NoWorld.mistake(function)) } else { Ok(()) }
}

/// Resumes a panic of host code that a script has swallowed.
fn resume_panic() {
    if lend::take_panicked() {
        std::panic::resume_unwind(Box::new("a host function panicked while a script ran"));
    }
}

const TASK: &str = "local xpcall, report = ... return function(f, ...) return xpcall(f, report, ...) end";

fn report(lua: &Lua, machine: &Rc<Machine>) -> mlua::Result<Function> {
    let machine = Rc::clone(machine);
    lua.create_function(move |lua, problem: Value| {
        let failure = caught::failure_of(lua, &machine, &problem);
        if let Some(port) = machine.debug.get() {
            port.fault(lua, &failure);
        }
        *machine.failure.borrow_mut() = Some(failure);
        Ok(())
    })
}

/// The handler of the body of a file that is required: it takes down what it sees before the stack is
/// unwound, and gives errors the place where they were raised.
fn report_inside(lua: &Lua, machine: &Rc<Machine>) -> mlua::Result<Function> {
    let machine = Rc::clone(machine);
    lua.create_function(move |lua, problem: Value| {
        machine.fuel.end_paid();
        let failure = caught::failure_of(lua, &machine, &problem);
        let raised = match failure.kind {
            FaultKind::Error => Value::String(fuel::text(lua, &failure.message)?),
            _ => problem,
        };
        let raised_text = failure.message.clone();
        *machine.failure_inside.borrow_mut() =
            Some(FailureInside { raised: raised_text, failure, way: FailureWay::Raised });
        Ok(raised)
    })
}

#[cfg(test)]
mod tests;
