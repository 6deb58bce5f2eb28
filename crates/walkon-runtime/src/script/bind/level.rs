//! `level`: the running level, and how it ends.
//!
//! Holds: the first call of `level.finish` counts.

use std::collections::BTreeMap;

use mlua::{Lua, Table};

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::script::bind::call::{answer, ask, nothing, with};
use crate::script::bind::table::{Binding, HostResult, Library, TableType, field, param};
use crate::script::vm::convert::Args;

const LEVEL: &str = "level";

/// What stands above the entries.
pub const GROUP: Library = Library { name: LEVEL, is_type: false, doc: "The running level." };

/// Tables that its fields give.
pub const SHAPE: TableType = TableType {
    name: "LevelOutcome",
    doc: "What a script said about the end of the run.",
    fields: &[
        field("ok", "boolean", "true", "whether it counts as a success"),
        field("note", "string?", "\"done\"", "a sentence of the author's"),
    ],
};

/// What a script said about the end of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelOutcome {
    /// Whether it counts as a success.
    pub ok: bool,
    /// A sentence of the author's.
    pub note: Option<String>,
}

/// What the run was started with, and what scripts said about its end. App data of the VM.
#[derive(Debug)]
struct RunContext {
    args: Table,
    outcome: Option<LevelOutcome>,
    measures: BTreeMap<String, f64>,
}

/// Most measures of a run.
const MEASURES_MAX: usize = 256;

/// Longest note, bytes; longer ones are cut.
const NOTE_BYTES: usize = 4096;

/// Everything `level` has.
pub const ENTRIES: &[Binding] = &[
    Binding {
        doc: "Name of the level.",
        example: "assert(level.name == \"courtyard\")",
        ..Binding::field(LEVEL, "level.name", "string", name)
    },
    Binding {
        doc: "Seed of the run.",
        example: "assert(level.seed >= 0)",
        ..Binding::field(LEVEL, "level.seed", "number", seed)
    },
    Binding {
        doc: "Ticks a second.",
        example: "assert(level.tickRate == 60)",
        ..Binding::field(LEVEL, "level.tickRate", "number", tick_rate)
    },
    Binding {
        doc: "The current tick; 0 is the level as loaded.",
        example: "assert(level.tick >= 0)",
        ..Binding::field(LEVEL, "level.tick", "number", tick)
    },
    Binding {
        doc: "Game seconds since the start.",
        example: "assert(level.time == level.tick / level.tickRate)",
        ..Binding::field(LEVEL, "level.time", "number", time)
    },
    Binding {
        doc: "Arguments after `--` on the command line; read-only.",
        example: "assert(#level.args == 0)",
        ..Binding::field(LEVEL, "level.args", "{string}", arguments)
    },
    Binding {
        doc: "What `level.finish` was called with first; in a level test the run goes on.",
        example: "assert(level.outcome == nil)\nlevel.finish(true)\nassert(level.outcome.ok)",
        ..Binding::field(LEVEL, "level.outcome", "LevelOutcome?", outcome_field)
    },
    Binding {
        params: &[param("ok", "boolean", "true"), param("note", "string?", "\"done\"")],
        doc: "Ends the run after this tick; the first call counts.",
        example: "level.finish(true, \"the guard is at the gate\")",
        ..Binding::function(LEVEL, "level.finish", finish)
    },
    Binding {
        params: &[param("name", "string", "\"visits\""), param("value", "number", "3")],
        doc: "A number for the run's summary and for the tables of `batch`; the last value of a name counts.",
        raises: "range limit",
        example: "level.measure(\"visits\", 3)",
        ..Binding::function(LEVEL, "level.measure", measure)
    },
];

/// Tells the VM what the run was started with. Called once, at setup.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn install(lua: &Lua, args: &[String]) -> mlua::Result<()> {
    let table = lua.create_sequence_from(args.iter().map(String::as_str))?;
    table.set_readonly(true);
    lua.set_app_data(RunContext { args: table, outcome: None, measures: BTreeMap::new() });
    Ok(())
}

