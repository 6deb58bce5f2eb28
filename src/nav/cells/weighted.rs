//! A* over cells with area factors, on the bucket queue.
//!
//! In: walkable bits, a factor a cell, gates that cost extra to enter. Out: a `Search` that found the cheapest way.
//! Holds: a step costs its length times the factor of the cell it enters; entering a gate from outside it adds the
//! gate's own cost once; the heuristic is the octile distance at the cheapest factor in use, so costs are optimal.
//! Charge: 1 a node expanded. Not here: which cells belong to which gate, and where the factors come from.
//! Source: A* with immutable entries, `nav/search.rs`; neighbours in the order of `cells/layout.rs`.

use crate::nav::cells::Bits;
use crate::nav::cells::layout::{Columns, FACTOR_ONE, LEGAL, OFFSETS, Rates, Unit};
use crate::nav::search::{Ends, Kernel, Search, Step};

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
        Self { bits, factor: &[], cheapest: FACTOR_ONE, unit, extra: None }
    }

    /// Step costs at the cheapest factor: those of the heuristic.
    pub(crate) fn floor(&self) -> Unit {
        self.unit.scaled(if self.factor.is_empty() { FACTOR_ONE } else { self.cheapest })
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

/// What steps cost: one type each for even ground, factors, and factors with gates, so that the common cases pay for
/// nothing they do not use.
trait Steps: Copy {
    fn cost(&self, from: usize, to: usize, diagonal: bool) -> u32;
}

#[derive(Clone, Copy)]
struct Even(Unit);

#[derive(Clone, Copy)]
struct Factors<'a>(Rates, &'a [u16]);

#[derive(Clone, Copy)]
struct Gates<'a, S>(S, Extra<'a>);

impl Steps for Even {
    #[inline(always)]
    fn cost(&self, _from: usize, _to: usize, diagonal: bool) -> u32 {
        if diagonal { self.0.diagonal } else { self.0.straight }
    }
}

impl Steps for Factors<'_> {
    #[inline(always)]
    fn cost(&self, _from: usize, to: usize, diagonal: bool) -> u32 {
        if diagonal { self.0.diagonal(self.1[to]) } else { self.0.straight(self.1[to]) }
    }
}

impl<S: Steps> Steps for Gates<'_, S> {
    #[inline(always)]
    fn cost(&self, from: usize, to: usize, diagonal: bool) -> u32 {
        self.0.cost(from, to, diagonal).saturating_add(self.1.toll(from, to))
    }
}

impl Search {
    /// Makes ready for a search over cells; false when its answer is known already.
    pub(crate) fn begin_cells(&mut self, kernel: Kernel, bits: &Bits, floor: Unit, ends: Ends) -> bool {
        let cells = u64::from(bits.width()) * u64::from(bits.depth());
        assert!(cells <= 1 << 24, "cell maps hold 2^24 cells at most, this one {cells}");
        self.begin(kernel, cells as u32, ends);
        if self.state == Step::Exhausted {
            return false;
        }
        self.columns = Columns::new(bits.width());
        self.goal_cell = self.columns.split(ends.goal.0);
        self.unit = floor;
        let (x, z) = self.columns.split(ends.start.0);
        if !bits.get(x, z) || !bits.get(self.goal_cell.0, self.goal_cell.1) {
            self.state = Step::Exhausted;
        }
        let h = self.to_go(x, z);
        self.queue.reset(h, floor.straight.ilog2().saturating_sub(BUCKET_BITS));
        self.state == Step::Running
    }

    /// Lower bound of the cost from a cell to the goal.
    #[inline(always)]
    pub(crate) fn to_go(&self, x: u32, z: u32) -> u32 {
        self.unit.octile(x.abs_diff(self.goal_cell.0), z.abs_diff(self.goal_cell.1))
    }

    /// Begins a search over weighted cells. A start or goal that is not walkable exhausts it at once.
    pub fn begin_weighted(&mut self, ground: &Ground, ends: Ends) {
        if self.begin_cells(Kernel::Weighted, ground.bits, ground.floor(), ends) {
            let (x, z) = self.columns.split(ends.start.0);
            self.queue.push(self.to_go(x, z), ends.start.0);
        }
    }

    /// Goes on with a search over weighted cells until it ends or has spent `allowance` expansions, one a node.
    pub fn step_weighted(&mut self, ground: &Ground, allowance: u32) -> Step {
        let even = Even(ground.unit);
        let factors = Factors(Rates::new(ground.unit), ground.factor);
        match (ground.factor.is_empty(), ground.extra) {
            (true, None) => self.run_weighted(ground.bits, even, allowance),
            (true, Some(extra)) => self.run_weighted(ground.bits, Gates(even, extra), allowance),
            (false, None) => self.run_weighted(ground.bits, factors, allowance),
            (false, Some(extra)) => self.run_weighted(ground.bits, Gates(factors, extra), allowance),
        }
    }

    fn run_weighted(&mut self, bits: &Bits, steps: impl Steps, allowance: u32) -> Step {
        let stop_at = self.spent.saturating_add(allowance);
        // Bounded by the allowance, and by one entry for every improvement of a cell.
        while self.state == Step::Running && self.spent < stop_at {
            let Some((f, id)) = self.queue.pop_below(self.best) else { return self.finish() };
            if f < self.best && self.claim(id) {
                self.charge(id, 1);
                self.expand_weighted(bits, steps, id);
            }
        }
        self.state
    }

    #[inline(always)]
    fn expand_weighted(&mut self, bits: &Bits, steps: impl Steps, id: u32) {
        let (x, z) = self.columns.split(id);
        let g = self.records[id as usize].g;
        let mut left = LEGAL[bits.around(id) as usize];
        while left != 0 {
            let direction = left.trailing_zeros() as usize;
            left &= left - 1;
            let (dx, dz) = OFFSETS[direction];
            let to = id.wrapping_add_signed(dx + dz * bits.width() as i32);
            let to_g = g.saturating_add(steps.cost(id as usize, to as usize, direction & 1 != 0));
            let f = to_g.saturating_add(self.to_go(x.wrapping_add_signed(dx), z.wrapping_add_signed(dz)));
            if f < self.best && self.improve(to, to_g, id) {
                if to == self.ends.goal.0 {
                    self.best = to_g;
                } else {
                    self.queue.push(f, to);
                }
            }
        }
    }
}

/// The straight step spans two to four ranges of the queue: finer ones are empty too often, coarser ones expand more
/// cells twice.
const BUCKET_BITS: u32 = 1;
