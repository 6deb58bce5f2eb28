//! A project on disk: its root, its folders, its levels, the texts of its scripts.
//!
//! In: the argument LEVEL, the current folder. Out: the root, the level's path below it, script texts by
//! name. Holds: the root is the nearest folder upward with a `walkon.json`, else the level's own folder;
//! nothing outside the root is read; every cap is on a count or a size, so no folder can keep a command busy.
//! Not here: what is in a level (`level`) or a script (`script`).

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use walkon_runtime::base::ordered::{self, CollectOrdered};
use walkon_runtime::base::suggestions;
use walkon_runtime::disk::{BYTE_ORDER_MARK, Folder, ListingLimits};
use walkon_runtime::level::{self, Diagnostic, FileSource, Severity, SourceError, Span, checked_path, code};

use crate::exit::{CommandFailure, Exit};

/// The file that marks a project.
pub const MARKER: &str = "walkon.json";
const MARKER_BYTES_MAX: u64 = 1 << 20;
/// Largest script.
const SCRIPT_BYTES_MAX: u64 = 1 << 20;
/// Most scripts of a project, and most bytes of all of them.
const SCRIPTS_MAX: usize = 10_000;
const SCRIPTS_BYTES_MAX: u64 = 256 << 20;
/// Most files and folders that are looked at, and folders inside one another.
const ENTRIES_MAX: usize = 100_000;
const DEPTH_MAX: usize = 32;

/// What is looked at for levels.
const LEVELS: ListingLimits = ListingLimits { files_max: ENTRIES_MAX, depth_max: DEPTH_MAX };

/// The fields of [`Marker`] that people write.
const MARKER_FIELDS: [&str; 3] = ["name", "scripts", "levels"];

/// `walkon.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marker {
    #[serde(default)]
    #[allow(dead_code, reason = "a name is allowed and nothing needs it yet")]
    name: Option<String>,
    #[serde(default = "scripts")]
    scripts: Vec<String>,
    #[serde(default = "levels")]
    levels: Vec<String>,
    #[serde(default, rename = "$schema")]
    #[allow(dead_code, reason = "for editors")]
    schema: Option<String>,
}

fn scripts() -> Vec<String> {
    vec!["scripts".to_owned()]
}

fn levels() -> Vec<String> {
    vec!["levels".to_owned()]
}

/// A project.
#[derive(Debug)]
pub struct Project {
    /// Its root, as a source of files.
    pub folder: Folder,
    /// Script folders below the root; `.` is the root itself.
    pub script_folders: Vec<String>,
    /// Level folders below the root; `.` is the root itself.
    pub level_folders: Vec<String>,
    /// Whether there is a `walkon.json`.
    pub is_marked: bool,
    /// Scripts that cannot be read, by their path below the script folders, and why.
    skipped: Mutex<BTreeMap<String, String>>,
}

impl Project {
    /// The project around a folder: the nearest one upward that is marked, else the folder itself.
    pub fn around(folder: &Path) -> Result<Self, CommandFailure> {
        let failed = |error: std::io::Error| CommandFailure::io(format!("{}: {error}", folder.display()));
        let start = folder.canonicalize().map_err(failed)?;
        let marked = start.ancestors().find(|above| above.join(MARKER).exists());
        let folder = Folder::open(marked.unwrap_or(&start)).map_err(failed)?;
        let marker = if marked.is_some() { Some(read_marker(&folder)?) } else { None };
        let is_marked = marker.is_some();
        let (script_folders, level_folders) =
            marker.map_or_else(|| (scripts(), levels()), |marker| (marker.scripts, marker.levels));
        let skipped = Mutex::default();
        Ok(Self { folder, script_folders, level_folders, is_marked, skipped })
    }

    /// What to say when something is not found and nobody marked the root.
    pub fn unmarked(&self) -> Option<String> {
        (!self.is_marked).then(|| {
            format!(
                "no folder above has a {MARKER}: that file marks the root of a project, below which scripts, \
                 levels and maps lie"
            )
        })
    }

