//! Duplicate names in one table: the value of the first is lost.
//!
//! In: a reading. Out: notes at the later one. Not here: fields that are written to a table after it was
//! made.

use std::collections::BTreeSet;

use crate::shell::lint::finding::{LintFinding, code, is_full};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::tree::{ExprKind, TableItem};

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    for expr in &reading.tree.exprs {
        let ExprKind::Table(items) = &expr.kind else { continue };
        let mut seen = BTreeSet::new();
        for item in items {
            let TableItem::Named(word, _) = item else { continue };
            if seen.insert(word.text.as_str()) {
                continue;
            }
            if is_full(findings) {
                return;
            }
            let message = format!("the table has \"{}\" twice: the last value holds", word.text);
            findings.push(LintFinding::note(code::TWICE, word.place, message));
        }
    }
}
