//! The host's part of waits in level tests: waits that are filed, and verdicts when they are over.
//!
//! In: arguments of a method that waits; what became of the wait. Out: the serial of the wait and what its
//! end needs to know; nothing, or a failed expectation. Not here: the Lua between the two
//! (`prelude/test.lua`).

use std::collections::BTreeMap;

use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::base::ids::CharacterId;
use crate::base::ordered;
use crate::base::time::TickNumber;
use crate::script::bind::call::{BindingError, answer, handle, myself, nothing};
use crate::script::bind::character;
use crate::script::bind::table::HostResult;
use crate::script::bind::test::{filter, judge, value_of};
use crate::script::bind::wait_requests::{file, may_wait, seconds};
use crate::script::state::waits::{GroupEntry, GroupKind, TaskPause};
use crate::script::step::testing::values::{number, show};
use crate::script::step::testing::{self, TestId};
use crate::script::step::wait;
use crate::script::vm::convert::{Args, Argument, UsageError};
use crate::script::vm::{path_of_script, store};
use crate::world::outcome::{Reason, Status};

/// Seconds that `until_` and `eventually` wait, and those of `expectEvent` and `expectNoEvent`.
const PATIENCE: f64 = 20.0;
const EVENT_PATIENCE: f64 = 5.0;
/// Options of `expectWalk` that are no options of a walk.
const CHECKS: [&str; 3] = ["status", "reason", "within"];

type Half = fn(&Lua, &mut Args) -> HostResult;

/// The functions that the prelude asks, by the names it uses.
pub(crate) fn natives(lua: &Lua) -> mlua::Result<Table> {
    let halves: [(&str, &'static str, Half); 22] = [
        ("run", "run", run),
        ("ticks", "ticks", ticks),
        ("until_", "until_", until),
        ("stillFalse", "until_", still_false),
        ("eventually", "eventually", eventually),
        ("stillFailing", "eventually", still_failing),
        ("beginTry", "eventually", begin_try),
        ("endTry", "eventually", end_try),
        ("expectWalk", "expectWalk", expect_walk),
        ("walked", "expectWalk", walked),
        ("expectEvent", "expectEvent", expect_event),
        ("heard", "expectEvent", heard),
        ("expectNoEvent", "expectNoEvent", expect_no_event),
        ("notHeard", "expectNoEvent", not_heard),
        ("reload", "reload", reload),
        ("reloaded", "reload", reloaded),
        ("save", "save", save),
        ("saved", "save", saved),
        ("load", "load", load),
        ("loaded", "load", loaded),
        ("satisfy", "toSatisfy", satisfy),
        ("satisfied", "toSatisfy", satisfied),
    ];
    let table = lua.create_table()?;
    for (key, name, body) in halves {
        let function: Function = lua.create_function(move |lua, values: MultiValue| {
            body(lua, &mut Args::new(name, values)).map_err(|raise| raise.error(lua))
        })?;
        table.raw_set(key, function)?;
    }
    Ok(table)
}

fn me(args: &mut Args) -> Result<(), BindingError> {
    Ok(myself::<TestId>(args).map(|_| ())?)
}

fn in_seconds(lua: &Lua, seconds: f64) -> TickNumber {
    store::with(lua, |runtime| runtime.clock.after_seconds(seconds))
}

/// The seconds of an option, or so many.
fn patience(given: Option<Argument>, default: f64) -> Result<f64, BindingError> {
    Ok(given.map(|given| seconds(&given)).transpose()?.unwrap_or(default))
}

fn run(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let seconds = seconds(&args.take("seconds"))?;
    may_wait(lua, args.function())?;
    answer(lua, file(lua, TaskPause::Until(in_seconds(lua, seconds)), Vec::new()))
}

fn ticks(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let count = args.take("n").integer_in(1..=1_000_000_000)?;
    may_wait(lua, args.function())?;
    let until = store::with(lua, |runtime| runtime.clock.now.after(count.unsigned_abs()));
    answer(lua, file(lua, TaskPause::Until(until), Vec::new()))
}

fn until(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let predicate = args.take("predicate").callable()?;
    file_test(lua, args, predicate)
}

/// Files a test of each tick; its serial and its patience.
fn file_test(lua: &Lua, args: &mut Args, predicate: Function) -> HostResult {
    let patience = patience(args.options(&["timeout"])?.find("timeout"), PATIENCE)?;
    may_wait(lua, args.function())?;
    let deadline = Some(in_seconds(lua, patience));
    let pause = TaskPause::Test { predicate, deadline, asked_by: args.function() };
    answer(lua, (file(lua, pause, Vec::new()), patience))
}

fn shown_seconds(args: &mut Args) -> String {
    number(args.take("seconds").value()).map_or_else(String::new, |seconds| format!("{seconds} s"))
}

fn still_false(lua: &Lua, args: &mut Args) -> HostResult {
    let after = shown_seconds(args);
    Err(testing::fail(lua, format!("until_: the predicate is still false after {after}")).into())
}

fn eventually(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    args.take("fn").callable()?;
    let options = args.take("options");
    let holds = args.take("holds").callable()?;
    let mut rest = Args::new("eventually", [options.into_value()].into_iter().collect());
    file_test(lua, &mut rest, holds)
}

fn still_failing(lua: &Lua, args: &mut Args) -> HostResult {
    let after = shown_seconds(args);
    Err(testing::fail_as_tried(lua, &after).into())
}

fn begin_try(lua: &Lua, _: &mut Args) -> HostResult {
    testing::begin_try(lua);
    nothing()
}

fn end_try(lua: &Lua, _: &mut Args) -> HostResult {
    answer(lua, testing::end_try(lua))
}

// ------ walks

/// What `expectWalk` checks: status, reason, seconds.
struct WalkChecks {
    status: Option<&'static str>,
    reason: Option<&'static str>,
    within: Option<f64>,
}

/// Takes the checks out of the options of a walk: a copy without them.
fn split(lua: &Lua, given: Argument) -> Result<(Value, WalkChecks), BindingError> {
    let mut checks = WalkChecks { status: None, reason: None, within: None };
    let Some(given) = given.present() else {
        return Ok((Value::Nil, checks));
    };
    let table = given.table("a table of options")?;
    let check = |name: &str| -> Result<Option<Argument>, BindingError> {
        Ok(Argument::new(given.function(), name, table.raw_get::<Value>(name)?).present())
    };
    checks.status = check("status")?.map(|given| given.one_of(&Status::ALL.map(Status::name))).transpose()?;
    checks.reason = check("reason")?.map(|given| reason(&given)).transpose()?;
    checks.within = check("within")?.map(|given| seconds(&given)).transpose()?;
    let rest = lua.create_table()?;
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair?;
        if !key.as_string().is_some_and(|key| CHECKS.iter().any(|name| key == name)) {
            rest.raw_set(key, value)?;
        }
    }
    Ok((Value::Table(rest), checks))
}

