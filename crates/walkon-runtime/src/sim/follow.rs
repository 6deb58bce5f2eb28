//! Step 7: path following: the place each walker would reach in this step if nobody were in the way.
//!
//! In: walks with a path, doors on their way, characters that step aside. Out: moves for steps 8 and 9, doors
//! asked to open. Holds: nobody goes past a door that is not open; a walker that opens doors asks once it
//! stands in front, one that waits stands until it is open or its patience ends.

use glam::Vec3;

use crate::base::geom::flat_distance;
use crate::base::ids::{DoorId, WalkId};
use crate::base::prefetch;
use crate::base::time::{TickNumber, TickRate};
use crate::base::trig;
use crate::crowd::follow::{self, BodyPose, Cursor, StepGait, Stride};
use crate::crowd::steer::{self, Turning};
use crate::nav::{LayerChange, NearbyLines, Path};
use crate::sim::ground_queries::GroundQueries;
use crate::sim::{avoid, backing_out, walk_modes};
use crate::world::character::{Character, Characters};
use crate::world::clock::Clock;
use crate::world::crowd_step::{CrowdStep, Move, WalkLook};
use crate::world::door::DoorPolicy;
use crate::world::event::EventQueue;
use crate::world::map::LevelMap;
use crate::world::ops::doors::{self, DoorOrder};
use crate::world::outcome::Blocker;
use crate::world::settings::CrowdSettings;
use crate::world::walk::{AcceptEnd, Ask, Phase, WaitCause, Walk};
use crate::world::walk_mode::WalkMode;
use crate::world::walks::{Walks, by_creation};

/// What step 7 reads and writes.
#[derive(Debug)]
pub(crate) struct FollowParts<'a> {
    pub(crate) clock: &'a Clock,
    pub(crate) crowd: &'a CrowdSettings,
    pub(crate) map: &'a mut LevelMap,
    pub(crate) characters: &'a mut Characters,
    pub(crate) walks: &'a mut Walks,
    pub(crate) events: &'a mut EventQueue,
    pub(crate) step: &'a mut CrowdStep,
}

/// Fills the moves of this step.
pub(crate) fn run(parts: &mut FollowParts<'_>) {
    look_around(parts);
    act(parts);
    let CrowdStep { moves, looks, .. } = &mut *parts.step;
    let mut looks = looks.iter();
    moves.retain(|_| looks.next() == Some(&WalkLook::Goes));
    let moved = moves.len();
    step_aside(parts);
    let CrowdStep { moves, threads, .. } = &mut *parts.step;
    let seen =
        FollowInputs { clock: parts.clock, map: parts.map, characters: parts.characters, walks: parts.walks };
    threads.share(
        &mut moves[moved..],
        || GroundQueries::new(seen.map),
        |grounds, _, moves| moves.iter_mut().for_each(|step| stride(&seen, grounds, step)),
    );
}

/// What looks at walks and strides read, and nothing of it changes meanwhile.
#[derive(Clone, Copy)]
struct FollowInputs<'a> {
    clock: &'a Clock,
    map: &'a LevelMap,
    characters: &'a Characters,
    walks: &'a Walks,
}

impl FollowInputs<'_> {
    /// Asks for the memory of walks that are looked at soon after the one at a place: for the walk first, and
    /// once it is there for what it leads to.
    #[inline]
    fn fetch(&self, ids: &[WalkId], at: usize) {
        const WALK_AHEAD: usize = 12;
        const PATH_AHEAD: usize = 6;
        // A step sees no more corners.
        const POINTS_AHEAD: usize = 8;
        ids.get(at + WALK_AHEAD).into_iter().for_each(|&id| self.walks.fetch(id));
        let Some(walk) = ids.get(at + PATH_AHEAD).and_then(|&id| self.walks.get(id)) else {
            return;
        };
        self.characters.fetch(walk.character);
        if let Some(following) = &walk.following {
            let left = following.path.points.get(following.cursor.segment as usize..).unwrap_or_default();
            prefetch::value(&left[..left.len().min(POINTS_AHEAD)]);
        }
    }
}

