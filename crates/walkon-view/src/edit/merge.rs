//! Three-way merge of two changes to one text, where they do not conflict.
//!
//! In: the text that both began with, and what each has made of it. Out: a text with the changes of both, or
//! none where they changed the same lines. Holds: a line that only one side changed is as that side has it;
//! nothing is guessed. Not here: whether the outcome still is a level (`document`).

use std::ops::Range;

/// More differences than this are one difference.
const EDITS_MAX: usize = 1500;

/// Lines of the common text that one side has replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hunk<'t> {
    /// Numbers of the lines in the common text; empty where lines came before the first of them.
    old: Range<usize>,
    /// What stands in their place.
    new: Vec<&'t str>,
}

/// The text with the changes of both sides. None where both have changed the same lines in different ways, or
/// put something between the same two lines.
#[must_use]
pub fn merge(base: &str, ours: &str, theirs: &str) -> Option<String> {
    if ours == theirs || base == theirs {
        return Some(ours.to_owned());
    }
    if base == ours {
        return Some(theirs.to_owned());
    }
    let lines = lines(base);
    let (ours, theirs) = (hunks(&lines, ours), hunks(&lines, theirs));
    let (mut ours, mut theirs) = (ours.into_iter().peekable(), theirs.into_iter().peekable());
    let (mut merged, mut done) = (String::new(), 0);
    loop {
        let next = match (ours.peek(), theirs.peek()) {
            (Some(a), Some(b)) if a == b => {
                theirs.next();
                ours.next()
            }
            (Some(a), Some(b)) if meet(&a.old, &b.old) => return None,
            (Some(a), Some(b)) if a.old.start < b.old.start => ours.next(),
            (Some(_), None) => ours.next(),
            _ => theirs.next(),
        };
        let Some(hunk) = next else { break };
        merged.extend(lines.get(done..hunk.old.start).unwrap_or_default().iter().copied());
        merged.extend(hunk.new);
        done = hunk.old.end;
    }
    merged.extend(lines.get(done..).unwrap_or_default().iter().copied());
    Some(merged)
}

/// Whether the order of two changes is not plain: they share a line, or one puts lines where the other begins
/// or ends.
fn meet(a: &Range<usize>, b: &Range<usize>) -> bool {
    if a.is_empty() || b.is_empty() {
        return a.start <= b.end && b.start <= a.end;
    }
    a.start < b.end && b.start < a.end
}

/// The lines of a text, each with its end.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// How many lines two texts have in common where they begin, and, of the others, where they end.
pub(crate) fn same_ends(old: &[&str], new: &[&str]) -> [usize; 2] {
    let is_same = |(a, b): &(&&str, &&str)| a == b;
    let begin = old.iter().zip(new).take_while(is_same).count();
    let ends = old[begin..].iter().rev().zip(new[begin..].iter().rev());
    [begin, ends.take_while(is_same).count()]
}

fn hunks<'t>(base: &[&str], text: &'t str) -> Vec<Hunk<'t>> {
    let new = lines(text);
    let [begin, end] = same_ends(base, &new);
    let (old_middle, new_middle) = (&base[begin..base.len() - end], &new[begin..new.len() - end]);
    let mut hunks: Vec<Hunk<'t>> = Vec::new();
    let (mut old_done, mut new_done) = (0, 0);
    let mut push = |old: Range<usize>, lines: Range<usize>| {
        let old = begin + old.start..begin + old.end;
        if old.len() == lines.len() {
            // As many lines as before: each in the place of one, so that others beside it can change too.
            hunks.extend(
                old.zip(lines).map(|(at, line)| Hunk { old: at..at + 1, new: vec![new_middle[line]] }),
            );
        } else {
            hunks.push(Hunk { old, new: new_middle[lines].to_vec() });
        }
    };
    for pair in common(old_middle, new_middle) {
        push(old_done..pair.old, new_done..pair.new);
        (old_done, new_done) = (pair.old + 1, pair.new + 1);
    }
    push(old_done..old_middle.len(), new_done..new_middle.len());
    hunks
}

/// A line that two texts have in common: its number in each.
#[derive(Clone, Copy)]
struct CommonLine {
    old: usize,
    new: usize,
}

/// The lines that two texts have in common, as many as can be in order; none when the texts differ too much.
/// Source: Myers, "An O(ND) Difference Algorithm and Its Variations", 1986.
fn common(old: &[&str], new: &[&str]) -> Vec<CommonLine> {
    let (rows, columns) = (old.len() as isize, new.len() as isize);
    let edits_max = EDITS_MAX.min(old.len() + new.len());
    let middle = edits_max as isize + 1;
    let slot = |diagonal: isize| (middle + diagonal) as usize;
    let mut reach = vec![0_isize; 2 * middle as usize + 1];
    let mut trace: Vec<Vec<isize>> = Vec::new();
    for edits in 0..=edits_max as isize {
        trace.push(reach[slot(-edits)..=slot(edits)].to_vec());
        for diagonal in (-edits..=edits).step_by(2) {
            let is_down = diagonal == -edits
                || (diagonal != edits && reach[slot(diagonal - 1)] < reach[slot(diagonal + 1)]);
            let from = if is_down { reach[slot(diagonal + 1)] } else { reach[slot(diagonal - 1)] + 1 };
            // `x` counts lines of the old text, `y` those of the new one.
            let (mut x, mut y) = (from, from - diagonal);
            while x < rows && y < columns && y >= 0 && old[x as usize] == new[y as usize] {
                (x, y) = (x + 1, y + 1);
            }
            reach[slot(diagonal)] = x;
            if x >= rows && y >= columns {
                return walk_back(&trace, rows, columns);
            }
        }
    }
    Vec::new()
}

