//! Random buildings whose floors, ramps and blocked places lie on one lattice, so that edges of different
//! floors coincide, and what can be reached in them, cell by cell.
//!
//! In: a random stream. Out: the ground, rectangles on it, and its connected parts. Holds: all
//! corners lie on whole cells before the building is turned, so a cell is blocked or free as a whole.

use crate::base::geom::{self, Point};
use crate::base::rng::Rng;
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::{CheckedMesh, RawMesh};

/// Metres of a side of a cell.
pub(super) const CELL_M: f64 = 0.5;
/// Cells along a side of a slab.
const SLAB: i64 = 4;
/// Slabs along a side of a storey.
const SIDE: i64 = 4;
const STOREYS: i64 = 3;
const STOREY_HEIGHT_M: f64 = 3.0;

/// Whole cells from one corner to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    pub(super) min: [i64; 2],
    pub(super) max: [i64; 2],
}

impl Rectangle {
    pub(super) fn random(rng: &mut Rng) -> Self {
        let mut range = || {
            let from = rng.int(-1, SIDE * SLAB - 1);
            [from, from + rng.int(1, 7)]
        };
        let ([left, right], [near, far]) = (range(), range());
        Self { min: [left, near], max: [right, far] }
    }

    pub(super) fn holds(&self, cell: [i64; 2]) -> bool {
        (0..2).all(|axis| self.min[axis] <= cell[axis] && cell[axis] < self.max[axis])
    }

    fn cells(self) -> impl Iterator<Item = [i64; 2]> {
        (self.min[0]..self.max[0]).flat_map(move |x| (self.min[1]..self.max[1]).map(move |z| [x, z]))
    }
}

/// A cell of a polygon of the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LatticeCell {
    pub(super) polygon: u32,
    pub(super) at: [i64; 2],
}

pub(super) struct Building {
    pub(super) ground: CheckedMesh,
    /// By corner of the ground: its place, cells.
    lattice: Vec<[i64; 2]>,
    /// By polygon: what it covers.
    pub(super) covers: Vec<Rectangle>,
    /// By polygon: whether it leads from one storey to another.
    pub(super) is_ramp: Vec<bool>,
    /// Cosine and sine of the angle that all of it is turned by.
    turn: [f64; 2],
}

/// A building while it is put together.
struct BuildingPlan {
    /// By storey and slab: whether it is still free.
    is_free: Vec<bool>,
    /// Storey and place of each corner.
    corners: Vec<(i64, [i64; 2])>,
    polygons: Vec<Vec<u32>>,
    covers: Vec<Rectangle>,
    is_ramp: Vec<bool>,
}

impl BuildingPlan {
    fn slab(storey: i64, [x, z]: [i64; 2]) -> usize {
        ((storey * SIDE + x) * SIDE + z) as usize
    }

    fn corner(&mut self, storey: i64, at: [i64; 2]) -> u32 {
        let known = self.corners.iter().position(|corner| *corner == (storey, at));
        known.unwrap_or_else(|| {
            self.corners.push((storey, at));
            self.corners.len() - 1
        }) as u32
    }

    fn put(&mut self, ring: Vec<u32>, covers: Rectangle) {
        self.polygons.push(ring);
        self.covers.push(covers);
        self.is_ramp.push(false);
    }

    /// From one storey to another, along x.
    fn put_ramp(&mut self, storeys: [i64; 2], [x, z]: [i64; 2]) {
        if !storeys.iter().all(|&storey| self.is_free[Self::slab(storey, [x, z])]) {
            return;
        }
        storeys.iter().for_each(|&storey| self.is_free[Self::slab(storey, [x, z])] = false);
        let [left, right] = storeys;
        let [min, max] = [[x * SLAB, z * SLAB], [(x + 1) * SLAB, (z + 1) * SLAB]];
        let ring = vec![
            self.corner(left, min),
            self.corner(right, [max[0], min[1]]),
            self.corner(right, max),
            self.corner(left, [min[0], max[1]]),
        ];
        self.put(ring, Rectangle { min, max });
        self.is_ramp.last_mut().into_iter().for_each(|is_ramp| *is_ramp = true);
    }

