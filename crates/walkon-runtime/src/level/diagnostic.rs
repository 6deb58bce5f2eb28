//! Diagnostics of a level: what is wrong, and where.
//!
//! In: places in files (byte ranges), codes, sentences. Out: a list of [`Diagnostic`] in the order of
//! the text, at most [`DIAGNOSTICS_MAX`] and a line that says how many more there are; errors are never
//! crowded out by warnings. Holds: every diagnostic names a file, a line and a column, both from 1, the
//! column counted in characters. Not here: colours, the offending line itself (`shell/report`).

use serde::Serialize;

use crate::base::ordered;
use crate::base::{hash, suggestions};

/// Most diagnostics of one level that are kept. More would not be read, and would cost memory.
pub const DIAGNOSTICS_MAX: usize = 100;

/// The words that stand in [`Diagnostic::code`]: one for each kind of mistake. They are only ever added to.
pub mod code {
    /// Nothing in the file but white space.
    pub const EMPTY: &str = "empty";
    /// Not UTF-8, or begun with a byte order mark (a warning).
    pub const ENCODING: &str = "encoding";
    /// Not JSON: a comma, quote or bracket too many or too few.
    pub const SYNTAX: &str = "syntax";
    /// A level that does not start.
    pub const START: &str = "start";
    /// Something after the end of the level.
    pub const TRAILING: &str = "trailing";
    /// Brackets nested deeper than 32.
    pub const DEPTH: &str = "depth";
    /// A number that is not finite, or that no double can hold.
    pub const NUMBER: &str = "number";
    /// A key twice in one object.
    pub const DUPLICATE_KEY: &str = "duplicate-key";
    /// A key that this version does not know.
    pub const UNKNOWN_FIELD: &str = "unknown-field";
    /// A key that must be there and is not.
    pub const MISSING_FIELD: &str = "missing-field";
    /// A value of another type than expected.
    pub const TYPE: &str = "type";
    /// A number outside its range.
    pub const RANGE: &str = "range";
    /// A word that is none of those allowed here.
    pub const CHOICE: &str = "choice";
    /// A property of a map of Tiled that is left alone: its name or its value has no meaning here (a note).
    pub const PROPERTY: &str = "property";
    /// More cells than a grid may have.
    pub const GRID_TOO_BIG: &str = "grid-too-big";
    /// A coordinate further than 1,000 km from the origin.
    pub const EXTENT: &str = "extent";
    /// A polygon without an inside.
    pub const DEGENERATE: &str = "degenerate";
    /// A polygon whose edges cross (a warning).
    pub const SELF_CROSSING: &str = "self-crossing";
    /// More of something, or something longer, than is allowed.
    pub const LIMIT: &str = "limit";
    /// Two things of one kind with one name, or with names that differ only by case.
    pub const DUPLICATE_NAME: &str = "duplicate-name";
    /// A name that cannot be one: empty, or with control characters.
    pub const NAME: &str = "name";
    /// A name or file that is nowhere to be found.
    pub const UNRESOLVED: &str = "unresolved";
    /// A file name that could lead out of the project, or that some systems cannot store.
    pub const PATH: &str = "path";
    /// A file above 16 MiB.
    pub const SIZE: &str = "size";
    /// A folder or device where a file is expected.
    pub const NOT_A_REGULAR_FILE: &str = "not-a-regular-file";
    /// A file that cannot be read.
    pub const IO: &str = "io";
    /// Rows of a grid: wrong number, wrong length, a character without a meaning.
    pub const ROWS: &str = "rows";
    /// A door and its area do not fit: two doors of one area (an error), an area that says otherwise than its
    /// door or that other areas cover (warnings).
    pub const DOOR: &str = "door";
    /// Polygons that are no navigation mesh, or a mesh file that cannot be read as one.
    pub const MESH: &str = "mesh";
    /// An area or a map that no cell belongs to (a warning).
    pub const NO_CELLS: &str = "no-cells";
    /// A character that cannot stand where it was put.
    pub const SPAWN: &str = "spawn";
    /// Parts of the map that no path joins (a note or a warning).
    pub const ISLAND: &str = "island";
    /// What the map is made of (a note).
    pub const MAP: &str = "map";
    /// A mark, or a stop of a route, that the characters cannot walk to (a warning).
    pub const UNREACHABLE: &str = "unreachable";
    /// A parameter that a behaviour does not take, or not like that.
    pub const PARAMS: &str = "params";
    /// The cells of a layer of a Tiled map that cannot be read: broken, cut off, too few or too many.
    pub const DATA: &str = "data";
    /// Compressed cells of a layer that come out at another size than the map states.
    pub const DECOMPRESSED_SIZE: &str = "decompressed-size";
    /// A cell or an object of a Tiled map with a tile that no tileset has.
    pub const GID: &str = "gid";
    /// Files that name one another in a circle.
    pub const CYCLE: &str = "cycle";
    /// Says how many diagnostics were left out.
    pub const MORE: &str = "more";
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The level is refused.
    Error,
    /// The level loads, but probably not as meant.
    Warning,
    /// Worth knowing.
    Note,
}

