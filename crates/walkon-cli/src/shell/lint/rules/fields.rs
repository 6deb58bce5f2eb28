//! Fields and methods that a library, a handle or a result does not have.
//!
//! In: a reading. Out: findings that suggest the nearest known name. Holds: a value whose type is not certain
//! is not reported.

use std::collections::{BTreeMap, BTreeSet};

use walkon_runtime::base::ordered::CollectOrdered;

use crate::base::suggestions;
use crate::script::bind::table::{Binding, EntryKind};
use crate::script::vm::hints::instead_of_absent;
use crate::shell::lint::finding::{LintFinding, code, is_full};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::tree::{ExprId, ExprKind, TableItem, ValueUse, Word};
use crate::shell::lint::value::InferredValue;

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    for expr in &reading.tree.exprs {
        if is_full(findings) {
            break;
        }
        match &expr.kind {
            ExprKind::Field(object, name) => field(reading, *object, name, findings),
            ExprKind::Method(object, name, _) => method(reading, *object, name, findings),
            _ => {}
        }
    }
}

fn field(reading: &Reading<'_>, object: ExprId, name: &Word, findings: &mut Vec<LintFinding>) {
    let value = reading.value(object);
    match &value {
        InferredValue::Library(owner) | InferredValue::Handle(owner) => {
            of_api(reading, &value, owner, name, findings)
        }
        InferredValue::Shape("Behaviour") => {}
        InferredValue::Shape(shape) => {
            let Some(fields) = reading.api.fields(shape) else { return };
            if fields.iter().any(|field| field.name == name.text) {
                return;
            }
            let message = format!("{shape}: unknown field \"{}\"", name.text);
            let known = fields.iter().map(|field| field.name.as_str());
            findings
                .push(LintFinding::error(code::UNKNOWN_NAME, name.place, message).suggest(&name.text, known));
        }
        InferredValue::Native(library) => of_native(reading, library, name, findings),
        InferredValue::Myself(own) => findings.extend(of_myself(reading, *own, name)),
        InferredValue::Entry(entry) => of_function(entry, name, findings),
        _ => {}
    }
}

fn method(reading: &Reading<'_>, object: ExprId, name: &Word, findings: &mut Vec<LintFinding>) {
    let value = reading.value(object);
    match &value {
        InferredValue::Library(owner) | InferredValue::Handle(owner) => {
            of_api(reading, &value, owner, name, findings)
        }
        InferredValue::Text => of_native(reading, "string", name, findings),
        InferredValue::Myself(own) if is_verb(reading, *own, name) => {
            let message = format!("self: unknown field \"{}\"", name.text);
            let help = format!("verbs of the character are its own: write self.character:{}(...)", name.text);
            findings.push(LintFinding::error(code::UNKNOWN_NAME, name.place, message).help(help));
        }
        InferredValue::Myself(own) => findings.extend(of_myself(reading, *own, name)),
        InferredValue::Entry(entry) => of_function(entry, name, findings),
        _ => {}
    }
}

/// Whether a name is a verb of characters, and nothing in the file gives it to `self`.
fn is_verb(reading: &Reading<'_>, own: ExprId, name: &Word) -> bool {
    let verb = reading.api.entry(&InferredValue::Handle("Character"), &name.text);
    verb.is_some_and(|verb| verb.kind == EntryKind::Method) && !is_of_self(reading, own, name)
}

/// `world.player:walkTo(...)`: a function of the API has no fields.
fn of_function(entry: &Binding, name: &Word, findings: &mut Vec<LintFinding>) {
    let message = format!("{} is a function: it has no field \"{}\"", entry.called, name.text);
    let help = format!("call it, {}(...)", entry.called);
    findings.push(LintFinding::error(code::UNKNOWN_NAME, name.place, message).help(help));
}

fn of_api(
    reading: &Reading<'_>,
    value: &InferredValue,
    owner: &str,
    name: &Word,
    findings: &mut Vec<LintFinding>,
) {
    let Some(entries) = reading.api.entries(value) else { return };
    if entries.iter().any(|entry| entry.name() == name.text) {
        return;
    }
    let message = format!("{owner}: unknown field \"{}\"", name.text);
    let finding = LintFinding::error(code::UNKNOWN_NAME, name.place, message);
    let instead = instead_of_absent(&format!("{owner}.{}", name.text)).map(str::to_owned);
    let waited = || result_with(reading, value, &name.text);
    let waited = || waited().map(|result| format!("this field belongs to {result}: call :wait() first"));
    findings.push(match instead.or_else(waited) {
        Some(help) => finding.help(help),
        None => finding.suggest(&name.text, entries.iter().map(|entry| entry.name())),
    });
}

