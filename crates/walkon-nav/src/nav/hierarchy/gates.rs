//! A* over the gates between sectors.
//!
//! In: sectors and two ends. Out: a `Search` that found the cheapest way by gates. Holds: of ways that cost
//! the same it finds the one whose gates, from the goal back, have the lowest ids, so that bounds change only
//! how much is looked at. Charge: 1 a pop.

use crate::nav::NodeId;
use crate::nav::cell::Cell;
use crate::nav::cells::WeightedGround;
use crate::nav::cells::layout::Unit;
use crate::nav::hierarchy::alt_heuristic::GateGoal;
use crate::nav::hierarchy::sector_grid::{Gate, NODES};
use crate::nav::hierarchy::sectors::Sectors;
use crate::nav::hierarchy::table::{CellTable, octile};
use crate::nav::search::Search;
use crate::nav::search_state::Flow;
use crate::nav::search_state::{Ends, Kernel, NodeRecord, SearchStep, WAITING};

/// An end of a route: its cell, and what it costs between it and the gates of its sector: out by each, or
/// from each.
#[derive(Clone, Debug, Default)]
pub(crate) struct RouteEnd {
    pub(crate) cell: Cell,
    sector: u32,
    costs: Vec<u32>,
}

impl RouteEnd {
    /// Where a route begins (`Flow::From`) or ends (`Flow::To`). Cost: a flood of the sector, which stays in
    /// `table`.
    pub(crate) fn new(
        sectors: &Sectors,
        ground: &WeightedGround,
        cell: Cell,
        flow: Flow,
        table: &mut CellTable,
    ) -> Self {
        let sector = sectors.sector(cell);
        table.lay_out(ground, sectors.part(sector));
        table.flood(cell, flow);
        let gates = &sectors.all()[sector as usize].gates;
        let cost = |gate: Gate| table.cost(sectors.inner(sector, gate));
        let out = |gate: Gate| cost(gate).saturating_add(if flow == Flow::From { gate.toll } else { 0 });
        Self { cell, sector, costs: gates.iter().map(|gate| out(*gate)).collect() }
    }

    /// The gates by which the sector is entered, and the costs from there.
    pub(crate) fn entries(&self, sectors: &Sectors) -> Vec<(u32, u32)> {
        let gates = sectors.all()[self.sector as usize].gates.iter().zip(&self.costs);
        gates.map(|(gate, &cost)| (self.sector * NODES + u32::from(gate.slot), cost)).collect()
    }
}

/// The gates, by which one leaves the one end and comes to the other. A node is a gate of the sector that was
/// entered by it.
#[derive(Clone, Copy)]
pub(crate) struct GateSearch<'a> {
    pub(crate) sectors: &'a Sectors,
    pub(crate) floor: Unit,
    pub(crate) ends: &'a [RouteEnd; 2],
    pub(crate) far: &'a GateGoal,
}

impl GateSearch<'_> {
    /// What is known of the goal.
    pub(crate) fn far_goal(sectors: &Sectors, floor: Unit, goal: &RouteEnd) -> GateGoal {
        sectors.far().goal(goal.cell, floor, goal.entries(sectors))
    }

    /// The node of the first end; the next is that of the other.
    fn first_end(&self) -> u32 {
        self.sectors.all().len() as u32 * NODES
    }

    /// The cell in which a sector is entered by a gate, and the one before.
    pub(crate) fn cells(&self, node: NodeId) -> Option<[Cell; 2]> {
        let (_, gate) = self.sectors.gate(node.0)?;
        let sector = node.0 / NODES;
        Some([self.sectors.inner(sector, gate), self.sectors.outer(sector, gate)])
    }

    /// Lower bound of the cost from a gate, entered in a cell, to the goal.
    #[inline(always)]
    fn to_go(self, node: u32, cell: Cell) -> u32 {
        let far = self.sectors.far().bound(self.far, node, cell, self.floor);
        far.max(octile(self.floor, cell, self.ends[1].cell))
    }
}

impl Search {
    /// Begins a search from gate to gate.
    pub(crate) fn begin_gates(&mut self, gates: &GateSearch) {
        let first = gates.first_end();
        let ends = Ends { start: NodeId(first), goal: NodeId(first + 1) };
        self.begin(Kernel::Gates, first + 2, ends);
        let h = octile(gates.floor, gates.ends[0].cell, gates.ends[1].cell);
        self.queue.reset(h, gates.floor.straight.ilog2());
        self.queue.push(h, first);
    }

    /// Goes on until it ends or has spent the allowance.
    pub(crate) fn step_gates(&mut self, gates: &GateSearch, allowance: u32) -> SearchStep {
        let stop_at = self.spent.saturating_add(allowance);
        // Bounded by the allowance, and by one entry for every improvement of a gate.
        while self.state == SearchStep::Running && self.spent < stop_at {
            // Those that cost as much as the way found may yet give it another gate.
            let Some((f, node)) = self.queue.pop_below(self.best.saturating_add(1)) else {
                return self.finish();
            };
            if f <= self.best && self.claim(node) {
                self.spent += 1;
                self.pass(gates, node);
            }
        }
        self.state
    }

    /// Goes on from a gate to all others of the sector entered by it, and out by them.
    fn pass(&mut self, gates: &GateSearch, node: u32) {
        let [start, goal] = gates.ends;
        let g = self.records[node as usize].g;
        let (sector, place) = match gates.sectors.gate(node) {
            Some((place, _)) => (node / NODES, Some(place)),
            None => (start.sector, None),
        };
        let holds = &gates.sectors.all()[sector as usize];
        let costs = place.map_or(&start.costs[..], |place| holds.costs(place));
        if let (true, Some(&cost)) = (sector == goal.sector, place.and_then(|place| goal.costs.get(place))) {
            let (end, g) = (gates.first_end() + 1, g.saturating_add(cost));
            if cost != u32::MAX && self.enter(end, g, node) {
                self.best = g;
            }
        }
        for (nth, (gate, &cost)) in holds.gates.iter().zip(costs).enumerate() {
            let g = g.saturating_add(cost);
            if g > self.best || cost == u32::MAX || place == Some(nth) {
                continue;
            }
            let beyond = gates.sectors.across(sector, *gate);
            if self.enter(beyond, g, node) {
                let f = g.saturating_add(gates.to_go(beyond, gates.sectors.outer(sector, *gate)));
                if f <= self.best {
                    self.queue.push(f, beyond);
                }
            }
        }
    }

    /// Records a way to a gate unless a better one is known; whether it is cheaper than any before.
    #[inline(always)]
    fn enter(&mut self, node: u32, g: u32, parent: u32) -> bool {
        let record = &mut self.records[node as usize];
        if record.stamp >> 8 == self.generation && record.g <= g {
            if record.g == g {
                record.parent = record.parent.min(parent);
            }
            return false;
        }
        *record = NodeRecord { g, parent, stamp: self.generation << 8 | WAITING };
        true
    }
}
