//! Shows values as rows for people: a name, a short text, and the contents in pages.
//!
//! In: values. Out: [`Variable`]s. Holds: tables are read raw and shown in the order of their keys; handles
//! are shown by their fields, read as a script would read them; a page looks at no more than it shows and the
//! keys of one table. Not here: keeping values for later questions (`paused`).

use std::collections::BTreeMap;

use mlua::{Lua, Table, Value};

use crate::base::value::PlainKey;
use crate::script::bind;
use crate::script::bind::table::EntryKind;
use crate::script::debug::handle_types;
use crate::script::vm::convert::describe;
use crate::script::vm::handles;
use crate::script::vm::shown::place_of;

/// Letters of a text that a row shows.
const LETTERS_MAX: usize = 500;
/// Entries of a table that a row names.
const GLANCE_MAX: usize = 4;
/// Letters of one entry among those.
const GLANCE_LETTERS_MAX: usize = 24;
/// Names of a table that are looked at, to be put in order.
const NAMES_MAX: usize = 100_000;

/// A named value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value, in a few words.
    pub value: String,
    /// Its type, as `typeof` says it.
    pub kind: String,
    /// What to ask for what is inside; 0 where nothing is.
    pub reference: u64,
    /// How many entries at 1, 2, 3 ... are inside.
    pub indexed: u64,
    /// How many others.
    pub named: u64,
}

impl Variable {
    /// The value; a text without its quotes.
    #[must_use]
    pub fn bare(&self) -> &str {
        match self.kind.as_str() {
            "string" => {
                self.value.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&self.value)
            }
            _ => &self.value,
        }
    }
}

/// Which entries are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PagePart {
    /// All.
    #[default]
    All,
    /// Those at 1, 2, 3 ...
    Indexed,
    /// All others.
    Named,
}

/// A page of entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Which.
    pub part: PagePart,
    /// How many to pass over.
    pub start: usize,
    /// How many to show; none for all.
    pub count: Option<usize>,
}

impl Page {
    pub(super) fn of<T>(self, all: impl Iterator<Item = T>) -> Vec<T> {
        all.skip(self.start).take(self.count.unwrap_or(usize::MAX)).collect()
    }
}

/// A value in a row, without a reference to what is inside.
pub(super) fn row(lua: &Lua, name: &str, value: &Value) -> Variable {
    let (indexed, named) = match value {
        Value::Table(table) => counts(table),
        _ => (0, fields(lua, value).len() as u64),
    };
    Variable {
        name: name.to_owned(),
        value: words(lua, value),
        kind: kind_of(value).to_owned(),
        reference: 0,
        indexed,
        named,
    }
}

/// What is inside a value.
pub(super) fn inside(lua: &Lua, value: &Value, page: Page) -> Vec<(String, Value)> {
    match value {
        Value::Table(table) => entries(lua, table, page),
        _ => page.of(fields(lua, value).into_iter().map(|name| {
            let read = read(lua, value, name);
            (name.to_owned(), read.unwrap_or_else(|why| text(lua, &format!("<{why}>"))))
        })),
    }
}

fn text(lua: &Lua, text: &str) -> Value {
    lua.create_string(text).map_or(Value::Nil, Value::String)
}

/// How many entries a table has at 1, 2, 3 ..., and how many others.
fn counts(table: &Table) -> (u64, u64) {
    let indexed = table.raw_len();
    let all = table.pairs::<Value, Value>().take(NAMES_MAX + indexed).count();
    let has_meta = usize::from(table.metatable().is_some());
    (indexed as u64, (all.saturating_sub(indexed) + has_meta) as u64)
}

fn entries(lua: &Lua, table: &Table, page: Page) -> Vec<(String, Value)> {
    let length = table.raw_len();
    let indexed =
        (1..=length).map(|at| (format!("[{at}]"), table.raw_get::<Value>(at).unwrap_or(Value::Nil)));
    match page.part {
        PagePart::Indexed => page.of(indexed),
        PagePart::Named => page.of(named(lua, table, length).into_iter()),
        PagePart::All => page.of(indexed.chain(named(lua, table, length))),
    }
}

