//! Step 10: walks settle because of what the world did.
//!
//! In: walks and positions. Out: settled walks. Holds: arrival is decided by the walk's radius alone; a
//! walker that comes to a goal that a character holds stands beside, does not push, and has arrived there or
//! waits, as the walk accepts; no walk goes on without progress for longer than its patience, and none past
//! its timeout.

use glam::Vec3;

use crate::base::geom::{flat_distance, floor_distance, ground, segment_distance_sq};
use crate::base::ids::{CharacterId, WalkId};
use crate::base::prefetch::{self, TOGETHER};
use crate::base::time::TickNumber;
use crate::base::trig;
use crate::sim::wayfinding::{Everyone, Wayfinding};
use crate::sim::{backing_out, repath, walk_modes, walk_progress};
use crate::world::bystander_index::People;
use crate::world::character::{Body, Character, Characters};
use crate::world::clock::Clock;
use crate::world::door::{Door, DoorState};
use crate::world::goal::Goal;
use crate::world::map::LevelMap;
use crate::world::outcome::{Blocker, Reason, Status};
use crate::world::settings::CrowdSettings;
use crate::world::walk::{AcceptEnd, Ask, LinkTaking, OnLink, Phase, WaitCause, Walk, WalkOptions};
use crate::world::walk_mode::WalkMode;
use crate::world::walks::by_creation;

/// How near bodies are that count as side by side, metres between their edges. About what a step leaves open.
const BESIDE_M: f32 = 0.1;

/// Looks at every walk, in order of creation, as a step of the crowd lands; before that at those that have
/// just begun and take no step, because there is none to take.
pub(crate) fn run(parts: &mut Wayfinding<'_>) {
    if parts.clock.lands_step() {
        for id in note_alone(parts) {
            look(parts, id);
        }
    } else {
        for id in parts.walks.fresh(parts.clock.tick) {
            if parts.walks.get(id).is_some_and(|walk| walk.travelled_m == 0.0) {
                look(parts, id);
            }
        }
    }
    parts.forget_others();
}

/// Notes how walks get on that nobody else has to do with, each by itself; the others, in order of creation.
fn note_alone(parts: &mut Wayfinding<'_>) -> Vec<WalkId> {
    let Wayfinding { clock, settings, characters, walks, threads, .. } = parts;
    let (clock, crowd, characters) = (*clock, &settings.crowd, &**characters);
    let ids = walks.ids_by_place();
    let mut loans = walks.disjoint_mut(ids.iter().copied());
    let mut are_alone = vec![false; ids.len()];
    threads.share(
        (&mut loans[..], &mut are_alone[..]),
        || (),
        |(), _, (loans, are_alone)| {
            prefetch::chunks_ahead(
                loans.chunks_mut(TOGETHER).zip(are_alone.chunks_mut(TOGETHER)),
                |(loans, _)| loans.iter().for_each(|loan| loan.fetch(Walk::HOT_BYTES)),
                |(loans, are_alone)| {
                    for (loan, is_alone) in loans.iter_mut().zip(are_alone) {
                        let Some(walk) = loan.get() else {
                            continue;
                        };
                        if let Some(left_m) = left_alone_m(clock, crowd, characters, walk) {
                            note_left(walk, left_m, clock.landing());
                            *is_alone = true;
                        }
                    }
                },
            );
        },
    );
    let others = ids.into_iter().zip(are_alone).filter_map(|(id, is_alone)| (!is_alone).then_some(id));
    let others: Vec<WalkId> = others.collect();
    by_creation(&others, |&id| walks.serial(Some(id)))
}

