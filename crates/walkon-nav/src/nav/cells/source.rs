//! The source of a map of cells: polygons, or cells as authored; and the frame that both lie in.
//!
//! In: a level's areas, obstacles and paddings in metres, or rows of cells. Out: the frame, or a reason why
//! there can be no such map. Holds: limits are checked before anything is allocated; index arithmetic is
//! done here, once, in double precision. Not here: which cells are walkable (`raster`, `terrain`), files.

use glam::Vec3;

use crate::base::geom::{self, Bounds, Point};
use crate::nav::cell::Cell;
use crate::nav::cells::hex;
use crate::nav::cells::layout::{Layout, Neighbours};
use crate::nav::cells::tiling::{TILE_RATIO_MAX, TileGrid, Tiling, lattice, tile};
use crate::nav::edits::FACTOR_RANGE;

/// The most cells a map may have: 2^24, a square of 4096.
pub const CELLS_MAX: u64 = 16_777_216;
/// The most areas and obstacles a map may have together.
pub const AREAS_MAX: usize = 60_000;
/// Coordinates beyond this many metres are refused: cell indices would lose precision.
pub const COORDINATE_MAX_M: f64 = 1e6;
/// Cell sizes a map may have, metres.
pub const CELL_SIZE_RANGE_M: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// A polygon that is walkable while available, or an obstacle that blocks while available.
#[derive(Clone, Debug, PartialEq)]
pub struct AreaShape {
    /// Corners in order, world metres; either direction of turning, closed or open; even-odd where it crosses
    /// itself.
    pub polygon: Vec<Point>,
    /// Whether it is there at first.
    pub available: bool,
    /// Cost of a metre inside over a metre of plain ground, 0.1 to 100; of no meaning for obstacles.
    pub factor: f32,
}

/// A grid to be cut from polygons. `Default` has the seed's sizes and no areas.
#[derive(Clone, Debug, PartialEq)]
pub struct GridSource {
    /// Side of a cell, metres, 0.01 to 100.
    pub cell_size_m: f64,
    /// Half-width of a body that obstacles are kept away from, metres.
    pub agent_radius_m: f64,
    /// Extra distance kept from obstacles, metres.
    pub object_padding_m: f64,
    /// Distance kept from the outer edge of the union of available areas, metres.
    pub boundary_padding_m: f64,
    /// Height of the floor, metres.
    pub floor_y_m: f64,
    /// What can be walked on. An `AreaId` is the place in this list.
    pub areas: Vec<AreaShape>,
    /// What cannot. Their `AreaId`s follow those of the areas.
    pub obstacles: Vec<AreaShape>,
}

impl Default for GridSource {
    fn default() -> Self {
        Self {
            cell_size_m: 0.4,
            agent_radius_m: 0.45,
            object_padding_m: 0.25,
            boundary_padding_m: 0.0,
            floor_y_m: 0.0,
            areas: Vec::new(),
            obstacles: Vec::new(),
        }
    }
}

/// State of one area of a [`CellSource`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellArea {
    /// Whether its cells can be walked on at first.
    pub available: bool,
    /// Multiplies the factors of its cells, 0.1 to 100.
    pub factor: f32,
}

/// A grid given cell by cell: text grids, drawings in characters, tiles. The paddings are already in the
/// cells and are only kept to be written down again.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CellSource {
    /// Where the cells lie.
    pub frame: MapFrame,
    /// Half-width of a body that the cells already allow for, metres; wider ones need clearance.
    pub agent_radius_m: f64,
    /// As baked, metres.
    pub object_padding_m: f64,
    /// As baked, metres.
    pub boundary_padding_m: f64,
    /// Whether a cell can be walked on while all areas are available: `z * width + x`, one entry a cell.
    pub walkable: Vec<bool>,
    /// Cost of a metre in a cell over plain ground, one entry a cell; empty when all are 1.
    pub factor: Vec<f32>,
    /// 0 for no area, k for `AreaId(k - 1)`, one entry a cell; empty when there are no areas.
    pub area: Vec<u16>,
    /// The directions in which a cell may not be left, one entry a cell: bit d for direction d, clockwise
    /// from +x seen from above, so 0 is +x, 2 is +z. A step along a diagonal crosses a corner: it is
    /// forbidden where the diagonal itself is, or one of the four edges that meet there, in its direction.
    /// Hexagons have no such corners. Empty when all are open.
    pub leave: Vec<u8>,
    /// The areas.
    pub areas: Vec<CellArea>,
}

