//! Generates the pages of the reference: every function with its signature, what it does, when it waits, what
//! it raises, an example.
//!
//! In: the table. Out: Markdown, one page for each library with its types. Holds: a page begins at each
//! library, and at each type large enough for one; no two pages differ by case alone. Not here: writing
//! files.

use std::collections::BTreeMap;

use super::{entries_of, put, signature};
use crate::script::bind;
use crate::script::bind::acts;
use crate::script::bind::table::{ApiParam, Binding, EntryKind, Library, TableType};
use crate::world::event_name;
use crate::world::outcome::{Reason, Status};

/// Entries from which on a type has a page of its own.
const OWN_PAGE: usize = 8;
/// The first line of each page.
const WRITTEN: &str =
    "<!-- Written from the table that registers the functions; changes here are lost. -->\n\n";

struct ReferencePage {
    name: String,
    title: String,
    text: String,
    entries: usize,
}

/// Pages of the reference: file name and text.
#[must_use]
pub fn reference() -> Vec<(String, String)> {
    let mut pages: Vec<ReferencePage> = Vec::new();
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
                pages.push(ReferencePage { name, title, text: String::new(), entries: 0 });
                many
            }
        };
        if let Some(page) = pages.get_mut(at) {
            page.entries += entries.len();
            section(&mut page.text, group, &entries);
            if group.name == "event" {
                runtime_events(&mut page.text);
            }
        }
    }
    let mut files = vec![("README.md".to_owned(), index(&pages)), ("tables.md".to_owned(), tables())];
    files.extend(pages.into_iter().map(|page| {
        let text = format!("{WRITTEN}# {}\n\n{}", page.title, page.text);
        (format!("{}.md", page.name), format!("{}\n", text.trim_end()))
    }));
    files
}

