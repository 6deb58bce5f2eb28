//! A JSON value that keeps the order of its keys.
//!
//! In: what a client sends, or a slice of a file. Out: [`Json`], which is written in the order in which it
//! was given. Holds: a number is written with the fewest digits that read back as the same number; keys that
//! arrive sorted by the alphabet, because something on the way sorted them, are put into the order in which
//! levels have them. Not here: how a value is laid out on lines (`layout`), the rounding of places that were
//! dragged (the page).

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use walkon_runtime::base::ordered;

/// From here on a number without exponent has too many digits to read.
const EXPONENT_FROM: f64 = 1e16;
/// Below this a number without exponent has too many zeros to read.
const EXPONENT_BELOW: f64 = 1e-6;

/// The keys that things of a level begin with, in this order.
const FIRST_KEYS: [&str; 25] = [
    "$schema",
    "name",
    "kind",
    "area",
    "file",
    "position",
    "centre",
    "min",
    "max",
    "polygon",
    "facingDegrees",
    "available",
    "open",
    "seconds",
    "locked",
    "key",
    "radius",
    "height",
    "walkSpeed",
    "runSpeed",
    "player",
    "tags",
    "doors",
    "behaviour",
    "params",
];

/// A JSON value whose objects keep their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as exact as it was given.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object, in its order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The value in a text, or where the text is wrong.
    ///
    /// # Errors
    /// What serde_json says of it.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<AsGiven>(text).map(|given| given.0)
    }

    /// Whether two values mean the same: numbers by their value, objects whatever the order of their keys.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => number_text(a) == number_text(b),
            (Self::List(a), Self::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b))
            }
            (Self::Object(a), Self::Object(b)) if a.len() != b.len() => false,
            (Self::Object(a), Self::Object(b)) if a.iter().zip(b).all(|(one, other)| one.0 == other.0) => {
                a.iter().zip(b).all(|(one, other)| one.1.is_same(&other.1))
            }
            (Self::Object(a), Self::Object(b)) => {
                let there = by_key(b);
                a.iter().all(|(key, value)| there.get(key.as_str()).is_some_and(|there| value.is_same(there)))
            }
            _ => self == other,
        }
    }

    /// Whether it is a list or an object with something in it.
    pub(super) fn is_filled(&self) -> bool {
        match self {
            Self::List(items) => !items.is_empty(),
            Self::Object(members) => !members.is_empty(),
            _ => false,
        }
    }

    /// The bracket it begins with; none for what has no brackets.
    pub(super) fn bracket(&self) -> Option<u8> {
        match self {
            Self::List(_) => Some(b'['),
            Self::Object(_) => Some(b'{'),
            _ => None,
        }
    }

    /// Its text, for a value without brackets.
    pub(super) fn leaf_text(&self) -> String {
        match self {
            Self::Bool(true) => "true".to_owned(),
            Self::Bool(false) => "false".to_owned(),
            Self::Number(number) => number_text(number),
            Self::Text(text) => quoted(text),
            Self::Null | Self::List(_) | Self::Object(_) => "null".to_owned(),
        }
    }

    /// With the keys of every object that came sorted in the order in which levels have them.
    #[must_use]
    pub fn in_level_order(self) -> Self {
        match self {
            Self::List(items) => Self::List(items.into_iter().map(Self::in_level_order).collect()),
            Self::Object(members) => {
                let is_sorted = members.windows(2).all(|pair| pair[0].0 <= pair[1].0);
                let mut members: Vec<(String, Self)> =
                    members.into_iter().map(|(key, value)| (key, value.in_level_order())).collect();
                if is_sorted {
                    ordered::sort_by_key(&mut members, |(key, _)| rank(key));
                }
                Self::Object(members)
            }
            leaf => leaf,
        }
    }
}

/// The values of an object by their keys; of a key that is there twice the first.
pub(super) fn by_key(members: &[(String, Json)]) -> BTreeMap<&str, &Json> {
    let mut all = BTreeMap::new();
    for (key, value) in members {
        all.entry(key.as_str()).or_insert(value);
    }
    all
}

fn rank(key: &str) -> usize {
    FIRST_KEYS.iter().position(|known| *known == key).unwrap_or(FIRST_KEYS.len())
}

