//! Hostile scripts: every row of docs/design/faults.md, A to C, that needs no world.
//!
//! Goal: no script hangs the process, kills it, reads what it was not given or changes what another script
//! sees. Method: each file of `tests/hostile/` runs in a process of its own, this binary started again with
//! the name of the file in the environment; six seconds and three gibibytes at most. Its first line says what
//! has to happen. After the attack the same VM runs `victim.lua`, which looks for changes. Below the rows:
//! what a script can reach at all, against a committed list. Open until their bindings exist: A19 A24 B5 B6
//! B8 C12 C13 C15 and the parts of C14 beyond modules. C19 is escaped where it is written, in the trace and
//! on the terminal; B12 cannot be tested from inside.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use walkon_runtime::base::value::Plain;
use walkon_runtime::script::vm::convert::{UsageError, function};
use walkon_runtime::script::vm::fault::{FaultKind, text_of};
use walkon_runtime::script::vm::files::ScriptTexts;
use walkon_runtime::script::vm::{Resumed, ScriptVm, VmSettings, payload};

/// Tells the process it starts which file to run.
const FILE: &str = "WALKON_HOSTILE_FILE";
const TIME_MAX: Duration = Duration::from_secs(6);
const MEMORY_MAX_KIB: u64 = 3 << 20;
/// Begins the one line of a child's output that counts.
const OUTCOME: &str = "OUTCOME ";

/// Looks for what an attack may have changed.
const VICTIM: &str = r#"
function check()
    assert(x == nil and polluted == nil and attack == nil)
    assert(("x"):rep(3) == "xxx" and math.floor(1.5) == 1 and #{ 1, 2 } == 2)
    assert(type(string.rep) == "function" and type(table.insert) == "function" and type(pcall) == "function")
    assert(coroutine.wrap(function() coroutine.yield(1) end)() == 1)
    assert(select(2, pcall(error, "caught")) == "caught")
    return "unharmed"
end
"#;

fn directory() -> std::path::PathBuf {
    crate::place::root().join("tests/hostile")
}

fn probe(vm: &ScriptVm) -> mlua::Result<()> {
    let lua = vm.lua();
    let table = lua.create_table()?;
    table.raw_set(
        "panic",
        function(lua, "probe.panic", |_, _| -> Result<(), UsageError> { panic!("a host function panics") })?,
    )?;
    table.raw_set(
        "plain",
        function(lua, "probe.plain", |lua, args| {
            let plain = payload::read(lua, &args.take("payload"), 256)?;
            Ok(matches!(plain, Plain::Map(_) | Plain::List(_)))
        })?,
    )?;
    table.raw_set(
        "options",
        function(lua, "probe.options", |_, args| {
            let options = args.options(&["onArrived", "accept"])?;
            Ok(options.get("onArrived").into_value())
        })?,
    )?;
    table.raw_set("name", function(lua, "probe.name", |_, args| args.take("name").new_name())?)?;
    vm.define("probe", table)
}

/// Runs the attack; says in one line how it ended.
fn run(attack: &str) -> String {
    let vm = ScriptVm::new(VmSettings::default()).unwrap();
    probe(&vm).unwrap();
    let texts = [("attack.lua".to_owned(), attack.to_owned()), ("victim.lua".to_owned(), VICTIM.to_owned())];
    vm.set_texts(ScriptTexts::new(texts).unwrap());
    vm.seal().unwrap();
    let file = match vm.load("attack") {
        Ok(file) => file,
        Err(failure) => return format!("refused {}: {}", failure.kind.name(), failure.message),
    };
    let Ok(function) = file.environment.raw_get::<mlua::Function>("attack") else {
        return "loads".to_owned();
    };
    let fuel = vm.limits().fuel_per_call;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        if !attack.contains("-- as a task") {
            return vm.call(&function, (), fuel);
        }
        match vm.resume(&vm.task().unwrap(), &function, fuel)? {
            Resumed::Done(value) | Resumed::Yielded(value) => Ok(mlua::MultiValue::from_iter([value])),
        }
    }));
    let line = match outcome {
        Err(_) => "panic".to_owned(),
        Ok(Ok(values)) => format!("returns {}", values.front().map_or_else(String::new, text_of)),
        Ok(Err(failure)) if failure.kind == FaultKind::Error => format!("error {}", failure.message),
        Ok(Err(failure)) => failure.kind.name().to_owned(),
    };
    let victim = vm.load("victim").unwrap();
    let check: mlua::Function = victim.environment.raw_get("check").unwrap();
    let unharmed = vm.call(&check, (), vm.limits().fuel_per_call);
    match unharmed {
        Ok(_) => line.replace('\n', " "),
        Err(failure) => format!("{line}, but then {}", failure.message),
    }
}

