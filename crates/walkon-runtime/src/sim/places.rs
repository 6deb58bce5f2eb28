//! Step 6, first part: places around goals at which others stand are given out.
//!
//! In: walks near their goals, those that stand there. Out: a place for each walk that cannot stand on its
//! goal, or that shares it with others. Holds: two walks to one goal never have overlapping places, and no
//! place overlaps a standing character; a place lies on ground that the body may stand on, in a straight
//! clear line from the goal; the same world gives the same places; a place is free again as soon as its walk
//! ends. Not here: when a walker at its place has arrived (`arrivals`).
//!
//! Method: the nearest free places lie on the rims of what is taken, each widened by the body's own radius,
//! and on the rim of the goal's own circle; where two rims cross, the body fits tightly. So rings fill from
//! the inside. Cost: for each walk near its goal, the characters that stand around it; a hundred rims at most
//! where a place is chosen.

use glam::{Vec2, Vec3};

use crate::base::geom::{flat_distance, floor_distance};
use crate::base::ids::{CharacterId, WalkId};
use crate::base::ordered;
use crate::crowd::steer::{flat, unit};
use crate::nav::{NavMap, Traversal};
use crate::sim::wayfinding::Wayfinding;
use crate::sim::{repath, walk_modes};
use crate::world::bystander_index::{BystanderIndex, People, ROOM_M};
use crate::world::bystanders::Straight;
use crate::world::clock::Clock;
use crate::world::goal::Goal;
use crate::world::walk::{AcceptEnd, Crowd, GoalSlot, Phase, Walk};

/// How far outside the radius of its goal a walk is given a place, metres: three steps before it.
const NEAR_M: f32 = 3.0;
/// Room left between two bodies, metres.
const GAP_M: f32 = 0.02;
/// At most this many characters that stand around a goal, the nearest to the walker, offer places at their
/// rims.
const RIMS_MAX: usize = 24;
/// What a metre further from the goal is worth, in metres of way: people go round to the side before they
/// stand in a second row.
const OUTWARDS: f32 = 4.0;

/// Gives out places, in order of creation of the walks, to those that are concerned.
pub(crate) fn run(parts: &mut Wayfinding<'_>, concerned: &[WalkId]) {
    let (clock, people) = (parts.clock, parts.people());
    let mut given: Vec<GivenSlot> = concerned.iter().filter_map(|&id| given(people, id)).collect();
    let comes = |id: &WalkId| people.walks.get(*id).is_some_and(|walk| is_coming(clock, people, walk));
    let comers: Vec<WalkId> = concerned.iter().copied().filter(comes).collect();
    for id in comers {
        look(parts, id, &mut given);
    }
}

/// Whether a walk has a place, or may need one: walkers with a place are of interest to walkers that come.
#[inline]
pub(crate) fn is_concerned(clock: &Clock, people: People<'_>, walk: &Walk) -> bool {
    walk.goal_slot.is_some() || is_coming(clock, people, walk)
}

/// A place that a walk has been given.
#[derive(Clone, Copy, Debug)]
struct GivenSlot {
    walk: WalkId,
    slot: GoalSlot,
    radius_m: f32,
}

/// The place that a walk has been given, while it is open.
fn given(people: People<'_>, id: WalkId) -> Option<GivenSlot> {
    let walk = people.walks.open(id)?;
    let radius_m = people.characters.get(walk.character)?.body.radius_m;
    Some(GivenSlot { walk: id, slot: walk.goal_slot?, radius_m })
}

/// A circle that the middle of a body keeps out of.
#[derive(Clone, Copy, Debug)]
struct Rim {
    middle: Vec2,
    radius_m: f32,
}

impl Rim {
    fn holds(&self, point: Vec2) -> bool {
        const ROUNDING_M: f32 = 1e-3;
        (point - self.middle).length() < self.radius_m - ROUNDING_M
    }

    /// The point of the rim in a direction, a vector of any length.
    fn towards(&self, way: Vec2) -> Vec2 {
        self.middle + unit(way).unwrap_or(Vec2::X) * self.radius_m
    }

    /// Where two rims cross.
    fn crossings(&self, other: &Self) -> Option<[Vec2; 2]> {
        let between = other.middle - self.middle;
        let apart_m = between.length();
        if apart_m < 1e-4 {
            return None;
        }
        let along_m = (apart_m * apart_m + self.radius_m * self.radius_m - other.radius_m * other.radius_m)
            / (2.0 * apart_m);
        let aside_m_sq = self.radius_m * self.radius_m - along_m * along_m;
        if aside_m_sq < 0.0 {
            return None;
        }
        let (ahead, aside_m) = (between / apart_m, aside_m_sq.sqrt());
        let foot = self.middle + ahead * along_m;
        Some([foot + ahead.perp() * aside_m, foot - ahead.perp() * aside_m])
    }
}

