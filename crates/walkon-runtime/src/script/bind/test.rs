//! `test`, `Test` and `Expectation`: level tests.
//!
//! Holds: an expectation that fails ends its function with an error at the caller's line, and the test with
//! it, even when the error is caught; a wait that ends says what it waited for. Not here: when the test runs
//! (`script::testing`), the waiting halves (`prelude/test.lua`, `test_waits`).

use mlua::{Lua, MultiValue, Value};

use crate::base::value::Plain;
use crate::script::bind::call::{BindingError, answer, list, myself, nothing, with, word};
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, TableType, field, param};
use crate::script::bind::{event, test_fuel, walk_options};
use crate::script::state::dialogue;
use crate::script::state::test_run::{ALWAYS_MAX, Collected, HostRequest, TestDef, TestOptions, TestOutcome};
use crate::script::step::hashes::hashes;
use crate::script::step::testing::declared::{is_test_file, resolve_level};
use crate::script::step::testing::values::{covers, distance, equal, number, same, show};
use crate::script::step::testing::{self, ExpectationId, TestId};
use crate::script::vm::convert::{Args, Argument, Options, UsageError};
use crate::script::vm::{self, fault, fuel, handles, is_loading, payload, room, text_of_script};
use crate::world::{World, state_hash};

pub(crate) const TEST: &str = "test";
pub(crate) const TYPE: &str = "Test";
pub(crate) const EXPECTATION: &str = "Expectation";

/// What stands above the entries.
pub const GROUPS: &[Library] = &[
    Library {
        name: TEST,
        is_type: false,
        doc: "Level tests, declared in files whose name ends in `_test.lua` and run by `walkon test`.",
    },
    Library { name: TYPE, is_type: true, doc: "The test that runs." },
    Library { name: EXPECTATION, is_type: true, doc: "A value that something is expected of." },
];

/// A table with the fields of `a`, then those of `b`.
const fn joined<const N: usize>(a: &[ApiParam], b: &[ApiParam]) -> [ApiParam; N] {
    let mut fields = [b[0]; N];
    let mut at = 0;
    while at < N {
        fields[at] = if at < a.len() { a[at] } else { b[at - a.len()] };
        at += 1;
    }
    fields
}

const WALK_CHECKS: [ApiParam; 3] = [
    field("status", "WalkStatus?", "\"arrived\"", "how the walk is to end, `arrived` by default"),
    field("reason", "WalkReason?", "\"reached\"", "and for what reason; any by default"),
    field("within", "number?", "20", "seconds it may take"),
];
const WALK_CHECK_FIELDS: usize = walk_options::SHAPE.fields.len() + WALK_CHECKS.len();
const WALK_CHECK: [ApiParam; WALK_CHECK_FIELDS] = joined(walk_options::SHAPE.fields, &WALK_CHECKS);

/// Tables that these functions take or give.
pub const SHAPES: &[TableType] = &[
    TableType {
        name: "TestOptions",
        doc: "What a level test runs on, and how it is judged.",
        fields: &[
            field("level", "LevelName", "\"courtyard\"", "name of a level"),
            field("seed", "number?", "7", "seed of the run; the level's own by default"),
            field("seeds", "number?", "3", "run for the seeds 1 to n; the first that fails is named"),
            field("maxTicks", "number?", "600", "ticks after which it is a timeout, 3600 by default"),
            field("expect", "string?", "\"pass\"", "the outcome that counts as passed, `pass` by default"),
            field(
                "faults",
                "string?",
                "\"allow\"",
                "`fail` (default): any script fault ends the test; `allow`",
            ),
            field(
                "variants",
                "{string}?",
                "{ \"watched\", \"skipped\" }",
                "run once for each; results must be equal",
            ),
            field("args", "{string}?", "{ \"fast\" }", "`level.args`"),
        ],
    },
    TableType {
        name: "WithinOptions",
        doc: "How long something is waited for.",
        fields: &[field("timeout", "number?", "2", "seconds, 20 by default")],
    },
    TableType {
        name: "WalkCheck",
        doc: "How a walk is to be made, and how it is to end.",
        fields: &WALK_CHECK,
    },
    TableType {
        name: "EventCheck",
        doc: "Which event is expected, and how soon.",
        fields: &[
            field("within", "number?", "2", "seconds, 5 by default"),
            field(
                "where",
                "any?",
                "{ item = \"key\" }",
                "which one counts: fields that its payload has, or a predicate",
            ),
        ],
    },
    TableType {
        name: "ReloadReport",
        doc: "What became of a reload.",
        fields: &[
            field("ok", "boolean", "true", "whether it took effect"),
            field("message", "string?", "\"guard.lua:1: ...\"", "why not"),
            field(
                "files",
                "{string}",
                "{ \"guard.lua\" }",
                "the files that were given, by path below the script folders",
            ),
        ],
    },
    TableType {
        name: "LoadReport",
        doc: "What became of a load.",
        fields: &[
            field("ok", "boolean", "true", "whether the level goes on from the save game"),
            field("message", "string?", "\"it is no save game of walkon\"", "why not"),
        ],
    },
    TableType {
        name: "NoEventCheck",
        doc: "How long no event may come.",
        fields: &[field("during", "number?", "0.1", "seconds, 5 by default")],
    },
    test_fuel::SHAPE,
];

