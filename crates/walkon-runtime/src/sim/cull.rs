//! Step 13: frees what was removed, or has settled and been reported.
//!
//! Holds: an id is freed only after every fact that names it has been handed out, or names something
//! that is gone and says so.

use crate::base::ids::{CharacterId, WalkId};
use crate::world::character::Characters;
use crate::world::walks::Walks;

/// What was freed in this tick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Culled {
    /// Characters, in order of creation.
    pub characters: Vec<CharacterId>,
    /// Walks, in order of creation.
    pub walks: Vec<WalkId>,
}

/// Frees, and says what.
pub(crate) fn run(characters: &mut Characters, walks: &mut Walks) -> Culled {
    walks.asked_in_tick.clear();
    Culled { characters: characters.cull(), walks: walks.cull() }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::world::World;
    use crate::world::fixture::{Fixture, sample};
    use crate::world::goal::Goal;
    use crate::world::ops::walks::{WalkOrder, conclude, walk_to};
    use crate::world::outcome::{Reason, Status};
    use crate::world::owner::Owner;
    use crate::world::walk::WalkOptions;

    fn cull(world: &mut World) -> Vec<WalkId> {
        run(&mut world.characters, &mut world.walks).walks
    }

    #[test]
    fn walks_are_freed_in_order_of_creation_once_they_have_settled_and_been_told() {
        let Fixture { mut world, other, walk: first, .. } = sample();
        let (goal, options) = (Goal::Point(Vec3::ZERO), WalkOptions::at(world.clock.rate));
        let order = WalkOrder { character: other, goal, options, owner: Owner::HOST };
        let second = walk_to(&mut world, order).expect("both are there");
        world.walks.deliver(first);
        assert_eq!(cull(&mut world), [], "a walk that has not settled stays");
        conclude(&mut world, first, Status::Blocked, Reason::NoPath);
        conclude(&mut world, second, Status::Blocked, Reason::NoPath);
        world.walks.deliver(second);
        world.walks.deliver(second);
        assert_eq!(cull(&mut world), [first, second]);
        assert_eq!((world.walks.iter().count(), cull(&mut world).len()), (0, 0));
    }
}
