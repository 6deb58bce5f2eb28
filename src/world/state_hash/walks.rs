//! The part of the hash about walks: where they go, how, how far they have come, what they have asked for.

use slotmap::Key;

use crate::base::hash::StateHash;
use crate::crowd::follow::Cursor;
use crate::nav::{Path, PathTrouble};
use crate::world::bystander_index::People;
use crate::world::bystanders::Bystanders;
use crate::world::clock::Clock;
use crate::world::event::EventQueue;
use crate::world::outcome::{Blocker, Reason};
use crate::world::paths::PathWork;
use crate::world::state_hash::{hash_goal, hash_texts, optional};
use crate::world::walk::{
    Following, GoalSlot, LookTarget, OnLink, Phase, Shortcuts, Tells, Walk, WalkOptions, WalkPace,
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
        rushed_ticks: _,
    } = clock;
    let Walks {
        slots,
        order,
        // Told by the walks.
        delivered: _,
        created,
        asked_in_tick,
        // Counted for reports.
        counts: _,
    } = who.walks;
    let PathWork {
        requests,
        // Told by the walks.
        askers: _,
        asked_around,
    } = paths;
    let EventQueue {
        waiting,
        // For the host, which changes nothing.
        recorded: _,
        // No tick comes after the end.
        after_end: _,
    } = events;
    let mut hash = StateHash::default();
    hash.word(*created).word(tick.0);
    for (owner, &count) in asked_in_tick {
        hash.word(u64::from(owner.0)).word(u64::from(count));
    }
    hash.word(order.len() as u64);
    for walk in order.iter().filter_map(|&id| slots.get(id)) {
        hash_walk(&mut hash, who, walk);
    }
    requests.hash_into(&mut hash);
    for (token, around) in asked_around {
        hash.word(token.data().as_ffi());
        hash_bystanders(&mut hash, who, around);
    }
    hash.word(waiting.len() as u64);
    hash.finish()
}

fn hash_walk(hash: &mut StateHash, who: People<'_>, walk: &Walk) {
    let Walk {
        serial: own,
        character,
        goal,
        aim,
        options,
        course,
        owner,
        phase,
        following,
        on_link,
        ask,
        token,
        asked_around,
        seen,
        held_by,
        place,
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
        by,
        via,
        is_paused,
        waypoints,
        told_near,
        told_blocked,
        skipped_ticks,
        left_m: _,
        is_delivered,
    } = walk;
    hash.word(*own).word(who.characters.serial_of(*character)).word(u64::from(owner.0));
    hash.vector(*aim).vector(*planned_aim);
    hash_goal(hash, who, *goal);
    hash_options(hash, who, options);
    hash.float(walk.radius_m(who.crowd));
    course.hash_into(hash);
    hash_phase(hash, who, phase);
    hash.word(ask.map_or(0, |ask| 1 + ask as u64));
    optional(hash, *token, |hash, (token, why)| {
        hash.word(token.data().as_ffi()).word(why as u64);
    });
    for around in [asked_around, seen] {
        optional(hash, around.as_ref(), |hash, around| hash_bystanders(hash, who, around));
    }
    for other in [held_by, ahead] {
        optional(hash, *other, |hash, other| _ = hash.word(who.characters.serial_of(other)));
    }
    match *by {
        None => hash.word(0),
        Some(Blocker::Character(id)) => hash.word(1).word(who.characters.serial_of(id)),
        Some(Blocker::Door(door)) => hash.word(2).word(u64::from(door.0)),
    };
    hash.flag(*is_crowded).word(u64::from(*looked_at)).flag(*is_door_plan).flag(*is_paused);
    hash.word(issued.0).word(progress_tick.0).word(nearest_tick.0).word(queue_tick.0).word(retargeted.0);
    hash.word(*skipped_ticks).float(*travelled_m).float(*progress_m).float(*nearest_m);
    hash.word(u64::from(*repaths)).word(u64::from(*waypoints)).word(u64::from(*missed_paths));
    let Shortcuts { due, rests_until, is_on_one, turned_back } = *shortcuts;
    optional(hash, due, |hash, tick| _ = hash.word(tick.0));
    hash.word(rests_until.0).flag(is_on_one).word(u64::from(turned_back));
    hash.flag(*told_near).flag(*told_blocked).flag(*is_delivered);
    optional(hash, via.as_ref(), |hash, Checkpoints { left, last }| {
        hash.vector(*last).word(left.len() as u64);
        for &place in left {
            hash.vector(place);
        }
    });
    optional(hash, following.as_ref(), hash_following);
    // Of most walks, which stand where they were sent, hashes are as if there were none.
    if let Some(GoalSlot { point, goal, beside }) = *place {
        hash.vector(point).vector(goal).word(who.characters.serial_of(beside));
    }
    // On maps without layers hashes are as if there were none.
    if let Some(OnLink { layer, to, until }) = *on_link {
        hash.word(u64::from(layer)).vector(to).word(until.0);
    }
}