    /// A floor of so many slabs along x.
    fn put_floor(&mut self, storey: i64, [x, z]: [i64; 2], slabs: i64) {
        let slabs = slabs.min(SIDE - x);
        let takes = |plan: &Self| (x..x + slabs).all(|x| plan.is_free[Self::slab(storey, [x, z])]);
        if !takes(self) {
            return;
        }
        (x..x + slabs).for_each(|x| self.is_free[Self::slab(storey, [x, z])] = false);
        let xs: Vec<i64> = (x..=x + slabs).map(|x| x * SLAB).collect();
        let mut ring: Vec<u32> = xs.iter().map(|&x| self.corner(storey, [x, z * SLAB])).collect();
        ring.extend(xs.iter().rev().map(|&x| self.corner(storey, [x, (z + 1) * SLAB])));
        let max = [(x + slabs) * SLAB, (z + 1) * SLAB];
        self.put(ring, Rectangle { min: [x * SLAB, z * SLAB], max });
    }
}

impl Building {
    pub(super) fn random(rng: &mut Rng) -> Self {
        let mut plan = BuildingPlan {
            is_free: vec![true; (STOREYS * SIDE * SIDE) as usize],
            corners: Vec::new(),
            polygons: Vec::new(),
            covers: Vec::new(),
            is_ramp: Vec::new(),
        };
        for _ in 0..rng.int(1, 5) {
            let at = [rng.int(0, SIDE - 1), rng.int(0, SIDE - 1)];
            let lower = rng.int(0, STOREYS - 2);
            let storeys = if rng.chance(0.5) { [lower, lower + 1] } else { [lower + 1, lower] };
            plan.put_ramp(storeys, at);
        }
        for storey in 0..STOREYS {
            for at in (0..SIDE).flat_map(|x| (0..SIDE).map(move |z| [x, z])) {
                if rng.chance(0.75) {
                    plan.put_floor(storey, at, if rng.chance(0.3) { 2 } else { 1 });
                }
            }
        }
        let angle = if rng.chance(0.3) { 0.0 } else { rng.float(0.0, 6.3) };
        Self::of(plan, [libm::cos(angle), libm::sin(angle)])
    }

    fn of(plan: BuildingPlan, turn: [f64; 2]) -> Self {
        let place = |&(storey, at): &(i64, [i64; 2])| {
            let [x, z] = turned(turn, at.map(|cells| cells as f64 * CELL_M));
            [x, storey as f64 * STOREY_HEIGHT_M, z]
        };
        let vertices = plan.corners.iter().map(place).collect();
        let ground = RawMesh { vertices, polygons: plan.polygons }.check().expect("a building");
        let lattice = plan.corners.iter().map(|corner| corner.1).collect();
        Self { ground, lattice, covers: plan.covers, is_ramp: plan.is_ramp, turn }
    }

    pub(super) fn surface(&self) -> &Topology {
        &self.ground.surface
    }

    /// The corners of a rectangle, in order.
    pub(super) fn outline(
        &self,
        Rectangle { min: [left, near], max: [right, far] }: Rectangle,
    ) -> Vec<Point> {
        let corners = [[left, near], [right, near], [right, far], [left, far]];
        corners.map(|at| turned(self.turn, at.map(|cells| cells as f64 * CELL_M))).to_vec()
    }

    /// A point about the middle of a cell, and the height there. Polygons are cut along diagonals; the point
    /// lies beside them.
    pub(super) fn middle(&self, cell: LatticeCell) -> (Point, f64) {
        let [x, z] = cell.at.map(|cells| cells as f64);
        let point = turned(self.turn, [(x + 0.47) * CELL_M, (z + 0.56) * CELL_M]);
        (point, self.surface().height(cell.polygon, point))
    }

