//! What is neither hashed nor saved is left out on purpose.
//!
//! Goal: a field that a save game or the hash lacks is a decision, not an omission. Method: the state is
//! taken apart by all of its fields; read the code that does so as text, and look whether a comment stands
//! before each field that is dropped, or before the first of those that follow one another.

use crate::laws::tidy::sources;

/// The code that takes the state apart.
const PLACES: [&str; 3] = [
    "crates/walkon-runtime/src/world/state_hash",
    "crates/walkon-runtime/src/world/snapshot",
    "crates/walkon-runtime/src/script/host/saving.rs",
];

/// The lines, counted from 1, that drop a field without a word.
fn unexplained(text: &str) -> Vec<usize> {
    let (mut found, mut is_explained) = (Vec::new(), false);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let drops = line.contains(": _,") || line.contains(": _ }");
        if drops && !is_explained {
            found.push(number + 1);
        }
        // What is said before the first holds for those behind it.
        is_explained = line.starts_with("//") || is_explained && line.ends_with(": _,");
    }
    found
}

#[test]
fn every_field_that_is_left_out_of_the_hash_or_a_save_says_why() {
    let mut places = 0;
    for file in sources() {
        let is_code = PLACES.iter().any(|place| file.place.starts_with(place));
        if is_code && !file.place.ends_with("tests.rs") {
            places += 1;
            assert_eq!(unexplained(&file.text), Vec::<usize>::new(), "{}", file.place);
        }
    }
    assert!(places >= 10, "{places} files were read");
}

#[test]
fn a_field_without_a_word_is_found() {
    let code = "let A {\n// Follows.\nb: _,\nc: _,\nd,\ne: _,\n} = a;\n// Known.\nlet F { g: _ } = f;\nlet H { i: _, j } = h;";
    assert_eq!(unexplained(code), [6, 10]);
}
