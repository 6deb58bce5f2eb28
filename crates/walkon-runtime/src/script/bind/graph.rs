//! The points and links of `nav`, on maps of kind `graph`.
//!
//! Holds: a script reads its own edits back at once; the map follows in step 5. Not here: what a place is
//! (`place`).

use mlua::Lua;

use crate::script::bind::call::{ask_map, op};
use crate::script::bind::place::{self, PlaceValue};
use crate::script::bind::table::{ApiParam, Binding, HostResult, param};
use crate::script::vm::convert::{Args, UsageError};
use crate::world::World;
use crate::world::ops::OpError;
use crate::world::ops::graph;

const NAV: &str = "nav";
/// Points of the graph, or edits that wait, that are looked at for a unit of fuel.
const POINTS_PER_UNIT: u64 = 256;
/// How often a question goes over the edits that wait.
const EDIT_LOOKS: u64 = 4;

const FROM: ApiParam = param("from", "Place", "guard");
const TO: ApiParam = param("to", "Place", "\"gate\"");

/// What `nav` has for graphs.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[param("place", "Place", "\"post\"")],
        returns: "number",
        raises: "name",
        doc: "Graphs: one more point, without links; its number. The map follows in step 5.",
        example: "local point = nav.addPoint(vector.create(8, 0, 9))\n\
                  nav.link(vector.create(8, 0, 9), \"post\")\nassert(point > 0 and nav.pending)",
        price: 32,
        ..Binding::function(NAV, "nav.addPoint", add_point)
    },
    Binding {
        params: &[FROM, TO],
        returns: "boolean",
        raises: "name",
        doc: "Graphs: links the points nearest to two places, both ways; whether that was a change. A point stands for places \
              within 8 m. The map follows in step 5; walks that end short of their goal look for a way again in that tick.",
        example: "nav.unlink(\"post\", guard)\nassert(nav.link(\"post\", guard) and not nav.link(guard, \"post\"))",
        price: 64,
        ..Binding::function(NAV, "nav.link", link)
    },
    Binding {
        params: &[FROM, TO],
        returns: "boolean",
        raises: "name",
        doc: "Graphs: takes away the link between the points nearest to two places; whether that was a change. The map follows \
              in step 5; walks whose way led over it look for another in that tick.",
        example: "assert(nav.unlink(guard, \"post\") and not nav.unlink(guard, \"post\"))",
        price: 64,
        ..Binding::function(NAV, "nav.unlink", unlink)
    },
];

fn add_point(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let place = place::single(&args.take("place"))?;
    ask_map(lua, args, |world| {
        let point = place.point(world, function, None)?;
        let number = graph::add_point(world, point).map_err(op(function))?;
        Ok((f64::from(number), 0))
    })
}

fn link(lua: &Lua, args: &mut Args) -> HostResult {
    between(lua, args, graph::link)
}

fn unlink(lua: &Lua, args: &mut Args) -> HostResult {
    between(lua, args, graph::unlink)
}

/// Does something to the link between two places.
fn between(
    lua: &Lua,
    args: &mut Args,
    verb: fn(&mut World, glam::Vec3, glam::Vec3) -> Result<bool, OpError>,
) -> HostResult {
    let function = args.function();
    let (from, to): (PlaceValue, PlaceValue) =
        (place::single(&args.take("from"))?, place::single(&args.take("to"))?);
    ask_map(lua, args, |world| -> Result<(bool, u64), UsageError> {
        let ends = (from.point(world, function, None)?, to.point(world, function, None)?);
        let seen = 2 * world.nav().node_count() + EDIT_LOOKS * world.map.edits.graph.len() as u64;
        let units = seen / POINTS_PER_UNIT;
        Ok((verb(world, ends.0, ends.1).map_err(op(function))?, units))
    })
}
