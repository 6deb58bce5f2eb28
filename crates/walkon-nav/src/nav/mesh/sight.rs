//! Visibility over polygons.
//!
//! Holds: where the areas are the ground, a look goes over their outlines; where there are polygons of
//! ground, a look is clear when a line over them is, at the height of its end, and nothing that hides lies
//! across it at the height of the ground there. Not here: the rules of hiding (`nav::sight`).

use crate::base::geom::{Point, ground};
use crate::nav::mesh::NavMesh;
use crate::nav::mesh::build::AreaOutline;
use crate::nav::mesh::topology::Topology;
use crate::nav::mesh::walk::SAME_HEIGHT_M;
use crate::nav::sight::{AlongEdge, GroundLine, Look, SightScreen, Veil};

impl NavMesh {
    pub(super) fn sees_over(&self, look: &Look<'_>) -> bool {
        let Some(line) = GroundLine::new(look.from, look.to) else { return false };
        match &self.source.ground {
            None => self.sees_over_areas(look, &line),
            Some(surface) => self.sees_over_ground(look, &line, surface),
        }
    }

    /// Areas, then the obstacles of the level, that a look may meet, with whether each hides.
    fn met<'a>(
        &'a self,
        look: &'a Look<'_>,
        line: &'a GroundLine,
    ) -> impl Iterator<Item = (usize, &'a AreaOutline, bool)> {
        let areas = self.source.areas.len();
        let blockers = self.source.blockers.iter().map(|blocker| &blocker.outline);
        let all = self.source.areas.iter().chain(blockers).take(self.states.authored()).enumerate();
        all.filter(|(_, outline)| line.is_near(&outline.bounds)).map(move |(at, outline)| {
            let (veil, is_there) = (look.veil_of(at), self.states[at].available);
            (at, outline, SightScreen { veil, is_obstacle: at >= areas, is_there }.hides())
        })
    }

    fn sees_over_areas(&self, look: &Look<'_>, line: &GroundLine) -> bool {
        let (areas, y) = (self.source.areas.len(), self.source.floor_y_m);
        let (mut open, mut walls) = (Vec::new(), Vec::new());
        let met = self.met(look, line);
        for (at, outline, is_hidden) in met.filter(|(_, outline, _)| outline.is_at(y)) {
            if !is_hidden && at < areas {
                line.inside(&outline.polygon, AlongEdge::Inside, &mut open);
            } else if is_hidden && (at >= areas || look.veil_of(at) == Veil::Always) {
                line.inside(&outline.polygon, AlongEdge::Outside, &mut walls);
            }
        }
        line.is_covered(&mut open) && !walls.iter().any(|stretch| line.counts(*stretch))
    }

    fn sees_over_ground(&self, look: &Look<'_>, line: &GroundLine, surface: &Topology) -> bool {
        let Some(spot) = surface.spot(look.from) else { return false };
        let mut passed: Vec<(u32, Point, Point)> = Vec::new();
        let walk = surface.line(spot, ground(look.to), &mut |polygon, enter, leave| {
            passed.push((polygon, enter, leave));
        });
        if !walk.is_clear || !(surface.is_flat || ends_at(surface, look, walk.end.polygon, walk.end.point)) {
            return false;
        }
        let mut walls = Vec::new();
        for (_, outline, _) in self.met(look, line).filter(|(_, _, is_hidden)| *is_hidden) {
            walls.clear();
            line.inside(&outline.polygon, AlongEdge::Outside, &mut walls);
            let in_the_way = |stretch: &[f64; 2]| {
                line.counts(*stretch) && outline.is_at(height(surface, &passed, line.middle(*stretch)))
            };
            if walls.iter().any(in_the_way) {
                return false;
            }
        }
        true
    }
}

/// Whether a line over the ground comes to the floor of the place that is looked at.
fn ends_at(surface: &Topology, look: &Look<'_>, polygon: u32, point: Point) -> bool {
    let there = surface.spot(look.to).map(|there| surface.height(there.polygon, there.point));
    there.is_some_and(|there| (there - surface.height(polygon, point)).abs() <= SAME_HEIGHT_M)
}

/// The height of the ground at a place of a line that has passed over it.
fn height(surface: &Topology, passed: &[(u32, Point, Point)], place: Point) -> f64 {
    let off = |(_, a, b): &(u32, Point, Point)| crate::base::geom::segment_distance_sq(place, *a, *b);
    let nearest = passed.iter().min_by(|a, b| off(a).total_cmp(&off(b)));
    nearest.map_or(0.0, |(polygon, ..)| surface.height(*polygon, place))
}
