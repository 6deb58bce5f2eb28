//! Step 4: moves doors that are opening or closing.
//!
//! In: requests, bodies in the doorways. Out: door states, edits of their areas, signals, answers. Holds: a
//! door is passable only while wholly open, so its area closes when closing begins and opens when opening
//! ends; it never closes on a character unless told to push, and then nobody is left inside.

use glam::Vec3;

use crate::base::geom::flat_distance;
use crate::base::ids::{AreaId, CharacterId, DoorId};
use crate::base::time::{TickNumber, TickRate};
use crate::base::trig;
use crate::nav::NavMap;
use crate::world::area::Availability;
use crate::world::character::{Character, Characters, standing_on};
use crate::world::door::{Door, DoorReason, DoorRequest, DoorSignal, DoorState, WhenOccupied};
use crate::world::event::{EventQueue, Fact};
use crate::world::map::LevelMap;
use crate::world::ops::{areas, doors};

/// What step 4 reads and writes.
#[derive(Debug)]
pub(crate) struct DoorParts<'a> {
    pub(crate) tick: TickNumber,
    pub(crate) rate: TickRate,
    pub(crate) map: &'a mut LevelMap,
    pub(crate) characters: &'a mut Characters,
    pub(crate) events: &'a mut EventQueue,
}

/// Carries every door's request on by one tick.
pub(crate) fn run(parts: &mut DoorParts<'_>) {
    for index in 0..parts.map.doors.len() {
        carry(parts, DoorId::from(index));
    }
}

/// Carries the request of one door on by a tick; all the way when it is an instant one.
fn carry(parts: &mut DoorParts<'_>, id: DoorId) {
    if let Some(request) = parts.map.doors[id.index()].request.clone() {
        if request.open { open(parts, id, &request) } else { close(parts, id, &request) }
    }
}

/// Carries out an instant request; one that would have to wait for a clear doorway is answered `occupied`.
pub(crate) fn finish_now(parts: &mut DoorParts<'_>, id: DoorId) {
    carry(parts, id);
    let occupied = parts.map.doors[id.index()]
        .request
        .clone()
        .zip(parts.map.occupants(parts.characters, id).first().copied());
    if let Some((request, first)) = occupied {
        give_up(parts, id, &request, first);
    }
}

fn open(parts: &mut DoorParts<'_>, id: DoorId, request: &DoorRequest) {
    let door = &mut parts.map.doors[id.index()];
    match door.state {
        DoorState::Open => finish(parts, id, request),
        DoorState::Closed | DoorState::Closing => {
            door.left_ticks = left_ticks(door, parts.rate, request);
            enter(parts, id, DoorState::Opening, request.by);
            if parts.map.doors[id.index()].left_ticks == 0 {
                opened(parts, id, request);
            }
        }
        DoorState::Opening => {
            door.left_ticks = if request.is_instant { 0 } else { door.left_ticks.saturating_sub(1) };
            if door.left_ticks == 0 {
                opened(parts, id, request);
            }
        }
    }
}

fn opened(parts: &mut DoorParts<'_>, id: DoorId, request: &DoorRequest) {
    let area = parts.map.doors[id.index()].area;
    areas::edit_available(parts.map, area, Availability::Available);
    enter(parts, id, DoorState::Open, request.by);
    finish(parts, id, request);
}

fn close(parts: &mut DoorParts<'_>, id: DoorId, request: &DoorRequest) {
    let state = parts.map.doors[id.index()].state;
    match state {
        DoorState::Closed => finish(parts, id, request),
        DoorState::Open => {
            if clear_doorway(parts, id, request) {
                begin_closing(parts, id, request);
            }
        }
        // Nobody can be inside: an opening door has not been passable yet.
        DoorState::Opening => begin_closing(parts, id, request),
        DoorState::Closing => {
            let door = &mut parts.map.doors[id.index()];
            door.left_ticks = if request.is_instant { 0 } else { door.left_ticks.saturating_sub(1) };
            if door.left_ticks == 0 {
                enter(parts, id, DoorState::Closed, request.by);
                finish(parts, id, request);
            }
        }
    }
}

