//! A level as its author writes it.
//!
//! In: nothing. Out: [`LevelDef`] and its parts, one type for each object of the JSON form. Holds: defaults
//! are filled in, every name and reference keeps the place it was read from, lists keep the order of the
//! text. Doc comments here are what `walkon schema` shows to editors. Not here: reading (`read`), whether
//! names lead anywhere (`resolve`), the map (`bake`).

use super::diagnostic::{Located, Span};
use super::graph::GraphDef;
use super::numbers::{self, CrowdDef, Limits};
use super::schema::{self, Area2, Param, Position2};
use super::textgrid::TextGrid;
use super::tiled::TiledOptions;
use crate::base::geom::Point;
use crate::nav::{Avoidance, RawMesh};
use crate::world::tiles::Terrain;
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// A walkon level: a map, and who and what is on it.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(rename = "Level", rename_all = "camelCase", deny_unknown_fields)]
pub struct LevelDef {
    /// The schema that an editor checks this file against. Not read.
    #[schemars(rename = "$schema", default)]
    pub schema: Option<String>,
    /// Name of the level; the file's name without suffix when left out.
    #[schemars(default = "schema::none", with = "String")]
    pub name: String,
    /// Ticks per game second.
    #[schemars(default = "schema::tick_rate", range(min = 10, max = 240))]
    pub tick_rate: u32,
    /// Seed of every random stream of the level.
    #[schemars(default = "schema::seed", range(min = 0, max = 9_007_199_254_740_991u64))]
    pub seed: u64,
    /// The map.
    #[schemars(with = "schema::Navigation")]
    pub navigation: NavigationDef,
    /// Areas that open and close.
    #[schemars(default = "schema::none")]
    pub doors: Vec<DoorDef>,
    /// Named places.
    #[schemars(default = "schema::none", with = "BTreeMap<String, schema::Mark>")]
    pub marks: Vec<MarkDef>,
    /// Named lists of marks.
    #[schemars(default = "schema::none", with = "BTreeMap<String, schema::Route>")]
    pub routes: Vec<RouteDef>,
    /// Ground that notices who enters and leaves.
    #[schemars(default = "schema::none")]
    pub regions: Vec<RegionDef>,
    /// Who is on the map when the level begins.
    #[schemars(default = "schema::none")]
    pub characters: Vec<CharacterDef>,
    /// The level script: a name below the script folders.
    #[schemars(default = "schema::none", with = "String")]
    pub script: Option<Located<String>>,
    /// How much scripts and searches may use.
    #[schemars(default = "schema::none")]
    pub limits: Limits,
    /// How bodies follow paths and avoid one another.
    #[schemars(default = "schema::none")]
    pub crowd: CrowdDef,
    /// Node expansions per tick, shared by all path searches.
    #[schemars(default = "schema::path_budget", range(min = 1, max = 100_000_000))]
    pub path_budget: u32,
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

/// A map in a file of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct MapFileDef {
    /// The file, relative to the level.
    pub file: Located<String>,
    /// What is in it.
    pub form: MapForm,
    /// How a map of Tiled is taken in.
    pub tiled: TiledOptions,
}

/// What a map file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapForm {
    /// The polygon config of a grid, as JSON.
    Grid,
    /// A precomputed text grid.
    TextGrid,
    /// A map of the editor Tiled, with the files it names.
    Tiled,
}

/// Sizes and paddings of every map of cells, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellSizes {
    /// Width and depth of a cell, 0.01 to 100.
    pub cell_size_m: f64,
    /// Half-width of the bodies that the cells are cut for, 0 to 100.
    pub agent_radius_m: f64,
    /// Extra distance kept from obstacles, 0 to 100.
    pub object_padding_m: f64,
    /// Distance kept from the outer edge of the areas, 0 to 100.
    pub boundary_padding_m: f64,
    /// Height of the floor.
    pub floor_y_m: f64,
}

impl Default for CellSizes {
    fn default() -> Self {
        Self {
            cell_size_m: numbers::CELL_SIZE.default,
            agent_radius_m: numbers::AGENT_RADIUS.default,
            object_padding_m: numbers::OBJECT_PADDING.default,
            boundary_padding_m: numbers::BOUNDARY_PADDING.default,
            floor_y_m: numbers::FLOOR_Y.default,
        }
    }
}

