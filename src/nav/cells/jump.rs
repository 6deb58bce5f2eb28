//! Search over cells of even cost: jump points, or single steps in canonical order where clutter is high.
//!
//! In: walkable bits. Out: a `Search` that found the cheapest way. Holds: costs equal those of the weighted kernel.
//! A node is expanded only in the directions that its arrival leaves worth trying; a node reached at equal cost from
//! another side is expanded in the directions that adds. Only ends of straight scans enter the queue: turning points
//! of diagonals are passed through. Charge: 1 a pop, one more for every 16 words read beyond the first 16.
//! Not here: factors, gates, one-way cells; `cells/weighted.rs` serves those.
//! Source: Harabor and Grastien, jump points 2011, block scans and pruning 2014; Sturtevant and Rabin 2016.

use crate::nav::cells::Bits;
use crate::nav::cells::layout::{CANONICAL, FACTOR_ONE, LEGAL, OFFSETS, Unit};
use crate::nav::search::{Ends, Kernel, Record, Search, Step};

/// Mean run of walkable cells below which single steps beat jumps. Cells.
const CLUTTER_RUN: u64 = 6;

/// Words read that count as one expansion.
const BLOCKS_PER_UNIT: u32 = 16;

/// How a search over even cells gets on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// By jump points: few expansions, each a number of scans. Best where there is open space.
    Leaps,
    /// By single steps in canonical order: best where clutter ends every scan after a few cells.
    Steps,
}

impl Pace {
    /// The faster pace on a map. Cost: constant.
    #[must_use]
    pub fn of(bits: &Bits) -> Self {
        if bits.mean_run() < CLUTTER_RUN { Self::Steps } else { Self::Leaps }
    }
}

/// A node about to be expanded, or a turning point on the way from it.
#[derive(Clone, Copy)]
struct Place {
    x: u32,
    z: u32,
    g: u32,
}

impl Search {
    /// Begins a search over cells that all cost the same. A start or goal that is not walkable exhausts it at once.
    pub fn begin_jump(&mut self, bits: &Bits, ends: Ends) {
        let cells = u64::from(bits.width()) * u64::from(bits.depth());
        self.begin_jump_in(bits, Unit::for_map(cells, FACTOR_ONE), Pace::of(bits), ends);
    }

    /// The same with the cost of a step given, for maps on which one factor other than one is in use, and the pace.
    pub fn begin_jump_in(&mut self, bits: &Bits, unit: Unit, pace: Pace, ends: Ends) {
        let kernel = if pace == Pace::Steps { Kernel::Canonical } else { Kernel::Jump };
        if self.begin_cells(kernel, bits, unit, ends) {
            let (x, z) = self.columns.split(ends.start.0);
            let directions = LEGAL[bits.around(ends.start.0) as usize];
            self.records[ends.start.index()].stamp = self.generation << 8 | u32::from(directions);
            self.queue.push(self.to_go(x, z), ends.start.0 << 8 | u32::from(directions));
        }
    }

    /// Goes on with a search over cells that all cost the same until it ends or has spent `allowance` expansions.
    pub fn step_jump(&mut self, bits: &Bits, allowance: u32) -> Step {
        match self.kernel {
            Kernel::Canonical => {
                self.run_jump(allowance, |search, at, id, left| search.walk(bits, at, id, left))
            }
            _ => self.run_jump(allowance, |search, at, id, left| search.leap(bits, at, id, left)),
        }
    }

    #[inline(always)]
    fn run_jump(&mut self, allowance: u32, expand: impl Fn(&mut Self, Place, u32, u32) -> u32) -> Step {
        let stop_at = self.spent.saturating_add(allowance);
        // Bounded by the allowance, and by eight entries for every improvement of a cell.
        while self.state == Step::Running && self.spent < stop_at {
            let Some((f, value)) = self.queue.pop_below(self.best) else { return self.finish() };
            let id = value >> 8;
            let g = self.records[id as usize].g;
            let (x, z) = self.columns.split(id);
            if f < self.best && f == g + self.to_go(x, z) {
                let units = expand(self, Place { x, z, g }, id, value & 0xff);
                self.charge(id, units);
            }
        }
        self.state
    }

    /// Records a way to a cell and queues the directions in which it is worth going on.
    #[inline(always)]
    fn relax(&mut self, at: Place, id: u32, parent: u32, directions: u8) {
        let f = at.g + self.to_go(at.x, at.z);
        if f >= self.best {
            return;
        }
        let record = &mut self.records[id as usize];
        let current = record.stamp >> 8 == self.generation;
        let mut directions = u32::from(directions);
        if !current || at.g < record.g {
            *record = Record { g: at.g, parent, stamp: self.generation << 8 | directions };
        } else {
            if at.g > record.g {
                return;
            }
            directions &= !record.stamp;
            record.stamp |= directions;
        }
        if directions & 0xff != 0 {
            self.queue.push(f, id << 8 | directions & 0xff);
        }
    }

