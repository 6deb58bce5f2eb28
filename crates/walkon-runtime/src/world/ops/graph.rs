//! Verbs about the points and links of a graph. The map changes in step 5, once for all edits of a tick.
//!
//! In: places. Out: numbers of points, and whether something changes. Holds: edits that wait for step 5 are
//! read back at once; a place means the point nearest to it, points that wait included. Not here: making
//! graphs (`nav/graph`), which walks look for a way again (`sim/edits`).

use glam::Vec3;

use crate::nav::GraphEdit;
use crate::nav::graph::{LINKS_MAX, POINTS_MAX, PointGraph};
use crate::world::World;
use crate::world::ops::OpError;

/// How far from a place a point of the graph may be that it stands for, metres.
pub const POINT_WITHIN_M: f32 = 8.0;
/// Edits of points and links that may wait for step 5 at a time.
pub const EDITS_MAX: usize = 4096;

/// Adds a point without links, and gives its number.
///
/// # Errors
/// On a map of another kind; when the graph or the edits of a tick are full.
pub fn add_point(world: &mut World, point: Vec3) -> Result<u32, OpError> {
    let count = graph(world)?.net().points().len() + added(world).count();
    if count >= POINTS_MAX {
        return Err(OpError::GraphFull { what: "points", max: POINTS_MAX });
    }
    push(world, GraphEdit::Add(point))?;
    Ok(count as u32)
}

/// Links the points nearest to two places, both ways; whether that is a change.
///
/// # Errors
/// On a map of another kind; when no point is near, or both places mean the same point; when the graph or the
/// edits of a tick are full.
pub fn link(world: &mut World, from: Vec3, to: Vec3) -> Result<bool, OpError> {
    let ends = ends(world, from, to)?;
    if is_linked(world, ends)? {
        return Ok(false);
    }
    let waiting = world.map.edits.graph.iter().filter(|edit| matches!(edit, GraphEdit::Link(_))).count();
    if graph(world)?.net().links().len() + waiting >= LINKS_MAX {
        return Err(OpError::GraphFull { what: "links", max: LINKS_MAX });
    }
    push(world, GraphEdit::Link(ends)).map(|()| true)
}

/// Takes away the link between the points nearest to two places; whether that is a change.
///
/// # Errors
/// As [`link`].
pub fn unlink(world: &mut World, from: Vec3, to: Vec3) -> Result<bool, OpError> {
    let ends = ends(world, from, to)?;
    if !is_linked(world, ends)? {
        return Ok(false);
    }
    push(world, GraphEdit::Unlink(ends)).map(|()| true)
}

fn graph(world: &World) -> Result<&PointGraph, OpError> {
    world.map.nav.graph().ok_or(OpError::NoGraph)
}

/// The points that wait for step 5.
fn added(world: &World) -> impl Iterator<Item = Vec3> + '_ {
    world.map.edits.graph.iter().filter_map(|edit| match edit {
        GraphEdit::Add(point) => Some(*point),
        GraphEdit::Link(_) | GraphEdit::Unlink(_) => None,
    })
}

fn push(world: &mut World, edit: GraphEdit) -> Result<(), OpError> {
    if world.map.edits.graph.len() >= EDITS_MAX {
        return Err(OpError::GraphFull { what: "edits waiting for step 5", max: EDITS_MAX });
    }
    world.map.edits.graph.push(edit);
    Ok(())
}

/// The points nearest to two places, the lower first.
fn ends(world: &World, from: Vec3, to: Vec3) -> Result<[u32; 2], OpError> {
    let (one, two) = (nearest(world, from)?, nearest(world, to)?);
    if one == two { Err(OpError::SamePoint { point: one }) } else { Ok([one.min(two), one.max(two)]) }
}

fn nearest(world: &World, place: Vec3) -> Result<u32, OpError> {
    let graph = graph(world)?;
    let count = graph.net().points().len() as u32;
    let waiting = (count..).zip(added(world).map(|point| point.distance(place)));
    let all = graph.nearest_point(place).into_iter().chain(waiting);
    match all.min_by(|one, two| one.1.total_cmp(&two.1)) {
        Some((at, away_m)) if away_m <= POINT_WITHIN_M => Ok(at),
        _ => Err(OpError::NoPointNear { place, within_m: POINT_WITHIN_M }),
    }
}

/// Whether two points are linked, as last asked for.
fn is_linked(world: &World, ends: [u32; 2]) -> Result<bool, OpError> {
    let asked = world.map.edits.graph.iter().rev().find_map(|edit| match edit {
        GraphEdit::Link(other) if *other == ends => Some(true),
        GraphEdit::Unlink(other) if *other == ends => Some(false),
        _ => None,
    });
    let graph = graph(world)?;
    Ok(asked.unwrap_or_else(|| graph.net().step(ends[0], ends[1]).is_some()))
}
