//! Step 9: moves bodies and pushes overlapping ones apart.
//!
//! In: the moves of step 7 with the velocities of step 8. Out: positions, velocities and facings as the
//! crowd's step ends, places on paths. Holds: the straight line of every move and of every push is tested
//! against the map, exactly, before it is taken, so that no body ever crosses a wall at any speed (inv:N2,
//! fault:G19; in the ticks of a step `interpolation` sees to it); a body on ground that went away may leave
//! it; one that stands and is pushed stays where it was pushed to (seed:C5).

use std::iter::{once, once_with};
use std::ops::{Deref, Range};

use glam::{Vec2, Vec3};

use crate::base::geom::{flat_distance, floor_distance};
use crate::base::ids::WalkId;
use crate::base::prefetch::AHEAD;
use crate::base::time::{TickNumber, TickRate};
use crate::base::trig;
use crate::crowd::follow::Cursor;
use crate::crowd::resolve::{self, Ground, PushSettings, Resolver};
use crate::crowd::steer::{flat, unit};
use crate::nav::{GroundQuery, LayerChange, NavMap, Traversal};
use crate::sim::ground_queries::GroundQueries;
use crate::sim::{repath, walk_progress};
use crate::world::character::{Character, Characters, standing_on};
use crate::world::clock::Clock;
use crate::world::crowd_columns::CrowdColumns;
use crate::world::crowd_step::{CrowdStep, Move};
use crate::world::event::{EventQueue, Fact};
use crate::world::interpolation::Interpolation;
use crate::world::map::LevelMap;
use crate::world::ops::characters::{ActEnd, end_turn};
use crate::world::outcome::Reason;
use crate::world::settings::CrowdSettings;
use crate::world::walk::{Ask, BackingOut, Following, LinkTaking, OnLink, Walk};
use crate::world::walks::{Walks, by_creation};

/// What step 9 reads and writes as a step of the crowd begins.
#[derive(Debug)]
pub(crate) struct IntegrateParts<'a> {
    pub(crate) clock: &'a Clock,
    pub(crate) crowd: &'a CrowdSettings,
    pub(crate) map: &'a LevelMap,
    pub(crate) characters: &'a mut Characters,
    pub(crate) walks: &'a mut Walks,
    pub(crate) interpolations: &'a mut Vec<Interpolation>,
    pub(crate) events: &'a mut EventQueue,
    pub(crate) step: &'a mut CrowdStep,
}

/// Moves and parts every character.
pub(crate) fn run(parts: &mut IntegrateParts<'_>) {
    parts.interpolations.clear();
    match &parts.step.cast {
        // A moving body begins its step when it takes it.
        None => {
            let movers = &parts.step.bodies.movers;
            let standing = parts.step.threads.filter(parts.characters.ids(), |id| movers.get(id).is_none());
            standing.into_iter().for_each(|id| begin_step(parts.characters.get_mut(id)));
        }
        Some(cast) => cast.free().iter().for_each(|&id| {
            parts.characters.get_mut(id).into_iter().for_each(Character::begin_step);
        }),
    }
    step_on(parts);
    part(parts);
    for index in note_plain(parts) {
        note(parts, parts.step.moves[index]);
    }
}

/// A character stands until it moves.
fn begin_step(character: Option<&mut Character>) {
    if let Some(character) = character.filter(|character| character.is_alive()) {
        character.begin_step();
    }
}

/// Whether every character is to be shown on its way, tick by tick: where a step takes several.
fn is_shown(rate: TickRate) -> bool {
    rate.ticks_per_step() > 1
}

