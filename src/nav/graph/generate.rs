//! Points on the floors of a scene, by rays from above.
//!
//! In: solids, boxes that somebody placed, the size of the body. Out: points in rows, box by box, and what became of each ray.
//! Holds: the same boxes give the same points in the same order; no point lies outside its box, over a hole, on ground that
//! is too steep, or where the body has no room; none comes twice where boxes overlap. Not here: links (`link`).
//! Source: seed 003, "NavGraph generation": one ray a point from the top of a box to its bottom.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::trig;
use crate::nav::graph::POINTS_MAX;
use crate::nav::solids::{Room, Solids};

/// How far over a floor a ray begins that looks for another one below it, metres.
const BELOW_M: f32 = 0.01;

/// A box whose floor is looked for: rays fall from its top to its bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneBox {
    /// Least corner, world metres.
    pub min: Vec3,
    /// Greatest corner, world metres.
    pub max: Vec3,
}

/// How points are generated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerateOptions {
    /// Distance between rows and between the points of a row, metres.
    pub spacing_m: f32,
    /// The body that must have room at a point.
    pub room: Room,
    /// The steepest ground one can stand on, degrees.
    pub slope_max_degrees: f32,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        let room = Room { radius_m: 0.35, step_m: 0.4, height_m: 1.8 };
        Self { spacing_m: 0.5, room, slope_max_degrees: 45.0 }
    }
}

/// What the rays of one box found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoxReport {
    /// Rays cast.
    pub rays: u32,
    /// Points kept.
    pub points: u32,
    /// Rays that met nothing down to the bottom.
    pub holes: u32,
    /// Hits on ground that is too steep.
    pub steep: u32,
    /// Hits where the body has no room: under something, or beside it.
    pub narrow: u32,
    /// Hits beside a point that another box had found.
    pub doubled: u32,
    /// Rays that met a second floor with room below the first: the top of the box lies over a ceiling, and what is below needs a
    /// box of its own.
    pub covered: u32,
}

/// Points, and a report for each box.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Generated {
    /// The points, world metres.
    pub points: Vec<Vec3>,
    /// What became of the rays, by box.
    pub boxes: Vec<BoxReport>,
    /// Whether it ended early because there would have been too many points.
    pub is_full: bool,
}

/// Casts the rays of all boxes. `progress` hears how many rays are done, of how many, row by row.
/// Cost: for each ray two questions to the tree of triangles, and one for the room.
pub fn generate(
    solids: &Solids,
    boxes: &[SceneBox],
    options: &GenerateOptions,
    progress: &mut dyn FnMut(u64, u64),
) -> Generated {
    let mut found = Generated::default();
    let total: u64 = boxes.iter().map(|part| ray_count(part, options.spacing_m)).sum();
    let mut seen = Seen { spacing_m: options.spacing_m, places: BTreeMap::new() };
    let mut done = 0;
    for part in boxes {
        let mut report = BoxReport::default();
        let [columns, rows] = counts(part, options.spacing_m);
        let first = found.points.len();
        for row in 0..rows {
            for column in 0..columns {
                let x = part.min.x + column as f32 * options.spacing_m;
                let z = part.min.z + row as f32 * options.spacing_m;
                let [top, bottom] = [Vec3::new(x, part.max.y, z), Vec3::new(x, part.min.y, z)];
                report.rays += 1;
                let Some(point) = drop(solids, [top, bottom], options, &mut report) else { continue };
                if seen.has_near(point, first, &found.points) {
                    report.doubled += 1;
                    continue;
                }
                if found.points.len() == POINTS_MAX {
                    found.is_full = true;
                    report.points = (found.points.len() - first) as u32;
                    found.boxes.push(report);
                    return found;
                }
                seen.add(point, found.points.len());
                found.points.push(point);
            }
            done += u64::from(columns);
            progress(done, total);
        }
        report.points = (found.points.len() - first) as u32;
        found.boxes.push(report);
    }
    found
}

/// Rays along x and along z: both sides of the box have one.
fn counts(part: &SceneBox, spacing_m: f32) -> [u32; 2] {
    let size = part.max - part.min;
    // A thousandth of a step forgives rounding: ten metres at half a metre are 21 rays.
    [size.x, size.z].map(|side| if side >= 0.0 { (side / spacing_m + 1e-3) as u32 + 1 } else { 0 })
}

/// How many rays a box takes.
#[must_use]
pub fn ray_count(part: &SceneBox, spacing_m: f32) -> u64 {
    let [columns, rows] = counts(part, spacing_m);
    u64::from(columns) * u64::from(rows)
}

/// Where a body stands that a ray finds, if anywhere.
fn drop(
    solids: &Solids,
    [top, bottom]: [Vec3; 2],
    options: &GenerateOptions,
    report: &mut BoxReport,
) -> Option<Vec3> {
    let Some(hit) = solids.first_hit(top, bottom) else {
        report.holes += 1;
        return None;
    };
    let is_level = |normal: Vec3| normal.y >= trig::cos(options.slope_max_degrees.to_radians()) - 1e-6;
    let mut below = hit.point - Vec3::Y * BELOW_M;
    // Bounded: each round begins lower, and a scene has so many triangles.
    for _ in 0..solids.len() {
        let Some(next) = solids.first_hit(below, bottom) else { break };
        // The underside of a floor faces down, whichever way its triangles turn: what lies between has no room.
        let is_under = hit.point.y - next.point.y >= options.room.height_m;
        if is_under && is_level(next.normal) && solids.has_room(next.point, next.point, &options.room) {
            report.covered += 1;
            break;
        }
        below = next.point - Vec3::Y * BELOW_M;
        if below.y <= bottom.y {
            break;
        }
    }
    if !is_level(hit.normal) {
        report.steep += 1;
        return None;
    }
    if !solids.has_room(hit.point, hit.point, &options.room) {
        report.narrow += 1;
        return None;
    }
    Some(hit.point)
}

