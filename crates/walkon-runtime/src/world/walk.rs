//! A walk: a goal, the options it was asked with, and how far it has come.
//!
//! Holds: a walk settles exactly once; until then its character knows it as the current one. It is
//! planned in step 6, moved in steps 7 to 9, settled in step 10 or by a verb, delivered in step 12.

use std::ops::RangeInclusive;
use std::sync::Arc;

use glam::Vec3;

use crate::base::geom::{flat_distance, floor_distance};
use crate::base::ids::{CharacterId, DoorId, PathToken};
use crate::base::prefetch;
use crate::base::time::{TickNumber, TickRate};
use crate::base::trig;
use crate::crowd::follow::Cursor;
use crate::nav::{LayerChange, OwnArea, PathFailure, Revision};
use crate::world::bystanders::Bystanders;
use crate::world::character::{Character, Characters};
use crate::world::clock::Clock;
use crate::world::door::DoorPolicy;
use crate::world::goal::Goal;
use crate::world::outcome::{Blocker, Reason, WalkResult};
use crate::world::owner::Owner;
use crate::world::settings::CrowdSettings;
use crate::world::walk_mode::{Checkpoints, WalkMode};
use crate::world::walk_path::WalkPath;

/// What counts as the end when the goal itself cannot be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AcceptEnd {
    /// The nearest reachable point, settled as partial.
    #[default]
    Partial,
    /// The same, and standing beside a character that holds the goal counts as arrived.
    Near,
    /// The nearest reachable point counts as arrived.
    Nearest,
    /// Only the goal.
    Exact,
}

impl AcceptEnd {
    /// Every choice, with the word scripts use.
    pub const NAMES: [(&str, Self); 4] = [
        ("partial", Self::Partial),
        ("near", Self::Near),
        ("nearest", Self::Nearest),
        ("exact", Self::Exact),
    ];
}

/// Manners towards others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crowd {
    /// Ask standing characters aside, never the player.
    #[default]
    Push,
    /// Wait for them.
    Yield,
    /// Pass through.
    Ghost,
}

impl Crowd {
    /// Every choice, with the word scripts use.
    pub const NAMES: [(&str, Self); 3] =
        [("push", Self::Push), ("yield", Self::Yield), ("ghost", Self::Ghost)];
}

/// How fast a walk goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum WalkPace {
    /// At the character's walking speed.
    #[default]
    Walk,
    /// At its running speed.
    Run,
    /// At this speed, metres a second, 0.01 to 50.
    Speed(f32),
}

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LookTarget {
    /// Radians about +y.
    Angle(f32),
    /// Towards a point.
    Point(Vec3),
    /// Towards a character, where it stands by then.
    Character(CharacterId),
}

impl LookTarget {
    /// Towards a place in metres, as [`Goal::point`](crate::world::goal::Goal::point) takes it.
    #[must_use]
    pub fn point(place: impl Into<Vec3>) -> Self {
        Self::Point(place.into())
    }

    /// The angle at which a character looks there from where it stands; its own facing when it stands there.
    #[must_use]
    pub fn angle_from(self, characters: &Characters, id: CharacterId) -> f32 {
        let Some(character) = characters.get(id) else {
            return 0.0;
        };
        let from = character.body.position;
        let target = match self {
            Self::Angle(angle) => return trig::wrap(angle),
            Self::Point(point) => point,
            Self::Character(other) => characters.get(other).map_or(from, |other| other.body.position),
        };
        if flat_distance(from, target) < 1e-4 { character.facing_rad } else { trig::facing(target - from) }
    }
}

