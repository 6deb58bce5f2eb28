//! `walkon check`: checks levels and scripts without running them.
//!
//! Holds: every mistake is shown, not only the first; the map report has only notes and warnings, so it never
//! fails a check; a level without mistakes is started, as a run would, and any failure to start is shown. A
//! folder is checked with all levels and scripts below it, a project with those in its level and script
//! folders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use walkon_runtime::base::ordered::{self, CollectOrdered};
use walkon_shell::project::{FoundLevel, MARKER, Project, file_at, find_level, is_level, is_script};
use walkon_shell::{CommandFailure, Exit, unresolved};

use super::args::{CheckArgs, Format};
use super::run::ScriptTextMap;
use super::shell::{Shell, hint_at_root, refusal, script_texts};
use crate::base::suggestions::{counted, nearest};
use crate::game::{Game, Setup};
use crate::level::{Diagnostic, Level, LevelFile, Severity, Span, code};
use crate::script::vm::files::ScriptTexts;
use crate::shell::lint::Linted;
use crate::shell::output::{Results, Tone, tell};
use crate::shell::{params, scripts};

/// Folders inside one another that are looked into, and files that are checked at most.
const DEPTH_MAX: usize = 32;
const FILES_MAX: usize = 100_000;

pub(super) fn run(shell: &Shell, args: &CheckArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    let mut files = Vec::new();
    if args.paths.is_empty() {
        let project = Project::around(Path::new("."))?;
        files = gather(&from_here(project.folder.root()))?;
    }
    for path in &args.paths {
        if path.is_dir() {
            files.extend(gather(path)?);
        } else {
            files.push(path.clone());
        }
    }
    // A level says what its scripts are.
    ordered::sort_by_key(&mut files, |file| is_script(&file.to_string_lossy()));
    let mut checked = Checking::new(shell, args.format);
    for file in &files {
        checked.file(file)?;
    }
    if files.is_empty() && (args.format == Format::Human || !args.paths.is_empty()) {
        return nothing_to_check(args);
    }
    match args.format {
        Format::Json => {
            results.line(&serde_json::Value::Array(std::mem::take(&mut checked.json)).to_string())?
        }
        Format::Human => results.report(&checked.summary(results))?,
    }
    Ok(checked.exit)
}

/// There is no file to check: a mistake when something was asked for, as in `test`.
fn nothing_to_check(args: &CheckArgs) -> Result<Exit, CommandFailure> {
    const HELP: &str = "levels are .json files, scripts .lua and .luau files; walkon new begins a project";
    if !args.paths.is_empty() {
        return Err(
            CommandFailure::usage("there are no levels and no scripts below the given paths").help(HELP)
        );
    }
    tell(&format!("there are no levels and no scripts in this folder: {HELP}"));
    Ok(Exit::Ok)
}

/// A folder as `.` where that is the current one.
fn from_here(folder: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    if here.is_ok_and(|here| here == folder) { PathBuf::from(".") } else { folder.to_owned() }
}

/// Levels and scripts below a folder: of a project those in its level and script folders, where it has such;
/// elsewhere all there are.
fn gather(folder: &Path) -> Result<Vec<PathBuf>, CommandFailure> {
    let mut files = Vec::new();
    if !folder.join(MARKER).exists() {
        gather_kind(folder, DEPTH_MAX, is_ours, &mut files)?;
        return Ok(files);
    }
    let project = Project::around(folder)?;
    let levels: (_, fn(&str) -> bool) = (&project.level_folders, is_level);
    for (folders, is_kind) in [levels, (&project.script_folders, is_script)] {
        let own: Vec<PathBuf> =
            folders.iter().map(|name| below(folder, name)).filter(|path| path.is_dir()).collect();
        let whole = [folder.to_owned()];
        for folder in if own.is_empty() { &whole[..] } else { &own } {
            gather_kind(folder, DEPTH_MAX, is_kind, &mut files)?;
        }
    }
    let files: BTreeSet<PathBuf> = files.into_iter().collect_set();
    Ok(files.into_iter().collect())
}

/// A folder of a project by its name; `.` is the root.
fn below(root: &Path, name: &str) -> PathBuf {
    if name == "." { root.to_owned() } else { root.join(name) }
}

