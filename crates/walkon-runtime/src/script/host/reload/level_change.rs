//! A change of the level that comes with a reload of scripts.
//!
//! In: the world. Out: the world on the new level, and the behaviours that it gives; or the world as it was.
//! Holds: the scripts say when the level changes and when it is taken back, since new code is tried on the
//! new level, and old code goes on in the old one. Not here: the change itself (`game::level_edit`),
//! references of scripts to the discarded world (`commit`).

use crate::script::host::reload::refusal::LevelBehaviours;
use crate::world::World;

/// A new level that takes effect with the scripts, or not at all.
pub(crate) trait LevelChange {
    /// Puts the world on the new level. The characters to which it gives another behaviour, other parameters,
    /// or none.
    fn apply(&mut self, world: &mut World) -> LevelBehaviours;

    /// Puts the world back to what it was before; nothing happens when it is. What was logged meanwhile stays
    /// told.
    fn take_back(&mut self, world: &mut World);
}
