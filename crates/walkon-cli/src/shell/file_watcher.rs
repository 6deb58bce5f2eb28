//! Watches files for changes: by system events, or by polling.
//!
//! In: folders. Out: paths that something happened to. Holds: no kind of event is trusted, only that there
//! was one; a folder that took the place of a watched one is watched; when the system cannot watch, or a
//! watched folder is gone, polling takes its place after one warning (fault:H15); nothing is left running
//! when this is dropped. Not here: what is in a file (`watch`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use walkon_runtime::base::ordered::CollectOrdered;

use super::output::tell;

/// Time between two looks at all files.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Most files that are looked at, and folders inside one another.
const FILES_MAX: usize = 100_000;
const DEPTH_MAX: usize = 32;

/// Something that was noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileNotice {
    /// Something happened to this path.
    Path(PathBuf),
    /// Events were lost: anything may have happened.
    Anything,
    /// The system watches no more.
    Blind(String),
}

/// How changes are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchMethod {
    /// The system tells of them; where it cannot, files are looked at.
    System,
    /// All files are looked at, again and again.
    Polling,
}

/// Watches folders.
pub(super) struct FileWatcher {
    /// With what each was as the watch began.
    folders: BTreeMap<PathBuf, Option<FolderIdentity>>,
    seen: Receiver<FileNotice>,
    by: By,
}

/// Kept for being dropped.
enum By {
    System(#[allow(dead_code, reason = "watches as long as it lives")] RecommendedWatcher),
    Looking(#[allow(dead_code, reason = "looks as long as it lives")] Looker),
}

impl FileWatcher {
    /// Watches `folders` and everything below them.
    pub fn open(folders: Vec<PathBuf>, method: WatchMethod) -> Self {
        let (sender, seen) = channel();
        // What they are is asked before: a folder that is replaced meanwhile is watched once more.
        let folders: BTreeMap<_, _> =
            folders.into_iter().map(|folder| (folder.clone(), identity(&folder))).collect_map();
        if method == WatchMethod::Polling {
            let by = By::Looking(Looker::start(folders.keys().cloned().collect(), sender));
            return Self { folders, seen, by };
        }
        match watcher(folders.keys(), sender.clone()) {
            Ok(watcher) => Self { folders, seen, by: By::System(watcher) },
            Err(error) => {
                say_looking(&error.to_string());
                let by = By::Looking(Looker::start(folders.keys().cloned().collect(), sender));
                Self { folders, seen, by }
            }
        }
    }

    /// Watches one folder more, unless it is watched already. One that is looked at is seen through the links
    /// that lead to it.
    pub fn also(&mut self, folder: &Path) {
        if self.folders.keys().any(|watched| folder.starts_with(watched)) {
            return;
        }
        let By::System(watcher) = &mut self.by else { return };
        let identity = identity(folder);
        match watcher.watch(folder, RecursiveMode::Recursive) {
            Ok(()) => _ = self.folders.insert(folder.to_owned(), identity),
            Err(error) => self.look(&error.to_string()),
        }
    }

    /// Everything that was noticed since the last call.
    pub fn take(&mut self) -> Vec<FileNotice> {
        let mut all: Vec<FileNotice> = self.seen.try_iter().collect();
        if let By::Looking(_) = self.by {
            return all;
        }
        // By now another folder may have the name of one that was moved away or removed.
        let named = all.iter().filter_map(|seen| match seen {
            FileNotice::Path(path) => self.folders.get_key_value(path),
            _ => None,
        });
        let now: Vec<Option<FolderIdentity>> =
            named.filter_map(|(path, was)| Some(identity(path)).filter(|now| now != was)).collect();
        let blind = all.iter().find_map(|seen| match seen {
            FileNotice::Blind(why) => Some(why.clone()),
            _ => None,
        });
        let is_gone = now.iter().any(Option::is_none);
        if let Some(why) = blind.or_else(|| is_gone.then(|| "a watched folder is gone".to_owned())) {
            self.look(&why);
        } else if now.is_empty() {
            return all;
        } else {
            self.watch_again();
        }
        all.push(FileNotice::Anything);
        all
    }

    /// Watches what has the names of its folders by now.
    fn watch_again(&mut self) {
        let (sender, seen) = channel();
        self.folders.iter_mut().for_each(|(folder, was)| *was = identity(folder));
        match watcher(self.folders.keys(), sender) {
            Ok(watcher) => (self.by, self.seen) = (By::System(watcher), seen),
            Err(error) => self.look(&error.to_string()),
        }
    }

    /// Whether it looks at files instead of being told.
    #[cfg(test)]
    pub fn is_looking(&self) -> bool {
        matches!(self.by, By::Looking(_))
    }

    fn look(&mut self, why: &str) {
        if matches!(self.by, By::Looking(_)) {
            return;
        }
        say_looking(why);
        let (sender, seen) = channel();
        self.by = By::Looking(Looker::start(self.folders.keys().cloned().collect(), sender));
        self.seen = seen;
    }
}

/// What tells a folder from another that has its path later: device and number, which may be used again, and
/// when it was made.
type FolderIdentity = (u64, u64, Option<SystemTime>);

/// What the folder of a path is now; none where there is no folder.
fn identity(folder: &Path) -> Option<FolderIdentity> {
    let meta = std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
    let (device, number) = numbers_of(&meta);
    Some((device, number, meta.created().ok()))
}

#[cfg(unix)]
fn numbers_of(meta: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (meta.dev(), meta.ino())
}

#[cfg(not(unix))]
fn numbers_of(_: &std::fs::Metadata) -> (u64, u64) {
    (0, 0)
}

fn say_looking(why: &str) {
    let every = LOOK_EVERY.as_millis();
    tell(&format!("warning: files cannot be watched ({why}): they are polled every {every} ms instead"));
}

fn watcher<'a>(
    mut folders: impl Iterator<Item = &'a PathBuf>,
    sender: Sender<FileNotice>,
) -> notify::Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Nobody listening any more is the end of the watch.
        match event {
            Ok(event) if event.need_rescan() => drop(sender.send(FileNotice::Anything)),
            Ok(event) if is_reading(event.kind) => {}
            Ok(event) => event.paths.into_iter().for_each(|path| drop(sender.send(FileNotice::Path(path)))),
            Err(error) => drop(sender.send(FileNotice::Blind(error.to_string()))),
        }
    })?;
    folders.try_for_each(|folder| watcher.watch(folder, RecursiveMode::Recursive))?;
    Ok(watcher)
}

