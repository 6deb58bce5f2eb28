//! A* from cell to cell on every layout but plain squares with eight neighbours, on the bucket queue.
//!
//! In: walkable bits and the shape of their cells, a factor a cell, gates that cost extra to enter. Out: a `Search` that found
//! the cheapest way. Holds: a step costs the distance of the centres times the factor of the cell it enters; entering a gate from
//! outside it adds the gate's own cost once; the heuristic is the cost of the steps over open ground of the cheapest factor in
//! use, so costs are optimal.
//! Two steps in neighbouring directions come to the same in either order. Of the two the one over the cheaper cell is kept, and
//! over equal ones the one that takes the odd directions first, so that most cells are reached once. Where steps differ in length
//! that is done on even ground only.
//! Charge: 1 a pop. Not here: plain squares (`weighted`, `jump`), which know more about their ground.
//! Source: canonical ordering, Sturtevant and Rabin 2016, carried over to other neighbourhoods and to uneven ground.

use crate::nav::cells::bits::Cells;
use crate::nav::cells::exits::NEAR;
use crate::nav::cells::layout::{CANONICAL, Columns, LEGAL, Neighbours, OFFSETS, Rates, Unit};
use crate::nav::cells::tiling::Shape;
use crate::nav::cells::weighted::{Extra, Ground, Place};
use crate::nav::search::{Ends, Kernel, Record, Search, Step};

/// The six directions of hexagons, as bits.
const SIX: u8 = 0b1101_1101;
/// The four directions across edges.
const FOUR: u8 = 0b0101_0101;

/// Legal steps by what lies around.
const LEGAL_SIX: [u8; 256] = masked(SIX);
const LEGAL_FOUR: [u8; 256] = masked(FOUR);

const fn masked(mask: u8) -> [u8; 256] {
    let mut table = [0; 256];
    let mut around = 0;
    while around < 256 {
        table[around] = around as u8 & mask;
        around += 1;
    }
    table
}

/// The directions of a neighbourhood, clockwise.
const RING_SIX: [usize; 6] = [0, 2, 3, 4, 6, 7];
const RING_FOUR: [usize; 4] = [0, 2, 4, 6];

/// For a direction of arrival and each of the two beside it: that direction, and the cell by way of which the same place is
/// reached when the two steps are taken the other way round, seen from the cell arrived at.
const TURNS_SIX: [[(u8, u8); 2]; 8] = {
    let mut table = [[(0, 0); 2]; 8];
    let mut at = 0;
    while at < 6 {
        // Two steps round the ring lies what the step before and the turn lead to from the cell before.
        table[RING_SIX[at]] = [
            (RING_SIX[(at + 1) % 6] as u8, RING_SIX[(at + 2) % 6] as u8),
            (RING_SIX[(at + 5) % 6] as u8, RING_SIX[(at + 4) % 6] as u8),
        ];
        at += 1;
    }
    table
};
const TURNS_FOUR: [[(u8, u8); 2]; 8] = {
    let mut table = [[(0, 0); 2]; 8];
    let mut at = 0;
    while at < 4 {
        let direction = RING_FOUR[at];
        table[direction] = [
            (RING_FOUR[(at + 1) % 4] as u8, ((direction + 3) % 8) as u8),
            (RING_FOUR[(at + 3) % 4] as u8, ((direction + 5) % 8) as u8),
        ];
        at += 1;
    }
    table
};

/// Whether a direction comes first of two that can be taken either way round: every second one of its ring.
const FIRST_SIX: u8 = 1 << 2 | 1 << 4 | 1 << 7;
const FIRST_FOUR: u8 = 1 << 2 | 1 << 6;

/// Steps worth taking by direction of arrival: straight on and the turns to either side.
const AHEAD_SIX: [u8; 8] = ahead(&RING_SIX);
const AHEAD_FOUR: [u8; 8] = ahead(&RING_FOUR);

const fn ahead(ring: &[usize]) -> [u8; 8] {
    let mut table = [0; 8];
    let mut at = 0;
    while at < ring.len() {
        let (next, last) = (ring[(at + 1) % ring.len()], ring[(at + ring.len() - 1) % ring.len()]);
        table[ring[at]] = 1 << ring[at] | 1 << next | 1 << last;
        at += 1;
    }
    table
}

