//! Keeps account of texts that make single instructions slow: long numbers, and long texts that begin alike.
//!
//! In: every text a script makes that is long enough to matter. Out: the cost of a safepoint from then on.
//! Holds: an instruction of the VM that takes a text for a number reads it to the end of its digits, and one
//! that compares two texts reads them as far as they are alike; neither passes a safepoint. So a text of very
//! many digits cannot be made, and as long as shorter ones or long texts that begin alike have been made,
//! each safepoint counts for as many as such instructions fit before it. The price only rises: it depends on
//! what was made, not on what the collector has freed. Not here: where texts are made (`fuel`), how many
//! instructions fit between two safepoints (`strides`).

use std::collections::BTreeMap;

use crate::base::hash::StateHash;

/// The most digits a text may begin with, counting four blanks as one.
pub(crate) const DIGITS_MAX: usize = 4096;

/// Digits that cost an instruction no more than a short number does.
const DIGITS_FREE: usize = 20;

/// Digits that are read in the time of a unit of fuel, as often as instructions fit into it.
const DIGITS_PER_UNIT: usize = 64;

/// Comparing texts shorter than this costs nothing that counts.
const LONG_BYTES: usize = 4096;

/// How much of two long texts must be alike before they count as twins.
const BEGINNING_BYTES: usize = 1024;

/// Bytes that are compared in the time of a unit of fuel, as often as instructions fit into it. 8 KiB: with
/// twice as many, a call that compares texts of a megabyte all along took up to 197 ms for its fuel, as long
/// as the watchdog waits.
const TWIN_BYTES_PER_UNIT: usize = 8 * 1024;

/// Beginnings that are remembered; then it begins again.
const BEGINNINGS_MAX: usize = 65536;

/// What is known of the texts of one VM.
#[derive(Clone, Debug, Default)]
pub(crate) struct Census {
    /// The most digits a text began with.
    digits: usize,
    /// The longest text that begins as another one does.
    twin_bytes: usize,
    /// Beginnings of long texts, and one of the texts that begin so: hashes of both.
    beginnings: BTreeMap<u64, u64>,
}

impl Census {
    /// Takes a text into account; false when it has more digits than any may have.
    pub(crate) fn add(&mut self, text: &[u8]) -> bool {
        let digits = digits(text);
        if digits > DIGITS_MAX {
            return false;
        }
        self.digits = self.digits.max(digits);
        if text.len() >= LONG_BYTES && text.len() > self.twin_bytes {
            self.add_long(text);
        }
        true
    }

    fn add_long(&mut self, text: &[u8]) {
        if self.beginnings.len() >= BEGINNINGS_MAX {
            self.beginnings.clear();
        }
        let (beginning, whole) = (hash(&text[..BEGINNING_BYTES]), hash(text));
        // A text that is made again is the same text.
        if *self.beginnings.entry(beginning).or_insert(whole) != whole {
            self.twin_bytes = text.len();
        }
    }

    /// The fuel of one safepoint.
    pub(crate) fn price(&self) -> u64 {
        let digits = if self.digits > DIGITS_FREE { 1 + self.digits / DIGITS_PER_UNIT } else { 0 };
        1 + (digits + self.twin_bytes / TWIN_BYTES_PER_UNIT) as u64
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hash = StateHash::default();
    hash.bytes(bytes);
    hash.finish()
}

/// How far a text is read when it is taken for a number, in digits: blanks are passed over four times as
/// fast.
fn digits(text: &[u8]) -> usize {
    let blanks = |from: usize| {
        text[from..].iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0b).count()
    };
    let before = blanks(0);
    let number = &text[before..];
    let signed = usize::from(matches!(number.first(), Some(b'+' | b'-')));
    let rest = &number[signed..];
    let is_word =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+' | b'-' | b'(' | b')');
    let is_decimal = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    let read = match rest {
        // `0x1f.8p3`, `nan(word)`: few texts begin like this, so all that may follow is counted.
        [b'0', b'x' | b'X', ..] | [b'n' | b'N', b'a' | b'A', b'n' | b'N', b'(', ..] => {
            rest.iter().take_while(|byte| is_word(byte)).count()
        }
        [b'0'..=b'9' | b'.', ..] => rest.iter().take_while(|byte| is_decimal(byte)).count(),
        _ => 0,
    };
    let after = if read > 0 { blanks(before + signed + read) } else { 0 };
    read + (before + after) / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(texts: &[&str]) -> u64 {
        let mut census = Census::default();
        assert!(texts.iter().all(|text| census.add(text.as_bytes())));
        census.price()
    }

    #[test]
    fn what_is_read_as_a_number_is_counted_as_far_as_it_is_read() {
        let cases = [
            ("", 0),
            ("guard", 0),
            ("12", 2),
            ("-1.5e+10", 7),
            ("  12", 2),
            ("12 paces", 2),
            ("0x1f.8p3", 8),
            ("nan(abc)", 8),
            ("nancy", 0),
            ("x12345678", 0),
            ("        x", 2),
            ("1        ", 3),
        ];
        for (text, read) in cases {
            assert_eq!(digits(text.as_bytes()), read, "{text:?}");
        }
    }

    #[test]
    fn the_price_grows_with_the_digits_a_text_begins_with_and_ends_at_a_bound() {
        let many = |count: usize| "1".repeat(count);
        let prices = [1, 20, 21, 64, 640, DIGITS_MAX].map(|count| price(&[&many(count)]));
        assert_eq!(prices, [1, 1, 2, 3, 12, 66]);
        assert!(!Census::default().add(many(DIGITS_MAX + 1).as_bytes()));
        assert_eq!(price(&[&format!("x{}", many(1 << 20))]), 1, "no number begins with a letter");
    }

    #[test]
    fn the_price_grows_with_the_length_of_long_texts_that_begin_alike() {
        let text = |count: usize, end: &str| format!("{}{end}", "x".repeat(count));
        assert_eq!(price(&[&text(1 << 20, "a")]), 1, "one text is compared with nothing");
        assert_eq!(price(&[&text(1 << 20, "a"), &text(1 << 20, "a")]), 1, "the same text again");
        assert_eq!(price(&[&text(1 << 20, "a"), &text(1 << 20, "b")]), 129);
        assert_eq!(price(&[&text(40_000, "a"), &text(40_000, "b")]), 5);
        assert_eq!(price(&[&format!("a{}", text(40_000, "")), &format!("b{}", text(40_000, ""))]), 1);
        assert_eq!(price(&[&text(4000, "a"), &text(4000, "b")]), 1, "short texts");
    }
}
