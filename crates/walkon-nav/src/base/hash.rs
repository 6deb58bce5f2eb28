//! 64-bit hashes: of states, tick after tick; of contents and names, the same in every version.
//!
//! In: words, numbers, text, in a fixed order. Out: 64 bits, the same on every machine. Holds: order and
//! length matter; -0.0 counts as 0.0; a NaN is a bug and says so in debug builds. [`ContentHash`] never
//! changes: baked files hold it, and random streams begin from it. [`StateHash`] is compared only within one
//! version, so it may change from one to the next. Not here: protection against deliberate collisions.
//! Source: the finaliser of splitmix64 (Steele, Lea, Flood 2014) over a running product; for states lanes
//! that are folded after a multiplication to 128 bits (as in wyhash, Wang Yi 2019).

use glam::Vec3;

/// Spreads every bit of `word` over all 64 bits (splitmix64).
#[must_use]
pub fn mix(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Both halves of the product with a number whose bits are evenly mixed: the low half spreads low bits
/// upwards, the high half high bits downwards.
#[inline]
fn fold(word: u64) -> u64 {
    let product = u128::from(word) * 0x9e37_79b9_7f4a_7c15;
    (product >> 64) as u64 ^ product as u64
}

/// Bytes by eights, the last ones filled up with zeros.
#[inline]
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let (whole, rest) = bytes.as_chunks::<8>();
    let last = (!rest.is_empty()).then(|| {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        word
    });
    whole.iter().copied().chain(last).map(u64::from_le_bytes)
}

/// The hash of a state under construction.
///
/// Words go round four lanes, so that no multiplication waits for the one before it. The lane that is next
/// stands first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHash([u64; 4]);

impl Default for StateHash {
    fn default() -> Self {
        // Digits of pi: each lane begins elsewhere, so that words in two lanes cannot change places.
        Self([0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89])
    }
}

impl StateHash {
    /// Mixes in 64 bits.
    #[inline]
    pub fn word(&mut self, word: u64) -> &mut Self {
        let [lane, second, third, fourth] = self.0;
        self.0 = [second, third, fourth, fold(lane ^ word)];
        self
    }

    /// Mixes in two numbers of at most 32 bits.
    #[inline]
    pub fn pair(&mut self, first: u32, second: u32) -> &mut Self {
        self.word(paired(first, second))
    }

    /// Mixes in a number, with -0.0 as 0.0.
    #[inline]
    pub fn number(&mut self, value: f64) -> &mut Self {
        debug_assert!(!value.is_nan(), "a NaN in the state is a bug");
        // -0.0 and 0.0 are 0.0, and every other number is itself.
        self.word((value + 0.0).to_bits())
    }

    /// Mixes in a single-precision number, with -0.0 as 0.0.
    #[inline]
    pub fn float(&mut self, value: f32) -> &mut Self {
        self.word(u64::from(bits(value)))
    }

    /// Mixes in single-precision numbers, two at a time: many in one call are cheaper than in several, and
    /// after an even number come to the same.
    #[inline]
    pub fn floats<const COUNT: usize>(&mut self, values: [f32; COUNT]) -> &mut Self {
        self.float_list(&values);
        self
    }

    /// Compiled in this crate, for speed, however its callers are.
    fn float_list(&mut self, values: &[f32]) {
        let (eights, rest) = values.as_chunks::<8>();
        for eight in eights {
            for (lane, &[first, second]) in self.0.iter_mut().zip(eight.as_chunks().0) {
                *lane = fold(*lane ^ paired(bits(first), bits(second)));
            }
        }
        for two in rest.chunks(2) {
            self.pair(bits(two[0]), two.get(1).map_or(0, |&second| bits(second)));
        }
    }

    /// Mixes in the three components of a vector.
    #[inline]
    pub fn vector(&mut self, value: Vec3) -> &mut Self {
        self.floats(value.to_array())
    }

    /// Mixes in a truth value.
    #[inline]
    pub fn flag(&mut self, value: bool) -> &mut Self {
        self.word(u64::from(value))
    }

    /// Mixes in up to 64 truth values at once.
    #[inline]
    pub fn flags<const COUNT: usize>(&mut self, values: [bool; COUNT]) -> &mut Self {
        const { assert!(COUNT <= 64) };
        self.word(packed(&values))
    }

    /// Mixes in bytes and their number.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.word(bytes.len() as u64);
        for word in words(bytes) {
            self.word(word);
        }
        self
    }

    /// Mixes in text and its length.
    #[inline]
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// The hash of all that was mixed in.
    #[must_use]
    pub fn finish(self) -> u64 {
        self.0.into_iter().fold(0, |whole: u64, lane| mix(whole.rotate_left(5) ^ lane))
    }
}

#[inline]
fn paired(first: u32, second: u32) -> u64 {
    u64::from(first) | u64::from(second) << 32
}

