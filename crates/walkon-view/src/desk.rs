//! The files of the project: read, patched, saved, checked.
//!
//! In: edits of clients, files that another program saved. Out: new texts on disk, reloads for the running
//! level and its future, diagnostics. Holds: nothing is written outside the project, and no edit makes a
//! level that loads stop loading; if another program saved a file meanwhile, the two texts are merged, or
//! clients get both. Not here: how a text is patched (`edit`), watching the disk (the command line).

mod commands;
pub(crate) mod errand;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use walkon_runtime::base::ordered::CollectOrdered;
use walkon_runtime::disk::Folder;
use walkon_runtime::game::inputs::{Input, LevelTexts, Reload};
use walkon_runtime::level::{Diagnostic, FileSource, Severity};

use crate::client::{CommandError, Reply};
use crate::commands::Doers;
use crate::edit::document::{
    Applied, Checked, Conflict, DiskChange, Document, DocumentSaveError, Save, Surroundings, Texts,
};
use crate::edit::expectations::{ExpectationRow, Expectations, ask_world};
use crate::edit::graph::graph_files;
use crate::edit::save::{remove_below, save_beside, save_over};
use crate::fields::CommandFields;
use crate::forecast::ForecastWish;
use crate::orders::{Order, Ordered};
use crate::run_record::{RunRecord, RunStart};

pub use errand::Errand;

/// How long all texts wait for their check after one of them has changed: the future comes first, and what is
/// changed meanwhile is checked with it.
const PROBLEMS_AFTER: Duration = Duration::from_millis(150);

/// The list of expected paths, as the history has it.
const EXPECTED_PATHS: &str = "expected paths";

/// The project around a level, as the command line knows it.
pub trait DeskProject: Send + Sync {
    /// The level and every file that it names, with some texts in place of those on disk (by path below the
    /// root, scripts too); with what is wrong with it, also with what it says of scripts.
    ///
    /// # Errors
    /// When a file cannot be read.
    fn level(&self, laid: &BTreeMap<String, String>) -> Result<CheckedLevel, String>;

    /// All scripts of the project, by path below the script folders.
    ///
    /// # Errors
    /// When a file cannot be read.
    fn scripts(&self) -> Result<BTreeMap<String, String>, String>;

    /// What `walkon check` finds in level and scripts, with some texts in place of those on disk (by path
    /// below the root).
    ///
    /// # Errors
    /// When a file cannot be read.
    fn check(&self, laid: &BTreeMap<String, String>) -> Result<Vec<Diagnostic>, String>;

    /// Where a script lies below the root.
    fn script_path(&self, name: &str) -> Option<String>;

    /// The folder of the project.
    fn folder(&self) -> &Folder;

    /// The trace of a run; none where it was called off: `goes_on` hears each tick and says whether it is
    /// wanted.
    ///
    /// # Errors
    /// When its level or a script does not start.
    fn trace(
        &self,
        record: &RunRecord,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<String>, String>;
}

/// A level with its files, and what is wrong with it.
#[derive(Clone, Debug, Default)]
pub struct CheckedLevel {
    /// The texts.
    pub texts: LevelTexts,
    /// What was found.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it can be played.
    pub is_playable: bool,
}

/// A file that another program saved.
struct NoticedFile {
    path: String,
    /// Of a script.
    name: Option<String>,
    /// None for a file that went.
    text: Option<String>,
}

/// The texts of a project, and the checks and saves of them.
pub struct Desk {
    around: TextSources,
    doers: Doers,
    /// The texts of level and scripts, by path below the root, with their history.
    document: Document,
    /// Names of scripts by their path below the root.
    script_names: BTreeMap<String, String>,
    expectations: Expectations,
    /// Conflicts that clients know of, by their file.
    conflicts: BTreeMap<String, Conflict>,
    /// When all texts are checked again.
    problems_due: Option<Instant>,
}

/// The project, as the texts need it.
struct TextSources {
    project: Arc<dyn DeskProject>,
}

impl TextSources {
    fn checked(&self, texts: &Texts) -> Checked {
        let laid = texts.iter().map(|(path, text)| (path.clone(), text.to_string())).collect_map();
        match self.project.level(&laid) {
            Ok(level) => Checked { loads: level.is_playable, diagnostics: level.diagnostics },
            Err(why) => {
                log::warn!("the level cannot be checked: {why}");
                Checked::default()
            }
        }
    }
}

impl Surroundings for TextSources {
    fn check(&mut self, texts: &Texts) -> Checked {
        self.checked(texts)
    }

