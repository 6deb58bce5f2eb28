//! Faults: errors that left a script's code, and when an owner is switched off.
//!
//! In: what the VM caught, where it happened, on whose behalf. Out: one `Fault`, and the count per owner.
//! Holds: a fault ends one call, never the tick; its text never comes from a script's `__tostring`. Not here:
//! what suspending means (`host`). Also here: where a script stands right now (`caller`, `frames`), for
//! messages that name the caller's line.

use mlua::{Lua, Value};

use crate::script::state::census::DIGITS_MAX;
use crate::script::vm::chunk_names::{CONSOLE, OWN_CHUNK};
use crate::script::vm::fuel::Trip;
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::stack_frame::StackFrame;

/// Frames looked at in search of a script's own. Luau allows 20 000 calls inside each other.
const FRAMES_MAX: usize = 20_100;

/// What kind of fault it is. The list is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// An error nobody caught.
    Error,
    /// The safepoints of the call were spent.
    Fuel,
    /// The memory of the level was spent.
    Memory,
    /// A state that has to be plain data is not.
    Data,
    /// The watchdog of the shell ended the call; the run is not repeatable.
    Watchdog,
    /// The shell asked everything to stop; not a mistake of the script.
    Stopped,
    /// A task that had ended stopped where it would wait; not a mistake of the script.
    Ended,
}

impl FaultKind {
    /// The kind as scripts and traces name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Fuel => "fuel",
            Self::Memory => "memory",
            Self::Data => "data",
            Self::Watchdog => "watchdog",
            Self::Stopped => "stopped",
            Self::Ended => "ended",
        }
    }
}

impl From<Trip> for FaultKind {
    fn from(trip: Trip) -> Self {
        match trip {
            Trip::Fuel => Self::Fuel,
            Trip::Memory | Trip::Size | Trip::Digits => Self::Memory,
            Trip::Watchdog => Self::Watchdog,
            Trip::Stopped => Self::Stopped,
            Trip::Ended => Self::Ended,
        }
    }
}

/// What ended one call into a script: a fault that does not yet know its owner.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallFailure {
    /// What kind.
    pub kind: FaultKind,
    /// The whole message, `guard.lua:31: ...` in front where the place is known; at most 4 KiB.
    pub message: String,
    /// One line per frame of a script, innermost first; empty when nothing ran.
    pub traceback: String,
    /// The script file, as messages name it; empty when no script ran.
    pub file: String,
    /// The line in that file, counted from 1; 0 when it is not known.
    pub line: u32,
}

/// A failure on its way out, through the code around what has failed.
#[derive(Debug)]
pub(crate) struct FailureInside {
    /// The text of the error that is raised for it.
    pub(crate) raised: String,
    pub(crate) failure: CallFailure,
    pub(crate) way: FailureWay,
}

/// How a failure reaches the code around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureWay {
    /// It is raised there.
    Raised,
    /// It is returned as a text that begins with its place, and may be raised again.
    Returned,
}

impl FailureInside {
    /// Whether an error of this text, raised where code stands in `frames`, is this one again. What was
    /// returned may be raised with other words around it; what is raised at the place that it names, or in a
    /// call that is made there, is new.
    pub(crate) fn goes_on_as(&self, text: &str, frames: &[StackFrame]) -> bool {
        let raised = self.raised.as_str();
        let is_longer = !raised.is_empty() && text.starts_with(raised);
        match self.way {
            FailureWay::Raised => text == raised || is_longer,
            FailureWay::Returned => {
                let is_new = |(file, line)| frames.iter().any(|at| at.file == file && at.line == line);
                (is_longer || text.ends_with(raised)) && !place_in(raised).is_some_and(is_new)
            }
        }
    }

