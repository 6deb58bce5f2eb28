//! Step 4: doors under way move on.
//!
//! In: wishes, bodies in the doorways. Out: door states, edits of their areas, signals, answers.
//! Holds: a door is passable only while wholly open, so its area closes when closing begins and opens
//! when opening ends; it never closes on somebody unless told to push, and then nobody is left inside.

use glam::Vec3;

use crate::base::geom::flat_distance;
use crate::base::ids::{AreaId, CharacterId, DoorId};
use crate::base::trig;
use crate::world::World;
use crate::world::character::standing_on;
use crate::world::door::{Door, DoorReason, DoorSignal, DoorState, DoorWish, WhenOccupied};
use crate::world::event::Fact;
use crate::world::ops::{areas, doors};

/// Carries every door's wish on by one tick.
pub fn run(world: &mut World) {
    for index in 0..world.map.doors.len() {
        carry(world, DoorId::from(index));
    }
}

/// Carries the wish of one door on by a tick; all the way when it is an instant one.
fn carry(world: &mut World, id: DoorId) {
    if let Some(wish) = world.map.doors[id.index()].wish.clone() {
        if wish.open { open(world, id, &wish) } else { close(world, id, &wish) }
    }
}

/// Carries out an instant wish; one that would have to wait for a clear doorway is answered `occupied`.
pub(crate) fn finish_now(world: &mut World, id: DoorId) {
    carry(world, id);
    let occupied = world.map.doors[id.index()].wish.clone().zip(world.occupants(id).first().copied());
    if let Some((wish, first)) = occupied {
        give_up(world, id, &wish, first);
    }
}

fn open(world: &mut World, id: DoorId, wish: &DoorWish) {
    let door = &mut world.map.doors[id.index()];
    match door.state {
        DoorState::Open => finish(world, id, wish),
        DoorState::Closed | DoorState::Closing => {
            door.left_ticks = left_ticks(door, DoorState::Closed, wish);
            enter(world, id, DoorState::Opening, wish.by);
            if world.map.doors[id.index()].left_ticks == 0 {
                opened(world, id, wish);
            }
        }
        DoorState::Opening => {
            door.left_ticks = if wish.is_instant { 0 } else { door.left_ticks.saturating_sub(1) };
            if door.left_ticks == 0 {
                opened(world, id, wish);
            }
        }
    }
}

fn opened(world: &mut World, id: DoorId, wish: &DoorWish) {
    let area = world.map.doors[id.index()].area;
    areas::edit_available(&mut world.map, area, true);
    enter(world, id, DoorState::Open, wish.by);
    finish(world, id, wish);
}

fn close(world: &mut World, id: DoorId, wish: &DoorWish) {
    let state = world.map.doors[id.index()].state;
    match state {
        DoorState::Closed => finish(world, id, wish),
        DoorState::Open => {
            if clear_doorway(world, id, wish) {
                begin_closing(world, id, wish);
            }
        }
        // Nobody can be inside: an opening door has not been passable yet.
        DoorState::Opening => begin_closing(world, id, wish),
        DoorState::Closing => {
            let door = &mut world.map.doors[id.index()];
            door.left_ticks = if wish.is_instant { 0 } else { door.left_ticks.saturating_sub(1) };
            if door.left_ticks == 0 {
                enter(world, id, DoorState::Closed, wish.by);
                finish(world, id, wish);
            }
        }
    }
}

fn begin_closing(world: &mut World, id: DoorId, wish: &DoorWish) {
    let door = &mut world.map.doors[id.index()];
    door.left_ticks = left_ticks(door, DoorState::Open, wish);
    let area = door.area;
    areas::edit_available(&mut world.map, area, false);
    enter(world, id, DoorState::Closing, wish.by);
    if world.map.doors[id.index()].left_ticks == 0 {
        enter(world, id, DoorState::Closed, wish.by);
        finish(world, id, wish);
    }
}

/// Ticks that the new movement takes: all of it from `rest`, else what the reversed one had done.
fn left_ticks(door: &Door, rest: DoorState, wish: &DoorWish) -> u64 {
    match (wish.is_instant, door.state == rest) {
        (true, _) => 0,
        (false, true) => door.moving_ticks,
        (false, false) => door.moving_ticks.saturating_sub(door.left_ticks),
    }
}

/// Whether the door may begin to close now. When somebody stands in it: waits, gives up, or pushes.
fn clear_doorway(world: &mut World, id: DoorId, wish: &DoorWish) -> bool {
    let inside = world.occupants(id);
    let Some(&first) = inside.first() else {
        return true;
    };
    let expired = wish.give_up.is_some_and(|tick| world.clock.tick >= tick);
    match wish.when_occupied {
        WhenOccupied::Push if push_out(world, id, &inside) => true,
        WhenOccupied::Refuse => give_up(world, id, wish, first),
        _ if expired => give_up(world, id, wish, first),
        _ => false,
    }
}

fn give_up(world: &mut World, id: DoorId, wish: &DoorWish, by: CharacterId) -> bool {
    world.map.doors[id.index()].wish = None;
    doors::answer(&mut world.events, id, &wish.serials, DoorReason::Occupied, Some(by));
    false
}

/// Moves everybody inside to a free place; nobody moves, and the answer is false, when one has none.
fn push_out(world: &mut World, id: DoorId, inside: &[CharacterId]) -> bool {
    let area = world.map.doors[id.index()].area;
    let places: Option<Vec<(CharacterId, Vec3)>> = inside
        .iter()
        .map(|&character| way_out(world, character, area).map(|place| (character, place)))
        .collect();
    let Some(places) = places else {
        return false;
    };
    for (character, place) in places {
        world.characters.place(character, place);
    }
    true
}

/// The nearest of 16 directions x 4 distances that is walkable, outside `area`, and in a clear line.
fn way_out(world: &World, id: CharacterId, area: AreaId) -> Option<Vec3> {
    let character = world.characters.get(id)?;
    let from = character.body.position;
    let by = standing_on(character);
    let mut areas = Vec::new();
    for ring in 1..=4u16 {
        for spoke in 0..16u16 {
            let angle = f32::from(spoke) * (std::f32::consts::TAU / 16.0);
            let to = from + trig::direction(angle) * (Door::PUSH_M * f32::from(ring) / 4.0);
            let Some(centre) = world.map.nav.node_centre(to) else {
                continue;
            };
            areas.clear();
            world.map.nav.areas_at(to, &mut areas);
            world.map.nav.areas_at(centre, &mut areas);
            if !areas.contains(&area) && world.map.nav.straight(from, to, &by).is_some() {
                debug_assert!(flat_distance(from, to) <= Door::PUSH_M + 1e-3, "a push is short");
                return Some(to);
            }
        }
    }
    None
}

fn enter(world: &mut World, id: DoorId, state: DoorState, by: Option<CharacterId>) {
    let door = &mut world.map.doors[id.index()];
    door.state = state;
    let what = match state {
        DoorState::Open => DoorSignal::Opened,
        DoorState::Opening => DoorSignal::Opening,
        DoorState::Closed => DoorSignal::Closed,
        DoorState::Closing => DoorSignal::Closing,
    };
    world.events.push(Fact::DoorSignal { door: id, what, by });
    world.events.push(Fact::DoorChanged { door: id, state, by });
}

fn finish(world: &mut World, id: DoorId, wish: &DoorWish) {
    let door = &mut world.map.doors[id.index()];
    door.wish = None;
    door.left_ticks = 0;
    doors::answer(&mut world.events, id, &wish.serials, DoorReason::Done, wish.by);
}