/// What `level.finish` was called with first.
#[must_use]
pub fn outcome(lua: &Lua) -> Option<LevelOutcome> {
    lua.app_data_ref::<RunContext>().and_then(|run| run.outcome.clone())
}

/// The last values of `level.measure`.
#[must_use]
pub fn measures(lua: &Lua) -> BTreeMap<String, f64> {
    lua.app_data_ref::<RunContext>().map(|run| run.measures.clone()).unwrap_or_default()
}

/// What the run was started with.
pub(crate) fn args(lua: &Lua) -> Vec<String> {
    let args = lua.app_data_ref::<RunContext>().map(|run| run.args.clone());
    args.map(|args| args.sequence_values::<String>().flatten().collect()).unwrap_or_default()
}

/// Writes what scripts said about the end of the run.
pub(crate) fn save(lua: &Lua, out: &mut ByteWriter) {
    let outcome = outcome(lua);
    out.option(outcome, |out, LevelOutcome { ok, note }| {
        out.flag(ok);
        note.save(out);
    });
    measures(lua).save(out);
}

/// Reads what scripts said about the end of the run.
///
/// # Errors
/// When the bytes are none of those.
pub(crate) fn load(lua: &Lua, input: &mut ByteReader<'_>) -> Result<(), DecodeError> {
    let outcome = input.option(|input| Ok(LevelOutcome { ok: input.flag()?, note: Saved::load(input)? }))?;
    let measures: BTreeMap<String, f64> = Saved::load(input)?;
    if let Some(mut run) = lua.app_data_mut::<RunContext>() {
        (run.outcome, run.measures) = (outcome, measures);
    }
    Ok(())
}

fn name(lua: &Lua, args: &mut Args) -> HostResult {
    ask(lua, args, |world| Ok(world.level_name().to_owned()))
}

fn seed(lua: &Lua, args: &mut Args) -> HostResult {
    ask(lua, args, |world| Ok(world.seed() as f64))
}

fn tick_rate(lua: &Lua, args: &mut Args) -> HostResult {
    ask(lua, args, |world| Ok(world.rate().per_second()))
}

fn tick(lua: &Lua, args: &mut Args) -> HostResult {
    ask(lua, args, |world| Ok(world.tick().0 as f64))
}

fn time(lua: &Lua, args: &mut Args) -> HostResult {
    ask(lua, args, |world| Ok(world.rate().seconds(world.tick())))
}

fn arguments(lua: &Lua, args: &mut Args) -> HostResult {
    with(lua, args, |_| Ok(()))?;
    let given = lua.app_data_ref::<RunContext>().map(|run| run.args.clone());
    answer(lua, given)
}

fn outcome_field(lua: &Lua, args: &mut Args) -> HostResult {
    with(lua, args, |_| Ok(()))?;
    let Some(outcome) = outcome(lua) else {
        return answer(lua, mlua::Value::Nil);
    };
    let table = lua.create_table()?;
    table.raw_set("ok", outcome.ok)?;
    table.raw_set("note", outcome.note)?;
    table.set_readonly(true);
    answer(lua, table)
}

fn finish(lua: &Lua, args: &mut Args) -> HostResult {
    let ok = args.take("ok").boolean()?;
    let note = args.take("note").present().map(|note| note.text("a sentence")).transpose()?;
    with(lua, args, |_| Ok(()))?;
    if let Some(mut run) = lua.app_data_mut::<RunContext>()
        && run.outcome.is_none()
    {
        let cut = |note: String| note.chars().take(NOTE_BYTES / 4).collect();
        run.outcome = Some(LevelOutcome { ok, note: note.map(cut) });
    }
    nothing()
}

fn measure(lua: &Lua, args: &mut Args) -> HostResult {
    let name = args.take("name").new_name()?;
    let value = args.take("value").number("")?;
    with(lua, args, |_| Ok(()))?;
    let Some(mut run) = lua.app_data_mut::<RunContext>() else { return nothing() };
    if run.measures.len() >= MEASURES_MAX && !run.measures.contains_key(&name) {
        let what = format!("this run has {MEASURES_MAX} measures already; use fewer names");
        return Err(args.mistake(what).into());
    }
    run.measures.insert(name, value);
    nothing()
}
