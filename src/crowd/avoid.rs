//! Velocities that keep clear of neighbours and walls before anybody touches.
//!
//! In: walkers (place, velocity, the velocity they want, radius, speed, readiness to give way), walls near each of them.
//! Out: a velocity for each, never faster than its speed.
//! Holds: two walkers that both take what they are given do not collide within the horizon, if there is any such velocity;
//! otherwise the velocity that breaks the least is taken, walls first. Everybody decides from the velocities of the last
//! tick, so neither the order of the walkers nor the cells matter. Symmetric meetings are broken to the passing side. Who is in
//! front does not look back at those who go the same way; who is in a narrow place goes before who stands outside; in a jam the
//! two who meet make way for one another in turns, and nobody drives another before it where the two have room to pass. No
//! trigonometry, no random numbers; single precision in a fixed order.
//! Cost: linear in the walkers; each looks at the nearest few only.
//! Not here: paths, pushes of what overlaps already (`resolve`), who may go first at a door.
//! Source: van den Berg, Guy, Lin, Manocha, "Reciprocal n-body collision avoidance" (2011). Ours: shares by readiness
//! to give way, the passing side, walls as half-planes through their nearest point, lines beyond reach left out.

use glam::Vec2;

use crate::base::near::{Look, Near, Nearest};
use crate::crowd::avoid::program::{Line, cross, solve};
use crate::crowd::resolve::parting;

mod program;
#[cfg(test)]
mod tests;

/// Somebody who avoids others, or is avoided.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Walker {
    /// Place on the ground, (x, z) in metres.
    pub place: Vec2,
    /// Velocity of the last tick, metres a second.
    pub velocity: Vec2,
    /// The velocity it wants, metres a second; zero for who stands.
    pub desired: Vec2,
    /// Radius, metres.
    pub radius_m: f32,
    /// Top speed, metres a second; zero for who does not move whatever happens.
    pub speed_max_mps: f32,
    /// Readiness to give way, 0 to 1, beside that of the other: 1 and 1 share evenly; 0 goes on as if alone unless the
    /// other is 0 too (both then do the whole). Who stands or is held has 0, so that the mover does the whole.
    pub gives_way: f32,
    /// Metres of its way that are left. Of two who meet and are both ready to give way the one nearer to its end goes first.
    pub left_m: f32,
    /// Seconds since it last got on along its way.
    pub held_s: f32,
    /// How far apart the outermost places beside it are where its centre can stand, seen across its way, metres; infinite for who
    /// gets on.
    pub width_m: f32,
    /// The same there or just ahead, whichever is less.
    pub room_m: f32,
    /// Height of the ground it stands on, metres.
    pub floor_m: f32,
}

impl Walker {
    /// Whether it does not get on as it wants to, now or for a moment.
    #[must_use]
    pub fn is_held_up(&self) -> bool {
        self.held_s > HELD_UP_S || held_up(self) > 0.0
    }
}

/// A stretch of wall: a segment on the ground, metres. The ground lies to the left of its direction, where x turned towards z
/// is left; that matters only to who stands exactly on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// One end.
    pub from: Vec2,
    /// The other end.
    pub to: Vec2,
}

/// The side on which one passes somebody who comes straight on, seen by the walker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PassingSide {
    /// Keep right, as in most streets.
    #[default]
    Right,
    /// Keep left.
    Left,
}

