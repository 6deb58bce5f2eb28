//! The cost of steps on every layout, and the legal steps on layouts without corners.
//!
//! In: the shape of cells, a unit, a factor. Out: the cost of a step in each direction, and of the cheapest
//! way between two cells on open ground of one factor. Holds: a step costs the distance of the centres,
//! rounded to nearest, times the factor; the cheapest way over open ground is never more expensive than any
//! way there is. Not here: searches (`tile_astar`).

use crate::nav::cell::Cell;
use crate::nav::cells::layout::{Neighbours, OFFSETS, Rates, Unit};
use crate::nav::cells::tiling::CellShape;

/// The six directions of hexagons, as bits.
const SIX: u8 = 0b1101_1101;
/// The four directions across edges.
const FOUR: u8 = 0b0101_0101;

/// Legal steps by what lies around.
pub(crate) const LEGAL_SIX: [u8; 256] = masked(SIX);
/// The same where only edges count.
pub(crate) const LEGAL_FOUR: [u8; 256] = masked(FOUR);

const fn masked(mask: u8) -> [u8; 256] {
    let mut table = [0; 256];
    let mut around = 0;
    while around < 256 {
        table[around] = around as u8 & mask;
        around += 1;
    }
    table
}

/// What a step costs at factor 1 by direction, of two opposite ones the lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Strides([u32; 4]);

impl Strides {
    /// The distances of the centres of neighbours, in the unit of the map, rounded to nearest.
    pub(crate) fn new(unit: Unit, shape: CellShape) -> Self {
        if shape.is_plain() {
            return Self([unit.straight, unit.diagonal, unit.straight, unit.diagonal]);
        }
        let length = |direction: usize| {
            let (dx, dz) = OFFSETS[direction];
            let length = shape.metric.length_sq(f64::from(dx), f64::from(dz)).sqrt();
            ((length * f64::from(unit.straight)).round() as u32).max(1)
        };
        Self([0, 1, 2, 3].map(length))
    }

    /// A step in some direction at factor 1.
    #[inline(always)]
    pub(crate) fn length(self, direction: usize) -> u32 {
        self.0[direction & 3]
    }

    /// What the cheapest way costs between cells when nothing is in the way, on ground of one factor.
    pub(crate) fn norm(self, neighbours: Neighbours, factor: u16) -> Norm {
        let rates = self.rates();
        let [x, same, z, opposite] = [0, 1, 2, 3].map(|direction| rates.cost(direction, factor));
        // Where there is no such step, it takes the two along the axes.
        match neighbours {
            Neighbours::Eight => Norm { x, z, same, opposite },
            Neighbours::Four => Norm { x, z, same: x + z, opposite: x + z },
            Neighbours::Six => Norm { x, z, same: x + z, opposite },
        }
    }

    /// Whether the steps of a neighbourhood all cost the same.
    pub(crate) fn are_equal(self, neighbours: Neighbours) -> bool {
        let [x, _, z, opposite] = self.0;
        x == z && (neighbours == Neighbours::Four || neighbours == Neighbours::Six && opposite == x)
    }

    /// Step costs per factor.
    pub(crate) fn rates(self) -> StepRates {
        StepRates(self.0.map(|straight| Rates::new(Unit { straight, diagonal: straight })))
    }
}

/// Costs of differences of cells, by sign: along the axes, and for both at once in the same or in opposite
/// directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Norm {
    x: u32,
    z: u32,
    same: u32,
    opposite: u32,
}

impl Norm {
    /// Of a difference of cells.
    #[inline(always)]
    pub(crate) fn of(self, dx: i32, dz: i32) -> u32 {
        let (x, z) = (dx.unsigned_abs(), dz.unsigned_abs());
        let both = x.min(z);
        let slant = if (dx ^ dz) < 0 { self.opposite } else { self.same };
        let cost = u64::from(both) * u64::from(slant)
            + u64::from(x - both) * u64::from(self.x)
            + u64::from(z - both) * u64::from(self.z);
        cost.min(u64::from(u32::MAX)) as u32
    }
}

impl Norm {
    /// The cost of the cheaper step along an axis.
    pub(crate) fn shortest(self) -> u32 {
        self.x.min(self.z)
    }

    /// No step costs less.
    pub(crate) fn least_of_step(self) -> u32 {
        self.x.min(self.z).min(self.same).min(self.opposite)
    }

    /// From one cell to another.
    #[inline(always)]
    pub(crate) fn between(self, from: Cell, to: Cell) -> u32 {
        self.of(to.x as i32 - from.x as i32, to.z as i32 - from.z as i32)
    }
}

/// Step costs per fixed-point factor, by direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepRates([Rates; 4]);

impl StepRates {
    #[inline(always)]
    pub(crate) fn cost(&self, direction: usize, factor: u16) -> u32 {
        self.0[direction & 3].straight(factor)
    }
}
