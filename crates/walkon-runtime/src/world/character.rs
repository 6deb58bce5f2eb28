//! A character: a body with a name, a gait, a facing, and at most one walk.
//!
//! Holds: the centre stands on walkable ground, or the character is stranded until its next walk;
//! a removed character answers to its name until step 13 frees it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use glam::Vec3;

use crate::base::geom::floor_distance;
use crate::base::hash::StateHash;
use crate::base::ids::{CharacterId, WalkId};
use crate::base::rng::Rng;
use crate::base::time::TickNumber;
use crate::nav::Traversal;
use crate::world::arena::Arena;
use crate::world::disjoint::{Loan, disjoint_mut};
use crate::world::door::DoorPolicy;
use crate::world::goal::Goal;
use crate::world::owner::Owner;
use crate::world::shortlist::Shortlist;

/// Where a body is and how large it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Centre on the floor, metres.
    pub position: Vec3,
    /// Metres a second, from its own step of the last tick, without pushes by others.
    pub velocity: Vec3,
    /// Half its width, metres, 0.05 to 10.
    pub radius_m: f32,
    /// Metres.
    pub height_m: f32,
}

/// How fast a character moves and turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gait {
    /// Metres a second, 0.01 to 50.
    pub walk_mps: f32,
    /// Metres a second, 0.01 to 50.
    pub run_mps: f32,
    /// Radians a second, 0.01 to 1000.
    pub turn_radps: f32,
}

impl Gait {
    /// Slowest and fastest speed of a character, metres a second (fault:G19).
    pub const SPEED_RANGE_MPS: RangeInclusive<f32> = 0.01..=50.0;
    /// Slowest and fastest turning, radians a second.
    pub const TURN_RANGE_RADPS: RangeInclusive<f32> = 0.01..=1000.0;
    /// Radius of a character that names none, metres (seed:K1).
    pub const RADIUS_M: f32 = 0.35;
    /// Height of a character that names none, metres.
    pub const HEIGHT_M: f32 = 1.8;
    /// Walking speed of a character that names none, metres a second (seed:F3).
    pub const WALK_MPS: f32 = 1.4;
    /// Turning speed of a character that names none, radians a second (seed:F3).
    pub const TURN_RADPS: f32 = 8.0;

    /// Seconds that turning right round takes; 0 for a body that does not turn.
    #[must_use]
    pub fn half_turn_s(&self) -> f64 {
        if self.turn_radps > 0.0 { f64::from(std::f32::consts::PI / self.turn_radps) } else { 0.0 }
    }
}

impl Default for Gait {
    fn default() -> Self {
        Self { walk_mps: Self::WALK_MPS, run_mps: 2.0 * Self::WALK_MPS, turn_radps: Self::TURN_RADPS }
    }
}

/// A turn on the spot that was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Number in order of creation, from 1 over the level.
    pub serial: u64,
    /// Radians about +y to end at.
    pub facing_rad: f32,
}

/// An animation that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    /// Number in order of creation, from 1 over the level.
    pub serial: u64,
    /// The state shown.
    pub animation: String,
    /// When it ends; never, if it loops.
    pub until: Option<TickNumber>,
}

/// A scene's hold on a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Name of the cinematic.
    pub scene: String,
    /// On whose behalf walks are accepted meanwhile.
    pub owner: Owner,
}

/// A small step aside that a character was asked for (seed:C6, C8): a matter of the host's, which settles
/// nobody's walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nudge {
    /// Where it will stand.
    pub to: Vec3,
    /// Where it goes first, when walls are between.
    pub via: Option<Vec3>,
    /// The character that wants to pass.
    pub by: CharacterId,
    /// When it gives up getting there.
    pub until: TickNumber,
}

/// How a character came to be elsewhere in this tick, for regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Displaced {
    /// It was not, or it walked.
    #[default]
    No,
    /// It appeared.
    Spawned,
    /// It was put there.
    Teleported,
    /// A scene that was skipped walked it.
    Skipped,
}

/// When something was last done, as the time since then. It may lie before the level began: the time of a
/// scene that is skipped passes for those in it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past(i64);

impl Past {
    /// In that tick.
    #[must_use]
    pub fn at(tick: TickNumber) -> Self {
        Self(tick.0.cast_signed())
    }

    /// How many ticks ago it is; none while it is still to come, because a step of the crowd is worked out
    /// before it lands.
    #[must_use]
    pub fn ago_ticks(self, now: TickNumber) -> Option<u64> {
        now.0.cast_signed().checked_sub(self.0).and_then(|ago| u64::try_from(ago).ok())
    }

