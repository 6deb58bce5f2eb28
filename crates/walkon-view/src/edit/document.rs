//! The texts of a level with their history: edits, undo, redo, and changes on disk.
//!
//! In: the files of a level, changes, what happens on disk meanwhile. Out: new texts, checked and handed out
//! to be written. Holds: no edit makes a level that loads stop loading, or a parameter wrong; every edit can
//! be undone and redone until somebody else changes the same lines; a text on disk replaces ours if it
//! contains all our changes, else the two are merged by lines, or both are kept until a client decides. Not
//! here: reading and writing files (the caller, `save`), the patches (`patch`), the merging (`merge`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use walkon_runtime::base::ordered::{self, CollectOrdered};
use walkon_runtime::level::{Diagnostic, FileSource, Severity, SourceError, code};

use super::merge::merge;
use super::patch::{Change, PatchError, patch};

/// Most steps that can be taken back.
const STEPS_MAX: usize = 500;
/// How many times a file is saved again when another program changes it during the save.
const ROUNDS_MAX: usize = 8;
/// Most bytes of texts that are kept for them.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// The texts of files by their path from the root of the project.
pub type Texts = BTreeMap<String, Arc<str>>;

/// What is said of the texts of a level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// Whether they are a level.
    pub loads: bool,
    /// Errors, warnings and notes.
    pub diagnostics: Vec<Diagnostic>,
}

/// A file to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Save<'s> {
    /// Its path from the root of the project.
    pub file: &'s str,
    /// Its new text; None when there is to be no such file.
    pub text: Option<&'s str>,
    /// What should be there now; None for no file. Where it is not, nothing is written.
    pub over: Option<&'s str>,
}

/// Why a file was not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentSaveError {
    /// Another program has changed it: this is what is there.
    #[error("it was changed by somebody else")]
    Changed(Option<String>),
    /// The system refused.
    #[error("{0}")]
    Failed(String),
}

/// What a document needs of the world around it.
pub trait Surroundings {
    /// Whether these texts are a level, and what is wrong with them.
    fn check(&mut self, texts: &Texts) -> Checked;

    /// Writes a file whole or not at all, and only over what is expected there.
    ///
    /// # Errors
    /// Why it was not written.
    fn save(&mut self, save: Save<'_>) -> Result<(), DocumentSaveError>;
}

/// What a step is called, and what it belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepLabel {
    /// For people: "move door".
    pub text: String,
    /// Consecutive edits of one word are one step; empty for a step of its own.
    pub joins: String,
}

/// What came of an edit, an undo or a redo.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// The label of the step.
    pub label: String,
    /// The files that have another text now, and that text; None for a file that went.
    pub files: BTreeMap<String, Option<Arc<str>>>,
    /// What is said of the texts now.
    pub checked: Checked,
    /// Files whose text is not on disk, and why.
    pub unsaved: BTreeMap<String, String>,
    /// Files that another program has changed at the same place: see [`Document::resolve`].
    pub conflicts: Vec<Conflict>,
    /// What is no text of the level and belongs to the step, as it is to be now; None for nothing.
    pub asides: BTreeMap<String, Option<Arc<[u8]>>>,
}

/// Something that is no text of the level and is taken back with the others: a list, a file that nobody
/// reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// What it is called; of a file its path.
    pub name: String,
    /// What it was; None for nothing.
    pub before: Option<Arc<[u8]>>,
    /// What it became.
    pub after: Option<Arc<[u8]>>,
}

/// Two texts of one file that cannot be made one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The file.
    pub file: String,
    /// As the page has it.
    pub ours: Option<Arc<str>>,
    /// As it is on disk.
    pub theirs: Option<Arc<str>>,
}

/// What became of a change on disk.
#[derive(Clone, Debug, PartialEq)]
pub enum DiskChange {
    /// It was known already.
    Known,
    /// It is the text now.
    Taken(Applied),
    /// It and what was not on disk yet are the text now, which was written.
    Merged(Applied),
    /// Both were changed at the same place; nothing happened.
    Conflict(Conflict),
}

