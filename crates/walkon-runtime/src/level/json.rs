//! A JSON parser that keeps places: a value is a slice of the file, opened one level at a time.
//!
//! In: the bytes of a file. Out: [`JsonValue`]s, each with its text, its offset and its place in the tree,
//! read into numbers, names, lists and objects with one finding for each mistake. Holds: never panics, never
//! recurses deeper than the depth limit, never allocates for what the level does not use; `-0.0` is `0.0`.
//! Not here: which keys there are (`read`). Source: serde_json checks the syntax and cuts the slices
//! (`RawValue`), so there is one parser only.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::diagnostic::{Findings, Located, PendingDiagnostic, Span, code};
use super::numbers::Number;
use super::polygon;
use super::tile_layout::TileLayout;
use crate::base::ordered;
use crate::base::suggestions;

/// Deepest nesting of brackets in a level.
pub const DEPTH_MAX: usize = 32;
/// Largest level file, and largest file that a level may name, in bytes.
pub const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Most keys of one object: enough for every mark of a level, and bounded.
const MEMBERS_MAX: usize = 262_144;
/// Longest name, in bytes.
pub const NAME_BYTES_MAX: usize = 128;

/// Where a value stands in the tree: the way to it from the root.
#[derive(Clone, Copy)]
pub(crate) enum JsonPath<'p> {
    Root,
    Key(&'p JsonPath<'p>, &'p str),
    Index(&'p JsonPath<'p>, usize),
}

impl JsonPath<'_> {
    /// As a JSON pointer.
    pub(crate) fn pointer(&self) -> String {
        match self {
            JsonPath::Root => String::new(),
            JsonPath::Key(parent, key) => format!("{}/{}", parent.pointer(), escaped(key)),
            JsonPath::Index(parent, index) => format!("{}/{index}", parent.pointer()),
        }
    }

    /// As people write it: `characters[2].radius`.
    pub(crate) fn words(&self) -> String {
        match self {
            JsonPath::Root => "the level".to_owned(),
            JsonPath::Key(JsonPath::Root, key) => (*key).to_owned(),
            JsonPath::Key(parent, key) => format!("{}.{key}", parent.words()),
            JsonPath::Index(parent, index) => format!("{}[{index}]", parent.words()),
        }
    }
}

/// A key as it stands in a JSON pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A value: its text, where it begins in the file, and where it stands in the tree.
#[derive(Clone, Copy)]
pub(crate) struct JsonValue<'a, 'p> {
    pub text: &'a str,
    pub at: usize,
    pub place: &'p JsonPath<'p>,
}

/// A value of a list, or of an object without its key.
#[derive(Clone, Copy)]
pub(crate) struct JsonItem<'a> {
    pub text: &'a str,
    pub at: usize,
}

/// An entry of an object.
pub(crate) struct Member<'a> {
    pub key: Cow<'a, str>,
    pub key_item: JsonItem<'a>,
    pub value: JsonItem<'a>,
}

/// An object whose keys were checked.
pub(crate) struct Fields<'a, 'p> {
    pub node: JsonValue<'a, 'p>,
    members: Vec<Member<'a>>,
}

impl<'a> Fields<'a, '_> {
    pub(crate) fn get(&self, key: &str) -> Option<&Member<'a>> {
        self.members.iter().find(|member| member.key == key)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The value of a key, which stands at a place of the tree.
    pub(crate) fn value<'p>(&self, key: &str, place: &'p JsonPath<'p>) -> Option<JsonValue<'a, 'p>> {
        self.get(key).map(|member| JsonValue { text: member.value.text, at: member.value.at, place })
    }

    pub(crate) fn has_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.has(key))
    }
}

/// What the reading of a value depends on beside its text.
pub(crate) struct Around {
    /// Pairs of edges that may still be compared in search of crossings.
    pub pairs_left: usize,
    /// Stops that routes may still have.
    pub stops_left: usize,
    /// Whether outlines are those of obstacles, which may enclose nothing.
    pub is_obstacle: bool,
    /// Which tiles are neighbours.
    pub layout: TileLayout,
}

