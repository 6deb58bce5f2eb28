//! The debugger of a level's scripts: stops, inspection, stepping.
//!
//! In: breakpoints, commands and questions of a [`DebugClient`]. Out: stops, at which clients look at
//! everything through [`Paused`]. Holds: a debugged run has the state hash of an ordinary one; questions are
//! answered on copies; only a text evaluated with [`Asking::Acts`] changes anything, and then the run is
//! marked as not repeatable. Not here: the protocol that clients speak, and waiting for them (the shell).

mod breakpoints;
mod evaluate;
mod handle_types;
mod paused;
mod pauses;
mod rows;
mod tasks;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use mlua::Lua;

use crate::script::debug::breakpoints::DebugStops;
use crate::script::vm::debug::{self, Hook, Lines, Stack, Standing};
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{Machine, machine_of, resting, store};

pub use breakpoints::{BreakpointState, BreakpointWish, HitRule};
pub use evaluate::Asking;
pub use paused::{DebugFrame, DebugScope, DebugThread, FaultStops, Paused};
pub use pauses::Pauses;
pub use rows::{Page, PagePart, Variable};

/// Why a level stands still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Nothing has run yet.
    Entry,
    /// Breakpoints of these numbers.
    Breakpoint(Vec<u64>),
    /// A step has come to its end.
    Step,
    /// It was asked for.
    Pause,
    /// A script has faulted: the message.
    Fault(String),
    /// Something happened in the tick that is over: the name it was asked for by, and a sentence.
    Event {
        /// The name.
        name: String,
        /// What happened.
        what: String,
    },
}

/// How code is to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugOrder {
    /// Up to the next stop.
    Continue,
    /// To the next line that any script runs.
    StepIn,
    /// To the next line of this call, or of the one that made it.
    StepOver,
    /// To the next line of the call that made this one.
    StepOut,
    /// Without stopping again.
    Detach,
}

/// The client that debugs a level: it is told everything on the thread of the game, which waits until the
/// call returns.
pub trait DebugClient {
    /// The scripts are about to be loaded. It may wait here for breakpoints, and says how they begin.
    fn began(&mut self, at: &Paused<'_>) -> DebugOrder;
    /// Whether the client wants to stop wherever code is. Asked often.
    fn is_pause_asked(&self) -> bool;
    /// The level stands still until this returns.
    fn stopped(&mut self, why: &StopReason, at: &Paused<'_>) -> DebugOrder;
    /// Whether something waits for [`DebugClient::between_ticks`]. Asked after every tick.
    fn wants_to_look(&self) -> bool;
    /// A tick is over, and the next has not begun: for questions and breakpoints that came while code ran.
    /// Any order but [`DebugOrder::Detach`] lets the level go on as it did.
    fn between_ticks(&mut self, at: &Paused<'_>) -> DebugOrder;
    /// A breakpoint that only tells was passed: its text, file and line.
    fn told(&mut self, text: &str, file: &str, line: u32);
    /// Code was loaded: breakpoints have other places now.
    fn moved(&mut self, breakpoints: &[BreakpointState]);
    /// The run is no longer what it would have been.
    fn disturbed(&mut self);
}

/// What it holds is not shown: all of it would have to be compiled to be shown.
impl fmt::Debug for dyn DebugClient + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DebugClient")
    }
}

/// A debugger for one level. Clones are the same.
#[derive(Clone, Debug)]
pub struct Debugger(Rc<Core>);

/// What a step is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum StepCourse {
    /// Breakpoints alone.
    Runs,
    /// Any line.
    Anywhere,
    /// A line of these calls; when they are over, any line.
    Within(Calls),
}

/// Calls inside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Calls {
    stack: Stack,
    /// So many of them at most on that stack, and on those whose code has resumed it.
    depths: Vec<(Stack, i32)>,
    /// The call of the host that they are part of.
    call: u64,
    /// Whether they are those of a task, which goes on in other calls of the host.
    is_task: bool,
}

impl Calls {
    fn of(lua: &Lua, at: &Standing, depth: i32) -> Self {
        let is_task = has_task(lua, at.stack);
        let machine = machine_of(lua);
        let call = machine.as_ref().map_or(0, |machine| machine.fuel.call());
        let resumers = machine.map_or_else(Vec::new, |machine| machine.resumers.borrow().clone());
        let callers = resumers.into_iter().map(|stack| (stack, debug::depth(stack)));
        Self {
            stack: at.stack,
            depths: std::iter::once((at.stack, depth)).chain(callers).collect(),
            call,
            is_task,
        }
    }

