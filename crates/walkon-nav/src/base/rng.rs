//! Random numbers that repeat: PCG streams named by text.
//!
//! In: a seed and the name of a stream. Out: numbers. Holds: the same seed and name give the same
//! numbers in every process and on every platform; test vectors freeze them. Not here: the owners of the
//! streams.
//! Source: PCG XSL-RR 128/64 (O'Neill 2014) from `rand_pcg`; bounded integers after Lemire 2019,
//! "Fast random integer generation in an interval".

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng as _;

use crate::base::hash::{ContentHash, StateHash};

/// One stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Pcg64, u64);

impl Rng {
    /// The stream called `name` of a run with this `seed`. Different names are independent streams.
    #[must_use]
    pub fn stream(seed: u64, name: &str) -> Self {
        let mut hash = ContentHash::default();
        hash.text(name);
        let name_bits = hash.finish();
        let state = (u128::from(seed) << 64) | u128::from(name_bits.rotate_left(32) ^ seed);
        Self(Pcg64::new(state, u128::from(name_bits)), 0)
    }

    /// The same after so many numbers were drawn. Cost: the digits of that number.
    #[must_use]
    pub fn stream_after(seed: u64, name: &str, drawn: u64) -> Self {
        let mut stream = Self::stream(seed, name);
        stream.0.advance(u128::from(drawn));
        stream.1 = drawn;
        stream
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.1 = self.1.wrapping_add(1);
        self.0.next_u64()
    }

    /// How many numbers have been drawn: with seed and name, the whole state of the stream.
    #[must_use]
    pub fn drawn(&self) -> u64 {
        self.1
    }

    /// From 0 up to, not including, 1; a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// From `low` up to, not including, `high`; `low` when the range is empty.
    pub fn float(&mut self, low: f64, high: f64) -> f64 {
        let value = low + self.unit() * (high - low);
        // Rounding can reach the upper end when the range is narrow.
        if value < high { value } else { low }
    }

    /// A whole number from 0 up to, not including, `bound`; 0 when `bound` is 0. Every number is equally
    /// likely.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        let threshold = bound.wrapping_neg() % bound;
        // Bounded by chance: a round is repeated with probability under one half.
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }

    /// A whole number from `low` to `high`, both included; `low` when `high` is smaller.
    pub fn int(&mut self, low: i64, high: i64) -> i64 {
        if high <= low {
            return low;
        }
        let span = high.wrapping_sub(low) as u64;
        if span == u64::MAX {
            return self.bits() as i64;
        }
        low.wrapping_add(self.below(span + 1) as i64)
    }

    /// Whether something that happens with probability `p` (0 to 1) happens now.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Puts the list in a random order; all orders are equally likely (Fisher-Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// Mixes the state of this stream into `hash`.
    pub fn hash_into(&self, hash: &mut StateHash) {
        let mut ahead = self.0.clone();
        hash.word(ahead.next_u64()).word(self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_frozen_by_vectors() {
        let mut rng = Rng::stream(1, "guard");
        let drawn: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
        assert_eq!(drawn, FROZEN, "the numbers of a seed may never change");
        assert_eq!(rng.drawn(), 3);
    }

    #[test]
    fn a_stream_is_where_it_was_after_as_many_numbers() {
        let mut rng = Rng::stream(1, "guard");
        for drawn in 0..100 {
            assert_eq!(rng, Rng::stream_after(1, "guard", drawn));
            rng.bits();
        }
    }

    const FROZEN: [u64; 3] =
        [5_654_325_646_459_012_153, 16_725_475_197_449_583_879, 10_338_156_495_371_910_018];

    #[test]
    fn names_and_seeds_give_different_streams() {
        let first = Rng::stream(1, "guard").bits();
        assert_ne!(first, Rng::stream(1, "player").bits());
        assert_ne!(first, Rng::stream(2, "guard").bits());
    }

    #[test]
    fn ranges_keep_their_ends() {
        let mut rng = Rng::stream(7, "ranges");
        let mut seen = [0u32; 6];
        for _ in 0..6000 {
            let side = rng.int(1, 6);
            seen[side as usize - 1] += 1;
            let x = rng.float(-2.0, 3.0);
            assert!((-2.0..3.0).contains(&x));
        }
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "a fair die: {seen:?}");
        assert_eq!(rng.int(4, 4), 4);
        assert_eq!(rng.below(0), 0);
        let _ = rng.int(i64::MIN, i64::MAX);
    }

    #[test]
    fn shuffling_keeps_every_entry() {
        let mut rng = Rng::stream(3, "shuffle");
        let mut list: Vec<u32> = (0..50).collect();
        rng.shuffle(&mut list);
        assert_ne!(list, (0..50).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..50).collect::<Vec<_>>());
    }
}
