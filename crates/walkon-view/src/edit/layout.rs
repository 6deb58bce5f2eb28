//! The layout of a JSON text, and new values in the same layout.
//!
//! In: a text, a value, a value of the text to take as a model. Out: the text of the value. Holds: a value
//! takes the layout of its model: one line, an element a line, or lines that are filled; without a model
//! small things stay on one line. Not here: where it goes (`patch`).

use std::ops::Range;

use super::json::{Json, quoted};
use super::span::{Opened, key_of, open, skip_string};

/// A line that gets wider is broken where its model allows it,
const WIDTH: usize = 110;
/// or, in a file that has lines as wide as that, one that gets wider than this.
const WIDTH_MAX: usize = 140;
/// So many broken lists and objects, and no other ones, are the habit of a file.
const BROKEN_MIN: usize = 4;

/// What a text does everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextStyle {
    newline: &'static str,
    indent: String,
    comma: &'static str,
    colon: String,
    /// What stands inside the braces of an object on one line.
    brace: &'static str,
    /// The same for lists.
    bracket: &'static str,
    /// Characters of a line that is not broken.
    width: usize,
    /// Whether the text has lines at all.
    has_lines: bool,
    /// Whether nothing in it stays on one line.
    breaks_all: bool,
}

/// How an object or a list of the text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextShape {
    /// Without a line break between its items.
    Flat,
    /// An item a line.
    Lines,
    /// Several items on some lines.
    Filled,
}

impl TextStyle {
    /// The style of a text; what it does not show is as in the levels of this project.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let newline = match text.find('\n') {
            Some(at) if at > 0 && bytes.get(at - 1) == Some(&b'\r') => "\r\n",
            _ => "\n",
        };
        let mut seen = FirstOfKind::default();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let next = bytes.get(at + 1).copied().unwrap_or(b'\n');
            match byte {
                b'"' => {
                    at = skip_string(bytes, at);
                    continue;
                }
                b'{' | b'[' => seen.bracket(*byte, next),
                b',' if !matches!(next, b'\r' | b'\n') => _ = seen.comma.get_or_insert(next == b' '),
                b':' => _ = seen.colon.get_or_insert_with(|| colon_at(text, at)),
                _ => {}
            }
            at += 1;
        }
        let space = |is: Option<bool>, usual: bool| if is.unwrap_or(usual) { " " } else { "" };
        let has_lines = text.trim().contains('\n');
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or_default();
        Self {
            newline,
            indent: unit_of(text),
            comma: if seen.comma.unwrap_or(true) { ", " } else { "," },
            colon: seen.colon.unwrap_or_else(|| ": ".to_owned()),
            brace: space(seen.brace, true),
            bracket: space(seen.list, false),
            width: widest.clamp(WIDTH, WIDTH_MAX),
            has_lines,
            breaks_all: has_lines && seen.flat == 0 && seen.broken >= BROKEN_MIN,
        }
    }

    /// A comma and the beginning of a line.
    pub fn line_comma(&self, indent: &str) -> String {
        format!(",{}{indent}", self.newline)
    }

    /// A comma on a line.
    pub fn comma(&self) -> &'static str {
        self.comma
    }

    fn fits(&self, column: usize, text: &str) -> bool {
        !self.has_lines || column + text.chars().count() <= self.width
    }

    /// Whether a line of so many characters is too wide.
    pub fn is_too_wide(&self, column: usize, text: &str) -> bool {
        let first = text.split('\n').next().unwrap_or(text);
        !self.fits(column, first)
    }
}

/// What was seen first of each kind.
#[derive(Default)]
struct FirstOfKind {
    comma: Option<bool>,
    colon: Option<String>,
    brace: Option<bool>,
    list: Option<bool>,
    flat: usize,
    broken: usize,
}

impl FirstOfKind {
    fn bracket(&mut self, bracket: u8, next: u8) {
        match next {
            b'\r' | b'\n' => self.broken += 1,
            b'}' | b']' => {}
            _ => {
                self.flat += 1;
                let side = if bracket == b'{' { &mut self.brace } else { &mut self.list };
                _ = side.get_or_insert(next == b' ');
            }
        }
    }
}

/// The colon at a place with the spaces on its line around it.
fn colon_at(text: &str, at: usize) -> String {
    let before = text[..at].bytes().rev().take_while(|byte| *byte == b' ').count();
    let after = text[at + 1..].bytes().take_while(|byte| *byte == b' ').count();
    format!("{}:{}", " ".repeat(before.min(1)), " ".repeat(after.min(1)))
}

