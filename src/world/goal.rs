//! Where a walk is to go.

use glam::Vec3;

use crate::base::ids::{CharacterId, DoorId};

/// Where a walk is to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// A point, metres.
    Point(Vec3),
    /// A character, followed as it moves.
    Character(CharacterId),
    /// The point in front of a door, on the walker's side.
    Door(DoorId),
}
