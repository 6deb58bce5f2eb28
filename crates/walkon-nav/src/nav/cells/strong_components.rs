//! Strongly connected components: reachability where cells may not be left in every direction.
//!
//! In: walkable bits, where cells may not be left. Out: rooms, within which every cell can be reached from
//! every other, and the rooms that can be entered from each. Holds: exact, so no search begins for a goal
//! that cannot be reached: diagonal steps need the straight ones around the same corner, and so reach nothing
//! else. A room is a set of cells connected by edges that may be crossed in both directions. A trap is a room
//! that is not left: legal (fault:F36). Cost: as for labels; a question costs the rooms that can be reached.
//! Not here: the way.

use crate::base::geom::Point;
use crate::nav::ConnectedComponents;
use crate::nav::cell::Cell;
use crate::nav::cells::Bits;
use crate::nav::cells::cell_directions::CellDirections;
use crate::nav::cells::layout::OFFSETS;
use crate::nav::cells::tiling::CellShape;

/// The rooms of some cells.
#[derive(Clone, Debug)]
pub(crate) struct StrongComponents {
    labels: ConnectedComponents,
    /// From one room into another, sorted.
    onward: Vec<(u32, u32)>,
}

/// The directions across an edge of a cell.
pub(crate) fn step_directions(shape: CellShape) -> &'static [usize] {
    if shape.is_hexagonal() { &[0, 2, 3, 4, 6, 7] } else { &[0, 2, 4, 6] }
}

/// Goes through everything that was not seen yet and is led to from a room by sorted steps, depth first;
/// tells each room once all behind it have been told.
fn explore(steps: &[(u32, u32)], start: u32, seen: &mut [bool], mut leave: impl FnMut(u32)) {
    if std::mem::replace(&mut seen[start as usize], true) {
        return;
    }
    let first = |room: u32| steps.partition_point(|step| step.0 < room);
    let mut path = vec![(start, first(start))];
    // Bounded by the rooms and the steps: each is taken once.
    while let Some((room, next)) = path.last_mut() {
        match steps.get(*next).filter(|step| step.0 == *room) {
            Some(&(_, to)) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    path.push((to, first(to)));
                }
            }
            None => {
                leave(*room);
                path.pop();
            }
        }
    }
}

#[cfg(test)]
impl PartialEq for StrongComponents {
    fn eq(&self, other: &Self) -> bool {
        self.onward == other.onward && self.labels.runs().eq(other.labels.runs())
    }
}

impl StrongComponents {
    /// None where all cells may be left in every direction.
    pub(crate) fn of(bits: &Bits, exits: &CellDirections) -> Option<Self> {
        if exits.is_empty() {
            return None;
        }
        let (width, depth) = (bits.width(), bits.depth());
        let has_own: Vec<bool> = (0..depth).map(|z| exits.in_row(z).next().is_some()).collect();
        let is_plain = |z: u32| {
            let has = |z: u32| has_own.get(z as usize).copied().unwrap_or(false);
            !has(z) && !has(z + 1)
        };
        let is_joined = |Cell { x, z }: Cell, direction| exits.is_free((z * width + x) as usize, direction);
        let labels = ConnectedComponents::parted(bits, is_plain, is_joined);
        let directions = step_directions(bits.shape());
        let mut onward = Vec::new();
        for z in 0..depth {
            for (x, leave) in exits.in_row(z).filter(|&(x, _)| bits.get(x, z)) {
                for &direction in directions {
                    let (dx, dz) = OFFSETS[direction];
                    let (to_x, to_z) = (x.wrapping_add_signed(dx), z.wrapping_add_signed(dz));
                    let (Some(own), Some(other)) = (labels.label(x, z), labels.label(to_x, to_z)) else {
                        continue;
                    };
                    let back = exits.leave((to_z * width + to_x) as usize) >> (direction ^ 4) & 1 == 0;
                    let forth = leave >> direction & 1 == 0;
                    onward.extend((forth && own != other).then_some((own, other)));
                    onward.extend((back && own != other).then_some((other, own)));
                }
            }
        }
        onward.sort_unstable();
        onward.dedup();
        Some(Self { labels, onward })
    }

    /// The room of a cell; None for a blocked one.
    pub(crate) fn room(&self, x: u32, z: u32) -> Option<u32> {
        self.labels.label(x, z)
    }

    /// The rooms that can be reached from a cell, by room; None for a blocked one.
    pub(crate) fn reached_from(&self, x: u32, z: u32) -> Option<Vec<bool>> {
        let start = self.room(x, z)?;
        let mut reached = vec![false; self.labels.count() as usize];
        reached[start as usize] = true;
        let mut waiting = vec![start];
        // Bounded by the rooms: each waits once.
        while let Some(room) = waiting.pop() {
            let first = self.onward.partition_point(|step| step.0 < room);
            for &(_, next) in self.onward[first..].iter().take_while(|step| step.0 == room) {
                if !std::mem::replace(&mut reached[next as usize], true) {
                    waiting.push(next);
                }
            }
        }
        Some(reached)
    }

    /// Which rooms cannot be left for good, once entered: by room the number of the group of rooms that lead
    /// to one another and to no other, and are entered from elsewhere. Groups are numbered from 0. Cost: the
    /// rooms and the ways between them.
    pub(crate) fn traps(&self) -> Vec<Option<u32>> {
        let groups = self.groups();
        let count = groups.iter().max().map_or(0, |last| last + 1) as usize;
        let (mut is_left, mut is_entered) = (vec![false; count], vec![false; count]);
        for &(from, to) in &self.onward {
            let (from, to) = (groups[from as usize] as usize, groups[to as usize] as usize);
            if from != to {
                (is_left[from], is_entered[to]) = (true, true);
            }
        }
        let is_trap = |group: u32| is_entered[group as usize] && !is_left[group as usize];
        groups.into_iter().map(|group| is_trap(group).then_some(group)).collect()
    }

    /// By room the number of the group of rooms that lead to one another.
    /// Source: depth first there, then back in reverse order, Kosaraju 1978.
    fn groups(&self) -> Vec<u32> {
        let count = self.labels.count() as usize;
        let mut backward: Vec<(u32, u32)> = self.onward.iter().map(|&(from, to)| (to, from)).collect();
        backward.sort_unstable();
        let (mut order, mut seen) = (Vec::with_capacity(count), vec![false; count]);
        for room in 0..count as u32 {
            explore(&self.onward, room, &mut seen, |left| order.push(left));
        }
        let (mut groups, mut seen, mut group) = (vec![0; count], vec![false; count], 0);
        for &room in order.iter().rev().filter(|_| count > 0) {
            if !seen[room as usize] {
                explore(&backward, room, &mut seen, |left| groups[left as usize] = group);
                group += 1;
            }
        }
        groups
    }

    /// The rooms.
    pub(crate) fn labels(&self) -> &ConnectedComponents {
        &self.labels
    }

    /// The cell of some rooms whose centre is nearest to a point, in cells; ties by (distance, z, x).
    pub(crate) fn closest(&self, is_wanted: &dyn Fn(u32) -> bool, point: Point) -> Option<Cell> {
        self.labels.closest_where(point, f64::INFINITY, is_wanted)
    }
}
