//! The inputs of a reload, and the reasons for refusing it.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::ids::CharacterId;
use crate::base::ordered::CollectOrdered;
use crate::script::state::behaviours::GivenBehaviour;
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::files::ScriptTexts;

/// Changed script texts by path below the script folders, with suffix; none for a deleted file.
pub type ChangedTexts = BTreeMap<String, Option<String>>;

/// Why a reload was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReloadError {
    /// The file with the first mistake; empty when it is none of a file.
    pub file: String,
    /// Line in it, from 1; 0 when unknown.
    pub line: u32,
    /// What is wrong, with the place in front where it is known.
    pub message: String,
    /// The kind of the fault that ended a script's code; none when it was another mistake.
    pub kind: Option<FaultKind>,
    /// Names of the files that new code belongs to which ran in the world, before it was taken back.
    pub ran: BTreeSet<String>,
    /// The parameter that a character gives wrongly, when it was that.
    pub misfit: Option<Box<Misfit>>,
    /// What is wrong at other places.
    pub more: Vec<ReloadError>,
}

/// Parameters of a character that its behaviour does not take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Misfit {
    /// Name of the character.
    pub character: String,
    /// The parameter, when it is about one.
    pub parameter: Option<String>,
    /// What is wrong, in a sentence.
    pub what: String,
}

/// The behaviours that the level gives to characters now, where it gave others or none before.
pub type LevelBehaviours = Vec<(CharacterId, Option<GivenBehaviour>)>;

impl From<CallFailure> for ReloadError {
    fn from(failure: CallFailure) -> Self {
        let CallFailure { kind, message, file, line, .. } = failure;
        Self { file, line, message, kind: Some(kind), ..Self::default() }
    }
}

impl ReloadError {
    /// The first of several mistakes, with those at other places behind it; nothing when there are none.
    pub(super) fn all(mistakes: impl IntoIterator<Item = Self>) -> Result<(), Self> {
        let mut seen = BTreeSet::new();
        let is_new = |mistake: &Self| seen.insert((mistake.file.clone(), mistake.line));
        let mut mistakes = mistakes.into_iter().filter(is_new);
        let Some(first) = mistakes.next() else { return Ok(()) };
        Err(Self { more: mistakes.collect(), ..first })
    }

    /// Why files were refused by themselves, and together with those that waited: what is wrong with the
    /// files that were `given` comes first.
    pub(super) fn and(self, together: Self, given: &ChangedTexts) -> Self {
        let ran = self.ran.union(&together.ran).cloned().collect_set();
        let is_given = |mistake: &Self| given.contains_key(&mistake.file);
        let (first, second) = if is_given(&together) { (together, self) } else { (self, together) };
        let all = first.each().chain(second.each());
        let mut all = Self::all(all).err().unwrap_or_default();
        all.ran = ran;
        all
    }

    /// Each mistake by itself.
    fn each(mut self) -> impl Iterator<Item = Self> {
        let more = std::mem::take(&mut self.more);
        std::iter::once(self).chain(more)
    }

    /// A sentence about a whole file.
    pub(super) fn of_file(texts: &ScriptTexts, name: &str, what: &str) -> Self {
        let path = texts.get(name).map_or(name, |file| file.path.as_str());
        CallFailure::new(FaultKind::Error, what.to_owned(), Some((path, 1))).into()
    }
}
