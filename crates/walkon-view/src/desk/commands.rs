//! Commands about files.
//!
//! In: a command. Out: its answer; texts that were changed by it. Not here: what becomes of a changed text
//! (`desk`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};
use walkon_runtime::base::ordered::CollectOrdered;
use walkon_runtime::game::inputs::Reload;
use walkon_runtime::level::tiled::paint as tiled;
use walkon_runtime::level::{FileSource as _, MemorySource, checked_path};

use super::{Desk, EXPECTED_PATHS, diagnostics};
use crate::client::{CALLED_OFF, CommandError, Reply};
use crate::edit::document::{Applied, Aside, Checked, EditError, Resolution, StepLabel};
use crate::edit::expectations::Expectation;
use crate::edit::graph::{GraphAction, act};
use crate::edit::paint::{grid_place, paint, tiled_map};
use crate::edit::patch::Change;
use crate::edit::save::save_beside;
use crate::fields::CommandFields;
use crate::forecast::{ForecastWish, Outlook};

impl Desk {
    /// Does what a command asks for.
    pub(super) fn perform(
        &mut self,
        fields: &CommandFields<'_>,
        word: &str,
        reply: &Reply,
    ) -> Result<Value, CommandError> {
        let answer = match word {
            "files" => self.files(),
            "tiles" => self.tiles(),
            "source" => self.source(fields.text("file")?),
            "schema" => Ok(walkon_runtime::level::schema()),
            "check" => self.check(),
            "trace" => self.trace(reply),
            "document" => self.shown(fields.maybe_text("file")?.unwrap_or_default()),
            "expect" => self.expect(fields),
            "graph" => self.graph(fields, reply),
            _ => return self.change(fields, word),
        };
        answer.map_err(CommandError::from)
    }

    /// Does what changes texts.
    fn change(&mut self, fields: &CommandFields<'_>, word: &str) -> Result<Value, CommandError> {
        match word {
            "edit" => {
                let changes = changes(fields)?;
                let file = self.file_of(fields)?;
                let label = label(fields, "edit")?;
                self.done(|desk| desk.document.apply(&file, &changes, label, &mut desk.around))
            }
            "undo" => self.done(|desk| desk.document.undo(&mut desk.around)),
            "redo" => self.done(|desk| desk.document.redo(&mut desk.around)),
            "write" => self.write(fields),
            "paint" => self.paint(fields),
            "resolve" => self.resolve(fields),
            other => Err(format!("the command \"{other}\" is not known here").into()),
        }
    }

    /// A file by its path below the root, or a script by its name; the level when none is named.
    fn file_of(&self, fields: &CommandFields<'_>) -> Result<String, String> {
        let file = fields.maybe_text("file")?.unwrap_or_default();
        Ok(self.path_of(file).unwrap_or_else(|| file.to_owned()))
    }

    fn trace(&self, reply: &Reply) -> Result<Value, String> {
        let record = self.doers.shared.record.now();
        record.check_repeatable(record.tick)?;
        let mut goes_on = |tick: u64| reply.progress("the trace", tick, record.tick);
        let text = self.around.project.trace(&record, &mut goes_on)?;
        text.map(|text| json!({ "text": text })).ok_or_else(|| CALLED_OFF.to_owned())
    }

