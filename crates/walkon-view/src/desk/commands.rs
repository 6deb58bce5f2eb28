//! Commands about files.
//!
//! In: a command. Out: its answer; texts that were changed by it. Not here: what becomes of a changed text
//! (`desk`).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use walkon::Reload;

use super::{Desk, diagnostics};
use crate::edit::document::{Applied, EditError, Label, Resolution};
use crate::edit::expectations::Expectation;
use crate::edit::graph::{GraphAction, act};
use crate::edit::paint::{grid_place, paint};
use crate::edit::patch::Change;
use crate::edit::save::save_beside;
use crate::forecast::Outlook;

/// Time between two words about how far long work has come.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

impl Desk {
    /// Does what a command asks for.
    pub(super) fn perform(&mut self, word: &str, command: &Value) -> Result<Value, String> {
        match word {
            "files" => self.files(),
            "source" => self.source(text(command, "file")?),
            "schema" => Ok(walkon::level::schema()),
            "check" => self.check(),
            "trace" => Ok(json!({ "text": self.around.project.trace(&self.doers.shared.record.now())? })),
            "document" => self.shown(command["file"].as_str().unwrap_or_default()),
            "edit" => {
                let changes = changes(command)?;
                let file = self.file_of(command);
                let label = label(command, "edit");
                self.done(|desk| desk.document.apply(&file, &changes, label, &mut desk.around))
            }
            "undo" => self.done(|desk| desk.document.undo(&mut desk.around)),
            "redo" => self.done(|desk| desk.document.redo(&mut desk.around)),
            "write" => self.write(command),
            "paint" => self.paint(command),
            "resolve" => self.resolve(command),
            "try" => self.try_out(command),
            "expect" => self.expect(command),
            "graph" => self.graph(command),
            other => Err(format!("the command \"{other}\" is not known here")),
        }
    }

    /// A file by its path below the root, or a script by its name; the level when none is named.
    fn file_of(&self, command: &Value) -> String {
        let file = command["file"].as_str().unwrap_or_default();
        self.path_of(file).unwrap_or_else(|| file.to_owned())
    }

    /// Edits, and lets everybody know.
    fn done(&mut self, edit: impl FnOnce(&mut Self) -> Result<Applied, EditError>) -> Result<Value, String> {
        let applied = edit(self).map_err(|error| error.to_string())?;
        self.applied(&applied, "page");
        let files: BTreeMap<&String, Option<&str>> =
            applied.files.iter().map(|(path, text)| (path, text.as_deref())).collect();
        let text = applied.files.get(self.document.level()).and_then(|text| text.as_deref());
        Ok(json!({
            "label": applied.label, "files": files, "text": text.or_else(|| self.document.text("").map(|text| &**text)),
            "canUndo": self.document.undoes(), "canRedo": self.document.redoes(),
            "diagnostics": diagnostics(&applied.checked.diagnostics), "unsaved": applied.unsaved,
        }))
    }

    /// The texts as they are on the desk.
    fn files(&self) -> Result<Value, String> {
        let (scripts, level): (Vec<_>, Vec<_>) =
            self.document.texts().keys().partition(|path| self.script_names.contains_key(*path));
        let names: Vec<_> = scripts.iter().filter_map(|path| self.script_names.get(*path)).collect();
        Ok(json!({ "level": level, "scripts": names }))
    }

    fn source(&self, file: &str) -> Result<Value, String> {
        let path = self.path_of(file).unwrap_or_else(|| file.to_owned());
        let text = self.document.text(&path).ok_or_else(|| format!("the level has no file \"{file}\""))?;
        Ok(json!({ "file": file, "text": &**text, "path": path }))
    }

    fn shown(&self, file: &str) -> Result<Value, String> {
        let path = self.path_of(file).unwrap_or_else(|| file.to_owned());
        let text = self.document.text(&path).ok_or_else(|| format!("the level has no file \"{file}\""))?;
        let value: Option<Value> = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok();
        Ok(json!({
            "file": if path.is_empty() { self.document.level() } else { &path }, "text": &**text, "value": value,
            "canUndo": self.document.undoes(), "canRedo": self.document.redoes(),
            "diagnostics": diagnostics(&self.document.checked().diagnostics),
        }))
    }

    fn check(&self) -> Result<Value, String> {
        Ok(json!({ "diagnostics": diagnostics(&self.problems()?) }))
    }

    fn write(&mut self, command: &Value) -> Result<Value, String> {
        let new = text(command, "text")?.to_owned();
        let file = text(command, "file")?;
        let path = self.path_of(file).ok_or_else(|| format!("the project has no script \"{file}\""))?;
        let label = label(command, &format!("write {file}"));
        self.done(|desk| desk.document.replace(BTreeMap::from([(path, Some(new))]), label, &mut desk.around))
    }

    fn paint(&mut self, command: &Value) -> Result<Value, String> {
        let layer = command["layer"].as_u64().unwrap_or_default() as usize;
        let level = self.document.level().to_owned();
        let own = self.document.text("").cloned().ok_or("the level has no text")?;
        let place = grid_place(&level, &own, layer).map_err(|error| error.to_string())?;
        let mut letters = text(command, "symbol")?.chars();
        let (Some(symbol), None) = (letters.next(), letters.next()) else {
            return Err("\"symbol\": expected one character".to_owned());
        };
        let cells: Vec<[u32; 2]> = serde_json::from_value(command["cells"].clone())
            .map_err(|_| "\"cells\": expected a list of [column, row]".to_owned())?;
        let old = self
            .document
            .text(&place.file)
            .cloned()
            .ok_or_else(|| format!("{} is no file of this level", place.file))?;
        let new = paint(&place, &old, &cells, symbol).map_err(|error| error.to_string())?;
        let label = label(command, "paint");
        self.done(|desk| {
            desk.document.replace(BTreeMap::from([(place.file, Some(new))]), label, &mut desk.around)
        })
    }

