//! The fields of commands, and their allowed values.
//!
//! In: a command as JSON. Out: its fields, read; or the one that is wrong, by its name, with what was
//! expected. Holds: an unknown field is an error, as is a value of a wrong form: nothing is ignored. Not
//! here: the meaning of values (`commands`, `desk`).

use serde_json::Value;
use walkon_runtime::base::suggestions;
use walkon_runtime::glam::Vec3;

/// A field.
struct FormField {
    name: &'static str,
    form: FieldForm,
}

/// What may stand in a field; null is as good as leaving it out.
#[derive(Clone, Copy)]
enum FieldForm {
    Text,
    Texts,
    Truth,
    Number,
    /// A whole number from 0.
    Count,
    /// A list of whole numbers that keys and points are counted with.
    Keys,
    /// A list of two of them each.
    Pairs,
    /// `[x, y, z]`.
    Place,
    Places,
    /// The name of a character or a thing, or a place.
    Goal,
    /// A number or `"max"`.
    Speed,
    /// Anything without null in it.
    Data,
    /// Anything at all.
    Json,
    /// An object of these fields.
    Object(&'static [FormField]),
    /// A list of such objects.
    Objects(&'static [FormField]),
}

/// `name: Form` for each field.
macro_rules! fields {
    ($($name:literal: $form:expr),* $(,)?) => { &[$(FormField { name: $name, form: $form }),*] };
}

use FieldForm::{
    Count, Data, Goal, Json, Keys, Number, Object, Objects, Pairs, Place, Places, Speed, Text, Texts, Truth,
};

const CHANGE: &[FormField] = fields!["at": Text, "set": Json, "insert": Json, "remove": Truth];
const MOVE: &[FormField] = fields!["point": Count, "to": Place];
const EXPECTED: &[FormField] = fields![
    "from": Place, "to": Place, "radius": Number, "doors": Text, "keys": Texts, "avoidCharacters": Truth,
    "layer": Text, "status": Text,
];

const BREAKPOINT: &[FormField] = fields!["line": Count, "condition": Text, "hits": Text, "log": Text];

/// A command or an action with its fields.
struct OfferedCommand {
    word: &'static str,
    fields: &'static [FormField],
}

/// `word: [fields]` for each command.
macro_rules! commands {
    ($($word:literal: [$($fields:tt)*]),* $(,)?) => {
        &[$(OfferedCommand { word: $word, fields: fields![$($fields)*] }),*]
    };
}

/// Every command.
const COMMANDS: &[OfferedCommand] = commands! {
    "ack": ["frame": Count],
    "play": [],
    "pause": [],
    "step": ["ticks": Count],
    "speed": ["times": Speed],
    "restart": ["seed": Count],
    "show": ["parts": Texts, "slant": Text, "layer": Count],
    "select": ["keys": Keys],
    "seek": ["tick": Count],
    "history": ["from": Count, "to": Count],
    "tracks": ["keys": Keys, "from": Count, "to": Count, "points": Count],
    "goOn": ["tick": Count],
    "input": [
        "event": Text, "payload": Data, "answer": Text, "option": Text, "continue": Text, "skip": Text,
        "walk": Text, "to": Goal, "stop": Text, "teleport": Text, "facing": Number, "spawn": Text, "at": Place,
        "behaviour": Text, "params": Data, "tags": Texts, "remove": Text, "door": Text, "order": Text,
        "area": Text, "available": Truth, "block": Text, "radius": Number, "layer": Text, "unblock": Text,
        "evaluate": Text, "attend": Truth,
    ],
    "inspect": ["kind": Text, "name": Text],
    "find": ["text": Text],
    "heat": [],
    "path": [
        "from": Place, "to": Place, "radius": Number, "doors": Text, "keys": Texts, "avoidCharacters": Truth,
        "of": Text,
    ],
    "source": ["file": Text],
    "files": [],
    "schema": [],
    "document": ["file": Text],
    "edit": ["file": Text, "changes": Objects(CHANGE), "label": Text, "joins": Text],
    "undo": [],
    "redo": [],
    "tiles": [],
    "paint": ["cells": Pairs, "symbol": Text, "tile": Count, "layer": Count, "label": Text, "joins": Text],
    "write": ["file": Text, "text": Text, "base": Text, "label": Text, "joins": Text],
    "check": [],
    "expect": ["add": Object(EXPECTED), "remove": Count, "save": Text],
    "graph": ["action": Text],
    "debug": ["action": Text],
    "resolve": ["file": Text, "keep": Text, "text": Text],
    "forecast": ["from": Count, "seconds": Number],
    "try": ["file": Text, "changes": Objects(CHANGE)],
    "keep": [],
    "save": [],
    "trace": [],
    "cancel": [],
    "ping": [],
};

/// What `graph` does, each with its own fields.
const GRAPH_ACTIONS: &[OfferedCommand] = commands! {
    "generate": [],
    "link": [],
    "preview": ["min": Place, "max": Place],
    "island": [],
    "remove": ["island": Count, "points": Count],
    "stitch": ["island": Count],
    "blocked": ["remove": Truth],
    "edit": ["add": Places, "move": Objects(MOVE), "link": Pairs, "unlink": Pairs, "remove": Keys],
    "undo": [],
    "space": [
        "name": Text, "from": Place, "within": Number, "adds": Truth, "auto": Count, "clear": Truth,
    ],
    "table": ["keep": Truth],
};

/// What `debug` does, each with its own fields.
const DEBUG_ACTIONS: &[OfferedCommand] = commands! {
    "breakpoints": ["file": Text, "lines": Objects(BREAKPOINT)],
    "stops": ["events": Texts, "faults": Truth],
    "lines": ["file": Text],
    "pause": [],
    "continue": [],
    "over": [],
    "in": [],
    "out": [],
    "threads": [],
    "frames": ["thread": Count],
    "scopes": ["frame": Count],
    "variables": ["reference": Count, "part": Text, "start": Count, "count": Count],
    "evaluate": ["text": Text, "frame": Count, "acts": Truth],
};

/// A command whose fields are those that it may have.
#[derive(Clone, Copy)]
pub struct CommandFields<'a> {
    command: &'a Value,
}

impl<'a> CommandFields<'a> {
    /// The word of a command, and its fields.
    ///
    /// # Errors
    /// A word that is none; a field that the command does not have; a value of another form than its field
    /// takes.
    pub fn of(command: &'a Value) -> Result<(&'a str, Self), String> {
        if !command.is_object() {
            return Err(format!("{} is not a command, expected an object", shown(command)));
        }
        let fields = Self { command };
        let word = fields.maybe_text("do")?.unwrap_or_default();
        let known = find("command", word, COMMANDS)?;
        let mut own: Vec<&FormField> = known.fields.iter().collect();
        let actions = match word {
            "graph" => Some(GRAPH_ACTIONS),
            "debug" => Some(DEBUG_ACTIONS),
            _ => None,
        };
        let action = actions.map(|known| find("action", fields.text("action")?, known)).transpose()?;
        own.extend(action.into_iter().flat_map(|action| action.fields));
        let word_of = action.map_or(known.word, |action| action.word);
        for (name, value) in command.as_object().into_iter().flatten() {
            if name != "do" && name != "id" {
                own_field(word_of, name, &own)?.form.check(name, value)?;
            }
        }
        Ok((known.word, fields))
    }

