//! A [`FileSource`] over one folder of the disk.
//!
//! In: a folder, paths below it. Out: bytes. Holds: nothing outside the folder is ever read, also not through
//! links and not when one is swapped in between the check and the opening; devices, pipes and folders are
//! refused without waiting for them; a read ends one byte above what was allowed. It remembers what it read,
//! so that a command can refuse to write over its own input. A listing depends on names alone, not on the
//! order in which the disk gives them. Not here: which files belong to a level.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the bans keep files out of every other module of the library; this is where they belong"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::level::{FileSource, SourceError, checked_path};

/// What some programs write in front of a text.
pub const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How much of a folder is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListingLimits {
    /// Most files that are listed, and most files and folders of each folder that are looked at: those whose
    /// names come first.
    pub files_max: usize,
    /// Folders inside one another that are looked into.
    pub depth_max: usize,
}

/// What is gathered for a suggestion.
const SUGGESTED: ListingLimits = ListingLimits { files_max: 2048, depth_max: 4 };

/// A folder that files are read from.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    /// Files that lie there only as far as this source is concerned: their bytes by their paths.
    laid: BTreeMap<String, Vec<u8>>,
    read: Mutex<BTreeSet<PathBuf>>,
}

impl Folder {
    /// The folder at `root`.
    ///
    /// # Errors
    /// Those of the operating system, when there is no such folder or it may not be entered.
    pub fn open(root: &Path) -> std::io::Result<Self> {
        let root = root.canonicalize()?;
        if !root.is_dir() {
            return Err(std::io::Error::new(std::io::ErrorKind::NotADirectory, "it is not a folder"));
        }
        Ok(Self { root, laid: BTreeMap::new(), read: Mutex::default() })
    }

    /// The folder with one more file, which is not on the disk; it stands before one of that path that is. A
    /// path that leads out of the folder is never read.
    #[must_use]
    pub fn with_laid(mut self, path: impl Into<String>, bytes: Vec<u8>) -> Self {
        self.laid.insert(path.into(), bytes);
        self
    }

    /// The folder, without links in its path.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every file that was read so far, without links in its path.
    #[must_use]
    pub fn files_read(&self) -> Vec<PathBuf> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The paths below the root of the files in one of its folders, `.` for the root itself, in the order of
    /// their names, folder by folder, and then those that were laid there. Those that begin with a dot are
    /// left out, and so are links to folders, and to nothing.
    ///
    /// # Errors
    /// When there is no such folder, its path cannot be one, or it leads out of this one.
    pub fn files_in(&self, folder: &str, limits: ListingLimits) -> Result<Vec<String>, SourceError> {
        let mut names = Vec::new();
        let prefix = if folder == "." {
            String::new()
        } else {
            checked_path(folder)?;
            format!("{folder}/")
        };
        let real = self.resolved(&self.root.join(folder))?;
        if !real.is_dir() {
            return Err(SourceError::NotFound);
        }
        gather(&real, &prefix, limits, &mut names);
        let laid = self.laid.keys().filter(|path| path.starts_with(&prefix) && !names.contains(path));
        let laid: Vec<String> = laid.cloned().collect();
        names.extend(laid);
        names.truncate(limits.files_max);
        Ok(names)
    }

    /// A path without links, which must not lead out of the folder.
    fn resolved(&self, asked: &Path) -> Result<PathBuf, SourceError> {
        let real = asked.canonicalize().map_err(from_io)?;
        if real.starts_with(&self.root) { Ok(real) } else { Err(SourceError::Outside) }
    }

    /// Opens the file at `real`, which has been resolved, and sees to it that it is the one that was meant.
    fn open_inside(&self, asked: &Path, real: &Path) -> Result<File, SourceError> {
        let before = std::fs::metadata(real).map_err(from_io)?;
        if !before.is_file() {
            return Err(SourceError::NotAFile);
        }
        let file = without_waiting().open(real).map_err(from_io)?;
        let opened = file.metadata().map_err(from_io)?;
        if !opened.is_file() {
            return Err(SourceError::NotAFile);
        }
        if let Some(place) = place_of(&opened_place(&file)) {
            return if place.starts_with(&self.root) { Ok(file) } else { Err(SourceError::Outside) };
        }
        // The file that the path means now that it is open: had a link been swapped in, the two would differ.
        let again = asked.canonicalize().map_err(from_io)?;
        let after = std::fs::metadata(&again).map_err(from_io)?;
        if !again.starts_with(&self.root) || !is_same_file(&opened, &after) {
            return Err(SourceError::Outside);
        }
        Ok(file)
    }
}

