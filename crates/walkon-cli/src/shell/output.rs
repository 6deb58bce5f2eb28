//! Output of results: stdout, and files that are written to a temporary name and renamed.
//!
//! In: text and bytes. Out: nothing, or why not. Holds: a closed pipe ends a command quietly (fault:H7), a
//! closed stderr is no reason to fail (fault:H9); a file appears whole or not at all; a command never writes
//! over a file that it reads (fault:H11); two runs never share a temporary name (fault:H16). Not here:
//! traces, which are written in place (`trace`). Stdout and stderr keep their order also when both go to one
//! pipe.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, IsTerminal, Read, Stderr, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use clap::{ArgAction, Args, ValueEnum};
use walkon_shell::CommandFailure;
pub(super) use walkon_shell::project::is_stream;

use super::progress;

/// What every command understands.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct General {
    /// When to colour messages; NO_COLOR is honoured
    #[arg(long, global = true, value_enum, default_value_t = ColorWhen::Auto, value_name = "WHEN")]
    pub color: ColorWhen,
    /// Say less: errors, and results that were asked for, as JSON, a path, a picture
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more: what is read, checked and written, notes (`check` always has them), every fault; twice for
    /// what walkon notes about itself as well (what scripts log is part of a run, not of this)
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

/// What waits for stdout. One for the process, so that [`tell`] can let it go first.
static STDOUT: LazyLock<Mutex<BufWriter<Stdout>>> =
    LazyLock::new(|| Mutex::new(BufWriter::with_capacity(64 * 1024, std::io::stdout())));

fn stdout() -> MutexGuard<'static, BufWriter<Stdout>> {
    STDOUT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_full_with(more: usize) -> bool {
    let stdout = stdout();
    stdout.buffer().len() + more > stdout.capacity()
}

/// Bytes by which a file is known.
const START_BYTES: u64 = 256;

/// Bytes of a file that are written at once.
const BUFFER_BYTES: usize = 256 * 1024;

/// The results of a command.
pub(super) struct Results {
    to: To,
    is_quiet: bool,
    is_colored: bool,
}

enum To {
    Stdout,
    Stderr(BufWriter<Stderr>),
}

/// What a word says, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// Worth a look.
    Odd,
    /// Of less weight than the rest.
    Faint,
}

impl Results {
    /// On stdout.
    pub fn stdout(general: &General) -> Self {
        let is_colored = is_colored(general.color, &std::io::stdout());
        Self { to: To::Stdout, is_quiet: general.quiet, is_colored }
    }

    /// On stderr, because something else goes to stdout.
    pub fn stderr(general: &General) -> Self {
        let is_colored = is_colored(general.color, &std::io::stderr());
        Self { to: To::Stderr(BufWriter::new(std::io::stderr())), is_quiet: general.quiet, is_colored }
    }

    /// Writes text as it is.
    pub fn text(&mut self, text: &str) -> Result<(), CommandFailure> {
        let written = match &mut self.to {
            To::Stdout => {
                let write = || stdout().write_all(text.as_bytes());
                // Text that does not fit goes to the terminal now, and must not run into a bar.
                if is_full_with(text.len()) { progress::aside(write) } else { write() }
            }
            To::Stderr(stderr) => stderr.write_all(text.as_bytes()),
        };
        written.map_err(from_pipe)
    }

    /// Writes a line.
    pub fn line(&mut self, line: &str) -> Result<(), CommandFailure> {
        self.text(line)?;
        self.text("\n")
    }

    /// Writes a line that reports what was done; but not when only errors were asked for.
    pub fn report(&mut self, line: &str) -> Result<(), CommandFailure> {
        if self.is_quiet { Ok(()) } else { self.line(line) }
    }

    /// Whether only errors are wanted.
    pub fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// A word in the colour of its tone, where colours are shown.
    pub fn paint(&self, tone: Tone, word: &str) -> String {
        if !self.is_colored {
            return word.to_owned();
        }
        let code = match tone {
            Tone::Good => "32",
            Tone::Bad => "1;31",
            Tone::Odd => "33",
            Tone::Faint => "2",
        };
        format!("\u{1b}[{code}m{word}\u{1b}[0m")
    }

    /// Hands everything to the system.
    pub fn flush(&mut self) -> Result<(), CommandFailure> {
        let flushed = match &mut self.to {
            To::Stdout => progress::aside(|| stdout().flush()),
            To::Stderr(stderr) => progress::aside(|| stderr.flush()),
        };
        flushed.map_err(from_pipe)
    }
}

