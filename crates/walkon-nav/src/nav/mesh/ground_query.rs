//! Short questions about the ground under one kind of body, many to a tick, on meshes.
//!
//! In: a map, a traversal, once; places after that. Out: clear or not, how far, the walls nearby. Holds:
//! answers are those of the map; the view was found when it was made. Where floors lie above one another a
//! line is clear when it gets to the floor of its end. Not here: costs, paths.

use std::sync::Arc;

use glam::{Vec2, Vec3};

use crate::base::geom::{self, Bounds};
use crate::nav::Traversal;
use crate::nav::mesh::NavMesh;
use crate::nav::mesh::build::MeshView;
use crate::nav::mesh::walk::{LineResult, SAME_HEIGHT_M};

/// Walls this far above or below a place are those of another floor, metres.
const FLOOR_M: f64 = 1.5;

/// The polygons a body may stand on.
#[derive(Clone, Debug)]
pub(crate) struct MeshGroundQuery<'a> {
    map: &'a NavMesh,
    view: Arc<MeshView>,
    by: Traversal,
}

impl<'a> MeshGroundQuery<'a> {
    pub(crate) fn new(map: &'a NavMesh, by: &Traversal) -> Self {
        Self { map, view: map.view(by), by: by.clone() }
    }

    pub(crate) fn is_walkable(&self, place: Vec3) -> bool {
        self.view.surface.spot(place).is_some()
    }

    /// The same place at the height of the ground below or above it, the nearest; as it is where there is
    /// none.
    pub(crate) fn grounded(&self, place: Vec3) -> Vec3 {
        let surface = &self.view.surface;
        let y = surface.spot(place).map(|spot| surface.height(spot.polygon, spot.point) as f32);
        Vec3::new(place.x, y.unwrap_or(place.y), place.z)
    }

    /// The line, when it begins on the ground.
    fn line(&self, from: Vec3, to: Vec3) -> Option<LineResult> {
        let surface = &self.view.surface;
        let spot = surface.spot(from).filter(|_| to.is_finite())?;
        let line = surface.line(spot, geom::ground(to), &mut |_, _, _| {});
        if !line.is_clear || surface.is_flat {
            return Some(line);
        }
        let there = surface.spot(to).map(|there| surface.height(there.polygon, there.point));
        let y = surface.height(line.end.polygon, line.end.point);
        let is_clear = there.is_some_and(|there| (there - y).abs() <= SAME_HEIGHT_M);
        Some(LineResult { is_clear, ..line })
    }

    pub(crate) fn clear(&self, from: Vec3, to: Vec3) -> bool {
        self.line(from, to).is_some_and(|line| line.is_clear)
            && self.by.wrong_way(from, to, self.map.gate()).is_none()
    }

    pub(crate) fn sight(&self, from: Vec3, to: Vec3) -> (bool, Vec3) {
        let wrong = self.by.wrong_way(from, to, self.map.gate());
        let end = wrong.map_or(to, |wrong| wrong.before(from, to));
        let surface = &self.view.surface;
        let Some(line) = self.line(from, end) else { return (false, from) };
        let y = surface.height(line.end.polygon, line.end.point) as f32;
        match line.is_clear {
            true => (wrong.is_none(), Vec3::new(end.x, y, end.z)),
            false => (false, surface.raised(line.end)),
        }
    }

    pub(crate) fn last_clear(&self, from: Vec3, to: Vec3) -> Vec3 {
        self.sight(from, to).1
    }

    /// A look-up of the polygon and a few edges.
    #[allow(clippy::unused_self)]
    pub(crate) fn price(&self, _place: Vec3) -> u32 {
        2
    }

    pub(crate) fn is_open(&self, place: Vec3, reach_m: f32) -> bool {
        let mut walls = Vec::new();
        self.walls(place, f64::from(reach_m), &mut walls);
        walls.is_empty() && self.by.one_way().is_empty() && self.is_walkable(place)
    }

    /// The walls near a place that face it, in order of edge.
    fn walls(&self, place: Vec3, reach_m: f64, out: &mut Vec<u32>) {
        let surface = &self.view.surface;
        let at = geom::ground(place);
        if !(at[0].is_finite() && at[1].is_finite()) {
            return;
        }
        surface.wall_tree.visit(Bounds { min: at, max: at }.grown(reach_m), &mut |item| {
            let wall = surface.walls[item as usize];
            let (a, b) = (surface.from(wall), surface.to(wall));
            let faces =
                geom::cross(a, b, at) >= -surface.tolerance_m * geom::segment_distance_sq(b, a, a).sqrt();
            let is_near = geom::segment_distance_sq(at, a, b) <= reach_m * reach_m;
            let rise = || {
                let corners = [wall, surface.next(wall)].map(|edge| surface.ring[edge as usize] as usize);
                corners
                    .map(|corner| (surface.heights[corner] - f64::from(place.y)).abs())
                    .into_iter()
                    .fold(f64::INFINITY, f64::min)
            };
            if faces && is_near && (surface.is_flat || rise() <= FLOOR_M) {
                out.push(wall);
            }
        });
        out.sort_unstable();
    }

    pub(crate) fn walls_near(&self, place: Vec3, reach_m: f32, out: &mut Vec<[Vec2; 2]>) {
        let mut walls = Vec::new();
        self.walls(place, f64::from(reach_m), &mut walls);
        let surface = &self.view.surface;
        let flat = |point: [f64; 2]| Vec2::new(point[0] as f32, point[1] as f32);
        out.extend(walls.into_iter().map(|wall| [flat(surface.from(wall)), flat(surface.to(wall))]));
    }
}
