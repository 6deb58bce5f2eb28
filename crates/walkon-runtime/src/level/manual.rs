//! Generates the reference page of the level file: every key with its type, default, range and meaning.
//!
//! In: the JSON schema. Out: Markdown. Holds: nothing is said here that the schema does not say, so the page,
//! the editor and the reader agree; every object of the schema has its table. Not here: the rules between
//! parts (`resolve`).

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::numbers::NEAR_ORIGIN_M;
use super::object::Object as _;
use super::settings::{CrowdDef, Limits};

/// An object of the schema.
type SchemaObject = Map<String, Value>;

const HEAD: &str = "<!-- Written from the schema of level files; changes here are lost. -->\n\n# The level file\n\n\
    A level is one JSON file. Only `navigation` is required. Lengths are metres, times seconds of game time unless a key says \
    otherwise; positions are `[x, z]`, or `[x, y, z]` on maps with heights. Unknown keys are errors with a suggestion; keys \
    that begin with `x-` are free in every object. Lay a level out around `[0, 0]`: places are single-precision numbers, and \
    more than {NEAR_ORIGIN_M} metres from there, of which `check` warns, too coarse for walks. `walkon schema` prints the same as a JSON schema for editors.\n\n";

/// The page, as Markdown.
#[must_use]
pub fn manual() -> String {
    let schema = super::schema();
    let none = SchemaObject::new();
    let parts = schema.get("$defs").and_then(Value::as_object).unwrap_or(&none);
    let mut page = HEAD.replace("{NEAR_ORIGIN_M}", &NEAR_ORIGIN_M.to_string());
    let root = schema.as_object().unwrap_or(&none);
    section(&mut page, "Level", root, &schema);
    for name in in_order(&schema, parts) {
        if let Some(part) = parts.get(name).and_then(Value::as_object) {
            section(&mut page, name, part, part.get("anyOf").unwrap_or(&Value::Null));
        }
    }
    format!("{}\n", page.trim_end())
}

/// Names of parts in the order in which they are first referred to, from the level down.
fn in_order<'a>(schema: &'a Value, parts: &'a SchemaObject) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    referred(schema.get("properties").unwrap_or(&Value::Null), &mut names);
    let mut next = 0;
    // Bounded by the parts: each is listed once.
    while let Some(part) = names.get(next).and_then(|name| parts.get(*name)) {
        referred(part, &mut names);
        next += 1;
    }
    names
}

fn referred<'a>(value: &'a Value, names: &mut Vec<&'a str>) {
    match value {
        Value::Object(object) => {
            if let Some(name) = reference(object).filter(|name| !names.contains(name)) {
                names.push(name);
            }
            object.values().for_each(|inner| referred(inner, names));
        }
        Value::Array(list) => list.iter().for_each(|inner| referred(inner, names)),
        _ => {}
    }
}

fn reference(object: &SchemaObject) -> Option<&str> {
    object.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// A heading, what it is, and a table of its keys where it has any.
fn section(page: &mut String, name: &str, part: &SchemaObject, forms: &Value) {
    put(page, format_args!("## {}\n\n", title(name, part)));
    if let Some(words) = text(part, "description") {
        put(page, format_args!("{words}\n\n"));
    }
    if part.contains_key("properties") {
        keys(page, name, part);
        return;
    }
    let form = match forms {
        Value::Array(_) => kind_of(part),
        _ => type_of(part),
    };
    put(page, format_args!("Form: {}.\n\n", bounded(form, part)));
    for object in forms.as_array().into_iter().flatten().filter_map(Value::as_object) {
        if object.contains_key("properties") {
            page.push_str("Keys of the object:\n\n");
            keys(page, name, object);
        }
    }
}

/// The table of the keys of an object.
fn keys(page: &mut String, name: &str, object: &SchemaObject) {
    let required = object.get("required").and_then(Value::as_array).into_iter().flatten();
    let required: Vec<&str> = required.filter_map(Value::as_str).collect();
    page.push_str("| key | type | default | range | meaning |\n|---|---|---|---|---|\n");
    let keys = object.get("properties").and_then(Value::as_object).into_iter().flatten();
    for (key, value) in keys {
        let Some(value) = value.as_object() else { continue };
        let default = match value.get("default").filter(|default| !default.is_null()) {
            _ if required.contains(&key.as_str()) => "required".to_owned(),
            Some(default) => format!("`{default}`"),
            None => String::new(),
        };
        let meaning = cell(text(value, "description").unwrap_or_default());
        let range = range(name, key, value);
        put(page, format_args!("| `{key}` | {} | {default} | {range} | {meaning} |\n", type_of(value)));
    }
    page.push('\n');
}

/// A form with the range of its numbers, how many there are, and how its text is made.
fn bounded(form: String, value: &SchemaObject) -> String {
    let mut words = vec![form];
    let mut inner = Some(value);
    // Bounded by the depth of the schema.
    while let Some(value) = inner {
        let bounds = bounds(value);
        match bounds.strip_suffix(" of them") {
            _ if bounds.is_empty() => {}
            _ if words.len() == 1 => words.push(bounds),
            Some(count) => words.push(format!("each of {count}")),
            None => words.push(format!("each {bounds}")),
        }
        inner = value.get("items").and_then(Value::as_object);
    }
    if let Some(pattern) = text(value, "pattern") {
        words.push(format!("as in the pattern `{pattern}`"));
    }
    words.join(", ")
}

/// `GridKeys` is the map of kind "grid"; other parts are called as they are.
fn title(name: &str, part: &SchemaObject) -> String {
    let kind = part.get("properties").and_then(|keys| keys.get("kind")).and_then(|kind| kind.get("const"));
    match kind.and_then(Value::as_str) {
        Some(kind) => format!("Map of kind {kind}"),
        None => name.to_owned(),
    }
}

fn text<'a>(object: &'a SchemaObject, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

fn type_of(value: &SchemaObject) -> String {
    if let Some(name) = reference(value) {
        return link(name);
    }
    for list in ["anyOf", "oneOf", "allOf"] {
        if value.contains_key(list) {
            return kind_of(value);
        }
    }
    if let Some(constant) = value.get("const") {
        return format!("`{constant}`");
    }
    if let Some(words) = value.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        return words.join(" or ");
    }
    let word = match value.get("type") {
        Some(Value::String(word)) => word.as_str(),
        // "null" stands for a key that is left out.
        Some(Value::Array(words)) => words.first().and_then(Value::as_str).unwrap_or("any"),
        _ => "any",
    };
    let of = |key: &str| value.get(key).and_then(Value::as_object).map(type_of);
    match word {
        "array" => format!("list of {}", of("items").unwrap_or_else(|| "any".to_owned())),
        "object" => {
            of("additionalProperties").map_or_else(|| "object".to_owned(), |of| format!("names to {of}"))
        }
        "boolean" => "true or false".to_owned(),
        "integer" => "whole number".to_owned(),
        word => word.to_owned(),
    }
}

