//! A* from cell to cell, with or without area factors, on the bucket queue.
//!
//! In: walkable bits, a factor a cell, gates that cost extra to enter. Out: a `Search` that found the cheapest way.
//! Holds: a step costs its length times the factor of the cell it enters; entering a gate from outside it adds the
//! gate's own cost once; the heuristic is the octile distance at the cheapest factor in use, so costs are optimal.
//! A node is expanded only in the directions that its arrival leaves worth trying: never back, where its parent gets
//! more cheaply; and where the cells beside it cost the same as the node, not sideways either, because a path that takes
//! its diagonals earlier gets there at no more cost. The optimal path that takes them earliest is never cut. A cell
//! reached at equal cost from another side is expanded in what that adds.
//! Charge: 1 a pop. Not here: which cells belong to which gate, and where the factors come from.
//! Source: canonical ordering, Sturtevant and Rabin 2016, confined to even ground as in Carlson et al. 2023.

use crate::nav::NodeId;
use crate::nav::cells::Bits;
use crate::nav::cells::bits::Cells;
use crate::nav::cells::exits::NEAR;
use crate::nav::cells::landmarks::Flow;
use crate::nav::cells::landmarks::{Bounds, Far};
use crate::nav::cells::lattice::{Norm, Strides};
use crate::nav::cells::layout::{CANONICAL, Columns, FACTOR_ONE, FORWARD, LEGAL, OFFSETS, Rates, Unit};
use crate::nav::search::{Ends, Kernel, Record, Search, Step};

/// What a weighted search walks on. Must stay the same from slice to slice.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// Where one can walk at all.
    pub bits: &'a Bits,
    /// Area factors by cell, fixed point (see [`FACTOR_ONE`]), at least 1; empty when they are all one.
    pub factor: &'a [u16],
    /// The smallest factor in use, or anything below it. A larger value loses optimal paths.
    pub cheapest: u16,
    /// What a step costs at factor 1.
    pub unit: Unit,
    /// What entering a gate costs beyond the steps.
    pub extra: Option<Extra<'a>>,
    /// Lower bounds better than the distance at the cheapest factor, when somebody made them.
    pub far: Option<Far<'a>>,
    /// By cell, bit d: no step may be taken in direction d; bit 8: this holds for some direction of the cell or of one of the
    /// eight around it. Empty when every legal step may be taken.
    pub exits: &'a [u16],
}

/// One-time costs: paid on every step from a cell that is not of a gate onto a cell that is.
#[derive(Clone, Copy, Debug)]
pub struct Extra<'a> {
    /// By cell: 0 for none, else a gate.
    pub gate: &'a [u16],
    /// By gate: its cost, in the unit of the map. Gates beyond the end, and gate 0, cost nothing.
    pub cost: &'a [u32],
}

impl<'a> Ground<'a> {
    /// Ground with all factors one and no gates.
    #[must_use]
    pub fn even(bits: &'a Bits) -> Self {
        let unit = Unit::for_map(u64::from(bits.width()) * u64::from(bits.depth()), FACTOR_ONE);
        Self { bits, factor: &[], cheapest: FACTOR_ONE, unit, extra: None, far: None, exits: &[] }
    }

    /// The cost of a step onto a cell, gates aside.
    #[inline(always)]
    pub(crate) fn step(&self, rates: &Rates, to: usize, diagonal: bool) -> u32 {
        let factor = self.factor.get(to).copied().unwrap_or(FACTOR_ONE);
        if diagonal { rates.diagonal(factor) } else { rates.straight(factor) }
    }

    /// Step costs at the cheapest factor: those of the heuristic.
    pub(crate) fn floor(&self) -> Unit {
        self.unit.scaled(self.floor_factor())
    }

    /// Least costs from cell to cell.
    pub(crate) fn norm(&self) -> Norm {
        let shape = self.bits.shape();
        Strides::new(self.unit, shape).norm(shape.neighbours, self.floor_factor())
    }

