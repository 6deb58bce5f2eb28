//! The VM's half of the debugger: lines to stop at, the frames there, their values.
//!
//! In: the code of files as it is loaded, lines to stop at, a [`Hook`]. Out: calls of the hook while the code
//! stands still. Holds: a line where nobody stops costs nothing; a stop passes no safepoint and changes
//! nothing that a script can see, so a debugged run counts as much as any; without a debugger none of this is
//! installed. Not here: which lines to stop at, and when (`script::debug`).
//!
//! A step is made of stops at every line: Luau's own single step holds only from the next call on.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::{Rc, Weak};

use mlua::{Function, Lua, LuaOptions, StdLib, Value, WeakLua};

use crate::base::ordered::CollectOrdered;
use crate::script::vm::chunk_names::OWN_CHUNK;
use crate::script::vm::fault::CallFailure;
use crate::script::vm::strides;

/// Frames of one stack that are looked at.
const LEVELS_MAX: i32 = 20_100;
/// The most frames of scripts that are reported of one stack.
const FRAMES_TOLD_MAX: usize = 1000;
/// Locals of a frame, and upvalues of a function: Luau allows 200 of each.
const NAMED_MAX: i32 = 256;

/// The debugger, asked at a line, at a fault and when code was loaded.
pub(crate) trait Hook {
    /// Code is about to run a line where it may stop. Returns when it may go on.
    fn at_line(&self, lua: &Lua, at: &Standing);
    /// A call of the host is about to end by a fault; its stack still stands.
    fn at_fault(&self, lua: &Lua, failure: &CallFailure, at: &Standing);
    /// A file was compiled, to be run.
    fn loaded(&self, lua: &Lua, file: &str);
    /// Whether a client wants to stop wherever code is.
    fn wants_pause(&self) -> bool;
    /// Code has come to a safepoint while a client wants that: every line is to be stopped at from now on.
    fn pause_at_next_line(&self, lua: &Lua);
}

/// What it holds is not shown: all of it would have to be compiled to be shown.
impl fmt::Debug for dyn Hook + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hook")
    }
}

/// A coroutine or the state of the host, while it stands still. An address, to be used before it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stack(raw::State);

impl Stack {
    /// That of a coroutine.
    pub(crate) fn of(thread: &mlua::Thread) -> Self {
        Self(thread.state())
    }

    /// That of the code that runs.
    pub(crate) fn running(lua: &Lua) -> Self {
        Self(lua.state())
    }

    /// Its address, to compare.
    pub(crate) fn address(self) -> usize {
        self.0.addr()
    }
}

/// Where code stands.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub(crate) stack: Stack,
    /// The file of the innermost frame of a script.
    pub(crate) file: String,
    pub(crate) line: u32,
    /// Calls inside each other on that stack.
    pub(crate) depth: i32,
}

/// A frame of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScriptFrame {
    pub(crate) stack: Stack,
    pub(crate) level: i32,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) function: Option<String>,
}

/// The code of a file, and the lines where it can stop.
#[derive(Debug)]
struct Root {
    file: String,
    body: Function,
    lines: BTreeSet<u32>,
    enabled: BTreeSet<u32>,
}

/// A VM that may be gone.
struct Weakly(WeakLua);

impl fmt::Debug for Weakly {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a VM")
    }
}

/// What is there for a debugger in one VM.
#[derive(Debug)]
pub(crate) struct DebugPort {
    lua: Weakly,
    hook: Rc<dyn Hook>,
    roots: RefCell<Vec<Root>>,
    /// Lines to stop at, by file.
    wanted: RefCell<BTreeMap<String, BTreeSet<u32>>>,
    /// Whether every line is stopped at.
    is_everywhere: Cell<bool>,
    /// Whether the hook is at work: what runs then stops nowhere.
    is_busy: Cell<bool>,
    /// Bytes that are in use for debugging alone.
    pub(crate) extra_bytes: Cell<usize>,
    safepoint: Cell<Option<raw::Safepoint>>,
}

