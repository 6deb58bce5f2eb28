//! Step 9, last part: right of way: which walkers are blocked by whom, who is asked aside, and who queues.
//!
//! In: walkers that have not got on for a moment, bodies near them. Out: the character ahead of each, steps
//! aside (nudges), the tick at which a walker of the same jam last got on, and later for a large one. Holds:
//! one is asked aside at most once in the cooldown, never the player, never a character that a scene holds,
//! never one that waits in front of a door (seed:C6-C9); a step aside leads along a clear line (seed:C7); a
//! jam gets on as long as any walker in it comes nearer to its goal than ever before, and two that wait for
//! one another do not (fault:G33). Cost: linear in the walkers that are held up, up to `LOOKS_MAX` in all,
//! however many stand on one spot; nothing when none is.

use glam::{Vec2, Vec3};

use crate::base::geom::{flat_distance, floor_distance};
use crate::base::ids::{CharacterId, WalkId};
use crate::base::spatial_hash::{HashCells, Lookup, SpatialHash};
use crate::base::threads::Threads;
use crate::base::time::TickNumber;
use crate::crowd::avoid::PASSING_GAP_M;
use crate::crowd::steer::{self, OnPath, flat, unit};
use crate::nav::{GroundQuery, NavMap, Traversal};
use crate::sim::backing_out::{self, Facing};
use crate::sim::making_way;
use crate::sim::retreats::BackingParts;
use crate::sim::walk_modes;
use crate::world::asker::pass_rules;
use crate::world::bystander_index::People;
use crate::world::character::{Character, Characters, Nudge, Past, standing_on};
use crate::world::clock::Clock;
use crate::world::crowd_columns::CrowdColumns;
use crate::world::crowd_step::CrowdStep;
use crate::world::door::{Door, DoorState};
use crate::world::event::{EventQueue, Fact};
use crate::world::leaders::Leaders;
use crate::world::map::LevelMap;
use crate::world::settings::CrowdSettings;
use crate::world::walk::{Crowd, Phase, Walk};
use crate::world::walks::{Walks, by_creation};

/// Seconds without getting on after which a character is held up. A quarter: two thirds of a step.
const HELD_UP_S: f64 = 0.25;
/// Part of the speed wanted below which a character is held up at once.
const SLOW: f32 = 0.5;
/// Gap between two bodies up to which one queues behind the other, metres: what people leave in a line.
const QUEUE_GAP_M: f32 = 0.6;
/// Gap up to which a character is asked aside, metres: as good as touching.
const ASK_GAP_M: f32 = 0.15;
/// Gap up to which a walker that steps back does so for a character in front of it, metres: avoidance gives
/// way that far ahead, at a narrow place.
const GIVE_WAY_GAP_M: f32 = 2.0;
/// Cosine of the angle to the way one wants to go within which a character is in front: 70 degrees.
const IN_FRONT: f32 = 0.34;
/// Seconds in which a step aside must be made.
const NUDGE_S: f64 = 2.0;
/// How far ahead along its path a walker's way is kept free by those it asks aside, metres.
const WAY_AHEAD_M: f32 = 3.0;

/// The least part of a step aside that is made where there is no room for a whole one, metres.
const STEP_MIN_M: f32 = 0.1;

/// The cells that are looked into for neighbours, metres.
const CELL_M: f32 = 1.0;
/// The same in a crowd that is spread out, metres.
const SPARSE_CELL_M: f32 = 3.0;
/// Bodies that all walkers that are held up look at in a step, at most, about: a heap of thousands in which
/// every walker is held up by every other would take as many looks as there are pairs. A crowd of 2,000
/// packed body to body takes 200,000.
const LOOKS_MAX: u32 = 500_000;
/// Bodies looked at in each cell, at least: a few of a heap tell as much as all.
const PER_CELL_MIN: u32 = 2;

/// A walker that does not get on.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// None for a character that steps aside.
    walk: Option<WalkId>,
    row: u32,
    /// Where it wants to go, a unit vector.
    ahead: Vec2,
    /// Gap up to which a character in front of it is why, metres.
    gap_m: f32,
}

/// A character in front of a walker.
#[derive(Clone, Copy, Debug)]
struct InFront {
    who: CharacterId,
    row: u32,
    gap_m: f32,
    moves: bool,
}

/// What the last part of step 9 reads and writes.
#[derive(Debug)]
pub(crate) struct YieldingParts<'a> {
    pub(crate) clock: &'a Clock,
    pub(crate) crowd: &'a CrowdSettings,
    pub(crate) map: &'a LevelMap,
    pub(crate) characters: &'a mut Characters,
    pub(crate) walks: &'a mut Walks,
    pub(crate) leaders: &'a Leaders,
    pub(crate) events: &'a mut EventQueue,
    pub(crate) step: &'a mut CrowdStep,
}

impl YieldingParts<'_> {
    fn people(&self) -> People<'_> {
        let Self { crowd, characters, walks, leaders, .. } = self;
        People { characters, walks, crowd, leaders }
    }
}

