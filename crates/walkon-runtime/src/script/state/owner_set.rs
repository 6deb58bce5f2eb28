//! A set of owners in the order of their numbers.
//!
//! In: owners. Out: the same, in order, from any of them on. Holds: one bit for every number up to the
//! largest that is in it, so that ten thousand go in and out in a tick at little cost.

use crate::world::owner::Owner;

/// A set of owners, a bit each.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnerSet {
    words: Vec<u64>,
    count: usize,
}

impl OwnerSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn insert(&mut self, owner: Owner) {
        let (word, bit) = place(owner);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.count += usize::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
    }

    pub(crate) fn remove(&mut self, owner: Owner) {
        let (word, bit) = place(owner);
        if let Some(word) = self.words.get_mut(word).filter(|word| **word & bit != 0) {
            *word &= !bit;
            self.count -= 1;
        }
    }

    pub(crate) fn first(&self) -> Option<Owner> {
        self.from(0)
    }

    /// The next owner after `owner`, which need not be in the set.
    pub(crate) fn after(&self, owner: Owner) -> Option<Owner> {
        self.from(owner.0.checked_add(1)?)
    }

    /// All owners, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Owner> {
        std::iter::successors(self.first(), |owner| self.after(*owner))
    }

    fn from(&self, number: u32) -> Option<Owner> {
        let (first, bit) = place(Owner(number));
        let begun = self.words.get(first)? & !(bit - 1);
        let rest = self.words.iter().copied().enumerate().skip(first + 1);
        let (word, bits) = std::iter::once((first, begun)).chain(rest).find(|(_, bits)| *bits != 0)?;
        u32::try_from(word as u64 * 64).ok().map(|base| Owner(base + bits.trailing_zeros()))
    }
}

fn place(owner: Owner) -> (usize, u64) {
    ((owner.0 / 64) as usize, 1 << (owner.0 % 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_is_an_ordered_set() {
        let (mut ours, mut plain) = (OwnerSet::default(), BTreeSet::new());
        let mut number = 1_u32;
        for turn in 0..3000_u32 {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let owner = Owner((number >> 16) % 300);
            if turn % 3 == 0 {
                ours.remove(owner);
                plain.remove(&owner);
            } else {
                ours.insert(owner);
                plain.insert(owner);
            }
            let after = plain.range(Owner(owner.0 + 1)..).next().copied();
            assert_eq!((ours.first(), ours.after(owner)), (plain.first().copied(), after));
            assert_eq!(ours.is_empty(), plain.is_empty());
        }
        assert!(ours.iter().eq(plain), "in order, each once");
    }
}
