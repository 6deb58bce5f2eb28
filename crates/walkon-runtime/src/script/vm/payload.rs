//! Converts plain data in and out of Lua: the only data that the host keeps for scripts.
//!
//! In: a value, the name messages use for it, a size cap. Out: a `Plain`, or the path of the first thing that
//! is not plain. Holds: read raw, no metatables, no cycles, depth 32 at most, whole-number or text keys; a
//! copy, never a shared table. Not here: how characters and doors look in Lua: `bind` says so once, through
//! [`install`].

pub(crate) mod saved;

use std::collections::BTreeMap;

use glam::Vec3;
use mlua::{Lua, Table, Value};

use crate::base::value::{Plain, PlainKey};
use crate::script::vm::convert::{Argument, UsageError, describe};
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::shown_names::shorten;
use crate::script::vm::{fuel, payload, room};

/// How handles are read and made. Part of the VM's app data.
#[derive(Clone, Copy, Debug)]
pub struct Handles {
    /// The character or door behind a handle; nothing for handles of other things.
    pub read: fn(&Value) -> Option<Plain>,
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
pub fn read(lua: &Lua, given: &Argument, limit_kib: u32) -> Result<Plain, UsageError> {
    let limit = limit_kib as usize * 1024;
    let handles = lua.app_data_ref::<Handles>().map(|handles| *handles);
    let mut reader = TableReader::new(handles, limit, given.name());
    let read = reader.read(given.value());
    let bytes = limit - reader.left;
    fuel::charge_running(reader.values * UNITS_PER_VALUE + (bytes / BYTES_PER_UNIT) as u64);
    let refused = |what: String| UsageError::new(given.function(), what);
    let plain = read.map_err(|trouble| {
        refused(match trouble {
            PayloadError::Refused(what) => format!("{} is {what}, expected plain data", reader.path),
            PayloadError::TooLarge => {
                format!("{} is larger than {limit_kib} KiB, the most allowed", given.name())
            }
        })
    })?;
    room::reserve(lua, bytes + reader.values as usize * Plain::VALUE_BYTES).map_err(refused)?;
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

/// The part of `given`, a table, that is plain data of at most `limit_kib` KiB, and a sentence about each
/// other part.
pub(crate) fn salvage(lua: &Lua, given: &Argument, limit_kib: u32) -> (Plain, Vec<String>) {
    let limit = limit_kib as usize * 1024;
    let handles = lua.app_data_ref::<Handles>().map(|handles| *handles);
    let mut reader =
        TableReader { left_out: Some(Vec::new()), ..TableReader::new(handles, limit, given.name()) };
    let read = reader.read(given.value());
    let mut left_out = reader.left_out.unwrap_or_default();
    let kept = read.unwrap_or_else(|trouble| {
        left_out.push(match trouble {
            PayloadError::Refused(what) => format!("{} is {what}", reader.path),
            PayloadError::TooLarge => format!("{} is larger than {limit_kib} KiB", given.name()),
        });
        Plain::Map(BTreeMap::new())
    });
    (kept, left_out)
}

/// Whether a value is plain data of at most `limit_kib` KiB, and how many entries were looked at. Nothing is
/// copied.
pub(crate) fn is_plain(lua: &Lua, value: &Value, limit_kib: u32) -> (bool, usize) {
    let handles = lua.app_data_ref::<Handles>().map(|handles| *handles);
    let mut glance = Glance { handles, left: limit_kib as usize * 1024, entries: 0 };
    let is_plain = glance.at(value, 0);
    (is_plain, glance.entries)
}

/// A look at a value that only asks whether all of it is plain, by the rules of [`TableReader`].
struct Glance {
    handles: Option<Handles>,
    left: usize,
    entries: usize,
}

impl Glance {
    fn at(&mut self, value: &Value, depth: usize) -> bool {
        let text_bytes = match value {
            Value::String(text) => text.as_bytes().len(),
            _ => 0,
        };
        self.pay(16 + text_bytes)
            && match value {
                Value::Boolean(_) | Value::Integer(_) => true,
                Value::Number(number) => number.is_finite(),
                Value::Vector(v) => Vec3::new(v.x(), v.y(), v.z()).is_finite(),
                Value::String(text) => text.to_str().is_ok(),
                Value::UserData(_) | Value::LightUserData(_) => {
                    self.handles.is_some_and(|handles| (handles.read)(value).is_some())
                }
                // A cycle is deeper than any table may be.
                Value::Table(table) => depth < ScriptLimits::DATA_DEPTH && self.at_table(table, depth),
                _ => false,
            }
    }

    fn at_table(&mut self, table: &Table, depth: usize) -> bool {
        if table.metatable().is_some() {
            return false;
        }
        let all = table.for_each(|key: Value, value: Value| {
            self.entries += 1;
            match self.key(&key) && self.at(&value, depth + 1) {
                true => Ok(()),
                false => Err(mlua::Error::StackError),
            }
        });
        all.is_ok()
    }

    fn key(&mut self, key: &Value) -> bool {
        match key {
            Value::Integer(_) => true,
            Value::Number(number) => (*number as i64) as f64 == *number,
            Value::String(name) => name.to_str().is_ok() && self.pay(name.as_bytes().len()),
            _ => false,
        }
    }

    fn pay(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

/// The value of `plain` in Lua: fresh tables, handles for characters and doors. The caller pays
/// (`price_of`).
///
/// # Errors
/// When the memory of the VM is spent, or handles are unknown to it.
pub fn write(lua: &Lua, plain: &Plain) -> mlua::Result<Value> {
    fuel::paid(|| write_value(lua, plain))
}

fn write_value(lua: &Lua, plain: &Plain) -> mlua::Result<Value> {
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
                table.raw_push(write_value(lua, value)?)?;
            }
            Value::Table(table)
        }
        Plain::Map(entries) => {
            let table = lua.create_table_with_capacity(0, entries.len())?;
            for (key, value) in entries {
                let value = write_value(lua, value)?;
                match key {
                    PlainKey::Index(index) => table.raw_set(*index, value)?,
                    PlainKey::Name(name) => table.raw_set(name.as_str(), value)?,
                }
            }
            Value::Table(table)
        }
    })
}

