//! Writes files of a project atomically, and never outside it.
//!
//! In: the root of a project, a path below it, bytes. Out: the file, or why it is as it was. Holds: nothing
//! outside the root is written or made, also not through links; a reader of the file meanwhile gets the
//! old or the new one; permissions stay. Not here: which files may be written (the protocol), their content.
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use walkon_runtime::disk::Folder;
use walkon_runtime::level::{FILE_BYTES_MAX, FileSource as _, PathError, SourceError, checked_path};

use super::document::{DocumentSaveError, Save};

/// Names that are tried for a file that does not stay.
const NAMES_MAX: u64 = 64;

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum FileWriteError {
    /// The text of the path is not allowed.
    #[error("{0}")]
    Path(#[from] PathError),
    /// It leads out of the project.
    #[error("it lies outside the project")]
    Outside,
    /// A folder, a device, a pipe stands there.
    #[error("it is not a regular file")]
    NotAFile,
    /// The system refused.
    #[error("{0}")]
    Failed(#[from] io::Error),
}

/// Writes a file below a root: into a file beside it first, which then takes its place. Folders on the way
/// are made. A link to a file inside the root stays a link, and that file is written.
///
/// # Errors
/// Why the file is as it was.
pub fn save_beside(root: &Path, path: &str, bytes: &[u8]) -> Result<(), FileWriteError> {
    let root = root.canonicalize()?;
    let place = place(&root, path)?;
    let old = permissions(&place)?;
    let (folder, name) = parts(&place)?;
    let beside = write_beside(&folder, &name, bytes)?;
    let moved = take_place(&root, &beside, &place, old);
    if moved.is_err() {
        let _ = fs::remove_file(&beside);
    }
    moved
}

/// Takes a file below a root away; one that is not there is gone already.
///
/// # Errors
/// Why it is still there.
pub fn remove_below(root: &Path, path: &str) -> Result<(), FileWriteError> {
    let root = root.canonicalize()?;
    checked_path(path)?;
    let asked = root.join(path);
    let Ok(real) = asked.canonicalize() else { return Ok(()) };
    if !real.starts_with(&root) {
        return Err(FileWriteError::Outside);
    }
    if !real.is_file() {
        return Err(FileWriteError::NotAFile);
    }
    Ok(fs::remove_file(asked)?)
}

/// Writes or removes a file below a root where what is expected stands there, as a document asks for it.
///
/// # Errors
/// What stands there instead, or why it was not written.
pub fn save_over(root: &Path, save: Save<'_>) -> Result<(), DocumentSaveError> {
    let failed = |error: &dyn std::fmt::Display| DocumentSaveError::Failed(format!("{}: {error}", save.file));
    let folder = Folder::open(root).map_err(|error| failed(&error))?;
    let there = match folder.read(save.file, FILE_BYTES_MAX) {
        Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| failed(&"it is no longer UTF-8 text"))?),
        Err(SourceError::NotFound) => None,
        Err(error) => return Err(failed(&error)),
    };
    if there.as_deref() != save.over {
        return Err(DocumentSaveError::Changed(there));
    }
    let done = match save.text {
        Some(text) => save_beside(root, save.file, text.as_bytes()),
        None => remove_below(root, save.file),
    };
    done.map_err(|error| failed(&error))
}

/// Where a path leads: past links, in a folder that is there and lies inside.
fn place(root: &Path, path: &str) -> Result<PathBuf, FileWriteError> {
    checked_path(path)?;
    let asked = root.join(path);
    if asked.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
        let real = asked.canonicalize()?;
        return if real.starts_with(root) { Ok(real) } else { Err(FileWriteError::Outside) };
    }
    let (folder, name) = parts(&asked)?;
    // What is there of the way must lie inside before anything is made below it.
    let mut known = folder.as_path();
    while known.symlink_metadata().is_err() {
        known = known.parent().ok_or(FileWriteError::Outside)?;
    }
    if !known.canonicalize()?.starts_with(root) {
        return Err(FileWriteError::Outside);
    }
    fs::create_dir_all(&folder)?;
    let folder = folder.canonicalize()?;
    if !folder.starts_with(root) {
        return Err(FileWriteError::Outside);
    }
    Ok(folder.join(name))
}

