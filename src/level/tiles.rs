//! Tile maps: layers of characters and one legend into tiles, areas, marks and links.
//!
//! In: the `navigation` object of kind `tiles`; a [`TilesDef`]. Out: that definition, every default filled
//! in; its [`TileCells`], and findings for what is wrong with either. Holds: all layers are of one size,
//! checked before anything is allocated for their tiles; row 0 lies at the smallest z; areas are numbered in
//! the order of the legend, over all layers. Not here: whether names clash with others (`resolve`), the map
//! (`bake`).

use super::ascii::AsciiArea;
use super::def::{
    Heading, Hierarchy, LayerDef, LinkDef, LinkEnd, Projection, StaggerAxis, StaggerIndex, TileLayout,
    TileLegendDef, TilesDef,
};
use super::diagnostic::{Findings, Located, PendingDiagnostic, code};
use super::drawing::{Drawing, legend_pointer};
use super::json::{Fields, JsonReader, JsonValue};
use super::numbers;
use super::textgrid::CELLS_MAX;
use crate::base::geom::{Bounds, Point};
use crate::nav::{CellMapError, LINKS_MAX, Layout, MapFrame, Stagger, TileGrid};
use crate::world::tiles::{Terrain, Tile};

/// Most layers of a tile map.
pub const LAYERS_MAX: usize = 8;

const TILES_KEYS: &[&str] = &[
    "kind",
    "layers",
    "legend",
    "links",
    "layout",
    "projection",
    "staggerIndex",
    "staggerAxis",
    "tileWidth",
    "tileHeight",
    "origin",
    "agentRadius",
    "objectPadding",
    "boundaryPadding",
    "floorY",
    "hierarchy",
];
const LEGEND_KEYS: &[&str] = &["area", "cost", "mark", "walkable", "terrain", "tags", "oneWay"];

const LAYOUTS: &[(&str, TileLayout)] = &[
    ("square4", TileLayout::Square4),
    ("square8", TileLayout::Square8),
    ("staggered", TileLayout::Staggered),
    ("hexPointy", TileLayout::HexPointy),
    ("hexFlat", TileLayout::HexFlat),
];
const PROJECTIONS: &[(&str, Projection)] =
    &[("flat", Projection::Flat), ("isometric", Projection::Isometric)];
const STAGGER_INDICES: &[(&str, StaggerIndex)] = &[("odd", StaggerIndex::Odd), ("even", StaggerIndex::Even)];
const STAGGER_AXES: &[(&str, StaggerAxis)] = &[("x", StaggerAxis::X), ("z", StaggerAxis::Z)];
pub(super) const HIERARCHIES: &[(&str, Hierarchy)] =
    &[("auto", Hierarchy::Auto), ("on", Hierarchy::On), ("off", Hierarchy::Off)];
const HEADINGS: &[(&str, Heading)] = &[
    ("north", Heading::North),
    ("northEast", Heading::NorthEast),
    ("east", Heading::East),
    ("southEast", Heading::SouthEast),
    ("south", Heading::South),
    ("southWest", Heading::SouthWest),
    ("west", Heading::West),
    ("northWest", Heading::NorthWest),
];

impl TileLayout {
    /// Whether its tiles are rectangles side by side.
    #[must_use]
    pub fn is_square(self) -> bool {
        matches!(self, Self::Square4 | Self::Square8)
    }

    /// The name in levels.
    #[must_use]
    pub fn name(self) -> &'static str {
        LAYOUTS.iter().find(|(_, layout)| *layout == self).map_or("", |(name, _)| name)
    }
}

impl TileLayout {
    /// The ways out of a tile as the map counts them, from 0 in the order of its directions; None for those
    /// that are no steps across an edge.
    pub(super) fn exits(self) -> [Option<Heading>; 8] {
        use Heading::{East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};
        match self {
            Self::Square4 | Self::Square8 => {
                [Some(East), None, Some(South), None, Some(West), None, Some(North), None]
            }
            Self::Staggered => {
                [Some(SouthEast), None, Some(SouthWest), None, Some(NorthWest), None, Some(NorthEast), None]
            }
            Self::HexPointy => [
                Some(East),
                None,
                Some(SouthEast),
                Some(SouthWest),
                Some(West),
                None,
                Some(NorthWest),
                Some(NorthEast),
            ],
            Self::HexFlat => [
                Some(SouthEast),
                None,
                Some(South),
                Some(SouthWest),
                Some(NorthWest),
                None,
                Some(North),
                Some(NorthEast),
            ],
        }
    }

