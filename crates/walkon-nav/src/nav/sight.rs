//! Line of sight: which places see each other, whether or not one can walk between them.
//!
//! In: two places, and what areas and obstacles hide. Out: seen or not; how far. Holds: ground lets looks
//! through and everything else hides; an area that is not there hides, an obstacle that is there hides,
//! unless its [`Veil`] says otherwise; paddings count for bodies alone. A stretch shorter than [`HAIR_M`]
//! neither hides nor opens, so that looks go along faces of walls and through seams of areas. Both ways
//! alike, and part of a clear look is clear. Not here: blocks, watchers and their targets.

use glam::Vec3;

use crate::base::geom::{self, Bounds, Point, Segment, ground};
use crate::base::ids::AreaId;
use crate::base::ordered;

/// Things thinner than this along a look do not count, metres.
pub const HAIR_M: f64 = 1e-3;
/// Halvings by which the end of a look is found: a ten-thousandth of its length.
const HALVINGS: u32 = 14;

/// What an area or an obstacle does to looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Veil {
    /// An area hides while it is not there, an obstacle while it is there.
    #[default]
    AsItStands,
    /// Never: a low table, a railing, a pond, a gate of bars.
    Never,
    /// Always: reeds one can walk in, a curtain.
    Always,
}

/// A look from one place at another.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// From where, world metres.
    pub from: Vec3,
    /// At what, world metres.
    pub to: Vec3,
    /// The layer that both are on; 0 on maps without layers.
    pub layer: u8,
    /// What each area and obstacle of the level does to looks.
    pub veil: &'a dyn Fn(AreaId) -> Veil,
}

impl Look<'_> {
    /// The last place up to which a look is clear, as `sees` says; `to` when it is seen. Cost: some fifteen
    /// looks.
    pub(crate) fn end(&self, sees: impl Fn(&Self) -> bool) -> Vec3 {
        if sees(self) {
            return self.to;
        }
        let (mut clear, mut hidden) = (0.0_f32, 1.0_f32);
        for _ in 0..HALVINGS {
            let middle = clear.midpoint(hidden);
            let to = self.from.lerp(self.to, middle);
            *(if sees(&Self { to, ..*self }) { &mut clear } else { &mut hidden }) = middle;
        }
        self.from.lerp(self.to, clear)
    }

    /// What an area does to looks.
    pub(crate) fn veil_of(&self, area: usize) -> Veil {
        (self.veil)(AreaId::from(area))
    }
}

/// An area, or an obstacle of the level, that a look may meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SightScreen {
    /// How it hides things.
    pub(crate) veil: Veil,
    /// Whether it is an obstacle, which hides where it is there; an area does where it is not.
    pub(crate) is_obstacle: bool,
    /// Whether it is there now.
    pub(crate) is_there: bool,
}

impl SightScreen {
    /// Whether it hides what lies behind it.
    pub(crate) fn hides(self) -> bool {
        match self.veil {
            Veil::AsItStands => self.is_obstacle == self.is_there,
            Veil::Never => false,
            Veil::Always => !self.is_obstacle || self.is_there,
        }
    }
}

/// What counts where a line runs along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AlongEdge {
    /// It is inside: ground may be seen along its edge.
    Inside,
    /// It is outside: a face of a wall hides nothing.
    Outside,
}

/// A look over the ground plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroundLine {
    from: Point,
    to: Point,
    bounds: Bounds,
    length_m: f64,
    /// [`HAIR_M`] as a share of the line.
    hair: f64,
}

impl GroundLine {
    /// None where an end is no place.
    pub(crate) fn new(from: Vec3, to: Vec3) -> Option<Self> {
        if !(from.is_finite() && to.is_finite()) {
            return None;
        }
        let (from, to) = (ground(from), ground(to));
        let length_m = libm::sqrt((to[0] - from[0]).powi(2) + (to[1] - from[1]).powi(2));
        // A look without length is a place: all of it or nothing.
        let hair = if length_m > 2.0 * HAIR_M { HAIR_M / length_m } else { 0.5 };
        Some(Self { from, to, bounds: Bounds::of(&[from, to]).grown(HAIR_M), length_m, hair })
    }

    fn at(&self, part: f64) -> Point {
        [self.from[0] + part * (self.to[0] - self.from[0]), self.from[1] + part * (self.to[1] - self.from[1])]
    }