/// Constants of avoidance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How far ahead neighbours are avoided, seconds, 0.2 to 10. 1: 0.7, 1 and 2 clear circles, streams and
    /// corridors about equally soon; a longer one needs a longer reach.
    pub horizon_s: f32,
    /// How far ahead those who stand are avoided, seconds. 0.4: they do nothing unforeseen, and whoever joins a queue or comes
    /// up to somebody does not creep; going round them is for the path.
    pub standing_horizon_s: f32,
    /// How far ahead walls are avoided, seconds. 0.1: one may walk along a wall of steps, as cells make it, and up to a corner.
    pub wall_horizon_s: f32,
    /// In what time overlapping walkers want to be apart, seconds; at least a tick. 0.25: pushing (`resolve`) does most of it.
    pub part_s: f32,
    /// Neighbours considered, at most, the nearest first. 10: what the published examples use.
    pub neighbours_max: usize,
    /// How far away a neighbour may be, metres between centres. 3.5: where two who meet at 1.4 m/s begin to part.
    pub reach_m: f32,
    /// Gap kept beside the radii, metres. 0.01: below what counts as an overlap (5 % of 0.35 m).
    pub gap_m: f32,
    /// Gap kept to walls, metres. 0: walls are the edges of the ground where a centre may be.
    pub wall_gap_m: f32,
    /// The side on which symmetric meetings are broken.
    pub side: PassingSide,
    /// How strongly, as a part of the velocity wanted, 0 to 1. 0.3: corridors clear sooner than with 0.1
    /// (20 s against 28 s for sixteen who meet).
    pub side_share: f32,
    /// How fast somebody who is held up steps back when it is its turn, as a part of the velocity wanted, 0 to 1. 0.3: a
    /// body's width in a turn at 1.4 m/s.
    pub step_back_share: f32,
    /// Walkers whose floors are further apart than this ignore one another, metres.
    pub storey_m: f32,
    /// Walkers looked at for each cell, at most. 16: packed bodies of one size are two to a cell.
    pub per_cell_max: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            horizon_s: 1.0,
            standing_horizon_s: 0.4,
            wall_horizon_s: 0.1,
            part_s: 0.25,
            neighbours_max: 10,
            reach_m: 3.5,
            gap_m: 0.01,
            wall_gap_m: 0.0,
            side: PassingSide::Right,
            side_share: 0.3,
            step_back_share: 0.3,
            storey_m: 1.5,
            per_cell_max: 16,
        }
    }
}

/// Chooses velocities; keeps its buffers from tick to tick and nothing else.
#[derive(Clone, Debug, Default)]
pub struct Avoider {
    near: Near,
    places: Vec<Vec2>,
    walls: Vec<Wall>,
    lines: Lines,
}

impl Avoider {
    /// Fills `out` with a velocity for each of `walkers`, in their order. `walls` is asked for those near one walker and
    /// adds them to a list; only walls within its top speed times the horizon for walls matter. `tick_s` is the length of
    /// a tick; where it is not above zero nobody moves. Cost: linear in the walkers.
    pub fn run(
        &mut self,
        walkers: &[Walker],
        walls: impl FnMut(u32, &mut Vec<Wall>),
        tick: &Tick<'_>,
        out: &mut Vec<Vec2>,
    ) {
        out.clear();
        out.resize(walkers.len(), Vec2::ZERO);
        if tick.tick_s > 0.0 {
            self.places.clear();
            self.places.extend(walkers.iter().map(|walker| walker.place));
            self.near.build(&self.places, tick.settings.reach_m * CELL_SHARE);
            self.choose(walkers, walls, tick, out);
        }
    }

    /// By cell, because the neighbours are then still in the cache; each answer stands alone.
    fn choose(
        &mut self,
        walkers: &[Walker],
        mut walls: impl FnMut(u32, &mut Vec<Wall>),
        tick: &Tick<'_>,
        out: &mut [Vec2],
    ) {
        let settings = tick.settings;
        let mut nearest = Nearest::new(settings.neighbours_max);
        for &index in self.near.by_cell() {
            let walker = &walkers[index as usize];
            if walker.speed_max_mps <= 0.0 {
                continue;
            }
            let look = Look { per_cell_max: settings.per_cell_max, salt: index, but: index };
            self.near.nearest(walker.place, settings.reach_m, look, &mut nearest);
            self.lines.begin();
            let among_others = Walker { room_m: room_among(walker, &nearest), ..*walker };
            for neighbour in nearest.iter() {
                let other = neighbour.id;
                self.lines.meet(&among_others, &walkers[other as usize], (index, other), tick);
            }
            if self.lines.allow(walker.desired)
                && walker.desired.length_squared() <= square(walker.speed_max_mps)
            {
                // What one wants leads along one's path: walls are no matter until somebody is in the way.
                out[index as usize] = walker.desired;
                continue;
            }
            self.walls.clear();
            walls(index, &mut self.walls);
            self.lines.hem_in(walker, &self.walls, tick);
            out[index as usize] = self.lines.choose(walker, index, tick);
        }
    }
}

