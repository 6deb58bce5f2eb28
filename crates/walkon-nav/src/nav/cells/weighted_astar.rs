//! A* over plain squares that all cost the same, on the bucket queue.
//!
//! In: walkable bits, a factor a cell, gates that cost extra to enter. Out: a `Search` that found the
//! cheapest way. Holds: a step costs its length times the factor of the cell it enters; entering a gate from
//! outside it adds the gate's own cost once; the heuristic is the octile distance at the cheapest factor in
//! use, so costs are optimal. Other layouts and ground of several factors go to `tile_astar`. A node is
//! expanded only in the directions that its arrival leaves worth trying: never back, where its parent gets
//! more cheaply; and where the cells beside it cost the same as the node, not sideways either, because a path
//! that takes its diagonals earlier gets there at no more cost. The optimal path that takes them earliest is
//! never cut. A cell reached at equal cost from another side is expanded in the directions that this adds.
//! Charge: 1 a pop. Not here: other ground (`tile_astar`), which cells belong to which gate, where the
//! factors come from. Source: canonical ordering, Sturtevant and Rabin 2016, confined to even ground as in
//! Carlson et al. 2023.

use crate::nav::cell::Cell;
use crate::nav::cells::alt_heuristic::AltHeuristic;
use crate::nav::cells::bits::Cells;
use crate::nav::cells::cell_directions::NEAR;
use crate::nav::cells::guess::{Guess, Octile};
use crate::nav::cells::layout::{CANONICAL, Columns, FORWARD, LEGAL, OFFSETS, StepKind, Unit};
use crate::nav::cells::weighted_ground::{Extra, WeightedGround};
use crate::nav::search::Search;
use crate::nav::search_state::{Ends, Kernel, NodeRecord, SearchStep};

/// What steps cost: one type each for even ground, the same with gates or directions, so that the common
/// cases pay for nothing they do not use.
pub(crate) trait StepRule: Copy {
    /// Whether all ground costs the same.
    const EVEN: bool;
    /// The cost of a step.
    fn cost(&self, from: usize, to: usize, kind: StepKind) -> u32;
    /// Whether the walkable cells beside one that was reached in some direction cost the same to enter as
    /// that one.
    fn is_even(&self, beside: Beside) -> bool;
    /// The directions worth going on in from a cell just reached.
    #[inline(always)]
    fn onward(&self, beside: Beside) -> u8 {
        let table = if self.is_even(beside) { &CANONICAL } else { &FORWARD };
        table[beside.direction][beside.around as usize]
    }
    /// Whether a diagonal step cuts the corner of a gate that it neither leaves nor enters: a closed door's,
    /// say.
    fn brushes(&self, _ends: [usize; 2], _sides: [usize; 2]) -> bool {
        false
    }
}

/// A cell just reached, what lies around it, and the direction of the last step.
#[derive(Clone, Copy)]
pub(crate) struct Beside {
    at: usize,
    around: u8,
    direction: usize,
    width: i32,
}

impl Beside {
    /// Whether the cells to its sides have the same value as the cell itself, so far as they are walkable:
    /// those abreast and ahead, and those behind, since a gate there could be brushed by the way round.
    #[inline(always)]
    fn alike_behind(self, values: &[u16]) -> bool {
        self.all([1, 2, 3, 5, 6, 7], values)
    }

    /// Whether cells some turns away from the direction of arrival have the value of the cell itself, or are
    /// blocked.
    #[inline(always)]
    fn all<const COUNT: usize>(self, turns: [usize; COUNT], values: &[u16]) -> bool {
        let value = values[self.at];
        turns.into_iter().all(|turn| {
            let side = (self.direction + turn) & 7;
            self.around >> side & 1 == 0 || values[self.cell(turn)] == value
        })
    }

