//! Default properties that a project gives to the classes of its objects.
//!
//! In: `objecttypes.xml`, its JSON forms, or a project of Tiled. Out: [`Types`]. Holds: an object that says
//! nothing of a property takes that of its class. Not here: what properties mean.

use std::collections::BTreeMap;

use super::files::{Here, Import};
use super::property::property;
use super::raw::Properties;
use crate::level::diagnostic::code;

/// Files that are looked for beside a map, in this order.
pub(super) const NAMES: [&str; 3] = ["objecttypes.xml", "objecttypes.json", "propertytypes.json"];

/// Properties by class.
#[derive(Clone, Debug, Default)]
pub(super) struct Types {
    by_class: BTreeMap<String, Properties>,
}

impl Types {
    /// The defaults of a class.
    pub(super) fn of(&self, class: &str) -> Option<&Properties> {
        self.by_class.get(class)
    }
}

/// Reads a file of types.
pub(super) fn types(import: &mut Import<'_>, here: Here<'_, '_>) -> Option<Types> {
    let root = here.root.name.as_ref();
    if matches!(root, "map" | "tileset" | "template") {
        let message =
            format!("the file is a {root}, expected the types of a project: objecttypes.xml or its like");
        import.error(here, code::CHOICE, here.root.span, message);
        return None;
    }
    let mut types = Types::default();
    // One as XML, or JSON lists of either.
    for element in &here.root.children {
        let name = element.value("name");
        let is_class = match element.name.as_ref() {
            "objecttype" => true,
            "propertytype" => matches!(element.value("type"), "class" | ""),
            _ => false,
        };
        if !is_class || name.is_empty() {
            continue;
        }
        let mut defaults = Properties::default();
        let lists = element.all("properties").flat_map(|list| list.all("property"));
        for one in element.all("property").chain(lists) {
            let key = if one.attribute("default").is_some() { "default" } else { "value" };
            defaults.0.extend(property(import, here, one, key));
        }
        types.by_class.insert(name.to_owned(), defaults);
    }
    Some(types)
}
