//! Overlap resolution: pushes overlapping bodies apart.
//!
//! In: bodies as columns (place, radius, stance), the ground as two questions. Out: their new places, and a
//! report of which bodies touched and which could not be moved. Holds: pairs are taken in the order of their
//! numbers, whichever thread found them, a few times in turn, half the overlap each (seed:C1-C3). The line
//! from where a body began the step to where it ends is clear, always; where it would not be, the partner
//! takes the whole push if its own line is clear (seed:C4). Nobody is moved further than `push_max_m` a time.
//! Overlaps within the slack are left alone, so what stands comes to rest (seed:C5). Steps that end in
//! another body all the same are taken back, so that a crowd is never pressed into itself. Bodies at one
//! point part in a direction given by their numbers. Cost: linear in the bodies however crowded they are,
//! because a crowded cell is looked at in part; the part differs from body to body. Questions about walls
//! have a budget (`PushSettings::questions_max`), which heaps of thousands beside walls use up: then bodies
//! near walls wait for their turn, which comes round every few steps, and nobody is moved unasked. Not here:
//! which walkers are nudged aside, and which plan again; the report is for these decisions. Floors are told
//! apart by height alone. Source: position relaxation in Gauss-Seidel order (Jakobsen 2001); walls, bounds
//! and order are ours.

use glam::{Vec2, Vec3};

use crate::base::spatial_hash::{HashCells, Lookup, SpatialHash};
use crate::base::threads::Threads;
use crate::nav::GroundQuery;

#[cfg(test)]
mod tests;

/// What the kernel asks about the ground.
pub trait Ground {
    /// Whether a body, given by its index, may move in a straight line from one place to another. A body that
    /// stands where it may not is answered false, and stays.
    fn clear(&self, from: Vec3, to: Vec3, body: usize) -> bool;

    /// Whether every straight line of a body within `reach_m` of `place` is clear. May say false when in
    /// doubt: true only saves the questions for lines.
    fn is_open(&self, place: Vec3, reach_m: f32, body: usize) -> bool {
        let _ = (place, reach_m, body);
        false
    }

    /// How much of the budget of questions a line of a body that began the step at `place` takes, at least 1:
    /// what a line of a few cells costs.
    fn price(&self, place: Vec3, body: usize) -> u32 {
        let _ = (place, body);
        1
    }
}

/// Ground without walls.
#[derive(Clone, Copy, Debug, Default)]
pub struct Open;

impl Ground for Open {
    fn clear(&self, _from: Vec3, _to: Vec3, _body: usize) -> bool {
        true
    }

    fn is_open(&self, _place: Vec3, _reach_m: f32, _body: usize) -> bool {
        true
    }
}

/// The ground of a map, the same for all bodies.
impl Ground for GroundQuery<'_> {
    fn clear(&self, from: Vec3, to: Vec3, _body: usize) -> bool {
        GroundQuery::clear(self, from, to)
    }

    fn is_open(&self, place: Vec3, reach_m: f32, _body: usize) -> bool {
        GroundQuery::is_open(self, place, reach_m)
    }

    fn price(&self, place: Vec3, _body: usize) -> u32 {
        GroundQuery::price(self, place)
    }
}

/// How a body takes part. The default is a character that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyStance {
    /// May be pushed. Not: a body pinned to a place; the partner then takes the whole push.
    pub movable: bool,
    /// Follows a path or steps aside (seed:F7).
    pub moving: bool,
    /// Is steered by a person: pushed like others, never asked to step aside.
    pub player: bool,
    /// Touches nobody: dead, disabled or let through.
    pub ghost: bool,
}

impl Default for BodyStance {
    fn default() -> Self {
        Self { movable: true, moving: false, player: false, ghost: false }
    }
}

/// Bodies as columns of equal length; a body is its index, and indices follow the order of the characters'
/// ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bodies {
    /// Places on the ground, (x, z) in metres.
    pub places: Vec<Vec2>,
    /// Heights of the ground they stand on, metres.
    pub floors_m: Vec<f32>,
    /// Radii, metres.
    pub radii_m: Vec<f32>,
    /// Stances.
    pub stances: Vec<BodyStance>,
}

