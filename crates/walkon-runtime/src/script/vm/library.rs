//! The Rust half of the guarded libraries: charging, catching, printing, plain searches, mathematics that
//! repeats.
//!
//! In: calls from `prelude/base.lua` and from scripts. Out: Lua values. Holds: trigonometry, exponentials and
//! powers come from `libm` and have the same bits on every platform; nothing here loops longer than it was
//! charged for. Not here: which functions scripts see (`sandbox`).

use std::rc::Rc;

use mlua::{Function, Lua, LuaString, MultiValue, Table, Value};

use crate::base::rng::Rng;
use crate::script::vm::caught::CoroutineFailure;
use crate::script::vm::chunk_names;
use crate::script::vm::console::Printed;
use crate::script::vm::convert::{Args, Argument, UsageError, function};
use crate::script::vm::debug::Stack;
use crate::script::vm::fault::FailureWay;
use crate::script::vm::fuel::{Fuel, Trip};
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::machine::Machine;
use crate::script::vm::stack_frame::StackFrame;
use crate::script::vm::{caught, fault, fuel};

/// The limits `prelude/base.lua` checks.
pub(crate) fn limits(lua: &Lua, machine: &Machine) -> mlua::Result<Table> {
    let limits = &machine.limits;
    lua.create_table_from([
        ("result", u64::from(limits.string_kib) * 1024),
        ("pattern", u64::from(limits.pattern_bytes)),
        ("subject", ScriptLimits::SUBJECT_BYTES as u64),
        ("elements", u64::from(limits.table_elements)),
        ("line", ScriptLimits::LINE_BYTES as u64),
    ])
}

/// What `prelude/base.lua` asks of the host.
pub(crate) fn host_functions(lua: &Lua, machine: &Rc<Machine>) -> mlua::Result<Table> {
    let host = lua.create_table()?;
    let m = Rc::clone(machine);
    host.raw_set("charge", lua.create_function(move |_, units: f64| m.fuel.charge(units as u64))?)?;
    let m = Rc::clone(machine);
    host.raw_set(
        "chargePlaces",
        lua.create_function(move |_, table: Table| m.fuel.charge_places_of(&table))?,
    )?;
    let m = Rc::clone(machine);
    let compare = move |_: &Lua, units: f64| m.fuel.charge((units as u64).saturating_mul(m.fuel.price()));
    host.raw_set("chargeComparisons", lua.create_function(compare)?)?;
    let switch = |[on, off]: [fn(&Fuel); 2]| {
        let m = Rc::clone(machine);
        lua.create_function(move |_, is_on: bool| {
            if is_on {
                on(&m.fuel)
            } else {
                off(&m.fuel)
            }
            Ok(())
        })
    };
    host.raw_set("setPaid", switch([Fuel::begin_paid, Fuel::end_paid])?)?;
    let counting: [fn(&Fuel); 2] = [Fuel::begin_counting_tables, Fuel::end_counting_tables];
    host.raw_set("countTables", switch(counting)?)?;
    let m = Rc::clone(machine);
    let see = move |_: &Lua, text: LuaString| {
        m.fuel.see(&text.as_bytes());
        Ok(())
    };
    host.raw_set("see", lua.create_function(see)?)?;
    let m = Rc::clone(machine);
    host.raw_set("caught", lua.create_function(move |lua, problem: Value| caught(lua, &m, problem))?)?;
    host.raw_set("place", lua.create_function(|lua, (text, handlers)| place(lua, text, handlers))?)?;
    let m = Rc::clone(machine);
    host.raw_set("enter", lua.create_function(move |lua, ()| enter(lua, &m))?)?;
    let m = Rc::clone(machine);
    let leave = move |_: &Lua, ()| {
        m.resumers.borrow_mut().pop();
        Ok(())
    };
    host.raw_set("leave", lua.create_function(leave)?)?;
    let m = Rc::clone(machine);
    let refuse_to_close = move |lua: &Lua, ()| {
        let what = "a coroutine would end, which changes the run";
        refuse_while_looking(&m, "coroutine.close", what).map_err(|mistake| mistake.raise(lua))
    };
    host.raw_set("refuseToClose", lua.create_function(refuse_to_close)?)?;
    let m = Rc::clone(machine);
    let note_running = move |_: &Lua, ()| {
        m.is_coroutine_known.set(true);
        Ok(())
    };
    host.raw_set("noteRunning", lua.create_function(note_running)?)?;
    let m = Rc::clone(machine);
    let note_failure = move |lua: &Lua, (problem, frames, is_carried, raises): (Value, Table, bool, bool)| {
        let before = m.failure_aside.take().filter(|_| is_carried);
        let way = if raises { FailureWay::Raised } else { FailureWay::Returned };
        caught::note_coroutine(
            lua,
            &m,
            &problem,
            CoroutineFailure { frames: frames_in(&frames), before, way },
        );
        Ok(())
    };
    host.raw_set("noteFailure", lua.create_function(note_failure)?)?;
    let m = Rc::clone(machine);
    let set_failure_aside = move |_: &Lua, ()| {
        *m.failure_aside.borrow_mut() = m.failure_inside.take();
        Ok(())
    };
    host.raw_set("setFailureAside", lua.create_function(set_failure_aside)?)?;
    let m = Rc::clone(machine);
    host.raw_set("isLooking", lua.create_function(move |_, ()| Ok(m.is_looking()))?)?;
    let m = Rc::clone(machine);
    host.raw_set(
        "print",
        lua.create_function(move |lua, text: LuaString| {
            print(lua, &m, &text);
            Ok(())
        })?,
    )?;
    host.raw_set(
        "findPlain",
        lua.create_function(|_, (text, part, from)| Ok(find_plain(&text, &part, from)))?,
    )?;
    Ok(host)
}