const TIMEOUT: ApiParam = param("options", "WithinOptions?", "{ timeout = 1 }");
const NAME: ApiParam = param("name", "string", "\"alarm\"");
const NUMBER: ApiParam = param("n", "number", "3");
const ANY: ApiParam = param("v", "any", "3");

/// Everything `test`, a `Test` and an `Expectation` have.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[
            param("name", "string", "\"the guard stays\""),
            param("options", "TestOptions", "{ level = \"courtyard\" }"),
            param("fn", "(t: Test, variant: string?) -> ...any", "function(t) end"),
        ],
        raises: "name",
        doc: "Declares a test, while a file whose name ends in `_test.lua` loads.",
        example: "test.level(\"the guard stays\", { level = \"courtyard\" }, function(t) t:run(1) end)",
        ..Binding::function(TEST, "test.level", level)
    },
    Binding {
        params: &[param("seconds", "number", "0.1")],
        raises: "range wait",
        doc: "Lets game time pass, a tick at least.",
        example: "t:run(0.1)",
        ..Binding::waiting_method(TYPE, "run")
    },
    Binding {
        params: &[param("n", "number", "2")],
        raises: "range wait",
        doc: "Lets n ticks pass.",
        example: "t:ticks(2)",
        ..Binding::waiting_method(TYPE, "ticks")
    },
    Binding {
        params: &[param("predicate", "() -> boolean", "function() return true end"), TIMEOUT],
        raises: "wait",
        doc: "Waits until the predicate, tested each tick, holds; fails when that takes too long.",
        example: "t:until_(function() return level.tick > 3 end, { timeout = 1 })",
        ..Binding::waiting_method(TYPE, "until_")
    },
    Binding {
        params: &[param("fn", "() -> ()", "function() end"), TIMEOUT],
        raises: "wait",
        doc: "Repeats expectations each tick until all of them hold; fails when that takes too long.",
        example: "t:eventually(function() t:expect(level.tick):toBeAbove(3) end, { timeout = 1 })",
        ..Binding::waiting_method(TYPE, "eventually")
    },
    Binding {
        params: &[param("fn", "() -> ()", "function() end")],
        raises: "limit",
        doc: "Runs the function after every tick until the test ends.",
        example: "t:always(function() t:expect(guard.alive):toBe(true) end)",
        ..Binding::method(TYPE, "always", always)
    },
    Binding {
        params: &[param("value", "any", "guard.name"), param("...", "any", "1")],
        returns: "Expectation",
        doc: "Something is expected of a value: `t:expect(v):toBe(w)`. Of several results of a call the first counts.",
        example: "t:expect(guard.name):toBe(\"guard\")",
        ..Binding::method(TYPE, "expect", expect)
    },
    Binding {
        params: &[
            param("character", "Character", "guard"),
            param("goal", "Place", "\"post\""),
            param("options", "WalkCheck?", "{ within = 20 }"),
        ],
        returns: "WalkResult",
        raises: "name wait",
        doc: "Sends the character, waits, and checks how the walk ends: status, reason, seconds.",
        example: "t:expectWalk(guard, \"post\", { reason = \"reached\", within = 20 })",
        ..Binding::waiting_method(TYPE, "expectWalk")
    },
    Binding {
        params: &[NAME, param("options", "EventCheck?", "{ within = 1 }")],
        returns: "any",
        raises: "wait",
        doc: "Waits for an event and gives its payload; fails when it does not come.",
        example: "timer.after(0.1, function() event.emit(\"alarm\", { loud = true }) end)\nt:expectEvent(\"alarm\", { within = 1, where = { loud = true } })",
        ..Binding::waiting_method(TYPE, "expectEvent")
    },
    Binding {
        params: &[NAME, param("options", "NoEventCheck?", "{ during = 0.1 }")],
        raises: "wait",
        doc: "Waits so long and fails when the event comes.",
        example: "t:expectNoEvent(\"alarm\", { during = 0.1 })",
        ..Binding::waiting_method(TYPE, "expectNoEvent")
    },
    test_fuel::ENTRY,
    Binding {
        params: &[param("message", "string", "\"not like this\"")],
        doc: "Fails the test.",
        example: "if not guard.alive then t:fail(\"the guard is dead\") end",
        ..Binding::method(TYPE, "fail", fail)
    },
    Binding {
        params: &[NAME, param("payload", "any?", "{ key = \"space\" }")],
        raises: "data",
        doc: "An input of the host, at step 1 of the next tick.",
        example: "t:input(\"lever\", { by = guard })\nt:expectEvent(\"lever\", { within = 1 })",
        ..Binding::method(TYPE, "input", input)
    },
    Binding {
        params: &[param("choice", "string", "\"bridge.pay\""), param("option", "string", "\"pay\"")],
        doc: "The answer to every choice of a scene of that id; an option it does not have, or an answer that is never asked \
              for, fails the test.",
        example: "cinematic.define(\"toll\", { script = function(c) c:choice(\"bridge.pay\", { \"pay\", \"refuse\" }) end })\nt:answer(\"bridge.pay\", \"refuse\")\nt:expect(cinematic.play(\"toll\"):wait().ok):toBe(true)",
        ..Binding::method(TYPE, "answer", give_answer)
    },
    Binding {
        params: &[NAME],
        returns: "string",
        raises: "name",
        doc: "The text of a script.",
        example: "assert(#t:source(\"idle\") > 0)",
        ..Binding::method(TYPE, "source", source)
    },
    Binding {
        params: &[param("files", "{[string]: string}", "{ idle = \"return {}\" }")],
        returns: "ReloadReport",
        raises: "name wait",
        doc: "Reloads scripts with these texts, by name; back in the next tick, when that is done or refused.",
        example: "local report = t:reload({ idle = \"return { name = 1 }\" })\nt:expect(report.files):toEqual({ \"idle.lua\" })",
        ..Binding::waiting_method(TYPE, "reload")
    },
    Binding {
        returns: "string",
        raises: "wait state",
        doc: "A save game of the level as it is after this tick, without the test; back in the next tick. Raises with the reason where a game cannot be saved now.",
        example: "local saved = t:save()\nt:expect(#saved > 0):toBe(true)",
        ..Binding::waiting_method(TYPE, "save")
    },
    Binding {
        params: &[param("saved", "string", "t:save()")],
        returns: "LoadReport",
        raises: "wait",
        doc: "Puts a save game of this level in the place of the level that runs; back in the tick after the one it was saved in. \
              Of the test its own code goes on: its watches, timers, handlers and other tasks end. Handles forget their results: \
              the walk that was saved under way is so again. A refused one changes nothing.",
        example: "local saved = t:save()\nt:run(1)\nt:expect(t:load(saved).ok):toBe(true)",
        ..Binding::waiting_method(TYPE, "load")
    },
    Binding {
        returns: "number",
        doc: "How much code from before a reload is still reachable: files whose variables something holds.",
        example: "t:expect(t:staleClosures()):toBe(0)",
        ..Binding::method(TYPE, "staleClosures", stale_closures)
    },
    Binding {
        returns: "{any}",
        doc: "The faults of scripts so far, in tests that allow them.",
        example: "t:expect(#t:faults()):toBe(0)",
        ..Binding::method(TYPE, "faults", faults)
    },
    Binding {
        returns: "string",
        doc: "The hash of the state as it is now, 16 hexadecimal digits.",
        example: "t:expect(#t:hash()):toBe(16)",
        ..Binding::method(TYPE, "hash", hash)
    },
    Binding {
        params: &[ANY],
        doc: "The value is that one, as `==` says.",
        example: "t:expect(1 + 2):toBe(3)",
        ..Binding::method(EXPECTATION, "toBe", to_be)
    },
    Binding {
        params: &[ANY],
        doc: "The value is equal, tables by their entries; numbers and vectors within 1e-6.",
        example: "t:expect({ 1, { a = 2 } }):toEqual({ 1, { a = 2 } })",
        ..Binding::method(EXPECTATION, "toEqual", to_equal)
    },
    Binding {
        params: &[param("v", "number | vector", "3"), param("tolerance", "number", "0.5")],
        raises: "range",
        doc: "The number or vector is no farther than the tolerance.",
        example: "t:expect(guard.position):toBeNear(guard.position, 0.1)\nt:expect(3.2):toBeNear(3, 0.5)",
        ..Binding::method(EXPECTATION, "toBeNear", to_be_near)
    },
    Binding {
        params: &[NUMBER],
        doc: "The number is above n.",
        example: "t:expect(4):toBeAbove(3)",
        ..Binding::method(EXPECTATION, "toBeAbove", to_be_above)
    },
    Binding {
        params: &[NUMBER],
        doc: "The number is below n.",
        example: "t:expect(2):toBeBelow(3)",
        ..Binding::method(EXPECTATION, "toBeBelow", to_be_below)
    },
    Binding {
        params: &[ANY],
        doc: "The list has an entry that is equal, or the text has this text in it.",
        example: "t:expect({ 1, 2 }):toContain(2)\nt:expect(\"guard.lua\"):toContain(\"guard\")",
        ..Binding::method(EXPECTATION, "toContain", to_contain)
    },
    Binding {
        params: &[param("fn", "(value: any) -> boolean", "function(value) return true end")],
        doc: "The function says yes to the value.",
        example: "t:expect(3):toSatisfy(function(value) return value % 2 == 1 end)",
        waits: false,
        ..Binding::waiting_method(EXPECTATION, "toSatisfy")
    },
];

