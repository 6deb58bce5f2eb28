//! The tiles of `nav`: what the ground is made of, tile by tile.
//!
//! Holds: a script reads its own edits back at once; the map follows in step 5. Not here: what a tile is
//! (`world::tiles`).

use mlua::{IntoLua, Lua, Table, Value};

use crate::script::bind::call::{ask, nothing, op, pay_for_tags, with};
use crate::script::bind::place::{self, PlaceValue};
use crate::script::bind::table::{ApiParam, Binding, HostResult, TableType, field, names as names_of, param};
use crate::script::bind::{door, names};
use crate::script::vm::convert::{Args, Argument, UsageError, setting};
use crate::script::vm::room;
use crate::world::World;
use crate::world::ops::tiles::{self, TileChange};
use crate::world::tiles::{Terrain, Tile};

const NAV: &str = "nav";

/// The fields of a tile, in arguments and in answers.
const TILE: [ApiParam; 4] = [
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
pub const SHAPES: &[TableType] = &[
    TableType {
        name: "Tile",
        doc: "A tile of a tile map. What is left out of an edit stays.",
        fields: &TILE,
    },
    TableType {
        name: "NavigableOptions",
        doc: "What else to say of a tile that opens or closes.",
        fields: &[
            field("cost", "number?", "1.5", "cost of a metre on it, 0.1 to 100; kept when left out"),
            field("layer", "string?", "\"ground\"", "the layer of the map; default the first"),
        ],
    },
];

const TILE_NAMES: [&str; TILE.len()] = names_of(&TILE);
const NAVIGABLE_OPTIONS: &[&str] = &["cost", "layer"];
/// Most tags of a tile.
const TAGS_MAX: usize = 64;

const PLACE: ApiParam = param("place", "Place", "\"post\"");
const LAYER: ApiParam = param("layer", "string?", "\"ground\"");

/// What `nav` has for tile maps.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[PLACE, LAYER],
        returns: "Tile?",
        raises: "name",
        doc: "Tile maps: the tile at a place, as last asked for; nil off the map. The layer is the first unless named.",
        example: "local tile = nav.tileAt(\"post\")\nassert(tile and tile.terrain == \"grass\" and tile.cost == 1)",
        ..Binding::function(NAV, "nav.tileAt", tile_at)
    },
    Binding {
        params: &[PLACE, param("tile", "Tile", "{ terrain = \"bridge\" }"), LAYER],
        raises: "name range",
        doc: "Tile maps: changes the tile at a place; what is left out stays. A terrain brings its own cost, and whether one \
              can walk on it, where those are not given. The map follows in step 5; walks over the tile, or past one that \
              opened, look for a way again in that tick.",
        example: "nav.setTile(\"gate\", { terrain = \"bridge\", tags = { \"built\" } })\n\
                  assert(nav.tileAt(\"gate\").terrain == \"bridge\" and nav.tileAt(\"gate\").cost == 1)",
        price: 32,
        ..Binding::function(NAV, "nav.setTile", set_tile)
    },
    Binding {
        params: &[
            PLACE,
            param("navigable", "boolean", "false"),
            param("options", "NavigableOptions?", "{ cost = 1.5 }"),
        ],
        raises: "name range",
        doc: "Tile maps: opens or closes the tile at a place, whatever it was; its cost is kept unless given.",
        example: "nav.setNavigable(\"post\", false)\nassert(not nav.tileAt(\"post\").navigable and nav.pending)",
        ..Binding::function(NAV, "nav.setNavigable", set_navigable)
    },
];

/// The layer that an argument names, as text; none for the first.
pub(crate) fn layer_name(given: Argument) -> Result<Option<String>, UsageError> {
    given.present().map(|given| given.text("a layer's name")).transpose()
}

fn layer_of(world: &World, function: &str, name: Option<&str>) -> Result<u8, UsageError> {
    name.map_or(Ok(0), |name| names::layer(world, function, name))
}

fn tile_at(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let place = place::single(&args.take("place"))?;
    let layer = layer_name(args.take("layer"))?;
    ask(lua, args, |world| {
        let layer = layer_of(world, function, layer.as_deref())?;
        let point = place.point(world, function, None)?;
        let tile = tiles::tile_at(world, layer, point).map_err(op(function))?;
        Ok(tile.map(|tile| {
            pay_for_tags(&tile.tags);
            Shown(tile.clone())
        }))
    })
}

fn set_tile(lua: &Lua, args: &mut Args) -> HostResult {
    let place = place::single(&args.take("place"))?;
    let tile = args.take("tile");
    tile.table("a table with what is to change of a tile")?;
    let options = tile.options(&TILE_NAMES)?;
    let change = TileChange {
        navigable: options.find("navigable").map(|navigable| navigable.boolean()).transpose()?,
        cost: options.find("cost").map(|cost| factor(&cost)).transpose()?,
        terrain: options.find("terrain").map(|terrain| terrain_of(&terrain)).transpose()?,
        tags: options.find("tags").map(|tags| door::names(&tags, TAGS_MAX)).transpose()?,
    };
    let layer = layer_name(args.take("layer"))?;
    change_tile(lua, args, place, layer, change)
}

fn set_navigable(lua: &Lua, args: &mut Args) -> HostResult {
    let place = place::single(&args.take("place"))?;
    let navigable = args.take("navigable").boolean()?;
    let options = args.options(NAVIGABLE_OPTIONS)?;
    let cost = options.find("cost").map(|cost| factor(&cost)).transpose()?;
    let layer = options.find("layer").map(|layer| layer.text("a layer's name")).transpose()?;
    let change = TileChange { navigable: Some(navigable), cost, ..TileChange::default() };
    change_tile(lua, args, place, layer, change)
}

fn factor(given: &Argument) -> Result<f32, UsageError> {
    Ok(given.number_in(0.1..=100.0, "")? as f32)
}

fn terrain_of(given: &Argument) -> Result<Terrain, UsageError> {
    let name = given.text("a terrain's name")?;
    let known = || Terrain::ALL.map(Terrain::name);
    Terrain::find(&name).ok_or_else(|| UsageError::unknown(given.function(), "terrain", &name, known()))
}

fn change_tile(
    lua: &Lua,
    args: &Args,
    place: PlaceValue,
    layer: Option<String>,
    change: TileChange,
) -> HostResult {
    let function = args.function();
    room::reserve(lua, change.bytes()).map_err(|full| args.mistake(full))?;
    with(lua, args, |world| {
        let layer = layer_of(world, function, layer.as_deref())?;
        let point = place.point(world, function, None)?;
        let spot = tiles::spot(world, layer, point).map_err(op(function))?;
        let off = || UsageError::new(function, format!("place ({}, {}) lies off the map", point.x, point.z));
        tiles::set(world, spot.ok_or_else(off)?, change).map_err(op(function))
    })?;
    nothing()
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