/// Texts too large to commit, by the name of their file.
fn generated(name: &str) -> Option<String> {
    let deep = |open: &str, close: &str| {
        let times = 1_000_000 / (open.len() + close.len());
        format!("return {}1{}", open.repeat(times), close.repeat(times))
    };
    let long = |term: &str| format!("return 1{}", term.repeat(1_000_000 / term.len()));
    Some(match name {
        "a22_parentheses" => deep("(", ")"),
        "a22_tables" => deep("{", "}"),
        "a22_functions" => deep("(function() return ", " end)()"),
        "a22_sum" => long("+1"),
        "a22_power" => long("^1"),
        "a22_concatenation" => long("..1"),
        "a22_not" => format!("return {}1", "not ".repeat(240_000)),
        "a22_calls" => format!("return f{}", "()".repeat(500_000)),
        "a22_fields" => format!("return f{}", ".x".repeat(500_000)),
        "a22_elseif" => format!("if a then {} end", "elseif b then ".repeat(70_000)),
        "a22_blocks" => format!("{}{}", "do ".repeat(100_000), "end ".repeat(100_000)),
        "a22_locals" => (0..70_000).map(|n| format!("local a{n} ")).collect(),
        "a22_types" => format!("type T = {}number{}", "{".repeat(100_000), "}".repeat(100_000)),
        "a22_interpolation" => format!("return {}1{}", "`{".repeat(100_000), "}`".repeat(100_000)),
        "a22_constants" => (0..80_000).map(|n| format!("f({n}.5)\n")).collect(),
        "a22_long_string" => format!("return #[=[{}]=]", "x".repeat(1_000_000)),
        _ => return None,
    })
}

/// The other process: does nothing unless it was started by [`hostile`].
#[test]
fn child() {
    let Ok(name) = std::env::var(FILE) else { return };
    let read = || std::fs::read_to_string(directory().join(format!("{name}.lua"))).unwrap();
    let attack = generated(&name).unwrap_or_else(read);
    println!("\n{OUTCOME}{}", run(&attack));
}

/// What a child said, or what it did instead: `hang`, `too much memory`, `died`.
fn outcome_in_child(name: &str) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["script::sandbox::child", "--exact", "--nocapture", "--test-threads=1"])
        .env(FILE, name)
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let trouble = if begun.elapsed() > TIME_MAX {
            Some("hang")
        } else if resident_kib(child.id()) > MEMORY_MAX_KIB {
            Some("too much memory")
        } else {
            None
        };
        if let Some(trouble) = trouble {
            child.kill().unwrap();
            child.wait().unwrap();
            return trouble.to_owned();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let output = child.wait_with_output().unwrap().stdout;
    let output = String::from_utf8_lossy(&output);
    let line = output.lines().find_map(|line| line.strip_prefix(OUTCOME));
    line.map_or_else(|| format!("died: {status}"), str::to_owned)
}

/// Memory of a process in use, KiB; 0 where the system does not tell.
fn resident_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0)
}

/// Runs `tests/hostile/<name>.lua` and compares with its first line: alternatives between ` or `; what
/// follows `error` has to be part of the message.
fn hostile(name: &str) {
    let text = std::fs::read_to_string(directory().join(format!("{name}.lua"))).unwrap();
    let expected = text.lines().next().and_then(|line| line.strip_prefix("-- expect: ")).unwrap();
    let got = outcome_in_child(name);
    let fits = |expected: &str| match expected.strip_prefix("error") {
        Some(part) => got.starts_with("error") && got.contains(part.trim()) && !got.contains("but then"),
        None => got == expected,
    };
    assert!(expected.split(" or ").any(fits), "{name}: expected {expected}, got {got}");
}

