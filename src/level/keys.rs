//! Keys of doors and characters: one table for the level file and for the properties of Tiled's objects.
//!
//! In: nothing. Out: lists of keys, for the level file and for Tiled. Holds: a key that both understand
//! stands here once. Not here: what a key means (`read`, `tiled::things`).

/// Keys of one kind of thing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    /// Understood in a level file and as properties of an object.
    both: &'static [&'static str],
    /// Only in a level file: what Tiled says by the object itself, and plain data.
    level: &'static [&'static str],
    /// Only as properties of an object: other spellings, and what imported maps say.
    tiled: &'static [&'static str],
}

impl Keys {
    /// Keys that a level file may have.
    pub fn of_level(self) -> Vec<&'static str> {
        [self.level, self.both].concat()
    }

    /// Properties of an object that mean something.
    pub fn of_tiled(self) -> Vec<&'static str> {
        [self.both, self.tiled].concat()
    }
}

/// Keys of a door.
pub(super) const DOOR: Keys = Keys {
    both: &["open", "seconds", "locked", "key", "oneWay", "teams"],
    level: &["name", "area", "props"],
    tiled: &["requiresKey", "collisionLayer"],
};

/// Keys of a character.
pub(super) const CHARACTER: Keys = Keys {
    both: &[
        "facingDegrees",
        "radius",
        "height",
        "walkSpeed",
        "runSpeed",
        "rotationSpeed",
        "player",
        "tags",
        "doors",
        "layer",
        "behaviour",
    ],
    level: &["name", "position", "params", "props"],
    tiled: &["facing", "speed", "collisionLayer", "collision", "behavior", "script"],
};
