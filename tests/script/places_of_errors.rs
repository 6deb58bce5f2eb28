//! Where an error is: the file and line that raised it, however the code came to run, then the way there.

use std::fmt::Write;

use walkon_runtime::game::StartError;
use walkon_runtime::game::event::ScriptFault;
use walkon_runtime::script::vm::fault::CallFailure;

use crate::script::script_flow::setup;

/// An error in the third line of a file, as that line and as it is told without its place.
const ERRORS: &[(&str, &str)] = &[
    ("error(\"oh\")", "oh"),
    ("error(\"oh\", 0)", "oh"),
    ("error({ \"oh\" })", "(error object is a table)"),
    ("local x = nil + 1", "attempt to perform arithmetic (add) on nil and number"),
    ("local way = nothing.at", "attempt to index nil with 'at'; nothing is nil"),
    ("math.sin(\"a\")", "sin: x is \"a\", expected a number"),
    ("string.rep(\"x\")", ""),
    ("require(\"nowhere\")", "require: unknown script \"nowhere\""),
    ("local local", "Expected identifier when parsing variable name, got 'local'"),
    ("while true do end", "stopped after "),
];

/// Files `m1.lua`, `m2.lua`, ... each of which requires the next; the last has `line` as its third line.
fn chain(depth: usize, line: &str) -> Vec<(String, String)> {
    let name = |at: usize| format!("m{at}.lua");
    let mut files: Vec<(String, String)> = (1..depth)
        .map(|at| (name(at), format!("{}return require(\"m{}\")", "\n".repeat(at), at + 1)))
        .collect();
    files.push((name(depth), format!("local m = {{}}\n\n{line}\nreturn m")));
    files
}

/// What a run tells whose files are these: why it did not begin, or its first fault.
fn first_fault(files: &[(String, String)]) -> ScriptFault {
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let mut run = match setup(&files) {
        Ok(run) => run,
        Err(StartError::Load(failure) | StartError::Init { failure, .. }) => {
            let CallFailure { file, line, message, traceback, .. } = *failure;
            return ScriptFault { file, line, message, traceback, ..ScriptFault::default() };
        }
        Err(error) => panic!("{error}"),
    };
    let mut lines =
        run.tick(60).trace.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let fault =
        lines.find(|line| line["e"] == "scriptFault").unwrap_or_else(|| panic!("no fault: {files:?}"));
    let text = |key: &str| fault[key].as_str().unwrap_or_default().to_owned();
    let line = fault["line"].as_f64().unwrap_or_default() as u32;
    let (file, message, traceback) = (text("file"), text("message"), text("traceback"));
    ScriptFault { file, line, message, traceback, ..ScriptFault::default() }
}

/// Ways by which a file comes to be required: a text of `level.lua`, and the line in it that requires.
const REQUIRES: &[(&str, u32)] = &[
    ("require(\"m1\")", 1),
    ("function onStart()\n  require(\"m1\")\nend", 2),
    ("function onTick()\n  require(\"m1\")\nend", 2),
    ("function onStart()\n  task.spawn(function()\n    task.ticks(1)\n    require(\"m1\")\n  end)\nend", 4),
    ("function onStart()\n  timer.after(1/60, function()\n    require(\"m1\")\n  end)\nend", 3),
    (
        "function onStart()\n  event.on(\"go\", function()\n    require(\"m1\")\n  end)\n  event.emit(\"go\")\nend",
        3,
    ),
];

#[test]
fn an_error_of_a_required_file_is_told_at_its_own_line_with_the_chain_behind_it() {
    for (line, what) in ERRORS {
        for (level, required_at) in REQUIRES {
            for depth in 1..=3 {
                let mut files = chain(depth, line);
                files.push(("level.lua".to_owned(), (*level).to_owned()));
                let ScriptFault { message, file, line: at, traceback, .. } = first_fault(&files);
                let context = format!("{line:?} {depth} deep in {level:?}: {message}");
                let innermost = format!("m{depth}.lua");
                assert_eq!((file.as_str(), at), (innermost.as_str(), 3), "{context}");
                assert!(message.starts_with(&format!("{innermost}:3: {what}")), "{context}");
                let mut way = String::new();
                for at in (1..depth).rev() {
                    let _ = write!(way, ", in require at m{at}.lua:{}", at + 1);
                }
                let _ = write!(way, ", in require at level.lua:{required_at}");
                let is_budget = line.starts_with("while");
                assert!(is_budget || message.ends_with(&way), "{context}");
                let frames: Vec<&str> = traceback.lines().collect();
                let last = format!("level.lua:{required_at}");
                assert!(frames.iter().any(|frame| frame.starts_with(&last)), "{context}: {traceback}");
            }
        }
    }
}