/// Cells of the grid for neighbours, as a part of their reach. 0.4: 1.4 m at 3.5 m, so that
/// nine cells hold the ten nearest of a dense crowd.
pub const CELL_SHARE: f32 = 0.4;

/// What one tick of avoidance goes by.
#[derive(Clone, Copy, Debug)]
pub struct Tick<'a> {
    /// The level's constants.
    pub settings: &'a Settings,
    /// Length of the tick, seconds.
    pub tick_s: f32,
    /// Rises by one about once a second: the tick divided by the rate. Who steps back in a jam changes with it.
    pub epoch: u32,
}

/// The half-planes of velocities that one walker may choose from: walls first, then neighbours by distance.
#[derive(Clone, Debug, Default)]
struct Lines {
    lines: Vec<Line>,
    /// Of neighbours, by distance, until the walls are known.
    met: Vec<Line>,
    /// How many of them are walls.
    wall_count: usize,
    /// Whether somebody is in the way.
    is_met: bool,
    /// Whether somebody is who moves and goes another way.
    is_opposed: bool,
}

impl Lines {
    fn begin(&mut self) {
        self.lines.clear();
        self.met.clear();
        (self.is_met, self.is_opposed) = (false, false);
    }

    /// Whether all neighbours let a velocity be.
    fn allow(&self, velocity: Vec2) -> bool {
        self.met.iter().all(|line| line.room_at(velocity) >= 0.0)
    }

    /// Puts walls before the neighbours.
    fn hem_in(&mut self, walker: &Walker, walls: &[Wall], tick: &Tick<'_>) {
        for wall in walls {
            self.lines.extend(wall_line(walker, wall, tick.settings));
        }
        self.wall_count = self.lines.len();
        self.lines.append(&mut self.met);
    }

    /// Adds the line for one neighbour, unless nothing the walker can do would cross it.
    #[inline]
    fn meet(&mut self, walker: &Walker, other: &Walker, ids: (u32, u32), tick: &Tick<'_>) {
        let terms = terms(walker, other, ids);
        if terms.share <= 0.0 || (walker.floor_m - other.floor_m).abs() > tick.settings.storey_m {
            return;
        }
        let line = neighbour_line(walker, other, (ids, &terms), tick);
        if line.room_at(Vec2::ZERO) >= walker.speed_max_mps {
            return;
        }
        let is_crossed = line.room_at(walker.desired) < 0.0;
        self.is_met |= is_crossed;
        // Nobody steps back from those who stand, or from those in front: it would not help them on.
        self.is_opposed |= is_crossed && other.speed_max_mps > 0.0 && !terms.is_same_way;
        self.met.push(line);
    }

    /// The velocity nearest to the one wanted that all lines allow.
    fn choose(&mut self, walker: &Walker, index: u32, tick: &Tick<'_>) -> Vec2 {
        let settings = tick.settings;
        let mut wanted = walker.desired;
        let wanted_sq = wanted.dot(wanted);
        if self.is_met && wanted_sq > 0.0 {
            let progress = (walker.velocity.dot(wanted) / wanted_sq).clamp(0.0, 1.0);
            let right = Vec2::new(-wanted.y, wanted.x);
            let aside = if settings.side == PassingSide::Right { right } else { -right };
            wanted += aside * settings.side_share;
            if self.is_opposed && progress < HELD_UP && steps_back(index, tick.epoch) {
                wanted = aside * settings.side_share - wanted * settings.step_back_share;
            }
        }
        solve(&self.lines, self.wall_count, walker.speed_max_mps, wanted)
    }
}

#[inline]
fn square(value: f32) -> f32 {
    value * value
}

/// Progress towards the velocity wanted, as a part of it, below which a walker counts as held up.
const HELD_UP: f32 = 0.2;

/// Whether it is a walker's turn to step back when held up: each one in two, drawn anew every epoch from its number, so that
/// jams break whose members would else wait for one another, and the same in every run.
#[inline]
fn steps_back(index: u32, epoch: u32) -> bool {
    let mut bits = index.wrapping_mul(0x9e37_79b1) ^ epoch.wrapping_mul(0x85eb_ca6b);
    bits ^= bits >> 15;
    bits = bits.wrapping_mul(0x2c1b_3c6d);
    bits ^= bits >> 13;
    bits & 1 == 0
}

