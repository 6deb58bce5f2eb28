//! Ray casts and body tests against the triangles of a scene.
//!
//! In: triangles in world metres. Out: the first hit of a ray, whether a body that stands or moves touches
//! anything. Holds: triangles have two faces and their edges belong to them, so that no ray slips through
//! between two that share one; answers depend on the triangles and their order alone. Not here: where rays
//! are cast (`graph/generate`), file formats. Source: ray and triangle, Möller and Trumbore 1997; a tree of
//! boxes halved at the median.

use glam::{DVec2, DVec3, Vec3};
use thiserror::Error;

use crate::base::geom::Segment;
use crate::base::ordered;

/// The most triangles a scene may have.
pub const TRIANGLES_MAX: usize = 4_000_000;
/// Coordinates beyond this many metres are refused.
pub const SCENE_COORDINATE_MAX_M: f32 = 1e6;
/// Triangles in a leaf of the tree.
const LEAF: usize = 4;
/// How much higher than a step something may be and still count as one, metres: heights are rounded.
const STEP_SPARE_M: f64 = 1e-4;
/// How far outside a triangle a ray still hits it, as a share of its sides.
const EDGE: f64 = 1e-9;
/// Directions in which a place has to be enclosed: up, around and slanting. Aslant to walls and floors, so
/// that no ray runs along a wall or meets an edge that two triangles share.
const ENCLOSING: [[f64; 3]; 9] = [
    [0.0137, 1.0, 0.0211],
    [1.0, 0.0173, 0.0319],
    [-1.0, 0.0229, 0.0271],
    [0.0307, 0.0193, 1.0],
    [0.0251, 0.0157, -1.0],
    [0.7351, 0.4813, 0.6917],
    [-0.7139, 0.5021, 0.6673],
    [0.6841, 0.4637, -0.7229],
    [-0.6733, 0.5147, -0.7043],
];

/// Why triangles cannot be a scene.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SolidsError {
    /// Too many triangles.
    #[error("the scene has {count} triangles, limit {TRIANGLES_MAX}")]
    TooMany {
        /// How many.
        count: usize,
    },
    /// A corner that is no place.
    #[error("triangle {triangle} has a corner at {corner}, expected finite numbers within a million metres")]
    Corner {
        /// Which triangle, from 0.
        triangle: usize,
        /// Its corner.
        corner: Vec3,
    },
}

/// Where a ray meets a triangle first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The place, world metres.
    pub point: Vec3,
    /// How far along the ray, 0 to 1.
    pub part: f32,
    /// The normal of the triangle, of length 1, on the side the ray came from.
    pub normal: Vec3,
    /// Which triangle.
    pub triangle: u32,
    /// Whether its corners run counter-clockwise as seen from where the ray came from: OBJ and glTF have
    /// faces look that way.
    pub is_front: bool,
}

/// A body that stands or walks: an upright cylinder over the floor, open below so that steps do not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// Half its width, metres.
    pub radius_m: f32,
    /// The body steps over things that rise less than this over the floor, metres.
    pub step_m: f32,
    /// Its height over the floor, metres.
    pub height_m: f32,
}

/// Triangles that answer rays. `Default` is empty space.
#[derive(Clone, Debug, Default)]
pub struct Solids {
    /// In the order of the leaves.
    triangles: Vec<[DVec3; 3]>,
    /// Their numbers as they were given.
    numbers: Vec<u32>,
    nodes: Vec<BoxNode>,
}

/// A box of the tree: a leaf when `count` is not 0, else the first child follows it and the second is at
/// `first`.
#[derive(Clone, Copy, Debug)]
struct BoxNode {
    min: DVec3,
    max: DVec3,
    first: u32,
    count: u32,
}