/// Calls of `lib.fail()` in `anna.lua` or `level.lua`: at load, at init, at update, in a task, in a handler.
const CALLS: &[(&str, &str)] = &[
    ("level.lua", "lib.fail()"),
    ("level.lua", "function onStart() lib.fail() end"),
    ("level.lua", "function onTick() lib.fail() end"),
    ("level.lua", "function onStart() task.spawn(function() task.ticks(1) lib.fail() end) end"),
    ("level.lua", "function onStart() event.on(\"go\", lib.fail) event.emit(\"go\") end"),
    ("level.lua", "function onStart() timer.after(1/60, function() lib.fail() end) end"),
    ("level.lua", "function onStart() local fail = coroutine.wrap(lib.fail) fail() end"),
    (
        "level.lua",
        "function onStart() timer.after(1/60, coroutine.wrap(function() coroutine.wrap(lib.fail)() end)) end",
    ),
    ("level.lua", "function onStart() task.spawn(function() task.all({ task.spawn(lib.fail) }) end) end"),
    ("level.lua", "function onStart() table.sort({ 2, 1 }, function() lib.fail() end) end"),
    (
        "level.lua",
        "function onStart() task.spawn(function() task.waitUntil(function() lib.fail() end) end) end",
    ),
    ("anna.lua", "lib.fail() return {}"),
    ("anna.lua", "return { init = function() lib.fail() end }"),
    ("anna.lua", "return { start = function() lib.fail() end }"),
    ("anna.lua", "return { update = function() lib.fail() end }"),
    ("anna.lua", "return { run = function() task.ticks(1) lib.fail() end }"),
    (
        "anna.lua",
        "return { start = function(self) self.character:walkTo(\"near\", { onArrived = lib.fail }) end }",
    ),
];

#[test]
fn an_error_in_a_function_of_a_required_file_is_told_at_its_own_line() {
    for (line, what) in ERRORS.iter().filter(|(line, _)| *line != "local local") {
        for (file, call) in CALLS {
            let lib = format!("local lib = {{}} function lib.fail()\n\n{line}\nend return lib");
            let caller = format!("local lib = require(\"lib\") {call}");
            let files = [("lib.lua".to_owned(), lib), ((*file).to_owned(), caller)];
            let fault = first_fault(&files);
            let context = format!("{line:?} by {call:?} of {file}: {fault:?}");
            assert_eq!((fault.file.as_str(), fault.line), ("lib.lua", 3), "{context}");
            assert!(fault.message.starts_with(&format!("lib.lua:3: {what}")), "{context}");
        }
    }
}

/// Calls by which the host loads a file: the function as the message names it, and what follows the sentence.
const HOST_LOADS: &[(&str, &str)] = &[
    ("attach", "world.character(\"anna\"):attach(\"m1\")"),
    ("world.spawn", "world.spawn({ name = \"dora\", at = \"far\", behaviour = \"m1\" })"),
    ("cinematic.play", "cinematic.play(\"m1\")"),
    ("bt.subtree", "bt.subtree(\"m1\")"),
];

#[test]
fn an_error_of_a_file_that_a_function_of_the_host_loads_is_told_at_its_own_line() {
    for (line, what) in ERRORS {
        for (function, call) in HOST_LOADS {
            for depth in 1..=2 {
                let mut files = chain(depth, line);
                files.push(("level.lua".to_owned(), format!("function onStart()\n{call}\nend")));
                let fault = first_fault(&files);
                let context = format!("{line:?} {depth} deep by {call:?}: {fault:?}");
                let innermost = format!("m{depth}.lua");
                assert_eq!((fault.file.as_str(), fault.line), (innermost.as_str(), 3), "{context}");
                assert!(fault.message.starts_with(&format!("{innermost}:3: {what}")), "{context}");
                let way = format!(", in {function} at level.lua:2");
                assert!(line.starts_with("while") || fault.message.ends_with(&way), "{context}");
            }
        }
    }
}

/// The way to an error leads out of the coroutines that it went through.
#[test]
fn an_error_in_a_coroutine_is_told_with_the_way_through_it() {
    let lib = "local lib = {}\nfunction lib.fail(x)\n  return x.way.there\nend\nreturn lib";
    let level = "local lib = require('lib')
        local function deep() local value = lib.fail({}) return value end
        local function inner() coroutine.wrap(deep)() end
        function onStart()
          local outer = coroutine.wrap(inner)
          outer()
        end";
    let fault =
        first_fault(&[("lib.lua".to_owned(), lib.to_owned()), ("level.lua".to_owned(), level.to_owned())]);
    assert_eq!((fault.file.as_str(), fault.line), ("lib.lua", 3), "{fault:?}");
    assert_eq!(fault.message, "lib.lua:3: attempt to index nil with 'there'; x.way is nil");
    let frames: Vec<&str> = fault.traceback.lines().collect();
    assert_eq!(
        frames,
        ["lib.lua:3 in fail", "level.lua:2 in deep", "level.lua:3 in inner", "level.lua:6 in onStart"],
        "{fault:?}"
    );
}