/// Sine of the angle between course and neighbour below which a meeting counts as straight on: 6 degrees.
const STRAIGHT: f32 = 0.1;

/// So much less way to go, metres, and of two who meet one goes first, and the other does most of the giving way. 0.4: half a body, so
/// that order at a door is clear.
const FIRST_M: f32 = 0.4;

/// The part of its share that the first is spared. 0.6: where all of it is spared, two who could pass side by side walk one behind
/// the other, backwards, to the end of their corridor.
const SPARED: f32 = 0.6;

/// The cosine, squared, of the angle up to which two go the same way: 60 degrees.
const SAME_WAY_SQ: f32 = 0.25;

/// So far in front, metres, and of two who go the same way one looks ahead only. 0.1: a larger one leaves pairs side by side at a
/// gap who wait for one another (forty pass 1.2 m in 43 s, with 0.4 in 52 s).
const IN_FRONT_M: f32 = 0.1;

/// Nearer to level than this, metres, and their numbers decide who is in front: a ring of equals would else stand for ever.
const SIDE_BY_SIDE_M: f32 = 1e-3;

/// Who wants less than this part of the speed of somebody behind makes room to be overtaken.
const SLOWER: f32 = 0.8;

/// Seconds without getting on after which one of two who meet makes way whatever it costs. 1: two who can pass have done so.
const JAM_S: f32 = 1.0;

/// Seconds after which two who both do not get on change who makes way: who was to may have a wall behind it. 2: a body's length
/// and half as much again.
const TURN_S: f32 = 2.0;

/// Longer than this without getting on, and somebody is held up, seconds.
const HELD_UP_S: f32 = 0.25;

/// Nearer than so many of one's own radii, centre to centre, others take up room. 6: two bodies' widths between them.
const CLOSE_RADII: f32 = 6.0;

/// More than so many others that near, and those who meet are not alone: where the ground has room, others fill it.
const CLOSE_COUNT: usize = 3;

/// The least share of whoever overlaps, so that neither of two is pressed to a wall.
const PART_SHARE: f32 = 0.5;

/// How two who are near one another come to terms.
#[derive(Clone, Copy, Debug)]
struct Terms {
    /// The part of what is needed that falls to the walker.
    share: f32,
    is_same_way: bool,
    /// Whether the walker makes way for where the other wants to go, not only for where it gets.
    is_asked: bool,
    /// Whether the two have room to pass.
    has_room: bool,
}

/// The room that others leave.
#[inline]
fn room_among(walker: &Walker, nearest: &Nearest) -> f32 {
    let close_m = CLOSE_RADII * walker.radius_m;
    let close = nearest.iter().filter(|neighbour| neighbour.distance_m_sq < close_m * close_m);
    if close.count() > CLOSE_COUNT { 0.0 } else { walker.room_m }
}

/// The velocity that others count on: nobody counts on somebody who walks backwards to go on doing so, or the two would go on,
/// one after the other, to the end of their corridor, and never pass.
#[inline]
fn onward(walker: &Walker) -> Vec2 {
    let (along, wanted_sq) = (walker.velocity.dot(walker.desired), walker.desired.length_squared());
    if along >= 0.0 || wanted_sq <= 0.0 {
        return walker.velocity;
    }
    walker.velocity - walker.desired * (along / wanted_sq)
}

/// How far somebody is from getting on, 0 to 1: 0 at two thirds of what it wants and above, 1 at a sixth and below.
#[inline]
fn held_up(walker: &Walker) -> f32 {
    let wanted_sq = walker.desired.dot(walker.desired);
    if wanted_sq <= 0.0 {
        return 0.0;
    }
    ((2.0 / 3.0 - walker.velocity.dot(walker.desired) / wanted_sq) * 2.0).clamp(0.0, 1.0)
}

