//! Patrol and wander: from stop to stop, with checkpoints on the way.
//!
//! In: walks with stops, where they stand, answers to their searches. Out: the next stop, pauses, ends.
//! Holds: a patrol skips a stop that is out of reach, one a tick, except the last of a patrol without a loop,
//! which ends as a walk to it; it also skips a stop at which a door or a character has used up its patience,
//! and a character that is gone; when none can be reached the walk is blocked; where only one can be reached,
//! the others are tried once a second; pauses do not count for patience.

use glam::Vec3;

use crate::base::geom::floor_distance;
use crate::base::ids::WalkId;
use crate::base::time::TickNumber;
use crate::nav::{LayerPoint, RandomPoint, Traversal};
use crate::sim::walk_modes::progress::{ModeStep, RouteProgress, is_on_layer, way};
use crate::sim::wayfinding::Wayfinding;
use crate::world::bystander_index::People;
use crate::world::clock::Clock;
use crate::world::event::{Fact, WalkNews};
use crate::world::goal::Goal;
use crate::world::ops::walks::{aim_of, note_layer};
use crate::world::outcome::{Reason, Status};
use crate::world::walk::{AcceptEnd, Ask, Phase, Walk};
use crate::world::walk_mode::{Patrol, Pause, WalkMode, Wander};

/// Random points tried before all cells that qualify are looked at.
const ATTEMPTS: u32 = 16;
/// Seconds from one round to the next of a patrol that can reach none of its other stops. 1: soon enough
/// after a door opens, and the same ways are not searched for thirty times a second.
const RETRY_S: f64 = 1.0;

/// Whether a walk stands where this leg of it was to end.
fn is_there(clock: &Clock, people: People<'_>, walk: &Walk) -> bool {
    let radius_m = match walk.via {
        Some(_) => people.crowd.walk_threshold_m,
        None => walk.radius_m(people.crowd),
    };
    let is_within = people.characters.get(walk.character).is_some_and(|own| {
        is_on_layer(people.characters, own, walk) && floor_distance(own.body.position, walk.aim) <= radius_m
    });
    let is_idle = walk.token.is_none() && walk.ask.is_none() && walk.phase == Phase::Moving;
    is_within
        || is_idle && way(walk) == RouteProgress::WholeAtEnd
        || is_beside(walk)
        || is_idle && is_crowded_out(clock, people, walk)
}

/// Whether a walk stands beside where this leg of it was to end, which a character holds, and leaves it at
/// that. A stop of a patrol is waited for, unless the walk accepts to stand beside.
fn is_beside(walk: &Walk) -> bool {
    let waits = matches!(walk.mode, WalkMode::Patrol(_)) && walk.via.is_none();
    let accepts = matches!(walk.options.accept, AcceptEnd::Near | AcceptEnd::Nearest);
    matches!(walk.phase, Phase::Beside(_)) && (accepts || !waits)
}

/// Whether a walk has not got on for a second because of a character that stands beside the end of this leg
/// and leaves no room there: it comes no nearer, and no character that stands there is asked aside.
fn is_crowded_out(clock: &Clock, people: People<'_>, walk: &Walk) -> bool {
    const PRESSED_S: f64 = 1.0;
    let held_ticks = walk.clock(clock.landing()).since(walk.progress_tick);
    let ahead = walk.ahead.filter(|_| held_ticks >= clock.rate.ticks(PRESSED_S));
    ahead.and_then(|ahead| people.standing(ahead)).is_some_and(|ahead| {
        let is_on_it = floor_distance(walk.aim, ahead.body.position) <= ahead.body.radius_m;
        !is_on_it && people.leaves_no_room(ahead, walk, walk.aim)
    })
}

/// Sends a walk on to a new aim, from where it stands.
fn go_on(landing: TickNumber, walk: &mut Walk, aim: Vec3) {
    walk.aim = aim;
    walk.ask = Some(Ask::Leg);
    (walk.blocked_by, walk.goal_occupant) = (None, None);
    walk.told_near = false;
    if walk.phase != Phase::Planning {
        walk.phase = Phase::Moving;
    }
    walk.restart_progress(None, landing);
}

/// Step 10 of a walk with checkpoints left.
pub(super) fn look_via(parts: &mut Wayfinding<'_>, id: WalkId) -> ModeStep {
    if parts.walks.get(id).is_some_and(|walk| is_there(parts.clock, parts.people(), walk)) {
        note_waypoint(parts, id);
        pass_checkpoint(parts, id);
    }
    ModeStep::On
}

fn note_waypoint(parts: &mut Wayfinding<'_>, id: WalkId) {
    if let Some(walk) = parts.walks.get_mut(id).filter(|walk| walk.options.tells.waypoint) {
        walk.waypoints += 1;
        let news = WalkNews::Waypoint { index: walk.waypoints, position: walk.aim };
        parts.events.push(Fact::WalkNews { walk: id, news });
    }
}

