//! Step 9, last part: finds places to which walkers back out so that others pass.
//!
//! In: the rows of those that are to back out, the nearest first, and of those that are to pass. Out: for
//! each that backs out a place beside the ways of all that pass, and the way there. Holds: the last of a file
//! goes first, and all of it find a place, or none goes; a place touches no one's way and nobody who stands.
//! Not here: who backs out, and when (`backing_out`, `making_way`).
//!
//! Method: the way along which a walker backs out is that of the first that passes, which leads past it and
//! on. Beside that way rays are cast every quarter of a metre; the first free place is taken. Cost: bounded
//! by the length of the way.

use glam::Vec3;

use crate::base::geom::flat_distance;
use crate::base::spatial_hash::{Lookup, SpatialHash};
use crate::base::trig;
use crate::crowd::follow::Cursor;
use crate::crowd::steer::{self, OnPath, flat};
use crate::nav::{GroundQuery, Path};
use crate::sim::ground_queries::GroundQueries;
use crate::world::character::Characters;
use crate::world::clock::Clock;
use crate::world::crowd_columns::CrowdColumns;
use crate::world::leaders::Leaders;
use crate::world::map::LevelMap;
use crate::world::walk::{BackingOut, Following, Phase, Walk};
use crate::world::walks::Walks;

/// The most walkers that back out together.
pub(crate) const FILE_MAX: usize = 12;
/// How far a character backs out at most, metres.
pub(crate) const BACK_MAX_M: f32 = 30.0;
/// Metres between two places on the way at which rays are cast, and between two places on a ray.
const APART_M: f32 = 0.25;
/// Rays cast from a place.
const RAYS: u8 = 12;
/// How far beyond the first place off the way a ray goes, for each walker that backs out, metres.
const DEEPER_M: f32 = 0.8;
/// The gap to walkers that pass, metres.
pub(crate) const GAP_M: f32 = 0.05;
/// Slower than this, metres a second, a character stands where it stands.
pub(crate) const SLOW_MPS: f32 = 0.2;
/// Seconds that a walker waits for others to pass, and how many times as long as its own way takes.
const WAITS_S: f32 = 10.0;
const WAITS_WAYS: f32 = 4.0;

/// What this part of step 9 reads and writes.
#[derive(Debug)]
pub(crate) struct BackingParts<'a> {
    pub(crate) clock: &'a Clock,
    pub(crate) map: &'a LevelMap,
    pub(crate) characters: &'a mut Characters,
    pub(crate) walks: &'a mut Walks,
    pub(crate) leaders: &'a Leaders,
    pub(crate) bodies: &'a CrowdColumns,
    /// Every character by place.
    pub(crate) near: &'a SpatialHash,
}

impl BackingParts<'_> {
    /// Where the character in a row is.
    pub(crate) fn place_of(&self, row: u32) -> Vec3 {
        self.bodies.place_of(self.characters, row)
    }

    /// The walk of the character in a row.
    pub(crate) fn walk_of(&self, row: u32) -> Option<&Walk> {
        let who = self.characters.get(self.bodies.ids[row as usize])?;
        self.walks.get(who.walk?)
    }
}

/// A unit vector in one of so many directions.
pub(crate) fn ray_of(ray: u8, count: u8) -> Vec3 {
    let angle = std::f32::consts::TAU * f32::from(ray) / f32::from(count);
    Vec3::new(trig::cos(angle), 0.0, trig::sin(angle))
}

/// The place on a way that is nearest to another.
fn nearest_on(way: &[Vec3], place: Vec3) -> OnPath {
    steer::nearest(way, OnPath { segment: 0, point: place }, f32::INFINITY)
}

/// How far beside a way a place lies in plan, metres.
pub(crate) fn away_m(way: &[Vec3], place: Vec3) -> f32 {
    flat_distance(nearest_on(way, place).point, place)
}

/// Where a member of a file backs out to.
pub(crate) struct Retreat {
    pub(crate) row: u32,
    points: Vec<Vec3>,
    /// Where it stands in the way, and where it leaves it.
    from: Vec3,
    junction: Vec3,
}

