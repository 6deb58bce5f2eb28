//! Plain data in and out of Lua: what scripts may give the host to keep.
//!
//! In: a value, the name messages use for it, a size cap. Out: a `Plain`, or the path of the first thing that is not plain.
//! Holds: read raw, no metatables, no cycles, depth 32 at most, whole-number or text keys; a copy, never a shared table.
//! Not here: what characters and doors look like in Lua: `bind` tells once, through [`install`].

use std::collections::BTreeMap;

use glam::Vec3;
use mlua::{AnyUserData, Lua, Table, Value};

use crate::base::plain::{Plain, PlainKey};
use crate::script::convert::{Mistake, Named, describe, shorten};
use crate::script::limits::Limits;
use crate::script::{account, fuel};

/// How handles are read and made. Part of the VM's app data.
#[derive(Clone, Copy, Debug)]
pub struct Handles {
    /// The character or door behind a handle; nothing for handles of other things.
    pub read: fn(&AnyUserData) -> Option<Plain>,
    /// The handle of a character or door.
    pub make: fn(&Lua, &Plain) -> mlua::Result<Value>,
}

/// Tells how handles are read and made. Called once, at setup.
pub fn install(lua: &Lua, handles: Handles) {
    lua.set_app_data(handles);
}

/// A copy of `given` as plain data of at most `limit_kib` KiB. Cost: its size.
///
/// # Errors
/// Names the path of the first value that is not plain: `payload.fn is a function, expected plain data`.
pub fn read(lua: &Lua, given: &Named, limit_kib: u32) -> Result<Plain, Mistake> {
    let limit = limit_kib as usize * 1024;
    let handles = lua.app_data_ref::<Handles>().map(|handles| *handles);
    let mut reader = Reader { handles, left: limit, open: Vec::new(), values: 0 };
    let read = reader.read(given.value());
    let bytes = limit - reader.left;
    fuel::charge_running(reader.values * UNITS_PER_VALUE + (bytes / BYTES_PER_UNIT) as u64);
    let refused = |what: String| Mistake::new(given.function(), what);
    let plain = read.map_err(|trouble| {
        refused(match trouble {
            Trouble::Refused(what, inner) => {
                let path: String = inner.into_iter().rev().collect();
                format!("{}{path} is {what}, expected plain data", given.name())
            }
            Trouble::TooLarge => format!("{} is larger than {limit_kib} KiB, the most allowed", given.name()),
        })
    })?;
    account::reserve(lua, bytes + reader.values as usize * Plain::VALUE_BYTES).map_err(refused)?;
    Ok(plain)
}

/// Fuel of reading or making one value.
const UNITS_PER_VALUE: u64 = 2;

/// Bytes of texts in a unit of fuel.
const BYTES_PER_UNIT: usize = 256;

/// The fuel of handing `plain` to scripts. Cost: its size.
pub(crate) fn price_of(plain: &Plain) -> u64 {
    plain.values() as u64 * UNITS_PER_VALUE + (plain.bytes() / BYTES_PER_UNIT) as u64
}

/// The value of `plain` in Lua: fresh tables, handles for characters and doors.
///
/// # Errors
/// When the memory of the VM is spent, or handles are unknown to it.
pub fn write(lua: &Lua, plain: &Plain) -> mlua::Result<Value> {
    Ok(match plain {
        Plain::Bool(value) => Value::Boolean(*value),
        Plain::Number(value) => Value::Number(*value),
        Plain::Text(text) => Value::String(lua.create_string(text)?),
        Plain::Vector(v) => Value::Vector(mlua::Vector::new(v.x, v.y, v.z)),
        Plain::Character(_) | Plain::Door(_) => {
            let handles = lua.app_data_ref::<Handles>().map(|handles| *handles);
            let handles = handles.ok_or_else(|| mlua::Error::runtime("this VM has no handles"))?;
            (handles.make)(lua, plain)?
        }
        Plain::List(values) => {
            let table = lua.create_table_with_capacity(values.len(), 0)?;
            for value in values {
                table.raw_push(write(lua, value)?)?;
            }
            Value::Table(table)
        }
        Plain::Map(entries) => {
            let table = lua.create_table_with_capacity(0, entries.len())?;
            for (key, value) in entries {
                let value = write(lua, value)?;
                match key {
                    PlainKey::Index(index) => table.raw_set(*index, value)?,
                    PlainKey::Name(name) => table.raw_set(name.as_str(), value)?,
                }
            }
            Value::Table(table)
        }
    })
}

