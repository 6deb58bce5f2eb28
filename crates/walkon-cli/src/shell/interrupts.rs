//! Signals (SIGINT, SIGTERM) that end a run.
//!
//! In: signals of the process. Out: whether one came, and how to end. Holds: a signal ends a run between
//! ticks; where that takes longer than a second (a tick that lasts, output that nobody takes) the process
//! ends all the same, as it does at once at a second signal (fault:H5). Not here: the loops that look for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use walkon_shell::Exit;

/// How long a command may take to end by itself once a signal came.
const PATIENCE: Duration = Duration::from_millis(900);

/// Time between two looks for a signal.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// Time that results are made in.
#[derive(Debug)]
pub(super) struct TimeTaken(Arc<AtomicBool>);

impl Drop for TimeTaken {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// The signal that asked for the end, if any.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupts {
    number: Arc<AtomicUsize>,
    /// Whether what is still to be done is waited for.
    takes_time: Arc<AtomicBool>,
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
        interrupts.end_late();
        interrupts
    }

    /// Has the process end once a signal came and nobody has ended it in time.
    fn end_late(&self) {
        let interrupts = self.clone();
        let wait = move || {
            // Bounded by the life of the process.
            let exit = loop {
                std::thread::sleep(LOOK_EVERY);
                if let Some(exit) = interrupts.asked() {
                    break exit;
                }
            };
            std::thread::sleep(PATIENCE);
            while interrupts.takes_time.load(Ordering::Relaxed) {
                std::thread::sleep(LOOK_EVERY);
            }
            signal_hook::low_level::exit(exit.code().into());
        };
        if let Err(error) = std::thread::Builder::new().name("interrupts".to_owned()).spawn(wait) {
            log::warn!("no thread that ends a run late: {error}");
        }
    }

    /// While what it returns is kept, only a second signal ends the process: there are results to be made.
    #[must_use]
    pub fn take_time(&self) -> TimeTaken {
        self.takes_time.store(true, Ordering::Relaxed);
        TimeTaken(Arc::clone(&self.takes_time))
    }

    /// Whether a signal came, for callers that need not know which.
    pub fn came(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let interrupts = self.clone();
        move || interrupts.asked().is_some()
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
