//! A Tiled map as its files state it, in either format.
//!
//! In: nothing. Out: [`RawMap`] and its parts: sizes in pixels and tiles, ids with their flags, objects in
//! pixels, properties with their types. Holds: `read` has checked all counts and ranges; every part knows
//! where it stands. Not here: its meaning for walkers (`ground`, `things`).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::ordered::CollectOrdered;
use crate::level::diagnostic::Span;

/// The lower 28 bits of a cell are the tile, the others say how it is flipped and turned, on every kind of
/// map.
pub const GID_MASK: u32 = 0x0FFF_FFFF;

/// How tiles lie beside one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orientation {
    /// Rows and columns of rectangles.
    Orthogonal,
    /// Rows and columns of diamonds, both axes at a slant.
    Isometric,
    /// Diamonds in rows, every second row moved by half a tile.
    Staggered,
    /// Hexagons.
    Hexagonal,
}

impl Orientation {
    /// As the files call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Orthogonal => "orthogonal",
            Self::Isometric => "isometric",
            Self::Staggered => "staggered",
            Self::Hexagonal => "hexagonal",
        }
    }
}

/// A map as its file states it.
#[derive(Clone, Debug, PartialEq)]
pub struct RawMap {
    /// How tiles lie beside one another.
    pub orientation: Orientation,
    /// Columns, as stated; an infinite map really covers [`Self::bounds`].
    pub width: u32,
    /// Rows, as stated.
    pub height: u32,
    /// Width of a tile, pixels.
    pub tile_width_px: u32,
    /// Height of a tile, pixels.
    pub tile_height_px: u32,
    /// Length of the side of a hexagon that lies along the staggered axis, pixels; 0 on other maps.
    pub hex_side_px: u32,
    /// Whether columns are staggered, not rows.
    pub stagger_x: bool,
    /// Whether the even rows or columns are the ones that are moved.
    pub stagger_even: bool,
    /// Whether the map grows as one paints: its cells come in chunks.
    pub infinite: bool,
    /// The rectangle of cells that any layer has: all of them on a finite map, those of the chunks on others.
    pub bounds: Rect,
    /// Properties of the map.
    pub properties: Properties,
    /// Tilesets with the first id of each, by that id.
    pub tilesets: Vec<(u32, Arc<RawTileset>)>,
    /// Layers in the order of drawing, those in groups where the group stands.
    pub layers: Vec<RawLayer>,
    /// Where the map begins.
    pub span: Span,
    /// The folder of the map's file below the root, `/` at its end unless empty.
    pub folder: String,
}

impl RawMap {
    /// The tileset and the local id of a cell; None for an empty cell and for an id that no tileset has.
    #[must_use]
    pub fn tile(&self, gid: u32) -> Option<(&RawTileset, u32)> {
        let id = gid & GID_MASK;
        let after = self.tilesets.partition_point(|(first, _)| *first <= id);
        let (first, tileset) = self.tilesets.get(after.checked_sub(1)?)?;
        let local = id - first;
        (id > 0 && local < tileset.tiles_max).then_some((tileset, local))
    }
}

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// First column.
    pub x: i32,
    /// First row.
    pub y: i32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Rect {
    /// How many cells it has.
    #[must_use]
    pub fn cells(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// The smallest rectangle around both; one without cells adds nothing.
    #[must_use]
    pub fn around(self, other: Self) -> Self {
        if self.cells() == 0 || other.cells() == 0 {
            return if self.cells() == 0 { other } else { self };
        }
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let end = |at: i32, size: u32| i64::from(at) + i64::from(size);
        let right = end(self.x, self.width).max(end(other.x, other.width));
        let bottom = end(self.y, self.height).max(end(other.y, other.height));
        Self { x, y, width: (right - i64::from(x)) as u32, height: (bottom - i64::from(y)) as u32 }
    }

    /// The cell at a place of its row-after-row order. The rectangle has cells.
    #[must_use]
    pub fn cell(self, at: usize) -> [i32; 2] {
        [self.x + (at as u32 % self.width) as i32, self.y + (at as u32 / self.width) as i32]
    }

    /// The smallest rectangle around cells.
    #[must_use]
    pub fn around_cells(cells: impl Iterator<Item = [i32; 2]>) -> Self {
        cells.fold(Self::default(), |around, [x, y]| around.around(Self { x, y, width: 1, height: 1 }))
    }
}

/// A set of tiles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawTileset {
    /// Its name.
    pub name: String,
    /// Ids below this are tiles of it.
    pub tiles_max: u32,
    /// Tiles with more than a picture, by id; objects that show one share it.
    pub tiles: Vec<Arc<RawTile>>,
    /// Where the position of an object with one of its tiles lies in the picture; empty when nothing is said.
    pub object_alignment: String,
}