    /// The failure of such an error.
    pub(crate) fn told_as(self, text: String, frames: &[StackFrame]) -> CallFailure {
        let Self { raised, failure, .. } = self;
        if failure.kind != FaultKind::Error || text == raised {
            return failure;
        }
        if text.starts_with(&raised) {
            return CallFailure { message: text, ..failure };
        }
        let own = CallFailure::new(FaultKind::Error, text, place_of(frames));
        CallFailure { traceback: failure.traceback, ..own }
    }
}

/// The innermost place.
pub(crate) fn place_of(frames: &[StackFrame]) -> Option<(&str, u32)> {
    frames.first().map(|frame| (frame.file.as_str(), frame.line))
}

/// The frames of scripts that lead to the running host function, innermost first, at most `count`.
#[must_use]
pub fn frames(lua: &Lua, count: usize) -> Vec<StackFrame> {
    let mut frames = Vec::new();
    // Level 0 is the host function itself.
    for level in 1..FRAMES_MAX {
        let found = lua.inspect_stack(level, |debug| {
            let source = debug.source();
            let file = source.short_src.as_deref().unwrap_or_default().to_owned();
            let line = u32::try_from(debug.current_line().unwrap_or(0)).unwrap_or(0);
            let of_script = source.what != "C" && file != OWN_CHUNK && line > 0;
            of_script.then(|| StackFrame {
                file,
                line,
                function: debug.names().name.map(std::borrow::Cow::into_owned),
            })
        });
        match found {
            None => break,
            Some(Some(frame)) => frames.push(frame),
            Some(None) => {}
        }
        if frames.len() == count {
            break;
        }
    }
    frames
}

/// Where the script stands that called the running host function: `guard.lua:31: `, or nothing.
#[must_use]
pub fn caller(lua: &Lua) -> String {
    frames(lua, 1).first().map_or_else(String::new, |frame| format!("{}:{}: ", frame.file, frame.line))
}

/// Whether the running error was raised in walkon's own Lua: by a guarded function, or by what it calls.
///
/// Level 0 is the host function that asks, then come `handlers` functions of ours; the error was raised at
/// the next frame. A native function raises on behalf of the Lua function that called it.
pub(crate) fn raised_by_own_code(lua: &Lua, handlers: usize) -> bool {
    let own = |level| {
        lua.inspect_stack(level, |debug| {
            let source = debug.source();
            if source.what == "C" { None } else { Some(source.short_src.as_deref() == Some(OWN_CHUNK)) }
        })
    };
    match own(1 + handlers) {
        Some(Some(own)) => own,
        // At most one native function: below two of them lies `pcall` itself, whose caller did nothing wrong.
        Some(None) => own(2 + handlers) == Some(Some(true)),
        None => false,
    }
}

impl CallFailure {
    /// A failure with `text` as its message; `place` goes in front of it unless it names one itself.
    #[must_use]
    pub fn new(kind: FaultKind, text: String, place: Option<(&str, u32)>) -> Self {
        let same_file = || place.and_then(|(file, _)| Some((file, line_in(&text, file)?)));
        let named = place_in(&text).or_else(same_file).map(|(file, line)| (file.to_owned(), line));
        let (file, line, message) = match (named, place) {
            (Some((file, line)), _) => (file, line, text),
            (None, Some((file, line))) => (file.to_owned(), line, format!("{file}:{line}: {text}")),
            (None, None) => (String::new(), 0, text),
        };
        Self { kind, message: cut(message), traceback: String::new(), file, line }
    }

    /// The same with its line inside `text`: what the compiler misses at the end of a file, it misses behind
    /// the last line.
    #[must_use]
    pub(crate) fn within(mut self, text: &str) -> Self {
        let last = u32::try_from(text.trim_end().lines().count().max(1)).unwrap_or(u32::MAX);
        if self.line > last {
            let place = format!("{}:{}: ", self.file, self.line);
            if let Some(sentence) = self.message.strip_prefix(&place) {
                self.message = format!("{}:{last}: {sentence}", self.file);
            }
            self.line = last;
        }
        self
    }
}

