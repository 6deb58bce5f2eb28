//! Verbs about walks: begin, stop, settle.
//!
//! Holds: `settle` is the only place where a walk ends, and it ends it once.

use glam::Vec3;

use crate::base::geom::{flat_distance, floor_distance};
use crate::base::ids::{AreaId, CharacterId, DoorId, PathToken, WalkId};
use crate::base::trig;
use crate::nav::{Backend, NavMap, Traversal};
use crate::world::World;
use crate::world::asker::{goal_layer, traversal_of};
use crate::world::bystanders::Bystanders;
use crate::world::character::{Character, Characters, standing_on};
use crate::world::clock::Clock;
use crate::world::event::{EventQueue, Fact};
use crate::world::goal::Goal;
use crate::world::map::LevelMap;
use crate::world::ops::{OpError, alive, blocks, checks, watches};
use crate::world::outcome::{Journey, Reason, Status, WalkResult};
use crate::world::owner::Owner;
use crate::world::paths::PathWork;
use crate::world::settings::Settings;
use crate::world::walk::{
    Ask, Crowd, Following, LinkTaking, LookTarget, Phase, Shortcuts, TRAVERSE_MAX_S, Walk, WalkOptions,
};
use crate::world::walk_mode::{Checkpoints, WalkMode};
use crate::world::walks::Walks;

/// A walk to be.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkOrder {
    /// The character that is to walk.
    pub character: CharacterId,
    /// Where to.
    pub goal: Goal,
    /// How.
    pub options: WalkOptions,
    /// On whose behalf.
    pub owner: Owner,
}

/// Starts a walk. The one under way settles as superseded; the new one is planned in step 6, moves
/// from step 7 on, and settles exactly once. To the same goal on the same map it takes over the path.
///
/// # Errors
/// When the walker, or the character or door it is to walk to, was removed; a place of which a number is
/// none; an option out of its range.
pub fn walk_to(world: &mut World, order: WalkOrder) -> Result<WalkId, OpError> {
    start(world, order, WalkMode::Once)
}

/// The same with a mode, which says what the walk does when it has come to its goal.
///
/// # Errors
/// As [`walk_to`].
pub fn start(world: &mut World, mut order: WalkOrder, mode: WalkMode) -> Result<WalkId, OpError> {
    let character = alive(&world.characters, order.character)?;
    checks::goal(world, order.goal)?;
    checks::options(world, &order.options)?;
    let under_way = character.walk.and_then(|walk| world.walks.get(walk));
    let before = under_way.filter(|walk| walk.goal == order.goal).and_then(|walk| walk.options.layer);
    let own_layer = before.unwrap_or(character.layer);
    match &mode {
        // Where it stands now, whatever an earlier flight was told.
        WalkMode::Flee(_) => keep_layer(&world.map, &mut order.options.layer, character.layer),
        WalkMode::Wander(wander) => {
            let layer = wander.area.map_or(own_layer, |area| layer_of_area(&world.map.nav, area, own_layer));
            keep_layer(&world.map, &mut order.options.layer, layer);
        }
        _ => note_layer(&world.map, &mut order.options.layer, order.goal, own_layer),
    }
    let held_by_other = character.held.as_ref().is_some_and(|hold| hold.owner != order.owner);
    let aim = aim_of(&world.map, &world.characters, order.character, order.goal)?;
    let old = world.characters.get(order.character).and_then(|character| character.walk);
    let over_limit = count_order(world, order.owner);
    if held_by_other || over_limit {
        let walk = insert(world, order, mode, aim);
        let reason = if held_by_other { Reason::Superseded } else { Reason::Limit };
        settle(world, walk, reason.usual_status(), reason);
        return Ok(walk);
    }
    // A walk that chooses where to go only once under way has no path to take over.
    let is_known = !matches!(mode, WalkMode::Flee(_) | WalkMode::Wander(_));
    let taken = old.filter(|_| is_known).and_then(|old| take_over(world, old, &order, aim));
    let is_once = mode == WalkMode::Once && taken.is_none();
    let searched = old.filter(|_| is_once).and_then(|old| take_search(world, old, &order, aim));
    let known = old.and_then(|old| world.walks.get(old));
    let (planned_around, looked_at) =
        known.map(|old| (old.planned_around.clone(), old.looked_at)).unwrap_or_default();
    let carried = known.and_then(|old| old.following.clone());
    let goal_slot = known.and_then(|old| old.goal_slot);
    let (planned_aim, shortcuts) = known.map(|old| (old.planned_aim, old.shortcuts)).unwrap_or_default();
    if let Some(old) = old {
        let was_moving = world.characters.get(order.character).is_some_and(|character| character.is_moving);
        settle(world, old, Status::Cancelled, Reason::Superseded);
        if let Some(character) = world.characters.get_mut(order.character) {
            character.is_moving = was_moving;
        }
    }
    let id = insert(world, order, mode, aim);
    if let Some(walk) = world.walks.get_mut(id) {
        match taken {
            Some(following) => {
                walk.following = Some(following);
                walk.goal_slot = goal_slot;
                walk.phase = Phase::Moving;
                walk.ask = None;
                // A goal that creeps is measured from where it was when its path was searched.
                (walk.planned_aim, walk.shortcuts) = (planned_aim, shortcuts);
            }
            None => walk.following = carried,
        }
        (walk.planned_around, walk.looked_at) = (planned_around, looked_at);
        let character = walk.character;
        if let Some(character) = world.characters.get_mut(character) {
            character.walk = Some(id);
            character.nudge = None;
        }
    }
    if let Some(search) = searched {
        hand_on(world, id, search);
    }
    Ok(id)
}

