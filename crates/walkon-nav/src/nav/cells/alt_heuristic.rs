//! Lower bounds of costs from true costs to a few far places, for searches over ground of many factors.
//!
//! In: the ground of a map as cheap as it gets, a cell to begin with. Out: for a goal, a bound of the cost
//! from any cell. Holds: bounds never exceed the true cost, on the ground they were made for and on any that
//! is more expensive or narrower; where it became cheaper since, within some windows, a bound allows for the
//! way through them. Along a step a bound falls by no more than the step costs, but for rounding, walls and
//! those windows: anyone who uses them must be ready to improve a node that was expanded. Memory: 32 bytes a
//! cell. Not here: when to make them, and which windows became cheaper (`map`). Tried: six places, which
//! leave up to half as many expansions more; costs to places only, up to twice as many; costs of every fourth
//! cell only (6 bytes a cell), whose bounds miss by a step or two, and where prices change from cell to cell
//! that is all they gain. Source: differential heuristics, Goldberg and Harrelson 2005 (ALT), Sturtevant et
//! al. 2009; windows are ours.

use crate::nav::NodeId;
use crate::nav::cells::landmark_goal::{LANES, LandmarkGoal, MUTE, PLACES};
use crate::nav::cells::layout::Unit;
use crate::nav::cells::raster::Window;
use crate::nav::cells::tile_astar::{Distance, Guess};
use crate::nav::cells::weighted_astar::WeightedGround;
use crate::nav::search::Search;

/// Kept costs end here: the largest number of two bytes with a sign, which processors compare eight at a
/// time.
const TOP: u32 = i16::MAX as u32;
/// The cost to each place, rounded down, and one more; then what the cost from each, rounded up, leaves of
/// `TOP`. 0 where no way leads. So all lanes are compared alike. They fill half a line of the cache, of which
/// reading them should not touch two.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Lanes([i16; LANES]);

/// True costs back and forthm a few far places, by cell: see the module.
#[derive(Clone, Debug)]
pub struct CellLandmarks {
    unit: Unit,
    /// Costs are kept in steps of 2^`grain`.
    grain: u32,
    /// By cell.
    costs: Vec<Lanes>,
}

/// Landmarks, and where the ground became cheaper since they were made.
#[derive(Clone, Copy, Debug)]
pub struct AltHeuristic<'a> {
    landmarks: &'a CellLandmarks,
    /// Cells whose cost may have fallen, as windows.
    cheaper: &'a [Window],
}

impl<'a> From<&'a CellLandmarks> for AltHeuristic<'a> {
    fn from(landmarks: &'a CellLandmarks) -> Self {
        Self { landmarks, cheaper: &[] }
    }
}

impl CellLandmarks {
    /// For ground without gates, from a walkable cell in its largest part. Cost: seventeen floods of that
    /// part.
    #[must_use]
    pub fn of(ground: &WeightedGround, seed: NodeId) -> Self {
        let count = ground.bits.width() as usize * ground.bits.depth() as usize;
        let mut search = Search::default();
        let mut near = flood(&mut search, ground, seed, Flow::From);
        let mut tables: [Vec<u32>; LANES] = Default::default();
        for place in 0..PLACES {
            let known = |cost: u32| if cost == u32::MAX { 0 } else { cost };
            let next = (0..near.len()).rev().max_by_key(|&at| known(near[at])).unwrap_or(0);
            let [to, from] =
                [Flow::To, Flow::From].map(|flow| flood(&mut search, ground, NodeId(next as u32), flow));
            near.iter_mut().zip(&from).for_each(|(near, &cost)| {
                *near = if place == 0 { cost } else { cost.min(*near) };
            });
            (tables[place], tables[PLACES + place]) = (to, from);
        }
        let most = tables.iter().flatten().filter(|cost| **cost != u32::MAX).max().copied().unwrap_or(0);
        let grain = (0..32).find(|grain| most >> grain < TOP - 1).unwrap_or(17);
        let mut costs = vec![Lanes([0; LANES]); count];
        for (lane, table) in tables.iter().enumerate() {
            for (at, &cost) in table.iter().enumerate().filter(|(_, cost)| **cost != u32::MAX) {
                let (down, up) = (cost >> grain, cost.div_ceil(1 << grain));
                costs[at].0[lane] = if lane < PLACES { down + 1 } else { TOP - up } as i16;
            }
        }
        Self { unit: ground.unit, grain, costs }
    }

    /// Whether costs are counted as they were when these were made.
    pub(crate) fn is_in(&self, unit: Unit) -> bool {
        self.unit == unit
    }