impl FileSource for Folder {
    fn read(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>, SourceError> {
        checked_path(path)?;
        if let Some(bytes) = self.laid.get(path) {
            return if bytes.len() as u64 > bytes_max {
                Err(SourceError::TooBig { bytes_max })
            } else {
                Ok(bytes.clone())
            };
        }
        let asked = self.root.join(path);
        let real = self.resolved(&asked)?;
        let file = self.open_inside(&asked, &real)?;
        let bytes = read_up_to(file, bytes_max)?;
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(real);
        Ok(bytes)
    }

    fn names(&self) -> Vec<String> {
        self.files_in(".", SUGGESTED).unwrap_or_default()
    }
}

/// Opens a file that may lie anywhere, to read it; pipes and devices are refused, and none is waited for.
///
/// # Errors
/// When there is none, or it is no regular file.
pub fn open_regular(path: &Path) -> Result<File, SourceError> {
    let file = without_waiting().open(path).map_err(from_io)?;
    if file.metadata().map_err(from_io)?.is_file() { Ok(file) } else { Err(SourceError::NotAFile) }
}

/// The bytes of such a file, of which there may be `bytes_max`.
///
/// # Errors
/// As [`open_regular`], or there are more.
pub fn read_regular(path: &Path, bytes_max: u64) -> Result<Vec<u8>, SourceError> {
    read_up_to(open_regular(path)?, bytes_max)
}

/// The bytes of what is open, of which there may be `bytes_max`.
///
/// # Errors
/// When it cannot be read, or there are more.
pub fn read_up_to(input: impl Read, bytes_max: u64) -> Result<Vec<u8>, SourceError> {
    let mut bytes = Vec::new();
    input.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes).map_err(from_io)?;
    if bytes.len() as u64 > bytes_max { Err(SourceError::TooBig { bytes_max }) } else { Ok(bytes) }
}

fn gather(folder: &Path, prefix: &str, limits: ListingLimits, names: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut first: BTreeMap<String, ListedKind> = BTreeMap::new();
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if let Some(kind) = ListedKind::of(&entry).filter(|_| !name.starts_with('.')) {
            first.insert(name, kind);
        }
        if first.len() > limits.files_max {
            first.pop_last();
        }
    }
    for (name, kind) in first {
        if names.len() >= limits.files_max {
            return;
        }
        let path = format!("{prefix}{name}");
        match kind {
            ListedKind::File => names.push(path),
            ListedKind::Folder if limits.depth_max > 0 => {
                let inside = ListingLimits { depth_max: limits.depth_max - 1, ..limits };
                gather(&folder.join(&name), &format!("{path}/"), inside, names);
            }
            ListedKind::Folder => {}
        }
    }
}

/// What a listing has to do with.
#[derive(Clone, Copy)]
enum ListedKind {
    File,
    Folder,
}

impl ListedKind {
    /// None for links to folders and to nothing, and for pipes and devices.
    fn of(entry: &std::fs::DirEntry) -> Option<Self> {
        let kind = entry.file_type().ok()?;
        let leads_to_file = || std::fs::metadata(entry.path()).is_ok_and(|meant| meant.is_file());
        match kind.is_dir() {
            true => Some(Self::Folder),
            false if kind.is_file() || leads_to_file() => Some(Self::File),
            false => None,
        }
    }
}

/// Where the system tells the place of an open file (Linux).
#[cfg(target_os = "linux")]
fn opened_place(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(not(target_os = "linux"))]
fn opened_place(_: &File) -> PathBuf {
    PathBuf::new()
}

/// The place of the file that is open, whatever its name means by now: asked of the handle, so nothing can be
/// swapped. None where the system does not tell.
fn place_of(handle: &Path) -> Option<PathBuf> {
    std::fs::read_link(handle).ok()
}

fn from_io(error: std::io::Error) -> SourceError {
    match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => SourceError::NotFound,
        _ => SourceError::Failed(error.to_string()),
    }
}

/// Options that do not wait for a program to write into a pipe, should one have taken the file's place.
fn without_waiting() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // O_NONBLOCK; it has no effect on regular files.
        options.custom_flags(if cfg!(target_os = "linux") { 0o4000 } else { 0x4 });
    }
    options
}

