//! The watchdog: a clock that can stop a script.
//!
//! In: flags of the virtual machine, a time for one call. Out: flags set. Holds: nothing here decides what a
//! run computes: a call that is ended marks the run as not repeatable. The clock is the monotonic one
//! (fault:H12); where the system tells how long a thread has really run (Linux), the call must also have run
//! that long, so that a busy machine ends no call too early. Not here: stopping scripts by count
//! (`script::vm::fuel`), asking a run to end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use walkon_runtime::script::vm::fuel::Signals;

/// Time between two looks at the clock.
const BEAT: Duration = Duration::from_millis(10);

/// How much longer than another call one may take that loads a file: it has ten times the fuel (fault rule 5:
/// 5 seconds and 1).
const LOAD_TIMES: u32 = 5;

/// How long the scripts of a level may run, all of them together, once its run is to end: they hear that the
/// level ends.
const LAST_CALLS: Duration = Duration::from_millis(400);

/// A thread with a clock; ends when it is dropped.
pub struct Watchdog {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Watches the calls behind `flags`, which run on the thread that asks: one that lasts longer than
    /// `call_ms`, or five times that while a file loads, is ended, and so are all from when `is_over` begins
    /// to say so. Those made as the level ends run for a moment even so: 0.4 seconds from then on.
    pub fn start(flags: Arc<Signals>, call_ms: u64, is_over: impl Fn() -> bool + Send + 'static) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&over);
        let clock = ThreadClock::of_this_thread();
        let watch = move || watch(&flags, &clock, Duration::from_millis(call_ms), &is_over, &seen);
        let thread = std::thread::Builder::new().name("watchdog".to_owned()).spawn(watch);
        if let Err(error) = &thread {
            log::warn!("no watchdog: {error}");
        }
        Self { over, thread: thread.ok() }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A watchdog that panicked has said so already.
            let _ = thread.join();
        }
    }
}

/// How long a thread has run.
struct ThreadClock {
    began: Instant,
    /// Where Linux tells it.
    file: Option<PathBuf>,
}

impl ThreadClock {
    fn of_this_thread() -> Self {
        let thread = std::fs::read_link("/proc/thread-self").ok();
        let file = thread.map(|thread| Path::new("/proc").join(thread).join("schedstat"));
        Self { began: Instant::now(), file: file.filter(|file| file.exists()) }
    }

    /// Time on a processor; where that is not told, time that has passed.
    fn now(&self) -> Duration {
        let told = self.file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        let ran =
            told.and_then(|told| told.split_whitespace().next()?.parse().ok()).map(Duration::from_nanos);
        ran.unwrap_or_else(|| self.began.elapsed())
    }
}

fn watch(
    flags: &Signals,
    clock: &ThreadClock,
    call: Duration,
    is_over: &dyn Fn() -> bool,
    over: &AtomicBool,
) {
    let mut seen = (flags.calls.load(Ordering::Relaxed), clock.now());
    let mut is_over_since: Option<Instant> = None;
    while !over.load(Ordering::Relaxed) {
        // Woken early when it is over: a short run does not wait for the beat.
        std::thread::park_timeout(BEAT);
        if is_over() {
            let since = *is_over_since.get_or_insert_with(Instant::now);
            if since.elapsed() < LAST_CALLS { flags.end_run() } else { flags.stop() }
        }
        let calls = flags.calls.load(Ordering::Relaxed);
        if calls != seen.0 {
            seen = (calls, clock.now());
        } else if calls % 2 == 1 {
            let most = if flags.is_loading() { LOAD_TIMES * call } else { call };
            if clock.now().saturating_sub(seen.1) >= most {
                flags.end_call();
            }
        }
    }
}