impl DebugPort {
    /// Installs the port in a VM.
    ///
    /// # Errors
    /// When the memory of the VM is spent.
    pub(crate) fn install(lua: &Lua, hook: Rc<dyn Hook>) -> mlua::Result<Rc<Self>> {
        let port = Rc::new(Self {
            lua: Weakly(lua.weak()),
            hook,
            roots: RefCell::default(),
            wanted: RefCell::default(),
            is_everywhere: Cell::new(false),
            is_busy: Cell::new(false),
            extra_bytes: Cell::new(0),
            safepoint: Cell::new(None),
        });
        port.safepoint.set(raw::install(lua, &port)?);
        Ok(port)
    }

    /// Something has taken the place of the port at safepoints, as a profile does: the port goes in front of
    /// it.
    ///
    /// # Errors
    /// When the memory of the VM is spent.
    pub(crate) fn go_in_front(&self, lua: &Lua) -> mlua::Result<()> {
        if let Some(behind) = raw::take_safepoints(lua)? {
            self.safepoint.set(Some(behind));
        }
        Ok(())
    }

    /// The code of a file was compiled and is to run: it takes the place of an older one.
    pub(crate) fn register(&self, lua: &Lua, file: &str, body: &Function) {
        let lines = raw::lines(lua, body);
        let root = Root { file: file.to_owned(), body: body.clone(), lines, enabled: BTreeSet::new() };
        let mut roots = self.roots.borrow_mut();
        let old = roots.iter().position(|root| root.file == file);
        if let Some(mut old) = old.map(|at| roots.remove(at)) {
            set_lines(lua, &mut old, &BTreeSet::new());
        }
        roots.push(root);
        drop(roots);
        self.hook.loaded(lua, file);
        self.apply(lua);
    }

    /// The lines where a file can stop; none for one that was not loaded.
    pub(crate) fn lines_of(&self, file: &str) -> Option<BTreeSet<u32>> {
        let roots = self.roots.borrow();
        roots.iter().find(|root| root.file == file).map(|root| root.lines.clone())
    }

    /// Stops at these lines of a file from now on.
    pub(crate) fn stop_at(&self, lua: &Lua, file: &str, lines: BTreeSet<u32>) {
        self.wanted.borrow_mut().insert(file.to_owned(), lines);
        self.apply(lua);
    }

    /// Stops at every line, or at those that were asked for.
    pub(crate) fn set_everywhere(&self, lua: &Lua, lines: Lines) {
        if self.is_everywhere.replace(lines == Lines::All) != (lines == Lines::All) {
            self.apply(lua);
        }
    }

    fn apply(&self, lua: &Lua) {
        let wanted = self.wanted.borrow();
        for root in self.roots.borrow_mut().iter_mut() {
            let lines = match wanted.get(&root.file) {
                _ if self.is_everywhere.get() => root.lines.clone(),
                Some(lines) => lines.intersection(&root.lines).copied().collect_set(),
                None => BTreeSet::new(),
            };
            set_lines(lua, root, &lines);
        }
    }

    /// Runs `run` while nothing stops.
    pub(crate) fn busy<R>(&self, run: impl FnOnce() -> R) -> R {
        let before = self.is_busy.replace(true);
        let result = run();
        self.is_busy.set(before);
        result
    }

    /// A call is about to end by a fault: the handler of errors that runs on its stack tells.
    pub(crate) fn fault(&self, lua: &Lua, failure: &CallFailure) {
        if self.is_busy.get() {
            return;
        }
        let stack = Stack::running(lua);
        let frame = frames(stack).into_iter().next();
        let (file, line) = frame.map_or_else(Default::default, |frame| (frame.file, frame.line));
        let at = Standing { stack, file, line, depth: raw::depth(stack.0) };
        self.hook.at_fault(lua, failure, &at);
    }

    /// The VM has come to a line.
    fn line(&self, state: raw::State, line: u32) {
        if self.is_busy.get() {
            return;
        }
        let Some((lua, file)) = self.lua.0.try_upgrade().zip(raw::file_at(state, 0)) else { return };
        let at = Standing { stack: Stack(state), file, line, depth: raw::depth(state) };
        self.hook.at_line(&lua, &at);
    }

    /// The VM has come to a safepoint.
    fn at_safepoint(&self) {
        if !self.is_busy.get()
            && !self.is_everywhere.get()
            && self.hook.wants_pause()
            && let Some(lua) = self.lua.0.try_upgrade()
        {
            self.hook.pause_at_next_line(&lua);
        }
    }
}

/// Which lines are stopped at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Every line.
    All,
    /// Those that were asked for.
    AskedFor,
}

