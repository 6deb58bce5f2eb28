//! Encodes plain data of scripts directly into the bytes of a save game, and back.
//!
//! In: values of Lua; bytes. Out: bytes; values of Lua. Holds: bytes, limits and refusals are those of the
//! conversion through [`Plain`]; values with a part that is not plain are left to that conversion; buffers
//! are reused. Not here: the definition of plain data (`payload`), its form (`base::bytes`).

use glam::Vec3;
use mlua::{Lua, LuaString, Table, Value};

use crate::base::bytes::{ByteReader, ByteWriter, Datum, DatumKey, DecodeError, KeyRef, out_of_order};
use crate::base::ids::{CharacterId, DoorId};
use crate::base::ordered::{self, CollectOrdered};
use crate::base::value::{Plain, PlainKey};
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::payload::Handles;

/// A part of the texts that were read.
#[derive(Clone, Copy, Debug)]
struct TextSpan {
    first: usize,
    end: usize,
}

/// A value that was read out of Lua.
#[derive(Clone, Copy, Debug)]
enum ReadValue {
    Flag(bool),
    Number(f64),
    Text(TextSpan),
    Vector(Vec3),
    Character(CharacterId),
    Door(DoorId),
    /// Its entries are there, so many from this one on, in the order of their keys.
    Table {
        first: usize,
        count: usize,
    },
}

/// A key that was read.
#[derive(Clone, Copy, Debug)]
enum FoundKey {
    Index(i64),
    Name(TextSpan),
}

impl FoundKey {
    fn is_at(&self, place: i64) -> bool {
        matches!(self, Self::Index(index) if *index == place)
    }

    /// What keys are ordered by.
    fn key(self, texts: &str) -> KeyRef<'_> {
        match self {
            Self::Index(index) => KeyRef::Index(index),
            Self::Name(name) => KeyRef::Name(text_of(texts, name)),
        }
    }
}

/// Writes values of Lua.
#[derive(Debug)]
pub(crate) struct DataWriter {
    handles: Option<Handles>,
    limit_bytes: usize,
    left_bytes: usize,
    texts: String,
    /// Entries of tables that are not read to their end.
    open: Vec<(FoundKey, ReadValue)>,
    /// Entries of the others.
    entries: Vec<(FoundKey, ReadValue)>,
}

