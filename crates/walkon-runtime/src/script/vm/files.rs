//! Script files by name: which file a name means, its environment, and `require`.
//!
//! In: texts by path below the script folders. Out: one environment and one loaded body per file and level.
//! Holds: names are compared exactly; a name never leads out of the texts that were given, so nothing is
//! opened here; a file is loaded once; the value that `require` returns is frozen; circular requires are an
//! error. Not here: reading disks, reloading.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use mlua::{Table, Value};

use crate::base::hash;
use crate::base::ordered::CollectOrdered;
use crate::base::suggestions;
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::shown_names::{shorten, suggestion};

/// The ending of script files in paths.
const SUFFIXES: [&str; 2] = [".lua", ".luau"];

/// The texts of a level's scripts, by name.
#[derive(Clone, Debug, Default)]
pub struct ScriptTexts {
    files: NamedFiles,
    /// Files that were deleted while something of them runs. A name that means no other file still means
    /// these.
    gone: NamedFiles,
}

/// Files found by their names and by their stems: each of thousands of characters asks for its behaviour.
#[derive(Clone, Debug, Default)]
struct NamedFiles {
    /// Path below the script folders, with suffix, and text; by name, which is the path without suffix.
    by_name: BTreeMap<String, ScriptText>,
    /// The names of those with the same stem.
    by_stem: BTreeMap<String, BTreeSet<String>>,
}

impl NamedFiles {
    fn get(&self, name: &str) -> Option<&ScriptText> {
        self.by_name.get(name)
    }

    fn insert(&mut self, name: String, file: ScriptText) {
        self.by_stem.entry(stem(&name).to_owned()).or_default().insert(name.clone());
        self.by_name.insert(name, file);
    }

    fn remove(&mut self, name: &str) -> Option<ScriptText> {
        let file = self.by_name.remove(name)?;
        if let Some(names) = self.by_stem.get_mut(stem(name)) {
            names.remove(name);
        }
        Some(file)
    }

    /// The files whose stem is `asked`, with or without suffix.
    fn with_stem(&self, asked: &str) -> Vec<(&String, &ScriptText)> {
        // A stem may end like a suffix itself.
        let bare = Some(without_suffix(asked)).filter(|bare| *bare != asked);
        let stems = [Some(asked), bare].into_iter().flatten();
        let names = stems.filter_map(|stem| self.by_stem.get(stem)).flatten();
        let files = names.filter_map(|name| self.by_name.get_key_value(name));
        files.filter(|(name, file)| stem(name) == asked || stem(&file.path) == asked).collect()
    }
}

/// One script file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptText {
    /// Path below the script folders, with suffix, `/` between parts: what messages and traces show.
    pub path: String,
    /// What the file says.
    pub text: String,
}

/// Why a name means no file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// There is no such file.
    #[error("unknown script \"{}\"{}", shorten(.name), .hint)]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The nearest, as the end of the sentence.
        hint: String,
    },
    /// Several files have this stem.
    #[error("\"{name}\" is the name of {}; write one of them", .paths.join(" and "))]
    Ambiguous {
        /// The stem that was asked for.
        name: String,
        /// The files that have it, in order.
        paths: Vec<String>,
    },
    /// The name leads out of the script folders.
    #[error("\"{}\" leads out of the script folders, expected a name below them", shorten(.name))]
    Outside {
        /// The name that was asked for.
        name: String,
    },
    /// The name has no letters.
    #[error("an empty name, expected the name of a script")]
    Empty,
    /// The name is written as on Windows.
    #[error("\"{}\" has a backslash, expected \"{}\"", shorten(.name), shorten(&with_slashes(.name)))]
    Backslash {
        /// The name that was asked for.
        name: String,
    },
    /// Two given files have the same name.
    #[error("\"{one}\" and \"{other}\" have the same name; rename one")]
    Twice {
        /// The first path.
        one: String,
        /// The second path.
        other: String,
    },
    /// The text is longer than a script may be.
    #[error("\"{path}\" has {bytes} bytes, expected at most {}", ScriptLimits::SOURCE_BYTES)]
    TooLong {
        /// The path.
        path: String,
        /// How long it is.
        bytes: usize,
    },
}

impl ScriptTexts {
    /// The scripts among `files` (path below the script folders, text). Files below a folder named `types`,
    /// files ending in `.d.lua` or `.d.luau` and files with another suffix are not scripts and left out.
    ///
    /// # Errors
    /// When two files have the same name, a path leads out of the folders, or a text is too long.
    pub fn new(files: impl IntoIterator<Item = (String, String)>) -> Result<Self, FileError> {
        let mut texts = Self::default();
        for (path, text) in files {
            texts.add(path, text)?;
        }
        Ok(texts)
    }

