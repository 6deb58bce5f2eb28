//! Handles: Lua values that stand for things of the world.
//!
//! In: ids. Out: Lua values; the same thing is always the same value, so `==` works and a handle can be a
//! table key. Holds: a handle is an id and nothing else, without a destructor, because the collector may run
//! in a host call; that of a character, which scripts hold most, is the bits of the id themselves and no
//! object; the table that finds the value of another id does not keep it alive; results are latched beside
//! the handle and go with it. Not here: the methods (`character`, `door`, ...).

use std::collections::BTreeMap;
use std::sync::Arc;

use mlua::{Function, LightUserData, Lua, Table, Value};
use slotmap::Key;

use crate::base::ids::{CharacterId, DoorId, PathToken, WalkId};
use crate::base::value::Plain;
use crate::script::vm::convert::vector;
use crate::script::vm::machine::{charge, machine_of};
use crate::script::vm::payload::frozen;
use crate::script::vm::{lend, payload};
use crate::world::World;
use crate::world::place::Mark;
use crate::world::region::WatchId;
use crate::world::sense::SenseId;

macro_rules! handle_kinds {
    ($($kind:ident)*) => {
        /// The types of handles, as `typeof` names them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each is what `typeof` says")]
        pub enum HandleKind { $($kind),* }

        impl HandleKind {
            /// How many there are.
            const COUNT: usize = [$(Self::$kind),*].len();

            /// What `typeof` says.
            const fn name(self) -> &'static str {
                match self { $(Self::$kind => stringify!($kind)),* }
            }
        }
    };
}

handle_kinds! {
    Character Walk Door Watch SenseWatch PathRequest Block DoorMove Turn Play
    Rng Task Timer Cue Listener Scene Blackboard Change Test Expectation
}

/// An id that scripts hold as a handle.
pub trait Thing: Copy + std::fmt::Debug + 'static {
    /// The type of its handle.
    const KIND: HandleKind;
    /// What `typeof` says.
    const TYPE: &'static str = Self::KIND.name();
    /// The name in messages of a variable that holds one.
    const VARIABLE: &'static str;
    /// The id as bits; different things of a type have different bits.
    fn bits(self) -> u64;
    /// What `tostring` gives.
    fn show(self, world: &World) -> String;
    /// The thing behind a handle that is the bits themselves. There is one such type: Luau has one metatable
    /// for all of them.
    fn of_bits(_bits: u64) -> Option<Self> {
        None
    }
    /// Whether handles are the bits themselves.
    const IS_LIGHT: bool = false;
}

// The bits of an id are carried where others carry an address.
const _: () = assert!(usize::BITS == 64, "handles of characters need addresses of 64 bits");

/// A handle that is the bits of an id.
pub(crate) fn light<T: Thing>(thing: T) -> LightUserData {
    LightUserData(std::ptr::without_provenance_mut(thing.bits() as usize))
}

/// What is behind such a handle.
pub(crate) fn of_light<T: Thing>(handle: LightUserData) -> Option<T> {
    if T::IS_LIGHT { T::of_bits(handle.0.addr() as u64) } else { None }
}

/// Things that are a number: the type, the kind of its handle, a name for variables of it, and its noun in
/// messages.
macro_rules! numbered {
    ($($(#[$doc:meta])* $type:ident: $kind:ident, $variable:literal, $noun:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $type(pub u64);

        impl $crate::script::vm::handles::Thing for $type {
            const KIND: $crate::script::vm::handles::HandleKind = $crate::script::vm::handles::HandleKind::$kind;
            const VARIABLE: &'static str = $variable;
            fn bits(self) -> u64 {
                self.0
            }
            fn show(self, _: &$crate::world::World) -> String {
                format!(concat!($noun, " {}"), self.0)
            }
        }
    )*};
}
pub(crate) use numbered;

numbered! {
    /// A request about a door, by its number.
    DoorMove: DoorMove, "move", "door move";
    /// A block of the map, by its number.
    BlockId: Block, "block", "block";
    /// A turn, by its number.
    TurnId: Turn, "turn", "turn";
    /// An animation, by its number.
    PlayId: Play, "play", "play";
    /// A random stream, by its place among those of the level.
    StreamId: Rng, "rng", "random stream";
}

/// What a `Watch` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchRef {
    /// A watch of the world: a shape.
    Shape(WatchId),
    /// A predicate of `region.when`, by the number the scheduler gave it.
    When(u32),
}

