//! Short questions about the ground under one kind of body, many to a tick.
//!
//! In: a map, a traversal, once; places after that. Out: clear or not, how far, the walls nearby. Holds:
//! answers are those of the map (`CellMap::sight`, `is_walkable`); the cells to look at were found when it
//! was made, so that a question costs its cells and nothing else. Not here: costs, paths.

use glam::{Vec2, Vec3};

use crate::base::geom;
use crate::nav::cell::Cell;
use crate::nav::cells::line::{self, Stretch};
use crate::nav::cells::line_of_sight;
use crate::nav::cells::map::CellMap;
use crate::nav::cells::view::CellView;
use crate::nav::{Backend, OpenGround, Traversal};

/// The cells a body may stand on.
#[derive(Clone, Debug)]
pub(crate) struct CellGroundQuery<'a> {
    map: &'a CellMap,
    view: CellView,
    by: Traversal,
    /// Whether every way can be walked in both directions.
    is_two_way: bool,
}

impl<'a> CellGroundQuery<'a> {
    pub(crate) fn new(map: &'a CellMap, by: &Traversal) -> Self {
        let is_two_way = by.one_way().is_empty() && map.terrain.exits().is_empty();
        Self { map, view: map.view(by), by: by.clone(), is_two_way }
    }

    #[inline]
    pub(crate) fn is_walkable(&self, place: Vec3) -> bool {
        self.map.cell_of(place).is_some_and(|Cell { x, z }| self.view.bits().get(x, z))
    }

    /// Cells are flat: the place itself.
    #[allow(clippy::unused_self)]
    #[inline]
    pub(crate) fn grounded(&self, place: Vec3) -> Vec3 {
        place
    }

    #[inline]
    pub(crate) fn clear(&self, from: Vec3, to: Vec3) -> bool {
        line_of_sight::clear(self.view.bits(), self.map.to_cells(from), self.map.to_cells(to))
            && (self.is_two_way || !self.map.goes_wrong(from, to, &self.by))
    }

    #[inline]
    pub(crate) fn may_trap(&self) -> bool {
        !self.map.terrain.exits().is_empty()
    }

    #[inline]
    pub(crate) fn strays(&self, from: Vec3, to: Vec3, way: &[Vec3]) -> bool {
        self.may_trap() && self.strays_from(from, to, way)
    }

    #[inline(never)]
    fn strays_from(&self, from: Vec3, to: Vec3, way: &[Vec3]) -> bool {
        let exits = self.map.terrain.exits();
        let [a, b] = [from, to].map(|end| self.map.to_cells(end).map(geom::floor));
        // A cell more on each side: the rows of hexagons lean.
        let [columns, rows] = [0, 1].map(|axis| [a[axis].min(b[axis]) - 1, a[axis].max(b[axis]) + 1]);
        if exits.is_empty_within([columns[0], columns[1], rows[0], rows[1]]) {
            return false;
        }
        let width = self.map.frame().width;
        let is_held = |cell: &Cell| cell.x < width && exits.leave((cell.z * width + cell.x) as usize) != 0;
        let own = self.map.cell_of(from);
        let mut entered = self.entered(from, to).filter(|cell| Some(*cell) != own && is_held(cell));
        entered.any(|cell| !way.windows(2).any(|leg| self.entered(leg[0], leg[1]).any(|over| over == cell)))
    }

    /// The cells that a body comes to on a straight line; not those of which it touches a corner.
    fn entered(&self, from: Vec3, to: Vec3) -> impl Iterator<Item = Cell> {
        let shape = self.view.bits().shape();
        let along = line::cells_along(shape, self.map.to_cells(from), self.map.to_cells(to));
        let cell = |(x, z): (u32, u32)| Cell { x, z };
        along
            .filter(|stretch| stretch.enter < stretch.leave)
            .filter_map(move |Stretch { x, z, .. }| x.try_into().ok().zip(z.try_into().ok()).map(cell))
            .chain(self.map.cell_of(to))
    }

    /// Only on plain squares that may be walked both ways: there a line lies within the cells that the
    /// corners of a rectangle around it lie in.
    #[inline]
    pub(crate) fn open_around(&self, from: Vec3, to: Vec3, spare_m: f32) -> OpenGround {
        if !self.is_two_way || !self.map.frame().tiling.is_plain() {
            return OpenGround::NONE;
        }
        let around = OpenGround::around(from, to, spare_m);
        let [min, max] = around.corners();
        let to_cells = |corner: Vec2| self.map.to_cells(Vec3::new(corner.x, from.y, corner.y));
        let is_open = line_of_sight::is_in_the_open(self.view.bits(), to_cells(min), to_cells(max));
        if is_open { around } else { OpenGround::NONE }
    }

    /// Lines over six-cornered cells are exact in numbers of another kind, and take three times as long.
    pub(crate) fn price(&self, _place: Vec3) -> u32 {
        if self.view.bits().shape().is_hexagonal() { 3 } else { 1 }
    }