/// A walker that comes to a goal.
#[derive(Clone, Debug)]
struct Comer {
    who: CharacterId,
    position: Vec3,
    radius_m: f32,
    goal: Vec3,
    /// Metres from the goal that count as reached.
    reach_m: f32,
    by: Traversal,
}

/// Whether a walk may need a place: it nears a goal at which it stops, and others may be in its way there.
#[inline]
fn is_coming(clock: &Clock, people: People<'_>, walk: &Walk) -> bool {
    // What most walks are without comes first.
    let may_meet =
        walk.goal_slot.is_some() || walk.ahead.is_some() || matches!(walk.goal, Goal::Character(_));
    if !may_meet || !matches!(walk.phase, Phase::Moving) || !takes_places(walk) {
        return false;
    }
    let is_met = walk.goal_slot.is_some()
        || walk.ahead.is_some() && (walk.goal_occupant.is_none() || is_stopped(clock, walk));
    let is_shared = || match walk.goal {
        Goal::Character(target) => people.standing(target).is_some(),
        Goal::Point(_) | Goal::Door(_) => false,
    };
    let Some(character) = people.characters.get(walk.character).filter(|who| who.held.is_none()) else {
        return false;
    };
    let near_m = walk.radius_m(people.crowd) + NEAR_M;
    flat_distance(character.body.position, walk.aim) <= near_m && (is_met || is_shared())
}

/// Whether a walk has not got on for a moment, seconds: a walker that comes up to a character on its goal
/// slows down before it stops beside.
fn is_stopped(clock: &Clock, walk: &Walk) -> bool {
    const STOPPED_S: f64 = 0.5;
    walk.clock(clock.landing()).since(walk.progress_tick) >= clock.rate.ticks(STOPPED_S)
}

/// Whether a walk stops beside its goal when it cannot stand on it.
fn takes_places(walk: &Walk) -> bool {
    let is_whole = || {
        let way = walk.following.as_ref();
        way.is_some_and(|way| way.path.whole && way.path.layers.is_empty()) || walk.goal_occupant.is_some()
    };
    walk_modes::is_plain(walk)
        && !matches!(walk.goal, Goal::Door(_))
        && walk.options.accept != AcceptEnd::Exact
        && walk.options.crowd != Crowd::Ghost
        && !walk.is_paused
        && is_whole()
}

/// Gives a walk a place, another one where its own is taken, or takes it away where it needs none any more.
fn look(parts: &mut Wayfinding<'_>, id: WalkId, given: &mut Vec<GivenSlot>) {
    let Some((walk, character)) = parts.walker(id) else {
        debug_assert!(false, "the character of an open walk is there");
        return;
    };
    let (old, goal) = (walk.goal_slot, walk.goal);
    let rests = repath::is_resting(parts.clock, &parts.settings.crowd, character);
    let by = Traversal { through: None, ..parts.traversal_of(walk) };
    let comer = Comer {
        who: walk.character,
        position: character.body.position,
        radius_m: character.body.radius_m,
        goal: walk.aim,
        reach_m: walk.radius_m(&parts.settings.crowd),
        by,
    };
    let Wayfinding { settings, characters, walks, leaders, bystanders, .. } = parts;
    let people = People { characters, walks, crowd: &settings.crowd, leaders };
    let standing = standing(bystanders, people, &comer);
    let others = given.iter().filter(|other| other.walk != id).filter_map(|other| other.rim(&comer));
    let rims: Vec<Rim> = standing.iter().map(|&(_, rim)| rim).chain(others).collect();
    let needed = match goal {
        Goal::Character(target) => (rims.len() > 1).then_some(target),
        _ => keeper(&comer, &standing),
    };
    let is_kept = |slot: &GoalSlot| {
        slot.goal == comer.goal
            && Some(slot.beside) == needed
            && !rims.iter().any(|rim| rim.holds(flat(slot.point)))
    };
    if old.is_some_and(|slot| is_kept(&slot)) {
        return;
    }
    let slot = needed.and_then(|beside| {
        Some(GoalSlot { point: choose(&parts.map.nav, &comer, &rims)?, beside, goal: comer.goal })
    });
    if slot == old {
        return;
    }
    let is_on_way = old.is_none()
        && matches!(goal, Goal::Character(_))
        && slot.is_some_and(|slot| is_straight_on(&comer, slot.point));
    if !is_on_way && rests {
        return;
    }
    let landing = parts.clock.landing();
    if let Some((walk, character)) = parts.walker_mut(id) {
        walk.goal_slot = slot;
        if !is_on_way {
            repath::ask(landing, walk, character);
        }
    }
    given.retain(|other| other.walk != id);
    given.extend(slot.map(|slot| GivenSlot { walk: id, slot, radius_m: comer.radius_m }));
}