    fn add(&mut self, path: String, text: String) -> Result<(), FileError> {
        let Some(name) = script_name(&path) else { return Ok(()) };
        checked(&path)?;
        if text.len() > ScriptLimits::SOURCE_BYTES {
            return Err(FileError::TooLong { bytes: text.len(), path });
        }
        let name = name.to_owned();
        if let Some(before) = self.files.get(&name) {
            return Err(FileError::Twice { one: before.path.clone(), other: path });
        }
        self.files.insert(name, ScriptText { path, text });
        Ok(())
    }

    /// The names of all files.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.files.by_name.keys().cloned().collect_set()
    }

    /// The hash of each text, by path below the script folders.
    pub(crate) fn hashes(&self) -> BTreeMap<String, u64> {
        let hash = |file: &ScriptText| (file.path.clone(), hash::of_bytes(file.text.as_bytes()));
        self.files.by_name.values().map(hash).collect_map()
    }

    /// The name of the file that `asked` means: the path below the script folders, or the stem while it is
    /// unique, with or without suffix.
    ///
    /// # Errors
    /// When it means no file, or more than one.
    pub fn resolve(&self, asked: &str) -> Result<&str, FileError> {
        checked(asked)?;
        let name = without_suffix(asked);
        for files in [&self.files, &self.gone] {
            if let Some((name, file)) = files.by_name.get_key_value(name)
                && (name == asked || file.path == asked)
            {
                return Ok(name);
            }
            match files.with_stem(asked).as_slice() {
                [] => {}
                [(name, _)] => return Ok(name),
                several => {
                    return Err(FileError::Ambiguous {
                        name: asked.to_owned(),
                        paths: several.iter().map(|(_, file)| file.path.clone()).collect(),
                    });
                }
            }
        }
        Err(FileError::Unknown { name: asked.to_owned(), hint: self.hint(asked) })
    }

    /// What may have been meant by a name that means no file, as the end of a sentence: the file that is left
    /// when folders in front of it are dropped, or the nearest name.
    fn hint(&self, asked: &str) -> String {
        let tails = || tails(asked);
        let is_file = |tail: &&str| {
            let file = self.files.by_name.get_key_value(without_suffix(tail));
            file.is_some_and(|(name, file)| name == tail || file.path == **tail)
        };
        if let Some(tail) = tails().find(is_file) {
            return format!("; names count from below the script folders, expected \"{}\"", shorten(tail));
        }
        let meant = std::iter::once(asked).chain(tails());
        let hints = meant.map(|name| suggestion(without_suffix(name), self.known_words()));
        hints.into_iter().find(|hint| !hint.is_empty()).unwrap_or_default()
    }

    /// With how many names the hint about a name that means no file compares, at most.
    pub(crate) fn names_compared(&self, asked: &str) -> u64 {
        let words = (2 * self.files.by_name.len()).min(suggestions::CANDIDATES_MAX);
        (words * (1 + tails(asked).count())) as u64
    }

    /// The paths of all files, in order.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        self.files.by_name.values().map(|file| file.path.clone()).collect()
    }

    /// The file called `name`, the whole name as [`ScriptTexts::resolve`] gives it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ScriptText> {
        self.files.get(name).or_else(|| self.gone.get(name))
    }

    /// These texts with changes (path below the script folders; no text for a deleted file), and the names of
    /// the files whose text is another one then. A deleted file stays known when `is_used` says so of its
    /// name.
    ///
    /// # Errors
    /// As [`ScriptTexts::new`].
    pub fn changed(
        &self,
        changes: &BTreeMap<String, Option<String>>,
        is_used: impl Fn(&str) -> bool,
    ) -> Result<(Self, BTreeSet<String>), FileError> {
        let mut texts = self.clone();
        let mut names = BTreeSet::new();
        for path in changes.keys() {
            let Some(name) = script_name(path) else { continue };
            if self.files.get(name).is_some_and(|file| file.path == *path)
                && let Some(file) = texts.files.remove(name)
            {
                texts.gone.insert(name.to_owned(), file);
            }
        }
        for (path, text) in changes {
            if let Some(text) = text {
                texts.add(path.clone(), text.clone())?;
            }
            let Some(name) = script_name(path) else { continue };
            if texts.files.get(name).is_some() || !is_used(name) {
                texts.gone.remove(name);
            }
            let (before, after) = (self.files.get(name), texts.files.get(name));
            if before.map(|file| &file.text) != after.map(|file| &file.text) {
                names.insert(name.to_owned());
            }
        }
        Ok((texts, names))
    }

    /// Whether the file called `name` was deleted.
    #[must_use]
    pub fn is_gone(&self, name: &str) -> bool {
        self.files.get(name).is_none()
    }

    /// Whether a file at `path` may be a script, or definitions of one.
    #[must_use]
    pub fn is_script_path(path: &str) -> bool {
        SUFFIXES.iter().any(|suffix| path.ends_with(suffix))
    }

    /// The name of the file at `path`; nothing for files that are no scripts.
    #[must_use]
    pub fn name_of_path(path: &str) -> Option<&str> {
        script_name(path)
    }

    fn known_words(&self) -> impl Iterator<Item = &str> {
        self.files.by_name.keys().flat_map(|name| [name.as_str(), stem(name)])
    }
}