/// Whether colours are shown: as asked for, else on terminals unless NO_COLOR is set.
pub(super) fn is_colored(color: ColorWhen, stream: &impl IsTerminal) -> bool {
    match color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => {
            stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

fn from_pipe(error: std::io::Error) -> CommandFailure {
    match error.kind() {
        ErrorKind::BrokenPipe => CommandFailure::Closed,
        _ => CommandFailure::io(format!("stdout: {error}")),
    }
}

/// Writes a line for people to stderr, after all results so far; nobody listening is no error.
pub(super) fn tell(line: &str) {
    progress::aside(|| {
        // The next result that is written finds a closed stdout.
        let _ = stdout().flush();
        // Nothing can be done about a closed stderr, and there is no place to report it.
        let _ = writeln!(std::io::stderr(), "{line}");
    });
}

/// Says with `-v` that a file was written.
pub(super) fn tell_written(name: &dyn std::fmt::Display) {
    if log::log_enabled!(log::Level::Info) {
        tell(&format!("wrote {name}"));
    }
}

/// An option that writes a file, and the file that it was given.
pub(super) struct AskedOutput<'a> {
    pub option: &'static str,
    pub path: &'a Path,
}

/// Refuses two options that write to one place: the result of one of them would be lost.
pub(super) fn refuse_shared(asked: &[AskedOutput<'_>]) -> Result<(), CommandFailure> {
    let places: Vec<PathBuf> = asked.iter().map(|one| place_of(one.path)).collect();
    for (at, one) in asked.iter().enumerate() {
        let Some(first) = places[..at].iter().position(|place| *place == places[at]) else { continue };
        let name = if is_stream(one.path) { "stdout".into() } else { one.path.display().to_string() };
        let who = match asked[first].option {
            option if option == one.option => format!("{option} writes to it twice"),
            option => format!("{option} and {} both write to it", one.option),
        };
        return Err(CommandFailure::usage(format!("{name}: {who}")).help("name another file to write to"));
    }
    Ok(())
}

/// Where a file lies or will lie, behind links; stdout is a place of its own.
fn place_of(path: &Path) -> PathBuf {
    if is_stream(path) {
        return PathBuf::new();
    }
    path.canonicalize().or_else(|_| beside(path)).unwrap_or_else(|_| path.to_owned())
}

/// Whether a file, behind any links, is one of these: by its path, or under another name of the same file.
pub(super) fn is_among(real: &Path, inputs: &[PathBuf]) -> bool {
    inputs.iter().any(|input| input == real) || has_twin_among(real, inputs)
}

/// Whether one of these is a hard link to the same file. Cost: a look at each where the file has several
/// names.
#[cfg(unix)]
fn has_twin_among(real: &Path, inputs: &[PathBuf]) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(own) = std::fs::metadata(real) else { return false };
    let is_same = |input: &PathBuf| {
        std::fs::metadata(input).is_ok_and(|found| (found.dev(), found.ino()) == (own.dev(), own.ino()))
    };
    own.nlink() > 1 && inputs.iter().any(is_same)
}

/// Other systems do not tell which names are one file.
#[cfg(not(unix))]
fn has_twin_among(_: &Path, _: &[PathBuf]) -> bool {
    false
}

/// A file that a command will write: seen to be writable and to be none of the files it reads. `-` is stdout.
#[derive(Debug)]
pub(super) struct OutputFile {
    asked: PathBuf,
    /// Where the file really lies, behind any links; empty for stdout.
    real: PathBuf,
}

impl OutputFile {
    /// Checks `path` before any work is done. `inputs` are the files that the command reads, without links.
    pub fn claim(path: &Path, inputs: &[PathBuf]) -> Result<Self, CommandFailure> {
        let failed = |why: String| CommandFailure::io(format!("{}: {why}", path.display()));
        if is_stream(path) {
            return Ok(Self { asked: path.to_owned(), real: PathBuf::new() });
        }
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
        if is_among(&real, inputs) {
            return Err(failed("this command reads it, expected another file to write to".to_owned()));
        }
        let target = Self { asked: path.to_owned(), real };
        // The folder takes new files: seen now, not when the work is done.
        let (probe, _) = target.temporary().map_err(|error| failed(error.to_string()))?;
        std::fs::remove_file(probe).map_err(|error| failed(error.to_string()))?;
        Ok(target)
    }

    /// As [`OutputFile::claim`], for a file that may be there already: it is written over when
    /// `may_go` knows it by its beginning.
    pub fn claim_over(
        path: &Path,
        inputs: &[PathBuf],
        may_go: fn(&[u8]) -> bool,
    ) -> Result<Self, CommandFailure> {
        let target = Self::claim(path, inputs)?;
        let mut start = Vec::new();
        let found = File::open(&target.real).and_then(|file| file.take(START_BYTES).read_to_end(&mut start));
        if found.is_ok() && !start.is_empty() && !may_go(&start) {
            let what = "it is there already; name another file, or give --force to write over it";
            return Err(CommandFailure::io(format!("{}: {what}", path.display())));
        }
        Ok(target)
    }

    /// The file as it was asked for.
    pub fn path(&self) -> &Path {
        &self.asked
    }

    /// Whether it is stdout.
    pub fn is_stdout(&self) -> bool {
        is_stream(&self.asked)
    }

    /// Writes the whole file beside its place, then renames it.
    pub fn write(&self, bytes: &[u8]) -> Result<(), CommandFailure> {
        self.write_with(|out| out.write_all(bytes))
    }

    /// The same for a file that is written in parts, which are buffered. With `-v` a line says so.
    pub fn write_with(
        &self,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), CommandFailure> {
        if self.is_stdout() {
            let mut stdout = stdout();
            return write(&mut *stdout).and_then(|()| stdout.flush()).map_err(from_pipe);
        }
        let failed = |error: std::io::Error| CommandFailure::io(format!("{}: {error}", self.asked.display()));
        let (path, file) = self.temporary().map_err(failed)?;
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, file);
        let written = write(&mut out)
            .and_then(|()| out.flush())
            .and_then(|()| out.get_ref().sync_all())
            .and_then(|()| std::fs::rename(&path, &self.real));
        written.map_err(|error| {
            // The first error is the one to tell.
            let _ = std::fs::remove_file(&path);
            failed(error)
        })?;
        tell_written(&self.asked.display());
        Ok(())
    }

    /// A new file beside it, or among the temporary files where it is stdout.
    pub fn temporary(&self) -> std::io::Result<(PathBuf, File)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let mut name = std::ffi::OsString::from(".");
        name.push(self.real.file_name().unwrap_or_default());
        name.push(format!(".{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
        let path =
            if self.is_stdout() { std::env::temp_dir().join(name) } else { self.real.with_file_name(name) };
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
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
