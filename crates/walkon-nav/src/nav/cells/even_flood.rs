//! Uniform-cost flood: the cost from one cell to all others, on ground of one price.
//!
//! In: walkable bits of any shape, a cell. Out: the cost of every cell that can be reached. Holds: costs are
//! those of searches; directions and gates are left aside; slices change nothing but when it is done. Steps
//! are of two lengths, or of four: cells that were reached by steps of one length wait in the order of their
//! costs anyway, so one plain queue for each takes the place of a priority queue. On plain squares a cell is
//! left only in the directions that its arrival leaves worth trying. Charge: 1 a pop. Not here: searches for
//! a goal (`weighted_astar`, `tile_astar`).

use std::collections::VecDeque;

use crate::nav::cell::Cell;
use crate::nav::cells::Bits;
use crate::nav::cells::bits::Cells;
use crate::nav::cells::lattice::{LEGAL_FOUR, LEGAL_SIX, Norm, Strides};
use crate::nav::cells::layout::{CANONICAL, Columns, FACTOR_ONE, LEGAL, Neighbours, OFFSETS, Unit};

/// Lengths of steps.
const LENGTHS: usize = 4;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct EvenFlood {
    strides: Strides,
    columns: Columns,
    first: u32,
    /// By cell: the cost so far; `u32::MAX` where nothing led.
    costs: Vec<u32>,
    /// By cell: directions it is left in, or will be.
    left_in: Vec<u8>,
    /// By length of the last step: cost, and cell and directions.
    queues: [VecDeque<(u32, u32)>; LENGTHS],
}

impl EvenFlood {
    /// Begins at a walkable cell.
    pub(crate) fn begin(bits: &Bits, unit: Unit, cell: u32) -> Self {
        let count = bits.width() as usize * bits.depth() as usize;
        let mut flood = Self {
            strides: Strides::new(unit, bits.shape()),
            columns: Columns::new(bits.width()),
            first: cell,
            costs: vec![u32::MAX; count],
            left_in: vec![0; count],
            queues: Default::default(),
        };
        flood.restart(bits, cell);
        flood
    }

    /// Begins again at another cell.
    pub(crate) fn restart(&mut self, bits: &Bits, cell: u32) {
        self.first = cell;
        self.costs.fill(u32::MAX);
        self.queues.iter_mut().for_each(VecDeque::clear);
        let at = self.columns.split(cell);
        if (cell as usize) < self.costs.len() && bits.get(at.x, at.z) {
            let directions = legal(bits)[bits.around(at, cell) as usize];
            (self.costs[cell as usize], self.left_in[cell as usize]) = (0, directions);
            self.queues[0].push_back((0, cell << 8 | u32::from(directions)));
        }
    }

    /// Goes on until nothing is left or it has spent `allowance`; whether nothing is left, and what was
    /// spent.
    pub(crate) fn step(&mut self, bits: &Bits, allowance: u32) -> (bool, u32) {
        match bits.shape().is_plain() {
            true => self.run::<true>(bits, allowance),
            false => self.run::<false>(bits, allowance),
        }
    }

    /// The cell it began at.
    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// What ways cost over open ground.
    pub(crate) fn norm(&self, bits: &Bits) -> Norm {
        self.strides.norm(bits.shape().neighbours, FACTOR_ONE)
    }

    /// The cost of a cell; None where nothing leads.
    #[inline]
    pub(crate) fn cost(&self, cell: u32) -> Option<u32> {
        Some(self.costs[cell as usize]).filter(|cost| *cost != u32::MAX)
    }

    fn run<const IS_PLAIN: bool>(&mut self, bits: &Bits, allowance: u32) -> (bool, u32) {
        let width = bits.width() as i32;
        let legal = legal(bits);
        let mut spent = 0;
        while spent < allowance {
            let front = |at: usize| self.queues[at].front().map_or(u32::MAX, |entry| entry.0);
            let mut next = (front(0), 0);
            for at in 1..if IS_PLAIN { 2 } else { LENGTHS } {
                if front(at) < next.0 {
                    next = (front(at), at);
                }
            }
            let Some((cost, value)) = self.queues[next.1].pop_front() else { return (true, spent) };
            spent += 1;
            let (id, mut left) = (value >> 8, value & 0xff);
            if self.costs[id as usize] != cost {
                continue;
            }
            while left != 0 {
                let direction = left.trailing_zeros() as usize;
                left &= left - 1;
                let (dx, dz) = OFFSETS[direction];
                let to = id.wrapping_add_signed(dx + dz * width);
                let there = cost.saturating_add(self.strides.length(direction));
                let known = &mut self.costs[to as usize];
                if *known < there {
                    continue;
                }
                let around = bits.around(Cell { x: 0, z: 0 }, to) as usize;
                let mut onward = match IS_PLAIN {
                    true => CANONICAL[direction][around],
                    false => legal[around] & !(1 << (direction ^ 4)),
                };
                if *known == there {
                    onward &= !self.left_in[to as usize];
                    self.left_in[to as usize] |= onward;
                } else {
                    (*known, self.left_in[to as usize]) = (there, onward);
                }
                if onward != 0 {
                    let queue = direction & if IS_PLAIN { 1 } else { LENGTHS - 1 };
                    self.queues[queue].push_back((there, to << 8 | u32::from(onward)));
                }
            }
        }
        (false, spent)
    }
}

/// Legal steps by what lies around.
fn legal(bits: &Bits) -> &'static [u8; 256] {
    match bits.shape().neighbours {
        Neighbours::Eight => &LEGAL,
        Neighbours::Four => &LEGAL_FOUR,
        Neighbours::Six => &LEGAL_SIX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::nav::NodeId;
    use crate::nav::cells::{Layout, TileGrid, WeightedGround};
    use crate::nav::search::Search;
    use crate::nav::search_state::Flow;

    #[test]
    fn costs_are_those_of_searches_on_every_layout_and_in_any_slices() {
        let mut rng = Rng::stream(4, "even floods");
        for round in 0..20 {
            for layout in Layout::ALL {
                let [columns, rows] = [0, 1].map(|_| 1 + rng.below(40) as u32);
                let tile_m = if rng.chance(0.5) { [1.0, 1.0] } else { [rng.float(1.0, 9.0), 2.0] };
                let grid = TileGrid { layout, columns, rows, tile_m, min: [0.0; 2], floor_y_m: 0.0 };
                let frame = grid.frame().expect("a frame");
                let (width, depth) = (frame.width, frame.depth);
                let mut bits = Bits::new(width, depth).shaped(frame.tiling.shape());
                let blocked = [0.0, 0.2, 0.45][round % 3];
                (0..width * depth).for_each(|id| bits.set(id % width, id / width, !rng.chance(blocked)));
                let seed = rng.below(u64::from(width * depth)) as u32;
                bits.set(seed % width, seed / width, true);
                let unit = Unit::for_map(u64::from(width * depth), FACTOR_ONE);
                let mut flood = EvenFlood::begin(&bits, unit, 0);
                flood.step(&bits, 20);
                flood.restart(&bits, seed);
                while !flood.step(&bits, 1 + rng.below(300) as u32).0 {}
                let ground = WeightedGround { unit, ..WeightedGround::even(&bits) };
                let mut search = Search::default();
                search.flood_tiles(&ground, NodeId(seed), Flow::To);
                for id in 0..width * depth {
                    let expected = search.flooded(NodeId(id));
                    assert_eq!(flood.cost(id), expected, "round {round}, {layout:?}, {id}");
                }
            }
        }
    }
}
