//! Path following: the place a body would reach along its path in one step.
//!
//! In: a path (world metres), a cursor on it, the body's place and heading, how fast it may go. Out: the
//! place it would come to if nobody were in the way, its heading there, the cursor, which never moves back.
//! Holds: the direction of movement turns by the turning rate and no faster, and a body slows down while the
//! angle is large, so that it never orbits a corner (seed:P2); a corner is cut only where the straight line
//! is clear (seed:P1); a fast body passes each corner once (seed:F4); where a body turns, or has a corner in
//! view, a tick is cut into small steps of one length, so that 30, 60 and 120 a second go the same way
//! (seed:F3). Not here: other bodies, whether the walk is over. Walls only through the question for a clear
//! line.

use glam::{Vec2, Vec3};

use crate::base::geom::flat_distance;
use crate::base::trig;
use crate::crowd::steer::{self, Arrival, Lookahead, Turning, flat};
use crate::nav::Path;

mod saved;
#[cfg(test)]
mod tests;

/// A place on a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cursor {
    /// The point that lies behind: the body is between `points[segment]` and `points[segment + 1]`.
    pub segment: u32,
    /// Metres from the start of the path to that point.
    pub start_m: f32,
    /// Metres from the start of the path; the furthest that the body has been.
    pub along_m: f32,
    /// The two ends of the segment, or twice the end of the path: what most ticks need of it, kept at hand
    /// because the points of ten thousand paths do not stay in the cache.
    pub ends: [Vec3; 2],
}

/// Nearer to a corner than this, a body stands there, metres: twice as far as vectors have a direction.
const TOUCHED_M: f32 = 2e-6;
/// Nearer to the end than this, the path has been walked, metres; see [`passed_m`].
const PASSED_M: f32 = 1e-3;
/// The most of a path that a body skips in a tick because it cuts corners, metres: as far as it looks ahead.
const SKIPPED_M: f32 = AHEAD_MAX_M;

/// Nearer to this end of a path, the path has been walked, metres: two steps of its coordinates where those
/// are far from the origin, for a body that brakes comes no nearer.
#[inline]
fn passed_m(end: Vec3) -> f32 {
    let far_m = end.x.abs().max(end.z.abs());
    PASSED_M.max(2.0 * f32::EPSILON * far_m)
}

/// Whether two places are one by their bits: what is no number is not even itself. Without arrays, which cost
/// hundreds of instructions where the caller is compiled for size.
#[inline]
fn is_same_place(one: Vec3, other: Vec3) -> bool {
    one.x.to_bits() == other.x.to_bits()
        && one.y.to_bits() == other.y.to_bits()
        && one.z.to_bits() == other.z.to_bits()
}

impl Cursor {
    /// The place of a body that sets out on a path.
    #[must_use]
    #[inline]
    pub fn at_start(path: &Path) -> Self {
        Self::default().looked_up(path)
    }

    /// The first point ahead, none at the end of the path.
    #[must_use]
    #[inline]
    pub fn next(self, path: &Path) -> Option<Vec3> {
        // Only at the end are both ends one, so most answers need not read the path.
        let [from, to] = self.ends;
        if is_same_place(from, to) && self.segment as usize + 1 >= path.points.len() {
            None
        } else {
            Some(to)
        }
    }

    /// The same place with the ends of its segment as the path has them now.
    #[must_use]
    #[inline]
    pub fn looked_up(self, path: &Path) -> Self {
        let at = |index: usize| path.points.get(index).or(path.points.last()).copied().unwrap_or_default();
        Self { ends: [at(self.segment as usize), at(self.segment as usize + 1)], ..self }
    }

    /// The points ahead, without the body's own place.
    #[must_use]
    #[inline]
    pub fn ahead(self, path: &Path) -> &[Vec3] {
        path.points.get(self.segment as usize + 1..).unwrap_or(&[])
    }

