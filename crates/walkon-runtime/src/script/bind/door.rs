//! `Door` and `DoorMove`: fields, requests, locks, listeners.
//!
//! Holds: the verbs of a door that an edit of the level has removed raise; its fields can be read. Not here:
//! how a request is carried out (`sim::doors`), the listeners (`handlers`).

use mlua::{Lua, Value};

use crate::base::ids::{CharacterId, DoorId};
use crate::script::bind::call::{
    BindingError, answer, ask, handle, list, myself, nothing, op, refuse_when_full, with, word,
};
use crate::script::bind::registration;
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, TableType, field, param};
use crate::script::bind::walk_options::{chosen, seconds};
use crate::script::step::handlers;
use crate::script::vm::convert::{Args, UsageError, vector};
use crate::script::vm::handles::{self, DoorMove};
use crate::script::vm::{charge, lend, store};
use crate::world::World;
use crate::world::door::{Door, DoorAim, DoorSignal, WhenOccupied};
use crate::world::ops::door_there;
use crate::world::ops::doors::{self, DoorOrder, DoorSpeed};
use crate::world::props::Subject;

const TYPE: &str = "Door";

/// What stands above the entries.
pub const GROUPS: &[Library] = &[
    Library { name: TYPE, is_type: true, doc: "A named area that opens and closes over time." },
    Library { name: "DoorMove", is_type: true, doc: "A wish about a door; it is answered exactly once." },
];

const OPTION_NAMES: &[&str] = &["by", "key", "whenOccupied", "patience"];
const SET_OPTIONS: &[&str] = &["instant"];

/// Tables that these functions take.
pub const SHAPES: &[TableType] = &[
    TableType {
        name: "DoorOptions",
        doc: "How a door is to be opened or closed. Everything may be left out.",
        fields: &[
            field("by", "Character?", "guard", "the character on whose account"),
            field("key", "string?", "\"bronze\"", "opens a door locked with it"),
            field(
                "whenOccupied",
                "(\"wait\" | \"refuse\" | \"push\")?",
                "\"refuse\"",
                "close only: wait (default) until it is clear, refuse, or move those inside out",
            ),
            field("patience", "number?", "5", "seconds to wait when occupied, 0 to 86400; default: no bound"),
        ],
    },
    TableType {
        name: "DoorSetOptions",
        doc: "How a door is set.",
        fields: &[field("instant", "boolean?", "true", "in no time")],
    },
];

const OPTIONS: ApiParam = param("options", "DoorOptions?", "{ by = guard }");

