//! Landmarks on ground of several prices: true costs between a few far places and all cells.
//!
//! In: the ground of a map as cheap as it gets, a cell to begin with. Out: a bound of the cost from any cell
//! to any other. Memory: 32 bytes a cell. Not here: which bounds hold after edits (`alt_heuristic`). Tried:
//! six places, which leave up to half as many expansions more; costs to places only, up to twice as many;
//! costs of every fourth cell only (6 bytes a cell), whose bounds miss by a step or two, and where prices
//! change from cell to cell that is all they gain.

use crate::nav::NodeId;
use crate::nav::cell::Cell;
use crate::nav::cells::guess::LandmarkBounds;
use crate::nav::cells::landmark_goal::{LANES, MUTE};
use crate::nav::cells::raster::Window;
use crate::nav::landmarks::{CostStep, FarPlaces, PLACES, excess};
use crate::nav::search_state::Flow;

/// Kept costs end here: the largest number of two bytes with a sign, which processors compare eight at a
/// time.
const TOP: u32 = i16::MAX as u32;

/// The cost to each place, rounded down, and one more; then what the cost from each, rounded up, leaves of
/// `TOP`. 0 where no way leads. So all lanes are compared alike. They fill half a line of the cache, of which
/// reading them should not touch two.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct PricedLanes([i16; LANES]);

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct PricedLandmarks {
    width: u32,
    step: CostStep,
    /// By cell.
    costs: Vec<PricedLanes>,
}

/// Landmarks in the making, a flood at a time.
#[derive(Clone, Debug)]
pub(crate) struct PricedSurvey {
    width: u32,
    seed: NodeId,
    places: Option<FarPlaces>,
    tables: [Vec<u32>; LANES],
    /// How many places have both their tables.
    done: usize,
    /// The place under way, once the costs to it are known.
    half: Option<NodeId>,
}

impl PricedSurvey {
    /// Nothing is known yet: see [`PricedLandmarks::new`].
    pub(crate) fn begin(width: u32, seed: NodeId) -> Self {
        Self { width, seed, places: None, tables: Default::default(), done: 0, half: None }
    }

    /// One flood; the landmarks after the last.
    pub(crate) fn flood(
        &mut self,
        mut flood: impl FnMut(NodeId, Flow) -> Vec<u32>,
    ) -> Option<PricedLandmarks> {
        let Some(places) = &mut self.places else {
            self.places = Some(FarPlaces::from_table(flood(self.seed, Flow::From)));
            return None;
        };
        let Some(place) = self.half.take() else {
            let next = NodeId(places.furthest() as u32);
            self.tables[self.done] = flood(next, Flow::To);
            self.half = Some(next);
            return None;
        };
        let from = flood(place, Flow::From);
        places.add(&from);
        self.tables[PLACES + self.done] = from;
        self.done += 1;
        (self.done == PLACES).then(|| self.landmarks())
    }

    fn landmarks(&self) -> PricedLandmarks {
        let step = CostStep::for_tables(&self.tables, TOP - 2);
        let mut costs = vec![PricedLanes([0; LANES]); self.tables[0].len()];
        for (lane, table) in self.tables.iter().enumerate() {
            for (at, &cost) in table.iter().enumerate().filter(|(_, cost)| **cost != u32::MAX) {
                let (down, up) = (step.down(cost.into()) as u32, step.up(cost.into()) as u32);
                costs[at].0[lane] = if lane < PLACES { down + 1 } else { TOP - up } as i16;
            }
        }
        PricedLandmarks { width: self.width, step, costs }
    }
}

/// Bounds of the ways to one goal.
#[derive(Clone, Copy)]
pub(crate) struct PricedBounds<'a> {
    pub(super) landmarks: &'a PricedLandmarks,
    pub(super) goal: [i16; LANES],
}

impl LandmarkBounds for PricedBounds<'_> {
    #[inline(always)]
    fn bound(&self, _cell: Cell, id: u32) -> u32 {
        let PricedLanes(costs) = &self.landmarks.costs[id as usize];
        self.landmarks.step.cost(u32::from(excess(costs, &self.goal) as u16))
    }
}

impl PricedLandmarks {
    /// For a map `width` cells wide, from a walkable cell in its largest part. `flood` gives the costs
    /// between a cell and all others, `u32::MAX` where there is no way; it is called seventeen times.
    pub(crate) fn new(width: u32, seed: NodeId, mut flood: impl FnMut(NodeId, Flow) -> Vec<u32>) -> Self {
        let mut survey = PricedSurvey::begin(width, seed);
        // Bounded by the floods.
        loop {
            if let Some(landmarks) = survey.flood(&mut flood) {
                return landmarks;
            }
        }
    }

    /// Lanes of a goal: bounds from above of its own costs.
    pub(crate) fn goal(&self, Cell { x, z }: Cell) -> [i16; LANES] {
        // What is kept was rounded in favour of the cell.
        let above = |kept: i16| if kept == 0 { MUTE } else { kept.saturating_add(1) };
        self.costs[(z * self.width + x) as usize].0.map(above)
    }

    /// Whether a way leads from or to each of some cells of which something is said, on the ground as it was.
    pub(crate) fn know_all(&self, window: Window, is_open: impl Fn(u32, u32) -> bool) -> bool {
        let known = |x: u32, z: u32| self.costs[(z * self.width + x) as usize].0 != [0; LANES];
        window.all_cells(|x, z| !is_open(x, z) || known(x, z))
    }

    /// Memory taken.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.costs[..])
    }
}