/// Where the cells of a map lie in the world. `Default` has no cells. A plain grid of squares is written down
/// field by field; [`TileGrid::frame`](crate::nav::TileGrid::frame) makes every other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapFrame {
    /// The smallest x of the map, metres: on a grid of squares the western edge of cells (0, z).
    pub min_x: f64,
    /// The smallest z of the map, metres: on a grid of squares the edge of cells (x, 0).
    pub min_z: f64,
    /// Side of a square cell, metres. On other layouts the length of a step across an edge (of two, the one
    /// along a row of rectangles or pointy hexagons, along a column of flat ones): the unit in which
    /// distances "in cells" are counted.
    pub cell_size_m: f64,
    /// Cells along x.
    pub width: u32,
    /// Cells along z.
    pub depth: u32,
    /// Height of the floor, metres.
    pub floor_y_m: f64,
    /// How the cells lie; the default is a grid of squares.
    pub tiling: Tiling,
}

impl Default for MapFrame {
    fn default() -> Self {
        let tiling = Tiling::default();
        Self { min_x: 0.0, min_z: 0.0, cell_size_m: 0.4, width: 0, depth: 0, floor_y_m: 0.0, tiling }
    }
}

impl MapFrame {
    /// Number of cells; the largest number where there are more than can be counted.
    #[must_use]
    #[inline]
    pub fn cell_count(&self) -> u32 {
        self.width.saturating_mul(self.depth)
    }

    /// The cell that holds a point, also beyond the map.
    #[must_use]
    #[inline]
    pub fn cell_at(&self, point: Point) -> (i64, i64) {
        let Cell { x, z } = self.cell_around(self.to_cells(point));
        (x, z)
    }

    /// The cell that holds a point given in cells.
    #[inline(always)]
    pub(crate) fn cell_around(&self, [x, z]: Point) -> Cell<i64> {
        if self.tiling.neighbours() == Neighbours::Six {
            return hex::cell_at([x, z]);
        }
        // The cast saturates, far beyond any map.
        Cell { x: geom::floor(x), z: geom::floor(z) }
    }

    /// The cell of the map that holds a point; None beyond it.
    #[must_use]
    #[inline]
    pub fn cell_in(&self, point: Point) -> Option<(u32, u32)> {
        self.cell_holding(point).map(|Cell { x, z }| (x, z))
    }

    #[inline]
    pub(crate) fn cell_holding(&self, point: Point) -> Option<Cell> {
        let Cell { x, z } = self.cell_around(self.to_cells(point));
        let inside = (0..i64::from(self.width)).contains(&x) && (0..i64::from(self.depth)).contains(&z);
        inside.then_some(Cell { x: x as u32, z: z as u32 })
    }

    /// A point in cells: cell (x, z) spans x to x + 1 and z to z + 1, or is the hexagon around the middle of
    /// that.
    #[must_use]
    #[inline]
    pub fn to_cells(&self, point: Point) -> Point {
        if !self.tiling.is_plain() {
            return self.tiling.cells_of([point[0] - self.min_x, point[1] - self.min_z]);
        }
        [(point[0] - self.min_x) / self.cell_size_m, (point[1] - self.min_z) / self.cell_size_m]
    }

    /// A point given in cells, in world metres.
    #[must_use]
    #[inline]
    pub fn to_world(&self, cells: Point) -> Point {
        if !self.tiling.is_plain() {
            let [x, z] = self.tiling.world_of(cells);
            return [self.min_x + x, self.min_z + z];
        }
        [self.min_x + cells[0] * self.cell_size_m, self.min_z + cells[1] * self.cell_size_m]
    }

