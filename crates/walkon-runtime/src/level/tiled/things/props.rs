//! Properties of objects that a level does not read: plain data for scripts.
//!
//! In: an object and the names that mean something for its kind. Out: the other properties, lengths in
//! metres, references as names; those of a character with a behaviour also as its parameters. Holds: a
//! property of a component (`Guard.route`) beats one of the whole; all objects together keep to a limit; a
//! kind that scripts cannot ask has its properties left out by name. Not here: how scripts see them
//! (`script`).

use serde_json::Value as Json;

use super::{PROPS_BYTES_MAX, Putting, TiledThing, called};
use crate::level::def::PropsDef;
use crate::level::diagnostic::{Located, code};
use crate::level::forms::PARAMS_BYTES_MAX;
use crate::level::tiled::files::short;
use crate::level::tiled::raw::{Property, PropertyValue};

impl Putting<'_, '_> {
    /// What is said of an object beyond the names that mean something for its kind.
    pub(super) fn props(&mut self, thing: &TiledThing<'_>, own: &[&str]) -> PropsDef {
        let whose = called(thing.object);
        for property in &thing.properties.0 {
            self.said.check_name(self.findings, property, own, &whose);
        }
        self.params(thing, own)
    }

    /// Says of a thing that scripts cannot ask which of its properties are left out.
    pub(super) fn forget_props(&mut self, thing: &TiledThing<'_>, own: &[&str]) {
        let whose = called(thing.object);
        for property in thing.properties.0.iter().filter(|one| !own.contains(&one.name.as_str())) {
            self.said.check_name(self.findings, property, own, &whose);
            self.said.leave_out(format!("property \"{}\" of {whose}", short(&property.name)), property.span);
        }
    }

    /// The same as parameters of a behaviour.
    pub(super) fn params(&mut self, thing: &TiledThing<'_>, own: &[&str]) -> PropsDef {
        let mut params = PropsDef::new();
        let mut bytes = 0;
        for property in &thing.properties.0 {
            let (component, name) = scoped(&property.name);
            let is_own = component.is_none() && own.contains(&name);
            if is_own || name.is_empty() {
                continue;
            }
            // A property of a component is more specific than one of the whole.
            if params.contains_key(name) && component.is_none() {
                continue;
            }
            let Some(value) = self.json(property, name) else { continue };
            bytes += name.len() + value.to_string().len();
            params.insert(name.to_owned(), Located::new(value, property.span));
        }
        let left = self.props_bytes_left.checked_sub(bytes);
        if bytes > PARAMS_BYTES_MAX || left.is_none() {
            let (limit, whose) = if bytes > PARAMS_BYTES_MAX {
                (PARAMS_BYTES_MAX, "")
            } else {
                (PROPS_BYTES_MAX, " of all objects")
            };
            let what = format!("has {bytes} bytes of properties, the limit{whose} is {limit}");
            self.error(thing, code::LIMIT, thing.object.span, &what);
            params.clear();
        }
        self.props_bytes_left = left.unwrap_or(0);
        params
    }

    /// A value as the scripts get it: lengths in metres, objects by name. None for nothing.
    fn json(&self, property: &Property, name: &str) -> Option<Json> {
        Some(match &property.value {
            PropertyValue::Text(text) => Json::from(text.as_str()),
            PropertyValue::Truth(truth) => Json::from(*truth),
            PropertyValue::Number(number) if is_length(name) => {
                Json::from(number * self.place.metres_per_pixel())
            }
            PropertyValue::Number(number) if *number == number.trunc() && number.abs() < 9e15 => {
                Json::from(*number as i64)
            }
            PropertyValue::Number(number) => Json::from(*number),
            PropertyValue::Object(id) => {
                Json::from(self.object_names.get(id).filter(|name| !name.is_empty())?.as_str())
            }
            PropertyValue::Class(members) => {
                let members = members.0.iter();
                let named = |member: &Property| Some((member.name.clone(), self.json(member, &member.name)?));
                let mut object = serde_json::Map::new();
                object.extend(members.filter_map(named));
                Json::Object(object)
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
