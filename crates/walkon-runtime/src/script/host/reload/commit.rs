//! Commits a reload: replaces old code instance by instance, or restores everything.
//!
//! In: code that was loaded aside, the owners that are to change. Out: all of them changed, or a refusal.
//! Holds: everything that can be checked in advance is: parameters, handlers of walks, `migrate`; then for
//! each, the level script first, then characters by id: `stop`, the end of what the old code had registered,
//! a fresh `self` with the old state, `migrate`, `start`; a fault in the new code takes all of it back, and
//! state, boards and random streams with it. Walks, and timers whose handlers are names, go on. Things that
//! cannot be kept (a part of a state that is not plain data, a timer whose handler the new code does not
//! have) are left out and named: leftovers of the old code never keep new code out. Not here: which files
//! have changed (`reload`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mlua::{Function, IntoLuaMulti, MultiValue, Table, Value};

use crate::base::ids::CharacterId;
use crate::base::ordered::CollectOrdered;
use crate::base::value::Plain;
use crate::script::host::reload::level_change::LevelChange;
use crate::script::host::reload::of_world::OfWorld;
use crate::script::host::reload::refusal::{ChangedTexts, Misfit, ReloadError};
use crate::script::state::behaviours::{Class, GivenBehaviour, Suspended};
use crate::script::state::boards::Boards;
use crate::script::state::scenes::Definitions;
use crate::script::state::streams::Streams;
use crate::script::state::tasks::Why;
use crate::script::step::behaviour::ReboundClass;
use crate::script::step::cinematic::reload::{self as scenes, Restart};
use crate::script::step::invoke::{self, Call};
use crate::script::step::{behaviour, level_script, owner_end, params, plain_state, timer};
use crate::script::vm::convert::Argument;
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::files::ScriptTexts;
use crate::script::vm::{ScriptVm, VmBefore, lend, payload, store};
use crate::world::World;
use crate::world::ops;
use crate::world::owner::Owner;

/// What was loaded aside.
#[derive(Debug)]
pub(super) struct StagedScripts {
    /// All classes, the new ones in the place of the old.
    pub(super) classes: Vec<Rc<Class>>,
    /// The owners that are to change: the level script, then characters by id.
    pub(super) targets: Vec<ReloadTarget>,
    /// Scenes that begin again.
    pub(super) scenes: Vec<Restart>,
    /// Names of the files whose texts are other ones now.
    pub(super) changed: BTreeSet<String>,
}

/// An owner that is to change.
#[derive(Debug)]
pub(super) enum ReloadTarget {
    /// The level script gets a new environment.
    Level { environment: Table },
    /// A behaviour gets a new class, and parameters.
    Instance { owner: Owner, class: Rc<Class>, given: Plain },
    /// A behaviour that was switched off comes back.
    Suspended { character: CharacterId, class: Rc<Class>, suspended: Suspended },
    /// A character gets another behaviour.
    Attach { character: CharacterId, class: Rc<Class>, asked: String, given: Plain },
    /// A character loses its behaviour.
    Detach { character: CharacterId },
}

/// The reason that scripts get when they begin again: their code was replaced.
const RELOAD: &str = "reload";

/// And: the level was loaded.
const LOAD: &str = "load";

/// How far an owner has changed, and its state before.
#[derive(Debug)]
enum Undo {
    Level { owner: Owner, environment: Table, is_started: bool },
    LevelRevived,
    Nothing,
    Instance { owner: Owner, class: Rc<Class>, given: Plain, params: Plain, state: Plain, is_started: bool },
    Revived { character: CharacterId, suspended: Suspended },
}

impl Undo {
    /// The owner that gets its old code again.
    fn owner(&self) -> Option<Owner> {
        match self {
            Self::Level { owner, .. } | Self::Instance { owner, .. } => Some(*owner),
            Self::LevelRevived | Self::Nothing | Self::Revived { .. } => None,
        }
    }
}