impl Thing for CharacterId {
    const KIND: HandleKind = HandleKind::Character;
    const VARIABLE: &'static str = "guard";
    fn bits(self) -> u64 {
        self.data().as_ffi()
    }
    fn show(self, world: &World) -> String {
        format!("character \"{}\"", world.name_of(self))
    }
    fn of_bits(bits: u64) -> Option<Self> {
        // The value by which calls are ended is a light userdata as well, of null.
        (bits != 0).then(|| Self::from(slotmap::KeyData::from_ffi(bits)))
    }
    const IS_LIGHT: bool = true;
}

impl Thing for WalkId {
    const KIND: HandleKind = HandleKind::Walk;
    const VARIABLE: &'static str = "walk";
    fn bits(self) -> u64 {
        self.data().as_ffi()
    }
    fn show(self, world: &World) -> String {
        match world.walk(self) {
            Some(walk) => format!("walk {} of \"{}\"", walk.serial, world.name_of(walk.character)),
            None => "walk".to_owned(),
        }
    }
}

impl Thing for DoorId {
    const KIND: HandleKind = HandleKind::Door;
    const VARIABLE: &'static str = "door";
    fn bits(self) -> u64 {
        u64::from(self.0)
    }
    fn show(self, world: &World) -> String {
        format!("door \"{}\"", world.doors().get(self.index()).map_or("", |door| door.name.as_str()))
    }
}

impl Thing for WatchRef {
    const KIND: HandleKind = HandleKind::Watch;
    const VARIABLE: &'static str = "watch";
    fn bits(self) -> u64 {
        match self {
            Self::Shape(id) => id.data().as_ffi(),
            // Versions of a slot begin at 1, so no watch of the world has these bits.
            Self::When(serial) => u64::from(serial),
        }
    }
    fn show(self, world: &World) -> String {
        match self {
            Self::Shape(id) => match world.triggers.watches.get(id) {
                Some(watch) => format!("watch {}", watch.serial),
                None => "watch".to_owned(),
            },
            Self::When(serial) => format!("watch of a predicate {serial}"),
        }
    }
}

impl Thing for SenseId {
    const KIND: HandleKind = HandleKind::SenseWatch;
    const VARIABLE: &'static str = "watch";
    fn bits(self) -> u64 {
        self.0
    }
    fn show(self, _: &World) -> String {
        format!("watch for somebody {}", self.0)
    }
}

impl Thing for PathToken {
    const KIND: HandleKind = HandleKind::PathRequest;
    const VARIABLE: &'static str = "request";
    fn bits(self) -> u64 {
        self.data().as_ffi()
    }
    fn show(self, _: &World) -> String {
        "path request".to_owned()
    }
}

/// The values of handles by type and id, and what is kept beside them. App data of the VM.
#[derive(Debug)]
pub(crate) struct Cache {
    /// For each type that is registered: the bits of the id, read as a number, to the handle. Weak values.
    handles: [Option<Table>; HandleKind::COUNT],
    /// Handle to its result. Weak keys.
    latched: Table,
    /// Tables of marks by name.
    marks: Table,
    /// The properties of things of a level, by kind and name: the data, and its read-only table.
    props: BTreeMap<String, (Arc<Plain>, Table)>,
    /// Those made for a debugger, by type and key: nobody keeps them, and they are forgotten when it is done.
    noted: Option<Vec<(HandleKind, f64)>>,
    /// Metatables of results.
    pub(crate) walk_result_meta: Table,
    /// Code of walkon's own.
    pub(crate) makers: Makers,
}

/// Functions of walkon's own, in Lua, that make what scripts hold.
#[derive(Clone, Debug)]
pub(crate) struct Makers {
    /// Makes the `__index` of a type out of its methods and fields.
    pub(crate) index: Function,
    /// The table of a character that crossed the edge of a region, out of the values of its fields.
    pub(crate) crossing: Function,
    /// The table of a walk's result, out of the values of its fields in the order of the reference.
    pub(crate) walk_result: Function,
    /// The `self` of a behaviour, out of its metatable and the values of its fields.
    pub(crate) behaviour: Function,
}

