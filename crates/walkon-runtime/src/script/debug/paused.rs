//! A paused level: its threads, frames and values, for a client to ask.
//!
//! In: questions. Out: rows. Holds: numbers of frames and of values with contents are valid until the level
//! goes on. Not here: how a value is shown (`rows`), the questions that are code (`evaluate`).

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use mlua::{Lua, Value};

use crate::script::debug::breakpoints::{BreakpointState, BreakpointWish, DebugStops};
use crate::script::debug::evaluate::{self, Asking};
use crate::script::debug::rows::{self, Page, Variable};
use crate::script::debug::tasks;
use crate::script::inspect::ScriptLook;
use crate::script::vm::debug::{self, ScriptFrame, Stack, Standing};
use crate::script::vm::shown::place_of;
use crate::script::vm::{Machine, lend, lines_to_stop_at, store};
use crate::world::World;

/// The thread of calls that are no tasks: `update`, timers, files as they load.
const CALLS: u64 = 1;

/// A thread: a task, or the calls that are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebugThread {
    /// Its number.
    pub id: u64,
    /// Whose it is, what runs, what it waits for.
    pub name: String,
}

/// A frame of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebugFrame {
    /// Its number; 0 for code that has not begun.
    pub id: u64,
    /// The function.
    pub function: String,
    /// File, below the script folders.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// A group of names in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebugScope {
    /// `Locals`, `Upvalues`, `self`.
    pub name: &'static str,
    /// What to ask for its names.
    pub reference: u64,
    /// How many names there are.
    pub named: u64,
}

/// What a number stands for.
#[derive(Clone, Debug)]
enum NumberedThing {
    /// Names with their values.
    Names(Vec<(String, Value)>),
    Value(Value),
}

/// A level that stands still.
#[derive(Debug)]
pub struct Paused<'a> {
    lua: &'a Lua,
    stops: &'a DebugStops,
    machine: &'a Machine,
    at: Option<&'a Standing>,
    frames: RefCell<Vec<ScriptFrame>>,
    kept: RefCell<Vec<NumberedThing>>,
    has_acted: Cell<bool>,
}

impl<'a> Paused<'a> {
    pub(super) fn new(
        lua: &'a Lua,
        stops: &'a DebugStops,
        machine: &'a Machine,
        at: Option<&'a Standing>,
    ) -> Self {
        let (frames, kept, has_acted) = (RefCell::default(), RefCell::default(), Cell::new(false));
        Self { lua, stops, machine, at, frames, kept, has_acted }
    }

    /// Whether a text was let change the run since it stands here.
    #[must_use]
    pub fn has_acted(&self) -> bool {
        self.has_acted.get()
    }

    /// These breakpoints take the place of those that a file had. Paths lie below the script folders.
    #[must_use]
    pub fn set_breakpoints(&self, file: &str, wishes: Vec<BreakpointWish>) -> Vec<BreakpointState> {
        self.stops.breakpoints.borrow_mut().set(self.lua, file, wishes)
    }

    /// What comes of a breakpoint here: none where its condition does not hold; else the text that it tells,
    /// if it tells one. A condition that fails stops, so that a person sees it.
    pub(super) fn judge(&self, breakpoint: &BreakpointWish) -> Option<Option<String>> {
        let frame = self.innermost();
        if let Some(condition) = &breakpoint.condition
            && let Ok(false) = self.holds(frame.as_ref(), condition)
        {
            return None;
        }
        Some(breakpoint.log.as_ref().map(|log| self.filled_in(log)))
    }

    /// A text with what its expressions in braces come to. Braces that never close are text.
    fn filled_in(&self, log: &str) -> String {
        let (mut text, mut rest) = (String::new(), log);
        while let Some((before, (expression, after))) =
            rest.split_once('{').and_then(|(before, inside)| Some((before, inside.split_once('}')?)))
        {
            text.push_str(before);
            match self.evaluate(self.innermost_id(), expression, Asking::Looks) {
                Ok(value) => text.push_str(value.bare()),
                Err(why) => text.push_str(&format!("<{why}>")),
            }
            rest = after;
        }
        text + rest
    }

    /// The lines of a file where it can stop; none for a file that is no script of this level.
    #[must_use]
    pub fn lines_of(&self, file: &str) -> Option<BTreeSet<u32>> {
        lines_to_stop_at(self.lua, file)
    }

