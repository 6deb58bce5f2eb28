//! Behaviours: what the table of a behaviour file becomes when a character gets it.
//!
//! In: tables of behaviour files, parameters. Out: instances: a `self`, an owner, a main task. Holds: a character has at most
//! one; `init` runs before `start`, `run` begins after both; an instance whose character is held by a scene stands still,
//! and nothing is lost meanwhile; every instance that began is told to `stop`, once. Not here: parameters (`params`).

use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::base::hash::StateHash;
use crate::base::ids::CharacterId;
use crate::base::plain::Plain;
use crate::base::time::Tick;
use crate::script::bind;
use crate::script::bind::handles::{self, StreamId};
use crate::script::bind::rng;
use crate::script::blackboard::BoardOf;
use crate::script::convert::{Named, describe};
use crate::script::fault::{Failure, FaultKind};
use crate::script::handlers::{self, Delivering};
use crate::script::invoke::{self, Call};
use crate::script::owner::OwnerKind;
use crate::script::params::{self, Params};
use crate::script::runtime::{self, Work};
use crate::script::task::{self, Delivery, Role, Spawn, Why};
use crate::script::tree::{self, Tree};
use crate::script::vm::ScriptVm;
use crate::script::{dispatch, lend, payload};
use crate::world::World;
use crate::world::walk::Owner;

/// A behaviour file whose shape was checked.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) table: Table,
    pub(crate) params: Params,
    update_every_ticks: u64,
    has_update: bool,
    tree: Option<Tree>,
    on: BTreeMap<String, Function>,
}

/// A character with a behaviour.
#[derive(Debug)]
struct Instance {
    character: CharacterId,
    /// The character's number, for the order.
    serial: u32,
    class: Class,
    this: Table,
}

/// All behaviours.
#[derive(Debug, Default)]
pub(crate) struct Behaviours {
    instances: BTreeMap<Owner, Instance>,
    by_character: BTreeMap<CharacterId, Owner>,
    order: BTreeMap<u32, Owner>,
    /// In order of their first use.
    classes: Vec<Class>,
}

const FUNCTIONS: [&str; 7] = ["init", "migrate", "start", "run", "update", "onWalkSettled", "stop"];

impl Behaviours {
    pub(crate) fn of(&self, character: CharacterId) -> Option<Owner> {
        self.by_character.get(&character).copied()
    }

    /// Numbers of characters and their behaviours, in order of the numbers.
    pub(crate) fn in_order(&self) -> Vec<(u32, Owner)> {
        self.order.iter().map(|(&serial, &owner)| (serial, owner)).collect()
    }

    /// The `self` of an instance.
    pub(crate) fn this(&self, owner: Owner) -> Option<Table> {
        self.instances.get(&owner).map(|instance| instance.this.clone())
    }

    pub(crate) fn updates_at(&self, owner: Owner, serial: u32, now: Tick) -> bool {
        self.instances.get(&owner).is_some_and(|instance| {
            let every = instance.class.update_every_ticks;
            let has_any = instance.class.has_update || instance.class.tree.is_some();
            has_any && (now.0 + u64::from(serial)).is_multiple_of(every)
        })
    }

    /// The behaviour whose file returned `table`.
    pub(crate) fn class_of(&self, table: &Table) -> Option<Class> {
        self.classes.iter().find(|class| class.table == *table).cloned()
    }

    /// The behaviour called `name`.
    pub(crate) fn class(&self, name: &str) -> Option<Class> {
        self.classes.iter().find(|class| class.name == name).cloned()
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        for (serial, owner) in &self.order {
            hash.word(u64::from(*serial)).word(u64::from(owner.0));
            if let Some(instance) = self.instances.get(owner) {
                hash.text(&instance.class.name);
            }
        }
    }
}