    /// The directions in which a tile may not be left that may be left in those alone: bit d for direction d.
    pub(crate) fn forbidden(self, ways: &[Heading]) -> u8 {
        let exits = self.exits().into_iter().enumerate();
        let shut = exits.filter(|(_, exit)| exit.is_some_and(|heading| !ways.contains(&heading)));
        shut.fold(0, |bits, (direction, _)| bits | 1 << direction)
    }
}

impl Heading {
    /// The name in levels.
    pub(super) fn name(self) -> &'static str {
        HEADINGS.iter().find(|(_, heading)| *heading == self).map_or("", |(name, _)| name)
    }
}

impl TilesDef {
    /// Where the tiles lie: columns and rows, all of them as wide and as deep.
    ///
    /// # Errors
    /// A size beyond its limit.
    pub(crate) fn frame(&self, columns: u32, rows: u32) -> Result<MapFrame, CellMapError> {
        let stagger = match self.stagger_index {
            StaggerIndex::Odd => Stagger::Odd,
            StaggerIndex::Even => Stagger::Even,
        };
        let layout = match (self.layout, self.stagger_axis) {
            (TileLayout::Square4, _) => Layout::Square4,
            (TileLayout::Square8, _) => Layout::Square8,
            (TileLayout::Staggered, StaggerAxis::X) => Layout::StaggeredColumns(stagger),
            (TileLayout::Staggered, StaggerAxis::Z) => Layout::StaggeredRows(stagger),
            (TileLayout::HexPointy, _) => Layout::HexPointy(stagger),
            (TileLayout::HexFlat, _) => Layout::HexFlat(stagger),
        };
        let tile_m = [self.tile_width_m, self.tile_height_m];
        let (min, floor_y_m) = (self.origin, self.sizes.floor_y_m);
        TileGrid { layout, columns, rows, tile_m, min, floor_y_m }.frame()
    }

    /// Whether text grids can hold its layers: square tiles with eight neighbours.
    pub(crate) fn is_plain_grid(&self) -> bool {
        self.layout == TileLayout::Square8 && self.tile_width_m == self.tile_height_m
    }
}