/// What is left of the way of a walk to a point that goes on, and with which nobody else has to do: [`look`]
/// would only note how it gets on.
#[inline]
fn left_alone_m(clock: &Clock, crowd: &CrowdSettings, characters: &Characters, walk: &Walk) -> Option<f32> {
    let goes_on = walk.phase == Phase::Moving && !walk.is_paused && walk.on_link.is_none();
    let is_to_point = walk_modes::is_to_point(walk);
    let is_taken = walk.goal_slot.is_some() || walk.goal_occupant.is_some() || walk.backing_out.is_some();
    let tells = walk.options.tells.near || walk.options.tells.blocked;
    if !goes_on || !is_to_point || is_taken || tells || walk.ask.is_some() || walk.token.is_some() {
        return None;
    }
    let left_m = walk.left_m?;
    let who = characters.get(walk.character)?;
    let may_be_near = || floor_distance(who.body.position, walk.aim) <= walk.radius_m(crowd);
    let at_end = || walk.following.as_ref().is_none_or(|way| way.cursor.next(&way.path).is_none());
    let may_be_pressed = walk.ahead.is_some() && is_held(clock, walk);
    let goes = !may_be_pressed && !may_be_near() && !at_end();
    (goes && out_of_patience(clock, &[], walk, who).is_none()).then_some(left_m)
}

fn look(parts: &mut Wayfinding<'_>, id: WalkId) {
    stop_beside(parts, id);
    let Some((walk, character)) = parts.walker(id).filter(|(walk, _)| walk.is_open()) else {
        return;
    };
    let is_near = || walk_modes::is_within_radius(parts.characters, &parts.settings.crowd, walk);
    if walk.is_paused || takes_link(walk) || walk.backing_out.is_some() {
        backing_out::look(parts, id);
        rest(parts, id);
    } else if let Phase::Turning(reason) = walk.phase {
        finish_turn(parts, id, reason);
    } else if !walk_modes::is_plain(walk) {
        look_at_mode(parts, id);
    } else if is_near() && !closes_in(walk, character) {
        let reason = arrival(walk);
        arrive(parts, id, reason);
    } else if let Some((status, reason)) = beside(parts.people(), walk).or_else(|| at_end_of_path(walk)) {
        stand_on_end(parts, id);
        parts.conclude(id, status, reason);
    } else if let Some(reason) = out_of_patience(parts.clock, &parts.map.doors, walk, character) {
        give_up(parts, id, reason);
    } else {
        note_progress(parts, id);
    }
}

/// Ends a walk that has lost its patience, and notes what is in front of it.
fn give_up(parts: &mut Wayfinding<'_>, id: WalkId, reason: Reason) {
    let Some(walk) = parts.walks.get_mut(id) else {
        debug_assert!(false, "a walk that was looked at is there");
        return;
    };
    let by = match (reason, &walk.phase) {
        (Reason::Occupied, Phase::Beside(holder)) => Some(Blocker::Character(*holder)),
        // The holder of its goal may be far away; a walker that sways has no one in front of it just now.
        (Reason::Stuck, _) => {
            let everyone = parts.everyone.get_or_init(|| Everyone::of(parts.characters));
            let in_the_way = || in_the_way(parts.map, parts.characters, everyone, walk);
            walk.ahead.map(Blocker::Character).or_else(in_the_way)
        }
        _ => None,
    };
    walk.blocked_by = by.or(walk.blocked_by);
    let follows = matches!(walk.mode, WalkMode::Follow(_));
    let ahead = match (reason, by) {
        (Reason::Stuck, Some(Blocker::Character(ahead))) => Some(ahead),
        (Reason::Occupied, Some(Blocker::Character(holder))) if follows => Some(holder),
        _ => None,
    };
    let walk = parts.walks.get(id).zip(ahead);
    if walk.is_some_and(|(walk, ahead)| is_behind_others(parts.people(), walk, ahead)) {
        parts.conclude(id, Status::Arrived, Reason::CloseEnough);
    } else {
        parts.conclude(id, Status::Blocked, reason);
    }
}