/// Checks everybody, then changes everybody. The world is lent, and on the new `level` where there is one.
///
/// # Errors
/// When a part of it is refused: then everything is as it was. Else gives sentences about things that were
/// not kept.
pub(super) fn run(
    vm: &ScriptVm,
    staged: StagedScripts,
    shared: &Table,
    before: VmBefore,
    level: Option<&mut dyn LevelChange>,
) -> Result<Vec<String>, ReloadError> {
    let lua = vm.lua();
    if let Err(refusal) = check(vm, &staged) {
        vm.restore(before);
        return Err(refusal);
    }
    let mut notes = Vec::new();
    let shared_before = keep_plain(vm, "state", shared, &mut notes);
    let old = store::with(lua, |runtime| Old {
        vm: before,
        shared: shared_before,
        youngest_timer: runtime.registered.timers.last(),
        classes: runtime.actors.behaviours.classes().to_vec(),
        definitions: runtime.cinematics.scenes.definitions(),
        boards: runtime.boards.clone(),
        streams: runtime.streams.clone(),
        work: runtime.queue.behind_deliveries(),
        of_world: level.is_some().then(|| OfWorld::of(runtime)),
    });
    store::with(lua, |runtime| runtime.actors.behaviours.set_classes(staged.classes));
    let (changed, changed_files) = (changed_owners(vm, &staged.targets), staged.changed);
    let mut undos = Vec::new();
    let mut later = Vec::new();
    for target in staged.targets {
        if !is_there(vm, &target) {
            continue;
        }
        let file = file_of(vm, &target);
        let changed = match target {
            ReloadTarget::Level { environment } => change_level(vm, environment),
            ReloadTarget::Instance { owner, class, given } => {
                change_instance(vm, owner, class, given, &mut notes)
            }
            ReloadTarget::Suspended { character, class, suspended } => {
                revive(vm, character, class, suspended, RELOAD)
            }
            ReloadTarget::Attach { .. } | ReloadTarget::Detach { .. } => {
                later.push(target);
                continue;
            }
        };
        match changed {
            Ok(undo) => undos.push(undo),
            Err(failed) => {
                let (undo, failure) = *failed;
                undos.push(undo);
                let ran = ran_on(vm, &file, &changed_files);
                take_back(vm, undos, shared, old, level);
                return Err(ReloadError { ran, ..failure.into() });
            }
        }
    }
    changed.iter().for_each(|(owner, names)| drop_missing(vm, *owner, names, &mut notes));
    later.into_iter().filter(|target| is_there(vm, target)).for_each(|target| attach_or_detach(vm, target));
    scenes::begin_again(vm, staged.scenes);
    Ok(notes)
}

/// The file of the code that an owner gets; empty when it gets none.
fn file_of(vm: &ScriptVm, target: &ReloadTarget) -> String {
    match target {
        ReloadTarget::Level { environment } => vm.loads().name_of(environment).unwrap_or_default(),
        ReloadTarget::Instance { class, .. }
        | ReloadTarget::Suspended { class, .. }
        | ReloadTarget::Attach { class, .. } => class.file.clone(),
        ReloadTarget::Detach { .. } => String::new(),
    }
}

/// What code of a file runs on: the file with all that it requires, and what requires one of those that have
/// changed.
fn ran_on(vm: &ScriptVm, file: &str, changed: &BTreeSet<String>) -> BTreeSet<String> {
    let mut ran = vm.loads().base_of(file);
    let new = ran.intersection(changed).cloned().collect_set();
    ran.extend(vm.loads().unit(&new, &vm.texts()));
    ran
}

/// Whether new code of others has not removed its character meanwhile. One that is removed hears of that
/// alone, from the code that it has.
fn is_there(vm: &ScriptVm, target: &ReloadTarget) -> bool {
    let character = match target {
        ReloadTarget::Level { .. } => None,
        ReloadTarget::Instance { owner, .. } => character_of(vm, *owner),
        ReloadTarget::Suspended { character, .. }
        | ReloadTarget::Attach { character, .. }
        | ReloadTarget::Detach { character } => Some(*character),
    };
    character.is_none_or(|character| behaviour::is_alive(vm.lua(), character))
}

fn character_of(vm: &ScriptVm, owner: Owner) -> Option<CharacterId> {
    store::with(vm.lua(), |runtime| runtime.actors.behaviours.get(owner).map(|instance| instance.character))
}

/// The plain parts of a shared state; the rest is taken out of it, with a sentence each.
fn keep_plain(vm: &ScriptVm, name: &str, state: &Table, notes: &mut Vec<String>) -> Plain {
    let given = Value::Table(state.clone());
    let (kept, left_out) = plain_state::salvage(vm.lua(), name, &given, vm.limits().state_kib);
    if !left_out.is_empty() {
        write_back(vm, state, &kept);
        notes.extend(left_out.iter().map(|what| not_kept(what)));
    }
    kept
}

fn not_kept(what: &str) -> String {
    format!("{what} and was not kept")
}

