//! Parameters of behaviours as their files declare them.
//!
//! In: kinds, defaults and ranges. Out: the same. Not here: reading declarations and checking what is given
//! (`step::params`).

use std::collections::{BTreeMap, BTreeSet};

use crate::base::ordered::CollectOrdered;
use crate::base::value::Plain;
use crate::world::World;

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParamType {
    Number,
    Integer,
    Boolean,
    String,
    Vector,
    Mark,
    Route,
    Area,
    Region,
    Door,
    Character,
    Any,
}

impl ParamType {
    pub(crate) const NAMES: [(&str, Self); 12] = [
        ("number", Self::Number),
        ("integer", Self::Integer),
        ("boolean", Self::Boolean),
        ("string", Self::String),
        ("vector", Self::Vector),
        ("mark", Self::Mark),
        ("route", Self::Route),
        ("area", Self::Area),
        ("region", Self::Region),
        ("door", Self::Door),
        ("character", Self::Character),
        ("any", Self::Any),
    ];

    /// What was expected, for messages.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Integer => "a whole number",
            Self::Boolean => "true or false",
            Self::String => "a text",
            Self::Vector => "a vector: [x, z] or [x, y, z]",
            Self::Mark => "the name of a mark",
            Self::Route => "the name of a route",
            Self::Area => "the name of an area",
            Self::Region => "the name of a region",
            Self::Door => "the name of a door",
            Self::Character => "the name of a character",
            Self::Any => "plain data",
        }
    }

    /// Whether the level has something of this type called `name`; true for types that refer to nothing.
    pub(crate) fn is_known(self, world: &World, name: &str) -> bool {
        match self {
            Self::Mark => world.places.marks.contains_key(name),
            Self::Route => world.places.routes.contains_key(name),
            Self::Area => world.find_area(name).is_some(),
            Self::Region => world.find_region(name).is_some(),
            Self::Door => world.find_door(name).is_some(),
            Self::Character => world.find_character(name).is_some(),
            _ => true,
        }
    }

    /// Names of the level that this type refers to. Cost: all of them.
    pub(crate) fn known(self, world: &World) -> Option<BTreeSet<String>> {
        let names: BTreeSet<String> = match self {
            Self::Mark => world.places.marks.keys().cloned().collect(),
            Self::Route => world.places.routes.keys().cloned().collect(),
            Self::Area => world.map.areas.iter().map(|area| area.name.clone()).collect_set(),
            Self::Region => world.triggers.regions.iter().map(|region| region.name.clone()).collect_set(),
            Self::Door => world.standing_doors().map(|(_, door)| door.name.clone()).collect_set(),
            Self::Character => world.characters.names().map(str::to_owned).collect_set(),
            _ => return None,
        };
        Some(names)
    }
}

/// One declared parameter.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) kind: ParamType,
    pub(crate) default: Option<Plain>,
    pub(crate) optional: bool,
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
    pub(crate) one_of: Option<Vec<Plain>>,
}

impl Param {
    /// The kind of thing of a level that it names: `door`; none for values.
    pub(crate) fn reference(&self) -> Option<&'static str> {
        let names = matches!(
            self.kind,
            ParamType::Mark
                | ParamType::Route
                | ParamType::Area
                | ParamType::Region
                | ParamType::Door
                | ParamType::Character
        );
        let mut nouns = ParamType::NAMES.iter();
        nouns.find(|(_, kind)| *kind == self.kind).map(|(noun, _)| *noun).filter(|_| names)
    }
}

/// The declared parameters of a behaviour, by name.
pub(crate) type Params = BTreeMap<String, Param>;
