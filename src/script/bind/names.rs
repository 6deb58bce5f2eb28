//! Names that scripts use for the things of a level, and the message when there is none.
//!
//! In: a name, the world. Out: the id, or `unknown mark "gatte"; did you mean "gate"?`.

use crate::base::ids::{AreaId, CharacterId, DoorId, RegionId};
use crate::script::vm::convert::Mistake;
use crate::world::World;
use crate::world::place::Mark;

/// What a map without layers calls its only one.
pub const LAYER: &str = "ground";

/// The living character called `name`.
///
/// # Errors
/// When there is none.
pub fn character(world: &World, function: &str, name: &str) -> Result<CharacterId, Mistake> {
    let found = world.find_character(name);
    found.ok_or_else(|| Mistake::unknown(function, "character", name, world.characters.names()))
}

/// The door called `name`.
///
/// # Errors
/// When there is none.
pub fn door(world: &World, function: &str, name: &str) -> Result<DoorId, Mistake> {
    let known = || world.standing_doors().map(|(_, door)| door.name.as_str());
    world.find_door(name).ok_or_else(|| Mistake::unknown(function, "door", name, known()))
}

/// The area or obstacle called `name`.
///
/// # Errors
/// When there is none.
pub fn area(world: &World, function: &str, name: &str) -> Result<AreaId, Mistake> {
    let known = || world.areas().iter().map(|area| area.name.as_str()).filter(|name| !name.is_empty());
    let found = if name.is_empty() { None } else { world.find_area(name) };
    found.ok_or_else(|| Mistake::unknown(function, "area", name, known()))
}

/// The number of the layer of the map called `name`; a map without layers is one, [`LAYER`].
///
/// # Errors
/// When there is none.
pub fn layer(world: &World, function: &str, name: &str) -> Result<u8, Mistake> {
    let unknown = |known: Vec<&str>| Mistake::unknown(function, "layer", name, known);
    match world.tiles() {
        Some(tiles) => tiles.layer(name).ok_or_else(|| unknown(tiles.layer_names().collect())),
        None if name == LAYER => Ok(0),
        None => Err(unknown(vec![LAYER])),
    }
}

/// The region called `name`.
///
/// # Errors
/// When there is none.
pub fn region(world: &World, function: &str, name: &str) -> Result<RegionId, Mistake> {
    let known = || world.regions().iter().map(|region| region.name.as_str());
    world.find_region(name).ok_or_else(|| Mistake::unknown(function, "region", name, known()))
}

/// The mark called `name`.
///
/// # Errors
/// When there is none.
pub fn mark<'a>(world: &'a World, function: &str, name: &str) -> Result<&'a Mark, Mistake> {
    let known = || world.marks().map(|mark| mark.name.as_str());
    world.mark(name).ok_or_else(|| Mistake::unknown(function, "mark", name, known()))
}

/// The stops of the route called `name`.
///
/// # Errors
/// When there is none.
pub fn route<'a>(world: &'a World, function: &str, name: &str) -> Result<&'a [Mark], Mistake> {
    world.route(name).ok_or_else(|| Mistake::unknown(function, "route", name, world.route_names()))
}
