//! Hints in messages: what to write instead, from the line of the script.
//!
//! In: the line that raised an error, and the error. Out: the receiver of a method that was called with a
//! dot, the reason why a name is nil. Holds: looks at one line, for messages only; nothing depends on what is
//! found. Not here: the mistakes themselves (`convert`, `fault`).

use mlua::{Lua, Table, Value};

use crate::script::vm::machine::{charge, line_of};
use crate::script::vm::stack_frame::StackFrame;

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

/// Whether the caller wrote `library:name(`. Where the line has `library.name` as well, the mistake `what`
/// tells: the library itself, a table, came as an argument.
pub(crate) fn has_colon(lua: &Lua, frame: &StackFrame, called: &str, what: &str) -> bool {
    let Some((library, name)) = called.rsplit_once('.') else {
        return false;
    };
    let Some(line) = paid_line(lua, frame) else { return false };
    let is_library = what.contains("is a table") || !line_without_words(&line).contains(called);
    is_library && receiver_in(&line, ':', name).as_deref() == Some(library)
}

/// A line with blanks in place of what stands in quotes, and without its comment.
fn line_without_words(line: &str) -> String {
    let mut code = String::with_capacity(line.len());
    let (mut quote, mut is_escaped) = (None, false);
    for (at, letter) in line.char_indices() {
        match quote {
            Some(mark) => {
                let ends = letter == mark && !is_escaped;
                is_escaped = letter == '\\' && !is_escaped;
                if ends {
                    quote = None;
                }
                // As many bytes as there were, so that places stay the same.
                code.extend(std::iter::repeat_n(if ends { letter } else { ' ' }, letter.len_utf8()));
            }
            None if line[at..].starts_with("--") => break,
            None => {
                quote = matches!(letter, '"' | '\'' | '`').then_some(letter);
                code.push(letter);
            }
        }
    }
    code
}

/// The expression before the only `.name(` of a line.
fn receiver_in(line: &str, mark: char, name: &str) -> Option<String> {
    let code = line_without_words(line);
    let call = format!("{mark}{name}");
    let is_call = |at: usize| code[at + call.len()..].trim_start().starts_with(['(', '"', '\'', '{']);
    let mut places = code.match_indices(&call).map(|(at, _)| at).filter(|&at| is_call(at));
    let end = places.next().filter(|_| places.next().is_none())?;
    expression_before(line, end)
}

/// The name, with what it is a part of, that ends at a byte of a line: `self.character` before `.walkTo`.
fn expression_before(line: &str, end: usize) -> Option<String> {
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

/// What all verbs of a character are called: scripts look for them on the `self` of a behaviour.
pub(crate) const VERBS: &[&str] = &[
    "attach",
    "canReach",
    "despawn",
    "detach",
    "distanceTo",
    "emitNoise",
    "face",
    "flee",
    "follow",
    "hasTag",
    "isMoving",
    "patrol",
    "play",
    "setSpeed",
    "stop",
    "stopInPlace",
    "teleport",
    "walk",
    "walkTo",
    "wander",
];

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
    ("task.wait", "use task.sleep(seconds)"),
    ("task.delay", "use timer.after(seconds, fn)"),
    ("task.defer", "use task.spawn(fn)"),
    ("Vector3", "use vector.create(x, y, z)"),
    ("Vector2", "use vector.create(x, y, z), y is up"),
    ("event.fire", "use event.emit(name, payload)"),
    ("event.trigger", "use event.emit(name, payload)"),
    ("event.connect", "use event.on(name, handler)"),
    ("event.subscribe", "use event.on(name, handler)"),
    ("event.listen", "use event.on(name, handler)"),
    ("timer.new", "use timer.after(seconds, handler) or timer.every(seconds, handler)"),
    ("timer.start", "use timer.after(seconds, handler) or timer.every(seconds, handler)"),
    ("nav.path", "use nav.findPath(from, to) or nav.requestPath(from, to)"),
    ("nav.getPath", "use nav.findPath(from, to) or nav.requestPath(from, to)"),
    ("Walk.cancel", "use :stop()"),
    ("Character.moveTo", "use :walkTo(place)"),
    ("Character.goTo", "use :walkTo(place)"),
    ("Character.setDestination", "use :walkTo(place)"),
    ("Character.lookAt", "use :face(target)"),
    ("Character.turnTo", "use :face(target)"),
    ("Character.setPosition", "use :teleport(place)"),
    ("Character.remove", "use :despawn()"),
    ("Character.destroy", "use :despawn()"),
    ("Character.delete", "use :despawn()"),
    ("Character.kill", "use :despawn()"),
    ("Character.say", "only scenes have lines: c:say(who, line); event.emit tells the host all else"),
    ("Character.rot", "facing is the angle, in radians"),
    ("Character.rotation", "facing is the angle, in radians"),
    ("Character.angle", "facing is the angle, in radians"),
    ("Character.heading", "facing is the angle, in radians"),
    ("Character.yaw", "facing is the angle, in radians"),
    ("Character.vel", "walkSpeed and runSpeed are how fast it walks; isMoving() says whether it does"),
    ("Character.velocity", "walkSpeed and runSpeed are how fast it walks; isMoving() says whether it does"),
    ("Character.speed", "walkSpeed and runSpeed are how fast it walks; isMoving() says whether it does"),
];