    /// So many ticks more ago.
    pub fn pass(&mut self, ticks: u64) {
        self.0 = self.0.saturating_sub_unsigned(ticks);
    }

    pub(crate) fn hash_into(self, hash: &mut StateHash) {
        hash.word(self.0.cast_unsigned());
    }

    /// As a tick, which may lie before the first.
    pub(crate) fn told(self) -> i64 {
        self.0
    }

    /// In that tick, which may lie before the first.
    pub(crate) fn of(tick: i64) -> Self {
        Self(tick)
    }
}

/// What was last noticed of where a character is, for the plans of others and for its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Replan {
    /// Where it was when it last counted as having moved, metres.
    pub from: Vec3,
    /// Whether it stood then.
    pub stood: bool,
    /// When its own walk last asked for a new plan because of others.
    pub since: Option<Past>,
}

/// When a character was removed, and what removed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The tick.
    pub tick: TickNumber,
    /// A place in a script such as `boss.lua:88`, or a word for the host.
    pub by: String,
}

/// A character in the level.
///
/// The fields stand in the order of use: what every step of the crowd reads of ten thousand characters lies
/// side by side at the beginning.
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
pub struct Character {
    /// Place, speed and size.
    pub body: Body,
    /// Radians about +y.
    pub facing_rad: f32,
    /// Speeds.
    pub gait: Gait,
    /// The walk under way.
    pub walk: Option<WalkId>,
    /// The layer of the map that it is on; 0 on maps without layers.
    pub layer: u8,
    /// Whether this is the player.
    pub is_player: bool,
    /// What its walks do about doors unless they say otherwise.
    pub doors: DoorPolicy,
    /// Whether the last tick found it following a path or stepping aside, whether it got on or not (seed:F7).
    pub is_moving: bool,
    /// Whether it stands although it is under way: held up, or yet to set out. Its mean velocity decides, so
    /// that a character that is pushed back and forth does not walk and stand by turns.
    pub is_still: bool,
    /// How it came to be elsewhere in this tick.
    pub displaced: Displaced,
    /// The velocity that its path asked for in the last tick, metres a second; zero when it stands (seed:P4).
    pub desired: Vec3,
    /// Its mean velocity over the last steps, the latest counting most, metres a second.
    pub drift: Vec3,
    /// A turn under way.
    pub turn: Option<Turn>,
    /// Number in order of creation, from 1 over the level; the `id` scripts see.
    pub serial: u32,
    /// A step aside under way; any walk ends it (seed:C10).
    pub nudge: Option<Nudge>,
    /// What others, and its own walk, were last told of where it is.
    pub replan: Replan,
    /// The scene that holds it.
    pub held: Option<Hold>,
    /// Set once it is removed; step 13 frees it.
    pub removed: Option<Removal>,
    /// When it was last asked aside.
    pub nudged: Option<Past>,
    /// Where it wanders to and how long it rests.
    pub rng: Rng,
    /// The goal of the walk that it last arrived with, and where it stood then, metres.
    pub came_to: Option<(Goal, Vec3)>,
    /// The same of the walk that last ended short of its goal, as near to it as it gets.
    pub short_of: Option<(Goal, Vec3)>,
    /// An animation under way.
    pub play: Option<Play>,
    /// Unique among those alive.
    pub name: String,
    /// Tags of the level, its own name, and `player` for the player; sorted.
    pub tags: Vec<String>,
}

impl Character {
    /// Most tags that a character is given.
    pub const TAGS_MAX: usize = 64;
    /// What every step of the crowd reads lies in so many first bytes.
    const HOT_BYTES: usize = std::mem::offset_of!(Self, nudged);
    /// Its body, its layer and its walk lie in so many.
    const BODY_BYTES: usize = std::mem::offset_of!(Self, is_player);
    /// What moving a body reads lies in so many.
    pub(crate) const MOVED_BYTES: usize = std::mem::offset_of!(Self, serial);

    /// Whether it has not been removed.
    #[must_use]
    #[inline]
    pub fn is_alive(&self) -> bool {
        self.removed.is_none()
    }

    /// Metres on the ground between the middles of two bodies; infinite between layers and floors.
    #[must_use]
    #[inline]
    pub fn apart_m(&self, other: &Self) -> f32 {
        if self.layer == other.layer {
            floor_distance(self.body.position, other.body.position)
        } else {
            f32::INFINITY
        }
    }

