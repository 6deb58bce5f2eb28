//! Compact binary encoding of state: short numbers, truth values as single bits, each text once.
//!
//! In: values, field by field in a fixed order; bytes from anywhere. Out: bytes; the same values, or why the
//! bytes are invalid. Holds: written values are read again to the bit; invalid bytes are refused before they
//! take more memory or time than a fixed budget, whatever lengths they state. Not here: the contents of a
//! state, versions, sums (`game::save`).

mod data;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use glam::Vec3;

use crate::base::ids::{AreaId, DoorId, GenerationalKey, RegionId};
use crate::base::ordered::CollectOrdered;
use crate::base::time::TickNumber;

pub use data::{Datum, DatumKey, KeyRef};

/// The largest count that is read: beyond it numbers could overflow where they are counted on.
pub const COUNT_MAX: u64 = 1 << 53;

/// Memory that reading may take beside a multiple of the bytes themselves.
const MEMORY_BYTES: usize = 64 << 20;

/// Memory that each byte that is read may take.
const MEMORY_PER_BYTE: usize = 64;

/// Tables inside tables in plain data.
const DEPTH_MAX: usize = 32;

/// Why bytes are not what they should be, a clause such as `it ends in the middle`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(pub String);

impl DecodeError {
    /// Those words.
    #[must_use]
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

/// Something that is written as bytes and read again.
pub trait Saved: Sized {
    /// Writes it.
    fn save(&self, out: &mut ByteWriter);

