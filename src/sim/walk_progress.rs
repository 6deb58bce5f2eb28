//! Part of steps 9 and 10: what of a walk under way somebody wants to be told.
//!
//! In: walks whose options ask for it. Out: facts. Holds: an obstruction is told once, until the walker has
//! got on; the end is told near once for each leg; what nobody asked for costs nothing.

use crate::base::ids::WalkId;
use crate::world::World;
use crate::world::event::{Fact, WalkNews};
use crate::world::outcome::{Blocker, Reason};

/// Seconds without getting on before somebody is told; half of the patience, when that is less.
const HELD_UP_S: f64 = 0.5;

/// Tells the corners from one segment of the way to another, the last point of the way left out.
pub(crate) fn corners(world: &mut World, id: WalkId, from: u32, to: u32) {
    let Some(walk) = world.walks.get_mut(id).filter(|walk| walk.options.tells.waypoint) else {
        return;
    };
    let Some(following) = &walk.following else {
        return;
    };
    let last = following.path.points.len().saturating_sub(1);
    let passed = (from + 1..=to).filter(|&at| (at as usize) < last);
    let points: Vec<_> = passed.filter_map(|at| following.path.points.get(at as usize).copied()).collect();
    for position in points {
        walk.waypoints += 1;
        let news = WalkNews::Waypoint { index: walk.waypoints, position };
        world.events.push(Fact::WalkNews { walk: id, news });
    }
}

/// Tells that the end of the way is near: as near as one talks.
pub(crate) fn near(world: &mut World, id: WalkId) {
    let near_m = world.settings.crowd.npc_talk_distance_m;
    let World { walks, characters, .. } = &mut *world;
    let Some(walk) = walks.get_mut(id).filter(|walk| walk.options.tells.near && !walk.told_near) else {
        return;
    };
    let Some(place) = characters.get(walk.character).map(|character| character.body.position) else {
        return;
    };
    let is_searching = walk.token.is_some() || walk.ask.is_some() || walk.via.is_some();
    let Some(remaining_m) = walk.remaining_m(place).filter(|&left_m| !is_searching && left_m <= near_m)
    else {
        return;
    };
    walk.told_near = true;
    world.events.push(Fact::WalkNews { walk: id, news: WalkNews::Near { remaining_m } });
}

/// Tells what keeps a walker from getting on, once it has done so for a while.
pub(crate) fn held_up(world: &mut World, id: WalkId, reason: Reason) {
    let (tick, half_s) = (world.clock.landing(), world.clock.rate.ticks(HELD_UP_S));
    let Some(walk) = world.walks.get_mut(id).filter(|walk| walk.options.tells.blocked && !walk.told_blocked)
    else {
        return;
    };
    let ticks = walk.clock(tick).since(walk.progress_tick);
    if ticks < half_s.min(walk.options.patience_ticks / 2) {
        return;
    }
    walk.told_blocked = true;
    let news = WalkNews::Blocked { reason, by: walk.by.or(walk.ahead.map(Blocker::Character)), ticks };
    world.events.push(Fact::WalkNews { walk: id, news });
}
