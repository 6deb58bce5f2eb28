//! Interpolates a body over a step of the crowd that takes several ticks.
//!
//! In: where the step leads it. Out: where it is in each tick. Holds: it goes evenly, straight or on the
//! flattest of bows, and is where the step leads it in the last tick, to the bit; a body that is put
//! elsewhere meanwhile, or stops, stays there. Not here: where steps lead (`sim::integrate`).

use glam::Vec3;

use crate::base::ids::CharacterId;
use crate::base::trig;
use crate::world::character::{Character, Characters};

/// A body on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interpolation {
    /// The character.
    pub who: CharacterId,
    /// Where it was as the step began, metres, and its facing, radians about +y.
    pub from: (Vec3, f32),
    /// Where it comes to.
    pub to: (Vec3, f32),
    /// Where the last tick has shown it.
    pub at: (Vec3, f32),
    /// How far the middle of its way lies beside the straight line: a hair where that runs along the very
    /// edge of the ground.
    pub aside: Vec3,
    /// The layer it is on.
    pub layer: u8,
    /// Whether it walks on after this step, so that it stops when told to; else it makes an end or was
    /// pushed.
    pub walks: bool,
}

impl Interpolation {
    /// For a character that begins a step where it stands.
    #[must_use]
    #[inline]
    pub fn of(who: CharacterId, character: &Character) -> Self {
        let at = (character.body.position, character.facing_rad);
        Self { who, from: at, to: at, at, aside: Vec3::ZERO, layer: character.layer, walks: false }
    }

    /// Where it is after a part of the step, from 0 to 1.
    #[must_use]
    #[inline]
    pub fn place(&self, part: f32) -> Vec3 {
        if part >= 1.0 {
            return self.to.0;
        }
        let straight = self.from.0.lerp(self.to.0, part);
        if self.aside == Vec3::ZERO { straight } else { straight + self.aside * (4.0 * part * (1.0 - part)) }
    }

    /// Brings it so far along, a part of the step from 0 to 1; false when it has stopped, or has been put
    /// elsewhere.
    pub fn advance(&mut self, characters: &mut Characters, part: f32) -> bool {
        characters.get_mut(self.who).is_some_and(|character| self.bring(character, part))
    }

    /// The same for the body itself.
    #[inline]
    pub(crate) fn bring(&mut self, character: &mut Character, part: f32) -> bool {
        if !self.goes_on(character) {
            if !character.is_moving {
                character.body.velocity = Vec3::ZERO;
            }
            return false;
        }
        let is_there = part >= 1.0;
        let position = self.place(part);
        let turned_rad = trig::wrap(self.to.1 - self.from.1) * part;
        let is_turned = is_there || turned_rad == 0.0;
        let facing_rad = if is_turned { self.to.1 } else { trig::wrap(self.from.1 + turned_rad) };
        character.body.position = position;
        if character.facing_rad == self.at.1 {
            character.facing_rad = facing_rad;
        } else {
            // It has turned meanwhile by itself, and stays so.
            (self.from.1, self.to.1) = (character.facing_rad, character.facing_rad);
        }
        self.at = (position, character.facing_rad);
        true
    }

    fn goes_on(&self, character: &Character) -> bool {
        let is_where_left = character.body.position == self.at.0 && character.layer == self.layer;
        // A character that a scene takes stands where it was taken, unless it walks for the scene.
        let is_free = if self.walks { character.is_moving } else { character.held.is_none() };
        is_where_left && is_free && character.is_alive()
    }
}

#[cfg(test)]
mod tests {
    use slotmap::KeyData;

    use super::*;
    use crate::base::rng::Rng;

    /// Law: at its ends a step is exactly where it began and where it comes to.
    #[test]
    fn a_step_begins_and_ends_exactly() {
        let mut rng = Rng::stream(7, "steps");
        let mut point = |scale: f64| Vec3::from([(); 3].map(|()| rng.float(-scale, scale) as f32));
        for scale in [1e-3, 1.0, 100.0, 1e6] {
            for _ in 0..1000 {
                let (from, to, aside) = (point(scale), point(scale), point(2e-3));
                let step = Interpolation {
                    who: CharacterId::from(KeyData::from_ffi(1)),
                    from: (from, 0.0),
                    to: (to, 0.0),
                    at: (from, 0.0),
                    aside,
                    layer: 0,
                    walks: true,
                };
                assert_eq!((step.place(0.0), step.place(1.0)), (from, to));
            }
        }
    }
}
