//! Definitions with `---@` annotations: for the Lua language server and EmmyLua.

use crate::script::bind;
use crate::script::bind::table::{ApiParam, Binding, EntryKind, Library, TableType};
use crate::script::types::{ProjectNames, entries_of, flat_place, luau_type, names_in_quotes, put};

/// What of Luau's own names the language server does not know.
const LUAU: &str = r"---A position or direction, metres.
---@class vector
---@field x number
---@field y number
---@field z number
---@operator add(vector): vector
---@operator sub(vector): vector
---@operator mul(number): vector
---@operator div(number): vector
---@operator unm: vector

---@class vectorlib
---@field zero vector
---@field one vector
---@field create fun(x: number, y: number, z: number?): vector
---@field magnitude fun(v: vector): number
---@field normalize fun(v: vector): vector
---@field dot fun(a: vector, b: vector): number
---@field cross fun(a: vector, b: vector): vector
---@field angle fun(a: vector, b: vector, axis: vector?): number
---@field floor fun(v: vector): vector
---@field ceil fun(v: vector): vector
---@field abs fun(v: vector): vector
---@field sign fun(v: vector): vector
---@field clamp fun(v: vector, low: vector, high: vector): vector
---@field max fun(...: vector): vector
---@field min fun(...: vector): vector
vector = {}

---Like `type`, and the name of the type for handles: `Character`.
---@param value any
---@return string
function typeof(value) end

";

/// Definitions for the Lua language server.
#[must_use]
pub fn lua_ls(names: &ProjectNames) -> String {
    let mut text = String::from(
        "---@meta walkon\n-- Definitions of walkon's API. Written by `walkon types`; changes here are lost.\n\n",
    );
    text.push_str(LUAU);
    for alias in bind::NAMES {
        let own = names_in_quotes(alias.name, names, "|");
        put(&mut text, format_args!("---{}\n---@alias {} {own}\n\n", alias.doc, alias.name));
    }
    for alias in bind::ALIASES {
        put(
            &mut text,
            format_args!("---{}\n---@alias {} {}\n\n", alias.doc, alias.name, annotated(alias.luau)),
        );
    }
    for shape in bind::shapes() {
        class_of_shape(&mut text, shape);
    }
    for group in bind::groups() {
        class_of_group(&mut text, group);
    }
    text.push_str("---One table for the level, shared by its scripts, plain data, kept over reloads.\n---@type table<any, any>\nstate = {}\n");
    text
}

/// A Luau type as annotations write it.
pub(crate) fn annotated(luau: &str) -> String {
    luau_type::read(luau).map_or_else(|| luau.to_owned(), |own| own.annotated())
}

fn class_of_shape(text: &mut String, shape: &TableType) {
    put(text, format_args!("---{}\n---@class {}\n", shape.doc, shape.name));
    for field in shape.fields {
        put(text, format_args!("---@field {} {}\n", optional(field), field_type(field)));
    }
    text.push('\n');
}

/// `name?` where it may be left out.
fn optional(param: &ApiParam) -> String {
    if param.is_optional() { format!("{}?", param.name) } else { param.name.to_owned() }
}

/// The type without its question mark, and what it means.
fn field_type(param: &ApiParam) -> String {
    let bare = param.luau.strip_suffix('?').unwrap_or(param.luau);
    let meaning = if param.doc.is_empty() { String::new() } else { format!(" {}", param.doc) };
    format!("{}{meaning}", annotated(bare))
}

fn class_of_group(text: &mut String, group: &Library) {
    let entries = entries_of(group);
    let class = if group.is_type { group.name.to_owned() } else { format!("walkon.{}", group.name) };
    put(text, format_args!("---{}\n---@class {class}\n", group.doc));
    for entry in entries.iter().filter(|entry| entry.kind == EntryKind::Field) {
        put(text, format_args!("---@field {} {} {}\n", entry.name(), annotated(entry.returns), entry.doc));
    }
    let table = if group.is_type { format!("local {}", group.name) } else { group.name.to_owned() };
    put(text, format_args!("{table} = {{}}\n\n"));
    for entry in entries.iter().filter(|entry| entry.kind != EntryKind::Field) {
        function(text, group, entry);
    }
}

fn function(text: &mut String, group: &Library, entry: &Binding) {
    put(text, format_args!("---{}\n", entry.doc));
    if entry.waits {
        text.push_str("---@async\n");
    }
    for param in entry.params {
        put(text, format_args!("---@param {} {}\n", optional(param), field_type(param)));
    }
    for returned in split(entry.returns) {
        put(text, format_args!("---@return {}\n", annotated(returned)));
    }
    if let Some(at) = flat_place(entry) {
        put(text, format_args!("---@overload {}\n", flat(group, entry, at)));
    }
    let names: Vec<&str> = entry.params.iter().map(|param| param.name).collect();
    let mark = if entry.kind == EntryKind::Method { ':' } else { '.' };
    put(text, format_args!("function {}{mark}{}({}) end\n\n", group.name, entry.name(), names.join(", ")));
}

/// The verb with x and z in place of a place.
fn flat(group: &Library, entry: &Binding, at: usize) -> String {
    let mut params = vec![format!("self: {}", group.name)];
    for (index, param) in entry.params.iter().enumerate() {
        if index == at {
            params.push("x: number".to_owned());
            params.push("z: number".to_owned());
        } else {
            params.push(format!("{}: {}", optional(param), annotated(param.luau.trim_end_matches('?'))));
        }
    }
    let returns: Vec<String> = split(entry.returns).into_iter().map(annotated).collect();
    let returned = if returns.is_empty() { String::new() } else { format!(": {}", returns.join(", ")) };
    format!("fun({}){returned}", params.join(", "))
}

/// The types of several results.
fn split(returns: &str) -> Vec<&str> {
    returns.split(", ").filter(|own| !own.is_empty()).collect()
}