/// So many walks are looked at before their strides are worked out: what both need of them is then still in
/// the cache.
const TOGETHER: usize = 64;

/// Looks at every walk, and works out the strides of those that go on and change nothing else by it. Each
/// look stands alone.
fn look_around(parts: &mut FollowParts<'_>) {
    let FollowParts { clock, crowd, map, characters, walks, step, .. } = parts;
    step.walks = walks.ids_by_place();
    let CrowdStep { walks: ids, moves, looks, threads, .. } = &mut **step;
    moves.resize_with(ids.len(), Move::none);
    looks.resize(ids.len(), WalkLook::Stands);
    let seen = FollowInputs { clock, map, characters, walks };
    threads.share(
        (&mut moves[..], &mut looks[..]),
        || GroundQueries::new(seen.map),
        |grounds, first, (moves, looks)| {
            let ids = ids[first..].chunks(TOGETHER);
            let rows = moves.chunks_mut(TOGETHER).zip(looks.chunks_mut(TOGETHER));
            for (ids, (moves, looks)) in ids.zip(rows) {
                for (at, (&id, (step, look))) in
                    ids.iter().zip(moves.iter_mut().zip(looks.iter_mut())).enumerate()
                {
                    seen.fetch(ids, at);
                    *look = look_at(&seen, crowd, id, step);
                }
                let going = moves.iter_mut().zip(looks).filter(|(_, look)| **look == WalkLook::Goes);
                going.for_each(|(step, _)| stride(&seen, grounds, step));
            }
        },
    );
}

/// What a walk makes of this step, unless that changes anything but its move.
fn look_at(seen: &FollowInputs<'_>, crowd: &CrowdSettings, id: WalkId, step: &mut Move) -> WalkLook {
    let Some((walk, character)) =
        seen.walks.get(id).and_then(|walk| Some((walk, seen.characters.get(walk.character)?)))
    else {
        return WalkLook::Acts;
    };
    if let Some(backing) = &walk.backing_out {
        let is_there = backing_out::is_there(backing, character.body.position);
        let goes = if is_there { None } else { move_of(seen, id, walk, character) };
        *step = goes.unwrap_or_else(Move::none);
        return if goes.is_some() { WalkLook::Goes } else { WalkLook::Stands };
    }
    let acts = walk.on_link.is_some() || matches!(walk.phase, Phase::AtDoor(_)) || character.nudge.is_some();
    if acts || seen.map.closed_door_ahead(walk, character).is_some() {
        return WalkLook::Acts;
    }
    let goes = goes_on(seen, crowd, walk).then(|| move_of(seen, id, walk, character)).flatten();
    match goes {
        Some(made) => {
            *step = made;
            WalkLook::Goes
        }
        // What was left of its way in the last step is to be forgotten.
        None if walk.left_m.is_some() => WalkLook::Acts,
        None => WalkLook::Stands,
    }
}

/// Has those walks act that do, in order of creation, and works out their strides.
fn act(parts: &mut FollowParts<'_>) {
    let acts = |at: &usize| parts.step.looks[*at] == WalkLook::Acts;
    let acting: Vec<usize> = (0..parts.step.looks.len()).filter(acts).collect();
    for at in by_creation(&acting, |&at| parts.walks.serial(Some(parts.step.walks[at]))) {
        parts.step.looks[at] = WalkLook::Stands;
        if let Some(made) = go_on(parts, parts.step.walks[at]) {
            let FollowParts { clock, map, characters, walks, step, .. } = &mut *parts;
            let seen = FollowInputs { clock, map, characters, walks };
            (step.moves[at], step.looks[at]) = (made, WalkLook::Goes);
            stride(&seen, &mut GroundQueries::new(map), &mut step.moves[at]);
        }
    }
}