    /// Why the script of a name, with or without folders and suffix, was left out when the scripts were read.
    pub fn skipped(&self, name: &str) -> Option<String> {
        let bare = |path: &str| {
            let stem = path.strip_suffix(".lua").or_else(|| path.strip_suffix(".luau"));
            stem.unwrap_or(path).to_owned()
        };
        let wanted = bare(name);
        let skipped = self.odd_files();
        let found = skipped.iter().find(|(path, _)| {
            let own = bare(path);
            own == wanted || own.ends_with(&format!("/{wanted}"))
        });
        found.map(|(_, why)| why.clone())
    }

    /// The files that were skipped, with the reason of each.
    fn odd_files(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.skipped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Names of the levels in the level folders, without suffix.
    pub fn level_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for folder in &self.level_folders {
            let prefix = if folder == "." { String::new() } else { format!("{folder}/") };
            let name = |path: String| Some(path.strip_prefix(&prefix)?.strip_suffix(".json")?.to_owned());
            names.extend(self.levels_in(folder).filter_map(name));
        }
        names
    }

    /// Paths below the root of the levels in one of the level folders. What else lies in the project, however
    /// much, takes no room from them.
    fn levels_in(&self, folder: &str) -> impl Iterator<Item = String> {
        self.folder.files_in(folder, LEVELS).unwrap_or_default().into_iter().filter(|path| is_level(path))
    }

    /// The path below the root of the level of a name below the level folders, without suffix.
    pub fn level_path(&self, name: &str) -> Option<String> {
        let mut paths = self.level_folders.iter().map(|folder| match folder.as_str() {
            "." => format!("{name}.json"),
            folder => format!("{folder}/{name}.json"),
        });
        paths.find(|path| self.folder.root().join(path).is_file())
    }

    /// Paths below the root of the levels in the level folders.
    pub fn level_paths(&self) -> Vec<String> {
        let paths: BTreeSet<String> =
            self.level_folders.iter().flat_map(|folder| self.levels_in(folder)).collect();
        paths.into_iter().collect()
    }

    /// The path of a script below its script folder, from its path below the root; none when it lies in none
    /// of them.
    pub fn script_name<'a>(&self, path: &'a str) -> Option<&'a str> {
        self.script_folders.iter().find_map(|folder| match folder.as_str() {
            "." => Some(path),
            folder => path.strip_prefix(folder)?.strip_prefix('/'),
        })
    }

    /// The path below the root of a file that lies below it.
    pub fn below(&self, real: &Path) -> Result<String, CommandFailure> {
        let inside = real.strip_prefix(self.folder.root()).unwrap_or(real);
        let parts: Option<Vec<&str>> = inside.components().map(|part| part.as_os_str().to_str()).collect();
        let path = parts.map(|parts| parts.join("/"));
        path.ok_or_else(|| {
            CommandFailure::usage(format!(
                "{}: its name is not UTF-8, expected a name that is",
                real.display()
            ))
        })
    }

    /// Every script of the project, by its path below its script folder. Without script folders, those beside
    /// `level`.
    pub fn scripts(&self, level: &str) -> Result<BTreeMap<String, String>, CommandFailure> {
        let mut gathered = GatheredFiles::default();
        let root = self.folder.root();
        let mut found = false;
        for folder in self.script_folders.iter().filter(|folder| root.join(folder).is_dir()) {
            found = true;
            gathered.folder(self, folder, DEPTH_MAX)?;
        }
        if !found {
            let beside = level.rsplit_once('/').map_or(".", |(folder, _)| folder);
            // A folder that nobody marked as a project may hold anything: only a little of it is looked at.
            gathered.folder(self, beside, if self.is_marked { DEPTH_MAX } else { 3 })?;
        }
        Ok(gathered.texts)
    }
}

