//! Jump point search over cells of one price.
//!
//! In: walkable bits. Out: a `Search` that found the cheapest way. Holds: costs equal those of the weighted
//! kernel. A node is expanded only in the directions that its arrival leaves worth trying; only ends of
//! straight scans enter the queue, while the turning points of diagonals are passed through. Where clutter is
//! high, single steps are cheaper: then the kernel of `cells/weighted_astar.rs` goes over the same ground.
//! Charge: 1 a pop, one more for every 16 words read beyond the first 16. Not here: factors, gates, one-way
//! cells. Source: Harabor and Grastien, jump points 2011, block scans and pruning 2014.

use crate::nav::cell::Cell;
use crate::nav::cells::Bits;
use crate::nav::cells::alt_heuristic::AltHeuristic;
use crate::nav::cells::bits::{Cells, ScanStop};
use crate::nav::cells::guess::Guess;
use crate::nav::cells::layout::{CANONICAL, LEGAL, OFFSETS};
use crate::nav::cells::weighted_astar::{Even, OpenCell, SearchField};
use crate::nav::cells::weighted_ground::WeightedGround;
use crate::nav::search::Search;
use crate::nav::search_state::{Ends, Kernel, SearchStep};

/// Words read that count as one expansion.
const BLOCKS_PER_UNIT: u32 = 16;

/// How a search over even cells gets on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchStrategy {
    /// By jump points: few expansions, each a number of scans. Best where there is open space.
    Leaps,
    /// By single steps in canonical order: best where clutter ends every scan after a few cells.
    Steps,
}

impl SearchStrategy {
    /// The faster strategy on a map. Cost: constant.
    ///
    /// Single steps win where scans are short and the reason is scattered single cells, not walls: more than
    /// one stop of a straight scan for every two walkable cells, and more than five for every two blocked
    /// ones. Measured on noise of 8 to 38 % (steps ahead by 1.1 to 2.8), on mazes with corridors of 1 to 16
    /// cells (behind by 1.6 to 40) and on every published map. Only the choice between two right answers
    /// depends on it.
    #[must_use]
    pub fn of(bits: &Bits) -> Self {
        let blocked = u64::from(bits.width()) * u64::from(bits.depth()) - bits.count();
        let scattered = bits.turns() * 2 > bits.count() && bits.turns() * 2 > 5 * blocked;
        if scattered { Self::Steps } else { Self::Leaps }
    }
}

impl Search {
    /// Begins a search over ground that has neither factors nor gates nor directions, with its landmarks. A
    /// start or goal that is not walkable exhausts it at once.
    pub fn begin_jump(&mut self, ground: &WeightedGround, strategy: SearchStrategy, ends: Ends) {
        self.begin_jump_over(ground.bits, ground, strategy, ends);
    }

    /// The same over what a plan may use of its cells.
    pub(crate) fn begin_jump_over(
        &mut self,
        cells: impl Cells,
        ground: &WeightedGround,
        strategy: SearchStrategy,
        ends: Ends,
    ) {
        let kernel = if strategy == SearchStrategy::Steps { Kernel::Steps } else { Kernel::Leaps };
        if self.begin_cells(kernel, cells, ground.unit, ends) && !self.go_straight(cells) {
            let start = ends.start.0;
            self.set_out(ground.far, LEGAL[cells.around(self.columns.split(start), start) as usize]);
        }
    }

    /// Ends a search at once whose goal lies at the end of an open diagonal and an open straight line:
    /// nothing is cheaper, and jumps would find the same way, after looking in all other directions;
    /// whether it did.
    fn go_straight(&mut self, cells: impl Cells) -> bool {
        let Cell { mut x, mut z } = self.columns.split(self.ends.start.0);
        let Cell { x: goal_x, z: goal_z } = self.goal_cell;
        let towards = |from: u32, to: u32| (i64::from(to) - i64::from(from)).signum() as i32;
        let cost = self.unit.octile(x.abs_diff(goal_x), z.abs_diff(goal_z));
        // Bounded by the cells between start and goal: every step leads nearer.
        while (x, z) != (goal_x, goal_z) {
            let step = (towards(x, goal_x), towards(z, goal_z));
            let around = cells.around(Cell { x, z }, z * cells.bits().width() + x);
            let is_legal = |direction: usize| LEGAL[around as usize] >> direction & 1 != 0;
            if !OFFSETS.iter().position(|offset| *offset == step).is_some_and(is_legal) {
                return false;
            }
            (x, z) = (x.wrapping_add_signed(step.0), z.wrapping_add_signed(step.1));
        }
        let start = self.ends.start.0;
        self.charge(start, 1);
        self.reach(cost, start);
        self.finish();
        true
    }

    /// Goes on with a search over such ground until it ends or has spent `allowance` expansions.
    pub fn step_jump(&mut self, ground: &WeightedGround, allowance: u32) -> SearchStep {
        self.step_jump_over(ground.bits, ground.far, allowance)
    }

