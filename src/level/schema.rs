//! The JSON schema of a level, from the doc comments of `def`.
//!
//! In: the types. Out: one JSON value, for editors and for `walkon schema`. Holds: keys, defaults and
//! ranges are those the reader uses, because they come from the same lines; a test compares them.
//! Not here: the rules between parts (names, references), which a schema cannot say.
//! The types below have the shape of the text where the type in `def` keeps it in another form.

use super::def::{
    AreaDef, Heading, Hierarchy, LayerDef, LegendDef, LevelDef, LinkDef, Projection, StaggerAxis,
    StaggerIndex, TileLayout, TileLegendDef,
};
use super::diagnostic::Located;
use super::numbers;
use crate::world::tiles::Terrain;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The JSON schema of a level file.
#[must_use]
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(LevelDef);
    // Keys that begin with "x-" are the author's own, in every object.
    let pattern = json_schema!({ "^x-": true });
    free_keys(schema.ensure_object(), pattern.as_value());
    schema.to_value()
}

fn free_keys(object: &mut serde_json::Map<String, serde_json::Value>, pattern: &serde_json::Value) {
    let closed = ["additionalProperties", "unevaluatedProperties"];
    if closed.iter().any(|key| object.get(*key) == Some(&serde_json::Value::Bool(false))) {
        object.insert("patternProperties".to_owned(), pattern.clone());
    }
    // Bounded by the depth of our own types.
    for value in object.values_mut() {
        match value {
            serde_json::Value::Object(inner) => free_keys(inner, pattern),
            serde_json::Value::Array(list) => {
                list.iter_mut()
                    .filter_map(serde_json::Value::as_object_mut)
                    .for_each(|inner| free_keys(inner, pattern));
            }
            _ => {}
        }
    }
}

impl<T: JsonSchema> JsonSchema for Located<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}

/// A default that is "nothing": it makes the key optional and shows no value, since the type has none to
/// show.
pub(crate) struct Nothing;

pub(crate) fn none() -> Nothing {
    Nothing
}
pub(crate) fn yes() -> bool {
    true
}
pub(crate) fn tick_rate() -> u32 {
    numbers::TICK_RATE.default as u32
}
pub(crate) fn seed() -> u64 {
    numbers::SEED.default as u64
}
pub(crate) fn path_budget() -> u32 {
    numbers::PATH_BUDGET.default as u32
}

