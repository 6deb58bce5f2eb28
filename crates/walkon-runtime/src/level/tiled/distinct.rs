//! Lists of distinct values, known by their index.
//!
//! In: values, one after the other. Out: the number of each: that of an equal value before it, or the next.
//! Holds: no more than [`DISTINCT_MAX`] values; looking one up takes as many steps as their count has binary
//! digits. Not here: what the values are (`ground`).

use std::cmp::Ordering;

/// Most values of a list. A level draws each with a letter of its own, of which the basic plane of Unicode
/// has about 49,000.
pub(super) const DISTINCT_MAX: usize = 32_768;

/// A list without repeats.
#[derive(Clone, Debug, Default)]
pub(super) struct Distinct<T> {
    /// In the order in which they came.
    pub values: Vec<T>,
    /// Their places, in the order of the values.
    order: Vec<u16>,
}

impl<T> Distinct<T> {
    /// The number of a value. None for a new one that finds the list full. `compare` has the same order each
    /// time.
    pub(super) fn number(&mut self, value: T, compare: impl Fn(&T, &T) -> Ordering) -> Option<u16> {
        let found = self.order.binary_search_by(|number| compare(&self.values[usize::from(*number)], &value));
        match found {
            Ok(at) => Some(self.order[at]),
            Err(_) if self.values.len() >= DISTINCT_MAX => None,
            Err(at) => {
                let number = self.values.len() as u16; // Below DISTINCT_MAX.
                self.order.insert(at, number);
                self.values.push(value);
                Some(number)
            }
        }
    }
}
