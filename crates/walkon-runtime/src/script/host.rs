//! The scripts of one level, driven by the game.
//!
//! In: script texts, the behaviours of the level's characters, a seed, limits; the world, lent for a phase.
//! Out: verbs on the world, facts, the level's own outcome, faults, a hash. Holds: Lua runs at the start of
//! the level, in steps 3 and 12, and at its end, nowhere else; the world goes home after each phase. Not
//! here: the order of steps 3 (`schedule`) and 12 (`dispatch`).

pub mod collect;
mod loaded;
pub mod reload;
mod saving;
mod scenes;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Function, Lua, Table, Value};

use crate::base::ids::{CharacterId, WalkId};
use crate::base::value::Plain;
use crate::script::bind::level::{self, LevelOutcome};
use crate::script::bind::table::Binding;
use crate::script::bind::{self, BindingSetup, log, scene, wait_requests};
use crate::script::debug::{Debugger, StopReason};
use crate::script::host::loaded::Loaded;
use crate::script::host::reload::Reloads;
use crate::script::inspect::ScriptLook;
use crate::script::state::behaviours::Class;
pub use crate::script::state::behaviours::GivenBehaviour;
use crate::script::state::profile::{Profile, ProfileSetup};
use crate::script::state::runtime::Runtime;
use crate::script::state::tasks::Why;
use crate::script::state::test_run::{HostRequest, TestSaving, TestState};
use crate::script::state::work::{ScriptWork, WORK_MAX};
use crate::script::step::console::LevelConsole;
use crate::script::step::hashes::hashes;
use crate::script::step::invoke::{self};
use crate::script::step::{
    behaviour, cinematic, dispatch, level_script, owner_end, params, schedule, task, testing, watch_memory,
};
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::files::{FileError, ScriptTexts};
use crate::script::vm::fuel::Signals;
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::{ScriptVm, VmError, VmSettings, lend, profile, store};
use crate::world::World;
use crate::world::event::{Fact, NoticeKind, SwitchedOff};
use crate::world::ops;
use crate::world::settings::Settings;

/// The setup of the scripts of a level.
#[derive(Debug, Default)]
pub struct ScriptSetup {
    /// Texts by path below the script folders, with suffix.
    pub texts: BTreeMap<String, String>,
    /// Name of the level script.
    pub level_script: Option<String>,
    /// The level's characters in order, with their behaviours.
    pub characters: Vec<(CharacterId, Option<GivenBehaviour>)>,
    /// `level.args`.
    pub args: Vec<String>,
    /// Flags of the shell; a game that has none leaves the default.
    pub signals: Arc<Signals>,
    /// Whether a choice of a scene waits for an answer of the host; else it takes its default, and nothing
    /// waits for a person.
    pub is_interactive: bool,
    /// Their debugger, if there is one.
    pub debugger: Option<Debugger>,
    /// What is to be profiled, if anything.
    pub profile: Option<ProfileSetup>,
}

