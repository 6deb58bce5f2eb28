//! Behaviours: instantiates the table of a behaviour file for a character, and runs its life cycle.
//!
//! In: tables of behaviour files, parameters. Out: instances: a `self`, an owner, a main task. Holds: a
//! character has at most one; `init` runs before `start`, `run` begins after both; an instance whose
//! character is held by a scene stands still, and nothing is lost meanwhile; `stop` of every instance that
//! began runs once. Not here: which character has which (`state::behaviours`), parameters (`params`).

use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Function, IntoLuaMulti, Lua, MultiValue, Table, Value};

use crate::base::ids::CharacterId;
use crate::base::value::Plain;
use crate::script::state::behaviours::{Class, CommonFields, Instance, Suspended};
use crate::script::state::boards::BoardOf;
use crate::script::state::callback::Callback;
use crate::script::state::owners::{OwnerKind, Owners};
use crate::script::state::tasks::{NewTask, TaskRole, Why};
use crate::script::state::waits::Delivery;
use crate::script::state::work::ScriptWork;
use crate::script::step::handlers::{self, Delivering};
use crate::script::step::invoke::{self, Call};
use crate::script::step::owner_end::{behaviour_off, suspended, take_out};
use crate::script::step::{params, plain_state, task, tree, wait};
use crate::script::vm::convert::{self, describe};
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::files::short_name;
use crate::script::vm::handles::{self, StreamId};
use crate::script::vm::payload::frozen;
use crate::script::vm::{ScriptVm, lend, payload, store};
use crate::world::World;
use crate::world::event::{Fact, LogLine, SwitchedOff};
use crate::world::owner::Owner;

const FUNCTIONS: [&str; 8] =
    ["init", "migrate", "start", "run", "update", "onWalkSettled", "onTraverse", "stop"];

/// Checks what the behaviour file called `file` returned and keeps it under the stem of its name; a sentence
/// about the first mistake. A name that another file has is made longer by a number, which only messages
/// show.
pub(crate) fn define(lua: &Lua, file: &str, result: &Value) -> Result<Rc<Class>, String> {
    let class = shape(lua, file, result)?;
    store::with(lua, |runtime| runtime.actors.behaviours.add_class(class.clone()));
    Ok(class)
}

/// Checks what the behaviour file called `file` returned; a sentence about the first mistake.
pub(crate) fn shape(lua: &Lua, file: &str, result: &Value) -> Result<Rc<Class>, String> {
    let name = short_name(file);
    let Value::Table(table) = result else {
        return Err(format!("the file returns {}, expected a table of a behaviour", describe(result)));
    };
    let get = |key: &str| table.raw_get::<Value>(key).unwrap_or(Value::Nil);
    let is_scene = get("script").is_function() && !FUNCTIONS.iter().any(|key| get(key).is_function());
    if is_scene && get("tree").is_nil() && get("on").is_nil() {
        return Err(
            "the file returns a cinematic, expected a behaviour; play it with cinematic.play".to_owned()
        );
    }
    convert::functions(table, &FUNCTIONS)?;
    let whole = |key: &str, default: u64| match get(key) {
        Value::Nil => Ok(default),
        Value::Integer(value) if value >= 1 => Ok(value as u64),
        Value::Number(value) if value >= 1.0 && libm::floor(value) == value => Ok(value as u64),
        other => Err(format!("{key} is {}, expected a whole number from 1", describe(&other))),
    };
    let version = whole("version", 1)?;
    let known = store::with(lua, |runtime| {
        let behaviours = &runtime.actors.behaviours;
        let same =
            behaviours.classes().iter().find(|class| class.file == file).map(|class| class.name.clone());
        let taken = behaviours.classes().len();
        let other = behaviours.class(name).map(|_| format!("{name} ({taken})"));
        same.or(other)
    });
    let name = known.unwrap_or_else(|| name.to_owned());
    let common = common_fields(lua, table, &name).map_err(|error| error.to_string())?;
    let class = Rc::new(Class {
        name,
        file: file.to_owned(),
        version,
        params: params::declare(lua, &get("params"))?,
        update_every_ticks: whole("updateEvery", 1)?,
        update: get("update").as_function().cloned(),
        tree: tree::read(lua, &get("tree"))?,
        on: declare_on(&get("on"))?,
        table: table.clone(),
        common,
    });
    table.set_readonly(true);
    Ok(class)
}

