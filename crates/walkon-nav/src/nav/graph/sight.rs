//! Visibility over points and links.
//!
//! Holds: in a scene a look goes from eye to eye and its triangles hide; without one it goes along the ground
//! beside links, open or not. Obstacles across links hide by their polygons: a closed door where it is, not
//! all along its link. Not here: what hides by rule (`nav::sight`).

use glam::Vec3;

use crate::base::geom::{Bounds, STOREY_M, Segment};
use crate::nav::graph::ground_query::GraphGroundQuery;
use crate::nav::graph::map::PointGraph;
use crate::nav::sight::{AlongEdge, GroundLine, Look, SightScreen};
use crate::nav::smooth::Effort;
use crate::nav::{Backend, Traversal};

/// How high over the ground looks begin and end in a scene, metres.
const EYE_M: f32 = 1.5;

impl PointGraph {
    pub(super) fn sees_over(&self, look: &Look<'_>) -> bool {
        let Some(line) = GroundLine::new(look.from, look.to) else { return false };
        let is_clear = match &self.scene {
            Some(scene) => scene.is_clear(look.from + Vec3::Y * EYE_M, look.to + Vec3::Y * EYE_M),
            None => {
                let ground = GraphGroundQuery::new(self, &Traversal::default());
                ground.sight_over(Segment { from: look.from, to: look.to }, &|_| true, &Effort::endless()).0
            }
        };
        is_clear && !self.is_hidden(look, &line)
    }

    /// Whether an area or an obstacle of the level hides what is looked at.
    fn is_hidden(&self, look: &Look<'_>, line: &GroundLine) -> bool {
        let mut walls = Vec::new();
        for (at, area) in self.laid_areas().iter().enumerate() {
            let is_there = self.area_state(at.into()).is_some_and(|(is_there, _)| is_there);
            let (veil, is_obstacle) = (look.veil_of(at), area.is_obstacle);
            if !(SightScreen { veil, is_obstacle, is_there }).hides()
                || !line.is_near(&Bounds::of(&area.polygon))
            {
                continue;
            }
            walls.clear();
            line.inside(&area.polygon, AlongEdge::Outside, &mut walls);
            let is_level = |[first, last]: [f64; 2]| {
                let y = look.from.y + (look.to.y - look.from.y) * first.midpoint(last) as f32;
                area.heights_m[0] <= y && y <= area.heights_m[1] + STOREY_M
            };
            if walls.iter().any(|stretch| line.counts(*stretch) && is_level(*stretch)) {
                return true;
            }
        }
        false
    }
}
