//! What to write instead: endings of messages that look at the line of the script.
//!
//! In: the line that raised an error, and the error. Out: the receiver of a method that was called with a
//! dot, the reason why a name is nil. Holds: looks at one line, for messages only; nothing depends on what is
//! found. Not here: the mistakes themselves (`convert`, `fault`).

use mlua::Lua;

use crate::script::vm::fault::StackFrame;
use crate::script::vm::machine::{charge, line_of};

/// Bytes of script text that are looked through for a unit of fuel, so that errors in a loop are paid for.
const BYTES_PER_UNIT: u64 = 8192;

/// The line at which a script stands that raises, and may catch what it raises, again and again.
fn paid_line(lua: &Lua, frame: &StackFrame) -> Option<String> {
    let (line, bytes) = line_of(lua, &frame.file, frame.line)?;
    // A call that cannot pay ends at the next safepoint.
    let _ = charge(lua, bytes / BYTES_PER_UNIT);
    Some(line)
}

/// What stands before `.name(` on the line of the caller: `anna` in `anna.walkTo("gate")`.
pub(crate) fn receiver(lua: &Lua, frame: &StackFrame, name: &str) -> Option<String> {
    receiver_in(&paid_line(lua, frame)?, '.', name)
}

/// Whether the caller wrote `library:name(`.
pub(crate) fn has_colon(lua: &Lua, frame: &StackFrame, called: &str) -> bool {
    let Some((library, name)) = called.rsplit_once('.') else {
        return false;
    };
    let receiver = paid_line(lua, frame).and_then(|line| receiver_in(&line, ':', name));
    receiver.as_deref() == Some(library)
}

/// The expression before the only `.name(` of a line.
fn receiver_in(line: &str, mark: char, name: &str) -> Option<String> {
    let call = format!("{mark}{name}");
    let is_call = |at: usize| line[at + call.len()..].trim_start().starts_with(['(', '"', '\'', '{']);
    let mut places = line.match_indices(&call).map(|(at, _)| at).filter(|&at| is_call(at));
    let end = places.next().filter(|_| places.next().is_none())?;
    let before = &line.as_bytes()[..end];
    let mut start = end;
    let mut depth = 0_u32;
    while start > 0 {
        match before[start - 1] {
            b')' | b']' => depth += 1,
            b'(' | b'[' if depth > 0 => depth -= 1,
            letter if depth > 0 || letter.is_ascii_alphanumeric() || b"_.:".contains(&letter) => {}
            _ => break,
        }
        start -= 1;
    }
    let receiver = line.get(start..end)?.trim();
    let is_name = receiver.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
    (depth == 0 && is_name).then(|| receiver.to_owned())
}

/// Names of Lua that scripts here do not have, and what to use.
const ABSENT: &[(&str, &str)] = &[
    ("os.time", "level.time is the time of the level, in seconds"),
    ("os.clock", "level.time is the time of the level, in seconds"),
    ("os.date", "level.time is the time of the level, in seconds"),
    (
        "os",
        "scripts have no operating system; level.time is the time, level.args are the arguments of the run",
    ),
    ("io.write", "use log.info or print"),
    ("io.read", "use level.args, or events of the host"),
    ("io", "scripts have no files; keep data in state and boards, write lines with log.info"),
    ("package", "use require(name)"),
    ("loadstring", "use require(name); code cannot be made from text"),
    ("loadfile", "use require(name)"),
    ("load", "use require(name); code cannot be made from text"),
    ("dofile", "use require(name)"),
    ("getfenv", "every file has an environment of its own, _G"),
    ("setfenv", "every file has an environment of its own, _G"),
    ("newproxy", "use setmetatable"),
    ("collectgarbage", "memory is collected by itself"),
    ("debug", "only debug.traceback is there"),
    ("wait", "use task.sleep(seconds)"),
    ("sleep", "use task.sleep(seconds)"),
    ("spawn", "use task.spawn(fn)"),
    ("delay", "use timer.after(seconds, fn)"),
    ("string.dump", "code cannot be turned into text"),
    ("math.randomseed", "the seed is the level's; rng.stream(name) gives a stream of numbers"),
];

/// Why something on the line of an error is nil, when it is a name that Lua has elsewhere:
/// `there is no os.time; ...`.
pub(crate) fn absent(lua: &Lua, frame: &StackFrame, error: &str) -> Option<String> {
    let is_nil = error.contains("attempt to index nil") || error.contains("attempt to call a nil value");
    // An error that ends a call is looked at once.
    is_nil.then(|| line_of(lua, &frame.file, frame.line)).flatten().and_then(|(line, _)| absent_in(&line))
}

/// What to use instead of a global that Lua has elsewhere: `use task.sleep(seconds)` for `wait`.
#[must_use]
pub fn instead_of_absent(name: &str) -> Option<&'static str> {
    ABSENT.iter().find(|(absent, _)| *absent == name).map(|(_, instead)| *instead)
}

fn absent_in(line: &str) -> Option<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.' || letter == ':';
    let stands = |name: &str| {
        line.match_indices(name).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + name.len()..].chars().next();
            let goes_on = |letter: char| letter.is_alphanumeric() || letter == '_';
            !before.is_some_and(is_part) && !after.is_some_and(goes_on)
        })
    };
    let (name, instead) = ABSENT.iter().find(|(name, _)| stands(name))?;
    Some(format!("there is no {name} here: {instead}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_receiver_of_a_call_is_what_stands_before_it() {
        for (line, expected) in [
            ("anna.walkTo(\"gate\")", Some("anna")),
            ("  local r = self.character.walkTo (1, 2)", Some("self.character")),
            ("world.character(\"a (b)\").walkTo(x)", Some("world.character(\"a (b)\")")),
            ("list[1].walkTo(x)", Some("list[1]")),
            ("f(anna.walkTo(x))", Some("anna")),
            ("anna.walkTo(x) ben.walkTo(y)", None),
            ("local f = anna.walkTo", None),
            (".walkTo(x)", None),
            ("é.walkTo(x)", None),
        ] {
            assert_eq!(receiver_in(line, '.', "walkTo").as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn names_that_lua_has_elsewhere_say_what_to_use() {
        assert!(
            absent_in("local t = os.time()").unwrap().starts_with("there is no os.time here: level.time")
        );
        assert!(absent_in("os.execute('x')").unwrap().starts_with("there is no os here"));
        assert!(absent_in("x = load(text)").unwrap().contains("require(name)"));
        for line in ["self.io.x = 1", "chaos.x()", "loads()", "door:wait()", "preload()"] {
            assert_eq!(absent_in(line), None, "{line}");
        }
    }
}
