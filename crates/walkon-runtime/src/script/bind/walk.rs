//! `Walk`, `Turn` and `Play`: results of verbs that take time.
//!
//! Holds: a walk's handle answers from the world while the walk is there, and from its result ever after.

use mlua::{Lua, Table, Value};

use crate::base::ids::WalkId;
use crate::script::bind::call::{answer, ask, myself, op, with};
use crate::script::bind::place;
use crate::script::bind::results::{points, walk_result};
use crate::script::bind::table::{Binding, HostResult, Library, param};
use crate::script::bind::walk_options::speed_mps;
use crate::script::vm::convert::{Args, UsageError, vector};
use crate::script::vm::{fuel, handles, lend};
use crate::world::World;
use crate::world::goal::Goal;
use crate::world::ops::{walk_changes, walks};
use crate::world::walk::{Phase, Walk};

const TYPE: &str = "Walk";
/// Points of a path that are handed out for a unit of fuel.
const POINTS_PER_UNIT: u64 = 4;
/// What a walk can be doing.
const STATES: &str = "\"planning\" | \"moving\" | \"waiting\" | \"turning\" | \"paused\" | \"settled\"";

/// What stands above the entries.
pub const GROUPS: &[Library] = &[
    Library { name: TYPE, is_type: true, doc: "A walk: it settles exactly once, whatever happens." },
    Library {
        name: "Turn",
        is_type: true,
        doc: "A turn on the spot; its result is false if something else turned it.",
    },
    Library { name: "Play", is_type: true, doc: "An animation; its result is false if it was replaced." },
];

/// Everything a `Walk`, a `Turn` and a `Play` have.
pub const ENTRIES: &[Binding] = &[
    Binding {
        doc: "Its number, in order of creation.",
        example: "assert(guard:walkTo(\"gate\").id < guard:walkTo(\"post\").id)",
        ..Binding::field(TYPE, "id", "number", id)
    },
    Binding {
        doc: "The character that walks.",
        example: "assert(guard:walkTo(\"gate\").character == guard)",
        ..Binding::field(TYPE, "character", "Character", character)
    },
    Binding {
        doc: "Where to, metres; moves along with a character that is followed.",
        example: "assert(guard:walkTo(\"gate\").goal == nav.mark(\"gate\").position)",
        ..Binding::field(TYPE, "goal", "vector", goal)
    },
    Binding {
        doc: "The result; nil until it settles.",
        example: "local walk = guard:walkTo(\"gate\")\nassert(walk.result == nil)\nwalk:stop()\nassert(walk.result.reason == \"stopped\")",
        ..Binding::field(TYPE, "result", "WalkResult?", result)
    },
    Binding {
        doc: "`planning`, `moving`, `waiting`, `turning`, `paused` or `settled`.",
        example: "assert(guard:walkTo(\"gate\").state == \"planning\")",
        ..Binding::field(TYPE, "state", STATES, state)
    },
    Binding {
        returns: "WalkResult",
        raises: "wait",
        doc: "Waits for the result.",
        example: "local result = guard:walkTo(\"gate\"):wait()\nassert(result.character == guard)",
        ..Binding::waiting_method(TYPE, "wait")
    },
    Binding {
        returns: "boolean",
        doc: "Ends the walk where the character stands, `cancelled/stopped`; false when it has settled.",
        example: "local walk = guard:walkTo(\"gate\")\nassert(walk:stop() and not walk:stop())",
        price: 12,
        ..Binding::method(TYPE, "stop", stop)
    },
    Binding {
        returns: "number?",
        doc: "Metres of path left, on the ground plane and along what is climbed; nil while it plans.",
        example: "assert(guard:walkTo(\"gate\"):remaining() == nil)",
        ..Binding::method(TYPE, "remaining", remaining)
    },
    Binding {
        returns: "{vector}",
        doc: "The points of the path that are left.",
        example: "assert(#guard:walkTo(\"gate\"):path() == 0)",
        price: 64,
        ..Binding::method(TYPE, "path", path)
    },
    Binding {
        params: &[param("goal", "Place", "\"post\"")],
        returns: "boolean",
        raises: "name gone",
        doc: "Gives the walk another goal without ending it; false when it has settled. A character that follows another follows the new \
              character; any other course becomes a walk to that goal.",
        example: "local walk = guard:walkTo(\"gate\")\nassert(walk:retarget(\"post\") and walk.goal == nav.mark(\"post\").position)",
        price: 24,
        ..Binding::method(TYPE, "retarget", retarget)
    },
    Binding {
        params: &[param("speed", "number", "2")],
        returns: "boolean",
        raises: "range",
        doc: "Changes how fast the walk goes, metres a second, 0.01 to 50; false when it has settled.",
        example: "assert(guard:walkTo(\"gate\"):setSpeed(2))",
        ..Binding::method(TYPE, "setSpeed", set_speed)
    },
    Binding {
        returns: "boolean",
        doc: "Lets the character stand until `resume`; patience does not count meanwhile, the timeout and the rest at a stop do. False \
              when it has settled or stands so already.",
        example: "local walk = guard:walkTo(\"gate\")\nassert(walk:pause() and walk.state == \"paused\")",
        ..Binding::method(TYPE, "pause", pause)
    },
    Binding {
        returns: "boolean",
        doc: "Lets a paused walk go on; false when it was not paused.",
        example: "local walk = guard:walkTo(\"gate\")\nwalk:pause()\nassert(walk:resume() and not walk:resume())",
        ..Binding::method(TYPE, "resume", resume)
    },
    Binding {
        returns: "number?",
        doc: "Seconds that what is left of the path takes at its speed, doors aside; nil while it plans.",
        example: "assert(guard:walkTo(\"gate\"):eta() == nil)",
        ..Binding::method(TYPE, "eta", eta)
    },
    Binding {
        returns: "boolean",
        raises: "wait",
        doc: "Waits for the end of the turn: false if something else turned it.",
        example: "assert(guard:face(player):wait() ~= nil)",
        ..Binding::waiting_method("Turn", "wait")
    },
    Binding {
        returns: "boolean",
        raises: "wait",
        doc: "Waits for the end of the animation: false if it was replaced.",
        example: "assert(guard:play(\"wave\", { seconds = 0.1 }):wait() ~= nil)",
        ..Binding::waiting_method("Play", "wait")
    },
];

