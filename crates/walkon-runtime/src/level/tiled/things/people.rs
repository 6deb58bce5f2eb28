//! Turns objects into characters: bodies, behaviours, habits.
//!
//! In: an object with the class of a character. Out: a [`CharacterDef`] in metres, and a route when the
//! object is a line. Not here: properties that mean nothing to a level (`props`), whether a behaviour takes
//! its parameters (the scripts').

use super::{Putting, TiledThing};
use crate::base::ordered;
use crate::level::def::{CharacterDef, DoorHabit, PropsDef};
use crate::level::diagnostic::Located;
use crate::level::forms::TAGS_MAX;
use crate::level::json::NAME_BYTES_MAX;
use crate::level::numbers;
use crate::level::source::checked_path;
use crate::level::tiled::files::short;
use crate::level::tiled::ground::{shown, split, text_of};
use crate::level::tiled::raw::ObjectShape;
use crate::level::tiled::things::Sort;
use crate::level::tiled::words;

/// Other spellings of keys, and what imported maps say.
const SPELLINGS: &[&str] = &["facing", "speed", "collisionLayer", "collision", "behavior", "script"];

impl Putting<'_, '_> {
    /// Places a character at the foot of its object.
    pub(super) fn character(&mut self, thing: &TiledThing<'_>, sort: Sort) {
        let Some(position) = self.position(thing) else { return };
        let is_player = sort == Sort::Player;
        let object = thing.object;
        let wanted = if object.name.trim().is_empty() && is_player { "player" } else { &object.name };
        let name = Located::new(self.unique("character", wanted, object.id, object.span), object.span);
        let mut character = CharacterDef {
            name,
            position: Located::new(position, object.span),
            facing_degrees: self.facing(thing).unwrap_or(0.0),
            player: self.is(thing, "player").unwrap_or(is_player),
            ..CharacterDef::default()
        };
        self.body(thing, &mut character);
        character.tags = self.tags(thing);
        character.doors = self.habit(thing);
        if thing.number > 0 {
            character.layer = Some(thing.layer_name());
        }
        character.behaviour = self.behaviour(thing);
        let own = words::of_object::<CharacterDef>(SPELLINGS);
        character.props = self.props(thing, &own);
        // A property of a character with a behaviour is a parameter of the behaviour as well.
        if character.behaviour.is_some() {
            character.params = self.params(thing, &own);
        }
        self.things.characters.push(character);
        // The way that a character is drawn with is a route of that name.
        if matches!(object.shape, ObjectShape::Polyline(_)) && thing.corners.len() > 1 {
            self.line(thing, PropsDef::new());
        }
    }

    /// Sizes and speeds, pixels.
    fn body(&mut self, thing: &TiledThing<'_>, character: &mut CharacterDef) {
        if let Some(radius) = self.metres(thing, "radius", &numbers::RADIUS) {
            character.radius_m = radius;
        }
        if let Some(height) = self.metres(thing, "height", &numbers::HEIGHT) {
            character.height_m = height;
        }
        let walk = self.metres(thing, "speed", &numbers::WALK_SPEED);
        if let Some(walk) = self.metres(thing, "walkSpeed", &numbers::WALK_SPEED).or(walk) {
            character.walk_speed_mps = walk;
            character.run_speed_mps = (2.0 * walk).min(numbers::RUN_SPEED.max);
        }
        if let Some(run) = self.metres(thing, "runSpeed", &numbers::RUN_SPEED) {
            character.run_speed_mps = run;
        }
        if let Some(turn) = self.number(thing, "rotationSpeed", &numbers::ROTATION_SPEED) {
            character.rotation_speed_radps = turn;
        }
    }

    /// The words of its `tags`, and its class.
    fn tags(&self, thing: &TiledThing<'_>) -> Vec<String> {
        let own = thing.properties.get("tags").map(|property| text_of(&property.value)).unwrap_or_default();
        let class = thing.object.class.to_lowercase();
        let mut tags: Vec<String> = split(&own).map(str::to_owned).chain([class]).collect();
        tags.retain(|tag| tag.len() <= NAME_BYTES_MAX && !tag.chars().any(char::is_control));
        ordered::sort_by(&mut tags, Ord::cmp);
        tags.dedup();
        tags.truncate(TAGS_MAX);
        tags
    }

    fn habit(&mut self, thing: &TiledThing<'_>) -> DoorHabit {
        let Some(property) = thing.properties.get("doors") else { return DoorHabit::default() };
        match text_of(&property.value).as_str() {
            "avoid" | "" => DoorHabit::Avoid,
            "open" => DoorHabit::Open,
            "wait" => DoorHabit::Wait,
            _ => {
                let what = format!("has doors {}, expected avoid, open or wait", shown(&property.value));
                self.odd(thing, property, &what);
                DoorHabit::default()
            }
        }
    }

    fn behaviour(&mut self, thing: &TiledThing<'_>) -> Option<Located<String>> {
        let property =
            ["behaviour", "behavior", "script"].iter().find_map(|name| thing.properties.get(name))?;
        let name = text_of(&property.value);
        if name.is_empty() {
            return None;
        }
        if let Err(error) = checked_path(&name) {
            self.odd(thing, property, &format!("has {} \"{}\": {error}", property.name, short(&name)));
            return None;
        }
        Some(Located::new(name, property.span))
    }
}
