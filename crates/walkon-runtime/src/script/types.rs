//! Editor definitions and the API list, generated from the registration table.
//!
//! In: the table, the names of a project. Out: `walkon.d.luau` for luau-lsp, `walkon.d.lua` for the Lua
//! language server and EmmyLua, and the pages of the reference. Holds: nothing here knows a function by name;
//! the same table and names give the same text. Not here: writing files.

mod annotated;
pub mod luau_type;
mod reference;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::script::bind;
use crate::script::bind::table::{ApiParam, Binding, EntryKind, Library, TableType};

pub use annotated::lua_ls;
pub use reference::reference;

/// Names of things in a project, by the type whose values they are: `DoorName`.
pub type ProjectNames = BTreeMap<&'static str, BTreeSet<String>>;

/// Files that `walkon types` writes: name and text. A type of names that `names` has lists them, so that an
/// editor underlines a name that is none; the others are any text.
#[must_use]
pub fn files(names: &ProjectNames) -> Vec<(&'static str, String)> {
    vec![("walkon.d.luau", luau(names)), ("walkon.d.lua", lua_ls(names))]
}

/// What a type of names stands for: the names in quotes between bars; any text when none is known.
fn names_in_quotes(kind: &str, names: &ProjectNames, bar: &str) -> String {
    // What cannot stand in quotes as it is would need the escapes of two languages: such a name is rare, and
    // then any text is right.
    let plain = |name: &String| !name.contains(['"', '\\']) && !name.contains(char::is_control);
    match names.get(kind) {
        Some(list) if !list.is_empty() && list.iter().all(plain) => {
            list.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(bar)
        }
        _ => "string".to_owned(),
    }
}

/// Definitions for luau-lsp, in Luau's own syntax: what both solvers of Luau's analysis take
/// (`tools/typecheck` asks both). So nothing says `read`, which the old one refuses, and no member stands
/// twice.
#[must_use]
pub fn luau(names: &ProjectNames) -> String {
    let mut text = String::from(
        "-- Definitions of walkon's API for luau-lsp. Written by `walkon types`; changes here are lost.\n\n",
    );
    for alias in bind::NAMES {
        let own = names_in_quotes(alias.name, names, " | ");
        put(&mut text, format_args!("-- {}\nexport type {} = {own}\n\n", alias.doc, alias.name));
    }
    for alias in bind::ALIASES {
        let own = taking_any(alias.luau);
        put(&mut text, format_args!("-- {}\nexport type {} = {own}\n\n", alias.doc, alias.name));
    }
    for shape in bind::shapes() {
        luau_shape(&mut text, shape);
    }
    for group in bind::groups() {
        let entries = entries_of(group);
        if group.is_type {
            luau_type(&mut text, group, &entries)
        } else {
            luau_library(&mut text, group, &entries)
        }
    }
    text.push_str("-- One table for the level, shared by its scripts, plain data, kept over reloads.\n");
    text.push_str("declare state: { [any]: any }\n\n");
    // Luau's own `require` looks for files beside the script and knows nothing of script folders.
    text.push_str(
        "-- What another script of the project returns: its path below the script folders, without suffix.\n",
    );
    text.push_str("declare function require(name: string): any\n");
    text
}

/// `guard:walkTo(goal: Place, options: WalkOptions?): Walk`, in the words of the reference.
#[must_use]
pub fn signature(entry: &Binding) -> String {
    if entry.kind == EntryKind::Field {
        return format!("{}: {}", entry.called, entry.returns);
    }
    let params: Vec<String> =
        entry.params.iter().map(|param| format!("{}: {}", param.name, param.luau)).collect();
    let returns = match entry.returns {
        "" => String::new(),
        several if several.contains(", ") => format!(": ({several})"),
        one => format!(": {one}"),
    };
    format!("{}({}){returns}", entry.called, params.join(", "))
}

fn put(text: &mut String, part: std::fmt::Arguments<'_>) {
    // Writing into a String cannot fail.
    let _ = text.write_fmt(part);
}

fn entries_of(group: &Library) -> Vec<&'static Binding> {
    bind::entries_of(group.name).collect()
}

fn luau_shape(text: &mut String, shape: &TableType) {
    put(text, format_args!("-- {}\nexport type {} = {{\n", shape.doc, shape.name));
    for field in shape.fields {
        put(text, format_args!("\t-- {}\n\t{}: {},\n", field.doc, field.name, taking_any(field.luau)));
    }
    text.push_str("}\n\n");
}