impl Solids {
    /// Takes triangles. Cost: n log n.
    ///
    /// # Errors
    /// Too many, or a corner that is not a finite place within a million metres.
    pub fn new(triangles: &[[Vec3; 3]]) -> Result<Self, SolidsError> {
        if triangles.len() > TRIANGLES_MAX {
            return Err(SolidsError::TooMany { count: triangles.len() });
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            let legal = |corner: &&Vec3| {
                !(corner.is_finite() && corner.abs().max_element() <= SCENE_COORDINATE_MAX_M)
            };
            if let Some(corner) = corners.iter().find(legal) {
                return Err(SolidsError::Corner { triangle, corner: *corner });
            }
        }
        let given: Vec<[DVec3; 3]> =
            triangles.iter().map(|corners| corners.map(|corner| corner.as_dvec3())).collect();
        let mut numbers: Vec<u32> = (0..given.len() as u32).collect();
        let mut solids = Self::default();
        if !given.is_empty() {
            solids.divide(&given, &mut numbers, 0);
        }
        solids.triangles = numbers.iter().map(|&number| given[number as usize]).collect();
        solids.numbers = numbers;
        Ok(solids)
    }

    /// Adds the node of some triangles, and those below it. The tree is as deep as the logarithm of their
    /// number.
    fn divide(&mut self, given: &[[DVec3; 3]], numbers: &mut [u32], first: usize) {
        let mut min = DVec3::INFINITY;
        let mut max = DVec3::NEG_INFINITY;
        for corner in numbers.iter().flat_map(|&number| given[number as usize]) {
            (min, max) = (min.min(corner), max.max(corner));
        }
        let at = self.nodes.len();
        self.nodes.push(BoxNode { min, max, first: first as u32, count: numbers.len() as u32 });
        if numbers.len() <= LEAF {
            return;
        }
        let size = max - min;
        let axis = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
        let middle = |number: u32| given[number as usize].iter().map(|corner| corner[axis]).sum::<f64>();
        ordered::sort_by(numbers, |&a, &b| middle(a).total_cmp(&middle(b)).then(a.cmp(&b)));
        let half = numbers.len() / 2;
        let (low, high) = numbers.split_at_mut(half);
        self.divide(given, low, first);
        let second = self.nodes.len() as u32;
        self.divide(given, high, first + half);
        (self.nodes[at].first, self.nodes[at].count) = (second, 0);
    }

    /// How many triangles there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// The box around everything: least and greatest corner; None without triangles.
    #[must_use]
    pub fn bounds(&self) -> Option<[Vec3; 2]> {
        self.nodes.first().map(|root| [root.min.as_vec3(), root.max.as_vec3()])
    }

    /// Where a straight line from one point to another meets something first; ties go to the triangle given
    /// first. Cost: the logarithm of the triangles, and those near the line.
    #[must_use]
    pub fn first_hit(&self, from: Vec3, to: Vec3) -> Option<Hit> {
        let (origin, along) = (from.as_dvec3(), to.as_dvec3() - from.as_dvec3());
        let mut best: Option<(f64, u32, usize)> = None;
        self.visit(
            |node, best: &Option<(f64, u32, usize)>| {
                meets_box(node, origin, along, best.map_or(1.0, |(part, ..)| part))
            },
            &mut best,
            |at, best| {
                let Some(part) = meets_triangle(&self.triangles[at], origin, along) else { return };
                let rank = (part, self.numbers[at]);
                if best.is_none_or(|(part, number, _)| rank < (part, number)) {
                    *best = Some((part, rank.1, at));
                }
            },
        );
        best.map(|(part, triangle, at)| {
            let [a, b, c] = self.triangles[at];
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let is_front = normal.dot(along) <= 0.0;
            let normal = if is_front { normal } else { -normal };
            Hit {
                point: (origin + along * part).as_vec3(),
                part: part as f32,
                normal: normal.as_vec3(),
                triangle,
                is_front,
            }
        })
    }

    /// Whether a straight line meets nothing, its ends included.
    #[must_use]
    pub fn is_clear(&self, from: Vec3, to: Vec3) -> bool {
        self.first_hit(from, to).is_none()
    }

