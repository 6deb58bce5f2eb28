//! One word, one meaning: no two types that other files see share a name.
//!
//! Goal: who searches for a type finds one. Method: read the definitions of the sources as text, `pub` in any
//! form; what is private to a file may be called as its file likes, and so may associated types. Words of
//! level files are defined within a macro, where a comma follows the name.

use std::collections::BTreeMap;

use crate::laws::tidy::sources;

/// The name that a line defines for others, if it defines a type.
fn defined(line: &str) -> Option<&str> {
    let public = line.trim_start().strip_prefix("pub")?;
    let public = match public.strip_prefix('(') {
        Some(limited) => limited.split_once(')')?.1,
        None => public,
    };
    let mut words = public.strip_prefix(' ')?.split(' ');
    let is_type = matches!(words.next(), Some("struct" | "enum" | "trait" | "type" | "union"));
    let name = words.next().filter(|_| is_type)?;
    // A macro's own word for a name is none.
    name.split(|letter: char| !letter.is_alphanumeric()).next().filter(|name| !name.is_empty())
}

#[test]
fn no_two_types_that_others_see_share_a_name() {
    let sources = sources();
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in &sources {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(name) = defined(line) {
                places.entry(name).or_default().push(format!("{}:{}", file.place, number + 1));
            }
        }
    }
    assert!(places.len() > 1000, "definitions are found: {}", places.len());
    places.retain(|_, places| places.len() > 1);
    assert!(places.is_empty(), "give one of each the noun it is of: {places:#?}");
}

#[test]
fn a_definition_is_known_by_its_words() {
    for (line, name) in [
        ("pub struct Walk {", Some("Walk")),
        ("    pub(crate) enum Ask<'a> {", Some("Ask")),
        ("pub(super) trait Rows: Default + Send {", Some("Rows")),
        ("    pub enum Hierarchy, default Auto {", Some("Hierarchy")),
        ("pub struct Stop(Arc<dyn Fn()>);", Some("Stop")),
        ("struct Walk {", None),
        ("pub struct $name(u32);", None),
        ("pub fn walk() {", None),
        ("    type Value = u32;", None),
        ("pub use walk::Walk;", None),
    ] {
        assert_eq!(defined(line), name, "{line}");
    }
}
