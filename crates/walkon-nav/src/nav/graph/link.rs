//! Links between the points of a graph: by distance and rise, then without those that a body cannot walk.
//!
//! In: points, options, the solids they stand on. Out: pairs of points. Holds: the pairs are those that a
//! look at all pairs finds, sorted; a link that stays has room for the body all along and a floor below. Not
//! here: where points come from. Source: seed 003, "Create Simple Connections" and the second pass over them.

use glam::Vec3;

use crate::base::ordered;
use crate::base::trig;
use crate::nav::graph::editable_graph::{EditableGraph, LINKS_MAX, PointEditError};
use crate::nav::graph::strip::Strip;
use crate::nav::solids::{Room, Solids};

/// How points are linked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkOptions {
    /// The longest link, metres on the ground.
    pub distance_max_m: f32,
    /// The steepest link, degrees.
    pub slope_max_degrees: f32,
    /// The body that walks along it; what is lower than its step is a step up or down, however short the
    /// link.
    pub room: Room,
    /// How far from links bodies may stray, metres, and have room still: the width of the map's links.
    pub stray_m: f32,
}

impl Default for LinkOptions {
    fn default() -> Self {
        let room = Room { radius_m: 0.35, step_m: 0.4, height_m: 1.8 };
        // Reaches the diagonal neighbour in rows half a metre apart.
        Self { distance_max_m: 0.75, slope_max_degrees: 45.0, room, stray_m: 0.0 }
    }
}

/// What became of the pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkReport {
    /// Pairs near enough and not too steep.
    pub pairs: u64,
    /// Taken out because something is in the way.
    pub blocked: u64,
    /// Taken out because there is no floor along them, or a ledge higher than a step.
    pub hollow: u64,
}