    /// The cell some turns away from the direction of arrival.
    #[inline(always)]
    fn cell(self, turn: usize) -> usize {
        let (dx, dz) = OFFSETS[(self.direction + turn) & 7];
        self.at.wrapping_add_signed((dx + dz * self.width) as isize)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Even(pub(crate) Unit);

#[derive(Clone, Copy)]
struct GateSteps<'a, S>(S, Extra<'a>);

#[derive(Clone, Copy)]
struct Directed<'a, S>(S, &'a [u16]);

impl StepRule for Even {
    const EVEN: bool = true;

    #[inline(always)]
    fn cost(&self, _from: usize, _to: usize, kind: StepKind) -> u32 {
        match kind {
            StepKind::Straight => self.0.straight,
            StepKind::Diagonal => self.0.diagonal,
        }
    }

    #[inline(always)]
    fn is_even(&self, _beside: Beside) -> bool {
        true
    }
}

impl<S: StepRule> StepRule for GateSteps<'_, S> {
    const EVEN: bool = false;

    #[inline(always)]
    fn cost(&self, from: usize, to: usize, kind: StepKind) -> u32 {
        self.0.cost(from, to, kind).saturating_add(self.1.toll(from, to))
    }

    #[inline(always)]
    fn is_even(&self, beside: Beside) -> bool {
        beside.alike_behind(self.1.gate) && self.0.is_even(beside)
    }

    #[inline(always)]
    fn brushes(&self, ends: [usize; 2], sides: [usize; 2]) -> bool {
        let gate = self.1.gate;
        sides.into_iter().any(|side| gate[side] != 0 && ends.into_iter().all(|end| gate[end] != gate[side]))
    }
}

impl<S: StepRule> StepRule for Directed<'_, S> {
    const EVEN: bool = false;

    #[inline(always)]
    fn cost(&self, from: usize, to: usize, kind: StepKind) -> u32 {
        self.0.cost(from, to, kind)
    }

    #[inline(always)]
    fn is_even(&self, beside: Beside) -> bool {
        self.0.is_even(beside)
    }

    #[inline(always)]
    fn brushes(&self, ends: [usize; 2], sides: [usize; 2]) -> bool {
        self.0.brushes(ends, sides)
    }

    /// Near a cell that may not be left in every direction the way round that others are left to may be
    /// forbidden.
    #[inline(always)]
    fn onward(&self, beside: Beside) -> u8 {
        let exits = self.1[beside.at];
        match exits & NEAR {
            0 => self.0.onward(beside),
            _ => LEGAL[beside.around as usize] & !(exits as u8) & !(1 << (beside.direction ^ 4)),
        }
    }
}

/// A cell on the way, and what it cost to get there.
#[derive(Clone, Copy)]
pub(crate) struct OpenCell {
    pub(crate) x: u32,
    pub(crate) z: u32,
    pub(crate) g: u32,
}

/// What a search goes over, and what it guesses.
#[derive(Clone, Copy)]
pub(crate) struct SearchField<C, G> {
    pub(crate) cells: C,
    pub(crate) guess: G,
}

impl Search {
    /// Begins a search over cells: whether there is something to search for. A start or goal that is not
    /// walkable exhausts it at once.
    pub(crate) fn begin_cells(&mut self, kernel: Kernel, cells: impl Cells, unit: Unit, ends: Ends) -> bool {
        let bits = cells.bits();
        let count = u64::from(bits.width()) * u64::from(bits.depth());
        assert!(count <= 1 << 24, "cell maps hold 2^24 cells at most, this one {count}");
        self.begin(kernel, count as u32, ends);
        self.queue.reset(0, 0);
        if self.state == SearchStep::Exhausted {
            return false;
        }
        self.columns = Columns::new(bits.width());
        self.goal_cell = self.columns.split(ends.goal.0);
        self.unit = unit;
        let Cell { x, z } = self.columns.split(ends.start.0);
        if !cells.is_open(x, z) || !cells.is_open(self.goal_cell.x, self.goal_cell.z) {
            self.state = SearchStep::Exhausted;
        }
        self.state == SearchStep::Running
    }

