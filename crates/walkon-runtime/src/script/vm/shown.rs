//! Shows values of scripts as data for people: results of a console, states in an inspector.
//!
//! In: any value. Out: plain data; a value that is not plain becomes a few words, and entries beyond the
//! limit are counted. Holds: read raw, so no code of a script runs; bounded, whatever the value; a table is
//! shown in the order of its keys, so equal tables look equal. Not here: data that the host keeps for scripts
//! (`payload`).

use std::collections::BTreeMap;

use glam::Vec3;
use mlua::{Function, Lua, Table, Value};

use crate::base::value::{Plain, PlainKey};
use crate::script::state::code_place::CodePlace;
use crate::script::vm::chunk_names::OWN_CHUNK;
use crate::script::vm::convert::describe;
use crate::script::vm::payload::Handles;

/// Tables inside tables that are shown.
const DEPTH_MAX: usize = 6;
/// Values that are shown of one value.
const VALUES_MAX: usize = 512;
/// Entries of a table that are shown.
const ENTRIES_MAX: usize = 64;
/// Entries of a table that are looked at.
const LOOKED_AT_MAX: usize = 4096;
/// Letters of a text that are shown.
const LETTERS_MAX: usize = 500;
/// Letters that are shown in all.
const LETTERS_IN_ALL_MAX: usize = 16_384;
/// Letters of a key that are shown.
const KEY_LETTERS_MAX: usize = 80;
/// Results of a call that are shown.
const RESULTS_MAX: usize = 32;

/// A value as data for people.
pub(crate) fn shown(lua: &Lua, value: &Value) -> Plain {
    Shower::new(lua).show(value)
}

/// The results of a call as data for people; together they are no larger than one value may be.
pub(crate) fn shown_results<'a>(lua: &Lua, results: impl Iterator<Item = &'a Value>) -> Vec<Plain> {
    let mut shower = Shower::new(lua);
    results.take(RESULTS_MAX).map(|value| shower.show(value)).collect()
}

/// Where a function begins; none for functions of the host.
pub(crate) fn place_of(function: &Function) -> Option<CodePlace> {
    let info = function.info();
    let line = u32::try_from(info.line_defined?).ok().filter(|line| *line > 0)?;
    let file = info.short_src.filter(|file| file != OWN_CHUNK)?;
    Some(CodePlace { file, line })
}

struct Shower {
    handles: Option<Handles>,
    values_left: usize,
    letters_left: usize,
    /// The tables around the value, by address: for cycles only, never shown, never ordered by.
    open: Vec<*const std::ffi::c_void>,
}

impl Shower {
    fn new(lua: &Lua) -> Self {
        let handles = lua.app_data_ref::<Handles>().map(|handles| *handles);
        Self { handles, values_left: VALUES_MAX, letters_left: LETTERS_IN_ALL_MAX, open: Vec::new() }
    }

    fn text(&mut self, text: &str) -> Plain {
        let shown = cut(text, LETTERS_MAX.min(self.letters_left));
        self.letters_left = self.letters_left.saturating_sub(shown.chars().count());
        Plain::Text(shown)
    }

    fn show(&mut self, value: &Value) -> Plain {
        self.values_left = self.values_left.saturating_sub(1);
        match value {
            Value::Boolean(value) => Plain::Bool(*value),
            Value::Integer(number) => Plain::Number(*number as f64),
            Value::Number(number) if number.is_finite() => Plain::Number(*number),
            Value::String(text) => self.text(&text.to_string_lossy()),
            Value::Vector(v) if Vec3::new(v.x(), v.y(), v.z()).is_finite() => {
                Plain::Vector(Vec3::new(v.x(), v.y(), v.z()))
            }
            Value::UserData(_) | Value::LightUserData(_) => {
                let plain = self.handles.and_then(|handles| (handles.read)(value));
                plain.unwrap_or_else(|| Plain::Text(describe(value)))
            }
            Value::Function(function) => Plain::Text(function_words(function)),
            Value::Thread(_) => Plain::Text("a coroutine".to_owned()),
            Value::Table(table) => self.show_table(table),
            other => Plain::Text(describe(other)),
        }
    }