/// The owners that get new code and go on, each with the table in which the names of its handlers are looked
/// up from then on.
fn changed_owners(vm: &ScriptVm, targets: &[ReloadTarget]) -> Vec<(Owner, Table)> {
    let level = store::with(vm.lua(), |runtime| runtime.owners.level.as_ref().map(|(owner, _)| *owner));
    let changed = targets.iter().filter_map(|target| match target {
        ReloadTarget::Level { environment } => Some((level?, environment.clone())),
        ReloadTarget::Instance { owner, class, .. } => Some((*owner, class.table.clone())),
        _ => None,
    });
    changed.collect()
}

/// Everything of the scripts that was before, to go back to.
#[derive(Debug)]
struct Old {
    vm: VmBefore,
    shared: Plain,
    youngest_timer: u64,
    classes: Vec<Rc<Class>>,
    definitions: Definitions,
    boards: Boards,
    streams: Streams,
    /// How much work there was.
    work: usize,
    /// What is known of the world, where that goes back, too.
    of_world: Option<OfWorld>,
}

/// What can be asked before anything changes.
fn check(vm: &ScriptVm, staged: &StagedScripts) -> Result<(), ReloadError> {
    let lua = vm.lua();
    for restart in &staged.scenes {
        let file = restart.file().unwrap_or_default();
        let path = vm.texts().get(file).map_or_else(|| file.to_owned(), |file| file.path.clone());
        scenes::can_begin(vm, restart).map_err(|what| refused(&path, what))?;
    }
    for target in &staged.targets {
        match target {
            ReloadTarget::Instance { owner, class, given } => {
                let parts = store::with(lua, |runtime| runtime.actors.behaviours.parts(*owner));
                let Some((character, old, ..)) = parts else { continue };
                fits(vm, character, class, given)?;
                can_migrate(vm, class, old.version)?;
                has_handlers(vm, *owner, &class.table, &path(vm, class))?;
            }
            ReloadTarget::Suspended { character, class, suspended } => {
                fits(vm, *character, class, &suspended.given)?;
                if suspended.state.is_some() {
                    can_migrate(vm, class, suspended.version)?;
                }
            }
            ReloadTarget::Attach { character, class, given, .. } => fits(vm, *character, class, given)?,
            ReloadTarget::Level { environment } => {
                let level =
                    store::with(lua, |runtime| runtime.owners.level.as_ref().map(|(owner, _)| *owner));
                if let Some(owner) = level {
                    let name = vm.loads().name_of(environment).unwrap_or_default();
                    let path = vm.texts().get(&name).map_or(name.clone(), |file| file.path.clone());
                    has_handlers(vm, owner, environment, &path)?;
                }
            }
            ReloadTarget::Detach { .. } => {}
        }
    }
    Ok(())
}

fn path(vm: &ScriptVm, class: &Class) -> String {
    vm.texts().get(&class.file).map_or_else(|| class.file.clone(), |file| file.path.clone())
}

fn refused(path: &str, what: String) -> ReloadError {
    CallFailure::new(FaultKind::Error, what, Some((path, 1))).into()
}

/// The parameters that a character gives are those that the class wants.
fn fits(vm: &ScriptVm, character: CharacterId, class: &Class, given: &Plain) -> Result<(), ReloadError> {
    fill(vm, class, given).map(|_| ()).map_err(|what| {
        let name = lend::with_world(vm.lua(), |world: &mut World| world.name_of(character).to_owned());
        misfit(vm, class, name.unwrap_or_default(), what)
    })
}

/// The parameters that a level gives its characters name what is in the level. Behaviours of `changed` files
/// are left out: their new code says what they take.
pub(super) fn fits_level<'a>(
    vm: &ScriptVm,
    level: &World,
    given: impl Iterator<Item = (&'a str, &'a GivenBehaviour)>,
    changed: &ChangedTexts,
) -> Result<(), ReloadError> {
    let changed: BTreeSet<_> =
        changed.keys().filter_map(|path| ScriptTexts::name_of_path(path)).collect_set();
    for (character, GivenBehaviour { name, params }) in given {
        let Ok(file) = vm.resolve(name) else { continue };
        let known = store::with(vm.lua(), |runtime| {
            runtime.actors.behaviours.classes().iter().find(|class| class.file == file).cloned()
        });
        let Some(class) = known.filter(|class| !changed.contains(class.file.as_str())) else { continue };
        params::fill(&class.params, params, Some(level))
            .map_err(|what| misfit(vm, &class, character.to_owned(), what))?;
    }
    Ok(())
}