/// Links all points that are near enough, then takes out what cannot be walked; no solids, nothing is in the
/// way. Links that were there are replaced. `progress` hears how many pairs are done, of how many. Cost: the
/// pairs, by cells as wide as a link.
///
/// # Errors
/// More links than a graph may have; the draft is as it was.
pub fn link(
    draft: &mut EditableGraph,
    solids: Option<&Solids>,
    options: &LinkOptions,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<LinkReport, PointEditError> {
    let pairs = near_pairs(draft.points(), options)?;
    let mut report = LinkReport { pairs: pairs.len() as u64, ..LinkReport::default() };
    let points = draft.points();
    let mut kept = Vec::with_capacity(pairs.len());
    for (done, &[a, b]) in pairs.iter().enumerate() {
        if done % 1024 == 0 {
            progress(done as u64, report.pairs);
        }
        match solids
            .map_or(LinkCheck::Clear, |solids| way(solids, [points[a as usize], points[b as usize]], options))
        {
            LinkCheck::Clear => kept.push([a, b]),
            LinkCheck::Blocked => report.blocked += 1,
            LinkCheck::Hollow => report.hollow += 1,
        }
    }
    progress(report.pairs, report.pairs);
    draft.set_links(kept);
    Ok(report)
}

/// The links that a body cannot walk, in order.
#[must_use]
pub fn blocked_links(draft: &EditableGraph, solids: &Solids, options: &LinkOptions) -> Vec<[u32; 2]> {
    let points = draft.points();
    let is_blocked =
        |ends: &[u32; 2]| way(solids, ends.map(|end| points[end as usize]), options) != LinkCheck::Clear;
    draft.links().filter(is_blocked).collect()
}

/// Whether a body can walk straight from one place to another, however far that is: not too steep, with room
/// and a floor all along. Without solids only how steep it is can be told.
#[must_use]
pub fn can_walk(solids: Option<&Solids>, ends: [Vec3; 2], options: &LinkOptions) -> bool {
    let [a, b] = ends;
    is_gentle(a, b, options) && solids.is_none_or(|solids| way(solids, ends, options) == LinkCheck::Clear)
}

/// Whether a body can stand at a place: on a floor, with room, within nothing solid. Without solids it can
/// anywhere.
#[must_use]
pub fn can_stand(solids: Option<&Solids>, place: Vec3, options: &LinkOptions) -> bool {
    let Some(solids) = solids else { return true };
    let (room, step) = (options.room, Vec3::Y * options.room.step_m);
    solids.first_hit(place + step, place - step).is_some()
        && Strip { solids, room, stray_m: options.stray_m }.stands(place)
        && !solids.is_enclosed(place + step)
}

/// The height of the floor above or below a place, metres: of several the one nearest to it. None where there
/// is no floor. Cost: a ray for each, and nine that end far away.
#[must_use]
pub fn floor_height_m(solids: &Solids, place: Vec3) -> Option<f32> {
    /// How far below a floor the next one is looked for, metres, and as a part of its height.
    const BELOW: f32 = 1e-3;
    let [low, high] = solids.bounds()?;
    let at = |y_m: f32| Vec3::new(place.x, y_m, place.z);
    let (mut from_m, mut nearest) = (high.y + 1.0, None::<f32>);
    // Bounded: each floor lies below the one before.
    while let Some(hit) = solids.first_hit(at(from_m), at(low.y - 1.0)) {
        let found_m = hit.point.y;
        let away_m = BELOW * (1.0 + found_m.abs());
        let is_nearer = |best_m: f32| (found_m - place.y).abs() < (best_m - place.y).abs();
        // Undersides look down, and floors go on below walls and steps; what is met first is a floor
        // whichever way it looks.
        let is_floor = || hit.is_front && !solids.is_enclosed(at(found_m + away_m));
        if nearest.is_none_or(|best_m| is_nearer(best_m) && is_floor()) {
            nearest = Some(found_m);
        }
        from_m = found_m - away_m;
    }
    nearest
}

/// All pairs near enough and not too steep, sorted.
fn near_pairs(points: &[Vec3], options: &LinkOptions) -> Result<Vec<[u32; 2]>, PointEditError> {
    let cell = options.distance_max_m.max(1e-3);
    let place = |point: Vec3| [(point.x / cell).floor() as i64, (point.z / cell).floor() as i64];
    let mut sorted: Vec<([i64; 2], u32)> =
        points.iter().zip(0..).map(|(&point, at)| (place(point), at)).collect();
    ordered::sort_by_key(&mut sorted, |entry| *entry);
    let row = |[x, z]: [i64; 2]| {
        let first = sorted.partition_point(|entry| entry.0 < [x, z - 1]);
        let end = sorted.partition_point(|entry| entry.0 <= [x, z + 1]);
        &sorted[first..end]
    };
    let mut pairs = Vec::new();
    for (at, &point) in (0u32..).zip(points) {
        let [x, z] = place(point);
        let from = pairs.len();
        for dx in -1..=1 {
            for &(_, other) in row([x + dx, z]) {
                if other > at && is_near(point, points[other as usize], options) {
                    pairs.push([at, other]);
                }
            }
        }
        ordered::sort_by_key(&mut pairs[from..], |pair| *pair);
        if pairs.len() > LINKS_MAX {
            return Err(PointEditError::Limit { what: "links", count: pairs.len(), limit: LINKS_MAX });
        }
    }
    Ok(pairs)
}

fn is_near(a: Vec3, b: Vec3, options: &LinkOptions) -> bool {
    // A hair's breadth for rows whose distance is the longest link itself.
    libm::hypotf(b.x - a.x, b.z - a.z) <= options.distance_max_m + 1e-5 && is_gentle(a, b, options)
}

/// Whether a link is no steeper than it may be, or no higher than a step.
fn is_gentle(a: Vec3, b: Vec3, options: &LinkOptions) -> bool {
    let flat = libm::hypotf(b.x - a.x, b.z - a.z);
    let steepest = options.slope_max_degrees.to_radians();
    let slope = trig::sin(steepest) / trig::cos(steepest);
    (b.y - a.y).abs() <= (flat * slope).max(options.room.step_m) + 1e-5
}

/// What a straight way between two points on the floor is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkCheck {
    Clear,
    Blocked,
    Hollow,
}

fn way(solids: &Solids, [a, b]: [Vec3; 2], options: &LinkOptions) -> LinkCheck {
    let room = &options.room;
    let strip = Strip { solids, room: *room, stray_m: options.stray_m };
    if !strip.leads(a, b) || !is_seen(solids, a, b, room) {
        return LinkCheck::Blocked;
    }
    if has_footing(solids, a, b, room.step_m) { LinkCheck::Clear } else { LinkCheck::Hollow }
}