/// Has a walk to a place keep the layer on which it sets out, however many it crosses, unless one was asked
/// for.
pub(crate) fn note_layer(map: &LevelMap, asked: &mut Option<u8>, goal: Goal, own: u8) {
    if !matches!(goal, Goal::Character(_)) {
        keep_layer(map, asked, own);
    }
}

/// Has a walk keep a layer, unless one was asked for.
fn keep_layer(map: &LevelMap, asked: &mut Option<u8>, layer: u8) {
    if map.nav.layer_count() > 1 {
        asked.get_or_insert(layer);
    }
}

/// The layer on which an area lies: one's own, if it does, else the first.
fn layer_of_area(nav: &NavMap, area: AreaId, own: u8) -> u8 {
    let lies_on = |layer: &u8| nav.layer(*layer).is_some_and(|map| map.area_cells(area) > 0);
    let others = (0..nav.layer_count() as u8).filter(|&layer| layer != own);
    std::iter::once(own).chain(others).find(lies_on).unwrap_or(own)
}

fn hand_on(world: &mut World, id: WalkId, search: Searched) {
    world.paths.askers.insert(search.token, id);
    if let Some(walk) = world.walks.get_mut(id) {
        walk.token = Some((search.token, Ask::First));
        walk.asked_around = search.asked_around;
        walk.planned_aim = search.planned_aim;
        walk.ask = None;
    }
}

/// A search under way, for the walk that comes after the one that asked for it.
#[derive(Clone, Debug)]
struct Searched {
    token: PathToken,
    asked_around: Option<Bystanders>,
    planned_aim: Vec3,
}

/// Takes the search of `old` from it when the new order is the same walk again, so that a walk given again
/// every tick gets its path however long the search takes, also when its goal creeps on meanwhile. A search
/// under way follows the map by itself.
fn take_search(world: &mut World, old: WalkId, order: &WalkOrder, aim: Vec3) -> Option<Searched> {
    /// A goal that creeps has moved by no more than this part of the way there: the path that is searched
    /// leads as good as there.
    const CREPT: f32 = 0.25;
    let threshold_m = world.settings.crowd.target_replan_threshold_m;
    let place = world.characters.get(order.character)?.body.position;
    let near_m = threshold_m.max(CREPT * flat_distance(place, aim));
    let old = world.walks.get_mut(old)?;
    let planned_aim = old.planned_aim;
    let same = is_same_way(old, order) && floor_distance(planned_aim, aim) <= near_m;
    let asks_the_same = old.mode == WalkMode::Once && old.options.accept == order.options.accept;
    if !same || !asks_the_same || old.ask.is_some() || old.goal_slot.is_some() {
        return None;
    }
    let (token, _) = old.token.take()?;
    Some(Searched { token, asked_around: old.asked_around.take(), planned_aim })
}