/// Those whom a plan was made around: who they are, and where they stood.
fn hash_bystanders(hash: &mut StateHash, who: People<'_>, around: &Bystanders) {
    hash.word(around.len() as u64);
    for (&id, disc) in around.who.iter().zip(around.discs.iter()) {
        hash.word(who.characters.serial_of(id)).vector(disc.centre).float(disc.radius_m);
    }
}

fn hash_phase(hash: &mut StateHash, who: People<'_>, phase: &Phase) {
    match phase {
        Phase::Planning => hash.word(0),
        Phase::Moving => hash.word(1),
        Phase::AtDoor(door) => hash.word(2).word(u64::from(door.0)),
        Phase::Beside(holder) => hash.word(3).word(who.characters.serial_of(*holder)),
        Phase::Content => hash.word(4),
        Phase::Pausing { until } => hash.word(5).word(until.0),
        Phase::Turning(reason) => hash.word(6).flag(*reason == Reason::AlreadyThere),
        Phase::Settled(result) => hash.word(7).text(result.reason().name()),
    };
}

fn hash_following(hash: &mut StateHash, following: &Following) {
    let Following { path, cursor, trouble } = following;
    let Path { points, length_m, cost_m, whole, revision, crossings, layers } = path;
    // The ends are the points of the path.
    let Cursor { segment, start_m, along_m, ends: _ } = *cursor;
    hash.word(u64::from(segment)).float(start_m).float(along_m);
    hash.flag(*whole).word(revision.0).float(*length_m).float(*cost_m);
    hash.word(points.len() as u64).word(crossings.len() as u64).word(layers.len() as u64);
    for &point in points {
        hash.vector(point);
    }
    for crossing in crossings {
        hash.word(u64::from(crossing.area.0)).float(crossing.enter_m).float(crossing.leave_m);
    }
    for change in layers {
        hash.float(change.at_m).word(u64::from(change.layer)).float(change.length_m);
    }
    match *trouble {
        None => hash.word(0),
        Some(PathTrouble::NoPath) => hash.word(1),
        Some(PathTrouble::StartOffNav) => hash.word(2),
        Some(PathTrouble::Area(area)) => hash.word(3).word(u64::from(area.0)),
        Some(PathTrouble::TooWide) => hash.word(4),
        Some(PathTrouble::Occupied) => hash.word(5),
        Some(PathTrouble::Limit) => hash.word(6),
    };
}

fn hash_options(hash: &mut StateHash, who: People<'_>, options: &WalkOptions) {
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
        via: _,
        areas,
        tells,
    } = options;
    match *pace {
        WalkPace::Walk => hash.word(0),
        WalkPace::Run => hash.word(1),
        WalkPace::Speed(speed) => hash.word(2).float(speed),
    };
    optional(hash, *radius_m, |hash, radius_m| _ = hash.float(radius_m));
    hash.word(*accept as u64).word(*crowd as u64);
    hash.word(doors.map_or(0, |doors| 1 + doors as u64));
    match *face {
        None => hash.word(0),
        Some(LookTarget::Angle(angle)) => hash.word(1).float(angle),
        Some(LookTarget::Point(point)) => hash.word(2).vector(point),
        Some(LookTarget::Character(id)) => hash.word(3).word(who.characters.serial_of(id)),
    };
    // On maps without layers hashes are as if there were none.
    if let Some(layer) = layer {
        hash.word(u64::from(*layer));
    }
    hash_texts(hash, keys);
    hash.word(*patience_ticks);
    optional(hash, *timeout_ticks, |hash, ticks| _ = hash.word(ticks));
    hash.flag(*ensure);
    optional(hash, areas.as_deref(), |hash, areas| {
        hash.word(areas.len() as u64);
        for &(area, factor) in areas {
            hash.word(u64::from(area.0));
            optional(hash, factor, |hash, factor| _ = hash.float(factor));
        }
    });
    let Tells { waypoint, near, blocked } = *tells;
    hash.flag(waypoint).flag(near).flag(blocked);
}