impl Bodies {
    /// Forgets all bodies and keeps the buffers.
    pub fn clear(&mut self) {
        self.places.clear();
        self.floors_m.clear();
        self.radii_m.clear();
        self.stances.clear();
    }

    /// Adds a body behind the others.
    pub fn push(&mut self, position: Vec3, radius_m: f32, stance: BodyStance) {
        self.places.push(Vec2::new(position.x, position.z));
        self.floors_m.push(position.y);
        self.radii_m.push(radius_m);
        self.stances.push(stance);
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Where body `index` is.
    ///
    /// # Panics
    /// When there is no such body.
    #[must_use]
    pub fn position(&self, index: usize) -> Vec3 {
        self.lifted(index, self.places[index])
    }

    #[inline]
    fn lifted(&self, index: usize, place: Vec2) -> Vec3 {
        Vec3::new(place.x, self.floors_m[index], place.y)
    }
}

/// Constants of pushing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PushSettings {
    /// Rounds over all pairs, 1 to 32. 3 by seed:C1; stops early when nobody was pushed.
    pub passes: u32,
    /// The furthest a body is moved, metres. 0.25: two bodies of 0.35 m on one point part the second time,
    /// and a push is shorter than a cell of 0.4 m.
    pub push_max_m: f32,
    /// Overlap that is left alone, metres. 0.001: a hundredth of what counts as overlapping (5 % of 0.35 m is
    /// 0.0175).
    pub slack_m: f32,
    /// Gap up to which two bodies are watched meanwhile, metres: bodies that come into contact by these
    /// pushes only are pushed too. 0.1: fewer pairs than with the whole 0.5 that two pushes could close; the
    /// rest follow a step later.
    pub watch_m: f32,
    /// Bodies whose floors are further apart than this do not touch, metres. 1.5: less than a storey, more
    /// than a step.
    pub storey_m: f32,
    /// Bodies looked at for each cell, at most. 6: packed bodies of one size are two to a cell, of
    /// half that size six. More only lengthens the tick when thousands share a cell.
    pub per_cell_max: u32,
    /// Questions about walls in one call, at most; a quarter of it more for those whose turn it is once it is
    /// used up. A question counts as [`Ground::price`] says. [`QUESTIONS_MAX`] unless given.
    pub questions_max: u32,
    /// Which bodies may ask once `questions_max` is used up: another number, others. Callers give the number
    /// of the step, so that every body has its turn.
    pub turn: u32,
    /// The threads that look for pairs: the same pairs for any number of them. Pushes are one after another.
    pub threads: Threads,
}

/// Questions about walls in one call, at most. A crowd of 1,000 bodies, each pressed to a wall, asks up to 60
/// for each; a heap of thousands on one spot would ask a million, a second long.
pub const QUESTIONS_MAX: u32 = 64_000;

/// Cells of a crowd that is not dense, as a part of the reach of a pair. 3: there are nine times fewer of
/// them to fill, and still most are empty.
const SPARSE_CELL: f32 = 3.0;

/// Bodies in the cell of a body, in the mean, above which thousands are in heaps. Bodies packed side by side
/// are two to a cell.
const HEAP_CROWD: usize = 6;

/// Rounds of pushing where thousands are in heaps: there most pushes cost questions about walls, and more
/// rounds only lengthen the tick.
const HEAP_ROUNDS: u32 = 2;

/// Bodies looked at for each cell where thousands are in heaps: which ones changes as they move.
const HEAP_PER_CELL_MAX: u32 = 3;

/// Bodies whose heaps are looked at as closely as any crowd.
const HEAP_BODIES_MIN: usize = 2_000;

/// Pairs looked at in one call for steps that are taken back, at most, all rounds together; one round is
/// always made.
const HOLD_LOOKS_MAX: usize = 500_000;

impl Default for PushSettings {
    fn default() -> Self {
        Self {
            passes: 3,
            push_max_m: 0.25,
            slack_m: 0.001,
            watch_m: 0.1,
            storey_m: 1.5,
            per_cell_max: 6,
            questions_max: QUESTIONS_MAX,
            turn: 0,
            threads: Threads::ONE,
        }
    }
}

/// Two bodies that touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contact {
    /// The lower index.
    pub first: u32,
    /// The higher index.
    pub second: u32,
}