    /// Whether a step within these calls ends here.
    fn ends_at(&self, lua: &Lua, at: &Standing) -> bool {
        if self.depths.iter().any(|(stack, depth)| at.stack == *stack && at.depth <= *depth) {
            return true;
        }
        if self.is_task {
            return !has_task(lua, self.stack);
        }
        machine_of(lua).is_some_and(|machine| machine.fuel.call() != self.call)
    }
}

/// Whether a stack is that of a task that has not ended.
fn has_task(lua: &Lua, stack: Stack) -> bool {
    store::find(lua, |runtime| Some(runtime.tasks.has_coroutine(stack.address()))).unwrap_or(false)
}

#[derive(Debug)]
struct Core {
    client: RefCell<Box<dyn DebugClient>>,
    stops: DebugStops,
    course: RefCell<StepCourse>,
    is_detached: Cell<bool>,
}

impl Debugger {
    /// A debugger that `client` gives orders to.
    #[must_use]
    pub fn new(client: Box<dyn DebugClient>) -> Self {
        Self(Rc::new(Core {
            client: RefCell::new(client),
            stops: DebugStops::default(),
            course: RefCell::new(StepCourse::Runs),
            is_detached: Cell::new(false),
        }))
    }

    pub(crate) fn hook(&self) -> Rc<dyn Hook> {
        Rc::clone(&self.0) as Rc<dyn Hook>
    }

    /// Before the first file is loaded.
    pub(crate) fn begin(&self, lua: &Lua) {
        let order = self.0.with_client(lua, None, |client, at| client.began(at));
        self.0.follow(lua, order, None);
    }

    /// Whether ticks end under its eyes at all: the client has asked for something, or for a stop.
    pub(crate) fn wants_to_look(&self) -> bool {
        let wants = || self.0.client.try_borrow().is_ok_and(|client| client.wants_to_look());
        !self.0.is_detached.get() && (wants() || self.0.wants_pause())
    }

    /// Whether events are stopped at.
    pub(crate) fn stops_at_events(&self) -> bool {
        !self.0.is_detached.get() && !self.0.stops.events.borrow().is_empty()
    }

    /// The first of these names that is to be stopped at.
    pub(crate) fn stop_of<'a>(&self, names: &[&'a str]) -> Option<&'a str> {
        let events = self.0.stops.events.borrow();
        if self.0.is_detached.get() {
            return None;
        }
        names.iter().copied().find(|name| events.contains(*name))
    }

    /// Between two ticks, while the world is lent: `events` are those of the tick that is over, to be stopped
    /// at.
    pub(crate) fn between_ticks(&self, lua: &Lua, events: Vec<StopReason>) {
        if self.0.is_detached.get() {
            return;
        }
        let order = self.0.with_client(lua, None, |client, at| client.between_ticks(at));
        if order == Some(DebugOrder::Detach) {
            return self.0.follow(lua, order, None);
        }
        for event in events {
            if !self.0.is_detached.get() {
                self.0.pause(lua, None, &event);
            }
        }
        if self.0.wants_pause() {
            self.0.pause(lua, None, &StopReason::Pause);
        }
    }
}

