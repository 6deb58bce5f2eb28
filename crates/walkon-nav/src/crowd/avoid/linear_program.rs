//! The velocity nearest to the one wanted, within a disc and a list of half-planes.
//!
//! In: half-planes by fours, those that may not be broken first; the radius of the disc; the velocity wanted.
//! Out: the best velocity; where the half-planes leave none, the one that breaks the later ones least. Holds:
//! half-planes are taken in the order given, so equal lists give equal bits. Standing still breaks no wall,
//! so there is always an answer. Cost: linear in the lines on most lists, cubic on the worst; lists are
//! short. Source: the incremental linear program of de Berg et al., "Computational Geometry", chapter 4, as
//! van den Berg et al. (2011) use it. Ours: four half-planes are tested at once.

use glam::{BVec4A, Vec2, Vec4};

use crate::crowd::avoid::simd::{LANES, Vec2x4, first, set_lane, sqrt};

/// Below this, two lines count as parallel: the sine of the angle between them.
const PARALLEL: f32 = 1e-5;

/// A half-plane: what lies to the left of a directed line. Kept as an offset, not as a point: points where
/// nearly parallel lines meet lie so far out that single precision loses the disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HalfPlane {
    /// Into the half-plane, a unit vector.
    pub inwards: Vec2,
    /// How far the edge lies from standing still in that direction, metres a second; above zero when standing
    /// is not allowed.
    pub offset_mps: f32,
}

impl HalfPlane {
    /// How far inside a velocity lies; below zero outside.
    #[inline(always)]
    pub(crate) fn room_at(&self, velocity: Vec2) -> f32 {
        self.inwards.dot(velocity) - self.offset_mps
    }
}

/// Four half-planes. A lane without one has no direction and allows everything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines4 {
    pub inwards: Vec2x4,
    pub offset_mps: Vec4,
}

impl Lines4 {
    /// No half-plane in any lane.
    pub(crate) const NONE: Self = Self { inwards: Vec2x4::ZERO, offset_mps: Vec4::NEG_INFINITY };

    /// Those in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn only(&self, mask: BVec4A) -> Self {
        Self {
            inwards: Vec2x4::select(mask, self.inwards, Self::NONE.inwards),
            offset_mps: Vec4::select(mask, self.offset_mps, Self::NONE.offset_mps),
        }
    }

    /// How far inside a velocity lies; below zero outside.
    #[inline(always)]
    pub(crate) fn room_at(&self, velocity: Vec2) -> Vec4 {
        self.inwards.dot(Vec2x4::splat(velocity)) - self.offset_mps
    }

    #[inline(always)]
    fn line(&self, lane: usize) -> HalfPlane {
        HalfPlane { inwards: self.inwards.lane(lane), offset_mps: self.offset_mps.to_array()[lane] }
    }
}

/// Puts lines into fours.
pub(crate) fn extend_fours(fours: &mut Vec<Lines4>, lines: impl Iterator<Item = HalfPlane>) {
    for (index, line) in lines.enumerate() {
        if index % LANES == 0 {
            fours.push(Lines4::NONE);
        }
        if let Some(last) = fours.last_mut() {
            last.inwards.set_lane(index % LANES, line.inwards);
            set_lane(&mut last.offset_mps, index % LANES, line.offset_mps);
        }
    }
}

/// What is best along a line.
#[derive(Clone, Copy)]
enum Aim {
    /// As near to this as possible.
    Near(Vec2),
    /// As far in this direction as possible; a unit vector.
    Far(Vec2),
}

/// The velocity nearest to `wanted`, no longer than `speed_mps`, that all `lines` allow. If none does, the
/// first `rigid_fours` hold and the worst breach of the others is as small as can be.
pub(crate) fn solve(lines: &[Lines4], rigid_fours: usize, speed_mps: f32, wanted: Vec2) -> Vec2 {
    match within(lines, speed_mps, Aim::Near(wanted)) {
        Ok(velocity) => velocity,
        Err((broken, velocity)) => least_broken(lines, rigid_fours, broken, speed_mps, velocity),
    }
}

/// The best velocity that all lines allow, or the first line that leaves none and the best before it.
#[inline]
fn within(lines: &[Lines4], speed_mps: f32, aim: Aim) -> Result<Vec2, (usize, Vec2)> {
    let mut best = match aim {
        Aim::Near(wanted) => capped(wanted, speed_mps),
        Aim::Far(direction) => direction * speed_mps,
    };
    for (at, four) in lines.iter().enumerate() {
        let mut judged = 0;
        // Bounded by the lanes: each time another one is judged.
        while let Some(lane) = first_broken(four, judged, best) {
            match along(lines, at, lane, speed_mps, aim) {
                Some(better) => best = better,
                None => return Err((at * LANES + lane, best)),
            }
            judged = lane + 1;
        }
    }
    Ok(best)
}