/// The same where a script looks at the error before it raises it again.
#[test]
fn an_error_that_resume_has_returned_is_told_with_the_way_through_it() {
    let lib = "local lib = {}\nfunction lib.fail(x)\n  return x.way.there\nend\nreturn lib";
    let raises = [
        "assert(coroutine.resume(go))",
        "local ok, why = coroutine.resume(go)\nif not ok then error(why, 0) end",
        "local ok, why = coroutine.resume(go)\nerror('at last: ' .. why)",
        "local ok, why = coroutine.resume(go) pcall(print) error(why .. ' at last', 0)",
        "local outer = coroutine.create(function()\nassert(coroutine.resume(go))\nend)\nassert(coroutine.resume(outer))",
        "local outer = coroutine.wrap(function()\nassert(coroutine.resume(go))\nend)\nouter()",
        "local inner = go go = coroutine.create(function()\ncoroutine.wrap(function()\nassert(coroutine.resume(inner))\nend)()\nend)\n\
         assert(coroutine.resume(go))",
    ];
    for raise in raises {
        let level = format!(
            "local lib = require('lib')\nlocal function deep() local value = lib.fail({{}}) return value end\n\
             function onStart()\n  local go = coroutine.create(deep)\n  {raise}\nend"
        );
        let files = [("lib.lua".to_owned(), lib.to_owned()), ("level.lua".to_owned(), level)];
        let fault = first_fault(&files);
        assert!(fault.message.contains("lib.lua:3: attempt to index nil with 'there'"), "{raise}: {fault:?}");
        let frames: Vec<&str> = fault.traceback.lines().collect();
        assert_eq!(frames[..2], ["lib.lua:3 in fail", "level.lua:2 in deep"], "{raise}: {fault:?}");
        let ways_out = frames.iter().filter(|frame| frame.ends_with(" in onStart")).count();
        assert_eq!(ways_out, 1, "{raise}: {fault:?}");
        assert!(frames[frames.len() - 1].ends_with(" in onStart"), "{raise}: {fault:?}");
        let is_exact = raise.contains("error(why");
        assert!(!is_exact || (fault.file.as_str(), fault.line) == ("lib.lua", 3), "{raise}: {fault:?}");
    }
}

/// An error that `coroutine.resume` has returned and nobody has raised again says nothing of later ones.
#[test]
fn an_error_that_resume_has_returned_lends_no_way_to_a_later_one() {
    for later in [
        "bad()",
        "local ok, why = pcall(bad) error(why, 0)",
        "coroutine.wrap(bad)()",
        "assert(coroutine.resume(coroutine.create(bad)))",
        "task.spawn(bad)",
    ] {
        let level = format!(
            "local function bad() error('boom') end\nlocal function inside()\n  bad()\nend\nfunction onStart()\n  \
             coroutine.resume(coroutine.create(inside))\n  {later}\nend"
        );
        let fault = first_fault(&[("level.lua".to_owned(), level)]);
        assert!(fault.message.ends_with("level.lua:1: boom"), "{later}: {fault:?}");
        assert!(!fault.traceback.contains("inside"), "{later}: {fault:?}");
    }
}

/// The same where both are raised in the name of one line, which has called what raised them.
#[test]
fn an_error_that_resume_has_returned_lends_no_way_to_a_later_one_of_the_same_line() {
    for later in
        ["inside()", "coroutine.wrap(inside)()", "assert(coroutine.resume(coroutine.create(inside)))"]
    {
        let level = format!(
            "local function need(x)\n  if not x then error('x is missing', 2) end\nend\nlocal function inside()\n  \
             need(nil)\nend\nfunction onStart()\n  coroutine.resume(coroutine.create(inside))\n  {later}\nend"
        );
        let fault = first_fault(&[("level.lua".to_owned(), level)]);
        // `assert` puts its own place in front.
        assert!(fault.message.ends_with("level.lua:5: x is missing"), "{later}: {fault:?}");
        let frames: Vec<&str> = fault.traceback.lines().collect();
        let way = ["level.lua:2 in need", "level.lua:5 in inside", "level.lua:9 in onStart"];
        assert_eq!(frames, way, "{later}: {fault:?}");
    }
}

