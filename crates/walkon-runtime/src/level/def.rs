//! A level as its author writes it: every object of the level file, each key declared once.
//!
//! In: nothing. Out: [`LevelDef`] and its parts, one type for each object of the JSON form. Holds: defaults
//! are filled in, every name and reference keeps the place it was read from, lists keep the order of the
//! text. The declarations here are what is read, written and documented (`object`). Not here: rules
//! between keys (`read`), whether names lead anywhere (`resolve`), the map (`bake`).

use serde_json::{Value, json};

use super::areas::Areas;
pub use super::areas::{AreaDef, POLYGONS_MAX};
pub use super::cell_sizes::CellSizes;
use super::choices::choices;
use super::diagnostic::{Located, Span, code};
use super::forms::{
    Anything, At, Corner, Direction, FileName, Filled, Heights, Name, Named, Outline, Place, Props, Rows,
    Tags, Teams, TimeOfDay, Truth, Word, before, by_name, choice, each, legend_of, one, then, whole,
};
pub use super::forms::{Position, PropsDef};
use super::graph::GraphDef;
use super::json::{Around, Fields, JsonReader, JsonValue};
use super::mesh::{MeshDef, MeshKeys};
use super::numbers;
use super::object::{Form, Key, Object, SchemaParts, object, written};
use super::ordered_json::{OrderedJson, OrderedObject};
use super::polygon;
use super::settings::{CrowdDef, Limits};
use super::textgrid::TextGrid;
use super::tile_forms::{OneWayForm, TerrainName, check_projection, keep_layout};
pub use super::tile_layout::{Heading, Hierarchy, Projection, StaggerAxis, StaggerIndex, TileLayout};
use crate::base::geom::Point;
use crate::nav::LINKS_MAX;
use crate::world::tiles::Terrain;

/// Most marks, and most stops of all routes together.
pub const MARKS_MAX: usize = 100_000;
/// Most layers of a tile map.
pub const LAYERS_MAX: usize = 8;
/// Most characters, whatever `limits.characters` says.
pub const CHARACTERS_MAX: usize = 65_536;

object! {
    (reader, fields)
    /// A walkon level: a map, and the characters and things on it.
    pub struct LevelDef as "Level" {
        /// The schema that an editor checks this file against. Not read.
        "$schema" => schema: Option<String> [optional Anything, shows String::new()];
        /// Name of the level; the file's name without suffix when left out.
        "name" => name: String [else String::new(), Word];
        /// Ticks per game second.
        "tickRate" => tick_rate: u32 [whole::<u32>(numbers::TICK_RATE)];
        /// Seed of every random stream of the level.
        "seed" => seed: u64 [whole::<u64>(numbers::SEED)];
        /// The time of day, for levels that have one.
        "clock" => clock: Option<ClockDef> [optional one::<ClockDef>()];
        /// The map.
        "navigation" => navigation: NavigationDef [required Navigation];
        /// Areas that open and close.
        "doors" => doors: Vec<DoorDef> [else Vec::new(), each::<DoorDef>(POLYGONS_MAX)];
        /// Named places.
        "marks" => marks: Vec<MarkDef> [else Vec::new(), by_name::<MarkDef>(MARKS_MAX)];
        /// Named lists of marks.
        "routes" => routes: Vec<RouteDef> [else Vec::new(), before(routes_begin, by_name::<RouteDef>(POLYGONS_MAX))];
        /// Ground that notices the characters that enter and leave it.
        "regions" => regions: Vec<RegionDef> [else Vec::new(), before(regions_begin, each::<RegionDef>(POLYGONS_MAX))];
        /// The characters on the map when the level begins.
        "characters" => characters: Vec<CharacterDef> [else Vec::new(), each::<CharacterDef>(CHARACTERS_MAX)];
        /// The level script: a name below the script folders.
        "script" => script: Option<Located<String>> [optional FileName];
        /// How much scripts and searches may use.
        "limits" => limits: Limits [else Limits::default(), one::<Limits>()];
        /// How bodies follow paths and avoid one another.
        "crowd" => crowd: CrowdDef [else CrowdDef::default(), one::<CrowdDef>()];
        /// Node expansions per tick, shared by all path searches.
        "pathBudget" => path_budget: u32 [whole::<u32>(numbers::PATH_BUDGET)];
    }
    given {
        /// The keys that its file has; none for a level that was not read from one.
        own_keys: Vec<&'static str> = Self::names().into_iter().filter(|key| fields.has(key)).collect();
    }
}

