//! Walks with a mode: follow, flee, patrol, wander. Parts of steps 6, 7 and 10.
//!
//! In: walks with a mode, positions, answers to their searches. Out: where they aim, whether they stand,
//! how they end. Holds: a moving target is aimed at again at most once in the cooldown (fault:D13); a walker
//! that is near enough stands, and one that stands because it wants to does not lose patience. Not here:
//! plain walks (`arrivals`), the search itself (`paths`).

mod flee;
mod follow;
mod patrol;
mod progress;

use crate::base::geom::floor_distance;
use crate::base::ids::WalkId;
use crate::nav::{PathAnswer, PathStatus};
pub(crate) use crate::sim::walk_modes::progress::ModeStep;
use crate::sim::walk_modes::progress::{is_on_layer, is_rested};
use crate::sim::wayfinding::Wayfinding;
use crate::world::character::Characters;
use crate::world::goal::Goal;
use crate::world::outcome::Reason;
use crate::world::settings::CrowdSettings;
use crate::world::walk::{Ask, Phase, Walk};
use crate::world::walk_mode::WalkMode;

/// Whether a walk has nothing to do but reach its goal.
pub(crate) fn is_plain(walk: &Walk) -> bool {
    walk.mode == WalkMode::Once && walk.via.is_none()
}

/// Whether a walk has nothing to do but reach a point.
pub(crate) fn is_to_point(walk: &Walk) -> bool {
    is_plain(walk) && matches!(walk.goal, Goal::Point(_))
}

/// Whether the walker stands within the radius of where it is to go.
pub(crate) fn is_within_radius(characters: &Characters, crowd: &CrowdSettings, walk: &Walk) -> bool {
    let Some(character) = characters.get(walk.character) else {
        return false;
    };
    let is_on_layer = is_on_layer(characters, character, walk);
    // At the foot of a ladder it is not at the top, however short that is.
    let is_to_climb = || matches!(walk.goal, Goal::Point(_)) && walk.next_climb().is_some();
    is_on_layer && floor_distance(character.body.position, walk.aim) <= walk.radius_m(crowd) && !is_to_climb()
}

/// Step 6, first part: where the walk aims now. Whether it knows; else it asks again in a later step.
pub(crate) fn aim(parts: &mut Wayfinding<'_>, id: WalkId) -> bool {
    let Some(walk) = parts.walks.get(id) else {
        return false;
    };
    match &walk.mode {
        _ if walk.via.is_some() => {}
        WalkMode::Flee(flee) => {
            let flee = flee.clone();
            flee::aim(parts, id, flee);
        }
        WalkMode::Wander(wander) => {
            let wander = wander.clone();
            return patrol::aim_wander(parts, id, &wander);
        }
        WalkMode::Patrol(_) => {
            patrol::pass_gone(parts, id);
            aim_at_target(parts, id);
            return parts.walks.get(id).is_some_and(Walk::is_open);
        }
        WalkMode::Once | WalkMode::Follow(_) => aim_at_target(parts, id),
    }
    true
}

/// The aim is where the target is, and a new path is asked for once it has moved by the threshold, at most
/// once in the cooldown (seed:K1, fault:D13).
fn aim_at_target(parts: &mut Wayfinding<'_>, id: WalkId) {
    let Some(walk) = parts.walks.get(id) else {
        return;
    };
    let Goal::Character(target) = walk.goal else {
        return;
    };
    let Some((target, own)) = parts.characters.alive(target).zip(parts.characters.get(walk.character)) else {
        return;
    };
    let position = target.body.position;
    // It may have gone straight up or down.
    let leads_elsewhere = walk.following.as_ref().is_some_and(|following| {
        let end = following.path.layers.last().map_or(own.layer, |change| change.layer);
        following.path.whole && end != target.layer
    });
    let crowd = &parts.settings.crowd;
    // A walker that is to come nearer than the threshold must aim better than that.
    let threshold_m = crowd.target_replan_threshold_m.min(walk.radius_m(crowd));
    let moved = leads_elsewhere || floor_distance(position, walk.planned_aim) > threshold_m;
    let rested = is_rested(parts, walk);
    let stands = matches!(walk.phase, Phase::Content | Phase::Pausing { .. });
    let is_idle = walk.token.is_none() && walk.ask.is_none() && !stands;
    let tick = parts.clock.landing();
    if let Some(walk) = parts.walks.get_mut(id) {
        walk.aim = position;
        if moved && rested && is_idle {
            walk.ask = Some(Ask::Target);
            walk.retargeted = walk.clock(tick);
        }
    }
}