fn index(pages: &[ReferencePage]) -> String {
    let mut text = format!(
        "{WRITTEN}# Reference\n\nEvery name that scripts see. Units are metres, seconds and radians. \"Acts in step 6\" names a step of the tick: 3 scripts, 4 doors, 5 map edits, 6 paths, 7 to 9 movement, 10 arrivals, 11 regions, 12 events, 13 cull, 14 record.\n\n"
    );
    text.push_str("| Page | Names |\n|---|---|\n");
    for page in pages {
        put(&mut text, format_args!("| [{}]({}.md) | {} |\n", page.title, page.name, page.entries));
    }
    put(&mut text, format_args!("| [Tables and types](tables.md) | {} |\n", bind::shapes().len()));
    text.push_str("\nLevels have a page of their own: [the level file](level-file.md).\n");
    mistakes(&mut text);
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

/// What the words after "Raises" stand for.
pub(super) const MISTAKES: [(&str, &str); 7] = [
    ("name", "the name of something that is not there; the message proposes the nearest one"),
    ("range", "a number outside its range, which the message names, or one that is not finite"),
    (
        "data",
        "something that is not plain data: a function, a handle, a table with a metatable or within itself",
    ),
    ("state", "something that is not possible as things are, such as a second character of one name"),
    ("limit", "more of something than the level may have"),
    ("gone", "a character or another thing that was removed"),
    ("wait", "a call that waits where nothing may wait: in `update`, `init`, a predicate"),
];

/// How a call can fail in scripts.
fn mistakes(text: &mut String) {
    text.push_str(
        "\n## Raises\n\nAn argument that is missing or of another type, and an option that is not known, raise everywhere. \
         What else a function raises stands below it in these words:\n\n| Word | Raised for |\n|---|---|\n",
    );
    for (word, meaning) in MISTAKES {
        put(text, format_args!("| `{word}` | {} |\n", cell(meaning)));
    }
}

/// `guard:walkTo` is shown as `Character:walkTo`, so that it can be found.
fn shown_name(entry: &Binding) -> String {
    match entry.kind {
        EntryKind::Method => format!("{}:{}", entry.owner, entry.name()),
        EntryKind::Field if !entry.called.contains('.') => format!("{}.{}", entry.owner, entry.name()),
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

fn section(text: &mut String, group: &Library, entries: &[&'static Binding]) {
    put(text, format_args!("## {}\n\n{}\n\n", group.name, group.doc));
    let fields: Vec<&&Binding> = entries.iter().filter(|entry| entry.kind == EntryKind::Field).collect();
    for entry in fields.into_iter().chain(entries.iter().filter(|entry| entry.kind != EntryKind::Field)) {
        one(text, entry);
    }
}

/// What scripts hear of the runtime.
fn runtime_events(text: &mut String) {
    text.push_str(
        "## Events of the runtime\n\n`event.on`, `event.once`, `task.waitEvent` and `--until` hear these as well; scripts cannot emit them.\n\n| Event | Payload | When |\n|---|---|---|\n",
    );
    for event in event_name::HEARD {
        put(text, format_args!("| `{}` | `{}` | {} |\n", event.name, event.payload, cell(event.doc)));
    }
    text.push('\n');
}

fn one(text: &mut String, entry: &Binding) {
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
    let tables = tables_of(&signature(entry));
    if !tables.is_empty() {
        put(text, format_args!("Tables: {}.\n", tables.join(", ")));
    }
    put(text, format_args!("\n```lua\n{}\n```\n\n", entry.example));
}

/// Links to the tables that a signature names.
fn tables_of(signature: &str) -> Vec<String> {
    let words: Vec<&str> = signature.split(|c: char| !c.is_alphanumeric()).collect();
    let named = bind::shapes().into_iter().filter(|shape| words.contains(&shape.name));
    named.map(|shape| format!("[{}](tables.md#{})", shape.name, anchor(shape.name))).collect()
}

fn tables() -> String {
    let mut text = format!("{WRITTEN}# Tables and types\n\n");
    text.push_str("| Type | Stands for | Meaning |\n|---|---|---|\n");
    for alias in bind::NAMES.iter().chain(bind::ALIASES) {
        put(&mut text, format_args!("| `{}` | `{}` | {} |\n", alias.name, cell(alias.luau), cell(alias.doc)));
    }
    text.push('\n');
    reasons(&mut text);
    let shapes: Vec<&TableType> = bind::shapes().into_iter().collect();
    for shape in &shapes {
        let within = shapes.iter().copied().filter(|other| is_part(other, shape));
        table(&mut text, shape, within.max_by_key(|other| other.fields.len()));
    }
    format!("{}\n", text.trim_end())
}

/// How a walk can end: the closed list.
fn reasons(text: &mut String) {
    text.push_str("## Reasons\n\nHow a walk ends: the statuses, and the reasons that each can have. ");
    text.push_str("What they mean stands on the page of [symptoms](../symptoms.md).\n\n");
    text.push_str("| Status | Reasons |\n|---|---|\n");
    for status in Status::ALL {
        let own = Reason::ALL.into_iter().filter(|reason| reason.status_allowed(status));
        let own: Vec<String> = own.map(|reason| format!("`{}`", reason.name())).collect();
        put(text, format_args!("| `{}` | {} |\n", status.name(), own.join(" ")));
    }
    text.push('\n');
}

/// Fields from which on a table that another one holds whole is not written out again.
const PART_FIELDS: usize = 5;

/// Whether `shape` has everything that `part` has, and more.
fn is_part(part: &TableType, shape: &TableType) -> bool {
    let has = |field: &ApiParam| shape.fields.iter().any(|own| is_same(own, field));
    (PART_FIELDS..shape.fields.len()).contains(&part.fields.len()) && part.fields.iter().all(has)
}

fn is_same(one: &ApiParam, other: &ApiParam) -> bool {
    (one.name, one.luau, one.doc) == (other.name, other.luau, other.doc)
}

fn table(text: &mut String, shape: &TableType, within: Option<&TableType>) {
    put(text, format_args!("## {}\n\n{}\n\n", shape.name, shape.doc));
    if let Some(part) = within {
        put(text, format_args!("Everything of [{}](#{}), and:\n\n", part.name, anchor(part.name)));
    }
    text.push_str("| Field | Type | Meaning |\n|---|---|---|\n");
    let is_own =
        |field: &&ApiParam| within.is_none_or(|part| !part.fields.iter().any(|other| is_same(other, field)));
    for field in shape.fields.iter().filter(is_own) {
        put(text, format_args!("| `{}` | `{}` | {} |\n", field.name, cell(field.luau), cell(field.doc)));
    }
    text.push('\n');
}