/// Up to 64 truth values in one word, the first in the lowest bit. Compiled in this crate, for speed, however
/// its callers are.
fn packed(values: &[bool]) -> u64 {
    // Brings the bytes' lowest bits into the highest byte, each to a place of its own.
    let bits = |bytes: [u8; 8]| u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let (eights, rest) = values.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(byte, &value)| *byte = u8::from(value));
    let whole = eights.iter().map(|eight| bits(eight.map(u8::from)));
    let last = (!rest.is_empty()).then(|| bits(last));
    whole.chain(last).zip((0..).step_by(8)).fold(0, |word, (byte, shift)| word | byte << shift)
}

/// The bits of a number, with -0.0 as 0.0.
#[inline]
fn bits(value: f32) -> u32 {
    debug_assert!(!value.is_nan(), "a NaN in the state is a bug");
    (value + 0.0).to_bits()
}

/// The hash of a content under construction: of files, of names that random streams have. It stays as it is
/// for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentHash(u64);

impl Default for ContentHash {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl ContentHash {
    /// Mixes in 64 bits.
    pub fn word(&mut self, word: u64) -> &mut Self {
        self.0 = mix(self.0.rotate_left(5) ^ word);
        self
    }

    /// Mixes in bytes and their number.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.word(bytes.len() as u64);
        for word in words(bytes) {
            self.word(word);
        }
        self
    }

    /// Mixes in text and its length.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// The hash of all that was mixed in.
    #[must_use]
    pub fn finish(self) -> u64 {
        mix(self.0)
    }
}

/// A sum over bytes that were written at one time and are read at another, several bytes a clock: for what is
/// long and only to be found whole. It stays as it is for good.
#[must_use]
pub fn sum_of(bytes: &[u8]) -> u64 {
    let mut lanes =
        [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89];
    let (whole, rest) = bytes.as_chunks::<32>();
    for chunk in whole {
        for (lane, word) in lanes.iter_mut().zip(words(chunk)) {
            *lane = fold(*lane ^ word);
        }
    }
    for (lane, word) in lanes.iter_mut().zip(words(rest)) {
        *lane = fold(*lane ^ word);
    }
    lanes.into_iter().fold(bytes.len() as u64, |whole, lane| mix(whole.rotate_left(5) ^ lane))
}

