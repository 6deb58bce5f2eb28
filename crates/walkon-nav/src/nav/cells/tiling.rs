//! Conversions between the tiles of an author, the cells of the array, and places in the world.
//!
//! In: a layout, the size of a tile, how many columns and rows. Out: conversions between tiles (column, row),
//! cells (x, z of the array) and places. Holds: every tile is one cell, cells
//! without a tile are never walkable; the centre of a tile lies in it, and the tile at its centre is the tile
//! itself; a point on a border belongs to one tile, the same every time. Method: tiles are the points of a
//! lattice. Squares and rectangles are stored as they are. Hexagons go by axial coordinates, and diamonds by
//! the two directions across their edges, so that a step is the same difference everywhere; the array is the
//! smallest around the sheared (hexagons) or turned (diamonds) map. The shape of the ground in cells follows
//! from the two steps of the lattice alone. Not here: which steps are allowed (`layout`), hexagons in lattice
//! coordinates (`hex`), screens (`base/geom`).

use crate::base::geom::{self, Point, Segment};
use crate::nav::cell::Cell;
use crate::nav::cells::hex;
use crate::nav::cells::layout::{Layout, Neighbours, OFFSETS, Stagger};

/// The most that one side of a tile may be of the other.
pub const TILE_RATIO_MAX: f64 = 20.0;

/// A map of tiles as its author sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileGrid {
    /// How tiles lie and which are neighbours.
    pub layout: Layout,
    /// Tiles in a row.
    pub columns: u32,
    /// Tiles in a column.
    pub rows: u32,
    /// Width (x) and depth (z) of the rectangle around a tile, metres. Hexagons have two sides along the
    /// depth (pointy) or the width (flat), half as long as it; where a map says otherwise, a depth of two
    /// thirds of `depth + side` keeps its rows.
    pub tile_m: [f64; 2],
    /// The corner with the smallest x and z of the rectangle around all tiles, metres.
    pub min: Point,
    /// Height of the floor, metres.
    pub floor_y_m: f64,
}

/// How the cells of a frame lie. `Default`: squares in rows, as many as the frame has cells, one for each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tiling {
    pub(super) layout: Layout,
    /// Columns and rows; of no meaning where every cell is a tile.
    pub(super) count: [u32; 2],
    pub(super) tile_m: [f64; 2],
    /// The cell of tile (0, 0).
    pub(super) first: [i64; 2],
    /// From the corner of the frame to where cells count from, metres.
    origin: Point,
    /// From a cell to the next in x, and in z, metres.
    steps: [Point; 2],
    /// From metres to cells, by rows.
    inverse: [Point; 2],
    metric: Metric,
    is_plain: bool,
}

impl Default for Tiling {
    fn default() -> Self {
        Self::SQUARES
    }
}

/// What differences in cells measure, in the unit of length of their map (`MapFrame::cell_size_m`).
/// `Default`: plain squares.
///
/// The square of the length of (dx, dz) is `along (dx + lean dz)^2 + across dz^2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    along: f64,
    lean: f64,
    across: f64,
}

impl Default for Metric {
    fn default() -> Self {
        Self::SQUARES
    }
}

impl Metric {
    /// Of plain squares.
    const SQUARES: Self = Self { along: 1.0, lean: 0.0, across: 1.0 };

    /// Of a lattice with these steps in x and z, metres, in lengths of `unit_m`.
    fn of([east, south]: [Point; 2], unit_m: f64) -> Self {
        let product = |a: Point, b: Point| (a[0] * b[0] + a[1] * b[1]) / (unit_m * unit_m);
        let along = product(east, east);
        let lean = product(east, south) / along;
        let across = product(south, south) - lean * lean * along;
        let close = |value: f64, to: f64| (value - to).abs() < 1e-12;
        let metric = Self { along, lean, across };
        // Turned squares measure as squares do, to the last bit.
        if close(along, 1.0) && close(lean, 0.0) && close(across, 1.0) { Self::default() } else { metric }
    }

