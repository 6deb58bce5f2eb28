//! Points on the floors of a scene, by rays from above.
//!
//! In: solids, authored boxes, the size of the body. Out: points in rows, box by box, and the result of each
//! ray. Holds: the same boxes give the same points in the same order; no point lies outside its box, over a
//! hole, on ground that is too steep, where the body has no room, or within what is closed and looks outward;
//! no point comes twice where boxes overlap. Not here: links (`link`). A box over several floors gives the
//! highest, or all of them on request. Source: seed 003, "NavGraph generation": one ray a point from the top
//! of a box to its bottom.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::Vec3;

use crate::base::trig;
use crate::nav::graph::POINTS_MAX;
use crate::nav::graph::strip::Strip;
use crate::nav::solids::{Hit, Room, Solids};

/// How far under a floor a ray begins that looks for another one, and how far over it one that looks for what
/// encloses it, metres.
const BELOW_M: f32 = 0.01;

/// A box whose floor is looked for: rays fall from its top to its bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneBox {
    /// Least corner, world metres.
    pub min: Vec3,
    /// Greatest corner, world metres.
    pub max: Vec3,
}

/// Which floors below one another are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Floors {
    /// The one that a ray meets first: each floor has a box of its own.
    #[default]
    First,
    /// Each that a ray would meet, where its faces look up.
    All,
}

/// How points are generated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerateOptions {
    /// Distance between rows and between the points of a row, metres.
    pub spacing_m: f32,
    /// The body that must have room at a point.
    pub room: Room,
    /// How far from points bodies may stray, metres, and have room still: the width of the map's links.
    pub stray_m: f32,
    /// The steepest ground one can stand on, degrees.
    pub slope_max_degrees: f32,
    /// Which of the floors in a box.
    pub floors: Floors,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        let room = Room { radius_m: 0.35, step_m: 0.4, height_m: 1.8 };
        Self { spacing_m: 0.5, room, stray_m: 0.0, slope_max_degrees: 45.0, floors: Floors::First }
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
    /// Hits where the body has no room: under something, beside it, or within something closed.
    pub narrow: u32,
    /// Hits beside a point that another box had found.
    pub doubled: u32,
    /// Rays that met a second floor with room below the first: the top of the box lies over a ceiling, and
    /// what is below needs a box of its own.
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

