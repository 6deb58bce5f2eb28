//! Leads a body that stands where it may not (in a closed door, in a wall) back onto the ground.
//!
//! In: a point. Out: the point itself when legal, else the nearest legal place within eight metres in a clear
//! line. Holds: the line leaves the obstacle that the point lies in once, and crosses no wall after that, nor
//! what lies between areas; so it moves nobody through a wall. Not here: goals, which may be moved anywhere
//! within reach (`plan`).

use glam::Vec3;

use crate::base::geom::{self, Bounds, Point, Segment};
use crate::base::ordered;
use crate::nav::Traversal;
use crate::nav::mesh::NavMesh;
use crate::nav::mesh::build::{AreaOutline, MeshView};
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
        let way_out = WayOut::new(self, point, by);
        let mut spots = spots.filter(|spot| {
            is_clear(&bare.surface, point, surface.raised(*spot)) && way_out.leads_to(spot.point)
        });
        spots.next()
    }
}

/// The ground that a body may cross on its way out of where it may not stand: of areas that it may stand on,
/// and of those that it stands in. Everything beside them is a wall.
struct WayOut<'a> {
    from: Point,
    /// None where the ground does not consist of areas.
    areas: Option<Vec<&'a AreaOutline>>,
}

impl<'a> WayOut<'a> {
    fn new(mesh: &'a NavMesh, point: Vec3, by: &Traversal) -> Self {
        let (from, y) = (geom::ground(point), mesh.floor_of(point));
        let around = Bounds { min: from, max: from }.grown(SNAP_M);
        let is_own =
            |area: usize, outline: &AreaOutline| mesh.may_stand_in(area, by) || outline.holds(from, y);
        let areas = mesh.source.ground.is_none().then(|| {
            let near = mesh.source.areas.iter().enumerate();
            let near = near.filter(|(_, outline)| outline.bounds.overlaps(&around));
            near.filter(|&(area, outline)| is_own(area, outline)).map(|(_, outline)| outline).collect()
        });
        Self { from, areas }
    }

    /// Whether a straight line leads there over such ground; one that begins beside all of it may come onto
    /// it once. Cost: the corners of the areas nearby.
    fn leads_to(&self, to: Point) -> bool {
        let Some(areas) = &self.areas else { return true };
        let line = Segment { from: self.from, to };
        let edges = areas.iter().flat_map(|outline| geom::edges(&outline.polygon));
        let mut cuts: Vec<f64> = edges.filter_map(|edge| cut(line, edge)).chain([0.0, 1.0]).collect();
        ordered::sort_by(&mut cuts, f64::total_cmp);
        let between = cuts.windows(2).filter(|ends| ends[1] - ends[0] > SLIVER);
        let mut is_leaving = true;
        let mut is_ground = between.map(|ends| {
            let place = along(line, f64::midpoint(ends[0], ends[1]));
            areas.iter().any(|outline| geom::polygon_contains(&outline.polygon, place))
        });
        is_ground.all(|is_ground| {
            is_leaving &= !is_ground;
            is_ground || is_leaving
        })
    }
}

/// Less than this part of a line is what rounding makes.
const SLIVER: f64 = 1e-6;

/// At which part of a line an edge crosses it, if it does.
fn cut(line: Segment<Point>, edge: Segment<Point>) -> Option<f64> {
    let (side_a, side_b) =
        (geom::cross(line.from, line.to, edge.from), geom::cross(line.from, line.to, edge.to));
    let (begin, end) = (geom::cross(edge.from, edge.to, line.from), geom::cross(edge.from, edge.to, line.to));
    ((side_a > 0.0) != (side_b > 0.0) && (begin > 0.0) != (end > 0.0)).then(|| begin / (begin - end))
}

/// The place at a part of a line.
fn along(Segment { from, to }: Segment<Point>, part: f64) -> Point {
    [from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])]
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
        let edge = Segment { from: ground.from(wall), to: ground.to(wall) };
        let line = Segment { from, to };
        found.extend(cut(line, edge).map(|part| along(line, part)));
    });
    found.into_iter()
}
