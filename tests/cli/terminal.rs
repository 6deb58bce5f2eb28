//! What stands on the terminal: how much is said, where, in which order and colour.
//!
//! Goal: `-q`, `-v`, pipes, `-` and `.` mean the same for every command. Method: the real binary on a small
//! project.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::cli::commands::Project;

/// A project with a level that talks, faults and goes on, and a file of tests.
fn project() -> Project {
    let project = Project::new();
    project.write(
        "levels/talk.json",
        r#"{ "script": "talk.lua", "navigation": { "areas": [ { "name": "a", "polygon": [[0,0],[8,0],[8,8],[0,8]] } ] },
            "characters": [ { "name": "hero", "position": [2, 2] } ] }"#,
    );
    project.write(
        "scripts/talk.lua",
        "local ticks = 0
        function onTick()
          ticks += 1
          if ticks == 10 then log.info('before') end
          if ticks == 20 then error('in the middle') end
          if ticks == 30 then log.info('after') end
        end",
    );
    let test = |number: usize| {
        format!(
            "test.level('number {number}', {{ level = 'yard' }}, function(t)
              t:ticks({})
              t:expect({number} == 5):toBe(false)
            end)\n",
            if number == 1 { 400 } else { 1 }
        )
    };
    project.write("scripts/order_test.lua", &(1..=8).map(test).collect::<String>());
    project
}

