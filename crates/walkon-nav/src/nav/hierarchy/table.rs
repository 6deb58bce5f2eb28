//! Costs and ways within a small part of the ground.
//!
//! In: a part of a thousand cells at most, laid out once for many questions; a cell in it. Out: the cost of
//! every other, or the cheapest way to one. Holds: no way leaves the part; costs are those of the map's own
//! searches. Memory: 8 kB.

use crate::nav::NodeId;
use crate::nav::buckets::Buckets;
use crate::nav::cell::Cell;
use crate::nav::cell_rect::CellRect;
use crate::nav::cells::WeightedGround;
use crate::nav::cells::layout::{FACTOR_ONE, LEGAL, OFFSETS, Rates, StepKind, Unit};
use crate::nav::search_state::Flow;

/// Cells along a side of the largest part, as a power of two.
pub(crate) const SIDE_BITS: u32 = 5;
/// Cells along a side of the largest part.
pub(crate) const SIDE: u32 = 1 << SIDE_BITS;
/// Cells of the largest part.
const CELLS: usize = (SIDE * SIDE) as usize;

impl CellRect {
    /// The same with every side moved outward, as far as the ground goes.
    pub(crate) fn grown(self, cells: u32, ground: &WeightedGround) -> Self {
        let Cell { x, z } = self.end;
        Self {
            first: Cell { x: self.first.x.saturating_sub(cells), z: self.first.z.saturating_sub(cells) },
            end: Cell { x: (x + cells).min(ground.bits.width()), z: (z + cells).min(ground.bits.depth()) },
        }
    }

    #[inline(always)]
    fn local(self, Cell { x, z }: Cell) -> usize {
        (((z - self.first.z) << SIDE_BITS) + x - self.first.x) as usize
    }

    /// Bit n + 1 says whether the cell n cells along a row is walkable; bits beyond the ends are 0.
    fn row(self, ground: &WeightedGround, z: u32) -> u64 {
        let (first, end) = (self.first.x, self.end.x);
        let word = (first / 64) as usize;
        let mut bits = ground.bits.row_word(z, word) >> (first % 64);
        if (end - 1) / 64 != first / 64 {
            bits |= ground.bits.row_word(z, word + 1) << (64 - first % 64);
        }
        (bits & ((1 << (end - first)) - 1)) << 1
    }
}

/// Legal steps by three bits of the row before, of the cell's own, and of the one after; none where it is not
/// walkable itself.
const LEGAL_IN_ROWS: [u8; 512] = {
    let mut table = [0; 512];
    let mut index = 0;
    while index < 512 {
        let (above, own, below) = (index & 7, index >> 3 & 7, index >> 6);
        let around = own >> 2
            | below >> 2 << 1
            | (below >> 1 & 1) << 2
            | (below & 1) << 3
            | (own & 1) << 4
            | (above & 1) << 5
            | (above >> 1 & 1) << 6
            | above >> 2 << 7;
        table[index] = if own >> 1 & 1 != 0 { LEGAL[around] } else { 0 };
        index += 1;
    }
    table
};

/// A part as searches within it see it, and what the last one found.
#[derive(Clone, Debug)]
pub(crate) struct CellTable {
    part: CellRect,
    width: u32,
    /// Step costs at the cheapest factor of the open cells of the part.
    floor: Unit,
    rates: Rates,
    /// Walkable cells as [`CellRect::row`] has them, with a row of none before the first and after the last.
    rows: [u64; SIDE as usize + 2],
    factor: Vec<u16>,
    cost: Vec<u32>,
    /// The direction of the step by which a cell was reached.
    arrival: Vec<u8>,
    queue: Buckets,
    spent: u32,
}

impl Default for CellTable {
    fn default() -> Self {
        Self {
            part: CellRect::default(),
            width: 0,
            floor: Unit::default(),
            rates: Rates::new(Unit::default()),
            rows: [0; SIDE as usize + 2],
            factor: vec![FACTOR_ONE; CELLS],
            cost: vec![u32::MAX; CELLS],
            arrival: vec![0; CELLS],
            queue: Buckets::default(),
            spent: 0,
        }
    }
}

