//! Point location: the polygon that holds a point, and the nearest one.
//!
//! In: points. Out: polygons and points on them. Holds: where floors lie above one another the nearest in
//! height is taken, ties go to the lower polygon, and where that floor is blocked there is nothing; a point
//! outside by less than the tolerance counts as inside. Cost: the depth of the tree.

use glam::Vec3;

use crate::base::geom::{self, Bounds, Point};
use crate::nav::mesh::topology::Topology;

/// A point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MeshSpot {
    pub(crate) polygon: u32,
    pub(crate) point: Point,
}

impl Topology {
    /// The polygon that holds a point, and the nearest point of it.
    pub(crate) fn spot(&self, place: Vec3) -> Option<MeshSpot> {
        let point = geom::ground(place);
        if !(point[0].is_finite() && point[1].is_finite()) {
            return None;
        }
        let floor = match &self.whole {
            Some(whole) => Some(whole.spot(place)?),
            None => None,
        };
        let window = Bounds { min: point, max: point }.grown(self.tolerance_m);
        let mut best: Option<((f64, f64, u32), MeshSpot)> = None;
        self.tree.visit(window, &mut |polygon| {
            let nearest = if self.contains(polygon, point) { point } else { self.nearest_on(polygon, point) };
            let away = [nearest[0] - point[0], nearest[1] - point[1]];
            let away_sq = away[0] * away[0] + away[1] * away[1];
            if away_sq > self.tolerance_m * self.tolerance_m {
                return;
            }
            let rise = match self.is_flat {
                true => 0.0,
                false => (self.height(polygon, nearest) - f64::from(place.y)).abs(),
            };
            if floor.is_some_and(|floor| !self.is_on(floor, MeshSpot { polygon, point: nearest })) {
                return;
            }
            let rank = (rise, away_sq, polygon);
            if best.is_none_or(|best| rank < best.0) {
                best = Some((rank, MeshSpot { polygon, point: nearest }));
            }
        });
        best.map(|best| best.1)
    }

    /// Whether a place lies on the same floor as another one, on the surface that this was cut out of.
    fn is_on(&self, floor: MeshSpot, place: MeshSpot) -> bool {
        let Some(whole) = &self.whole else { return true };
        let own = whole.spot(self.raised(place));
        own.is_some_and(|own| {
            let rise = || whole.height(own.polygon, own.point) - whole.height(floor.polygon, floor.point);
            own.polygon == floor.polygon || rise().abs() <= f64::from(geom::STOREY_M)
        })
    }

    /// Whether a polygon holds a point, its edges included.
    #[inline]
    pub(crate) fn contains(&self, polygon: u32, point: Point) -> bool {
        let edges = self.edges(polygon);
        let ring = &self.ring[edges.start as usize..edges.end as usize];
        let mut a = self.points[ring[ring.len() - 1] as usize];
        ring.iter().all(|&corner| {
            let b = self.points[corner as usize];
            let inside = geom::cross(a, b, point) >= 0.0;
            a = b;
            inside
        })
    }

    /// The point of a polygon nearest to a point outside it.
    pub(crate) fn nearest_on(&self, polygon: u32, point: Point) -> Point {
        if self.contains(polygon, point) {
            return point;
        }
        let mut best = (f64::INFINITY, point);
        for edge in self.edges(polygon) {
            let near = geom::nearest_on_segment(point, self.from(edge), self.to(edge));
            let away_sq = distance_sq(near, point);
            if away_sq < best.0 {
                best = (away_sq, near);
            }
        }
        best.1
    }

    /// The place nearest to a point, on the ground within a distance and by height where there are several
    /// floors, among the polygons that are accepted.
    pub(crate) fn nearest_spot(
        &self,
        place: Vec3,
        within_m: f64,
        accept: impl Fn(u32) -> bool,
    ) -> Option<MeshSpot> {
        let point = geom::ground(place);
        if !(point[0].is_finite() && point[1].is_finite()) {
            return None;
        }
        let mut measure = |polygon: u32| {
            if !accept(polygon) {
                return None;
            }
            let near = self.nearest_on(polygon, point);
            let away_sq = distance_sq(near, point);
            if away_sq > within_m * within_m {
                return None;
            }
            let rise = if self.is_flat { 0.0 } else { self.height(polygon, near) - f64::from(place.y) };
            Some(away_sq + rise * rise)
        };
        let found = self.tree.nearest(point, f64::INFINITY, &mut measure);
        found.map(|(_, polygon)| MeshSpot { polygon, point: self.nearest_on(polygon, point) })
    }

    /// A place as it is handed out.
    pub(crate) fn raised(&self, spot: MeshSpot) -> Vec3 {
        geom::raise(spot.point, self.height(spot.polygon, spot.point))
    }
}

pub(crate) fn distance_sq(a: Point, b: Point) -> f64 {
    let (dx, dz) = (b[0] - a[0], b[1] - a[1]);
    dx * dx + dz * dz
}
