//! The ground that weighted searches walk on: its cells, step costs and lower bounds.
//!
//! In: walkable bits, a factor a cell, gates that cost extra to enter. Out: step costs, the least that a way
//! can cost, landmarks of the whole. Holds: a step costs its length times the factor of the cell it enters;
//! entering a gate from outside it adds the gate's own cost once. Not here: searches (`weighted_astar`,
//! `tile_astar`), where the factors come from (`map`).

use crate::nav::NodeId;
use crate::nav::cells::Bits;
use crate::nav::cells::alt_heuristic::{AltHeuristic, CellLandmarks};
use crate::nav::cells::even_landmarks::EvenSurvey;
use crate::nav::cells::lattice::{Norm, Strides};
use crate::nav::cells::layout::{FACTOR_ONE, Rates, StepKind, Unit};
use crate::nav::cells::priced_landmarks::PricedLandmarks;
use crate::nav::search::Search;
use crate::nav::search_state::Flow;

/// What a weighted search walks on. Must stay the same from slice to slice.
#[derive(Clone, Copy, Debug)]
pub struct WeightedGround<'a> {
    /// Where one can walk at all.
    pub bits: &'a Bits,
    /// Area factors by cell, fixed point (see [`FACTOR_ONE`]), at least 1; empty when they are all one.
    pub factor: &'a [u16],
    /// The smallest factor in use, or anything below it. A larger value loses optimal paths.
    pub cheapest: u16,
    /// What a step costs at factor 1.
    pub unit: Unit,
    /// What entering a gate costs beyond the steps.
    pub extra: Option<Extra<'a>>,
    /// Lower bounds better than the distance at the cheapest factor, when they were made.
    pub far: Option<AltHeuristic<'a>>,
    /// By cell, bit d: no step may be taken in direction d; bit 8: this holds for some direction of the cell
    /// or of one of the eight around it. Empty when every legal step may be taken.
    pub exits: &'a [u16],
}

/// One-time costs: paid on every step from a cell that is not of a gate onto a cell that is.
#[derive(Clone, Copy, Debug)]
pub struct Extra<'a> {
    /// By cell: 0 for none, else a gate.
    pub gate: &'a [u16],
    /// By gate: its cost, in the unit of the map. Gates beyond the end, and gate 0, cost nothing.
    pub cost: &'a [u32],
}

impl<'a> WeightedGround<'a> {
    /// Ground with all factors one and no gates.
    #[must_use]
    pub fn even(bits: &'a Bits) -> Self {
        let unit = Unit::for_map(u64::from(bits.width()) * u64::from(bits.depth()), FACTOR_ONE);
        Self { bits, factor: &[], cheapest: FACTOR_ONE, unit, extra: None, far: None, exits: &[] }
    }

    /// The cost of a step onto a cell, gates aside.
    #[inline(always)]
    pub(crate) fn step(&self, rates: &Rates, to: usize, kind: StepKind) -> u32 {
        let factor = self.factor.get(to).copied().unwrap_or(FACTOR_ONE);
        match kind {
            StepKind::Straight => rates.straight(factor),
            StepKind::Diagonal => rates.diagonal(factor),
        }
    }

    /// Whether it is of plain squares that all cost the same, gates aside.
    pub(crate) fn is_plain(&self) -> bool {
        self.factor.is_empty() && self.bits.shape().is_plain()
    }

    /// Step costs at the cheapest factor: those of the heuristic.
    pub(crate) fn floor(&self) -> Unit {
        self.unit.scaled(self.floor_factor())
    }

    /// Least costs from cell to cell.
    pub(crate) fn norm(&self) -> Norm {
        let shape = self.bits.shape();
        Strides::new(self.unit, shape).norm(shape.neighbours, self.floor_factor())
    }

    /// The factor of the heuristic.
    pub(crate) fn floor_factor(&self) -> u16 {
        if self.factor.is_empty() { FACTOR_ONE } else { self.cheapest }
    }
}

impl Extra<'_> {
    #[inline(always)]
    pub(crate) fn toll(&self, from: usize, to: usize) -> u32 {
        let gate = self.gate[to];
        if gate == 0 || gate == self.gate[from] {
            0
        } else {
            self.cost.get(gate as usize).copied().unwrap_or(0)
        }
    }
}

/// Floods over ground of several factors: the costs between a cell and all others, `u32::MAX` where there is
/// no way.
pub(crate) fn flood_of<'a>(ground: &'a WeightedGround<'_>) -> impl FnMut(NodeId, Flow) -> Vec<u32> + 'a {
    let mut search = Search::default();
    let count = ground.bits.width() * ground.bits.depth();
    move |cell, flow| {
        search.flood_tiles(ground, cell, flow);
        (0..count).map(|id| search.flooded(NodeId(id)).unwrap_or(u32::MAX)).collect()
    }
}

impl CellLandmarks {
    /// For ground without gates, from a walkable cell in its largest part. Cost: nine floods of that part
    /// where all ground costs the same, else seventeen.
    #[must_use]
    pub fn of(ground: &WeightedGround, seed: NodeId) -> Self {
        if ground.factor.is_empty() {
            let landmarks = EvenSurvey::begin(ground.bits, ground.unit, seed).finish();
            return Self::surveyed(landmarks, ground.unit);
        }
        Self::priced(PricedLandmarks::new(ground.bits.width(), seed, flood_of(ground)), ground.unit)
    }
}