impl Project {
    /// Where scripts lie on disk.
    pub fn script_places<'a>(
        &self,
        scripts: impl Iterator<Item = &'a String>,
        level: &str,
    ) -> BTreeMap<String, std::path::PathBuf> {
        let place = |script: &String| {
            let path = self.script_path(script, level)?;
            Some((script.clone(), self.folder.root().join(path)))
        };
        scripts.filter_map(place).collect_map()
    }

    /// The path below the root of a script, from its path below a script folder. `level` is the level it
    /// belongs to, for projects without script folders.
    pub fn script_path(&self, script: &str, level: &str) -> Option<String> {
        let beside = level.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let folders = self.script_folders.iter().map(String::as_str).chain([beside]);
        let mut paths = folders.map(|folder| match folder {
            "." => script.to_owned(),
            folder => format!("{folder}/{script}"),
        });
        paths.find(|path| self.folder.root().join(path).is_file())
    }

    /// The text of the script at a path below the root.
    pub fn script_text(&self, path: &str) -> Result<String, CommandFailure> {
        let refused =
            |exit: Exit, why: &dyn std::fmt::Display| CommandFailure::new(exit, format!("{path}: {why}"));
        self.script_at(path).map_err(|error| match error {
            ScriptReadError::Refused(SourceError::Failed(_) | SourceError::NotFound) => {
                refused(Exit::Io, &error)
            }
            other => refused(Exit::Script, &other),
        })
    }

    /// What keeps a script that is there from being read as one: it is too big, no text, or its name is not
    /// for every system.
    pub fn script_mistake(&self, path: &str) -> Option<Diagnostic> {
        let error = self.script_at(path).err()?;
        let (code, help) = match &error {
            ScriptReadError::Refused(SourceError::Failed(_) | SourceError::NotFound) => return None,
            ScriptReadError::Refused(SourceError::Path(error)) => (code::PATH, Some(error.help().to_owned())),
            ScriptReadError::Refused(error) => (error.code(), None),
            ScriptReadError::NotText(_) => (code::ENCODING, None),
        };
        Some(Diagnostic {
            code,
            severity: Severity::Error,
            path: path.to_owned(),
            line: 1,
            column: 1,
            pointer: String::new(),
            message: error.to_string(),
            help,
            span: Span::new(0, 0, 0),
        })
    }

    fn script_at(&self, path: &str) -> Result<String, ScriptReadError> {
        let bytes = self.folder.read(path, SCRIPT_BYTES_MAX).map_err(ScriptReadError::Refused)?;
        String::from_utf8(bytes).map_err(|error| ScriptReadError::NotText(error.utf8_error().valid_up_to()))
    }
}

/// Why a script cannot be read.
#[derive(Debug, thiserror::Error)]
enum ScriptReadError {
    #[error("{0}")]
    Refused(SourceError),
    #[error("not UTF-8 at byte {0}")]
    NotText(usize),
}

fn read_marker(folder: &Folder) -> Result<Marker, CommandFailure> {
    let place = folder.root().join(MARKER);
    let refused = |exit: Exit, why: String| CommandFailure::new(exit, format!("{}{why}", place.display()));
    let bytes =
        folder.read(MARKER, MARKER_BYTES_MAX).map_err(|error| refused(Exit::Io, format!(": {error}")))?;
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    match text.trim_ascii_start().first() {
        None => {
            let why = ": it is empty, expected an object such as {}".to_owned();
            return Err(refused(Exit::Level, why));
        }
        Some(b'[') => return Err(refused(Exit::Level, ": it is a list, expected an object".to_owned())),
        Some(_) => {}
    }
    let marker: Marker = serde_json::from_slice(text).map_err(|error| {
        let (line, column) = (error.line(), error.column().max(1));
        let why = without_place(&error);
        let failure = refused(Exit::Level, format!(":{line}:{column}: {why}"));
        match unknown_field(&why).and_then(|field| suggestions::did_you_mean(field, MARKER_FIELDS)) {
            Some(help) => failure.help(help),
            None => failure,
        }
    })?;
    for name in marker.scripts.iter().chain(&marker.levels).filter(|name| *name != ".") {
        checked_path(name).map_err(|error| {
            refused(Exit::Level, format!(": folder \"{name}\": {error}"))
                .help("name a folder below the project, such as \"scripts\"")
        })?;
    }
    Ok(marker)
}

/// The field that a message of serde calls unknown.
fn unknown_field(why: &str) -> Option<&str> {
    why.strip_prefix("unknown field `")?.split('`').next()
}

fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// Whether a name of a file means stdout, or stdin where a file is read.
#[must_use]
pub fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// A level that was found.
#[derive(Debug)]
pub struct FoundLevel {
    /// Its project.
    pub project: Project,
    /// Its path below the root of the project.
    pub path: String,
}

