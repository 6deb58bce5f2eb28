//! Checks the scripts of a project without running them.
//!
//! In: the texts of a project. Out: diagnostics: mistakes of syntax, and what `lint` finds. Holds: nothing
//! runs. Not here: unknown script names in levels (`walkon_shell`), faults while a script runs (`script`).

use std::collections::{BTreeMap, BTreeSet};

use walkon_runtime::base::ordered::CollectOrdered;
use walkon_shell::project::{Project, is_level};
use walkon_shell::{CommandFailure, Exit};

use super::lint::{self, LevelNames, LevelOutline, Linted};
use crate::level::{Diagnostic, LevelDef, Resolved, Severity, Span, code};
use crate::script::check;

/// What is wrong with the scripts of a project besides syntax. `level` is looked at together with the levels
/// in the level folders.
pub(super) fn linted(
    project: &Project,
    texts: &BTreeMap<String, String>,
    level: &str,
) -> Result<Linted, CommandFailure> {
    let own = is_level(level).then(|| level.to_owned());
    let paths: BTreeSet<String> = project.level_paths().into_iter().chain(own).collect_set();
    lint_with(texts, paths.into_iter().map(|path| outline(project, path)).collect())
}

/// The same while a level is not what its file says by now.
pub(super) fn linted_as_it_runs(
    project: &Project,
    texts: &BTreeMap<String, String>,
    level: &LevelOutline,
) -> Result<Linted, CommandFailure> {
    let others = project.level_paths().into_iter().filter(|path| *path != level.path);
    let others = others.map(|path| outline(project, path));
    lint_with(texts, others.chain([level.clone()]).collect())
}

fn lint_with(texts: &BTreeMap<String, String>, levels: Vec<LevelOutline>) -> Result<Linted, CommandFailure> {
    let broken = texts.iter().filter(|(path, text)| check::syntax(path, text).is_err());
    let broken: BTreeSet<&String> = broken.map(|(path, _)| path).collect_set();
    // A file that does not compile is there, and there is nothing to read in it.
    let read = texts.iter().map(|(path, text)| {
        let text = if broken.contains(path) { String::new() } else { text.clone() };
        (path.clone(), text)
    });
    let linted = lint::lint(&read.collect_map(), &levels);
    let mut linted = linted.map_err(|why| CommandFailure::new(Exit::Bug, why))?;
    // Of such a file its mistake of syntax is told, and nothing else.
    linted.scripts.retain(|path, _| !broken.contains(path));
    Ok(linted)
}

fn outline(project: &Project, path: String) -> LevelOutline {
    match crate::level::outline(&path, &project.folder) {
        Some((def, resolved)) => outline_of(path, &def, &resolved),
        None => LevelOutline { path, names: None, script: None, behaviours: Vec::new(), has_player: true },
    }
}

/// What scripts can name of a level that was read.
pub(super) fn outline_of(path: String, def: &LevelDef, resolved: &Resolved) -> LevelOutline {
    LevelOutline {
        path,
        names: Some(LevelNames::of(def, resolved)),
        script: def.script.as_ref().map(|script| script.value.clone()),
        behaviours: def.behaviours().map(|name| name.value.clone()).collect(),
        has_player: def.characters.iter().any(|own| own.player),
    }
}

/// What was found in the script at a path below the root. A script outside the script folders is looked at
/// alone.
pub(super) fn findings(project: &Project, path: &str, text: &str, linted: &Linted) -> Vec<Diagnostic> {
    let of = |linted: &Linted, name: &str| linted.scripts.get(name).cloned();
    let found = project.script_name(path).and_then(|name| of(linted, name)).or_else(|| of(linted, path));
    let found = found.or_else(|| {
        let alone = BTreeMap::from([(path.to_owned(), text.to_owned())]);
        of(&lint::lint(&alone, &[]).ok()?, path)
    });
    let placed = found.unwrap_or_default().into_iter();
    placed.map(|found| Diagnostic { path: path.to_owned(), ..found }).collect()
}

/// The first mistake of syntax of a script, at `path`.
pub(super) fn syntax(path: &str, text: &str) -> Option<Diagnostic> {
    let failure = check::syntax(path, text).err()?;
    Some(Diagnostic {
        code: code::SYNTAX,
        severity: Severity::Error,
        path: path.to_owned(),
        line: failure.line.max(1),
        column: if failure.message.contains(check::AT_END) {
            end_column(text, failure.line)
        } else {
            first_column(text, failure.line)
        },
        pointer: String::new(),
        message: failure.message,
        help: None,
        // A script is no file of a level: its place is the line and the column.
        span: Span::new(0, 1, 1),
    })
}

/// One column past the words of a line, from 1.
fn end_column(text: &str, line: u32) -> u32 {
    let line = text.lines().nth((line.max(1) - 1) as usize).unwrap_or_default();
    line.trim_end().trim_start_matches('\u{feff}').chars().count() as u32 + 1
}

/// Where the words of a line begin, from 1: the compiler tells the line only.
fn first_column(text: &str, line: u32) -> u32 {
    let line = text.lines().nth((line.max(1) - 1) as usize).unwrap_or_default();
    line.chars().take_while(|c| c.is_whitespace()).count() as u32 + 1
}