fn walk_back(trace: &[Vec<isize>], mut x: isize, mut y: isize) -> Vec<CommonLine> {
    let mut pairs = Vec::new();
    for (edits, reach) in trace.iter().enumerate().rev() {
        let edits = edits as isize;
        let diagonal = x - y;
        let at = |diagonal: isize| reach.get((diagonal + edits) as usize).copied().unwrap_or_default();
        let (before_x, before_y) = if edits == 0 {
            (0, 0)
        } else {
            let is_down = diagonal == -edits || (diagonal != edits && at(diagonal - 1) < at(diagonal + 1));
            let diagonal = if is_down { diagonal + 1 } else { diagonal - 1 };
            (at(diagonal), at(diagonal) - diagonal)
        };
        while x > before_x && y > before_y {
            (x, y) = (x - 1, y - 1);
            pairs.push(CommonLine { old: x as usize, new: y as usize });
        }
        (x, y) = (before_x, before_y);
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::edit::merge::{common, lines, merge};

    const BASE: &str = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n";

    #[test]
    fn changes_of_different_lines_survive() {
        let ours = BASE.replace('1', "10");
        let theirs = BASE.replace('3', "30").replace("  \"b\": 2,\n", "");
        let both = "{\n  \"a\": 10,\n  \"c\": 30\n}\n";
        assert_eq!(merge(BASE, &ours, &theirs).as_deref(), Some(both));
        assert_eq!(merge(BASE, &theirs, &ours).as_deref(), Some(both));
        let (ours, theirs) = (BASE.replace('1', "10"), BASE.replace('2', "20"));
        assert_eq!(merge(BASE, &ours, &theirs), Some(ours.replace('2', "20")), "lines side by side");
    }

    #[test]
    fn changes_of_one_line_are_a_conflict_unless_they_are_the_same() {
        let (ours, theirs) = (BASE.replace('2', "20"), BASE.replace('2', "21"));
        assert_eq!(merge(BASE, &ours, &theirs), None);
        assert_eq!(merge(BASE, &ours, &ours), Some(ours.clone()));
        let put = |what: &str| BASE.replace("  \"c\"", &format!("  \"{what}\": 0,\n  \"c\""));
        assert_eq!(merge(BASE, &put("x"), &put("y")), None, "which of the two comes first?");
        assert_eq!(merge(BASE, &put("x"), &BASE.replace("2,", "5,")), None, "before or after that line?");
        assert_eq!(merge(BASE, &put("x"), &BASE.replace('1', "7")), Some(put("x").replace('1', "7")));
        // Something that both did, and something that one did.
        let theirs = ours.replace('1', "10");
        assert_eq!(merge(BASE, &ours, &theirs), Some(theirs.clone()));
    }

    #[test]
    fn texts_without_anything_in_common_and_empty_texts_are_merged_or_not() {
        assert_eq!(merge("", "a\n", ""), Some("a\n".to_owned()));
        assert_eq!(merge("", "a\n", "b\n"), None);
        assert_eq!(merge("a\nb", "", "a\nb\nc"), None);
        let long: String = (0..5000).map(|number| format!("{number}\n")).collect();
        let other: String = (0..5000).map(|number| format!("x{number}\n")).collect();
        assert_eq!(merge(&long, &other, &long.replace("\n3\n", "\n4\n")), None);
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(0_u8..5, 0..14)
    }

    fn spelled(letters: &[u8]) -> String {
        letters.iter().map(|letter| format!("{letter}\n")).collect()
    }

    /// The length of the longest common list, by the book.
    fn longest(a: &[&str], b: &[&str]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (x, first) in a.iter().enumerate() {
            for (y, second) in b.iter().enumerate() {
                table[x + 1][y + 1] =
                    if first == second { table[x][y] + 1 } else { table[x][y + 1].max(table[x + 1][y]) };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_in_common_is_as_much_as_can_be(a in text(), b in text()) {
            let (a, b) = (spelled(&a), spelled(&b));
            let (a, b) = (lines(&a), lines(&b));
            let pairs = common(&a, &b);
            prop_assert!(pairs.iter().all(|pair| a[pair.old] == b[pair.new]));
            prop_assert!(pairs.windows(2).all(|two| two[0].old < two[1].old && two[0].new < two[1].new));
            prop_assert_eq!(pairs.len(), longest(&a, &b));
        }

        #[test]
        fn one_side_alone_is_taken_and_both_sides_agree_on_the_outcome(
            base in text(), ours in text(), theirs in text(),
        ) {
            let [base, ours, theirs] = [base, ours, theirs].map(|letters| spelled(&letters));
            prop_assert_eq!(merge(&base, &ours, &base), Some(ours.clone()));
            prop_assert_eq!(merge(&base, &base, &theirs), Some(theirs.clone()));
            prop_assert_eq!(merge(&base, &ours, &theirs), merge(&base, &theirs, &ours));
        }

        #[test]
        fn marked_changes_at_different_places_are_all_there(
            count in 6_usize..30, first in 0_usize..30, second in 0_usize..30,
        ) {
            let (first, second) = (first % count, second % count);
            prop_assume!(first.abs_diff(second) > 1);
            let base: Vec<String> = (0..count).map(|line| format!("line {line}\n")).collect();
            let (mut ours, mut theirs, mut both) = (base.clone(), base.clone(), base.clone());
            ours[first] = "ours\n".to_owned();
            theirs.insert(second, "theirs\n".to_owned());
            both[first] = "ours\n".to_owned();
            both.insert(second, "theirs\n".to_owned());
            // Put right behind the other's line, the order would not be plain.
            prop_assume!(second != first + 1);
            prop_assert_eq!(merge(&base.concat(), &ours.concat(), &theirs.concat()), Some(both.concat()));
        }
    }
}
