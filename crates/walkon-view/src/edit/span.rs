//! Finds the byte spans of values in a JSON text.
//!
//! In: a text that serde_json takes for JSON. Out: the bytes of a value, of the members of an object, of the
//! items of a list, one level at a time; the value of a pointer. Holds: never panics, whatever the text. Not
//! here: changing anything (`patch`).

use std::ops::Range;

/// An object or a list, opened.
pub(super) struct Opened {
    /// Past its opening bracket.
    pub begin: usize,
    /// At its closing bracket.
    pub end: usize,
    /// What is in it.
    pub items: Vec<TextMember>,
}

/// A member of an object or an item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextMember {
    /// The key with its quotes; empty, where the value begins, in lists.
    pub key: Range<usize>,
    /// The value.
    pub value: Range<usize>,
}

impl TextMember {
    /// The bytes of key and value.
    pub fn whole(&self) -> Range<usize> {
        self.key.start..self.value.end
    }
}

impl Opened {
    /// The last member of that name, as parsers take it, and its number.
    pub fn member(&self, text: &str, key: &str) -> Option<(usize, &TextMember)> {
        let is_key = |item: &&TextMember| key_of(text, item).is_some_and(|own| own == key);
        self.items.iter().rev().find(is_key).map(|item| (self.number(item), item))
    }

    fn number(&self, item: &TextMember) -> usize {
        self.items.iter().position(|other| other.key.start == item.key.start).unwrap_or(0)
    }
}

/// The key of a member, read.
pub(super) fn key_of(text: &str, item: &TextMember) -> Option<String> {
    serde_json::from_str(text.get(item.key.clone())?).ok()
}

/// The bytes of the whole value of a text: without byte order mark, and without space around it.
pub(super) fn root(text: &str) -> Range<usize> {
    let bytes = text.as_bytes();
    let begin = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let begin = skip_space(bytes, begin);
    begin..skip_value(bytes, begin)
}

/// The object or list at a place; None for other values.
pub(super) fn open(text: &str, at: &Range<usize>) -> Option<Opened> {
    let bytes = text.as_bytes();
    let is_object = match bytes.get(at.start)? {
        b'{' => true,
        b'[' => false,
        _ => return None,
    };
    let mut opened = Opened { begin: at.start + 1, end: at.end.saturating_sub(1), items: Vec::new() };
    let mut here = skip_space(bytes, opened.begin);
    while here < opened.end {
        let key = if is_object {
            let past = skip_string(bytes, here);
            let Some(value) = past_sign(bytes, past, b':') else { break };
            let key = here..past;
            here = value;
            key
        } else {
            here..here
        };
        let past = skip_value(bytes, here);
        if past <= here {
            break; // No JSON: nothing more can be told.
        }
        opened.items.push(TextMember { key, value: here..past });
        let Some(next) = past_sign(bytes, past, b',') else { break };
        here = next;
    }
    Some(opened)
}

/// What comes after a sign that comes next; None where it does not.
fn past_sign(bytes: &[u8], at: usize, sign: u8) -> Option<usize> {
    let at = skip_space(bytes, at);
    (bytes.get(at) == Some(&sign)).then(|| skip_space(bytes, at + 1))
}

/// The tokens of a JSON pointer; None when it is none.
pub(super) fn tokens(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let rest = pointer.strip_prefix('/')?;
    Some(rest.split('/').map(|token| token.replace("~1", "/").replace("~0", "~")).collect())
}

/// The index that a token of a pointer stands for.
pub(super) fn index(token: &str) -> Option<usize> {
    let is_plain =
        token == "0" || (!token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit()));
    token.parse().ok().filter(|_| is_plain)
}

/// The bytes of the value that a JSON pointer names.
///
/// The text must be JSON; what is not gives None or the place of something else.
#[must_use]
pub fn value_span(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut at = root(text);
    for token in tokens(pointer)? {
        let opened = open(text, &at)?;
        let item = match text.as_bytes().get(at.start) {
            Some(b'{') => opened.member(text, &token).map(|(_, item)| item),
            _ => opened.items.get(index(&token)?),
        };
        at = item?.value.clone();
    }
    Some(at)
}

/// The first byte from here on that is no space.
pub(super) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// Past the string that begins here.
pub(super) fn skip_string(bytes: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Past the value that begins here.
pub(super) fn skip_value(bytes: &[u8], begin: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = begin;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = skip_string(bytes, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            b',' | b' ' | b'\t' | b'\n' | b'\r' | b':' if depth == 0 => return at,
            _ => at += 1,
        }
        if depth == 0 && matches!(byte, b'"' | b'}' | b']') {
            return at;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use crate::edit::span::{tokens, value_span};

    #[test]
    fn pointers_find_the_bytes_of_values() {
        let text = "\u{FEFF} {\"a/b\" : [1, {\"c\\\"\": \"]}\" } ,[ ]], \"d\":-2.5e3 }\n";
        let at = |pointer| value_span(text, pointer).map(|span| &text[span]);
        assert_eq!(at("/a~1b/0"), Some("1"));
        assert_eq!(at("/a~1b/1/c\""), Some("\"]}\""));
        assert_eq!(at("/a~1b/2"), Some("[ ]"));
        assert_eq!(at("/d"), Some("-2.5e3"));
        assert_eq!(
            (at("/a~1b/3"), at("/a~1b/01"), at("/e"), at("/d/0"), at("d")),
            (None, None, None, None, None)
        );
        assert_eq!(tokens("/a~01").unwrap(), ["a~1"]);
    }

    #[test]
    fn what_is_no_json_is_survived() {
        for text in
            ["", "{", "[,,]", "{\"a\"", "[\"\\", "}{", "{:}", "[1 2", "{\"a\"\u{e9}1}", "[1\u{1F333}\"a\"]"]
        {
            for span in ["/a", "/0", ""].into_iter().filter_map(|pointer| value_span(text, pointer)) {
                assert!(text.get(span.clone()).is_some(), "{span:?} of {text:?}");
            }
        }
    }
}