/// Of two who go the same way whoever is in front is not asked to look back. Two who meet share evenly while both get on; in a jam
/// the one nearer to its end goes first, so that nobody at a door waits for somebody who waits for it.
#[inline]
fn terms(walker: &Walker, other: &Walker, ids: (u32, u32)) -> Terms {
    let is_same_way = is_same_way(walker.desired, other.desired);
    let has_room = !is_same_way && walker.room_m.min(other.room_m) >= walker.radius_m + other.radius_m;
    let alone = |share: f32| Terms { share, is_same_way, is_asked: false, has_room };
    let sum = walker.gives_way + other.gives_way;
    if sum <= 0.0 {
        return alone(1.0);
    }
    let even = walker.gives_way / sum;
    if even <= 0.0 || even >= 1.0 {
        return alone(even);
    }
    let held_up = if is_same_way { 0.0 } else { held_up(walker).max(held_up(other)) };
    let is_jam = held_up > 0.0 && is_jammed(walker.held_s.max(other.held_s), has_room);
    // What one is spared the other does: the two shares are one together.
    let behind = if is_same_way {
        behind(walker, other, ids)
    } else if is_jam {
        makes_way(walker, other, ids)
    } else if let Some(outside) = outside(walker, other) {
        outside * held_up
    } else {
        ((walker.left_m - other.left_m) / FIRST_M).clamp(-SPARED, SPARED) * held_up
    };
    let share = if behind > 0.0 { even + (1.0 - even) * behind } else { even + even * behind };
    Terms { share, is_same_way, is_asked: is_jam && behind > 0.0, has_room }
}

/// 1 for who meets somebody in a place too narrow for two and is not in one itself, -1 for the other: who is outside can step
/// aside. None where both are, or neither is.
#[inline]
fn outside(walker: &Walker, other: &Walker) -> Option<f32> {
    let two_m = walker.radius_m + other.radius_m;
    match (walker.width_m < two_m, other.width_m < two_m) {
        (false, true) => Some(1.0),
        (true, false) => Some(-1.0),
        _ => None,
    }
}

#[inline]
fn is_same_way(one: Vec2, other: Vec2) -> bool {
    let along = one.dot(other);
    along > 0.0 && along * along > SAME_WAY_SQ * one.length_squared() * other.length_squared()
}

/// How far behind the other the walker is, seen along the way of both, -1 to 1.
#[inline]
fn behind(walker: &Walker, other: &Walker, ids: (u32, u32)) -> f32 {
    let way = walker.desired + other.desired;
    let ahead_m = (other.place - walker.place).dot(way) / way.length();
    if ahead_m.abs() < SIDE_BY_SIDE_M {
        return if ids.0 < ids.1 { -1.0 } else { 1.0 };
    }
    let (own_sq, its_sq) = (walker.desired.length_squared(), other.desired.length_squared());
    let (first_sq, second_sq) = if ahead_m > 0.0 { (its_sq, own_sq) } else { (own_sq, its_sq) };
    let most = if first_sq < second_sq * SLOWER * SLOWER { SPARED } else { 1.0 };
    (ahead_m / IN_FRONT_M).clamp(-most, most)
}

/// Whether one of two who do not get on for so long makes way for the other; in between they try to pass again, longer where there
/// is room for it.
#[inline]
fn is_jammed(held_s: f32, has_room: bool) -> bool {
    let since_s = held_s - JAM_S;
    let turn_count = if has_room { 1 } else { 2 };
    since_s > 0.0 && (since_s / TURN_S) as u32 % 3 < turn_count
}

/// 1 for the one of two in a jam who makes way, -1 for the other.
#[inline]
fn makes_way(walker: &Walker, other: &Walker, ids: (u32, u32)) -> f32 {
    let is_turned = (walker.held_s.min(other.held_s) / TURN_S) as u32 % 2 == 1;
    let is_behind = (walker.left_m, ids.0) > (other.left_m, ids.1);
    if is_behind == is_turned { -1.0 } else { 1.0 }
}

/// Nearer than this, a body stands on the wall, metres: the direction away from it is the wall's own.
const ON_WALL_M: f32 = 1e-4;