fn common_fields(lua: &Lua, class: &Table, name: &str) -> mlua::Result<CommonFields> {
    let metatable = lua.create_table_with_capacity(0, 2)?;
    metatable.raw_set("__index", class)?;
    metatable.raw_set("__metatable", false)?;
    metatable.set_readonly(true);
    // Lines carry the name of the behaviour, as all lines carry their owner. Not raw: the libraries lie
    // behind the globals of a sandbox.
    let log = lua.globals().get::<Value>("log")?;
    Ok(CommonFields { metatable, name: lua.create_string(name)?, log })
}

fn declare_on(value: &Value) -> Result<BTreeMap<String, Function>, String> {
    let mut on = BTreeMap::new();
    let table = match value {
        Value::Nil => return Ok(on),
        Value::Table(table) => table,
        other => return Err(format!("on is {}, expected a table of functions by event", describe(other))),
    };
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair.map_err(|error| error.to_string())?;
        match (&key, &value) {
            (Value::String(name), Value::Function(function)) => {
                on.insert(name.to_string_lossy(), function.clone());
            }
            (Value::String(name), other) => {
                let name = name.to_string_lossy();
                return Err(format!("on.{name} is {}, expected a function", describe(other)));
            }
            _ => return Err(format!("on has the key {}, expected names of events", describe(&key))),
        }
    }
    Ok(on)
}

/// Gives a character its behaviour; `init`, `start` and `run` come with [`begin`]. Else a sentence about the
/// mistake.
pub(crate) fn create(
    vm: &ScriptVm,
    character: CharacterId,
    class: Rc<Class>,
    asked: &str,
    given: &Plain,
) -> Result<Owner, String> {
    create_with(vm, character, AssignedClass { class, asked, given }, None)
}

/// A class for a character: the name by which its file was asked for, and the parameters as they are given.
pub(crate) struct AssignedClass<'a> {
    pub(crate) class: Rc<Class>,
    pub(crate) asked: &'a str,
    pub(crate) given: &'a Plain,
}

/// The same, with a state to begin with.
pub(crate) fn create_with(
    vm: &ScriptVm,
    character: CharacterId,
    AssignedClass { class, asked, given }: AssignedClass<'_>,
    state: Option<Table>,
) -> Result<Owner, String> {
    let lua = vm.lua();
    let filled = lend::with_world(lua, |world: &mut World| {
        let found = world.characters.alive(character).map(|found| (found.serial, found.name.clone()));
        let (serial, name) =
            found.ok_or_else(|| format!("character \"{}\" is gone", world.name_of(character)))?;
        let params = params::fill(&class.params, given, Some(world))?;
        Ok::<_, String>((serial, name, params, world.level.seed))
    });
    let (serial, character_name, params, seed) = filled.map_err(|error| error.to_string())??;
    let label = format!("behaviour \"{}\" of \"{character_name}\"", class.name);
    let name = format!("{character_name}/{}", class.name);
    let stream = store::with(lua, |runtime| runtime.streams.begin(seed, &name)).map(StreamId);
    let this = new_self(lua, character, &class, OwnFields { params: &params, state, stream });
    let this = this.map_err(|error| error.to_string())?;
    let owner = store::with(lua, |runtime| {
        let owner = runtime.owners.begin(OwnerKind::Behaviour(character), label);
        if let Some(record) = runtime.owners.get_mut(owner) {
            record.names = Some(class.table.clone());
            record.receiver = Some(Value::Table(this.clone()));
        }
        runtime.actors.behaviours.announce(character, serial, owner);
        owner
    });
    for (name, function) in &class.on {
        handlers::listen_on(lua, owner, character, name, function.clone());
    }
    let (asked, given) = (asked.to_owned(), given.clone());
    let instance = Instance { character, serial, class, this: Rc::new(this), asked, given };
    store::with(lua, |runtime| runtime.actors.behaviours.add(owner, instance));
    Ok(owner)
}

