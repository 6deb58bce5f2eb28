//! Steering: seek, slow down, a point ahead on a path, limited turning.
//!
//! In: places, velocities and paths on the ground. Out: velocities and headings. Pure functions over values.
//! Holds: nothing is faster than asked; a heading turns by at most its rate, the short way round; a body that
//! turns does not orbit the point it turns to, because its turning circle is kept from holding that point
//! (seed:P2). A point ahead on a path is taken only where the straight line to it is clear, and never lies
//! behind (seed:P1, P3). Not here: other bodies (`avoid`), walls but through the question for a clear line,
//! whether a walk is over. Source: Reynolds, "Steering behaviors for autonomous characters" (1999); the bound
//! on speed while turning is ours.

use glam::{Vec2, Vec3};

use crate::base::trig;

#[cfg(test)]
mod tests;

/// Shorter than this, a vector on the ground has no direction: metres, or metres a second.
const NOTHING: f32 = 1e-6;

/// A position seen from above: (x, z).
#[must_use]
#[inline]
pub fn flat(position: Vec3) -> Vec2 {
    Vec2::new(position.x, position.z)
}

/// The unit vector along `vector`; none for one without length, or that is not finite.
#[must_use]
#[inline]
pub fn unit(vector: Vec2) -> Option<Vec2> {
    let length = vector.dot(vector).sqrt();
    (length > NOTHING && length.is_finite()).then(|| vector / length)
}

/// Straight to `target` at `speed_mps`; zero when already there.
#[must_use]
#[inline]
pub fn seek(place: Vec2, target: Vec2, speed_mps: f32) -> Vec2 {
    unit(target - place).map_or(Vec2::ZERO, |direction| direction * speed_mps)
}

/// How a body comes to a stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// Speed far from the end, metres a second.
    pub speed_mps: f32,
    /// Braking, metres a second squared; zero or less: none, it stops dead.
    pub brake_mps2: f32,
    /// Length of a step, seconds.
    pub step_s: f32,
}

impl Arrival {
    /// The speed with `left_m` metres to go: so slow near the end that the braking suffices, and never past
    /// it.
    #[must_use]
    #[inline]
    pub fn speed_at(&self, left_m: f32) -> f32 {
        if self.step_s <= 0.0 {
            return 0.0;
        }
        let braked_mps = if self.brake_mps2 > 0.0 {
            // The speed from which whole ticks of braking end at the point: v^2 + v a dt = 2 a s, solved for
            // v.
            let step = self.brake_mps2 * self.step_s * 0.5;
            (step * step + 2.0 * self.brake_mps2 * left_m).sqrt() - step
        } else {
            self.speed_mps
        };
        // Braking alone comes ever closer and never there: the last step covers what is left.
        let floor_mps = (self.brake_mps2 * self.step_s).max(0.0);
        braked_mps.max(floor_mps).min(self.speed_mps).min(left_m / self.step_s)
    }
}

/// How fast a body turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turning {
    /// Rate, radians a second; zero or less: no turning at all.
    pub rate_radps: f32,
    /// Length of a step, seconds.
    pub step_s: f32,
}

/// `heading` turned towards `direction`, both unit vectors, by at most the rate times the step, the short way
/// round; to the left when the two are exactly opposite.
#[must_use]
#[inline]
pub fn turn(heading: Vec2, direction: Vec2, turning: &Turning) -> Vec2 {
    let step_rad = (turning.rate_radps * turning.step_s).max(0.0);
    let (ahead, left) = (heading.dot(direction), cross(heading, direction));
    let step_sq = step_rad * step_rad;
    // Mostly it looks there already. The first terms of the series are no less than the cosine and
    // cost less; the last one makes up for rounding.
    if step_rad < 1.0 && ahead >= 1.0 - step_sq * (0.5 - step_sq / 24.0) + 1e-6 {
        return direction;
    }
    let (cos, sin) = (trig::cos(step_rad), trig::sin(step_rad));
    if step_rad >= std::f32::consts::PI || ahead >= cos {
        return direction;
    }
    let sin = if left < 0.0 { -sin } else { sin };
    let turned = Vec2::new(heading.x * cos - heading.y * sin, heading.x * sin + heading.y * cos);
    // Keeps the length at one over millions of ticks.
    unit(turned).unwrap_or(heading)
}