    /// All of it.
    #[must_use]
    pub fn json(&self) -> &'a Value {
        self.command
    }

    /// A field that is there.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.command.get(name).filter(|value| !value.is_null())
    }

    /// Whether a field is there, be it null.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.command.get(name).is_some()
    }

    /// Whether a part of the command has no other fields than those named, `word` itself among them. Null is
    /// as good as leaving a field out.
    ///
    /// # Errors
    /// The first that is another, with the nearest that it has.
    pub fn has_only(&self, word: &str, own: &[&str]) -> Result<(), String> {
        let given = self.command.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        let is_other = |name: &str| !["do", "id", word].contains(&name) && !own.contains(&name);
        match given.map(|(name, _)| name.as_str()).find(|name| is_other(name)) {
            Some(name) => Err(unknown(&format!("field of {word}:"), name, own)),
            None => Ok(()),
        }
    }

    /// A text.
    ///
    /// # Errors
    /// What stands there instead.
    pub fn text(&self, name: &str) -> Result<&'a str, String> {
        self.maybe_text(name)?.ok_or_else(|| missing(name, Text))
    }

    /// A text, where there is one.
    ///
    /// # Errors
    /// What stands there instead.
    pub fn maybe_text(&self, name: &str) -> Result<Option<&'a str>, String> {
        self.get(name).map(|value| value.as_str().ok_or_else(|| wrong(name, value, Text.words()))).transpose()
    }

    /// A number.
    ///
    /// # Errors
    /// What stands there instead.
    pub fn number(&self, name: &str) -> Result<f64, String> {
        self.maybe_number(name)?.ok_or_else(|| missing(name, Number))
    }

    /// A number, where there is one.
    ///
    /// # Errors
    /// What stands there instead.
    pub fn maybe_number(&self, name: &str) -> Result<Option<f64>, String> {
        self.get(name)
            .map(|value| value.as_f64().ok_or_else(|| wrong(name, value, Number.words())))
            .transpose()
    }

    /// A whole number from 0.
    ///
    /// # Errors
    /// What stands there instead.
    pub fn count(&self, name: &str) -> Result<u64, String> {
        self.maybe_count(name)?.ok_or_else(|| missing(name, Count))
    }

    /// A whole number from 0, where there is one.
    ///
    /// # Errors
    /// What stands there instead.
    pub fn maybe_count(&self, name: &str) -> Result<Option<u64>, String> {
        self.get(name)
            .map(|value| value.as_u64().ok_or_else(|| wrong(name, value, Count.words())))
            .transpose()
    }

    /// A place.
    ///
    /// # Errors
    /// What stands there instead.
    pub fn place(&self, name: &str) -> Result<Vec3, String> {
        let value = self.get(name).ok_or_else(|| missing(name, Place))?;
        place(value).ok_or_else(|| wrong(name, value, Place.words()))
    }

    /// True or false.
    ///
    /// # Errors
    /// What stands there instead.
    pub fn truth(&self, name: &str) -> Result<bool, String> {
        let value = self.get(name).ok_or_else(|| missing(name, Truth))?;
        value.as_bool().ok_or_else(|| wrong(name, value, Truth.words()))
    }

    /// A list of texts; empty where there is none.
    ///
    /// # Errors
    /// What stands there instead.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let texts = value.as_array().map(|list| list.iter().map(|text| text.as_str().map(str::to_owned)));
        texts.and_then(Iterator::collect).ok_or_else(|| wrong(name, value, Texts.words()))
    }

    /// A list of keys; empty where there is none.
    ///
    /// # Errors
    /// What stands there instead.
    pub fn keys(&self, name: &str) -> Result<Vec<u32>, String> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let keys = value.as_array().map(|list| list.iter().map(key));
        keys.and_then(Iterator::collect).ok_or_else(|| wrong(name, value, Keys.words()))
    }
}

