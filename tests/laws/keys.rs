//! Keys of the level file: each is named where its object is declared, and nowhere else.
//!
//! Goal: one place to edit when a key is added. Method: take the keys from the declarations (`object!`) below
//! `crates/walkon-runtime/src/level`, and look for those that the rest of the code there looks up by name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What looks a key up.
const LOOKUPS: [&str; 9] =
    ["get(", "has(", "has_any(", "optional(", "required(", "fields(", "know(", "span_of(", "value("];

/// Files of `level` that look up words of something else than levels, and of what.
const OTHER_FORMATS: [(&str, &str); 5] = [
    ("diagnostic.rs", "files of a level"),
    ("manual.rs", "JSON schemas"),
    ("scene/", "scenes"),
    ("textgrid.rs", "text grids"),
    ("tiled/", "maps of Tiled"),
];

/// Keys that are looked up outside their declaration: file, key, why.
const AGAIN: [(&str, &str, &str); 4] = [
    ("read.rs", "areas", "a file with areas and without a map is no level"),
    ("read.rs", "characters", "how many there may be stands under another key"),
    ("read.rs", "kind", "it says which declaration a map has"),
    ("read.rs", "navigation", "a file with areas and without a map is no level"),
];

fn sources(folder: &Path, root: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, root, found);
        } else if path.extension().is_some_and(|suffix| suffix == "rs") {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            if !name.ends_with("tests.rs") {
                found.insert(name, code(&fs::read_to_string(&path).unwrap()));
            }
        }
    }
}

/// The code of a file without its comments and its tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The declarations of objects in some code, and the rest of it.
fn declarations(code: &str) -> (String, String) {
    let (mut inside, mut outside) = (String::new(), String::new());
    let mut is_inside = false;
    for line in code.lines() {
        is_inside |= line == "object! {";
        let part = if is_inside { &mut inside } else { &mut outside };
        part.push_str(line);
        part.push('\n');
        is_inside &= line != "}";
    }
    (inside, outside)
}

/// Every text that is looked up: the first after a lookup, in the same statement.
fn looked_up(code: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for (at, lookup) in LOOKUPS.iter().flat_map(|lookup| code.match_indices(lookup)) {
        let is_whole = !code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
        let rest = &code[at + lookup.len()..];
        let end = rest.find([';', '|', '}']).unwrap_or(rest.len());
        if let Some(text) = rest[..end].split('"').nth(1).filter(|_| is_whole) {
            found.insert(text);
        }
    }
    found
}

/// Every key that is declared.
fn keys(declared: &str) -> BTreeSet<&str> {
    let lines = declared.lines().filter_map(|line| line.trim().strip_prefix('"')?.split_once("\" => "));
    lines.map(|(key, _)| key).filter(|key| !key.is_empty()).collect()
}

#[test]
fn no_key_of_the_level_file_is_named_but_where_it_is_declared() {
    let root = crate::place::root().join("crates/walkon-runtime/src/level");
    let mut files = BTreeMap::new();
    sources(&root, &root, &mut files);
    let parts: BTreeMap<&str, (String, String)> =
        files.iter().map(|(name, code)| (name.as_str(), declarations(code))).collect();
    let declared: String = parts.values().map(|(inside, _)| inside.as_str()).collect();
    let keys = keys(&declared);
    assert!(keys.len() > 100, "the declarations were not found: {keys:?}");
    let mut found = Vec::new();
    for (name, (_, outside)) in &parts {
        if !OTHER_FORMATS.iter().any(|(other, _)| name.starts_with(other)) {
            let looked_up = looked_up(outside);
            found.extend(keys.intersection(&looked_up).map(|key| (*name, *key)));
        }
    }
    let known: Vec<(&str, &str)> = AGAIN.iter().map(|(file, key, _)| (*file, *key)).collect();
    assert_eq!(found, known, "keys that are looked up outside their declaration");
}

#[test]
fn lookups_are_found_where_they_are() {
    let code = [
        "object! {\n    struct A as \"A\" {\n        \"width\" => width: f64 [number];\n    }\n}",
        "fn a() {\n    fields.has(\"width\");\n    said(\"height\");\n    reader.optional(fields, \"depth\", |r, n| 0);\n}",
    ]
    .join("\n");
    let (inside, outside) = declarations(&code);
    assert_eq!(keys(&inside), BTreeSet::from(["width"]));
    assert_eq!(looked_up(&outside), BTreeSet::from(["depth", "width"]));
}
