//! Promises between the parts of `level`: keys, defaults and schema come from the same lines.

use serde_json::Value;

use super::json::{JsonItem, JsonPath, JsonReader, JsonValue};
use super::numbers::ALL;
use super::{Severity, code, diagnostic::Findings, read, schema};

#[test]
fn every_default_lies_in_its_range() {
    for (key, number) in ALL {
        assert!(number.holds(number.default), "{key}: {number:?}");
    }
    let schema = schema();
    let parts = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    let keys = parts.filter_map(|part| part["properties"].as_object()).flatten();
    let mut count = 0;
    for (key, value) in keys {
        let [Some(default), Some(least), Some(most)] =
            ["default", "minimum", "maximum"].map(|name| value.get(name).and_then(Value::as_f64))
        else {
            continue;
        };
        assert!((least..=most).contains(&default), "{key}: {value}");
        count += 1;
    }
    assert!(count > 60, "{count} defaults with a range");
}

/// An object with every key that the schema has for it, each of them nothing.
fn empty(schema: &Value) -> String {
    let keys = schema["properties"].as_object().unwrap().keys();
    let kind = &schema["properties"]["kind"]["const"];
    let entry = |key: &String| match key.as_str() {
        "kind" => format!("\"kind\": {kind}"),
        key => format!("\"{key}\": null"),
    };
    format!("{{ {} }}", keys.map(entry).collect::<Vec<_>>().join(", "))
}

#[test]
fn the_reader_knows_the_keys_of_the_schema() {
    let schema = schema();
    assert_eq!(schema["required"], serde_json::json!(["navigation"]));
    assert_eq!(schema["additionalProperties"], Value::Bool(false));
    assert_eq!(schema["patternProperties"]["^x-"], Value::Bool(true));
    let part = |name: &str| empty(&schema["$defs"][name]);
    let things = ["Door", "Region", "Character"].map(part);
    let things = format!(
        "\"doors\": [{}], \"regions\": [{}], \"characters\": [{}], \"marks\": {{ \"m\": {} }}, \"routes\": {{ \"r\": {} }},
        \"limits\": {}, \"crowd\": {}",
        things[0],
        things[1],
        things[2],
        empty(&schema["$defs"]["Mark"]["anyOf"][1]),
        empty(&schema["$defs"]["Route"]["anyOf"][1]),
        part("Limits"),
        part("Crowd")
    );
    let kinds = schema["$defs"]["Navigation"]["anyOf"].as_array().unwrap().iter().skip(1);
    let maps = kinds.map(|kind| part(kind["$ref"].as_str().unwrap().strip_prefix("#/$defs/").unwrap()));
    for map in maps {
        let text = format!("{{ \"navigation\": {map}, {things} }}");
        let found = read(text.as_bytes(), "a.json").diagnostics;
        let unknown = found.iter().find(|finding| finding.code == code::UNKNOWN_FIELD);
        assert!(found.len() > 30, "{text}: {found:?}");
        assert_eq!(unknown, None, "{map}");
    }
    let found = read(empty(&schema).as_bytes(), "a.json").diagnostics;
    assert!(found.iter().all(|finding| finding.code != code::UNKNOWN_FIELD), "{found:?}");
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
    let mut reader = JsonReader::new(&mut findings, file);
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
