//! `blackboard`, `Blackboard` and `Change`: plain data that scripts share by key.
//!
//! Holds: a board gives copies, so only `set` changes it; the refusal of a value names the path of the part
//! that is not plain. Not here: when watchers are told (`script::step::blackboard`).

use mlua::Lua;

use crate::base::ids::CharacterId;
use crate::script::bind::call::{BindingError, answer, myself, nothing, op, with};
use crate::script::bind::event;
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, TableType, field, param};
use crate::script::bind::wait_requests::seconds;
use crate::script::state::boards::{BoardOf, BoardRefusal, Boards};
use crate::script::state::owners::Counted;
use crate::script::step::wait::{BoardId, ChangeId, board};
use crate::script::step::{blackboard, handlers, owner};
use crate::script::vm::convert::{Args, UsageError};
use crate::script::vm::{fuel, handles, payload, store};
use crate::world::ops::alive;

const LIBRARY: &str = "blackboard";
const TYPE: &str = "Blackboard";
const CHANGE: &str = "Change";

/// What stands above the entries.
pub const GROUPS: &[Library] = &[
    Library {
        name: LIBRARY,
        is_type: false,
        doc: "Plain data that scripts share by key, kept over reloads and in save games.",
    },
    Library {
        name: TYPE,
        is_type: true,
        doc: "The board of the level, of a group or of a character. Setting an equal value is no change.",
    },
    Library { name: CHANGE, is_type: true, doc: "The next change of a key; its result is the new value." },
];

/// Tables that these functions take.
pub const SHAPES: &[TableType] = &[TableType {
    name: "SetOptions",
    doc: "How long a value is kept.",
    fields: &[field("ttl", "number?", "2", "seconds until it clears itself, 0 to 1000000")],
}];

const KEY: ApiParam = param("key", "string", "\"alarm\"");

/// Everything `blackboard`, a `Blackboard` and a `Change` have, and the board of a `Character`.
pub const ENTRIES: &[Binding] = &[
    Binding {
        doc: "The board of this character; it dies with it. `self.blackboard` in a behaviour.",
        example: "guard.blackboard:set(\"mood\", \"calm\")",
        raises: "gone",
        ..Binding::field("Character", "blackboard", "Blackboard", of_character)
    },
    Binding {
        doc: "The board of the level.",
        example: "blackboard.level:set(\"alarm\", true)",
        ..Binding::field(LIBRARY, "blackboard.level", "Blackboard", level)
    },
    Binding {
        params: &[param("name", "string", "\"patrols\"")],
        returns: "Blackboard",
        raises: "limit",
        doc: "The board of all that name this group.",
        example: "assert(blackboard.group(\"patrols\") == blackboard.group(\"patrols\"))",
        price: 16,
        ..Binding::function(LIBRARY, "blackboard.group", group)
    },
    Binding {
        params: &[KEY, param("default", "any", "false")],
        returns: "any",
        doc: "The value, as a copy; the default when there is none.",
        example: "assert(blackboard.level:get(\"lamps\", 3) == 3)",
        ..Binding::method(TYPE, "get", get)
    },
    Binding {
        params: &[
            KEY,
            param("value", "any", "{ at = guard.position }"),
            param("options", "SetOptions?", "{ ttl = 2 }"),
        ],
        raises: "range data limit",
        doc: "Keeps plain data under the key; with `ttl`, for so many seconds.",
        example: "blackboard.level:set(\"noise\", guard.position, { ttl = 8 })",
        price: 12,
        ..Binding::method(TYPE, "set", set)
    },
    Binding {
        params: &[KEY],
        returns: "boolean",
        doc: "Whether there is a value.",
        example: "assert(not blackboard.level:has(\"lamps\"))",
        ..Binding::method(TYPE, "has", has)
    },
    Binding {
        params: &[KEY],
        doc: "Forgets the value.",
        example: "blackboard.level:clear(\"noise\")",
        ..Binding::method(TYPE, "clear", clear)
    },
    Binding {
        returns: "{string}",
        doc: "The keys that have values, sorted.",
        example: "assert(#blackboard.group(\"nobody\"):keys() == 0)",
        ..Binding::method(TYPE, "keys", keys)
    },
    Binding {
        params: &[KEY],
        returns: "Change",
        raises: "limit",
        doc: "What can be waited for: the value at the next change, nil when it is cleared.",
        example: "local change = blackboard.level:changed(\"alarm\")\nblackboard.level:set(\"alarm\", true)\nassert(change:wait() == true)",
        price: 16,
        ..Binding::method(TYPE, "changed", changed)
    },
    Binding {
        params: &[KEY, param("handler", "Handler", "function(news) end")],
        returns: "Listener",
        raises: "limit name",
        doc: "Calls the handler for every change of the key with `{ key, value, old }`.",
        example: "blackboard.level:watch(\"alarm\", function(news) log.info(\"%s was %s\", news.value, news.old) end)",
        price: 24,
        ..Binding::method(TYPE, "watch", watch)
    },
    Binding {
        returns: "any",
        raises: "wait",
        doc: "Waits for the change: the new value, nil when it was cleared.",
        example: "local change = blackboard.level:changed(\"alarm\")\nblackboard.level:set(\"alarm\", 2)\nassert(change:wait() == 2)",
        ..Binding::waiting_method(CHANGE, "wait")
    },
];

