//! One word, one meaning: no two types share a name.
//!
//! Goal: who searches for a type finds one. Method: read the definitions of the sources as text: those that
//! are `pub` in any form, and those that are private and begin their line. Private types within functions and
//! tests may be called as these like, and so may associated types. Words of level files are defined within a
//! macro, where a comma follows the name.

use std::collections::BTreeMap;

use crate::laws::tidy::sources;

/// The name that a line defines, if it defines a type.
fn defined(line: &str) -> Option<&str> {
    let definition = match line.trim_start().strip_prefix("pub") {
        Some(public) => match public.strip_prefix('(') {
            Some(limited) => limited.split_once(')')?.1,
            None => public,
        }
        .strip_prefix(' ')?,
        None => line,
    };
    let mut words = definition.split(' ');
    let is_type = matches!(words.next(), Some("struct" | "enum" | "trait" | "type" | "union"));
    let name = words.next().filter(|_| is_type)?;
    // A macro's own word for a name is none.
    name.split(|letter: char| !letter.is_alphanumeric()).next().filter(|name| !name.is_empty())
}

#[test]
fn no_two_types_share_a_name() {
    let sources = sources();
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in &sources {
        let is_of_tests = file.place.ends_with("tests.rs");
        for (number, line) in file.text.lines().enumerate() {
            let counts = !is_of_tests || line.trim_start().starts_with("pub");
            if let Some(name) = defined(line).filter(|_| counts) {
                places.entry(name).or_default().push(format!("{}:{}", file.place, number + 1));
            }
        }
    }
    assert!(places.len() > 1500, "definitions are found: {}", places.len());
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
        ("struct Walk {", Some("Walk")),
        ("    struct Walk {", None),
        ("type Pair<'a> = (&'a str, u32);", Some("Pair")),
        ("pub struct $name(u32);", None),
        ("pub fn walk() {", None),
        ("    type Value = u32;", None),
        ("pub use walk::Walk;", None),
    ] {
        assert_eq!(defined(line), name, "{line}");
    }
}