    /// Reads it.
    ///
    /// # Errors
    /// When the bytes end, or say what cannot be.
    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError>;
}

/// Bytes under construction.
#[derive(Clone, Debug)]
pub struct ByteWriter {
    bytes: Vec<u8>,
    /// Where the byte lies that takes the next bits, and how many it has.
    bits: (usize, u32),
    texts: BTreeMap<String, u64>,
    /// Texts that were written a short while ago, with their numbers: most are written again at once.
    recent: Vec<Option<(String, u64)>>,
    /// Ticks are written relative to this one.
    now: TickNumber,
    last_y: f32,
}

/// Texts that are found without a search, at most.
const RECENT_MAX: usize = 256;

/// Where among them a text would lie.
fn recent_place(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = bytes.iter().take(8).chain(bytes.iter().rev().take(8));
    let sum = ends.fold(bytes.len(), |sum, &byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
    sum % RECENT_MAX
}

impl ByteWriter {
    /// No bytes yet; ticks are written relative to `now`.
    #[must_use]
    pub fn at(now: TickNumber) -> Self {
        Self { bytes: Vec::new(), bits: (0, 8), texts: BTreeMap::new(), recent: Vec::new(), now, last_y: 0.0 }
    }

    /// Makes room for so many more bytes.
    pub fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    /// What was written.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// One bit.
    #[inline]
    pub fn flag(&mut self, value: bool) {
        if self.bits.1 == 8 {
            self.bits = (self.bytes.len(), 0);
            self.bytes.push(0);
        }
        self.bytes[self.bits.0] |= u8::from(value) << self.bits.1;
        self.bits.1 += 1;
    }

    /// A number below two to the power of `bits`.
    #[inline]
    pub fn small(&mut self, value: u8, bits: u32) {
        debug_assert!(bits == 8 || value >> bits == 0);
        // As many as the byte of the last bits has room for, the others in one of their own.
        let first = bits.min(8 - self.bits.1);
        if first > 0 {
            self.bytes[self.bits.0] |= value << self.bits.1;
            self.bits.1 += first;
        }
        if first < bits {
            self.bits = (self.bytes.len(), bits - first);
            self.bytes.push(value >> first);
        }
    }

    /// A byte.
    #[inline]
    pub fn byte(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// Bytes as they are.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Numbers of 32 bits as they are, the lowest byte first.
    pub fn words(&mut self, words: &[u32]) {
        let start = self.bytes.len();
        self.bytes.resize(start + size_of_val(words), 0);
        for (bytes, word) in self.bytes[start..].chunks_exact_mut(size_of::<u32>()).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// A number, in one byte for each seven bits of it.
    #[inline]
    pub fn word(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// A number that may lie below zero, near zero for most.
    #[inline]
    pub fn signed(&mut self, value: i64) {
        self.word((value << 1 ^ value >> 63).cast_unsigned());
    }

    /// 64 bits, none of them likelier than another.
    #[inline]
    pub fn whole(&mut self, value: u64) {
        self.raw(&value.to_le_bytes());
    }

    /// A single-precision number, to the bit.
    #[inline]
    pub fn float(&mut self, value: f32) {
        self.raw(&value.to_le_bytes());
    }

    /// A number, to the bit; whole ones in few bytes.
    pub fn number(&mut self, value: f64) {
        let whole = value as i64;
        let is_small = whole.unsigned_abs() < 1 << 48 && (whole as f64).to_bits() == value.to_bits();
        self.flag(is_small);
        if is_small { self.signed(whole) } else { self.whole(value.to_bits()) }
    }

    /// A place or a direction: nothing but a bit for none at all, and no height where it is that of the one
    /// before.
    #[inline]
    pub fn vector(&mut self, value: Vec3) {
        let is_zero = [value.x, value.y, value.z].iter().all(|part| part.to_bits() == 0);
        self.flag(is_zero);
        if is_zero {
            return;
        }
        let is_as_high = value.y.to_bits() == self.last_y.to_bits();
        let is_flat = value.y.to_bits() == 0;
        self.flag(is_flat);
        if !is_flat {
            self.flag(is_as_high);
        }
        self.float(value.x);
        self.float(value.z);
        if !is_flat && !is_as_high {
            self.float(value.y);
            self.last_y = value.y;
        }
    }

    /// A vector that is often another one: one bit then.
    #[inline]
    pub fn vector_near(&mut self, value: Vec3, other: Vec3) {
        let is_same = same_bits(value, other);
        self.flag(is_same);
        if !is_same {
            self.vector(value);
        }
    }

    /// A text; one that was written before takes a byte or two.
    pub fn text(&mut self, value: &str) {
        let place = recent_place(value);
        if let Some(Some((text, number))) = self.recent.get(place)
            && text == value
        {
            return self.word(number + 1);
        }
        let number = match self.texts.get(value) {
            Some(&number) => {
                self.word(number + 1);
                number
            }
            None => {
                let number = self.texts.len() as u64;
                self.word(0);
                self.name(value);
                self.texts.insert(value.to_owned(), number);
                number
            }
        };
        self.recent.resize(RECENT_MAX, None);
        self.recent[place] = Some((value.to_owned(), number));
    }

    /// A text that is hardly written twice.
    pub fn name(&mut self, value: &str) {
        self.word(value.len() as u64);
        self.raw(value.as_bytes());
    }

    /// A list, each entry as `one` writes it.
    pub fn list<T>(&mut self, list: impl ExactSizeIterator<Item = T>, mut one: impl FnMut(&mut Self, T)) {
        self.word(list.len() as u64);
        list.for_each(|entry| one(self, entry));
    }

    /// What may be absent.
    pub fn option<T>(&mut self, value: Option<T>, one: impl FnOnce(&mut Self, T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            one(self, value);
        }
    }
}

#[inline]
fn same_bits(one: Vec3, other: Vec3) -> bool {
    one.x.to_bits() == other.x.to_bits()
        && one.y.to_bits() == other.y.to_bits()
        && one.z.to_bits() == other.z.to_bits()
}

/// Bytes that are read.
#[derive(Debug)]
pub struct ByteReader<'a> {
    bytes: &'a [u8],
    at: usize,
    bits: (u8, u32),
    texts: Vec<&'a str>,
    now: TickNumber,
    last_y: f32,
    /// Memory that may still be taken.
    left: usize,
}

impl<'a> ByteReader<'a> {
    /// Those bytes, from the first; ticks are read relative to `now`.
    #[must_use]
    pub fn at(now: TickNumber, bytes: &'a [u8]) -> Self {
        let left = bytes.len().saturating_mul(MEMORY_PER_BYTE).saturating_add(MEMORY_BYTES);
        Self { bytes, at: 0, bits: (0, 8), texts: Vec::new(), now, last_y: 0.0, left }
    }

    /// The tick that ticks are relative to.
    #[must_use]
    pub fn now(&self) -> TickNumber {
        self.now
    }

    /// Whether all was read.
    ///
    /// # Errors
    /// When something is left.
    pub fn end(&self) -> Result<(), DecodeError> {
        let left = self.bytes.len() - self.at;
        if left == 0 { Ok(()) } else { Err(DecodeError(format!("{left} bytes are left over"))) }
    }

    /// Takes memory for values that are made from the bytes.
    ///
    /// # Errors
    /// When that is more than any state needs.
    pub fn pay(&mut self, bytes: usize) -> Result<(), DecodeError> {
        let left = self.left.checked_sub(bytes);
        self.left =
            left.ok_or_else(|| DecodeError::new("it would take more memory than a state of its size"))?;
        Ok(())
    }

    /// So many bytes.
    ///
    /// # Errors
    /// When there are not so many.
    #[inline]
    pub fn raw(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| DecodeError::new("it ends in the middle"))?;
        let bytes = &self.bytes[self.at..end];
        self.at = end;
        Ok(bytes)
    }

    /// One bit.
    ///
    /// # Errors
    /// At the end.
    #[inline]
    pub fn flag(&mut self) -> Result<bool, DecodeError> {
        if self.bits.1 == 8 {
            self.bits = (self.byte()?, 0);
        }
        let value = self.bits.0 >> self.bits.1 & 1 == 1;
        self.bits.1 += 1;
        Ok(value)
    }

    /// A number of so many bits.
    ///
    /// # Errors
    /// At the end.
    #[inline]
    pub fn small(&mut self, bits: u32) -> Result<u8, DecodeError> {
        let first = bits.min(8 - self.bits.1);
        let mut value = if first > 0 { self.bits.0 >> self.bits.1 } else { 0 };
        self.bits.1 += first;
        if first < bits {
            // What is left of the last byte are the bits below.
            let byte = self.byte()?;
            value |= byte << first;
            self.bits = (byte, bits - first);
        }
        Ok(value & ((1_u16 << bits) - 1) as u8)
    }

    /// One of several, by its number of so many bits.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn one_of<T: Copy>(&mut self, all: &[T], bits: u32) -> Result<T, DecodeError> {
        let number = self.small(bits)?;
        all.get(usize::from(number)).copied().ok_or_else(|| DecodeError::new("a choice that is none"))
    }

    /// A byte.
    ///
    /// # Errors
    /// At the end.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        Ok(self.raw(1)?[0])
    }

    /// A count.
    ///
    /// # Errors
    /// At the end, and beyond [`COUNT_MAX`].
    #[inline]
    pub fn word(&mut self) -> Result<u64, DecodeError> {
        let value = self.word_of_any_size()?;
        if value <= COUNT_MAX { Ok(value) } else { Err(DecodeError::new("a number beyond any count")) }
    }

    #[inline]
    fn word_of_any_size(&mut self) -> Result<u64, DecodeError> {
        let mut value = 0;
        // At most ten bytes.
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(DecodeError::new("a number that does not end"))
    }

    /// A count of at most 2^31 - 1.
    ///
    /// # Errors
    /// At the end, and beyond that.
    pub fn count(&mut self) -> Result<u32, DecodeError> {
        let value = self.word()?;
        let fits = u32::try_from(value).ok().filter(|&value| value <= i32::MAX.cast_unsigned());
        fits.ok_or_else(|| DecodeError::new("a number beyond any count"))
    }

    /// A number that may lie below zero.
    ///
    /// # Errors
    /// At the end.
    pub fn signed(&mut self) -> Result<i64, DecodeError> {
        let value = self.word_of_any_size()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// 64 bits.
    ///
    /// # Errors
    /// At the end.
    pub fn whole(&mut self) -> Result<u64, DecodeError> {
        let mut value = [0; 8];
        value.copy_from_slice(self.raw(8)?);
        Ok(u64::from_le_bytes(value))
    }

    /// A number that is one; it may be infinite.
    ///
    /// # Errors
    /// At the end, and when it is none.
    #[inline]
    pub fn float(&mut self) -> Result<f32, DecodeError> {
        let mut value = [0; 4];
        value.copy_from_slice(self.raw(4)?);
        let value = f32::from_le_bytes(value);
        if value.is_nan() { Err(DecodeError::new("a number that is none")) } else { Ok(value) }
    }

    /// A number within a range.
    ///
    /// # Errors
    /// At the end, and when it lies elsewhere.
    pub fn float_in(&mut self, range: RangeInclusive<f32>) -> Result<f32, DecodeError> {
        let value = self.float()?;
        if range.contains(&value) { Ok(value) } else { Err(DecodeError::new("a measure that cannot be")) }
    }

    /// A finite number.
    ///
    /// # Errors
    /// At the end, and when it is not.
    pub fn number(&mut self) -> Result<f64, DecodeError> {
        let value = if self.flag()? { self.signed()? as f64 } else { f64::from_bits(self.whole()?) };
        if value.is_finite() { Ok(value) } else { Err(DecodeError::new("a number that is none")) }
    }

    /// A finite place or direction.
    ///
    /// # Errors
    /// At the end, and when it is not.
    #[inline]
    pub fn vector(&mut self) -> Result<Vec3, DecodeError> {
        if self.flag()? {
            return Ok(Vec3::ZERO);
        }
        let is_flat = self.flag()?;
        let is_as_high = !is_flat && self.flag()?;
        let (x, z) = (self.float()?, self.float()?);
        let y = match (is_flat, is_as_high) {
            (true, _) => 0.0,
            (_, true) => self.last_y,
            _ => {
                self.last_y = self.float()?;
                self.last_y
            }
        };
        let value = Vec3::new(x, y, z);
        if value.is_finite() { Ok(value) } else { Err(DecodeError::new("a place that is nowhere")) }
    }

    /// A vector that is often another one.
    ///
    /// # Errors
    /// As [`ByteReader::vector`].
    pub fn vector_near(&mut self, other: Vec3) -> Result<Vec3, DecodeError> {
        if self.flag()? { Ok(other) } else { self.vector() }
    }

    /// A text.
    ///
    /// # Errors
    /// At the end, and when it is no text or none that was told before.
    pub fn text(&mut self) -> Result<String, DecodeError> {
        self.told().map(|told| told.text.to_owned())
    }

    /// A text, which is not copied, and its number among those that were told.
    ///
    /// # Errors
    /// As [`ByteReader::text`].
    pub fn told(&mut self) -> Result<ToldText<'a>, DecodeError> {
        let number = match self.word()? {
            0 => {
                let text = self.borrowed()?;
                self.pay(size_of::<&str>())?;
                self.texts.push(text);
                self.texts.len() - 1
            }
            number => usize::try_from(number - 1).unwrap_or(usize::MAX),
        };
        let text = self.texts.get(number).copied();
        let text = text.ok_or_else(|| DecodeError::new("a text that was not told"))?;
        self.pay(text.len())?;
        Ok(ToldText { number, text })
    }

    /// A text that is hardly written twice.
    ///
    /// # Errors
    /// At the end, and when it is no text.
    pub fn name(&mut self) -> Result<String, DecodeError> {
        let text = self.borrowed()?;
        self.pay(text.len())?;
        Ok(text.to_owned())
    }

    fn borrowed(&mut self) -> Result<&'a str, DecodeError> {
        let count = usize::try_from(self.word()?).unwrap_or(usize::MAX);
        std::str::from_utf8(self.raw(count)?).map_err(|_| DecodeError::new("a text that is not UTF-8"))
    }