    /// The middle of a cell, world metres.
    #[must_use]
    pub fn centre(&self, x: u32, z: u32) -> Point {
        self.to_world([f64::from(x) + 0.5, f64::from(z) + 0.5])
    }

    /// A point of the ground plane on the floor.
    #[must_use]
    #[inline]
    pub fn on_floor(&self, point: Point) -> Vec3 {
        geom::raise(point, self.floor_y_m)
    }

    /// The rectangle around all tiles, world metres: on a grid of squares that of all cells.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        if !self.tiling.is_plain() {
            return self.tiles_bounds();
        }
        let max = self.to_world([f64::from(self.width), f64::from(self.depth)]);
        Bounds { min: [self.min_x, self.min_z], max }
    }

    pub(crate) fn check(&self) -> Result<(), CellMapError> {
        check_cell_size(self.cell_size_m)?;
        let cells = f64::from(self.width) * f64::from(self.depth);
        if cells > CELLS_MAX as f64 {
            return Err(CellMapError::TooBig { cells });
        }
        let bounds = self.bounds();
        for value in [bounds.min[0], bounds.min[1], bounds.max[0], bounds.max[1], self.floor_y_m] {
            check_coordinate(value)?;
        }
        Ok(())
    }
}

impl MapFrame {
    /// How the tiles lie.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.tiling.layout
    }

    /// Width and depth of the rectangle around a tile, metres.
    #[must_use]
    pub fn tile_size_m(&self) -> [f64; 2] {
        if self.tiling.is_plain() { [self.cell_size_m; 2] } else { self.tiling.tile_m }
    }

    /// Columns and rows of tiles, as the author counts.
    #[must_use]
    pub fn tile_count(&self) -> [u32; 2] {
        if self.tiling.is_plain() { [self.width, self.depth] } else { self.tiling.count }
    }

    /// The cell of a tile (column, row); None beyond the map.
    #[must_use]
    pub fn cell_of_tile(&self, [column, row]: [u32; 2]) -> Option<(u32, u32)> {
        let [columns, rows] = self.tile_count();
        if column >= columns || row >= rows {
            return None;
        }
        let at = lattice(self.tiling.layout, [column.into(), row.into()]);
        let [x, z] = [0, 1].map(|axis| at[axis] + self.tiling.first[axis]);
        Some((x as u32, z as u32))
    }

    /// The tile (column, row) of a cell; None beyond the map and for cells without a tile, which hexagons and
    /// diamonds have.
    #[must_use]
    pub fn tile_of_cell(&self, x: u32, z: u32) -> Option<[u32; 2]> {
        let [first_x, first_z] = self.tiling.first;
        let tile = tile(self.tiling.layout, [i64::from(x) - first_x, i64::from(z) - first_z]);
        let count = self.tile_count();
        let inside = (0..2).all(|axis| (0..i64::from(count[axis])).contains(&tile[axis]));
        inside.then(|| tile.map(|value| value as u32))
    }

    /// Whether a cell of the map is a tile; those of hexagons and diamonds are not all.
    pub(crate) fn has_tile(&self, x: u32, z: u32) -> bool {
        self.tiling.is_plain() || self.tile_of_cell(x, z).is_some()
    }

    /// The middle of a tile (column, row), world metres; None beyond the map.
    #[must_use]
    pub fn tile_centre(&self, tile: [u32; 2]) -> Option<Point> {
        self.cell_of_tile(tile).map(|(x, z)| self.centre(x, z))
    }

    /// The tile (column, row) that holds a point; None beyond the map.
    #[must_use]
    pub fn tile_at(&self, point: Point) -> Option<[u32; 2]> {
        self.cell_in(point).and_then(|(x, z)| self.tile_of_cell(x, z))
    }

    /// Appends the corners of a cell in order, clockwise seen from above: four, or six of a hexagon, world
    /// metres.
    pub fn outline(&self, x: u32, z: u32, out: &mut Vec<Point>) {
        let corner = |[dx, dz]: &Point| self.to_world([f64::from(x) + 0.5 + dx, f64::from(z) + 0.5 + dz]);
        out.extend(self.tiling.shape().corners().iter().map(corner));
    }

    /// The rectangle around all tiles, world metres.
    pub(crate) fn tiles_bounds(&self) -> Bounds {
        let [width, depth] = self.tiling.size_m();
        Bounds { min: [self.min_x, self.min_z], max: [self.min_x + width, self.min_z + depth] }
    }
}