/// How a conflict ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The text of the page, over that of the disk.
    Ours,
    /// The text of the disk; that of the page can be had back with undo.
    Theirs,
    /// Another one.
    Text(String),
}

/// Why nothing was changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    /// A change that is not possible.
    #[error("{0}")]
    Patch(#[from] PatchError),
    /// The level would not load any more.
    #[error("{}: {}", what_is_wrong(.0), first_error(.0))]
    Refused(Vec<Diagnostic>),
    /// A file that is none of the level.
    #[error("{0} is not a file of this level")]
    NoFile(String),
    /// There is no step to take back.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// No step was taken back.
    #[error("there is nothing to redo")]
    NothingToRedo,
    /// The same lines were changed since.
    #[error("\"{label}\" cannot be taken back or repeated: {file} has been changed since at the same place")]
    Changed {
        /// What the step is called.
        label: String,
        /// The file.
        file: String,
    },
    /// There is no conflict to decide.
    #[error(
        "there is no conflict of {0}: somebody has decided already, or page and disk have the same text again"
    )]
    NoConflict(String),
    /// A file is in conflict with the disk.
    #[error("{0} was changed here and on disk at the same place: decide first which of the two counts")]
    Conflict(String),
}

fn first_error(diagnostics: &[Diagnostic]) -> String {
    let first = diagnostics.iter().find(|found| found.severity == Severity::Error);
    first.map_or_else(
        || "no reason given".to_owned(),
        |found| format!("{}:{}:{}: {}", found.path, found.line, found.column, found.message),
    )
}

/// A file before and after a step; None for no file.
#[derive(Clone, Debug, PartialEq)]
struct FileChange {
    file: String,
    before: Option<Arc<str>>,
    after: Option<Arc<str>>,
}

#[derive(Clone, Debug, PartialEq)]
struct EditStep {
    label: StepLabel,
    turns: Vec<FileChange>,
    asides: Vec<Aside>,
}

/// Which way a step is gone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StepDirection {
    Back,
    Forth,
}

impl EditStep {
    fn bytes(&self) -> usize {
        let turns = self.turns.iter().flat_map(|turn| &turn.before).map(|text| text.len());
        let asides = self.asides.iter().flat_map(|aside| aside.before.iter().chain(&aside.after));
        turns.chain(asides.map(|bytes| bytes.len())).sum()
    }
}

/// The texts of a level and their history.
#[derive(Clone, Debug)]
pub struct Document {
    level: String,
    texts: Texts,
    /// What is on disk, as far as is known.
    disk: Texts,
    /// What is on disk and could not be merged.
    conflicts: BTreeMap<String, Option<Arc<str>>>,
    checked: Checked,
    done: Vec<EditStep>,
    undone: Vec<EditStep>,
    /// Whether the next edit of the same word joins the last step.
    is_open: bool,
    /// How many times the current file was saved again.
    rounds: usize,
}

impl Document {
    /// A document of the level at a path, and of the files that it names, as they are on disk.
    pub fn new(level: impl Into<String>, texts: Texts, around: &mut dyn Surroundings) -> Self {
        let checked = around.check(&texts);
        Self {
            level: level.into(),
            disk: texts.clone(),
            texts,
            conflicts: BTreeMap::new(),
            checked,
            done: Vec::new(),
            undone: Vec::new(),
            is_open: false,
            rounds: 0,
        }
    }

    /// The path of the level.
    #[must_use]
    pub fn level(&self) -> &str {
        &self.level
    }

    /// The text of a file; of the level when the path is empty.
    #[must_use]
    pub fn text(&self, file: &str) -> Option<&Arc<str>> {
        self.texts.get(if file.is_empty() { self.level.as_str() } else { file })
    }

    /// All texts.
    #[must_use]
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    /// What is said of the texts.
    #[must_use]
    pub fn checked(&self) -> &Checked {
        &self.checked
    }

    /// The label of the step that [`Document::undo`] takes back.
    #[must_use]
    pub fn undoes(&self) -> Option<&str> {
        self.done.last().map(|step| step.label.text.as_str())
    }

