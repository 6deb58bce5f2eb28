//! Mutable access to several entries of a table at once.
//!
//! In: a table by key, keys. Out: a mutable reference for each key. Holds: no entry is lent twice. Cost: a
//! list of the places and one of the loans; the places themselves are read when a loan is used, which threads
//! then share. Not here: what is done with them.

use crate::base::ids::GenerationalKey;
use crate::base::prefetch;
use crate::world::arena::{Arena, Place};

/// A value that is lent apart from the others of its table.
pub(crate) struct Loan<'a, K, V> {
    key: K,
    place: Option<&'a mut Place<V>>,
}

impl<K: GenerationalKey, V> Loan<'_, K, V> {
    /// Asks the processor for the first bytes of the value; it reads nothing of it.
    #[inline]
    pub(crate) fn fetch(&self, bytes: usize) {
        if let Some(place) = &self.place {
            prefetch::bytes((&raw const **place).addr(), bytes);
        }
    }

    /// The value; None where there is none.
    #[inline]
    pub(crate) fn get(&mut self) -> Option<&mut V> {
        self.place.as_deref_mut()?.get_mut(self.key)
    }
}

/// A loan for each of `keys`, in their order; an empty one where the place was lent before.
pub(crate) fn disjoint_mut<K: GenerationalKey, V>(
    table: &mut Arena<K, V>,
    keys: impl Iterator<Item = K>,
) -> Vec<Loan<'_, K, V>> {
    let mut places: Vec<Option<&mut Place<V>>> = table.places_mut().iter_mut().map(Some).collect();
    keys.map(|key| Loan { key, place: places.get_mut(key.place()).and_then(Option::take) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_lent_once_and_nothing_for_whom_is_not_there() {
        let mut table: Arena<crate::base::ids::CharacterId, u32> = Arena::default();
        let keys: Vec<_> = (0..6).map(|number| table.insert(number)).collect();
        table.remove(keys[1]);
        table.remove(keys[4]);
        let again = table.insert_near(keys[4].place(), 7);
        let wanted = [keys[5], keys[1], again, keys[0], keys[4], keys[5], keys[3]];
        let mut found = disjoint_mut(&mut table, wanted.into_iter());
        let values: Vec<Option<u32>> = found.iter_mut().map(|value| value.get().copied()).collect();
        assert_eq!(values, [Some(5), None, Some(7), Some(0), None, None, Some(3)]);
        found.iter_mut().filter_map(Loan::get).for_each(|value| *value += 10);
        assert_eq!((table[keys[0]], table[keys[2]], table[again]), (10, 2, 17));
    }
}
