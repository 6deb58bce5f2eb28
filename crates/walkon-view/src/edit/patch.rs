//! Patches a JSON text and leaves the rest of it as it was written.
//!
//! In: a text, a list of changes, each at a JSON pointer. Out: the new text, or the change that is not
//! possible and what was expected. Holds: order, spaces, line breaks and the spelling of numbers of
//! everything that is not changed survive byte for byte; new values take the layout of their neighbours;
//! setting a list or an object changes only the differing parts. Not here: whether the text is a level
//! (`document`), how values are laid out (`layout`).

use std::ops::Range;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use walkon_runtime::base::ordered;

use super::json::{Json, by_key};
use super::layout::{Spot, TextShape, TextStyle, Width, Writer, column_at, indent_at, line_break};
use super::span::{Opened, index, open, root, tokens};

/// A value that differs in more places is written as a whole.
const STEPS_MAX: usize = 200;
/// Deepest place of a change.
const DEPTH_MAX: usize = 100;
/// Neighbours that are looked at for a model.
const MODELS_MAX: usize = 32;

/// A change to a text. As JSON `{"at": "/doors/0/open", "set": true}`, `{"at": "/characters/-", "insert":
/// {...}}` or `{"at": "/marks/well", "remove": true}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// JSON pointer (RFC 6901).
    pub at: String,
    /// What happens there.
    pub what: PatchKind,
}

/// What happens at a place of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum PatchKind {
    /// The value there becomes this one. A key that is not there yet is added, with the objects on the way to
    /// it.
    Set(Json),
    /// A new key of an object, or a new item of a list before the one of that index, `-` for the end. A list
    /// or an object that is not there yet is made.
    Insert(Json),
    /// The value goes, with its key, its comma and its line.
    Remove,
}

impl Change {
    /// The value there becomes this one.
    pub fn set(at: impl Into<String>, value: impl Into<Json>) -> Self {
        Self { at: at.into(), what: PatchKind::Set(value.into()) }
    }

    /// A new key or item.
    pub fn insert(at: impl Into<String>, value: impl Into<Json>) -> Self {
        Self { at: at.into(), what: PatchKind::Insert(value.into()) }
    }

    /// The value goes.
    pub fn remove(at: impl Into<String>) -> Self {
        Self { at: at.into(), what: PatchKind::Remove }
    }
}

impl<'de> Deserialize<'de> for Change {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Keys {
            at: String,
            #[serde(default, deserialize_with = "given")]
            set: Option<Json>,
            #[serde(default, deserialize_with = "given")]
            insert: Option<Json>,
            #[serde(default)]
            remove: bool,
        }
        // `null` is a value like any other here.
        fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
            Json::deserialize(deserializer).map(Some)
        }
        let Keys { at, set, insert, remove } = Keys::deserialize(deserializer)?;
        let what = match (set, insert, remove) {
            (Some(value), None, false) => PatchKind::Set(value),
            (None, Some(value), false) => PatchKind::Insert(value),
            (None, None, true) => PatchKind::Remove,
            _ => {
                return Err(serde::de::Error::custom("a change has one of set, insert and \"remove\": true"));
            }
        };
        Ok(Self { at, what })
    }
}

/// Why a text cannot be changed so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", if .at.is_empty() { "the text ".to_owned() } else { format!("{} ", .at) })]
pub struct PatchError {
    /// The pointer of the change.
    pub at: String,
    /// What is wrong there, and what was expected.
    pub what: String,
}

/// Carries out changes, one after the other, on a JSON text.
///
/// # Errors
/// The first change that is not possible. A text that is no JSON is refused whatever the changes.
pub fn patch(text: &str, changes: &[Change]) -> Result<String, PatchError> {
    let plain = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if let Err(error) = serde_json::from_str::<IgnoredAny>(plain) {
        return Err(PatchError { at: String::new(), what: format!("is not JSON: {error}") });
    }
    let mut patcher = Patcher { text: text.to_owned(), style: TextStyle::of(text) };
    for change in changes {
        patcher.change(change)?;
    }
    Ok(patcher.text)
}