/// The options of a walk. The verb that it is ordered by checks them; past that nobody checks again.
///
/// What every step of the crowd reads comes first, see [`Walk`].
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
pub struct WalkOptions {
    /// What counts as the end.
    pub accept: AcceptEnd,
    /// What to do about doors; the character's own policy when none is given.
    pub doors: Option<DoorPolicy>,
    /// Manners towards others.
    pub crowd: Crowd,
    /// What it reports on the way.
    pub tells: Tells,
    /// How fast.
    pub pace: WalkPace,
    /// Metres from the goal that count as reached, 0 to 1000; by the kind of goal when none is given.
    pub radius_m: Option<f32>,
    /// Areas that it treats in its own way, sorted by id, each once.
    pub areas: Option<Arc<[OwnArea]>>,
    /// The layer of the goal; of a character its own, else that of the walker.
    pub layer: Option<u8>,
    /// Ticks without progress before the walk is blocked, a day at most.
    pub patience_ticks: u64,
    /// Ticks for the whole walk, a day at most.
    pub timeout_ticks: Option<u64>,
    /// Instead of partial or blocked: put it on the goal, arrived/forced.
    pub ensure: bool,
    /// Turn there after arriving.
    pub face: Option<LookTarget>,
    /// Keys carried, at most 64.
    pub keys: Vec<String>,
    /// Places to pass on the way, in order, at most 1024.
    pub via: Vec<Vec3>,
}

/// The reports of a walk under way: events without a listener are not even noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tells {
    /// Corners of the way.
    pub waypoint: bool,
    /// That the end is near.
    pub near: bool,
    /// That something is in the way.
    pub blocked: bool,
}

impl WalkOptions {
    /// Seconds without progress before a walk is blocked, unless it says otherwise (seed:X5).
    pub const PATIENCE_S: f64 = 3.0;
    /// Longest patience and longest time for a walk, seconds: a day.
    pub const SECONDS_MAX: f64 = 86_400.0;
    /// Least and most metres from the goal that count as reached.
    pub const RADIUS_RANGE_M: RangeInclusive<f32> = 0.0..=1000.0;
    /// Metres from a door that count as reached.
    pub const DOOR_RADIUS_M: f32 = 0.6;
    /// Metres along the path that count as progress (seed:X5).
    pub const PROGRESS_M: f32 = 0.05;

    /// The options of a walk that says nothing, at a tick rate.
    #[must_use]
    pub fn at(rate: TickRate) -> Self {
        Self {
            pace: WalkPace::Walk,
            radius_m: None,
            accept: AcceptEnd::Partial,
            face: None,
            layer: None,
            doors: None,
            keys: Vec::new(),
            crowd: Crowd::Push,
            patience_ticks: rate.ticks(Self::PATIENCE_S),
            timeout_ticks: None,
            ensure: false,
            via: Vec::new(),
            areas: None,
            tells: Tells::default(),
        }
    }

    /// The same by way of some places, in order, metres.
    #[must_use]
    pub fn passing(self, places: impl IntoIterator<Item = impl Into<Vec3>>) -> Self {
        Self { via: places.into_iter().map(Into::into).collect(), ..self }
    }
}

/// A path being followed.
#[derive(Clone, Debug, PartialEq)]
pub struct Following {
    /// From where the walk was planned to its end.
    pub path: WalkPath,
    /// How far along it the character is.
    pub cursor: Cursor,
    /// Why the path ends short of the goal, if it does.
    pub trouble: Option<PathFailure>,
}

/// Where a walk is in its life.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// Its first path is being searched.
    Planning,
    /// It follows its path.
    Moving,
    /// It stands before a door that is not open.
    AtDoor(DoorId),
    /// It stands beside its goal, which a character holds.
    Beside(CharacterId),
    /// It stands because it is where it wants to be for now: near enough to the character that it follows.
    Content,
    /// It stands at a stop until then.
    Pausing {
        /// When it goes on.
        until: TickNumber,
    },
    /// It has arrived, as the reason says, and turns.
    Turning(Reason),
    /// It is over.
    Settled(Box<WalkResult>),
}

/// A link that a walker has come to. It stands at the near end for as long as the link takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnLink {
    /// The layer it leads to.
    pub layer: u8,
    /// Where it ends.
    pub to: Vec3,
    /// When the walker comes to the far end, by the clock of its walk; if a script takes it over, when the
    /// script must be done.
    pub until: TickNumber,
    /// How it is taken.
    pub by: LinkTaking,
}

/// How a link is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkTaking {
    /// In the time that it takes to walk.
    #[default]
    Walked,
    /// As long as `onTraverse` of the character's behaviour runs, which has a limit.
    Scripted,
    /// Not at all: the walk ends for this reason.
    Failed(Reason),
}