const LEVEL_OPTIONS: &[&str] =
    &["level", "seed", "seeds", "maxTicks", "expect", "faults", "variants", "args"];
const TICKS: u64 = 3600;
const TICKS_MAX: i64 = 100_000_000;
const SEEDS_MAX: i64 = 1_000_000;
const SEED_MAX: i64 = (1 << 53) - 1;
const VARIANTS_MAX: usize = 64;

fn level(lua: &Lua, args: &mut Args) -> HostResult {
    let file = fault::frames(lua, 1).into_iter().next();
    let (file, line) = file.map_or((String::new(), 0), |frame| (frame.file, frame.line));
    if !is_loading(lua) || !is_test_file(&file) {
        let what = "only in the body of a file whose name ends in _test.lua";
        return Err(args.mistake(what).into());
    }
    let name = args.take("name").new_name()?;
    let options = args.take("options");
    options.table("a table of options")?;
    let options = read_options(lua, &options.options(LEVEL_OPTIONS)?)?;
    let function = args.take("fn").callable()?;
    let namesake = testing::with(lua, |testing| {
        let mut collected = testing.collected.iter().map(|other| &other.def);
        collected.find(|other| other.name == name && other.file == file).map(|other| other.line)
    });
    if let Some(other) = namesake.flatten() {
        let what = format!(
            "another test of this file, declared in line {other}, has the name \"{name}\"; give each its own"
        );
        return Err(args.mistake(what).into());
    }
    let def = TestDef { name, file, line, options };
    testing::with(lua, |testing| testing.collected.push(Collected { def, function }));
    nothing()
}