/// How a type looks names up. In Lua, so that a method is found without a call of the host.
const INDEX: &str = r"
local methods, fields, missing = ...
return function(self, key)
    local method = methods[key]
    if method ~= nil then
        return method
    end
    local read = fields[key]
    if read ~= nil then
        return read(self)
    end
    return missing(self, key)
end
";

/// Puts the empty tables of handles into the VM. Called once, before types are registered.
pub(crate) fn install(lua: &Lua, makers: Makers, show_result: Function) -> mlua::Result<()> {
    let walk_result_meta = lua.create_table()?;
    walk_result_meta.raw_set("__tostring", show_result)?;
    walk_result_meta.raw_set("__metatable", false)?;
    walk_result_meta.set_readonly(true);
    lua.set_app_data(Cache {
        handles: std::array::from_fn(|_| None),
        latched: weak(lua, "k")?,
        marks: lua.create_table()?,
        props: BTreeMap::new(),
        noted: None,
        walk_result_meta,
        makers,
    });
    payload::install(lua, payload::Handles { read: read_plain, make: make_plain });
    Ok(())
}

/// Keeps the empty table in which handles of a type will be found.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn register(lua: &Lua, kind: HandleKind) -> mlua::Result<()> {
    let table = weak(lua, "v")?;
    if let Some(mut cache) = lua.app_data_mut::<Cache>() {
        cache.handles[kind as usize] = Some(table);
    }
    Ok(())
}

/// The text of [`INDEX`], for the VM to compile as a chunk of walkon's own.
#[must_use]
pub(crate) fn index_text() -> &'static str {
    INDEX
}

pub(crate) fn weak(lua: &Lua, mode: &str) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let metatable = lua.create_table()?;
    metatable.raw_set("__mode", mode)?;
    table.set_metatable(Some(metatable))?;
    Ok(table)
}

/// `character "guard"`; the name of the type where there is no world to look in.
pub(crate) fn show<T: Thing>(lua: &Lua, value: &Value) -> String {
    let shown =
        thing::<T>(value).and_then(|thing| lend::with_world::<World, _>(lua, |world| thing.show(world)).ok());
    shown.unwrap_or_else(|| T::TYPE.to_owned())
}

/// What `tostring` gives for any value.
///
/// # Errors
/// When the memory of the VM is spent, or its `__tostring` fails.
pub(crate) fn shown(lua: &Lua, value: &Value) -> mlua::Result<String> {
    match value {
        // mlua would show an address.
        Value::LightUserData(_) => Ok(show::<CharacterId>(lua, value)),
        _ => {
            // Its `__tostring` is code of a script.
            let machine = machine_of(lua);
            let _held = machine.as_ref().map(|machine| machine.memory.hold(lua));
            value.to_string()
        }
    }
}

/// The handle of `thing`: the same value for as long as a script holds it.
///
/// # Errors
/// When the memory of the VM is spent, or the type is not registered.
pub fn make<T: Thing>(lua: &Lua, thing: T) -> mlua::Result<Value> {
    if T::IS_LIGHT {
        return Ok(Value::LightUserData(light(thing)));
    }
    let key = key_of(thing);
    let known = known::<T>(lua, key)?;
    if !known.is_nil() {
        return Ok(known);
    }
    let handle = Value::UserData(lua.create_any_userdata(thing)?);
    table_of::<T>(lua)?.raw_set(key, &handle)?;
    if let Some(mut cache) = lua.app_data_mut::<Cache>()
        && let Some(noted) = &mut cache.noted
    {
        noted.push((T::KIND, key));
    }
    Ok(handle)
}

/// Handles that are made from now on are those of a debugger.
pub(crate) fn note_new(lua: &Lua) {
    if let Some(mut cache) = lua.app_data_mut::<Cache>() {
        cache.noted.get_or_insert_default();
    }
}

/// Forgets the handles of a debugger, so that no result is kept for them.
pub(crate) fn forget_noted(lua: &Lua) {
    let Some(mut cache) = lua.app_data_mut::<Cache>() else { return };
    for (kind, key) in cache.noted.take().unwrap_or_default() {
        if let Some(table) = &cache.handles[kind as usize] {
            // To take an entry out needs no memory.
            let _ = table.raw_set(key, Value::Nil);
        }
    }
}

