//! Dijkstra's algorithm: walking distances from one point of a graph.
//!
//! In: a net, where to begin, which ways are open, how far. Out: what it costs to get to each point, and over
//! which. Holds: costs are exact; points come in order of (cost, number). Not here: searches for one goal
//! (`nav/search`). Source: Dijkstra 1959.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::nav::graph::link_rows::{AdjacentPoint, LinkRows};

/// A point that a way may begin or end with, and what the stretch between it and the place itself costs,
/// millimetres.
pub(crate) type Tip = (u32, u32);

/// Not reached.
pub(crate) const FAR: u32 = u32::MAX;

/// Distances from one place, reusable. Memory: 8 bytes a point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dijkstra {
    cost_mm: Vec<u32>,
    parent: Vec<u32>,
    reached: Vec<u32>,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Dijkstra {
    /// Finds the distance to every point within `within_mm`, over the open ways. Cost: the points reached.
    pub(crate) fn run(
        &mut self,
        net: &LinkRows,
        from: impl IntoIterator<Item = (u32, u32)>,
        within_mm: u32,
        is_open: impl Fn(u32, AdjacentPoint) -> bool,
    ) {
        for &at in &self.reached {
            self.cost_mm[at as usize] = FAR;
        }
        self.reached.clear();
        self.cost_mm.resize(net.points().len(), FAR);
        self.parent.resize(net.points().len(), FAR);
        for (at, cost) in from {
            self.offer(at, cost, at);
        }
        // Bounded: every improvement of a point is taken once.
        while let Some(Reverse((cost, at))) = self.heap.pop() {
            if cost > self.cost_mm[at as usize] {
                continue;
            }
            for &step in net.steps(at) {
                let to = cost.saturating_add(step.cost_mm);
                if to <= within_mm && is_open(at, step) {
                    self.offer(step.to, to, at);
                }
            }
        }
    }

    fn offer(&mut self, at: u32, cost: u32, parent: u32) {
        let known = &mut self.cost_mm[at as usize];
        if cost < *known {
            if *known == FAR {
                self.reached.push(at);
            }
            *known = cost;
            self.parent[at as usize] = parent;
            self.heap.push(Reverse((cost, at)));
        }
    }

    /// What it costs to get to a point; [`FAR`] when it was not reached.
    pub(crate) fn cost_mm(&self, at: u32) -> u32 {
        self.cost_mm.get(at as usize).copied().unwrap_or(FAR)
    }

    /// The points reached, each once, in no useful order.
    pub(crate) fn reached(&self) -> &[u32] {
        &self.reached
    }

    /// The way from where it began to a point that was reached, both included.
    pub(crate) fn way(&self, to: u32) -> Vec<u32> {
        let mut way = vec![to];
        let mut at = to;
        // Bounded: a parent costs less than its child.
        while self.parent[at as usize] != at {
            at = self.parent[at as usize];
            way.push(at);
        }
        way.reverse();
        way
    }
}