/// A text that begins as messages about questions of a debugger do has the place that raised it.
#[test]
fn a_text_that_names_a_question_is_told_with_its_place() {
    for text in ["question:3: unanswered", "console:3: unanswered", "level:3: unanswered", "3: unanswered"] {
        for raise in [format!("assert(false, '{text}')"), format!("error('{text}', 0)")] {
            let level = format!("function onStart()\n  {raise}\nend");
            let fault = first_fault(&[("level.lua".to_owned(), level)]);
            assert_eq!((fault.file.as_str(), fault.line), ("level.lua", 2), "{raise}: {fault:?}");
            assert_eq!(fault.message, format!("level.lua:2: {text}"), "{raise}: {fault:?}");
        }
    }
}

/// Fuel is told where it was spent, through protected calls and coroutines, with the way there.
#[test]
fn fuel_is_told_at_the_loop_that_spent_it() {
    let calls = [
        "spin()",
        "pcall(spin)",
        "pcall(function() pcall(spin) end)",
        "coroutine.wrap(spin)()",
        "coroutine.resume(coroutine.create(spin))",
        "pcall(coroutine.wrap(spin))",
        "coroutine.wrap(function() pcall(coroutine.wrap(spin)) end)()",
        "table.sort({ 2, 1 }, spin)",
    ];
    for call in calls {
        let level = format!(
            "local function spin()\n  local n = 0\n  while true do n += 1 end\nend\nfunction onStart()\n  {call}\nend"
        );
        let fault = first_fault(&[("level.lua".to_owned(), level)]);
        assert!(fault.message.starts_with("level.lua:3: stopped after"), "{call}: {fault:?}");
        let frames: Vec<&str> = fault.traceback.lines().collect();
        assert_eq!(frames[0], "level.lua:3 in spin", "{call}: {fault:?}");
        assert_eq!(frames[frames.len() - 1], "level.lua:6 in onStart", "{call}: {fault:?}");
        let loops = frames.iter().filter(|frame| **frame == "level.lua:3 in spin").count();
        assert_eq!(loops, 1, "{call}: {fault:?}");
    }
}

/// An error that a script has caught says nothing of the place of a later one, whatever their texts.
#[test]
fn an_error_that_was_caught_lends_no_place_to_a_later_one() {
    let catches = [
        "coroutine.resume(coroutine.create(function() coroutine.wrap(bad)() end))",
        "coroutine.resume(coroutine.create(function() coroutine.wrap(coroutine.wrap(bad))() end))",
        "pcall(coroutine.wrap(bad))",
        "xpcall(coroutine.wrap(bad), print)",
    ];
    let laters = [
        ("local t = nil local x = t.field", "level.lua:4: attempt to index nil with 'field'; t is nil"),
        ("error('gone: key', 0)", "level.lua:4: gone: key"),
        ("error('gone', 0)", "level.lua:4: gone"),
        ("coroutine.wrap(function() error('gone', 0) end)()", "level.lua:4: gone"),
        ("coroutine.wrap(coroutine.wrap(function() error('gone', 0) end))()", "level.lua:4: gone"),
    ];
    for (catch, early, (later, told)) in
        catches.iter().flat_map(|c| ["", "gone"].map(|early| laters.map(|later| (c, early, later)))).flatten()
    {
        let level = format!(
            "local function bad() error('{early}', 0) end\nfunction onStart()\n  {catch}\n  {later}\nend"
        );
        let fault = first_fault(&[("level.lua".to_owned(), level.clone())]);
        assert_eq!((fault.line, fault.message.as_str()), (4, told), "{level}\n{fault:?}");
        assert!(!fault.traceback.contains("bad"), "{level}\n{fault:?}");
    }
}

/// However often an error went through coroutines and was caught, a traceback is as long as one may be.
#[test]
fn a_traceback_through_many_coroutines_has_an_end() {
    let level = "local function bad() error('boom') end
        local function outer() coroutine.wrap(bad)() end
        local function deep(count)
          if count == 0 then bad() end
          local function go() coroutine.wrap(deep)(count - 1) end
          go()
        end
        function onStart()
          for i = 1, 300 do coroutine.resume(coroutine.create(outer)) end
          deep(12)
        end";
    let fault = first_fault(&[("level.lua".to_owned(), level.to_owned())]);
    assert_eq!((fault.line, fault.message.as_str()), (1, "level.lua:1: boom"), "{fault:?}");
    assert!(fault.traceback.starts_with("level.lua:1 in bad\nlevel.lua:4 in deep"), "{fault:?}");
    assert_eq!(fault.traceback.lines().count(), 21, "{fault:?}");
}