/// The result of a handle, when it has a field of that name.
fn result_with(reading: &Reading<'_>, value: &InferredValue, name: &str) -> Option<&'static str> {
    let wait = reading.api.entry(value, "wait")?;
    let InferredValue::Shape(result) = reading.api.result(wait, 0) else { return None };
    reading.api.fields(result)?.iter().any(|field| field.name == name).then_some(result)
}

fn of_native(reading: &Reading<'_>, library: &str, name: &Word, findings: &mut Vec<LintFinding>) {
    let Some(members) = reading.api.members(library) else { return };
    if !members.contains(&name.text) {
        let message = format!("{library}: unknown field \"{}\"", name.text);
        let known = members.iter().map(String::as_str);
        findings.push(LintFinding::error(code::UNKNOWN_NAME, name.place, message).suggest(&name.text, known));
    }
}

/// Whether the API or any line of the file gives a field of this name to `self`.
fn is_of_self(reading: &Reading<'_>, own: ExprId, name: &Word) -> bool {
    let fields = reading.api.fields("Behaviour").unwrap_or_default();
    fields.iter().any(|field| field.name == name.text)
        || reading.tree.named_in(own, &name.text).next().is_some()
        || reading.tree.fields_named(&name.text).next().is_some()
}

/// Fields of `self` are free, so only a slip is said: nobody writes the field, and one that is there is near.
fn of_myself(reading: &Reading<'_>, own: ExprId, name: &Word) -> Option<LintFinding> {
    if is_of_self(reading, own, name) {
        return None;
    }
    let fields = reading.api.fields("Behaviour").unwrap_or_default();
    let own_names = reading.tree.names_in(own);
    let known = fields.iter().map(|field| field.name.as_str());
    let known = known.chain(own_names.iter().map(|(word, _)| word.text.as_str()));
    let near = suggestions::nearest(&name.text, known)?;
    Some(unknown_of_myself(name).help(format!("did you mean \"{near}\"?")))
}

/// Calls of fields of `self` that the behaviour `own` cannot have; `is_given` says whether another script
/// writes a field of that name. Nothing is said of a name that is also asked for without a call: that is how
/// a script looks whether the field is there. Cost: each name is looked for once.
pub(in crate::shell::lint) fn absent_calls(
    reading: &Reading<'_>,
    own: ExprId,
    is_given: &dyn Fn(&str) -> bool,
    findings: &mut Vec<LintFinding>,
) {
    let (mut is_whole, mut tried, mut given) = (None, None, BTreeMap::new());
    for expr in &reading.tree.exprs {
        let (object, name) = match &expr.kind {
            ExprKind::Method(object, name, _) => (*object, name),
            ExprKind::Call(callee, _) => match reading.tree.kind(*callee) {
                ExprKind::Field(object, name) => (*object, name),
                _ => continue,
            },
            _ => continue,
        };
        if reading.value(object) != InferredValue::Myself(own) || is_of_self(reading, own, name) {
            continue;
        }
        let is_whole = *is_whole.get_or_insert_with(|| is_known_whole(reading, own));
        if !is_whole || is_full(findings) {
            return;
        }
        let tried = tried.get_or_insert_with(|| names_asked_for(reading, own));
        if !tried.contains(name.text.as_str())
            && !*given.entry(name.text.as_str()).or_insert_with(|| is_given(&name.text))
        {
            let help = "nothing gives it to the behaviour: write a function of that name in its table";
            findings.push(unknown_of_myself(name).help(help));
        }
    }
}

/// The fields of `self` that are asked for without being called there.
fn names_asked_for<'a>(reading: &'a Reading<'_>, own: ExprId) -> BTreeSet<&'a str> {
    let tree = reading.tree;
    let callees: BTreeSet<ExprId> = tree
        .exprs
        .iter()
        .filter_map(|expr| match &expr.kind {
            ExprKind::Call(callee, _) => Some(*callee),
            _ => None,
        })
        .collect_set();
    let asked = tree.ids().filter(|id| !callees.contains(id)).filter_map(|id| match tree.kind(id) {
        ExprKind::Field(object, name) if reading.value(*object) == InferredValue::Myself(own) => Some(name),
        _ => None,
    });
    asked.map(|name| name.text.as_str()).collect_set()
}

fn unknown_of_myself(name: &Word) -> LintFinding {
    LintFinding::error(code::UNKNOWN_NAME, name.place, format!("self: unknown field \"{}\"", name.text))
}

/// Whether all fields of a behaviour stand in its file by their names: nobody else is handed the behaviour,
/// and nothing is written under keys.
fn is_known_whole(reading: &Reading<'_>, own: ExprId) -> bool {
    let tree = reading.tree;
    let is_it = |id: ExprId| {
        tree.table(id).is_some_and(|(made, _)| made == own)
            || reading.value(id) == InferredValue::Myself(own)
            || reading.value(id) == InferredValue::Table(own)
    };
    let is_made_of_names = match tree.kind(own) {
        ExprKind::Table(items) => items.iter().all(|item| matches!(item, TableItem::Named(..))),
        _ => false,
    };
    is_made_of_names
        && !tree.key_writes.iter().any(|&(object, _)| is_it(object))
        && !tree.ids().any(|id| is_it(id) && !matches!(tree.expr(id).used, ValueUse::Other))
}
