//! The native half of walkon for Python: levels, games and batches as plain as can be.
//!
//! In: texts, numbers, arrays. Out: lines of JSON, rows, arrays. Holds: the lock of the interpreter is free while a
//! level is built or runs; a game answers the thread that started it and no other; a signal ends what runs; every
//! failure is an exception of `walkon.errors`. Not here: typed events, dataclasses and environments, which are Python
//! (`python/walkon`), and what a game does (`walkon`).
#![deny(unsafe_code)]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "clocks and threads belong into the shell, of which this is a part"
)]
#![allow(
    clippy::too_many_arguments,
    clippy::result_large_err,
    reason = "Python names the arguments of a call, and a failure becomes an exception at once"
)]

mod batch;
mod errors;
mod game;
mod level;
mod signals;

use pyo3::prelude::*;

/// The native half of walkon; `walkon` is what to import.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<level::Level>()?;
    module.add_class::<game::Game>()?;
    module.add_class::<batch::Batch>()
}