object! {
    /// How the time of day passes.
    pub struct ClockDef as "Clock" {
        /// The time when the level begins, as in "6:30".
        "start" => start_min: f64 [or 480.0, TimeOfDay];
        /// Game seconds that a minute takes; at 0.0416667 a day takes a minute.
        "secondsPerMinute" => seconds_per_minute: f64 [numbers::SECONDS_PER_MINUTE];
        /// Whether the time stands still until a script lets it go on.
        "paused" => is_paused: bool [or false, Truth];
    }
}

/// The stops of all routes are counted together.
fn routes_begin(around: &mut Around) {
    around.stops_left = MARKS_MAX;
}

/// Regions have an allowance of their own for the search for crossings.
fn regions_begin(around: &mut Around) {
    around.pairs_left = polygon::PAIRS_MAX;
}

/// Where the map comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum NavigationDef {
    /// Areas and obstacles as polygons.
    Grid(GridDef),
    /// Rows of characters with a legend.
    Ascii(AsciiDef),
    /// Layers of tiles with terrain.
    Tiles(Box<TilesDef>),
    /// Points and links in space.
    Graph(Box<GraphDef>),
    /// A precomputed grid, given in place of a level.
    TextGrid(Box<TextGrid>),
    /// A file beside the level: a polygon config (`.json`) or a text grid (`.txt`).
    File(MapFileDef),
}

impl Default for NavigationDef {
    /// A map that could not be read: what stands beside it is read on, so that everything wrong is said.
    fn default() -> Self {
        Self::File(MapFileDef::default())
    }
}

/// The map of a level.
pub(crate) struct Navigation;

impl Form for Navigation {
    type Value = NavigationDef;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<NavigationDef> {
        reader.navigation(node)
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        parts.named("Navigation", |parts| {
            json!({
                "description": "The map: an object, or the name of a polygon config (.json), text grid (.txt) or map of Tiled (.tmx, .tmj) beside the level.",
                "anyOf": [
                    { "type": "string" },
                    parts.object::<GridDef>(),
                    parts.object::<AsciiDef>(),
                    parts.object::<TilesDef>(),
                    parts.object::<GraphDef>(),
                    parts.object::<TextGridKeys>(),
                    parts.object::<TiledKeys>(),
                    parts.object::<MeshKeys>(),
                ]
            })
        })
    }

    fn write(&self, map: &NavigationDef) -> OrderedJson {
        match map {
            NavigationDef::Tiles(tiles) => written(tiles.as_ref()),
            // Only maps of Tiled become text.
            _ => OrderedJson::Leaf(Value::Null),
        }
    }
}

choices! {
    /// The kind of a map.
    pub enum MapKind {
        /// Areas and obstacles.
        Grid = "grid",
        /// A precomputed grid.
        TextGrid = "textGrid",
        /// Rows of characters.
        Ascii = "ascii",
        /// Layers of tiles.
        Tiles = "tiles",
        /// A map of Tiled.
        Tiled = "tiled",
        /// Convex polygons.
        Mesh = "mesh",
        /// Points and links.
        Graph = "graph",
    }
}

/// A map in a file of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapFileDef {
    /// The file, relative to the level.
    pub file: Located<String>,
    /// What is in it.
    pub form: MapForm,
    /// How a map of Tiled is taken in.
    pub tiled: TiledOptions,
}

/// What a map file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapForm {
    /// The polygon config of a grid, as JSON.
    #[default]
    Grid,
    /// A precomputed text grid.
    TextGrid,
    /// A map of the editor Tiled, with the files it names.
    Tiled,
}