struct TableReader {
    handles: Option<Handles>,
    /// Values read so far.
    values: u64,
    /// Bytes that may still be read: the length of texts, and sixteen for every value.
    left: usize,
    /// The tables around the value being read, by address: for cycles only, never shown, never ordered by.
    open: Vec<*const std::ffi::c_void>,
    path: String,
    /// When parts that are not plain are left out: sentences about them; else the first of them ends the
    /// reading.
    left_out: Option<Vec<String>>,
}

enum PayloadError {
    Refused(String),
    TooLarge,
}

/// How far the reading of a table has come.
#[derive(Clone, Copy)]
struct ReadingPlace {
    /// Length of the path.
    path_bytes: usize,
    /// Tables around it.
    open: usize,
    /// What may still be read.
    left: usize,
}

impl TableReader {
    fn new(handles: Option<Handles>, limit: usize, name: &str) -> Self {
        Self { handles, left: limit, open: Vec::new(), path: name.to_owned(), left_out: None, values: 0 }
    }

    fn read(&mut self, value: &Value) -> Result<Plain, PayloadError> {
        self.pay(16)?;
        self.values += 1;
        match value {
            Value::Boolean(value) => Ok(Plain::Bool(*value)),
            Value::Integer(number) => Ok(Plain::Number(*number as f64)),
            Value::Number(number) if number.is_finite() => Ok(Plain::Number(*number)),
            Value::String(text) => match text.to_str() {
                Ok(text) => self.pay(text.len()).map(|()| Plain::Text(text.to_owned())),
                Err(_) => Err(PayloadError::Refused("a string that is not UTF-8".to_owned())),
            },
            Value::Vector(v) => match Vec3::new(v.x(), v.y(), v.z()) {
                vector if vector.is_finite() => Ok(Plain::Vector(vector)),
                _ => Err(PayloadError::Refused("a vector that is not finite".to_owned())),
            },
            Value::UserData(_) | Value::LightUserData(_) => {
                let plain = self.handles.and_then(|handles| (handles.read)(value));
                plain.ok_or_else(|| PayloadError::Refused(describe(value)))
            }
            Value::Table(table) => self.read_table(table),
            other => Err(PayloadError::Refused(describe(other))),
        }
    }

