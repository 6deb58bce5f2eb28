//! Editor definitions and the API list, written from the table that registers the functions.
//!
//! In: the table. Out: `walkon.d.luau` for luau-lsp, `walkon.d.lua` for the Lua language server and EmmyLua, and a list in
//! Markdown. Holds: nothing here knows a function by name; the same table gives the same text. Not here: writing files.

mod annotated;
mod luau_type;

use std::fmt::Write as _;

use crate::script::bind;
use crate::script::bind::table::{Entry, Group, Kind, Param, Shape};

pub use annotated::lua_ls;

/// Files that `walkon types` writes: name and text.
#[must_use]
pub fn files() -> Vec<(&'static str, String)> {
    vec![("walkon.d.luau", luau()), ("walkon.d.lua", lua_ls())]
}

/// Definitions for luau-lsp, in Luau's own syntax.
#[must_use]
pub fn luau() -> String {
    let mut text = String::from(
        "-- Definitions of walkon's API for luau-lsp. Written by `walkon types`; changes here are lost.\n\n",
    );
    for alias in bind::NAMES.iter().chain(bind::ALIASES) {
        put(&mut text, format_args!("-- {}\nexport type {} = {}\n\n", alias.doc, alias.name, alias.luau));
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
    text.push_str("declare state: { [any]: any }\n");
    text
}

/// The API as a list in Markdown, one table for each library and type.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::new();
    for group in bind::groups() {
        put(&mut text, format_args!("## {}\n\n{}\n\n", group.name, group.doc));
        text.push_str("| Name | Meaning | Waits | Raises |\n|---|---|---|---|\n");
        for entry in entries_of(group) {
            let waits = if entry.waits { "yes" } else { "" };
            let cell = |text: &str| text.replace('|', "\\|");
            let (signature, doc) = (cell(&signature(entry)), cell(entry.doc));
            put(&mut text, format_args!("| `{signature}` | {doc} | {waits} | {} |\n", entry.raises));
        }
        text.push('\n');
    }
    for shape in bind::shapes() {
        put(
            &mut text,
            format_args!("## {}\n\n{}\n\n| Field | Type | Meaning |\n|---|---|---|\n", shape.name, shape.doc),
        );
        for field in shape.fields {
            let luau = field.luau.replace('|', "\\|");
            put(&mut text, format_args!("| `{}` | `{luau}` | {} |\n", field.name, field.doc));
        }
        text.push('\n');
    }
    text
}

/// `guard:walkTo(goal: Place, options: WalkOptions?): Walk`, in the words of the reference.
#[must_use]
pub fn signature(entry: &Entry) -> String {
    if entry.kind == Kind::Field {
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

fn entries_of(group: &Group) -> Vec<&'static Entry> {
    bind::entries().into_iter().filter(|entry| entry.owner == group.name).collect()
}

fn luau_shape(text: &mut String, shape: &Shape) {
    put(text, format_args!("-- {}\nexport type {} = {{\n", shape.doc, shape.name));
    for field in shape.fields {
        put(text, format_args!("\t-- {}\n\t{}: {},\n", field.doc, field.name, field.luau));
    }
    text.push_str("}\n\n");
}

fn luau_type(text: &mut String, group: &Group, entries: &[&Entry]) {
    put(text, format_args!("-- {}\ndeclare extern type {} with\n", group.doc, group.name));
    for entry in entries {
        put(text, format_args!("\t-- {}\n", entry.doc));
        match entry.kind {
            Kind::Field => put(text, format_args!("\tread {}: {}\n", entry.name(), entry.returns)),
            _ => match flat_place(entry) {
                Some(at) => put(text, format_args!("\t{}: {}\n", entry.name(), overloads(group, entry, at))),
                None => {
                    let mut params = vec!["self".to_owned()];
                    params.extend(entry.params.iter().map(named));
                    let returns = returned(entry);
                    put(
                        text,
                        format_args!("\tfunction {}({}): {returns}\n", entry.name(), params.join(", ")),
                    );
                }
            },
        }
    }
    text.push_str("end\n\n");
}

fn luau_library(text: &mut String, group: &Group, entries: &[&Entry]) {
    put(text, format_args!("-- {}\ndeclare {}: {{\n", group.doc, group.name));
    for entry in entries {
        put(text, format_args!("\t-- {}\n", entry.doc));
        if entry.kind == Kind::Field {
            put(text, format_args!("\tread {}: {},\n", entry.name(), entry.returns));
        } else {
            let params: Vec<String> = entry.params.iter().map(named).collect();
            let returns = returned(entry);
            put(text, format_args!("\tread {}: ({}) -> {returns},\n", entry.name(), params.join(", ")));
        }
    }
    text.push_str("}\n\n");
}

/// `name: type`, or `...type`.
fn named(param: &Param) -> String {
    if param.name == "..." { format!("...{}", param.luau) } else { format!("{}: {}", param.name, param.luau) }
}

fn returned(entry: &Entry) -> String {
    match entry.returns {
        "" => "()".to_owned(),
        several if several.contains(", ") => format!("({several})"),
        one => one.to_owned(),
    }
}

/// The parameter of a character's verb that may also be two numbers.
pub(crate) fn flat_place(entry: &Entry) -> Option<usize> {
    let is_verb = entry.owner == "Character" && entry.kind == Kind::Method;
    let is_place = |param: &Param| param.luau == "Place" || param.luau == "Place | number";
    if is_verb { entry.params.iter().position(is_place) } else { None }
}

/// Both ways to call a verb: with a place, and with x and z.
fn overloads(group: &Group, entry: &Entry, at: usize) -> String {
    let spelled = |params: Vec<String>| {
        let mut all = vec![format!("self: {}", group.name)];
        all.extend(params);
        format!("(({}) -> {})", all.join(", "), returned(entry))
    };
    let whole = spelled(entry.params.iter().map(named).collect());
    let mut flat: Vec<String> = entry.params.iter().map(named).collect();
    flat.splice(at..=at, ["x: number".to_owned(), "z: number".to_owned()]);
    format!("{whole} & {}", spelled(flat))
}

#[cfg(test)]
mod tests;
