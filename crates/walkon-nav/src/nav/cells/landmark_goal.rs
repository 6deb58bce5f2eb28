//! The landmark costs of the goal of a search.
//!
//! Holds: plain data, kept in the search. Not here: landmarks and the bounds they give (`alt_heuristic`).

use crate::nav::landmarks::{LandmarkGoal, PLACES};

/// On ground of several factors, for each place the cost to it and the cost from it.
pub(super) const LANES: usize = 2 * PLACES;

/// A lane of a goal that says nothing: no cell exceeds it.
pub(super) const MUTE: i16 = i16::MAX;

/// What is known of a goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FarGoal {
    pub(super) lanes: GoalLanes,
    /// At least this much is left once one has left the ground that became cheaper.
    pub(super) beyond: u32,
}

/// The costs of a goal, as the landmarks that know it keep them.
#[derive(Clone, Copy, Debug)]
pub(super) enum GoalLanes {
    /// None know it.
    Mute,
    /// Those of ground that all costs the same.
    Even(LandmarkGoal<u16, PLACES>),
    /// Those of ground of several factors.
    Priced([i16; LANES]),
}

impl Default for FarGoal {
    fn default() -> Self {
        Self { lanes: GoalLanes::Mute, beyond: 0 }
    }
}
