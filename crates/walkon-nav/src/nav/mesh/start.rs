//! The beginning of a path for a body that stands where it may not: in a closed door, after a push, after a
//! spawn in a wall.
//!
//! In: a point. Out: the point itself when legal, else the nearest legal place within eight metres in a clear
//! line. Holds: the line leaves the obstacle that the point lies in once, and crosses no wall after that; so
//! nobody is moved through a wall. Not here: goals, which may be moved anywhere within reach (`plan`).

use glam::Vec3;

use crate::base::geom::{self, Bounds, Point};
use crate::base::ordered;
use crate::nav::Traversal;
use crate::nav::mesh::NavMesh;
use crate::nav::mesh::build::MeshView;
use crate::nav::mesh::locate::{MeshSpot, distance_sq};
use crate::nav::mesh::polygon::length;
use crate::nav::mesh::topology::Topology;

/// How far a body that stands off the map may be from it, metres.
const SNAP_M: f64 = 8.0;

impl NavMesh {
    pub(super) fn start_in(&self, view: &MeshView, point: Vec3, by: &Traversal) -> Option<MeshSpot> {
        if !point.is_finite() {
            return None;
        }
        if let Some(spot) = view.surface.spot(point) {
            return Some(spot);
        }
        let bare = self.view(&Traversal { radius_m: 0.0, ..by.clone() });
        let at = geom::ground(point);
        let surface = &view.surface;
        let mut near: Vec<(f64, u32)> = Vec::new();
        surface.tree.visit(Bounds { min: at, max: at }.grown(SNAP_M), &mut |polygon| {
            let place = surface.nearest_on(polygon, at);
            let rise =
                if surface.is_flat { 0.0 } else { surface.height(polygon, place) - f64::from(point.y) };
            let away_sq = distance_sq(place, at);
            if away_sq <= SNAP_M * SNAP_M {
                near.push((away_sq + rise * rise, polygon));
            }
        });
        ordered::sort_by(&mut near, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let spots =
            near.into_iter().map(|(_, polygon)| MeshSpot { polygon, point: surface.nearest_on(polygon, at) });
        let mut spots = spots.filter(|spot| is_clear(&bare.surface, point, surface.raised(*spot)));
        spots.next()
    }
}

/// Whether a body may be moved from a place in a straight line to one on the ground.
fn is_clear(ground: &Topology, from: Vec3, to: Vec3) -> bool {
    let (start, end) = (geom::ground(from), geom::ground(to));
    if let Some(spot) = ground.spot(from) {
        return ground.line(spot, end, &mut |_, _, _| {}).is_clear;
    }
    let Some(spot) = ground.spot(to) else { return false };
    // Back from the ground to the first wall; from there on there must be none.
    let line = ground.line(spot, start, &mut |_, _, _| {});
    if line.is_clear {
        return true;
    }
    let left_m = length(line.end.point, start) - 10.0 * ground.tolerance_m;
    !crossings(ground, start, end).any(|place| length(place, start) < left_m)
}

/// Where a segment crosses walls.
fn crossings(ground: &Topology, from: Point, to: Point) -> impl Iterator<Item = Point> {
    let mut found = Vec::new();
    ground.wall_tree.visit(Bounds::of(&[from, to]), &mut |item| {
        let wall = ground.walls[item as usize];
        let (a, b) = (ground.from(wall), ground.to(wall));
        let (side_a, side_b) = (geom::cross(from, to, a), geom::cross(from, to, b));
        let (side_from, side_to) = (geom::cross(a, b, from), geom::cross(a, b, to));
        if (side_a > 0.0) != (side_b > 0.0) && (side_from > 0.0) != (side_to > 0.0) {
            let part = side_from / (side_from - side_to);
            found.push([from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])]);
        }
    });
    found.into_iter()
}