/// Whether a walk and an order ask the map the same: no checkpoints, the same doors, keys, areas and layer.
fn is_same_way(old: &Walk, order: &WalkOrder) -> bool {
    old.via.is_none()
        && order.options.via.is_empty()
        && old.options.doors == order.options.doors
        && old.options.keys == order.options.keys
        && (old.options.crowd == Crowd::Ghost) == (order.options.crowd == Crowd::Ghost)
        && old.options.areas == order.options.areas
        && old.options.layer == order.options.layer
}

/// Counts an order of `owner` in this tick; true when it is one too many.
fn count_order(world: &mut World, owner: Owner) -> bool {
    let count = world.walks.asked_in_tick.entry(owner).or_default();
    *count += 1;
    *count > world.settings.limits.walks_per_owner_per_tick
}

fn insert(world: &mut World, order: WalkOrder, mode: WalkMode, aim: Vec3) -> WalkId {
    let via = checkpoints(&order.options.via, aim);
    let aim = via.as_ref().and_then(|via| via.left.last().copied()).unwrap_or(aim);
    let tick = world.clock.tick;
    let id = world.walks.insert(|serial| Walk {
        serial,
        character: order.character,
        goal: order.goal,
        aim,
        options: order.options,
        mode,
        owner: order.owner,
        phase: Phase::Planning,
        following: None,
        on_link: None,
        ask: Some(Ask::First),
        token: None,
        asked_around: None,
        planned_around: None,
        goal_occupant: None,
        goal_slot: None,
        backing_out: None,
        is_crowded: false,
        looked_at: 0,
        planned_aim: aim,
        issued: tick,
        travelled_m: 0.0,
        repaths: 0,
        missed_paths: 0,
        shortcuts: Shortcuts::default(),
        is_door_plan: false,
        progress_m: f32::MAX,
        nearest_m: f32::MAX,
        nearest_tick: tick,
        ahead: None,
        queue_tick: tick,
        progress_tick: tick,
        retargeted: tick,
        blocked_by: None,
        place_wait: None,
        via,
        is_paused: false,
        waypoints: 0,
        told_near: false,
        told_blocked: false,
        skipped_ticks: 0,
        left_m: None,
        is_delivered: false,
    });
    world.events.push(Fact::WalkStarted(id));
    id
}

fn checkpoints(via: &[Vec3], last: Vec3) -> Option<Checkpoints> {
    let left: Vec<Vec3> = via.iter().rev().copied().collect();
    (!left.is_empty()).then_some(Checkpoints { left, last })
}

/// The path of `old`, bent to end at the new aim, when the new order is the same walk again: the same
/// goal within the threshold, the same options, planned on the current map (seed:F10).
fn take_over(world: &World, old: WalkId, order: &WalkOrder, aim: Vec3) -> Option<Following> {
    let old = world.walks.get(old)?;
    let following = old.following.clone()?;
    let same = old.phase == Phase::Moving
        && is_same_way(old, order)
        && old.token.is_none()
        && old.ask.is_none()
        && following.path.whole
        && following.path.revision == world.map.nav.revision()
        && floor_distance(old.planned_aim, aim) <= world.settings.crowd.target_replan_threshold_m
        && world.map.edits.areas.is_empty();
    if !same {
        return None;
    }
    let leads_there = following.path.points.last().is_some_and(|&end| flat_distance(end, aim) == 0.0);
    if leads_there || old.planned_aim == aim && old.aim == aim {
        return Some(following);
    }
    let (by, place) = (
        traversal_of(&world.map, &world.characters, world.clock.rate, old),
        world.characters.get(old.character)?.body.position,
    );
    retarget_path(&world.map.nav, following, place, aim, &by)
}

