//! Plane geometry on the ground (xz): segments, polygons, bounds.
//!
//! In: points in world metres as `[x, z]`, double precision. Out: distances, sides, containment.
//! Holds: plain arithmetic in a fixed order, hence the same bits everywhere. Not here: cells, maps.

use glam::Vec3;

/// A point on the ground plane: x, z in metres.
pub type Point = [f64; 2];

/// The largest whole number that is not above a value; the nearest one that can be written down beyond all,
/// the least for NaN, which is in no cell. Quicker than rounding down, which is a call on plain x86-64, and
/// than a cast, which knows every value.
#[must_use]
#[inline(always)]
pub fn floor(value: f64) -> i64 {
    /// 2 to the 51st: up to here sums with `WHOLE` keep whole numbers apart.
    const FAR: f64 = 2_251_799_813_685_248.0;
    /// 1.5 times 2 to the 52nd: a sum with it has no fraction, and its last bits are those of a whole number.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    if value.abs() < FAR {
        let sum = value + WHOLE;
        let nearest = sum.to_bits() as i64 - WHOLE.to_bits() as i64;
        nearest - i64::from(sum - WHOLE > value)
    } else {
        floor_of_far(value)
    }
}

/// The same of any value; the casts saturate.
#[cold]
fn floor_of_far(value: f64) -> i64 {
    if value.is_nan() {
        return i64::MIN;
    }
    let whole = value as i64;
    whole.saturating_sub(i64::from(value < whole as f64))
}

/// The point below a position.
#[must_use]
#[inline]
pub fn ground(position: Vec3) -> Point {
    [f64::from(position.x), f64::from(position.z)]
}

/// The position at height `y` above a point.
#[must_use]
#[inline]
pub fn raise(point: Point, y: f64) -> Vec3 {
    Vec3::new(point[0] as f32, y as f32, point[1] as f32)
}

/// Distance on the ground plane, metres.
#[must_use]
#[inline]
pub fn flat_distance(a: Vec3, b: Vec3) -> f32 {
    let (dx, dz) = (b.x - a.x, b.z - a.z);
    (dx * dx + dz * dz).sqrt()
}

/// Places further apart in height than this lie on two floors, metres: less than a storey, more than a step.
pub const STOREY_M: f32 = 1.2;

/// Distance on the ground plane of two places on one floor, metres; infinite between floors.
#[must_use]
#[inline]
pub fn floor_distance(a: Vec3, b: Vec3) -> f32 {
    if (a.y - b.y).abs() > STOREY_M { f32::INFINITY } else { flat_distance(a, b) }
}

/// A straight line from one place to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment<P> {
    /// Where it begins.
    pub from: P,
    /// Where it ends.
    pub to: P,
}

/// An axis-aligned rectangle on the ground; empty while `min` exceeds `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The corner with the smallest x and z, metres.
    pub min: Point,
    /// The corner with the largest x and z, metres.
    pub max: Point,
}

impl Default for Bounds {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Bounds {
    /// Holds nothing; the neutral element of [`Bounds::include`].
    pub const EMPTY: Self = Self { min: [f64::INFINITY; 2], max: [f64::NEG_INFINITY; 2] };

    /// The smallest rectangle around `points`.
    #[must_use]
    #[inline]
    pub fn of(points: &[Point]) -> Self {
        let mut bounds = Self::EMPTY;
        for &point in points {
            bounds.include(point);
        }
        bounds
    }

    /// Grows to hold `point`.
    #[inline]
    pub fn include(&mut self, point: Point) {
        self.min = [self.min[0].min(point[0]), self.min[1].min(point[1])];
        self.max = [self.max[0].max(point[0]), self.max[1].max(point[1])];
    }

    /// The smallest rectangle around both.
    #[must_use]
    #[inline]
    pub fn union(mut self, other: Self) -> Self {
        if !other.is_empty() {
            self.include(other.min);
            self.include(other.max);
        }
        self
    }

    /// The same rectangle with every side moved outward by `margin_m`.
    #[must_use]
    #[inline]
    pub fn grown(self, margin_m: f64) -> Self {
        Self {
            min: [self.min[0] - margin_m, self.min[1] - margin_m],
            max: [self.max[0] + margin_m, self.max[1] + margin_m],
        }
    }

    /// Whether it holds no point.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.min[0] > self.max[0] || self.min[1] > self.max[1]
    }

    /// Whether `point` lies inside or on the edge.
    #[must_use]
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        (0..2).all(|axis| self.min[axis] <= point[axis] && point[axis] <= self.max[axis])
    }

    /// Whether the two share at least a point.
    #[must_use]
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..2).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// The middle.
    #[must_use]
    pub fn centre(&self) -> Point {
        [(self.min[0] + self.max[0]) / 2.0, (self.min[1] + self.max[1]) / 2.0]
    }
}