/// Areas and obstacles, cut into cells when the level loads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GridDef {
    /// Cell size and paddings.
    pub sizes: CellSizes,
    /// Ground to walk on, in the order that numbers them.
    pub areas: Vec<AreaDef>,
    /// Ground taken away again, numbered after the areas. One that encloses nothing has no corners left.
    pub obstacles: Vec<AreaDef>,
    /// JSON pointer to the object that holds them: empty in a config of its own.
    pub pointer: String,
    /// Where that object stands.
    pub span: Span,
    /// What makes polygons of it in place of cells; None for a grid.
    pub mesh: Option<MeshDef>,
}

/// A navigation mesh: the areas and obstacles beside it, on polygons of its own or alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshDef {
    /// The file that holds the polygons; None where they stand in the level, or where the areas are the
    /// ground.
    pub file: Option<Located<String>>,
    /// The polygons; None where the areas are the ground, and until the file is read.
    pub polygons: Option<RawMesh>,
    /// How wider bodies keep off walls.
    pub avoidance: Avoidance,
}

/// An area or an obstacle.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(rename = "Area", rename_all = "camelCase", deny_unknown_fields)]
pub struct AreaDef {
    /// Name, one of its kind in the level.
    pub name: Located<String>,
    /// Corners `[x, z]` in metres, in either direction; the last may repeat the first.
    #[schemars(with = "Area2")]
    pub polygon: Vec<Point>,
    /// Whether it is there when the level begins. None when the author left it out, which means yes.
    #[schemars(default = "schema::yes", with = "bool")]
    pub available: Option<bool>,
    /// Price of a metre on it. Obstacles have none.
    #[schemars(default = "numbers::cost", range(min = 0.1, max = 100.0))]
    pub cost: f64,
    /// Least and greatest height of what belongs to it, on maps with heights, metres; None for any height.
    #[schemars(skip)]
    pub heights_m: Option<[f64; 2]>,
    /// Where `available` stands, else where the area stands.
    #[schemars(skip)]
    pub available_spot: Located<()>,
}

/// A map drawn with characters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AsciiDef {
    /// Cell size and paddings.
    pub sizes: CellSizes,
    /// Outer corner of the first cell, `[x, z]` in metres.
    pub origin: Point,
    /// Rows of equal length, the first at the smallest z.
    pub rows: Vec<Located<String>>,
    /// What the characters beside `#` and `.` mean.
    pub legend: Vec<(Located<char>, LegendDef)>,
    /// Where the map stands in the file.
    pub span: Span,
}

/// What a character of an ascii map means.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(rename = "Legend", rename_all = "camelCase", deny_unknown_fields)]
pub struct LegendDef {
    /// Cells with one area name are one area, which a door can name.
    #[schemars(default = "schema::none", with = "String")]
    pub area: Option<Located<String>>,
    /// Price of a metre on these cells, 0.1 to 100.
    #[schemars(default = "numbers::cost", with = "f64", range(min = 0.1, max = 100.0))]
    pub cost: Option<f64>,
    /// Name of a mark in the middle of the cell. The character may stand on the map once.
    #[schemars(default = "schema::none", with = "String")]
    pub mark: Option<Located<String>>,
    /// Whether one can stand there.
    #[schemars(default = "schema::yes")]
    pub walkable: bool,
}

/// Which tiles are neighbours, and how they lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub enum TileLayout {
    /// Squares with four neighbours.
    Square4,
    /// Squares with eight neighbours; a diagonal needs both tiles beside it.
    #[default]
    Square8,
    /// Diamonds in rows or columns of which every second is shifted by half a tile.
    Staggered,
    /// Hexagons with a corner up, in rows of which every second is shifted.
    HexPointy,
    /// Hexagons with an edge up, in columns of which every second is shifted.
    HexFlat,
}

/// How pictures show the tiles. To walkers a projection makes no difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub enum Projection {
    /// As they lie, seen from above.
    #[default]
    Flat,
    /// Square tiles as diamonds, twice as wide as high: x to the lower right, z to the lower left.
    Isometric,
}

