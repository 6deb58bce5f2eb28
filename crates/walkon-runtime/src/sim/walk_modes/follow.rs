//! Follow: keeping up with a character: near enough, lost, or shut out.
//!
//! In: where the two stand in step 10. Out: whether the walk has arrived, stands, or is over. Holds: a walker
//! that is near enough stands, and one that was asked aside steps aside first; a target that cannot be
//! reached ends the walk after its patience, also when it keeps moving.

use crate::base::geom::flat_distance;
use crate::base::ids::{CharacterId, WalkId};
use crate::sim::walk_modes::progress::{ModeStep, RouteProgress, way};
use crate::sim::walk_progress;
use crate::sim::wayfinding::Wayfinding;
use crate::world::character::Characters;
use crate::world::outcome::{Blocker, Reason, Status};
use crate::world::walk::{Phase, Walk, WalkOptions};
use crate::world::walk_mode::{Follow, WalkMode};

/// The most that a follower may go in a tick, metres: to its distance and no nearer.
pub(super) fn reach_m(characters: &Characters, walk: &Walk, follow: &Follow, target: CharacterId) -> f32 {
    /// So that rounding does not leave it a hair outside, metres.
    const INSIDE_M: f32 = 1e-3;
    (between_m(characters, walk.character, target) - follow.distance_m + INSIDE_M).max(0.0)
}

/// Whether a follower stands further from the other than it was told to come.
pub(super) fn is_short(characters: &Characters, walk: &Walk, follow: &Follow, target: CharacterId) -> bool {
    /// What rounding, and others that push, leave, metres.
    const SLACK_M: f32 = 0.01;
    between_m(characters, walk.character, target) > follow.distance_m + SLACK_M
}

/// How far from one another two characters stand, metres; infinite between layers and floors.
fn between_m(characters: &Characters, one: CharacterId, other: CharacterId) -> f32 {
    let both = characters.get(one).zip(characters.get(other));
    both.map_or(f32::INFINITY, |(one, other)| one.apart_m(other))
}

/// The same as the crow flies over layers and floors: who is lost is far away, and not a storey further up.
fn flat_m(characters: &Characters, one: CharacterId, other: CharacterId) -> f32 {
    let both = characters.get(one).zip(characters.get(other));
    both.map_or(f32::INFINITY, |(one, other)| flat_distance(one.body.position, other.body.position))
}

pub(super) fn look(
    parts: &mut Wayfinding<'_>,
    id: WalkId,
    target: CharacterId,
    mut follow: Follow,
) -> ModeStep {
    let Some(walk) = parts.walks.get(id) else {
        return ModeStep::Over;
    };
    // A walker that was asked aside does not turn back before it has made room.
    if parts.characters.get(walk.character).is_some_and(|who| who.nudge.is_some()) {
        keep(parts, id, follow, Phase::Content);
        return ModeStep::Content;
    }
    let away_m = between_m(parts.characters, walk.character, target);
    // What is left may be less than counts as getting on.
    let is_held_up = |who| walk_progress::is_held_up(walk, who, parts.clock);
    let is_as_good = || {
        away_m <= follow.distance_m + WalkOptions::PROGRESS_M
            && parts.characters.get(walk.character).is_some_and(is_held_up)
    };
    // Nearer than beside it nobody comes.
    if away_m <= follow.distance_m || walk.phase == Phase::Beside(target) || is_as_good() {
        return near(parts, id, target, follow);
    }
    let tick = walk.clock(parts.clock.landing());
    let flat_m = flat_m(parts.characters, walk.character, target);
    let is_far = follow.lose_beyond_m.is_some_and(|beyond_m| flat_m > beyond_m);
    follow.far_since = is_far.then(|| follow.far_since.unwrap_or(tick));
    if follow.far_since.is_some_and(|since| tick.since(since) >= follow.lose_after_ticks) {
        parts.settle(id, Reason::TargetGone.usual_status(), Reason::TargetGone);
        return ModeStep::Over;
    }
    let way = way(walk);
    match way {
        RouteProgress::Whole | RouteProgress::WholeAtEnd => follow.stranded_since = None,
        RouteProgress::AtEnd => {
            follow.stranded_since.get_or_insert(tick);
        }
        RouteProgress::Unknown => {}
    }
    let patience_ticks = walk.options.patience_ticks;
    if follow.stranded_since.is_some_and(|since| tick.since(since) >= patience_ticks) {
        give_up(parts, id);
        return ModeStep::Over;
    }
    let phase = if walk.phase == Phase::Content { Phase::Moving } else { walk.phase.clone() };
    keep(parts, id, follow, phase);
    // Its own clock runs while it stands at the end of a way that leads nowhere.
    if way == RouteProgress::AtEnd { ModeStep::Content } else { ModeStep::On }
}

fn near(parts: &mut Wayfinding<'_>, id: WalkId, target: CharacterId, mut follow: Follow) -> ModeStep {
    let stands = parts.characters.get(target).is_none_or(|target| !target.is_moving);
    if stands && !follow.keep {
        return ModeStep::Arrived;
    }
    follow.restart_patience();
    keep(parts, id, follow, Phase::Content);
    ModeStep::Content
}

fn give_up(parts: &mut Wayfinding<'_>, id: WalkId) {
    let following = parts.walks.get(id).and_then(|walk| walk.following.as_ref());
    let trouble = following.and_then(|following| following.trouble);
    let (reason, by) = trouble.map_or((Reason::NoPath, None), |trouble| parts.map.reason_of(trouble));
    if let Some(walk) = parts.walks.get_mut(id) {
        walk.blocked_by = walk.goal_occupant.map(Blocker::Character).or(by);
    }
    parts.conclude(id, Status::Blocked, reason);
}

fn keep(parts: &mut Wayfinding<'_>, id: WalkId, follow: Follow, phase: Phase) {
    if let Some(walk) = parts.walks.get_mut(id) {
        walk.mode = WalkMode::Follow(follow);
        walk.phase = phase;
    }
}
