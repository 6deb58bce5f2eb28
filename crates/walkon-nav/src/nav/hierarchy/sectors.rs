//! Sectors with lower bounds of the ways over them, kept up to date with edits.
//!
//! In: ground of one layout, then the parts of it that changed, and turns to go on. Out: gates and costs
//! between them (`sector_grid`), bounds of ways by gates (`alt_heuristic`). Holds: bounds allow for all that
//! changed; which sectors wait follows from the edits and the turns alone.

use std::collections::BTreeSet;
use std::ops::Deref;

use crate::nav::cell_rect::CellRect;
use crate::nav::cells::WeightedGround;
use crate::nav::hierarchy::alt_heuristic::GateLandmarks;
use crate::nav::hierarchy::sector_grid::SectorGrid;

/// Most sectors that are made again at once: a sector takes up to two milliseconds.
const AT_ONCE_MAX: usize = 16;
/// Sectors that are made again in a turn. Four take eight milliseconds at worst.
const TURN: usize = 4;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Sectors {
    grid: SectorGrid,
    far: GateLandmarks,
    /// Sectors to be made again. While there are any, nothing holds of the others either.
    waiting: BTreeSet<u32>,
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
        Self { grid, far, waiting: BTreeSet::new() }
    }

    /// Sectors that all wait to be made, without bounds. Cost: nothing for a cell.
    pub(crate) fn in_turns(ground: &WeightedGround) -> Self {
        let grid = SectorGrid::unmade(ground);
        let waiting = (0..grid.all().len() as u32).collect();
        Self { grid, far: GateLandmarks::default(), waiting }
    }

    /// Whether none waits, so that ways may be searched for.
    pub(crate) fn are_ready(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Those that wait, in order.
    pub(crate) fn waiting(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.waiting.iter().copied()
    }

    /// Has just these wait: makes the others again, as a map that was saved had them.
    pub(crate) fn restore_waiting(&mut self, ground: &WeightedGround, waiting: &[u32]) {
        let count = self.grid.all().len() as u32;
        let waiting: BTreeSet<u32> = waiting.iter().copied().filter(|&sector| sector < count).collect();
        let done: Vec<u32> = self.waiting.difference(&waiting).copied().collect();
        self.make(ground, &done);
        self.waiting = waiting;
    }

    /// Memory taken.
    pub(crate) fn bytes(&self) -> usize {
        self.grid.bytes() + self.far.bytes()
    }

    /// Makes again what cells that changed have a part in, cells from `first` on, up to `end`, exclusive: at
    /// once where that is little, else in turns.
    pub(crate) fn redo(&mut self, ground: &WeightedGround, changed: &[CellRect]) {
        let touched = self.grid.touched(ground, changed);
        if self.waiting.is_empty() && touched.len() <= AT_ONCE_MAX {
            self.make(ground, &touched);
        } else {
            self.waiting.extend(touched);
        }
    }

    /// Makes again some of those that wait.
    pub(crate) fn take_turn(&mut self, ground: &WeightedGround) {
        let next: Vec<u32> = self.waiting.iter().copied().take(TURN).collect();
        self.make(ground, &next);
        next.iter().for_each(|sector| _ = self.waiting.remove(sector));
    }

    fn make(&mut self, ground: &WeightedGround, sectors: &[u32]) {
        for sector in self.grid.redo(ground, sectors) {
            self.far.forget(self.grid.part(sector));
        }
    }

    /// Bounds of the costs of ways.
    #[inline]
    pub(crate) fn far(&self) -> &GateLandmarks {
        &self.far
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::nav::cell::Cell;
    use crate::nav::cells::layout::Unit;
    use crate::nav::cells::{Bits, FACTOR_ONE};

    #[test]
    fn sectors_made_in_turns_are_those_made_at_once() {
        const SIZE: u32 = 300;
        let mut rng = Rng::stream(21, "turns");
        let unit = Unit::for_map(u64::from(SIZE * SIZE), 3 * FACTOR_ONE);
        let mut bits = Bits::new(SIZE, SIZE);
        let mut factor = vec![FACTOR_ONE; (SIZE * SIZE) as usize];
        (0..SIZE * SIZE).for_each(|cell| bits.set(cell % SIZE, cell / SIZE, rng.chance(0.9)));
        let ground = WeightedGround { factor: &factor, unit, ..WeightedGround::even(&bits) };
        let mut sectors = Sectors::new(&ground);
        let mut begun = Sectors::in_turns(&ground);
        assert!(sectors.are_ready() && !begun.are_ready());
        for round in 0..6 {
            // Now a few cells, now most of the map.
            let length = if round % 2 == 0 { 290 } else { 20 };
            let first = Cell { x: rng.below(10) as u32, z: rng.below(10) as u32 };
            let part = CellRect { first, end: Cell { x: first.x + length, z: first.z + length } };
            for (x, z) in
                (part.first.z..part.end.z).flat_map(|z| (part.first.x..part.end.x).map(move |x| (x, z)))
            {
                factor[(z * SIZE + x) as usize] = FACTOR_ONE + rng.below(4) as u16 * 100;
            }
            let ground = WeightedGround { factor: &factor, unit, ..WeightedGround::even(&bits) };
            sectors.redo(&ground, &[part]);
            assert_eq!(sectors.are_ready(), length == 20, "round {round}");
            begun.redo(&ground, &[part]);
            // A map that was saved on the way goes on as this one does.
            let mut loaded = Sectors::new(&ground);
            let mut turns = 0;
            while !sectors.are_ready() {
                sectors.take_turn(&ground);
                let waiting: Vec<u32> = sectors.waiting().collect();
                loaded.restore_waiting(&ground, &waiting);
                assert_eq!(loaded.waiting().collect::<Vec<_>>(), waiting);
                turns += 1;
            }
            assert!(turns <= 100usize.div_ceil(TURN));
            while !begun.are_ready() {
                begun.take_turn(&ground);
            }
            let new = Sectors::new(&ground);
            for made in [&sectors, &begun, &loaded] {
                assert!(made.all() == new.all(), "round {round}");
            }
        }
    }
}
