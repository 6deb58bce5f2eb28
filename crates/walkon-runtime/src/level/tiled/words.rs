//! The meaning of properties: known names, one reading of truth values, notes about the others.
//!
//! In: properties of maps, layers, tiles and objects. Out: truth values; notes for values without a known
//! form, for misspelled names, for things that are left out. Holds: no property refuses a map: it may belong
//! to another program; a note about a property is made once. Not here: what a level does with them (`ground`,
//! `things`).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::files::short;
use super::raw::{Properties, Property, PropertyValue, RawObject};
use crate::base::suggestions::nearest;
use crate::level::diagnostic::{Findings, PendingDiagnostic, Span, code};
use crate::level::object::Object;

/// Names that mean something on a map.
pub(super) const OF_MAPS: &[&str] = &["navigationLayers", "script", "seed", "tickRate", "pathBudget"];
/// On a layer of tiles.
pub(super) const OF_LAYERS: &[&str] = &["isTilesetWalkable", "useTilesetBorder", "collisionLayer"];
/// On a layer of objects.
pub(super) const OF_OBJECT_LAYERS: &[&str] = &["collision", "collisionLayer"];
/// On a tile; names that end in `State` come on top.
pub(super) const OF_TILES: &[&str] = &[
    "terrainType",
    "cost",
    "slowMultiplier",
    "oneWay",
    "oneWayFlags",
    "door",
    "doorFlags",
    "key",
    "requiresKey",
    "name",
    "blocked",
    "isBlocked",
    "walkable",
    "isNavigable",
    "isSafeZone",
    "isDynamic",
    "tags",
];

/// What an object says of a door or a character by itself, or with all of its properties.
const BY_ITSELF: [&str; 5] = ["name", "area", "position", "params", "props"];

/// On an object that becomes something of a level: the keys of that, and `more`.
pub(super) fn of_object<T: Object>(more: &[&'static str]) -> Vec<&'static str> {
    let keys = T::names().into_iter().filter(|name| !BY_ITSELF.contains(name));
    keys.chain(more.iter().copied()).collect()
}

/// Shorter names are too near to too many others to be taken for misspelled.
const NAME_CHARS_MIN: usize = 4;
/// Kinds of things left out that are counted one by one; the rest is counted together.
const KINDS_MAX: usize = 200;

/// The parts of a map that have no place in a level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// What it is, by name.
    pub what: String,
    /// How often.
    pub count: u64,
}

/// The notes so far, and the things left out so far.
#[derive(Debug, Default)]
pub(super) struct Said {
    left_out: BTreeMap<String, (u64, Span)>,
    /// Places of properties that something was said of: layers share those of their groups, objects of their
    /// types.
    places: BTreeSet<(u16, u32)>,
    /// Unknown classes that were looked at.
    classes: BTreeSet<String>,
}

impl Said {
    /// Notes that something has no place in a level.
    pub(super) fn leave_out(&mut self, what: String, span: Span) {
        self.leave_out_times(what, 1, span);
    }

    /// The same for several at once.
    pub(super) fn leave_out_times(&mut self, what: String, times: u64, span: Span) {
        let is_new = !self.left_out.contains_key(&what);
        let what = if is_new && self.left_out.len() >= KINDS_MAX { "more of such".to_owned() } else { what };
        self.left_out.entry(what).or_insert((0, span)).0 += times;
    }

    /// What was left out, by name; a note for each.
    pub(super) fn left_out(self, findings: &mut Findings) -> Vec<LeftOut> {
        let mut list = Vec::with_capacity(self.left_out.len());
        for (what, (count, span)) in self.left_out {
            let times = if count == 1 { String::new() } else { format!(" ({count} times)") };
            findings.note(|| PendingDiagnostic::new(code::MAP, span, format!("left out: {what}{times}")));
            list.push(LeftOut { what, count });
        }
        list
    }

    /// A property of ours whose value has no form of ours. It may belong to another program, so it is left
    /// alone.
    pub(super) fn odd(&mut self, findings: &mut Findings, property: &Property, sentence: &str) {
        if self.is_first(property.span) {
            let (span, message) = (property.span, format!("{sentence}; the property is left alone"));
            findings.note(|| PendingDiagnostic::new(code::PROPERTY, span, message));
        }
    }

    /// A name that is nearly one of those known at this place. `whose` completes "property x of ...".
    pub(super) fn check_name(
        &mut self,
        findings: &mut Findings,
        property: &Property,
        known: &[&str],
        whose: &str,
    ) {
        let name = property.name.as_str();
        if name.chars().count() < NAME_CHARS_MIN || known.contains(&name) {
            return;
        }
        let Some(near) = nearest(name, known.iter().copied()).filter(|_| self.is_first(property.span)) else {
            return;
        };
        let message = format!("property \"{}\" of {whose} is not known to walkon", short(name));
        findings
            .note(|| PendingDiagnostic::new(code::PROPERTY, property.span, message).suggest(name, [near]));
    }

    /// A class of an object that is nearly one of those known, which are in lower case. Once for each class.
    pub(super) fn check_class<'a>(
        &mut self,
        findings: &mut Findings,
        object: &RawObject,
        known: impl IntoIterator<Item = &'a str>,
    ) {
        let class = object.class.trim();
        if class.chars().count() < NAME_CHARS_MIN || self.classes.contains(class) {
            return;
        }
        self.classes.insert(class.to_owned());
        let Some(near) = nearest(&class.to_lowercase(), known) else {
            return;
        };
        let message =
            format!("class \"{}\" is not known to walkon; the shape of its objects decides", short(class));
        findings.note(|| PendingDiagnostic::new(code::PROPERTY, object.span, message).suggest(class, [near]));
    }

    fn is_first(&mut self, span: Span) -> bool {
        self.places.insert((span.file, span.start))
    }
}

/// Whether a value is true: `true` or `false` as a truth or as text, a number but 0. None for everything
/// else.
pub(super) fn truth_of(value: &PropertyValue) -> Option<bool> {
    match value {
        PropertyValue::Truth(truth) => Some(*truth),
        PropertyValue::Text(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
        PropertyValue::Text(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
        PropertyValue::Number(number) => Some(*number != 0.0),
        _ => None,
    }
}

/// Whether a property is true. None when it is not there or neither true nor false.
pub(super) fn truth(properties: &Properties, name: &str) -> Option<bool> {
    truth_of(&properties.get(name)?.value)
}