/// Whether a walk has come up behind others that go to the same goal, at which a character stands, and may
/// stop there: in a lane, where there is no other place, or around one that all of them follow.
fn is_behind_others(people: People<'_>, walk: &Walk, ahead: CharacterId) -> bool {
    let catches_up = matches!(&walk.mode, WalkMode::Follow(follow) if !follow.keep);
    let ends_there = catches_up || walk_modes::is_plain(walk);
    let Some(character) = people.characters.get(walk.character).filter(|_| ends_there) else {
        return false;
    };
    let may_stop = match (walk.options.accept, walk.goal) {
        (AcceptEnd::Near | AcceptEnd::Nearest, _) | (AcceptEnd::Partial, Goal::Character(_)) => true,
        (AcceptEnd::Partial | AcceptEnd::Exact, _) => false,
    };
    let is_taken = catches_up || walk.goal_slot.is_some() || walk.goal_occupant.is_some();
    let near_m = walk.radius_m(people.crowd) + people.crowd.dynamic_obstacle_influence_m;
    let is_near = floor_distance(character.body.position, walk.aim) <= near_m;
    // Those on their way may get no further either: one in front of them has come there.
    let has_come = || in_front(people, ahead).any(|who| people.has_come_to(who, walk));
    let is_there = || match catches_up {
        true => is_near && has_come(),
        // A crowd around a goal may reach further than one looks for a place beside it.
        false => is_near && is_taken && people.goes_to_same(ahead, walk) || has_come(),
    };
    may_stop && is_there()
}

