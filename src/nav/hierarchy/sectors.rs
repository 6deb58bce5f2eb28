//! Sectors, the gates between them, and what it costs to get from gate to gate within each.
//!
//! In: ground of one layout, then the parts of it that changed. Out: a graph of gates between two ends. Holds: the gates of a
//! border follow from the cells on both its sides alone, so both sectors know the same; what a sector holds follows from its own
//! cells and those along its borders. A border of many openings keeps the first eight gates: where that divides what is joined,
//! no way is found here. Memory: about half a byte a cell. Cost: making a sector takes a flood of it a gate.

use crate::base::cost::Cost;
use crate::nav::cells::layout::{Rates, Unit};
use crate::nav::cells::{Flow, Ground};
use crate::nav::hierarchy::table::{Part, Table, octile};
use crate::nav::{Graph, NodeId, Traversal};

/// Cells along a side of a sector. Twice as many make four times fewer gates and tables, but floods four times as long.
pub(crate) const SIDE: u32 = 32;
/// An opening has a gate for every so many cells. Half as many cost 1 to 2 % more at the first route, and half the floods.
const SPACING: u32 = 16;
/// Gates of one border at most.
const SLOTS: u32 = 8;
/// Node ids a sector takes: its gates by side, east, south, west, north, then along the side.
const NODES: u32 = 4 * SLOTS;

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sectors {
    unit: Unit,
    /// Cells.
    size: (u32, u32),
    across: u32,
    down: u32,
    sectors: Vec<Sector>,
}

#[derive(Clone, Debug, PartialEq)]
struct Sector {
    gates: Vec<Gate>,
    /// By slot: the place of its gate in the list, or its length and more.
    places: [u8; NODES as usize],
    /// By slot: how far along its side the gate lies, so that a bound of the cost to it reads nothing else.
    along: [u8; NODES as usize],
    /// From gate to gate within the sector, row by row; `u32::MAX` for no way.
    costs: Vec<u32>,
}

/// A way out of a sector: a cell of it, and the one beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gate {
    slot: u32,
    inner: (u32, u32),
    outer: (u32, u32),
    /// What the step out costs.
    toll: u32,
}

impl Default for Sector {
    fn default() -> Self {
        Self::new(Part::default(), Vec::new(), Vec::new())
    }
}

impl Sector {
    fn new(part: Part, gates: Vec<Gate>, costs: Vec<u32>) -> Self {
        let (mut places, mut along) = ([u8::MAX; NODES as usize], [0; NODES as usize]);
        for (place, gate) in (0..).zip(&gates) {
            let is_along_x = (gate.slot / SLOTS) & 1 != 0;
            let far = if is_along_x { gate.inner.0 - part.first.0 } else { gate.inner.1 - part.first.1 };
            places[gate.slot as usize] = place;
            along[gate.slot as usize] = far as u8;
        }
        Self { gates, places, along, costs }
    }
}

impl Sectors {
    /// Cost: a flood of a sector for each of its gates, for all sectors.
    pub(crate) fn new(ground: &Ground) -> Self {
        let (width, depth) = (ground.bits.width(), ground.bits.depth());
        let (across, down) = (width.div_ceil(SIDE), depth.div_ceil(SIDE));
        let sectors = vec![Sector::default(); (across * down) as usize];
        let mut all = Self { unit: ground.unit, size: (width, depth), across, down, sectors };
        let mut table = Table::default();
        (0..across * down).for_each(|sector| all.make(ground, sector, &mut table));
        all
    }

    /// Whether costs are counted as they were when these were made.
    pub(crate) fn is_in(&self, unit: Unit) -> bool {
        self.unit == unit
    }

    /// Memory taken.
    pub(crate) fn bytes(&self) -> usize {
        let of = |sector: &Sector| {
            size_of::<Sector>() + size_of_val(&sector.gates[..]) + size_of_val(&sector.costs[..])
        };
        self.sectors.iter().map(of).sum()
    }