/// What pushing did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PushReport {
    /// Pairs that touched, sorted, each once.
    pub contacts: Vec<Contact>,
    /// Those that were moved, sorted.
    pub pushed: Vec<u32>,
    /// Pushes, or halves of pushes, that were not made because of a wall.
    pub refused_count: u32,
    /// The deepest overlap that the last round found, metres.
    pub deepest_m: f32,
    /// What was asked about walls, by [`Ground::price`].
    pub asked_count: u32,
    /// Whether the budget of questions was used up, so that some bodies were not pushed that might have been.
    pub is_short: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct BodyPair {
    first: u32,
    second: u32,
    /// Sum of the radii, metres.
    touch_m: f32,
    has_touched: bool,
}

impl BodyPair {
    /// As near as the two may come, metres between centres.
    fn least_m(&self, bodies: &Bodies) -> f32 {
        let radii_m = [bodies.radii_m[self.first as usize], bodies.radii_m[self.second as usize]];
        self.touch_m - LEFT * radii_m[0].min(radii_m[1])
    }
}

/// Overlap that is left to the pushes of the next step, as a part of the smaller radius: a little under the 5
/// % that counts.
const LEFT: f32 = 0.04;

/// A body that began so much deeper in another has to get out, metres.
const BEGAN_IN_M: f32 = 0.002;

/// Less than this is not worth going back for, metres.
const HELD_BACK_M: f32 = 1e-5;

/// Rounds over all pairs in which steps are taken back, at most.
const SWEEPS_MAX: u32 = 16;

/// What is known about the ground around a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KnownGround {
    Unknown,
    Open,
    /// With what a question costs.
    Walls(u32),
}

/// What may be asked about walls in one call.
#[derive(Clone, Debug, Default)]
struct Questions {
    /// Left of the budget.
    left: u32,
    /// Left for those whose turn it is, once the budget is used up.
    reserve: u32,
    turn: u32,
    /// One body in so many has its turn; 0 as long as the budget lasts.
    every: u32,
    /// What each body has asked since.
    since: Vec<u8>,
    asked_count: u32,
}

/// Questions for each body whose turn it is: two pushes, along walls.
const QUESTIONS_A_TURN: u8 = 8;

impl Questions {
    fn begin(&mut self, settings: &PushSettings) {
        self.left = settings.questions_max;
        self.reserve = settings.questions_max / 4;
        (self.turn, self.every, self.asked_count) = (settings.turn, 0, 0);
        self.since.clear();
    }

    fn is_short(&self) -> bool {
        self.every > 0
    }

    /// Whether a body may ask a question of a price. Takes it.
    #[inline]
    fn take(&mut self, body: usize, price: u32, around: &[KnownGround]) -> bool {
        if self.is_short() {
            return self.take_in_turn(body, price);
        }
        if let Some(left) = self.left.checked_sub(price) {
            self.left = left;
            self.asked_count = self.asked_count.saturating_add(price);
            return true;
        }
        self.share_out(around);
        self.take_in_turn(body, price)
    }

    /// Shares the reserve out among as many as it is enough for.
    #[cold]
    fn share_out(&mut self, around: &[KnownGround]) {
        let prices = around.iter().filter_map(|around| match around {
            KnownGround::Walls(price) => Some(u64::from(*price)),
            KnownGround::Unknown | KnownGround::Open => None,
        });
        let (count, sum) = prices.fold((0, 0), |(count, sum), price| (count + 1, sum + price));
        let unknown = around.iter().filter(|around| **around == KnownGround::Unknown).count() as u64;
        // Those not seen yet are taken to be like the others.
        let all = sum.saturating_add(unknown * sum.div_ceil(u64::max(count, 1)));
        let wanted = all.saturating_mul(u64::from(QUESTIONS_A_TURN));
        let every = wanted.div_ceil(u64::from(self.reserve.max(1))).max(1);
        self.every = u32::try_from(every).unwrap_or(u32::MAX);
        self.since.resize(around.len(), 0);
    }

    fn take_in_turn(&mut self, body: usize, price: u32) -> bool {
        let has_turn = (body as u32).wrapping_add(self.turn).is_multiple_of(self.every);
        let since = &mut self.since[body];
        if !has_turn || *since >= QUESTIONS_A_TURN || self.reserve < price {
            return false;
        }
        *since += 1;
        self.reserve -= price;
        self.asked_count = self.asked_count.saturating_add(price);
        true
    }
}