#[cfg(unix)]
fn is_same_file(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Without file numbers, as much as can be compared.
#[cfg(not(unix))]
fn is_same_file(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    (a.len(), a.created().ok()) == (b.len(), b.created().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let outer = tempfile::tempdir().unwrap();
        std::fs::create_dir(outer.path().join("game")).unwrap();
        std::fs::write(outer.path().join("secret"), "secret").unwrap();
        std::fs::write(outer.path().join("game/a.json"), "{}").unwrap();
        let folder = Folder::open(&outer.path().join("game")).unwrap();
        (outer, folder)
    }

    #[test]
    fn files_below_the_folder_are_read_and_remembered() {
        let (_outer, folder) = folder();
        assert_eq!(folder.read("a.json", 2).unwrap(), b"{}");
        assert_eq!(folder.files_read(), vec![folder.root().join("a.json")]);
        assert_eq!(folder.read("b.json", 2), Err(SourceError::NotFound));
        assert_eq!(folder.names(), vec!["a.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_listed_can_be_read_and_depends_on_names_alone() {
        let (outer, folder) = folder();
        let game = outer.path().join("game");
        std::fs::create_dir_all(game.join("scripts/sub")).unwrap();
        for name in ["scripts/c.lua", "scripts/a.lua", "scripts/sub/d.lua", "scripts/b.lua", "scripts/.h.lua"]
        {
            std::fs::write(game.join(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(outer.path(), game.join("scripts/out")).unwrap();
        std::os::unix::fs::symlink("nowhere", game.join("scripts/broken.lua")).unwrap();
        std::os::unix::fs::symlink("a.lua", game.join("scripts/link.lua")).unwrap();
        let folder = folder.with_laid("scripts/x.lua", b"1".to_vec()).with_laid("y.lua", b"2".to_vec());
        let limits = |files_max: usize| ListingLimits { files_max, depth_max: 8 };
        let all = ["a.lua", "b.lua", "c.lua", "link.lua", "sub/d.lua", "x.lua"]
            .map(|name| format!("scripts/{name}"));
        assert_eq!(folder.files_in("scripts", limits(100)).unwrap(), all);
        for path in folder.names() {
            assert!(folder.read(&path, 9).is_ok(), "{path}");
        }
        for count in 1..4 {
            assert_eq!(folder.files_in("scripts", limits(count)).unwrap(), all[..count]);
        }
        for outside in ["..", "/tmp", "scripts/", "", "./scripts", "scripts/out", "missing", "a.json"] {
            assert!(folder.files_in(outside, limits(9)).is_err(), "{outside:?}");
        }
    }

    #[test]
    fn fault_f25_a_file_above_the_limit_is_not_read_to_its_end() {
        let (_outer, folder) = folder();
        assert_eq!(folder.read("a.json", 1), Err(SourceError::TooBig { bytes_max: 1 }));
    }

    #[test]
    fn fault_f22_a_path_is_refused_by_its_text() {
        let (_outer, folder) = folder();
        for path in ["../secret", "/etc/passwd", "a/../../secret", "C:\\x", "a.json\0.txt", "CON", "a.json."]
        {
            assert!(matches!(folder.read(path, 10), Err(SourceError::Path(_))), "{path:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn fault_f23_a_link_that_points_out_is_refused_and_one_that_stays_inside_is_not() {
        let (outer, folder) = folder();
        let game = outer.path().join("game");
        std::os::unix::fs::symlink(outer.path().join("secret"), game.join("out")).unwrap();
        std::os::unix::fs::symlink(outer.path(), game.join("up")).unwrap();
        std::os::unix::fs::symlink("a.json", game.join("in.json")).unwrap();
        assert_eq!(folder.read("out", 10), Err(SourceError::Outside));
        assert_eq!(folder.read("up/secret", 10), Err(SourceError::Outside));
        assert_eq!(folder.read("in.json", 10).unwrap(), b"{}");
    }

    #[cfg(unix)]
    #[test]
    fn fault_f24_what_is_no_regular_file_is_refused_without_waiting() {
        let (outer, folder) = folder();
        let game = outer.path().join("game");
        std::fs::create_dir(game.join("dir")).unwrap();
        std::os::unix::fs::symlink("loop", game.join("loop")).unwrap();
        assert_eq!(folder.read("dir", 10), Err(SourceError::NotAFile));
        assert!(folder.read("loop", 10).is_err());
        let made = std::process::Command::new("mkfifo").arg(game.join("pipe")).status();
        if made.is_ok_and(|status| status.success()) {
            assert_eq!(folder.read("pipe", 10), Err(SourceError::NotAFile));
        }
    }
}
