//! What a cinematic file returns: a table with a script, what it holds and locks, and what it does at its
//! end.
//!
//! In: the table. Out: a definition whose shape was checked, or a sentence about the first mistake. Not here:
//! whether the characters exist, which is asked when a scene is played (`cinematic`).

use std::rc::Rc;

use mlua::Value;

use crate::script::state::scenes::Definition;
use crate::script::vm::convert::{NAME_BYTES_MAX, describe};
use crate::script::vm::fuel;

/// Most names that a scene holds, and that it locks: as many as there may be characters.
const NAMES_MAX: usize = 10_000;

const FUNCTIONS: [&str; 2] = ["onSkip", "onEnd"];

/// Checks the table of a scene; a sentence about the first mistake.
pub(crate) fn check(name: &str, value: &Value) -> Result<Definition, String> {
    let Value::Table(table) = value else {
        return Err(format!("definition is {}, expected a table with a script", describe(value)));
    };
    let get = |key: &str| table.raw_get::<Value>(key).unwrap_or(Value::Nil);
    let Value::Function(script) = get("script") else {
        return Err(format!("script is {}, expected a function", describe(&get("script"))));
    };
    for key in FUNCTIONS {
        let value = get(key);
        if !value.is_nil() && !value.is_function() {
            return Err(format!("{key} is {}, expected a function", describe(&value)));
        }
    }
    let texts = |key: &str, expected: &str| match get(key) {
        Value::Nil => Ok(Rc::default()),
        Value::Table(list) => {
            let count = list.raw_len();
            if count > NAMES_MAX {
                return Err(format!("{key} has {count} entries, expected at most {NAMES_MAX}"));
            }
            fuel::charge_running(count as u64);
            list.sequence_values::<Value>()
                .map(|value| match value {
                    Ok(Value::String(text)) if text.as_bytes().len() <= NAME_BYTES_MAX => {
                        Ok(text.to_string_lossy())
                    }
                    Ok(Value::String(_)) => Err(format!(
                        "{key} has an entry that is longer than a name, expected {expected}, each of at most \
                         {NAME_BYTES_MAX} bytes"
                    )),
                    _ => Err(format!("{key} has an entry that is no text, expected {expected}")),
                })
                .collect()
        }
        other => Err(format!("{key} is {}, expected {expected}", describe(&other))),
    };
    let is_skippable = match get("skippable") {
        Value::Nil => true,
        Value::Boolean(is_skippable) => is_skippable,
        other => return Err(format!("skippable is {}, expected true or false", describe(&other))),
    };
    let is_resumable = match get("resumable") {
        Value::Nil => false,
        Value::Boolean(is_resumable) => is_resumable,
        other => return Err(format!("resumable is {}, expected true or false", describe(&other))),
    };
    let given = get("onReload");
    let word = given.as_string().map(|word| word.to_string_lossy());
    let restarts = match word.as_deref() {
        None if given.is_nil() => false,
        Some("finish") => false,
        Some("restart") => true,
        _ => {
            return Err(format!("onReload is {}, expected \"finish\" or \"restart\"", describe(&given)));
        }
    };
    Ok(Definition {
        name: name.to_owned(),
        script,
        holds: texts("holds", "names of characters")?,
        locks: texts("locks", "names of what it locks")?,
        table: table.clone(),
        is_skippable,
        restarts,
        is_resumable,
        file: None,
    })
}
