//! Tests whether bodies have room when they stray from the points and links of a graph.
//!
//! In: solids, the body, how far it may stray. Out: whether it has room at a point, or along a link, wherever
//! it strays to. Holds: a body that strays stands on the floor there, up or down a step at most, so that the
//! next steps of a flight of stairs are no walls; where it finds none it stays as high as it was. Not here:
//! which points and links are asked about (`generate`, `link`).

use glam::Vec3;

use crate::base::trig;
use crate::nav::solids::{Room, Solids};

/// Directions that are looked at around a point.
const AROUND: u8 = 8;

/// What is asked about points and links.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strip<'a> {
    pub solids: &'a Solids,
    pub room: Room,
    /// How far from a link a body's middle may be, metres.
    pub stray_m: f32,
}

impl Strip<'_> {
    /// Whether a body has room at a point and all around it. Cost: the triangles around it; nine times where
    /// they are near.
    pub fn stands(&self, at: Vec3) -> bool {
        let (solids, room) = (self.solids, &self.room);
        if self.is_wide(at, at) {
            return true;
        }
        // As wide as the circle around these directions, so that all of it lies between them.
        let reach_m = self.stray_m / trig::cos(std::f32::consts::PI / f32::from(AROUND));
        let aside = |turn: u8| {
            let angle = std::f32::consts::TAU * f32::from(turn) / f32::from(AROUND);
            self.grounded(at + Vec3::new(trig::cos(angle), 0.0, trig::sin(angle)) * reach_m)
        };
        solids.has_room(at, at, room)
            && self.stray_m > 0.0
            && (0..AROUND).all(|turn| solids.has_room(at, aside(turn), room))
    }

    /// Whether a body has room along a link and on both of its sides. Cost: the triangles around it; three
    /// times where they are near.
    pub fn leads(&self, from: Vec3, to: Vec3) -> bool {
        let (solids, room) = (self.solids, &self.room);
        if self.is_wide(from, to) {
            return true;
        }
        let along = (to - from) * Vec3::new(1.0, 0.0, 1.0);
        let side = Vec3::new(along.z, 0.0, -along.x).normalize_or_zero() * self.stray_m;
        solids.has_room(from, to, room)
            && self.stray_m > 0.0
            && [side, -side]
                .into_iter()
                .all(|side| solids.has_room(self.grounded(from + side), self.grounded(to + side), room))
    }

    /// Whether even a body as wide as all of the strip has room: most links are far from everything.
    fn is_wide(&self, from: Vec3, to: Vec3) -> bool {
        let whole = Room { radius_m: self.room.radius_m + self.stray_m, ..self.room };
        self.solids.has_room(from, to, &whole)
    }

    /// The floor up or down a step from a place; the place itself where there is none.
    fn grounded(&self, at: Vec3) -> Vec3 {
        let [top, bottom] = [self.room.step_m, -self.room.step_m].map(|lift| at + Vec3::Y * lift);
        self.solids.first_hit(top, bottom).map_or(at, |hit| hit.point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn block([x0, x1]: [f32; 2], top: f32, [z0, z1]: [f32; 2]) -> Vec<[Vec3; 3]> {
        let p = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        let face = |a, b, c, d| [[a, b, c], [a, c, d]];
        [
            face(p(x0, top, z0), p(x1, top, z0), p(x1, top, z1), p(x0, top, z1)),
            face(p(x0, 0.0, z0), p(x1, 0.0, z0), p(x1, top, z0), p(x0, top, z0)),
            face(p(x0, 0.0, z1), p(x1, 0.0, z1), p(x1, top, z1), p(x0, top, z1)),
            face(p(x0, 0.0, z0), p(x0, top, z0), p(x0, top, z1), p(x0, 0.0, z1)),
            face(p(x1, 0.0, z0), p(x1, top, z0), p(x1, top, z1), p(x1, 0.0, z1)),
        ]
        .concat()
    }

    const ROOM: Room = Room { radius_m: 0.3, step_m: 0.4, height_m: 1.8 };

    #[test]
    fn whoever_strays_from_a_link_or_a_point_keeps_clear_of_every_pillar() {
        let mut rng = Rng::stream(5, "strip");
        let mut value = |low: f64, high: f64| (low + rng.unit() * (high - low)) as f32;
        let (mut roomy, mut narrow) = (0, 0);
        for round in 0..600 {
            let mut triangles = block([-9.0, 9.0], 0.0, [-9.0, 9.0]);
            let (x, z) = (value(-1.2, 1.2), value(-1.2, 1.2));
            triangles.extend(block([x, x + 0.2], 2.0, [z, z + 0.3]));
            let solids = Solids::new(&triangles).unwrap();
            let strip = Strip { solids: &solids, room: ROOM, stray_m: 0.125 };
            let [from, to] = [Vec3::new(-0.4, 0.0, 0.0), Vec3::new(value(0.0, 0.5), 0.0, value(-0.3, 0.3))];
            let gap = |at: Vec3| {
                let (dx, dz) =
                    ((x - at.x).max(at.x - x - 0.2).max(0.0), (z - at.z).max(at.z - z - 0.3).max(0.0));
                libm::hypotf(dx, dz)
            };
            let is_roomy = strip.stands(from) && strip.stands(to) && strip.leads(from, to);
            if !is_roomy {
                narrow += 1;
                // No more is asked for than a body that strays a little further needs.
                let nearest =
                    (0..=100).map(|part| gap(from.lerp(to, part as f32 / 100.0))).fold(9.0, f32::min);
                assert!(nearest < 0.3 + 0.125 + 0.015, "round {round}: {nearest} m");
                continue;
            }
            roomy += 1;
            for _ in 0..40 {
                let (part, angle) = (value(0.0, 1.0), value(0.0, std::f64::consts::TAU));
                let aside = Vec3::new(trig::cos(angle), 0.0, trig::sin(angle)) * value(0.0, 0.125);
                let gap_m = gap(from.lerp(to, part) + aside);
                assert!(gap_m >= 0.2999, "round {round}: {gap_m} m");
            }
        }
        assert!(roomy > 100 && narrow > 100, "{roomy} with room, {narrow} without");
    }

    #[test]
    fn the_next_steps_of_stairs_are_no_walls_to_whoever_strays() {
        // As steep as stairs may be: 45 degrees, and as the body needs just as much as a step, twice.
        for (tread, rise) in [(0.3, 0.2), (0.2, 0.2), (0.25, 0.17), (0.4, 0.4)] {
            let mut triangles = block([-9.0, 9.0], 0.0, [0.0, 4.0]);
            let count = 8u8;
            for step in 0..count {
                let x = tread * f32::from(step);
                triangles.extend(block([x, 9.0], rise * f32::from(step + 1), [0.0, 4.0]));
            }
            let solids = Solids::new(&triangles).unwrap();
            // A body as wide as two treads at most: a wider one would touch the third step.
            let room = Room { radius_m: tread, ..ROOM };
            let strip = Strip { solids: &solids, room, stray_m: 0.125 };
            for step in 0..count - 1 {
                let middle =
                    |step: u8| Vec3::new(tread * (f32::from(step) + 0.5), rise * f32::from(step + 1), 2.0);
                assert!(strip.stands(middle(step)), "{tread} {rise}: step {step}");
                assert!(strip.leads(middle(step), middle(step + 1)), "{tread} {rise}: up from step {step}");
                let beside = middle(step) + Vec3::Z * 0.3;
                assert!(strip.leads(middle(step), beside), "{tread} {rise}: along step {step}");
            }
        }
    }
}
