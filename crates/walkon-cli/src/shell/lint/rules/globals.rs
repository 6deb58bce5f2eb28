//! Globals that are read and never written.
//!
//! In: a reading. Out: findings that suggest what to use instead, or the nearest known name. Holds: a global
//! that any line of the file writes is known.

use std::collections::BTreeSet;

use walkon_runtime::base::ordered::CollectOrdered;

use crate::script::vm::hints::instead_of_absent;
use crate::shell::lint::finding::{LintFinding, code, is_full};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::tree::ExprKind;

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    let written: BTreeSet<&str> =
        reading.tree.global_writes.iter().map(|write| write.name.text.as_str()).collect_set();
    for expr in &reading.tree.exprs {
        let ExprKind::Global(name) = &expr.kind else { continue };
        if reading.api.is_global(name) || written.contains(name.as_str()) {
            continue;
        }
        if is_full(findings) {
            return;
        }
        let known = reading.api.global_names().chain(written.iter().copied());
        let locals = reading.tree.locals.iter().map(|local| local.name.as_str());
        let message = format!("unknown global \"{name}\"");
        let finding = LintFinding::error(code::UNKNOWN_GLOBAL, expr.place, message);
        findings.push(match instead_of_absent(name) {
            Some(instead) => finding.help(instead),
            None => finding.suggest(name, known.chain(locals)),
        });
    }
}