/// Which rows or columns are shifted, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub enum StaggerIndex {
    /// The second, the fourth and so on.
    #[default]
    Odd,
    /// The first, the third and so on.
    Even,
}

/// What is shifted in the layout `staggered`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub enum StaggerAxis {
    /// Columns, along z.
    X,
    /// Rows, along x.
    #[default]
    Z,
}

/// When searches of large maps go from sector to sector first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub enum Hierarchy {
    /// On maps large enough to gain by it.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// A way out of a tile: north is towards smaller z, east towards larger x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub enum Heading {
    /// Towards +x.
    East,
    /// Between east and south.
    SouthEast,
    /// Towards +z.
    South,
    /// Between south and west.
    SouthWest,
    /// Towards -x.
    West,
    /// Between west and north.
    NorthWest,
    /// Towards -z.
    North,
    /// Between north and east.
    NorthEast,
}

/// A tile map: up to eight layers of the same size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TilesDef {
    /// Paddings and the height of the floor; the size of a cell has no meaning here.
    pub sizes: CellSizes,
    /// Which tiles are neighbours.
    pub layout: TileLayout,
    /// How pictures show them.
    pub projection: Projection,
    /// Which rows or columns are shifted.
    pub stagger_index: StaggerIndex,
    /// Whether rows or columns are shifted, in the layout `staggered`.
    pub stagger_axis: StaggerAxis,
    /// Width of a tile along x, metres.
    pub tile_width_m: f64,
    /// Height of a tile as the map shows it, its depth along z, metres.
    pub tile_height_m: f64,
    /// Outer corner of the map at the smallest x and z, `[x, z]` in metres.
    pub origin: Point,
    /// One to eight, the first the default.
    pub layers: Vec<LayerDef>,
    /// What the characters beside `#` and `.` mean, on every layer.
    pub legend: Vec<(Located<char>, TileLegendDef)>,
    /// Ways between layers.
    pub links: Vec<LinkDef>,
    /// When searches go from sector to sector first.
    pub hierarchy: Hierarchy,
    /// Where the map stands in the file.
    pub span: Span,
}

/// A layer of a tile map.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(rename = "Layer", rename_all = "camelCase", deny_unknown_fields)]
pub struct LayerDef {
    /// Name, one of its kind in the level.
    pub name: Located<String>,
    /// Rows of equal length, the first at the smallest z; as many and as long on every layer.
    pub rows: Vec<Located<String>>,
}

/// What a character of a tile map means.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(rename = "TileLegend", rename_all = "camelCase", deny_unknown_fields)]
pub struct TileLegendDef {
    /// Tiles with one area name are one area, which a door can name.
    #[schemars(default = "schema::none", with = "String")]
    pub area: Option<Located<String>>,
    /// Price of a metre on these tiles, 0.1 to 100; that of the terrain when left out.
    #[schemars(default = "schema::none", with = "f64", range(min = 0.1, max = 100.0))]
    pub cost: Option<f64>,
    /// Name of a mark in the middle of the tile. The character may stand on the map once.
    #[schemars(default = "schema::none", with = "String")]
    pub mark: Option<Located<String>>,
    /// Whether one can stand there; when left out, on every terrain but lava.
    #[schemars(default = "schema::none", with = "bool")]
    pub walkable: Option<bool>,
    /// What the ground is made of.
    #[schemars(default = "schema::none", with = "schema::TerrainName")]
    pub terrain: Terrain,
    /// Words that scripts read.
    #[schemars(default)]
    pub tags: Vec<String>,
    /// The directions in which alone the tile may be left: one, or a list; in all of them when left out.
    #[schemars(default = "schema::none", with = "schema::OneWay")]
    pub one_way: Option<Vec<Heading>>,
}

/// A way between two layers, such as stairs.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(rename = "Link", rename_all = "camelCase", deny_unknown_fields)]
pub struct LinkDef {
    /// Where it begins.
    pub from: LinkEnd,
    /// Where it ends, on another layer.
    pub to: LinkEnd,
    /// Whether it may be taken backwards.
    #[schemars(default = "schema::yes")]
    pub both_ways: bool,
    /// What taking it costs, in metres of plain ground.
    #[schemars(rename = "cost", default = "numbers::link_cost", range(min = 0.0, max = 10000.0))]
    pub cost_m: f64,
    /// Where it is written.
    #[schemars(skip)]
    pub spot: Located<()>,
}