fn parts(place: &Path) -> Result<(PathBuf, String), FileWriteError> {
    let name = place.file_name().and_then(|name| name.to_str()).ok_or(FileWriteError::NotAFile)?;
    let folder = place.parent().ok_or(FileWriteError::Outside)?;
    Ok((folder.to_owned(), name.to_owned()))
}

/// The permissions of the file that is there; None for no file.
fn permissions(place: &Path) -> Result<Option<fs::Permissions>, FileWriteError> {
    match fs::symlink_metadata(place) {
        Ok(found) if found.is_file() => Ok(Some(found.permissions())),
        Ok(_) => Err(FileWriteError::NotAFile),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Writes a file of a name that nothing has yet.
fn write_beside(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, FileWriteError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    for _ in 0..NAMES_MAX {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let beside = folder.join(format!(".{name}.{}-{number}.tmp", std::process::id()));
        let mut file = match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error.into()),
        };
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        if let Err(error) = written {
            let _ = fs::remove_file(&beside);
            return Err(error.into());
        }
        return Ok(beside);
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists).into())
}

fn take_place(
    root: &Path,
    beside: &Path,
    place: &Path,
    old: Option<fs::Permissions>,
) -> Result<(), FileWriteError> {
    // Had a link taken the place of the folder, the file would not lie inside.
    if !beside.canonicalize()?.starts_with(root) {
        return Err(FileWriteError::Outside);
    }
    if let Some(old) = old {
        fs::set_permissions(beside, old)?;
    }
    Ok(fs::rename(beside, place)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use serde_json::json;
    use walkon_runtime::disk::Folder;

    use crate::edit::document::{
        Checked, Document, DocumentSaveError, EditError, Save, StepLabel, Surroundings, Texts, check_level,
    };
    use crate::edit::paint::{grid_place, paint};
    use crate::edit::patch::Change;
    use crate::edit::save::{FileWriteError, remove_below, save_beside, save_over};

    /// A project on disk as the surroundings of a document.
    struct OnDisk<'d>(&'d Folder);

    impl Surroundings for OnDisk<'_> {
        fn check(&mut self, texts: &Texts) -> Checked {
            check_level("level.json", texts, self.0)
        }

        fn save(&mut self, save: Save<'_>) -> Result<(), DocumentSaveError> {
            save_over(self.0.root(), save)
        }
    }

    fn project() -> (tempfile::TempDir, PathBuf) {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("game");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(outer.path().join("secret"), "secret").unwrap();
        std::fs::write(root.join("a.json"), "old").unwrap();
        (outer, root)
    }

    fn names(root: &std::path::Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(root)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_written_whole_and_folders_are_made_on_the_way() {
        let (_outer, root) = project();
        save_beside(&root, "a.json", b"new").unwrap();
        save_beside(&root, "levels/paths/b.graph.json", b"{}").unwrap();
        assert_eq!(std::fs::read_to_string(root.join("a.json")).unwrap(), "new");
        assert_eq!(std::fs::read_to_string(root.join("levels/paths/b.graph.json")).unwrap(), "{}");
        assert_eq!(names(&root), ["a.json", "levels"]);
        remove_below(&root, "a.json").unwrap();
        remove_below(&root, "a.json").unwrap();
        assert_eq!(names(&root), ["levels"]);
        assert!(matches!(save_beside(&root, "levels", b""), Err(FileWriteError::NotAFile)));
        assert!(matches!(remove_below(&root, "levels"), Err(FileWriteError::NotAFile)));
    }

    #[test]
    fn paths_that_lead_out_are_refused_by_their_text() {
        let (outer, root) = project();
        for path in ["../secret", "/etc/passwd", "a/../../secret", "C:\\x", "", "a/./b", "CON"] {
            assert!(matches!(save_beside(&root, path, b"x"), Err(FileWriteError::Path(_))), "{path:?}");
            assert!(matches!(remove_below(&root, path), Err(FileWriteError::Path(_))), "{path:?}");
        }
        assert_eq!(std::fs::read_to_string(outer.path().join("secret")).unwrap(), "secret");
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_out_are_refused_and_those_that_stay_inside_stay_links() {
        use std::os::unix::fs::symlink;
        let (outer, root) = project();
        symlink(outer.path().join("secret"), root.join("out.json")).unwrap();
        symlink(outer.path(), root.join("up")).unwrap();
        symlink(outer.path().join("nothing"), root.join("dangling")).unwrap();
        symlink("a.json", root.join("in.json")).unwrap();
        for path in ["out.json", "up/secret", "up/new", "up/new/deeper", "dangling", "dangling/new"] {
            assert!(save_beside(&root, path, b"x").is_err(), "{path}");
            let over = Save { file: path, text: Some("x"), over: None };
            assert!(save_over(&root, over).is_err(), "{path}");
        }
        assert!(matches!(remove_below(&root, "up/secret"), Err(FileWriteError::Outside)));
        assert_eq!(std::fs::read_to_string(outer.path().join("secret")).unwrap(), "secret");
        assert_eq!(names(outer.path()), ["game", "secret"]);
        save_beside(&root, "in.json", b"new").unwrap();
        assert_eq!(std::fs::read_to_string(root.join("a.json")).unwrap(), "new");
        assert!(root.join("in.json").symlink_metadata().unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let (_outer, root) = project();
        let file = root.join("a.json");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        save_beside(&root, "a.json", b"new").unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn a_document_of_a_project_is_edited_on_disk_and_back() {
        let (_outer, root) = project();
        let text = "{\r\n  \"navigation\": \"map.txt\",\r\n  \"seed\": 1\r\n}";
        std::fs::write(root.join("level.json"), text).unwrap();
        let grid = "cellSize 1\r\nminX 0\r\nminZ 0\r\ngridWidth 3\r\ngridDepth 1\r\n111\r\n";
        std::fs::write(root.join("map.txt"), grid).unwrap();
        let folder = Folder::open(&root).unwrap();
        let mut around = OnDisk(&folder);
        let texts =
            [("level.json", text), ("map.txt", grid)].map(|(file, text)| (file.to_owned(), text.into()));
        let mut document = Document::new("level.json", Texts::from(texts), &mut around);
        assert!(document.checked().loads);
        let there = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
        document.apply("", &[Change::set("/seed", json!(2))], StepLabel::default(), &mut around).unwrap();
        assert_eq!(there("level.json"), text.replace(": 1", ": 2"));
        let place = grid_place("level.json", text, 0).unwrap();
        let painted = paint(&place, document.text(&place.file).unwrap(), &[[1, 0]], '0').unwrap();
        let files = BTreeMap::from([(place.file, Some(painted))]);
        document.replace(files, StepLabel::default(), &mut around).unwrap();
        assert_eq!(there("map.txt"), grid.replace("111", "101"));
        // A map without any ground would be none.
        let files = BTreeMap::from([("map.txt".to_owned(), Some("11".to_owned()))]);
        assert!(matches!(
            document.replace(files, StepLabel::default(), &mut around),
            Err(EditError::Refused(_))
        ));
        document.undo(&mut around).unwrap();
        document.undo(&mut around).unwrap();
        assert_eq!((there("level.json").as_str(), there("map.txt").as_str()), (text, grid));
        assert_eq!(names(&root), ["a.json", "level.json", "map.txt"]);
    }

    #[test]
    fn nothing_is_written_over_what_was_not_expected() {
        let (_outer, root) = project();
        let save = |file, text, over| save_over(&root, Save { file, text, over });
        assert_eq!(
            save("a.json", Some("new"), Some("other")),
            Err(DocumentSaveError::Changed(Some("old".to_owned())))
        );
        assert_eq!(
            save("a.json", Some("new"), None),
            Err(DocumentSaveError::Changed(Some("old".to_owned())))
        );
        assert_eq!(save("b.json", Some("new"), Some("old")), Err(DocumentSaveError::Changed(None)));
        assert_eq!(save("a.json", Some("new"), Some("old")), Ok(()));
        assert_eq!(save("a.json", None, Some("new")), Ok(()));
        assert_eq!(save("b.json", Some("b"), None), Ok(()));
        assert_eq!(names(&root), ["b.json"]);
        assert!(matches!(save("../b.json", Some("b"), None), Err(DocumentSaveError::Failed(_))));
    }
}