impl TileGrid {
    /// The frame in which its tiles are cells. Square tiles with eight neighbours give the plain frame of a
    /// grid.
    ///
    /// # Errors
    /// A size, a ratio or a number of cells beyond its limit. Hexagons and diamonds take more cells than
    /// tiles: half as many rows (or columns) are added to the columns (or rows), for diamonds to both.
    pub fn frame(&self) -> Result<MapFrame, CellMapError> {
        let [width_m, depth_m] = self.tile_m;
        for value in self.tile_m {
            if !CELL_SIZE_RANGE_M.contains(&value) {
                return Err(CellMapError::CellSize { value });
            }
        }
        let ratio = width_m / depth_m;
        if ratio.max(1.0 / ratio) > TILE_RATIO_MAX {
            return Err(CellMapError::TileRatio { width: width_m, depth: depth_m });
        }
        let tiles = f64::from(self.columns) * f64::from(self.rows);
        if tiles > CELLS_MAX as f64 {
            return Err(CellMapError::TooBig { cells: tiles });
        }
        let (first, size) = self.array();
        let cells = size[0] as f64 * size[1] as f64;
        if cells > CELLS_MAX as f64 {
            return Err(CellMapError::TooBig { cells });
        }
        let (tiling, cell_size_m) = Tiling::of(self, first);
        let frame = MapFrame {
            min_x: self.min[0],
            min_z: self.min[1],
            cell_size_m,
            width: size[0] as u32,
            depth: size[1] as u32,
            floor_y_m: self.floor_y_m,
            tiling,
        };
        frame.check()?;
        Ok(frame)
    }
}

