//! `event` and `Listener`: events between scripts.
//!
//! Holds: a payload is copied once, when it is emitted, and read-only for all listeners; the runtime's own
//! events cannot be emitted by scripts.

use mlua::Lua;

use crate::base::ids::CharacterId;
use crate::base::value::Plain;
use crate::script::bind::call::{answer, handle, myself, nothing, op, refuse_when_full, with};
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, param};
use crate::script::state::handlers::ListenTimes;
use crate::script::state::owners::Counted;
use crate::script::step::wait::ListenerId;
use crate::script::step::{handlers, owner};
use crate::script::vm::convert::{Args, UsageError};
use crate::script::vm::{charge, handles, payload, store};
use crate::world::event::Fact;
use crate::world::event_name;
use crate::world::ops::{OpError, alive};

const EVENT: &str = "event";
const TYPE: &str = "Listener";

/// What stands above the entries.
pub const GROUPS: &[Library] = &[
    Library { name: EVENT, is_type: false, doc: "What scripts tell one another, and hear of the runtime." },
    Library { name: TYPE, is_type: true, doc: "A handler of an event or a door." },
];

const NAME: ApiParam = param("name", "string", "\"alarm\"");
const HANDLER: ApiParam = param("handler", "Handler", "function(payload) end");
const PAYLOAD: ApiParam = param("payload", "any", "{ at = guard.position }");

/// Everything `event` and a `Listener` have.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[NAME, HANDLER],
        returns: "Listener",
        raises: "limit name",
        doc: "Calls the handler for every event of that name.",
        example: "event.on(\"alarm\", function(e) log.info(\"alarm at %s\", e.at) end)",
        price: 24,
        ..Binding::function(EVENT, "event.on", on)
    },
    Binding {
        params: &[NAME, HANDLER],
        returns: "Listener",
        raises: "limit name",
        doc: "The same for the first such event only.",
        example: "event.once(\"walkSettled\", function(result) log.info(\"%s\", result) end)",
        price: 24,
        ..Binding::function(EVENT, "event.once", once)
    },
    Binding {
        params: &[NAME, PAYLOAD],
        raises: "data state",
        doc: "Tells all listeners, every behaviour with `on[name]`, and the host. Delivered in step 12.",
        example: "event.emit(\"alarm\", { at = guard.position })",
        price: 12,
        ..Binding::function(EVENT, "event.emit", emit)
    },
    Binding {
        params: &[param("character", "Character", "guard"), NAME, PAYLOAD],
        returns: "boolean",
        raises: "gone data state",
        doc: "Tells that character's behaviour only; false if it has none.",
        example: "assert(event.send(guard, \"alarm\") == false)",
        price: 12,
        ..Binding::function(EVENT, "event.send", send)
    },
    Binding {
        returns: "boolean",
        doc: "Ends it; false when it is over.",
        example: "local listener = event.on(\"alarm\", function() end)\nassert(listener:remove() and not listener:remove())",
        ..Binding::method(TYPE, "remove", remove)
    },
];

/// The handle of a listener.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn listener(lua: &Lua, serial: u64) -> mlua::Result<mlua::Value> {
    handles::make(lua, ListenerId(serial))
}

fn listen(lua: &Lua, args: &mut Args, times: ListenTimes) -> HostResult {
    with(lua, args, |_| Ok(()))?;
    let name = args.take("name").new_name()?;
    let callback = handlers::read(lua, &args.take("handler"))?;
    if let Some(what) = owner::at_limit(lua, Counted::Handlers) {
        return Err(args.mistake(what).into());
    }
    let serial = handlers::listen(lua, &name, callback, times);
    answer(lua, listener(lua, serial)?)
}

fn on(lua: &Lua, args: &mut Args) -> HostResult {
    listen(lua, args, ListenTimes::Always)
}

fn once(lua: &Lua, args: &mut Args) -> HostResult {
    listen(lua, args, ListenTimes::Once)
}

/// Name and payload of an event that scripts may emit.
pub(super) fn read(lua: &Lua, args: &mut Args) -> Result<(String, Option<Plain>), UsageError> {
    let name = args.take("name").new_name()?;
    if event_name::is_heard(&name) {
        return Err(args.mistake(OpError::RuntimeEvent(name).to_string()));
    }
    let limit = store::with(lua, |runtime| runtime.limits.state_kib);
    let given = args.take("payload").present();
    let payload = given.map(|given| payload::read(lua, &given, u32::try_from(limit).unwrap_or(u32::MAX)));
    Ok((name, payload.transpose()?))
}

fn emit(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let (name, payload) = read(lua, args)?;
    let by = owner::label(lua, owner::current(lua));
    with(lua, args, |world| {
        refuse_when_full(world, function)?;
        world.events.push(Fact::Emitted { name, payload, to: None, by });
        Ok(())
    })?;
    nothing()
}

fn send(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let to = handle::<CharacterId>(&args.take("character"), "a character")?;
    let (name, payload) = read(lua, args)?;
    let by = owner::label(lua, owner::current(lua));
    let has_behaviour = store::with(lua, |runtime| runtime.actors.behaviours.of(to).is_some());
    with(lua, args, |world| {
        alive(&world.characters, to).map_err(op(function))?;
        refuse_when_full(world, function)?;
        if has_behaviour {
            world.events.push(Fact::Emitted { name, payload, to: Some(to), by });
        }
        Ok(())
    })?;
    answer(lua, has_behaviour)
}

/// Listeners of the level among which one that ends is looked for, for a unit of fuel.
const LISTENERS_PER_UNIT: u64 = 16;

fn remove(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<ListenerId>(args)?;
    let listeners = store::with(lua, |runtime| runtime.registered.handlers.listener_count());
    charge(lua, listeners as u64 / LISTENERS_PER_UNIT)?;
    answer(lua, handlers::remove_listener(lua, id.0))
}
