//! Which of two walkers near one another gives way.
//!
//! In: two walkers. Out: which of them gives way, and how much. Holds: the share of avoiding that one walker
//! is spared, the other takes. It depends only on facts that both know, so the two always agree. Not here:
//! the half-planes that follow from it, and what of it is settled for four pairs at once (`orca_lines`).

use glam::Vec2;

use crate::crowd::avoid::walker::Walker;

/// Of two walkers that meet, one with so much less way to go, metres, goes first, and the other does most of
/// the giving way. 0.4: half a body, so that order at a door is clear.
const FIRST_M: f32 = 0.4;

/// The part of its share that the first is spared. 0.6: where all of it is spared, two walkers that could
/// pass side by side walk one behind the other, backwards, to the end of their corridor.
pub(super) const SPARED: f32 = 0.6;

/// The cosine, squared, of the angle up to which two go the same way: 60 degrees.
pub(super) const SAME_WAY_SQ: f32 = 0.25;

/// Of two walkers that go the same way, one that is so far in front, metres, looks ahead only. 0.1: a larger
/// one leaves pairs side by side at a gap that wait for one another (forty pass 1.2 m in 43 s, with 0.4 in 52
/// s).
pub(super) const IN_FRONT_M: f32 = 0.1;

/// Where they are nearer to level than this, metres, their numbers decide which is in front: a ring of equals
/// would else stand for ever.
pub(super) const SIDE_BY_SIDE_M: f32 = 1e-3;

/// A walker that wants less than this part of the speed of a walker behind makes room to be overtaken.
pub(super) const SLOWER: f32 = 0.8;

/// Seconds without progress after which one of two walkers that meet steps aside whatever it costs. 1: two
/// that can pass have done so.
const JAM_S: f32 = 1.0;

/// Seconds after which two walkers, neither of which gets on, change which of them steps aside: the one that
/// was to may have a wall behind it. 2: a body's length and half as much again.
const TURN_S: f32 = 2.0;

/// The least share of a walker that overlaps another, so that neither is pressed to a wall.
pub(super) const PART_SHARE: f32 = 0.5;

/// The velocity that others count on: no walker counts on one that walks backwards to go on doing so, or the
/// two would go on, one after the other, to the end of their corridor, and never pass.
#[inline]
pub(super) fn onward(walker: &Walker) -> Vec2 {
    let (along, wanted_sq) = (walker.velocity.dot(walker.desired), walker.desired.length_squared());
    if along >= 0.0 || wanted_sq <= 0.0 {
        return walker.velocity;
    }
    walker.velocity - walker.desired * (along / wanted_sq)
}

/// How far a walker is from getting on, 0 to 1: 0 at two thirds of what it wants and above, 1 at a sixth and
/// below.
#[inline]
pub(super) fn held_up(walker: &Walker) -> f32 {
    let wanted_sq = walker.desired.dot(walker.desired);
    if wanted_sq <= 0.0 {
        return 0.0;
    }
    ((2.0 / 3.0 - walker.velocity.dot(walker.desired) / wanted_sq) * 2.0).clamp(0.0, 1.0)
}

/// How much wider than both of them a place is at least where two walkers pass each other, metres: the gap
/// that they keep (`AvoidSettings::gap_m`), and as much again for rounding. 0.02: with 0.01 they pass, with
/// none each waits for the other to be thinner.
pub const PASSING_GAP_M: f32 = 0.02;

/// Places that are less than so many times as wide as two walkers need can be jammed by files abreast. 2:
/// beside two abreast two more pass.
pub const FILLED: f32 = 2.0;

/// Whether two walkers that meet have room beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PassingRoom {
    /// They can pass.
    Enough,
    /// One of them has to go back, or wait.
    Short,
}

/// How far one of two walkers that meet, and do not both get on, is behind the other, -1 to 1, and whether it
/// steps aside for where the other wants to go. `held_up` is the worse of the two.
pub(super) fn in_the_way(
    walker: &Walker,
    other: &Walker,
    ids: [u32; 2],
    held_up: f32,
    room: PassingRoom,
) -> (f32, bool) {
    if is_jammed(walker.held_s.max(other.held_s), room) {
        let behind = outside_lanes(walker, other).unwrap_or_else(|| makes_way(walker, other, ids));
        return (behind, behind > 0.0);
    }
    let behind =
        outside(walker, other).unwrap_or_else(|| (behind_m(walker, other) / FIRST_M).clamp(-SPARED, SPARED));
    (behind * held_up, false)
}

