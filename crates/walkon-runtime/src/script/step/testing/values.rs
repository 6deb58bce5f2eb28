//! Compares and shows values of expectations.
//!
//! Holds: no metamethod of a script is called; tables are compared and shown to a bounded depth and length;
//! what is shown has no addresses and the same order in every process.

use mlua::{Lua, Table, Value};

use crate::base::ordered;
use crate::base::value::{Plain, PlainKey};
use crate::script::vm::convert::{describe, setting};
use crate::script::vm::handles;

/// How far numbers may be apart that count as equal.
pub(crate) const TOLERANCE: f64 = 1e-6;
/// Tables inside one another that are compared.
const DEPTH_MAX: usize = 64;
/// Tables inside one another that are shown, entries of each, and letters of a text.
const SHOWN_DEPTH: usize = 3;
const SHOWN_ENTRIES: usize = 16;
const SHOWN_LETTERS: usize = 200;

/// A number, whichever way Luau keeps it.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Number(number) => Some(*number),
        _ => None,
    }
}

/// The metres between two vectors, or the difference of two numbers; none for anything else.
pub(crate) fn distance(one: &Value, other: &Value) -> Option<f64> {
    if let (Some(one), Some(other)) = (number(one), number(other)) {
        return Some((one - other).abs());
    }
    let (Value::Vector(one), Value::Vector(other)) = (one, other) else {
        return None;
    };
    let of = |one: f32, other: f32| f64::from(one) - f64::from(other);
    let (x, y, z) = (of(one.x(), other.x()), of(one.y(), other.y()), of(one.z(), other.z()));
    Some((x * x + y * y + z * z).sqrt())
}

/// What `==` says, without metamethods.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    if let (Some(one), Some(other)) = (number(one), number(other)) {
        return one == other;
    }
    match (one, other) {
        (Value::Vector(one), Value::Vector(other)) => one == other,
        (Value::String(one), Value::String(other)) => one.as_bytes() == other.as_bytes(),
        (Value::Nil, Value::Nil) => true,
        (Value::Boolean(one), Value::Boolean(other)) => one == other,
        (Value::LightUserData(one), Value::LightUserData(other)) => one.0 == other.0,
        (
            Value::Table(_) | Value::Function(_) | Value::UserData(_) | Value::Thread(_) | Value::Buffer(_),
            _,
        ) => one.type_name() == other.type_name() && one.to_pointer() == other.to_pointer(),
        _ => false,
    }
}

/// Compares deeply: numbers and vectors within a millionth. The path of the first difference, empty at the
/// top.
///
/// # Errors
/// That path.
pub(crate) fn equal(lua: &Lua, one: &Value, other: &Value) -> Result<(), String> {
    compare(lua, one, other, String::new(), DEPTH_MAX)
}

fn compare(lua: &Lua, one: &Value, other: &Value, path: String, depth: usize) -> Result<(), String> {
    if same(one, other) {
        return Ok(());
    }
    if let Some(far) = distance(one, other) {
        return if far <= TOLERANCE { Ok(()) } else { Err(path) };
    }
    let (Value::Table(one), Value::Table(other)) = (one, other) else {
        return Err(path);
    };
    if depth == 0 {
        return Err(path);
    }
    for (key, value) in entries(one) {
        let there = other.raw_get::<Value>(&key).unwrap_or(Value::Nil);
        compare(lua, &value, &there, format!("{path}{}", step(lua, &key)), depth - 1)?;
    }
    let known = |key: &Value| one.raw_get::<Value>(key).is_ok_and(|value| !value.is_nil());
    match entries(other).into_iter().find(|(key, _)| !known(key)) {
        Some((key, _)) => Err(format!("{path}{}", step(lua, &key))),
        None => Ok(()),
    }
}

/// Whether `value` has everything that `wanted` has: fields of a table, else the whole value.
pub(crate) fn covers(lua: &Lua, value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Table(value), Value::Table(wanted)) => entries(wanted)
            .into_iter()
            .all(|(key, field)| value.raw_get::<Value>(key).is_ok_and(|own| covers(lua, &own, &field))),
        _ => equal(lua, value, wanted).is_ok(),
    }
}

/// Keys and values in an order that does not depend on addresses.
fn entries(table: &Table) -> Vec<(Value, Value)> {
    let mut entries: Vec<(Value, Value)> = table.pairs::<Value, Value>().flatten().collect();
    ordered::sort_by(&mut entries, |(one, _), (other, _)| {
        order(one).partial_cmp(&order(other)).unwrap_or(std::cmp::Ordering::Equal)
    });
    entries
}

/// Numbers, then texts, then the rest.
fn order(key: &Value) -> (u8, f64, String) {
    match (number(key), key) {
        (Some(number), _) => (0, number, String::new()),
        (None, Value::String(text)) => (1, 0.0, text.to_string_lossy()),
        (None, other) => (2, 0.0, describe(other)),
    }
}

