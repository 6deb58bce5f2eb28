//! Disjoint sets of numbers: which of them belong together.
//!
//! In: how many numbers there are, pairs that belong together. Out: the lowest number of each set. Holds: the
//! order of the pairs changes nothing. Not here: sets that are numbered by size (`connected_components`).
//! Source: Galler and Fischer, "An improved equivalence algorithm" (1964), with path halving.

/// Sets of numbers from zero on.
#[derive(Clone, Debug)]
pub(crate) struct DisjointSets {
    /// By number, a lower one of its set; the lowest has itself.
    parents: Vec<u32>,
}

impl DisjointSets {
    /// So many numbers, each in a set of its own.
    pub(crate) fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// The lowest number of a set. Bounded: each step leads to a lower one.
    pub(crate) fn lowest(&mut self, of: u32) -> u32 {
        let mut at = of;
        while self.parents[at as usize] != at {
            let above = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = above;
            at = above;
        }
        at
    }

    /// Makes one set of those of two numbers.
    pub(crate) fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.lowest(one), self.lowest(other));
        self.parents[one.max(other) as usize] = one.min(other);
    }

    /// Puts a number into a set of its own again; sets come apart whole or not at all.
    pub(crate) fn part(&mut self, number: u32) {
        self.parents[number as usize] = number;
    }

    /// By number, the lowest of its set.
    pub(crate) fn all_lowest(mut self) -> Vec<u32> {
        (0..self.parents.len() as u32).map(|at| self.lowest(at)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn sets_are_those_of_a_flood_over_the_pairs() {
        let mut rng = Rng::stream(3, "disjoint sets");
        for round in 0..200 {
            let count = 1 + rng.below(40) as usize;
            let pairs: Vec<[u32; 2]> =
                (0..rng.below(50)).map(|_| [0; 2].map(|_: u32| rng.below(count as u64) as u32)).collect();
            let mut sets = DisjointSets::new(count);
            pairs.iter().for_each(|&[a, b]| sets.join(a, b));
            let mut flooded: Vec<u32> = (0..count as u32).collect();
            for _ in 0..count {
                for &[a, b] in &pairs {
                    let low = flooded[a as usize].min(flooded[b as usize]);
                    (flooded[a as usize], flooded[b as usize]) = (low, low);
                }
            }
            assert_eq!(sets.all_lowest(), flooded, "round {round}: {pairs:?}");
        }
    }
}