/// What on the line of an error is not what it was used as, and what to write instead:
/// `there is no os.time; ...`, `guard is nil`.
pub(crate) fn cause(lua: &Lua, frame: &StackFrame, error: &str) -> Option<String> {
    let what = error.split_once("attempt to ").map(|(_, what)| what)?;
    // An error that ends a call is looked at once.
    let (line, _) = line_of(lua, &frame.file, frame.line)?;
    let is_there = |name: &str| is_global(lua, name);
    let key = what.split('\'').nth(1).unwrap_or_default();
    if what.starts_with("index nil") {
        return absent_in(&without_texts(&line))
            .or_else(|| Some(format!("{} is nil", indexed_in(&line, key)?)));
    }
    if what.starts_with("call a nil value") {
        return absent_in(&without_texts(&line))
            .or_else(|| Some(format!("{} is nil", called_in(&line, is_there)?)));
    }
    if what.starts_with("index function") {
        return Some(format!("{0} is a function; call it, {0}(...)", indexed_in(&line, key)?));
    }
    let is_verb = what.starts_with("call missing method") && VERBS.contains(&key);
    (is_verb && indexed_in(&line, key)? == "self")
        .then(|| format!("verbs of the character are its own; write self.character:{key}(...)"))
}

/// Whether every script has a global of that name; the sealed VM has them behind its own table.
fn is_global(lua: &Lua, name: &str) -> bool {
    let globals = lua.globals();
    let behind = globals.metatable().and_then(|meta| meta.raw_get::<Table>("__index").ok());
    let has = |table: Table| table.raw_get(name).is_ok_and(|found: Value| !found.is_nil());
    has(globals) || behind.is_some_and(has)
}

/// What stands before the only `.name` or `:name` of a line.
fn indexed_in(line: &str, name: &str) -> Option<String> {
    let ends = |at: usize| !line[at + name.len()..].starts_with(|letter: char| is_of_a_name(letter));
    let is_part = |at: &usize| line[..*at].ends_with(['.', ':']) && ends(*at);
    let mut places = line.match_indices(name).map(|(at, _)| at).filter(is_part);
    let at = places.next().filter(|_| !name.is_empty() && places.next().is_none())?;
    expression_before(line, at - 1)
}

/// The only thing that a line calls, methods and what `is_there` aside.
fn called_in(line: &str, is_there: impl Fn(&str) -> bool) -> Option<String> {
    let bare = without_texts(line);
    let mut called = bare.match_indices('(').filter_map(|(at, _)| {
        let end = bare[..at].trim_end().len();
        let name = expression_before(&bare, end)?;
        let root = name.split(['.', ':', '(', '[']).next().unwrap_or_default();
        let is_defined = bare[..end - name.len()].trim_end().ends_with("function");
        let is_method = name.rsplit('.').next().is_some_and(|last| last.contains(':'));
        let is_other = is_defined || is_method || KEYWORDS.contains(&root) || is_there(root);
        (!is_other).then(|| line[end - name.len()..end].to_owned())
    });
    let first = called.next()?;
    called.all(|other| other == first).then_some(first)
}