/// Why the scripts of a level could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The VM could not be made.
    #[error(transparent)]
    Vm(#[from] VmError),
    /// The script files are not what they should be.
    #[error(transparent)]
    Files(#[from] FileError),
    /// A file does not compile, or its body failed.
    #[error("{}", .0.message)]
    Load(Box<CallFailure>),
    /// The file of a behaviour is not one: its name, what is wrong.
    #[error("behaviour \"{name}\": {what}")]
    Behaviour {
        /// Name of the behaviour.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// `init` of a behaviour failed, or left a state that is not plain data: its owner, what is wrong.
    #[error("{}", .failure.message)]
    Init {
        /// `behaviour "guard" of "anna"`.
        owner: String,
        /// What is wrong.
        failure: Box<CallFailure>,
    },
    /// The save game that it was to begin from cannot be loaded.
    #[error("{0}")]
    Save(String),
    /// The parameters of a character's behaviour are wrong.
    #[error("character \"{character}\": behaviour \"{name}\": {what}")]
    Params {
        /// Name of the character.
        character: String,
        /// Name of the behaviour.
        name: String,
        /// What is wrong.
        what: String,
    },
}

impl StartError {
    /// The character whose parameters are wrong, the parameter where it is one, and what is wrong.
    #[must_use]
    pub fn parameter(&self) -> Option<(&str, Option<&str>, &str)> {
        match self {
            Self::Params { character, what, .. } => Some((character, params::parameter_of(what), what)),
            _ => None,
        }
    }

    /// What went wrong in a script's code, and in whose.
    #[must_use]
    pub fn failure(&self) -> Option<(&CallFailure, &str)> {
        match self {
            Self::Load(failure) => Some((failure, "")),
            Self::Init { owner, failure } => Some((failure, owner)),
            _ => None,
        }
    }
}

/// The scripts of one level.
#[derive(Debug)]
pub struct ScriptHost {
    pub(super) vm: ScriptVm,
    /// Environment of the level script.
    level: Option<Table>,
    /// `state`, shared by all scripts.
    pub(super) state: Table,
    characters: Vec<(CharacterId, Rc<Class>, String, Plain)>,
    /// Name of the level script, as the level gives it.
    pub(super) level_script: Option<String>,
    pub(super) reloads: Reloads,
    console: LevelConsole,
    debugger: Option<Debugger>,
    /// The instances that are there again after a load and have not begun.
    loaded: Option<Loaded>,
    is_over: bool,
}

impl ScriptHost {
    /// A VM in which the bodies of the level script and of the characters' behaviours have run.
    ///
    /// # Errors
    /// When a file is missing, does not compile, fails, or is no behaviour.
    pub fn new(setup: ScriptSetup, settings: &Settings, seed: u64) -> Result<Self, StartError> {
        let limits = ScriptLimits::from(&settings.limits);
        let vm = ScriptVm::new(VmSettings {
            seed,
            limits,
            signals: setup.signals,
            debugger: setup.debugger.as_ref().map(Debugger::hook),
        })?;
        let state = prepare(&vm, settings, &setup.args).map_err(VmError::setup)?;
        store::with(vm.lua(), |runtime| runtime.cinematics.answers.is_interactive = setup.is_interactive);
        vm.set_texts(ScriptTexts::new(setup.texts)?);
        if let Some(debugger) = &setup.debugger {
            debugger.begin(vm.lua());
        }
        let level_file = setup.level_script.as_ref().and_then(|name| vm.resolve(name).ok());
        store::with(vm.lua(), |runtime| runtime.level_file = level_file.unwrap_or_default());
        if let Some(profile) = setup.profile {
            profile::open(vm.lua(), profile).map_err(VmError::setup)?;
        }
        let level = match &setup.level_script {
            Some(name) => {
                let environment = load(&vm, name)?.0;
                level_script::check(&environment).map_err(|what| {
                    let message = format!("{name}: {what}");
                    StartError::Load(Box::new(CallFailure::new(FaultKind::Error, message, None)))
                })?;
                Some(environment)
            }
            None => None,
        };
        let mut characters = Vec::new();
        for (character, behaviour) in setup.characters {
            let Some(GivenBehaviour { name, params }) = behaviour else {
                continue;
            };
            let class = class(&vm, &name)?;
            characters.push((character, class, name, params));
        }
        let reloads = Reloads::new(vm.lua()).map_err(VmError::setup)?;
        let level_script = setup.level_script;
        let console = LevelConsole::default();
        let debugger = setup.debugger;
        let (loaded, is_over) = (None, false);
        Ok(Self { vm, level, state, characters, level_script, reloads, console, debugger, loaded, is_over })
    }

    /// Loads a file of tests and makes its test at `index` the one that runs in this VM; to be called before
    /// `start`.
    ///
    /// # Errors
    /// When the file does not load, or has no such test.
    pub fn set_test(&mut self, file: &str, index: usize, variant: Option<String>) -> Result<(), StartError> {
        load(&self.vm, file)?;
        if testing::choose(self.vm.lua(), file, index, variant) {
            return Ok(());
        }
        let message = format!("{file}: its test number {} is not there in every run", index + 1);
        Err(StartError::Load(Box::new(CallFailure::new(FaultKind::Error, message, None))))
    }

    /// What scripts have cost so far; none when they are not profiled.
    #[must_use]
    pub fn profile(&self) -> Option<Profile> {
        profile::report(self.vm.lua())
    }

    /// What there is to be asked of them between two ticks.
    #[must_use]
    pub fn looks(&self) -> ScriptLook<'_> {
        ScriptLook::new(self.vm.lua())
    }

    /// How far the test is.
    #[must_use]
    pub fn test_state(&self) -> TestState {
        testing::state(self.vm.lua())
    }

    /// What the test asked of the host since the last call.
    pub fn take_asked(&mut self) -> HostRequest {
        testing::take_asked(self.vm.lua())
    }

    /// What the test asks to be saved or loaded between two ticks.
    pub(crate) fn take_saving(&self) -> Option<TestSaving> {
        testing::take_saving(self.vm.lua())
    }

    /// What became of that.
    pub(crate) fn note_saving(&self, saving: TestSaving) {
        testing::note_saving(self.vm.lua(), saving);
    }

    /// Tick 0: behaviours are attached in character order, `onStart` runs, then `init` and `start` of each
    /// behaviour.
    ///
    /// # Errors
    /// When the parameters of a behaviour are wrong, or its `init` fails.
    pub fn start(&mut self, world: &mut World) -> Result<(), StartError> {
        let characters = std::mem::take(&mut self.characters);
        let (level, state) = (self.level.clone(), self.state.clone());
        let facts_before = world.events.waiting() as u64;
        store::with(self.vm.lua(), |runtime| runtime.queue.facts_before = facts_before);
        self.phase(world, 0, |vm| {
            if let Some(environment) = level {
                level_script::begin(vm, environment);
            }
            let mut owners = Vec::new();
            for (character, class, asked, params) in characters {
                let name = class.name.clone();
                match behaviour::create(vm, character, class, &asked, &params) {
                    Ok(owner) => owners.push(owner),
                    Err(what) => {
                        let found = lend::with_world(vm.lua(), |world: &mut World| {
                            world.name_of(character).to_owned()
                        });
                        return Err(StartError::Params { character: found.unwrap_or_default(), name, what });
                    }
                }
            }
            level_script::call(vm, "onStart", "start");
            for owner in owners {
                behaviour::begin(vm, owner, "attach").map_err(|failure| StartError::Init {
                    owner: store::with(vm.lua(), |runtime| runtime.owners.label(owner).to_string()),
                    failure: Box::new(failure),
                })?;
            }
            // Here, because the world is there to take a fault.
            check_state(vm, &state);
            testing::turns::prepare(vm);
            Ok(())
        })
    }

    /// Step 3.
    pub fn scripts(&mut self, world: &mut World) {
        self.vm.begin_tick();
        store::with(self.vm.lua(), |runtime| {
            runtime.actors.checks.begin_tick();
            // The characters that the host has removed since the last tick.
            world.events.despawned().for_each(|id| {
                let by = runtime.owners.removed_by.get(&id).copied();
                runtime.mark_gone(id, by);
            });
        });
        let mut console = std::mem::take(&mut self.console);
        let level = if console.is_idle() { None } else { self.level_environment() };
        self.phase(world, 3, |vm| {
            console.run(vm, level.as_ref());
            schedule::run(vm);
        });
        self.console = console;
    }

    /// The environment of the level script, also of one that is switched off.
    fn level_environment(&self) -> Option<Table> {
        let running = store::with(self.vm.lua(), |runtime| Some(runtime.owners.level.as_ref()?.1.clone()));
        running.or_else(|| self.vm.environment_of(self.level_script.as_ref()?))
    }

    /// Has a text evaluated in the coming step 3, in the environment of the level script; without one, in an
    /// environment of its own. Its result is a fact.
    ///
    /// # Errors
    /// When it is too long, or too many wait.
    pub fn evaluate(&mut self, text: &str) -> Result<(), String> {
        self.console.ask(text)
    }

    /// The name under which a behaviour is known, whose file is loaded if it was not; the parameters are
    /// checked. Between phases.
    ///
    /// # Errors
    /// A sentence: there is no such file, it fails, it is no behaviour, a parameter is wrong, or too much
    /// work waits.
    pub fn check_behaviour(&mut self, world: &World, asked: &str, given: &Plain) -> Result<String, String> {
        let class = class(&self.vm, asked).map_err(|error| error.to_string())?;
        params::fill(&class.params, given, Some(world))?;
        let is_full = store::with(self.vm.lua(), |runtime| runtime.queue.is_full());
        if is_full {
            Err(format!("{WORK_MAX} pieces of work are waiting already"))
        } else {
            Ok(class.name.clone())
        }
    }

    /// Gives a character a behaviour at the next dispatch: its name as [`ScriptHost::check_behaviour`] gave
    /// it, and parameters. Between phases.
    pub fn attach(&mut self, world: &World, character: CharacterId, name: String, params: Plain) {
        let waiting = world.events.waiting() as u64;
        let work = ScriptWork::Attach { character, name, params };
        store::with(self.vm.lua(), |runtime| runtime.queue.push(work, waiting));
    }

    /// Step 12: hands out the facts of the world, in bounded rounds. Whether there were any, or other work.
    pub fn dispatch(&mut self, world: &mut World) -> bool {
        let (state, is_tested) = (self.state.clone(), testing::is_running(self.vm.lua()));
        let has_run = self.phase(world, 12, |vm| {
            watch_memory::take_in(vm);
            let has_run = dispatch::run(vm);
            invoke::look_at_states(vm);
            let level = store::with(vm.lua(), |runtime| runtime.owners.of_level());
            invoke::look_at_shared_state(vm, level, &state);
            if is_tested {
                check_states(vm, &state);
            }
            let dropped = log::take_dropped(vm.lua());
            if dropped > 0 {
                invoke::push(vm, Fact::notice(NoticeKind::PrintDropped, dropped));
            }
            has_run
        });
        world.events.tell_dropped();
        has_run
    }

    /// Step 13: forgets what was freed.
    pub fn culled(&mut self, characters: &[CharacterId], walks: &[WalkId]) {
        store::with(self.vm.lua(), |runtime| {
            characters.iter().for_each(|character| {
                runtime.owners.removed_by.remove(character);
            });
            walks.iter().for_each(|&walk| {
                runtime.registered.handlers.take_walk(walk);
            });
        });
    }

    /// The end of the level: scenes and tasks are cancelled and do not go on, open walks settle as levelEnd
    /// and their handlers run, behaviours and the level script stop. Orders that scripts give meanwhile are
    /// ignored. No script runs afterwards.
    pub fn end(&mut self, world: &mut World) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        self.vm.begin_tick();
        let signals = Arc::clone(self.vm.fuel().signals());
        signals.begin_last_calls();
        let mut console = std::mem::take(&mut self.console);
        self.phase(world, 12, |vm| {
            let lua = vm.lua();
            testing::turns::end(vm);
            store::with(lua, |runtime| runtime.cinematics.scenes.is_level_over = true);
            let _ = lend::with_world(lua, |world: &mut World| world.events.close());
            let _ = lend::with_world(lua, ops::walks::end_level);
            // Before they hear that their walks have settled, so that no task goes on to its next step.
            cancel_tasks(vm);
            // While the scenes are there whose walks these are.
            dispatch::run(vm);
            cinematic::end_all(vm);
            // The end of the scenes is heard as well.
            dispatch::run(vm);
            cancel_tasks(vm);
            cinematic::end_all(vm); // those that the last callbacks have begun
            for owner in store::with(lua, |runtime| runtime.actors.behaviours.owners()) {
                invoke::end_behaviour(vm, owner, "levelEnd");
            }
            invoke::end_level_script(vm, "levelEnd");
            console.end(vm);
            let _ = lend::with_world(lua, ops::walks::end_level);
            leave_undelivered(vm);
        });
        signals.end_last_calls();
        world.events.tell_dropped();
    }

    /// Owners that were switched off after their faults and have not been started again.
    #[must_use]
    pub fn switched_off(&self) -> Vec<SwitchedOff> {
        let mut all = Vec::new();
        let is_off = store::with(self.vm.lua(), |runtime| runtime.owners.level.is_none());
        if let Some(name) = self.level_script.as_ref().filter(|_| is_off && !self.is_over) {
            let name = self.vm.resolve(name).unwrap_or_else(|_| name.clone());
            all.push(owner_end::level_script_off(&self.vm, &name));
        }
        all.extend(behaviour::all_switched_off(&self.vm));
        all
    }

    /// What `level.finish` was called with first.
    #[must_use]
    pub fn outcome(&self) -> Option<LevelOutcome> {
        level::outcome(self.vm.lua())
    }

    /// The last values of `level.measure`.
    #[must_use]
    pub fn measures(&self) -> BTreeMap<String, f64> {
        level::measures(self.vm.lua())
    }

    /// Faults so far.
    #[must_use]
    pub fn fault_count(&self) -> u64 {
        store::with(self.vm.lua(), |runtime| runtime.faults.count)
    }

    /// Whether nothing but counts has ended a call: false once the watchdog has.
    #[must_use]
    pub fn is_reproducible(&self) -> bool {
        store::with(self.vm.lua(), |runtime| !runtime.faults.is_disturbed)
    }

    /// Whether what scripts keep fills the memory of the level, so that it cannot go on.
    #[must_use]
    pub fn is_memory_exhausted(&self) -> bool {
        self.vm.memory_exhausted()
    }

    /// Hashes of the random streams, and of everything else the host keeps for scripts that can change the
    /// future.
    #[must_use]
    pub fn hash(&self) -> (u64, u64) {
        hashes(self.vm.lua())
    }

    /// Bytes that the host keeps for scripts, as the memory of the level knows of them.
    #[cfg(test)]
    pub(crate) fn host_bytes(&self) -> usize {
        crate::script::vm::machine_of(self.vm.lua()).expect("every VM has one").account.host_bytes()
    }

    /// Calls each `update` alone from now on.
    #[cfg(test)]
    pub(crate) fn update_one_by_one(&mut self) {
        store::with(self.vm.lua(), |runtime| runtime.actors.roster.is_one_by_one = true);
    }

    /// Adds, begins and ends every task by itself from now on.
    #[cfg(test)]
    pub(crate) fn go_the_plain_way(&mut self) {
        store::with(self.vm.lua(), |runtime| runtime.tasks.goes_the_plain_way = true);
    }

    /// Whether a debugger is connected.
    pub(crate) fn is_debugged(&self) -> bool {
        self.debugger.is_some()
    }

    /// Whether the end of a tick is of interest to a debugger.
    pub(crate) fn debugger_wants_to_look(&self) -> bool {
        self.debugger.as_ref().is_some_and(Debugger::wants_to_look)
    }

    /// Whether a debugger stops at events.
    pub(crate) fn stops_at_events(&self) -> bool {
        self.debugger.as_ref().is_some_and(Debugger::stops_at_events)
    }

    /// The first of these names of an event that a debugger stops at.
    pub(crate) fn stop_of<'a>(&self, names: &[&'a str]) -> Option<&'a str> {
        self.debugger.as_ref()?.stop_of(names)
    }

    /// Lets the debugger look, between two ticks.
    pub(crate) fn debug_between_ticks(&mut self, world: &mut World, stops: Vec<StopReason>) {
        let Some(debugger) = &self.debugger else { return };
        let lua = self.vm.lua();
        let _at_hand = store::AtHand::begin(lua);
        lend::phase(lua, world, |lua| debugger.between_ticks(lua, stops));
    }

    /// Lends the world for one phase.
    pub(super) fn phase<R>(&mut self, world: &mut World, step: u32, run: impl FnOnce(&ScriptVm) -> R) -> R {
        let (now, rate) = (world.tick(), world.rate());
        store::with(self.vm.lua(), |runtime| {
            runtime.clock.now = now;
            runtime.clock.rate = rate;
            runtime.clock.step = step;
        });
        let vm = &self.vm;
        let _at_hand = store::AtHand::begin(vm.lua());
        profile::begin_step(vm.lua(), now.0);
        let result = lend::phase(vm.lua(), world, |_| run(vm));
        profile::end_step(vm.lua());
        debug_assert!(store::with(vm.lua(), |runtime| runtime.running.is_settled()));
        result
    }
}

