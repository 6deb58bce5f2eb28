//! Watches the files of a project while a level runs, and reads their changes for a reload.
//!
//! In: a project on disk, the level in it, texts as the run began. Out: [`Changed`] texts. Holds: contents
//! are compared by hash, so a file that was saved unchanged is ignored (fault:E9) unless it waits because it
//! was refused. A path is also ignored if it is not a script, a file of the level, or the target of a link
//! among them. A file that cannot be read is reported once, and the old text runs on; one bad file does not
//! keep the others from being read. Not here: when to read (`debounce`), noticing changes (`file_watcher`),
//! the reload (`game`).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use walkon_runtime::base::ordered::CollectOrdered;
use walkon_shell::CommandFailure;
use walkon_shell::project::{FoundLevel, is_script};

use super::debounce::{Debouncer, FileState};
use super::file_watcher::{FileNotice, FileStamp, FileWatcher, stamp};
use crate::base::hash;
use crate::game::inputs::{LevelTexts, Reload};
use crate::game::testing::is_test_file;
use crate::level::{FileSource, Level, LevelError, LevelFile, SourceError};
use crate::shell::file_watcher::WatchMethod;

/// Folders inside one another that are looked into when one appears.
const DEPTH_MAX: usize = 32;
/// Largest file of a level that is compared without building the level.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Texts that changed.
#[derive(Debug)]
pub(super) struct Changed {
    /// What to reload.
    pub reload: Reload,
    /// When the first event about it came.
    pub since: Instant,
    /// The level as it is now, if it changed to one that loads.
    pub level: Option<Box<Level>>,
    /// What is wrong with the level, if it changed to something wrong.
    pub refused: Option<LevelError>,
}

/// The files of a project under watch.
pub(super) struct ProjectWatch<'a> {
    found: &'a FoundLevel,
    eyes: FileWatcher,
    debouncer: Debouncer,
    began: Instant,
    /// Script folders below the root, `.` for the root.
    folders: Vec<String>,
    /// Hash of every file that the run knows, by path below the root.
    known: BTreeMap<String, u64>,
    /// Which of them belong to the level.
    level_files: BTreeSet<String>,
    /// Whether the level as it is on disk was refused: a file that it lacks may come.
    is_level_refused: bool,
    /// Names of the scripts that wait because they were refused: one that is saved again is offered again.
    refused: BTreeSet<String>,
    /// What told each script that was read from an earlier one, by path below the root.
    saved: BTreeMap<String, Option<FileStamp>>,
    /// The scripts that are links, by the path below the root of the file that they lead to.
    links: BTreeMap<String, BTreeSet<String>>,
    /// The report about a path, so that it is made once.
    told: BTreeMap<String, String>,
    /// Reports that nobody has taken yet.
    warnings: Vec<String>,
}

impl<'a> ProjectWatch<'a> {
    /// Watches the project of a level that began with these scripts and files.
    pub fn open(
        found: &'a FoundLevel,
        scripts: &BTreeMap<String, String>,
        files: &[LevelFile],
        method: WatchMethod,
    ) -> Self {
        let root = found.project.folder.root();
        let folders = script_folders(found);
        let mut known: BTreeMap<String, u64> =
            files.iter().map(|file| (file.path.clone(), file.hash)).collect_map();
        for (name, text) in scripts {
            if let Some(path) = found.project.script_path(name, &found.path) {
                known.insert(path, hash::of_bytes(text.as_bytes()));
            }
        }
        let mut watched: BTreeSet<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect_set();
        watched.extend(files.iter().filter_map(|file| root.join(&file.path).parent().map(Path::to_owned)));
        let real = watched.into_iter().filter_map(|folder| folder.canonicalize().ok());
        let eyes = FileWatcher::open(without_inner(real.collect_set()), method);
        let level_files = files.iter().map(|file| file.path.clone()).collect_set();
        let (debouncer, began, told, warnings) =
            (Debouncer::default(), Instant::now(), BTreeMap::new(), Vec::new());
        let mut watch = Self {
            found,
            eyes,
            debouncer,
            began,
            folders,
            known,
            level_files,
            is_level_refused: false,
            refused: BTreeSet::new(),
            saved: BTreeMap::new(),
            links: BTreeMap::new(),
            told,
            warnings,
        };
        let paths: Vec<String> = watch.known.keys().cloned().collect();
        paths.iter().for_each(|path| watch.follow_link(path));
        // What was saved between reading and watching.
        watch.notice_everything();
        watch
    }