/// The isometric projection: squares of side 1 on the ground are shown as diamonds. A projection only: the
/// ground stays square.
///
/// Ground x grows towards the lower right of the screen, ground z towards the lower left; screen x grows to
/// the right, y down. The corner (0, 0) of the ground is shown at (0, 0).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Isometric {
    /// Width of a diamond on the screen; positive.
    pub tile_width: f64,
    /// Height of a diamond on the screen; positive.
    pub tile_height: f64,
}

impl Isometric {
    /// Where a point of the ground, in tiles, is shown. The middle of tile (x, z) is the point (x + 0.5, z +
    /// 0.5), shown at `((x - z) width / 2, (x + z + 1) height / 2)`.
    #[must_use]
    pub fn to_screen(self, [x, z]: Point) -> Point {
        [(x - z) * self.tile_width / 2.0, (x + z) * self.tile_height / 2.0]
    }
}

impl Bounds {
    /// Whether a segment meets the rectangle, its edge included.
    #[must_use]
    #[inline]
    pub fn meets(&self, a: Point, b: Point) -> bool {
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for axis in 0..2 {
            let (from, by) = (a[axis], b[axis] - a[axis]);
            if by == 0.0 {
                if from < self.min[axis] || from > self.max[axis] {
                    return false;
                }
                continue;
            }
            let (first, last) = ((self.min[axis] - from) / by, (self.max[axis] - from) / by);
            enter = enter.max(first.min(last));
            leave = leave.min(first.max(last));
        }
        enter <= leave
    }
}

/// Twice the signed area of the triangle a, b, c: positive when c lies to the left of a to b
/// (x to the right, z up), zero when the three lie on a line.
#[must_use]
#[inline]
pub fn cross(a: Point, b: Point, c: Point) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Squared distance from `point` to the segment from `a` to `b`, square metres.
#[must_use]
#[inline]
pub fn segment_distance_sq(point: Point, a: Point, b: Point) -> f64 {
    let nearest = nearest_on_segment(point, a, b);
    let (dx, dz) = (point[0] - nearest[0], point[1] - nearest[1]);
    dx * dx + dz * dz
}

/// The point of the segment from `a` to `b` that lies nearest to `point`.
#[must_use]
#[inline]
pub fn nearest_on_segment(point: Point, a: Point, b: Point) -> Point {
    let (dx, dz) = (b[0] - a[0], b[1] - a[1]);
    let length_sq = dx * dx + dz * dz;
    if length_sq == 0.0 {
        return a;
    }
    let t = (((point[0] - a[0]) * dx + (point[1] - a[1]) * dz) / length_sq).clamp(0.0, 1.0);
    [a[0] + t * dx, a[1] + t * dz]
}

/// How near to an edge a point lies on it, metres: more than rounding moves a number written in decimals, and
/// far less than anything that is built.
pub const EDGE_M: f64 = 1e-8;

/// Whether `point` lies inside the polygon or on its edge, within [`EDGE_M`]; even-odd where edges cross.
/// Either direction of turning and a repeated first point give the same answer. Cost: one pass over the
/// edges.
#[must_use]
pub fn polygon_contains(polygon: &[Point], point: Point) -> bool {
    let mut inside = false;
    for Segment { from: a, to: b } in edges(polygon) {
        let side = cross(a, b, point);
        let is_beside = a[0].min(b[0]) - EDGE_M <= point[0]
            && point[0] <= a[0].max(b[0]) + EDGE_M
            && a[1].min(b[1]) - EDGE_M <= point[1]
            && point[1] <= a[1].max(b[1]) + EDGE_M;
        if is_beside && segment_distance_sq(point, a, b) <= EDGE_M * EDGE_M {
            return true;
        }
        if (a[1] > point[1]) != (b[1] > point[1]) && (side > 0.0) == (b[1] > a[1]) {
            inside = !inside;
        }
    }
    inside
}

