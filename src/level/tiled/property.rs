//! Properties with their types.
//!
//! In: the elements of properties. Out: [`Properties`], findings for values that are not of their type. Holds: a
//! class of values nests no deeper than the file. Not here: which properties mean something.

use super::files::{Here, Import, short};
use super::raw::{Properties, Property, Value};
use super::tree::Element;
use crate::level::diagnostic::{Span, code};

/// The properties of an element.
pub(super) fn properties(import: &mut Import<'_>, here: Here<'_, '_>, element: &Element<'_>) -> Properties {
    let mut list = Properties::default();
    for group in element.all("properties") {
        for one in group.all("property") {
            list.0.extend(property(import, here, one, "value"));
        }
    }
    list
}

/// One property; `key` is the attribute that its value stands in.
pub(super) fn property(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    element: &Element<'_>,
    key: &str,
) -> Option<Property> {
    let name = element.value("name").to_owned();
    let (class, kind) = (element.value("propertytype").to_owned(), element.value("type"));
    let (text, span) = match element.attribute(key) {
        Some(attribute) => (attribute.value.as_ref(), attribute.span),
        // Text of several lines stands between the tags.
        None => (element.text.as_ref(), element.span),
    };
    if kind == "class" || (element.attribute(key).is_none() && element.child("properties").is_some()) {
        return Some(Property { name, value: Value::Class(properties(import, here, element)), class, span });
    }
    let value = match kind {
        "bool" => match text {
            "true" => Some(Value::Truth(true)),
            "false" | "" => Some(Value::Truth(false)),
            _ => None,
        },
        "int" | "float" => finite(text).map(Value::Number),
        "object" => text.trim().parse().ok().or(text.is_empty().then_some(0)).map(Value::Object),
        // Text, colours, files, and types of versions to come.
        _ => Some(Value::Text(text.to_owned())),
    };
    if value.is_none() {
        wrong(import, here, span, (&name, kind, text));
    }
    Some(Property { name, value: value?, class, span })
}

fn finite(text: &str) -> Option<f64> {
    match text.trim() {
        "" => Some(0.0),
        text => text.parse::<f64>().ok().filter(|value| value.is_finite()).map(|value| value + 0.0),
    }
}

fn wrong(import: &mut Import<'_>, here: Here<'_, '_>, span: Span, (name, kind, text): (&str, &str, &str)) {
    let expected = match kind {
        "bool" => "true or false",
        "object" => "the number of an object",
        _ => "a finite number",
    };
    let message = format!("property \"{}\" is \"{}\", expected {expected}", short(name), short(text));
    import.error(here, code::TYPE, span, message);
}