/// The same on even ground, by what lies around: turns that could have been taken earlier are left out.
const EVEN_SIX: [[u8; 256]; 8] = even(&AHEAD_SIX, &TURNS_SIX, FIRST_SIX, SIX);
const EVEN_FOUR: [[u8; 256]; 8] = even(&AHEAD_FOUR, &TURNS_FOUR, FIRST_FOUR, FOUR);

const fn even(ahead: &[u8; 8], turns: &[[(u8, u8); 2]; 8], first: u8, mask: u8) -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut direction = 0;
    while direction < 8 {
        let mut around = 0;
        while around < 256 {
            let mut steps = around as u8 & ahead[direction];
            let mut turn = 0;
            while turn < 2 {
                let (to, by) = turns[direction][turn];
                if first >> direction & 1 == 0 && around >> by & 1 != 0 {
                    steps &= !(1 << to);
                }
                turn += 1;
            }
            table[direction][around] = if mask >> direction & 1 != 0 { steps } else { 0 };
            around += 1;
        }
        direction += 1;
    }
    table
}

/// What a step costs at factor 1 by direction, of two opposite ones the lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Strides([u32; 4]);

impl Strides {
    /// The distances of the centres of neighbours, in the unit of the map, rounded to nearest.
    pub(crate) fn new(unit: Unit, shape: Shape) -> Self {
        if shape.is_plain() {
            return Self([unit.straight, unit.diagonal, unit.straight, unit.diagonal]);
        }
        let length = |direction: usize| {
            let (dx, dz) = OFFSETS[direction];
            let length = shape.metric.length_sq(f64::from(dx), f64::from(dz)).sqrt();
            ((length * f64::from(unit.straight)).round() as u32).max(1)
        };
        Self([0, 1, 2, 3].map(length))
    }

    /// What the cheapest way costs between cells when nothing is in the way, on ground of one factor.
    pub(crate) fn norm(self, neighbours: Neighbours, factor: u16) -> Norm {
        let rates = self.rates();
        let [x, same, z, opposite] = [0, 1, 2, 3].map(|direction| rates.cost(direction, factor));
        // Where there is no such step, it takes the two along the axes.
        match neighbours {
            Neighbours::Eight => Norm { x, z, same, opposite },
            Neighbours::Four => Norm { x, z, same: x + z, opposite: x + z },
            Neighbours::Six => Norm { x, z, same: x + z, opposite },
        }
    }

    /// Whether the steps of a neighbourhood all cost the same.
    fn are_equal(self, neighbours: Neighbours) -> bool {
        let [x, _, z, opposite] = self.0;
        x == z && (neighbours == Neighbours::Four || neighbours == Neighbours::Six && opposite == x)
    }

    /// By direction of arrival, the steps worth taking on any ground: all but those to where the cell before gets in one step
    /// that is no longer than the second of the two.
    fn ahead(self, neighbours: Neighbours) -> [u8; 8] {
        let steps = match neighbours {
            Neighbours::Eight => 0xff,
            Neighbours::Four => FOUR,
            Neighbours::Six => SIX,
        };
        let is_step = |direction: usize| steps >> direction & 1 != 0;
        let is_worth = |arrival: usize, on: usize| {
            let ((ax, az), (bx, bz)) = (OFFSETS[arrival], OFFSETS[on]);
            let at_once = OFFSETS.iter().position(|&offset| offset == (ax + bx, az + bz));
            // Across a corner it may not be legal.
            let at_once =
                at_once.filter(|&step| is_step(step) && (neighbours != Neighbours::Eight || step % 2 == 0));
            let is_longer = |step: usize| self.0[step & 3] > self.0[on & 3];
            arrival ^ 4 != on && at_once.is_none_or(is_longer)
        };
        std::array::from_fn(|arrival| {
            (0..8).filter(|&on| is_step(on) && is_worth(arrival, on)).fold(0, |all, on| all | 1 << on)
        })
    }

    fn rates(self) -> StepRates {
        StepRates(self.0.map(|straight| Rates::new(Unit { straight, diagonal: straight })))
    }
}

/// Costs of differences of cells, by sign: along the axes, and for both at once in the same or in opposite directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Norm {
    x: u32,
    z: u32,
    same: u32,
    opposite: u32,
}