    /// The label of the step that [`Document::redo`] repeats.
    #[must_use]
    pub fn redoes(&self) -> Option<&str> {
        self.undone.last().map(|step| step.label.text.as_str())
    }

    /// The text of a file on disk, as far as is known.
    #[must_use]
    pub fn saved(&self, file: &str) -> Option<&Arc<str>> {
        self.disk.get(&self.name(file))
    }

    /// Files that were changed here and on disk at the same place, as long as nobody has decided.
    pub fn conflicts(&self) -> impl Iterator<Item = Conflict> {
        self.conflicts.iter().map(|(file, theirs)| Conflict {
            file: file.clone(),
            ours: self.texts.get(file).cloned(),
            theirs: theirs.clone(),
        })
    }

    /// Whether a file was changed here and on disk at the same place, and nobody has decided.
    #[must_use]
    pub fn is_in_conflict(&self, file: &str) -> bool {
        self.conflicts.contains_key(&self.name(file))
    }

    /// Files whose text is not on disk.
    #[must_use]
    pub fn unsaved(&self) -> Vec<&str> {
        let files = self.texts.keys().chain(self.disk.keys());
        let mut files: Vec<&str> =
            files.filter(|file| self.texts.get(*file) != self.disk.get(*file)).map(String::as_str).collect();
        ordered::sort_by(&mut files, Ord::cmp);
        files.dedup();
        files
    }

    /// Adds a file that the level names since a while, as it is on disk. One that is there already stays.
    pub fn add(&mut self, file: &str, text: &str) {
        if !self.texts.contains_key(file) && !self.disk.contains_key(file) {
            let text: Arc<str> = text.into();
            self.texts.insert(file.to_owned(), Arc::clone(&text));
            self.disk.insert(file.to_owned(), text);
        }
    }

    /// The texts with some changes, and what would be said of them; nothing is changed.
    ///
    /// # Errors
    /// A change that is not possible, a file that is none of the level.
    pub fn try_out(&self, file: &str, changes: &[Change]) -> Result<Texts, EditError> {
        let file = self.name(file);
        let text = self.texts.get(&file).ok_or_else(|| EditError::NoFile(file.clone()))?;
        let text = patch(text, changes)?;
        let mut texts = self.texts.clone();
        texts.insert(file, text.into());
        Ok(texts)
    }

    /// Changes the text of a file (of the level when the path is empty) where the changes say so, checks it
    /// and has it written.
    ///
    /// # Errors
    /// Why nothing was changed.
    pub fn apply(
        &mut self,
        file: &str,
        changes: &[Change],
        label: StepLabel,
        around: &mut dyn Surroundings,
    ) -> Result<Applied, EditError> {
        let file = self.name(file);
        let texts = self.try_out(&file, changes)?;
        let text = texts.get(&file).map(|text| text.to_string());
        self.replace(BTreeMap::from([(file, text)]), label, around)
    }

    /// Gives files new texts in one step; None takes a file away, and a file that is not there yet is made.
    ///
    /// # Errors
    /// Why nothing was changed.
    pub fn replace(
        &mut self,
        files: BTreeMap<String, Option<String>>,
        label: StepLabel,
        around: &mut dyn Surroundings,
    ) -> Result<Applied, EditError> {
        let turns: Vec<FileChange> = files
            .into_iter()
            .map(|(file, text)| FileChange {
                before: self.texts.get(&file).cloned(),
                after: text.map(Arc::from),
                file,
            })
            .filter(|turn| turn.before != turn.after)
            .collect();
        if turns.is_empty() {
            let checked = self.checked.clone();
            return Ok(Applied { label: label.text, checked, ..Applied::default() });
        }
        self.no_conflict(&turns)?;
        let checked = self.would_load(&turns, around)?;
        let step = EditStep { label, turns, asides: Vec::new() };
        self.take(&step.turns, StepDirection::Forth);
        self.checked = checked;
        self.undone.clear();
        let (label, turns) = (step.label.text.clone(), step.turns.clone());
        self.remember(step);
        Ok(self.written(label, &turns, around))
    }

