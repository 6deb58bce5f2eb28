//! Common code of all bindings: reach the world for one call, find the own handle, raise, answer.
//!
//! Holds: the world is borrowed for one closure and no script runs meanwhile; every mistake becomes an error
//! at the line of the caller. Not here: how arguments are read (`vm::convert`, `place`).

use mlua::{IntoLuaMulti, Lua, MultiValue, Value};

use crate::nav::Traversal;
use crate::script::vm::convert::{Args, Argument, UsageError, has_more_than};
use crate::script::vm::handles::{self, Thing, thing};
use crate::script::vm::{charge, fault, fuel, lend, refuse_while_loading};
use crate::world::World;
use crate::world::event::EventQueue;
use crate::world::ops::OpError;
use crate::world::props::Subject;

/// Why a binding gives no answer.
#[derive(Debug)]
pub enum BindingError {
    /// A mistake of the caller.
    Usage(UsageError),
    /// Something of the VM: its memory or fuel is spent.
    Lua(mlua::Error),
}

/// What a host function gives back to Lua, or raises at the caller's line.
pub type HostResult = Result<MultiValue, BindingError>;

impl From<UsageError> for BindingError {
    fn from(mistake: UsageError) -> Self {
        Self::Usage(mistake)
    }
}

impl From<mlua::Error> for BindingError {
    fn from(error: mlua::Error) -> Self {
        Self::Lua(error)
    }
}

impl BindingError {
    /// The error as Lua sees it: a mistake has the caller's line in front.
    #[must_use]
    pub fn error(self, lua: &Lua) -> mlua::Error {
        match self {
            Self::Usage(mistake) => mistake.raise(lua),
            Self::Lua(error) => error,
        }
    }
}

/// Calls `work` with the world, for the time of this call.
///
/// # Errors
/// The mistake that `work` found, or that there is no world while a file loads.
pub fn with<R>(
    lua: &Lua,
    args: &Args,
    work: impl FnOnce(&mut World) -> Result<R, UsageError>,
) -> Result<R, BindingError> {
    // A file that loads while the level runs, by require or attach, is loaded as it would be at the start.
    refuse_while_loading(lua, args.function())?;
    lend::with_world::<World, _>(lua, work)
        .map_err(|error| error.mistake(args.function()))?
        .map_err(BindingError::Usage)
}

/// Calls `work` with the world and the name of the function, and answers with what it gives.
///
/// # Errors
/// As [`with`].
pub fn ask<R: IntoLuaMulti>(
    lua: &Lua,
    args: &Args,
    work: impl FnOnce(&mut World) -> Result<R, UsageError>,
) -> HostResult {
    answer(lua, with(lua, args, work)?)
}

/// Calls `work`, which gives an answer and the fuel that it took, and charges that.
///
/// # Errors
/// As [`with`], and when there is not so much fuel left.
pub fn ask_map<R: IntoLuaMulti>(
    lua: &Lua,
    args: &Args,
    work: impl FnOnce(&mut World) -> Result<(R, u64), UsageError>,
) -> HostResult {
    let (value, units) = with(lua, args, work)?;
    // Afterwards: a call overspends once at most, because the next safepoint ends it.
    charge(lua, units)?;
    answer(lua, value)
}

/// Units of fuel for what takes as long as an expansion of a search, up to two microseconds.
pub(crate) const UNITS_PER_EXPANSION: u64 = 2;

/// The fuel of making the map ready for `by`, when this body and these doors are new to it. A script can look
/// at the largest map with a new body in one call, but not at ten.
#[must_use]
pub fn preparing(world: &World, by: &Traversal) -> u64 {
    if world.nav().is_prepared(by) { 0 } else { world.nav().preparing_price() }
}

/// Makes the map ready for a question of what can be reached. Its fuel, with that of going over the areas
/// that have a direction.
pub(crate) fn prepare_reach(world: &mut World, by: &Traversal) -> u64 {
    /// Nodes that are gone over for a unit, where there are such areas.
    const NODES_PER_UNIT: u64 = 16_384;
    let units = if by.one_way().is_empty() { 0 } else { world.nav().node_count() / NODES_PER_UNIT };
    units + world.map.nav.prepare_reach(by)
}

/// Charges the fuel of handing out tags: beside the few that things commonly have, each is a text to make.
pub fn pay_for_tags(tags: &[String]) {
    const TAGS_PER_UNIT: usize = 4;
    fuel::charge_running((tags.len() / TAGS_PER_UNIT) as u64);
}