impl RawTileset {
    /// The limit of ids of a set whose file does not say how many tiles it has: any id may be one of it.
    pub const UNCOUNTED: u32 = GID_MASK;

    /// Whether it is known how many tiles it has.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.tiles_max < Self::UNCOUNTED
    }

    /// What is said of a tile.
    #[must_use]
    pub fn about(&self, id: u32) -> Option<&Arc<RawTile>> {
        self.tiles.binary_search_by_key(&id, |tile| tile.id).ok().map(|at| &self.tiles[at])
    }
}

/// A tile with more than a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct RawTile {
    /// Its number within the set.
    pub id: u32,
    /// Its class, "type" in files of some versions.
    pub class: String,
    /// What its author says of it.
    pub properties: Properties,
    /// Where it stands.
    pub span: Span,
}

/// A layer.
#[derive(Clone, Debug, PartialEq)]
pub struct RawLayer {
    /// Its name behind those of its groups: `town/walls`.
    pub name: String,
    /// How many bytes of that are its groups.
    pub groups_bytes: usize,
    /// Where it stands.
    pub span: Span,
    /// The way to it.
    pub pointer: String,
    /// Its own properties, then those of the groups it lies in, from the inside out.
    pub properties: Properties,
    /// How far it is drawn from its place, those of its groups included, pixels.
    pub offset_px: [f64; 2],
    /// What is on it.
    pub content: RawContent,
}

impl RawLayer {
    /// Its own name.
    #[must_use]
    pub fn own_name(&self) -> &str {
        self.name.get(self.groups_bytes..).unwrap_or_default()
    }
}

/// What is on a layer.
#[derive(Clone, Debug, PartialEq)]
pub enum RawContent {
    /// Cells over a rectangle, row by row, as the file has them: 0 for none, flags in the upper four bits.
    Tiles {
        /// The cells it has; empty for an infinite layer nobody painted on.
        rect: Rect,
        /// One number a cell.
        gids: Vec<u32>,
    },
    /// Objects.
    Objects(Vec<RawObject>),
    /// A picture; nothing of it is needed.
    Picture,
}

/// The shape of an object, in pixels from its position.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectShape {
    /// A point.
    Point,
    /// A rectangle of the object's size.
    Rectangle,
    /// The ellipse that touches the rectangle.
    Ellipse,
    /// A closed line of corners.
    Polygon(Vec<[f64; 2]>),
    /// An open line.
    Polyline(Vec<[f64; 2]>),
    /// A tile of the object's size: its class, its properties, and where its position lies in it.
    Tile(Arc<RawTile>, String),
    /// A text.
    Text,
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub struct RawObject {
    /// Its number in the map.
    pub id: u32,
    /// Its name; may be empty.
    pub name: String,
    /// Its class, "type" in files of some versions; may be empty.
    pub class: String,
    /// Where it lies, pixels: right and down; on isometric maps both in heights of a tile.
    pub position_px: [f64; 2],
    /// Width and height, pixels.
    pub size_px: [f64; 2],
    /// Degrees it is turned about its position, clockwise.
    pub rotation_degrees: f64,
    /// What it looks like.
    pub shape: ObjectShape,
    /// What its author says of it, then what its template says.
    pub properties: Properties,
    /// Where it stands.
    pub span: Span,
    /// The way to it.
    pub pointer: String,
}

/// A value of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyValue {
    /// Text, a colour, the name of a file.
    Text(String),
    /// A whole number or one with a fraction.
    Number(f64),
    /// Yes or no.
    Truth(bool),
    /// An object of the map, by its number; 0 for none.
    Object(u32),
    /// Several values under one name.
    Class(Properties),
}

/// A property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: PropertyValue,
    /// The class of its value, for values that have one.
    pub class: String,
    /// Where the value stands.
    pub span: Span,
}

/// Properties in the order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Properties(pub Vec<Property>);

impl Properties {
    /// The property of a name: the first, since what is nearest comes first.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Property> {
        self.0.iter().find(|property| property.name == name)
    }

    /// Adds those whose names are not there yet.
    pub fn add_missing(&mut self, others: &Self) {
        let own: BTreeSet<&str> = self.0.iter().map(|property| property.name.as_str()).collect_set();
        let missing: Vec<Property> =
            others.0.iter().filter(|other| !own.contains(other.name.as_str())).cloned().collect();
        self.0.extend(missing);
    }
}
