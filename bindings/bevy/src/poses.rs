//! Where characters are drawn: between the last two ticks.
//!
//! In: poses of two ticks, how much of the next has passed. Out: a `Transform` for each character. Holds: who was put
//! somewhere else is drawn there at once. Not here: what moves them (`walkon`).

use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use walkon::Pose;

use crate::game::Walker;

/// Where a character was one tick ago; where it is now, when it was put there.
#[derive(Component, Clone, Copy, Debug)]
pub struct PoseBefore(pub Pose);

/// Where a character is after the last tick; its `Transform` is drawn between the two.
#[derive(Component, Clone, Copy, Debug)]
pub struct PoseNow(pub Pose);

/// How far a character may be pushed in a tick, metres, beside what it walks.
const PUSHED_M: f32 = 0.3;

/// How many times as fast as before or after a character may be in a tick: the crowd takes steps of its own length.
const SPEED_UP: f32 = 4.0;

impl PoseNow {
    /// Whether nobody walks so far in a tick: it was teleported.
    pub(crate) fn is_jump_to(&self, next: &Pose, tick_s: f32) -> bool {
        let gone_m = Vec3::from_array(self.0.position).distance(Vec3::from_array(next.position));
        gone_m > PUSHED_M + SPEED_UP * self.0.speed_mps.max(next.speed_mps) * tick_s
    }
}

/// Places everybody between the last two ticks, by the time that has passed since.
pub(crate) fn place(
    fixed: Res<Time<Fixed>>,
    mut walkers: Query<(&PoseBefore, &PoseNow, &mut Transform), With<Walker>>,
) {
    let part = fixed.overstep_fraction();
    walkers.par_iter_mut().for_each(|(before, now, mut place)| {
        place.set_if_neq(transform(&before.0.towards(&now.0, part)));
    });
}

/// A pose as Bevy has it: a model looks along +z.
pub(crate) fn transform(pose: &Pose) -> Transform {
    Transform {
        translation: Vec3::from_array(pose.position),
        rotation: Quat::from_rotation_y(pose.facing_rad),
        ..Transform::IDENTITY
    }
}