    /// Remembers a step that changed no text of the level: it is taken back in its turn.
    pub fn note(&mut self, label: StepLabel, aside: Aside) {
        self.undone.clear();
        self.is_open = false;
        self.remember(EditStep { label, turns: Vec::new(), asides: vec![aside] });
    }

    /// Gives a file a text that was written over `base`. What it has become meanwhile is kept where the two
    /// do not meet; where they do, both stay side by side until a client decides.
    ///
    /// # Errors
    /// Why nothing was changed.
    pub fn write_over(
        &mut self,
        file: &str,
        base: &str,
        text: String,
        label: StepLabel,
        around: &mut dyn Surroundings,
    ) -> Result<Applied, EditError> {
        let file = self.name(file);
        let now = self.texts.get(&file).cloned();
        let Some(now) = now.filter(|now| **now != *base && **now != *text) else {
            return self.replace(BTreeMap::from([(file, Some(text))]), label, around);
        };
        if let Some(merged) = merge(base, &text, &now) {
            return self.replace(BTreeMap::from([(file, Some(merged))]), label, around);
        }
        let turn =
            FileChange { file: file.clone(), before: Some(Arc::clone(&now)), after: Some(text.into()) };
        let turns = [turn];
        self.no_conflict(&turns)?;
        self.checked = self.would_load(&turns, around)?;
        self.take(&turns, StepDirection::Forth);
        self.undone.clear();
        self.is_open = false;
        self.conflicts.insert(file.clone(), Some(Arc::clone(&now)));
        let [FileChange { after: ours, .. }] = &turns;
        let (ours, name) = (ours.clone(), label.text.clone());
        self.remember(EditStep { label, turns: turns.to_vec(), asides: Vec::new() });
        Ok(Applied {
            label: name,
            files: BTreeMap::from([(file.clone(), ours.clone())]),
            checked: self.checked.clone(),
            conflicts: vec![Conflict { file, ours, theirs: Some(now) }],
            ..Applied::default()
        })
    }

    /// Takes the last step back.
    ///
    /// # Errors
    /// Why nothing was changed.
    pub fn undo(&mut self, around: &mut dyn Surroundings) -> Result<Applied, EditError> {
        let step = self.done.last().cloned().ok_or(EditError::NothingToUndo)?;
        let applied = self.go(&step, StepDirection::Back, around)?;
        self.undone.extend(self.done.pop());
        Ok(applied)
    }

    /// Repeats the step that was taken back last.
    ///
    /// # Errors
    /// Why nothing was changed.
    pub fn redo(&mut self, around: &mut dyn Surroundings) -> Result<Applied, EditError> {
        let step = self.undone.last().cloned().ok_or(EditError::NothingToRedo)?;
        let applied = self.go(&step, StepDirection::Forth, around)?;
        self.done.extend(self.undone.pop());
        Ok(applied)
    }

    /// Takes note of what is on disk now; None for no file. It wins where nothing of ours is missing on disk,
    /// else the two are merged.
    pub fn changed_on_disk(
        &mut self,
        file: &str,
        text: Option<&str>,
        around: &mut dyn Surroundings,
    ) -> DiskChange {
        let file = self.name(file);
        let theirs: Option<Arc<str>> = text.map(Arc::from);
        let (ours, base) = (self.texts.get(&file).cloned(), self.disk.get(&file).cloned());
        let is_known = match self.conflicts.get(&file) {
            Some(other) => *other == theirs,
            None => theirs == base,
        };
        if is_known {
            return DiskChange::Known;
        }
        if theirs == ours {
            self.conflicts.remove(&file);
            put(&mut self.disk, &file, theirs);
            return DiskChange::Known;
        }
        self.is_open = false;
        let turn = |after: Option<Arc<str>>| FileChange { file: file.clone(), before: ours.clone(), after };
        if ours == base {
            put(&mut self.disk, &file, theirs.clone());
            return DiskChange::Taken(self.taken(turn(theirs), around));
        }
        let merged = match (&base, &ours, &theirs) {
            (Some(base), Some(ours), Some(theirs)) => merge(base, ours, theirs),
            _ => None,
        };
        let merged = merged.map(|text| turn(Some(text.into())));
        let merged = merged.and_then(|turn| {
            let checked = self.would_load(std::slice::from_ref(&turn), around).ok()?;
            Some((turn, checked))
        });
        let Some((turn, checked)) = merged else {
            self.conflicts.insert(file.clone(), theirs.clone());
            return DiskChange::Conflict(Conflict { file, ours, theirs });
        };
        self.conflicts.remove(&file);
        put(&mut self.disk, &file, theirs);
        self.take(std::slice::from_ref(&turn), StepDirection::Forth);
        self.checked = checked;
        DiskChange::Merged(self.written("merged with the disk".to_owned(), &[turn], around))
    }