/// The spaces that a level of nesting adds.
fn unit_of(text: &str) -> String {
    let root = super::span::root(text);
    let first = open(text, &root).and_then(|opened| {
        let item = opened.items.first()?.key.start;
        line_break(&text[opened.begin..item]).map(str::to_owned)
    });
    let unit = first.unwrap_or_default();
    let own = indent_at(text, root.start);
    match unit.strip_prefix(own) {
        Some(more) if !more.is_empty() => more.to_owned(),
        _ => "  ".to_owned(),
    }
}

/// What follows the last line break of a space; None when it has none.
pub(super) fn line_break(space: &str) -> Option<&str> {
    let (_, last) = space.rsplit_once('\n')?;
    let end = last.find(|letter: char| !letter.is_whitespace()).unwrap_or(last.len());
    Some(&last[..end])
}

/// The space at the beginning of the line of a place.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let line = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let rest = &text[line..];
    let end = rest.find(|letter| !matches!(letter, ' ' | '\t')).unwrap_or(rest.len());
    &rest[..end]
}

/// The characters of the line before a place.
pub(super) fn column_at(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or(text);
    before.chars().rev().take_while(|letter| *letter != '\n').count()
}

impl TextShape {
    /// The shape of something that is open and has items.
    pub fn of(text: &str, opened: &Opened) -> Option<Self> {
        let first = opened.items.first()?;
        let is_broken = |from: usize, to: usize| text[from..to].contains('\n');
        let between = opened.items.windows(2);
        let breaks = between.filter(|pair| is_broken(pair[0].value.end, pair[1].key.start)).count();
        let all = opened.items.len() - 1;
        Some(match is_broken(opened.begin, first.key.start) {
            true if breaks == all => Self::Lines,
            false if breaks == 0 => Self::Flat,
            _ => Self::Filled,
        })
    }
}

/// A place that something new is written to.
#[derive(Clone, Copy)]
pub(super) struct Spot<'s> {
    /// The space that its line begins with.
    pub indent: &'s str,
    /// Characters of the line before it.
    pub column: usize,
    /// How wide lines may get there.
    pub width: Width,
}

/// How wide lines may get.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// As wide as people read easily; what is wider is broken.
    Usual,
    /// As wide as need be: what stands there stays on its line.
    Any,
}

/// Writes values into a text.
pub(super) struct Writer<'t> {
    pub text: &'t str,
    pub style: &'t TextStyle,
}