/// A `state` that is not plain data is a fault that names the key.
fn check_state(vm: &ScriptVm, state: &Table) {
    let owner = store::with(vm.lua(), |runtime| runtime.owners.of_level());
    invoke::check_state(vm, owner, "state", Value::Table(state.clone()));
}

/// In tests after every tick: `state`, and the state of every behaviour.
fn check_states(vm: &ScriptVm, state: &Table) {
    check_state(vm, state);
    for owner in store::with(vm.lua(), |runtime| runtime.actors.behaviours.owners()) {
        behaviour::check_state(vm, owner);
    }
}

/// `print` is `log.info`: its lines keep their order among the others, and count with them.
const PRINT: &str = r##"
local info, tostring, concat, select = ...
return function(...)
    local shown = {}
    for i = 1, select("#", ...) do
        shown[i] = tostring((select(i, ...)))
    end
    info("%s", concat(shown, "\t"))
end
"##;

/// Gives a VM the tables of the scheduler, empty. Bindings need nothing else of it.
pub fn install_tables(lua: &Lua, settings: &Settings) {
    store::install(lua, Runtime::new(settings.limits.clone()));
}

/// Gives the VM every name that scripts see, and the host's tables; returns `state`.
pub(crate) fn prepare(vm: &ScriptVm, settings: &Settings, args: &[String]) -> mlua::Result<Table> {
    let lua = vm.lua();
    install_tables(lua, settings);
    testing::install(lua);
    let prelude = prelude(vm)?;
    let waiting = |entry: &Binding| -> Option<Function> {
        prelude.raw_get::<Value>(format!("{}.{}", entry.owner, entry.name())).ok()?.as_function().cloned()
    };
    let state = bind::install(vm, &BindingSetup { args, waiting: &waiting })?;
    let globals = vm.globals();
    let (log, table): (Table, Table) = (globals.raw_get("log")?, globals.raw_get("table")?);
    let print: Function = vm.own_chunk(PRINT)?.call((
        log.raw_get::<Function>("info")?,
        globals.raw_get::<Function>("tostring")?,
        table.raw_get::<Function>("concat")?,
        globals.raw_get::<Function>("select")?,
    ))?;
    vm.define("print", print)?;
    vm.seal()?;
    state.set_readonly(false);
    Ok(state)
}