/// Every character takes the step that the velocity of step 8 gives it. Nobody's step looks at where another
/// has come to.
fn step_on(parts: &mut IntegrateParts<'_>) {
    let IntegrateParts { clock, map, characters, walks, interpolations, step, .. } = parts;
    let CrowdStep { moves, bodies, threads, cast, .. } = &mut **step;
    let have_begun = cast.is_some();
    interpolations.resize(moves.len(), Interpolation::default());
    let mut landed = vec![None; moves.len()];
    let mut people = characters.disjoint_mut(moves.iter().map(|step| step.character));
    let columns = &*bodies;
    let seconds = clock.rate.step_seconds();
    let taking = StepTaking { nav: &map.nav, walks, seconds };
    threads.share(
        ((&mut moves[..], &mut people[..]), (&mut interpolations[..], &mut landed[..])),
        || GroundQueries::again(map, &columns.known),
        |grounds, _, ((moves, people), (interpolations, landed))| {
            let rows = moves.iter_mut().zip(interpolations.iter_mut().zip(landed));
            for (at, (step, (interpolation, landed))) in rows.enumerate() {
                people.get(at + AHEAD).into_iter().for_each(|next| next.fetch(Character::MOVED_BYTES));
                let Some(character) = people[at].get() else {
                    continue;
                };
                *interpolation = Interpolation::of(step.character, character);
                debug_assert!(character.is_alive(), "a character that moves was not removed");
                if !have_begun {
                    character.begin_step();
                }
                let row = columns.rows.get(step.character).map(|row| row as usize);
                let kind = row.map_or_else(|| grounds.kind(character), |row| columns.kinds[row]);
                let from = character.body.position;
                let to =
                    row.map_or(step.stride.to, |row| stepped(from, step.stride.to, columns, row, seconds));
                let ground = grounds.query(kind);
                let reached = taking.take(step, character, ground, to);
                *landed = row.map(|row| (row, flat(reached)));
            }
        },
    );
    for (row, place) in landed.into_iter().flatten() {
        bodies.columns.places[row] = place;
    }
    if !is_shown(clock.rate) {
        interpolations.clear();
    }
}

/// What the steps of all characters are taken with: the map, their walks, and how long a step takes.
#[derive(Clone, Copy)]
struct StepTaking<'a> {
    nav: &'a NavMap,
    walks: &'a Walks,
    seconds: f32,
}

impl StepTaking<'_> {
    /// Takes a character towards where its step is to lead; where it comes to.
    fn take(&self, step: &mut Move, character: &mut Character, ground: &GroundQuery<'_>, to: Vec3) -> Vec3 {
        let from = character.body.position;
        let walk = step.walk.filter(|_| ground.may_trap()).and_then(|walk| self.walks.get(walk));
        let corners = walk.map_or(&[][..], Walk::corners_ahead);
        let ground = &StepGround { ground, corners };
        let is_free = step.is_climb || step.open.holds(from, to) || ground.clear(from, to);
        // A body that stands off the ground goes the way it was told and no other: sideways it might come out
        // beyond a wall.
        let to = if is_free || ground.is_walkable(from) { to } else { step.stride.to };
        let passed = if is_free || to != step.stride.to { None } else { past_corner(ground, from, to) };
        let to = passed.unwrap_or(to);
        let reached = if is_free || passed.is_some() { to } else { reach(self.nav, ground, from, to) };
        step.is_clipped = reached != to && to == step.stride.to;
        let reached = if step.is_climb { reached } else { ground.grounded(reached) };
        character.body.position = reached;
        character.body.velocity = (reached - from) / self.seconds;
        character.desired = Vec3::new(step.stride.wanted.x, 0.0, step.stride.wanted.y);
        character.is_moving = true;
        step.was_turning = character.turn.is_some();
        let is_kept = flat_distance(from, reached) < KEPT * flat_distance(from, step.stride.to);
        if step.stride.heading != Vec2::ZERO && !(is_kept && step.has_set_out && keeps_still(character)) {
            let heading = Vec3::new(step.stride.heading.x, 0.0, step.stride.heading.y);
            character.facing_rad = trig::facing(heading);
        }
        // Up and down with the ground, as the length of a path counts it.
        let (flat_m, rise_m) = (flat_distance(from, reached), reached.y - from.y);
        step.stepped_m = if rise_m == 0.0 { flat_m } else { libm::hypotf(flat_m, rise_m) };
        reached
    }
}

/// The ground of a step, and the corners of the way that it belongs to.
struct StepGround<'a> {
    ground: &'a GroundQuery<'a>,
    corners: &'a [Vec3],
}