impl CellTable {
    /// Expansions of the last search.
    pub(crate) fn spent(&self) -> u32 {
        self.spent
    }

    /// What the last search found of a cell of its part; `u32::MAX` for no way.
    pub(crate) fn cost(&self, cell: Cell) -> u32 {
        self.cost[self.part.local(cell)]
    }

    /// Lays out a part for the searches that follow. Cost: a nanosecond a dozen cells where all are open.
    pub(crate) fn lay_out(&mut self, ground: &WeightedGround, part: CellRect) {
        (self.part, self.width, self.rates) = (part, ground.bits.width(), Rates::new(ground.unit));
        self.rows = [0; SIDE as usize + 2];
        let (columns, mut cheapest) = ((part.end.x - part.first.x) as usize, u16::MAX);
        let full = ((1_u64 << columns) - 1) << 1;
        for z in part.first.z..part.end.z {
            let mut open = part.row(ground, z);
            self.rows[(z - part.first.z + 1) as usize] = open;
            let (id, local) =
                ((z * self.width + part.first.x) as usize, part.local(Cell { x: part.first.x, z }));
            let own = &mut self.factor[local..local + columns];
            let Some(factors) = ground.factor.get(id..id + columns) else {
                own.fill(FACTOR_ONE);
                continue;
            };
            own.copy_from_slice(factors);
            if open == full {
                cheapest = cheapest.min(factors.iter().copied().min().unwrap_or(u16::MAX));
                continue;
            }
            // Bounded by the cells of the row.
            while open != 0 {
                cheapest = cheapest.min(factors[open.trailing_zeros() as usize - 1]);
                open &= open - 1;
            }
        }
        let is_even = ground.factor.is_empty();
        let cheapest = cheapest.max(ground.floor_factor());
        self.floor = if is_even { ground.floor() } else { ground.unit.scaled(cheapest) };
    }

    /// The steps that may be taken from a cell.
    #[inline(always)]
    fn legal(&self, local: usize) -> u8 {
        let (x, z) = (local & (SIDE as usize - 1), local >> SIDE_BITS & (SIDE as usize - 1));
        let bits = |row: usize| (self.rows[row] >> x & 7) as usize;
        LEGAL_IN_ROWS[bits(z) | bits(z + 1) << 3 | bits(z + 2) << 6]
    }

    /// What a step onto or from a cell costs.
    #[inline(always)]
    fn price(&self, local: usize, kind: StepKind) -> u32 {
        let factor = self.factor[local];
        match kind {
            StepKind::Straight => self.rates.straight(factor),
            StepKind::Diagonal => self.rates.diagonal(factor),
        }
    }

    /// The costs between a cell and all others of the part laid out.
    pub(crate) fn flood(&mut self, cell: Cell, flow: Flow) {
        match flow {
            Flow::From => self.search::<true>(cell, None, u32::MAX, |_| 0),
            Flow::To => self.search::<false>(cell, None, u32::MAX, |_| 0),
        }
    }

    /// The cheapest way within the part laid out, if it costs no more than a limit: appends its cells but the
    /// first, and returns the cost.
    pub(crate) fn way(&mut self, from: Cell, to: Cell, most: u32, out: &mut Vec<NodeId>) -> Option<u32> {
        // The ground of the part is often more expensive than the cheapest of the map, and the bound so much
        // better.
        let (floor, goal) = (self.floor, self.part.local(to));
        let (goal_x, goal_z) = (goal as u32 & (SIDE - 1), goal as u32 >> SIDE_BITS);
        let to_go = |local: usize| {
            let (x, z) = (local as u32 & (SIDE - 1), local as u32 >> SIDE_BITS);
            floor.octile(x.abs_diff(goal_x), z.abs_diff(goal_z))
        };
        self.search::<true>(from, Some(to), most, to_go);
        let cost = self.cost(to);
        if cost == u32::MAX {
            return None;
        }
        let begun = out.len();
        let mut at = to;
        // Bounded by the cells of the part: every step leads to a cheaper one.
        while at != from {
            out.push(NodeId(at.z * self.width + at.x));
            let (dx, dz) = OFFSETS[self.arrival[self.part.local(at)] as usize];
            at = Cell { x: at.x.wrapping_add_signed(-dx), z: at.z.wrapping_add_signed(-dz) };
        }
        out[begun..].reverse();
        Some(cost)
    }