    /// A list, each entry as `one` reads it.
    ///
    /// # Errors
    /// At the end, when it is longer than the bytes, and what `one` says.
    pub fn list<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let count = self.list_len(size_of::<T>())?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(one(self)?);
        }
        Ok(list)
    }

    /// How many entries a list has, of which each takes so many bytes of memory.
    fn list_len(&mut self, entry_bytes: usize) -> Result<usize, DecodeError> {
        let count = usize::try_from(self.word()?).unwrap_or(usize::MAX);
        if count > (self.bytes.len() - self.at).saturating_mul(8).saturating_add(8) {
            return Err(DecodeError::new("a list that is longer than the bytes"));
        }
        self.pay(count.saturating_mul(entry_bytes))?;
        Ok(count)
    }

    /// What may be absent.
    ///
    /// # Errors
    /// At the end, and what `one` says.
    pub fn option<T>(
        &mut self,
        one: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        if self.flag()? { one(self).map(Some) } else { Ok(None) }
    }
}

/// A text that was told, and its number among all that were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToldText<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// The text.
    pub text: &'a str,
}

/// What is wrong with a map whose keys are not in order, or not each there once.
#[must_use]
pub fn out_of_order() -> DecodeError {
    DecodeError::new("entries out of order")
}

/// Entries as a map; each key once, in order, so that one map has one form.
fn in_order<K: Ord, V>(entries: Vec<(K, V)>) -> Result<BTreeMap<K, V>, DecodeError> {
    if entries.windows(2).all(|pair| pair[0].0 < pair[1].0) {
        return Ok(entries.into_iter().collect_map());
    }
    Err(out_of_order())
}

