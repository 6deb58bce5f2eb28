//! Loads script files: compiles them, gives them an environment, requires them.
//!
//! In: names of files, their texts. Out: bodies to call, what files return, frozen. Holds: text only, no
//! bytecode; a body runs once; files that require one another in a circle are refused. Not here: which files
//! there are and how far they are loaded (`files`), when the body of a file runs (`vm`).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;

use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::script::vm::convert::{Args, UsageError, price_of_unknown};
use crate::script::vm::debug::{self, DebugPort};
use crate::script::vm::fault::{self, CallFailure, FaultKind};
use crate::script::vm::files::{FileError, LoadedFile, NotBegun, ScriptText, ScriptTexts};
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::machine::{Machine, machine_of};
use crate::script::vm::{fuel, library, resting, sandbox, strides};

/// What files need of the VM, cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Loader {
    pub(super) machine: Rc<Machine>,
    pub(super) globals: Table,
    pub(super) protect: Function,
    /// The handler of errors in the body of a file that is required.
    pub(super) report_inside: Function,
}

/// The lines where the file at `path` can stop: of the code that is loaded, else of its text.
pub(crate) fn lines_to_stop_at(lua: &Lua, path: &str) -> Option<BTreeSet<u32>> {
    let machine = machine_of(lua)?;
    if let Some(lines) = machine.debug.get()?.lines_of(path) {
        return Some(lines);
    }
    let text = machine.texts.borrow().get(ScriptTexts::name_of_path(path)?).cloned()?;
    if text.path != path {
        return None;
    }
    let body = compile_by(strides::compile_for_debugger, lua, &text, None).ok()?;
    Some(debug::lines(lua, &body))
}

/// Makes the table that a file returns read-only, with all tables in it that are not read-only yet.
fn seal_deeply(module: &Table) -> mlua::Result<()> {
    let mut open = vec![module.clone()];
    while let Some(table) = open.pop() {
        if table.is_readonly() {
            continue;
        }
        for pair in table.pairs::<Value, Value>() {
            fuel::charge_running(1);
            if let (_, Value::Table(inner)) = pair? {
                open.push(inner);
            }
        }
        table.set_readonly(true);
    }
    Ok(())
}

pub(super) fn first(mut values: MultiValue) -> Value {
    values.pop_front().unwrap_or(Value::Nil)
}

pub(super) fn failed(text: String) -> CallFailure {
    CallFailure::new(FaultKind::Error, text, None)
}

impl Loader {
    /// The environment of the file called `name`, and its body, compiled.
    pub(super) fn prepare(&self, lua: &Lua, name: &str) -> Result<(Table, Function), CallFailure> {
        let text = self.machine.texts.borrow().get(name).cloned();
        let file = text.ok_or_else(|| failed(format!("unknown script \"{name}\"")))?;
        let environment =
            self.environment(lua, name).map_err(|error| failed(fault::text_of_error(&error)))?;
        let body = match self.machine.debug.get() {
            None => compile(lua, &file, Some(&environment))?,
            Some(port) => self.compile_for_debugger(lua, port, &file, &environment)?,
        };
        Ok((environment, body))
    }

    /// The same code with the names of its locals, known to the debugger.
    fn compile_for_debugger(
        &self,
        lua: &Lua,
        port: &DebugPort,
        file: &ScriptText,
        environment: &Table,
    ) -> Result<Function, CallFailure> {
        let named = compile_by(strides::compile_for_debugger, lua, file, Some(environment))?;
        resting::rest(lua, &self.machine, || port.register(lua, &file.path, &named));
        let names = debug::bytes_of_names(&file.text);
        port.extra_bytes.set(port.extra_bytes.get().saturating_add(names));
        self.machine.fuel.set_extra_bytes(port.extra_bytes.get());
        Ok(named)
    }

    pub(super) fn environment(&self, lua: &Lua, name: &str) -> mlua::Result<Table> {
        let math = lua.create_table()?;
        for pair in self.globals.raw_get::<Table>("math")?.pairs::<Value, Value>() {
            let (key, value) = pair?;
            math.raw_set(key, value)?;
        }
        math.raw_set("random", library::random(lua, &self.machine, name)?)?;
        math.set_readonly(true);
        sandbox::environment(lua, &self.globals, &[("math", Value::Table(math))])
    }

