//! The half-planes of velocities that avoid four neighbours at once.
//!
//! In: a walker and four others, as rows of what meetings ask for. Out: a half-plane for each of the four,
//! and which of them are in the way. Holds: each half-plane is that of its pair alone. Differences between
//! pairs are handled by masks, not by branches, because no two neighbours are alike; only rare cases (jams,
//! two on one point) are handled one by one. Not here: which walker goes first in a jam (`right_of_way`), the
//! choice of a velocity (`linear_program`).

use glam::{BVec4A, Mat4, Vec2, Vec3, Vec4, Vec4Swizzles};

use crate::base::spatial_hash::{Nearest, Neighbour};
use crate::crowd::avoid::linear_program::Lines4;
use crate::crowd::avoid::right_of_way::{
    IN_FRONT_M, PART_SHARE, PASSING_GAP_M, PassingRoom, SAME_WAY_SQ, SIDE_BY_SIDE_M, SLOWER, SPARED, held_up,
    in_the_way, onward,
};
use crate::crowd::avoid::simd::{LANES, Vec2x4, lanes, set_lane, sqrt};
use crate::crowd::avoid::walker::{AvoidSettings, PassingSide, Step, Walker};
use crate::crowd::resolve::parting;

/// Sine of the angle between course and neighbour below which a meeting counts as straight on: 6 degrees.
const STRAIGHT: f32 = 0.1;

/// Shorter than this, metres a second, and a relative velocity has no direction.
const DIRECTION_MIN_MPS: f32 = 1e-6;

/// Nearer than so many of one's own radii, centre to centre, others take up room. 6: two bodies' widths
/// between them.
const CLOSE_RADII: f32 = 6.0;

/// With more than so many others that near, two walkers that meet are not alone: where the ground has room,
/// others fill it.
const CLOSE_COUNT: usize = 3;

/// What meetings ask for about a walker, in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct WalkerRow {
    /// Place and velocity.
    motion: Vec4,
    /// The velocity wanted, and the one that others count on.
    intent: Vec4,
    /// Radius, readiness to give way, room, height of the floor.
    body: Vec4,
    /// Top speed, how far it is from getting on, one by the time in which others avoid it, one by that in
    /// which it parts from others.
    pace: Vec4,
}

impl WalkerRow {
    /// Nobody: on no storey.
    pub(super) const NOBODY: Self = Self {
        motion: Vec4::ZERO,
        intent: Vec4::ZERO,
        body: Vec4::new(0.0, 0.0, 0.0, f32::NAN),
        pace: Vec4::ZERO,
    };

    pub(super) fn of(walker: &Walker, step: &Step<'_>) -> Self {
        let settings = step.settings;
        let two = |one: Vec2, other: Vec2| Vec4::new(one.x, one.y, other.x, other.y);
        let stands = walker.speed_max_mps <= 0.0;
        let horizon_s = if stands { settings.standing_horizon_s } else { settings.horizon_s };
        let part_s = settings.part_s.max(step.step_s);
        Self {
            motion: two(walker.place, walker.velocity),
            intent: two(walker.desired, onward(walker)),
            body: Vec4::new(walker.radius_m, walker.gives_way, walker.room_m, walker.floor_m),
            pace: Vec4::new(walker.speed_max_mps, held_up(walker), 1.0 / horizon_s, 1.0 / part_s),
        }
    }

    pub(super) fn place(&self) -> Vec2 {
        self.motion.xy()
    }

    pub(super) fn desired(&self) -> Vec2 {
        self.intent.xy()
    }

    pub(super) fn speed_max_mps(&self) -> f32 {
        self.pace.x
    }

    /// With the room that others leave.
    pub(super) fn among(self, nearest: &Nearest) -> Self {
        let Vec3 { x: radius_m, z: room_m, .. } = self.body.xyz();
        let close_m = CLOSE_RADII * radius_m;
        let is_close = |neighbour: Neighbour| neighbour.distance_m_sq < close_m * close_m;
        let room_m = if nearest.iter().nth(CLOSE_COUNT).is_some_and(is_close) { 0.0 } else { room_m };
        Self { body: self.body.with_z(room_m), ..self }
    }
}

/// Four rows, turned so that each number lies in four lanes.
pub(super) struct Four {
    place: Vec2x4,
    velocity: Vec2x4,
    desired: Vec2x4,
    onward: Vec2x4,
    radius_m: Vec4,
    gives_way: Vec4,
    room_m: Vec4,
    floor_m: Vec4,
    speed_max_mps: Vec4,
    held_up: Vec4,
    avoided_per_s: Vec4,
    parted_per_s: Vec4,
}

