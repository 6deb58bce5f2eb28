//! A* over the points and links of a graph, to one goal.
//!
//! In: a net, where a way may begin and what is left where it may end, what each link costs; an allowance.
//! Out: the cheapest way. Holds: the cost is exact, or more expensive by no more than the slack that was
//! asked for; slices change neither the points looked at nor the answer; ties go to the one nearer to the
//! goal, then to the lower number. Not here: which links are closed, and at what price (`plan`,
//! `precomputed_routes`); walks to every point (`dijkstra`). Source: Hart, Nilsson and Raphael 1968 with
//! landmarks, see `alt_heuristic`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::nav::graph::adjacency::Adjacency;
use crate::nav::graph::alt_heuristic::GraphGoal;
use crate::nav::graph::dijkstra::{FAR, Tip};
use crate::nav::graph::link_rows::{AdjacentPoint, DEAREST};
use crate::nav::{NodeId, SearchStep};

/// Slack of a search that is exact.
pub(crate) const EXACT: u32 = 31;
/// Set in a stamp while the point waits to be looked at.
const WAITING: u32 = 1;

/// What a search knows of a point: 16 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct PointRecord {
    g: u32,
    h: u32,
    parent: u32,
    /// The generation, then [`WAITING`].
    stamp: u32,
}

/// The paused state of a search, reusable. Memory: 16 bytes a point of the largest graph it has seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphSearch {
    records: Vec<PointRecord>,
    /// Even; records stamped otherwise belong to an earlier search.
    generation: u32,
    /// Cost so far and to go, then cost to go; the point.
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// The cheapest way so far: what it costs, and the last of its points. No point where it touches none.
    best: u32,
    last: Option<u32>,
    spent: u32,
    /// Every 2^slack-th part of the cost that the answer may be more expensive.
    slack: u32,
}

/// Where a search wants to go, as a bound of what is left.
pub(crate) struct Toward<'a> {
    net: &'a Adjacency,
    tips: Vec<(DVec3, f64)>,
    far: Option<GraphGoal>,
    /// What a metre costs at least.
    cheapest: f64,
}

impl<'a> Toward<'a> {
    /// Toward a place that is reached over some points, at no less than so much a metre.
    pub(crate) fn new(net: &'a Adjacency, tips: &[Tip], cheapest: f64) -> Self {
        let is_even = cheapest >= 1.0;
        let bare: Vec<Tip> = tips.iter().map(|&(at, cost)| (at, if is_even { cost } else { 0 })).collect();
        let far = net.landmarks().map(|landmarks| landmarks.goal(&bare));
        let place = |at: u32| net.points()[at as usize].as_dvec3();
        let tips = tips.iter().map(|&(at, cost)| (place(at), f64::from(cost))).collect();
        Self { net, tips, far, cheapest: cheapest.min(1.0) }
    }

    /// Never more than what is left from a point.
    #[inline(always)]
    pub(crate) fn bound_mm(&self, from: u32) -> u32 {
        let place = self.net.points()[from as usize].as_dvec3();
        let mut least = f64::INFINITY;
        for &(tip, cost) in &self.tips {
            least = least.min((tip - place).length() * 1000.0 * self.cheapest + cost);
        }
        // The cast saturates, and drops what is no whole millimetre.
        let straight = least as u32;
        let (Some(far), Some(landmarks)) = (&self.far, self.net.landmarks()) else { return straight };
        let bound = landmarks.bound_mm(from, far);
        straight.max(if self.cheapest < 1.0 { (f64::from(bound) * self.cheapest) as u32 } else { bound })
    }
}

/// What a search goes over: what each step costs, [`FAR`] where it is closed, and what is left where a way
/// may end.
pub(crate) struct LinkCosts<'a, P, L> {
    pub(crate) net: &'a Adjacency,
    pub(crate) toward: &'a Toward<'a>,
    pub(crate) price: P,
    pub(crate) left: L,
}

