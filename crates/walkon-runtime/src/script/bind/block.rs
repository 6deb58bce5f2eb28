//! Marks and removable blocks that scripts add to the map; the areas at a point.
//!
//! Holds: a block belongs to the owner that made it and ends with it, or with its code; a mark stays for the
//! level.

use mlua::Lua;

use crate::nav::{LayerPoint, NavMap};
use crate::script::bind::call::{answer, ask, myself, op, with};
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, param};
use crate::script::bind::tiles::layer_name;
use crate::script::bind::walk_options::metres;
use crate::script::bind::{names, place};
use crate::script::step::owner;
use crate::script::vm::charge;
use crate::script::vm::convert::{Args, UsageError};
use crate::script::vm::handles::{self, BlockId};
use crate::world::area::AreaKind;
use crate::world::ops::blocks;

const NAV: &str = "nav";
const TYPE: &str = "Block";

/// What stands above the entries.
pub const GROUPS: &[Library] =
    &[Library { name: TYPE, is_type: true, doc: "Ground that a script keeps all characters off." }];

/// Marks that scripts may add to a level.
const MARKS_MAX: usize = 10_000;
/// Widest block, metres.
const RADIUS_MAX_M: f64 = 50.0;
/// Cells that are looked at for a unit of fuel.
const CELLS_PER_UNIT: u64 = 16;
/// Fuel of a link of a graph: each is held against every side of the block.
const UNITS_PER_LINK: u64 = 2;

const PLACE: ApiParam = param("place", "Place", "\"post\"");

/// Everything about blocks, added marks and areas at a point.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[PLACE],
        returns: "{string}",
        raises: "name",
        doc: "Names of the areas around a point, available or not, in the order of the level.",
        example: "assert(nav.areasAt(\"post\")[1] == \"yard\")",
        ..Binding::function(NAV, "nav.areasAt", areas_at)
    },
    Binding {
        params: &[param("name", "string", "\"camp\""), PLACE],
        returns: "Mark",
        raises: "name limit",
        doc: "Gives a place a name, for the rest of the level, or moves a mark that was added so; raises when the level has a mark of that name.",
        example: "nav.addMark(\"camp\", guard)\nassert(nav.mark(\"camp\").position == guard.position)",
        price: 24,
        ..Binding::function(NAV, "nav.addMark", add_mark)
    },
    Binding {
        params: &[PLACE, param("radius", "number", "1.5"), param("layer", "string?", "\"ground\"")],
        returns: "Block",
        raises: "name range limit",
        doc: "Blocks the ground within `radius` metres, 0.01 to 50, from step 5 on, on one layer: that of the character \
              given as place, else the first, unless named. Ends with its owner, and when a reload replaces the owner's code.",
        example: "local block = nav.block(\"post\", 1.5)\nassert(nav.pending)\nblock:remove()",
        price: 64,
        ..Binding::function(NAV, "nav.block", block)
    },
    Binding {
        returns: "boolean",
        doc: "Frees the ground in step 5; false when it is over.",
        example: "local block = nav.block(\"post\", 1)\nassert(block:remove() and not block:remove())",
        ..Binding::method(TYPE, "remove", remove)
    },
];

fn areas_at(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let place = place::single(&args.take("place"))?;
    ask(lua, args, |world| {
        let point = place.point(world, function, None)?;
        let mut ids = Vec::new();
        world.map.nav.areas_at(point, &mut ids);
        let areas = ids.iter().filter_map(|id| world.areas().get(id.index()));
        let named = areas.filter(|area| area.kind == AreaKind::Ground && !area.name.is_empty());
        Ok(named.map(|area| area.name.clone()).collect::<Vec<_>>())
    })
}

fn add_mark(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, name) = (args.function(), args.take("name").new_name()?);
    let place = place::single(&args.take("place"))?;
    let mark = with(lua, args, |world| {
        let point = place.point(world, function, None)?;
        if world.places.made.len() >= MARKS_MAX && !world.places.made.contains(&name) {
            let what = format!("scripts have added {MARKS_MAX} marks, the most allowed");
            return Err(UsageError::new(function, what));
        }
        if !blocks::add_mark(world, &name, point) {
            let what = format!("the level has a mark \"{name}\"; choose another name");
            return Err(UsageError::new(function, what));
        }
        world.mark(&name).cloned().ok_or_else(|| UsageError::new(function, "the mark is gone"))
    })?;
    answer(lua, handles::mark(lua, &mark)?)
}

fn block(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let place = place::single(&args.take("place"))?;
    let radius_m = metres(&args.take("radius"), 0.01, RADIUS_MAX_M)?;
    let layer = layer_name(args.take("layer"))?;
    let owner = owner::current(lua);
    let (serial, units) = with(lua, args, |world| {
        let point = place.point(world, function, None)?;
        let layer = match layer {
            Some(name) => names::layer(world, function, &name)?,
            None => place.layer_or(world, 0),
        };
        let centre = LayerPoint { layer, point };
        let serial = blocks::add(world, owner, centre, radius_m).map_err(op(function))?;
        Ok((serial, laying(world.nav(), radius_m)))
    })?;
    charge(lua, units)?;
    answer(lua, handles::make(lua, BlockId(serial))?)
}

/// The fuel of laying a block on a map, beside the price of the call.
fn laying(nav: &NavMap, radius_m: f32) -> u64 {
    let across = 2.0 * radius_m / nav.node_m();
    let around = (across * across) as u64;
    match nav {
        NavMap::Graph(graph) => UNITS_PER_LINK * graph.net().links().len() as u64,
        NavMap::Cells(_) | NavMap::Layers(_) => around.min(nav.node_count()) / CELLS_PER_UNIT,
        NavMap::Mesh(_) => around / CELLS_PER_UNIT,
    }
}

fn remove(lua: &Lua, args: &mut Args) -> HostResult {
    let BlockId(serial) = myself(args)?;
    ask(lua, args, |world| Ok(blocks::remove(world, serial)))
}