fn misfit(vm: &ScriptVm, class: &Class, character: String, what: String) -> ReloadError {
    let refusal = refused(&path(vm, class), format!("character \"{character}\": {what}"));
    let parameter = params::parameter_of(&what).map(str::to_owned);
    ReloadError { misfit: Some(Box::new(Misfit { character, parameter, what })), ..refusal }
}

fn fill(vm: &ScriptVm, class: &Class, given: &Plain) -> Result<Plain, String> {
    let filled =
        lend::with_world(vm.lua(), |world: &mut World| params::fill(&class.params, given, Some(world)));
    filled.map_err(|error| error.to_string())?
}

/// Another version has to say what becomes of the state.
fn can_migrate(vm: &ScriptVm, class: &Class, from: u64) -> Result<(), ReloadError> {
    let has = || class.table.raw_get::<Value>("migrate").is_ok_and(|migrate| migrate.is_function());
    if class.version == from || has() {
        return Ok(());
    }
    let what = format!("version is {}, after {from}; expected a function migrate(self, from)", class.version);
    Err(refused(&path(vm, class), what))
}

/// Handlers of walks that go on, by name. A walk ends, and the next save is taken then.
fn has_handlers(vm: &ScriptVm, owner: Owner, names: &Table, path: &str) -> Result<(), ReloadError> {
    let used = store::with(vm.lua(), |runtime| runtime.registered.handlers.names_of(owner));
    has_all(names, used.iter(), || path.to_owned())
}

/// Refuses a table that lacks a handler of one of these names.
fn has_all<'a>(
    table: &Table,
    mut used: impl Iterator<Item = &'a String>,
    path: impl FnOnce() -> String,
) -> Result<(), ReloadError> {
    let Some(name) = used.find(|name| is_missing(table, name)) else { return Ok(()) };
    let what = format!("a walk under way calls \"{name}\", which is missing");
    Err(refused(&path(), format!("{what}; keep the function, or save again after the walk has ended")))
}

fn is_missing(names: &Table, name: &str) -> bool {
    !names.raw_get::<Value>(name).is_ok_and(|value: Value| value.is_function())
}

/// Timers go on that have a handler by name. One may repeat for ever, so what the new code has no handler for
/// ends, with a sentence.
fn drop_missing(vm: &ScriptVm, owner: Owner, names: &Table, notes: &mut Vec<String>) {
    let lua = vm.lua();
    if store::with(lua, |runtime| runtime.owners.get(owner).is_none_or(|record| record.timers == 0)) {
        return;
    }
    let label = store::with(lua, |runtime| runtime.owners.label(owner));
    for name in store::with(lua, |runtime| runtime.registered.timers.names_of(owner)) {
        if is_missing(names, &name) {
            for id in store::with(lua, |runtime| runtime.registered.timers.named(owner, &name)) {
                timer::end(lua, id);
            }
            notes.push(format!("{label}: handler \"{name}\" is missing and its timers ended"));
        }
    }
}

/// Calls a function that may not wait; its failure is the caller's to deal with.
fn attempt(
    vm: &ScriptVm,
    owner: Owner,
    name: &'static str,
    function: &Function,
    args: impl IntoLuaMulti,
) -> Result<(), CallFailure> {
    let call = Call::plain(owner, name);
    let result = invoke::within(vm, &call, || vm.run(function, args, vm.limits().fuel_per_call));
    invoke::clean_up(vm);
    result
}

/// Calls a method of a behaviour, if it has it.
fn attempt_method(
    vm: &ScriptVm,
    owner: Owner,
    name: &'static str,
    args: impl IntoLuaMulti,
) -> Result<(), CallFailure> {
    let Some((function, this)) = behaviour::method(vm.lua(), owner, name) else {
        return Ok(());
    };
    let mut all = MultiValue::from_iter([Value::Table(this)]);
    all.extend(args.into_lua_multi(vm.lua()).unwrap_or_default());
    attempt(vm, owner, name, &function, all)
}

/// Tells old code to stop. Faults in it are reported and do not count against the new code.
fn stop(vm: &ScriptVm, owner: Owner, stopped: Result<(), CallFailure>) {
    if let Err(failure) = stopped {
        store::with(vm.lua(), |runtime| runtime.faults.strikes.forget(&owner));
        invoke::report(vm, &Call::plain(owner, "stop"), failure);
    }
    end_registered(vm, owner);
}

