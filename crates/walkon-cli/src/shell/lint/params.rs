//! Reads the parameters that a behaviour declares from its text.
//!
//! In: the table that a behaviour returns. Out: the declarations, when all of them stand there as plain data.
//! Holds: the runtime's own reading judges them. Not here: the values in levels (`shell/scripts`).

use std::collections::BTreeMap;

use walkon_runtime::base::ordered::CollectOrdered;

use super::finding::{LintFinding, code, is_full};
use super::infer::Reading;
use super::tree::{ExprId, ExprKind, SyntaxTree, TableItem};
use super::value::InferredValue;
use crate::base::value::{Plain, PlainKey};
use crate::script::check::Declared;

/// How deep data may lie.
const DEPTH_MAX: u32 = 32;
/// How many values it may have: a table can stand in many places, and in each of them again.
const VALUES_MAX: u32 = 10_000;

/// The declarations of the behaviour whose file returns `table`; none when the text does not say all of them.
pub(super) fn declared(
    tree: &SyntaxTree,
    table: ExprId,
    findings: &mut Vec<LintFinding>,
) -> Option<Declared> {
    let Some(params) = tree.entry(table, "params") else {
        let is_given_later = tree.writes_to(table).any(|write| write.name.text == "params");
        return (!is_given_later).then(|| Declared::read(&Plain::Map(BTreeMap::new())).ok())?;
    };
    let value = plain(tree, params, DEPTH_MAX, &mut VALUES_MAX.clone())?;
    let is_added_to = tree.field_writes.iter().any(|write| match tree.kind(write.object) {
        ExprKind::Field(_, name) => name.text == "params",
        _ => tree
            .table(write.object)
            .is_some_and(|(made, _)| Some(made) == tree.table(params).map(|(own, _)| own)),
    });
    if is_added_to {
        return None;
    }
    match Declared::read(&value) {
        Ok(declared) => Some(declared),
        Err(sentence) => {
            // Keys and words have rules of their own, which name the place.
            let is_said = findings.iter().any(|found| {
                let whole = tree.place(params);
                (whole.start..=whole.end).contains(&found.place.start)
            });
            if !is_said {
                findings.push(LintFinding::error(code::PARAMS, tree.place(params), sentence));
            }
            None
        }
    }
}

/// Parameters that the behaviour asks for, as `self.params.post`, and does not declare: they are nil.
pub(super) fn asked_for(
    reading: &Reading<'_>,
    table: ExprId,
    declared: &Declared,
    findings: &mut Vec<LintFinding>,
) {
    for expr in &reading.tree.exprs {
        let ExprKind::Field(object, name) = &expr.kind else { continue };
        let ExprKind::Field(own, params) = reading.tree.kind(*object) else { continue };
        let is_own = params.text == "params" && reading.value(*own) == InferredValue::Myself(table);
        if !is_own || declared.names().any(|known| known == name.text) || is_full(findings) {
            continue;
        }
        let message = format!("self.params: unknown parameter \"{}\"", name.text);
        let finding = LintFinding::error(code::UNKNOWN_NAME, name.place, message);
        findings.push(finding.suggest(&name.text, declared.names()));
    }
}

/// An expression that is data, as data.
fn plain(tree: &SyntaxTree, id: ExprId, depth: u32, left: &mut u32) -> Option<Plain> {
    if depth == 0 || *left == 0 {
        return None;
    }
    *left -= 1;
    match tree.kind(id) {
        ExprKind::Bool(value) => Some(Plain::Bool(*value)),
        ExprKind::Number(value) => Some(Plain::Number(*value)),
        ExprKind::Minus(value) => match tree.kind(*value) {
            ExprKind::Number(value) => Some(Plain::Number(-value)),
            _ => None,
        },
        ExprKind::Text(text) => Some(Plain::Text(text.clone())),
        ExprKind::Local(_) => match tree.text(id) {
            Some(text) => Some(Plain::Text(text.to_owned())),
            None => tree.table(id).and_then(|(made, _)| plain(tree, made, depth - 1, left)),
        },
        ExprKind::Table(items) => {
            let is_list = !items.is_empty() && items.iter().all(|item| matches!(item, TableItem::Listed(_)));
            if is_list {
                let values = items.iter().map(|item| match item {
                    TableItem::Listed(value) => plain(tree, *value, depth - 1, left),
                    _ => None,
                });
                return values.collect::<Option<Vec<_>>>().map(Plain::List);
            }
            let entries = items.iter().map(|item| match item {
                TableItem::Named(word, value) => {
                    let value = plain(tree, *value, depth - 1, left).ok_or(())?;
                    Ok((PlainKey::Name(word.text.clone()), value))
                }
                _ => Err(()),
            });
            entries.try_collect_map().ok().map(Plain::Map)
        }
        _ => None,
    }
}
