//! Levels behind handles.
//!
//! In: a path, or texts; seeds. Out: a handle, rows of runs. Holds: a level never changes and belongs to no thread.
//! Not here: games (`game`).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use walkon::Level;
use walkon_shell::{BatchSetup, Exit, LevelText, Problem, RunBound, StopWish, run_one};

use crate::border::{self, WalkonBuffer, WalkonText, fill, handle};
use crate::status::{Failure, WalkonStatus};

/// A level. Belongs to no thread; freed with `walkon_level_free`.
#[derive(Debug)]
pub struct WalkonLevel {
    pub(crate) text: Arc<LevelText>,
    pub(crate) built: Level,
}

/// A level as texts.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    path: String,
    files: BTreeMap<String, String>,
    #[serde(default)]
    scripts: BTreeMap<String, String>,
}

/// When a run ends, and what its scripts are given.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct BoundText {
    ticks: Option<u64>,
    seconds: Option<f64>,
    until: Option<String>,
    strict: bool,
    args: Vec<String>,
}

impl BoundText {
    pub fn read(text: &str) -> Result<(RunBound, Vec<String>), Failure> {
        let Self { ticks, seconds, until, strict, args } = border::json(text, "bound")?;
        if seconds.is_some_and(|seconds| !(0.0..=86_400.0).contains(&seconds)) {
            let wrong = "bound: seconds are 0 to 86400";
            return Err(Failure::new(WalkonStatus::BadJson, wrong));
        }
        Ok((RunBound { ticks, seconds, until, is_strict: strict }, args))
    }
}

fn opened(text: LevelText) -> Result<*mut WalkonLevel, Failure> {
    let built = text.level().map_err(|error| {
        Failure::from(Problem::from(walkon_shell::OpenError::Refused { error, root: text.root.clone() }))
    })?;
    Ok(Box::into_raw(Box::new(WalkonLevel { text: Arc::new(text), built })))
}

/// Opens a level by its path, or by its name in the project around the current folder, with the scripts of its
/// project. Errors: `NullPointer`, `NotUtf8`, `Io`, `LevelRefused`, `ScriptFailed`, `Bug`.
///
/// # Safety
/// `path` is a text, `level` has room for one handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_level_open(path: WalkonText, level: *mut *mut WalkonLevel) -> WalkonStatus {
    border::run(|| {
        // SAFETY: as the caller promises.
        let path = unsafe { path.read("path") }?;
        let found = LevelText::open(Path::new(path)).map_err(|error| Failure::from(Problem::from(error)))?;
        // SAFETY: as the caller promises.
        unsafe { given(level, found) }
    })
}

/// Opens a level from texts: an object with `path` (that of the level), `files` (texts by path, the level and what it
/// names) and `scripts` (texts by path below the script folder). Errors: `NullPointer`, `NotUtf8`, `BadJson`,
/// `LevelRefused`, `ScriptFailed`, `Bug`.
///
/// # Safety
/// `texts` is a text, `level` has room for one handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_level_texts(texts: WalkonText, level: *mut *mut WalkonLevel) -> WalkonStatus {
    border::run(|| {
        // SAFETY: as the caller promises.
        let texts: Texts = border::json(unsafe { texts.read("texts") }?, "texts")?;
        let found = LevelText::from_texts(&texts.path, &texts.files, texts.scripts)
            .map_err(|error| Failure::from(Problem::from(error)))?;
        // SAFETY: as the caller promises.
        unsafe { given(level, found) }
    })
}

/// Hands a level to the caller.
///
/// # Safety
/// `place` is null or has room for one handle.
unsafe fn given(place: *mut *mut WalkonLevel, found: LevelText) -> Result<(), Failure> {
    if place.is_null() {
        return Err(Failure::new(WalkonStatus::NullPointer, "level is a null pointer"));
    }
    // SAFETY: as the caller promises.
    unsafe { border::put(place, opened(found)?, "level") }
}

/// Frees a level; null is nothing. Games that were started from it go on.
///
/// # Safety
/// `level` is null, or was made by this library and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_level_free(level: *mut WalkonLevel) {
    if !level.is_null() {
        // SAFETY: as the caller promises.
        let level = unsafe { Box::from_raw(level) };
        border::quietly(|| {
            drop(level);
            Ok(())
        });
    }
}

/// Writes what a level is called. Errors: `NullPointer`, `TooSmall`, `Bug`.
///
/// # Safety
/// `level` is a level that was not freed, `out` a buffer with the room that it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_level_name(
    level: *const WalkonLevel,
    out: *mut WalkonBuffer,
) -> WalkonStatus {
    // SAFETY: as the caller promises.
    border::run(|| unsafe { fill(out, handle(level, "level")?.text.name.as_bytes()) })
}

/// Writes how many ticks a game second has. Errors: `NullPointer`, `Bug`.
///
/// # Safety
/// `level` is a level that was not freed, `rate` has room for one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_level_tick_rate(level: *const WalkonLevel, rate: *mut u32) -> WalkonStatus {
    // SAFETY: as the caller promises.
    border::run(|| unsafe { border::put(rate, handle(level, "level")?.text.tick_rate, "rate") })
}

/// Runs a level with a seed from its first tick to its end and writes the row: the line of `walkon run --format
/// json`. `bound` is an object with `seconds` or `ticks`, `until`, `strict` and `args`, or nothing. Any thread may do
/// it. A run takes as long as it takes, and is made again when there was too little room: 64 KiB are enough for
/// a level with few measures and little code that is switched off. Errors: `NullPointer`, `NotUtf8`, `BadJson`, `TooSmall`, `Bug`, with
/// a row that says what panicked; a level whose scripts fail has a row that says so.
///
/// # Safety
/// `level` is a level that was not freed, `bound` a text, `out` a buffer with the room that it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walkon_level_run(
    level: *const WalkonLevel,
    seed: u64,
    bound: WalkonText,
    out: *mut WalkonBuffer,
) -> WalkonStatus {
    border::run(|| {
        // SAFETY: as the caller promises.
        let (level, bound) = unsafe { (handle(level, "level")?, bound.read("bound")?) };
        let (bound, args) = BoundText::read(bound)?;
        let seed = walkon_shell::checked_seed(seed);
        let seed = seed.map_err(|why| Failure::new(WalkonStatus::BadJson, why))?;
        let done = run_one(&level.text, seed, &BatchSetup { bound, args, stop: StopWish::never() });
        let nothing = || Failure::new(WalkonStatus::Bug, "a run that nobody stopped was stopped");
        let done = done.ok_or_else(nothing)?;
        // SAFETY: as the caller promises.
        unsafe { fill(out, done.line.as_bytes()) }?;
        match done.exit {
            Exit::Bug => Err(Failure::new(WalkonStatus::Bug, done.line)),
            _ => Ok(()),
        }
    })
}