/// The answer `value`.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn answer(lua: &Lua, value: impl IntoLuaMulti) -> HostResult {
    Ok(value.into_lua_multi(lua)?)
}

/// The answer of a function that gives nothing.
///
/// # Errors
/// None.
pub fn nothing() -> HostResult {
    Ok(MultiValue::new())
}

/// What the level says under `props` of a thing that a script names; `find` says whether there is one of that
/// name.
///
/// # Errors
/// The mistake that `find` found, or that there is no world while a file loads.
pub fn props(
    lua: &Lua,
    args: &mut Args,
    kind: &'static str,
    subject: Subject,
    find: impl FnOnce(&World, &'static str, &str) -> Result<(), UsageError>,
) -> HostResult {
    let (function, name) = (args.function(), args.take("name").text(&format!("a {kind}'s name"))?);
    let said = with(lua, args, |world| {
        find(world, function, &name)?;
        Ok(world.level.props.of(subject, &name).cloned())
    })?;
    answer(lua, handles::props(lua, kind, &name, said.as_ref())?)
}

/// The message of a verb's mistake in the function `function`.
pub fn op(function: &'static str) -> impl Fn(OpError) -> UsageError {
    move |error| UsageError::new(function, error.to_string())
}

/// The handle a method or field was called on. The caller has checked that it is one.
///
/// # Errors
/// When it is something else.
pub fn myself<T: Thing>(args: &mut Args) -> Result<T, UsageError> {
    let function = args.function();
    let given = args.take("self");
    thing::<T>(given.value()).ok_or_else(|| called_with_a_dot::<T>(function))
}

/// `walkTo: called with a dot; write guard:walkTo(...)`.
#[must_use]
pub fn called_with_a_dot<T: Thing>(function: &'static str) -> UsageError {
    UsageError::called_with_a_dot(function, T::VARIABLE)
}

/// A handle among the arguments.
///
/// # Errors
/// When it is something else.
pub fn handle<T: Thing>(given: &Argument, expected: &str) -> Result<T, UsageError> {
    thing(given.value()).ok_or_else(|| given.not(expected))
}

/// A list at 1, 2, 3 and so on, of at most `most` entries, each read by `read`, which gets its name:
/// `keys[2]`.
///
/// # Errors
/// When it is no table or no list, is too long, or an entry is not what `read` expects.
pub fn list<R>(
    given: &Argument,
    expected: &str,
    most: usize,
    read: impl Fn(Argument) -> Result<R, UsageError>,
) -> Result<Vec<R>, UsageError> {
    let table = given.table(expected)?;
    let count = table.raw_len();
    if count > most {
        let what = format!("{} has {count} entries, expected at most {most}", given.name());
        return Err(UsageError::new(given.function(), what));
    }
    fuel::charge_running(4 * count as u64);
    if has_more_than(&table, count) {
        return Err(given.not_a_list(expected));
    }
    let entries = (1..=count).map(|index| {
        let value = table.raw_get(index).unwrap_or(Value::Nil);
        read(Argument::new(given.function(), &format!("{}[{index}]", given.name()), value))
    });
    entries.collect()
}

/// One of the words of a list such as `DoorPolicy::NAMES`.
///
/// # Errors
/// When it is another, or no text.
pub fn word<T: Copy>(given: &Argument, names: &[(&'static str, T)]) -> Result<T, UsageError> {
    let words: Vec<&'static str> = names.iter().map(|(word, _)| *word).collect();
    let written = given.one_of(&words)?;
    let found = names.iter().find(|(word, _)| *word == written).map(|(_, value)| *value);
    found.ok_or_else(|| given.not("a known word"))
}

/// Where the script stands that called the running function: `boss.lua:88`; `a script` where that is not
/// known.
#[must_use]
pub fn place_of_caller(lua: &Lua) -> String {
    match fault::frames(lua, 1).first() {
        Some(frame) => format!("{}:{}", frame.file, frame.line),
        None => "a script".to_owned(),
    }
}

/// Refuses what would be told to scripts while as much waits to be told as may.
///
/// # Errors
/// When it does.
pub(crate) fn refuse_when_full(world: &World, function: &'static str) -> Result<(), UsageError> {
    if !world.events.is_full() {
        return Ok(());
    }
    let most = EventQueue::WAITING_MAX;
    Err(UsageError::new(
        function,
        format!(
            "{most} events wait to be heard already, the most allowed whatever limits.eventsPerTick says; emit \
             fewer in a tick"
        ),
    ))
}
