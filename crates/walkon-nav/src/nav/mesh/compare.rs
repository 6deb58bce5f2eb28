//! Runs the two searches over polygons side by side, for measurements.
//!
//! In: a map, a body, two places. Out: the length of the line that each finds: the shortest at any angle, and
//! the funnel through the polygons that A* over the middles of edges chooses. Holds: both walk on the same
//! polygons and find the places alike. Not here: costs of areas, others in the way, starts off the ground:
//! `plan` knows those.

use std::sync::Arc;

use glam::Vec3;

use crate::base::geom::Point;
use crate::nav::Traversal;
use crate::nav::mesh::NavMesh;
use crate::nav::mesh::build::MeshView;
use crate::nav::mesh::corridor::Corridor;
use crate::nav::mesh::locate::MeshSpot;
use crate::nav::mesh::polyanya::{Polyanya, Tolls};
use crate::nav::mesh::polygon::length;
use crate::nav::mesh::traversal_cost::TraversalCosts;
use crate::nav::search_state::SearchStep;

/// Both searches over the ground of one body.
#[derive(Debug)]
pub struct Compared {
    view: Arc<MeshView>,
    polyanya: Polyanya,
    corridor: Corridor,
    even: TraversalCosts,
    line: Vec<Point>,
}

impl NavMesh {
    /// Both searches over the ground of a body, without regard to costs.
    #[must_use]
    pub fn compared(&self, by: &Traversal) -> Compared {
        Compared {
            view: self.view(by),
            polyanya: Polyanya::default(),
            corridor: Corridor::default(),
            even: TraversalCosts::default(),
            line: Vec::new(),
        }
    }
}

impl Compared {
    /// Both places on the ground, when one can be reached from the other.
    fn ends(&self, from: Vec3, to: Vec3) -> Option<(MeshSpot, MeshSpot)> {
        let surface = &self.view.surface;
        let (from, to) = (surface.spot(from)?, surface.spot(to)?);
        let labels = [from, to].map(|spot| surface.label[spot.polygon as usize]);
        (labels[0] == labels[1]).then_some((from, to))
    }

    /// Metres of the shortest line between two places; None when there is none.
    pub fn any_angle_m(&mut self, from: Vec3, to: Vec3) -> Option<f64> {
        let (from, to) = self.ends(from, to)?;
        let surface = &self.view.surface;
        self.polyanya.begin(surface, Tolls::default(), from, to);
        if self.polyanya.step(surface, Tolls::default(), u32::MAX) != SearchStep::Found {
            return None;
        }
        self.polyanya.points(&mut self.line);
        Some(long(&self.line))
    }

    /// Metres of the line that a funnel makes of the way through the middles of edges; None when there is
    /// none.
    pub fn funnel_m(&mut self, from: Vec3, to: Vec3) -> Option<f64> {
        let (from, to) = self.ends(from, to)?;
        let surface = &self.view.surface;
        self.corridor.begin(surface, &self.even, from, to);
        if self.corridor.step(surface, &self.even, u32::MAX) != SearchStep::Found {
            return None;
        }
        self.corridor.points(surface, &mut self.line);
        Some(long(&self.line))
    }
}

fn long(line: &[Point]) -> f64 {
    line.windows(2).map(|pair| length(pair[0], pair[1])).sum()
}