/// The level that `asked` means: a path, or a name in the level folders of the project around the current
/// folder.
pub fn find_level(asked: &Path) -> Result<FoundLevel, CommandFailure> {
    if asked.as_os_str().is_empty() {
        return Err(CommandFailure::usage("level: an empty name, expected the path or the name of a level"));
    }
    if is_stream(asked) {
        return level_of_stream(&mut std::io::stdin().lock());
    }
    match std::fs::metadata(asked) {
        Ok(found) if found.is_dir() => match named_level(asked) {
            Ok(level) => Ok(level),
            Err(_) => level_of_folder(asked),
        },
        Ok(found) if !found.is_file() => {
            let message = format!("{}: {}", asked.display(), SourceError::NotAFile);
            Err(CommandFailure::new(Exit::Level, message).help("- reads a level from stdin"))
        }
        Ok(_) => file_at(asked),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => named_level(asked),
        Err(error) => Err(CommandFailure::io(format!("{}: {error}", asked.display()))),
    }
}

/// What a level that was read from stdin is called.
const STDIN: &str = "stdin.json";

/// A level whose text comes by stdin; it belongs to the current folder, as if it lay there.
///
/// # Errors
/// When it cannot be read, or the current folder is in no project that can be read.
pub fn level_of_stream(stdin: &mut dyn Read) -> Result<FoundLevel, CommandFailure> {
    let mut bytes = Vec::new();
    let most = level::FILE_BYTES_MAX + 1;
    let read = stdin.take(most).read_to_end(&mut bytes);
    read.map_err(|error| CommandFailure::io(format!("stdin: {error}")))?;
    let here = Path::new(".");
    let project = Project::around(here)?;
    let real =
        here.canonicalize().map_err(|error| CommandFailure::io(format!("the current folder: {error}")))?;
    let path = project.below(&real.join(STDIN))?;
    Ok(FoundLevel { project: Project { folder: project.folder.with_laid(&*path, bytes), ..project }, path })
}

/// The one level of a project whose folder was named.
fn level_of_folder(asked: &Path) -> Result<FoundLevel, CommandFailure> {
    let project = Project::around(asked)?;
    let names = project.level_names();
    let paths: Vec<String> = names.iter().filter_map(|name| project.level_path(name)).collect();
    match &paths[..] {
        [path] => Ok(FoundLevel { path: path.clone(), project }),
        _ => {
            let failure =
                CommandFailure::io(format!("{}: it is a folder, expected a level", asked.display()));
            Err(match listed(&names) {
                Some(help) => failure.help(help),
                None => failure,
            })
        }
    }
}

/// A file of a project, by its path: a level or a script.
pub fn file_at(path: &Path) -> Result<FoundLevel, CommandFailure> {
    let real =
        path.canonicalize().map_err(|error| CommandFailure::io(format!("{}: {error}", path.display())))?;
    let project = Project::around(real.parent().unwrap_or(Path::new("/")))?;
    let path = project.below(&real)?;
    Ok(FoundLevel { project, path })
}

fn named_level(asked: &Path) -> Result<FoundLevel, CommandFailure> {
    let missing = || format!("{}: there is no such level", asked.display());
    let project = Project::around(Path::new("."))?;
    let Some(name) = asked.to_str() else { return Err(CommandFailure::io(missing())) };
    if checked_path(name).is_ok() {
        for folder in &project.level_folders {
            let base = if folder == "." { name.to_owned() } else { format!("{folder}/{name}") };
            for path in [format!("{base}.json"), base] {
                if project.folder.root().join(&path).is_file() {
                    return Ok(FoundLevel { project, path });
                }
            }
        }
    }
    let names = project.level_names();
    let help = suggestions::did_you_mean(name.trim_end_matches(".json"), names.iter().map(String::as_str));
    let help = help.or_else(|| listed(&names));
    let failure = CommandFailure::io(missing());
    Err(match help {
        Some(help) => failure.help(help),
        None => failure.help("give a path, or a name below the \"levels\" of a project"),
    })
}

fn listed(names: &[String]) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    let shown: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
    let more = if names.len() > 8 { ", ..." } else { "" };
    Some(format!("the levels here are {}{more}", shown.join(", ")))
}