/// Looks at every walker that is held up, in order of creation of the walks.
pub(crate) fn run(parts: &mut YieldingParts<'_>) {
    let held = held_up(parts.clock, parts.walks, parts.step);
    if held.is_empty() {
        return;
    }
    // The buffers outlast the step: made again they cost as much as filling them.
    let mut near = std::mem::take(&mut parts.step.bodies.after);
    let sizes = HashCells { dense_m: CELL_M, sparse_m: SPARSE_CELL_M };
    near.build_by_density(&parts.step.bodies.columns.places, sizes);
    let mut jams = Jams::of(&held, parts.step.bodies.ids.len());
    let inputs = YieldInputs::of(parts, &near, &held, &jams);
    let (widest_m, fronts) = (inputs.widest_m, look_ahead(&inputs, &held, parts.step.threads));
    let mut faced = Vec::with_capacity(held.len());
    for ((at, one), Front { people: front, pinched, progress }) in
        (0..).zip(&held).zip(fronts.iter().flat_map(Fronts::of_each))
    {
        if one.walk.is_some() {
            jams.meet(at, front, progress);
        }
        let is_first = |other: &&InFront| !other.moves && other.gap_m <= ASK_GAP_M;
        let other = front.iter().find(is_first).map(|other| other.who);
        if let Some(other) = other.or_else(|| pinches(parts, one, &near, widest_m)) {
            ask_aside(parts, one, other);
        }
        let near = front.iter().filter(|other| other.gap_m <= QUEUE_GAP_M).map(|other| other.row);
        let near = near.chain(pinched.iter().copied());
        faced.extend(one.walk.map(|walk| Facing::of(walk, one.row, one.ahead, near)));
    }
    queue(parts, &held, &fronts, &mut jams);
    let YieldingParts { clock, map, characters, walks, leaders, step, .. } = parts;
    let mut backing =
        BackingParts { clock, map, characters, walks, leaders, bodies: &step.bodies, near: &near };
    making_way::run(&mut backing, &faced);
    backing_out::run(&mut backing, &faced);
    step.bodies.after = near;
}

/// Bodies looked at in each cell, so that all walkers that are held up stay within the looks of a step.
fn per_cell_max(held_count: usize, widest_m: f32) -> u32 {
    let across = (2.0 * (2.0 * widest_m + GIVE_WAY_GAP_M) / CELL_M).ceil() + 1.0;
    // The casts saturate.
    let cells = (held_count as f32 * across * across) as u32;
    (LOOKS_MAX / cells.max(1)).max(PER_CELL_MIN)
}

/// What is read of all characters to see which are in the way of which. Nothing of it changes meanwhile.
struct YieldInputs<'a> {
    clock: &'a Clock,
    map: &'a LevelMap,
    people: People<'a>,
    bodies: &'a CrowdColumns,
    near: &'a SpatialHash,
    widest_m: f32,
    per_cell_max: u32,
    /// Those that are held up.
    jams: &'a Jams,
    /// Whether any door is on its way to open.
    has_opening_door: bool,
}

impl<'a> YieldInputs<'a> {
    fn of(parts: &'a YieldingParts<'_>, near: &'a SpatialHash, held: &[Held], jams: &'a Jams) -> Self {
        let bodies = &parts.step.bodies;
        let widest_m =
            bodies.columns.radii_m.iter().fold(0.0_f32, |widest_m, &radius_m| widest_m.max(radius_m));
        let is_opening = |door: &Door| door.shown_state() == DoorState::Opening;
        Self {
            clock: parts.clock,
            map: parts.map,
            people: parts.people(),
            bodies,
            near,
            widest_m,
            per_cell_max: per_cell_max(held.len(), widest_m),
            jams,
            has_opening_door: parts.map.doors.iter().any(is_opening),
        }
    }
}

fn held_up(clock: &Clock, walks: &Walks, CrowdStep { moves, bodies, threads, .. }: &CrowdStep) -> Vec<Held> {
    let long_ticks = clock.rate.ticks(HELD_UP_S);
    let step_s = clock.rate.step_seconds();
    let held = threads.filter_map(moves, |step| {
        let row = bodies.rows.get(step.character)?;
        let ahead = unit(step.stride.wanted)?;
        // What became its velocity, without a look at the character: most get on, and are looked at no
        // further.
        let velocity = (bodies.columns.places[row as usize] - bodies.began[row as usize]) / step_s;
        let is_slow = velocity.dot(ahead) < SLOW * step.stride.wanted.length();
        let may_be_held = step.walk.is_none() || step.is_moving;
        let is_held = may_be_held && (is_slow || step.held_ticks >= long_ticks);
        let gap_m = if velocity.dot(ahead) < 0.0 { GIVE_WAY_GAP_M } else { QUEUE_GAP_M };
        is_held.then_some(Held { walk: step.walk, row, ahead, gap_m })
    });
    by_creation(&held, |one| walks.serial(one.walk))
}

/// So many walkers that are held up share the lists of those in front of them.
const TOGETHER: usize = 64;

