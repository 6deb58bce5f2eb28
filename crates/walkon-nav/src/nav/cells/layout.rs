//! Layouts of cells; eight directions and which of them are steps, canonical steps, step costs.
//!
//! In: what lies around a cell (eight bits), factors, cell differences. Out: directions as bit masks, integer
//! costs. Holds: a diagonal is legal only between two walkable cells; directions run clockwise seen from
//! above with +x to the right and +z down, even ones straight, so `d ^ 4` is the way back; step costs never
//! fall as factors rise. Every layout has its steps among the same eight differences: four and six neighbours
//! are masks over them. Not here: storage of cells, places in the world (`tiling`). Source: canonical
//! ordering, Sturtevant and Rabin 2016; jump-point pruning without corner cutting, Harabor and Grastien 2012.

use crate::nav::cell::Cell;

/// How the tiles of a map lie and which of them are neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Squares (or rectangles) in rows; steps across edges, and across corners between two walkable tiles.
    #[default]
    Square8,
    /// The same with steps across edges only.
    Square4,
    /// Diamonds in rows half a depth apart, every other row moved by half a width; steps across edges, and
    /// across corners between two walkable tiles, as on the squares that they are when turned.
    StaggeredRows(Stagger),
    /// Diamonds in columns half a width apart, every other column moved by half a depth.
    StaggeredColumns(Stagger),
    /// Hexagons with a corner towards -z, in rows; every other row is moved by half a width. Six steps across
    /// edges.
    HexPointy(Stagger),
    /// Hexagons with a corner towards +x, in columns; every other column is moved by half a depth.
    HexFlat(Stagger),
}

/// Which lines of tiles, counted from 0, are moved by half a tile towards +x or +z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stagger {
    /// Those with an odd number.
    #[default]
    Odd,
    /// Those with an even number.
    Even,
}

impl Layout {
    /// Every layout, each with both ways to stagger.
    pub const ALL: [Self; 10] = [
        Self::Square8,
        Self::Square4,
        Self::StaggeredRows(Stagger::Odd),
        Self::StaggeredRows(Stagger::Even),
        Self::StaggeredColumns(Stagger::Odd),
        Self::StaggeredColumns(Stagger::Even),
        Self::HexPointy(Stagger::Odd),
        Self::HexPointy(Stagger::Even),
        Self::HexFlat(Stagger::Odd),
        Self::HexFlat(Stagger::Even),
    ];

    /// Which of the cells around one are its neighbours.
    pub(crate) fn neighbours(self) -> Neighbours {
        match self {
            Self::Square8 | Self::StaggeredRows(_) | Self::StaggeredColumns(_) => Neighbours::Eight,
            Self::Square4 => Neighbours::Four,
            Self::HexPointy(_) | Self::HexFlat(_) => Neighbours::Six,
        }
    }
}

/// Which of the eight cells around one are its neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Neighbours {
    /// All; those across a corner only between two walkable cells.
    #[default]
    Eight,
    /// Those across an edge.
    Four,
    /// Those across the edges of a hexagon: all but the ones in directions 1 and 5.
    Six,
}

/// Eight directions of travel, clockwise from +x: their offsets in x and z.
pub(crate) const OFFSETS: [(i32, i32); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// Legal steps by what lies around: bit d of the index says that the neighbour in direction d is walkable.
pub(crate) const LEGAL: [u8; 256] = {
    let mut table = [0; 256];
    let mut around = 0;
    while around < 256 {
        table[around] = legal(around as u8);
        around += 1;
    }
    table
};

/// Steps worth taking by direction of arrival and by what lies around: all others are reached at no more cost
/// by a path that takes its diagonals earlier.
pub(crate) const CANONICAL: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut direction = 0;
    while direction < 8 {
        let mut around = 0;
        while around < 256 {
            table[direction][around] = canonical(direction as u32, around as u8);
            around += 1;
        }
        direction += 1;
    }
    table
};

/// Legal steps by direction of arrival and by what lies around, but for the three that lead back: whatever
/// the ground costs, the cell before was nearer to them.
pub(crate) const FORWARD: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut direction = 0;
    while direction < 8 {
        let mut around = 0;
        while around < 256 {
            table[direction][around] = legal(around as u8) & 0b1100_0111_u8.rotate_left(direction as u32);
            around += 1;
        }
        direction += 1;
    }
    table
};

const fn legal(around: u8) -> u8 {
    let straight = around & 0b0101_0101;
    straight | (around & 0b1010_1010 & around.rotate_left(1) & around.rotate_right(1))
}