/// Whether a file of that name is a level. Other JSON has its own suffix, as in `level.schema.json`.
pub fn is_level(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let other = [".schema.json", ".graph.json"].iter().any(|suffix| name.ends_with(suffix));
    name.ends_with(".json") && !other && name != MARKER && !name.starts_with('.')
}

/// Whether a file of that name is a script, and not a definition for editors.
pub fn is_script(name: &str) -> bool {
    let definition = name.ends_with(".d.lua") || name.ends_with(".d.luau");
    !definition && (name.ends_with(".lua") || name.ends_with(".luau"))
}

/// Warns of something that several readings of one folder find.
fn warn_once(message: String) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if TOLD.lock().is_ok_and(|mut told| told.insert(message.clone())) {
        log::warn!("{message}");
    }
}

#[derive(Default)]
struct GatheredFiles {
    texts: BTreeMap<String, String>,
    bytes: u64,
    entries: usize,
}

impl GatheredFiles {
    /// All scripts below a folder of the project.
    fn folder(&mut self, project: &Project, folder: &str, depth: usize) -> Result<(), CommandFailure> {
        let prefix = if folder == "." { String::new() } else { format!("{folder}/") };
        self.below(project, &prefix, "", depth)
    }

    fn below(
        &mut self,
        project: &Project,
        prefix: &str,
        inside: &str,
        depth: usize,
    ) -> Result<(), CommandFailure> {
        let place = project.folder.root().join(format!("{prefix}{inside}"));
        let entries = match std::fs::read_dir(&place) {
            Ok(entries) => entries,
            // Beside a level that belongs to no project, a file that cannot be read is none of its scripts.
            Err(_) if !project.is_marked && !inside.is_empty() => return Ok(()),
            Err(error) => return Err(CommandFailure::io(format!("{}: {error}", place.display()))),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| CommandFailure::io(format!("{}: {error}", place.display())))?;
            self.entries += 1;
            if self.entries > ENTRIES_MAX {
                let message = format!(
                    "{}: more than {ENTRIES_MAX} files, expected the scripts of a level",
                    place.display()
                );
                return Err(
                    CommandFailure::io(message).help(format!("mark the root of the project with a {MARKER}"))
                );
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            match entry.file_name().into_string() {
                Ok(name) => names.push((name, is_folder)),
                Err(name) => log::warn!("{}: skipped, its name is not UTF-8", place.join(name).display()),
            }
        }
        // The order of a folder differs from machine to machine.
        ordered::sort_by(&mut names, Ord::cmp);
        for (name, is_folder) in names {
            let path = format!("{inside}{name}");
            if is_folder && depth > 0 && name != "types" && !name.starts_with('.') {
                self.below(project, prefix, &format!("{path}/"), depth - 1)?;
            } else if !is_folder && is_script(&name) {
                self.script(project, prefix, path)?;
            }
        }
        Ok(())
    }

    fn script(&mut self, project: &Project, prefix: &str, path: String) -> Result<(), CommandFailure> {
        let file = format!("{prefix}{path}");
        // One odd file stops no level that does not need it: a link of an editor that leads nowhere, a pipe,
        // a file that is no text, or whose name not every system can store.
        let text = match project.script_at(&file) {
            Ok(text) => text,
            // A file that leads outside does so on purpose: that is no accident.
            Err(ScriptReadError::Refused(SourceError::Outside)) => project.script_text(&file)?,
            Err(error) => {
                let help = match &error {
                    ScriptReadError::Refused(SourceError::Path(error)) => format!(", {}", error.help()),
                    _ => String::new(),
                };
                let why = format!("{file}: {error}{help}");
                warn_once(format!("{why}; skipped"));
                project.odd_files().insert(path, why);
                return Ok(());
            }
        };
        self.bytes += text.len() as u64;
        if self.texts.len() >= SCRIPTS_MAX || self.bytes > SCRIPTS_BYTES_MAX {
            let message = format!("{file}: more scripts than a project may have: 10,000 files, 256 MiB");
            return Err(CommandFailure::new(Exit::Script, message));
        }
        if self.texts.insert(path.clone(), text).is_some() {
            let message = format!("script \"{path}\" lies in two script folders, expected it in one");
            return Err(CommandFailure::new(Exit::Script, message));
        }
        Ok(())
    }
}