fn luau_type(text: &mut String, group: &Library, entries: &[&Binding]) {
    put(text, format_args!("-- {}\ndeclare extern type {} with\n", group.doc, group.name));
    for (index, entry) in entries.iter().enumerate() {
        let same = |other: &&&Binding| other.name() == entry.name();
        if entries[..index].iter().any(|other| same(&other)) {
            continue;
        }
        put(text, format_args!("\t-- {}\n", entry.doc));
        if let Some(other) = entries[index + 1..].iter().find(same) {
            // A field and a method of one name: the language has no type for what is both.
            put(text, format_args!("\t-- Also: {}\n\t{}: any\n", other.doc, entry.name()));
            continue;
        }
        if entry.kind == EntryKind::Field {
            put(text, format_args!("\t{}: {}\n", entry.name(), entry.returns));
            continue;
        }
        let params = match flat_place(entry) {
            Some(at) => flattened(entry, at),
            None => entry.params.iter().map(declared).collect(),
        };
        let params: Vec<String> = std::iter::once("self".to_owned()).chain(params).collect();
        put(text, format_args!("\tfunction {}({}): {}\n", entry.name(), params.join(", "), returned(entry)));
    }
    text.push_str("end\n\n");
}

fn luau_library(text: &mut String, group: &Library, entries: &[&Binding]) {
    put(text, format_args!("-- {}\ndeclare {}: {{\n", group.doc, group.name));
    for entry in entries {
        put(text, format_args!("\t-- {}\n", entry.doc));
        if entry.kind == EntryKind::Field {
            put(text, format_args!("\t{}: {},\n", entry.name(), entry.returns));
        } else {
            let params: Vec<String> = entry.params.iter().map(named).collect();
            let returns = returned(entry);
            put(text, format_args!("\t{}: ({}) -> {returns},\n", entry.name(), params.join(", ")));
        }
    }
    text.push_str("}\n\n");
}

/// `name: type`, also of `...`: as declarations of methods write it.
fn declared(param: &ApiParam) -> String {
    format!("{}: {}", param.name, taking_any(param.luau))
}

/// `name: type`, or `...type`: as types of functions write it.
fn named(param: &ApiParam) -> String {
    let own = taking_any(param.luau);
    if param.name == "..." { format!("...{own}") } else { format!("{}: {own}", param.name) }
}

/// The same type, with functions in it that may say of their parameters what they like. Where
/// `(payload: any) -> ()` is wanted the new solver refuses `(payload: RegionEvent) -> ()`: only what takes
/// `never` takes less than everything.
fn taking_any(luau: &str) -> String {
    if !luau.contains("->") {
        return luau.to_owned();
    }
    luau.replace(": any)", ": never)").replace(": any,", ": never,").replace("(...any)", "(...never)")
}

fn returned(entry: &Binding) -> String {
    match entry.returns {
        "" => "()".to_owned(),
        several if several.contains(", ") => format!("({several})"),
        one => one.to_owned(),
    }
}

/// The parameter of a verb of a character or a scene that may also be two numbers.
pub(crate) fn flat_place(entry: &Binding) -> Option<usize> {
    let is_verb = matches!(entry.owner, "Character" | "Scene") && entry.kind == EntryKind::Method;
    let is_place = |param: &ApiParam| param.luau == "Place" || param.luau == "Place | number";
    if is_verb { entry.params.iter().position(is_place) } else { None }
}

/// The parameters of a verb that takes a place, or x and z: one list for both ways. Two lists as overloads
/// would leave the tables that are given without a type to be read by, and `{ doors = "open" }` would be
/// refused.
fn flattened(entry: &Binding, at: usize) -> Vec<String> {
    let or_number = |param: &ApiParam| {
        let bare = param.luau.strip_suffix('?').unwrap_or(param.luau);
        let has_number = bare.split(" | ").any(|part| part == "number");
        if has_number { bare.to_owned() } else { format!("{bare} | number") }
    };
    let mut params: Vec<String> = entry.params[..at].iter().map(named).collect();
    params.push(format!("{}: {}", entry.params[at].name, or_number(&entry.params[at])));
    match entry.params.get(at + 1) {
        None => params.push("z: number?".to_owned()),
        Some(next) => {
            params.push(format!("{}: ({})?", next.name, or_number(next)));
            // After x and z, each of the others comes one later.
            let later = entry.params[at + 1..].iter();
            params.extend(later.enumerate().map(|(index, param)| {
                let own = param.luau.strip_suffix('?').unwrap_or(param.luau);
                format!("{}{}: ({own})?", param.name, if index == 0 { "AfterZ" } else { "" })
            }));
        }
    }
    params
}

#[cfg(test)]
mod tests;
