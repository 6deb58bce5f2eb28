//! Registers what bindings ask of the scheduler, under the owner whose code runs.
//!
//! In: what a script asked for, checked. Out: handlers, predicates, behaviours and paths that the scheduler
//! knows of. Holds: a binding stores no Lua function itself. Not here: when any of it is called (`schedule`,
//! `dispatch`).

use std::rc::Rc;

use mlua::{Function, Lua, Value};

use crate::base::ids::{CharacterId, DoorId, PathToken, WalkId};
use crate::base::value::Plain;
use crate::script::bind::event::listener;
use crate::script::state::behaviours::Class;
use crate::script::state::callback::{Callback, WalkHandlers, WhenOrder};
use crate::script::state::owners::Counted;
use crate::script::state::tasks::TaskRole;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::work::ScriptWork;
use crate::script::step::{behaviour, handlers, owner, params, wait};
use crate::script::vm::convert::{Argument, UsageError};
use crate::script::vm::{self, lend, on_behalf_of_host, payload, store};
use crate::world::World;
use crate::world::door::DoorSignal;

/// A behaviour that was looked up and whose parameters were read, to be attached.
#[derive(Clone, Debug)]
pub(crate) struct Attachment {
    /// Its name, as [`check_behaviour`] understood it.
    pub(crate) name: String,
    /// Its parameters, as given.
    pub(crate) params: Option<mlua::Table>,
}

/// Keeps the handlers of a walk. A walk that the action of a tree began ends with the action.
pub(crate) fn set_walk(lua: &Lua, walk: WalkId, handlers: WalkHandlers) {
    handlers::set_walk(lua, walk, handlers);
    store::with(lua, |runtime| {
        let task = runtime.running.task()?;
        if runtime.tasks.role_of(task) == Some(TaskRole::TreeAction) {
            runtime.actors.trees.walk_begun(task, walk);
        }
        Some(())
    });
}

/// Watches a predicate for the current owner; the number of the watch.
pub(crate) fn set_when(lua: &Lua, order: WhenOrder) -> u32 {
    let owner = owner::current(lua);
    store::with(lua, |runtime| {
        if let Some(record) = runtime.owners.get_mut(owner) {
            record.watches += 1;
        }
        let now = runtime.clock.now;
        runtime.registered.predicates.add(owner, now, order)
    })
}

/// Ends the watch of a predicate.
pub(crate) fn remove_when(lua: &Lua, when: u32) {
    store::with(lua, |runtime| {
        if let Some(owner) = runtime.registered.predicates.remove(when)
            && let Some(record) = runtime.owners.get_mut(owner)
        {
            record.watches = record.watches.saturating_sub(1);
        }
    });
}

/// Listens to a door for the current owner; the handle of the listener.
///
/// # Errors
/// When the owner has too many handlers.
pub(crate) fn listen_door(
    lua: &Lua,
    door: DoorId,
    what: DoorSignal,
    handler: Callback,
) -> Result<Value, String> {
    if let Some(what) = owner::at_limit(lua, Counted::Handlers) {
        return Err(what);
    }
    let serial = handlers::set_door(lua, door, what, handler);
    listener(lua, serial).map_err(|error| error.to_string())
}

/// A path request was taken back: a task that waits for it goes on with `result`.
pub(crate) fn path_cancelled(lua: &Lua, token: PathToken, result: Value) {
    wait::tell(lua, Wait::Path(token), Outcome::Value(result));
}

/// Looks a behaviour up and checks its parameters.
///
/// # Errors
/// When there is none of that name, or a parameter is wrong.
pub(crate) fn check_behaviour(
    lua: &Lua,
    name: &Argument,
    params: &Argument,
) -> Result<Attachment, UsageError> {
    let asked = name.text("the name of a behaviour")?;
    let class = class(lua, &asked).map_err(|what| UsageError::new(name.function(), what))?;
    let given = read_params(lua, params)?;
    let checked = lend::with_world(lua, |world: &mut World| params::fill(&class.params, &given, Some(world)));
    match checked {
        Ok(Ok(_)) => {}
        Ok(Err(what)) => return Err(UsageError::new(name.function(), what)),
        Err(error) => return Err(error.mistake(name.function())),
    }
    let table = params.value().as_table().cloned();
    Ok(Attachment { name: class.name.clone(), params: table })
}

/// Attaches a behaviour at the next dispatch.
pub(crate) fn attach(lua: &Lua, character: CharacterId, behaviour: Attachment) {
    let table = behaviour.params.map_or(Value::Nil, Value::Table);
    // Read once before, in `check_behaviour`, in the same call: nothing can have changed.
    let params = read_params(lua, &Argument::new("attach", "params", table));
    let params = params.unwrap_or_else(|_| crate::script::step::invoke::map([]));
    store::push_work(lua, ScriptWork::Attach { character, name: behaviour.name, params });
}

fn read_params(lua: &Lua, given: &Argument) -> Result<Plain, UsageError> {
    if given.value().is_nil() {
        return Ok(crate::script::step::invoke::map([]));
    }
    given.table("a table of parameters")?;
    let limit = store::with(lua, |runtime| runtime.limits.state_kib);
    payload::read(lua, given, u32::try_from(limit).unwrap_or(u32::MAX))
}

/// The behaviour called `asked`; its file is loaded if it was not. Else a sentence about the mistake.
fn class(lua: &Lua, asked: &str) -> Result<Rc<Class>, String> {
    let result = load(lua, asked)?;
    if let Value::Table(table) = &result
        && let Some(class) = store::with(lua, |runtime| runtime.actors.behaviours.class_of(table))
    {
        return Ok(class);
    }
    let file = vm::resolve_name(lua, asked).unwrap_or_else(|| asked.to_owned());
    behaviour::define(lua, &file, &result).map_err(|what| format!("behaviour \"{asked}\": {what}"))
}

/// The value that the file `asked` returns, through the `require` that scripts have. Else a sentence about
/// the mistake.
pub(crate) fn load(lua: &Lua, asked: &str) -> Result<Value, String> {
    let require: mlua::Result<Function> = lua.globals().get("require");
    let result = require.and_then(|require| on_behalf_of_host(lua, || require.call::<Value>(asked)));
    result.map_err(|error| {
        let text = crate::script::vm::fault::text_of_error(&error);
        // Without the place and name of `require`, which the caller did not write: in front of its own
        // mistakes, behind those of the file.
        let place = crate::script::vm::fault::caller(lua);
        let (before, after) =
            (format!("{place}require: "), format!(", in require at {}", place.trim_end_matches(": ")));
        text.strip_prefix(&before).or_else(|| text.strip_suffix(&after)).unwrap_or(&text).to_owned()
    })
}
