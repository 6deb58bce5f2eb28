//! Generates the JSON schema of a level from the declarations of its objects.
//!
//! In: the keys of a level and of all that it holds. Out: one JSON value, for editors and for `walkon
//! schema`. Holds: keys, defaults and ranges are those the reader uses, because they come from the same
//! lines. Not here: the schema of one value (`forms`), the rules between parts (names, references), which a
//! schema cannot say.

use serde_json::Value;

use super::def::LevelDef;
use super::object::{Object as _, SchemaParts, lines};

/// The JSON schema of a level file.
#[must_use]
pub fn schema() -> Value {
    let mut parts = SchemaParts::default();
    let mut schema = parts.inline::<LevelDef>();
    schema["$schema"] = Value::from("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = Value::from(LevelDef::TITLE);
    schema["description"] = Value::from(lines(LevelDef::DOC));
    schema["$defs"] = parts.all();
    schema
}
