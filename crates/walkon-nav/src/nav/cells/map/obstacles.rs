//! Obstacles that are added to a grid after it was made.
//!
//! In: circles on the ground. Out: obstacles under numbers, which an edit puts in force. Holds: the numbers
//! go on from those of what the grid was made with; one that nobody uses any more is given again. Not here:
//! edits (`backend`).

use std::sync::Arc;

use glam::Vec3;

use super::CellMap;
use crate::base::geom::{self, Bounds};
use crate::base::ids::AreaId;
use crate::nav::Disc;
use crate::nav::backend::obstacle_disc;
use crate::nav::cells::raster::{self, Window};

impl CellMap {
    /// The number for another obstacle: that of one added before which is neither used nor in force, else the
    /// next.
    pub(crate) fn free_obstacle(&self, used: &[AreaId], is_in_force: impl Fn(AreaId) -> bool) -> AreaId {
        self.states.free_obstacle(used, is_in_force)
    }

    /// Whether an area or obstacle is there.
    pub(crate) fn is_in_force(&self, id: AreaId) -> bool {
        self.states.is_in_force(id)
    }

    /// Whether an area or obstacle holds any of the ground.
    pub(crate) fn has_ground(&self, id: AreaId) -> bool {
        self.terrain.footprint(id.index()).is_some()
    }

    /// Puts an obstacle of all cells whose middle lies within a distance of a point under a number, which is
    /// that of one added before or the next; of none where there is no point. Cost: the cells around it.
    pub(crate) fn lay_obstacle(&mut self, id: AreaId, centre: Option<Vec3>, radius_m: f32) {
        let disc = centre.and_then(|centre| obstacle_disc(centre, radius_m));
        let cells = disc.map(|disc| self.cells_within(&disc)).unwrap_or_default();
        let cells = raster::of_list(self.frame(), &cells);
        Arc::make_mut(&mut self.terrain).put_obstacle(id.index(), cells);
        if id.index() == self.states.len() {
            self.states.add_obstacle();
        }
    }

    /// Row and column of the cells whose middle lies within a distance of a point.
    fn cells_within(&self, disc: &Disc) -> Vec<[u32; 2]> {
        let (frame, middle, radius_m) = (self.frame(), geom::ground(disc.centre), f64::from(disc.radius_m));
        let window = Window::around(frame, Bounds { min: middle, max: middle }.grown(radius_m));
        let mut cells = Vec::new();
        for z in window.first_z..window.end_z {
            for x in window.first_x..window.end_x {
                let [dx, dz] = [0, 1].map(|axis| frame.centre(x, z)[axis] - middle[axis]);
                if dx * dx + dz * dz <= radius_m * radius_m {
                    cells.push([z, x]);
                }
            }
        }
        cells
    }
}
