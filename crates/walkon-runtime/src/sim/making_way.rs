//! Step 9, last part: followers that block their leader back out to where it can pass.
//!
//! In: walkers that are held up, and those in front of each. Out: walks that back out. Holds: a leader that
//! does not get on because of its own followers comes past them: all that stand in a line on its way back out
//! of it, the last first, and follow again once it has passed. Where the way before it is a dead end, it
//! comes out before them, to the nearest wide place, and goes in again. Not here: walkers that meet
//! (`backing_out`), places to back out to (`retreats`), steps aside (`yielding`).
//!
//! A way out is not searched for: it is the way that the path of the leader shows, and from there on rays are
//! cast. Cost: nothing where no leader is held up by a follower; else look-ups along its way, twice a second.

use glam::{Vec2, Vec3};

use crate::base::geom::flat_distance;
use crate::base::ordered;
use crate::base::spatial_hash::Lookup;
use crate::crowd::steer::{flat, unit};
use crate::nav::GroundQuery;
use crate::sim::backing_out::{Facing, held_ticks, in_turn, is_due};
use crate::sim::ground_queries::GroundQueries;
use crate::sim::retreats::{
    BACK_MAX_M, BackingParts, FILE_MAX, PassingFile, Retreat, away_m, back_out, ray_of, retreats, way_of,
};
use crate::world::crowd_columns::CrowdColumns;
use crate::world::walk::Crowd;

/// Gap between two followers up to which they stand in one line, metres.
const LINE_GAP_M: f32 = 1.0;
/// Seconds without getting on for which a leader has its followers make way. 15: a file of eight leaves a
/// lane of ten metres in less; where it cannot, the walk ends once its patience has.
const ASKS_S: f64 = 15.0;
/// Leaders whose followers make way in a step, at most.
const LEADERS_MAX: usize = 8;
/// Bodies that are looked at in each cell, at most.
const PER_CELL_MAX: u32 = 16;
/// Metres between two places on the way of a leader at which its followers are looked for.
const APART_M: f32 = 0.5;

/// Has the followers back out that hold their leaders up in narrow places.
pub(crate) fn run(parts: &mut BackingParts<'_>, held: &[Facing]) {
    let leaders = held.iter().filter(|one| is_held_by_followers(parts, one)).map(|one| one.row).collect();
    for leader in in_turn(parts.clock, leaders, LEADERS_MAX).into_iter().take(LEADERS_MAX) {
        make_way(parts, leader);
    }
}

/// Whether it is time that the followers of a walker make way for it.
fn is_held_by_followers(parts: &BackingParts<'_>, one: &Facing) -> bool {
    let walk = parts.walks.get(one.walk).filter(|walk| walk.backing_out.is_none());
    let asks = walk.is_some_and(|walk| walk.options.crowd == Crowd::Push);
    let held_ticks = held_ticks(parts.clock, walk);
    asks && is_due(parts.clock, held_ticks)
        && held_ticks <= parts.clock.rate.ticks(ASKS_S)
        // In the open there is a way past them.
        && is_hemmed_in(parts.bodies, one.row, one.first().unwrap_or(one.row))
        && one.first().is_none_or(|first| follows(parts, first, one.row))
}

/// Whether a leader has no room between two followers where it stands or just ahead.
fn is_hemmed_in(bodies: &CrowdColumns, leader: u32, follower: u32) -> bool {
    let room_m = bodies.walkers.get(leader as usize).map_or(f32::INFINITY, |walker| walker.room_m);
    let radii_m = [leader, follower].map(|row| bodies.columns.radii_m[row as usize]);
    room_m < 2.0 * (radii_m[0] + radii_m[1])
}

