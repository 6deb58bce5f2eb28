//! A rectangle of cells.
//!
//! Holds: plain data. Not here: the window of a map that was drawn again (`cells/raster`).

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellRect {
    pub(crate) first: (u32, u32),
    /// The cell after the last along each axis.
    pub(crate) end: (u32, u32),
}

impl CellRect {
    /// The smallest that holds two.
    pub(crate) fn union(self, other: Self) -> Self {
        let (a, b) = (self.first, other.first);
        let (c, d) = (self.end, other.end);
        Self { first: (a.0.min(b.0), a.1.min(b.1)), end: (c.0.max(d.0), c.1.max(d.1)) }
    }

    /// Cells within.
    pub(crate) fn area(self) -> u64 {
        u64::from(self.end.0 - self.first.0) * u64::from(self.end.1 - self.first.1)
    }

    /// How far a cell lies outside along each axis.
    #[inline]
    pub(crate) fn away(self, (x, z): (u32, u32)) -> (u32, u32) {
        let outside = |at: u32, first: u32, end: u32| {
            first.saturating_sub(at).max(at.saturating_add(1).saturating_sub(end))
        };
        (outside(x, self.first.0, self.end.0), outside(z, self.first.1, self.end.1))
    }
}