macro_rules! saved_as {
    ($($type:ty: $self:ident, $out:ident => $save:expr, $input:ident => $load:expr;)*) => {$(
        impl Saved for $type {
            #[inline]
            fn save(&self, $out: &mut ByteWriter) {
                let $self = self;
                $save;
            }
            #[inline]
            fn load($input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
                $load
            }
        }
    )*};
}

saved_as! {
    bool: it, out => out.flag(*it), input => input.flag();
    u8: it, out => out.byte(*it), input => input.byte();
    u32: it, out => out.word(u64::from(*it)), input => input.count();
    // What is larger stands for never.
    u64: it, out => out.word((*it).min(COUNT_MAX)), input => input.word();
    usize: it, out => out.word(*it as u64), input => Ok(input.count()? as usize);
    f32: it, out => out.float(*it), input => input.float();
    f64: it, out => out.number(*it), input => input.number();
    Vec3: it, out => out.vector(*it), input => input.vector();
    String: it, out => out.text(it), input => input.text();
    DoorId: it, out => it.0.save(out), input => Ok(Self(input.count()?));
    RegionId: it, out => it.0.save(out), input => Ok(Self(input.count()?));
    // A door that is gone has the last of all numbers.
    AreaId: it, out => out.word(u64::from(it.0.wrapping_add(1))), input => Ok(Self(input.count()?.wrapping_sub(1)));
    TickNumber: it, out => out.signed(out.now.0.cast_signed().wrapping_sub(it.0.cast_signed())), input => {
        let tick = input.now.0.cast_signed().checked_sub(input.signed()?);
        let tick = tick.and_then(|tick| u64::try_from(tick).ok()).filter(|&tick| tick <= COUNT_MAX);
        tick.map(TickNumber).ok_or_else(|| DecodeError::new("a tick beyond all time"))
    };
}