    /// Ends a conflict of a file.
    ///
    /// # Errors
    /// Why nothing was changed.
    pub fn resolve(
        &mut self,
        file: &str,
        resolution: Resolution,
        around: &mut dyn Surroundings,
    ) -> Result<Applied, EditError> {
        let file = self.name(file);
        let ours = self.texts.get(&file).cloned();
        let Some(theirs) = self.conflicts.get(&file).cloned() else {
            let is_known = ours.is_some() || self.disk.contains_key(&file);
            return Err(if is_known { EditError::NoConflict(file) } else { EditError::NoFile(file) });
        };
        let after = match resolution {
            Resolution::Ours => ours.clone(),
            Resolution::Theirs => theirs.clone(),
            Resolution::Text(text) => Some(text.into()),
        };
        let turn = FileChange { file: file.clone(), before: ours, after };
        let checked = self.would_load(std::slice::from_ref(&turn), around)?;
        self.conflicts.remove(&file);
        put(&mut self.disk, &file, theirs);
        let turns = [turn];
        self.take(&turns, StepDirection::Forth);
        self.checked = checked;
        self.is_open = false;
        let label = "decide between two texts".to_owned();
        if turns[0].before != turns[0].after {
            self.undone.clear();
            let label = StepLabel { text: label.clone(), joins: String::new() };
            self.remember(EditStep { label, turns: turns.to_vec(), asides: Vec::new() });
        }
        Ok(self.written(label, &turns, around))
    }

    /// Tries once more to write what is not on disk.
    pub fn save_again(&mut self, around: &mut dyn Surroundings) -> Applied {
        let files = self.unsaved().into_iter().filter(|file| !self.conflicts.contains_key(*file));
        let turns: Vec<FileChange> = files
            .map(|file| {
                let text = self.texts.get(file).cloned();
                FileChange { file: file.to_owned(), before: text.clone(), after: text }
            })
            .collect();
        self.written("save".to_owned(), &turns, around)
    }

    fn name(&self, file: &str) -> String {
        if file.is_empty() { self.level.clone() } else { file.to_owned() }
    }

    fn no_conflict(&self, turns: &[FileChange]) -> Result<(), EditError> {
        match turns.iter().find(|turn| self.conflicts.contains_key(&turn.file)) {
            Some(turn) => Err(EditError::Conflict(turn.file.clone())),
            None => Ok(()),
        }
    }

    /// What would be said of the texts after some turns; refused when they were a level and would be none.
    fn would_load(&self, turns: &[FileChange], around: &mut dyn Surroundings) -> Result<Checked, EditError> {
        if turns.is_empty() {
            return Ok(self.checked.clone());
        }
        let mut texts = self.texts.clone();
        turns.iter().for_each(|turn| put(&mut texts, &turn.file, turn.after.clone()));
        let checked = around.check(&texts);
        let files: BTreeSet<&str> = turns.iter().map(|turn| turn.file.as_str()).collect_set();
        match self.refused(&checked, &files, || around.check(&self.texts)) {
            Some(found) => Err(EditError::Refused(found)),
            None => Ok(checked),
        }
    }