    /// Whether it may meet something within a rectangle.
    #[inline]
    pub(crate) fn is_near(&self, bounds: &Bounds) -> bool {
        self.bounds.overlaps(bounds) && bounds.grown(HAIR_M).meets(self.from, self.to)
    }

    /// Appends the stretches of it inside a polygon, as shares of the line in order.
    pub(crate) fn inside(&self, polygon: &[Point], along: AlongEdge, out: &mut Vec<[f64; 2]>) {
        if along == AlongEdge::Outside && self.is_beside(polygon) {
            return;
        }
        let mut cuts = vec![0.0, 1.0];
        let beside = HAIR_M * self.length_m;
        for Segment { from: a, to: b } in geom::edges(polygon) {
            let (side_a, side_b) = (geom::cross(self.from, self.to, a), geom::cross(self.from, self.to, b));
            if (side_a > 0.0) != (side_b > 0.0) {
                let (before, after) = (geom::cross(a, b, self.from), geom::cross(a, b, self.to));
                cuts.push(before / (before - after));
            }
            // A corner on the line, or a hair beside it: the edge may go along with it.
            if side_a.abs() <= beside {
                cuts.push(self.part_of(a));
            }
        }
        cuts.retain(|cut| (0.0..=1.0).contains(cut));
        ordered::sort_by(&mut cuts, f64::total_cmp);
        for pair in cuts.windows(2) {
            let stretch = [pair[0], pair[1]];
            if stretch[1] > stretch[0] && self.is_inside(polygon, stretch, along) {
                match out.last_mut() {
                    Some(last) if last[1] == stretch[0] && last[0] <= stretch[0] => last[1] = stretch[1],
                    _ => out.push(stretch),
                }
            }
        }
    }

    /// Whether all corners of a polygon lie on one side of it, and none on it.
    fn is_beside(&self, polygon: &[Point]) -> bool {
        let side = |corner: &Point| geom::cross(self.from, self.to, *corner);
        let Some(first) = polygon.first().map(side) else { return true };
        let is_alike = |corner: &Point| if first > 0.0 { side(corner) > 0.0 } else { side(corner) < 0.0 };
        polygon.iter().all(is_alike)
    }

    fn part_of(&self, point: Point) -> f64 {
        let (x, z) = (self.to[0] - self.from[0], self.to[1] - self.from[1]);
        ((point[0] - self.from[0]) * x + (point[1] - self.from[1]) * z) / (x * x + z * z)
    }

    /// Whether a stretch that crosses no edge is inside.
    fn is_inside(&self, polygon: &[Point], [first, last]: [f64; 2], along: AlongEdge) -> bool {
        for part in [0.5, 0.25, 0.75] {
            let place = self.at(first + part * (last - first));
            let is_on_edge = geom::edges(polygon)
                .any(|Segment { from: a, to: b }| geom::segment_distance_sq(place, a, b) <= HAIR_M * HAIR_M);
            if !is_on_edge {
                return geom::polygon_contains(polygon, place);
            }
        }
        along == AlongEdge::Inside
    }

    /// Whether stretches cover all of it. Sorts them.
    pub(crate) fn is_covered(&self, stretches: &mut [[f64; 2]]) -> bool {
        ordered::sort_by(stretches, |a, b| a[0].total_cmp(&b[0]));
        let mut reached = 0.0;
        for stretch in stretches {
            if stretch[0] > reached + self.hair {
                return false;
            }
            reached = stretch[1].max(reached);
        }
        reached + self.hair >= 1.0
    }

    /// From where on stretches cover all of it up to its end, as a share of it; 1 where they do not reach the
    /// end. Sorts them.
    pub(crate) fn covered_from(&self, stretches: &mut [[f64; 2]]) -> f64 {
        ordered::sort_by(stretches, |a, b| b[1].total_cmp(&a[1]));
        let reaches = |begins: f64, &[first, last]: &[f64; 2]| match last + self.hair >= begins {
            true => begins.min(first),
            false => begins,
        };
        stretches.iter().fold(1.0, reaches)
    }

    /// Whether a stretch is long enough to hide something.
    pub(crate) fn counts(&self, [first, last]: [f64; 2]) -> bool {
        last - first > self.hair
    }

    /// The middle of a stretch.
    pub(crate) fn middle(&self, [first, last]: [f64; 2]) -> Point {
        self.at(first.midpoint(last))
    }
}

#[cfg(test)]
mod tests;
