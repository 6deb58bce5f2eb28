//! A route: the gates of a way, and the legs between them.
//!
//! In: sectors, two ends, an allowance. Out: whether a way was found, the cells where it may turn, its cost.
//! Holds: stops only between pops of the gate search and between legs; a leg is a straight line where that
//! costs no more than the steps between its ends, else it is searched within one sector. Charge: 1 a pop, in
//! gates as in cells, and 1 a straight line.

use crate::nav::NodeId;
use crate::nav::cell::Cell;
use crate::nav::cells::{WeightedGround, line_of_sight};
use crate::nav::hierarchy::alt_heuristic::GateGoal;
use crate::nav::hierarchy::gates::{GateSearch, RouteEnd};
use crate::nav::hierarchy::sectors::Sectors;
use crate::nav::hierarchy::table::{CellTable, SIDE};
use crate::nav::search::Search;
use crate::nav::search_state::{Flow, SearchStep};

/// Ends in sectors nearer than this are searched flat: that is exact, and cheap.
const NEAR_SECTORS: u32 = 2;

/// The paused work on a way by gates; goes with the `Search` it was begun with while gates are searched.
#[derive(Clone, Debug)]
pub(crate) struct SectorRoute {
    ends: [RouteEnd; 2],
    far: GateGoal,
    table: CellTable,
    stage: RouteStage,
    legs: Vec<Leg>,
    next: usize,
    nodes: Vec<NodeId>,
    cost: u32,
    /// Spent beside the search of the gates.
    spent: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RouteStage {
    Gates,
    Legs,
}

/// From gate to gate.
#[derive(Clone, Copy, Debug)]
struct Leg {
    from: Cell,
    /// The last cell within the sector.
    last: Cell,
    /// The one beyond the gate; the same at the goal.
    to: Cell,
    /// In steps from cell to cell.
    cost: u32,
}

impl SectorRoute {
    /// None where a flat search is better.
    pub(crate) fn begin(
        sectors: &Sectors,
        ground: &WeightedGround,
        [start, goal]: [Cell; 2],
        search: &mut Search,
    ) -> Option<Self> {
        let away = (start.x / SIDE).abs_diff(goal.x / SIDE).max((start.z / SIDE).abs_diff(goal.z / SIDE));
        if away < NEAR_SECTORS || !sectors.is_in(ground.unit) {
            return None;
        }
        let mut table = CellTable::default();
        let from = RouteEnd::new(sectors, ground, start, Flow::From, &mut table);
        let spent = table.spent();
        let to = RouteEnd::new(sectors, ground, goal, Flow::To, &mut table);
        let spent = spent + table.spent();
        let far = GateSearch::far_goal(sectors, ground.floor(), &to);
        let width = ground.bits.width();
        let route = Self {
            ends: [from, to],
            far,
            table,
            stage: RouteStage::Gates,
            legs: Vec::new(),
            next: 0,
            nodes: vec![NodeId(start.z * width + start.x)],
            cost: 0,
            spent,
        };
        search.begin_gates(&route.gates(sectors, ground));
        Some(route)
    }

    fn gates<'a>(&'a self, sectors: &'a Sectors, ground: &WeightedGround) -> GateSearch<'a> {
        GateSearch { sectors, floor: ground.floor(), ends: &self.ends, far: &self.far }
    }

    /// Charged so far, beside the search of the gates.
    pub(crate) fn spent(&self) -> u32 {
        self.spent
    }

    /// What the way costs, once found.
    pub(crate) fn cost(&self) -> u32 {
        self.cost
    }

    /// The cells where it may turn, both ends included: between two of them it is straight and clear.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Goes on until it ends or has spent the allowance.
    pub(crate) fn step(
        &mut self,
        sectors: &Sectors,
        ground: &WeightedGround,
        search: &mut Search,
        allowance: u32,
    ) -> SearchStep {
        let mut left = allowance;
        if self.stage == RouteStage::Gates {
            let before = search.spent();
            let step = search.step_gates(&self.gates(sectors, ground), allowance);
            if step != SearchStep::Found {
                return step;
            }
            self.legs = self.legs_between(&self.gates(sectors, ground), search);
            self.stage = RouteStage::Legs;
            search.forget_nodes();
            left = allowance.saturating_sub(search.spent() - before);
        }
        let stop_at = self.spent.saturating_add(left);
        // Bounded by the legs: every round goes on by one.
        while self.spent < stop_at {
            let Some(&leg) = self.legs.get(self.next) else { return SearchStep::Found };
            self.next += 1;
            if !self.take(leg, sectors, ground) {
                return SearchStep::Exhausted;
            }
        }
        if self.next == self.legs.len() { SearchStep::Found } else { SearchStep::Running }
    }

    /// The legs of the way found.
    fn legs_between(&self, gates: &GateSearch, search: &Search) -> Vec<Leg> {
        let [start, goal] = &self.ends;
        let (mut passed, mut legs) = (Vec::new(), Vec::new());
        search.nodes(&mut passed);
        let (mut from, mut before) = (start.cell, 0);
        for &node in passed.iter().skip(1) {
            let [to, last] = gates.cells(node).unwrap_or([goal.cell; 2]);
            let cost = search.records[node.index()].g;
            legs.push(Leg { from, last, to, cost: cost - before });
            (from, before) = (to, cost);
        }
        legs
    }

    /// Appends a leg; false when there is no way.
    fn take(&mut self, leg: Leg, sectors: &Sectors, ground: &WeightedGround) -> bool {
        let width = ground.bits.width();
        let node = |Cell { x, z }: Cell| NodeId(z * width + x);
        let middle = |Cell { x, z }: Cell| [f64::from(x) + 0.5, f64::from(z) + 0.5];
        let straight = line_of_sight::cost(ground, middle(leg.from), middle(leg.to));
        self.spent += 1;
        if let Some(cost) = straight.filter(|cost| cost.0 <= leg.cost) {
            self.cost = self.cost.saturating_add(cost.0);
            self.nodes.push(node(leg.to));
            return true;
        }
        self.table.lay_out(ground, sectors.part(sectors.sector(leg.from)));
        if leg.last != leg.from && self.table.way(leg.from, leg.last, leg.cost, &mut self.nodes).is_none() {
            return false;
        }
        self.spent += self.table.spent();
        self.cost = self.cost.saturating_add(leg.cost);
        if leg.to != leg.last {
            self.nodes.push(node(leg.to));
        }
        true
    }
}
