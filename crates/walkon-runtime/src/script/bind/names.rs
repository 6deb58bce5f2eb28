//! Looks up the things of a level by the names that scripts use, with a message for unknown ones.
//!
//! In: a name, the world. Out: the id, or `unknown mark "gatte"; did you mean "gate"?`.

use crate::base::ids::{AreaId, CharacterId, DoorId, RegionId};
use crate::script::vm::convert::UsageError;
use crate::script::vm::hints::instead_of_mark;
use crate::script::vm::shown_names::shorten;
use crate::world::World;
use crate::world::place::Mark;

/// The living character called `name`.
///
/// # Errors
/// When there is none.
pub fn character(world: &World, function: &str, name: &str) -> Result<CharacterId, UsageError> {
    let found = world.find_character(name);
    found.ok_or_else(|| UsageError::unknown(function, "character", name, world.characters.names()))
}

/// The door called `name`.
///
/// # Errors
/// When there is none.
pub fn door(world: &World, function: &str, name: &str) -> Result<DoorId, UsageError> {
    let known = || world.standing_doors().map(|(_, door)| door.name.as_str());
    world.find_door(name).ok_or_else(|| UsageError::unknown(function, "door", name, known()))
}

/// The area or obstacle called `name`.
///
/// # Errors
/// When there is none.
pub fn area(world: &World, function: &str, name: &str) -> Result<AreaId, UsageError> {
    let known = || world.areas().iter().map(|area| area.name.as_str()).filter(|name| !name.is_empty());
    let found = if name.is_empty() { None } else { world.find_area(name) };
    found.ok_or_else(|| UsageError::unknown(function, "area", name, known()))
}

/// The number of the layer of the map called `name`; a map without layers is one, [`World::LAYER`].
///
/// # Errors
/// When there is none.
pub fn layer(world: &World, function: &str, name: &str) -> Result<u8, UsageError> {
    world.find_layer(name).ok_or_else(|| UsageError::unknown(function, "layer", name, world.layer_names()))
}

/// The region called `name`.
///
/// # Errors
/// When there is none.
pub fn region(world: &World, function: &str, name: &str) -> Result<RegionId, UsageError> {
    let known = || world.regions().iter().map(|region| region.name.as_str());
    world.find_region(name).ok_or_else(|| UsageError::unknown(function, "region", name, known()))
}

/// The mark called `name`.
///
/// # Errors
/// When there is none.
pub fn mark<'a>(world: &'a World, function: &str, name: &str) -> Result<&'a Mark, UsageError> {
    let known = || world.marks().map(|mark| mark.name.as_str());
    world.mark(name).ok_or_else(|| UsageError::unknown(function, "mark", name, known()))
}

/// The mark that is meant where a character or a door would do as well.
///
/// # Errors
/// When there is none; that a character or a door has the name is told.
pub fn mark_of_place<'a>(world: &'a World, function: &str, name: &str) -> Result<&'a Mark, UsageError> {
    mark(world, function, name).map_err(|unknown| match other_place(world, name) {
        Some(kind) => {
            let name = shorten(name);
            UsageError::new(function, format!("unknown mark \"{name}\"; {}", instead_of_mark(kind, &name)))
        }
        None => unknown,
    })
}

/// What else one can walk to has a name.
fn other_place(world: &World, name: &str) -> Option<&'static str> {
    let is_character = world.find_character(name).is_some();
    let kind = if is_character { "character" } else { "door" };
    (is_character || world.find_door(name).is_some()).then_some(kind)
}

/// The stops of the route called `name`.
///
/// # Errors
/// When there is none.
pub fn route<'a>(world: &'a World, function: &str, name: &str) -> Result<&'a [Mark], UsageError> {
    world.route(name).ok_or_else(|| UsageError::unknown(function, "route", name, world.route_names()))
}
