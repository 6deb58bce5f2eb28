//! Step 13: what was removed or has settled and been told is freed.
//!
//! Holds: an id is freed only after every fact that names it has been handed out, or names something
//! that is gone and says so.

use crate::base::ids::{CharacterId, WalkId};
use crate::world::World;

/// What was freed in this tick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Culled {
    /// Characters, in order of creation.
    pub characters: Vec<CharacterId>,
    /// Walks, in order of creation.
    pub walks: Vec<WalkId>,
}

/// Frees, and says what.
pub fn run(world: &mut World) -> Culled {
    let walks: Vec<WalkId> = world
        .walk_order
        .iter()
        .copied()
        .filter(|&id| world.walks.get(id).is_none_or(|walk| walk.is_delivered && !walk.is_open()))
        .collect();
    for &id in &walks {
        world.walks.remove(id);
    }
    if !walks.is_empty() {
        world.walk_order.retain(|&id| world.walks.contains_key(id));
    }
    world.walks_this_tick.clear();
    Culled { characters: world.characters.cull(), walks }
}