/// Whether an event only tells that a program reads, as this one does itself.
fn is_reading(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
        EventKind::Access(_) => true,
        _ => false,
    }
}

/// A thread that looks at files; ends when it is dropped.
struct Looker {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Looker {
    fn start(folders: Vec<PathBuf>, sender: Sender<FileNotice>) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&over);
        // The first look is taken here: changes from now on are noticed.
        let mut before = all(&folders);
        let look = move || {
            while !ended.load(Ordering::Relaxed) {
                std::thread::sleep(LOOK_EVERY);
                let now = all(&folders);
                for path in differing(&before, &now) {
                    // Nobody listening any more: this thread is about to be dropped.
                    let _ = sender.send(FileNotice::Path(path));
                }
                before = now;
            }
        };
        let thread = std::thread::Builder::new().name("files".to_owned()).spawn(look);
        if let Err(error) = &thread {
            tell(&format!("warning: files are not polled: {error}"));
        }
        Self { over, thread: thread.ok() }
    }
}

impl Drop for Looker {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so already.
            let _ = thread.join();
        }
    }
}

/// What tells one state of a file from another without reading it.
pub(super) type FileStamp = (u64, Option<SystemTime>);

/// That of a file: its length, and when it was saved.
pub(super) fn stamp(meta: &std::fs::Metadata) -> FileStamp {
    (meta.len(), meta.modified().ok())
}

fn all(folders: &[PathBuf]) -> BTreeMap<PathBuf, FileStamp> {
    let mut found = BTreeMap::new();
    folders.iter().for_each(|folder| gather(folder, DEPTH_MAX, &mut found));
    found
}

