//! Values written to fields that are read-only: those of handles and libraries.

use crate::script::bind::instead_of_setting;
use crate::shell::lint::finding::{Finding, code};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::value::Value;

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<Finding>) {
    for write in &reading.tree.field_writes {
        let owner = match reading.value(write.object) {
            Value::Handle(owner) | Value::Library(owner) => owner.to_owned(),
            Value::Native(library) => library,
            _ => continue,
        };
        let name = &write.name.text;
        let instead = instead_of_setting(&owner, name);
        let message = format!("{owner}: fields are read-only, \"{name}\" cannot be set; {instead}");
        findings.push(Finding::error(code::READ_ONLY, write.name.place, message));
    }
}
