//! `log`: log lines of scripts.
//!
//! In: a format and values. Out: facts for host and trace, with owner, file and line. Holds: writing never
//! raises: too few values print as nil, a wrong directive prints as it stands; the lines of a tick are
//! limited, the rest is counted. Not here: `print`, which is `log.info` (`library`).

use mlua::{Function, Lua, Value};

use crate::base::time::TickNumber;
use crate::script::bind::call::nothing;
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, param};
use crate::script::step::owner;
use crate::script::vm::console::Printed;
use crate::script::vm::convert::Args;
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::{fault, lend, machine_of};
use crate::world::World;
use crate::world::event::{Fact, LogLine};

const LOG: &str = "log";

/// What stands above the entries.
pub const GROUP: Library = Library {
    name: LOG,
    is_type: false,
    doc: "Lines with tick, owner, file and line. `print` is `log.info`.",
};

const PARAMS: &[ApiParam] =
    &[param("format", "string", "\"%s at %.1f\""), param("...", "any", "guard, 1.25")];

/// Everything `log` has.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: PARAMS,
        doc: "Writes a line of detail.",
        example: "log.debug(\"%s is at %s\", guard, guard.position)",
        price: 16,
        ..Binding::function(LOG, "log.debug", debug)
    },
    Binding {
        params: PARAMS,
        doc: "Writes a line. `%s` takes anything; too few values print as nil.",
        example: "log.info(\"%s walks at %.1f m/s\", guard, guard.walkSpeed)",
        price: 16,
        ..Binding::function(LOG, "log.info", info)
    },
    Binding {
        params: PARAMS,
        doc: "Writes a warning.",
        example: "log.warn(\"no way to %s\", door)",
        price: 16,
        ..Binding::function(LOG, "log.warn", warn)
    },
    Binding {
        params: PARAMS,
        doc: "Writes an error; the script goes on.",
        example: "log.error(\"%d of %d lamps\", 2, 3)",
        price: 16,
        ..Binding::function(LOG, "log.error", error)
    },
];

/// Lines of the current tick. App data of the VM.
#[derive(Debug, Default)]
struct WrittenLines {
    tick: TickNumber,
    lines: u32,
    dropped: u64,
}

/// Luau's own `string.format` and a `tostring` without addresses.
struct LogFormat {
    format: Function,
    show: Function,
}

/// Gives the VM what lines are made with. Called once, at setup.
pub(crate) fn install(lua: &Lua, format: Function, show: Function) {
    lua.set_app_data(WrittenLines::default());
    lua.set_app_data(LogFormat { format, show });
}

/// How many lines were dropped since the last call, beyond `logLinesPerTick`.
pub fn take_dropped(lua: &Lua) -> u64 {
    lua.app_data_mut::<WrittenLines>().map_or(0, |mut written| std::mem::take(&mut written.dropped))
}

fn debug(lua: &Lua, args: &mut Args) -> HostResult {
    write(lua, "debug", args)
}

fn info(lua: &Lua, args: &mut Args) -> HostResult {
    write(lua, "info", args)
}

fn warn(lua: &Lua, args: &mut Args) -> HostResult {
    write(lua, "warn", args)
}

fn error(lua: &Lua, args: &mut Args) -> HostResult {
    write(lua, "error", args)
}

fn write(lua: &Lua, level: &'static str, args: &mut Args) -> HostResult {
    let format = args.take("format").text("a text")?;
    let mut values = Vec::with_capacity(args.left());
    while args.left() > 0 {
        values.push(args.take("value").into_value());
    }
    let message = line(lua, &format, &values)?;
    put(lua, level, owner::label(lua, owner::current(lua)), message);
    nothing()
}

