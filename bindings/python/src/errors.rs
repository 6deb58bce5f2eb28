//! Failures as exceptions of `walkon.errors`.
//!
//! In: problems, refusals. Out: exceptions with file, line and diagnostics where there are any. Not here: the classes,
//! which are Python.

use pyo3::prelude::*;
use walkon_shell::{BorrowError, Bug, GameEndedError, Problem};

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

/// What a game gave, or why it gave nothing: it panicked, now or before, or is not to be had here.
pub fn given<T>(py: Python<'_>, given: Result<Result<T, BorrowError>, Bug>) -> PyResult<T> {
    given.map_err(|bug| named(py, "BugError", &bug.to_string()))?.map_err(|error| borrow(py, error))
}

/// A game on another thread, in use, or broken.
fn borrow(py: Python<'_>, error: BorrowError) -> PyErr {
    let class = match error {
        BorrowError::OtherThread | BorrowError::InUse => "ThreadError",
        BorrowError::Broken => "BugError",
    };
    named(py, class, &format!("game: {error}"))
}

/// A game that has ended.
pub fn ended(py: Python<'_>, error: GameEndedError) -> PyErr {
    named(py, "EndedError", &error.to_string())
}
