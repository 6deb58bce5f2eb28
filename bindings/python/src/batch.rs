//! Batches for Python: an iterator over rows as runs end.
//!
//! In: levels, seeds, a bound. Out: rows. Holds: runs are on threads of their own and never have the lock of the
//! interpreter; waiting for the next one frees it, and a signal ends the wait; a batch that is dropped ends its runs.
//! Not here: what a row says.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use walkon_shell::{Batch as Runs, BatchJob, BatchSetup, LevelText, NextRun, StopWish};

use crate::level::{BoundArguments, Level, bound};

/// Longest wait between two looks for signals.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Runs under way.
#[pyclass(frozen, module = "walkon._native")]
pub struct Batch {
    runs: Mutex<Option<Runs>>,
}

#[pymethods]
impl Batch {
    /// Begins the runs: pairs of the number of a level and a seed.
    #[new]
    #[pyo3(signature = (levels, runs, jobs, ends, args, ordered))]
    fn new(
        py: Python<'_>,
        levels: Vec<Py<Level>>,
        runs: Vec<(usize, u64)>,
        jobs: Option<usize>,
        ends: BoundArguments,
        args: Vec<String>,
        ordered: bool,
    ) -> PyResult<Self> {
        let texts: Arc<[LevelText]> = levels.iter().map(|level| (*level.get().text).clone()).collect();
        if runs.iter().any(|(level, _)| *level >= texts.len()) {
            return Err(PyValueError::new_err("runs: the number of a level that is not there"));
        }
        for (_, seed) in &runs {
            walkon_shell::checked_seed(*seed).map_err(PyValueError::new_err)?;
        }
        let jobs_at_once =
            jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        if !(1..=1024).contains(&jobs_at_once) {
            return Err(PyValueError::new_err("jobs: expected 1 to 1024"));
        }
        let runs: Arc<[BatchJob]> = runs.into_iter().map(|(level, seed)| BatchJob { level, seed }).collect();
        let setup = BatchSetup { bound: bound(ends)?, args, stop: StopWish::never() };
        let begun = py.detach(|| Runs::start(texts, runs, &setup, jobs_at_once));
        let begun = begun.map_err(|error| PyOSError::new_err(format!("no thread for the runs: {error}")))?;
        let begun = if ordered { begun.in_order() } else { begun };
        Ok(Self { runs: Mutex::new(Some(begun)) })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// The row of the next run that has ended, or of the next one in order.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        // Bounded by the runs.
        loop {
            let next = py.detach(|| match &mut *self.held() {
                Some(runs) => runs.next(LOOK_EVERY),
                None => NextRun::End,
            });
            match next {
                NextRun::Done(_, done) => return Ok(Some(done.line)),
                NextRun::End => return Ok(None),
                NextRun::Wait => {}
            }
            if let Err(raised) = py.check_signals() {
                self.close(py);
                return Err(raised);
            }
        }
    }

    /// Ends the runs that have not ended.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.held().take()));
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // A caller that leaves a loop early drops the runs with the lock of the interpreter in hand, and the threads of runs
        // under way are waited for. None while the interpreter ends: nobody else is there to have it.
        if let Some(runs) = self.held().take() {
            let mut runs = Some(runs);
            let _ = Python::try_attach(|py| py.detach(|| drop(runs.take())));
        }
    }
}

impl Batch {
    fn held(&self) -> std::sync::MutexGuard<'_, Option<Runs>> {
        self.runs.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