/// The functions that wait, by `Type.name`.
fn prelude(vm: &ScriptVm) -> mlua::Result<Table> {
    let lua = vm.lua();
    let globals = vm.globals();
    let coroutine: Table = globals.raw_get("coroutine")?;
    let error: Function = globals.raw_get("error")?;
    let yielding: Function = coroutine.raw_get("yield")?;
    let pcall: Function = globals.raw_get("pcall")?;
    let natives = wait_requests::natives(lua)?;
    scene::add_natives(lua, &natives)?;
    let wait = vm.own_chunk(include_str!("prelude/wait.lua"))?;
    let (answer, waiting): (Function, Function) = wait.call((&yielding, &error))?;
    let tasks = vm.own_chunk(include_str!("prelude/task.lua"))?;
    let waits: Table = tasks.call((&natives, &answer, &waiting, &yielding))?;
    let scenes = vm.own_chunk(include_str!("prelude/scene.lua"))?;
    let waits: Table = scenes.call((natives, &answer, &waiting, &yielding, &error, &pcall, waits))?;
    let tests = vm.own_chunk(include_str!("prelude/test.lua"))?;
    let natives = bind::test_waits::natives(lua)?;
    let tests: Table = tests.call((natives, answer, waiting, yielding, error, pcall))?;
    for pair in tests.pairs::<String, Function>() {
        let (name, function) = pair?;
        waits.raw_set(name, function)?;
    }
    Ok(waits)
}