/// How long `onTraverse` may take, game seconds.
pub const TRAVERSE_MAX_S: f64 = 30.0;

/// Why a walk asks for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// For the first time.
    First,
    /// A door it waited for or counted on changed.
    Door,
    /// The map changed on its way, or a way may have opened.
    Map,
    /// Its target moved.
    Target,
    /// It was displaced, or others are in the way.
    Crowd,
    /// The map changed, so that another way may be better than the one in use, which is still clear.
    Better,
    /// It has come to a stop and goes on to the next.
    Leg,
}

impl Ask {
    /// Whether it is a look for a better way: its answer may be left unused, and it sets nobody in motion.
    #[must_use]
    pub fn is_look(self) -> bool {
        matches!(self, Self::Crowd | Self::Better)
    }

    /// The word traces use for a new plan.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Door => "door",
            Self::Map | Self::Better => "map",
            Self::Target => "target",
            Self::Crowd => "crowd",
            Self::Leg => "leg",
        }
    }
}

/// What a walk knows about ways that become better as the map changes, and close again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shortcuts {
    /// The map has changed so that another way may be better: from then on it looks for one, by the clock of
    /// the walk.
    pub due: Option<TickNumber>,
    /// Until then it does not look, by the clock of the walk.
    pub rests_until: TickNumber,
    /// Whether it took the way in use because it became better.
    pub is_on_one: bool,
    /// How often such a way was closed before it got through.
    pub turned_back: u32,
}

/// How a walker lets others pass where there is no room for both.
#[derive(Clone, Debug, PartialEq)]
pub struct BackingOut {
    /// The way to a place beside theirs.
    pub way: Following,
    /// Where it was met, metres.
    pub from: Vec3,
    /// Where its way leaves theirs, metres.
    pub junction: Vec3,
    /// The walkers that it lets pass.
    pub yields_to: Vec<CharacterId>,
    /// When it goes on in any case, by the clock of the walk.
    pub until: TickNumber,
}

/// What a walk stands before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCause {
    /// A door, which is closed again each time that it opens, if it is.
    Door(DoorId),
    /// Others, because of which it plans again and again.
    Others,
}

/// A stand at one place, where a walk gets on for a moment now and then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaceWait {
    /// Before what.
    pub cause: WaitCause,
    /// Where it first stood, metres.
    pub place: Vec3,
    /// When it came there, by the clock of the walk.
    pub since: TickNumber,
    /// When it last stood there, by the clock of the walk.
    pub seen: TickNumber,
}

impl PlaceWait {
    /// Metres from where it first stood within which it stands at the same place.
    const SAME_M: f32 = 0.5;
    /// Seconds after which it is another wait: it has been elsewhere.
    const GAP_S: f64 = 3.0;
}

/// A place beside a goal at which others stand, given to a walk until it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalSlot {
    /// Where to stand, metres.
    pub point: Vec3,
    /// The goal as it was then, metres.
    pub goal: Vec3,
    /// The character that stands at the goal.
    pub beside: CharacterId,
}

