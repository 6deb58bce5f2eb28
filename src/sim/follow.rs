//! Step 7: where each walker would come to along its path in this step, if nobody were in the way.
//!
//! In: walks with a path, doors on their way, who steps aside. Out: moves for steps 8 and 9, doors asked to
//! open. Holds: nobody goes past a door that is not open; who opens doors asks once it stands in front, who
//! waits stands until it is open or its patience ends.

use glam::Vec3;

use crate::base::geom::flat_distance;
use crate::base::ids::{CharacterId, DoorId, WalkId};
use crate::base::trig;
use crate::crowd::follow::{self, Cursor, Gait};
use crate::crowd::steer;
use crate::nav::Path;
use crate::sim::ground_queries::GroundQueries;
use crate::sim::{arrivals, avoid, walk_modes};
use crate::world::World;
use crate::world::crowd_step::Move;
use crate::world::door::Door;
use crate::world::door::DoorPolicy;
use crate::world::ops::doors::{self, DoorOrder};
use crate::world::outcome::Blocker;
use crate::world::walk::{AcceptEnd, Ask, Phase, Walk};
use crate::world::walk_mode::WalkMode;

/// How far in front of a closed door a walker stops, metres from where its area begins. Far enough that
/// the body stands clear of the doorway, near enough to reach the handle.
pub const STANDOFF_M: f32 = 0.6;

/// So many walks are looked at before their strides are worked out: what both need of them is then still in
/// the cache.
const TOGETHER: usize = 64;

/// Fills the moves of this step.
pub fn run(world: &mut World) {
    world.scratch.step.moves.clear();
    // No walk begins in this step.
    let count = world.walks.ids().len();
    for first in (0..count).step_by(TOGETHER) {
        let moved = world.scratch.step.moves.len();
        for at in first..count.min(first + TOGETHER) {
            step(world, world.walks.ids()[at]);
        }
        stride(world, moved);
    }
    let moved = world.scratch.step.moves.len();
    step_aside(world);
    stride(world, moved);
}

/// What a walk makes of this step: a move, unless it stands.
pub(crate) fn step(world: &mut World, id: WalkId) {
    let Some(walk) = world.walks.get_mut(id) else {
        return;
    };
    walk.left_m = None;
    let Some(walk) = world.walks.get(id) else {
        return;
    };
    if matches!(walk.phase, Phase::Turning(_) | Phase::Settled(_)) || walk.following.is_none() {
        return;
    }
    // Anyone who stands there from the start takes no step: `alreadyThere`.
    if walk.travelled_m == 0.0 && walk_modes::is_plain(walk) && arrivals::is_within_radius(world, walk) {
        return;
    }
    if is_on_link(world, id) {
        return;
    }
    let Some(walk) = world.walks.get(id) else {
        return;
    };
    let Some(character) = world.characters.get(walk.character) else {
        return;
    };
    let (who, speed_mps) = (walk.character, walk.speed_mps(character));
    let mut reach_m = walk_modes::reach_m(world, walk);
    if reach_m <= 0.0 {
        return;
    }
    let links = walk.following.as_ref().is_some_and(|following| !following.path.layers.is_empty());
    // Nobody slows down before stairs.
    let brakes = !links && (walk_modes::is_plain(walk) || matches!(walk.course, WalkMode::Follow(_)));
    // Anyone who shuns areas keeps to its path exactly: a corner cut might lead through one.
    let is_exact =
        character.held.is_some() || walk.options.accept == AcceptEnd::Exact || walk.options.areas.is_some();
    if let Some((door, left_m)) = closed_door_ahead(world, walk) {
        if left_m <= speed_mps * world.clock.rate.step_seconds() {
            stand_before(world, id, door);
        } else {
            walk_on(world, id);
        }
        reach_m = reach_m.min(left_m.max(0.0));
    } else {
        walk_on(world, id);
    }
    if reach_m > 0.0 {
        let gait = Gait { speed_mps, reach_m, brakes, is_exact, ..gait_of(world, who) };
        let is_ghost = avoid::is_ghost(world.walks.get(id));
        // Anyone who goes on with its walk steps aside no more: one move for each body.
        if let Some(character) = world.characters.get_mut(who) {
            character.nudge = None;
        }
        world.scratch.step.moves.push(Move { walk: Some(id), is_ghost, ..Move::of(who, gait) });
    }
}