const fn canonical(arrival: u32, around: u8) -> u8 {
    // Turned so that the arrival is direction 0: then 2 and 6 are its sides, 3 and 5 lie behind the sides.
    let ahead = around.rotate_right(arrival);
    let mut steps = 1;
    if arrival % 2 == 1 {
        steps = 0b1000_0011;
    } else {
        if ahead & 0b0000_1100 == 0b0000_0100 {
            steps |= 0b0000_0110;
        }
        if ahead & 0b0110_0000 == 0b0100_0000 {
            steps |= 0b1100_0000;
        }
    }
    (steps as u8).rotate_left(arrival) & legal(around)
}

/// The fixed-point form of an area factor of 1. Every multiple of 0.002 is exact; 0.1 to 100 fit with room.
pub const FACTOR_ONE: u16 = 500;

/// An area factor in fixed point, rounded to the nearest 0.002 and kept within 0.002 to 131.
#[must_use]
pub fn fixed_factor(factor: f32) -> u16 {
    (f64::from(factor) * f64::from(FACTOR_ONE) + 0.5).clamp(1.0, f64::from(u16::MAX)) as u16
}

/// How a step between squares leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Along an axis.
    Straight,
    /// Over a corner.
    Diagonal,
}

impl StepKind {
    /// That of a step in one of the eight directions: every other one is diagonal.
    #[must_use]
    #[inline(always)]
    pub fn of(direction: usize) -> Self {
        if direction & 1 == 0 { Self::Straight } else { Self::Diagonal }
    }
}

/// What one step costs at factor 1: the unit of all costs on a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Cost of a step along an axis.
    pub straight: u32,
    /// Cost of a diagonal step: the root of two times `straight`, to between five and nine digits.
    pub diagonal: u32,
}

/// Approximations of the root of two, from fine to coarse.
const UNITS: [Unit; 4] = [
    Unit { straight: 13_860, diagonal: 19_601 },
    Unit { straight: 2_378, diagonal: 3_363 },
    Unit { straight: 408, diagonal: 577 },
    Unit { straight: 169, diagonal: 239 },
];

impl Default for Unit {
    fn default() -> Self {
        UNITS[0]
    }
}

impl Unit {
    /// The finest unit in which no path over a map of so many cells saturates a 32-bit cost; the coarsest
    /// when none is safe (then a path may saturate only if it winds through much of the map over its most
    /// expensive ground).
    ///
    /// With one factor a cheapest path covers less than three quarters of the cells, counted in straight
    /// steps, because two parts of it never run side by side; with several factors it may cover them all.
    #[must_use]
    pub fn for_map(cells: u64, factor_max: u16) -> Self {
        let uniform = factor_max <= FACTOR_ONE;
        let fits = |unit: &Unit| {
            let longest = if uniform {
                cells.saturating_mul(3) / 4 * u64::from(unit.straight)
            } else {
                cells.saturating_mul(u64::from(unit.diagonal)) / u64::from(FACTOR_ONE) * u64::from(factor_max)
            };
            longest < u64::from(u32::MAX)
        };
        UNITS.into_iter().find(fits).unwrap_or(UNITS[3])
    }

    /// The costs of steps onto ground of one factor: `straight * factor`, rounded to nearest, halves up, at
    /// least 1.
    #[must_use]
    pub fn scaled(self, factor: u16) -> Self {
        let rates = Rates::new(self);
        Self { straight: rates.straight(factor), diagonal: rates.diagonal(factor) }
    }

    /// Cost of the cheapest way between cells `dx` and `dz` apart when nothing is in the way.
    #[inline(always)]
    pub(crate) fn octile(self, dx: u32, dz: u32) -> u32 {
        let (low, high) = if dx < dz { (dx, dz) } else { (dz, dx) };
        let cost = u64::from(high) * u64::from(self.straight)
            + u64::from(low) * u64::from(self.diagonal - self.straight);
        cost.min(u64::from(u32::MAX)) as u32
    }
}

/// Step costs per fixed-point factor, as multipliers of 2^-32: a product, a sum and a shift a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    straight: u64,
    diagonal: u64,
}

impl Rates {
    pub(crate) fn new(unit: Unit) -> Self {
        // Rounded up, so that halves round up as well: the error stays far below the next fraction of 500.
        let rate = |cost: u32| (u64::from(cost) << 32).div_ceil(u64::from(FACTOR_ONE));
        Self { straight: rate(unit.straight), diagonal: rate(unit.diagonal) }
    }