    /// Goes from a cell to all others, or to a goal; against the steps unless `ONWARD`.
    #[inline(always)]
    fn search<const ONWARD: bool>(
        &mut self,
        from: Cell,
        goal: Option<Cell>,
        most: u32,
        to_go: impl Fn(usize) -> u32,
    ) {
        let goal = goal.map_or(usize::MAX, |goal| self.part.local(goal));
        let source = self.part.local(from);
        self.cost.fill(u32::MAX);
        self.spent = 0;
        let first = to_go(source);
        self.queue.reset(first, self.floor.straight.ilog2().saturating_sub(RANGE_BITS));
        self.queue.push(first, source as u32);
        self.cost[source] = 0;
        let mut best = most.saturating_add(1);
        // Bounded by the cells of the part, once for each improvement of one.
        while let Some((f, local)) = self.queue.pop_below(best) {
            let here = local as usize;
            let so_far = self.cost[here];
            if f >= best || f != so_far.saturating_add(to_go(here)) {
                continue;
            }
            self.spent += 1;
            let onward = if here == source { !0 } else { AHEAD[self.arrival[here] as usize & 7] };
            let mut left = self.legal(here) & onward;
            while left != 0 {
                let direction = left.trailing_zeros() as usize;
                left &= left - 1;
                let to = here.wrapping_add_signed(STEPS[direction]);
                let price = self.price(if ONWARD { to } else { here }, StepKind::of(direction));
                let cost = so_far.saturating_add(price);
                if cost >= self.cost[to] {
                    continue;
                }
                let f = cost.saturating_add(to_go(to));
                if f >= best {
                    continue;
                }
                (self.cost[to], self.arrival[to]) = (cost, direction as u8);
                if to == goal {
                    best = cost;
                } else {
                    self.queue.push(f, to as u32);
                }
            }
        }
    }
}

/// Steps in places of a part.
const STEPS: [isize; 8] = {
    let mut steps = [0; 8];
    let mut direction = 0;
    while direction < 8 {
        let (dx, dz) = OFFSETS[direction];
        steps[direction] = dx as isize + dz as isize * SIDE as isize;
        direction += 1;
    }
    steps
};

/// By direction of arrival, the steps worth taking: not back, nor to where the cell before gets in one step
/// across an edge, which is always legal and never more expensive, whatever the factors.
const AHEAD: [u8; 8] = {
    let mut table = [0; 8];
    let mut direction = 0;
    while direction < 8 {
        let ahead = 0b1_1111_u8.rotate_left(6);
        table[direction] = ahead.rotate_left(direction as u32);
        direction += 1;
    }
    table
};

/// As in `cells/weighted_astar.rs`.
const RANGE_BITS: u32 = 2;

