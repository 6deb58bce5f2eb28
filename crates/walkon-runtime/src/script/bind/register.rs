//! Builds the types and libraries that scripts see, from the tables of bindings.
//!
//! In: bindings, functions of the prelude that wait. Out: metatables, functions that pay their price and read
//! their arguments. Not here: handles themselves (`vm::handles`), what the methods do (`character`, ...).

use mlua::{Function, LightUserData, Lua, MetaMethod, Table, Value};

use crate::script::bind::call::BindingError;
use crate::script::bind::looks::only_looks;
use crate::script::bind::quick_answers::QuickAnswers;
use crate::script::bind::read_only::read_only;
use crate::script::bind::table::{Binding, EntryBody, EntryKind, Native};
use crate::script::vm::convert::{self, Args, UsageError, describe};
use crate::script::vm::handles::{self, Thing, maker, show};
use crate::script::vm::hints::instead_of_absent;
use crate::script::vm::library::refuse_while_looking;
use crate::script::vm::machine_of;

/// Makes the type of `T` out of its `entries`; waiting ones are looked up in `waiting`.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn register<T: Thing>(
    lua: &Lua,
    entries: &[&'static Binding],
    waiting: impl Fn(&Binding) -> Option<Function>,
) -> mlua::Result<()> {
    let methods = lua.create_table()?;
    let fields = lua.create_table()?;
    let quick = if T::IS_LIGHT { QuickAnswers::of(lua)? } else { None };
    let is_field = |name: &str| {
        entries
            .iter()
            .any(|entry| entry.owner == T::TYPE && entry.kind == EntryKind::Field && entry.name() == name)
    };
    for entry in entries.iter().filter(|entry| entry.owner == T::TYPE) {
        // Where a field and a method share a name, the field gives the method out itself.
        if entry.kind != EntryKind::Field && is_field(entry.name()) {
            continue;
        }
        let function = match entry.body {
            // Its code finds the handle with `call::myself`, which refuses everything else.
            EntryBody::Native(body) => Some(library_function(lua, entry, body)?),
            EntryBody::Prelude => waiting(entry),
        };
        if entry.kind == EntryKind::Field {
            fields.raw_set(entry.name(), function)?;
        } else {
            let function = match (&quick, function) {
                (Some(quick), Some(function)) => Some(quick.method(lua, entry, function)?),
                (_, function) => function,
            };
            methods.raw_set(entry.name(), function)?;
        }
    }
    let names: Vec<&'static str> =
        entries.iter().filter(|entry| entry.owner == T::TYPE).map(|entry| entry.name()).collect();
    let missing = missing(lua, T::TYPE, names.clone())?;
    let index = index(lua, &methods, &fields, &missing)?;
    let newindex = read_only(lua, T::TYPE, names)?;
    let tostring = lua.create_function(|lua, value: Value| Ok(show::<T>(lua, &value)))?;
    if T::IS_LIGHT {
        let index = quick.map_or(Ok(index.clone()), |quick| quick.index(lua, &methods, index))?;
        let meta = lua.create_table()?;
        meta.raw_set("__type", T::TYPE)?;
        meta.raw_set("__index", index)?;
        meta.raw_set("__newindex", newindex)?;
        meta.raw_set("__tostring", tostring)?;
        meta.raw_set("__metatable", false)?;
        meta.set_readonly(true);
        lua.set_type_metatable::<LightUserData>(Some(meta));
        return Ok(());
    }
    lua.register_userdata_type::<T>(move |registry| {
        use mlua::UserDataFields;
        registry.add_meta_field(MetaMethod::Type, T::TYPE);
        registry.add_meta_field(MetaMethod::Index, index.clone());
        registry.add_meta_field(MetaMethod::NewIndex, newindex.clone());
        registry.add_meta_field(MetaMethod::ToString, tostring.clone());
    })?;
    handles::register(lua, T::KIND)
}

/// The `__index` of a type or library.
pub(crate) fn index(
    lua: &Lua,
    methods: &Table,
    fields: &Table,
    missing: &Function,
) -> mlua::Result<Function> {
    maker(lua, |makers| &makers.index)?.call((methods, fields, missing))
}

/// Raises for names that a type or library does not have.
pub(crate) fn missing(lua: &Lua, owner: &'static str, names: Vec<&'static str>) -> mlua::Result<Function> {
    lua.create_function(move |lua, (_, key): (Value, Value)| -> mlua::Result<Value> {
        let mistake = match key.as_string() {
            Some(name) => unknown_field(owner, &name.to_string_lossy(), &names),
            None => UsageError::new(owner, format!("unknown field {}", describe(&key))),
        };
        Err(mistake.raise(lua))
    })
}

fn unknown_field(owner: &'static str, name: &str, names: &[&'static str]) -> UsageError {
    match instead_of_absent(&format!("{owner}.{name}")) {
        Some(instead) => UsageError::new(owner, format!("unknown field \"{name}\"; {instead}")),
        None => UsageError::unknown(owner, "field", name, names.iter().copied()),
    }
}

/// A function, method or field, for the table that scripts see.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn library_function(lua: &Lua, entry: &Binding, body: Native) -> mlua::Result<Function> {
    let (called, price) = (entry.called, entry.price);
    if let Some(machine) = machine_of(lua).filter(|machine| machine.debug.get().is_some())
        && !only_looks(entry)
    {
        // Only where a debugger is connected, so that nobody else pays for the question.
        return lua.create_function(move |lua, values| {
            let refused = refuse_while_looking(&machine, called, "it changes the run");
            refused.map_err(|mistake| mistake.raise(lua))?;
            convert::pay(price, &values)?;
            body(lua, &mut Args::paid_for(called, values)).map_err(|raise: BindingError| raise.error(lua))
        });
    }
    let machine = machine_of(lua).filter(|_| makes_objects(entry));
    lua.create_function(move |lua, values| {
        convert::pay(price, &values)?;
        let run =
            || body(lua, &mut Args::paid_for(called, values)).map_err(|raise: BindingError| raise.error(lua));
        match &machine {
            Some(machine) => machine.memory.lift(lua, run),
            None => run(),
        }
    })
}

/// Whether a function makes objects of the VM: its results are more than numbers and the like, which lie on
/// the stack.
fn makes_objects(entry: &Binding) -> bool {
    const PLAIN: [&str; 5] = ["", "number", "boolean", "vector", "Character"];
    let results = entry.returns.split(',').map(|result| result.trim().trim_end_matches('?'));
    entry.kind != EntryKind::Field && results.into_iter().any(|result| !PLAIN.contains(&result))
}
