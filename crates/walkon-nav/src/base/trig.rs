//! Trigonometry that gives the same bits on every platform: `libm`, and nothing else.
//!
//! In: angles, vectors. Out: angles, vectors, numbers. Never: functions of the standard library whose bits
//! differ between platforms.
//!
//! Angles are radians about +y: 0 looks along +z, pi/2 along +x.

use std::f32::consts::{PI, TAU};

use glam::Vec3;

/// Sine.
#[must_use]
pub fn sin(angle_rad: f32) -> f32 {
    libm::sinf(angle_rad)
}

/// Cosine.
#[must_use]
pub fn cos(angle_rad: f32) -> f32 {
    libm::cosf(angle_rad)
}

/// Square root; exact, as IEEE 754 asks of every platform.
#[must_use]
pub fn sqrt(value: f32) -> f32 {
    libm::sqrtf(value)
}

/// The facing that looks along `direction` on the ground plane; 0 for a vector without length.
#[must_use]
pub fn facing(direction: Vec3) -> f32 {
    if direction.x == 0.0 && direction.z == 0.0 { 0.0 } else { libm::atan2f(direction.x, direction.z) }
}

/// The unit vector on the ground plane that a facing looks along.
#[must_use]
pub fn direction(facing_rad: f32) -> Vec3 {
    Vec3::new(sin(facing_rad), 0.0, cos(facing_rad))
}

/// The same angle from -pi up to, not including, pi.
#[must_use]
#[inline]
pub fn wrap(angle_rad: f32) -> f32 {
    // Most are small: no turn is taken off.
    if angle_rad.abs() < 3.0 {
        return angle_rad;
    }
    let turns = libm::floorf((angle_rad + PI) / TAU);
    let wrapped = angle_rad - turns * TAU;
    if wrapped >= PI { wrapped - TAU } else { wrapped }
}

/// How far to turn to one of the spokes of a wheel, radians: not at all for 0, then one to each side in turn.
#[must_use]
pub fn turn_to_spoke(spoke: u16, spokes: u16) -> f32 {
    let turn_rad = f32::from(spoke.div_ceil(2)) * (std::f32::consts::TAU / f32::from(spokes));
    if spoke.is_multiple_of(2) { turn_rad } else { -turn_rad }
}

/// `from` turned the short way round towards `to`, by at most `step_rad`.
#[must_use]
pub fn turn_towards(from_rad: f32, to_rad: f32, step_rad: f32) -> f32 {
    let difference = wrap(to_rad - from_rad);
    if difference.abs() <= step_rad { wrap(to_rad) } else { wrap(from_rad + step_rad.copysign(difference)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_2;

    #[test]
    fn facings_follow_the_house_convention() {
        assert_eq!(facing(Vec3::Z), 0.0);
        assert!((facing(Vec3::X) - FRAC_PI_2).abs() < 1e-6);
        assert!((direction(FRAC_PI_2) - Vec3::X).length() < 1e-6);
        assert_eq!(facing(Vec3::ZERO), 0.0);
    }

    #[test]
    fn turning_takes_the_short_way_round() {
        let turned = turn_towards(3.0, -3.0, 0.1);
        assert!((turned - 3.1).abs() < 1e-5, "{turned}");
        assert!((turn_towards(0.0, 0.05, 0.1) - 0.05).abs() < 1e-6);
    }

    #[test]
    fn wrapping_keeps_the_direction() {
        for turns in -3..=3 {
            let angle = 1.25 + turns as f32 * TAU;
            assert!((wrap(angle) - 1.25).abs() < 1e-5);
        }
        assert!(wrap(PI) < PI);
    }
}