/// Lower bound of the cost between two cells.
pub(crate) fn octile(floor: Unit, a: Cell, b: Cell) -> u32 {
    floor.octile(a.x.abs_diff(b.x), a.z.abs_diff(b.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::nav::cells::{Bits, FACTOR_ONE};

    /// Costs of all cells of a part by going over all steps until nothing gets cheaper.
    fn brute(ground: &WeightedGround, part: CellRect, from: Cell, flow: Flow) -> Vec<u32> {
        let (rates, width) = (Rates::new(ground.unit), ground.bits.width());
        let id = |Cell { x, z }: Cell| (z * width + x) as usize;
        let mut cost = vec![u32::MAX; (width * ground.bits.depth()) as usize];
        cost[id(from)] = 0;
        loop {
            let before = cost.clone();
            for here in (part.first.z..part.end.z)
                .flat_map(|z| (part.first.x..part.end.x).map(move |x| Cell { x, z }))
                .filter(|&cell| cost[id(cell)] != u32::MAX)
                .collect::<Vec<_>>()
            {
                let beside = |(dx, dz): (i32, i32)| Cell {
                    x: here.x.wrapping_add_signed(dx),
                    z: here.z.wrapping_add_signed(dz),
                };
                let is_open = |step: (i32, i32)| {
                    let Cell { x, z } = beside(step);
                    let is_in = part.away(Cell { x, z }) == (0, 0) && x < width && z < ground.bits.depth();
                    is_in && ground.bits.get(x, z)
                };
                let around = (0..8).fold(0, |all, to| all | usize::from(is_open(OFFSETS[to])) << to);
                let legal = LEGAL[around];
                for direction in (0..8).filter(|direction| legal >> direction & 1 != 0) {
                    let next = beside(OFFSETS[direction]);
                    let entered = if flow == Flow::From { id(next) } else { id(here) };
                    let step = ground.step(&rates, entered, StepKind::of(direction));
                    cost[id(next)] = cost[id(next)].min(cost[id(here)] + step);
                }
            }
            if cost == before {
                return cost;
            }
        }
    }

    #[test]
    fn ways_and_floods_of_a_part_cost_what_going_over_all_steps_does() {
        let mut rng = Rng::stream(11, "parts");
        let mut table = CellTable::default();
        for _ in 0..60 {
            let (width, depth) = (rng.int(3, 90) as u32, rng.int(3, 40) as u32);
            let mut bits = Bits::new(width, depth);
            let share = rng.unit();
            let cells: Vec<Cell> = (0..depth).flat_map(|z| (0..width).map(move |x| Cell { x, z })).collect();
            cells.iter().for_each(|&Cell { x, z }| bits.set(x, z, rng.chance(1.0 - 0.4 * share)));
            let cheapest = FACTOR_ONE * 4 / 5;
            let factor: Vec<u16> =
                cells.iter().map(|_| cheapest + rng.below(u64::from(FACTOR_ONE)) as u16).collect();
            let unit = Unit::for_map(u64::from(width * depth), 2 * FACTOR_ONE);
            let ground = WeightedGround { factor: &factor, cheapest, unit, ..WeightedGround::even(&bits) };
            let first =
                Cell { x: rng.below(u64::from(width) / 2) as u32, z: rng.below(u64::from(depth) / 2) as u32 };
            let end = Cell {
                x: rng.int(i64::from(first.x) + 1, i64::from(width.min(first.x + SIDE))) as u32,
                z: rng.int(i64::from(first.z) + 1, i64::from(depth.min(first.z + SIDE))) as u32,
            };
            let part = CellRect { first, end };
            let open: Vec<Cell> = cells
                .iter()
                .copied()
                .filter(|&Cell { x, z }| part.away(Cell { x, z }) == (0, 0) && bits.get(x, z))
                .collect();
            let least = open.iter().map(|&Cell { x, z }| factor[(z * width + x) as usize]).min();
            let floor = least.map_or(u16::MAX, |least| least);
            table.lay_out(&ground, part);
            assert_eq!(table.floor, unit.scaled(floor), "{part:?}");
            let Some(&from) = open.first() else { continue };
            for flow in [Flow::From, Flow::To] {
                let expected = brute(&ground, part, from, flow);
                table.flood(from, flow);
                for &Cell { x, z } in &open {
                    assert_eq!(
                        table.cost(Cell { x, z }),
                        expected[(z * width + x) as usize],
                        "{from:?} to {x}, {z}"
                    );
                }
            }
            let expected = brute(&ground, part, from, Flow::From);
            for &Cell { x, z } in open.iter().skip(1).step_by(7) {
                let mut nodes = Vec::new();
                let cost = table.way(from, Cell { x, z }, u32::MAX, &mut nodes).unwrap_or(u32::MAX);
                assert_eq!(cost, expected[(z * width + x) as usize], "{from:?} to {x}, {z}");
                if cost != u32::MAX {
                    let limited =
                        [cost - 1, cost].map(|most| table.way(from, Cell { x, z }, most, &mut nodes));
                    assert_eq!(limited, [None, Some(cost)], "{from:?} to {x}, {z}");
                }
            }
        }
    }
}
