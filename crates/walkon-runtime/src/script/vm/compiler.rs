//! Compiler settings for Lua: for scripts, and for the Lua that is part of walkon.
//!
//! In: texts. Out: a compiler, functions. Holds: calls that a guarded library answers stay calls. Not here:
//! files (`loader`), how often code passes a safepoint (`strides`).

use mlua::chunk::Compiler;
use mlua::{Function, Lua, Table};

use crate::script::vm::chunk_names::OWN_CHUNK;

/// Calls the compiler must not replace by instructions of the VM, because ours do something else.
const NOT_BUILT_IN: [&str; 22] = [
    "tonumber",
    "string.sub",
    "setmetatable",
    "unpack",
    "table.unpack",
    "math.sin",
    "math.cos",
    "math.tan",
    "math.asin",
    "math.acos",
    "math.atan",
    "math.atan2",
    "math.sinh",
    "math.cosh",
    "math.tanh",
    "math.exp",
    "math.log",
    "math.log10",
    "math.pow",
    "math.random",
    "math.randomseed",
    "vector.angle",
];

/// How scripts are compiled. Optimisation 1 keeps every frame and every safepoint (2 inlines, which would
/// move both with the compiler's taste); debug level 1 gives line numbers and function names. The fuel of a
/// script depends on these figures.
#[must_use]
pub(crate) fn compiler() -> Compiler {
    Compiler::new().set_optimization_level(1).set_debug_level(1).set_disabled_builtins(NOT_BUILT_IN)
}

/// Compiles Lua that is part of walkon. Without line numbers: its frames are not shown, its errors name the
/// caller.
pub(crate) fn own_chunk(lua: &Lua, native: &Table, text: &str) -> mlua::Result<Function> {
    let compiler = Compiler::new().set_optimization_level(1).set_debug_level(0);
    lua.load(text)
        .set_name(format!("={OWN_CHUNK}"))
        .set_compiler(compiler)
        .set_environment(native.clone())
        .into_function()
}