/// All characters that stand around a goal, and what that leaves.
fn standing(index: &mut BystanderIndex, people: People<'_>, comer: &Comer) -> Vec<(CharacterId, Rim)> {
    let (goal, layer) = (comer.goal, comer.by.layer);
    let line =
        Straight { from: goal, to: goal, layer, keeps_off: None, goes_through: None, but: &[comer.who] };
    let Some(around) = index.beside_way(people, line) else {
        return Vec::new();
    };
    let rim = |&who: &CharacterId| {
        let body = people.characters.get(who)?.body;
        if !floor_distance(body.position, comer.goal).is_finite() {
            return None;
        }
        let radius_m = comer.radius_m + body.radius_m + GAP_M;
        Some((who, Rim { middle: flat(body.position), radius_m }))
    };
    around.who().iter().filter_map(rim).collect()
}

impl GivenSlot {
    /// What it leaves to a walker that comes to the same goal.
    fn rim(&self, comer: &Comer) -> Option<Rim> {
        let is_same = flat_distance(self.slot.goal, comer.goal) <= comer.radius_m;
        let radius_m = comer.radius_m + self.radius_m + GAP_M;
        is_same.then(|| Rim { middle: flat(self.slot.point), radius_m })
    }
}

/// The character that stands so near to a point that nobody else can stand within its radius.
fn keeper(comer: &Comer, standing: &[(CharacterId, Rim)]) -> Option<CharacterId> {
    let goal = flat(comer.goal);
    let keeps = |rim: &Rim| (rim.middle - goal).length() + comer.reach_m < rim.radius_m - GAP_M + ROOM_M;
    let nearest = |a: &&(CharacterId, Rim), b: &&(CharacterId, Rim)| {
        (a.1.middle - goal).length_squared().total_cmp(&(b.1.middle - goal).length_squared())
    };
    standing.iter().filter(|(_, rim)| keeps(rim)).min_by(nearest).map(|&(who, _)| who)
}

/// Whether a place lies where the walker comes to anyway.
fn is_straight_on(comer: &Comer, place: Vec3) -> bool {
    let (ahead, there) = (unit(flat(comer.goal - comer.position)), unit(flat(place - comer.position)));
    matches!((ahead, there), (Some(ahead), Some(there)) if ahead.dot(there) > 0.9999)
}

/// The best free place: near the goal, then near the walker.
fn choose(nav: &NavMap, comer: &Comer, rims: &[Rim]) -> Option<Vec3> {
    /// Less than the radius, metres, so that a walker that stands there has arrived.
    const INSIDE_M: f32 = 0.01;
    let (goal, from) = (flat(comer.goal), flat(comer.position));
    let own = Rim { middle: goal, radius_m: (comer.reach_m - INSIDE_M).max(0.0) };
    let mut near: Vec<Rim> = rims.to_vec();
    ordered::sort_by(&mut near, |a, b| {
        (a.middle - from).length_squared().total_cmp(&(b.middle - from).length_squared())
    });
    near.truncate(RIMS_MAX);
    let mut found = vec![own.towards(from - goal)];
    for (at, rim) in near.iter().enumerate() {
        found.extend([rim.towards(goal - rim.middle), rim.towards(from - rim.middle)]);
        found.extend([rim.towards(rim.middle - goal)]);
        let others = near[at + 1..].iter().chain([&own]);
        found.extend(others.filter_map(|other| rim.crossings(other)).flatten());
    }
    let score = |point: &Vec2| {
        OUTWARDS * ((*point - goal).length() - comer.reach_m).max(0.0) + (*point - from).length()
    };
    found.retain(|point| !rims.iter().any(|rim| rim.holds(*point)));
    ordered::sort_by(&mut found, |a, b| score(a).total_cmp(&score(b)));
    let place = |point: Vec2| Vec3::new(point.x, comer.goal.y, point.y);
    let is_ground = |place: &Vec3| {
        nav.is_walkable(*place, &comer.by) && nav.straight(*place, comer.goal, &comer.by).is_some()
    };
    found.into_iter().map(place).find(is_ground)
}

#[cfg(test)]
mod tests;