/// The direction a body moves in and how fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CourseAhead {
    /// Where it looks and goes, a unit vector.
    pub heading: Vec2,
    /// How fast, metres a second.
    pub speed_mps: f32,
}

/// Turns `heading` towards the velocity `desired` and says how fast to go meanwhile. `target_m` is the
/// distance to the point that is aimed at: the turning circle is kept from holding it, and with more than a
/// right angle to go the body turns on the spot. Without a desired velocity the heading stays and the speed
/// is zero.
#[must_use]
#[inline]
pub fn steer(heading: Vec2, desired: Vec2, target_m: f32, turning: &Turning) -> CourseAhead {
    let Some(direction) = unit(desired) else { return CourseAhead { heading, speed_mps: 0.0 } };
    let heading = turn(heading, direction, turning);
    let (ahead, aside) = (heading.dot(direction), cross(heading, direction).abs());
    if ahead <= 0.0 {
        return CourseAhead { heading, speed_mps: 0.0 };
    }
    let wanted_mps = desired.dot(direction);
    // A circle tangent to the heading through the target has the radius target / (2 sin angle). On a smaller
    // one the angle shrinks faster than the distance. Half of it: the heading converges well before the
    // target.
    let tightest_mps =
        if aside > NOTHING { turning.rate_radps.max(0.0) * target_m / (4.0 * aside) } else { wanted_mps };
    // The square: a walker that sets out aside turns nearly on the spot, one that rounds a corner hardly
    // slows down.
    CourseAhead { heading, speed_mps: (wanted_mps * ahead * ahead).min(tightest_mps) }
}

/// How far ahead a body looks along its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lookahead {
    /// Seconds at the present velocity. Zero: exact, the aim is always the next point.
    pub predict_s: f32,
    /// How far beside the path the body may be, metres, before it is led back to it.
    pub leeway_m: f32,
    /// How far along the path the aim lies when the body is led back, metres; it is at least the prediction.
    pub ahead_m: f32,
}

impl Lookahead {
    /// No shortcuts, no leeway: for marks that a scene asks for exactly.
    pub const EXACT: Self = Self { predict_s: 0.0, leeway_m: 0.0, ahead_m: 0.0 };
}

/// A place on a path: on the segment from `points[segment]` to the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnPath {
    /// The number of the point behind.
    pub segment: usize,
    /// The place.
    pub point: Vec3,
}

/// Where a body on a path heads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The place.
    pub point: Vec3,
    /// Whether the body has been led so far off its path that it can see neither the next corner nor the path
    /// beside it.
    pub is_lost: bool,
    /// Whether the straight line there was found clear, or needs no question.
    pub is_seen: bool,
}

/// Lines asked for before the next corner is tried: the whole way ahead, a half and so on to a sixty-fourth.
/// A body on the round corner of a mesh sees no further along it than two centimetres.
const TRIES: u32 = 7;
/// Lines asked for round every corner; the shorter ones only where the path does not turn back.
const TRIES_ROUND: u32 = 4;

/// Nearer to its path than this a body is on it, metres: the path is clear, so that no question is needed to
/// walk along it.
const ON_PATH_M: f32 = 1e-3;

/// How much further ahead on its path a body is led back to it than it is beside it. 20: bodies that are
/// pushed aside at a gap go through it side by side, and do not crowd onto the one line that all paths take.
const SLANT: f32 = 20.0;

/// The furthest ahead that a body is led back, metres: so far the line to it has to be clear.
const SLANT_MAX_M: f32 = 6.0;

/// How far ahead on its path a body that looks no further is led back to it, metres: half a cell of 0.4 m.
const REJOIN_M: f32 = 0.2;

/// A path, and where on it a body is.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    /// The corners of the path.
    pub points: &'a [Vec3],
    /// The segment that the body is on.
    pub segment: usize,
    /// The two ends of the segment, so that a walker with no corner near leaves the points alone.
    pub ends: [Vec3; 2],
}