impl Default for Around {
    fn default() -> Self {
        let (pairs_left, layout) = (polygon::PAIRS_MAX, TileLayout::default());
        Self { pairs_left, stops_left: 0, is_obstacle: false, layout }
    }
}

/// Reads values and keeps what is wrong with them.
pub(crate) struct JsonReader<'f> {
    pub findings: &'f mut Findings,
    pub file: u16,
    pub around: Around,
}

impl<'f> JsonReader<'f> {
    /// A reader of one file.
    pub(crate) fn new(findings: &'f mut Findings, file: u16) -> Self {
        Self { findings, file, around: Around::default() }
    }
}

impl JsonReader<'_> {
    /// The root of a JSON text that begins `base` bytes into its file, or findings that say why there is
    /// none.
    pub(crate) fn root<'a>(&mut self, text: &'a str, base: usize) -> Option<JsonItem<'a>> {
        if let Some(at) = too_deep(text) {
            let at = base + at;
            self.reject(code::DEPTH, at..at + 1, format!("brackets are nested deeper than {DEPTH_MAX}"));
            return None;
        }
        match serde_json::from_str::<&RawValue>(text) {
            Ok(raw) => Some(item(text, base, raw.get())),
            Err(error) => {
                self.syntax(text, base, &error);
                None
            }
        }
    }

    /// The text of a file: UTF-8, not empty, without its byte order mark, and where it begins.
    pub(crate) fn decoded<'a>(&mut self, bytes: &'a [u8]) -> Option<(&'a str, usize)> {
        if bytes.len() as u64 > FILE_BYTES_MAX {
            self.reject(
                code::SIZE,
                0..0,
                format!("the file has {} bytes, the limit is {FILE_BYTES_MAX}", bytes.len()),
            );
            return None;
        }
        let wide = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
        if wide || bytes.iter().take(4).any(|byte| *byte == 0) {
            self.reject(
                code::ENCODING,
                0..bytes.len().min(2),
                "the file is not UTF-8 but looks like UTF-16 (byte 0)".to_owned(),
            );
            return None;
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let at = error.valid_up_to();
                let byte = bytes.get(at).copied().unwrap_or_default();
                self.reject(
                    code::ENCODING,
                    at..at + 1,
                    format!("byte {at} (0x{byte:02x}) is not UTF-8, expected UTF-8 text"),
                );
                return None;
            }
        };
        let (text, base) =
            text.strip_prefix('\u{FEFF}').map_or((text, 0), |rest| (rest, '\u{FEFF}'.len_utf8()));
        if base > 0 {
            let span = Span::new(self.file, 0, base);
            self.findings.warn(|| {
                PendingDiagnostic::new(
                    code::ENCODING,
                    span,
                    "the file begins with a byte order mark, which was skipped",
                )
                .help("save it as UTF-8 without a byte order mark")
            });
        }
        if text.trim().is_empty() {
            self.reject(code::EMPTY, 0..0, "the file is empty, expected a level".to_owned());
            return None;
        }
        Some((text, base))
    }

    fn reject(&mut self, code: &'static str, range: std::ops::Range<usize>, message: String) {
        let span = Span::new(self.file, range.start, range.end);
        self.findings.error(|| PendingDiagnostic::new(code, span, message));
    }

    fn syntax(&mut self, text: &str, base: usize, error: &serde_json::Error) {
        let at = byte_at(text, error.line(), error.column());
        let said = error.to_string();
        let said = said.split(" at line ").next().unwrap_or_default();
        let rest = text.get(at..).unwrap_or_default();
        let word: String =
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "+-.".contains(*c)).take(20).collect();
        let range = base + at..base + at + word.len().max(usize::from(at < text.len()));
        if matches!(
            word.trim_start_matches(['-', '+']).to_ascii_lowercase().as_str(),
            "nan" | "infinity" | "inf"
        ) {
            self.reject(
                code::NUMBER,
                range,
                format!("{word} is not a number of JSON, expected a finite number"),
            );
        } else if said == "trailing characters" {
            self.reject(
                code::TRAILING,
                range,
                "something stands after the end of the level, expected nothing".to_owned(),
            );
        } else {
            let span = Span::new(self.file, range.start, range.end);
            let help = unlike_json(text.get(..at).unwrap_or_default(), rest);
            self.findings.error(|| {
                let found = PendingDiagnostic::new(code::SYNTAX, span, format!("not JSON: {said}"));
                match help {
                    Some(help) => found.help(help),
                    None => found,
                }
            });
        }
    }

    pub(crate) fn span(&self, node: JsonValue<'_, '_>) -> Span {
        Span::new(self.file, node.at, node.at + node.text.len())
    }

    /// Where the value of a key stands, else where the object stands.
    pub(crate) fn span_of(&self, fields: &Fields<'_, '_>, key: &str) -> Span {
        fields.get(key).map_or(self.span(fields.node), |member| self.item_span(member.value))
    }

    fn item_span(&self, item: JsonItem<'_>) -> Span {
        Span::new(self.file, item.at, item.at + item.text.len())
    }

    /// An error at a value; `what` completes the sentence that begins with the value's place.
    pub(crate) fn error(&mut self, code: &'static str, node: JsonValue<'_, '_>, what: impl fmt::Display) {
        let span = self.span(node);
        self.findings.error(|| {
            PendingDiagnostic::new(code, span, format!("{} {what}", node.place.words()))
                .at(node.place.pointer())
        });
    }

    pub(crate) fn warn(&mut self, code: &'static str, node: JsonValue<'_, '_>, what: impl fmt::Display) {
        let span = self.span(node);
        self.findings.warn(|| {
            PendingDiagnostic::new(code, span, format!("{} {what}", node.place.words()))
                .at(node.place.pointer())
        });
    }

    fn wrong_type(&mut self, node: JsonValue<'_, '_>, expected: &str) {
        let span = self.span(node);
        self.findings.error(|| {
            let found = PendingDiagnostic::new(
                code::TYPE,
                span,
                format!("{} is {}, expected {expected}", node.place.words(), shown(node.text)),
            )
            .at(node.place.pointer());
            match node.text {
                "null" => found.help("leave the key out to get its default"),
                text if expected.contains("number") && quoted_number(text) => found.help("remove the quotes"),
                _ => found,
            }
        });
    }

    /// The entries of an object in the order of the text, duplicates reported and dropped.
    pub(crate) fn members<'a>(&mut self, node: JsonValue<'a, '_>, expected: &str) -> Option<Vec<Member<'a>>> {
        if !node.text.starts_with('{') {
            self.wrong_type(node, expected);
            return None;
        }
        let mut deserializer = serde_json::Deserializer::from_str(node.text);
        let (count, mut members) = deserializer.deserialize_map(Members { node }).unwrap_or_default();
        if count > MEMBERS_MAX {
            self.error(code::LIMIT, node, format!("has {count} keys, the limit is {MEMBERS_MAX}"));
            return None;
        }
        self.drop_duplicates(node, &mut members);
        Some(members)
    }

    fn drop_duplicates(&mut self, node: JsonValue<'_, '_>, members: &mut Vec<Member<'_>>) {
        let mut order: Vec<usize> = (0..members.len()).collect();
        ordered::sort_by(&mut order, |a, b| members[*a].key.cmp(&members[*b].key).then(a.cmp(b)));
        let mut again = vec![false; members.len()];
        for pair in order.windows(2) {
            let (first, second) = (&members[pair[0]], &members[pair[1]]);
            if first.key != second.key {
                continue;
            }
            again[pair[1]] = true;
            let (span, other) = (self.item_span(second.key_item), self.item_span(first.key_item));
            let key = &second.key;
            self.findings.error_beside(other, |place| {
                PendingDiagnostic::new(
                    code::DUPLICATE_KEY,
                    span,
                    format!("{} has the key \"{key}\" twice, first at {place}", node.place.words()),
                )
                .at(JsonPath::Key(node.place, key).pointer())
                .help("remove one of the two")
            });
        }
        let mut index = 0;
        members.retain(|_| {
            index += 1;
            !again[index - 1]
        });
    }

    /// An object with known keys: others are reported, with the nearest known key; `x-...` keys are free.
    pub(crate) fn fields<'a, 'p>(
        &mut self,
        node: JsonValue<'a, 'p>,
        known: &[&str],
    ) -> Option<Fields<'a, 'p>> {
        let fields = self.any_fields(node)?;
        self.know(&fields, known);
        Some(fields)
    }

    /// An object whose keys are not known yet.
    pub(crate) fn any_fields<'a, 'p>(&mut self, node: JsonValue<'a, 'p>) -> Option<Fields<'a, 'p>> {
        Some(Fields { node, members: self.members(node, "an object")? })
    }

    /// Reports the keys of an object that are not among those known.
    pub(crate) fn know(&mut self, fields: &Fields<'_, '_>, known: &[&str]) {
        let node = fields.node;
        for member in &fields.members {
            let key = member.key.as_ref();
            if known.contains(&key) || key.starts_with("x-") {
                continue;
            }
            let span = self.item_span(member.key_item);
            self.findings.error(|| {
                let whose = match node.place {
                    JsonPath::Root => String::new(),
                    place => format!(" in {}", place.words()),
                };
                let found = PendingDiagnostic::new(
                    code::UNKNOWN_FIELD,
                    span,
                    format!("unknown field \"{key}\"{whose}"),
                )
                .at(JsonPath::Key(node.place, key).pointer());
                found.help(suggestions::did_you_mean(key, known.iter().copied()).unwrap_or_else(|| {
                    let known = known.join(", ");
                    format!("known fields are {known}; a name that begins with \"x-\" is yours")
                }))
            });
        }
    }

    /// A key that may be left out.
    pub(crate) fn optional<'a, T>(
        &mut self,
        fields: &Fields<'a, '_>,
        key: &'static str,
        read: impl FnOnce(&mut Self, JsonValue<'a, '_>) -> Option<T>,
    ) -> Option<T> {
        let member = fields.get(key)?;
        let place = JsonPath::Key(fields.node.place, key);
        read(self, JsonValue { text: member.value.text, at: member.value.at, place: &place })
    }

    /// A key that must be there.
    pub(crate) fn required<'a, T>(
        &mut self,
        fields: &Fields<'a, '_>,
        key: &'static str,
        read: impl FnOnce(&mut Self, JsonValue<'a, '_>) -> Option<T>,
    ) -> Option<T> {
        if fields.has(key) {
            return self.optional(fields, key, read);
        }
        let node = fields.node;
        let span = Span::new(self.file, node.at, node.at + 1);
        self.findings.error(|| {
            PendingDiagnostic::new(
                code::MISSING_FIELD,
                span,
                format!("{} has no \"{key}\"", node.place.words()),
            )
            .at(node.place.pointer())
        });
        None
    }

    /// How many values a list has, and the first `kept_max` of them.
    pub(crate) fn items<'a>(
        &mut self,
        node: JsonValue<'a, '_>,
        expected: &str,
        kept_max: usize,
    ) -> Option<(usize, Vec<JsonItem<'a>>)> {
        if !node.text.starts_with('[') {
            self.wrong_type(node, expected);
            return None;
        }
        let mut deserializer = serde_json::Deserializer::from_str(node.text);
        Some(deserializer.deserialize_seq(Items { node, kept_max }).unwrap_or_default())
    }

    /// The values of a list of at most `count_max`, each read; those that cannot be read are left out.
    pub(crate) fn list<'a, T>(
        &mut self,
        node: JsonValue<'a, '_>,
        count_max: usize,
        mut read: impl FnMut(&mut Self, JsonValue<'a, '_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let (count, items) = self.items(node, "a list", count_max)?;
        if count > count_max {
            self.error(code::LIMIT, node, format!("has {count} entries, the limit is {count_max}"));
            return None;
        }
        let mut list = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let place = JsonPath::Index(node.place, index);
            list.extend(read(self, JsonValue { text: item.text, at: item.at, place: &place }));
        }
        Some(list)
    }

    /// A finite number; `expected` says what it counts, as in "a number of degrees".
    pub(crate) fn finite(&mut self, node: JsonValue<'_, '_>, expected: &str) -> Option<f64> {
        if !node.text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            self.wrong_type(node, expected);
            return None;
        }
        match node.text.parse::<f64>() {
            // Adding zero turns -0.0 into 0.0.
            Ok(value) if value.is_finite() => Some(value + 0.0),
            _ => {
                self.error(code::NUMBER, node, format!("is {}, expected a finite number", shown(node.text)));
                None
            }
        }
    }

    /// A number in its range.
    pub(crate) fn number(&mut self, node: JsonValue<'_, '_>, number: &Number) -> Option<f64> {
        let value = self.finite(node, &format!("a number{}", number.of_unit()))?;
        if number.holds(value) {
            return Some(value);
        }
        self.error(code::RANGE, node, format!("is {}, expected {}", shown(node.text), number.range()));
        None
    }

    /// A whole number in its range.
    pub(crate) fn whole(&mut self, node: JsonValue<'_, '_>, number: &Number) -> Option<u64> {
        let value = self.finite(node, &format!("a whole number{}", number.of_unit()))?;
        if number.holds(value) && value == value.trunc() {
            return Some(value as u64);
        }
        let range = number.range();
        self.error(code::RANGE, node, format!("is {}, expected a whole number, {range}", shown(node.text)));
        None
    }

    /// True or false.
    pub(crate) fn truth(&mut self, node: JsonValue<'_, '_>) -> Option<bool> {
        match node.text {
            "true" => Some(true),
            "false" => Some(false),
            _ => {
                self.wrong_type(node, "true or false");
                None
            }
        }
    }

    /// Any text.
    pub(crate) fn text<'a>(&mut self, node: JsonValue<'a, '_>, expected: &str) -> Option<Cow<'a, str>> {
        if !node.text.starts_with('"') {
            self.wrong_type(node, expected);
            return None;
        }
        let text = unquoted(node.text);
        if text.is_none() {
            self.error(code::ENCODING, node, "has half of a surrogate pair, expected whole characters");
        }
        text
    }

    /// A time of day such as `6:30`: minutes since midnight.
    pub(crate) fn time_of_day(&mut self, node: JsonValue<'_, '_>) -> Option<f64> {
        let text = self.text(node, "a time of day such as \"6:30\"")?;
        let minutes = crate::world::day::minute_of(&text);
        if minutes.is_none() {
            let what = format!("is {}, expected a time of day from \"0:00\" to \"23:59\"", shown(node.text));
            self.error(code::RANGE, node, what);
        }
        minutes
    }

    /// A name: not empty, at most 128 bytes, no control characters.
    pub(crate) fn name(&mut self, node: JsonValue<'_, '_>) -> Option<Located<String>> {
        let text = self.text(node, "a name")?;
        self.checked_name(&text, node)
    }

    /// The same for text that was taken out of its quotes already, such as a key.
    pub(crate) fn checked_name(&mut self, text: &str, node: JsonValue<'_, '_>) -> Option<Located<String>> {
        if text.len() > NAME_BYTES_MAX {
            let size = text.len();
            self.error(
                code::LIMIT,
                node,
                format!("is a name of {size} bytes, the limit is {NAME_BYTES_MAX}"),
            );
            return None;
        }
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            self.error(code::NAME, node, format!("is {}, expected a name", shown(node.text)));
            return None;
        }
        Some(Located::new(text.to_owned(), self.span(node)))
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        node: JsonValue<'_, '_>,
        choices: &[(&'static str, T)],
    ) -> Option<T> {
        let names = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let text = self.text(node, &format!("one of {names}"))?;
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == text) {
            return Some(*value);
        }
        let span = self.span(node);
        self.findings.error(|| {
            let words = node.place.words();
            PendingDiagnostic::new(
                code::CHOICE,
                span,
                format!("{words} is {}, expected one of {names}", shown(node.text)),
            )
            .at(node.place.pointer())
            .suggest(&text, choices.iter().map(|(name, _)| *name))
        });
        None
    }

    /// Plain data as it stands, every number finite, no key twice.
    pub(crate) fn plain(&mut self, node: JsonValue<'_, '_>) -> Option<serde_json::Value> {
        use serde_json::Value;
        match node.text.as_bytes().first() {
            Some(b'{') => {
                let members = self.members(node, "plain data")?;
                let mut map = serde_json::Map::new();
                for member in &members {
                    let place = JsonPath::Key(node.place, &member.key);
                    let child = JsonValue { text: member.value.text, at: member.value.at, place: &place };
                    map.insert(member.key.to_string(), self.plain(child)?);
                }
                Some(Value::Object(map))
            }
            Some(b'[') => self.list(node, usize::MAX, Self::plain).map(Value::Array),
            Some(b'"') => self.text(node, "text").map(|text| Value::String(text.into_owned())),
            Some(b't' | b'f') => self.truth(node).map(Value::Bool),
            Some(b'n') => Some(Value::Null),
            _ => {
                let value = self.finite(node, "a number")?;
                Some(node.text.parse::<i64>().map_or_else(|_| Value::from(value), Value::from))
            }
        }
    }
}