/// The way that a character has before it, from where it stands.
pub(crate) fn way_of(parts: &BackingParts<'_>, row: u32) -> Vec<Vec3> {
    let place = parts.place_of(row);
    let following = parts.walk_of(row).and_then(|walk| walk.following.as_ref());
    let mut way = vec![place];
    let Some(following) = following else {
        return way;
    };
    let leg = following.path.leg();
    let mut left_m = BACK_MAX_M;
    for &point in following.cursor.ahead(&leg) {
        let length_m = flat_distance(way[way.len() - 1], point);
        way.push(point);
        left_m -= length_m;
        if left_m <= 0.0 {
            break;
        }
    }
    way
}

/// Those that are to pass, and the ground that they need for it.
pub(crate) struct PassingFile {
    /// Their rows.
    pub(crate) rows: Vec<u32>,
    /// Their ways, the first of which leads to where the others back out, and the radius of each body.
    pub(crate) ways: Vec<(Vec<Vec3>, f32)>,
}

impl PassingFile {
    /// Those of some rows, each on its way.
    pub(crate) fn of(parts: &BackingParts<'_>, rows: &[u32]) -> Self {
        let way = |&row: &u32| (way_of(parts, row), parts.bodies.columns.radii_m[row as usize]);
        Self { rows: rows.to_vec(), ways: rows.iter().map(way).collect() }
    }

    /// The same with so many metres more beside their ways.
    pub(crate) fn with_spare(mut self, spare_m: f32) -> Self {
        self.ways.iter_mut().for_each(|(_, radius_m)| *radius_m += spare_m);
        self
    }
}

/// Where all of a file back out to, the last first, and how far the one goes that goes furthest; None where
/// one of them finds no place. The file is rows.
pub(crate) fn retreats(
    parts: &BackingParts<'_>,
    grounds: &GroundQueries<'_>,
    rows: &[u32],
    passing: &PassingFile,
    most_m: f32,
) -> Option<(f32, Vec<Retreat>)> {
    let PassingFile { rows: passing, ways } = passing;
    let bodies = parts.bodies;
    let (spine, _) = ways.first()?;
    let mut taken: Vec<(Vec3, f32)> = Vec::new();
    let mut found = Vec::new();
    let mut cost_m: f32 = 0.0;
    for &row in rows.iter().rev() {
        let radius_m = bodies.columns.radii_m[row as usize];
        let place = parts.place_of(row);
        let storey_m = bodies.columns.floors_m[row as usize] - place.y;
        let is_free = |at: Vec3| {
            let is_off = |(way, other_m): &(Vec<Vec3>, f32)| away_m(way, at) >= radius_m + other_m + GAP_M;
            let is_left =
                |(other, other_m): &(Vec3, f32)| flat_distance(*other, at) >= radius_m + other_m + GAP_M;
            ways.iter().all(is_off) && taken.iter().all(is_left)
        };
        let has_nobody = |at: Vec3| {
            let mut is_empty = true;
            parts.near.visit(flat(at), 2.0 * radius_m + DEEPER_M, Lookup::ALL, |other, distance_m_sq| {
                let touch_m = radius_m + bodies.columns.radii_m[other as usize];
                let is_of_them = rows.contains(&other) || passing.contains(&other);
                let stands = bodies.walkers[other as usize].velocity.length() < SLOW_MPS;
                let is_level = bodies.is_level_with(other, at.y + storey_m);
                is_empty &= is_of_them || !stands || !is_level || distance_m_sq >= touch_m * touch_m;
            });
            is_empty
        };
        let seeker = Seeker {
            ground: grounds.query(bodies.kinds[row as usize]),
            room_m: radius_m + ways.iter().map(|(_, other_m)| *other_m).fold(0.0, f32::max) + GAP_M,
            deeper_m: DEEPER_M * rows.len() as f32,
            most_m,
            bodies: ways.iter().map(|(way, other_m)| (way[0], radius_m + other_m)).collect(),
        };
        let (length_m, points) = seeker.seek(place, spine, |at| is_free(at) && has_nobody(at))?;
        cost_m = cost_m.max(length_m);
        taken.push((*points.last()?, radius_m));
        let from = nearest_on(spine, place).point;
        let junction = if points.len() > 2 { points[points.len() - 2] } else { from };
        found.push(Retreat { row, points, from, junction });
    }
    Some((cost_m, found))
}

