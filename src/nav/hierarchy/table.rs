//! Costs and ways within a small part of the ground.
//!
//! In: a part of at most a few thousand cells, a cell in it. Out: the cost of every other, or the cheapest way to one.
//! Holds: no way leaves the part; costs are those of the map's own searches. Memory: 7 bytes a cell of the part.

use crate::nav::NodeId;
use crate::nav::buckets::Buckets;
use crate::nav::cells::bits::Cells;
use crate::nav::cells::layout::{LEGAL, OFFSETS, Rates, Unit};
use crate::nav::cells::{Flow, Ground};

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) first: (u32, u32),
    /// The cell after the last along each axis.
    pub(crate) end: (u32, u32),
}

impl Part {
    /// The smallest that holds two.
    pub(crate) fn union(self, other: Self) -> Self {
        let (a, b) = (self.first, other.first);
        let (c, d) = (self.end, other.end);
        Self { first: (a.0.min(b.0), a.1.min(b.1)), end: (c.0.max(d.0), c.1.max(d.1)) }
    }

    /// The same with every side moved outward, as far as the ground goes.
    pub(crate) fn grown(self, cells: u32, ground: &Ground) -> Self {
        let (x, z) = self.end;
        Self {
            first: (self.first.0.saturating_sub(cells), self.first.1.saturating_sub(cells)),
            end: ((x + cells).min(ground.bits.width()), (z + cells).min(ground.bits.depth())),
        }
    }

    /// Rows are as long as a power of two, so that cells come from places without a division.
    #[inline(always)]
    fn row_bits(self) -> u32 {
        (self.end.0 - self.first.0).next_power_of_two().trailing_zeros()
    }

    #[inline(always)]
    fn local(self, (x, z): (u32, u32)) -> u32 {
        ((z - self.first.1) << self.row_bits()) + x - self.first.0
    }

    #[inline(always)]
    fn cell(self, local: u32) -> (u32, u32) {
        let row_bits = self.row_bits();
        (self.first.0 + (local & ((1 << row_bits) - 1)), self.first.1 + (local >> row_bits))
    }

    /// Step costs at the cheapest factor of its open cells. Cost: a look at its cells, a nanosecond a dozen where all are open.
    fn floor(self, ground: &Ground) -> Unit {
        if ground.factor.is_empty() {
            return ground.floor();
        }
        let mut cheapest = u16::MAX;
        for z in self.first.1..self.end.1 {
            let row = &ground.factor[(z * ground.bits.width()) as usize..];
            for word in self.first.0 / 64..=(self.end.0 - 1) / 64 {
                let (low, high) = (self.first.0.max(64 * word), self.end.0.min(64 * word + 64));
                let mut open = ground.bits.row_word(z, word as usize) >> (low % 64);
                open &= !0 >> (64 - (high - low));
                if open == !0 >> (64 - (high - low)) {
                    let least = row[low as usize..high as usize].iter().copied().min();
                    cheapest = cheapest.min(least.unwrap_or(u16::MAX));
                    continue;
                }
                while open != 0 {
                    cheapest = cheapest.min(row[(low + open.trailing_zeros()) as usize]);
                    open &= open - 1;
                }
            }
        }
        ground.unit.scaled(cheapest.max(ground.floor_factor()))
    }

    /// Which of the eight neighbours of a cell lie within.
    fn around(self, (x, z): (u32, u32)) -> u8 {
        let mut inside = 0xff;
        for (is_edge, sides) in [
            (x + 1 == self.end.0, 0b1000_0011_u8),
            (z + 1 == self.end.1, 0b0000_1110),
            (x == self.first.0, 0b0011_1000),
            (z == self.first.1, 0b1110_0000),
        ] {
            inside &= if is_edge { !sides } else { 0xff };
        }
        inside
    }
}

/// What is asked of a search within a part.
struct Question {
    part: Part,
    from: (u32, u32),
    /// None for the costs of all cells.
    goal: Option<(u32, u32)>,
    flow: Flow,
}

/// Buffers for searches within parts, and what the last one found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    part: Part,
    cost: Vec<u32>,
    /// The direction of the step by which a cell was reached.
    arrival: Vec<u8>,
    queue: Buckets,
    spent: u32,
}

impl Table {
    /// Expansions of the last search.
    pub(crate) fn spent(&self) -> u32 {
        self.spent
    }

