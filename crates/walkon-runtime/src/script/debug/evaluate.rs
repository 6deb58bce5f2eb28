//! Questions in a frame: a text that sees what the code sees that stands there.
//!
//! In: a text, a frame. Out: its first value. Holds: a question looks at copies, and what would change the
//! world or the scripts is refused; it ends after as many safepoints as a call may pass; what it draws of
//! random numbers is drawn again. Only a text that is asked to act works on the real things: then locals and
//! captured values of the frame that it assigns are assigned. Not here: the copies (`copies`).

use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::script::debug::copies::Copies;
use crate::script::vm::debug::{self, FrameLocal, ScriptFrame};
use crate::script::vm::fault;
use crate::script::vm::fuel::Trip;
use crate::script::vm::{Machine, compile_text, handles};

/// What a question may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    /// Look.
    Looks,
    /// Change what it likes; the run is not repeatable then.
    Acts,
}

/// What messages call the text of a question.
const CHUNK: &str = "question";

/// The first value of `text` in a frame, or where no frame is, in the globals of the level.
///
/// # Errors
/// A sentence.
pub(super) fn evaluate(
    lua: &Lua,
    machine: &Machine,
    frame: Option<&ScriptFrame>,
    text: &str,
    asking: Asking,
) -> Result<Value, String> {
    let view = FrameView::of(lua, machine, frame).map_err(|error| fault::text_of_error(&error))?;
    match asking {
        Asking::Looks => look(machine, &view, text),
        Asking::Acts => act(machine, &view, text),
    }
}

/// What a frame sees.
struct FrameView<'a> {
    lua: &'a Lua,
    frame: Option<&'a ScriptFrame>,
    function: Option<Function>,
    captured: Vec<(String, Value)>,
    locals: Vec<FrameLocal>,
    globals: Table,
}

impl<'a> FrameView<'a> {
    fn of(lua: &'a Lua, machine: &Machine, frame: Option<&'a ScriptFrame>) -> mlua::Result<Self> {
        let function = match frame {
            Some(frame) => debug::function_of(lua, frame)?,
            None => None,
        };
        let captured = function.as_ref().map_or(Ok(Vec::new()), |function| debug::upvalues(lua, function))?;
        let locals = frame.map_or(Ok(Vec::new()), |frame| debug::locals(lua, frame))?;
        let own = function.as_ref().and_then(Function::environment);
        let shared = machine.shared.get().cloned();
        let globals = own.or(shared).map_or_else(|| lua.create_table(), Ok)?;
        Ok(Self { lua, frame, function, captured, locals, globals })
    }

    /// A table of the names, with what `of` makes of their values, in front of `globals`.
    fn environment(
        &self,
        globals: &Table,
        mut of: impl FnMut(&Value) -> mlua::Result<Value>,
    ) -> mlua::Result<Table> {
        let names = self.lua.create_table()?;
        // A local hides what was captured under its name, and a later one an earlier one.
        let captured = self.captured.iter().map(|(name, value)| (name, value));
        for (name, value) in captured.chain(self.locals.iter().map(|local| (&local.name, &local.value))) {
            if !name.is_empty() && !name.starts_with('(') {
                names.raw_set(name.as_str(), of(value)?)?;
            }
        }
        let meta = self.lua.create_table()?;
        meta.raw_set("__index", globals)?;
        names.set_metatable(Some(meta))?;
        Ok(names)
    }

    /// Assigns what a text has assigned to names of the frame.
    fn assign(&self, names: &Table) -> mlua::Result<()> {
        let is_new = |name: &str, old: &Value| -> mlua::Result<Option<Value>> {
            let new: Value = names.raw_get(name)?;
            Ok((new != *old).then_some(new))
        };
        for (at, local) in self.locals.iter().enumerate() {
            let is_hidden = self.locals[at + 1..].iter().any(|later| later.name == local.name);
            let new = is_new(&local.name, &local.value)?;
            if let (Some(frame), Some(new), false) = (self.frame, new, is_hidden) {
                debug::set_local(self.lua, frame, local, &new)?;
            }
        }
        for (at, (name, old)) in self.captured.iter().enumerate() {
            let is_hidden = self.locals.iter().any(|local| local.name == *name);
            if let (Some(function), Some(new), false) = (&self.function, is_new(name, old)?, is_hidden)
                && !name.is_empty()
            {
                debug::set_upvalue(self.lua, function, at + 1, &new)?;
            }
        }
        Ok(())
    }
}

fn look(machine: &Machine, view: &FrameView<'_>, text: &str) -> Result<Value, String> {
    let failed = |error: mlua::Error| fault::text_of_error(&error);
    let mut copies = Copies::new(view.lua);
    let prepare = |copies: &mut Copies<'_>| {
        let shared = machine.shared.get().filter(|shared| **shared == view.globals);
        let globals = match shared {
            Some(shared) => shared.clone(),
            None => copies.of_table(&view.globals)?,
        };
        let names = view.environment(&globals, |value| copies.of(value))?;
        // `state` is one table for all scripts, and the one global that can be changed.
        if let Some(state) = machine.shared.get().and_then(|shared| shared.raw_get::<Table>("state").ok()) {
            let is_hidden = !names.raw_get::<Value>("state")?.is_nil();
            if !is_hidden {
                names.raw_set("state", copies.of_table(&state)?)?;
            }
        }
        copies.finish()?;
        mlua::Result::Ok(names)
    };
    let names = prepare(&mut copies).map_err(failed)?;
    let function = compile_text(view.lua, CHUNK, text, &names).map_err(|failure| failure.message)?;
    let streams = machine.streams.borrow().clone();
    let printed = std::mem::take(&mut *machine.console.borrow_mut());
    let knows_coroutine = machine.is_coroutine_known.get();
    let was_looking = machine.is_looking.replace(true);
    let outcome = copies.during(|| call(view.lua, machine, &function));
    machine.is_looking.set(was_looking);
    machine.is_coroutine_known.set(knows_coroutine);
    machine.console.replace(printed);
    machine.streams.replace(streams);
    outcome.map_err(failed)?
}

fn act(machine: &Machine, view: &FrameView<'_>, text: &str) -> Result<Value, String> {
    let failed = |error: mlua::Error| fault::text_of_error(&error);
    let names = view.environment(&view.globals, |value| Ok(value.clone())).map_err(failed)?;
    let function = compile_text(view.lua, CHUNK, text, &names).map_err(|failure| failure.message)?;
    let outcome = call(view.lua, machine, &function);
    view.assign(&names).map_err(failed)?;
    handles::keep_noted(view.lua);
    outcome
}

/// Runs a question in a coroutine of its own, on the fuel of a call.
fn call(lua: &Lua, machine: &Machine, function: &Function) -> Result<Value, String> {
    let failed = |error: mlua::Error| match machine.fuel.trip() {
        Some(Trip::Fuel) => format!("stopped after {} steps", machine.fuel.limit()),
        Some(trip) => fault::trip_text(trip, machine.fuel.limit()),
        None => fault::text_of_error(&error),
    };
    let running = machine.fuel.enter(machine.limits.fuel_per_call);
    let thread = lua.create_thread(function.clone());
    let outcome = thread.and_then(|thread| Ok((thread.resume::<MultiValue>(())?, thread.status())));
    drop(running);
    match outcome {
        Ok((_, mlua::thread::ThreadStatus::Resumable)) => {
            Err("it would wait, which a question may not".to_owned())
        }
        Ok((mut values, _)) => Ok(values.pop_front().unwrap_or(Value::Nil)),
        Err(error) => Err(failed(error)),
    }
}
