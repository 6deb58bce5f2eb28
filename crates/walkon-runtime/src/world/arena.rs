//! A generational arena for characters and walks, saved with its free slots.
//!
//! In: values. Out: keys; the values by key, as long as they are there. Holds: keys depend only on what was
//! put in and taken out; a save game has the empty places too, so a loaded level goes on with the same keys.
//! Not here: the order in which things were made (`Characters`, `Walks`).

use std::collections::BTreeSet;
use std::marker::PhantomData;

use slotmap::KeyData;

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError};
use crate::base::ids::GenerationalKey;
use crate::base::prefetch;

/// A place in the table.
#[derive(Clone, Debug)]
pub(super) struct Place<V> {
    /// How often it was taken and left: odd while something lies in it.
    version: u32,
    value: Option<V>,
}

impl<V> Place<V> {
    const EMPTY: Self = Self { version: 0, value: None };

    /// What lies in it by that key.
    #[inline]
    pub(super) fn get_mut<K: GenerationalKey>(&mut self, key: K) -> Option<&mut V> {
        if self.version == key.generation() { self.value.as_mut() } else { None }
    }
}

/// Values by key.
#[derive(Clone, Debug)]
pub(crate) struct Arena<K, V> {
    /// The first stays empty: no key is 0.
    places: Vec<Place<V>>,
    /// The empty places but the first.
    free: BTreeSet<u32>,
    keys: PhantomData<K>,
}

impl<K: GenerationalKey, V> Default for Arena<K, V> {
    fn default() -> Self {
        Self { places: vec![Place::EMPTY], free: BTreeSet::new(), keys: PhantomData }
    }
}

#[inline]
fn key<K: GenerationalKey>(place: usize, version: u32) -> K {
    KeyData::from_ffi(u64::from(version) << 32 | place as u64).into()
}

impl<K: GenerationalKey, V> Arena<K, V> {
    /// Puts a value into the first empty place; its key.
    pub(crate) fn insert(&mut self, value: V) -> K {
        self.insert_near(1, value)
    }

    /// Puts a value into the nearest empty place from `near` on, or else before it: what is looked at
    /// together should lie together. Where none is empty, behind all others. Its key.
    pub(crate) fn insert_near(&mut self, near: usize, value: V) -> K {
        let behind = self.free.range(near as u32..).next();
        let empty = behind.or_else(|| self.free.range(..near as u32).next_back()).copied();
        let at = empty.map_or(self.places.len(), |at| at as usize);
        match empty {
            Some(empty) => drop(self.free.remove(&empty)),
            None => self.places.push(Place::EMPTY),
        }
        let place = &mut self.places[at];
        (place.version, place.value) = (place.version | 1, Some(value));
        key(at, place.version)
    }

    /// Takes a value out: its key means nothing from now on.
    pub(crate) fn remove(&mut self, key: K) -> Option<V> {
        let at = key.place();
        let place = self.places.get_mut(at).filter(|place| place.version == key.generation())?;
        let value = place.value.take()?;
        place.version = place.version.wrapping_add(1);
        self.free.insert(at as u32);
        Some(value)
    }

    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<&V> {
        let place = self.places.get(key.place()).filter(|place| place.version == key.generation())?;
        place.value.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.places.get_mut(key.place())?.get_mut(key)
    }

    /// Asks the processor for the first bytes of what lies at a key; it reads nothing of it.
    #[inline]
    pub(super) fn fetch(&self, key: K, bytes: usize) {
        if let Some(place) = self.places.get(key.place()) {
            prefetch::bytes((&raw const *place).addr(), bytes);
        }
    }

    /// Asks the processor for the whole of what lies at a key.
    #[inline]
    pub(super) fn fetch_whole(&self, key: K) {
        self.fetch(key, size_of::<Place<V>>());
    }

    pub(crate) fn contains_key(&self, key: K) -> bool {
        self.get(key).is_some()
    }

    /// How many places there are, taken or not.
    pub(crate) fn place_count(&self) -> usize {
        self.places.len()
    }

    /// The places, taken or not.
    pub(super) fn places_mut(&mut self) -> &mut [Place<V>] {
        &mut self.places
    }