/// Looks ahead of every walker that is held up; a list for each [`TOGETHER`] of them.
fn look_ahead(seen: &YieldInputs<'_>, held: &[Held], threads: Threads) -> Vec<Fronts> {
    let mut fronts: Vec<Fronts> = held.chunks(TOGETHER).map(|_| Fronts::default()).collect();
    threads.for_rows(held.len()).share(&mut fronts[..], Vec::new, |found, first, fronts| {
        for (held, fronts) in held.chunks(TOGETHER).skip(first).zip(fronts) {
            held.iter().for_each(|one| fronts.look(seen, one, found));
        }
    });
    fronts
}

/// Those in front of a few walkers: of each nearest first, then in order of creation.
#[derive(Debug, Default)]
struct Fronts {
    people: Vec<InFront>,
    /// Rows of those that each touches to the side of its way where the two leave no room for one another.
    pinched: Vec<u32>,
    /// Where the lists of each end, and when its jam last got on, as far as it sees.
    ends: Vec<FrontEnd>,
}

/// Where the lists of a walker end.
#[derive(Clone, Copy, Debug, Default)]
struct FrontEnd {
    people: usize,
    pinched: usize,
    progress: JamProgress,
}

/// What a walker that is held up has before it.
#[derive(Clone, Copy, Debug)]
struct Front<'a> {
    people: &'a [InFront],
    pinched: &'a [u32],
    progress: JamProgress,
}

impl Fronts {
    fn of_each(&self) -> impl Iterator<Item = Front<'_>> {
        let starts = [FrontEnd::default()].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| Front {
            people: &self.people[start.people..end.people],
            pinched: &self.pinched[start.pinched..end.pinched],
            progress: end.progress,
        })
    }

    /// Looks ahead of another walker.
    fn look(&mut self, seen: &YieldInputs<'_>, one: &Held, found: &mut Vec<(f32, u32)>) {
        let columns = &seen.bodies.columns;
        let row = one.row as usize;
        let (place, radius_m) = (columns.places[row], columns.radii_m[row]);
        let reach_m = radius_m + seen.widest_m + one.gap_m;
        let look = Lookup { per_cell_max: seen.per_cell_max, salt: one.row, but: u32::MAX };
        found.clear();
        let pinched_start = self.pinched.len();
        let pinched = &mut self.pinched;
        seen.near.visit(place, reach_m, look, |other, distance_m_sq| {
            let between = columns.places[other as usize] - place;
            let distance_m = distance_m_sq.sqrt();
            let gap_m = distance_m - radius_m - columns.radii_m[other as usize];
            let is_ahead = between.dot(one.ahead) > IN_FRONT * distance_m;
            let is_level = || seen.bodies.are_level(one.row, other);
            if other != one.row && is_ahead && is_level() && gap_m <= one.gap_m {
                found.push((gap_m, other));
            }
            let is_beside = !is_ahead && between.dot(one.ahead) > 0.0 && gap_m <= ASK_GAP_M;
            if is_beside && is_level() && leave_no_room(seen.bodies, [one.row, other]) {
                pinched.push(other);
            }
        });
        making_way::sort_by_nearness(found);
        self.pinched[pinched_start..].sort_unstable();
        let start = self.people.len();
        self.people.extend(found.iter().map(|&(gap_m, other)| InFront {
            who: seen.bodies.ids[other as usize],
            row: other,
            gap_m,
            moves: columns.stances[other as usize].moving,
        }));
        let progress = jam_progress(seen, one, &self.people[start..]);
        self.ends.push(FrontEnd { people: self.people.len(), pinched: self.pinched.len(), progress });
    }
}

/// Whether one of two characters stands in a place too narrow for both.
fn leave_no_room(bodies: &CrowdColumns, rows: [u32; 2]) -> bool {
    let needed_m = rows.iter().map(|&row| bodies.columns.radii_m[row as usize]).sum::<f32>() + PASSING_GAP_M;
    rows.iter().any(|&row| bodies.walkers[row as usize].width_m < needed_m)
}

/// When a jam last got on, in ticks before now; `u64::MAX` for never.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct JamProgress {
    /// A walker in it got on, or has good reason to wait.
    any_ticks: u64,
    /// A walker in it that gets through came nearer to its end than ever.
    through_ticks: u64,
}

impl Default for JamProgress {
    fn default() -> Self {
        Self::NEVER
    }
}

impl JamProgress {
    const NEVER: Self = Self { any_ticks: u64::MAX, through_ticks: u64::MAX };

    fn latest(self, other: Self) -> Self {
        Self {
            any_ticks: self.any_ticks.min(other.any_ticks),
            through_ticks: self.through_ticks.min(other.through_ticks),
        }
    }
}