    #[inline(always)]
    pub(crate) fn straight(self, factor: u16) -> u32 {
        Self::cost(self.straight, factor)
    }

    #[inline(always)]
    pub(crate) fn diagonal(self, factor: u16) -> u32 {
        Self::cost(self.diagonal, factor)
    }

    #[inline(always)]
    fn cost(rate: u64, factor: u16) -> u32 {
        (((u64::from(factor) * rate + (1 << 31)) >> 32) as u32).max(1)
    }
}

/// Cell coordinates from ids without a division: exact for every id below 2^32.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Columns {
    width: u32,
    inverse: u64,
}

impl Columns {
    pub(crate) fn new(width: u32) -> Self {
        Self { width, inverse: if width > 1 { u64::MAX / u64::from(width) + 1 } else { 0 } }
    }

    /// Cells in a row.
    #[inline(always)]
    pub(crate) fn width(self) -> u32 {
        self.width
    }

    /// (x, z) of a cell.
    #[inline(always)]
    pub(crate) fn split(self, id: u32) -> Cell {
        if self.width <= 1 {
            return Cell { x: 0, z: id };
        }
        let z = ((u128::from(id) * u128::from(self.inverse)) >> 64) as u32;
        Cell { x: id - z * self.width, z }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_a2_a_diagonal_needs_both_sides() {
        for around in 0..=255u8 {
            for direction in 0..8u32 {
                let free = |d: u32| around >> (d % 8) & 1 != 0;
                let expected =
                    free(direction) && (direction % 2 == 0 || free(direction + 1) && free(direction + 7));
                assert_eq!(
                    LEGAL[around as usize] >> direction & 1 != 0,
                    expected,
                    "{around:08b} {direction}"
                );
            }
        }
    }

    #[test]
    fn canonical_steps_are_legal_and_turn_only_where_something_is_in_the_way() {
        for around in 0..256 {
            for (arrival, steps) in CANONICAL.iter().enumerate() {
                assert_eq!(steps[around] & !LEGAL[around], 0);
                assert_eq!(steps[around] >> (arrival ^ 4) & 1, 0, "never straight back");
            }
        }
        assert_eq!(CANONICAL[0][0b1111_1111], 0b0000_0001);
        assert_eq!(CANONICAL[0][0b1111_0111], 0b0000_0111);
        assert_eq!(CANONICAL[1][0b1111_1111], 0b0000_0111);
    }

    #[test]
    fn seed_o12_decimal_factors_cost_exactly_their_share() {
        let unit = Unit::default();
        for (factor, thousandths) in
            [(1.2, 1200), (1.5, 1500), (0.8, 800), (1.3, 1300), (1.1, 1100), (2.0, 2000)]
        {
            assert_eq!(unit.scaled(fixed_factor(factor)).straight, 13_860 * thousandths / 1000);
        }
        for unit in UNITS {
            assert_eq!(unit.scaled(FACTOR_ONE), unit);
            for factor in 50..=50_000 {
                let (step, costlier) = (unit.scaled(factor), unit.scaled(factor + 1));
                assert!(step.straight <= costlier.straight && step.diagonal <= costlier.diagonal);
                assert!(step.straight <= step.diagonal && step.diagonal <= 2 * step.straight);
            }
        }
        assert_eq!((fixed_factor(0.1), fixed_factor(100.0), fixed_factor(f32::NAN)), (50, 50_000, 0));
    }

    #[test]
    fn units_grow_coarser_with_the_map() {
        assert_eq!(Unit::for_map(512 * 512, FACTOR_ONE), UNITS[0]);
        assert_eq!(Unit::for_map(1024 * 1024, FACTOR_ONE), UNITS[1]);
        assert_eq!(Unit::for_map(1 << 24, FACTOR_ONE), UNITS[3]);
        assert_eq!(Unit::for_map(512 * 512, 2 * FACTOR_ONE), UNITS[1]);
        assert_eq!(Unit::for_map(1 << 24, 50_000), UNITS[3]);
    }

    #[test]
    fn ids_split_into_cells_for_every_width() {
        for width in [1, 2, 3, 7, 64, 511, 512, 4096, 16_777_215, 16_777_216] {
            let columns = Columns::new(width);
            for id in (0..1000).chain((1 << 24) - 1000..1 << 24) {
                assert_eq!(columns.split(id), Cell { x: id % width, z: id / width }, "width {width}");
            }
        }
    }
}