    fn read_table(&mut self, table: &Table) -> Result<Plain, PayloadError> {
        if self.open.contains(&table.to_pointer()) {
            return Err(PayloadError::Refused("a recursive table".to_owned()));
        }
        if self.open.len() >= ScriptLimits::DATA_DEPTH {
            return Err(PayloadError::Refused(format!("deeper than {} tables", ScriptLimits::DATA_DEPTH)));
        }
        if table.metatable().is_some() {
            return Err(PayloadError::Refused("a table with a metatable".to_owned()));
        }
        self.open.push(table.to_pointer());
        let mut entries = BTreeMap::new();
        let mut ended = None;
        let all = table.for_each(|key: Value, value: Value| {
            let before = ReadingPlace { path_bytes: self.path.len(), open: self.open.len(), left: self.left };
            let entry = self.read_key(&key).and_then(|key| Ok((key, self.read(&value)?)));
            match entry.map(Some).or_else(|trouble| self.leave_out(trouble, before)) {
                Ok(entry) => entries.extend(entry),
                Err(trouble) => {
                    ended = Some(trouble);
                    return Err(mlua::Error::StackError);
                }
            }
            self.path.truncate(before.path_bytes);
            Ok(())
        });
        if let Some(trouble) = ended {
            return Err(trouble);
        }
        if all.is_err() {
            return Err(PayloadError::TooLarge);
        }
        self.open.pop();
        Ok(list_or_map(entries))
    }

    /// Goes on without a wrong part, if that is wanted. A part that is too large is left out as a field of
    /// the whole.
    fn leave_out<T>(
        &mut self,
        trouble: PayloadError,
        before: ReadingPlace,
    ) -> Result<Option<T>, PayloadError> {
        let Some(left_out) = &mut self.left_out else { return Err(trouble) };
        let ReadingPlace { path_bytes: path, open, left } = before;
        match trouble {
            PayloadError::Refused(what) => left_out.push(format!("{} is {what}", self.path)),
            PayloadError::TooLarge if open == 1 => {
                let end = self.path[path..].find(['.', '[']).map_or(self.path.len(), |_| {
                    let rest = &self.path[path + 1..];
                    rest.find(['.', '[']).map_or(self.path.len(), |at| path + 1 + at)
                });
                left_out.push(format!("{} is too large", &self.path[..end]));
                self.left = left;
            }
            PayloadError::TooLarge => return Err(PayloadError::TooLarge),
        }
        self.open.truncate(open);
        Ok(None)
    }

    /// Reads a key and makes it the end of the path.
    fn read_key(&mut self, key: &Value) -> Result<PlainKey, PayloadError> {
        let whole = match key {
            Value::Integer(index) => Some(*index),
            Value::Number(number) if (*number as i64) as f64 == *number => Some(*number as i64),
            _ => None,
        };
        if let Some(index) = whole {
            self.path.push_str(&format!("[{index}]"));
            return Ok(PlainKey::Index(index));
        }
        if let Some(Ok(name)) = key.as_string().map(|name| name.to_str()) {
            self.pay(name.len())?;
            let is_word = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            let (before, after) = if is_word { (".", "") } else { ("[\"", "\"]") };
            self.path.push_str(before);
            self.path.push_str(&shorten(&name));
            self.path.push_str(after);
            return Ok(PlainKey::Name(name.to_owned()));
        }
        self.path.push_str(&format!("[{}]", describe(key)));
        Err(PayloadError::Refused(format!(
            "kept under {}, a key that is neither a name nor a whole number",
            describe(key)
        )))
    }

    fn pay(&mut self, bytes: usize) -> Result<(), PayloadError> {
        self.left = self.left.checked_sub(bytes).ok_or(PayloadError::TooLarge)?;
        Ok(())
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

/// Plain data in Lua, read-only at every depth: one copy for all listeners.
pub(crate) fn frozen(lua: &Lua, plain: &Plain) -> mlua::Result<Value> {
    let value = payload::write(lua, plain)?;
    if let Value::Table(table) = &value {
        freeze(table)?;
    }
    Ok(value)
}

/// Bounded by the depth of plain data.
pub(crate) fn freeze(table: &Table) -> mlua::Result<()> {
    for pair in table.pairs::<Value, Value>() {
        if let (_, Value::Table(inner)) = pair? {
            freeze(&inner)?;
        }
    }
    table.set_readonly(true);
    Ok(())
}

#[cfg(test)]
mod tests;