    /// The square of the length of a difference in cells.
    #[must_use]
    #[inline(always)]
    pub fn length_sq(self, dx: f64, dz: f64) -> f64 {
        let dx = dx + self.lean * dz;
        self.along * (dx * dx) + self.across * (dz * dz)
    }

    /// How far the nearest point of a row lies in x from the one that is at the same x: a row `dz` away is
    /// nearest at `-lean dz`.
    #[must_use]
    #[inline(always)]
    pub fn lean(self) -> f64 {
        self.lean
    }

    /// The square of the length of a step in x.
    #[must_use]
    #[inline(always)]
    pub fn along(self) -> f64 {
        self.along
    }

    /// The square of the distance between one row and the next.
    #[must_use]
    #[inline(always)]
    pub fn across(self) -> f64 {
        self.across
    }

    /// A point in cells, in the plane and in the unit of length of the map, turned so that rows run along the
    /// first axis.
    #[must_use]
    pub fn flat(self, [x, z]: Point) -> Point {
        // Plain squares to the last bit.
        if self == Self::SQUARES {
            return [x, z];
        }
        [self.along.sqrt() * (x + self.lean * z), self.across.sqrt() * z]
    }

    /// Half the sides of the rectangle in x and z around a disc.
    #[must_use]
    pub fn reach(self, radius: f64) -> [f64; 2] {
        let rows = radius / self.across.sqrt();
        // The most of x over the disc, by the other diagonal of the form.
        let whole = self.lean * self.lean * self.along + self.across;
        [radius * (whole / (self.along * self.across)).sqrt(), rows]
    }
}

/// The corners of a square cell from its centre.
const SQUARE: [Point; 4] = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];

/// What kernels know of how cells lie. `Default`: plain squares with eight neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellShape {
    /// Which of the eight cells around one are its neighbours.
    pub neighbours: Neighbours,
    /// What differences in cells measure.
    pub metric: Metric,
}

impl CellShape {
    /// Whether cells are squares with eight neighbours.
    #[inline(always)]
    pub(crate) fn is_plain(self) -> bool {
        self.neighbours == Neighbours::Eight && self.metric == Metric::SQUARES
    }

    /// Whether cells are hexagons.
    #[inline(always)]
    pub(crate) fn is_hexagonal(self) -> bool {
        self.neighbours == Neighbours::Six
    }

    /// The corners of a cell from its centre, in cells, clockwise seen from above.
    pub(crate) fn corners(self) -> &'static [Point] {
        if self.is_hexagonal() { &hex::CORNERS } else { &SQUARE }
    }

    /// How far in x and z from a point the cells may count that a disc around it reaches into: half the sides
    /// of a rectangle, so that rounding its edges down names them.
    pub(crate) fn reach(self, radius: f64) -> [f64; 2] {
        if self.is_plain() {
            return [radius; 2];
        }
        // Hexagons reach beyond their square by a sixth.
        let beyond = if self.is_hexagonal() { 0.17 } else { 0.0 };
        self.metric.reach(radius).map(|reach| reach + beyond)
    }

    /// The longest of the differences between cells side by side or corner to corner, in the unit of length
    /// of the map.
    pub(crate) fn longest_step(self) -> f64 {
        let steps = OFFSETS.map(|(dx, dz)| self.metric.length_sq(f64::from(dx), f64::from(dz)));
        steps.into_iter().fold(0.0, f64::max).sqrt()
    }

    /// More than any two points of a cell are apart, in the unit of length of the map.
    pub(crate) fn width(self) -> f64 {
        let from_centre = self.corners().iter().map(|&[x, z]| self.metric.length_sq(x, z));
        from_centre.fold(0.0, f64::max).sqrt() * 2.0 + 0.01
    }

    /// From a point in cells to the nearest of a cell, squared, in the unit of length of the map; 0 within
    /// it.
    pub(crate) fn away_sq(self, point: Point, Cell { x, z }: Cell<i64>) -> f64 {
        let centre = [x as f64 + 0.5 - point[0], z as f64 + 0.5 - point[1]];
        let corners = self.corners();
        let corner = |at: usize| {
            let [dx, dz] = corners[at % corners.len()];
            self.metric.flat([centre[0] + dx, centre[1] + dz])
        };
        let edges = || (0..corners.len()).map(|at| Segment { from: corner(at), to: corner(at + 1) });
        // Clockwise round, so that what lies within is to the same side of all edges.
        if edges().all(|Segment { from: a, to: b }| geom::cross(a, b, [0.0; 2]) >= 0.0) {
            return 0.0;
        }
        edges()
            .map(|Segment { from: a, to: b }| geom::segment_distance_sq([0.0; 2], a, b))
            .fold(f64::INFINITY, f64::min)
    }
}