    fn show_table(&mut self, table: &Table) -> Plain {
        if self.open.contains(&table.to_pointer()) {
            return Plain::Text("a table that holds this one".to_owned());
        }
        if self.open.len() >= DEPTH_MAX || self.values_left == 0 {
            return Plain::Text("a table".to_owned());
        }
        let ShownEntries { known: entries, mut left_out, is_cut } = ShownEntries::of(table);
        self.open.push(table.to_pointer());
        let mut shown = BTreeMap::new();
        for (key, value) in entries {
            if shown.len() >= ENTRIES_MAX || self.values_left == 0 {
                left_out += 1;
            } else {
                let value = self.show(&value);
                shown.insert(key, value);
            }
        }
        self.open.pop();
        let is_list =
            !shown.is_empty() && (1..).zip(shown.keys()).all(|(at, key)| *key == PlainKey::Index(at));
        if left_out > 0 || is_cut {
            let more = if is_cut { "and more".to_owned() } else { format!("and {left_out} more") };
            shown.insert(PlainKey::Name("...".to_owned()), Plain::Text(more));
        }
        if is_list { Plain::List(shown.into_values().collect()) } else { Plain::Map(shown) }
    }
}

/// What a table holds.
#[derive(Default)]
struct ShownEntries {
    /// What lies under names and whole numbers, in their order.
    known: BTreeMap<PlainKey, Value>,
    /// How many others there are, as far as the look went.
    left_out: u64,
    /// Whether there are more than were looked at.
    is_cut: bool,
}

impl ShownEntries {
    fn of(table: &Table) -> Self {
        let mut entries = Self::default();
        for (count, pair) in table.pairs::<Value, Value>().enumerate() {
            let Ok((key, value)) = pair else { break };
            entries.is_cut = count >= LOOKED_AT_MAX;
            if entries.is_cut {
                break;
            }
            match key_of(&key) {
                Some(key) => _ = entries.known.insert(key, value),
                None => entries.left_out += 1,
            }
        }
        entries
    }
}

fn key_of(key: &Value) -> Option<PlainKey> {
    match key {
        Value::Integer(index) => Some(PlainKey::Index(*index)),
        Value::Number(number) if (*number as i64) as f64 == *number => Some(PlainKey::Index(*number as i64)),
        Value::String(name) => Some(PlainKey::Name(cut(&name.to_string_lossy(), KEY_LETTERS_MAX))),
        _ => None,
    }
}

fn function_words(function: &Function) -> String {
    match place_of(function) {
        Some(place) => format!("a function ({}:{})", place.file, place.line),
        None => "a function".to_owned(),
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Plain {
        let lua = Lua::new();
        let value: Value = lua.load(text).set_name("=a.lua").eval().expect("the text is Lua");
        shown(&lua, &value)
    }

    #[test]
    fn what_is_not_plain_is_a_few_words_and_no_metamethod_is_asked() {
        let text = "local t = setmetatable({ n = 1 / 0, f = function() end, list = { 1, 'b', true } },
            { __index = error, __pairs = error, __tostring = error })
            t.me = t
            t[t] = 1
            return t";
        let word = |text: &str| Plain::Text(text.to_owned());
        let list = Plain::List(vec![Plain::Number(1.0), word("b"), Plain::Bool(true)]);
        let expected = Plain::map([
            ("...", word("and 1 more")),
            ("f", word("a function (a.lua:1)")),
            ("list", list),
            ("me", word("a table that holds this one")),
            ("n", word("infinity")),
        ]);
        assert_eq!(show(text), expected);
    }

    #[test]
    fn a_value_of_any_size_is_shown_in_bounded_size() {
        let wide = show("local t = {} for i = 1, 100000 do t[i] = ('x'):rep(10000) end return t");
        let Plain::List(values) = &wide else { panic!("a list was given") };
        assert_eq!(values.last(), Some(&Plain::Text("and more".to_owned())));
        assert!(wide.values() <= VALUES_MAX + ENTRIES_MAX && wide.bytes() < 80_000, "{}", wide.bytes());
        let deep = show("local t = {} for i = 1, 100 do t = { t, t, t } end return t");
        assert!(deep.values() <= 2 * VALUES_MAX, "{}", deep.values());
    }
}