fn step(lua: &Lua, key: &Value) -> String {
    match key {
        Value::String(text) if is_word(&text.to_string_lossy()) => format!(".{}", text.to_string_lossy()),
        other => format!("[{}]", show(lua, other)),
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// A value for a message: texts in quotes, tables with their entries in order.
pub(crate) fn show(lua: &Lua, value: &Value) -> String {
    shown(lua, value, SHOWN_DEPTH)
}

fn shown(lua: &Lua, value: &Value, depth: usize) -> String {
    match value {
        Value::String(text) => quoted(&text.to_string_lossy()),
        Value::Vector(v) => format!("({}, {}, {})", setting(v.x()), setting(v.y()), setting(v.z())),
        // The handles' own `__tostring`; scripts cannot make userdata.
        Value::UserData(_) | Value::LightUserData(_) => {
            handles::shown(lua, value).unwrap_or_else(|_| describe(value))
        }
        Value::Table(table) if depth > 0 => table_shown(lua, table, depth),
        Value::Table(_) => "{...}".to_owned(),
        other => describe(other),
    }
}

fn quoted(text: &str) -> String {
    let cut: String = text.chars().take(SHOWN_LETTERS).collect();
    let more = if cut.len() < text.len() { "..." } else { "" };
    format!("{cut:?}{more}")
}

fn table_shown(lua: &Lua, table: &Table, depth: usize) -> String {
    let entries = entries(table);
    let is_list = entries.iter().zip(1..).all(|((key, _), at)| number(key) == Some(f64::from(at)));
    let parts: Vec<String> = entries
        .iter()
        .take(SHOWN_ENTRIES)
        .map(|(key, value)| match key {
            _ if is_list => shown(lua, value, depth - 1),
            Value::String(text) if is_word(&text.to_string_lossy()) => {
                format!("{} = {}", text.to_string_lossy(), shown(lua, value, depth - 1))
            }
            other => format!("[{}] = {}", shown(lua, other, 0), shown(lua, value, depth - 1)),
        })
        .collect();
    let more = if entries.len() > SHOWN_ENTRIES { ", ..." } else { "" };
    if parts.is_empty() { "{}".to_owned() } else { format!("{{ {}{more} }}", parts.join(", ")) }
}

/// Whether two plain values are equal, numbers and vectors within a millionth.
///
/// # Errors
/// The path of the first difference, empty at the top.
pub fn plain_equal(one: &Plain, other: &Plain) -> Result<(), String> {
    let tolerates = |far: f64, path: &str| if far <= TOLERANCE { Ok(()) } else { Err(path.to_owned()) };
    match (one, other) {
        (Plain::Number(one), Plain::Number(other)) => tolerates((one - other).abs(), ""),
        (Plain::Vector(one), Plain::Vector(other)) => {
            tolerates(f64::from((*one - *other).abs().max_element()), "")
        }
        (Plain::List(one), Plain::List(other)) if one.len() == other.len() => {
            let mut pairs = one.iter().zip(other).zip(1..);
            pairs.try_for_each(|((one, other), at)| within(&format!("[{at}]"), plain_equal(one, other)))
        }
        (Plain::Map(one), Plain::Map(other)) => {
            let mut keys = one.keys().chain(other.keys());
            keys.try_for_each(|key| match (one.get(key), other.get(key)) {
                (Some(one), Some(other)) => within(&plain_step(key), plain_equal(one, other)),
                _ => Err(plain_step(key)),
            })
        }
        _ if one == other => Ok(()),
        _ => Err(String::new()),
    }
}

fn within(step: &str, compared: Result<(), String>) -> Result<(), String> {
    compared.map_err(|path| format!("{step}{path}"))
}

fn plain_step(key: &PlainKey) -> String {
    match key {
        PlainKey::Index(index) => format!("[{index}]"),
        PlainKey::Name(name) if is_word(name) => format!(".{name}"),
        PlainKey::Name(name) => format!("[{name:?}]"),
    }
}

/// A plain value for a message, as a script would write it.
#[must_use]
pub fn plain_shown(value: &Plain) -> String {
    match value {
        Plain::Bool(value) => value.to_string(),
        Plain::Number(value) => value.to_string(),
        Plain::Text(text) => quoted(text),
        Plain::Vector(v) => format!("({}, {}, {})", setting(v.x), setting(v.y), setting(v.z)),
        Plain::Character(_) => "a Character".to_owned(),
        Plain::Door(_) => "a Door".to_owned(),
        Plain::List(values) => braced(values.iter().map(plain_shown)),
        Plain::Map(entries) => braced(entries.iter().map(|(key, value)| match key {
            PlainKey::Name(name) if is_word(name) => format!("{name} = {}", plain_shown(value)),
            PlainKey::Name(name) => format!("[{name:?}] = {}", plain_shown(value)),
            PlainKey::Index(index) => format!("[{index}] = {}", plain_shown(value)),
        })),
    }
}

fn braced(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", parts.join(", ")) }
}
