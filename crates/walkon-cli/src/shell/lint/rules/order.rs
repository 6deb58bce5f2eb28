//! Loops over tables whose keys are handles, tables or functions: their order differs from run to run (fault:I1).

use crate::shell::lint::finding::{Finding, code};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::tree::{ExprId, Item, Kind};
use crate::shell::lint::value::Value;

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<Finding>) {
    for over in &reading.tree.loops {
        let list = match reading.tree.kind(*over) {
            Kind::Call(callee, args) => match (reading.tree.kind(*callee), args.first()) {
                (Kind::Global(name), Some(list)) if name == "pairs" => *list,
                _ => continue,
            },
            Kind::Global(name) if name == "next" => continue,
            _ => *over,
        };
        if let Some(what) = unordered_key(reading, list) {
            let message =
                format!("the order of a loop over keys that are {what} is not the same in every run");
            let help = "use .name or .id as the key, or keep a list beside it";
            findings.push(Finding::warning(code::ORDER, reading.tree.place(list), message).help(help));
        }
    }
}

/// What the keys of a table are, when some of them have no order.
fn unordered_key(reading: &Reading<'_>, list: ExprId) -> Option<&'static str> {
    let Value::Table(made) = reading.value(list) else { return None };
    let Kind::Table(items) = reading.tree.kind(made) else { return None };
    let own = items.iter().filter_map(|item| match item {
        Item::Keyed(key, _) => Some(*key),
        _ => None,
    });
    let written = reading.tree.key_writes.iter();
    let written = written.filter(|(object, _)| reading.value(*object) == Value::Table(made));
    own.chain(written.map(|(_, key)| *key)).find_map(|key| match reading.value(key) {
        Value::Handle(_) => Some("handles"),
        Value::Table(_) => Some("tables"),
        Value::Function(_) => Some("functions"),
        _ => None,
    })
}
