//! Uniform grids of cells: what they are made from, their storage, and the kernels that search them.
//!
//! In: polygons or cells as authored, edits, queries. Out: `CellMap`, the one backend on a uniform grid.
//! Holds: a cell (x, z) of a map `width` cells wide has the id `z * width + x` everywhere.
//! Cells are squares, rectangles, diamonds or hexagons (`tiling`), all in one square array, told apart by the shape that bits carry.
//! Two halves: the kernels (`bits`, `layout`, `jump`, `weighted`, `tiles`, `lattice`, `hex`, `sides`, `sight`, `taut`) know walkable bits and factors alone,
//! for one plan with circles cut out of them (`overlay`); the map (`source`, `raster`, `edge`, `terrain`, `clearance`, `doors`, `standing`, `variant`, `map`) knows where they come from.

mod beside;
pub mod bits;
mod clearance;
mod doors;
mod edge;
mod exits;
mod footing;
mod gates;
mod hex;
pub mod jump;
mod landmarks;
pub(crate) mod lattice;
pub mod layout;
mod line;
pub mod map;
mod overlay;
mod plan;
mod random;
mod raster;
mod rooms;
pub(crate) mod sides;
pub mod sight;
pub mod source;
mod standing;
mod start;
mod taut;
mod terrain;
pub(crate) mod tiles;
mod tiling;
mod variant;
pub mod weighted;

pub use bits::Bits;
pub(crate) use footing::CellFooting;
pub use jump::Pace;
pub use landmarks::{Far, Landmarks};
pub(crate) use landmarks::{FarGoal, Flow};
pub use layout::{FACTOR_ONE, Layout, Neighbours, Stagger, Unit, fixed_factor};
pub use map::{CellMap, Hierarchy, Method};
pub(crate) use map::{Reached, View};
pub(crate) use plan::Plan;
pub use source::{
    AREAS_MAX, AreaShape, CELLS_MAX, CellArea, CellMapError, CellSource, Frame, GridSource, grid_frame,
};
pub use tiling::{Metric, Shape, TILE_RATIO_MAX, TileGrid, Tiling};
pub use weighted::{Extra, Ground};

#[cfg(test)]
mod tests;