    /// Stops after a tick in which one of these happened.
    pub fn stop_at_events(&self, names: BTreeSet<String>) {
        *self.stops.events.borrow_mut() = names;
    }

    /// Whether to stop where a script faults.
    pub fn stop_at_faults(&self, stops: FaultStops) {
        self.stops.at_faults.set(stops == FaultStops::Every);
    }

    /// The world as it stands; none while files load.
    pub fn with_world<R>(&self, look: impl FnOnce(&World) -> R) -> Option<R> {
        lend::with_world(self.lua, |world: &mut World| look(world)).ok()
    }

    /// What there is to be asked of the scripts.
    #[must_use]
    pub fn looks(&self) -> ScriptLook<'a> {
        ScriptLook::new(self.lua)
    }

    /// The text of a script, as it runs.
    #[must_use]
    pub fn text_of(&self, file: &str) -> Option<String> {
        let name = crate::script::vm::files::ScriptTexts::name_of_path(file)?;
        let texts = self.machine.texts();
        texts.get(name).filter(|text| text.path == file).map(|text| text.text.clone())
    }

    /// The scripts that are there.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        self.machine.texts().paths()
    }

    /// All threads.
    #[must_use]
    pub fn threads(&self) -> Vec<DebugThread> {
        let running = tasks::running(self.lua);
        let call = tasks::call(self.lua).filter(|_| running.is_none() && self.at.is_some());
        let name = call.map_or_else(|| "level".to_owned(), |call| format!("level: {call}"));
        let calls = DebugThread { id: CALLS, name };
        let tasks = tasks::rows(self.lua).into_iter().map(|row| {
            let name = match row.waits {
                Some(waits) => format!("{}, waits for {waits}", row.name),
                None => format!("{}, runs", row.name),
            };
            DebugThread { id: thread_of(row.id), name }
        });
        std::iter::once(calls).chain(tasks).collect()
    }

    /// The thread that has stopped.
    #[must_use]
    pub fn running_thread(&self) -> u64 {
        tasks::running(self.lua).filter(|_| self.at.is_some()).map_or(CALLS, thread_of)
    }

    /// The frames of a thread, innermost first.
    #[must_use]
    pub fn frames(&self, thread: u64) -> Vec<DebugFrame> {
        if let Some(at) = self.at.filter(|_| thread == self.running_thread()) {
            // What has resumed a coroutine calls it.
            let resumers = self.machine.resumers.borrow();
            let stacks = std::iter::once(&at.stack).chain(resumers.iter().rev());
            return stacks.flat_map(|stack| self.frames_of(*stack)).collect();
        }
        let row = tasks::rows(self.lua).into_iter().find(|row| thread_of(row.id) == thread);
        let Some(row) = row else { return Vec::new() };
        match (row.thread, row.start) {
            (Some(thread), _) => self.frames_of(Stack::of(&thread)),
            (None, Some(start)) => {
                let place = place_of(&start).into_iter();
                let frame = |place: crate::script::state::code_place::CodePlace| DebugFrame {
                    id: 0,
                    function: "not begun".to_owned(),
                    file: place.file,
                    line: place.line,
                };
                place.map(frame).collect()
            }
            (None, None) => Vec::new(),
        }
    }

    fn frames_of(&self, stack: Stack) -> Vec<DebugFrame> {
        let mut known = self.frames.borrow_mut();
        let frames = debug::frames(stack).into_iter().map(|frame| {
            let at = known.iter().position(|known| *known == frame).unwrap_or_else(|| {
                known.push(frame.clone());
                known.len() - 1
            });
            let function = frame.function.unwrap_or_else(|| "(function)".to_owned());
            DebugFrame { id: at as u64 + 1, function, file: frame.file, line: frame.line }
        });
        frames.collect()
    }

    fn frame(&self, id: u64) -> Option<ScriptFrame> {
        let at = usize::try_from(id.checked_sub(1)?).ok()?;
        self.frames.borrow().get(at).cloned()
    }

    /// The frame where code has stopped.
    pub(super) fn innermost(&self) -> Option<ScriptFrame> {
        debug::frames(self.at?.stack).into_iter().next()
    }

    pub(super) fn innermost_id(&self) -> Option<u64> {
        Some(self.frames_of(self.at?.stack).first()?.id)
    }

    /// The names in a frame, in groups.
    #[must_use]
    pub fn scopes(&self, frame: u64) -> Vec<DebugScope> {
        let Some(frame) = self.frame(frame) else { return Vec::new() };
        let locals = debug::locals(self.lua, &frame).unwrap_or_default().into_iter();
        let mut locals: Vec<(String, Value)> = locals.map(|local| (local.name, local.value)).collect();
        let rest = debug::variadic(self.lua, &frame).unwrap_or_default();
        let this = locals.iter().rev().find(|(name, _)| name == "self").map(|(_, value)| value.clone());
        let function = debug::function_of(self.lua, &frame).ok().flatten();
        let captured = function.and_then(|function| debug::upvalues(self.lua, &function).ok());
        let captured: Vec<_> =
            captured.unwrap_or_default().into_iter().filter(|(name, _)| !name.is_empty()).collect();
        let this = this.or_else(|| Some(captured.iter().find(|(name, _)| name == "self")?.1.clone()));
        locals.retain(|(name, _)| !name.starts_with('('));
        locals.extend(rest.into_iter().enumerate().map(|(at, value)| (format!("...{}", at + 1), value)));
        let mut scopes = vec![self.scope("Locals", locals), self.scope("Upvalues", captured)];
        if let Some(this) = this {
            let row = self.row("self", &this);
            scopes.push(DebugScope { name: "self", reference: row.reference, named: row.named });
        }
        scopes
    }

    fn scope(&self, name: &'static str, names: Vec<(String, Value)>) -> DebugScope {
        let named = names.len() as u64;
        DebugScope { name, reference: self.keep(NumberedThing::Names(names)), named }
    }

    fn keep(&self, kept: NumberedThing) -> u64 {
        let mut all = self.kept.borrow_mut();
        all.push(kept);
        all.len() as u64
    }

    fn row(&self, name: &str, value: &Value) -> Variable {
        let row = rows::row(self.lua, name, value);
        let has_more = row.indexed + row.named > 0;
        let reference = if has_more { self.keep(NumberedThing::Value(value.clone())) } else { 0 };
        Variable { reference, ..row }
    }

    /// What is inside something that was handed out by number.
    #[must_use]
    pub fn variables(&self, reference: u64, page: Page) -> Vec<Variable> {
        let at = usize::try_from(reference).unwrap_or(0).wrapping_sub(1);
        let kept = self.kept.borrow().get(at).cloned();
        let inside: Vec<(String, Value)> = match kept {
            Some(NumberedThing::Names(names)) => page.of(names.into_iter()),
            Some(NumberedThing::Value(value)) => rows::inside(self.lua, &value, page),
            None => Vec::new(),
        };
        inside.into_iter().map(|(name, value)| self.row(&name, &value)).collect()
    }

    /// What a text comes to in a frame; without a frame, in the globals of the level.
    ///
    /// # Errors
    /// A sentence.
    pub fn evaluate(&self, frame: Option<u64>, text: &str, asking: Asking) -> Result<Variable, String> {
        let frame = match frame {
            Some(id) => Some(self.frame(id).ok_or("this frame is gone")?),
            None => None,
        };
        self.value_of(frame.as_ref(), text, asking).map(|value| self.row(text, &value))
    }

    fn value_of(&self, frame: Option<&ScriptFrame>, text: &str, asking: Asking) -> Result<Value, String> {
        // Nothing that is written changes nothing.
        if asking == Asking::Acts && !text.trim().is_empty() {
            self.has_acted.set(true);
            let disturb = |runtime: &mut crate::script::state::runtime::Runtime| {
                runtime.faults.is_disturbed = true;
                Some(())
            };
            let _ = store::find(self.lua, disturb);
        }
        evaluate::evaluate(self.lua, self.machine, frame, text, asking)
    }

    /// Whether a condition holds in a frame.
    pub(super) fn holds(&self, frame: Option<&ScriptFrame>, text: &str) -> Result<bool, String> {
        let value = self.value_of(frame, text, Asking::Looks)?;
        Ok(!matches!(value, Value::Nil | Value::Boolean(false)))
    }
}

/// Which faults stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultStops {
    /// All that end a call.
    Every,
    /// None.
    Never,
}

fn thread_of(task: u64) -> u64 {
    task.saturating_add(CALLS)
}
