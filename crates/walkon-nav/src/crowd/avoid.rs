//! Local avoidance (ORCA): velocities that keep clear of neighbours and walls before bodies touch.
//!
//! In: walkers (place, velocity, the velocity they want, radius, speed, readiness to give way), walls near
//! each of them. Out: a velocity for each, never faster than its speed. Holds: two walkers that both take
//! what they are given do not collide within the horizon, if there is any such velocity; otherwise the
//! velocity that breaks the least is taken, walls first. Every walker decides from the velocities of the last
//! step, so neither the order of the walkers nor the cells nor the number of threads matter. Symmetric
//! meetings are broken to the passing side. A walker in front does not look back at walkers that go the same
//! way; a walker in a narrow place, or in one of two lanes, goes before one that stands outside; in a jam two
//! walkers that meet step aside for one another in turns, and neither drives the other before it where the
//! two have room to pass. No trigonometry, no random numbers; single precision in a fixed order. Cost: linear
//! in the walkers; each looks at the nearest few only. Not here: paths, pushes of what overlaps already
//! (`resolve`), which walker goes first at a door. Source: van den Berg, Guy, Lin, Manocha, "Reciprocal
//! n-body collision avoidance" (2011). Ours: shares by readiness to give way, the passing side, walls as
//! half-planes through their nearest point, lines beyond reach left out.

use glam::{BVec4A, Vec2, Vec4};

use crate::base::spatial_hash::{HashCells, Lookup, Nearest, SpatialHash};
use crate::crowd::avoid::linear_program::{HalfPlane, Lines4, extend_fours, solve};
use crate::crowd::avoid::orca_lines::{Four, FourOthers, Met, WalkerRow, meet};
use crate::crowd::avoid::right_of_way::held_up;
use crate::crowd::avoid::simd::LANES;

pub use self::right_of_way::{FILLED, PASSING_GAP_M};
pub use self::walker::{AvoidSettings, PassingSide, Step, Walker};

mod linear_program;
mod orca_lines;
mod right_of_way;
mod simd;
#[cfg(test)]
mod tests;
mod walker;

impl Walker {
    /// Whether it does not get on as it wants to, now or for a moment.
    #[must_use]
    pub fn is_held_up(&self) -> bool {
        self.held_s > HELD_UP_S || held_up(self) > 0.0
    }
}

/// A stretch of wall: a segment on the ground, metres. The ground lies to the left of its direction, where x
/// turned towards z is left; that matters only to a body exactly on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// One end.
    pub from: Vec2,
    /// The other end.
    pub to: Vec2,
}

/// Chooses velocities; keeps its buffers from step to step and nothing else.
#[derive(Clone, Debug, Default)]
pub struct Avoider {
    near: SpatialHash,
    places: Vec<Vec2>,
    /// What meetings ask for about each walker, cell by cell: neighbours are then neighbours in memory too.
    rows: Vec<WalkerRow>,
    /// The velocity of each, cell by cell.
    chosen: Vec<Vec2>,
}

impl Avoider {
    /// Fills `out` with a velocity for each of `walkers`, in their order. `walls` is asked for those near one
    /// walker and adds them to a list; only walls within its top speed times the horizon for walls matter.
    /// [`GroundQuery::walls_near`](crate::nav::GroundQuery::walls_near) has those of a map. Velocities keep
    /// apart those who have room; where they have none, bodies come to overlap unless a
    /// [`Resolver`](crate::crowd::resolve::Resolver) parts them. The example `walk_and_avoid` shows all of a
    /// step.
    /// `step_s` is the length of a step; where it is not above zero nobody moves. Cost: linear in the
    /// walkers.
    pub fn run(
        &mut self,
        walkers: &[Walker],
        walls: impl Fn(u32, &mut Vec<Wall>) + Sync,
        step: &Step<'_>,
        out: &mut Vec<Vec2>,
    ) {
        out.clear();
        out.resize(walkers.len(), Vec2::ZERO);
        if step.step_s > 0.0 {
            self.places.clear();
            self.places.extend(walkers.iter().map(|walker| walker.place));
            self.near.build_by_density(&self.places, cell_sizes(step.settings.reach_m));
            let by_cell = self.near.by_cell();
            self.rows.resize(walkers.len(), WalkerRow::NOBODY);
            step.threads.share(
                &mut self.rows[..],
                || (),
                |(), first, rows| {
                    for (row, &index) in rows.iter_mut().zip(&by_cell[first..]) {
                        *row = WalkerRow::of(&walkers[index as usize], step);
                    }
                },
            );
            self.rows.push(WalkerRow::NOBODY);
            self.choose(walkers, walls, step);
            for (&index, &velocity) in self.near.by_cell().iter().zip(&self.chosen) {
                out[index as usize] = velocity;
            }
        }
    }

