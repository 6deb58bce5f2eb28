//! The cells that can be reached from some places, also through one-way areas.
//!
//! In: a map, a traversal, cells to begin in. Out: whether a cell is reached, and which one is nearest to a
//! point. Holds: a step across such an area against its direction is not allowed. Method: with these areas as
//! walls, labels tell what is connected; only the cells that the walls take away are gone through one by one.
//! Cost: labels; where there are such areas, their cells, and what they take away, which the map keeps for
//! traversals that it was prepared for. Not here: ways (`plan`).

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::Vec3;

use crate::base::geom::Point;
use crate::nav::Traversal;
use crate::nav::cell::Cell;
use crate::nav::cells::CellMap;
use crate::nav::cells::gated_ground::{GatedGround, beside};
use crate::nav::cells::view::CellView;

/// What is reached.
#[derive(Clone, Debug)]
pub(crate) struct ReachedCells {
    ground: Arc<GatedGround>,
    parts: BTreeSet<u32>,
    /// By cell of areas with a direction.
    is_reached: Vec<bool>,
}

impl ReachedCells {
    /// Nothing yet, for a traversal whose view this is.
    pub(crate) fn none(map: &CellMap, view: CellView, by: &Traversal) -> Self {
        let ground = map.gated_ground(view, by);
        let is_reached = vec![false; ground.cells.len()];
        Self { ground, parts: BTreeSet::new(), is_reached }
    }

    /// Adds what can be reached from a cell. Cost: linear in what is added.
    pub(crate) fn add(&mut self, from: Cell) {
        let GatedGround { view, steps, entries, .. } = &*self.ground;
        let mut begins = vec![from];
        // Bounded by the cells of the areas and the steps into them: each is taken once.
        while let Some(cell) = begins.pop() {
            if let Some(at) = self.ground.place(cell) {
                if !std::mem::replace(&mut self.is_reached[at], true) {
                    begins.extend(&steps[at]);
                }
                continue;
            }
            if view.part(cell.x, cell.z).is_none_or(|part| self.parts.contains(&part)) {
                continue;
            }
            for part in view.reached_from(cell.x, cell.z).into_iter().flat_map(|reached| reached.parts()) {
                if self.parts.insert(part) {
                    let first = entries.partition_point(|entry| entry.0 < part);
                    let from_it = entries[first..].iter().take_while(|entry| entry.0 == part);
                    begins.extend(from_it.map(|entry| self.ground.cells[entry.1 as usize]));
                }
            }
        }
    }

    /// Whether a cell is reached.
    pub(crate) fn holds(&self, cell: Cell) -> bool {
        match self.ground.place(cell) {
            Some(at) => self.is_reached[at],
            None => self.ground.view.part(cell.x, cell.z).is_some_and(|part| self.parts.contains(&part)),
        }
    }

    /// Whether a point is reached. One in a cell of an area with a direction may lie before the line that is
    /// crossed one way, or behind it.
    pub(crate) fn holds_point(&self, map: &CellMap, point: Vec3, by: &Traversal) -> bool {
        let Some(cell) = map.cell_of(point) else { return false };
        if self.ground.place(cell).is_none() {
            return self.holds(cell);
        }
        let around = beside(map.frame(), cell).map(|(beside, _)| beside).chain([cell]);
        around.into_iter().any(|from| self.holds(from) && !map.goes_wrong(map.centre(from), point, by))
    }

    /// Reached cells among which is the one nearest to a point, in cells.
    pub(crate) fn nearest(&self, point: Point) -> impl Iterator<Item = Cell> + '_ {
        let closest = self.ground.view.closest_part(&|part| self.parts.contains(&part), point);
        let gates = self.ground.cells.iter().zip(&self.is_reached).filter(|(_, is_reached)| **is_reached);
        closest.into_iter().chain(gates.map(|(cell, _)| *cell))
    }
}
