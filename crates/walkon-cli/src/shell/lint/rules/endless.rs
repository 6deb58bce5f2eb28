//! Endless loops without a wait, which the runtime would stop.
//!
//! Holds: a loop is named only when nothing in it can leave it: no `break`, no `return`, and no call of
//! anything that might wait or raise, as functions of other files might.

use std::collections::BTreeSet;

use crate::shell::lint::finding::{LintFinding, code};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::tree::{ExprId, ExprKind, FunctionId, ValueUse};
use crate::shell::lint::value::InferredValue;

/// Libraries of Luau whose functions give back what they were asked for, and nothing else.
const HARMLESS: [&str; 5] = ["math", "string", "table", "bit32", "vector"];
/// Globals of Luau like them.
const PLAIN: [&str; 11] = [
    "print", "pairs", "ipairs", "next", "tostring", "tonumber", "type", "typeof", "select", "rawget",
    "rawlen",
];

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    for found in reading.tree.endless.iter().filter(|found| !found.is_left) {
        let inside = (found.inside.0..found.inside.1).map(ExprId);
        let mut seen = BTreeSet::new();
        let mut own = inside.filter(|id| reading.tree.expr(*id).function == found.function);
        if own.any(|id| may_leave(reading, id, &mut seen)) {
            continue;
        }
        let message = "this loop never ends and never waits";
        let help = "wait in it, as with task.sleep, or leave it with break";
        findings.push(LintFinding::error(code::ENDLESS, found.place, message).help(help));
    }
}

/// Whether a call may wait or raise. `seen` are the functions of the file that were looked into.
fn may_leave(reading: &Reading<'_>, id: ExprId, seen: &mut BTreeSet<FunctionId>) -> bool {
    // Bounded by the functions of the file: each is looked into once.
    let mut next = vec![id];
    while let Some(id) = next.pop() {
        match verdict(reading, id) {
            LoopEnd::Leaves => return true,
            LoopEnd::Stays => {}
            LoopEnd::Calls(function) => {
                if seen.insert(function) {
                    next.extend(reading.tree.exprs_of(function));
                }
            }
        }
    }
    false
}

enum LoopEnd {
    Stays,
    Leaves,
    Calls(FunctionId),
}

fn verdict(reading: &Reading<'_>, id: ExprId) -> LoopEnd {
    let value = match reading.tree.kind(id) {
        // A written loop over the values of a function runs that function.
        ExprKind::Call(callee, _) => match reading.tree.kind(*callee) {
            ExprKind::Global(name) if PLAIN.contains(&name.as_str()) => return LoopEnd::Stays,
            ExprKind::Field(library, _) => match reading.value(*library) {
                InferredValue::Native(library) if HARMLESS.contains(&library.as_str()) => {
                    return LoopEnd::Stays;
                }
                _ => reading.value(*callee),
            },
            _ => reading.value(*callee),
        },
        ExprKind::Method(object, name, _) => reading.member(*object, &name.text),
        // An iterator, a method of an operator: what is written to a table may run code of its own.
        _ => return LoopEnd::Stays,
    };
    if matches!(reading.tree.expr(id).used, ValueUse::Other) && reading.tree.loops.contains(&id) {
        return LoopEnd::Leaves;
    }
    match value {
        InferredValue::Entry(entry) if !entry.waits => LoopEnd::Stays,
        InferredValue::Function(function) => LoopEnd::Calls(function),
        _ => LoopEnd::Leaves,
    }
}