/// Where to head next. `clear` says whether one may go in a straight line from one place to another. A body
/// that will still be within the leeway keeps its course; otherwise it aims at a point ahead on the path, at
/// a slant and before the next corner, as far as the straight line is clear; failing that at the next corner,
/// or back at the path beside it. None at the end of the path. Cost: the segments ahead within reach, at most
/// eleven lines; none for a body that walks along a segment longer than it looks ahead.
#[must_use]
pub fn aim(
    Way { points, segment, ends }: Way<'_>,
    position: Vec3,
    velocity: Vec2,
    look: &Lookahead,
    mut clear: impl FnMut(Vec3, Vec3) -> bool,
) -> Option<Target> {
    if segment + 1 >= points.len() {
        return None;
    }
    let next = ends[1];
    let seen = |point: Vec3| Some(Target { point, is_lost: false, is_seen: true });
    let on_segment = |point: Vec3| OnPath { segment, point: nearest_on(ends, point) };
    let from = on_segment(position);
    let is_on_path = flat(from.point - position).length_squared() <= ON_PATH_M * ON_PATH_M;
    let speed_mps = velocity.dot(velocity).sqrt();
    let predicted_m = speed_mps * look.predict_s.max(0.0);
    let reach_m = if look.predict_s > 0.0 { predicted_m.max(look.ahead_m) } else { 0.0 };
    let reaches_corner = flat(next - from.point).length_squared() <= reach_m * reach_m;
    if is_on_path && !reaches_corner {
        return seen(next);
    }
    let way = Way { points, segment, ends };
    let beside = BesideWay { way, from, position, is_on_path, reach_m };
    if reach_m > NOTHING
        && speed_mps > NOTHING
        && !is_on_path
        && let Some(predicted) = beside.kept_course(velocity, predicted_m, look)
        && clear(position, predicted)
    {
        return seen(predicted);
    }
    if let Some(ahead) = beside.clear_ahead(&mut clear) {
        return seen(ahead);
    }
    let is_close = flat(from.point - position).length_squared() <= REJOIN_M * REJOIN_M;
    if clear(position, next) || (!is_on_path && is_close && clear(position, from.point)) {
        return seen(next);
    }
    if is_on_path {
        // What closes the path ahead, a door, is none of its business.
        return Some(Target { point: next, is_lost: false, is_seen: false });
    }
    let is_seen = clear(position, from.point);
    Some(Target { point: from.point, is_lost: !is_seen, is_seen })
}

/// A body and the path that it is on or beside.
#[derive(Clone, Copy)]
struct BesideWay<'a> {
    way: Way<'a>,
    /// The place on the path.
    from: OnPath,
    position: Vec3,
    is_on_path: bool,
    /// How far along the path it looks, metres.
    reach_m: f32,
}

impl BesideWay<'_> {
    /// Where a body will be that moves on as it does, `predicted_m` from here; None where that leads it out
    /// of the leeway, or not onward.
    #[inline]
    fn kept_course(&self, velocity: Vec2, predicted_m: f32, look: &Lookahead) -> Option<Vec3> {
        let Way { points, segment, ends } = self.way;
        let moved = velocity * look.predict_s;
        let predicted = Vec3::new(self.position.x + moved.x, self.position.y, self.position.z + moved.y);
        let is_within =
            |beside: OnPath| flat(beside.point - predicted).length_squared() <= look.leeway_m * look.leeway_m;
        let ahead_m = predicted_m + look.leeway_m;
        let mut beside = OnPath { segment, point: nearest_on(ends, predicted) };
        let to_corner_m_sq = flat(ends[1] - predicted).length_squared();
        // Beyond the corner only where that is near.
        if !is_within(beside) && to_corner_m_sq <= (ahead_m + look.leeway_m) * (ahead_m + look.leeway_m) {
            beside = nearest(points, OnPath { segment, point: predicted }, ahead_m);
        }
        let is_onward = flat(beside.point - self.from.point).dot(velocity) > 0.0;
        (is_within(beside) && is_onward).then_some(predicted)
    }

    /// The furthest of the places ahead on the path that are tried to which the line is clear.
    #[inline]
    fn clear_ahead(&self, clear: &mut impl FnMut(Vec3, Vec3) -> bool) -> Option<Vec3> {
        let Self { way: Way { points, ends, .. }, from, position, is_on_path, reach_m } = *self;
        let to_corner = flat(ends[1] - from.point);
        let corner_m = to_corner.length();
        // A body that goes through every corner and is beside its path is led back to it a short way ahead.
        let mut ahead_m = if is_on_path { reach_m } else { reach_m.max(REJOIN_M) };
        if !is_on_path && reach_m > 0.0 {
            let beside_m = flat(from.point - position).length();
            ahead_m = ahead_m.max((beside_m * SLANT).min(corner_m.min(SLANT_MAX_M)));
        }
        let turns_back = |point: Vec3| flat(point - position).dot(to_corner) < 0.0;
        for nth in 0..TRIES {
            if ahead_m <= NOTHING {
                break;
            }
            let target = match ahead_m <= corner_m {
                true => along(&ends, OnPath { segment: 0, ..from }, ahead_m),
                false => along(points, from, ahead_m),
            };
            // Shortly before a corner at which the path turns back it comes to that first: what it sees
            // beyond may be another floor.
            let leaves_floor = ahead_m > corner_m && is_on_another_floor(position, target.point, to_corner);
            let may_aim = !leaves_floor && (nth < TRIES_ROUND || !turns_back(target.point));
            if may_aim && clear(position, target.point) {
                return Some(target.point);
            }
            ahead_m *= 0.5;
        }
        None
    }
}