    /// The cursor of a body that has come to `place`, on the path or beside it: on the nearest of the
    /// segments that begin within a short way ahead, the last of those that are equally near. Never moves
    /// back. Cost: those segments.
    #[must_use]
    #[inline]
    pub fn onward(self, path: &Path, place: Vec3) -> Self {
        let (mut best, mut best_m_sq) = (self, f32::INFINITY);
        let mut at = self;
        // Bounded by the corners of the path.
        while let Some(next) = at.next(path) {
            let here = FromSegment::of(at.ends[0], next, place);
            if here.away_m_sq <= best_m_sq {
                best_m_sq = here.away_m_sq;
                best = Self { along_m: self.along_m.max(at.start_m + here.along_m), ..at };
            }
            at.start_m += here.length_m;
            if at.start_m > self.along_m + SKIPPED_M && flat_distance(place, next) > passed_m(next) {
                break;
            }
            at.segment += 1;
            at = at.looked_up(path);
        }
        let is_last = best.segment as usize + 2 == path.points.len();
        match best.next(path).filter(|&end| is_last && flat_distance(place, end) <= passed_m(end)) {
            Some(end) => {
                let (segment, end_m) = (best.segment + 1, path.length_m.max(best.along_m));
                Self { segment, start_m: end_m, along_m: end_m, ends: [end, end] }
            }
            None => best,
        }
    }

    /// The same past corners at which the body stands already, as good as exactly: no direction leads there.
    #[inline]
    fn past_touched(mut self, path: &Path, place: Vec3) -> Self {
        // Bounded by the corners of the path.
        while self.segment as usize + 2 < path.points.len() && flat_distance(place, self.ends[1]) <= TOUCHED_M
        {
            self.start_m += flat_distance(self.ends[0], self.ends[1]);
            self.along_m = self.along_m.max(self.start_m);
            self.segment += 1;
            self = self.looked_up(path);
        }
        self
    }

    /// Metres from `place` along the rest of the path to its end.
    #[must_use]
    #[inline]
    pub fn left_m(self, path: &Path, place: Vec3) -> f32 {
        let Some(next) = self.next(path) else { return 0.0 };
        let segment_m = flat_distance(self.ends[0], next);
        (path.length_m - self.start_m - segment_m).max(0.0) + flat_distance(place, next)
    }
}

/// A place seen from a segment.
struct FromSegment {
    length_m: f32,
    /// From the first end to the nearest point in plan, metres.
    along_m: f32,
    /// In space: of two stretches above one another the body is on the one at its height.
    away_m_sq: f32,
}

impl FromSegment {
    fn of(from: Vec3, to: Vec3, place: Vec3) -> Self {
        let (step, offset) = (flat(to - from), flat(place - from));
        let length_m = step.dot(step).sqrt();
        let along_m = if length_m > 0.0 { (step.dot(offset) / length_m).clamp(0.0, length_m) } else { 0.0 };
        let foot = if length_m > 0.0 { (to - from) * (along_m / length_m) } else { Vec3::ZERO };
        let away = place - from - foot;
        Self { length_m, along_m, away_m_sq: flat(away).length_squared() + away.y * away.y }
    }
}

/// How a body goes along a path in a step of the crowd.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepGait {
    /// Metres a second, above zero.
    pub speed_mps: f32,
    /// Radians a second.
    pub turn_radps: f32,
    /// Length of the step, seconds, above zero.
    pub step_s: f32,
    /// The most it may go in this step and after it, metres: to a closed door, to the distance kept from
    /// another body.
    pub reach_m: f32,
    /// Whether it slows down before it stops.
    pub brakes: bool,
    /// Whether it goes through every corner of its path.
    pub is_exact: bool,
    /// Whether no wall is near. There what leads straight on is walked in one go, near walls in small steps.
    pub is_open: bool,
}

/// Where a body is, and where it looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPose {
    /// Where it is.
    pub place: Vec3,
    /// The direction it looks and goes in, a unit vector.
    pub heading: Vec2,
}

/// What a step along a path comes to if nobody is in the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stride {
    /// Where the body comes to.
    pub to: Vec3,
    /// The direction it then looks and goes in, a unit vector.
    pub heading: Vec2,
    /// The velocity it wanted as the step began, before turning; metres a second.
    pub wanted: Vec2,
    /// Whether it has been led so far off its path that it cannot see it any more.
    pub is_lost: bool,
    /// Whether it looks where it wants to go, and a wall right before it lets it go no further.
    pub is_at_wall: bool,
}