/// Whether a character that may be asked aside, and can go, follows another.
fn follows(parts: &BackingParts<'_>, row: u32, leader: u32) -> bool {
    let [who, leader] = [row, leader].map(|row| parts.bodies.ids[row as usize]);
    let can_go = |id| parts.walks.get(id).is_none_or(|walk| !walk.is_paused && walk.on_link.is_none());
    let is_free = parts
        .characters
        .alive(who)
        .is_some_and(|who| !who.is_player && who.held.is_none() && who.walk.is_none_or(can_go));
    is_free && parts.leaders.has(parts.characters, parts.walks, who, leader)
}

/// Has all followers back out that stand in a line on the way of their leader. In a dead end, where they have
/// nowhere to go, the leader comes out before them, and goes in again alone.
fn make_way(parts: &mut BackingParts<'_>, leader: u32) {
    let ahead = way_of(parts, leader);
    let line = in_line(parts, leader, &ahead);
    if line.is_empty() {
        return;
    }
    let grounds = GroundQueries::again(parts.map, &parts.bodies.known);
    let passing = PassingFile::of(parts, &[leader]);
    if let Some((_, retreats)) = retreats(parts, &grounds, &line, &passing, BACK_MAX_M) {
        retreats.into_iter().for_each(|retreat| back_out(parts, retreat, &[leader]));
    } else if let Some(retreats) = ways_out(parts, &grounds, leader, &ahead, &line) {
        let others: Vec<u32> =
            retreats.iter().map(|retreat| retreat.row).filter(|&row| row != leader).collect();
        for retreat in retreats {
            let yields_to = if retreat.row == leader { &others[..] } else { &[leader] };
            back_out(parts, retreat, yields_to);
        }
    }
}

/// Where a leader in a dead end comes out to with the followers before it, and those behind it: back the way
/// that its path shows it has come, and where that begins inside, straight on and round corners, as far as it
/// has to be felt.
fn ways_out(
    parts: &BackingParts<'_>,
    grounds: &GroundQueries<'_>,
    leader: u32,
    ahead: &[Vec3],
    line: &[u32],
) -> Option<Vec<Retreat>> {
    /// Corners that are gone round at most.
    const CORNERS_MAX: usize = 4;
    let ground = grounds.query(parts.bodies.kinds[leader as usize]);
    let mut back = come_by(parts, leader, ahead[0]);
    for _ in 0..=CORNERS_MAX {
        if places_on(&back).any(|place| is_wide(ground, place)) {
            let behind = in_line(parts, leader, &back);
            let behind = behind.into_iter().filter(|row| !line.contains(row));
            let file: Vec<u32> = line.iter().rev().copied().chain([leader]).chain(behind).collect();
            let radii_m = file.iter().map(|&row| parts.bodies.columns.radii_m[row as usize]);
            let widest_m = radii_m.fold(0.0, f32::max);
            let spine = ahead.iter().rev().chain(&back[1..]).copied().collect();
            let passing = PassingFile { rows: Vec::new(), ways: vec![(spine, widest_m)] };
            return retreats(parts, grounds, &file, &passing, BACK_MAX_M).map(|(_, retreats)| retreats);
        }
        let last = back[back.len() - 1];
        let from = back.iter().rev().chain(ahead).find(|&&place| flat_distance(place, last) > APART_M)?;
        let (corner, end) = felt_on(ground, last, unit(flat(last - *from))?)?;
        back.extend([corner, end]);
    }
    None
}

/// Whether a place is wider than a lane: one can go a metre from it in five of twelve directions.
fn is_wide(ground: &GroundQuery<'_>, place: Vec3) -> bool {
    const RAYS: u8 = 12;
    const OPEN_RAYS: usize = 5;
    const LENGTH_M: f32 = 1.0;
    let is_clear = |ray: &u8| ground.clear(place, place + ray_of(*ray, RAYS) * LENGTH_M);
    (0..RAYS).filter(is_clear).count() >= OPEN_RAYS
}

