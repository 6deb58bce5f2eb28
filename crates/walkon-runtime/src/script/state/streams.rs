//! Random streams that scripts have named.
//!
//! In: names, the seed of the run. Out: numbers, lent and given back. Holds: a stream is the run's seed and a
//! name; the same name is the same stream, for the whole level. Not here: how scripts draw (`bind::rng`).

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError};
use crate::base::hash::{self, StateHash};
use crate::base::rng::Rng;

/// Streams of a level.
pub(crate) const STREAMS_MAX: usize = 65_536;

/// One stream.
#[derive(Clone, Debug)]
struct Stream {
    name: Rc<str>,
    /// The hash of the name, so that names are not read in every tick.
    name_hash: u64,
    numbers: Rng,
}

impl Stream {
    /// A stream from which nothing has been drawn.
    fn new(seed: u64, name: Rc<str>) -> Self {
        Self { name_hash: hash::of_bytes(name.as_bytes()), numbers: Rng::stream(seed, &name), name }
    }
}

/// The streams of a level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streams {
    /// By number, in order of their first use.
    numbered: Vec<Stream>,
    /// Name to number: every behaviour of a crowd has a stream of its own.
    by_name: BTreeMap<Rc<str>, usize>,
}

impl Streams {
    /// The number of the stream called `name` of a run with this seed; none when the level has too many.
    pub(crate) fn begin(&mut self, seed: u64, name: &str) -> Option<u64> {
        if let Some(known) = self.by_name.get(name) {
            return Some(*known as u64);
        }
        let index = self.numbered.len();
        if index >= STREAMS_MAX {
            return None;
        }
        let shared: Rc<str> = name.into();
        self.numbered.push(Stream::new(seed, shared.clone()));
        self.by_name.insert(shared, index);
        Some(index as u64)
    }

    /// The numbers of a stream, to be used and given back.
    pub(crate) fn lend(&self, stream: u64) -> Rng {
        let numbers = self.numbered.get(stream as usize).map(|stream| stream.numbers.clone());
        numbers.unwrap_or_else(|| Rng::stream(0, ""))
    }

    /// Takes the numbers of a stream back.
    pub(crate) fn give_back(&mut self, stream: u64, numbers: Rng) {
        if let Some(stream) = self.numbered.get_mut(stream as usize) {
            stream.numbers = numbers;
        }
    }

    /// All streams are again as they were `before`; a younger one stays under its number and begins again.
    pub(crate) fn go_back(&mut self, before: Self, seed: u64) {
        let mut old = before.numbered.into_iter();
        for stream in &mut self.numbered {
            *stream = old.next().unwrap_or_else(|| Stream::new(seed, stream.name.clone()));
        }
    }

    /// Writes how far each stream is, by name: numbers are given again, files may know streams by number and
    /// have run again.
    pub(crate) fn save(&self, out: &mut ByteWriter) {
        let Self { numbered, by_name } = self;
        let known = by_name.values().filter_map(|&number| numbered.get(number));
        out.list(known.collect::<Vec<_>>().into_iter(), |out, Stream { name, name_hash: _, numbers }| {
            out.name(name);
            out.word(numbers.drawn());
        });
    }

    /// Reads how far each stream of a run with this seed is.
    pub(crate) fn load(&mut self, input: &mut ByteReader<'_>, seed: u64) -> Result<(), DecodeError> {
        for stream in &mut self.numbered {
            *stream = Stream::new(seed, stream.name.clone());
        }
        for (name, drawn) in input.list(|input| Ok((input.name()?, input.word()?)))? {
            let number =
                self.begin(seed, &name).ok_or_else(|| DecodeError::new("more streams than there may be"))?;
            if drawn > 0 {
                self.give_back(number, Rng::stream_after(seed, &name, drawn));
            }
        }
        Ok(())
    }

    /// Mixes in the state of all streams.
    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        for Stream { name: _, name_hash, numbers } in &self.numbered {
            hash.word(*name_hash);
            numbers.hash_into(hash);
        }
    }
}