impl DataWriter {
    /// For values of at most `limit_kib` KiB each.
    pub(crate) fn new(lua: &Lua, limit_kib: u32) -> Self {
        Self {
            handles: lua.app_data_ref::<Handles>().map(|handles| *handles),
            limit_bytes: limit_kib as usize * 1024,
            left_bytes: 0,
            texts: String::new(),
            open: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Writes a value, if all of it is plain data and it is not too large; else nothing. Cost: its size.
    pub(crate) fn write(&mut self, value: &Value, out: &mut ByteWriter) -> bool {
        self.left_bytes = self.limit_bytes;
        self.texts.clear();
        self.open.clear();
        self.entries.clear();
        let found = self.read(value, 0);
        if let Some(found) = found {
            self.save(found, out);
        }
        found.is_some()
    }

    fn read(&mut self, value: &Value, depth: usize) -> Option<ReadValue> {
        self.pay(16)?;
        match value {
            Value::Boolean(value) => Some(ReadValue::Flag(*value)),
            Value::Integer(number) => Some(ReadValue::Number(*number as f64)),
            Value::Number(number) => number.is_finite().then_some(ReadValue::Number(*number)),
            Value::String(text) => self.keep(text).map(ReadValue::Text),
            Value::Vector(v) => {
                let vector = Vec3::new(v.x(), v.y(), v.z());
                vector.is_finite().then_some(ReadValue::Vector(vector))
            }
            Value::UserData(_) | Value::LightUserData(_) => match (self.handles?.read)(value)? {
                Plain::Character(id) => Some(ReadValue::Character(id)),
                Plain::Door(id) => Some(ReadValue::Door(id)),
                _ => None,
            },
            // A cycle is deeper than any table may be.
            Value::Table(table) if depth < ScriptLimits::DATA_DEPTH => self.read_table(table, depth),
            _ => None,
        }
    }

    fn read_table(&mut self, table: &Table, depth: usize) -> Option<ReadValue> {
        if table.metatable().is_some() {
            return None;
        }
        let outer = self.open.len();
        let all = table.for_each(|key: Value, value: Value| {
            let key = self.read_key(&key);
            match key.and_then(|key| Some((key, self.read(&value, depth + 1)?))) {
                Some(entry) => self.open.push(entry),
                None => return Err(mlua::Error::StackError),
            }
            Ok(())
        });
        all.ok()?;
        let texts = &self.texts;
        let own = self.open.get_mut(outer..)?;
        ordered::sort_by(own, |(one, _), (other, _)| one.key(texts).cmp(&other.key(texts)));
        // Two numbers of Lua may be one key of the data.
        if own.windows(2).any(|two| two[0].0.key(texts) == two[1].0.key(texts)) {
            return None;
        }
        let (first, count) = (self.entries.len(), own.len());
        self.entries.extend(self.open.drain(outer..));
        Some(ReadValue::Table { first, count })
    }

    fn read_key(&mut self, key: &Value) -> Option<FoundKey> {
        match key {
            Value::Integer(index) => Some(FoundKey::Index(*index)),
            Value::Number(number) => {
                ((*number as i64) as f64 == *number).then_some(FoundKey::Index(*number as i64))
            }
            Value::String(name) => self.keep(name).map(FoundKey::Name),
            _ => None,
        }
    }

    fn keep(&mut self, text: &LuaString) -> Option<TextSpan> {
        let bytes = text.as_bytes();
        let text = std::str::from_utf8(&bytes).ok()?;
        self.pay(text.len())?;
        let first = self.texts.len();
        self.texts.push_str(text);
        Some(TextSpan { first, end: self.texts.len() })
    }

    fn pay(&mut self, bytes: usize) -> Option<()> {
        self.left_bytes = self.left_bytes.checked_sub(bytes)?;
        Some(())
    }

    fn save(&self, found: ReadValue, out: &mut ByteWriter) {
        match found {
            ReadValue::Flag(value) => out.data_flag(value),
            ReadValue::Number(value) => out.data_number(value),
            ReadValue::Text(span) => out.data_text(text_of(&self.texts, span)),
            ReadValue::Vector(value) => out.data_vector(value),
            ReadValue::Character(id) => out.data_character(id),
            ReadValue::Door(id) => out.data_door(id),
            ReadValue::Table { first, count } => {
                let entries = self.entries.get(first..first + count).unwrap_or_default();
                // An empty table is an empty map.
                if !entries.is_empty() && (1..).zip(entries).all(|(at, (key, _))| key.is_at(at)) {
                    out.data_list(entries.len());
                    entries.iter().for_each(|(_, value)| self.save(*value, out));
                    return;
                }
                out.data_map(entries.len());
                for (key, value) in entries {
                    match key {
                        FoundKey::Index(index) => out.data_index(*index),
                        FoundKey::Name(name) => out.data_name(text_of(&self.texts, *name)),
                    }
                    self.save(*value, out);
                }
            }
        }
    }
}

fn text_of(texts: &str, span: TextSpan) -> &str {
    texts.get(span.first..span.end).unwrap_or_default()
}

/// A value that was read from bytes, or the key of the next one.
#[derive(Clone, Copy, Debug)]
enum Token {
    Flag(bool),
    Number(f64),
    /// By its number among the texts that the bytes have told.
    Text(u32),
    Vector(Vec3),
    Character(CharacterId),
    Door(DoorId),
    List(u32),
    Map(u32),
    Index(i64),
    Name(u32),
}

/// Where a value that was read begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataPlace(usize);

/// Values that were read from bytes and are checked, to be made in Lua.
#[derive(Debug, Default)]
pub(crate) struct ReadData<'a> {
    tokens: Vec<Token>,
    /// Those texts that are in any of the values, by number.
    texts: Vec<&'a str>,
    /// The same in Lua, once they were made there.
    made: Vec<Option<LuaString>>,
}

impl<'a> ReadData<'a> {
    /// Reads a value. Cost: its size.
    ///
    /// # Errors
    /// As [`Plain::load`](crate::base::bytes::Saved::load).
    pub(crate) fn read(&mut self, input: &mut ByteReader<'a>) -> Result<DataPlace, DecodeError> {
        let place = DataPlace(self.tokens.len());
        self.read_at(input, 0)?;
        Ok(place)
    }

    fn read_at(&mut self, input: &mut ByteReader<'a>, depth: usize) -> Result<(), DecodeError> {
        let datum = input.datum(depth)?;
        let token = match datum {
            Datum::Bool(value) => Token::Flag(value),
            Datum::Number(value) => Token::Number(value),
            Datum::Text(told) => Token::Text(self.text(told.number, told.text)),
            Datum::Vector(value) => Token::Vector(value),
            Datum::Character(id) => Token::Character(id),
            Datum::Door(id) => Token::Door(id),
            Datum::List(count) => Token::List(count as u32),
            Datum::Map(count) => Token::Map(count as u32),
        };
        self.tokens.push(token);
        match datum {
            Datum::List(count) => (0..count).try_for_each(|_| self.read_at(input, depth + 1)),
            Datum::Map(count) => self.read_entries(input, count, depth),
            _ => Ok(()),
        }
    }