/// The velocities that do not cross a wall within its horizon: a half-plane through the wall's nearest point. Standing
/// still is always among them.
fn wall_line(walker: &Walker, wall: &Wall, settings: &Settings) -> Option<Line> {
    let (along, offset) = (wall.to - wall.from, walker.place - wall.from);
    let length_sq = along.dot(along);
    let part = if length_sq > 0.0 { (offset.dot(along) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
    let away = offset - along * part;
    let distance_m = away.dot(away).sqrt();
    let speed_mps = (distance_m - settings.wall_gap_m).max(0.0) / settings.wall_horizon_s;
    if speed_mps >= walker.speed_max_mps {
        return None;
    }
    let normal = if distance_m > ON_WALL_M {
        away / distance_m
    } else if length_sq > 0.0 {
        Vec2::new(-along.y, along.x) / length_sq.sqrt()
    } else {
        return None;
    };
    Some(Line { inwards: normal, offset_mps: -speed_mps })
}

/// The velocities that avoid one neighbour: the half-plane next to the velocity obstacle, moved by the walker's share.
#[inline]
fn neighbour_line(
    walker: &Walker,
    other: &Walker,
    (ids, terms): ((u32, u32), &Terms),
    tick: &Tick<'_>,
) -> Line {
    let settings = tick.settings;
    let to_other = other.place - walker.place;
    let (own, its) = match (terms.is_asked, terms.has_room) {
        (true, _) => (walker.velocity, other.desired),
        (false, true) => (onward(walker), onward(other)),
        (false, false) => (walker.velocity, other.velocity),
    };
    let (relative, share) = (own - its, terms.share);
    let distance_m_sq = to_other.dot(to_other);
    let apart_m = walker.radius_m + other.radius_m + settings.gap_m;
    let apart_m_sq = apart_m * apart_m;
    if distance_m_sq <= apart_m_sq {
        let touch_m = walker.radius_m + other.radius_m;
        let share = if distance_m_sq < touch_m * touch_m { share.max(PART_SHARE) } else { share };
        return parting_line(walker, (to_other, relative), (ids, share, apart_m), tick);
    }
    let stands = other.speed_max_mps <= 0.0;
    let per_s = 1.0 / if stands { settings.standing_horizon_s } else { settings.horizon_s };
    // From the centre of the disc that ends the velocity obstacle to the relative velocity.
    let from_disc = relative - to_other * per_s;
    let ahead = from_disc.dot(to_other);
    let from_disc_sq = from_disc.dot(from_disc);
    if ahead < 0.0 && ahead * ahead > apart_m_sq * from_disc_sq {
        let length = from_disc_sq.sqrt();
        let normal = from_disc / length;
        let change = normal * (apart_m * per_s - length);
        return Line::through(own + change * share, normal);
    }
    let leg_m = (distance_m_sq - apart_m_sq).sqrt();
    let (along, across) = (to_other * leg_m, Vec2::new(-to_other.y, to_other.x) * apart_m);
    let aside = cross(to_other, from_disc);
    // Nearly straight on: both see the same `aside`, and both would else wait for the other to choose.
    let is_straight = aside * aside <= STRAIGHT * STRAIGHT * distance_m_sq * from_disc_sq;
    let is_left = if is_straight { settings.side == PassingSide::Right } else { aside > 0.0 };
    // The edge of the shadow, and the way out of it.
    let edge = if is_left { along + across } else { across - along } / distance_m_sq;
    let change = edge * relative.dot(edge) - relative;
    Line::through(own + change * share, Vec2::new(-edge.y, edge.x))
}

/// The velocities that part two who overlap.
fn parting_line(
    walker: &Walker,
    (to_other, relative): (Vec2, Vec2),
    ((index, other), share, apart_m): ((u32, u32), f32, f32),
    tick: &Tick<'_>,
) -> Line {
    let per_s = 1.0 / tick.settings.part_s.max(tick.tick_s);
    let from_disc = relative - to_other * per_s;
    let length = from_disc.dot(from_disc).sqrt();
    let normal = match length > 1e-6 {
        true => from_disc / length,
        false if index < other => -parting(index, other),
        false => parting(other, index),
    };
    let change = normal * (apart_m * per_s - length);
    Line::through(walker.velocity + change * share, normal)
}
