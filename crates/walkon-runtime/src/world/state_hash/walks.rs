//! The part of the hash about walks: where they go, how, how far they have come, what they have asked for.
//!
//! In: walks, requests, the clock. Out: one hash. Holds: a walk is taken apart by all of its fields, as in
//! `state_hash`.

use crate::base::hash::StateHash;
use crate::base::ids::GenerationalKey;
use crate::base::prefetch;
use crate::crowd::follow::Cursor;
use crate::world::bystander_index::People;
use crate::world::clock::Clock;
use crate::world::event::EventQueue;
use crate::world::outcome::{Blocker, Reason};
use crate::world::paths::PathWork;
use crate::world::state_hash::facts;
use crate::world::state_hash::values::{hash_failure, hash_id, optional};
use crate::world::walk::{
    BackingOut, Following, GoalSlot, LinkTaking, LookTarget, OnLink, Phase, PlaceWait, Shortcuts, Tells,
    WaitCause, Walk, WalkOptions, WalkPace,
};
use crate::world::walk_mode::Checkpoints;
use crate::world::walks::Walks;

/// The hash of every walk and request.
pub(super) fn of(who: People<'_>, clock: &Clock, paths: &PathWork, events: &EventQueue) -> u64 {
    let Clock {
        tick,
        // As the level says.
        rate: _,
        // Of a scene that is skipped: nothing between ticks.
        is_skipping: _,
        fast_forwarded_ticks: _,
    } = clock;
    let Walks {
        slots,
        order,
        // Follows from the walks.
        delivered: _,
        created,
        asked_in_tick,
        // Counted for reports.
        counts: _,
    } = who.walks;
    let PathWork {
        requests,
        // Follows from the walks.
        askers: _,
        asked_around,
    } = paths;
    let EventQueue {
        waiting,
        // For the host, which changes nothing.
        recorded: _,
        of_start: _,
        dropped: _,
        // No tick comes after the end.
        after_end: _,
    } = events;
    let mut hash = StateHash::default();
    hash.word(*created).word(tick.0);
    for (owner, &count) in asked_in_tick {
        hash.word(u64::from(owner.0)).word(u64::from(count));
    }
    hash.word(order.len() as u64);
    for walk in prefetch::ahead(order, |&id| slots.fetch_whole(id)).filter_map(|&id| slots.get(id)) {
        hash_walk(&mut hash, who, walk);
    }
    requests.hash_into(&mut hash);
    for (token, around) in asked_around {
        hash.word(token.bits());
        hash.word(around.hash());
    }
    hash.word(waiting.len() as u64);
    facts::hash_waiting(&mut hash, waiting);
    hash.finish()
}

fn hash_walk(hash: &mut StateHash, who: People<'_>, walk: &Walk) {
    let Walk {
        serial: own,
        character,
        goal,
        aim,
        options,
        mode,
        owner,
        phase,
        following,
        on_link,
        ask,
        token,
        asked_around,
        planned_around,
        goal_occupant,
        goal_slot,
        backing_out,
        is_crowded,
        looked_at,
        planned_aim,
        issued,
        travelled_m,
        repaths,
        missed_paths,
        shortcuts,
        is_door_plan,
        progress_m,
        nearest_m,
        nearest_tick,
        ahead,
        queue_tick,
        progress_tick,
        retargeted,
        blocked_by,
        place_wait,
        via,
        is_paused,
        waypoints,
        told_near,
        told_blocked,
        skipped_ticks,
        // Nothing between ticks.
        left_m: _,
        is_delivered,
    } = walk;
    hash.word(*own).pair(owner.0, *repaths);
    hash_id(hash, *character);
    let radius_m = walk.radius_m(who.crowd);
    #[rustfmt::skip]
    hash.floats([
        aim.x, aim.y, aim.z, planned_aim.x, planned_aim.y, planned_aim.z,
        radius_m, *travelled_m, *progress_m, *nearest_m,
    ]);
    hash.word(issued.0).word(progress_tick.0).word(nearest_tick.0);
    hash.word(queue_tick.0).word(retargeted.0);
    hash.word(*skipped_ticks).pair(*looked_at, *waypoints);
    let Shortcuts { due, rests_until, is_on_one, turned_back } = *shortcuts;
    hash.word(rests_until.0).pair(*missed_paths, turned_back);
    hash.flags([
        *is_crowded,
        *is_door_plan,
        *is_paused,
        *told_near,
        *told_blocked,
        *is_delivered,
        is_on_one,
        due.is_some(),
        ask.is_some(),
        token.is_some(),
        asked_around.is_some(),
        planned_around.is_some(),
        goal_occupant.is_some(),
        ahead.is_some(),
        blocked_by.is_some(),
        via.is_some(),
        following.is_some(),
        goal_slot.is_some(),
        on_link.is_some(),
        backing_out.is_some(),
        place_wait.is_some(),
    ]);
    goal.hash_into(hash);
    hash_options(hash, options);
    mode.hash_into(hash);
    hash_phase(hash, phase);
    if let Some(tick) = due {
        hash.word(tick.0);
    }
    if let Some(ask) = ask {
        hash.word(*ask as u64);
    }
    if let Some((token, why)) = token {
        hash.word(token.bits()).word(*why as u64);
    }
    if let Some(around) = asked_around {
        hash.word(around.hash());
    }
    if let Some(around) = planned_around {
        hash.word(around.hash());
    }
    if let Some(occupant) = *goal_occupant {
        hash_id(hash, occupant);
    }
    if let Some(ahead) = *ahead {
        hash_id(hash, ahead);
    }
    hash_blocker(hash, *blocked_by);
    via.iter().for_each(|via| hash_checkpoints(hash, via));
    following.iter().for_each(|following| hash_following(hash, following));
    if let Some(GoalSlot { point, goal, beside }) = *goal_slot {
        hash_id(hash, beside).floats([point.x, point.y, point.z, goal.x, goal.y, goal.z]);
    }
    backing_out.iter().for_each(|backing_out| hash_backing_out(hash, backing_out));
    on_link.iter().for_each(|on_link| hash_on_link(hash, on_link));
    if let Some(PlaceWait { cause, place, since, seen }) = place_wait.as_deref() {
        let cause = match cause {
            WaitCause::Door(door) => u64::from(door.0),
            WaitCause::Others => u64::MAX,
        };
        hash.word(cause).vector(*place).word(since.0).word(seen.0);
    }
}

