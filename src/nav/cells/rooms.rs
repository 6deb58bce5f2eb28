//! What can be reached where cells may not be left in every direction.
//!
//! In: walkable bits, where cells may not be left. Out: rooms, within which everybody gets from everywhere to everywhere, and
//! from which room one gets into which. Holds: exact, so that no search is begun for a goal that cannot be reached: diagonal
//! steps need the straight ones around the same corner, and so reach nothing else. A room is what hangs together by edges that
//! may be crossed in both directions. A trap is a room that is not left: legal (fault:F36).
//! Cost: as for labels; a question costs the rooms that can be reached. Not here: the way.

use crate::base::geom::Point;
use crate::nav::Labels;
use crate::nav::cells::Bits;
use crate::nav::cells::exits::Exits;
use crate::nav::cells::layout::OFFSETS;

/// The rooms of some cells.
#[derive(Clone, Debug)]
pub(crate) struct Rooms {
    labels: Labels,
    /// From one room into another, sorted.
    onward: Vec<(u32, u32)>,
}

#[cfg(test)]
impl PartialEq for Rooms {
    fn eq(&self, other: &Self) -> bool {
        self.onward == other.onward && self.labels.runs().eq(other.labels.runs())
    }
}

impl Rooms {
    /// None where all cells may be left in every direction.
    pub(crate) fn of(bits: &Bits, exits: &Exits) -> Option<Self> {
        if exits.is_empty() {
            return None;
        }
        let (width, depth) = (bits.width(), bits.depth());
        let has_own: Vec<bool> = (0..depth).map(|z| exits.in_row(z).next().is_some()).collect();
        let is_plain = |z: u32| {
            let has = |z: u32| has_own.get(z as usize).copied().unwrap_or(false);
            !has(z) && !has(z + 1)
        };
        let is_joined = |(x, z): (u32, u32), direction| exits.is_free((z * width + x) as usize, direction);
        let labels = Labels::parted(bits, is_plain, is_joined);
        let directions: &[usize] =
            if bits.shape().is_hexagonal() { &[0, 2, 3, 4, 6, 7] } else { &[0, 2, 4, 6] };
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

    /// The cell of some rooms whose centre is nearest to a point, in cells; ties by (distance, z, x).
    pub(crate) fn closest(&self, rooms: &[bool], point: Point) -> Option<(u32, u32)> {
        self.labels.closest_where(point, f64::INFINITY, |room| rooms[room as usize])
    }
}
