//! Copies of script values, for debugger questions that may change their arguments.
//!
//! In: values of a frame, values that the host hands out meanwhile. Out: the same values in copies, and
//! functions that see copies for as long as a question runs. Holds: values of scripts stay unchanged; shared
//! tables stay shared; bounded. Not here: the host's part of a question (`bind::table`, which refuses verbs
//! meanwhile).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use mlua::{Buffer, Function, Lua, Table, Value};

use crate::script::vm::chunk_names::OWN_CHUNK;
use crate::script::vm::debug::{set_upvalue, upvalues};

/// Values that are copied for one question.
const VALUES_MAX: usize = 200_000;
/// Bytes of a buffer that count as a value: about as many as a value takes with its place in a table.
const BYTES_OF_A_VALUE: usize = 64;

/// Copies under way.
#[derive(Debug)]
pub(crate) struct Copies {
    /// Tables that stay what they are: those of the libraries, which nobody can change, and copies.
    kept: BTreeSet<usize>,
    /// Tables behind all globals that scripts can change.
    changeable: Vec<(Value, Table)>,
    /// By address: a table, and its copy.
    tables: BTreeMap<usize, (Table, Table)>,
    /// The same of buffers.
    buffers: BTreeMap<usize, (Buffer, Buffer)>,
    /// Tables that have a copy which is still empty.
    open: VecDeque<(Table, Table)>,
    functions: BTreeSet<usize>,
    met: VecDeque<Function>,
    captured: Vec<Captured>,
    /// How many of those see copies.
    seeing: usize,
    left: usize,
}

/// What a function has captured, and its globals.
#[derive(Debug)]
struct Captured {
    function: Function,
    values: Vec<(Value, Value)>,
    globals: Option<(Table, Table)>,
}

impl Copies {
    /// None yet; `shared` is the table behind the globals of every file.
    pub(crate) fn new(shared: &Table) -> Self {
        let (mut kept, mut changeable) = (BTreeSet::from([shared.to_pointer().addr()]), Vec::new());
        for pair in shared.pairs::<Value, Value>().flatten() {
            match pair {
                (_, Value::Table(library)) if library.is_readonly() => {
                    kept.insert(library.to_pointer().addr());
                }
                (name, Value::Table(table)) => changeable.push((name, table)),
                _ => {}
            }
        }
        Self {
            kept,
            changeable,
            tables: BTreeMap::new(),
            buffers: BTreeMap::new(),
            open: VecDeque::new(),
            functions: BTreeSet::new(),
            met: VecDeque::new(),
            captured: Vec::new(),
            seeing: 0,
            left: VALUES_MAX,
        }
    }

    /// The copy of a value; what it holds is copied by [`Copies::show`].
    pub(crate) fn of(&mut self, lua: &Lua, value: &Value) -> mlua::Result<Value> {
        self.left = self.left.saturating_sub(1);
        Ok(match value {
            Value::Table(table) => Value::Table(self.of_table(lua, table)?),
            Value::Function(function) => {
                self.meet(function);
                value.clone()
            }
            Value::Buffer(buffer) => Value::Buffer(self.of_buffer(lua, buffer)?),
            // A coroutine as well: a question can neither resume nor close one.
            other => other.clone(),
        })
    }

    /// One copy of a buffer, wherever it is held.
    fn of_buffer(&mut self, lua: &Lua, buffer: &Buffer) -> mlua::Result<Buffer> {
        let address = Value::Buffer(buffer.clone()).to_pointer().addr();
        if let Some((_, copy)) = self.buffers.get(&address) {
            return Ok(copy.clone());
        }
        let values = buffer.len() / BYTES_OF_A_VALUE;
        if values > self.left {
            return Err(too_many());
        }
        self.left -= values;
        let copy = lua.create_buffer(buffer.to_vec())?;
        self.buffers.insert(address, (buffer.clone(), copy.clone()));
        Ok(copy)
    }

    fn of_table(&mut self, lua: &Lua, table: &Table) -> mlua::Result<Table> {
        let address = table.to_pointer().addr();
        if self.kept.contains(&address) {
            return Ok(table.clone());
        }
        if let Some((_, copy)) = self.tables.get(&address) {
            return Ok(copy.clone());
        }
        let copy = lua.create_table()?;
        self.kept.insert(copy.to_pointer().addr());
        self.tables.insert(address, (table.clone(), copy.clone()));
        self.open.push_back((table.clone(), copy.clone()));
        Ok(copy)
    }