/// Parts in which pairs are looked for, each by one thread.
const PARTS: usize = 16;

/// Pushes bodies apart; keeps its buffers from step to step and nothing else.
#[derive(Clone, Debug, Default)]
pub struct Resolver {
    near: SpatialHash,
    /// As found, part by part, then by (first, second).
    found: [Vec<BodyPair>; PARTS],
    pairs: Vec<BodyPair>,
    /// First index to its first pair; for sorting.
    starts: Vec<u32>,
    /// Where each body was.
    origins: Vec<Vec2>,
    around: Vec<KnownGround>,
    questions: Questions,
    report: PushReport,
}

impl Resolver {
    /// Pushes apart bodies that overlap. Cost: linear in the bodies.
    ///
    /// # Panics
    /// When the columns of `bodies` differ in length.
    pub fn resolve(
        &mut self,
        bodies: &mut Bodies,
        ground: &impl Ground,
        settings: &PushSettings,
    ) -> &PushReport {
        let count = bodies.len();
        let columns = [bodies.floors_m.len(), bodies.radii_m.len(), bodies.stances.len()];
        assert!(columns == [count; 3], "the columns of bodies are equally long");
        self.report.contacts.clear();
        self.report.pushed.clear();
        (self.report.refused_count, self.report.deepest_m) = (0, 0.0);
        let settings = &self.find_pairs(bodies, settings);
        self.sort_pairs(count);
        self.origins.clone_from(&bodies.places);
        self.around.clear();
        self.around.resize(count, KnownGround::Unknown);
        self.questions.begin(settings);
        for _ in 0..settings.passes {
            if !self.pass(bodies, ground, settings) || self.questions.is_short() {
                break;
            }
        }
        (self.report.asked_count, self.report.is_short) =
            (self.questions.asked_count, self.questions.is_short());
        self.fill_report(bodies);
        &self.report
    }

    /// Takes steps back that end in another body, once [`Resolver::resolve`] could not part the two: a body
    /// that came nearer in this step returns to where it began, the one that came further first, until no
    /// pair overlaps by more than `LEFT` that did not before. So what is pressed together, along a wall or
    /// from all sides, is never pressed into one another: the bodies at the end stand still, and those behind
    /// them. A body that began in another may go on, because it has to get out; but not into a standing body.
    /// `began` are the places before the steps; `held` gets the bodies that were moved back, in no order.
    /// Cost: linear in the pairs, times `SWEEPS_MAX` where a crowd is pressed together.
    ///
    /// # Panics
    /// When `began` is shorter than the columns that were resolved.
    pub fn hold_back(&mut self, bodies: &mut Bodies, began: &[Vec2], held: &mut Vec<u32>) {
        let sweeps_max = (HOLD_LOOKS_MAX / self.pairs.len().max(1)).max(1) as u32;
        for sweep in 0..SWEEPS_MAX.min(sweeps_max) {
            let before_count = held.len();
            for at in 0..self.pairs.len() {
                // To and fro: what is held back at either end of a file reaches the other at once.
                let at = if sweep % 2 == 0 { at } else { self.pairs.len() - 1 - at };
                let pair = self.pairs[at];
                let (first, second) = (pair.first as usize, pair.second as usize);
                // A standing body made no step to take back.
                if !bodies.stances[first].moving && !bodies.stances[second].moving {
                    continue;
                }
                let least_m = pair.least_m(bodies);
                let apart_m_sq = (bodies.places[second] - bodies.places[first]).length_squared();
                if apart_m_sq < least_m * least_m {
                    self.hold_one(bodies, began, [first, second], least_m, held);
                }
            }
            if held.len() == before_count {
                break;
            }
        }
    }