fn end_registered(vm: &ScriptVm, owner: Owner) {
    invoke::end_tree(vm, owner, Why::Reload);
    owner_end::end_belongings(vm.lua(), owner, Why::Reload);
    store::with(vm.lua(), |runtime| runtime.cinematics.scenes.forget_definitions(owner));
    invoke::clean_up(vm);
}

type CommitResult = Result<Undo, Box<(Undo, CallFailure)>>;

fn change_instance(
    vm: &ScriptVm,
    owner: Owner,
    class: Rc<Class>,
    given: Plain,
    notes: &mut Vec<String>,
) -> CommitResult {
    let lua = vm.lua();
    let parts = store::with(lua, |runtime| runtime.actors.behaviours.parts(owner));
    let Some((character, old, this, _, old_given)) = parts else {
        // The code of another instance has ended it meanwhile.
        return Ok(Undo::Nothing);
    };
    let from = old.version;
    let limit_kib = vm.limits().state_kib;
    let field = |key: &str| this.raw_get::<Value>(key).unwrap_or(Value::Nil);
    let params = payload::read(lua, &Argument::new("reload", "params", field("params")), limit_kib);
    let params = params.unwrap_or_else(|_| invoke::map([]));
    let (state, _) = plain_state::salvage(lua, "self.state", &field("state"), limit_kib);
    let mut undo = Undo::Instance { owner, class: old, given: old_given, params, state, is_started: false };
    stop(vm, owner, attempt_method(vm, owner, "stop", "reload"));
    if !behaviour::is_alive(lua, character) {
        owner_end::end_stopped_behaviour(vm, owner);
        return Ok(Undo::Nothing);
    }
    let (kept, left_out) = plain_state::salvage(lua, "self.state", &field("state"), limit_kib);
    let state = field("state").as_table().cloned().filter(|_| left_out.is_empty());
    let label = store::with(lua, |runtime| runtime.owners.label(owner));
    notes.extend(left_out.iter().map(|what| format!("{label}: {}", not_kept(what))));
    let is_whole = state.is_some();
    let begun = fill(vm, &class, &given)
        .map_err(|what| CallFailure::new(FaultKind::Error, what, None))
        .and_then(|params| rebind(vm, owner, ReboundClass { class, given: &given, params: &params }, state))
        .and_then(|()| if is_whole { Ok(()) } else { refill(vm, owner, &kept) })
        .and_then(|()| begin(vm, owner, Some(from), RELOAD));
    match begun {
        Ok(()) => {
            if let Undo::Instance { is_started, .. } = &mut undo {
                *is_started = true;
            }
            Ok(undo)
        }
        Err(failure) => Err(Box::new((undo, failure))),
    }
}

fn rebind(
    vm: &ScriptVm,
    owner: Owner,
    class: ReboundClass<'_>,
    state: Option<Table>,
) -> Result<(), CallFailure> {
    let state = state.map_or_else(|| vm.lua().create_table(), Ok);
    let bound = state.and_then(|state| behaviour::rebind(vm, owner, class, &state));
    bound.map_err(|error| {
        CallFailure::new(FaultKind::Memory, crate::script::vm::fault::text_of_error(&error), None)
    })
}

/// Fills a fresh state: `init` says what belongs in it, and what was kept of the old one takes the place of
/// that.
fn refill(vm: &ScriptVm, owner: Owner, kept: &Plain) -> Result<(), CallFailure> {
    let lua = vm.lua();
    let Some(this) = store::with(lua, |runtime| runtime.actors.behaviours.this(owner)) else { return Ok(()) };
    attempt_method(vm, owner, "init", ())?;
    let state = match this.raw_get::<Value>("state") {
        Ok(Value::Table(state)) => Ok(state),
        _ => lua.create_table(),
    };
    let filled = state.and_then(|state| {
        if let Value::Table(kept) = payload::write(lua, kept)? {
            for pair in kept.pairs::<Value, Value>() {
                let (key, value) = pair?;
                state.raw_set(key, value)?;
            }
        }
        this.raw_set("state", state)
    });
    filled.map_err(|error| {
        CallFailure::new(FaultKind::Memory, crate::script::vm::fault::text_of_error(&error), None)
    })
}

/// `migrate` where the version is another one, `start`, and `run`.
fn begin(vm: &ScriptVm, owner: Owner, from: Option<u64>, why: &'static str) -> Result<(), CallFailure> {
    let lua = vm.lua();
    let parts = store::with(lua, |runtime| runtime.actors.behaviours.parts(owner));
    let Some((_, class, this, ..)) = parts else { return Ok(()) };
    if let Some(from) = from.filter(|from| *from != class.version) {
        attempt_method(vm, owner, "migrate", from as f64)?;
    }
    let state = this.raw_get::<Value>("state").unwrap_or(Value::Nil);
    plain_state::read(vm, &Call::plain(owner, "migrate"), "self.state", state)?;
    start(vm, owner, why)?;
    behaviour::start_code(vm, owner);
    Ok(())
}

