//! Properties with their types.
//!
//! In: the elements of properties. Out: [`Properties`]; a value that is not of its type is text, with a note,
//! because nothing here knows which program the property is for. Holds: a class of values nests no deeper
//! than the file. Not here: which properties mean something (`words`).

use super::files::{Here, Import, short};
use super::raw::{Properties, Property, PropertyValue};
use super::tree::Element;
use crate::level::diagnostic::{PendingDiagnostic, Span, code};

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
        return Some(Property {
            name,
            value: PropertyValue::Class(properties(import, here, element)),
            class,
            span,
        });
    }
    let value = match kind {
        "bool" => match text {
            "true" => Some(PropertyValue::Truth(true)),
            "false" | "" => Some(PropertyValue::Truth(false)),
            _ => None,
        },
        "int" | "float" => finite(text).map(PropertyValue::Number),
        "object" => text.trim().parse().ok().or(text.is_empty().then_some(0)).map(PropertyValue::Object),
        // Text, colours, files, and types of versions to come.
        _ => Some(PropertyValue::Text(text.to_owned())),
    };
    let value = value.unwrap_or_else(|| {
        wrong(import, here, span, &Unread { name: &name, kind, text });
        PropertyValue::Text(text.to_owned())
    });
    Some(Property { name, value, class, span })
}

fn finite(text: &str) -> Option<f64> {
    match text.trim() {
        "" => Some(0.0),
        text => text.parse::<f64>().ok().filter(|value| value.is_finite()).map(|value| value + 0.0),
    }
}

/// A property as it is written.
struct Unread<'a> {
    name: &'a str,
    kind: &'a str,
    text: &'a str,
}

fn wrong(import: &mut Import<'_>, here: Here<'_, '_>, span: Span, property: &Unread<'_>) {
    let expected = match property.kind {
        "bool" => "true or false",
        "object" => "the number of an object",
        _ => "a finite number",
    };
    let message = format!(
        "property \"{}\" is \"{}\", expected {expected}; it is taken as text",
        short(property.name),
        short(property.text)
    );
    import.findings.note(|| PendingDiagnostic::new(code::TYPE, span, message).at(here.pointer(span)));
}