    /// Whether a place lies within something closed whose faces look outward: in every direction more of them
    /// are left than entered. A room between closed walls is not, nor is a solid with a hole to look out of.
    /// Cost: as [`Solids::first_hit`] to the end of the scene; nine times where something lies above.
    #[must_use]
    pub fn is_enclosed(&self, place: Vec3) -> bool {
        let Some(root) = self.nodes.first() else { return false };
        let origin = place.as_dvec3();
        let (low, high) = (root.min.min(origin), root.max.max(origin));
        // Each direction has an entry of 1 or a length of nearly that: the end lies beyond everything.
        let reach_m = 2.0 * (high - low).length() + 1.0;
        ENCLOSING.iter().all(|&direction| self.depth(origin, DVec3::from(direction) * reach_m) > 0)
    }

    /// How many more faces a ray leaves through their backs than it enters.
    fn depth(&self, origin: DVec3, along: DVec3) -> i64 {
        let mut depth = 0;
        self.visit(
            |node, _: &i64| meets_box(node, origin, along, 1.0),
            &mut depth,
            |at, depth| {
                let [a, b, c] = self.triangles[at];
                if meets_triangle(&self.triangles[at], origin, along).is_some() {
                    *depth += if (b - a).cross(c - a).dot(along) > 0.0 { 1 } else { -1 };
                }
            },
        );
        depth
    }

    /// Whether a body that walks in a straight line over a floor that rises evenly from one point to the
    /// other, and is level beyond them, touches nothing: no triangle comes nearer than its radius to the
    /// line, between its step height and its height over that floor. Exact. Standing is walking to where one
    /// is. Cost: the triangles around the line.
    #[must_use]
    pub fn has_room(&self, from: Vec3, to: Vec3, room: &Room) -> bool {
        let (from, to) = (from.as_dvec3(), to.as_dvec3());
        let sweep = Sweep::new(from, to, room);
        let radius = f64::from(room.radius_m);
        let low = from.min(to) + DVec3::new(-radius, f64::from(room.step_m), -radius);
        let high = from.max(to) + DVec3::new(radius, f64::from(room.height_m), radius);
        let mut touched = false;
        self.visit(
            |node, touched: &bool| !touched && node.min.cmple(high).all() && node.max.cmpge(low).all(),
            &mut touched,
            |at, touched| *touched = *touched || sweep.touches(&self.triangles[at]),
        );
        !touched
    }

    /// Looks at all triangles in the leaves below nodes that are worth it.
    fn visit<State>(
        &self,
        worth: impl Fn(&BoxNode, &State) -> bool,
        state: &mut State,
        mut look: impl FnMut(usize, &mut State),
    ) {
        let mut waiting = [0u32; 64];
        let mut count = usize::from(!self.nodes.is_empty());
        // Bounded: every node comes once; at most one waits for each level of the tree, and halving ends
        // after 32 levels.
        while count > 0 {
            count -= 1;
            let at = waiting[count] as usize;
            let node = &self.nodes[at];
            if !worth(node, state) {
                continue;
            }
            if node.count == 0 {
                waiting[count] = node.first;
                waiting[count + 1] = at as u32 + 1;
                count += 2;
            } else {
                (node.first..node.first + node.count).for_each(|triangle| look(triangle as usize, state));
            }
        }
    }
}

/// Whether a line meets a box before a part of its length.
fn meets_box(node: &BoxNode, origin: DVec3, along: DVec3, before: f64) -> bool {
    let (mut enter, mut leave) = (0.0f64, before);
    for axis in 0..3 {
        // Boxes are flat where a scene is: a hair's breadth keeps rounding from cutting them off.
        let (low, high) = (node.min[axis] - 1e-9, node.max[axis] + 1e-9);
        if along[axis] == 0.0 {
            if origin[axis] < low || origin[axis] > high {
                return false;
            }
            continue;
        }
        let one = (low - origin[axis]) / along[axis];
        let two = (high - origin[axis]) / along[axis];
        enter = enter.max(one.min(two));
        leave = leave.min(one.max(two));
    }
    enter <= leave
}