    /// The cell of a polygon that holds a point.
    pub(super) fn cell_at(&self, polygon: u32, point: Point) -> LatticeCell {
        let [cos, sin] = self.turn;
        LatticeCell { polygon, at: turned([cos, -sin], point).map(|metres| geom::floor(metres / CELL_M)) }
    }

    /// A height range of a storey; of all where a rectangle would end within the rise of a ramp.
    pub(super) fn heights(&self, over: Rectangle, rng: &mut Rng) -> [f64; 2] {
        let meets = |cover: &Rectangle| cover.cells().any(|cell| over.holds(cell));
        let is_over_ramp =
            self.covers.iter().zip(&self.is_ramp).any(|(cover, is_ramp)| *is_ramp && meets(cover));
        let y = rng.int(0, STOREYS - 1) as f64 * STOREY_HEIGHT_M;
        if is_over_ramp || rng.chance(0.3) { [f64::NEG_INFINITY, f64::INFINITY] } else { [y - 1.0, y + 1.0] }
    }

    pub(super) fn cells(&self) -> Vec<LatticeCell> {
        let all = (0_u32..).zip(&self.covers);
        all.flat_map(|(polygon, cover)| cover.cells().map(move |at| LatticeCell { polygon, at })).collect()
    }

    /// Cells that can be reached from one another without leaving a list, side by side: a number for each.
    pub(super) fn parts(&self, free: &[LatticeCell]) -> Vec<usize> {
        let mut part: Vec<usize> = (0..free.len()).collect();
        let joints = self.joints();
        // Bounded: numbers fall until nothing changes.
        loop {
            let mut has_changed = false;
            for (at, cell) in free.iter().enumerate() {
                for beside in self.beside(*cell, &joints) {
                    if let Ok(other) = free.binary_search(&beside) {
                        let least = part[at].min(part[other]);
                        has_changed |= part[at] != part[other];
                        (part[at], part[other]) = (least, least);
                    }
                }
            }
            if !has_changed {
                return part;
            }
        }
    }

    fn beside(&self, cell: LatticeCell, joints: &[(LatticeCell, LatticeCell)]) -> Vec<LatticeCell> {
        let steps = [[1, 0], [-1, 0], [0, 1], [0, -1]];
        let within = steps.map(|step| [cell.at[0] + step[0], cell.at[1] + step[1]]).into_iter();
        let within = within.filter(|at| self.covers[cell.polygon as usize].holds(*at));
        let beyond = joints.iter().filter(|joint| joint.0 == cell).map(|joint| joint.1);
        within.map(|at| LatticeCell { at, ..cell }).chain(beyond).collect()
    }

    /// Cells beside one another on two polygons that share the edge between.
    fn joints(&self) -> Vec<(LatticeCell, LatticeCell)> {
        let surface = self.surface();
        let mut joints = Vec::new();
        for edge in (0..surface.ring.len() as u32).filter(|&edge| surface.twin[edge as usize] != NONE) {
            let [from, to] =
                [edge, surface.next(edge)].map(|edge| self.lattice[surface.ring[edge as usize] as usize]);
            let along = [0, 1].map(|axis| (to[axis] - from[axis]).signum());
            let steps = (to[0] - from[0]).abs() + (to[1] - from[1]).abs();
            for step in 0..steps {
                // The ground is to the left of its edges.
                let middle = [0, 1].map(|axis| 2 * from[axis] + (2 * step + 1) * along[axis]);
                let left = [middle[0] - along[1], middle[1] + along[0]].map(|twice| twice.div_euclid(2));
                let right = [middle[0] + along[1], middle[1] - along[0]].map(|twice| twice.div_euclid(2));
                let beyond = surface.face[surface.twin[edge as usize] as usize];
                let own = LatticeCell { polygon: surface.face[edge as usize], at: left };
                joints.push((own, LatticeCell { polygon: beyond, at: right }));
            }
        }
        joints
    }
}

fn turned([cos, sin]: [f64; 2], [x, z]: Point) -> Point {
    [cos * x - sin * z, sin * x + cos * z]
}