/// The way that a leader has come from where its path begins, back from its place.
fn come_by(parts: &BackingParts<'_>, leader: u32, place: Vec3) -> Vec<Vec3> {
    let following = parts.walk_of(leader).and_then(|walk| walk.following.as_ref());
    let come = following.and_then(|way| way.path.points.get(..=way.cursor.segment as usize));
    std::iter::once(place).chain(come.unwrap_or_default().iter().rev().copied()).collect()
}

/// The longest straight line on from the end of a way, or from a little before its end round a corner, that
/// does not lead back: where it begins and ends.
fn felt_on(ground: &GroundQuery<'_>, last: Vec3, heading: Vec2) -> Option<(Vec3, Vec3)> {
    /// Rays in a whole turn.
    const RAYS: u8 = 72;
    /// Shorter ones lead nowhere, metres.
    const LEAST_M: f32 = 1.0;
    /// Cosine of the angle to the heading up to which a ray leads on: 100 degrees.
    const ONWARD: f32 = -0.17;
    let back = Vec3::new(heading.x, 0.0, heading.y) * -0.25;
    let is_on_way = |&begins: &Vec3| ground.clear(last, begins);
    let begins = (0..=4_u8).map(|step| last + back * f32::from(step)).take_while(is_on_way);
    let mut best: Option<(f32, Vec3, Vec3)> = None;
    for begins in begins {
        for ray in 0..RAYS {
            let way = ray_of(ray, RAYS);
            if flat(way).dot(heading) < ONWARD {
                continue;
            }
            let end = ground.last_clear(begins, begins + way * BACK_MAX_M);
            let length_m = flat_distance(begins, end);
            if length_m >= LEAST_M && best.is_none_or(|(best_m, ..)| length_m > best_m) {
                best = Some((length_m, begins, end));
            }
        }
    }
    best.map(|(_, begins, end)| (begins, end))
}

/// The followers that stand in a line on a way of their leader, nearest first, and do not back out yet.
fn in_line(parts: &BackingParts<'_>, leader: u32, way: &[Vec3]) -> Vec<u32> {
    let columns = &parts.bodies.columns;
    let radius_m = columns.radii_m[leader as usize];
    let mut line: Vec<u32> = Vec::new();
    let mut last = parts.place_of(leader);
    for place in places_on(way) {
        let mut found = Vec::new();
        let look = Lookup { per_cell_max: PER_CELL_MAX, salt: leader, but: u32::MAX };
        parts.near.visit(flat(place), 2.0 * radius_m + APART_M, look, |other, distance_m_sq| {
            let touch_m = radius_m + columns.radii_m[other as usize];
            let at = parts.place_of(other);
            let is_level = parts.bodies.are_level(other, leader);
            let is_in_the_way = other != leader && is_level && away_m(way, at) < touch_m;
            if is_in_the_way && !line.contains(&other) && follows(parts, other, leader) {
                found.push((distance_m_sq, other));
            }
        });
        sort_by_nearness(&mut found);
        line.extend(found.iter().map(|&(_, other)| other));
        if !found.is_empty() {
            last = place;
        }
        if line.len() >= FILE_MAX || flat_distance(last, place) > 2.0 * radius_m + LINE_GAP_M {
            break;
        }
    }
    line.truncate(FILE_MAX);
    line.retain(|&row| parts.walk_of(row).is_none_or(|walk| walk.backing_out.is_none()));
    line
}

/// Sorts rows of characters, each behind how far away it is: the nearest first, of equals the lower row.
pub(super) fn sort_by_nearness(found: &mut [(f32, u32)]) {
    ordered::sort_by(found, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
}

/// Places along a way, not far apart.
fn places_on(way: &[Vec3]) -> impl Iterator<Item = Vec3> + '_ {
    way.windows(2).flat_map(|leg| {
        let count = (flat_distance(leg[0], leg[1]) / APART_M).ceil().min(BACK_MAX_M / APART_M);
        // The cast saturates.
        (0..=count as u32).map(move |step| leg[0].lerp(leg[1], step as f32 / count.max(1.0)))
    })
}