#[test]
fn fault_a22_monstrous_sources_are_refused_or_run() {
    let mut names = "parentheses tables functions sum power concatenation not calls fields elseif blocks locals types interpolation"
        .split(' ')
        .collect::<Vec<_>>();
    names.extend(["constants", "long_string"]);
    for name in names {
        let got = outcome_in_child(&format!("a22_{name}"));
        assert!(got.starts_with("refused error: attack.lua:") || got == "loads", "{name}: {got}");
    }
}

fn vm_with(files: &[(&str, &str)]) -> ScriptVm {
    let vm = ScriptVm::new(VmSettings::default()).unwrap();
    vm.set_texts(
        ScriptTexts::new(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))).unwrap(),
    );
    vm.seal().unwrap();
    vm
}

#[test]
fn fault_a23_a_body_that_loops_is_refused_on_the_load_budget() {
    let vm = vm_with(&[("spin.lua", "local n = 0\nwhile true do n += 1 end"), ("fine.lua", "return 'fine'")]);
    let failure = vm.load("spin").unwrap_err();
    assert_eq!((failure.kind, failure.file.as_str(), failure.line), (FaultKind::Fuel, "spin.lua", 2));
    assert_eq!(vm.fuel().spent(), vm.limits().fuel_at_load);
    assert_eq!(text_of(&vm.load("fine").unwrap().result), "fine");
}

#[test]
fn fault_a15_an_attribute_is_a_syntax_error_with_its_line() {
    let failure = vm_with(&[("a.lua", "\nlocal x <close> = nil")]).load("a").unwrap_err();
    assert!(failure.message.starts_with("a.lua:2: "), "{}", failure.message);
}

#[test]
fn fault_c1_bytecode_is_refused() {
    for text in [
        "\u{6}\u{3}code",
        "\u{1b}Lua",
        "#!/usr/bin/lua\n\u{6}\u{3}",
        "\u{feff}\u{6}\u{3}",
        "\0",
        "#!x\n\u{1b}L",
    ] {
        let message = vm_with(&[("a.lua", text)]).load("a").unwrap_err().message;
        assert_eq!(message, "a.lua:1: bytecode is not accepted, expected the text of a script", "{text:?}");
        let checked = walkon_runtime::script::check::syntax("a.lua", text).unwrap_err().message;
        assert!(checked.contains("bytecode is not accepted"), "{checked}");
    }
    let vm = vm_with(&[("a.lua", "#!/usr/bin/walkon\nreturn 'text'"), ("b.lua", "\u{feff}return 'text'")]);
    assert_eq!(text_of(&vm.load("a").unwrap().result), "text");
    assert_eq!(text_of(&vm.load("b").unwrap().result), "text");
}

#[test]
fn fault_c14_a_module_is_shared_frozen() {
    let vm = vm_with(&[
        ("a.lua", "local m = require('m') return pcall(function() m.x = 1 end)"),
        ("b.lua", "return require('m').x"),
        ("m.lua", "return { x = 0 }"),
    ]);
    assert_eq!(text_of(&vm.load("a").unwrap().result), "(error object is a boolean)");
    assert_eq!(text_of(&vm.load("b").unwrap().result), "0");
}

/// Everything a script reaches from its globals, raw, with the metatables that no script sees.
fn reach(value: &mlua::Value, path: &str, seen: &mut Vec<*const std::ffi::c_void>, found: &mut Vec<String>) {
    let mlua::Value::Table(table) = value else {
        let shown = match value {
            mlua::Value::Number(number) => format!("{path} = {number}"),
            mlua::Value::String(text) => format!("{path} = {:?}", text.to_string_lossy()),
            mlua::Value::Boolean(truth) => format!("{path} = {truth}"),
            other => format!("{path}: {}", other.type_name()),
        };
        return found.push(shown);
    };
    if seen.contains(&table.to_pointer()) {
        return found.push(format!("{path}: seen above"));
    }
    seen.push(table.to_pointer());
    found.push(format!("{path}: {}table", if table.is_readonly() { "read-only " } else { "" }));
    let mut entries: Vec<(String, mlua::Value)> = table
        .pairs::<mlua::Value, mlua::Value>()
        .map(|pair| pair.unwrap())
        .map(|(key, value)| (text_of(&key), value))
        .collect();
    entries.sort_by(|one, other| one.0.cmp(&other.0));
    for (key, value) in entries {
        reach(&value, &format!("{path}.{key}"), seen, found);
    }
    if let Some(metatable) = table.metatable() {
        reach(&mlua::Value::Table(metatable), &format!("{path}<metatable>"), seen, found);
    }
}

