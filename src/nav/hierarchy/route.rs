//! A way by gates: which gates, the legs between them, and the joints made straight.
//!
//! In: sectors, two ends, an allowance. Out: whether a way was found, its cells, its cost. Holds: stops only between pops of the
//! gate search and between legs; each leg is searched within one sector; then stretches of the way that overlap are searched anew,
//! within the cells of the legs and a few beyond, so that no path keeps to a gate it need not pass.
//! Charge: 1 a pop, in gates as in cells.

use crate::nav::cells::{Flow, Ground};
use crate::nav::hierarchy::sectors::{Gates, RouteEnd, SIDE, Sectors};
use crate::nav::hierarchy::table::{Part, Table};
use crate::nav::search::{Ends, Search, Step};
use crate::nav::{NodeId, Traversal};

/// Cells beyond those of the legs that a joint may use.
const JOINT_MARGIN: u32 = 12;
/// Steps of the legs that a joint takes in beyond the last one's. More cost more to search, and less to walk.
const JOINT_STEPS: usize = 48;
/// Ends in sectors nearer than this are searched flat: that is exact, and cheap.
const NEAR_SECTORS: u32 = 2;

/// The paused work on a way by gates; goes with the `Search` it was begun with while gates are searched.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    ends: [RouteEnd; 2],
    table: Table,
    stage: Stage,
    /// Cells that every leg begins and ends in: the start, the two of each gate in turn, the goal.
    stops: Vec<(u32, u32)>,
    next: usize,
    legs: Vec<NodeId>,
    nodes: Vec<NodeId>,
    /// The last of `nodes` that stays as it is.
    kept: usize,
    cost: u32,
    /// Beside what the search of the gates has spent.
    spent: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Gates,
    Legs,
    Joints,
}

impl Route {
    /// None where a flat search is better.
    pub(crate) fn begin(
        sectors: &Sectors,
        ground: &Ground,
        [start, goal]: [(u32, u32); 2],
        search: &mut Search,
    ) -> Option<Self> {
        let away = (start.0 / SIDE).abs_diff(goal.0 / SIDE).max((start.1 / SIDE).abs_diff(goal.1 / SIDE));
        if away < NEAR_SECTORS || !sectors.is_in(ground.unit) {
            return None;
        }
        let mut table = Table::default();
        let from = RouteEnd::new(sectors, ground, start, Flow::From, &mut table);
        let spent = table.spent();
        let to = RouteEnd::new(sectors, ground, goal, Flow::To, &mut table);
        let spent = spent + table.spent();
        let route = Self {
            ends: [from, to],
            table,
            stage: Stage::Gates,
            stops: Vec::new(),
            next: 0,
            legs: Vec::new(),
            nodes: Vec::new(),
            kept: 0,
            cost: 0,
            spent,
        };
        let gates = Gates { sectors, floor: ground.floor(), ends: &route.ends };
        let first = gates.first_end();
        let ends = Ends { start: NodeId(first), goal: NodeId(first + 1) };
        search.begin_graph(&gates, &Traversal::default(), ends);
        Some(route)
    }

    /// Charged so far, beside the search of the gates.
    pub(crate) fn spent(&self) -> u32 {
        self.spent
    }

    /// What the way costs, once found.
    pub(crate) fn cost(&self) -> u32 {
        self.cost
    }

    /// Its cells, both ends included.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Goes on until it ends or has spent the allowance.
    pub(crate) fn step(
        &mut self,
        (sectors, ground): (&Sectors, &Ground),
        search: &mut Search,
        allowance: u32,
    ) -> Step {
        if self.stage == Stage::Gates {
            let before = search.spent();
            let gates = Gates { sectors, floor: ground.floor(), ends: &self.ends };
            let step = search.step_graph(&gates, &Traversal::default(), allowance);
            if step != Step::Found {
                return step;
            }
            let mut passed = Vec::new();
            search.nodes(&mut passed);
            self.stops = stops(&gates, &passed);
            let node = |(x, z): (u32, u32)| NodeId(z * ground.bits.width() + x);
            self.legs.push(node(self.stops[0]));
            self.stage = Stage::Legs;
            search.forget_nodes();
            return if search.spent() - before >= allowance {
                Step::Running
            } else {
                self.step((sectors, ground), search, allowance - (search.spent() - before))
            };
        }
        let stop_at = self.spent.saturating_add(allowance);
        // Bounded by the gates passed: every round goes on by one.
        while self.spent < stop_at {
            let is_done =
                if self.stage == Stage::Legs { self.leg(sectors, ground) } else { self.joint(ground) };
            if let Some(step) = is_done {
                return step;
            }
        }
        Step::Running
    }

    /// The next leg; then the step over the gate behind it.
    fn leg(&mut self, sectors: &Sectors, ground: &Ground) -> Option<Step> {
        let (from, to) = (self.stops[self.next], self.stops[self.next + 1]);
        let part = sectors.part(sectors.sector(from));
        if self.table.way(ground, part, (from, to), &mut self.legs).is_none() {
            return Some(Step::Exhausted);
        }
        self.spent += self.table.spent().max(1);
        self.next += 2;
        if self.next < self.stops.len() {
            let (x, z) = self.stops[self.next];
            self.legs.push(NodeId(z * ground.bits.width() + x));
            return None;
        }
        self.nodes.push(self.legs[0]);
        (self.stage, self.next) = (Stage::Joints, 0);
        None
    }

    /// The next stretch of the way, anew: from three quarters of the last one to some steps on along the legs.
    fn joint(&mut self, ground: &Ground) -> Option<Step> {
        let width = ground.bits.width();
        let cell = |node: NodeId| (node.0 % width, node.0 / width);
        let end = (self.next + JOINT_STEPS).min(self.legs.len() - 1);
        // Whatever was left of the last stretch leads to where the legs go on, so there is a way within.
        let stretch = self.nodes[self.kept..].iter().chain(&self.legs[self.next..=end]);
        let part = stretch.fold(None, |part: Option<Part>, &node| {
            let (x, z) = cell(node);
            let here = Part { first: (x, z), end: (x + 1, z + 1) };
            Some(part.map_or(here, |part| part.union(here)))
        })?;
        let from = self.nodes[self.kept];
        self.nodes.truncate(self.kept + 1);
        let ends = (cell(from), cell(self.legs[end]));
        if self.table.way(ground, part.grown(JOINT_MARGIN, ground), ends, &mut self.nodes).is_none() {
            return Some(Step::Exhausted);
        }
        self.spent += self.table.spent().max(1);
        self.next = end;
        let is_last = end + 1 == self.legs.len();
        let fresh = self.nodes.len() - 1 - self.kept;
        self.kept += if is_last { fresh } else { fresh * 3 / 4 };
        self.cost = self.cost.saturating_add(self.table.cost(cell(self.nodes[self.kept])));
        is_last.then_some(Step::Found)
    }
}

/// The start, both cells of every gate, the goal.
fn stops(gates: &Gates, passed: &[NodeId]) -> Vec<(u32, u32)> {
    let mut stops = vec![gates.ends[0].cell];
    for [inner, outer] in passed.iter().filter_map(|&node| gates.cells(node)) {
        stops.extend([outer, inner]);
    }
    stops.push(gates.ends[1].cell);
    stops
}
