//! One-way areas on a grid: the cells they block and the steps allowed across them.
//!
//! In: a terrain, the views of a traversal with such areas as ground and as walls. Out: those cells, the
//! steps from each, and those into them from outside. Holds: a step across such an area against its direction
//! is not allowed. Not here: the cells reached over them (`reached`), what keeps it (`map`).

use crate::nav::cell::Cell;
use crate::nav::cells::custom_costs::CostsKey;
use crate::nav::cells::layout::OFFSETS;
use crate::nav::cells::raster::Window;
use crate::nav::cells::source::MapFrame;
use crate::nav::cells::strong_components::step_directions;
use crate::nav::cells::terrain::CellTerrain;
use crate::nav::cells::view::CellView;
use crate::nav::{OneWay, Traversal};

/// The ground of a traversal, and the steps over the cells that areas with a direction take away as walls.
#[derive(Clone, Debug)]
pub(crate) struct GatedGround {
    /// Areas with a direction are walls in it.
    pub(crate) view: CellView,
    /// Those cells, in order.
    pub(crate) cells: Vec<Cell>,
    /// By cell, where one may step to from it.
    pub(crate) steps: Vec<Vec<Cell>>,
    /// Steps into them from outside: from a part of the view, to the place of a cell; in order.
    pub(crate) entries: Vec<(u32, u32)>,
}

/// Whose ground it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GatesKey {
    pub(crate) costs: CostsKey,
    pub(crate) one_way: Vec<OneWay>,
}

impl GatedGround {
    /// For a traversal whose view this is, and what it is where areas with a direction are walls. Cost: a
    /// pass over the words of the map, and the cells of those areas.
    pub(crate) fn new(terrain: &CellTerrain, view: &CellView, bare: CellView, by: &Traversal) -> Self {
        let cells = taken_cells(view, &bare);
        let gates = gates_near(terrain, &cells, by);
        let may_step = |at: usize, from: Cell, to: Cell, direction: usize| {
            let leave = terrain.exits().leave((from.z * terrain.frame.width + from.x) as usize);
            let (from, to) = (terrain.centre(from), terrain.centre(to));
            let is_wrong = |gate: &&OneWay| {
                gate.crossed(from, to, |area, point| terrain.is_around(area, point)).is_some()
            };
            leave >> direction & 1 == 0 && !gates[at].iter().any(is_wrong)
        };
        let mut new = Self { view: bare, cells, steps: Vec::new(), entries: Vec::new() };
        for (at, &cell) in new.cells.iter().enumerate() {
            let mut steps = Vec::new();
            for (beside, direction) in beside(&terrain.frame, cell) {
                let part = new.view.part(beside.x, beside.z);
                let is_ground = part.is_some() || new.place(beside).is_some();
                steps.extend((is_ground && may_step(at, cell, beside, direction)).then_some(beside));
                let part = part.filter(|_| may_step(at, beside, cell, direction ^ 4));
                new.entries.extend(part.map(|part| (part, at as u32)));
            }
            new.steps.push(steps);
        }
        new.entries.sort_unstable();
        new.entries.dedup();
        new
    }

    /// Where no area has a direction.
    pub(crate) fn plain(view: CellView) -> Self {
        Self { view, cells: Vec::new(), steps: Vec::new(), entries: Vec::new() }
    }

    /// The place of a cell among those that are taken away.
    pub(crate) fn place(&self, cell: Cell) -> Option<usize> {
        self.cells.binary_search(&cell).ok()
    }
}

/// The cells of a view that walls take away, in order.
fn taken_cells(view: &CellView, bare: &CellView) -> Vec<Cell> {
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
    cells
}

/// By cell the areas with a direction that a step from or to it may cross. Cost: the cells of the columns of
/// each area.
fn gates_near<'a>(terrain: &CellTerrain, cells: &[Cell], by: &'a Traversal) -> Vec<Vec<&'a OneWay>> {
    let mut near = vec![Vec::new(); cells.len()];
    for gate in by.one_way() {
        let own = terrain.area(gate.area.index()).and_then(|spans| spans.window());
        let outline = terrain.outlines().get(gate.area.index());
        let outline = outline.map(|outline| Window::around(&terrain.frame, outline.bounds));
        let Some(window) = own.into_iter().chain(outline).reduce(Window::union) else { continue };
        let window = window.grown(1, &terrain.frame);
        let first = cells.partition_point(|cell| cell.x < window.first_x);
        let columns = (first..).zip(&cells[first..]).take_while(|(_, cell)| cell.x < window.end_x);
        columns
            .filter(|(_, cell)| (window.first_z..window.end_z).contains(&cell.z))
            .for_each(|(at, _)| near[at].push(gate));
    }
    near
}

/// The cells beside one on the map, each with the direction there.
pub(crate) fn beside(frame: &MapFrame, cell: Cell) -> impl Iterator<Item = (Cell, usize)> + use<> {
    let frame = *frame;
    step_directions(frame.tiling.shape()).iter().filter_map(move |&direction| {
        let (dx, dz) = OFFSETS[direction];
        let beside = Cell { x: cell.x.wrapping_add_signed(dx), z: cell.z.wrapping_add_signed(dz) };
        (beside.x < frame.width && beside.z < frame.depth).then_some((beside, direction))
    })
}