/// S4: what scripts can reach is a list; it changes only on purpose (`UPDATE=1` writes it again).
#[test]
fn inv_s4_scripts_reach_what_is_listed_and_nothing_else() {
    let vm = vm_with(&[("a.lua", "return _G")]);
    let mut found = Vec::new();
    let mut seen = Vec::new();
    reach(&vm.load("a").unwrap().result, "_G", &mut seen, &mut found);
    for (name, metatable) in [
        ("string", vm.lua().type_metatable::<mlua::LuaString>()),
        ("vector", vm.lua().type_metatable::<mlua::Vector>()),
        ("number", vm.lua().type_metatable::<mlua::Number>()),
        ("function", vm.lua().type_metatable::<mlua::Function>()),
        ("thread", vm.lua().type_metatable::<mlua::Thread>()),
        ("buffer", vm.lua().type_metatable::<mlua::Buffer>()),
        ("boolean", vm.lua().type_metatable::<bool>()),
    ] {
        match metatable {
            Some(table) => {
                reach(&mlua::Value::Table(table), &format!("{name}<metatable>"), &mut seen, &mut found)
            }
            None => found.push(format!("{name}<metatable>: none")),
        }
    }
    let found = found.join("\n") + "\n";
    let list = crate::place::root().join("tests/data/reachable.txt");
    if std::env::var("UPDATE").is_ok() {
        std::fs::write(&list, &found).unwrap();
    }
    let listed = std::fs::read_to_string(&list).unwrap_or_default();
    assert_eq!(found, listed, "tests/data/reachable.txt says what scripts reach; UPDATE=1 rewrites it");
}

macro_rules! rows {
    ($($test:ident: $($file:literal)+;)+) => { $(
        #[test]
        fn $test() {
            $(hostile($file);)+
        }
    )+

        /// Files that no row runs are dead.
        #[test]
        fn every_hostile_file_belongs_to_a_row() {
            let run = [$($($file,)+)+];
            for entry in std::fs::read_dir(directory()).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                let Some(name) = name.strip_suffix(".lua") else { continue };
                assert!(run.contains(&name), "{name}.lua is run by no row");
            }
        }
    };
}