/// A key of a table: its place, and how often that was used.
macro_rules! saved_keys {
    ($($type:ty),*) => {$(
        impl Saved for $type {
            fn save(&self, out: &mut ByteWriter) {
                let version = self.generation();
                out.word(self.place() as u64);
                out.flag(version == 1);
                if version != 1 {
                    out.word(version.into());
                }
            }
            fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
                let slot = input.word()?;
                let version = if input.flag()? { 1 } else { input.word()? };
                if slot > u64::from(u32::MAX) || version > u64::from(u32::MAX) {
                    return Err(DecodeError::new("a number that names nothing"));
                }
                Ok(Self::from_bits(version << 32 | slot))
            }
        }
    )*};
}

saved_keys!(crate::base::ids::CharacterId, crate::base::ids::WalkId);

impl<T: Saved> Saved for Option<T> {
    fn save(&self, out: &mut ByteWriter) {
        out.option(self.as_ref(), |out, value| value.save(out));
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        input.option(T::load)
    }
}

impl<T: Saved> Saved for Vec<T> {
    fn save(&self, out: &mut ByteWriter) {
        out.list(self.iter(), |out, value| value.save(out));
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        input.list(T::load)
    }
}

impl<A: Saved, B: Saved> Saved for (A, B) {
    fn save(&self, out: &mut ByteWriter) {
        self.0.save(out);
        self.1.save(out);
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        Ok((A::load(input)?, B::load(input)?))
    }
}