    /// Moves one of two back that came nearer.
    fn hold_one(
        &mut self,
        bodies: &mut Bodies,
        began: &[Vec2],
        [first, second]: [usize; 2],
        least_m: f32,
        held: &mut Vec<u32>,
    ) {
        let apart_m = (bodies.places[second] - bodies.places[first]).length();
        let gain_m = |body: usize, other: usize| {
            let stands = !bodies.stances[other].moving;
            let began_in = (began[first] - began[second]).length() < least_m - BEGAN_IN_M;
            let may = bodies.stances[body].moving && (stands || !began_in);
            if may { (began[body] - bodies.places[other]).length() - apart_m } else { 0.0 }
        };
        let gains_m = [gain_m(first, second), gain_m(second, first)];
        let (body, most_m) =
            if gains_m[0] >= gains_m[1] { (first, gains_m[0]) } else { (second, gains_m[1]) };
        if most_m > HELD_BACK_M {
            bodies.places[body] = began[body];
            held.push(body as u32);
        }
    }

    /// Finds every pair that touches or is about to, each once. Returns the settings for this crowd:
    /// thousands in heaps are looked at less closely.
    fn find_pairs(&mut self, bodies: &Bodies, settings: &PushSettings) -> PushSettings {
        let (mean_m, largest_m) = mean_and_largest(&bodies.radii_m);
        self.found.iter_mut().for_each(Vec::clear);
        let is_mixed = largest_m > MIXED * mean_m;
        let reach_m = 2.0 * if is_mixed { mean_m } else { largest_m } + settings.watch_m;
        if is_mixed {
            self.near.build(&bodies.places, reach_m);
        } else {
            let sizes = HashCells { dense_m: reach_m * 1.001, sparse_m: reach_m * SPARSE_CELL };
            self.near.build_by_density(&bodies.places, sizes);
        }
        let settings = if self.is_heap(&bodies.places) { in_heaps(settings) } else { *settings };
        if is_mixed {
            self.find_mixed(bodies, &settings);
        } else {
            self.find_alike(bodies, reach_m, &settings);
        }
        settings
    }

    /// Those of bodies of one size.
    fn find_alike(&mut self, bodies: &Bodies, reach_m: f32, settings: &PushSettings) {
        let near = &self.near;
        settings.threads.for_rows(bodies.len()).share(
            &mut self.found[..],
            || (),
            |(), first, found| {
                for (part, found) in (first..).zip(found) {
                    near.pairs_in(
                        part,
                        PARTS,
                        reach_m,
                        settings.per_cell_max,
                        |one, other, distance_m_sq| {
                            found.extend(pair(bodies, one, other, distance_m_sq, settings));
                        },
                    );
                }
            },
        );
    }

    /// Whether thousands are in heaps.
    fn is_heap(&self, places: &[Vec2]) -> bool {
        places.len() > HEAP_BODIES_MIN
            && places.iter().map(|place| self.near.crowd_at(*place)).sum::<usize>()
                > HEAP_CROWD * places.len()
    }

    /// The same where sizes differ much: the larger of two finds the other (the lower index among equals), so
    /// that one giant does not make every body look far.
    fn find_mixed(&mut self, bodies: &Bodies, settings: &PushSettings) {
        for (&index, &place) in self.near.by_cell().iter().zip(self.near.points_by_cell()) {
            let radius_m = bodies.radii_m[index as usize];
            let look = Lookup { per_cell_max: settings.per_cell_max, salt: index, but: u32::MAX };
            self.near.visit(place, 2.0 * radius_m + settings.watch_m, look, |other, distance_m_sq| {
                let other_radius_m = bodies.radii_m[other as usize];
                if other_radius_m < radius_m || (other_radius_m == radius_m && other > index) {
                    self.found[0].extend(pair(bodies, index, other, distance_m_sq, settings));
                }
            });
        }
    }

