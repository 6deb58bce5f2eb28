//! The 64-bit hash of a state: the same fields in the same order give the same number everywhere.
//!
//! In: words, numbers, text, in a fixed order. Out: 64 bits. Holds: order and length matter; -0.0
//! counts as 0.0; a NaN is a bug and says so in debug builds. Not here: protection from an
//! attacker who wants collisions.
//! Source: the finaliser of splitmix64 (Steele, Lea, Flood 2014) over a running product.

use glam::Vec3;

/// A hash under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHash(u64);

impl Default for StateHash {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

/// Spreads every bit of `word` over all 64 bits (splitmix64).
#[must_use]
pub fn mix(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl StateHash {
    /// Mixes in 64 bits.
    pub fn word(&mut self, word: u64) -> &mut Self {
        self.0 = mix(self.0.rotate_left(5) ^ word);
        self
    }

    /// Mixes in a number, with -0.0 as 0.0.
    pub fn number(&mut self, value: f64) -> &mut Self {
        debug_assert!(!value.is_nan(), "a NaN in the state is a bug");
        self.word(if value == 0.0 { 0 } else { value.to_bits() })
    }

    /// Mixes in a single-precision number, with -0.0 as 0.0.
    pub fn float(&mut self, value: f32) -> &mut Self {
        self.number(f64::from(value))
    }

    /// Mixes in the three components of a vector.
    pub fn vector(&mut self, value: Vec3) -> &mut Self {
        self.float(value.x).float(value.y).float(value.z)
    }

    /// Mixes in a truth value.
    pub fn flag(&mut self, value: bool) -> &mut Self {
        self.word(u64::from(value))
    }

    /// Mixes in bytes and their number.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.word(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
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

/// The hash of a file's bytes, as traces and baked files record it.
#[must_use]
pub fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hash = StateHash::default();
    hash.bytes(bytes);
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(build: impl FnOnce(&mut StateHash)) -> u64 {
        let mut hash = StateHash::default();
        build(&mut hash);
        hash.finish()
    }

    #[test]
    fn order_length_and_value_matter() {
        let base = of(|h| {
            h.word(1).word(2);
        });
        assert_ne!(
            base,
            of(|h| {
                h.word(2).word(1);
            })
        );
        assert_ne!(
            base,
            of(|h| {
                h.word(1);
            })
        );
        assert_ne!(
            of(|h| {
                h.text("ab").text("c");
            }),
            of(|h| {
                h.text("a").text("bc");
            })
        );
    }

    #[test]
    fn one_flipped_bit_changes_the_hash() {
        for bit in 0..64 {
            assert_ne!(
                of(|h| {
                    h.word(0);
                }),
                of(|h| {
                    h.word(1 << bit);
                }),
                "bit {bit}"
            );
        }
    }

    #[test]
    fn signed_zeros_are_one_value() {
        assert_eq!(
            of(|h| {
                h.number(0.0);
            }),
            of(|h| {
                h.number(-0.0);
            })
        );
    }
}
