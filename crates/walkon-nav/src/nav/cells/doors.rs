//! The cells that closed areas would open, and the components that they would join.
//!
//! In: the walkable cells, those that would be walkable with some areas available, component labels. Out:
//! which components such areas join, and which area comes first on the way from one to another. Holds:
//! answers need no search over cells; a cell belongs to the last listed of the closed areas around its
//! centre, one beside them all (kept blocked by a padding or a radius) to the nearest. Method: the connected
//! cells of one area are a door; doors and the components they touch are the nodes of a small graph.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::base::disjoint_sets::DisjointSets;
use crate::base::geom::{Bounds, Point};
use crate::base::ids::AreaId;
use crate::base::ordered;
use crate::nav::ConnectedComponents;
use crate::nav::cell::Cell;
use crate::nav::cells::Bits;
use crate::nav::cells::raster::Window;
use crate::nav::cells::terrain::{CellTerrain, SpanRows};
use crate::nav::cells::tiling::CellShape;

fn place_of(Cell { x, z }: Cell) -> Point {
    [f64::from(x), f64::from(z)]
}

/// Cells side by side in a row that one door would open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DoorRun {
    pub(crate) z: u32,
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// The area it belongs to.
    pub(crate) area: u32,
    /// The door: the node of this number.
    door: u32,
}

/// What a cell belongs to: connected ground, by label, or a door, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DoorPlace {
    Ground(u32),
    Door(u32),
}

/// The doors of a map and the components they join. Nodes are doors first, then components that touch one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CellDoors {
    /// By row, then from left to right.
    runs: Vec<DoorRun>,
    /// The area of each door.
    areas: Vec<u32>,
    /// Component labels and their nodes, by label.
    labels: Vec<(u32, u32)>,
    /// The least node that each node is joined with.
    roots: Vec<u32>,
    /// Pairs of joined nodes, both ways, sorted; components first list the door with the least area.
    links: Vec<(u32, u32)>,
    shape: CellShape,
}

impl CellDoors {
    /// The doors between `bare`, what is walkable, and `open`, what would be if all of the areas `shut` were
    /// available.
    pub(crate) fn of(
        terrain: &CellTerrain,
        shut: &[u32],
        bare: &Bits,
        open: &Bits,
        labels: &ConnectedComponents,
    ) -> Self {
        let runs = runs(terrain, shut, bare, open);
        let mut doors = Self { runs, shape: bare.shape(), ..Self::default() };
        if doors.runs.is_empty() {
            return doors;
        }
        doors.number_doors();
        doors.link_doors();
        doors.link_labels(bare, labels);
        doors.links.sort_unstable();
        doors.links.dedup();
        doors.find_roots();
        doors
    }

    pub(crate) fn runs(&self) -> &[DoorRun] {
        &self.runs
    }

    /// What a cell is joined with: the same number for all cells that the doors connect. None for a blocked
    /// cell and for components that touch no door.
    pub(crate) fn root(&self, labels: &ConnectedComponents, x: u32, z: u32) -> Option<u32> {
        self.node(labels, x, z).map(|node| self.roots[node as usize])
    }

    /// The same for a component.
    pub(crate) fn root_of_label(&self, label: u32) -> Option<u32> {
        let at = self.labels.binary_search_by_key(&label, |entry| entry.0).ok()?;
        Some(self.roots[self.labels[at].1 as usize])
    }

    /// The same for a run of door cells.
    pub(crate) fn root_of_run(&self, run: &DoorRun) -> u32 {
        self.roots[run.door as usize]
    }

    /// The area whose door holds a cell.
    pub(crate) fn area_at(&self, x: u32, z: u32) -> Option<u32> {
        self.run_at(x, z).map(|run| run.area)
    }

    fn run_at(&self, x: u32, z: u32) -> Option<&DoorRun> {
        let after = self.runs.partition_point(|run| (run.z, run.from) <= (z, x));
        self.runs[..after].last().filter(|run| run.z == z && x < run.to)
    }

    fn node(&self, labels: &ConnectedComponents, x: u32, z: u32) -> Option<u32> {
        match labels.label(x, z) {
            Some(label) => {
                let at = self.labels.binary_search_by_key(&label, |entry| entry.0).ok()?;
                Some(self.labels[at].1)
            }
            None => self.run_at(x, z).map(|run| run.door),
        }
    }

    /// What a cell belongs to; None for a blocked one.
    pub(crate) fn place(&self, labels: &ConnectedComponents, Cell { x, z }: Cell) -> Option<DoorPlace> {
        let door = || self.run_at(x, z).map(|run| DoorPlace::Door(run.door));
        labels.label(x, z).map(DoorPlace::Ground).or_else(door)
    }