/// A character, the one in front of it, and so on.
fn in_front(people: People<'_>, first: CharacterId) -> impl Iterator<Item = CharacterId> + '_ {
    /// The most of a line.
    const LINE_MAX: usize = 12;
    let ahead = move |who: &CharacterId| people.walks.get(people.characters.get(*who)?.walk?)?.ahead;
    std::iter::successors(Some(first), ahead).take(LINE_MAX)
}

/// What blocks a walk that has no one in front of it just now, because it sways back and forth: a closed door
/// that it has come to, else the nearest character on the next stretch of its way, else a character that it
/// touches.
fn in_the_way(map: &LevelMap, characters: &Characters, everyone: &Everyone, walk: &Walk) -> Option<Blocker> {
    /// How far ahead a character on the way blocks the walk, metres: a few people in a line.
    const AHEAD_M: f32 = 3.0;
    /// Gap between two bodies that are in one another's way, metres: what people leave in a line.
    const GAP_M: f32 = 0.6;
    let own = characters.get(walk.character)?;
    let door = map.stop_before_door(walk, own).filter(|(_, left_m)| *left_m <= GAP_M);
    if let Some((door, _)) = door {
        return Some(Blocker::Door(door));
    }
    let place = own.body.position;
    let near = everyone.near(place, own.body.radius_m + AHEAD_M);
    let others = near
        .filter_map(|id| Some((id, characters.alive(id)?)))
        .filter(|&(id, other)| id != walk.character && own.apart_m(other).is_finite());
    let near = others.filter_map(|(id, other)| {
        let touch_m = own.body.radius_m + other.body.radius_m;
        let gap_m = flat_distance(place, other.body.position) - touch_m;
        let middle = ground(other.body.position);
        let reach_m = f64::from(touch_m) + f64::from(WalkOptions::PROGRESS_M);
        let is_on_way = || {
            repath::legs(walk.following.as_ref(), place)
                .any(|(from, to)| segment_distance_sq(middle, ground(from), ground(to)) <= reach_m * reach_m)
        };
        let is_behind = gap_m > AHEAD_M || !is_on_way();
        (gap_m <= GAP_M || !is_behind).then_some((is_behind, gap_m, id))
    });
    let nearest = near.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    nearest.map(|(_, _, id)| Blocker::Character(id))
}

/// Whether a walk takes a link and gets on with it. One that stands at a door on it waits as at any other.
fn takes_link(walk: &Walk) -> bool {
    walk.on_link.is_some() && !matches!(walk.phase, Phase::AtDoor(_))
}

/// A walk that stands because it was told to, or takes a link, has no patience to lose, only time.
fn rest(parts: &mut Wayfinding<'_>, id: WalkId) {
    let link = parts.walks.get(id).and_then(|walk| walk.on_link);
    if let Some(OnLink { by: LinkTaking::Failed(reason), .. }) = link {
        parts.conclude(id, Status::Blocked, reason);
    } else if parts.walks.get(id).is_some_and(|walk| is_over_time(parts.clock, walk)) {
        parts.conclude(id, Status::Blocked, Reason::Timeout);
    } else {
        restart_patience(parts, id);
    }
}

fn look_at_mode(parts: &mut Wayfinding<'_>, id: WalkId) {
    let look = walk_modes::look(parts, id);
    let Some((walk, character)) = parts.walker(id).filter(|(walk, _)| walk.is_open()) else {
        return;
    };
    match (look, out_of_patience(parts.clock, &parts.map.doors, walk, character)) {
        (walk_modes::ModeStep::Arrived, _) => {
            let is_short = walk_modes::stays_short(parts.characters, walk);
            let reason = if is_short { Reason::CloseEnough } else { arrival(walk) };
            arrive(parts, id, reason);
        }
        (walk_modes::ModeStep::Over, _) => {}
        // A stop that a character holds, or a door shuts off, is passed over in the end.
        (walk_modes::ModeStep::On, Some(reason)) if walk_modes::skip_stop(parts, id, reason) => {}
        (walk_modes::ModeStep::On, Some(Reason::Stuck | Reason::Occupied)) if is_behind_fellow(parts, id) => {
            restart_patience(parts, id);
        }
        (walk_modes::ModeStep::On, Some(reason))
        | (walk_modes::ModeStep::Content, Some(reason @ Reason::Timeout)) => {
            give_up(parts, id, reason);
        }
        (walk_modes::ModeStep::On, None) => note_progress(parts, id),
        (walk_modes::ModeStep::Content, _) => restart_patience(parts, id),
    }
}

/// Whether a walker with an exact goal is on its last steps: it ends on the goal itself, unless another
/// character is in the way.
fn closes_in(walk: &Walk, character: &Character) -> bool {
    /// Slower than this it is kept from it, metres a second: a millimetre in a step.
    const SLOWEST_MPS: f32 = 0.03;
    let gets_on = character.is_moving && character.body.velocity.length_squared() > SLOWEST_MPS * SLOWEST_MPS;
    let has_more = |(_, left_m): (Vec3, f32)| left_m > END_M;
    gets_on && walk.phase == Phase::Moving && exact_end(walk, character).is_some_and(has_more)
}

/// How near to its end a way to an exact place is as good as walked, metres: the last steps of a braking
/// walker are ever shorter.
const END_M: f32 = Everyone::MOVED_MAX_M;

/// The end of the way of a walker with an exact goal, and what is left to it.
fn exact_end(walk: &Walk, character: &Character) -> Option<(Vec3, f32)> {
    let is_exact = character.held.is_some() || walk.options.accept == AcceptEnd::Exact;
    let is_free = walk.options.radius_m.is_none() && walk.goal_occupant.is_none() && walk.travelled_m > 0.0;
    let path = &walk.following.as_ref().filter(|following| following.path.whole)?.path;
    let end = *path.points.last()?;
    let goes_there = is_exact && is_free && matches!(walk.goal, Goal::Point(_)) && path.layers.is_empty();
    goes_there.then(|| (end, flat_distance(character.body.position, end)))
}

/// Puts a walker that has all but reached its exact goal onto the goal.
fn stand_on_end(parts: &mut Wayfinding<'_>, id: WalkId) {
    let Some((walk, character)) = parts.walker_mut(id) else {
        return;
    };
    if let Some((end, _)) = exact_end(walk, character).filter(|(_, left_m)| *left_m <= END_M) {
        (character.body.position.x, character.body.position.z) = (end.x, end.z);
    }
}

/// Whether a walk that keeps following a character is as near as it comes: it stands behind another follower
/// of the same character, or beside a character that holds its place.
fn is_behind_fellow(parts: &Wayfinding<'_>, id: WalkId) -> bool {
    let Some(walk) = parts.walks.get(id) else {
        return false;
    };
    if !matches!(&walk.mode, WalkMode::Follow(follow) if follow.keep) {
        return false;
    }
    match (&walk.phase, walk.ahead, walk.goal) {
        (Phase::Beside(_), _, _) => true,
        (_, Some(ahead), Goal::Character(target)) => parts.people().follows(ahead, target),
        _ => false,
    }
}

/// How a walk arrives that is at its goal now.
fn arrival(walk: &Walk) -> Reason {
    if walk.travelled_m == 0.0 { Reason::AlreadyThere } else { Reason::Reached }
}

fn arrive(parts: &mut Wayfinding<'_>, id: WalkId, reason: Reason) {
    stand_on_end(parts, id);
    let Some((walk, character)) = parts.walker_mut(id) else {
        return;
    };
    if walk.options.face.is_some() {
        walk.phase = Phase::Turning(reason);
        character.is_moving = false;
        let who = walk.character;
        parts.characters.note_posing(who);
        finish_turn(parts, id, reason);
    } else {
        parts.conclude(id, Status::Arrived, reason);
    }
}

/// Settles a walk that has turned to where it was to look.
fn finish_turn(parts: &mut Wayfinding<'_>, id: WalkId, reason: Reason) {
    let Some((walk, character)) = parts.walker(id) else {
        return;
    };
    let Some(look) = walk.options.face else {
        debug_assert!(false, "a walk that turns has something to look at");
        return;
    };
    let wanted = look.angle_from(parts.characters, walk.character);
    if trig::wrap(character.facing_rad - wanted).abs() < 1e-3 {
        parts.conclude(id, Status::Arrived, reason);
    }
}

/// Stops a walker at a goal that another character holds: at the end of a path that ends beside the goal, or
/// in front of the character that stands there.
fn stop_beside(parts: &mut Wayfinding<'_>, id: WalkId) {
    let Some(walk) = parts.walks.get(id).filter(|walk| matches!(walk.phase, Phase::Moving)) else {
        return;
    };
    let (clock, people) = (parts.clock, parts.people());
    let holder = walk
        .goal_slot
        .map(|slot| slot.beside)
        .or(walk.goal_occupant)
        .or_else(|| arrived_ahead(clock, people, walk));
    let (Some(holder), Some(following)) = (holder, &walk.following) else {
        return;
    };
    let at_end = following.cursor.next(&following.path).is_none();
    let touches = || touches(people.characters, walk.character, holder);
    let is_idle = walk.ask.is_none() && walk.token.is_none_or(|(_, why)| why == Ask::Crowd);
    let is_beside = || {
        let is_any = walk.goal_slot.is_some() || walk.goal_occupant.is_none();
        if is_any { is_pressed(clock, people, walk) } else { touches() }
    };
    if is_idle
        && (at_end || is_beside())
        && let Some((walk, character)) = parts.walker_mut(id)
    {
        walk.phase = Phase::Beside(holder);
        character.is_moving = false;
    }
}

/// How long a walker that has a place, or comes behind others that have come to the same goal, tries to get
/// on, seconds.
const PRESSED_S: f64 = 1.0;

/// Whether a walker has not got on for a moment because of a character in front that stands.
fn is_pressed(clock: &Clock, people: People<'_>, walk: &Walk) -> bool {
    is_held(clock, walk) && walk.ahead.is_some_and(|ahead| people.standing(ahead).is_some())
}

/// Whether a walker has not got on for a moment.
fn is_held(clock: &Clock, walk: &Walk) -> bool {
    walk.clock(clock.landing()).since(walk.progress_tick) >= clock.rate.ticks(PRESSED_S)
}

/// The character in front of a walker that does not get on, if it has come to the same goal before.
fn arrived_ahead(clock: &Clock, people: People<'_>, walk: &Walk) -> Option<CharacterId> {
    let may = walk.options.accept != AcceptEnd::Exact && walk_modes::is_plain(walk);
    let ahead = walk.ahead.filter(|_| may && is_pressed(clock, people, walk))?;
    people.has_come_to(ahead, walk).then_some(ahead)
}

/// Whether two bodies stand side by side.
fn touches(characters: &Characters, one: CharacterId, other: CharacterId) -> bool {
    let both = characters.get(one).zip(characters.alive(other));
    both.is_some_and(|(one, other)| one.apart_m(other) - one.body.radius_m - other.body.radius_m <= BESIDE_M)
}

/// How a walk ends that stands beside a goal that a character holds; none while it waits for the goal.
fn beside(people: People<'_>, walk: &Walk) -> Option<(Status, Reason)> {
    let Phase::Beside(holder) = walk.phase else {
        return None;
    };
    // As near to a character as one talks, or as two bodies come, is near enough, whatever radius was asked.
    let is_target = walk.goal == Goal::Character(holder);
    let talk_m = people.crowd.npc_talk_distance_m;
    let position = people.characters.get(walk.character)?.body.position;
    let is_near = || floor_distance(position, walk.aim) <= talk_m;
    let talks = is_target && (is_near() || touches(people.characters, walk.character, holder));
    // Before others that have come as near to a goal that cannot be reached.
    if walk.ends_short() && walk.goal_slot.is_none() && walk.goal_occupant.is_none() && !is_target {
        return Some(as_near_as_it_gets(walk));
    }
    let is_enough = matches!(walk.options.accept, AcceptEnd::Near | AcceptEnd::Nearest);
    (talks || is_enough || is_shared(people, walk, holder)).then_some((Status::Arrived, Reason::CloseEnough))
}

/// Whether a walk that waits beside its goal goes to a character that others surround, or to a point at which
/// there is no room although no one stands on it: it comes no nearer.
fn is_shared(people: People<'_>, walk: &Walk, holder: CharacterId) -> bool {
    if walk.options.accept == AcceptEnd::Exact {
        return false;
    }
    let is_on_goal = |body: &Body| floor_distance(body.position, walk.aim) <= body.radius_m;
    match walk.goal {
        Goal::Character(_) => walk.goal_slot.is_some() || people.has_come_to(holder, walk),
        Goal::Point(_) | Goal::Door(_) => {
            people.characters.get(holder).is_some_and(|who| !is_on_goal(&who.body))
        }
    }
}

/// How a walk ends that has come to the last point of its path, outside the radius of its goal.
fn at_end_of_path(walk: &Walk) -> Option<(Status, Reason)> {
    let following = walk.following.as_ref()?;
    let is_placed = walk.goal_slot.is_some();
    let under_way = is_placed || walk.phase != Phase::Moving || walk.token.is_some() || walk.ask.is_some();
    // A link may end where it begins, on another layer.
    let has_link = !following.path.layers.is_empty();
    if under_way || has_link || following.cursor.next(&following.path).is_some() {
        return None;
    }
    if following.path.whole {
        // A target that moves by less than the threshold is waited for; the end is by radius or patience.
        let is_still = matches!(walk.goal, Goal::Point(_) | Goal::Door(_));
        return is_still.then_some((Status::Arrived, Reason::Reached));
    }
    Some(as_near_as_it_gets(walk))
}

/// How a walk ends that comes no nearer to its goal.
fn as_near_as_it_gets(walk: &Walk) -> (Status, Reason) {
    match walk.options.accept {
        AcceptEnd::Nearest => (Status::Arrived, Reason::Nearest),
        _ => (Status::Partial, Reason::Nearest),
    }
}

fn is_over_time(clock: &Clock, walk: &Walk) -> bool {
    walk.options.timeout_ticks.is_some_and(|ticks| walk.clock(clock.tick).since(walk.issued) >= ticks)
}

/// Half a turn that takes no longer than this needs no patience of its own, seconds. 1: the usual body needs
/// 0.4.
const QUICK_HALF_TURN_S: f64 = 1.0;

fn out_of_patience(clock: &Clock, doors: &[Door], walk: &Walk, character: &Character) -> Option<Reason> {
    if is_over_time(clock, walk) {
        return Some(Reason::Timeout);
    }
    let since = match walk.phase {
        // A walker in a queue waits for the head of the queue.
        Phase::Moving => walk.progress_tick.max(walk.queue_tick),
        _ => walk.progress_tick,
    };
    let now = walk.clock(clock.landing());
    let given_ticks = walk.options.patience_ticks;
    // Most get on.
    let gets_on = now.since(since) < given_ticks && now.since(walk.nearest_tick) < given_ticks;
    if gets_on && walk.place_wait.is_none() {
        return None;
    }
    let patience_ticks = match walk.phase {
        Phase::Moving => given_ticks.max(walk_progress::progress_ticks(clock.rate, walk, character)),
        _ => given_ticks,
    };
    // A slow turner stands at a corner for as long as it turns.
    let turn_ticks = clock.rate.ticks((character.gait.half_turn_s() - QUICK_HALF_TURN_S).max(0.0));
    let waited = now.since(since) >= patience_ticks.saturating_add(turn_ticks);
    let reason = if waited { held_up(doors, walk, left_m(walk, character)) } else { None };
    reason
        .or_else(|| stood_too_long(clock, doors, walk))
        .or_else(|| why_lost(clock, doors, walk, patience_ticks))
}

/// Why a walk has stood too long at one place although it got on for a moment now and then, if it has: at a
/// door that is closed again each time that it opens, whatever kind of walk it is; or, where it has nothing
/// to do but reach its goal, among others who leave it one way and then another.
fn stood_too_long(clock: &Clock, doors: &[Door], walk: &Walk) -> Option<Reason> {
    /// It has just been there.
    const MOMENT_S: f64 = 0.1;
    let wait = walk.place_wait.as_ref()?;
    let now = walk.clock(clock.landing());
    let (patiences, opening_s, reason) = match wait.cause {
        WaitCause::Door(door) => (Walk::PATIENCES_MAX, doors.get(door.index())?.moving_s, Reason::DoorClosed),
        WaitCause::Others if walk.phase == Phase::Moving && walk_modes::is_plain(walk) => {
            (Walk::QUEUED_PATIENCES_MAX, 0.0, Reason::Stuck)
        }
        WaitCause::Others => return None,
    };
    let given_ticks = walk.options.patience_ticks.saturating_mul(patiences);
    let is_there = now.since(wait.seen) <= clock.rate.ticks(MOMENT_S);
    let is_over = now.since(wait.since) >= given_ticks.saturating_add(clock.rate.ticks(opening_s));
    (is_there && is_over).then_some(reason)
}

/// Why a walk to a point goes to and fro, always getting on a little and never nearer to its end, if it does;
/// or stands at a door that is closed again whenever it has opened it. A door has the time that it takes.
fn why_lost(clock: &Clock, doors: &[Door], walk: &Walk, patience_ticks: u64) -> Option<Reason> {
    let (opening_s, reason) = match walk.phase {
        Phase::Moving => (0.0, Reason::Stuck),
        Phase::AtDoor(door) => {
            (doors.get(door.index()).map_or(0.0, |door| door.moving_s), Reason::DoorClosed)
        }
        _ => return None,
    };
    let now = walk.clock(clock.landing());
    let is_over = |since: TickNumber, patiences: u64| {
        let opening_ticks = clock.rate.ticks(opening_s);
        now.since(since) >= patience_ticks.saturating_mul(patiences).saturating_add(opening_ticks)
    };
    let is_lost = walk_modes::is_plain(walk)
        && (is_over(walk.nearest_tick.max(walk.queue_tick), Walk::PATIENCES_MAX)
            || is_over(walk.nearest_tick, Walk::QUEUED_PATIENCES_MAX));
    is_lost.then_some(reason)
}

/// What keeps a walk with so many metres to go from getting on, if anything does.
fn held_up(doors: &[Door], walk: &Walk, left_m: Option<f32>) -> Option<Reason> {
    match walk.phase {
        Phase::AtDoor(door) => {
            // It may have opened since the walker stood still before it.
            let is_on_the_way = |door: &Door| door.state == DoorState::Opening || door.is_passable();
            let opening = doors.get(door.index()).is_some_and(is_on_the_way);
            (!opening).then_some(Reason::DoorClosed)
        }
        Phase::Beside(_) => Some(Reason::Occupied),
        Phase::Moving => (!has_progress(walk, left_m)).then_some(Reason::Stuck),
        _ => None,
    }
}

/// Metres to the end of the path in use, from where the body stands.
fn left_m(walk: &Walk, character: &Character) -> Option<f32> {
    if walk.left_m.is_some() {
        return walk.left_m;
    }
    walk.remaining_m(character.body.position)
}

/// Whether less is left of the way than when the walk last made progress: back and forth is none.
fn has_progress(walk: &Walk, left_m: Option<f32>) -> bool {
    left_m.is_some_and(|left_m| left_m <= walk.progress_m - WalkOptions::PROGRESS_M)
}

fn note_progress(parts: &mut Wayfinding<'_>, id: WalkId) {
    let Wayfinding { clock, settings, map, characters, walks, events, .. } = parts;
    let Some(walk) = walks.get_mut(id) else {
        debug_assert!(false, "a walk that was looked at is there");
        return;
    };
    let Some(character) = characters.get(walk.character) else {
        debug_assert!(false, "the character of an open walk is there");
        return;
    };
    let landing = clock.landing();
    let left_m = left_m(walk, character);
    let waits = || walk.phase == Phase::Moving && walk.waits_for_path(map.nav.revision());
    let gets_on = walk.phase == Phase::Planning || waits();
    if let Some(reason) = held_up(&map.doors, walk, left_m)
        && walk.options.tells.blocked
        && walk_progress::is_held_up(walk, character, clock)
    {
        walk_progress::held_up(events, id, walk, reason, clock);
    }
    let talk_m = settings.crowd.npc_talk_distance_m;
    walk_progress::near(events, id, walk, character.body.position, talk_m);
    match left_m {
        _ if gets_on => restart(walk, left_m, landing),
        Some(left_m) => note_left(walk, left_m, landing),
        None => {}
    }
}

/// Notes what is left of a way: less than when the walk last got on, or more.
fn note_left(walk: &mut Walk, left_m: f32, landing: TickNumber) {
    if has_progress(walk, Some(left_m)) {
        restart(walk, Some(left_m), landing);
    } else {
        note_setback(walk, left_m);
    }
}

/// How far back a walker is driven before it counts its progress from there on, metres: more than two walkers
/// that push against one another sway back and forth, less than one backs out of a corridor.
const SETBACK_M: f32 = 1.0;

/// A walker that is driven back a good way counts its progress from there on.
fn note_setback(walk: &mut Walk, left_m: f32) {
    if left_m > walk.progress_m + SETBACK_M {
        walk.progress_m = left_m;
    }
}

fn restart_patience(parts: &mut Wayfinding<'_>, id: WalkId) {
    let landing = parts.clock.landing();
    if let Some((walk, character)) = parts.walker_mut(id) {
        let left_m = left_m(walk, character);
        restart(walk, left_m, landing);
    }
}

/// The walk has got on: its patience begins again, with so many metres to go.
fn restart(walk: &mut Walk, left_m: Option<f32>, tick: TickNumber) {
    walk.restart_progress(left_m, tick);
    if walk.progress_m < walk.nearest_m - WalkOptions::PROGRESS_M {
        (walk.nearest_m, walk.nearest_tick) = (walk.progress_m, walk.progress_tick);
    }
    walk.told_blocked = false;
    walk.ahead = None;
}

#[cfg(test)]
mod tests;