impl JsonReader<'_> {
    /// A map of kind `tiles`. None when there is nothing to lay out.
    pub(super) fn tiles(&mut self, fields: &Fields<'_, '_>) -> Option<TilesDef> {
        self.know(fields, TILES_KEYS);
        let sizes = self.sizes(fields);
        let layout = self.optional(fields, "layout", |r, n| r.choice(n, LAYOUTS)).unwrap_or_default();
        let projection =
            self.optional(fields, "projection", |r, n| r.projection(n, layout)).unwrap_or_default();
        let stagger_index = self.optional(fields, "staggerIndex", |r, n| r.choice(n, STAGGER_INDICES));
        let stagger_axis = self.optional(fields, "staggerAxis", |r, n| r.choice(n, STAGGER_AXES));
        let tile_width = self.optional(fields, "tileWidth", |r, n| r.number(n, &numbers::TILE_SIZE));
        let tile_height = self.optional(fields, "tileHeight", |r, n| r.number(n, &numbers::TILE_SIZE));
        let origin = self.origin(fields);
        let legend = self.optional(fields, "legend", |r, n| {
            r.legend_entries(n, |reader, node| reader.tile_legend(node, layout))
        });
        let links = self.parts(fields, "links", LINKS_MAX, Self::link);
        let hierarchy = self.optional(fields, "hierarchy", Self::hierarchy);
        let layers = self.required(fields, "layers", Self::layers)?;
        Some(TilesDef {
            sizes,
            layout,
            projection,
            stagger_index: stagger_index.unwrap_or_default(),
            stagger_axis: stagger_axis.unwrap_or_default(),
            tile_width_m: tile_width.unwrap_or(numbers::TILE_SIZE.default),
            tile_height_m: tile_height.unwrap_or(numbers::TILE_SIZE.default),
            origin,
            layers,
            legend: legend.unwrap_or_default(),
            links,
            hierarchy: hierarchy.unwrap_or_default(),
            span: self.span(fields.node),
        })
    }

    pub(super) fn hierarchy(&mut self, node: JsonValue<'_, '_>) -> Option<Hierarchy> {
        self.choice(node, HIERARCHIES)
    }

    fn projection(&mut self, node: JsonValue<'_, '_>, layout: TileLayout) -> Option<Projection> {
        let projection = self.choice(node, PROJECTIONS)?;
        if projection == Projection::Isometric && !layout.is_square() {
            let name = layout.name();
            self.error(
                code::CHOICE,
                node,
                format!(
                    "is \"isometric\", which shows square tiles, but the layout is \"{name}\", expected \"flat\""
                ),
            );
        }
        Some(projection)
    }

    fn layers(&mut self, node: JsonValue<'_, '_>) -> Option<Vec<LayerDef>> {
        let layers = self.list(node, LAYERS_MAX, |r, n| Some(r.layer(n).unwrap_or_default()))?;
        if self.items(node, "a list", 0).is_some_and(|(count, _)| count == 0) {
            self.error(code::DEGENERATE, node, "is empty, expected one to eight layers");
            return None;
        }
        Some(layers)
    }

    fn layer(&mut self, node: JsonValue<'_, '_>) -> Option<LayerDef> {
        let fields = self.fields(node, &["name", "rows"])?;
        let name = self.required(&fields, "name", Self::name);
        let rows = self.required(&fields, "rows", Self::rows);
        Some(LayerDef { name: name.unwrap_or_default(), rows: rows.unwrap_or_default() })
    }

    fn tile_legend(&mut self, node: JsonValue<'_, '_>, layout: TileLayout) -> Option<TileLegendDef> {
        let terrains = Terrain::ALL.map(|terrain| (terrain.name(), terrain));
        let fields = self.fields(node, LEGEND_KEYS)?;
        Some(TileLegendDef {
            area: self.optional(&fields, "area", Self::name),
            cost: self.optional(&fields, "cost", |r, n| r.number(n, &numbers::COST)),
            mark: self.optional(&fields, "mark", Self::name),
            walkable: self.optional(&fields, "walkable", Self::truth),
            terrain: self.optional(&fields, "terrain", |r, n| r.choice(n, &terrains)).unwrap_or_default(),
            tags: self.optional(&fields, "tags", Self::tags).unwrap_or_default(),
            one_way: self.optional(&fields, "oneWay", |r, n| r.one_way(n, layout)),
        })
    }

    fn one_way(&mut self, node: JsonValue<'_, '_>, layout: TileLayout) -> Option<Vec<Heading>> {
        let exits = layout.exits();
        let known: Vec<(&'static str, Heading)> =
            HEADINGS.iter().filter(|(_, heading)| exits.contains(&Some(*heading))).copied().collect();
        if node.text.starts_with('[') {
            self.list(node, known.len(), |r, n| r.choice(n, &known))
        } else {
            self.choice(node, &known).map(|heading| vec![heading])
        }
    }

    fn link(&mut self, node: JsonValue<'_, '_>) -> Option<LinkDef> {
        let fields = self.fields(node, &["from", "to", "bothWays", "cost"])?;
        let from = self.required(&fields, "from", Self::link_end);
        let to = self.required(&fields, "to", Self::link_end);
        let both_ways = self.optional(&fields, "bothWays", Self::truth).unwrap_or(true);
        let cost = self.optional(&fields, "cost", |r, n| r.number(n, &numbers::LINK_COST));
        Some(LinkDef {
            from: from.unwrap_or_default(),
            to: to.unwrap_or_default(),
            both_ways,
            cost_m: cost.unwrap_or(numbers::LINK_COST.default),
            spot: Located::new((), self.span(node)),
        })
    }

    fn link_end(&mut self, node: JsonValue<'_, '_>) -> Option<LinkEnd> {
        let fields = self.fields(node, &["layer", "position"])?;
        let layer = self.required(&fields, "layer", Self::name);
        let position = self.required(&fields, "position", |r, n| {
            r.position(n).map(|position| Located::new(position, r.span(n)))
        });
        Some(LinkEnd { layer: layer.unwrap_or_default(), position: position.unwrap_or_default() })
    }
}

/// The tiles of a map.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TileCells {
    /// Where they lie.
    pub frame: MapFrame,
    /// What characters mean: blocked and open ground first, then the legend in its order.
    pub meanings: Vec<TileMeaning>,
    /// For each layer which meaning each tile has: `row * width + column`.
    pub layers: Vec<Vec<u16>>,
    /// Names of the areas, where they are first named, and the tiles they reach over.
    pub areas: Vec<AsciiArea>,
    /// Marks of the legend, the layer and the middle of their tile.
    pub marks: Vec<TileMark>,
}

