//! Places: the values by which a script gives a position.
//!
//! In: a vector, the name of a mark, a mark, a character, a door, or two numbers. Out: a point or a goal.
//! Holds: read first, without the world; resolved later, with it; coordinates are finite and within a million
//! metres. Not here: whether it is walkable.

use glam::Vec3;
use mlua::Value;

use crate::base::ids::{CharacterId, DoorId};
use crate::nav::LayerPoint;
use crate::script::bind::call::op;
use crate::script::bind::names;
use crate::script::vm::convert::{Args, Argument, UsageError};
use crate::script::vm::handles::thing;
use crate::world::World;
use crate::world::character::Character;
use crate::world::goal::Goal;
use crate::world::ops::{alive, checks, door_there, walks::front_of};
use crate::world::walk::LookTarget;

/// Farthest coordinate that is a place, metres.
pub const COORDINATE_MAX_M: f64 = checks::COORDINATE_MAX_M as f64;

/// What a place of a verb of a character may be.
const SPOKEN: &str = "a mark's name, a vector, x and z, a character or a door";
/// What any other place may be.
const WRITTEN: &str = "a mark's name, a vector, a mark, a character or a door";

/// A place as a script said it.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaceValue {
    /// A vector, or the position of a mark, metres.
    Point(Vec3),
    /// Two numbers on the ground, metres.
    Flat(f32, f32),
    /// The name of a mark.
    Mark(String),
    /// A character.
    Character(CharacterId),
    /// A door.
    Door(DoorId),
}

/// A place among the arguments of a verb of a character: also two numbers, `x` and `z`.
///
/// # Errors
/// When it is none.
pub fn take(args: &mut Args, name: &'static str) -> Result<PlaceValue, UsageError> {
    if matches!(args.peek(), Value::Number(_) | Value::Integer(_)) {
        let (x, z) = (coordinate(&args.take("x"))?, coordinate(&args.take("z"))?);
        return Ok(PlaceValue::Flat(x, z));
    }
    read(&args.take(name), SPOKEN)
}

/// A place that is one value.
///
/// # Errors
/// When it is none.
pub fn single(given: &Argument) -> Result<PlaceValue, UsageError> {
    read(given, WRITTEN)
}

fn coordinate(given: &Argument) -> Result<f32, UsageError> {
    Ok(given.number_in(-COORDINATE_MAX_M..=COORDINATE_MAX_M, "metres")? as f32)
}

fn read(given: &Argument, expected: &str) -> Result<PlaceValue, UsageError> {
    match given.value() {
        Value::Vector(_) => within(given, given.vector(expected)?).map(PlaceValue::Point),
        Value::String(_) => given.text(expected).map(PlaceValue::Mark),
        Value::Table(mark) => match mark.raw_get::<Value>("position") {
            Ok(position @ Value::Vector(_)) => {
                let position =
                    Argument::new(given.function(), &format!("{}.position", given.name()), position);
                within(&position, position.vector(expected)?).map(PlaceValue::Point)
            }
            _ => Err(given.not(&format!("{expected}; vector.create(x, y, z) makes a vector"))),
        },
        value => {
            let character = thing::<CharacterId>(value).map(PlaceValue::Character);
            let place = character.or_else(|| thing::<DoorId>(value).map(PlaceValue::Door));
            place.ok_or_else(|| given.not(expected))
        }
    }
}

/// Where a character stands, for places that depend on it.
pub fn stand_of(character: &Character) -> LayerPoint {
    LayerPoint { layer: character.layer, point: character.body.position }
}

fn within(given: &Argument, point: Vec3) -> Result<Vec3, UsageError> {
    if point.abs().max_element() as f64 <= COORDINATE_MAX_M {
        return Ok(point);
    }
    Err(given.not(&format!("coordinates from -{COORDINATE_MAX_M} to {COORDINATE_MAX_M} metres")))
}

impl PlaceValue {
    /// Where it is now. `from` is where the asker stands: two numbers are on that floor, and a door means the
    /// point in front of it on that side, on that layer of the map.
    ///
    /// # Errors
    /// When there is no such mark, or the character or the door was removed.
    pub fn point(
        &self,
        world: &World,
        function: &'static str,
        from: Option<LayerPoint>,
    ) -> Result<Vec3, UsageError> {
        Ok(match self {
            Self::Point(point) => *point,
            Self::Flat(x, z) => Vec3::new(*x, from.map_or(0.0, |from| from.point.y), *z),
            Self::Mark(name) => names::mark_of_place(world, function, name)?.position,
            Self::Character(id) => alive(&world.characters, *id).map_err(op(function))?.body.position,
            Self::Door(id) => match (door_there(world, *id).map_err(op(function))?, from) {
                ((), Some(from)) => front_of(&world.map, *id, from.point, from.layer),
                ((), None) => world.doors().get(id.index()).map_or(Vec3::ZERO, |door| door.position),
            },
        })
    }

    /// Where a way from there to it ends: on the layer of a character, else on that of its beginning.
    ///
    /// # Errors
    /// As [`PlaceValue::point`].
    pub fn goal_from(
        &self,
        world: &World,
        function: &'static str,
        from: LayerPoint,
    ) -> Result<LayerPoint, UsageError> {
        let point = self.point(world, function, Some(from))?;
        Ok(LayerPoint { layer: self.layer_or(world, from.layer), point })
    }

    /// The layer of the map that it is on: that of a character, else the one given.
    pub fn layer_or(&self, world: &World, layer: u8) -> u8 {
        match self {
            Self::Character(id) => world.character(*id).map_or(layer, |who| who.layer),
            _ => layer,
        }
    }

    /// As the goal of a walk of `walker`: a character is followed, a door walked up to.
    ///
    /// # Errors
    /// As [`PlaceValue::point`].
    pub fn goal(
        &self,
        world: &World,
        function: &'static str,
        walker: CharacterId,
    ) -> Result<Goal, UsageError> {
        Ok(match self {
            Self::Character(id) => Goal::Character(*id),
            Self::Door(id) => {
                door_there(world, *id).map_err(op(function))?;
                Goal::Door(*id)
            }
            point => {
                let from = stand_of(alive(&world.characters, walker).map_err(op(function))?);
                Goal::Point(point.point(world, function, Some(from))?)
            }
        })
    }

    /// As something to look at; a door is looked at in its middle.
    ///
    /// # Errors
    /// As [`PlaceValue::point`].
    pub fn look(&self, world: &World, function: &'static str) -> Result<LookTarget, UsageError> {
        Ok(match self {
            Self::Character(id) => {
                alive(&world.characters, *id).map_err(op(function))?;
                LookTarget::Character(*id)
            }
            place => LookTarget::Point(place.point(world, function, None)?),
        })
    }
}