/// A range of bytes in one of the files of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Which file: 0 is the level, the others are the files it names, in order.
    pub file: u16,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of file `file`. Files are bounded at 16 MiB, so 32 bits hold every place.
    #[must_use]
    pub fn new(file: u16, start: usize, end: usize) -> Self {
        Self { file, start: start.min(u32::MAX as usize) as u32, end: end.min(u32::MAX as usize) as u32 }
    }
}

/// A value and the place it was read from, so that a later check can point at it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Located<T> {
    /// What was read.
    pub value: T,
    /// Where.
    pub span: Span,
}

impl<T> Located<T> {
    /// A value read at `span`.
    #[must_use]
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// One thing to say about a level. Its JSON is the form that `walkon check --format json` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnostic {
    /// The kind of mistake: a word of [`code`].
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The file, as it was named when it was read.
    pub path: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// JSON pointer to the value (RFC 6901), empty for the whole file and in text grids.
    pub pointer: String,
    /// What is wrong and what was expected.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The bytes of the file that are meant.
    #[serde(skip)]
    pub span: Span,
}

/// A file of a level: its text, for showing lines of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelFile {
    /// As it was named when it was read.
    pub path: String,
    /// Hash of its bytes, as traces record it.
    pub hash: u64,
    /// Its text; empty when the file is not UTF-8.
    pub text: String,
    line_starts: Vec<u32>,
}

impl LevelFile {
    /// A file from its bytes. Text that is not UTF-8 is kept as empty.
    #[must_use]
    pub fn new(path: &str, bytes: &[u8]) -> Self {
        let text = std::str::from_utf8(bytes).unwrap_or_default().to_owned();
        let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let line_starts = std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect();
        Self { path: path.to_owned(), hash: hash::of_bytes(bytes), text, line_starts }
    }

    /// Line and column of a byte, both from 1, the column in characters.
    #[must_use]
    pub fn position(&self, at: u32) -> (u32, u32) {
        let line = self.line_starts.partition_point(|start| *start <= at).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0) as usize;
        let before = self.text.as_bytes().get(start..at as usize);
        let characters = before
            .map_or(at as usize - start, |bytes| bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count());
        // A byte order mark takes no column on any screen.
        let mark = u32::from(line == 1 && at > 0 && self.text.starts_with('\u{FEFF}'));
        (line as u32, characters as u32 + 1 - mark)
    }
}

/// What is being said, before its place is looked up.
#[derive(Clone, Debug)]
pub(crate) struct PendingDiagnostic {
    pub code: &'static str,
    pub span: Span,
    pub pointer: String,
    pub message: String,
    pub help: Option<String>,
}

impl PendingDiagnostic {
    pub(crate) fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { code, span, pointer: String::new(), message: message.into(), help: None }
    }

    pub(crate) fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = pointer.into();
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Suggests the nearest of the names that would have been right, if one is near.
    pub(crate) fn suggest<'a>(mut self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        if let Some(help) = suggestions::did_you_mean(name, candidates) {
            self.help = Some(help);
        }
        self
    }
}

/// Everything found so far in a level and the files it names.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub files: Vec<LevelFile>,
    errors: Vec<PendingDiagnostic>,
    others: Vec<(Severity, PendingDiagnostic)>,
    left_out: usize,
}

impl Findings {
    /// No findings yet in files that were read before.
    pub(crate) fn with_files(files: Vec<LevelFile>) -> Self {
        Self { files, ..Self::default() }
    }

