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
    let walks = world.free_walks();
    world.walks_this_tick.clear();
    Culled { characters: world.characters.cull(), walks }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::world::fixture::{Fixture, sample};
    use crate::world::ops::walks::{WalkOrder, conclude, walk_to};
    use crate::world::outcome::{Reason, Status};
    use crate::world::walk::{Goal, Owner, WalkOptions};

    #[test]
    fn walks_are_freed_in_order_of_creation_once_they_have_settled_and_been_told() {
        let Fixture { mut world, other, walk: first, .. } = sample();
        let (goal, options) = (Goal::Point(Vec3::ZERO), WalkOptions::at(world.rate));
        let order = WalkOrder { character: other, goal, options, owner: Owner::HOST };
        let second = walk_to(&mut world, order).expect("both are there");
        world.deliver(first);
        assert_eq!(run(&mut world).walks, [], "who has not settled stays");
        conclude(&mut world, first, Status::Blocked, Reason::NoPath);
        conclude(&mut world, second, Status::Blocked, Reason::NoPath);
        world.deliver(second);
        world.deliver(second);
        assert_eq!(run(&mut world).walks, [first, second]);
        assert_eq!((world.walk_order.len(), run(&mut world).walks.len()), (0, 0));
    }
}
