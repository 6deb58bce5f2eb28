//! Option tables: unknown keys, missing keys, words that are not allowed.
//!
//! In: a reading. Out: findings; a walk over every value that the API reads, for other rules. Not here: types
//! of values (`arguments`).

use crate::script::check::{SceneFieldKind, misspelt_scene_field};
use crate::script::types::luau_type::{self, Type};
use crate::shell::lint::api::ApiField;
use crate::shell::lint::finding::{LintFinding, code, one_of};
use crate::shell::lint::infer::{Reading, bare};
use crate::shell::lint::role::ScriptRole;
use crate::shell::lint::tree::{ExprId, ExprKind, TableItem};
use crate::shell::lint::value::InferredValue;

/// How deep tables of the API lie in one another.
const DEPTH_MAX: u32 = 4;

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    each(reading, &mut |own, value, called| {
        keys(reading, own, value, called, findings);
        word(reading, own, value, called, findings);
    });
}

/// Every value that the API reads, with its wanted type and its name: arguments, and values in tables among
/// them.
pub(in crate::shell::lint) fn each(reading: &Reading<'_>, look: &mut dyn FnMut(&Type, ExprId, &str)) {
    for id in reading.tree.ids() {
        let Some(called) = reading.called(id) else { continue };
        for (index, arg) in reading.arguments(&called).into_iter().flatten() {
            let Some(param) = called.entry.params.get(index) else { continue };
            let Some(own) = luau_type::read(param.luau) else { continue };
            let given = GivenOption { own: &own, value: arg, name: param.name };
            inside(reading, given, called.entry.called, DEPTH_MAX, look);
        }
    }
    let (table, shape) = match reading.role {
        ScriptRole::Cinematic(table) => (table, SCENE),
        ScriptRole::Behaviour(table) => (table, "BehaviourDefinition"),
        _ => return,
    };
    for field in reading.api.fields(shape).unwrap_or_default() {
        if let Some(value) = reading.tree.entry(table, &field.name) {
            let given = GivenOption { own: &field.own, value, name: &field.name };
            inside(reading, given, &field.name, DEPTH_MAX, look);
        }
    }
}

/// What is given, its name, and the type that is wanted there.
struct GivenOption<'t> {
    own: &'t Type,
    value: ExprId,
    name: &'t str,
}

fn inside(
    reading: &Reading<'_>,
    GivenOption { own, value, name }: GivenOption<'_>,
    called: &str,
    depth: u32,
    look: &mut dyn FnMut(&Type, ExprId, &str),
) {
    look(own, value, &format!("{called}: {name}"));
    let Some((table, items)) = reading.tree.table(value) else { return };
    if depth == 0 {
        return;
    }
    if let Type::Map(_, entry) = bare(own) {
        for (word, value) in reading.tree.names_in(table) {
            if let Some(value) = value {
                let name = format!("{name}.{}", word.text);
                inside(reading, GivenOption { own: entry, value, name: &name }, called, depth - 1, look);
            }
        }
    }
    if let Some(entry) = entry_of(own) {
        for item in items {
            if let TableItem::Listed(value) = item {
                inside(reading, GivenOption { own: entry, value: *value, name }, called, depth - 1, look);
            }
        }
    }
    for field in fields_of(reading, own).unwrap_or_default() {
        let given = items.iter().find_map(|item| match item {
            TableItem::Named(word, value) if word.text == field.name => Some(*value),
            _ => None,
        });
        if let Some(value) = given {
            let given = GivenOption { own: &field.own, value, name: &field.name };
            inside(reading, given, called, depth - 1, look);
        }
    }
}

/// The type of the entries, when a list is wanted, or one kind of list among other things.
fn entry_of(own: &Type) -> Option<&Type> {
    match bare(own) {
        Type::List(entry) => Some(entry),
        Type::Union(parts) => {
            let mut lists = parts.iter().filter_map(entry_of);
            let first = lists.next()?;
            lists.next().is_none().then_some(first)
        }
        _ => None,
    }
}

/// The fields of a table that is wanted; none when other tables are wanted too.
fn fields_of(reading: &Reading<'_>, own: &Type) -> Option<Vec<ApiField>> {
    match bare(own) {
        Type::Name(name) => reading.api.fields(name),
        Type::Record(fields) => Some(ApiField::of_record(fields)),
        // A function, or a table of functions.
        Type::Union(parts) => match parts.as_slice() {
            [Type::Function(..), Type::Record(fields)] => Some(ApiField::of_record(fields)),
            _ => None,
        },
        _ => None,
    }
}

/// The type of what stands under a name in a table that is wanted, where the name is a known one.
pub(super) fn field_type_in(reading: &Reading<'_>, own: &Type, name: &str) -> Option<Type> {
    fields_of(reading, own)?.into_iter().find(|field| field.name == name).map(|field| field.own)
}

/// Keys that are not known, keys that are missing.
fn keys(reading: &Reading<'_>, own: &Type, value: ExprId, called: &str, findings: &mut Vec<LintFinding>) {
    let (Some(fields), Some((table, items))) = (fields_of(reading, own), reading.tree.table(value)) else {
        return;
    };
    let function = called.split(": ").next().unwrap_or(called);
    if is_scene(own) {
        scene_slips(reading, table, function, findings);
    } else {
        unknown_options(reading, table, function, &fields, findings);
    }
    let is_whole = items.iter().all(|item| matches!(item, TableItem::Named(..)))
        && matches!(reading.tree.kind(value), ExprKind::Table(_));
    let missing = fields.iter().filter(|field| {
        !field.is_optional && !reading.tree.names_in(table).iter().any(|(word, _)| word.text == field.name)
    });
    for field in missing.filter(|_| is_whole) {
        let message = format!("{function}: {} is missing, expected {}", field.name, shown(&field.own));
        findings.push(LintFinding::error(code::ARGUMENT, reading.tree.place(value), message));
    }
}

