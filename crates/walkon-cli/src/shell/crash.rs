//! Crash reports: what walkon writes when it panics (fault:H19).
//!
//! In: a panic on the thread that runs a command. Out: a crash report on disk and on stderr. Holds: no level
//! or script causes one; only a bug in walkon does. The report says how to repeat it. Not here: faults of
//! scripts.

use std::panic::PanicHookInfo;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use super::output::tell;

/// Last facts that a report carries.
const FACTS_MAX: usize = 100;

/// What the run was doing, for the report.
#[derive(Debug, Default)]
struct CrashContext {
    level: String,
    level_hash: u64,
    seed: u64,
    tick: u64,
    facts: std::collections::VecDeque<String>,
}

static SCENE: Mutex<Option<CrashContext>> = Mutex::new(None);

fn scene() -> MutexGuard<'static, Option<CrashContext>> {
    // A panic while the scene was written leaves it readable.
    SCENE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Says what is about to run.
pub(super) fn begin(level: &str, level_hash: u64, seed: u64) {
    *scene() = Some(CrashContext { level: level.to_owned(), level_hash, seed, ..CrashContext::default() });
}

/// Notes how far the run has come.
pub(super) fn at_tick(tick: u64) {
    if let Some(scene) = scene().as_mut() {
        scene.tick = tick;
    }
}

/// Remembers a fact, one line of a trace.
pub(super) fn fact(line: &str) {
    if let Some(scene) = scene().as_mut() {
        if scene.facts.len() == FACTS_MAX {
            scene.facts.pop_front();
        }
        scene.facts.push_back(line.to_owned());
    }
}

/// From now on a panic writes a report.
pub(super) fn watch() {
    std::panic::set_hook(Box::new(|info| {
        let report = describe(info);
        let place = std::env::temp_dir().join(format!("walkon-crash-{}.txt", std::process::id()));
        let written: Option<PathBuf> = std::fs::write(&place, &report).is_ok().then_some(place);
        tell("walkon: a bug in walkon; please report it with the following");
        match written {
            Some(place) => {
                tell(report.lines().next().unwrap_or_default());
                tell(&format!("crash report: {}", place.display()));
            }
            None => tell(&report),
        }
    }));
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let message = text.or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    let place = info.location().map_or_else(String::new, |at| format!(" at {}:{}", at.file(), at.line()));
    let command: Vec<String> = std::env::args_os().map(|word| format!("{word:?}")).collect();
    let mut report = format!("{message}{place}\nwalkon {}\n", env!("CARGO_PKG_VERSION"));
    report.push_str(&format!("to repeat it: {}\n", command.join(" ")));
    if let Some(scene) = scene().as_ref() {
        report.push_str(&format!(
            "level {} (hash {:016x}), seed {}, tick {}\nlast facts:\n",
            scene.level, scene.level_hash, scene.seed, scene.tick
        ));
        scene.facts.iter().for_each(|fact| report.push_str(&format!("  {fact}\n")));
    }
    report.push_str(&format!("\n{}\n", std::backtrace::Backtrace::force_capture()));
    report
}