/// How far along a line lies the point in which it meets a triangle; None for a line within its plane.
fn meets_triangle([a, b, c]: &[DVec3; 3], origin: DVec3, along: DVec3) -> Option<f64> {
    let (ab, ac) = (*b - *a, *c - *a);
    let across = along.cross(ac);
    let volume = ab.dot(across);
    if volume == 0.0 {
        return None;
    }
    let offset = origin - *a;
    let u = offset.dot(across) / volume;
    let turned = offset.cross(ab);
    let v = along.dot(turned) / volume;
    let inside = u >= -EDGE && v >= -EDGE && u + v <= 1.0 + EDGE;
    let part = ac.dot(turned) / volume;
    (inside && (0.0..=1.0).contains(&part)).then_some(part)
}

/// A body that moves in a straight line over a floor that rises evenly from one end to the other.
struct Sweep {
    from: DVec2,
    to: DVec2,
    /// Heights of the floor up to where it begins, and from where it ends.
    floors: [f64; 2],
    length: f64,
    /// Rise of the floor for each metre along the line; the line's direction on the ground.
    slope: f64,
    direction: DVec2,
    low: f64,
    high: f64,
    radius: f64,
}

impl Sweep {
    fn new(from: DVec3, to: DVec3, room: &Room) -> Self {
        let (start, end) = (DVec2::new(from.x, from.z), DVec2::new(to.x, to.z));
        let length = start.distance(end);
        let slope = if length > 0.0 { (to.y - from.y) / length } else { 0.0 };
        Self {
            from: start,
            to: end,
            floors: [from.y, to.y],
            length,
            slope,
            direction: (end - start).normalize_or_zero(),
            low: f64::from(room.step_m) + STEP_SPARE_M,
            high: f64::from(room.height_m),
            radius: f64::from(room.radius_m),
        }
    }

    /// Whether a triangle comes nearer than the radius. Beyond the ends the floor is level: a short link up a
    /// step is steep, and a floor that went on like that would have what lies beside it in the way.
    fn touches(&self, triangle: &[DVec3; 3]) -> bool {
        let along = |corner: &DVec3| (DVec2::new(corner.x, corner.z) - self.from).dot(self.direction);
        let [start, end] = self.floors;
        if self.length == 0.0 {
            return self.touches_over(triangle.to_vec(), |_| start);
        }
        let within = cut(&cut(triangle, along), |corner| self.length - along(corner));
        self.touches_over(within, |corner| start + along(corner) * self.slope)
            || self.touches_over(cut(triangle, |corner| -along(corner)), |_| start)
            || self.touches_over(cut(triangle, |corner| along(corner) - self.length), |_| end)
    }

    /// The same of a part of a triangle, over the floor there, cut off below the step and above the head.
    fn touches_over(&self, mut corners: Vec<DVec3>, floor: impl Fn(&DVec3) -> f64) -> bool {
        // A shear, which leaves straight what is straight.
        corners.iter_mut().for_each(|corner| corner.y -= floor(corner));
        let between = cut(&cut(&corners, |corner| corner.y - self.low), |corner| self.high - corner.y);
        let outline: Vec<DVec2> = between.iter().map(|corner| DVec2::new(corner.x, corner.z)).collect();
        match outline.as_slice() {
            [] => false,
            [only] => segment_distance(*only, self.from, self.to) < self.radius,
            all => distance_to_outline(all, self.from, self.to) < self.radius,
        }
    }
}

/// The part of a convex polygon where something that changes evenly is not less than 0.
fn cut(corners: &[DVec3], value: impl Fn(&DVec3) -> f64) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(corners.len() + 1);
    for (at, corner) in corners.iter().enumerate() {
        let next = &corners[(at + 1) % corners.len()];
        let (here, there) = (value(corner), value(next));
        if here >= 0.0 {
            kept.push(*corner);
        }
        if here * there < 0.0 {
            kept.push(*corner + (*next - *corner) * (here / (here - there)));
        }
    }
    kept
}