/// What one `self` has of its own.
struct OwnFields<'a> {
    params: &'a Plain,
    /// None for an empty one.
    state: Option<Table>,
    stream: Option<StreamId>,
}

fn new_self(
    lua: &Lua,
    character: CharacterId,
    class: &Class,
    OwnFields { params, state, stream }: OwnFields<'_>,
) -> mlua::Result<Table> {
    let stream = stream.map(|stream| handles::make(lua, stream)).transpose()?;
    let CommonFields { metatable, name, log } = &class.common;
    // All in one call: each field that the host puts in takes as long as that.
    handles::maker(lua, |makers| &makers.behaviour)?.call((
        metatable,
        handles::character(lua, character)?,
        frozen(lua, params)?,
        state.map_or_else(|| lua.create_table(), Ok)?,
        name,
        stream,
        wait::board(lua, BoardOf::Character(character))?,
        log,
    ))
}

/// Another class for an instance, with its parameters as they were given and as `self` has them.
pub(crate) struct ReboundClass<'a> {
    pub(crate) class: Rc<Class>,
    pub(crate) given: &'a Plain,
    pub(crate) params: &'a Plain,
}

/// Gives an instance another class: a fresh `self` that keeps `state`, and listeners for the new `on`. What
/// the old code had registered must have ended. Nothing of the new code runs.
pub(crate) fn rebind(
    vm: &ScriptVm,
    owner: Owner,
    ReboundClass { class, given, params }: ReboundClass<'_>,
    state: &Table,
) -> mlua::Result<()> {
    let lua = vm.lua();
    let Some((character, _, this, _, _)) = store::with(lua, |runtime| runtime.actors.behaviours.parts(owner))
    else {
        return Ok(());
    };
    let stream: Value = this.raw_get("rng")?;
    let own = OwnFields { params, state: Some(state.clone()), stream: None };
    let fresh = new_self(lua, character, &class, own)?;
    fresh.raw_set("rng", stream)?;
    store::with(lua, |runtime| {
        if let Some(record) = runtime.owners.get_mut(owner) {
            record.names = Some(class.table.clone());
            record.receiver = Some(Value::Table(fresh.clone()));
            let kept = std::mem::take(&mut record.kept);
            record.kept = kept.into_iter().filter_map(|kept| kept.under(&class.on)).collect();
        }
        runtime.owners.set_run_again(owner, None);
        runtime.faults.strikes.forget(&owner);
        if let Some(instance) = runtime.actors.behaviours.get_mut(owner) {
            instance.this = Rc::new(fresh);
            instance.class = class.clone();
            instance.given = given.clone();
        }
    });
    for (name, function) in &class.on {
        handlers::listen_on(lua, owner, character, name, function.clone());
    }
    Ok(())
}

/// Runs `init` and `start` of a new instance, and starts its `run`.
///
/// # Errors
/// What was wrong in `init`, or with the state it left: then nothing else of the instance has run.
pub(crate) fn begin(vm: &ScriptVm, owner: Owner, why: &str) -> Result<(), CallFailure> {
    init(vm, owner)?;
    let why = vm.lua().create_string(why).map(Value::String).unwrap_or(Value::Nil);
    call(vm, owner, "start", why);
    start_code(vm, owner);
    Ok(())
}

fn init(vm: &ScriptVm, owner: Owner) -> Result<(), CallFailure> {
    let Some((function, this)) = method(vm.lua(), owner, "init") else {
        return Ok(());
    };
    let call = Call::plain(owner, "init");
    let result = invoke::within(vm, &call, || vm.run(&function, &this, vm.limits().fuel_per_call));
    invoke::clean_up(vm);
    result?;
    let state = this.raw_get::<Value>("state").unwrap_or(Value::Nil);
    plain_state::read(vm, &call, "self.state", state).map(drop)
}