    /// Sets out from the start in some directions, with what landmarks say of the goal.
    pub(crate) fn set_out(&mut self, far: Option<AltHeuristic<'_>>, directions: u8) {
        let (octile, step) = (self.octile(), self.unit.straight);
        self.far = far.map_or_else(Default::default, |far| far.goal(self.unit, octile.goal, step));
        let goal = self.far;
        match far.and_then(|far| far.even_guide(&goal, octile, step)) {
            Some(guide) => self.wait_at_start(guide, directions),
            None => self.wait_at_start(octile, directions),
        }
    }

    fn wait_at_start<G: Guess>(&mut self, guess: G, directions: u8) {
        let (start, directions) = (self.ends.start, u32::from(directions));
        let h = guess.to_go(self.columns.split(start.0), start.0);
        self.queue.reset(h, self.unit.straight.ilog2().saturating_sub(G::BUCKET_BITS));
        self.records[start.index()].stamp = self.generation << 8 | directions;
        self.queue.push(h, start.0 << 8 | directions);
    }

    /// The distance over open ground.
    #[inline(always)]
    pub(crate) fn octile(&self) -> Octile {
        Octile { unit: self.unit, goal: self.goal_cell }
    }

    /// Begins a search over weighted cells. A start or goal that is not walkable exhausts it at once.
    pub fn begin_weighted(&mut self, ground: &WeightedGround, ends: Ends) {
        self.begin_weighted_over(ground.bits, ground, ends);
    }

    /// The same over what a plan may use of its cells.
    pub(crate) fn begin_weighted_over(&mut self, cells: impl Cells, ground: &WeightedGround, ends: Ends) {
        if !ground.is_plain() {
            return self.begin_tiles(cells, ground, ends);
        }
        if self.begin_cells(Kernel::Steps, cells, ground.floor(), ends) {
            let start = ends.start;
            let legal = LEGAL[cells.around(self.columns.split(start.0), start.0) as usize];
            // One leaves it only where that is not forbidden.
            let forbidden = ground.exits.get(start.index()).map_or(0, |exits| *exits as u8);
            self.set_out(ground.far, legal & !forbidden);
        }
    }

    /// Goes on with a search over weighted cells until it ends or has spent `allowance` expansions, one a
    /// node.
    pub fn step_weighted(&mut self, ground: &WeightedGround, allowance: u32) -> SearchStep {
        self.step_weighted_over(ground.bits, ground, allowance)
    }

    /// The same over what a plan may use of its cells.
    pub(crate) fn step_weighted_over(
        &mut self,
        cells: impl Cells,
        ground: &WeightedGround,
        allowance: u32,
    ) -> SearchStep {
        if !ground.is_plain() {
            return self.step_tiles(cells, ground, allowance);
        }
        let (far, octile) = (self.far, self.octile());
        match ground.far.and_then(|known| known.even_guide(&far, octile, self.unit.straight)) {
            Some(guess) => self.step_plain(SearchField { cells, guess }, ground, allowance),
            None => self.step_plain(SearchField { cells, guess: octile }, ground, allowance),
        }
    }

    fn step_plain(
        &mut self,
        field: SearchField<impl Cells, impl Guess>,
        ground: &WeightedGround,
        allowance: u32,
    ) -> SearchStep {
        let (even, exits) = (Even(ground.unit), ground.exits);
        match (ground.extra, exits.is_empty()) {
            (None, true) => self.run_steps(field, even, allowance),
            (Some(extra), true) => self.run_steps(field, GateSteps(even, extra), allowance),
            (None, false) => self.run_steps(field, Directed(even, exits), allowance),
            (Some(extra), false) => self.run_steps(field, Directed(GateSteps(even, extra), exits), allowance),
        }
    }

    pub(crate) fn run_steps(
        &mut self,
        field: SearchField<impl Cells, impl Guess>,
        steps: impl StepRule,
        allowance: u32,
    ) -> SearchStep {
        self.run_cells(field.guess, allowance, |search, from, id, directions| {
            search.walk(&field, steps, from, id, directions)
        })
    }

