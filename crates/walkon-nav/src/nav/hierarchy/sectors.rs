//! Sectors with bounds of the ways over them.
//!
//! In: ground of one layout, then the parts of it that changed. Out: gates and costs between them
//! (`sector_grid`), bounds of ways by gates (`alt_heuristic`). Holds: bounds allow for all that changed.

use std::ops::Deref;

use crate::nav::cell_rect::CellRect;
use crate::nav::cells::WeightedGround;
use crate::nav::hierarchy::alt_heuristic::GateLandmarks;
use crate::nav::hierarchy::sector_grid::SectorGrid;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Sectors {
    grid: SectorGrid,
    far: GateLandmarks,
}

impl Deref for Sectors {
    type Target = SectorGrid;

    #[inline(always)]
    fn deref(&self) -> &SectorGrid {
        &self.grid
    }
}

impl Sectors {
    /// Cost: a flood of a sector for each of its gates, for all sectors, and nine floods of all gates.
    pub(crate) fn new(ground: &WeightedGround) -> Self {
        let grid = SectorGrid::new(ground);
        let far = GateLandmarks::new(&grid);
        Self { grid, far }
    }

    /// Memory taken.
    pub(crate) fn bytes(&self) -> usize {
        self.grid.bytes() + self.far.bytes()
    }

    /// Makes again what cells that changed have a part in: cells from `first` on, up to `end`, exclusive.
    pub(crate) fn redo(&mut self, ground: &WeightedGround, changed: &[CellRect]) {
        for sector in self.grid.redo(ground, changed) {
            self.far.forget(self.grid.part(sector));
        }
    }

    /// Bounds of the costs of ways.
    #[inline]
    pub(crate) fn far(&self) -> &GateLandmarks {
        &self.far
    }
}