struct Patcher {
    text: String,
    style: TextStyle,
}

/// How far a pointer leads.
struct PointerReach {
    /// The last value on its way.
    at: Range<usize>,
    /// How many of its tokens lead there.
    depth: usize,
}

/// A value of a text, and the pointer that leads there.
#[derive(Clone, Copy)]
struct ValuePlace<'p> {
    at: &'p Range<usize>,
    here: &'p str,
}

/// A value that becomes another.
#[derive(Clone, Copy)]
struct TurnedValue<'v> {
    old: &'v Json,
    new: &'v Json,
}

/// Something to be put into an object or a list.
#[derive(Clone, Copy)]
struct New<'v> {
    key: Option<&'v str>,
    value: &'v Json,
}

/// What makes one value of another.
#[derive(Default)]
struct ValuePatch {
    /// Values that are written as a whole.
    texts: Vec<NewText>,
    /// What comes and goes, afterwards and in this order.
    steps: Vec<Change>,
}

struct NewText {
    at: Range<usize>,
    text: String,
}

impl Patcher {
    fn change(&mut self, change: &Change) -> Result<(), PatchError> {
        let wrong = |what: String| PatchError { at: change.at.clone(), what };
        let Some(tokens) = tokens(&change.at) else {
            return Err(wrong("is not a JSON pointer, expected it to begin with /".to_owned()));
        };
        if tokens.len() > DEPTH_MAX {
            return Err(wrong(format!("is nested deeper than {DEPTH_MAX}")));
        }
        match &change.what {
            PatchKind::Set(value) => self.set(&tokens, value).map_err(wrong),
            PatchKind::Insert(value) => self.insert(&tokens, value).map_err(wrong),
            PatchKind::Remove => self.remove(&tokens).map_err(wrong),
        }
    }

    fn reach(&self, tokens: &[String]) -> PointerReach {
        let mut reach = PointerReach { at: root(&self.text), depth: 0 };
        for token in tokens {
            let Some(opened) = open(&self.text, &reach.at) else { break };
            let item = match self.first(&reach.at) {
                b'{' => opened.member(&self.text, token).map(|(_, item)| item),
                _ => index(token).and_then(|index| opened.items.get(index)),
            };
            let Some(item) = item else { break };
            reach = PointerReach { at: item.value.clone(), depth: reach.depth + 1 };
        }
        reach
    }

