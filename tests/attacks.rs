//! Scripts that ask for too much: of time, of memory, of the queues.
//!
//! Goal: anyone who asks for too much is told so and stopped, and the level goes on for everybody else. Method: as in
//! `hostile_world`: each script runs in a process of its own and writes what it found; what counts is what is counted,
//! fuel and bytes and lengths of queues, never a clock.

use std::fs;
use std::process::Command;

use crate::fixture::TWO_ROOMS;

/// What a run left behind.
struct Ran {
    /// What was logged, and `fault <kind>` for each fault, in order.
    lines: Vec<String>,
    messages: Vec<String>,
    code: Option<i32>,
    trace: String,
}

/// Runs `script` for `ticks` ticks; `more` are files beside it, `limits` stands in the level.
fn run(script: &str, ticks: u32, limits: &str, more: &[(&str, &str)]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let head = format!("{{ \"script\": \"attack.lua\", \"limits\": {{ {limits} }},");
    fs::write(folder.path().join("stage.json"), TWO_ROOMS.replacen('{', &head, 1)).unwrap();
    fs::write(folder.path().join("attack.lua"), script).unwrap();
    for (name, text) in more {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let run = Command::new(crate::place::program())
        .args(["run", "stage.json", "--ticks", &ticks.to_string(), "--trace", "trace.jsonl", "-q"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let trace = fs::read_to_string(folder.path().join("trace.jsonl")).unwrap_or_default();
    let (mut lines, mut messages) = (Vec::new(), Vec::new());
    for line in trace.lines() {
        let fact: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| fact[key].as_str().unwrap_or_default().to_owned();
        match fact["e"].as_str() {
            Some("log") => lines.push(text("message")),
            Some("scriptFault") => {
                lines.push(format!("fault {}", text("kind")));
                messages.push(text("message"));
            }
            _ => {}
        }
    }
    Ran { lines, messages, code: run.status.code(), trace }
}

#[test]
fn fault_a12_ordinary_loops_over_dear_verbs_end_by_fuel_and_the_level_goes_on() {
    let loops = [
        "event.emit('x', t)",
        "event.send(hero, 'x', t)",
        "blackboard.level:set('k', t)",
        "hero:patrol(stops)",
        "hero:walkTo(2, 5, { via = stops })",
        "hero:walkTo(2, 5, { keys = names, doors = 'open' })",
        "timer.after(1, function() end, t):cancel()",
        "world.spawn({ name = 'n' .. tostring({}), at = vector.create(2, 0, 5) }):despawn()",
        "pcall(nav.mark, long)",
        "pcall(require, long)",
        "local n = tonumber(digits)",
        "pcall(string.packsize, letters)",
        "local s = long:sub(1, -2)",
    ];
    for body in loops {
        let script = format!(
            "local t, stops, names = {{}}, {{}}, {{}}
            for i = 1, 100 do t['key' .. i] = i stops[i] = vector.create(2 + i % 2, 0, 5) names[i] = 'k' .. i end
            while #names > 60 do names[#names] = nil end
            while #stops > 60 do stops[#stops] = nil end
            local long, digits, letters = ('x'):rep(1000000), ('1'):rep(1000000), ('b'):rep(1000000)
            function onStart()
              local hero = world.character('hero')
              timer.after(0.1, function() log.info('still here') end)
              while true do {body} end
            end"
        );
        // Fuel ends them, however slow the machine.
        let ran = run(&script, 12, "\"watchdogMs\": 10000", &[]);
        assert_eq!(
            (ran.lines, ran.code),
            (vec!["fault fuel".to_owned(), "still here".to_owned()], Some(0)),
            "{body} {:?}",
            ran.messages
        );
    }
}

#[test]
fn fault_b2_texts_have_one_limit_wherever_they_are_made() {
    let script = "
        local big = ('x'):rep(1024 * 1024 - 1)
        local function try(f) local ok, what = pcall(f) log.info('%s %s', ok, if ok then #what else what:match(': (.*)') or what) end
        function onStart()
          try(function() return big .. 'y' end)
          try(function() return string.format(('%99.99f'):rep(7000), table.unpack(table.create(7000, 1e300))) end)
          timer.after(0.1, function() log.info('still here') end)
          local more = big .. big
          log.info('never %d', #more)
        end";
    let ran = run(script, 12, "", &[]);
    let expected = [
        "true 1048576",
        "false string.format result too large: expected at most 1048576 bytes",
        "fault memory",
        "still here",
    ];
    assert_eq!((ran.lines, ran.code), (expected.map(str::to_owned).to_vec(), Some(0)));
    assert!(ran.messages[0].contains("larger than any may be"), "{:?}", ran.messages);
}

#[test]
fn fault_b6_what_the_host_keeps_for_scripts_is_in_the_memory_of_the_level() {
    let keepers = [
        "timer.after(1000, function() end, p)",
        "blackboard.group('g' .. n):set('k', p)",
        "world.spawn({ name = 's' .. n, at = vector.create(2, 0, 5) }).blackboard:set('k', p)",
        "event.emit('x', p)",
    ];
    for keep in keepers {
        let script = format!(
            "local p, n = ('x'):rep(200000), 0
            function onStart()
              local ok, what
              repeat n += 1 ok, what = pcall(function() {keep} end) until not ok or n > 250
              log.info('%s', n > 30 and n < 90)
              log.info('%s', what:match('no memory is left') or what)
            end"
        );
        let ran = run(&script, 2, "\"memoryMiB\": 16, \"fuelPerCall\": 10000000", &[]);
        assert_eq!(
            (ran.lines, ran.code),
            (vec!["true".to_owned(), "no memory is left".to_owned()], Some(0)),
            "{keep}"
        );
    }
}

#[test]
fn fault_b8_the_queue_of_events_has_a_length() {
    let script = "
        function onStart()
          local n, ok, what = 0, true, nil
          repeat n += 1 ok, what = pcall(event.emit, 'x') until not ok or n > 100000
          log.info('%d %s', n, what:match('65536 events wait') or what)
          timer.after(0.1, function() log.info('still here') event.emit('x') end)
        end";
    let ran = run(script, 12, "\"fuelPerCall\": 10000000", &[]);
    assert_eq!(ran.lines.last().map(String::as_str), Some("still here"));
    assert!(ran.lines[0].ends_with("65536 events wait"), "{:?}", ran.lines);
}

#[test]
fn attaching_from_within_start_and_stop_is_bounded_in_a_tick() {
    let doubling =
        "local b = {} function b:start() self.character:attach('loop') self.character:attach('loop') end
        function b:stop() self.character:attach('loop') end return b";
    let script = "
        function onStart()
          world.character('hero'):attach('loop')
          timer.after(0.4, function() log.info('still here') end)
        end";
    let ran = run(script, 60, "", &[("loop.lua", doubling)]);
    assert!(ran.lines.iter().any(|line| line == "still here"), "{:?}", ran.messages);
    assert_eq!(ran.code, Some(0));
    assert!(ran.trace.contains("roundsExhausted") || ran.trace.contains("scriptDeferred"));
}

#[test]
fn fault_c14_tables_inside_a_module_are_read_only_too() {
    let module = "return { settings = { speed = 1 }, list = { { 1 } } }";
    let script = "
        local m = require('shared')
        function onStart()
          log.info('%s', pcall(function() m.settings.speed = 2 end))
          log.info('%s', pcall(function() m.list[1][1] = 2 end))
          log.info('%d', m.settings.speed)
        end";
    assert_eq!(run(script, 2, "", &[("shared.lua", module)]).lines, ["false", "false", "1"]);
}

#[test]
fn fault_b7_long_data_is_marked_in_a_trace_and_not_written_down() {
    let script = "
        local p = ('x'):rep(100000)
        function onStart() for i = 1, 40 do event.emit('long', p) end event.emit('short', { 1, 2 }) end";
    let ran = run(script, 2, "", &[]);
    assert!(ran.trace.len() < 40_000, "{}", ran.trace.len());
    assert!(ran.trace.contains("bytes that are not written down"));
    assert!(ran.trace.contains("\"payload\":[1.0,2.0]"), "{}", ran.trace);
}

#[test]
fn too_many_watches_for_the_people_there_are_take_turns() {
    let script = "
        local entered = 0
        function onStart()
          local free = 0
          for i = 1, 300 do world.spawn({ name = 'w' .. i, at = vector.create(2 + i % 20 / 10, 0, 5) }) end
          for i = 1, 200 do region.near(vector.create(2, 0, 5), 5, { initial = true, lineOfWalk = true, onEnter = function() entered += 1 end }) end
          timer.after(0.9, function() log.info('%s', entered > 0) end)
        end";
    let ran = run(script, 60, "\"fuelPerCall\": 10000000, \"fuelPerTick\": 100000000", &[]);
    assert_eq!((ran.lines, ran.code), (vec!["true".to_owned()], Some(0)));
    assert!(ran.trace.contains("watchesDeferred"));
}
