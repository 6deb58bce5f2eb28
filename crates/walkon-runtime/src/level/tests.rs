//! Promises between the parts of `level`: keys, defaults and schema come from the same lines.

use std::sync::Arc;

use serde_json::Value;

use super::diagnostic::{Findings, PendingDiagnostic};
use super::drawing::LegendAreas;
use super::json::{JsonItem, JsonPath, JsonReader, JsonValue};
use super::numbers::ALL;
use super::{
    DIAGNOSTICS_MAX, Diagnostic, LevelError, Located, MemorySource, POLYGONS_MAX, Severity, Span, code, load,
    read, schema, tiled,
};

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

fn errors(refused: LevelError) -> Vec<Diagnostic> {
    refused.diagnostics.into_iter().filter(|found| found.severity == Severity::Error).collect()
}

/// A map of Tiled of eight by eight tiles, with properties and objects of its own.
fn tmx(properties: &str, objects: &str) -> String {
    format!(
        "<map version=\"1.10\" orientation=\"orthogonal\" width=\"8\" height=\"8\" tilewidth=\"16\" tileheight=\"16\">
        <properties>{properties}</properties><objectgroup id=\"1\" name=\"things\">{objects}</objectgroup></map>"
    )
}

#[test]
fn characters_of_a_map_of_tiled_end_at_the_limit_of_the_level() {
    let object = |id: u32| format!("<object id=\"{id}\" class=\"npc\" x=\"64\" y=\"64\"><point/></object>");
    let people = |count: u32| tmx("", &(1..=count).map(object).collect::<String>());
    let level = r#"{ "navigation": "people.tmx", "limits": { "characters": 3 },
        "characters": [{ "name": "own", "position": [4, 4] }] }"#;
    let source = |count| MemorySource::new().with("people.tmx", people(count)).with("a.json", level);
    assert_eq!(load("a.json", &source(2)).expect("three characters").def.characters.len(), 3);
    let of_both = errors(load("a.json", &source(3)).expect_err("four characters"));
    let of_the_map = errors(load("people.tmx", &source(10_001)).expect_err("10,001 characters"));
    for (found, count, limit) in [(of_both, 4, 3), (of_the_map, 10_001, 10_000)] {
        let message = format!("the level has {count} characters, the limit is {limit} (limits.characters)");
        let found: Vec<_> = found.iter().map(|one| (one.code, &*one.path, &*one.message)).collect();
        assert_eq!(found, [("limit", "people.tmx", message.as_str())]);
    }
}

#[test]
fn a_map_of_tiled_says_of_the_level_what_the_level_leaves_open() {
    let number =
        |name: &str, value: u32| format!("<property name=\"{name}\" type=\"int\" value=\"{value}\"/>");
    let said = [number("seed", 7), number("tickRate", 30), number("pathBudget", 500)].concat();
    let source = MemorySource::new()
        .with("town.tmx", tmx(&said, ""))
        .with("open.json", r#"{ "navigation": "town.tmx" }"#)
        .with("own.json", r#"{ "navigation": "town.tmx", "seed": 0, "tickRate": 60 }"#);
    let said = |level: &str| {
        let def = load(level, &source).expect("a level").def;
        (def.seed, def.tick_rate, def.path_budget)
    };
    assert_eq!(said("town.tmx"), (7, 30, 500));
    assert_eq!(said("open.json"), (7, 30, 500));
    assert_eq!(said("own.json"), (0, 60, 500), "also where that is the default");
}

#[test]
fn files_of_a_scene_are_files_of_the_level() {
    let scene =
        r#"{ "buffers": [{ "uri": "hall.bin", "byteLength": 4 }, { "uri": "hall.bin", "byteLength": 4 }] }"#;
    let source = MemorySource::new()
        .with("a/hall.json", r#"{ "navigation": { "kind": "graph", "scene": "hall.gltf" } }"#)
        .with("a/hall.gltf", scene)
        .with("a/hall.bin", [1, 2, 3, 4]);
    // Without its points it is no level, but the files were read.
    let files = load("a/hall.json", &source).expect_err("no points").files;
    let read =
        files.iter().filter(|file| file.path.starts_with("a/hall.gltf") || file.path.ends_with(".bin"));
    assert_eq!(read.map(|file| file.path.as_str()).collect::<Vec<_>>(), ["a/hall.gltf", "a/hall.bin"]);
}

#[test]
fn stops_share_the_properties_of_their_mark() {
    let level = r#"{ "navigation": { "areas": [{ "name": "yard", "polygon": [[0,0], [9,0], [9,9], [0,9]] }] },
        "marks": { "well": { "position": [2, 2], "props": { "depth": 8 } }, "gate": [5, 5] },
        "routes": { "round": ["well", "gate", "well"] } }"#;
    let level = load("a.json", &MemorySource::new().with("a.json", level)).expect("a level");
    let stops = &level.resolved.routes[0].stops;
    let props: Vec<_> = stops.iter().filter_map(|stop| stop.props.clone()).collect();
    assert!(props.len() == 2 && Arc::ptr_eq(&props[0], &props[1]), "{stops:?}");
    let world = super::spawn::build(level, None).world;
    let shared = world.route("round").expect("a route").iter().filter_map(|stop| stop.props.as_ref());
    assert_eq!(shared.filter(|shared| Arc::ptr_eq(shared, &props[0])).count(), 2);
}

#[test]
fn second_places_are_worked_out_only_for_what_is_kept() {
    let mut findings = Findings::default();
    let file = findings.add_file("a.json", b"\n  here");
    let mut told = Vec::new();
    for _ in 0..DIAGNOSTICS_MAX + 5 {
        findings.error_beside(Span::new(file, 3, 7), |place| {
            told.push(place);
            PendingDiagnostic::new(code::DUPLICATE_NAME, Span::new(file, 0, 0), "again")
        });
    }
    assert_eq!(told, vec!["2:3"; DIAGNOSTICS_MAX]);
    assert_eq!(findings.take().pop().expect("the last").message, "5 more");
}

#[test]
fn areas_of_a_legend_end_at_the_limit_of_areas() {
    let names: Vec<Located<String>> =
        (0..POLYGONS_MAX + 2).map(|number| Located::new(format!("area {number}"), Span::default())).collect();
    let (mut findings, mut areas) = (Findings::default(), LegendAreas::default());
    let mut number = |name: usize| areas.number(&mut findings, 'a', names.get(name));
    for name in 0..POLYGONS_MAX {
        assert_eq!(usize::from(number(name)), name + 1);
    }
    assert_eq!([number(POLYGONS_MAX), number(7), number(POLYGONS_MAX + 2)], [0, 8, 0]);
    let found = findings.take();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "the legend names more than 10000 areas, which is the limit");
}

#[test]
fn a_map_that_is_too_long_is_refused_for_its_size() {
    let source = MemorySource::new().with("big.tmx", vec![b' '; super::FILE_BYTES_MAX as usize + 1]);
    let options = tiled::TiledOptions::default();
    let refused = errors(tiled::import("big.tmx", &source, &options).expect_err("too long"));
    assert_eq!(refused[0].code, code::SIZE);
    let refused = errors(load("big.tmx", &source).expect_err("too long"));
    assert_eq!(refused[0].code, code::SIZE);
}