    pub(crate) fn last_clear(&self, from: Vec3, to: Vec3) -> Vec3 {
        if self.clear(from, to) {
            return to;
        }
        // A line that meets a wall at a shallow angle is cut off so near to it that single precision puts the
        // point on the far side: a body stays where it is then (inv:N1).
        let reached = self.map.sight(from, to, &self.by).1;
        if self.clear(from, reached) { reached } else { from }
    }

    /// The cells that hold the points within a reach of a place on both axes: first and last column, first
    /// and last row.
    #[inline]
    fn around(&self, place: Vec3, reach_m: f32) -> [i64; 4] {
        let [x, z] = self.map.to_cells(place);
        let reach = f64::from(reach_m) / self.map.frame().cell_size_m;
        let [reach_x, reach_z] = self.view.bits().shape().reach(reach);
        let floor = geom::floor;
        [floor(x - reach_x), floor(x + reach_x), floor(z - reach_z), floor(z + reach_z)]
    }

    #[inline]
    pub(crate) fn is_open(&self, place: Vec3, reach_m: f32) -> bool {
        let [first_x, last_x, first_z, last_z] = self.around(place, reach_m);
        let bits = self.view.bits();
        bits.is_open([first_x, first_z], [last_x, last_z])
            && (self.by.one_way().is_empty() || !place.is_finite())
            && self.map.terrain.exits().is_empty_within([first_x, last_x, first_z, last_z])
    }

    pub(crate) fn walls_near(&self, place: Vec3, reach_m: f32, out: &mut Vec<[Vec2; 2]>) {
        let at = self.map.to_cells(place);
        let bits = self.view.bits();
        // Beyond the map there is no ground, and so no wall.
        let [width, depth] = [bits.width(), bits.depth()].map(i64::from);
        let [first_x, last_x, first_z, last_z] = self.around(place, reach_m);
        if last_x < -1 || first_x > width || last_z < -1 || first_z > depth {
            return;
        }
        let [first_x, last_x] = [first_x, last_x].map(|x| x.clamp(-1, width));
        let [first_z, last_z] = [first_z, last_z].map(|z| z.clamp(-1, depth));
        if bits.shape().is_hexagonal() {
            return self.edges_near(at, [[first_x, last_x], [first_z, last_z]], out);
        }
        let corner = |x: i64, z: i64| {
            let world = self.map.frame().to_world([x as f64, z as f64]);
            Vec2::new(world[0] as f32, world[1] as f32)
        };
        // Edges along x: between the rows z - 1 and z, walkable on the side of the place only.
        for z in first_z..=last_z + 1 {
            let (near, far) = if at[1] >= z as f64 { (z, z - 1) } else { (z - 1, z) };
            let is_edge = |x: i64| bits.at(x, near) && !bits.at(x, far);
            runs(first_x..last_x + 1, is_edge, |from, to| {
                let ends = [corner(from, z), corner(to, z)];
                out.push(if near >= z { ends } else { [ends[1], ends[0]] });
            });
        }
        for x in first_x..=last_x + 1 {
            let (near, far) = if at[0] >= x as f64 { (x, x - 1) } else { (x - 1, x) };
            let is_edge = |z: i64| bits.at(near, z) && !bits.at(far, z);
            runs(first_z..last_z + 1, is_edge, |from, to| {
                let ends = [corner(x, from), corner(x, to)];
                out.push(if near < x { ends } else { [ends[1], ends[0]] });
            });
        }
    }
}

/// The directions across the edges of a hexagon, from the one between its first two corners on.
const ACROSS: [(i64, i64); 6] = [(1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1)];

impl CellGroundQuery<'_> {
    /// Edges between open and blocked hexagons, where the place is on the open side; columns and rows from
    /// the first to the last.
    fn edges_near(&self, at: [f64; 2], [columns, rows]: [[i64; 2]; 2], out: &mut Vec<[Vec2; 2]>) {
        let bits = self.view.bits();
        let corners = bits.shape().corners();
        for z in rows[0] - 1..=rows[1] + 1 {
            for x in (columns[0] - 1..=columns[1] + 1).filter(|&x| bits.at(x, z)) {
                let centre = [x as f64 + 0.5, z as f64 + 0.5];
                let corner = |side: usize| {
                    let [dx, dz] = corners[side % corners.len()];
                    [centre[0] + dx, centre[1] + dz]
                };
                for (side, (dx, dz)) in ACROSS.into_iter().enumerate() {
                    let ends = [corner(side), corner(side + 1)];
                    let faces = geom::cross(ends[0], ends[1], at) >= 0.0;
                    if faces && !bits.at(x + dx, z + dz) {
                        let world = ends.map(|end| self.map.frame().to_world(end));
                        out.push(world.map(|[x, z]| Vec2::new(x as f32, z as f32)));
                    }
                }
            }
        }
    }
}

/// The runs of positions that qualify, each as first and one after the last.
fn runs(positions: std::ops::Range<i64>, qualifies: impl Fn(i64) -> bool, mut visit: impl FnMut(i64, i64)) {
    let end = positions.end;
    let mut first = None;
    for at in positions {
        match (qualifies(at), first) {
            (true, None) => first = Some(at),
            (false, Some(from)) => {
                visit(from, at);
                first = None;
            }
            _ => {}
        }
    }
    if let Some(from) = first {
        visit(from, end);
    }
}