/// On to the next checkpoint, or past the last to the goal.
pub(super) fn pass_checkpoint(parts: &mut Wayfinding<'_>, id: WalkId) {
    let landing = parts.clock.landing();
    let walk = parts.walks.get_mut(id);
    let Some((mut via, walk)) = walk.and_then(|walk| Some((walk.via.take()?, walk))) else {
        debug_assert!(false, "a walk that passes a checkpoint has one");
        return;
    };
    via.left.pop();
    let aim = via.left.last().copied().unwrap_or(via.last);
    walk.via = (!via.left.is_empty()).then_some(via);
    go_on(landing, walk, aim);
}

/// Step 10 of a patrol.
pub(super) fn look_patrol(parts: &mut Wayfinding<'_>, id: WalkId, mut patrol: Patrol) -> ModeStep {
    let Some(walk) = parts.walks.get(id) else {
        return ModeStep::Over;
    };
    if let Phase::Pausing { until } = walk.phase {
        if walk.clock(parts.clock.landing()) >= until {
            next_stop(parts, id, patrol);
        }
        return ModeStep::Content;
    }
    if !is_there(parts.clock, parts.people(), walk) {
        return ModeStep::On;
    }
    let retry = parts.clock.rate.ticks(RETRY_S);
    let is_only_one = patrol.misses + 1 >= patrol.stops.len() || stands_at_all(parts, walk, &patrol);
    let again = is_only_one.then(|| walk.clock(parts.clock.landing()).after(retry));
    let mark = patrol.stops[patrol.at].mark.clone();
    let index = patrol.at as u32 + 1;
    parts.events.push(Fact::WalkNews { walk: id, news: WalkNews::Stop { index, mark } });
    patrol.misses = 0;
    if patrol.ends_here() {
        return ModeStep::Arrived;
    }
    match rest(parts, id, patrol.pause).max(again) {
        Some(until) => keep(parts, id, WalkMode::Patrol(patrol), Phase::Pausing { until }),
        None => next_stop(parts, id, patrol),
    }
    ModeStep::Content
}

/// Whether all stops of a patrol are where it stands.
fn stands_at_all(parts: &Wayfinding<'_>, walk: &Walk, patrol: &Patrol) -> bool {
    let radius_m = walk.radius_m(&parts.settings.crowd);
    let Some(own) = parts.characters.get(walk.character) else {
        return false;
    };
    patrol.stops.iter().all(|stop| {
        aim_of(parts.map, parts.characters, walk.character, stop.goal)
            .is_ok_and(|aim| floor_distance(own.body.position, aim) <= radius_m)
    })
}

/// Until when to stand at a stop, by the clock of the walk; none for not at all.
fn rest(parts: &mut Wayfinding<'_>, id: WalkId, pause: Pause) -> Option<TickNumber> {
    let landing = parts.clock.landing();
    let walk = parts.walks.get(id)?;
    let ticks = parts.clock.rate.ticks(pause.draw(&mut parts.characters.get_mut(walk.character)?.rng));
    (ticks > 0).then(|| walk.clock(landing).after(ticks))
}

fn keep(parts: &mut Wayfinding<'_>, id: WalkId, mode: WalkMode, phase: Phase) {
    if let Some(walk) = parts.walks.get_mut(id) {
        walk.mode = mode;
        walk.phase = phase;
    }
}

/// On to the next stop there is. A stop whose character is gone is out of reach.
fn next_stop(parts: &mut Wayfinding<'_>, id: WalkId, mut patrol: Patrol) {
    let Some(walker) = parts.walks.get(id).map(|walk| walk.character) else {
        return;
    };
    let layer = parts.characters.get(walker).map_or(0, |who| who.layer);
    let landing = parts.clock.landing();
    if patrol.ends_here() {
        go_near(parts, id, patrol.stops[patrol.at].goal);
        return;
    }
    // Bounded by the stops: each round goes past one or ends.
    while patrol.misses < patrol.stops.len() {
        patrol.at = (patrol.at + 1) % patrol.stops.len();
        let goal = patrol.stops[patrol.at].goal;
        if let Ok(aim) = aim_of(parts.map, parts.characters, walker, goal) {
            if let Some(walk) = parts.walks.get_mut(id) {
                walk.mode = WalkMode::Patrol(patrol);
                walk.goal = goal;
                note_layer(parts.map, &mut walk.options.layer, goal, layer);
                go_on(landing, walk, aim);
            }
            return;
        }
        if patrol.ends_here() {
            go_near(parts, id, goal);
            return;
        }
        patrol.misses += 1;
    }
    parts.conclude(id, Status::Blocked, Reason::NoPath);
}

/// On as near to the last stop as the walk accepts, like a walk to it: it cannot be reached.
fn go_near(parts: &mut Wayfinding<'_>, id: WalkId, goal: Goal) {
    let landing = parts.clock.landing();
    let Some(walk) = parts.walks.get_mut(id) else {
        return;
    };
    if let Ok(aim) = aim_of(parts.map, parts.characters, walk.character, goal) {
        walk.mode = WalkMode::Once;
        // What is left of the way to the stop before is none of the way there.
        walk.following = None;
        go_on(landing, walk, aim);
    } else {
        parts.settle(id, Reason::TargetGone.usual_status(), Reason::TargetGone);
    }
}