/// Files below a folder whose name says that they are of a kind, in the order of their names.
fn gather_kind(
    folder: &Path,
    depth: usize,
    is_kind: fn(&str) -> bool,
    files: &mut Vec<PathBuf>,
) -> Result<(), CommandFailure> {
    let failed = |error: std::io::Error| CommandFailure::io(format!("{}: {error}", folder.display()));
    let mut entries =
        std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(failed)?;
    ordered::sort_by_key(&mut entries, std::fs::DirEntry::file_name);
    for entry in entries {
        let Ok(name) = entry.file_name().into_string() else {
            log::warn!("{}: its name is not UTF-8; skipped", entry.path().display());
            continue;
        };
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && depth > 0 && name != "types" && !name.starts_with('.') {
            gather_kind(&entry.path(), depth - 1, is_kind, files)?;
        } else if !is_folder && is_kind(&name) {
            match std::fs::metadata(entry.path()) {
                Ok(found) if found.is_file() => files.push(entry.path()),
                // A link of an editor that leads nowhere, a pipe: nothing to check, and no reason to check
                // nothing.
                _ => log::warn!("{}: it is not a file; skipped", entry.path().display()),
            }
        }
        if files.len() > FILES_MAX {
            return Err(CommandFailure::io(format!(
                "{}: more than {FILES_MAX} files to check",
                folder.display()
            )));
        }
    }
    Ok(())
}

/// A script that is not there: one of the project that ends so, as messages name scripts, or the nearest.
fn no_such(asked: &Path) -> CommandFailure {
    let mut files = Vec::new();
    if let Ok(project) = Project::around(Path::new(".")) {
        // What cannot be listed is not suggested.
        files = gather(&from_here(project.folder.root())).unwrap_or_default();
    }
    let scripts = files.iter().filter(|file| is_script(&file.to_string_lossy()));
    let shown = |file: &PathBuf| file.strip_prefix(".").unwrap_or(file).display().to_string();
    let names: Vec<String> = scripts.clone().map(shown).collect();
    let ends_so = scripts.clone().find(|file| file.ends_with(asked)).map(shown);
    let near = ends_so
        .or_else(|| nearest(&asked.to_string_lossy(), names.iter().map(String::as_str)).map(str::to_owned));
    let failure = CommandFailure::io(format!("{}: there is no such script", asked.display()));
    match near {
        Some(near) => failure.help(format!("did you mean \"{near}\"?")),
        None => failure,
    }
}

/// What is wrong between a level and the scripts of its project: names that mean no script, and parameters
/// that its behaviours do not take.
pub(super) fn against_scripts(
    project: &Project,
    level: &Level,
    known: &ScriptTexts,
    linted: &Linted,
) -> Vec<Diagnostic> {
    let mut wrong = unresolved(Some(project), level, known);
    wrong.extend(params::mistakes(level, known, linted));
    wrong
}

/// Whether a file in a folder is a level or a script.
fn is_ours(name: &str) -> bool {
    is_script(name) || is_level(name)
}

/// A check under way: how it is told, and what came of it so far.
struct Checking<'s> {
    shell: &'s Shell,
    format: Format,
    exit: Exit,
    json: Vec<serde_json::Value>,
    files: usize,
    errors: usize,
    warnings: usize,
    /// Whether some of a file were left out.
    is_cut: bool,
    /// Scripts that were checked, wherever they are named.
    scripts: BTreeSet<PathBuf>,
    /// Those in which there are errors.
    broken: BTreeSet<PathBuf>,
    /// What was found in the scripts of each project, by its root.
    projects: BTreeMap<PathBuf, Rc<Linted>>,
}

impl<'s> Checking<'s> {
    fn new(shell: &'s Shell, format: Format) -> Self {
        Self {
            shell,
            format,
            exit: Exit::default(),
            json: Vec::new(),
            files: 0,
            errors: 0,
            warnings: 0,
            is_cut: false,
            scripts: BTreeSet::new(),
            broken: BTreeSet::new(),
            projects: BTreeMap::new(),
        }
    }

    fn file(&mut self, file: &Path) -> Result<(), CommandFailure> {
        self.files += 1;
        self.shell.more(|| format!("checking {}", file.display()));
        if is_script(&file.to_string_lossy()) {
            return self.script(file);
        }
        let found = find_level(file)?;
        match crate::level::load(&found.path, &found.project.folder) {
            Ok(level) => self.level(&found, &level),
            Err(mut error) => {
                hint_at_root(&found, &mut error.diagnostics);
                self.worst(refusal(&error));
                self.show(&found, &error.diagnostics, &error.files);
                Ok(())
            }
        }
    }

    /// A level that loads: its warnings, the report of its map, the scripts it names.
    fn level(&mut self, found: &FoundLevel, level: &Level) -> Result<(), CommandFailure> {
        let texts = found.project.scripts(&found.path)?;
        let known = script_texts(&texts)?;
        let linted = self.linted(found, &texts)?;
        let wrong = against_scripts(&found.project, level, &known, &linted);
        let mut is_sound = wrong.is_empty();
        if !is_sound {
            self.worst(Exit::Level);
        }
        let all = [level.diagnostics.clone(), wrong, crate::level::report(level)].concat();
        self.show(found, &all, &level.files);
        for name in linted.used.get(&found.path).into_iter().flatten() {
            let Some(text) = texts.get(name) else { continue };
            let Some(path) = found.project.script_path(name, &found.path) else { continue };
            self.script_text(found, &path, text, &linted);
            is_sound &= !self.broken.contains(&found.project.folder.root().join(&path));
        }
        if is_sound {
            self.start(found, level, texts);
        }
        Ok(())
    }