/// Frames of scripts as `prelude/base.lua` lists them: file, line and name of each.
fn frames_in(listed: &Table) -> Vec<StackFrame> {
    let listed: Vec<Value> = listed.sequence_values().filter_map(Result::ok).collect();
    let text = |value: &Value| value.as_string().map(|text| text.to_string_lossy()).unwrap_or_default();
    let frame = |one: &[Value]| {
        let [file, line, function] = one else { return None };
        let line = line.as_u32().filter(|line| *line > 0)?;
        let (file, function) = (text(file), Some(text(function)).filter(|name| !name.is_empty()));
        (!chunk_names::is_own(&file)).then_some(StackFrame { file, line, function })
    };
    listed.chunks(3).filter_map(frame).collect()
}

/// Units of fuel of an error that is raised and caught: the stack is unwound.
const CAUGHT_UNITS: u64 = 4;

/// What `pcall` returns in place of the error `problem`: errors of the host become texts. Spent memory is
/// raised again.
fn caught(lua: &Lua, machine: &Machine, problem: Value) -> mlua::Result<Value> {
    machine.fuel.charge(CAUGHT_UNITS)?;
    if fault::is_out_of_memory(&problem) {
        machine.fuel.end(Trip::Memory);
        return Err(mlua::Error::MemoryError("not enough memory".to_owned()));
    }
    match &problem {
        Value::Error(error) => Ok(Value::String(fuel::text(lua, &fault::text_of_error(error))?)),
        _ => Ok(problem),
    }
}

/// The error `text` with the place of the script in front when a guarded function raised it.
fn place(lua: &Lua, text: LuaString, handlers: usize) -> mlua::Result<LuaString> {
    let shown = text.to_string_lossy();
    if fault::place_in(&shown).is_some()
        || shown == fault::OUT_OF_MEMORY
        || !fault::raised_by_own_code(lua, handlers)
    {
        return Ok(text);
    }
    fuel::text(lua, &format!("{}{shown}", fault::caller(lua)))
}