fn read_options(lua: &Lua, options: &Options) -> Result<TestOptions, UsageError> {
    let level = options.get("level");
    let name = level.text("the name of a level")?;
    let unknown = testing::with(lua, |testing| {
        let levels = testing.levels.as_ref()?;
        resolve_level(levels, &name).err()
    });
    if let Some(Some(what)) = unknown {
        return Err(UsageError::new(level.function(), what));
    }
    let count = |name: &'static str, least: i64, most: i64| -> Result<Option<u64>, UsageError> {
        let given = options.find(name).map(|given| given.integer_in(least..=most)).transpose()?;
        Ok(given.map(i64::unsigned_abs))
    };
    let texts = |name: &'static str, expected: &'static str, each: &'static str| {
        let given = options.find(name);
        given.map(|given| list(&given, expected, VARIANTS_MAX, |entry| entry.text(each))).transpose()
    };
    if let (Some(seeds), Some(_)) = (options.find("seeds"), options.find("seed")) {
        let what = "seed and seeds are both given, expected one of them: seeds = n runs seeds 1 to n";
        return Err(UsageError::new(seeds.function(), what.to_owned()));
    }
    let expect = options.find("expect").map(|given| word(&given, &TestOutcome::NAMES)).transpose()?;
    let faults = options.find("faults").map(|given| given.one_of(&["fail", "allow"])).transpose()?;
    Ok(TestOptions {
        level: name,
        seed: count("seed", 0, SEED_MAX)?,
        seeds: count("seeds", 1, SEEDS_MAX)?,
        ticks_max: count("maxTicks", 1, TICKS_MAX)?.unwrap_or(TICKS),
        expect: expect.unwrap_or(TestOutcome::Pass),
        allows_faults: faults == Some("allow"),
        variants: texts("variants", "a list of names", "the name of a variant")?.unwrap_or_default(),
        args: texts("args", "a list of texts", "a text")?.unwrap_or_default(),
    })
}

