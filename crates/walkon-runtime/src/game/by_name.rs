//! A table of values by name, fast when names are asked for in the order in which they were added.
//!
//! In: values, each with its name. Out: the value of a name; all values in the order of their names. Holds:
//! of several values of one name the last counts; names are sorted at the first search for one. Not here:
//! what the values are.

use crate::base::ordered;

use std::cell::OnceCell;

/// Values by name.
#[derive(Clone, Debug)]
pub(super) struct ByName<T> {
    entries: Vec<(String, T)>,
    /// Places of entries in the order of their names.
    sorted: OnceCell<Vec<usize>>,
}

impl<T> FromIterator<(String, T)> for ByName<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(entries: I) -> Self {
        Self { entries: entries.into_iter().collect(), sorted: OnceCell::new() }
    }
}

impl<T> ByName<T> {
    fn name(&self, place: usize) -> &str {
        self.entries.get(place).map_or("", |(name, _)| name)
    }

    fn sorted(&self) -> &[usize] {
        self.sorted.get_or_init(|| {
            let mut places: Vec<usize> = (0..self.entries.len()).collect();
            // The last of a name comes first, and stays.
            ordered::sort_by(&mut places, |&one, &other| {
                self.name(one).cmp(self.name(other)).then(other.cmp(&one))
            });
            places.dedup_by(|one, other| self.name(*one) == self.name(*other));
            places
        })
    }

    fn find(&self, name: &str) -> Option<usize> {
        let sorted = self.sorted();
        let found = sorted.binary_search_by(|&place| self.name(place).cmp(name)).ok()?;
        sorted.get(found).copied()
    }

    /// The value of a name. Cost: a search.
    pub(super) fn get(&self, name: &str) -> Option<&T> {
        self.entries.get(self.find(name)?).map(|(_, value)| value)
    }

    /// The same for a caller that goes through all names in about their order: `next` is where the next one
    /// should stand, from 0. Cost: constant where it stands there.
    pub(super) fn next(&self, next: &mut usize, name: &str) -> Option<&T> {
        let place =
            if self.name(*next) == name && *next < self.entries.len() { *next } else { self.find(name)? };
        *next = place + 1;
        self.entries.get(place).map(|(_, value)| value)
    }

    /// Whether there is a value of that name.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// How many were put in.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// All names and values, in the order of names.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (&str, &T)> {
        let entries = self.sorted().iter().filter_map(|&place| self.entries.get(place));
        entries.map(|(name, value)| (name.as_str(), value))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn values_are_those_of_a_map_in_whatever_order_they_are_asked_for() {
        for seed in 0..200 {
            let mut rng = Rng::stream(seed, "values by name");
            let names = 1 + rng.below(12);
            let mut name = || format!("p{}", rng.below(names));
            let mut entries: Vec<(String, usize)> = (0..8).map(|value| (name(), value)).collect();
            if seed % 2 == 0 {
                let mut known = BTreeMap::new();
                entries.retain(|(name, value)| known.insert(name.clone(), *value).is_none());
            }
            let asked: Vec<String> = (0..8).map(|_| name()).collect();
            let map: BTreeMap<String, usize> = entries.iter().cloned().collect();
            let is_each_once = map.len() == entries.len();
            let mut order: Vec<String> = entries.iter().map(|(name, _)| name.clone()).collect();
            order.extend(asked);
            let values: ByName<usize> = entries.into_iter().collect();
            let mut next = 0;
            for name in &order {
                assert_eq!(values.get(name), map.get(name), "{seed} {name}");
                if is_each_once {
                    assert_eq!(values.next(&mut next, name), map.get(name), "{seed} {name}");
                }
                assert_eq!(values.contains(name), map.contains_key(name));
            }
            assert!(values.in_order().eq(map.iter().map(|(name, value)| (name.as_str(), value))), "{seed}");
        }
    }
}