struct Reader {
    handles: Option<Handles>,
    /// Values read so far.
    values: u64,
    /// Bytes that may still be read: the length of texts, and sixteen for every value.
    left: usize,
    /// The tables around the value being read, by address: for cycles only, never shown, never ordered by.
    open: Vec<*const std::ffi::c_void>,
}

enum Trouble {
    /// What it is, and the keys on the way to it, innermost first.
    Refused(String, Vec<String>),
    TooLarge,
}

impl Trouble {
    fn refused(what: impl Into<String>) -> Self {
        Self::Refused(what.into(), Vec::new())
    }

    /// The same, seen from the table that has it under `key`.
    fn under(mut self, key: impl FnOnce() -> String) -> Self {
        if let Self::Refused(_, path) = &mut self {
            path.push(key());
        }
        self
    }
}

impl Reader {
    fn read(&mut self, value: &Value) -> Result<Plain, Trouble> {
        self.pay(16)?;
        self.values += 1;
        match value {
            Value::Boolean(value) => Ok(Plain::Bool(*value)),
            Value::Integer(number) => Ok(Plain::Number(*number as f64)),
            Value::Number(number) if number.is_finite() => Ok(Plain::Number(*number)),
            Value::String(text) => match text.to_str() {
                Ok(text) => self.pay(text.len()).map(|()| Plain::Text(text.to_owned())),
                Err(_) => Err(Trouble::refused("a string that is not UTF-8")),
            },
            Value::Vector(v) => match Vec3::new(v.x(), v.y(), v.z()) {
                vector if vector.is_finite() => Ok(Plain::Vector(vector)),
                _ => Err(Trouble::refused("a vector that is not finite")),
            },
            Value::UserData(handle) => {
                let plain = self.handles.and_then(|handles| (handles.read)(handle));
                plain.ok_or_else(|| Trouble::refused(describe(value)))
            }
            Value::Table(table) => self.read_table(table),
            other => Err(Trouble::refused(describe(other))),
        }
    }

    fn read_table(&mut self, table: &Table) -> Result<Plain, Trouble> {
        if self.open.contains(&table.to_pointer()) {
            return Err(Trouble::refused("a recursive table"));
        }
        if self.open.len() >= Limits::DATA_DEPTH {
            return Err(Trouble::refused(format!("deeper than {} tables", Limits::DATA_DEPTH)));
        }
        if table.metatable().is_some() {
            return Err(Trouble::refused("a table with a metatable"));
        }
        self.open.push(table.to_pointer());
        let mut entries = BTreeMap::new();
        for pair in table.pairs::<Value, Value>() {
            let Ok((key, value)) = pair else { return Err(Trouble::TooLarge) };
            let key = self.read_key(&key)?;
            let value = self.read(&value).map_err(|trouble| trouble.under(|| path_of(&key)))?;
            entries.insert(key, value);
        }
        self.open.pop();
        Ok(list_or_map(entries))
    }

    fn read_key(&mut self, key: &Value) -> Result<PlainKey, Trouble> {
        let whole = match key {
            Value::Integer(index) => Some(*index),
            Value::Number(number) if (*number as i64) as f64 == *number => Some(*number as i64),
            _ => None,
        };
        if let Some(index) = whole {
            return Ok(PlainKey::Index(index));
        }
        if let Some(Ok(name)) = key.as_string().map(|name| name.to_str()) {
            self.pay(name.len())?;
            return Ok(PlainKey::Name(name.to_owned()));
        }
        let shown = describe(key);
        let what = format!("kept under {shown}, a key that is no name and no whole number");
        Err(Trouble::refused(what).under(|| format!("[{shown}]")))
    }

    fn pay(&mut self, bytes: usize) -> Result<(), Trouble> {
        self.left = self.left.checked_sub(bytes).ok_or(Trouble::TooLarge)?;
        Ok(())
    }
}

/// A key as it stands at the end of a path: `.name`, `[3]`.
fn path_of(key: &PlainKey) -> String {
    match key {
        PlainKey::Index(index) => format!("[{index}]"),
        PlainKey::Name(name) => {
            let is_word = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            let shown = shorten(name);
            if is_word { format!(".{shown}") } else { format!("[\"{shown}\"]") }
        }
    }
}

/// Entries 1 to n without holes are a list. An empty table is an empty map.
fn list_or_map(entries: BTreeMap<PlainKey, Plain>) -> Plain {
    let in_order = (1..).zip(entries.keys()).all(|(at, key)| *key == PlainKey::Index(at));
    if entries.is_empty() || !in_order {
        Plain::Map(entries)
    } else {
        Plain::List(entries.into_values().collect())
    }
}

#[cfg(test)]
mod tests;