/// A text as it stands in a file.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A number as it is written: `3`, `3.5`, `1e-7`; it reads back as the same number.
pub(super) fn number_text(number: &Number) -> String {
    if number.is_i64() || number.is_u64() {
        return number.to_string();
    }
    let value = number.as_f64().unwrap_or(0.0);
    if value == 0.0 {
        "0".to_owned()
    } else if (EXPONENT_BELOW..EXPONENT_FROM).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        fn plain(value: Value) -> Json {
            match value {
                Value::Null => Json::Null,
                Value::Bool(is) => Json::Bool(is),
                Value::Number(number) => Json::Number(number),
                Value::String(text) => Json::Text(text),
                Value::Array(items) => Json::List(items.into_iter().map(plain).collect()),
                Value::Object(members) => {
                    Json::Object(members.into_iter().map(|(key, value)| (key, plain(value))).collect())
                }
            }
        }
        plain(value).in_level_order()
    }
}

impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Value::Null,
            Json::Bool(is) => Value::Bool(*is),
            Json::Number(number) => Value::Number(number.clone()),
            Json::Text(text) => Value::String(text.clone()),
            Json::List(items) => Value::Array(items.iter().map(Value::from).collect()),
            Json::Object(members) => {
                Value::Object(members.iter().map(|(key, value)| (key.clone(), Value::from(value))).collect())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        AsGiven::deserialize(deserializer).map(|given| given.0.in_level_order())
    }
}

/// A value in the order of its text, whatever that is.
struct AsGiven(Json);

impl<'de> Deserialize<'de> for AsGiven {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(AsGiven)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, is: bool) -> Result<Json, E> {
        Ok(Json::Bool(is))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(AsGiven(item)) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members: Vec<(String, Json)> = Vec::new();
        while let Some((key, AsGiven(value))) = map.next_entry::<String, AsGiven>()? {
            members.push((key, value));
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use crate::edit::json::{Json, number_text};
    use proptest::prelude::*;
    use serde_json::{Number, json};

    #[test]
    fn numbers_are_written_with_the_fewest_digits_that_read_back_as_they_are() {
        for (value, text) in [
            (3.0, "3"),
            (3.5, "3.5"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (12.345_678_9, "12.3456789"),
            (1_234_567.123_456_7, "1234567.1234567"),
            (0.000_01, "0.00001"),
            (0.000_000_4, "4e-7"),
            (-1e-9, "-1e-9"),
            (1e300, "1e300"),
            (100.0, "100"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        ] {
            assert_eq!(number_text(&Number::from_f64(value).unwrap()), text);
            assert_eq!(text.parse::<f64>().unwrap(), value);
        }
        assert_eq!(number_text(&Number::from(u64::MAX)), u64::MAX.to_string());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_number_is_read_written_and_read_as_the_same(value in prop::num::f64::NORMAL, metres in -1e4..1e4) {
            for value in [value, metres] {
                let read = Json::read(&format!("{value:e}")).unwrap();
                prop_assert_eq!(&read, &Json::Number(Number::from_f64(value).unwrap()));
                prop_assert_eq!(read.leaf_text().parse::<f64>().unwrap(), value);
            }
        }
    }

    #[test]
    fn keys_keep_the_order_of_their_text_and_sorted_ones_get_that_of_levels() {
        let keys = |json: &Json| match json {
            Json::Object(members) => members.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>(),
            _ => Vec::new(),
        };
        let given: Json =
            serde_json::from_str(r#"{"walkSpeed": 2, "name": "a", "position": [1, 2]}"#).unwrap();
        assert_eq!(keys(&given), ["walkSpeed", "name", "position"]);
        let sorted = Json::from(json!({ "walkSpeed": 2, "x": 1, "position": [1, 2], "name": "a" }));
        assert_eq!(keys(&sorted), ["name", "position", "walkSpeed", "x"]);
    }

    #[test]
    fn the_same_is_the_same_however_it_is_spelled() {
        let same = |a, b| Json::read(a).unwrap().is_same(&Json::read(b).unwrap());
        assert!(same(r#"{"a": 3.0, "b": [1]}"#, r#"{"b": [1.0], "a": 3}"#));
        assert!(!same(r#"{"a": 3, "b": 1}"#, r#"{"a": 3, "c": 1}"#) && !same("[1]", "[1, 2]"));
        assert!(!same("1", "true") && same("null", "null"));
    }
}
