//! Tile maps: reads layers of characters and one legend into tiles, areas, marks and links.
//!
//! In: the `navigation` object of kind `tiles`; a [`TilesDef`]. Out: that definition, every default filled
//! in; its [`TileCells`], and findings for what is wrong with either. Holds: all layers are of one size,
//! checked before anything is allocated for their tiles; row 0 lies at the smallest z; areas are numbered in
//! the order of the legend, over all layers. Not here: whether names clash with others (`resolve`), the map
//! (`bake`).

use super::def::{LayerDef, TileLegendDef, TilesDef};
use super::diagnostic::{Findings, Located, PendingDiagnostic, code};
use super::drawing::{Drawing, DrawnArea, LegendAreas, placed_marks, set_sight};
use super::textgrid::CELLS_MAX;
use super::tile_layout::{Heading, StaggerAxis, StaggerIndex, TileLayout};
use crate::base::geom::Point;
use crate::base::ordered;
use crate::nav::{CellMapError, MapFrame, Stagger, TileGrid};
use crate::world::tiles::Tile;

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
            (TileLayout::Square4, _) => crate::nav::Layout::Square4,
            (TileLayout::Square8, _) => crate::nav::Layout::Square8,
            (TileLayout::Staggered, StaggerAxis::X) => crate::nav::Layout::StaggeredColumns(stagger),
            (TileLayout::Staggered, StaggerAxis::Z) => crate::nav::Layout::StaggeredRows(stagger),
            (TileLayout::HexPointy, _) => crate::nav::Layout::HexPointy(stagger),
            (TileLayout::HexFlat, _) => crate::nav::Layout::HexFlat(stagger),
        };
        let tile_m = [self.tile_width_m, self.tile_height_m];
        let (min, floor_y_m) = (self.origin, self.floor_y_m);
        TileGrid { layout, columns, rows, tile_m, min, floor_y_m }.frame()
    }

    /// Whether text grids can hold its layers: square tiles with eight neighbours.
    pub(crate) fn is_plain_grid(&self) -> bool {
        self.layout == TileLayout::Square8 && self.tile_width_m == self.tile_height_m
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
    pub areas: Vec<DrawnArea>,
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
    let drawings: Vec<Drawing<'_>> =
        def.layers.iter().enumerate().map(|(index, layer)| drawing(index, layer)).collect();
    let (width, depth) = size(findings, def, &drawings)?;
    let frame = match def.frame(width as u32, depth as u32) {
        Ok(frame) => frame,
        Err(error) => {
            findings.error(|| misfit(def, &error));
            return None;
        }
    };
    let mut cells = TileCells { frame, ..TileCells::default() };
    let known = meanings(findings, def, &mut cells);
    let mut marks = DrawnMarks { def, frame, places: vec![None; def.legend.len()] };
    let mut sound = true;
    for (layer, drawing) in drawings.iter().enumerate() {
        let mut tiles = Vec::with_capacity(width * depth);
        sound &= drawing.read(findings, width, &known, |findings, number: u16, x, z| {
            tiles.push(number);
            note_area(&mut cells, number, [x, z]);
            marks.note(findings, drawing, number, layer, [x, z])
        });
        cells.layers.push(tiles);
    }
    let marks =
        def.legend.iter().zip(marks.places).map(|((character, legend), at)| (character, &legend.mark, at));
    let marks = placed_marks(findings, marks).into_iter();
    cells.marks =
        marks.map(|(name, pointer, (layer, point))| TileMark { name, pointer, layer, point }).collect();
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

fn drawing(index: usize, layer: &LayerDef) -> Drawing<'_> {
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
fn meanings(findings: &mut Findings, def: &TilesDef, cells: &mut TileCells) -> Vec<(char, u16)> {
    let plain =
        |navigable| TileMeaning { tile: Tile { navigable, ..Tile::default() }, area: 0, one_way: None };
    cells.meanings = vec![plain(false), plain(true)];
    let mut known = vec![('#', TileCells::BLOCKED), ('.', TileCells::OPEN)];
    let mut areas = LegendAreas::default();
    for (character, legend) in &def.legend {
        let area = areas.number(findings, character.value, legend.area.as_ref());
        set_sight(findings, &mut areas.list, character, area, legend.blocks_sight);
        // Bounded: a file holds fewer different characters than there are numbers.
        let Ok(number) = u16::try_from(cells.meanings.len()) else { continue };
        cells.meanings.push(TileMeaning { tile: tile(legend), area, one_way: legend.one_way.clone() });
        known.push((character.value, number));
    }
    cells.areas = areas.list;
    ordered::sort_by_key(&mut known, |(character, _)| *character);
    known
}

fn tile(legend: &TileLegendDef) -> Tile {
    let plain = Tile::of(legend.terrain);
    let mut tags = legend.tags.clone();
    ordered::sort_by(&mut tags, Ord::cmp);
    tags.dedup();
    Tile {
        navigable: legend.walkable.unwrap_or(plain.navigable),
        cost: legend.cost.map_or(plain.cost, |cost| cost as f32),
        terrain: legend.terrain,
        tags,
    }
}

fn note_area(cells: &mut TileCells, number: u16, [x, z]: [usize; 2]) {
    let frame = cells.frame;
    let area = usize::from(cells.meanings[usize::from(number)].area);
    let Some(area) = area.checked_sub(1).and_then(|index| cells.areas.get_mut(index)) else { return };
    let Some([middle_x, middle_z]) = frame.tile_centre([x as u32, z as u32]) else { return };
    let [half_x, half_z] = frame.tile_size_m().map(|size| 0.5 * size);
    area.cells += 1;
    area.bounds.include([middle_x - half_x, middle_z - half_z]);
    area.bounds.include([middle_x + half_x, middle_z + half_z]);
}

/// The tiles that were drawn as marks so far.
struct DrawnMarks<'a> {
    def: &'a TilesDef,
    frame: MapFrame,
    /// By entry of the legend: the layer, and the middle of the tile.
    places: Vec<Option<(u8, Point)>>,
}

impl DrawnMarks<'_> {
    /// Counts a tile for its mark. False when the mark stands on the map already.
    fn note(
        &mut self,
        findings: &mut Findings,
        drawing: &Drawing<'_>,
        number: u16,
        layer: usize,
        [x, z]: [usize; 2],
    ) -> bool {
        let Some(entry) = usize::from(number).checked_sub(2) else { return true };
        let (character, legend) = &self.def.legend[entry];
        if legend.mark.is_none() {
            return true;
        }
        let place = &mut self.places[entry];
        if place.is_none() {
            *place = self.frame.tile_centre([x as u32, z as u32]).map(|centre| (layer as u8, centre));
            return true;
        }
        let character = character.value;
        findings.error(|| {
            let message = format!(
                "{}[{z}] has {character:?} again, expected one tile, because it is a mark",
                drawing.words
            );
            let span = drawing.character_span(x, z, character);
            PendingDiagnostic::new(code::DUPLICATE_NAME, span, message).at(drawing.row_pointer(z))
        });
        false
    }
}
