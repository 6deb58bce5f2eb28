//! Evaluates a text in a frame of stopped code, with the names that the code sees there.
//!
//! In: a text, a frame. Out: its first value. Holds: a question looks at copies, and calls that would change
//! the world or the scripts are refused; it ends after as many safepoints as a call may pass; random numbers
//! that it draws are drawn again. Only a text that is asked to act works on the real things: then locals and
//! captured values of the frame that it assigns are assigned. Not here: the copies (`vm::copies`).

use mlua::thread::ThreadStatus;
use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::script::vm::chunk_names::QUESTION;
use crate::script::vm::compiler::own_chunk;
use crate::script::vm::copies::Copies;
use crate::script::vm::debug::{self, FrameLocal, ScriptFrame};
use crate::script::vm::fuel::Trip;
use crate::script::vm::{Machine, compile_text, fault, handles, sandbox};

/// What a question may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    /// Look.
    Looks,
    /// Change what it likes; the run is not repeatable then.
    Acts,
}

/// What stands behind the names of a frame: one that is nil hides the global of its name, and what is no name
/// of the frame is a global.
const BEHIND: &str = "
local own, globals = ...
return {
    __index = function(_, name)
        if own[name] then
            return nil
        end
        return globals[name]
    end,
    __newindex = function(names, name, value)
        if own[name] then
            rawset(names, name, value)
        else
            globals[name] = value
        end
    end,
}";

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
    /// What is behind the globals of every file.
    shared: Table,
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
        let shared = machine.shared.get().ok_or_else(|| mlua::Error::runtime("no globals"))?.clone();
        let globals = own.unwrap_or_else(|| shared.clone());
        Ok(Self { lua, frame, function, captured, locals, globals, shared })
    }

    /// A table of the names, with what `of` makes of their values, in front of `globals`.
    fn environment(
        &self,
        globals: &Table,
        mut of: impl FnMut(&Value) -> mlua::Result<Value>,
    ) -> mlua::Result<Table> {
        let (names, own) = (self.lua.create_table()?, self.lua.create_table()?);
        // A local hides what was captured under its name, and a later one an earlier one.
        let captured = self.captured.iter().map(|(name, value)| (name, value));
        for (name, value) in captured.chain(self.locals.iter().map(|local| (&local.name, &local.value))) {
            if !name.is_empty() && !name.starts_with('(') {
                names.raw_set(name.as_str(), of(value)?)?;
                own.raw_set(name.as_str(), true)?;
            }
        }
        let behind: Table = own_chunk(self.lua, &self.shared, BEHIND)?.call((own, globals))?;
        names.set_metatable(Some(behind))?;
        Ok(names)
    }

    /// The same names with copies of everything.
    fn copied(&self, copies: &mut Copies) -> mlua::Result<Table> {
        let globals = match self.globals == self.shared {
            // Nobody can assign to them, so what a text assigns is kept in front of them.
            true => sandbox::environment(self.lua, &self.shared, &[])?,
            false => self.globals.clone(),
        };
        let globals = copies.of_globals(self.lua, &globals)?;
        self.environment(&globals, |value| copies.of(self.lua, value))
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
    let lua = view.lua;
    let mut copies = Copies::new(&view.shared);
    let names = view.copied(&mut copies).map_err(failed)?;
    let function = compile_text(lua, QUESTION, text, &names).map_err(|failure| failure.message)?;
    let streams = machine.streams.borrow().clone();
    let printed = std::mem::take(&mut *machine.console.borrow_mut());
    let knows_coroutine = machine.is_coroutine_known.get();
    let shown = copies.show(lua).map_err(failed);
    machine.copies.replace(Some(copies));
    let outcome = shown.and_then(|()| call(view, machine, &function));
    let put_back = machine.copies.take().map_or(Ok(()), |copies| copies.put_back(lua));
    machine.is_coroutine_known.set(knows_coroutine);
    machine.console.replace(printed);
    machine.streams.replace(streams);
    put_back.map_err(failed)?;
    outcome
}

fn act(machine: &Machine, view: &FrameView<'_>, text: &str) -> Result<Value, String> {
    let failed = |error: mlua::Error| fault::text_of_error(&error);
    let names = view.environment(&view.globals, |value| Ok(value.clone())).map_err(failed)?;
    let function = compile_text(view.lua, QUESTION, text, &names).map_err(|failure| failure.message)?;
    let outcome = call(view, machine, &function);
    view.assign(&names).map_err(failed)?;
    handles::keep_noted(view.lua);
    outcome
}

/// Runs a question in a coroutine of its own, on the fuel of a call. An error may be any value: the words for
/// it are made here.
fn call(view: &FrameView<'_>, machine: &Machine, function: &Function) -> Result<Value, String> {
    let failed = |text: String| match machine.fuel.trip() {
        Some(Trip::Fuel) => format!("stopped after {} steps", machine.fuel.limit()),
        Some(trip) => fault::trip_text(trip, machine.fuel.limit()),
        None => text,
    };
    let run = || {
        let same = own_chunk(view.lua, &view.shared, "return ...")?;
        let protect = machine.protect.get().ok_or_else(|| mlua::Error::runtime("no protected calls"))?;
        let thread = view.lua.create_thread(protect.clone())?;
        mlua::Result::Ok((thread.resume::<MultiValue>((function, same))?, thread.status()))
    };
    let running = machine.fuel.enter(machine.limits.fuel_per_call);
    let outcome = run();
    drop(running);
    let (mut values, status) = outcome.map_err(|error| failed(fault::text_of_error(&error)))?;
    if status == ThreadStatus::Resumable {
        return Err("it would wait, which a question may not".to_owned());
    }
    let is_ok = values.pop_front().is_some_and(|ok| ok == Value::Boolean(true));
    let first = values.pop_front().unwrap_or(Value::Nil);
    if is_ok { Ok(first) } else { Err(failed(fault::text_of(&first))) }
}
