//! Ctrl-C while something long runs without the lock of the interpreter.
//!
//! In: the interpreter's signals. Out: whether to stop, and the exception that a signal became. Holds: handlers run
//! where Python runs them, on its main thread; they are looked for twenty times a second. Not here: what stops.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use walkon_shell::StopWish;

/// Time between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Looks for signals.
pub struct SignalWatch {
    asked: Arc<AtomicBool>,
    state: RefCell<(Instant, Option<PyErr>)>,
}

impl SignalWatch {
    pub fn new() -> Self {
        Self { asked: Arc::new(AtomicBool::new(false)), state: RefCell::new((Instant::now(), None)) }
    }

    /// Stops once a signal became an exception.
    pub fn stop(&self) -> StopWish {
        let asked = Arc::clone(&self.asked);
        StopWish::when(move || asked.load(Ordering::Relaxed))
    }

    /// Looks, when it is time to; whether to stop.
    pub fn look(&self) -> bool {
        let mut state = self.state.borrow_mut();
        if self.asked.load(Ordering::Relaxed) {
            return true;
        }
        if state.0.elapsed() < LOOK_EVERY {
            return false;
        }
        state.0 = Instant::now();
        // None while the interpreter ends: then nobody waits for a result.
        match Python::try_attach(|py| py.check_signals()) {
            Some(Ok(())) => {}
            Some(Err(error)) => {
                state.1 = Some(error);
                self.asked.store(true, Ordering::Relaxed);
            }
            None => self.asked.store(true, Ordering::Relaxed),
        }
        self.asked.load(Ordering::Relaxed)
    }

    /// The exception, if a signal came.
    pub fn raised(self) -> PyResult<()> {
        self.state.into_inner().1.map_or(Ok(()), Err)
    }
}