    /// Whether it has `tag`.
    #[must_use]
    #[inline]
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.binary_search_by(|own| own.as_str().cmp(tag)).is_ok()
    }

    /// Whether it is seen to walk: under way, and getting on or only just held up.
    #[must_use]
    #[inline]
    pub fn is_walking(&self) -> bool {
        self.is_moving && !self.is_still
    }

    /// Begins a step of the crowd: nobody moves until it is moved.
    pub(crate) fn begin_step(&mut self) {
        if !self.is_moving {
            (self.drift, self.is_still) = (Vec3::ZERO, true);
        }
        (self.body.velocity, self.desired, self.is_moving) = (Vec3::ZERO, Vec3::ZERO, false);
    }

    /// Notes how it got on in a step in which it wanted to go so fast, metres a second.
    #[inline]
    pub(crate) fn notice_motion(&mut self, wanted_mps: f32) {
        /// The weight of the latest step. 0.4: a character that stops is still after an eighth of a second.
        const LATEST: f32 = 0.4;
        /// The parts of the speed wanted below which a character stands, and above which it walks again.
        const STANDS: f32 = 0.15;
        const WALKS: f32 = 0.4;
        self.drift += (self.body.velocity - self.drift) * LATEST;
        let least = if self.is_still { WALKS } else { STANDS };
        self.is_still = self.drift.length() < least * wanted_mps || wanted_mps <= 0.0;
    }

    /// The animation state: as `play` set it, else `run`, `walk` or `stand`, as the last tick went.
    #[must_use]
    pub fn animation(&self) -> &str {
        if let Some(play) = &self.play {
            return &play.animation;
        }
        let speed = self.body.velocity.length();
        match self.is_walking() {
            false => "stand",
            true if speed > (self.gait.walk_mps + self.gait.run_mps) / 2.0 => "run",
            true => "walk",
        }
    }
}

/// The asker when only a character's body matters: as wide as it is, on its layer, without regard to doors
/// and areas of its own.
#[must_use]
pub fn standing_on(who: &Character) -> Traversal {
    Traversal { radius_m: who.body.radius_m, layer: who.layer, ..Traversal::default() }
}

/// All characters, in order of creation.
///
/// The slots behind the ids are used again; the order list is what is iterated, so "in id order"
/// always means order of creation.
#[derive(Clone, Debug, Default)]
pub struct Characters {
    pub(super) slots: Arena<CharacterId, Character>,
    pub(super) order: Vec<CharacterId>,
    pub(super) by_name: BTreeMap<String, CharacterId>,
    pub(super) gone: BTreeMap<CharacterId, Gone>,
    pub(super) created: u32,
    /// Number of the last turn.
    pub(super) turns: u64,
    /// Number of the last animation.
    pub(super) plays: u64,
    /// Characters that may have come to stand since walks last looked.
    pub(super) noted: Vec<CharacterId>,
    /// Characters that stood and were removed since walks last looked, and where.
    pub(super) departed: Vec<(CharacterId, Vec3)>,
    /// How many are marked as removed.
    pub(super) removed: usize,
    /// Characters that appeared or were put somewhere since regions last looked, each with the number of the
    /// last time.
    pub(super) displaced: BTreeMap<CharacterId, u32>,
    /// So many times that happened.
    pub(super) displacements: u32,
    /// Those that turn on the spot, or whose animation runs out; and others.
    pub(super) posing: Shortlist,
    /// Those that were asked aside; and others.
    pub(super) asked_aside: Shortlist,
    /// The player; and others that were.
    pub(super) players: Vec<CharacterId>,
}

/// What is remembered of a character that was freed: enough for an error message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// Its number.
    pub serial: u32,
    /// Its name.
    pub name: String,
    /// When it was removed, and what removed it.
    pub removal: Removal,
}

impl Characters {
    /// Freed characters that are remembered for messages; older ones are forgotten.
    pub const GONE_MAX: usize = 4096;

    /// Adds a character; `make` gets its number. The name must be free.
    pub fn insert(&mut self, make: impl FnOnce(u32) -> Character) -> CharacterId {
        self.created += 1;
        let character = make(self.created);
        let name = character.name.clone();
        let (is_displaced, is_player) = (character.displaced != Displaced::No, character.is_player);
        let id = self.slots.insert(character);
        self.order.push(id);
        if is_player {
            self.note_player(id);
        }
        if is_displaced {
            self.note_displaced(id);
        }
        self.by_name.insert(name, id);
        id
    }

    /// A character that has not been freed.
    #[must_use]
    #[inline]
    pub fn get(&self, id: CharacterId) -> Option<&Character> {
        self.slots.get(id)
    }