rows! {
    fault_a1_an_endless_loop_is_stopped: "a1_endless_loop";
    fault_a2_pcall_cannot_outlast_the_budget: "a2_loop_in_pcall";
    fault_a3_a_tower_of_pcalls_is_stopped: "a3_pcall_tower";
    fault_a4_handlers_cannot_outlast_the_budget: "a4_handler_that_errs" "a4_handler_that_loops";
    fault_a5_a_loop_in_a_wrapped_coroutine_is_stopped: "a5_loop_in_wrap";
    fault_a6_coroutines_share_the_counter_of_the_call: "a6_many_coroutines";
    fault_a7_a_coroutine_that_swallows_errors_is_stopped: "a7_close_after_the_budget" "a7_coroutine_that_swallows";
    fault_a8_patterns_are_bounded: "a8_balanced_pairs" "a8_gsub_with_a_callback" "a8_pattern_backs_off" "a8_pattern_explodes" "a8_pattern_too_long" "a8_subject_too_large";
    fault_a9_plain_searches_are_linear: "a9_plain_find" "a9_plain_find_in_a_loop" "a9_split";
    fault_a10_rep_refuses_before_any_work: "a10_empty_rep" "a10_rep_below_the_cap_in_a_loop" "a10_rep_in_a_loop";
    fault_a11_ranges_are_bounded: "a11_concat_a_huge_range" "a11_move_a_huge_range" "a11_not_a_number" "a11_unpack_a_huge_range" "a11_unpack_with_holes" "a11_bytes_as_values" "a11_many_arguments";
    fault_a12_loops_of_the_table_library_are_charged: "a12_comparator_that_lies" "a12_find_and_concat" "a12_insert_in_front" "a12_remove_in_front" "a12_sort_in_a_loop" "a12_sort_too_many";
    fault_a13_move_beside_a_far_key_does_not_kill: "a13_move_beside_a_far_key" "a13_move_to_the_edge";
    fault_a14_gc_metamethods_are_refused: "a14_gc_metamethod";
    fault_a15_close_metamethods_are_refused: "a15_close_metamethod";
    fault_a16_the_host_calls_no_metamethod_for_an_error: "a16_tostring_of_an_error";
    fault_a17_error_objects_are_shown_without_asking_them: "a17_long_error" "a17_tostring_that_errs";
    fault_a18_deep_recursion_is_an_error: "a18_recursion" "a18_recursion_with_large_frames";
    fault_a20_recursion_through_callbacks_is_an_error: "a20_gsub_inside_gsub" "a20_error_at_the_edge_of_the_c_stack" "a20_index_chain" "a20_index_inside_index" "a20_sort_inside_sort" "a20_tostring_inside_tostring";
    fault_a21_coroutines_in_coroutines_end_at_sixteen: "a21_coroutines_in_coroutines" "a21_sixteen_are_fine";
    fault_b1_growing_for_ever_is_stopped: "b1_coroutine_bomb" "b1_strings_for_ever" "b1_tables_for_ever";
    fault_b2_doubling_is_stopped: "b2_doubling" "b2_doubling_in_pcall";
    fault_b3_refused_requests_are_charged: "b3_rep_in_pcall";
    fault_b4_large_results_are_refused: "b4_buffer_create" "b4_concat" "b4_format" "b4_gsub_grows" "b4_pack" "b4_table_create";
    fault_b7_printing_is_bounded: "b7_print_long" "b7_print_much";
    fault_b9_data_is_bounded: "b9_data_with_shared_parts" "b9_deep_data" "b9_function_in_data" "b9_metatable_in_data" "b9_nan_in_data" "b9_odd_keys_in_data" "b9_recursive_data" "b9_wide_data";
    fault_b10_options_are_read_raw: "b10_odd_option_keys" "b10_options_with_metamethods" "b10_unknown_option";
    fault_b11_odd_names_are_refused: "b11_odd_names";
    fault_c2_nothing_loads_code: "c2_no_loading";
    fault_c3_nothing_of_the_system_is_there: "c3_no_system";
    fault_c4_require_stays_inside: "c4_no_package" "c4_require_outside";
    fault_c5_debug_is_only_tracebacks: "c5_no_debug";
    fault_c6_metatables_of_types_are_locked: "c6_methods_are_the_guarded_ones" "c6_string_metatable" "c6_string_metatable_write" "c6_vector_metatable";
    fault_c7_libraries_are_read_only: "c7_library_functions_that_write" "c7_library_rawset" "c7_library_write" "c7_own_math_write";
    fault_c8_globals_stay_in_their_file: "c8_global_metatable" "c8_global_metatable_read" "c8_globals_stay_inside";
    fault_c9_environments_and_the_collector_are_absent: "c9_no_environments" "c9_no_weak_tables";
    fault_c10_tasks_of_the_host_are_out_of_reach: "c10_close_the_host" "c10_resume_oneself" "c10_resume_the_host";
    fault_c16_a_panic_of_the_host_cannot_be_caught: "c16_panic_in_a_coroutine" "c16_panic_in_pcall" "c16_panic_in_xpcall" "c16_panic_uncaught" "c16_panic_at_the_edge_of_the_c_stack";
    fault_c17_no_address_is_shown: "c17_addresses" "c17_pointer_format" "c17_traceback";
    fault_c18_there_is_no_clock: "c18_no_clock";
    fault_c20_what_was_not_registered_is_absent: "c20_absent_functions";
    fault_i3_serial_numbers_repeat: "i3_serials_do_not_depend_on_addresses";
}