impl TileGrid {
    /// The cell of tile (0, 0), and the width and depth of the smallest array that holds all tiles.
    pub(super) fn array(&self) -> ([i64; 2], [i64; 2]) {
        if self.columns == 0 || self.rows == 0 {
            return ([0; 2], [0; 2]);
        }
        let corners = [0, self.columns - 1].into_iter().flat_map(|x| [0, self.rows - 1].map(|z| [x, z]));
        // Steps from row to row and column to column never turn back, so the corners are the extremes.
        let (mut low, mut high) = ([i64::MAX; 2], [i64::MIN; 2]);
        for corner in corners {
            let at = lattice(self.layout, corner.map(i64::from));
            for axis in 0..2 {
                (low[axis], high[axis]) = (low[axis].min(at[axis]), high[axis].max(at[axis]));
            }
        }
        (low.map(|low| -low), [0, 1].map(|axis| high[axis] - low[axis] + 1))
    }
}

/// What the tiles of a line are moved by, in half tiles: those of a line with an odd number, against the
/// others.
fn shift(index: Stagger, line: i64) -> i64 {
    let odd = line & 1;
    if index == Stagger::Odd { odd } else { -odd }
}

/// The lattice point of a tile, counted from that of tile (0, 0).
pub(super) fn lattice(layout: Layout, [column, row]: [i64; 2]) -> [i64; 2] {
    match layout {
        Layout::Square8 | Layout::Square4 => [column, row],
        Layout::HexPointy(index) => [column + (shift(index, row) - row) / 2, row],
        Layout::HexFlat(index) => [column, row + (shift(index, column) - column) / 2],
        Layout::StaggeredRows(index) => {
            let shift = shift(index, row);
            [column + (row + shift) / 2, (row - shift) / 2 - column]
        }
        Layout::StaggeredColumns(index) => {
            let shift = shift(index, column);
            [row + (shift + column) / 2, row + (shift - column) / 2]
        }
    }
}

/// The tile of a lattice point; the way back from [`lattice`].
pub(super) fn tile(layout: Layout, [x, z]: [i64; 2]) -> [i64; 2] {
    match layout {
        Layout::Square8 | Layout::Square4 => [x, z],
        Layout::HexPointy(index) => [x - (shift(index, z) - z) / 2, z],
        Layout::HexFlat(index) => [x, z - (shift(index, x) - x) / 2],
        Layout::StaggeredRows(index) => {
            let row = x + z;
            [x - (row + shift(index, row)) / 2, row]
        }
        Layout::StaggeredColumns(index) => {
            let column = x - z;
            [column, x - (shift(index, column) + column) / 2]
        }
    }
}

impl Tiling {
    /// Plain squares in rows, each a tile.
    pub const SQUARES: Self = Self {
        layout: Layout::Square8,
        count: [0; 2],
        tile_m: [0.0; 2],
        first: [0; 2],
        origin: [0.0; 2],
        steps: [[1.0, 0.0], [0.0, 1.0]],
        inverse: [[1.0, 0.0], [0.0, 1.0]],
        metric: Metric::SQUARES,
        is_plain: true,
    };

