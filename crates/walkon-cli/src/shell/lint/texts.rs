//! The texts to check: levels and scripts, as far as they matter to one another.

use super::links::ScriptNames;
use super::names::LevelNames;
use super::role::ScriptName;
use super::tree::SyntaxTree;

/// A level, as far as scripts can name what is in it.
#[derive(Clone, Debug)]
pub(in crate::shell) struct LevelOutline {
    /// Its path below the root.
    pub path: String,
    /// None when something is wrong with the level, so that nobody knows its names.
    pub names: Option<LevelNames>,
    pub script: Option<String>,
    pub behaviours: Vec<String>,
    pub has_player: bool,
}

/// A script whose text compiles.
pub(super) struct LintedScript {
    pub tree: SyntaxTree,
    pub named: ScriptName,
    /// The first level that names it as the behaviour of a character.
    pub behaviour_in: Option<String>,
    pub links: ScriptNames,
}