/// The hash of a file's bytes, as traces and baked files record it.
#[must_use]
pub fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hash = ContentHash::default();
    hash.bytes(bytes);
    hash.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn of(build: impl FnOnce(&mut StateHash)) -> u64 {
        let mut hash = StateHash::default();
        build(&mut hash);
        hash.finish()
    }

    fn of_words(words: &[u64]) -> u64 {
        of(|hash| words.iter().for_each(|&word| _ = hash.word(word)))
    }

    /// Random states of up to `most` words.
    fn states(count: usize, most: usize) -> Vec<Vec<u64>> {
        let mut last = 7;
        let mut next = move || {
            last = mix(last);
            last
        };
        (0..count).map(|_| (0..1 + next() as usize % most).map(|_| next()).collect()).collect()
    }

    #[test]
    fn order_length_and_value_matter() {
        let base = of_words(&[1, 2]);
        assert_ne!(base, of_words(&[2, 1]));
        assert_ne!(base, of_words(&[1]));
        let texts = |first: &str, second: &str| of(|hash| _ = hash.text(first).text(second));
        assert_ne!(texts("ab", "c"), texts("a", "bc"));
    }

    #[test]
    fn any_two_words_that_change_places_change_the_hash() {
        for words in states(200, 24) {
            let base = of_words(&words);
            for first in 0..words.len() {
                for second in first + 1..words.len() {
                    let mut swapped = words.clone();
                    swapped.swap(first, second);
                    assert_ne!(of_words(&swapped), base, "{first} and {second} of {words:?}");
                }
            }
        }
    }

    #[test]
    fn zeros_at_either_end_change_the_hash() {
        let mut seen = BTreeMap::new();
        for words in states(100, 12).iter().chain([&Vec::new()]) {
            for (before, after) in (0..6).flat_map(|before| (0..6).map(move |after| (before, after))) {
                let padded = [vec![0; before], words.clone(), vec![0; after]].concat();
                let other = seen.insert(of_words(&padded), padded.clone());
                assert!(
                    other.as_ref().is_none_or(|other| *other == padded),
                    "{other:?} is hashed like {padded:?}"
                );
            }
        }
    }

    /// Avalanche: whichever bit of whichever word is flipped, about half of the hash flips.
    #[test]
    fn one_flipped_bit_flips_half_of_the_hash() {
        let states = states(200, 16);
        let mut flips = [[0u32; 64]; 64];
        let mut samples = 0;
        for words in &states {
            let base = of_words(words);
            for at in 0..words.len() {
                samples += 1;
                for (bit, counts) in flips.iter_mut().enumerate() {
                    let mut flipped = words.clone();
                    flipped[at] ^= 1 << bit;
                    let changed = of_words(&flipped) ^ base;
                    assert!(changed.count_ones() >= 8, "bit {bit} of word {at} of {words:?}: {changed:016x}");
                    counts
                        .iter_mut()
                        .enumerate()
                        .for_each(|(to, count)| *count += (changed >> to & 1) as u32);
                }
            }
        }
        for (bit, counts) in flips.iter().enumerate() {
            for (to, &count) in counts.iter().enumerate() {
                let part = f64::from(count) / f64::from(samples);
                assert!((0.4..0.6).contains(&part), "bit {bit} flips bit {to} of the hash in {part:.2}");
            }
        }
    }

    /// What simulations do: small whole numbers and floats. Two of them change by little at once.
    #[test]
    fn two_small_changes_do_not_cancel_out() {
        let base: Vec<u64> = (0..12).map(|at| u64::from((at as f32).to_bits())).collect();
        let mut seen = BTreeMap::new();
        for first in 0..base.len() {
            for second in first..base.len() {
                for (low, high) in (0..64).flat_map(|low| (0..64).map(move |high| (low, high))) {
                    let mut words = base.clone();
                    words[first] ^= 1 << low;
                    words[second] ^= 1 << high;
                    let other = seen.insert(of_words(&words), words.clone());
                    assert!(other.as_ref().is_none_or(|other| *other == words), "{words:x?} like {other:x?}");
                }
            }
        }
    }

    #[test]
    fn signed_zeros_are_one_value() {
        assert_eq!(of(|h| _ = h.number(0.0)), of(|h| _ = h.number(-0.0)));
        assert_eq!(of(|h| _ = h.float(0.0)), of(|h| _ = h.float(-0.0)));
        assert_eq!(of(|h| _ = h.vector(Vec3::ZERO)), of(|h| _ = h.vector(-Vec3::ZERO)));
        for value in [f32::MIN_POSITIVE, 1e-45, -1e-45, 1.0, f32::INFINITY] {
            assert_eq!(bits(value), value.to_bits(), "every other number is itself");
        }
    }

    #[test]
    fn lists_are_their_values_one_by_one() {
        let values: Vec<f32> = (0..37).map(|at| (at as f32 - 9.0) / 7.0).collect();
        for count in 0..values.len() {
            let values = &values[..count];
            let whole = of(|hash| {
                hash.word(3);
                hash.float_list(values);
            });
            let by_two = of(|hash| {
                hash.word(3);
                for two in values.chunks(2) {
                    hash.pair(bits(two[0]), two.get(1).map_or(0, |&second| bits(second)));
                }
            });
            assert_eq!(whole, by_two, "{count} numbers");
            let flags: Vec<bool> = (0..count).map(|at| mix(at as u64) & 1 == 1).collect();
            let word = flags.iter().rev().fold(0, |word, &flag| word << 1 | u64::from(flag));
            assert_eq!(packed(&flags), word, "{count} truth values");
        }
    }

    #[test]
    fn flags_each_count() {
        let all: Vec<u64> =
            (0..16u8).map(|set| of(|h| _ = h.flags([0, 1, 2, 3].map(|bit| set >> bit & 1 == 1)))).collect();
        let one_by_one: std::collections::BTreeSet<u64> = all.iter().copied().collect();
        assert_eq!(one_by_one.len(), 16);
    }

    /// Traces and baked files of other machines, and of former versions for content, hold these.
    #[test]
    fn hashes_are_frozen_by_vectors() {
        assert_eq!(of_bytes(b"walkon"), FROZEN_CONTENT);
        assert_eq!(of(|h| _ = h.word(1).float(2.5).text("walkon").flag(true)), FROZEN_STATE);
    }

    #[test]
    fn any_changed_bit_and_any_cut_changes_a_sum() {
        let bytes: Vec<u8> = (0..200).map(|at| mix(at) as u8).collect();
        let mut seen = BTreeMap::new();
        for end in 0..=bytes.len() {
            assert_eq!(seen.insert(sum_of(&bytes[..end]), end), None);
        }
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(seen.insert(sum_of(&changed), bit), None);
        }
        let mut padded = bytes.clone();
        padded.push(0);
        assert_eq!(seen.insert(sum_of(&padded), 0), None);
        assert_eq!(sum_of(b"walkon"), FROZEN_SUM);
    }

    const FROZEN_SUM: u64 = 14_124_550_992_911_554_088;
    const FROZEN_CONTENT: u64 = 15_917_304_191_757_961_054;
    const FROZEN_STATE: u64 = 3_757_211_920_669_713_745;
}
