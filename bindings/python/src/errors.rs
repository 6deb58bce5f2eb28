//! Failures as exceptions of `walkon.errors`.
//!
//! In: problems, refusals. Out: exceptions with file, line and diagnostics where there are any. Not here: the
//! classes, which are Python.

use pyo3::prelude::*;
use walkon_shell::{BorrowError, Ended, Problem};

/// An exception of that class with a sentence.
pub fn named(py: Python<'_>, class: &str, sentence: &str) -> PyErr {
    let made = py.import("walkon.errors").and_then(|module| module.getattr(class)?.call1((sentence,)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// What was wrong with a level, as the exception for it.
pub fn problem(py: Python<'_>, problem: &Problem) -> PyErr {
    let made =
        py.import("walkon.errors").and_then(|module| module.getattr("of_problem")?.call1((problem.json(),)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// A game on another thread, or in use.
pub fn borrow(py: Python<'_>, error: BorrowError) -> PyErr {
    named(py, "ThreadError", &format!("game: {error}"))
}

/// A game that has ended.
pub fn ended(py: Python<'_>, error: Ended) -> PyErr {
    named(py, "EndedError", &error.to_string())
}
