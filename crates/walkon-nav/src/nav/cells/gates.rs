//! Ground that may be crossed in one direction only.
//!
//! In: a line, the one-way areas of a traversal. Out: the first that the line crosses the wrong way, and
//! where. Holds: only the line through the middle of an area counts, so one may step into it from either side
//! and turn back.

use glam::Vec3;

use crate::base::geom;
use crate::base::ids::AreaId;
use crate::nav::cell::Cell;
use crate::nav::cells::CellMap;
use crate::nav::{OneWay, Traversal};

/// Where a line goes the wrong way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WrongWay {
    pub(crate) area: AreaId,
    /// Between 0 at the beginning of the segment and 1 at its end.
    pub(crate) part: f32,
}

impl CellMap {
    /// The first one-way area that a straight line crosses the wrong way.
    pub(super) fn wrong_way(&self, from: Vec3, to: Vec3, by: &Traversal) -> Option<WrongWay> {
        let crossed = by.one_way().iter().filter_map(|gate| {
            let (before, after) = (beyond(gate, from), beyond(gate, to));
            if before <= 0.0 || after > 0.0 {
                return None;
            }
            let part = (before / (before - after)) as f32;
            self.is_around(gate.area, from.lerp(to, part)).then_some(WrongWay { area: gate.area, part })
        });
        crossed.min_by(|a, b| a.part.total_cmp(&b.part))
    }

    /// The first area that a way of straight lines crosses the wrong way.
    pub(super) fn wrong_way_along(&self, points: &[Vec3], by: &Traversal) -> Option<AreaId> {
        if by.one_way().is_empty() {
            return None;
        }
        points.windows(2).find_map(|pair| self.wrong_way(pair[0], pair[1], by)).map(|found| found.area)
    }

    /// Whether an area holds a point, or the cell around it.
    fn is_around(&self, area: AreaId, point: Vec3) -> bool {
        let outline = self.area_outline(area);
        let cell = self.cell_of(point);
        outline.is_some_and(|polygon| geom::polygon_contains(polygon, geom::ground(point)))
            || cell.is_some_and(|Cell { x, z }| {
                self.terrain.area(area.index()).is_some_and(|spans| spans.contains(x, z))
            })
    }
}

/// How far a point lies beyond the middle of a gate, in its direction; its length does not matter.
fn beyond(gate: &OneWay, point: Vec3) -> f64 {
    let (dx, dz) = (f64::from(point.x - gate.middle.x), f64::from(point.z - gate.middle.z));
    dx * f64::from(gate.direction[0]) + dz * f64::from(gate.direction[1])
}