    /// The factor of the heuristic.
    pub(crate) fn floor_factor(&self) -> u16 {
        if self.factor.is_empty() { FACTOR_ONE } else { self.cheapest }
    }
}

impl Extra<'_> {
    #[inline(always)]
    pub(crate) fn toll(&self, from: usize, to: usize) -> u32 {
        let gate = self.gate[to];
        if gate == 0 || gate == self.gate[from] {
            0
        } else {
            self.cost.get(gate as usize).copied().unwrap_or(0)
        }
    }
}

/// What steps cost: one type each for even ground, factors, and either with gates, so that the common cases pay for
/// nothing they do not use.
pub(crate) trait Steps: Copy {
    /// Whether all ground costs the same.
    const EVEN: bool;
    /// The cost of a step.
    fn cost(&self, from: usize, to: usize, diagonal: bool) -> u32;
    /// Whether the walkable cells beside one that was reached in some direction cost the same to enter as that one.
    fn is_even(&self, beside: Beside) -> bool;
    /// The directions worth going on in from a cell just reached.
    #[inline(always)]
    fn onward(&self, beside: Beside) -> u8 {
        let table = if self.is_even(beside) { &CANONICAL } else { &FORWARD };
        table[beside.direction][beside.around as usize]
    }
    /// Whether a diagonal step cuts the corner of a gate that it neither leaves nor enters: a closed door's, say.
    fn brushes(&self, _ends: [usize; 2], _sides: [usize; 2]) -> bool {
        false
    }
}

/// A lower bound of the cost from a cell to the goal of a search. It need not be consistent: a cell that is reached more
/// cheaply after it was expanded is expanded again.
pub(crate) trait Guess: Copy {
    /// The bound.
    fn to_go(self, search: &Search, cell: (u32, u32), id: u32) -> u32;
    /// How many ranges of the queue, as a power of two, the straight step at the cheapest factor spans at least.
    const BUCKET_BITS: u32 = BUCKET_BITS;
}

/// The distance at the cheapest factor.
#[derive(Clone, Copy)]
pub(crate) struct Nearby;

impl Guess for Nearby {
    #[inline(always)]
    fn to_go(self, search: &Search, (x, z): (u32, u32), _id: u32) -> u32 {
        search.to_go(x, z)
    }
}

/// No goal at all.
#[derive(Clone, Copy)]
struct Nowhere;

impl Guess for Nowhere {
    #[inline(always)]
    fn to_go(self, _search: &Search, _cell: (u32, u32), _id: u32) -> u32 {
        0
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
    /// Whether the cells that decide whether its sides need a look have the same value as the cell itself, so far as they
    /// are walkable: ahead and abreast of a straight arrival, abreast and behind of a diagonal one.
    #[inline(always)]
    fn alike(self, values: &[u16]) -> bool {
        if self.direction & 1 == 0 { self.all([1, 2, 6, 7], values) } else { self.all([2, 3, 5, 6], values) }
    }

    /// The same for all six sides: a gate behind could be brushed by the way round.
    #[inline(always)]
    fn alike_behind(self, values: &[u16]) -> bool {
        self.all([1, 2, 3, 5, 6, 7], values)
    }

    /// Whether cells some turns away from the direction of arrival have the value of the cell itself, or are blocked.
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
struct Factors<'a>(Rates, &'a [u16]);

#[derive(Clone, Copy)]
struct Gates<'a, S>(S, Extra<'a>);

/// Factors of the cell that a step leaves: for floods towards a cell, which go against the steps.
#[derive(Clone, Copy)]
struct Leaving<'a>(Rates, &'a [u16]);
#[derive(Clone, Copy)]
struct Directed<'a, S>(S, &'a [u16]);

impl Steps for Even {
    const EVEN: bool = true;

    #[inline(always)]
    fn cost(&self, _from: usize, _to: usize, diagonal: bool) -> u32 {
        if diagonal { self.0.diagonal } else { self.0.straight }
    }