    /// The same over what a plan may use of its cells.
    pub(crate) fn step_jump_over(
        &mut self,
        cells: impl Cells,
        far: Option<AltHeuristic<'_>>,
        allowance: u32,
    ) -> SearchStep {
        let (goal, octile) = (self.far, self.octile());
        match far.and_then(|far| far.even_guide(&goal, octile, self.unit.straight)) {
            Some(guess) => self.run_jump(SearchField { cells, guess }, allowance),
            None => self.run_jump(SearchField { cells, guess: octile }, allowance),
        }
    }

    fn run_jump(&mut self, field: SearchField<impl Cells, impl Guess>, allowance: u32) -> SearchStep {
        match self.kernel {
            Kernel::Steps => self.run_steps(field, Even(self.unit), allowance),
            _ => self.run_cells(field.guess, allowance, |search, from, id, left| {
                search.leap(&field, from, id, left)
            }),
        }
    }

    /// Expands a node by jumps.
    #[inline(always)]
    fn leap(
        &mut self,
        field: &SearchField<impl Cells, impl Guess>,
        from: OpenCell,
        id: u32,
        mut left: u32,
    ) -> u32 {
        let mut blocks = 0;
        while left != 0 {
            let direction = left.trailing_zeros();
            left &= left - 1;
            match direction {
                0 => self.scan::<0>(field, from, id, &mut blocks),
                1 => self.slant::<1, 0, 2>(field, from, id, &mut blocks),
                2 => self.scan::<2>(field, from, id, &mut blocks),
                3 => self.slant::<3, 4, 2>(field, from, id, &mut blocks),
                4 => self.scan::<4>(field, from, id, &mut blocks),
                5 => self.slant::<5, 4, 6>(field, from, id, &mut blocks),
                6 => self.scan::<6>(field, from, id, &mut blocks),
                _ => self.slant::<7, 0, 6>(field, from, id, &mut blocks),
            }
        }
        (blocks / BLOCKS_PER_UNIT).max(1)
    }

    /// Looks straight ahead from a place for the next cell where turning is worth it, or the goal.
    #[inline(always)]
    fn scan<const DIRECTION: usize>(
        &mut self,
        field: &SearchField<impl Cells, impl Guess>,
        from: OpenCell,
        parent: u32,
        blocks: &mut u32,
    ) {
        let cells = field.cells;
        let Cell { x: goal_x, z: goal_z } = self.goal_cell;
        let ScanStop { at: stop, is_open } = match DIRECTION {
            0 => cells.rise::<true>(from.z, from.x, blocks),
            2 => cells.rise::<false>(from.x, from.z, blocks),
            4 => cells.fall::<true>(from.z, from.x, blocks),
            _ => cells.fall::<false>(from.x, from.z, blocks),
        };
        let passed = match DIRECTION {
            0 => from.z == goal_z && from.x < goal_x && goal_x <= stop,
            2 => from.x == goal_x && from.z < goal_z && goal_z <= stop,
            // A stop before the first cell has wrapped around: nothing lies behind it.
            4 => from.z == goal_z && goal_x < from.x && stop.wrapping_add(1) <= goal_x + 1,
            _ => from.x == goal_x && goal_z < from.z && stop.wrapping_add(1) <= goal_z + 1,
        };
        if passed {
            let steps = from.x.abs_diff(goal_x) + from.z.abs_diff(goal_z);
            self.reach(from.g.saturating_add(steps.saturating_mul(self.unit.straight)), parent);
        } else if is_open {
            let (x, z) = if DIRECTION & 3 == 0 { (stop, from.z) } else { (from.x, stop) };
            let steps = from.x.abs_diff(x) + from.z.abs_diff(z);
            let id = z * cells.bits().width() + x;
            let g = from.g.saturating_add(steps.saturating_mul(self.unit.straight));
            self.relax(&field.guess, OpenCell { x, z, g }, id, parent, || {
                CANONICAL[DIRECTION][cells.around(Cell { x, z }, id) as usize]
            });
        }
    }

    /// Goes along a diagonal and looks both ways from every cell of it.
    #[inline(always)]
    fn slant<const DIRECTION: usize, const ALONG_X: usize, const ALONG_Z: usize>(
        &mut self,
        field: &SearchField<impl Cells, impl Guess>,
        from: OpenCell,
        parent: u32,
        blocks: &mut u32,
    ) {
        let cells = field.cells;
        let (dx, dz) = OFFSETS[DIRECTION];
        let stride = dx + dz * cells.bits().width() as i32;
        let (mut at, mut id) = (from, parent);
        let mut around = cells.around(Cell { x: at.x, z: at.z }, id);
        // Bounded by the edge of the map, around which nothing is walkable.
        while LEGAL[around as usize] >> DIRECTION & 1 != 0 {
            id = id.wrapping_add_signed(stride);
            at.x = at.x.wrapping_add_signed(dx);
            at.z = at.z.wrapping_add_signed(dz);
            at.g = at.g.saturating_add(self.unit.diagonal);
            if id == self.ends.goal.0 {
                self.reach(at.g, parent);
                return;
            }
            around = cells.around(Cell { x: at.x, z: at.z }, id);
            if around >> ALONG_X & 1 != 0 {
                self.scan::<ALONG_X>(field, at, parent, blocks);
            }
            if around >> ALONG_Z & 1 != 0 {
                self.scan::<ALONG_Z>(field, at, parent, blocks);
            }
        }
    }
}
