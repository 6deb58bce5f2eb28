//! The velocity nearest to the one wanted, within a disc and a list of half-planes.
//!
//! In: half-planes, those that may not be broken first; the radius of the disc; the velocity wanted. Out: the best velocity;
//! where the half-planes leave none, the one that breaks the later ones least.
//! Holds: half-planes are taken in the order given, so equal lists give equal bits. What stands still breaks no wall, so
//! there is always an answer. Cost: linear in the lines on most lists, cubic on the worst; lists are short.
//! Source: the incremental linear program of de Berg et al., "Computational Geometry", chapter 4, as van den Berg et al.
//! (2011) use it.

use glam::Vec2;

/// Below this, two lines count as parallel: the sine of the angle between them.
const PARALLEL: f32 = 1e-5;

/// A half-plane: what lies to the left of a directed line. Kept as an offset, not as a point: points where nearly parallel
/// lines meet lie so far out that single precision loses the disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    /// Into the half-plane, a unit vector.
    pub inwards: Vec2,
    /// How far the edge lies from standing still in that direction, metres a second; above zero when standing is not allowed.
    pub offset_mps: f32,
}

impl Line {
    /// The half-plane on the `inwards` side of `point`.
    #[inline(always)]
    pub(crate) fn through(point: Vec2, inwards: Vec2) -> Self {
        Self { inwards, offset_mps: inwards.dot(point) }
    }

    /// How far inside a velocity lies; below zero outside.
    #[inline(always)]
    pub(crate) fn room_at(&self, velocity: Vec2) -> f32 {
        self.inwards.dot(velocity) - self.offset_mps
    }
}

/// Twice the signed area between two vectors: above zero when `b` is to the left of `a`.
#[inline(always)]
pub(crate) fn cross(a: Vec2, b: Vec2) -> f32 {
    a.x * b.y - a.y * b.x
}

/// What is best along a line.
#[derive(Clone, Copy)]
enum Aim {
    /// As near to this as possible.
    Near(Vec2),
    /// As far in this direction as possible; a unit vector.
    Far(Vec2),
}

/// The velocity nearest to `wanted`, no longer than `speed_mps`, that all `lines` allow. If none does, the first `rigid_count`
/// hold and the worst breach of the others is as small as can be.
pub(crate) fn solve(lines: &[Line], rigid_count: usize, speed_mps: f32, wanted: Vec2) -> Vec2 {
    match within(lines, speed_mps, Aim::Near(wanted)) {
        Ok(velocity) => velocity,
        Err((broken, velocity)) => least_broken(lines, (rigid_count, broken), speed_mps, velocity),
    }
}

/// The best velocity that all lines allow, or the first line that leaves none and the best before it.
#[inline]
fn within(lines: &[Line], speed_mps: f32, aim: Aim) -> Result<Vec2, (usize, Vec2)> {
    let mut best = match aim {
        Aim::Near(wanted) => capped(wanted, speed_mps),
        Aim::Far(direction) => direction * speed_mps,
    };
    for (index, line) in lines.iter().enumerate() {
        if line.room_at(best) < 0.0 {
            match along(line, &lines[..index], speed_mps, aim) {
                Some(better) => best = better,
                None => return Err((index, best)),
            }
        }
    }
    Ok(best)
}

/// The best velocity on the edge of `line` that `others` allow.
#[inline]
fn along(line: &Line, others: &[Line], speed_mps: f32, aim: Aim) -> Option<Vec2> {
    let half_sq = speed_mps * speed_mps - line.offset_mps * line.offset_mps;
    if half_sq < 0.0 {
        return None;
    }
    // Along the edge from the point nearest to standing still.
    let (foot, direction) = (line.inwards * line.offset_mps, Vec2::new(line.inwards.y, -line.inwards.x));
    let half = half_sq.sqrt();
    let (mut low, mut high) = (-half, half);
    for other in others {
        let (turn, room) = (cross(line.inwards, other.inwards), other.room_at(foot));
        if turn.abs() <= PARALLEL {
            if room < 0.0 {
                return None;
            }
            continue;
        }
        let at = room / turn;
        if turn > 0.0 {
            high = high.min(at)
        } else {
            low = low.max(at)
        }
        if low > high {
            return None;
        }
    }
    let at = match aim {
        Aim::Near(wanted) => direction.dot(wanted).max(low).min(high),
        Aim::Far(far) if far.dot(direction) > 0.0 => high,
        Aim::Far(_) => low,
    };
    Some(foot + direction * at)
}

/// Moves all lines but the rigid ones outwards together until something is left. `broken` is the first line that left
/// nothing, `best` the best before it.
#[cold]
fn least_broken(
    lines: &[Line],
    (rigid_count, broken): (usize, usize),
    speed_mps: f32,
    mut best: Vec2,
) -> Vec2 {
    let mut depth = 0.0;
    let mut moved: [Line; LINES_MAX] = [Line { inwards: Vec2::X, offset_mps: 0.0 }; LINES_MAX];
    for index in broken..lines.len().min(LINES_MAX) {
        let line = &lines[index];
        if -line.room_at(best) <= depth {
            continue;
        }
        let mut count = rigid_count.min(index);
        moved[..count].copy_from_slice(&lines[..count]);
        for other in &lines[count..index] {
            if let Some(between) = equally_broken(line, other) {
                moved[count] = between;
                count += 1;
            }
        }
        // A line that leaves nothing here does so by rounding: the best so far stays.
        if let Ok(better) = within(&moved[..count], speed_mps, Aim::Far(line.inwards)) {
            best = better;
            depth = -line.room_at(best);
        }
    }
    best
}

/// Lines considered when something has to be broken; the furthest neighbours beyond it are not.
const LINES_MAX: usize = 32;

/// The half-plane of velocities that break `other` no more than `line`; none when the two are parallel, and one then
/// always holds.
#[inline]
fn equally_broken(line: &Line, other: &Line) -> Option<Line> {
    let difference = other.inwards - line.inwards;
    let length = difference.dot(difference).sqrt();
    let offset_mps = (other.offset_mps - line.offset_mps) / length;
    (length > PARALLEL).then(|| Line { inwards: difference / length, offset_mps })
}

/// The same direction, no longer than `length`.
#[inline]
fn capped(vector: Vec2, length: f32) -> Vec2 {
    let length_sq = vector.dot(vector);
    if length_sq > length * length { vector * (length / length_sq.sqrt()) } else { vector }
}