/// A reason for which a walk ends. There are too many to list them all.
fn reason(given: &Argument) -> Result<&'static str, UsageError> {
    let word = given.text("a reason")?;
    let known = Reason::ALL.map(Reason::name);
    let found = known.iter().copied().find(|name| *name == word);
    found.ok_or_else(|| UsageError::unknown(given.function(), "reason", &word, known))
}

fn expect_walk(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let character = args.take("character");
    handle::<CharacterId>(&character, "a character")?;
    let is_flat = matches!(args.peek(), Value::Number(_) | Value::Integer(_));
    let mut walk_args = vec![character.into_value(), args.take("goal").into_value()];
    if is_flat {
        walk_args.push(args.take("z").into_value());
    }
    let (options, checks) = split(lua, args.take("options"))?;
    walk_args.push(options);
    may_wait(lua, args.function())?;
    let started = character::walk_to(lua, &mut Args::new("expectWalk", walk_args.into_iter().collect()))?;
    let Some(wait) = started.front().and_then(wait::read) else {
        return Err(args.mistake("the walk has no handle").into());
    };
    let entries = vec![GroupEntry { key: Value::Boolean(true), wait, outcome: None }];
    let deadline = checks.within.map(|within| in_seconds(lua, within));
    let serial = file(lua, TaskPause::Group { kind: GroupKind::Timeout, entries, deadline }, Vec::new());
    answer(lua, (serial, checks.status, checks.reason, checks.within))
}

fn walked(lua: &Lua, args: &mut Args) -> HostResult {
    let (in_time, result) = (args.take("ok").boolean()?, args.take("result").into_value());
    let status = args.take("status").present().map(|given| given.text("a status")).transpose()?;
    let reason = args.take("reason").present().map(|given| given.text("a reason")).transpose()?;
    let status = status.unwrap_or_else(|| "arrived".to_owned());
    let expected = match &reason {
        Some(reason) => format!("{status}/{reason}"),
        None => status.clone(),
    };
    if !in_time {
        let after = shown_seconds(args);
        return judge(lua, args, false, &expected, &format!("no end of the walk within {after}"));
    }
    let Value::Table(table) = &result else {
        return judge(lua, args, false, &expected, &show(lua, &result));
    };
    let (own_status, own_reason): (String, String) = (table.raw_get("status")?, table.raw_get("reason")?);
    let holds = own_status == status && reason.is_none_or(|reason| reason == own_reason);
    let got = result.to_string()?;
    judge(lua, args, holds, &expected, &got)
}

// ------ events

fn expect_event(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let name = args.take("name").text("the name of an event")?;
    let options = args.options(&["within", "where"])?;
    let within = patience(options.find("within"), EVENT_PATIENCE)?;
    let test = options.find("where").map(|given| filter(lua, &given)).transpose()?;
    may_wait(lua, args.function())?;
    let pause = TaskPause::Event { name: name.clone(), test, deadline: Some(in_seconds(lua, within)) };
    answer(lua, (file(lua, pause, Vec::new()), name, within))
}

/// Whether the wait for an event has ended because its time was over: that wakes in step 3, an event in step
/// 12.
fn is_late(lua: &Lua) -> bool {
    store::with(lua, |runtime| runtime.clock.step == 3)
}