/// The same path with another last point for a body that stands at `place`, beside the path perhaps; None
/// when the last leg would not be clear, or leads through a door, where along the path it is would be
/// another, or when it changes layers.
pub(crate) fn retarget_path(
    nav: &NavMap,
    mut following: Following,
    place: Vec3,
    aim: Vec3,
    by: &Traversal,
) -> Option<Following> {
    let Following { path, cursor, .. } = &mut following;
    let leg = path.points.len().checked_sub(2)?;
    if !path.layers.is_empty() {
        return None;
    }
    let (from, last) = (path.points[leg], path.points[leg + 1]);
    cursor.next(path)?;
    let is_last_leg = cursor.segment as usize == leg;
    let leg_start_m = if is_last_leg { cursor.along_m } else { path.length_m - flat_distance(from, last) };
    let has_doors = path.crossings.iter().any(|crossing| crossing.leave_m >= leg_start_m);
    if has_doors || !nav.is_walkable(aim, by) {
        return None;
    }
    // The leg under way is cut where the body stands, so that what lies ahead is straight.
    let leg_from = if is_last_leg { place } else { from };
    nav.straight(leg_from, aim, by)?;
    path.change(|path| {
        let before_m = path.length_m;
        path.length_m = leg_start_m + flat_distance(leg_from, aim);
        // As expensive by the metre as it was: the two ends are a step apart.
        path.cost_m *= if before_m > 0.0 { path.length_m / before_m } else { 1.0 };
        path.points[leg] = leg_from;
        path.points[leg + 1] = aim;
    });
    if is_last_leg {
        cursor.start_m = leg_start_m;
        *cursor = cursor.looked_up(path);
    }
    Some(following)
}

/// Where a goal is now, as a point.
pub(crate) fn aim_of(
    map: &LevelMap,
    characters: &Characters,
    walker: CharacterId,
    goal: Goal,
) -> Result<Vec3, OpError> {
    Ok(match goal {
        Goal::Point(point) => point,
        Goal::Character(target) => alive(characters, target)?.body.position,
        Goal::Door(door) => {
            let walker = alive(characters, walker)?;
            front_of(map, door, walker.body.position, walker.layer)
        }
    })
}

/// The point in front of a door on the side of `from`: its middle moved towards `from`, by half the
/// doorway's shorter side and a step, onto walkable ground of a layer.
pub(crate) fn front_of(map: &LevelMap, door: DoorId, from: Vec3, layer: u8) -> Vec3 {
    let Some(door) = map.doors.get(door.index()) else {
        return from;
    };
    let bounds = door.bounds;
    let (width_m, depth_m) = ((bounds.max[0] - bounds.min[0]) as f32, (bounds.max[1] - bounds.min[1]) as f32);
    // A doorway is passed along its shorter side.
    let along_x = width_m <= depth_m;
    let offset_m = width_m.min(depth_m) / 2.0 + WalkOptions::DOOR_RADIUS_M / 2.0;
    let side = if along_x { from.x - door.position.x } else { from.z - door.position.z };
    let signed_m = if side < 0.0 { -offset_m } else { offset_m };
    let front = door.position + if along_x { Vec3::X * signed_m } else { Vec3::Z * signed_m };
    let by = Traversal { layer, ..Traversal::default() };
    map.nav.nearest(front, Settings::SNAP_M, &by).map_or(front, |ground| ground.point)
}

/// Ends the walk of a character where it stands; false when there is none.
///
/// # Errors
/// When the character was removed.
pub fn stop_in_place(world: &mut World, id: CharacterId) -> Result<bool, OpError> {
    match alive(&world.characters, id)?.walk {
        Some(walk) => Ok(stop(world, walk)),
        None => Ok(false),
    }
}

/// Ends a walk where the character stands; false when it has settled.
pub fn stop(world: &mut World, walk: WalkId) -> bool {
    settle(world, walk, Reason::Stopped.usual_status(), Reason::Stopped)
}

/// Ends a walk for a reason that is not its own: a lost race, an ended owner. False when it has settled.
pub fn cancel(world: &mut World, walk: WalkId, reason: Reason) -> bool {
    settle(world, walk, Status::Cancelled, reason)
}

/// The same, with the cause that ended the owner of the walk, for its sentence.
pub fn cancel_because(world: &mut World, walk: WalkId, reason: Reason, because: &str) -> bool {
    let is_settled = cancel(world, walk, reason);
    if is_settled && let Some(Phase::Settled(result)) = world.walks.get_mut(walk).map(|walk| &mut walk.phase)
    {
        result.journey.because = Some(because.to_owned());
    }
    is_settled
}