/// `start` of a behaviour that begins again: timers from before are not doubled by those that it makes.
fn start(vm: &ScriptVm, owner: Owner, why: &'static str) -> Result<(), CallFailure> {
    store::with(vm.lua(), |runtime| runtime.registered.timers.begin_again(owner));
    attempt_method(vm, owner, "start", why)
}

fn change_level(vm: &ScriptVm, environment: Table) -> CommitResult {
    let lua = vm.lua();
    let Some((owner, old)) = store::with(lua, |runtime| runtime.owners.level.clone()) else {
        level_script::begin(vm, environment);
        return start_level(vm, RELOAD)
            .map(|()| Undo::LevelRevived)
            .map_err(|failure| Box::new((Undo::LevelRevived, failure)));
    };
    let stopped = match owner_end::function_of(&old, "onStop") {
        Some(function) => attempt(vm, owner, "onStop", &function, "reload"),
        None => Ok(()),
    };
    stop(vm, owner, stopped);
    set_level(vm, owner, environment);
    let undo = |is_started| Undo::Level { owner, environment: old, is_started };
    match start_level(vm, RELOAD) {
        Ok(()) => Ok(undo(true)),
        Err(failure) => Err(Box::new((undo(false), failure))),
    }
}

fn set_level(vm: &ScriptVm, owner: Owner, environment: Table) {
    store::with(vm.lua(), |runtime| {
        if let Some(record) = runtime.owners.get_mut(owner) {
            record.names = Some(environment.clone());
        }
        runtime.faults.strikes.forget(&owner);
        runtime.owners.level = Some((owner, environment));
    });
}

/// `onStart` of the level script, as [`start`].
fn start_level(vm: &ScriptVm, why: &'static str) -> Result<(), CallFailure> {
    let found = store::with(vm.lua(), |runtime| {
        let level = runtime.owners.level.clone();
        level.inspect(|(owner, _)| runtime.registered.timers.begin_again(*owner))
    });
    match found
        .and_then(|(owner, environment)| Some((owner, owner_end::function_of(&environment, "onStart")?)))
    {
        Some((owner, function)) => attempt(vm, owner, "onStart", &function, why),
        None => Ok(()),
    }
}

/// A behaviour that was switched off comes back, with its state as far as that was plain data.
fn revive(
    vm: &ScriptVm,
    character: CharacterId,
    class: Rc<Class>,
    suspended: Suspended,
    why: &'static str,
) -> CommitResult {
    let lua = vm.lua();
    let undo = Undo::Revived { character, suspended: suspended.clone() };
    let created = behaviour::create(vm, character, class, &suspended.asked, &suspended.given);
    let owner = match created {
        Ok(owner) => owner,
        Err(what) => return Err(Box::new((undo, CallFailure::new(FaultKind::Error, what, None)))),
    };
    behaviour::pause_if_held(lua, character, owner);
    let this = store::with(lua, |runtime| runtime.actors.behaviours.this(owner));
    let begun = match (&suspended.state, this) {
        (Some(state), Some(this)) => {
            let kept = match suspended.is_whole {
                true => payload::write(lua, state)
                    .and_then(|state| this.raw_set("state", state))
                    .map_err(|error| CallFailure::new(FaultKind::Memory, error.to_string(), None)),
                false => refill(vm, owner, state),
            };
            kept.and_then(|()| begin(vm, owner, Some(suspended.version), why))
        }
        _ => attempt_method(vm, owner, "init", ()).and_then(|()| begin(vm, owner, None, why)),
    };
    match begun {
        Ok(()) => Ok(undo),
        Err(failure) => Err(Box::new((undo, failure))),
    }
}

/// An instance that is there again after a load, before its code has begun.
#[derive(Clone, Debug)]
pub(crate) struct LoadedInstance {
    pub(crate) owner: Owner,
    /// The version of the code that left its state.
    pub(crate) from: u64,
    /// The part of its state that could be saved, when that was not all: `init` adds the rest.
    pub(crate) refill: Option<Plain>,
}