/// Keys that are none of the fields of a table.
fn unknown_options(
    reading: &Reading<'_>,
    table: ExprId,
    function: &str,
    fields: &[ApiField],
    findings: &mut Vec<LintFinding>,
) {
    let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    for (word, _) in reading.tree.names_in(table) {
        if !known.contains(&word.text.as_str()) {
            let message = format!("{function}: unknown option \"{}\"", word.text);
            let finding = LintFinding::error(code::UNKNOWN_OPTION, word.place, message);
            findings.push(finding.suggest_option(&word.text, &known));
        }
    }
}

/// Whether a table that defines a scene is wanted.
fn is_scene(own: &Type) -> bool {
    matches!(bare(own), Type::Name(name) if name == SCENE)
}

const SCENE: &str = "SceneDefinition";

/// Names that are nearly those of fields of a scene: functions and data of the author's own are free. The
/// fields that were meant.
pub(in crate::shell::lint) fn scene_slips(
    reading: &Reading<'_>,
    table: ExprId,
    function: &str,
    findings: &mut Vec<LintFinding>,
) -> Vec<&'static str> {
    let names = reading.tree.names_in(table);
    let has = |field: &str| names.iter().any(|(word, _)| word.text == field);
    let mut meant = Vec::new();
    for (word, value) in &names {
        let kind = value.and_then(|value| scene_field_kind(reading, value));
        if let Some(near) = kind.and_then(|kind| misspelt_scene_field(&word.text, kind, has)) {
            let message = format!("{function}: unknown field \"{}\"", word.text);
            let finding = LintFinding::error(code::UNKNOWN_OPTION, word.place, message);
            findings.push(finding.help(format!("did you mean \"{near}\"?")));
            meant.push(near);
        }
    }
    meant
}

/// What a value is; none when that is not certain.
fn scene_field_kind(reading: &Reading<'_>, value: ExprId) -> Option<SceneFieldKind> {
    match (reading.tree.kind(value), reading.value(value)) {
        (ExprKind::Function(_), _) | (_, InferredValue::Function(_) | InferredValue::Entry(_)) => {
            Some(SceneFieldKind::Function)
        }
        (ExprKind::Table(_) | ExprKind::Bool(_) | ExprKind::Text(_) | ExprKind::Number(_), _) => {
            Some(SceneFieldKind::Data)
        }
        _ => None,
    }
}

/// The tables that a file gives to `cinematic.define`.
pub(super) fn defined_scenes(reading: &Reading<'_>) -> Vec<ExprId> {
    let mut tables = Vec::new();
    each(reading, &mut |own, value, _| {
        if is_scene(own)
            && let Some((table, _)) = reading.tree.table(value)
        {
            tables.push(table);
        }
    });
    tables
}

/// A text in quotes that is none of the words allowed.
fn word(reading: &Reading<'_>, own: &Type, value: ExprId, called: &str, findings: &mut Vec<LintFinding>) {
    let (Some(words), Some(text)) = (words(reading, own), reading.tree.text(value)) else { return };
    let quoted = format!("\"{text}\"");
    if words.contains(&quoted) {
        return;
    }
    let message = format!("{called} is {quoted}, expected {}", one_of(&words));
    let known = words.iter().map(|word| word.trim_matches('"'));
    findings.push(LintFinding::error(code::CHOICE, reading.tree.place(value), message).suggest(text, known));
}

/// Words compared with a value that can only be one of others: `result.reason == "nopath"`.
pub(super) fn compared(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    let pairs = reading.tree.compared.iter().flat_map(|(left, right)| [(*left, *right), (*right, *left)]);
    for (asked, given) in pairs {
        if let ExprKind::Field(object, name) = reading.tree.kind(asked)
            && let Some(own) = field_type(reading, *object, &name.text)
        {
            word(reading, &own, given, &name.text, findings);
        }
    }
}

/// The type of a field of a handle or a table of the API.
fn field_type(reading: &Reading<'_>, object: ExprId, name: &str) -> Option<Type> {
    let value = reading.value(object);
    if let Some(entry) = reading.api.entry(&value, name) {
        return luau_type::read(entry.returns);
    }
    let InferredValue::Shape(shape) = value else { return None };
    reading.api.fields(shape)?.into_iter().find(|field| field.name == name).map(|field| field.own)
}

/// The words of a type that is nothing but words in quotes.
fn words(reading: &Reading<'_>, own: &Type) -> Option<Vec<String>> {
    match reading.api.unfolded(bare(own)) {
        Type::Name(name) if name.starts_with('"') => Some(vec![name.clone()]),
        Type::Union(parts) => {
            let words: Option<Vec<Vec<String>>> = parts.iter().map(|part| words(reading, part)).collect();
            Some(words?.concat())
        }
        _ => None,
    }
}

/// A type in words.
pub(super) fn shown(own: &Type) -> String {
    match bare(own) {
        Type::Name(name) => match name.as_str() {
            "string" => "a text".to_owned(),
            "boolean" => "true or false".to_owned(),
            "any" => "a value".to_owned(),
            name if name.starts_with('"') => name.to_owned(),
            name => format!("a {name}"),
        },
        Type::Union(parts) => one_of(&parts.iter().map(shown).collect::<Vec<_>>()),
        Type::List(_) => "a list".to_owned(),
        Type::Map(..) | Type::Record(_) => "a table".to_owned(),
        Type::Function(..) => "a function".to_owned(),
        Type::Optional(inner) => shown(inner),
    }
}