fn begin_closing(parts: &mut DoorParts<'_>, id: DoorId, request: &DoorRequest) {
    let door = &mut parts.map.doors[id.index()];
    door.left_ticks = left_ticks(door, parts.rate, request);
    let area = door.area;
    areas::edit_available(parts.map, area, Availability::Unavailable);
    enter(parts, id, DoorState::Closing, request.by);
    if parts.map.doors[id.index()].left_ticks == 0 {
        enter(parts, id, DoorState::Closed, request.by);
        finish(parts, id, request);
    }
}

/// Ticks that the new movement takes: all of it from rest, else what the reversed one had done.
fn left_ticks(door: &Door, rate: TickRate, request: &DoorRequest) -> u64 {
    if request.is_instant { 0 } else { rate.ticks(door.moving_s).saturating_sub(door.left_ticks) }
}

/// Whether the door may begin to close now. When a character stands in it: waits, gives up, or pushes.
fn clear_doorway(parts: &mut DoorParts<'_>, id: DoorId, request: &DoorRequest) -> bool {
    let inside = parts.map.occupants(parts.characters, id);
    let Some(&first) = inside.first() else {
        return true;
    };
    let expired = request.give_up.is_some_and(|tick| parts.tick >= tick);
    match request.when_occupied {
        WhenOccupied::Push if push_out(parts, id, &inside) => true,
        WhenOccupied::Refuse => give_up(parts, id, request, first),
        _ if expired => give_up(parts, id, request, first),
        _ => false,
    }
}

fn give_up(parts: &mut DoorParts<'_>, id: DoorId, request: &DoorRequest, by: CharacterId) -> bool {
    parts.map.doors[id.index()].request = None;
    doors::answer(parts.events, id, &request.serials, DoorReason::Occupied, Some(by));
    false
}

/// Moves every character inside to a free place; nobody moves, and the answer is false, when one has none.
fn push_out(parts: &mut DoorParts<'_>, id: DoorId, inside: &[CharacterId]) -> bool {
    let area = parts.map.doors[id.index()].area;
    let place = |&id: &CharacterId| Some((id, way_out(&parts.map.nav, parts.characters.get(id)?, area)?));
    let places: Option<Vec<(CharacterId, Vec3)>> = inside.iter().map(place).collect();
    let Some(places) = places else {
        return false;
    };
    for (character, place) in places {
        parts.characters.place(character, place);
    }
    true
}

/// The nearest of 16 directions x 4 distances that is walkable, outside `area`, and in a clear line.
fn way_out(nav: &NavMap, character: &Character, area: AreaId) -> Option<Vec3> {
    let from = character.body.position;
    let (by, ground) = (standing_on(character), nav.on_layer(character.layer));
    let mut areas = Vec::new();
    for ring in 1..=4u16 {
        for spoke in 0..16u16 {
            let angle = f32::from(spoke) * (std::f32::consts::TAU / 16.0);
            let to = from + trig::direction(angle) * (Door::PUSH_M * f32::from(ring) / 4.0);
            let Some(centre) = nav.node_centre(to) else {
                continue;
            };
            areas.clear();
            ground.areas_at(to, &mut areas);
            ground.areas_at(centre, &mut areas);
            if !areas.contains(&area) && nav.straight(from, to, &by).is_some() {
                debug_assert!(flat_distance(from, to) <= Door::PUSH_M + 1e-3, "a push is short");
                return Some(to);
            }
        }
    }
    None
}

fn enter(parts: &mut DoorParts<'_>, id: DoorId, state: DoorState, by: Option<CharacterId>) {
    let door = &mut parts.map.doors[id.index()];
    door.state = state;
    let what = match state {
        DoorState::Open => DoorSignal::Opened,
        DoorState::Opening => DoorSignal::Opening,
        DoorState::Closed => DoorSignal::Closed,
        DoorState::Closing => DoorSignal::Closing,
    };
    parts.events.push(Fact::DoorSignal { door: id, what, by });
    parts.events.push(Fact::DoorChanged { door: id, state, by });
}

fn finish(parts: &mut DoorParts<'_>, id: DoorId, request: &DoorRequest) {
    let door = &mut parts.map.doors[id.index()];
    door.request = None;
    door.left_ticks = 0;
    doors::answer(parts.events, id, &request.serials, DoorReason::Done, request.by);
}
