//! Senses as scripts use them: questions, watches, conditions, a guard with modes.
//!
//! Method: the level tests of `senses.lua` on three small levels, with the library scripts of the repository;
//! every test runs twice and must have the same hashes.

use std::collections::BTreeMap;
use std::sync::Arc;

use walkon_runtime::game::testing::{Suite, collect, run, seeds};
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::script::vm::fuel::Signals;

const MAP: &str = r#""navigation": { "agentRadius": 0.35, "objectPadding": 0.0,
    "areas": [
      { "name": "yard", "polygon": [[0,0],[20,0],[20,20],[0,20]] },
      { "name": "gateway", "polygon": [[20,9],[21,9],[21,11],[20,11]] },
      { "name": "room", "polygon": [[21,5],[30,5],[30,15],[21,15]] },
      { "name": "reeds", "polygon": [[4,16],[6,16],[6,18],[4,18]], "blocksSight": true }
    ],
    "obstacles": [
      { "name": "wall", "polygon": [[11,8],[11.05,8],[11.05,14],[11,14]] },
      { "name": "table", "polygon": [[9,6],[12,6],[12,7.5],[9,7.5]], "blocksSight": false }
    ] },
  "doors": [{ "name": "gate", "area": "gateway", "seconds": 0.2 }],
  "routes": { "rounds": [[5, 10], [5, 4]] }"#;

/// A guard who looks along +x at the player, three metres away.
const PEOPLE: &str = r#""characters": [
    { "name": "guard", "position": [5, 10], "facingDegrees": 90 },
    { "name": "player", "position": [8, 10], "player": true }
  ]"#;

/// A sentry with its back to the player.
const GUARDED: &str = r#""characters": [
    { "name": "sentry", "position": [5, 10], "facingDegrees": 180, "behaviour": "sentry.lua",
      "params": { "route": "rounds", "angle": 120, "engage": 4 } },
    { "name": "player", "position": [8, 14], "player": true }
  ]"#;

fn level_json(name: &str) -> Option<String> {
    let rest = match name {
        "hide" => PEOPLE.to_owned(),
        "busy" => format!("{PEOPLE}, \"limits\": {{ \"looksPerTick\": 1 }}"),
        "guarded" => GUARDED.to_owned(),
        _ => return None,
    };
    Some(format!("{{ {MAP}, {rest} }}"))
}

#[test]
fn seed_bt6_bt8_senses_conditions_and_a_guard_with_modes_do_what_their_level_tests_say() {
    let mut texts: BTreeMap<String, String> = crate::level::levels::scripts()
        .into_iter()
        .filter(|(name, _)| name.starts_with("lib/") || name == "behaviours/sentry.lua")
        .collect();
    texts.insert("senses_test.lua".to_owned(), include_str!("senses.lua").to_owned());
    let levels = ["hide", "busy", "guarded"].map(String::from);
    let tests = collect(&texts, "senses_test.lua", &levels, Arc::default()).unwrap();
    let mut load_level = |name: &str| {
        let json = level_json(name).ok_or_else(|| format!("no level {name}"))?;
        let source = MemorySource::new().with("level.json", json.as_str());
        load("level.json", &source).map_err(|refused| refused.to_string())
    };
    let mut suite = Suite {
        profile: None,
        scripts: &texts,
        load_level: &mut load_level,
        signals: Arc::new(Signals::default()),
        debugger: None,
        goes_on: &mut || true,
    };
    let mut wrong = Vec::new();
    for (index, test) in tests.iter().enumerate() {
        let result = run(&mut suite, test, index, seeds(test, None)).expect("nobody stops it");
        if !result.passed {
            wrong.push(format!(
                "{} (line {}): {:?} {:?}",
                result.name, result.line, result.outcome, result.message
            ));
        }
    }
    assert!(tests.len() >= 12, "{} tests", tests.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn legends_say_what_is_seen_over_and_only_of_areas() {
    let ascii = |legend: &str| {
        let json = format!(
            r##"{{ "navigation": {{ "kind": "ascii", "cellSize": 1, "legend": {{ {legend} }},
                "rows": [".....", "..t..", "....."] }} }}"##
        );
        load("level.json", &MemorySource::new().with("level.json", json.as_str()))
    };
    let sees = |legend: &str| {
        let world = walkon_runtime::level::spawn::build(ascii(legend).unwrap(), None).world;
        let place = |x: f32| walkon_runtime::glam::Vec3::new(x, 0.0, 1.5);
        !world.is_hidden(place(0.5), place(4.5), 0)
    };
    assert!(!sees(r#""t": { "walkable": false }"#));
    assert!(sees(r#""t": { "area": "table", "walkable": false, "blocksSight": false }"#));
    assert!(!sees(r#""t": { "area": "reeds", "blocksSight": true }"#));
    let refused = ascii(r#""t": { "walkable": false, "blocksSight": false }"#).unwrap_err().to_string();
    assert!(refused.contains("legend 't' has blocksSight without an area"), "{refused}");
}