impl<K: Saved + Ord, V: Saved> Saved for BTreeMap<K, V> {
    fn save(&self, out: &mut ByteWriter) {
        out.list(self.iter(), |out, (key, value)| {
            key.save(out);
            value.save(out);
        });
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        in_order(input.list(<(K, V)>::load)?)
    }
}

impl<T: Saved + Copy + Default, const COUNT: usize> Saved for [T; COUNT] {
    fn save(&self, out: &mut ByteWriter) {
        self.iter().for_each(|value| value.save(out));
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let mut all = [T::default(); COUNT];
        for value in &mut all {
            *value = T::load(input)?;
        }
        Ok(all)
    }
}

impl<T: Saved> Saved for Box<T> {
    fn save(&self, out: &mut ByteWriter) {
        T::save(self, out);
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        T::load(input).map(Self::new)
    }
}

impl<T: Saved> Saved for Arc<T> {
    fn save(&self, out: &mut ByteWriter) {
        T::save(self, out);
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        T::load(input).map(Self::new)
    }
}

impl<T: Saved> Saved for Arc<[T]> {
    fn save(&self, out: &mut ByteWriter) {
        out.list(self.iter(), |out, value| value.save(out));
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        input.list(T::load).map(Self::from)
    }
}

/// Says of a struct which of its fields are saved, in which order, and of every other what it begins with
/// again and why: a new field does not compile until it stands in one of the lists. What can be of no such
/// struct is refused: `where it => is_sound, "what it is instead"`.
#[macro_export]
macro_rules! saved {
    (
        $type:ty { $($field:ident),* $(,)? }
        $(but { $($excused:ident: $value:expr),* $(,)? })?
        $(where $loaded:ident => $is_sound:expr, $refusal:literal)?
    ) => {
        impl $crate::base::bytes::Saved for $type {
            fn save(&self, out: &mut $crate::base::bytes::ByteWriter) {
                let Self { $($field,)* $($($excused: _,)*)? } = self;
                $($crate::base::bytes::Saved::save($field, out);)*
            }

            fn load(
                input: &mut $crate::base::bytes::ByteReader<'_>,
            ) -> Result<Self, $crate::base::bytes::DecodeError> {
                let loaded = Self {
                    $($field: $crate::base::bytes::Saved::load(input)?,)*
                    $($($excused: $value,)*)?
                };
                $(
                    let $loaded = &loaded;
                    if !$is_sound {
                        return Err($crate::base::bytes::DecodeError::new($refusal));
                    }
                )?
                Ok(loaded)
            }
        }
    };
}

/// Says of an enum by which number each of its forms is saved, and with which fields in which order; numbers
/// are never used again. A float may have a range: `2: Speed(speed in 0.0..=1e3)`.
#[macro_export]
macro_rules! saved_choice {
    (
        $type:ty, $bits:literal:
        $($number:literal: $word:ident $(($inner:ident $(in $range:expr)?))? $({ $($field:ident),* })?),* $(,)?
    ) => {
        impl $crate::base::bytes::Saved for $type {
            fn save(&self, out: &mut $crate::base::bytes::ByteWriter) {
                match self {
                    $(Self::$word $(($inner))? $({ $($field),* })? => {
                        out.small($number, $bits);
                        $($crate::base::bytes::Saved::save($inner, out);)?
                        $($($crate::base::bytes::Saved::save($field, out);)*)?
                    })*
                }
            }

            fn load(
                input: &mut $crate::base::bytes::ByteReader<'_>,
            ) -> Result<Self, $crate::base::bytes::DecodeError> {
                Ok(match input.small($bits)? {
                    $($number => {
                        $(let $inner = $crate::saved_choice!(@load input $($range)?);)?
                        $($(let $field = $crate::base::bytes::Saved::load(input)?;)*)?
                        Self::$word $(($inner))? $({ $($field),* })?
                    })*
                    _ => return Err($crate::base::bytes::DecodeError::new("a choice that is none")),
                })
            }
        }
    };
    (@load $input:ident) => {
        $crate::base::bytes::Saved::load($input)?
    };
    (@load $input:ident $range:expr) => {
        $input.float_in($range)?
    };
}