    fn resolve(&mut self, command: &Value) -> Result<Value, String> {
        let resolution = match command["keep"].as_str() {
            Some("ours") => Resolution::Ours,
            Some("theirs") => Resolution::Theirs,
            _ => Resolution::Text(
                text(command, "text")
                    .map_err(|_| "\"keep\": expected \"ours\", \"theirs\", or a \"text\"".to_owned())?
                    .to_owned(),
            ),
        };
        let file = self.file_of(command);
        self.done(|desk| desk.document.resolve(&file, resolution, &mut desk.around))
    }

    /// The future with changes that are not saved.
    fn try_out(&mut self, command: &Value) -> Result<Value, String> {
        let changes = if command["changes"].is_null() { Vec::new() } else { changes(command)? };
        if changes.is_empty() {
            let _ = self.doers.forecast.send(Outlook::Try(None));
            return Ok(json!({}));
        }
        let file = self.file_of(command);
        let texts = self.document.try_out(&file, &changes).map_err(|error| error.to_string())?;
        let path = if file.is_empty() { self.document.level().to_owned() } else { file };
        let new = texts.get(&path).map(|text| text.to_string()).unwrap_or_default();
        let reload = match self.script_names.get(&path) {
            Some(name) => Reload { scripts: BTreeMap::from([(name.clone(), Some(new))]), level: None },
            None => {
                let level = self.level_now(&BTreeMap::from([(path, new)]))?;
                if !level.is_playable {
                    return Err("the level would not load any more".to_owned());
                }
                Reload { scripts: BTreeMap::new(), level: Some(level.texts) }
            }
        };
        let _ = self.doers.forecast.send(Outlook::Try(Some(reload)));
        Ok(json!({}))
    }

    /// Works on the graph of the level.
    fn graph(&mut self, command: &Value) -> Result<Value, String> {
        let mut fields = command.clone();
        if let Some(object) = fields.as_object_mut() {
            object.remove("id");
            object.remove("do");
        }
        let action: GraphAction =
            serde_json::from_value(fields).map_err(|error| format!("\"graph\": {error}"))?;
        let project = std::sync::Arc::clone(&self.around.project);
        let clients = std::sync::Arc::clone(&self.doers.shared.clients);
        let mut told = Instant::now();
        let mut progress = |done: u64, all: u64| {
            if told.elapsed() > PROGRESS_EVERY {
                clients.tell(&json!({ "tell": "progress", "of": "graph", "done": done, "all": all }));
                told = Instant::now();
            }
        };
        let done = act(&mut self.document, &action, project.folder(), &mut self.around, &mut progress)
            .map_err(|error| error.to_string())?;
        if let Some(compact) = &done.compact {
            save_beside(project.folder().root(), &compact.path, &compact.bytes)
                .map_err(|error| format!("{}: {error}", compact.path))?;
        }
        if let Some(applied) = &done.applied {
            self.applied(applied, "page");
        }
        Ok(done.answer)
    }

    fn expect(&mut self, command: &Value) -> Result<Value, String> {
        if !command["add"].is_null() {
            let row: Expectation = serde_json::from_value(command["add"].clone())
                .map_err(|error| format!("\"add\": {error}"))?;
            self.expectations.add(row).map_err(|error| error.to_string())?;
        } else if let Some(index) = command["remove"].as_u64() {
            self.expectations.remove(index as usize).map_err(|error| error.to_string())?;
        } else if !command["save"].is_null() {
            self.save_expectations(command["save"].as_str())?;
        }
        let rows = self.expected()?;
        Ok(json!({ "rows": rows, "file": self.expectations_file() }))
    }

    fn save_expectations(&mut self, file: Option<&str>) -> Result<(), String> {
        let file =
            file.filter(|file| !file.is_empty()).map_or_else(|| self.expectations_file(), str::to_owned);
        if !file.ends_with("_test.lua") {
            return Err(format!(
                "\"{file}\": expected a name that ends in _test.lua, which `walkon test` runs"
            ));
        }
        let stem = self.document.level().rsplit('/').next().unwrap_or_default();
        let name = stem.strip_suffix(".json").unwrap_or(stem);
        let new = self.expectations.text(name);
        let root = self.around.project.folder().root();
        if let Ok(there) = std::fs::read_to_string(root.join(&file)) {
            crate::edit::expectations::Expectations::read(&there)
                .map_err(|error| format!("{file}: {error}"))?;
        }
        save_beside(root, &file, new.as_bytes()).map_err(|error| format!("{file}: {error}"))
    }
}

fn text<'a>(command: &'a Value, name: &str) -> Result<&'a str, String> {
    command[name].as_str().ok_or_else(|| format!("\"{name}\" is missing, expected a text"))
}

fn changes(command: &Value) -> Result<Vec<Change>, String> {
    serde_json::from_value(command["changes"].clone()).map_err(|error| format!("\"changes\": {error}"))
}

fn label(command: &Value, otherwise: &str) -> Label {
    let text = command["label"].as_str().unwrap_or(otherwise).to_owned();
    Label { text, joins: command["joins"].as_str().unwrap_or_default().to_owned() }
}