/// Reads an object: the number of its entries, and the entries up to the limit.
struct Members<'a, 'p> {
    node: JsonValue<'a, 'p>,
}

impl<'a> Visitor<'a> for Members<'a, '_> {
    type Value = (usize, Vec<Member<'a>>);

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut count, mut members) = (0, Vec::new());
        while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            count += 1;
            if count <= MEMBERS_MAX {
                members.push(Member {
                    key: unquoted(key.get()).unwrap_or(Cow::Borrowed(key.get())),
                    key_item: item(self.node.text, self.node.at, key.get()),
                    value: item(self.node.text, self.node.at, value.get()),
                });
            }
        }
        Ok((count, members))
    }
}

/// Reads a list: the number of its values, and the values up to a limit.
struct Items<'a, 'p> {
    node: JsonValue<'a, 'p>,
    kept_max: usize,
}

impl<'a> Visitor<'a> for Items<'a, '_> {
    type Value = (usize, Vec<JsonItem<'a>>);

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let (mut count, mut items) = (0, Vec::new());
        while let Some(value) = list.next_element::<&RawValue>()? {
            count += 1;
            if count <= self.kept_max {
                items.push(item(self.node.text, self.node.at, value.get()));
            }
        }
        Ok((count, items))
    }
}

/// What to do about text that other languages have and JSON has not: between what stands before and the rest.
fn unlike_json(before: &str, rest: &str) -> Option<&'static str> {
    let is_comma = |letter: &char| before.trim_end().ends_with(',') && matches!(letter, ']' | '}' | ',');
    match rest.chars().next() {
        Some('/') => Some("JSON has no comments; a key whose name begins with \"x-\" may hold one"),
        Some('\'') => Some("JSON has texts in double quotes"),
        Some(letter) if is_comma(&letter) => Some("remove the comma before it"),
        _ => None,
    }
}