    fn save(&mut self, save: Save<'_>) -> Result<(), DocumentSaveError> {
        save_over(self.project.folder().root(), save)
    }
}

impl Desk {
    /// A desk with the texts of the run on it.
    #[must_use]
    pub fn new(project: Arc<dyn DeskProject>, doers: Doers) -> Self {
        let start = Arc::clone(&doers.shared.record.lock().start);
        let mut around = TextSources { project };
        let texts = level_texts(&start.level);
        let mut document = Document::new(start.level.path.clone(), texts, &mut around);
        for file in graph_files(document.level(), document.texts(), around.project.folder()) {
            if let Ok(bytes) = around.project.folder().read(&file, walkon_runtime::level::FILE_BYTES_MAX)
                && let Ok(text) = String::from_utf8(bytes)
            {
                document.add(&file, &text);
            }
        }
        let mut script_names = BTreeMap::new();
        for (name, text) in &start.scripts {
            if let Some(path) = around.project.script_path(name) {
                document.add(&path, text);
                script_names.insert(path, name.clone());
            }
        }
        let expectations = Expectations::default();
        let mut desk = Self {
            around,
            doers,
            document,
            script_names,
            expectations,
            conflicts: BTreeMap::new(),
            problems_due: None,
        };
        desk.read_expectations();
        desk
    }