    /// Adds a file; its number goes into the spans of what is found in it.
    pub(crate) fn add_file(&mut self, path: &str, bytes: &[u8]) -> u16 {
        self.files.push(LevelFile::new(path, bytes));
        (self.files.len() - 1).min(usize::from(u16::MAX)) as u16
    }

    /// The file that was added last.
    pub(crate) fn last_file(&self) -> u16 {
        self.files.len().saturating_sub(1).min(usize::from(u16::MAX)) as u16
    }

    /// A line of a file, from 1, without its end.
    pub(crate) fn line(&self, file: u16, line: usize) -> Span {
        let Some(found) = self.files.get(usize::from(file)) else { return Span::new(file, 0, 0) };
        let start = found.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0) as usize;
        let end = found.line_starts.get(line).map_or(found.text.len(), |&next| next as usize - 1);
        Span::new(file, start, end.max(start))
    }

    /// Adds an error; the sentence is only built while there is room for it.
    pub(crate) fn error(&mut self, finding: impl FnOnce() -> PendingDiagnostic) {
        if self.errors.len() < DIAGNOSTICS_MAX {
            self.errors.push(finding());
        } else {
            self.left_out += 1;
        }
    }

    /// The same for an error whose sentence names a second place, which is handed to it.
    /// Columns are counted from the begin of their line, which takes long on files of one line.
    pub(crate) fn error_beside(&mut self, second: Span, finding: impl FnOnce(String) -> PendingDiagnostic) {
        let place = (self.errors.len() < DIAGNOSTICS_MAX).then(|| self.place(second));
        self.error(|| finding(place.unwrap_or_default()));
    }

    pub(crate) fn warn(&mut self, finding: impl FnOnce() -> PendingDiagnostic) {
        self.other(Severity::Warning, finding);
    }

    pub(crate) fn note(&mut self, finding: impl FnOnce() -> PendingDiagnostic) {
        self.other(Severity::Note, finding);
    }

    fn other(&mut self, severity: Severity, finding: impl FnOnce() -> PendingDiagnostic) {
        if self.others.len() < DIAGNOSTICS_MAX {
            self.others.push((severity, finding()));
        } else {
            self.left_out += 1;
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Whether something is wrong with the value at a JSON pointer.
    pub(crate) fn has_error_at(&self, pointer: &str) -> bool {
        self.errors.iter().any(|error| error.pointer == pointer)
    }

    /// `line:column` of a place, behind the name of its file where there are several.
    fn place(&self, span: Span) -> String {
        let (line, column) = self.position(span);
        let file = self.files.get(usize::from(span.file)).filter(|_| self.files.len() > 1);
        file.map_or_else(|| format!("{line}:{column}"), |file| format!("{}:{line}:{column}", file.path))
    }

    fn position(&self, span: Span) -> (u32, u32) {
        self.files.get(usize::from(span.file)).map_or((1, 1), |file| file.position(span.start))
    }

    /// The list to show: in the order of the files and their text, errors first when there are too many.
    pub(crate) fn take(&mut self) -> Vec<Diagnostic> {
        let errors = std::mem::take(&mut self.errors).into_iter().map(|finding| (Severity::Error, finding));
        let mut all: Vec<_> = errors.chain(std::mem::take(&mut self.others)).collect();
        let left_out = std::mem::take(&mut self.left_out) + all.len().saturating_sub(DIAGNOSTICS_MAX);
        all.truncate(DIAGNOSTICS_MAX);
        ordered::sort_by_key(&mut all, |(severity, finding)| {
            (finding.span.file, finding.span.start, *severity)
        });
        let mut list: Vec<Diagnostic> =
            all.into_iter().map(|(severity, finding)| self.placed(severity, finding)).collect();
        if left_out > 0 {
            let more = PendingDiagnostic::new(code::MORE, Span::default(), format!("{left_out} more"));
            list.push(self.placed(Severity::Note, more));
        }
        list
    }

    fn placed(&self, severity: Severity, finding: PendingDiagnostic) -> Diagnostic {
        let (line, column) = self.position(finding.span);
        let path = self.files.get(usize::from(finding.span.file)).map(|file| file.path.clone());
        Diagnostic {
            code: finding.code,
            severity,
            path: path.unwrap_or_default(),
            line,
            column,
            pointer: finding.pointer,
            message: finding.message,
            help: finding.help,
            span: finding.span,
        }
    }
}
