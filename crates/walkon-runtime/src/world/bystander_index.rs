//! A spatial index of the characters that plans must avoid.
//!
//! In: characters, where they stand, a straight line. Out: those beside the line, each with the circle that a
//! plan keeps out of. Holds: only a character that stands counts (seed:D3, D4), or that waits at a door which
//! the line does not go through, within the level's distance of the straight line from start to goal, and
//! with the level's part of its radius (seed:D5), or as far as two bodies need where it does not step aside
//! and a walk asks; the answer is that of a look at every
//! character, in order of creation, and tells how things are now, also for characters that came to stand
//! since the look-up was built. Not here: what a plan makes of them.
//!
//! The straight line, not the path: a character beside a long detour is not seen; avoidance and pushing deal
//! with it. Method: the first question of a phase sorts places into cells; a character that appears, is put
//! somewhere or comes to stand after that is kept in a short list, and when the list gets long everything is
//! sorted again.

use glam::{Vec2, Vec3};

use crate::base::geom::{floor_distance, ground, segment_distance_sq};
use crate::base::ids::{CharacterId, DoorId};
use crate::base::ordered;
use crate::base::spatial_hash::{Lookup, SpatialHash};
use crate::base::threads::Threads;
use crate::crowd::steer::flat;
use crate::nav::Disc;
use crate::world::asker::goal_layer;
use crate::world::bystanders::{Bystanders, KeepOff, Straight};
use crate::world::character::{Character, Characters};
use crate::world::goal::Goal;
use crate::world::leaders::Leaders;
use crate::world::settings::CrowdSettings;
use crate::world::walk::{AcceptEnd, Phase, Walk};
use crate::world::walks::Walks;

/// Size of a cell of the look-up, metres: a question reaches about seven metres, and two cells each way are
/// cheap.
const CELL_M: f32 = 4.0;

/// The list of characters that came to stand since the look-up was built reaches at least this length before
/// everything is sorted again.
const LATE_MIN: usize = 64;

/// The look-up.
#[derive(Clone, Debug, Default)]
pub(crate) struct BystanderIndex {
    near: SpatialHash,
    points: Vec<Vec2>,
    /// By number of the point.
    who: Vec<CharacterId>,
    /// How many had been noted when it was built: characters noted later may stand where it does not have
    /// them.
    noted: usize,
    is_built: bool,
    /// Whether one of them waits at a door.
    has_queue: bool,
    found: Vec<u32>,
    /// The threads that look for standing characters: any number of them finds the same ones.
    pub(crate) threads: Threads,
}

/// What a body needs beside a character to come to a goal without touching, metres.
pub(crate) const ROOM_M: f32 = 0.03;

/// All characters with their walks, and the constants of the crowd.
#[derive(Clone, Copy, Debug)]
pub struct People<'a> {
    pub(crate) characters: &'a Characters,
    pub(crate) walks: &'a Walks,
    pub(crate) crowd: &'a CrowdSettings,
    /// Which of them follow which.
    pub(crate) leaders: &'a Leaders,
}

