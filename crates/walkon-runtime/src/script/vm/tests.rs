use super::*;

/// A sealed VM with one file, `guard.lua`.
fn vm_with(text: &str) -> ScriptVm {
    vm_with_files(&[("guard.lua", text)])
}

fn vm_with_files(files: &[(&str, &str)]) -> ScriptVm {
    let vm = ScriptVm::new(VmSettings { seed: 7, ..VmSettings::default() }).unwrap();
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    vm.set_texts(ScriptTexts::new(files).unwrap());
    vm.seal().unwrap();
    vm
}

/// What the body of `text` returns, as text; or the message of its failure.
fn run(text: &str) -> String {
    match vm_with(text).load("guard") {
        Ok(loaded) => fault::text_of(&loaded.result),
        Err(failure) => failure.message,
    }
}

fn failure(text: &str) -> CallFailure {
    vm_with(text).load("guard").unwrap_err()
}

#[test]
fn a_body_runs_and_returns() {
    assert_eq!(run("return 'hello'"), "hello");
    assert_eq!(run("return ('x'):rep(3) .. #{1, 2}"), "xxx2");
}

#[test]
fn an_error_names_file_and_line() {
    let failure = failure("\nlocal function f() error('broken') end\nf()");
    assert_eq!(failure.message, "guard.lua:2: broken");
    assert_eq!((failure.file.as_str(), failure.line), ("guard.lua", 2));
    assert_eq!(failure.traceback, "guard.lua:2 in f\nguard.lua:3");
}

#[test]
fn an_endless_loop_is_stopped_at_the_same_place() {
    let run = || {
        let vm = vm_with(
            "local n = 0\nfunction spin() while true do n += 1 end end function count() return n end",
        );
        let file = vm.load("guard").unwrap();
        let spin: Function = file.environment.raw_get("spin").unwrap();
        let failure = vm.call(&spin, (), 100_000).unwrap_err();
        assert_eq!(failure.kind, FaultKind::Fuel);
        assert_eq!(
            failure.message,
            "guard.lua:2: stopped after 100000 steps in one callback; move the loop into a task"
        );
        let count: Function = file.environment.raw_get("count").unwrap();
        fault::text_of(&first(vm.call(&count, (), 100).unwrap()))
    };
    assert_eq!(run(), run());
}

#[test]
fn a_function_that_takes_more_than_a_call_has_is_told_as_such() {
    let vm = vm_with("function fill() return ('x'):rep(1e6) end");
    let file = vm.load("guard").unwrap();
    let fill: Function = file.environment.raw_get("fill").unwrap();
    let failure = vm.call(&fill, (), 3000).unwrap_err();
    assert_eq!(failure.kind, FaultKind::Fuel);
    let (begins, ends) = (
        "guard.lua:1: stopped: one call of a function takes ",
        " steps here, and a callback has 3000; ask for less at once, or raise limits.fuelPerCall",
    );
    assert!(failure.message.starts_with(begins) && failure.message.ends_with(ends), "{}", failure.message);
}

#[test]
fn pcall_cannot_outlast_the_budget() {
    assert_eq!(failure("while true do pcall(function() while true do end end) end").kind, FaultKind::Fuel);
    assert_eq!(
        failure("while true do xpcall(error, function() while true do end end) end").kind,
        FaultKind::Fuel
    );
    assert_eq!(
        failure("while true do coroutine.resume(coroutine.create(function() while true do end end)) end")
            .kind,
        FaultKind::Fuel
    );
}

#[test]
fn errors_that_are_caught_are_texts_with_a_place() {
    assert_eq!(run("local ok, e = pcall(error, {}) return type(e)"), "table");
    assert_eq!(run("local ok, e = pcall(function() error('x') end) return e"), "guard.lua:1: x");
    assert_eq!(
        run("\nlocal ok, e = pcall(function() return ('x'):rep(1e15) end) return e"),
        "guard.lua:2: string.rep result too large: expected at most 1048576 bytes"
    );
    assert_eq!(
        run("local ok, e = pcall(function() table.insert(nil, 1) end) return e"),
        "guard.lua:1: invalid argument #1 to 'insert' (table expected, got nil)"
    );
    assert_eq!(
        run("local ok, e = pcall(function() table.insert(nil, 1, 2) end) return e"),
        "guard.lua:1: invalid argument #1 to 'insert' (table expected, got nil)"
    );
    assert_eq!(
        run("local ok, e = pcall(function() math.sin('a') end) return e"),
        "guard.lua:1: sin: x is \"a\", expected a number"
    );
}