    /// Why texts are refused with these files changed, if they are: what was a level would be none, or a
    /// parameter there would be wrong that was not. Wrong ones of before can be mended one after the other.
    /// `now` judges the texts as they are: what lies around them may have changed since they were judged.
    #[must_use]
    pub fn refused(
        &self,
        checked: &Checked,
        files: &BTreeSet<&str>,
        now: impl FnOnce() -> Checked,
    ) -> Option<Vec<Diagnostic>> {
        new_mistakes(&self.checked, checked, files)?;
        new_mistakes(&now(), checked, files)
    }

    fn take(&mut self, turns: &[FileChange], way: StepDirection) {
        for turn in turns {
            let text = if way == StepDirection::Forth { &turn.after } else { &turn.before };
            put(&mut self.texts, &turn.file, text.clone());
        }
    }

    fn remember(&mut self, step: EditStep) {
        let last = self.done.last_mut().filter(|_| self.is_open);
        let last = last.filter(|last| !step.label.joins.is_empty() && last.label.joins == step.label.joins);
        self.is_open = true;
        match last {
            Some(last) => {
                for turn in step.turns {
                    match last.turns.iter_mut().find(|known| known.file == turn.file) {
                        Some(known) => known.after = turn.after,
                        None => last.turns.push(turn),
                    }
                }
            }
            None => self.done.push(step),
        }
        let mut bytes: usize = self.done.iter().map(EditStep::bytes).sum();
        while self.done.len() > STEPS_MAX || (bytes > BYTES_MAX && self.done.len() > 1) {
            bytes -= self.done.remove(0).bytes();
        }
    }

    /// Goes a step back or forth: exactly, or around what another program has changed since.
    fn go(
        &mut self,
        step: &EditStep,
        way: StepDirection,
        around: &mut dyn Surroundings,
    ) -> Result<Applied, EditError> {
        self.no_conflict(&step.turns)?;
        let mut turns = Vec::new();
        let mut is_exact = true;
        for turn in &step.turns {
            let (from, to) = match way {
                StepDirection::Back => (&turn.after, &turn.before),
                StepDirection::Forth => (&turn.before, &turn.after),
            };
            let now = self.texts.get(&turn.file).cloned();
            let after = if now == *from {
                to.clone()
            } else {
                is_exact = false;
                let merged = match (from, to, &now) {
                    (Some(from), Some(to), Some(now)) => merge(from, to, now),
                    _ => None,
                };
                let changed =
                    || EditError::Changed { label: step.label.text.clone(), file: turn.file.clone() };
                Some(merged.ok_or_else(changed)?.into())
            };
            turns.push(FileChange { file: turn.file.clone(), before: now, after });
        }
        // What was the text once may be it again, whether it loads or not.
        let checked = match self.would_load(&turns, around) {
            Err(EditError::Refused(diagnostics)) if is_exact => Checked { loads: false, diagnostics },
            checked => checked?,
        };
        self.take(&turns, StepDirection::Forth);
        self.checked = checked;
        self.is_open = false;
        let asides = step.asides.iter().map(|aside| {
            let bytes = if way == StepDirection::Back { &aside.before } else { &aside.after };
            (aside.name.clone(), bytes.clone())
        });
        let asides = asides.collect_map();
        Ok(Applied { asides, ..self.written(step.label.text.clone(), &turns, around) })
    }

    fn taken(&mut self, turn: FileChange, around: &mut dyn Surroundings) -> Applied {
        self.take(std::slice::from_ref(&turn), StepDirection::Forth);
        self.checked = around.check(&self.texts);
        Applied {
            label: "changed on disk".to_owned(),
            files: BTreeMap::from([(turn.file, turn.after)]),
            checked: self.checked.clone(),
            ..Applied::default()
        }
    }

    /// Has the texts of some files written. What another program wrote in between is merged.
    fn written(&mut self, label: String, turns: &[FileChange], around: &mut dyn Surroundings) -> Applied {
        let mut applied = Applied { label, ..Applied::default() };
        for turn in turns {
            self.write(&turn.file, &mut applied, around);
            let now = self.texts.get(&turn.file).cloned();
            if now != turn.before {
                applied.files.insert(turn.file.clone(), now);
            }
        }
        applied.checked = self.checked.clone();
        applied
    }