fn enter(lua: &Lua, machine: &Machine) -> mlua::Result<()> {
    let refused =
        refuse_while_looking(machine, "coroutine.resume", "a coroutine would go on, which changes the run");
    refused.map_err(|mistake| mistake.raise(lua))?;
    let mut resumers = machine.resumers.borrow_mut();
    if resumers.len() >= machine.limits.coroutine_depth as usize {
        let what =
            format!("coroutines nested too deeply, expected at most {}", machine.limits.coroutine_depth);
        return Err(UsageError::new("coroutine.resume", what).raise(lua));
    }
    resumers.push(Stack::running(lua));
    Ok(())
}

/// Refuses what would change something to code that only looks.
pub(crate) fn refuse_while_looking(machine: &Machine, function: &str, what: &str) -> Result<(), UsageError> {
    match machine.is_looking() {
        true => {
            let what = format!("{what}; write ! in front to allow it; the run is then not repeatable");
            Err(UsageError::new(function, what))
        }
        false => Ok(()),
    }
}

fn print(lua: &Lua, machine: &Machine, text: &LuaString) {
    let bytes = text.as_bytes();
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(ScriptLimits::LINE_BYTES)]).into_owned();
    let place = fault::frames(lua, 1).pop();
    let (file, line) = place.map_or((String::new(), 0), |frame| (frame.file, frame.line));
    machine.console.borrow_mut().push(Printed { file, line, text }, machine.limits.log_lines_per_tick);
    machine.fuel.interrupt();
}

/// First and last place of `part` in `text`, counted from 1, looking from `from`; nothing when it is not
/// there. Cost: the length of both. Source: Knuth, Morris, Pratt 1977.
fn find_plain(text: &LuaString, part: &LuaString, from: f64) -> (Option<u64>, Option<u64>) {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let back = from < 0.0;
    let from = if back { (text.len() as f64 + from).max(0.0) } else { (from - 1.0).max(0.0) } as usize;
    if from > text.len() {
        return (None, None);
    }
    if part.is_empty() {
        return (Some(from as u64 + 1), Some(from as u64));
    }
    let borders = borders(&part);
    let mut matched = 0;
    for (at, byte) in text.iter().enumerate().skip(from) {
        while matched > 0 && part[matched] != *byte {
            matched = borders[matched - 1];
        }
        if part[matched] == *byte {
            matched += 1;
        }
        if matched == part.len() {
            return (Some((at + 2 - matched) as u64), Some(at as u64 + 1));
        }
    }
    (None, None)
}

/// For each start of `part`: the length of its longest end that is also its start.
fn borders(part: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; part.len()];
    for at in 1..part.len() {
        let mut length = borders[at - 1];
        while length > 0 && part[length] != part[at] {
            length = borders[length - 1];
        }
        borders[at] = length + usize::from(part[length] == part[at]);
    }
    borders
}

/// A number argument by Lua's own rules: texts that look like numbers count, NaN and infinities are numbers.
fn any_number(args: &mut Args, name: &'static str) -> Result<f64, UsageError> {
    let argument = args.take(name);
    match argument.value() {
        Value::Number(number) => Ok(*number),
        Value::Integer(number) => Ok(*number as f64),
        Value::String(text) => text.to_string_lossy().trim().parse().map_err(|_| argument.not("a number")),
        _ => Err(argument.not("a number")),
    }
}

