//! Heuristics for A*: lower bounds of the cost from a cell to the goal.
//!
//! In: a cell. Out: a lower bound of the cost from there. Holds: a bound never exceeds the true cost. Each
//! heuristic is a type of its own, so a search pays only for the one it uses. Not here: the searches, how
//! landmarks keep costs (`even_landmarks`, `priced_landmarks`).

use crate::nav::cell::Cell;
use crate::nav::cells::lattice::Norm;
use crate::nav::cells::layout::Unit;
use crate::nav::landmarks::ChangedGround;

/// A lower bound of the cost from a cell to the goal of a search. It need not be consistent: a cell that is
/// reached more cheaply after it was expanded is expanded again.
pub(crate) trait Guess: Copy {
    /// How many ranges of the queue, as a power of two, a step at the cheapest factor spans at least. Finer
    /// ranges are empty too often, coarser ones expand more cells twice; from one step to half a range the
    /// differences stay below a tenth.
    const BUCKET_BITS: u32 = 2;
    /// The same beside landmarks. Where bounds are tight all of the way costs nearly the same.
    const GUIDED_BUCKET_BITS: u32 = 2;
    /// The bound.
    fn to_go(&self, cell: Cell, id: u32) -> u32;
}

/// The cost of the steps over open ground of the cheapest factor.
#[derive(Clone, Copy)]
pub(crate) struct Distance {
    pub(crate) norm: Norm,
    pub(crate) goal: Cell,
}

impl Guess for Distance {
    /// What is expanded too early is expanded again all along the way.
    const GUIDED_BUCKET_BITS: u32 = 5;

    #[inline(always)]
    fn to_go(&self, cell: Cell, _id: u32) -> u32 {
        self.norm.between(cell, self.goal)
    }
}

/// The same on plain squares.
#[derive(Clone, Copy)]
pub(crate) struct Octile {
    pub(crate) unit: Unit,
    pub(crate) goal: Cell,
}

impl Guess for Octile {
    #[inline(always)]
    fn to_go(&self, Cell { x, z }: Cell, _id: u32) -> u32 {
        self.unit.octile(x.abs_diff(self.goal.x), z.abs_diff(self.goal.z))
    }
}

/// No goal at all.
#[derive(Clone, Copy)]
pub(crate) struct Nowhere;

impl Guess for Nowhere {
    #[inline(always)]
    fn to_go(&self, _cell: Cell, _id: u32) -> u32 {
        0
    }
}

/// What landmarks say of the way from a cell to a goal, on the ground they were made for.
pub(crate) trait LandmarkBounds: Copy {
    /// A lower bound of its cost.
    fn bound(&self, cell: Cell, id: u32) -> u32;
}

/// What landmarks and the distance say of the way to a goal.
#[derive(Clone, Copy)]
pub(crate) struct Guide<'a, B, D> {
    pub(crate) bounds: B,
    pub(crate) distance: D,
    /// Where the ground may have become cheaper since the landmarks were made.
    pub(crate) cheaper: &'a ChangedGround,
    /// At least this much is left once one has left that ground.
    pub(crate) beyond: u32,
    /// No step costs less.
    pub(crate) step: u32,
}

impl<B: LandmarkBounds, D: Guess> Guess for Guide<'_, B, D> {
    const BUCKET_BITS: u32 = D::GUIDED_BUCKET_BITS;

    #[inline(always)]
    fn to_go(&self, cell: Cell, id: u32) -> u32 {
        let mut bound = self.bounds.bound(cell, id);
        if !self.cheaper.is_empty() {
            let there = self.cheaper.least(cell, |dx, dz| dx.max(dz).saturating_mul(self.step));
            bound = bound.min(there.saturating_add(self.beyond));
        }
        bound.max(self.distance.to_go(cell, id))
    }
}