    #[inline(always)]
    fn is_even(&self, _beside: Beside) -> bool {
        true
    }
}

impl Factors<'_> {
    /// What a straight and a diagonal step cost onto the cell some turns away from the direction of arrival; anything when that is
    /// off the map.
    #[inline(always)]
    fn both(&self, beside: Beside, turn: usize) -> [u32; 2] {
        let factor = self.1.get(beside.cell(turn)).copied().unwrap_or(1);
        [self.0.straight(factor), self.0.diagonal(factor)]
    }

    /// Steps not worth taking after a straight one, turned so that the arrival is direction 0.
    ///
    /// Two steps are replaced by two others, or one, that cost less, or as much and are fewer, or fewer of them diagonal, or
    /// begin with the diagonal. Every replacement lowers a path in that order, so the lowest of the optimal paths stays.
    #[inline(always)]
    fn pruned_straight(&self, beside: Beside, here: [u32; 2], walkable: u8) -> u8 {
        let ahead = self.both(beside, 0);
        let mut pruned = 0b0011_1000;
        for (side, slant, behind) in [(2, 1, 3), (6, 7, 5)] {
            let round = walkable >> behind & 1 != 0;
            let [at_side, at_slant] = [self.both(beside, side), self.both(beside, slant)];
            let straight_on = round && walkable >> side & walkable >> slant & 1 != 0;
            let cheaper =
                u64::from(at_side[1]) + u64::from(ahead[1]) < u64::from(here[0]) + u64::from(ahead[0]);
            pruned |= u8::from(straight_on && cheaper);
            pruned |= u8::from(round && at_side[1] + at_slant[0] <= here[0] + at_slant[1]) << slant;
            pruned |= u8::from(round && at_side[1] <= here[0] + at_side[0]) << side;
        }
        pruned
    }

    /// The same after a diagonal step.
    #[inline(always)]
    fn pruned_diagonal(&self, beside: Beside, here: [u32; 2], walkable: u8) -> u8 {
        let mut pruned = 0b0011_1000;
        for (slant, side, behind) in [(1, 2, 3), (7, 6, 5)] {
            let [at_slant, at_side] = [self.both(beside, slant), self.both(beside, side)];
            let by_way = self.both(beside, behind)[0];
            let round = walkable >> side & 1 != 0;
            pruned |= u8::from(round && by_way + at_slant[1] < here[1] + at_slant[0]) << slant;
            pruned |= u8::from(by_way + at_side[0] <= here[1] + at_side[1]) << side;
        }
        pruned
    }
}

impl Steps for Factors<'_> {
    const EVEN: bool = false;

    #[inline(always)]
    fn onward(&self, beside: Beside) -> u8 {
        let walkable = beside.around.rotate_right(beside.direction as u32);
        let factor = self.1[beside.at];
        let here = [self.0.straight(factor), self.0.diagonal(factor)];
        let pruned = match beside.direction & 1 {
            0 => self.pruned_straight(beside, here, walkable),
            _ => self.pruned_diagonal(beside, here, walkable),
        };
        LEGAL[beside.around as usize] & !pruned.rotate_left(beside.direction as u32)
    }

    #[inline(always)]
    fn cost(&self, _from: usize, to: usize, diagonal: bool) -> u32 {
        if diagonal { self.0.diagonal(self.1[to]) } else { self.0.straight(self.1[to]) }
    }

    #[inline(always)]
    fn is_even(&self, beside: Beside) -> bool {
        beside.alike(self.1)
    }
}

impl Steps for Leaving<'_> {
    const EVEN: bool = false;

    #[inline(always)]
    fn cost(&self, from: usize, to: usize, diagonal: bool) -> u32 {
        Factors(self.0, self.1).cost(to, from, diagonal)
    }

    /// The order of steps that costs the same one way need not do so the other way.
    #[inline(always)]
    fn is_even(&self, _beside: Beside) -> bool {
        false
    }
}