/// Writes `message` for `owner`; where there is no world yet, as a printed line.
pub fn put(lua: &Lua, level: &'static str, owner: String, message: String) {
    let frame = fault::frames(lua, 1).pop();
    let (file, line) = frame.map_or((String::new(), 0), |frame| (frame.file, frame.line));
    let machine = machine_of(lua);
    let most = machine.as_ref().map_or(ScriptLimits::default(), |machine| machine.limits).log_lines_per_tick;
    let logged = LogLine { level, owner, file: file.clone(), line, message: message.clone() };
    let done = lend::with_world::<World, _>(lua, |world| {
        if count(lua, world.tick(), most) {
            world.events.push(Fact::Logged(Box::new(logged)));
        }
    });
    if let (Err(_), Some(machine)) = (done, machine) {
        machine.console.borrow_mut().push(Printed { file, line, text: message }, most);
        machine.fuel.interrupt();
    }
}

/// Counts a line; false when it is one too many in this tick.
fn count(lua: &Lua, tick: TickNumber, most: u32) -> bool {
    let Some(mut written) = lua.app_data_mut::<WrittenLines>() else {
        return true;
    };
    if written.tick != tick {
        written.tick = tick;
        written.lines = 0;
    }
    written.lines += 1;
    let fits = written.lines <= most;
    written.dropped += u64::from(!fits);
    fits
}

/// `format` with its directives replaced by `values`, at most 4 KiB.
///
/// # Errors
/// When a `__tostring` fails, or the memory of the VM is spent.
pub fn line(lua: &Lua, format: &str, values: &[Value]) -> mlua::Result<String> {
    let mut values = values.iter();
    let mut text = String::new();
    let mut rest = format;
    // Bounded by the length of the format: each round takes a directive off its front.
    while let Some((before, directive, after)) = next_directive(rest) {
        text.push_str(before);
        if directive == "%%" {
            text.push('%');
        } else {
            text.push_str(&shown(lua, directive, values.next().unwrap_or(&Value::Nil))?);
        }
        rest = after;
        if text.len() > ScriptLimits::LINE_BYTES {
            break;
        }
    }
    text.push_str(rest);
    let end = (0..=ScriptLimits::LINE_BYTES.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    text.truncate(end.unwrap_or(0));
    Ok(text)
}

/// What stands before the first directive, the directive, and the rest. A lone `%` is no directive, nor is
/// `% s`: prose has it; nor one of more than two digits, which Lua does not take.
fn next_directive(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    // Bounded by the number of percent signs.
    while let Some(at) = text[from..].find('%').map(|at| at + from) {
        let options = text[at + 1..].bytes().take_while(|byte| b"-+#0123456789.".contains(byte)).count();
        let end = at + 1 + options + 1;
        let is_wide = text[at + 1..end - 1]
            .split(|letter: char| !letter.is_ascii_digit())
            .any(|digits| digits.trim_start_matches('0').len() > 2);
        if options <= 8
            && !is_wide
            && text.as_bytes().get(end - 1).is_some_and(|kind| b"sdifgGeExXqcuo%".contains(kind))
        {
            return Some((&text[..at], &text[at..end], &text[end..]));
        }
        from = at + 1;
    }
    None
}

/// One value as its directive shows it: whatever a number directive cannot take is shown as `%s` shows it.
fn shown(lua: &Lua, directive: &str, value: &Value) -> mlua::Result<String> {
    let (format, show) = match lua.app_data_ref::<LogFormat>() {
        Some(kept) => (kept.format.clone(), kept.show.clone()),
        None => return Ok(String::new()),
    };
    let kind = directive.as_bytes().last().copied().unwrap_or(b's');
    let is_number = matches!(value, Value::Number(_) | Value::Integer(_));
    if kind != b's' && kind != b'q' && is_number {
        return Ok(format.call::<mlua::LuaString>((directive, value))?.to_string_lossy());
    }
    let text: mlua::LuaString = show.call(value)?;
    if kind == b's' && directive.len() > 2 {
        return Ok(of_line(&format.call::<mlua::LuaString>((directive, text))?));
    }
    Ok(of_line(&text))
}

/// As much of a text as a line may show, and a letter more.
fn of_line(text: &mlua::LuaString) -> String {
    const LETTER_BYTES: usize = 4;
    let bytes = text.as_bytes();
    let shown = &bytes[..bytes.len().min(ScriptLimits::LINE_BYTES + LETTER_BYTES)];
    String::from_utf8_lossy(shown).into_owned()
}