/// The edges of a closed polygon, from each point to the next and from the last to the first.
#[inline]
pub fn edges(polygon: &[Point]) -> impl Iterator<Item = Segment<Point>> + '_ {
    let count = polygon.len();
    (0..count).map(move |index| Segment { from: polygon[index], to: polygon[(index + 1) % count] })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const L_SHAPE: [Point; 6] = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.0], [2.0, 4.0], [0.0, 4.0]];

    proptest! {
        #[test]
        fn floors_are_those_of_rounding_down(
            value in prop_oneof![-10.0f64..10.0, -2.3e15f64..2.3e15, prop::num::f64::ANY],
        ) {
            for value in [value, f64::round(value), f64::next_up(value), f64::next_down(value.round())] {
                // The cast saturates.
                let expected = if value.is_nan() { i64::MIN } else { value.floor() as i64 };
                prop_assert_eq!(floor(value), expected, "{}", value);
            }
        }
    }

    #[test]
    fn the_notch_of_an_l_is_outside() {
        assert!(polygon_contains(&L_SHAPE, [1.0, 3.0]));
        assert!(polygon_contains(&L_SHAPE, [3.0, 1.0]));
        assert!(!polygon_contains(&L_SHAPE, [3.0, 3.0]));
        assert!(polygon_contains(&L_SHAPE, [2.0, 3.0]), "an edge counts as inside");
        assert!(polygon_contains(&L_SHAPE, [0.0, 0.0]), "a corner counts as inside");
    }

    #[test]
    fn direction_and_closing_point_change_nothing() {
        let mut reversed = L_SHAPE.to_vec();
        reversed.reverse();
        let mut closed = L_SHAPE.to_vec();
        closed.push(L_SHAPE[0]);
        for x in -2..12 {
            for z in -2..12 {
                let point = [f64::from(x) * 0.5, f64::from(z) * 0.5];
                let inside = polygon_contains(&L_SHAPE, point);
                assert_eq!(inside, polygon_contains(&reversed, point));
                assert_eq!(inside, polygon_contains(&closed, point));
            }
        }
    }

    #[test]
    fn distances_end_at_the_ends_of_a_segment() {
        assert_eq!(segment_distance_sq([0.0, 2.0], [-1.0, 0.0], [1.0, 0.0]), 4.0);
        assert_eq!(segment_distance_sq([3.0, 0.0], [-1.0, 0.0], [1.0, 0.0]), 4.0);
        assert_eq!(segment_distance_sq([3.0, 4.0], [0.0, 0.0], [0.0, 0.0]), 25.0);
    }

    #[test]
    fn seed_o9_isometric_tiles_are_diamonds_around_their_centres_and_come_back() {
        let mut rng = crate::base::rng::Rng::stream(1, "isometric");
        for (width, height) in [(58.3, 27.7), (32.0, 28.0), (64.0, 32.0), (1.0, 1.0)] {
            let view = Isometric { tile_width: width, tile_height: height };
            for (x, z) in [(0.0, 0.0), (3.0, 0.0), (0.0, 5.0), (7.0, 4.0), (-2.0, 9.0)] {
                let centre = view.to_screen([x + 0.5, z + 0.5]);
                let expected = [(x - z) * width / 2.0, (x + z + 1.0) * height / 2.0];
                assert!((0..2).all(|axis| (centre[axis] - expected[axis]).abs() < 1e-9));
                for _ in 0..100 {
                    // A place belongs to the tile when it lies within the diamond around the centre.
                    let place =
                        [centre[0] + rng.float(-0.5, 0.5) * width, centre[1] + rng.float(-0.5, 0.5) * height];
                    // The point of the ground that is shown there.
                    let (across, down) = (place[0] / width, place[1] / height);
                    let ground = [down + across, down - across];
                    let away = (place[0] - centre[0]).abs() / width + (place[1] - centre[1]).abs() / height;
                    if (away - 0.5).abs() > 1e-9 {
                        let inside = ground.map(f64::floor) == [x, z];
                        assert_eq!(inside, away < 0.5, "{place:?} in tile {x} {z}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_segment_meets_a_rectangle_where_points_of_it_lie_inside() {
        let mut rng = crate::base::rng::Rng::stream(5, "segments");
        let bounds = Bounds { min: [-1.0, 2.0], max: [3.0, 4.0] };
        for _ in 0..2_000 {
            let mut point = || [rng.float(-6.0, 8.0).round(), rng.float(-3.0, 9.0)];
            let (a, b) = (point(), point());
            let at = |t: f64| [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
            let sampled = (0..=2_000).any(|step| bounds.contains(at(f64::from(step) / 2_000.0)));
            let grazed = (0..=2_000).any(|step| bounds.grown(0.02).contains(at(f64::from(step) / 2_000.0)));
            let met = bounds.meets(a, b);
            assert!((!sampled || met) && (!met || grazed), "{a:?} to {b:?}");
        }
        assert!(bounds.meets([0.0, 3.0], [0.0, 3.0]) && !bounds.meets([0.0, 1.0], [0.0, 1.0]));
    }

    #[test]
    fn bounds_hold_what_they_include() {
        let bounds = Bounds::of(&L_SHAPE);
        assert_eq!(bounds.centre(), [2.0, 2.0]);
        assert!(bounds.contains([4.0, 4.0]) && !bounds.contains([4.1, 0.0]));
        assert!(Bounds::EMPTY.is_empty());
        assert_eq!(Bounds::EMPTY.union(bounds), bounds);
    }
}
