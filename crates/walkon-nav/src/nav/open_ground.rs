//! Rectangles of ground without walls.
//!
//! In: places. Out: whether a line between them is known to be clear. Not here: finding out where the ground
//! is open (`ground_query`).

use glam::{Vec2, Vec3};

/// A rectangle, world metres, within which every straight line is clear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenGround {
    min: Vec2,
    max: Vec2,
}

impl OpenGround {
    /// Without any place.
    pub const NONE: Self = Self { min: Vec2::INFINITY, max: Vec2::NEG_INFINITY };

    /// The rectangle around two places, `spare_m` wider on every side; whether it is open is for its maker to
    /// find out.
    #[inline]
    pub(crate) fn around(from: Vec3, to: Vec3, spare_m: f32) -> Self {
        Self {
            min: Vec2::new(from.x.min(to.x) - spare_m, from.z.min(to.z) - spare_m),
            max: Vec2::new(from.x.max(to.x) + spare_m, from.z.max(to.z) + spare_m),
        }
    }

    /// The same without a margin on every side.
    #[must_use]
    #[inline]
    pub fn shrunk(&self, margin_m: f32) -> Self {
        Self { min: self.min + margin_m, max: self.max - margin_m }
    }

    /// The corner with the smallest x and z, and the one across.
    #[inline]
    pub(crate) fn corners(&self) -> [Vec2; 2] {
        [self.min, self.max]
    }

    /// Whether a straight line lies within it, and so is clear.
    #[must_use]
    #[inline]
    pub fn holds(&self, from: Vec3, to: Vec3) -> bool {
        let has = |place: Vec3| {
            place.x >= self.min.x && place.x <= self.max.x && place.z >= self.min.y && place.z <= self.max.y
        };
        has(from) & has(to)
    }
}