fn of_character(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    with(lua, args, |world| alive(&world.characters, id).map(|_| ()).map_err(op(function)))?;
    answer(lua, board(lua, BoardOf::Character(id))?)
}

fn level(lua: &Lua, args: &mut Args) -> HostResult {
    with(lua, args, |_| Ok(()))?;
    answer(lua, board(lua, BoardOf::Level)?)
}

fn group(lua: &Lua, args: &mut Args) -> HostResult {
    with(lua, args, |_| Ok(()))?;
    let name = args.take("name").new_name()?;
    let found = board(lua, BoardOf::Group(name))?;
    let most = Boards::GROUPS_MAX;
    let full = || args.mistake(format!("the level has {most} groups with a board, the most allowed"));
    answer(lua, found.ok_or_else(full)?)
}

/// Board and key of a call.
fn place(lua: &Lua, args: &mut Args) -> Result<(u64, String), BindingError> {
    let board = myself::<BoardId>(args)?;
    with(lua, args, |_| Ok(()))?;
    Ok((board.0, args.take("key").new_name()?))
}

fn refused(lua: &Lua, args: &Args, board: u64, refusal: BoardRefusal) -> UsageError {
    match refusal {
        BoardRefusal::Gone => {
            args.mistake("the character of this blackboard was removed, and its board with it")
        }
        BoardRefusal::Full => {
            let most = store::with(lua, |runtime| runtime.limits.state_kib);
            let name = store::with(lua, |runtime| match runtime.boards.of(board) {
                Some(BoardOf::Group(name)) => format!("the board of group \"{name}\""),
                Some(BoardOf::Level) => "the board of the level".to_owned(),
                _ => "the board of the character".to_owned(),
            });
            args.mistake(format!(
                "{name} would be larger than {most} KiB, the most allowed (limits.stateKiB); clear some"
            ))
        }
        BoardRefusal::Awaited => {
            let most = Boards::AWAITED_MAX;
            args.mistake(format!("changes of {most} keys are waited for, the most allowed for one board"))
        }
    }
}

fn get(lua: &Lua, args: &mut Args) -> HostResult {
    let (board, key) = place(lua, args)?;
    let found = store::with(lua, |runtime| runtime.boards.get(board, &key).map(|value| value.cloned()));
    match found.map_err(|refusal| refused(lua, args, board, refusal))? {
        Some(value) => {
            fuel::charge_running(payload::price_of(&value));
            answer(lua, payload::write(lua, &value)?)
        }
        None => answer(lua, args.take("default").into_value()),
    }
}

fn set(lua: &Lua, args: &mut Args) -> HostResult {
    let (board, key) = place(lua, args)?;
    let limit = store::with(lua, |runtime| runtime.limits.state_kib);
    let value = payload::read(lua, &args.take("value"), u32::try_from(limit).unwrap_or(u32::MAX))?;
    let options = args.options(&["ttl"])?;
    let ttl = options.find("ttl").map(|ttl| seconds(&ttl)).transpose()?;
    let ttl_ticks = ttl.map(|ttl| store::with(lua, |runtime| runtime.clock.ticks(ttl)));
    if let Some(what) = store::work_at_limit(lua) {
        return Err(args.mistake(what).into());
    }
    fuel::charge_running(payload::price_of(&value));
    let done = blackboard::put(lua, board, &key, Some(value), ttl_ticks);
    done.map_err(|refusal| refused(lua, args, board, refusal))?;
    nothing()
}

fn has(lua: &Lua, args: &mut Args) -> HostResult {
    let (board, key) = place(lua, args)?;
    let has = store::with(lua, |runtime| runtime.boards.get(board, &key).map(|value| value.is_some()));
    answer(lua, has.map_err(|refusal| refused(lua, args, board, refusal))?)
}

fn clear(lua: &Lua, args: &mut Args) -> HostResult {
    let (board, key) = place(lua, args)?;
    let done = blackboard::put(lua, board, &key, None, None);
    done.map_err(|refusal| refused(lua, args, board, refusal))?;
    nothing()
}

fn keys(lua: &Lua, args: &mut Args) -> HostResult {
    let board = myself::<BoardId>(args)?.0;
    with(lua, args, |_| Ok(()))?;
    let keys = store::with(lua, |runtime| runtime.boards.keys(board));
    fuel::charge_running(keys.as_ref().map_or(0, Vec::len) as u64);
    answer(lua, keys.map_err(|refusal| refused(lua, args, board, refusal))?)
}

fn changed(lua: &Lua, args: &mut Args) -> HostResult {
    let (board, key) = place(lua, args)?;
    let change = store::with(lua, |runtime| runtime.boards.change(board, &key));
    let change = change.map_err(|refusal| refused(lua, args, board, refusal))?;
    answer(lua, handles::make(lua, ChangeId(change))?)
}

fn watch(lua: &Lua, args: &mut Args) -> HostResult {
    let (board, key) = place(lua, args)?;
    let callback = handlers::read(lua, &args.take("handler"))?;
    if store::with(lua, |runtime| runtime.boards.of(board).is_none()) {
        return Err(refused(lua, args, board, BoardRefusal::Gone).into());
    }
    if let Some(what) = owner::at_limit(lua, Counted::Handlers) {
        return Err(args.mistake(what).into());
    }
    let serial = handlers::watch_board(lua, board, &key, callback);
    answer(lua, event::listener(lua, serial)?)
}
