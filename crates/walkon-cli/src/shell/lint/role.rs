//! The role of a script file, which decides what its functions may do.
//!
//! In: a tree, and how levels and other scripts name the file. Out: its role. Holds: for a file that nobody
//! names the text decides, and when that is not certain it is a module.

use super::api::Api;
use super::tree::{BODY, ExprId, ExprKind, SyntaxTree};

/// How others name a script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ScriptName {
    pub as_level_script: bool,
    pub as_behaviour: bool,
    pub as_cinematic: bool,
    pub as_module: bool,
}

/// What kind of file a script is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptRole {
    Level,
    /// The table that it returns.
    Behaviour(ExprId),
    Cinematic(ExprId),
    Test,
    Module,
}

/// The role of the script at `path`.
pub(super) fn role(tree: &SyntaxTree, api: &Api, path: &str, named: ScriptName) -> ScriptRole {
    if is_test(path) {
        return ScriptRole::Test;
    }
    if named.as_level_script {
        return ScriptRole::Level;
    }
    let returned = returned(tree);
    if let Some(table) = returned {
        let has_script = tree
            .entry(table, "script")
            .is_some_and(|value| matches!(tree.kind(value), ExprKind::Function(_)));
        let is_free = !named.as_module && !named.as_behaviour;
        if named.as_cinematic || (is_free && (has_script || lies_in(path, "cinematics"))) {
            return ScriptRole::Cinematic(table);
        }
        let lies_there = lies_in(path, "behaviours");
        if named.as_behaviour || (!named.as_module && (lies_there || tree.entry(table, "params").is_some())) {
            return ScriptRole::Behaviour(table);
        }
    }
    let callbacks = api.fields("LevelScript").unwrap_or_default();
    let is_written = |name: &str| tree.global_writes.iter().any(|write| write.name.text == name);
    if returned.is_none() && !named.as_module && callbacks.iter().any(|field| is_written(&field.name)) {
        return ScriptRole::Level;
    }
    ScriptRole::Module
}

/// Whether a file is one of tests.
pub(super) fn is_test(path: &str) -> bool {
    let stem = path.rsplit('/').next().unwrap_or(path);
    let stem = stem.strip_suffix(".lua").or_else(|| stem.strip_suffix(".luau")).unwrap_or(stem);
    stem.ends_with("_test")
}

fn lies_in(path: &str, wanted: &str) -> bool {
    path.split('/').any(|folder| folder == wanted)
}

/// The table that a file returns, when it always returns the same.
pub(super) fn returned(tree: &SyntaxTree) -> Option<ExprId> {
    match tree.function(BODY).returns.as_slice() {
        [values] => tree.table(*values.first()?).map(|(made, _)| made),
        _ => None,
    }
}
