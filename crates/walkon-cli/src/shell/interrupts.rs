//! The signals that end a run.
//!
//! In: signals of the process. Out: whether one came, and how to end. Holds: a signal ends a run between
//! ticks; a second one ends the process at once (fault:H5). Not here: the loops that look for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use walkon_shell::Exit;

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