fn heard(lua: &Lua, args: &mut Args) -> HostResult {
    let name = args.take("name").text("a name")?;
    if !is_late(lua) {
        return nothing();
    }
    let after = shown_seconds(args);
    judge(lua, args, false, &format!("the event \"{name}\""), &format!("none that counts within {after}"))
}

fn expect_no_event(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let name = args.take("name").text("the name of an event")?;
    let options = args.options(&["during"])?;
    let during = patience(options.find("during"), EVENT_PATIENCE)?;
    may_wait(lua, args.function())?;
    let pause = TaskPause::Event { name: name.clone(), test: None, deadline: Some(in_seconds(lua, during)) };
    answer(lua, (file(lua, pause, Vec::new()), name))
}

fn not_heard(lua: &Lua, args: &mut Args) -> HostResult {
    let name = args.take("name").text("a name")?;
    if is_late(lua) {
        return nothing();
    }
    let payload = show(lua, args.take("payload").value());
    judge(lua, args, false, &format!("no event \"{name}\""), &format!("one with the payload {payload}"))
}

// ------ reloads

fn reload(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let given = args.take("files");
    let mut files = BTreeMap::new();
    for pair in given.table("a table of texts by the names of scripts")?.pairs::<Value, Value>() {
        let (name, text) = pair?;
        let name = Argument::new(given.function(), "a name in files", name).text("the name of a script")?;
        let text = Argument::new(given.function(), &format!("files[{name:?}]"), text)
            .text("the text of a script")?;
        let path = path_of_script(lua, &name).map_err(|error| args.mistake(error.to_string()))?;
        files.insert(path, Some(text));
    }
    may_wait(lua, args.function())?;
    testing::with_run(lua, |run| run.asked.reload.extend(files));
    testing::with(lua, |testing| testing.reloaded = None);
    let next = store::with(lua, |runtime| runtime.clock.now.after(1));
    answer(lua, file(lua, TaskPause::Until(next), Vec::new()))
}

/// The report of the reload of this tick. A reload that changes nothing is done.
fn reloaded(lua: &Lua, args: &mut Args) -> HostResult {
    let given = args.take("files");
    let report = testing::with(lua, |testing| testing.reloaded.take()).flatten();
    let table = lua.create_table()?;
    let files = match report {
        Some(report) => {
            table.raw_set("ok", report.ok)?;
            table.raw_set("message", report.message)?;
            report.files
        }
        None => {
            table.raw_set("ok", true)?;
            let names = given.table("files")?;
            let names = names.pairs::<String, Value>().flatten();
            let mut files: Vec<String> =
                names.filter_map(|(name, _)| path_of_script(lua, &name).ok()).collect();
            ordered::sort_by(&mut files, Ord::cmp);
            files
        }
    };
    let list = lua.create_sequence_from(files)?;
    list.set_readonly(true);
    table.raw_set("files", list)?;
    table.set_readonly(true);
    answer(lua, table)
}

// ------ save games

fn save(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    may_wait(lua, args.function())?;
    testing::with_run(lua, |run| run.saving.asks = true);
    answer(lua, file(lua, TaskPause::Until(in_a_tick(lua)), Vec::new()))
}

fn in_a_tick(lua: &Lua) -> TickNumber {
    store::with(lua, |runtime| runtime.clock.now.after(1))
}

/// The save game of the last tick, or why there is none.
fn saved(lua: &Lua, args: &mut Args) -> HostResult {
    match testing::with_run(lua, |run| run.saving.saved.take()).flatten() {
        Some(Ok(bytes)) => answer(lua, lua.create_string(&bytes)?),
        Some(Err(why)) => Err(args.mistake(why).into()),
        None => Err(args.mistake("only a level test saves its level").into()),
    }
}

fn load(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let given = args.take("saved");
    let Value::String(bytes) = given.value() else {
        return Err(given.not("a save game, as t:save gives it").into());
    };
    let bytes = bytes.as_bytes().to_vec();
    may_wait(lua, args.function())?;
    testing::with_run(lua, |run| run.saving.to_load = Some(bytes));
    answer(lua, file(lua, TaskPause::Until(in_a_tick(lua)), Vec::new()))
}

/// What became of the load before this tick.
fn loaded(lua: &Lua, _: &mut Args) -> HostResult {
    let outcome = testing::with_run(lua, |run| run.saving.loaded.take()).flatten();
    let why = outcome.unwrap_or_else(|| Err("only a level test loads its level".to_owned())).err();
    let table = lua.create_table()?;
    table.raw_set("ok", why.is_none())?;
    table.raw_set("message", why)?;
    table.set_readonly(true);
    answer(lua, table)
}

// ------ predicates

fn satisfy(lua: &Lua, args: &mut Args) -> HostResult {
    let value = value_of(lua, args)?;
    args.take("fn").callable()?;
    answer(lua, value)
}

fn satisfied(lua: &Lua, args: &mut Args) -> HostResult {
    let value = value_of(lua, args)?;
    let holds = !matches!(args.take("answer").value(), Value::Nil | Value::Boolean(false));
    judge(lua, args, holds, "a value that the function says yes to", &show(lua, &value))
}