impl FieldForm {
    fn words(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Texts => "a list of texts",
            Self::Truth => "true or false",
            Self::Number => "a number",
            Self::Count => "a whole number from 0",
            Self::Keys => "a list of whole numbers from 0",
            Self::Pairs => "a list of two whole numbers from 0 each, [[3, 4], ...]",
            Self::Place => "[x, y, z]",
            Self::Places => "a list of places, [[x, y, z], ...]",
            Self::Goal => "[x, y, z] or a name",
            Self::Speed => "0.1 to 100, or \"max\"",
            Self::Data => "data without null in it",
            Self::Json => "any value",
            Self::Object(_) => "an object",
            Self::Objects(_) => "a list of objects",
        }
    }

    fn takes(self, value: &Value) -> bool {
        let all =
            |takes: &dyn Fn(&Value) -> bool| value.as_array().is_some_and(|list| list.iter().all(takes));
        match self {
            Self::Text => value.is_string(),
            Self::Texts => all(&Value::is_string),
            Self::Truth => value.is_boolean(),
            Self::Number => value.is_number(),
            Self::Count => value.is_u64(),
            Self::Keys => all(&|value| key(value).is_some()),
            Self::Pairs => all(&|value| {
                value
                    .as_array()
                    .is_some_and(|pair| pair.len() == 2 && pair.iter().all(|end| key(end).is_some()))
            }),
            Self::Place => place(value).is_some(),
            Self::Places => all(&|value| place(value).is_some()),
            Self::Goal => value.is_string() || place(value).is_some(),
            Self::Speed => value.is_number() || value.as_str() == Some("max"),
            Self::Data => has_no_null(value),
            Self::Json => true,
            Self::Object(_) => value.is_object(),
            Self::Objects(_) => all(&Value::is_object),
        }
    }

    /// Whether a value may stand in a field of that name.
    fn check(self, name: &str, value: &Value) -> Result<(), String> {
        if value.is_null() {
            return Ok(());
        }
        if !self.takes(value) {
            return Err(wrong(name, value, self.words()));
        }
        let (fields, objects) = match self {
            Self::Object(fields) => (fields, std::slice::from_ref(value)),
            Self::Objects(fields) => (fields, value.as_array().map_or(&[][..], Vec::as_slice)),
            _ => return Ok(()),
        };
        let own: Vec<&FormField> = fields.iter().collect();
        for (number, object) in objects.iter().enumerate() {
            let place =
                if matches!(self, Self::Object(_)) { name.to_owned() } else { format!("{name}[{number}]") };
            for (inner, value) in object.as_object().into_iter().flatten() {
                own_field(name, inner, &own)?.form.check(&format!("{place}.{inner}"), value)?;
            }
        }
        Ok(())
    }
}

fn find<'c>(what: &str, word: &str, known: &'c [OfferedCommand]) -> Result<&'c OfferedCommand, String> {
    let words: Vec<&str> = known.iter().map(|command| command.word).collect();
    known.iter().find(|command| command.word == word).ok_or_else(|| unknown(what, word, &words))
}