impl People<'_> {
    /// Whether a character stands, so that plans keep out of it: alive, on no path and not stepping aside.
    /// A moving character is transparent to plans (seed:D3, D4, F8).
    pub(crate) fn stands(&self, character: &Character) -> bool {
        let walk = character.walk.and_then(|walk| self.walks.get(walk));
        // Most are under way: nothing else is read of them.
        !walk.is_some_and(Walk::is_under_way)
            && character.nudge.is_none()
            && self.characters.is_alive(character)
    }

    /// Asks the processor for what it reads of those who come soon after the one at a place: for each first,
    /// and once that is there for its walk.
    #[inline]
    pub(crate) fn fetch(&self, ids: &[CharacterId], at: usize) {
        const CHARACTER_AHEAD: usize = 16;
        const WALK_AHEAD: usize = 8;
        ids.get(at + CHARACTER_AHEAD).into_iter().for_each(|&id| self.characters.fetch_body(id));
        let walk = ids.get(at + WALK_AHEAD).and_then(|&id| self.characters.get(id)?.walk);
        walk.into_iter().for_each(|walk| self.walks.fetch_way(walk));
    }

    /// The door at which a character waits, if it does.
    fn door_of(&self, character: &Character) -> Option<DoorId> {
        let walk = character.walk.and_then(|walk| self.walks.get(walk)).filter(|walk| !walk.is_paused)?;
        match walk.phase {
            Phase::AtDoor(door) if character.nudge.is_none() && self.characters.is_alive(character) => {
                Some(door)
            }
            _ => None,
        }
    }

    /// Whether plans may have to keep out of a character: it stands, or waits at a door that others do not
    /// want to go through.
    pub(crate) fn is_obstacle(&self, character: &Character) -> bool {
        self.stands(character) || self.door_of(character).is_some()
    }

    /// Whether a plan along a line keeps out of a character.
    fn is_in_the_way(&self, character: &Character, line: &Straight<'_>) -> bool {
        let waits_elsewhere = |door: DoorId| line.goes_through.is_some_and(|doors| !doors.contains(&door));
        self.stands(character) || self.door_of(character).is_some_and(waits_elsewhere)
    }

    /// A character, if it stands.
    pub(crate) fn standing(&self, id: CharacterId) -> Option<&Character> {
        self.characters.alive(id).filter(|character| self.stands(character))
    }

    /// Whether a character stands where it stands because it has come to the goal of a walk, or waits there
    /// for it.
    #[must_use]
    pub(crate) fn has_come_to(&self, who: CharacterId, walk: &Walk) -> bool {
        /// A character that was pushed no further than this, metres, still stands where it came to.
        const PUSHED_M: f32 = 0.5;
        let is_other =
            |who_is: &&Character| !self.follows(who, walk.character) && self.is_on_goal_layer(who_is, walk);
        let Some(character) = self.standing(who).filter(is_other) else {
            return false;
        };
        let place = character.body.position;
        // As near as it gets is as near as others get whose way leads no further.
        let short_of = character.short_of.filter(|_| walk.ends_short());
        let ended = character.came_to.into_iter().chain(short_of);
        let came = ended.filter(|&(_, stood)| floor_distance(stood, place) <= PUSHED_M);
        let waits = character.walk.and_then(|id| self.walks.get(id));
        let waits = waits.filter(|walk| matches!(walk.phase, Phase::Beside(_))).map(|walk| walk.goal);
        came.map(|(goal, _)| goal).chain(waits).any(|goal| is_same(goal, walk.goal, character))
    }

    /// Whether a character stands on the layer on which a walk ends: it meets nothing of another one.
    #[must_use]
    pub(crate) fn is_on_goal_layer(&self, character: &Character, walk: &Walk) -> bool {
        goal_layer(self.characters, walk).is_none_or(|layer| layer == character.layer)
    }

    /// Whether a character has come to the goal of a walk, or is on its way there.
    #[must_use]
    pub(crate) fn goes_to_same(&self, who: CharacterId, walk: &Walk) -> bool {
        let goes = self.characters.alive(who).and_then(|character| {
            let own = self.walks.get(character.walk?)?;
            Some(is_same(own.goal, walk.goal, character))
        });
        goes.unwrap_or(false) || self.has_come_to(who, walk)
    }

    /// Whether a character follows another, or one that follows it.
    #[must_use]
    pub(crate) fn follows(&self, who: CharacterId, leader: CharacterId) -> bool {
        self.leaders.has(self.characters, self.walks, who, leader)
    }

    /// Whether a character stands so near to where a walk aims that it cannot come within its radius without
    /// touching. Only a walk that accepts nothing else asks for the point itself.
    #[must_use]
    pub(crate) fn leaves_no_room(&self, who: &Character, walk: &Walk, aim: Vec3) -> bool {
        let may_stop = matches!(walk.goal, Goal::Point(_)) && walk.options.accept != AcceptEnd::Exact;
        let Some(own) = self.characters.get(walk.character).filter(|_| may_stop) else {
            return false;
        };
        let touching_m = own.body.radius_m + who.body.radius_m + ROOM_M;
        floor_distance(aim, who.body.position) + walk.radius_m(self.crowd) < touching_m
    }

    /// The circle that plans keep out of when this character stands.
    pub(crate) fn disc_of(&self, character: &Character) -> Disc {
        let part = self.crowd.dynamic_obstacle_radius_fraction;
        Disc { centre: character.body.position, radius_m: character.body.radius_m * part }
    }

    /// The same where this character keeps its place: as far as another body has no room. It never covers the
    /// goal.
    pub(crate) fn whole_disc_of(&self, character: &Character, to: Vec3, off: KeepOff) -> Disc {
        let part = self.disc_of(character);
        if part.radius_m <= 0.0 {
            return part;
        }
        let touching_m = character.body.radius_m + off.radius_m + ROOM_M;
        // Plans keep a hundredth further off where circles are cut out as polygons.
        let to_goal_m = (floor_distance(part.centre, to) - off.node_m) / 1.01 - 0.01;
        Disc { radius_m: touching_m.min(to_goal_m).max(part.radius_m), ..part }
    }

    /// Whether a character is told to keep its place: the player, and those that a scene holds.
    pub(crate) fn is_kept(character: &Character) -> bool {
        character.is_player || character.held.is_some()
    }

    /// Whether a character steps aside when another asks: the player does not, nor one that a scene holds,
    /// nor a walker that waits at a door or beside a goal, which has nowhere else to be.
    pub(crate) fn steps_aside(&self, character: &Character) -> bool {
        let walk = character.walk.and_then(|walk| self.walks.get(walk));
        let is_free = walk.is_none_or(|walk| matches!(walk.phase, Phase::Content | Phase::Pausing { .. }));
        is_free && !Self::is_kept(character)
    }
}