/// How a map is taken in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TiledOptions {
    /// Metres of a pixel, above 0; by default a tile is one metre wide. On isometric maps, where objects
    /// count in heights of a tile along both axes, a tile is one metre along both.
    pub metres_per_pixel: Option<f64>,
    /// Mirror the map in its place: what is at the top of the picture lies at the largest z, not at the
    /// smallest.
    pub is_flipped: bool,
    /// The file of types that gives classes their defaults, relative to the map. By default one of
    /// `objecttypes.xml`, `objecttypes.json` and `propertytypes.json` beside the map, if there is one.
    pub types: Option<Located<String>>,
    /// Radius of the bodies that the tiles are made for, and the height of the floor; the size of a cell and
    /// the paddings have no meaning here.
    pub sizes: CellSizes,
    /// When searches go from sector to sector first.
    pub hierarchy: Hierarchy,
}

object! {
    /// A precomputed grid in a file beside the level.
    pub(crate) struct TextGridKeys as "TextGridKeys" {
        /// The file, relative to the level.
        "file" => file: Located<String> [needed FileName];
    }
    from {
        /// Always "textGrid".
        "kind" => kind [kind "textGrid"];
    }
}

object! {
    /// A map of the editor Tiled, with the tilesets and templates it names.
    pub(crate) struct TiledKeys as "TiledKeys" {
        /// The map (.tmx, .tmj), relative to the level.
        "file" => file: Located<String> [needed FileName];
        /// Metres of a pixel; by default a tile is one metre wide.
        "metresPerPixel" => metres_per_pixel: Option<f64> [optional numbers::METRES_PER_PIXEL];
        /// Whether the top of the picture lies at the largest z, not at the smallest.
        "flip" => is_flipped: bool [or false, Truth];
        /// The file of types that gives classes their defaults, relative to the map.
        "types" => types: Option<Located<String>> [optional FileName];
        /// Half-width of the bodies that the tiles are made for, metres.
        "agentRadius" => agent_radius_m: f64 [numbers::AGENT_RADIUS];
        /// Height of the floor, metres.
        "floorY" => floor_y_m: f64 [numbers::FLOOR_Y];
        /// When searches of large maps go from sector to sector first.
        "hierarchy" => hierarchy: Hierarchy [else Hierarchy::default(), choice::<Hierarchy>()];
    }
    from {
        /// Always "tiled".
        "kind" => kind [kind "tiled"];
    }
}

impl From<TiledKeys> for MapFileDef {
    fn from(keys: TiledKeys) -> Self {
        let sizes = CellSizes {
            agent_radius_m: keys.agent_radius_m,
            floor_y_m: keys.floor_y_m,
            ..CellSizes::default()
        };
        let tiled = TiledOptions {
            metres_per_pixel: keys.metres_per_pixel,
            is_flipped: keys.is_flipped,
            types: keys.types,
            sizes,
            hierarchy: keys.hierarchy,
        };
        Self { file: keys.file, form: MapForm::Tiled, tiled }
    }
}

object! {
    (reader, fields)
    /// Areas and obstacles as polygons, cut into cells.
    pub struct GridDef as "GridKeys" {
        /// Ground to walk on.
        "areas" => areas: Vec<AreaDef> [required Areas::<AreaDef>::filled()];
        /// Ground taken away again.
        "obstacles" => obstacles: Vec<AreaDef> [else Vec::new(), Areas::<AreaDef>::obstacles()];
        /// How large its cells are.
        "" => sizes: CellSizes [flat CellSizes];
    }
    from {
        /// Always "grid"; may be left out.
        "kind" => kind [kind or "grid"];
    }
    plus {
        /// JSON pointer to the object that holds them: empty in a config of its own.
        pointer: String = fields.node.place.pointer();
        /// Where that object stands.
        span: Span = reader.span(fields.node);
        /// What makes polygons of it in place of cells; None for a grid.
        mesh: Option<MeshDef> = None;
    }
}

/// What a polygon config of its own may have beside the keys of a grid: as much as a level says of itself.
pub(super) const CONFIG_KEYS: [&str; 2] = ["$schema", "name"];

object! {
    (reader, fields)
    /// Rows of characters: `#` is blocked, `.` walkable, the rest stands in the legend.
    pub struct AsciiDef as "AsciiKeys" {
        /// How large its cells are.
        "" => sizes: CellSizes [flat CellSizes];
        /// Outer corner of the first cell.
        "origin" => origin: Point [else Point::default(), Corner];
        /// What the characters beside `#` and `.` mean.
        "legend" => legend: Vec<(Located<char>, LegendDef)> [else Vec::new(), legend_of::<LegendDef>()];
        /// Rows of equal length, the first at the smallest z.
        "rows" => rows: Vec<Located<String>> [needed Rows];
    }
    from {
        /// Always "ascii".
        "kind" => kind [kind "ascii"];
    }
    plus {
        /// Where the map stands in the file.
        span: Span = reader.span(fields.node);
    }
}