/// Everything a `Door` and a `DoorMove` have.
pub const ENTRIES: &[Binding] = &[
    Binding {
        doc: "Its name.",
        example: "assert(door.name == \"gate\")",
        ..Binding::field(TYPE, "name", "string", name)
    },
    Binding {
        doc: "The middle of its area's bounds, metres.",
        example: "local x = door.position.x",
        ..Binding::field(TYPE, "position", "vector", position)
    },
    Binding {
        doc: "Name of the area it rules.",
        example: "assert(door.area == \"gateway\")",
        ..Binding::field(TYPE, "area", "string", area)
    },
    Binding {
        doc: "`open`, `opening`, `closed` or `closing`.",
        example: "assert(door.state == \"closed\")",
        ..Binding::field(TYPE, "state", "\"open\" | \"opening\" | \"closed\" | \"closing\"", state)
    },
    Binding {
        doc: "Whether it can be walked through: false from the start of closing until the end of opening.",
        example: "assert(not door.passable)",
        ..Binding::field(TYPE, "passable", "boolean", is_passable)
    },
    Binding {
        doc: "Whether it refuses to open.",
        example: "door:lock()\nassert(door.locked)",
        ..Binding::field(TYPE, "locked", "boolean", is_locked)
    },
    Binding {
        doc: "The key its lock wants.",
        example: "door:lock(\"bronze\")\nassert(door.key == \"bronze\")",
        ..Binding::field(TYPE, "key", "string?", key)
    },
    Binding {
        doc: "What the level says of it under `props`: read-only, empty when it says nothing.",
        example: "assert(next(door.props) == nil)",
        ..Binding::field(TYPE, "props", "{ [string]: any }", props)
    },
    Binding {
        params: &[OPTIONS],
        returns: "DoorMove",
        raises: "range",
        doc: "Starts opening; a locked door refuses unless the key fits.",
        example: "door:open({ by = guard })\nassert(door.state == \"opening\")",
        price: 24,
        ..Binding::method(TYPE, "open", open)
    },
    Binding {
        params: &[OPTIONS],
        returns: "DoorMove",
        raises: "range",
        doc: "Starts closing, or waits as `whenOccupied` says. It never closes on a character unless told to push.",
        example: "door:close({ whenOccupied = \"refuse\" })",
        price: 24,
        ..Binding::method(TYPE, "close", close)
    },
    Binding {
        params: &[OPTIONS],
        returns: "DoorMove",
        raises: "range",
        doc: "Closes an open or opening door, opens any other.",
        example: "door:toggle()\nassert(door.state == \"opening\")",
        price: 24,
        ..Binding::method(TYPE, "toggle", toggle)
    },
    Binding {
        params: &[
            param("open", "boolean", "true"),
            param("options", "DoorSetOptions?", "{ instant = true }"),
        ],
        returns: "DoorMove",
        raises: "range",
        doc: "Opens or closes it whatever the lock says.",
        example: "door:set(true, { instant = true })",
        price: 12,
        ..Binding::method(TYPE, "set", set)
    },
    Binding {
        params: &[param("key", "string?", "\"bronze\"")],
        doc: "Locks it: it refuses to open, it may still close. With a key, only that key unlocks it.",
        example: "door:lock(\"bronze\")",
        ..Binding::method(TYPE, "lock", lock)
    },
    Binding {
        params: &[param("key", "string?", "\"bronze\"")],
        returns: "boolean",
        doc: "Unlocks it; false when the lock wants another key.",
        example: "door:lock(\"bronze\")\nassert(not door:unlock() and door:unlock(\"bronze\"))",
        ..Binding::method(TYPE, "unlock", unlock)
    },
    Binding {
        returns: "{Character}",
        doc: "The characters that stand in the door's area, in id order.",
        example: "assert(#door:occupants() == 0)",
        price: 24,
        ..Binding::method(TYPE, "occupants", occupants)
    },
    Binding {
        params: &[
            param(
                "what",
                "\"opening\" | \"opened\" | \"closing\" | \"closed\" | \"locked\" | \"unlocked\" | \"refused\"",
                "\"opened\"",
            ),
            param("handler", "Handler", "function(event) end"),
        ],
        returns: "Listener",
        raises: "limit",
        doc: "Calls the handler when the door does that; payload `{ door, what, by? }`.",
        example: "door:on(\"opened\", function(event) log.info(\"%s opened\", event.door) end)",
        ..Binding::method(TYPE, "on", on)
    },
    Binding {
        doc: "The result; nil until the wish is answered.",
        example: "local move = door:open()\nassert(move.result == nil)",
        ..Binding::field("DoorMove", "result", "DoorResult?", move_result)
    },
    Binding {
        returns: "DoorResult",
        raises: "wait",
        doc: "Waits for the answer.",
        example: "local result = door:open():wait()\nassert(result.ok and result.door == door)",
        ..Binding::waiting_method("DoorMove", "wait")
    },
];

/// The door a verb was called on.
///
/// # Errors
/// When an edit of the level has taken it away.
fn there(lua: &Lua, args: &mut Args) -> Result<DoorId, BindingError> {
    let id = myself::<DoorId>(args)?;
    let function = args.function();
    with(lua, args, |world| door_there(world, id).map_err(op(function)))?;
    Ok(id)
}

/// A field of a door; of one that is gone, as it was left.
fn of<R: mlua::IntoLuaMulti + Default>(
    lua: &Lua,
    args: &mut Args,
    read: impl FnOnce(&Door) -> R,
) -> HostResult {
    let id = myself::<DoorId>(args)?;
    ask(lua, args, |world| Ok(world.doors().get(id.index()).map(read).unwrap_or_default()))
}

fn name(lua: &Lua, args: &mut Args) -> HostResult {
    of(lua, args, |door| door.name.clone())
}

fn position(lua: &Lua, args: &mut Args) -> HostResult {
    of(lua, args, |door| Some(vector(door.position)))
}

fn area(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<DoorId>(args)?;
    ask(lua, args, |world| {
        let door = world.doors().get(id.index());
        let left = door.and_then(|door| door.removed.as_ref()).map(|removal| removal.area.clone());
        let area = || world.areas().get(door?.area.index()).map(|area| area.name.clone());
        Ok(left.or_else(area))
    })
}

fn state(lua: &Lua, args: &mut Args) -> HostResult {
    of(lua, args, |door| door.shown_state().name())
}

fn is_passable(lua: &Lua, args: &mut Args) -> HostResult {
    of(lua, args, Door::is_passable)
}

fn is_locked(lua: &Lua, args: &mut Args) -> HostResult {
    of(lua, args, |door| door.is_locked)
}

fn key(lua: &Lua, args: &mut Args) -> HostResult {
    of(lua, args, |door| door.key.clone())
}

fn props(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<DoorId>(args)?;
    let (name, said) = with(lua, args, |world| {
        let name = world.doors().get(id.index()).map(|door| door.name.clone()).unwrap_or_default();
        let said = world.level.props.of(Subject::Door, &name).cloned();
        Ok((name, said))
    })?;
    answer(lua, handles::props(lua, "door", &name, said.as_ref())?)
}