    /// What the last search found of a cell of its part; `u32::MAX` for no way.
    pub(crate) fn cost(&self, cell: (u32, u32)) -> u32 {
        self.cost[self.part.local(cell) as usize]
    }

    /// The costs between a cell and all others of a part.
    pub(crate) fn flood(&mut self, ground: &Ground, part: Part, cell: (u32, u32), flow: Flow) {
        self.search(ground, &Question { part, from: cell, goal: None, flow }, |_| 0);
    }

    /// The cheapest way within a part: appends its cells but the first, and returns the cost.
    pub(crate) fn way(
        &mut self,
        ground: &Ground,
        part: Part,
        (from, to): ((u32, u32), (u32, u32)),
        out: &mut Vec<NodeId>,
    ) -> Option<u32> {
        // The ground of the part is often dearer than the cheapest of the map, and the bound so much better.
        let floor = part.floor(ground);
        let to_go = |cell: (u32, u32)| octile(floor, cell, to);
        self.search(ground, &Question { part, from, goal: Some(to), flow: Flow::From }, to_go);
        let cost = self.cost(to);
        if cost == u32::MAX {
            return None;
        }
        let begun = out.len();
        let mut at = to;
        // Bounded by the cells of the part: every step leads to a cheaper one.
        while at != from {
            out.push(NodeId(at.1 * ground.bits.width() + at.0));
            let (dx, dz) = OFFSETS[self.arrival[part.local(at) as usize] as usize];
            at = (at.0.wrapping_add_signed(-dx), at.1.wrapping_add_signed(-dz));
        }
        out[begun..].reverse();
        Some(cost)
    }

    fn search(&mut self, ground: &Ground, ask: &Question, to_go: impl Fn((u32, u32)) -> u32) {
        let Question { part, from, goal, flow } = *ask;
        let goal = goal.map_or(u32::MAX, |goal| part.local(goal));
        let count = ((part.end.1 - part.first.1) << part.row_bits()) as usize;
        self.part = part;
        self.cost.clear();
        self.cost.resize(count, u32::MAX);
        self.arrival.resize(count.max(self.arrival.len()), 0);
        self.spent = 0;
        let (rates, width) = (Rates::new(ground.unit), ground.bits.width());
        let id = |(x, z): (u32, u32)| z * width + x;
        let first = to_go(from);
        self.queue.reset(first, ground.floor().straight.ilog2().saturating_sub(RANGE_BITS));
        let source = part.local(from);
        self.queue.push(first, source);
        self.cost[source as usize] = 0;
        let mut best = u32::MAX;
        // Bounded by the cells of the part, once for each improvement of one.
        while let Some((f, local)) = self.queue.pop_below(best) {
            let (cell, so_far) = (part.cell(local), self.cost[local as usize]);
            if f >= best || f != so_far.saturating_add(to_go(cell)) {
                continue;
            }
            self.spent += 1;
            let here = id(cell);
            let onward = if local == source { !0 } else { ONWARD[self.arrival[local as usize] as usize] };
            let mut left = LEGAL[(ground.bits.around(cell, here) & part.around(cell)) as usize] & onward;
            while left != 0 {
                let direction = left.trailing_zeros() as usize;
                left &= left - 1;
                let (dx, dz) = OFFSETS[direction];
                let next = (cell.0.wrapping_add_signed(dx), cell.1.wrapping_add_signed(dz));
                let entered = if flow == Flow::From { id(next) } else { here };
                let cost = so_far.saturating_add(ground.step(&rates, entered as usize, direction & 1 != 0));
                let to = part.local(next);
                if cost < self.cost[to as usize] {
                    (self.cost[to as usize], self.arrival[to as usize]) = (cost, direction as u8);
                    if to == goal {
                        best = cost;
                    } else {
                        self.queue.push(cost.saturating_add(to_go(next)), to);
                    }
                }
            }
        }
    }
}

/// By direction of arrival, the steps worth taking: not back, nor to where the cell before gets in one step across an edge, which
/// is always legal and never dearer, whatever the factors.
const ONWARD: [u8; 8] = {
    let mut table = [0; 8];
    let mut direction = 0;
    while direction < 8 {
        let ahead = 0b1_1111_u8.rotate_left(6);
        table[direction] = ahead.rotate_left(direction as u32);
        direction += 1;
    }
    table
};

