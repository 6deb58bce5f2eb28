//! Arguments that the own code of a scene must give: how long it pauses, the default answer of a choice.
//!
//! In: a reading. Out: findings. Holds: a scene is its own where its function is given it; a choice is judged
//! when all its answers stand in the text. Not here: characters that it holds (`held`).

use crate::base::suggestions;
use crate::script::types::luau_type::Type;
use crate::shell::lint::finding::{LintFinding, code, one_of};
use crate::shell::lint::infer::{FunctionUse, Reading};
use crate::shell::lint::tree::{Assigned, ExprId, ExprKind, TableItem};
use crate::shell::lint::value::InferredValue;

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    for id in reading.tree.ids() {
        let ExprKind::Method(scene, verb, args) = reading.tree.kind(id) else { continue };
        match verb.text.as_str() {
            "wait" if args.is_empty() && is_own_scene(reading, *scene) => {
                let message = "wait: seconds is missing, expected a number";
                findings.push(LintFinding::error(code::ARGUMENT, reading.tree.place(id), message));
            }
            "choice" if reading.value(*scene) == InferredValue::Handle("Scene") => {
                findings.extend(wrong_default(reading, args));
            }
            _ => {}
        }
    }
}

/// Whether it is the scene that a function of a scene is given.
fn is_own_scene(reading: &Reading<'_>, id: ExprId) -> bool {
    let ExprKind::Local(local) = reading.tree.kind(id) else { return false };
    let [Assigned::Param(function, 0)] = reading.tree.local(*local).given.as_slice() else { return false };
    match reading.wanted_function(*function) {
        Some(FunctionUse::Typed(Type::Function(params, _), _)) => {
            params.first().is_some_and(|(_, own)| *own == Type::Name("Scene".to_owned()))
        }
        _ => false,
    }
}

/// The default of a choice that is none of its answers.
fn wrong_default(reading: &Reading<'_>, args: &[ExprId]) -> Option<LintFinding> {
    let tree = reading.tree;
    let [_, answers, settings] = args else { return None };
    let ExprKind::Table(answers) = tree.kind(*answers) else { return None };
    let ExprKind::Table(settings) = tree.kind(*settings) else { return None };
    let answers = answers.iter().map(|item| match item {
        TableItem::Listed(answer) => tree.text(*answer),
        _ => None,
    });
    let answers: Vec<&str> = answers.collect::<Option<_>>()?;
    let default = settings.iter().find_map(|item| match item {
        TableItem::Named(word, value) if word.text == "default" => Some(*value),
        _ => None,
    })?;
    let text = tree.text(default).filter(|text| !answers.contains(text))?;
    let known: Vec<String> = answers.iter().map(|answer| format!("\"{answer}\"")).collect();
    let message = format!("choice: default is \"{text}\", expected {}", one_of(&known));
    let finding = LintFinding::error(code::CHOICE, tree.place(default), message);
    Some(LintFinding { help: suggestions::did_you_mean(text, answers), ..finding })
}