impl Norm {
    /// Of a difference of cells.
    #[inline(always)]
    pub(crate) fn of(self, dx: i32, dz: i32) -> u32 {
        let (x, z) = (dx.unsigned_abs(), dz.unsigned_abs());
        let both = x.min(z);
        let slant = if (dx ^ dz) < 0 { self.opposite } else { self.same };
        let cost = u64::from(both) * u64::from(slant)
            + u64::from(x - both) * u64::from(self.x)
            + u64::from(z - both) * u64::from(self.z);
        cost.min(u64::from(u32::MAX)) as u32
    }
}

impl Norm {
    /// From one cell to another.
    pub(crate) fn between(self, from: (u32, u32), to: (u32, u32)) -> u32 {
        self.of(to.0 as i32 - from.0 as i32, to.1 as i32 - from.1 as i32)
    }
}

/// Step costs per fixed-point factor, by direction.
#[derive(Clone, Copy, Debug)]
struct StepRates([Rates; 4]);

impl StepRates {
    #[inline(always)]
    fn cost(&self, direction: usize, factor: u16) -> u32 {
        self.0[direction & 3].straight(factor)
    }
}

/// A neighbourhood.
trait Ring: Copy {
    const LEGAL: &'static [u8; 256];
    /// By direction of arrival and by what lies around: steps worth taking on even ground.
    const EVEN: &'static [[u8; 256]; 8];
    /// Directions and what they can be exchanged for; none where that is not known.
    const TURNS: Option<&'static [[(u8, u8); 2]; 8]>;
    const FIRST: u8;
}

#[derive(Clone, Copy)]
struct Eight;
#[derive(Clone, Copy)]
struct Four;
#[derive(Clone, Copy)]
struct Six;

impl Ring for Eight {
    const LEGAL: &'static [u8; 256] = &LEGAL;
    const EVEN: &'static [[u8; 256]; 8] = &CANONICAL;
    const TURNS: Option<&'static [[(u8, u8); 2]; 8]> = None;
    const FIRST: u8 = 0;
}

impl Ring for Four {
    const LEGAL: &'static [u8; 256] = &LEGAL_FOUR;
    const EVEN: &'static [[u8; 256]; 8] = &EVEN_FOUR;
    const TURNS: Option<&'static [[(u8, u8); 2]; 8]> = Some(&TURNS_FOUR);
    const FIRST: u8 = FIRST_FOUR;
}

impl Ring for Six {
    const LEGAL: &'static [u8; 256] = &LEGAL_SIX;
    const EVEN: &'static [[u8; 256]; 8] = &EVEN_SIX;
    const TURNS: Option<&'static [[(u8, u8); 2]; 8]> = Some(&TURNS_SIX);
    const FIRST: u8 = FIRST_SIX;
}

/// A cell just reached.
#[derive(Clone, Copy)]
struct Reached {
    id: usize,
    around: u8,
    /// Of the last step.
    direction: usize,
    width: i32,
}

/// What steps cost: one type each, so that the common cases pay for nothing they do not use.
trait Steps: Copy {
    fn cost(&self, from: usize, to: usize, direction: usize) -> u32;
    /// The directions in which it is worth going on.
    fn onward<R: Ring>(&self, at: Reached) -> u8;
    /// Whether a step across a corner touches a gate that it neither leaves nor enters.
    fn brushes(&self, _ends: [usize; 2], _sides: [usize; 2]) -> bool {
        false
    }
}

#[derive(Clone, Copy)]
struct Even(Strides);

impl Steps for Even {
    #[inline(always)]
    fn cost(&self, _from: usize, _to: usize, direction: usize) -> u32 {
        self.0.0[direction & 3]
    }

    #[inline(always)]
    fn onward<R: Ring>(&self, at: Reached) -> u8 {
        R::EVEN[at.direction][at.around as usize]
    }
}

/// Factors, where all steps are equally long or not.
#[derive(Clone, Copy)]
struct Factors<'a, const EQUAL: bool> {
    rates: StepRates,
    factor: &'a [u16],
    ahead: [u8; 8],
}

