//! Assignments to read-only fields of handles and libraries.
//!
//! In: a reading. Out: findings that name what to call instead.

use crate::script::bind::instead_of_setting;
use crate::shell::lint::finding::{LintFinding, code};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::value::InferredValue;

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    for write in &reading.tree.field_writes {
        let owner = match reading.value(write.object) {
            InferredValue::Handle(owner) | InferredValue::Library(owner) => owner.to_owned(),
            InferredValue::Native(library) => library,
            _ => continue,
        };
        let name = &write.name.text;
        let instead = instead_of_setting(&owner, name);
        let message = format!("{owner}: fields are read-only, \"{name}\" cannot be set; {instead}");
        findings.push(LintFinding::error(code::READ_ONLY, write.name.place, message));
    }
}
