//! The ALT heuristic for ways by gates: lower bounds of costs, from true costs to a few far gates.
//!
//! In: sectors, then those that changed. Out: for a goal, a bound of the cost from any gate. Holds: a bound
//! never exceeds the true cost of a way by gates; it allows for all ways that lead through sectors that
//! changed. The bounds are not consistent, so a search may expand a gate more than once. Memory: 16 bytes a
//! gate. Source: see `nav/landmarks.rs`, over costs that are the same both ways round: the lower of the two.

use crate::nav::buckets::Buckets;
use crate::nav::cell::Cell;
use crate::nav::cell_rect::CellRect;
use crate::nav::cells::layout::Unit;
use crate::nav::hierarchy::sector_grid::{NODES, SectorGrid};
use crate::nav::landmarks::{ChangedGround, CostStep, FarPlaces, LandmarkGoal, PLACES};

/// Of a gate that no way joins with a place.
const MUTE: u16 = u16::MAX;

/// See the module. `Default` knows nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct GateLandmarks {
    /// By sector: which slots had a gate, and the index of the first.
    index: Vec<(u32, u32)>,
    /// Costs are kept in steps of this, rounded down.
    step: CostStep,
    kept: Vec<[u16; PLACES]>,
    /// Sectors that are no more what they were.
    changed: ChangedGround,
}

/// What is known of a goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GateGoal {
    lanes: LandmarkGoal<u16, PLACES>,
    /// At least this much is left once one has left the sectors that changed.
    beyond: u32,
}

impl GateLandmarks {
    /// Cost: a flood of all gates for each place, and one more.
    pub(crate) fn new(sectors: &SectorGrid) -> Self {
        let mut count = 0;
        let index: Vec<(u32, u32)> = sectors
            .all()
            .iter()
            .map(|sector| {
                let first = count;
                count += sector.gates.len() as u32;
                (sector.slots(), first)
            })
            .collect();
        let mut far = Self { index, ..Self::default() };
        let mut queue = Buckets::default();
        let Some(seed) = far.seed(sectors, count as usize, &mut queue) else { return far };
        let mut places = FarPlaces::from_table(far.flood(sectors, seed, &mut queue));
        let mut tables: Vec<Vec<u32>> = Vec::with_capacity(PLACES);
        for _ in 0..PLACES {
            let table = far.flood(sectors, far.node(places.furthest() as u32), &mut queue);
            places.add(&table);
            tables.push(table);
        }
        let step = CostStep::for_tables(&tables, u32::from(MUTE) - 1);
        let keep = |cost: u32| if cost == u32::MAX { MUTE } else { step.down(cost.into()) as u16 };
        let keep_all = |at: usize| std::array::from_fn(|place| keep(tables[place][at]));
        (far.step, far.kept) = (step, (0..count as usize).map(keep_all).collect());
        far
    }