impl<const EQUAL: bool> Steps for Factors<'_, EQUAL> {
    #[inline(always)]
    fn cost(&self, _from: usize, to: usize, direction: usize) -> u32 {
        self.rates.cost(if EQUAL { 0 } else { direction }, self.factor[to])
    }

    #[inline(always)]
    fn onward<R: Ring>(&self, at: Reached) -> u8 {
        let mut steps = R::LEGAL[at.around as usize] & self.ahead[at.direction];
        let (true, Some(turns)) = (EQUAL, R::TURNS) else { return steps };
        let own = self.factor[at.id];
        for (to, by) in turns[at.direction] {
            let (dx, dz) = OFFSETS[by as usize];
            let side = at.id.wrapping_add_signed((dx + dz * at.width) as isize);
            // Another way round that is cheaper, or as cheap and to be taken first, makes this one needless.
            let is_needless = at.around >> by & 1 != 0
                && (self.factor[side] < own || self.factor[side] == own && R::FIRST >> at.direction & 1 == 0);
            steps &= !(u8::from(is_needless) << to);
        }
        steps
    }
}

#[derive(Clone, Copy)]
struct Gates<'a> {
    rates: StepRates,
    /// Empty when all are one.
    factor: &'a [u16],
    ahead: [u8; 8],
    extra: Extra<'a>,
}

impl Steps for Gates<'_> {
    #[inline(always)]
    fn cost(&self, from: usize, to: usize, direction: usize) -> u32 {
        let factor = self.factor.get(to).copied().unwrap_or(crate::nav::cells::FACTOR_ONE);
        self.rates.cost(direction, factor).saturating_add(self.extra.toll(from, to))
    }

    #[inline(always)]
    fn onward<R: Ring>(&self, at: Reached) -> u8 {
        R::LEGAL[at.around as usize] & self.ahead[at.direction]
    }

    fn brushes(&self, ends: [usize; 2], sides: [usize; 2]) -> bool {
        let gate = self.extra.gate;
        sides.into_iter().any(|side| gate[side] != 0 && ends.into_iter().all(|end| gate[end] != gate[side]))
    }
}

impl Search {
    /// Begins a search over cells of any shape. A start or goal that is not walkable exhausts it at once.
    pub(crate) fn begin_lattice(&mut self, cells: impl Cells, ground: &Ground, ends: Ends) {
        let (bits, shape) = (cells.bits(), cells.bits().shape());
        let count = u64::from(bits.width()) * u64::from(bits.depth());
        assert!(count <= 1 << 24, "cell maps hold 2^24 cells at most, this one {count}");
        self.begin(Kernel::Steps, count as u32, ends);
        self.queue.reset(0, 0);
        if self.state == Step::Exhausted {
            return;
        }
        self.columns = Columns::new(bits.width());
        self.goal_cell = self.columns.split(ends.goal.0);
        self.norm = ground.norm();
        let (x, z) = self.columns.split(ends.start.0);
        if !cells.is_open(x, z) || !cells.is_open(self.goal_cell.0, self.goal_cell.1) {
            self.state = Step::Exhausted;
        }
        if self.state == Step::Running {
            let h = self.norm_to_go(x, z);
            let step = self.norm.x.min(self.norm.z);
            self.queue.reset(h, step.max(1).ilog2().saturating_sub(BUCKET_BITS));
            let legal = match shape.neighbours {
                Neighbours::Eight => Eight::LEGAL,
                Neighbours::Four => Four::LEGAL,
                Neighbours::Six => Six::LEGAL,
            };
            let forbidden = ground.exits.get(ends.start.index()).map_or(0, |&exits| exits as u8);
            let directions = u32::from(legal[cells.around((x, z), ends.start.0) as usize] & !forbidden);
            self.records[ends.start.index()].stamp = self.generation << 8 | directions;
            self.queue.push(h, ends.start.0 << 8 | directions);
        }
    }

    /// Lower bound of the cost from a cell to the goal.
    #[inline(always)]
    fn norm_to_go(&self, x: u32, z: u32) -> u32 {
        self.norm.of(self.goal_cell.0 as i32 - x as i32, self.goal_cell.1 as i32 - z as i32)
    }

    /// Goes on with a search over cells until it ends or has spent `allowance` expansions, one a node.
    pub(crate) fn step_lattice(&mut self, cells: impl Cells, ground: &Ground, allowance: u32) -> Step {
        match cells.bits().shape().neighbours {
            Neighbours::Eight => self.step_ring::<Eight>(cells, ground, allowance),
            Neighbours::Four => self.step_ring::<Four>(cells, ground, allowance),
            Neighbours::Six => self.step_ring::<Six>(cells, ground, allowance),
        }
    }