/// Step 6, last part: whether an answer leads a walk that flees too near to the threat; it runs
/// elsewhere then.
pub(crate) fn shuns(parts: &mut Wayfinding<'_>, id: WalkId, answer: &PathAnswer) -> bool {
    let flee = parts.walks.get(id).and_then(|walk| match &walk.mode {
        WalkMode::Flee(flee) if walk.via.is_none() => Some(flee.clone()),
        _ => None,
    });
    flee.is_some_and(|flee| flee::shuns(parts, id, flee, answer))
}

/// Step 6, last part: an answer that a mode deals with itself. Whether it has.
pub(crate) fn answered(parts: &mut Wayfinding<'_>, id: WalkId, answer: &PathAnswer) -> bool {
    let Some(walk) = parts.walks.get(id) else {
        return false;
    };
    if answer.status != PathStatus::Partial || walk.sets_out_for_exact_goals_only() {
        return false;
    }
    match &walk.mode {
        _ if walk.via.is_some() => patrol::pass_checkpoint(parts, id),
        WalkMode::Patrol(patrol) => {
            let patrol = patrol.clone();
            patrol::miss_stop(parts, id, patrol);
        }
        WalkMode::Wander(wander) => {
            let wander = wander.clone();
            patrol::miss_point(parts, id, wander);
        }
        WalkMode::Once | WalkMode::Follow(_) | WalkMode::Flee(_) => return false,
    }
    true
}

/// Whether a walk that follows a character ends further from it than it was told to come, because nobody
/// comes nearer.
pub(crate) fn stays_short(characters: &Characters, walk: &Walk) -> bool {
    match (&walk.mode, walk.goal) {
        (WalkMode::Follow(follow), Goal::Character(target)) => {
            follow::is_short(characters, walk, follow, target)
        }
        _ => false,
    }
}

/// Step 7: the most that a walker may go in this tick, metres, for the sake of its mode.
pub(crate) fn reach_m(characters: &Characters, walk: &Walk) -> f32 {
    match (&walk.mode, walk.goal) {
        _ if walk.is_paused => 0.0,
        // Room for others is made also nearer to a character that is followed, or further away.
        _ if walk.backing_out.is_some() => f32::INFINITY,
        _ if matches!(walk.phase, Phase::Beside(_) | Phase::Content | Phase::Pausing { .. }) => 0.0,
        (WalkMode::Follow(follow), Goal::Character(target)) if walk.via.is_none() => {
            follow::reach_m(characters, walk, follow, target)
        }
        _ => f32::INFINITY,
    }
}

/// Step 10: whether a walk that has waited at a door, or for a stop that a character holds, for all of its
/// patience goes on to the next stop. The last of a patrol without a loop ends it, and so does a door where
/// no other stop is left.
pub(crate) fn skip_stop(parts: &mut Wayfinding<'_>, id: WalkId, reason: Reason) -> bool {
    let Some(Walk { mode: WalkMode::Patrol(patrol), via: None, .. }) = parts.walks.get(id) else {
        return false;
    };
    let has_others = patrol.misses + 1 < patrol.stops.len();
    let is_over = reason == Reason::Occupied || reason == Reason::DoorClosed && has_others;
    if !is_over || patrol.ends_here() {
        return false;
    }
    let patrol = patrol.clone();
    patrol::miss_stop(parts, id, patrol);
    true
}

/// Step 10: how far the mode of a walk has come.
pub(crate) fn look(parts: &mut Wayfinding<'_>, id: WalkId) -> ModeStep {
    let Some(walk) = parts.walks.get(id) else {
        return ModeStep::Over;
    };
    match (walk.mode.clone(), walk.goal) {
        _ if walk.via.is_some() => patrol::look_via(parts, id),
        (WalkMode::Follow(follow), Goal::Character(target)) => follow::look(parts, id, target, follow),
        (WalkMode::Flee(flee), _) => flee::look(parts, id, &flee),
        (WalkMode::Patrol(patrol), _) => patrol::look_patrol(parts, id, patrol),
        (WalkMode::Wander(wander), _) => patrol::look_wander(parts, id, wander),
        (WalkMode::Once | WalkMode::Follow(_), _) => ModeStep::On,
    }
}