fn hash_blocker(hash: &mut StateHash, blocker: Option<Blocker>) {
    match blocker {
        None => {}
        Some(Blocker::Character(id)) => _ = hash_id(hash.word(1), id),
        Some(Blocker::Door(door)) => _ = hash.word(2).word(u64::from(door.0)),
    }
}

fn hash_checkpoints(hash: &mut StateHash, Checkpoints { left, last }: &Checkpoints) {
    hash.vector(*last).word(left.len() as u64);
    for &place in left {
        hash.vector(place);
    }
}

fn hash_backing_out(hash: &mut StateHash, backing_out: &BackingOut) {
    let BackingOut { way, from, junction, yields_to, until } = backing_out;
    hash_following(hash, way);
    hash.vector(*from).vector(*junction).word(until.0).word(yields_to.len() as u64);
    for &who in yields_to {
        hash_id(hash, who);
    }
}

fn hash_on_link(hash: &mut StateHash, OnLink { layer, to, until, by }: &OnLink) {
    hash.word(u64::from(*layer)).vector(*to).word(until.0);
    match by {
        LinkTaking::Walked => {}
        LinkTaking::Scripted => _ = hash.word(1),
        LinkTaking::Failed(reason) => _ = hash.word(2).text(reason.name()),
    }
}

fn hash_phase(hash: &mut StateHash, phase: &Phase) {
    match phase {
        Phase::Planning => hash.word(0),
        Phase::Moving => hash.word(1),
        Phase::AtDoor(door) => hash.word(2).word(u64::from(door.0)),
        Phase::Beside(holder) => hash_id(hash.word(3), *holder),
        Phase::Content => hash.word(4),
        Phase::Pausing { until } => hash.word(5).word(until.0),
        Phase::Turning(reason) => hash.word(6).flag(*reason == Reason::AlreadyThere),
        Phase::Settled(result) => hash.word(7).text(result.reason().name()),
    };
}

fn hash_following(hash: &mut StateHash, following: &Following) {
    let Following { path, cursor, trouble } = following;
    // The ends are the points of the path.
    let Cursor { segment, start_m, along_m, ends: _ } = *cursor;
    hash.word(path.hash()).word(u64::from(segment)).floats([start_m, along_m]);
    hash_failure(hash, *trouble);
}

fn hash_options(hash: &mut StateHash, options: &WalkOptions) {
    let WalkOptions {
        pace,
        radius_m,
        accept,
        face,
        layer,
        doors,
        keys,
        crowd,
        patience_ticks,
        timeout_ticks,
        ensure,
        // What is left of it is in `via` of the walk.
        via: _,
        areas,
        tells,
    } = options;
    let Tells { waypoint, near, blocked } = *tells;
    hash.flags([
        *ensure,
        waypoint,
        near,
        blocked,
        radius_m.is_some(),
        face.is_some(),
        layer.is_some(),
        doors.is_some(),
        timeout_ticks.is_some(),
        areas.is_some(),
    ]);
    let small = [*accept as u8, *crowd as u8, doors.map_or(0, |doors| doors as u8), layer.unwrap_or(0)];
    hash.word(u64::from(u32::from_le_bytes(small)) | (keys.len() as u64) << 32).word(*patience_ticks);
    match *pace {
        WalkPace::Walk => hash.word(0),
        WalkPace::Run => hash.word(1),
        WalkPace::Speed(speed) => hash.word(2).float(speed),
    };
    if let Some(radius_m) = *radius_m {
        hash.float(radius_m);
    }
    match *face {
        None => {}
        Some(LookTarget::Angle(angle)) => _ = hash.word(1).float(angle),
        Some(LookTarget::Point(point)) => _ = hash.word(2).vector(point),
        Some(LookTarget::Character(id)) => _ = hash_id(hash.word(3), id),
    }
    for key in keys {
        hash.text(key);
    }
    if let Some(ticks) = *timeout_ticks {
        hash.word(ticks);
    }
    if let Some(areas) = areas.as_deref() {
        hash.word(areas.len() as u64);
        for &(area, factor) in areas {
            hash.word(u64::from(area.0));
            optional(hash, factor, |hash, factor| _ = hash.float(factor));
        }
    }
}