impl<'a> Deref for StepGround<'a> {
    type Target = GroundQuery<'a>;

    fn deref(&self) -> &GroundQuery<'a> {
        self.ground
    }
}

impl StepGround<'_> {
    /// Whether a body may move in a straight line, and stays on its way or where it can come back from.
    #[inline]
    fn clear(&self, from: Vec3, to: Vec3) -> bool {
        self.ground.clear(from, to) && !self.ground.strays(from, to, self.corners)
    }

    /// The last point of a line up to which that is so, or where it begins.
    fn last_clear(&self, from: Vec3, to: Vec3) -> Vec3 {
        let last = self.ground.last_clear(from, to);
        if self.ground.strays(from, last, self.corners) { from } else { last }
    }
}

/// A walker that makes less than this part of its stride is held up.
const KEPT: f32 = 0.5;

/// Whether a character that is held up on its way looks about where it wants to go, so that it need not turn
/// its head at every step.
fn keeps_still(character: &Character) -> bool {
    /// The cosine of the angle within which that is so: 80 degrees.
    const ABOUT: f32 = 0.17;
    let (looks, wants) = (flat(trig::direction(character.facing_rad)), unit(flat(character.desired)));
    character.is_still && wants.is_some_and(|wants| looks.dot(wants) > ABOUT)
}

/// Where a body comes to: its stride, unless others made it choose another velocity.
fn stepped(from: Vec3, wanted: Vec3, bodies: &CrowdColumns, row: usize, seconds: f32) -> Vec3 {
    let velocity = bodies.velocities[row];
    if velocity == bodies.walkers[row].desired {
        return wanted;
    }
    Vec3::new(from.x + velocity.x * seconds, wanted.y, from.z + velocity.y * seconds)
}

/// Where a step comes to that leads past the corner of a wall: a path may touch one, and single precision
/// puts a body that walks along it a hair to the wrong side. As long as it was and a little turned; None
/// where that leads into a wall, too.
fn past_corner(ground: &StepGround<'_>, from: Vec3, to: Vec3) -> Option<Vec3> {
    /// How far it may turn, radians: up to 5 degrees.
    const TURNS: [f32; 6] = [0.01, -0.01, 0.03, -0.03, 0.09, -0.09];
    if !ground.is_walkable(from) {
        return None;
    }
    let along = to - from;
    let mut turned = TURNS.into_iter().map(|turn| {
        let (sin, cos) = (trig::sin(turn), trig::cos(turn));
        from + Vec3::new(along.x * cos - along.z * sin, along.y, along.x * sin + along.z * cos)
    });
    turned.find(|&to| ground.clear(from, to))
}

/// As far as a body gets whose line is not clear: along the wall, or up to it.
fn reach(nav: &NavMap, ground: &StepGround<'_>, from: Vec3, to: Vec3) -> Vec3 {
    if !ground.is_walkable(from) {
        return first_ground(ground, from, to).map_or(to, |edge| ground.last_clear(edge, to));
    }
    let at_wall = ground.last_clear(from, to);
    let aside = [Vec3::new(to.x, to.y, at_wall.z), Vec3::new(at_wall.x, to.y, to.z)];
    // The longer of the two first: the way along the wall.
    let [first, second] = match flat_distance(aside[0], at_wall) >= flat_distance(aside[1], at_wall) {
        true => aside,
        false => [aside[1], aside[0]],
    };
    // A body on the very edge of the ground cannot go along it: a line there touches what lies beyond.
    [first, second]
        .into_iter()
        .flat_map(|place| once(place).chain(once_with(move || off_the_wall(nav, place))))
        .find(|&place| ground.clear(from, place))
        .unwrap_or(at_wall)
}

/// A finger's breadth, metres: nearer to a wall than that, lines may touch it.
pub(crate) const FINGER_M: f32 = 0.01;

/// A finger's breadth nearer to the middle of its node.
fn off_the_wall(nav: &NavMap, place: Vec3) -> Vec3 {
    let middle = nav.node_centre(place).unwrap_or(place);
    let inwards = Vec3::new(middle.x - place.x, 0.0, middle.z - place.z);
    place + inwards.clamp_length_max(FINGER_M)
}