/// Words before a bracket that call nothing.
const KEYWORDS: &[&str] = &[
    "and", "do", "else", "elseif", "for", "function", "if", "in", "local", "not", "or", "repeat", "return",
    "then", "until", "while",
];

fn is_of_a_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The line with blanks for what stands in quotes and after `--`; as many bytes.
fn without_texts(line: &str) -> String {
    let mut quote = None;
    let mut bare = String::with_capacity(line.len());
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if quote.is_none() && line[at..].starts_with("--") {
            break;
        }
        let is_inside = quote.is_some();
        match quote {
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            Some(end) if letter == end => quote = None,
            Some(_) if letter == '\\' => {
                let escaped = letters.next().map_or(0, |(_, escaped)| escaped.len_utf8());
                bare.extend(std::iter::repeat_n(' ', escaped));
            }
            _ => {}
        }
        if is_inside || quote.is_some() {
            bare.extend(std::iter::repeat_n(' ', letter.len_utf8()));
        } else {
            bare.push(letter);
        }
    }
    bare
}

/// What to use instead of a global that Lua has elsewhere: `use task.sleep(seconds)` for `wait`.
#[must_use]
pub fn instead_of_absent(name: &str) -> Option<&'static str> {
    ABSENT.iter().find(|(absent, _)| *absent == name).map(|(_, instead)| *instead)
}

/// What to write where a name is that of a character or a door, which `kind` says, and a mark is looked for.
#[must_use]
pub fn instead_of_mark(kind: &str, name: &str) -> String {
    format!("it is the name of a {kind}: write world.{kind}(\"{name}\")")
}

fn absent_in(line: &str) -> Option<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.' || letter == ':';
    let stands = |name: &str| {
        line.match_indices(name).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + name.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_of_a_name)
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
            ("anna.walkTo(x) -- not ben.walkTo(y)", Some("anna")),
            ("anna.walkTo(\"ben.walkTo(y)\")", Some("anna")),
            (".walkTo(x)", None),
            ("é.walkTo(x)", None),
        ] {
            assert_eq!(receiver_in(line, '.', "walkTo").as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn what_is_indexed_is_what_stands_before_the_name() {
        for (line, name, expected) in [
            ("character:walk(\"gate\")", "walk", Some("character")),
            ("  local x = anna.state.hunger + 1", "hunger", Some("anna.state")),
            ("world.player:walkTo(\"gate\")", "walkTo", Some("world.player")),
            ("x.y = 3", "y", Some("x")),
            ("list[3].name = list[2].name", "name", None),
            ("anna.walkTo(x)", "walk", None),
            ("walk()", "walk", None),
            ("x[y]", "", None),
        ] {
            assert_eq!(indexed_in(line, name).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn what_is_called_is_named_when_nothing_else_is_called() {
        let is_there = |name: &str| ["log", "print"].contains(&name);
        for (line, expected) in [
            ("walk(\"gate\")", Some("walk")),
            ("  c:walk(miller, vec(16, 5))", Some("vec")),
            ("log.info(\"%d (of %d)\", count(x)) -- over (and over)", Some("count")),
            ("if (self.foo()) then print(1) end", Some("self.foo")),
            ("local x = twice(twice(3))", Some("twice")),
            ("nav.findPath(\"a\", \"b\").lenght()", None),
            ("once(twice(3))", None),
            ("function count(x) return (x) end", None),
            ("anna:walk(3)", None),
            ("é(\"\\\"(\")", None),
            ("", None),
        ] {
            assert_eq!(called_in(line, is_there).as_deref(), expected, "{line}");
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