/// Why there can be no map of cells from a source. Levels report these with a place in the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum CellMapError {
    #[error("cell size: {value} m, expected 0.01 to 100; choose a size near the smallest radius")]
    CellSize { value: f64 },
    #[error("tile size: {width} x {depth} m, expected one side at most 20 times the other")]
    TileRatio { width: f64, depth: f64 },
    #[error("grid: needs {cells} cells, limit 16777216; make the cells larger or the areas smaller")]
    TooBig { cells: f64 },
    #[error("coordinate: {value}, expected a finite number of metres within 1e6 of the origin")]
    Coordinate { value: f64 },
    #[error("{what}: {value} m, expected 0 to 1000")]
    Padding { what: &'static str, value: f64 },
    #[error("area {area}: cost factor {value}, expected 0.1 to 100")]
    AreaFactor { area: usize, value: f32 },
    #[error("cell {cell}: cost factor {value}, expected 0.1 to 100")]
    CellFactor { cell: usize, value: f32 },
    #[error("areas: {count} areas and obstacles, limit 60000")]
    TooManyAreas { count: usize },
    #[error("{what}: {found} entries, expected one for each of the {cells} cells")]
    Entries { what: &'static str, found: usize, cells: usize },
    #[error("cell {cell}: belongs to area {area}, expected 0 to {areas}")]
    UnknownArea { cell: usize, area: u16, areas: usize },
    #[error("boundary padding: the areas overlap in too many places; merge some or set it to 0")]
    TooManyOverlaps,
}

/// The frame of a grid: the bounds of all areas, available or not, so that no toggle moves a cell, and a
/// margin of two cells, `agent_radius_m` and `object_padding_m` on every side. Without areas it has no cells.
///
/// # Errors
/// A size, a coordinate or the number of cells beyond its limit; nothing has been allocated by then.
pub fn grid_frame(source: &GridSource) -> Result<MapFrame, CellMapError> {
    check_cell_size(source.cell_size_m)?;
    for (what, value) in [
        ("agent radius", source.agent_radius_m),
        ("object padding", source.object_padding_m),
        ("boundary padding", source.boundary_padding_m),
    ] {
        check_padding(what, value)?;
    }
    check_coordinate(source.floor_y_m)?;
    let count = source.areas.len() + source.obstacles.len();
    if count > AREAS_MAX {
        return Err(CellMapError::TooManyAreas { count });
    }
    for (area, shape) in source.areas.iter().chain(&source.obstacles).enumerate() {
        check_factor(area, shape.factor)?;
        shape.polygon.iter().flatten().try_for_each(|&value| check_coordinate(value))?;
    }
    let bounds = source.areas.iter().fold(Bounds::EMPTY, |all, area| all.union(Bounds::of(&area.polygon)));
    let empty =
        MapFrame { cell_size_m: source.cell_size_m, floor_y_m: source.floor_y_m, ..MapFrame::default() };
    if bounds.is_empty() {
        return Ok(empty);
    }
    let margin_m = 2.0 * source.cell_size_m + source.agent_radius_m + source.object_padding_m;
    let bounds = bounds.grown(margin_m);
    // Rounded up, but not by an error of rounding: 12 / 0.4 is 30 cells, not 31.
    let cells = |low: f64, high: f64| ((high - low) / source.cell_size_m - 1e-9).ceil().max(1.0);
    let (width, depth) = (cells(bounds.min[0], bounds.max[0]), cells(bounds.min[1], bounds.max[1]));
    if width * depth > CELLS_MAX as f64 {
        return Err(CellMapError::TooBig { cells: width * depth });
    }
    Ok(MapFrame {
        min_x: bounds.min[0],
        min_z: bounds.min[1],
        width: width as u32,
        depth: depth as u32,
        ..empty
    })
}

impl CellSource {
    /// Whether the parts fit together.
    pub(crate) fn check(&self) -> Result<(), CellMapError> {
        self.frame.check()?;
        for (what, value) in [
            ("agent radius", self.agent_radius_m),
            ("object padding", self.object_padding_m),
            ("boundary padding", self.boundary_padding_m),
        ] {
            check_padding(what, value)?;
        }
        if self.areas.len() > AREAS_MAX {
            return Err(CellMapError::TooManyAreas { count: self.areas.len() });
        }
        let cells = self.frame.cell_count() as usize;
        for (what, found, may_be_empty) in [
            ("walkable", self.walkable.len(), false),
            ("factor", self.factor.len(), true),
            ("area", self.area.len(), true),
            ("leave", self.leave.len(), true),
        ] {
            if found != cells && !(may_be_empty && found == 0) {
                return Err(CellMapError::Entries { what, found, cells });
            }
        }
        for (area, state) in self.areas.iter().enumerate() {
            check_factor(area, state.factor)?;
        }
        if let Some((cell, &value)) = self.factor.iter().enumerate().find(|(_, f)| !FACTOR_RANGE.contains(f))
        {
            return Err(CellMapError::CellFactor { cell, value });
        }
        let areas = self.areas.len();
        match self.area.iter().enumerate().find(|(_, area)| usize::from(**area) > areas) {
            Some((cell, &area)) => Err(CellMapError::UnknownArea { cell, area, areas }),
            None => Ok(()),
        }
    }
}

fn check_cell_size(value: f64) -> Result<(), CellMapError> {
    if CELL_SIZE_RANGE_M.contains(&value) { Ok(()) } else { Err(CellMapError::CellSize { value }) }
}

fn check_coordinate(value: f64) -> Result<(), CellMapError> {
    if value.abs() <= COORDINATE_MAX_M { Ok(()) } else { Err(CellMapError::Coordinate { value }) }
}

fn check_padding(what: &'static str, value: f64) -> Result<(), CellMapError> {
    if (0.0..=1000.0).contains(&value) { Ok(()) } else { Err(CellMapError::Padding { what, value }) }
}

fn check_factor(area: usize, value: f32) -> Result<(), CellMapError> {
    if FACTOR_RANGE.contains(&value) { Ok(()) } else { Err(CellMapError::AreaFactor { area, value }) }
}
