//! Errors as the VM catches them, with place and traceback.
//!
//! In: an error, the stack on which it was raised. Out: a [`CallFailure`] with its place, its traceback, and
//! what to write instead. Holds: no code of a script runs for it. Not here: what a failure is (`fault`).

use mlua::{Lua, Value};

use crate::script::vm::fault::{
    CallFailure, FailureInside, FailureWay, FaultKind, frames, is_out_of_memory, place_in, place_of, text_of,
    trip_text,
};
use crate::script::vm::fuel::Trip;
use crate::script::vm::machine::Machine;
use crate::script::vm::stack_frame::{FRAMES_SHOWN, StackFrame};
use crate::script::vm::{fault, hints, store};

/// Stands for the frames that are not shown.
const MORE: &str = "...";

/// Why a call was ended that its script did not end.
#[derive(Clone, Copy, Debug)]
struct EndOfCall {
    trip: Trip,
    /// Safepoints that it was given.
    limit: u64,
    /// Units that a single function asked for, where that was the reason.
    overdraft: Option<u64>,
}

/// What the error `value` means, seen from a handler that runs before the stack is unwound. Where it comes
/// out of a file that was required, its place and traceback are those of its beginning.
pub(super) fn failure_of(lua: &Lua, machine: &Machine, value: &Value) -> CallFailure {
    let fuel = &machine.fuel;
    let trip = fuel.trip().map(|trip| EndOfCall { trip, limit: fuel.limit(), overdraft: fuel.overdraft() });
    let text = text_of(value);
    let frames = frames_at(lua, machine);
    let is_same = |inside: &FailureInside| match inside.failure.kind {
        FaultKind::Error => trip.is_none() && inside.goes_on_as(&text, &frames),
        _ => trip.is_some() || is_out_of_memory(value),
    };
    match machine.failure_inside.take().filter(is_same) {
        Some(inside) => inside.told_as(text, &frames),
        None => failure(lua, value, trip, frames),
    }
}

/// Where scripts stand, innermost first. A call that was ended stands where it was when it was ended: since
/// then its coroutines and protected calls may have been left.
fn frames_at(lua: &Lua, machine: &Machine) -> Vec<StackFrame> {
    let tripped = machine.fuel.tripped();
    if tripped.is_empty() { frames(lua, FRAMES_SHOWN + 1) } else { tripped }
}

/// A coroutine that has failed.
pub(super) struct CoroutineFailure {
    /// Where it stood.
    pub(super) frames: Vec<StackFrame>,
    /// The failure of the coroutine that it resumed, if it has failed because of that one.
    pub(super) before: Option<FailureInside>,
    pub(super) way: FailureWay,
}

/// A coroutine that a script resumes has failed with `value`: its stack is out of reach once the error is
/// raised again.
pub(super) fn note_coroutine(lua: &Lua, machine: &Machine, value: &Value, failed: CoroutineFailure) {
    let CoroutineFailure { frames: inner, before, way } = failed;
    if inner.is_empty() || machine.fuel.trip().is_some() || is_out_of_memory(value) {
        return;
    }
    let raised = text_of(value);
    // A text without a place may be anybody's.
    if way == FailureWay::Returned && place_in(&raised).is_none() {
        return;
    }
    let outer = frames(lua, FRAMES_SHOWN + 1);
    let is_same = |before: &FailureInside| match before.way {
        FailureWay::Raised => before.raised == raised,
        FailureWay::Returned => before.goes_on_as(&raised, &inner),
    };
    let failure = match before.filter(is_same) {
        Some(before) => {
            let mut failure = before.told_as(raised.clone(), &inner);
            failure.traceback = longer(&failure.traceback, &traceback(&outer));
            failure
        }
        None => failure(lua, value, None, inner.into_iter().chain(outer).collect()),
    };
    *machine.failure_inside.borrow_mut() = Some(FailureInside { raised, failure, way });
}

/// A traceback that goes on with another, as long as one may be.
fn longer(inner: &str, outer: &str) -> String {
    let mut lines: Vec<&str> = inner.lines().chain(outer.lines()).filter(|line| *line != MORE).collect();
    if lines.len() > FRAMES_SHOWN {
        lines.truncate(FRAMES_SHOWN);
        lines.push(MORE);
    }
    lines.join("\n")
}

/// What an error means whose script stood in `frames`.
fn failure(lua: &Lua, value: &Value, trip: Option<EndOfCall>, frames: Vec<StackFrame>) -> CallFailure {
    let (kind, text) = match trip {
        Some(EndOfCall { limit, overdraft: Some(units), .. }) => (
            FaultKind::Fuel,
            format!(
                "stopped: one call of a function takes {units} steps here, and a callback has {limit}; \
                 ask for less at once, or raise limits.fuelPerCall"
            ),
        ),
        Some(EndOfCall { trip: Trip::Fuel, limit, .. }) if runs_in_a_task(lua) => (
            FaultKind::Fuel,
            format!("stopped after {limit} steps without a wait; wait in the loop: task.sleep, a walk"),
        ),
        Some(EndOfCall { trip, limit, .. }) => (trip.into(), trip_text(trip, limit)),
        None if is_out_of_memory(value) => (FaultKind::Memory, trip_text(Trip::Memory, 0)),
        None => (FaultKind::Error, text_of(value)),
    };
    // An error of another line says nothing of this one.
    let is_here = |frame: &&StackFrame| {
        fault::place_in(&text).is_none_or(|place| place == (frame.file.as_str(), frame.line))
    };
    let hint = frames.first().filter(|_| kind == FaultKind::Error).filter(is_here);
    let hint = hint.and_then(|frame| hints::cause(lua, frame, &text));
    let text = hint.map_or(text.clone(), |hint| format!("{text}; {hint}"));
    let mut failure = CallFailure::new(kind, text, place_of(&frames));
    failure.traceback = traceback(&frames);
    failure
}

fn traceback(frames: &[StackFrame]) -> String {
    let mut lines: Vec<String> = frames
        .iter()
        .take(FRAMES_SHOWN)
        .map(|frame| match &frame.function {
            Some(function) => format!("{}:{} in {function}", frame.file, frame.line),
            None => format!("{}:{}", frame.file, frame.line),
        })
        .collect();
    if frames.len() > FRAMES_SHOWN {
        lines.push(MORE.to_owned());
    }
    lines.join("\n")
}

/// Whether the code under way may wait.
fn runs_in_a_task(lua: &Lua) -> bool {
    store::find(lua, |runtime| runtime.running.task()).is_some()
}
