//! Constants of a level: its name, the seed of the run, the properties of its things.
//!
//! In: the level. Out: names, seed and properties. Never: anything that a tick changes.

use crate::world::props::Props;

/// No tick changes these; an edit of the level may replace the properties of its things.
#[derive(Clone, Debug, Default)]
pub struct LevelInfo {
    /// Name of the level.
    pub(crate) name: String,
    /// Seed of the run.
    pub(crate) seed: u64,
    /// What the level says of its things to scripts.
    pub(crate) props: Props,
}