/// The name of a script file; nothing for files that are no scripts.
fn script_name(path: &str) -> Option<&str> {
    let name = SUFFIXES.iter().find_map(|suffix| path.strip_suffix(suffix))?;
    let definitions = name.ends_with(".d") || name.split('/').rev().skip(1).any(|folder| folder == "types");
    (!definitions && !stem(name).is_empty()).then_some(name)
}

/// What is left of a name without the folders in front of it, one after another.
fn tails(name: &str) -> impl Iterator<Item = &str> {
    /// No project has folders inside so many others.
    const FOLDERS_MAX: usize = 16;
    name.match_indices('/').take(FOLDERS_MAX).map(|(at, _)| &name[at + 1..])
}

fn without_suffix(name: &str) -> &str {
    SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
}

fn stem(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// That a name lies below the script folders, from the text alone.
fn checked(name: &str) -> Result<(), FileError> {
    if name.is_empty() {
        return Err(FileError::Empty);
    }
    if !leads_outside(name) {
        return Ok(());
    }
    let name = name.to_owned();
    let is_of_windows = name.contains('\\') && !leads_outside(&with_slashes(&name));
    Err(if is_of_windows { FileError::Backslash { name } } else { FileError::Outside { name } })
}

fn with_slashes(name: &str) -> String {
    name.replace('\\', "/")
}

/// From the text alone: absolute, with `..`, `.` or an empty part, with a backslash, a colon, `@` or a
/// control character.
fn leads_outside(name: &str) -> bool {
    name.is_empty()
        || name.starts_with('@')
        || name.contains(['\\', ':'])
        || name.chars().any(char::is_control)
        || name.split('/').any(|part| matches!(part, "" | "." | ".."))
}

/// One loaded file of a level.
#[derive(Clone, Debug)]
pub struct LoadedFile {
    /// Its globals.
    pub environment: Table,
    /// What its body returned; nil while it runs, for a level script, and for a module without a result.
    pub result: Value,
}

/// Why the body of a file does not begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotBegun {
    /// It runs already: the names from it to itself.
    Circle(Vec<String>),
    /// As many bodies run inside one another as may.
    TooDeep {
        /// The name of the file that began first.
        outermost: String,
    },
}

/// How far the files of a level are loaded.
#[derive(Debug, Default)]
pub(crate) struct Loads {
    done: RefCell<BTreeMap<String, LoadedFile>>,
    /// The requires of each file: the name as asked for, and the file it meant.
    needs: RefCell<BTreeMap<String, BTreeMap<String, String>>>,
    /// The files whose bodies run right now, outermost first.
    open: RefCell<Vec<String>>,
}

/// The loaded files and their requires: to go back to when a reload is refused.
#[derive(Clone, Debug)]
pub(crate) struct Loadeds {
    done: BTreeMap<String, LoadedFile>,
    needs: BTreeMap<String, BTreeMap<String, String>>,
}

impl Loadeds {
    /// The environment of the file called `name`, if it was loaded.
    pub(crate) fn environment(&self, name: &str) -> Option<Table> {
        self.done.get(name).map(|loaded| loaded.environment.clone())
    }
}

impl Loads {
    /// The file called `name`, if its body has run.
    pub(crate) fn get(&self, name: &str) -> Option<LoadedFile> {
        self.done.borrow().get(name).cloned()
    }

