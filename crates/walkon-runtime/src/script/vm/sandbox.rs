//! The sandbox: an allow-list of globals, read-only, with guarded functions in place of dangerous ones.
//!
//! In: a fresh VM. Out: its globals, frozen, and one environment for each file. Holds: a global that is not
//! listed here is absent; nothing a script reaches can be changed for another script; no bytecode, no
//! addresses, no way to the real libraries. Not here: how the guarded functions are bounded
//! (`prelude/base.lua`, `library`).

use std::rc::Rc;

use mlua::{Function, Lua, LuaString, Table, Value};

use crate::script::vm::compiler::own_chunk;
use crate::script::vm::library;
use crate::script::vm::machine::Machine;

/// Functions a script sees as globals. `require` and `_G` are added for each file.
const BASE: [&str; 22] = [
    "assert",
    "error",
    "ipairs",
    "next",
    "pairs",
    "pcall",
    "xpcall",
    "select",
    "tonumber",
    "tostring",
    "type",
    "typeof",
    "unpack",
    "rawequal",
    "rawget",
    "rawset",
    "rawlen",
    "setmetatable",
    "getmetatable",
    "print",
    "math",
    "vector",
];

/// Functions of libraries that are left out. `math.random` is added for each file.
const LEFT_OUT: [(&str, &[&str]); 3] =
    [("table", &["foreach", "foreachi", "getn"]), ("math", &["random", "randomseed"]), ("string", &["dump"])];

/// Libraries a script sees, all of them tables of functions and numbers.
const LIBRARIES: [&str; 9] =
    ["string", "table", "math", "coroutine", "bit32", "buffer", "utf8", "vector", "debug"];

/// What setting the sandbox up leaves for the host.
#[derive(Debug)]
pub(crate) struct Sandbox {
    /// The globals all files share: frozen by [`seal`].
    pub(crate) globals: Table,
    /// Luau's own globals, for Lua that is part of walkon.
    pub(crate) native: Table,
    /// Luau's own `xpcall`, which lets yields pass.
    pub(crate) protect: Function,
}

/// Replaces the globals of a fresh VM by the allowed ones.
pub(crate) fn build(lua: &Lua, machine: &Rc<Machine>) -> mlua::Result<Sandbox> {
    let native = lua.globals();
    let host = library::host_functions(lua, machine)?;
    native.set_safeenv(true);
    let guarded: Table = own_chunk(lua, &native, include_str!("../prelude/base.lua"))?.call((
        native.clone(),
        host.clone(),
        library::limits(lua, machine)?,
    ))?;
    library::add_math(lua, &guarded)?;
    let globals = lua.create_table()?;
    let base: Table = guarded.raw_get("base")?;
    base.raw_set("unpack", guarded.raw_get::<Table>("table")?.raw_get::<Function>("unpack")?)?;
    for name in BASE {
        let ours: Value = base.raw_get(name)?;
        globals.raw_set(name, if ours.is_nil() { native.raw_get(name)? } else { ours })?;
    }
    for name in LIBRARIES {
        globals.raw_set(name, library_table(lua, &native, &guarded, name)?)?;
    }
    let protect = native.raw_get("xpcall")?;
    lock_type_metatables(lua, &globals)?;
    lua.set_globals(behind(lua, &globals)?)?;
    Ok(Sandbox { globals, native, protect })
}

/// An empty table through which `globals` are found. When a function has no name, the VM searches its globals
/// for one, at every error of the host that a script catches: half of the cost of such an error.
fn behind(lua: &Lua, globals: &Table) -> mlua::Result<Table> {
    let (front, meta) = (lua.create_table()?, lua.create_table()?);
    meta.raw_set("__index", globals)?;
    front.set_metatable(Some(meta))?;
    Ok(front)
}

/// A library: Luau's functions, ours over them, without those that are left out.
fn library_table(lua: &Lua, native: &Table, guarded: &Table, name: &str) -> mlua::Result<Table> {
    let library = lua.create_table()?;
    let natives: Table = native.raw_get(name)?;
    if name == "debug" {
        library.raw_set("traceback", natives.raw_get::<Value>("traceback")?)?;
        return Ok(library);
    }
    for pair in natives.pairs::<Value, Value>() {
        let (key, value) = pair?;
        library.raw_set(key, value)?;
    }
    if let Some(ours) = guarded.raw_get::<Option<Table>>(name)? {
        for pair in ours.pairs::<Value, Value>() {
            let (key, value) = pair?;
            library.raw_set(key, value)?;
        }
    }
    for (_, left_out) in LEFT_OUT.iter().filter(|(library, _)| *library == name) {
        for function in *left_out {
            library.raw_set(*function, Value::Nil)?;
        }
    }
    if name == "math" {
        library.raw_set("randomseed", library::refuse_seeding(lua)?)?;
    }
    Ok(library)
}

/// Metatables of strings and vectors: methods come from our libraries, `getmetatable` gives false.
fn lock_type_metatables(lua: &Lua, globals: &Table) -> mlua::Result<()> {
    let strings = lua.create_table()?;
    strings.raw_set("__index", globals.raw_get::<Table>("string")?)?;
    strings.raw_set("__metatable", false)?;
    strings.set_readonly(true);
    lua.set_type_metatable::<LuaString>(Some(strings));
    if let Some(vectors) = lua.type_metatable::<mlua::Vector>() {
        vectors.set_readonly(false);
        vectors.raw_set("__metatable", false)?;
        vectors.set_readonly(true);
    }
    Ok(())
}

/// Makes the shared globals and every table in them read-only. Nothing is added afterwards.
pub(crate) fn seal(globals: &Table) -> mlua::Result<()> {
    for pair in globals.pairs::<Value, Value>() {
        if let (_, Value::Table(library)) = pair? {
            library.set_readonly(true);
        }
    }
    globals.set_readonly(true);
    Ok(())
}

/// A fresh environment that reads through to `globals`; `own` holds what the file has for itself.
pub(crate) fn environment(lua: &Lua, globals: &Table, own: &[(&str, Value)]) -> mlua::Result<Table> {
    let environment = lua.create_table_with_capacity(0, 8)?;
    environment.raw_set("_G", &environment)?;
    for (name, value) in own {
        environment.raw_set(*name, value)?;
    }
    let metatable = lua.create_table_with_capacity(0, 2)?;
    metatable.raw_set("__index", globals)?;
    metatable.raw_set("__metatable", false)?;
    metatable.set_readonly(true);
    environment.set_metatable(Some(metatable))?;
    // Calls of `math.floor` and the like become single instructions; they do not look into the environment.
    environment.set_safeenv(true);
    Ok(environment)
}