/// Environment and result of a file.
fn load(vm: &ScriptVm, name: &str) -> Result<(Table, Value), StartError> {
    let loaded = vm.load(name).map_err(|failure| StartError::Load(Box::new(failure)))?;
    Ok((loaded.environment, loaded.result))
}

fn class(vm: &ScriptVm, name: &str) -> Result<Rc<Class>, StartError> {
    let (_, result) = load(vm, name)?;
    let lua = vm.lua();
    if let Value::Table(table) = &result
        && let Some(class) = store::with(lua, |runtime| runtime.actors.behaviours.class_of(table))
    {
        return Ok(class);
    }
    let file = vm.resolve(name).unwrap_or_else(|_| name.to_owned());
    behaviour::define(lua, &file, &result)
        .map_err(|what| StartError::Behaviour { name: name.to_owned(), what })
}

/// Cancels every task because the level ends, and runs what they want done then. Trees are left first: an
/// action that is cancelled has not failed.
fn cancel_tasks(vm: &ScriptVm) {
    let lua = vm.lua();
    for owner in store::with(lua, |runtime| runtime.actors.behaviours.owners()) {
        invoke::end_tree(vm, owner, Why::LevelEnd);
    }
    for task in store::with(lua, |runtime| runtime.tasks.all()) {
        task::cancel(lua, task, Why::LevelEnd);
    }
    invoke::clean_up(vm);
}

/// Work that is left when the level has ended is reported, not run.
fn leave_undelivered(vm: &ScriptVm) {
    let lua: &Lua = vm.lua();
    let left = lend::with_world(lua, |world: &mut World| {
        let mut left = Vec::new();
        while let Some(event) = world.events.pop() {
            if let Fact::WalkSettled(id) = event
                && let Some(serial) = world.walks.get(id).map(|walk| walk.serial)
            {
                world.walks.deliver(id);
                left.push((id, serial));
            }
        }
        left
    });
    for (id, serial) in left.unwrap_or_default() {
        if store::with(lua, |runtime| runtime.registered.handlers.take_walk(id)).is_some() {
            dispatch::undelivered(vm, serial, "levelEnd");
        }
    }
    store::with(lua, |runtime| runtime.queue.clear());
}
