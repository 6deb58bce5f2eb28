//! The ALT heuristic for graphs: lower bounds of ways, from true lengths to a few far points.
//!
//! In: a net; then a goal. Out: a lower bound of the cost from a point to the goal. Holds: never more than
//! the true cost while links go, areas close or grow more expensive; links that come are made up for (`add`);
//! until a link goes the bounds are consistent. Memory: 64 bytes a point. Not here: when to make them
//! (`adjacency`), the straight line, which bounds as well (`astar`). Source: see `nav/landmarks.rs`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::nav::graph::connected_components::labels;
use crate::nav::graph::dijkstra::{Dijkstra, FAR, Tip};
use crate::nav::graph::link_rows::LinkRows;
use crate::nav::landmarks::{FarPlaces, LandmarkGoal};

/// Far points, each a lane of every bound. Measured on 50,000 points of `nav_test.obj`: see
/// `benches/README.md`.
const LANES: usize = 16;
/// A length in a lane that says nothing; sums and differences with any other stay within `i32`.
const MUTE: i32 = 1 << 29;

/// Lengths from a few far points to every point: see the module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GraphLandmarks {
    places: Vec<u32>,
    /// By point: millimetres from each far point, [`MUTE`] where no way leads.
    lengths_mm: Vec<[i32; LANES]>,
}

/// What is known of a goal: by lane the most and the least that a point on a way to it may be from the far
/// point.
pub(crate) type GraphGoal = LandmarkGoal<i32, LANES>;

impl GraphLandmarks {
    /// For the largest group of connected points. Cost: nine walks over it.
    #[must_use]
    pub(crate) fn new(net: &LinkRows) -> Self {
        let mut landmarks = Self { places: Vec::new(), lengths_mm: vec![[MUTE; LANES]; net.points().len()] };
        let Some(first) = seed(net) else { return landmarks };
        let mut spread = Dijkstra::default();
        spread.run(net, [(first, 0)], FAR, |_, _| true);
        let mut points = spread.reached().to_vec();
        points.sort_unstable();
        let costs = |spread: &Dijkstra| -> Vec<u32> { points.iter().map(|&at| spread.cost_mm(at)).collect() };
        let mut places = FarPlaces::from_table(costs(&spread));
        for lane in 0..LANES {
            let Some(&place) = points.get(places.furthest()) else { break };
            spread.run(net, [(place, 0)], FAR, |_, _| true);
            let table = costs(&spread);
            for (&at, &cost) in points.iter().zip(&table) {
                landmarks.lengths_mm[at as usize][lane] =
                    i32::try_from(cost).map_or(MUTE, |cost| cost.min(MUTE));
            }
            places.add(&table);
            landmarks.places.push(place);
        }
        landmarks
    }

    /// What is known of a goal that is reached over some points: bounds allow for what the last stretch
    /// costs.
    pub(crate) fn goal(&self, tips: &[Tip]) -> GraphGoal {
        let mut goal = LandmarkGoal { most: [-MUTE; LANES], least: [MUTE; LANES] };
        for lane in 0..LANES {
            for &(at, cost) in tips {
                let (length, cost) =
                    (self.lengths_mm[at as usize][lane], i32::try_from(cost).unwrap_or(MUTE).min(MUTE));
                let is_mute = length == MUTE;
                goal.most[lane] = goal.most[lane].max(if is_mute { MUTE } else { length - cost });
                goal.least[lane] = goal.least[lane].min(if is_mute { -MUTE } else { length + cost });
            }
        }
        goal
    }

    /// Never more than what any way from a point to the goal costs.
    #[inline(always)]
    pub(crate) fn bound_mm(&self, from: u32, goal: &GraphGoal) -> u32 {
        goal.bound(&self.lengths_mm[from as usize]) as u32
    }

    /// Makes room for points that came.
    pub(crate) fn grow(&mut self, count: usize) {
        self.lengths_mm.resize(count, [MUTE; LANES]);
    }

    /// Makes up for a link that came, on a net that has it. Cost: the points that come nearer to a far point.
    pub(crate) fn add(&mut self, net: &LinkRows, ends: [u32; 2]) {
        let mut heap = BinaryHeap::new();
        for lane in 0..LANES {
            heap.extend(ends.map(|at| Reverse((self.lengths_mm[at as usize][lane], at))));
            // Bounded: whatever is pushed again has come nearer.
            while let Some(Reverse((length, at))) = heap.pop() {
                if length == MUTE || length > self.lengths_mm[at as usize][lane] {
                    continue;
                }
                for step in net.steps(at) {
                    let cost = i32::try_from(step.cost_mm).unwrap_or(MUTE);
                    let offer = length + cost.min(MUTE - length);
                    let known = &mut self.lengths_mm[step.to as usize][lane];
                    if offer < *known {
                        *known = offer;
                        heap.push(Reverse((offer, step.to)));
                    }
                }
            }
        }
    }
}

/// The lowest-numbered point of the largest connected group.
fn seed(net: &LinkRows) -> Option<u32> {
    let labels = labels(net.points().len(), net.links().iter().copied());
    let mut counts = vec![0u32; labels.len()];
    labels.iter().for_each(|&label| counts[label as usize] += 1);
    (0..).zip(&counts).max_by_key(|&(at, count)| (count, Reverse(at))).map(|(at, _)| at)
}
