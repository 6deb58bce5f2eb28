//! Lower bounds of costs from true distances to a few far places, for searches over ground of many factors.
//!
//! In: the ground of a map as cheap as it gets, a cell to begin with. Out: for a goal, a bound of the cost from any cell.
//! Holds: bounds never exceed the true cost, on the ground they were made for and on any that is dearer or narrower; where
//! it became cheaper since, within some windows, a bound allows for the way through them. Along a step a bound falls by no more
//! than the step costs, but for rounding, walls and those windows: whoever uses them must be ready to improve a node that was
//! expanded. True costs are kept for every second cell of every second row, the anchors; another cell costs at least what an
//! anchor beside it does less the step between them. Memory: 6 bytes a cell. Not here: when to make them, and which windows
//! became cheaper (`map`).
//! Source: differential heuristics, Goldberg and Harrelson 2005 (ALT), Sturtevant et al. 2009; anchors and windows are ours.

use crate::nav::NodeId;
use crate::nav::cells::Bits;
use crate::nav::cells::bits::Cells;
use crate::nav::cells::layout::{LEGAL, OFFSETS, Rates, Unit};
use crate::nav::cells::raster::Window;
use crate::nav::cells::weighted::{Ground, Guess};
use crate::nav::search::Search;

/// Far places. Eight leave a fifth fewer expansions than six, four a quarter more; each costs two floods and a byte a cell.
const PLACES: usize = 6;
/// For each place the cost from it and the cost to it.
const LANES: usize = 2 * PLACES;
/// A lane of a goal that says nothing: no anchor exceeds it.
const MUTE: u16 = u16::MAX;
/// Costs from a place are kept as what they leave of this, so that all lanes are compared alike.
const TOP: u16 = u16::MAX - 1;

/// True costs to and from a few far places, by anchor: see the module.
#[derive(Clone, Debug)]
pub struct Landmarks {
    unit: Unit,
    /// Costs are kept in steps of 2^`grain`.
    grain: u32,
    across: u32,
    /// By anchor: the cost to each place, then what the cost from each leaves of `TOP`, both no more than that of a cell beside it
    /// and the step there; 0 where none leads.
    anchors: Vec<[u16; LANES]>,
    /// By anchor: whether that is the cost of the anchor itself.
    exact: Vec<bool>,
}

/// What is known of a goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FarGoal {
    lanes: [u16; LANES],
    /// At least this much is left once one has left the ground that became cheaper.
    beyond: u32,
}

impl Default for FarGoal {
    fn default() -> Self {
        Self { lanes: [MUTE; LANES], beyond: 0 }
    }
}

/// Landmarks, and where the ground became cheaper since they were made.
#[derive(Clone, Copy, Debug)]
pub struct Far<'a> {
    landmarks: &'a Landmarks,
    /// Cells whose cost may have fallen, as windows.
    cheaper: &'a [Window],
}

impl<'a> From<&'a Landmarks> for Far<'a> {
    fn from(landmarks: &'a Landmarks) -> Self {
        Self { landmarks, cheaper: &[] }
    }
}

impl Landmarks {
    /// For ground without gates, from a walkable cell in its largest part. Cost: thirteen floods of that part.
    #[must_use]
    pub fn of(ground: &Ground, seed: NodeId) -> Self {
        let (width, depth) = (ground.bits.width(), ground.bits.depth());
        let mut search = Search::default();
        let mut near = costs(&mut search, ground, seed, Flow::From);
        let mut tables = Vec::with_capacity(PLACES);
        for place in 0..PLACES {
            let known = |cost: u32| if cost == u32::MAX { 0 } else { cost };
            let next = (0..near.len()).rev().max_by_key(|&at| known(near[at])).unwrap_or(0);
            let flood = |search: &mut Search, flow| costs(search, ground, NodeId(next as u32), flow);
            let (from, to) = (flood(&mut search, Flow::From), flood(&mut search, Flow::To));
            near.iter_mut().zip(&from).for_each(|(near, &cost)| {
                *near = if place == 0 { cost } else { cost.min(*near) };
            });
            tables.push([to, from]);
        }
        let known = tables.iter().flatten().flatten().filter(|cost| **cost != u32::MAX);
        let most = known.max().copied().unwrap_or(0);
        let grain = (0..32).find(|grain| most >> grain < u32::from(TOP)).unwrap_or(16);
        let (across, down) = (width / 2 + 1, depth / 2 + 1);
        let count = across as usize * down as usize;
        let (anchors, exact) = (vec![[0; LANES]; count], vec![false; count]);
        let mut landmarks = Self { unit: ground.unit, grain, across, anchors, exact };
        for z in 0..down {
            for x in 0..across {
                landmarks.note(ground, &tables, (2 * x, 2 * z));
            }
        }
        landmarks
    }

