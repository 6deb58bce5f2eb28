//! Copies of what scripts hold, for questions that may change what they are given.
//!
//! In: values of a frame. Out: the same values in copies, and functions that see copies for as long as a
//! question runs. Holds: afterwards everything that scripts hold is what it was; tables that are one stay
//! one; bounded. Not here: what the host does for a question (`bind::table`, which refuses verbs meanwhile).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use mlua::{Function, Lua, Table, Value};

use crate::script::vm::chunk_names::OWN_CHUNK;
use crate::script::vm::debug::{set_upvalue, upvalues};
use crate::script::vm::machine_of;

/// Values that are copied for one question.
const VALUES_MAX: usize = 200_000;

/// Copies under way.
pub(super) struct Copies<'a> {
    lua: &'a Lua,
    /// Tables that stay what they are: those of the libraries, which nobody can change.
    shared: BTreeSet<usize>,
    tables: BTreeMap<usize, Table>,
    /// Tables that have a copy which is still empty.
    open: VecDeque<(Table, Table)>,
    functions: BTreeSet<usize>,
    met: VecDeque<Function>,
    captured: Vec<Captured>,
    left: usize,
}

/// What a function has captured, and its globals.
struct Captured {
    function: Function,
    values: Vec<(Value, Value)>,
    globals: Option<(Table, Table)>,
}

impl<'a> Copies<'a> {
    pub(super) fn new(lua: &'a Lua) -> Self {
        let globals = machine_of(lua).and_then(|machine| machine.shared.get().cloned());
        let mut shared = BTreeSet::new();
        for pair in globals.iter().flat_map(Table::pairs::<Value, Value>).flatten() {
            if let (_, Value::Table(library)) = pair
                && library.is_readonly()
            {
                shared.insert(library.to_pointer().addr());
            }
        }
        let mut copies = Self {
            lua,
            shared,
            tables: BTreeMap::new(),
            open: VecDeque::new(),
            functions: BTreeSet::new(),
            met: VecDeque::new(),
            captured: Vec::new(),
            left: VALUES_MAX,
        };
        if let Some(globals) = globals {
            copies.shared.insert(globals.to_pointer().addr());
        }
        copies
    }

    /// The copy of a value; what it holds is copied by [`Copies::finish`].
    pub(super) fn of(&mut self, value: &Value) -> mlua::Result<Value> {
        self.left = self.left.saturating_sub(1);
        Ok(match value {
            Value::Table(table) => Value::Table(self.of_table(table)?),
            Value::Function(function) => {
                self.meet(function);
                value.clone()
            }
            Value::Thread(_) => Value::String(self.lua.create_string("a coroutine")?),
            Value::Buffer(buffer) => Value::Buffer(self.lua.create_buffer(buffer.to_vec())?),
            other => other.clone(),
        })
    }

    pub(super) fn of_table(&mut self, table: &Table) -> mlua::Result<Table> {
        let address = table.to_pointer().addr();
        if self.shared.contains(&address) {
            return Ok(table.clone());
        }
        if let Some(copy) = self.tables.get(&address) {
            return Ok(copy.clone());
        }
        let copy = self.lua.create_table()?;
        self.tables.insert(address, copy.clone());
        self.open.push_back((table.clone(), copy.clone()));
        Ok(copy)
    }

    fn meet(&mut self, function: &Function) {
        let info = function.info();
        let is_script = info.what != "C" && info.short_src.as_deref() != Some(OWN_CHUNK);
        if is_script && self.functions.insert(function.to_pointer().addr()) {
            self.met.push_back(function.clone());
        }
    }

    /// Copies everything that is reached from what was copied.
    pub(super) fn finish(&mut self) -> mlua::Result<()> {
        while self.left > 0 {
            if let Some((table, copy)) = self.open.pop_front() {
                self.fill(&table, &copy)?;
            } else if let Some(function) = self.met.pop_front() {
                self.capture(function)?;
            } else {
                return Ok(());
            }
        }
        Err(mlua::Error::runtime(format!(
            "more than {VALUES_MAX} values are within reach, too many to copy; write ! in front to work on the real ones"
        )))
    }

    fn fill(&mut self, table: &Table, copy: &Table) -> mlua::Result<()> {
        for pair in table.pairs::<Value, Value>() {
            let (key, value) = pair?;
            let (key, value) = (self.of(&key)?, self.of(&value)?);
            copy.raw_set(key, value)?;
        }
        if let Some(meta) = table.metatable() {
            copy.set_metatable(Some(self.of_table(&meta)?))?;
        }
        if table.is_readonly() {
            copy.set_readonly(true);
        }
        Ok(())
    }

    fn capture(&mut self, function: Function) -> mlua::Result<()> {
        let mut values = Vec::new();
        for (_, value) in upvalues(self.lua, &function)? {
            let copy = self.of(&value)?;
            values.push((value, copy));
        }
        let globals = match function.environment() {
            Some(globals) => {
                let copy = self.of_table(&globals)?;
                Some((globals, copy))
            }
            None => None,
        };
        self.captured.push(Captured { function, values, globals });
        Ok(())
    }

    /// Runs `run` while the functions that were met see copies.
    pub(super) fn during<R>(&self, run: impl FnOnce() -> R) -> mlua::Result<R> {
        let swapped = self.swap(|captured| &captured.1, |globals| &globals.1);
        let result = swapped.is_ok().then(run);
        // Of what two functions share, either puts back the same.
        self.swap(|captured| &captured.0, |globals| &globals.0)?;
        swapped?;
        result.ok_or_else(|| mlua::Error::runtime("nothing ran"))
    }

    fn swap(
        &self,
        value: impl Fn(&(Value, Value)) -> &Value,
        globals: impl Fn(&(Table, Table)) -> &Table,
    ) -> mlua::Result<()> {
        for captured in &self.captured {
            for (at, both) in captured.values.iter().enumerate() {
                set_upvalue(self.lua, &captured.function, at + 1, value(both))?;
            }
            if let Some(both) = &captured.globals {
                captured.function.set_environment(globals(both).clone())?;
            }
        }
        Ok(())
    }
}
