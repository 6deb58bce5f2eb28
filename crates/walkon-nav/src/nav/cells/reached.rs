//! What can be reached on a map of cells from some places, through areas with a direction as well.
//!
//! In: a map, a traversal, cells to begin in. Out: whether a cell is reached, and which one is nearest to a
//! point. Holds: a step that crosses such an area against its direction is none. Method: with these areas as
//! walls, labels tell what hangs together; only the cells that the walls take away are gone through one by
//! one. Cost: labels; where there are such areas, a pass over the words of the map, their cells, and the view
//! without them, which is next to nothing where that was prepared. Not here: ways (`plan`).

use crate::base::geom::Point;
use crate::nav::Traversal;
use crate::nav::cell::Cell;
use crate::nav::cells::CellMap;
use crate::nav::cells::layout::OFFSETS;
use crate::nav::cells::strong_components::step_directions;
use crate::nav::cells::view::{CellView, Reached};

/// What is reached.
#[derive(Clone, Debug)]
pub(crate) struct ReachedCells {
    /// Areas with a direction are walls in it.
    view: CellView,
    rooms: Vec<Reached>,
    gates: Option<GateCells>,
}

/// The cells that areas with a direction take away as walls.
#[derive(Clone, Debug)]
struct GateCells {
    by: Traversal,
    /// In order.
    cells: Vec<Cell>,
    is_reached: Vec<bool>,
    /// Steps into them from outside that nobody has come to yet.
    waiting: Vec<[Cell; 2]>,
}

impl ReachedCells {
    /// Nothing yet, for a traversal whose view this is.
    pub(crate) fn none(map: &CellMap, view: CellView, by: &Traversal) -> Self {
        let Some(walled) = by.walled() else {
            return Self { view, rooms: Vec::new(), gates: None };
        };
        let bare = map.view(&walled);
        let gates = GateCells::new(map, [&view, &bare], by);
        Self { view: bare, rooms: Vec::new(), gates: Some(gates) }
    }

    /// Adds what can be reached from a cell.
    pub(crate) fn add(&mut self, map: &CellMap, from: Cell) {
        let mut begins = vec![from];
        // Bounded by the cells of the areas and the steps into them: each is taken once.
        while let Some(cell) = begins.pop() {
            if self.holds(cell) {
                continue;
            }
            if let Some(gates) = &mut self.gates
                && let Some(at) = gates.place(cell)
            {
                gates.is_reached[at] = true;
                begins.extend(gates.steps(map, &self.view, cell));
                continue;
            }
            self.rooms.extend(self.view.reached_from(cell.x, cell.z));
            let Self { view, rooms, gates: Some(gates) } = self else { continue };
            gates.waiting.retain(|&[from, to]| {
                let is_come_to = rooms.last().is_some_and(|room| view.is_reached(room, from.x, from.z));
                begins.extend(is_come_to.then_some(to));
                !is_come_to
            });
        }
    }

    /// Whether a cell is reached.
    pub(crate) fn holds(&self, cell: Cell) -> bool {
        let in_gate = || self.gates.as_ref().is_some_and(|gates| gates.holds(cell));
        self.rooms.iter().any(|room| self.view.is_reached(room, cell.x, cell.z)) || in_gate()
    }

    /// Reached cells among which is the one nearest to a point, in cells.
    pub(crate) fn nearest(&self, point: Point) -> impl Iterator<Item = Cell> + '_ {
        let closest = move |room| self.view.closest_reached(room, point);
        self.rooms.iter().filter_map(closest).chain(self.gates.iter().flat_map(GateCells::reached))
    }
}

impl GateCells {
    fn new(map: &CellMap, [view, bare]: [&CellView; 2], by: &Traversal) -> Self {
        let (bits, width) = (view.bits(), view.bits().width());
        let mut cells = Vec::new();
        for z in 0..bits.depth() {
            for word in 0..width.div_ceil(64) {
                let mut taken = bits.row_word(z, word as usize) & !bare.bits().row_word(z, word as usize);
                while taken != 0 {
                    cells.push(Cell { x: 64 * word + taken.trailing_zeros(), z });
                    taken &= taken - 1;
                }
            }
        }
        cells.sort_unstable();
        let is_reached = vec![false; cells.len()];
        let mut gates = Self { by: by.clone(), cells, is_reached, waiting: Vec::new() };
        let outside = |&cell: &Cell| bare.bits().get(cell.x, cell.z);
        let mut waiting = Vec::new();
        for &cell in &gates.cells {
            let from = gates.beside(map, cell).filter(|(beside, _)| outside(beside));
            waiting.extend(
                from.filter(|&(from, direction)| gates.may_step(map, from, cell, direction ^ 4))
                    .map(|(from, _)| [from, cell]),
            );
        }
        gates.waiting = waiting;
        gates
    }

    fn place(&self, cell: Cell) -> Option<usize> {
        self.cells.binary_search(&cell).ok()
    }

    fn holds(&self, cell: Cell) -> bool {
        self.place(cell).is_some_and(|at| self.is_reached[at])
    }

    fn reached(&self) -> impl Iterator<Item = Cell> + '_ {
        self.cells.iter().zip(&self.is_reached).filter(|(_, is_reached)| **is_reached).map(|(cell, _)| *cell)
    }

    /// The cells beside one on the map, each with the direction there.
    fn beside(&self, map: &CellMap, cell: Cell) -> impl Iterator<Item = (Cell, usize)> + use<> {
        let frame = *map.frame();
        step_directions(frame.tiling.shape()).iter().filter_map(move |&direction| {
            let (dx, dz) = OFFSETS[direction];
            let beside = Cell { x: cell.x.wrapping_add_signed(dx), z: cell.z.wrapping_add_signed(dz) };
            (beside.x < frame.width && beside.z < frame.depth).then_some((beside, direction))
        })
    }

    /// Where one may step to from a cell.
    fn steps(&self, map: &CellMap, bare: &CellView, from: Cell) -> Vec<Cell> {
        let is_ground = |cell: Cell| bare.bits().get(cell.x, cell.z) || self.place(cell).is_some();
        let steps = self
            .beside(map, from)
            .filter(|&(to, direction)| is_ground(to) && self.may_step(map, from, to, direction));
        steps.map(|(to, _)| to).collect()
    }

    /// Whether a cell may be left for the next one in a direction.
    fn may_step(&self, map: &CellMap, from: Cell, to: Cell, direction: usize) -> bool {
        let leave = map.terrain.exits().leave((from.z * map.frame().width + from.x) as usize);
        leave >> direction & 1 == 0 && map.wrong_way(map.centre(from), map.centre(to), &self.by).is_none()
    }
}
