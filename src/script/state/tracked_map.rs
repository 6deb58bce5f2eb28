//! A map in order of its keys that knows which of its values may have changed since it was last hashed.
//!
//! In: values by key. Out: the same, and a hash of all of them whose cost is that of what has changed. Holds:
//! no value is changed behind the map's back, so the hash is as if it were worked out from nothing; it does
//! not depend on the order in which values came, since keys are told with them. Not here: what of a value is
//! hashed: the caller says it at every call, and always the same.

use std::collections::BTreeMap;

use crate::base::hash::StateHash;

/// Changes are no longer noted one by one when there are more than so many, and more than there are values:
/// nobody asks for hashes then.
const CHANGES_MIN: usize = 1024;

/// A map whose hash is kept up to date.
#[derive(Clone, Debug)]
pub(crate) struct TrackedMap<K, V> {
    entries: BTreeMap<K, Entry<V>>,
    shares: Shares<K>,
}

#[derive(Clone, Debug)]
struct Entry<V> {
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
        Self { entries: BTreeMap::new(), shares: Shares { sum: 0, changed: None } }
    }
}

impl<K: Ord + Copy, V> TrackedMap<K, V> {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn get(&self, key: K) -> Option<&V> {
        self.entries.get(&key).map(|entry| &entry.value)
    }

    pub(crate) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let room = self.entries.len();
        let entry = self.entries.get_mut(&key)?;
        self.shares.take(&mut entry.share, Some(key), room);
        Some(&mut entry.value)
    }

    /// Puts a value in; the one that was there before.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let before = self.remove(key);
        self.entries.insert(key, Entry { value, share: None });
        if let Some(changed) = &mut self.shares.changed {
            changed.push(key);
        }
        self.shares.bound(self.entries.len());
        before
    }

    pub(crate) fn remove(&mut self, key: K) -> Option<V> {
        let mut entry = self.entries.remove(&key)?;
        self.shares.take(&mut entry.share, None, self.entries.len());
        Some(entry.value)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = K> {
        self.entries.keys().copied()
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.values().map(|entry| &entry.value)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.entries.iter().map(|(&key, entry)| (key, &entry.value))
    }

    /// All of them, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (K, &mut V)> {
        self.shares.changed = None;
        self.entries.iter_mut().map(|(&key, entry)| (key, &mut entry.value))
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
                for (&key, entry) in &mut self.entries {
                    let share = share_of(key, &entry.value);
                    entry.share = Some(share);
                    self.shares.sum = self.shares.sum.wrapping_add(share);
                }
                self.shares.changed = Some(Vec::new());
            }
            Some(mut changed) => {
                for key in changed.drain(..) {
                    // A key may be listed twice, or its value may be gone.
                    let Some(entry) = self.entries.get_mut(&key).filter(|entry| entry.share.is_none()) else {
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
        hash.word(self.entries.len() as u64).word(self.shares.sum);
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
}
