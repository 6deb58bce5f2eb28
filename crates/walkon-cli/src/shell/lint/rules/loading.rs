//! Calls of the API while a file loads, when there is no world yet.
//!
//! In: a reading. Out: findings for calls in the body of the file. Never: calls inside functions, which may
//! run later.

use crate::shell::lint::finding::{LintFinding, code};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::tree::BODY;

/// Libraries that work while a file loads.
const WORLDLESS: [&str; 3] = ["bt", "log", "test"];

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    for id in reading.tree.exprs_of(BODY).iter().copied() {
        let Some(called) = reading.called(id) else { continue };
        if WORLDLESS.contains(&called.entry.owner) {
            continue;
        }
        let message = format!("{}: there is no world while a file loads", called.entry.called);
        let finding = LintFinding::error(code::LOAD, reading.tree.place(id), message);
        findings.push(finding.help("call it from start, onStart or later"));
    }
}
