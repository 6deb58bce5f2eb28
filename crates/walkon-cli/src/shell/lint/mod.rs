//! The linter: finds mistakes in scripts without running them.
//!
//! In: the texts of a project's scripts, its levels. Out: diagnostics, in the order of the text. Holds:
//! nothing runs; the registration table alone knows the API; nothing uncertain is reported. Not here: reading
//! files (`project`), showing lines (`report`), syntax (`script::check`).

mod api;
mod events;
mod finding;
mod graph;
mod infer;
mod links;
mod lower;
mod lower_expr;
mod names;
mod params;
mod returns;
mod role;
mod rules;
mod texts;
mod tree;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use walkon_runtime::base::ordered;

use self::api::Api;
use self::finding::{FINDINGS_MAX, LintFinding};
use self::infer::Reading;
pub(super) use self::names::LevelNames;
pub(super) use self::texts::LevelOutline;
use crate::level::{Diagnostic, Span};
use crate::script::check::Declared;

/// What was found in the scripts of a project.
#[derive(Debug, Default)]
pub(super) struct Linted {
    /// By path below the script folders.
    pub scripts: BTreeMap<String, Vec<Diagnostic>>,
    /// What behaviours say of their parameters, as far as the text says it; by path below the script folders.
    pub declared: BTreeMap<String, Declared>,
    /// Scripts that each level uses, itself or through others, by the level's path.
    pub used: BTreeMap<String, BTreeSet<String>>,
    /// Scripts that each script requires while it loads.
    pub required: BTreeMap<String, BTreeSet<String>>,
    /// Names of everything that can be named, over all levels and scripts.
    pub names: LevelNames,
    /// Kinds of names that scripts make up as they run, so that no list of them is whole.
    pub open: BTreeSet<&'static str>,
}

/// Looks at all scripts of a project. `texts` are by path below the script folders; one that does not compile
/// is empty.
///
/// # Errors
/// When no VM can be made to ask what Luau has.
pub(super) fn lint(texts: &BTreeMap<String, String>, levels: &[LevelOutline]) -> Result<Linted, String> {
    let api = Api::new()?;
    let project = graph::ScriptGraph::read(&api, texts, levels);
    let (used, required) = (project.used.clone(), project.required_files());
    let mut linted = Linted { used, required, ..Linted::default() };
    let is_handed_out = project.scripts.values().any(|script| script.tree.hands_out_behaviours());
    for (path, script) in &project.scripts {
        let role = role::role(&script.tree, &api, path, script.named);
        let reading = Reading::new(&script.tree, &api, role);
        let mut findings = rules::check(&reading);
        project.names(path, &mut findings);
        project.circles(path, &mut findings);
        project.events(path, &mut findings);
        project.runtime_events(path, &mut findings);
        if let role::ScriptRole::Behaviour(table) = role {
            let others = || project.scripts.iter().filter(|(other, _)| *other != path);
            let is_given =
                |name: &str| others().any(|(_, other)| other.tree.fields_named(name).next().is_some());
            if !is_handed_out {
                rules::fields::absent_calls(&reading, table, &is_given, &mut findings);
            }
            let declared = params::declared(&script.tree, table, &mut findings);
            if let Some(declared) = &declared {
                params::asked_for(&reading, table, declared, &mut findings);
            }
            linted.declared.extend(declared.map(|declared| (path.clone(), declared)));
        }
        let text = texts.get(path).map_or("", String::as_str);
        let behaviour_in = script.behaviour_in.as_deref();
        let file = returns::UsedFile { path, text, named: script.named, behaviour_in };
        returns::check(&reading, &file, &mut findings);
        linted.scripts.insert(path.clone(), diagnostics(path, text, findings));
    }
    (linted.names, linted.open) = project.all_names();
    Ok(linted)
}

/// In the order of the text, each place once for each code.
fn diagnostics(path: &str, text: &str, mut findings: Vec<LintFinding>) -> Vec<Diagnostic> {
    ordered::sort_by(&mut findings, |a, b| {
        (a.place.start, a.place.end, a.code).cmp(&(b.place.start, b.place.end, b.code))
    });
    findings.dedup_by(|a, b| (a.place.start, a.code) == (b.place.start, b.code));
    findings
        .into_iter()
        .take(FINDINGS_MAX)
        .map(|found| Diagnostic {
            code: found.code,
            severity: found.severity,
            path: path.to_owned(),
            line: found.place.line,
            column: column(text, found.place.start),
            pointer: String::new(),
            message: found.message,
            help: found.help,
            span: Span::new(0, found.place.start as usize, found.place.end as usize),
        })
        .collect()
}

/// The column of a byte, from 1, in characters.
fn column(text: &str, at: u32) -> u32 {
    let before = text.get(..at as usize).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim_start_matches('\u{feff}').chars().count() as u32 + 1
}
