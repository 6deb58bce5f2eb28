//! The clock that can stop a script, and the signals that end a run.
//!
//! In: flags of the virtual machine, a time for one call. Out: flags set. Holds: nothing here decides what a
//! run computes: a call that is ended marks the run as not repeatable; a signal ends it between ticks; a
//! second signal ends the process at once (fault:H5). The clock is the monotonic one (fault:H12); where the
//! system tells how long a thread has really run (Linux), a call has to have run that long too, so that a
//! busy machine ends nobody's call. Not here: what a script is stopped for by count (`script::vm::fuel`).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};

use super::cli::exit::Exit;
use crate::script::vm::fuel::Signals;

/// Time between two looks at the clock.
const BEAT: Duration = Duration::from_millis(10);

/// The signal that asked for the end, if any.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupts {
    number: Arc<AtomicUsize>,
}

impl Interrupts {
    /// From now on SIGINT and SIGTERM are remembered; the second one ends the process with its own code.
    pub fn listen() -> Self {
        let interrupts = Self::default();
        for (signal, exit) in [(SIGINT, Exit::Interrupted), (SIGTERM, Exit::Terminated)] {
            let asked = Arc::new(AtomicBool::new(false));
            // In this order: the first signal finds the flag down and raises it, the second finds it up.
            let registered = signal_hook::flag::register_conditional_shutdown(
                signal,
                exit.code().into(),
                Arc::clone(&asked),
            )
            .and_then(|_| signal_hook::flag::register(signal, asked))
            .and_then(|_| {
                signal_hook::flag::register_usize(signal, Arc::clone(&interrupts.number), signal as usize)
            });
            if let Err(error) = registered {
                log::warn!("signal {signal} cannot be caught: {error}");
            }
        }
        interrupts
    }

    /// The code to end with, once a signal came.
    pub fn asked(&self) -> Option<Exit> {
        match self.number.load(Ordering::Relaxed) as i32 {
            SIGINT => Some(Exit::Interrupted),
            SIGTERM => Some(Exit::Terminated),
            _ => None,
        }
    }
}

/// A thread with a clock; ends when it is dropped.
pub(super) struct Watchdog {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Watches the calls behind `flags`, which run on the thread that asks: one that lasts longer than
    /// `call_ms` is ended, and so is the one that runs when a signal comes.
    pub fn start(flags: Arc<Signals>, call_ms: u64, interrupts: Interrupts) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&over);
        let clock = ThreadClock::of_this_thread();
        let watch = move || watch(&flags, &clock, Duration::from_millis(call_ms), (&interrupts, &seen));
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
    (interrupts, over): (&Interrupts, &AtomicBool),
) {
    let mut seen = (flags.calls.load(Ordering::Relaxed), clock.now());
    while !over.load(Ordering::Relaxed) {
        std::thread::sleep(BEAT);
        if interrupts.asked().is_some() {
            flags.stop();
        }
        let calls = flags.calls.load(Ordering::Relaxed);
        if calls != seen.0 {
            seen = (calls, clock.now());
        } else if calls % 2 == 1 && clock.now().saturating_sub(seen.1) >= call {
            flags.end_call();
        }
    }
}
