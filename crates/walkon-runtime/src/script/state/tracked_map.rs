//! A map in order of its keys that knows which of its values may have changed since it was last hashed.
//!
//! In: values by key. Out: the same, and a hash of all of them; hashing costs only as much as has changed.
//! Holds: no value is changed behind the map's back, so the hash is as if it were worked out from nothing; it
//! does not depend on the order in which values came, since it covers the keys; values that are looked at one
//! after another in the order of their keys, or twice in a row, are found without a search. Not here: the
//! hash of a value; the caller gives it at every call, and always the same.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::RangeBounds;

use crate::base::hash::StateHash;

/// Changes are no longer noted one by one when there are more than so many, and more than there are values:
/// nobody asks for hashes then.
const CHANGES_MIN: usize = 1024;

/// A map whose hash is kept up to date.
#[derive(Clone, Debug)]
pub(crate) struct TrackedMap<K, V> {
    /// Where the value of each key lies.
    places: BTreeMap<K, usize>,
    entries: Vec<Option<Entry<K, V>>>,
    /// Places where nothing lies.
    free: Vec<usize>,
    /// The place that was looked at last.
    last: Cell<usize>,
    shares: Shares<K>,
}

#[derive(Clone, Debug)]
struct Entry<K, V> {
    key: K,
    value: V,
    /// What it adds to the sum; none while it is on the list of changes. Of no meaning without a list.
    share: Option<u64>,
}

/// The sum of the hashes of all values that are not on the list of changes.
#[derive(Clone, Debug)]
struct Shares<K> {
    sum: u64,
    /// Keys of values that may have changed, or were there once; none when all may have changed.
    changed: Option<Vec<K>>,
}

impl<K: Copy> Shares<K> {
    /// A value leaves the sum; it is listed if it stays in the map.
    #[inline]
    fn take(&mut self, share: &mut Option<u64>, stays: Option<K>, room: usize) {
        let Some(changed) = &mut self.changed else { return };
        if let Some(share) = share.take() {
            self.sum = self.sum.wrapping_sub(share);
            changed.extend(stays);
        }
        self.bound(room);
    }

    /// A list longer than the map is no shorter way.
    fn bound(&mut self, room: usize) {
        if self.changed.as_ref().is_some_and(|changed| changed.len() > room.max(CHANGES_MIN)) {
            self.changed = None;
        }
    }
}

impl<K, V> Default for TrackedMap<K, V> {
    fn default() -> Self {
        Self {
            places: BTreeMap::new(),
            entries: Vec::new(),
            free: Vec::new(),
            last: Cell::new(0),
            shares: Shares { sum: 0, changed: None },
        }
    }
}

impl<K: Ord + Copy, V> TrackedMap<K, V> {
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Where the value of a key lies: where the last one did, right behind it, or wherever it is found.
    #[inline]
    fn place(&self, key: K) -> Option<usize> {
        let last = self.last.get();
        let lies_at = |place: usize| matches!(self.entries.get(place), Some(Some(entry)) if entry.key == key);
        if lies_at(last) {
            return Some(last);
        }
        let place = if lies_at(last + 1) { last + 1 } else { *self.places.get(&key)? };
        self.last.set(place);
        Some(place)
    }

    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<&V> {
        let entry = self.entries.get(self.place(key)?)?.as_ref()?;
        Some(&entry.value)
    }

    /// The value so many places behind the one that was looked at last: where all are looked at in the order
    /// of their keys, mostly the one that comes then.
    #[inline]
    pub(crate) fn ahead(&self, places: usize) -> Option<&V> {
        Some(&self.entries.get(self.last.get() + places)?.as_ref()?.value)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let place = self.place(key)?;
        let room = self.places.len();
        let entry = self.entries.get_mut(place)?.as_mut()?;
        self.shares.take(&mut entry.share, Some(key), room);
        Some(&mut entry.value)
    }