/// Whether a walk has a way to go on. A walker that stands at its goal from the start takes no step:
/// `alreadyThere`.
#[inline]
fn goes_on(seen: &FollowInputs<'_>, crowd: &CrowdSettings, walk: &Walk) -> bool {
    if matches!(walk.phase, Phase::Turning(_) | Phase::Settled(_)) || walk.following.is_none() {
        return false;
    }
    let has_yet_to_move = walk.travelled_m == 0.0 && walk_modes::is_plain(walk);
    !has_yet_to_move || !walk_modes::is_within_radius(seen.characters, crowd, walk)
}

/// The move of a walk that goes on, whatever doors are before it; none where it may not go any further.
#[inline]
fn move_of(seen: &FollowInputs<'_>, id: WalkId, walk: &Walk, character: &Character) -> Option<Move> {
    let speed_mps = walk.speed_mps(character);
    let reach_m = walk_modes::reach_m(seen.characters, walk);
    if reach_m <= 0.0 {
        return None;
    }
    let links = walk.following.as_ref().is_some_and(|following| !following.path.layers.is_empty());
    // Nobody slows down before stairs.
    let brakes = !links && (walk_modes::is_plain(walk) || matches!(walk.mode, WalkMode::Follow(_)));
    // A walker that shuns areas keeps to its path exactly: a cut corner might lead through one.
    let is_exact =
        character.held.is_some() || walk.options.accept == AcceptEnd::Exact || walk.options.areas.is_some();
    let gait = StepGait { speed_mps, reach_m, brakes, is_exact, ..gait_of(character, seen.clock.rate) };
    let is_ghost = avoid::is_ghost(Some(walk));
    let is_climb = walk.climb().is_some();
    Some(Move { walk: Some(id), is_ghost, is_climb, ..Move::of(walk.character, gait) })
}

/// What a walk makes of this step: a move, unless it stands.
fn go_on(parts: &mut FollowParts<'_>, id: WalkId) -> Option<Move> {
    let FollowParts { clock, crowd, map, characters, walks, events, .. } = parts;
    let landing = clock.landing();
    let Some(walk) = walks.get_mut(id) else {
        debug_assert!(false, "a walk in the order is there");
        return None;
    };
    walk.left_m = None;
    let who = walk.character;
    if !goes_on(&FollowInputs { clock, map, characters, walks }, crowd, walks.get(id)?) {
        return None;
    }
    if is_on_link(walks.get_mut(id)?, landing) {
        return None;
    }
    let Some(character) = characters.get(who) else {
        debug_assert!(false, "the character of an open walk is there");
        return None;
    };
    let mut made = move_of(&FollowInputs { clock, map, characters, walks }, id, walks.get(id)?, character)?;
    let walk = walks.get_mut(id)?;
    match map.stop_before_door(walk, character) {
        Some((door, left_m)) => {
            if left_m <= made.gait.speed_mps * clock.rate.step_seconds() {
                walk.stand_at(WaitCause::Door(door), character.body.position, clock);
                stand_before(map, events, walk, character, door);
            } else {
                walk_on(walk, landing);
            }
            made.gait.reach_m = made.gait.reach_m.min(left_m.max(0.0));
        }
        None => walk_on(walk, landing),
    }
    if made.gait.reach_m <= 0.0 {
        return None;
    }
    // A walker that goes on with its walk steps aside no more: one move for each body.
    if let Some(character) = characters.get_mut(who) {
        character.nudge = None;
    }
    Some(made)
}

/// Whether it takes a link and has yet to come to the far end. A link that is not the next on its way any
/// more is let go.
fn is_on_link(walk: &mut Walk, landing: TickNumber) -> bool {
    let Some(link) = walk.on_link else {
        return false;
    };
    let next = walk.following.as_ref().and_then(|following| following.path.layers.first());
    if !next.is_some_and(|next| next.layer == link.layer && next.to == link.to) {
        walk.on_link = None;
    }
    walk.on_link.is_some() && walk.clock(landing) < link.until
}