/// The same for a character that gets a behaviour while the level runs: with a fault in `init` it stays
/// switched off.
pub(crate) fn begin_or_switch_off(vm: &ScriptVm, owner: Owner) {
    let Err(failure) = begin(vm, owner, "attach") else {
        return;
    };
    // A state that is not plain was told as `init` returned.
    if failure.kind != FaultKind::Data {
        invoke::report(vm, &Call::plain(owner, "init"), failure);
    }
    let lua = vm.lua();
    let Some(instance) = take_out(lua, owner) else {
        return;
    };
    let suspended = Suspended { state: None, ..suspended(lua, owner, &instance, vm.limits().state_kib) };
    let off = behaviour_off(vm, instance.character, &suspended);
    store::with(lua, |runtime| {
        runtime.actors.behaviours.suspend(&instance, suspended);
    });
    invoke::push(vm, Fact::SwitchedOff(off));
    invoke::end_owner(vm, owner, Why::OwnerGone);
}

/// A behaviour that faulted as it began again after a load is switched off; it keeps the state it was saved
/// with, of that version.
pub(crate) fn switch_off_loaded(
    vm: &ScriptVm,
    owner: Owner,
    failure: CallFailure,
    version: u64,
    state: Plain,
) {
    let lua = vm.lua();
    store::with(lua, |runtime| runtime.faults.strikes.forget(&owner));
    invoke::report(vm, &Call::plain(owner, "start"), failure);
    let Some(instance) = take_out(lua, owner) else {
        return;
    };
    let kept = suspended(lua, owner, &instance, vm.limits().state_kib);
    let suspended = Suspended { version, state: Some(state), is_whole: true, ..kept };
    let off = behaviour_off(vm, instance.character, &suspended);
    store::with(lua, |runtime| {
        runtime.actors.behaviours.suspend(&instance, suspended);
    });
    invoke::push(vm, Fact::SwitchedOff(off));
    invoke::end_tree(vm, owner, Why::OwnerGone);
    invoke::end_owner(vm, owner, Why::OwnerGone);
}

/// A function of the class and the `self` to call it with.
pub(crate) fn method(lua: &Lua, owner: Owner, name: &str) -> Option<(Function, Table)> {
    let (class, this) = store::with(lua, |runtime| {
        let instance = runtime.actors.behaviours.get(owner)?;
        Some((instance.class.table.clone(), Table::clone(&instance.this)))
    })?;
    let function = class.raw_get::<Value>(name).ok()?.as_function().cloned()?;
    Some((function, this))
}

/// Calls a function of the behaviour that may not wait, if it has it.
fn call(vm: &ScriptVm, owner: Owner, name: &'static str, args: impl IntoLuaMulti) {
    if let Some((function, this)) = method(vm.lua(), owner, name) {
        invoke::run(vm, &Call::plain(owner, name), &function, (this, args));
    }
}

/// A `self.state` that is not plain data is a fault that names the key.
pub(crate) fn check_state(vm: &ScriptVm, owner: Owner) {
    let lua = vm.lua();
    let Some(this) = store::with(lua, |runtime| runtime.actors.behaviours.this(owner)) else {
        return;
    };
    let state = this.raw_get::<Value>("state").unwrap_or(Value::Nil);
    invoke::check_state(vm, owner, "self.state", state);
}

fn start_run(lua: &Lua, owner: Owner) {
    if let Some((function, this)) = method(lua, owner, "run") {
        let args = MultiValue::from_iter([Value::Table(this)]);
        let callback = "run".into();
        task::spawn(lua, NewTask { owner, callback, role: TaskRole::Run, function, args, name: None });
    }
}

/// Starts `run`, and the tree at its root.
pub(crate) fn start_code(vm: &ScriptVm, owner: Owner) {
    start_run(vm.lua(), owner);
    tree::begin(vm, owner);
}

/// A `run` that faulted a second ago begins again.
pub(crate) fn run_again(vm: &ScriptVm, owner: Owner) {
    let due = store::with(vm.lua(), |runtime| {
        if runtime.owners.is_paused(owner) { None } else { runtime.owners.set_run_again(owner, None) }
    });
    if due.is_some() {
        start_run(vm.lua(), owner);
    }
}