/// Whether it takes a link and has yet to come to the far end. A link that is not the next on its way any
/// more is let go.
fn is_on_link(world: &mut World, id: WalkId) -> bool {
    let tick = world.clock.landing();
    let Some(walk) = world.walks.get_mut(id) else {
        return false;
    };
    let Some(link) = walk.on_link else {
        return false;
    };
    let next = walk.following.as_ref().and_then(|following| following.path.layers.first());
    if !next.is_some_and(|next| next.layer == link.layer && next.to == link.to) {
        walk.on_link = None;
    }
    walk.on_link.is_some() && walk.clock(tick) < link.until
}

fn gait_of(world: &World, id: CharacterId) -> Gait {
    let turn_radps = world.characters.get(id).map_or(0.0, |character| character.gait.turn_radps);
    Gait {
        speed_mps: 0.0,
        turn_radps,
        step_s: world.clock.rate.step_seconds(),
        reach_m: f32::INFINITY,
        brakes: true,
        is_exact: false,
    }
}

/// Who was asked aside takes its small step.
fn step_aside(world: &mut World) {
    for index in 0..world.characters.ids().len() {
        let id = world.characters.ids()[index];
        let Some(character) = world.characters.alive(id).filter(|character| character.nudge.is_some()) else {
            continue;
        };
        if world.scratch.step.cast.as_ref().is_some_and(|cast| !cast.is_free(id)) {
            continue;
        }
        let gait = Gait { speed_mps: character.gait.walk_mps, ..gait_of(world, id) };
        world.scratch.step.moves.push(Move::of(id, gait));
    }
}

/// Works out where the movers from the one of that index on would come to if nobody were in the way.
pub(crate) fn stride(world: &mut World, first: usize) {
    let landing = world.clock.landing();
    let World { map, characters, walks, scratch, .. } = world;
    let mut grounds = GroundQueries::new(map);
    for step in scratch.step.moves.iter_mut().skip(first) {
        let Some(character) = characters.get(step.character) else {
            continue;
        };
        let kind = grounds.kind(character);
        let footing = grounds.footing(kind);
        let place = character.body.position;
        // Where the ground went away, the way out is straight, and is the first leg of the path.
        let clear =
            |from: Vec3, to: Vec3| footing.clear(from, to) || from == place && !footing.is_walkable(place);
        let body = (place, steer::flat(trig::direction(character.facing_rad)));
        let aside;
        let leg;
        let way = match (step.walk.and_then(|walk| walks.get(walk)), &character.nudge) {
            (Some(walk), _) => match &walk.following {
                Some(following) => {
                    // Told to step 8 from here: there the path is out of the cache again.
                    step.left_m = following.cursor.left_m(&following.path, place);
                    step.held_ticks = walk.clock(landing).since(walk.progress_tick);
                    // No corner of the way out is cut: what lies beside it may be a wall.
                    let may_be_off = following.cursor.segment == 0 && following.path.revision.0 > 0;
                    step.gait.is_exact |= may_be_off && !footing.is_walkable(place);
                    // Only up to the next link: beyond is another layer.
                    leg = following.path.leg();
                    Some((leg.as_ref(), following.cursor))
                }
                None => None,
            },
            (None, Some(nudge)) => {
                let via = nudge.via.filter(|_| !clear(place, nudge.to));
                let points: Vec<Vec3> = [Some(place), via, Some(nudge.to)].into_iter().flatten().collect();
                let length_m = points.windows(2).map(|leg| flat_distance(leg[0], leg[1])).sum();
                aside = Path { points, length_m, ..Path::default() };
                Some((&aside, Cursor::at_start(&aside)))
            }
            (None, None) => None,
        };
        if let Some(way) = way {
            step.stride = follow::stride(way, body, &step.gait, clear);
        }
    }
}

/// The first door on the rest of the way that is not open, and the metres to where one stops for it.
pub(crate) fn closed_door_ahead(world: &World, walk: &Walk) -> Option<(DoorId, f32)> {
    let following = walk.following.as_ref()?;
    let along_m = following.cursor.along_m;
    following.path.crossings.iter().filter(|crossing| crossing.leave_m > along_m).find_map(|crossing| {
        let door = world.map.areas.get(crossing.area.index())?.door?;
        let closed = !world.map.doors.get(door.index()).is_some_and(Door::is_passable);
        closed.then_some((door, crossing.enter_m - STANDOFF_M - along_m))
    })
}

fn walk_on(world: &mut World, id: WalkId) {
    let tick = world.clock.landing();
    if let Some(walk) = world.walks.get_mut(id)
        && matches!(walk.phase, Phase::AtDoor(_))
    {
        walk.phase = Phase::Moving;
        walk.by = None;
        walk.progress_m = f32::MAX;
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
    let Some(state) = world.map.doors.get(door.index()) else {
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
            walk.ask_for(Ask::Door);
        }
    }
}
