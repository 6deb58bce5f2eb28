//! Looks along points and links.
//!
//! Holds: a look goes along the ground beside links, open or not, and over what lies across them as the
//! polygons say: a closed door hides where it is, not all along its link. Not here: what hides by rule
//! (`nav::sight`).

use crate::base::geom::Bounds;
use crate::nav::Traversal;
use crate::nav::graph::ground_query::GraphGroundQuery;
use crate::nav::graph::map::PointGraph;
use crate::nav::sight::{AlongEdge, GroundLine, Look, hides};

impl PointGraph {
    pub(super) fn sees_over(&self, look: &Look<'_>) -> bool {
        let Some(line) = GroundLine::new(look.from, look.to) else { return false };
        let footing = GraphGroundQuery::new(self, &Traversal::default());
        footing.sight_over(look.from, look.to, &|_| true).0 && !self.is_hidden(look, &line)
    }

    /// Whether an area or an obstacle of the level hides what is looked at.
    fn is_hidden(&self, look: &Look<'_>, line: &GroundLine) -> bool {
        let (low, high) = (look.from.y.min(look.to.y), look.from.y.max(look.to.y));
        let mut walls = Vec::new();
        for (at, area) in self.laid_areas().iter().enumerate() {
            let is_there = self.is_available(at.into()).unwrap_or(false);
            let is_level = area.heights_m[0] <= high && low <= area.heights_m[1];
            if !hides(look.veil_of(at), area.is_obstacle, is_there)
                || !is_level
                || !line.is_near(&Bounds::of(&area.polygon))
            {
                continue;
            }
            walls.clear();
            line.inside(&area.polygon, AlongEdge::Outside, &mut walls);
            if walls.iter().any(|stretch| line.counts(*stretch)) {
                return true;
            }
        }
        false
    }
}
