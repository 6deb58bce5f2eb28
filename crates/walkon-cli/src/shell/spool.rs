//! A spool of lines on disk, until it is known what stands before them.
//!
//! In: lines, places to go back to. Out: all of them, one after another. Holds: a constant part of them is
//! in memory; the file is removed once the last clone is dropped; reading the lines returns the first error
//! of writing them. Not here: the content of lines.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::output::OutputFile;

/// Lines in a file of their own. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Spool(Arc<Mutex<SpoolFile>>);

#[derive(Debug)]
struct SpoolFile {
    out: BufWriter<File>,
    /// Bytes of whole lines.
    end: u64,
    /// Where it lies, where it could not be removed while it is open.
    path: Option<PathBuf>,
    failure: Option<io::Error>,
}

impl Spool {
    /// An empty one, beside the file that the lines are for.
    pub fn beside(file: &OutputFile) -> io::Result<Self> {
        let (path, file) = file.temporary()?;
        // Where a file may go while it is open it leaves nothing behind, however the process ends.
        let path = std::fs::remove_file(&path).err().map(|_| path);
        Ok(Self(Arc::new(Mutex::new(SpoolFile { out: BufWriter::new(file), end: 0, path, failure: None }))))
    }

    fn with<R>(&self, work: impl FnOnce(&mut SpoolFile) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes all lines there are.
    pub fn write_to(&self, to: &mut dyn Write) -> io::Result<()> {
        self.with(|spool| {
            if let Some(error) = spool.failure.take() {
                return Err(error);
            }
            spool.out.flush()?;
            let end = spool.end;
            let file = spool.out.get_mut();
            file.seek(SeekFrom::Start(0))?;
            io::copy(&mut file.take(end), to).map(drop)
        })
    }
}

impl SpoolFile {
    /// Does something, unless something has failed before.
    fn attempt(&mut self, work: impl FnOnce(&mut Self) -> io::Result<()>) {
        if self.failure.is_none() {
            self.failure = work(self).err();
        }
    }
}

impl Drop for SpoolFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nobody reads it any more.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl walkon_view::LineStore for Spool {
    fn add(&mut self, line: &str) {
        self.with(|spool| {
            spool.attempt(|spool| {
                spool.out.write_all(line.as_bytes())?;
                spool.out.write_all(b"\n")?;
                spool.end += line.len() as u64 + 1;
                Ok(())
            });
        });
    }

    fn end(&self) -> u64 {
        self.with(|spool| spool.end)
    }

    fn cut(&mut self, from: u64) {
        self.with(|spool| {
            spool.attempt(|spool| {
                spool.out.flush()?;
                spool.out.get_mut().set_len(from)?;
                spool.out.seek(SeekFrom::Start(from))?;
                spool.end = from;
                Ok(())
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use walkon_view::LineStore;

    use super::*;

    #[test]
    fn what_was_taken_back_is_gone_and_no_file_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = OutputFile::claim(&folder.path().join("t.jsonl"), &[]).unwrap();
        let mut spool = Spool::beside(&file).unwrap();
        let kept = spool.clone();
        spool.add("one");
        let place = spool.end();
        (0..10_000).for_each(|_| spool.add("not to be seen"));
        spool.cut(place);
        spool.add("two");
        drop(spool);
        let mut all = Vec::new();
        kept.write_to(&mut all).unwrap();
        assert_eq!(String::from_utf8(all).unwrap(), "one\ntwo\n");
        drop(kept);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
