//! The tiles of `nav`: what the ground is made of, tile by tile.
//!
//! Holds: a script reads its own edits back at once; the map follows in step 5. Not here: what a tile is (`world::tiles`).

use mlua::{IntoLua, Lua, Table, Value};

use crate::script::bind::call::{ask, op, setting};
use crate::script::bind::names;
use crate::script::bind::place;
use crate::script::bind::table::{Answer, Entry, Param, Shape, field, param};
use crate::script::convert::{Args, Mistake, Named};
use crate::world::World;
use crate::world::ops::tiles;
use crate::world::tiles::Tile;

const NAV: &str = "nav";

/// What a tile is, of those that one names and those that one is given.
const TILE: [Param; 4] = [
    field(
        "navigable",
        "boolean?",
        "false",
        "whether one can walk there while no door and no area says otherwise",
    ),
    field("cost", "number?", "1.5", "cost of a metre on it, 0.1 to 100; 1 is plain ground"),
    field(
        "terrain",
        "string?",
        "\"mud\"",
        "ground, grass, sand, mud, water, ice, snow, rock, bridge or lava; brings its cost, and whether one can walk on it",
    ),
    field("tags", "{string}?", "{ \"safe\" }", "words for scripts"),
];

/// Tables that these functions take and give.
pub const SHAPES: &[Shape] =
    &[Shape { name: "Tile", doc: "A tile of a tile map. What is left out of an edit stays.", fields: &TILE }];

const LAYER: Param = param("layer", "string?", "\"ground\"");

/// What `nav` has for tile maps.
pub const ENTRIES: &[Entry] = &[Entry {
    params: &[param("place", "Place", "\"post\""), LAYER],
    returns: "Tile?",
    raises: "name",
    doc: "Tile maps: the tile at a place, as last asked for; nil off the map. The layer is the first unless named.",
    example: "local tile = nav.tileAt(\"post\")\nassert(tile and tile.terrain == \"grass\" and tile.cost == 1)",
    ..Entry::function(NAV, "nav.tileAt", tile_at)
}];

/// The layer that an argument names, as text; none for the first.
fn layer_name(given: Named) -> Result<Option<String>, Mistake> {
    given.present().map(|given| given.text("a layer's name")).transpose()
}

fn layer_of(world: &World, function: &str, name: Option<&str>) -> Result<u8, Mistake> {
    name.map_or(Ok(0), |name| names::layer(world, function, name))
}

fn tile_at(lua: &Lua, args: &mut Args) -> Answer {
    let function = args.function();
    let place = place::single(&args.take("place"))?;
    let layer = layer_name(args.take("layer"))?;
    ask(lua, args, |world| {
        let layer = layer_of(world, function, layer.as_deref())?;
        let point = place.point(world, function, None)?;
        tiles::tile_at(world, layer, point).map(|tile| tile.cloned().map(Shown)).map_err(op(function))
    })
}

/// A tile on its way to a script.
struct Shown(Tile);

impl IntoLua for Shown {
    fn into_lua(self, lua: &Lua) -> mlua::Result<Value> {
        let table: Table = lua.create_table_with_capacity(0, TILE.len())?;
        table.raw_set("navigable", self.0.navigable)?;
        table.raw_set("cost", setting(self.0.cost))?;
        table.raw_set("terrain", self.0.terrain.name())?;
        table.raw_set("tags", self.0.tags)?;
        Ok(Value::Table(table))
    }
}