/// When the jam of a walker last got on, as far as it sees: the walker itself, or any in front that is not
/// held up; now where one waits at a door, or a door ahead opens. Never for a character that steps aside.
fn jam_progress(seen: &YieldInputs<'_>, one: &Held, front: &[InFront]) -> JamProgress {
    let Some(own) = one.walk.and_then(|id| seen.people.walks.get(id)) else {
        return JamProgress::NEVER;
    };
    let landing = seen.clock.landing();
    let waits = own.backing_out.is_some() || seen.has_opening_door && opens_ahead(seen, own);
    // In the time of each walk: a scene that was skipped has passed for those in it alone.
    let any_ticks = if waits { 0 } else { own.clock(landing).since(own.nearest_tick) };
    let own = JamProgress { any_ticks, through_ticks: through_ticks(own, landing) };
    let is_free = |other: &&InFront| seen.jams.held_at(other.row).is_none();
    front.iter().filter(is_free).filter_map(|other| free_progress(seen, other)).fold(own, JamProgress::latest)
}

/// When a character that is not held up got on, if it has a walk that goes on, or steps aside.
fn free_progress(seen: &YieldInputs<'_>, other: &InFront) -> Option<JamProgress> {
    let character = seen.people.characters.get(other.who)?;
    let Some(walk) = character.walk.and_then(|id| seen.people.walks.get(id)) else {
        let makes_room = character.nudge.is_some() && other.moves;
        return makes_room.then_some(JamProgress { any_ticks: 0, through_ticks: u64::MAX });
    };
    // A walker that stands where it wants to be goes nowhere, also when it is asked aside.
    if matches!(walk.phase, Phase::Content | Phase::Pausing { .. }) {
        return None;
    }
    let landing = seen.clock.landing();
    let through_ticks = through_ticks(walk, landing);
    // A walker that waits at a door, for others to pass, or for its first path, goes on in time.
    if walk.backing_out.is_some() || matches!(walk.phase, Phase::AtDoor(_) | Phase::Planning) {
        return Some(JamProgress { any_ticks: 0, through_ticks });
    }
    let got_on = walk.progress_tick.max(walk.queue_tick);
    let any_ticks = walk.clock(landing).since(got_on);
    other.moves.then_some(JamProgress { any_ticks, through_ticks })
}

/// How many ticks ago a walk came nearer to its end than ever, if it gets through where it is: a step or more
/// on its way, and not to and fro. A walk that has just begun, one that goes from stop to stop, and one that
/// keeps planning again because it backs out each time get nowhere, although their count starts over.
fn through_ticks(walk: &Walk, landing: TickNumber) -> u64 {
    /// Metres on the way in use, at least.
    const GONE_M: f32 = 1.0;
    /// New plans, at most.
    const REPATHS_MAX: u32 = 3;
    let gone_m = walk.following.as_ref().map_or(0.0, |way| way.path.length_m - walk.nearest_m);
    let gets_through = walk_modes::is_to_point(walk) && walk.repaths <= REPATHS_MAX && gone_m >= GONE_M;
    if gets_through { walk.clock(landing).since(walk.nearest_tick) } else { u64::MAX }
}

/// The jams of a step: walkers that are held up, joined with the walkers in front of them.
#[derive(Debug, Default)]
struct Jams {
    /// Row to its place among those held up.
    held: Vec<u32>,
    /// Of each that is held up: a walker of the same jam before it, or itself.
    heads: Vec<u32>,
    /// Of each jam, by its head: how many are in it, and when it last got on.
    sizes: Vec<u64>,
    progress: Vec<JamProgress>,
}

/// No walker that is held up.
const NOBODY: u32 = u32::MAX;

impl Jams {
    /// Every character on its own.
    fn of(held: &[Held], row_count: usize) -> Self {
        let mut rows = vec![NOBODY; row_count];
        for (at, one) in (0..).zip(held) {
            rows[one.row as usize] = at;
        }
        Self {
            held: rows,
            heads: (0..held.len() as u32).collect(),
            sizes: vec![1; held.len()],
            progress: vec![JamProgress::NEVER; held.len()],
        }
    }

    /// The place of a row among those held up, if it is.
    fn held_at(&self, row: u32) -> Option<u32> {
        self.held.get(row as usize).copied().filter(|&at| at != NOBODY)
    }

    /// The head of a character's jam. Bounded by halving the way there.
    fn head(&mut self, mut at: u32) -> u32 {
        while self.heads[at as usize] != at {
            let above = self.heads[self.heads[at as usize] as usize];
            self.heads[at as usize] = above;
            at = above;
        }
        at
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.head(one), self.head(other));
        let (head, member) = (one.min(other) as usize, one.max(other) as usize);
        if head != member {
            self.heads[member] = head as u32;
            self.sizes[head] += self.sizes[member];
            self.progress[head] = self.progress[head].latest(self.progress[member]);
        }
    }

    /// A walker that is held up in front of another that is held up is in the same jam; where one gets on,
    /// all of it has reason to wait. Of walkers further off than in a queue only the ones that get on count.
    fn meet(&mut self, at: u32, front: &[InFront], progress: JamProgress) {
        self.got_on(at, progress);
        for other in front.iter().filter(|other| other.gap_m <= QUEUE_GAP_M) {
            if let Some(held) = self.held_at(other.row) {
                self.join(at, held);
            }
        }
    }

    /// A character in the jam got on.
    fn got_on(&mut self, at: u32, progress: JamProgress) {
        let head = self.head(at) as usize;
        self.progress[head] = self.progress[head].latest(progress);
    }
}