/// Whether two goals are one for a character: the same, or points less than its radius apart.
fn is_same(one: Goal, other: Goal, who: &Character) -> bool {
    match (one, other) {
        (Goal::Point(one), Goal::Point(other)) => floor_distance(one, other) <= who.body.radius_m,
        (one, other) => one == other,
    }
}

impl BystanderIndex {
    /// Forgets where every character stands: bodies have moved.
    pub(crate) fn forget(&mut self) {
        self.is_built = false;
    }

    /// Whether anybody waits at a door, in the look-up of the last question.
    pub(crate) fn has_queue(&self) -> bool {
        self.has_queue
    }

    /// The characters that stand beside a straight line; None for nobody. Cost: each character near the line;
    /// for the first question of a phase, a pass over every character.
    pub(crate) fn beside(&mut self, people: People<'_>, line: Straight<'_>) -> Option<Bystanders> {
        self.build(people);
        self.find(people, line)
    }

    /// The same for the way of a walker, which is the first of those left out: its followers do not keep its
    /// goal from it. It keeps off those that do not step aside as far as the line says.
    pub(crate) fn beside_way(&mut self, people: People<'_>, line: Straight<'_>) -> Option<Bystanders> {
        let found = self.beside(people, line)?;
        let Some((id, walker)) = line.but.first().and_then(|&id| Some((id, people.characters.get(id)?)))
        else {
            return Some(found);
        };
        let keeps = |who: CharacterId, disc: &Disc| {
            let radius_m = people.characters.get(who).map_or(0.0, |who| who.body.radius_m);
            let touching_m = walker.body.radius_m + radius_m + ROOM_M;
            floor_distance(disc.centre, line.to) > touching_m || !people.follows(who, id)
        };
        let keeps_place = |other: &&Character| !people.steps_aside(other);
        let as_met = |(who, disc): (CharacterId, Disc)| {
            let other = people.characters.get(who).filter(keeps_place);
            let whole =
                line.keeps_off.zip(other).map(|(off, other)| people.whole_disc_of(other, line.to, off));
            (who, whole.unwrap_or(disc))
        };
        let all = || found.who().iter().copied().zip(found.discs().iter().copied());
        let kept: Vec<(CharacterId, Disc)> =
            all().filter(|(who, disc)| keeps(*who, disc)).map(as_met).collect();
        if all().eq(kept.iter().copied()) {
            return Some(found);
        }
        let (who, discs) = (kept.iter().map(|&(who, _)| who), kept.iter().map(|&(_, disc)| disc));
        (!kept.is_empty()).then(|| Bystanders::new(who.collect(), discs.collect()))
    }