/// Whether the VM stops at a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineBreak {
    /// It stops.
    Set,
    /// It goes on.
    Cleared,
}

fn set_lines(lua: &Lua, root: &mut Root, lines: &BTreeSet<u32>) {
    for &line in root.enabled.symmetric_difference(lines) {
        let line_break = if lines.contains(&line) { LineBreak::Set } else { LineBreak::Cleared };
        raw::breakpoint(lua, &root.body, line, line_break);
    }
    root.enabled.clone_from(lines);
}

/// Bytes that the names of locals take in the VM beyond the code without them, measured in a VM of their own.
pub(crate) fn bytes_of_names(text: &str) -> usize {
    let bytes = |code: mlua::Result<Vec<u8>>| {
        let lua = Lua::new_with(StdLib::NONE, LuaOptions::default()).ok()?;
        let before = lua.used_memory();
        let body = lua.load(code.ok()?).set_mode(mlua::chunk::ChunkMode::Binary).into_function().ok()?;
        let bytes = lua.used_memory().saturating_sub(before);
        drop(body);
        Some(bytes)
    };
    let (named, plain) = (bytes(strides::compile_for_debugger(text)), bytes(strides::compile(text)));
    named.unwrap_or(0).saturating_sub(plain.unwrap_or(0))
}

/// The lines where a body that is not registered can stop.
pub(crate) fn lines(lua: &Lua, body: &Function) -> BTreeSet<u32> {
    raw::lines(lua, body)
}

/// The frames of scripts on a stack, innermost first.
pub(crate) fn frames(stack: Stack) -> Vec<ScriptFrame> {
    let own = |level: i32| {
        let file = raw::file_at(stack.0, level)?;
        let (line, function) = raw::line_at(stack.0, level)?;
        let is_own = file == OWN_CHUNK || line == 0;
        (!is_own).then_some(ScriptFrame { stack, level, file, line, function })
    };
    let depth = raw::depth(stack.0).min(LEVELS_MAX);
    (0..depth).filter_map(own).take(FRAMES_TOLD_MAX).collect()
}

/// Calls inside each other on a stack, up to the innermost frame of a script.
pub(crate) fn depth(stack: Stack) -> i32 {
    let level = frames(stack).first().map_or(0, |frame| frame.level);
    raw::depth(stack.0) - level
}

/// A local of a frame.
#[derive(Clone, Debug)]
pub(crate) struct FrameLocal {
    /// What Luau knows it by in this frame, while it stands there.
    number: i32,
    pub(crate) name: String,
    pub(crate) value: Value,
}

/// The locals of a frame that are in force; of several of one name the last is the one that the code sees.
///
/// Luau tells those of inner blocks first. Those of the function itself begin with its parameters, which are
/// found by their values.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn locals(lua: &Lua, frame: &ScriptFrame) -> mlua::Result<Vec<FrameLocal>> {
    let mut locals = Vec::new();
    for number in 1..NAMED_MAX {
        match raw::local(lua, frame, number)? {
            Some((name, value)) => locals.push(FrameLocal { number, name, value }),
            None => break,
        }
    }
    let mut parameters = Vec::new();
    for number in 1..=raw::parameter_count(frame) {
        parameters.extend(raw::argument(lua, frame, number)?);
    }
    let begins = |from: &usize| {
        let own = locals[*from..].iter().map(|local| &local.value);
        locals.len() - from >= parameters.len()
            && own.zip(&parameters).all(|(own, given)| is_same(own, given))
    };
    let inner = match parameters.len() {
        0 => locals.len(),
        _ => (0..locals.len()).find(begins).unwrap_or(locals.len()),
    };
    let mut ordered = locals.split_off(inner);
    ordered.extend(locals.into_iter().rev());
    Ok(ordered)
}

/// Whether two values are the same; NaN is the same as itself here.
fn is_same(one: &Value, other: &Value) -> bool {
    let is_nan = |value: &Value| matches!(value, Value::Number(number) if number.is_nan());
    one == other || is_nan(one) && is_nan(other)
}

/// Changes a local.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn set_local(
    lua: &Lua,
    frame: &ScriptFrame,
    local: &FrameLocal,
    value: &Value,
) -> mlua::Result<()> {
    raw::set_local(lua, frame, local.number, value)
}

