//! Arguments and options of a wrong type, and missing arguments.
//!
//! In: a reading. Out: findings, and what messages call a value. Holds: a value whose type is not certain is
//! not reported. Not here: keys of option tables (`options`).

use super::options::{each, shown};
use crate::script::types::luau_type::Type;
use crate::shell::lint::finding::{LintFinding, code};
use crate::shell::lint::infer::{ApiCall, Reading};
use crate::shell::lint::tree::{ExprId, ExprKind};
use crate::shell::lint::value::InferredValue;

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    each(reading, &mut |own, value, called| {
        let given = reading.value(value);
        if let Some(what) = name_of(&given, reading, value)
            && !takes(reading, own, &given)
        {
            let message = format!("{called} is {what}, expected {}", shown(own));
            findings.push(LintFinding::error(code::ARGUMENT, reading.tree.place(value), message));
        }
    });
    missing(reading, findings);
}

/// The name of a value's type in messages; none when the type is not certain.
pub(in crate::shell::lint) fn name_of(
    value: &InferredValue,
    reading: &Reading<'_>,
    id: ExprId,
) -> Option<String> {
    Some(match value {
        InferredValue::Nil if matches!(reading.tree.kind(id), ExprKind::Nil | ExprKind::Local(_)) => {
            "nil".to_owned()
        }
        InferredValue::Bool => match reading.tree.kind(id) {
            ExprKind::Bool(own) => own.to_string(),
            _ => "true or false".to_owned(),
        },
        InferredValue::Number => match reading.tree.kind(id) {
            ExprKind::Number(own) => own.to_string(),
            _ => "a number".to_owned(),
        },
        InferredValue::Text => match reading.tree.text(id) {
            Some(text) => format!("\"{text}\""),
            None => "a text".to_owned(),
        },
        InferredValue::Vector => "a vector".to_owned(),
        InferredValue::Handle(name) | InferredValue::Shape(name) => format!("a {name}"),
        InferredValue::List(_) => "a list".to_owned(),
        InferredValue::Table(_) => "a table".to_owned(),
        InferredValue::Function(_) => "a function".to_owned(),
        InferredValue::Library(name) => format!("the library {name}"),
        _ => return None,
    })
}

/// Whether a value of this kind can be right where that type is wanted.
fn takes(reading: &Reading<'_>, own: &Type, value: &InferredValue) -> bool {
    match own {
        Type::Optional(_) if *value == InferredValue::Nil => true,
        Type::Optional(inner) => takes(reading, inner, value),
        Type::Union(parts) => parts.iter().any(|part| takes(reading, part, value)),
        Type::List(_) | Type::Map(..) | Type::Record(_) => {
            matches!(
                value,
                InferredValue::List(_)
                    | InferredValue::Map(_)
                    | InferredValue::Table(_)
                    | InferredValue::Shape(_)
            )
        }
        Type::Function(..) => matches!(value, InferredValue::Function(_)),
        Type::Name(name) => takes_name(reading, name, own, value),
    }
}

fn takes_name(reading: &Reading<'_>, name: &str, own: &Type, value: &InferredValue) -> bool {
    let unfolded = reading.api.unfolded(own);
    if unfolded != own && !matches!(unfolded, Type::Record(_)) {
        return takes(reading, unfolded, value);
    }
    match reading.api.annotated(name) {
        // A type that is not known takes everything.
        InferredValue::Unknown => true,
        InferredValue::Shape(shape) => match value {
            InferredValue::Shape(own) => *own == shape || reading.api.fields(own).is_none(),
            InferredValue::Table(_) | InferredValue::Map(_) | InferredValue::List(_) => true,
            _ => false,
        },
        wanted => wanted == *value,
    }
}

/// Arguments that must be given and are not.
fn missing(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    for id in reading.tree.ids() {
        let Some(called) = reading.called(id) else { continue };
        let Some(given) = reading.arguments(&called).filter(|_| !is_open(reading, &called)) else { continue };
        if called.args.len() > given.len() {
            continue; // x and z in place of one, or more than are read.
        }
        let needed = called.entry.params.iter().enumerate().skip(given.len());
        let needed =
            needed.filter(|(_, param)| !param.is_optional() && param.luau != "any" && param.name != "...");
        if let Some((_, param)) = needed.into_iter().next() {
            let own = reading_type(param.luau);
            let message = format!("{}: {} is missing{own}", called.entry.called, param.name);
            findings.push(LintFinding::error(code::ARGUMENT, reading.tree.place(id), message));
        }
    }
}

/// Whether the last argument may stand for many values: it is a call, and not one of the API with one result.
pub(super) fn is_open(reading: &Reading<'_>, called: &ApiCall<'_>) -> bool {
    let Some(last) = called.args.last() else { return false };
    match reading.tree.kind(*last) {
        ExprKind::Rest => true,
        ExprKind::Call(..) | ExprKind::Method(..) => {
            let returns = reading.called(*last).map_or("", |inner| inner.entry.returns);
            returns.is_empty() || returns.contains(", ") || returns.contains("...")
        }
        _ => false,
    }
}

fn reading_type(luau: &str) -> String {
    crate::script::types::luau_type::read(luau)
        .map_or_else(String::new, |own| format!(", expected {}", shown(&own)))
}
