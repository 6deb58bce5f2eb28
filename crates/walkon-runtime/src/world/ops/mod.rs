//! The verbs: every legal way for a script or a host to change the world.
//!
//! In: ids, checked options. Out: ids, or an [`OpError`] for a mistake of the caller. Holds: a verb
//! checks everything first and then takes effect completely, or does nothing; a script reads its own
//! writes; later failures in the world are results, never errors.

pub mod areas;
pub mod blocks;
pub mod characters;
pub(crate) mod checks;
pub mod doors;
pub mod graph;
pub mod paths;
pub mod senses;
pub mod tiles;
pub mod walk_changes;
pub mod walks;
pub mod watches;

use std::ops::RangeInclusive;

use glam::Vec3;
use thiserror::Error;

use crate::base::ids::{CharacterId, DoorId};
use crate::base::time::TickNumber;
use crate::world::World;
use crate::world::character::{Character, Characters};

/// A mistake of the caller. The texts continue a sentence that begins with the verb's name.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum OpError {
    /// The character was removed; nothing can be asked of it any more.
    #[error("character \"{name}\" was removed at tick {} ({by})", tick.0)]
    Gone {
        /// Its name.
        name: String,
        /// When.
        tick: TickNumber,
        /// What removed it: `despawned by boss.lua:88`.
        by: String,
    },
    /// An edit of the level has taken the door away.
    #[error("door \"{name}\" was removed at tick {} (an edit of the level)", tick.0)]
    DoorGone {
        /// Its name.
        name: String,
        /// When.
        tick: TickNumber,
    },
    /// An id that never meant a character of this level.
    #[error("that character is not of this level")]
    Foreign,
    /// An id that never meant a door of this level.
    #[error("that door is not of this level")]
    ForeignDoor,
    /// An id that never meant an area of this level.
    #[error("an area is not of this level")]
    ForeignArea,
    /// The level has ended.
    #[error("the level has ended")]
    Ended,
    /// A living character has that name.
    #[error("the name \"{0}\" is taken by a living character; choose another")]
    NameTaken(String),
    /// A player, where the level has one.
    #[error("the level has a player, \"{0}\", and one at most; remove it first")]
    SecondPlayer(String),
    /// A name that cannot be one.
    #[error("the name {0}, expected 1 to 128 bytes without control characters")]
    BadName(String),
    /// A tag that cannot be one.
    #[error("a tag {0}, expected 1 to 128 bytes without control characters")]
    BadTag(String),
    /// An event that only the runtime tells of.
    #[error("\"{0}\" is an event of the runtime; choose another name")]
    RuntimeEvent(String),
    /// Data that is not plain, or too much of it: where, what, and what was expected.
    #[error("{0}")]
    Data(String),
    /// A limit of the level is reached.
    #[error("the level has {max} {what}, the most allowed (limits.{limit}); {mend}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        max: u32,
        /// Its name in the level file.
        limit: &'static str,
        /// What to do.
        mend: &'static str,
    },
    /// A scene holds the character.
    #[error("character \"{name}\" is held by cinematic \"{scene}\"")]
    Held {
        /// Its name.
        name: String,
        /// The scene.
        scene: String,
    },
    /// A number outside its range.
    #[error("{what} is {value}, expected {low} to {high}")]
    Range {
        /// What the number is.
        what: &'static str,
        /// What was given.
        value: f64,
        /// The least allowed.
        low: f64,
        /// The most allowed.
        high: f64,
    },
    /// A place of which a number is none, or lies too far away.
    #[error("{what} is ({}), expected three numbers from -{max_m} to {max_m} metres", listed(*place))]
    Place {
        /// What the place is.
        what: &'static str,
        /// What was given.
        place: Vec3,
        /// The largest number allowed.
        max_m: f32,
    },
    /// A list that is longer than allowed.
    #[error("{what} has {count} entries, expected at most {max}")]
    TooMany {
        /// What the list is.
        what: &'static str,
        /// How many entries it has.
        count: usize,
        /// How many it may have.
        max: usize,
    },
    /// Areas of a walk in another order than that of their ids.
    #[error("areas of a walk are out of order, expected them by id, each once")]
    AreaOrder,
    /// The map is a precomputed grid.
    #[error("this map is a precomputed grid: its areas cannot be toggled")]
    Precomputed,
    /// The map is not one of tiles.
    #[error("this map has no tiles; a map of kind \"tiles\" has")]
    NoTiles,
    /// The map is not one of points and links.
    #[error("this map has no points and links; a map of kind \"graph\" has")]
    NoGraph,
    /// The graph takes no more.
    #[error("the graph has {max} {what}, the most allowed")]
    GraphFull {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        max: usize,
    },
    /// No point of the graph is near a place.
    #[error("no point of the graph lies within {within_m} m of ({})", crate::base::suggestions::decimals_of(&place.to_array(), 2))]
    NoPointNear {
        /// The place.
        place: Vec3,
        /// How far was looked.
        within_m: f32,
    },
    /// A link from a point to itself.
    #[error("both places are nearest to point {point}; a link needs two points")]
    SamePoint {
        /// The point.
        point: u32,
    },
    /// The level has as many blocks as it may.
    #[error("the level has {max} blocks, the most allowed; remove some, which counts from the next tick on")]
    TooManyBlocks {
        /// How many it may have.
        max: usize,
    },
    /// A block of the host has that name.
    #[error("block \"{0}\" is there already; remove it first, or choose another name")]
    BlockThere(String),
    /// The host has no block of that name.
    #[error("the host has no block \"{0}\"; it was never there, or was removed")]
    NoBlock(String),
    /// Every number of a kind of tile is in use.
    #[error("the map has 65536 different tiles, the most allowed; use fewer costs and tags")]
    TooManyTiles,
}

/// The living character behind `id`, or why there is none.
pub(crate) fn alive(characters: &Characters, id: CharacterId) -> Result<&Character, OpError> {
    let removal = match (characters.get(id), characters.gone(id)) {
        (Some(character), _) => match &character.removed {
            None => return Ok(character),
            Some(removal) => (character.name.clone(), removal.clone()),
        },
        (None, Some(gone)) => (gone.name.clone(), gone.removal.clone()),
        (None, None) => return Err(OpError::Foreign),
    };
    Err(OpError::Gone { name: removal.0, tick: removal.1.tick, by: removal.1.by })
}

/// The same, to be changed.
pub(crate) fn alive_mut(characters: &mut Characters, id: CharacterId) -> Result<&mut Character, OpError> {
    alive(characters, id)?;
    characters.get_mut(id).ok_or(OpError::Foreign)
}

/// The numbers of a place.
fn listed(place: Vec3) -> String {
    place.to_array().map(|part| part.to_string()).join(", ")
}

/// Nothing when the door is there, else why it is not.
pub(crate) fn door_there(world: &World, id: DoorId) -> Result<(), OpError> {
    match world.map.doors.get(id.index()).map(|door| (&door.name, &door.removed)) {
        Some((name, Some(removal))) => Err(OpError::DoorGone { name: name.clone(), tick: removal.tick }),
        Some((_, None)) => Ok(()),
        None => Err(OpError::ForeignDoor),
    }
}

/// `value` if it lies in the range.
pub(crate) fn in_range(what: &'static str, value: f32, range: RangeInclusive<f32>) -> Result<f32, OpError> {
    if range.contains(&value) {
        return Ok(value);
    }
    let [value, low, high] = [value, *range.start(), *range.end()].map(as_written);
    Err(OpError::Range { what, value, low, high })
}

/// A number with the digits by which people write it: 0.05, not 0.05000000074505806.
fn as_written(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}
