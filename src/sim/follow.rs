//! Step 7: how far each walker may go along its path in this tick.
//!
//! In: walks with a path, doors on their way. Out: moves for step 9, doors asked to open. Holds: nobody
//! goes past a door that is not open; who opens doors asks once it stands in front, who waits stands
//! until it is open or its patience ends.

use crate::base::ids::{DoorId, WalkId};
use crate::sim::{arrivals, courses};
use crate::world::World;
use crate::world::ops::doors::{self, DoorOrder};
use crate::world::outcome::Blocker;
use crate::world::walk::{Ask, DoorPolicy, Phase, Walk};
use crate::world::{Move, door::Door};

/// How far in front of a closed door a walker stops, metres from where its area begins. Far enough that
/// the body stands clear of the doorway, near enough to reach the handle.
pub const STANDOFF_M: f32 = 0.6;

/// Fills the moves of this tick.
pub fn run(world: &mut World) {
    world.moves.clear();
    for id in world.open_walks() {
        step(world, id);
    }
}

pub(crate) fn step(world: &mut World, id: WalkId) {
    let Some(walk) = world.walks.get(id) else {
        return;
    };
    if matches!(walk.phase, Phase::Turning { .. } | Phase::Settled(_)) || walk.following.is_none() {
        return;
    }
    // Who stands there from the start takes no step: `alreadyThere`.
    if walk.travelled_m == 0.0 && courses::is_plain(walk) && arrivals::is_within_radius(world, walk) {
        return;
    }
    let Some(character) = world.characters.get(walk.character) else {
        return;
    };
    let (who, speed_mps) = (walk.character, walk.speed_mps(character));
    let reach_m = courses::reach_m(world, walk);
    if reach_m <= 0.0 {
        return;
    }
    let mut budget_m = (speed_mps * world.rate.tick_seconds()).min(reach_m);
    if let Some((door, left_m)) = closed_door_ahead(world, walk) {
        if left_m <= budget_m {
            stand_before(world, id, door);
        } else {
            walk_on(world, id);
        }
        budget_m = budget_m.min(left_m.max(0.0));
    } else {
        walk_on(world, id);
    }
    if budget_m > 0.0 {
        world.moves.push(Move { walk: id, character: who, budget_m });
    }
}

/// The first door on the rest of the way that is not open, and the metres to where one stops for it.
fn closed_door_ahead(world: &World, walk: &Walk) -> Option<(DoorId, f32)> {
    let following = walk.following.as_ref()?;
    let along_m = following.cursor.along_m;
    following.path.crossings.iter().filter(|crossing| crossing.leave_m > along_m).find_map(|crossing| {
        let door = world.areas.get(crossing.area.index())?.door?;
        let closed = !world.doors.get(door.index()).is_some_and(Door::is_passable);
        closed.then_some((door, crossing.enter_m - STANDOFF_M - along_m))
    })
}

fn walk_on(world: &mut World, id: WalkId) {
    let tick = world.tick;
    if let Some(walk) = world.walks.get_mut(id)
        && matches!(walk.phase, Phase::AtDoor(_))
    {
        walk.phase = Phase::Moving;
        walk.by = None;
        walk.progress_m = walk.travelled_m;
        walk.progress_tick = walk.clock(tick);
    }
}

/// Stops before a door: asks it to open, or waits, or looks for another way when it cannot be opened.
fn stand_before(world: &mut World, id: WalkId, door: DoorId) {
    let Some(walk) = world.walks.get(id) else {
        return;
    };
    let Some(character) = world.characters.get(walk.character) else {
        return;
    };
    let policy = walk.options.doors.unwrap_or(character.doors);
    let (who, owner) = (walk.character, walk.owner);
    let Some(state) = world.doors.get(door.index()) else {
        return;
    };
    let openable = state.opens_for(&walk.options.keys) || state.is_opening_or_open();
    let key = walk.options.keys.iter().find(|&key| state.key.as_ref() == Some(key)).cloned();
    let asks = policy == DoorPolicy::Open && !state.is_opening_or_open();
    if asks && openable {
        let order = DoorOrder { by: Some(who), key, ..DoorOrder::default() };
        let serial = doors::open(world, door, &order);
        doors::own(world, door, serial, owner);
    }
    let waits = policy == DoorPolicy::Wait || openable;
    if let Some(walk) = world.walks.get_mut(id) {
        walk.by = Some(Blocker::Door(door));
        walk.phase = Phase::AtDoor(door);
        if !waits && walk.token.is_none() {
            walk.ask.get_or_insert(Ask::Door);
        }
    }
}