object! {
    /// What a character of an ascii map means.
    pub struct LegendDef as "Legend" {
        /// Cells with one area name are one area, which a door can name.
        "area" => area: Option<Located<String>> [optional Name];
        /// Price of a metre on these cells, 0.1 to 100.
        "cost" => cost: Option<f64> [optional numbers::COST, shows numbers::COST.default];
        /// Name of a mark in the middle of the cell. The character may stand on the map once.
        "mark" => mark: Option<Located<String>> [optional Name];
        /// Whether one can stand there.
        "walkable" => walkable: bool [or true, Truth];
        /// Whether the area hides what lies behind it. When left out, it does while it is not there, as
        /// blocked cells do; `false`: never, also where nobody can stand; `true`: always. Needs `area`.
        "blocksSight" => blocks_sight: Option<bool> [optional Truth];
    }
}

object! {
    (reader, fields)
    /// Layers of tiles with terrain: `#` is blocked, `.` plain ground, the rest stands in the legend.
    pub struct TilesDef as "TilesKeys" {
        /// Which tiles are neighbours, and how they lie.
        "layout" => layout: TileLayout [else TileLayout::default(), then(choice::<TileLayout>(), keep_layout)];
        /// How pictures show them; square layouts only.
        "projection" => projection: Projection [else Projection::default(), then(choice::<Projection>(), check_projection)];
        /// Which rows or columns are shifted, in layouts that shift them.
        "staggerIndex" => stagger_index: StaggerIndex [else StaggerIndex::default(), choice::<StaggerIndex>()];
        /// Whether rows or columns are shifted, in the layout "staggered".
        "staggerAxis" => stagger_axis: StaggerAxis [else StaggerAxis::default(), choice::<StaggerAxis>()];
        /// Width of a tile, metres; neither side of a tile is more than 20 times the other.
        "tileWidth" => tile_width_m: f64 [numbers::TILE_SIZE];
        /// Height of a tile as the map shows it, its depth on the ground, metres.
        "tileHeight" => tile_height_m: f64 [numbers::TILE_SIZE];
        /// Half-width of the bodies that the tiles are wide enough for, metres.
        "agentRadius" => agent_radius_m: f64 [numbers::AGENT_RADIUS];
        /// Kept with the map, metres; tiles are blocked as drawn.
        "objectPadding" => object_padding_m: f64 [numbers::OBJECT_PADDING];
        /// Kept with the map, metres; tiles are blocked as drawn.
        "boundaryPadding" => boundary_padding_m: f64 [numbers::BOUNDARY_PADDING];
        /// Height of the floor, metres.
        "floorY" => floor_y_m: f64 [numbers::FLOOR_Y];
        /// Outer corner of the map at the smallest x and z.
        "origin" => origin: Point [else Point::default(), Corner];
        /// When searches of large maps go from sector to sector first.
        "hierarchy" => hierarchy: Hierarchy [else Hierarchy::default(), choice::<Hierarchy>()];
        /// What the characters beside `#` and `.` mean, on every layer.
        "legend" => legend: Vec<(Located<char>, TileLegendDef)> [else Vec::new(), legend_of::<TileLegendDef>()];
        /// One to eight layers of the same size, the first the default.
        "layers" => layers: Vec<LayerDef> [needed Filled(each::<LayerDef>(LAYERS_MAX), "is empty, expected one to eight layers")];
        /// Ways between layers, and over what cannot be walked.
        "links" => links: Vec<LinkDef> [else Vec::new(), each::<LinkDef>(LINKS_MAX)];
    }
    from {
        /// Always "tiles".
        "kind" => kind [kind "tiles"];
    }
    plus {
        /// Where the map stands in the file.
        span: Span = reader.span(fields.node);
    }
}

