//! Merges cells of one kind into few rectangles.
//!
//! In: a kind for each cell of a grid, row by row. Out: for each kind, rectangles that cover its cells
//! exactly once. Holds: runs of a row are merged along x, then equal runs of neighbouring rows along z.
//! Not here: what the kinds mean.

use std::collections::BTreeMap;

use crate::base::geom::Bounds;

/// A grid of cells in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice {
    /// Corner with the smallest x and z, metres.
    pub min: [f64; 2],
    /// Width and depth of a cell, metres.
    pub cell_m: [f64; 2],
    /// Cells along x.
    pub width: u32,
    /// Cells along z.
    pub depth: u32,
}

impl Lattice {
    /// The rectangle of the cells from (x0, z0) to (x1, z1), both ends included.
    pub fn rectangle(&self, x: [u32; 2], z: [u32; 2]) -> Bounds {
        let at = |axis: usize, cell: u32| self.min[axis] + f64::from(cell) * self.cell_m[axis];
        Bounds { min: [at(0, x[0]), at(1, z[0])], max: [at(0, x[1] + 1), at(1, z[1] + 1)] }
    }
}

/// Cells of one kind side by side, on every row since one.
#[derive(Clone, Copy)]
struct OpenRun<K> {
    first: u32,
    last: u32,
    kind: K,
    /// The row it began in.
    from: u32,
}

/// Rectangles by kind. Cells for which `kind` is none are left out.
/// Cost: one call of `kind` a cell; memory by the number of runs.
pub(super) fn merge<K: Copy + Ord>(
    lattice: &Lattice,
    mut kind: impl FnMut(u32, u32) -> Option<K>,
) -> BTreeMap<K, Vec<Bounds>> {
    let mut blocks: BTreeMap<K, Vec<Bounds>> = BTreeMap::new();
    // Runs of the row above that may go on, by their first cells.
    let mut open: Vec<OpenRun<K>> = Vec::new();
    for z in 0..lattice.depth {
        let runs = row_runs(lattice.width, |x| kind(x, z));
        let mut next = Vec::with_capacity(runs.len());
        let mut above = open.iter().peekable();
        for (first, last, kind) in runs {
            // Bounded by the runs of the row above: each is passed once.
            while above.peek().is_some_and(|run| run.first < first) {
                if let Some(run) = above.next() {
                    close(lattice, &mut blocks, *run, z);
                }
            }
            match above.peek() {
                Some(run) if (run.first, run.last, run.kind) == (first, last, kind) => {
                    next.push(**run);
                    above.next();
                }
                _ => next.push(OpenRun { first, last, kind, from: z }),
            }
        }
        for run in above {
            close(lattice, &mut blocks, *run, z);
        }
        open = next;
    }
    for run in open {
        close(lattice, &mut blocks, run, lattice.depth);
    }
    blocks
}

fn close<K: Copy + Ord>(lattice: &Lattice, blocks: &mut BTreeMap<K, Vec<Bounds>>, run: OpenRun<K>, to: u32) {
    let rectangle = lattice.rectangle([run.first, run.last], [run.from, to - 1]);
    blocks.entry(run.kind).or_default().push(rectangle);
}

fn row_runs<K: Copy + Ord>(width: u32, mut kind: impl FnMut(u32) -> Option<K>) -> Vec<(u32, u32, K)> {
    let mut runs: Vec<(u32, u32, K)> = Vec::new();
    for x in 0..width {
        let Some(kind) = kind(x) else { continue };
        match runs.last_mut() {
            Some(run) if run.1 + 1 == x && run.2 == kind => run.1 = x,
            _ => runs.push((x, x, kind)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_covered_exactly_once_by_its_own_kind() {
        let rows = ["##..##", "##..##", "#....#", "######", "..#..#"];
        let lattice = Lattice { min: [10.0, -3.0], cell_m: [0.5; 2], width: 6, depth: 5 };
        let kind = |x: u32, z: u32| rows[z as usize].chars().nth(x as usize);
        let blocks = merge(&lattice, kind);
        for z in 0..5 {
            for x in 0..6 {
                let centre = [10.25 + 0.5 * f64::from(x), -2.75 + 0.5 * f64::from(z)];
                let covering: Vec<char> = blocks
                    .iter()
                    .flat_map(|(kind, list)| {
                        list.iter().filter(|block| block.contains(centre)).map(|_| *kind)
                    })
                    .collect();
                assert_eq!(covering, vec![kind(x, z).unwrap()], "cell {x}, {z}");
            }
        }
    }

    #[test]
    fn equal_rows_become_one_rectangle() {
        let lattice = Lattice { min: [0.0, 0.0], cell_m: [1.0; 2], width: 4, depth: 3 };
        let blocks = merge(&lattice, |x, _| (x < 3).then_some('#'));
        assert_eq!(blocks[&'#'], vec![Bounds { min: [0.0, 0.0], max: [3.0, 3.0] }]);
    }
}
