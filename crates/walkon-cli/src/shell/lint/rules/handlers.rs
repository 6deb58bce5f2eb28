//! Handlers given by name that do not exist in their owner.
//!
//! In: a reading. Out: findings that suggest the nearest known handler. Holds: a module or a test, whose
//! owner depends on the caller, is not judged.

use crate::script::types::luau_type::Type;
use crate::shell::lint::finding::{LintFinding, code};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::role::ScriptRole;
use crate::shell::lint::tree::ExprId;

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    let Some(owner) = owner(reading) else { return };
    super::options::each(reading, &mut |own, value, _| {
        if !takes_handler(own) {
            return;
        }
        let Some(name) = reading.tree.text(value) else { return };
        if !owner.names.iter().any(|known| known == name) {
            let message = format!("{} has no handler \"{name}\"", owner.what);
            let known = owner.names.iter().map(String::as_str);
            let place = reading.tree.place(value);
            findings.push(LintFinding::error(code::HANDLER, place, message).suggest(name, known));
        }
    });
}

struct HandlerOwner {
    what: &'static str,
    names: Vec<String>,
}

/// The owner of the handlers of a file; none when that depends on the caller.
fn owner(reading: &Reading<'_>) -> Option<HandlerOwner> {
    let in_table = |table: ExprId| {
        reading.tree.names_in(table).into_iter().map(|(word, _)| word.text.clone()).collect::<Vec<_>>()
    };
    let (what, mut names) = match reading.role {
        ScriptRole::Level => {
            let names = reading.tree.global_writes.iter().map(|write| write.name.text.clone());
            ("the level script", names.collect())
        }
        ScriptRole::Behaviour(table) => ("the behaviour", in_table(table)),
        ScriptRole::Cinematic(table) => ("the cinematic", in_table(table)),
        ScriptRole::Test | ScriptRole::Module => return None,
    };
    // Scenes that are written in the file have handlers of their own.
    names.extend(super::options::defined_scenes(reading).into_iter().flat_map(in_table));
    Some(HandlerOwner { what, names })
}

fn takes_handler(own: &Type) -> bool {
    match own {
        Type::Optional(inner) => takes_handler(inner),
        Type::Name(name) => name.ends_with("Handler"),
        _ => false,
    }
}
