//! Words of messages: the known name that is nearest to an unknown one, for every "did you mean", and numbers
//! with their nouns.
//!
//! In: a name as written, and the names that would have been right. Out: the nearest of them, or none when no
//! name is near enough. Holds: the same lists give the same answer; the cost is bounded whatever the input.
//! Not here: the sentence around it.
//! Source: optimal string alignment (Damerau 1964, Levenshtein 1966), cut off at a third of the name.

/// Longest name that is compared letter by letter. Longer ones are only compared without case.
const LETTERS_MAX: usize = 32;
/// Most candidates that are looked at. A level may hold 100,000 names and an error is no place to wait.
const CANDIDATES_MAX: usize = 1024;
/// Longest name that is compared at all, bytes: no name of ours is longer.
const NAME_MAX: usize = 128;

/// `1 cell`, `2 cells`.
#[must_use]
pub fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// A number with some digits after the point, never `-0.00`.
#[must_use]
pub fn decimals(value: f32, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|letter| matches!(letter, b'0' | b'.')) => zero.to_owned(),
        _ => text,
    }
}

/// A place on the ground or in space, its numbers as [`decimals`] and joined by commas.
#[must_use]
pub fn decimals_of(values: &[f32], digits: usize) -> String {
    values.iter().map(|value| decimals(*value, digits)).collect::<Vec<_>>().join(", ")
}

/// The candidate nearest to `name`: equal but for case, else the one with the fewest letters
/// changed, added, dropped or swapped, at most one for every three letters of `name` (and always at
/// least one). The earlier candidate wins a tie. None when nothing is that near.
/// Cost: at most 1,024 candidates of 32 letters.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > NAME_MAX {
        return None;
    }
    let wanted = folded(name);
    let slips_max = (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().take(CANDIDATES_MAX) {
        let slips = slips_between(&wanted, &folded(candidate));
        if slips <= slips_max
            && slips < candidate.chars().count()
            && best.is_none_or(|(least, _)| slips < least)
        {
            best = Some((slips, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// `; did you mean "x"?` for the nearest candidate, or nothing.
#[must_use]
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, candidates).map(|near| format!("did you mean \"{near}\"?"))
}

fn folded(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

fn slips_between(a: &[char], b: &[char]) -> usize {
    if a == b {
        return 0;
    }
    if a.len() > LETTERS_MAX || b.len() > LETTERS_MAX {
        return usize::MAX;
    }
    let width = b.len() + 1;
    let mut rows = vec![0usize; 3 * width];
    for (column, cell) in rows[width..2 * width].iter_mut().enumerate() {
        *cell = column;
    }
    // rows holds the row before last, the last row and the row being filled.
    for row in 1..=a.len() {
        rows[2 * width] = row;
        for column in 1..width {
            let change = usize::from(a[row - 1] != b[column - 1]);
            let mut least = (rows[width + column] + 1)
                .min(rows[2 * width + column - 1] + 1)
                .min(rows[width + column - 1] + change);
            if row > 1 && column > 1 && a[row - 1] == b[column - 2] && a[row - 2] == b[column - 1] {
                least = least.min(rows[column - 2] + 1);
            }
            rows[2 * width + column] = least;
        }
        rows.copy_within(width.., 0);
    }
    rows[2 * width - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_in_a_short_name_is_forgiven_and_two_are_not() {
        assert_eq!(nearest("gatte", ["well", "gate", "gateway"]), Some("gate"));
        assert_eq!(nearest("gaet", ["gate"]), Some("gate"), "swapped letters are one slip");
        assert_eq!(nearest("dor", ["door"]), Some("door"));
        assert_eq!(nearest("bar", ["foo", "well"]), None);
        assert_eq!(nearest("x", ["y"]), None, "a name of one letter has no neighbours");
    }

    #[test]
    fn case_alone_is_always_near() {
        let long = "a".repeat(100);
        assert_eq!(nearest(&long.to_uppercase(), [long.as_str()]), Some(long.as_str()));
        assert_eq!(nearest("cellsize", ["cellSize", "floorY"]), Some("cellSize"));
    }

    #[test]
    fn the_earlier_of_two_equally_near_names_wins() {
        assert_eq!(nearest("gat", ["gate", "goat"]), Some("gate"));
        assert_eq!(nearest("gat", ["goat", "gate"]), Some("goat"));
        assert_eq!(nearest("", ["gate"]), None);
    }
}
