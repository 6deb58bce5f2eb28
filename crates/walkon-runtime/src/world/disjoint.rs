//! Many values of a table at a time, each to be changed apart from the others.
//!
//! In: a table by key, keys. Out: a reference for each key. Holds: nothing is handed out twice. Cost: a look
//! at every slot of the table and a list as long as the table; when nearly all values are wanted, that is
//! less than the looks that threads then share. Not here: what is done with them.

use crate::base::ids::GenerationalKey;
use crate::world::arena::Arena;

/// A value for each of `keys`, in their order; None where there is none, or where it was handed out before.
pub(crate) fn disjoint_mut<K: GenerationalKey, V>(
    table: &mut Arena<K, V>,
    keys: impl Iterator<Item = K>,
) -> Vec<Option<&mut V>> {
    let mut by_slot: Vec<Option<(K, &mut V)>> = Vec::with_capacity(table.room());
    for (key, value) in table.iter_mut() {
        let slot = key.place();
        // Slots come in rising order, the free ones left out.
        by_slot.resize_with(slot, || None);
        by_slot.push(Some((key, value)));
    }
    let of = |key: K| Some(by_slot.get_mut(key.place())?.take_if(|(own, _)| *own == key)?.1);
    keys.map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_handed_out_once_and_none_for_whom_is_not_there() {
        let mut table: Arena<crate::base::ids::CharacterId, u32> = Arena::default();
        let keys: Vec<_> = (0..6).map(|number| table.insert(number)).collect();
        table.remove(keys[1]);
        table.remove(keys[4]);
        let again = table.insert(7);
        let wanted = [keys[5], keys[1], again, keys[0], keys[4], keys[5], keys[3]];
        let mut found = disjoint_mut(&mut table, wanted.into_iter());
        let values: Vec<Option<u32>> = found.iter().map(|value| value.as_deref().copied()).collect();
        assert_eq!(values, [Some(5), None, Some(7), Some(0), None, None, Some(3)]);
        found.iter_mut().flatten().for_each(|value| **value += 10);
        assert_eq!((table[keys[0]], table[keys[2]], table[again]), (10, 2, 17));
    }
}
