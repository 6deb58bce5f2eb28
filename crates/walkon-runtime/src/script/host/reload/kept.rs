//! State of a host between reloads: staged texts, refused texts, the last report.

use std::collections::{BTreeMap, BTreeSet};

use mlua::{Lua, Table};

use crate::base::hash::StateHash;
use crate::script::host::reload::refusal::{ChangedTexts, ReloadError};
use crate::script::vm::files::ScriptTexts;
use crate::script::vm::handles::weak;

/// A refused text, to be tried again.
#[derive(Clone, Debug)]
pub(super) struct RefusedText {
    pub(super) text: Option<String>,
    /// The files that a `migrate` or a `start` ran on that faulted in the world, when this was one of them.
    /// This is tried again with one of them only. None when it was refused for another reason.
    pub(super) ran: BTreeSet<String>,
}

/// What a host knows of reloads.
#[derive(Debug)]
pub(crate) struct Reloads {
    pub(super) staged: Option<(ChangedTexts, Option<ReloadError>)>,
    pub(super) waiting: BTreeMap<String, RefusedText>,
    pub(super) count: u64,
    /// Environments of replaced files as keys, which it does not keep alive.
    pub(super) replaced: Table,
}

impl Reloads {
    pub(crate) fn new(lua: &Lua) -> Result<Self, mlua::Error> {
        let replaced = weak(lua, "k")?;
        Ok(Self { staged: None, waiting: BTreeMap::new(), count: 0, replaced })
    }

    /// Code that ran on these files had effects in the world, and faulted.
    pub(super) fn mark(&mut self, ran: &BTreeSet<String>) {
        let is_of = |path: &str| ScriptTexts::name_of_path(path).is_some_and(|name| ran.contains(name));
        let marked = self.waiting.iter_mut().filter(|(path, _)| is_of(path));
        marked.for_each(|(_, waiting)| waiting.ran.clone_from(ran));
    }

    /// A hash of what can change the future; none before the first reload.
    pub(super) fn digest(&self) -> Option<u64> {
        if self.count == 0 && self.waiting.is_empty() {
            return None;
        }
        let mut digest = StateHash::default();
        digest.word(self.count);
        for (path, waiting) in &self.waiting {
            let has_run = !waiting.ran.is_empty();
            digest.text(path).text(waiting.text.as_deref().unwrap_or_default()).flag(has_run);
            waiting.ran.iter().for_each(|name| _ = digest.text(name));
        }
        Some(digest.finish())
    }
}
