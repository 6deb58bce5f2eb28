//! Verbs about doors: locks, and requests that step 4 carries out.
//!
//! Holds: every request is answered once, by an event; an opposite request answers the older one as
//! cancelled; the last request of a tick wins, so a door toggled a thousand times moves once (fault:D16).

use crate::base::ids::{CharacterId, DoorId};
use crate::base::time::TickNumber;
use crate::world::World;
use crate::world::door::{DoorAim, DoorReason, DoorRequest, DoorSignal, DoorState, WhenOccupied};
use crate::world::event::{EventQueue, Fact};
use crate::world::map::LevelMap;
use crate::world::owner::Owner;

/// How a door is to be opened or closed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DoorOrder {
    /// On whose account.
    pub by: Option<CharacterId>,
    /// Opens a door locked with it.
    pub key: Option<String>,
    /// For closing.
    pub when_occupied: WhenOccupied,
    /// Ticks to wait for a clear doorway; no bound when none.
    pub patience_ticks: Option<u64>,
}

/// Asks that a door be opened; the answer comes as an event under the number returned. A locked door refuses
/// unless the key fits.
pub fn open(world: &mut World, id: DoorId, order: &DoorOrder) -> u64 {
    ask_open(&mut world.map, &mut world.events, id, order)
}

/// The same for step 7.
pub(crate) fn ask_open(map: &mut LevelMap, events: &mut EventQueue, id: DoorId, order: &DoorOrder) -> u64 {
    let serial = next_serial(map);
    let Some(door) = map.doors.get(id.index()) else {
        return serial;
    };
    let fits = door.key.is_some() && door.key == order.key;
    if door.is_locked && !fits && !door.is_opening_or_open() {
        events.push(Fact::DoorSignal { door: id, what: DoorSignal::Refused, by: order.by });
        answer(events, id, &[serial], DoorReason::Locked, order.by);
        return serial;
    }
    request(map, events, id, serial, wanted(order, DoorAim::Open, None));
    serial
}

/// Asks that a door be closed; the answer comes as an event under the number returned.
pub fn close(world: &mut World, id: DoorId, order: &DoorOrder) -> u64 {
    let serial = next_serial(&mut world.map);
    let give_up = order.patience_ticks.map(|ticks| world.clock.tick.after(ticks));
    request(&mut world.map, &mut world.events, id, serial, wanted(order, DoorAim::Closed, give_up));
    serial
}

/// Closes a door that is open or opening, opens any other.
pub fn toggle(world: &mut World, id: DoorId, order: &DoorOrder) -> u64 {
    let closes = world.map.doors.get(id.index()).is_some_and(|door| door.is_opening_or_open());
    if closes { close(world, id, order) } else { open(world, id, order) }
}

/// Opens or closes whatever the lock says.
pub fn set(world: &mut World, id: DoorId, aim: DoorAim, speed: DoorSpeed) -> u64 {
    let serial = next_serial(&mut world.map);
    let mut wanted = wanted(&DoorOrder::default(), aim, None);
    wanted.is_instant = speed == DoorSpeed::Instant;
    request(&mut world.map, &mut world.events, id, serial, wanted);
    serial
}

/// How fast [`set`] moves a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoorSpeed {
    /// Over the door's own time.
    Usual,
    /// At once, without taking time.
    Instant,
}

fn wanted(order: &DoorOrder, aim: DoorAim, give_up: Option<TickNumber>) -> DoorRequest {
    DoorRequest {
        serials: Vec::new(),
        open: aim == DoorAim::Open,
        by: order.by,
        owner: Owner::HOST,
        when_occupied: order.when_occupied,
        give_up,
        is_instant: false,
    }
}

fn next_serial(map: &mut LevelMap) -> u64 {
    map.door_moves += 1;
    map.door_moves
}

fn request(map: &mut LevelMap, events: &mut EventQueue, id: DoorId, serial: u64, mut wanted: DoorRequest) {
    let Some(door) = map.doors.get_mut(id.index()) else {
        return;
    };
    let older = door.request.take();
    let rests_as_wanted = door.state == if wanted.open { DoorState::Open } else { DoorState::Closed };
    let cancelled = match older {
        Some(older) if older.open == wanted.open => {
            wanted.serials = older.serials;
            wanted.is_instant |= older.is_instant;
            Vec::new()
        }
        Some(older) => older.serials,
        None => Vec::new(),
    };
    if rests_as_wanted {
        let by = wanted.by;
        answer(events, id, &cancelled, DoorReason::Cancelled, by);
        answer(events, id, &[serial], DoorReason::Already, by);
        return;
    }
    wanted.serials.push(serial);
    let by = wanted.by;
    let excess = wanted.serials.len().saturating_sub(DoorRequest::SERIALS_MAX);
    let forgotten: Vec<u64> = wanted.serials.drain(..excess).collect();
    door.request = Some(wanted);
    answer(events, id, &cancelled, DoorReason::Cancelled, by);
    answer(events, id, &forgotten, DoorReason::Cancelled, by);
}

/// Says on whose behalf the request under `serial` was made; nothing when it was answered at once.
pub fn own(world: &mut World, id: DoorId, serial: u64, owner: Owner) {
    ask_for(&mut world.map, id, serial, owner);
}

/// The same for step 7.
pub(crate) fn ask_for(map: &mut LevelMap, id: DoorId, serial: u64, owner: Owner) {
    let request = map.doors.get_mut(id.index()).and_then(|door| door.request.as_mut());
    if let Some(request) = request.filter(|request| request.serials.binary_search(&serial).is_ok()) {
        request.owner = owner;
    }
}

/// Answers the requests under `serials`.
pub(crate) fn answer(
    events: &mut EventQueue,
    door: DoorId,
    serials: &[u64],
    reason: DoorReason,
    by: Option<CharacterId>,
) {
    for &serial in serials {
        events.push(Fact::DoorMoveEnded { serial, door, reason, by });
    }
}

/// Locks a door: it refuses to open, but may still close. With a key, only that key unlocks it.
pub fn lock(world: &mut World, id: DoorId, key: Option<String>) {
    let Some(door) = world.map.doors.get_mut(id.index()) else {
        return;
    };
    if key.is_some() {
        door.key = key;
    }
    if !std::mem::replace(&mut door.is_locked, true) {
        lock_changed(world, id, DoorSignal::Locked);
    }
}

/// Unlocks a door; false when its lock wants another key.
pub fn unlock(world: &mut World, id: DoorId, key: Option<&str>) -> bool {
    let Some(door) = world.map.doors.get_mut(id.index()) else {
        return false;
    };
    if door.is_locked && door.key.as_deref().is_some_and(|wanted| key != Some(wanted)) {
        return false;
    }
    if std::mem::replace(&mut door.is_locked, false) {
        lock_changed(world, id, DoorSignal::Unlocked);
    }
    true
}

fn lock_changed(world: &mut World, id: DoorId, what: DoorSignal) {
    let Some(state) = world.map.doors.get(id.index()).map(|door| door.shown_state()) else {
        return;
    };
    world.events.push(Fact::DoorSignal { door: id, what, by: None });
    world.events.push(Fact::DoorChanged { door: id, state, by: None });
}