    pub(super) fn open(&self, name: &str) -> Result<(), String> {
        let path = |name: &String| {
            self.machine.texts.borrow().get(name).map_or(name.clone(), |file| file.path.clone())
        };
        self.machine.loads.begin(name).map_err(|why| match why {
            NotBegun::Circle(names) => {
                let circle: Vec<String> = names.iter().map(path).collect();
                format!(
                    "{} is a circle of files; move what they share into one of its own",
                    circle.join(" -> ")
                )
            }
            NotBegun::TooDeep { outermost } => format!(
                "files require one another more than {} deep; require {} before the others, in {}",
                ScriptLimits::REQUIRE_DEPTH,
                path(&name.to_owned()),
                path(&outermost)
            ),
        })?;
        self.machine.loading.set(self.machine.loading.get() + 1);
        Ok(())
    }

    pub(super) fn close<E>(
        &self,
        name: &str,
        environment: Table,
        outcome: Result<Value, E>,
    ) -> Result<LoadedFile, E> {
        self.machine.loading.set(self.machine.loading.get() - 1);
        let outcome = outcome.map(|result| LoadedFile { environment, result });
        self.machine.loads.finish(name, outcome.as_ref().ok().cloned());
        outcome
    }

    /// `require(name)`: what the file returns, a table frozen. The body runs on the budget of the caller.
    pub(super) fn require(&self, lua: &Lua, args: &mut Args) -> Result<Value, UsageError> {
        let asked = args.take("name").text("the name of a script")?;
        let name = self.machine.texts.borrow().resolve(&asked).map(str::to_owned);
        let name = name.map_err(|error| {
            if matches!(error, FileError::Unknown { .. }) {
                let names = self.machine.texts.borrow().names_compared(&asked);
                fuel::charge_running(price_of_unknown(names));
            }
            args.mistake(error.to_string())
        })?;
        let known = self.machine.loads.get(&name);
        if self.machine.is_looking() {
            return self.seen(lua, args, known);
        }
        self.note_need(lua, &asked, &name);
        let loaded = match known {
            Some(loaded) => loaded,
            None => self.load_inside(lua, &name).map_err(|problem| {
                self.charge_for_failure(&name);
                args.mistake(problem)
            })?,
        };
        if let Value::Table(module) = &loaded.result {
            seal_deeply(module).map_err(|error| args.mistake(fault::text_of_error(&error)))?;
        }
        Ok(loaded.result)
    }

    /// What code that only looks sees of a file that may be loaded.
    fn seen(&self, lua: &Lua, args: &Args, known: Option<LoadedFile>) -> Result<Value, UsageError> {
        let Some(loaded) = known else {
            library::refuse_while_looking(
                &self.machine,
                "require",
                "it would load a file, which changes the run",
            )?;
            return Ok(Value::Nil);
        };
        let error = |error| args.mistake(fault::text_of_error(&error));
        self.machine.handed_out(lua, loaded.result).map_err(error)
    }

    /// A file that loads is compiled once; one that does not, as often as a script asks for it.
    fn charge_for_failure(&self, name: &str) {
        /// Bytes that are compiled for a unit of fuel: dense code takes 150 nanoseconds for each.
        const BYTES_PER_UNIT: usize = 8;
        let bytes = self.machine.texts.borrow().get(name).map_or(0, |file| file.text.len());
        fuel::charge_running((bytes / BYTES_PER_UNIT) as u64);
    }

    /// Notes what requires a file: the body that runs, and the function that calls.
    fn note_need(&self, lua: &Lua, asked: &str, name: &str) {
        if self.machine.host_asks.replace(false) {
            return;
        }
        let caller = fault::frames(lua, 1).pop().map(|frame| frame.file);
        let caller = caller.as_deref().and_then(ScriptTexts::name_of_path).map(str::to_owned);
        for by in [caller, self.machine.loads.innermost()].into_iter().flatten() {
            self.machine.loads.note_need(&by, asked, name);
        }
    }