/// The first line, from one of the lanes on, that a velocity breaks.
#[inline(always)]
fn first_broken(four: &Lines4, from_lane: usize, velocity: Vec2) -> Option<usize> {
    let broken = four.room_at(velocity).cmplt(Vec4::ZERO).bitmask() >> from_lane;
    (broken != 0).then(|| from_lane + broken.trailing_zeros() as usize)
}

/// The best velocity on the edge of a line that those before it allow.
#[inline]
fn along(lines: &[Lines4], at: usize, lane: usize, speed_mps: f32, aim: Aim) -> Option<Vec2> {
    let line = lines[at].line(lane);
    let half_sq = speed_mps * speed_mps - line.offset_mps * line.offset_mps;
    if half_sq < 0.0 {
        return None;
    }
    // Along the edge from the point nearest to standing still.
    let (foot, direction) = (line.inwards * line.offset_mps, Vec2::new(line.inwards.y, -line.inwards.x));
    let mut stretch = LineStretch::new(half_sq.sqrt());
    stretch.cut(&line, foot, &lines[at].only(first(lane)));
    for others in &lines[..at] {
        stretch.cut(&line, foot, others);
    }
    let (low, high) = stretch.ends()?;
    let at = match aim {
        Aim::Near(wanted) => direction.dot(wanted).max(low).min(high),
        Aim::Far(far) if far.dot(direction) > 0.0 => high,
        Aim::Far(_) => low,
    };
    Some(foot + direction * at)
}

/// The stretch of a line that others leave, in four parts to be laid over one another.
struct LineStretch {
    lows: Vec4,
    highs: Vec4,
    /// Whether nothing is left, because the line runs beside another one on its wrong side.
    is_outside: BVec4A,
}

impl LineStretch {
    #[inline(always)]
    fn new(half: f32) -> Self {
        Self { lows: Vec4::splat(-half), highs: Vec4::splat(half), is_outside: BVec4A::FALSE }
    }

    /// Takes away what four others do not allow.
    #[inline(always)]
    fn cut(&mut self, line: &HalfPlane, foot: Vec2, others: &Lines4) {
        let turn = Vec2x4::splat(line.inwards).cross(others.inwards);
        let room = others.room_at(foot);
        let is_parallel = turn.abs().cmple(Vec4::splat(PARALLEL));
        self.is_outside |= is_parallel & room.cmplt(Vec4::ZERO);
        let ends = room / turn;
        let (is_high, is_low) = (turn.cmpgt(Vec4::splat(PARALLEL)), turn.cmplt(Vec4::splat(-PARALLEL)));
        self.highs = Vec4::select(is_high, ends, self.highs).min(self.highs);
        self.lows = Vec4::select(is_low, ends, self.lows).max(self.lows);
    }

    /// Where it begins and ends, if anything is left.
    #[inline(always)]
    fn ends(&self) -> Option<(f32, f32)> {
        let (low, high) = (self.lows.max_element(), self.highs.min_element());
        (low <= high && !self.is_outside.any()).then_some((low, high))
    }
}

/// Moves all lines but the rigid ones outwards together until something is left. `broken` is the first line
/// that left nothing, `best` the best before it.
#[cold]
fn least_broken(lines: &[Lines4], rigid_fours: usize, broken: usize, speed_mps: f32, mut best: Vec2) -> Vec2 {
    let mut depth = 0.0;
    let mut moved = [Lines4::NONE; FOURS_MAX];
    for index in broken..lines.len().min(FOURS_MAX) * LANES {
        let (last, lane) = (index / LANES, index % LANES);
        let line = lines[last].line(lane);
        if -line.room_at(best) <= depth {
            continue;
        }
        for at in 0..=last {
            moved[at] = if at < rigid_fours { lines[at] } else { equally_broken(&line, &lines[at]) };
        }
        moved[last] = moved[last].only(first(lane));
        // A line that leaves nothing here does so by rounding: the best so far stays.
        if let Ok(better) = within(&moved[..=last], speed_mps, Aim::Far(line.inwards)) {
            best = better;
            depth = -line.room_at(best);
        }
    }
    best
}

/// Fours of lines considered when something has to be broken; the furthest neighbours beyond them are not.
const FOURS_MAX: usize = 10;

/// The half-planes of velocities that break each of `others` no more than `line`; none where the two are
/// parallel, and one then always holds.
#[inline]
fn equally_broken(line: &HalfPlane, others: &Lines4) -> Lines4 {
    let difference = others.inwards - Vec2x4::splat(line.inwards);
    let length = sqrt(difference.length_squared());
    let is_line = others.inwards.length_squared().cmpgt(Vec4::ZERO);
    let between = Lines4 {
        inwards: difference / length,
        offset_mps: (others.offset_mps - Vec4::splat(line.offset_mps)) / length,
    };
    between.only(is_line & length.cmpgt(Vec4::splat(PARALLEL)))
}

/// The same direction, no longer than `length`.
#[inline]
fn capped(vector: Vec2, length: f32) -> Vec2 {
    let length_sq = vector.dot(vector);
    if length_sq > length * length { vector * (length / length_sq.sqrt()) } else { vector }
}
