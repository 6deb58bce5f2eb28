//! The data that the parts of a VM share.
//!
//! In: the VM. Out: its counters, its limits, the texts of its scripts. Holds: no value of a script but the
//! table behind the globals and what a question sees; nothing here calls Lua. Not here: calls (`vm`), files
//! as they are loaded (`loader`).

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Function, Lua, Table, Value};

use crate::base::hash::StateHash;
use crate::base::rng::Rng;
use crate::script::state::profile::Ledger;
use crate::script::vm::account::Account;
use crate::script::vm::console::Console;
use crate::script::vm::copies::Copies;
use crate::script::vm::debug::{DebugPort, Stack};
use crate::script::vm::fault::{CallFailure, FailureInside};
use crate::script::vm::files::{FileError, Loads, ScriptTexts};
use crate::script::vm::fuel::Fuel;
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::memory_limit::MemoryLimit;

/// What the parts of a VM share: counters and tables of the host, no Lua values.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) fuel: Fuel,
    pub(crate) limits: ScriptLimits,
    pub(crate) seed: u64,
    /// `math.random` of each file, by stream name.
    pub(crate) streams: RefCell<BTreeMap<String, Rng>>,
    pub(crate) console: RefCell<Console>,
    pub(crate) account: Account,
    /// What the VM may use of the memory of the level.
    pub(crate) memory: MemoryLimit,
    /// What has resumed the coroutines of scripts that run inside each other right now.
    pub(crate) resumers: RefCell<Vec<Stack>>,
    /// Bodies of files that run inside each other right now.
    pub(crate) loading: Cell<u32>,
    /// The report of the handler of the running call, from before the stack was unwound.
    pub(crate) failure: RefCell<Option<CallFailure>>,
    /// The report of the body of a file that is required, or of a coroutine: its error goes through those
    /// that require or resume it.
    pub(crate) failure_inside: RefCell<Option<FailureInside>>,
    /// The same of an error that was caught, until it is known whether it goes on from there.
    pub(crate) failure_aside: RefCell<Option<FailureInside>>,
    pub(crate) texts: RefCell<ScriptTexts>,
    pub(crate) loads: Loads,
    /// Whether the host asks for a file on behalf of a script: the script does not depend on it then.
    pub(crate) host_asks: Cell<bool>,
    /// Whether a script has asked which coroutine it runs in: it may hold one that is over.
    pub(crate) is_coroutine_known: Cell<bool>,
    /// Where a debugger is connected.
    pub(crate) debug: OnceCell<Rc<DebugPort>>,
    /// Where code runs for a viewer, what it sees: what would change anything is refused.
    pub(crate) copies: RefCell<Option<Copies>>,
    /// The table behind the globals of every file.
    pub(crate) shared: OnceCell<Table>,
    /// Luau's own `xpcall`.
    pub(crate) protect: OnceCell<Function>,
    /// What calls cost, while a profile is made.
    pub(crate) profile: RefCell<Option<Ledger>>,
}

impl Machine {
    /// One for a VM that has run nothing yet.
    pub(super) fn new(fuel: Fuel, limits: ScriptLimits, seed: u64) -> Self {
        Self {
            fuel,
            limits,
            seed,
            streams: RefCell::default(),
            console: RefCell::default(),
            account: Account::default(),
            memory: MemoryLimit::default(),
            resumers: RefCell::default(),
            loading: Cell::new(0),
            failure: RefCell::default(),
            failure_inside: RefCell::default(),
            failure_aside: RefCell::default(),
            texts: RefCell::default(),
            loads: Loads::default(),
            host_asks: Cell::new(false),
            is_coroutine_known: Cell::new(false),
            debug: OnceCell::new(),
            copies: RefCell::default(),
            shared: OnceCell::new(),
            protect: OnceCell::new(),
            profile: RefCell::default(),
        }
    }

    /// Whether code runs for a viewer, and may change nothing.
    pub(crate) fn is_looking(&self) -> bool {
        self.copies.borrow().is_some()
    }

    /// A value of the scripts as the code under way may have it: a copy where it only looks.
    pub(crate) fn handed_out(&self, lua: &Lua, value: Value) -> mlua::Result<Value> {
        match &mut *self.copies.borrow_mut() {
            Some(copies) => copies.hand_out(lua, &value),
            None => Ok(value),
        }
    }