/// A character under way.
///
/// The fields stand in the order of use: what every step of the crowd reads of ten thousand walks lies side
/// by side at the beginning.
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
pub struct Walk {
    /// The walker.
    pub character: CharacterId,
    /// Where it is in its life.
    pub phase: Phase,
    /// Metres walked; a step of the crowd counts whole as it begins.
    pub travelled_m: f32,
    /// Metres of path left, from step 9 to step 10 of a tick: never part of the state.
    pub left_m: Option<f32>,
    /// Whether it stands because it was told to.
    pub is_paused: bool,
    /// Whether others may be in its way since it last looked; it looks once the cooldown is over.
    pub is_crowded: bool,
    /// A path to be asked for in step 6.
    pub ask: Option<Ask>,
    /// The request under way.
    pub token: Option<(PathToken, Ask)>,
    /// Whether the plan in use was made because a door changed; such a plan is left only for one at least a
    /// fifth cheaper.
    pub is_door_plan: bool,
    /// Whether it has reported that the end of this leg is near.
    pub told_near: bool,
    /// Whether it has reported its present obstruction.
    pub told_blocked: bool,
    /// Whether its result has been handed to scripts; step 13 frees it then.
    pub is_delivered: bool,
    /// The segment of its path at which it last looked for others.
    pub looked_at: u32,
    /// The path in use; kept until a new one is ready.
    pub following: Option<Following>,
    /// The least that was left of its way when it last made progress, metres.
    pub progress_m: f32,
    /// The least that was ever left of its way, metres.
    pub nearest_m: f32,
    /// When it last made progress.
    pub progress_tick: TickNumber,
    /// When `nearest_m` was last lowered; where that is long ago, when its queue last let a walker through.
    pub nearest_tick: TickNumber,
    /// Ticks that passed for it alone, in a scene that was skipped.
    pub skipped_ticks: u64,
    /// The link that it takes.
    pub on_link: Option<OnLink>,
    /// Where to, as a point: the last place the goal was seen at.
    pub aim: Vec3,
    /// Where to, as asked.
    pub goal: Goal,
    /// The character in front of it, while it does not get on.
    pub ahead: Option<CharacterId>,
    /// The character that stands on its goal: the path in use ends beside it.
    pub goal_occupant: Option<CharacterId>,
    /// Where it is to stand, because others stand at its goal.
    pub goal_slot: Option<GoalSlot>,
    /// Where it lets others pass, before it goes on.
    pub backing_out: Option<Box<BackingOut>>,
    /// What it does when it has come to where it aims.
    pub mode: WalkMode,
    /// How.
    pub options: WalkOptions,
    /// When it looks again whether the map has a better way for it.
    pub shortcuts: Shortcuts,
    /// What is in its way: a character or a door.
    pub blocked_by: Option<Blocker>,
    /// How long it has stood before a door without getting through.
    pub place_wait: Option<Box<PlaceWait>>,
    /// When a character it queues behind last made progress (fault:G33).
    pub queue_tick: TickNumber,
    /// Plans made after the first.
    pub repaths: u32,
    /// Paths that led past where the body had been pushed to by the time they were found, since the last one
    /// that it took.
    pub missed_paths: u32,
    /// Places it has yet to pass; `aim` is the next of them.
    pub via: Option<Checkpoints>,
    /// When it was asked for.
    pub issued: TickNumber,
    /// Where the request under way aims.
    pub planned_aim: Vec3,
    /// When it last asked for a path to a moving target.
    pub retargeted: TickNumber,
    /// Corners passed.
    pub waypoints: u32,
    /// Number in order of creation, from 1 over the level; the `id` scripts see.
    pub serial: u64,
    /// On whose behalf.
    pub owner: Owner,
    /// The people that the request under way is to go around.
    pub asked_around: Option<Bystanders>,
    /// The people that the path in use was made around, or last compared with.
    pub planned_around: Option<Bystanders>,
}

impl Walk {
    /// What every step of the crowd reads lies in so many first bytes.
    pub(crate) const HOT_BYTES: usize = std::mem::offset_of!(Self, options) + prefetch::LINE_BYTES;
    /// What tells whether it is under way lies in so many.
    pub(crate) const WAY_BYTES: usize = std::mem::offset_of!(Self, progress_m);

    /// Times its patience that a walk may go back and forth without coming nearer to its end than ever.
    pub const PATIENCES_MAX: u64 = 20;

    /// The same for a walk that queues all the while, because others in its jam get on or back out, and
    /// nobody gets through. 120: six minutes at the default patience.
    pub const QUEUED_PATIENCES_MAX: u64 = 120;

    /// Has it ask for a path in step 6. What was asked before stays, but a look for a better way gives way to
    /// any other reason: its answer may be left unused.
    pub(crate) fn ask_for(&mut self, why: Ask) {
        if self.ask.is_none_or(|before| before.is_look() && !(why.is_look() && before == Ask::Better)) {
            self.ask = Some(why);
        }
    }