    /// All of them, by place.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.places.iter().filter_map(|place| place.value.as_ref())
    }

    /// All of them, by place, to be changed.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.places.iter_mut().filter_map(|place| place.value.as_mut())
    }

    /// Writes where nothing lies.
    pub(crate) fn save_free(&self, out: &mut ByteWriter) {
        out.word(self.places.len() as u64);
        out.list(self.free.iter(), |out, &at| {
            out.word(u64::from(at));
            out.word(u64::from(self.places[at as usize].version));
        });
    }

    /// A table of these values and the free places that were written.
    ///
    /// # Errors
    /// When a place is given twice or not at all.
    pub(crate) fn load(input: &mut ByteReader<'_>, values: Vec<(K, V)>) -> Result<Self, DecodeError> {
        let broken = || DecodeError::new("a table with places that cannot be");
        let count = input.count()? as usize;
        let free = input.list(|input| Ok((input.count()? as usize, input.word()?)))?;
        if count != values.len() + free.len() + 1 {
            return Err(broken());
        }
        let mut table = Self::default();
        input.pay(count.saturating_mul(size_of::<Place<V>>()))?;
        table.places.resize_with(count, || Place { version: u32::MAX, ..Place::EMPTY });
        for (key, value) in values {
            let version = key.generation();
            let place = table.places.get_mut(key.place()).ok_or_else(broken)?;
            if place.version != u32::MAX || key.place() == 0 {
                return Err(broken());
            }
            *place = Place { version, value: Some(value) };
        }
        for (at, version) in free {
            let version =
                u32::try_from(version).ok().filter(|version| version % 2 == 0).ok_or_else(broken)?;
            let place = table.places.get_mut(at).ok_or_else(broken)?;
            if place.version != u32::MAX || at == 0 {
                return Err(broken());
            }
            place.version = version;
            table.free.insert(at as u32);
        }
        Ok(table)
    }
}

#[cfg(test)]
impl<K: GenerationalKey, V> std::ops::Index<K> for Arena<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        self.get(key).expect("it is there")
    }
}

#[cfg(test)]
impl<K: GenerationalKey, V> std::ops::IndexMut<K> for Arena<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        self.get_mut(key).expect("it is there")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::base::bytes::Saved;
    use crate::base::ids::WalkId;
    use crate::base::rng::Rng;
    use crate::base::time::TickNumber;

    fn again(table: &Arena<WalkId, u64>, values: &BTreeMap<WalkId, u64>) -> Arena<WalkId, u64> {
        let mut out = ByteWriter::at(TickNumber(0));
        table.save_free(&mut out);
        let bytes = out.finish();
        let values = values.iter().map(|(&key, &value)| (key, value)).collect();
        Arena::load(&mut ByteReader::at(TickNumber(0), &bytes), values).unwrap()
    }

    /// Whatever is put in and taken out, and however often it is saved and loaded: a key means its value
    /// until that is taken out, and nothing ever after; a value lies in the nearest empty place from the one
    /// that was asked for on, or else before it.
    #[test]
    fn each_key_is_used_once_and_values_lie_near_where_they_are_wanted() {
        for seed in 0..50 {
            let mut rng = Rng::stream(seed, "arena");
            let mut table = Arena::<WalkId, u64>::default();
            let mut oracle: BTreeMap<WalkId, u64> = BTreeMap::new();
            let mut gone: Vec<WalkId> = Vec::new();
            for step in 0..500 {
                if oracle.is_empty() || rng.chance(0.55) {
                    let near = rng.int(1, 60) as usize;
                    let taken: Vec<usize> = oracle.keys().map(|key| key.place()).collect();
                    let count = table.place_count();
                    let is_free = |at: &usize| !taken.contains(at);
                    let before = || (1..near.min(count)).rev().find(is_free);
                    let wanted = (near..count).find(is_free).or_else(before).unwrap_or(count);
                    let key = table.insert_near(near, step);
                    assert_eq!(key.place(), wanted);
                    assert!(!gone.contains(&key) && oracle.insert(key, step).is_none());
                } else {
                    let at = rng.below(oracle.len() as u64) as usize;
                    let (&key, &value) = oracle.iter().nth(at).unwrap();
                    oracle.remove(&key);
                    gone.push(key);
                    assert_eq!((table.remove(key), table.remove(key)), (Some(value), None));
                }
                if rng.chance(0.02) {
                    table = again(&table, &oracle);
                }
                assert!(oracle.iter().all(|(&key, value)| table.get(key) == Some(value)));
                assert!(gone.iter().all(|&key| table.get(key).is_none()));
            }
        }
    }

    #[test]
    fn places_that_cannot_be_are_refused() {
        let load = |count: u64, free: Vec<(u64, u64)>, values: Vec<(WalkId, u64)>| {
            let mut out = ByteWriter::at(TickNumber(0));
            out.word(count);
            free.save(&mut out);
            let bytes = out.finish();
            Arena::load(&mut ByteReader::at(TickNumber(0), &bytes), values).is_ok()
        };
        let key = |at: usize, version: u32| super::key::<WalkId>(at, version);
        assert!(load(1, vec![], vec![]) && load(3, vec![(1, 2)], vec![(key(2, 3), 0)]));
        assert!(!load(2, vec![], vec![]), "a place of which nothing is told");
        assert!(!load(2, vec![(0, 2)], vec![]) && !load(2, vec![(5, 2)], vec![]));
        assert!(!load(3, vec![(1, 2), (1, 2)], vec![]), "twice");
        assert!(!load(2, vec![(1, 3)], vec![]), "taken");
    }
}
