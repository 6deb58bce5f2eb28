//! `rng` and `Rng`: random numbers that repeat.
//!
//! Holds: numbers come from a stream of the level. Not here: the streams (`state::streams`).

use mlua::{Lua, Table, Value};

use crate::base::rng::Rng;
use crate::script::bind::call::{BindingError, answer, list, myself, nothing, with};
use crate::script::bind::table::{Binding, HostResult, Library, param};
use crate::script::state::streams::STREAMS_MAX;
use crate::script::vm::convert::{Args, UsageError};
use crate::script::vm::handles::{self, StreamId};
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::{charge, machine_of, store};

const RNG: &str = "rng";
const TYPE: &str = "Rng";

/// What stands above the entries.
pub const GROUPS: &[Library] = &[
    Library { name: RNG, is_type: false, doc: "Random numbers that repeat with the seed of the run." },
    Library { name: TYPE, is_type: true, doc: "A stream of random numbers." },
];

/// Whole numbers that a number of Lua holds exactly.
const EXACT: i64 = 1 << 53;
/// Everything `rng` and an `Rng` have.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[param("name", "string", "\"loot\"")],
        returns: "Rng",
        raises: "limit",
        doc: "A stream of the run's seed and that name; the same name is the same stream.",
        example: "assert(rng.stream(\"loot\") == rng.stream(\"loot\"))",
        price: 24,
        ..Binding::function(RNG, "rng.stream", stream_named)
    },
    Binding {
        params: &[param("low", "number?", "2"), param("high", "number?", "3")],
        returns: "number",
        raises: "range",
        doc: "From low (default 0) up to, not including, high (default 1).",
        example: "local x = rng.stream(\"loot\"):float(2, 3)\nassert(x >= 2 and x < 3)",
        ..Binding::method(TYPE, "float", float)
    },
    Binding {
        params: &[param("low", "number", "1"), param("high", "number", "6")],
        returns: "number",
        raises: "range",
        doc: "A whole number, both ends included.",
        example: "local die = rng.stream(\"loot\"):int(1, 6)\nassert(die >= 1 and die <= 6)",
        ..Binding::method(TYPE, "int", int)
    },
    Binding {
        params: &[param("p", "number", "0.5")],
        returns: "boolean",
        raises: "range",
        doc: "True with probability p, 0 to 1.",
        example: "assert(rng.stream(\"loot\"):chance(1))",
        ..Binding::method(TYPE, "chance", chance)
    },
    Binding {
        params: &[param("list", "{any}", "{ 1, 2 }")],
        returns: "any",
        doc: "An entry of a list; nil from an empty one.",
        example: "assert(rng.stream(\"loot\"):pick({ \"axe\" }) == \"axe\")",
        ..Binding::method(TYPE, "pick", pick)
    },
    Binding {
        params: &[param("list", "{any}", "{ 1, 2 }")],
        doc: "Puts a list in a random order, in place.",
        example: "local deck = { 1, 2, 3 }\nrng.stream(\"loot\"):shuffle(deck)\nassert(#deck == 3)",
        ..Binding::method(TYPE, "shuffle", shuffle)
    },
    Binding {
        params: &[param("list", "{{any}}", "{ { 1, \"axe\" } }")],
        returns: "any",
        raises: "range",
        doc: "A value out of entries `{ weight, value }`; nil when all weights are 0.",
        example: "assert(rng.stream(\"loot\"):weighted({ { 3, \"axe\" }, { 0, \"bow\" } }) == \"axe\")",
        ..Binding::method(TYPE, "weighted", weighted)
    },
];

fn stream_named(lua: &Lua, args: &mut Args) -> HostResult {
    let name = args.take("name").new_name()?;
    let stream = stream(lua, args, &name)?;
    answer(lua, handles::make(lua, stream)?)
}

/// The stream called `name`, begun at its first use.
///
/// # Errors
/// While a file loads, and when the level has too many streams.
pub fn stream(lua: &Lua, args: &Args, name: &str) -> Result<StreamId, BindingError> {
    let seed = with(lua, args, |world| Ok(world.seed()))?;
    let begun = store::with(lua, |runtime| runtime.streams.begin(seed, name));
    begun.map(StreamId).ok_or_else(|| {
        args.mistake(format!("the level has {STREAMS_MAX} streams, the most allowed; use fewer names")).into()
    })
}