    /// Whether the body of a file runs right now.
    pub(crate) fn is_loading(&self) -> bool {
        self.loading.get() > 0
    }

    /// The texts of the level's scripts.
    pub(crate) fn texts(&self) -> std::cell::Ref<'_, ScriptTexts> {
        self.texts.borrow()
    }

    /// Bytes in use for a debugger alone.
    pub(crate) fn extra_bytes(&self) -> usize {
        self.debug.get().map_or(0, |port| port.extra_bytes.get())
    }
}

/// What the parts of a VM share.
pub(crate) fn machine_of(lua: &Lua) -> Option<Rc<Machine>> {
    lua.app_data_ref::<Rc<Machine>>().map(|machine| Rc::clone(&machine))
}

/// Collects everything that nothing reaches.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn collect(lua: &Lua) -> mlua::Result<()> {
    let machine = machine_of(lua);
    machine.map_or(Ok(()), |machine| machine.fuel.collect(lua))
}

/// Whether the body of a file runs right now: only `require`, `bt`, `log`, `test.level` and the libraries
/// work then.
#[must_use]
pub fn is_loading(lua: &Lua) -> bool {
    lua.app_data_ref::<Rc<Machine>>().is_some_and(|machine| machine.is_loading())
}

/// The whole name of the file that `asked` means, if it means one.
pub(crate) fn resolve_name(lua: &Lua, asked: &str) -> Option<String> {
    let machine = machine_of(lua)?;
    machine.texts.borrow().resolve(asked).ok().map(str::to_owned)
}

/// A line of a script, and how many bytes were looked through for it; none when the text or the line is not
/// there.
pub(crate) fn line_of(lua: &Lua, path: &str, line: u32) -> Option<(String, u64)> {
    let machine = machine_of(lua)?;
    let texts = machine.texts.borrow();
    let text = &texts.get(ScriptTexts::name_of_path(path)?)?.text;
    let found = text.lines().nth((line.max(1) - 1) as usize)?;
    // As many as lie before the end of the line.
    let bytes = found.as_ptr() as usize + found.len() - text.as_ptr() as usize;
    // Longer lines are no code that a person wrote.
    (found.len() <= 4096).then(|| (found.to_owned(), bytes as u64))
}

/// Lets the host ask for a file from within a call of a script, which does not come to depend on it.
pub(crate) fn on_behalf_of_host<R>(lua: &Lua, ask: impl FnOnce() -> R) -> R {
    let machine = machine_of(lua);
    let before = machine.as_ref().map(|machine| machine.host_asks.replace(true));
    let answer = ask();
    if let (Some(machine), Some(before)) = (machine, before) {
        machine.host_asks.set(before);
    }
    answer
}

/// The text of the script that `asked` means.
///
/// # Errors
/// When it means none, or several.
pub(crate) fn text_of_script(lua: &Lua, asked: &str) -> Result<String, FileError> {
    let Some(machine) = lua.app_data_ref::<Rc<Machine>>() else {
        return Ok(String::new());
    };
    let texts = machine.texts.borrow();
    let name = texts.resolve(asked)?;
    Ok(texts.get(name).map_or_else(String::new, |file| file.text.clone()))
}

/// The path of the script that `asked` means.
///
/// # Errors
/// When it means none, or several.
pub(crate) fn path_of_script(lua: &Lua, asked: &str) -> Result<String, FileError> {
    let Some(machine) = lua.app_data_ref::<Rc<Machine>>() else {
        return Ok(asked.to_owned());
    };
    let texts = machine.texts.borrow();
    let name = texts.resolve(asked)?;
    Ok(texts.get(name).map_or_else(|| asked.to_owned(), |file| file.path.clone()))
}

/// Mixes the random streams of the files into `hash`.
pub(crate) fn hash_streams(lua: &Lua, hash: &mut StateHash) {
    if let Some(machine) = lua.app_data_ref::<Rc<Machine>>() {
        for (name, stream) in machine.streams.borrow().iter() {
            hash.text(name);
            stream.hash_into(hash);
        }
    }
}

/// Counts `units` of fuel for work that the host did for the script.
///
/// # Errors
/// When there is not so much left; the call ends at its next safepoint.
pub fn charge(lua: &Lua, units: u64) -> mlua::Result<()> {
    match lua.app_data_ref::<Rc<Machine>>() {
        Some(machine) => machine.fuel.charge(units),
        None => Ok(()),
    }
}
