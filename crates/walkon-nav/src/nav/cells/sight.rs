//! Looks over cells and the polygons that they were cut from.
//!
//! Holds: where cells were cut from polygons the polygons hide, not the cells, so that a thin wall hides
//! whatever the size of cells; where the map was given cell by cell, a look is clear when every cell it
//! touches is. Not here: what hides by rule (`nav::sight`).

use crate::nav::cells::{CellMap, line_of_sight};
use crate::nav::sight::{AlongEdge, GroundLine, Look, SightScreen, Veil};

impl CellMap {
    pub(super) fn sees_over(&self, look: &Look<'_>) -> bool {
        match self.terrain.outlines().is_empty() {
            true => self.sees_over_cells(look),
            false => self.sees_over_polygons(look),
        }
    }

    fn sees_over_polygons(&self, look: &Look<'_>) -> bool {
        let Some(line) = GroundLine::new(look.from, look.to) else { return false };
        let areas = self.area_count();
        let (mut ground, mut walls) = (Vec::new(), Vec::new());
        for (at, outline) in self.terrain.outlines().iter().enumerate() {
            if !line.is_near(&outline.bounds) {
                continue;
            }
            let (veil, is_obstacle) = (look.veil_of(at), at >= areas);
            let is_hidden = SightScreen { veil, is_obstacle, is_there: self.states[at].available }.hides();
            if is_hidden && (is_obstacle || veil == Veil::Always) {
                walls.clear();
                line.inside(&outline.polygon, AlongEdge::Outside, &mut walls);
                if walls.iter().any(|stretch| line.counts(*stretch)) {
                    return false;
                }
            } else if !is_hidden && !is_obstacle {
                line.inside(&outline.polygon, AlongEdge::Inside, &mut ground);
            }
        }
        line.is_covered(&mut ground)
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