    /// Asks the processor for what every step of the crowd reads of a character.
    #[inline]
    pub(crate) fn fetch(&self, id: CharacterId) {
        self.slots.fetch(id, Character::HOT_BYTES);
    }

    /// Asks the processor for the body of a character, its layer and its walk.
    #[inline]
    pub(crate) fn fetch_body(&self, id: CharacterId) {
        self.slots.fetch(id, Character::BODY_BYTES);
    }

    /// A character that has not been freed.
    #[inline]
    pub fn get_mut(&mut self, id: CharacterId) -> Option<&mut Character> {
        self.slots.get_mut(id)
    }

    /// Those characters, each to be changed apart from the others; an empty loan for one that is not there or
    /// named twice.
    pub(crate) fn disjoint_mut(
        &mut self,
        ids: impl Iterator<Item = CharacterId>,
    ) -> Vec<Loan<'_, CharacterId, Character>> {
        disjoint_mut(&mut self.slots, ids)
    }

    /// A character that is alive.
    #[must_use]
    #[inline]
    pub fn alive(&self, id: CharacterId) -> Option<&Character> {
        self.get(id).filter(|character| self.is_alive(character))
    }

    /// Whether one of these characters has not been removed. Where none is, what is far from its body need
    /// not be read.
    #[inline]
    pub(crate) fn is_alive(&self, character: &Character) -> bool {
        self.removed == 0 || character.is_alive()
    }

    /// The living character of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<CharacterId> {
        self.by_name.get(name).copied()
    }

    /// How many were ever created: the number of the last.
    pub(crate) fn created(&self) -> u32 {
        self.created
    }

    /// Every id, in order of creation, also of those removed in this tick.
    #[must_use]
    pub fn ids(&self) -> &[CharacterId] {
        &self.order
    }

    /// Every character alive, in order of creation.
    pub fn iter(&self) -> impl Iterator<Item = (CharacterId, &Character)> {
        self.order.iter().filter_map(|&id| Some((id, self.alive(id)?)))
    }

    /// Name of a character, also of one that is gone; for messages.
    #[must_use]
    pub fn name_of(&self, id: CharacterId) -> &str {
        match (self.get(id), self.gone(id)) {
            (Some(character), _) => &character.name,
            (None, Some(gone)) => &gone.name,
            (None, None) => "unknown",
        }
    }

    /// The first player alive, in order of creation. Cost: those that are players, or were.
    #[must_use]
    pub(crate) fn player(&self) -> Option<CharacterId> {
        let players = self.players.iter().filter_map(|&id| Some((self.alive(id)?, id)));
        let players = players.filter(|(character, _)| character.is_player);
        players.min_by_key(|(character, _)| character.serial).map(|(_, id)| id)
    }

    /// Notes that a character may be the player.
    pub(crate) fn note_player(&mut self, id: CharacterId) {
        if !self.players.contains(&id) {
            self.players.push(id);
        }
    }

    /// Number of another turn.
    pub(crate) fn next_turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }

    /// Number of another animation.
    pub(crate) fn next_play(&mut self) -> u64 {
        self.plays += 1;
        self.plays
    }

    /// Puts a body somewhere without a word about its walk.
    pub(crate) fn place(&mut self, id: CharacterId, position: Vec3) {
        if let Some(character) = self.get_mut(id) {
            character.body.position = position;
            character.body.velocity = Vec3::ZERO;
            character.is_moving = false;
            character.nudge = None;
            if character.displaced == Displaced::No {
                character.displaced = Displaced::Teleported;
            }
            self.note_displaced(id);
        }
        self.note_standing(id);
    }

    /// Notes that a character may turn on the spot, or that its animation may run out.
    pub(crate) fn note_posing(&mut self, id: CharacterId) {
        if let Some(character) = self.slots.get(id) {
            self.posing.note(character.serial, id);
        }
    }

    /// Notes that a character was asked aside.
    pub(crate) fn note_asked_aside(&mut self, id: CharacterId) {
        if let Some(character) = self.slots.get(id) {
            self.asked_aside.note(character.serial, id);
        }
    }

    /// Those noted as posing of which it is true, in order of creation; the others are forgotten.
    pub(crate) fn posing(&mut self, poses: impl Fn(&Character) -> bool) -> Vec<CharacterId> {
        let Self { slots, posing, .. } = self;
        posing.those(|id| slots.get(id).is_some_and(&poses))
    }

    /// Those that step aside, in order of creation.
    pub(crate) fn stepping_aside(&mut self) -> Vec<CharacterId> {
        let Self { slots, asked_aside, .. } = self;
        let steps = |who: &Character| who.is_alive() && who.nudge.is_some();
        asked_aside.those(|id| slots.get(id).is_some_and(steps))
    }

    fn note_displaced(&mut self, id: CharacterId) {
        self.displacements = self.displacements.saturating_add(1);
        self.displaced.insert(id, self.displacements);
    }

    /// The characters that came to be elsewhere in this tick.
    pub(crate) fn displaced(&self) -> impl Iterator<Item = &Character> {
        let displaced = self.displaced.keys().filter_map(|&id| self.slots.get(id));
        displaced.filter(|character| character.displaced != Displaced::No)
    }

    /// How often that happened in this tick so far.
    pub(crate) fn displacements(&self) -> u32 {
        self.displacements
    }

    /// Whether a character came to be elsewhere in this tick after so many times.
    pub(crate) fn is_displaced_after(&self, id: CharacterId, displacements: u32) -> bool {
        self.displaced.get(&id).is_some_and(|&last| last > displacements)
    }

    /// Regions have looked at every character: nobody counts as displaced any more.
    pub(crate) fn forget_displaced(&mut self) {
        self.displacements = 0;
        for id in std::mem::take(&mut self.displaced).into_keys() {
            if let Some(character) = self.slots.get_mut(id) {
                character.displaced = Displaced::No;
            }
        }
    }

    /// Notes that a character may have come to stand since bodies last moved: its walk ended, it appeared, it
    /// was put somewhere.
    pub(crate) fn note_standing(&mut self, id: CharacterId) {
        self.noted.push(id);
    }

    /// Notes that a character that stood is removed.
    pub(crate) fn note_removal(&mut self, id: CharacterId) {
        if let Some(replan) = self.get_mut(id).map(|character| &mut character.replan)
            && replan.stood
        {
            replan.stood = false;
            let from = replan.from;
            self.departed.push((id, from));
        }
    }

    /// Characters that may have come to stand since walks last looked.
    pub(crate) fn noted(&self) -> &[CharacterId] {
        &self.noted
    }

    /// Begins a look of walks at every character: characters that come to stand are noted from here on. Gives
    /// the characters that stood and were removed since the look before, with where they stood.
    pub(crate) fn take_departed(&mut self) -> Vec<(CharacterId, Vec3)> {
        self.noted.clear();
        std::mem::take(&mut self.departed)
    }

    /// How many are alive.
    #[must_use]
    pub fn count(&self) -> usize {
        self.by_name.len()
    }

    /// Names of every character alive, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Marks as removed; the name is free at once. False when it was removed before.
    pub fn remove(&mut self, id: CharacterId, removal: Removal) -> bool {
        let Some(character) = self.slots.get_mut(id).filter(|character| character.is_alive()) else {
            return false;
        };
        character.removed = Some(removal);
        self.removed += 1;
        self.by_name.remove(&character.name);
        true
    }

    /// Frees those marked as removed and returns their ids. Step 13.
    pub fn cull(&mut self) -> Vec<CharacterId> {
        if std::mem::take(&mut self.removed) == 0 {
            return Vec::new();
        }
        let freed: Vec<CharacterId> = self
            .order
            .iter()
            .copied()
            .filter(|&id| self.slots.get(id).is_some_and(|character| !character.is_alive()))
            .collect();
        for &id in &freed {
            if let Some(character) = self.slots.remove(id)
                && let Some(removal) = character.removed
            {
                self.gone.insert(id, Gone { serial: character.serial, name: character.name, removal });
            }
        }
        if !freed.is_empty() {
            self.order.retain(|&id| self.slots.contains_key(id));
            self.players.retain(|&id| self.slots.contains_key(id));
        }
        self.forget_oldest();
        freed
    }

    /// Keeps those of the freed that were removed last, as many as are remembered; of one tick those that
    /// were created last.
    fn forget_oldest(&mut self) {
        let excess = self.gone.len().saturating_sub(Self::GONE_MAX);
        if excess > 0 {
            let age = |gone: &Gone| (gone.removal.tick, gone.serial);
            let mut ages: Vec<_> = self.gone.values().map(age).collect();
            let (.., first_kept, _) = ages.select_nth_unstable(excess);
            let first_kept = *first_kept;
            self.gone.retain(|_, gone| age(gone) >= first_kept);
        }
    }

    /// What is remembered of a freed character.
    #[must_use]
    pub fn gone(&self, id: CharacterId) -> Option<&Gone> {
        self.gone.get(&id)
    }
}