    fn write(&mut self, file: &str, applied: &mut Applied, around: &mut dyn Surroundings) {
        let (text, over) = (self.texts.get(file).cloned(), self.disk.get(file).cloned());
        if text == over {
            return;
        }
        match around.save(Save { file, text: text.as_deref(), over: over.as_deref() }) {
            Ok(()) => put(&mut self.disk, file, text),
            Err(DocumentSaveError::Failed(why)) => _ = applied.unsaved.insert(file.to_owned(), why),
            // What it wants to be written over is not what is there by its own account.
            Err(DocumentSaveError::Changed(theirs)) if theirs.as_deref() == over.as_deref() => {
                applied.unsaved.insert(file.to_owned(), DocumentSaveError::Changed(None).to_string());
            }
            Err(DocumentSaveError::Changed(_)) if self.rounds >= ROUNDS_MAX => {
                applied.unsaved.insert(file.to_owned(), DocumentSaveError::Changed(None).to_string());
            }
            Err(DocumentSaveError::Changed(theirs)) => {
                self.rounds += 1;
                match self.changed_on_disk(file, theirs.as_deref(), around) {
                    DiskChange::Known => {}
                    DiskChange::Taken(more) | DiskChange::Merged(more) => {
                        applied.unsaved.extend(more.unsaved);
                        applied.conflicts.extend(more.conflicts);
                    }
                    DiskChange::Conflict(conflict) => applied.conflicts.push(conflict),
                }
                self.rounds -= 1;
            }
        }
    }
}

fn put(texts: &mut Texts, file: &str, text: Option<Arc<str>>) {
    match text {
        Some(text) => _ = texts.insert(file.to_owned(), text),
        None => _ = texts.remove(file),
    }
}

/// A source of files in which some texts stand before those that are there.
pub struct Overlaid<'o> {
    /// What lies below.
    pub below: &'o dyn FileSource,
    /// What stands before it.
    pub texts: &'o Texts,
}

impl FileSource for Overlaid<'_> {
    fn read(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>, SourceError> {
        match self.texts.get(path) {
            Some(text) if text.len() as u64 > bytes_max => Err(SourceError::TooBig { bytes_max }),
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => self.below.read(path, bytes_max),
        }
    }

    fn names(&self) -> Vec<String> {
        self.below.names()
    }
}

/// Whether the level at a path loads out of some texts and what lies below them.
#[cfg(test)]
pub fn check_level(level: &str, texts: &Texts, below: &dyn FileSource) -> Checked {
    match walkon_runtime::level::load(level, &Overlaid { below, texts }) {
        Ok(level) => Checked { loads: true, diagnostics: level.diagnostics },
        Err(error) => Checked { loads: false, diagnostics: error.diagnostics },
    }
}

/// What becomes of a level by what was found in it.
fn what_is_wrong(found: &[Diagnostic]) -> &'static str {
    let is_about_parameters = !found.is_empty() && found.iter().all(|one| one.code == code::PARAMS);
    if is_about_parameters { "a parameter would be wrong" } else { "the level would not load any more" }
}

/// What is wrong with texts and was not before, where that keeps them from being taken.
fn new_mistakes(before: &Checked, after: &Checked, files: &BTreeSet<&str>) -> Option<Vec<Diagnostic>> {
    if !before.loads {
        return None;
    }
    if !after.loads {
        return Some(after.diagnostics.clone());
    }
    // Places shift with what is put in before them: a mistake is known by its sentence.
    let mut known: Vec<&str> = parameters(before).map(|one| one.message.as_str()).collect();
    let is_new = |one: &&Diagnostic| {
        let at = known.iter().position(|known| *known == one.message);
        at.map(|at| known.swap_remove(at)).is_none() && files.contains(one.path.as_str())
    };
    let new: Vec<Diagnostic> = parameters(after).filter(is_new).cloned().collect();
    (!new.is_empty()).then_some(new)
}

/// What is said of parameters.
fn parameters(checked: &Checked) -> impl Iterator<Item = &Diagnostic> {
    checked.diagnostics.iter().filter(|one| one.code == code::PARAMS)
}

#[cfg(test)]
mod tests;