    /// Whether it has no way to go on until a search is answered that it waits for: it never had one, has
    /// come to the end of the one it had, or that one is cut by a change up to revision `on` of the map.
    /// Waiting is not being stuck, however small the budget of searches is.
    #[must_use]
    pub fn waits_for_path(&self, on: Revision) -> bool {
        let has_ended = || self.following.as_ref().is_none_or(|way| way.cursor.next(&way.path).is_none());
        let is_cut = || self.following.as_ref().is_none_or(|way| way.path.revision != on);
        match (self.ask, self.token.map(|(_, why)| why)) {
            (Some(Ask::First | Ask::Leg), _) | (_, Some(Ask::First | Ask::Leg)) => true,
            (_, Some(Ask::Target)) => has_ended(),
            (_, Some(Ask::Door | Ask::Map)) => is_cut(),
            _ => false,
        }
    }

    /// Whether its way leads to a place short of its goal.
    #[must_use]
    pub(crate) fn ends_short(&self) -> bool {
        self.following.as_ref().is_some_and(|way| !way.path.whole)
    }

    /// The time as it has passed for this walk: all of its own ticks are in it.
    #[must_use]
    #[inline]
    pub fn clock(&self, now: TickNumber) -> TickNumber {
        now.after(self.skipped_ticks)
    }

    /// Counts its progress from now on, with so many metres to go.
    pub(crate) fn restart_progress(&mut self, left_m: Option<f32>, now: TickNumber) {
        (self.progress_m, self.progress_tick) = (left_m.unwrap_or(f32::MAX), self.clock(now));
    }

    /// It stands at `place`, before a door or others: for the first time, or still, or again. Those that
    /// stand at a door before it are no other cause.
    pub(crate) fn stand_at(&mut self, cause: WaitCause, place: Vec3, clock: &Clock) {
        let now = self.clock(clock.landing());
        let goes_on = |wait: &&mut Box<PlaceWait>| {
            let is_same = wait.cause == cause || cause == WaitCause::Others;
            let is_there = floor_distance(wait.place, place) <= PlaceWait::SAME_M;
            is_same && is_there && now.since(wait.seen) <= clock.rate.ticks(PlaceWait::GAP_S)
        };
        match self.place_wait.as_mut().filter(goes_on) {
            // A door was last seen when the walk stood at it.
            Some(wait) if wait.cause != cause => {}
            Some(wait) => wait.seen = now,
            None => self.place_wait = Some(Box::new(PlaceWait { cause, place, since: now, seen: now })),
        }
    }

    /// It has taken a link, which may take longer than any patience: that time does not count.
    pub(crate) fn come_over_link(&mut self, now: TickNumber) {
        if now.since(self.nearest_tick) >= self.options.patience_ticks {
            self.nearest_tick = now;
        }
    }

    /// It has taken a link for so many ticks, and not come to the far end: that time does not count, but what
    /// it has waited before does.
    pub(crate) fn turn_back_from_link(&mut self, now: TickNumber, ticks: u64) {
        self.nearest_tick = self.nearest_tick.after(ticks).min(now);
    }

    /// The way that it goes now: back, while it lets others pass.
    #[must_use]
    pub fn way(&self) -> Option<&Following> {
        self.backing_out.as_ref().map(|backing| &backing.way).or(self.following.as_ref())
    }

    /// The corners of that way from the last one passed on, as many as matter to a step, on this side of the
    /// next link.
    #[must_use]
    pub fn corners_ahead(&self) -> &[Vec3] {
        const CORNERS: usize = 8;
        let Some(way) = self.way() else { return &[] };
        let points = &way.path.points;
        let last = points.len().min(way.path.leg_end() + 1);
        let first = last.min(way.cursor.segment as usize);
        &points[first..last.min(first + CORNERS)]
    }

    /// Follows another path. What was left of the one before says nothing about it, also when both meet
    /// within one step of the crowd.
    pub(crate) fn follow(&mut self, following: Following) {
        self.following = Some(following);
        self.left_m = None;
    }

    /// The next stretch of its way that is climbed or leads to another layer, if it is one to climb.
    #[must_use]
    pub fn next_climb(&self) -> Option<LayerChange> {
        let next = self.following.as_ref()?.path.layers.first()?;
        next.is_climb().then_some(*next)
    }