    /// Sorts the pairs by (first, second): counting by the first, insertion among the few that share it.
    fn sort_pairs(&mut self, body_count: usize) {
        self.starts.clear();
        self.starts.resize(body_count + 1, 0);
        for pair in self.found.iter().flatten() {
            self.starts[pair.first as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.pairs.resize(end as usize, BodyPair::default());
        for pair in self.found.iter().rev().flat_map(|found| found.iter().rev()) {
            let slot = &mut self.starts[pair.first as usize];
            *slot -= 1;
            self.pairs[*slot as usize] = *pair;
        }
        for ends in self.starts.windows(2) {
            let group = &mut self.pairs[ends[0] as usize..ends[1] as usize];
            // Most groups hold two or three: insertion, without a call.
            if group.len() > 16 {
                group.sort_unstable_by_key(|pair| pair.second);
                continue;
            }
            for at in 1..group.len() {
                let mut slot = at;
                while slot > 0 && group[slot - 1].second > group[slot].second {
                    group.swap(slot - 1, slot);
                    slot -= 1;
                }
            }
        }
    }

    /// One round over the pairs. Whether any body was pushed.
    fn pass(&mut self, bodies: &mut Bodies, ground: &impl Ground, settings: &PushSettings) -> bool {
        let (mut has_pushed, mut deepest_m) = (false, 0.0_f32);
        let mut pushes = Pushes {
            bodies,
            ground,
            push_max_m: settings.push_max_m,
            origins: &self.origins,
            around: &mut self.around,
            questions: &mut self.questions,
            refused_count: &mut self.report.refused_count,
        };
        for pair in &mut self.pairs {
            let (first, second) = (pair.first as usize, pair.second as usize);
            let between = pushes.bodies.places[second] - pushes.bodies.places[first];
            let distance_m_sq = between.x * between.x + between.y * between.y;
            if distance_m_sq >= pair.touch_m * pair.touch_m {
                continue;
            }
            pair.has_touched = true;
            let distance_m = distance_m_sq.sqrt();
            let overlap_m = pair.touch_m - distance_m;
            deepest_m = deepest_m.max(overlap_m);
            if overlap_m > settings.slack_m {
                let apart =
                    if distance_m > 1e-6 { between / distance_m } else { parting(pair.first, pair.second) };
                has_pushed |= pushes.part(first, second, apart * overlap_m);
            }
        }
        self.report.deepest_m = deepest_m;
        has_pushed
    }

    fn fill_report(&mut self, bodies: &Bodies) {
        let touched = self.pairs.iter().filter(|pair| pair.has_touched);
        self.report.contacts.extend(touched.map(|pair| Contact { first: pair.first, second: pair.second }));
        for (index, (from, to)) in self.origins.iter().zip(&bodies.places).enumerate() {
            // A place that is not a number equals nothing, and was not pushed.
            if from != to && !from.is_nan() {
                self.report.pushed.push(index as u32);
            }
        }
    }
}

/// Makes single pushes, each within its bounds.
struct Pushes<'a, G> {
    bodies: &'a mut Bodies,
    ground: &'a G,
    push_max_m: f32,
    origins: &'a [Vec2],
    around: &'a mut [KnownGround],
    questions: &'a mut Questions,
    refused_count: &'a mut u32,
}

impl<G: Ground> Pushes<'_, G> {
    /// Moves two bodies apart by `apart` in all: half each, or the whole for one when the other cannot.
    /// Whether any moved.
    #[inline]
    fn part(&mut self, first: usize, second: usize, apart: Vec2) -> bool {
        let can_first = self.bodies.stances[first].movable;
        let can_second = self.bodies.stances[second].movable;
        let half = if can_first && can_second { apart * 0.5 } else { apart };
        let first_to = if can_first { self.reach(first, -half) } else { None };
        let second_to = if can_second { self.reach(second, half) } else { None };
        let (first_to, second_to) = match (first_to, second_to) {
            (Some(_), None) if can_second => (self.reach(first, -apart).or(first_to), None),
            (None, Some(_)) if can_first => (None, self.reach(second, apart).or(second_to)),
            both => both,
        };
        let mut has_moved = false;
        for (index, to) in [(first, first_to), (second, second_to)] {
            if let Some(to) = to {
                has_moved |= to != self.bodies.places[index];
                self.bodies.places[index] = to;
            }
        }
        has_moved
    }

    /// Where a push takes a body: within its bound, along a clear line from where it began; none if a
    /// wall is in the way.
    #[inline]
    fn reach(&mut self, index: usize, push: Vec2) -> Option<Vec2> {
        let origin = self.origins[index];
        let mut moved = self.bodies.places[index] + push - origin;
        let moved_m_sq = moved.x * moved.x + moved.y * moved.y;
        if moved_m_sq > self.push_max_m * self.push_max_m {
            moved *= self.push_max_m / moved_m_sq.sqrt();
        }
        let to = origin + moved;
        if self.is_clear(index, to) {
            return Some(to);
        }
        if let Some(along) = self.along_wall(index, to) {
            return Some(along);
        }
        *self.refused_count += 1;
        None
    }

