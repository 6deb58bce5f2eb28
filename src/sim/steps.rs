//! What of the world each step is given: the parts that it reads and writes, and nothing else.
//!
//! In: the world. Out: the world one step later. Holds: the order of the steps stands in `game`, and again,
//! for a scene that is skipped, in `scene_fast_forward`; this is where both find them.

use crate::sim::cull::{self, Culled};
use crate::sim::{avoid, ground_queries};
use crate::world::World;
use crate::world::bystander_index::People;

/// Step 8.
pub fn avoid(world: &mut World) {
    let World { clock, map, characters, walks, settings, scratch, .. } = world;
    ground_queries::prepare(map, characters);
    avoid::run(clock, map, People { characters, walks, crowd: &settings.crowd }, &mut scratch.step);
}

/// Step 13.
pub fn cull(world: &mut World) -> Culled {
    cull::run(&mut world.characters, &mut world.walks)
}
