//! What a host keeps of reloads: texts that are staged, texts that were refused, and the last report.

use std::collections::BTreeMap;

use mlua::{Lua, Table};

use crate::base::hash::StateHash;
use crate::script::host::reload::refusal::{ChangedTexts, ReloadError};
use crate::script::vm::handles::weak;

/// A refused text, to be tried again.
#[derive(Clone, Debug)]
pub(super) struct RefusedText {
    pub(super) text: Option<String>,
    /// It was refused by its `migrate` or `start`, which had effects: not tried again but with the file
    /// itself.
    pub(super) had_effects: bool,
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

    /// A hash of what can change the future; none before the first reload.
    pub(super) fn digest(&self) -> Option<u64> {
        if self.count == 0 && self.waiting.is_empty() {
            return None;
        }
        let mut digest = StateHash::default();
        digest.word(self.count);
        for (path, waiting) in &self.waiting {
            digest.text(path).text(waiting.text.as_deref().unwrap_or_default()).flag(waiting.had_effects);
        }
        Some(digest.finish())
    }
}