    /// Pops cells and expands them in the directions that wait; `expand` returns what to charge.
    #[inline(always)]
    pub(crate) fn run_cells(
        &mut self,
        guess: impl Guess,
        allowance: u32,
        expand: impl Fn(&mut Self, OpenCell, u32, u32) -> u32,
    ) -> SearchStep {
        let stop_at = self.spent.saturating_add(allowance);
        // Bounded by the allowance, and by eight entries for every improvement of a cell.
        while self.state == SearchStep::Running && self.spent < stop_at {
            let Some((f, value)) = self.queue.pop_below(self.best) else { return self.finish() };
            let id = value >> 8;
            let g = self.records[id as usize].g;
            let Cell { x, z } = self.columns.split(id);
            if f < self.best && f == g.saturating_add(guess.to_go(Cell { x, z }, id)) {
                let units = expand(self, OpenCell { x, z, g }, id, value & 0xff);
                self.charge(id, units);
            }
        }
        self.state
    }

    /// Records a way to a cell unless a cheaper one is known, and queues the directions in which it is worth
    /// going on.
    #[inline(always)]
    pub(crate) fn relax(
        &mut self,
        guess: &impl Guess,
        at: OpenCell,
        id: u32,
        parent: u32,
        directions: impl FnOnce() -> u8,
    ) {
        let record = self.records[id as usize];
        let known = record.stamp >> 8 == self.generation;
        if known && record.g < at.g {
            return;
        }
        let f = at.g.saturating_add(guess.to_go(Cell { x: at.x, z: at.z }, id));
        if f >= self.best {
            return;
        }
        let mut directions = u32::from(directions());
        if known && record.g == at.g {
            directions &= !record.stamp;
            self.records[id as usize].stamp |= directions;
        } else {
            self.records[id as usize] =
                NodeRecord { g: at.g, parent, stamp: self.generation << 8 | directions };
        }
        if directions != 0 {
            self.queue.push(f, id << 8 | directions);
        }
    }

    /// Records a way to the goal.
    #[inline(always)]
    pub(crate) fn reach(&mut self, g: u32, parent: u32) {
        if g < self.best {
            self.best = g;
            self.records[self.ends.goal.index()] = NodeRecord { g, parent, stamp: self.generation << 8 };
        }
    }

    /// Expands a cell by single steps.
    #[inline(always)]
    fn walk<S: StepRule>(
        &mut self,
        field: &SearchField<impl Cells, impl Guess>,
        steps: S,
        from: OpenCell,
        id: u32,
        mut left: u32,
    ) -> u32 {
        let cells = field.cells;
        let width = cells.bits().width();
        while left != 0 {
            let direction = left.trailing_zeros() as usize;
            left &= left - 1;
            let (dx, dz) = OFFSETS[direction];
            let row = dz * width as i32;
            let to = id.wrapping_add_signed(dx + row);
            let sides = [id.wrapping_add_signed(dx) as usize, id.wrapping_add_signed(row) as usize];
            if direction & 1 != 0 && steps.brushes([id as usize, to as usize], sides) {
                continue;
            }
            let g = from.g.saturating_add(steps.cost(id as usize, to as usize, StepKind::of(direction)));
            if to == self.ends.goal.0 {
                self.reach(g, id);
                continue;
            }
            let (x, z) = (from.x.wrapping_add_signed(dx), from.z.wrapping_add_signed(dz));
            // Dead ends are seen before anything is read from memory that is likely cold.
            if S::EVEN && CANONICAL[direction][cells.around(Cell { x, z }, to) as usize] == 0 {
                continue;
            }
            self.relax(&field.guess, OpenCell { x, z, g }, to, id, || {
                let around = cells.around(Cell { x, z }, to);
                steps.onward(Beside { at: to as usize, around, direction, width: width as i32 })
            });
        }
        1
    }
}
