//! The characters that may satisfy a condition: a superset, rebuilt after a load.
//!
//! In: characters for which the condition begins to hold. Out: all for which it may hold, in order of
//! creation. Holds: only noted characters are listed, so any code that makes the condition hold notes the
//! character; one that no longer satisfies it stays listed until the next look. Never part of the state. Not
//! here: the condition.

use crate::base::ids::CharacterId;

/// The list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shortlist {
    /// By number in order of creation; some twice, and the last ones in any order.
    noted: Vec<(u32, CharacterId)>,
}

impl Shortlist {
    /// Notes a character by its number.
    pub(crate) fn note(&mut self, serial: u32, id: CharacterId) {
        self.noted.push((serial, id));
    }

    /// Those of which it holds, in order of creation; the others are no more on the list. Cost: the list.
    pub(crate) fn those(&mut self, holds: impl Fn(CharacterId) -> bool) -> Vec<CharacterId> {
        if !self.noted.is_sorted() {
            self.noted.sort_unstable();
        }
        self.noted.dedup();
        self.noted.retain(|&(_, id)| holds(id));
        self.noted.iter().map(|&(_, id)| id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::arena::Arena;

    #[test]
    fn each_is_given_once_in_order_of_creation() {
        let mut table: Arena<CharacterId, ()> = Arena::default();
        let ids: Vec<CharacterId> = (0..4).map(|_| table.insert(())).collect();
        let mut list = Shortlist::default();
        for at in [2, 0, 3, 2, 0] {
            list.note(at as u32, ids[at]);
        }
        assert_eq!(list.those(|id| id != ids[2]), [ids[0], ids[3]]);
        list.note(1, ids[1]);
        assert_eq!(list.those(|_| true), [ids[0], ids[1], ids[3]]);
        assert!(list.those(|_| false).is_empty() && list.those(|_| true).is_empty());
    }
}
