//! Ground that may be crossed in one direction only, on meshes; the rule is that of the grids.
//!
//! In: lines, the one-way areas of a traversal. Out: the first area that is crossed the wrong way. Not here:
//! looking for another way (`plan`).

use glam::Vec3;

use crate::base::geom;
use crate::base::ids::AreaId;
use crate::nav::mesh::NavMesh;
use crate::nav::{OneWay, Traversal};

impl NavMesh {
    /// The first one-way area that a straight line crosses the wrong way, and where along the line, 0 to 1.
    pub(super) fn wrong_way(&self, from: Vec3, to: Vec3, by: &Traversal) -> Option<(AreaId, f32)> {
        let crossed = by.one_way().iter().filter_map(|gate| {
            let (before, after) = (beyond(gate, from), beyond(gate, to));
            if before <= 0.0 || after > 0.0 {
                return None;
            }
            let part = (before / (before - after)) as f32;
            let around = self.area_outline(gate.area)?;
            geom::polygon_contains(around, geom::ground(from.lerp(to, part))).then_some((gate.area, part))
        });
        crossed.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The first area that a way of straight lines crosses the wrong way.
    pub(super) fn wrong_way_along(&self, points: &[Vec3], by: &Traversal) -> Option<AreaId> {
        if by.one_way().is_empty() {
            return None;
        }
        points.windows(2).find_map(|pair| self.wrong_way(pair[0], pair[1], by)).map(|found| found.0)
    }
}

/// How far a point lies beyond the middle of a gate, in its direction; its length does not matter.
fn beyond(gate: &OneWay, point: Vec3) -> f64 {
    let (dx, dz) = (f64::from(point.x - gate.middle.x), f64::from(point.z - gate.middle.z));
    dx * f64::from(gate.direction[0]) + dz * f64::from(gate.direction[1])
}