/// Points found so far, by where they are on the ground.
struct Seen {
    spacing_m: f32,
    places: BTreeMap<[i64; 2], Vec<usize>>,
}

impl Seen {
    fn place(&self, point: Vec3) -> [i64; 2] {
        [point.x, point.z].map(|value| (value / self.spacing_m).floor() as i64)
    }

    fn add(&mut self, point: Vec3, at: usize) {
        self.places.entry(self.place(point)).or_default().push(at);
    }

    /// Whether a point of an earlier box (numbered below `before`) is nearer than half a step, in height as well.
    fn has_near(&self, point: Vec3, before: usize, points: &[Vec3]) -> bool {
        let [x, z] = self.place(point);
        let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dz| [x + dx, z + dz]));
        around
            .filter_map(|place| self.places.get(&place))
            .flatten()
            .any(|&at| at < before && points[at].distance(point) < 0.5 * self.spacing_m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slab(y: f32, [x0, x1]: [f32; 2], [z0, z1]: [f32; 2]) -> [[Vec3; 3]; 2] {
        let [a, b, c, d] = [[x0, z0], [x1, z0], [x1, z1], [x0, z1]].map(|[x, z]| Vec3::new(x, y, z));
        [[a, b, c], [a, c, d]]
    }

    fn scene(slabs: &[[[Vec3; 3]; 2]]) -> Solids {
        Solids::new(&slabs.concat()).unwrap()
    }

    fn cast(solids: &Solids, boxes: &[SceneBox]) -> Generated {
        generate(solids, boxes, &GenerateOptions::default(), &mut |_, _| {})
    }

    fn boxed(min: [f32; 3], max: [f32; 3]) -> SceneBox {
        SceneBox { min: Vec3::from(min), max: Vec3::from(max) }
    }

    #[test]
    fn seed_v7_ten_metres_at_half_a_metre_are_21_by_21_points_in_rows() {
        let solids = scene(&[slab(0.0, [-20.0, 20.0], [-20.0, 20.0])]);
        let part = boxed([0.0, -1.0, 0.0], [10.0, 2.0, 10.0]);
        let found = cast(&solids, &[part]);
        assert_eq!(found.points.len(), 21 * 21);
        assert_eq!(found.boxes[0], BoxReport { rays: 441, points: 441, ..BoxReport::default() });
        assert_eq!((found.points[0], found.points[440]), (Vec3::ZERO, Vec3::new(10.0, 0.0, 10.0)));
        assert_eq!(cast(&solids, &[part]), found, "the same box, the same points, the same order");
    }

    #[test]
    fn seed_v4_holes_give_none_and_a_box_over_a_ceiling_says_so() {
        let floor = slab(0.0, [0.0, 4.0], [0.0, 4.0]);
        let roof = slab(3.0, [0.0, 4.0], [0.0, 4.0]);
        let solids = scene(&[floor, roof]);
        let inside = cast(&solids, &[boxed([-1.0, -1.0, 1.0], [5.0, 2.5, 3.0])]);
        assert!(inside.points.iter().all(|point| point.y == 0.0));
        assert_eq!((inside.boxes[0].holes, inside.boxes[0].covered), (4 * 5, 0));
        let over = cast(&solids, &[boxed([0.0, -1.0, 0.0], [4.0, 5.0, 4.0])]);
        assert!(over.boxes[0].covered > 0, "{:?}", over.boxes[0]);
        assert!(over.points.iter().all(|point| point.y == 3.0));
    }

    #[test]
    fn seed_v6_two_boxes_over_a_house_give_both_floors_and_none_twice() {
        let solids = scene(&[slab(0.0, [0.0, 6.0], [0.0, 6.0]), slab(3.0, [0.0, 6.0], [0.0, 6.0])]);
        let lower = boxed([0.0, -1.0, 0.0], [6.0, 2.5, 6.0]);
        let upper = boxed([0.0, 2.0, 0.0], [6.0, 6.0, 6.0]);
        let both = cast(&solids, &[lower, upper, lower]);
        let on = |y: f32| both.points.iter().filter(|point| point.y == y).count();
        assert_eq!((on(0.0), on(3.0), both.points.len()), (169, 169, 338));
        assert_eq!(both.boxes[2], BoxReport { rays: 169, doubled: 169, ..BoxReport::default() });
    }

    #[test]
    fn seed_v5_no_points_under_a_table_or_on_a_steep_roof() {
        let table = slab(0.8, [2.0, 3.0], [2.0, 3.0]);
        let floor = slab(0.0, [0.0, 6.0], [0.0, 6.0]);
        let roof = [[4.0, 0.0, 4.0], [6.0, 0.0, 4.0], [5.0, 3.0, 5.0]].map(Vec3::from);
        let mut all = [floor, table].concat();
        all.push(roof);
        let solids = Solids::new(&all).unwrap();
        let low = boxed([0.0, -1.0, 0.0], [6.0, 0.7, 6.0]);
        let high = boxed([4.0, -1.0, 4.0], [6.0, 4.0, 6.0]);
        let found = cast(&solids, &[low, high]);
        assert!(found.boxes[0].narrow > 0 && found.boxes[1].steep > 0, "{:?}", found.boxes);
        let near = |point: &&Vec3| (1.7..=3.3).contains(&point.x) && (1.7..=3.3).contains(&point.z);
        assert_eq!(found.points.iter().filter(near).count(), 0);
    }
}
