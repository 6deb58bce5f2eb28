//! The files of a map: opened through the source, each once, by a path that stays inside the root.
//!
//! In: the name that one file has for another. Out: the text of that file as elements, handed to a reader.
//! Holds: a path is judged by its text before anything is opened; files that name one another in a circle end
//! in a finding; no map opens more than [`FILES_MAX`]. Not here: what is in the files (`read`).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::inheritance::{self, Inheritance, Overdraft};
use super::raw::RawTileset;
use super::tree::{Element, Notation};
use super::{tmj, xml};
use crate::level::diagnostic::{Findings, PendingDiagnostic, Span, code};
use crate::level::json::{FILE_BYTES_MAX, JsonReader};
use crate::level::source::{FileSource, SourceError, checked_path};
use crate::level::textgrid::CELLS_MAX;

/// Most files that one map may name, tilesets and templates together.
pub(super) const FILES_MAX: usize = 256;
/// Most cells of all layers together: two full layers of the largest map.
pub(super) const LAYER_CELLS_MAX: u64 = 2 * CELLS_MAX;

/// What the import of one map has at hand.
pub(in crate::level) struct Import<'f> {
    pub findings: &'f mut Findings,
    pub source: &'f dyn FileSource,
    /// Why a file could not be read, for the exit code.
    pub failed: Option<SourceError>,
    /// What layers and objects may still take over from groups, templates and tiles.
    inheritance: Inheritance,
    /// Cells that all layers together may still have.
    pub(super) cells_left: u64,
    pub(super) tilesets: BTreeMap<String, Arc<RawTileset>>,
    /// Whether a tileset could not be read: nothing is said then of tiles that are in none.
    pub(super) lacks_tileset: bool,
    pub(super) templates: BTreeMap<String, Arc<super::raw::RawObject>>,
    /// Paths of the files being read, the outermost first.
    pub(super) open: Vec<String>,
    files: usize,
    /// The things that were left out, and where each was first met.
    pub(super) skipped: BTreeMap<String, (usize, Span)>,
}

/// A file being read: its elements and how to say where something stands.
#[derive(Clone, Copy)]
pub(super) struct Here<'e, 'a> {
    pub root: &'e Element<'a>,
    pub notation: Notation,
    /// Its path below the root of the source.
    pub path: &'e str,
    pub file: u16,
}

impl Here<'_, '_> {
    pub(super) fn pointer(&self, span: Span) -> String {
        self.root.pointer(self.notation, span.start)
    }
}

impl<'f> Import<'f> {
    pub(in crate::level) fn new(findings: &'f mut Findings, source: &'f dyn FileSource) -> Self {
        Self {
            findings,
            source,
            failed: None,
            inheritance: Inheritance::default(),
            cells_left: LAYER_CELLS_MAX,
            tilesets: BTreeMap::new(),
            lacks_tileset: false,
            templates: BTreeMap::new(),
            open: Vec::new(),
            files: 0,
            skipped: BTreeMap::new(),
        }
    }

    pub(super) fn error(
        &mut self,
        here: Here<'_, '_>,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) {
        self.findings.error(|| PendingDiagnostic::new(code, span, message).at(here.pointer(span)));
    }

    /// Takes the bytes of a copy from what layers and objects may take over. None once that is spent, after
    /// one finding.
    pub(super) fn inherit(
        &mut self,
        here: Here<'_, '_>,
        span: Span,
        bytes: impl FnOnce() -> usize,
    ) -> Option<()> {
        let paid = self.inheritance.pay(bytes);
        if paid == Err(Overdraft::Now) {
            let message = format!(
                "layers and objects take over more than {} bytes from groups, templates and tiles, which is the limit",
                inheritance::BYTES_MAX
            );
            self.error(here, code::LIMIT, span, message);
        }
        paid.ok()
    }

    /// An error about a tile that is in no tileset: nothing where one could not be read, which may have it.
    pub(super) fn no_tile(&mut self, here: Here<'_, '_>, span: Span, message: String) {
        if !self.lacks_tileset {
            self.error(here, code::GID, span, message);
        }
    }

    /// Notes that something was left out, once for each kind.
    pub(super) fn skip(&mut self, what: impl Into<String>, span: Span) {
        self.skipped.entry(what.into()).or_insert((0, span)).0 += 1;
    }