/// Where a body that stands off the ground comes onto it: from there on walls count again.
fn first_ground(ground: &StepGround<'_>, from: Vec3, to: Vec3) -> Option<Vec3> {
    /// Metres between places looked at: no ground to stand on is as narrow.
    const APART_M: f32 = 0.02;
    let count = (flat_distance(from, to) / APART_M).ceil().clamp(1.0, 1024.0);
    (1..=count as u32).map(|at| from.lerp(to, at as f32 / count)).find(|&place| ground.is_walkable(place))
}

/// What pushing asks about the ground.
struct Floor<'a> {
    grounds: &'a GroundQueries<'a>,
    kinds: &'a [u32],
    /// Where each body began the step: what is walked and what is pushed must be clear together.
    began: &'a [Vec2],
}

impl Ground for Floor<'_> {
    fn clear(&self, from: Vec3, to: Vec3, body: usize) -> bool {
        let ground = self.grounds.query(self.kinds[body]);
        let began = Vec3::new(self.began[body].x, from.y, self.began[body].y);
        ground.clear(from, to) && (began == from || ground.clear(began, to) || !ground.is_walkable(began))
    }

    fn is_open(&self, place: Vec3, reach_m: f32, body: usize) -> bool {
        let walked_m = (flat(place) - self.began[body]).length();
        self.grounds.query(self.kinds[body]).is_open(place, reach_m.max(walked_m))
    }

    fn price(&self, place: Vec3, body: usize) -> u32 {
        let walked_m = (flat(place) - self.began[body]).length();
        let price = self.grounds.query(self.kinds[body]).price(place);
        // A walking body asks about two lines, one as long as its step. The cast saturates.
        if walked_m == 0.0 { price } else { price.saturating_mul((walked_m as u32).saturating_add(2)) }
    }
}

/// Ticks of the seed, sixty a second, that a step of the crowd is as long as: so many times its rounds push
/// (seed:C1).
const TICKS_OF_SEED: u32 = 2;

/// Where a character is left deeper in another than this, metres, there is a heap, and one push for each does
/// not go far.
const HEAP_M: f32 = 0.1;
/// How often every character is pushed, at most, where there is a heap.
const HEAP_ROUNDS: u32 = 2;

/// Those that have been pushed, sorted.
fn push_apart(
    columns: &mut resolve::Bodies,
    resolver: &mut Resolver,
    floor: &Floor<'_>,
    constants: &PushSettings,
) -> Vec<u32> {
    let mut pushed = Vec::new();
    for _ in 0..HEAP_ROUNDS {
        let report = resolver.resolve(columns, floor, constants);
        pushed.extend_from_slice(&report.pushed);
        if report.deepest_m <= HEAP_M || report.is_short {
            break;
        }
    }
    pushed.sort_unstable();
    pushed.dedup();
    pushed
}