fn gather(folder: &Path, depth: usize, found: &mut BTreeMap<PathBuf, FileStamp>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if found.len() >= FILES_MAX {
            return;
        }
        let path = entry.path();
        match std::fs::metadata(&path) {
            Ok(meta) if meta.is_file() => {
                found.insert(path, stamp(&meta));
            }
            Ok(_) if depth > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()) => {
                gather(&path, depth - 1, found);
            }
            _ => {}
        }
    }
}

/// Paths whose stamps differ, or that are in one of the two only.
fn differing(before: &BTreeMap<PathBuf, FileStamp>, now: &BTreeMap<PathBuf, FileStamp>) -> Vec<PathBuf> {
    let changed = now.iter().filter(|(path, stamp)| before.get(*path) != Some(*stamp)).map(|(path, _)| path);
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    changed.chain(gone).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    /// Waits for `path` to be noticed; generous, for a busy machine.
    fn waits_for(eyes: &mut FileWatcher, path: &Path) -> bool {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(20) {
            if eyes.take().contains(&FileNotice::Path(path.to_owned())) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }

    #[test]
    fn files_that_are_written_renamed_and_deleted_are_noticed_either_way() {
        for method in [WatchMethod::System, WatchMethod::Polling] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            let mut eyes = FileWatcher::open(vec![root.clone()], method);
            let (file, other) = (root.join("a.lua"), root.join("b.lua"));
            std::fs::write(&file, "return 1").unwrap();
            assert!(waits_for(&mut eyes, &file), "written, {method:?}");
            std::fs::rename(&file, &other).unwrap();
            assert!(waits_for(&mut eyes, &other), "renamed, {method:?}");
            std::fs::remove_file(&other).unwrap();
            assert!(waits_for(&mut eyes, &other), "deleted, {method:?}");
        }
    }

    #[test]
    fn fault_h15_a_watched_folder_that_is_gone_is_looked_at_from_then_on() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("scripts");
        std::fs::create_dir(&root).unwrap();
        let mut eyes = FileWatcher::open(vec![root.clone()], WatchMethod::System);
        std::fs::remove_dir_all(&root).unwrap();
        let began = Instant::now();
        while !eyes.is_looking() && began.elapsed() < Duration::from_secs(20) {
            eyes.take();
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(eyes.is_looking());
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.lua"), "return 1").unwrap();
        assert!(waits_for(&mut eyes, &root.join("a.lua")), "what comes back is noticed");
    }

    /// Law: however often a watched folder is replaced by another one, and whatever becomes of the old one,
    /// what is saved in the new one is noticed.
    #[test]
    fn a_folder_that_takes_the_place_of_a_watched_one_is_watched() {
        for is_old_kept in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let above = folder.path().canonicalize().unwrap();
            let (root, old) = (above.join("scripts"), above.join("old"));
            std::fs::create_dir(&root).unwrap();
            let mut eyes = FileWatcher::open(vec![root.clone()], WatchMethod::System);
            for round in 0..3 {
                std::fs::rename(&root, &old).unwrap();
                std::fs::create_dir(&root).unwrap();
                if !is_old_kept {
                    std::fs::remove_dir_all(&old).unwrap();
                }
                let began = Instant::now();
                // Anything may have happened meanwhile.
                while !eyes.take().contains(&FileNotice::Anything) {
                    assert!(began.elapsed() < Duration::from_secs(20), "{is_old_kept} {round}");
                    std::thread::sleep(Duration::from_millis(5));
                }
                std::fs::write(root.join("a.lua"), "return 1").unwrap();
                assert!(waits_for(&mut eyes, &root.join("a.lua")), "{is_old_kept} {round}");
                if is_old_kept {
                    std::fs::remove_dir_all(&old).unwrap();
                }
            }
            assert!(!eyes.is_looking(), "the system tells of all of it");
        }
    }

    #[test]
    fn fault_h15_a_folder_that_cannot_be_watched_is_looked_at() {
        let eyes = FileWatcher::open(vec![PathBuf::from("/no/such/folder")], WatchMethod::System);
        assert!(eyes.is_looking());
    }
}
