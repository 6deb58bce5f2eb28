//! Methods called with a dot, functions called with a colon.
//!
//! In: a reading. Out: findings that name the right way to call.

use crate::shell::lint::finding::{LintFinding, code};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::tree::ExprKind;

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    for id in reading.tree.ids() {
        let Some(called) = reading.called(id).filter(|called| called.is_crossed) else { continue };
        let (place, message) = match reading.tree.kind(id) {
            ExprKind::Call(callee, _) => {
                let ExprKind::Field(_, name) = reading.tree.kind(*callee) else { continue };
                (name.place, format!("{}: called with a dot; write :{}(...)", name.text, name.text))
            }
            ExprKind::Method(_, name, _) => {
                let right = called.entry.called;
                (name.place, format!("{right}: called with a colon; write {right}(...)"))
            }
            _ => continue,
        };
        findings.push(LintFinding::error(code::COLON, place, message));
    }
}
