//! Places and plain data as JSON.

use serde_json::{Value, json};

use crate::base::value::{Plain, PlainKey};
use crate::script::vm::convert::setting;
use crate::world::World;

/// A place or a velocity.
pub(super) fn place(at: glam::Vec3) -> Value {
    json!(at.to_array().map(setting))
}

/// Plain data as JSON; characters and doors by name.
pub(super) fn plain(world: &World, value: &Plain) -> Value {
    match value {
        Plain::Bool(value) => json!(value),
        Plain::Number(number) => json!(number),
        Plain::Text(text) => json!(text),
        Plain::Vector(at) => place(*at),
        Plain::Character(id) => json!(world.name_of(*id)),
        Plain::Door(id) => json!(world.doors().get(id.index()).map(|door| door.name.as_str())),
        Plain::List(values) => values.iter().map(|value| plain(world, value)).collect(),
        Plain::Map(entries) => {
            let name = |key: &PlainKey| match key {
                PlainKey::Index(index) => index.to_string(),
                PlainKey::Name(name) => name.clone(),
            };
            let mut fields = serde_json::Map::new();
            fields.extend(entries.iter().map(|(key, value)| (name(key), plain(world, value))));
            Value::Object(fields)
        }
    }
}
