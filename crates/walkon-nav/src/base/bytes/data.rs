//! Binary encoding of plain data, value by value.
//!
//! In, out: values of plain data, as a tree or one by one; their bytes. Holds: the form of the bytes is
//! decided here alone, also for code that writes or reads values one by one. Not here: the values in Lua
//! (`script::vm::payload`).

use glam::Vec3;

use crate::base::bytes::{ByteReader, ByteWriter, DEPTH_MAX, DecodeError, Saved, ToldText, in_order};
use crate::base::ids::{CharacterId, DoorId};
use crate::base::value::{Plain, PlainKey};

/// A value of plain data as it stands in bytes: tables by the number of their entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Datum<'a> {
    /// A truth value.
    Bool(bool),
    /// A finite number.
    Number(f64),
    /// Text.
    Text(ToldText<'a>),
    /// A finite vector.
    Vector(Vec3),
    /// A character.
    Character(CharacterId),
    /// A door.
    Door(DoorId),
    /// A list of so many values.
    List(usize),
    /// A map of so many entries.
    Map(usize),
}

/// The key of an entry of a map as it stands in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatumKey<'a> {
    /// A whole number.
    Index(i64),
    /// A name.
    Name(ToldText<'a>),
}

impl<'a> DatumKey<'a> {
    /// What keys are ordered by.
    #[must_use]
    pub fn key(self) -> KeyRef<'a> {
        match self {
            Self::Index(index) => KeyRef::Index(index),
            Self::Name(told) => KeyRef::Name(told.text),
        }
    }
}

/// A [`PlainKey`] whose name lies elsewhere; in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyRef<'a> {
    /// A whole number.
    Index(i64),
    /// A name.
    Name(&'a str),
}

/// Bits of the number that says what a value of plain data is.
const DATUM_BITS: u32 = 3;

/// What a value of plain data is.
mod datum {
    pub(super) const BOOL: u8 = 0;
    pub(super) const NUMBER: u8 = 1;
    pub(super) const TEXT: u8 = 2;
    pub(super) const VECTOR: u8 = 3;
    pub(super) const CHARACTER: u8 = 4;
    pub(super) const DOOR: u8 = 5;
    pub(super) const LIST: u8 = 6;
    pub(super) const MAP: u8 = 7;
}

impl ByteWriter {
    /// A truth value of plain data. All values of plain data are written by these functions.
    pub fn data_flag(&mut self, value: bool) {
        self.small(datum::BOOL, DATUM_BITS);
        self.flag(value);
    }

    /// A number of plain data.
    pub fn data_number(&mut self, value: f64) {
        self.small(datum::NUMBER, DATUM_BITS);
        self.number(value);
    }

    /// A text of plain data.
    pub fn data_text(&mut self, value: &str) {
        self.small(datum::TEXT, DATUM_BITS);
        self.text(value);
    }

    /// A vector of plain data.
    pub fn data_vector(&mut self, value: Vec3) {
        self.small(datum::VECTOR, DATUM_BITS);
        value.to_array().into_iter().for_each(|part| self.float(part));
    }

    /// A character in plain data.
    pub fn data_character(&mut self, id: CharacterId) {
        self.small(datum::CHARACTER, DATUM_BITS);
        id.save(self);
    }

    /// A door in plain data.
    pub fn data_door(&mut self, id: DoorId) {
        self.small(datum::DOOR, DATUM_BITS);
        id.save(self);
    }

    /// A list of plain data: so many values follow.
    pub fn data_list(&mut self, count: usize) {
        self.small(datum::LIST, DATUM_BITS);
        self.word(count as u64);
    }

    /// A map of plain data: so many entries follow in the order of their keys, each a key and a value.
    pub fn data_map(&mut self, count: usize) {
        self.small(datum::MAP, DATUM_BITS);
        self.word(count as u64);
    }

    /// A key of a map that is a name.
    pub fn data_name(&mut self, name: &str) {
        self.flag(true);
        self.text(name);
    }