impl Writer<'_> {
    /// The text of a value at a place, laid out like a model of the same kind where there is one.
    pub fn value(&self, value: &Json, model: Option<&Range<usize>>, spot: Spot<'_>) -> String {
        match value {
            Json::List(items) if items.is_empty() => return "[]".to_owned(),
            Json::Object(members) if members.is_empty() => return "{}".to_owned(),
            Json::List(_) | Json::Object(_) => {}
            leaf => return leaf.leaf_text(),
        }
        let model = model.and_then(|at| Some((at, open(self.text, at)?)));
        let shape = model.as_ref().and_then(|(_, opened)| TextShape::of(self.text, opened));
        let opened = model.as_ref().map(|(_, opened)| opened);
        // Only where it may count: what is nested would else be written again and again.
        let flat = || self.flat(value, opened, Spot { width: Width::Any, ..spot });
        let is_wide = |at: &Range<usize>| {
            self.style.is_too_wide(column_at(self.text, at.start), &self.text[at.clone()])
        };
        match shape {
            Some(TextShape::Lines) => return self.lines(value, opened, spot),
            Some(TextShape::Flat) if model.as_ref().is_some_and(|(at, _)| is_wide(at)) => return flat(),
            None if self.style.breaks_all => return self.lines(value, None, spot),
            _ => {}
        }
        let flat = flat();
        if spot.width == Width::Any || self.style.fits(spot.column, &flat) {
            return flat;
        }
        match shape == Some(TextShape::Filled) || !holds_objects(value) {
            true => self.filled(value, opened, spot),
            false => self.lines(value, opened, spot),
        }
    }

    /// A member with its key.
    pub fn member(&self, key: &str, value: &Json, model: Option<&Range<usize>>, spot: Spot<'_>) -> String {
        let key = format!("{}{}", quoted(key), self.style.colon);
        let column = spot.column + key.chars().count();
        let value = self.value(value, model, Spot { column, ..spot });
        key + &value
    }

    /// The same with an item a line.
    pub fn on_lines(&self, value: &Json, spot: Spot<'_>) -> String {
        self.lines(value, None, spot)
    }

    fn flat(&self, value: &Json, model: Option<&Opened>, spot: Spot<'_>) -> String {
        let [open, close] = brackets(value);
        let pad = if open == '{' { self.style.brace } else { self.style.bracket };
        let mut text = format!("{open}{pad}");
        for number in 0..count(value) {
            if number > 0 {
                text.push_str(self.style.comma);
            }
            let column = spot.column + text.chars().rev().take_while(|letter| *letter != '\n').count();
            text.push_str(&self.child(value, number, model, Spot { column, ..spot }));
        }
        text.push_str(pad);
        text.push(close);
        text
    }

    fn lines(&self, value: &Json, model: Option<&Opened>, spot: Spot<'_>) -> String {
        let inner = format!("{}{}", spot.indent, self.style.indent);
        let [open, close] = brackets(value);
        let newline = self.style.newline;
        let place = Spot { indent: &inner, column: inner.chars().count(), width: Width::Usual };
        let items: Vec<String> = (0..count(value))
            .map(|number| format!("{newline}{inner}{}", self.child(value, number, model, place)))
            .collect();
        format!("{open}{}{newline}{}{close}", items.join(","), spot.indent)
    }

    fn filled(&self, value: &Json, model: Option<&Opened>, spot: Spot<'_>) -> String {
        let inner = format!("{}{}", spot.indent, self.style.indent);
        let [open, close] = brackets(value);
        let newline = self.style.newline;
        let mut text = format!("{open}{newline}{inner}");
        let begin = inner.chars().count();
        let mut column = begin;
        for number in 0..count(value) {
            let on_line = Spot { indent: &inner, column, width: Width::Any };
            let mut item = self.child(value, number, model, on_line);
            // A comma may follow.
            let width = self.style.comma.len() + item.chars().count() + 1;
            if column + width > self.style.width {
                if number > 0 {
                    text.push_str(&self.style.line_comma(&inner));
                }
                column = begin;
                item = self.child(value, number, model, Spot { column, width: Width::Usual, ..on_line });
            } else if number > 0 {
                text.push_str(self.style.comma);
                column += self.style.comma.len();
            }
            column = match item.rsplit_once('\n') {
                Some((_, last)) => last.chars().count(),
                None => column + item.chars().count(),
            };
            text.push_str(&item);
        }
        format!("{text}{newline}{}{close}", spot.indent)
    }

    fn child(&self, value: &Json, number: usize, model: Option<&Opened>, spot: Spot<'_>) -> String {
        match value {
            Json::List(items) => items.get(number).map_or_else(String::new, |item| {
                let models = model.into_iter().flat_map(|opened| &opened.items);
                let model = models.map(|item| &item.value).find(|at| self.is_model(at, item));
                self.value(item, model, spot)
            }),
            Json::Object(members) => members.get(number).map_or_else(String::new, |(key, item)| {
                let models = model.into_iter().flat_map(|opened| &opened.items);
                let mut models = models.filter(|other| self.is_model(&other.value, item));
                let is_named = |other: &&super::span::TextMember| {
                    key_of(self.text, other).is_some_and(|other| other == *key)
                };
                let model = models.find(is_named).map(|item| &item.value);
                self.member(key, item, model, spot)
            }),
            _ => String::new(),
        }
    }

    /// Whether a value of the text can show how another is laid out: it has something in the same brackets.
    pub fn is_model(&self, at: &Range<usize>, value: &Json) -> bool {
        let has = self.text.as_bytes().get(at.start).copied();
        value.is_filled()
            && has == value.bracket()
            && open(self.text, at).is_some_and(|opened| !opened.items.is_empty())
    }
}

/// Whether it is an object, or a list with objects in it.
fn holds_objects(value: &Json) -> bool {
    match value {
        Json::Object(_) => true,
        Json::List(items) => items.iter().any(|item| matches!(item, Json::Object(_))),
        _ => false,
    }
}

fn brackets(value: &Json) -> [char; 2] {
    if matches!(value, Json::Object(_)) { ['{', '}'] } else { ['[', ']'] }
}

fn count(value: &Json) -> usize {
    match value {
        Json::List(items) => items.len(),
        Json::Object(members) => members.len(),
        _ => 0,
    }
}