    /// A bound of the cost from a cell to a goal on the ground as it was.
    #[inline(always)]
    fn bound(&self, id: u32, goal: &[i16; LANES]) -> u32 {
        let Lanes(costs) = &self.costs[id as usize];
        let mut most = 0;
        for lane in 0..LANES {
            most = most.max(costs[lane].wrapping_sub(goal[lane]));
        }
        (most as u32) << self.grain
    }

    /// Lanes of a goal: bounds from above of its own costs.
    fn goal(&self, id: u32) -> [i16; LANES] {
        // What is kept was rounded in favour of the cell.
        let above = |kept: i16| if kept == 0 { MUTE } else { kept.saturating_add(1) };
        self.costs[id as usize].0.map(above)
    }
}

impl<'a> AltHeuristic<'a> {
    /// The same where the ground of some windows may have become cheaper. A step past a corner counts as
    /// within both its sides, so windows must reach one cell beyond what changed.
    pub(crate) fn new(landmarks: &'a CellLandmarks, cheaper: &'a [Window]) -> Self {
        Self { landmarks, cheaper }
    }

    /// What is known of a goal on ground that is nowhere cheaper than that of the landmarks but in the
    /// windows.
    pub(crate) fn goal(&self, ground: &WeightedGround, goal: (u32, u32)) -> LandmarkGoal {
        let near = self.cheaper.iter().any(|window| away(*window, goal).into_iter().all(|cells| cells <= 2));
        if near || !self.landmarks.is_in(ground.unit) {
            return LandmarkGoal::default();
        }
        let lanes = self.landmarks.goal(goal.1 * ground.bits.width() + goal.0);
        LandmarkGoal { lanes, beyond: self.to_cheaper(goal, ground.norm().least_of_step()) }
    }

    /// A bound of the cost from a cell to the goal.
    #[inline(always)]
    fn bound(&self, goal: &LandmarkGoal, (cell, id): ((u32, u32), u32), step: u32) -> u32 {
        let bound = self.landmarks.bound(id, &goal.lanes);
        if self.cheaper.is_empty() {
            return bound;
        }
        bound.min(self.to_cheaper(cell, step).saturating_add(goal.beyond))
    }

    /// What it costs at least to get from a cell to ground that became cheaper, or back, by steps that cost
    /// no less than one.
    fn to_cheaper(self, cell: (u32, u32), step: u32) -> u32 {
        let steps = self.cheaper.iter().map(|window| away(*window, cell)).map(|[dx, dz]| dx.max(dz));
        steps.min().unwrap_or(0).saturating_mul(step)
    }
}

/// How far a cell lies outside a window along each axis.
#[inline(always)]
fn away(window: Window, (x, z): (u32, u32)) -> [u32; 2] {
    let outside = |at: u32, first: u32, end: u32| first.saturating_sub(at).max((at + 1).saturating_sub(end));
    [outside(x, window.first_x, window.end_x), outside(z, window.first_z, window.end_z)]
}

/// What landmarks and the distance say of the way to a goal.
#[derive(Clone, Copy)]
pub(crate) struct Guide<'a> {
    far: AltHeuristic<'a>,
    goal: LandmarkGoal,
    distance: Distance,
    step: u32,
}

impl<'a> Guide<'a> {
    pub(crate) fn new(far: AltHeuristic<'a>, goal: LandmarkGoal, distance: Distance) -> Self {
        Self { far, goal, distance, step: distance.norm.least_of_step() }
    }
}

impl Guess for Guide<'_> {
    /// Where bounds are tight all of the way costs nearly the same, and what is expanded too early is
    /// expanded again all along it.
    const BUCKET_BITS: u32 = 5;

    #[inline(always)]
    fn to_go(&self, cell: (u32, u32), id: u32) -> u32 {
        self.far.bound(&self.goal, (cell, id), self.step).max(self.distance.to_go(cell, id))
    }
}

/// Which way costs are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// From the first cell to all others.
    From,
    /// From all others to it.
    To,
}

/// The costs between a cell and all others, `u32::MAX` where there is no way. Cost: a flood.
fn flood(search: &mut Search, ground: &WeightedGround, cell: NodeId, flow: Flow) -> Vec<u32> {
    search.flood_tiles(ground, cell, flow);
    let count = ground.bits.width() * ground.bits.depth();
    (0..count).map(|id| search.flooded(NodeId(id)).unwrap_or(u32::MAX)).collect()
}