/// Pushes apart bodies that overlap.
fn part(parts: &mut IntegrateParts<'_>) {
    let IntegrateParts { clock, crowd, map, characters, walks, interpolations, step, .. } = parts;
    let Clock { tick, rate, .. } = **clock;
    let is_shown = is_shown(rate);
    let bodies = &mut step.bodies;
    let seconds = rate.step_seconds();
    // The number of the step: the cast takes its last digits.
    let turn = (tick.0 / rate.ticks_per_step()) as u32;
    let grounds = GroundQueries::again(map, &bodies.known);
    bodies.began.clear();
    bodies.began.extend(bodies.walkers.iter().map(|walker| walker.place));
    let floor = Floor { grounds: &grounds, kinds: &bodies.kinds, began: &bodies.began };
    let passes = TICKS_OF_SEED * crowd.iterations;
    let constants = PushSettings { passes, turn, threads: step.threads, ..PushSettings::default() };
    let mut moved = push_apart(&mut bodies.columns, &mut bodies.resolver, &floor, &constants);
    bodies.resolver.hold_back(&mut bodies.columns, &bodies.began, &mut moved);
    let seen = Pushing { bodies, grounds: &grounds, characters, walks };
    let mut pushed = vec![Pushed::default(); moved.len()];
    step.threads.share(
        &mut pushed[..],
        || (),
        |(), first, pushed| {
            for (&row, pushed) in moved[first..].iter().zip(pushed) {
                *pushed = seen.pushed(row as usize);
            }
        },
    );
    for (row, Pushed { place, cursor }) in moved.into_iter().zip(pushed) {
        let id = bodies.ids[row as usize];
        let Some(character) = characters.get_mut(id) else {
            continue;
        };
        let stands = !bodies.columns.stances[row as usize].moving;
        interpolations.extend((is_shown && stands).then(|| Interpolation::of(id, character)));
        character.body.position = place;
        if !stands {
            // Others avoid it by where it gets, not by where it wanted to.
            let moved = bodies.columns.places[row as usize] - bodies.began[row as usize];
            character.body.velocity =
                Vec3::new(moved.x, character.body.velocity.y * seconds, moved.y) / seconds;
            // How far it is along its path is noted with its move.
            continue;
        }
        let following =
            character.walk.and_then(|walk| walks.get_mut(walk)).and_then(|walk| walk.following.as_mut());
        if let (Some(following), Some(cursor)) = (following, cursor) {
            following.cursor = cursor;
        }
    }
}

/// What is read of every character after the pushes.
struct Pushing<'a> {
    bodies: &'a CrowdColumns,
    grounds: &'a GroundQueries<'a>,
    characters: &'a Characters,
    walks: &'a Walks,
}

/// Where a character was pushed to.
#[derive(Clone, Copy, Default)]
struct Pushed {
    place: Vec3,
    /// How far along its path that is, for a standing body.
    cursor: Option<Cursor>,
}

impl Pushing<'_> {
    /// What came of the pushes of a row.
    fn pushed(&self, row: usize) -> Pushed {
        let bodies = self.bodies;
        let place = bodies.place_of(self.characters, row as u32);
        let Some(character) = self.characters.get(bodies.ids[row]) else {
            return Pushed::default();
        };
        let stands = !bodies.columns.stances[row].moving;
        let walk = character.walk.filter(|_| stands).and_then(|walk| self.walks.get(walk));
        let following = walk.and_then(|walk| walk.following.as_ref());
        Pushed {
            place: self.grounds.query(bodies.kinds[row]).grounded(place),
            cursor: following.map(|following| following.cursor.onward(&following.path.leg(), place)),
        }
    }
}

/// Notes what the moves made of those walks of which nothing is told and no link taken; the others, by their
/// place among the moves, in order of creation.
fn note_plain(parts: &mut IntegrateParts<'_>) -> Vec<usize> {
    let IntegrateParts { clock, crowd, characters, walks, step, .. } = parts;
    let CrowdStep { moves, threads, .. } = &mut **step;
    let mut people = characters.disjoint_mut(moves.iter().map(|step| step.character));
    let mut ways = walks.disjoint_mut(moves.iter().map(|step| step.walk.unwrap_or_default()));
    let mut is_noted = vec![false; moves.len()];
    let moves = &moves[..];
    threads.share(
        ((&mut people[..], &mut ways[..]), &mut is_noted[..]),
        || (),
        |(), first, ((people, walks), is_noted)| {
            for (at, (is_noted, step)) in is_noted.iter_mut().zip(&moves[first..]).enumerate() {
                people.get(at + AHEAD).into_iter().for_each(|next| next.fetch(Character::MOVED_BYTES));
                walks.get(at + AHEAD).into_iter().for_each(|next| next.fetch(Walk::WAY_BYTES));
                let (Some(character), Some(walk)) = (people[at].get(), walks[at].get()) else {
                    continue;
                };
                if !step.was_turning && is_plain(walk) {
                    note_walk(clock, crowd, step, walk, character);
                    *is_noted = true;
                }
            }
        },
    );
    let left = (0..).zip(is_noted).filter_map(|(index, is_noted)| (!is_noted).then_some(index));
    let left: Vec<usize> = left.collect();
    by_creation(&left, |&index| walks.serial(moves[index].walk))
}

