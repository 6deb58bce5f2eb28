//! Converts values of a level file into the plain data that scripts read.
//!
//! In: JSON as the level has it. Out: [`Plain`] data. Holds: null means "not given", so it is left out. Not
//! here: which things have values (`resolve`, `spawn`), how scripts see them (`script`).

use super::forms::PropsDef;
use crate::base::ordered::CollectOrdered;
use crate::base::value::{Plain, PlainKey};

/// Values by name as plain data.
pub(crate) fn plain_props(props: &PropsDef) -> Plain {
    let entries = props.iter();
    let entries =
        entries.filter_map(|(name, value)| Some((PlainKey::Name(name.clone()), plain(&value.value)?)));
    Plain::Map(entries.collect_map())
}

/// JSON as plain data; values of a level file are finite and no deeper than its own limit. None for null,
/// which means "not given" in an object and is left out of lists.
pub fn plain(value: &serde_json::Value) -> Option<Plain> {
    Some(match value {
        serde_json::Value::Null => return None,
        serde_json::Value::Bool(flag) => Plain::Bool(*flag),
        serde_json::Value::Number(number) => Plain::Number(number.as_f64()?),
        serde_json::Value::String(text) => Plain::Text(text.clone()),
        serde_json::Value::Array(items) => Plain::List(items.iter().filter_map(plain).collect()),
        serde_json::Value::Object(entries) => Plain::Map(
            entries
                .iter()
                .filter_map(|(key, value)| Some((PlainKey::Name(key.clone()), plain(value)?)))
                .collect_map(),
        ),
    })
}