/// Ends everything of an owner: its walks settle as ownerGone, its watches and blocks are removed.
pub fn end_owner(world: &mut World, owner: Owner) {
    for id in world.walks.open_ids() {
        if world.walks.get(id).is_some_and(|walk| walk.owner == owner) {
            settle(world, id, Status::Cancelled, Reason::OwnerGone);
        }
    }
    watches::end_owner(world, owner);
    blocks::end_owner(world, owner);
}

/// Settles every open walk with levelEnd.
pub fn end_level(world: &mut World) {
    for id in world.walks.open_ids() {
        settle(world, id, Status::Cancelled, Reason::LevelEnd);
    }
}

/// What the end of a walk reads and changes.
#[derive(Debug)]
pub(crate) struct WalkEnds<'a> {
    pub(crate) nav: &'a NavMap,
    pub(crate) walks: &'a mut Walks,
    pub(crate) characters: &'a mut Characters,
    pub(crate) paths: &'a mut PathWork,
    pub(crate) events: &'a mut EventQueue,
    pub(crate) clock: &'a Clock,
}

impl World {
    /// To end walks with.
    pub(crate) fn walk_ends(&mut self) -> WalkEnds<'_> {
        let Self { map, walks, characters, paths, events, clock, .. } = self;
        WalkEnds { nav: &map.nav, walks, characters, paths, events, clock }
    }
}

/// Ends a walk in the way the world decided; see [`WalkEnds::conclude`].
pub(crate) fn conclude(world: &mut World, id: WalkId, status: Status, reason: Reason) -> bool {
    world.walk_ends().conclude(id, status, reason)
}

/// Ends a walk, once; see [`WalkEnds::settle`].
pub(crate) fn settle(world: &mut World, id: WalkId, status: Status, reason: Reason) -> bool {
    world.walk_ends().settle(id, status, reason)
}

impl WalkEnds<'_> {
    /// Ends a walk in the way the world decided; with `ensure`, one that would be partial or blocked puts the
    /// character on the walkable point nearest to its aim, or beside the one that stands there, facing as it
    /// was to, and arrives as forced.
    pub(crate) fn conclude(&mut self, id: WalkId, status: Status, reason: Reason) -> bool {
        let Some(walk) = self.walks.open(id) else {
            return false;
        };
        let (character, aim, face) = (walk.character, walk.target(), walk.options.face);
        if !walk.options.ensure || matches!(status, Status::Arrived | Status::Cancelled) {
            return self.settle(id, status, reason);
        }
        let at_goal = match walk.goal {
            Goal::Character(target) => Some(target),
            _ => walk.goal_occupant,
        };
        let at_goal = at_goal.filter(|other| *other != character);
        let layer = goal_layer(self.characters, walk);
        let Some(who) = self.characters.get_mut(character) else {
            return self.settle(id, status, reason);
        };
        let by = Traversal { layer: layer.unwrap_or(who.layer), ..standing_on(who) };
        match self.nav.nearest(aim, Settings::SNAP_M, &by) {
            Some(ground) => {
                who.layer = by.layer;
                let both = self.characters.get(character).zip(at_goal.and_then(|id| self.characters.get(id)));
                let place =
                    both.map_or(ground.point, |(who, other)| beside(self.nav, &by, ground.point, who, other));
                self.characters.place(character, place);
                self.look_at_once(character, face);
                self.settle(id, Status::Arrived, Reason::Forced)
            }
            None => self.settle(id, status, reason),
        }
    }

    /// A character that was put somewhere faces what it was to look at: there is no time left to turn in.
    fn look_at_once(&mut self, id: CharacterId, look: Option<LookTarget>) {
        let facing_rad = look.map(|look| look.angle_from(self.characters, id));
        if let Some((character, facing_rad)) = self.characters.get_mut(id).zip(facing_rad) {
            character.facing_rad = facing_rad;
        }
    }

    /// Ends a walk, once: false when it has settled before. The character stands; the result is delivered in
    /// step 12.
    pub(crate) fn settle(&mut self, id: WalkId, status: Status, reason: Reason) -> bool {
        let is_skipped = self.clock.is_skipping && reason == Reason::Reached;
        let reason = if is_skipped { Reason::Skipped } else { reason };
        let Some(walk) = self.walks.get_mut(id).filter(|walk| walk.is_open()) else {
            return false;
        };
        let result = WalkResult::new(status, reason, journey(self.characters, self.clock, walk, status));
        let (who, goal) = (walk.character, walk.goal);
        if let Some((token, _)) = walk.token.take() {
            self.paths.drop_search(token);
        }
        walk.phase = Phase::Settled(Box::new(result));
        walk.ask = None;
        if let Some(character) = self.characters.get_mut(who)
            && character.walk == Some(id)
        {
            character.walk = None;
            character.is_moving = false;
            let ended = Some((goal, character.body.position));
            match (status, reason) {
                (Status::Arrived, _) => character.came_to = ended,
                (Status::Partial, Reason::Nearest) => character.short_of = ended,
                _ => {}
            }
        }
        self.characters.note_standing(who);
        self.walks.counts.add(status);
        self.events.push(Fact::WalkSettled(id));
        true
    }
}

