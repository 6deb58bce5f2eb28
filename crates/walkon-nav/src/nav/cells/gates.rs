//! Ground that may be crossed in one direction only, on cells.
//!
//! In: a line, the one-way areas of a traversal. Out: the first that the line crosses the wrong way, and
//! where. Not here: the rule (`traversal`).

use glam::Vec3;

use crate::base::ids::AreaId;
use crate::nav::Traversal;
use crate::nav::cells::CellMap;
use crate::nav::traversal::WrongWay;

impl CellMap {
    /// The first one-way area that a straight line crosses the wrong way.
    pub(super) fn wrong_way(&self, from: Vec3, to: Vec3, by: &Traversal) -> Option<WrongWay> {
        by.wrong_way(from, to, |area, point| self.terrain.is_around(area, point))
    }

    /// The first area that a way of straight lines crosses the wrong way.
    pub(super) fn wrong_way_along(&self, points: &[Vec3], by: &Traversal) -> Option<AreaId> {
        by.wrong_way_along(points, |area, point| self.terrain.is_around(area, point))
    }
}
