//! What the parts of `level` promise one another: keys, defaults and schema from the same lines.

use super::json::{JsonItem, JsonPath, JsonReader, JsonValue};
use super::numbers::{ALL, Crowd, Limits};
use super::read::LEVEL_KEYS;
use super::{Severity, code, diagnostic::Findings, read, schema};
use serde_json::Value;

#[test]
fn every_default_lies_in_its_range() {
    for (key, number) in ALL.iter().chain(Crowd::NUMBERS).chain(Limits::NUMBERS) {
        assert!(number.holds(number.default), "{key}: {number:?}");
    }
    for ((key, number), (_, value)) in Limits::NUMBERS.iter().zip(Limits::default().values()) {
        assert_eq!(number.default, value, "{key}");
    }
}

fn keys(schema: &Value) -> Vec<String> {
    let mut keys: Vec<String> = schema["properties"].as_object().unwrap().keys().cloned().collect();
    keys.sort();
    keys
}

#[test]
fn the_schema_has_the_keys_that_are_read() {
    let schema = schema();
    let mut level: Vec<String> = LEVEL_KEYS.iter().map(|key| (*key).to_owned()).collect();
    level.sort();
    assert_eq!(keys(&schema), level);
    assert_eq!(schema["required"], serde_json::json!(["navigation"]));
    assert_eq!(schema["additionalProperties"], Value::Bool(false));
    assert_eq!(schema["patternProperties"]["^x-"], Value::Bool(true));
    // A key that the schema names and the reader does not know would be reported as unknown.
    for (part, list) in [("Door", "doors"), ("Region", "regions"), ("Character", "characters")] {
        let entries: Vec<String> =
            keys(&schema["$defs"][part]).iter().map(|key| format!("\"{key}\": {{}}")).collect();
        let text = format!("{{\"navigation\": \"a.txt\", \"{list}\": [{{ {} }}]}}", entries.join(","));
        let unknown: Vec<_> = read(text.as_bytes(), "a.json")
            .diagnostics
            .into_iter()
            .filter(|d| d.code == code::UNKNOWN_FIELD)
            .collect();
        assert_eq!(unknown, [], "{part}");
    }
}

#[test]
fn the_schema_shows_defaults_and_descriptions() {
    let schema = schema();
    let character = &schema["$defs"]["Character"]["properties"];
    assert_eq!(character["radius"]["default"], 0.35);
    assert_eq!(character["radius"]["minimum"], 0.05);
    assert_eq!(character["radius"]["description"], "Half the width of the body, metres.");
    assert_eq!(schema["properties"]["tickRate"]["default"], 60);
    assert_eq!(schema["$defs"]["Crowd"]["properties"]["npcTalkDistance"]["default"], 1.35);
    assert_eq!(schema["$defs"]["Crowd"]["properties"]["reciprocal"]["default"], true);
    assert_eq!(schema["$defs"]["Limits"]["properties"]["fuelPerCall"]["default"], 100_000.0);
    assert_eq!(schema["$defs"]["Door"]["required"], serde_json::json!(["name", "area"]));
}

/// Whether our lazy reading and serde_json's own agree that a text is JSON, and on its value.
fn plain(text: &str) -> Result<Value, Vec<&'static str>> {
    let mut findings = Findings::default();
    let file = findings.add_file("a.json", text.as_bytes());
    let mut reader = JsonReader { findings: &mut findings, file };
    let value = reader
        .root(text, 0)
        .and_then(|JsonItem { text, at }| reader.plain(JsonValue { text, at, place: &JsonPath::Root }));
    let errors: Vec<_> =
        findings.take().into_iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect();
    if errors.is_empty() { value.ok_or_else(Vec::new) } else { Err(errors) }
}

#[test]
fn reading_by_slices_gives_what_reading_at_once_gives() {
    for text in [
        "null",
        " [ ] ",
        "{\"a\": [1, -2, 3.5e2, \"x\\n\\u00e9\", {\"b\": {}}], \"c\\t\": false}",
        "[\"\\ud83d\\ude00\", \"\", 18446744073709551615]",
    ] {
        let whole: Value = serde_json::from_str(text).unwrap();
        let sliced = plain(text).unwrap();
        if text.contains("184467") {
            assert_eq!(sliced[2].as_f64(), whole[2].as_f64(), "beyond 2^63 numbers are doubles");
        } else {
            assert_eq!(sliced, whole);
        }
    }
    for text in ["", "[1,]", "{\"a\" 1}", "01", "[1] 2", "\"\\x\"", "tru", "{\"a\":1", "[\"\u{1}\"]"] {
        assert!(serde_json::from_str::<Value>(text).is_err() && plain(text).is_err(), "{text:?}");
    }
}
