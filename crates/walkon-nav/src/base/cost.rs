//! Costs of paths: whole numbers, so that sums are exact and comparisons need no tolerance.
//!
//! In: lengths and factors, scaled by each map to its own unit. Out: `Cost`. Holds: additions
//! saturate, and a saturated cost means that there is no way through.

use std::ops::Add;

/// The cost of a step or a path in the unit of its map: metres times area factors, fixed point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost(pub u32);

impl Cost {
    /// No cost.
    pub const ZERO: Self = Self(0);
    /// No way through.
    pub const BLOCKED: Self = Self(u32::MAX);
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_saturate_at_blocked() {
        assert_eq!(Cost(2) + Cost(3), Cost(5));
        assert_eq!(Cost::BLOCKED + Cost(1), Cost::BLOCKED);
        assert_eq!(Cost(u32::MAX - 1) + Cost(7), Cost::BLOCKED);
    }
}
