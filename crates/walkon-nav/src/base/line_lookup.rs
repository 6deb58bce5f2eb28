//! Finds the points near a straight line on the ground.
//!
//! In: points in metres, a distance. Out: whether some of them lie within it of a line, and which. Holds: the
//! answer is that of a look at every point. Method: each point marks the cells of a coarse grid in which a
//! sample of a line may lie that comes near it; the grid goes round, so that its size does not depend on
//! where the points lie. A line takes a sample every few metres, and looks at points only where something is
//! marked: most lines meet nothing. Not here: what the points are.

use glam::{Vec2, Vec3};

use crate::base::geom::{Point, ground, segment_distance_sq};
use crate::base::spatial_hash::{Lookup, SpatialHash, cell_number};

#[cfg(test)]
mod tests;

/// Cells for each point, so that few lines meet marks that are not theirs.
const CELLS_PER_POINT: usize = 256;
/// The fewest and the most cells along a side of the grid, powers of two.
const SIDE_MIN: usize = 64;
const SIDE_MAX: usize = 1024;
/// A line that would take more samples than this is compared with every point.
const SAMPLES_MAX: f32 = 512.0;
/// So is a line so far from the origin, metres, that single precision rounds its samples by more than they
/// are allowed for: a millimetre at eight kilometres.
const FAR_M: f32 = 8192.0;
/// Size of a cell over the distance; from one sample of a line to the next there are as many cells as this.
const CELL_PER_REACH: f32 = 2.0;

/// See the module. `Default` has no points.
#[derive(Clone, Debug, Default)]
pub struct LineLookup {
    points: Vec<Point>,
    near: SpatialHash,
    /// One for each cell, a power of two of them; none while there are no points.
    is_marked: Vec<bool>,
    /// Cells in a row as a power of two.
    shift: u32,
    cells_per_m: f32,
    /// How far from one sample of a line to the next, at most, metres.
    sample_m: f32,
    reach_m: f32,
}

impl LineLookup {
    /// Over these points, for questions about those at most `reach_m` from a line. Cost: linear in the
    /// points.
    #[must_use]
    pub fn new(places: &[Vec3], reach_m: f32) -> Self {
        if places.is_empty() {
            return Self::default();
        }
        let cell_m = CELL_PER_REACH * reach_m.max(1.0);
        let flat: Vec<Vec2> = places.iter().map(|place| Vec2::new(place.x, place.z)).collect();
        let mut side = SIDE_MIN;
        // Bounded by the binary digits of the largest side.
        while side * side < places.len() * CELLS_PER_POINT && side < SIDE_MAX {
            side *= 2;
        }
        let mut new = Self {
            points: places.iter().copied().map(ground).collect(),
            near: SpatialHash::default(),
            is_marked: vec![false; side * side],
            shift: side.trailing_zeros(),
            cells_per_m: 1.0 / cell_m,
            sample_m: CELL_PER_REACH * cell_m,
            reach_m,
        };
        new.near.build(&flat, cell_m);
        for &point in &flat {
            new.mark(point);
        }
        new
    }

    /// Whether some point lies within reach of a straight line. Cost: a sample every few metres; the rest
    /// only where something is marked.
    #[must_use]
    pub fn is_any_near(&self, from: Vec3, to: Vec3) -> bool {
        self.any_near(from, to, |_| true)
    }

    /// Whether one of the points within reach of a straight line passes a test, which is given its number and
    /// may be asked about it more than once.
    #[inline]
    pub fn any_near(&self, from: Vec3, to: Vec3, mut test: impl FnMut(u32) -> bool) -> bool {
        if self.is_marked.is_empty() {
            return false;
        }
        let (start, way) = (Vec2::new(from.x, from.z), Vec2::new(to.x - from.x, to.z - from.z));
        let samples = way.length() / self.sample_m;
        let is_far = start.abs().max_element().max((start + way).abs().max_element()) > FAR_M;
        if samples > SAMPLES_MAX || is_far {
            return self.any_of_all([ground(from), ground(to)], test);
        }
        // One more than it takes; rounding up is a call.
        let count = samples as u32 + 1;
        let part = 1.0 / count as f32;
        for step in 0..=count {
            let sample = start + way * (step as f32 * part);
            if self.is_marked[self.slot(self.cell(sample.x), self.cell(sample.y))]
                && self.any_near_sample(sample, [ground(from), ground(to)], &mut test)
            {
                return true;
            }
        }
        false
    }

    /// The numbers of the points within reach of a straight line, in order.
    #[must_use]
    pub fn all_near(&self, from: Vec3, to: Vec3) -> Vec<u32> {
        let mut found = Vec::new();
        self.any_near(from, to, |at| {
            found.push(at);
            false
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The same by a look at every point.
    #[cold]
    fn any_of_all(&self, ends: [Point; 2], mut test: impl FnMut(u32) -> bool) -> bool {
        (0..self.points.len() as u32).any(|at| self.is_near(at, ends) && test(at))
    }

    /// Whether a point, by its number, lies within reach of a line.
    #[inline]
    fn is_near(&self, at: u32, [from, to]: [Point; 2]) -> bool {
        let reach_m_sq = f64::from(self.reach_m) * f64::from(self.reach_m);
        segment_distance_sq(self.points[at as usize], from, to) <= reach_m_sq
    }

    /// The same of the points that a sample of the line may come near.
    #[inline(never)]
    fn any_near_sample(&self, sample: Vec2, ends: [Point; 2], test: &mut dyn FnMut(u32) -> bool) -> bool {
        let mut found = false;
        self.near.visit(sample, self.sample_reach_m(), Lookup::ALL, |at, _| {
            found = found || self.is_near(at, ends) && test(at);
        });
        found
    }

    fn mark(&mut self, point: Vec2) {
        let reach = Vec2::splat(self.sample_reach_m());
        let (low, high) = (point - reach, point + reach);
        for z in self.cell(low.y)..=self.cell(high.y) {
            for x in self.cell(low.x)..=self.cell(high.x) {
                let slot = self.slot(x, z);
                self.is_marked[slot] = true;
            }
        }
    }

    /// How far from a point the nearest sample of a line can be that comes near it, metres: a little more,
    /// because sums in single precision round.
    fn sample_reach_m(&self) -> f32 {
        (self.reach_m + self.sample_m / 2.0) * 1.001
    }

    #[inline(always)]
    fn cell(&self, coordinate_m: f32) -> i32 {
        cell_number(coordinate_m * self.cells_per_m)
    }

    #[inline(always)]
    fn slot(&self, x: i32, z: i32) -> usize {
        let mask = (1 << self.shift) - 1;
        ((z as usize & mask) << self.shift) | (x as usize & mask)
    }
}