    /// Memory taken.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.index[..]) + size_of_val(&self.kept[..])
    }

    /// Notes that a sector changed.
    pub(crate) fn forget(&mut self, part: CellRect) {
        self.changed.add(part);
    }

    /// The index of a node, in which the gates that there were stand side by side.
    #[inline(always)]
    fn at(&self, node: u32) -> Option<usize> {
        let &(slots, first) = self.index.get((node / NODES) as usize)?;
        let slot = node % NODES;
        (slots >> slot & 1 != 0).then(|| (first + (slots & ((1 << slot) - 1)).count_ones()) as usize)
    }

    /// The node of an index.
    fn node(&self, at: u32) -> u32 {
        let sector = self.index.partition_point(|&(_, first)| first <= at) - 1;
        let (mut slots, first) = self.index[sector];
        for _ in first..at {
            slots &= slots - 1;
        }
        sector as u32 * NODES + slots.trailing_zeros()
    }

    /// A gate of those that are joined with the most.
    fn seed(&self, sectors: &SectorGrid, count: usize, queue: &mut Buckets) -> Option<u32> {
        let mut seen = vec![false; count];
        let mut best = None;
        for at in 0..count {
            if seen[at] {
                continue;
            }
            let node = self.node(at as u32);
            let table = self.flood_into(sectors, node, queue, vec![u32::MAX; count]);
            let mut joined = 0;
            seen.iter_mut().zip(&table).filter(|(_, cost)| **cost != u32::MAX).for_each(|(seen, _)| {
                *seen = true;
                joined += 1;
            });
            if best.is_none_or(|(most, _)| joined > most) {
                best = Some((joined, node));
            }
            if 2 * joined > count {
                break;
            }
        }
        best.map(|(_, node)| node)
    }

    fn flood(&self, sectors: &SectorGrid, from: u32, queue: &mut Buckets) -> Vec<u32> {
        let count = sectors.all().iter().map(|sector| sector.gates.len()).sum();
        self.flood_into(sectors, from, queue, vec![u32::MAX; count])
    }

    /// The costs between a gate and all others.
    fn flood_into(
        &self,
        sectors: &SectorGrid,
        from: u32,
        queue: &mut Buckets,
        mut costs: Vec<u32>,
    ) -> Vec<u32> {
        queue.reset(0, QUEUE_SHIFT);
        let relax = |node: u32, cost: u32, costs: &mut [u32], queue: &mut Buckets| {
            if let Some(known) = self.at(node).and_then(|at| costs.get_mut(at)).filter(|known| cost < **known)
            {
                *known = cost;
                queue.push(cost, node);
            }
        };
        relax(from, 0, &mut costs, queue);
        // Bounded by the gates, once for each improvement of one.
        while let Some((cost, node)) = queue.pop_below(u32::MAX) {
            if self.at(node).is_none_or(|at| costs[at] != cost) {
                continue;
            }
            let (sector, Some((place, gate))) = (node / NODES, sectors.gate(node)) else { continue };
            let toll = sectors.least_toll(sector, gate);
            relax(sectors.across(sector, gate), cost.saturating_add(toll), &mut costs, queue);
            let holds = &sectors.all()[sector as usize];
            for (other, gate) in holds.gates.iter().enumerate() {
                if let Some(least) = holds.least(place, other) {
                    let node = sector * NODES + u32::from(gate.slot);
                    relax(node, cost.saturating_add(least), &mut costs, queue);
                }
            }
        }
        costs
    }

    /// What is known of a goal, given the gates of its sector and what it costs from each to it.
    pub(crate) fn goal(&self, cell: Cell, floor: Unit, gates: Vec<(u32, u32)>) -> GateGoal {
        let (mut least, mut most) = ([u64::MAX; PLACES], [0; PLACES]);
        for (node, cost) in gates.into_iter().filter(|(_, cost)| *cost != u32::MAX) {
            let kept = self.at(node).and_then(|at| self.kept.get(at)).unwrap_or(&[MUTE; PLACES]);
            for (place, &kept) in kept.iter().enumerate() {
                if kept == MUTE {
                    (least[place], most[place]) = (0, u64::from(MUTE));
                    continue;
                }
                let cost = u64::from(cost);
                let [low, high] =
                    [kept, kept.saturating_add(1)].map(|kept| u64::from(self.step.cost(kept.into())));
                least[place] = least[place].min(self.step.down(low + cost).saturating_sub(1));
                most[place] = most[place].max(self.step.up(high.saturating_sub(cost)));
            }
        }
        let narrow = |lanes: [u64; PLACES]| lanes.map(|lane| lane.min(u64::from(MUTE)) as u16);
        // Without a gate nothing leads there, and any bound will do.
        let lanes = LandmarkGoal { most: narrow(most), least: narrow(least) };
        GateGoal { lanes, beyond: self.to_changed(cell, floor) }
    }

    /// A bound of the cost from a gate, which lies beside a cell.
    #[inline(always)]
    pub(crate) fn bound(&self, goal: &GateGoal, node: u32, cell: Cell, floor: Unit) -> u32 {
        let kept = self.at(node).and_then(|at| self.kept.get(at));
        let bound = kept.map_or(0, |kept| self.step.cost(goal.lanes.bound(kept).into()));
        if self.changed.is_empty() {
            return bound;
        }
        bound.min(self.to_changed(cell, floor).saturating_add(goal.beyond))
    }

    /// What it costs at least to get from a cell to a sector that changed, or back.
    fn to_changed(&self, cell: Cell, floor: Unit) -> u32 {
        self.changed.least(cell, |dx, dz| floor.octile(dx, dz))
    }
}