fn gait_of(character: &Character, rate: TickRate) -> StepGait {
    StepGait {
        speed_mps: 0.0,
        turn_radps: character.gait.turn_radps,
        step_s: rate.step_seconds(),
        reach_m: f32::INFINITY,
        brakes: true,
        is_exact: false,
        is_open: false,
    }
}

/// A character that was asked aside takes its small step.
fn step_aside(parts: &mut FollowParts<'_>) {
    let CrowdStep { moves, cast, .. } = &mut *parts.step;
    for id in parts.characters.stepping_aside() {
        let Some(character) = parts.characters.get(id) else {
            continue;
        };
        if cast.as_ref().is_none_or(|cast| cast.is_free(id)) {
            let speed_mps = character.gait.walk_mps;
            moves.push(Move::of(id, StepGait { speed_mps, ..gait_of(character, parts.clock.rate) }));
        }
    }
}

/// How far beside one another the lines are that a character looks along in a step, metres, beside its
/// length.
const SPARE_M: f32 = 0.05;

/// Nearer to walls than this a character goes in small steps everywhere, metres. 0.8: a walker looks half a
/// metre ahead.
const WALLS_M: f32 = 0.8;

/// A walker that has come less far than this, metres, sets out.
const SET_OUT_M: f32 = 0.3;

/// Works out where a character would come to if nobody were in the way.
fn stride<'a>(seen: &FollowInputs<'a>, grounds: &mut GroundQueries<'a>, step: &mut Move) {
    let Some(character) = seen.characters.get(step.character) else {
        return;
    };
    let kind = grounds.kind(character);
    let ground = grounds.query(kind);
    let place = character.body.position;
    let open = ground.open_around(place, place, WALLS_M);
    step.gait.is_open = open.holds(place, place);
    let mut lines = NearbyLines::within(open, ground, step.gait.speed_mps * step.gait.step_s + SPARE_M);
    let walk = step.walk.and_then(|walk| seen.walks.get(walk));
    let corners = walk.filter(|_| ground.may_trap()).map_or(&[][..], Walk::corners_ahead);
    // A hair beside the ground every line is clear: step 9 looks where it comes onto it.
    let mut clear = |from: Vec3, to: Vec3| {
        let is_clear = lines.clear(from, to) || from == place && !ground.is_walkable(place);
        is_clear && !ground.strays(from, to, corners)
    };
    let body = BodyPose { place, heading: steer::flat(trig::direction(character.facing_rad)) };
    // Told to step 9 from here, too.
    step.has_set_out = walk.is_some_and(|walk| walk.travelled_m > SET_OUT_M);
    step.is_moving = walk.is_some_and(|walk| matches!(walk.phase, Phase::Moving));
    if let Some(climb) = walk.filter(|_| step.is_climb).and_then(Walk::climb) {
        step.stride = climbing_stride(climb, body, &step.gait);
        return;
    }
    let aside;
    let leg;
    let way = match (walk, &character.nudge) {
        (Some(Walk { backing_out: Some(backing), .. }), _) => Some((&*backing.way.path, backing.way.cursor)),
        (Some(walk), _) => match &walk.following {
            Some(following) => {
                // Told to step 8 from here: there the path is out of the cache again.
                step.left_m = following.cursor.left_m(&following.path, place);
                step.held_ticks = walk.clock(seen.clock.landing()).since(walk.progress_tick);
                // Where the ground went away, or is not its own, the way out is straight, and is the first
                // leg of the path.
                let may_be_off = following.cursor.segment == 0 && !step.gait.is_open;
                let out = following.cursor.next(&following.path).filter(|_| may_be_off);
                if let Some(end) = out.filter(|_| !ground.is_walkable(place))
                    && let Some(leaving) = leaving_stride(end, body, &step.gait)
                {
                    step.stride = leaving;
                    return;
                }
                // Only up to the next link: beyond is another layer.
                leg = following.path.leg();
                Some((leg.as_ref(), following.cursor))
            }
            None => None,
        },
        (None, Some(nudge)) => {
            let via = nudge.via.filter(|_| !clear(place, nudge.to));
            let points: Vec<Vec3> = [Some(place), via, Some(nudge.to)].into_iter().flatten().collect();
            aside = Path::through(points);
            Some((&aside, Cursor::at_start(&aside)))
        }
        (None, None) => None,
    };
    if let Some((path, cursor)) = way {
        step.stride = follow::stride(path, cursor, body, &step.gait, clear);
        step.open = lines.open_around(place, step.stride.to);
    }
}