/// So many more in a jam lengthen the patience by itself: whose turn it is goes round.
const JAM_COUNT: u64 = 2;
/// The most that a jam makes of patience.
const JAM_PATIENCES_MAX: u64 = 6;

/// What keeps each walker is the first in front of it. As long as any character in a jam comes nearer to its
/// goal than ever before, every character in it queues. While a jam lets walkers through, those that it
/// pushes back wait for as long as it takes.
fn queue(parts: &mut YieldingParts<'_>, held: &[Held], fronts: &[Fronts], jams: &mut Jams) {
    let landing = parts.clock.landing();
    let mut told: Vec<Queueing> = (0..)
        .zip(fronts.iter().flat_map(Fronts::of_each))
        .map(|(at, Front { people: front, .. })| {
            let ahead = front.first().filter(|other| other.gap_m <= QUEUE_GAP_M).map(|other| other.who);
            let head = jams.head(at) as usize;
            Queueing { ahead, size: jams.sizes[head], progress: jams.progress[head] }
        })
        .collect();
    let mut walks = parts.walks.disjoint_mut(held.iter().map(|one| one.walk.unwrap_or_default()));
    parts.step.threads.share(
        (&mut walks[..], &mut told[..]),
        || (),
        |(), _, (walks, told)| {
            for (walk, told) in walks.iter_mut().zip(told) {
                walk.get().into_iter().for_each(|walk| told.tell(landing, walk));
            }
        },
    );
}

/// What a walker that is held up learns.
struct Queueing {
    /// The character in front of it.
    ahead: Option<CharacterId>,
    /// How many are in its jam, and when that last got on.
    size: u64,
    progress: JamProgress,
}

impl Queueing {
    fn tell(&self, landing: TickNumber, walk: &mut Walk) {
        walk.ahead = self.ahead;
        let more = ((self.size - 1) / JAM_COUNT).min(JAM_PATIENCES_MAX - 1);
        let now = walk.clock(landing);
        let patient = now.before(self.progress.any_ticks).after(more * walk.options.patience_ticks);
        walk.queue_tick = walk.queue_tick.max(patient);
        // Before that, only what the walk itself does counts.
        let most = walk.options.patience_ticks.saturating_mul(Walk::PATIENCES_MAX);
        if now.since(walk.nearest_tick) >= most {
            walk.nearest_tick = walk.nearest_tick.max(now.before(self.progress.through_ticks));
        }
    }
}

/// Whether the next door on the way of a walk is on its way to open.
fn opens_ahead(seen: &YieldInputs<'_>, walk: &Walk) -> bool {
    let who = seen.people.characters.get(walk.character);
    let ahead = who.and_then(|who| seen.map.closed_door_ahead(walk, who));
    let door = ahead.and_then(|(door, _)| seen.map.doors.get(door.index()));
    door.is_some_and(|door| door.shown_state() == DoorState::Opening)
}

/// The character that a walker touches that has not got on for a while, ahead but so far to the side that it
/// is not in front: beside a wall that leaves no room.
fn pinches(parts: &YieldingParts<'_>, one: &Held, near: &SpatialHash, widest_m: f32) -> Option<CharacterId> {
    /// Seconds without getting on.
    const PINCHED_S: f64 = 1.0;
    /// Gap up to which two bodies touch, metres.
    const TOUCH_M: f32 = 0.03;
    /// Bodies that are looked at in each cell, at most.
    const PER_CELL_MAX: u32 = 16;
    let walk = one.walk.and_then(|id| parts.walks.get(id))?;
    let landing = parts.clock.landing();
    if walk.clock(landing).since(walk.progress_tick) < parts.clock.rate.ticks(PINCHED_S) {
        return None;
    }
    let columns = &parts.step.bodies.columns;
    let row = one.row as usize;
    let (place, radius_m) = (columns.places[row], columns.radii_m[row]);
    let mut best: Option<(f32, u32)> = None;
    let look = Lookup { per_cell_max: PER_CELL_MAX, salt: one.row, but: one.row };
    near.visit(place, radius_m + widest_m + TOUCH_M, look, |other, distance_m_sq| {
        let at = other as usize;
        let touches = distance_m_sq.sqrt() <= radius_m + columns.radii_m[at] + TOUCH_M;
        let is_ahead = (columns.places[at] - place).dot(one.ahead) > 0.0;
        let is_level = parts.step.bodies.are_level(one.row, other);
        if touches && is_ahead && is_level && !columns.stances[at].moving {
            let this = (distance_m_sq, other);
            best = Some(best.map_or(this, |best| if this < best { this } else { best }));
        }
    });
    // Followers make way by themselves.
    let pincher = best.map(|(_, other)| parts.step.bodies.ids[other as usize]);
    pincher.filter(|&who| !parts.people().follows(who, walk.character))
}