pub(crate) fn trip_text(trip: Trip, limit: u64) -> String {
    match trip {
        Trip::Fuel => format!("stopped after {limit} steps in one callback; move the loop into a task"),
        Trip::Memory => "the memory of the level is spent (limits.memoryMiB); keep less".to_owned(),
        Trip::Size => {
            "a text or a table is larger than any may be (limits.stringKiB, 16 MiB a table); keep it in parts"
                .to_owned()
        }
        Trip::Digits => format!(
            "a text begins with more than {DIGITS_MAX} digits or blanks, which takes too long wherever a number may stand; \
             begin it with a letter, or keep it in parts"
        ),
        Trip::Watchdog => "stopped by the watchdog: one call took too long (limits.watchdogMs)".to_owned(),
        Trip::Stopped => "stopped: walkon is shutting down".to_owned(),
        Trip::Ended => "the task has ended".to_owned(),
    }
}

/// The text of an error value. A script's `__tostring` is not asked: it could loop, fail, or lie.
#[must_use]
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text.to_string_lossy()),
        Value::Error(error) => cut(text_of_error(error)),
        Value::Number(_) | Value::Integer(_) => cut(value.to_string().unwrap_or_default()),
        Value::Nil => "(error object is nil)".to_owned(),
        Value::LightUserData(_) => "(error object is a userdata)".to_owned(),
        other => format!("(error object is a {})", other.type_name()),
    }
}

/// The words of an error of the host, without what mlua puts in front of and behind them.
#[must_use]
pub fn text_of_error(error: &mlua::Error) -> String {
    match error {
        mlua::Error::CallbackError { cause, .. } | mlua::Error::WithContext { cause, .. } => {
            text_of_error(cause)
        }
        mlua::Error::RuntimeError(text) | mlua::Error::MemoryError(text) => before_traceback(text),
        mlua::Error::SyntaxError { message, .. } => before_traceback(message),
        other => other.to_string(),
    }
}

fn before_traceback(text: &str) -> String {
    text.split("\nstack traceback:").next().unwrap_or_default().to_owned()
}

/// Luau's own words when an allocation was refused.
pub(crate) const OUT_OF_MEMORY: &str = "not enough memory";

/// Whether the error says that the memory is spent.
#[must_use]
pub fn is_out_of_memory(value: &Value) -> bool {
    match value {
        Value::String(text) => text.as_bytes() == OUT_OF_MEMORY.as_bytes(),
        Value::Error(error) => is_memory_error(error),
        _ => false,
    }
}

/// Whether the error says that the memory is spent.
#[must_use]
pub fn is_memory_error(error: &mlua::Error) -> bool {
    match error {
        mlua::Error::MemoryError(_) => true,
        mlua::Error::CallbackError { cause, .. } | mlua::Error::WithContext { cause, .. } => {
            is_memory_error(cause)
        }
        mlua::Error::RuntimeError(text) => before_traceback(text) == OUT_OF_MEMORY,
        _ => false,
    }
}

/// The line in `file` that a message begins with.
fn line_in(message: &str, file: &str) -> Option<u32> {
    let (line, _) = message.strip_prefix(file)?.strip_prefix(':')?.split_once(": ")?;
    line.parse().ok()
}

/// The place a message begins with: `guard.lua:31: ...`, `console:1:31: ...`.
pub(crate) fn place_in(message: &str) -> Option<(&str, u32)> {
    let is_of_console = message.starts_with(CONSOLE);
    let (at, _) = message.match_indices(':').nth(usize::from(is_of_console))?;
    let (file, rest) = (&message[..at], &message[at + 1..]);
    let (line, _) = rest.split_once(": ")?;
    let is_script = is_of_console || [".lua", ".luau"].iter().any(|suffix| file.ends_with(suffix));
    if is_script { Some((file, line.parse().ok()?)) } else { None }
}

/// At most 4 KiB, cut between letters.
fn cut(mut text: String) -> String {
    if text.len() > ScriptLimits::LINE_BYTES {
        let end = (0..=ScriptLimits::LINE_BYTES).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests;
