//! SIMD lanes: four numbers or flat vectors at a time.
//!
//! In and out: values lane by lane. Holds: every lane gets the bits that the same sum gives one by one, so
//! results depend neither on which values share a vector nor on the processor. Not here: the meaning of
//! lanes.

use std::ops::{Add, Div, Mul, Sub};

use glam::{BVec4A, Vec2, Vec4};

/// How many lanes there are.
pub(crate) const LANES: usize = 4;

/// Four flat vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vec2x4 {
    pub x: Vec4,
    pub y: Vec4,
}

impl Vec2x4 {
    pub(crate) const ZERO: Self = Self { x: Vec4::ZERO, y: Vec4::ZERO };

    /// The same in every lane.
    #[inline(always)]
    pub(crate) fn splat(vector: Vec2) -> Self {
        Self { x: Vec4::splat(vector.x), y: Vec4::splat(vector.y) }
    }

    /// `one` in the lanes of `mask`, `other` elsewhere.
    #[inline(always)]
    pub(crate) fn select(mask: BVec4A, one: Self, other: Self) -> Self {
        Self { x: Vec4::select(mask, one.x, other.x), y: Vec4::select(mask, one.y, other.y) }
    }

    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> Vec4 {
        self.x * other.x + self.y * other.y
    }

    #[inline(always)]
    pub(crate) fn length_squared(self) -> Vec4 {
        self.dot(self)
    }

    /// Turned by a quarter to the left: x towards y.
    #[inline(always)]
    pub(crate) fn perp(self) -> Self {
        Self { x: -self.y, y: self.x }
    }

    /// Twice the signed area between two vectors: above zero when `other` is to the left.
    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Vec4 {
        self.x * other.y - self.y * other.x
    }

    /// One of the four.
    #[inline(always)]
    pub(crate) fn lane(self, lane: usize) -> Vec2 {
        Vec2::new(self.x.to_array()[lane], self.y.to_array()[lane])
    }

    /// Replaces one of the four.
    #[inline(always)]
    pub(crate) fn set_lane(&mut self, lane: usize, vector: Vec2) {
        set_lane(&mut self.x, lane, vector.x);
        set_lane(&mut self.y, lane, vector.y);
    }
}

impl Add for Vec2x4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }
}

impl Sub for Vec2x4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y }
    }
}

impl Mul<Vec4> for Vec2x4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, by: Vec4) -> Self {
        Self { x: self.x * by, y: self.y * by }
    }
}

impl Div<Vec4> for Vec2x4 {
    type Output = Self;
    #[inline(always)]
    fn div(self, by: Vec4) -> Self {
        Self { x: self.x / by, y: self.y / by }
    }
}

/// Square roots: glam's own are four calls.
#[inline(always)]
pub(crate) fn sqrt(values: Vec4) -> Vec4 {
    Vec4::new(values.x.sqrt(), values.y.sqrt(), values.z.sqrt(), values.w.sqrt())
}

/// Replaces one of four numbers.
#[inline(always)]
pub(crate) fn set_lane(values: &mut Vec4, lane: usize, value: f32) {
    let mut array = values.to_array();
    array[lane] = value;
    *values = Vec4::from_array(array);
}

/// The first few lanes.
#[inline(always)]
pub(crate) fn first(count: usize) -> BVec4A {
    Vec4::new(0.0, 1.0, 2.0, 3.0).cmplt(Vec4::splat(count as u16 as f32))
}

/// The lanes of a mask, rising. Costs next to nothing where there are none.
#[inline(always)]
pub(crate) fn lanes(mask: BVec4A) -> impl Iterator<Item = usize> {
    let mut left = mask.bitmask();
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}