impl GraphSearch {
    /// Makes ready for a search from some points; `whole` is what a way costs that touches no point, [`FAR`]
    /// for none.
    pub(crate) fn begin(
        &mut self,
        toward: &Toward,
        tips: impl IntoIterator<Item = Tip>,
        whole: u32,
        slack: u32,
    ) {
        let count = toward.net.points().len();
        if self.records.len() < count {
            self.records.resize(count, PointRecord::default());
        }
        self.generation = self.generation.wrapping_add(2);
        if self.generation == 0 {
            self.records.fill(PointRecord::default());
            self.generation = 2;
        }
        self.heap.clear();
        (self.best, self.last, self.spent, self.slack) = (whole, None, 0, slack);
        for (at, cost) in tips {
            self.offer(toward, at, cost, at);
        }
    }

    /// Records a way to a point if it is the cheapest so far, and may still lead to a cheaper one than is
    /// known.
    #[inline(always)]
    fn offer(&mut self, toward: &Toward, at: u32, g: u32, parent: u32) {
        let g = g.min(DEAREST);
        let record = self.records[at as usize];
        let is_known = record.stamp & !WAITING == self.generation;
        if is_known && record.g <= g {
            return;
        }
        let h = if is_known { record.h } else { toward.bound_mm(at) };
        let f = g.saturating_add(h).min(DEAREST);
        if f >= self.best {
            return;
        }
        self.records[at as usize] = PointRecord { g, h, parent, stamp: self.generation | WAITING };
        self.heap.push(Reverse((u64::from(f) << 32 | u64::from(h), at)));
    }

    /// Goes on until the search ends or has looked at `allowance` points; `note` hears each.
    pub(crate) fn step<P, L>(
        &mut self,
        ground: &LinkCosts<'_, P, L>,
        allowance: u32,
        mut note: impl FnMut(NodeId),
    ) -> SearchStep
    where
        P: Fn(u32, AdjacentPoint) -> u32,
        L: Fn(u32) -> u32,
    {
        let stop_at = self.spent.saturating_add(allowance);
        // Bounded by the allowance, and by one entry for every improvement of a point.
        while self.spent < stop_at {
            let Some(Reverse((key, at))) = self.heap.pop() else { return self.finish() };
            let f = (key >> 32) as u32;
            if f.saturating_add(f >> self.slack) >= self.best {
                return self.finish();
            }
            let record = &mut self.records[at as usize];
            if record.stamp & WAITING == 0 {
                continue;
            }
            record.stamp &= !WAITING;
            let g = record.g;
            self.spent += 1;
            note(NodeId(at));
            let left = (ground.left)(at);
            let whole = g.saturating_add(left).min(DEAREST);
            if left != FAR && whole < self.best {
                (self.best, self.last) = (whole, Some(at));
            }
            for &step in ground.net.steps(at) {
                let price = (ground.price)(at, step);
                if price != FAR {
                    self.offer(ground.toward, step.to, g.saturating_add(price), at);
                }
            }
        }
        SearchStep::Running
    }

    fn finish(&mut self) -> SearchStep {
        self.heap.clear();
        if self.best == FAR { SearchStep::Exhausted } else { SearchStep::Found }
    }

    /// What the way costs that was found.
    pub(crate) fn cost_mm(&self) -> u32 {
        self.best
    }

    /// Points looked at.
    pub(crate) fn spent(&self) -> u32 {
        self.spent
    }

    /// The points of the way that was found, in order. Cost: as many.
    pub(crate) fn way(&self) -> Vec<u32> {
        let mut way: Vec<u32> = self.last.into_iter().collect();
        // Bounded: a parent costs less than its child.
        while let Some(&at) = way.last() {
            let parent = self.records[at as usize].parent;
            if parent == at {
                break;
            }
            way.push(parent);
        }
        way.reverse();
        way
    }

    /// Points that wait to be looked at, some perhaps twice.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.heap.iter().map(|Reverse((_, at))| NodeId(*at))
    }
}