    /// What changed, if it is time to read it. Costs next to nothing while nothing happens.
    pub fn poll(&mut self) -> Option<Changed> {
        for seen in self.eyes.take() {
            match seen {
                FileNotice::Path(path) => self.notice(&path),
                FileNotice::Anything => self.notice_everything(),
                FileNotice::Blind(_) => {}
            }
        }
        let now = self.began.elapsed();
        let root = self.found.project.folder.root().to_owned();
        let batch = self.debouncer.take(now, |path| look(&root.join(path)))?;
        let changed = self.read(&batch.paths, self.began + batch.since)?;
        self.debouncer.changed(now);
        Some(changed)
    }

    /// What the last looks found that cannot be read, in sentences; each is given once.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// These scripts wait because they were refused: one that is saved is offered again, changed or not.
    pub fn offer_again(&mut self, refused: impl IntoIterator<Item = String>) {
        self.refused = refused.into_iter().collect_set();
    }

    /// Watches what a file leads to, where it is a link into the project.
    fn follow_link(&mut self, path: &str) {
        let root = self.found.project.folder.root();
        let Ok(target) = root.join(path).canonicalize() else { return };
        let Some(below) = target.strip_prefix(root).ok().and_then(Path::to_str) else { return };
        let below = below.replace('\\', "/");
        if below == path {
            return;
        }
        if let Some(folder) = target.parent() {
            self.eyes.also(folder);
        }
        self.links.entry(below).or_default().insert(path.to_owned());
    }

    fn notice(&mut self, path: &Path) {
        let root = self.found.project.folder.root();
        let Some(below) = path.strip_prefix(root).ok().and_then(Path::to_str) else { return };
        let below = below.replace('\\', "/");
        let now = self.began.elapsed();
        for link in self.links.get(&below).into_iter().flatten() {
            self.debouncer.notice(link, now);
        }
        if self.known.contains_key(&below) || self.script_name(&below).is_some() {
            return self.debouncer.notice(&below, now);
        }
        if self.is_level_refused && path.is_file() {
            return self.debouncer.notice(&self.found.path, now);
        }
        // A folder that came, went or was renamed: all that it held and holds.
        let prefix = format!("{below}/");
        let held = self.known.keys().filter(|known| known.starts_with(&prefix)).cloned().collect();
        let mut all: Vec<String> = held;
        if path.is_dir() {
            scripts_below(root, &below, DEPTH_MAX, &mut all);
        }
        for path in all {
            if self.known.contains_key(&path) || self.script_name(&path).is_some() {
                self.debouncer.notice(&path, now);
            }
        }
    }

    fn notice_everything(&mut self) {
        let root = self.found.project.folder.root();
        let mut all: Vec<String> = self.known.keys().cloned().collect();
        for folder in &self.folders {
            scripts_below(root, if folder == "." { "" } else { folder }, DEPTH_MAX, &mut all);
        }
        let now = self.began.elapsed();
        for path in all {
            if self.known.contains_key(&path) || self.script_name(&path).is_some() {
                self.debouncer.notice(&path, now);
            }
        }
    }

    /// The name that scripts have for a file at a path below the root; none for a file that is no script.
    fn script_name(&self, path: &str) -> Option<String> {
        let inside = |folder: &String| match folder.as_str() {
            "." => Some(path),
            folder => path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
        };
        let name = self.folders.iter().find_map(inside)?;
        let is_hidden = name.split('/').any(|part| part == "types" || part.starts_with('.'));
        // Tests are no part of a running level.
        (is_script(name) && !is_hidden && !is_test_file(name)).then(|| name.to_owned())
    }

    fn read(&mut self, paths: &[String], since: Instant) -> Option<Changed> {
        let mut reload = Reload::default();
        let mut is_level = false;
        for path in paths {
            if self.level_files.contains(path) {
                is_level |= self.is_level_refused || self.is_another(path);
            } else if let Some(name) = self.script_name(path) {
                self.script(path, name, &mut reload);
            }
        }
        let (level, refused) = match is_level.then(|| self.level(&mut reload)).flatten() {
            Some(Ok(level)) => (Some(Box::new(level)), None),
            Some(Err(refused)) => (None, Some(refused)),
            None => (None, None),
        };
        (!reload.is_empty()).then_some(Changed { reload, since, level, refused })
    }

    /// Whether a file of the level is not what it was.
    fn is_another(&self, path: &str) -> bool {
        match self.found.project.folder.read(path, FILE_BYTES_MAX) {
            Ok(bytes) => self.known.get(path) != Some(&hash::of_bytes(&bytes)),
            Err(_) => true,
        }
    }