    /// The part of a push along the nearest axis that is clear, the longer one first: what is left of it
    /// beside a wall.
    fn along_wall(&mut self, index: usize, to: Vec2) -> Option<Vec2> {
        let at = self.bodies.places[index];
        let (by_x, by_z) = (Vec2::new(to.x, at.y), Vec2::new(at.x, to.y));
        let is_longer_by_x = (to.x - at.x).abs() >= (to.y - at.y).abs();
        let [first, second] = if is_longer_by_x { [by_x, by_z] } else { [by_z, by_x] };
        [first, second]
            .into_iter()
            .find(|&place| (place - at).length_squared() > SLID_MIN_M_SQ && self.is_clear(index, place))
    }

    #[inline]
    fn is_clear(&mut self, index: usize, to: Vec2) -> bool {
        let origin = self.bodies.lifted(index, self.origins[index]);
        let price = match self.around[index] {
            KnownGround::Open => return true,
            KnownGround::Walls(price) => price,
            // A little more than the push, for rounding.
            KnownGround::Unknown if self.ground.is_open(origin, self.push_max_m * 1.001, index) => {
                self.around[index] = KnownGround::Open;
                return true;
            }
            KnownGround::Unknown => {
                let price = self.ground.price(origin, index).max(1);
                self.around[index] = KnownGround::Walls(price);
                price
            }
        };
        self.questions.take(index, price, self.around)
            && self.ground.clear(origin, self.bodies.lifted(index, to), index)
    }
}

/// The same settings with fewer rounds, looks and questions.
fn in_heaps(settings: &PushSettings) -> PushSettings {
    PushSettings {
        passes: settings.passes.min(HEAP_ROUNDS),
        per_cell_max: settings.per_cell_max.min(HEAP_PER_CELL_MAX),
        questions_max: settings.questions_max / 2,
        ..*settings
    }
}

/// What is less than this, squared, is no push along a wall: a tenth of a millimetre.
const SLID_MIN_M_SQ: f32 = 1e-8;

/// Largest radius by the mean, above which sizes count as mixed: cells for the largest would then hold crowds
/// of the others.
const MIXED: f32 = 2.0;

/// Over the radii that are finite; zero without any.
fn mean_and_largest(radii_m: &[f32]) -> (f32, f32) {
    let (mut sum_m, mut count, mut largest_m) = (0.0, 0u32, 0.0f32);
    for &radius_m in radii_m.iter().filter(|radius_m| radius_m.is_finite()) {
        sum_m += radius_m;
        count += 1;
        largest_m = largest_m.max(radius_m);
    }
    (sum_m / count.max(1) as f32, largest_m)
}

/// The pair of two bodies, in order, if it is close enough to watch and the two may touch at all.
#[inline]
fn pair(
    bodies: &Bodies,
    one: u32,
    other: u32,
    distance_m_sq: f32,
    settings: &PushSettings,
) -> Option<BodyPair> {
    let (first, second) = (one.min(other), one.max(other));
    let (a, b) = (first as usize, second as usize);
    let touch_m = bodies.radii_m[a] + bodies.radii_m[b];
    let watched_m = touch_m + settings.watch_m;
    let (stance, partner) = (bodies.stances[a], bodies.stances[b]);
    let is_pair = distance_m_sq < watched_m * watched_m
        && !stance.ghost
        && !partner.ghost
        && (stance.movable || partner.movable || stance.moving || partner.moving)
        && (bodies.floors_m[a] - bodies.floors_m[b]).abs() <= settings.storey_m;
    is_pair.then_some(BodyPair { first, second, touch_m, has_touched: false })
}

/// The direction in which the second of two bodies at one point goes: a unit vector given by their indices.
#[must_use]
pub fn parting(first: u32, second: u32) -> Vec2 {
    let mut bits = (u64::from(first) << 32 | u64::from(second)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits ^= bits >> 29;
    bits = bits.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    // A point of the circle without trigonometry: t from -1 to 1 gives one half of it, one bit chooses which.
    let t = (bits >> 40) as f32 / (1u32 << 23) as f32 - 1.0;
    let half = Vec2::new(1.0 - t * t, 2.0 * t) / (1.0 + t * t);
    if bits & 1 == 0 { half } else { -half }
}