/// An end of a link.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(rename = "LinkEnd", rename_all = "camelCase", deny_unknown_fields)]
pub struct LinkEnd {
    /// Name of the layer.
    pub layer: Located<String>,
    /// Where, on a tile one can stand on.
    #[schemars(with = "Position2")]
    pub position: Located<Position>,
}

/// An area that opens and closes.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(rename = "Door", rename_all = "camelCase", deny_unknown_fields)]
pub struct DoorDef {
    /// Name, one of its kind in the level.
    pub name: Located<String>,
    /// Name of the area that is there while the door is open.
    pub area: Located<String>,
    /// Whether it is open when the level begins.
    #[schemars(default)]
    pub open: bool,
    /// Time it takes to open or close, seconds, 0 to 3600.
    #[schemars(rename = "seconds", default = "numbers::door_seconds", range(min = 0, max = 3600))]
    pub duration_s: f64,
    /// Whether it refuses to open when the level begins; when left out, whether it has a key.
    #[schemars(default = "schema::none", with = "bool")]
    pub locked: bool,
    /// The key that unlocks it.
    #[schemars(default = "schema::none", with = "String")]
    pub key: Option<String>,
    /// The direction `[x, z]` in which alone it may be walked through; both ways when left out.
    #[schemars(default = "schema::none", with = "[f64; 2]")]
    pub one_way: Option<[f64; 2]>,
    /// Tags of which a character needs one to pass; everybody passes when left out. For others the door is a
    /// wall however it stands.
    #[schemars(default, length(min = 1, max = 64))]
    pub teams: Vec<String>,
    /// Plain data for scripts, which read it as `props` of the door.
    #[schemars(default, with = "BTreeMap<String, Param>")]
    pub props: PropsDef,
}

/// What is said of a thing beyond what a level reads, by name: plain data for scripts.
pub type PropsDef = BTreeMap<String, Located<serde_json::Value>>;

/// A position on the ground, or in space on maps with heights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Position {
    /// Metres along x.
    pub x: f64,
    /// Height, metres; None means the floor.
    pub y: Option<f64>,
    /// Metres along z.
    pub z: f64,
}

/// A named place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkDef {
    /// Name, one of its kind in the level.
    pub name: Located<String>,
    /// Where it is.
    pub place: PlaceDef,
}

/// A place with an optional direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceDef {
    /// Where.
    pub position: Position,
    /// Which way to look there, degrees: 0 is +z, 90 is +x.
    pub facing_degrees: Option<f64>,
    /// Plain data for scripts, which read it as `props` of the mark.
    pub props: PropsDef,
}

/// A named list of places.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RouteDef {
    /// Name, one of its kind in the level.
    pub name: Located<String>,
    /// Where it leads, in order; at least one.
    pub stops: Vec<StopDef>,
    /// Plain data for scripts, which read it with `nav.routeProps`.
    pub props: PropsDef,
}

/// A stop of a route.
#[derive(Clone, Debug, PartialEq)]
pub enum StopDef {
    /// A mark, by name.
    Mark(Located<String>),
    /// A place without a name.
    Place(PlaceDef),
}

/// Ground that notices who enters and leaves: a polygon, or a centre with a radius.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(rename = "Region", rename_all = "camelCase", deny_unknown_fields)]
pub struct RegionDef {
    /// Name, one of its kind in the level.
    pub name: Located<String>,
    /// Its outline.
    #[schemars(flatten, with = "schema::RegionOutlineKeys")]
    pub outline: RegionOutline,
    /// The layer of the map that it lies on, on maps that have layers; all of them when none is given.
    #[schemars(default = "schema::none", with = "String")]
    pub layer: Option<Located<String>>,
    /// Plain data for scripts, which read it with `region.props`.
    #[schemars(default, with = "BTreeMap<String, Param>")]
    pub props: PropsDef,
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

/// What a character does about doors that are closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub enum DoorHabit {
    /// Takes them for walls.
    #[default]
    Avoid,
    /// Plans through those it can open, and opens them.
    Open,
    /// Plans through all of them, and waits until somebody opens them.
    Wait,
}