    /// Starts a level in which nothing was found, as a run would: file bodies, `init`, `start`, `onStart`.
    fn start(&mut self, found: &FoundLevel, level: &Level, scripts: ScriptTextMap) {
        let setup = Setup { scripts: scripts.clone(), ..Setup::default() };
        let Err(error) = Game::load(level.clone(), setup) else { return };
        self.worst(Exit::Script);
        let failure = error.failure().map(|(failure, _)| failure);
        let name = failure.map(|failure| failure.file.clone()).filter(|file| scripts.contains_key(file));
        let path = name.as_ref().and_then(|name| found.project.script_path(name, &found.path));
        let diagnostic = Diagnostic {
            code: code::START,
            severity: Severity::Error,
            path: path.clone().unwrap_or_else(|| found.path.clone()),
            line: failure.map_or(1, |failure| failure.line.max(1)),
            column: 1,
            pointer: String::new(),
            message: error.to_string(),
            help: None,
            span: Span::new(0, 1, 1),
        };
        let text = name.as_ref().and_then(|name| scripts.get(name));
        let file = path.zip(text).map(|(path, text)| LevelFile::new(&path, text.as_bytes()));
        let files = file.map_or_else(|| level.files.clone(), |file| vec![file]);
        self.show(found, &[diagnostic], &files);
    }

    /// What was found in the scripts of the project around a file.
    fn linted(&mut self, found: &FoundLevel, texts: &ScriptTextMap) -> Result<Rc<Linted>, CommandFailure> {
        let root = found.project.folder.root();
        if let Some(linted) = self.projects.get(root) {
            return Ok(Rc::clone(linted));
        }
        let linted = Rc::new(scripts::linted(&found.project, texts, &found.path)?);
        if found.project.is_marked {
            self.projects.insert(root.to_owned(), Rc::clone(&linted));
        }
        Ok(linted)
    }

    fn worst(&mut self, exit: Exit) {
        // Reading failed, then levels, then scripts.
        let rank = |exit: Exit| match exit {
            Exit::Io => 3,
            Exit::Level => 2,
            Exit::Script => 1,
            _ => 0,
        };
        if rank(exit) > rank(self.exit) {
            self.exit = exit;
        }
    }

    fn show(&mut self, found: &FoundLevel, diagnostics: &[Diagnostic], files: &[LevelFile]) {
        for diagnostic in diagnostics {
            self.is_cut |= diagnostic.code == code::MORE;
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => {}
            }
            if self.format == Format::Json {
                // A diagnostic is made of text and numbers: it always has a JSON form.
                self.json.extend(serde_json::to_value(diagnostic));
            } else if diagnostic.severity == Severity::Error || !self.shell.is_quiet {
                tell(&self.shell.rendered(found, diagnostic, files));
            }
        }
    }

    fn summary(&self, results: &Results) -> String {
        let count = |number: usize, noun: &str| counted(number as u64, noun);
        let toned = |number: usize, noun: &str, tone: Tone| {
            let words = count(number, noun);
            if number > 0 { results.paint(tone, &words) } else { words }
        };
        format!(
            "{} checked: {}{}, {}",
            count(self.files, "file"),
            if self.is_cut { "at least " } else { "" },
            toned(self.errors, "error", Tone::Bad),
            toned(self.warnings, "warning", Tone::Odd)
        )
    }

    fn script(&mut self, file: &Path) -> Result<(), CommandFailure> {
        let found = file_at(file).map_err(|failure| if file.exists() { failure } else { no_such(file) })?;
        let texts = found.project.scripts(&found.path)?;
        let text = match found.project.script_text(&found.path) {
            Ok(text) => text,
            Err(failure) => {
                let mistake = found.project.script_mistake(&found.path).ok_or(failure)?;
                self.worst(Exit::Script);
                self.show(&found, &[mistake], &[]);
                return Ok(());
            }
        };
        let linted = self.linted(&found, &texts)?;
        self.script_text(&found, &found.path, &text, &linted);
        Ok(())
    }

    /// The text of a script at a path below the root; each is checked once, however many levels name it.
    fn script_text(&mut self, found: &FoundLevel, path: &str, text: &str, linted: &Linted) {
        if !self.scripts.insert(found.project.folder.root().join(path)) {
            return;
        }
        let all = match scripts::syntax(path, text) {
            Some(mistake) => vec![mistake],
            None => scripts::findings(&found.project, path, text, linted),
        };
        if all.iter().any(|found| found.severity == Severity::Error) {
            self.worst(Exit::Script);
            self.broken.insert(found.project.folder.root().join(path));
        }
        let file = LevelFile::new(path, text.as_bytes());
        self.show(found, &all, &[file]);
    }
}
