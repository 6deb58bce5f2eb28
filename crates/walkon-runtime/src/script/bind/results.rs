//! Results of walks, doors and path searches, as tables.
//!
//! In: results of the world. Out: read-only tables with the fields of the reference; a walk's has a
//! `tostring`.

use mlua::{Lua, Table, Value};

use crate::base::ids::{CharacterId, DoorId};
use crate::base::suggestions;
use crate::nav::{PathAnswer, PathStatus};
use crate::script::bind::table::{Alias, ApiParam, TableType, field};
use crate::script::vm::convert::vector;
use crate::script::vm::handles::{self, Cache};
use crate::world::World;
use crate::world::door::DoorReason;
use crate::world::outcome::{Blocker, WalkResult};

/// Tables that functions give.
pub const SHAPES: &[TableType] = &[
    TableType {
        name: "WalkResult",
        doc: "How a walk ended. `tostring(result)` gives status, reason, by and place.",
        fields: WALK_RESULT,
    },
    TableType { name: "DoorResult", doc: "How a wish about a door ended.", fields: DOOR_RESULT },
    TableType { name: "PathResult", doc: "What a path search found.", fields: PATH_RESULT },
];

/// The words of `status`; the same as [`Status::ALL`](crate::world::outcome::Status::ALL) (a test).
pub const WALK_STATUS_ALIAS: Alias = Alias {
    name: "WalkStatus",
    luau: "\"arrived\" | \"partial\" | \"blocked\" | \"cancelled\"",
    doc: "The four ways a walk ends.",
};

/// The words of `reason`; the same as [`Reason::ALL`](crate::world::outcome::Reason::ALL) (a test).
pub const WALK_REASON_ALIAS: Alias = Alias {
    name: "WalkReason",
    luau: "\"reached\" | \"alreadyThere\" | \"closeEnough\" | \"nearest\" | \"skipped\" | \"forced\" | \"noPath\" | \
           \"startOffNav\" | \"occupied\" | \"doorClosed\" | \"stuck\" | \"timeout\" | \"tooWide\" | \"limit\" | \"stopped\" | \
           \"superseded\" | \"targetGone\" | \"despawned\" | \"ownerGone\" | \"lostRace\" | \"levelEnd\"",
    doc: "Why a walk ended.",
};

/// Why there is no path, or none to the goal.
pub const PATH_REASON_ALIAS: Alias = Alias {
    name: "PathReason",
    luau: "\"noPath\" | \"startOffNav\" | \"occupied\" | \"doorClosed\" | \"tooWide\" | \"limit\" | \"cancelled\"",
    doc: "Why there is no path, or none to the goal.",
};

const WALK_RESULT: &[ApiParam] = &[
    field("ok", "boolean", "", "whether it arrived"),
    field("status", "WalkStatus", "", "the four ways a walk ends"),
    field("reason", "WalkReason", "", "why, one of the closed list of reasons"),
    field("walk", "number", "", "the walk's id"),
    field("character", "Character", "", "the character that walked"),
    field("position", "vector", "", "where it stands"),
    field("goal", "vector", "", "where it was to go"),
    field("remaining", "number", "", "metres left"),
    field("travelled", "number", "", "metres walked"),
    field("ticks", "number", "", "ticks since the walk was asked for"),
    field("repaths", "number", "", "plans made after the first"),
    field("by", "(Character | Door)?", "", "the character or door that stood in the way"),
    field("detail", "string", "", "one sentence"),
];

const DOOR_RESULT: &[ApiParam] = &[
    field("ok", "boolean", "", "whether the door is as asked"),
    field("reason", "\"done\" | \"already\" | \"locked\" | \"occupied\" | \"cancelled\"", "", "why"),
    field("door", "Door", "", "the door"),
    field("by", "Character?", "", "the character that did it, or stood in the way"),
];

const PATH_RESULT: &[ApiParam] = &[
    field("status", "\"complete\" | \"partial\" | \"none\"", "", "whether it reaches the goal"),
    field("reason", "PathReason?", "", "why not"),
    field("waypoints", "{vector}", "", "points, the first is the start"),
    field("length", "number", "", "metres"),
    field("cost", "number", "", "metres times area factors"),
    field("nearest", "vector?", "", "the reachable point nearest to the goal, when it is not the goal"),
    field(
        "by",
        "(Character | Door)?",
        "",
        "the closed door that is in the way, or a character that stands on the goal, if that is the cause",
    ),
    field("expansions", "number", "", "nodes the search looked at"),
    field("revision", "number", "", "of the map it holds for"),
];

