//! The pages of the reference: every function with its signature, what it does, when it waits, what it raises, an example.
//!
//! In: the table. Out: Markdown, one page for each library with its types. Holds: a page begins at each library, and at each
//! type large enough for one; no two pages differ by case alone. Not here: writing files.

use std::collections::BTreeMap;

use super::{entries_of, put, signature};
use crate::script::bind;
use crate::script::bind::acts;
use crate::script::bind::table::{Entry, Group, Kind, Shape};

/// Entries from which on a type has a page of its own.
const OWN_PAGE: usize = 8;
/// The first line of each page.
const WRITTEN: &str =
    "<!-- Written from the table that registers the functions; changes here are lost. -->\n\n";

struct Page {
    name: String,
    title: String,
    text: String,
    entries: usize,
}

/// Pages of the reference: file name and text.
#[must_use]
pub fn reference() -> Vec<(String, String)> {
    let mut pages: Vec<Page> = Vec::new();
    for group in bind::groups() {
        let entries = entries_of(group);
        let name = group.name.to_lowercase();
        let has_own = !group.is_type || entries.len() >= OWN_PAGE;
        let there = pages.iter().position(|page| page.name == name);
        let at = match (there, has_own, pages.len()) {
            (Some(at), ..) => at,
            (None, false, many) if many > 0 => many - 1,
            (None, _, many) => {
                let title = group.name.to_owned();
                pages.push(Page { name, title, text: String::new(), entries: 0 });
                many
            }
        };
        if let Some(page) = pages.get_mut(at) {
            page.entries += entries.len();
            section(&mut page.text, group, &entries);
        }
    }
    let mut files = vec![("README.md".to_owned(), index(&pages)), ("tables.md".to_owned(), tables())];
    files.extend(pages.into_iter().map(|page| {
        let text = format!("{WRITTEN}# {}\n\n{}", page.title, page.text);
        (format!("{}.md", page.name), format!("{}\n", text.trim_end()))
    }));
    files
}

fn index(pages: &[Page]) -> String {
    let mut text = format!(
        "{WRITTEN}# Reference\n\nEvery name that scripts see. Units are metres, seconds and radians. \"Acts in step 6\" names a step of the tick: 3 scripts, 4 doors, 5 map edits, 6 paths, 7 to 9 movement, 10 arrivals, 11 regions, 12 events, 13 cull, 14 record.\n\n"
    );
    text.push_str("| Page | Names |\n|---|---|\n");
    for page in pages {
        put(&mut text, format_args!("| [{}]({}.md) | {} |\n", page.title, page.name, page.entries));
    }
    put(&mut text, format_args!("| [Tables and types](tables.md) | {} |\n", bind::shapes().len()));
    text.push_str("\n## Every name\n\n");
    let mut names: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    for page in pages {
        for group in bind::groups() {
            let is_here = page.text.contains(&format!("\n## {}\n", group.name))
                || page.text.starts_with(&format!("## {}\n", group.name));
            for entry in entries_of(group).into_iter().filter(|_| is_here) {
                names.insert(shown_name(entry), (page.name.as_str(), entry.doc));
            }
        }
    }
    text.push_str("| Name | Meaning |\n|---|---|\n");
    for (name, (page, doc)) in names {
        put(&mut text, format_args!("| [`{name}`]({page}.md#{}) | {} |\n", anchor(&name), cell(doc)));
    }
    text
}

/// `guard:walkTo` is shown as `Character:walkTo`, so that it can be found.
fn shown_name(entry: &Entry) -> String {
    match entry.kind {
        Kind::Method => format!("{}:{}", entry.owner, entry.name()),
        Kind::Field if !entry.called.contains('.') => format!("{}.{}", entry.owner, entry.name()),
        _ => entry.called.to_owned(),
    }
}

/// The anchor that Markdown gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || *c == '_' || *c == '-');
    kept.flat_map(char::to_lowercase).collect()
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn section(text: &mut String, group: &Group, entries: &[&'static Entry]) {
    put(text, format_args!("## {}\n\n{}\n\n", group.name, group.doc));
    let fields: Vec<&&Entry> = entries.iter().filter(|entry| entry.kind == Kind::Field).collect();
    for entry in fields.into_iter().chain(entries.iter().filter(|entry| entry.kind != Kind::Field)) {
        one(text, entry);
    }
}

fn one(text: &mut String, entry: &Entry) {
    put(
        text,
        format_args!("### {}\n\n```luau\n{}\n```\n\n{}\n", shown_name(entry), signature(entry), entry.doc),
    );
    let mut notes = Vec::new();
    if entry.waits {
        notes.push("Waits: the calling task goes on when it is done.".to_owned());
    }
    let acts = acts::sentence(entry);
    if !acts.is_empty() {
        notes.push(acts);
    }
    if !entry.raises.is_empty() {
        let codes: Vec<String> = entry.raises.split_whitespace().map(|code| format!("`{code}`")).collect();
        notes.push(format!("Raises {}.", codes.join(", ")));
    }
    if !notes.is_empty() {
        put(text, format_args!("{}\n", notes.join(" ")));
    }
    put(text, format_args!("\n```lua\n{}\n```\n\n", entry.example));
}

fn tables() -> String {
    let mut text = format!("{WRITTEN}# Tables and types\n\n");
    text.push_str("| Type | Stands for | Meaning |\n|---|---|---|\n");
    for alias in bind::NAMES.iter().chain(bind::ALIASES) {
        put(&mut text, format_args!("| `{}` | `{}` | {} |\n", alias.name, cell(alias.luau), cell(alias.doc)));
    }
    text.push('\n');
    bind::shapes().into_iter().for_each(|shape| table(&mut text, shape));
    format!("{}\n", text.trim_end())
}

fn table(text: &mut String, shape: &Shape) {
    put(
        text,
        format_args!("## {}\n\n{}\n\n| Field | Type | Meaning |\n|---|---|---|\n", shape.name, shape.doc),
    );
    for field in shape.fields {
        put(text, format_args!("| `{}` | `{}` | {} |\n", field.name, cell(field.luau), cell(field.doc)));
    }
    text.push('\n');
}
