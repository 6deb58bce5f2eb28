//! Looks over cells and the polygons that they were cut from.
//!
//! Holds: where cells were cut from polygons the polygons hide, not the cells, so that a thin wall hides
//! whatever the size of cells; where the map was given cell by cell, a look is clear when every cell it
//! touches is. Cells reach beyond polygons, or into those of obstacles, by up to half a cell: who stands
//! there sees and is seen as from the edge beside it. Not here: what hides by rule (`nav::sight`).

use glam::Vec3;

use crate::base::geom::Point;
use crate::nav::cells::{CellMap, line_of_sight};
use crate::nav::sight::{AlongEdge, GroundLine, Look, SightScreen, Veil};

impl CellMap {
    pub(super) fn sees_over(&self, look: &Look<'_>) -> bool {
        match self.terrain.outlines().is_empty() {
            true => self.sees_over_cells(look),
            false => self.sees_over_polygons(look) || self.sees_over_overhangs(look),
        }
    }

    fn sees_over_polygons(&self, look: &Look<'_>) -> bool {
        let Some(line) = GroundLine::new(look.from, look.to) else { return false };
        let (mut ground, mut walls) = (Vec::new(), Vec::new());
        for (polygon, along) in self.polygons_near(look, &line) {
            if along == AlongEdge::Inside {
                line.inside(polygon, along, &mut ground);
                continue;
            }
            walls.clear();
            line.inside(polygon, along, &mut walls);
            if walls.iter().any(|stretch| line.counts(*stretch)) {
                return false;
            }
        }
        line.is_covered(&mut ground)
    }

    /// The same from the edges beside ends that stand on a cell and off the ground of the polygons.
    fn sees_over_overhangs(&self, look: &Look<'_>) -> bool {
        let [from, to] = [look.from, look.to].map(|end| self.beside_overhang(look, end));
        (from.is_some() || to.is_some())
            && self.sees_over_polygons(&Look {
                from: from.unwrap_or(look.from),
                to: to.unwrap_or(look.to),
                ..*look
            })
    }

    /// The place on the ground of the polygons that is next to one beyond them, on the way to the middle of
    /// the cell that holds it; None for one that is on that ground, or on no cell that can be walked on.
    fn beside_overhang(&self, look: &Look<'_>, place: Vec3) -> Option<Vec3> {
        let cell = self.cell_of(place).filter(|cell| self.walkable(cell.x, cell.z))?;
        let middle = self.centre(cell).with_y(place.y);
        let line = GroundLine::new(place, middle)?;
        let (mut ground, mut walls) = (Vec::new(), Vec::new());
        for (polygon, along) in self.polygons_near(look, &line) {
            line.inside(polygon, along, if along == AlongEdge::Inside { &mut ground } else { &mut walls });
        }
        let clear = walls.iter().fold(0.0, |clear: f64, &[_, end]| clear.max(end));
        let part = clear.max(line.covered_from(&mut ground));
        (part > 0.0).then(|| place.lerp(middle, part as f32))
    }

    /// The polygons that a line may meet: of ground that is seen over, whose edges are inside, and of what
    /// hides, whose edges are outside.
    fn polygons_near<'a>(
        &'a self,
        look: &Look<'a>,
        line: &GroundLine,
    ) -> impl Iterator<Item = (&'a [Point], AlongEdge)> {
        let (areas, look, line) = (self.area_count(), *look, *line);
        let near = self.terrain.outlines().iter().enumerate().filter(move |(_, it)| line.is_near(&it.bounds));
        near.filter_map(move |(at, outline)| {
            let (veil, is_obstacle) = (look.veil_of(at), at >= areas);
            let is_hidden = SightScreen { veil, is_obstacle, is_there: self.states[at].available }.hides();
            let along = match is_hidden {
                true if is_obstacle || veil == Veil::Always => AlongEdge::Outside,
                false if !is_obstacle => AlongEdge::Inside,
                _ => return None,
            };
            Some((&*outline.polygon, along))
        })
    }

    fn sees_over_cells(&self, look: &Look<'_>) -> bool {
        let owned = |veil: Veil| -> Vec<usize> {
            (0..self.area_count()).filter(|&area| look.veil_of(area) == veil).collect()
        };
        let (never, always) = (owned(Veil::Never), owned(Veil::Always));
        let (from, to) = (self.to_cells(look.from), self.to_cells(look.to));
        if never.is_empty() && always.is_empty() && !self.has_added() {
            return line_of_sight::clear(self.bits(), from, to);
        }
        let is_of = |list: &[usize], x: u32, z: u32| {
            list.iter().any(|&area| self.terrain.area(area).is_some_and(|spans| spans.contains(x, z)))
        };
        line_of_sight::is_clear_where(self.bits().shape(), from, to, |x, z| {
            let (Ok(x), Ok(z)) = (u32::try_from(x), u32::try_from(z)) else { return false };
            if x >= self.frame().width || z >= self.frame().depth || is_of(&always, x, z) {
                return false;
            }
            self.walkable(x, z) || is_of(&never, x, z) || self.is_ground(x, z)
        })
    }

    /// Whether scripts have put obstacles on it: those hide as what they are, not as the cells they take.
    fn has_added(&self) -> bool {
        self.states.len() > self.area_count()
    }

    /// Whether a cell is ground, whatever was put there since.
    fn is_ground(&self, x: u32, z: u32) -> bool {
        let is_there = |area: usize| {
            self.states[area].available && self.terrain.area(area).is_some_and(|spans| spans.contains(x, z))
        };
        let is_of_one = || (0..self.area_count()).any(is_there);
        !self.terrain.is_solid(x, z) && (self.terrain.is_fixed(x, z) || is_of_one())
    }
}