/// The arguments of a frame beyond its parameters.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn variadic(lua: &Lua, frame: &ScriptFrame) -> mlua::Result<Vec<Value>> {
    let mut values = Vec::new();
    let first = raw::parameter_count(frame) + 1;
    while let Some(value) = raw::argument(lua, frame, first + values.len() as i32)? {
        values.push(value);
        if values.len() >= NAMED_MAX as usize {
            break;
        }
    }
    Ok(values)
}

/// The function that runs in a frame.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn function_of(lua: &Lua, frame: &ScriptFrame) -> mlua::Result<Option<Function>> {
    raw::function(lua, frame)
}

/// The captured values of a function, by number from 1; names are empty where the code carries none.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn upvalues(lua: &Lua, function: &Function) -> mlua::Result<Vec<(String, Value)>> {
    let mut found = Vec::new();
    for number in 1..NAMED_MAX {
        match raw::upvalue(lua, function, number)? {
            Some(upvalue) => found.push(upvalue),
            None => break,
        }
    }
    Ok(found)
}

/// Puts a value in the place of a captured value of a function.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn set_upvalue(lua: &Lua, function: &Function, number: usize, value: &Value) -> mlua::Result<()> {
    raw::set_upvalue(lua, function, i32::try_from(number).unwrap_or(NAMED_MAX), value)
}

/// The calls into the VM.
///
/// Why this is sound:
/// 1. The callbacks are written at setup, that of safepoints once more when a run is profiled, through mlua's
///    own lock, into the record of the VM; mlua writes neither `debugbreak` nor, as this crate uses it,
///    `interrupt`. The safepoint that was there before is called behind ours with the same arguments; ours is
///    never put behind itself.
/// 2. `PORTS` finds the port of a VM by the address of its main state; it is looked up, never followed. A
///    port that is gone is a `Weak` that gives nothing. A VM is not `Send`, so its port is on its own thread.
/// 3. `debugbreak` is called with room for twenty values above the live registers (`luau_callhook`), and Luau
///    puts back the top of the stack and reloads its registers afterwards, so values may be pushed, taken
///    away and functions be called from within. Patching an instruction changes its number alone, and the
///    instruction under way was read already.
/// 4. Panics of Rust do not leave the callbacks: they are noted as those of any host function are and go on
///    when the call of the host has ended. Nothing else with a destructor is alive when Lua raises:
///    everything that may raise is inside `exec_raw`, which catches it.
/// 5. A `State` is an address that is used only while what it belongs to stands still: that of the code that
///    stopped, or of a coroutine that a table of the VM or a task keeps alive; nothing is collected
///    meanwhile. Values are pushed onto it after asking for room, moved to the state of the host at once, and
///    so it is left as it was. Levels and numbers beyond what there is give null or 0, which are looked for.
/// 6. Texts that Luau hands out (names, sources) are copied before anything else is called.
#[allow(unsafe_code)]
mod raw {
    use std::collections::BTreeSet;
    use std::ffi::{CStr, c_char, c_int};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::rc::Rc;

    use mlua::{Function, Lua, Value, ffi};

    use crate::script::vm::debug::{DebugPort, LineBreak, PORTS, ScriptFrame};
    use crate::script::vm::lend;

    pub(super) type State = *mut ffi::lua_State;
    pub(super) type Safepoint = unsafe extern "C-unwind" fn(*mut ffi::lua_State, c_int);

    pub(super) fn install(lua: &Lua, port: &Rc<DebugPort>) -> mlua::Result<Option<Safepoint>> {
        let mut main = std::ptr::null_mut();
        // SAFETY: point 1; the closure does not panic and leaves the stack as it was.
        unsafe {
            lua.exec_raw::<()>((), |state| {
                (*ffi::lua_callbacks(state)).debugbreak = Some(on_break);
                main = ffi::lua_mainthread(state);
            })?;
        }
        let before = take_safepoints(lua)?;
        PORTS.with_borrow_mut(|ports| {
            ports.retain(|(_, port)| port.strong_count() > 0);
            ports.push((main.addr(), Rc::downgrade(port)));
        });
        Ok(before)
    }