/// Whether a move concerns only the walk and its character.
fn is_plain(walk: &Walk) -> bool {
    let has_link = |following: &Following| !following.path.layers.is_empty();
    !walk.options.tells.waypoint && walk.following.as_ref().is_some_and(|following| !has_link(following))
}

/// What a move made of the walk it belongs to: how far along its path it is, whether it has to ask again. The
/// corners that were passed.
fn note_walk(
    clock: &Clock,
    crowd: &CrowdSettings,
    step: &Move,
    walk: &mut Walk,
    character: &mut Character,
) -> Range<u32> {
    character.notice_motion(step.stride.wanted.length());
    let place = character.body.position;
    walk.travelled_m += step.stepped_m;
    if let Some(BackingOut { way, .. }) = walk.backing_out.as_deref_mut() {
        way.cursor = way.cursor.onward(&way.path, place);
        walk.left_m = None;
        return 0..0;
    }
    let is_idle = walk.token.is_none();
    // A door may have closed on a way that was planned through it while it stood open.
    let is_shut_out = step.stride.is_at_wall && walk_progress::is_held_up(walk, character, clock);
    let is_lost = (step.stride.is_lost || is_shut_out) && is_idle && walk.ask.is_none();
    let Some(following) = &mut walk.following else {
        debug_assert!(false, "a walk with a move follows a path");
        return 0..0;
    };
    let before = following.cursor.segment;
    following.cursor = following.cursor.onward(&following.path.leg(), place);
    let after = following.cursor.segment;
    // Told to step 10 from here: there the path is out of the cache again.
    walk.left_m = Some(following.cursor.left_m(&following.path, place));
    if step.is_clipped && is_idle {
        walk.ask_for(Ask::Map);
    } else if is_lost {
        repath::ask_when_lost(clock, crowd, walk, character);
    }
    before..after
}

/// What a move made of its walk, or its step aside, and those that are told of it.
fn note(parts: &mut IntegrateParts<'_>, step: Move) {
    let IntegrateParts { clock, crowd, map, characters, walks, interpolations, events, .. } = parts;
    // A character that was asked aside turns on afterwards.
    if step.was_turning && step.walk.is_some() {
        end_turn(characters, events, step.character, ActEnd::CutShort);
    }
    let Some(character) = characters.get_mut(step.character) else {
        debug_assert!(false, "nobody goes away between steps 7 and 9");
        return;
    };
    let Some(id) = step.walk else {
        character.notice_motion(step.stride.wanted.length());
        end_nudge(character, clock.landing(), crowd.walk_threshold_m);
        return;
    };
    let Some(walk) = walks.get_mut(id) else {
        debug_assert!(false, "no walk goes away between steps 7 and 9");
        return;
    };
    let passed = note_walk(clock, crowd, &step, walk, character);
    walk_progress::corners(events, id, walk, passed);
    let parts = LinkParts { clock, crowd, map, events };
    if take_link(parts, id, walk, character) {
        // Nobody is seen between the ends.
        interpolations.retain(|interpolation| interpolation.who != step.character);
    }
}

/// What it takes to bring a walker over a link.
struct LinkParts<'a> {
    clock: &'a Clock,
    crowd: &'a CrowdSettings,
    map: &'a LevelMap,
    events: &'a mut EventQueue,
}