impl Stride {
    /// Of a move that is yet to be worked out.
    pub const NONE: Self = Self::staying(Vec3::ZERO, Vec2::ZERO);

    /// Of a body that stays where it is.
    const fn staying(to: Vec3, heading: Vec2) -> Self {
        Self { to, heading, wanted: Vec2::ZERO, is_lost: false, is_at_wall: false }
    }
}

/// Seconds that a body looks ahead along its path. 0.35: half a metre at 1.4 m/s, a corner is rounded from
/// two steps before.
const PREDICT_S: f32 = 0.35;
/// The furthest that a body looks ahead, metres: fast bodies cut corners no further than a runner.
const AHEAD_MAX_M: f32 = 1.0;
/// How far beside its path a body may stay, metres: less than a quarter of a body's width.
const LEEWAY_M: f32 = 0.08;
/// How far along the path a slow body looks, metres: half a cell of 0.4 m and a half.
const AHEAD_M: f32 = 0.3;
/// Small steps a second. 120: the path of a body at 60 a second differs from that at 120 by less than a
/// millimetre.
const STEPS_PER_S: f32 = 120.0;
/// The longest small step, metres: a quarter of a cell.
const STEP_MAX_M: f32 = 0.1;
/// The most small steps of a tick: 50 m/s at 10 ticks a second, at twice the longest step for the rest.
const STEPS_MAX: f32 = 32.0;
/// The part of its speed that a body keeps while it turns round a corner with room to go wide.
const ROUNDING: f32 = 0.9;
/// The cosine of the angle up to which it does: 70 degrees. Further round it turns on the spot, or nearly.
const ROUNDING_COS: f32 = 0.34;
/// The cosine of the angle within which a body goes straight to where it heads: a twelfth of a degree.
const STRAIGHT_COS: f32 = 1.0 - 1e-6;
/// The cosine of the angle within which a body looks where it wants to go: a tenth of a degree.
const LOOKS_THERE_COS: f32 = 0.999_998;
/// The cosine of the angle up to which a body steps aside along a wall that it looks into: 45 degrees.
const ASIDE_COS: f32 = 0.7;
/// Seconds in which a body stops from its full speed. 0.25: a step and a half at 1.4 m/s.
const STOP_S: f32 = 0.25;

/// One tick of a body that follows `path` from `cursor` on. `clear` says whether it may go in a straight line
/// from one place to another. Cost: nothing to speak of on a straight stretch; around corners up to twelve
/// lines for each small step.
#[must_use]
#[inline]
pub fn stride(
    path: &Path,
    cursor: Cursor,
    body: BodyPose,
    gait: &StepGait,
    mut clear: impl FnMut(Vec3, Vec3) -> bool,
) -> Stride {
    stride_where(path, cursor, body, gait, &mut clear)
}

/// Whether a body may go in a straight line from one place to another.
type Clear<'a> = &'a mut dyn FnMut(Vec3, Vec3) -> bool;