/// Places looked at beside a character that stands at a goal.
const SPOKES: u16 = 16;

/// The ground for a body at a point, or beside the character that stands there, to which a straight line
/// leads from the point; the point itself where there is none. From the side on which the body is.
fn beside(nav: &NavMap, by: &Traversal, point: Vec3, who: &Character, other: &Character) -> Vec3 {
    let reach_m = who.body.radius_m + other.body.radius_m;
    if other.layer != by.layer || floor_distance(other.body.position, point) >= reach_m {
        return point;
    }
    let towards_rad = trig::facing(who.body.position - other.body.position);
    let places = (0..SPOKES).map(|spoke| {
        let angle_rad = towards_rad - trig::turn_to_spoke(spoke, SPOKES);
        other.body.position + trig::direction(angle_rad) * reach_m
    });
    let mut clear = places.filter_map(|place| {
        let (is_clear, end) = nav.sight(point, place, by);
        is_clear.then_some(end)
    });
    clear.next().unwrap_or(point)
}

fn journey(characters: &Characters, clock: &Clock, walk: &Walk, status: Status) -> Journey {
    let goal = walk.target();
    let position = characters.get(walk.character).map_or(goal, |character| character.body.position);
    let straight_m = flat_distance(position, goal);
    let is_whole = walk.via.is_none()
        && walk.goal_slot.is_none()
        && walk.following.as_ref().is_some_and(|following| following.path.whole);
    let remaining_m = match walk.remaining_m(position) {
        Some(remaining_m) if is_whole && status != Status::Arrived => remaining_m,
        _ => straight_m,
    };
    Journey {
        walk: walk.serial,
        character: walk.character,
        position: position.to_array(),
        goal: goal.to_array(),
        remaining_m,
        travelled_m: walk.travelled_m,
        ticks: walk.clock(clock.tick).since(walk.issued),
        repaths: walk.repaths,
        // Whatever was in its way has not cancelled it.
        by: walk.blocked_by.filter(|_| status != Status::Cancelled),
        because: None,
    }
}

/// A behaviour takes the link over that a walk has come to: the walk stands at its near end until the
/// behaviour is done with it, or its time is over. False when the walk takes none.
pub fn begin_traverse(world: &mut World, walk: WalkId) -> bool {
    let (landing, rate) = (world.clock.landing(), world.clock.rate);
    let Some(found) = world.walks.get_mut(walk).filter(|walk| walk.is_open()) else { return false };
    let until = found.clock(landing).after(rate.ticks(TRAVERSE_MAX_S));
    let Some(link) = found.on_link.as_mut().filter(|link| link.by == LinkTaking::Walked) else {
        return false;
    };
    (link.by, link.until) = (LinkTaking::Scripted, until);
    true
}

/// How a behaviour is done with a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraverseEnd {
    /// Its character stands at the far end.
    Over,
    /// It does not get over.
    Failed,
}

/// The behaviour is done with the link.
pub fn end_traverse(world: &mut World, walk: WalkId, end: TraverseEnd) {
    let landing = world.clock.landing();
    let Some(found) = world.walks.get_mut(walk).filter(|walk| walk.is_open()) else { return };
    let now = found.clock(landing);
    if let Some(link) = found.on_link.as_mut().filter(|link| link.by == LinkTaking::Scripted) {
        let by = match end {
            TraverseEnd::Over => LinkTaking::Walked,
            TraverseEnd::Failed => LinkTaking::Failed(Reason::Stuck),
        };
        (link.by, link.until) = (by, now);
    }
}