/// From a line to a convex outline on the ground; 0 where they overlap.
fn distance_to_outline(outline: &[DVec2], from: DVec2, to: DVec2) -> f64 {
    if contains(outline, from) {
        return 0.0;
    }
    let line = Segment { from, to };
    let sides =
        (0..outline.len()).map(|at| Segment { from: outline[at], to: outline[(at + 1) % outline.len()] });
    sides.map(|side| segments_distance(side, line)).fold(f64::INFINITY, f64::min)
}

fn contains(outline: &[DVec2], point: DVec2) -> bool {
    let turns = (0..outline.len())
        .map(|at| (outline[(at + 1) % outline.len()] - outline[at]).perp_dot(point - outline[at]));
    let (mut left, mut right) = (true, true);
    let mut area = 0.0f64;
    for turn in turns {
        left &= turn >= 0.0;
        right &= turn <= 0.0;
        area += turn.abs();
    }
    (left || right) && area > 0.0
}

fn segment_distance(point: DVec2, from: DVec2, to: DVec2) -> f64 {
    let along = to - from;
    let part = (point - from).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
    point.distance(from + along * part.clamp(0.0, 1.0))
}

fn segments_distance(one: Segment<DVec2>, other: Segment<DVec2>) -> f64 {
    let (Segment { from: a, to: b }, Segment { from: c, to: d }) = (one, other);
    let side = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
    let crossing = side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0;
    if crossing {
        return 0.0;
    }
    let ends = [
        segment_distance(a, c, d),
        segment_distance(b, c, d),
        segment_distance(c, a, b),
        segment_distance(d, a, b),
    ];
    ends.into_iter().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn quad(a: [f32; 3], b: [f32; 3], c: [f32; 3], d: [f32; 3]) -> [[Vec3; 3]; 2] {
        let [a, b, c, d] = [a, b, c, d].map(Vec3::from);
        [[a, b, c], [a, c, d]]
    }

    /// A floor of 10 by 10 metres, and a table top 0.8 m over a part of it.
    fn hall() -> Solids {
        let mut all = quad([0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 0.0, 10.0], [0.0, 0.0, 10.0]).to_vec();
        all.extend(quad([4.0, 0.8, 4.0], [6.0, 0.8, 4.0], [6.0, 0.8, 6.0], [4.0, 0.8, 6.0]));
        Solids::new(&all).unwrap()
    }

    fn random_triangles(rng: &mut Rng, count: usize) -> Vec<[Vec3; 3]> {
        let mut value = |size: f64| (rng.unit() * size) as f32;
        (0..count)
            .map(|_| {
                let at = Vec3::new(value(10.0), value(10.0), value(10.0));
                [0; 3].map(|_| at + Vec3::new(value(2.0), value(2.0), value(2.0)))
            })
            .collect()
    }

    #[test]
    fn a_ray_meets_what_a_look_at_every_triangle_meets() {
        let mut rng = Rng::stream(7, "solids");
        let all = random_triangles(&mut rng, 200);
        let solids = Solids::new(&all).unwrap();
        let mut met = 0;
        for _ in 0..2000 {
            let mut point = || Vec3::new(rng.unit() as f32, rng.unit() as f32, rng.unit() as f32) * 12.0;
            let (from, to) = (point(), point());
            let single = |triangle: &[Vec3; 3]| Solids::new(&[*triangle]).unwrap().first_hit(from, to);
            let expected = all.iter().filter_map(single).map(|hit| hit.part).fold(f32::INFINITY, f32::min);
            let found = solids.first_hit(from, to);
            assert_eq!(found.map_or(f32::INFINITY, |hit| hit.part), expected);
            if let Some(hit) = found {
                met += 1;
                assert!(hit.point.distance(from.lerp(to, hit.part)) < 1e-4);
                assert!(hit.normal.dot(to - from) <= 0.0);
            }
        }
        assert!((100..1900).contains(&met), "{met}");
    }

    #[test]
    fn no_ray_slips_through_between_triangles() {
        let solids = hall();
        for step in 0..=1000 {
            let at = step as f32 * 0.01;
            let hit =
                solids.first_hit(Vec3::new(at, 0.5, at), Vec3::new(at, -0.5, at)).expect("the diagonal");
            assert!(hit.point.y.abs() < 1e-6 && hit.normal.y > 0.99);
        }
    }

    #[test]
    fn seed_v5_a_body_has_no_room_under_a_table() {
        let solids = hall();
        let room = Room { radius_m: 0.3, step_m: 0.3, height_m: 1.8 };
        let stands = |x: f32, z: f32| solids.has_room(Vec3::new(x, 0.0, z), Vec3::new(x, 0.0, z), &room);
        assert!(!stands(5.0, 5.0) && !stands(3.75, 5.0) && stands(3.69, 5.0));
        assert!(solids.has_room(
            Vec3::new(5.0, 0.0, 5.0),
            Vec3::new(5.0, 0.0, 5.0),
            &Room { height_m: 0.7, ..room }
        ));
        let walk = |z: f32| solids.has_room(Vec3::new(1.0, 0.0, z), Vec3::new(9.0, 0.0, z), &room);
        assert!(!walk(5.0) && !walk(3.75) && walk(3.69), "the radius counts along the way");
    }

    #[test]
    fn room_agrees_with_dense_samples() {
        let mut rng = Rng::stream(11, "solids");
        let all = random_triangles(&mut rng, 30);
        let solids = Solids::new(&all).unwrap();
        let room = Room { radius_m: 0.5, step_m: 0.4, height_m: 1.7 };
        let (mut free, mut held) = (0, 0);
        for _ in 0..400 {
            let mut point =
                || Vec3::new(rng.unit() as f32, rng.unit() as f32 * 0.3, rng.unit() as f32) * 10.0;
            let from = point();
            let to = from + (point() - from).clamp_length_max(2.0);
            // The least distance of any sampled point of a triangle within the height of the body, from its
            // line.
            let mut least = f64::INFINITY;
            for [a, b, c] in &all {
                for i in 0..=60 {
                    for j in 0..=60 - i {
                        let point = *a + (*b - *a) * (i as f32 / 60.0) + (*c - *a) * (j as f32 / 60.0);
                        let flat = |p: Vec3| DVec2::new(f64::from(p.x), f64::from(p.z));
                        let along = flat(to) - flat(from);
                        let part = (flat(point) - flat(from)).dot(along) / along.length_squared().max(1e-12);
                        let part = part.clamp(0.0, 1.0);
                        let over = f64::from(point.y - from.y) - f64::from(to.y - from.y) * part;
                        if (0.4..=1.7).contains(&over) {
                            let nearest = flat(from) + along * part;
                            least = least.min(flat(point).distance(nearest));
                        }
                    }
                }
            }
            let found = solids.has_room(from, to, &room);
            if least < 0.5 {
                assert!(!found, "{from} {to} {least}");
                held += 1;
            } else if least > 0.56 {
                assert!(found, "{from} {to} {least}");
                free += 1;
            }
        }
        assert!(free > 30 && held > 30, "{free} {held}");
    }

    #[test]
    fn bad_corners_are_refused_by_number() {
        let bad = [[Vec3::ZERO; 3], [Vec3::ZERO, Vec3::ONE, Vec3::new(0.0, f32::NAN, 0.0)]];
        assert!(matches!(Solids::new(&bad), Err(SolidsError::Corner { triangle: 1, .. })));
        assert!(Solids::new(&[]).unwrap().is_clear(Vec3::ZERO, Vec3::ONE));
    }
}
