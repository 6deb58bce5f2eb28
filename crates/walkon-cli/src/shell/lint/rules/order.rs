//! Loops over tables whose keys are handles, tables or functions: their order differs from run to run
//! (fault:I1).
//!
//! In: a reading. Out: warnings. Holds: a table is judged by the keys that the file itself writes to it.

use crate::shell::lint::finding::{LintFinding, code};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::tree::{ExprId, ExprKind, TableItem};
use crate::shell::lint::value::InferredValue;

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    for over in &reading.tree.loops {
        let list = match reading.tree.kind(*over) {
            ExprKind::Call(callee, args) => match (reading.tree.kind(*callee), args.first()) {
                (ExprKind::Global(name), Some(list)) if name == "pairs" => *list,
                _ => continue,
            },
            ExprKind::Global(name) if name == "next" => continue,
            _ => *over,
        };
        if let Some(what) = unordered_key(reading, list) {
            let message =
                format!("the order of a loop over keys that are {what} is not the same in every run");
            let help = "use .name or .id as the key, or keep a list beside it";
            findings.push(LintFinding::warning(code::ORDER, reading.tree.place(list), message).help(help));
        }
    }
}

/// What the keys of a table are, when some of them have no order.
fn unordered_key(reading: &Reading<'_>, list: ExprId) -> Option<&'static str> {
    let InferredValue::Table(made) = reading.value(list) else { return None };
    let ExprKind::Table(items) = reading.tree.kind(made) else { return None };
    let own = items.iter().filter_map(|item| match item {
        TableItem::Keyed(key, _) => Some(*key),
        _ => None,
    });
    let written = reading.tree.key_writes.iter();
    let written = written.filter(|(object, _)| reading.value(*object) == InferredValue::Table(made));
    own.chain(written.map(|(_, key)| *key)).find_map(|key| match reading.value(key) {
        InferredValue::Handle(_) => Some("handles"),
        InferredValue::Table(_) => Some("tables"),
        InferredValue::Function(_) => Some("functions"),
        _ => None,
    })
}