/// The result of a walk.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn walk_result(lua: &Lua, world: &World, result: &WalkResult) -> mlua::Result<Table> {
    let journey = &result.journey;
    let table: Table = handles::maker(lua, |makers| &makers.walk_result)?.call((
        result.is_ok(),
        // Words cost more to hand over than numbers.
        result.status() as u32 + 1,
        result.reason() as u32 + 1,
        journey.walk,
        handles::character(lua, journey.character)?,
        vector(journey.position.into()),
        vector(journey.goal.into()),
        journey.remaining_m,
        journey.travelled_m,
        journey.ticks,
        journey.repaths,
        blocker(lua, journey.by)?,
        world.detail(result),
    ))?;
    let meta = lua.app_data_ref::<Cache>().map(|cache| cache.walk_result_meta.clone());
    table.set_metatable(meta)?;
    table.set_readonly(true);
    Ok(table)
}

pub(crate) fn blocker(lua: &Lua, by: Option<Blocker>) -> mlua::Result<Option<Value>> {
    Ok(match by {
        Some(Blocker::Character(id)) => Some(handles::character(lua, id)?),
        Some(Blocker::Door(id)) => Some(handles::door(lua, id)?),
        None => None,
    })
}

/// `tostring` of a walk's result: `blocked/doorClosed by door "vault" at (12.0, 7.0) after 83 ticks`.
pub(crate) fn show_walk_result(lua: &Lua, result: Table) -> mlua::Result<String> {
    let (status, reason): (String, String) = (result.raw_get("status")?, result.raw_get("reason")?);
    let by = match result.raw_get::<Value>("by")? {
        Value::Nil => String::new(),
        by => format!(" by {}", handles::shown(lua, &by)?),
    };
    let position: mlua::Vector = result.raw_get("position")?;
    let ticks: u64 = result.raw_get("ticks")?;
    let at = suggestions::decimals_of(&[position.x(), position.z()], 1);
    Ok(format!("{status}/{reason}{by} at ({at}) after {ticks} ticks"))
}

/// The result of a request about a door.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn door_result(
    lua: &Lua,
    door: DoorId,
    reason: DoorReason,
    by: Option<CharacterId>,
) -> mlua::Result<Table> {
    let table = lua.create_table_with_capacity(0, DOOR_RESULT.len())?;
    table.raw_set("ok", reason.is_ok())?;
    table.raw_set("reason", reason.name())?;
    table.raw_set("door", handles::door(lua, door)?)?;
    table.raw_set("by", by.map(|id| handles::character(lua, id)).transpose()?)?;
    table.set_readonly(true);
    Ok(table)
}

/// What a path search found.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn path_result(
    lua: &Lua,
    world: &World,
    answer: &PathAnswer,
    holder: Option<CharacterId>,
) -> mlua::Result<Table> {
    let trouble = answer.trouble.map(|trouble| world.reason_of(trouble));
    let by = holder.map(Blocker::Character).or(trouble.and_then(|(_, by)| by));
    let table = lua.create_table_with_capacity(0, PATH_RESULT.len())?;
    table.raw_set("status", status_name(answer.status))?;
    table.raw_set("reason", trouble.map(|(reason, _)| reason.name()))?;
    table.raw_set("waypoints", points(lua, &answer.path.points)?)?;
    table.raw_set("length", world.nav().length_in_space_m(&answer.path))?;
    table.raw_set("cost", answer.path.cost_m)?;
    table.raw_set("nearest", answer.nearest.map(vector))?;
    table.raw_set("by", blocker(lua, by)?)?;
    table.raw_set("expansions", answer.expansions)?;
    table.raw_set("revision", answer.revision.0)?;
    table.set_readonly(true);
    Ok(table)
}

/// The result of a path request that was taken back.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn cancelled_path_result(lua: &Lua, world: &World) -> mlua::Result<Table> {
    let table = lua.create_table_with_capacity(0, PATH_RESULT.len())?;
    table.raw_set("status", status_name(PathStatus::None))?;
    table.raw_set("reason", "cancelled")?;
    table.raw_set("waypoints", lua.create_table()?)?;
    table.raw_set("length", 0)?;
    table.raw_set("cost", 0)?;
    table.raw_set("expansions", 0)?;
    table.raw_set("revision", world.nav().revision().0)?;
    table.set_readonly(true);
    Ok(table)
}

fn status_name(status: PathStatus) -> &'static str {
    match status {
        PathStatus::Complete => "complete",
        PathStatus::Partial => "partial",
        PathStatus::None => "none",
    }
}

/// Points as a list of vectors.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn points(lua: &Lua, points: &[glam::Vec3]) -> mlua::Result<Table> {
    let table = lua.create_table_with_capacity(points.len(), 0)?;
    for &point in points {
        table.raw_push(vector(point))?;
    }
    Ok(table)
}
