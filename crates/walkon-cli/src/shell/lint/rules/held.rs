//! Characters that a scene sends, or lets speak, without holding them, and those that it holds twice.
//!
//! Holds: a scene is judged when its list of held characters and the name of the character stand in the text;
//! others are not.

use std::collections::BTreeSet;

use crate::shell::lint::finding::{LintFinding, code};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::role::ScriptRole;
use crate::shell::lint::tree::{Assigned, ExprId, ExprKind, TableItem};
use crate::shell::lint::value::InferredValue;

/// Verbs of a scene that are for held characters only.
const VERBS: [&str; 2] = ["walk", "start"];

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    let ScriptRole::Cinematic(table) = reading.role else { return };
    held_twice(reading, table, findings);
    let Some(held) = held(reading, table) else { return };
    for id in reading.tree.ids() {
        let ExprKind::Method(object, verb, args) = reading.tree.kind(id) else { continue };
        if !VERBS.contains(&verb.text.as_str()) || reading.value(*object) != InferredValue::Handle("Scene") {
            continue;
        }
        let Some(name) = args.first().and_then(|who| character(reading, *who)) else { continue };
        if held.contains(name) {
            continue;
        }
        let message = format!("{}: character \"{name}\" is not held by the cinematic", verb.text);
        let place = reading.tree.place(args[0]);
        findings
            .push(LintFinding::error(code::HELD, place, message).help(format!("add \"{name}\" to holds")));
    }
}

/// Names that stand in the list of held characters again.
fn held_twice(reading: &Reading<'_>, table: ExprId, findings: &mut Vec<LintFinding>) {
    let list = reading.tree.entry(table, "holds").and_then(|list| reading.tree.table(list));
    let Some((_, items)) = list else { return };
    let mut seen = BTreeSet::new();
    for item in items {
        let TableItem::Listed(value) = item else { continue };
        let Some(name) = reading.tree.text(*value).filter(|name| !seen.insert(*name)) else { continue };
        let message = format!("holds: character \"{name}\" is named twice");
        let finding = LintFinding::warning(code::HELD, reading.tree.place(*value), message);
        findings.push(finding.help("name each character once"));
    }
}

/// Names of the characters that the scene holds, when the text says all of them.
fn held<'a>(reading: &'a Reading<'_>, table: ExprId) -> Option<BTreeSet<&'a str>> {
    let Some(list) = reading.tree.entry(table, "holds") else { return Some(BTreeSet::new()) };
    let (_, items) = reading.tree.table(list)?;
    let names = items.iter().map(|item| match item {
        TableItem::Listed(name) => reading.tree.text(*name),
        _ => None,
    });
    let mut held = BTreeSet::new();
    for name in names {
        held.insert(name?);
    }
    Some(held)
}

/// The name of a character that is `world.character("name")`, itself or through locals that are given nothing
/// else.
fn character<'a>(reading: &'a Reading<'_>, id: ExprId) -> Option<&'a str> {
    let mut at = id;
    // A chain of locals longer than this is nobody's name.
    for _ in 0..8 {
        match reading.tree.kind(at) {
            ExprKind::Call(..) => {
                let called = reading.called(at).filter(|called| called.entry.called == "world.character")?;
                return reading.tree.text(*called.args.first()?);
            }
            ExprKind::Local(local) => match reading.tree.local(*local).given.as_slice() {
                [Assigned::Value(value)] => at = *value,
                _ => return None,
            },
            _ => return None,
        }
    }
    None
}