    /// Makes anew what cells that changed have a part in: cells from `first` on, up to `end`, exclusive.
    pub(crate) fn redo(&mut self, ground: &Ground, changed: &[Part]) {
        let mut touched = Vec::new();
        for part in changed.iter().filter(|part| part.first.0 < part.end.0 && part.first.1 < part.end.1) {
            // Cells on a border have a part in the gates of the sector beyond.
            let part = part.grown(1, ground);
            for z in part.first.1 / SIDE..=(part.end.1 - 1) / SIDE {
                touched.extend((part.first.0 / SIDE..=(part.end.0 - 1) / SIDE).map(|x| z * self.across + x));
            }
        }
        touched.sort_unstable();
        touched.dedup();
        let mut table = Table::default();
        touched.into_iter().for_each(|sector| self.make(ground, sector, &mut table));
    }

    fn make(&mut self, ground: &Ground, sector: u32, table: &mut Table) {
        let part = self.part(sector);
        let gates: Vec<Gate> = (0..4).flat_map(|side| self.gates(ground, sector, side)).collect();
        let mut costs = Vec::with_capacity(gates.len() * gates.len());
        for from in &gates {
            table.flood(ground, part, from.inner, Flow::From);
            costs.extend(gates.iter().map(|to| table.cost(to.inner)));
        }
        self.sectors[sector as usize] = Sector::new(part, gates, costs);
    }

    /// The cells of a sector.
    pub(crate) fn part(&self, sector: u32) -> Part {
        let first = (sector % self.across * SIDE, sector / self.across * SIDE);
        let end = ((first.0 + SIDE).min(self.size.0), (first.1 + SIDE).min(self.size.1));
        Part { first, end }
    }

    /// The sector that holds a cell.
    pub(crate) fn sector(&self, (x, z): (u32, u32)) -> u32 {
        z / SIDE * self.across + x / SIDE
    }

    fn beyond(&self, sector: u32, side: u32) -> Option<u32> {
        let (x, z) = (sector % self.across, sector / self.across);
        match side {
            0 => (x + 1 < self.across).then(|| sector + 1),
            1 => (z + 1 < self.down).then(|| sector + self.across),
            2 => (x > 0).then(|| sector - 1),
            _ => (z > 0).then(|| sector - self.across),
        }
    }

    /// The gates of one side: for every opening, evenly spread, where crossing is cheapest.
    fn gates(&self, ground: &Ground, sector: u32, side: u32) -> Vec<Gate> {
        let mut gates = Vec::new();
        if self.beyond(sector, side).is_none() {
            return gates;
        }
        let Part { first, end } = self.part(sector);
        let pair = |at: u32| match side {
            0 => ((end.0 - 1, at), (end.0, at)),
            1 => ((at, end.1 - 1), (at, end.1)),
            2 => ((first.0, at), (first.0 - 1, at)),
            _ => ((at, first.1), (at, first.1 - 1)),
        };
        let range = if side & 1 == 0 { first.1..end.1 } else { first.0..end.0 };
        let rates = Rates::new(ground.unit);
        let toll = |(x, z): (u32, u32)| ground.step(&rates, (z * ground.bits.width() + x) as usize, false);
        let is_open = |at: u32| {
            let (inner, outer) = pair(at);
            ground.bits.get(inner.0, inner.1) && ground.bits.get(outer.0, outer.1)
        };
        let mut at = range.start;
        while at < range.end {
            let run = (at..range.end).take_while(|&at| is_open(at)).count() as u32;
            let pieces = run.div_ceil(SPACING);
            for piece in 0..pieces {
                let (low, high) = (at + piece * run / pieces, at + (piece + 1) * run / pieces);
                let rank = |&at: &u32| {
                    let (inner, outer) = pair(at);
                    (u64::from(toll(inner)) + u64::from(toll(outer)), (2 * at + 1).abs_diff(low + high), at)
                };
                let Some(best) = (low..high).min_by_key(rank) else { continue };
                let slot = side * SLOTS + gates.len() as u32;
                if gates.len() < SLOTS as usize {
                    let (inner, outer) = pair(best);
                    gates.push(Gate { slot, inner, outer, toll: toll(outer) });
                }
            }
            at += run + 1;
        }
        gates
    }
}

/// An end of a route: its cell, and what it costs between it and the gates of its sector.
#[derive(Clone, Debug, Default)]
pub(crate) struct RouteEnd {
    pub(crate) cell: (u32, u32),
    sector: u32,
    costs: Vec<u32>,
}