/// Checks what can be checked of an instance that is there again, before any code has begun. `used` are the
/// names of all handlers of walks.
pub(crate) fn check_loaded(
    vm: &ScriptVm,
    instance: &LoadedInstance,
    used: &BTreeMap<Owner, BTreeSet<String>>,
) -> Result<(), ReloadError> {
    let found = store::with(vm.lua(), |runtime| {
        runtime.actors.behaviours.get(instance.owner).map(|found| Rc::clone(&found.class))
    });
    let Some(class) = found else { return Ok(()) };
    can_migrate(vm, &class, instance.from)?;
    let used = used.get(&instance.owner).into_iter().flatten();
    has_all(&class.table, used, || path(vm, &class))
}

/// The same of the level script.
pub(crate) fn check_loaded_level(vm: &ScriptVm) -> Result<(), ReloadError> {
    let Some((owner, environment)) = store::with(vm.lua(), |runtime| runtime.owners.level.clone()) else {
        return Ok(());
    };
    let name = vm.loads().name_of(&environment).unwrap_or_default();
    let path = vm.texts().get(&name).map_or(name.clone(), |file| file.path.clone());
    has_handlers(vm, owner, &environment, &path)
}

/// The level script begins again after a load, as after a reload.
pub(crate) fn begin_loaded_level(vm: &ScriptVm, notes: &mut Vec<String>) {
    let Some((owner, environment)) = store::with(vm.lua(), |runtime| runtime.owners.level.clone()) else {
        return;
    };
    let _ = lend::with_world(vm.lua(), |world: &mut World| ops::blocks::end_owner(world, owner));
    let started = start_level(vm, LOAD);
    told(vm, owner, "onStart", started);
    drop_missing(vm, owner, &environment, notes);
}

/// A behaviour begins again after a load, as after a reload: `migrate`, `start`, `run`. There is no old code
/// to go back to: a behaviour that faults is switched off, with its state.
pub(crate) fn begin_loaded(vm: &ScriptVm, instance: LoadedInstance, notes: &mut Vec<String>) {
    let LoadedInstance { owner, from, refill: kept } = instance;
    let parts = store::with(vm.lua(), |runtime| runtime.actors.behaviours.parts(owner));
    let Some((_, class, this, ..)) = parts else { return };
    // Its blocks are the only thing of it that a load has kept; the listeners are those of its new code.
    let _ = lend::with_world(vm.lua(), |world: &mut World| ops::blocks::end_owner(world, owner));
    // Only `migrate` changes what was saved before `start` has it.
    let is_same = class.version == from;
    let state = || this.raw_get::<Value>("state").unwrap_or(Value::Nil);
    let saved = || plain_state::salvage(vm.lua(), "self.state", &state(), vm.limits().state_kib).0;
    let before = (!is_same).then(saved);
    let filled = match &kept {
        Some(kept) => refill(vm, owner, kept),
        None => Ok(()),
    };
    match filled.and_then(|()| begin(vm, owner, Some(from), LOAD)) {
        Ok(()) => drop_missing(vm, owner, &class.table, notes),
        Err(failure) => {
            let state = kept.or(before).unwrap_or_else(saved);
            behaviour::switch_off_loaded(vm, owner, failure, from, state);
        }
    }
}

/// A behaviour that was switched off begins again, because its file is another one than when it was saved.
pub(crate) fn revive_loaded(vm: &ScriptVm, character: CharacterId, class: Rc<Class>, suspended: Suspended) {
    if let Err(failed) = revive(vm, character, class, suspended, LOAD) {
        let (undo, failure) = *failed;
        invoke::report(vm, &Call::plain(Owner::HOST, "start"), failure);
        if let Undo::Revived { character, suspended } = undo {
            behaviour::withdraw(vm, character, suspended);
        }
    }
}

/// The level gives a character another behaviour, or none.
fn attach_or_detach(vm: &ScriptVm, target: ReloadTarget) {
    match target {
        ReloadTarget::Attach { character, class, asked, given } => {
            behaviour::detach_now(vm, character, "detached");
            if let Ok(owner) = behaviour::create(vm, character, class, &asked, &given) {
                behaviour::pause_if_held(vm.lua(), character, owner);
                behaviour::begin_or_switch_off(vm, owner);
            }
        }
        ReloadTarget::Detach { character } => behaviour::detach_now(vm, character, "detached"),
        ReloadTarget::Level { .. } | ReloadTarget::Instance { .. } | ReloadTarget::Suspended { .. } => {}
    }
}

