//! A table whose keys are used once each, for characters and walks.
//!
//! In: values. Out: keys; the values by key, as long as they are there. Holds: it gives the keys that
//! `slotmap::SlotMap` gives, so that hashes of ids stay as they were; unlike that, it shows its empty places
//! too, so that a save game has all of it and a loaded level goes on with the same keys. Not here: the order
//! in which things were made (`Characters`, `Walks`).

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
    /// In an empty place, the place that is taken after it.
    next: u32,
}

impl<V> Place<V> {
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
    /// The place that is taken next; the end of the table when none is free.
    free: u32,
    keys: PhantomData<K>,
}

impl<K: GenerationalKey, V> Default for Arena<K, V> {
    fn default() -> Self {
        Self { places: vec![Place { version: 0, value: None, next: 0 }], free: 1, keys: PhantomData }
    }
}

#[inline]
fn key<K: GenerationalKey>(place: usize, version: u32) -> K {
    KeyData::from_ffi(u64::from(version) << 32 | place as u64).into()
}

impl<K: GenerationalKey, V> Arena<K, V> {
    /// Puts a value in; its key.
    pub(crate) fn insert(&mut self, value: V) -> K {
        let at = self.free as usize;
        match self.places.get_mut(at) {
            Some(place) => {
                self.free = place.next;
                place.version |= 1;
                place.value = Some(value);
                key(at, place.version)
            }
            None => {
                self.free = at as u32 + 1;
                self.places.push(Place { version: 1, value: Some(value), next: 0 });
                key(at, 1)
            }
        }
    }

    /// Takes a value out: its key means nothing from now on.
    pub(crate) fn remove(&mut self, key: K) -> Option<V> {
        let at = key.place();
        let place = self.places.get_mut(at).filter(|place| place.version == key.generation())?;
        let value = place.value.take()?;
        place.version = place.version.wrapping_add(1);
        place.next = std::mem::replace(&mut self.free, at as u32);
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

    /// Writes where nothing lies, in the order in which it is taken.
    pub(crate) fn save_free(&self, out: &mut ByteWriter) {
        out.word(self.places.len() as u64);
        let mut at = self.free as usize;
        let mut list = Vec::new();
        // Bounded by the places: each is on the list once.
        while let Some(place) = self.places.get(at) {
            list.push((at, place.version));
            at = place.next as usize;
        }
        out.list(list.into_iter(), |out, (at, version)| {
            out.word(at as u64);
            out.word(u64::from(version));
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
        table.places.resize_with(count, || Place { version: u32::MAX, value: None, next: 0 });
        for (key, value) in values {
            let version = key.generation();
            let place = table.places.get_mut(key.place()).ok_or_else(broken)?;
            if place.version != u32::MAX || key.place() == 0 {
                return Err(broken());
            }
            *place = Place { version, value: Some(value), next: 0 };
        }
        let mut next = count as u32;
        for &(at, version) in free.iter().rev() {
            let version =
                u32::try_from(version).ok().filter(|version| version % 2 == 0).ok_or_else(broken)?;
            let place = table.places.get_mut(at).ok_or_else(broken)?;
            if place.version != u32::MAX || at == 0 {
                return Err(broken());
            }
            *place = Place { version, value: None, next };
            next = at as u32;
        }
        table.free = next;
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
    use slotmap::SlotMap;

    use super::*;
    use crate::base::bytes::Saved;
    use crate::base::ids::WalkId;
    use crate::base::rng::Rng;
    use crate::base::time::TickNumber;

    fn again(table: &Arena<WalkId, u64>, keys: &[WalkId]) -> Arena<WalkId, u64> {
        let mut out = ByteWriter::at(TickNumber(0));
        table.save_free(&mut out);
        let bytes = out.finish();
        let values = keys.iter().map(|&key| (key, table[key])).collect();
        Arena::load(&mut ByteReader::at(TickNumber(0), &bytes), values).unwrap()
    }

    /// Whatever is put in and taken out, and however often it is saved and loaded, keys are those of a slot
    /// map.
    #[test]
    fn keys_are_those_of_a_slot_map_also_after_a_load() {
        for seed in 0..50 {
            let mut rng = Rng::stream(seed, "arena");
            let (mut table, mut oracle) = (Arena::<WalkId, u64>::default(), SlotMap::with_key());
            let mut keys: Vec<WalkId> = Vec::new();
            for step in 0..500 {
                if keys.is_empty() || rng.chance(0.55) {
                    let key = table.insert(step);
                    assert_eq!(key, oracle.insert(step));
                    keys.push(key);
                } else {
                    let key = keys.swap_remove(rng.below(keys.len() as u64) as usize);
                    assert_eq!(table.remove(key), oracle.remove(key));
                    assert_eq!(table.remove(key), None);
                }
                if rng.chance(0.02) {
                    table = again(&table, &keys);
                }
                assert!(keys.iter().all(|&key| table.get(key) == oracle.get(key)));
            }
            assert!(table.values().eq(oracle.values()), "by place");
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