/// Asks a character in the way of a walker to step aside.
fn ask_aside(parts: &mut YieldingParts<'_>, one: &Held, other: CharacterId) {
    let (clock, people) = (parts.clock, parts.people());
    let walk = one.walk.and_then(|id| people.walks.get(id));
    debug_assert!(walk.is_some() == one.walk.is_some(), "no walk goes away between steps 7 and 9");
    // A character that steps aside asks the next, so that whole files back out.
    let asks = walk.is_none_or(|walk| walk.options.crowd == Crowd::Push);
    let Some(character) = people.characters.alive(other) else {
        return;
    };
    let by = parts.step.bodies.ids[one.row as usize];
    let keeps = match walk {
        Some(walk) => keeps_goal(clock, people, walk, other),
        None => asked_for(people, by).is_some_and(|walk| people.has_come_to(other, walk)),
    };
    // Where it was pushed beyond its place, it does not send back the one that it makes room for.
    let nudge_of = |who| people.characters.get(who).and_then(|who| who.nudge);
    let is_asker = one.walk.is_none() && nudge_of(by).is_some_and(|nudge| nudge.by == other);
    if !asks || keeps || is_asker || !may_be_asked(clock, people, character) {
        return;
    }
    let bodies = &parts.step.bodies;
    let way = way_ahead(bodies.place_of(parts.characters, one.row), one.ahead, walk, WAY_AHEAD_M);
    if let Some(to) = aside(parts, other, by, &way) {
        nudge(parts, other, by, to);
    }
}

/// The walk for which a character steps aside: that of the one that asked it, or that asked the one that did.
fn asked_for(people: People<'_>, who: CharacterId) -> Option<&Walk> {
    /// A file of so many steps aside for one walk.
    const FILE_MAX: usize = 16;
    let asker = |who: &CharacterId| people.characters.get(*who)?.nudge.map(|nudge| nudge.by);
    let mut askers = std::iter::successors(asker(&who), asker).take(FILE_MAX);
    askers.find_map(|who| people.walks.get(people.characters.get(who)?.walk?))
}

/// The way that a walker has before it, from where it is: along its path, or straight on for a character that
/// steps aside.
fn way_ahead(from: Vec3, ahead: Vec2, walk: Option<&Walk>, length_m: f32) -> Vec<Vec3> {
    let straight = [from + Vec3::new(ahead.x, 0.0, ahead.y) * length_m];
    let following = walk.and_then(Walk::way);
    let ahead = following.map_or(&straight[..], |following| following.cursor.ahead(&following.path));
    let (mut way, mut left_m) = (vec![from], length_m);
    let mut last = from;
    for &point in ahead {
        let length_m = flat_distance(last, point);
        way.push(if length_m > left_m { last.lerp(point, left_m / length_m) } else { point });
        (last, left_m) = (point, left_m - length_m);
        if left_m <= 0.0 {
            break;
        }
    }
    way
}

/// Whether a character stands on the goal of a walk, or leaves no room there: it was there first. So was one
/// that has come to the same goal. A follower of the walker keeps no goal from it, nor does one that was
/// asked aside since the walk began, and came to stand there because of that, until the walk has found it
/// there.
fn keeps_goal(clock: &Clock, people: People<'_>, walk: &Walk, who: CharacterId) -> bool {
    let Some(character) = people.characters.alive(who) else {
        return false;
    };
    let is_placed = walk.goal_slot.is_some_and(|slot| slot.beside == who);
    let holds = floor_distance(walk.target(), character.body.position) <= character.body.radius_m;
    let is_there = holds || people.leaves_no_room(character, walk, walk.target());
    let landing = clock.landing();
    let asked = character.nudged.and_then(|asked| asked.ago_ticks(landing));
    let was_first =
        walk.goal_occupant == Some(who) || asked.is_none_or(|ago| ago > landing.since(walk.issued));
    let keeps = is_placed || was_first && is_there && people.is_on_goal_layer(character, walk);
    keeps && !people.follows(who, walk.character) || people.has_come_to(who, walk)
}

fn may_be_asked(clock: &Clock, people: People<'_>, character: &Character) -> bool {
    let cooldown = clock.rate.ticks(f64::from(people.crowd.nudge_cooldown_ms) / 1000.0);
    let ago = character.nudged.and_then(|asked| asked.ago_ticks(clock.landing()));
    let rested = ago.is_none_or(|ago| ago >= cooldown);
    rested && people.steps_aside(character) && character.nudge.is_none()
}

/// Where a character steps aside to, out of the way that the other has before it: straight away from that
/// one, to either side, or past it where it is wide enough for that, the first in a clear line. Where all of
/// them stay in the way, two steps lead round a corner, so that a character in an archway is asked once; only
/// then a place in the way. Where the walls leave none of the four, the same four along the walls: in a
/// passage of one cell a character met a little askew would have nowhere to go (seed:D6). In a niche a part
/// of a step may do. Before a bend it goes round that, along the way; where the way ends there, it goes as
/// far as it can and on from there.
fn aside(parts: &YieldingParts<'_>, who: CharacterId, by: CharacterId, way: &[Vec3]) -> Option<StepAside> {
    let asked = AskedAside::of(parts, who, by, way)?;
    let all = asked.places();
    let past = usize::from(asked.may_pass());
    let onward = || {
        let way = way_of_first(parts.people(), by, asked.place)?;
        let clear = |from, to| asked.ground.clear(from, to);
        along_way(&way, asked.place, parts.crowd.nudge_m, clear)
    };
    // Into the arms of the asker only where nothing else is left.
    let back = || all.iter().find_map(|places| asked.first_clear(&places[places.len() - 1..]));
    all.iter()
        .find_map(|places| asked.first_of(places, past))
        .or_else(|| asked.deeper(all.iter().flat_map(|places| &places[..places.len() - 1 + past])))
        .or_else(onward)
        .or_else(|| asked.round_bend(&all[..2]))
        .or_else(back)
}