    /// The doors and the ground that touch something.
    pub(crate) fn beside(&self, place: DoorPlace) -> impl Iterator<Item = DoorPlace> + '_ {
        let node = match place {
            DoorPlace::Door(door) => Some(door),
            DoorPlace::Ground(label) => {
                let at = self.labels.binary_search_by_key(&label, |entry| entry.0);
                at.ok().map(|at| self.labels[at].1)
            }
        };
        node.into_iter().flat_map(|node| self.neighbours(node)).map(|node| {
            match (node as usize).checked_sub(self.areas.len()) {
                Some(at) => DoorPlace::Ground(self.labels[at].0),
                None => DoorPlace::Door(node),
            }
        })
    }

    /// The area of a door.
    pub(crate) fn area(&self, place: DoorPlace) -> Option<AreaId> {
        let DoorPlace::Door(door) = place else { return None };
        self.areas.get(door as usize).map(|&area| AreaId(area))
    }

    /// The first area, none of `known`, whose door lies on the way with the fewest doors from one cell to
    /// another; of several such ways on the one that is shortest from door to door. None when the doors do
    /// not join them.
    pub(crate) fn first_between(
        &self,
        labels: &ConnectedComponents,
        from: Cell,
        to: Cell,
        known: impl Fn(AreaId) -> bool,
    ) -> Option<AreaId> {
        let (start, goal) = (self.node(labels, from.x, from.z)?, self.node(labels, to.x, to.z)?);
        if self.roots[start as usize] != self.roots[goal as usize] {
            return None;
        }
        let middles = self.middles();
        // From the goal, so that the parents lead there from the start.
        let mut parents = vec![(u32::MAX, place_of(to)); self.roots.len()];
        let mut open = BinaryHeap::from([Reverse((0_u32, 0_u64, goal, goal))]);
        // Bounded by the links: each is offered once from either end.
        while let Some(Reverse((doors, cells, node, parent))) = open.pop() {
            if parents[node as usize].0 != u32::MAX {
                continue;
            }
            let before = parents[parent as usize].1;
            let place = middles.get(node as usize).copied().unwrap_or(before);
            parents[node as usize] = (parent, place);
            for next in self.neighbours(node).filter(|&next| parents[next as usize].0 == u32::MAX) {
                let beyond = match middles.get(next as usize) {
                    Some(middle) => *middle,
                    None if next == start => place_of(from),
                    None => place,
                };
                let [dx, dz] = [0, 1].map(|axis| beyond[axis] - place[axis]);
                let on = f64::from_bits(cells) + (dx * dx + dz * dz).sqrt();
                open.push(Reverse((doors + 1, on.to_bits(), next, node)));
            }
        }
        let mut node = start;
        // Bounded by the number of nodes: each is nearer to the goal than the one before.
        while node != goal {
            node = parents[node as usize].0;
            let area = self.areas.get(node as usize).map(|&area| AreaId(area));
            if let Some(area) = area.filter(|&area| !known(area)) {
                return Some(area);
            }
        }
        None
    }

    /// By door, the middle of the rectangle around its cells, in cells.
    fn middles(&self) -> Vec<Point> {
        let mut bounds = vec![Bounds::EMPTY; self.areas.len()];
        for run in &self.runs {
            let around = &mut bounds[run.door as usize];
            around.include(place_of(Cell { x: run.from, z: run.z }));
            around.include(place_of(Cell { x: run.to - 1, z: run.z }));
        }
        bounds
            .into_iter()
            .map(|around| [0, 1].map(|axis| 0.5 * (around.min[axis] + around.max[axis])))
            .collect()
    }

    fn neighbours(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.links.partition_point(|link| link.0 < node);
        self.links[first..].iter().take_while(move |link| link.0 == node).map(|link| link.1)
    }

    /// Runs of one area that touch become one door. Doors are numbered by area, then by first run, so that
    /// lower numbers are lower areas.
    fn number_doors(&mut self) {
        let mut joined = DisjointSets::new(self.runs.len());
        for (a, b) in touching(&self.runs, self.shape) {
            if self.runs[a].area == self.runs[b].area {
                joined.join(a as u32, b as u32);
            }
        }
        let lowest = joined.all_lowest();
        let mut heads: Vec<u32> =
            (0..self.runs.len() as u32).filter(|&at| lowest[at as usize] == at).collect();
        ordered::sort_by_key(&mut heads, |&head| (self.runs[head as usize].area, head));
        let mut number = vec![0; self.runs.len()];
        for (door, &head) in heads.iter().enumerate() {
            number[head as usize] = door as u32;
        }
        for at in 0..self.runs.len() {
            self.runs[at].door = number[lowest[at] as usize];
        }
        self.areas = heads.iter().map(|&head| self.runs[head as usize].area).collect();
    }

    fn link(&mut self, a: u32, b: u32) {
        if a != b {
            self.links.extend([(a, b), (b, a)]);
        }
    }

    fn link_doors(&mut self) {
        for (a, b) in touching(&self.runs, self.shape) {
            self.link(self.runs[a].door, self.runs[b].door);
        }
    }

    fn link_labels(&mut self, bare: &Bits, labels: &ConnectedComponents) {
        let mut touched: Vec<(u32, u32)> = Vec::new();
        for run in &self.runs {
            let z = i64::from(run.z);
            let mut offer = |x: i64, z: i64| {
                if bare.at(x, z)
                    && let Some(label) = labels.label(x as u32, z as u32)
                {
                    touched.push((label, run.door));
                }
            };
            offer(i64::from(run.from) - 1, z);
            offer(i64::from(run.to), z);
            // Hexagons of the row before touch one more cell ahead, those of the row after one more behind.
            let further = i64::from(self.shape.is_hexagonal());
            let (from, to) = (i64::from(run.from), i64::from(run.to));
            for (beside, from, to) in [(z - 1, from, to + further), (z + 1, from - further, to)] {
                // One cell of each run of free cells is enough.
                (from..to).filter(|&x| x == from || !bare.at(x - 1, beside)).for_each(|x| offer(x, beside));
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for (label, door) in touched {
            if self.labels.last().is_none_or(|last| last.0 != label) {
                let node = (self.areas.len() + self.labels.len()) as u32;
                self.labels.push((label, node));
            }
            let node = self.labels[self.labels.len() - 1].1;
            self.link(node, door);
        }
    }

    fn find_roots(&mut self) {
        let mut joined = DisjointSets::new(self.areas.len() + self.labels.len());
        self.links.iter().for_each(|&(a, b)| joined.join(a, b));
        self.roots = joined.all_lowest();
    }
}

/// Pairs of runs that share an edge: side by side in a row, or one above the other.
fn touching(runs: &[DoorRun], shape: CellShape) -> Vec<(usize, usize)> {
    let further = u32::from(shape.is_hexagonal());
    let mut pairs = Vec::new();
    let mut above = 0;
    for (at, run) in runs.iter().enumerate() {
        if at > 0 && runs[at - 1].z == run.z && runs[at - 1].to == run.from {
            pairs.push((at - 1, at));
        }
        while above < at
            && (runs[above].z + 1 < run.z || runs[above].z + 1 == run.z && runs[above].to <= run.from)
        {
            above += 1;
        }
        let row =
            runs[above..at].iter().take_while(|other| other.z + 1 == run.z && other.from < run.to + further);
        pairs.extend((above..).zip(row).map(|(other, _)| (other, at)));
    }
    pairs
}

/// The runs of cells that are in `open` and not in `bare`, split by area.
fn runs(terrain: &CellTerrain, shut: &[u32], bare: &Bits, open: &Bits) -> Vec<DoorRun> {
    let mut runs = Vec::new();
    let lists = shut.iter().filter_map(|&area| terrain.area(area as usize).map(|spans| (area, spans)));
    let mut rows = SpanRows::new(lists);
    let mut owners: Vec<Option<u32>> = Vec::new();
    for z in 0..bare.depth() {
        let mut ends = Vec::new();
        let mut before = 0;
        for word in 0..bare.width().div_ceil(64) {
            let differ = open.row_word(z, word as usize) & !bare.row_word(z, word as usize);
            // Bits where a run begins or ends.
            let mut edges = differ ^ (differ << 1 | before);
            before = differ >> 63;
            while edges != 0 {
                ends.push(64 * word + edges.trailing_zeros());
                edges &= edges - 1;
            }
        }
        if before == 1 && bare.width().is_multiple_of(64) {
            ends.push(bare.width());
        }
        debug_assert!(ends.len().is_multiple_of(2), "every run that begins ends");
        for run in ends.chunks_exact(2) {
            let (from, to) = (run[0], run[1]);
            owners.clear();
            owners.resize((to - from) as usize, None);
            for &(area, spans) in rows.at(z) {
                for &[first, end] in spans.row(z) {
                    for x in first.max(from)..end.min(to) {
                        let owner = &mut owners[(x - from) as usize];
                        *owner = (*owner).max(Some(area));
                    }
                }
            }
            settle_owners(terrain, shut, &mut owners, Cell { x: from, z });
            split(&mut runs, &owners, Cell { x: from, z });
        }
    }
    runs
}

/// Gives cells beside all areas to their neighbour in the run, or to the nearest area.
fn settle_owners(terrain: &CellTerrain, shut: &[u32], owners: &mut [Option<u32>], Cell { x: from, z }: Cell) {
    for at in 1..owners.len() {
        owners[at] = owners[at].or(owners[at - 1]);
    }
    for at in (1..owners.len()).rev() {
        owners[at - 1] = owners[at - 1].or(owners[at]);
    }
    if owners.first().is_some_and(Option::is_none) {
        let away = |window: Window| {
            let dx =
                u64::from(window.first_x.saturating_sub(from).max((from + 1).saturating_sub(window.end_x)));
            let dz = u64::from(window.first_z.saturating_sub(z).max((z + 1).saturating_sub(window.end_z)));
            dx * dx + dz * dz
        };
        let areas = shut.iter().filter_map(|&area| {
            let window = terrain.area(area as usize)?.window()?;
            Some((away(window), area))
        });
        owners.fill(areas.min().map(|(_, area)| area));
    }
}

fn split(runs: &mut Vec<DoorRun>, owners: &[Option<u32>], Cell { x: mut from, z }: Cell) {
    for same in owners.chunk_by(|a, b| a == b) {
        let to = from + same.len() as u32;
        // Without any closed area nothing differs, so there is always an owner.
        if let Some(area) = same[0] {
            runs.push(DoorRun { z, from, to, area, door: 0 });
        }
        from = to;
    }
}
