//! Writes a trace to a file or to stdout.
//!
//! In: whole lines. Out: bytes in place, under a lock. Holds: earlier bytes are never rewritten; the first
//! line is on the disk before the run begins (fault:H10); at most one second or 64 KiB wait in memory
//! (fault:H3), ten seconds in the system (fault:H4); after a failed write the file ends with its last whole
//! line and nothing more is written (fault:H1). Not here: the content of lines (`game::recorder`).

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use walkon_shell::CommandFailure;

use super::output::{is_among, tell, tell_written};

/// Most bytes that wait in memory.
const WAITING_MAX: usize = 64 * 1024;
/// Longest time that a line waits in memory.
const FLUSH_EVERY: Duration = Duration::from_secs(1);
/// Longest time that bytes wait in the system's own buffers.
const SYNC_EVERY: Duration = Duration::from_secs(10);

enum Sink {
    File(File),
    Stdout,
}

/// A trace being written.
pub(super) struct Trace {
    sink: Sink,
    name: String,
    waiting: Vec<u8>,
    /// Bytes of whole lines that the sink has taken.
    whole: u64,
    flushed: Instant,
    synced: Instant,
    state: TraceFileState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TraceFileState {
    Writing,
    /// A write failed; it was said, and nothing more is written.
    Broken,
    /// The reader of stdout has gone.
    Closed,
}

impl Trace {
    /// Opens the file at `path` (`-`: stdout), locks it and empties it. `inputs` are the files that the
    /// command reads, without links.
    pub fn open(path: &Path, inputs: &[PathBuf]) -> Result<Self, CommandFailure> {
        if path == Path::new("-") {
            return Ok(Self::new(Sink::Stdout, "stdout".to_owned()));
        }
        let name = path.display().to_string();
        let failed = |why: &dyn std::fmt::Display| CommandFailure::io(format!("trace {name}: {why}"));
        if path.is_dir() {
            return Err(failed(&"it is a folder, expected the name of a file"));
        }
        let existed = path.exists();
        let options = || OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let real_before = path.canonicalize().ok();
        if real_before.as_ref().is_some_and(|real| is_among(real, inputs)) {
            return Err(failed(&"this run reads it, expected another file to write to"));
        }
        let file = options().map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(failed(&"another run is writing it; give each run a file of its own"));
            }
            // Not every file system knows locks; the trace matters more.
            Err(TryLockError::Error(error)) => log::debug!("trace {name}: no lock: {error}"),
        }
        let regular = file.metadata().is_ok_and(|meta| meta.is_file());
        if existed && regular {
            file.set_len(0).map_err(|error| failed(&error))?;
        }
        Ok(Self::new(Sink::File(file), name.clone()))
    }

    fn new(sink: Sink, name: String) -> Self {
        let now = Instant::now();
        Self {
            sink,
            name,
            waiting: Vec::new(),
            whole: 0,
            flushed: now,
            synced: now,
            state: TraceFileState::Writing,
        }
    }

    /// Whether the lines go to stdout.
    pub fn is_stdout(&self) -> bool {
        matches!(self.sink, Sink::Stdout)
    }

    /// Writes the first line through to the system. A failure here ends the command before tick 0.
    pub fn header(&mut self, line: &str) -> Result<(), CommandFailure> {
        self.push(line);
        self.pour().map_err(|error| match (&self.sink, error.kind()) {
            (Sink::Stdout, ErrorKind::BrokenPipe) => CommandFailure::Closed,
            _ => CommandFailure::io(format!("trace {}: {error}", self.name)),
        })
    }

    /// Adds a line. False once the reader of stdout has gone: the command may end.
    pub fn line(&mut self, line: &str) -> bool {
        if self.state == TraceFileState::Writing {
            self.push(line);
            if self.waiting.len() >= WAITING_MAX || self.flushed.elapsed() >= FLUSH_EVERY {
                self.pour_or_tell();
            }
        }
        self.state != TraceFileState::Closed
    }

    /// Writes what waits if it has waited long enough; for a run whose ticks write nothing.
    pub fn breathe(&mut self) {
        if self.state == TraceFileState::Writing
            && !self.waiting.is_empty()
            && self.flushed.elapsed() >= FLUSH_EVERY
        {
            self.pour_or_tell();
        }
    }

    /// Writes and syncs everything. Whether all of it is on the disk; what failed has been said.
    pub fn finish(mut self) -> bool {
        if self.state == TraceFileState::Writing {
            self.pour_or_tell();
        }
        if self.state == TraceFileState::Writing
            && let Err(error) = self.sync()
        {
            self.give_up(&error);
        }
        if self.state == TraceFileState::Writing && !self.is_stdout() {
            tell_written(&self.name);
        }
        self.state != TraceFileState::Broken
    }

    fn push(&mut self, line: &str) {
        self.waiting.extend_from_slice(line.as_bytes());
        self.waiting.push(b'\n');
    }

    fn pour_or_tell(&mut self) {
        match self.pour() {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe && matches!(self.sink, Sink::Stdout) => {
                self.state = TraceFileState::Closed;
            }
            Err(error) => self.give_up(&error),
        }
    }

    fn pour(&mut self) -> std::io::Result<()> {
        match &mut self.sink {
            Sink::File(file) => file.write_all(&self.waiting)?,
            Sink::Stdout => {
                let mut stdout = std::io::stdout().lock();
                stdout.write_all(&self.waiting)?;
                stdout.flush()?;
            }
        }
        self.whole += self.waiting.len() as u64;
        self.waiting.clear();
        self.flushed = Instant::now();
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    fn sync(&mut self) -> std::io::Result<()> {
        self.synced = Instant::now();
        match &self.sink {
            Sink::File(file) => match file.sync_data() {
                // Pipes and devices have nothing to sync.
                Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                    Ok(())
                }
                other => other,
            },
            Sink::Stdout => Ok(()),
        }
    }

    fn give_up(&mut self, error: &std::io::Error) {
        tell(&format!("trace {}: {error}; tracing stops, the run goes on", self.name));
        self.state = TraceFileState::Broken;
        // The part of a line that a failed write left is cut off: the whole lines before it stay as they are.
        let whole = self.whole + self.whole_lines_taken();
        if let Sink::File(file) = &mut self.sink {
            let _ = file.set_len(whole);
        }
        self.waiting = Vec::new();
    }

    /// Bytes of whole lines among those of the failed write that reached the file.
    fn whole_lines_taken(&mut self) -> u64 {
        let Sink::File(file) = &mut self.sink else { return 0 };
        let reached = file.stream_position().unwrap_or(self.whole).saturating_sub(self.whole) as usize;
        let taken = &self.waiting[..reached.min(self.waiting.len())];
        taken.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at as u64 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_h3_lines_arrive_in_order_and_the_first_one_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        std::fs::write(&path, "old and longer than what follows").unwrap();
        let mut trace = Trace::open(&path, &[]).unwrap();
        trace.header("{\"walkon\":1}").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"walkon\":1}\n");
        assert!(trace.line("{\"t\":1}"));
        assert!(trace.finish());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"walkon\":1}\n{\"t\":1}\n");
    }

    #[test]
    fn fault_h11_a_second_writer_is_refused_and_so_is_an_input() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let first = Trace::open(&path, &[]).unwrap();
        assert!(matches!(Trace::open(&path, &[]), Err(CommandFailure::Message { .. })));
        drop(first);
        assert!(Trace::open(&path, &[]).is_ok());
        let inputs = [path.canonicalize().unwrap()];
        assert!(Trace::open(&path, &inputs).is_err());
        let twin = folder.path().join("twin");
        std::fs::hard_link(&path, &twin).unwrap();
        assert!(cfg!(not(unix)) || Trace::open(&twin, &inputs).is_err(), "another name of an input");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn fault_h10_a_full_disk_is_noticed_with_the_first_line() {
        let mut trace = Trace::open(Path::new("/dev/full"), &[]).unwrap();
        assert!(trace.header("{}").is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn fault_h1_after_a_failed_write_nothing_more_is_written() {
        let mut trace = Trace::open(Path::new("/dev/full"), &[]).unwrap();
        for _ in 0..10_000 {
            assert!(trace.line("{\"t\":1,\"e\":\"spawned\"}"), "the run goes on");
        }
        assert!(!trace.finish());
    }
}