impl RouteEnd {
    /// Where a route begins (`Flow::From`) or ends (`Flow::To`). Cost: a flood of the sector, which stays in `table`.
    pub(crate) fn new(
        sectors: &Sectors,
        ground: &Ground,
        cell: (u32, u32),
        flow: Flow,
        table: &mut Table,
    ) -> Self {
        let sector = sectors.sector(cell);
        table.flood(ground, sectors.part(sector), cell, flow);
        let gates = &sectors.sectors[sector as usize].gates;
        Self { cell, sector, costs: gates.iter().map(|gate| table.cost(gate.inner)).collect() }
    }
}

/// The gates, by which one leaves the one end and comes to the other. A node is a gate of the sector that was entered by it.
pub(crate) struct Gates<'a> {
    pub(crate) sectors: &'a Sectors,
    pub(crate) floor: Unit,
    pub(crate) ends: &'a [RouteEnd; 2],
}

impl Gates<'_> {
    /// The node of the first end; the next is that of the other.
    pub(crate) fn first_end(&self) -> u32 {
        self.sectors.sectors.len() as u32 * NODES
    }

    fn gate(&self, node: NodeId) -> Option<(u32, usize, &Gate)> {
        let (sector, slot) = (node.0 / NODES, node.0 % NODES);
        let holds = &self.sectors.sectors.get(sector as usize)?;
        let place = usize::from(holds.places[slot as usize]);
        Some((sector, place, holds.gates.get(place)?))
    }

    /// The cell in which a sector is entered by a gate, and the one before.
    pub(crate) fn cells(&self, node: NodeId) -> Option<[(u32, u32); 2]> {
        self.gate(node).map(|(_, _, gate)| [gate.inner, gate.outer])
    }

    fn cell(&self, node: NodeId) -> (u32, u32) {
        let (sector, slot) = (node.0 / NODES, node.0 % NODES);
        let Some(holds) = self.sectors.sectors.get(sector as usize) else {
            return self.ends[usize::from(node.0 != self.first_end())].cell;
        };
        let (part, along) = (self.sectors.part(sector), u32::from(holds.along[slot as usize]));
        match slot / SLOTS {
            0 => (part.end.0 - 1, part.first.1 + along),
            1 => (part.first.0 + along, part.end.1 - 1),
            2 => (part.first.0, part.first.1 + along),
            _ => (part.first.0 + along, part.first.1),
        }
    }

    /// All ways out of a sector, given what it costs to get to its gates.
    fn leave(&self, sector: u32, costs: &[u32], visit: &mut impl FnMut(NodeId, Cost)) {
        for (gate, &cost) in self.sectors.sectors[sector as usize].gates.iter().zip(costs) {
            let (side, along) = (gate.slot / SLOTS, gate.slot % SLOTS);
            if let (true, Some(beyond)) = (cost != u32::MAX, self.sectors.beyond(sector, side)) {
                let node = beyond * NODES + (side ^ 2) * SLOTS + along;
                visit(NodeId(node), Cost(cost) + Cost(gate.toll));
            }
        }
    }
}

impl Graph for Gates<'_> {
    fn node_count(&self) -> u32 {
        self.first_end() + 2
    }

    fn for_each_edge(&self, from: NodeId, _by: &Traversal, visit: &mut impl FnMut(NodeId, Cost)) {
        let [start, goal] = self.ends;
        let Some((sector, place, _)) = self.gate(from) else {
            if from.0 == self.first_end() {
                self.leave(start.sector, &start.costs, visit);
            }
            return;
        };
        if let (true, Some(&cost)) = (sector == goal.sector, goal.costs.get(place)) {
            visit(NodeId(self.first_end() + 1), Cost(cost));
        }
        let holds = &self.sectors.sectors[sector as usize];
        let count = holds.gates.len();
        self.leave(sector, &holds.costs[place * count..(place + 1) * count], visit);
    }

    fn heuristic(&self, from: NodeId, to: NodeId, _by: &Traversal) -> Cost {
        Cost(octile(self.floor, self.cell(from), self.cell(to)))
    }
}
