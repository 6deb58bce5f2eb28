//! Shows names in messages: short and printable.
//!
//! In: names that scripts and files give. Out: the same, short and printable; the end of a sentence about one
//! that nobody knows. Not here: whole values (`shown`), which names are alike (`base::suggestions`).

use crate::base::suggestions;

/// The end of a message about an unknown name: `; did you mean "gate"?`, or nothing.
pub(crate) fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    suggestions::did_you_mean(name, known).map_or_else(String::new, |question| format!("; {question}"))
}

/// The same about an option; where none is near, all that there are.
pub(crate) fn suggested_option(name: &str, known: &[&str]) -> String {
    suggestions::did_you_mean_or_all(name, known).map_or_else(String::new, |known| format!("; {known}"))
}

/// Names in messages are cut at 40 letters; control characters are shown as escapes.
pub(crate) fn shorten(text: &str) -> String {
    let mut shown = String::new();
    for (count, letter) in text.chars().enumerate() {
        if count == 40 {
            shown.push_str("...");
            break;
        }
        if letter.is_control() { shown.extend(letter.escape_default()) } else { shown.push(letter) }
    }
    shown
}
