//! Ordered maps, ordered sets and stable sorts that compile to little code.
//!
//! In: iterators and slices. Out: the same maps, sets and orders that `collect` and `sort_by` of the standard
//! library give. Holds: `collect` sorts before it builds, and the library makes one sort of some 5 kB for
//! each iterator that is collected and for each closure that compares; here a map is filled entry by entry,
//! short slices are sorted by insertion, and all longer ones share one sort. Not here: long lists that are
//! sorted each tick, which have the sort of the library.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Fills ordered maps and sets entry by entry. Of equal keys the last entry counts, as with `collect`.
pub trait CollectOrdered: Iterator + Sized {
    /// A map of the pairs.
    fn collect_map<K: Ord, V>(self) -> BTreeMap<K, V>
    where
        Self: Iterator<Item = (K, V)>,
    {
        let mut map = BTreeMap::new();
        self.for_each(|(key, value)| drop(map.insert(key, value)));
        map
    }

    /// A set of the values.
    fn collect_set<T: Ord>(self) -> BTreeSet<T>
    where
        Self: Iterator<Item = T>,
    {
        let mut set = BTreeSet::new();
        // Of equal values the last stays, as with `collect`.
        self.for_each(|value| drop(set.replace(value)));
        set
    }

    /// A map of the pairs.
    ///
    /// # Errors
    /// The first that the iterator gives; nothing is taken from it afterwards.
    fn try_collect_map<K: Ord, V, E>(mut self) -> Result<BTreeMap<K, V>, E>
    where
        Self: Iterator<Item = Result<(K, V), E>>,
    {
        let mut map = BTreeMap::new();
        self.try_for_each(|entry| entry.map(|(key, value)| drop(map.insert(key, value))))?;
        Ok(map)
    }
}

impl<I: Iterator> CollectOrdered for I {}

/// Up to so many entries are sorted by insertion, without memory of their own, as the library does.
const SHORT_MAX: usize = 20;

/// Sorts as `sort_by` of slices does: what compares as equal keeps its order.
pub fn sort_by<T>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    if list.len() <= SHORT_MAX {
        for end in 1..list.len() {
            let mut at = end;
            while at > 0 && compare(&list[at], &list[at - 1]).is_lt() {
                list.swap(at, at - 1);
                at -= 1;
            }
        }
        return;
    }
    let mut order = order_of(list.len(), &mut |one, other| compare(&list[one], &list[other]));
    for place in 0..list.len() {
        // What belongs here may have been moved by an earlier swap, to where that one's entry came from.
        let mut from = order[place];
        while from < place {
            from = order[from];
        }
        order[place] = from;
        list.swap(place, from);
    }
}

/// Sorts as `sort_by_key` of slices does: what has equal keys keeps its order.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(list, |one, other| key(one).cmp(&key(other)));
}

/// The places of a list in the order of what stands there.
fn order_of(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&one, &other| compare(one, other));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A key, and what tells apart entries of one key: only the key is compared.
    #[derive(Clone, Debug)]
    struct Entry {
        key: u8,
        number: usize,
    }

    impl PartialEq for Entry {
        fn eq(&self, other: &Self) -> bool {
            self.key == other.key
        }
    }

    impl Eq for Entry {}

    impl PartialOrd for Entry {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl Ord for Entry {
        fn cmp(&self, other: &Self) -> Ordering {
            self.key.cmp(&other.key)
        }
    }

    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        let keys = prop::collection::vec(0..12_u8, 0..60);
        keys.prop_map(|keys| {
            keys.into_iter().enumerate().map(|(number, key)| Entry { key, number }).collect()
        })
    }

    fn told<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<(u8, usize)> {
        entries.into_iter().map(|entry| (entry.key, entry.number)).collect()
    }

    proptest! {
        #[test]
        fn sorts_are_those_of_the_library(entries in entries()) {
            let (mut expected, mut by, mut by_key) = (entries.clone(), entries.clone(), entries);
            expected.sort_by_key(|entry| std::cmp::Reverse(entry.key));
            sort_by(&mut by, |one, other| other.key.cmp(&one.key));
            sort_by_key(&mut by_key, |entry| std::cmp::Reverse(entry.key));
            prop_assert_eq!(told(&by), told(&expected));
            prop_assert_eq!(told(&by_key), told(&expected));
        }

        #[test]
        fn maps_and_sets_are_those_of_collect(entries in entries()) {
            let pairs = || entries.iter().map(|entry| (entry.key, entry.number));
            let expected: BTreeMap<u8, usize> = pairs().collect();
            prop_assert_eq!(&pairs().collect_map(), &expected);
            prop_assert_eq!(pairs().map(Ok::<_, ()>).try_collect_map(), Ok(expected));
            let expected: BTreeSet<Entry> = entries.iter().cloned().collect();
            prop_assert_eq!(told(&entries.iter().cloned().collect_set()), told(&expected));
        }
    }

    #[test]
    fn the_first_error_ends_a_map() {
        let mut left = [Ok((1, 'a')), Err("first"), Err("second"), Ok((2, 'b'))].into_iter();
        assert_eq!(left.by_ref().try_collect_map(), Err("first"));
        assert_eq!(left.next(), Some(Err("second")));
    }
}