macro_rules! shape {
    ($(#[$doc:meta])* $name:ident, $text:literal, |$generator:ident| $schema:expr) => {
        $(#[$doc])*
        pub(crate) struct $name;
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                $text.into()
            }
            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

shape!(Position2, "Position", |_generator| json_schema!({
    "description": "[x, z], or [x, y, z] on maps with heights, metres.",
    "type": "array", "items": { "type": "number", "minimum": -1e6, "maximum": 1e6 }, "minItems": 2, "maxItems": 3
}));

shape!(Area2, "Polygon", |_generator| json_schema!({
    "description": "Corners [x, z] in metres, in either direction; the last may repeat the first.",
    "type": "array", "minItems": 3, "maxItems": super::read::POINTS_MAX,
    "items": { "type": "array", "items": { "type": "number", "minimum": -1e6, "maximum": 1e6 }, "minItems": 2, "maxItems": 2 }
}));

shape!(Mark, "Mark", |generator| {
    let position = generator.subschema_for::<Position2>();
    json_schema!({
        "description": "A named place: [x, z], [x, y, z], or an object with a direction.",
        "anyOf": [position, {
            "type": "object", "additionalProperties": false, "required": ["position"],
            "properties": {
                "position": position,
                "facingDegrees": { "description": "Which way to look there: 0 is +z, 90 is +x.", "type": "number", "minimum": -360, "maximum": 360 },
                "props": { "description": "Plain data for scripts, which read it as `props` of the mark.", "type": "object" }
            }
        }]
    })
});

shape!(Stop, "Stop", |generator| {
    let mark = generator.subschema_for::<Mark>();
    json_schema!({ "description": "The name of a mark, or a place.", "anyOf": [{ "type": "string" }, mark] })
});

shape!(Route, "Route", |generator| {
    let stops = generator.subschema_for::<Vec<Stop>>();
    json_schema!({
        "description": "Stops in order, or an object with them.",
        "anyOf": [stops, {
            "type": "object", "additionalProperties": false, "required": ["stops"],
            "properties": {
                "stops": stops,
                "props": { "description": "Plain data for scripts, which read it with `nav.routeProps`.", "type": "object" }
            }
        }]
    })
});

shape!(Param, "Param", |_generator| json_schema!({ "description": "Plain data." }));

/// The keys of a region's outline.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) struct RegionOutlineKeys {
    /// Corners of the region; or give `centre` and `radius`.
    #[schemars(default = "none", with = "Area2")]
    polygon: (),
    /// The middle of a round region.
    #[schemars(default = "none", with = "Position2")]
    centre: (),
    /// Radius of a round region, metres.
    #[schemars(default = "none", with = "f64", range(min = 0.01, max = 1e6))]
    radius: (),
}

/// Cell size and paddings, the same for every map of cells.
macro_rules! map_of_cells {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(JsonSchema)]
        #[schemars(rename_all = "camelCase", deny_unknown_fields)]
        #[allow(dead_code, reason = "only its schema is used")]
        struct $name {
            $($(#[$field_doc])* $field: $type,)*
            /// Width and depth of a cell, metres.
            #[schemars(default = "numbers::cell_size", range(min = 0.01, max = 100.0))]
            cell_size: f64,
            /// Half-width of the bodies that the cells are cut for, metres.
            #[schemars(default = "numbers::agent_radius", range(min = 0.0, max = 100.0))]
            agent_radius: f64,
            /// Extra distance kept from obstacles, metres.
            #[schemars(default = "numbers::object_padding", range(min = 0.0, max = 100.0))]
            object_padding: f64,
            /// Distance kept from the outer edge of the areas, metres.
            #[schemars(default = "numbers::boundary_padding", range(min = 0.0, max = 100.0))]
            boundary_padding: f64,
            /// Height of the floor, metres.
            #[schemars(default = "numbers::floor_y", range(min = -1e6, max = 1e6))]
            floor_y: f64,
        }
    };
}

map_of_cells! {
    /// Areas and obstacles as polygons, cut into cells.
    GridKeys {
        /// Always "grid"; may be left out.
        #[schemars(default = "none", with = "String", extend("const" = "grid"))]
        kind: (),
        /// Ground to walk on.
        areas: Vec<AreaDef>,
        /// Ground taken away again.
        #[schemars(default = "none")]
        obstacles: Vec<AreaDef>,
    }
}

map_of_cells! {
    /// Rows of characters: `#` is blocked, `.` walkable, the rest stands in the legend.
    AsciiKeys {
        /// Always "ascii".
        #[schemars(with = "String", extend("const" = "ascii"))]
        kind: (),
        /// Rows of equal length, the first at the smallest z.
        rows: Vec<String>,
        /// What the characters beside `#` and `.` mean.
        #[schemars(default)]
        legend: BTreeMap<String, LegendDef>,
        /// Outer corner of the first cell.
        #[schemars(default = "none", with = "Position2")]
        origin: (),
    }
}

map_of_cells! {
    /// Convex polygons: of a file, in place, or made of areas and obstacles.
    MeshKeys {
        /// Always "mesh".
        #[schemars(with = "String", extend("const" = "mesh"))]
        kind: (),
        /// A file of polygons, `.mesh` or `.obj`, relative to the level.
        #[schemars(default = "none")]
        file: String,
        /// Corners of polygons, `[x, z]` or `[x, y, z]`, metres.
        #[schemars(default = "none")]
        vertices: Vec<Vec<f64>>,
        /// How wider characters keep off walls: "radius" narrows the ground, "waypoints" moves the corners of
        /// paths.
        #[schemars(default = "none", extend("enum" = ["radius", "waypoints"]))]
        avoidance: String,
        /// Polygons by the numbers of their corners, from 0, each convex.
        #[schemars(default = "none")]
        polygons: Vec<Vec<u32>>,
        /// Ground to walk on; beside polygons, ground that can be made unavailable or expensive.
        #[schemars(default = "none")]
        areas: Vec<FloorAreaKeys>,
        /// Ground taken away again.
        #[schemars(default = "none")]
        obstacles: Vec<FloorAreaKeys>,
    }
}

/// Layers of tiles with terrain: `#` is blocked, `.` plain ground, the rest stands in the legend.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
struct TilesKeys {
    /// Always "tiles".
    #[schemars(with = "String", extend("const" = "tiles"))]
    kind: (),
    /// One to eight layers of the same size, the first the default.
    #[schemars(length(min = 1, max = 8))]
    layers: Vec<LayerDef>,
    /// What the characters beside `#` and `.` mean, on every layer.
    #[schemars(default = "none")]
    legend: BTreeMap<String, TileLegendDef>,
    /// Ways between layers.
    #[schemars(default = "none")]
    links: Vec<LinkDef>,
    /// Which tiles are neighbours, and how they lie.
    #[schemars(default = "none")]
    layout: TileLayout,
    /// How pictures show them; square layouts only.
    #[schemars(default = "none")]
    projection: Projection,
    /// Which rows or columns are shifted, in layouts that shift them.
    #[schemars(default = "none")]
    stagger_index: StaggerIndex,
    /// Whether rows or columns are shifted, in the layout "staggered".
    #[schemars(default = "none")]
    stagger_axis: StaggerAxis,
    /// Width of a tile, metres.
    #[schemars(default = "numbers::tile_size", range(min = 0.01, max = 100.0))]
    tile_width: f64,
    /// Height of a tile as the map shows it, its depth on the ground, metres.
    #[schemars(default = "numbers::tile_size", range(min = 0.01, max = 100.0))]
    tile_height: f64,
    /// Outer corner of the map at the smallest x and z.
    #[schemars(default = "none", with = "Position2")]
    origin: (),
    /// Half-width of the bodies that the tiles are wide enough for, metres.
    #[schemars(default = "numbers::agent_radius", range(min = 0.0, max = 100.0))]
    agent_radius: f64,
    /// Kept with the map, metres; tiles are blocked as drawn.
    #[schemars(default = "numbers::object_padding", range(min = 0.0, max = 100.0))]
    object_padding: f64,
    /// Kept with the map, metres; tiles are blocked as drawn.
    #[schemars(default = "numbers::boundary_padding", range(min = 0.0, max = 100.0))]
    boundary_padding: f64,
    /// Height of the floor, metres.
    #[schemars(default = "numbers::floor_y", range(min = -1e6, max = 1e6))]
    floor_y: f64,
    /// When searches of large maps go from sector to sector first.
    #[schemars(default = "none")]
    hierarchy: Hierarchy,
}

shape!(TerrainName, "Terrain", |_generator| json_schema!({
    "description": "What the ground is made of, and with it what a metre costs.",
    "type": "string", "enum": Terrain::ALL.map(Terrain::name)
}));

shape!(OneWay, "OneWay", |generator| {
    let heading = generator.subschema_for::<Heading>();
    json_schema!({
        "description": "A direction, or a list of directions.",
        "anyOf": [heading, { "type": "array", "items": heading, "maxItems": 8 }]
    })
});

/// Points and links in space.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
struct GraphKeys {
    /// Always "graph".
    #[schemars(with = "String", extend("const" = "graph"))]
    kind: (),
    /// The file of points, relative to the level; `paths/<level>.graph.json` when there are no points here.
    #[schemars(default = "none", with = "String")]
    file: (),
    /// Points `[x, y, z]`, metres.
    #[schemars(default = "none")]
    points: Vec<[f64; 3]>,
    /// Pairs of points by their place in the list, both ways.
    #[schemars(default = "none")]
    links: Vec<[u32; 2]>,
    /// Ground that lies across links: a link belongs to the first area that it crosses.
    #[schemars(default = "none")]
    areas: Vec<FloorAreaKeys>,
    /// Ground that blocks links while it is there.
    #[schemars(default = "none")]
    obstacles: Vec<FloorAreaKeys>,
    /// How far from a link a body's middle may be, metres.
    #[schemars(default = "numbers::link_width", range(min = 0.01, max = 100.0))]
    width: f64,
    /// Half-width of the widest body that links have room for, metres.
    #[schemars(default = "numbers::agent_radius", range(min = 0.0, max = 100.0))]
    agent_radius: f64,
    /// The tallest body that links have room for, metres.
    #[schemars(default = "numbers::height", range(min = 0.1, max = 100.0))]
    agent_height: f64,
    /// What a body steps over, metres.
    #[schemars(default = "numbers::step_height", range(min = 0.0, max = 10.0))]
    step_height: f64,
    /// The steepest ground and the steepest link, degrees.
    #[schemars(default = "numbers::slope_degrees", range(min = 0.0, max = 85.0))]
    slope_degrees: f64,
    /// Distance between generated points, metres.
    #[schemars(default = "numbers::spacing", range(min = 0.05, max = 100.0))]
    spacing: f64,
    /// The longest link that is made, metres; one and a half times the spacing when left out.
    #[schemars(default = "none", with = "f64", range(min = 0.05, max = 1000.0))]
    link_distance: (),
    /// The scene that points are generated on (.obj, .gltf, .glb), relative to the level.
    #[schemars(default = "none", with = "String")]
    scene: (),
    /// Where floors are looked for.
    #[schemars(default = "none")]
    boxes: Vec<BoxKeys>,
    /// Which floors of a box: "first", the one that a ray meets first, or "all" whose faces look up.
    #[schemars(default = "none", with = "String", extend("enum" = ["first", "all"]))]
    floors: (),
    /// Whether ways between parts are worked out and used; "auto" measures whether searches look at fewer
    /// points with them.
    #[schemars(default = "none")]
    hierarchy: Hierarchy,
}

/// An area or an obstacle of a map with heights: a mesh or a graph.
#[derive(JsonSchema)]
#[schemars(rename = "FloorArea", rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
struct FloorAreaKeys {
    /// Name, one of its kind in the level.
    name: String,
    /// Corners `[x, z]` in metres, in either direction.
    polygon: Area2,
    /// Whether it is there when the level begins.
    #[schemars(default = "yes")]
    available: bool,
    /// Price of a metre on it. Obstacles have none.
    #[schemars(default = "numbers::cost", range(min = 0.1, max = 100.0))]
    cost: f64,
    /// Least and greatest height of the ground or the links that belong to it, metres; any height when left
    /// out.
    #[schemars(default = "none")]
    heights: [f64; 2],
}

/// A box whose floor is looked for: rays fall from its top to its bottom.
#[derive(JsonSchema)]
#[schemars(rename = "Box", rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
struct BoxKeys {
    /// What it is called.
    #[schemars(default = "none", with = "String")]
    name: (),
    /// Least corner `[x, y, z]`, metres.
    min: [f64; 3],
    /// Greatest corner.
    max: [f64; 3],
}

/// A precomputed grid in a file beside the level.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
struct TextGridKeys {
    /// Always "textGrid".
    #[schemars(with = "String", extend("const" = "textGrid"))]
    kind: (),
    /// The file, relative to the level.
    file: String,
}

/// A map of the editor Tiled, with the tilesets and templates it names.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
struct TiledKeys {
    /// Always "tiled".
    #[schemars(with = "String", extend("const" = "tiled"))]
    kind: (),
    /// The map (.tmx, .tmj), relative to the level.
    file: String,
    /// Metres of a pixel; by default a tile is one metre wide.
    #[schemars(default = "none", with = "f64", range(min = 0.0001, max = 100.0))]
    metres_per_pixel: (),
    /// Whether the top of the picture lies at the largest z, not at the smallest.
    #[schemars(default)]
    flip: bool,
    /// The file of types that gives classes their defaults, relative to the map.
    #[schemars(default = "none", with = "String")]
    types: (),
    /// Half-width of the bodies that the tiles are made for, metres.
    #[schemars(default = "numbers::agent_radius", range(min = 0.0, max = 100.0))]
    agent_radius: f64,
    /// Height of the floor, metres.
    #[schemars(default = "numbers::floor_y", range(min = -1e6, max = 1e6))]
    floor_y: f64,
    /// When searches of large maps go from sector to sector first.
    #[schemars(default = "none", with = "super::def::Hierarchy")]
    hierarchy: (),
}

shape!(Navigation, "Navigation", |generator| {
    let kinds = [
        generator.subschema_for::<GridKeys>(),
        generator.subschema_for::<AsciiKeys>(),
        generator.subschema_for::<TilesKeys>(),
        generator.subschema_for::<GraphKeys>(),
        generator.subschema_for::<TextGridKeys>(),
        generator.subschema_for::<TiledKeys>(),
        generator.subschema_for::<MeshKeys>(),
    ];
    json_schema!({
        "description": "The map: an object, or the name of a polygon config (.json), text grid (.txt) or map of Tiled (.tmx, .tmj) beside the level.",
        "anyOf": [{ "type": "string" }, kinds[0], kinds[1], kinds[2], kinds[3], kinds[4], kinds[5], kinds[6]]
    })
});