/// Somebody on the map.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(rename = "Character", rename_all = "camelCase", deny_unknown_fields)]
pub struct CharacterDef {
    /// Name, one of its kind in the level.
    pub name: Located<String>,
    /// Where the character stands when the level begins.
    #[schemars(with = "Position2")]
    pub position: Located<Position>,
    /// Which way the character looks: 0 is +z, 90 is +x.
    #[schemars(default, range(min = -360.0, max = 360.0))]
    pub facing_degrees: f64,
    /// Half the width of the body, metres.
    #[schemars(rename = "radius", default = "numbers::radius", range(min = 0.05, max = 10.0))]
    pub radius_m: f64,
    /// Height of the body, metres.
    #[schemars(rename = "height", default = "numbers::height", range(min = 0.1, max = 100.0))]
    pub height_m: f64,
    /// Speed of a walk, metres per second.
    #[schemars(rename = "walkSpeed", default = "numbers::walk_speed", range(min = 0.01, max = 50.0))]
    pub walk_speed_mps: f64,
    /// Speed of a run, metres per second; twice the walking speed when left out.
    #[schemars(rename = "runSpeed", default = "numbers::run_speed", range(min = 0.01, max = 50.0))]
    pub run_speed_mps: f64,
    /// How fast the body turns, radians per second.
    #[schemars(
        rename = "rotationSpeed",
        default = "numbers::rotation_speed",
        range(min = 0.01, max = 1000.0)
    )]
    pub rotation_speed_radps: f64,
    /// Whether the player steers this character. At most one in a level.
    #[schemars(default)]
    pub player: bool,
    /// Words that scripts select characters by.
    #[schemars(default)]
    pub tags: Vec<String>,
    /// What the character does about closed doors.
    #[schemars(default = "schema::none")]
    pub doors: DoorHabit,
    /// The layer of the map to stand on, on maps that have layers.
    #[schemars(default = "schema::none", with = "String")]
    pub layer: Option<Located<String>>,
    /// The behaviour: a name below the script folders.
    #[schemars(default = "schema::none", with = "String")]
    pub behaviour: Option<Located<String>>,
    /// Values for the behaviour, checked against its `params`.
    #[schemars(default, with = "BTreeMap<String, Param>")]
    pub params: BTreeMap<String, Located<serde_json::Value>>,
    /// Plain data for scripts, which read it as `props` of the character.
    #[schemars(default, with = "BTreeMap<String, Param>")]
    pub props: PropsDef,
}

impl Default for CharacterDef {
    fn default() -> Self {
        Self {
            name: Located::default(),
            position: Located::default(),
            facing_degrees: numbers::FACING_DEGREES.default,
            radius_m: numbers::RADIUS.default,
            height_m: numbers::HEIGHT.default,
            walk_speed_mps: numbers::WALK_SPEED.default,
            run_speed_mps: numbers::RUN_SPEED.default,
            rotation_speed_radps: numbers::ROTATION_SPEED.default,
            player: false,
            tags: Vec::new(),
            doors: DoorHabit::default(),
            layer: None,
            behaviour: None,
            params: BTreeMap::new(),
            props: PropsDef::new(),
        }
    }
}

impl LevelDef {
    /// A level of one map and nothing else, with every default.
    #[must_use]
    pub fn of_map(name: &str, navigation: NavigationDef) -> Self {
        Self {
            schema: None,
            name: name.to_owned(),
            tick_rate: numbers::TICK_RATE.default as u32,
            seed: numbers::SEED.default as u64,
            navigation,
            doors: Vec::new(),
            marks: Vec::new(),
            routes: Vec::new(),
            regions: Vec::new(),
            characters: Vec::new(),
            script: None,
            limits: Limits::default(),
            crowd: CrowdDef::default(),
            path_budget: numbers::PATH_BUDGET.default as u32,
        }
    }

    /// Takes the map of another level in the place of its own, and what stands on it after what stands here.
    pub(crate) fn add_map(&mut self, other: Self) {
        self.navigation = other.navigation;
        self.doors.extend(other.doors);
        self.marks.extend(other.marks);
        self.routes.extend(other.routes);
        self.regions.extend(other.regions);
        self.characters.extend(other.characters);
        self.script = self.script.take().or(other.script);
    }
}
