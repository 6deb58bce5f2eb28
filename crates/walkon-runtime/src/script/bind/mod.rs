//! The names that scripts see, one Lua type or library a file, registered from one table.
//!
//! In: calls of scripts. Out: verbs and questions of the world. Holds: a binding borrows the world for one
//! host call and never while calling Lua; mistakes raise at the caller's line, the world answers with a
//! result. Not here: functions that wait (`prelude/`), things that scripts have registered (`registration`
//! hands them to `state`).

pub(crate) mod acts;
pub mod behaviour;
pub mod blackboard;
pub mod block;
pub mod bt;
pub mod call;
pub mod character;
pub mod cinematic;
pub(crate) mod clock;
pub mod definitions;
pub mod door;
pub mod event;
pub mod graph;
pub mod level;
pub mod log;
pub(crate) mod looks;
pub mod names;
pub mod nav;
pub mod path_options;
pub mod place;
mod quick_answers;
pub(crate) mod read_only;
pub mod region;
pub(crate) mod register;
pub(crate) mod registration;
pub mod results;
pub mod rng;
pub mod scene;
pub mod sense;
pub mod table;
pub mod task;
pub mod test;
pub(crate) mod test_fuel;
pub(crate) mod test_waits;
pub mod tiles;
pub mod timer;
pub(crate) mod wait_requests;
pub mod walk;
pub mod walk_modes;
pub mod walk_options;
pub mod world;

use mlua::{Function, Lua, Table};

use crate::base::ids::{CharacterId, DoorId, PathToken, WalkId};
use crate::script::bind::read_only::read_only;
use crate::script::bind::register::{index, library_function, missing, register};
use crate::script::bind::table::{Alias, Binding, EntryBody, EntryKind, Library, TableType};
use crate::script::step::testing::{ExpectationId, TestId};
use crate::script::step::tree::node;
use crate::script::step::wait::{BoardId, ChangeId, CueId, ListenerId, SceneId, TaskId, TimerId};
use crate::script::vm::handles::{DoorMove, Makers, PlayId, StreamId, TurnId, WatchRef};
use crate::script::vm::{ScriptVm, handles, lend};
use crate::world::World;
use crate::world::outcome::{Reason, Status};
use crate::world::sense::SenseId;

/// Every list of entries, in the order of the reference.
const ENTRIES: &[&[Binding]] = &[
    level::ENTRIES,
    clock::ENTRIES,
    world::ENTRIES,
    character::ENTRIES,
    walk_modes::ENTRIES,
    behaviour::ENTRIES,
    walk::ENTRIES,
    nav::ENTRIES,
    tiles::ENTRIES,
    graph::ENTRIES,
    block::ENTRIES,
    door::ENTRIES,
    region::ENTRIES,
    sense::ENTRIES,
    timer::ENTRIES,
    event::ENTRIES,
    task::ENTRIES,
    bt::ENTRIES,
    blackboard::ENTRIES,
    cinematic::ENTRIES,
    rng::ENTRIES,
    log::ENTRIES,
    test::ENTRIES,
];

/// Every list of groups, in the order of the reference.
const GROUPS: &[&[Library]] = &[
    &[level::GROUP, clock::GROUP, world::GROUP, character::GROUP],
    walk::GROUPS,
    nav::GROUPS,
    block::GROUPS,
    door::GROUPS,
    region::GROUPS,
    sense::GROUPS,
    timer::GROUPS,
    event::GROUPS,
    task::GROUPS,
    &[bt::GROUP],
    blackboard::GROUPS,
    cinematic::GROUPS,
    rng::GROUPS,
    &[log::GROUP],
    test::GROUPS,
];

/// Every list of tables that functions take or give.
const SHAPES: &[&[TableType]] = &[
    &[
        level::SHAPE,
        walk_options::SHAPE,
        walk_options::TREE_SHAPE,
        path_options::SHAPE,
        path_options::REQUEST_SHAPE,
    ],
    results::SHAPES,
    world::SHAPES,
    character::SHAPES,
    walk_modes::SHAPES,
    nav::SHAPES,
    tiles::SHAPES,
    door::SHAPES,
    region::SHAPES,
    sense::SHAPES,
    timer::SHAPES,
    task::SHAPES,
    bt::SHAPES,
    blackboard::SHAPES,
    cinematic::SHAPES,
    test::SHAPES,
    definitions::SHAPES,
];