/// Handles that were made since [`note_new`] stay: code of a script may hold them.
pub(crate) fn keep_noted(lua: &Lua) {
    if let Some(mut cache) = lua.app_data_mut::<Cache>() {
        cache.noted = Some(Vec::new());
    }
}

/// The handle under a key, or nil. Reading raw runs no script, so the cache may stay borrowed.
fn known<T: Thing>(lua: &Lua, key: f64) -> mlua::Result<Value> {
    let cache = lua.app_data_ref::<Cache>();
    let table = cache.as_ref().and_then(|cache| cache.handles[T::KIND as usize].as_ref());
    table.map_or(Ok(Value::Nil), |table| table.raw_get(key))
}

/// The bits of an id as a number to look up by. Around 1.0, because a host may have told its processor to
/// take the tiny numbers that the bare bits mean for zero. Exact, and never NaN, while a slot was used less
/// than 2^30 times.
fn key_of<T: Thing>(thing: T) -> f64 {
    f64::from_bits(thing.bits() ^ 1.0_f64.to_bits())
}

fn table_of<T: Thing>(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.app_data_ref::<Cache>().and_then(|cache| cache.handles[T::KIND as usize].clone());
    table.ok_or_else(|| mlua::Error::runtime(format!("the type {} is not registered", T::TYPE)))
}

/// The handle of a character.
///
/// # Errors
/// As [`make`].
pub fn character(lua: &Lua, id: CharacterId) -> mlua::Result<Value> {
    make(lua, id)
}

/// The handle of a walk.
///
/// # Errors
/// As [`make`].
pub fn walk(lua: &Lua, id: WalkId) -> mlua::Result<Value> {
    make(lua, id)
}

/// The handle of a door.
///
/// # Errors
/// As [`make`].
pub fn door(lua: &Lua, id: DoorId) -> mlua::Result<Value> {
    make(lua, id)
}

/// The handle of a watch of the world.
///
/// # Errors
/// As [`make`].
pub fn watch(lua: &Lua, id: WatchId) -> mlua::Result<Value> {
    make(lua, WatchRef::Shape(id))
}

/// The read-only table of a mark; marks with a name are the same table every time.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn mark(lua: &Lua, mark: &Mark) -> mlua::Result<Value> {
    let marks = lua.app_data_ref::<Cache>().map(|cache| cache.marks.clone());
    let marks = marks.ok_or_else(|| mlua::Error::runtime("handles are installed before marks"))?;
    let known: Value = if mark.name.is_empty() { Value::Nil } else { marks.raw_get(mark.name.as_str())? };
    let props = &props(lua, "mark", &mark.name, mark.props.as_ref())?;
    // An edit of the level moves marks: a table that a script holds stays as it was; asking again gives
    // another.
    if let Value::Table(known) = &known
        && known.raw_get::<mlua::Vector>("position")? == vector(mark.position)
        && known.raw_get::<Option<f32>>("facing")? == mark.facing_rad
        && known.raw_get::<Table>("props")? == *props
    {
        return Ok(Value::Table(known.clone()));
    }
    let table = lua.create_table_with_capacity(0, 4)?;
    if !mark.name.is_empty() {
        table.raw_set("name", mark.name.as_str())?;
        marks.raw_set(mark.name.as_str(), &table)?;
    }
    table.raw_set("position", vector(mark.position))?;
    table.raw_set("facing", mark.facing_rad)?;
    table.raw_set("props", props)?;
    table.set_readonly(true);
    Ok(Value::Table(table))
}

/// The properties of a thing, read-only: the same table as long as the level says the same. A thing without a
/// name gets a fresh one. A thing without properties gets an empty one.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn props(lua: &Lua, kind: &str, name: &str, said: Option<&Arc<Plain>>) -> mlua::Result<Table> {
    let key = match said {
        None => String::new(),
        Some(_) => format!("{kind} {name}"),
    };
    let nothing = Arc::new(Plain::Map(BTreeMap::new()));
    let said = said.unwrap_or(&nothing);
    let known = lua.app_data_ref::<Cache>().and_then(|cache| cache.props.get(&key).cloned());
    if let Some((_, table)) = known.filter(|(known, _)| Arc::ptr_eq(known, said) || known == said) {
        return Ok(table);
    }
    let Value::Table(table) = frozen(lua, said)? else { return lua.create_table() };
    if (key.is_empty() || !name.is_empty())
        && let Some(mut cache) = lua.app_data_mut::<Cache>()
    {
        cache.props.insert(key, (Arc::clone(said), table.clone()));
    }
    Ok(table)
}