/// Says of an enum without fields by which number each of its words is saved; numbers are never used again.
#[macro_export]
macro_rules! saved_words {
    ($type:ty, $bits:literal: $($word:ident),* $(,)?) => {
        impl $crate::base::bytes::Saved for $type {
            fn save(&self, out: &mut $crate::base::bytes::ByteWriter) {
                // Does not compile while a word is missing.
                match self { $(Self::$word => {})* }
                let all = [$(Self::$word),*];
                let number = all.iter().position(|word| word == self).unwrap_or_default();
                out.small(number as u8, $bits);
            }

            fn load(
                input: &mut $crate::base::bytes::ByteReader<'_>,
            ) -> Result<Self, $crate::base::bytes::DecodeError> {
                input.one_of(&[$(Self::$word),*], $bits)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::value::Plain;

    #[test]
    fn what_is_written_is_read_again() {
        let mut out = ByteWriter::at(TickNumber(1000));
        let plain = Plain::map([
            ("a", Plain::List(vec![Plain::Bool(true), Plain::Number(-0.0), Plain::Number(-7.0)])),
            ("b", Plain::Text("text".to_owned())),
            ("c", Plain::Vector(Vec3::new(1e20, 0.5, -0.0))),
        ]);
        plain.save(&mut out);
        [TickNumber(0), TickNumber(999), TickNumber(5000)].iter().for_each(|tick| tick.save(&mut out));
        let places =
            [Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 2.0, 3.0), Vec3::new(-0.0, 0.0, 0.0)];
        places.iter().for_each(|place| place.save(&mut out));
        [0, 127, 128, COUNT_MAX].iter().for_each(|&number| out.word(number));
        [0, -1, i64::MIN, i64::MAX].iter().for_each(|&number| out.signed(number));
        ["text", "more", "more"].iter().for_each(|text| out.text(text));
        out.small(5, 3);
        AreaId(u32::MAX).save(&mut out);
        let bytes = out.finish();
        let mut input = ByteReader::at(TickNumber(1000), &bytes);
        let read = Plain::load(&mut input).unwrap();
        assert_eq!(format!("{read:?}"), format!("{plain:?}"));
        assert_eq!(
            <[TickNumber; 3]>::load(&mut input),
            Ok([TickNumber(0), TickNumber(999), TickNumber(5000)])
        );
        for place in places {
            assert!(same_bits(input.vector().unwrap(), place));
        }
        assert_eq!([0; 4].map(|_| input.word().unwrap()), [0, 127, 128, COUNT_MAX]);
        assert_eq!([0; 4].map(|_| input.signed().unwrap()), [0, -1, i64::MIN, i64::MAX]);
        assert_eq!([0; 3].map(|_| input.text().unwrap()), ["text", "more", "more"]);
        assert_eq!(input.small(3), Ok(5));
        assert_eq!(AreaId::load(&mut input), Ok(AreaId(u32::MAX)));
        assert_eq!(input.end(), Ok(()));
    }

    #[test]
    fn bytes_that_say_too_much_of_themselves_are_refused() {
        let refused = |bytes: &[u8]| {
            let mut input = ByteReader::at(TickNumber(0), bytes);
            <Vec<String>>::load(&mut input).unwrap_err().0
        };
        assert_eq!(refused(&[]), "it ends in the middle");
        assert_eq!(refused(&[0xff; 12]), "a number that does not end");
        assert_eq!(refused(&[0x80, 0x80, 0x80, 0x01, 0]), "a list that is longer than the bytes");
        assert_eq!(refused(&[2, 0, 3]), "it ends in the middle");
        assert_eq!(refused(&[1, 9]), "a text that was not told");
        assert_eq!(refused(&[1, 0, 1, 0xff]), "a text that is not UTF-8");
        // One long text, named again and again.
        let mut out = ByteWriter::at(TickNumber(0));
        let text = "x".repeat(1 << 20);
        out.list(0..1000, |out, _| out.text(&text));
        assert_eq!(refused(&out.finish()), "it would take more memory than a state of its size");
        let mut deep = ByteWriter::at(TickNumber(0));
        (0..100).for_each(|_| {
            deep.small(6, 3);
            deep.word(1);
        });
        let deep = deep.finish();
        assert_eq!(
            Plain::load(&mut ByteReader::at(TickNumber(0), &deep)).unwrap_err().0,
            "data that is too deep"
        );
    }
}
