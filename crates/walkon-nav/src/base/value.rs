//! Plain data: what scripts may hand to the host to keep, send or compare.
//!
//! In: values read out of a script (`script::convert`) or a level file. Out: the same, as one closed Rust
//! type. Holds: no NaN, no infinity, no cycle; entries of a map are in key order, so equal data has equal
//! bytes and equal hashes. Not here: how a script's value becomes plain, and the limits on its size and
//! depth.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::hash::StateHash;
use crate::base::ids::{CharacterId, DoorId};

/// One plain value.
#[derive(Clone, Debug, PartialEq)]
pub enum Plain {
    /// A truth value.
    Bool(bool),
    /// A finite number.
    Number(f64),
    /// Text.
    Text(String),
    /// A position or direction, in metres where it is one.
    Vector(Vec3),
    /// A character, by id. It may have been removed since.
    Character(CharacterId),
    /// A door, by its place in the level.
    Door(DoorId),
    /// Values at 1, 2, 3 and so on, without holes.
    List(Vec<Plain>),
    /// Values by key.
    Map(BTreeMap<PlainKey, Plain>),
}

/// A key of a [`Plain::Map`]. Whole numbers come before names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlainKey {
    /// A whole number.
    Index(i64),
    /// A name.
    Name(String),
}

impl Plain {
    /// What a value takes beside the bytes of its text: itself, and its share of the map or list around it.
    pub const VALUE_BYTES: usize = 64;

    /// How many values it holds, itself among them. Cost: its size.
    #[must_use]
    pub fn values(&self) -> usize {
        1 + match self {
            Self::List(values) => values.iter().map(Self::values).sum(),
            Self::Map(entries) => entries.values().map(Self::values).sum(),
            _ => 0,
        }
    }

    /// The memory that it takes, about, bytes. Cost: its size.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let key = |key: &PlainKey| if let PlainKey::Name(name) = key { name.len() } else { 0 };
        Self::VALUE_BYTES
            + match self {
                Self::Text(text) => text.len(),
                Self::List(values) => values.iter().map(Self::bytes).sum(),
                Self::Map(entries) => entries.iter().map(|(name, value)| key(name) + value.bytes()).sum(),
                _ => 0,
            }
    }

    /// A map from names and values; the last of two equal names counts.
    #[must_use]
    pub fn map<'a>(entries: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        let named = |(name, value): (&str, Self)| (PlainKey::Name(name.to_owned()), value);
        Self::Map(entries.into_iter().map(named).collect())
    }

    /// Mixes the value into `hash`. Cost: its size.
    pub fn hash_into(&self, hash: &mut StateHash) {
        match self {
            Self::Bool(value) => hash.word(1).flag(*value),
            Self::Number(value) => hash.word(2).number(*value),
            Self::Text(value) => hash.word(3).text(value),
            Self::Vector(value) => hash.word(4).vector(*value),
            Self::Character(id) => hash.word(5).word(slotmap::Key::data(id).as_ffi()),
            Self::Door(id) => hash.word(6).word(u64::from(id.0)),
            Self::List(values) => {
                hash.word(7).word(values.len() as u64);
                values.iter().for_each(|value| value.hash_into(hash));
                hash
            }
            Self::Map(entries) => {
                hash.word(8).word(entries.len() as u64);
                for (key, value) in entries {
                    key.hash_into(hash);
                    value.hash_into(hash);
                }
                hash
            }
        };
    }
}

impl PlainKey {
    fn hash_into(&self, hash: &mut StateHash) {
        match self {
            Self::Index(index) => hash.word(1).word(*index as u64),
            Self::Name(name) => hash.word(2).text(name),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash_of(value: &Plain) -> u64 {
        let mut hash = StateHash::default();
        value.hash_into(&mut hash);
        hash.finish()
    }

    #[test]
    fn different_data_has_different_hashes() {
        let name = |name: &str| PlainKey::Name(name.to_owned());
        let values = [
            Plain::Bool(false),
            Plain::Number(0.0),
            Plain::Text(String::new()),
            Plain::List(vec![]),
            Plain::List(vec![Plain::List(vec![])]),
            Plain::Map(BTreeMap::from([(name("a"), Plain::Number(1.0))])),
            Plain::Map(BTreeMap::from([(name("b"), Plain::Number(1.0))])),
            Plain::Map(BTreeMap::from([(PlainKey::Index(1), Plain::Number(1.0))])),
        ];
        for (at, one) in values.iter().enumerate() {
            for other in &values[at + 1..] {
                assert_ne!(hash_of(one), hash_of(other), "{one:?} and {other:?}");
            }
        }
    }

    #[test]
    fn the_order_of_insertion_does_not_show() {
        let entries = [("walk", 1.0), ("alarm", 2.0), ("gate", 3.0)];
        let map = |order: [usize; 3]| {
            Plain::Map(
                order
                    .map(|at| (PlainKey::Name(entries[at].0.to_owned()), Plain::Number(entries[at].1)))
                    .into(),
            )
        };
        assert_eq!(hash_of(&map([0, 1, 2])), hash_of(&map([2, 0, 1])));
    }
}