/// Types that are other types.
pub const ALIASES: &[Alias] = &[
    Alias {
        name: "Mark",
        luau: "{ name: string?, position: vector, facing: number?, props: { [string]: any } }",
        doc: "A named place; stops of a route may be nameless. `props` is what the level says of it, empty when nothing.",
    },
    Alias {
        name: "Place",
        luau: "vector | MarkName | Mark | Character | Door",
        doc: "Where; a string is the name of a mark. Verbs of a character also take x and z.",
    },
    Alias {
        name: "Handler",
        luau: "((payload: any) -> ...any) | string",
        doc: "A function, or the name of a handler of the owner.",
    },
    Alias {
        name: "WalkHandler",
        luau: "((result: WalkResult) -> ...any) | string",
        doc: "A handler that is given how a walk ended.",
    },
    Alias {
        name: "PathHandler",
        luau: "((result: PathResult) -> ...any) | string",
        doc: "A handler that is given what a path search found.",
    },
    Alias {
        name: "RegionHandler",
        luau: "((event: RegionEvent) -> ...any) | string",
        doc: "A handler that is told of a character that came in or went out.",
    },
    Alias {
        name: "Awaitable",
        luau: "Walk | DoorMove | PathRequest | Timer | Task | Turn | Play | Scene | Cue | Change",
        doc: "What can be waited for.",
    },
    sense::HANDLER_ALIAS,
    bt::NODE_ALIAS,
    results::WALK_STATUS_ALIAS,
    results::WALK_REASON_ALIAS,
    results::PATH_REASON_ALIAS,
    Alias {
        name: "Filter",
        luau: "string | {string} | Character | (character: Character) -> boolean",
        doc: "Which characters count; strings are tags.",
    },
];

/// Types whose values are names: of things in a level, or of scripts. To Lua all of them are strings;
/// `walkon types` gives them the names of a project, and `walkon check` looks up what stands in quotes.
pub const NAMES: &[Alias] = &[
    name_of("MarkName", "Name of a mark."),
    name_of("RouteName", "Name of a route."),
    name_of("DoorName", "Name of a door."),
    name_of("AreaName", "Name of an area or an obstacle."),
    name_of("RegionName", "Name of a region."),
    name_of("CharacterName", "Name of a character."),
    name_of("BehaviourName", "Name of a behaviour's script."),
    name_of("CinematicName", "Name of a cinematic."),
    name_of("LevelName", "Name of a level."),
];

const fn name_of(name: &'static str, doc: &'static str) -> Alias {
    Alias { name, luau: "string", doc }
}

/// Every entry, in the order of the reference.
#[must_use]
pub fn entries() -> Vec<&'static Binding> {
    ENTRIES.iter().flat_map(|list| list.iter()).collect()
}

/// What a library or a type of handles has.
pub fn entries_of(owner: &str) -> impl Iterator<Item = &'static Binding> {
    entries().into_iter().filter(move |entry| entry.owner == owner)
}

/// Every library and handle type, in the order of the reference.
#[must_use]
pub fn groups() -> Vec<&'static Library> {
    GROUPS.iter().flat_map(|list| list.iter()).collect()
}

/// Every table that functions take or give.
#[must_use]
pub fn shapes() -> Vec<&'static TableType> {
    SHAPES.iter().flat_map(|list| list.iter()).collect()
}

/// The setup of the bindings.
pub struct BindingSetup<'a> {
    /// `level.args`.
    pub args: &'a [String],
    /// The function of the prelude behind an entry that waits.
    pub waiting: &'a dyn Fn(&Binding) -> Option<Function>,
}

/// Gives a VM that is not sealed yet every name of the table, and the slot for the world. Returns the `state`
/// table, which sealing makes read-only like every global table: open it again afterwards with
/// `set_readonly(false)`.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn install(vm: &ScriptVm, setup: &BindingSetup<'_>) -> mlua::Result<Table> {
    let lua = vm.lua();
    lend::install::<World>(lua);
    level::install(lua, setup.args)?;
    let join = vm.own_chunk(include_str!("../prelude/tree.lua"))?.call(())?;
    node::install(lua, join, |lua, args| character::walk_to(lua, args).map_err(|raise| raise.error(lua)))?;
    let native: Table = vm.globals().raw_get("string")?;
    log::install(lua, native.raw_get("format")?, vm.globals().raw_get("tostring")?);
    let words = (Status::ALL.map(Status::name), Reason::ALL.map(Reason::name));
    let records = vm.own_chunk(include_str!("../prelude/records.lua"))?;
    let (crossing, walk_result, behaviour) = records.call(words)?;
    let index = vm.own_chunk(handles::index_text())?;
    let makers = Makers { index, crossing, walk_result, behaviour };
    handles::install(lua, makers, lua.create_function(results::show_walk_result)?)?;
    register_types(lua, setup)?;
    for group in groups().into_iter().filter(|group| !group.is_type) {
        vm.define(group.name, library(lua, group.name, setup)?)?;
    }
    let state = lua.create_table()?;
    vm.define("state", &state)?;
    Ok(state)
}