/// The forms that a value may have.
fn kind_of(value: &SchemaObject) -> String {
    let forms = ["anyOf", "oneOf", "allOf"].iter().filter_map(|list| value.get(*list)?.as_array()).flatten();
    let mut words: Vec<String> = Vec::new();
    for form in forms.filter_map(Value::as_object) {
        let word = type_of(form);
        if word != "null" && !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(" or ")
}

fn link(name: &str) -> String {
    let shown = match name.strip_suffix("Keys") {
        Some(kind) => {
            let mut letters = kind.chars();
            let first = letters.next().map(|letter| letter.to_ascii_lowercase());
            format!("map of kind {}{}", first.unwrap_or_default(), letters.as_str())
        }
        None => name.to_owned(),
    };
    format!("[{shown}](#{})", shown.to_lowercase().replace(' ', "-"))
}

/// `0.01 to 100 m`, with the unit where the table of numbers names one.
fn range(part: &str, key: &str, value: &SchemaObject) -> String {
    let keys = [(CrowdDef::TITLE, CrowdDef::keys()), (Limits::TITLE, Limits::keys())];
    let own = keys.iter().filter(|(title, _)| *title == part).flat_map(|(_, keys)| keys);
    let number = own.filter(|own| own.name == key).find_map(|own| (own.number)());
    let unit = number.map_or("", |number| number.unit);
    format!("{} {unit}", bounds(value)).trim().to_owned()
}

/// `0.01 to 100`; of lists how many there are.
fn bounds(value: &SchemaObject) -> String {
    let ends =
        ["minimum", "maximum", "minItems", "maxItems"].map(|end| value.get(end).and_then(Value::as_f64));
    match ends {
        [Some(low), Some(high), ..] => format!("{low} to {high}"),
        [Some(low), None, ..] => format!("at least {low}"),
        [None, Some(high), ..] => format!("at most {high}"),
        [.., Some(low), Some(high)] if low == high => format!("{low} of them"),
        [.., Some(low), Some(high)] => format!("{low} to {high} of them"),
        [.., Some(low), None] => format!("at least {low} of them"),
        [.., None, Some(high)] => format!("at most {high} of them"),
        _ => String::new(),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn put(page: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = page.write_fmt(words);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys of all objects of a schema, however deep.
    fn all_keys<'a>(value: &'a Value, keys: &mut Vec<&'a str>) {
        match value {
            Value::Object(object) => {
                let own = object.get("properties").and_then(Value::as_object);
                keys.extend(own.into_iter().flat_map(|own| own.keys().map(String::as_str)));
                object.values().for_each(|inner| all_keys(inner, keys));
            }
            Value::Array(list) => list.iter().for_each(|inner| all_keys(inner, keys)),
            _ => {}
        }
    }

    #[test]
    fn every_key_of_the_schema_stands_in_a_table_once_for_each_object_that_has_it() {
        let schema = crate::level::schema();
        let page = manual();
        let mut keys = Vec::new();
        all_keys(&schema, &mut keys);
        assert!(keys.len() > 100, "{keys:?}");
        for key in &keys {
            let wanted = keys.iter().filter(|own| *own == key).count();
            assert_eq!(page.matches(&format!("\n| `{key}` | ")).count(), wanted, "{key}");
        }
        assert!(page.contains("Form: list of number, 2 to 3 of them, each -1000000 to 1000000."));
    }
}