/// Keeps the result of a walk with its handle: the world forgets the walk in step 13.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn latch(lua: &Lua, walk: WalkId, result: &Table) -> mlua::Result<()> {
    handles::latch(lua, walk, result)
}

/// What a walk answers: from the world, else from its result, else nothing.
fn read<R: mlua::IntoLua>(
    lua: &Lua,
    args: &mut Args,
    living: impl FnOnce(&Walk) -> R,
    kept: impl FnOnce(&Table) -> mlua::Result<Value>,
) -> HostResult {
    let id = myself::<WalkId>(args)?;
    match with(lua, args, |world| Ok(world.walk(id).map(living)))? {
        Some(value) => answer(lua, value),
        None => match handles::latched(lua, id)? {
            Some(Value::Table(result)) => answer(lua, kept(&result)?),
            _ => answer(lua, Value::Nil),
        },
    }
}

fn id(lua: &Lua, args: &mut Args) -> HostResult {
    read(lua, args, |walk| walk.serial, |result| result.raw_get("walk"))
}

fn character(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<WalkId>(args)?;
    match with(lua, args, |world| Ok(world.walk(id).map(|walk| walk.character)))? {
        Some(character) => answer(lua, handles::character(lua, character)?),
        None => match handles::latched(lua, id)? {
            Some(Value::Table(result)) => answer(lua, result.raw_get::<Value>("character")?),
            _ => answer(lua, Value::Nil),
        },
    }
}

fn goal(lua: &Lua, args: &mut Args) -> HostResult {
    read(lua, args, |walk| vector(walk.target()), |result| result.raw_get("goal"))
}

fn state(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<WalkId>(args)?;
    ask(lua, args, |world| Ok(world.walk(id).map_or("settled", Walk::state_name)))
}

fn result(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<WalkId>(args)?;
    answer(lua, result_of(lua, id)?)
}

/// The result of a walk, once it has settled: the same table every time while a script holds the handle.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn result_of(lua: &Lua, id: WalkId) -> mlua::Result<Option<Value>> {
    if let Some(kept) = handles::latched(lua, id)? {
        return Ok(Some(kept));
    }
    let table = lend::with_world::<World, _>(lua, |world| {
        let result = world.walk(id).and_then(Walk::result);
        result.map(|result| walk_result(lua, world, result)).transpose()
    });
    let Ok(table) = table else {
        return Ok(None);
    };
    let Some(table) = table? else {
        return Ok(None);
    };
    latch(lua, id, &table)?;
    Ok(Some(Value::Table(table)))
}

fn stop(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<WalkId>(args)?;
    ask(lua, args, |world| Ok(walks::stop(world, id)))
}

fn retarget(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<WalkId>(args)?, args.function());
    let goal = place::take(args, "goal")?;
    ask(lua, args, |world| {
        let Some(walker) = world.walk(id).filter(|walk| walk.is_open()).map(|walk| walk.character) else {
            return Ok(false);
        };
        let goal = goal.goal(world, function, walker)?;
        if goal == Goal::Character(walker) {
            return Err(UsageError::new(function, "goal is the walker itself, expected another place"));
        }
        walk_changes::retarget(world, id, goal).map_err(op(function))
    })
}

fn set_speed(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<WalkId>(args)?, args.function());
    let speed_mps = speed_mps(&args.take("speed"))?;
    ask(lua, args, |world| walk_changes::set_speed(world, id, speed_mps).map_err(op(function)))
}

fn pause(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<WalkId>(args)?;
    ask(lua, args, |world| Ok(walk_changes::pause(world, id)))
}

fn resume(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<WalkId>(args)?;
    ask(lua, args, |world| Ok(walk_changes::resume(world, id)))
}

fn eta(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<WalkId>(args)?;
    ask(lua, args, |world| Ok(world.walk(id).and_then(|walk| walk_changes::eta_s(world, walk))))
}

fn remaining(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<WalkId>(args)?;
    let left_m = |world: &World| {
        let walk = world.walk(id).filter(|walk| walk.phase != Phase::Planning)?;
        walk.remaining_m(world.character(walk.character)?.body.position)
    };
    ask(lua, args, |world| Ok(left_m(world)))
}

fn path(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<WalkId>(args)?;
    let left = with(lua, args, |world| {
        let open = world.walk(id).filter(|walk| walk.is_open() && walk.phase != Phase::Planning);
        let following = open.and_then(|walk| walk.following.as_ref());
        Ok(following.map_or(Vec::new(), |way| way.cursor.ahead(&way.path).to_vec()))
    })?;
    fuel::charge_running(left.len() as u64 / POINTS_PER_UNIT);
    answer(lua, points(lua, &left)?)
}