impl Four {
    #[inline(always)]
    pub(super) fn of(rows: [&WalkerRow; LANES]) -> Self {
        let turned = |part: fn(&WalkerRow) -> Vec4| {
            Mat4::from_cols(part(rows[0]), part(rows[1]), part(rows[2]), part(rows[3])).transpose()
        };
        let (motion, intent) = (turned(|row| row.motion), turned(|row| row.intent));
        let (body, pace) = (turned(|row| row.body), turned(|row| row.pace));
        Self {
            place: Vec2x4 { x: motion.x_axis, y: motion.y_axis },
            velocity: Vec2x4 { x: motion.z_axis, y: motion.w_axis },
            desired: Vec2x4 { x: intent.x_axis, y: intent.y_axis },
            onward: Vec2x4 { x: intent.z_axis, y: intent.w_axis },
            radius_m: body.x_axis,
            gives_way: body.y_axis,
            room_m: body.z_axis,
            floor_m: body.w_axis,
            speed_max_mps: pace.x_axis,
            held_up: pace.y_axis,
            avoided_per_s: pace.z_axis,
            parted_per_s: pace.w_axis,
        }
    }
}

/// The walkers that one meets: up to four of all.
#[derive(Clone, Copy)]
pub(super) struct FourOthers<'a> {
    /// The number of the one that meets them.
    pub met_by: u32,
    pub walkers: &'a [Walker],
    /// By slot, then nobody.
    pub rows: &'a [WalkerRow],
    /// Numbers of the neighbours, and their slots; fewer than four are made up by nobody.
    pub ids: &'a [u32],
    pub slots: &'a [u32; LANES],
}

/// What comes of meeting four others.
pub(super) struct Met {
    /// None for neighbours that the walker cannot run into, whatever it does.
    pub lines: Lines4,
    /// How far inside them the velocity wanted lies.
    pub room_mps: Vec4,
    /// Those in its way that move and go another way.
    pub opposed: BVec4A,
}

/// How the walker comes to terms with four others.
struct Terms {
    /// Those that stand on its floor.
    is_there: BVec4A,
    /// The part of what is needed that falls to the walker.
    share: Vec4,
    is_same_way: BVec4A,
    /// What the walker counts on: the velocity of its own and that of the other.
    own_velocity: Vec2x4,
    its_velocity: Vec2x4,
}

/// Meets up to four others.
#[inline(always)]
pub(super) fn meet(own: &Four, others: FourOthers<'_>, step: &Step<'_>) -> Met {
    let row = |lane: usize| &others.rows[others.slots[lane] as usize];
    let its = Four::of([row(0), row(1), row(2), row(3)]);
    let floors_apart_m = (own.floor_m - its.floor_m).abs();
    let is_there = floors_apart_m.cmple(Vec4::splat(step.settings.storey_m));
    let terms = terms(own, &its, is_there, others);
    let lines = lines(own, &its, &terms, others, step.settings);
    let speed_max_mps = own.speed_max_mps;
    let is_reached = !lines.room_at(Vec2::ZERO).cmpge(speed_max_mps);
    let lines = lines.only(is_there & terms.share.cmpgt(Vec4::ZERO) & is_reached);
    let room_mps = lines.inwards.dot(own.desired) - lines.offset_mps;
    // No walker steps back from standing bodies, or from those in front: it would not help them on.
    let goes_elsewhere = its.speed_max_mps.cmpgt(Vec4::ZERO) & !terms.is_same_way;
    Met { lines, room_mps, opposed: room_mps.cmplt(Vec4::ZERO) & goes_elsewhere }
}

/// Of two walkers that go the same way the one in front is not asked to look back. Two that meet share evenly
/// while both get on; in a jam the one nearer to its end goes first, so that no walker at a door waits for
/// one that waits for it.
#[inline(always)]
fn terms(own: &Four, its: &Four, is_there: BVec4A, others: FourOthers<'_>) -> Terms {
    let index = others.met_by;
    let (zero, one) = (Vec4::ZERO, Vec4::ONE);
    let along = own.desired.dot(its.desired);
    let (own_sq, its_sq) = (own.desired.length_squared(), its.desired.length_squared());
    let is_same_way = along.cmpgt(zero) & (along * along).cmpgt(Vec4::splat(SAME_WAY_SQ) * own_sq * its_sq);
    let needed_m = own.radius_m + its.radius_m + Vec4::splat(PASSING_GAP_M);
    let has_room = !is_same_way & own.room_m.min(its.room_m).cmpge(needed_m);
    let sum = own.gives_way + its.gives_way;
    let even = own.gives_way / sum;
    let is_shared = sum.cmpgt(zero) & even.cmpgt(zero) & even.cmplt(one);
    let mut behind = Vec4::select(is_same_way, behind(own, its, own_sq, its_sq), zero);
    let mut own_velocity = Vec2x4::select(has_room, own.onward, own.velocity);
    let mut its_velocity = Vec2x4::select(has_room, its.onward, its.velocity);
    let to_settle = is_there & is_shared;
    let held_up = own.held_up.max(its.held_up);
    // One by one: pairs whose numbers decide, and those that do not get on.
    let is_level = is_same_way & behind.cmpeq(zero);
    for lane in lanes(to_settle & is_level) {
        set_lane(&mut behind, lane, if index < others.ids[lane] { -1.0 } else { 1.0 });
    }
    for lane in lanes(to_settle & !is_same_way & held_up.cmpgt(zero)) {
        let id = others.ids[lane];
        let (walker, other) = (&others.walkers[index as usize], &others.walkers[id as usize]);
        let room = if has_room.test(lane) { PassingRoom::Enough } else { PassingRoom::Short };
        let (its_behind, asked) = in_the_way(walker, other, [index, id], held_up.to_array()[lane], room);
        set_lane(&mut behind, lane, its_behind);
        if asked {
            // It steps aside for where the other wants to go, not only for where it gets.
            own_velocity.set_lane(lane, own.velocity.lane(lane));
            its_velocity.set_lane(lane, its.desired.lane(lane));
        }
    }
    // What one is spared the other does: the two shares are one together.
    let rest = Vec4::select(behind.cmpgt(zero), one - even, even);
    let alone = Vec4::select(sum.cmpgt(zero), even, one);
    let share = Vec4::select(is_shared, even + rest * behind, alone);
    Terms { is_there, share, is_same_way, own_velocity, its_velocity }
}