impl<S: Steps> Steps for Gates<'_, S> {
    const EVEN: bool = false;

    #[inline(always)]
    fn cost(&self, from: usize, to: usize, diagonal: bool) -> u32 {
        self.0.cost(from, to, diagonal).saturating_add(self.1.toll(from, to))
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

impl<S: Steps> Steps for Directed<'_, S> {
    const EVEN: bool = false;

    #[inline(always)]
    fn cost(&self, from: usize, to: usize, diagonal: bool) -> u32 {
        self.0.cost(from, to, diagonal)
    }

    #[inline(always)]
    fn is_even(&self, beside: Beside) -> bool {
        self.0.is_even(beside)
    }

    #[inline(always)]
    fn brushes(&self, ends: [usize; 2], sides: [usize; 2]) -> bool {
        self.0.brushes(ends, sides)
    }

    /// Near a cell that may not be left in every direction the way round that others are left to may be forbidden.
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
pub(crate) struct Place {
    pub(crate) x: u32,
    pub(crate) z: u32,
    pub(crate) g: u32,
}

impl Search {
    /// Begins a search over cells. A start or goal that is not walkable exhausts it at once.
    pub(crate) fn begin_cells(&mut self, kernel: Kernel, cells: impl Cells, floor: Unit, ends: Ends) {
        self.begin_cells_by(kernel, (cells, Nearby), floor, ends);
    }

    /// The same with another bound than the distance, whose goal is known already.
    fn begin_cells_by<C: Cells>(
        &mut self,
        kernel: Kernel,
        (cells, guess): (C, impl Guess),
        floor: Unit,
        ends: Ends,
    ) {
        let bits = cells.bits();
        let count = u64::from(bits.width()) * u64::from(bits.depth());
        assert!(count <= 1 << 24, "cell maps hold 2^24 cells at most, this one {count}");
        self.begin(kernel, count as u32, ends);
        self.queue.reset(0, 0);
        if self.state == Step::Exhausted {
            return;
        }
        self.columns = Columns::new(bits.width());
        self.goal_cell = self.columns.split(ends.goal.0);
        self.unit = floor;
        let (x, z) = self.columns.split(ends.start.0);
        if !cells.is_open(x, z) || !cells.is_open(self.goal_cell.0, self.goal_cell.1) {
            self.state = Step::Exhausted;
        }
        if self.state == Step::Running {
            self.wait_at_start((cells, guess), guess.to_go(self, (x, z), ends.start.0), floor);
        }
    }

    fn wait_at_start<C: Cells, G: Guess>(&mut self, (cells, _): (C, G), h: u32, floor: Unit) {
        let start = self.ends.start;
        self.queue.reset(h, floor.straight.ilog2().saturating_sub(G::BUCKET_BITS));
        let directions = u32::from(LEGAL[cells.around(self.columns.split(start.0), start.0) as usize]);
        self.records[start.index()].stamp = self.generation << 8 | directions;
        self.queue.push(h, start.0 << 8 | directions);
    }

    /// Leaves the start only where that is not forbidden.
    fn begin_directed<G: Guess>(&mut self, ground: &Ground, guess: G) {
        let start = self.ends.start;
        let Some(exits) = ground.exits.get(start.index()).filter(|_| self.state == Step::Running) else {
            return;
        };
        let record = &mut self.records[start.index()];
        record.stamp &= !u32::from(*exits as u8);
        let entry = start.0 << 8 | record.stamp & 0xff;
        let h = guess.to_go(self, self.columns.split(start.0), start.0);
        self.queue.reset(h, self.unit.straight.ilog2().saturating_sub(G::BUCKET_BITS));
        self.queue.push(h, entry);
    }

    /// Lower bound of the cost from a cell to the goal.
    #[inline(always)]
    pub(crate) fn to_go(&self, x: u32, z: u32) -> u32 {
        self.unit.octile(x.abs_diff(self.goal_cell.0), z.abs_diff(self.goal_cell.1))
    }

    /// Begins a search over weighted cells. A start or goal that is not walkable exhausts it at once.
    pub fn begin_weighted(&mut self, ground: &Ground, ends: Ends) {
        self.begin_weighted_over(ground.bits, ground, ends);
    }

    /// The same over what a plan may use of its cells.
    pub(crate) fn begin_weighted_over(&mut self, cells: impl Cells, ground: &Ground, ends: Ends) {
        if !cells.bits().shape().is_plain() {
            return self.begin_lattice(cells, ground, ends);
        }
        let Some(far) = ground.far else {
            self.begin_cells(Kernel::Steps, cells, ground.floor(), ends);
            return self.begin_directed(ground, Nearby);
        };
        let columns = Columns::new(ground.bits.width());
        self.far = far.goal(ground, columns.split(ends.goal.0));
        let guess = Bounds::new(far, ground);
        self.begin_cells_by(Kernel::Steps, (cells, guess), ground.floor(), ends);
        self.begin_directed(ground, guess);
    }

    /// Goes from a cell to all others over weighted ground without gates, or from all others to it, directions aside.
    pub(crate) fn flood_weighted(&mut self, ground: &Ground, cell: NodeId, flow: Flow) {
        self.begin_cells(Kernel::Steps, ground.bits, ground.floor(), Ends { start: cell, goal: cell });
        if self.state != Step::Found {
            return;
        }
        (self.state, self.best, self.ends.goal) = (Step::Running, u32::MAX, NodeId(u32::MAX));
        self.columns = Columns::new(ground.bits.width());
        self.wait_at_start((ground.bits, Nowhere), 0, ground.floor());
        let rates = Rates::new(ground.unit);
        let _ = match (ground.factor.is_empty(), flow) {
            (true, _) => self.run_steps(ground.bits, (Even(ground.unit), Nowhere), u32::MAX),
            (_, Flow::From) => {
                self.run_steps(ground.bits, (Factors(rates, ground.factor), Nowhere), u32::MAX)
            }
            (_, Flow::To) => self.run_steps(ground.bits, (Leaving(rates, ground.factor), Nowhere), u32::MAX),
        };
    }

    /// What the last flood found between its cell and another; None where there is no way.
    pub(crate) fn flooded(&self, id: NodeId) -> Option<u32> {
        let record = self.records.get(id.index())?;
        (record.stamp >> 8 == self.generation).then_some(record.g)
    }

    /// Goes on with a search over weighted cells until it ends or has spent `allowance` expansions, one a node.
    pub fn step_weighted(&mut self, ground: &Ground, allowance: u32) -> Step {
        self.step_weighted_over(ground.bits, ground, allowance)
    }

    /// The same over what a plan may use of its cells.
    pub(crate) fn step_weighted_over(&mut self, cells: impl Cells, ground: &Ground, allowance: u32) -> Step {
        if !cells.bits().shape().is_plain() {
            return self.step_lattice(cells, ground, allowance);
        }
        match ground.far {
            None => self.step_weighted_by((cells, Nearby), ground, allowance),
            Some(far) => self.step_weighted_by((cells, Bounds::new(far, ground)), ground, allowance),
        }
    }

    fn step_weighted_by<C: Cells, G: Guess>(
        &mut self,
        (cells, guess): (C, G),
        ground: &Ground,
        allowance: u32,
    ) -> Step {
        let even = Even(ground.unit);
        let factors = Factors(Rates::new(ground.unit), ground.factor);
        let exits = ground.exits;
        match (ground.factor.is_empty(), ground.extra, exits.is_empty()) {
            (true, None, true) => self.run_steps(cells, (even, guess), allowance),
            (true, Some(extra), true) => self.run_steps(cells, (Gates(even, extra), guess), allowance),
            (false, None, true) => self.run_steps(cells, (factors, guess), allowance),
            (false, Some(extra), true) => self.run_steps(cells, (Gates(factors, extra), guess), allowance),
            (true, None, false) => self.run_steps(cells, (Directed(even, exits), guess), allowance),
            (true, Some(extra), false) => {
                self.run_steps(cells, (Directed(Gates(even, extra), exits), guess), allowance)
            }
            (false, None, false) => self.run_steps(cells, (Directed(factors, exits), guess), allowance),
            (false, Some(extra), false) => {
                self.run_steps(cells, (Directed(Gates(factors, extra), exits), guess), allowance)
            }
        }
    }

    pub(crate) fn run_steps<S: Steps, G: Guess>(
        &mut self,
        cells: impl Cells,
        (steps, guess): (S, G),
        allowance: u32,
    ) -> Step {
        self.run_cells(allowance, guess, |search, from, id, directions| {
            search.walk(cells, (steps, guess), from, (id, directions))
        })
    }

    /// Pops cells and expands them in the directions that wait; `expand` returns what to charge.
    #[inline(always)]
    pub(crate) fn run_cells(
        &mut self,
        allowance: u32,
        guess: impl Guess,
        expand: impl Fn(&mut Self, Place, u32, u32) -> u32,
    ) -> Step {
        let stop_at = self.spent.saturating_add(allowance);
        // Bounded by the allowance, and by eight entries for every improvement of a cell.
        while self.state == Step::Running && self.spent < stop_at {
            let Some((f, value)) = self.queue.pop_below(self.best) else { return self.finish() };
            let id = value >> 8;
            let g = self.records[id as usize].g;
            let (x, z) = self.columns.split(id);
            if f < self.best && f == g.saturating_add(guess.to_go(self, (x, z), id)) {
                let units = expand(self, Place { x, z, g }, id, value & 0xff);
                self.charge(id, units);
            }
        }
        self.state
    }

    /// Records a way to a cell unless a cheaper one is known, and queues the directions in which it is worth going on.
    #[inline(always)]
    pub(crate) fn relax(
        &mut self,
        guess: impl Guess,
        at: Place,
        (id, parent): (u32, u32),
        directions: impl FnOnce() -> u8,
    ) {
        let record = self.records[id as usize];
        let known = record.stamp >> 8 == self.generation;
        if known && record.g < at.g {
            return;
        }
        let f = at.g.saturating_add(guess.to_go(self, (at.x, at.z), id));
        if f >= self.best {
            return;
        }
        let mut directions = u32::from(directions());
        if known && record.g == at.g {
            directions &= !record.stamp;
            self.records[id as usize].stamp |= directions;
        } else {
            self.records[id as usize] = Record { g: at.g, parent, stamp: self.generation << 8 | directions };
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
            self.records[self.ends.goal.index()] = Record { g, parent, stamp: self.generation << 8 };
        }
    }

    /// Expands a cell by single steps.
    #[inline(always)]
    fn walk<S: Steps, G: Guess>(
        &mut self,
        cells: impl Cells,
        (steps, guess): (S, G),
        from: Place,
        (id, mut left): (u32, u32),
    ) -> u32 {
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
            let g = from.g.saturating_add(steps.cost(id as usize, to as usize, direction & 1 != 0));
            if to == self.ends.goal.0 {
                self.reach(g, id);
                continue;
            }
            let (x, z) = (from.x.wrapping_add_signed(dx), from.z.wrapping_add_signed(dz));
            // Dead ends are seen before anything is read from memory that is likely cold.
            if S::EVEN && CANONICAL[direction][cells.around((x, z), to) as usize] == 0 {
                continue;
            }
            self.relax(guess, Place { x, z, g }, (to, id), || {
                let around = cells.around((x, z), to);
                steps.onward(Beside { at: to as usize, around, direction, width: width as i32 })
            });
        }
        1
    }
}

/// Unless a guess says otherwise. The straight step spans four to eight ranges of the queue. Finer ranges are empty too often, coarser ones expand more
/// cells twice; from one step to half a range the differences stay below a tenth.
const BUCKET_BITS: u32 = 2;
