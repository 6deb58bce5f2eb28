//! Objects into characters: bodies, behaviours, and the parameters that everything else becomes.
//!
//! In: an object whose class is that of somebody. Out: a [`CharacterDef`] in metres. Holds: what is said of a component
//! (`Guard.route`) beats what is said of the whole; references are names. Not here: whether the behaviour takes the
//! parameters (the scripts').

use super::{Putting, Thing};
use crate::level::def::{CharacterDef, DoorHabit};
use crate::level::diagnostic::{Spot, code};
use crate::level::json::NAME_BYTES_MAX;
use crate::level::numbers;
use crate::level::read::{PARAMS_BYTES_MAX, TAGS_MAX};
use crate::level::source::checked_path;
use crate::level::tiled::files::short;
use crate::level::tiled::ground::{LAYER_NAMES, shown, text_of, truth, words};
use crate::level::tiled::raw::{Property, Value};
use serde_json::Value as Json;
use std::collections::BTreeMap;

impl Putting<'_, '_> {
    /// Places a character at the foot of its object.
    pub(super) fn character(&mut self, thing: &Thing<'_>, is_player: bool) {
        let Some(position) = self.position(thing) else { return };
        let object = thing.object;
        let wanted = if object.name.trim().is_empty() && is_player { "player" } else { &object.name };
        let name = Spot::new(self.unique("character", wanted, object.id, object.span), object.span);
        let mut character = CharacterDef {
            name,
            position: Spot::new(position, object.span),
            facing_degrees: self.facing(thing).unwrap_or(0.0),
            player: truth(&thing.properties, "player").unwrap_or(is_player),
            ..CharacterDef::default()
        };
        self.body(thing, &mut character);
        character.tags = self.tags(thing);
        character.doors = self.habit(thing);
        if thing.number > 0 {
            character.layer = Some(Spot::new(LAYER_NAMES[thing.number].to_owned(), object.span));
        }
        character.behaviour = self.behaviour(thing);
        character.params = self.params(thing);
        self.things.characters.push(character);
    }

    /// Sizes and speeds, pixels.
    fn body(&mut self, thing: &Thing<'_>, character: &mut CharacterDef) {
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
    fn tags(&self, thing: &Thing<'_>) -> Vec<String> {
        let own = thing.properties.get("tags").map(|property| text_of(&property.value)).unwrap_or_default();
        let class = thing.object.class.to_lowercase();
        let mut tags: Vec<String> = words(&own).map(str::to_owned).chain([class]).collect();
        tags.retain(|tag| tag.len() <= NAME_BYTES_MAX && !tag.chars().any(char::is_control));
        tags.sort();
        tags.dedup();
        tags.truncate(TAGS_MAX);
        tags
    }

    fn habit(&mut self, thing: &Thing<'_>) -> DoorHabit {
        let Some(property) = thing.properties.get("doors") else { return DoorHabit::default() };
        match text_of(&property.value).as_str() {
            "avoid" | "" => DoorHabit::Avoid,
            "open" => DoorHabit::Open,
            "wait" => DoorHabit::Wait,
            _ => {
                let what = format!("has doors {}, expected avoid, open or wait", shown(&property.value));
                self.error(thing, code::CHOICE, property.span, &what);
                DoorHabit::default()
            }
        }
    }

    fn behaviour(&mut self, thing: &Thing<'_>) -> Option<Spot<String>> {
        let property =
            ["behaviour", "behavior", "script"].iter().find_map(|name| thing.properties.get(name))?;
        let name = text_of(&property.value);
        if name.is_empty() {
            return None;
        }
        if let Err(error) = checked_path(&name) {
            self.error(
                thing,
                code::PATH,
                property.span,
                &format!("has {} \"{}\": {error}", property.name, short(&name)),
            );
            return None;
        }
        Some(Spot::new(name, property.span))
    }

    /// Everything else that is said of a character.
    fn params(&mut self, thing: &Thing<'_>) -> BTreeMap<String, Spot<Json>> {
        const OWN: [&str; 17] = [
            "facing",
            "facingDegrees",
            "radius",
            "height",
            "speed",
            "walkSpeed",
            "runSpeed",
            "rotationSpeed",
            "player",
            "tags",
            "doors",
            "collisionLayer",
            "behaviour",
            "behavior",
            "script",
            "collision",
            "layer",
        ];
        let mut params: BTreeMap<String, Spot<Json>> = BTreeMap::new();
        let mut bytes = 0;
        for property in &thing.properties.0 {
            let (component, name) = scoped(&property.name);
            let is_own = component.is_none() && OWN.contains(&name);
            if is_own || name.is_empty() {
                continue;
            }
            // What is said of a component is closer to the point than what is said of the whole.
            if params.contains_key(name) && component.is_none() {
                continue;
            }
            let Some(value) = self.json(property, name) else { continue };
            bytes += name.len() + value.to_string().len();
            params.insert(name.to_owned(), Spot::new(value, property.span));
        }
        if bytes > PARAMS_BYTES_MAX {
            let what = format!("has {bytes} bytes of properties, the limit is {PARAMS_BYTES_MAX}");
            self.error(thing, code::LIMIT, thing.object.span, &what);
            params.clear();
        }
        params
    }

    /// A value as the scripts get it: lengths in metres, objects by name. None for nothing.
    fn json(&self, property: &Property, name: &str) -> Option<Json> {
        Some(match &property.value {
            Value::Text(text) => Json::from(text.as_str()),
            Value::Truth(truth) => Json::from(*truth),
            Value::Number(number) if is_length(name) => Json::from(number * self.place.metres_per_pixel()),
            Value::Number(number) if *number == number.trunc() && number.abs() < 9e15 => {
                Json::from(*number as i64)
            }
            Value::Number(number) => Json::from(*number),
            Value::Object(id) => {
                Json::from(self.object_names.get(id).filter(|name| !name.is_empty())?.as_str())
            }
            Value::Class(members) => {
                let members = members.0.iter();
                members
                    .filter_map(|member| Some((member.name.clone(), self.json(member, &member.name)?)))
                    .collect()
            }
        })
    }
}

/// The component and the parameter of a name such as `Guard.route`.
fn scoped(name: &str) -> (Option<&str>, &str) {
    match name.rsplit_once('.') {
        Some((component, name)) => (Some(component), name),
        None => (None, name),
    }
}

/// Whether a property counts pixels: by the end of its name.
fn is_length(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["radius", "range", "distance", "speed"].iter().any(|end| lower.ends_with(end))
}