/// Whether a walker is in a place too narrow for it and another.
#[inline]
fn is_narrow(walker: &Walker, other: &Walker) -> bool {
    is_within(walker, other, 1.0)
}

/// Whether a walker is in a place less than so many times as wide as it and another need to pass.
#[inline]
fn is_within(walker: &Walker, other: &Walker, times: f32) -> bool {
    walker.width_m < times * (walker.radius_m + other.radius_m) + PASSING_GAP_M
}

/// 1 for a walker that meets another in a place too narrow for two, or for more than two lanes, and is not in
/// one itself, -1 for the other: the one outside can step aside. None where both are, or neither is.
#[inline]
fn outside(walker: &Walker, other: &Walker) -> Option<f32> {
    outside_where(walker, other, is_narrow).or_else(|| outside_lanes(walker, other))
}

/// The same where two have room, and files abreast leave none: those that stand before a corridor that people
/// fill side by side let them out, or none gets in. Not those that step aside or back out: they have no way
/// of their own to go.
#[inline]
fn outside_lanes(walker: &Walker, other: &Walker) -> Option<f32> {
    let have_ways = walker.left_m > 0.0 && other.left_m > 0.0;
    if !have_ways || is_narrow(walker, other) || is_narrow(other, walker) {
        return None;
    }
    outside_where(walker, other, |one, other| is_within(one, other, FILLED))
}

/// 1 for a walker that is not in such a place when the other is, -1 for the other.
#[inline]
fn outside_where(
    walker: &Walker,
    other: &Walker,
    is_inside: impl Fn(&Walker, &Walker) -> bool,
) -> Option<f32> {
    match (is_inside(walker, other), is_inside(other, walker)) {
        (false, true) => Some(1.0),
        (true, false) => Some(-1.0),
        _ => None,
    }
}

/// Whether one of two walkers that do not get on for so long steps aside for the other; in between they try
/// to pass again, longer where there is room for it.
#[inline]
pub(super) fn is_jammed(held_s: f32, room: PassingRoom) -> bool {
    let since_s = held_s - JAM_S;
    let turn_count = if room == PassingRoom::Enough { 1 } else { 2 };
    since_s > 0.0 && (since_s / TURN_S) as u32 % 3 < turn_count
}

/// So near to its end a walker is about to arrive, metres.
const ARRIVING_M: f32 = 8.0;

/// Nearer to its end than this, metres, a walker goes on: it is as good as there. 1: with less two change
/// places on one point by turns and hardly get on.
const ARRIVED_M: f32 = 1.0;

/// A walker that leaves the place where another is about to arrive has to go so many times as far as that
/// other.
const LEAVING: f32 = 1.3;

/// How much further than the other a walker has to go, metres; the other way round where one arrives and the
/// other leaves, and neither is in a narrow place: the one that leaves gives way to the one that arrives.
#[inline]
fn behind_m(walker: &Walker, other: &Walker) -> f32 {
    let behind_m = walker.left_m - other.left_m;
    let nearer_m = walker.left_m.min(other.left_m);
    let leaves = !is_narrow(walker, other)
        && !is_narrow(other, walker)
        && nearer_m > ARRIVED_M
        && nearer_m < ARRIVING_M
        && behind_m.abs() > (LEAVING - 1.0) * nearer_m + FIRST_M;
    if leaves { -behind_m } else { behind_m }
}

/// 1 for the one of two in a jam that steps aside, -1 for the other.
#[inline]
fn makes_way(walker: &Walker, other: &Walker, ids: [u32; 2]) -> f32 {
    let is_turned = (walker.held_s.min(other.held_s) / TURN_S) as u32 % 2 == 1;
    let behind_m = behind_m(walker, other);
    let is_behind = behind_m > 0.0 || behind_m == 0.0 && ids[0] > ids[1];
    if is_behind == is_turned { -1.0 } else { 1.0 }
}