fn shell(project: &Project, line: &str) -> (i32, String) {
    let walkon = crate::place::program();
    let line = line.replace("walkon ", &format!("'{}' ", walkon.display()));
    let output = Command::new("sh").args(["-c", &line]).current_dir(project.path()).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Commands that end well and whose result is a report of what was done.
const WELL: [&[&str]; 9] = [
    &["run", "yard", "--ticks", "60"],
    &["check", "levels/yard.json"],
    &["test", "--filter", "number 2"],
    &["draw", "yard", "--out", "yard.png"],
    &["draw", "yard", "--gif", "yard.gif", "--ticks", "0..4"],
    &["bake", "yard"],
    &["types"],
    &["new", "fresh"],
    &["replay", "run.jsonl"],
];

#[test]
fn quiet_commands_that_end_well_say_nothing_and_verbose_ones_say_more() {
    let project = project();
    project.expect(0, &["run", "yard", "--ticks", "60", "--trace", "run.jsonl"]);
    for command in WELL {
        let with = |option: &str| {
            let _ = std::fs::remove_dir_all(project.path().join("fresh"));
            let arguments: Vec<&str> = command.iter().copied().chain([option]).collect();
            let (out, err) = project.expect(0, &arguments);
            out + &err
        };
        assert_eq!(with("-q"), "", "{command:?}");
        if !matches!(command[0], "types" | "new") {
            let (plain, more) = (with("--color=auto"), with("-v"));
            assert!(more.lines().count() > plain.lines().count(), "{command:?}\n{plain}\n{more}");
        }
    }
    let (out, err) = project.expect(0, &["batch", "yard", "--seeds", "1..3", "--ticks", "5", "-q"]);
    assert_eq!((out.lines().count(), err.as_str()), (3, ""), "results that were asked for stay");
    let (_, more) = project.expect(0, &["batch", "yard", "--seeds", "1..3", "--ticks", "5", "-v"]);
    assert!(more.contains("yard seed 2: bound, exit 0"), "{more}");
}

#[test]
fn quiet_commands_that_fail_say_what_is_wrong_and_no_more() {
    let project = project();
    let (out, err) = project.expect(1, &["test", "-q", "--keep-going"]);
    assert!(out.starts_with("FAIL  scripts/order_test.lua: number 5\n"), "{out}");
    assert!(out.ends_with("7 passed, 1 failed\n") && !out.contains("ok  ") && err.is_empty(), "{out}{err}");
    let (out, _) = project.expect(1, &["run", "yard", "--until", "never", "--ticks", "9", "-q"]);
    assert!(out.lines().count() == 1 && out.contains("not ok"), "{out}");
    let (out, err) = project.expect(0, &["run", "talk", "--seconds", "1", "-q"]);
    assert!(err.contains("in the middle") && !out.contains("before"), "{out}{err}");
}

#[test]
fn tests_are_told_in_their_order_whatever_runs_first() {
    let project = project();
    let told =
        |jobs: &str, code: i32, option: &str| project.expect(code, &["test", "--jobs", jobs, option]).0;
    let (alone, together) = (told("1", 1, "--keep-going"), told("4", 1, "--keep-going"));
    assert_eq!(alone, together);
    assert_eq!(alone.matches("ok    ").count(), 7);
    let first = together.lines().next().unwrap_or_default();
    assert!(first.ends_with("number 1"), "it takes longest and is told first: {first}");
    let (alone, together) = (told("1", 1, "--color=never"), told("4", 1, "--color=never"));
    assert_eq!(alone, together, "nothing after the first failure counts");
    assert!(together.contains("3 not run after this failure") && together.contains("4 passed, 1 failed"));
}

#[cfg(unix)]
#[test]
fn stdout_and_stderr_keep_their_order_in_one_pipe() {
    let (code, told) = shell(&project(), "walkon run talk --seconds 1 2>&1");
    assert_eq!(code, 0, "{told}");
    let places = ["before", "in the middle", "after", "times real time"].map(|part| told.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in\n{told}");
}

#[test]
fn bars_and_colours_are_for_terminals() {
    let project = project();
    for arguments in [&["test", "--filter", "number 1"] as &[&str], &["batch", "yard", "--seeds", "1..4"]] {
        let (out, err) = project.expect(0, arguments);
        assert!(!(out + &err).contains(['\r', '\u{1b}']), "{arguments:?}");
        let coloured: Vec<&str> = arguments.iter().copied().chain(["--color=always"]).collect();
        let (out, err) = project.expect(0, &coloured);
        assert!(!(out.clone() + &err).contains('\r'), "{arguments:?}");
        assert_eq!(out.contains("\u{1b}[32mok\u{1b}[0m"), arguments[0] == "test", "{out}");
    }
    let (out, _) = project.expect(0, &["run", "yard", "--ticks", "5", "--color=always"]);
    assert!(out.contains("\u{1b}[32mok\u{1b}[0m"), "{out:?}");
}

/// Linux has a command that gives another one a terminal; elsewhere the parts are tested alone.
#[cfg(target_os = "linux")]
#[test]
fn long_work_shows_a_bar_with_unit_and_estimate_on_a_terminal() {
    let project = project();
    let walkon = crate::place::program();
    let line = format!("'{}' batch yard --seeds 1..100000 --ticks 600", walkon.display());
    let Ok(mut child) = Command::new("script")
        .args(["-q", "-c", &line, "/dev/null"])
        .current_dir(project.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
    else {
        writeln!(std::io::stderr(), "skipped: the command `script` is not here").unwrap();
        return;
    };
    let mut seen = Vec::new();
    let mut out = child.stdout.take().unwrap();
    let mut buffer = [0; 4096];
    // Bounded by the runs, of which there are many more than a bar needs to appear.
    while let Ok(read @ 1..) = std::io::Read::read(&mut out, &mut buffer) {
        seen.extend_from_slice(&buffer[..read]);
        let told = String::from_utf8_lossy(&seen);
        if told.contains("running [") && told.contains("/100000 runs, ") && told.contains(" left") {
            child.kill().unwrap();
            child.wait().unwrap();
            return;
        }
    }
    panic!("no bar");
}

#[test]
fn batches_show_percentiles() {
    let (_, err) = project().expect(0, &["batch", "yard", "--seeds", "1..3", "--ticks", "5"]);
    let head = err.lines().find(|line| line.contains("measure")).unwrap();
    let words: Vec<&str> = head.split_whitespace().collect();
    assert_eq!(words, ["measure", "mean", "min", "p5", "p50", "p95", "max"]);
}

#[test]
fn a_dot_is_the_project_here_and_a_dash_is_stdin_or_stdout() {
    let project = Project::new();
    project
        .write("scripts/quiet_test.lua", "test.level('it', { level = 'yard' }, function(t) t:ticks(1) end)");
    let piped = |arguments: &[&str], input: &[u8]| {
        let mut command = project.command(arguments);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?} {}",
            String::from_utf8_lossy(&output.stderr)
        );
        (output.stdout, String::from_utf8(output.stderr).unwrap())
    };
    for arguments in [&["check", "."] as &[&str], &["test", "."], &["run", ".", "--ticks", "1"]] {
        project.expect(0, arguments);
    }
    project.write("levels/other.json", &project.read("levels/yard.json"));
    let (_, err) = project.expect(6, &["run", "."]);
    assert!(err.contains("other, yard"), "which of them: {err}");
    let level = project.read("levels/yard.json").into_bytes();
    let (by_name, _) = project.expect(0, &["run", "yard", "--ticks", "9", "--format", "json"]);
    let (by_pipe, _) = piped(&["run", "-", "--ticks", "9", "--format", "json"], &level);
    let hash = |out: &str| out.split("\"hash\":").nth(1).map(|rest| rest[..18].to_owned());
    assert_eq!(hash(&by_name), hash(&String::from_utf8(by_pipe).unwrap()));
    let (trace, told) = piped(&["run", "yard", "--ticks", "9", "--trace", "-"], b"");
    assert!(trace.starts_with(b"{\"walkon\"") && told.contains("times real time"), "{told}");
    let (same, _) = piped(&["replay", "-"], &trace);
    assert!(String::from_utf8(same).unwrap().contains("the same in 9 ticks"));
    let (gif, _) = piped(&["draw", "yard", "--gif", "-", "--ticks", "0..2"], b"");
    assert!(gif.starts_with(b"GIF89a"));
    let (drawn, _) = piped(&["draw", "-", "--out", "-"], &level);
    assert_eq!(String::from_utf8(drawn).unwrap(), project.expect(0, &["draw", "yard"]).0);
    project.write("t.jsonl", &String::from_utf8(trace.clone()).unwrap());
    for tick in ["3", "9"] {
        let (drawn, _) = piped(&["draw", "-", "--tick", tick], &trace);
        let of_the_file = project.expect(0, &["draw", "t.jsonl", "--tick", tick]).0;
        assert_eq!(String::from_utf8(drawn).unwrap(), of_the_file);
    }
    let (gif, _) = piped(&["draw", "-", "--gif", "-"], &trace);
    assert!(gif.starts_with(b"GIF89a"));
    let (map, told) = piped(&["path", "yard", "--from", "1,1", "--to", "9,7", "--out", "-"], b"");
    assert!(String::from_utf8(map).unwrap().contains('S') && told.contains("complete"), "{told}");
    let (junit, told) = piped(&["test", "--junit", "-"], b"");
    assert!(junit.starts_with(b"<?xml") && told.contains("1 passed"), "{told}");
}

#[test]
fn a_trace_is_drawn_as_its_run_was() {
    let project = Project::new();
    project.write(
        "scripts/stroll.lua",
        "function onStart() world.character('guard'):walkTo(level.args[1] == 'far' and 17 or 2, 1) end",
    );
    let level = project.read("levels/yard.json").replacen('{', "{ \"script\": \"stroll.lua\",", 1);
    project.write("levels/yard.json", &level);
    project.expect(0, &["run", "yard", "--ticks", "90", "--seed", "7", "--trace", "far.jsonl", "--", "far"]);
    let (told, _) = project
        .expect(0, &["run", "yard", "--ticks", "90", "--positions", "90", "--trace", "-", "--", "far"]);
    assert!(told.contains("\"t\":90"));
    let (at_end, _) = project.expect(0, &["draw", "far.jsonl"]);
    assert!(at_end.contains("tick 90"), "{at_end}");
    let (without, _) = project.expect(0, &["draw", "yard", "--tick", "90"]);
    assert_ne!(at_end, without, "the arguments of the run are those of the trace");
    let (begin, _) = project.expect(0, &["draw", "far.jsonl", "--tick", "0"]);
    assert_eq!(begin, project.expect(0, &["draw", "yard"]).0);
    project.expect(0, &["draw", "far.jsonl", "--gif", "far.gif", "--every", "30"]);
    assert!(std::fs::read(project.path().join("far.gif")).unwrap().starts_with(b"GIF89a"));
    project.write("scripts/stroll.lua", "-- other");
    let (_, err) = project.expect(3, &["draw", "far.jsonl"]);
    assert!(err.contains("stroll.lua"), "{err}");
}