/// Ranges of the queue: a fraction of a step, so that no gates are expanded twice.
const QUEUE_SHIFT: u32 = 7;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::nav::cells::{Bits, FACTOR_ONE, WeightedGround};
    use crate::nav::hierarchy::gates::{GateSearch, RouteEnd};
    use crate::nav::hierarchy::sectors::Sectors;
    use crate::nav::hierarchy::table::{CellTable, octile};
    use crate::nav::search::Search;
    use crate::nav::search_state::Flow;
    use crate::nav::search_state::SearchStep;

    const SIZE: (u32, u32) = (170, 140);

    /// What it costs from every gate to the goal, by going over all legs until nothing gets cheaper.
    fn brute(sectors: &Sectors, ends: &[(u32, u32)]) -> Vec<u32> {
        let mut costs = vec![u32::MAX; sectors.all().len() * NODES as usize];
        ends.iter().for_each(|&(node, cost)| costs[node as usize] = cost);
        let mut is_done = false;
        while !is_done {
            is_done = true;
            for (sector, holds) in (0..).zip(sectors.all()) {
                for (place, gate) in holds.gates.iter().enumerate() {
                    let node = (sector * NODES + u32::from(gate.slot)) as usize;
                    for (out, &cost) in holds.gates.iter().zip(holds.costs(place)) {
                        let on = costs[sectors.across(sector, *out) as usize];
                        if cost.saturating_add(on) < costs[node] {
                            (costs[node], is_done) = (cost + on, false);
                        }
                    }
                }
            }
        }
        costs
    }

    #[test]
    fn bounds_never_exceed_what_a_way_costs_whatever_changed_since() {
        let mut rng = Rng::stream(5, "far gates");
        let (mut tight, mut table, mut search) = (0, CellTable::default(), Search::default());
        for round in 0..8 {
            let mut bits = Bits::new(SIZE.0, SIZE.1);
            let blocked = [0.0, 0.1, 0.3][round % 3];
            let mut factor = Vec::new();
            for (z, x) in (0..SIZE.1).flat_map(|z| (0..SIZE.0).map(move |x| (z, x))) {
                let is_wall = x % 40 == 39 && z % 50 > 5 || rng.chance(blocked);
                bits.set(x, z, !is_wall);
                factor.push(FACTOR_ONE + (x / 20 * 7 + z / 15 * 5) as u16 % 6 * 100);
            }
            let unit = Unit::for_map(u64::from(SIZE.0 * SIZE.1), 3 * FACTOR_ONE);
            let ground = WeightedGround { factor: &factor, unit, ..WeightedGround::even(&bits) };
            let mut sectors = Sectors::new(&ground);
            for _ in 0..4 {
                let ground = WeightedGround { factor: &factor, unit, ..WeightedGround::even(&bits) };
                let cells: Vec<Cell> = (0..200)
                    .map(|_| Cell { x: rng.below(SIZE.0.into()) as u32, z: rng.below(SIZE.1.into()) as u32 })
                    .filter(|&Cell { x, z }| bits.get(x, z))
                    .collect();
                let [start, goal] = [cells[0], cells[1]];
                let ends = [(start, Flow::From), (goal, Flow::To)]
                    .map(|(cell, flow)| RouteEnd::new(&sectors, &ground, cell, flow, &mut table));
                let far = GateSearch::far_goal(&sectors, ground.floor(), &ends[1]);
                let costs = brute(&sectors, &ends[1].entries(&sectors));
                for (node, &cost) in (0..).zip(&costs) {
                    let Some((_, gate)) = sectors.gate(node) else { continue };
                    let cell = sectors.inner(node / NODES, gate);
                    let bound = sectors.far().bound(&far, node, cell, ground.floor());
                    assert!(bound <= cost, "round {round}: {node} to {goal:?}, {bound} of {cost}");
                    let near = octile(ground.floor(), cell, goal);
                    tight += u32::from(cost != u32::MAX && bound > near);
                }
                let gates = GateSearch { sectors: &sectors, floor: ground.floor(), ends: &ends, far: &far };
                search.begin_gates(&gates);
                let step = search.step_gates(&gates, u32::MAX);
                let out = |(node, cost): (u32, u32)| {
                    let (_, gate) = sectors.gate(node).expect("a gate");
                    cost.saturating_add(costs[sectors.across(node / NODES, gate) as usize])
                };
                let best =
                    ends[0].entries(&sectors).into_iter().map(out).min().filter(|&cost| cost != u32::MAX);
                // Ends in one sector do not concern it.
                if sectors.sector(start) != sectors.sector(goal) {
                    assert_eq!((step == SearchStep::Found).then(|| search.cost().0), best, "round {round}");
                }
                // Opens, closes and cheapens some cells.
                let Cell { x, z } = cells[2];
                let part = CellRect {
                    first: Cell { x, z },
                    end: Cell { x: (x + 9).min(SIZE.0), z: (z + 7).min(SIZE.1) },
                };
                for (x, z) in
                    (part.first.z..part.end.z).flat_map(|z| (part.first.x..part.end.x).map(move |x| (x, z)))
                {
                    bits.set(x, z, rng.chance(0.8));
                    factor[(z * SIZE.0 + x) as usize] = FACTOR_ONE;
                }
                let ground = WeightedGround { factor: &factor, unit, ..WeightedGround::even(&bits) };
                sectors.redo(&ground, &[part]);
                let again = Sectors::new(&ground);
                assert!(sectors.all() == again.all(), "round {round}: {part:?}");
            }
        }
        assert!(tight > 1000, "only {tight} bounds say more than the distance");
    }
}