/// Whether there is floor all along, each time within a step of where the foot stood before: a link as steep
/// as it may be is no way down from a ledge. Cost: a ray for each 0.2 m.
fn has_footing(solids: &Solids, a: Vec3, b: Vec3, step_m: f32) -> bool {
    // As often as a foot is set down.
    let feet = (libm::hypotf(b.x - a.x, b.z - a.z) / 0.2).ceil().max(2.0) as u32;
    let mut stood_m = a.y;
    for foot in 1..=feet {
        let at = a.lerp(b, foot as f32 / feet as f32);
        let ray = [step_m, -step_m].map(|lift| Vec3::new(at.x, stood_m + lift, at.z));
        let Some(hit) = solids.first_hit(ray[0], ray[1]) else { return false };
        stood_m = hit.point.y;
    }
    (stood_m - b.y).abs() <= step_m
}

/// Whether rays at the knee, the chest and the head, in the middle and at both sides, meet nothing: the bare
/// ray of the seed, at several heights. The room is exact already, but for triangles that stand edge-on
/// between its step and its floor.
fn is_seen(solids: &Solids, a: Vec3, b: Vec3, room: &Room) -> bool {
    let along = (b - a) * Vec3::new(1.0, 0.0, 1.0);
    let side = Vec3::new(along.z, 0.0, -along.x).normalize_or_zero() * room.radius_m * 0.99;
    [0.0, 0.5, 1.0].into_iter().all(|part| {
        let lift = Vec3::Y * (room.step_m + (room.height_m - room.step_m) * part * 0.99);
        [-1.0, 0.0, 1.0].into_iter().all(|turn| {
            let aside = lift + side * turn;
            solids.is_clear(a + aside, b + aside)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    /// A block, whose faces look outward.
    fn slab([x0, x1]: [f32; 2], [y0, y1]: [f32; 2], [z0, z1]: [f32; 2]) -> Vec<[Vec3; 3]> {
        let p = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        let face = |a, b, c, d| [[a, b, c], [a, c, d]];
        [
            face(p(x0, y0, z0), p(x1, y0, z0), p(x1, y0, z1), p(x0, y0, z1)),
            face(p(x0, y1, z0), p(x0, y1, z1), p(x1, y1, z1), p(x1, y1, z0)),
            face(p(x0, y0, z0), p(x0, y1, z0), p(x1, y1, z0), p(x1, y0, z0)),
            face(p(x0, y0, z1), p(x1, y0, z1), p(x1, y1, z1), p(x0, y1, z1)),
            face(p(x0, y0, z0), p(x0, y0, z1), p(x0, y1, z1), p(x0, y1, z0)),
            face(p(x1, y0, z0), p(x1, y1, z0), p(x1, y1, z1), p(x1, y0, z1)),
        ]
        .concat()
    }

    fn rows(count: usize, y: f32) -> Vec<Vec3> {
        (0..count * count)
            .map(|at| Vec3::new((at % count) as f32 * 0.5, y, (at / count) as f32 * 0.5))
            .collect()
    }

    #[test]
    fn a_body_stands_on_floors_with_room_and_in_nothing_solid() {
        // A hall with a pillar wider than a body, and a bridge over it too low to pass below.
        let hall = slab([0.0, 10.0], [-0.2, 0.0], [0.0, 10.0]);
        let pillar = slab([4.0, 6.0], [0.0, 3.0], [4.0, 6.0]);
        let bridge = slab([0.0, 10.0], [1.0, 1.2], [8.0, 10.0]);
        let solids = Solids::new(&[hall, pillar, bridge].concat()).unwrap();
        let options = LinkOptions::default();
        let stands = |x: f32, y: f32, z: f32| can_stand(Some(&solids), Vec3::new(x, y, z), &options);
        assert!(stands(2.0, 0.0, 2.0) && stands(5.0, 3.0, 5.0) && stands(5.0, 1.2, 9.0));
        assert!(!stands(2.0, 1.0, 2.0), "in the air");
        assert!(!stands(5.0, 0.0, 5.0), "in the pillar");
        assert!(!stands(3.8, 0.0, 5.0), "too near to the pillar");
        assert!(!stands(5.0, 0.0, 9.0), "below the bridge");
        assert!(!stands(12.0, 0.0, 2.0), "beside the hall");
        assert!(can_stand(None, Vec3::new(12.0, 0.0, 2.0), &options));
    }

    #[test]
    fn the_floor_of_a_place_is_the_one_nearest_to_it() {
        let floors = [[0.0, 0.2], [3.0, 3.2], [7.0, 7.5]].map(|y| slab([0.0, 4.0], y, [0.0, 4.0])).concat();
        // Every triangle of the second look faces the other way: the highest floor is found all the same.
        let turned: Vec<[Vec3; 3]> = floors.iter().map(|&[a, b, c]| [a, c, b]).collect();
        let height = |triangles: &[[Vec3; 3]], x: f32, y: f32| {
            floor_height_m(&Solids::new(triangles).unwrap(), Vec3::new(x, y, 2.0))
        };
        for (y, expected) in
            [(-5.0, 0.2), (0.0, 0.2), (1.6, 0.2), (1.8, 3.2), (5.3, 3.2), (5.4, 7.5), (90.0, 7.5)]
        {
            let found = height(&floors, 1.0, y).unwrap();
            assert!((found - expected).abs() < 1e-4, "{y}: {found}");
        }
        assert_eq!(height(&floors, 5.0, 0.0), None);
        assert!(height(&turned, 1.0, 9.0).is_some());
        assert_eq!(height(&[], 1.0, 0.0), None);
    }

    #[test]
    fn seed_v9_pairs_are_those_of_a_look_at_all_pairs() {
        let mut rng = Rng::stream(3, "pairs");
        let mut value = |size: f64| (rng.unit() * size) as f32;
        let points: Vec<Vec3> = (0..2000).map(|_| Vec3::new(value(30.0), value(2.0), value(30.0))).collect();
        let options = LinkOptions::default();
        let mut expected = Vec::new();
        for a in 0..points.len() {
            for b in a + 1..points.len() {
                let (dx, dy, dz) =
                    (points[b].x - points[a].x, points[b].y - points[a].y, points[b].z - points[a].z);
                let flat = (dx * dx + dz * dz).sqrt();
                if flat <= 0.75 + 1e-5 && dy.abs() <= flat.max(0.4) + 1e-5 {
                    expected.push([a as u32, b as u32]);
                }
            }
        }
        let mut draft = EditableGraph::new(points, &[], Vec::new()).unwrap();
        let report = link(&mut draft, None, &options, &mut |_, _| {}).unwrap();
        assert_eq!(draft.links().collect::<Vec<_>>(), expected);
        assert_eq!(report.pairs, expected.len() as u64);
        assert!(expected.len() > 1000);
    }

    #[test]
    fn seed_v10_links_through_a_wall_or_under_a_low_beam_go_and_no_others() {
        let mut triangles = slab([-5.0, 15.0], [-0.2, 0.0], [-5.0, 15.0]);
        triangles.extend(slab([3.7, 3.8], [0.0, 2.5], [-1.0, 5.0]));
        triangles.extend(slab([6.7, 6.8], [1.4, 1.7], [-1.0, 12.0]));
        let solids = Solids::new(&triangles).unwrap();
        let room = Room { radius_m: 0.1, step_m: 0.3, height_m: 1.8 };
        let mut draft = EditableGraph::new(rows(20, 0.0), &[], Vec::new()).unwrap();
        let options = LinkOptions { room, ..LinkOptions::default() };
        let before = {
            let mut all = draft.clone();
            link(&mut all, None, &options, &mut |_, _| {}).unwrap();
            all.links().len()
        };
        let report = link(&mut draft, Some(&solids), &options, &mut |_, _| {}).unwrap();
        let place = |at: u32| draft.points()[at as usize];
        let crosses = |ends: [u32; 2], x: f32| (place(ends[0]).x - x) * (place(ends[1]).x - x) < 0.0;
        // The rows are 0.5 m apart, so that links meet the wall half-way.
        let through_wall =
            |ends: [u32; 2]| crosses(ends, 3.75) && place(ends[0]).midpoint(place(ends[1])).z <= 5.0;
        for ends in draft.links() {
            assert!(!through_wall(ends) && !crosses(ends, 6.75), "{ends:?}");
        }
        let gone = before - draft.links().len();
        // Eleven rows at the wall and twenty at the beam, each with its straight link and two diagonals.
        assert_eq!(report.blocked as usize, gone);
        assert!((31..=31 * 3).contains(&gone), "{gone}");
    }

    #[test]
    fn a_step_is_one_however_near_to_it_the_points_lie() {
        // A short link up a step is steep: the floor beside it was in the way of a body over a floor that
        // goes on like that.
        let mut triangles = slab([0.0, 3.0], [-0.2, 0.0], [0.0, 3.0]);
        triangles.extend(slab([3.0, 6.0], [-0.2, 0.3], [0.0, 3.0]));
        let solids = Solids::new(&triangles).unwrap();
        for spacing_m in [0.05f32, 0.13, 0.4] {
            let count = (3.6 / spacing_m) as u16;
            let row = |z: f32| (0..count).map(move |at| (1.2 + f32::from(at) * spacing_m, z));
            let points = row(1.4).chain(row(1.4 + spacing_m));
            let points = points.map(|(x, z)| Vec3::new(x, if x < 3.0 { 0.0 } else { 0.3 }, z)).collect();
            let mut draft = EditableGraph::new(points, &[], Vec::new()).unwrap();
            let options = LinkOptions { distance_max_m: 1.5 * spacing_m, ..LinkOptions::default() };
            let report = link(&mut draft, Some(&solids), &options, &mut |_, _| {}).unwrap();
            assert_eq!((report.blocked, report.hollow), (0, 0), "{spacing_m}");
            assert_eq!(crate::nav::graph::groups(&draft).len(), 1, "{spacing_m}");
        }
    }

    #[test]
    fn there_is_no_link_down_from_a_ledge_that_is_no_steeper_than_a_slope() {
        let mut triangles = slab([0.0, 3.0], [-0.2, 0.0], [0.0, 3.0]);
        triangles.extend(slab([3.0, 6.0], [-0.2, 0.7], [0.0, 3.0]));
        let ramp = [[0.0, 0.0, 4.0], [3.0, 2.8, 4.0], [3.0, 2.8, 7.0], [0.0, 0.0, 7.0]].map(Vec3::from);
        triangles.extend([[ramp[0], ramp[1], ramp[2]], [ramp[0], ramp[2], ramp[3]]]);
        let solids = Solids::new(&triangles).unwrap();
        let on_ramp = |x: f32| Vec3::new(x, x * 2.8 / 3.0, 5.5);
        let points = vec![Vec3::new(2.6, 0.0, 1.5), Vec3::new(3.4, 0.7, 1.5), on_ramp(1.0), on_ramp(1.8)];
        let mut draft = EditableGraph::new(points, &[], Vec::new()).unwrap();
        let options = LinkOptions { distance_max_m: 0.8, ..LinkOptions::default() };
        let report = link(&mut draft, Some(&solids), &options, &mut |_, _| {}).unwrap();
        assert_eq!(draft.links().collect::<Vec<_>>(), [[2, 3]], "the ledge is 0.7 m high, the step 0.4 m");
        assert_eq!((report.pairs, report.blocked, report.hollow), (2, 0, 1));
    }

    #[test]
    fn there_is_no_link_over_a_gap_and_one_up_a_step() {
        let mut triangles = slab([0.0, 1.0], [-0.2, 0.0], [0.0, 4.0]);
        triangles.extend(slab([1.4, 3.0], [-0.2, 0.0], [0.0, 4.0]));
        triangles.extend(slab([3.0, 6.0], [-0.2, 0.3], [0.0, 4.0]));
        let solids = Solids::new(&triangles).unwrap();
        let points = [[0.95, 0.0], [1.45, 0.0], [2.0, 0.0], [2.6, 0.0], [3.2, 0.3]];
        let points = points.map(|[x, y]| Vec3::new(x, y, 2.0)).to_vec();
        let mut draft = EditableGraph::new(points, &[], Vec::new()).unwrap();
        let report = link(&mut draft, Some(&solids), &LinkOptions::default(), &mut |_, _| {}).unwrap();
        assert_eq!(draft.links().collect::<Vec<_>>(), [[1, 2], [2, 3], [3, 4]]);
        assert_eq!((report.pairs, report.hollow), (4, 1));
    }
}
