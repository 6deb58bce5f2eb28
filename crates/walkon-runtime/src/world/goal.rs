//! Goals of walks.
//!
//! In: a point, a character or a door. Out: [`Goal`]. Not here: the point that a goal is at now
//! (`ops::walks`).

use glam::Vec3;

use crate::base::hash::StateHash;
use crate::base::ids::{CharacterId, DoorId, GenerationalKey};

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

impl Goal {
    /// A place in metres: `[x, y, z]`, or a point of a library that shares vectors by `mint`, with the
    /// feature of that name.
    #[must_use]
    pub fn point(place: impl Into<Vec3>) -> Self {
        Self::Point(place.into())
    }

    /// Mixes in where it leads.
    pub(crate) fn hash_into(self, hash: &mut StateHash) {
        match self {
            Self::Point(point) => hash.word(0).vector(point),
            Self::Character(id) => hash.word(1).word(id.bits()),
            Self::Door(id) => hash.word(2).word(u64::from(id.0)),
        };
    }
}
