//! The index of a cell on its map.
//!
//! Holds: plain data. Not here: places in the world (`cells/tiling`), rectangles of cells (`cell_rect`).

/// A cell by its column and row. With signed numbers it may lie outside the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell<N = u32> {
    /// Its column.
    pub x: N,
    /// Its row.
    pub z: N,
}