/// Gives every changed owner the old code again, with state, boards and random streams as they were, and
/// starts it.
fn take_back(vm: &ScriptVm, undos: Vec<Undo>, shared: &Table, old: Old, level: Option<&mut dyn LevelChange>) {
    let lua = vm.lua();
    // First the new code ends everywhere, then the old code starts: no new code hears of the old.
    for undo in &undos {
        match undo {
            Undo::Level { owner, is_started, .. } => {
                let found = store::with(lua, |runtime| runtime.owners.level.clone()).filter(|_| *is_started);
                let function =
                    found.and_then(|(_, environment)| owner_end::function_of(&environment, "onStop"));
                let stopped = function.map_or(Ok(()), |stop| attempt(vm, *owner, "onStop", &stop, "reload"));
                end_new(vm, *owner, stopped, old.youngest_timer);
            }
            Undo::Instance { owner, is_started, .. } => {
                let stopped = if *is_started { attempt_method(vm, *owner, "stop", "reload") } else { Ok(()) };
                end_new(vm, *owner, stopped, old.youngest_timer);
            }
            Undo::Revived { character, suspended } => behaviour::withdraw(vm, *character, suspended.clone()),
            Undo::LevelRevived => invoke::end_level_script(vm, "fault"),
            Undo::Nothing => {}
        }
    }
    if let (Some(level), Some(of_world)) = (level, old.of_world) {
        of_world.go_back(vm, level, old.work);
        // The watches and blocks of the old code are there again, which has ended.
        undos.iter().filter_map(Undo::owner).for_each(|owner| end_registered(vm, owner));
    }
    vm.restore(old.vm);
    write_back(vm, shared, &old.shared);
    if let Ok(seed) = lend::with_world(lua, |world: &mut World| world.seed()) {
        store::with(lua, |runtime| runtime.streams.go_back(old.streams, seed));
    }
    store::with(lua, |runtime| {
        runtime.actors.behaviours.set_classes(old.classes);
        runtime.cinematics.scenes.set_definitions(old.definitions);
        runtime.boards.go_back(old.boards);
        runtime.queue.forget_board_changes(old.work);
    });
    for undo in undos {
        match undo {
            Undo::Level { owner, environment, .. } => {
                set_level(vm, owner, environment);
                let started = beginning_again(vm, owner, || start_level(vm, RELOAD));
                told(vm, owner, "onStart", started);
            }
            Undo::Instance { owner, class, given, params, state, .. } => {
                let state = payload::write(lua, &state).ok().and_then(|state| state.as_table().cloned());
                let class = ReboundClass { class, given: &given, params: &params };
                let bound = rebind(vm, owner, class, state);
                if !character_of(vm, owner).is_some_and(|character| behaviour::is_alive(vm.lua(), character))
                {
                    // What the new code has done stays.
                    told(vm, owner, "start", bound);
                    continue;
                }
                let started = bound.and_then(|()| beginning_again(vm, owner, || start(vm, owner, RELOAD)));
                told(vm, owner, "start", started);
                behaviour::start_code(vm, owner);
            }
            Undo::Revived { .. } | Undo::LevelRevived | Undo::Nothing => {}
        }
    }
}

/// Runs the start of old code, which makes its scenes again while they are under way, as new code does.
fn beginning_again<T>(vm: &ScriptVm, owner: Owner, start: impl FnOnce() -> T) -> T {
    store::with(vm.lua(), |runtime| runtime.cinematics.scenes.begin_again(Some(owner)));
    let started = start();
    store::with(vm.lua(), |runtime| runtime.cinematics.scenes.begin_again(None));
    started
}

fn end_new(vm: &ScriptVm, owner: Owner, stopped: Result<(), CallFailure>, youngest_timer: u64) {
    stop(vm, owner, stopped);
    for id in store::with(vm.lua(), |runtime| runtime.registered.timers.since(owner, youngest_timer)) {
        timer::end(vm.lua(), id);
    }
}

fn told(vm: &ScriptVm, owner: Owner, callback: &'static str, result: Result<(), CallFailure>) {
    if let Err(failure) = result {
        invoke::report(vm, &Call::plain(owner, callback), failure);
    }
}

/// Puts what was in a table back into it.
pub(crate) fn write_back(vm: &ScriptVm, table: &Table, plain: &Plain) {
    let _ = table.clear();
    let Ok(Value::Table(before)) = payload::write(vm.lua(), plain) else { return };
    for (key, value) in before.pairs::<Value, Value>().filter_map(Result::ok) {
        let _ = table.raw_set(key, value);
    }
}