/// How far behind the others the walker is, seen along the way of both, -1 to 1; 0 where they are level.
#[inline(always)]
fn behind(own: &Four, its: &Four, own_sq: Vec4, its_sq: Vec4) -> Vec4 {
    let way = own.desired + its.desired;
    let ahead_m = (its.place - own.place).dot(way) / sqrt(way.length_squared());
    let is_ahead = ahead_m.cmpgt(Vec4::ZERO);
    let (first_sq, second_sq) =
        (Vec4::select(is_ahead, its_sq, own_sq), Vec4::select(is_ahead, own_sq, its_sq));
    let is_slower = first_sq.cmplt(second_sq * SLOWER * SLOWER);
    let most = Vec4::select(is_slower, Vec4::splat(SPARED), Vec4::ONE);
    let behind = (ahead_m / IN_FRONT_M).max(-most).min(most);
    Vec4::select(ahead_m.abs().cmplt(Vec4::splat(SIDE_BY_SIDE_M)), Vec4::ZERO, behind)
}

/// The velocities that avoid others: the half-plane next to the velocity obstacle, moved by the walker's
/// share. Bodies that overlap are parted: the obstacle is then the disc of velocities that leave them
/// overlapping.
#[inline(always)]
fn lines(own: &Four, its: &Four, terms: &Terms, others: FourOthers<'_>, settings: &AvoidSettings) -> Lines4 {
    let to_other = its.place - own.place;
    let relative = terms.own_velocity - terms.its_velocity;
    let distance_m_sq = to_other.length_squared();
    let touch_m = own.radius_m + its.radius_m;
    let apart_m = touch_m + settings.gap_m;
    let apart_m_sq = apart_m * apart_m;
    let overlaps = distance_m_sq.cmple(apart_m_sq);
    let per_s = Vec4::select(overlaps, own.parted_per_s, its.avoided_per_s);
    // From the centre of the disc that ends the velocity obstacle to the relative velocity.
    let from_disc = relative - to_other * per_s;
    let ahead = from_disc.dot(to_other);
    let from_disc_sq = from_disc.length_squared();
    let is_disc = overlaps | (ahead.cmplt(Vec4::ZERO) & (ahead * ahead).cmpgt(apart_m_sq * from_disc_sq));
    let root = sqrt(Vec4::select(is_disc, from_disc_sq, distance_m_sq - apart_m_sq));
    // The edge of the shadow.
    let (along, across) = (to_other * root, to_other.perp() * apart_m);
    let aside = to_other.cross(from_disc);
    // Nearly straight on: both see the same `aside`, and both would else wait for the other to choose.
    let is_straight = (aside * aside).cmple(Vec4::splat(STRAIGHT * STRAIGHT) * distance_m_sq * from_disc_sq);
    let is_right_side = BVec4A::splat(settings.side == PassingSide::Right);
    let is_left = (is_straight & is_right_side) | (!is_straight & aside.cmpgt(Vec4::ZERO));
    let edge = Vec2x4::select(is_left, across + along, across - along);
    let mut unit = Vec2x4::select(is_disc, from_disc, edge) / Vec4::select(is_disc, root, distance_m_sq);
    for lane in lanes(terms.is_there & overlaps & !root.cmpgt(Vec4::splat(DIRECTION_MIN_MPS))) {
        unit.set_lane(lane, apart(others.met_by, others.ids[lane]));
    }
    // The way out of the obstacle.
    let length = Vec4::select(is_disc, apart_m * per_s - root, relative.dot(unit));
    let change = unit * length - Vec2x4::select(is_disc, Vec2x4::ZERO, relative);
    let is_pressed = distance_m_sq.cmplt(touch_m * touch_m);
    let share = Vec4::select(is_pressed, terms.share.max(Vec4::splat(PART_SHARE)), terms.share);
    let from = Vec2x4::select(overlaps, own.velocity, terms.own_velocity);
    let inwards = Vec2x4::select(is_disc, unit, unit.perp());
    Lines4 { inwards, offset_mps: inwards.dot(from + change * share) }
}

/// The direction in which one of two on one point leaves the other.
#[cold]
fn apart(index: u32, other: u32) -> Vec2 {
    if index < other { -parting(index, other) } else { parting(other, index) }
}