/// As in `cells/weighted.rs`.
const RANGE_BITS: u32 = 2;

/// Lower bound of the cost between two cells.
pub(crate) fn octile(floor: Unit, a: (u32, u32), b: (u32, u32)) -> u32 {
    floor.octile(a.0.abs_diff(b.0), a.1.abs_diff(b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::nav::cells::{Bits, FACTOR_ONE};

    /// Costs of all cells of a part by going over all steps until nothing gets cheaper.
    fn brute(ground: &Ground, part: Part, from: (u32, u32), flow: Flow) -> Vec<u32> {
        let (rates, width) = (Rates::new(ground.unit), ground.bits.width());
        let id = |(x, z): (u32, u32)| (z * width + x) as usize;
        let mut cost = vec![u32::MAX; (width * ground.bits.depth()) as usize];
        cost[id(from)] = 0;
        loop {
            let before = cost.clone();
            for (x, z) in (part.first.1..part.end.1)
                .flat_map(|z| (part.first.0..part.end.0).map(move |x| (x, z)))
                .filter(|&cell| cost[id(cell)] != u32::MAX)
                .collect::<Vec<_>>()
            {
                let legal =
                    LEGAL[(ground.bits.around((x, z), id((x, z)) as u32) & part.around((x, z))) as usize];
                for direction in (0..8).filter(|direction| legal >> direction & 1 != 0) {
                    let (dx, dz) = OFFSETS[direction];
                    let next = (x.wrapping_add_signed(dx), z.wrapping_add_signed(dz));
                    let entered = if flow == Flow::From { id(next) } else { id((x, z)) };
                    let step = ground.step(&rates, entered, direction & 1 != 0);
                    cost[id(next)] = cost[id(next)].min(cost[id((x, z))] + step);
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
        let mut table = Table::default();
        for _ in 0..60 {
            let (width, depth) = (rng.int(3, 90) as u32, rng.int(3, 24) as u32);
            let mut bits = Bits::new(width, depth);
            let share = rng.unit();
            let cells: Vec<(u32, u32)> = (0..depth).flat_map(|z| (0..width).map(move |x| (x, z))).collect();
            cells.iter().for_each(|&(x, z)| bits.set(x, z, rng.chance(1.0 - 0.4 * share)));
            let cheapest = FACTOR_ONE * 4 / 5;
            let factor: Vec<u16> =
                cells.iter().map(|_| cheapest + rng.below(u64::from(FACTOR_ONE)) as u16).collect();
            let unit = Unit::for_map(u64::from(width * depth), 2 * FACTOR_ONE);
            let ground = Ground { factor: &factor, cheapest, unit, ..Ground::even(&bits) };
            let first = (rng.below(u64::from(width) / 2) as u32, rng.below(u64::from(depth) / 2) as u32);
            let end = (
                rng.int(i64::from(first.0) + 1, i64::from(width)) as u32,
                rng.int(i64::from(first.1) + 1, i64::from(depth)) as u32,
            );
            let part = Part { first, end };
            let open: Vec<(u32, u32)> = cells
                .iter()
                .copied()
                .filter(|&(x, z)| x >= first.0 && x < end.0 && z >= first.1 && z < end.1 && bits.get(x, z))
                .collect();
            let least = open.iter().map(|&(x, z)| factor[(z * width + x) as usize]).min();
            let floor = least.map_or(u16::MAX, |least| least);
            assert_eq!(part.floor(&ground), unit.scaled(floor), "{part:?}");
            let Some(&from) = open.first() else { continue };
            for flow in [Flow::From, Flow::To] {
                let expected = brute(&ground, part, from, flow);
                table.flood(&ground, part, from, flow);
                for &(x, z) in &open {
                    assert_eq!(
                        table.cost((x, z)),
                        expected[(z * width + x) as usize],
                        "{from:?} to {x}, {z}"
                    );
                }
            }
            let expected = brute(&ground, part, from, Flow::From);
            for &(x, z) in open.iter().skip(1).step_by(7) {
                let mut nodes = Vec::new();
                let cost = table.way(&ground, part, (from, (x, z)), &mut nodes);
                assert_eq!(
                    cost.unwrap_or(u32::MAX),
                    expected[(z * width + x) as usize],
                    "{from:?} to {x}, {z}"
                );
            }
        }
    }
}