impl TileCells {
    /// The number of the meaning of blocked ground.
    pub(crate) const BLOCKED: u16 = 0;
    /// The number of the meaning of open ground.
    const OPEN: u16 = 1;
}

/// A mark drawn on a tile map.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TileMark {
    pub name: Located<String>,
    pub pointer: String,
    pub layer: u8,
    pub point: Point,
}

/// What a character of a tile map means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TileMeaning {
    pub tile: Tile,
    /// 0 for none, else the number of the area plus one.
    pub area: u16,
    /// The ways in which alone the tile may be left.
    pub one_way: Option<Vec<Heading>>,
}

/// The tiles of a map. None after an error in its rows.
pub(crate) fn lay_out(findings: &mut Findings, def: &TilesDef) -> Option<TileCells> {
    let drawings: Vec<Drawing<'_>> = def.layers.iter().enumerate().map(drawing).collect();
    let (width, depth) = size(findings, def, &drawings)?;
    let frame = match def.frame(width as u32, depth as u32) {
        Ok(frame) => frame,
        Err(error) => {
            findings.error(|| misfit(def, &error));
            return None;
        }
    };
    let mut cells = TileCells { frame, ..TileCells::default() };
    let known = meanings(def, &mut cells);
    let mut drawn: Vec<Option<(u8, Point)>> = vec![None; def.legend.len()];
    let mut sound = true;
    for (layer, drawing) in drawings.iter().enumerate() {
        let mut tiles = Vec::with_capacity(width * depth);
        sound &= drawing.read(findings, (width, &known), |findings, number: u16, x, z| {
            tiles.push(number);
            let at = (layer, x, z);
            note_area(&mut cells, (number, x, z));
            note_mark(findings, (def, frame), (&mut drawn, drawing), (number, at))
        });
        cells.layers.push(tiles);
    }
    place_marks(findings, def, &mut cells, &drawn);
    sound.then_some(cells)
}

/// Why there can be no map of so many tiles of that size.
fn misfit(def: &TilesDef, error: &CellMapError) -> PendingDiagnostic {
    let code = match error {
        CellMapError::TooBig { .. } => code::GRID_TOO_BIG,
        CellMapError::Coordinate { .. } => code::EXTENT,
        _ => code::RANGE,
    };
    PendingDiagnostic::new(code, def.span, error.to_string()).at("/navigation")
}

fn drawing((index, layer): (usize, &LayerDef)) -> Drawing<'_> {
    Drawing {
        rows: &layer.rows,
        words: format!("navigation.layers[{index}].rows"),
        pointer: format!("/navigation/layers/{index}/rows"),
    }
}