object! {
    /// A layer of a tile map.
    pub struct LayerDef as "Layer" {
        /// Name, one of its kind in the level.
        "name" => name: Located<String> [required Name];
        /// Rows of equal length, the first at the smallest z; as many and as long on every layer.
        "rows" => rows: Vec<Located<String>> [required Rows];
    }
}

object! {
    /// What a character of a tile map means.
    pub struct TileLegendDef as "TileLegend" {
        /// Tiles with one area name are one area, which a door can name.
        "area" => area: Option<Located<String>> [optional Name];
        /// What the ground is made of.
        "terrain" => terrain: Terrain [else Terrain::default(), TerrainName];
        /// Price of a metre on these tiles, 0.1 to 100; that of the terrain when left out.
        "cost" => cost: Option<f64> [optional numbers::COST];
        /// Name of a mark in the middle of the tile. The character may stand on the map once.
        "mark" => mark: Option<Located<String>> [optional Name];
        /// Whether one can stand there; when left out, on every terrain but lava.
        "walkable" => walkable: Option<bool> [optional Truth];
        /// Whether the area hides what lies behind it. When left out, it does while it is not there, as
        /// blocked cells do; `false`: never, also where nobody can stand; `true`: always. Needs `area`.
        "blocksSight" => blocks_sight: Option<bool> [optional Truth];
        /// Words that scripts read.
        "tags" => tags: Vec<String> [or Vec::new(), Tags];
        /// The directions in which alone the tile may be left: one, or a list; in all of them when left out.
        "oneWay" => one_way: Option<Vec<Heading>> [optional OneWayForm];
    }
}

object! {
    (reader, fields)
    /// A way between two layers, such as stairs, or two places of one, such as a wall that some climb.
    pub struct LinkDef as "Link" {
        /// Where it begins.
        "from" => from: LinkEnd [required one::<LinkEnd>()];
        /// Where it ends.
        "to" => to: LinkEnd [required one::<LinkEnd>()];
        /// Whether it may be taken backwards.
        "bothWays" => both_ways: bool [or true, Truth];
        /// What taking it costs, in metres of plain ground.
        "cost" => cost_m: f64 [numbers::LINK_COST];
        /// What has to be done to get over it, such as "climb": only characters with a tag of that name take
        /// it.
        "action" => action: Option<String> [optional Word];
    }
    plus {
        /// Where it is written.
        spot: Located<()> = Located::new((), reader.span(fields.node));
    }
}

object! {
    /// An end of a link.
    pub struct LinkEnd as "LinkEnd" {
        /// Name of the layer.
        "layer" => layer: Located<String> [required Name];
        /// Where, on a tile one can stand on.
        "position" => position: Located<Position> [required At(Place)];
    }
}

object! {
    /// An area that opens and closes.
    pub struct DoorDef as "Door" {
        /// Name, one of its kind in the level.
        "name" => name: Located<String> [required Name];
        /// Name of the area that is there while the door is open.
        "area" => area: Located<String> [required Name];
        /// Whether it is open when the level begins.
        "open" => open: bool [or false, Truth];
        /// Time it takes to open or close, seconds, 0 to 3600.
        "seconds" => duration_s: f64 [numbers::DOOR_SECONDS];
        /// Whether it refuses to open when the level begins; when left out, whether it has a key.
        "locked" => locked: Option<bool> [optional Truth];
        /// The key that unlocks it.
        "key" => key: Option<String> [optional Word];
        /// The direction `[x, z]` in which alone it may be walked through; both ways when left out.
        "oneWay" => one_way: Option<[f64; 2]> [optional Direction];
        /// Tags of which a character needs one to pass; every character passes when left out. For others the
        /// door is a wall however it stands.
        "teams" => teams: Vec<String> [or Vec::new(), Teams];
        /// Plain data for scripts, which read it as `props` of the door.
        "props" => props: PropsDef [else PropsDef::new(), Props];
    }
}

impl LevelDef {
    /// The behaviours that its characters name, in their order, each as often as it is named.
    pub fn behaviours(&self) -> impl Iterator<Item = &Located<String>> {
        self.characters.iter().filter_map(|own| own.behaviour.as_ref())
    }

    /// The scripts that it names: its own, then those of [`LevelDef::behaviours`].
    pub fn scripts(&self) -> impl Iterator<Item = &Located<String>> {
        self.script.iter().chain(self.behaviours())
    }