/// A character that is asked aside.
struct AskedAside<'a> {
    place: Vec3,
    nav: &'a NavMap,
    ground: GroundQuery<'a>,
    /// The four steps that it may make, the last past the one that asks.
    steps: [Vec2; 4],
    /// The way that is to be free, from the one that asks on, and how far from it is out of it, metres.
    way: &'a [Vec3],
    room_m: f32,
}

impl<'a> AskedAside<'a> {
    fn of(parts: &'a YieldingParts<'_>, who: CharacterId, by: CharacterId, way: &'a [Vec3]) -> Option<Self> {
        let character = parts.characters.get(who)?;
        let place = character.body.position;
        let (from, ahead) = (*way.first()?, way.get(1).map_or(Vec2::ZERO, |next| flat(*next - way[0])));
        let away = unit(flat(place - from)).or_else(|| unit(ahead))?;
        let rules = pass_rules(&parts.map.doors, Some(&character.tags));
        Some(Self {
            place,
            nav: &parts.map.nav,
            ground: parts.map.nav.footing(&Traversal { rules, ..standing_on(character) }),
            steps: candidates(away, parts.crowd.nudge_m),
            way,
            room_m: character.body.radius_m + parts.characters.get(by)?.body.radius_m,
        })
    }

    /// Where its steps lead: as they are, along the walls, and a hand's breadth off them.
    fn places(&self) -> [[Vec3; 4]; 3] {
        let along = self.steps.map(|step| beside(self.place, along_axis(step)));
        let off = along.map(|to| off_the_wall(self.nav, to));
        [self.steps.map(|step| beside(self.place, step)), along, off]
    }

    fn is_in_the_way(&self, to: Vec3) -> bool {
        let on_way = steer::nearest(self.way, OnPath { segment: 0, point: to }, f32::INFINITY);
        flat_distance(on_way.point, to) < self.room_m
    }

    /// Whether there is room for it to go past the one that asks.
    fn may_pass(&self) -> bool {
        let side = self.steps[1].normalize_or_zero() * self.room_m;
        let is_wide = |at: Vec3| {
            let reach_m = |side: Vec2| flat_distance(at, self.ground.last_clear(at, beside(at, side)));
            reach_m(side) + reach_m(-side) >= self.room_m + PASSING_GAP_M
        };
        is_wide(self.place) && self.way.first().is_some_and(|&from| is_wide(from))
    }

    fn first_clear(&self, places: &[Vec3]) -> Option<StepAside> {
        places.iter().find(|&&to| self.ground.clear(self.place, to)).map(|&to| StepAside { to, via: None })
    }

    /// The first of four places in a clear line: out of the way, round a corner, or in it. The last counts
    /// where there is room to go `past` the one that asks.
    fn first_of(&self, places: &[Vec3; 4], past: usize) -> Option<StepAside> {
        let (onward, all) = (&places[..places.len() - 1], &places[..places.len() - 1 + past]);
        let out_of_it: Vec<Vec3> = all.iter().copied().filter(|&to| !self.is_in_the_way(to)).collect();
        self.first_clear(&out_of_it)
            .or_else(|| self.by_one_of(onward, &self.steps))
            .or_else(|| self.first_clear(onward))
    }

    /// A part of a step towards one of these places, out of the way: in a niche.
    fn deeper<'p>(&self, mut places: impl Iterator<Item = &'p Vec3>) -> Option<StepAside> {
        places.find_map(|&to| {
            let to = self.ground.last_clear(self.place, to);
            let is_step = flat_distance(self.place, to) >= STEP_MIN_M && !self.is_in_the_way(to);
            is_step.then_some(StepAside { to, via: None })
        })
    }

    /// As far towards one of the places before it as there is room, and from there a whole step out of the
    /// way.
    fn round_bend(&self, all: &[[Vec3; 4]]) -> Option<StepAside> {
        /// Part of the way to the wall.
        const NEARLY: f32 = 0.7;
        let onward = |places: &[Vec3; 4]| places[..places.len() - 1].to_vec();
        let vias = all.iter().flat_map(onward).flat_map(|to| {
            let last = self.ground.last_clear(self.place, to);
            [off_the_wall(self.nav, last), self.place.lerp(last, NEARLY)]
        });
        let vias: Vec<Vec3> = vias.filter(|&via| flat_distance(self.place, via) >= STEP_MIN_M).collect();
        self.by_one_of(&vias, &self.steps[..self.steps.len() - 1])
    }

    /// By one of these places, and one of these steps, or that along the walls, out of the way.
    fn by_one_of(&self, vias: &[Vec3], steps: &[Vec2]) -> Option<StepAside> {
        let vias = vias.iter().filter(|&&via| self.ground.clear(self.place, via));
        vias.copied().find_map(|via| {
            let steps = steps.iter().copied().chain(steps.iter().copied().map(along_axis));
            let mut ends = steps.map(|step| beside(via, step)).filter(|&to| !self.is_in_the_way(to));
            ends.find(|&to| self.ground.clear(via, to)).map(|to| StepAside { to, via: Some(via) })
        })
    }
}

