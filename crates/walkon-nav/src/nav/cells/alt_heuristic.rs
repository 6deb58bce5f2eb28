//! The ALT heuristic for searches over cells: lower bounds of costs, from true costs to a few far places.
//!
//! In: the ground of a map as cheap as it gets, a cell to begin with. Out: for a goal, a bound of the cost
//! from any cell. Holds: bounds never exceed the true cost, on the ground they were made for and on any that
//! is more expensive or narrower; where it became cheaper since, within some rectangles, a bound allows for
//! the way through them. The bounds are consistent but for rounding, walls and those rectangles, so a search
//! may expand a node more than once. Not here: when to make them, and which ground became cheaper (`map`),
//! making them at once (`weighted_ground`), how costs are kept (`even_landmarks`, `priced_landmarks`).
//! Source: see `nav/landmarks.rs`; rectangles are ours.

use crate::nav::cell::Cell;
use crate::nav::cells::even_landmarks::{EvenBounds, EvenLandmarks};
use crate::nav::cells::guess::{Guess, Guide};
use crate::nav::cells::landmark_goal::{FarGoal, GoalLanes};
use crate::nav::cells::layout::Unit;
use crate::nav::cells::priced_landmarks::{PricedBounds, PricedLandmarks};
use crate::nav::cells::raster::Window;
use crate::nav::landmarks::ChangedGround;

/// True costs between a few far places and all cells: see the module.
#[derive(Clone, Debug)]
pub struct CellLandmarks {
    unit: Unit,
    kept: KeptCosts,
}

#[derive(Clone, Debug)]
enum KeptCosts {
    Even(EvenLandmarks),
    Priced(PricedLandmarks),
}

/// Landmarks, and where the ground became cheaper since they were made.
#[derive(Clone, Copy, Debug)]
pub struct AltHeuristic<'a> {
    landmarks: &'a CellLandmarks,
    cheaper: &'a ChangedGround,
}

impl<'a> From<&'a CellLandmarks> for AltHeuristic<'a> {
    fn from(landmarks: &'a CellLandmarks) -> Self {
        Self { landmarks, cheaper: ChangedGround::NONE }
    }
}

impl CellLandmarks {
    /// From a survey that has come to its end.
    pub(crate) fn surveyed(landmarks: EvenLandmarks, unit: Unit) -> Self {
        Self { unit, kept: KeptCosts::Even(landmarks) }
    }

    /// Those of ground that does not cost the same everywhere.
    pub(crate) fn priced(landmarks: PricedLandmarks, unit: Unit) -> Self {
        Self { unit, kept: KeptCosts::Priced(landmarks) }
    }

    /// Whether searches gain by them: not where ways cost hardly more than the distance over open ground.
    #[must_use]
    pub fn are_worth_it(&self) -> bool {
        match &self.kept {
            KeptCosts::Even(landmarks) => landmarks.are_worth_it(),
            KeptCosts::Priced(_) => true,
        }
    }

    /// Memory taken.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.kept {
            KeptCosts::Even(landmarks) => landmarks.bytes(),
            KeptCosts::Priced(landmarks) => landmarks.bytes(),
        }
    }

    /// Whether all cells of a window that are open now were so when they were made.
    pub(crate) fn know_all(&self, window: Window, is_open: impl Fn(u32, u32) -> bool) -> bool {
        match &self.kept {
            KeptCosts::Even(landmarks) => landmarks.know_all(window, is_open),
            KeptCosts::Priced(landmarks) => landmarks.know_all(window, is_open),
        }
    }
}

impl<'a> AltHeuristic<'a> {
    /// The same where the ground of some parts may have become cheaper. A step past a corner counts as within
    /// both its sides, so parts must reach one cell beyond what changed.
    pub(crate) fn new(landmarks: &'a CellLandmarks, cheaper: &'a ChangedGround) -> Self {
        Self { landmarks, cheaper }
    }

    /// What is known of a goal on ground that is nowhere cheaper than that of the landmarks but in those
    /// parts. `step`: no step costs less.
    pub(crate) fn goal(&self, unit: Unit, goal: Cell, step: u32) -> FarGoal {
        if self.landmarks.unit != unit || self.cheaper.is_near(goal, 2) {
            return FarGoal::default();
        }
        let lanes = match &self.landmarks.kept {
            KeptCosts::Even(landmarks) => landmarks.goal(goal).map_or(GoalLanes::Mute, GoalLanes::Even),
            KeptCosts::Priced(landmarks) => GoalLanes::Priced(landmarks.goal(goal)),
        };
        FarGoal { lanes, beyond: self.cheaper.least(goal, |dx, dz| dx.max(dz).saturating_mul(step)) }
    }

    /// Bounds of the ways to a goal, beside the distance, where all ground costs the same; None where nothing
    /// is known of it.
    #[inline]
    pub(crate) fn even_guide<D: Guess>(
        self,
        goal: &FarGoal,
        distance: D,
        step: u32,
    ) -> Option<Guide<'a, EvenBounds<'a>, D>> {
        let (KeptCosts::Even(landmarks), GoalLanes::Even(lanes)) = (&self.landmarks.kept, goal.lanes) else {
            return None;
        };
        let bounds = EvenBounds { landmarks, goal: lanes };
        Some(Guide { bounds, distance, cheaper: self.cheaper, beyond: goal.beyond, step })
    }

    /// The same where it does not.
    #[inline]
    pub(crate) fn priced_guide<D: Guess>(
        self,
        goal: &FarGoal,
        distance: D,
        step: u32,
    ) -> Option<Guide<'a, PricedBounds<'a>, D>> {
        let (KeptCosts::Priced(landmarks), GoalLanes::Priced(lanes)) = (&self.landmarks.kept, goal.lanes)
        else {
            return None;
        };
        let bounds = PricedBounds { landmarks, goal: lanes };
        Some(Guide { bounds, distance, cheaper: self.cheaper, beyond: goal.beyond, step })
    }
}