/// Step 6 of a patrol: past the stop that it is on its way to, once its character is gone.
pub(super) fn pass_gone(parts: &mut Wayfinding<'_>, id: WalkId) {
    let Some(walk) = parts.walks.get(id).filter(|walk| !matches!(walk.phase, Phase::Pausing { .. })) else {
        return;
    };
    let WalkMode::Patrol(patrol) = &walk.mode else {
        return;
    };
    let is_gone = |goal| matches!(goal, Goal::Character(stop) if parts.characters.alive(stop).is_none());
    if patrol.stops.get(patrol.at).is_some_and(|stop| is_gone(stop.goal)) {
        let patrol = patrol.clone();
        miss_stop(parts, id, patrol);
    }
}

/// The stop that a patrol is on its way to cannot be reached.
pub(super) fn miss_stop(parts: &mut Wayfinding<'_>, id: WalkId, mut patrol: Patrol) {
    patrol.misses += 1;
    if patrol.misses >= patrol.stops.len() && !patrol.ends_here() {
        parts.conclude(id, Status::Blocked, Reason::NoPath);
    } else {
        next_stop(parts, id, patrol);
    }
}

/// What drawing places may take in a tick, in expansions, before others wait for a later one: where few
/// cells can be reached, all that lie near are looked at.
const DRAWN_MAX: u64 = 10_000;

/// Step 6 of a walk that wanders: the next point, drawn from the character's own stream. False when too much
/// was drawn in this tick.
pub(super) fn aim_wander(parts: &mut Wayfinding<'_>, id: WalkId, wander: &Wander) -> bool {
    let Some(walk) = parts.walks.get(id).filter(|walk| matches!(walk.ask, Some(Ask::First | Ask::Leg)))
    else {
        return true;
    };
    if parts.drawn > DRAWN_MAX {
        return false;
    }
    let by = parts.traversal_of(walk);
    let Some(character) = parts.characters.get(walk.character) else {
        return false;
    };
    let query = RandomPoint {
        centre: wander.around,
        within_m: wander.within_m,
        area: wander.area,
        reachable_from: Some(LayerPoint { layer: character.layer, point: character.body.position }),
        by: Traversal { layer: walk.options.layer.unwrap_or(by.layer), ..by },
        attempts: ATTEMPTS,
    };
    let (who, mut rng) = (walk.character, character.rng.clone());
    parts.map.nav.prepare_reach(&query.by);
    let (point, looked) = parts.map.nav.random_point_counted(&query, &mut rng);
    parts.drawn += looked;
    if let Some(character) = parts.characters.get_mut(who) {
        character.rng = rng;
    }
    match (point, parts.walks.get_mut(id)) {
        (Some(point), Some(walk)) => (walk.goal, walk.aim) = (Goal::Point(point), point),
        (None, Some(walk)) => {
            walk.ask = None;
            parts.conclude(id, Status::Blocked, Reason::NoPath);
        }
        (_, None) => {}
    }
    true
}

/// Step 10 of a walk that wanders.
pub(super) fn look_wander(parts: &mut Wayfinding<'_>, id: WalkId, mut wander: Wander) -> ModeStep {
    let landing = parts.clock.landing();
    let Some(walk) = parts.walks.get_mut(id) else {
        return ModeStep::Over;
    };
    if let Phase::Pausing { until } = walk.phase {
        if walk.clock(landing) >= until {
            go_on(landing, walk, walk.aim);
        }
        return ModeStep::Content;
    }
    let Some(walk) = parts.walks.get(id) else {
        return ModeStep::Over;
    };
    // The aim is chosen in step 6; before that it is where the walker stands.
    if walk.ask.is_some() || !is_there(parts.clock, parts.people(), walk) {
        return ModeStep::On;
    }
    wander.misses = 0;
    match rest(parts, id, wander.pause) {
        Some(until) => keep(parts, id, WalkMode::Wander(wander), Phase::Pausing { until }),
        None => {
            keep(parts, id, WalkMode::Wander(wander), Phase::Moving);
            parts.walks.get_mut(id).into_iter().for_each(|walk| go_on(landing, walk, walk.aim));
        }
    }
    ModeStep::Content
}

/// The point that a walk was to wander to cannot be reached after all.
pub(super) fn miss_point(parts: &mut Wayfinding<'_>, id: WalkId, mut wander: Wander) {
    wander.misses += 1;
    if wander.misses >= Wander::MISSES_MAX {
        parts.conclude(id, Status::Blocked, Reason::NoPath);
        return;
    }
    let landing = parts.clock.landing();
    if let Some(walk) = parts.walks.get_mut(id) {
        walk.mode = WalkMode::Wander(wander);
        go_on(landing, walk, walk.aim);
    }
}
