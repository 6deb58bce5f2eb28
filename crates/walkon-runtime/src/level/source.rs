//! Sources of a level's files.
//!
//! In: the text of a path. Out: bytes, or why there are none. Holds: a path is checked by its text alone
//! before anything is opened; no reader returns more than it was asked for. Not here: the disk
//! (`shell/disk`), which also refuses links that lead out and anything that is not a regular file.

use std::collections::BTreeMap;

use super::diagnostic::code;

/// Longest path, in bytes.
pub const PATH_BYTES_MAX: usize = 1024;

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// Nothing has that name.
    #[error("there is no such file")]
    NotFound,
    /// A folder, a device, a pipe.
    #[error("it is not a regular file")]
    NotAFile,
    /// More bytes than were allowed. Reading stopped there.
    #[error("it has more than {bytes_max} bytes")]
    TooBig {
        /// What was allowed.
        bytes_max: u64,
    },
    /// The path leads out of the project.
    #[error("it lies outside the project")]
    Outside,
    /// The text of the path is not allowed.
    #[error("{0}")]
    Path(#[from] PathError),
    /// The operating system refused.
    #[error("{0}")]
    Failed(String),
}

impl SourceError {
    /// The word that a diagnostic has for it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound => code::UNRESOLVED,
            Self::NotAFile => code::NOT_A_REGULAR_FILE,
            Self::TooBig { .. } => code::SIZE,
            Self::Outside | Self::Path(_) => code::PATH,
            Self::Failed(_) => code::IO,
        }
    }
}

/// A place to read files from: a folder, an archive, memory.
pub trait FileSource {
    /// The bytes of the file at `path`: below the project's root, `/` between its parts. Never more than
    /// `bytes_max` bytes: a longer file is [`SourceError::TooBig`].
    ///
    /// # Errors
    /// As [`SourceError`] lists them.
    fn read(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>, SourceError>;

    /// Names like `path` that exist, for suggestions when it does not. None by default.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Files in memory: for tests, and for games that bring their levels along.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemorySource {
    files: BTreeMap<String, Vec<u8>>,
}

impl MemorySource {
    /// No files yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same files and one more; a file of that name is replaced.
    #[must_use]
    pub fn with(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.to_owned(), bytes.into());
        self
    }
}

impl FileSource for MemorySource {
    fn read(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>, SourceError> {
        checked_path(path)?;
        let bytes = self.files.get(path).ok_or(SourceError::NotFound)?;
        if bytes.len() as u64 > bytes_max {
            return Err(SourceError::TooBig { bytes_max });
        }
        Ok(bytes.clone())
    }

    fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }
}

/// What is wrong with the text of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing at all, or nothing between two slashes.
    #[error("it has an empty part")]
    Empty,
    /// Longer than 1,024 bytes, or a part longer than 255.
    #[error("it is too long")]
    TooLong,
    /// A part is `..` or `.`.
    #[error("it has a part made of dots")]
    Dots,
    /// Begins with a slash, or with a drive or scheme.
    #[error("it is absolute")]
    Absolute,
    /// Has a backslash.
    #[error("it has a backslash")]
    Backslash,
    /// Has a control character or NUL, or one of `:*?"<>|`.
    #[error("it has a character that not every system can store")]
    Character,
    /// A part is the name of a device on some systems, such as `CON`.
    #[error("it has a part that names a device on some systems")]
    Device,
    /// A part begins or ends with a space, or ends with a dot.
    #[error("it has a part that ends in a dot or a space")]
    TrailingDot,
}

impl PathError {
    /// What to write instead.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Backslash => "write / between the parts of a path",
            Self::Device | Self::TrailingDot | Self::Character => "choose a name that every system can store",
            _ => "name a file below the level or the script folders, such as \"maps/hall.txt\"",
        }
    }
}

/// Whether a path stays inside the project and can be stored everywhere, judged by its text alone: relative,
/// `/` between its parts, no `..`, no drive, no device, no control characters.
///
/// # Errors
/// As [`PathError`] lists them.
pub fn checked_path(path: &str) -> Result<(), PathError> {
    if path.len() > PATH_BYTES_MAX {
        return Err(PathError::TooLong);
    }
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') || path.contains("://") {
        return Err(PathError::Absolute);
    }
    if path.contains('\\') {
        return Err(PathError::Backslash);
    }
    if path.chars().any(|c| c.is_control() || ":*?\"<>|".contains(c)) {
        return Err(PathError::Character);
    }
    path.split('/').try_for_each(checked_part)
}

fn checked_part(part: &str) -> Result<(), PathError> {
    if part.is_empty() {
        return Err(PathError::Empty);
    }
    if part.len() > 255 {
        return Err(PathError::TooLong);
    }
    if part.chars().all(|c| c == '.') {
        return Err(PathError::Dots);
    }
    if part.ends_with(['.', ' ']) || part.starts_with(' ') {
        return Err(PathError::TrailingDot);
    }
    let stem = part.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = stem.len() == 4
        && (stem.starts_with("COM") || stem.starts_with("LPT"))
        && matches!(stem.as_bytes().get(3), Some(b'1'..=b'9'));
    if numbered || matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return Err(PathError::Device);
    }
    Ok(())
}

/// The path of a file that a level names: beside the level.
pub(crate) fn beside(level: &str, file: &str) -> String {
    match level.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{file}"),
        None => file.to_owned(),
    }
}

/// The name of a file without folder and suffix: the name of a level that gives itself none. The double
/// suffix `.grid.txt` goes as a whole.
#[must_use]
pub fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = file.strip_suffix(".grid.txt").or_else(|| Some(file.rsplit_once('.')?.0)).unwrap_or(file);
    if stem.is_empty() { file } else { stem }
}
