//! Sizes and paddings of maps of cells.
//!
//! In: nothing. Out: [`CellSizes`], whose keys stand in every map of cells. Not here: the maps (`def`).

use super::numbers;
use super::object::object;

object! {
    /// Sizes and paddings of every map of cells, metres.
    pub struct CellSizes: Copy as "CellSizes" {
        /// Width and depth of a cell, metres.
        "cellSize" => cell_size_m: f64 [numbers::CELL_SIZE];
        /// Half-width of the bodies that the cells are cut for, metres.
        "agentRadius" => agent_radius_m: f64 [numbers::AGENT_RADIUS];
        /// Extra distance kept from obstacles, metres.
        "objectPadding" => object_padding_m: f64 [numbers::OBJECT_PADDING];
        /// Distance kept from the outer edge of the areas, metres.
        "boundaryPadding" => boundary_padding_m: f64 [numbers::BOUNDARY_PADDING];
        /// Height of the floor, metres.
        "floorY" => floor_y_m: f64 [numbers::FLOOR_Y];
    }
}
