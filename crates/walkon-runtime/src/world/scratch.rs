//! Data that is never part of the state: buffers, look-ups that can be rebuilt, costs of searching.
//!
//! Holds: nothing in here decides anything about the next tick; a world whose scratch is empty goes on in the
//! same way.

use crate::nav::Search;
use crate::world::bystander_index::BystanderIndex;
use crate::world::crowd_step::CrowdStep;
use crate::world::leaders::Leaders;

/// What a save game leaves out.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// For questions that search at once. In a box, as the requests are.
    pub(crate) search: Box<Search>,
    /// Where the characters in the way of plans stand.
    pub(crate) bystanders: BystanderIndex,
    /// Which characters follow which.
    pub(crate) leaders: Leaders,
    /// The step of the crowd under way, from step 7 to step 9.
    pub(crate) step: CrowdStep,
    /// Cost of searching.
    pub(crate) path_counts: PathCounts,
}

/// What path searching cost, over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathCounts {
    /// Requests made.
    pub requests: u64,
    /// Nodes expanded.
    pub expansions: u64,
    /// Most nodes expanded in one tick.
    pub max_per_tick: u64,
    /// Nodes expanded in the tick under way, or the last one between ticks.
    pub in_tick: u64,
    /// Searches begun again because the map changed under them.
    pub restarts: u64,
}