    /// The number of the layer of that name; the first where there is none.
    pub(super) fn layer_number(&self, name: &str) -> u8 {
        let NavigationDef::Tiles(tiles) = &self.navigation else { return 0 };
        tiles.layers.iter().position(|layer| layer.name.value == name).map_or(0, |index| index as u8)
    }
}

impl TilesDef {
    /// The paddings and the height of the floor; a cell is as wide as a tile.
    #[must_use]
    pub fn sizes(&self) -> CellSizes {
        CellSizes {
            cell_size_m: self.tile_width_m,
            agent_radius_m: self.agent_radius_m,
            object_padding_m: self.object_padding_m,
            boundary_padding_m: self.boundary_padding_m,
            floor_y_m: self.floor_y_m,
        }
    }
}

impl DoorDef {
    /// Whether it refuses to open when the level begins: what wants a key is locked, unless it says that it
    /// is not.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.locked.unwrap_or(self.key.is_some())
    }
}

/// A named place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkDef {
    /// Name, one of its kind in the level.
    pub name: Located<String>,
    /// Where it is.
    pub place: PlaceDef,
}

impl Named for MarkDef {
    fn read(reader: &mut JsonReader<'_>, name: Located<String>, node: JsonValue<'_, '_>) -> Option<Self> {
        // A mark with a broken place keeps its name, so that nobody hears the name is unknown.
        let place = reader.place(node, "a position [x, z] or an object with one").unwrap_or_default();
        Some(Self { name, place })
    }

    fn schema(parts: &mut SchemaParts) -> Value {
        mark(parts)
    }

    fn write(&self) -> (String, OrderedJson) {
        (self.name.value.clone(), self.place.short())
    }
}

fn mark(parts: &mut SchemaParts) -> Value {
    parts.named("Mark", |parts| {
        json!({
            "description": "A named place: [x, z], [x, y, z], or an object with a direction.",
            "anyOf": [Place.schema(parts), parts.inline::<PlaceDef>()]
        })
    })
}

object! {
    /// A place with an optional direction.
    pub struct PlaceDef as "Place" {
        /// Where.
        "position" => position: Position [needed Place];
        /// Which way to look there: 0 is +z, 90 is +x.
        "facingDegrees" => facing_degrees: Option<f64> [optional numbers::FACING_DEGREES];
        /// Plain data for scripts, which read it as `props` of the mark.
        "props" => props: PropsDef [else PropsDef::new(), Props];
    }
}

impl PlaceDef {
    /// The position alone where nothing else is said.
    fn short(&self) -> OrderedJson {
        match self.facing_degrees.is_none() && self.props.is_empty() {
            true => Place.write(&self.position),
            false => written(self),
        }
    }
}

object! {
    /// A named list of places.
    pub struct RouteDef as "Route" {
        /// Where it leads, in order; at least one.
        "stops" => stops: Vec<StopDef> [needed Stops];
        /// Plain data for scripts, which read it with `nav.routeProps`.
        "props" => props: PropsDef [else PropsDef::new(), Props];
    }
    plus {
        /// Name, one of its kind in the level.
        name: Located<String> = Located::default();
    }
}

impl Named for RouteDef {
    fn read(reader: &mut JsonReader<'_>, name: Located<String>, node: JsonValue<'_, '_>) -> Option<Self> {
        let route = match node.text.starts_with('{') {
            true => reader.object::<Self>(node)?,
            false => Self { stops: Stops.read(reader, node)?, ..Self::default() },
        };
        Some(Self { name, ..route })
    }

    fn schema(parts: &mut SchemaParts) -> Value {
        parts.named("Route", |parts| {
            json!({
                "description": "Stops in order, or an object with them.",
                "anyOf": [Stops.schema(parts), parts.inline::<Self>()]
            })
        })
    }

    fn write(&self) -> (String, OrderedJson) {
        let route = if self.props.is_empty() { Stops.write(&self.stops) } else { written(self) };
        (self.name.value.clone(), route)
    }
}

/// The stops of a route.
pub(crate) struct Stops;