    /// Reads bytes that were found at `path` as elements, and hands them on. None after a finding.
    pub(super) fn parsed<T>(
        &mut self,
        path: &str,
        bytes: &[u8],
        read: impl FnOnce(&mut Self, Here<'_, '_>) -> Option<T>,
    ) -> Option<T> {
        let file = self.findings.add_file(path, bytes);
        let (text, base) = JsonReader::new(self.findings, file).decoded(bytes)?;
        let notation = if text.trim_start().starts_with('<') { Notation::Xml } else { Notation::Json };
        let root = match notation {
            Notation::Xml => xml::parse(self.findings, file, text, base)?,
            Notation::Json => tmj::parse(self.findings, file, text, base)?,
        };
        self.open.push(path.to_owned());
        let read = read(self, Here { root: &root, notation, path, file });
        self.open.pop();
        read
    }

    /// Opens the file that `name` means in the file at `here`, and hands its elements on. `span` is where it
    /// is named.
    pub(super) fn opened<T>(
        &mut self,
        here: Here<'_, '_>,
        path: &str,
        span: Span,
        read: impl FnOnce(&mut Self, Here<'_, '_>) -> Option<T>,
    ) -> Option<T> {
        if let Some(at) = self.open.iter().position(|open| open == path) {
            let circle = self.open[at..].join("\", \"");
            self.error(
                here,
                code::CYCLE,
                span,
                format!("files name one another in a circle: \"{circle}\", \"{path}\""),
            );
            return None;
        }
        self.files += 1;
        if self.files > FILES_MAX {
            self.error(
                here,
                code::LIMIT,
                span,
                format!("the map names more than {FILES_MAX} files, which is the limit"),
            );
            return None;
        }
        match self.source.read(path, FILE_BYTES_MAX) {
            Ok(bytes) => self.parsed(path, &bytes, read),
            Err(error) => {
                self.unreadable(here, path, span, &error);
                None
            }
        }
    }

    fn unreadable(&mut self, here: Here<'_, '_>, path: &str, span: Span, error: &SourceError) {
        let source = self.source;
        self.findings.error(|| {
            let message = format!("\"{path}\" cannot be read: {error}");
            let finding = PendingDiagnostic::new(error.code(), span, message).at(here.pointer(span));
            if *error != SourceError::NotFound {
                return finding;
            }
            let names = source.names();
            finding.suggest(path, names.iter().map(String::as_str).filter(|name| is_like(path, name)))
        });
        self.failed = Some(error.clone());
    }

    /// The path below the root that `name` means in the file at `here`. None after a finding.
    pub(super) fn path_of(&mut self, here: Here<'_, '_>, name: &str, span: Span) -> Option<String> {
        let path = joined(here.path, name);
        let checked = path.and_then(|path| match checked_path(&path) {
            Ok(()) => Ok(path),
            Err(error) => Err(error.to_string()),
        });
        match checked {
            Ok(path) => Some(path),
            Err(why) => {
                let message = format!("\"{}\" is not a file of this project: {why}", short(name));
                self.findings.error(|| {
                    PendingDiagnostic::new(code::PATH, span, message)
                        .at(here.pointer(span))
                        .help(
                            "the project's root is the nearest folder above the map that holds a walkon.json (it may be \"{}\"), \
                             without one the folder of the map: put one where the project begins, and name files below \
                             it, relative to this one, such as \"tiles/town.tsx\"",
                        )
                });
                None
            }
        }
    }
}

/// Whether a file may be what was meant by a name: of a tileset, of a template, or of the same suffix.
fn is_like(asked: &str, other: &str) -> bool {
    let kind = |path: &str| match path.rsplit_once('.').map_or("", |(_, suffix)| suffix) {
        "tsj" => "tsx".to_owned(),
        "tj" => "tx".to_owned(),
        suffix => suffix.to_owned(),
    };
    kind(asked) == kind(other)
}

/// A name as a sentence shows it.
pub(super) fn short(text: &str) -> String {
    if text.chars().count() > 60 {
        format!("{}...", text.chars().take(57).collect::<String>())
    } else {
        text.to_owned()
    }
}

/// The path that `name` means in the file at `from`, `..` resolved by its text. An error when it leaves the
/// root.
fn joined(from: &str, name: &str) -> Result<String, String> {
    if name.is_empty() {
        return Err("it is empty".to_owned());
    }
    if name.contains("://") {
        return Err("it is an address on a network, and nothing is fetched".to_owned());
    }
    if name.starts_with('/') || name.as_bytes().get(1) == Some(&b':') || name.starts_with('\\') {
        return Err("it is absolute".to_owned());
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Err("it leads out of the project".to_owned());
                }
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}