/// Handles of characters, in the order given.
///
/// # Errors
/// As [`make`].
pub fn characters(lua: &Lua, ids: &[CharacterId]) -> mlua::Result<Table> {
    charge(lua, ids.len() as u64)?;
    let table = lua.create_table_with_capacity(ids.len(), 0)?;
    for &id in ids {
        table.raw_push(character(lua, id)?)?;
    }
    Ok(table)
}

/// The function that `which` takes out of those that make what scripts hold.
///
/// # Errors
/// Before they are installed.
pub(crate) fn maker(lua: &Lua, which: impl FnOnce(&Makers) -> &Function) -> mlua::Result<Function> {
    let maker = lua.app_data_ref::<Cache>().map(|cache| which(&cache.makers).clone());
    maker.ok_or_else(|| mlua::Error::runtime("handles are installed before types and results"))
}

/// Keeps the result of `thing` with its handle, if a script holds one: for reading and waiting after the
/// world forgot it.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn latch<T: Thing>(lua: &Lua, thing: T, result: impl mlua::IntoLua) -> mlua::Result<()> {
    latch_made(lua, thing, || Ok(result))
}

/// As [`latch`], for a result that is made only when a script holds the handle.
///
/// # Errors
/// As [`latch`], and those of `result`.
pub(crate) fn latch_made<T: Thing, R: mlua::IntoLua>(
    lua: &Lua,
    thing: T,
    result: impl FnOnce() -> mlua::Result<R>,
) -> mlua::Result<()> {
    let handle = known::<T>(lua, key_of(thing))?;
    let latched = lua.app_data_ref::<Cache>().map(|cache| cache.latched.clone());
    match latched {
        Some(latched) if !handle.is_nil() => latched.raw_set(handle, result()?),
        _ => Ok(()),
    }
}

/// The result that was kept with the handle of `thing`.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn latched<T: Thing>(lua: &Lua, thing: T) -> mlua::Result<Option<Value>> {
    let handle = known::<T>(lua, key_of(thing))?;
    let latched = lua.app_data_ref::<Cache>().map(|cache| cache.latched.clone());
    match latched {
        Some(latched) if !handle.is_nil() => latched.raw_get(handle),
        _ => Ok(None),
    }
}

/// Forgets the results that are kept with handles, but for those of handles that `stays` says yes to: another
/// state takes the place of this one, in which the same ids are given to other things. Handles that nobody
/// holds are still known until they are collected, and nothing may depend on when that is.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn forget_results(lua: &Lua, stays: impl Fn(&Value) -> bool) -> mlua::Result<()> {
    let fresh = weak(lua, "k")?;
    let latched = lua.app_data_ref::<Cache>().map(|cache| cache.latched.clone());
    for pair in latched.iter().flat_map(|latched| latched.pairs::<Value, Value>()) {
        let (handle, result) = pair?;
        if stays(&handle) {
            fresh.raw_set(handle, result)?;
        }
    }
    if let Some(mut cache) = lua.app_data_mut::<Cache>() {
        cache.latched = fresh;
    }
    Ok(())
}

/// The character or door behind a handle; nothing for handles of other things.
fn read_plain(handle: &Value) -> Option<Plain> {
    let character = thing::<CharacterId>(handle).map(Plain::Character);
    character.or_else(|| thing::<DoorId>(handle).map(Plain::Door))
}

fn make_plain(lua: &Lua, plain: &Plain) -> mlua::Result<Value> {
    match plain {
        Plain::Character(id) => character(lua, *id),
        Plain::Door(id) => door(lua, *id),
        _ => Ok(Value::Nil),
    }
}

/// The thing behind a value, if it is a handle of that type.
#[must_use]
pub fn thing<T: Thing>(value: &Value) -> Option<T> {
    if T::IS_LIGHT {
        return value.as_light_userdata().and_then(of_light);
    }
    let handle = value.as_userdata()?;
    handle.borrow_scoped::<T, _>(|thing| *thing).ok()
}