/// Columns and rows of every layer. None when a layer has none or another number, or when they are too many.
fn size(findings: &mut Findings, def: &TilesDef, drawings: &[Drawing<'_>]) -> Option<(usize, usize)> {
    let mut size = None;
    let mut sound = true;
    for (index, drawing) in drawings.iter().enumerate() {
        if def.layers[index].name.value.is_empty() && drawing.rows.is_empty() {
            sound = false; // What cannot be read was reported.
            continue;
        }
        let Some(width) = drawing.width(findings) else {
            sound = false;
            continue;
        };
        let own = (width, drawing.rows.len());
        let first = *size.get_or_insert(own);
        if own == first {
            continue;
        }
        sound = false;
        findings.error(|| {
            let message = format!(
                "{} has {} rows of {} characters, expected {} rows of {} as on the first layer",
                drawing.words, own.1, own.0, first.1, first.0
            );
            PendingDiagnostic::new(code::ROWS, drawing.rows[0].span, message).at(drawing.pointer.as_str())
        });
    }
    let (width, depth) = size.filter(|_| sound)?;
    let tiles = width as u64 * depth as u64 * drawings.len() as u64;
    if tiles <= CELLS_MAX {
        return Some((width, depth));
    }
    findings.error(|| {
        let message = format!("the layers have {tiles} tiles together, the limit is {CELLS_MAX}");
        PendingDiagnostic::new(code::GRID_TOO_BIG, def.span, message).at("/navigation/layers")
    });
    None
}

/// Fills in what characters mean, and gives the number of the meaning of each, sorted.
fn meanings(def: &TilesDef, cells: &mut TileCells) -> Vec<(char, u16)> {
    let plain =
        |navigable| TileMeaning { tile: Tile { navigable, ..Tile::default() }, area: 0, one_way: None };
    cells.meanings = vec![plain(false), plain(true)];
    let mut known = vec![('#', TileCells::BLOCKED), ('.', TileCells::OPEN)];
    for (character, legend) in &def.legend {
        let area = legend.area.as_ref().map_or(0, |name| area_number(cells, character.value, name));
        // Bounded: a file holds fewer different characters than there are numbers.
        let Ok(number) = u16::try_from(cells.meanings.len()) else { continue };
        cells.meanings.push(TileMeaning { tile: tile(legend), area, one_way: legend.one_way.clone() });
        known.push((character.value, number));
    }
    known.sort_by_key(|(character, _)| *character);
    known
}

fn area_number(cells: &mut TileCells, character: char, name: &Located<String>) -> u16 {
    let known = cells.areas.iter().position(|area| area.name.value == name.value);
    let index = known.unwrap_or_else(|| {
        let pointer = format!("{}/area", legend_pointer(character));
        cells.areas.push(AsciiArea { name: name.clone(), pointer, bounds: Bounds::EMPTY, cells: 0 });
        cells.areas.len() - 1
    });
    // Bounded by the entries of the legend.
    (index + 1).min(usize::from(u16::MAX)) as u16
}

fn tile(legend: &TileLegendDef) -> Tile {
    let plain = Tile::of(legend.terrain);
    let mut tags = legend.tags.clone();
    tags.sort();
    tags.dedup();
    Tile {
        navigable: legend.walkable.unwrap_or(plain.navigable),
        cost: legend.cost.map_or(plain.cost, |cost| cost as f32),
        terrain: legend.terrain,
        tags,
    }
}

fn note_area(cells: &mut TileCells, (number, x, z): (u16, usize, usize)) {
    let frame = cells.frame;
    let area = usize::from(cells.meanings[usize::from(number)].area);
    let Some(area) = area.checked_sub(1).and_then(|index| cells.areas.get_mut(index)) else { return };
    let Some([middle_x, middle_z]) = frame.tile_centre([x as u32, z as u32]) else { return };
    let [half_x, half_z] = frame.tile_size_m().map(|size| 0.5 * size);
    area.cells += 1;
    area.bounds.include([middle_x - half_x, middle_z - half_z]);
    area.bounds.include([middle_x + half_x, middle_z + half_z]);
}

/// Counts a tile for its mark. False when the mark stands on the map already.
fn note_mark(
    findings: &mut Findings,
    (def, frame): (&TilesDef, MapFrame),
    (drawn, drawing): (&mut [Option<(u8, Point)>], &Drawing<'_>),
    (number, (layer, x, z)): (u16, (usize, usize, usize)),
) -> bool {
    let Some(entry) = usize::from(number).checked_sub(2) else { return true };
    if def.legend[entry].1.mark.is_none() {
        return true;
    }
    if drawn[entry].is_none() {
        drawn[entry] = frame.tile_centre([x as u32, z as u32]).map(|centre| (layer as u8, centre));
        return true;
    }
    let character = def.legend[entry].0.value;
    let span = drawing.character_span((x, z), character);
    findings.error(|| {
        let message = format!(
            "{}[{z}] has {character:?} again, expected one tile, because it is a mark",
            drawing.words
        );
        PendingDiagnostic::new(code::DUPLICATE_NAME, span, message).at(drawing.row_pointer(z))
    });
    false
}

fn place_marks(
    findings: &mut Findings,
    def: &TilesDef,
    cells: &mut TileCells,
    drawn: &[Option<(u8, Point)>],
) {
    for ((character, legend), place) in def.legend.iter().zip(drawn) {
        let Some(name) = &legend.mark else { continue };
        let pointer = format!("{}/mark", legend_pointer(character.value));
        match *place {
            Some((layer, point)) => cells.marks.push(TileMark { name: name.clone(), pointer, layer, point }),
            None => findings.error(|| {
                let message = format!(
                    "mark \"{}\" is nowhere on the map, expected {:?} in a row",
                    name.value, character.value
                );
                PendingDiagnostic::new(code::UNRESOLVED, name.span, message).at(pointer)
            }),
        }
    }
}