/// Brings a walker that has come to a link of its path to the far end, on the layer there, once it has stood
/// at the near end for as long as the link takes at its speed: between them there is no ground of either
/// layer. Whether it is there.
fn take_link(parts: LinkParts<'_>, id: WalkId, walk: &mut Walk, character: &mut Character) -> bool {
    let LinkParts { clock, crowd, map, events } = parts;
    let following = walk.following.as_ref().filter(|_| walk.backing_out.is_none());
    let next = following.and_then(|following| following.path.layers.first());
    let Some(link) = next.copied() else {
        return false;
    };
    if link.is_climb() {
        if climb(walk, link, character.body.position, crowd.walk_threshold_m)
            && go_beyond(map, link, walk, character)
        {
            walk.come_over_link(walk.clock(clock.landing()));
        }
        return false;
    }
    // A way may lead past it on another floor first.
    if floor_distance(character.body.position, link.from) > crowd.walk_threshold_m {
        walk.on_link = None;
        return false;
    }
    let now = walk.clock(clock.landing());
    let seconds = f64::from(link.length_m) / f64::from(walk.speed_mps(character));
    let has_begun = walk.on_link.is_some();
    let by = Traversal { layer: link.layer, ..standing_on(character) };
    if !has_begun && !map.nav.is_walkable(link.to, &by) {
        // A door there is opened from here, or waited for; whatever else it is, there may be another way.
        if map.closed_door_ahead(walk, character).is_none() {
            walk.ask_for(Ask::Map);
        }
        return false;
    }
    // Those that have to do something for it are told before it is done.
    let ticks = clock.rate.ticks(seconds).max(u64::from(link.action.is_some()));
    let (until, by) = (now.after(ticks), LinkTaking::Walked);
    let taken = *walk.on_link.get_or_insert(OnLink { layer: link.layer, to: link.to, until, by });
    let action = link.action.filter(|_| !has_begun);
    if let Some(action) = action.and_then(|action| map.link_actions.get(usize::from(action.0))) {
        let (action, ends) = (action.clone(), [link.from, link.to]);
        events.push(Fact::LinkBegun { walk: id, character: walk.character, action, ends, seconds });
    }
    if now < taken.until || matches!(taken.by, LinkTaking::Failed(_)) {
        return false;
    }
    if taken.by == LinkTaking::Scripted {
        walk.on_link = Some(OnLink { by: LinkTaking::Failed(Reason::Timeout), ..taken });
        return false;
    }
    let is_there = go_beyond(map, link, walk, character);
    if is_there {
        walk.come_over_link(now);
        walk.travelled_m += link.from.distance(link.to);
    } else {
        walk.turn_back_from_link(now, ticks);
    }
    is_there
}

/// Has a walker begin a climb, at its near end or between the ends. Whether it has come to the far end.
fn climb(walk: &mut Walk, link: LayerChange, place: Vec3, threshold_m: f32) -> bool {
    if walk.climb().is_none() {
        let begins = place.distance(link.nearest(place)) <= threshold_m;
        let begun =
            OnLink { layer: link.layer, to: link.to, until: TickNumber::default(), by: LinkTaking::Walked };
        walk.on_link = begins.then_some(begun);
        return false;
    }
    place == link.to
}

/// Puts a walker at the far end of the next link of its path, on the layer there. Whether it can be there.
fn go_beyond(map: &LevelMap, link: LayerChange, walk: &mut Walk, character: &mut Character) -> bool {
    let nav = &map.nav;
    walk.on_link = None;
    let Some(following) = &mut walk.following else {
        return false;
    };
    let by = Traversal { layer: link.layer, ..standing_on(character) };
    let (Some(rest), true) = (following.path.beyond_link(), nav.is_walkable(link.to, &by)) else {
        // The far end went away: there may be another way.
        walk.ask_for(Ask::Map);
        return false;
    };
    character.layer = link.layer;
    character.body.position = link.to;
    walk.left_m = None;
    *following = Following { cursor: Cursor::at_start(&rest), path: rest.into(), trouble: following.trouble };
    if walk.token.is_none() && following.path.revision != nav.revision() {
        walk.ask_for(Ask::Map);
    }
    true
}

/// Ends a step aside that has come to its end, or will not.
fn end_nudge(character: &mut Character, landing: TickNumber, threshold_m: f32) {
    let place = character.body.position;
    let is_over = character
        .nudge
        .is_some_and(|nudge| flat_distance(place, nudge.to) <= threshold_m || landing >= nudge.until);
    if is_over {
        character.nudge = None;
        character.is_moving = false;
        character.desired = Vec3::ZERO;
    }
}

#[cfg(test)]
mod tests;
