//! Events of the runtime: what scripts are given of each is what the table of them says.
//!
//! Method: a level in which all of them happen, whose script lists the fields of each payload.

use std::collections::{BTreeMap, BTreeSet};

use walkon_runtime::world::event_name::HEARD;

use super::reload::Run;

const LEVEL: &str = r#"{ "seed": 1, "script": "level.lua", "clock": { "start": "6:30" },
  "navigation": { "agentRadius": 0.35, "objectPadding": 0, "areas": [
    { "name": "hall", "polygon": [[0,0],[10,0],[10,10],[0,10]] },
    { "name": "doorway", "polygon": [[10,4],[11,4],[11,6],[10,6]] } ] },
  "doors": [{ "name": "gate", "area": "doorway", "seconds": 0.1 }],
  "characters": [{ "name": "anna", "position": [2,2] }] }"#;

/// The level script, which makes everything happen; `words` stand at its end.
fn level_script(words: &str) -> String {
    let names: Vec<String> = HEARD.iter().map(|event| format!("{:?}", event.name)).collect();
    r#"local function list(name, payload)
        local fields = {}
        for key, value in payload or {} do table.insert(fields, key .. "=" .. typeof(value)) end
        table.sort(fields)
        log.info("%s: %s", name, table.concat(fields, " "))
    end
    function onStart()
        for _, name in { NAMES } do event.on(name, function(payload) list(name, payload) end) end
        cinematic.define("scene", { holds = { "anna" }, locks = { "input" }, script = function(c) c:wait(0.1) end })
        timer.after(0.1, function()
            world.door("gate"):toggle()
            nav.setAreaCost("hall", 2)
            clock.set("9:00")
            world.spawn({ name = "ben", at = vector.create(5, 0, 5) })
            world.character("anna"):walkTo(2.5, 2.5)
        end)
        timer.after(1, function()
            world.character("ben"):despawn()
            cinematic.play("scene")
            error("a fault")
        end)
    end WORDS"#
        .replace("NAMES", &names.join(", "))
        .replace("WORDS", words)
}

/// The fields that a Luau type of a table names, and whether each is always there; none of a type that has a
/// name.
fn fields_of(payload: &str) -> Option<BTreeMap<&str, bool>> {
    let inside = payload.strip_prefix('{')?.strip_suffix('}')?;
    let fields = inside.split(", ").filter_map(|field| field.split_once(':'));
    Some(fields.map(|(name, kind)| (name.trim(), !kind.trim().ends_with('?'))).collect())
}

#[test]
fn payloads_of_runtime_events_have_the_fields_that_the_reference_names() {
    let mut run = Run::on(LEVEL, &[("level.lua", &level_script(""))]);
    run.ticks(120);
    run.reload(&[("level.lua", &level_script("local a = 1"))]);
    run.ticks(60);
    run.reload(&[("level.lua", "return {")]);
    run.ticks(60);
    let lines = run.taken();
    for event in HEARD {
        let mark = format!(": {}: ", event.name);
        let mut heard = lines.iter().filter_map(|line| line.split_once(&mark)).peekable();
        assert!(heard.peek().is_some(), "{} is never heard: {lines:#?}", event.name);
        let Some(fields) = fields_of(event.payload) else { continue };
        for (_, told) in heard {
            let told: BTreeSet<&str> =
                told.split(' ').filter_map(|field| Some(field.split_once('=')?.0)).collect();
            let is_known = told.iter().all(|name| fields.contains_key(name));
            let is_whole = fields.iter().all(|(name, always)| !always || told.contains(name));
            assert!(is_known && is_whole, "{}: {told:?}, expected {fields:?}", event.name);
        }
    }
}
