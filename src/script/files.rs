//! Script texts by name: which file a name means, what each file sees, and `require`.
//!
//! In: texts by path below the script folders. Out: one environment and one loaded body per file and level.
//! Holds: names are compared exactly; a name never leads out of the texts that were given, so nothing is opened here; a file
//! is loaded once; what `require` returns is frozen; a circle of files is an error. Not here: reading disks, reloading.

use std::cell::RefCell;
use std::collections::BTreeMap;

use mlua::{Table, Value};

use crate::script::convert::{shorten, suggestion};
use crate::script::limits::Limits;

/// What a script file is called in paths.
const SUFFIXES: [&str; 2] = [".lua", ".luau"];

/// The texts of a level's scripts, by name.
#[derive(Clone, Debug, Default)]
pub struct ScriptTexts {
    /// Path below the script folders, with suffix, and text; by name, which is the path without suffix.
    files: BTreeMap<String, ScriptText>,
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
    /// Two given files have the same name.
    #[error("\"{one}\" and \"{other}\" have the same name; rename one")]
    Twice {
        /// The first path.
        one: String,
        /// The second path.
        other: String,
    },
    /// The text is longer than a script may be.
    #[error("\"{path}\" has {bytes} bytes, expected at most {}", Limits::SOURCE_BYTES)]
    TooLong {
        /// The path.
        path: String,
        /// How long it is.
        bytes: usize,
    },
}

impl ScriptTexts {
    /// The scripts among `files` (path below the script folders, text). Files below a folder named `types`, files ending in
    /// `.d.lua` or `.d.luau` and files with another suffix are not scripts and left out.
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
        if leads_outside(&path) {
            return Err(FileError::Outside { name: path });
        }
        if text.len() > Limits::SOURCE_BYTES {
            return Err(FileError::TooLong { bytes: text.len(), path });
        }
        let name = name.to_owned();
        if let Some(before) = self.files.get(&name) {
            return Err(FileError::Twice { one: before.path.clone(), other: path });
        }
        self.files.insert(name, ScriptText { path, text });
        Ok(())
    }

    /// The name of the file that `asked` means: the path below the script folders, or the stem while it is unique, with or
    /// without suffix.
    ///
    /// # Errors
    /// When it means no file, or more than one.
    pub fn resolve(&self, asked: &str) -> Result<&str, FileError> {
        if leads_outside(asked) {
            return Err(FileError::Outside { name: asked.to_owned() });
        }
        let name = without_suffix(asked);
        if let Some((name, file)) = self.files.get_key_value(name)
            && (name == asked || file.path == asked)
        {
            return Ok(name);
        }
        let found: Vec<(&String, &ScriptText)> = self
            .files
            .iter()
            .filter(|(known, file)| stem(known) == asked || stem(&file.path) == asked)
            .collect();
        match found.as_slice() {
            [(name, _)] => Ok(name),
            [] => Err(FileError::Unknown {
                name: asked.to_owned(),
                hint: suggestion(without_suffix(asked), self.known_words()),
            }),
            several => Err(FileError::Ambiguous {
                name: asked.to_owned(),
                paths: several.iter().map(|(_, file)| file.path.clone()).collect(),
            }),
        }
    }

    /// The file called `name`, the whole name as [`ScriptTexts::resolve`] gives it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ScriptText> {
        self.files.get(name)
    }

    /// All names and files, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ScriptText)> {
        self.files.iter().map(|(name, file)| (name.as_str(), file))
    }

    fn known_words(&self) -> impl Iterator<Item = &str> {
        self.files.keys().flat_map(|name| [name.as_str(), stem(name)])
    }
}

/// The name of a script file; nothing for files that are no scripts.
fn script_name(path: &str) -> Option<&str> {
    let name = SUFFIXES.iter().find_map(|suffix| path.strip_suffix(suffix))?;
    let definitions = name.ends_with(".d") || name.split('/').rev().skip(1).any(|folder| folder == "types");
    (!definitions && !stem(name).is_empty()).then_some(name)
}

fn without_suffix(name: &str) -> &str {
    SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
}

fn stem(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// From the text alone: absolute, with `..`, `.` or an empty part, with a backslash, a colon, `@` or a control character.
fn leads_outside(name: &str) -> bool {
    name.is_empty()
        || name.starts_with('@')
        || name.contains(['\\', ':'])
        || name.chars().any(char::is_control)
        || name.split('/').any(|part| matches!(part, "" | "." | ".."))
}

/// One loaded file of a level.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its globals.
    pub environment: Table,
    /// What its body returned; nil while it runs, for a level script, and for a module without a result.
    pub result: Value,
}

/// How far the files of a level are loaded.
#[derive(Debug, Default)]
pub(crate) struct Loads {
    done: RefCell<BTreeMap<String, Loaded>>,
    /// The files whose bodies run right now, outermost first.
    open: RefCell<Vec<String>>,
}

impl Loads {
    /// The file called `name`, if its body has run.
    pub(crate) fn get(&self, name: &str) -> Option<Loaded> {
        self.done.borrow().get(name).cloned()
    }

    /// Marks the body of `name` as running. The circle of names when it runs already.
    pub(crate) fn begin(&self, name: &str) -> Result<(), Vec<String>> {
        let mut open = self.open.borrow_mut();
        if let Some(at) = open.iter().position(|other| other == name) {
            let mut circle = open[at..].to_vec();
            circle.push(name.to_owned());
            return Err(circle);
        }
        open.push(name.to_owned());
        Ok(())
    }

    /// Marks the body of `name` as ended; `loaded` unless it failed.
    pub(crate) fn finish(&self, name: &str, loaded: Option<Loaded>) {
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

#[cfg(test)]
mod tests;