impl Form for Stops {
    type Value = Vec<StopDef>;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Vec<StopDef>> {
        let (count, _) = reader.items(node, "a list", 0)?;
        if count == 0 {
            reader.error(code::DEGENERATE, node, "is empty, expected at least one stop");
        }
        if count > reader.around.stops_left {
            let what = format!("has {count} stops, the limit is {MARKS_MAX} for all routes together");
            reader.error(code::LIMIT, node, what);
            return None;
        }
        reader.around.stops_left -= count;
        reader.list(node, MARKS_MAX, StopDef::read)
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        super::forms::list(parts.named("Stop", |parts| {
            json!({
                "description": "The name of a mark, or a place.",
                "anyOf": [{ "type": "string" }, mark(parts)]
            })
        }))
    }

    fn write(&self, stops: &Vec<StopDef>) -> OrderedJson {
        OrderedJson::List(stops.iter().map(StopDef::write).collect())
    }
}

/// A stop of a route.
#[derive(Clone, Debug, PartialEq)]
pub enum StopDef {
    /// A mark, by name.
    Mark(Located<String>),
    /// A place without a name.
    Place(PlaceDef),
}

impl StopDef {
    fn read(reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Self> {
        if node.text.starts_with('"') {
            return Some(Self::Mark(reader.name(node).unwrap_or_default()));
        }
        let place = reader.place(node, "the name of a mark or a position [x, z]");
        Some(Self::Place(place.unwrap_or_default()))
    }

    fn write(&self) -> OrderedJson {
        match self {
            Self::Mark(name) => OrderedJson::Leaf(json!(name.value)),
            Self::Place(place) => place.short(),
        }
    }
}

object! {
    /// Ground that notices the characters that enter and leave it: a polygon, or a centre with a radius.
    pub struct RegionDef as "Region" {
        /// Name, one of its kind in the level.
        "name" => name: Located<String> [required Name];
        /// Its outline.
        "" => outline: RegionOutline [flat RegionOutline];
        /// The layer of the map that it lies on, on maps that have layers; all of them when none is given.
        "layer" => layer: Option<Located<String>> [optional Name];
        /// Least and greatest height of the characters that stand in it, on maps with heights, metres; all
        /// floors when left out.
        "heights" => heights_m: Option<[f64; 2]> [optional Heights];
        /// Plain data for scripts, which read it with `region.props`.
        "props" => props: PropsDef [else PropsDef::new(), Props];
    }
}

object! {
    (reader, fields)
    /// The keys of a region's outline.
    struct OutlineKeys as "RegionOutline" {
        /// Corners of the region; or give `centre` and `radius`.
        "polygon" => polygon: Option<Vec<Point>> [optional Outline];
        /// The middle of a round region.
        "centre" => centre: Option<Position> [when is_round && !is_polygon, Place];
        /// Radius of a round region, metres.
        "radius" => radius_m: Option<f64> [when is_round && !is_polygon, numbers::REGION_RADIUS];
    }
    given {
        /// Whether it says that it is round.
        is_round: bool = fields.has_any(&["centre", "radius"]);
        /// Whether it says that it has corners.
        is_polygon: bool = fields.has("polygon");
    }
}

/// The outline of a region.
#[derive(Clone, Debug, PartialEq)]
pub enum RegionOutline {
    /// Corners `[x, z]` in metres.
    Polygon(Vec<Point>),
    /// A round region.
    Circle {
        /// The middle.
        centre: Position,
        /// Metres, 0.01 to a million.
        radius_m: f64,
    },
}

impl Default for RegionOutline {
    fn default() -> Self {
        Self::Polygon(Vec::new())
    }
}

impl Object for RegionOutline {
    const TITLE: &'static str = OutlineKeys::TITLE;
    const DOC: &'static [&'static str] = OutlineKeys::DOC;