    /// Loads a file from within a call of a script. It cannot yield: a host function lies in between.
    fn load_inside(&self, lua: &Lua, name: &str) -> Result<LoadedFile, String> {
        let (environment, body) = self.prepare(lua, name).map_err(|failure| failure.message)?;
        self.open(name)?;
        // Also where a function of the host asks for the file.
        let held = self.machine.memory.hold(lua);
        let outcome = self.protect.call::<MultiValue>((&body, &self.report_inside));
        drop(held);
        let outcome = match outcome {
            Ok(mut values) => match values.pop_front() {
                Some(Value::Boolean(true)) => Ok(first(values)),
                _ => Err(fault::text_of(&first(values))),
            },
            Err(error) => Err(fault::text_of_error(&error)),
        };
        self.close(name, environment, outcome)
    }
}

/// Compiles a text called `chunk`: an expression gives its values, statements run.
///
/// # Errors
/// The first mistake of the text as statements.
pub(crate) fn compile_text(
    lua: &Lua,
    chunk: &str,
    text: &str,
    environment: &Table,
) -> Result<Function, CallFailure> {
    let file = |text: String| ScriptText { path: chunk.to_owned(), text };
    let expression = compile(lua, &file(format!("return {text}")), Some(environment));
    expression.or_else(|_| compile(lua, &file(text.to_owned()), Some(environment)))
}

/// What some editors write in front of a text; three bytes in UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A script as Luau reads it: a byte order mark is space, and a `#!` line is a comment. Every byte keeps its
/// place, so that lines and columns are those of the file.
#[must_use]
pub fn readable(text: &str) -> Cow<'_, str> {
    let (mark, rest) = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => ("   ", rest),
        None => ("", text),
    };
    match rest.strip_prefix("#!") {
        Some(rest) => Cow::Owned(format!("{mark}--{rest}")),
        None if mark.is_empty() => Cow::Borrowed(text),
        None => Cow::Owned(format!("{mark}{rest}")),
    }
}

/// Compiles one file. Text only: Luau would take bytecode for granted, and wrong bytecode kills the process.
pub(super) fn compile(
    lua: &Lua,
    file: &ScriptText,
    environment: Option<&Table>,
) -> Result<Function, CallFailure> {
    compile_by(strides::compile, lua, file, environment)
}

/// Text only, whatever reads it.
///
/// # Errors
/// When the file begins as bytecode does.
pub(crate) fn refuse_bytecode(path: &str, text: &str) -> Result<(), CallFailure> {
    let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let body = match body.strip_prefix("#!") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, body)| body),
        None => body,
    };
    if body.bytes().next().is_some_and(|byte| byte < b'\t' || byte == 0x1b) {
        let message = "bytecode is not accepted, expected the text of a script".into();
        return Err(CallFailure::new(FaultKind::Error, message, Some((path, 1))));
    }
    Ok(())
}

/// The same, by a way from text to bytecode.
fn compile_by(
    compiled: fn(&str) -> mlua::Result<Vec<u8>>,
    lua: &Lua,
    file: &ScriptText,
    environment: Option<&Table>,
) -> Result<Function, CallFailure> {
    let text = readable(&file.text);
    refuse_bytecode(&file.path, &file.text)?;
    // The other way of loading reports mistakes of syntax: it knows the name of the file.
    let chunk = match compiled(&text) {
        Ok(bytecode) => lua.load(bytecode).set_mode(mlua::chunk::ChunkMode::Binary),
        Err(_) => lua.load(text.into_owned().into_bytes()).set_mode(mlua::chunk::ChunkMode::Text),
    };
    let chunk = chunk.set_name(format!("={}", file.path));
    let chunk = match environment {
        Some(environment) => chunk.set_environment(environment.clone()),
        None => chunk,
    };
    chunk.into_function().map_err(|error| {
        let kind = if fault::is_memory_error(&error) { FaultKind::Memory } else { FaultKind::Error };
        CallFailure::new(kind, fault::text_of_error(&error), Some((file.path.as_str(), 1))).within(&file.text)
    })
}