    /// A key of a map that is a whole number.
    pub fn data_index(&mut self, index: i64) {
        self.flag(false);
        self.signed(index);
    }
}

impl<'a> ByteReader<'a> {
    /// A value of plain data inside so many tables; of a table only how many entries it has, which follow:
    /// those of a map each with its key.
    ///
    /// # Errors
    /// At the end, when it lies too deep, and when it is none.
    pub fn datum(&mut self, depth: usize) -> Result<Datum<'a>, DecodeError> {
        if depth > DEPTH_MAX {
            return Err(DecodeError::new("data that is too deep"));
        }
        self.pay(Plain::VALUE_BYTES)?;
        Ok(match self.small(DATUM_BITS)? {
            datum::BOOL => Datum::Bool(self.flag()?),
            datum::NUMBER => Datum::Number(self.number()?),
            datum::TEXT => Datum::Text(self.told()?),
            datum::VECTOR => Datum::Vector(finite(self)?),
            datum::CHARACTER => Datum::Character(Saved::load(self)?),
            datum::DOOR => Datum::Door(Saved::load(self)?),
            datum::LIST => Datum::List(self.list_len(size_of::<Plain>())?),
            _ => Datum::Map(self.list_len(size_of::<(PlainKey, Plain)>())?),
        })
    }

    /// The key of an entry of a map.
    ///
    /// # Errors
    /// At the end.
    pub fn datum_key(&mut self) -> Result<DatumKey<'a>, DecodeError> {
        Ok(match self.flag()? {
            true => DatumKey::Name(self.told()?),
            false => DatumKey::Index(self.signed()?),
        })
    }

    fn plain(&mut self, depth: usize) -> Result<Plain, DecodeError> {
        Ok(match self.datum(depth)? {
            Datum::Bool(value) => Plain::Bool(value),
            Datum::Number(value) => Plain::Number(value),
            Datum::Text(told) => Plain::Text(told.text.to_owned()),
            Datum::Vector(value) => Plain::Vector(value),
            Datum::Character(id) => Plain::Character(id),
            Datum::Door(id) => Plain::Door(id),
            Datum::List(count) => {
                let mut values = Vec::with_capacity(count);
                for _ in 0..count {
                    values.push(self.plain(depth + 1)?);
                }
                Plain::List(values)
            }
            Datum::Map(count) => {
                let mut entries = Vec::with_capacity(count);
                for _ in 0..count {
                    let key = match self.datum_key()? {
                        DatumKey::Name(told) => PlainKey::Name(told.text.to_owned()),
                        DatumKey::Index(index) => PlainKey::Index(index),
                    };
                    entries.push((key, self.plain(depth + 1)?));
                }
                Plain::Map(in_order(entries)?)
            }
        })
    }
}

/// A vector of data.
fn finite(input: &mut ByteReader<'_>) -> Result<Vec3, DecodeError> {
    let value = Vec3::new(input.float()?, input.float()?, input.float()?);
    if value.is_finite() { Ok(value) } else { Err(DecodeError::new("a place that is nowhere")) }
}

impl Saved for Plain {
    fn save(&self, out: &mut ByteWriter) {
        match self {
            Self::Bool(value) => out.data_flag(*value),
            Self::Number(value) => out.data_number(*value),
            Self::Text(text) => out.data_text(text),
            Self::Vector(value) => out.data_vector(*value),
            Self::Character(id) => out.data_character(*id),
            Self::Door(id) => out.data_door(*id),
            Self::List(values) => {
                out.data_list(values.len());
                values.iter().for_each(|value| value.save(out));
            }
            Self::Map(entries) => {
                out.data_map(entries.len());
                for (key, value) in entries {
                    match key {
                        PlainKey::Name(name) => out.data_name(name),
                        PlainKey::Index(index) => out.data_index(*index),
                    }
                    value.save(out);
                }
            }
        }
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        input.plain(0)
    }
}
