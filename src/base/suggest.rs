//! "Did you mean": the known name nearest to one that is not known.
//!
//! In: what was written, the names there are. Out: the nearest, when it is near enough to be what was meant.
//! Holds: ties go to the name that comes first. Source: restricted edit distance with swaps of neighbours (Damerau 1964).

/// The name among `known` that differs least from `written`: at most one edit for three letters, two for six, three beyond.
#[must_use]
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = written.chars().take(LETTERS_MAX).collect();
    let allowed = (letters.len() / 3).clamp(1, 3);
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let distance = distance(&letters, &name.chars().take(LETTERS_MAX).collect::<Vec<_>>());
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// The end of a message about an unknown name: `; did you mean "gate"?`, or nothing.
#[must_use]
pub fn did_you_mean<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(written, known).map_or_else(String::new, |name| format!("; did you mean \"{name}\"?"))
}

/// Names are at most 128 bytes; more letters than this are not worth comparing.
const LETTERS_MAX: usize = 128;

/// Letters added, removed, replaced or swapped with their neighbour to turn one into the other; case does not count.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before = vec![0; other.len() + 1];
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (i, &a) in one.iter().enumerate() {
        let mut row = vec![i + 1; other.len() + 1];
        for (j, &b) in other.iter().enumerate() {
            let replaced = above[j] + usize::from(a.to_lowercase().ne(b.to_lowercase()));
            row[j + 1] = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a == other[j - 1] && one[i - 1] == b {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_understood() {
        let known = ["gate", "onArrived", "onFailed", "open", "avoid", "wait"];
        for (written, meant) in [
            ("gatte", "gate"),
            ("onArive", "onArrived"),
            ("opne", "open"),
            ("onarrived", "onArrived"),
            ("wiat", "wait"),
        ] {
            assert_eq!(nearest(written, known), Some(meant), "{written}");
        }
        assert_eq!(nearest("cellar", known), None);
        assert_eq!(did_you_mean("gaet", known), "; did you mean \"gate\"?");
        assert_eq!(did_you_mean("zzzz", known), "");
    }

    #[test]
    fn ties_go_to_the_first() {
        assert_eq!(nearest("bat", ["cat", "hat"]), Some("cat"));
    }
}