/// [`stride`] itself: compiled once, in this crate, and not again for each closure.
fn stride_where(path: &Path, cursor: Cursor, start: BodyPose, gait: &StepGait, clear: Clear<'_>) -> Stride {
    let BodyPose { place, heading } = start;
    let mut body = StridingBody { place, heading, cursor, gone_m: 0.0 };
    let mut result = Stride::staying(place, heading);
    let all = if body.goes_straight_on(path, gait) { 1.0 } else { small_steps(gait) };
    // Most go in one step, and clearing the places of all takes as long as some of its sums.
    let (mut only, mut many);
    let places = if all == 1.0 {
        only = [Vec3::ZERO];
        &mut only[..]
    } else {
        many = [Vec3::ZERO; STEPS_MAX as usize];
        &mut many[..]
    };
    let (mut left, mut count, mut is_cut, mut may_wait) = (all, 0, false, false);
    // Bounded by STEPS_MAX.
    for small in &mut *places {
        if left <= 0.0 {
            break;
        }
        let before = body;
        // Not after the last: nobody asks where on its path that ends.
        if count > 0 {
            body.cursor = body.cursor.onward(path, body.place);
        }
        let smalls = SmallSteps { each_s: gait.step_s / all, left };
        let Some(step) = body.step(path, gait, smalls, clear) else { break };
        if count > 0 && !step.is_seen && !gait.is_exact {
            // On the very corner, or beyond it: the rest is straight.
            let whole_m = before.gone_m * all / (all - left);
            body = StridingBody { gone_m: whole_m.min(gait.reach_m), ..before };
            is_cut = true;
            break;
        }
        if count == 0 {
            (result.wanted, result.is_lost) = (step.wanted, step.is_lost);
            may_wait = step.is_seen;
        }
        *small = body.place;
        count += 1;
        left -= step.count;
    }
    // What is walked in a step is one straight line.
    if is_cut || count > 1 && !clear(place, body.place) {
        let places = &places[..count];
        // Where it turns to, if that is clear and not far aside.
        let aside = steer::unit(result.wanted).filter(|wanted| may_wait && heading.dot(*wanted) > ASIDE_COS);
        // Round a sharp corner it turns nearly on the spot: beside it there may be another floor.
        let is_gentle = steer::unit(result.wanted).is_some_and(|wanted| heading.dot(wanted) > ROUNDING_COS);
        let fan = Fan { length_m: body.gone_m, directions: if is_gentle { FAN } else { 1 }, aside };
        let past = match gait.is_exact {
            true => seen(place, places, clear),
            false => past_corner(place, fan, places, gait, clear),
        };
        // The first is where a shorter step would end. Where that leads into a wall although the way that it
        // turns to is clear, it turns on the spot, as far as it turns in a step: what it would do inside the
        // wall is no guide.
        let turns = past.is_none() && may_wait && !clear(place, places[0]);
        let mut on_the_spot = place;
        if let Some(wanted) = steer::unit(result.wanted).filter(|_| turns) {
            let turning = Turning { rate_radps: gait.turn_radps, step_s: gait.step_s };
            body.heading = steer::turn(heading, wanted, &turning);
            // A body that looks there already would stand there for ever.
            if heading.dot(wanted) > LOOKS_THERE_COS {
                result.is_at_wall = true;
                on_the_spot = back_to_path(place, cursor, gait, clear).unwrap_or(place);
            }
        }
        body.place = past.unwrap_or(if turns { on_the_spot } else { places[0] });
    }
    (result.to, result.heading) = (body.place, body.heading);
    result
}

/// A step straight back to the path beside a body, if that is clear. Rare: apart from what each walker runs.
#[cold]
#[inline(never)]
fn back_to_path(place: Vec3, cursor: Cursor, gait: &StepGait, clear: Clear<'_>) -> Option<Vec3> {
    let beside = steer::nearest_on(cursor.ends, place);
    let back = Vec3::new(beside.x - place.x, 0.0, beside.z - place.z);
    let to = place + back.clamp_length_max(gait.speed_mps * gait.step_s);
    (to != place && clear(place, to)).then_some(to)
}

/// The furthest of the places that a step would pass but for its end that is seen from where it begins.
fn seen(from: Vec3, places: &[Vec3], clear: Clear<'_>) -> Option<Vec3> {
    let (_, before) = places.split_last()?;
    before.iter().rev().copied().find(|&place| clear(from, place))
}

/// Directions in which a step may pass a corner, straight on and to one side.
const FAN: u8 = 7;
/// The angle between two of them, as a part of what the body turns in a step.
const FAN_SHARE: f32 = 0.33;
/// The most that is, radians: 5 degrees.
const FAN_MAX: f32 = 0.09;

/// Where a step may pass a corner.
#[derive(Clone, Copy)]
struct Fan {
    /// The length of the step, metres.
    length_m: f32,
    /// How many directions are tried, on either side.
    directions: u8,
    /// The direction along a wall that the body looks into.
    aside: Option<Vec2>,
}

