//! The ground of a mesh as plain values, for pictures and reports.
//!
//! In: a mesh, a body. Out: polygons, edges and borders of its ground, as plain values. Holds: looking
//! changes nothing. Not here: drawing them.

use glam::Vec3;

use crate::base::geom::{self, Point};
use crate::base::ids::AreaId;
use crate::nav::Traversal;
use crate::nav::mesh::NavMesh;
use crate::nav::mesh::topology::NONE;

/// A polygon of the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Its corners, world metres, the inside to the left.
    pub outline: Vec<Point>,
    /// Their heights, metres.
    pub heights_m: Vec<f64>,
    /// Height of its middle, metres.
    pub y_m: f64,
    /// Cost of a metre in it over a metre of plain ground.
    pub factor: f32,
}

/// A corner of the ground, and its height, metres.
pub type Corner = (Point, f64);

impl NavMesh {
    /// The ground of a body, polygon by polygon: the one at place n is the node n of its searches. Cost: per
    /// corner.
    #[must_use]
    pub fn patches(&self, by: &Traversal) -> Vec<Patch> {
        let view = self.view(by);
        let prices = self.prices(&view, by);
        let patch = |polygon: u32| Patch {
            outline: view.surface.outline(polygon).collect(),
            heights_m: view.surface.edges(polygon).map(|edge| view.surface.height_from(edge)).collect(),
            y_m: view.surface.height(polygon, view.surface.centre(polygon)),
            factor: prices.factor(polygon) as f32,
        };
        (0..view.surface.polygon_count()).map(patch).collect()
    }

    /// The edges across which a body gets from one polygon to another, each once. Cost: per edge.
    #[must_use]
    pub fn portals(&self, by: &Traversal) -> Vec<[Corner; 2]> {
        let view = self.view(by);
        let surface = &view.surface;
        let edges = (0..surface.ring.len() as u32).filter(|&edge| {
            let twin = surface.twin[edge as usize];
            twin != NONE && edge < twin
        });
        edges.map(|edge| surface.corners(edge)).collect()
    }

    /// The edges at which the ground of a body ends. Cost: per edge.
    #[must_use]
    pub fn rims(&self, by: &Traversal) -> Vec<[Corner; 2]> {
        let view = self.view(by);
        view.surface.walls.iter().map(|&edge| view.surface.corners(edge)).collect()
    }

    /// Height of its floor, metres; None where it has several.
    #[must_use]
    pub fn floor_y_m(&self) -> Option<f64> {
        match &self.source.ground {
            None => Some(self.source.floor_y_m),
            Some(ground) => ground.heights.first().copied().filter(|_| ground.is_flat),
        }
    }

    /// A place in an area where a body can stand; None when there is none.
    #[must_use]
    pub fn place_in(&self, area: AreaId, by: &Traversal) -> Option<Vec3> {
        let view = self.view(by);
        let surface = &view.surface;
        let is_in = |polygon: &u32| view.sets[surface.owner[*polygon as usize] as usize].contains(&area.0);
        let polygon = (0..surface.polygon_count()).find(is_in)?;
        let centre = surface.centre(polygon);
        Some(geom::raise(centre, surface.height(polygon, centre)))
    }
}