#[test]
fn yields_pass_through_pcall_in_tasks() {
    let vm = vm_with(
        "function go(a) local ok, b = pcall(function() return coroutine.yield(a + 1) end) return ok and b end",
    );
    let go: Function = vm.load("guard").unwrap().environment.raw_get("go").unwrap();
    let task = vm.task().unwrap();
    let outcome = vm.resume(&task, (&go, 1), 1000);
    let Ok(Resumed::Yielded(value)) = outcome else { panic!("the task waits: {outcome:?}") };
    assert_eq!(fault::text_of(&value), "2");
    let Ok(Resumed::Done(value)) = vm.resume(&task, "answer", 1000) else { panic!("the task ends") };
    assert_eq!(fault::text_of(&value), "answer");
}

#[test]
fn a_task_that_errs_or_loops_reports_where() {
    let vm = vm_with(
        "function go()\ncoroutine.yield()\nerror('late') end\nfunction spin() coroutine.yield()\nwhile true do end end",
    );
    let environment = vm.load("guard").unwrap().environment;
    for (name, message) in [
        ("go", "guard.lua:3: late"),
        ("spin", "guard.lua:5: stopped after 5000 steps in one callback; move the loop into a task"),
    ] {
        let function: Function = environment.raw_get(name).unwrap();
        let task = vm.task().unwrap();
        assert!(matches!(vm.resume(&task, &function, 1000), Ok(Resumed::Yielded(_))));
        assert_eq!(vm.resume(&task, (), 5000).unwrap_err().message, message);
    }
}

#[test]
fn spent_memory_cannot_be_caught_and_the_next_call_works() {
    let vm = vm_with(
        "function grow() local t = {} while true do pcall(function() for i = 1, 100 do t[#t + 1] = ('x'):rep(5000) .. #t end end) end end function fine() return 'fine' end",
    );
    let environment = vm.load("guard").unwrap().environment;
    let grow: Function = environment.raw_get("grow").unwrap();
    let failure = vm.call(&grow, (), 10_000_000).unwrap_err();
    assert_eq!(failure.kind, FaultKind::Memory, "{failure:?}");
    let fine: Function = environment.raw_get("fine").unwrap();
    assert_eq!(fault::text_of(&first(vm.call(&fine, (), 100).unwrap())), "fine");
    assert!(!vm.memory_exhausted());
    assert!(vm.used_memory() < 10 << 20);
}

#[test]
fn modules_are_loaded_once_and_frozen() {
    let vm = vm_with_files(&[
        ("guard.lua", "local a, b = require('lib/util'), require('util.lua') a.x = 1"),
        ("lib/util.lua", "print('loading') return { x = 0 }"),
    ]);
    assert_eq!(vm.load("guard").unwrap_err().message, "guard.lua:1: attempt to modify a readonly table");
    assert_eq!(vm.take_printed().0.len(), 1);
}

#[test]
fn a_circle_of_files_is_an_error() {
    let vm = vm_with_files(&[("a.lua", "require('b')"), ("b.lua", "\nrequire('a')")]);
    assert_eq!(
        vm.load("a").unwrap_err().message,
        "b.lua:2: require: a.lua -> b.lua -> a.lua is a circle of files; move what they share into one of its own, \
         in require at a.lua:1"
    );
    assert!(vm.load("b").is_err());
}

#[test]
fn a_mistake_behind_a_chain_of_files_names_its_own_line_and_then_the_chain() {
    let vm = vm_with_files(&[
        ("a.lua", "\nrequire('b')"),
        ("b.lua", "require('c')"),
        ("c.lua", "require('d')"),
        ("d.lua", "\n\nerror('oh')"),
        ("e.lua", "require('f')"),
        ("f.lua", "require('nothing')"),
    ]);
    let failure = vm.load("a").unwrap_err();
    let chain = "in require at c.lua:1, in require at b.lua:1, in require at a.lua:2";
    assert_eq!(failure.message, format!("d.lua:3: oh, {chain}"));
    assert_eq!((failure.file.as_str(), failure.line), ("d.lua", 3));
    assert_eq!(failure.traceback, "d.lua:3\nc.lua:1\nb.lua:1\na.lua:2");
    let unknown = vm.load("e").unwrap_err().message;
    assert_eq!(unknown, "f.lua:1: require: unknown script \"nothing\", in require at e.lua:1");
}

