//! The files of the project: read, patched, saved, checked.
//!
//! In: edits of clients, files that somebody else saved. Out: new texts on disk, reloads for the running level
//! and its future, diagnostics. Holds: nothing is written outside the project, and of a level only a text that
//! still is one. Not here: how a text is patched (`edit`), who watches the disk (the command line).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::Receiver;

use serde_json::{Value, json};
use walkon::{Diagnostic, Input, LevelTexts, Reload};

use crate::client::Reply;
use crate::commands::Doers;
use crate::forecast::Outlook;
use crate::run_record::RunRecord;
use crate::running::{Order, Ordered};

/// The project around a level, as the command line knows it.
pub trait Project: Send + Sync {
    /// The level and every file that it names, with some texts in place of those on disk; with what is wrong
    /// with it.
    ///
    /// # Errors
    /// When a file cannot be read.
    fn level(&self, laid: &BTreeMap<String, String>) -> Result<CheckedLevel, String>;

    /// All scripts of the project, by path below the script folders.
    ///
    /// # Errors
    /// When a file cannot be read.
    fn scripts(&self) -> Result<BTreeMap<String, String>, String>;

    /// What is wrong with the scripts of the project, with some texts in place of those on disk.
    fn check_scripts(&self, laid: &BTreeMap<String, String>) -> Vec<Diagnostic>;

    /// Where a script lies below the root.
    fn script_path(&self, name: &str) -> Option<String>;

    /// The folder of the project.
    fn root(&self) -> &Path;

    /// The trace of a run.
    ///
    /// # Errors
    /// When its level or a script does not start.
    fn trace(&self, record: &RunRecord) -> Result<String, String>;
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

/// What was saved by somebody else.
#[derive(Debug, Default)]
pub struct Saved {
    /// The texts.
    pub reload: Reload,
    /// What is wrong with the level, if that is refused.
    pub diagnostics: Vec<Diagnostic>,
}

/// Something to do about files.
#[derive(Debug)]
pub enum Errand {
    /// A command of a client.
    Command {
        /// Its word.
        word: String,
        /// All of it.
        command: Value,
        /// Who waits.
        reply: Reply,
    },
    /// Somebody else saved something.
    Saved(Saved),
    /// The end.
    Stop,
}

/// Who does it.
pub struct Desk {
    project: std::sync::Arc<dyn Project>,
    doers: Doers,
}

impl Desk {
    /// A desk with nothing on it.
    #[must_use]
    pub fn new(project: std::sync::Arc<dyn Project>, doers: Doers) -> Self {
        Self { project, doers }
    }

    /// Does errands until the end is one, or nobody is left to give any.
    pub fn run(mut self, errands: &Receiver<Errand>) {
        for errand in errands {
            match errand {
                Errand::Command { word, command, reply } => {
                    let answer = self.perform(&word, &command);
                    reply.send(answer);
                }
                Errand::Saved(saved) => self.saved(saved),
                Errand::Stop => return,
            }
        }
    }

    fn perform(&mut self, word: &str, command: &Value) -> Result<Value, String> {
        let text = |name: &str| {
            command[name].as_str().ok_or_else(|| format!("\"{name}\" is missing, expected a text"))
        };
        match word {
            "files" => self.files(),
            "source" => self.source(text("file")?),
            "schema" => Ok(walkon::level::schema()),
            "check" => self.check(),
            "trace" => Ok(json!({ "text": self.project.trace(&self.doers.shared.record.now())? })),
            other => Err(format!("the command \"{other}\" is not known here")),
        }
    }

    /// The texts as the running level has them.
    fn files(&self) -> Result<Value, String> {
        let texts = self.doers.shared.record.lock().texts_now();
        let level: Vec<&String> = texts.level.files.keys().collect();
        let scripts: Vec<&String> = texts.scripts.keys().collect();
        Ok(json!({ "level": level, "scripts": scripts }))
    }

    fn source(&self, file: &str) -> Result<Value, String> {
        let texts = self.doers.shared.record.lock().texts_now();
        if let Some(text) = texts.scripts.get(file) {
            return Ok(json!({ "file": file, "text": text, "path": self.project.script_path(file) }));
        }
        let bytes = texts.level.files.get(file);
        let text = bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        text.map(|text| json!({ "file": file, "text": text, "path": file }))
            .ok_or_else(|| format!("the level has no file \"{file}\""))
    }

    fn check(&self) -> Result<Value, String> {
        let nothing = BTreeMap::new();
        let mut found = self.project.level(&nothing)?.diagnostics;
        found.extend(self.project.check_scripts(&nothing));
        Ok(json!({ "diagnostics": diagnostics(&found) }))
    }

    /// Takes in what somebody else saved.
    fn saved(&mut self, saved: Saved) {
        let clients = &self.doers.shared.clients;
        for (file, text) in &saved.reload.scripts {
            clients.tell(&json!({ "tell": "script", "file": file, "text": text }));
        }
        if let Some(level) = &saved.reload.level {
            let text = level.files.get(&level.path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            clients.tell(&json!({
                "tell": "edited", "file": level.path, "text": text, "by": "disk", "canUndo": false, "canRedo": false,
                "diagnostics": diagnostics(&saved.diagnostics),
            }));
        }
        self.reload(saved.reload);
    }

    /// Has the running level and its future take texts in.
    fn reload(&self, reload: Reload) {
        let order = Order::Input(Input::Reload(reload));
        let _ = self.doers.running.send(Ordered { order, reply: None });
        let _ = self.doers.forecast.send(Outlook::Saved);
    }
}

/// Diagnostics as they are told.
#[must_use]
pub fn diagnostics(found: &[Diagnostic]) -> Value {
    let one = |found: &Diagnostic| {
        json!({
            "severity": found.severity, "code": found.code, "file": found.path, "line": found.line,
            "column": found.column, "pointer": found.pointer, "message": found.message, "help": found.help,
        })
    };
    found.iter().map(one).collect()
}