/// Where a step ends that would lead round a corner, by the places that it would pass and its length:
/// straight past the corner, as far as it is long, so that nobody slows down for it, and so far away from the
/// corner that it is clear there; turning on its way. None where there is no such place.
fn past_corner(from: Vec3, fan: Fan, places: &[Vec3], gait: &StepGait, clear: Clear<'_>) -> Option<Vec3> {
    let Fan { length_m, directions, aside } = fan;
    let seen = seen(from, places, clear);
    let towards = |place: Vec3| steer::unit(flat(place - from));
    let ahead = towards(seen.unwrap_or(places[0]))?;
    let chord = towards(places[places.len() - 1])?;
    // Away from the corner; on either side of it where a body touches a wall and sees none of the places.
    let side = if ahead.perp_dot(chord) > 0.0 { -1.0 } else { 1.0 };
    let angle = (gait.turn_radps * gait.step_s * FAN_SHARE).clamp(0.0, FAN_MAX);
    let on = |(ahead, on_m): (Vec2, f32)| Vec3::new(from.x + ahead.x * on_m, from.y, from.z + ahead.y * on_m);
    for at in 0..directions {
        for side in [side, -side] {
            let to = on((turned(ahead, side * angle * f32::from(at)), length_m));
            if clear(from, to) {
                return Some(to);
            }
            if at == 0 {
                break;
            }
        }
    }
    // Along a wall that it looks into.
    if let Some(to) = aside.map(|aside| on((aside, length_m))).filter(|&to| clear(from, to)) {
        return Some(to);
    }
    let mut past_m = length_m;
    for _ in 0..3 {
        past_m *= 0.5;
        let to = on((ahead, past_m));
        if clear(from, to) {
            return Some(to);
        }
    }
    seen
}

/// A vector turned to the left by an angle, radians.
#[inline]
fn turned(vector: Vec2, angle_rad: f32) -> Vec2 {
    let (cos, sin) = (trig::cos(angle_rad), trig::sin(angle_rad));
    Vec2::new(vector.x * cos - vector.y * sin, vector.x * sin + vector.y * cos)
}

/// Whether a heading, a unit vector, leads straight along another vector.
#[inline]
fn looks_along(heading: Vec2, way: Vec2) -> bool {
    heading.dot(way) >= way.length() * STRAIGHT_COS
}

/// How many small steps a step of the crowd has, a whole number.
#[inline]
fn small_steps(gait: &StepGait) -> f32 {
    let by_length = gait.speed_mps * gait.step_s / STEP_MAX_M;
    // A hair less, so that rounding does not cut a step of just that length in two.
    ((gait.step_s * STEPS_PER_S).max(by_length) - 1e-3).ceil().clamp(1.0, STEPS_MAX)
}

/// The small steps of a step of the crowd.
#[derive(Clone, Copy)]
struct SmallSteps {
    /// Length of each, seconds.
    each_s: f32,
    /// How many are left, a whole number above zero.
    left: f32,
}

#[derive(Clone, Copy)]
struct StridingBody {
    place: Vec3,
    heading: Vec2,
    cursor: Cursor,
    gone_m: f32,
}

/// What a body has done in one go.
struct Small {
    wanted: Vec2,
    is_lost: bool,
    is_seen: bool,
    /// How many small steps that was.
    count: f32,
}