    /// Fills in an anchor.
    fn note(&mut self, ground: &Ground, tables: &[[Vec<u32>; 2]], (x, z): (u32, u32)) {
        let rates = Rates::new(ground.unit);
        let cell = |dx: i32, dz: i32| {
            let (x, z) = (x.wrapping_add_signed(dx), z.wrapping_add_signed(dz));
            let is_open = x < ground.bits.width() && z < ground.bits.depth() && ground.bits.get(x, z);
            is_open.then(|| (z * ground.bits.width() + x) as usize)
        };
        let here = cell(0, 0);
        let mut beside = [(0, 0); 8];
        let mut count = 0;
        for (dx, dz) in OFFSETS {
            if let Some(id) = cell(dx, dz) {
                beside[count] = (id, ground.step(&rates, id, dx != 0 && dz != 0));
                count += 1;
            }
        }
        let at = self.anchor((x, z));
        let around = here.map(|id| ground.bits.around((x, z), id as u32));
        self.exact[at] = around.is_some_and(|around| LEGAL[around as usize] == around);
        let grain = self.grain;
        for (place, [to, from]) in tables.iter().enumerate() {
            let own = |table: &[u32]| here.map_or(u32::MAX, |id| table[id]);
            let (mut least, mut most) = (own(to), (own(from) != u32::MAX).then(|| i64::from(own(from))));
            for &(id, step) in &beside[..count] {
                least = least.min(to[id].saturating_add(step));
                if from[id] != u32::MAX {
                    most = most.max(Some(i64::from(from[id]) - i64::from(step)));
                }
            }
            if let (true, Some(most)) = (least != u32::MAX, most) {
                let most = u32::try_from(most).unwrap_or(0).div_ceil(1 << grain) as u16;
                self.anchors[at][place] = (least >> grain).min(u32::from(TOP)) as u16;
                self.anchors[at][PLACES + place] = TOP.saturating_sub(most);
            }
        }
    }

    /// The anchor at a cell or, beyond an odd one, the one before it.
    #[inline(always)]
    fn anchor(&self, (x, z): (u32, u32)) -> usize {
        ((z >> 1) * self.across + (x >> 1)) as usize
    }

    /// Whether costs are counted as they were when these were made.
    pub(crate) fn is_in(&self, unit: Unit) -> bool {
        self.unit == unit
    }

    /// A bound of the cost from the anchors around a cell to a goal on the ground as it was.
    #[inline(always)]
    fn bound(&self, (x, z): (u32, u32), goal: &[u16; LANES]) -> u32 {
        let first = self.anchor((x, z));
        let (right, down) = ((x & 1) as usize, (z & 1) as usize * self.across as usize);
        let corners = [first, first + right, first + down, first + right + down].map(|at| &self.anchors[at]);
        let mut most = 0;
        for lane in 0..LANES {
            let best = corners[0][lane].max(corners[1][lane]).max(corners[2][lane]).max(corners[3][lane]);
            most = most.max(best.saturating_sub(goal[lane]));
        }
        u32::from(most) << self.grain
    }