    /// A place of the text.
    fn spot(&self, at: usize, width: Width) -> Spot<'_> {
        Spot { indent: indent_at(&self.text, at), column: column_at(&self.text, at), width }
    }

    fn first(&self, at: &Range<usize>) -> u8 {
        self.text.as_bytes().get(at.start).copied().unwrap_or_default()
    }

    fn set(&mut self, tokens: &[String], value: &Json) -> Result<(), String> {
        let reach = self.reach(tokens);
        if reach.depth < tokens.len() {
            return self.add(tokens, &reach, value, Missing::Set);
        }
        let old =
            Json::read(&self.text[reach.at.clone()]).map_err(|error| format!("is not JSON: {error}"))?;
        let mut plan = ValuePatch::default();
        let place = ValuePlace { at: &reach.at, here: &pointer(tokens) };
        self.compare(&mut plan, place, TurnedValue { old: &old, new: value });
        if plan.steps.len() > STEPS_MAX {
            plan = ValuePatch { texts: vec![self.rewritten(&reach.at, value)], steps: Vec::new() };
        }
        ordered::sort_by_key(&mut plan.texts, |new| std::cmp::Reverse(new.at.start));
        for new in plan.texts {
            self.text.replace_range(new.at, &new.text);
        }
        for step in &plan.steps {
            self.change(step).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// The text that takes the place of a whole value.
    fn rewritten(&self, at: &Range<usize>, value: &Json) -> NewText {
        let writer = Writer { text: &self.text, style: &self.style };
        let spot = self.spot(at.start, Width::Usual);
        let model = writer.is_model(at, value).then_some(at);
        NewText { at: at.clone(), text: writer.value(value, model, spot) }
    }

    /// Finds out what makes one value of another, piece by piece where they are of one kind.
    fn compare(&self, plan: &mut ValuePatch, place: ValuePlace<'_>, values: TurnedValue<'_>) {
        let TurnedValue { old, new } = values;
        if old.is_same(new) {
            return;
        }
        let ValuePlace { at, here } = place;
        let opened = open(&self.text, at);
        match (old, new, opened) {
            (Json::Object(old), Json::Object(new), Some(opened)) if has_common(old, new) => {
                let (before, after) = (by_key(old), by_key(new));
                for ((key, old), item) in old.iter().zip(&opened.items) {
                    if let Some(&new) = after.get(key.as_str()) {
                        let place = ValuePlace { at: &item.value, here: &below(here, key) };
                        self.compare(plan, place, TurnedValue { old, new });
                    }
                }
                let gone = old.iter().filter(|(key, _)| !after.contains_key(key.as_str()));
                plan.steps.extend(gone.map(|(key, _)| Change::remove(below(here, key))));
                let come = new.iter().filter(|(key, _)| !before.contains_key(key.as_str()));
                plan.steps.extend(come.map(|(key, value)| Change::insert(below(here, key), value.clone())));
            }
            (Json::List(old), Json::List(new), Some(opened)) if !old.is_empty() && !new.is_empty() => {
                let is_same = |(a, b): &(&Json, &Json)| a.is_same(b);
                let begin = old.iter().zip(new).take_while(is_same).count();
                let both = old[begin..].iter().rev().zip(new[begin..].iter().rev());
                let end = both.take_while(is_same).count();
                let (old_end, new_end) = (old.len() - end, new.len() - end);
                for number in begin..old_end.min(new_end) {
                    let place = (&opened.items[number].value, below(here, &number.to_string()));
                    let values = TurnedValue { old: &old[number], new: &new[number] };
                    self.compare(plan, ValuePlace { at: place.0, here: &place.1 }, values);
                }
                let gone = (new_end.max(begin)..old_end).rev();
                plan.steps.extend(gone.map(|number| Change::remove(below(here, &number.to_string()))));
                let come = old_end.max(begin)..new_end;
                plan.steps.extend(
                    come.map(|number| Change::insert(below(here, &number.to_string()), new[number].clone())),
                );
            }
            _ => plan.texts.push(self.rewritten(at, new)),
        }
    }

    fn insert(&mut self, tokens: &[String], value: &Json) -> Result<(), String> {
        let Some((last, parents)) = tokens.split_last() else {
            return Err("has a value already, expected a place in a list or in an object".to_owned());
        };
        let reach = self.reach(parents);
        if reach.depth < parents.len() {
            return self.add(tokens, &reach, value, Missing::Insert);
        }
        let Some(opened) = open(&self.text, &reach.at) else { return Err(self.no_parent(&reach.at)) };
        let count = opened.items.len();
        if self.first(&reach.at) == b'{' {
            if opened.member(&self.text, last).is_some() {
                return Err("is there already, expected a new key".to_owned());
            }
            self.put(&reach.at, &opened, count, New { key: Some(last), value });
            return Ok(());
        }
        let number = if last == "-" { Some(count) } else { index(last) };
        match number.filter(|number| *number <= count) {
            Some(number) => self.put(&reach.at, &opened, number, New { key: None, value }),
            None => {
                return Err(format!("is not there: the list has {count} items, expected 0 to {count} or -"));
            }
        }
        Ok(())
    }

    /// Adds a key that is not there, and what lies on the way from it to a value.
    fn add(
        &mut self,
        tokens: &[String],
        reach: &PointerReach,
        value: &Json,
        missing: Missing,
    ) -> Result<(), String> {
        let Some(opened) = open(&self.text, &reach.at) else { return Err(self.no_parent(&reach.at)) };
        if self.first(&reach.at) != b'{' {
            let count = opened.items.len();
            return Err(format!("is not there: the list has {count} items, expected an index below {count}"));
        }
        let (key, rest) = (&tokens[reach.depth], &tokens[reach.depth + 1..]);
        let mut made = value.clone();
        for token in rest.iter().rev() {
            made = match token.as_str() {
                "-" if missing == Missing::Insert => Json::List(vec![made]),
                token if token == "-" || index(token).is_some() => {
                    let found = pointer(&tokens[..reach.depth]);
                    return Err(format!("is not there: \"{found}\" has no \"{key}\", expected a list in it"));
                }
                token => Json::Object(vec![(token.to_owned(), made)]),
            };
        }
        self.put(&reach.at, &opened, opened.items.len(), New { key: Some(key), value: &made });
        Ok(())
    }

    fn no_parent(&self, at: &Range<usize>) -> String {
        let kind = match self.first(at) {
            b'"' => "a text",
            b't' | b'f' => "true or false",
            b'n' => "null",
            _ => "a number",
        };
        format!("cannot be set: its parent is {kind}, expected a list or an object")
    }

    /// Puts something new before the item of a number, or after the last.
    fn put(&mut self, at: &Range<usize>, opened: &Opened, number: usize, new: New<'_>) {
        let writer = Writer { text: &self.text, style: &self.style };
        let Some(last) = opened.items.last() else {
            let text = self.only(at, opened, new);
            self.text.replace_range(at.clone(), &text);
            return;
        };
        let models = models(&writer, opened, number, new);
        let write_as = |model: Option<&Range<usize>>, spot: Spot<'_>| match new.key {
            Some(key) => writer.member(key, new.value, model, spot),
            None => writer.value(new.value, model, spot),
        };
        let write = |spot: Spot<'_>| {
            let text = write_as(models.nearest.as_ref(), spot);
            match &models.broken {
                // Too wide for one line: then as others that are.
                Some(broken) if text.contains('\n') => write_as(Some(broken), spot),
                _ => text,
            }
        };
        let separator = self.separator(opened, number);
        let shape = TextShape::of(&self.text, opened);
        // One line stays one line.
        let width = if shape == Some(TextShape::Lines) { Width::Usual } else { Width::Any };
        if let Some(next) = opened.items.get(number) {
            let here = next.key.start;
            let text = write(self.spot(here, width)) + &separator;
            self.text.insert_str(here, &text);
            return;
        }
        let here = last.value.end;
        let on_a_line = |separator: &str| {
            let indent = line_break(separator).unwrap_or_default().to_owned();
            let column = indent.chars().count();
            let text = write(Spot { indent: &indent, column, width: Width::Usual });
            format!("{separator}{text}")
        };
        let text = if line_break(&separator).is_some() {
            on_a_line(&separator)
        } else {
            let column = column_at(&self.text, here) + separator.len();
            let text = write(Spot { indent: indent_at(&self.text, last.key.start), column, width });
            if shape == Some(TextShape::Filled) && self.style.is_too_wide(column, &text) {
                on_a_line(&self.style.line_comma(indent_at(&self.text, last.key.start)))
            } else {
                separator + &text
            }
        };
        self.text.insert_str(here, &text);
    }

    /// The text of an object or a list that gets its first item.
    fn only(&self, at: &Range<usize>, opened: &Opened, new: New<'_>) -> String {
        let value = new.value.clone();
        let whole = match new.key {
            Some(key) => Json::Object(vec![(key.to_owned(), value)]),
            None => Json::List(vec![value]),
        };
        let writer = Writer { text: &self.text, style: &self.style };
        let spot = self.spot(at.start, Width::Usual);
        match self.text[opened.begin..opened.end].contains('\n') {
            true => writer.on_lines(&whole, spot),
            false => writer.value(&whole, None, spot),
        }
    }

    /// What stands between the item of a number and the one before it.
    fn separator(&self, opened: &Opened, number: usize) -> String {
        let items = &opened.items;
        let own = if items.len() > 1 {
            let number = number.clamp(1, items.len() - 1);
            &self.text[items[number - 1].value.end..items[number].key.start]
        } else {
            let first = items.first().map_or(opened.end, |item| item.key.start);
            let leading = &self.text[opened.begin..first];
            return line_break(leading)
                .map_or_else(|| self.style.comma().to_owned(), |indent| self.style.line_comma(indent));
        };
        match line_break(own) {
            // Blank lines are not repeated.
            Some(indent) if own.matches('\n').count() > 1 => self.style.line_comma(indent),
            _ => own.to_owned(),
        }
    }

    fn remove(&mut self, tokens: &[String]) -> Result<(), String> {
        let Some((last, parents)) = tokens.split_last() else {
            return Err("cannot be removed as a whole".to_owned());
        };
        let reach = self.reach(parents);
        let opened = open(&self.text, &reach.at).filter(|_| reach.depth == parents.len());
        let number = opened.as_ref().and_then(|opened| match self.first(&reach.at) {
            b'{' => opened.member(&self.text, last).map(|(number, _)| number),
            _ => index(last).filter(|number| *number < opened.items.len()),
        });
        let (Some(opened), Some(number)) = (opened, number) else {
            return Err("is not there, expected something to remove".to_owned());
        };
        let gone = self.gone(&opened, number);
        self.text.replace_range(gone, "");
        Ok(())
    }

    /// The bytes that go with an item.
    fn gone(&self, opened: &Opened, number: usize) -> Range<usize> {
        let items = &opened.items;
        let item = items[number].whole();
        let before = number.checked_sub(1).map(|number| items[number].value.end);
        match (before, items.get(number + 1)) {
            (None, None) => opened.begin..opened.end,
            (Some(before), None) => before..item.end,
            (before, Some(next)) => {
                let is_broken = |from: usize, to: usize| self.text[from..to].contains('\n');
                match before {
                    // The last one of a line leaves the next line where it is.
                    Some(before) if !is_broken(before, item.start) && is_broken(item.end, next.key.start) => {
                        before..item.end
                    }
                    _ => item.start..next.key.start,
                }
            }
        }
    }
}