    /// By cell, because the neighbours are then still in the cache; each answer stands alone.
    fn choose(&mut self, walkers: &[Walker], walls: impl Fn(u32, &mut Vec<Wall>) + Sync, step: &Step<'_>) {
        let crowd = Gathered { near: &self.near, rows: &self.rows, walkers, walls, step };
        self.chosen.resize(walkers.len(), Vec2::ZERO);
        step.threads.share(
            &mut self.chosen[..],
            || Chooser::new(step.settings),
            |chooser, first, chosen| {
                for (slot, velocity) in (first..).zip(chosen) {
                    *velocity = chooser.choose(&crowd, slot);
                }
            },
        );
    }
}

/// Every walker as a step of avoidance finds them.
struct Gathered<'a, W> {
    near: &'a SpatialHash,
    rows: &'a [WalkerRow],
    walkers: &'a [Walker],
    walls: W,
    step: &'a Step<'a>,
}

/// Chooses for one walker after another; one for each thread.
struct Chooser {
    nearest: Nearest,
    /// Numbers and slots of the nearest few.
    ids: Vec<u32>,
    slots: Vec<u32>,
    walls: Vec<Wall>,
    lines: VelocityLines,
}

impl Chooser {
    fn new(settings: &AvoidSettings) -> Self {
        Self {
            nearest: Nearest::new(settings.neighbours_max),
            ids: Vec::new(),
            slots: Vec::new(),
            walls: Vec::new(),
            lines: VelocityLines::default(),
        }
    }

    /// The velocity of the walker in a slot of the grid.
    #[inline]
    fn choose<W: Fn(u32, &mut Vec<Wall>)>(&mut self, crowd: &Gathered<'_, W>, slot: usize) -> Vec2 {
        let Gathered { near, rows, walkers, step, .. } = crowd;
        let (index, row, settings) = (near.by_cell()[slot], &rows[slot], step.settings);
        if row.speed_max_mps() <= 0.0 {
            return Vec2::ZERO;
        }
        if near.crowd_at(row.place()) > HEAP_MIN {
            return row.desired().clamp_length_max(row.speed_max_mps());
        }
        let look = Lookup { per_cell_max: settings.per_cell_max, salt: index, but: index };
        near.nearest(row.place(), settings.reach_m, look, &mut self.nearest);
        self.ids.clear();
        self.ids.extend(self.nearest.iter().map(|neighbour| neighbour.id));
        self.slots.clear();
        self.slots.extend(self.ids.iter().map(|&id| near.slot_of(id)));
        self.slots.resize(self.ids.len().next_multiple_of(LANES), walkers.len() as u32);
        let own = Four::of([&row.among(&self.nearest); LANES]);
        self.lines.begin();
        for (ids, slots) in self.ids.chunks(LANES).zip(self.slots.as_chunks().0) {
            let others = FourOthers { met_by: index, walkers, rows, ids, slots };
            self.lines.add(&meet(&own, others, step));
        }
        let desired = row.desired();
        if !self.lines.is_met() && desired.length_squared() <= square(row.speed_max_mps()) * ROUNDED {
            // What one wants leads along one's path: walls are no matter until a walker is in the way.
            return desired;
        }
        let walker = &walkers[index as usize];
        self.walls.clear();
        (crowd.walls)(index, &mut self.walls);
        self.lines.hem_in(walker, &self.walls, step);
        self.lines.choose(walker, index, step)
    }
}

/// With more bodies than this in the cell of one of them it is in a heap, which only pushing can part: no
/// velocity avoids those one stands in, and each of thousands would look at all of its neighbours for
/// nothing. A cell of 1.4 m holds five bodies of 0.35 m side by side, and 57 of 0.1 m.
const HEAP_MIN: usize = 64;

/// By so much, squared, a walker seems faster than it may be where the velocity is a difference of places.
const ROUNDED: f32 = 1.000_1;

