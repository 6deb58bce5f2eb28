//! One-way cells, which may not be left in every direction: doors that fall shut, ledges, belts.
//!
//! In: a byte a cell with the directions in which it may not be left. Out: the steps it forbids, and the
//! edges between cells that nobody may cross in some direction. Holds: a step along a diagonal crosses a
//! corner and so is forbidden where one of the four edges that meet there is, in its direction, or the
//! diagonal itself; a straight line is where it crosses such an edge or corner. So every way that a search
//! finds can be walked in straight lines from cell to cell, and no straight line leads where a search could
//! not. Maps without such cells keep and pay nothing. Not here: reachability under these rules
//! (`strong_components`).

use crate::base::geom::Point;
use crate::base::hash::StateHash;
use crate::nav::cell::Cell;
use crate::nav::cells::layout::{Neighbours, OFFSETS};
use crate::nav::cells::{MapFrame, hex, line_of_sight};

/// Set in what is kept of a cell when one of it and the eight around it may not be left in every direction.
pub(crate) const NEAR: u16 = 1 << 8;

/// Where cells may not be left. `Default` is nowhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CellDirections {
    /// As authored, by cell; empty when there are none.
    leave: Vec<u8>,
    /// By cell, in the lower byte: the directions in which no step may be taken; and [`NEAR`]. Empty when
    /// there are none.
    steps: Vec<u16>,
    /// Cells that may not be left in some direction.
    count: u32,
    width: u32,
    /// Whether steps along diagonals cross corners: on all layouts but hexagons.
    corners: bool,
}

impl CellDirections {
    pub(crate) fn new(frame: &MapFrame, leave: &[u8]) -> Self {
        let count = leave.iter().filter(|&&directions| directions != 0).count() as u32;
        if count == 0 {
            return Self::default();
        }
        let steps = vec![0; leave.len()];
        let corners = frame.tiling.neighbours() != Neighbours::Six;
        let mut exits = Self { leave: leave.to_vec(), steps, count, width: frame.width, corners };
        for z in 0..frame.depth {
            for x in 0..frame.width {
                exits.follow(frame, x, z);
            }
        }
        exits
    }

    /// Whether all cells may be left in every direction.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The directions in which a cell may not be left.
    pub(crate) fn leave(&self, cell: usize) -> u8 {
        self.leave.get(cell).copied().unwrap_or(0)
    }

    /// For kernels: by cell the directions in which no step may be taken, and [`NEAR`].
    pub(crate) fn steps(&self) -> &[u16] {
        &self.steps
    }

    /// Changes a cell of the map. Cost: constant, but for the first cell and the last.
    pub(crate) fn set(&mut self, frame: &MapFrame, Cell { x, z }: Cell, leave: u8) {
        if self.leave.is_empty() {
            let cells = frame.cell_count() as usize;
            (self.leave, self.steps, self.width) = (vec![0; cells], vec![0; cells], frame.width);
            self.corners = frame.tiling.neighbours() != Neighbours::Six;
        }
        let before = std::mem::replace(&mut self.leave[(z * frame.width + x) as usize], leave);
        self.count = self.count + u32::from(leave != 0) - u32::from(before != 0);
        if self.count == 0 {
            *self = Self::default();
            return;
        }
        for z in z.saturating_sub(1)..(z + 2).min(frame.depth) {
            for x in x.saturating_sub(1)..(x + 2).min(frame.width) {
                self.follow(frame, x, z);
            }
        }
    }

    /// Works out what is kept of a cell.
    fn follow(&mut self, frame: &MapFrame, x: u32, z: u32) {
        let beside = |direction: usize| {
            let (dx, dz) = OFFSETS[direction];
            let (x, z) = (x.wrapping_add_signed(dx), z.wrapping_add_signed(dz));
            if x < frame.width && z < frame.depth { self.leave[(z * frame.width + x) as usize] } else { 0 }
        };
        let own = self.leave[(z * frame.width + x) as usize];
        let mut steps = u16::from(own);
        if own != 0 || (0..8).any(|direction| beside(direction) != 0) {
            steps |= NEAR;
        }
        let diagonals: &[usize] = if self.corners { &[1, 3, 5, 7] } else { &[] };
        for &diagonal in diagonals {
            let sides = [diagonal - 1, (diagonal + 1) & 7];
            let crosses = |side: usize, other: usize| own >> side & 1 != 0 || beside(side) >> other & 1 != 0;
            if crosses(sides[0], sides[1]) || crosses(sides[1], sides[0]) {
                steps |= 1 << diagonal;
            }
        }
        self.steps[(z * frame.width + x) as usize] = steps;
    }