impl Core {
    /// Hands the client something to look at while everything stands still.
    fn with_client<R>(
        &self,
        lua: &Lua,
        at: Option<&Standing>,
        tell: impl FnOnce(&mut dyn DebugClient, &Paused<'_>) -> R,
    ) -> Option<R> {
        let machine = machine_of(lua)?;
        let mut client = self.client.try_borrow_mut().ok()?;
        let paused = Paused::new(lua, &self.stops, &machine, at);
        let boards = store::find(lua, |runtime| Some(runtime.boards.last()));
        let result = resting::rest(lua, &machine, || tell(&mut **client, &paused));
        if paused.has_acted() {
            client.disturbed();
        } else if let Some(last) = boards {
            store::find(lua, |runtime| {
                runtime.boards.forget_after(last);
                Some(())
            });
        }
        Some(result)
    }

    /// Stops until the client says how to go on.
    fn pause(&self, lua: &Lua, at: Option<&Standing>, why: &StopReason) {
        let order = self.with_client(lua, at, |client, paused| client.stopped(why, paused));
        self.follow(lua, order, at);
    }

    fn follow(&self, lua: &Lua, order: Option<DebugOrder>, at: Option<&Standing>) {
        let course = match (order.unwrap_or(DebugOrder::Continue), at) {
            (DebugOrder::Continue | DebugOrder::Detach, _) => StepCourse::Runs,
            (DebugOrder::StepIn, _) | (_, None) => StepCourse::Anywhere,
            (DebugOrder::StepOver, Some(at)) => StepCourse::Within(Calls::of(lua, at, at.depth)),
            (DebugOrder::StepOut, Some(at)) => StepCourse::Within(Calls::of(lua, at, at.depth - 1)),
        };
        if order == Some(DebugOrder::Detach) {
            self.is_detached.set(true);
        }
        self.take(lua, course);
    }

    fn take(&self, lua: &Lua, course: StepCourse) {
        let lines = if course == StepCourse::Runs { Lines::AskedFor } else { Lines::All };
        self.course.replace(course);
        self.with_port(lua, |machine, port| {
            resting::rest(lua, machine, || {
                port.set_everywhere(lua, lines);
                if self.is_detached.get() {
                    self.stops.breakpoints.borrow_mut().clear(lua, port);
                }
            });
        });
    }

    fn with_port(&self, lua: &Lua, run: impl FnOnce(&Machine, &debug::DebugPort)) {
        if let Some(machine) = machine_of(lua)
            && let Some(port) = machine.debug.get()
        {
            run(&machine, port);
        }
    }

    /// Whether the course ends at this line.
    fn ends_at(&self, lua: &Lua, at: &Standing) -> Option<StopReason> {
        match &*self.course.borrow() {
            StepCourse::Runs => self.wants_pause().then_some(StopReason::Pause),
            StepCourse::Anywhere => Some(StopReason::Step),
            StepCourse::Within(calls) => calls.ends_at(lua, at).then_some(StopReason::Step),
        }
    }

    /// The breakpoints of this line that stop; those that tell do so.
    fn breakpoints_at(&self, lua: &Lua, at: &Standing) -> Vec<u64> {
        let passed = self.stops.breakpoints.borrow().at(&at.file, at.line);
        let mut stopping = Vec::new();
        for breakpoint in passed {
            let outcome = self.with_client(lua, Some(at), |client, paused| {
                let outcome = paused.judge(&breakpoint)?;
                let hits = self.stops.breakpoints.borrow_mut().hit(breakpoint.id);
                if !breakpoint.hits.is_none_or(|rule| rule.holds(hits)) {
                    return None;
                }
                if let Some(text) = &outcome {
                    client.told(text, &at.file, at.line);
                }
                Some(outcome.is_none())
            });
            if outcome.flatten() == Some(true) {
                stopping.push(breakpoint.id);
            }
        }
        stopping
    }
}

impl Hook for Core {
    fn at_line(&self, lua: &Lua, at: &Standing) {
        if self.is_detached.get() {
            return;
        }
        let stopping = self.breakpoints_at(lua, at);
        let why =
            if stopping.is_empty() { self.ends_at(lua, at) } else { Some(StopReason::Breakpoint(stopping)) };
        if let Some(why) = why {
            self.pause(lua, Some(at), &why);
        }
    }

    fn at_fault(&self, lua: &Lua, failure: &CallFailure, at: &Standing) {
        let is_fault = !matches!(failure.kind, FaultKind::Ended | FaultKind::Stopped);
        if is_fault && self.stops.at_faults.get() && !self.is_detached.get() {
            self.pause(lua, Some(at), &StopReason::Fault(failure.message.clone()));
        }
    }

    fn loaded(&self, lua: &Lua, file: &str) {
        let moved = self.stops.breakpoints.borrow_mut().place(lua, file);
        if !moved.is_empty()
            && let Ok(mut client) = self.client.try_borrow_mut()
        {
            client.moved(&moved);
        }
    }

    fn wants_pause(&self) -> bool {
        !self.is_detached.get() && self.client.try_borrow().is_ok_and(|client| client.is_pause_asked())
    }

    fn pause_at_next_line(&self, lua: &Lua) {
        self.with_port(lua, |machine, port| {
            resting::rest(lua, machine, || port.set_everywhere(lua, Lines::All));
        });
    }
}