/// A function of one number, and what scripts call it.
type Unary = (&'static str, fn(f64) -> f64);

/// Functions of one number that the platform's own library would round differently.
const UNARY: [Unary; 11] = [
    ("sin", libm::sin),
    ("cos", libm::cos),
    ("tan", libm::tan),
    ("asin", libm::asin),
    ("acos", libm::acos),
    ("atan", libm::atan),
    ("sinh", libm::sinh),
    ("cosh", libm::cosh),
    ("tanh", libm::tanh),
    ("exp", libm::exp),
    ("log10", libm::log10),
];

/// Puts `math` and `vector` functions that repeat on every platform into the guarded libraries.
pub(crate) fn add_math(lua: &Lua, guarded: &Table) -> mlua::Result<()> {
    let math = lua.create_table()?;
    for (name, compute) in UNARY {
        let slow = move |lua: &Lua, x: Value| {
            let number = any_number(&mut Args::new(name, MultiValue::from_iter([x])), "x");
            number.map(compute).map_err(|mistake| mistake.raise(lua))
        };
        let fast =
            move |lua: &Lua, x: Value| if let Value::Number(x) = x { Ok(compute(x)) } else { slow(lua, x) };
        math.raw_set(name, lua.create_function(fast)?)?;
    }
    math.raw_set(
        "atan2",
        function(lua, "atan2", |_, args| Ok(libm::atan2(any_number(args, "y")?, any_number(args, "x")?)))?,
    )?;
    math.raw_set(
        "pow",
        function(lua, "pow", |_, args| Ok(libm::pow(any_number(args, "x")?, any_number(args, "y")?)))?,
    )?;
    math.raw_set(
        "log",
        function(lua, "log", |_, args| {
            let x = any_number(args, "x")?;
            if args.peek().is_nil() { Ok(libm::log(x)) } else { Ok(logarithm(x, any_number(args, "base")?)) }
        })?,
    )?;
    guarded.raw_set("math", math)?;
    let vector = lua.create_table()?;
    vector.raw_set("angle", function(lua, "vector.angle", angle)?)?;
    guarded.raw_set("vector", vector)
}

fn logarithm(x: f64, base: f64) -> f64 {
    if base == 2.0 {
        libm::log2(x)
    } else if base == 10.0 {
        libm::log10(x)
    } else {
        libm::log(x) / libm::log(base)
    }
}

/// The angle between two vectors, radians; with an axis, negative when the turn is clockwise about it. As
/// Luau's.
fn angle(_: &Lua, args: &mut Args) -> Result<f64, UsageError> {
    let vector = |argument: Argument| match argument.value() {
        Value::Vector(v) => Ok(glam::Vec3::new(v.x(), v.y(), v.z())),
        _ => Err(argument.not("a vector")),
    };
    let (one, other) = (vector(args.take("a"))?, vector(args.take("b"))?);
    let axis = args.take("axis").present().map(vector).transpose()?;
    let cross = one.cross(other);
    let sine = libm::sqrtf(cross.dot(cross));
    let angle = libm::atan2f(sine, one.dot(other));
    Ok(f64::from(if axis.is_some_and(|axis| cross.dot(axis) < 0.0) { -angle } else { angle }))
}

/// `math.randomseed`: raises, because a script's numbers depend on the seed of the run.
pub(crate) fn refuse_seeding(lua: &Lua) -> mlua::Result<Function> {
    function(lua, "math.randomseed", |_, args: &mut Args| -> Result<(), UsageError> {
        Err(args
            .mistake("the seed of a run is given to walkon; use rng.stream(name) for numbers of your own"))
    })
}

/// `math.random` of one script file: draws from the stream `script:<name>` of the run's seed.
pub(crate) fn random(lua: &Lua, machine: &Rc<Machine>, file: &str) -> mlua::Result<Function> {
    let machine = Rc::clone(machine);
    let stream = format!("script:{file}");
    function(lua, "math.random", move |_, args| {
        let mut streams = machine.streams.borrow_mut();
        let rng = streams.entry(stream.clone()).or_insert_with(|| Rng::stream(machine.seed, &stream));
        draw(rng, args)
    })
}

fn draw(rng: &mut Rng, args: &mut Args) -> Result<f64, UsageError> {
    /// Whole numbers that a number of Lua holds exactly.
    const EXACT: i64 = 1 << 53;
    let given = args.left();
    if given == 0 {
        return Ok(rng.unit());
    }
    let (low, high) = if given == 1 {
        (1, args.take("high").integer_in(-EXACT..=EXACT)?)
    } else {
        (args.take("low").integer_in(-EXACT..=EXACT)?, args.take("high").integer_in(-EXACT..=EXACT)?)
    };
    if low > high {
        return Err(args.mistake(format!("the range {low} to {high} is empty")));
    }
    Ok(rng.int(low, high) as f64)
}

#[cfg(test)]
mod tests;