    /// The copy of the globals of a file.
    pub(crate) fn of_globals(&mut self, lua: &Lua, globals: &Table) -> mlua::Result<Table> {
        let copy = self.of_table(lua, globals)?;
        if copy != *globals {
            self.put_changeable(lua, &copy)?;
        }
        Ok(copy)
    }

    /// Puts copies of what scripts can change behind their globals in front of it.
    pub(crate) fn put_changeable(&mut self, lua: &Lua, globals: &Table) -> mlua::Result<()> {
        for (name, table) in self.changeable.clone() {
            if globals.raw_get::<Value>(&name)?.is_nil() {
                globals.raw_set(name, self.of_table(lua, &table)?)?;
            }
        }
        Ok(())
    }

    fn meet(&mut self, function: &Function) {
        let info = function.info();
        let is_script = info.what != "C" && info.short_src.as_deref() != Some(OWN_CHUNK);
        if is_script && self.functions.insert(function.to_pointer().addr()) {
            self.met.push_back(function.clone());
        }
    }

    /// Copies everything that is reached from what was copied.
    fn finish(&mut self, lua: &Lua) -> mlua::Result<()> {
        while self.left > 0 {
            if let Some((table, copy)) = self.open.pop_front() {
                self.fill(lua, &table, &copy)?;
            } else if let Some(function) = self.met.pop_front() {
                self.capture(lua, function)?;
            } else {
                return Ok(());
            }
        }
        Err(too_many())
    }

    fn fill(&mut self, lua: &Lua, table: &Table, copy: &Table) -> mlua::Result<()> {
        for pair in table.pairs::<Value, Value>() {
            let (key, value) = pair?;
            let (key, value) = (self.of(lua, &key)?, self.of(lua, &value)?);
            copy.raw_set(key, value)?;
        }
        if let Some(meta) = table.metatable() {
            copy.set_metatable(Some(self.of_table(lua, &meta)?))?;
        }
        if table.is_readonly() {
            copy.set_readonly(true);
        }
        Ok(())
    }

    fn capture(&mut self, lua: &Lua, function: Function) -> mlua::Result<()> {
        let mut values = Vec::new();
        for (_, value) in upvalues(lua, &function)? {
            let copy = self.of(lua, &value)?;
            values.push((value, copy));
        }
        let globals = match function.environment() {
            Some(globals) => {
                let copy = self.of_globals(lua, &globals)?;
                Some((globals, copy))
            }
            None => None,
        };
        self.captured.push(Captured { function, values, globals });
        Ok(())
    }

    /// Lets the functions that were met see copies, until [`Copies::put_back`].
    pub(crate) fn show(&mut self, lua: &Lua) -> mlua::Result<()> {
        self.finish(lua)?;
        while self.seeing < self.captured.len() {
            self.seeing += 1;
            self.captured[self.seeing - 1].swap(lua, |captured| &captured.1, |globals| &globals.1)?;
        }
        Ok(())
    }

    /// What a question sees of a value that it is given while it runs.
    pub(crate) fn hand_out(&mut self, lua: &Lua, value: &Value) -> mlua::Result<Value> {
        let copy = self.of(lua, value)?;
        self.show(lua)?;
        Ok(copy)
    }

    /// Gives functions back what they saw.
    pub(crate) fn put_back(&self, lua: &Lua) -> mlua::Result<()> {
        // What two functions share was met as a copy by the one that was met later.
        let mut done = Ok(());
        for captured in self.captured[..self.seeing].iter().rev() {
            done = done.and(captured.swap(lua, |captured| &captured.0, |globals| &globals.0));
        }
        done
    }
}

fn too_many() -> mlua::Error {
    mlua::Error::runtime(format!(
        "more than {VALUES_MAX} values are within reach ({BYTES_OF_A_VALUE} bytes of a buffer count as one), too many to \
         copy; write ! in front to work on the real ones"
    ))
}

impl Captured {
    fn swap(
        &self,
        lua: &Lua,
        value: impl Fn(&(Value, Value)) -> &Value,
        globals: impl Fn(&(Table, Table)) -> &Table,
    ) -> mlua::Result<()> {
        for (at, both) in self.values.iter().enumerate() {
            set_upvalue(lua, &self.function, at + 1, value(both))?;
        }
        if let Some(both) = &self.globals {
            self.function.set_environment(globals(both).clone())?;
        }
        Ok(())
    }
}