    fn step_ring<R: Ring>(&mut self, cells: impl Cells, ground: &Ground, allowance: u32) -> Step {
        let shape = cells.bits().shape();
        let strides = Strides::new(ground.unit, shape);
        let (rates, factor, ahead) = (strides.rates(), ground.factor, strides.ahead(shape.neighbours));
        match (ground.extra, factor.is_empty()) {
            (Some(extra), _) => {
                self.run_lattice::<R>((cells, ground.exits), Gates { rates, factor, ahead, extra }, allowance)
            }
            (None, true) => self.run_lattice::<R>((cells, ground.exits), Even(strides), allowance),
            (None, false) if strides.are_equal(shape.neighbours) => self.run_lattice::<R>(
                (cells, ground.exits),
                Factors::<true> { rates, factor, ahead },
                allowance,
            ),
            (None, false) => self.run_lattice::<R>(
                (cells, ground.exits),
                Factors::<false> { rates, factor, ahead },
                allowance,
            ),
        }
    }

    fn run_lattice<R: Ring>(
        &mut self,
        cells: (impl Cells, &[u16]),
        steps: impl Steps,
        allowance: u32,
    ) -> Step {
        let stop_at = self.spent.saturating_add(allowance);
        // Bounded by the allowance, and by eight entries for every improvement of a cell.
        while self.state == Step::Running && self.spent < stop_at {
            let Some((f, value)) = self.queue.pop_below(self.best) else { return self.finish() };
            let id = value >> 8;
            let g = self.records[id as usize].g;
            let (x, z) = self.columns.split(id);
            if f < self.best && f == g + self.norm_to_go(x, z) {
                self.expand::<R>(cells, steps, Place { x, z, g }, (id, value & 0xff));
                self.charge(id, 1);
            }
        }
        self.state
    }

    /// Takes the steps from a cell that wait.
    #[inline(always)]
    fn expand<R: Ring>(
        &mut self,
        (cells, exits): (impl Cells, &[u16]),
        steps: impl Steps,
        from: Place,
        (id, mut left): (u32, u32),
    ) {
        let width = cells.bits().width() as i32;
        while left != 0 {
            let direction = left.trailing_zeros() as usize;
            left &= left - 1;
            let (dx, dz) = OFFSETS[direction];
            let to = id.wrapping_add_signed(dx + dz * width);
            if R::TURNS.is_none() && direction & 1 != 0 {
                let sides =
                    [id.wrapping_add_signed(dx) as usize, id.wrapping_add_signed(dz * width) as usize];
                if steps.brushes([id as usize, to as usize], sides) {
                    continue;
                }
            }
            let g = from.g.saturating_add(steps.cost(id as usize, to as usize, direction));
            if to == self.ends.goal.0 {
                self.reach(g, id);
                continue;
            }
            let (x, z) = (from.x.wrapping_add_signed(dx), from.z.wrapping_add_signed(dz));
            self.relax_lattice(Place { x, z, g }, to, id, || {
                let around = cells.around((x, z), to);
                let exits = exits.get(to as usize).copied().unwrap_or(0);
                if exits & NEAR != 0 {
                    // The way round that others are left to may be forbidden: all but the way back.
                    return R::LEGAL[around as usize] & !(exits as u8) & !(1 << (direction ^ 4));
                }
                steps.onward::<R>(Reached { id: to as usize, around, direction, width })
            });
        }
    }

    /// Records a way to a cell unless a cheaper one is known, and queues the directions in which it is worth going on.
    #[inline(always)]
    fn relax_lattice(&mut self, at: Place, id: u32, parent: u32, directions: impl FnOnce() -> u8) {
        let record = self.records[id as usize];
        let known = record.stamp >> 8 == self.generation;
        if known && record.g < at.g {
            return;
        }
        let f = at.g.saturating_add(self.norm_to_go(at.x, at.z));
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
}

/// As in `weighted`: a step spans four to eight ranges of the queue.
const BUCKET_BITS: u32 = 2;

#[cfg(test)]
mod tests;
