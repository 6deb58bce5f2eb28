//! Parts of steps 6, 7 and 10: what walks do that have more to do than reach one goal.
//!
//! In: walks with a course, positions. Out: where they aim, whether they stand, how they end. Holds: a moving target is aimed
//! at again at most once in the cooldown (fault:D13); who is near enough stands, and who stands does not lose patience.
//! Not here: plain walks (`arrivals`), the search itself (`paths`).

use crate::base::geom::flat_distance;
use crate::base::ids::{CharacterId, WalkId};
use crate::world::World;
use crate::world::course::{Course, Follow};
use crate::world::ops::walks::{conclude, settle};
use crate::world::outcome::{Reason, Status};
use crate::world::walk::{Ask, Goal, Phase, Walk};

/// What step 10 makes of a walk with a course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// It goes on; its patience is to be looked at.
    On,
    /// It goes on, and stands because it wants to.
    Content,
    /// It has arrived.
    Arrived,
    /// It has settled.
    Over,
}

/// Step 6, first part: the aim is where the target is, and a new path is asked for once it has moved by the threshold, at
/// most once in the cooldown (seed:K1, fault:D13).
pub(crate) fn aim(world: &mut World, id: WalkId) {
    let Some(walk) = world.walks.get(id) else {
        return;
    };
    let Goal::Character(target) = walk.goal else {
        return;
    };
    let Some(position) = world.characters.alive(target).map(|target| target.body.position) else {
        return;
    };
    let crowd = &world.settings.crowd;
    // Who is to come nearer than the threshold must aim better than that.
    let threshold_m = crowd.target_replan_threshold_m.min(walk.radius_m(world));
    let moved = flat_distance(position, walk.planned_aim) > threshold_m;
    let cooldown = world.rate.ticks(f64::from(crowd.replan_cooldown_ms) / 1000.0);
    let rested = world.tick.since(walk.retargeted) >= cooldown;
    let is_idle = walk.token.is_none() && walk.ask.is_none() && walk.phase != Phase::Content;
    let tick = world.tick;
    if let Some(walk) = world.walks.get_mut(id) {
        walk.aim = position;
        if moved && rested && is_idle {
            walk.ask = Some(Ask::Target);
            walk.retargeted = tick;
        }
    }
}

/// Step 7: the most that a walker may go in this tick, metres, for the sake of its course.
pub(crate) fn reach_m(world: &World, walk: &Walk) -> f32 {
    if walk.phase == Phase::Content {
        return 0.0;
    }
    match (&walk.course, walk.goal) {
        (Course::Follow(follow), Goal::Character(target)) => {
            /// So that rounding does not leave it a hair outside, metres.
            const INSIDE_M: f32 = 1e-3;
            let away_m = between_m(world, walk.character, target);
            (away_m - follow.distance_m + INSIDE_M).max(0.0)
        }
        _ => f32::INFINITY,
    }
}

fn between_m(world: &World, one: CharacterId, other: CharacterId) -> f32 {
    let (Some(one), Some(other)) = (world.characters.get(one), world.characters.get(other)) else {
        return f32::INFINITY;
    };
    flat_distance(one.body.position, other.body.position)
}

/// Step 10: how far the course of a walk has come.
pub(crate) fn look(world: &mut World, id: WalkId) -> Look {
    let Some(walk) = world.walks.get(id) else {
        return Look::Over;
    };
    match (&walk.course, walk.goal) {
        (Course::Follow(follow), Goal::Character(target)) => {
            let follow = follow.clone();
            look_follow(world, id, target, follow)
        }
        _ => Look::On,
    }
}

fn look_follow(world: &mut World, id: WalkId, target: CharacterId, mut follow: Follow) -> Look {
    let Some(walk) = world.walks.get(id) else {
        return Look::Over;
    };
    let away_m = between_m(world, walk.character, target);
    let tick = world.tick;
    if away_m <= follow.distance_m {
        let stands = world.characters.get(target).is_none_or(|target| !target.is_moving);
        if stands && !follow.keep {
            return Look::Arrived;
        }
        (follow.far_since, follow.stranded_since) = (None, None);
        keep(world, id, follow, Phase::Content);
        return Look::Content;
    }
    let is_far = follow.lose_beyond_m.is_some_and(|beyond_m| away_m > beyond_m);
    follow.far_since = is_far.then(|| follow.far_since.unwrap_or(tick));
    if follow.far_since.is_some_and(|since| tick.since(since) >= follow.lose_after_ticks) {
        settle(world, id, Reason::TargetGone.usual_status(), Reason::TargetGone);
        return Look::Over;
    }
    match way(walk) {
        Way::Whole => follow.stranded_since = None,
        Way::AtEnd => {
            follow.stranded_since.get_or_insert(tick);
        }
        Way::Unknown => {}
    }
    let patience_ticks = walk.options.patience_ticks;
    if follow.stranded_since.is_some_and(|since| tick.since(since) >= patience_ticks) {
        let trouble = walk.following.as_ref().and_then(|following| following.trouble);
        let (reason, by) = trouble.map_or((Reason::NoPath, None), |trouble| world.reason_of(trouble));
        if let Some(walk) = world.walks.get_mut(id) {
            walk.by = by;
        }
        conclude(world, id, Status::Blocked, reason);
        return Look::Over;
    }
    let stands_stranded = follow.stranded_since.is_some() && matches!(way(walk), Way::AtEnd);
    let phase = if walk.phase == Phase::Content { Phase::Moving } else { walk.phase.clone() };
    keep(world, id, follow, phase);
    // Its own clock runs while it stands at the end of a way that leads nowhere.
    if stands_stranded { Look::Content } else { Look::On }
}

/// Where a way leads.
enum Way {
    /// To the aim.
    Whole,
    /// Not to the aim, and it has been walked.
    AtEnd,
    /// It is being searched, or walked.
    Unknown,
}

fn way(walk: &Walk) -> Way {
    let Some(following) = &walk.following else {
        return Way::Unknown;
    };
    match (following.path.whole, following.cursor.next(&following.path)) {
        (true, _) => Way::Whole,
        (false, None) => Way::AtEnd,
        (false, Some(_)) => Way::Unknown,
    }
}

fn keep(world: &mut World, id: WalkId, follow: Follow, phase: Phase) {
    if let Some(walk) = world.walks.get_mut(id) {
        walk.course = Course::Follow(follow);
        walk.phase = phase;
    }
}