    /// Puts ours in the place of the callback of safepoints; which was there, if that was another.
    pub(super) fn take_safepoints(lua: &Lua) -> mlua::Result<Option<Safepoint>> {
        let mut before = None;
        // SAFETY: point 1; the closure does not panic and leaves the stack as it was.
        unsafe {
            lua.exec_raw::<()>((), |state| {
                before = (*ffi::lua_callbacks(state)).interrupt.replace(on_safepoint);
            })?;
        }
        Ok(before.filter(|before| !std::ptr::fn_addr_eq(*before, on_safepoint as Safepoint)))
    }

    fn port_of(state: State) -> Option<Rc<DebugPort>> {
        // SAFETY: reads a field of a live VM.
        let main = unsafe { ffi::lua_mainthread(state) }.addr();
        let find = |ports: &Vec<(usize, std::rc::Weak<DebugPort>)>| {
            ports.iter().find(|(of, port)| *of == main && port.strong_count() > 0)?.1.upgrade()
        };
        PORTS.try_with(|ports| find(&*ports.try_borrow().ok()?)).ok().flatten()
    }

    /// Point 4.
    fn guarded(run: impl FnOnce()) {
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let _watch = lend::PanicWatch;
            run();
        }));
    }

    unsafe extern "C-unwind" fn on_break(state: *mut ffi::lua_State, debug: *mut ffi::lua_Debug) {
        // SAFETY: called by Luau with a live state and a record whose line is filled in.
        let line = unsafe { (*debug).currentline };
        if let (Some(port), Ok(line)) = (port_of(state), u32::try_from(line)) {
            guarded(|| port.line(state, line));
        }
    }

    unsafe extern "C-unwind" fn on_safepoint(state: *mut ffi::lua_State, gc: c_int) {
        let Some(port) = port_of(state) else { return };
        if gc < 0 {
            guarded(|| port.at_safepoint());
        }
        let before = port.safepoint.get();
        // It may raise: nothing is left to be dropped. The owner of the VM owns the port as well.
        drop(port);
        if let Some(before) = before {
            // SAFETY: the callback that was installed before, with what Luau gave.
            unsafe { before(state, gc) }
        }
    }

    pub(super) fn depth(state: State) -> c_int {
        // SAFETY: point 5.
        unsafe { ffi::lua_stackdepth(state) }
    }

    /// What Luau tells of a level by the letters of `what`; none beyond the last.
    fn info(state: State, level: c_int, what: &CStr) -> Option<ffi::lua_Debug> {
        // SAFETY: point 5; all bits 0 are a valid record, and the letters asked for push nothing.
        unsafe {
            let mut debug: ffi::lua_Debug = std::mem::zeroed();
            (ffi::lua_getinfo(state, level, what.as_ptr(), &raw mut debug) != 0).then_some(debug)
        }
    }

    fn text(text: *const c_char) -> Option<String> {
        // SAFETY: point 6: null, or a text that ends in 0.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }

    /// The name of the file of a level; none for code of the host.
    pub(super) fn file_at(state: State, level: c_int) -> Option<String> {
        let source = text(info(state, level, c"s")?.source)?;
        Some(source.strip_prefix('=').filter(|name| *name != "[C]")?.to_owned())
    }

    pub(super) fn line_at(state: State, level: c_int) -> Option<(u32, Option<String>)> {
        let debug = info(state, level, c"ln")?;
        Some((u32::try_from(debug.currentline).unwrap_or(0), text(debug.name)))
    }

    pub(super) fn parameter_count(frame: &ScriptFrame) -> c_int {
        info(frame.stack.0, frame.level, c"a").map_or(0, |debug| c_int::from(debug.nparams))
    }

    /// Lets `push` put one value onto the stack of a frame, which comes back; none when it pushed nothing.
    fn taken(
        lua: &Lua,
        frame: &ScriptFrame,
        mut push: impl FnMut(State, c_int) -> bool,
    ) -> mlua::Result<Option<Value>> {
        let mut is_there = false;
        // SAFETY: points 3 and 5. On the same stack the call of `exec_raw` is one level more.
        let value: Value = unsafe {
            lua.exec_raw((), |state| {
                let from = frame.stack.0;
                let level = frame.level + c_int::from(from == state);
                if ffi::lua_checkstack(from, 2) == 0 {
                    return;
                }
                is_there = push(from, level);
                if is_there && from != state {
                    ffi::lua_xmove(from, state, 1);
                }
            })?
        };
        Ok(is_there.then_some(value))
    }

    pub(super) fn local(
        lua: &Lua,
        frame: &ScriptFrame,
        number: c_int,
    ) -> mlua::Result<Option<(String, Value)>> {
        let mut name = None;
        let value = taken(lua, frame, |state, level| {
            // SAFETY: pushes a value when it returns a name.
            name = text(unsafe { ffi::lua_getlocal(state, level, number) });
            name.is_some()
        })?;
        Ok(name.zip(value))
    }

    pub(super) fn argument(lua: &Lua, frame: &ScriptFrame, number: c_int) -> mlua::Result<Option<Value>> {
        // SAFETY: pushes a value when it returns 1.
        taken(lua, frame, |state, level| unsafe { ffi::lua_getargument(state, level, number) != 0 })
    }

    pub(super) fn function(lua: &Lua, frame: &ScriptFrame) -> mlua::Result<Option<Function>> {
        let value = taken(lua, frame, |state, level| {
            // SAFETY: as in `info`; the letter `f` pushes the function.
            unsafe {
                let mut debug: ffi::lua_Debug = std::mem::zeroed();
                ffi::lua_getinfo(state, level, c"f".as_ptr(), &raw mut debug) != 0
            }
        })?;
        Ok(value.and_then(|value| value.as_function().cloned()))
    }

    pub(super) fn set_local(
        lua: &Lua,
        frame: &ScriptFrame,
        number: c_int,
        value: &Value,
    ) -> mlua::Result<()> {
        // SAFETY: points 3 and 5; the value is moved onto the stack of the frame, from where it is taken.
        unsafe {
            lua.exec_raw(value, |state| {
                let to = frame.stack.0;
                let level = frame.level + c_int::from(to == state);
                if ffi::lua_checkstack(to, 2) == 0 {
                    return;
                }
                if to != state {
                    ffi::lua_xmove(state, to, 1);
                }
                ffi::lua_setlocal(to, level, number);
            })
        }
    }

    pub(super) fn upvalue(
        lua: &Lua,
        function: &Function,
        number: c_int,
    ) -> mlua::Result<Option<(String, Value)>> {
        let mut name = None;
        // SAFETY: the function lies at 1; its upvalue is pushed when there is one.
        let value: Value = unsafe {
            lua.exec_raw(function, |state| {
                name = text(ffi::lua_getupvalue(state, 1, number));
                ffi::lua_remove(state, 1);
            })?
        };
        Ok(name.map(|name| (name, value)))
    }

    pub(super) fn set_upvalue(
        lua: &Lua,
        function: &Function,
        number: c_int,
        value: &Value,
    ) -> mlua::Result<()> {
        // SAFETY: the function lies at 1, the value on top, from where it is taken.
        unsafe {
            lua.exec_raw((function, value), |state| {
                ffi::lua_setupvalue(state, 1, number);
                ffi::lua_settop(state, 0);
            })
        }
    }

    /// Breaks at a line of a body and of the functions in it, or no longer. Gives the line where it breaks.
    pub(super) fn breakpoint(lua: &Lua, body: &Function, line: u32, line_break: LineBreak) -> Option<u32> {
        let (line, mut found) = (c_int::try_from(line).ok()?, -1);
        // SAFETY: the value at 1 is a function of a script: `lines` and `register` are given no others.
        let done: mlua::Result<()> = unsafe {
            lua.exec_raw(body, |state| {
                if ffi::lua_iscfunction(state, 1) == 0 {
                    found = ffi::lua_breakpoint(state, 1, line, c_int::from(line_break == LineBreak::Set));
                }
                ffi::lua_settop(state, 0);
            })
        };
        done.ok().and_then(|()| u32::try_from(found).ok())
    }

    pub(super) fn lines(lua: &Lua, body: &Function) -> BTreeSet<u32> {
        let mut lines = BTreeSet::new();
        let mut from = 1;
        // Each turn goes on behind the line that was found.
        while let Some(line) = breakpoint(lua, body, from, LineBreak::Cleared) {
            lines.insert(line);
            from = line + 1;
        }
        lines
    }
}

thread_local! {
    /// The ports of this thread's VMs, by the address of their main state.
    static PORTS: RefCell<Vec<(usize, Weak<DebugPort>)>> = const { RefCell::new(Vec::new()) };
}
