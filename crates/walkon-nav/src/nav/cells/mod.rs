//! Uniform grids of cells: their sources, their storage, and the kernels that search them.
//!
//! In: polygons or cells as authored, edits, queries. Out: `CellMap`, the one backend on a uniform grid.
//! Holds: a cell (x, z) of a map `width` cells wide has the id `z * width + x` everywhere. Cells are squares,
//! rectangles, diamonds or hexagons (`tiling`), all in one square array, told apart by the shape that bits
//! carry. Two halves: the kernels (`bits`, `layout`, `jump`, `weighted_ground`, `weighted_astar`,
//! `tile_astar`, `lattice`, `hex`, `bidirectional_flood`, `line_of_sight`, `string_pulling`) know walkable
//! bits and factors alone, for one plan with circles cut out of them (`agent_mask`); the map (`source`,
//! `raster`, `boundary_padding`, `terrain`, `clearance`, `doors`, `walkability`, `custom_costs`, `map`) knows
//! where they come from.

mod agent_mask;
mod alt_heuristic;
pub(crate) mod bidirectional_flood;
pub mod bits;
mod boundary_padding;
mod cell_directions;
mod clearance;
mod custom_costs;
mod doors;
mod even_flood;
mod even_landmarks;
mod fallback_goals;
mod far_ground;
mod gated_ground;
mod gates;
mod ground_query;
pub(crate) mod guess;
mod hex;
pub mod jump;
mod landmark_goal;
pub(crate) mod lattice;
pub mod layout;
mod line;
pub mod line_of_sight;
pub mod map;
mod plan;
mod priced_landmarks;
mod random;
mod raster;
mod reached;
pub(crate) mod search_marks;
mod sight;
mod smoothing;
pub mod source;
mod start;
mod string_pulling;
mod strong_components;
mod terrain;
pub(crate) mod tile_astar;
mod tiling;
mod view;
mod walkability;
pub mod weighted_astar;
mod weighted_ground;

pub use alt_heuristic::{AltHeuristic, CellLandmarks};
pub use bits::Bits;
pub(crate) use doors::DoorPlace;
pub(crate) use ground_query::CellGroundQuery;
pub use jump::SearchStrategy;
pub(crate) use landmark_goal::FarGoal;
pub use layout::{FACTOR_ONE, Layout, Neighbours, Stagger, Unit, fixed_factor};
pub(crate) use map::LegBounds;
pub use map::{CellMap, HierarchyUse, Method};
pub(crate) use plan::CellPlan;
pub(crate) use reached::ReachedCells;
pub use source::{
    AREAS_MAX, AreaShape, CELLS_MAX, CellArea, CellMapError, CellSource, GridSource, MapFrame, grid_frame,
};
pub use tiling::{CellShape, Metric, TILE_RATIO_MAX, TileGrid, Tiling};
pub(crate) use view::CellView;
pub use weighted_ground::{Extra, WeightedGround};

#[cfg(test)]
mod tests;