    fn script(&mut self, path: &str, name: String, reload: &mut Reload) {
        let root = self.found.project.folder.root();
        match self.found.project.script_text(path) {
            Ok(text) => {
                self.told.remove(path);
                let hash = hash::of_bytes(text.as_bytes());
                let saved = std::fs::metadata(root.join(path)).ok().map(|meta| stamp(&meta));
                let is_saved = self.saved.insert(path.to_owned(), saved) != Some(saved);
                let is_new = self.known.insert(path.to_owned(), hash) != Some(hash);
                if is_new || is_saved && self.refused.contains(&name) {
                    self.follow_link(path);
                    reload.scripts.insert(name, Some(text));
                }
            }
            Err(_) if !root.join(path).exists() => {
                if self.known.remove(path).is_some() {
                    reload.scripts.insert(name, None);
                }
            }
            Err(CommandFailure::Message { message, .. }) => {
                let why = message.strip_prefix(&format!("{path}: ")).unwrap_or(&message);
                self.tell_once(path, why);
            }
            Err(_) => self.tell_once(path, "it cannot be read"),
        }
    }

    /// Reads the level and every file it names, if one of them is another now.
    fn level(&mut self, reload: &mut Reload) -> Option<Result<Level, LevelError>> {
        let nothing = BTreeMap::new();
        let source = Remembering::new(&self.found.project.folder, &nothing);
        let loaded = crate::level::load(&self.found.path, &source);
        let files = source.into_files();
        if !files.contains_key(&self.found.path) {
            self.tell_once(&self.found.path, "it cannot be read");
            return None;
        }
        self.told.remove(&self.found.path);
        self.is_level_refused = loaded.is_err();
        let hashes = files.iter().map(|(path, bytes)| (path.clone(), hash::of_bytes(bytes)));
        let hashes: BTreeMap<String, u64> = hashes.collect_map();
        if hashes.iter().all(|(path, hash)| self.known.get(path) == Some(hash)) {
            // The level as it was, or a file that it names is gone: the old one runs on either way.
            if let Err(error) = loaded {
                self.tell_once(&self.found.path, &error.to_string());
            }
            return None;
        }
        self.level_files.extend(hashes.keys().cloned());
        self.known.extend(hashes);
        reload.level = Some(LevelTexts { path: self.found.path.clone(), files });
        Some(loaded)
    }

    fn tell_once(&mut self, path: &str, why: &str) {
        if self.told.insert(path.to_owned(), why.to_owned()).as_deref() != Some(why) {
            self.warnings.push(format!("{path}: {why}; the old version runs on"));
        }
    }
}

/// The folders that scripts of a level lie in, below the root.
fn script_folders(found: &FoundLevel) -> Vec<String> {
    let root = found.project.folder.root();
    let folders: Vec<String> =
        found.project.script_folders.iter().filter(|folder| root.join(folder).is_dir()).cloned().collect();
    if !folders.is_empty() {
        return folders;
    }
    vec![found.path.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned()]
}

/// Folders without those that lie in another one of them.
fn without_inner(folders: BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let is_inner =
        |folder: &PathBuf| folders.iter().any(|other| folder != other && folder.starts_with(other));
    folders.iter().filter(|folder| !is_inner(folder)).cloned().collect()
}

/// Script files at or below a folder, as paths below the root.
fn scripts_below(root: &Path, below: &str, depth: usize, found: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(root.join(below)) else { return };
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 && name != "types" && !name.starts_with('.') => {
                scripts_below(root, &path, depth - 1, found);
            }
            Ok(kind) if !kind.is_dir() && is_script(&name) => found.push(path),
            _ => {}
        }
    }
}

fn look(path: &Path) -> FileState {
    match std::fs::metadata(path) {
        Ok(meta) if meta.len() > 0 => FileState::Whole,
        _ => FileState::Hollow,
    }
}

/// A folder that remembers what was read from it.
pub(super) struct Remembering<'a> {
    folder: &'a crate::disk::Folder,
    /// Texts that lie there only as far as this source is concerned.
    laid: &'a BTreeMap<String, String>,
    files: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl<'a> Remembering<'a> {
    /// The folder, with some texts in place of those on disk.
    pub fn new(folder: &'a crate::disk::Folder, laid: &'a BTreeMap<String, String>) -> Self {
        Self { folder, laid, files: RefCell::default() }
    }

    /// What was read.
    pub fn into_files(self) -> BTreeMap<String, Vec<u8>> {
        self.files.into_inner()
    }
}

impl FileSource for Remembering<'_> {
    fn read(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>, SourceError> {
        let bytes = match self.laid.get(path) {
            Some(text) => text.clone().into_bytes(),
            None => self.folder.read(path, bytes_max)?,
        };
        self.files.borrow_mut().insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }

    fn names(&self) -> Vec<String> {
        self.folder.names()
    }
}

/// How long after the first event something happened, for people.
pub(super) fn in_milliseconds(since: Instant) -> String {
    let passed: Duration = since.elapsed();
    format!("{} ms", passed.as_millis())
}

#[cfg(test)]
mod tests;