/// A step from a place.
fn beside(from: Vec3, step: Vec2) -> Vec3 {
    Vec3::new(from.x + step.x, from.y, from.z + step.y)
}

/// The way past a character of the walker for which it is asked aside, be it by that walker or by those
/// before it.
fn way_of_first(people: People<'_>, by: CharacterId, place: Vec3) -> Option<Vec<Vec3>> {
    /// So many ask one another, at most.
    const ASKERS_MAX: usize = 12;
    let asker = |id: &CharacterId| Some(people.characters.alive(*id)?.nudge?.by);
    let first = std::iter::successors(Some(by), asker).take(ASKERS_MAX).last()?;
    let character = people.characters.alive(first)?;
    let walk = people.walks.get(character.walk?)?;
    let from = character.body.position;
    Some(way_ahead(from, Vec2::ZERO, Some(walk), WAY_AHEAD_M + flat_distance(from, place)))
}

/// A step on along a way, round its next corner: where a lane bends, no straight one fits. A way keeps to the
/// very edge of the ground where it bends, so places to either side of it do as well.
fn along_way(
    way: &[Vec3],
    place: Vec3,
    step_m: f32,
    clear: impl Fn(Vec3, Vec3) -> bool,
) -> Option<StepAside> {
    /// Metres between places on the way by which it is tried to go.
    const APART_M: f32 = 0.2;
    /// Metres to the side of the way.
    const BESIDE_M: [f32; 3] = [0.0, 0.1, -0.1];
    let at = steer::nearest(way, OnPath { segment: 0, point: place }, f32::INFINITY);
    let end = steer::along(way, at, step_m);
    // Not where the way ends: there it would stand in the way again.
    if end.point == *way.last()? {
        return None;
    }
    let beside = |on: OnPath| {
        let leg = way.get(on.segment..on.segment + 2).and_then(|ends| unit(flat(ends[1] - ends[0])));
        let side = leg.map_or(Vec2::ZERO, Vec2::perp);
        BESIDE_M.map(|side_m| on.point + Vec3::new(side.x, 0.0, side.y) * side_m)
    };
    let ends = beside(end);
    if let Some(to) = ends.into_iter().find(|&to| clear(place, to)) {
        return Some(StepAside { to, via: None });
    }
    // A character that stands half in a niche comes out of it first. The cast saturates.
    let count = (step_m / APART_M) as u32;
    let vias = (0..count.min(8)).flat_map(|step| beside(steer::along(way, at, APART_M * step as f32)));
    vias.filter(|&via| clear(place, via)).find_map(|via| {
        let to = ends.into_iter().find(|&to| clear(via, to))?;
        Some(StepAside { to, via: Some(via) })
    })
}

/// A step aside to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
struct StepAside {
    to: Vec3,
    via: Option<Vec3>,
}

/// A hand's breadth nearer to the middle of its node: a body that was pressed to a wall stands on its very
/// edge, and the line along an edge touches what lies beyond it.
fn off_the_wall(nav: &NavMap, to: Vec3) -> Vec3 {
    const HAND_M: f32 = 0.05;
    let middle = nav.node_centre(to).unwrap_or(to);
    to + (middle - to).clamp_length_max(HAND_M)
}

/// The four steps that one may make aside, in order of preference (seed:C7).
fn candidates(away: Vec2, step_m: f32) -> [Vec2; 4] {
    [away, Vec2::new(-away.y, away.x), Vec2::new(away.y, -away.x), -away].map(|step| step * step_m)
}

/// The part of a step along the axis it is nearest to, which walls of cells follow: seven tenths of it or
/// more.
fn along_axis(step: Vec2) -> Vec2 {
    if step.x.abs() >= step.y.abs() { Vec2::new(step.x, 0.0) } else { Vec2::new(0.0, step.y) }
}

fn nudge(parts: &mut YieldingParts<'_>, who: CharacterId, by: CharacterId, StepAside { to, via }: StepAside) {
    let tick = parts.clock.landing();
    let until = tick.after(parts.clock.rate.ticks(NUDGE_S));
    if let Some(character) = parts.characters.get_mut(who) {
        character.nudge = Some(Nudge { to, via, by, until });
        character.nudged = Some(Past::at(tick));
        parts.characters.note_asked_aside(who);
        parts.events.push(Fact::Nudged { character: who, by, to });
    }
}

#[cfg(test)]
mod tests;
