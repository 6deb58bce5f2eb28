//! Where results go: stdout, and files written beside their place and renamed.
//!
//! In: text and bytes. Out: nothing, or why not. Holds: a closed pipe ends a command quietly (fault:H7), a closed
//! stderr is no reason to fail (fault:H9); a file appears whole or not at all; a command never writes over a
//! file that it reads (fault:H11); two runs never share a temporary name (fault:H16). Not here: traces, which
//! are written in place (`trace`).

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::cli::exit::Failure;

/// Bytes by which a file is known.
const START_BYTES: u64 = 256;

/// The results of a command.
pub(super) struct Results {
    to: BufWriter<Box<dyn Write>>,
}

impl Results {
    /// On stdout.
    pub fn stdout() -> Self {
        Self { to: BufWriter::with_capacity(64 * 1024, Box::new(std::io::stdout())) }
    }

    /// On stderr, because something else goes to stdout.
    pub fn stderr() -> Self {
        Self { to: BufWriter::new(Box::new(std::io::stderr())) }
    }

    /// Writes text as it is.
    pub fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.to.write_all(text.as_bytes()).map_err(from_pipe)
    }

    /// Writes a line.
    pub fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.text(line)?;
        self.text("\n")
    }

    /// Hands everything to the system.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.to.flush().map_err(from_pipe)
    }
}

fn from_pipe(error: std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::io(format!("stdout: {error}")),
    }
}

/// Writes a line for people to stderr; nobody listening is no error.
pub(super) fn tell(line: &str) {
    // Nothing can be done about a closed stderr, least of all say so.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A file that a command will write: seen to be writable and to be none of the files it reads.
#[derive(Debug)]
pub(super) struct Target {
    asked: PathBuf,
    /// Where the file really lies, behind any links.
    real: PathBuf,
}

impl Target {
    /// Checks `path` before any work is done. `inputs` are the files that the command reads, without links.
    pub fn claim(path: &Path, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let failed = |why: String| Failure::io(format!("{}: {why}", path.display()));
        if path.as_os_str().is_empty() {
            return Err(failed("an empty name, expected the name of a file".to_owned()));
        }
        let real = match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                return Err(failed("it is a folder, expected the name of a file".to_owned()));
            }
            Ok(found) if !found.is_file() => return Err(failed("it is not a regular file".to_owned())),
            Ok(found) if found.permissions().readonly() => {
                return Err(failed("it may not be written".to_owned()));
            }
            Ok(_) => path.canonicalize().map_err(|error| failed(error.to_string()))?,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                beside(path).map_err(|error| failed(error.to_string()))?
            }
            Err(error) => return Err(failed(error.to_string())),
        };
        if inputs.contains(&real) {
            return Err(failed("this command reads it, expected another file to write to".to_owned()));
        }
        let target = Self { asked: path.to_owned(), real };
        // The folder takes new files: seen now, not when the work is done.
        let (probe, _) = target.temporary().map_err(|error| failed(error.to_string()))?;
        std::fs::remove_file(probe).map_err(|error| failed(error.to_string()))?;
        Ok(target)
    }

    /// As [`Target::claim`], for a file that may be there already: it is written over when `is_ours` knows it by its
    /// beginning, or when that was asked for.
    pub fn claim_over(
        path: &Path,
        inputs: &[PathBuf],
        force: bool,
        is_ours: fn(&[u8]) -> bool,
    ) -> Result<Self, Failure> {
        let target = Self::claim(path, inputs)?;
        let mut start = Vec::new();
        let found = File::open(&target.real).and_then(|file| file.take(START_BYTES).read_to_end(&mut start));
        if !force && found.is_ok() && !start.is_empty() && !is_ours(&start) {
            let what = "it is there already; name another file, or give --force to write over it";
            return Err(Failure::io(format!("{}: {what}", path.display())));
        }
        Ok(target)
    }

    /// The file as it was asked for.
    pub fn path(&self) -> &Path {
        &self.asked
    }

    /// Writes the whole file beside its place, then renames it.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let failed = |error: std::io::Error| Failure::io(format!("{}: {error}", self.asked.display()));
        let (path, mut file) = self.temporary().map_err(failed)?;
        let written = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| std::fs::rename(&path, &self.real));
        written.map_err(|error| {
            // The first error is the one to tell.
            let _ = std::fs::remove_file(&path);
            failed(error)
        })
    }

    fn temporary(&self) -> std::io::Result<(PathBuf, File)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let mut name = std::ffi::OsString::from(".");
        name.push(self.real.file_name().unwrap_or_default());
        name.push(format!(".{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
        let path = self.real.with_file_name(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok((path, file))
    }
}

/// Where a file that does not exist yet will lie: its folder without links, and its name.
fn beside(path: &Path) -> std::io::Result<PathBuf> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name =
        path.file_name().ok_or_else(|| std::io::Error::new(ErrorKind::InvalidInput, "it names no file"))?;
    Ok(folder.canonicalize()?.join(name))
}
