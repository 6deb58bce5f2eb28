//! The table that a cinematic file returns: its script, what it holds and locks, and its end.
//!
//! In: the table. Out: a definition whose shape was checked, or a sentence about the first mistake. Not here:
//! whether the characters exist, which is asked when a scene is played (`cinematic`).

use std::rc::Rc;

use mlua::{Table, Value};

use crate::base::suggestions;
use crate::script::state::scenes::Definition;
use crate::script::vm::convert::{self, NAME_BYTES_MAX, describe};
use crate::script::vm::fuel;
use crate::script::vm::shown_names::shorten;

/// Most names that a scene holds, and that it locks: as many as there may be characters.
const NAMES_MAX: usize = 65_536;

/// The fields that a definition may have; others are the author's own.
pub(crate) const FIELDS: [&str; 8] =
    ["skippable", "holds", "locks", "onReload", "resumable", "onSkip", "onEnd", "script"];

const FUNCTIONS: [&str; 2] = ["onSkip", "onEnd"];

/// What a field of a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneFieldKind {
    /// A function.
    Function,
    /// Anything else.
    Data,
}

/// The known field whose name that of another is nearly, if both may be of that kind and `has` says that it
/// is not there. Functions and data of the author's own are free: handlers are found by their names.
pub fn misspelt(name: &str, kind: SceneFieldKind, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let is_function = |field: &str| field == "script" || FUNCTIONS.contains(&field);
    let fits = |field: &&str| is_function(field) == (kind == SceneFieldKind::Function) && !has(field);
    if FIELDS.contains(&name) { None } else { suggestions::nearest(name, FIELDS.into_iter().filter(fits)) }
}

/// Checks the table of a scene; a sentence about the first mistake.
pub(crate) fn check(name: &str, value: &Value) -> Result<Definition, String> {
    let Value::Table(table) = value else {
        return Err(format!("definition is {}, expected a table with a script", describe(value)));
    };
    let Value::Function(script) = get(table, "script") else {
        return Err(format!("script is {}, expected a function", describe(&get(table, "script"))));
    };
    check_names(table)?;
    convert::functions(table, &FUNCTIONS)?;
    Ok(Definition {
        name: name.to_owned(),
        script,
        holds: texts(table, "holds", "names of characters")?,
        locks: texts(table, "locks", "names of what it locks")?,
        table: table.clone(),
        is_skippable: truth(table, "skippable")?.unwrap_or(true),
        restarts: restarts(table)?,
        is_resumable: truth(table, "resumable")?.unwrap_or(false),
        file: None,
    })
}

/// Whether no field has a name that is nearly one of the known.
fn check_names(table: &Table) -> Result<(), String> {
    for pair in table.pairs::<Value, Value>() {
        fuel::charge_running(1);
        let Ok((Value::String(key), value)) = pair else { continue };
        let key = key.to_string_lossy();
        let kind = if value.is_function() { SceneFieldKind::Function } else { SceneFieldKind::Data };
        if let Some(meant) = misspelt(&key, kind, |field| !get(table, field).is_nil()) {
            return Err(format!("unknown field \"{}\"; did you mean \"{meant}\"?", shorten(&key)));
        }
    }
    Ok(())
}

fn get(table: &Table, key: &str) -> Value {
    table.raw_get(key).unwrap_or(Value::Nil)
}

/// A list of names; empty when there is none.
fn texts(table: &Table, key: &str, expected: &str) -> Result<Rc<[String]>, String> {
    let list = match get(table, key) {
        Value::Nil => return Ok(Rc::default()),
        Value::Table(list) => list,
        other => return Err(format!("{key} is {}, expected {expected}", describe(&other))),
    };
    let count = list.raw_len();
    if count > NAMES_MAX {
        return Err(format!("{key} has {count} entries, expected at most {NAMES_MAX}"));
    }
    fuel::charge_running(2 * count as u64);
    if convert::has_more_than(&list, count) {
        return Err(format!("{key} {}, expected a list of {expected}", convert::NO_LIST));
    }
    list.sequence_values::<Value>()
        .map(|value| match value {
            Ok(Value::String(text)) if text.as_bytes().len() <= NAME_BYTES_MAX => Ok(text.to_string_lossy()),
            Ok(Value::String(_)) => Err(format!(
                "{key} has an entry that is longer than a name, expected {expected}, each of at most \
                 {NAME_BYTES_MAX} bytes"
            )),
            _ => Err(format!("{key} has an entry that is not a text, expected {expected}")),
        })
        .collect()
}

/// Whether something is so; none where nothing is said.
fn truth(table: &Table, key: &str) -> Result<Option<bool>, String> {
    match get(table, key) {
        Value::Nil => Ok(None),
        Value::Boolean(said) => Ok(Some(said)),
        other => Err(format!("{key} is {}, expected true or false", describe(&other))),
    }
}

/// Whether it begins again when its code is reloaded.
fn restarts(table: &Table) -> Result<bool, String> {
    let given = get(table, "onReload");
    let word = given.as_string().map(|word| word.to_string_lossy());
    match word.as_deref() {
        None if given.is_nil() => Ok(false),
        Some("finish") => Ok(false),
        Some("restart") => Ok(true),
        _ => Err(format!("onReload is {}, expected \"finish\" or \"restart\"", describe(&given))),
    }
}