    /// Of a grid, with the cell of its first tile; and the unit of length of its cells, metres.
    pub(super) fn of(grid: &TileGrid, first: [i64; 2]) -> (Self, f64) {
        let [width, depth] = grid.tile_m;
        if grid.layout == Layout::Square8 && width == depth {
            return (Self::default(), width);
        }
        let half = [width / 2.0, depth / 2.0];
        let (steps, unit_m) = match grid.layout {
            Layout::Square8 | Layout::Square4 => ([[width, 0.0], [0.0, depth]], width),
            Layout::HexPointy(_) => ([[width, 0.0], [half[0], 0.75 * depth]], width),
            Layout::HexFlat(_) => ([[0.75 * width, half[1]], [0.0, depth]], depth),
            Layout::StaggeredRows(_) | Layout::StaggeredColumns(_) => {
                let side = libm::sqrt(half[0] * half[0] + half[1] * half[1]);
                ([half, [-half[0], half[1]]], side)
            }
        };
        // Where lines with an even number are the ones moved, the first tile lies half a tile further on.
        let moved = match grid.layout {
            Layout::HexPointy(Stagger::Even) | Layout::StaggeredRows(Stagger::Even) => [half[0], 0.0],
            Layout::HexFlat(Stagger::Even) | Layout::StaggeredColumns(Stagger::Even) => [0.0, half[1]],
            _ => [0.0; 2],
        };
        let [east, south] = steps;
        let before = first.map(|first| first as f64 + 0.5);
        let origin =
            [0, 1].map(|axis| half[axis] + moved[axis] - before[0] * east[axis] - before[1] * south[axis]);
        let area = east[0] * south[1] - east[1] * south[0];
        let inverse = [[south[1] / area, -south[0] / area], [-east[1] / area, east[0] / area]];
        let count = [grid.columns, grid.rows];
        let metric = Metric::of(steps, unit_m);
        let (layout, tile_m) = (grid.layout, grid.tile_m);
        let tiling = Self { layout, count, tile_m, first, origin, steps, inverse, metric, is_plain: false };
        (tiling, unit_m)
    }

    /// Whether cells are squares of the map's unit of length, in rows from its corner on.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// What kernels know of how cells lie.
    pub(crate) fn shape(&self) -> CellShape {
        CellShape { neighbours: self.neighbours(), metric: self.metric }
    }

    /// Which cells around one are its neighbours.
    pub(crate) fn neighbours(&self) -> Neighbours {
        self.layout.neighbours()
    }

    /// A place in metres from the corner of the frame, in cells.
    pub(crate) fn cells_of(&self, [x, z]: Point) -> Point {
        let (x, z) = (x - self.origin[0], z - self.origin[1]);
        self.inverse.map(|row| row[0] * x + row[1] * z)
    }

    /// The way back.
    pub(crate) fn world_of(&self, [x, z]: Point) -> Point {
        let [east, south] = self.steps;
        [0, 1].map(|axis| self.origin[axis] + x * east[axis] + z * south[axis])
    }

    /// Width and depth of the rectangle around all tiles, metres.
    pub(super) fn size_m(&self) -> Point {
        let [columns, rows] = self.count.map(f64::from);
        let [width, depth] = self.tile_m;
        let half = |lines: f64, index: Stagger| if lines > 1.0 || index == Stagger::Even { 0.5 } else { 0.0 };
        let tiles = match self.layout {
            _ if columns == 0.0 || rows == 0.0 => [0.0; 2],
            Layout::Square8 | Layout::Square4 => [columns, rows],
            Layout::HexPointy(index) => [columns + half(rows, index), 0.75 * rows + 0.25],
            Layout::HexFlat(index) => [0.75 * columns + 0.25, rows + half(columns, index)],
            Layout::StaggeredRows(index) => [columns + half(rows, index), 0.5 * rows + 0.5],
            Layout::StaggeredColumns(index) => [0.5 * columns + 0.5, rows + half(columns, index)],
        };
        [tiles[0] * width, tiles[1] * depth]
    }
}

#[cfg(test)]
mod tests;
