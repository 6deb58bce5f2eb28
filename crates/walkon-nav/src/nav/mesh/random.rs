//! Random points to walk to, on meshes.
//!
//! In: a disc, an area, a place it must be reachable from, a stream. Out: a point. Holds: uniform over the
//! disc; when drawing misses, a point of a random polygon among those that qualify, larger ones more often;
//! the same stream gives the same points.

use glam::Vec3;

use crate::base::geom::{self, Point};
use crate::base::rng::Rng;
use crate::base::trig;
use crate::nav::mesh::NavMesh;
use crate::nav::mesh::build::MeshView;
use crate::nav::mesh::locate::MeshSpot;
use crate::nav::reached_labels::ReachedLabels;
use crate::nav::smooth::Effort;
use crate::nav::{Backend, RandomPoint};

/// What it takes to try a point, and to see whether a polygon would do.
const DRAW_EFFORT: u64 = 256;
const CHOICE_EFFORT: u64 = 32;

impl NavMesh {
    /// A random point; None only when none qualifies.
    #[must_use]
    pub(crate) fn draw_point(&self, query: &RandomPoint, rng: &mut Rng, effort: &Effort) -> Option<Vec3> {
        // Where areas have a direction, what lies between them is reached as a whole or not at all.
        let walled = query.reachable_from.and_then(|_| query.by.walled());
        let view = self.view(walled.as_ref().unwrap_or(&query.by));
        let reached = match query.reachable_from {
            None => None,
            Some(from) => {
                let whole = self.view(&query.by);
                let start = self.start_in(&whole, from.point, &query.by)?;
                let own = whole.surface.label[start.polygon as usize];
                Some(ReachedLabels::new(from.point, &query.by, [own]))
            }
        };
        let admits = |polygon: u32| {
            let (surface, set) = (&view.surface, &view.sets[view.surface.owner[polygon as usize] as usize]);
            let middle = || surface.raised(MeshSpot { polygon, point: surface.centre(polygon) });
            query.area.is_none_or(|area| set.contains(&area.0))
                && reached.as_ref().is_none_or(|reached| {
                    reached.holds(surface.label[polygon as usize], self, middle, effort)
                })
        };
        let drawn = (0..query.attempts).find_map(|_| {
            effort.add(DRAW_EFFORT);
            let point = self.draw(query, rng)?;
            let spot = view
                .surface
                .spot(geom::raise(point, query.centre.map_or(0.0, |centre| f64::from(centre.y))))?;
            let place = view.surface.raised(spot);
            let inside =
                query.centre.is_none_or(|centre| geom::flat_distance(centre, place) <= query.within_m);
            (inside && admits(spot.polygon)).then_some(place)
        });
        drawn.or_else(|| {
            effort.add(CHOICE_EFFORT * u64::from(view.surface.polygon_count()));
            choose(&view, query, &admits, rng)
        })
    }

    fn draw(&self, query: &RandomPoint, rng: &mut Rng) -> Option<Point> {
        if let Some(centre) = query.centre {
            let angle_rad = (rng.unit() * std::f64::consts::TAU) as f32;
            let away = libm::sqrt(rng.unit()) * f64::from(query.within_m.max(0.0));
            let [x, z] = geom::ground(centre);
            return Some([
                x + away * f64::from(trig::cos(angle_rad)),
                z + away * f64::from(trig::sin(angle_rad)),
            ]);
        }
        let area = query.area.and_then(|area| self.source.areas.get(area.index()));
        let bounds = area.map_or(self.bounds(), |area| area.bounds);
        let [width, depth] = [0, 1].map(|axis| bounds.max[axis] - bounds.min[axis]);
        let point = [bounds.min[0] + rng.unit() * width, bounds.min[1] + rng.unit() * depth];
        (!bounds.is_empty()).then_some(point)
    }
}

/// A point of a polygon that qualifies: of the whole, or the one nearest to the middle of the disc.
fn choose(view: &MeshView, query: &RandomPoint, admits: &dyn Fn(u32) -> bool, rng: &mut Rng) -> Option<Vec3> {
    let surface = &view.surface;
    let reaches = |polygon: u32| {
        query.centre.is_none_or(|centre| {
            let at = geom::ground(centre);
            let near = surface.nearest_on(polygon, at);
            geom::flat_distance(geom::raise(near, 0.0), geom::raise(at, 0.0)) <= query.within_m
        })
    };
    let all: Vec<u32> =
        (0..surface.polygon_count()).filter(|&polygon| admits(polygon) && reaches(polygon)).collect();
    let whole: f64 = all.iter().map(|&polygon| surface.area(polygon)).sum();
    let mut left = rng.unit() * whole;
    let chosen = all.iter().copied().find(|&polygon| {
        left -= surface.area(polygon);
        left <= 0.0
    });
    let polygon = chosen.or(all.last().copied())?;
    let point = inside(surface, polygon, rng);
    let is_in = |point: Point| {
        query.centre.is_none_or(|centre| {
            geom::flat_distance(geom::raise(point, 0.0), Vec3::new(centre.x, 0.0, centre.z)) <= query.within_m
        })
    };
    let point = match query.centre {
        Some(centre) if !is_in(point) => surface.nearest_on(polygon, geom::ground(centre)),
        _ => point,
    };
    Some(geom::raise(point, surface.height(polygon, point)))
}

/// A uniform point of a convex polygon: of one of the triangles of its fan.
fn inside(surface: &crate::nav::mesh::topology::Topology, polygon: u32, rng: &mut Rng) -> Point {
    let corners: Vec<Point> = surface.outline(polygon).collect();
    let mut left = rng.unit() * surface.area(polygon) * 2.0;
    let [mut a, mut b] = [rng.unit(), rng.unit()];
    if a + b > 1.0 {
        (a, b) = (1.0 - a, 1.0 - b);
    }
    let mut fan = [corners[0], corners[1], corners[2]];
    for pair in corners.windows(2).skip(1) {
        fan = [corners[0], pair[0], pair[1]];
        left -= geom::cross(fan[0], fan[1], fan[2]);
        if left <= 0.0 {
            break;
        }
    }
    let at =
        |axis: usize| fan[0][axis] + a * (fan[1][axis] - fan[0][axis]) + b * (fan[2][axis] - fan[0][axis]);
    [at(0), at(1)]
}