/// A step of a body that stands off the ground towards where its way out ends: straight, since what lies
/// beside it may be a wall. It turns there first. None at that end.
fn leaving_stride(end: Vec3, body: BodyPose, gait: &StepGait) -> Option<Stride> {
    /// The cosine of the angle within which it walks while it turns: 60 degrees.
    const ABOUT: f32 = 0.5;
    let ahead = steer::unit(steer::flat(end - body.place))?;
    let turning = Turning { rate_radps: gait.turn_radps, step_s: gait.step_s };
    let heading = steer::turn(body.heading, ahead, &turning);
    let length_m = (gait.speed_mps * gait.step_s).min(flat_distance(body.place, end));
    let step_m = if heading.dot(ahead) >= ABOUT { length_m } else { 0.0 };
    let to = body.place + Vec3::new(ahead.x, 0.0, ahead.y) * step_m;
    Some(Stride { to, heading, wanted: ahead * gait.speed_mps, ..Stride::NONE })
}

/// A step up or down what is climbed, as long on the climb as others are on the ground. The body turns to
/// where that leads, if it leads anywhere but straight up or down.
fn climbing_stride(climb: LayerChange, body: BodyPose, gait: &StepGait) -> Stride {
    let step_m = (gait.speed_mps * gait.step_s).min(gait.reach_m);
    let to = climb.climbed(body.place, step_m);
    let turning = Turning { rate_radps: gait.turn_radps, step_s: gait.step_s };
    let ahead = steer::unit(steer::flat(climb.to - climb.from));
    let heading = ahead.map_or(body.heading, |ahead| steer::turn(body.heading, ahead, &turning));
    Stride { to, heading, wanted: heading * gait.speed_mps, ..Stride::NONE }
}

/// It goes on its way, if it stood at a door.
pub(crate) fn walk_on(walk: &mut Walk, landing: TickNumber) {
    if matches!(walk.phase, Phase::AtDoor(_)) {
        walk.phase = Phase::Moving;
        walk.blocked_by = None;
        walk.restart_progress(None, landing);
    }
}

/// Stops before a door: asks it to open, or waits, or looks for another way when it cannot be opened.
fn stand_before(
    map: &mut LevelMap,
    events: &mut EventQueue,
    walk: &mut Walk,
    character: &Character,
    door: DoorId,
) {
    let Some(state) = map.doors.get(door.index()) else {
        debug_assert!(false, "the door of an area is there");
        return;
    };
    let policy = walk.options.doors.unwrap_or(character.doors);
    let openable = state.opens_for(&walk.options.keys) || state.is_opening_or_open();
    let key = walk.options.keys.iter().find(|&key| state.key.as_ref() == Some(key)).cloned();
    let asks = policy == DoorPolicy::Open && !state.is_opening_or_open();
    if asks && openable {
        let order = DoorOrder { by: Some(walk.character), key, ..DoorOrder::default() };
        let serial = doors::ask_open(map, events, door, &order);
        doors::ask_for(map, door, serial, walk.owner);
    }
    let waits = policy == DoorPolicy::Wait || openable;
    walk.blocked_by = Some(Blocker::Door(door));
    walk.phase = Phase::AtDoor(door);
    if !waits && walk.token.is_none() {
        walk.ask_for(Ask::Door);
    }
}