    /// Puts a value in; the one that was there before.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let before = self.remove(key);
        let entry = Some(Entry { key, value, share: None });
        let place = match self.free.pop() {
            Some(place) => {
                self.entries[place] = entry;
                place
            }
            None => {
                self.entries.push(entry);
                self.entries.len() - 1
            }
        };
        self.places.insert(key, place);
        if let Some(changed) = &mut self.shares.changed {
            changed.push(key);
        }
        self.shares.bound(self.places.len());
        before
    }

    pub(crate) fn remove(&mut self, key: K) -> Option<V> {
        let place = self.places.remove(&key)?;
        let mut entry = self.entries.get_mut(place)?.take()?;
        self.free.push(place);
        self.shares.take(&mut entry.share, None, self.places.len());
        Some(entry.value)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.range(..)
    }

    /// The values of a range of keys, in order.
    pub(crate) fn range(&self, keys: impl RangeBounds<K>) -> impl Iterator<Item = (K, &V)> {
        let entry = |(&key, &place): (&K, &usize)| Some((key, &self.entries.get(place)?.as_ref()?.value));
        self.places.range(keys).filter_map(entry)
    }

    /// All of them, to be changed, in no order that means anything.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (K, &mut V)> {
        self.shares.changed = None;
        self.entries.iter_mut().flatten().map(|entry| (entry.key, &mut entry.value))
    }

    /// Mixes in all values, each as `one` says. Cost: the values that may have changed since the last time.
    pub(crate) fn hash_into(&mut self, hash: &mut StateHash, one: impl Fn(K, &V, &mut StateHash)) {
        let share_of = |key: K, value: &V| {
            let mut hash = StateHash::default();
            one(key, value, &mut hash);
            hash.finish()
        };
        match self.shares.changed.take() {
            None => {
                self.shares.sum = 0;
                for entry in self.entries.iter_mut().flatten() {
                    let share = share_of(entry.key, &entry.value);
                    entry.share = Some(share);
                    self.shares.sum = self.shares.sum.wrapping_add(share);
                }
                self.shares.changed = Some(Vec::new());
            }
            Some(mut changed) => {
                for key in changed.drain(..) {
                    // A key may be listed twice, or its value may be gone.
                    let place = self.place(key).unwrap_or(usize::MAX);
                    let entry = self.entries.get_mut(place).and_then(Option::as_mut);
                    let Some(entry) = entry.filter(|entry| entry.share.is_none()) else {
                        continue;
                    };
                    let share = share_of(key, &entry.value);
                    entry.share = Some(share);
                    self.shares.sum = self.shares.sum.wrapping_add(share);
                }
                self.shares.changed = Some(changed);
            }
        }
        debug_assert_eq!(
            self.shares.sum,
            self.iter().fold(0u64, |sum, (key, value)| sum.wrapping_add(share_of(key, value))),
            "the hash that was kept is the one from nothing"
        );
        hash.word(self.places.len() as u64).word(self.shares.sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn hash_of(map: &mut TrackedMap<u32, u64>) -> u64 {
        let mut hash = StateHash::default();
        map.hash_into(&mut hash, |key, value, hash| _ = hash.word(u64::from(key)).word(*value));
        hash.finish()
    }

    fn from_nothing(map: &TrackedMap<u32, u64>) -> u64 {
        let mut fresh = TrackedMap::default();
        map.iter().for_each(|(key, value)| _ = fresh.insert(key, *value));
        hash_of(&mut fresh)
    }

    /// Whatever is done to it, and however seldom it is hashed, a map is hashed as if it had just been made.
    #[test]
    fn the_kept_hash_is_the_one_from_nothing() {
        for seed in 0..40 {
            let mut rng = Rng::stream(seed, "map");
            let mut map = TrackedMap::default();
            // Some are hashed after nearly every change, some after thousands.
            let seldom = [2, 20, 5000][seed as usize % 3];
            for _ in 0..6000 {
                let key = rng.below(300) as u32;
                match rng.below(100) {
                    0..30 => _ = map.insert(key, rng.below(4)),
                    30..55 => _ = map.remove(key),
                    55..99 => map.get_mut(key).into_iter().for_each(|value| *value += 1),
                    _ => map.iter_mut().for_each(|(_, value)| *value ^= 1),
                }
                if rng.below(seldom) == 0 {
                    assert_eq!(hash_of(&mut map), from_nothing(&map));
                }
            }
            assert_eq!(hash_of(&mut map), from_nothing(&map));
        }
    }

    #[test]
    fn a_change_is_seen_and_one_that_is_taken_back_is_not() {
        let mut map = TrackedMap::default();
        (0..100).for_each(|key| _ = map.insert(key, u64::from(key) % 3));
        let before = hash_of(&mut map);
        *map.get_mut(7).expect("it is there") = 5;
        assert_ne!(hash_of(&mut map), before);
        *map.get_mut(7).expect("it is there") = 7 % 3;
        assert_eq!(hash_of(&mut map), before);
        let (first, second) = (map.remove(3), map.remove(4));
        map.insert(3, second.expect("it was there"));
        map.insert(4, first.expect("it was there"));
        assert_ne!(hash_of(&mut map), before, "two that change places");
    }

    /// Whatever was put in and taken out, and wherever it looked last, it is an ordinary map in order.
    #[test]
    fn it_finds_what_a_plain_map_finds() {
        let mut rng = Rng::stream(7, "map");
        let (mut map, mut plain) = (TrackedMap::default(), BTreeMap::new());
        for turn in 0..20_000_u64 {
            let key = rng.below(60) as u32;
            match rng.below(4) {
                0 => assert_eq!(map.insert(key, turn), plain.insert(key, turn)),
                1 => assert_eq!(map.remove(key), plain.remove(&key)),
                2 => assert_eq!(map.get_mut(key), plain.get_mut(&key)),
                _ => (key..key + 5).for_each(|key| assert_eq!(map.get(key), plain.get(&key))),
            }
            assert!(map.iter().eq(plain.iter().map(|(&key, value)| (key, value))));
            assert!(map.range(key..).eq(plain.range(key..).map(|(&key, value)| (key, value))));
        }
    }
}
