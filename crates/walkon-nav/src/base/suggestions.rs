//! Suggests the known name closest to an unknown one ("did you mean"); formats counts with their nouns.
//!
//! In: a name as written, and the names that would have been right. Out: the nearest of them, the one that
//! it is short for, or none when no name is near enough. Holds: the same lists give the same answer; the cost
//! is bounded whatever the input. Not here: the sentence around it.
//! Source: optimal string alignment (Damerau 1964, Levenshtein 1966), cut off at a third of the name.

/// Longest name that is compared letter by letter. Longer ones are only compared without case.
const LETTERS_MAX: usize = 32;
/// Most candidates that are looked at. A level may hold 100,000 names and an error is no place to wait.
pub const CANDIDATES_MAX: usize = 1024;
/// Fewest letters that are short for a name.
const SHORT_MIN: usize = 3;
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
        // Only a name nearer than the nearest so far is compared to the end.
        let worth_max = best.map_or(slips_max, |(least, _)| least.saturating_sub(1));
        let Some(slips) = slips_between(&wanted, &folded(candidate), worth_max) else { continue };
        if slips < candidate.chars().count() && best.is_none_or(|(least, _)| slips < least) {
            best = Some((slips, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// `did you mean "x"?` for the nearest candidate, else for the one that `name` is short for, or nothing.
#[must_use]
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if name.len() > NAME_MAX {
        return None;
    }
    let candidates: Vec<&str> = candidates.into_iter().take(CANDIDATES_MAX).collect();
    // Of a list that was cut nobody knows whether there is another.
    let is_all = candidates.len() < CANDIDATES_MAX;
    let longer = || if is_all { only_longer(name, &candidates) } else { None };
    let meant = nearest(name, candidates.iter().copied()).or_else(longer);
    meant.map(|meant| format!("did you mean \"{meant}\"?"))
}

/// [`did_you_mean`], or where no option is near all that there are: `known options are a, b, c`. Nothing
/// where there are none.
#[must_use]
pub fn did_you_mean_or_all(name: &str, options: &[&str]) -> Option<String> {
    let all = || (!options.is_empty()).then(|| format!("known options are {}", options.join(", ")));
    did_you_mean(name, options.iter().copied()).or_else(all)
}

/// The only candidate that begins with `name`: `position` for `pos`.
fn only_longer<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let short = folded(name);
    let begins_so = |candidate: &&&str| {
        let letters = candidate.chars().flat_map(char::to_lowercase);
        letters.take(short.len()).eq(short.iter().copied())
    };
    let mut longer = candidates.iter().filter(begins_so);
    let first = longer.next().filter(|_| short.len() >= SHORT_MIN)?;
    longer.all(|other| other == first).then_some(*first)
}

fn folded(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// The slips between two names, or none when they are more than `most`.
fn slips_between(a: &[char], b: &[char], most: usize) -> Option<usize> {
    if a == b {
        return Some(0);
    }
    if a.len() > LETTERS_MAX || b.len() > LETTERS_MAX || a.len().abs_diff(b.len()) > most {
        return None;
    }
    let width = b.len() + 1;
    let mut rows = [usize::MAX / 2; 3 * (LETTERS_MAX + 1)];
    for (column, cell) in rows[width..2 * width].iter_mut().enumerate() {
        *cell = column;
    }
    // rows holds the row before last, the last row and the row being filled. Letters that stand farther apart
    // than there may be slips never meet.
    for row in 1..=a.len() {
        let filled = &mut rows[2 * width..3 * width];
        filled.fill(usize::MAX / 2);
        filled[0] = row;
        let mut least_of_row = row;
        for column in row.saturating_sub(most).max(1)..=(row + most).min(b.len()) {
            let change = usize::from(a[row - 1] != b[column - 1]);
            let mut least = (rows[width + column] + 1)
                .min(rows[2 * width + column - 1] + 1)
                .min(rows[width + column - 1] + change);
            if row > 1 && column > 1 && a[row - 1] == b[column - 2] && a[row - 2] == b[column - 1] {
                least = least.min(rows[column - 2] + 1);
            }
            rows[2 * width + column] = least;
            least_of_row = least_of_row.min(least);
        }
        // A later row may still go back to this one, and to the one before by two swapped letters.
        if least_of_row > most + 1 {
            return None;
        }
        rows.copy_within(width..3 * width, 0);
    }
    Some(rows[2 * width - 1]).filter(|slips| *slips <= most)
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
    fn where_no_option_is_near_all_are_told() {
        let meant = |name: &str| did_you_mean_or_all(name, &["doors", "gait"]);
        assert_eq!(meant("dors"), Some("did you mean \"doors\"?".to_owned()));
        assert_eq!(meant("run"), Some("known options are doors, gait".to_owned()));
        assert_eq!(did_you_mean_or_all("run", &[]), None);
    }

    #[test]
    fn a_name_that_is_cut_short_stands_for_the_only_one_that_begins_so() {
        let meant = |name: &str, known: &[&str]| did_you_mean(name, known.iter().copied());
        let position = Some("did you mean \"position\"?".to_owned());
        assert_eq!(meant("pos", &["name", "position"]), position);
        assert_eq!(meant("Posi", &["name", "position", "position"]), position);
        assert_eq!(meant("postion", &["postionless", "position"]), position, "a slip is nearer");
        assert_eq!(meant("run", &["runSpeed", "runningShoes"]), None, "which of them?");
        assert_eq!(meant("po", &["position"]), None, "two letters are short for too much");
        assert_eq!(meant("", &["position"]), None);
        assert_eq!(nearest("pos", ["position"]), None, "it is no slip");
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

    /// The slips between two names, every letter compared with every other.
    fn slips_in_full(a: &[char], b: &[char]) -> usize {
        let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
        for row in 0..=a.len() {
            for column in 0..=b.len() {
                if row == 0 || column == 0 {
                    rows[row][column] = row.max(column);
                    continue;
                }
                let change = usize::from(a[row - 1] != b[column - 1]);
                let mut least = (rows[row - 1][column] + 1)
                    .min(rows[row][column - 1] + 1)
                    .min(rows[row - 1][column - 1] + change);
                if row > 1 && column > 1 && a[row - 1] == b[column - 2] && a[row - 2] == b[column - 1] {
                    least = least.min(rows[row - 2][column - 2] + 1);
                }
                rows[row][column] = least;
            }
        }
        rows[a.len()][b.len()]
    }

    /// Law: stopping early changes no answer.
    #[test]
    fn slips_are_those_of_comparing_every_letter() {
        let mut seed = 1_u64;
        let mut below = |count: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % count
        };
        for _ in 0..20_000 {
            let mut word = |longest: u64| {
                let length = below(longest + 1);
                (0..length).map(|_| char::from(b'a' + below(3) as u8)).collect::<Vec<_>>()
            };
            let (a, b) = (word(9), word(9));
            let full = slips_in_full(&a, &b);
            for most in 0..=10 {
                let expected = (full <= most).then_some(full);
                assert_eq!(slips_between(&a, &b, most), expected, "{a:?} {b:?} at most {most}");
            }
        }
    }
}