    /// Edits, and tells all clients.
    fn done(
        &mut self,
        edit: impl FnOnce(&mut Self) -> Result<Applied, EditError>,
    ) -> Result<Value, CommandError> {
        // What could not be written before may be written by now.
        if !self.document.unsaved().is_empty() {
            let again = self.document.save_again(&mut self.around);
            if !again.files.is_empty() {
                self.applied(&again, "disk");
            }
        }
        let applied = edit(self).map_err(|error| refusal(&error))?;
        self.applied(&applied, "page");
        let files: BTreeMap<&String, Option<&str>> =
            applied.files.iter().map(|(path, text)| (path, text.as_deref())).collect_map();
        let text = applied.files.get(self.document.level()).and_then(|text| text.as_deref());
        Ok(json!({
            "label": applied.label, "files": files, "text": text.or_else(|| self.document.text("").map(|text| &**text)),
            "canUndo": self.document.undoes(), "canRedo": self.document.redoes(),
            "diagnostics": diagnostics(&applied.checked.diagnostics), "unsaved": applied.unsaved,
            "conflicts": applied.conflicts.iter().map(|conflict| &conflict.file).collect::<Vec<_>>(),
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
        let script = self.script_names.get(&path);
        Ok(json!({ "file": file, "text": &**text, "path": path, "script": script }))
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

    fn write(&mut self, fields: &CommandFields<'_>) -> Result<Value, CommandError> {
        let new = fields.text("text")?.to_owned();
        let file = fields.text("file")?;
        let path = self.path_of(file).ok_or_else(|| format!("the project has no script \"{file}\""))?;
        let label = label(fields, &format!("write {file}"))?;
        let base = fields.maybe_text("base")?.map(str::to_owned);
        self.done(|desk| match base {
            Some(base) => desk.document.write_over(&path, &base, new, label, &mut desk.around),
            None => desk.document.replace(BTreeMap::from([(path, Some(new))]), label, &mut desk.around),
        })
    }

    fn paint(&mut self, fields: &CommandFields<'_>) -> Result<Value, CommandError> {
        let layer = fields.maybe_count("layer")?.unwrap_or_default() as usize;
        let level = self.document.level().to_owned();
        let own = self.document.text("").cloned().ok_or_else(|| "the level has no text".to_owned())?;
        if let Some(file) = tiled_map(&level, &own) {
            return self.paint_tiled(fields, file, layer);
        }
        let place = grid_place(&level, &own, layer).map_err(|error| error.to_string())?;
        let mut letters = fields.text("symbol")?.chars();
        let (Some(symbol), None) = (letters.next(), letters.next()) else {
            return Err("\"symbol\": expected one character".to_owned().into());
        };
        let cells = cells(fields)?;
        let old = self
            .document
            .text(&place.file)
            .cloned()
            .ok_or_else(|| format!("{} is not a file of this level", place.file))?;
        let new = paint(&place, &old, &cells, symbol).map_err(|error| error.to_string())?;
        let label = label(fields, "paint")?;
        self.done(|desk| {
            desk.document.replace(BTreeMap::from([(place.file, Some(new))]), label, &mut desk.around)
        })
    }

    fn paint_tiled(
        &mut self,
        fields: &CommandFields<'_>,
        file: String,
        layer: usize,
    ) -> Result<Value, CommandError> {
        let tile = u32::try_from(fields.count("tile")?)
            .map_err(|_| "\"tile\": expected the id of a tile, 0 for none".to_owned())?;
        let cells = cells(fields)?;
        let old = self.text_of(&file)?;
        let new = tiled::painted(&file, &old, layer, &cells, tile)?;
        let label = label(fields, "paint")?;
        self.done(|desk| desk.document.replace(BTreeMap::from([(file, Some(new))]), label, &mut desk.around))
    }

    /// The tile layers of the map of Tiled that the level is or names.
    fn tiles(&self) -> Result<Value, String> {
        let own = self.text_of(self.document.level())?;
        let file =
            tiled_map(self.document.level(), &own).ok_or("the map of this level is not a Tiled map")?;
        let all = tiled::layers(&file, &self.text_of(&file)?)?;
        let texts = self.laid(&BTreeMap::new());
        let source =
            texts.into_iter().fold(MemorySource::new(), |source, (path, text)| source.with(&path, text));
        let palette = tiled::palette(&file, &source);
        let offset = |at: usize| palette.offsets.get(at).copied().unwrap_or_default();
        let layers = all.layers.iter().enumerate();
        let layers = layers
            .map(|(at, layer)| json!({ "name": layer.name, "cells": layer.cells, "offset": offset(at) }));
        let tiles = palette.tiles.iter().map(|(id, text)| json!({ "id": id, "text": text }));
        Ok(json!({
            "file": file, "orientation": all.orientation, "staggerAxis": all.stagger_axis,
            "staggerIndex": all.stagger_index, "columns": all.columns, "layers": layers.collect::<Vec<_>>(),
            "tiles": tiles.collect::<Vec<_>>(),
        }))
    }

    fn text_of(&self, file: &str) -> Result<Arc<str>, String> {
        self.document.text(file).cloned().ok_or_else(|| format!("{file} is not a file of this level"))
    }

    fn resolve(&mut self, fields: &CommandFields<'_>) -> Result<Value, CommandError> {
        let resolution = match (fields.maybe_text("keep")?, fields.maybe_text("text")?) {
            (Some("ours"), _) => Resolution::Ours,
            (Some("theirs"), _) => Resolution::Theirs,
            (None, Some(text)) => Resolution::Text(text.to_owned()),
            _ => return Err("\"keep\": expected \"ours\", \"theirs\", or a \"text\"".to_owned().into()),
        };
        let file = self.file_of(fields)?;
        self.done(|desk| desk.document.resolve(&file, resolution, &mut desk.around))
    }

    /// The future with changes that are not saved; none: with the texts as they are. The answer comes from
    /// there.
    pub(super) fn try_out(&self, fields: &CommandFields<'_>, reply: Reply) {
        match self.tried(fields) {
            Ok(tried) => {
                let outlook = Outlook { wish: ForecastWish::Try(tried), reply: Some(reply) };
                let _ = self.doers.forecast.send(outlook);
            }
            Err(refusal) => reply.refuse(refusal),
        }
    }

    fn tried(&self, fields: &CommandFields<'_>) -> Result<Option<Reload>, CommandError> {
        let changes = if fields.get("changes").is_some() { changes(fields)? } else { Vec::new() };
        if changes.is_empty() {
            return Ok(None);
        }
        let file = self.file_of(fields)?;
        let texts = self.document.try_out(&file, &changes).map_err(|error| refusal(&error))?;
        let path = if file.is_empty() { self.document.level().to_owned() } else { file };
        let new = texts.get(&path).map(|text| text.to_string()).unwrap_or_default();
        if let Some(name) = self.script_names.get(&path) {
            return Ok(Some(Reload { scripts: BTreeMap::from([(name.clone(), Some(new))]), level: None }));
        }
        let level = self.level_now(&BTreeMap::from([(path.clone(), new)]))?;
        let checked = Checked { loads: level.is_playable, diagnostics: level.diagnostics };
        let now = || self.around.checked(self.document.texts());
        if let Some(found) = self.document.refused(&checked, &BTreeSet::from([path.as_str()]), now) {
            return Err(refusal(&EditError::Refused(found)));
        }
        if !checked.loads {
            return Err(CommandError {
                message: "the level does not load, and would not with this".to_owned(),
                diagnostics: diagnostics(&checked.diagnostics),
                conflict: None,
            });
        }
        Ok(Some(Reload { scripts: BTreeMap::new(), level: Some(level.texts) }))
    }

    /// Works on the graph of the level.
    fn graph(&mut self, fields: &CommandFields<'_>, reply: &Reply) -> Result<Value, String> {
        let mut own = fields.json().clone();
        if let Some(object) = own.as_object_mut() {
            object.retain(|name, value| name != "id" && name != "do" && !value.is_null());
        }
        let action: GraphAction =
            serde_json::from_value(own).map_err(|error| format!("\"graph\": {error}"))?;
        let project = Arc::clone(&self.around.project);
        // The work on graphs has no way to be called off.
        let mut progress = |done: u64, all: u64| _ = reply.progress("the graph", done, all);
        let done = act(&mut self.document, &action, project.folder(), &mut self.around, &mut progress)
            .map_err(|error| error.to_string())?;
        if let Some(compact) = done.compact {
            let before = project.folder().read(&compact.path, walkon_runtime::level::FILE_BYTES_MAX).ok();
            save_beside(project.folder().root(), &compact.path, &compact.bytes)
                .map_err(|error| format!("{}: {error}", compact.path))?;
            let (before, after) = (before.map(Arc::from), Some(compact.bytes.into()));
            let label = StepLabel { text: "keep the table".to_owned(), joins: String::new() };
            self.document.note(label, Aside { name: compact.path, before, after });
            self.tell_history();
        }
        if let Some(applied) = &done.applied {
            self.applied(applied, "page");
        }
        Ok(done.answer)
    }

    fn expect(&mut self, fields: &CommandFields<'_>) -> Result<Value, String> {
        let mut is_changed = true;
        let before = self.expectations.text("");
        if let Some(row) = fields.get("add") {
            let row: Expectation =
                serde_json::from_value(row.clone()).map_err(|error| format!("\"add\": {error}"))?;
            self.expectations.add(row).map_err(|error| format!("\"add\": {error}"))?;
        } else if let Some(index) = fields.maybe_count("remove")? {
            self.expectations.remove(index as usize).map_err(|error| format!("\"remove\": {error}"))?;
        } else {
            is_changed = false;
            if let Some(file) = fields.maybe_text("save")? {
                self.save_expectations(file)?;
            }
        }
        let rows = self.expected()?;
        if is_changed {
            let text = if fields.get("add").is_some() { "expect a path" } else { "forget a path" };
            let label = StepLabel { text: text.to_owned(), joins: String::new() };
            let bytes = |text: String| Some(Arc::from(text.into_bytes()));
            let (before, after) = (bytes(before), bytes(self.expectations.text("")));
            self.document.note(label, Aside { name: EXPECTED_PATHS.to_owned(), before, after });
            self.tell_history();
            self.doers.shared.clients.tell(&json!({ "tell": "expected", "rows": rows }));
        }
        Ok(json!({ "rows": rows, "file": self.expectations_file() }))
    }

    /// Writes the list as a file of level tests, where those of this level are kept: nothing else is written
    /// over.
    fn save_expectations(&mut self, file: &str) -> Result<(), String> {
        let usual = self.expectations_file();
        let file = if file.is_empty() { usual.clone() } else { file.to_owned() };
        let folder = usual.rfind('/').map_or("", |end| &usual[..=end]);
        if !file.ends_with("_test.lua") || !file.starts_with(folder) {
            return Err(format!(
                "\"save\" is \"{file}\", expected a file below \"{folder}\" whose name ends in _test.lua, which \
                 `walkon test` runs, such as \"{usual}\""
            ));
        }
        let stem = self.document.level().rsplit('/').next().unwrap_or_default();
        let name = stem.strip_suffix(".json").unwrap_or(stem);
        let new = self.expectations.text(name);
        let root = self.around.project.folder().root();
        checked_path(&file).map_err(|error| format!("{file}: {error}"))?;
        match std::fs::read_to_string(root.join(&file)) {
            Ok(there) => {
                crate::edit::expectations::Expectations::read(&there)
                    .map_err(|error| format!("{file}: {error}"))?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            // What cannot be read as text is not written over.
            Err(error) => return Err(format!("{file}: {error}")),
        }
        save_beside(root, &file, new.as_bytes()).map_err(|error| format!("{file}: {error}"))
    }
}

/// Why an edit was not done, with what is wrong with the texts that it would have made.
fn refusal(error: &EditError) -> CommandError {
    let diagnostics = match error {
        EditError::Refused(found) => diagnostics(found),
        _ => Value::Null,
    };
    let conflict = match error {
        EditError::Conflict(file) => Some(file.clone()),
        _ => None,
    };
    CommandError { message: error.to_string(), diagnostics, conflict }
}

fn cells(fields: &CommandFields<'_>) -> Result<Vec<[u32; 2]>, String> {
    serde_json::from_value(fields.get("cells").cloned().unwrap_or_default())
        .map_err(|_| "\"cells\": expected a list of [column, row]".to_owned())
}

/// Changes in one edit, at most: each looks through the text.
const CHANGES_MAX: usize = 4096;

fn changes(fields: &CommandFields<'_>) -> Result<Vec<Change>, String> {
    let changes = fields.get("changes").ok_or("\"changes\" is missing, expected a list of objects")?;
    let count = changes.as_array().map_or(0, Vec::len);
    if count > CHANGES_MAX {
        return Err(format!(
            "\"changes\" has {count} entries, expected {CHANGES_MAX} at most; send them in parts"
        ));
    }
    serde_json::from_value(changes.clone()).map_err(|error| format!("\"changes\": {error}"))
}

fn label(fields: &CommandFields<'_>, otherwise: &str) -> Result<StepLabel, String> {
    let text = fields.maybe_text("label")?.unwrap_or(otherwise).to_owned();
    Ok(StepLabel { text, joins: fields.maybe_text("joins")?.unwrap_or_default().to_owned() })
}
