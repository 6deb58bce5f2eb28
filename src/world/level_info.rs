//! What a level settles once and for all: its name, the seed of the run, what it says of its things.
//!
//! In: the level. Out: names, seed and properties. Never: anything that a tick changes.

use crate::world::props::Props;

/// What no tick changes; an edit of the level may replace what it says of its things.
#[derive(Clone, Debug, Default)]
pub struct LevelInfo {
    /// Name of the level.
    pub(crate) name: String,
    /// Seed of the run.
    pub(crate) seed: u64,
    /// What the level says of its things to scripts.
    pub(crate) props: Props,
}
