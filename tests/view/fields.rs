//! What is in the fields of commands, and what is not.
//!
//! Goal: no command passes over a value of the wrong form. Method: every command and every action of graphs
//! with each of its fields, each given a value of every other form; the program refuses it and names the
//! field, and goes on. The forms are those of docs/protocol.md, not those of the program.

use serde_json::{Value, json};

use super::hand::Viewed;

/// Forms of values, each with values that have it and no other form of this list.
const FORMS: [(&str, &str); 9] = [
    ("truth", "true"),
    ("count", "3"),
    ("number", "-1.5"),
    ("text", "\"zzz\""),
    ("place", "[1.5, 0.0, 2.5]"),
    ("texts", "[\"a\"]"),
    ("lists", "[[true]]"),
    ("objects", "[{ \"zzz\": 1 }]"),
    ("object", "{ \"zzz\": 1 }"),
];

/// Commands, and the forms that each of their fields takes.
const COMMANDS: [(&str, &[(&str, &str)]); 32] = [
    ("step", &[("ticks", "count")]),
    ("speed", &[("times", "number count")]),
    ("restart", &[("seed", "count")]),
    ("show", &[("parts", "texts"), ("slant", "text"), ("layer", "count")]),
    ("select", &[("keys", "")]),
    ("seek", &[("tick", "count")]),
    ("history", &[("from", "count"), ("to", "count")]),
    ("tracks", &[("keys", ""), ("from", "count"), ("to", "count"), ("points", "count")]),
    ("goOn", &[("tick", "count")]),
    (
        "input",
        &[("event", "text"), ("answer", "text"), ("option", "text"), ("continue", "text"), ("skip", "text")],
    ),
    ("input", &[("walk", "text"), ("to", "place text"), ("stop", "text"), ("teleport", "text")]),
    ("input", &[("facing", "number count"), ("spawn", "text"), ("at", "place"), ("behaviour", "text")]),
    (
        "input",
        &[("tags", "texts"), ("remove", "text"), ("door", "text"), ("order", "text"), ("area", "text")],
    ),
    ("input", &[("block", "text"), ("radius", "number count"), ("layer", "text"), ("unblock", "text")]),
    ("input", &[("available", "truth"), ("evaluate", "text"), ("attend", "truth")]),
    ("inspect", &[("kind", "text"), ("name", "text")]),
    ("find", &[("text", "text")]),
    ("path", &[("from", "place"), ("to", "place"), ("radius", "number count"), ("doors", "text")]),
    ("path", &[("keys", "texts"), ("avoidCharacters", "truth"), ("of", "text")]),
    ("heat", &[]),
    ("source", &[("file", "text")]),
    ("document", &[("file", "text")]),
    ("edit", &[("file", "text"), ("changes", "objects"), ("label", "text"), ("joins", "text")]),
    ("paint", &[("cells", ""), ("symbol", "text"), ("layer", "count"), ("label", "text")]),
    ("write", &[("file", "text"), ("text", "text"), ("base", "text"), ("label", "text"), ("joins", "text")]),
    ("expect", &[("add", "object"), ("remove", "count"), ("save", "text")]),
    ("resolve", &[("file", "text"), ("keep", "text"), ("text", "text")]),
    ("forecast", &[("from", "count"), ("seconds", "number count")]),
    ("try", &[("file", "text"), ("changes", "objects")]),
    ("graph", &[("action", "text")]),
    ("ping", &[]),
    ("check", &[]),
];

/// Actions of `graph`.
const ACTIONS: [(&str, &[(&str, &str)]); 10] = [
    ("stitch", &[("island", "count")]),
    ("preview", &[("min", "place"), ("max", "place")]),
    ("remove", &[("island", "count"), ("points", "count")]),
    ("blocked", &[("remove", "truth")]),
    ("edit", &[("add", ""), ("move", "objects"), ("link", ""), ("unlink", ""), ("remove", "")]),
    ("space", &[("name", "text"), ("from", "place"), ("within", "number count"), ("adds", "truth")]),
    ("space", &[("auto", "count"), ("clear", "truth")]),
    ("table", &[("keep", "truth")]),
    ("generate", &[]),
    ("undo", &[]),
];

#[test]
fn every_field_of_every_command_refuses_what_it_does_not_take_by_name() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    let before = std::fs::read_to_string(viewed.file("levels/courtyard.json")).unwrap();
    let commands = COMMANDS.iter().map(|(word, fields)| (json!({ "do": word }), fields));
    let actions = ACTIONS.iter().map(|(word, fields)| (json!({ "do": "graph", "action": word }), fields));
    let mut count = 0;
    for (base, fields) in commands.chain(actions) {
        for (name, forms) in fields.iter() {
            for (form, value) in FORMS.iter().filter(|(form, _)| !forms.split(' ').any(|own| own == *form)) {
                let mut command = base.clone();
                command[*name] = serde_json::from_str(value).unwrap();
                let refused = hand.ask(command.clone()).expect_err(&format!("{form}: {command}"));
                assert!(refused.contains(&format!("\"{name}\"")), "{command}: {refused}");
                count += 1;
            }
        }
        if base["do"] == "graph" && base["action"].is_null() {
            continue;
        }
        let mut unknown = base.clone();
        unknown["zzz"] = Value::from(1);
        let refused = hand.ask(unknown.clone()).expect_err(&unknown.to_string());
        assert!(refused.contains("\"zzz\""), "{unknown}: {refused}");
    }
    assert!(count > 500, "{count}");
    assert_eq!(std::fs::read_to_string(viewed.file("levels/courtyard.json")).unwrap(), before);
    assert_eq!(hand.step(3)["tick"], 3, "and it goes on");
}

#[test]
fn what_stands_in_lists_and_objects_is_named_by_its_place() {
    let viewed = Viewed::level("tower");
    let mut hand = viewed.client();
    for (command, expected) in [
        (
            json!({ "do": "edit", "changes": [{ "at": 7, "set": 1 }] }),
            "\"changes[0].at\" is 7, expected a text",
        ),
        (
            json!({ "do": "edit", "changes": [{ "at": "/seed", "sett": 1 }] }),
            "unknown field of changes: \"sett\"; did you mean \"set\"?",
        ),
        (
            json!({ "do": "expect", "add": { "from": [0, 0], "to": [1, 0, 1] } }),
            "\"add.from\" is [0,0], expected [x, y, z]",
        ),
        (json!({ "do": "expect", "add": { "from": [0, 0, 0] } }), "\"add\": missing field `to`"),
        (
            json!({ "do": "graph", "action": "edit", "move": [{ "point": "first", "to": [0, 0, 0] }] }),
            "\"move[0].point\" is \"first\"",
        ),
        (
            json!({ "do": "input", "event": "bell", "payload": [null] }),
            "\"payload\" is [null], expected data without null",
        ),
        (json!({ "do": ["step"] }), "\"do\" is [\"step\"], expected a text"),
        (json!({ "do": "step", "tick": 3 }), "unknown field of step: \"tick\"; did you mean \"ticks\"?"),
    ] {
        let refused = hand.ask(command.clone()).expect_err(&command.to_string());
        assert!(refused.starts_with(expected), "{command}: {refused}");
    }
}
