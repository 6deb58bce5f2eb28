//! Decodes base64.
//!
//! In: text in base64, white space anywhere, padding at the end or none. Out: the bytes, or what is wrong and
//! where. Holds: never more bytes than letters. Not here: what the bytes mean, and how many there may be.
//! Source: RFC 4648, section 4.

/// Why text is not base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base64Error {
    /// Completes a sentence that begins with the holder of the text.
    pub what: &'static str,
    /// Where in the text, as bytes from its begin; None at its end.
    pub at: Option<usize>,
}

/// The letters, by value.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as text, padded.
#[must_use]
pub fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// The bytes that a text stands for.
///
/// # Errors
/// What is wrong with it, and where.
pub fn bytes_of(text: &str) -> Result<Vec<u8>, Base64Error> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut held, mut padding) = (0u32, 0u32, 0);
    for (at, letter) in text.bytes().enumerate() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if padding < 2 => {
                padding += 1;
                continue;
            }
            _ if letter.is_ascii_whitespace() => continue,
            _ => 64,
        };
        if value == 64 || padding > 0 {
            let what =
                if padding > 0 { "goes on after its end" } else { "has a character that is none of base64" };
            return Err(Base64Error { what, at: Some(at) });
        }
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    // What is left over: 0, 2 or 4 bits of a last group, with as many padding characters; six mean a cut.
    let is_cut = bits == 6 || (padding > 0 && padding * 2 != bits) || held & ((1 << bits) - 1) != 0;
    if is_cut {
        return Err(Base64Error { what: "is base64 that was cut off or damaged at its end", at: None });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_standard_and_what_is_broken() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg", "foob"),
            (" Zm9v\nYmE= ", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ] {
            assert_eq!(bytes_of(text), Ok(bytes.as_bytes().to_vec()), "{text:?}");
        }
        for (text, at) in
            [("Zm9-", Some(3)), ("Zg==Zg", Some(4)), ("Zm9vY", None), ("Zh==", None), ("Zg=", None)]
        {
            assert_eq!(bytes_of(text).unwrap_err().at, at, "{text:?}");
        }
    }
}