fn register_types(lua: &Lua, setup: &BindingSetup<'_>) -> mlua::Result<()> {
    let entries = entries();
    register::<CharacterId>(lua, &entries, setup.waiting)?;
    register::<WalkId>(lua, &entries, setup.waiting)?;
    register::<TurnId>(lua, &entries, setup.waiting)?;
    register::<PlayId>(lua, &entries, setup.waiting)?;
    register::<DoorId>(lua, &entries, setup.waiting)?;
    register::<DoorMove>(lua, &entries, setup.waiting)?;
    register::<PathToken>(lua, &entries, setup.waiting)?;
    register::<handles::BlockId>(lua, &entries, setup.waiting)?;
    register::<WatchRef>(lua, &entries, setup.waiting)?;
    register::<SenseId>(lua, &entries, setup.waiting)?;
    register::<StreamId>(lua, &entries, setup.waiting)?;
    register::<TimerId>(lua, &entries, setup.waiting)?;
    register::<ListenerId>(lua, &entries, setup.waiting)?;
    register::<TaskId>(lua, &entries, setup.waiting)?;
    register::<SceneId>(lua, &entries, setup.waiting)?;
    register::<BoardId>(lua, &entries, setup.waiting)?;
    register::<ChangeId>(lua, &entries, setup.waiting)?;
    register::<CueId>(lua, &entries, setup.waiting)?;
    register::<TestId>(lua, &entries, setup.waiting)?;
    register::<ExpectationId>(lua, &entries, setup.waiting)
}

/// The global table `name`: its functions, and its fields read again each time.
fn library(lua: &Lua, name: &'static str, setup: &BindingSetup<'_>) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let fields = lua.create_table()?;
    let entries: Vec<&'static Binding> = entries_of(name).collect();
    for entry in &entries {
        let function = match entry.body {
            EntryBody::Native(body) => Some(library_function(lua, entry, body)?),
            EntryBody::Prelude => (setup.waiting)(entry),
        };
        let target = if entry.kind == EntryKind::Field { &fields } else { &table };
        target.raw_set(entry.name(), function)?;
    }
    let names: Vec<&'static str> = entries.iter().map(|entry| entry.name()).collect();
    let missing = missing(lua, name, names.clone())?;
    let metatable = lua.create_table()?;
    metatable.raw_set("__index", index(lua, &lua.create_table()?, &fields, &missing)?)?;
    metatable.raw_set("__newindex", read_only(lua, name, names)?)?;
    metatable.raw_set("__metatable", false)?;
    metatable.set_readonly(true);
    table.set_metatable(Some(metatable))?;
    Ok(table)
}

/// What to write instead of `owner.field = ...`.
#[must_use]
pub fn instead_of_setting(owner: &str, field: &str) -> &'static str {
    let names: Vec<&str> = entries_of(owner).map(|entry| entry.name()).collect();
    read_only::instead(owner, field, &names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ordered::CollectOrdered;

    #[test]
    fn verbs_of_a_character_are_known_where_somebody_calls_them_on_self() {
        let of_characters = entries_of("Character");
        let methods = of_characters.filter(|entry| entry.kind == EntryKind::Method).map(Binding::name);
        assert_eq!(methods.collect_set(), crate::script::vm::hints::VERBS.iter().copied().collect_set());
    }

    #[test]
    fn quick_answers_cost_what_the_bindings_cost() {
        for name in quick_answers::names() {
            let all = entries();
            let found = all.iter().find(|entry| entry.owner == "Character" && entry.name() == name);
            let entry = found.unwrap_or_else(|| panic!("characters have no \"{name}\""));
            let price = match entry.kind {
                EntryKind::Field => Binding::FIELD_PRICE,
                _ => Binding::CALL_PRICE,
            };
            assert_eq!(entry.price, price, "{name}");
        }
    }
}