/// Casts the rays of all boxes. `progress` hears how many rays are done, of how many, row by row. Cost: for
/// each ray over the scene two questions to the tree of triangles, and one for the room; rays beside the
/// scene are counted and not cast, so a box may be of any size.
pub fn generate(
    solids: &Solids,
    boxes: &[SceneBox],
    options: &GenerateOptions,
    progress: &mut dyn FnMut(u64, u64),
) -> Generated {
    let mut found = Generated::default();
    let total: u64 = boxes.iter().map(|part| ray_count(part, options.spacing_m)).sum();
    let mut seen = FoundPoints { spacing_m: options.spacing_m, places: BTreeMap::new() };
    let mut done = 0;
    for part in boxes {
        let mut report = BoxReport::default();
        let [columns, rows] = counts(part, options.spacing_m);
        let first = found.points.len();
        let [over_columns, over_rows] = over_scene(solids, part, options.spacing_m);
        let beside = u64::from(columns) * u64::from(rows) - size(&over_columns) * size(&over_rows);
        let beside_rays = u32::try_from(beside).unwrap_or(u32::MAX);
        (report.rays, report.holes) = (beside_rays, beside_rays);
        done += beside;
        for row in over_rows {
            for column in over_columns.clone() {
                let x = part.min.x + column as f32 * options.spacing_m;
                let z = part.min.z + row as f32 * options.spacing_m;
                let [top, bottom] = [Vec3::new(x, part.max.y, z), Vec3::new(x, part.min.y, z)];
                report.rays = report.rays.saturating_add(1);
                for point in drop(solids, [top, bottom], options, &mut report) {
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
            }
            done += size(&over_columns);
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
    [size.x, size.z]
        .map(|side| if side >= 0.0 { ((side / spacing_m + 1e-3) as u32).saturating_add(1) } else { 0 })
}

/// The columns and rows of a box whose rays may meet the scene, with one more to each side for rounding.
fn over_scene(solids: &Solids, part: &SceneBox, spacing_m: f32) -> [Range<u32>; 2] {
    let Some([low, high]) = solids.bounds() else { return [0..0, 0..0] };
    let [columns, rows] = counts(part, spacing_m);
    let range = |count: u32, from_m: f32, [low_m, high_m]: [f32; 2]| {
        let at = |place_m: f32| f64::from(place_m - from_m) / f64::from(spacing_m);
        // A number below zero becomes zero, one that is too large the largest there is.
        let (first, end) = ((at(low_m) - 2.0) as u32, (at(high_m) + 3.0) as u32);
        first.min(count)..end.min(count).max(first.min(count))
    };
    [range(columns, part.min.x, [low.x, high.x]), range(rows, part.min.z, [low.z, high.z])]
}

fn size(range: &Range<u32>) -> u64 {
    u64::from(range.end - range.start)
}

/// How many rays a box takes.
#[must_use]
pub fn ray_count(part: &SceneBox, spacing_m: f32) -> u64 {
    let [columns, rows] = counts(part, spacing_m);
    u64::from(columns) * u64::from(rows)
}

/// Where the rays of a box begin and end, row by row.
pub fn rays(part: &SceneBox, spacing_m: f32) -> impl Iterator<Item = [Vec3; 2]> {
    let [columns, rows] = counts(part, spacing_m);
    let (min, max) = (part.min, part.max);
    (0..rows).flat_map(move |row| {
        (0..columns).map(move |column| {
            let (x, z) = (min.x + column as f32 * spacing_m, min.z + row as f32 * spacing_m);
            [Vec3::new(x, max.y, z), Vec3::new(x, min.y, z)]
        })
    })
}

/// Where bodies stand that a ray finds, the highest place first.
fn drop(
    solids: &Solids,
    [top, bottom]: [Vec3; 2],
    options: &GenerateOptions,
    report: &mut BoxReport,
) -> Vec<Vec3> {
    let Some(first) = solids.first_hit(top, bottom) else {
        report.holes = report.holes.saturating_add(1);
        return Vec::new();
    };
    let mut found = Vec::from_iter(stand(solids, &first, options, report));
    let mut above = first;
    // Bounded: each round begins lower, and a scene has so many triangles.
    for _ in 0..solids.len() {
        let from = above.point - Vec3::Y * BELOW_M;
        let hit = if from.y > bottom.y { solids.first_hit(from, bottom) } else { None };
        let Some(hit) = hit else { break };
        match options.floors {
            // The underside of a floor looks down; what lies in a wall or a pillar, too. On what is less than
            // a step below something nobody stands.
            Floors::All if hit.is_front && above.point.y - hit.point.y > options.room.step_m => {
                found.extend(stand(solids, &hit, options, report));
            }
            Floors::All => {}
            Floors::First if is_covered(solids, &first, &hit, options) => {
                report.covered += 1;
                break;
            }
            Floors::First => {}
        }
        above = hit;
    }
    found
}

/// Where a body stands that has room on what a ray met.
fn stand(solids: &Solids, hit: &Hit, options: &GenerateOptions, report: &mut BoxReport) -> Option<Vec3> {
    if !is_level(hit, options) {
        report.steep += 1;
        return None;
    }
    let strip = Strip { solids, room: options.room, stray_m: options.stray_m };
    if !strip.stands(hit.point) || solids.is_enclosed(hit.point + Vec3::Y * BELOW_M) {
        report.narrow += 1;
        return None;
    }
    Some(hit.point)
}

/// Whether a body could stand on what a ray would meet below what it met first. A floor is taken for one
/// whichever way its triangles look, because what lies between it and its underside has no room.
fn is_covered(solids: &Solids, first: &Hit, hit: &Hit, options: &GenerateOptions) -> bool {
    first.point.y - hit.point.y >= options.room.height_m
        && is_level(hit, options)
        && solids.has_room(hit.point, hit.point, &options.room)
}

fn is_level(hit: &Hit, options: &GenerateOptions) -> bool {
    hit.normal.y >= trig::cos(options.slope_max_degrees.to_radians()) - 1e-6
}

/// Points found so far, by where they are on the ground.
struct FoundPoints {
    spacing_m: f32,
    places: BTreeMap<[i64; 2], Vec<usize>>,
}

impl FoundPoints {
    fn place(&self, point: Vec3) -> [i64; 2] {
        [point.x, point.z].map(|value| (value / self.spacing_m).floor() as i64)
    }

    fn add(&mut self, point: Vec3, at: usize) {
        self.places.entry(self.place(point)).or_default().push(at);
    }

    /// Whether a point of an earlier box (numbered below `before`) is nearer than half a step, in height as
    /// well.
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
    fn a_box_much_larger_than_the_scene_finds_the_same_and_counts_what_lies_beside() {
        let solids = scene(&[slab(0.0, [0.0, 10.0], [0.0, 10.0])]);
        let tight = cast(&solids, &[boxed([0.0, -1.0, 0.0], [10.0, 2.0, 10.0])]);
        let wide = cast(&solids, &[boxed([-500_000.0, -1.0, -500_000.0], [500_000.0, 2.0, 500_000.0])]);
        assert_eq!(tight.points.len(), 21 * 21);
        assert_eq!(wide.points, tight.points);
        assert_eq!(wide.boxes[0].rays, u32::MAX);
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

    /// A closed block: its faces look outward.
    fn block(min: Vec3, max: Vec3) -> Vec<[Vec3; 3]> {
        let corner = |bits: usize| {
            let pick = |axis: usize| if bits >> axis & 1 == 0 { min[axis] } else { max[axis] };
            Vec3::new(pick(0), pick(1), pick(2))
        };
        let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        sides.iter().flat_map(|side| [[0, 1, 2], [0, 2, 3]].map(|it| it.map(|at| corner(side[at])))).collect()
    }

    #[test]
    fn no_point_lies_within_a_closed_block_wherever_the_tops_of_the_boxes_are() {
        use crate::base::rng::Rng;
        let mut rng = Rng::stream(11, "blocks");
        let mut value = |low: f64, high: f64| (low + rng.unit() * (high - low)) as f32;
        let mut within = 0;
        for round in 0..40 {
            let mut triangles = block(Vec3::new(-1.0, -0.4, -1.0), Vec3::new(21.0, 0.0, 21.0));
            // Some stand on the floor, some are sunk into it, some overlap.
            let blocks: Vec<[Vec3; 2]> = (0..5)
                .map(|_| {
                    let low = Vec3::new(value(0.0, 16.0), [0.0, -0.3][round % 2], value(0.0, 16.0));
                    [low, low + Vec3::new(value(1.5, 5.0), value(2.0, 4.0), value(1.5, 5.0))]
                })
                .collect();
            blocks.iter().for_each(|&[min, max]| triangles.extend(block(min, max)));
            // A house of thick walls beside them, with no way out, and its roof.
            let walls = [
                [[-9.0, 0.0, 0.0], [-8.5, 3.0, 6.0]],
                [[-3.5, 0.0, 0.0], [-3.0, 3.0, 6.0]],
                [[-9.0, 0.0, -0.5], [-3.0, 3.0, 0.0]],
                [[-9.0, 0.0, 6.0], [-3.0, 3.0, 6.5]],
                [[-9.0, 3.0, -0.5], [-3.0, 3.3, 6.5]],
                [[-9.0, -0.3, -0.5], [-3.0, 0.0, 6.5]],
            ];
            walls.iter().for_each(|&[min, max]| triangles.extend(block(min.into(), max.into())));
            let solids = Solids::new(&triangles).unwrap();
            let top = value(0.5, 3.0);
            let boxes = [
                boxed([0.0, -1.0, 0.0], [20.0, top, 20.0]),
                boxed([-9.0, -1.0, 0.0], [-3.0, top.min(2.9), 6.0]),
            ];
            let found = cast(&solids, &boxes);
            for point in &found.points {
                let holds = |[min, max]: &[Vec3; 2]| {
                    let (above, below) = (min.with_y(min.y - 1e-3), max.with_y(max.y - 1e-3));
                    point.cmpgt(above).all() && point.cmplt(below).all()
                };
                assert!(!blocks.iter().any(holds), "round {round}: {point}");
            }
            within +=
                usize::from(blocks.iter().any(|[min, max]| max.y > top && (*max - *min).min_element() > 1.4));
            // A point in the house is in a room, and not in a block.
            assert!(found.boxes[1].points > 50, "round {round}: {:?}", found.boxes[1]);
        }
        assert!(within > 10, "{within}");
    }

    #[test]
    fn one_box_gives_every_floor_when_asked_for_and_none_within_what_is_solid() {
        // Three floors that look up, two ceilings that look down; a block whose top looks up, and whose
        // bottom does not.
        let up = |slab: [[Vec3; 3]; 2]| slab.map(|[a, b, c]| [a, c, b]);
        let floors = [0.0, 3.0, 6.0].map(|y| up(slab(y, [0.0, 6.0], [0.0, 6.0])));
        let ceilings = [2.8, 5.8].map(|y| slab(y, [0.0, 6.0], [0.0, 6.0]));
        // A carpet that lies in the block, just under its top.
        let block = [0.0, 2.97, 3.0].map(|y| slab(y, [8.0, 12.0], [0.0, 4.0]));
        let block = [block[0], up(block[1]), up(block[2])];
        let solids = scene(&[floors.as_slice(), &ceilings, &block].concat());
        let part = boxed([0.0, -1.0, 0.0], [12.0, 9.0, 6.0]);
        let options = GenerateOptions { floors: Floors::All, ..GenerateOptions::default() };
        let all = generate(&solids, &[part, part], &options, &mut |_, _| {});
        let on = |y: f32| all.points.iter().filter(|point| point.y == y).count();
        assert_eq!([0.0, 3.0, 6.0].map(on), [169, 169 + 9 * 9, 169], "{:?}", all.boxes);
        assert_eq!((all.points.len(), all.boxes[0].covered), (3 * 169 + 81, 0));
        assert_eq!(all.boxes[1].points, 0, "the second box finds what the first one found");
        assert_eq!(cast(&solids, &[part]).points.len(), 169 + 81);
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
