//! Ground that may be crossed in one direction only, on cells.
//!
//! In: a line, the one-way areas of a traversal. Out: the first that the line crosses the wrong way, and
//! where. Not here: the rule (`traversal`).

use glam::Vec3;

use crate::base::geom;
use crate::base::ids::AreaId;
use crate::nav::Traversal;
use crate::nav::cell::Cell;
use crate::nav::cells::CellMap;
use crate::nav::traversal::WrongWay;

impl CellMap {
    /// The first one-way area that a straight line crosses the wrong way.
    pub(super) fn wrong_way(&self, from: Vec3, to: Vec3, by: &Traversal) -> Option<WrongWay> {
        by.wrong_way(from, to, |area, point| self.is_around(area, point))
    }

    /// The first area that a way of straight lines crosses the wrong way.
    pub(super) fn wrong_way_along(&self, points: &[Vec3], by: &Traversal) -> Option<AreaId> {
        by.wrong_way_along(points, |area, point| self.is_around(area, point))
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
