//! Keeping off walls by moving the corners of a path, as seed 002 does it: for comparing with ground made
//! narrower by the radius.
//!
//! In: a surface, the corners of a tight line, a radius. Out: corners further from the walls. Holds: the
//! first and the last place are never moved, every place is on the ground, and every segment that is new or
//! moved is clear; where that is impossible the old corners stay, so a way through a corridor that is too
//! narrow is kept, and may touch walls. Source: seed 002, read so that a corner moves away from the wall that
//! was hit, by two radii.

use crate::base::geom::Point;
use crate::nav::mesh::locate::MeshSpot;
use crate::nav::mesh::polygon::length;
use crate::nav::mesh::topology::Topology;

/// Changes for each segment of the line as it came.
const CHANGES_MAX: usize = 2;

/// Corners moved off the walls. Cost: four lines a segment, and those that test what they lead to.
pub(crate) fn spread(surface: &Topology, corners: &[MeshSpot], radius_m: f64) -> Vec<MeshSpot> {
    let Some((&first, rest)) = corners.split_first() else { return Vec::new() };
    let mut done = vec![first];
    let mut left: Vec<MeshSpot> = rest.iter().rev().copied().collect();
    let mut changes = CHANGES_MAX * rest.len();
    // Bounded: each round finishes a segment or uses up one of the changes.
    while let Some(&next) = left.last() {
        let way = PathSegment {
            surface,
            radius_m,
            from: done[done.len() - 1],
            to: next,
            after: before_last(&left),
        };
        let change = if changes > 0 { way.change() } else { None };
        match change {
            Some(SegmentChange::Insert(new, moved)) => {
                left.pop();
                left.extend([moved, new]);
                changes -= 1;
            }
            Some(SegmentChange::Move(moved)) => {
                left.pop();
                left.push(moved);
                changes -= 1;
            }
            None => {
                done.push(next);
                left.pop();
            }
        }
    }
    done
}

/// The place after the next one.
fn before_last(left: &[MeshSpot]) -> Option<MeshSpot> {
    left.len().checked_sub(2).and_then(|at| left.get(at)).copied()
}

/// What becomes of a segment.
enum SegmentChange {
    /// A new place before the next one, and where that is now.
    Insert(MeshSpot, MeshSpot),
    /// The next place is somewhere else.
    Move(MeshSpot),
}

/// A segment of a path, and the place after it.
struct PathSegment<'a> {
    surface: &'a Topology,
    radius_m: f64,
    from: MeshSpot,
    to: MeshSpot,
    after: Option<MeshSpot>,
}

impl PathSegment<'_> {
    /// The first change that a wall near the segment asks for, and that stays clear.
    fn change(&self) -> Option<SegmentChange> {
        let long_m = length(self.from.point, self.to.point);
        if long_m <= 1e-6 {
            return None;
        }
        let ahead = [0, 1].map(|axis| (self.to.point[axis] - self.from.point[axis]) / long_m);
        [[-ahead[1], ahead[0]], [ahead[1], -ahead[0]]].into_iter().find_map(|side| self.change_beside(side))
    }

    fn change_beside(&self, side: Point) -> Option<SegmentChange> {
        let shift = side.map(|value| -2.0 * self.radius_m * value);
        let beside = moved(self.from.point, side.map(|value| self.radius_m * value));
        let across = self.surface.line(self.from, beside, &mut |_, _, _| {});
        if !across.is_clear {
            let new = self.reach(self.from, moved(across.end.point, shift))?;
            let next = self.shifted(new, shift).or_else(|| self.sees(new, self.to).then_some(self.to))?;
            return self.is_new(new).then_some(SegmentChange::Insert(new, next));
        }
        let end = moved(beside, [0, 1].map(|axis| self.to.point[axis] - self.from.point[axis]));
        let along = self.surface.line(across.end, end, &mut |_, _, _| {});
        if along.is_clear {
            return None;
        }
        if let Some(next) = self.shifted(self.from, shift) {
            return Some(SegmentChange::Move(next));
        }
        let new = self.reach(self.from, moved(along.end.point, shift))?;
        (self.is_new(new) && self.sees(new, self.to)).then_some(SegmentChange::Insert(new, self.to))
    }

    /// The next place moved, where it is not the last and both segments stay clear.
    fn shifted(&self, from: MeshSpot, shift: Point) -> Option<MeshSpot> {
        let after = self.after?;
        let next = self.reach(from, moved(self.to.point, shift))?;
        self.sees(next, after).then_some(next)
    }

    /// The end of a line, when that is clear.
    fn reach(&self, from: MeshSpot, to: Point) -> Option<MeshSpot> {
        let line = self.surface.line(from, to, &mut |_, _, _| {});
        line.is_clear.then_some(line.end)
    }

    fn sees(&self, from: MeshSpot, to: MeshSpot) -> bool {
        self.reach(from, to.point).is_some()
    }

    /// Whether a place is neither end of the segment.
    fn is_new(&self, place: MeshSpot) -> bool {
        [self.from, self.to].iter().all(|end| length(end.point, place.point) > 1e-3)
    }
}

fn moved(point: Point, by: Point) -> Point {
    [point[0] + by[0], point[1] + by[1]]
}