/// Draws from the stream that the method was called on.
fn draw<R>(lua: &Lua, stream: StreamId, work: impl FnOnce(&mut Rng) -> R) -> R {
    let mut numbers = store::with(lua, |runtime| runtime.streams.lend(stream.0));
    let drawn = work(&mut numbers);
    store::with(lua, |runtime| runtime.streams.give_back(stream.0, numbers));
    drawn
}

fn float(lua: &Lua, args: &mut Args) -> HostResult {
    let stream = myself::<StreamId>(args)?;
    let low = args.take("low").present().map_or(Ok(0.0), |low| low.number(""))?;
    let high = args.take("high").present().map_or(Ok(1.0), |high| high.number(""))?;
    if low > high || !(high - low).is_finite() {
        return Err(empty_range(args, low, high).into());
    }
    answer(lua, draw(lua, stream, |numbers| numbers.float(low, high)))
}

fn empty_range(args: &Args, low: f64, high: f64) -> UsageError {
    args.mistake(format!("the range is {low} to {high}, expected low not above high"))
}

fn int(lua: &Lua, args: &mut Args) -> HostResult {
    let stream = myself::<StreamId>(args)?;
    let low = args.take("low").integer_in(-EXACT..=EXACT)?;
    let high = args.take("high").integer_in(-EXACT..=EXACT)?;
    if low > high {
        return Err(empty_range(args, low as f64, high as f64).into());
    }
    answer(lua, draw(lua, stream, |numbers| numbers.int(low, high)) as f64)
}

fn chance(lua: &Lua, args: &mut Args) -> HostResult {
    let stream = myself::<StreamId>(args)?;
    let p = args.take("p").number_in(0.0..=1.0, "")?;
    answer(lua, draw(lua, stream, |numbers| numbers.chance(p)))
}

fn entries_of(lua: &Lua, args: &mut Args) -> Result<(Table, usize), BindingError> {
    let given = args.take("list");
    let table = given.table("a list")?;
    let (count, most) = (table.raw_len(), elements_max(lua));
    if count > most {
        return Err(args.mistake(format!("list has {count} entries, expected at most {most}")).into());
    }
    Ok((table, count))
}

fn elements_max(lua: &Lua) -> usize {
    machine_of(lua).map_or(ScriptLimits::default().table_elements, |machine| machine.limits.table_elements)
        as usize
}

fn pick(lua: &Lua, args: &mut Args) -> HostResult {
    let stream = myself::<StreamId>(args)?;
    let (table, count) = entries_of(lua, args)?;
    let index = draw(lua, stream, |numbers| numbers.below(count as u64)) + 1;
    answer(lua, table.raw_get::<Value>(index)?)
}

fn shuffle(lua: &Lua, args: &mut Args) -> HostResult {
    let stream = myself::<StreamId>(args)?;
    let (table, count) = entries_of(lua, args)?;
    if table.is_readonly() {
        return Err(args.mistake("list is read-only, expected a list of the script's own").into());
    }
    charge(lua, count as u64)?;
    let mut order: Vec<Value> = (1..=count).map(|index| table.raw_get(index)).collect::<mlua::Result<_>>()?;
    draw(lua, stream, |numbers| numbers.shuffle(&mut order));
    for (index, value) in order.into_iter().enumerate() {
        table.raw_set(index + 1, value)?;
    }
    nothing()
}

fn weighted(lua: &Lua, args: &mut Args) -> HostResult {
    let stream = myself::<StreamId>(args)?;
    let given = args.take("list");
    let expected = "a list of { weight, value }";
    let most = elements_max(lua);
    let entries = list(&given, expected, most, |entry| {
        let pair = entry.table("{ weight, value }")?;
        let weight = pair.raw_get::<Value>(1).unwrap_or(Value::Nil);
        let name = format!("{}[1]", entry.name());
        let weight = crate::script::vm::convert::Argument::new(entry.function(), &name, weight);
        let weight = weight.number_in(0.0..=1e9, "")?;
        Ok((weight, pair.raw_get::<Value>(2).unwrap_or(Value::Nil)))
    })?;
    charge(lua, entries.len() as u64 / 4)?;
    let total: f64 = entries.iter().map(|(weight, _)| weight).sum();
    if total <= 0.0 {
        return answer(lua, Value::Nil);
    }
    let mut left = draw(lua, stream, |numbers| numbers.float(0.0, total));
    let heavy = entries.iter().filter(|(weight, _)| *weight > 0.0);
    let mut chosen = Value::Nil;
    for (weight, value) in heavy {
        chosen = value.clone();
        if left < *weight {
            break;
        }
        left -= weight;
    }
    answer(lua, chosen)
}