fn me(args: &mut Args) -> Result<(), UsageError> {
    myself::<TestId>(args).map(|_| ())
}

fn always(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let function = args.take("fn").callable()?;
    let added = testing::with_run(lua, |run| {
        let has_room = run.always.len() < ALWAYS_MAX;
        if has_room {
            run.always.push(function);
        }
        has_room
    });
    if added == Some(false) {
        return Err(args.mistake(format!("the test has {ALWAYS_MAX} of these, the most allowed")).into());
    }
    nothing()
}

fn fail(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let message = args.take("message").text("a sentence")?;
    Err(testing::fail(lua, message).into())
}

fn input(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let input = event::read(lua, args)?;
    testing::with_run(lua, |run| run.asked.inputs.push(input));
    nothing()
}

fn give_answer(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let choice = args.take("choice").text("the id of a choice")?;
    let option = args.take("option").text("an option of it")?;
    dialogue::check(&choice, &option).map_err(|wrong| args.mistake(wrong))?;
    // Once for the choices to come, once for the host.
    let bytes = 2 * HostRequest::answer_bytes(&choice, &option);
    room::reserve(lua, bytes).map_err(|full| args.mistake(full))?;
    testing::answers::give(lua, choice, option);
    nothing()
}

fn source(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let name = args.take("name").text("the name of a script")?;
    let text = text_of_script(lua, &name).map_err(|error| args.mistake(error.to_string()))?;
    answer(lua, fuel::text(lua, &text)?)
}

fn faults(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let faults = testing::with_run(lua, |run| Plain::List(run.faults.clone()));
    answer(lua, payload::write(lua, &faults.unwrap_or(Plain::List(Vec::new())))?)
}

fn hash(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let mut whole = with(lua, args, |world: &mut World| Ok(state_hash::of(world)))?;
    (whole.random, whole.scripts) = hashes(lua);
    answer(lua, format!("{:016x}", whole.whole()))
}

fn stale_closures(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let replaced = testing::with(lua, |testing| testing.replaced.clone()).flatten();
    vm::collect(lua)?;
    let count = replaced.map_or(0, |replaced| replaced.pairs::<Value, Value>().filter(Result::is_ok).count());
    answer(lua, count as u64)
}

// ------ expectations

fn expect(lua: &Lua, args: &mut Args) -> HostResult {
    me(args)?;
    let value = args.take("value").into_value();
    let id = ExpectationId(testing::begin_expectation(lua));
    let handle = handles::make(lua, id)?;
    let kept = lua.create_table()?;
    kept.raw_set("value", value)?;
    handles::latch(lua, id, kept)?;
    answer(lua, handle)
}