impl StridingBody {
    /// One small step, from where the cursor is, or all that are left where those lead straight on; none when
    /// there is nowhere to go.
    fn step(&mut self, path: &Path, gait: &StepGait, smalls: SmallSteps, clear: Clear<'_>) -> Option<Small> {
        self.cursor = self.cursor.past_touched(path, self.place);
        let to_end_m = self.cursor.left_m(path, self.place);
        let left_m = to_end_m.min(gait.reach_m - self.gone_m);
        if left_m <= 0.0 {
            return None;
        }
        let look = match gait.is_exact || to_end_m <= AHEAD_M {
            true => Lookahead::EXACT,
            false => {
                let predict_s = PREDICT_S.min(AHEAD_MAX_M / gait.speed_mps);
                Lookahead { predict_s, leeway_m: LEEWAY_M, ahead_m: AHEAD_M }
            }
        };
        let segment = self.cursor.segment as usize;
        let moving = self.heading * gait.speed_mps;
        let way = steer::Way { points: &path.points, segment, ends: self.cursor.ends };
        let target = steer::aim(way, self.place, moving, &look, &mut *clear)?;
        let brake_mps2 = if gait.brakes { gait.speed_mps / STOP_S } else { 0.0 };
        let arrival = Arrival { speed_mps: gait.speed_mps, brake_mps2, step_s: smalls.each_s };
        let target_m = flat_distance(self.place, target.point);
        let is_end = to_end_m <= target_m + passed_m(target.point);
        let desired = steer::seek(flat(self.place), flat(target.point), arrival.speed_at(left_m));
        let turning = Turning { rate_radps: gait.turn_radps, step_s: smalls.each_s };
        let is_corner = look == Lookahead::EXACT || is_end;
        // A corner that is only passed need not be hit: its turning circle is that of what lies ahead.
        let ahead_m = (gait.speed_mps * look.predict_s).max(look.ahead_m).min(to_end_m);
        let circle_m = if is_corner { target_m } else { target_m.max(ahead_m) };
        let course = steer::steer(self.heading, desired, circle_m, &turning);
        let kept_mps = desired.length() * ROUNDING;
        let may_keep = !is_corner && target.is_seen && course.speed_mps < kept_mps;
        let speed_mps = match may_keep && self.may_go_wide(course.heading, desired, gait, clear) {
            true => kept_mps,
            false => course.speed_mps,
        };
        self.heading = course.heading;
        let looks_there = looks_along(course.heading, desired);
        let rest_s = smalls.each_s * smalls.left;
        let goes_on = gait.is_open && looks_there && target.is_seen && gait.speed_mps * rest_s <= target_m;
        let count = if goes_on && self.sees_no_corner(left_m, gait, rest_s) { smalls.left } else { 1.0 };
        let step_m = speed_mps * smalls.each_s * count;
        let step_m = if is_corner { step_m.min(target_m) } else { step_m };
        let step = course.heading * step_m;
        // Up or down with what it heads for: of two floors near to one another it comes to that of its path.
        let part = if target_m > step_m { step_m / target_m } else { 1.0 };
        let rise = (target.point.y - self.place.y) * part;
        let to = Vec3::new(self.place.x + step.x, self.place.y + rise, self.place.z + step.y);
        // Straight at it: land on it, to the bit.
        let lands = is_corner
            && step_m >= target_m
            && course.heading.dot(flat(target.point - self.place)) >= target_m * (1.0 - 1e-5);
        self.place = if lands { target.point } else { to };
        self.gone_m += step_m;
        Some(Small { wanted: desired, is_lost: target.is_lost, is_seen: target.is_seen, count })
    }

    /// Whether a step leads straight along the present segment, without a corner in view.
    fn goes_straight_on(&self, path: &Path, gait: &StepGait) -> bool {
        let Some(next) = self.cursor.next(path) else { return false };
        self.sees_no_corner(gait.reach_m, gait, gait.step_s)
            && looks_along(self.heading, flat(next - self.place))
    }

    /// Whether a body that may go `reach_m` further has neither a corner nor the end of its way in view while
    /// it goes on for some seconds.
    #[inline]
    fn sees_no_corner(&self, reach_m: f32, gait: &StepGait, seconds: f32) -> bool {
        let view_m = gait.speed_mps * (PREDICT_S.max(STOP_S) + seconds);
        reach_m > view_m && flat_distance(self.place, self.cursor.ends[1]) > view_m.max(AHEAD_M)
    }

    /// Whether a body that looks along `heading` and turns to the velocity `desired` may do so on its way: as
    /// far as its turning circle leads it straight on, that is clear. Cost: a line, where it would slow down.
    fn may_go_wide(&self, heading: Vec2, desired: Vec2, gait: &StepGait, clear: Clear<'_>) -> bool {
        let Some(direction) = steer::unit(desired).filter(|_| gait.turn_radps > 0.0) else { return false };
        let cos = heading.dot(direction);
        if cos < ROUNDING_COS {
            return false;
        }
        let circle_m = gait.speed_mps / gait.turn_radps;
        let on = heading * (circle_m * heading.perp_dot(direction).abs() + gait.speed_mps / STEPS_PER_S);
        clear(self.place, self.place + Vec3::new(on.x, 0.0, on.y))
    }
}