    /// Whether no edge between two neighbours may be crossed in one direction only: from a cell in a straight
    /// direction.
    pub(crate) fn is_free(&self, cell: usize, direction: usize) -> bool {
        let (dx, dz) = OFFSETS[direction];
        let beside = cell.wrapping_add_signed(dx as isize + dz as isize * self.width as isize);
        self.leave(cell) >> direction & 1 == 0 && self.leave(beside) >> (direction ^ 4) & 1 == 0
    }

    /// Whether all cells within some columns and rows, first and last, may be left in every direction.
    pub(crate) fn is_empty_within(&self, [first_x, last_x, first_z, last_z]: [i64; 4]) -> bool {
        let is_free = |x: i64, z: i64| {
            !(0..i64::from(self.width)).contains(&x)
                || z < 0
                || self.leave(z as usize * self.width as usize + x as usize) == 0
        };
        self.is_empty() || (first_z..=last_z).all(|z| (first_x..=last_x).all(|x| is_free(x, z)))
    }

    /// Cells of a row that may not be left in every direction.
    pub(crate) fn in_row(&self, z: u32) -> impl Iterator<Item = (u32, u8)> + '_ {
        let row = if self.leave.is_empty() {
            0..0
        } else {
            z as usize * self.width as usize..(z as usize + 1) * self.width as usize
        };
        (0..).zip(&self.leave[row]).filter(|(_, leave)| **leave != 0).map(|(x, leave)| (x, *leave))
    }

    /// Where a straight line first crosses an edge or a corner in a direction that is forbidden: the part of
    /// it before that, 0 to 1. Points in cells, as for `sight`.
    pub(crate) fn wrong_way(&self, from: Point, to: Point) -> Option<f64> {
        if self.is_empty() {
            return None;
        }
        let forbids = |x: i64, z: i64, direction: usize| {
            let inside = x >= 0 && z >= 0 && x < i64::from(self.width);
            let cell = if inside { z as usize * self.width as usize + x as usize } else { usize::MAX };
            self.leave(cell) >> direction & 1 != 0
        };
        let depth = (self.leave.len() / self.width.max(1) as usize) as u32;
        // Of a line that comes from far beyond the map, or leads there, what lies near it.
        let size = [self.width, depth];
        let last = line_of_sight::part_near_map(size, from, to);
        let first = 1.0 - line_of_sight::part_near_map(size, to, from);
        let [begin, end] = [first, last].map(|part| line_of_sight::point_after(part, from, to));
        let found = match first < last {
            true if self.corners => line_of_sight::first_edge(begin, end, forbids),
            true => hex::first_edge(begin, end, forbids),
            false => None,
        };
        found.map(|part| first + part * (last - first))
    }

    /// Whether one may walk straight.
    pub(crate) fn is_clear(&self, from: Point, to: Point) -> bool {
        self.wrong_way(from, to).is_none()
    }

    /// Mixes in all of it; nothing when there is none.
    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        for (cell, &leave) in (0_u64..).zip(&self.leave).filter(|(_, leave)| **leave != 0) {
            hash.word(cell << 8 | u64::from(leave));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn cells_changed_one_by_one_are_kept_as_if_they_had_been_authored_so() {
        let mut rng = Rng::stream(1, "exits");
        let frame = MapFrame { width: 7, depth: 5, ..MapFrame::default() };
        let (mut leave, mut exits) = (vec![0; 35], CellDirections::default());
        for round in 0..2000 {
            let (x, z) = (rng.below(7) as u32, rng.below(5) as u32);
            let new = if rng.chance(0.7) { 0 } else { rng.below(256) as u8 };
            leave[(z * 7 + x) as usize] = new;
            exits.set(&frame, Cell { x, z }, new);
            assert!(exits == CellDirections::new(&frame, &leave), "round {round}");
        }
    }
}