fn own_field<'f>(of: &str, name: &str, own: &[&'f FormField]) -> Result<&'f FormField, String> {
    let names: Vec<&str> = own.iter().map(|field| field.name).collect();
    let found = own.iter().find(|field| field.name == name).copied();
    found.ok_or_else(|| unknown(&format!("field of {of}:"), name, &names))
}

fn key(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|key| u32::try_from(key).ok())
}

fn place(value: &Value) -> Option<Vec3> {
    let axes = value.as_array()?.iter().map(|axis| axis.as_f64().map(|axis| axis as f32));
    let axes: Vec<f32> = axes.collect::<Option<_>>()?;
    match axes.as_slice() {
        [x, y, z] if axes.iter().all(|axis| axis.is_finite()) => Some(Vec3::new(*x, *y, *z)),
        _ => None,
    }
}

fn has_no_null(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => items.iter().all(has_no_null),
        Value::Object(entries) => entries.values().all(has_no_null),
        _ => true,
    }
}

fn shown(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

fn missing(name: &str, form: FieldForm) -> String {
    format!("\"{name}\" is missing, expected {}", form.words())
}

/// What stands in a field, and what was expected.
#[must_use]
pub fn wrong(name: &str, value: &Value, expected: &str) -> String {
    format!("\"{name}\" is {}, expected {expected}", shown(value))
}

/// A word that is none, with the nearest that is one.
#[must_use]
pub fn unknown(what: &str, word: &str, known: &[&str]) -> String {
    let nearest = suggestions::did_you_mean(word, known.iter().copied());
    format!("unknown {what} \"{word}\"{}", nearest.map_or_else(String::new, |help| format!("; {help}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::fields::{COMMANDS, CommandFields, DEBUG_ACTIONS, FieldForm, GRAPH_ACTIONS, OfferedCommand};

    /// A value of each kind that JSON has, and lists that hold what they should not.
    fn values() -> Vec<serde_json::Value> {
        vec![
            json!(true),
            json!(-3),
            json!(0.5),
            json!(4),
            json!("zzz"),
            json!([1, 2]),
            json!(["a"]),
            json!([{ "zzz": 1 }]),
            json!([[1]]),
            json!({ "zzz": [null] }),
        ]
    }

    fn every(each: &mut dyn FnMut(serde_json::Value, &'static str, FieldForm)) {
        let mut all = |base: serde_json::Value, command: &OfferedCommand| {
            command.fields.iter().for_each(|field| each(base.clone(), field.name, field.form));
        };
        COMMANDS.iter().for_each(|command| all(json!({ "do": command.word }), command));
        for (word, actions) in [("graph", GRAPH_ACTIONS), ("debug", DEBUG_ACTIONS)] {
            actions.iter().for_each(|action| all(json!({ "do": word, "action": action.word }), action));
        }
    }

    #[test]
    fn every_field_of_every_command_names_itself_when_its_value_is_of_another_form() {
        let mut count = 0;
        every(&mut |base, name, form| {
            for value in values().into_iter().filter(|value| !form.takes(value)) {
                let mut command = base.clone();
                command[name] = value.clone();
                let refused = CommandFields::of(&command).err().unwrap_or_else(|| panic!("{command}"));
                assert!(refused.contains(&format!("\"{name}\"")) || name == "action", "{command}: {refused}");
                count += 1;
            }
            let mut command = base;
            command[name] = serde_json::Value::Null;
            assert!(
                CommandFields::of(&command).is_ok() || name == "action",
                "{command}: null is as good as nothing"
            );
        });
        assert!(count > 500, "{count}");
    }

    #[test]
    fn fields_of_lists_and_objects_are_named_by_their_place_and_unknown_ones_by_the_nearest() {
        for (command, expected) in [
            (
                json!({ "do": "edit", "changes": [{ "at": "/a", "set": 1 }, { "at": 5 }] }),
                "\"changes[1].at\" is 5, expected a text",
            ),
            (
                json!({ "do": "expect", "add": { "radius": "wide" } }),
                "\"add.radius\" is \"wide\", expected a number",
            ),
            (
                json!({ "do": "graph", "action": "edit", "move": [{ "point": 1.5 }] }),
                "\"move[0].point\" is 1.5",
            ),
            (
                json!({ "do": "step", "tikcs": 5 }),
                "unknown field of step: \"tikcs\"; did you mean \"ticks\"?",
            ),
            (
                json!({ "do": "graph", "action": "islnad" }),
                "unknown action \"islnad\"; did you mean \"island\"?",
            ),
            (json!({ "do": 5 }), "\"do\" is 5, expected a text"),
            (json!([1]), "[1] is not a command, expected an object"),
        ] {
            let refused = CommandFields::of(&command).err().unwrap_or_else(|| panic!("{command}"));
            assert!(refused.starts_with(expected), "{refused}");
        }
    }
}