    /// Records a way to the goal.
    #[inline(always)]
    fn reach(&mut self, g: u32, parent: u32) {
        if g < self.best {
            self.best = g;
            self.records[self.ends.goal.index()] = Record { g, parent, stamp: self.generation << 8 };
        }
    }

    /// Expands a node by single steps.
    #[inline(always)]
    fn walk(&mut self, bits: &Bits, from: Place, id: u32, mut left: u32) -> u32 {
        while left != 0 {
            let direction = left.trailing_zeros() as usize;
            left &= left - 1;
            let (dx, dz) = OFFSETS[direction];
            let to = id.wrapping_add_signed(dx + dz * bits.width() as i32);
            let step = if direction & 1 != 0 { self.unit.diagonal } else { self.unit.straight };
            if to == self.ends.goal.0 {
                self.reach(from.g + step, id);
                continue;
            }
            let next = CANONICAL[direction][bits.around(to) as usize];
            if next != 0 {
                let (x, z) = (from.x.wrapping_add_signed(dx), from.z.wrapping_add_signed(dz));
                self.relax(Place { x, z, g: from.g + step }, to, id, next);
            }
        }
        1
    }

    /// Expands a node by jumps.
    #[inline(always)]
    fn leap(&mut self, bits: &Bits, from: Place, id: u32, mut left: u32) -> u32 {
        let mut blocks = 0;
        while left != 0 {
            let direction = left.trailing_zeros();
            left &= left - 1;
            match direction {
                0 => self.scan::<0>(bits, from, id, &mut blocks),
                1 => self.slant::<1, 0, 2>(bits, from, id, &mut blocks),
                2 => self.scan::<2>(bits, from, id, &mut blocks),
                3 => self.slant::<3, 4, 2>(bits, from, id, &mut blocks),
                4 => self.scan::<4>(bits, from, id, &mut blocks),
                5 => self.slant::<5, 4, 6>(bits, from, id, &mut blocks),
                6 => self.scan::<6>(bits, from, id, &mut blocks),
                _ => self.slant::<7, 0, 6>(bits, from, id, &mut blocks),
            }
        }
        (blocks / BLOCKS_PER_UNIT).max(1)
    }

    /// Looks straight ahead from a place for the next cell where turning is worth it, or the goal.
    #[inline(always)]
    fn scan<const DIRECTION: usize>(&mut self, bits: &Bits, from: Place, parent: u32, blocks: &mut u32) {
        let (goal_x, goal_z) = self.goal_cell;
        let (stop, open) = match DIRECTION {
            0 => bits.rows().rise(from.z, from.x, blocks),
            2 => bits.columns().rise(from.x, from.z, blocks),
            4 => bits.rows().fall(from.z, from.x, blocks),
            _ => bits.columns().fall(from.x, from.z, blocks),
        };
        let passed = match DIRECTION {
            0 => from.z == goal_z && from.x < goal_x && goal_x <= stop,
            2 => from.x == goal_x && from.z < goal_z && goal_z <= stop,
            // A stop before the first cell has wrapped around: nothing lies behind it.
            4 => from.z == goal_z && goal_x < from.x && stop.wrapping_add(1) <= goal_x + 1,
            _ => from.x == goal_x && goal_z < from.z && stop.wrapping_add(1) <= goal_z + 1,
        };
        if passed {
            let steps = from.x.abs_diff(goal_x) + from.z.abs_diff(goal_z);
            self.reach(from.g + steps * self.unit.straight, parent);
        } else if open {
            let (x, z) = if DIRECTION & 3 == 0 { (stop, from.z) } else { (from.x, stop) };
            let steps = from.x.abs_diff(x) + from.z.abs_diff(z);
            let id = z * bits.width() + x;
            let place = Place { x, z, g: from.g + steps * self.unit.straight };
            self.relax(place, id, parent, CANONICAL[DIRECTION][bits.around(id) as usize]);
        }
    }

    /// Goes along a diagonal and looks both ways from every cell of it.
    #[inline(always)]
    fn slant<const DIRECTION: usize, const ALONG_X: usize, const ALONG_Z: usize>(
        &mut self,
        bits: &Bits,
        from: Place,
        parent: u32,
        blocks: &mut u32,
    ) {
        let (dx, dz) = OFFSETS[DIRECTION];
        let stride = dx + dz * bits.width() as i32;
        let (mut at, mut id) = (from, parent);
        // Bounded by the edge of the map, around which nothing is walkable.
        while LEGAL[bits.around(id) as usize] >> DIRECTION & 1 != 0 {
            id = id.wrapping_add_signed(stride);
            at.x = at.x.wrapping_add_signed(dx);
            at.z = at.z.wrapping_add_signed(dz);
            at.g += self.unit.diagonal;
            if id == self.ends.goal.0 {
                self.reach(at.g, parent);
                return;
            }
            self.scan::<ALONG_X>(bits, at, parent, blocks);
            self.scan::<ALONG_Z>(bits, at, parent, blocks);
        }
    }
}