fn open(lua: &Lua, args: &mut Args) -> HostResult {
    request(lua, args, doors::open)
}

fn close(lua: &Lua, args: &mut Args) -> HostResult {
    request(lua, args, doors::close)
}

fn toggle(lua: &Lua, args: &mut Args) -> HostResult {
    request(lua, args, doors::toggle)
}

fn request(lua: &Lua, args: &mut Args, verb: fn(&mut World, DoorId, &DoorOrder) -> u64) -> HostResult {
    let (id, function) = (there(lua, args)?, args.function());
    let (order, patience_s) = order(args)?;
    let serial = with(lua, args, |world| {
        refuse_when_full(world, function)?;
        let patience_ticks = patience_s.map(|seconds| world.rate().ticks(seconds));
        Ok(verb(world, id, &DoorOrder { patience_ticks, ..order }))
    })?;
    moves(lua, id, serial)
}

/// The options of a request, and the seconds of its patience.
fn order(args: &mut Args) -> Result<(DoorOrder, Option<f64>), UsageError> {
    const WORDS: [(&str, WhenOccupied); 3] =
        [("wait", WhenOccupied::Wait), ("refuse", WhenOccupied::Refuse), ("push", WhenOccupied::Push)];
    let options = args.options(OPTION_NAMES)?;
    let order = DoorOrder {
        by: options.find("by").map(|by| handle::<CharacterId>(&by, "a character")).transpose()?,
        key: options.find("key").map(|key| key.name_to_keep("the name of a key")).transpose()?,
        when_occupied: chosen(&options, "whenOccupied", &WORDS)?.unwrap_or_default(),
        patience_ticks: None,
    };
    Ok((order, seconds(&options, "patience")?))
}

/// The handle of a request.
pub(crate) fn moves(lua: &Lua, door: DoorId, serial: u64) -> HostResult {
    // Without a scheduler nothing has an owner.
    if let Some(owner) = store::find(lua, |runtime| runtime.running.owner_of_call()) {
        let _ = lend::with_world(lua, |world: &mut World| doors::own(world, door, serial, owner));
    }
    answer(lua, handles::make(lua, DoorMove(serial))?)
}

fn set(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (there(lua, args)?, args.function());
    let aim = DoorAim::of(args.take("open").boolean()?);
    let options = args.options(SET_OPTIONS)?;
    let instant = options.find("instant").map_or(Ok(false), |given| given.boolean())?;
    let speed = if instant { DoorSpeed::Instant } else { DoorSpeed::Usual };
    let serial = with(lua, args, |world| {
        refuse_when_full(world, function)?;
        Ok(doors::set(world, id, aim, speed))
    })?;
    moves(lua, id, serial)
}

fn lock(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (there(lua, args)?, args.function());
    let key = args.take("key").present().map(|key| key.name_to_keep("the name of a key")).transpose()?;
    with(lua, args, |world| {
        refuse_when_full(world, function)?;
        doors::lock(world, id, key);
        Ok(())
    })?;
    nothing()
}

fn unlock(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (there(lua, args)?, args.function());
    let key = args.take("key").present().map(|key| key.text("the name of a key")).transpose()?;
    ask(lua, args, |world| {
        refuse_when_full(world, function)?;
        Ok(doors::unlock(world, id, key.as_deref()))
    })
}

fn occupants(lua: &Lua, args: &mut Args) -> HostResult {
    let id = there(lua, args)?;
    let inside = with(lua, args, |world| Ok(world.occupants(id)))?;
    answer(lua, handles::characters(lua, &inside)?)
}

fn on(lua: &Lua, args: &mut Args) -> HostResult {
    let id = there(lua, args)?;
    let signals = DoorSignal::ALL.map(|signal| (signal.name(), signal));
    let what = word(&args.take("what"), &signals)?;
    let handler = handlers::read(lua, &args.take("handler"))?;
    with(lua, args, |_| Ok(()))?;
    let listener = registration::listen_door(lua, id, what, handler).map_err(|what| args.mistake(what))?;
    answer(lua, listener)
}

fn move_result(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<DoorMove>(args)?;
    answer(lua, handles::latched(lua, id)?.unwrap_or(Value::Nil))
}

/// Doors of the level, as a list of handles.
pub(crate) fn list_of(lua: &Lua, ids: &[DoorId]) -> HostResult {
    charge(lua, ids.len() as u64)?;
    let table = lua.create_table_with_capacity(ids.len(), 0)?;
    for &id in ids {
        table.raw_push(handles::door(lua, id)?)?;
    }
    answer(lua, table)
}

/// Names that a function was given as a list.
pub(crate) fn names(
    given: &crate::script::vm::convert::Argument,
    most: usize,
) -> Result<Vec<String>, UsageError> {
    list(given, "a list of names", most, |name| name.name_to_keep("a name"))
}