/// Cells of the grid for neighbours, by their reach. 0.4 of it where the crowd is dense: 1.4 m at 3.5 m, so
/// that nine cells hold the ten nearest. A little more than all of it where it is not, so that nine cells
/// hold everybody within reach.
#[must_use]
pub fn cell_sizes(reach_m: f32) -> HashCells {
    HashCells { dense_m: reach_m * 0.4, sparse_m: reach_m * 1.001 }
}

/// The half-planes of velocities that one walker may choose from: walls first, then neighbours by distance.
#[derive(Clone, Debug, Default)]
struct VelocityLines {
    lines: Vec<Lines4>,
    /// Of neighbours, by distance, until the walls are known.
    met: Vec<Lines4>,
    /// How many of these fours are walls.
    wall_fours: usize,
    /// How far inside the lines of neighbours the velocity wanted lies; below zero, and a walker is in its
    /// way.
    room_mps: Vec4,
    /// Whether there is a walker that moves and goes another way.
    opposed: BVec4A,
}

impl VelocityLines {
    fn begin(&mut self) {
        self.lines.clear();
        self.met.clear();
        (self.room_mps, self.opposed) = (Vec4::INFINITY, BVec4A::FALSE);
    }

    /// Adds the lines for some neighbours.
    #[inline]
    fn add(&mut self, met: &Met) {
        self.met.push(met.lines);
        self.room_mps = self.room_mps.min(met.room_mps);
        self.opposed |= met.opposed;
    }

    /// Whether a walker is in the way of the velocity wanted.
    fn is_met(&self) -> bool {
        self.room_mps.cmplt(Vec4::ZERO).any()
    }

    /// Puts walls before the neighbours.
    fn hem_in(&mut self, walker: &Walker, walls: &[Wall], step: &Step<'_>) {
        let walls = walls.iter().filter_map(|wall| wall_line(walker, wall, step.settings));
        extend_fours(&mut self.lines, walls);
        self.wall_fours = self.lines.len();
        self.lines.append(&mut self.met);
    }

    /// The velocity nearest to the one wanted that all lines allow.
    fn choose(&mut self, walker: &Walker, index: u32, step: &Step<'_>) -> Vec2 {
        let settings = step.settings;
        let mut wanted = walker.desired;
        let wanted_sq = wanted.dot(wanted);
        if self.is_met() && wanted_sq > 0.0 {
            let progress = (walker.velocity.dot(wanted) / wanted_sq).clamp(0.0, 1.0);
            let right = Vec2::new(-wanted.y, wanted.x);
            let aside = if settings.side == PassingSide::Right { right } else { -right };
            wanted += aside * settings.side_share;
            if self.opposed.any() && progress < HELD_UP && steps_back(index, step.epoch) {
                wanted = aside * settings.side_share - wanted * settings.step_back_share;
            }
        }
        solve(&self.lines, self.wall_fours, walker.speed_max_mps, wanted)
    }
}

#[inline]
fn square(value: f32) -> f32 {
    value * value
}

/// Progress towards the velocity wanted, as a part of it, below which a walker counts as held up.
const HELD_UP: f32 = 0.2;

/// Whether it is a walker's turn to step back when held up: each one in two, drawn again every epoch from its
/// number, so that jams break whose members would else wait for one another, and the same in every run.
#[inline]
fn steps_back(index: u32, epoch: u32) -> bool {
    let mut bits = index.wrapping_mul(0x9e37_79b1) ^ epoch.wrapping_mul(0x85eb_ca6b);
    bits ^= bits >> 15;
    bits = bits.wrapping_mul(0x2c1b_3c6d);
    bits ^= bits >> 13;
    bits & 1 == 0
}

/// Seconds without progress after which a walker is held up.
const HELD_UP_S: f32 = 0.25;

/// Nearer than this, a body stands on the wall, metres: the direction away from it is the wall's own.
const ON_WALL_M: f32 = 1e-4;

/// The velocities that do not cross a wall within its horizon: a half-plane through the wall's nearest point.
/// Standing still is always among them.
fn wall_line(walker: &Walker, wall: &Wall, settings: &AvoidSettings) -> Option<HalfPlane> {
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
    Some(HalfPlane { inwards: normal, offset_mps: -speed_mps })
}