/// Checks what a behaviour file returned and keeps it under its name; a sentence about the first mistake. A name that
/// another file has is made longer by a number, which only messages show.
pub(crate) fn define(lua: &Lua, name: &str, result: &Value) -> Result<Class, String> {
    let Value::Table(table) = result else {
        return Err(format!("the file returns {}, expected a table of a behaviour", describe(result)));
    };
    let get = |key: &str| table.raw_get::<Value>(key).unwrap_or(Value::Nil);
    for key in FUNCTIONS {
        let value = get(key);
        if !value.is_nil() && !value.is_function() {
            return Err(format!("{key} is {}, expected a function", describe(&value)));
        }
    }
    let whole = |key: &str, default: u64| match get(key) {
        Value::Nil => Ok(default),
        Value::Integer(value) if value >= 1 => Ok(value as u64),
        Value::Number(value) if value >= 1.0 && libm::floor(value) == value => Ok(value as u64),
        other => Err(format!("{key} is {}, expected a whole number from 1", describe(&other))),
    };
    whole("version", 1)?;
    let taken = runtime::with(lua, |runtime| runtime.behaviours.classes.len());
    let is_taken = runtime::with(lua, |runtime| runtime.behaviours.class(name).is_some());
    let class = Class {
        name: if is_taken { format!("{name} ({taken})") } else { name.to_owned() },
        params: params::declare(lua, &get("params"))?,
        update_every_ticks: whole("updateEvery", 1)?,
        has_update: get("update").is_function(),
        tree: Tree::read(lua, &get("tree"))?,
        on: declare_on(&get("on"))?,
        table: table.clone(),
    };
    table.set_readonly(true);
    runtime::with(lua, |runtime| runtime.behaviours.classes.push(class.clone()));
    Ok(class)
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

/// Gives a character its behaviour; `init`, `start` and `run` come with [`begin`]. A sentence about what is wrong.
pub(crate) fn create(
    vm: &ScriptVm,
    character: CharacterId,
    class: Class,
    given: &Plain,
) -> Result<Owner, String> {
    let lua = vm.lua();
    let filled = lend::with_world(lua, |world: &mut World| {
        let found = world.characters.alive(character).map(|found| (found.serial, found.name.clone()));
        let (serial, name) =
            found.ok_or_else(|| format!("character \"{}\" is gone", world.name_of(character)))?;
        let params = params::fill(&class.params, given, Some(world))?;
        Ok::<_, String>((serial, name, params, world.seed))
    });
    let (serial, character_name, params, seed) = filled.map_err(|error| error.to_string())??;
    let label = format!("behaviour \"{}\" of \"{character_name}\"", class.name);
    let stream = rng::begin(lua, seed, &format!("{character_name}/{}", class.name));
    let this = new_self(lua, character, &class, &params, stream).map_err(|error| error.to_string())?;
    let owner = runtime::with(lua, |runtime| {
        let owner = runtime.owners.begin(OwnerKind::Behaviour(character), label);
        if let Some(record) = runtime.owners.get_mut(owner) {
            record.names = Some(class.table.clone());
            record.receiver = Some(Value::Table(this.clone()));
        }
        runtime.behaviours.by_character.insert(character, owner);
        runtime.behaviours.order.insert(serial, owner);
        owner
    });
    for (name, function) in &class.on {
        handlers::listen_on(lua, owner, character, name, function.clone());
    }
    runtime::with(lua, |runtime| {
        runtime.behaviours.instances.insert(owner, Instance { character, serial, class, this });
    });
    Ok(owner)
}

fn new_self(
    lua: &Lua,
    character: CharacterId,
    class: &Class,
    params: &Plain,
    stream: Option<StreamId>,
) -> mlua::Result<Table> {
    let this = lua.create_table()?;
    let stream = stream.map(|stream| handles::make(lua, stream)).transpose()?;
    this.raw_set("character", handles::character(lua, character)?)?;
    this.raw_set("params", dispatch::frozen(lua, params)?)?;
    this.raw_set("state", lua.create_table()?)?;
    this.raw_set("name", class.name.as_str())?;
    this.raw_set("rng", stream)?;
    this.raw_set("blackboard", bind::blackboard::board(lua, BoardOf::Character(character))?)?;
    // Its lines carry the name of the behaviour, as all lines carry their owner.
    this.raw_set("log", lua.globals().raw_get::<Value>("log")?)?;
    let metatable = lua.create_table()?;
    metatable.raw_set("__index", &class.table)?;
    metatable.raw_set("__metatable", false)?;
    metatable.set_readonly(true);
    this.set_metatable(Some(metatable))?;
    Ok(this)
}

/// Runs `init` and `start` of a new instance, and starts its `run`.
pub(crate) fn begin(vm: &ScriptVm, owner: Owner, why: &str) {
    call(vm, owner, "init", MultiValue::new());
    check_state(vm, owner);
    let why = vm.lua().create_string(why).map(Value::String).unwrap_or(Value::Nil);
    call(vm, owner, "start", MultiValue::from_iter([why]));
    start_run(vm.lua(), owner);
    start_tree(vm.lua(), owner);
}

/// A function of the class and the `self` to call it with.
fn method(lua: &Lua, owner: Owner, name: &str) -> Option<(Function, Table)> {
    let (class, this) = runtime::with(lua, |runtime| {
        let instance = runtime.behaviours.instances.get(&owner)?;
        Some((instance.class.table.clone(), instance.this.clone()))
    })?;
    let function = class.raw_get::<Value>(name).ok()?.as_function().cloned()?;
    Some((function, this))
}

/// Calls a function of the behaviour that may not wait, if it has it.
fn call(vm: &ScriptVm, owner: Owner, name: &'static str, args: MultiValue) {
    if let Some((function, this)) = method(vm.lua(), owner, name) {
        let mut all = MultiValue::from_iter([Value::Table(this)]);
        all.extend(args);
        invoke::call(vm, &Call::plain(owner, name), &function, all);
    }
}

/// A `self.state` that is not plain data is a fault that names the key.
pub(crate) fn check_state(vm: &ScriptVm, owner: Owner) {
    let lua = vm.lua();
    let Some(this) = runtime::with(lua, |runtime| runtime.behaviours.this(owner)) else {
        return;
    };
    let state = this.raw_get::<Value>("state").unwrap_or(Value::Nil);
    let given = Named::new("init", "self.state", state);
    if let Err(mistake) = payload::read(lua, &given, vm.limits().state_kib) {
        let failure = Failure::new(FaultKind::Data, mistake.to_string(), None);
        invoke::report(vm, &Call::plain(owner, "init"), failure);
    }
}

fn start_run(lua: &Lua, owner: Owner) {
    if let Some((function, this)) = method(lua, owner, "run") {
        let args = MultiValue::from_iter([Value::Table(this)]);
        let callback = Rc::from("run");
        task::spawn(lua, Spawn { owner, callback, role: Role::Run, function, args, name: None });
    }
}

fn start_tree(lua: &Lua, owner: Owner) {
    let tree = runtime::with(lua, |runtime| runtime.behaviours.instances.get(&owner)?.class.tree.clone());
    if let Some(tree) = tree {
        tree::begin(lua, owner, &tree);
    }
}

/// A `run` that faulted a second ago begins again.
pub(crate) fn run_again(vm: &ScriptVm, owner: Owner) {
    let due = runtime::with(vm.lua(), |runtime| {
        let record = runtime.owners.get_mut(owner).filter(|record| record.paused.is_none())?;
        record.run_again.take()
    });
    if due.is_some() {
        start_run(vm.lua(), owner);
    }
}

/// `update` of an instance.
pub(crate) fn update(vm: &ScriptVm, owner: Owner) {
    let every = runtime::with(vm.lua(), |runtime| {
        if runtime.owners.is_paused(owner) {
            return None;
        }
        let instance = runtime.behaviours.instances.get(&owner)?;
        Some(instance.class.update_every_ticks as f64 / f64::from(runtime.rate.per_second()))
    });
    if let Some(dt) = every {
        call(vm, owner, "update", MultiValue::from_iter([Value::Number(dt)]));
    }
}

/// Attaches a behaviour whose name and parameters were checked when it was asked for. Step 12.
pub(crate) fn attach_now(vm: &ScriptVm, character: CharacterId, name: &str, given: &Plain) {
    let lua = vm.lua();
    let is_alive = lend::with_world(lua, |world: &mut World| world.characters.alive(character).is_some())
        .unwrap_or(false);
    let Some(class) = runtime::with(lua, |runtime| runtime.behaviours.class(name)).filter(|_| is_alive)
    else {
        return;
    };
    detach_now(vm, character, "detached");
    match create(vm, character, class, given) {
        Ok(owner) => {
            pause_if_held(lua, character, owner);
            begin(vm, owner, "attach");
        }
        Err(problem) => {
            let failure =
                Failure::new(FaultKind::Error, format!("attach: behaviour \"{name}\": {problem}"), None);
            invoke::report(vm, &Call::plain(Owner::HOST, "attach"), failure);
        }
    }
}

/// Ends the behaviour of a character, if it has one. Step 12.
pub(crate) fn detach_now(vm: &ScriptVm, character: CharacterId, why: &str) {
    if let Some(owner) = runtime::with(vm.lua(), |runtime| runtime.behaviours.of(character)) {
        end(vm, owner, why);
    }
}

/// Switches an instance off after its last fault; after the tick of its tree, when that is what faulted.
pub(crate) fn switch_off(vm: &ScriptVm, owner: Owner) {
    if !runtime::with(vm.lua(), |runtime| runtime.trees.defers_suspension(owner)) {
        end(vm, owner, "fault");
    }
}

/// Tells an instance to stop, and ends everything it owns.
pub(crate) fn end(vm: &ScriptVm, owner: Owner, why: &str) {
    let lua = vm.lua();
    // Taken out first: whatever `stop` does, it is told once.
    let found = runtime::with(lua, |runtime| {
        let instance = runtime.behaviours.instances.remove(&owner)?;
        runtime.behaviours.by_character.remove(&instance.character);
        runtime.behaviours.order.remove(&instance.serial);
        Some(instance)
    });
    let Some(instance) = found else {
        return;
    };
    if let Some(function) =
        instance.class.table.raw_get::<Value>("stop").ok().and_then(|stop| stop.as_function().cloned())
    {
        invoke::call(vm, &Call::plain(owner, "stop"), &function, (instance.this, why));
    }
    let why = if why == "levelEnd" { Why::LevelEnd } else { Why::OwnerGone };
    tree::end(vm, owner, why);
    end_owner(vm, owner, why);
}

/// Ends what an owner registered and started, and forgets it. Its walks settle, its `onCancel` functions run.
pub(crate) fn end_owner(vm: &ScriptVm, owner: Owner, why: Why) {
    let lua = vm.lua();
    end_belongings(lua, owner, why);
    runtime::with(lua, |runtime| {
        runtime.strikes.forget(&owner);
        runtime.owners.remove(owner)
    });
    invoke::clean_up(vm);
}

/// Ends what an owner registered and started; the owner stays.
pub(crate) fn end_belongings(lua: &Lua, owner: Owner, why: Why) {
    for id in runtime::with(lua, |runtime| runtime.tasks.of(owner)) {
        task::cancel(lua, id, why);
    }
    for id in runtime::with(lua, |runtime| runtime.timers.of(owner)) {
        crate::script::timer::end(lua, id);
    }
    runtime::with(lua, |runtime| {
        runtime.handlers.end_owner(owner);
        runtime.predicates.end_owner(owner);
    });
    // Between phases there is no world: then the level has ended and nothing of it walks.
    let _ = lend::with_world(lua, |world: &mut World| crate::world::ops::walks::end_owner(world, owner));
}

fn pause_if_held(lua: &Lua, character: CharacterId, owner: Owner) {
    let is_held = lend::with_world(lua, |world: &mut World| {
        world.characters.get(character).is_some_and(|found| found.held.is_some())
    });
    if is_held.unwrap_or(false) {
        runtime::with(lua, |runtime| {
            let now = runtime.now;
            if let Some(record) = runtime.owners.get_mut(owner) {
                record.paused = Some(now);
            }
        });
    }
}

/// The behaviour of a character stands still from now on.
pub(crate) fn pause(lua: &Lua, character: CharacterId) {
    runtime::with(lua, |runtime| {
        let now = runtime.now;
        let owner = runtime.behaviours.of(character)?;
        runtime.owners.get_mut(owner)?.paused.get_or_insert(now);
        Some(())
    });
}

/// The behaviour of a character goes on: its time by as much later, what was kept at the next dispatch.
pub(crate) fn release(lua: &Lua, character: CharacterId) {
    let released = runtime::with(lua, |runtime| {
        let owner = runtime.behaviours.of(character)?;
        let now = runtime.now;
        let record = runtime.owners.get_mut(owner)?;
        let ticks = now.since(record.paused.take()?);
        record.run_again = record.run_again.map(|tick| tick.after(ticks));
        runtime.tasks.shift(owner, ticks);
        runtime.timers.shift(owner, ticks);
        runtime.trees.shift(owner, ticks);
        Some(owner)
    });
    if let Some(owner) = released {
        runtime::push_work(lua, Work::Kept(owner));
    }
}

/// Hands out what came in while an owner stood still, in order.
pub(crate) fn hand_out_kept(vm: &ScriptVm, owner: Owner) {
    let lua = vm.lua();
    for id in runtime::with(lua, |runtime| task::not_begun(runtime, owner)) {
        task::begin(vm, id);
    }
    let count = runtime::with(lua, |runtime| runtime.owners.get(owner).map_or(0, |record| record.kept.len()));
    for _ in 0..count {
        let kept = runtime::with(lua, |runtime| {
            let record = runtime.owners.get_mut(owner).filter(|record| record.paused.is_none())?;
            record.kept.pop_front()
        });
        match kept {
            None => return,
            Some(Delivery::Handler { callback, payload, label, is_event }) => {
                let mut handler = Delivering::new(owner, callback, payload, &label);
                handler.is_event = is_event;
                handlers::deliver(vm, handler);
            }
            Some(Delivery::Resume { task, serial, answer }) => task::resume(vm, task, serial, answer),
        }
    }
}