/// The slice `part` of `whole` with its offset in the file, `whole` beginning at `base`.
fn item<'a>(whole: &'a str, base: usize, part: &'a str) -> JsonItem<'a> {
    let offset = part.as_ptr() as usize - whole.as_ptr() as usize;
    assert!(offset + part.len() <= whole.len(), "a raw value borrows from the text it was read from");
    JsonItem { text: part, at: base + offset }
}

/// The text of a JSON string, borrowed when it has no escapes. None for a lone half of a surrogate pair,
/// which no text can hold.
fn unquoted(quoted: &str) -> Option<Cow<'_, str>> {
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted);
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(quoted).ok().map(Cow::Owned)
}

/// A value as a sentence shows it: short, and objects and lists by kind.
pub(crate) fn shown(text: &str) -> String {
    match text.as_bytes().first() {
        Some(b'{') => "an object".to_owned(),
        Some(b'[') => "a list".to_owned(),
        _ if text.chars().count() > 40 => format!("{}...", text.chars().take(37).collect::<String>()),
        _ => text.to_owned(),
    }
}

fn quoted_number(text: &str) -> bool {
    text.starts_with('"') && unquoted(text).is_some_and(|inner| inner.trim().parse::<f64>().is_ok())
}

/// Where brackets first nest too deeply, found without recursion and before anything else reads the text.
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Some(at);
                }
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The byte that serde_json means by a line and a column (both from 1, the column in bytes), on a whole
/// character.
fn byte_at(text: &str, line: usize, column: usize) -> usize {
    let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    let start = std::iter::once(0).chain(starts).nth(line.saturating_sub(1)).unwrap_or(0);
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