/// The entries of a table that are none of its list, in order.
fn named(lua: &Lua, table: &Table, length: usize) -> Vec<(String, Value)> {
    let mut found: BTreeMap<(PlainKey, u64), (String, Value)> = BTreeMap::new();
    for (at, (key, value)) in table.pairs::<Value, Value>().flatten().take(NAMES_MAX + length).enumerate() {
        let (order, name) = match &key {
            Value::String(name) => {
                let name = name.to_string_lossy();
                (PlainKey::Name(name.clone()), name)
            }
            key => match whole(key) {
                Some(index) if index >= 1 && index as usize <= length => continue,
                Some(index) => (PlainKey::Index(index), format!("[{index}]")),
                None => {
                    let shown = format!("[{}]", words(lua, key));
                    (PlainKey::Name(shown.clone()), shown)
                }
            },
        };
        found.insert((order, at as u64), (name, value));
    }
    let meta = table.metatable().map(|meta| ("(metatable)".to_owned(), Value::Table(meta)));
    found.into_values().chain(meta).collect()
}

fn whole(key: &Value) -> Option<i64> {
    match key {
        Value::Integer(index) => Some(*index),
        Value::Number(number) if (*number as i64) as f64 == *number => Some(*number as i64),
        _ => None,
    }
}

/// The type of a value, as `typeof` says it.
fn kind_of(value: &Value) -> String {
    match value {
        Value::UserData(_) | Value::LightUserData(_) => {
            handle_types::type_of(value).unwrap_or("userdata").to_owned()
        }
        Value::Integer(_) => "number".to_owned(),
        other => other.type_name().to_owned(),
    }
}

/// The names of the fields of a handle, in the order of the reference.
fn fields(_: &Lua, value: &Value) -> Vec<&'static str> {
    let Some(kind) = handle_types::type_of(value) else { return Vec::new() };
    let own = bind::entries_of(kind).filter(|entry| entry.kind == EntryKind::Field);
    own.map(bind::table::Binding::name).collect()
}

/// A field of a handle.
fn read(lua: &Lua, value: &Value, name: &str) -> Result<Value, String> {
    let read = || -> mlua::Result<Value> {
        let machine = crate::script::vm::machine_of(lua);
        let shared = machine.and_then(|machine| machine.shared.get().cloned());
        let shared = shared.ok_or_else(|| mlua::Error::runtime("no globals"))?;
        let function = crate::script::vm::compiler::own_chunk(lua, &shared, "local a, b = ... return a[b]")?;
        function.call((value, name))
    };
    read().map_err(|error| crate::script::vm::fault::text_of_error(&error))
}

/// A value in a few words.
pub(super) fn words(lua: &Lua, value: &Value) -> String {
    match value {
        Value::Nil => "nil".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::String(text) => format!("\"{}\"", cut(&text.to_string_lossy(), LETTERS_MAX)),
        Value::Vector(v) => format!("vector({}, {}, {})", v.x(), v.y(), v.z()),
        Value::Table(table) => table_words(lua, table),
        Value::Function(function) => match place_of(function) {
            Some(place) => format!("function {}:{}", place.file, place.line),
            None => "function".to_owned(),
        },
        Value::Thread(_) => "a coroutine".to_owned(),
        Value::Buffer(buffer) => format!("buffer of {} bytes", buffer.len()),
        Value::UserData(_) | Value::LightUserData(_) if handle_types::type_of(value).is_some() => {
            handles::shown(lua, value).unwrap_or_else(|_| describe(value))
        }
        Value::Number(_) | Value::Integer(_) => value.to_string().unwrap_or_else(|_| describe(value)),
        other => describe(other),
    }
}

/// The first entries of a table.
fn table_words(lua: &Lua, table: &Table) -> String {
    let (indexed, named) = counts(table);
    let page = Page { count: Some(GLANCE_MAX), ..Page::default() };
    let glance = entries(lua, table, page).into_iter().map(|(name, value)| {
        let value = match &value {
            Value::Table(_) => "{...}".to_owned(),
            other => cut(&words(lua, other), GLANCE_LETTERS_MAX),
        };
        if name.starts_with('[') { value } else { format!("{name} = {value}") }
    });
    let mut shown: Vec<String> = glance.collect();
    let more = (indexed + named).saturating_sub(shown.len() as u64);
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    format!("{{{}}}", shown.join(", "))
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}
