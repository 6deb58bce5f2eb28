//! Landmarks: choosing far places, storing costs from them, lower bounds from two such costs, and ground that
//! has changed since.
//!
//! In: costs from a place to all nodes. Out: the next place; lower bounds. Holds: a bound never exceeds the
//! true cost. Not here: what a node is and how its costs are kept (`cells/even_landmarks`,
//! `cells/priced_landmarks`, `hierarchy/alt_heuristic`, `graph/alt_heuristic`). Source: differential
//! heuristics, Goldberg and Harrelson 2005 (ALT), Sturtevant et al. 2009; far places are chosen as the one
//! furthest from those chosen before.

use crate::nav::cell::Cell;
use crate::nav::cell_rect::CellRect;

/// Far places of cells and of gates.
pub(crate) const PLACES: usize = 8;

/// Parts that changed; more are joined. Every bound looks at all of them.
const CHANGED_MAX: usize = 8;

/// A kept cost. Those of one kind of landmarks lie so that no difference overflows.
pub(crate) trait Lane: Copy + Ord + Default {
    /// By how much it exceeds another; nothing or less when it does not.
    fn beyond(self, other: Self) -> Self;
}

impl Lane for u16 {
    #[inline(always)]
    fn beyond(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl Lane for i16 {
    #[inline(always)]
    fn beyond(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
}

impl Lane for i32 {
    #[inline(always)]
    fn beyond(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
}

/// The most by which a lane exceeds its limit, or nothing.
#[inline(always)]
pub(crate) fn excess<T: Lane, const LANES: usize>(lanes: &[T; LANES], limits: &[T; LANES]) -> T {
    let mut most = T::default();
    for lane in 0..LANES {
        most = most.max(lanes[lane].beyond(limits[lane]));
    }
    most
}

/// What is known of a goal where a way costs the same both ways round: by place, between which costs a node
/// may lie that is at the goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LandmarkGoal<T, const LANES: usize> {
    /// By so much as a node's cost exceeds this, it is away from the goal.
    pub(crate) most: [T; LANES],
    /// And by so much as its cost falls below this.
    pub(crate) least: [T; LANES],
}

impl<T: Lane, const LANES: usize> LandmarkGoal<T, LANES> {
    /// Steps between a node and the goal, at least.
    #[inline(always)]
    pub(crate) fn bound(&self, lanes: &[T; LANES]) -> T {
        excess(lanes, &self.most).max(excess(&self.least, lanes))
    }
}

/// The step in which costs are kept, so that the largest of them fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CostStep(u32);

impl Default for CostStep {
    fn default() -> Self {
        Self(1)
    }
}

impl CostStep {
    /// The finest in which no cost of the tables, rounded down, exceeds `top`.
    pub(crate) fn for_tables<'a>(tables: impl IntoIterator<Item = &'a Vec<u32>>, top: u32) -> Self {
        let known = tables.into_iter().flatten().filter(|cost| **cost != u32::MAX);
        let most = known.max().copied().unwrap_or(0);
        Self(most / top.saturating_add(1) + 1)
    }

    /// Whole steps in a cost.
    #[inline(always)]
    pub(crate) fn down(self, cost: u64) -> u64 {
        cost / u64::from(self.0)
    }

    /// Steps that no cost exceeds which rounds down to so many, and the next.
    #[inline(always)]
    pub(crate) fn up(self, cost: u64) -> u64 {
        cost.div_ceil(u64::from(self.0))
    }

    /// What so many steps cost.
    #[inline(always)]
    pub(crate) fn cost(self, steps: u32) -> u32 {
        steps.saturating_mul(self.0)
    }
}

/// The choice of far places. Tables hold the cost of each node, `u32::MAX` where no way leads.
#[derive(Clone, Debug)]
pub(crate) struct FarPlaces {
    /// By node: the cost to the nearest place.
    near: Vec<u32>,
    chosen: usize,
}

impl FarPlaces {
    /// From the costs between some node and all others.
    pub(crate) fn from_table(seed: Vec<u32>) -> Self {
        Self { near: seed, chosen: 0 }
    }

    /// Whether there is no node.
    pub(crate) fn is_empty(&self) -> bool {
        self.near.is_empty()
    }

    /// The node furthest from all places chosen before; the lowest of several.
    pub(crate) fn furthest(&self) -> usize {
        let known = |cost: u32| if cost == u32::MAX { 0 } else { cost };
        (0..self.near.len()).rev().max_by_key(|&at| known(self.near[at])).unwrap_or(0)
    }

    /// Takes in the table of a place.
    pub(crate) fn add(&mut self, table: &[u32]) {
        let is_first = self.chosen == 0;
        self.chosen += 1;
        for (near, &cost) in self.near.iter_mut().zip(table) {
            // The first node was none of the places.
            *near = if is_first { cost } else { cost.min(*near) };
        }
    }
}

/// Where ground may have become cheaper since costs were kept, as a few rectangles of cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChangedGround(Vec<CellRect>);

impl ChangedGround {
    /// Nowhere.
    pub(crate) const NONE: &'static Self = &Self(Vec::new());

    /// Adds a rectangle, joined with the nearest when there are many.
    pub(crate) fn add(&mut self, part: CellRect) {
        let union = |other: &CellRect| other.union(part).area();
        let near = (0..self.0.len()).min_by_key(|&at| union(&self.0[at]));
        match near {
            Some(at) if self.0.len() >= CHANGED_MAX || self.0[at].union(part) == self.0[at] => {
                self.0[at] = self.0[at].union(part);
            }
            _ => self.0.push(part),
        }
    }

    /// Whether nothing changed.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Cells within, some counted twice.
    pub(crate) fn area(&self) -> u64 {
        self.0.iter().map(|part| part.area()).sum()
    }

    /// The least of what something says of how far a cell lies outside along each axis; 0 where nothing
    /// changed.
    #[inline]
    pub(crate) fn least(&self, cell: Cell, cost: impl Fn(u32, u32) -> u32) -> u32 {
        let away = |part: &CellRect| {
            let (dx, dz) = part.away(cell);
            cost(dx, dz)
        };
        self.0.iter().map(away).min().unwrap_or(0)
    }

    /// Whether a cell lies within so many cells of what changed.
    pub(crate) fn is_near(&self, cell: Cell, cells: u32) -> bool {
        self.0.iter().map(|part| part.away(cell)).any(|(dx, dz)| dx.max(dz) <= cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn bounds_of_kept_costs_never_exceed_the_difference_of_the_true_ones() {
        let mut rng = Rng::stream(1, "steps of costs");
        for round in 0..2000 {
            let bits = rng.below(32);
            let most = 1 + rng.below(1 << bits) as u32;
            let costs: Vec<u32> = (0..40).map(|_| rng.below(u64::from(most) + 1) as u32).collect();
            let tables = [costs.clone(), vec![most, u32::MAX]];
            let step = CostStep::for_tables(&tables, u16::MAX.into());
            let kept = |cost: u32| [u16::try_from(step.down(cost.into())).expect("it fits")];
            for pair in costs.windows(2) {
                let [own, goal] = [kept(pair[0]), kept(pair[1])];
                let goal =
                    LandmarkGoal { most: [goal[0].saturating_add(1)], least: [goal[0].saturating_sub(1)] };
                let bound = step.cost(goal.bound(&own).into());
                assert!(bound <= pair[0].abs_diff(pair[1]), "round {round}: {pair:?}, {step:?}");
                let close = bound + 3 * step.cost(1);
                assert!(close >= pair[0].abs_diff(pair[1]), "round {round}: {pair:?}, {step:?}, {bound}");
            }
        }
    }

    #[test]
    fn places_are_each_the_furthest_from_those_before_and_the_lowest_of_several() {
        let mut places = FarPlaces::from_table(vec![0, 3, u32::MAX, 5, 5]);
        assert_eq!(places.furthest(), 3);
        places.add(&[5, 2, u32::MAX, 0, 5]);
        assert_eq!(places.furthest(), 0);
        places.add(&[0, 3, u32::MAX, 5, 5]);
        assert_eq!(places.furthest(), 4);
    }

    #[test]
    fn changed_ground_is_kept_in_a_few_parts_that_hold_all_of_it() {
        let mut rng = Rng::stream(2, "changed ground");
        for _ in 0..50 {
            let mut ground = ChangedGround::default();
            assert_eq!(ground.least(Cell { x: 5, z: 5 }, |dx, dz| dx + dz), 0);
            let mut cells = Vec::new();
            for _ in 0..20 {
                let first = Cell { x: rng.below(90) as u32, z: rng.below(90) as u32 };
                ground.add(CellRect { first, end: Cell { x: first.x + 2, z: first.z + 1 } });
                cells.push(Cell { x: first.x + 1, z: first.z });
            }
            assert!(ground.0.len() <= CHANGED_MAX && ground.area() >= 2);
            assert!(cells.iter().all(|&cell| ground.is_near(cell, 0)));
            for cell in (0..100).map(|at| Cell { x: at, z: 99 - at }) {
                let nearest =
                    cells.iter().map(|Cell { x, z }| x.abs_diff(cell.x).max(z.abs_diff(cell.z))).min();
                assert!(ground.least(cell, u32::max) <= nearest.expect("a cell"));
            }
        }
    }
}