/// The value that something is expected of.
pub(crate) fn value_of(lua: &Lua, args: &mut Args) -> Result<Value, BindingError> {
    let id = myself::<ExpectationId>(args)?;
    testing::note_expected(lua, id.0);
    let kept = handles::latched(lua, id)?.and_then(|kept| kept.as_table().cloned());
    Ok(kept.map_or(Ok(Value::Nil), |kept| kept.raw_get("value"))?)
}

/// Nothing when it `holds`; else the failure `toBe: expected 3, got 4`.
pub(crate) fn judge(lua: &Lua, args: &Args, holds: bool, expected: &str, got: &str) -> HostResult {
    if holds {
        return nothing();
    }
    Err(testing::fail(lua, format!("{}: expected {expected}, got {got}", args.function())).into())
}

fn to_be(lua: &Lua, args: &mut Args) -> HostResult {
    let got = value_of(lua, args)?;
    let wanted = args.take("v").into_value();
    judge(lua, args, same(&got, &wanted), &show(lua, &wanted), &show(lua, &got))
}

fn to_equal(lua: &Lua, args: &mut Args) -> HostResult {
    let got = value_of(lua, args)?;
    let wanted = args.take("v").into_value();
    match equal(lua, &wanted, &got) {
        Ok(()) => nothing(),
        Err(path) => {
            let at = if path.is_empty() { String::new() } else { format!("; they differ at {path}") };
            judge(lua, args, false, &show(lua, &wanted), &format!("{}{at}", show(lua, &got)))
        }
    }
}

fn to_be_near(lua: &Lua, args: &mut Args) -> HostResult {
    let got = value_of(lua, args)?;
    let wanted = args.take("v");
    if !matches!(wanted.value(), Value::Vector(_)) && number(wanted.value()).is_none() {
        return Err(wanted.not("a number or a vector").into());
    }
    let tolerance = args.take("tolerance").number_in(0.0..=1e12, "")?;
    let far = distance(&got, wanted.value());
    let away = far.map_or_else(String::new, |far| format!(", which is {far:.4} away"));
    let expected = format!("{} within {tolerance}", show(lua, wanted.value()));
    judge(
        lua,
        args,
        far.is_some_and(|far| far <= tolerance),
        &expected,
        &format!("{}{away}", show(lua, &got)),
    )
}

fn to_be_above(lua: &Lua, args: &mut Args) -> HostResult {
    let got = value_of(lua, args)?;
    let least = args.take("n").number("")?;
    let holds = number(&got).is_some_and(|got| got > least);
    judge(lua, args, holds, &format!("a number above {least}"), &show(lua, &got))
}

fn to_be_below(lua: &Lua, args: &mut Args) -> HostResult {
    let got = value_of(lua, args)?;
    let most = args.take("n").number("")?;
    let holds = number(&got).is_some_and(|got| got < most);
    judge(lua, args, holds, &format!("a number below {most}"), &show(lua, &got))
}

fn to_contain(lua: &Lua, args: &mut Args) -> HostResult {
    let got = value_of(lua, args)?;
    let wanted = args.take("v");
    let (holds, noun) = match &got {
        Value::String(text) => {
            let part = wanted.text("a text, because the value is one")?;
            (text.to_string_lossy().contains(&part), "a text with")
        }
        Value::Table(table) => {
            let mut entries = (1..=table.raw_len()).filter_map(|at| table.raw_get::<Value>(at).ok());
            (entries.any(|entry| equal(lua, wanted.value(), &entry).is_ok()), "a list with")
        }
        _ => (false, "a list or text with"),
    };
    judge(lua, args, holds, &format!("{noun} {}", show(lua, wanted.value())), &show(lua, &got))
}

/// The predicate of `where`: a function of the script, or one that looks for these fields.
pub(crate) fn filter(lua: &Lua, given: &Argument) -> Result<mlua::Function, BindingError> {
    match given.value() {
        Value::Function(function) => Ok(function.clone()),
        wanted => {
            let wanted = wanted.clone();
            let covers = move |lua: &Lua, values: MultiValue| {
                Ok(covers(lua, values.front().unwrap_or(&Value::Nil), &wanted))
            };
            Ok(lua.create_function(covers)?)
        }
    }
}