/// What is to be done about a place that is not there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Set,
    Insert,
}

/// Neighbours of the same kind, which show how to lay out something new.
#[derive(Default)]
struct Models {
    /// The nearest.
    nearest: Option<Range<usize>>,
    /// The nearest that is broken into lines, where the nearest of all is not.
    broken: Option<Range<usize>>,
}

fn models(writer: &Writer<'_>, opened: &Opened, number: usize, new: New<'_>) -> Models {
    let items = &opened.items;
    let before = items[..number].iter().rev().take(MODELS_MAX);
    let near = before.chain(items[number..].iter().take(MODELS_MAX));
    let all: Vec<&Range<usize>> =
        near.map(|item| &item.value).filter(|at| writer.is_model(at, new.value)).collect();
    let is_flat = |at: &&&Range<usize>| !writer.text[(**at).clone()].contains('\n');
    let flat = all.iter().find(is_flat).copied();
    let broken = all.iter().find(|at| !is_flat(at)).copied();
    let first = all.first().copied();
    let nearest = match new.key {
        None => first,
        // The keys of an object hold different things, unless all of them hold the same.
        Some(_) => flat.or(first.filter(|_| all.len() > 1 && all.len() == items.len())),
    };
    let broken = broken.filter(|_| new.key.is_none() && nearest == flat);
    Models { nearest: nearest.cloned(), broken: broken.cloned() }
}

fn has_common(old: &[(String, Json)], new: &[(String, Json)]) -> bool {
    let (before, after) = (by_key(old), by_key(new));
    let is_twice = before.len() < old.len();
    !is_twice && before.keys().any(|key| after.contains_key(key))
}

/// The pointer of some tokens.
fn pointer(tokens: &[String]) -> String {
    tokens.iter().fold(String::new(), |pointer, token| below(&pointer, token))
}

/// The pointer of a key below another.
#[must_use]
pub fn below(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests;