    /// Characters that may have come to stand where the look-up does not have them.
    fn late<'a>(&self, characters: &'a Characters) -> &'a [CharacterId] {
        characters.noted().get(self.noted..).unwrap_or_default()
    }

    fn build(&mut self, people: People<'_>) {
        let late = self.late(people.characters).len();
        if self.is_built && late <= LATE_MIN.max(self.who.len() / 16) {
            return;
        }
        self.noted = people.characters.noted().len();
        let standing = self.threads.filter_map_ahead(
            people.characters.ids(),
            |ids, at| people.fetch(ids, at),
            |&id| {
                let character = people.characters.alive(id).filter(|it| people.is_obstacle(it))?;
                Some((flat(character.body.position), id, people.door_of(character).is_some()))
            },
        );
        self.points.clear();
        self.who.clear();
        self.has_queue = standing.iter().any(|&(.., waits)| waits);
        for (place, id, _) in standing {
            self.points.push(place);
            self.who.push(id);
        }
        self.near.build(&self.points, CELL_M);
        self.is_built = true;
    }

    fn find(&mut self, people: People<'_>, line: Straight<'_>) -> Option<Bystanders> {
        let reach_m = people.crowd.dynamic_obstacle_influence_m;
        let (from, to) = (Vec2::new(line.from.x, line.from.z), Vec2::new(line.to.x, line.to.z));
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        along(from, to, reach_m, |place, radius_m| {
            self.near.visit(place, radius_m, Lookup::ALL, |point, _| found.push(point));
        });
        found.sort_unstable();
        found.dedup();
        let (a, b) = (ground(line.from), ground(line.to));
        let reach_m_sq = f64::from(reach_m) * f64::from(reach_m);
        let seen = |id: CharacterId| {
            let is_of_it = |other: &&Character| other.layer == line.layer && !line.but.contains(&id);
            let character = people.characters.alive(id).filter(is_of_it)?;
            let is_near = segment_distance_sq(ground(character.body.position), a, b) <= reach_m_sq;
            (is_near && people.is_in_the_way(character, &line))
                .then(|| (character.serial, id, people.disc_of(character)))
        };
        let late = self.late(people.characters);
        let listed = found.iter().filter_map(|&point| self.who.get(point as usize).copied());
        let mut near: Vec<(u32, CharacterId, Disc)> =
            listed.chain(late.iter().copied()).filter_map(seen).collect();
        self.found = found;
        if !late.is_empty() {
            ordered::sort_by_key(&mut near, |&(serial, ..)| serial);
            near.dedup_by_key(|&mut (serial, ..)| serial);
        }
        let (who, discs) = (near.iter().map(|&(_, id, _)| id), near.iter().map(|&(.., disc)| disc));
        (!near.is_empty()).then(|| Bystanders::new(who.collect(), discs.collect()))
    }
}

/// Gives `visit` circles, middle and radius, that cover everything within `reach_m` of a line.
fn along(from: Vec2, to: Vec2, reach_m: f32, mut visit: impl FnMut(Vec2, f32)) {
    /// More circles than this for one line are no use: a goal may be any distance away, and then the circles
    /// grow.
    const CIRCLES_MAX: f32 = 256.0;
    let length_m = from.distance(to);
    if !length_m.is_finite() {
        return;
    }
    let count = (length_m / reach_m.max(1.0)).ceil().clamp(1.0, CIRCLES_MAX);
    let half_m = length_m / count / 2.0;
    // A little wide, because sums in single precision round.
    let radius_m = (half_m * half_m + reach_m * reach_m).sqrt() * 1.000_1 + 1e-3;
    // One at either end: characters beyond an end count by their distance to it.
    for step in 0..=count as u32 {
        visit(from.lerp(to, step as f32 / count), radius_m);
    }
}

#[cfg(test)]
mod tests;