/// `update` of an instance.
pub(crate) fn update(vm: &ScriptVm, owner: Owner) {
    let found = store::with(vm.lua(), |runtime| {
        if runtime.owners.is_paused(owner) {
            return None;
        }
        let Instance { class, this, .. } = runtime.actors.behaviours.get(owner)?;
        let dt = class.update_every_ticks as f64 / f64::from(runtime.clock.rate.per_second());
        Some((Rc::clone(class), Rc::clone(this), dt))
    });
    let Some((class, this, dt)) = found else {
        return;
    };
    if let Some(function) = &class.update {
        invoke::run(vm, &Call::plain(owner, "update"), function, (&*this, dt));
    }
}

/// Fuel that the beginning of a behaviour takes beside its own code, and its end.
const ATTACH_PRICE: u64 = 256;

/// Whether a character is there, and not removed in this tick. The world is lent.
pub(crate) fn is_alive(lua: &Lua, character: CharacterId) -> bool {
    lend::with_world(lua, |world: &mut World| world.characters.alive(character).is_some()).unwrap_or(false)
}

/// Attaches a behaviour whose name and parameters were checked when it was asked for. Step 12.
pub(crate) fn attach_now(vm: &ScriptVm, character: CharacterId, name: &str, given: &Plain) {
    let lua = vm.lua();
    let class = store::with(lua, |runtime| runtime.actors.behaviours.class(name));
    let Some(class) = class.filter(|_| is_alive(lua, character)) else {
        return;
    };
    vm.spend(ATTACH_PRICE + payload::price_of(given));
    detach_now(vm, character, "detached");
    let asked = class.file.clone();
    match create(vm, character, class, &asked, given) {
        Ok(owner) => {
            pause_if_held(lua, character, owner);
            begin_or_switch_off(vm, owner);
        }
        Err(problem) => {
            let failure =
                CallFailure::new(FaultKind::Error, format!("attach: behaviour \"{name}\": {problem}"), None);
            invoke::report(vm, &Call::plain(Owner::HOST, "attach"), failure);
        }
    }
}

/// Ends the behaviour of a character, if it has one. Step 12.
pub(crate) fn detach_now(vm: &ScriptVm, character: CharacterId, why: &str) {
    if let Some(owner) = store::with(vm.lua(), |runtime| runtime.actors.behaviours.of(character)) {
        vm.spend(ATTACH_PRICE);
        invoke::end_behaviour(vm, owner, why);
    }
    store::with(vm.lua(), |runtime| runtime.actors.behaviours.forget_suspended(character));
}

/// Takes back an instance that a reload had brought back: it stays switched off, and none of its functions
/// runs.
pub(crate) fn withdraw(vm: &ScriptVm, character: CharacterId, suspended: Suspended) {
    let lua = vm.lua();
    let found = store::with(lua, |runtime| {
        let behaviours = &mut runtime.actors.behaviours;
        let owner = behaviours.of(character)?;
        let instance = behaviours.take(owner)?;
        behaviours.suspend(&instance, suspended);
        Some(owner)
    });
    if let Some(owner) = found {
        invoke::end_tree(vm, owner, Why::Reload);
        invoke::end_owner(vm, owner, Why::Reload);
    }
}

/// The behaviours that are switched off now, in order of characters.
pub(crate) fn all_switched_off(vm: &ScriptVm) -> Vec<SwitchedOff> {
    let all = store::with(vm.lua(), |runtime| runtime.actors.behaviours.suspended());
    all.iter().map(|(character, suspended)| behaviour_off(vm, *character, suspended)).collect()
}

/// Tells a behaviour of the end of a walk whose handlers went with a reload; false when it does not want to
/// know.
pub(crate) fn walk_settled(vm: &ScriptVm, owner: Owner, result: Value) -> bool {
    if method(vm.lua(), owner, "onWalkSettled").is_none() {
        return false;
    }
    let callback = Callback::Named("onWalkSettled".to_owned());
    handlers::deliver(vm, Delivering::new(owner, &callback, &result, "onWalkSettled"))
}