    /// Everything that is loaded.
    pub(crate) fn snapshot(&self) -> Loadeds {
        Loadeds { done: self.done.borrow().clone(), needs: self.needs.borrow().clone() }
    }

    pub(crate) fn restore(&self, before: Loadeds) {
        self.done.replace(before.done);
        self.needs.replace(before.needs);
    }

    /// Forgets a file: its body runs again when it is asked for.
    pub(crate) fn forget(&self, name: &str) {
        self.done.borrow_mut().remove(name);
        self.needs.borrow_mut().remove(name);
    }

    /// The name of the file that has this environment.
    pub(crate) fn name_of(&self, environment: &Table) -> Option<String> {
        let done = self.done.borrow();
        done.iter().find(|(_, loaded)| loaded.environment == *environment).map(|(name, _)| name.clone())
    }

    pub(crate) fn is_loaded(&self, name: &str) -> bool {
        self.done.borrow().contains_key(name)
    }

    /// The innermost of the files whose bodies run.
    pub(crate) fn innermost(&self) -> Option<String> {
        self.open.borrow().last().cloned()
    }

    /// Notes that the file `by` has required `name`, as `asked`.
    pub(crate) fn note_need(&self, by: &str, asked: &str, name: &str) {
        let mut needs = self.needs.borrow_mut();
        needs.entry(by.to_owned()).or_default().insert(asked.to_owned(), name.to_owned());
    }

    /// The loaded files among `changed`, those that ask for something that means another file in `texts`, and
    /// everything that requires one of them, directly or not.
    pub(crate) fn unit(&self, changed: &BTreeSet<String>, texts: &ScriptTexts) -> BTreeSet<String> {
        let (done, needs) = (self.done.borrow(), self.needs.borrow());
        let is_moved = |asked: &String, name: &String| texts.resolve(asked).is_ok_and(|now| now != name);
        let mut unit: BTreeSet<String> =
            changed.iter().filter(|name| done.contains_key(*name)).cloned().collect_set();
        unit.extend(
            needs
                .iter()
                .filter(|(_, asked)| asked.iter().any(|(asked, name)| is_moved(asked, name)))
                .map(|(by, _)| by.clone()),
        );
        loop {
            let more: Vec<String> = needs
                .iter()
                .filter(|(by, asked)| !unit.contains(*by) && asked.values().any(|name| unit.contains(name)))
                .map(|(by, _)| by.clone())
                .collect();
            if more.is_empty() {
                return unit;
            }
            unit.extend(more);
        }
    }

    /// A file and everything that it requires, directly or not.
    pub(crate) fn base_of(&self, name: &str) -> BTreeSet<String> {
        let needs = self.needs.borrow();
        let mut base = BTreeSet::from([name.to_owned()]);
        let mut next = vec![name.to_owned()];
        // Bounded by the number of files: each is looked at once.
        while let Some(name) = next.pop() {
            let asked = needs.get(&name).into_iter().flat_map(BTreeMap::values);
            next.extend(asked.filter(|name| base.insert((*name).clone())).cloned());
        }
        base
    }

    /// Marks the body of `name` as running.
    ///
    /// # Errors
    /// When it runs already, and when too many run inside one another.
    pub(crate) fn begin(&self, name: &str) -> Result<(), NotBegun> {
        let mut open = self.open.borrow_mut();
        if let Some(at) = open.iter().position(|other| other == name) {
            let mut circle = open[at..].to_vec();
            circle.push(name.to_owned());
            return Err(NotBegun::Circle(circle));
        }
        if let Some(outermost) = open.first().filter(|_| open.len() >= ScriptLimits::REQUIRE_DEPTH) {
            return Err(NotBegun::TooDeep { outermost: outermost.clone() });
        }
        open.push(name.to_owned());
        Ok(())
    }

    /// Marks the body of `name` as ended; `loaded` unless it failed.
    pub(crate) fn finish(&self, name: &str, loaded: Option<LoadedFile>) {
        let mut open = self.open.borrow_mut();
        debug_assert_eq!(
            open.last().map(String::as_str),
            Some(name),
            "bodies end in the reverse order of their beginning"
        );
        open.pop();
        if let Some(loaded) = loaded {
            self.done.borrow_mut().insert(name.to_owned(), loaded);
        }
    }
}

/// The last part of a script's name, without suffix.
pub(crate) fn short_name(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.strip_suffix(".lua").or_else(|| file.strip_suffix(".luau")).unwrap_or(file)
}

#[cfg(test)]
mod tests;
