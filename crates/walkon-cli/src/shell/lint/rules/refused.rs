//! Values that every run refuses although their types are right.
//!
//! In: a reading. Out: findings, in the words of a run. Holds: only values that stand in the text are judged.
//! Not here: calls that can be tried (`trials`), parameters (`params`).

use crate::script::bind::table::Binding;
use crate::shell::lint::finding::{LintFinding, code};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::role::ScriptRole;
use crate::shell::lint::tree::{ExprId, ExprKind};

/// Numbers of a behaviour that count something, from 1.
const COUNTS: [&str; 2] = ["updateEvery", "version"];

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    empty_races(reading, findings);
    if let ScriptRole::Behaviour(table) = reading.role {
        findings.extend(COUNTS.iter().filter_map(|name| no_count(reading, table, name)));
    }
}

/// A race without entries: nobody can win it.
fn empty_races(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    for id in reading.tree.ids() {
        let Some(called) = reading.called(id).filter(|called| is_race(called.entry)) else { continue };
        let Some(entries) = called.args.first().filter(|_| !called.is_crossed) else { continue };
        if matches!(reading.tree.kind(*entries), ExprKind::Table(items) if items.is_empty()) {
            let message = format!("{}: entries is empty, expected at least one entry", called.entry.called);
            findings.push(LintFinding::error(code::ARGUMENT, reading.tree.place(*entries), message));
        }
    }
}

fn is_race(entry: &Binding) -> bool {
    entry.called == "task.race" || (entry.owner == "Scene" && entry.name() == "race")
}

/// A number of a behaviour that is no count.
fn no_count(reading: &Reading<'_>, table: ExprId, name: &str) -> Option<LintFinding> {
    let mut given = reading.tree.named_in(table, name);
    let value = given.next()??;
    // Of several nobody knows which one holds.
    if given.next().is_some() {
        return None;
    }
    let number = number(reading, value)?;
    let message = format!("behaviour: {name} is {number}, expected a whole number from 1");
    (number < 1.0 || number.fract() != 0.0)
        .then(|| LintFinding::error(code::ARGUMENT, reading.tree.place(value), message))
}

/// A number that stands in the text.
fn number(reading: &Reading<'_>, id: ExprId) -> Option<f64> {
    match reading.tree.kind(id) {
        ExprKind::Number(value) => Some(*value),
        ExprKind::Minus(inner) => match reading.tree.kind(*inner) {
            ExprKind::Number(value) => Some(-value),
            _ => None,
        },
        _ => None,
    }
}
