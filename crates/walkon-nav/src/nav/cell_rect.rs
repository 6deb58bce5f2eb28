//! A rectangle of cells.
//!
//! Holds: plain data. Not here: the window of a map that was drawn again (`cells/raster`).

use crate::nav::cell::Cell;

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellRect {
    pub(crate) first: Cell,
    /// The cell after the last along each axis.
    pub(crate) end: Cell,
}

impl CellRect {
    /// The smallest that holds two.
    pub(crate) fn union(self, other: Self) -> Self {
        let (a, b) = (self.first, other.first);
        let (c, d) = (self.end, other.end);
        Self {
            first: Cell { x: a.x.min(b.x), z: a.z.min(b.z) },
            end: Cell { x: c.x.max(d.x), z: c.z.max(d.z) },
        }
    }

    /// Cells within.
    pub(crate) fn area(self) -> u64 {
        u64::from(self.end.x - self.first.x) * u64::from(self.end.z - self.first.z)
    }

    /// How far a cell lies outside along each axis.
    #[inline]
    pub(crate) fn away(self, Cell { x, z }: Cell) -> (u32, u32) {
        let outside = |at: u32, first: u32, end: u32| {
            first.saturating_sub(at).max(at.saturating_add(1).saturating_sub(end))
        };
        (outside(x, self.first.x, self.end.x), outside(z, self.first.z, self.end.z))
    }
}
