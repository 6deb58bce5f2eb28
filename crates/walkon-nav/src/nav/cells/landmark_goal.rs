//! What landmarks say of the goal of a search.
//!
//! Holds: plain data, kept in the search. Not here: landmarks and the bounds they give (`alt_heuristic`).

/// Far places.
pub(super) const PLACES: usize = 8;

/// For each place the cost to it and the cost from it.
pub(super) const LANES: usize = 2 * PLACES;

/// A lane of a goal that says nothing: no cell exceeds it.
pub(super) const MUTE: i16 = i16::MAX;

/// What is known of a goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LandmarkGoal {
    pub(super) lanes: [i16; LANES],
    /// At least this much is left once one has left the ground that became cheaper.
    pub(super) beyond: u32,
}

impl Default for LandmarkGoal {
    fn default() -> Self {
        Self { lanes: [MUTE; LANES], beyond: 0 }
    }
}