    fn keys() -> Vec<&'static Key> {
        OutlineKeys::keys()
    }

    fn read(reader: &mut JsonReader<'_>, fields: &Fields<'_, '_>) -> Option<Self> {
        let keys = OutlineKeys::read(reader, fields)?;
        match (keys.is_polygon, keys.is_round) {
            (true, true) => {
                let what = "has a polygon and a centre with radius, expected one of the two";
                reader.error(code::CHOICE, fields.node, what);
            }
            (false, false) => {
                let what = "has neither \"polygon\" nor \"centre\" with \"radius\"";
                reader.error(code::MISSING_FIELD, fields.node, what);
            }
            _ => {}
        }
        let circle = keys.centre.zip(keys.radius_m);
        let circle = circle.map(|(centre, radius_m)| Self::Circle { centre, radius_m });
        keys.polygon.map(Self::Polygon).or(circle)
    }

    fn write(&self, out: &mut OrderedObject) {
        let keys = match self {
            Self::Polygon(corners) => {
                OutlineKeys { polygon: Some(corners.clone()), ..OutlineKeys::default() }
            }
            Self::Circle { centre, radius_m } => {
                OutlineKeys { centre: Some(*centre), radius_m: Some(*radius_m), ..OutlineKeys::default() }
            }
        };
        keys.write(out);
    }
}

choices! {
    /// What a character does about doors that are closed.
    pub enum DoorHabit, default Avoid {
        /// Takes them for walls.
        Avoid = "avoid",
        /// Plans through those it can open, and opens them.
        Open = "open",
        /// Plans through all of them, and waits until somebody opens them.
        Wait = "wait",
    }
}

object! {
    /// A character on the map.
    pub struct CharacterDef as "Character" {
        /// Name, one of its kind in the level.
        "name" => name: Located<String> [required Name];
        /// Where the character stands when the level begins.
        "position" => position: Located<Position> [required At(Place)];
        /// Which way the character looks: 0 is +z, 90 is +x.
        "facingDegrees" => facing_degrees: f64 [numbers::FACING_DEGREES];
        /// Half the width of the body, metres.
        "radius" => radius_m: f64 [numbers::RADIUS];
        /// Height of the body, metres.
        "height" => height_m: f64 [numbers::HEIGHT];
        /// Speed of a walk on the ground plane, metres per second.
        "walkSpeed" => walk_speed_mps: f64 [numbers::WALK_SPEED];
        /// Speed of a run, metres per second; twice the walking speed when left out.
        "runSpeed" => run_speed_mps: f64 [follows (2.0 * walk_speed_mps).min(numbers::RUN_SPEED.max), numbers::RUN_SPEED];
        /// How fast the body turns, radians per second.
        "rotationSpeed" => rotation_speed_radps: f64 [numbers::ROTATION_SPEED];
        /// Whether the player steers this character. At most one in a level.
        "player" => player: bool [or false, Truth];
        /// Words that scripts select characters by.
        "tags" => tags: Vec<String> [or Vec::new(), Tags];
        /// What the character does about closed doors.
        "doors" => doors: DoorHabit [else DoorHabit::default(), choice::<DoorHabit>()];
        /// The layer of the map to stand on, on maps that have layers.
        "layer" => layer: Option<Located<String>> [optional Name];
        /// The behaviour: a name below the script folders.
        "behaviour" => behaviour: Option<Located<String>> [optional FileName];
        /// Values for the behaviour, checked against its `params`.
        "params" => params: PropsDef [else PropsDef::new(), Props];
        /// Plain data for scripts, which read it as `props` of the character.
        "props" => props: PropsDef [else PropsDef::new(), Props];
    }
}

impl LevelDef {
    /// A level of one map and nothing else, with every default.
    #[must_use]
    pub fn of_map(name: &str, navigation: NavigationDef) -> Self {
        Self { name: name.to_owned(), navigation, ..Self::default() }
    }

    /// Takes the map of another level in the place of its own, what stands on it after what stands here, and
    /// what it says of the whole level where this one says nothing.
    pub(crate) fn add_map(&mut self, other: Self) {
        let is_open = |key: &'static str| !self.own_keys.contains(&key);
        if is_open("tickRate") {
            self.tick_rate = other.tick_rate;
        }
        if is_open("seed") {
            self.seed = other.seed;
        }
        if is_open("pathBudget") {
            self.path_budget = other.path_budget;
        }
        self.navigation = other.navigation;
        self.doors.extend(other.doors);
        self.marks.extend(other.marks);
        self.routes.extend(other.routes);
        self.regions.extend(other.regions);
        self.characters.extend(other.characters);
        self.script = self.script.take().or(other.script);
    }
}