/// A chain of so many files, `m1.lua` first, each of which requires the next.
fn chain(count: usize) -> ScriptVm {
    let text = |at: usize| {
        if at < count { format!("return require('m{}')", at + 1) } else { "return {}".to_owned() }
    };
    let files: Vec<(String, String)> = (1..=count).map(|at| (format!("m{at}.lua"), text(at))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    vm_with_files(&files)
}

#[test]
fn files_that_require_one_another_too_deep_are_refused_in_one_sentence() {
    assert!(chain(ScriptLimits::REQUIRE_DEPTH).load("m1").is_ok());
    let deep = chain(301);
    let told = deep.load("m1").unwrap_err().message;
    let sentence = "m64.lua:1: require: files require one another more than 64 deep; \
                    require m65.lua before the others, in m1.lua, in require at m63.lua:1, ";
    assert!(told.starts_with(sentence) && told.ends_with(", in require at m1.lua:1"), "{told}");
    for first in (1..=301).rev().step_by(60) {
        assert!(deep.load(&format!("m{first}")).is_ok(), "what is loaded already counts no more: {first}");
    }
}

#[test]
fn random_numbers_are_streams_of_the_file() {
    let draw = |seed, file: &str| {
        let vm = ScriptVm::new(VmSettings { seed, ..VmSettings::default() }).unwrap();
        vm.set_texts(
            ScriptTexts::new([(file.to_owned(), "return math.random(1, 1000000)".to_owned())]).unwrap(),
        );
        fault::text_of(&vm.load(file).unwrap().result)
    };
    assert_eq!(draw(1, "a.lua"), draw(1, "a.lua"));
    assert_ne!(draw(1, "a.lua"), draw(2, "a.lua"));
    assert_ne!(draw(1, "a.lua"), draw(1, "b.lua"));
}

/// A walk through everything the guarded libraries do on behalf of the host: errors, prints, coroutines,
/// modules, numbers.
const TOUR: &str = r#"
function tour()
    local kept = {}
    for i = 1, 40 do
        kept[i] = string.format("%d %s %*", i, "text", {}) .. ("x"):rep(500 + i)
        pcall(error, { i }) pcall(math.sin, "a") pcall(string.rep, "x", 1e9) xpcall(error, tostring, i)
        print(i, kept[i], math.random(1, 6), math.cos(i))
        coroutine.wrap(function() coroutine.yield(i) end)()
        kept["k" .. i] = (kept[i] .. "aXb"):find("X" .. ("y"):rep(100), 1, true)
        kept[i] = kept[i]:gsub("x", "yy")
        pcall(require, "nothing") pcall(require, "lib")
    end
    error("end")
end
"#;

#[test]
fn fault_b5_spent_memory_at_any_place_is_only_an_error() {
    let mut kinds = std::collections::BTreeMap::new();
    for room_bytes in (0..3_000_000).step_by(14_990) {
        let vm = vm_with_files(&[("guard.lua", TOUR), ("lib.lua", "return { 1, 2, 3 }")]);
        let tour: Function = vm.load("guard").unwrap().environment.raw_get("tour").unwrap();
        let cap = vm.used_memory() + room_bytes;
        vm.machine.memory.set(&vm.lua, cap);
        vm.machine.fuel.set_memory_cap(cap);
        let failure = vm.call(&tour, (), 100_000).unwrap_err();
        *kinds.entry(failure.kind).or_insert(0) += 1;
        vm.machine.memory.set(&vm.lua, 0);
        let fine = vm.lua.load("return function() return 'fine' end").eval::<Function>().unwrap();
        assert_eq!(fault::text_of(&first(vm.call(&fine, (), 100).unwrap())), "fine", "{room_bytes}");
    }
    assert!(kinds.keys().all(|kind| matches!(kind, FaultKind::Memory | FaultKind::Error)), "{kinds:?}");
    assert!(kinds.values().all(|count| *count > 20) && kinds.len() == 2, "{kinds:?}");
}
