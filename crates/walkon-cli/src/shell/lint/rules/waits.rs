//! Waits where none is allowed: in `update`, in predicates, in any function that the API marks as not
//! waiting.
//!
//! In: a reading. Out: findings with the line of the wait. Never: waits through functions of other files.
//!
//! Method: the use of a function tells whether it may wait; a function waits when it calls one that does,
//! itself or through functions of its file. Each is named once, at the call that leads to the wait.

use std::collections::{BTreeMap, VecDeque};

use crate::script::types::luau_type::Type;
use crate::shell::lint::finding::{LintFinding, code};
use crate::shell::lint::infer::{FunctionUse, Reading};
use crate::shell::lint::tree::{BODY, ExprId, ExprKind, FunctionId, ValueUse};
use crate::shell::lint::value::InferredValue;

/// How the table says that a function may not wait.
const MAY_NOT_WAIT: &str = "may not wait";
/// Functions of Luau whose callbacks run inside a call of the VM, which cannot be left.
const INSIDE_CALLS: [(&str, &str); 3] = [("table", "sort"), ("string", "gsub"), ("coroutine", "wrap")];

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    let waits = waiting(reading);
    for index in 0..reading.tree.functions.len() as u32 {
        let function = FunctionId(index);
        let Some(who) = restricted(reading, function) else { continue };
        for id in reading.tree.exprs_of(function).iter().copied() {
            if let Some(wait) = wait_of(reading, id, &waits) {
                let place = wait.place(reading, id);
                let message = format!("{}: {who} may not wait{}", wait.called, wait.through());
                // What the last functions of an owner start ends with it.
                let help = match who.as_str() {
                    "onEnd" | "onStop" | "stop" => "emit an event that other code hears",
                    _ => "start a task with task.spawn, or use handlers",
                };
                findings.push(LintFinding::error(code::WAIT, place, message).help(help));
            }
        }
    }
}

/// A call that waits.
struct WaitCall {
    called: String,
    /// The line of the wait, when it lies in another function.
    line: Option<u32>,
}

impl WaitCall {
    fn through(&self) -> String {
        self.line.map_or_else(String::new, |line| format!(", and it waits in line {line}"))
    }

    fn place(&self, reading: &Reading<'_>, id: ExprId) -> crate::shell::lint::tree::TextPlace {
        match reading.tree.kind(id) {
            ExprKind::Method(_, name, _) => name.place,
            ExprKind::Call(callee, _) => reading.tree.place(*callee),
            _ => reading.tree.place(id),
        }
    }
}

fn wait_of(reading: &Reading<'_>, id: ExprId, waits: &BTreeMap<FunctionId, u32>) -> Option<WaitCall> {
    if let Some(called) = reading.called(id) {
        return called.entry.waits.then(|| WaitCall { called: called.entry.called.to_owned(), line: None });
    }
    let function = callee(reading, id)?;
    let line = *waits.get(&function)?;
    let called = match reading.tree.kind(id) {
        ExprKind::Method(_, name, _) => name.text.clone(),
        ExprKind::Call(callee, _) => match reading.tree.kind(*callee) {
            ExprKind::Local(local) => reading.tree.local(*local).name.clone(),
            ExprKind::Global(name) => name.clone(),
            ExprKind::Field(_, name) => name.text.clone(),
            _ => return None,
        },
        _ => return None,
    };
    Some(WaitCall { called, line: Some(line) })
}

/// The function of this file that a call calls.
fn callee(reading: &Reading<'_>, id: ExprId) -> Option<FunctionId> {
    let value = match reading.tree.kind(id) {
        ExprKind::Call(callee, _) => reading.value(*callee),
        ExprKind::Method(object, name, _) => reading.member(*object, &name.text),
        _ => return None,
    };
    match value {
        InferredValue::Function(function) => Some(function),
        _ => None,
    }
}

/// Functions that wait, with the line of the first wait in them.
fn waiting(reading: &Reading<'_>) -> BTreeMap<FunctionId, u32> {
    let mut waits = BTreeMap::new();
    let mut callers: BTreeMap<FunctionId, Vec<FunctionId>> = BTreeMap::new();
    for id in reading.tree.ids().filter(|id| reading.tree.expr(*id).function != BODY) {
        let expr = reading.tree.expr(id);
        if !matches!(expr.kind, ExprKind::Call(..) | ExprKind::Method(..)) {
            continue;
        }
        if reading.called(id).is_some_and(|called| called.entry.waits) {
            waits.entry(expr.function).or_insert(expr.place.line);
        } else if let Some(function) = callee(reading, id) {
            callers.entry(function).or_default().push(expr.function);
        }
    }
    let mut next: VecDeque<FunctionId> = waits.keys().copied().collect();
    // Bounded by the calls: each function is looked at once.
    while let Some(function) = next.pop_front() {
        let line = waits.get(&function).copied().unwrap_or_default();
        for caller in callers.get(&function).into_iter().flatten() {
            waits.entry(*caller).or_insert_with(|| {
                next.push_back(*caller);
                line
            });
        }
    }
    waits
}

/// The name of a function that may not wait, as messages call it; none for functions that may.
fn restricted(reading: &Reading<'_>, function: FunctionId) -> Option<String> {
    let made = reading.tree.function(function).made_by?;
    let used = &reading.tree.expr(made).used;
    if let ValueUse::Argument(call) = used
        && let ExprKind::Call(callee, _) = reading.tree.kind(*call)
        && let ExprKind::Field(library, name) = reading.tree.kind(*callee)
        && let InferredValue::Native(library) = reading.value(*library)
        && INSIDE_CALLS.contains(&(library.as_str(), name.text.as_str()))
    {
        return Some(format!("a function given to {library}.{}", name.text));
    }
    let FunctionUse::Typed(own, doc) = reading.wanted_function(function)? else { return None };
    let is_predicate = matches!(&own, Type::Function(_, returns)
        if matches!(returns.as_slice(), [one] if *one == Type::Name("boolean".to_owned())));
    if !is_predicate && !doc.contains(MAY_NOT_WAIT) {
        return None;
    }
    Some(match used {
        ValueUse::Item(_, Some(name)) | ValueUse::Field(_, name) | ValueUse::Global(name) => name.clone(),
        ValueUse::Argument(call) => {
            let called = reading.called(*call).map_or("", |called| called.entry.called);
            format!("a function given to {called}")
        }
        _ => "a predicate".to_owned(),
    })
}
