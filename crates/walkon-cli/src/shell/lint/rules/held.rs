//! Characters that a scene uses without holding them, or holds twice.
//!
//! Holds: a scene is judged when its list of held characters and the name of the character stand in the text;
//! others are not.

use std::collections::BTreeSet;

use walkon_runtime::base::ordered;

use crate::shell::lint::finding::{LintFinding, code};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::role::ScriptRole;
use crate::shell::lint::tree::{Assigned, ExprId, ExprKind, TableItem, TextPlace};
use crate::shell::lint::value::InferredValue;

/// Verbs of a scene that are for held characters only.
const VERBS: [&str; 2] = ["walk", "start"];

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    let scenes = scenes(reading);
    scenes.iter().for_each(|scene| held_twice(reading, scene.table, findings));
    for id in reading.tree.ids() {
        let ExprKind::Method(object, verb, args) = reading.tree.kind(id) else { continue };
        if !VERBS.contains(&verb.text.as_str()) || reading.value(*object) != InferredValue::Handle("Scene") {
            continue;
        }
        let Some(name) = args.first().and_then(|who| character(reading, *who)) else { continue };
        let held = scene_around(&scenes, reading.tree.place(id)).and_then(|scene| scene.held.as_ref());
        if held.is_none_or(|held| held.contains(name)) {
            continue;
        }
        let message = format!("{}: character \"{name}\" is not held by the cinematic", verb.text);
        let place = reading.tree.place(args[0]);
        findings
            .push(LintFinding::error(code::HELD, place, message).help(format!("add \"{name}\" to holds")));
    }
}

/// A scene that stands in the text.
struct SceneText<'a> {
    table: ExprId,
    /// What is its own: its table, or the whole file.
    place: TextPlace,
    /// The scene around it.
    around: Option<usize>,
    /// None when the text does not say all of them.
    held: Option<BTreeSet<&'a str>>,
}

/// The scene of the file, and those that calls define where they stand, by where they begin.
fn scenes<'a>(reading: &'a Reading<'_>) -> Vec<SceneText<'a>> {
    let scene = |table, place| SceneText { table, place, around: None, held: held(reading, table) };
    let defined = |id: ExprId| {
        let called = reading.called(id).filter(|called| called.entry.called == "cinematic.define")?;
        let table = *called.args.get(1)?;
        let is_table = matches!(reading.tree.kind(table), ExprKind::Table(_));
        is_table.then(|| scene(table, reading.tree.place(table)))
    };
    let whole = TextPlace { line: 1, column: 1, start: 0, end: u32::MAX };
    let own = match reading.role {
        ScriptRole::Cinematic(table) => Some(scene(table, whole)),
        _ => None,
    };
    let mut scenes: Vec<SceneText<'_>> =
        own.into_iter().chain(reading.tree.ids().filter_map(defined)).collect();
    ordered::sort_by_key(&mut scenes, |scene| (scene.place.start, u32::MAX - scene.place.end));
    for at in 1..scenes.len() {
        let start = scenes[at].place.start;
        scenes[at].around = open_at(&scenes, Some(at - 1), start);
    }
    scenes
}

/// The innermost scene around a place.
fn scene_around<'s, 'a>(scenes: &'s [SceneText<'a>], place: TextPlace) -> Option<&'s SceneText<'a>> {
    let last = scenes.partition_point(|scene| scene.place.start <= place.start).checked_sub(1);
    open_at(scenes, last, place.start).map(|at| &scenes[at])
}

/// The first of a scene and those around it that has not ended at a byte.
fn open_at(scenes: &[SceneText<'_>], first: Option<usize>, byte: u32) -> Option<usize> {
    std::iter::successors(first, |&at| scenes[at].around).find(|&at| byte < scenes[at].place.end)
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