    /// Lanes of a goal: bounds from above of its own costs, by way of an anchor beside it.
    fn goal(&self, ground: &Ground, (x, z): (u32, u32)) -> [u16; LANES] {
        let mut lanes = [MUTE; LANES];
        let (width, rates) = (ground.bits.width(), Rates::new(ground.unit));
        let legal = LEGAL[ground.bits.around((x, z), z * width + x) as usize];
        let steps = OFFSETS.into_iter().enumerate().filter(|(direction, _)| legal >> direction & 1 != 0);
        let steps = steps.map(|(_, offset)| offset).chain([(0, 0)]);
        for (dx, dz) in steps {
            let (x, z) = (x.wrapping_add_signed(dx), z.wrapping_add_signed(dz));
            let at = self.anchor((x, z));
            if x & 1 != 0 || z & 1 != 0 || !self.exact[at] {
                continue;
            }
            let is_there = dx == 0 && dz == 0;
            let step = ground.step(&rates, (z * width + x) as usize, dx != 0 && dz != 0);
            let step = if is_there { 0 } else { step.div_ceil(1 << self.grain) };
            // What is kept was rounded in favour of the anchor.
            let above = u16::try_from(step + 1).unwrap_or(MUTE);
            for (lane, kept) in lanes.iter_mut().zip(&self.anchors[at]).filter(|(_, kept)| **kept != 0) {
                *lane = kept.saturating_add(above).min(*lane);
            }
        }
        lanes
    }
}

impl<'a> Far<'a> {
    /// The same where the ground of some windows may have become cheaper. A step past a corner counts as within both its
    /// sides, so windows must reach one cell beyond what changed.
    pub(crate) fn new(landmarks: &'a Landmarks, cheaper: &'a [Window]) -> Self {
        Self { landmarks, cheaper }
    }

    /// What is known of a goal on ground that is nowhere cheaper than that of the landmarks but in the windows.
    pub(crate) fn goal(&self, ground: &Ground, goal: (u32, u32)) -> FarGoal {
        let near = self.cheaper.iter().any(|window| away(*window, goal).into_iter().all(|cells| cells <= 2));
        if near || !self.landmarks.is_in(ground.unit) {
            return FarGoal::default();
        }
        FarGoal { lanes: self.landmarks.goal(ground, goal), beyond: self.to_cheaper(goal, ground.floor()) }
    }

    /// A bound of the cost from a cell to the goal.
    #[inline(always)]
    fn bound(&self, goal: &FarGoal, cell: (u32, u32), floor: Unit) -> u32 {
        let bound = self.landmarks.bound(cell, &goal.lanes);
        if self.cheaper.is_empty() {
            return bound;
        }
        bound.min(self.to_cheaper(cell, floor).saturating_add(goal.beyond))
    }

    /// What it costs at least to get from a cell to ground that became cheaper, or back, in any layout.
    fn to_cheaper(self, cell: (u32, u32), floor: Unit) -> u32 {
        let steps = self.cheaper.iter().map(|window| away(*window, cell)).map(|[dx, dz]| dx.max(dz));
        steps.min().unwrap_or(0).saturating_mul(floor.straight)
    }
}

/// How far a cell lies outside a window along each axis.
#[inline(always)]
fn away(window: Window, (x, z): (u32, u32)) -> [u32; 2] {
    let outside = |at: u32, first: u32, end: u32| first.saturating_sub(at).max((at + 1).saturating_sub(end));
    [outside(x, window.first_x, window.end_x), outside(z, window.first_z, window.end_z)]
}

/// Bounds on some ground.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<'a> {
    far: Far<'a>,
    factor: &'a [u16],
    rates: Rates,
}

impl<'a> Bounds<'a> {
    pub(crate) fn new(far: Far<'a>, ground: &Ground<'a>) -> Self {
        Self { far, factor: ground.factor, rates: Rates::new(ground.unit) }
    }
}

impl Guess for Bounds<'_> {
    /// Where bounds are tight all of the way costs nearly the same, and what is expanded too early is expanded again all along it.
    const BUCKET_BITS: u32 = 4;

    #[inline(always)]
    fn to_go(self, search: &Search, (x, z): (u32, u32), id: u32) -> u32 {
        let factor = self.factor[id as usize];
        let step = match x & 1 | z & 1 {
            0 => 0,
            _ if x & z & 1 != 0 => self.rates.diagonal(factor),
            _ => self.rates.straight(factor),
        };
        let bound = self.far.bound(&search.far, (x, z), search.unit).saturating_sub(step);
        bound.max(search.to_go(x, z))
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
fn costs(search: &mut Search, ground: &Ground, cell: NodeId, flow: Flow) -> Vec<u32> {
    search.flood_weighted(ground, cell, flow);
    let bits: &Bits = ground.bits;
    let count = bits.width() * bits.depth();
    (0..count).map(|id| search.flooded(NodeId(id)).unwrap_or(u32::MAX)).collect()
}