pub(crate) fn pause_if_held(lua: &Lua, character: CharacterId, owner: Owner) {
    let is_held = lend::with_world(lua, |world: &mut World| {
        world.characters.get(character).is_some_and(|found| found.held.is_some())
    });
    if is_held.unwrap_or(false) {
        store::with(lua, |runtime| {
            let now = runtime.clock.now;
            runtime.owners.pause(owner, now);
        });
    }
}

/// The behaviour of a character stands still from now on.
pub(crate) fn pause(lua: &Lua, character: CharacterId) {
    store::with(lua, |runtime| {
        let now = runtime.clock.now;
        if let Some(owner) = runtime.actors.behaviours.of(character) {
            runtime.owners.pause(owner, now);
        }
    });
}

/// The behaviour of a character goes on: its time by as much later, kept events and results before all that
/// has yet to be told.
pub(crate) fn release(lua: &Lua, character: CharacterId) {
    store::with(lua, |runtime| {
        let Some(owner) = runtime.actors.behaviours.of(character) else { return };
        let now = runtime.clock.now;
        let Some(ticks) = runtime.owners.release(owner, now) else { return };
        runtime.tasks.shift(owner, ticks);
        runtime.registered.timers.shift(owner, ticks);
        runtime.actors.trees.shift(owner, ticks);
        runtime.registered.handlers.shift(owner, ticks);
        runtime.queue.deliver_soon(owner);
    });
}

/// Writes a warning when an owner has missed events: it stood still, or its code was replaced meanwhile.
fn warn_of_missed(vm: &ScriptVm, owner: Owner) {
    let missed = store::with(vm.lua(), |runtime| {
        let record = runtime.owners.get_mut(owner)?;
        Some((record.label.to_string(), std::mem::take(&mut record.missed)))
    });
    let Some((owner, missed @ 1..)) = missed else {
        return;
    };
    let most = Owners::KEPT_EVENTS_MAX;
    let message = format!(
        "{owner} was held, or reloaded amid its events: the oldest of them were dropped ({missed}), the last {most} \
         are kept"
    );
    let line = LogLine { level: "warn", owner, file: String::new(), line: 0, message };
    invoke::push(vm, Fact::Logged(Box::new(line)));
}

/// Hands out what came in while an owner stood still, in order; then begins its tasks that did not begin
/// meanwhile, so that they know of it. When the fuel of the tick is spent, the rest comes first in the next
/// one.
pub(crate) fn hand_out_kept(vm: &ScriptVm, owner: Owner) {
    let lua = vm.lua();
    // One that stands still again has it when it goes on.
    if store::with(lua, |runtime| runtime.owners.is_paused(owner)) {
        return;
    }
    warn_of_missed(vm, owner);
    let begun = store::with(lua, |runtime| runtime.tasks.not_begun(owner));
    let count = store::with(lua, |runtime| runtime.owners.get(owner).map_or(0, |record| record.kept.len()));
    let mut begun = begun.into_iter();
    for _ in 0..begun.len() + count {
        if vm.tick_left() == 0 {
            return store::with(lua, |runtime| runtime.queue.put_back(ScriptWork::DeliverDeferred(owner)));
        }
        if hand_out_next(vm, owner) {
            continue;
        }
        let Some(id) = begun.next() else { return };
        task::begin(vm, id);
    }
}

/// Hands out the first of what came in while an owner stood still; false when there is nothing, or when it
/// stands still again.
fn hand_out_next(vm: &ScriptVm, owner: Owner) -> bool {
    let kept = store::with(vm.lua(), |runtime| {
        let record = runtime.owners.get_mut(owner);
        record.filter(|record| !record.is_paused() && !record.is_gone())?.kept.pop_front()
    });
    match kept {
        None => return false,
        Some(Delivery::Handler { callback, payload, label, is_event, with_receiver }) => {
            let mut handler = Delivering::new(owner, &callback, &payload, label);
            handler.is_event = is_event;
            handler.with_receiver = with_receiver;
            handlers::call(vm, handler);
        }
        Some(Delivery::Resume { task, serial, answer }) => task::resume(vm, task, serial, answer),
    }
    true
}
