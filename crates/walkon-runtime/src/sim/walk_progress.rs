//! Part of steps 9 and 10: the events of a walk under way.
//!
//! In: walks whose options ask for it. Out: facts. Holds: an obstruction is reported once, until the walker
//! has got on; nearness to the end is reported once for each leg; events that no walk asked for cost nothing.

use glam::Vec3;

use crate::base::ids::WalkId;
use crate::base::time::TickRate;
use crate::world::character::Character;
use crate::world::clock::Clock;
use crate::world::event::{EventQueue, Fact, WalkNews};
use crate::world::outcome::{Blocker, Reason};
use crate::world::walk::{Phase, Walk, WalkOptions};

/// Seconds without progress before an event says so; half of the patience, when that is less.
const HELD_UP_S: f64 = 0.5;

/// Tells the corners between two segments of the way, the last point of the way left out.
pub(crate) fn corners(events: &mut EventQueue, id: WalkId, walk: &mut Walk, segments: std::ops::Range<u32>) {
    let Some(following) = walk.following.as_ref().filter(|_| walk.options.tells.waypoint) else {
        return;
    };
    let last = following.path.points.len().saturating_sub(1);
    let passed = (segments.start + 1..=segments.end).filter(|&at| (at as usize) < last);
    for &position in passed.filter_map(|at| following.path.points.get(at as usize)) {
        walk.waypoints += 1;
        let news = WalkNews::Waypoint { index: walk.waypoints, position };
        events.push(Fact::WalkNews { walk: id, news });
    }
}

/// Tells that the end of the way is near: as near as one talks. The walker stands at `place`.
pub(crate) fn near(events: &mut EventQueue, id: WalkId, walk: &mut Walk, place: Vec3, talk_distance_m: f32) {
    let is_searching = walk.token.is_some() || walk.ask.is_some() || walk.via.is_some();
    if !walk.options.tells.near || walk.told_near || is_searching {
        return;
    }
    if let Some(remaining_m) = walk.remaining_m(place).filter(|&left_m| left_m <= talk_distance_m) {
        walk.told_near = true;
        events.push(Fact::WalkNews { walk: id, news: WalkNews::Near { remaining_m } });
    }
}

/// Tells what keeps a walker from getting on, once for each obstruction.
pub(crate) fn held_up(events: &mut EventQueue, id: WalkId, walk: &mut Walk, reason: Reason, clock: &Clock) {
    if walk.told_blocked {
        return;
    }
    let ticks = held_ticks(walk, clock);
    walk.told_blocked = true;
    let ahead = walk.ahead.map(Blocker::Character);
    let by = match (reason, &walk.phase) {
        // What is in front of it keeps it, and not who holds its goal, which may be far away.
        (Reason::Stuck, _) => ahead.or(walk.blocked_by),
        (_, Phase::Beside(holder)) => Some(Blocker::Character(*holder)),
        _ => walk.blocked_by.or(ahead),
    };
    let news = WalkNews::Blocked { reason, by, ticks };
    events.push(Fact::WalkNews { walk: id, news });
}

/// Whether a walk has not got on for a while.
pub(crate) fn is_held_up(walk: &Walk, character: &Character, clock: &Clock) -> bool {
    let held_ticks = held_ticks(walk, clock);
    held_ticks >= clock.rate.ticks(HELD_UP_S).min(walk.options.patience_ticks / 2)
        && held_ticks >= clock.rate.ticks(character.gait.half_turn_s() + progress_s(walk, character))
}

/// Ticks in which a walker on a free way gets on for certain, however slow it is: half a turn, and twice as
/// long as its speed takes.
pub(crate) fn progress_ticks(rate: TickRate, walk: &Walk, character: &Character) -> u64 {
    rate.ticks(character.gait.half_turn_s() + 2.0 * progress_s(walk, character))
}

/// Seconds that a walker takes for as much as counts as getting on.
fn progress_s(walk: &Walk, character: &Character) -> f64 {
    f64::from(WalkOptions::PROGRESS_M / walk.speed_mps(character))
}

/// Ticks since a walk last got on.
fn held_ticks(walk: &Walk, clock: &Clock) -> u64 {
    walk.clock(clock.landing()).since(walk.progress_tick)
}