    /// Does errands until the end is one, or nobody is left to give any.
    pub fn run(mut self, errands: &Receiver<Errand>) {
        loop {
            let errand = match self.problems_due {
                None => errands.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => errands.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            match errand {
                Ok(Errand::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => self.tell_problems(),
                Ok(errand) => self.run_errand(errand),
            }
        }
    }

    fn run_errand(&mut self, errand: Errand) {
        match errand {
            Errand::Command { command, reply } => match CommandFields::of(&command) {
                Ok(("try", fields)) => self.try_out(&fields, reply),
                Ok((word, fields)) => match self.perform(&fields, word, &reply) {
                    Ok(answer) => reply.send(Ok(answer)),
                    Err(refusal) => self.refuse(refusal, reply),
                },
                Err(error) => reply.send(Err(error)),
            },
            Errand::Saved(saved) => self.saved(saved),
            Errand::Stop => {}
        }
        self.tell_conflicts();
    }

    fn refuse(&self, refusal: CommandError, reply: Reply) {
        // It may have forgotten what has to be decided first.
        if let Some(conflict) = refusal.conflict.as_ref().and_then(|file| self.conflicts.get(file)) {
            reply.tell(&conflict_tell(conflict));
        }
        reply.refuse(refusal);
    }

    /// What came of an edit: the running level and its future take it in, and all clients are told.
    fn applied(&mut self, applied: &Applied, by: &str) {
        let mut reload = Reload::default();
        let mut is_level = false;
        for (path, text) in &applied.files {
            match self.script_names.get(path) {
                Some(name) => {
                    _ = reload.scripts.insert(name.clone(), text.as_ref().map(|text| text.to_string()))
                }
                None => is_level = true,
            }
        }
        if is_level {
            reload.level = self.level_now(&BTreeMap::new()).ok().map(|level| level.texts);
            // What the level names since now is edited and taken back like the rest of it.
            for (path, text) in reload.level.iter().flat_map(level_texts) {
                self.document.add(&path, &text);
            }
        }
        // First the level, then the clients: a client that hears of a text and runs a tick runs it with that
        // text.
        self.reload(reload);
        applied.files.iter().for_each(|(path, text)| self.tell_text(path, text.as_deref(), by));
        for (file, why) in &applied.unsaved {
            self.doers
                .shared
                .clients
                .tell(&json!({ "tell": "log", "text": format!("{file} was not saved: {why}") }));
        }
        self.tell_conflicts();
        applied.asides.iter().for_each(|(name, bytes)| self.turn_aside(name, bytes.as_deref()));
        _ = self.problems_due.get_or_insert_with(|| Instant::now() + PROBLEMS_AFTER);
        if is_level {
            self.tell_expectations();
        }
    }

    /// Makes what is no text of the level what it was before a step, or after it.
    fn turn_aside(&mut self, name: &str, bytes: Option<&[u8]>) {
        if name == EXPECTED_PATHS {
            let text = bytes.map(String::from_utf8_lossy).unwrap_or_default();
            self.expectations = Expectations::read(&text).unwrap_or_default();
            let rows = self.expected().unwrap_or_default();
            self.doers.shared.clients.tell(&json!({ "tell": "expected", "rows": rows }));
        } else {
            let root = self.around.project.folder().root();
            let done = match bytes {
                Some(bytes) => save_beside(root, name, bytes),
                None => remove_below(root, name),
            };
            if let Err(error) = done {
                let text = format!("{name} was not saved: {error}");
                self.doers.shared.clients.tell(&json!({ "tell": "log", "text": text }));
            }
        }
        self.tell_history();
    }

    /// Tells what can be taken back and repeated since something that is no text was changed.
    fn tell_history(&self) {
        self.doers.shared.clients.tell(&json!({
            "tell": "history", "canUndo": self.document.undoes(), "canRedo": self.document.redoes(),
        }));
    }

    /// What is wrong with the texts as they are now, level and scripts.
    fn problems(&self) -> Result<Vec<Diagnostic>, String> {
        self.around.project.check(&self.laid(&BTreeMap::new()))
    }

    fn tell_problems(&mut self) {
        self.problems_due = None;
        if let Ok(found) = self.problems() {
            self.doers
                .shared
                .clients
                .tell(&json!({ "tell": "problems", "diagnostics": diagnostics(&found) }));
        }
    }

    fn tell_text(&self, path: &str, text: Option<&str>, by: &str) {
        let clients = &self.doers.shared.clients;
        if let Some(name) = self.script_names.get(path) {
            clients.tell(&json!({
                "tell": "script", "file": name, "path": path, "text": text, "by": by,
                "canUndo": self.document.undoes(), "canRedo": self.document.redoes(),
            }));
            return;
        }
        clients.tell(&json!({
            "tell": "edited", "file": path, "text": text, "by": by,
            "canUndo": self.document.undoes(), "canRedo": self.document.redoes(),
            "diagnostics": diagnostics(&self.document.checked().diagnostics),
        }));
    }

    /// Tells conflicts that came about and those that are over.
    fn tell_conflicts(&mut self) {
        let clients = &self.doers.shared.clients;
        let now: BTreeMap<String, Conflict> =
            self.document.conflicts().map(|conflict| (conflict.file.clone(), conflict)).collect_map();
        for file in self.conflicts.keys().filter(|file| !now.contains_key(*file)) {
            clients.tell_over(file, &json!({ "tell": "resolved", "file": file }));
        }
        for (file, conflict) in now.iter().filter(|(file, own)| self.conflicts.get(*file) != Some(own)) {
            clients.tell_lasting(file, &conflict_tell(conflict));
        }
        self.conflicts = now;
    }

    /// Takes in what another program saved.
    fn saved(&mut self, saved: Reload) {
        let scripts = saved.scripts.into_iter().filter_map(|(name, text)| {
            let path = self.around.project.script_path(&name).or_else(|| self.path_of(&name))?;
            Some(NoticedFile { path, name: Some(name), text })
        });
        let mut files: Vec<NoticedFile> = scripts.collect();
        let mut is_binary = false;
        if let Some(level) = &saved.level {
            let known = self.doers.shared.record.lock().texts_now().level;
            for (path, bytes) in &level.files {
                match std::str::from_utf8(bytes) {
                    Ok(text) => files.push(NoticedFile {
                        path: path.clone(),
                        name: None,
                        text: Some(text.to_owned()),
                    }),
                    Err(_) => is_binary |= known.files.get(path) != Some(bytes),
                }
            }
        }
        // What was saved together is one reload: the level never runs with a half of it.
        let mut all = Applied::default();
        for NoticedFile { path, name, text } in files {
            if let Some(name) = name {
                self.script_names.insert(path.clone(), name);
            }
            if self.is_outdated(&path) {
                continue;
            }
            match self.document.changed_on_disk(&path, text.as_deref(), &mut self.around) {
                DiskChange::Known => {}
                DiskChange::Taken(one) | DiskChange::Merged(one) => {
                    all.files.extend(one.files);
                    all.unsaved.extend(one.unsaved);
                    all.conflicts.extend(one.conflicts);
                }
                DiskChange::Conflict(conflict) => all.conflicts.push(conflict),
            }
        }
        if !(all.files.is_empty() && all.unsaved.is_empty() && all.conflicts.is_empty()) {
            self.applied(&all, "disk");
        }
        // What is no text has no history; the level takes it in all the same.
        if is_binary {
            self.reload(Reload { scripts: BTreeMap::new(), level: saved.level });
        }
    }

    /// Whether what was noticed of a file was replaced by an edit of ours since: the disk has that by now.
    fn is_outdated(&self, path: &str) -> bool {
        let there = self.around.project.folder().read(path, walkon_runtime::level::FILE_BYTES_MAX);
        let known = self.document.saved(path).filter(|_| !self.document.is_in_conflict(path));
        there.is_ok_and(|there| known.is_some_and(|known| known.as_bytes() == there))
    }

    fn path_of(&self, name: &str) -> Option<String> {
        self.script_names.iter().find(|(_, own)| *own == name).map(|(path, _)| path.clone())
    }

    /// Has the running level and its future take texts in.
    fn reload(&self, reload: Reload) {
        if reload.is_empty() {
            return;
        }
        let order = Order::Input(Input::Reload(reload.clone()));
        let _ = self.doers.running.send(Ordered { order, reply: None });
        let _ = self.doers.forecast.send(ForecastWish::Saved(reload).into());
    }

    /// The level with the texts on the desk, some of them replaced.
    fn level_now(&self, laid: &BTreeMap<String, String>) -> Result<CheckedLevel, String> {
        self.around.project.level(&self.laid(laid))
    }

    /// The texts on the desk by path below the root, some of them replaced.
    fn laid(&self, laid: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let texts = self.document.texts().iter().map(|(path, text)| (path.clone(), text.to_string()));
        let mut texts: BTreeMap<String, String> = texts.collect_map();
        texts.extend(laid.iter().map(|(path, text)| (path.clone(), text.clone())));
        texts
    }

    /// Where the expected paths of the level are kept by default.
    fn expectations_file(&self) -> String {
        let stem = walkon_runtime::level::stem(self.document.level());
        let folder = self.script_names.iter().find_map(|(path, name)| path.strip_suffix(name.as_str()));
        format!("{}{}", folder.unwrap_or_default(), Expectations::file_name(stem))
    }

    fn read_expectations(&mut self) {
        let place = self.around.project.folder().root().join(self.expectations_file());
        let Ok(text) = std::fs::read_to_string(place) else { return };
        if let Ok(read) = Expectations::read(&text) {
            self.expectations = read;
        }
    }

    /// What comes of the expected paths with the texts as they are now.
    fn expected(&self) -> Result<Vec<ExpectationRow>, String> {
        if self.expectations.rows().is_empty() {
            return Ok(Vec::new());
        }
        let level = self.level_now(&BTreeMap::new())?;
        let start = RunStart { level: level.texts, ..RunStart::default() };
        let mut world = walkon_runtime::level::spawn::build(start.level()?, None).world;
        Ok(self.expectations.run(&mut |row| ask_world(&mut world, row)))
    }

    fn tell_expectations(&self) {
        if let Ok(rows) = self.expected().map(|rows| rows.iter().map(|row| json!(row)).collect::<Vec<_>>())
            && !rows.is_empty()
        {
            self.doers.shared.clients.tell(&json!({ "tell": "expected", "rows": rows }));
        }
    }
}

fn conflict_tell(conflict: &Conflict) -> Value {
    let Conflict { file, ours, theirs } = conflict;
    json!({ "tell": "conflict", "file": file, "ours": ours.as_deref(), "theirs": theirs.as_deref() })
}

/// The files of a level that are texts.
fn level_texts(level: &LevelTexts) -> Texts {
    let texts = level.files.iter();
    texts
        .filter_map(|(path, bytes)| Some((path.clone(), Arc::from(std::str::from_utf8(bytes).ok()?))))
        .collect_map()
}

/// Diagnostics as they are told; notes are left out.
#[must_use]
pub fn diagnostics(found: &[Diagnostic]) -> Value {
    let one = |found: &Diagnostic| {
        json!({
            "severity": found.severity, "code": found.code, "file": found.path, "line": found.line,
            "column": found.column, "pointer": found.pointer, "message": found.message, "help": found.help,
        })
    };
    found.iter().filter(|one| one.severity != Severity::Note).map(one).collect()
}