    /// What it climbs just now.
    #[must_use]
    pub fn climb(&self) -> Option<LayerChange> {
        let link = self.on_link.filter(|_| self.backing_out.is_none())?;
        self.next_climb().filter(|climb| climb.to == link.to)
    }

    /// Metres of path left to a body that stands at `place`, on the ground plane, and along what it climbs;
    /// none while there is no path.
    #[must_use]
    pub fn remaining_m(&self, place: Vec3) -> Option<f32> {
        let following = self.following.as_ref()?;
        let path = &following.path;
        let on_ground_m = |link: &LayerChange| flat_distance(link.from, link.to);
        let steep_m =
            |link: &LayerChange| if link.is_climb() { link.length_m - on_ground_m(link) } else { 0.0 };
        let left_m = match self.climb() {
            Some(climb) => {
                let behind_m = climb.at_m + climb.length_m;
                (path.length_m - behind_m).max(-steep_m(&climb)) + place.distance(climb.to)
            }
            None => following.cursor.left_m(path, place),
        };
        Some(left_m + path.layers.iter().map(steep_m).sum::<f32>())
    }

    /// Its result, once settled.
    #[must_use]
    pub fn result(&self) -> Option<&WalkResult> {
        match &self.phase {
            Phase::Settled(result) => Some(result),
            _ => None,
        }
    }

    /// Whether it has not settled.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.result().is_none()
    }

    /// The word scripts use for where it is in its life.
    #[must_use]
    pub fn state_name(&self) -> &'static str {
        match self.phase {
            Phase::Settled(_) => "settled",
            _ if self.is_paused => "paused",
            Phase::Planning => "planning",
            Phase::Moving => "moving",
            Phase::AtDoor(_) | Phase::Beside(_) | Phase::Content | Phase::Pausing { .. } => "waiting",
            Phase::Turning(_) => "turning",
        }
    }

    /// Whether it moves its character along a path, or will as soon as it has one or a door opens. A walker
    /// stands when it waits beside a goal that is held, at a stop or for a word, when it turns, and when it
    /// has come to the end of its path.
    #[must_use]
    #[inline]
    pub fn is_under_way(&self) -> bool {
        let is_moving = match self.phase {
            // A queue at a door goes on when the door opens, through the door that others want to go through
            // as well.
            Phase::Planning | Phase::AtDoor(_) => true,
            Phase::Moving => {
                let asks = self.ask.or(self.token.map(|(_, why)| why));
                // A look for a better way does not make a character set out.
                let sets_out = asks.is_some_and(|why| !why.is_look());
                sets_out || self.following.as_ref().is_none_or(|way| way.cursor.next(&way.path).is_some())
            }
            _ => false,
        };
        is_moving && !self.is_paused
    }

    /// Where it is to go, as a point: what `aim` is once all checkpoints are passed.
    #[must_use]
    pub fn target(&self) -> Vec3 {
        self.via.as_ref().map_or(self.aim, |via| via.last)
    }

    /// Whether it stays where it is when its goal cannot be reached. A walk that follows always goes as near
    /// as it gets.
    #[must_use]
    pub fn sets_out_for_exact_goals_only(&self) -> bool {
        self.options.accept == AcceptEnd::Exact && self.mode == WalkMode::Once
    }

    /// Metres from the goal that count as reached.
    #[must_use]
    pub fn radius_m(&self, crowd: &CrowdSettings) -> f32 {
        if let WalkMode::Follow(follow) = &self.mode {
            return follow.distance_m;
        }
        self.options.radius_m.unwrap_or(match self.goal {
            Goal::Point(_) => crowd.walk_threshold_m,
            Goal::Character(_) => crowd.npc_talk_distance_m,
            Goal::Door(_) => WalkOptions::DOOR_RADIUS_M,
        })
    }

    /// Metres a second that `character` goes on this walk.
    #[must_use]
    #[inline]
    pub fn speed_mps(&self, character: &Character) -> f32 {
        match self.options.pace {
            WalkPace::Walk => character.gait.walk_mps,
            WalkPace::Run => character.gait.run_mps,
            WalkPace::Speed(speed) => speed,
        }
    }
}

#[cfg(test)]
mod tests;