/// Looks for a place for a character.
struct Seeker<'a> {
    ground: &'a GroundQuery<'a>,
    /// Nearer to a way than this one is in it, metres.
    room_m: f32,
    deeper_m: f32,
    most_m: f32,
    /// Where those stand that are to pass, and how near is touching, metres.
    bodies: Vec<(Vec3, f32)>,
}

impl Seeker<'_> {
    /// The first free place beside a way, from where a character stands: how far it is, and the way there.
    fn seek(&self, place: Vec3, spine: &[Vec3], is_free: impl Fn(Vec3) -> bool) -> Option<(f32, Vec<Vec3>)> {
        if is_free(place) {
            return Some((0.0, vec![place, place]));
        }
        let begins = nearest_on(spine, place);
        let mut points = vec![place];
        let (mut last, mut gone_m) = (place, flat_distance(place, begins.point));
        let mut at = begins;
        loop {
            if gone_m > self.most_m || !self.ground.clear(last, at.point) {
                return None;
            }
            if let Some((beside, ray_m)) = self.beside(at.point, &is_free) {
                points.extend([at.point, beside]);
                let length_m = gone_m + ray_m;
                return (length_m <= self.most_m).then_some((length_m, points));
            }
            last = at.point;
            // Not across a corner.
            let corner = spine.get(at.segment + 1).copied()?;
            let corner_m = flat_distance(at.point, corner);
            if corner_m > APART_M {
                at = steer::along(spine, at, APART_M);
            } else {
                // One that others have pushed aside comes back to the way first.
                if points.len() == 1 && !self.ground.clear(place, corner) {
                    points.push(begins.point);
                }
                points.push(corner);
                at = OnPath { segment: at.segment + 1, point: corner };
            }
            gone_m += corner_m.min(APART_M);
        }
    }

    /// Whether a straight line leads past none of the walkers that are to pass: it comes no nearer to them
    /// than where it begins.
    fn passes_nobody(&self, from: Vec3, to: Vec3) -> bool {
        /// Metres.
        const ROUNDING_M: f32 = 0.01;
        self.bodies.iter().all(|&(other, touch_m)| {
            let least_m = touch_m.min(flat_distance(from, other)) - ROUNDING_M;
            away_m(&[from, to], other) >= least_m
        })
    }

    /// The nearest free place in a straight line from one on the way.
    fn beside(&self, from: Vec3, is_free: &impl Fn(Vec3) -> bool) -> Option<(Vec3, f32)> {
        let furthest_m = self.room_m + self.deeper_m;
        let on_ray = |ray: u8| {
            let way = ray_of(ray, RAYS);
            let reach_m = flat_distance(from, self.ground.last_clear(from, from + way * furthest_m));
            let count = ((reach_m - self.room_m) / APART_M).floor();
            let steps = if count >= 0.0 { count as u32 + 1 } else { 0 };
            let places = (0..steps).map(|step| self.room_m + APART_M * step as f32);
            let mut places = places.map(|away_m| (from + way * away_m, away_m));
            places.find(|&(at, _)| self.passes_nobody(from, at) && is_free(at))
        };
        (0..RAYS).filter_map(on_ray).min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Has a member of a file back out, so that others pass.
pub(crate) fn back_out(parts: &mut BackingParts<'_>, retreat: Retreat, passing: &[u32]) {
    let Retreat { row, points, from, junction } = retreat;
    let yields_to = passing.iter().map(|&row| parts.bodies.ids[row as usize]).collect();
    let Some(character) = parts.characters.get_mut(parts.bodies.ids[row as usize]) else {
        return;
    };
    let Some(walk) = character.walk.and_then(|id| parts.walks.get_mut(id)) else {
        return;
    };
    // One that stands has no speed of its own in this step.
    let speed_mps = parts.bodies.walkers[row as usize].speed_max_mps.max(walk.speed_mps(character)).max(0.1);
    let path = Path::through(points);
    let waits_s = WAITS_S + WAITS_WAYS * path.length_m / speed_mps;
    let until = walk.clock(parts.clock.landing()).after(parts.clock.rate.ticks(f64::from(waits_s)));
    let way = Following { cursor: Cursor::at_start(&path), path: path.into(), trouble: None };
    walk.backing_out = Some(Box::new(BackingOut { way, from, junction, yields_to, until }));
    // One move for each body.
    character.nudge = None;
    if walk.phase == Phase::Content {
        walk.phase = Phase::Moving;
    }
}