/// The place `distance_m` further along the path, at most its end.
#[must_use]
#[inline]
pub fn along(points: &[Vec3], from: OnPath, distance_m: f32) -> OnPath {
    let (mut at, mut left_m) = (from, distance_m.max(0.0));
    // Bounded by the points ahead.
    while let Some(&next) = points.get(at.segment + 1) {
        let length_m = flat(next - at.point).dot(flat(next - at.point)).sqrt();
        if length_m > left_m {
            at.point += (next - at.point) * (left_m / length_m);
            return at;
        }
        left_m -= length_m;
        at.point = next;
        if at.segment + 2 >= points.len() {
            return at;
        }
        at.segment += 1;
    }
    at
}

/// The place on the path that is nearest to `near.point`, on segment `near.segment` or later, with at most
/// `ahead_m` of path after the first of them looked at; the earlier one of two that are equally near.
#[must_use]
pub fn nearest(points: &[Vec3], near: OnPath, ahead_m: f32) -> OnPath {
    let mut best =
        OnPath { segment: near.segment, point: points.get(near.segment).copied().unwrap_or(near.point) };
    let (mut best_m_sq, mut seen_m) = (f32::INFINITY, 0.0);
    for (index, ends) in points.windows(2).enumerate().skip(near.segment) {
        let point = nearest_on([ends[0], ends[1]], near.point);
        // In space: of two stretches above one another the one at the height of the place.
        let away = near.point - point;
        let away_m_sq = flat(away).dot(flat(away)) + away.y * away.y;
        if away_m_sq < best_m_sq {
            (best, best_m_sq) = (OnPath { segment: index, point }, away_m_sq);
        }
        if index > near.segment {
            seen_m += flat(ends[1] - ends[0]).length_squared().sqrt();
        }
        if seen_m >= ahead_m {
            break;
        }
    }
    best
}

/// The place on a segment that is nearest to a point in plan.
#[inline]
pub(super) fn nearest_on(ends: [Vec3; 2], point: Vec3) -> Vec3 {
    let (step, offset) = (ends[1] - ends[0], flat(point - ends[0]));
    let length_m_sq = flat(step).dot(flat(step));
    let part = if length_m_sq > 0.0 { (flat(step).dot(offset) / length_m_sq).clamp(0.0, 1.0) } else { 0.0 };
    ends[0] + step * part
}

/// Whether a place on the path beyond a corner may lie on ground above or below that where a body is, to
/// which it comes only round the corner: where the path turns back it does unless both are level; else where
/// the line there is steeper than any way that is walked.
#[inline]
fn is_on_another_floor(from: Vec3, to: Vec3, to_corner: Vec2) -> bool {
    /// How far places are apart in height that are level, metres.
    const LEVEL_M: f32 = 0.02;
    /// What every line may rise, metres: a path lies as far over or under its ground.
    const SPARE_M: f32 = 0.1;
    /// What it may rise beside, for each metre on the ground: 63 degrees.
    const SLOPE: f32 = 2.0;
    let (along, rise_m) = (flat(to - from), (to.y - from.y).abs());
    let turns_back = along.dot(to_corner) < 0.0;
    rise_m > if turns_back { LEVEL_M } else { SPARE_M + SLOPE * along.length() }
}

#[inline]
fn cross(a: Vec2, b: Vec2) -> f32 {
    a.x * b.y - a.y * b.x
}