    fn read_entries(
        &mut self,
        input: &mut ByteReader<'a>,
        count: usize,
        depth: usize,
    ) -> Result<(), DecodeError> {
        let (mut last, mut is_ordered): (Option<KeyRef<'_>>, bool) = (None, true);
        for _ in 0..count {
            let key = input.datum_key()?;
            is_ordered &= last.is_none_or(|last| last < key.key());
            last = Some(key.key());
            let token = match key {
                DatumKey::Index(index) => Token::Index(index),
                DatumKey::Name(told) => Token::Name(self.text(told.number, told.text)),
            };
            self.tokens.push(token);
            self.read_at(input, depth + 1)?;
        }
        if is_ordered { Ok(()) } else { Err(out_of_order()) }
    }

    fn text(&mut self, number: usize, text: &'a str) -> u32 {
        if self.texts.len() <= number {
            self.texts.resize(number + 1, "");
        }
        self.texts[number] = text;
        number as u32
    }

    /// A value in Lua, as [`payload::write`](crate::script::vm::payload::write) makes it.
    ///
    /// # Errors
    /// When the memory of the VM is spent, or handles are unknown to it.
    pub(crate) fn make(&mut self, lua: &Lua, place: DataPlace) -> mlua::Result<Value> {
        let handles = lua.app_data_ref::<Handles>().map(|handles| *handles);
        self.make_at(lua, handles, &mut { place.0 })
    }

    fn make_at(&mut self, lua: &Lua, handles: Option<Handles>, at: &mut usize) -> mlua::Result<Value> {
        let Some(&token) = self.tokens.get(*at) else { return Ok(Value::Nil) };
        *at += 1;
        let handle = |plain: Plain| {
            let handles = handles.ok_or_else(|| mlua::Error::runtime("this VM has no handles"))?;
            (handles.make)(lua, &plain)
        };
        Ok(match token {
            Token::Flag(value) => Value::Boolean(value),
            Token::Number(value) => Value::Number(value),
            Token::Text(number) | Token::Name(number) => Value::String(self.text_in(lua, number)?),
            Token::Vector(v) => Value::Vector(mlua::Vector::new(v.x, v.y, v.z)),
            Token::Character(id) => handle(Plain::Character(id))?,
            Token::Door(id) => handle(Plain::Door(id))?,
            Token::Index(index) => Value::Integer(index),
            Token::List(count) => {
                let table = lua.create_table_with_capacity(count as usize, 0)?;
                for _ in 0..count {
                    let value = self.make_at(lua, handles, at)?;
                    table.raw_push(value)?;
                }
                Value::Table(table)
            }
            Token::Map(count) => {
                let table = lua.create_table_with_capacity(0, count as usize)?;
                for _ in 0..count {
                    let key = self.make_at(lua, handles, at)?;
                    let value = self.make_at(lua, handles, at)?;
                    table.raw_set(key, value)?;
                }
                Value::Table(table)
            }
        })
    }

    fn text_in(&mut self, lua: &Lua, number: u32) -> mlua::Result<LuaString> {
        let number = number as usize;
        if self.made.len() <= number {
            self.made.resize(number + 1, None);
        }
        if let Some(made) = &self.made[number] {
            return Ok(made.clone());
        }
        let made = lua.create_string(self.texts.get(number).copied().unwrap_or_default())?;
        self.made[number] = Some(made.clone());
        Ok(made)
    }

    /// A value as a tree.
    pub(crate) fn plain(&self, place: DataPlace) -> Plain {
        self.plain_at(&mut { place.0 })
    }

    fn plain_at(&self, at: &mut usize) -> Plain {
        let token = self.tokens.get(*at).copied().unwrap_or(Token::Map(0));
        *at += 1;
        match token {
            Token::Flag(value) => Plain::Bool(value),
            Token::Number(value) => Plain::Number(value),
            Token::Text(number) | Token::Name(number) => Plain::Text(self.text_at(number)),
            Token::Vector(value) => Plain::Vector(value),
            Token::Character(id) => Plain::Character(id),
            Token::Door(id) => Plain::Door(id),
            Token::Index(index) => Plain::Number(index as f64),
            Token::List(count) => Plain::List((0..count).map(|_| self.plain_at(at)).collect()),
            Token::Map(count) => {
                let entries = (0..count).map(|_| {
                    let key = match self.tokens.get(*at) {
                        Some(Token::Index(index)) => PlainKey::Index(*index),
                        Some(Token::Name(number)) => PlainKey::Name(self.text_at(*number)),
                        _ => PlainKey::Index(0),
                    };
                    *at += 1;
                    (key, self.plain_at(at))
                });
                Plain::Map(entries.collect_map())
            }
        }
    }

    fn text_at(&self, number: u32) -> String {
        self.texts.get(number as usize).map(|text| (*text).to_owned()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
